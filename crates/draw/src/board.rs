//! Boards with heaps on their cells.
//!
//! A board is one view or, for a solid, two: from in front and, if cells with heaps are only seen
//! there, from behind. A view has the places of the cells in units of its own; its scale is the
//! smallest at which no two labels meet and each label on a face lies within the face.

use crate::canvas::{
    ACCENT, ACCENT_FILL, Anchor, CELL, Canvas, FAINT, Font, INK, LINE, PAPER, Point, Stroke,
};
use crate::heap::Heap;
use crate::{grid, solid, stress, tutte};
use nimrule_board::{Arrangement, Board, CellKind};
use std::f64::consts::TAU;

/// A view of a board, in units of its own.
#[derive(Debug, Default)]
struct View {
    caption: &'static str,
    /// The polygons of faces, in the order in which they are painted.
    faces: Vec<(usize, Vec<Point>)>,
    /// The edges.
    edges: Vec<(usize, Point, Point)>,
    /// The vertices.
    vertices: Vec<(usize, Point)>,
    /// The cells with heaps that have their labels in this view.
    labels: Vec<(usize, Point)>,
    /// The face around the drawing.
    outer: Option<usize>,
}

/// The room of a vertex on which there is no token.
pub const VERTEX: f64 = 8.0;

/// The distance between two labels.
const GAP: f64 = 8.0;

/// Draws a board; heap `i` of `heaps` is on cell `i` of the kind `on`, and a vertex has room
/// for a disc of the width `vertex`. Returns the places of the vertices, in their order, if no
/// heap is on them and the board is seen at once.
pub fn draw(
    canvas: &mut Canvas,
    board: &Board,
    (on, vertex): (CellKind, f64),
    heaps: &[Heap],
) -> Vec<Point> {
    if !board.lengths().is_empty() && on == CellKind::Vertex {
        grid::draw(canvas, board.lengths(), heaps);
        return Vec::new();
    }
    if board.is_shrinking() && heaps.iter().any(Heap::is_empty) {
        shrunk(canvas, board, heaps);
        return Vec::new();
    }
    let views = views(board, on);
    let scale = scale(&views, heaps, (on, vertex));
    let selected = selected(board, on, heaps);
    let mut left = 0.0;
    let mut vertices = Vec::new();
    for view in &views {
        // The extent of the view by itself.
        let mut alone = Canvas::default();
        paint(&mut alone, view, (scale, 0.0), on, heaps, selected);
        let from = left - alone.low().0;
        paint(canvas, view, (scale, from), on, heaps, selected);
        let place = |(_, (x, y)): &(usize, Point)| (x * scale + from, y * scale);
        vertices.extend(view.vertices.iter().map(place));
        left = canvas.high().0 + 40.0;
    }
    match views.len() {
        1 if on != CellKind::Vertex => vertices,
        _ => Vec::new(),
    }
}

/// The cell that touches exactly the heaps that change, if there is one: the edge, the
/// vertex or the face that the player chose.
fn selected(board: &Board, on: CellKind, heaps: &[Heap]) -> Option<(CellKind, usize)> {
    let changed: Vec<usize> = (0..heaps.len()).filter(|i| heaps[*i].changes()).collect();
    if changed.len() < 2 {
        return None;
    }
    let kinds = [CellKind::Edge, CellKind::Vertex, CellKind::Face];
    kinds
        .into_iter()
        .filter(|kind| *kind != on)
        .find_map(|kind| {
            let sets = board.touching(on, kind)?;
            let cell = sets.iter().position(|set| *set == changed)?;
            Some((kind, cell))
        })
}

fn views(board: &Board, on: CellKind) -> Vec<View> {
    if let (Some(points), Some(faces)) = (solid::vertices(board), board.faces()) {
        let mut seen = vec![false; board.count(on).unwrap_or_default()];
        let mut views: Vec<View> = [false, true]
            .into_iter()
            .map(|behind| {
                let visible: Vec<usize> = (0..faces.len())
                    .filter(|face| {
                        let corners: Vec<_> =
                            faces[*face].vertices.iter().map(|v| points[*v]).collect();
                        (solid::outward(&corners)[2] > 1e-9) != behind
                    })
                    .collect();
                let at = |vertex: usize| solid::project(points[vertex], behind);
                let mut view = View {
                    caption: if behind {
                        "from behind"
                    } else {
                        "from in front"
                    },
                    ..View::default()
                };
                for face in visible {
                    let corners = &faces[face].vertices;
                    view.faces
                        .push((face, corners.iter().map(|v| at(*v)).collect()));
                    for vertex in corners {
                        if view.vertices.iter().all(|(other, _)| other != vertex) {
                            view.vertices.push((*vertex, at(*vertex)));
                        }
                    }
                    for edge in &faces[face].edges {
                        if view.edges.iter().all(|(other, ..)| other != edge) {
                            let [a, b] = board.edges()[*edge];
                            view.edges.push((*edge, at(a), at(b)));
                        }
                    }
                }
                let anchors: Vec<(usize, Point)> = match on {
                    CellKind::Vertex => view.vertices.clone(),
                    CellKind::Edge => view
                        .edges
                        .iter()
                        .map(|(edge, a, b)| (*edge, between(*a, *b, 0.5)))
                        .collect(),
                    CellKind::Face => view
                        .faces
                        .iter()
                        .map(|(face, points)| (*face, centre(points)))
                        .collect(),
                };
                // What is seen from both sides has its label in front.
                view.labels = anchors
                    .into_iter()
                    .filter(|(cell, _)| !std::mem::replace(&mut seen[*cell], true))
                    .collect();
                view
            })
            .collect();
        // The vertices and edges of a tetrahedron are all seen in front.
        views.retain(|view| !view.labels.is_empty());
        if let [only] = &mut views[..] {
            only.caption = "";
        }
        return views;
    }
    vec![flat(board, on)]
}

/// The view of a board that is drawn in the plane.
fn flat(board: &Board, on: CellKind) -> View {
    let count = board.count(CellKind::Vertex).unwrap_or_default();
    let mut view = View::default();
    let mut hubs: Vec<Option<Point>> = Vec::new();
    let dimension = board
        .name()
        .strip_prefix("hypercube(")
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|number| number.parse::<u32>().ok());
    let places: Vec<Point> = if let Some(dimension) = dimension {
        hypercube(count, dimension)
    } else if let Some(faces) = board.faces() {
        let outer = tutte::outer_face(board);
        let drawing = tutte::draw(board, outer);
        view.outer = Some(outer);
        hubs = drawing.faces;
        for (face, hub) in hubs.iter().enumerate() {
            if hub.is_some() {
                let walk = &faces[face].vertices;
                let points = walk.iter().map(|v| drawing.vertices[*v]).collect();
                view.faces.push((face, points));
            }
        }
        drawing.vertices
    } else {
        match board.arrangement() {
            Some(Arrangement::Row) => (0..count).map(|i| (i as f64, 0.0)).collect(),
            Some(Arrangement::Circle) => on_circle(count),
            None if board.name().starts_with("complete") => on_circle(count),
            None => stress::layout(count, board.edges()),
        }
    };
    view.vertices = places.iter().copied().enumerate().collect();
    view.edges = board
        .edges()
        .iter()
        .enumerate()
        .map(|(edge, [a, b])| (edge, places[*a], places[*b]))
        .collect();
    view.labels = match on {
        CellKind::Vertex => view.vertices.clone(),
        CellKind::Edge => edge_labels(&view.edges),
        CellKind::Face => match board.faces() {
            Some(faces) if dimension.is_some() => faces
                .iter()
                .map(|face| {
                    let corners: Vec<Point> = face.vertices.iter().map(|v| places[*v]).collect();
                    centre(&corners)
                })
                .enumerate()
                .collect(),
            _ => hubs
                .iter()
                .enumerate()
                .filter_map(|(face, hub)| {
                    let (_, points) = view.faces.iter().find(|(other, _)| *other == face)?;
                    Some((face, roomiest(points, (*hub)?)))
                })
                .collect(),
        },
    };
    view
}

/// The vertices of a hypercube: sums of one vector for each direction. Their lengths
/// and angles differ, so that no two middles of squares coincide.
fn hypercube(count: usize, dimension: u32) -> Vec<Point> {
    let steps: Vec<Point> = (0..dimension)
        .map(|axis| match axis {
            0 => (2.0, 0.0),
            1 => (0.0, -2.0),
            _ => {
                let part = f64::from(axis - 1) / f64::from(dimension - 1).max(1.0);
                let angle = TAU / 4.0 * (0.15 + 0.9 * part);
                let length = 1.1 + 0.37 * f64::from(axis - 2);
                (length * angle.cos(), -length * angle.sin())
            }
        })
        .collect();
    (0..count)
        .map(|vertex| {
            let mut at = (0.0, 0.0);
            for (axis, step) in steps.iter().enumerate() {
                if vertex >> axis & 1 == 1 {
                    at = (at.0 + step.0, at.1 + step.1);
                }
            }
            at
        })
        .collect()
}

fn on_circle(count: usize) -> Vec<Point> {
    if count == 1 {
        return vec![(0.0, 0.0)];
    }
    (0..count)
        .map(|i| {
            let angle = TAU * i as f64 / count as f64 - TAU / 4.0;
            (angle.cos(), angle.sin())
        })
        .collect()
}

/// Places on the edges, away from one another: the middle where it is free.
fn edge_labels(edges: &[(usize, Point, Point)]) -> Vec<(usize, Point)> {
    let mut labels: Vec<(usize, Point)> = Vec::new();
    for (edge, a, b) in edges {
        let room = |at: Point| {
            labels
                .iter()
                .map(|(_, other)| (other.0 - at.0).hypot(other.1 - at.1))
                .fold(f64::INFINITY, f64::min)
        };
        let middle = between(*a, *b, 0.5);
        let mut best = (room(middle) * 1.3, middle);
        for part in [0.4, 0.6, 0.33, 0.67, 0.27, 0.73] {
            let at = between(*a, *b, part);
            if room(at) > best.0 + 1e-9 {
                best = (room(at), at);
            }
        }
        labels.push((*edge, best.1));
    }
    labels
}

fn between(a: Point, b: Point, part: f64) -> Point {
    (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
}

fn centre(points: &[Point]) -> Point {
    let count = points.len().max(1) as f64;
    let sum = points
        .iter()
        .fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    (sum.0 / count, sum.1 / count)
}

/// The smallest scale at which boxes of these sizes at these places do not overlap.
pub fn separated(boxes: &[(Point, Point)]) -> f64 {
    let mut scale: f64 = 0.0;
    for (i, (a, size)) in boxes.iter().enumerate() {
        for (b, other) in &boxes[..i] {
            let along = |distance: f64, extent: f64| {
                if distance.abs() < 1e-6 {
                    f64::INFINITY
                } else {
                    (extent + GAP) / distance.abs()
                }
            };
            let x = along(a.0 - b.0, (size.0 + other.0) / 2.0);
            let y = along(a.1 - b.1, (size.1 + other.1) / 2.0);
            scale = scale.max(x.min(y));
        }
    }
    scale
}

/// The scale of all views.
fn scale(views: &[View], heaps: &[Heap], (on, vertex): (CellKind, f64)) -> f64 {
    let mut scale: f64 = 24.0;
    for view in views {
        let boxes: Vec<(Point, Point)> = view
            .labels
            .iter()
            .filter_map(|(cell, at)| {
                let heap = heaps.get(*cell)?;
                let size = if on == CellKind::Face {
                    heap.extent()
                } else {
                    heap.plate()
                };
                Some((*at, size))
            })
            .collect();
        scale = scale.max(separated(&boxes));
        // An edge is as long as it takes to see it between two plates.
        let plate = |corner: &Point| {
            let heap = view.labels.iter().find(|(_, at)| at == corner);
            let heap = heap.filter(|_| on == CellKind::Vertex);
            heap.and_then(|(cell, _)| heaps.get(*cell))
                .map_or((vertex, vertex), Heap::plate)
        };
        let middles = |edge: usize| match on {
            CellKind::Edge => heaps.get(edge).map_or(0.0, |heap| heap.plate().0),
            _ => 0.0,
        };
        let limit = 3.0 * scale.max(60.0);
        for (edge, a, b) in &view.edges {
            let (dx, dy) = ((b.0 - a.0).abs(), (b.1 - a.1).abs());
            let length = dx.hypot(dy);
            if length < 1e-3 {
                continue;
            }
            let half = |(width, height): Point| {
                (width / 2.0 / (dx / length).max(1e-9)).min(height / 2.0 / (dy / length).max(1e-9))
            };
            let needed = half(plate(a)) + half(plate(b)) + middles(*edge) + 26.0;
            scale = scale.max((needed / length).min(limit));
        }
        let faces = if on == CellKind::Face {
            view.faces.as_slice()
        } else {
            &[]
        };
        for (face, points) in faces {
            let at = view.labels.iter().find(|(cell, _)| cell == face);
            if let (Some((_, at)), Some(heap)) = (at, heaps.get(*face)) {
                let (width, height) = heap.extent();
                let margin = if heap.changes() { 14.0 } else { 4.0 };
                let needed = within(points, *at, (width + margin, height + margin));
                scale = scale.max(needed.min(320.0));
            }
        }
    }
    scale
}

/// The smallest scale at which a box around a point lies within a polygon.
fn within(points: &[Point], at: Point, (width, height): Point) -> f64 {
    let (w, h) = (width / 2.0 + 3.0, height / 2.0 + 3.0);
    let corners = [
        (-w, -h),
        (w, -h),
        (w, h),
        (-w, h),
        (0.0, -h),
        (0.0, h),
        (-w, 0.0),
        (w, 0.0),
    ];
    let fits = |scale: f64| {
        corners
            .iter()
            .all(|c| contains(points, (at.0 + c.0 / scale, at.1 + c.1 / scale)))
    };
    let (mut low, mut high) = (1.0, 1000.0);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The point of a polygon that is farthest from its sides, by a grid that is refined;
/// at least as far as a given one.
fn roomiest(points: &[Point], given: Point) -> Point {
    let room = |at: Point| {
        if !contains(points, at) {
            return 0.0;
        }
        let sides = points.iter().zip(points.iter().cycle().skip(1));
        sides
            .map(|(a, b)| {
                let (dx, dy) = (b.0 - a.0, b.1 - a.1);
                let along =
                    ((at.0 - a.0) * dx + (at.1 - a.1) * dy) / (dx * dx + dy * dy).max(1e-12);
                let near = between(*a, *b, along.clamp(0.0, 1.0));
                (at.0 - near.0).hypot(at.1 - near.1)
            })
            .fold(f64::INFINITY, f64::min)
    };
    let mut best = (room(given), given);
    let (mut centre, mut half) = (
        centre(points),
        points
            .iter()
            .flat_map(|p| {
                points
                    .iter()
                    .map(move |q| (p.0 - q.0).abs().max((p.1 - q.1).abs()))
            })
            .fold(0.0, f64::max),
    );
    for _ in 0..6 {
        for i in -8..=8 {
            for j in -8..=8 {
                let at = (
                    centre.0 + half * f64::from(i) / 8.0,
                    centre.1 + half * f64::from(j) / 8.0,
                );
                if room(at) > best.0 + 1e-9 {
                    best = (room(at), at);
                }
            }
        }
        centre = best.1;
        half /= 5.0;
    }
    best.1
}

fn contains(points: &[Point], at: Point) -> bool {
    let mut inside = false;
    for (i, a) in points.iter().enumerate() {
        let b = points[(i + 1) % points.len()];
        if (a.1 > at.1) != (b.1 > at.1) && at.0 < (b.0 - a.0) * (at.1 - a.1) / (b.1 - a.1) + a.0 {
            inside = !inside;
        }
    }
    inside
}

/// The fills of faces, so that neighbours can be told apart.
const FILLS: [&str; 4] = [CELL, "#fdeccb", "#e3f1e4", "#f3e8f5"];

fn paint(
    canvas: &mut Canvas,
    view: &View,
    (scale, left): (f64, f64),
    on: CellKind,
    heaps: &[Heap],
    selected: Option<(CellKind, usize)>,
) {
    let at = |point: Point| (point.0 * scale + left, point.1 * scale);
    let is_selected = |kind, cell| selected == Some((kind, cell));
    let colours = colours(view);
    let mut extent = Canvas::default();
    for (_, point) in &view.vertices {
        extent.circle(at(*point), 1.0, PAPER, Stroke::solid(INK, 1.0));
    }
    let (low, high) = (extent.low(), extent.high());
    let middle = (low.0 + high.0) / 2.0;
    if let (Some(face), CellKind::Face) = (view.outer, on) {
        // The face that contains infinity is the ground around the drawing.
        if let Some(heap) = heaps.get(face) {
            let (width, height) = heap.extent();
            let box_width = (high.0 - low.0 + 50.0).max(width + 40.0);
            let top = low.1 - height - 34.0;
            let bottom = high.1 + 24.0;
            let (fill, stroke) = if heap.changes() {
                (ACCENT_FILL, Stroke::solid(ACCENT, 4.0))
            } else {
                ("#f6f7f9", Stroke::solid(LINE, 1.5))
            };
            canvas.plate(
                (middle, (top + bottom) / 2.0),
                (box_width, bottom - top),
                14.0,
                fill,
                stroke,
            );
            heap.write(canvas, (middle, top + 12.0 + height / 2.0));
        }
    }
    for (number, (face, points)) in view.faces.iter().enumerate() {
        let changes = on == CellKind::Face && heaps.get(*face).is_some_and(Heap::changes);
        let fill = match (changes, on) {
            (true, _) => ACCENT_FILL,
            (false, CellKind::Face) => FILLS[colours[number]],
            (false, _) => CELL,
        };
        let points: Vec<Point> = points.iter().copied().map(at).collect();
        canvas.polygon(&points, fill, Stroke::solid(INK, 1.5));
    }
    for (edge, a, b) in &view.edges {
        let stroke = if is_selected(CellKind::Edge, *edge) {
            Stroke::solid(ACCENT, 7.0)
        } else {
            Stroke::solid(if view.faces.is_empty() { LINE } else { INK }, 1.8)
        };
        canvas.line(at(*a), at(*b), stroke);
    }
    // Faces that change have an outline of their own within that of the edges.
    for (face, points) in &view.faces {
        let changes = on == CellKind::Face && heaps.get(*face).is_some_and(Heap::changes);
        if changes || is_selected(CellKind::Face, *face) {
            let middle = centre(points);
            let inner: Vec<Point> = points
                .iter()
                .map(|p| at(between(*p, middle, 0.08)))
                .collect();
            canvas.polygon(&inner, "none", Stroke::solid(ACCENT, 3.0));
        }
    }
    if on != CellKind::Vertex {
        for (vertex, point) in &view.vertices {
            let (radius, colour) = if is_selected(CellKind::Vertex, *vertex) {
                (9.0, ACCENT)
            } else if view.faces.is_empty() || on == CellKind::Edge {
                (4.0, INK)
            } else {
                (2.0, INK)
            };
            canvas.circle(at(*point), radius, colour, Stroke::solid(colour, 1.0));
        }
    }
    for (cell, point) in &view.labels {
        if let Some(heap) = heaps.get(*cell) {
            if on == CellKind::Face {
                heap.write(canvas, at(*point));
            } else {
                heap.draw(canvas, at(*point));
            }
        }
    }
    if !view.caption.is_empty() {
        let y = canvas_bottom(view, scale, on, heaps) + 20.0;
        canvas.text(
            (middle, y),
            view.caption,
            Font::plain(13.0),
            Anchor::Middle,
            FAINT,
        );
    }
}

/// The lower end of the cells and labels of a view.
fn canvas_bottom(view: &View, scale: f64, on: CellKind, heaps: &[Heap]) -> f64 {
    let vertices = view.vertices.iter().map(|(_, p)| p.1 * scale);
    let labels = view.labels.iter().filter_map(|(cell, p)| {
        let heap = heaps.get(*cell)?;
        let half = if on == CellKind::Face {
            0.0
        } else {
            heap.plate().1 / 2.0
        };
        Some(p.1 * scale + half)
    });
    vertices.chain(labels).fold(0.0, f64::max)
}

/// A colour for each face of a view, different for neighbours where four suffice for
/// the greedy choice.
fn colours(view: &View) -> Vec<usize> {
    let mut colours: Vec<usize> = Vec::new();
    let same = |a: &Point, b: &Point| (a.0 - b.0).hypot(a.1 - b.1) < 1e-9;
    for (number, (_, points)) in view.faces.iter().enumerate() {
        let mut used = [false; 4];
        for (other, (_, around)) in view.faces[..number].iter().enumerate() {
            let shared = points
                .iter()
                .filter(|p| around.iter().any(|q| same(p, q)))
                .count();
            if shared >= 2 {
                used[colours[other]] = true;
            }
        }
        colours.push(used.iter().position(|used| !used).unwrap_or(number % 4));
    }
    colours
}

/// A shrinking circle or row with empty heaps: those that remain are joined, the others
/// are at their places without a line.
fn shrunk(canvas: &mut Canvas, board: &Board, heaps: &[Heap]) {
    let circle = board.arrangement() == Some(Arrangement::Circle);
    let places = if circle {
        on_circle(heaps.len())
    } else {
        (0..heaps.len()).map(|i| (i as f64, 0.0)).collect()
    };
    let remaining: Vec<usize> = (0..heaps.len()).filter(|i| !heaps[*i].is_empty()).collect();
    let boxes: Vec<(Point, Point)> = places
        .iter()
        .zip(heaps)
        .map(|(at, heap)| (*at, heap.plate()))
        .collect();
    let scale = separated(&boxes).max(70.0);
    // Vanished heaps are outside of the circle, or below the row.
    let at = |heap: usize| {
        let (x, y) = places[heap];
        match (heaps[heap].is_empty(), circle) {
            (true, true) => (x * scale * 1.45, y * scale * 1.45),
            (true, false) => (x * scale, 62.0),
            _ => (x * scale, y * scale),
        }
    };
    let pairs = remaining.windows(2).map(|pair| (pair[0], pair[1]));
    let closing = match (circle, remaining.as_slice()) {
        (true, [first, .., last]) if remaining.len() > 2 => Some((*last, *first)),
        _ => None,
    };
    for (a, b) in pairs.chain(closing) {
        canvas.line(at(a), at(b), Stroke::solid(LINE, 1.8));
    }
    for (number, heap) in heaps.iter().enumerate() {
        if heap.is_empty() && !heap.changes() {
            canvas.plate(
                at(number),
                heap.plate(),
                9.0,
                PAPER,
                Stroke::dashed(LINE, 1.5),
            );
            heap.write(canvas, at(number));
        } else {
            heap.draw(canvas, at(number));
        }
    }
}
