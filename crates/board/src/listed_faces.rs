//! Planar graphs whose faces the rule file lists.

use super::adjacency::Adjacency;
use super::named::NamedGraph;
use super::planar::check_connected;
use super::rotation::is_sphere;
use super::{Board, BoardError, CellKind, Face, check_count};

impl Board {
    /// The graph with these faces, in this order, each given as the boundary walk by the names of
    /// its vertices, in either direction.
    ///
    /// # Errors
    ///
    /// If the faces do not form a sphere: consecutive vertices must be adjacent, every edge must be
    /// passed twice in all, the faces at a vertex must form one cycle, the graph must be connected,
    /// and V - E + F = 2.
    pub fn planar_with_faces(
        graph: &NamedGraph,
        faces: &[Vec<String>],
    ) -> Result<Board, BoardError> {
        let mut board = graph.to_board("planar graph")?;
        check_count("planar graph", Some(faces.len()), CellKind::Face.plural())?;
        let adjacency = Adjacency::of(graph.vertices().len(), graph.edges());
        let faces = faces
            .iter()
            .enumerate()
            .map(|(index, walk)| read_face(graph, &adjacency, index, walk))
            .collect::<Result<Vec<Face>, BoardError>>()?;
        check_sides(graph, &faces)?;
        check_connected(graph, &adjacency)?;
        check_rings(graph, &adjacency, &faces)?;
        let (vertices, edges) = (adjacency.vertices(), graph.edges().len());
        // With one cycle of faces at each vertex the faces form a closed surface. Among these only
        // the sphere has the Euler characteristic 2.
        if !is_sphere(vertices, edges, faces.len()) {
            return Err(BoardError::NotSphere {
                vertices,
                edges,
                faces: faces.len(),
            });
        }
        board.faces = Some(faces);
        Ok(board)
    }
}

fn read_face(
    graph: &NamedGraph,
    adjacency: &Adjacency,
    index: usize,
    walk: &[String],
) -> Result<Face, BoardError> {
    let vertices = walk
        .iter()
        .map(|name| {
            graph.vertex(name).ok_or_else(|| BoardError::UnknownVertex {
                face: index,
                name: name.clone(),
            })
        })
        .collect::<Result<Vec<usize>, BoardError>>()?;
    let Some(&first) = vertices.first() else {
        return Err(BoardError::EmptyFace { face: index });
    };
    // The only face of a graph with a single vertex is the walk of length 0.
    if vertices.len() == 1 && adjacency.degree(first) == 0 {
        return Ok(Face {
            vertices,
            edges: Vec::new(),
        });
    }
    let next = vertices.iter().skip(1).chain([&first]);
    let edges = vertices
        .iter()
        .zip(next)
        .map(|(&a, &b)| {
            adjacency.edge(a, b).ok_or_else(|| BoardError::NotAdjacent {
                face: index,
                a: graph.vertex_name(a),
                b: graph.vertex_name(b),
            })
        })
        .collect::<Result<Vec<usize>, BoardError>>()?;
    Ok(Face { vertices, edges })
}

/// Checks that the faces pass every edge twice in all.
fn check_sides(graph: &NamedGraph, faces: &[Face]) -> Result<(), BoardError> {
    let mut passed_by = vec![Vec::new(); graph.edges().len()];
    for (index, face) in faces.iter().enumerate() {
        for &edge in &face.edges {
            passed_by[edge].push(index);
        }
    }
    match passed_by.iter().position(|faces| faces.len() != 2) {
        Some(edge) => Err(BoardError::WrongSides {
            edge,
            name: graph.edge_name(edge),
            sides: passed_by[edge].len(),
            faces: std::mem::take(&mut passed_by[edge]),
        }),
        None => Ok(()),
    }
}

/// Checks that the faces at each vertex form one cycle.
///
/// A face that passes a vertex joins the edge by which it enters to the edge by which it leaves.
/// Since every edge has two sides, these joints form cycles of edges at the vertex. Two cycles or
/// more mean that two sheets of the surface touch in one point.
fn check_rings(
    graph: &NamedGraph,
    adjacency: &Adjacency,
    faces: &[Face],
) -> Result<(), BoardError> {
    let mut joints: Vec<Vec<[usize; 2]>> = vec![Vec::new(); adjacency.vertices()];
    for face in faces {
        let coming = face.edges.iter().cycle().skip(face.edges.len().max(1) - 1);
        for ((&vertex, &going), &coming) in face.vertices.iter().zip(&face.edges).zip(coming) {
            joints[vertex].push([coming, going]);
        }
    }
    for (vertex, joints) in joints.iter().enumerate() {
        let mut ring: Vec<usize> = adjacency
            .at(vertex)
            .iter()
            .take(1)
            .map(|l| l.edge)
            .collect();
        let mut left = joints.clone();
        let mut at = 0;
        while let Some(&edge) = ring.get(at) {
            at += 1;
            left.retain(|&[a, b]| {
                let beyond = match edge {
                    _ if a == edge => b,
                    _ if b == edge => a,
                    _ => return true,
                };
                if !ring.contains(&beyond) {
                    ring.push(beyond);
                }
                false
            });
        }
        if ring.len() != adjacency.degree(vertex) {
            return Err(BoardError::Pinched {
                vertex: graph.vertex_name(vertex),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::named::examples::graph;
    use crate::{Board, BoardError, CellKind};

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
}
