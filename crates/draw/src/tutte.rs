//! Straight-line drawings of planar boards, by Tutte's barycentric method.
//!
//! The vertices of one face, or of a ring around the board, are fixed on a circle, and
//! every other vertex is a weighted mean of its neighbours. If the faces are
//! triangulated, no two edges cross (Tutte 1963; Floater 1997 for other positive
//! weights). Faces are triangulated with a point of their own, from which a face is
//! star-shaped: the place of its label. Weights that grow with the lengths of the edges
//! keep the inner faces from becoming small.

use crate::canvas::Point;
use nimrule_board::Board;
use std::f64::consts::TAU;
use std::ops::Range;

/// A drawing of a planar board.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// The places of the vertices.
    pub vertices: Vec<Point>,
    /// A point in each face from which the whole face is seen; `None` for the outer face.
    pub faces: Vec<Option<Point>>,
}

/// The number of rounds in which weights are changed.
const ROUNDS: usize = 40;

/// The number of sweeps for the weights of a round.
const SWEEPS: usize = 120;

/// Draws a board with faces; `outer` is the face that contains infinity.
pub fn draw(board: &Board, outer: usize) -> Drawing {
    let faces = board.faces().unwrap_or_default();
    let mut count = board.edges().iter().flatten().max().map_or(1, |v| v + 1);
    let mut edges: Vec<[usize; 2]> = board.edges().to_vec();
    let mut hubs = vec![None; faces.len()];
    let mut circle = Vec::new();
    let mut spokes = Vec::new();
    for (index, face) in faces.iter().enumerate() {
        let walk = &face.vertices;
        let mut distinct = walk.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let is_cycle = distinct.len() == walk.len() && walk.len() >= 3;
        if index == outer && is_cycle {
            circle = walk.clone();
            continue;
        }
        let corners = if is_cycle {
            walk.clone()
        } else {
            // A ring with a point for each corner, because a vertex may be at several.
            let ring: Vec<usize> = (0..walk.len().max(3)).map(|i| count + i).collect();
            count += ring.len();
            for (i, point) in ring.iter().enumerate() {
                let next = (i + 1) % ring.len();
                edges.push([*point, ring[next]]);
                edges.push([*point, walk[i % walk.len()]]);
                if walk[i % walk.len()] != walk[next % walk.len()] {
                    edges.push([*point, walk[next % walk.len()]]);
                }
            }
            ring
        };
        if index == outer {
            circle = corners;
            continue;
        }
        hubs[index] = Some(count);
        spokes.extend(corners.iter().map(|vertex| [count, *vertex]));
        count += 1;
    }
    let real = 0..board.edges().len();
    let to_hubs = edges.len()..edges.len() + spokes.len();
    edges.extend(spokes);
    let places = relax(count, &edges, [real, to_hubs], &circle);
    Drawing {
        vertices: places[..board
            .count(nimrule_board::CellKind::Vertex)
            .unwrap_or(count)
            .min(count)]
            .to_vec(),
        faces: hubs.iter().map(|hub| hub.map(|hub| places[hub])).collect(),
    }
}

/// The places of the vertices, given those on the circle in their order. The
/// lengths of the edges in each of the `similar` ranges are made similar.
fn relax(
    count: usize,
    edges: &[[usize; 2]],
    similar: [Range<usize>; 2],
    circle: &[usize],
) -> Vec<Point> {
    let mut places = vec![(0.0, 0.0); count];
    let mut fixed = vec![false; count];
    // An edge of the outer face is at the bottom, so that a square stands upright.
    for (number, vertex) in circle.iter().enumerate() {
        let angle = TAU * (number as f64 + 0.5) / circle.len() as f64 + TAU / 4.0;
        places[*vertex] = (angle.cos(), angle.sin());
        fixed[*vertex] = true;
    }
    let mut neighbours: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    for (edge, [a, b]) in edges.iter().enumerate() {
        neighbours[*a].push((*b, edge));
        neighbours[*b].push((*a, edge));
    }
    let mut weights = vec![1.0_f64; edges.len()];
    for round in 0..ROUNDS {
        for _ in 0..SWEEPS {
            for vertex in (0..count).filter(|vertex| !fixed[*vertex]) {
                let (mut x, mut y, mut total) = (0.0, 0.0, 0.0);
                for (other, edge) in &neighbours[vertex] {
                    let weight = weights[*edge];
                    x += places[*other].0 * weight;
                    y += places[*other].1 * weight;
                    total += weight;
                }
                if total > 0.0 {
                    places[vertex] = (x / total, y / total);
                }
            }
        }
        if round + 1 < ROUNDS {
            let length = |[a, b]: [usize; 2]| {
                let (a, b) = (places[a], places[b]);
                (a.0 - b.0).hypot(a.1 - b.1)
            };
            for range in &similar {
                let edges = &edges[range.clone()];
                let total: f64 = edges.iter().map(|edge| length(*edge)).sum();
                let mean = (total / edges.len().max(1) as f64).max(1e-9);
                for (weight, edge) in weights[range.clone()].iter_mut().zip(edges) {
                    let factor = (length(*edge) / mean).clamp(0.25, 4.0).powf(0.5);
                    *weight = (*weight * factor).clamp(0.02, 50.0);
                }
            }
        }
    }
    places
}

/// The face that is best drawn outside: the longest; of a prism one of its two polygons.
pub fn outer_face(board: &Board) -> usize {
    if board.name().contains("prism(") {
        return 1;
    }
    let faces = board.faces().unwrap_or_default();
    let longest = faces.iter().map(|face| face.vertices.len()).max();
    let mut best = (0, 0, 0);
    for (index, face) in faces.iter().enumerate() {
        let mut distinct = face.vertices.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let is_cycle = distinct.len() == face.vertices.len();
        // A long walk around a board with bridges encloses the rest better than a small
        // cycle does.
        let rank = match (is_cycle, Some(face.vertices.len()) == longest) {
            (true, _) => face.vertices.len(),
            (false, true) => face.vertices.len(),
            (false, false) => 0,
        };
        if (rank, usize::from(is_cycle)) > (best.0, best.1) {
            best = (rank, usize::from(is_cycle), index);
        }
    }
    best.2
}
