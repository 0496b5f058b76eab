//! Sets of values.

use nimrule_sequence::value_sets::{BitSet, Multiset, shifted};

#[test]
fn bits_move_to_their_nim_sums() {
    for by in 0..64 {
        for bit in 0..64 {
            assert_eq!(shifted(1 << bit, by), 1 << (bit ^ by));
        }
    }
    let mut wide = BitSet::default();
    [3, 70, 200].into_iter().for_each(|value| wide.add(value));
    let mut moved = BitSet::default();
    moved.join_shifted(&wide, 133);
    let values: Vec<u32> = (0..300).filter(|value| moved.has(*value)).collect();
    assert_eq!(values, [200 ^ 133, 3 ^ 133, 70 ^ 133]);
}

#[test]
fn counts_know_the_least_missing_value() {
    let mut counts = Multiset::default();
    (0..130).for_each(|value| counts.add(value));
    counts.add(64);
    assert_eq!(counts.mex_from(0), 130);
    counts.remove(64);
    assert_eq!(counts.mex_from(0), 130);
    counts.remove(64);
    assert_eq!(counts.mex_from(0), 64);
    assert_eq!(counts.mex_from(65), 130);
    assert_eq!(counts.mex_from(500), 500);
}
