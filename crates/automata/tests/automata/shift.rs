//! Vectors that leave sets invariant.

use nimrule_automata::{Budget, Numeration, Shifts, atoms};
use nimrule_limits::Limits;

#[test]
fn invariant_vectors_are_those_of_all_small_tuples() {
    let budget = Budget::new(&Limits::of_memory(1 << 26));
    let numerations = [
        Numeration::Base(2),
        Numeration::Base(3),
        Numeration::Ostrowski(1),
    ];
    for numeration in numerations {
        let linear = |terms: &[(i64, u16)], constant, equal| {
            atoms::linear(numeration, terms, constant, equal, &budget).unwrap()
        };
        let sets = [
            linear(&[(1, 0), (1, 1), (-2, 2)], 0, true),
            linear(&[(1, 0), (-1, 1)], 0, false),
            // From 5 on nothing changes.
            linear(&[(1, 0)], -4, false),
            linear(&[(2, 0), (-1, 1), (-1, 2)], 1, false),
        ];
        for set in sets {
            let table = set.table(&[0, 1, 2]).unwrap();
            let shifts = Shifts::new(&table, numeration, 3, &budget).unwrap();
            for code in 0..64_u64 {
                let vector = [code % 4, code / 4 % 4, code / 16];
                let tuples = (0..1000_u64).map(|code| [code % 10, code / 10 % 10, code / 100]);
                let accepts = |p: [u64; 3]| set.accepts(&[(0, p[0]), (1, p[1]), (2, p[2])]);
                let mut agree = tuples.map(|p| {
                    let sum = [p[0] + vector[0], p[1] + vector[1], p[2] + vector[2]];
                    accepts(p) == accepts(sum)
                });
                assert_eq!(
                    shifts.leaves_invariant(&vector, &budget).unwrap(),
                    agree.all(|same| same),
                    "{vector:?}"
                );
            }
        }
    }
}
