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
    #[error("`{board}` is too small: {what} must be at least {least}")]
    TooSmall {
        board: String,
        what: &'static str,
        least: usize,
    },
    #[error("`{board}` has more than {MAX_CELLS} {cells}")]
    TooLarge { board: String, cells: &'static str },
    #[error("a grid has 1 to 6 dimensions, not {given}")]
    Dimensions { given: usize },
    #[error("a board needs at least one vertex")]
    NoVertices,

    // Graphs of the rule file.
    #[error("the edge `{vertex}-{vertex}` joins a vertex to itself")]
    Loop { edge: usize, vertex: String },
    #[error("the edge `{a}-{b}` is given twice")]
    DoubleEdge {
        edge: usize,
        /// The index of the first of the two edges.
        first: usize,
        a: String,
        b: String,
    },

    // Embeddings.
    #[error("the graph is not connected: there is no path from `{a}` to `{b}`")]
    NotConnected { a: String, b: String },
    #[error("the graph is not planar{}", obstruction_message(obstruction.as_ref()))]
    NotPlanar { obstruction: Option<Obstruction> },
    #[error("the graph has more than one embedding, with different faces: {ambiguity}")]
    NotUnique { ambiguity: Ambiguity },

    // Faces listed in the rule file.
    #[error("face {} has no vertices", .face + 1)]
    EmptyFace { face: usize },
    #[error("there is no vertex `{name}` in the graph")]
    UnknownVertex { face: usize, name: String },
    #[error("face {} goes from `{a}` to `{b}`, but no edge joins them", .face + 1)]
    NotAdjacent { face: usize, a: String, b: String },
    #[error("the edge `{name}` is on {}, instead of two", count_of_sides(*.sides))]
    WrongSides {
        edge: usize,
        name: String,
        sides: usize,
        /// The faces that it is a side of, with repetitions.
        faces: Vec<usize>,
    },
    #[error("the faces at the vertex `{vertex}` do not form a single cycle around it")]
    Pinched { vertex: String },
    #[error(
        "the faces do not form a sphere: {vertices} vertices - {edges} edges + {faces} faces is {}, not 2",
        *.vertices as i64 - *.edges as i64 + *.faces as i64
    )]
    NotSphere {
        vertices: usize,
        edges: usize,
        faces: usize,
    },

    // Files of graphs.
    #[error("there is no graph in the file")]
    NoGraphs,
    #[error("there is no graph number {which}: the file has {graphs}")]
    NoSuchGraph { which: usize, graphs: usize },
    #[error("the header of the file is not one of {format}")]
    BadHeader { format: &'static str },
    #[error("byte {byte} at offset {offset} is not valid in a {format} file")]
    BadByte {
        format: &'static str,
        offset: usize,
        byte: u8,
    },
    #[error("the file ends at offset {offset}, in the middle of a graph")]
    Truncated { offset: usize },
    #[error("the graph ends at offset {offset}, but its line continues")]
    TrailingBytes { offset: usize },
    #[error(
        "`{vertex}` has a neighbour number {neighbour} at offset {offset}, but there are {vertices} vertices"
    )]
    NoSuchNeighbour {
        offset: usize,
        vertex: String,
        neighbour: usize,
        vertices: usize,
    },
    #[error("`{a}` lists `{b}` as a neighbour, but `{b}` does not list `{a}`")]
    OneSided { a: String, b: String },
}

impl BoardError {
    /// How to fix the error, in the imperative, if there is one way.
    pub fn help(&self) -> Option<String> {
        match self {
            BoardError::NotUnique { .. } => {
                Some("say which faces are meant: `faces { A B C, … }`".to_owned())
            }
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
                byte: b':' | b';' | b'&',
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
    #[error("a part between the vertices `{0}` and `{1}` can be reflected or moved")]
    Pair(String, String),
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
