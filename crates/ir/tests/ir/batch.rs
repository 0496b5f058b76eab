//! Batch evaluation compared with the concrete walk of each position.
//!
//! The boxes are of several chunks, cut in different ways, and the rules are
//! made up so that much in them depends on the position: guards, bounds,
//! remainders, second steps. Some divide by zero or worse; then the fault and
//! the position at which it is met must be those of the walk.

use nimrule_engine::{self as engine, Limits, Query, Question, Shape, SolveError, Solver};
use nimrule_fixtures::{Numbers, compiled, few_or_many, for_cases, random_game};
use nimrule_ir::{Stop, Walker};
use nimrule_model::expr::PlacedFault;
use nimrule_model::game::Convention;
use proptest::prelude::*;
use std::ops::ControlFlow;

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// Rules whose walk from a position takes more steps are passed over.
const MOST_STEPS: u64 = 12_000;

/// Why a box is not walked to its end.
enum Stopped {
    By(PlacedFault, Vec<u64>),
    TooLong,
}

/// The value of each place of a box, or 0 for P and 1 for N, by a walk from
/// each position that ends at the first option that is P; `None` for what is no
/// position.
fn by_walking(
    solver: &Solver<'_>,
    shape: &Shape,
    asked: Query,
) -> Result<Vec<Option<u64>>, Stopped> {
    let mut walker = Walker::new(&solver.graph, &[]);
    walker.max_steps = MOST_STEPS;
    let mut values: Vec<Option<u64>> = Vec::with_capacity(shape.len);
    shape.try_each(|position, _| {
        let met = |fault| Stopped::By(fault, position.to_vec());
        if !walker.is_position(position).map_err(met)? {
            values.push(None);
            return Ok(());
        }
        let mut options = Vec::new();
        let mut enough = false;
        let broke = walker
            .options(position, 0, &mut |option, _| {
                let place = shape.place(option).expect("options lie in the box");
                let value = values[place].expect("an option is a position");
                options.push(value);
                enough = asked.question == Question::Outcome && value == 0;
                if enough {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .map_err(|stop| match stop {
                Stop::Fault(fault) => met(fault),
                Stop::LimitExceeded(_) => unreachable!("this walk has no limits"),
            })?;
        if broke && !enough {
            return Err(Stopped::TooLong);
        }
        let value = match asked.question {
            _ if options.is_empty() && asked.convention == Convention::Misere => 1,
            Question::Outcome => u64::from(options.contains(&0)),
            Question::Grundy => mex(&options),
        };
        values.push(Some(value));
        Ok(())
    })?;
    Ok(values)
}

/// The smallest number that is not among these.
fn mex(values: &[u64]) -> u64 {
    (0..)
        .find(|value| !values.contains(value))
        .expect("the list is finite")
}

/// What the table says otherwise than the walk, if anything, and whether the
/// walk met a fault; `None` where the walk takes too long.
fn differs(solver: &Solver<'_>, most: &[u64], asked: Query) -> Option<(Option<String>, bool)> {
    let shape = Shape::new(most).expect("the box is small");
    let walked = by_walking(solver, &shape, asked);
    if let Err(Stopped::TooLong) = walked {
        return None;
    }
    let filled = engine::fill(solver, most, asked, &LIMITS, Some("table"));
    let faulty = walked.is_err();
    let wrong = match (walked, filled) {
        (Err(Stopped::TooLong), _) => None,
        (Err(Stopped::By(fault, position)), filled) => match filled {
            Err(SolveError::Fault {
                fault: other,
                position: at,
            }) if other == fault && at == position => None,
            filled => Some(format!(
                "{:?} instead of {fault:?} at {position:?}",
                filled.map(|table| table.counts())
            )),
        },
        (Ok(_), Err(failure)) => Some(format!("{failure:?} where nothing is wrong")),
        (Ok(values), Ok(table)) => values.iter().enumerate().find_map(|(place, value)| {
            let found = match asked.question {
                Question::Grundy => table.grundy(place),
                Question::Outcome => table.outcome(place).map(|outcome| match outcome {
                    engine::Outcome::P => 0,
                    _ => 1,
                }),
            };
            (found != *value).then(|| format!("{found:?} at {:?}: {value:?}", shape.at(place)))
        }),
    };
    Some((wrong.map(|wrong| format!("{asked:?}: {wrong}")), faulty))
}

fn questions() -> impl Iterator<Item = Query> {
    [Question::Outcome, Question::Grundy]
        .into_iter()
        .flat_map(|question| {
            [Convention::Normal, Convention::Misere].map(|convention| Query {
                question,
                convention,
            })
        })
}

/// Boxes of several chunks: of long rows, of short ones, and uneven.
fn box_for(heaps: usize, numbers: &mut Numbers) -> Vec<u64> {
    let boxes: &[&[u64]] = match heaps {
        1 => &[&[600], &[256], &[255]],
        2 => &[&[25, 25], &[2, 300], &[300, 2], &[16, 15], &[40, 17]],
        3 => &[
            &[8, 8, 8],
            &[3, 2, 90],
            &[1, 15, 16],
            &[5, 14, 9],
            &[60, 3, 3],
        ],
        _ => &[&[4, 4, 4, 4], &[1, 2, 6, 20], &[3, 5, 5, 5]],
    };
    let mut most = boxes[numbers.below(boxes.len() as u64) as usize].to_vec();
    most.resize(heaps, 1);
    most
}

struct Words<'n>(&'n mut Numbers);

impl Words<'_> {
    fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.0.below(list.len() as u64) as usize]
    }

    fn once_in(&mut self, times: u64) -> bool {
        self.0.below(times) == 0
    }

    /// A number, read off the position or what is known of the move.
    fn number(&mut self, known: &[&'static str], depth: u64) -> String {
        if depth > 0 && self.once_in(2) {
            let left = self.number(known, depth - 1);
            let right = self.number(known, depth - 1);
            let plain = ["+", "-", "*"];
            let risky = ["div", "mod", "^"];
            return match self.0.below(12) {
                0..=6 => format!("({left} {} {right})", self.one_of(&plain)),
                7 => format!("({left} {} {right})", self.one_of(&risky)),
                8 => format!("max({left}, {right})"),
                9 => format!("(if {left} < {right} then {left} else {right})"),
                10 => format!("(let n = {left} in n + n * {right})"),
                _ => format!("({left} {} 3)", self.one_of(&["div", "mod"])),
            };
        }
        if !known.is_empty() && self.once_in(3) {
            return self.one_of(known).to_owned();
        }
        let numbers = [
            "0",
            "1",
            "2",
            "5",
            "heaps[1]",
            "heaps[H]",
            "max(heaps)",
            "min(heaps)",
            "sum(heaps)",
            "xor(heaps)",
            "count(h in heaps where h > 2)",
            "sum(h in heaps where h mod 2 == 0)",
            "max(heaps[1], 2)",
        ];
        let rare = [
            "max(h in heaps where h > 1)",
            "isqrt(heaps[1] - 1)",
            "heaps[heaps[1] mod 2 + 1]",
            "digit(2, 1, heaps[H])",
            "carryless(3, heaps)",
            "9223372036854775807",
            "min(k * k for k in 1..heaps[1] where k > 1)",
        ];
        if self.once_in(9) {
            self.one_of(&rare).to_owned()
        } else {
            self.one_of(&numbers).to_owned()
        }
    }

    fn condition(&mut self, known: &[&'static str], depth: u64) -> String {
        if depth > 0 && self.once_in(3) {
            let left = self.condition(known, depth - 1);
            let right = self.condition(known, depth - 1);
            return match self.0.below(5) {
                0 => format!("({left} and {right})"),
                1 => format!("({left} or {right})"),
                2 => format!("not ({left})"),
                3 => format!("(if {left} then {right} else {left})"),
                _ => format!("(exists y in 1..3: (y < 3 and {left}))"),
            };
        }
        let left = self.number(known, 1);
        let right = self.number(known, 2);
        match self.0.below(14) {
            0 => format!("{left} in {{1, 4, {right}}}"),
            1 => format!("{left} in {right}..{right} + 3"),
            2 => format!("{left} in squares"),
            3 => format!("(forall y in heaps: y <= {right} + 4)"),
            4 => format!("(exists y in heaps, z in heaps: y + z == {left})"),
            5 => "distinct(heaps)".to_owned(),
            6 => format!("{left} in powers(2)"),
            _ => {
                let order = self.one_of(&["==", "!=", "<", "<=", ">", ">="]);
                format!("{left} {order} {right}")
            }
        }
    }

    fn take(&mut self, known: &mut Vec<&'static str>, step: usize, heaps: usize) -> String {
        let (t, p) = [("t", "p"), ("u", "q")][step];
        let several: &[&str] = match heaps {
            1 => &["one heap", "heaps[1]"],
            _ => &[
                "one heap",
                "one heap",
                "one heap",
                "heaps[1]",
                "heaps[H]",
                "heaps[heaps[1] mod H + 1]",
                "up to 2 heaps",
                "exactly 2 heaps",
            ],
        };
        let again = step > 0 && self.once_in(3);
        let selection = if again { "p" } else { self.one_of(several) };
        let amount = match self.0.below(14) {
            0 => "1..3".to_owned(),
            1 => "{1, 3, 4}".to_owned(),
            2 => "squares".to_owned(),
            3 => format!("1..{}", self.number(known, 1)),
            4 => format!("{{1, {}}}", self.number(known, 1)),
            5 if selection.ends_with("2 heaps") => "equal".to_owned(),
            6 => "powers(3)".to_owned(),
            7 | 8 => String::new(),
            _ => t.to_owned(),
        };
        let mut text = format!("take {amount} from {selection} as {p}");
        if amount == t {
            known.push(t);
        }
        let mut said = known.clone();
        said.push("total");
        said.push("total");
        if selection == "one heap" {
            said.push(p);
        }
        for joint in ["where", "and", "and"] {
            if self.once_in(3) {
                break;
            }
            let condition = match self.0.below(6) {
                0 => format!("total <= {}", self.number(known, 1)),
                1 => format!(
                    "total mod {} == {}",
                    self.number(known, 1),
                    self.number(known, 0)
                ),
                2 => format!("2 * total >= {}", self.number(known, 1)),
                3 => "each <= max(heaps) - 1".to_owned(),
                _ => self.condition(&said, 1),
            };
            text += &format!(" {joint} {condition}");
        }
        text
    }

    fn game(&mut self, heaps: usize) -> String {
        let opening = match self.0.below(5) {
            0 if heaps > 2 => format!("board circle({heaps}) shrinking"),
            1 if heaps > 2 => format!("board row({heaps})"),
            _ => format!("heaps {heaps}"),
        };
        let mut text = format!("game random\n{opening}\n");
        if self.once_in(5) {
            text += &format!("positions where {}\n", self.condition(&[], 1));
        }
        for _ in 0..=self.0.below(2) {
            let mut known = Vec::new();
            text += "move";
            if self.once_in(3) {
                text += &format!(" when {}", self.condition(&[], 1));
            }
            if self.once_in(4) {
                let set = self.one_of(&["1..3", "{1, heaps[1]}", "1..max(heaps)", "heaps"]);
                text += &format!(" for some x in {set}");
                known.push("x");
                if self.once_in(2) {
                    text += &format!(" where {}", self.condition(&known, 0));
                }
            }
            text += &format!("\n  {}", self.take(&mut known, 0, heaps));
            if self.once_in(3) {
                let often = self.one_of(&["", "optionally ", "up to 2 times "]);
                text += &format!("\n  then {often}{}", self.take(&mut known, 1, heaps));
            }
            text += "\n";
        }
        text.replace('H', &heaps.to_string())
    }
}

#[test]
fn batches_agree_with_the_walk_on_random_rules() {
    let made = std::cell::Cell::new((0, 0));
    let cases = few_or_many(120, 300);
    for_cases(cases, any::<u64>(), |seed| {
        let mut numbers = Numbers::new(seed);
        let heaps = 1 + numbers.below(4) as usize;
        let text = Words(&mut numbers).game(heaps);
        let Ok(compiled) = compiled(&text) else {
            return;
        };
        let solver = Solver::new(&compiled.game);
        let most = box_for(heaps, &mut numbers);
        let mut any_fault = false;
        for asked in questions() {
            let Some((wrong, faulty)) = differs(&solver, &most, asked) else {
                return;
            };
            assert_eq!(wrong, None, "to {most:?} in\n{text}");
            any_fault |= faulty;
        }
        let (sound, with_faults) = made.get();
        made.set((
            sound + u32::from(!any_fault),
            with_faults + u32::from(any_fault),
        ));
    });
    let (sound, with_faults) = made.get();
    assert!(
        sound > cases / 5 && with_faults > cases / 20,
        "too few rules of some sort: {made:?}"
    );
}

#[test]
fn batches_agree_with_the_walk_on_random_games() {
    for_cases(few_or_many(40, 60), any::<u64>(), |seed| {
        let text = random_game(seed);
        let Ok(compiled) = compiled(&text) else {
            return;
        };
        let solver = Solver::new(&compiled.game);
        if solver.profile.only_takes.is_err() {
            return;
        }
        let mut numbers = Numbers::new(seed ^ 1);
        let most = box_for(compiled.game.heap_count(), &mut numbers);
        for asked in questions() {
            let differs = differs(&solver, &most, asked);
            let wrong = differs.and_then(|(wrong, _)| wrong);
            assert_eq!(wrong, None, "to {most:?} in\n{text}");
        }
    });
}

/// What a batch does not evaluate falls back to the walk, with all that has
/// been made of the lane until then.
#[test]
fn fallback_lanes_agree_with_the_walk() {
    for condition in [
        "a div -2 > -2",
        "a * 100000000 < 5",
        "isqrt(a * 1000000) < 1500",
        "carryless(3, {a * 2000000000, 7}) < 9",
        "exists x in {a, 3}: x * 100000000 < 5",
        "exists x in 1..2: a div -x > -2",
        "not (a div (1 - a) < -1) and a > 1",
        "a mod 7 == a * 100000000 mod 5",
    ] {
        for rule in [
            format!("heaps a move take 3 from a where {condition} move take 1000 from a"),
            format!("heaps a move take t from a where t <= 3 and {condition} move take 2 from a"),
            format!("heaps a b move take 3 from a where {condition} move take 1..2 from b"),
            format!("heaps a move when {condition} take from a move take 5 from a"),
        ] {
            let text = format!("game g {rule}");
            let compiled = compiled(&text).unwrap_or_else(|codes| panic!("{codes:?}: {text}"));
            let solver = Solver::new(&compiled.game);
            let most: &[u64] = match compiled.game.heap_count() {
                1 => &[600],
                _ => &[40, 17],
            };
            for asked in questions() {
                let differs = differs(&solver, most, asked);
                let (wrong, _) = differs.unwrap_or_else(|| panic!("too long: {text}"));
                assert_eq!(wrong, None, "{text}");
            }
        }
    }
}

/// A fault where the walk would not come to it is none.
#[test]
fn faults_agree_with_the_walk() {
    let cases = [
        // Won before it divides; divided where nothing wins.
        (
            "heaps 2 move take from one heap move when 6 div (heaps[1] - 2) > 0 take 1 from heaps[2]",
            None,
        ),
        (
            "heaps 2 move when 6 div (heaps[1] - 2) > 5 take 1 from heaps[2]",
            Some(vec![2, 0]),
        ),
        (
            "heaps 2 positions where 7 mod (heaps[2] - 4) != 1 move take from one heap",
            Some(vec![0, 0]),
        ),
        (
            "heaps 2 move take t from one heap where t mod (heaps[1] - 3) == 0",
            None,
        ),
    ];
    for (text, expected) in cases {
        let text = format!("game g {text}");
        let compiled = compiled(&text).expect("the text is a game");
        let solver = Solver::new(&compiled.game);
        let most = [20, 20];
        let mut first = None;
        for asked in questions() {
            let (wrong, _) = differs(&solver, &most, asked).expect("the rule is short");
            assert_eq!(wrong, None, "{text}");
            if let Err(SolveError::Fault { position, .. }) =
                engine::fill(&solver, &most, asked, &LIMITS, Some("table"))
            {
                first.get_or_insert(position);
            }
        }
        if let Some(expected) = expected {
            assert_eq!(first, Some(expected), "{text}");
        }
    }
}

/// Conditions that are asked of numbers gathered from many lanes: nim-sums have
/// no value where a part of them is negative, which what is left of the heap is
/// never.
#[test]
fn deferred_guards_agree_with_the_walk() {
    let cases = [
        ("heaps 3", "((h - t) ^ max(heaps)) mod 3 != 0"),
        ("heaps 3", "((h - t) ^ xor(heaps)) < t"),
        (
            "heaps 2 positions where heaps[1] != 7",
            "((h - t) ^ heaps[2]) > 2 or t * t > sum(heaps)",
        ),
        ("heaps 2", "((h - 2 * t) ^ 1) > 2"),
        ("heaps 2", "((heaps[1] - t) ^ 1) > 2"),
        (
            "heaps 2",
            "(t + max(heaps)) mod 3 != 1 or t * t > sum(heaps)",
        ),
        ("heaps 2", "min(heaps) > 0 and t mod min(heaps) == 0"),
        ("heaps 3", "(7 - t) div 3 + h mod 5 > 1"),
        ("heaps 3", "t <= isqrt(sum(heaps))"),
        ("heaps 2", "t * t < isqrt(h * max(heaps)) + digit(2, 1, h)"),
        ("heaps 3", "t <= carryless(3, heaps)"),
        ("heaps 2", "(t + carryless(10, heaps, 4)) mod 3 != 1"),
        ("heaps 3", "digit(3, 1, t + heaps[2]) != 1"),
        ("heaps 3", "t <= heaps[h mod 3 + 1]"),
        ("heaps 3", "sum(heaps) - t in powers(2)"),
        ("heaps 2", "sum(heaps) + t in squares or t mod 3 == 0"),
        ("heaps 3", "sum(heaps) mod t == 0"),
        ("heaps 3", "(forall g in heaps: g mod t == 0) or t == 2"),
    ];
    let of_one = cases.map(|(opening, condition)| {
        format!("game g {opening} move take t from one heap as h where {condition}")
    });
    let of_several = [
        ("heaps 2", "total mod 2 == 1"),
        ("heaps 3", "total mod 3 == max(heaps) mod 4"),
        ("heaps 2", "total >= 3 and total mod (1 + min(heaps)) == 0"),
        ("heaps 3", "(total + max(heaps)) mod 3 != 1"),
        (
            "heaps 2 positions where heaps[1] != 7",
            "t * t > sum(heaps)",
        ),
        ("heaps 2", "total ^ xor(heaps) > 3"),
        ("heaps 3", "each < total - 1 and total * 2 != sum(heaps)"),
        ("heaps 3", "distinct(heaps) or total mod 5 < 2"),
    ];
    let of_several = of_several.map(|(opening, condition)| {
        // A name that nothing reads is no amount.
        let taken = if condition.contains("t *") { "t" } else { "" };
        format!("game g {opening} move take {taken} from up to 2 heaps where {condition}")
    });
    let of_equal = [
        ("heaps 3", "total <= max(heaps) + 1"),
        ("heaps 2", "total mod 4 == 0"),
        ("heaps 3", "each mod 3 == 1 and total < sum(heaps)"),
        ("heaps 2", "sum(heaps) - total in squares"),
    ];
    let of_equal = of_equal.map(|(opening, condition)| {
        format!("game g {opening} move take equal from up to 2 heaps where {condition}")
    });
    for text in of_one.into_iter().chain(of_several).chain(of_equal) {
        let compiled = compiled(&text).unwrap_or_else(|codes| panic!("{codes:?}: {text}"));
        let solver = Solver::new(&compiled.game);
        let most: &[u64] = match compiled.game.heap_count() {
            2 => few_or_many(&[5, 290], &[12, 290]),
            _ => few_or_many(&[5, 12, 17], &[9, 14, 20]),
        };
        for asked in questions() {
            let (wrong, _) = differs(&solver, most, asked).expect("the rule is short");
            assert_eq!(wrong, None, "{text}");
        }
    }
}

/// Conditions on the number whose other terms have few values, so that the allowed numbers
/// come from a table: of several words, under bounds, in second steps, and where a set of
/// numbers does not tell whether its options are positions.
#[test]
fn numbers_from_tables_agree_with_the_walk() {
    let rules = [
        "move take t from one heap where sum(heaps) mod t == 0",
        "move take t from one heap where t >= 3 and (t + max(heaps)) mod 5 != 2",
        "move take t from one heap where t >= 70 and sum(heaps) mod t < 9 move take 1 from one heap",
        "move take t from one heap as h where t <= h div 2 and (h - t) mod 3 != 1",
        "positions where sum(heaps) mod 7 != 3 move take t from one heap where t mod 4 in {1, 2}",
        "move when max(heaps) > 5 take t from one heap where sum(heaps) mod t == 0
         move take t from heaps[1] where t * t mod 5 == 1",
        "move take 1..2 from one heap then optionally take u from one heap
         where (u + sum(heaps)) mod 3 == 1",
        "move take t from one heap as p then take u from p where u != t and u mod 3 != 0",
        "move take t from one heap where (t ^ min(heaps)) mod 3 == 1 or t == max(heaps)",
    ];
    for rule in rules {
        for most in [
            few_or_many(&[2, 3, 70][..], &[4, 5, 100][..]),
            few_or_many(&[90, 2, 2][..], &[100, 4, 3][..]),
            few_or_many(&[4, 70][..], &[9, 100][..]),
        ] {
            let text = format!("game g heaps {} {rule}", most.len());
            let compiled = compiled(&text).unwrap_or_else(|codes| panic!("{codes:?}: {text}"));
            let solver = Solver::new(&compiled.game);
            for asked in questions() {
                let (wrong, _) = differs(&solver, most, asked).expect("the rule is short");
                assert_eq!(wrong, None, "to {most:?}: {text}");
            }
        }
    }
}
