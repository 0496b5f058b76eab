//! How long a question may take, and how large a box it may solve.

use nimrule_claim::{BOX_TIME, fitting_size};
use nimrule_engine::{Shape, Solver};
use std::time::Duration;

/// How much work a claim may take: the time for a proof for all sizes, and the box with
/// which the claim is compared if there is none. Limits of the command apply as well.
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// The time for a proof.
    pub proof: ProofTime,
    /// The box; `None` if nothing but a proof will do.
    pub bounds: Option<Bounds>,
    /// Whether a cached proof of the same claim is an answer. Without, the claim is proved
    /// again, so that there is a certificate.
    pub accepts_cached: bool,
}

/// The time for the proof of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProofTime {
    /// No proof is sought.
    None,
    /// At most this.
    AtMost(Duration),
    /// At most this, and more for each position of the box: the more the box takes, the
    /// longer is a proof sought.
    WithBox(Duration),
}

/// The box with which a claim is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Heaps up to this, which the user asked for.
    Asked(u64),
    /// Heaps up to this, which was chosen for the user.
    Chosen(u64),
    /// Heaps up to what the file suggests or, without a suggestion or where it is not used,
    /// a box of about these many positions and options that shrinks if it takes longer.
    Fitting {
        /// The largest number of positions.
        positions: u128,
        /// The largest number of options.
        options: u128,
        /// The time after which a smaller box is tried; `None`: the box does not shrink.
        time: Option<Duration>,
        /// Whether the suggestion of the file is used.
        as_suggested: bool,
    },
}

/// What each position of the box adds to the time of a proof, in seconds, and the most
/// that all add.
const PROOF_TIME_A_POSITION: f64 = 1e-9;
const MAX_PROOF_TIME: f64 = 20.0;

impl Effort {
    /// While a person types: fractions of a second.
    pub const EDITOR: Effort = Effort::brief(Duration::from_secs(5), Some(BOX_TIME));

    /// At a prompt, and for each of many games: a second or two.
    pub const PROMPT: Effort = Effort::brief(Duration::from_secs(2), None);

    /// A command that reports on a file: a second a claim, more with large boxes.
    pub const COMMAND: Effort = Effort {
        proof: ProofTime::WithBox(Duration::from_secs(1)),
        bounds: Some(Bounds::Fitting {
            positions: 300_000,
            options: 100_000_000,
            time: Some(BOX_TIME),
            as_suggested: true,
        }),
        accepts_cached: true,
    };

    /// A command that proves: minutes, and no comparison with a box.
    pub const PROOF: Effort = Effort {
        proof: ProofTime::AtMost(Duration::from_secs(300)),
        bounds: None,
        accepts_cached: false,
    };

    /// A claim that is to be a reason: a box of a tenth of a second must not refute it.
    pub(crate) const REASON: Effort = Effort {
        proof: ProofTime::None,
        bounds: Some(Bounds::Fitting {
            positions: 100_000,
            options: 30_000_000,
            time: Some(BOX_TIME),
            as_suggested: false,
        }),
        accepts_cached: true,
    };

    /// A brief proof, and a box of a tenth of a second.
    const fn brief(proof: Duration, box_time: Option<Duration>) -> Effort {
        Effort {
            proof: ProofTime::AtMost(proof),
            bounds: Some(Bounds::Fitting {
                positions: 100_000,
                options: 30_000_000,
                time: box_time,
                as_suggested: true,
            }),
            accepts_cached: true,
        }
    }

    /// This effort, with at most this time for a proof.
    #[must_use]
    pub fn proving(self, time: Duration) -> Effort {
        Effort {
            proof: ProofTime::AtMost(time),
            ..self
        }
    }

    /// This effort without a proof.
    #[must_use]
    pub fn by_box_alone(self) -> Effort {
        Effort {
            proof: ProofTime::None,
            ..self
        }
    }

    /// This effort with a box of this size, if the user asked for one.
    #[must_use]
    pub fn with_box(self, asked: Option<u64>) -> Effort {
        Effort {
            bounds: asked.map(Bounds::Asked).or(self.bounds),
            ..self
        }
    }

    /// The time for a proof, with a box up to `most`; `None` if none is sought.
    pub(crate) fn proof_time(&self, solver: &Solver<'_>, most: u64) -> Option<Duration> {
        match self.proof {
            ProofTime::None => None,
            ProofTime::AtMost(time) => Some(time),
            ProofTime::WithBox(least) => {
                let positions = Shape::count(&solver.game.box_to(most));
                let more = (positions as f64 * PROOF_TIME_A_POSITION).min(MAX_PROOF_TIME);
                Some(least + Duration::from_secs_f64(more))
            }
        }
    }
}

impl Bounds {
    /// The largest heap, and the time after which the box shrinks.
    pub(crate) fn of(self, solver: &Solver<'_>) -> (u64, Option<Duration>) {
        match self {
            Bounds::Asked(most) | Bounds::Chosen(most) => (most, None),
            Bounds::Fitting {
                positions,
                options,
                time,
                as_suggested,
            } => match solver
                .game
                .presentation
                .suggest_max
                .filter(|_| as_suggested)
            {
                Some(most) => (most, None),
                None => (fitting_size(solver, positions, options), time),
            },
        }
    }

    /// The bound that the user asked for.
    pub(crate) fn asked(self) -> Option<u64> {
        match self {
            Bounds::Asked(most) => Some(most),
            Bounds::Chosen(_) | Bounds::Fitting { .. } => None,
        }
    }
}

/// The times and sizes of questions about single positions.
pub(crate) mod position {
    use std::time::Duration;

    /// The time that an engine of unknown cost has before a claim is used.
    pub const ENGINE: Duration = Duration::from_secs(2);

    /// The time of the last attempt by an engine, where there are too many positions and
    /// the user set no limit.
    pub const LAST_ATTEMPT: Duration = Duration::from_secs(20);

    /// The time for a proof where no engine reaches the position; at most half of what is
    /// left.
    pub const PROOF: Duration = Duration::from_secs(15);

    /// The time for a proof of a position that only a proof can answer.
    pub const ONLY_PROOF: Duration = Duration::from_secs(300);

    /// The time for a proof of a claim that may answer without one.
    pub const CLAIM_PROOF: Duration = Duration::from_millis(50);

    /// The time for checking a cached proof again; it was checked before it was stored.
    pub const CACHED: Duration = Duration::from_millis(200);

    /// The largest numbers of positions and options of the box on which a claim is checked
    /// before it answers: about a second's work. A box that the file suggests may have ten
    /// times as many.
    pub const CHECKED_POSITIONS: u128 = 1_000_000;
    pub const CHECKED_OPTIONS: u128 = 400_000_000;
    pub const SUGGESTED: u128 = 10;

    /// The largest number of options that are compared with a claim, or among which a
    /// position of a pairing is looked for: about a second's work.
    pub const COMPARED_OPTIONS: u64 = 2_000_000;

    /// The largest number of options among which all winning moves are looked for, where a
    /// proof gives some.
    pub const ENUMERATED_OPTIONS: u64 = 200_000;
}
