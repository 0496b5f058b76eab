//! Boards: incidence structures of vertices, edges and faces.
//!
//! A board says which cells there are and which of them touch. Heaps sit on the cells of one kind;
//! each cell of another kind then selects the heaps that touch it ([`Board::touching`]). So one
//! rule, "take from the heaps that touch one edge", is a game on every board.
//!
//! A board knows nothing of heaps, tokens or moves. It is built once, from a name and sizes, from a
//! graph the author wrote, or from a file in one of the field's formats, and never changes. Every
//! constructor documents the order in which it numbers the cells, since rules give the heaps names
//! in that order.
//!
//! ```text
//! solids   cube, the other Platonic solids, prisms, antiprisms, hypercubes
//! places   circles, rows, grids, complete graphs
//! named    the author's graphs: vertices by name, edges in the order written
//! planar   faces found from an embedding, where it is the only one …
//! given    … or listed by the author and checked
//! graph6, planar_code   the formats of other programs
//! shrinking  circles and rows from which empty heaps vanish
//! symmetry the permutations of the heaps under which a game looks the same
//! ```

use std::fmt;

mod adjacency;
mod blocks;
mod demoucron;
mod error;
mod given;
mod graph6;
mod kuratowski;
mod named;
mod places;
mod planar;
mod planar_code;
mod rotation;
pub mod shrinking;
mod solids;
pub mod symmetry;
mod uniqueness;

pub use error::{BoardError, Freedom, Obstruction, Subdivided};
pub use named::NamedGraph;
pub use symmetry::{Structure, Symmetries};

/// A board has at most so many cells of each kind. What is larger is refused before anything is
/// allocated for it.
pub const MOST_CELLS: usize = 10_000;

/// What a cell of a board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    Vertex,
    Edge,
    Face,
}

impl CellKind {
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

/// How the vertices of a board stand in a sequence, so that "consecutive" has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last vertex is followed by the first.
    Circle,
    /// The last vertex is followed by none.
    Row,
}

/// Whether an empty heap vanishes, so that its neighbours close up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shrinking {
    Yes,
    No,
}

/// A face, as a walk along its boundary.
///
/// `edges[i]` joins `vertices[i]` and the vertex after it, the last with the first. A walk may
/// come by a vertex more than once, and by both sides of an edge, where the graph has a bridge or
/// a cut vertex. The one face of a single vertex has no edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    pub vertices: Vec<usize>,
    pub edges: Vec<usize>,
}

/// Vertices, edges and perhaps faces, and which touch which.
#[derive(Clone, Debug)]
pub struct Board {
    name: String,
    /// The names the rule's author gave to the vertices.
    names: Option<Vec<String>>,
    vertices: usize,
    edges: Vec<[usize; 2]>,
    faces: Option<Vec<Face>>,
    lines: Vec<Vec<usize>>,
    /// The lengths of a grid; none on any other board.
    lengths: Vec<usize>,
    order: Option<Order>,
    shrinking: Shrinking,
}

impl Board {
    /// A board of vertices and edges alone, the start of every constructor.
    fn plain(name: impl Into<String>, vertices: usize, edges: Vec<[usize; 2]>) -> Board {
        Board {
            name: name.into(),
            names: None,
            vertices,
            edges,
            faces: None,
            lines: Vec::new(),
            lengths: Vec::new(),
            order: None,
            shrinking: Shrinking::No,
        }
    }

    /// What the board is called: `cube`, `prism(5)`, `circle(6) shrinking`, `planar graph`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers of cells, for a person: `8 vertices, 12 edges, 6 faces`.
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

    /// The number of cells of a kind, or `None` where the board has no such kind of cell: a circle,
    /// a row, a grid or a bare graph has no faces.
    pub fn count(&self, kind: CellKind) -> Option<usize> {
        match kind {
            CellKind::Vertex => Some(self.vertices),
            CellKind::Edge => Some(self.edges.len()),
            CellKind::Face => self.faces.as_ref().map(Vec::len),
        }
    }

    /// The name of a cell: by the names of its vertices, as in `A`, `A-B` and `A-B-C`, where the
    /// author gave them, and otherwise by its number, as in `v1`, `e1` and `f1`.
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

    /// Whether the rule's author named the vertices.
    pub fn names_are_given(&self) -> bool {
        self.names.is_some()
    }

    /// For each cell of the kind `selected`, in order, the cells of the kind `heaps_on` that touch
    /// it, ascending and without repeats. A cell of the same kind is touched by itself alone.
    /// `None` where the board has no cells of one of the kinds.
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

    /// For each edge or face, the cells of a lower kind on its boundary, ascending, without
    /// repeats.
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

    /// The edges by their two ends.
    pub fn edges(&self) -> &[[usize; 2]] {
        &self.edges
    }

    /// The faces, where the board has any.
    pub fn faces(&self) -> Option<&[Face]> {
        self.faces.as_deref()
    }

    /// The axis-parallel lines of a grid, as vertices; none on any other board.
    pub fn lines(&self) -> &[Vec<usize>] {
        &self.lines
    }

    /// The lengths of a grid, dimension by dimension; none on any other board.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The order in which the vertices stand, for circles and rows.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// Whether an empty heap vanishes and its neighbours close up.
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

/// Refuses a number of cells above [`MOST_CELLS`]. `None` stands for a number too large to compute.
fn check_count(
    board: &str,
    count: Option<usize>,
    cells: &'static str,
) -> Result<usize, BoardError> {
    match count {
        Some(count) if count <= MOST_CELLS => Ok(count),
        _ => Err(BoardError::TooLarge {
            board: board.to_owned(),
            cells,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Board, CellKind, NamedGraph, Shrinking};

    #[test]
    fn a_cell_is_touched_by_what_it_bounds_and_what_bounds_it() {
        let cube = Board::cube();
        let shared = cube.touching(CellKind::Face, CellKind::Edge).unwrap();
        assert_eq!(shared.len(), 12);
        assert!(shared.iter().all(|faces| faces.len() == 2));
        let at_corners = cube.touching(CellKind::Face, CellKind::Vertex).unwrap();
        assert_eq!(at_corners[0], [0, 1, 2]);
        assert_eq!(at_corners[7], [3, 4, 5]);
        assert_eq!(at_corners[1], [1, 2, 3]);
        let own = cube.touching(CellKind::Edge, CellKind::Edge).unwrap();
        assert_eq!(own[11], [11]);
        let around = cube.touching(CellKind::Edge, CellKind::Face).unwrap();
        assert!(around.iter().all(|edges| edges.len() == 4));
    }

    #[test]
    fn a_kind_that_is_missing_touches_nothing() {
        let circle = Board::circle(5, Shrinking::No).unwrap();
        assert_eq!(circle.touching(CellKind::Vertex, CellKind::Face), None);
        assert_eq!(circle.touching(CellKind::Face, CellKind::Face), None);
        let one = Board::circle(1, Shrinking::No).unwrap();
        assert_eq!(
            one.touching(CellKind::Vertex, CellKind::Edge),
            Some(Vec::new())
        );
    }

    #[test]
    fn summaries_count_what_is_there() {
        assert_eq!(Board::cube().summary(), "8 vertices, 12 edges, 6 faces");
        let grid = Board::grid(&[5, 5, 5]).unwrap();
        assert_eq!(grid.summary(), "125 vertices, 300 edges, 75 lines");
        let pair = Board::row(2, Shrinking::No).unwrap();
        assert_eq!(pair.summary(), "2 vertices, 1 edge");
    }

    #[test]
    fn cells_bear_the_names_given_or_numbers() {
        let mut graph = NamedGraph::new();
        for (a, b) in [("A", "B"), ("B", "C"), ("C", "A")] {
            graph.add_edge(a, b).unwrap();
        }
        let board = Board::planar(&graph).unwrap();
        assert!(board.names_are_given());
        assert_eq!(board.cell_name(CellKind::Vertex, 2), "C");
        assert_eq!(board.cell_name(CellKind::Edge, 2), "C-A");
        assert_eq!(board.cell_name(CellKind::Face, 1), "A-B-C");
        let cube = Board::cube();
        assert!(!cube.names_are_given());
        assert_eq!(cube.cell_name(CellKind::Vertex, 0), "v1");
        assert_eq!(cube.cell_name(CellKind::Edge, 11), "e12");
        assert_eq!(cube.cell_name(CellKind::Face, 5), "f6");
    }
}
