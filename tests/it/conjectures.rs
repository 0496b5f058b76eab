//! Conjectures about shipped games whose theorems are known. The claims of their files are not
//! read by the search.

use nimrule_answer::{Discovered, DiscoveryBounds, Effort, Session, conjectures};
use nimrule_fixtures::{game, shipped_text};
use nimrule_limits::Limits;
use nimrule_model::game::Convention;

/// The claims that are found of a game in the box to this size. Each is written into the file
/// and compared once more.
fn found(name: &str, most: u64) -> Vec<String> {
    let text = shipped_text(name);
    let game = game(&text);
    let limits = Limits::of_memory(1 << 30);
    let found = conjectures(&game, Convention::Normal, Some(most), &limits);
    let claims = found.expect("the box is small").found;
    let claims: Vec<String> = claims.into_iter().map(|one| one.claim).collect();
    for claim in &claims {
        let with = nimrule_fixtures::game(&format!("{text}\nclaim {claim}\n"));
        let session = Session::new(&with, limits.clone());
        let last = session.claims().last().expect("a claim").0;
        let report = session.claim(last, &Effort::PROMPT.by_box_alone());
        let report = report.expect("no limit");
        assert_eq!(report.passes(), Some(true), "{name}: {claim}");
    }
    claims
}

#[test]
fn the_theorems_of_shipped_games_are_found() {
    let known: [(&str, u64, &str); 12] = [
        ("nim", 20, "P iff xor(heaps) == 0"),
        (
            "wythoff",
            200,
            "P iff min(heaps) == wythoff(max(heaps) - min(heaps))",
        ),
        ("cube_vertex", 5, "P iff a == A and b == B and c == C"),
        ("cube_edge", 7, "P iff a ^ A == b ^ B and a ^ A == c ^ C"),
        ("cube_face", 7, "P iff xor(heaps) == 0"),
        ("subtraction_range", 200, "P iff xor(heaps) mod 4 == 0"),
        ("moore", 16, "P iff carryless(2, heaps, 3) == 0"),
        (
            "delete_nim",
            60,
            "P iff count(h in heaps where h mod 2 == 1) == 0",
        ),
        ("staircase_nim", 9, "P iff s[1] == s[3]"),
        (
            "planar_vertex",
            40,
            "P iff outside == 0 and xor(heaps) == 0",
        ),
        ("tetrahedron_vertex", 14, "P iff max(heaps) == min(heaps)"),
        ("lim", 40, "P iff sum(heaps) == xor(heaps)"),
    ];
    for (name, most, claim) in known {
        assert_eq!(found(name, most), [claim], "{name}");
    }
}

/// Where no relation describes the P-positions, necessary and sufficient ones are listed.
#[test]
fn conditions_that_are_necessary_or_sufficient_are_listed() {
    let euclid = found("euclid", 200);
    assert!(euclid.contains(&"P if a == 0".to_owned()), "{euclid:?}");
    assert!(
        euclid.iter().any(|claim| claim.starts_with("P only if ")),
        "{euclid:?}"
    );
    assert!(
        euclid.iter().all(|claim| !claim.contains("iff")),
        "{euclid:?}"
    );
}

/// What holds in the small box only is refuted by the larger one.
#[test]
fn a_larger_box_refutes() {
    let text = "game late heaps a b move when a < 150 take from one heap move take 1 from b";
    let game = game(text);
    let limits = Limits::of_memory(1 << 30);
    let found = conjectures(&game, Convention::Normal, Some(300), &limits).expect("a small box");
    assert!(found.sought_to < 150 && found.compared_to == 300);
    assert!(!found.refuted.is_empty());
    for one in &found.refuted {
        assert!(one.counterexample.position[0] >= found.sought_to, "{one:?}");
    }
}

/// Mark (Fraenkel, Aperiodic subtraction games, 2011).
#[test]
fn valuations_are_compared() {
    let text = "game mark heaps n move take 1 from n \
                move take t from n where n > 0 and t == n - n div 2";
    let game = game(text);
    let limits = Limits::of_memory(1 << 30);
    let found = conjectures(&game, Convention::Normal, Some(300), &limits).expect("a small box");
    let claims: Vec<&str> = found.found.iter().map(|one| one.claim.as_str()).collect();
    assert_eq!(claims, ["P iff n == 0 or valuation(2, n) mod 2 == 1"]);
}

/// Misère Nim (Bouton 1901), as cases by the largest heap.
#[test]
fn cases_are_found() {
    let game = game("game nim heaps a b c d move take from one heap");
    let limits = Limits::of_memory(1 << 30);
    let found = conjectures(&game, Convention::Misere, Some(9), &limits).expect("a small box");
    let claims: Vec<&str> = found.found.iter().map(|one| one.claim.as_str()).collect();
    assert_eq!(
        claims,
        ["misere P iff if max(heaps) >= 2 then xor(heaps) == 0 else xor(heaps) == 1"]
    );
}

/// What `discover` finds of a rule about any number of heaps: the claim, or the reason why not.
fn found_of_any_number(text: &str, convention: Convention) -> String {
    let game = game(text);
    let session = Session::new(&game, Limits::of_memory(1 << 30));
    let bounds = DiscoveryBounds::default();
    match session.discover(convention, bounds).expect("no limit") {
        Discovered::OfAnyNumber(theorem) => {
            assert!(theorem.proof.certificate.is_some(), "{}", theorem.claim);
            theorem.claim
        }
        Discovered::Unsupported(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn theorems_about_any_number_of_heaps_are_found() {
    use Convention::{Misere, Normal};
    let known = [
        ("take from one heap", Normal, "P iff xor(heaps) == 0"),
        (
            "take from one heap",
            Misere,
            "misere P iff if max(heaps) >= 2 then xor(heaps) == 0 else xor(heaps) == 1",
        ),
        (
            "take from up to 2 heaps",
            Normal,
            "P iff carryless(2, heaps, 3) == 0",
        ),
        (
            "take t from one heap where t in {1, 2}",
            Normal,
            "P iff xor(h mod 3 for h in heaps) == 0",
        ),
        // The change of a heap of 2 tokens is known at its last digit only.
        (
            "take 1 from one heap",
            Misere,
            "misere P iff sum(heaps) mod 2 != 0",
        ),
        (
            "take from one heap as h where h == max(heaps)",
            Normal,
            "a move depends on all heaps, and their number is not fixed",
        ),
    ];
    for (mover, convention, wanted) in known {
        let text = format!("game any heaps any number move {mover}");
        assert_eq!(found_of_any_number(&text, convention), wanted, "{mover}");
    }
}

#[test]
fn values_of_any_number_of_heaps_are_found() {
    let game = game("game any heaps any number move take from one heap");
    let session = Session::new(&game, Limits::of_memory(1 << 30));
    let bounds = DiscoveryBounds::default();
    match session
        .discover_values(Convention::Normal, bounds)
        .expect("no limit")
    {
        Discovered::OfAnyNumber(theorem) => assert_eq!(theorem.claim, "grundy == xor(heaps)"),
        other => panic!("{other:?}"),
    }
}
