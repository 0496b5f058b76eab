//! Tokens on the vertices of a digraph.

use crate::canvas::{
    ACCENT, ACCENT_FILL, Anchor, CELL, Canvas, FAINT, Font, INK, LINE, PAPER, Part, Point, Stroke,
    TOKEN,
};
use crate::{board, grid, layers, stress};
use nimrule_model::digraph::Digraph;

/// Draws a digraph with tokens: `position` and `after` hold the numbers of their
/// vertices.
pub fn draw(
    canvas: &mut Canvas,
    digraph: &Digraph,
    names: &[String],
    position: Option<&[u64]>,
    after: Option<&[u64]>,
) {
    let states = |position: Option<&[u64]>| -> Vec<Option<usize>> {
        (0..names.len())
            .map(|token| digraph.state(*position?.get(token)?))
            .collect()
    };
    let (before, after) = (states(position), states(after));
    let on = |place: &[Option<usize>], state: usize| -> Vec<usize> {
        (0..names.len())
            .filter(|token| place[*token] == Some(state))
            .collect()
    };
    let squares = !digraph.coordinates().is_empty();
    let radius = token_radius(names);
    let most = (0..digraph.len())
        .map(|state| on(&before, state).len())
        .max()
        .unwrap_or(0)
        .max(1);
    let tokens_width = most as f64 * (2.0 * radius + 4.0);
    let (label, font) = (Font::plain(12.0), Font::plain(12.0));
    let labels: Vec<String> = (0..digraph.len())
        .map(|state| digraph.shown(state))
        .collect();
    let label_width = labels
        .iter()
        .map(|text| label.width(text))
        .fold(0.0, f64::max);
    let places: Vec<Point> = if squares {
        let lengths: Vec<usize> = digraph.coordinates().iter().map(|c| c.count).collect();
        let side = (tokens_width + 8.0).max(label_width + 8.0).max(54.0);
        let height = 2.0 * radius + 8.0 + label.height();
        let lengths = if lengths.len() == 1 {
            wrapped_row(lengths[0])
        } else {
            lengths
        };
        let mut places = grid::places(&lengths, (side, height.max(54.0)));
        places.truncate(digraph.len());
        for (state, at) in places.iter().enumerate() {
            let marked = after.contains(&Some(state)) && !before.contains(&Some(state));
            let odd = digraph.values(state).iter().sum::<i64>().rem_euclid(2) == 1;
            let fill = match (marked, odd) {
                (true, _) => ACCENT_FILL,
                (false, true) => "#e2ecf5",
                (false, false) => "#f7fafc",
            };
            canvas.plate(
                *at,
                (side, height.max(54.0)),
                0.0,
                fill,
                Stroke::solid(LINE, 1.0),
            );
            let vertex = Part::Vertex(digraph.number(state));
            canvas.mark(vertex, *at, (side, height.max(54.0)));
            let text_at = (
                at.0,
                at.1 + height.max(54.0) / 2.0 - label.height() / 2.0 - 1.0,
            );
            canvas.text(text_at, &labels[state], label, Anchor::Middle, FAINT);
        }
        places
            .into_iter()
            .map(|(x, y)| (x, y - label.height() / 2.0))
            .collect()
    } else {
        nodes(
            canvas,
            digraph,
            &labels,
            font,
            (tokens_width, radius),
            &before,
            &after,
        )
    };
    let tokens = names.iter().map(String::as_str).enumerate();
    let tokens: Vec<(usize, &str)> = tokens.collect();
    arrows(canvas, &places, (&before, &after), radius);
    discs(canvas, &tokens, &places, (&before, &after), (radius, TOKEN));
}

/// Draws the moves of tokens between places as arrows.
pub fn arrows(
    canvas: &mut Canvas,
    places: &[Point],
    (before, after): (&[Option<usize>], &[Option<usize>]),
    radius: f64,
) {
    for (from, to) in before.iter().zip(after) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            let (a, b) = (places[*from], places[*to]);
            let length = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
            let (dx, dy) = ((b.0 - a.0) / length, (b.1 - a.1) / length);
            canvas.arrow(
                (a.0 + dx * radius, a.1 + dy * radius),
                (b.0 - dx * (radius + 2.0), b.1 - dy * (radius + 2.0)),
                Stroke::solid(ACCENT, 3.0),
            );
        }
    }
}

/// Draws tokens, each with its index in the position and its name, as discs on places;
/// `before` and `after` are the places of each token, and `fill` is their colour.
pub fn discs(
    canvas: &mut Canvas,
    tokens: &[(usize, &str)],
    places: &[Point],
    (before, after): (&[Option<usize>], &[Option<usize>]),
    (radius, fill): (f64, &str),
) {
    let on = |place: usize| -> Vec<usize> {
        (0..tokens.len())
            .filter(|token| before[*token] == Some(place))
            .collect()
    };
    for (number, place) in places.iter().enumerate() {
        let here = on(number);
        let arriving = (0..tokens.len())
            .any(|token| after[token] == Some(number) && before[token] != Some(number));
        if arriving && here.is_empty() {
            canvas.circle(*place, radius, "none", Stroke::dashed(ACCENT, 2.5));
        }
        let left = place.0 - (here.len() as f64 - 1.0) * (radius + 2.0);
        for (number, token) in here.into_iter().enumerate() {
            let at = (left + number as f64 * (2.0 * radius + 4.0), place.1);
            let moves = after[token].is_some() && after[token] != before[token];
            let stroke = if moves {
                Stroke::solid(ACCENT, 3.5)
            } else {
                Stroke::solid(INK, 1.5)
            };
            let (index, name) = tokens[token];
            canvas.circle(at, radius, fill, stroke);
            canvas.mark(Part::Number(index), at, (2.0 * radius, 2.0 * radius));
            if tokens.len() > 1 {
                canvas.text(at, name, Font::italic(13.0), Anchor::Middle, INK);
            }
        }
    }
}

/// The radius of the discs of tokens.
pub fn token_radius(names: &[impl AsRef<str>]) -> f64 {
    let widest = names
        .iter()
        .map(|name| Font::italic(13.0).width(name.as_ref()))
        .fold(0.0, f64::max);
    if names.len() > 1 {
        (widest / 2.0 + 4.0).max(11.0)
    } else {
        11.0
    }
}

/// A long row of squares in several lines.
fn wrapped_row(count: usize) -> Vec<usize> {
    if count <= 14 {
        vec![count]
    } else {
        vec![count.div_ceil(12), 12]
    }
}

/// Draws the vertices of a digraph as nodes with arrows; returns where their tokens
/// are.
fn nodes(
    canvas: &mut Canvas,
    digraph: &Digraph,
    labels: &[String],
    font: Font,
    (tokens, radius): (f64, f64),
    before: &[Option<usize>],
    after: &[Option<usize>],
) -> Vec<Point> {
    let arcs: Vec<(usize, usize)> = (0..digraph.len())
        .flat_map(|from| {
            digraph
                .relation
                .from(from)
                .iter()
                .map(move |to| (from, *to as usize))
        })
        .collect();
    // Many arcs over many ranks would be a tangle in layers as well.
    let acyclic = layers::ranks_of_acyclic(digraph.len(), &arcs).filter(|ranks| {
        let passed: usize = arcs.iter().map(|(a, b)| ranks[*b] - ranks[*a] - 1).sum();
        passed <= 3 * digraph.len()
    });
    let size = |state: usize| -> Point {
        let width = font.width(&labels[state]) + 16.0;
        let has_tokens = before.contains(&Some(state)) || after.contains(&Some(state));
        if has_tokens {
            (
                width.max(tokens + 10.0),
                font.height() + 2.0 * radius + 12.0,
            )
        } else {
            (width.max(30.0), font.height() + 12.0)
        }
    };
    let (units, bends) = match acyclic {
        Some(ranks) => {
            let laid = layers::layout(&ranks, &arcs);
            (laid.places, laid.bends)
        }
        None => {
            let edges: Vec<[usize; 2]> = arcs
                .iter()
                .filter(|(a, b)| a != b)
                .map(|(a, b)| [*a.min(b), *a.max(b)])
                .collect();
            (
                stress::layout(digraph.len(), &edges),
                vec![Vec::new(); arcs.len()],
            )
        }
    };
    let boxes: Vec<(Point, Point)> = units
        .iter()
        .enumerate()
        .map(|(state, at)| {
            let (width, height) = size(state);
            (*at, (width + 22.0, height + 14.0))
        })
        .collect();
    let scale = board::separated(&boxes).max(78.0);
    let at = |(x, y): Point| (x * scale, y * scale);
    let places: Vec<Point> = units.iter().map(|unit| at(*unit)).collect();
    for ((from, to), bends) in arcs.iter().zip(&bends) {
        let moved = before
            .iter()
            .zip(after)
            .any(|pair| pair == (&Some(*from), &Some(*to)));
        let stroke = if moved {
            Stroke::solid(ACCENT, 3.0)
        } else {
            Stroke::solid(LINE, 1.6)
        };
        if from == to {
            let (x, y) = places[*from];
            let (w, h) = size(*from);
            let (left, right) = ((x - w * 0.25, y - h / 2.0), (x + w * 0.25, y - h / 2.0));
            let (a, b) = (
                (left.0 - 12.0, left.1 - 28.0),
                (right.0 + 12.0, right.1 - 28.0),
            );
            canvas.curve([left, a, b, right], stroke);
            canvas.arrow_head(right, b, 8.0, stroke.colour);
            continue;
        }
        let both = arcs.contains(&(*to, *from));
        let mut path = vec![places[*from]];
        path.extend(bends.iter().map(|bend| at(*bend)));
        path.push(places[*to]);
        if both {
            // Arcs in both directions run side by side.
            let (a, b) = (path[0], path[path.len() - 1]);
            let length = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
            let side = (-(b.1 - a.1) / length * 5.0, (b.0 - a.0) / length * 5.0);
            path.iter_mut()
                .for_each(|p| *p = (p.0 + side.0, p.1 + side.1));
        }
        let last = path.len() - 1;
        path[0] = leave(path[0], path[1], size(*from));
        path[last] = leave(path[last], path[last - 1], size(*to));
        for pair in path[..last].windows(2) {
            canvas.line(pair[0], pair[1], stroke);
        }
        canvas.arrow(path[last - 1], path[last], stroke);
    }
    for (state, place) in places.iter().enumerate() {
        let extent = size(state);
        let terminal = digraph.relation.from(state).is_empty();
        let stroke = if terminal {
            Stroke::solid(INK, 3.0)
        } else {
            Stroke::solid(INK, 1.4)
        };
        canvas.plate(
            *place,
            extent,
            10.0,
            if terminal { PAPER } else { CELL },
            stroke,
        );
        canvas.mark(Part::Vertex(digraph.number(state)), *place, extent);
        let has_tokens = before.contains(&Some(state)) || after.contains(&Some(state));
        let y = if has_tokens {
            place.1 + extent.1 / 2.0 - font.height() / 2.0 - 3.0
        } else {
            place.1
        };
        canvas.text((place.0, y), &labels[state], font, Anchor::Middle, INK);
    }
    places
        .into_iter()
        .enumerate()
        .map(|(state, (x, y))| (x, y - size(state).1 / 2.0 + radius + 5.0))
        .collect()
}

/// The point where a line from the middle of a box leaves it.
pub fn leave(middle: Point, towards: Point, (width, height): Point) -> Point {
    let (dx, dy) = (towards.0 - middle.0, towards.1 - middle.1);
    let across = if dx == 0.0 {
        f64::INFINITY
    } else {
        (width / 2.0 + 1.5) / dx.abs()
    };
    let down = if dy == 0.0 {
        f64::INFINITY
    } else {
        (height / 2.0 + 1.5) / dy.abs()
    };
    let part = across.min(down).min(1.0);
    (middle.0 + dx * part, middle.1 + dy * part)
}
