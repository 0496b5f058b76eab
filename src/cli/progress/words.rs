//! Progress as text.

use crate::cli::text::grouped;
use nimrule_answer::words;
use nimrule_limits::Snapshot;
use std::time::Duration;

/// One line about the current work. `first` is its first snapshot, `since` the
/// time from then, and `all` the time of the whole run. With a `width`, the least
/// important parts are dropped until the line fits.
pub fn line(
    seen: &Snapshot,
    first: &Snapshot,
    since: Duration,
    all: Duration,
    width: Option<usize>,
) -> String {
    let Some((doing, what, _)) = words::counted_work(seen.work) else {
        return format!("{}: {}", words::progress(seen), lasting(all));
    };
    let tried = words::tried(seen);
    let mut parts = Vec::new();
    // What came out of a checkpoint took no time now.
    let done_now = seen.done.saturating_sub(first.done);
    let rate = done_now as f64 / since.as_secs_f64().max(0.001);
    if seen.pieces > 0 {
        let share = 100.0 * seen.done as f64 / seen.pieces as f64;
        parts.push(format!(
            "{tried}{doing}: {} of {} {what} ({share:.0}%)",
            grouped(seen.done.into()),
            grouped(seen.pieces.into())
        ));
    } else {
        parts.push(format!(
            "{tried}{doing}: {} {what}",
            grouped(seen.done.into())
        ));
    }
    if done_now > 0 {
        parts.push(format!("{}/s", short(rate)));
        if seen.pieces > seen.done {
            let left = (seen.pieces - seen.done) as f64 / rate;
            parts.push(format!("{} left", lasting(from_seconds(left))));
        }
    } else {
        parts.push(lasting(all));
    }
    let mut line = parts.join(", ");
    if let Some(width) = width
        && line.chars().count() > width
    {
        // Grouped numbers of large boxes take most of the room.
        parts[0] = format!("{doing}: {} of {}", short(seen.done as f64), {
            short(seen.pieces as f64)
        });
        line = parts.join(", ");
        line = line.chars().take(width).collect();
    }
    line
}

/// The progress of an interrupted run.
pub fn so_far(seen: &Snapshot) -> Option<String> {
    let (_, what, verb) = words::counted_work(seen.work)?;
    let mut words = grouped(seen.done.into());
    if seen.pieces > 0 {
        words.push_str(&format!(" of {}", grouped(seen.pieces.into())));
    }
    words.push_str(&format!(" {what} {verb}"));
    if seen.p_positions > 0 {
        let number = grouped(seen.p_positions.into());
        words.push_str(&format!(", {number} of them P"));
    }
    Some(words)
}

fn from_seconds(seconds: f64) -> Duration {
    // Whoever waits for longer than this will not count the seconds.
    Duration::from_secs_f64(seconds.clamp(0.0, 1e12))
}

/// 61 300 000 as `61M`.
fn short(number: f64) -> String {
    let units = ["", "k", "M", "G", "T", "P", "E"];
    let mut unit = 0;
    let mut rest = number;
    while rest >= 999.5 && unit + 1 < units.len() {
        rest /= 1000.0;
        unit += 1;
    }
    if rest < 9.95 && unit > 0 {
        format!("{rest:.1}{}", units[unit])
    } else {
        format!("{rest:.0}{}", units[unit])
    }
}

/// A duration in at most two units.
pub fn lasting(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        (1..=999, _, _) => format!("{days} d {} h", hours % 24),
        _ => format!("{} years", grouped(u128::from(days / 365))),
    }
}

#[cfg(test)]
mod tests {
    use super::{lasting, line, so_far};
    use nimrule_limits::{Snapshot, TriedNumeration, Work};
    use std::time::Duration;

    const HALF: Snapshot = Snapshot {
        work: Work::Solving,
        numeration: None,
        begun: 1,
        pieces: 1 << 30,
        done: 1 << 29,
        p_positions: 1855,
    };

    fn after(seconds: u64, seen: Snapshot, width: Option<usize>) -> String {
        let time = Duration::from_secs(seconds);
        let first = Snapshot { done: 0, ..seen };
        line(&seen, &first, time, time, width)
    }

    #[test]
    fn a_line_says_what_is_done_how_fast_and_what_is_left() {
        assert_eq!(
            after(10, HALF, None),
            "solving: 536,870,912 of 1,073,741,824 positions (50%), 54M/s, 10 s left"
        );
    }

    #[test]
    fn a_line_in_place_fits_the_screen() {
        let seen = Snapshot {
            pieces: 1 << 60,
            ..HALF
        };
        let line = after(10, seen, Some(79));
        assert_eq!(line, "solving: 537M of 1.2E, 54M/s, 680 years left");
        assert_eq!(after(10, HALF, Some(20)).chars().count(), 20);
    }

    #[test]
    fn what_was_done_before_says_nothing_of_the_rate() {
        let first = Snapshot {
            done: 1 << 29,
            ..HALF
        };
        let seen = Snapshot {
            done: first.done + 1000,
            ..HALF
        };
        let time = Duration::from_secs(10);
        assert!(line(&seen, &first, time, time, None).contains("100/s"));
    }

    #[test]
    fn the_numeration_that_is_tried_is_named() {
        let seen = |work| Snapshot {
            work,
            numeration: Some(TriedNumeration::Base(3)),
            ..HALF
        };
        assert_eq!(
            after(10, seen(Work::Other), None),
            "in base 3, looking for a proof for all sizes: 10 s"
        );
        assert!(after(10, seen(Work::Solving), None).starts_with("in base 3, solving: 536,"));
        let seen = Snapshot {
            numeration: Some(TriedNumeration::Ostrowski(1)),
            ..seen(Work::Other)
        };
        assert!(after(1, seen, None).starts_with("in Zeckendorf's numeration, "));
    }

    #[test]
    fn searches_have_no_end_in_sight() {
        let seen = Snapshot {
            work: Work::Searching,
            pieces: 0,
            done: 7000,
            ..HALF
        };
        assert_eq!(after(7, seen, None), "searching: 7,000 positions, 1.0k/s");
    }

    #[test]
    fn an_interrupted_run_says_how_far_it_came() {
        assert_eq!(
            so_far(&HALF).as_deref(),
            Some("536,870,912 of 1,073,741,824 positions were solved, 1,855 of them P")
        );
        let other = Snapshot {
            work: Work::Other,
            ..HALF
        };
        assert_eq!(so_far(&other), None);
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let words = |seconds| lasting(Duration::from_secs(seconds));
        assert_eq!(words(59), "59 s");
        assert_eq!(words(61), "1 min 1 s");
        assert_eq!(words(7260), "2 h 1 min");
        assert_eq!(words(90_000), "1 d 1 h");
        assert_eq!(words(400 * 365 * 86_400), "400 years");
    }
}
