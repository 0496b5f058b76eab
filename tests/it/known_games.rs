//! Rules compared with the shipped games.

use nimrule_answer::{Effort, KnownGame, SameGame, Session, Verdict};
use nimrule_fixtures::game;
use nimrule_limits::Limits;
use nimrule_model::game::Agreement;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games");

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(format!("{GAMES}/{path}")).map_err(|error| error.to_string())
}

/// What is found of a rule among some shipped games. Each is written into the rule as a claim and
/// checked once more.
fn found(text: &str, names: &[&str]) -> Vec<SameGame> {
    let known: Vec<KnownGame> = names
        .iter()
        .map(|name| KnownGame {
            name: (*name).to_owned(),
            text: String::from_utf8(read(&format!("{name}.nimrule")).expect("a shipped game"))
                .expect("text"),
        })
        .collect();
    let game = game(text);
    let limits = Limits::of_memory(1 << 30);
    let session = Session::new(&game, limits.clone());
    let games = session
        .same_games(&known, &read)
        .expect("heaps of one kind");
    assert_eq!(games.searched, names.len());
    for one in &games.found {
        let with = nimrule_fixtures::game(&format!("{text}\nclaim {}\n", one.claim));
        let report = Session::new(&with, limits.clone()).claim(1, &Effort::PROMPT.by_box_alone());
        let report = report.expect("no limit");
        assert_eq!(report.passes(), Some(true), "{}", one.claim);
    }
    games.found
}

fn claims(found: &[SameGame]) -> Vec<&str> {
    found.iter().map(|one| one.claim.as_str()).collect()
}

fn are_proved(found: &[SameGame]) -> bool {
    let mut verdicts = found.iter().map(|one| &one.verdict);
    verdicts.all(|verdict| matches!(verdict, Verdict::Proved(_)))
}

#[test]
fn moores_nim_is_found() {
    let text = "game mine heaps a b c move take from up to 2 heaps";
    let games = found(
        text,
        &["nim", "wythoff", "moore", "circular_nim", "end_nim"],
    );
    // Of three heaps in a circle any two are neighbours. Nim and End Nim have other outcomes.
    let mut claims = claims(&games);
    claims.sort_unstable();
    assert_eq!(
        claims,
        [
            "same as circular_nim(n = 3, k = 2)",
            "same as moore(piles = 3, k = 2)",
        ]
    );
}

#[test]
fn the_same_moves_are_proved_for_all_sizes() {
    let text = "game mine heaps x y z move take from x move take from z move take from y";
    let games = found(text, &["nim"]);
    assert_eq!(claims(&games), ["same as nim(piles = 3)"]);
    assert!(are_proved(&games), "{games:?}");
}

#[test]
fn heaps_are_matched_in_any_order() {
    // Tokens go down from c to b and from b to a, and leave from a.
    let text = "game mine heaps c a b move take t from c then put t on b \
                move take t from b then put t on a move take from a";
    let games = found(text, &["staircase_nim", "nim"]);
    assert_eq!(claims(&games), ["same as staircase_nim(n = 3)"]);
}

/// A largest amount that no heap of the box reaches is no agreement.
#[test]
fn what_the_box_does_not_reach_is_left_out() {
    let text = "game mine heaps a b move take from one heap";
    assert_eq!(claims(&found(text, &["subtraction_range"])), [""; 0]);
}

#[test]
fn other_moves_with_the_same_outcomes_are_told_from_the_same_moves() {
    // The values are those modulo 3, as if 1 or 2 were taken.
    let text = "game mine heaps a b move take {1, 2, 4} from one heap";
    let games = found(text, &["subtraction_range"]);
    assert_eq!(games[0].agreement, Agreement::Outcome);
    assert_eq!(
        claims(&games),
        ["same outcome as subtraction_range(k = 2, piles = 2)"]
    );
    assert!(!are_proved(&games), "outcomes are compared in a box");
}

#[test]
fn bags_are_compared_in_a_box() {
    let text = "game mine heaps any number move take 1..2 from one heap leaving 0..2 heaps";
    let games = found(text, &["kayles", "octal", "dawsons_kayles"]);
    assert_eq!(
        claims(&games),
        [
            "same as kayles under (h for h in heaps)",
            "same as octal under (h for h in heaps)",
        ]
    );
}

#[test]
fn tokens_and_partizan_games_are_refused() {
    for text in [
        "game mine board digraph { 0 -> 1 } tokens 1 move slide one token",
        "game mine heaps a move left take 1 from a move right take 2 from a",
    ] {
        let game = game(text);
        let session = Session::new(&game, Limits::of_memory(1 << 28));
        let refused = session.same_games(&[], &read).expect_err("not heaps");
        assert!(refused.to_string().contains("impartial"), "{refused}");
    }
}
