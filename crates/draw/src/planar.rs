//! Planar boards drawn with straight lines and without crossings, from their
//! embedding.
//!
//! The embedding is triangulated: inside each face stands a ring of additional
//! vertices, one for each side of the face, and in it a vertex that is joined to the
//! ring. The ring of the outer face is a convex polygon, and every other vertex is the
//! weighted mean of its neighbours. For positive weights no edges cross (Tutte 1963;
//! Floater 1997).

use super::figure::Point;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Rounds in which the weights are made to fit the lengths.
const ROUNDS: usize = 16;

/// The largest number of vertices of a drawing that is refined.
const REFINED: usize = 80;

/// Steps of the iteration that solves for the means.
const STEPS: usize = 400;

/// The places of the vertices. `faces` are the boundary walks of an embedding of a
/// connected graph with at least three vertices; `outer` is the index of the outer one.
pub fn embedding(vertices: usize, faces: &[Vec<usize>], outer: usize) -> Vec<Point> {
    let mut count = vertices;
    let mut edges: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut join = |a: usize, b: usize| {
        edges.insert((a.min(b), a.max(b)), 1.0);
    };
    let mut polygon = Vec::new();
    for (place, walk) in faces.iter().enumerate() {
        let sides = walk.len();
        let ring: Vec<usize> = (count..count + sides).collect();
        count += sides;
        for side in 0..sides {
            let (from, to) = (walk[side], walk[(side + 1) % sides]);
            join(from, to);
            join(from, ring[side]);
            join(to, ring[side]);
            if sides > 1 {
                join(ring[side], ring[(side + 1) % sides]);
            }
        }
        if place == outer {
            polygon = ring;
        } else {
            for vertex in ring {
                join(vertex, count);
            }
            count += 1;
        }
    }
    let mut points = vec![Point::ZERO; count];
    for (place, vertex) in polygon.iter().enumerate() {
        // The walk of the outer face runs round the outside.
        let turn = -TAU * place as f64 / polygon.len() as f64 - TAU / 4.0;
        points[*vertex] = Point {
            x: turn.cos(),
            y: turn.sin(),
        };
    }
    let is_fixed: Vec<bool> = (0..count).map(|v| polygon.contains(&v)).collect();
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for _ in 0..ROUNDS {
        solve(&mut points, &edges, &is_fixed);
        let room = spread(&points[..vertices], faces);
        if room > best.0 {
            best = (room, points[..vertices].to_vec());
        }
        // Long edges pull more, so that lengths become alike.
        for ((a, b), weight) in &mut edges {
            let length = points[*a].distance(points[*b]).max(1e-4);
            *weight = (*weight * length.powf(0.5)).clamp(1e-3, 1e3);
        }
    }
    let sides = faces.iter().flat_map(|walk| {
        let next = walk.iter().cycle().skip(1);
        walk.iter().zip(next).map(|(a, b)| [*a, *b])
    });
    let mut sides: Vec<[usize; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    sides.sort_unstable();
    sides.dedup();
    let mut points = normalised(best.1, &sides);
    if vertices <= REFINED {
        refine(&mut points, &sides);
    }
    normalised(points, &sides)
}

/// Moves vertices as springs and mutual repulsion would, but never so that edges cross,
/// a vertex passes an edge, or a vertex comes near one.
fn refine(points: &mut [Point], edges: &[[usize; 2]]) {
    const STEPS: usize = 240;
    const NEAR: f64 = 0.3;
    for step in 0..STEPS {
        let most = 0.12 * (1.0 - step as f64 / STEPS as f64);
        for vertex in 0..points.len() {
            let at = points[vertex];
            let mut force = Point::ZERO;
            for (other, point) in points.iter().enumerate() {
                if other != vertex {
                    let distance = at.distance(*point).max(0.05);
                    let push = 0.6 / (distance * distance * distance);
                    force.x += (at.x - point.x) * push;
                    force.y += (at.y - point.y) * push;
                }
            }
            let is_end = |edge: &[usize; 2]| edge.contains(&vertex);
            for [a, b] in edges.iter().filter(|edge| is_end(edge)) {
                let other = points[a + b - vertex];
                let pull = at.distance(other) - 1.0;
                force.x -= (at.x - other.x) * pull;
                force.y -= (at.y - other.y) * pull;
            }
            let length = force.x.hypot(force.y).max(1e-9);
            let by = length.min(most) / length;
            let to = Point {
                x: at.x + force.x * by,
                y: at.y + force.y * by,
            };
            let is_free = edges.iter().filter(|edge| !is_end(edge)).all(|[a, b]| {
                let (a, b) = (points[*a], points[*b]);
                let (before, after) = (from_segment(at, a, b), from_segment(to, a, b));
                after >= before.min(NEAR) && !cross(at, to, a, b)
            });
            let stays = |[a, b]: &[usize; 2]| {
                let other = a + b - vertex;
                let end = points[other];
                edges
                    .iter()
                    .filter(|edge| !is_end(edge) && !edge.contains(&other))
                    .all(|[c, d]| !cross(to, end, points[*c], points[*d]))
                    && points.iter().enumerate().all(|(third, point)| {
                        third == vertex
                            || third == other
                            || from_segment(*point, to, end)
                                >= from_segment(*point, at, end).min(NEAR)
                    })
            };
            if is_free && edges.iter().filter(|edge| is_end(edge)).all(stays) {
                points[vertex] = to;
            }
        }
    }
}

/// Whether two segments cross at a point that is an end of neither.
fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// The distance of a point from a segment.
pub fn from_segment(point: Point, a: Point, b: Point) -> f64 {
    let (x, y) = (b.x - a.x, b.y - a.y);
    let length = (x * x + y * y).max(1e-12);
    let along = ((point.x - a.x) * x + (point.y - a.y) * y) / length;
    let along = along.clamp(0.0, 1.0);
    point.distance(Point {
        x: a.x + along * x,
        y: a.y + along * y,
    })
}

/// The smallest distance of two vertices or of a vertex and the middle of a face, as a
/// part of the largest distance.
fn spread(points: &[Point], faces: &[Vec<usize>]) -> f64 {
    let middles = faces.iter().map(|walk| {
        let corners: Vec<Point> = walk.iter().map(|v| points[*v]).collect();
        Point::mean(&corners)
    });
    let all: Vec<Point> = points.iter().copied().chain(middles).collect();
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            let distance = one.distance(*other);
            least = least.min(distance);
            most = most.max(distance);
        }
    }
    least / most.max(1e-9)
}

/// Moves each vertex that is not fixed to the weighted mean of its neighbours, until
/// they rest.
fn solve(points: &mut [Point], edges: &BTreeMap<(usize, usize), f64>, is_fixed: &[bool]) {
    let mut around: Vec<Vec<(usize, f64)>> = vec![Vec::new(); points.len()];
    for ((a, b), weight) in edges {
        around[*a].push((*b, *weight));
        around[*b].push((*a, *weight));
    }
    for _ in 0..STEPS {
        let mut moved = 0.0_f64;
        for vertex in 0..points.len() {
            if is_fixed[vertex] {
                continue;
            }
            let total: f64 = around[vertex].iter().map(|(_, weight)| weight).sum();
            let mean = |of: fn(Point) -> f64| {
                let sum = around[vertex]
                    .iter()
                    .map(|(n, weight)| weight * of(points[*n]));
                sum.sum::<f64>() / total
            };
            let to = Point {
                x: mean(|p| p.x),
                y: mean(|p| p.y),
            };
            moved = moved.max(to.distance(points[vertex]));
            points[vertex] = to;
        }
        if moved < 1e-9 {
            break;
        }
    }
}

/// Scales points so that an edge of middle length is 1 long.
pub fn normalised(points: Vec<Point>, edges: &[[usize; 2]]) -> Vec<Point> {
    let mut lengths: Vec<f64> = edges
        .iter()
        .map(|[a, b]| points[*a].distance(points[*b]))
        .collect();
    lengths.sort_by(f64::total_cmp);
    let middle = lengths.get(lengths.len() / 2).copied().unwrap_or(1.0);
    let by = 1.0 / middle.max(1e-6);
    points
        .into_iter()
        .map(|point| Point {
            x: point.x * by,
            y: point.y * by,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{cross, embedding};
    use nimrule_model::board::Board;

    #[test]
    fn no_edges_cross() {
        for board in [
            Board::cube(),
            Board::dodecahedron(),
            Board::icosahedron(),
            Board::prism(9).expect("a prism"),
        ] {
            let faces = board.faces().expect("it has faces");
            let walks: Vec<Vec<usize>> = faces.iter().map(|f| f.vertices.clone()).collect();
            let count = board
                .count(nimrule_model::board::CellKind::Vertex)
                .expect("it has vertices");
            let points = embedding(count, &walks, 0);
            for (place, [a, b]) in board.edges().iter().enumerate() {
                for [c, d] in &board.edges()[place + 1..] {
                    if [a, b].iter().any(|v| [c, d].contains(v)) {
                        continue;
                    }
                    let crossing = cross(points[*a], points[*b], points[*c], points[*d]);
                    assert!(!crossing, "{}: {a}-{b}, {c}-{d}", board.name());
                }
            }
        }
    }
}
