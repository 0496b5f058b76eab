//! The cases into which forms divide positions.

use nimrule_board::Symmetries;
use nimrule_discover::forms::case::{Case, Part, pairings};

#[test]
fn opposite_faces_are_the_pairs_of_a_cube() {
    // Quarter turns about two axes; the faces a and A, b and B, c and C are opposite.
    let turns = [vec![0, 2, 4, 3, 5, 1], vec![2, 1, 3, 5, 4, 0]];
    let cube = Symmetries::generated(6, &turns).unwrap();
    assert_eq!(
        pairings(6, &cube),
        [vec![vec![0, 3], vec![1, 4], vec![2, 5]]]
    );
    assert!(pairings(5, &Symmetries::all(5)).is_empty());
    assert!(pairings(4, &Symmetries::all(4)).is_empty());
}

#[test]
fn a_part_and_its_complement_have_each_row_once() {
    let names: Vec<String> = ["x", "y", "z", "w"].map(str::to_owned).to_vec();
    let cases = [
        Case::by_largest(4),
        Case::by_number(4, &Symmetries::trivial(4)),
    ];
    for case in cases.concat() {
        let (with, without) = (Part::with(&case), Part::without(&case));
        for number in 0..81_u64 {
            let row = [number % 3, number / 3 % 3, number / 9 % 3, number / 27];
            assert_ne!(with.admits(&row), without.admits(&row));
        }
        assert_ne!(with.words(&names), without.words(&names));
    }
    let pairs = Case {
        groups: vec![vec![0, 1], vec![2, 3]],
        size: 1,
        least: 2,
    };
    assert!(!Part::with(&pairs).admits(&[5, 1, 0, 0]));
    assert!(Part::with(&pairs).admits(&[5, 0, 0, 1]));
    assert_eq!(
        Part::without(&pairs).words(&names).as_deref(),
        Some("count(a in {x + y, z + w} where a >= 1) < 2")
    );
}
