//! Grids of any dimension: squares, and for more dimensions blocks of squares.

use crate::canvas::{ACCENT, ACCENT_FILL, CELL, Canvas, INK, Point, Stroke};
use crate::heap::Heap;

/// The places of the cells of a grid, in lexicographic order: the last coordinate runs
/// to the right and the one before it down within a block; the two before these do the
/// same for blocks, and so on.
pub fn places(lengths: &[usize], square: Point) -> Vec<Point> {
    let mut places = vec![(0.0, 0.0)];
    let mut size = square;
    for (level, &length) in lengths.iter().rev().enumerate() {
        let across = level % 2 == 0;
        let gap = match level {
            0 | 1 => 0.0,
            2 | 3 => 22.0,
            _ => 44.0,
        };
        let step = if across { size.0 + gap } else { size.1 + gap };
        let within = places;
        places = Vec::with_capacity(within.len() * length);
        for index in 0..length {
            let shift = step * index as f64;
            places.extend(within.iter().map(|(x, y)| {
                if across {
                    (x + shift, *y)
                } else {
                    (*x, y + shift)
                }
            }));
        }
        let whole = step * length as f64 - gap;
        if across {
            size.0 = whole;
        } else {
            size.1 = whole;
        }
    }
    places
}

/// Draws a grid with a heap on each square.
pub fn draw(canvas: &mut Canvas, lengths: &[usize], heaps: &[Heap]) {
    let extents = heaps.iter().map(|heap| heap.extent());
    let (width, height) = extents.fold((0.0_f64, 0.0_f64), |(w, h), (x, y)| (w.max(x), h.max(y)));
    let square = ((width + 12.0).max(46.0), (height + 10.0).max(46.0));
    let places = places(lengths, square);
    for (heap, at) in heaps.iter().zip(&places) {
        let fill = if heap.changes() { ACCENT_FILL } else { CELL };
        canvas.plate(*at, square, 0.0, fill, Stroke::solid(INK, 1.2));
        heap.mark(canvas, *at, square);
    }
    for (heap, at) in heaps.iter().zip(&places) {
        if heap.changes() && !heap.disc {
            canvas.plate(
                *at,
                (square.0 - 5.0, square.1 - 5.0),
                0.0,
                "none",
                Stroke::solid(ACCENT, 3.0),
            );
        }
        heap.write(canvas, *at);
    }
}
