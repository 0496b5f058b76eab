//! Heaps as rows of squares.

use crate::canvas::{
    ACCENT, ACCENT_FILL, Anchor, Canvas, FAINT, Font, INK, LINE, PAPER, Stroke, TOKEN,
};
use crate::heap::Heap;
use crate::loose::Presence;

/// Whether the rows touch, as those of a Young diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Each row is below the one before.
    Touching,
    /// There is room between rows.
    Apart,
}

/// The side of a square.
const SIDE: f64 = 24.0;
/// The largest number of squares of a row.
const SQUARES: u64 = 30;

/// Draws heaps as rows of squares, each below the one before; those that come after an arrow.
pub fn rows(canvas: &mut Canvas, heaps: &[(Heap, Presence)], spacing: Spacing) {
    let labels = heaps.iter().map(|(heap, _)| heap.line_width());
    let left = labels.fold(0.0, f64::max) + 12.0;
    let step = match spacing {
        Spacing::Touching => SIDE,
        Spacing::Apart => SIDE + 10.0,
    };
    let (mut y, mut arrow) = (0.0, false);
    for (heap, presence) in heaps {
        if *presence == Presence::Comes && !std::mem::replace(&mut arrow, true) {
            let x = left + SIDE;
            let stroke = Stroke::solid(ACCENT, 2.5);
            canvas.arrow((x, y - SIDE / 2.0), (x, y + 20.0), stroke);
            y += 40.0;
        }
        let end = row(canvas, heap, *presence, (left, y));
        // The label is in the row.
        let (from, to) = (left - heap.line_width() - 12.0, end.max(left + SIDE));
        heap.write_line(canvas, (from, y));
        heap.mark(canvas, ((from + to) / 2.0, y), (to - from, SIDE));
        y += step;
    }
}

/// Draws one row from a left end; returns its right end.
fn row(canvas: &mut Canvas, heap: &Heap, presence: Presence, (left, y): (f64, f64)) -> f64 {
    let Some(cells) = heap.cells(SQUARES, 1) else {
        // A heap of any size: a few pale squares.
        let pale = Stroke::solid(LINE, 1.2);
        for place in 0..4 {
            let middle = left + SIDE * (f64::from(place) + 0.5);
            canvas.plate((middle, y), (SIDE, SIDE), 0.0, "#f6f7f9", pale);
        }
        return left + 4.0 * SIDE;
    };
    let ghost = (PAPER, Stroke::dashed(ACCENT, 1.6));
    let usual = match presence {
        Presence::Stays => (TOKEN, Stroke::solid(INK, 1.2)),
        Presence::Goes => ghost,
        Presence::Comes => (ACCENT_FILL, Stroke::solid(ACCENT, 2.0)),
    };
    let mut x = left;
    for cell in cells {
        let (fill, stroke) = if cell.changes { ghost } else { usual };
        if cell.is_gap {
            let colour = if cell.changes { ACCENT } else { FAINT };
            let at = (x + SIDE / 2.0, y);
            canvas.text(at, "…", Font::bold(16.0), Anchor::Middle, colour);
        } else {
            canvas.plate((x + SIDE / 2.0, y), (SIDE, SIDE), 0.0, fill, stroke);
        }
        x += SIDE;
    }
    x
}
