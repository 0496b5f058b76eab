//! Incidences of cells.

use nimrule_board::{Board, CellKind, NamedGraph, Shrinking};

#[test]
fn incidence_goes_both_ways() {
    let cube = Board::cube();
    let shared = cube.touching(CellKind::Face, CellKind::Edge).unwrap();
    assert_eq!(shared.len(), 12);
    assert!(shared.iter().all(|faces| faces.len() == 2));
    let at_corners = cube.touching(CellKind::Face, CellKind::Vertex).unwrap();
    assert_eq!(at_corners[0], [0, 1, 2]);
    assert_eq!(at_corners[7], [3, 4, 5]);
    assert_eq!(at_corners[1], [1, 2, 3]);
    let own = cube.touching(CellKind::Edge, CellKind::Edge).unwrap();
    assert_eq!(own[11], [11]);
    let around = cube.touching(CellKind::Edge, CellKind::Face).unwrap();
    assert!(around.iter().all(|edges| edges.len() == 4));
}

#[test]
fn missing_kinds_have_no_incidences() {
    let circle = Board::circle(5, Shrinking::No).unwrap();
    assert_eq!(circle.touching(CellKind::Vertex, CellKind::Face), None);
    assert_eq!(circle.touching(CellKind::Face, CellKind::Face), None);
    let one = Board::circle(1, Shrinking::No).unwrap();
    assert_eq!(
        one.touching(CellKind::Vertex, CellKind::Edge),
        Some(Vec::new())
    );
}

#[test]
fn summaries_count_the_cells() {
    assert_eq!(Board::cube().summary(), "8 vertices, 12 edges, 6 faces");
    let grid = Board::grid(&[5, 5, 5]).unwrap();
    assert_eq!(grid.summary(), "125 vertices, 300 edges, 75 lines");
    let pair = Board::row(2, Shrinking::No).unwrap();
    assert_eq!(pair.summary(), "2 vertices, 1 edge");
}

#[test]
fn cells_have_names_or_numbers() {
    let mut graph = NamedGraph::new();
    for (a, b) in [("A", "B"), ("B", "C"), ("C", "A")] {
        graph.add_edge(a, b).unwrap();
    }
    let board = Board::planar(&graph).unwrap();
    assert!(board.names_are_given());
    assert_eq!(board.cell_name(CellKind::Vertex, 2), "C");
    assert_eq!(board.cell_name(CellKind::Edge, 2), "C-A");
    assert_eq!(board.cell_name(CellKind::Face, 1), "A-B-C");
    let cube = Board::cube();
    assert!(!cube.names_are_given());
    assert_eq!(cube.cell_name(CellKind::Vertex, 0), "v1");
    assert_eq!(cube.cell_name(CellKind::Edge, 11), "e12");
    assert_eq!(cube.cell_name(CellKind::Face, 5), "f6");
}
