//! The comparisons with fresh seeds for some minutes: see `.ci/soak`.
//!
//! ```text
//! soak MINUTES [--only COMPARISON] [--seed SEED [--show]] [--threads N]
//! ```
//!
//! With `--seed` that seed alone is tried, and with `--show` its rule is shown.

use nimrule_testing::compare::{Comparison, Counts};
use nimrule_testing::generate::rule;
use nimrule_testing::run::one_seed;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// So many failures are shown, then the run ends.
const MOST_FAILURES: usize = 20;

struct Wishes {
    minutes: f64,
    only: Option<Comparison>,
    seed: Option<u64>,
    show: bool,
    threads: usize,
}

fn wishes() -> Result<Wishes, String> {
    let mut wishes = Wishes {
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
                wishes.only = Some(one.ok_or(format!("there is no comparison `{name}`"))?);
            }
            "--seed" => wishes.seed = Some(value()?.parse().map_err(|_| "a seed is a number")?),
            "--show" => wishes.show = true,
            "--threads" => {
                wishes.threads = value()?.parse().map_err(|_| "--threads is a number")?;
            }
            minutes => {
                wishes.minutes = minutes
                    .parse()
                    .map_err(|_| format!("`{minutes}` is no number of minutes"))?;
            }
        }
    }
    Ok(wishes)
}

fn main() -> ExitCode {
    let wishes = match wishes() {
        Ok(wishes) => wishes,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let comparisons: Vec<Comparison> = match wishes.only {
        Some(one) => vec![one],
        None => Comparison::ALL.to_vec(),
    };
    // What panics is reported as a failure, once it is made short.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(seed) = wishes.seed {
        let mut failed = false;
        for comparison in comparisons {
            if wishes.show {
                println!("{}", rule(seed, comparison.wants()));
            }
            if let Err(found) = one_seed(comparison, seed, &mut Counts::default()) {
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
    let until = Instant::now() + Duration::from_secs_f64(60.0 * wishes.minutes);
    let total = Mutex::new((Counts::default(), 0_usize));
    std::thread::scope(|scope| {
        let threads = wishes.threads as u64;
        for thread in 0..threads {
            let (total, comparisons) = (&total, &comparisons);
            scope.spawn(move || {
                let mut round = 0_u64;
                while Instant::now() < until {
                    // Each thread goes through all comparisons.
                    let comparison = comparisons[round as usize % comparisons.len()];
                    let seed = fresh.wrapping_add(round * threads + thread);
                    round += 1;
                    let mut counts = Counts::default();
                    let result = one_seed(comparison, seed, &mut counts);
                    let mut total = match total.lock() {
                        Ok(total) => total,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    total.0.add(&counts);
                    if let Err(found) = result {
                        println!("{found}");
                        total.1 += 1;
                    }
                    if total.1 >= MOST_FAILURES {
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
