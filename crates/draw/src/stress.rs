//! A spring layout of graphs: distances in the picture close to distances in the graph.
//!
//! The stress, the sum over pairs of (distance in the picture − distance in the graph)²
//! weighted by 1/d², is minimised by majorisation (Kamada & Kawai 1989; Gansner, Koren &
//! North 2004). The start is fixed, so that a graph always has the same picture.

use crate::canvas::Point;
use std::f64::consts::TAU;

/// The number of rounds.
const ROUNDS: usize = 300;

/// The places of the vertices of a graph; adjacent vertices are about 1 apart.
pub fn layout(count: usize, edges: &[[usize; 2]]) -> Vec<Point> {
    let distances = distances(count, edges);
    let radius = (count as f64 / TAU).max(0.5);
    // A circle with radii that differ a little by a fixed generator, because a symmetric
    // start can be a saddle point.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut places: Vec<Point> = (0..count)
        .map(|vertex| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let jitter = 1.0 + (state >> 40) as f64 / (1_u64 << 24) as f64 * 0.1;
            let angle = TAU * vertex as f64 / count as f64 - TAU / 4.0;
            (radius * jitter * angle.cos(), radius * jitter * angle.sin())
        })
        .collect();
    let rounds = if count > 150 { ROUNDS / 6 } else { ROUNDS };
    for _ in 0..rounds {
        for a in 0..count {
            let (mut x, mut y, mut total) = (0.0, 0.0, 0.0);
            for b in (0..count).filter(|b| *b != a) {
                let wanted = distances[a * count + b];
                let weight = 1.0 / (wanted * wanted);
                let (dx, dy) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
                let factor = wanted / dx.hypot(dy).max(1e-9);
                x += weight * (places[b].0 + dx * factor);
                y += weight * (places[b].1 + dy * factor);
                total += weight;
            }
            if total > 0.0 {
                places[a] = (x / total, y / total);
            }
        }
    }
    upright(&mut places);
    places
}

/// Turns a layout so that its longer principal axis is horizontal.
fn upright(places: &mut [Point]) {
    let count = places.len().max(1) as f64;
    let (sx, sy) = places
        .iter()
        .fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mx, my) = (sx / count, sy / count);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in places.iter_mut() {
        *place = (place.0 - mx, place.1 - my);
        xx += place.0 * place.0;
        xy += place.0 * place.1;
        yy += place.1 * place.1;
    }
    if (xx - yy).hypot(2.0 * xy) < 0.05 * (xx + yy) {
        return;
    }
    let angle = (2.0 * xy).atan2(xx - yy) / 2.0;
    let (sine, cosine) = (angle.sin(), angle.cos());
    for place in places.iter_mut() {
        let (x, y) = *place;
        *place = (x * cosine + y * sine, y * cosine - x * sine);
    }
}

/// The distances in the graph, row by row; those between components are a little more
/// than the largest within one.
fn distances(count: usize, edges: &[[usize; 2]]) -> Vec<f64> {
    let mut neighbours = vec![Vec::new(); count];
    for [a, b] in edges {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let mut all = vec![f64::INFINITY; count * count];
    for from in 0..count {
        let row = &mut all[from * count..(from + 1) * count];
        row[from] = 0.0;
        let mut queue = vec![from];
        let mut at = 0;
        while let Some(&here) = queue.get(at) {
            at += 1;
            for &next in &neighbours[here] {
                if row[next].is_infinite() {
                    row[next] = row[here] + 1.0;
                    queue.push(next);
                }
            }
        }
    }
    let far = all
        .iter()
        .copied()
        .filter(|d| d.is_finite())
        .fold(1.0, f64::max)
        + 0.5;
    for distance in &mut all {
        if distance.is_infinite() {
            *distance = far.min(3.0);
        }
    }
    all
}
