//! Boards of named graphs.

use crate::graph;
use nimrule_board::{Board, BoardError, CellKind, MAX_CELLS, NamedGraph};

#[test]
fn cells_keep_the_order_in_which_they_were_written() {
    let board = Board::graph(&graph("C-B B-A D A-C")).unwrap();
    let names = |kind| -> Vec<String> {
        (0..board.count(kind).unwrap())
            .map(|index| board.cell_name(kind, index))
            .collect()
    };
    assert_eq!(names(CellKind::Vertex), ["C", "B", "A", "D"]);
    assert_eq!(names(CellKind::Edge), ["C-B", "B-A", "A-C"]);
    assert_eq!(board.count(CellKind::Face), None);
    assert_eq!(board.name(), "graph");
}

#[test]
fn loops_and_double_edges_are_refused_with_their_place() {
    let mut graph = NamedGraph::new();
    graph.add_edge("A", "B").unwrap();
    assert_eq!(
        graph.add_edge("A", "A"),
        Err(BoardError::Loop {
            edge: 1,
            vertex: "A".to_owned()
        })
    );
    graph.add_edge("B", "C").unwrap();
    let double = graph.add_edge("C", "B").unwrap_err();
    assert_eq!(double.to_string(), "the edge `C-B` is given twice");
    assert!(matches!(
        double,
        BoardError::DoubleEdge {
            edge: 3,
            first: 2,
            ..
        }
    ));
    assert_eq!(graph.edges(), [[0, 1], [1, 2]]);
}

#[test]
fn sizes_out_of_range_are_refused() {
    assert_eq!(
        Board::graph(&NamedGraph::new()).unwrap_err(),
        BoardError::NoVertices
    );
    let mut graph = NamedGraph::new();
    for number in 0..MAX_CELLS {
        graph.add_vertex(&number.to_string()).unwrap();
    }
    assert!(graph.add_vertex("0").is_ok(), "this one is there already");
    assert!(matches!(
        graph.add_edge("0", "one more"),
        Err(BoardError::TooLarge { .. })
    ));
}
