//! A closed form of the P-positions of seven heaps in a circle, three
//! neighbours, held against the automaton that the rule alone gives.

use super::*;
use crate::residual_learning::{Growth, grow};
use nimrule_automata::inclusion::Inclusion;
use nimrule_automata::levelled::{LevelledDfa, REJECT, Universality};
use std::collections::BTreeMap;

/// A form that must be 0, or must not be positive.
type Condition = ([i64; 7], bool);

/// The positions that meet linear conditions: the state after a
/// prefix is the value of each form, up to where its sign is settled.
fn linear(conditions: &[Condition]) -> LevelledDfa {
    let step = |values: &[i64], letter: usize| -> Option<Vec<i64>> {
        let after = conditions.iter().zip(values).map(|((form, zero), value)| {
            let digits = (0..7)
                .filter(|heap| letter >> heap & 1 != 0)
                .map(|heap| form[heap]);
            let least: i64 = form.iter().filter(|&&one| one < 0).sum();
            let most: i64 = form.iter().filter(|&&one| one > 0).sum();
            let value = (2 * value + digits.sum::<i64>()).clamp(-most, -least);
            let settled = value == -least && least < 0 || *zero && value == -most && most > 0;
            (!settled).then_some(value)
        });
        after.collect()
    };
    let mut known = BTreeMap::from([(vec![0; conditions.len()], 1)]);
    let mut order = vec![vec![0; conditions.len()]];
    let mut next = vec![0; 128];
    let mut index = 0;
    while index < order.len() {
        for letter in 0..128 {
            let to = step(&order[index], letter).map_or(0, |values| {
                let fresh = order.len() as u32 + 1;
                *known.entry(values.clone()).or_insert_with(|| {
                    order.push(values);
                    fresh
                })
            });
            next.push(to);
        }
        index += 1;
    }
    let meets = |values: &Vec<i64>| {
        let met = |(&(_, zero), &value): (&Condition, &i64)| value == 0 || !zero && value < 0;
        conditions.iter().zip(values).all(met)
    };
    let accepting = std::iter::once(false)
        .chain(order.iter().map(meets))
        .collect();
    let table = TableDfa {
        tracks: 7,
        base: 2,
        start: 1,
        output: accepting,
        next,
    };
    LevelledDfa::from_table(&table)
        .minimised(&LIMITS)
        .expect("within the limits")
}

#[test]
fn seven_in_a_circle_three_neighbours() {
    let rule = boards::circle(7, 3, false).expect("a rule of this class");
    let growth = Growth {
        base: 2,
        depth: 2,
        most: 1000,
    };
    let set = grow(&rule, &growth, &LIMITS).set.expect("it closes");
    let whole = LevelledDfa::from_table(&set)
        .minimised(&LIMITS)
        .expect("within the limits");
    let mut outside = whole.table(whole.starts[0]);
    for accepting in &mut outside.output {
        *accepting = !*accepting;
    }
    let outside = LevelledDfa::from_table(&outside)
        .minimised(&LIMITS)
        .expect("within the limits");

    // (m, a, b, c, d, e, f), and m is the least.
    let least = (1..7).map(|heap| {
        let mut form = [0; 7];
        (form[0], form[heap]) = (1, -1);
        (form, false)
    });
    let least: Vec<Condition> = least.collect();
    // a + m = d + e, f + m = b + c, b <= d; its mirror image has e <= c.
    let one = [
        ([1, 1, 0, 0, -1, -1, 0], true),
        ([1, 0, -1, -1, 0, 0, 1], true),
        ([0, 0, 1, 0, -1, 0, 0], false),
    ];
    // a + m = c + d, a + b + c = d + e + f, a <= f, d <= b, c <= e.
    let other = [
        ([1, 1, 0, -1, -1, 0, 0], true),
        ([0, 1, 1, 1, -1, -1, -1], true),
        ([0, 1, 0, 0, 0, 0, -1], false),
        ([0, 0, -1, 0, 1, 0, 0], false),
        ([0, 0, 0, 1, 0, -1, 0], false),
    ];
    let mut parts = vec![outside.clone()];
    for form in [&one[..], &other[..]] {
        let form = linear(&[form, &least].concat());
        // Nothing in the form is outside.
        let both = form.and(&outside, &LIMITS).expect("within the limits");
        assert_eq!(both.starts[0], REJECT);
        for images in rule.symmetries(100).0 {
            assert!(set.image_under(&images).is_some());
            let permuted = form.table(form.starts[0]).permuted(&images);
            parts.push(
                LevelledDfa::from_table(&permuted)
                    .minimised(&LIMITS)
                    .expect("within the limits"),
            );
        }
    }
    // What is not outside is in some turn of a form.
    let joint = LevelledDfa::disjoint_union(&parts, &LIMITS).expect("within the limits");
    let covered = joint.union_is_universal(&Inclusion::trivial(), &LIMITS);
    let covered = covered.expect("within the limits");
    assert!(
        matches!(covered, Universality::Universal { .. }),
        "{covered:?}"
    );
}
