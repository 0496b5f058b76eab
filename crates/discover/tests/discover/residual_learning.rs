//! Tests on small games of hypergraph Nim, compared with the definition.

use nimrule_automata::inclusion::Inclusion;
use nimrule_automata::levelled::{LevelledDfa, REJECT, Universality};
use nimrule_automata::{Numeration, TableDfa};
use nimrule_discover::residual_learning::from_rule::{BlockBounds, explore, from_rule};
use nimrule_discover::residual_learning::{AttemptFailure, SearchBounds};
use nimrule_fixtures::Numbers;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_prove::certificate::{Check, NotWritten};
use nimrule_prove::hypergraph_nim::rule::NO_FACE;
use nimrule_prove::hypergraph_nim::{KernelCheck, Refutation, Rule, check, replies};
use std::collections::BTreeMap;

/// Rules of hypergraph Nim on some boards.
mod boards {
    use nimrule_prove::hypergraph_nim::{Rule, RuleError};

    /// The rule with the same hyperedges at every support.
    fn fixed(heaps: usize, misere: bool, family: &[u32]) -> Result<Rule, RuleError> {
        Rule::new(heaps, misere, |_| family.to_vec())
    }

    /// `most` consecutive heaps on a circle of fixed size.
    pub fn circle(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
        let family: Vec<u32> = (0..heaps)
            .map(|first| (0..most).fold(0, |set, step| set | 1 << ((first + step) % heaps)))
            .collect();
        fixed(heaps, misere, &family)
    }

    /// `most` consecutive heaps on a circle on which empty heaps vanish.
    pub fn shrinking_circle(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
        Rule::new(heaps, misere, |support| {
            let left: Vec<usize> = (0..heaps)
                .filter(|&heap| support >> heap & 1 != 0)
                .collect();
            (0..left.len())
                .map(|first| {
                    (0..most.min(left.len()))
                        .fold(0, |set, step| set | 1 << left[(first + step) % left.len()])
                })
                .collect()
        })
    }

    /// Any set of at most `most` heaps: Moore's Nim.
    pub fn moore(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
        let family: Vec<u32> = (0..1u32 << heaps)
            .filter(|set| set.count_ones() as usize == most)
            .collect();
        fixed(heaps, misere, &family)
    }

    /// Two faces of a cube that share an edge; face i is opposite to i + 3.
    pub fn cube_edge(misere: bool) -> Result<Rule, RuleError> {
        let family: Vec<u32> = (0..6)
            .flat_map(|a| (a + 1..6).map(move |b| (a, b)))
            .filter(|(a, b)| a + 3 != *b)
            .map(|(a, b)| 1 << a | 1 << b)
            .collect();
        fixed(6, misere, &family)
    }

    /// Three faces of a cube that share a vertex.
    pub fn cube_vertex(misere: bool) -> Result<Rule, RuleError> {
        let family: Vec<u32> = (0..8)
            .map(|v| (0..3).fold(0, |set, axis| set | 1 << (axis + 3 * (v >> axis & 1))))
            .collect();
        fixed(6, misere, &family)
    }

    /// `most` consecutive heaps in a row.
    pub fn row(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
        let family: Vec<u32> = (0..=heaps - most)
            .map(|first| ((1 << most) - 1) << first)
            .collect();
        fixed(heaps, misere, &family)
    }
}

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// The positions of a box and whether each is a P-position, by the recursive
/// definition.
fn outcomes(rule: &Rule, side: u64) -> Vec<(Vec<u64>, bool)> {
    let heaps = rule.heaps();
    let mut found: Vec<(Vec<u64>, bool)> = Vec::new();
    for index in 0..side.pow(heaps as u32) {
        let mut rest = index;
        let position: Vec<u64> = (0..heaps)
            .map(|_| {
                let size = rest % side;
                rest /= side;
                size
            })
            .collect();
        let mut moves = found
            .iter()
            .filter(|(other, _)| is_move(rule, &position, other))
            .peekable();
        let is_p = match moves.peek() {
            None => !rule.is_misere(),
            Some(_) => moves.all(|&(_, is_p)| !is_p),
        };
        found.push((position, is_p));
    }
    found
}

fn is_move(rule: &Rule, from: &[u64], to: &[u64]) -> bool {
    let heaps = |wanted: &dyn Fn(u64, u64) -> bool| {
        from.iter()
            .zip(to)
            .enumerate()
            .filter(|&(_, (&from, &to))| wanted(from, to))
            .fold(0u32, |all, (heap, _)| all | 1 << heap)
    };
    let lowered = heaps(&|from, to| to < from);
    let face = rule.face_of(lowered);
    lowered != 0
        && heaps(&|from, to| to > from) == 0
        && face != NO_FACE
        && rule.containing(face.into()) & rule.usable(heaps(&|from, _| from > 0)) != 0
}

/// What the checker says of a rule without a game.
fn unchecked(_: &TableDfa, _: Numeration) -> Result<Check, LimitExceeded> {
    Ok(Check::Open(NotWritten(String::new())))
}

fn proved(rule: &Rule) -> TableDfa {
    let learned = from_rule(rule, &SearchBounds::default(), &unchecked, &LIMITS).0;
    learned.expect("it closes").set
}

fn holds_in_box(rule: &Rule, set: &TableDfa, side: u64) {
    for (position, is_p) in outcomes(rule, side) {
        assert_eq!(set.accepts(&position), is_p, "{position:?}");
    }
}

#[test]
fn known_sizes() {
    let sizes = [
        (boards::circle(4, 2, false), 2),
        (boards::circle(5, 2, false), 22),
        (boards::circle(5, 3, false), 17),
        (boards::circle(6, 3, false), 8),
        (boards::circle(6, 5, false), 2),
        (boards::circle(5, 2, true), 35),
        (boards::shrinking_circle(4, 2, false), 10),
        (boards::shrinking_circle(5, 2, false), 84),
        (boards::shrinking_circle(5, 3, false), 93),
        (boards::moore(5, 3, false), 2),
        (boards::moore(4, 2, true), 5),
        (boards::cube_edge(false), 2),
        (boards::cube_edge(true), 5),
        (boards::cube_vertex(false), 2),
        (boards::cube_vertex(true), 5),
        (boards::row(5, 3, false), 6),
    ];
    for (rule, states) in sizes {
        let rule = rule.expect("a rule of this class");
        assert_eq!(proved(&rule).states(), states);
    }
}

#[test]
fn agrees_with_the_definition() {
    for misere in [false, true] {
        for (rule, side) in [
            (boards::circle(4, 2, misere), 6),
            (boards::shrinking_circle(4, 2, misere), 6),
            (boards::shrinking_circle(5, 3, misere), 4),
            (boards::moore(3, 2, misere), 9),
            (boards::row(4, 2, misere), 6),
        ] {
            let rule = rule.expect("a rule of this class");
            holds_in_box(&rule, &proved(&rule), side);
        }
    }
}

#[test]
fn other_bases() {
    // "All heaps are equal" is recognisable in any base.
    let rule = boards::circle(3, 2, false).expect("a rule of this class");
    for base in [3, 4] {
        let bounds = SearchBounds {
            numerations: vec![Numeration::Base(base)],
            ..SearchBounds::default()
        };
        let learned = from_rule(&rule, &bounds, &unchecked, &LIMITS).0;
        holds_in_box(&rule, &learned.expect("it closes").set, 8);
    }
}

/// No changed table is proved unless it accepts the same set, and every
/// refutation is a counterexample.
#[test]
fn changed_sets_get_no_wrong_verdict() {
    let mut numbers = Numbers::new(0x1234_5678_9abc_def1);
    for (rule, side) in [
        (boards::shrinking_circle(4, 2, false), 8),
        (boards::circle(4, 3, true), 8),
        (boards::row(3, 2, true), 12),
    ] {
        let rule = rule.expect("a rule of this class");
        let set = proved(&rule);
        let truth = outcomes(&rule, side.min(6));
        for _ in 0..150 {
            let mut changed = set.clone();
            if numbers.below(3) == 0 {
                let one = numbers.below(changed.states());
                changed.output[one] = !changed.output[one];
            } else {
                let arc = numbers.below(changed.next.len());
                changed.next[arc] = numbers.below(changed.states()) as u32;
            }
            if !changed.is_well_formed() {
                continue;
            }
            match check(&rule, &changed, &LIMITS).expect("within the limits") {
                KernelCheck::Proved => {
                    let found = LevelledDfa::from_table(&changed).minimised(&LIMITS);
                    let found = found.expect("within the limits");
                    assert_eq!(found.table(found.starts[0]), set);
                    assert!(truth.iter().all(|(p, is_p)| changed.accepts(p) == *is_p));
                }
                KernelCheck::Refuted(Refutation::NotIndependent(from, to)) => {
                    assert!(changed.accepts(&from) && changed.accepts(&to));
                    assert!(is_move(&rule, &from, &to));
                }
                KernelCheck::Refuted(Refutation::NotAbsorbed(position)) => {
                    assert!(!changed.accepts(&position));
                    assert!(!rule.is_misere() || position.iter().any(|&heap| heap > 0));
                    let word = changed.alphabet().word(&position);
                    assert_eq!(replies(&rule, &changed, &word), []);
                }
                KernelCheck::Refuted(Refutation::Terminal(position)) => {
                    assert!(changed.accepts(&position) && rule.is_misere());
                }
                KernelCheck::Refuted(Refutation::TooLong) => panic!("short automata, long words"),
            }
        }
    }
}

#[test]
fn replies_lead_into_the_set() {
    let rule = boards::shrinking_circle(5, 2, false).expect("a rule of this class");
    let set = proved(&rule);
    let alphabet = set.alphabet();
    // Every heap has a thousand digits.
    let mut numbers = Numbers::new(77);
    let long: Vec<usize> = (0..1000).map(|_| numbers.below(32)).collect();
    let end = |word: &[usize]| {
        word.iter()
            .fold(set.start, |s, &letter| set.step(s, letter))
    };
    let found = replies(&rule, &set, &long);
    assert_eq!(found.is_empty(), set.output[end(&long) as usize]);
    for reply in found {
        assert!(set.output[end(&reply.word) as usize]);
    }
    for (position, is_p) in outcomes(&rule, 4) {
        let found = replies(&rule, &set, &alphabet.word(&position));
        assert_eq!(found.is_empty(), is_p);
        for reply in found {
            let to = alphabet.numbers(&reply.word).expect("small heaps");
            assert!(is_move(&rule, &position, &to) && set.accepts(&to));
        }
    }
}

#[test]
fn a_search_gives_up_where_residuals_keep_growing() {
    let rule = boards::circle(6, 2, false).expect("a rule of this class");
    let bounds = SearchBounds {
        most_states: 200_000,
        ..SearchBounds::default()
    };
    let (learned, attempts) = from_rule(&rule, &bounds, &unchecked, &LIMITS);
    assert!(learned.is_none());
    // With longer blocks it would grow all the more.
    let [attempt] = attempts.as_slice() else {
        panic!("{attempts:?}");
    };
    assert_eq!(attempt.failure, AttemptFailure::Grows);
    let (depth, residuals) = &attempt.residuals[0];
    assert!(1 << (depth + residuals.len() - 1) >= 64);
}

#[test]
fn limits_are_kept() {
    let rule = boards::circle(6, 2, false).expect("a rule of this class");
    let bounds = SearchBounds {
        most_states: 500,
        gives_up: false,
        ..SearchBounds::default()
    };
    let (learned, attempts) = from_rule(&rule, &bounds, &unchecked, &LIMITS);
    assert!(learned.is_none());
    assert!(matches!(attempts[0].failure, AttemptFailure::Open(None)));
    let (_, residuals) = &attempts[0].residuals[0];
    assert!(residuals.len() > 2);
    let past = Limits {
        deadline: Some(nimrule_limits::Instant::now()),
        ..LIMITS.clone()
    };
    let rule = boards::circle(4, 2, false).expect("a rule of this class");
    let set = proved(&rule);
    assert!(check(&rule, &set, &past).is_err());
    // One residual of ten heaps takes longer than a step of smaller games.
    let rule = boards::circle(10, 5, false).expect("a rule of this class");
    let (learned, attempts) = from_rule(&rule, &SearchBounds::default(), &unchecked, &past);
    assert!(learned.is_none());
    assert!(matches!(
        attempts[0].failure,
        AttemptFailure::Open(Some(LimitExceeded::Time))
    ));
    assert_eq!(attempts[0].residuals, [(2, Vec::new())]);
}

// A closed form of the P-positions of seven heaps in a circle with moves on three
// consecutive heaps, compared with the automaton that is learned from the rule.

/// A linear form that must be 0 if the flag is set, or else at most 0.
type Condition = ([i64; 7], bool);

/// The automaton of the positions that satisfy linear conditions. The state after a
/// prefix has the value of each form, up to a bound beyond which its sign is
/// decided.
fn linear(conditions: &[Condition]) -> LevelledDfa {
    let step = |values: &[i64], letter: usize| -> Option<Vec<i64>> {
        let after = conditions.iter().zip(values).map(|((form, zero), value)| {
            let digits = (0..7)
                .filter(|heap| letter >> heap & 1 != 0)
                .map(|heap| form[heap]);
            let least: i64 = form.iter().filter(|&&one| one < 0).sum();
            let most: i64 = form.iter().filter(|&&one| one > 0).sum();
            let value = (2 * value + digits.sum::<i64>()).clamp(-most, -least);
            let decided = value == -least && least < 0 || *zero && value == -most && most > 0;
            (!decided).then_some(value)
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
        let limit = |(&(_, zero), &value): (&Condition, &i64)| value == 0 || !zero && value < 0;
        conditions.iter().zip(values).all(limit)
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
    let bounds = BlockBounds {
        base: 2,
        depth: 2,
        most: 1000,
        gives_up: false,
    };
    let set = explore(&rule, &bounds, &LIMITS).set.expect("it closes");
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

    // (m, a, b, c, d, e, f), where m is the least heap.
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
        // Every position of the form is in the set.
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
    // Every position of the set is in some image of a form.
    let joint = LevelledDfa::disjoint_union(&parts, &LIMITS).expect("within the limits");
    let covered = joint.union_is_universal(&Inclusion::trivial(), &LIMITS);
    let covered = covered.expect("within the limits");
    assert!(
        matches!(covered, Universality::Universal { .. }),
        "{covered:?}"
    );
}
