//! Symmetry groups, compared with enumeration.

use itertools::Itertools;
use nimrule_board::{Board, CellKind, Shrinking, Structure, Symmetries};
use nimrule_fixtures::Numbers;
use std::collections::BTreeSet;

fn structure(points: usize, relations: &[&[&[usize]]]) -> Structure {
    let relations = relations
        .iter()
        .map(|sets| sets.iter().map(|set| set.to_vec()).collect())
        .collect();
    Structure { points, relations }
}

fn on_board(board: &Board, heaps_on: CellKind, selected: CellKind) -> Symmetries {
    Symmetries::of(&Structure {
        points: board.count(heaps_on).unwrap(),
        relations: vec![board.touching(heaps_on, selected).unwrap()],
    })
}

fn independent(points: usize) -> Symmetries {
    Symmetries::of(&structure(points, &[]))
}

#[test]
fn boards_have_their_known_symmetries() {
    let (v, e, f) = (CellKind::Vertex, CellKind::Edge, CellKind::Face);
    let circle = Board::circle(6, Shrinking::No).unwrap();
    let hypercube = |d| Board::hypercube(d).unwrap();
    for (board, heaps, selected, order) in [
        (Board::cube(), f, e, 48),
        (Board::cube(), f, v, 48),
        (Board::cube(), e, f, 48),
        (Board::cube(), v, e, 48),
        (Board::tetrahedron(), e, v, 24),
        (Board::dodecahedron(), v, e, 120),
        (Board::dodecahedron(), f, e, 120),
        (Board::icosahedron(), e, v, 120),
        (circle, v, e, 12),
        (Board::prism(7).unwrap(), v, e, 28),
        (Board::antiprism(5).unwrap(), f, e, 20),
        (hypercube(4), v, e, 384),
        (hypercube(6), v, e, 46_080),
        (Board::row(60, Shrinking::No).unwrap(), v, e, 2),
    ] {
        let symmetries = on_board(&board, heaps, selected);
        assert_eq!(symmetries.order(), Some(order), "{board}");
        assert!(symmetries.is_complete(), "{board}");
        assert_eq!(symmetries.describe(), format!("{order} symmetries"));
        assert!(symmetries.generators().len() <= 6);
    }
}

#[test]
fn arcs_determine_the_circle() {
    let arcs = (0..6).map(|i| (0..3).map(|k| (i + k) % 6).collect());
    let symmetries = Symmetries::of(&Structure {
        points: 6,
        relations: vec![arcs.collect()],
    });
    assert_eq!(symmetries.order(), Some(12));
    assert_eq!(
        symmetries.canonical(&[5, 1, 2, 3, 4, 0]),
        [0, 4, 3, 2, 1, 5]
    );
    assert_eq!(symmetries.orbit_size(&[1, 0, 0, 1, 0, 0]), 3);
}

#[test]
fn generators_generate_the_group_of_the_structure() {
    let circle: Vec<Vec<usize>> = (0..5).map(|i| vec![i, (i + 1) % 5]).collect();
    let of_circle = Symmetries::of(&Structure {
        points: 5,
        relations: vec![circle],
    });
    let generators = [vec![1, 2, 3, 4, 0], vec![4, 3, 2, 1, 0]];
    let generated = Symmetries::generated(5, &generators).unwrap();
    assert_eq!(generated.order(), Some(10));
    for position in [[3, 1, 4, 1, 5], [2, 7, 1, 8, 2], [0, 0, 1, 0, 0]] {
        assert_eq!(
            generated.canonical(&position),
            of_circle.canonical(&position)
        );
        assert_eq!(
            generated.orbit_size(&position),
            of_circle.orbit_size(&position)
        );
    }
    // Two classes of interchangeable points, exchanged by the third generator.
    let generators = [vec![1, 0, 2, 3], vec![0, 1, 3, 2], vec![2, 3, 0, 1]];
    let generated = Symmetries::generated(4, &generators).unwrap();
    assert_eq!(generated.order(), Some(8));
    assert_eq!(generated.interchangeable(), [vec![0, 1], vec![2, 3]]);
    assert_eq!(generated.canonical(&[9, 4, 7, 1]), [1, 7, 4, 9]);
    assert!(
        Symmetries::generated(
            8,
            &[vec![1, 0, 2, 3, 4, 5, 6, 7], vec![1, 2, 3, 4, 5, 6, 7, 0]]
        )
        .is_none()
    );
}

#[test]
fn independent_heaps_have_all_permutations() {
    let ten = independent(10);
    assert_eq!(ten.order(), Some(3_628_800));
    assert_eq!(ten.describe(), "all 3628800 permutations of 10 heaps");
    assert_eq!(independent(4).describe(), "all 24 permutations of 4 heaps");
    assert_eq!(independent(4).generators().len(), 3);
    assert_eq!(
        ten.canonical(&[3, 1, 2, 9, 9, 0, 1, 4, 4, 4]),
        [0, 1, 1, 2, 3, 4, 4, 4, 9, 9]
    );
    let singles: Vec<Vec<usize>> = (0..64).map(|point| vec![point]).collect();
    let many = Symmetries::of(&Structure {
        points: 64,
        relations: vec![singles],
    });
    assert!(many.is_complete());
    assert_eq!(many.order(), None);
    assert_eq!(many.describe(), "all permutations of 64 heaps");
    let mut position = vec![0; 64];
    assert_eq!(many.orbit_size(&position), 1);
    position[5] = 1;
    assert_eq!(many.orbit_size(&position), 64);
    for (entry, value) in position.iter_mut().zip(0..) {
        *entry = value;
    }
    assert_eq!(many.orbit_size(&position), u128::MAX);
    assert_eq!(independent(1).describe(), "only the identity");
    assert_eq!(independent(0).canonical(&[]), [0_u64; 0]);
    assert_eq!(independent(0).order(), Some(1));
    assert_eq!(independent(10_000).order(), None);
}

#[test]
fn classes_may_be_exchanged() {
    let pairs: Vec<Vec<usize>> = (0..3)
        .flat_map(|a| (3..6).map(move |b| vec![a, b]))
        .collect();
    let wells = Symmetries::of(&Structure {
        points: 6,
        relations: vec![pairs],
    });
    assert_eq!(wells.order(), Some(72));
    assert_eq!(wells.interchangeable(), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(wells.permutations().len(), 2);
    assert_eq!(wells.canonical(&[2, 9, 5, 8, 2, 1]), [1, 2, 8, 2, 5, 9]);
    assert_eq!(wells.orbit_size(&[1, 0, 0, 0, 0, 0]), 6);
}

#[test]
fn an_exceeded_limit_keeps_the_interchangeable_points() {
    // Twenty pairs of loose heaps: 2^20 within the pairs, and 20! orders of the pairs.
    let pairs: Vec<Vec<usize>> = (0..20).map(|i| vec![2 * i, 2 * i + 1]).collect();
    let symmetries = Symmetries::of(&Structure {
        points: 40,
        relations: vec![pairs],
    });
    assert!(!symmetries.is_complete());
    assert_eq!(symmetries.order(), Some(1 << 20));
    assert_eq!(
        symmetries.describe(),
        "1048576 symmetries, and more, too many to list"
    );
    // Large boards end within the bound, whatever is found.
    let circle = Board::circle(10_000, Shrinking::No).unwrap();
    let symmetries = on_board(&circle, CellKind::Vertex, CellKind::Edge);
    assert!(!symmetries.is_complete());
    assert_eq!(
        symmetries.describe(),
        "only the identity, and perhaps more: the search was stopped early"
    );
}

/// All symmetries, by trying every permutation.
fn by_enumeration(structure: &Structure) -> Vec<Vec<usize>> {
    let image = |sets: &[Vec<usize>], permutation: &[usize]| -> BTreeSet<BTreeSet<usize>> {
        sets.iter()
            .map(|set| set.iter().map(|&point| permutation[point]).collect())
            .collect()
    };
    let identity: Vec<usize> = (0..structure.points).collect();
    let points = 0..structure.points;
    (points.permutations(structure.points))
        .filter(|permutation| {
            structure
                .relations
                .iter()
                .all(|sets| image(sets, permutation) == image(sets, &identity))
        })
        .collect()
}

#[test]
fn small_structures_agree_with_all_permutations() {
    let mut numbers = Numbers::new(0x2545_F491_4F6C_DD1D);
    let mut below = |bound: usize| numbers.below(bound);
    let mut orders = BTreeSet::new();
    for _ in 0..200 {
        let points = 1 + below(6);
        let relations = (0..1 + below(2))
            .map(|_| {
                let size = 1 + below(3);
                (0..below(6))
                    .map(|_| (0..size).map(|_| below(points)).collect())
                    .collect()
            })
            .collect();
        let structure = Structure { points, relations };
        let all = by_enumeration(&structure);
        let symmetries = Symmetries::of(&structure);
        assert!(symmetries.is_complete());
        assert_eq!(symmetries.order(), Some(all.len() as u128), "{structure:?}");
        orders.insert(all.len());
        assert!(symmetries.generators().iter().all(|g| all.contains(g)));
        assert_eq!(generated(points, &symmetries.generators()), all.len());
        for _ in 0..4 {
            let position: Vec<u64> = (0..points).map(|_| below(4) as u64).collect();
            let images: BTreeSet<Vec<u64>> = all
                .iter()
                .map(|permutation| permutation.iter().map(|&p| position[p]).collect())
                .collect();
            let least = images.first().unwrap();
            assert_eq!(&symmetries.canonical(&position), least);
            assert_eq!(symmetries.is_canonical(&position), &position == least);
            for open in [vec![], vec![0], vec![1], vec![1, 2]] {
                let among = symmetries.undecided();
                let (mut left, mut rest) = (Vec::new(), Vec::new());
                let can = symmetries.can_be_canonical(&position, &open, &among, &mut left);
                assert!(can || &position != least, "{position:?}, {open:?}");
                let is = can && symmetries.can_be_canonical(&position, &[], &left, &mut rest);
                assert_eq!(is, &position == least, "{position:?}, {open:?}");
            }
            assert!(symmetries.is_canonical(least));
            assert_eq!(symmetries.orbit_size(&position), images.len() as u128);
            let mut visited = Vec::new();
            assert!(!symmetries.any_image(&position, &mut |image| {
                visited.push(image.to_vec());
                false
            }));
            assert_eq!(visited[0], position);
            assert_eq!(visited.into_iter().collect::<BTreeSet<_>>(), images);
            assert!(symmetries.any_image(&position, &mut |image| image == least.as_slice()));
        }
    }
    assert!(orders.len() > 10, "{orders:?}");
}

/// The number of permutations that these generate.
fn generated(points: usize, generators: &[Vec<usize>]) -> usize {
    let identity: Vec<usize> = (0..points).collect();
    let mut found = BTreeSet::from([identity.clone()]);
    let mut waiting = vec![identity];
    while let Some(permutation) = waiting.pop() {
        for generator in generators {
            let next: Vec<usize> = permutation.iter().map(|&p| generator[p]).collect();
            if found.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    found.len()
}
