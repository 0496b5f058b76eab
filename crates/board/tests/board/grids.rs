//! Circles, rows, grids and complete graphs.

use nimrule_board::{Arrangement, Board, BoardError, CellKind, Shrinking};

#[test]
fn small_circles_and_rows_have_few_edges() {
    let edges = |n| Board::circle(n, Shrinking::No).unwrap().edges().to_vec();
    assert!(edges(1).is_empty());
    assert_eq!(edges(2), [[0, 1]]);
    assert_eq!(edges(3), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(edges(4), [[0, 1], [0, 3], [1, 2], [2, 3]]);
    let row = Board::row(4, Shrinking::Yes).unwrap();
    assert_eq!(row.edges(), [[0, 1], [1, 2], [2, 3]]);
    assert_eq!(row.arrangement(), Some(Arrangement::Row));
    assert!(row.is_shrinking());
    assert_eq!(row.name(), "row(4) shrinking");
    assert_eq!(Board::circle(6, Shrinking::No).unwrap().name(), "circle(6)");
}

#[test]
fn grids_run_their_last_coordinate_fastest() {
    let grid = Board::grid(&[2, 3]).unwrap();
    assert_eq!(
        grid.lines(),
        [
            vec![0, 3],
            vec![1, 4],
            vec![2, 5],
            vec![0, 1, 2],
            vec![3, 4, 5]
        ]
    );
    assert_eq!(
        grid.edges(),
        [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]]
    );
    assert_eq!(grid.name(), "grid(2,3)");
    let cube = Board::grid(&[5, 5, 5]).unwrap();
    assert_eq!(cube.lines().len(), 75);
    assert_eq!(cube.lines()[0], [0, 25, 50, 75, 100]);
    let strip = Board::grid(&[3, 1]).unwrap();
    assert_eq!(strip.lines().len(), 4);
    assert_eq!(strip.count(CellKind::Edge), Some(2));
}

#[test]
fn complete_graphs_join_each_to_each() {
    assert_eq!(Board::complete(1).unwrap().summary(), "1 vertex, 0 edges");
    assert_eq!(Board::complete(4).unwrap().count(CellKind::Edge), Some(6));
    assert!(Board::complete(141).is_ok());
    assert!(Board::complete(142).is_err());
}

#[test]
fn sizes_out_of_range_are_refused() {
    for none in [
        Board::circle(0, Shrinking::No),
        Board::row(0, Shrinking::No),
        Board::complete(0),
        Board::grid(&[3, 0]),
    ] {
        assert!(matches!(none, Err(BoardError::TooSmall { .. })));
    }
    for huge in [
        Board::circle(usize::MAX, Shrinking::No),
        Board::row(10_001, Shrinking::No),
        Board::complete(usize::MAX),
        Board::grid(&[usize::MAX; 6]),
        Board::grid(&[100, 100]),
    ] {
        assert!(matches!(huge, Err(BoardError::TooLarge { .. })));
    }
    assert_eq!(
        Board::grid(&[]).unwrap_err(),
        BoardError::Dimensions { given: 0 }
    );
    assert_eq!(
        Board::grid(&[2; 7]).unwrap_err().to_string(),
        "a grid has 1 to 6 dimensions, not 7"
    );
    assert_eq!(
        Board::grid(&[70, 200]).unwrap_err().to_string(),
        "`grid(70,200)` has more than 10000 vertices"
    );
}
