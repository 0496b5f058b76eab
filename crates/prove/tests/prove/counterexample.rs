//! The positions at which claims are refuted.

use nimrule_engine::{Limits, SolveError, Steps};
use nimrule_model::game::Game;
use nimrule_prove::counterexample::find_contradiction;
use nimrule_prove::{Strategy, Verdict, prove};

fn game(rule: &str) -> Game {
    nimrule_fixtures::game(&format!("game g\n{rule}"))
}

fn contradicted_at(rule: &str) -> Option<Vec<u64>> {
    let game = game(rule);
    let limits = Limits::of_memory(1 << 28);
    let found = find_contradiction(&game, &game.claims[0], &limits).expect("nobody stops it");
    found.map(|found| found.position)
}

/// The position at which the first claim is refuted within 64 MiB.
fn refuted_at(rule: &str) -> Vec<u64> {
    let game = game(rule);
    let strategy = Strategy::all(&Limits::of_memory(1 << 26));
    match prove(&game, &game.claims[0], &strategy) {
        Ok(Verdict::Refuted(found)) => found.position,
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn a_claim_is_refuted_at_the_smallest_position() {
    // It fails at two positions of two tokens, of which the first box has the larger.
    let same_total = "heaps a b c d\nmove take from one heap\n\
                      claim P iff (a ^ b ^ c ^ d == 0 and c != 1) or d == 2\n";
    assert_eq!(refuted_at(same_total), [0, 0, 0, 2]);
    // The next box has too many positions.
    let heaps = "heaps a b c d e f g h i j k l\nmove take from one heap\n";
    let claim = "claim P iff xor(heaps) == 0 or j == k == l == 1 or l == 2\n";
    let many_heaps = format!("{heaps}{claim}");
    assert_eq!(
        refuted_at(&many_heaps),
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    );
    // The position is given with the claim, and a smaller one is beyond all boxes.
    let given = format!(
        "{heaps}claim P iff xor(heaps) == 0 or l >= 2 refuted at \
                         (0,0,0,0,0,0,0,0,0,0,0,3)\n"
    );
    assert_eq!(refuted_at(&given), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
}

#[test]
fn large_numbers_of_a_claim_need_little_memory() {
    for rule in ["take from one heap", "take 1..2 from a"] {
        for condition in [
            "a mod 3 == 0 or a == 1000000007",
            "a mod 3 == 0 or a + b >= 1000000007",
            "a mod 3 == 0 or 1000000007 * a == b + 5",
            "a mod 3 == 0 or a div 1000000007 == 1",
            "a mod 3 == 0 or a mod 65536 == 65535",
            "b mod 3 == 0 or digit(2, 19, a) == 1",
        ] {
            let game = game(&format!(
                "heaps a b\nmove {rule}\nclaim P iff {condition}\n"
            ));
            let limits = Limits::of_memory(1 << 26).cap_work(Steps::million(20));
            match prove(&game, &game.claims[0], &Strategy::all(&limits)) {
                Ok(Verdict::Refuted(_) | Verdict::Undecided(_))
                | Ok(Verdict::Unsupported(_))
                | Err(SolveError::Memory { .. }) => {}
                other => panic!("{rule}, {condition}: {other:?}"),
            }
        }
    }
    let nim = "heaps a b\nmove take from one heap\n";
    let small = format!("{nim}claim P iff a mod 3 == 0 or a == 1000000007\n");
    assert_eq!(refuted_at(&small), [0, 1]);
    let far = "heaps a\nmove take 1..2 from a\nclaim P iff a mod 3 == 0 or a == 1000000007\n";
    assert_eq!(refuted_at(far), [1_000_000_007]);
}

#[test]
fn a_false_claim_is_contradicted_beside_its_constants() {
    let far = "heaps a b c d\n\
               move for some x in {a - b} take 1 from b where x < -40\n\
               claim P iff a >= 0\n";
    assert_eq!(contradicted_at(far), Some(vec![0, 41, 0, 0]));
    let fault = "heaps a b\nmove take from one heap where 5 div (a - 33) >= 0\n\
                 claim P iff a == b\n";
    assert!(contradicted_at(fault).is_some());
    let nim = "heaps a b c\nmove take from one heap\nclaim P iff a ^ b ^ c == 0\n";
    assert_eq!(contradicted_at(nim), None);
}
