//! Runs the comparisons with new seeds for some minutes: see `.ci/soak`.
//!
//! ```text
//! soak MINUTES [--only COMPARISON] [--seed SEED [--show]] [--threads N]
//! ```
//!
//! With `--seed` only that seed is run; `--show` also prints its rule.

use nimrule_testing::compare::{Comparison, Counts};
use nimrule_testing::generate::rule;
use nimrule_testing::run::run_seed;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of failures after which the run ends.
const MAX_FAILURES: usize = 20;

/// The command-line arguments.
struct Arguments {
    minutes: f64,
    only: Option<Comparison>,
    seed: Option<u64>,
    show: bool,
    threads: usize,
}

fn parse_arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        minutes: 1.0,
        only: None,
        seed: None,
        show: false,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--only" => {
                let name = value()?;
                let one = Comparison::named(&name);
                arguments.only = Some(one.ok_or(format!("there is no comparison `{name}`"))?);
            }
            "--seed" => arguments.seed = Some(value()?.parse().map_err(|_| "a seed is a number")?),
            "--show" => arguments.show = true,
            "--threads" => {
                arguments.threads = value()?.parse().map_err(|_| "--threads is a number")?;
            }
            minutes => {
                arguments.minutes = minutes
                    .parse()
                    .map_err(|_| format!("`{minutes}` is no number of minutes"))?;
            }
        }
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let arguments = match parse_arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let comparisons: Vec<Comparison> = match arguments.only {
        Some(one) => vec![one],
        None => Comparison::ALL.to_vec(),
    };
    // A panic is reported as a failure, after shrinking.
    if !arguments.show {
        std::panic::set_hook(Box::new(|_| {}));
    }
    if let Some(seed) = arguments.seed {
        let mut failed = false;
        for comparison in comparisons {
            if arguments.show {
                println!("{}", rule(seed, comparison.rule_class(seed)));
            }
            if let Err(found) = run_seed(comparison, seed, &mut Counts::default()) {
                println!("{found}");
                failed = true;
            }
        }
        return ExitCode::from(u8::from(failed));
    }
    let fresh = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64);
    println!("seeds from {fresh}");
    let until = Instant::now() + Duration::from_secs_f64(60.0 * arguments.minutes);
    let total = Mutex::new((Counts::default(), 0_usize));
    std::thread::scope(|scope| {
        let threads = arguments.threads as u64;
        for thread in 0..threads {
            let (total, comparisons) = (&total, &comparisons);
            scope.spawn(move || {
                let mut round = 0_u64;
                while Instant::now() < until {
                    // Each thread runs all comparisons in turn.
                    let comparison = comparisons[round as usize % comparisons.len()];
                    let seed = fresh.wrapping_add(round * threads + thread);
                    round += 1;
                    let mut counts = Counts::default();
                    let result = run_seed(comparison, seed, &mut counts);
                    let mut total = match total.lock() {
                        Ok(total) => total,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    total.0.add(&counts);
                    if let Err(found) = result {
                        println!("{found}");
                        total.1 += 1;
                    }
                    if total.1 >= MAX_FAILURES {
                        return;
                    }
                }
            });
        }
    });
    let (counts, failures) = total.into_inner().unwrap_or_default();
    println!("{counts:#?}\nfailures: {failures}");
    ExitCode::from(u8::from(failures > 0))
}
