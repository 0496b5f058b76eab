//! Finite relations: the fast ways beside the definition.

use nimrule::relation::{Failed, Label, Relation, Reverse, Stuck, plain, retrograde, sides};
use nimrule::syntax::ast::{Class, Side};
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
        for stuck in [Stuck::Loses, Stuck::Wins] {
            let truth = plain::labels(&relation, stuck);
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
        for stuck in [Stuck::Loses, Stuck::Wins] {
            let truth = plain::labels(&turns, stuck);
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
fn the_winner_hurries_and_the_loser_holds_out() {
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
    let Ok(labels) = play.labels(Stuck::Loses, &mut unhurried);
    assert_eq!(labels.iter().collect::<Vec<_>>(), truth);
    assert_eq!(plain::labels(&play, Stuck::Loses), truth);
}

#[test]
fn classes_are_read_from_both_turns() {
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
    let labels = sides::label(5, arcs, Stuck::Loses, &mut unhurried).expect("it fits");
    let classes: Vec<Class> = (0..5).map(|state| labels.class(state)).collect();
    assert_eq!(classes, [Class::L, Class::R, Class::P, Class::N, Class::D]);
}

#[test]
fn a_source_that_fails_and_a_pause_that_fails_are_passed_on() {
    let failing = Reverse::build(3, |state, _| if state == 2 { Err("no") } else { Ok(()) });
    assert_eq!(failing.expect_err("it fails"), Failed::Source("no"));
    // Many arcs, so that there is a pause at all.
    let many = Relation::build(2_000, |state, visit| {
        (0..state).for_each(visit);
        Ok::<(), Infallible>(())
    })
    .expect("it fits");
    let late = retrograde(&many.reverse(), Stuck::Loses, &mut || Err("late"));
    assert_eq!(late.err(), Some("late"));
}
