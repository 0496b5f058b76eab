//! What can be wrong with a board, with the evidence a person needs to put it right.
//!
//! Vertices and edges appear by name, since that is how the author knows them; where the fault lies
//! in one edge or face of a list, its place in the list (from 0) goes with it, so that the caller
//! can point at the text.

use thiserror::Error;

use super::MOST_CELLS;

/// Why there is no such board.
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
    #[error("`{board}` has more than {MOST_CELLS} {cells}")]
    TooLarge { board: String, cells: &'static str },
    #[error("a grid has 1 to 6 dimensions, not {given}")]
    Dimensions { given: usize },
    #[error("a board needs at least one vertex")]
    NoVertices,

    // Graphs the author wrote.
    #[error("the edge `{vertex}-{vertex}` joins a vertex to itself")]
    Loop { edge: usize, vertex: String },
    #[error("the edge `{a}-{b}` is given twice")]
    DoubleEdge {
        edge: usize,
        /// The place of the edge that was there before.
        first: usize,
        a: String,
        b: String,
    },

    // Embeddings found.
    #[error("the graph is not connected: there is no way from `{a}` to `{b}`")]
    NotConnected { a: String, b: String },
    #[error("the graph is not planar{}", told(obstruction.as_ref()))]
    NotPlanar { obstruction: Option<Obstruction> },
    #[error("the graph has more than one embedding, with different faces: {freedom}")]
    NotUnique { freedom: Freedom },

    // Faces the author listed.
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
        /// The faces it is a side of, with repeats.
        faces: Vec<usize>,
    },
    #[error("the faces at the vertex `{vertex}` do not close up to one ring round it")]
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
    #[error("byte {byte} at offset {offset} does not belong in a {format} file")]
    BadByte {
        format: &'static str,
        offset: usize,
        byte: u8,
    },
    #[error("the file ends at offset {offset}, in the middle of a graph")]
    Truncated { offset: usize },
    #[error("the graph should end at offset {offset}, but its line goes on")]
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
    /// What to do about it, in the imperative, where there is one thing to do.
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

/// A part of a graph that shows that it is not planar (Kuratowski 1930): every non-planar graph
/// contains a subdivision of K5 or of K3,3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstruction {
    pub subdivided: Subdivided,
    /// The places of its edges among the graph's, ascending.
    pub edges: Vec<usize>,
    /// The same edges by name.
    pub names: Vec<String>,
}

/// The two smallest graphs that are not planar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subdivided {
    /// Five vertices, each joined to each.
    K5,
    /// Three houses and three wells.
    K33,
}

/// Where an embedding can be changed so that other faces come about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Freedom {
    #[error("a part between the vertices `{0}` and `{1}` can be turned over or moved")]
    Pair(String, String),
    #[error("a part that hangs on the vertex `{0}` can be moved to another face")]
    CutVertex(String),
}

fn told(obstruction: Option<&Obstruction>) -> String {
    /// So many edges are named in the headline; the rest are in the obstruction itself.
    const MOST_TOLD: usize = 30;
    let Some(found) = obstruction else {
        return String::new();
    };
    let graph = match found.subdivided {
        Subdivided::K5 => "K5",
        Subdivided::K33 => "K3,3",
    };
    let (shown, rest) = found.names.split_at(found.names.len().min(MOST_TOLD));
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
