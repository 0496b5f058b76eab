//! Claims about periods, right and wrong ones, against the values.

use super::{LIMITS, by_loop};
use nimrule_claim::{ClaimStatus, check_alone, fails_at};
use nimrule_engine::Solver;
use nimrule_fixtures::game;

/// Each claim of a period up to 40 from a heap up to 60, of three games whose
/// periods are 12 from 71, 34 from 53, and 4 from 1 with saltus 4.
#[test]
fn claims_are_checked_against_the_values() {
    const TO: usize = 400;
    for code in ["0.77", "0.07", "4.3..."] {
        let values = by_loop(code, TO);
        let mut claims = Vec::new();
        for (period, from) in (1..=40).flat_map(|p| [0, 1, 4, 52, 53, 70, 71].map(|n| (p, n))) {
            for saltus in [0, 4] {
                claims.push((period, from, saltus));
            }
        }
        let written: Vec<String> = claims
            .iter()
            .map(|(p, n, s)| format!("claim period {p} from {n} saltus {s}"))
            .collect();
        let text = format!(
            "game g heaps any number move octal \"{code}\"\n{}",
            written.join("\n")
        );
        let game = game(&text);
        let solver = Solver::new(&game);
        for ((period, from, saltus), claim) in claims.into_iter().zip(&game.claims) {
            let fails = |heap: &usize| values[heap + period] != values[*heap] + saltus;
            let first = (from..=TO - period).find(fails);
            let standing = check_alone(&solver, claim, 20, None, &LIMITS)
                .expect("the limits are wide")
                .expect("it is judged by itself");
            match (&standing, first) {
                (ClaimStatus::Refuted(found), Some(heap)) => {
                    let position = if heap == 0 {
                        Vec::new()
                    } else {
                        vec![heap as u64]
                    };
                    assert_eq!(found.position, position, "{code}: {}", claim.words);
                }
                (ClaimStatus::Proved { .. }, None) => {}
                other => panic!("{code}: {}: {other:?}", claim.words),
            }
            for heap in [from, from + 1, from + 17] {
                let said = fails_at(&solver, claim, &[heap as u64], &LIMITS);
                let said = said.expect("the limits are wide");
                if heap > 0 {
                    assert_eq!(said.is_some(), fails(&heap), "{code}: {}", claim.words);
                }
            }
            // Before the claim begins it fails nowhere.
            if from > 1 {
                let before = fails_at(&solver, claim, &[from as u64 - 1], &LIMITS);
                assert_eq!(before, Ok(None));
            }
        }
    }
}

fn standing_of(text: &str) -> ClaimStatus {
    let game = game(text);
    let solver = Solver::new(&game);
    check_alone(&solver, &game.claims[0], 20, None, &LIMITS)
        .expect("the limits are wide")
        .expect("it is judged by itself")
}

#[test]
fn what_is_not_proved_holds_or_is_unknown() {
    let octal = |code: &str, claim: &str| {
        standing_of(&format!(
            "game g heaps any number move octal \"{code}\" claim {claim}"
        ))
    };
    // A hexadecimal code with a saltus: no theorem here.
    assert!(matches!(
        octal("0.8", "period 3 from 1 saltus 1"),
        ClaimStatus::Holds { to, .. } if to >= 7
    ));
    // The proof wants values beyond those of the claim.
    assert!(matches!(
        octal("0.165", "period 1550 from 5181"),
        ClaimStatus::Proved { .. }
    ));
    // A period that begins far out is proved all the same.
    assert!(matches!(
        octal("0.77", "period 24 from 1000000000000"),
        ClaimStatus::Proved { .. }
    ));
    let looks = standing_of(
        "game g heaps any number move when max(heaps) > 2 take from one heap \
         claim period 1 from 0 saltus 1",
    );
    assert!(matches!(looks, ClaimStatus::Unknown { .. }));
}

#[test]
fn heaps_with_names_have_periods_of_their_own() {
    let text = |claim: &str| {
        format!(
            "game g heaps a b move take 1..3 from a move take 1..5 from b move take 4 from b \
             claim {claim}"
        )
    };
    for claim in [
        "period 4 from 0",
        "period 4 from 0 of a",
        "period 6 from 0 of b",
    ] {
        assert!(
            matches!(standing_of(&text(claim)), ClaimStatus::Proved { .. }),
            "{claim}"
        );
    }
    let ClaimStatus::Refuted(found) = standing_of(&text("period 4 from 1 of b")) else {
        panic!("b has period 6");
    };
    assert_eq!(found.position, [0, 1]);
}
