//! Tries to prove every claim of a rule file for all sizes, and says how long
//! it takes.
//!
//! ```text
//! cargo run --release --example theorems -- games/circular_nim.nimrule n=5 k=3
//! ```

use nimrule_elaborate::Settings;
use nimrule_engine::Limits;
use nimrule_model::game::{Applies, ParamValue};
use nimrule_model::source::Source;
use nimrule_prove::{Verdict, prove};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("name a rule file");
        return;
    };
    let mut settings = Settings::new();
    for argument in arguments {
        if let Some((name, value)) = argument.split_once('=')
            && let Ok(value) = value.parse()
        {
            settings.insert(name.to_owned(), ParamValue::Number(value));
        }
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let source = Source::new(file.clone(), text.clone());
    let compiled = match nimrule::compile(&source, &settings, &|_| Err("no files".to_owned())) {
        Ok(compiled) => compiled,
        Err(problems) => {
            eprintln!("{problems:?}");
            return;
        }
    };
    for claim in &compiled.game.claims {
        if claim.applies == Applies::Elsewhere {
            continue;
        }
        let begun = Instant::now();
        let limits = Limits {
            deadline: Some(begun + Duration::from_secs(120)),
            ..Limits::of_memory(3 << 30)
        };
        let verdict = prove(&compiled.game, claim, &limits);
        let took = begun.elapsed();
        let said = match verdict {
            Ok(Verdict::Proved(proof)) => format!("proved, {} states", proof.states),
            Ok(Verdict::Refuted(found)) => {
                format!("refuted at {:?}: {}", found.position, found.words())
            }
            Ok(Verdict::Unsupported(unsupported)) => {
                let places = unsupported.places();
                let shown: Vec<&str> = places
                    .map(|at| &text[at.offset()..at.offset() + at.len()])
                    .collect();
                format!("outside: {unsupported} {shown:?}")
            }
            Ok(Verdict::Contradicted(found)) => format!("contradicted at {:?}", found.position),
            Ok(Verdict::Undecided(why)) => format!("undecided: {why}"),
            Ok(Verdict::ProvedOfReals(proof)) => {
                format!("proved of real sizes: {}", proof.checked.join("; "))
            }
            Ok(Verdict::RefutedOfReals(found)) => {
                format!("refuted at {}: {}", found.position, found.words())
            }
            Err(failure) => format!("not decided: {failure}"),
        };
        println!("{took:>10.1?}  {file}  {}  {said}", claim.words);
    }
}
