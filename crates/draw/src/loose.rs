//! Loose heaps as columns of tokens, and states as boxes.

use crate::canvas::{
    ACCENT, ACCENT_FILL, Anchor, Canvas, FAINT, Font, INK, LINE, PAPER, Part, Point, Stroke, TOKEN,
};
use crate::heap::Heap;

/// How the columns of a list of heaps look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Columns of tokens.
    Tokens,
    /// Bars, for heaps of real size.
    Bars,
}

/// Whether a heap of a multiset is there before the move, after it, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The move does not concern it.
    Stays,
    /// The move removes it.
    Goes,
    /// The move makes it.
    Comes,
}

/// The largest width of a row of columns.
const ROW: f64 = 900.0;
/// The rows of a column: so many tokens are drawn one by one.
const ROWS: u64 = 14;
/// The radius of a token.
const RADIUS: f64 = 8.0;
/// The height of a token in a column.
const STEP: f64 = 12.0;
/// The height of the largest bar.
const BAR: f64 = 140.0;

/// Draws heaps as columns from a left upper corner, in rows.
pub fn columns(canvas: &mut Canvas, heaps: &[Heap], look: Look, corner: Point) {
    let list: Vec<(Heap, Presence)> = heaps
        .iter()
        .map(|heap| (heap.clone(), Presence::Stays))
        .collect();
    marked_columns(canvas, &list, look, corner);
}

/// Draws heaps as columns, those that come after an arrow.
pub fn marked_columns(
    canvas: &mut Canvas,
    heaps: &[(Heap, Presence)],
    look: Look,
    (left, top): Point,
) {
    if heaps.iter().all(|(heap, _)| heap.disc) {
        return discs(canvas, heaps, (left, top));
    }
    let largest = heaps
        .iter()
        .filter_map(|(heap, _)| heap.tokens().0.max(heap.tokens().1))
        .max()
        .unwrap_or(0);
    let room = match look {
        Look::Bars => BAR,
        Look::Tokens => height(largest.clamp(4, ROWS)),
    };
    let (mut x, mut base) = (left, top + room);
    let mut arrow = false;
    let mut rows_begin = true;
    for (heap, presence) in heaps {
        if *presence == Presence::Comes && !arrow {
            arrow = true;
            canvas.arrow(
                (x + 4.0, base - room / 2.0),
                (x + 44.0, base - room / 2.0),
                Stroke::solid(ACCENT, 2.5),
            );
            x += 58.0;
        }
        let (width, label) = heap.extent();
        let width = width.max(2.0 * RADIUS) + 18.0;
        if !rows_begin && x + width - left > ROW {
            x = left;
            base += room + label + 44.0;
        }
        rows_begin = false;
        let middle = x + width / 2.0;
        column(canvas, heap, *presence, look, (middle, base), largest);
        heap.mark(canvas, (middle, base - room / 2.0), (width - 6.0, room));
        let stroke = if heap.changes() || *presence != Presence::Stays {
            Stroke::solid(ACCENT, 3.0)
        } else {
            Stroke::solid(INK, 2.0)
        };
        canvas.line(
            (middle - 16.0, base + 2.0),
            (middle + 16.0, base + 2.0),
            stroke,
        );
        heap.write(canvas, (middle, base + 8.0 + label / 2.0));
        x += width;
    }
}

/// The height of a column of tokens.
fn height(tokens: u64) -> f64 {
    STEP * tokens as f64 + RADIUS
}

fn column(
    canvas: &mut Canvas,
    heap: &Heap,
    presence: Presence,
    look: Look,
    (x, base): Point,
    largest: u64,
) {
    let (before, after) = heap.tokens();
    if look == Look::Bars {
        let tall = |size: Option<u64>| match size {
            Some(size) => BAR * size as f64 / largest.max(1) as f64,
            None => BAR * 0.6,
        };
        let whole = tall(before.max(after));
        let stays = tall(before.min(after));
        if whole > 0.0 {
            let outline = Stroke::dashed(ACCENT, 2.0);
            let outline = if heap.changes() {
                outline
            } else {
                Stroke::solid(INK, 1.2)
            };
            canvas.plate((x, base - whole / 2.0), (22.0, whole), 3.0, PAPER, outline);
        }
        if stays > 0.0 {
            let (fill, outline) = (TOKEN, Stroke::solid(INK, 1.2));
            canvas.plate((x, base - stays / 2.0), (22.0, stays), 3.0, fill, outline);
        }
        return;
    }
    let Some(cells) = heap.cells(ROWS, 2) else {
        // A heap of any size: a few pale tokens.
        for place in 0..4 {
            token(canvas, x, base, place, "#f6f7f9", Stroke::solid(LINE, 1.2));
        }
        return;
    };
    let look = match presence {
        Presence::Stays => (TOKEN, Stroke::solid(INK, 1.2)),
        Presence::Goes => (PAPER, Stroke::dashed(ACCENT, 1.6)),
        Presence::Comes => (ACCENT_FILL, Stroke::solid(ACCENT, 2.0)),
    };
    let ghost = (PAPER, Stroke::dashed(ACCENT, 1.6));
    for (place, cell) in (0..).zip(cells) {
        let (fill, stroke) = if cell.changes { ghost } else { look };
        if cell.is_gap {
            let y = base - STEP * place as f64 - RADIUS;
            let colour = if cell.changes { ACCENT } else { FAINT };
            canvas.circle((x, y), 1.8, colour, Stroke::solid(colour, 0.5));
        } else {
            token(canvas, x, base, place, fill, stroke);
        }
    }
}

fn token(canvas: &mut Canvas, x: f64, base: f64, place: u64, fill: &str, stroke: Stroke) {
    let y = base - STEP * place as f64 - STEP / 2.0;
    canvas.plate((x, y), (2.0 * RADIUS + 6.0, STEP - 1.5), 5.0, fill, stroke);
}

/// Heaps of size 0 and 1 as a row of discs.
fn discs(canvas: &mut Canvas, heaps: &[(Heap, Presence)], (left, top): Point) {
    let room = heaps
        .iter()
        .map(|(heap, _)| heap.extent().1)
        .fold(0.0, f64::max);
    let (mut x, mut y) = (left, top + room / 2.0);
    for (heap, _) in heaps {
        let width = heap.extent().0;
        if x > left && x + width - left > ROW {
            x = left;
            y += room + 14.0;
        }
        heap.write(canvas, (x + width / 2.0, y));
        x += width + 12.0;
    }
}

/// A state, or a token beside heaps, to be drawn.
pub struct StateBox<'s> {
    pub name: &'s str,
    /// Its index in the position.
    pub index: usize,
    /// Its value, if a position is drawn.
    pub value: Option<String>,
    /// Its value after the move, if this differs.
    pub after: Option<String>,
}

/// Draws states as boxes with their values, from a left upper corner.
pub fn states(canvas: &mut Canvas, states: &[StateBox<'_>], (left, top): Point) {
    let mut x = left;
    for state in states {
        let name = state.name;
        let value = match (&state.value, &state.after) {
            (Some(value), Some(after)) => format!("{name} = {value} → {after}"),
            (Some(value), None) => format!("{name} = {value}"),
            (None, _) => name.to_owned(),
        };
        let font = Font::plain(15.0);
        let width = font.width(&value) + 22.0;
        let (fill, stroke, colour) = if state.after.is_some() {
            (ACCENT_FILL, Stroke::solid(ACCENT, 3.0), ACCENT)
        } else {
            (PAPER, Stroke::dashed(FAINT, 1.5), INK)
        };
        let middle = (x + width / 2.0, top + 16.0);
        canvas.plate(middle, (width, 30.0), 4.0, fill, stroke);
        canvas.mark(Part::Number(state.index), middle, (width, 30.0));
        canvas.text(middle, &value, font, Anchor::Middle, colour);
        x += width + 14.0;
    }
}
