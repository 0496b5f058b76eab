//! Pictures of positions: the board with its heaps, as SVG.
//!
//! [`picture`] chooses a layout for the board of a rule:
//!
//! - solids, prisms and antiprisms from two opposite sides, by their coordinates
//!   in space ([`solid`]);
//! - other boards with faces by a straight-line embedding without crossings
//!   ([`planar`], Tutte 1963, Floater 1997);
//! - circles, rows, grids and complete graphs in their usual shapes, other graphs by
//!   a spring layout from a fixed start ([`graph`]);
//! - tokens on digraphs on squares, if vertices have coordinates, or in layers
//!   ([`graph`]);
//! - loose heaps, and the heaps of a multiset, as columns of tokens.
//!
//! A layout gives points in a plane without a unit. [`figure`] chooses the scale at
//! which no label covers another, and writes the SVG. Pictures use no style sheet and
//! no `paint-order`, so that every viewer shows them alike.
//!
//! # Examples
//!
//! A triangle with a heap on each vertex:
//!
//! ```
//! use nimrule_draw::graph::circle;
//! let points = circle(3);
//! assert_eq!(points.len(), 3);
//! // The first point is at the top; the others follow clockwise.
//! assert!(points[0].y < points[1].y && points[1].x > points[2].x);
//! ```

#![warn(missing_docs)]

mod board;
pub mod figure;
pub mod graph;
pub mod planar;
pub mod solid;

use figure::{Anchor, Column, Figure, Point, Tone};
use nimrule_model::expr::{Bool, Fold, List, Num, Order};
use nimrule_model::game::{Game, PositionKind};
use thiserror::Error;

/// The largest number of heaps, vertices or tokens of a picture.
pub const MAX_CELLS: usize = 400;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureError {
    /// There are too many cells.
    #[error("{cells} {what} are too many for a picture; the limit is {MAX_CELLS}")]
    TooLarge {
        /// The number of cells.
        cells: usize,
        /// What they are, in the plural.
        what: &'static str,
    },
}

/// A rectangle in a picture, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The smallest horizontal coordinate.
    pub left: f64,
    /// The smallest vertical coordinate.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// A picture of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The SVG document.
    pub svg: String,
    /// The whole area.
    pub frame: Area,
    /// The area of each label, by estimated widths of letters.
    pub labels: Vec<(String, Area)>,
}

/// What is drawn on a board.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'p> {
    /// The heading: the title of the game with its parameters.
    pub heading: &'p str,
    /// The position; without one, only the names of the heaps are shown.
    pub position: Option<&'p [u64]>,
    /// The position after a move, which is marked.
    pub after: Option<&'p [u64]>,
}

/// Draws a position of a game.
///
/// # Errors
///
/// If the board is too large for a picture.
pub fn picture(game: &Game, shown: Shown<'_>) -> Result<Picture, PictureError> {
    let mut figure = Figure::default();
    match &game.position_kind {
        PositionKind::Tokens(digraph) => board::digraph(&mut figure, game, digraph, shown)?,
        PositionKind::Multiset(_) => loose(&mut figure, &multiset(game, shown), Point::ZERO),
        PositionKind::Heaps | PositionKind::Reals => {
            let mut labels = heap_labels(game, shown);
            if labels.len() > MAX_CELLS {
                return Err(PictureError::TooLarge {
                    cells: labels.len(),
                    what: "heaps",
                });
            }
            let on_board = board::heaps(&mut figure, game, shown, &labels)?;
            // Heaps that are not on the board stand below it.
            let loose_heaps: Vec<_> = labels
                .drain(..)
                .enumerate()
                .filter(|(place, _)| !on_board.contains(place))
                .map(|(_, label)| label)
                .collect();
            let below = figure.lowest().map_or(0.0, |lowest| lowest + 1.4);
            loose(&mut figure, &loose_heaps, Point { x: 0.0, y: below });
        }
    }
    Ok(figure.drawn(shown.heading, &description(game, shown)))
}

/// A heap with its name and size.
#[derive(Debug, Clone)]
pub(crate) struct HeapLabel {
    pub name: String,
    /// The size, and the size after the move if it changes.
    pub size: Option<(u64, Option<u64>)>,
    /// Heads or tails: every size is 0 or 1.
    pub is_coin: bool,
    pub is_state: bool,
    /// A heap of a multiset, which is there or not.
    pub is_multiset: bool,
}

fn heap_labels(game: &Game, shown: Shown<'_>) -> Vec<HeapLabel> {
    let coins = are_coins(game);
    let states = game.heap_names.len() - game.states.len();
    (game.heap_names.iter().enumerate())
        .map(|(place, name)| HeapLabel {
            name: name.clone(),
            size: shown.position.map(|position| {
                let before = position[place];
                let after = shown.after.map(|after| after[place]);
                (before, after.filter(|after| *after != before))
            }),
            is_coin: coins && place < states,
            is_state: place >= states,
            is_multiset: false,
        })
        .collect()
}

/// Whether `positions where` bounds every heap by 1.
fn are_coins(game: &Game) -> bool {
    fn bounds(condition: &Bool) -> bool {
        match condition {
            Bool::And(all) => all.iter().any(|condition| bounds(&condition.node)),
            Bool::Compare(Order::AtMost, left, right) => {
                let all = |list: &List| matches!(list, List::Heaps(_));
                matches!(&left.node, Num::Fold(Fold::Max, list) if all(&list.node))
                    && right.node.constant() == Some(1)
            }
            _ => false,
        }
    }
    let positions = game.positions.as_ref();
    positions.is_some_and(|condition| bounds(&condition.node))
}

/// The heaps of a multiset; those that a move adds have no size before it.
fn multiset(game: &Game, shown: Shown<'_>) -> Vec<HeapLabel> {
    let PositionKind::Multiset(kinds) = &game.position_kind else {
        return Vec::new();
    };
    let label = |heap: u64, gone: bool| {
        let (size, kind) = kinds.decode(heap);
        HeapLabel {
            name: kinds.names.get(kind).cloned().unwrap_or_default(),
            size: Some((size, gone.then_some(0))),
            is_coin: false,
            is_state: false,
            is_multiset: true,
        }
    };
    let position = shown.position.unwrap_or_default();
    let mut left = shown.after.map(<[u64]>::to_vec);
    let mut labels = Vec::new();
    for heap in position {
        let gone = match &mut left {
            None => false,
            Some(left) => match left.iter().position(|other| other == heap) {
                Some(place) => {
                    left.remove(place);
                    false
                }
                None => true,
            },
        };
        labels.push(label(*heap, gone));
    }
    for heap in left.unwrap_or_default() {
        let (size, kind) = kinds.decode(heap);
        labels.push(HeapLabel {
            name: kinds.names.get(kind).cloned().unwrap_or_default(),
            size: Some((0, Some(size))),
            is_coin: false,
            is_state: false,
            is_multiset: true,
        });
    }
    labels
}

/// Columns of tokens side by side, at most [`COLUMNS`] in a row.
fn loose(figure: &mut Figure, heaps: &[HeapLabel], at: Point) {
    const COLUMNS: usize = 12;
    let tallest = |row: &[HeapLabel]| {
        row.iter()
            .map(|heap| Column::of(heap).height())
            .fold(0.0, f64::max)
    };
    let mut top = at.y;
    for row in heaps.chunks(COLUMNS) {
        let height = tallest(row);
        for (place, heap) in row.iter().enumerate() {
            let at = Point {
                x: at.x + place as f64,
                y: top,
            };
            figure.column(at, Column::of(heap), height);
        }
        top += 1.0;
        figure.rows.push((top - 1.0, height));
    }
    if heaps.is_empty() && figure.is_empty() {
        figure.label(Point::ZERO, Anchor::Middle, "no heap is left", Tone::Faint);
    }
}

/// The text alternative: the position in words.
fn description(game: &Game, shown: Shown<'_>) -> String {
    let mut words = Vec::new();
    if let Some(board) = &game.board {
        words.push(format!("Board: {}.", board.name()));
    }
    if !game.heaps_line.is_empty() {
        words.push(format!("Heaps: {}.", game.heaps_line));
    }
    if let Some(position) = shown.position {
        words.push(format!("Position {}.", game.shown(position)));
    }
    if let Some(after) = shown.after {
        words.push(format!("The marked move leads to {}.", game.shown(after)));
    }
    words.join(" ")
}
