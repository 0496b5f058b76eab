//! Comparisons with enumeration: sets are random, and positions and options are
//! enumerated up to a size.

use nimrule_checker::preimages::{Preimages, Symmetries};
use nimrule_checker::search::Search;
use nimrule_checker::{Atom, Clause, Dfa, EVERYTHING, Linear, NOTHING, Numeration, Variable};
use nimrule_fixtures::Numbers;
use nimrule_limits::Limits;
use std::collections::BTreeMap;

const HEAPS: usize = 3;
static LIMITS: Limits = Limits::of_memory(1 << 30);
const BINARY: Numeration = Numeration::Base(2);

/// A random set. If it is symmetric, each letter leads where its permutations lead.
fn random_set(numbers: &mut Numbers, states: usize, is_symmetric: bool) -> Dfa {
    let mut set = Dfa::new(HEAPS, 2, EVERYTHING + 1);
    let accepting: Vec<bool> = (0..states).map(|_| numbers.below(3) == 0).collect();
    let mut inner = EVERYTHING + 1 + states as u32;
    let mut inner_nodes = Vec::new();
    for (state, accepts) in accepting.iter().enumerate() {
        let mut ends: Vec<u32> = (0..8)
            .map(|_| match numbers.below(8) {
                0 => NOTHING,
                _ => EVERYTHING + 1 + numbers.below(states) as u32,
            })
            .collect();
        if state == 0 {
            ends[0] = EVERYTHING + 1;
        }
        if is_symmetric {
            for letter in 0..8_usize {
                ends[letter] = ends[(1 << letter.count_ones()) - 1];
            }
        }
        // Nodes of level 2, then those of level 1.
        for (level, width) in [(2, 4), (1, 2)] {
            ends = (0..width)
                .map(|at| {
                    inner_nodes.push((level, [ends[2 * at], ends[2 * at + 1]]));
                    inner += 1;
                    inner - 1
                })
                .collect();
        }
        set.push(0, *accepts, &ends);
    }
    for (level, next) in inner_nodes {
        set.push(level, false, &next);
    }
    assert!(set.is_levelled() && set.ignores_leading_zeros());
    set.canonical(&LIMITS).expect("the limits are far")
}

fn at_most(weights: &[(Variable, i64)], constant: i64) -> Atom {
    let weights = BTreeMap::from_iter(weights.iter().copied());
    Atom::AtMost(Linear { weights, constant })
}

/// A move that takes from some heaps, under conditions on the others.
fn random_clause(numbers: &mut Numbers) -> Clause {
    let touched: Vec<usize> = match numbers.below(6) {
        0 => vec![0],
        1 => vec![1],
        2 => vec![2],
        3 => vec![0, 1],
        4 => vec![0, 2],
        _ => vec![1, 2],
    };
    let taken = |heap: &usize| {
        let weights = [(Variable::Before(*heap), 1), (Variable::After(*heap), -1)];
        Linear {
            weights: BTreeMap::from(weights),
            constant: 0,
        }
    };
    let mut atoms = vec![Atom::NonZero(touched.iter().map(taken).collect())];
    for heap in &touched {
        let (before, after) = (Variable::Before(*heap), Variable::After(*heap));
        atoms.push(at_most(&[(after, 1), (before, -1)], 0));
    }
    for heap in 0..HEAPS {
        let bound = numbers.below(3) as i64;
        let variable = Variable::Before(heap);
        match numbers.below(4) {
            0 => atoms.push(at_most(&[(variable, 1)], -bound)),
            1 => atoms.push(at_most(&[(variable, -1)], bound)),
            2 => {
                let other = Variable::Before(numbers.below(HEAPS));
                if other != variable {
                    atoms.push(at_most(&[(variable, 1), (other, 1)], -2 - bound));
                }
            }
            _ => {}
        }
    }
    Clause::new(touched, atoms)
}

fn holds(atom: &Atom, before: &[u64], after: &[u64]) -> bool {
    let value = |sum: &Linear| {
        let terms = sum.weights.iter().map(|(variable, weight)| match variable {
            Variable::Before(heap) => weight * before[*heap] as i64,
            Variable::After(heap) => weight * after[*heap] as i64,
            Variable::Some(_) => panic!("no such variable is made here"),
        });
        terms.sum::<i64>() + sum.constant
    };
    match atom {
        Atom::AtMost(sum) => value(sum) <= 0,
        Atom::NonZero(sums) => sums.iter().any(|sum| value(sum) != 0),
        _ => panic!("no such comparison is made here"),
    }
}

fn positions(size: u64) -> Vec<[u64; HEAPS]> {
    let sizes = || 0..size;
    let pairs = sizes().flat_map(|a| sizes().map(move |b| (a, b)));
    pairs
        .flat_map(|(a, b)| sizes().map(move |c| [a, b, c]))
        .collect()
}

/// Compares the positions outside the target without a move into it, clause by clause, with
/// those that enumeration gives.
fn compare(numbers: &mut Numbers, target: &Dfa, symmetries: &Symmetries) {
    let search = Search {
        heaps: HEAPS,
        numeration: BINARY,
        limits: &LIMITS,
    };
    let every = Dfa::positions(HEAPS, BINARY, &LIMITS).expect("the limits are far");
    let mut preimages = Preimages {
        search: &search,
        positions: &every,
        target,
        symmetries,
        memo: BTreeMap::new(),
    };
    let clauses: Vec<Clause> = (0..6).map(|_| random_clause(numbers)).collect();
    let mut rest = target.complement();
    let mut left = positions(6);
    left.retain(|position| !target.accepts(BINARY, position));
    for clause in Preimages::in_order(&clauses) {
        rest = preimages
            .without(&rest, clause)
            .expect("the limits are far");
        left.retain(|before| {
            let moves = |after: &[u64; HEAPS]| {
                let unchanged = |heap: usize| before[heap] == after[heap];
                (0..HEAPS).all(|heap| clause.touched.contains(&heap) || unchanged(heap))
                    && clause.atoms.iter().all(|atom| holds(atom, before, after))
                    && target.accepts(BINARY, after)
            };
            !positions(6).iter().any(moves)
        });
        for position in positions(6) {
            let expected = left.contains(&position);
            let found = rest.accepts(BINARY, &position);
            assert_eq!(
                found, expected,
                "{position:?} by {clause:?} into {target:?}"
            );
        }
    }
}

#[test]
fn positions_without_a_move_are_those_of_enumeration() {
    let mut numbers = Numbers::new(1);
    for _ in 0..60 {
        let target = random_set(&mut numbers, 3, false);
        compare(&mut numbers, &target, &Symmetries(Vec::new()));
    }
}

#[test]
fn images_under_symmetries_give_the_same_positions() {
    let mut numbers = Numbers::new(2);
    let all = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for _ in 0..60 {
        let target = random_set(&mut numbers, 3, true);
        for to in &all {
            let image = target.permuted(to, &LIMITS).expect("the limits are far");
            assert_eq!(image.as_ref(), Some(&target));
        }
        let symmetries = Symmetries(all.iter().map(|to| to.to_vec()).collect());
        compare(&mut numbers, &target, &symmetries);
    }
}

#[test]
fn images_hold_the_positions_whose_images_are_held() {
    let mut numbers = Numbers::new(3);
    for _ in 0..60 {
        let set = random_set(&mut numbers, 4, false);
        let to = [[1, 2, 0], [2, 1, 0], [0, 2, 1]][numbers.below(3)];
        let image = set.permuted(&to, &LIMITS).expect("the limits are far");
        let image = image.expect("it is a permutation");
        assert_eq!(image.canonical(&LIMITS).as_ref(), Ok(&image));
        for position in positions(6) {
            let mut moved = [0; HEAPS];
            for (heap, to) in to.iter().enumerate() {
                moved[*to] = position[heap];
            }
            let is_held = set.accepts(BINARY, &moved);
            assert_eq!(image.accepts(BINARY, &position), is_held, "{position:?}");
        }
    }
}
