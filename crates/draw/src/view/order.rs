//! Heaps as the Hasse diagram of an order.

use crate::board::separated;
use crate::canvas::{Canvas, LINE, Point, Stroke};
use crate::heap::Heap;
use crate::layers;

/// Draws the heaps, each above those that it covers; `covers` are the pairs of a heap and one
/// next above it.
pub fn draw(canvas: &mut Canvas, covers: &[(usize, usize)], heaps: &[Heap]) {
    // INVARIANT: an order has no cycle.
    let ranks = layers::ranks_of_acyclic(heaps.len(), covers).expect("an order has no cycle");
    let laid = layers::layout(&ranks, covers);
    // Ranks are from left to right in a layout, and upwards in a diagram.
    let turned = |(x, y): Point| (y, -x);
    let boxes: Vec<(Point, Point)> = laid
        .places
        .iter()
        .zip(heaps)
        .map(|(place, heap)| (turned(*place), heap.plate()))
        .collect();
    let scale = separated(&boxes).max(60.0);
    let at = |place: Point| {
        let (x, y) = turned(place);
        (x * scale, y * scale)
    };
    for ((lower, upper), bends) in covers.iter().zip(&laid.bends) {
        let mut path = vec![at(laid.places[*lower])];
        path.extend(bends.iter().map(|bend| at(*bend)));
        path.push(at(laid.places[*upper]));
        for pair in path.windows(2) {
            canvas.line(pair[0], pair[1], Stroke::solid(LINE, 1.8));
        }
    }
    for (heap, place) in heaps.iter().zip(&laid.places) {
        heap.draw(canvas, at(*place));
    }
}
