//! Pictures of positions of take-away games, of automata and of outcomes.
//!
//! A picture is a pure function of a game, a position and a move: boards with their
//! heaps, loose heaps as columns, tokens on digraphs. It is an SVG document with a title
//! and a description, which look the same in every viewer: fonts are generic, sizes are
//! explicit, the background is part of the picture, and what a move changes is marked by
//! shape as well as by colour.
//!
//! ```text
//! position   a game's position: chooses among the following
//! board      boards: solids, planar boards, circles, rows, graphs
//! grid       grids of any dimension
//! loose      loose heaps, multisets and states
//! view       the heaps as `shown as` says: strip, bar, rows, tree, order
//! tokens     tokens on the vertices of a digraph
//! automaton  automata, in layers from the start
//! plot       plots of outcomes and values (feature `plot`)
//! png        rasterisation (feature `png`)
//! pdf        pages of text and pictures (feature `pdf`)
//! solid, tutte, stress, layers   the layouts
//! canvas     shapes and labels, which become the document
//! shape      shapes as SVG and as TikZ
//! ```
//!
//! # Examples
//!
//! ```
//! use nimrule_board::{Board, CellKind};
//!
//! let heaps = ["a", "b", "c", "A", "B", "C"].map(String::from);
//! let picture = nimrule_draw::board(&Board::cube(), CellKind::Face, &heaps, Some(&[3, 4, 5, 1, 1, 1]));
//! assert!(picture.svg.starts_with("<svg"));
//! assert!(picture.labels.iter().any(|label| label.text == "5"));
//! ```

#![warn(missing_docs)]

pub mod automaton;
mod board;
pub mod canvas;
mod grid;
#[doc(hidden)]
pub mod heap;
#[doc(hidden)]
pub mod layers;
mod loose;
#[cfg(feature = "pdf")]
pub mod pdf;
#[cfg(feature = "plot")]
pub mod plot;
#[cfg(feature = "png")]
pub mod png;
mod position;
mod shape;
mod solid;
mod stress;
mod tokens;
mod tutte;
mod view;

pub use canvas::{LabelBox, Part, PartBox};
pub use position::{DrawError, MAX_DRAWN, board, picture};
pub use shape::{Paint, Shape};

/// A picture: an SVG document, and the boxes of its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The document.
    pub svg: String,
    /// The boxes of all labels, with the origin in the left upper corner of the document.
    pub labels: Vec<LabelBox>,
    /// Where the numbers of the position and the vertices are, in the same coordinates, each
    /// once and in order.
    pub parts: Vec<PartBox>,
    /// The shapes below the heading, in units of a pixel. A plot has none: it is drawn as
    /// SVG.
    pub shapes: Vec<Shape>,
    /// The width and the height of the shapes.
    pub extent: (f64, f64),
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
}

impl Picture {
    /// The shapes below the heading as a `tikzpicture` at most this wide and high, in
    /// points, for a document with the package `tikz`; `None` for a plot.
    pub fn tikz(&self, room: (f64, f64)) -> Option<String> {
        (!self.shapes.is_empty()).then(|| shape::tikz(&self.shapes, self.extent, room))
    }
}
