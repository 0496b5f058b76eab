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
