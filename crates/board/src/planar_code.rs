//! The file format planar_code, a sequence of embedded graphs (Brinkmann and McKay, guide to
//! plantri).
//!
//! A graph is the number of vertices, followed for each vertex by its neighbours in clockwise order,
//! numbered from 1, and a zero. Numbers are single bytes. A graph of more than 255 vertices begins
//! with a zero, and all its further numbers have two bytes, in the byte order that the header
//! specifies.

use super::adjacency::Adjacency;
use super::named::NamedGraph;
use super::planar::check_connected;
use super::rotation::{Rotation, is_sphere};
use super::{Board, BoardError};

impl Board {
    /// The graph number `which` (from 1) of a planar_code file, with the faces of the embedding in
    /// the file. Its edges are ascending by their smaller and then their larger vertex; its faces
    /// are in the order of [`Board::planar`].
    ///
    /// Two-byte numbers are little-endian unless the header specifies otherwise.
    ///
    /// # Errors
    ///
    /// If the file is malformed or has no such graph, or if the graph is too large, not connected,
    /// or not embedded in the sphere.
    pub fn from_planar_code(bytes: &[u8], which: usize) -> Result<Board, BoardError> {
        let mut reader = Reader::after_header(bytes)?;
        if reader.at == bytes.len() {
            return Err(BoardError::NoGraphs);
        }
        let mut graphs = 0;
        while reader.at < bytes.len() {
            graphs += 1;
            let width = reader.width_of_graph();
            let vertices = reader.number(width)?;
            if graphs == which {
                return embedded(reader.graph(width, vertices)?);
            }
            for _ in 0..vertices {
                while reader.number(width)? != 0 {}
            }
        }
        Err(BoardError::NoSuchGraph { which, graphs })
    }
}

#[derive(Clone, Copy)]
enum Endian {
    Little,
    Big,
}

/// The number of bytes of a number.
#[derive(Clone, Copy)]
enum Width {
    One,
    Two(Endian),
}

/// The parser of a file, at a byte offset.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
}

/// A parsed graph, and for each vertex its neighbours in clockwise order.
struct Listed {
    graph: NamedGraph,
    neighbours: Vec<Vec<usize>>,
}

impl<'a> Reader<'a> {
    fn after_header(bytes: &'a [u8]) -> Result<Reader<'a>, BoardError> {
        let headers: [(&[u8], Endian); 4] = [
            (b">>planar_code<<", Endian::Little),
            (b">>planar_code <<", Endian::Little),
            (b">>planar_code le<<", Endian::Little),
            (b">>planar_code be<<", Endian::Big),
        ];
        let found = headers.iter().find(|(text, _)| bytes.starts_with(text));
        match found {
            Some(&(text, endian)) => Ok(Reader {
                bytes,
                at: text.len(),
                endian,
            }),
            None if bytes.starts_with(b">>") => Err(BoardError::BadHeader {
                format: "planar_code",
            }),
            None => Ok(Reader {
                bytes,
                at: 0,
                endian: Endian::Little,
            }),
        }
    }

    fn width_of_graph(&mut self) -> Width {
        if self.bytes[self.at] == 0 {
            self.at += 1;
            Width::Two(self.endian)
        } else {
            Width::One
        }
    }

    fn byte(&mut self) -> Result<u8, BoardError> {
        let byte = self.bytes.get(self.at);
        let byte = *byte.ok_or(BoardError::Truncated { offset: self.at })?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self, width: Width) -> Result<usize, BoardError> {
        let first = self.byte()?;
        let number = match width {
            Width::One => u16::from(first),
            Width::Two(Endian::Little) => u16::from_le_bytes([first, self.byte()?]),
            Width::Two(Endian::Big) => u16::from_be_bytes([first, self.byte()?]),
        };
        Ok(usize::from(number))
    }

    /// Parses a graph after its number of vertices.
    fn graph(&mut self, width: Width, vertices: usize) -> Result<Listed, BoardError> {
        let mut graph = NamedGraph::numbered(vertices)?;
        let mut neighbours = vec![Vec::new(); vertices];
        for (vertex, listed) in neighbours.iter_mut().enumerate() {
            loop {
                let offset = self.at;
                let number = self.number(width)?;
                if number == 0 {
                    break;
                }
                if number > vertices {
                    return Err(BoardError::NoSuchNeighbour {
                        offset,
                        vertex: graph.vertex_name(vertex),
                        neighbour: number,
                        vertices,
                    });
                }
                listed.push(number - 1);
            }
        }
        let mut upward: Vec<[usize; 2]> = Vec::new();
        let mut downward: Vec<[usize; 2]> = Vec::new();
        for (vertex, listed) in neighbours.iter().enumerate() {
            for &neighbour in listed {
                if neighbour < vertex {
                    downward.push([neighbour, vertex]);
                } else {
                    upward.push([vertex, neighbour]);
                }
            }
        }
        upward.sort_unstable();
        downward.sort_unstable();
        for &[a, b] in &upward {
            graph.join(a, b)?;
        }
        check_mutual(&mut graph, &upward, &downward)?;
        Ok(Listed { graph, neighbours })
    }
}

/// Checks that each edge is listed exactly once at each of its endpoints. `upward` are the edges
/// listed at their smaller vertex, which are in the graph; `downward` are those listed at their
/// larger vertex. Both lists are ascending.
fn check_mutual(
    graph: &mut NamedGraph,
    upward: &[[usize; 2]],
    downward: &[[usize; 2]],
) -> Result<(), BoardError> {
    let missing = |wanted: &[[usize; 2]], listed: &[[usize; 2]]| {
        let is_missing = |edge: &&[usize; 2]| listed.binary_search(edge).is_err();
        wanted.iter().find(is_missing).copied()
    };
    let one_sided = missing(upward, downward)
        .or_else(|| missing(downward, upward).map(|[smaller, larger]| [larger, smaller]));
    if let Some([a, b]) = one_sided {
        return Err(BoardError::OneSided {
            a: graph.vertex_name(a),
            b: graph.vertex_name(b),
        });
    }
    match downward.windows(2).find(|pair| pair[0] == pair[1]) {
        // The graph has the edge already, so that this returns the error.
        Some(twice) => graph.join(twice[0][1], twice[0][0]),
        None => Ok(()),
    }
}

/// The board of a parsed graph with the faces of its embedding.
fn embedded(listed: Listed) -> Result<Board, BoardError> {
    let Listed { graph, neighbours } = listed;
    let mut board = graph.to_board("planar graph")?;
    let edges = graph.edges();
    let adjacency = Adjacency::of(graph.vertices().len(), edges);
    check_connected(&graph, &adjacency)?;
    let around = neighbours
        .iter()
        .enumerate()
        .map(|(vertex, listed)| {
            let edge = |&neighbour: &usize| {
                let edge = adjacency.edge(vertex, neighbour);
                edge.expect("each neighbour was joined by an edge when it was read")
            };
            listed.iter().map(edge).collect()
        })
        .collect();
    let faces = Rotation::new(around).faces(edges);
    if !is_sphere(adjacency.vertices(), edges.len(), faces.len()) {
        return Err(BoardError::NotSphere {
            vertices: adjacency.vertices(),
            edges: edges.len(),
            faces: faces.len(),
        });
    }
    board.faces = Some(faces);
    Ok(board)
}
