//! Random rules: transition relations as formulas compared with the lowered form.

use super::ways_are_moves;
use nimrule_elaborate::Settings;
use nimrule_model::game::Game;
use nimrule_model::source::Source;

/// How many, unless the environment says otherwise.
const RULES: u64 = 60;

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn in_half(&mut self, words: &str) -> String {
        if self.below(2) == 0 {
            words.to_owned()
        } else {
            String::new()
        }
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

fn rule(chance: &mut Chance) -> String {
    let board = chance.one(BOARDS);
    let mut text = format!("game made_up\n{board}\n");
    let from: &[&str] = if board.contains("shrinking") {
        FROM_NEIGHBOURS
    } else {
        FROM_HEAPS
    };
    for _ in 0..=chance.below(2) {
        let guard = format!("when {} ", chance.one(CONDITIONS));
        let guard = chance.in_half(&guard);
        let step = |chance: &mut Chance| {
            let equal = chance.below(6) == 0;
            let amount = if equal { "equal" } else { chance.one(AMOUNTS) };
            let condition = if chance.below(3) == 0 {
                chance.one(CONDITIONS)
            } else {
                chance.one(OF_AMOUNTS)
            };
            let condition = chance.in_half(&format!(" where {condition}"));
            format!("take {amount} from {}{condition}", chance.one(from))
        };
        let first = step(chance);
        let then = chance.one(&[
            "",
            "",
            " then ",
            " then optionally ",
            " then up to 2 times ",
        ]);
        let second = if then.is_empty() {
            String::new()
        } else {
            format!("{then}{}", step(chance))
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
    let mut chance = Chance(0x1234_5678_9abc_def1 ^ rules);
    let mut read = 0;
    for _ in 0..rules {
        let text = rule(&mut chance);
        let source = Source::new("made_up", text.clone());
        let compiled = nimrule::compile(&source, &Settings::new(), &|_| Err(String::new()));
        // Some of these words do not go together.
        let Ok(compiled) = compiled else { continue };
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
