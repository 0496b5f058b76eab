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
/// The largest number of squares that are all drawn.
const SQUARES: u64 = 30;
/// The numbers of squares at the beginning and at the end of a longer row.
const ENDS: (u64, u64) = (16, 8);

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
    let mut square = |x: f64, fill: &str, stroke: Stroke| {
        canvas.plate((x + SIDE / 2.0, y), (SIDE, SIDE), 0.0, fill, stroke);
        x + SIDE
    };
    let (Some(before), Some(after)) = heap.tokens() else {
        // A heap of any size: a few pale squares.
        let pale = |x, _| square(x, "#f6f7f9", Stroke::solid(LINE, 1.2));
        return (0..4).fold(left, pale);
    };
    let ghost = (PAPER, Stroke::dashed(ACCENT, 1.6));
    let usual = match presence {
        Presence::Stays => (TOKEN, Stroke::solid(INK, 1.2)),
        Presence::Goes => ghost,
        Presence::Comes => (ACCENT_FILL, Stroke::solid(ACCENT, 2.0)),
    };
    let (low, high) = (before.min(after), before.max(after));
    let mut draw = |x, at: u64| {
        let (fill, stroke) = if at < low { usual } else { ghost };
        square(x, fill, stroke)
    };
    if high <= SQUARES {
        return (0..high).fold(left, draw);
    }
    let middle = (0..ENDS.0).fold(left, &mut draw);
    let end = (high - ENDS.1..high).fold(middle + SIDE, &mut draw);
    let at = (middle + SIDE / 2.0, y);
    canvas.text(at, "…", Font::bold(16.0), Anchor::Middle, FAINT);
    end
}
