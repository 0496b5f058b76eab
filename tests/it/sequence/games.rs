//! The rule of one heap as it is read off a game, and what follows from it,
//! against the definition; and kinds of heap that leave one another.

use super::{LIMITS, way, ways};
use crate::engines::Truth;
use crate::game_files::label;
use nimrule_engine::{
    Engine, Limits, Query, Question, Solver, heap_sequences, multiset, nim_sum::NimSum,
};
use nimrule_fixtures::{game_files, game_of_file};
use nimrule_ir::HeapRule;
use nimrule_model::game::{Convention, PositionKind};
use nimrule_sequence::{
    KindRule, PeriodStatus, SequenceError, Theorem, by_definition, explore_kinds, reaching_kinds,
};
use std::collections::BTreeSet;

const GRUNDY: Query = Query {
    question: Question::Grundy,
    convention: Convention::Normal,
};

#[test]
fn single_heaps_of_game_files() {
    const TO: u64 = 11;
    let (mut looked_at, mut walked) = (0, 0);
    for path in game_files() {
        let game = &game_of_file(&path);
        if game.has_sides() || game.may_repeat || game.position_kind == PositionKind::Reals {
            continue;
        }
        let solver = Solver::new(game);
        let Ok(rules) = &solver.profile.heap_rules else {
            continue;
        };
        looked_at += 1;
        walked += usize::from(rules.rules.contains(&HeapRule::Other));
        let sequences = heap_sequences::explored(&solver, TO, &LIMITS)
            .unwrap_or_else(|failure| panic!("{}: {failure}", label(&path)));
        let mut truth = Truth::new(&solver.graph, Convention::Normal);
        // In a bag the heaps of each kind; elsewhere each heap.
        let subjects: Vec<usize> = match &game.position_kind {
            PositionKind::Multiset(kinds) => (0..kinds.count() as usize).collect(),
            _ => rules.kind_of_heap.clone(),
        };
        for (subject, kind) in subjects.into_iter().enumerate() {
            for size in 0..=TO {
                let position = match &game.position_kind {
                    PositionKind::Multiset(_) if size == 0 => Vec::new(),
                    PositionKind::Multiset(kinds) => vec![kinds.encode(size, kind)],
                    _ => {
                        let mut position = vec![0; game.heap_count()];
                        position[subject] = size;
                        position
                    }
                };
                assert_eq!(
                    sequences[kind].value(size),
                    Some(truth.value(&position)),
                    "{} at {}",
                    label(&path),
                    game.shown(&position)
                );
            }
        }
    }
    assert!(looked_at > 20, "only {looked_at} games");
    assert!(walked > 3, "only {walked} games have to be walked");
}

#[test]
fn multisets_are_sums_of_their_heaps() {
    let mut bags = 0;
    for path in game_files() {
        let game = &game_of_file(&path);
        let PositionKind::Multiset(kinds) = &game.position_kind else {
            continue;
        };
        let solver = Solver::new(game);
        if NimSum.supports(&solver, GRUNDY).is_err() {
            continue;
        }
        bags += 1;
        let tokens = if kinds.names.is_empty() { 9 } else { 6 };
        let positions = multiset::positions(&solver, kinds, tokens, &Limits::of_memory(1 << 30))
            .expect("no time limit")
            .positions;
        let mut truth = Truth::new(&solver.graph, Convention::Normal);
        for position in &positions {
            let mut lookup = NimSum
                .lookup(&solver, position, GRUNDY, &LIMITS)
                .expect("the limits are wide");
            let place = format!("{} at {}", label(&path), game.shown(position));
            assert_eq!(lookup.value(position), Ok(truth.value(position)), "{place}");
            let winning = lookup.winning_moves(&solver, position, &LIMITS);
            assert_eq!(winning, Ok(truth.winning_moves(position)), "{place}");
            // In a sum with a heap of 3 in Nim other moves win.
            let against = lookup.moves_to(3, &solver, position, &LIMITS);
            let options = nimrule_ir::moves(&solver.graph, position).expect("no fault");
            let worth_3: BTreeSet<Vec<u64>> = options
                .into_iter()
                .filter(|option| truth.value(option) == 3)
                .collect();
            assert_eq!(against, Ok(worth_3.into_iter().collect()), "{place}");
        }
    }
    assert!(bags > 10, "only {bags} bags");
}

/// All in one: the same moves within one kind, and through two copies of it.
#[test]
fn kinds_that_mirror_each_other_are_one() {
    let codes = ["0.77", "0.137", "4.3", "0.ac", "0.333", "4.07..."];
    for code in codes {
        let ways = ways(code);
        let to = 200;
        let expected = by_definition(&ways, to);
        let into = |kind: usize| ways.iter().map(|way| (way.clone(), kind)).collect();
        // Each kind leaves the other.
        let crossed = [KindRule::Moves(into(1)), KindRule::Moves(into(0))];
        for sequence in explore_kinds(&crossed, to, &LIMITS).expect("the limits are wide") {
            assert_eq!(sequence.values, expected, "{code} crossed");
            let standing = sequence.period.map(|period| period.status);
            assert!(
                !matches!(standing, Some(PeriodStatus::Proved { .. })),
                "{code}"
            );
        }
        // The first leaves the second, which stays as it is.
        let led = [KindRule::Moves(into(1)), KindRule::Moves(into(1))];
        for sequence in explore_kinds(&led, to, &LIMITS).expect("the limits are wide") {
            assert_eq!(sequence.values, expected, "{code} led");
        }
    }
}

#[test]
fn what_follows_from_the_heaps_left_is_proved() {
    // A ring that its first move breaks into a row.
    let ring = |ways: &[nimrule_sequence::HeapMove]| {
        let broken = ways.iter().map(|way| {
            let mut way = way.clone();
            way.leaves.1 = way.leaves.1.min(1);
            (way, 1)
        });
        KindRule::Moves(broken.collect())
    };
    let row = |ways: &[nimrule_sequence::HeapMove]| {
        KindRule::Moves(ways.iter().map(|way| (way.clone(), 1)).collect())
    };
    for code in ["0.77", "0.137", "0.07", "0.777", "0.7777"] {
        let ways = ways(code);
        let rules = [ring(&ways), row(&ways)];
        let sequences = explore_kinds(&rules, 12, &LIMITS).expect("the limits are wide");
        let found = sequences[0].period.clone().expect("a period");
        let PeriodStatus::Proved { theorem, .. } = found.status else {
            panic!("{code}: only seen");
        };
        let expected = match code {
            "0.777" => Theorem::EqualHeaps,
            _ => Theorem::OtherKinds,
        };
        assert_eq!(theorem, expected, "{code}");
        // Far beyond: from the values of the row.
        let far = explore_kinds(&rules, 700, &LIMITS).expect("the limits are wide");
        assert_eq!(far[0].values.len(), 701);
        let reaching = reaching_kinds(&rules, 700, &LIMITS).expect("the limits are wide");
        let row = by_definition(&ways, 700);
        for heap in 0..=700_usize {
            let mut reached = [false; 20];
            for way in &ways {
                for (least, most) in &way.removes {
                    for removed in (*least as usize..=*most as usize).filter(|r| *r <= heap) {
                        let left = heap - removed;
                        if left == 0 && way.leaves.0 == 0 {
                            reached[0] = true;
                        }
                        if left > 0
                            && (way.leaves.0..=way.leaves.1.min(1)).contains(&1)
                            && let Some(place) = reached.get_mut(row[left] as usize)
                        {
                            *place = true;
                        }
                    }
                }
            }
            let mex = reached
                .iter()
                .position(|reached| !reached)
                .expect("few moves");
            assert_eq!(far[0].values[heap] as usize, mex, "{code} at {heap}");
            assert_eq!(reaching[0].value(heap as u64), Some(mex as u64), "{code}");
        }
        let relation = |n: u64| {
            let (n, p) = (n as usize, found.period as usize);
            far[0].values[n] == far[0].values[n + p]
        };
        assert!((found.preperiod..300).all(relation), "{code}");
        assert!(
            found.preperiod == 0 || !relation(found.preperiod - 1),
            "{code}"
        );
    }
}

/// What is called with the heaps that a move leaves, each a kind and a size.
type Each<'a> = &'a mut dyn FnMut(&[(usize, u64)]);

#[test]
fn kinds_that_are_listed() {
    let listed = |other: usize| {
        KindRule::Listed(Box::new(move |size, each: Each<'_>| {
            for removed in 1..=size.min(2) {
                each(&[(other, size - removed)]);
            }
            Ok(())
        }))
    };
    let rules = [listed(1), listed(0)];
    let sequences = explore_kinds(&rules, 50, &LIMITS).expect("the limits are wide");
    let expected = by_definition(&[way(&[(1, 2)], (0, 1), false)], 50);
    assert_eq!(sequences[0].values, expected);
    assert_eq!(sequences[1].values, expected);
    let growing = KindRule::Listed(Box::new(|size, each: Each<'_>| {
        each(&[(0, size)]);
        Ok(())
    }));
    let failed = explore_kinds(&[growing, listed(0)], 5, &LIMITS);
    assert_eq!(failed, Err(SequenceError::NotSmaller { heap: 0, left: 0 }));
}

/// Squares are listed only as far as they are asked for, so that nothing may be
/// concluded beyond.
#[test]
fn squares_prove_nothing() {
    let path = game_files()
        .into_iter()
        .find(|path| path.ends_with("subtraction_squares.nimrule"))
        .expect("it ships");
    let game = game_of_file(&path);
    let solver = Solver::new(&game);
    let short = heap_sequences::explored(&solver, 24, &LIMITS).expect("the limits are wide");
    let long = heap_sequences::explored(&solver, 400, &LIMITS).expect("the limits are wide");
    assert_eq!(short[0].values, long[0].values[..25]);
    assert_eq!(short[0].searched_to, 24);
    assert!(!short[0].is_proved() && !long[0].is_proved());
}
