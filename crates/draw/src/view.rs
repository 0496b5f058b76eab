//! The heaps as `shown as` says: coins on strips, a bar of chocolate, rows of squares, stalks
//! of edges, and the Hasse diagram of an order.

mod bar;
mod order;
mod rows;
mod strip;
mod tree;

use crate::canvas::Canvas;
use crate::heap::Heap;
use crate::loose::{self, Look, Presence};
use nimrule_model::game::{Game, View};

pub use rows::{Spacing, rows};

/// Draws the heaps of a game; `position` are its numbers, if they fit into 64 bits.
pub fn draw(
    canvas: &mut Canvas,
    game: &Game,
    view: &View,
    heaps: &[Heap],
    position: Option<&[u64]>,
) {
    match view {
        View::Strip(strips) => strip::draw(canvas, game, strips, heaps),
        View::Bar => {
            if !bar::draw(canvas, game, heaps, position) {
                loose::columns(canvas, heaps, Look::Tokens, (0.0, 0.0));
            }
        }
        View::Rows => {
            let stays = |heap: &Heap| (heap.clone(), Presence::Stays);
            let heaps: Vec<(Heap, Presence)> = heaps.iter().map(stays).collect();
            rows(canvas, &heaps, Spacing::Touching);
        }
        View::Tree(below) => tree::draw(canvas, below, heaps),
        View::Order(covers) => order::draw(canvas, covers, heaps),
    }
}

/// What a view shows, in words; `names` are those of the heaps.
pub fn words(view: &View, names: &[String]) -> String {
    let pairs = |pairs: &mut dyn Iterator<Item = (usize, usize)>, verb: &str| -> String {
        let words =
            pairs.map(|(lower, upper)| format!("; {} {verb} {}", names[upper], names[lower]));
        words.collect()
    };
    let all = names.join(" ");
    match view {
        View::Strip(strips) if strips.len() == 1 => {
            format!("A strip of squares, numbered from 0, with the coins {all}")
        }
        View::Strip(_) => format!("Strips of squares, numbered from 0, with the coins {all}"),
        View::Bar => format!("A bar with the columns and the rows {all}"),
        View::Rows => format!("Rows of squares: {all}"),
        View::Tree(below) => {
            let on = below.iter().enumerate();
            let mut on = on.filter_map(|(upper, lower)| Some(((*lower)?, upper)));
            format!("Stalks of edges: {all}{}", pairs(&mut on, "stands on"))
        }
        View::Order(covers) => {
            let above = pairs(&mut covers.iter().copied(), "is above");
            format!("Heaps in an order: {all}{above}")
        }
    }
}
