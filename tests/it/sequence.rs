//! Sequences of one heap against loops written out here, against published
//! values and periods, and the theorems against values beyond their bounds.

mod claims;
mod games;
mod period;

use nimrule_limits::{LimitExceeded, Limits};
use nimrule_sequence::{
    CodeErrorKind, ENDLESS, HeapMove, HeapRule, PeriodStatus, Sequence, SequenceError,
    by_definition, explore, find, parse_code, values,
};
use std::time::Instant;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn ways(code: &str) -> Vec<HeapMove> {
    parse_code(code).unwrap_or_else(|fault| panic!("{code}: {fault}"))
}

fn rule(code: &str) -> HeapRule<'static> {
    HeapRule::Moves(ways(code))
}

/// Grundy's game: a heap is broken in two that differ.
fn grundys_game() -> HeapRule<'static> {
    HeapRule::Moves(vec![HeapMove {
        removes: vec![(0, 0)],
        leaves: (2, 2),
        distinct: true,
    }])
}

fn explored(rule: &HeapRule<'_>, to: u64) -> Sequence {
    explore(rule, to, &LIMITS).expect("the limits are wide")
}

/// What is found without a look further than `to`.
fn found(rule: &HeapRule<'_>, to: u64) -> Sequence {
    let values = values(rule, to, &LIMITS).expect("the limits are wide");
    Sequence {
        period: find(&values, rule),
        searched_to: to,
        values,
    }
}

fn mex(options: &[bool]) -> u32 {
    let first = options.iter().position(|reached| !reached);
    first.expect("fewer values than places") as u32
}

/// The values of a code, digit by digit: what the digits mean is written here
/// once more, for at most three heaps left.
fn by_loop(code: &str, to: usize) -> Vec<u32> {
    let endless = code.ends_with("...");
    let digits: Vec<u32> = code
        .trim_end_matches("...")
        .chars()
        .filter_map(|letter| letter.to_digit(16))
        .collect();
    let mut values: Vec<u32> = Vec::new();
    for heap in 0..=to {
        let mut reached = vec![false; 4 * to + 8];
        for removed in 0..=heap {
            let digit = match digits.get(removed) {
                Some(digit) => *digit,
                None if endless => digits[digits.len() - 1],
                None => break,
            };
            let left = heap - removed;
            if digit & 1 != 0 && left == 0 {
                reached[0] = true;
            }
            if digit & 2 != 0 && left > 0 {
                reached[values[left] as usize] = true;
            }
            for first in 1..left {
                if digit & 4 != 0 {
                    reached[(values[first] ^ values[left - first]) as usize] = true;
                }
                if digit & 8 != 0 {
                    for second in first..left - first {
                        let third = left - first - second;
                        let sum = values[first] ^ values[second] ^ values[third];
                        reached[sum as usize] = true;
                    }
                }
            }
        }
        values.push(mex(&reached));
    }
    values
}

#[test]
fn a_thousand_values_of_octal_games() {
    let codes = [
        "0.77", "0.07", "0.137", "0.6", "0.45", "0.16", "0.156", "0.356", "0.165", "0.644",
        "0.007", "0.106", "0.127", "4.3", "4.007", "4.444", "0.7777", "0.04", "0.06", "0.3",
        "0.0033", "0.15", "0.055", "c.1", "4.8",
    ];
    for code in codes {
        assert_eq!(
            explored(&rule(code), 1000).values,
            by_loop(code, 1000),
            "{code}"
        );
    }
}

#[test]
fn three_heaps_and_endless_digits() {
    let codes = [
        "0.8", "0.f", "0.ac", "8.1", "c.37", "0.0008", "0.3...", "4.3...", "0.7...", "0.61...",
        "0.203...", "0.2...", "4.07...", "0.4...", "0.8...", "8.03...", "0.70…",
    ];
    for code in codes {
        let spelt = code.replace('…', "...");
        assert_eq!(
            explored(&rule(code), 250).values,
            by_loop(&spelt, 250),
            "{code}"
        );
    }
}

/// All codes of two digits, with the heaps left free or different; for many
/// the period is proved from few values, and what it fills in is right.
#[test]
fn every_code_of_two_digits() {
    const TO: usize = 400;
    let mut proved = 0;
    for (head, first, second) in [0, 4]
        .iter()
        .flat_map(|head| (0..64).map(move |digits| (head, digits / 8, digits % 8)))
    {
        let code = format!("{head}.{first}{second}");
        let Ok(ways) = parse_code(&code) else {
            assert_eq!(code, "0.00");
            continue;
        };
        let free = found(&HeapRule::Moves(ways.clone()), TO as u64);
        assert_eq!(free.values, by_loop(&code, TO), "{code}");
        let mut unequal = ways;
        for way in &mut unequal {
            way.distinct = true;
        }
        let expected = pairs_by_loop(&unequal, TO);
        let unequal = found(&HeapRule::Moves(unequal), TO as u64);
        assert_eq!(unequal.values, expected, "{code}, unequal");
        for sequence in [free, unequal] {
            let standing = sequence.period.map(|period| period.status);
            if let Some(PeriodStatus::Proved { checked_to, .. }) = standing {
                proved += usize::from(checked_to < TO as u64 / 2);
            }
        }
    }
    assert!(proved > 100, "only {proved} are proved early");
}

/// The values of ways that leave two heaps at most, with one loop for pairs.
fn pairs_by_loop(ways: &[HeapMove], to: usize) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::new();
    for heap in 0..=to {
        let mut reached = vec![false; 2 * to + 8];
        for way in ways {
            let removes = |removed: usize| {
                let removed = removed as u64;
                way.removes
                    .iter()
                    .any(|(a, b)| (*a..=*b).contains(&removed))
            };
            let leaves = |number| (way.leaves.0..=way.leaves.1).contains(&number);
            for removed in (0..=heap).filter(|removed| removes(*removed)) {
                let left = heap - removed;
                if leaves(0) && left == 0 {
                    reached[0] = true;
                }
                if leaves(1) && left > 0 && removed > 0 {
                    reached[values[left] as usize] = true;
                }
                for first in 1..=left / 2 {
                    if leaves(2) && !(way.distinct && 2 * first == left) {
                        reached[(values[first] ^ values[left - first]) as usize] = true;
                    }
                }
            }
        }
        values.push(mex(&reached));
    }
    values
}

/// Long enough for the sparse space to be used, with many rare values, few,
/// and the parity of the size counted with the digits.
#[test]
fn the_sparse_space_is_exact() {
    for code in ["0.6", "0.04", "0.16", "0.106", "4.007", "0.127", "0.0137"] {
        let ways = ways(code);
        let expected = pairs_by_loop(&ways, 2000);
        assert_eq!(
            explored(&HeapRule::Moves(ways), 2000).values,
            expected,
            "{code}"
        );
    }
    let HeapRule::Moves(ways) = grundys_game() else {
        unreachable!("it is written in ways")
    };
    let expected = pairs_by_loop(&ways, 2500);
    assert_eq!(explored(&grundys_game(), 2500).values, expected);
}

fn way(removes: &[(u64, u64)], leaves: (u32, u32), distinct: bool) -> HeapMove {
    HeapMove {
        removes: removes.to_vec(),
        leaves,
        distinct,
    }
}

#[test]
fn ways_that_no_code_can_write() {
    let rules = [
        // Three heaps that differ; up to four; both kinds together.
        vec![way(&[(0, 0)], (3, 3), true)],
        vec![way(&[(0, 2)], (2, 4), true)],
        vec![way(&[(1, 1), (4, ENDLESS)], (0, 4), false)],
        vec![
            way(&[(0, 1)], (2, 2), true),
            way(&[(1, 3)], (2, 3), false),
            way(&[(2, 5)], (0, 1), false),
        ],
        // Any number of heaps.
        vec![way(&[(1, 2)], (0, u32::MAX), false)],
        vec![way(&[(0, 0)], (2, u32::MAX), true)],
        // Equal and unequal pairs with several numbers removed.
        vec![
            way(&[(1, 1), (5, 6)], (2, 2), true),
            way(&[(2, 2), (6, 6)], (1, 2), false),
        ],
        vec![way(&[(3, 90)], (2, 2), true), way(&[(1, 2)], (0, 1), true)],
        vec![
            way(&[(2, ENDLESS)], (2, 2), true),
            way(&[(1, 1)], (0, 1), true),
        ],
        // Taking: a set with gaps, runs that touch, all but some.
        vec![way(
            &[(1, 1), (4, 4), (9, 9), (16, 16), (25, 25)],
            (0, 1),
            false,
        )],
        vec![
            way(&[(2, 4), (5, 6)], (0, 1), false),
            way(&[(11, 13)], (1, 1), false),
        ],
        vec![way(&[(1, 1), (3, 4), (8, ENDLESS)], (0, 1), false)],
        vec![
            way(&[(5, ENDLESS)], (0, 0), false),
            way(&[(1, 3)], (1, 1), false),
        ],
        // No move at all, and none that changes a heap.
        vec![],
        vec![way(&[(0, 0)], (0, 1), false)],
    ];
    for ways in rules {
        let to = if ways.iter().any(|w| w.leaves.1 > 4) {
            24
        } else {
            90
        };
        let expected = by_definition(&ways, to);
        assert_eq!(
            values(&HeapRule::Moves(ways.clone()), to, &LIMITS),
            Ok(expected.clone()),
            "{ways:?}"
        );
        // The same rule as a list of options.
        let listed = HeapRule::Listed(Box::new(|heap, each| {
            for way in &ways {
                for (least, most) in &way.removes {
                    for removed in (*least..=*most).take_while(|removed| *removed <= heap) {
                        list(heap - removed, &mut Vec::new(), way, removed, each);
                    }
                }
            }
            Ok(())
        }));
        assert_eq!(
            values(&listed, to, &LIMITS),
            Ok(expected),
            "{ways:?} listed"
        );
    }
}

/// Lists the ways to leave `rest` tokens in heaps that do not descend.
fn list(
    rest: u64,
    before: &mut Vec<u64>,
    way: &HeapMove,
    removed: u64,
    each: &mut dyn FnMut(&[u64]),
) {
    let number = before.len() as u32;
    let stands_still = removed == 0 && number == 1;
    if rest == 0 && (way.leaves.0..=way.leaves.1).contains(&number) && !stands_still {
        each(before);
    }
    if number < way.leaves.1 {
        let last = before.last().copied().unwrap_or(0);
        let least = if way.distinct { last + 1 } else { last.max(1) };
        for part in least..=rest {
            before.push(part);
            list(rest - part, before, way, removed, each);
            before.pop();
        }
    }
}

/// From the On-Line Encyclopedia of Integer Sequences.
#[test]
fn published_values() {
    let published: [(HeapRule<'_>, &[u32]); 4] = [
        // A002186, Kayles.
        (
            rule("0.77"),
            &[
                0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4, 1, 2, 8,
                5, 4, 7, 2, 1, 8, 6, 7, 4, 1, 2, 3, 1, 4, 7, 2, 1, 8, 2, 7, 4, 1, 2, 8, 1, 4, 7, 2,
                1, 4, 2, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 6, 7, 4, 1, 2, 8,
            ],
        ),
        // A002187, Dawson's chess.
        (
            rule("0.137"),
            &[
                0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1,
                0, 4, 5, 2, 7, 4, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 2, 3, 3, 0, 1,
            ],
        ),
        // A002188, Grundy's game.
        (
            grundys_game(),
            &[
                0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4,
                1, 2, 3, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 5, 4, 1, 5, 4, 1, 5, 4, 1, 0, 2, 1, 0, 2, 1,
                5, 2, 1, 3, 2, 1, 3, 2, 4, 3, 2, 4, 3, 2, 4, 3, 2, 4, 3, 2, 4, 3, 2, 4, 5, 2, 4, 5,
            ],
        ),
        // A071074, Double Kayles.
        (
            rule("0.7777"),
            &[
                0, 1, 2, 3, 4, 5, 6, 7, 3, 2, 8, 9, 7, 6, 5, 4, 3, 2, 8, 9, 4, 5, 12, 13, 9, 8, 2,
                3, 4, 5, 15, 14, 3, 2, 8, 9, 7, 6, 5, 4, 3, 2, 8, 9, 13, 12, 15, 14, 9, 8, 2, 3, 4,
            ],
        ),
    ];
    for (rule, published) in published {
        let to = published.len() as u64 - 1;
        assert_eq!(values(&rule, to, &LIMITS).as_deref(), Ok(published));
    }
}

#[test]
fn limits_are_kept() {
    let small = Limits::of_memory(1 << 20);
    let needed = values(&rule("0.77"), u64::MAX, &small);
    assert!(matches!(
        needed,
        Err(SequenceError::LimitExceeded(LimitExceeded::Memory { .. }))
    ));
    let many = values(&rule("0.8"), 3000, &small);
    assert!(matches!(
        many,
        Err(SequenceError::LimitExceeded(LimitExceeded::Memory { .. }))
    ));
    let late = Limits {
        deadline: Some(Instant::now()),
        ..Limits::of_memory(1 << 30)
    };
    for code in ["0.6", "0.8", "0.123123123123"] {
        assert_eq!(
            values(&rule(code), 100_000, &late),
            Err(SequenceError::LimitExceeded(LimitExceeded::Time))
        );
    }
    let untold = HeapRule::Listed(Box::new(|heap, _| Err(SequenceError::Unlisted { heap })));
    assert_eq!(
        values(&untold, 3, &LIMITS),
        Err(SequenceError::Unlisted { heap: 0 })
    );
    let growing = HeapRule::Listed(Box::new(|heap, each| {
        each(&[heap + 1]);
        Ok(())
    }));
    assert_eq!(
        values(&growing, 3, &LIMITS),
        Err(SequenceError::NotSmaller { heap: 0, left: 1 })
    );
}

#[test]
fn codes_are_read() {
    let single = |number| vec![(number, number)];
    assert_eq!(
        ways("0.137"),
        [
            way(&[(1, 3)], (0, 0), false),
            way(&[(2, 3)], (1, 1), false),
            way(&single(3), (2, 2), false),
        ]
    );
    assert_eq!(ways("0.3..."), [way(&[(1, ENDLESS)], (0, 1), false)]);
    assert_eq!(ways(".77"), [way(&[(1, 2)], (0, 2), false)]);
    assert_eq!(ways("0.F"), ways("0.f"));
    assert_eq!(ways("4.0"), [way(&single(0), (2, 2), false)]);
    assert_eq!(ways("C.0"), [way(&single(0), (2, 3), false)]);
    assert_eq!(
        ways("4.03…"),
        [
            way(&[(2, ENDLESS)], (0, 1), false),
            way(&single(0), (2, 2), false),
        ]
    );
    // An end that does not have the bit is not repeated with it.
    assert_eq!(
        ways("0.12..."),
        [
            way(&single(1), (0, 0), false),
            way(&[(2, ENDLESS)], (1, 1), false),
        ]
    );
}

#[test]
fn faults_of_codes_are_placed() {
    let faults = [
        ("", 0, CodeErrorKind::Empty),
        ("137", 3, CodeErrorKind::NoPoint),
        ("1.37", 0, CodeErrorKind::NullMove('1')),
        ("7.3", 0, CodeErrorKind::NullMove('7')),
        ("x.3", 0, CodeErrorKind::NoDigit('x')),
        ("04.3", 1, CodeErrorKind::LongHead),
        ("0.1g7", 3, CodeErrorKind::NoDigit('g')),
        ("0.1 7", 3, CodeErrorKind::NoDigit(' ')),
        ("0.1.7", 3, CodeErrorKind::SecondPoint),
        ("0.", 2, CodeErrorKind::NothingAfterPoint),
        ("0....", 2, CodeErrorKind::NothingToRepeat),
        ("0.3...3", 6, CodeErrorKind::AfterRepeat),
        ("0.3…3", 6, CodeErrorKind::AfterRepeat),
        ("0.00", 0, CodeErrorKind::NoMove),
        ("0.é", 2, CodeErrorKind::NoDigit('é')),
    ];
    for (text, at, why) in faults {
        let fault = parse_code(text).expect_err(text);
        assert_eq!((fault.at, &fault.kind), (at, &why), "{text}");
        assert!(text.is_char_boundary(fault.at + fault.len), "{text}");
    }
}
