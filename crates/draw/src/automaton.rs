//! Small automata, in layers from the start state, as SVG and in the DOT language.
//!
//! The state from which nothing is accepted is left out, with the arrows that lead
//! there; the others are numbered from the start, breadth first.

mod condition;
mod tikz;

pub use tikz::tikz;

use crate::Picture;
use crate::canvas::{Anchor, CELL, Canvas, FAINT, Font, INK, LabelBox, PAPER, Point, Stroke};
use crate::layers;
use nimrule_automata::TableDfa;
use std::collections::BTreeMap;

/// The largest number of states that a readable picture can have.
pub const MAX_STATES: usize = 64;

/// An automaton as it is drawn.
#[derive(Debug)]
struct Drawn {
    /// Whether each state accepts; the start is state 0.
    accepts: Vec<bool>,
    /// The arrows with the lines of their labels.
    arrows: BTreeMap<(usize, usize), Vec<String>>,
}

/// Selects states and arrows and writes the labels; `names` are those of the tracks.
fn drawn(names: &[String], table: &TableDfa) -> Drawn {
    let letters = 0..table.letters();
    let is_dead = |state: u32| {
        !table.output[state as usize]
            && letters
                .clone()
                .all(|letter| table.step(state, letter) == state)
    };
    // Breadth first, so that the numbers grow from left to right.
    let mut order = vec![table.start];
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        at += 1;
        for letter in letters.clone() {
            let next = table.step(state, letter);
            if !is_dead(next) && !order.contains(&next) {
                order.push(next);
            }
        }
    }
    let mut arrows = BTreeMap::new();
    for (from, state) in order.iter().enumerate() {
        for (to, target) in order.iter().enumerate() {
            let leads: Vec<bool> = letters
                .clone()
                .map(|letter| table.step(*state, letter) == *target)
                .collect();
            if leads.contains(&true) {
                let lines = condition::label(names, table.base, &leads);
                arrows.insert((from, to), lines);
            }
        }
    }
    Drawn {
        accepts: order
            .iter()
            .map(|state| table.output[*state as usize])
            .collect(),
        arrows,
    }
}

/// What the picture says about its labels.
fn legend(names: &[String]) -> String {
    format!(
        "digits of {}; digits without an arrow lead to no P-position",
        names.join(" ")
    )
}

/// An automaton in the DOT language.
pub fn dot(title: &str, names: &[String], table: &TableDfa) -> String {
    let drawn = drawn(names, table);
    let escaped = |words: &str| words.replace('\\', "\\\\").replace('"', "\\\"");
    let mut picture = format!(
        "digraph {{\n    label=\"{}\\n{}\" labelloc=t fontname=\"sans-serif\"\n    rankdir=LR\n    \
         node [fontname=\"sans-serif\"]\n    edge [fontname=\"monospace\"]\n    \
         begin [shape=point]\n    begin -> 0\n",
        escaped(title),
        escaped(&legend(names)),
    );
    for (state, accepts) in drawn.accepts.iter().enumerate() {
        let shape = if *accepts { "doublecircle" } else { "circle" };
        picture.push_str(&format!("    {state} [shape={shape}]\n"));
    }
    for ((from, to), lines) in &drawn.arrows {
        let label = lines
            .iter()
            .map(|line| escaped(line))
            .collect::<Vec<_>>()
            .join("\\n");
        picture.push_str(&format!("    {from} -> {to} [label=\"{label}\"]\n"));
    }
    picture.push_str("}\n");
    picture
}

/// The radius of a state.
const RADIUS: f64 = 20.0;
/// The font of the labels of arrows.
const FONT: Font = Font::plain(11.0);

/// An automaton as SVG.
pub fn svg(title: &str, names: &[String], table: &TableDfa) -> Picture {
    let drawn = drawn(names, table);
    let arcs: Vec<(usize, usize)> = drawn
        .arrows
        .keys()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    let states = drawn.accepts.len();
    let ranks = layers::ranks_from(0, states, &arcs);
    let laid = layers::layout(&ranks, &arcs);
    let size = |lines: &[String]| -> Point {
        let width = lines
            .iter()
            .map(|line| FONT.width(line))
            .fold(0.0, f64::max);
        (width + 6.0, lines.len() as f64 * FONT.height() + 2.0)
    };
    let (mut across, mut down) = (0.0_f64, 0.0_f64);
    for ((from, to), lines) in &drawn.arrows {
        let (width, height) = size(lines);
        across = across.max(width * if from == to { 0.5 } else { 1.0 });
        down = down.max(height * if from == to { 1.0 } else { 0.6 });
    }
    let step = (2.0 * RADIUS + across + 50.0, 2.0 * RADIUS + down + 44.0);
    let at = |(x, y): Point| (x * step.0, y * step.1);
    let places: Vec<Point> = laid.places.iter().map(|place| at(*place)).collect();
    let mut canvas = Canvas::default();
    let mut taken: Vec<LabelBox> = places
        .iter()
        .map(|place| boxed(*place, (2.0 * RADIUS + 6.0, 2.0 * RADIUS + 6.0)))
        .collect();
    // The labels, by the arrows, are written last: over every line.
    let mut labels: Vec<(Point, &[String])> = Vec::new();
    for ((state, _), lines) in drawn.arrows.iter().filter(|((from, to), _)| from == to) {
        let (x, y) = places[*state];
        let (left, right) = ((x - 8.0, y - RADIUS + 1.5), (x + 8.0, y - RADIUS + 1.5));
        let (a, b) = ((x - 24.0, y - RADIUS - 34.0), (x + 24.0, y - RADIUS - 34.0));
        canvas.curve([left, a, b, right], Stroke::solid(INK, 1.3));
        canvas.arrow_head(right, b, 8.0, INK);
        let extent = size(lines);
        let middle = (x, y - RADIUS - 28.0 - extent.1 / 2.0);
        taken.push(boxed(middle, extent));
        labels.push((middle, lines));
    }
    for ((from, to), bends) in arcs.iter().zip(&laid.bends) {
        let lines = &drawn.arrows[&(*from, *to)];
        let mut path = vec![places[*from]];
        path.extend(bends.iter().map(|bend| at(*bend)));
        path.push(places[*to]);
        let (first, last) = (path[0], path[path.len() - 1]);
        let length = (last.0 - first.0).hypot(last.1 - first.1).max(1.0);
        let normal = (-(last.1 - first.1) / length, (last.0 - first.0) / length);
        if path.len() == 2 {
            // Arrows both ways, and arrows within a rank, bend to their own sides.
            let both = drawn.arrows.contains_key(&(*to, *from));
            let bend = match (ranks[*from] == ranks[*to], both) {
                (true, _) => 34.0,
                (false, true) => 18.0,
                (false, false) => 0.0,
            };
            if bend > 0.0 {
                let middle = ((first.0 + last.0) / 2.0, (first.1 + last.1) / 2.0);
                path.insert(1, (middle.0 + normal.0 * bend, middle.1 + normal.1 * bend));
            }
        }
        let path = smooth(&path);
        let end = path.len() - 1;
        let from_edge = path
            .iter()
            .position(|p| distance(*p, first) >= RADIUS)
            .unwrap_or(0);
        let to_edge = path
            .iter()
            .rposition(|p| distance(*p, last) >= RADIUS + 7.0)
            .unwrap_or(end);
        let begin = towards(first, path[from_edge.min(end)], RADIUS);
        let tip = towards(last, path[to_edge], RADIUS + 0.5);
        let mut at = begin;
        for point in &path[from_edge..=to_edge.max(from_edge)] {
            canvas.line(at, *point, Stroke::solid(INK, 1.3));
            at = *point;
        }
        canvas.arrow_head(tip, at, 8.0, INK);
        let extent = size(lines);
        let middle = free_place(&path, normal, extent, &taken);
        taken.push(boxed(middle, extent));
        labels.push((middle, lines));
    }
    let (x, y) = places[0];
    canvas.arrow(
        (x - RADIUS - 34.0, y),
        (x - RADIUS - 1.0, y),
        Stroke::solid(INK, 1.6),
    );
    for (state, accepts) in drawn.accepts.iter().enumerate() {
        canvas.circle(
            places[state],
            RADIUS,
            if *accepts { CELL } else { PAPER },
            Stroke::solid(INK, 1.5),
        );
        if *accepts {
            canvas.circle(places[state], RADIUS - 4.0, "none", Stroke::solid(INK, 1.2));
        }
        let font = Font::plain(14.0);
        canvas.text(places[state], &state.to_string(), font, Anchor::Middle, INK);
    }
    for (middle, lines) in labels {
        canvas.plate(middle, size(lines), 3.0, PAPER, Stroke::solid(PAPER, 0.0));
        let top = middle.1 - (lines.len() as f64 - 1.0) / 2.0 * FONT.height();
        for (number, line) in lines.iter().enumerate() {
            let y = top + number as f64 * FONT.height();
            canvas.text((middle.0, y), line, FONT, Anchor::Middle, FAINT);
        }
    }
    let accepting = drawn.accepts.iter().filter(|accepts| **accepts).count();
    let words = format!(
        "A deterministic automaton with {states} states, {accepting} of them accepting \
         (double circles), that reads the {}; the start is state 0.",
        legend(names)
    );
    canvas.finish(title, &[legend(names)], &words)
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The point at a distance from one point in the direction of another.
fn towards(from: Point, to: Point, by: f64) -> Point {
    let length = distance(from, to).max(1e-9);
    (
        from.0 + (to.0 - from.0) / length * by,
        from.1 + (to.1 - from.1) / length * by,
    )
}

/// A smooth curve through the corners of a path, as points (quadratic B-spline).
fn smooth(path: &[Point]) -> Vec<Point> {
    let mix = |a: Point, b: Point, part: f64| (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part);
    if path.len() == 2 {
        return (0..=32)
            .map(|i| mix(path[0], path[1], f64::from(i) / 32.0))
            .collect();
    }
    let mut points = vec![path[0]];
    let mut begin = path[0];
    for i in 1..path.len() - 1 {
        let end = if i + 2 == path.len() {
            path[i + 1]
        } else {
            mix(path[i], path[i + 1], 0.5)
        };
        for step in 1..=16 {
            let part = f64::from(step) / 16.0;
            points.push(mix(
                mix(begin, path[i], part),
                mix(path[i], end, part),
                part,
            ));
        }
        begin = end;
    }
    points
}

fn boxed(middle: Point, (width, height): Point) -> LabelBox {
    LabelBox {
        text: String::new(),
        left: middle.0 - width / 2.0,
        right: middle.0 + width / 2.0,
        top: middle.1 - height / 2.0,
        bottom: middle.1 + height / 2.0,
    }
}

/// A place for a label by a path: on it near the middle, or else beside it, where no
/// other label and no state is.
fn free_place(path: &[Point], normal: Point, extent: Point, taken: &[LabelBox]) -> Point {
    let count = path.len();
    for away in 0..60 {
        for part in [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73] {
            let on = path[((count - 1) as f64 * part) as usize];
            for side in [1.0, -1.0] {
                let shift = f64::from(away) * 9.0 * side;
                let middle = (on.0 + normal.0 * shift, on.1 + normal.1 * shift);
                let here = boxed(middle, extent);
                if taken.iter().all(|other| !other.overlaps(&here)) {
                    return middle;
                }
            }
        }
    }
    // Below everything, which is always free.
    let lowest = taken.iter().map(|label| label.bottom).fold(0.0, f64::max);
    (path[count / 2].0, lowest + extent.1)
}
