//! The layout of each kind of board, with its heaps.

use super::figure::{Anchor, Figure, LineKind, Point, Tone};
use super::{HeapLabel, MAX_CELLS, PictureError, Shown, graph, planar, solid};
use nimrule_model::board::{Arrangement, Board, CellKind};
use nimrule_model::digraph::Digraph;
use nimrule_model::game::Game;
use std::ops::Range;

/// Draws the board, and the heaps on it. Returns the indices of these heaps.
pub fn heaps(
    figure: &mut Figure,
    game: &Game,
    shown: Shown<'_>,
    labels: &[HeapLabel],
) -> Result<Range<usize>, PictureError> {
    let (Some(board), Some((kind, first))) = (&game.board, game.heaps_on) else {
        return Ok(0..0);
    };
    let vertices = board.count(CellKind::Vertex).unwrap_or(0);
    if vertices > MAX_CELLS {
        return Err(PictureError::TooLarge {
            cells: vertices,
            what: "vertices",
        });
    }
    let count = board.count(kind).unwrap_or(0);
    let labels = &labels[first..first + count];
    let faces: Option<Vec<Vec<usize>>> = board
        .faces()
        .map(|faces| faces.iter().map(|face| face.vertices.clone()).collect());
    match (faces, board.arrangement(), board.lengths()) {
        (Some(faces), ..) => match solid::coordinates(board) {
            Some(points) => in_space(figure, board, kind, labels, &points, &faces),
            // Euler's formula: the faces are those of an embedding in the sphere.
            None if vertices + faces.len() == board.edges().len() + 2 => {
                on_plane(figure, board, kind, labels, &faces);
            }
            None => {
                let points = graph::springs(vertices, board.edges());
                joined(figure, board, kind, labels, &points);
            }
        },
        (None, Some(Arrangement::Circle), _) => {
            ring(
                figure,
                labels,
                board.is_shrinking() && shown.position.is_some(),
            );
        }
        (None, Some(Arrangement::Row), _) => {
            row(
                figure,
                labels,
                board.is_shrinking() && shown.position.is_some(),
            );
        }
        (None, None, []) => {
            let points = if board.name().starts_with("complete") {
                graph::circle(vertices)
            } else {
                graph::springs(vertices, board.edges())
            };
            joined(figure, board, kind, labels, &points);
        }
        (None, None, lengths) => squares(figure, lengths, labels),
    }
    Ok(first..first + count)
}

/// Two views of a solid, side by side.
fn in_space(
    figure: &mut Figure,
    board: &Board,
    kind: CellKind,
    labels: &[HeapLabel],
    points: &[solid::Vector],
    faces: &[Vec<usize>],
) {
    let views = solid::views(points, faces);
    let bounds = |of: fn(Point) -> f64| {
        let all = views
            .iter()
            .flat_map(|view| view.vertices.iter().map(|p| of(*p)));
        let least = all.clone().fold(f64::INFINITY, f64::min);
        (least, all.fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (_, bottom)) = (bounds(|p| p.x), bounds(|p| p.y));
    for (place, (view, words)) in views
        .iter()
        .zip(["from in front", "from behind"])
        .enumerate()
    {
        let shift = place as f64 * (right - left + 0.7);
        let at = |point: Point| Point {
            x: point.x + shift,
            y: point.y,
        };
        let vertices: Vec<Point> = view.vertices.iter().map(|p| at(*p)).collect();
        let tone = match (kind, place) {
            (CellKind::Face, 0) => Tone::Front,
            (CellKind::Face, _) => Tone::Back,
            _ => Tone::Plain,
        };
        let mut is_vertex_seen = vec![false; vertices.len()];
        for (face, corners) in faces.iter().enumerate() {
            if view.faces[face] {
                figure.polygon(corners.iter().map(|v| vertices[*v]).collect(), tone);
                corners.iter().for_each(|v| is_vertex_seen[*v] = true);
            }
        }
        match kind {
            CellKind::Face => {
                for (face, corners) in faces.iter().enumerate() {
                    if view.faces[face] {
                        let corners: Vec<Point> = corners.iter().map(|v| vertices[*v]).collect();
                        figure.heap_in(Point::mean(&corners), &corners, &labels[face]);
                    }
                }
            }
            CellKind::Edge => {
                let sides = board.touching(CellKind::Face, CellKind::Edge);
                for (edge, [a, b]) in board.edges().iter().enumerate() {
                    let around = sides.as_ref().map(|sides| sides[edge].as_slice());
                    if around.is_some_and(|faces| faces.iter().any(|face| view.faces[*face])) {
                        let middle = Point::mean(&[vertices[*a], vertices[*b]]);
                        figure.token(middle, &labels[edge]);
                    }
                }
            }
            CellKind::Vertex => {
                for (vertex, at) in vertices.iter().enumerate() {
                    if is_vertex_seen[vertex] {
                        figure.token(*at, &labels[vertex]);
                    }
                }
            }
        }
        let below = Point {
            x: (left + right) / 2.0 + shift,
            y: bottom,
        };
        let pixels = Point { x: 0.0, y: 44.0 };
        figure.label_beside(below, pixels, Anchor::Middle, words, Tone::Faint);
    }
}

/// A planar board without crossings; the outer face is the longest.
fn on_plane(
    figure: &mut Figure,
    board: &Board,
    kind: CellKind,
    labels: &[HeapLabel],
    faces: &[Vec<usize>],
) {
    let vertices = board.count(CellKind::Vertex).unwrap_or(0);
    let outer = (0..faces.len()).max_by_key(|face| (faces[*face].len(), faces.len() - face));
    let points = match outer {
        Some(outer) if vertices > 2 => planar::embedding(vertices, faces, outer),
        _ => (0..vertices)
            .map(|v| Point {
                x: 1.5 * v as f64,
                y: 0.0,
            })
            .collect(),
    };
    if kind != CellKind::Face {
        return joined(figure, board, kind, labels, &points);
    }
    let lowest = points.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    for (face, walk) in faces.iter().enumerate() {
        if Some(face) != outer {
            let corners: Vec<Point> = walk.iter().map(|v| points[*v]).collect();
            figure.polygon(corners, Tone::Front);
        }
    }
    for [a, b] in board.edges() {
        figure.line(points[*a], points[*b], LineKind::Edge);
    }
    for (face, walk) in faces.iter().enumerate() {
        let corners: Vec<Point> = walk.iter().map(|v| points[*v]).collect();
        if Some(face) == outer {
            let middle = Point::mean(&corners);
            let below = Point {
                x: middle.x,
                y: lowest,
            };
            let pixels = Point { x: 0.0, y: 30.0 };
            figure.label_beside(below, pixels, Anchor::Middle, "outside:", Tone::Faint);
            figure.heap_beside(below, 64.0, &labels[face]);
        } else {
            let at = inside(&corners);
            figure.heap_in(at, &corners, &labels[face]);
        }
    }
}

/// The point inside a polygon that is farthest from its sides, among points of a grid.
fn inside(corners: &[Point]) -> Point {
    const STEPS: u32 = 40;
    let bounds = |of: fn(&Point) -> f64| {
        let values = corners.iter().map(of);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        (least, values.fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (top, bottom)) = (bounds(|p| p.x), bounds(|p| p.y));
    let sides: Vec<(Point, Point)> = corners
        .iter()
        .copied()
        .zip(corners.iter().copied().cycle().skip(1))
        .collect();
    let mut best = (Point::mean(corners), 0.0);
    for row in 1..STEPS {
        for column in 1..STEPS {
            let part =
                |from: f64, to: f64, step| from + (to - from) * f64::from(step) / f64::from(STEPS);
            let at = Point {
                x: part(left, right, column),
                y: part(top, bottom, row),
            };
            // A ray to the right meets the boundary an odd number of times.
            let met = sides.iter().filter(|(a, b)| {
                (a.y > at.y) != (b.y > at.y)
                    && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
            });
            if met.count() % 2 == 0 {
                continue;
            }
            let room = sides.iter().map(|(a, b)| planar::from_segment(at, *a, *b));
            let room = room.fold(f64::INFINITY, f64::min);
            if room > best.1 + 1e-9 {
                best = (at, room);
            }
        }
    }
    best.0
}

/// Vertices joined by edges, with heaps on either.
fn joined(
    figure: &mut Figure,
    board: &Board,
    kind: CellKind,
    labels: &[HeapLabel],
    points: &[Point],
) {
    for [a, b] in board.edges() {
        let kind = if board.edges().len() > 2 * points.len() + 12 {
            LineKind::Light
        } else {
            LineKind::Edge
        };
        figure.line(points[*a], points[*b], kind);
    }
    match kind {
        CellKind::Edge => {
            for (at, label) in along_edges(board.edges(), points).into_iter().zip(labels) {
                figure.token(at, label);
            }
            if board.names_are_given() {
                for (vertex, at) in points.iter().enumerate() {
                    figure.disc(*at, 4.0, "#3b4a5a", Tone::Faint);
                    let name = board.cell_name(CellKind::Vertex, vertex);
                    let centre = Point::mean(points);
                    let away = at.distance(centre).max(1e-6);
                    let outwards = Point {
                        x: at.x + 0.3 * (at.x - centre.x) / away,
                        y: at.y + 0.3 * (at.y - centre.y) / away,
                    };
                    figure.label(outwards, Anchor::Middle, &name, Tone::Faint);
                }
            }
        }
        CellKind::Vertex => {
            for (vertex, at) in points.iter().enumerate() {
                figure.token(*at, &labels[vertex]);
            }
        }
        CellKind::Face => {
            for (face, label) in board.faces().unwrap_or_default().iter().zip(labels) {
                let corners: Vec<Point> = face.vertices.iter().map(|v| points[*v]).collect();
                figure.token(Point::mean(&corners), label);
            }
        }
    }
}

/// A point of each edge: the middle or, where edges cross near it, another point that
/// is far from those of other edges and from the vertices.
fn along_edges(edges: &[[usize; 2]], points: &[Point]) -> Vec<Point> {
    let mut chosen: Vec<Point> = Vec::new();
    for [a, b] in edges {
        let (a, b) = (points[*a], points[*b]);
        let candidates = [0.5, 0.38, 0.62, 0.3, 0.7].map(|part| Point {
            x: a.x + part * (b.x - a.x),
            y: a.y + part * (b.y - a.y),
        });
        let room = |at: Point| {
            let others = chosen.iter().chain(points).map(|other| at.distance(*other));
            let lines = edges.iter().filter(|[c, d]| {
                let ends = [points[*c], points[*d]];
                !ends.contains(&a) && !ends.contains(&b)
            });
            let lines = lines.map(|[c, d]| planar::from_segment(at, points[*c], points[*d]));
            others.chain(lines).fold(f64::INFINITY, f64::min)
        };
        let enough = 0.2 * a.distance(b);
        let free = candidates.iter().find(|at| room(**at) > enough);
        let best = candidates.iter().copied().reduce(|best, at| {
            if room(at) > room(best) + 1e-6 {
                at
            } else {
                best
            }
        });
        chosen.push(free.copied().or(best).unwrap_or(a));
    }
    chosen
}

/// The heaps that are left, where empty ones vanish.
fn remaining(labels: &[HeapLabel], shrinks: bool) -> Vec<&HeapLabel> {
    let left = |label: &&HeapLabel| !shrinks || label.size.is_none_or(|(size, _)| size > 0);
    labels.iter().filter(left).collect()
}

fn ring(figure: &mut Figure, labels: &[HeapLabel], shrinks: bool) {
    let labels = remaining(labels, shrinks);
    let points = graph::circle(labels.len());
    for (place, at) in points.iter().enumerate() {
        figure.line(*at, points[(place + 1) % points.len()], LineKind::Edge);
    }
    for (label, at) in labels.into_iter().zip(points) {
        figure.token(at, label);
    }
}

fn row(figure: &mut Figure, labels: &[HeapLabel], shrinks: bool) {
    let labels = remaining(labels, shrinks);
    let at = |place: usize| Point {
        x: place as f64,
        y: 0.0,
    };
    for place in 1..labels.len() {
        figure.line(at(place - 1), at(place), LineKind::Edge);
    }
    for (place, label) in labels.into_iter().enumerate() {
        figure.token(at(place), label);
    }
}

/// A grid of squares; layers of a grid of more dimensions stand side by side.
fn squares(figure: &mut Figure, lengths: &[usize], labels: &[HeapLabel]) {
    let columns = lengths.last().copied().unwrap_or(1).max(1);
    let rows = match lengths {
        [.., rows, _] => *rows,
        _ => 1,
    };
    for (place, label) in labels.iter().enumerate() {
        let layer = place / (rows * columns).max(1);
        let (row, column) = (place / columns % rows.max(1), place % columns);
        let at = Point {
            x: column as f64 + layer as f64 * (columns as f64 + 0.5),
            y: row as f64,
        };
        let corner = |x: f64, y: f64| Point {
            x: at.x + x,
            y: at.y + y,
        };
        let corners = vec![
            corner(-0.5, -0.5),
            corner(0.5, -0.5),
            corner(0.5, 0.5),
            corner(-0.5, 0.5),
        ];
        let is_taken = label.size.is_some_and(|(size, _)| size == 0);
        figure.polygon(corners, if is_taken { Tone::Plain } else { Tone::Front });
        figure.heap(at, label);
    }
}

/// Tokens on the vertices of a digraph.
pub fn digraph(
    figure: &mut Figure,
    game: &Game,
    digraph: &Digraph,
    shown: Shown<'_>,
) -> Result<(), PictureError> {
    let count = digraph.len();
    if count > MAX_CELLS {
        return Err(PictureError::TooLarge {
            cells: count,
            what: "vertices",
        });
    }
    let arcs: Vec<[usize; 2]> = (0..count)
        .flat_map(|from| {
            let to = digraph.relation.from(from);
            to.iter().map(move |to| [from, *to as usize])
        })
        .collect();
    let coordinates = digraph.coordinates();
    let has_squares = coordinates.len() == 2;
    let points: Vec<Point> = if has_squares {
        (0..count)
            .map(|state| {
                let values = digraph.values(state);
                Point {
                    x: values[0] as f64,
                    y: -values[1] as f64,
                }
            })
            .collect()
    } else {
        graph::layers(count, &arcs).unwrap_or_else(|| graph::circle(count))
    };
    // The tokens on each vertex, before and after the move.
    let on = |position: Option<&[u64]>, state: usize| -> Vec<String> {
        let names = game.heap_names.iter().zip(position.unwrap_or_default());
        names
            .filter(|(_, number)| digraph.state(**number) == Some(state))
            .map(|(name, _)| name.clone())
            .collect()
    };
    if !has_squares {
        for [from, to] in &arcs {
            figure.line(points[*from], points[*to], LineKind::Arrow);
        }
    }
    for (state, at) in points.iter().enumerate() {
        if has_squares {
            let corner = |x: f64, y: f64| Point {
                x: at.x + x,
                y: at.y + y,
            };
            let corners = vec![
                corner(-0.5, -0.5),
                corner(0.5, -0.5),
                corner(0.5, 0.5),
                corner(-0.5, 0.5),
            ];
            figure.polygon(corners, Tone::Plain);
        }
        let (before, after) = (on(shown.position, state), on(shown.after, state));
        let arrives = shown.after.is_some() && after.len() > before.len();
        let words = if before.len() > 1 {
            before.join(" ")
        } else if before.is_empty() {
            String::new()
        } else if game.heap_count() == 1 {
            "●".to_owned()
        } else {
            before[0].clone()
        };
        let words = if arrives {
            format!("{words} ←").trim().to_owned()
        } else {
            words
        };
        if !has_squares {
            let outline = if arrives { Tone::Changed } else { Tone::Faint };
            let fill = if before.is_empty() {
                "#ffffff"
            } else {
                "#f7cf6b"
            };
            figure.disc(*at, 17.0, fill, outline);
            let name = digraph.shown(state);
            figure.label(*at, Anchor::Middle, &name, Tone::Strong);
        }
        if !words.is_empty() && has_squares {
            let tone = if arrives { Tone::Changed } else { Tone::Strong };
            figure.label(*at, Anchor::Middle, &words, tone);
        } else if !words.is_empty() && game.heap_count() > 1 {
            let above = Point {
                x: at.x,
                y: at.y - 0.45,
            };
            figure.label(above, Anchor::Middle, &words, Tone::Strong);
        }
    }
    if has_squares {
        axes(figure, digraph);
    }
    Ok(())
}

/// The values of the coordinates beside the squares.
fn axes(figure: &mut Figure, digraph: &Digraph) {
    let [across, up] = digraph.coordinates() else {
        return;
    };
    for x in across.first..=across.last() {
        let at = Point {
            x: x as f64,
            y: -(up.first as f64) + 0.85,
        };
        figure.label(at, Anchor::Middle, &x.to_string(), Tone::Faint);
    }
    for y in up.first..=up.last() {
        let at = Point {
            x: across.first as f64 - 0.85,
            y: -(y as f64),
        };
        figure.label(at, Anchor::Middle, &y.to_string(), Tone::Faint);
    }
}
