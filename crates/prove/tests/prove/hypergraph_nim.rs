//! The decision procedure of hypergraph Nim on sets that are wrong.

use nimrule_automata::TableDfa;
use nimrule_limits::Limits;
use nimrule_prove::hypergraph_nim::{KernelCheck, Refutation, Rule, check};

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

/// Nim with two heaps.
fn nim(misere: bool) -> Rule {
    Rule::new(2, misere, |_| vec![1, 2]).expect("a rule of this class")
}

#[test]
fn refutes_with_a_shortest_position() {
    let limits = Limits::of_memory(1 << 30);
    let rule = nim(false);
    match check(&rule, &parity(), &limits) {
        // The second heap is arbitrary in the set.
        Ok(KernelCheck::Refuted(Refutation::NotIndependent(from, to))) => {
            assert_eq!((from, to), (vec![0, 1], vec![0, 0]));
        }
        other => panic!("{other:?}"),
    }
    // The empty set does not absorb the terminal position.
    let mut none = parity();
    none.output = vec![false, false];
    match check(&rule, &none, &limits) {
        Ok(KernelCheck::Refuted(Refutation::NotAbsorbed(position))) => {
            assert_eq!(position, [0, 0])
        }
        other => panic!("{other:?}"),
    }
    let misere = nim(true);
    match check(&misere, &parity(), &limits) {
        Ok(KernelCheck::Refuted(Refutation::Terminal(position))) => {
            assert_eq!(position, [0, 0])
        }
        other => panic!("{other:?}"),
    }
}
