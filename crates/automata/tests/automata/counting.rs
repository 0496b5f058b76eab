//! Recurrences of the numbers of accepted words.

use nimrule_automata::counting::{counts, shortest_recurrence};
use nimrule_automata::{Budget, Dfa, Numeration, TableDfa, atoms};
use nimrule_limits::Limits;
use num_bigint::{BigInt, BigUint};

fn budget() -> Budget {
    Budget::new(&Limits::of_memory(1 << 28))
}

fn numbers(of: &[i64]) -> Vec<BigInt> {
    of.iter().map(|n| BigInt::from(*n)).collect()
}

/// x + y = z in a base, and all numbers in Zeckendorf's numeration.
#[test]
fn recurrences_of_known_sequences() {
    let budget = budget();
    let sum = [(1, 0), (1, 1), (-1, 2)];
    let sum = atoms::linear(Numeration::Base(2), &sum, 0, true, &budget).unwrap();
    let found = counts(&sum.table(&[0, 1, 2]).unwrap(), &budget).unwrap();
    // (4^m + 2^m) / 2
    let expected: Vec<BigUint> = (0..12)
        .map(|m| ((1_u64 << (2 * m)) + (1 << m)) / 2)
        .map(Into::into)
        .collect();
    assert_eq!(found.first, expected);
    assert_eq!(found.recurrence, numbers(&[6, -8]));
    assert!((found.rate - 4.0).abs() < 1e-8, "{}", found.rate);

    let all = Dfa::constant(Numeration::Ostrowski(1), true);
    let all = all.over_numbers(&[0], &budget).unwrap();
    let found = counts(&all.table(&[0]).unwrap(), &budget).unwrap();
    assert_eq!(found.recurrence, numbers(&[1, 1]));
    assert_eq!(found.first[..6], [1_u8, 2, 3, 5, 8, 13].map(BigUint::from));
    assert!((found.rate - 1.618_033_988).abs() < 1e-8, "{}", found.rate);
}

/// Sums of binomials, whose matrix has one eigenvalue several times; and finite sets.
#[test]
fn recurrences_of_polynomials_and_finite_sets() {
    let budget = budget();
    // At most two digits 1: 1 + m + m(m-1)/2.
    let table = TableDfa {
        tracks: 1,
        base: 2,
        start: 0,
        output: vec![true, true, true, false],
        next: vec![0, 1, 1, 2, 2, 3, 3, 3],
    };
    let found = counts(&table, &budget).unwrap();
    assert_eq!(found.first[..5], [1_u8, 2, 4, 7, 11].map(BigUint::from));
    assert_eq!(found.recurrence, numbers(&[3, -3, 1]));
    assert!((found.rate - 1.0).abs() < 1e-8);
    // Numbers to 5, in base 3: 1, 3, 6, 6, 6, …
    let few = atoms::linear(Numeration::Base(3), &[(1, 0)], -5, false, &budget).unwrap();
    let found = counts(&few.table(&[0]).unwrap(), &budget).unwrap();
    assert_eq!(found.first[..5], [1_u8, 3, 6, 6, 6].map(BigUint::from));
    assert_eq!(found.recurrence, numbers(&[1, 0, 0]));
    let none = Dfa::constant(Numeration::Base(2), false);
    let found = counts(&none.table(&[0]).unwrap(), &budget).unwrap();
    assert!(found.recurrence.is_empty() && found.rate == 0.0);
}

/// Coefficients that no single prime shows: of the product of (x − 10^6 − k).
#[test]
fn coefficients_beyond_a_prime() {
    let mut coefficients = vec![BigInt::from(1)];
    for root in 0..5 {
        let root = BigInt::from(1_000_000 + root);
        let mut next = coefficients.clone();
        next.push(BigInt::ZERO);
        for (place, by) in coefficients.iter().enumerate() {
            next[place + 1] -= by * &root;
        }
        coefficients = next;
    }
    let recurrence: Vec<BigInt> = coefficients[1..].iter().map(|by| -by).collect();
    let powers = (0..10).map(|m| {
        (0..5_u32)
            .map(|root| BigUint::from(1_000_000 + root).pow(m))
            .sum::<BigUint>()
    });
    let powers: Vec<BigUint> = powers.collect();
    assert_eq!(
        shortest_recurrence(&powers, 5, &budget()).unwrap(),
        recurrence
    );
}
