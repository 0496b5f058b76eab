//! Random rules: transition relations as formulas compared with the lowered form.

use super::ways_are_moves;
use nimrule_fixtures::{Numbers, compiled};
use nimrule_model::game::Game;

/// How many, unless the environment says otherwise.
const RULES: u64 = 30;

/// The words in half of the cases, and else none.
fn in_half(numbers: &mut Numbers, words: &str) -> String {
    if numbers.once_in(2) {
        words.to_owned()
    } else {
        String::new()
    }
}

const BOARDS: &[&str] = &[
    "heaps a b c",
    "heaps a b c\npositions where a <= b or c == 0",
    "heaps a b c\npositions where distinct(h in heaps where h > 0)",
    "board circle(3) shrinking",
    "board row(3) shrinking",
    "heaps 3",
];

const CONDITIONS: &[&str] = &[
    "max(heaps) > 2",
    "heaps[1] <= heaps[2]",
    "sum(heaps) mod 2 == 0",
    "heaps[1] + heaps[3] >= heaps[2]",
    "exists x in heaps: x == 2",
    "forall x in heaps: x != 1",
    "(heaps[2] div 2) mod 2 == 1",
    "xor(heaps) > 1",
    "count(x in heaps where x > 0) == 2",
    "let m = min(heaps) in m mod 2 == 0",
    "heaps[3] in {0,2,3}",
    "heaps[1] - heaps[2] <= 1",
];

const AMOUNTS: &[&str] = &["", "1", "slow", "{1,3}", "1..2", "powers(2)", "1..heaps[1]"];

const OF_AMOUNTS: &[&str] = &[
    "total <= 3",
    "total mod 2 == 1",
    "total <= heaps[1]",
    "2 * total > heaps[2]",
    "total in {1,2,4}",
    "each <= 2",
    "total == max(heaps)",
];

const FROM_HEAPS: &[&str] = &["one heap", "up to 2 heaps", "all heaps", "2 heaps"];
const FROM_NEIGHBOURS: &[&str] = &[
    "2 consecutive heaps",
    "up to 2 consecutive heaps",
    "one heap",
];

fn rule(numbers: &mut Numbers) -> String {
    let board = numbers.pick(BOARDS);
    let mut text = format!("game made_up\n{board}\n");
    let from: &[&str] = if board.contains("shrinking") {
        FROM_NEIGHBOURS
    } else {
        FROM_HEAPS
    };
    for _ in 0..=numbers.below(2) {
        let guard = format!("when {} ", numbers.pick(CONDITIONS));
        let guard = in_half(numbers, &guard);
        let step = |numbers: &mut Numbers| {
            let equal = numbers.below(6) == 0;
            let amount = if equal {
                "equal"
            } else {
                *numbers.pick(AMOUNTS)
            };
            let condition = if numbers.below(3) == 0 {
                numbers.pick(CONDITIONS)
            } else {
                numbers.pick(OF_AMOUNTS)
            };
            let condition = in_half(numbers, &format!(" where {condition}"));
            format!("take {amount} from {}{condition}", numbers.pick(from))
        };
        let first = step(numbers);
        let then = numbers.pick(&[
            "",
            "",
            " then ",
            " then optionally ",
            " then up to 2 times ",
        ]);
        let second = if then.is_empty() {
            String::new()
        } else {
            format!("{then}{}", step(numbers))
        };
        text.push_str(&format!("move {guard}{first}{second}\n"));
    }
    text.push_str("claim P iff max(heaps) == 0\n");
    text
}

#[test]
fn random_rules_are_translated_correctly() {
    let rules = std::env::var("NIMRULE_RULES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(RULES);
    let mut numbers = Numbers::new(0x1234_5678_9abc_def1 ^ rules);
    let mut read = 0;
    for _ in 0..rules {
        let text = rule(&mut numbers);
        // Some of these words do not go together.
        let Ok(compiled) = compiled(&text) else {
            continue;
        };
        let game: &Game = &compiled.game;
        let caught = std::panic::catch_unwind(|| ways_are_moves(game, 130, 2));
        match caught {
            Ok(true) => read += 1,
            Ok(false) => {}
            Err(_) => panic!("in this rule:\n{text}"),
        }
    }
    assert!(read * 5 > rules, "of {rules} rules {read} were read");
}
