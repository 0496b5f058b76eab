//! Automata compared with the evaluation of their formulas for small numbers.

use nimrule_automata::atoms::{CarrylessSum, Relation, Sum, compare, digit, power};
use nimrule_automata::inclusion::Inclusion;
use nimrule_automata::levelled::{LevelledDfa, PreimageSizes, Universality};
use nimrule_automata::table::Table;
use nimrule_automata::{Budget, Dfa, MOST_QUOTIENT, Numeration, Track, atoms, multiple_of_ratio};
use nimrule_fixtures::Numbers;
use nimrule_limits::Limits;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn budget() -> Budget {
    Budget::new(&LIMITS)
}

const TRACKS: [Track; 3] = [1, 4, 6];

/// All triples of numbers below `bound`.
fn triples(bound: u64) -> impl Iterator<Item = [u64; 3]> {
    (0..bound.pow(3)).map(move |i| [i % bound, i / bound % bound, i / bound / bound])
}

fn accepts(automaton: &Dfa, numbers: [u64; 3]) -> bool {
    let given: Vec<(Track, u64)> = TRACKS.into_iter().zip(numbers).collect();
    automaton.accepts(&given)
}

/// A relation as a predicate.
type Predicate = Box<dyn Fn([u64; 3]) -> bool>;

/// A table of numbers in ascending order says the same of them in any order; what it says of other
/// tuples has no effect.
#[test]
fn tables_are_extended_to_any_order() {
    let mut random = Numbers::new(7);
    for base in [2_usize, 3] {
        let (states, letters) = (5, base.pow(3));
        let mut below = |count: usize| random.below(count as u64) as u32;
        let mut table = Table {
            tracks: 3,
            base,
            start: 0,
            output: (0..states).map(|_| below(3)).collect(),
            next: (0..states * letters).map(|_| below(states)).collect(),
        };
        table.next[0] = 0;
        let found = table.in_any_order(|| Ok::<(), ()>(())).expect("no error");
        for numbers in triples(base.pow(3) as u64) {
            let mut sorted = numbers;
            sorted.sort_unstable();
            assert_eq!(
                found.output_of(&numbers),
                table.output_of(&sorted),
                "{numbers:?}"
            );
        }
    }
}

/// The number of states of an atom is that of the digits of its constant, and an atom that
/// cannot fit into the memory is refused before its states are explored.
#[test]
fn large_constants_have_few_states_and_large_weights_are_refused() {
    let large = 1_000_000_007;
    let budget = Budget::new(&Limits::of_memory(1 << 24));
    for numeration in [
        Numeration::Base(2),
        Numeration::Base(10),
        Numeration::Ostrowski(1),
    ] {
        for relation in [Relation::Zero, Relation::AtMostZero] {
            let sum = |terms: &[(i64, Track)], constant| Sum {
                terms: terms.to_vec(),
                columns: Vec::new(),
                constant,
            };
            for (terms, numbers) in [
                (vec![(1, 1)], [large, 0, 0]),
                (vec![(1, 1), (-2, 4)], [large + 10, 5, 0]),
                (vec![(3, 1), (-1, 4)], [large, 2 * large, 0]),
            ] {
                let atom = compare(numeration, &sum(&terms, -(large as i64)), relation, &budget)
                    .expect("few states");
                assert!(atom.states() < 3000, "{} states", atom.states());
                for (offset, at) in [(0, 0_i128), (1, 1)] {
                    let [x, y, z] = numbers;
                    let expected = relation.holds(at * i128::from(terms[0].0));
                    assert_eq!(accepts(&atom, [x + offset, y, z]), expected, "{terms:?}");
                }
            }
            let linear = sum(&[(1 << 40, 1), (-1, 4)], 0);
            if matches!(numeration, Numeration::Base(_)) {
                assert!(compare(numeration, &linear, relation, &budget).is_err());
            }
            // No further digit changes the sign of a positive sum.
            let positive = sum(&[(1 << 40, 1), (1, 4)], -5);
            assert!(compare(numeration, &positive, relation, &budget).is_ok());
        }
    }
}

fn random_atom(numeration: Numeration, random: &mut Numbers) -> (Dfa, Predicate) {
    // Larger weights need too many states in an Ostrowski numeration.
    let wide = if matches!(numeration, Numeration::Ostrowski(_)) {
        1
    } else {
        3
    };
    let weights: [i64; 3] =
        std::array::from_fn(|_| random.below(2 * wide + 1) as i64 - wide as i64);
    let width = [9, 60][random.below(2) as usize];
    let constant = random.below(width) as i64 - width as i64 / 2;
    let relation = match random.below(3) {
        0 => Relation::Zero,
        1 => Relation::AtMostZero,
        _ => Relation::Multiple(random.below(wide + 2) as u32 + 1),
    };
    let terms: Vec<(i64, Track)> = weights.into_iter().zip(TRACKS).collect();
    let mut columns = Vec::new();
    let (sub, modulus) = match numeration {
        Numeration::Base(4) => ([2, 4][random.below(2) as usize], random.below(4) as u16 + 1),
        Numeration::Base(base) => (base, random.below(4) as u16 + 1),
        Numeration::Ostrowski(_) => (0, 0),
    };
    let weight = random.below(5) as i64 - 2;
    if sub > 0 && weight != 0 {
        columns.push((
            weight,
            CarrylessSum {
                base: sub,
                modulus,
                tracks: vec![TRACKS[0], TRACKS[1], TRACKS[1]],
            },
        ));
    }
    let with_columns = !columns.is_empty();
    let sum = Sum {
        terms,
        columns,
        constant,
    };
    let automaton = compare(numeration, &sum, relation, &budget()).expect("within the limits");
    let predicate = move |numbers: [u64; 3]| {
        let mut value: i64 = constant
            + weights
                .into_iter()
                .zip(numbers)
                .map(|(w, n)| w * n as i64)
                .sum::<i64>();
        if with_columns {
            let list = [numbers[0] as i64, numbers[1] as i64, numbers[1] as i64];
            value += weight * carryless_sum(sub.into(), &list, modulus.into());
        }
        relation.holds(value.into())
    };
    (automaton, Box::new(predicate))
}

fn carryless_sum(base: i64, numbers: &[i64], modulus: i64) -> i64 {
    if numbers.iter().all(|n| *n == 0) {
        return 0;
    }
    let rest: Vec<i64> = numbers.iter().map(|n| n / base).collect();
    numbers.iter().map(|n| n % base).sum::<i64>() % modulus
        + base * carryless_sum(base, &rest, modulus)
}

/// A combination of atoms, quantified over the last track within `bound`.
fn check_random(numeration: Numeration, seed: u64, rounds: usize) {
    let mut random = Numbers::new(seed);
    let bound = 11;
    for _ in 0..rounds {
        let (one, by_one) = random_atom(numeration, &mut random);
        let (other, by_other) = random_atom(numeration, &mut random);
        for numbers in triples(bound) {
            assert_eq!(accepts(&one, numbers), by_one(numbers), "{numbers:?}");
        }
        let both = one.and(&other, &budget()).expect("within the limits");
        let either = one.or(&other, &budget()).expect("within the limits");
        let neither = either.not(&budget()).expect("within the limits");
        let apart = one.and_not(&other, &budget()).expect("within the limits");
        for numbers in triples(bound) {
            let (a, b) = (by_one(numbers), by_other(numbers));
            assert_eq!(accepts(&both, numbers), a && b);
            assert_eq!(accepts(&either, numbers), a || b);
            assert_eq!(accepts(&neither, numbers), !(a || b));
            assert_eq!(accepts(&apart, numbers), a && !b);
        }
        // There is a z <= y + 5 with both.
        let sum = Sum {
            terms: vec![(1, TRACKS[2]), (-1, TRACKS[1])],
            constant: -5,
            ..Sum::default()
        };
        let near =
            compare(numeration, &sum, Relation::AtMostZero, &budget()).expect("within the limits");
        let some = both
            .and(&near, &budget())
            .expect("within the limits")
            .project(&[TRACKS[2]], &budget())
            .expect("within the limits");
        for numbers @ [x, y, _] in triples(bound) {
            let found = (0..=y + 5).any(|z| by_one([x, y, z]) && by_other([x, y, z]));
            assert_eq!(accepts(&some, numbers), found, "{x} {y}");
        }
        // Another order of the tracks.
        let turned = both
            .renamed(
                &|track| {
                    if track == 1 {
                        6
                    } else if track == 6 {
                        2
                    } else {
                        5
                    }
                },
                &budget(),
            )
            .expect("within the limits");
        for numbers in triples(bound) {
            let given = [(6, numbers[0]), (5, numbers[1]), (2, numbers[2])];
            assert_eq!(turned.accepts(&given), by_one(numbers) && by_other(numbers));
        }
        if let Some(witness) = both.witness() {
            let numbers = TRACKS.map(|track| witness.number(track).expect("within the limits"));
            assert!(by_one(numbers) && by_other(numbers));
        } else {
            assert!(!triples(bound).any(|n| by_one(n) && by_other(n)));
        }
    }
}

#[test]
fn binary_formulas() {
    check_random(Numeration::Base(2), 0x9e37_79b9_7f4a_7c15, 60);
}

#[test]
fn formulas_in_other_bases() {
    check_random(Numeration::Base(3), 0x1234_5678_9abc_def1, 40);
    check_random(Numeration::Base(4), 0xfeed_beef_1234_5677, 40);
}

#[test]
fn formulas_in_ostrowski_numerations() {
    check_random(Numeration::Ostrowski(1), 0x0f0f_1234_5678_0001, 40);
    check_random(Numeration::Ostrowski(2), 0x0f0f_1234_5678_0002, 20);
    check_random(Numeration::Ostrowski(3), 0x0f0f_1234_5678_0003, 20);
}

#[test]
fn projections_commute() {
    // Many states include each other.
    let mut random = Numbers::new(77);
    for _ in 0..20 {
        let (one, _) = random_atom(Numeration::Base(2), &mut random);
        let (other, _) = random_atom(Numeration::Base(2), &mut random);
        let both = one.or(&other, &budget()).expect("within the limits");
        let one_by_one = both
            .project(&[TRACKS[0]], &budget())
            .expect("within the limits")
            .project(&[TRACKS[1]], &budget())
            .expect("within the limits");
        let at_once = both
            .project(&TRACKS[..2], &budget())
            .expect("within the limits");
        assert!(
            one_by_one
                .is_equivalent(&at_once, &budget())
                .expect("within the limits")
        );
    }
}

/// At least two or three values of a track, of two tracks, or of a track that the automaton
/// does not read, counted one by one where they are few.
#[test]
fn quantifiers_that_count() {
    let mut random = Numbers::new(78);
    for numeration in [
        Numeration::Base(2),
        Numeration::Base(3),
        Numeration::Ostrowski(1),
        Numeration::Ostrowski(2),
    ] {
        let budget = budget();
        // The counted numbers are at most those of the first track, or at most 3 more.
        let below = |track: Track, more: i64| {
            atoms::linear(
                numeration,
                &[(1, track), (-1, TRACKS[0])],
                -more,
                false,
                &budget,
            )
            .expect("within the limits")
        };
        for round in 0..12 {
            let more = round % 3;
            let (one, _) = random_atom(numeration, &mut random);
            let (other, _) = random_atom(numeration, &mut random);
            let mut relation = one.or(&other, &budget).expect("within the limits");
            for track in &TRACKS[1..] {
                relation = relation
                    .and(&below(*track, more), &budget)
                    .expect("within the limits");
            }
            for least in 1..=3 {
                for projected in [&TRACKS[2..], &TRACKS[1..]] {
                    let counted = relation
                        .project_at_least(least, projected, usize::MAX, &budget)
                        .expect("within the limits");
                    assert!(counted.is_exact);
                    let part = relation
                        .project_at_least(least, projected, 5, &budget)
                        .expect("within the limits");
                    let counted = counted.within;
                    for x in 0..9_u64 {
                        for y in 0..if projected.len() == 1 { 12_u64 } else { 1 } {
                            let found = triples(12)
                                .filter(|[a, b, _]| *a == x && (projected.len() == 2 || *b == y))
                                .filter(|numbers| accepts(&relation, *numbers))
                                .count();
                            let given = [(TRACKS[0], x), (TRACKS[1], y)];
                            let given = &given[..3 - projected.len()];
                            assert_eq!(counted.accepts(given), found >= least, "{numeration:?}");
                            assert!(!part.within.accepts(given) || found >= least);
                            assert!(part.beyond.accepts(given) || found < least);
                        }
                    }
                }
            }
        }
        // Any number of values of a track that is not read.
        let any = Dfa::constant(numeration, true)
            .project_at_least(3, &[5], usize::MAX, &budget)
            .expect("within the limits");
        assert!(any.within.accepts(&[(0, 4)]));
    }
}

#[test]
fn powers_and_digits() {
    for (base, of) in [(2, 2), (4, 2), (8, 2), (3, 3), (9, 3), (4, 4)] {
        let powers = power(base, of, 0, &budget()).expect("within the limits");
        for number in 0..600_u64 {
            let mut rest = number;
            while rest > 1 && rest % u64::from(of) == 0 {
                rest /= u64::from(of);
            }
            assert_eq!(powers.accepts(&[(0, number)]), rest == 1, "{number}");
        }
        for index in 0..4 {
            for wanted in 0..of {
                let has = digit(base, of, index, wanted, 0, &budget()).expect("within the limits");
                for number in 0..600_u64 {
                    let own = number / u64::from(of).pow(index) % u64::from(of);
                    assert_eq!(has.accepts(&[(0, number)]), own == u64::from(wanted));
                }
            }
        }
    }
}

#[test]
fn multiples_of_quadratic_irrationals() {
    for a in 1..=u64::from(MOST_QUOTIENT) {
        let quotient = a as u8;
        let multiple = multiple_of_ratio(quotient, 0, 1, &budget()).expect("within the limits");
        for x in 0..60_u64 {
            let floor = (a * x + ((a * a + 4) * x * x).isqrt()) / 2;
            for y in (0..10).chain(floor.saturating_sub(5)..floor + 5) {
                assert_eq!(
                    multiple.accepts(&[(0, x), (1, y)]),
                    y == floor,
                    "{a} {x} {y}"
                );
            }
        }
    }
}

#[test]
fn numbers_and_their_digits() {
    for numeration in [
        Numeration::Base(2),
        Numeration::Base(7),
        Numeration::Ostrowski(1),
        Numeration::Ostrowski(2),
        Numeration::Ostrowski(8),
    ] {
        for number in 0..500 {
            assert_eq!(numeration.number(&numeration.digits(number)), Some(number));
        }
        let most = numeration.digits(u64::MAX);
        assert_eq!(numeration.number(&most), Some(u64::MAX));
    }
}

#[test]
fn tables_and_back() {
    let mut random = Numbers::new(5);
    for round in 0..20 {
        let numeration = Numeration::Base(2 + round % 2);
        let (one, _) = random_atom(numeration, &mut random);
        let table = one.table(&TRACKS).expect("within the limits");
        assert!(table.is_well_formed());
        assert!(
            table
                .dfa(&TRACKS, numeration)
                .is_equivalent(&one, &budget())
                .expect("within the limits")
        );
    }
}

/// A relation in a base, as a [`Dfa`] and as a minimal levelled automaton.
fn random_relation(base: u8, random: &mut Numbers) -> (Dfa, LevelledDfa) {
    let numeration = Numeration::Base(base);
    let (one, _) = random_atom(numeration, random);
    let (other, _) = random_atom(numeration, random);
    let joined = match random.below(2) {
        0 => one.and(&other, &budget()),
        _ => one.or(&other, &budget()),
    };
    let dfa = joined.expect("within the limits");
    let table = dfa.table(&TRACKS).expect("within the limits");
    let levelled = LevelledDfa::from_table(&table).minimised(&LIMITS);
    (dfa, levelled.expect("within the limits"))
}

/// The relation of the first initial node, as a [`Dfa`].
fn relation_of(levelled: &LevelledDfa) -> Dfa {
    let table = levelled.table(levelled.starts[0]);
    table.dfa(&TRACKS, Numeration::Base(levelled.base as u8))
}

/// Moore's algorithm over diagrams, and partition refinement over nodes and over
/// tables, find the same number of states.
#[test]
fn all_minimisations_agree() {
    let mut random = Numbers::new(11);
    for round in 0..30 {
        let (dfa, levelled) = random_relation(2 + round % 2, &mut random);
        let table = levelled.table(levelled.starts[0]);
        assert_eq!(table.states(), dfa.states());
        assert_eq!(
            LevelledDfa::from_table(&table).minimised(&LIMITS),
            Ok(levelled)
        );
        // Two copies of the states; the second is reached by the digit 1.
        let mut doubled = table.clone();
        doubled.output.extend(&table.output);
        let states = table.states() as u32;
        doubled.next.extend(table.next.iter().map(|to| to + states));
        let letters = table.letters();
        for (place, to) in doubled.next[..table.next.len()].iter_mut().enumerate() {
            *to += states * u32::from(place % letters == 1);
        }
        let smallest = doubled.minimised(|| LIMITS.check_time());
        assert_eq!(smallest, Ok(table));
    }
}

#[test]
fn inclusions_are_those_of_the_languages() {
    let mut random = Numbers::new(12);
    for _ in 0..12 {
        let (dfa, levelled) = random_relation(2, &mut random);
        let inclusion = dfa.inclusion(&budget()).expect("within the limits");
        let of_nodes = levelled.inclusion(&LIMITS).expect("within the limits");
        let between: Vec<u32> = levelled.boundary_nodes();
        for a in 0..dfa.states() as u32 {
            for b in 0..dfa.states() as u32 {
                let rest = dfa
                    .residual(a)
                    .difference_witness(&dfa.residual(b), &budget());
                let is_included = rest.expect("within the limits").is_none();
                assert_eq!(inclusion.holds(a, b), is_included, "{a} {b}");
            }
        }
        for &a in &between {
            for &b in &between {
                let (one, other) = (levelled.table(a), levelled.table(b));
                let numeration = Numeration::Base(2);
                let one = one.dfa(&TRACKS, numeration);
                let other = other.dfa(&TRACKS, numeration);
                let rest = one.difference_witness(&other, &budget());
                let is_included = rest.expect("within the limits").is_none();
                assert_eq!(of_nodes.holds(a, b), is_included, "{a} {b}");
            }
        }
    }
}

/// The preimage under lowering is a projection: there is a number at most as
/// large.
#[test]
fn preimages_are_projections() {
    let mut random = Numbers::new(13);
    for round in 0..20 {
        let base = 2 + round % 2;
        let (dfa, levelled) = random_relation(base, &mut random);
        let mut sizes = PreimageSizes::default();
        let steps = levelled.preimages(&[2, 0], &mut sizes, &LIMITS);
        let mut expected = dfa;
        for (track, step) in [6, 1].into_iter().zip(steps.expect("within the limits")) {
            let lowered = expected
                .renamed(&|other| if other == track { 7 } else { other }, &budget())
                .expect("within the limits");
            // The lowered number minus the original is at most 0.
            let terms = [(1, 7), (-1, track)];
            let numeration = Numeration::Base(base);
            let less = atoms::linear(numeration, &terms, 0, false, &budget());
            expected = lowered
                .and(&less.expect("within the limits"), &budget())
                .and_then(|both| both.project(&[7], &budget()))
                .expect("within the limits");
            let same = relation_of(&step).is_equivalent(&expected, &budget());
            assert!(same.expect("within the limits"));
        }
    }
}

#[test]
fn unions_are_universal_or_miss_a_shortest_tuple() {
    let mut random = Numbers::new(14);
    let (mut universal, mut missing) = (0, 0);
    for round in 0..40 {
        let base = 2 + round % 2;
        let relations: Vec<(Dfa, LevelledDfa)> = (0..2 + round % 3)
            .map(|_| random_relation(base, &mut random))
            .collect();
        let mut union = Dfa::constant(Numeration::Base(base), false);
        for (dfa, _) in &relations {
            union = union.or(dfa, &budget()).expect("within the limits");
        }
        let levelled: Vec<LevelledDfa> = relations.into_iter().map(|(_, one)| one).collect();
        let disjoint_union =
            LevelledDfa::disjoint_union(&levelled, &LIMITS).expect("within the limits");
        let order = disjoint_union
            .inclusion(&LIMITS)
            .expect("within the limits");
        let rest = union.not(&budget()).expect("within the limits").witness();
        for order in [order, Inclusion::trivial()] {
            let found = disjoint_union.union_is_universal(&order, &LIMITS);
            match found.expect("within the limits") {
                Universality::Universal { .. } => {
                    assert_eq!(rest, None);
                    universal += 1;
                }
                Universality::Missing(digits) => {
                    let shortest = rest.as_ref().expect("some tuple is in none");
                    let length = shortest.digits.first().map_or(0, |(_, d)| d.len());
                    assert_eq!(digits.len(), length * TRACKS.len());
                    let numbers: Vec<(Track, Vec<u8>)> = TRACKS
                        .iter()
                        .enumerate()
                        .map(|(track, &name)| {
                            let own = digits.iter().skip(track).step_by(TRACKS.len());
                            (name, own.map(|&digit| digit as u8).collect())
                        })
                        .collect();
                    assert!(!union.accepts_digits(&numbers));
                    missing += 1;
                }
            }
        }
    }
    assert!(universal > 3 && missing > 3, "{universal} {missing}");
}

#[test]
fn intersections_and_supports() {
    let mut random = Numbers::new(15);
    for round in 0..20 {
        let base = 2 + round % 2;
        let (dfa, one) = random_relation(base, &mut random);
        let wanted = |support: u32| (support * 5 + u32::from(round)).is_multiple_of(3);
        let supports = LevelledDfa::of_supports(3, usize::from(base), wanted, &LIMITS);
        let supports = supports.expect("within the limits");
        let both = one.and(&supports, &LIMITS).expect("within the limits");
        let table = both.table(both.starts[0]);
        for numbers in triples(9) {
            let support = (0..3).fold(0, |all, i| all | u32::from(numbers[i] > 0) << i);
            let holds = wanted(support) && accepts(&dfa, numbers);
            assert_eq!(table.accepts(&numbers), holds, "{numbers:?}");
        }
    }
}

#[test]
fn permuted_tables_and_invariance() {
    let equal = atoms::linear(Numeration::Base(2), &[(1, 1), (-1, 4)], 0, true, &budget());
    let table = equal.expect("within the limits").table(&TRACKS);
    let table = table.expect("within the limits");
    assert!(table.image_under(&[1, 0, 2]).is_some());
    assert_eq!(table.image_under(&[2, 1, 0]), None);
    let permuted = table.permuted(&[2, 0, 1]);
    for [a, b, c] in triples(5) {
        assert_eq!(permuted.accepts(&[b, c, a]), table.accepts(&[a, b, c]));
    }
    let word = table.permuted(&[0, 1, 2]).shortest_word();
    assert_eq!(word, Some(Vec::new()));
}

#[test]
fn limits_are_checked() {
    let limits = Limits {
        deadline: Some(nimrule_limits::Instant::now()),
        ..Limits::of_memory(1 << 20)
    };
    let sum = Sum {
        terms: vec![(1, 0), (-1, 1)],
        constant: 1_000_000_000,
        ..Sum::default()
    };
    let result = compare(
        Numeration::Base(2),
        &sum,
        Relation::Zero,
        &Budget::new(&limits),
    );
    assert_eq!(result.unwrap_err(), nimrule_limits::LimitExceeded::Time);
}
