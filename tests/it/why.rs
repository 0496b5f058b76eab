//! `why`: the moves and replies that it names are those that win.

use crate::cli::nimrule;
use crate::game_files::shipped;
use nimrule::{Game, Outcome};
use nimrule_fixtures::{Numbers, few_or_many, shipped_names};
use serde_json::Value;

fn why(file: &str, position: &str) -> Option<Value> {
    let output = nimrule(["why", file, position, "--format", "json", "--all"]);
    output
        .status
        .success()
        .then(|| serde_json::from_slice(&output.stdout).expect("the answer is JSON"))
}

/// A random position with few tokens, as text; `None` in games without heaps.
fn random_position(game: &Game, numbers: &mut Numbers) -> Option<String> {
    let heaps = game.heaps().len();
    let most = match heaps {
        0 => return None,
        1..=3 => 9,
        4..=6 => 3,
        7..=12 => 2,
        _ => 1,
    };
    (0..50).find_map(|_| {
        let sizes: Vec<String> = (0..heaps)
            .map(|_| numbers.below(most + 1).to_string())
            .collect();
        let written = format!("({})", sizes.join(","));
        game.position(&written).ok().map(|_| written)
    })
}

#[test]
fn replies_and_winning_moves_win() {
    let mut numbers = Numbers::new(17);
    let (mut replies, mut winning) = (0, 0);
    for name in shipped_names() {
        let game = shipped(&name);
        for _ in 0..few_or_many(1, 2) {
            let Some(written) = random_position(&game, &mut numbers) else {
                continue;
            };
            let Some(answer) = why(&format!("games/{name}.nimrule"), &written) else {
                continue;
            };
            let position = game.position(&written).expect("it was read before");
            let solved = game.solve(&position).expect("the position is small");
            assert_eq!(
                answer["outcome"],
                solved.outcome.to_string(),
                "{name} {written}"
            );
            if solved.by_side.is_some() {
                continue;
            }
            let moves = answer["to_move"][0]["moves"].as_array().expect("moves");
            let outcome = |to: &Value| {
                let sizes: Vec<u64> = serde_json::from_value(to.clone()).expect("sizes");
                game.solve(&sizes).expect("the position is small").outcome
            };
            if solved.outcome == Outcome::N {
                let named: Vec<Vec<u64>> = moves
                    .iter()
                    .map(|one| serde_json::from_value(one["to"].clone()).expect("sizes"))
                    .collect();
                assert_eq!(named, solved.winning_moves, "{name} {written}");
                winning += named.len();
                continue;
            }
            for one in moves {
                assert_eq!(outcome(&one["to"]), Outcome::N, "{name} {written}: {one}");
                if !one["reply"].is_null() {
                    assert_eq!(outcome(&one["reply"]["to"]), Outcome::P, "{name}: {one}");
                    replies += 1;
                }
            }
            // Moves that are alike are counted once each.
            let all: u64 = moves.iter().filter_map(|one| one["alike"].as_u64()).sum();
            let options = nimrule_options(&name, &position);
            assert_eq!(all as usize, options, "{name} {written}");
        }
    }
    assert!(
        replies > few_or_many(20, 50) && winning > few_or_many(25, 60),
        "{replies} replies, {winning} winning moves"
    );
}

/// The number of options of a position, by the definition.
fn nimrule_options(name: &str, position: &[u64]) -> usize {
    let game = nimrule_fixtures::shipped(name, &[]);
    let options = nimrule_definition::options(&game, position, None);
    options.expect("the rule is valid there").len()
}

/// The claim is right at the position, and fails at (0,0,0, 1,1,1).
#[test]
fn a_claim_that_fails_elsewhere_is_no_reason() {
    let edge = std::fs::read_to_string("games/cube_edge.nimrule").expect("the game is there");
    let rule = edge.replace("take from one edge", "take from one vertex");
    let file = std::env::temp_dir().join(format!("nimrule-why-{}.nimrule", std::process::id()));
    std::fs::write(&file, rule).expect("the file can be written");
    let claims = |file: &str| why(file, "(3,4,5, 3,4,5)").expect("an answer")["claims"].clone();
    let changed = claims(file.to_str().expect("the path is a text"));
    std::fs::remove_file(&file).expect("the file can be removed");
    assert_eq!(changed, serde_json::json!([]));
    let original = claims("games/cube_edge.nimrule");
    assert_eq!(original[0]["claim"], "P iff a ^ A == b ^ B == c ^ C");
}
