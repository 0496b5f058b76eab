//! Boards: incidence structures of vertices, edges and faces.
//!
//! A board consists of cells and their incidences. A rule places heaps on the cells of one kind;
//! each cell of another kind then selects the heaps that touch it ([`Board::touching`]). The rule
//! "take from the heaps that touch one edge" is thus a game on every board.
//!
//! A board contains no heaps, tokens or moves. It is immutable, and built from a name and sizes,
//! from a graph in the rule file, or from a file in a standard graph format. Every constructor
//! documents the order in which it numbers the cells, because rules name the heaps in that order.
//!
//! ```text
//! solids        Platonic solids, prisms, antiprisms, hypercubes
//! grids         circles, rows, grids, complete graphs
//! named         graphs of the rule file: vertices by name, edges in the order written
//! planar        faces computed from an embedding, if all embeddings have the same faces
//! listed_faces  faces listed in the rule file, which are checked
//! graph6        the file format graph6
//! planar_code   the file format planar_code
//! shrinking     circles and rows from which empty heaps vanish
//! symmetry      the group of permutations of the heaps that map a game to itself
//! ```
//!
//! # Examples
//!
//! ```
//! use nimrule_board::{Board, CellKind};
//!
//! let cube = Board::cube();
//! let faces_at_edges = cube.touching(CellKind::Face, CellKind::Edge).unwrap();
//! assert_eq!(faces_at_edges.len(), 12);
//! assert!(faces_at_edges.iter().all(|faces| faces.len() == 2));
//! ```

#![warn(missing_docs)]

use std::fmt;

#[doc(hidden)]
pub mod adjacency;
#[doc(hidden)]
pub mod blocks;
mod demoucron;
mod error;
mod graph6;
mod grids;
mod heap_id;
mod listed_faces;
mod named;
#[doc(hidden)]
pub mod planar;
mod planar_code;
#[doc(hidden)]
pub mod rotation;
pub mod shrinking;
#[doc(hidden)]
pub mod solids;
pub mod symmetry;
mod uniqueness;

pub use error::{Ambiguity, BoardError, KuratowskiGraph, Obstruction};
pub use heap_id::HeapId;
pub use named::NamedGraph;
pub use symmetry::{Structure, Symmetries, Undecided};

/// The largest number of cells of each kind. Larger boards are rejected before memory is allocated
/// for them.
pub const MAX_CELLS: usize = 10_000;

/// The kind of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    /// A vertex.
    Vertex,
    /// An edge between two different vertices.
    Edge,
    /// A face of an embedding in the sphere.
    Face,
}

impl CellKind {
    /// All kinds, by dimension.
    pub const ALL: [CellKind; 3] = [CellKind::Vertex, CellKind::Edge, CellKind::Face];

    /// The word for one such cell.
    pub fn singular(self) -> &'static str {
        match self {
            CellKind::Vertex => "vertex",
            CellKind::Edge => "edge",
            CellKind::Face => "face",
        }
    }

    /// The word for several such cells.
    pub fn plural(self) -> &'static str {
        match self {
            CellKind::Vertex => "vertices",
            CellKind::Edge => "edges",
            CellKind::Face => "faces",
        }
    }
}

impl fmt::Display for CellKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.singular())
    }
}

/// The arrangement of the vertices of a circle or row, which defines what is consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// The first vertex follows the last one.
    Circle,
    /// No vertex follows the last one.
    Row,
}

/// Whether an empty heap vanishes, so that its neighbours close up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shrinking {
    /// Empty heaps vanish.
    Yes,
    /// Empty heaps keep their places.
    No,
}

/// A face, given as its boundary walk.
///
/// `edges[i]` joins `vertices[i]` and the next vertex, cyclically. A walk may pass a vertex more
/// than once, and both sides of an edge, if the graph has a bridge or a cut vertex. The only face
/// of a single vertex has no edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// The indices of its vertices, in the order of the walk.
    pub vertices: Vec<usize>,
    /// The indices of its edges, in the order of the walk.
    pub edges: Vec<usize>,
}

/// A board: vertices, edges and perhaps faces, with their incidences.
#[derive(Clone, Debug)]
pub struct Board {
    name: String,
    /// The names of the vertices, if the rule file gives them.
    names: Option<Vec<String>>,
    vertices: usize,
    edges: Vec<[usize; 2]>,
    faces: Option<Vec<Face>>,
    lines: Vec<Vec<usize>>,
    /// The lengths of a grid by dimension; empty for other boards.
    lengths: Vec<usize>,
    arrangement: Option<Arrangement>,
    shrinking: Shrinking,
}

impl Board {
    /// A board of vertices and edges, from which every constructor starts.
    fn without_faces(name: impl Into<String>, vertices: usize, edges: Vec<[usize; 2]>) -> Board {
        Board {
            name: name.into(),
            names: None,
            vertices,
            edges,
            faces: None,
            lines: Vec::new(),
            lengths: Vec::new(),
            arrangement: None,
            shrinking: Shrinking::No,
        }
    }

    /// The name of the board: `cube`, `prism(5)`, `circle(6) shrinking`, `planar graph`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers of cells as text: `8 vertices, 12 edges, 6 faces`.
    pub fn summary(&self) -> String {
        let mut parts: Vec<String> = CellKind::ALL
            .into_iter()
            .filter_map(|kind| {
                self.count(kind)
                    .map(|count| counted(count, kind.singular(), kind.plural()))
            })
            .collect();
        if !self.lines.is_empty() {
            parts.push(counted(self.lines.len(), "line", "lines"));
        }
        parts.join(", ")
    }

    /// The number of cells of a kind; `None` if the board has no cells of this kind. Circles, rows,
    /// grids and graphs that are not planar boards have no faces.
    pub fn count(&self, kind: CellKind) -> Option<usize> {
        match kind {
            CellKind::Vertex => Some(self.vertices),
            CellKind::Edge => Some(self.edges.len()),
            CellKind::Face => self.faces.as_ref().map(Vec::len),
        }
    }

    /// The name of a cell: composed of the names of its vertices, as in `A`, `A-B` and `A-B-C`, if
    /// the rule file gives them; otherwise its kind and number, as in `v1`, `e1` and `f1`.
    pub fn cell_name(&self, kind: CellKind, index: usize) -> String {
        let Some(names) = &self.names else {
            let letter = match kind {
                CellKind::Vertex => 'v',
                CellKind::Edge => 'e',
                CellKind::Face => 'f',
            };
            return format!("{letter}{}", index + 1);
        };
        let along: &[usize] = match kind {
            CellKind::Vertex => &[index],
            CellKind::Edge => &self.edges[index],
            CellKind::Face => self
                .faces
                .as_ref()
                .map_or(&[], |faces| faces[index].vertices.as_slice()),
        };
        let along: Vec<&str> = along.iter().map(|&vertex| names[vertex].as_str()).collect();
        along.join("-")
    }

    /// Whether the rule file names the vertices.
    pub fn names_are_given(&self) -> bool {
        self.names.is_some()
    }

    /// For each cell of the kind `selected`, in order, the cells of the kind `heaps_on` that are
    /// incident with it, ascending and without duplicates. Among cells of one kind each is incident
    /// with itself only. `None` if the board has no cells of one of the kinds.
    pub fn touching(&self, heaps_on: CellKind, selected: CellKind) -> Option<Vec<Vec<usize>>> {
        let heaps = self.count(heaps_on)?;
        self.count(selected)?;
        if heaps_on == selected {
            return Some((0..heaps).map(|index| vec![index]).collect());
        }
        if heaps_on < selected {
            return Some(self.parts(selected, heaps_on));
        }
        let selected_count = self.count(selected)?;
        let mut wholes = vec![Vec::new(); selected_count];
        for (whole, parts) in self.parts(heaps_on, selected).into_iter().enumerate() {
            for part in parts {
                wholes[part].push(whole);
            }
        }
        Some(wholes)
    }

    /// For each edge or face, the cells of a lower dimension on its boundary, ascending and without
    /// duplicates.
    fn parts(&self, whole: CellKind, part: CellKind) -> Vec<Vec<usize>> {
        let faces = self.faces.as_deref().unwrap_or_default();
        let mut lists: Vec<Vec<usize>> = match (whole, part) {
            (CellKind::Face, CellKind::Edge) => faces.iter().map(|f| f.edges.clone()).collect(),
            (CellKind::Face, _) => faces.iter().map(|f| f.vertices.clone()).collect(),
            _ => self.edges.iter().map(|ends| ends.to_vec()).collect(),
        };
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        lists
    }

    /// The edges, each as its two endpoints.
    pub fn edges(&self) -> &[[usize; 2]] {
        &self.edges
    }

    /// The faces, if the board has faces.
    pub fn faces(&self) -> Option<&[Face]> {
        self.faces.as_deref()
    }

    /// The axis-parallel lines of a grid, as lists of vertices; empty for other boards.
    pub fn lines(&self) -> &[Vec<usize>] {
        &self.lines
    }

    /// The lengths of a grid by dimension; empty for other boards.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The arrangement of the vertices of a circle or row; `None` for other boards.
    pub fn arrangement(&self) -> Option<Arrangement> {
        self.arrangement
    }

    /// Whether empty heaps vanish, so that their neighbours close up.
    pub fn is_shrinking(&self) -> bool {
        self.shrinking == Shrinking::Yes
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn counted(count: usize, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// Rejects a number of cells above [`MAX_CELLS`]. `None` means that the number overflows.
fn check_count(
    board: &str,
    count: Option<usize>,
    cells: &'static str,
) -> Result<usize, BoardError> {
    match count {
        Some(count) if count <= MAX_CELLS => Ok(count),
        _ => Err(BoardError::TooLarge {
            board: board.to_owned(),
            cells,
        }),
    }
}
