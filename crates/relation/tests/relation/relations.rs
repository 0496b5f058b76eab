//! Finite relations: the fast algorithms compared with the definition.

use nimrule_relation::kernels::{
    Cogame, Count, Kernels, Minimality, first_inconsistency, isomorphism_classes,
};
use nimrule_relation::natural::Natural;
use nimrule_relation::values::{self, Value, Values};
use nimrule_relation::{
    BuildError, Class, Label, Relation, Reverse, Side, Terminal, by_definition, retrograde, sides,
};
use proptest::prelude::*;
use std::convert::Infallible;

fn relation(states: usize, arcs: &[(usize, usize)]) -> Relation {
    Relation::build(states, |state, visit| {
        for (from, to) in arcs {
            if *from == state as usize {
                visit(*to as u32);
            }
        }
        Ok::<(), Infallible>(())
    })
    .expect("small relations fit")
}

fn unhurried() -> Result<(), Infallible> {
    Ok(())
}

/// A relation of up to a dozen states, with arcs anywhere or one way only.
fn relations() -> impl Strategy<Value = Relation> {
    (1..13_usize, 0..3_u8).prop_flat_map(|(states, order)| {
        prop::collection::vec((0..states, 0..states), 0..3 * states).prop_map(move |mut arcs| {
            if order > 0 {
                arcs.retain(|(from, to)| from != to);
            }
            for (from, to) in &mut arcs {
                if (order == 1 && *from < *to) || (order == 2 && *from > *to) {
                    std::mem::swap(from, to);
                }
            }
            relation(states, &arcs)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn retrograde_analysis_is_the_definition(relation in relations()) {
        for stuck in [Terminal::Loses, Terminal::Wins] {
            let truth = by_definition::labels(&relation, stuck);
            let Ok(backwards) = retrograde(&relation.reverse(), stuck, &mut unhurried);
            prop_assert_eq!(backwards.iter().collect::<Vec<_>>(), truth.clone());
            let Ok(chosen) = relation.labels(stuck, &mut unhurried);
            prop_assert_eq!(chosen.iter().collect::<Vec<_>>(), truth);
        }
    }

    #[test]
    fn two_sides_are_a_relation_of_turns(left in relations(), right in relations()) {
        let states = left.states().min(right.states());
        let of = |side| if side == Side::Left { &left } else { &right };
        let keep = |state: u32, side, visit: &mut dyn FnMut(u32)| {
            for to in of(side).from(state as usize) {
                if (*to as usize) < states {
                    visit(*to);
                }
            }
            Ok::<(), Infallible>(())
        };
        let mut turns = Vec::new();
        for state in 0..states {
            for (number, side) in [Side::Left, Side::Right].into_iter().enumerate() {
                for to in of(side).from(state).iter().filter(|to| (**to as usize) < states) {
                    turns.push((number * states + state, (1 - number) * states + *to as usize));
                }
            }
        }
        let turns = relation(2 * states, &turns);
        for stuck in [Terminal::Loses, Terminal::Wins] {
            let truth = by_definition::labels(&turns, stuck);
            let labels = sides::label(states, keep, stuck, &mut unhurried).expect("it fits");
            prop_assert_eq!(labels.len(), states);
            for state in 0..states {
                prop_assert_eq!(labels.of(state, Side::Left), truth[state]);
                prop_assert_eq!(labels.of(state, Side::Right), truth[states + state]);
            }
        }
    }
}

#[test]
fn remoteness_agrees_with_the_definition() {
    // 5 can win at once by 0 or late by 4; 4 can hold out by 3.
    let play = relation(6, &[(1, 0), (2, 1), (3, 2), (4, 1), (4, 3), (5, 4), (5, 0)]);
    let truth = [
        Label::Lose(0),
        Label::Win(1),
        Label::Lose(2),
        Label::Win(3),
        Label::Lose(4),
        Label::Win(1),
    ];
    let Ok(labels) = play.labels(Terminal::Loses, &mut unhurried);
    assert_eq!(labels.iter().collect::<Vec<_>>(), truth);
    assert_eq!(by_definition::labels(&play, Terminal::Loses), truth);
}

#[test]
fn outcome_classes_follow_from_both_players() {
    // Left can move from 0 to 2, Right from 1 to 2, both from 3 to 2; 4 is a
    // circle for both.
    let arcs = |state: u32, side, visit: &mut dyn FnMut(u32)| {
        match (state, side) {
            (0, Side::Left) | (1, Side::Right) | (3, _) => visit(2),
            (4, _) => visit(4),
            _ => {}
        }
        Ok::<(), Infallible>(())
    };
    let labels = sides::label(5, arcs, Terminal::Loses, &mut unhurried).expect("it fits");
    let classes: Vec<Class> = (0..5).map(|state| labels.class(state)).collect();
    assert_eq!(classes, [Class::L, Class::R, Class::P, Class::N, Class::D]);
}

#[test]
fn errors_of_callbacks_are_returned() {
    let failing = Reverse::build(3, |state, _| if state == 2 { Err("no") } else { Ok(()) });
    assert_eq!(failing.expect_err("it fails"), BuildError::Source("no"));
    // Many arcs, so that there is a pause at all.
    let many = Relation::build(2_000, |state, visit| {
        (0..state).for_each(visit);
        Ok::<(), Infallible>(())
    })
    .expect("it fits");
    let late = retrograde(&many.reverse(), Terminal::Loses, &mut || Err("late"));
    assert_eq!(late.err(), Some("late"));
}

/// All consistent labellings, each looked at by itself.
fn labellings(relation: &Relation) -> Vec<Vec<bool>> {
    let states = relation.states();
    (0..1_u32 << states)
        .map(|bits| (0..states).map(|state| bits >> state & 1 == 1).collect())
        .filter(|lost: &Vec<bool>| {
            (0..states).all(|state| {
                let leads_to_lost = relation.from(state).iter().any(|to| lost[*to as usize]);
                lost[state] != leads_to_lost
            })
        })
        .collect()
}

/// Do the rules of these states contradict each other, whatever all states are?
fn contradict(relation: &Relation, rules: &[usize]) -> bool {
    (0..1_u32 << relation.states()).all(|bits| {
        let lost = |state: usize| bits >> state & 1 == 1;
        rules.iter().any(|state| {
            let leads_to_lost = relation.from(*state).iter().any(|to| lost(*to as usize));
            lost(*state) == leads_to_lost
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn structures_are_what_looking_at_every_labelling_finds(relation in relations()) {
        let all = labellings(&relation);
        let Ok(kernels) = Kernels::new(&relation, &mut unhurried);
        let Ok(count) = kernels.count(&mut unhurried);
        prop_assert_eq!(count, Count::Exactly(Natural::from(all.len() as u64)));
        let Ok((mut some, finished)) = kernels.find(10_000, &mut unhurried);
        prop_assert!(finished);
        some.sort();
        let mut sorted = all.clone();
        sorted.sort();
        prop_assert_eq!(some, sorted);
        for lost in &all {
            prop_assert_eq!(first_inconsistency(&relation, |state| lost[state]), None);
        }
        let reverse = relation.reverse();
        let from_nowhere = |lost: &Vec<bool>, state: usize| {
            !lost[state] && !reverse.before(state).iter().any(|from| lost[*from as usize])
        };
        let Ok(cogame) = kernels.cogame(&mut unhurried);
        match cogame.expect("it is small") {
            Cogame::NoKernel => prop_assert!(all.is_empty()),
            Cogame::Yes => prop_assert!(
                !all.is_empty()
                    && all.iter().all(|lost| (0..lost.len()).all(|s| !from_nowhere(lost, s)))
            ),
            Cogame::No { lost, state } => {
                prop_assert!(all.contains(&lost) && from_nowhere(&lost, state));
                let is_first = |lost| !(0..state).any(|smaller| from_nowhere(lost, smaller));
                prop_assert!(all.iter().all(is_first));
            }
        }
        if all.is_empty() {
            let Ok(cause) = kernels.core(&mut unhurried);
            let cause = cause.expect("it is small");
            prop_assert!(contradict(&relation, &cause.states));
            for left_out in &cause.states {
                let others: Vec<usize> =
                    cause.states.iter().copied().filter(|s| s != left_out).collect();
                prop_assert!(!contradict(&relation, &others));
            }
            if cause.minimality == Minimality::Smallest && relation.states() < 8 {
                for bits in 0..1_u32 << relation.states() {
                    if (bits.count_ones() as usize) < cause.states.len() {
                        let some: Vec<usize> =
                            (0..relation.states()).filter(|s| bits >> s & 1 == 1).collect();
                        prop_assert!(!contradict(&relation, &some));
                    }
                }
            }
            prop_assert_eq!(cause.cycle.len() % 2, 1);
            for (at, state) in cause.cycle.iter().enumerate() {
                let next = cause.cycle[(at + 1) % cause.cycle.len()];
                prop_assert!(relation.from(*state).contains(&(next as u32)));
                prop_assert!(cause.states.contains(state));
            }
        }
    }

    #[test]
    fn values_of_sums_tell_who_wins(relation in relations(), picks in prop::collection::vec(0..1000_usize, 2..4)) {
        // The sum of parts of one relation, as a relation of its own.
        let states = relation.states().min(5);
        let part = relation_of(states, |state| {
            relation.from(state).iter().map(|to| *to as usize).filter(|to| *to < states).collect()
        });
        let parts = picks.len();
        let sum = relation_of(states.pow(parts as u32), |place| {
            let mut next = Vec::new();
            for at in 0..parts {
                let stride = states.pow(at as u32);
                let state = place / stride % states;
                for to in part.from(state) {
                    next.push(place - state * stride + *to as usize * stride);
                }
            }
            next
        });
        let Ok(labels) = sum.labels(Terminal::Loses, &mut unhurried);
        let Ok(values) = Values::of_relation(&part, &mut unhurried);
        for place in 0..sum.states() {
            let value = values::sum(
                (0..parts).map(|at| values.of(&part, place / states.pow(at as u32) % states)),
            );
            let told = match value {
                Value::Finite(0) => "P",
                Value::Finite(_) => "N",
                Value::Loopy(options) if options.contains(&0) => "N",
                Value::Loopy(_) => "D",
            };
            let so = match labels.of(place) {
                Label::Lose(_) => "P",
                Label::Win(_) => "N",
                Label::Draw => "D",
            };
            prop_assert_eq!(told, so);
        }
    }
}

fn relation_of(states: usize, options: impl Fn(usize) -> Vec<usize>) -> Relation {
    Relation::build(states, |state, visit| {
        options(state as usize)
            .into_iter()
            .for_each(|to| visit(to as u32));
        Ok::<(), Infallible>(())
    })
    .expect("small relations fit")
}

#[test]
fn many_kernels_are_counted_exactly() {
    // Two hundred circles of two states, and each of three ways in: each
    // circle has two labellings, whatever leads to it.
    let circles = 200;
    let relation = relation_of(3 * circles, |state| match state % 3 {
        0 => vec![state + 1],
        1 => vec![state - 1],
        _ if state > 3 => vec![state - 1, state - 2, state - 4],
        _ => vec![state - 1, state - 2],
    });
    let Ok(kernels) = Kernels::new(&relation, &mut unhurried);
    let Ok(count) = kernels.count(&mut unhurried);
    let mut power = Natural::one();
    for _ in 0..circles {
        power = power.plus(&power);
    }
    assert_eq!(count, Count::Exactly(power.clone()));
    assert_eq!(
        power.to_string(),
        "1606938044258990275541962092341162602522202993782792835301376"
    );
    assert_eq!(power.small(), None);
}

#[test]
fn an_odd_circle_far_from_the_start_is_found() {
    // Even circles before it would be tried again and again by backtracking.
    let even = 60;
    let odd = 2 * even;
    let relation = relation_of(odd + 3, |state| match state {
        _ if state < odd && state % 2 == 0 => vec![state + 1],
        _ if state < odd => vec![state - 1],
        _ if state == odd => vec![odd + 1],
        _ if state == odd + 1 => vec![odd + 2],
        _ => vec![odd],
    });
    let Ok(kernels) = Kernels::new(&relation, &mut unhurried);
    let Ok(count) = kernels.count(&mut unhurried);
    assert_eq!(count, Count::Exactly(Natural::zero()));
    let Ok(cause) = kernels.core(&mut unhurried);
    let cause = cause.expect("it is found");
    assert_eq!(cause.states, [odd, odd + 1, odd + 2]);
    assert_eq!(cause.cycle.len(), 3);
}

#[test]
fn kinds_are_told_apart() {
    // A circle of four has two labellings that a turn carries into each other;
    // with a tail on one state the turn is gone.
    let circle = relation_of(4, |state| vec![(state + 1) % 4]);
    let Ok(kernels) = Kernels::new(&circle, &mut unhurried);
    let Ok((all, _)) = kernels.find(10, &mut unhurried);
    assert_eq!(all.len(), 2);
    let Ok(found) = isomorphism_classes(&circle, &all, &mut unhurried);
    assert_eq!((found.classes, found.ended), (vec![(0, 2)], None));
    let tailed = relation_of(5, |state| {
        vec![if state == 4 { 0 } else { (state + 1) % 4 }]
    });
    let Ok(kernels) = Kernels::new(&tailed, &mut unhurried);
    let Ok((all, _)) = kernels.find(10, &mut unhurried);
    assert_eq!(all.len(), 2);
    let Ok(found) = isomorphism_classes(&tailed, &all, &mut unhurried);
    assert_eq!((found.classes, found.ended), (vec![(0, 1), (1, 1)], None));
}

/// Numbers of any size against those of 128 bits.
#[test]
fn natural_numbers_add_and_multiply() {
    let mut numbers = vec![0, 1, 999_999_999, 1_000_000_000, u64::MAX];
    numbers.extend((0..20).map(|shift| 0x9e37_79b9_7f4a_7c15_u64 >> shift));
    for a in &numbers {
        for b in &numbers {
            let (x, y) = (Natural::from(*a), Natural::from(*b));
            let (a, b) = (u128::from(*a), u128::from(*b));
            assert_eq!(x.plus(&y).to_string(), (a + b).to_string());
            assert_eq!(x.times(&y).to_string(), (a * b).to_string());
        }
        assert_eq!(Natural::from(*a).small(), Some(*a));
    }
}
