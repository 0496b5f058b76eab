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

#[cfg(test)]
pub(super) mod examples {
    use super::NamedGraph;

    /// The graph of these edges: `A-B B-C`. A word without a hyphen is a vertex.
    pub fn graph(edges: &str) -> NamedGraph {
        let mut graph = NamedGraph::new();
        for word in edges.split_whitespace() {
            match word.split_once('-') {
                Some((a, b)) => graph.add_edge(a, b).unwrap(),
                None => drop(graph.add_vertex(word).unwrap()),
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::examples::graph;
    use crate::{Board, BoardError, CellKind, MAX_CELLS, NamedGraph};

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
}
