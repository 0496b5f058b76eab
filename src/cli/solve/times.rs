//! `solve --stats`: where the time of the command went.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The time of each phase. With several threads that of the claims and of the list is the
/// mean of theirs.
#[derive(Debug, Clone)]
pub struct Times {
    begun: Instant,
    parse: Duration,
    check: Duration,
    proofs: Duration,
    sweep: Duration,
    claims: Duration,
    list: Duration,
}

impl Times {
    /// The times of a command that began with this phase.
    pub fn new(begun: Instant, parse: Duration, check: Duration) -> Times {
        Times {
            begun,
            parse,
            check,
            proofs: Duration::ZERO,
            sweep: Duration::ZERO,
            claims: Duration::ZERO,
            list: Duration::ZERO,
        }
    }

    /// Adds the times of a solved box: of the proofs, the sweeps, the list, and the claims.
    pub fn add(&mut self, [proofs, sweep, list, claims]: &[Duration; 4]) {
        self.proofs += *proofs;
        self.sweep += *sweep;
        self.list += *list;
        self.claims += *claims;
    }

    fn all(&self) -> [(&'static str, Duration); 7] {
        [
            ("parse", self.parse),
            ("check", self.check),
            ("proofs", self.proofs),
            ("sweep", self.sweep),
            ("claims", self.claims),
            ("list", self.list),
            ("whole", self.begun.elapsed()),
        ]
    }

    /// A line for each phase.
    pub fn text(&self) -> String {
        let lines = self.all().map(|(phase, took)| {
            let seconds = took.as_secs_f64();
            format!("  {phase:<8}{seconds:>8.3} s\n")
        });
        format!("\nTime\n\n{}", lines.concat())
    }

    /// The seconds of each phase.
    pub fn as_json(&self) -> Value {
        let seconds = self
            .all()
            .map(|(phase, took)| (phase.to_owned(), json!(took.as_secs_f64())));
        Value::Object(seconds.into_iter().collect())
    }
}
