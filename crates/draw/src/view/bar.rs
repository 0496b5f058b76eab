//! Two heaps as a bar of chocolate.

use crate::canvas::{ACCENT, Canvas, INK, LINE, PAPER, Stroke};
use crate::heap::Heap;
use nimrule_model::game::Game;

/// The largest number of columns and of rows.
const MOST: u64 = 60;
/// The columns and rows of a bar without a position.
const ANY: u64 = 6;
/// The colours of squares of chocolate and of the bitter square.
const CHOCOLATE: &str = "#c08552";
const BITTER: &str = "#3b2417";

/// Draws the bar of two heaps, and returns whether it is small enough. Column 0 and row 0 are
/// those of the bitter square, in the left lower corner.
pub fn draw(canvas: &mut Canvas, game: &Game, heaps: &[Heap], position: Option<&[u64]>) -> bool {
    let [across, up] = heaps else { return false };
    let (Some((x, x_after)), Some((y, y_after))) = (ends(across), ends(up)) else {
        return false;
    };
    let (columns, rows) = (x.max(x_after) + 1, y.max(y_after) + 1);
    let side = (420.0 / columns.max(rows) as f64).clamp(8.0, 28.0);
    let mut numbers = match position {
        Some(position) => position.to_vec(),
        None => vec![0; game.heap_names.len()],
    };
    for column in 0..columns {
        for row in 0..rows {
            (numbers[0], numbers[1]) = (column, row);
            if !game.allows(&numbers) {
                continue;
            }
            let before = column <= x && row <= y;
            let after = column <= x_after && row <= y_after;
            let (fill, stroke) = match (before, after) {
                (false, false) => continue,
                (true, true) if (column, row) == (0, 0) => (BITTER, Stroke::solid(INK, 1.2)),
                (true, true) if across.size.is_none() => ("#f6f7f9", Stroke::solid(LINE, 1.2)),
                (true, true) => (CHOCOLATE, Stroke::solid(INK, 1.2)),
                _ => (PAPER, Stroke::dashed(ACCENT, 1.6)),
            };
            let at = ((column as f64 + 0.5) * side, -(row as f64 + 0.5) * side);
            canvas.plate(at, (side, side), 0.0, fill, stroke);
        }
    }
    // The columns are counted below the bar, the rows to the left of it.
    let (wide, high) = (columns as f64 * side, rows as f64 * side);
    let (width, height) = (across.line_width().max(wide), 26.0);
    across.write_line(canvas, ((wide - across.line_width()) / 2.0, 16.0));
    across.mark(canvas, (wide / 2.0, 16.0), (width, height));
    let width = up.line_width();
    let at = (-width - 10.0, -high / 2.0);
    up.write_line(canvas, at);
    up.mark(
        canvas,
        (at.0 + width / 2.0, at.1),
        (width, high.max(height)),
    );
    true
}

/// The size of a heap before and after the move; `None` if it is too large to be drawn.
fn ends(heap: &Heap) -> Option<(u64, u64)> {
    match heap.tokens() {
        (Some(before), Some(after)) => (before.max(after) < MOST).then_some((before, after)),
        _ => Some((ANY, ANY)),
    }
}
