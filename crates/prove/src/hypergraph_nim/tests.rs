//! Small games, held against the definition.

use super::*;
use crate::residual_learning::{Attempts, Failure, from_rule};
use nimrule_automata::{Numeration, TableDfa};
use nimrule_limits::Limits;

mod closed;

const LIMITS: Limits = Limits::of_memory(1 << 30);

/// Every position of a box by the definition, in the order of `position`.
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
    lowered != 0
        && heaps(&|from, to| to > from) == 0
        && rule.allows(heaps(&|from, _| from > 0), lowered)
}

fn proved(rule: &Rule) -> (TableDfa, Box<Proof>) {
    let learned = from_rule(rule, &Attempts::default(), &LIMITS).0;
    let learned = learned.expect("it closes");
    (learned.set, learned.proof)
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
        assert_eq!(proved(&rule).0.states(), states);
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
            holds_in_box(&rule, &proved(&rule).0, side);
        }
    }
}

#[test]
fn other_bases() {
    // Moore's game of two heaps of three is nim-sum in base 2 alone; all
    // heaps equal is recognisable in any base.
    let rule = boards::circle(3, 2, false).expect("a rule of this class");
    for base in [3, 4] {
        let attempts = Attempts {
            numerations: vec![Numeration::Base(base)],
            ..Attempts::default()
        };
        let learned = from_rule(&rule, &attempts, &LIMITS).0;
        holds_in_box(&rule, &learned.expect("it closes").set, 8);
    }
}

/// A set that ignores all but the last digit of the first heap.
fn parity() -> TableDfa {
    let next = (0..2)
        .flat_map(|_| (0..4u32).map(|letter| letter & 1))
        .collect();
    TableDfa {
        tracks: 2,
        base: 2,
        start: 0,
        output: vec![true, false],
        next,
    }
}

#[test]
fn refutes_with_a_shortest_position() {
    let rule = boards::moore(2, 1, false).expect("a rule of this class");
    match check(&rule, &parity(), &LIMITS) {
        // The second heap alone can be lowered from one such position to
        // another.
        Ok(Verdict::Refuted(Refutation::Within(from, to))) => {
            assert_eq!((from, to), (vec![0, 1], vec![0, 0]));
        }
        other => panic!("{other:?}"),
    }
    // Nothing at all is no set of P-positions: the end is not in it.
    let mut none = parity();
    none.output = vec![false, false];
    match check(&rule, &none, &LIMITS) {
        Ok(Verdict::Refuted(Refutation::Missing(position))) => assert_eq!(position, [0, 0]),
        other => panic!("{other:?}"),
    }
    let misere = boards::moore(2, 1, true).expect("a rule of this class");
    match check(&misere, &parity(), &LIMITS) {
        Ok(Verdict::Refuted(Refutation::Terminal(position))) => assert_eq!(position, [0, 0]),
        other => panic!("{other:?}"),
    }
}

/// A number below `most`, the same on every run.
fn random(state: &mut u64, most: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 20) as usize % most
}

/// No changed table is proved unless it accepts the same set, and every
/// refutation is a counterexample.
#[test]
fn changed_sets_get_no_wrong_verdict() {
    let mut state = 0x1234_5678_9abc_def1;
    for (rule, side) in [
        (boards::shrinking_circle(4, 2, false), 8),
        (boards::circle(4, 3, true), 8),
        (boards::row(3, 2, true), 12),
    ] {
        let rule = rule.expect("a rule of this class");
        let (set, _) = proved(&rule);
        let truth = outcomes(&rule, side.min(6));
        for _ in 0..150 {
            let mut changed = set.clone();
            if random(&mut state, 3) == 0 {
                let one = random(&mut state, changed.states());
                changed.output[one] = !changed.output[one];
            } else {
                let arc = random(&mut state, changed.next.len());
                changed.next[arc] = random(&mut state, changed.states()) as u32;
            }
            if !changed.is_well_formed() {
                continue;
            }
            match check(&rule, &changed, &LIMITS).expect("within the limits") {
                Verdict::Proved(proof) => {
                    let found = &proof.set;
                    assert_eq!(found.table(found.starts[0]), set);
                    assert!(truth.iter().all(|(p, is_p)| changed.accepts(p) == *is_p));
                }
                Verdict::Refuted(Refutation::Within(from, to)) => {
                    assert!(changed.accepts(&from) && changed.accepts(&to));
                    assert!(is_move(&rule, &from, &to));
                }
                Verdict::Refuted(Refutation::Missing(position)) => {
                    assert!(!changed.accepts(&position));
                    assert!(!rule.is_misere() || position.iter().any(|&heap| heap > 0));
                    let word = changed.alphabet().word(&position);
                    assert_eq!(replies(&rule, &changed, &word), []);
                }
                Verdict::Refuted(Refutation::Terminal(position)) => {
                    assert!(changed.accepts(&position) && rule.is_misere());
                }
                Verdict::Refuted(Refutation::Long) => panic!("short automata, long words"),
            }
        }
    }
}

#[test]
fn replies_lead_into_the_set() {
    let rule = boards::shrinking_circle(5, 2, false).expect("a rule of this class");
    let (set, _) = proved(&rule);
    let alphabet = set.alphabet();
    // A thousand digits of every heap.
    let mut state = 77;
    let long: Vec<usize> = (0..1000).map(|_| random(&mut state, 32)).collect();
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
fn limits_are_kept() {
    let rule = boards::circle(6, 2, false).expect("a rule of this class");
    let attempts = Attempts {
        most_states: 500,
        ..Attempts::default()
    };
    let (learned, attempts) = from_rule(&rule, &attempts, &LIMITS);
    assert!(learned.is_none());
    assert!(matches!(attempts[0].failure, Failure::Open(None)));
    let (_, residuals) = &attempts[0].residuals[0];
    assert!(residuals.len() > 2);
    let past = Limits {
        deadline: Some(std::time::Instant::now()),
        ..LIMITS
    };
    let rule = boards::circle(4, 2, false).expect("a rule of this class");
    let (set, _) = proved(&rule);
    assert!(check(&rule, &set, &past).is_err());
}
