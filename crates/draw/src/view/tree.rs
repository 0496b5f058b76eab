//! Heaps as stalks of edges on a ground line, as Hackenbush is drawn.

use crate::canvas::{ACCENT, ACCENT_FILL, Anchor, Canvas, FAINT, Font, INK, PAPER, Point, Stroke};
use crate::heap::Heap;

/// The height of a stalk of one edge, and of an edge of a longer one.
const ALONE: f64 = 52.0;
const EDGE: f64 = 26.0;
/// The largest number of edges of a stalk that are drawn; a longer one has a gap.
const EDGES: u64 = 6;
/// The colour of an edge: the edges of an impartial game are green.
const GREEN: &str = "#2f8f46";

/// Draws each heap as a stalk on the heap below it, or on the ground.
pub fn draw(canvas: &mut Canvas, below: &[Option<usize>], heaps: &[Heap]) {
    let slot = heaps.iter().map(|heap| label(heap).0).fold(0.0, f64::max) * 2.0 + 20.0;
    let mut tree = Tree {
        above: vec![Vec::new(); heaps.len()],
        bases: vec![(0.0, 0.0); heaps.len()],
        tops: vec![(0.0, 0.0); heaps.len()],
        heaps,
        slot,
    };
    let on_ground: Vec<usize> = (0..heaps.len())
        .filter(|heap| below[*heap].is_none())
        .collect();
    for (heap, lower) in below.iter().enumerate() {
        if let Some(lower) = lower {
            tree.above[*lower].push(heap);
        }
    }
    let mut left = 0.0;
    for heap in on_ground {
        let width = tree.width(heap);
        let x = left + width / 2.0;
        tree.place(heap, (x, 0.0), left);
        left += width;
    }
    canvas.line((-10.0, 0.0), (left + 10.0, 0.0), Stroke::solid(INK, 3.0));
    for (heap, drawn) in heaps.iter().enumerate() {
        stalk(canvas, drawn, tree.bases[heap], tree.tops[heap]);
    }
    for (heap, drawn) in heaps.iter().enumerate() {
        let ((x, y), (a, b)) = (tree.bases[heap], tree.tops[heap]);
        let middle = ((x + a) / 2.0, (y + b) / 2.0);
        let (width, height) = label(drawn);
        let stroke = match drawn.changes() {
            true => Stroke::solid(ACCENT, 2.0),
            false => Stroke::solid(FAINT, 1.0),
        };
        let fill = if drawn.changes() { ACCENT_FILL } else { PAPER };
        canvas.plate(middle, (width, height), 6.0, fill, stroke);
        if drawn.disc {
            let font = Font::italic(14.0);
            canvas.text(middle, &drawn.name, font, Anchor::Middle, INK);
        } else {
            drawn.write_line(canvas, (middle.0 - drawn.line_width() / 2.0, middle.1));
        }
        drawn.mark(canvas, middle, ((x - a).abs().max(width), (y - b).abs()));
    }
}

/// The width and height of the label of a heap on its stalk: the name of an edge, or the name
/// and the number of edges.
fn label(heap: &Heap) -> Point {
    let width = match heap.disc {
        true => Font::italic(14.0).width(&heap.name),
        false => heap.line_width(),
    };
    (width + 10.0, 22.0)
}

struct Tree<'h> {
    heaps: &'h [Heap],
    /// The heaps that stand on each heap.
    above: Vec<Vec<usize>>,
    /// The lower and upper end of each stalk.
    bases: Vec<Point>,
    tops: Vec<Point>,
    /// The width of a stalk on which nothing stands.
    slot: f64,
}

impl Tree<'_> {
    fn width(&self, heap: usize) -> f64 {
        let above = self.above[heap].iter();
        above
            .map(|heap| self.width(*heap))
            .sum::<f64>()
            .max(self.slot)
    }

    /// Places a heap on a point, with its top in the middle of the room that begins at `left`.
    fn place(&mut self, heap: usize, base: Point, left: f64) {
        let edges = drawn_edges(&self.heaps[heap]) as f64;
        let height = (EDGE * edges).max(ALONE);
        let top = (left + self.width(heap) / 2.0, base.1 - height);
        (self.bases[heap], self.tops[heap]) = (base, top);
        let mut left = left;
        for upper in self.above[heap].clone() {
            self.place(upper, top, left);
            left += self.width(upper);
        }
    }
}

/// The number of edges that are drawn: an empty heap has a dashed one.
fn drawn_edges(heap: &Heap) -> u64 {
    match heap.tokens() {
        (Some(before), Some(after)) => before.max(after).clamp(1, EDGES),
        _ => 1,
    }
}

/// Draws the edges of a stalk, and the vertices between them.
fn stalk(canvas: &mut Canvas, heap: &Heap, from: Point, to: Point) {
    let (before, after) = match heap.tokens() {
        (Some(before), Some(after)) => (before, after),
        _ => (1, 1),
    };
    let (high, low, edges) = (before.max(after), before.min(after), drawn_edges(heap));
    let at = |number: u64| {
        let part = number as f64 / edges as f64;
        (
            from.0 + (to.0 - from.0) * part,
            from.1 + (to.1 - from.1) * part,
        )
    };
    for edge in 0..edges {
        // The upper half of a longer stalk is counted from its top.
        let number = if high > EDGES && edge >= EDGES / 2 {
            high - edges + edge
        } else {
            edge
        };
        let stroke = match (number < low, number < high) {
            (true, _) => Stroke::solid(GREEN, 6.0),
            (false, true) => Stroke::dashed(ACCENT, 3.0),
            (false, false) => Stroke::dashed(FAINT, 1.2),
        };
        canvas.line(at(edge), at(edge + 1), stroke);
    }
    for vertex in 1..=edges {
        canvas.circle(at(vertex), 4.0, INK, Stroke::solid(INK, 1.0));
    }
}
