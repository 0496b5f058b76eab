//! Graphs of the rule file, with named vertices.

use std::collections::BTreeMap;

use super::{Board, BoardError, CellKind, check_count};

/// A simple graph with named vertices. Vertices and edges are numbered in the order in which they
/// are added.
#[derive(Clone, Debug, Default)]
pub struct NamedGraph {
    vertices: Vec<String>,
    edges: Vec<[usize; 2]>,
    naming: Naming,
    index: BTreeMap<String, usize>,
    /// The place of each edge, smaller vertex first, in the sequence of added edges.
    places: BTreeMap<[usize; 2], usize>,
    /// The number of edges added so far, including rejected ones.
    given: usize,
}

/// The origin of the names of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Naming {
    #[default]
    ByAuthor,
    /// The vertices have no names and are called v1, v2, ….
    ByNumber,
}

impl NamedGraph {
    /// The graph without vertices.
    pub fn new() -> NamedGraph {
        NamedGraph::default()
    }

    /// The graph of `n` vertices without names and without edges.
    pub(super) fn numbered(n: usize) -> Result<NamedGraph, BoardError> {
        check_count("graph", Some(n), CellKind::Vertex.plural())?;
        Ok(NamedGraph {
            vertices: (1..=n).map(|number| format!("v{number}")).collect(),
            naming: Naming::ByNumber,
            ..NamedGraph::default()
        })
    }

    /// The vertex of this name, which is added if it is new.
    ///
    /// # Errors
    ///
    /// If there are too many vertices.
    pub fn add_vertex(&mut self, name: &str) -> Result<usize, BoardError> {
        if let Some(&vertex) = self.index.get(name) {
            return Ok(vertex);
        }
        let vertex = self.vertices.len();
        check_count("graph", Some(vertex + 1), CellKind::Vertex.plural())?;
        self.vertices.push(name.to_owned());
        self.index.insert(name.to_owned(), vertex);
        Ok(vertex)
    }

    /// Adds an edge, and its endpoints if they are new.
    ///
    /// # Errors
    ///
    /// If the edge is a loop or a double edge, or if there are too many cells. The error includes
    /// the place of the edge in the sequence of all edges added, including rejected ones, so that
    /// the caller may continue after an error.
    pub fn add_edge(&mut self, a: &str, b: &str) -> Result<(), BoardError> {
        let ends = self
            .add_vertex(a)
            .and_then(|a| Ok((a, self.add_vertex(b)?)));
        match ends {
            Ok((a, b)) => self.join(a, b),
            Err(error) => {
                self.given += 1;
                Err(error)
            }
        }
    }

    /// Adds an edge between two vertices of the graph.
    pub(super) fn join(&mut self, a: usize, b: usize) -> Result<(), BoardError> {
        let place = self.given;
        self.given += 1;
        if a == b {
            return Err(BoardError::Loop {
                edge: place,
                vertex: self.vertices[a].clone(),
            });
        }
        let key = [a.min(b), a.max(b)];
        if let Some(&first) = self.places.get(&key) {
            return Err(BoardError::DoubleEdge {
                edge: place,
                first,
                a: self.vertices[a].clone(),
                b: self.vertices[b].clone(),
            });
        }
        check_count("graph", Some(self.edges.len() + 1), CellKind::Edge.plural())?;
        self.places.insert(key, place);
        self.edges.push([a, b]);
        Ok(())
    }

    /// The names of the vertices.
    pub fn vertices(&self) -> &[String] {
        &self.vertices
    }

    /// The edges, each as its two endpoints in the order given.
    pub fn edges(&self) -> &[[usize; 2]] {
        &self.edges
    }

    /// The vertex of this name.
    pub fn vertex(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(super) fn vertex_name(&self, vertex: usize) -> String {
        self.vertices[vertex].clone()
    }

    pub(super) fn edge_name(&self, edge: usize) -> String {
        let [a, b] = self.edges[edge];
        format!("{}-{}", self.vertices[a], self.vertices[b])
    }

    /// The board of this graph, without faces.
    pub(super) fn to_board(&self, name: &str) -> Result<Board, BoardError> {
        if self.vertices.is_empty() {
            return Err(BoardError::NoVertices);
        }
        let mut board = Board::without_faces(name, self.vertices.len(), self.edges.clone());
        board.names = match self.naming {
            Naming::ByAuthor => Some(self.vertices.clone()),
            Naming::ByNumber => None,
        };
        Ok(board)
    }
}

impl Board {
    /// The board of a graph, without faces. The graph need be neither connected nor planar.
    ///
    /// # Errors
    ///
    /// If the graph has no vertices.
    pub fn graph(graph: &NamedGraph) -> Result<Board, BoardError> {
        graph.to_board("graph")
    }
}
