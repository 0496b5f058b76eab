//! Planar graphs with the faces of their embedding.
//!
//! Faces are computed only if they are the same in every embedding on the sphere. Otherwise the rule
//! file must list them.

mod kuratowski;

use super::adjacency::Adjacency;
use super::blocks::blocks;
use super::demoucron;
use super::error::{Ambiguity, Obstruction};
use super::named::NamedGraph;
use super::rotation::{Rotation, is_sphere};
use super::uniqueness::{AmbiguousAt, find_ambiguity};
use super::{Board, BoardError};
use kuratowski::find_obstruction;

impl Board {
    /// The planar graph with the faces of its embedding on the sphere, including the outer face.
    ///
    /// Each face is given by its lexicographically smallest boundary walk, and the faces are
    /// ascending by these.
    ///
    /// # Errors
    ///
    /// If the graph is empty, not connected or not planar, or if its faces, as sets of edges, are
    /// not the same in every embedding.
    pub fn planar(graph: &NamedGraph) -> Result<Board, BoardError> {
        let mut board = graph.to_board("planar graph")?;
        let edges = graph.edges();
        let adjacency = Adjacency::of(graph.vertices().len(), edges);
        check_connected(graph, &adjacency)?;
        let Some(rotation) = embed(&adjacency, edges) else {
            let obstruction =
                find_obstruction(adjacency.vertices(), edges).map(|(subdivided, edges)| {
                    Obstruction {
                        subdivided,
                        names: edges.iter().map(|&edge| graph.edge_name(edge)).collect(),
                        edges,
                    }
                });
            return Err(BoardError::NotPlanar { obstruction });
        };
        let faces = rotation.faces(edges);
        assert!(
            is_sphere(adjacency.vertices(), edges.len(), faces.len()),
            "the embedding of a connected planar graph satisfies Euler's formula"
        );
        if let Some(at) = find_ambiguity(&adjacency, edges, &blocks(&adjacency), &faces) {
            let ambiguity = match at {
                AmbiguousAt::Pair(u, v) => {
                    Ambiguity::Pair(graph.vertex_name(u), graph.vertex_name(v))
                }
                AmbiguousAt::CutVertex(vertex) => Ambiguity::CutVertex(graph.vertex_name(vertex)),
            };
            return Err(BoardError::NotUnique { ambiguity });
        }
        board.faces = Some(faces);
        Ok(board)
    }
}

pub(super) fn check_connected(graph: &NamedGraph, adjacency: &Adjacency) -> Result<(), BoardError> {
    match adjacency.unreachable_vertex() {
        Some(vertex) => Err(BoardError::NotConnected {
            a: graph.vertex_name(0),
            b: graph.vertex_name(vertex),
        }),
        None => Ok(()),
    }
}

/// A planar embedding of a graph; `None` if the graph is not planar.
///
/// A graph is planar if and only if its blocks are. At a cut vertex the edges of each block are
/// consecutive, so that each block lies in one face of the others.
pub fn embed(adjacency: &Adjacency, edges: &[[usize; 2]]) -> Option<Rotation> {
    let vertices = adjacency.vertices();
    let mut around = vec![Vec::new(); vertices];
    // The number of each vertex within the current block.
    let mut inside = vec![0; vertices];
    for block in blocks(adjacency) {
        let mut own: Vec<usize> = block.iter().flat_map(|&edge| edges[edge]).collect();
        own.sort_unstable();
        own.dedup();
        for (number, &vertex) in own.iter().enumerate() {
            inside[vertex] = number;
        }
        let block_edges: Vec<[usize; 2]> = block
            .iter()
            .map(|&edge| edges[edge].map(|vertex| inside[vertex]))
            .collect();
        let rotation = demoucron::embed(own.len(), &block_edges)?;
        for (vertex, ring) in own.into_iter().zip(rotation) {
            around[vertex].extend(ring.into_iter().map(|edge| block[edge]));
        }
    }
    Some(Rotation::new(around))
}
