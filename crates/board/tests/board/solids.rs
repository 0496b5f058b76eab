//! Solids, with Euler's formula.

use nimrule_board::solids::around;
use nimrule_board::{Board, BoardError, CellKind};

fn counts(board: &Board) -> [usize; 3] {
    CellKind::ALL.map(|kind| board.count(kind).unwrap())
}

/// Checks that every edge is on two faces, that every vertex has one cycle of faces, and Euler's
/// formula.
fn assert_sphere(board: &Board) {
    let [v, e, f] = counts(board);
    assert_eq!(v + f, e + 2, "{board}");
    let walks: Vec<Vec<usize>> = board
        .faces()
        .unwrap()
        .iter()
        .map(|face| face.vertices.clone())
        .collect();
    let beside = board.touching(CellKind::Face, CellKind::Edge).unwrap();
    assert!(beside.iter().all(|faces| faces.len() == 2), "{board}");
    let at = board.touching(CellKind::Face, CellKind::Vertex).unwrap();
    for (vertex, faces) in at.iter().enumerate() {
        assert_eq!(around(&walks, vertex).len(), faces.len(), "{board}");
    }
    assert!(board.edges().is_sorted() && board.edges().iter().all(|[a, b]| a < b));
}

/// Checks that cell `i + half` is the only cell at the largest distance from cell `i`.
fn assert_opposite(board: &Board, kind: CellKind, half: usize) {
    let edges = board.touching(kind, CellKind::Edge).unwrap();
    let count = board.count(kind).unwrap();
    assert_eq!(count, 2 * half, "{board}");
    let distances = |from: usize| {
        let mut far = vec![usize::MAX; count];
        far[from] = 0;
        for step in 0..count {
            for pair in &edges {
                for (a, b) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    if far[a] == step && far[b] > step + 1 {
                        far[b] = step + 1;
                    }
                }
            }
        }
        far
    };
    for i in 0..half {
        let far = distances(i);
        let most = far.iter().max().unwrap();
        assert_eq!(&far[i + half], most, "{board} {kind} {i}");
        assert_eq!(far.iter().filter(|&d| d == most).count(), 1, "{board}");
    }
}

#[test]
fn solids_have_their_cells() {
    let solids = [
        (Board::tetrahedron(), [4, 6, 4]),
        (Board::cube(), [8, 12, 6]),
        (Board::octahedron(), [6, 12, 8]),
        (Board::dodecahedron(), [20, 30, 12]),
        (Board::icosahedron(), [12, 30, 20]),
        (Board::prism(3).unwrap(), [6, 9, 5]),
        (Board::prism(7).unwrap(), [14, 21, 9]),
        (Board::antiprism(3).unwrap(), [6, 12, 8]),
        (Board::antiprism(6).unwrap(), [12, 24, 14]),
        (Board::hypercube(3).unwrap(), [8, 12, 6]),
    ];
    for (board, expected) in solids {
        assert_eq!(counts(&board), expected, "{board}");
        assert_sphere(&board);
    }
    assert_eq!(counts(&Board::hypercube(2).unwrap()), [4, 4, 1]);
    assert_eq!(counts(&Board::hypercube(4).unwrap()), [16, 32, 24]);
    let segment = Board::hypercube(1).unwrap();
    assert_eq!(segment.count(CellKind::Face), None);
    assert_eq!(segment.edges(), [[0, 1]]);
}

#[test]
fn opposite_cells_are_half_the_list_apart() {
    assert_opposite(&Board::cube(), CellKind::Face, 3);
    assert_opposite(&Board::octahedron(), CellKind::Vertex, 3);
    assert_opposite(&Board::dodecahedron(), CellKind::Face, 6);
    assert_opposite(&Board::dodecahedron(), CellKind::Vertex, 10);
    assert_opposite(&Board::icosahedron(), CellKind::Vertex, 6);
    assert_opposite(&Board::icosahedron(), CellKind::Face, 10);
}

#[test]
fn the_cube_is_numbered_by_coordinates() {
    let cube = Board::cube();
    let on = cube.touching(CellKind::Vertex, CellKind::Face).unwrap();
    assert_eq!(on[0], [0, 2, 4, 6], "x = 0");
    assert_eq!(on[1], [0, 1, 4, 5], "y = 0");
    assert_eq!(on[2], [0, 1, 2, 3], "z = 0");
    assert_eq!(on[3], [1, 3, 5, 7], "x = 1");
    assert_eq!(cube.edges()[0], [0, 1]);
    assert_eq!(cube.edges()[11], [6, 7]);
    let tetrahedron = Board::tetrahedron();
    let on = tetrahedron
        .touching(CellKind::Vertex, CellKind::Face)
        .unwrap();
    assert!(on.iter().enumerate().all(|(i, face)| !face.contains(&i)));
}

#[test]
fn prisms_begin_with_their_polygons() {
    let prism = Board::prism(5).unwrap();
    let faces = prism.faces().unwrap();
    assert_eq!(faces[0].vertices, [0, 1, 2, 3, 4]);
    assert_eq!(faces[1].vertices, [5, 6, 7, 8, 9]);
    assert_eq!(faces[6].vertices, [4, 0, 5, 9]);
    let beside = prism.touching(CellKind::Face, CellKind::Edge).unwrap();
    assert!((2..7).all(|i| beside.contains(&{
        let mut pair = vec![i, 2 + (i - 1) % 5];
        pair.sort_unstable();
        pair
    })));
}

#[test]
fn sizes_out_of_range_are_refused() {
    assert!(matches!(Board::prism(2), Err(BoardError::TooSmall { .. })));
    assert!(matches!(
        Board::hypercube(0),
        Err(BoardError::TooSmall { .. })
    ));
    assert!(Board::hypercube(9).is_ok());
    for far in [10, 64, usize::MAX] {
        assert!(matches!(
            Board::hypercube(far),
            Err(BoardError::TooLarge { .. })
        ));
    }
    assert!(Board::prism(3333).is_ok());
    for far in [3334, usize::MAX] {
        assert!(matches!(
            Board::prism(far),
            Err(BoardError::TooLarge { .. })
        ));
        assert!(matches!(
            Board::antiprism(far),
            Err(BoardError::TooLarge { .. })
        ));
    }
    assert_eq!(
        Board::antiprism(1).unwrap_err().to_string(),
        "`antiprism(1)` is too small: the number of sides must be at least 3"
    );
}
