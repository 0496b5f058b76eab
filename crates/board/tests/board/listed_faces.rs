//! Planar boards whose faces are listed.

use crate::graph;
use nimrule_board::{Board, BoardError, CellKind};

/// The board of a graph and its faces, each a word of vertices of one letter.
fn board(edges: &str, faces: &str) -> Result<Board, BoardError> {
    let faces: Vec<Vec<String>> = faces
        .split_whitespace()
        .map(|face| face.chars().map(String::from).collect())
        .collect();
    Board::planar_with_faces(&graph(edges), &faces)
}

fn fault(edges: &str, faces: &str) -> String {
    board(edges, faces).unwrap_err().to_string()
}

const TETRAHEDRON: &str = "A-B A-C A-D B-C B-D C-D";

#[test]
fn faces_keep_their_order_and_walk() {
    let tetrahedron = board(TETRAHEDRON, "BCD DCA ABD CBA").unwrap();
    assert_eq!(tetrahedron.summary(), "4 vertices, 6 edges, 4 faces");
    assert_eq!(tetrahedron.cell_name(CellKind::Face, 1), "D-C-A");
    let beside = tetrahedron
        .touching(CellKind::Face, CellKind::Edge)
        .unwrap();
    assert_eq!(beside[0], [2, 3], "A-B is on the faces A B D and C B A");
    // Four paths between A and Z, in the order B, D, C, E.
    let four = "A-B B-Z A-C C-Z A-D D-Z A-E E-Z";
    assert!(board(four, "ABZD ADZC ACZE AEZB").is_ok());
    assert!(board("A-B", "AB").is_ok());
    assert!(board("A", "A").is_ok());
    assert!(board("A-B B-C C-A C-D", "ABC ABCDC").is_ok());
}

#[test]
fn every_error_is_distinguished() {
    assert_eq!(
        fault(TETRAHEDRON, "ABC ABX"),
        "there is no vertex `X` in the graph"
    );
    assert_eq!(
        fault("A-B B-C C-D D-A", "ABCD ABC"),
        "face 2 goes from `C` to `A`, but no edge joins them"
    );
    assert_eq!(
        fault(TETRAHEDRON, "ABC ABD ACD"),
        "the edge `B-C` is on one side of a face, instead of two"
    );
    assert_eq!(
        fault(TETRAHEDRON, "ABC ABC ABC ABD"),
        "the edge `A-B` is on 4 sides of faces, instead of two"
    );
    assert_eq!(
        fault("A-B C-D", "AB CD"),
        "the graph is not connected: there is no path from `A` to `C`"
    );
    assert_eq!(
        fault("A-B B-C C-A A-D D-E E-A", "ABC ABC ADE ADE"),
        "the faces at the vertex `A` do not form a single cycle around it"
    );
    assert_eq!(
        fault(TETRAHEDRON, "ABCD ABDC ACBD"),
        "the faces do not form a sphere: 4 vertices - 6 edges + 3 faces is 1, not 2"
    );
    assert_eq!(
        board("A-B", "AB")
            .map(drop)
            .and(Board::planar_with_faces(&graph("A-B"), &[Vec::new()]).map(drop)),
        Err(BoardError::EmptyFace { face: 0 })
    );
    assert_eq!(
        fault("A-B B-C C-A", "A"),
        "face 1 goes from `A` to `A`, but no edge joins them"
    );
}
