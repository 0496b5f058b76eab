//! Layouts of graphs: circles, springs, and layers of digraphs.

use super::figure::Point;
use super::planar::normalised;
use std::f64::consts::TAU;

/// Points on a circle, neighbours 1 apart, the first at the top, clockwise.
pub fn circle(count: usize) -> Vec<Point> {
    if count == 1 {
        return vec![Point::ZERO];
    }
    let radius = 0.5 / (TAU / 2.0 / count as f64).sin();
    (0..count)
        .map(|place| {
            let turn = TAU * place as f64 / count as f64 - TAU / 4.0;
            Point {
                x: radius * turn.cos(),
                y: radius * turn.sin(),
            }
        })
        .collect()
}

/// A spring layout (Fruchterman and Reingold 1991) that starts from a circle, so that
/// it is the same each time.
pub fn springs(count: usize, edges: &[[usize; 2]]) -> Vec<Point> {
    const STEPS: usize = 600;
    let mut points = circle(count);
    // Symmetric graphs would keep the symmetry of the circle, with points on one another.
    for (place, point) in points.iter_mut().enumerate() {
        let by = 1.0 + 0.15 * (37.0 * place as f64).sin();
        point.x *= by;
        point.y *= by;
    }
    let size = (count as f64).sqrt();
    for step in 0..STEPS {
        let mut forces = vec![Point::ZERO; count];
        for a in 0..count {
            for b in a + 1..count {
                let distance = points[a].distance(points[b]).max(0.01);
                let push = 1.0 / distance;
                let (x, y) = (
                    (points[a].x - points[b].x) / distance * push,
                    (points[a].y - points[b].y) / distance * push,
                );
                forces[a].x += x;
                forces[a].y += y;
                forces[b].x -= x;
                forces[b].y -= y;
            }
        }
        for [a, b] in edges {
            let distance = points[*a].distance(points[*b]).max(0.01);
            let (x, y) = (
                (points[*a].x - points[*b].x) * distance,
                (points[*a].y - points[*b].y) * distance,
            );
            forces[*a].x -= x;
            forces[*a].y -= y;
            forces[*b].x += x;
            forces[*b].y += y;
        }
        // Parts that are not joined would drift apart without end.
        let most = size * 0.1 * (1.0 - step as f64 / STEPS as f64);
        for (point, force) in points.iter_mut().zip(&mut forces) {
            force.x -= 0.05 * point.x;
            force.y -= 0.05 * point.y;
            let length = force.x.hypot(force.y).max(1e-9);
            let by = length.min(most) / length;
            point.x += force.x * by;
            point.y += force.y * by;
        }
    }
    normalised(points, edges)
}

/// The vertices of a digraph in layers, so that arcs lead from left to right: the layer
/// of a vertex is the length of the longest path to it. Vertices of a layer are ordered
/// by the mean of their neighbours (Sugiyama, Tagawa and Toda 1981). `None` if there is
/// a cycle.
pub fn layers(count: usize, arcs: &[[usize; 2]]) -> Option<Vec<Point>> {
    let mut entering = vec![0; count];
    for [_, to] in arcs {
        entering[*to] += 1;
    }
    let mut ready: Vec<usize> = (0..count).filter(|v| entering[*v] == 0).collect();
    let mut layer = vec![0; count];
    let mut done = 0;
    while let Some(vertex) = ready.pop() {
        done += 1;
        for [from, to] in arcs {
            if *from == vertex {
                layer[*to] = layer[*to].max(layer[vertex] + 1);
                entering[*to] -= 1;
                if entering[*to] == 0 {
                    ready.push(*to);
                }
            }
        }
    }
    if done < count {
        return None;
    }
    let last = layer.iter().max().copied().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); last + 1];
    for vertex in 0..count {
        rows[layer[vertex]].push(vertex);
    }
    let mut place = vec![0.0; count];
    for sweep in 0..8 {
        for index in 0..rows.len() {
            let row_index = if sweep % 2 == 0 { index } else { last - index };
            let mut row = rows[row_index].clone();
            let mut means: Vec<(usize, f64)> = row
                .iter()
                .map(|vertex| {
                    let near: Vec<f64> = arcs
                        .iter()
                        .filter_map(|[from, to]| match () {
                            () if to == vertex => Some(place[*from]),
                            () if from == vertex => Some(place[*to]),
                            () => None,
                        })
                        .collect();
                    let mean = near.iter().sum::<f64>() / near.len().max(1) as f64;
                    (*vertex, mean)
                })
                .collect();
            means.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            row = means.into_iter().map(|(vertex, _)| vertex).collect();
            let middle = (row.len() as f64 - 1.0) / 2.0;
            for (at, vertex) in row.iter().enumerate() {
                place[*vertex] = at as f64 - middle;
            }
            rows[row_index] = row;
        }
    }
    let points = (0..count).map(|vertex| Point {
        x: 1.3 * layer[vertex] as f64,
        // Arcs that pass over a layer do not run through its vertices.
        y: place[vertex] + 0.18 * (layer[vertex] % 2) as f64,
    });
    Some(points.collect())
}

#[cfg(test)]
mod tests {
    use super::{layers, springs};

    #[test]
    fn arcs_lead_to_the_right() {
        let arcs = [[0, 1], [0, 2], [1, 3], [2, 3], [0, 3]];
        let points = layers(4, &arcs).expect("there is no cycle");
        assert!(arcs.iter().all(|[a, b]| points[*a].x < points[*b].x));
        assert_eq!(layers(2, &[[0, 1], [1, 0]]), None);
    }

    #[test]
    fn neighbours_are_nearer_than_others() {
        let path = [[0, 1], [1, 2], [2, 3]];
        let points = springs(4, &path);
        assert!(points[0].distance(points[1]) < points[0].distance(points[3]));
    }
}
