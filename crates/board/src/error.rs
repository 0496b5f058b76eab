//! The errors of boards, with the evidence that a user needs to fix them.
//!
//! Vertices and edges appear by name. An error in one edge or face of a list includes its index in
//! the list, from 0, so that the caller can point at the text.

use thiserror::Error;

use super::MAX_CELLS;

/// Why a board cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    // Sizes.
    /// A size is too small.
    #[error("`{board}` is too small: {what} must be at least {least}")]
    TooSmall {
        /// The board as written, `grid(0, 3)`.
        board: String,
        /// The size that is too small, in words.
        what: &'static str,
        /// The smallest size allowed.
        least: usize,
    },
    /// The board has more than [`MAX_CELLS`] cells of a kind.
    #[error("`{board}` has more than {MAX_CELLS} {cells}")]
    TooLarge {
        /// The board as written.
        board: String,
        /// The kind of cells, in the plural.
        cells: &'static str,
    },
    /// A grid has too few or too many dimensions.
    #[error("a grid has 1 to 6 dimensions, not {given}")]
    Dimensions {
        /// The number of dimensions.
        given: usize,
    },
    /// The graph is empty.
    #[error("a board needs at least one vertex")]
    NoVertices,

    // Graphs of the rule file.
    /// An edge joins a vertex to itself.
    #[error("the edge `{vertex}-{vertex}` joins a vertex to itself")]
    Loop {
        /// The index of the edge in the list.
        edge: usize,
        /// The name of the vertex.
        vertex: String,
    },
    /// Two edges join the same vertices.
    #[error("the edge `{a}-{b}` is given twice")]
    DoubleEdge {
        /// The index of the second of the two edges in the list.
        edge: usize,
        /// The index of the first of the two edges.
        first: usize,
        /// The name of one end.
        a: String,
        /// The name of the other end.
        b: String,
    },

    // Embeddings.
    /// The graph has several components.
    #[error("the graph is not connected: there is no path from `{a}` to `{b}`")]
    NotConnected {
        /// The name of a vertex.
        a: String,
        /// The name of a vertex of another component.
        b: String,
    },
    /// The graph has no embedding in the sphere.
    #[error("the graph is not planar{}", obstruction_message(obstruction.as_ref()))]
    NotPlanar {
        /// The proof, unless the graph is too large to search for one.
        obstruction: Option<Obstruction>,
    },
    /// The graph has several embeddings in the sphere, with different faces.
    #[error("the graph has more than one embedding, with different faces: {ambiguity}")]
    NotUnique {
        /// A part that can be embedded in another way.
        ambiguity: Ambiguity,
    },

    // Faces listed in the rule file.
    /// A face of the list is empty.
    #[error("face {} has no vertices", .face + 1)]
    EmptyFace {
        /// The index of the face in the list.
        face: usize,
    },
    /// A face of the list names a vertex that the graph has not.
    #[error("there is no vertex `{name}` in the graph")]
    UnknownVertex {
        /// The index of the face in the list.
        face: usize,
        /// The name.
        name: String,
    },
    /// Consecutive vertices of a face are not adjacent in the graph.
    #[error("face {} goes from `{a}` to `{b}`, but no edge joins them", .face + 1)]
    NotAdjacent {
        /// The index of the face in the list.
        face: usize,
        /// The name of one vertex.
        a: String,
        /// The name of the vertex after it.
        b: String,
    },
    /// An edge is not a side of exactly two faces, or of one face twice.
    #[error("the edge `{name}` is on {}, instead of two", count_of_sides(*.sides))]
    WrongSides {
        /// The index of the edge in the list.
        edge: usize,
        /// The names of its ends, `A-B`.
        name: String,
        /// The number of sides of faces that it is.
        sides: usize,
        /// The faces that it is a side of, with repetitions.
        faces: Vec<usize>,
    },
    /// The faces at a vertex form several cycles, so that they do not form a surface.
    #[error("the faces at the vertex `{vertex}` do not form a single cycle around it")]
    Pinched {
        /// The name of the vertex.
        vertex: String,
    },
    /// The faces form a surface other than the sphere: Euler's formula fails.
    #[error(
        "the faces do not form a sphere: {vertices} vertices - {edges} edges + {faces} faces is {}, not 2",
        *.vertices as i64 - *.edges as i64 + *.faces as i64
    )]
    NotSphere {
        /// The number of vertices.
        vertices: usize,
        /// The number of edges.
        edges: usize,
        /// The number of faces.
        faces: usize,
    },

    // Files of graphs.
    /// The file is empty.
    #[error("there is no graph in the file")]
    NoGraphs,
    /// The file has fewer graphs than the number asked for.
    #[error("there is no graph number {which}: the file has {graphs}")]
    NoSuchGraph {
        /// The number asked for, from 1.
        which: usize,
        /// The number of graphs in the file.
        graphs: usize,
    },
    /// The file has a header, and it is not of this format.
    #[error("the header of the file is not one of {format}")]
    BadHeader {
        /// The headers of the format.
        format: &'static str,
    },
    /// A byte has no meaning where it is.
    #[error("byte {byte} at offset {offset} is not valid in a {format} file")]
    BadByte {
        /// The name of the format.
        format: &'static str,
        /// The offset of the byte in the file, from 0.
        offset: usize,
        /// The byte.
        byte: u8,
    },
    /// The file ends too early.
    #[error("the file ends at offset {offset}, in the middle of a graph")]
    Truncated {
        /// The offset of the end.
        offset: usize,
    },
    /// There are bytes after the end of a graph and before the end of its line.
    #[error("the graph ends at offset {offset}, but its line continues")]
    TrailingBytes {
        /// The offset of the first of these bytes.
        offset: usize,
    },
    /// A vertex has a neighbour that does not exist.
    #[error(
        "`{vertex}` has a neighbour number {neighbour} at offset {offset}, but there are {vertices} vertices"
    )]
    NoSuchNeighbour {
        /// The offset of the neighbour's number in the file.
        offset: usize,
        /// The name of the vertex.
        vertex: String,
        /// The number of the neighbour.
        neighbour: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// The lists of neighbours are not symmetric.
    #[error("`{a}` lists `{b}` as a neighbour, but `{b}` does not list `{a}`")]
    OneSided {
        /// The vertex whose list has the neighbour.
        a: String,
        /// The neighbour, whose list lacks the vertex.
        b: String,
    },
}

impl BoardError {
    /// How to fix the error, in the imperative, if there is one way.
    pub fn help(&self) -> Option<String> {
        match self {
            BoardError::NotUnique { .. } => Some("list the faces: `faces { A B C, … }`".to_owned()),
            BoardError::NotPlanar { .. } => {
                Some("write `graph` instead of `planar` for a board without faces".to_owned())
            }
            BoardError::NotConnected { .. } => {
                Some("join the parts, or write `graph` for a board without faces".to_owned())
            }
            BoardError::WrongSides { sides, .. } if *sides < 2 => {
                Some("list every face, the outer one too".to_owned())
            }
            BoardError::BadByte {
                format: "graph6",
                byte: b':' | b';' | b'&' | b'>',
                ..
            } => Some("convert the file from sparse6 or digraph6 to graph6".to_owned()),
            _ => None,
        }
    }
}

/// A Kuratowski subgraph, which proves that a graph is not planar: a subdivision of K5 or of K3,3
/// (Kuratowski 1930).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstruction {
    /// The graph that it is a subdivision of.
    pub subdivided: KuratowskiGraph,
    /// The indices of its edges, ascending.
    pub edges: Vec<usize>,
    /// The same edges by name.
    pub names: Vec<String>,
}

/// The two graphs of Kuratowski's theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KuratowskiGraph {
    /// The complete graph on five vertices.
    K5,
    /// The complete bipartite graph on three and three vertices.
    K33,
}

/// A part of a graph that can be embedded differently, so that the faces are not unique.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Ambiguity {
    /// A part that is attached at two vertices, given by their names.
    #[error("a part between the vertices `{0}` and `{1}` can be reflected or moved")]
    Pair(String, String),
    /// A part that is attached at one vertex, given by its name.
    #[error("a part attached at the vertex `{0}` can be moved to another face")]
    CutVertex(String),
}

fn obstruction_message(obstruction: Option<&Obstruction>) -> String {
    /// The largest number of edges named in the message; the obstruction lists all of them.
    const MAX_NAMED: usize = 30;
    let Some(found) = obstruction else {
        return String::new();
    };
    let graph = match found.subdivided {
        KuratowskiGraph::K5 => "K5",
        KuratowskiGraph::K33 => "K3,3",
    };
    let (shown, rest) = found.names.split_at(found.names.len().min(MAX_NAMED));
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" and {} more", rest.len())
    };
    format!(
        ": the edges `{}`{more} form a subdivision of {graph}",
        shown.join("`, `")
    )
}

fn count_of_sides(sides: usize) -> String {
    match sides {
        0 => "no side of any face".to_owned(),
        1 => "one side of a face".to_owned(),
        _ => format!("{sides} sides of faces"),
    }
}
