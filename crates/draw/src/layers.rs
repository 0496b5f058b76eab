//! A layered layout of digraphs: vertices in ranks from left to right.
//!
//! The method of Sugiyama, Tagawa & Toda (1981): ranks, points where an arc passes a
//! rank, an order within each rank by barycentres with few crossings, and places close
//! to the means of the neighbours.

use crate::canvas::Point;
use std::collections::{BTreeMap, VecDeque};

/// A layered drawing, in units: neighbours in a rank are at least 1 apart, ranks are 1
/// apart.
#[derive(Debug, Clone)]
pub struct Layers {
    /// The places of the vertices.
    pub places: Vec<Point>,
    /// For each arc the points at which it passes the ranks between its ends.
    pub bends: Vec<Vec<Point>>,
}

/// The number of sweeps over the ranks.
const SWEEPS: usize = 24;

/// The ranks by longest paths from a start, without the arcs by which a depth-first
/// search returns to its path. Every vertex must be reached from the start.
pub fn ranks_from(start: usize, count: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let mut targets = vec![Vec::new(); count];
    for (from, to) in arcs.iter().filter(|(from, to)| from != to) {
        targets[*from].push(*to);
    }
    let mut open = vec![false; count];
    let mut seen = vec![false; count];
    let mut forward = Vec::new();
    let mut path = vec![(start, 0)];
    open[start] = true;
    seen[start] = true;
    while let Some((here, next)) = path.last_mut() {
        let here = *here;
        let Some(&to) = targets[here].get(*next) else {
            open[here] = false;
            path.pop();
            continue;
        };
        *next += 1;
        if open[to] {
            continue;
        }
        forward.push((here, to));
        if !seen[to] {
            seen[to] = true;
            open[to] = true;
            path.push((to, 0));
        }
    }
    ranks_of_acyclic(count, &forward).unwrap_or_else(|| vec![0; count])
}

/// The ranks of an acyclic digraph by longest paths; `None` if there is a cycle.
pub fn ranks_of_acyclic(count: usize, arcs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut entering = vec![0; count];
    for (_, to) in arcs {
        entering[*to] += 1;
    }
    let mut ranks = vec![0; count];
    let mut ready: VecDeque<usize> = (0..count).filter(|v| entering[*v] == 0).collect();
    let mut done = 0;
    while let Some(here) = ready.pop_front() {
        done += 1;
        for (_, to) in arcs.iter().filter(|(from, _)| *from == here) {
            ranks[*to] = ranks[*to].max(ranks[here] + 1);
            entering[*to] -= 1;
            if entering[*to] == 0 {
                ready.push_back(*to);
            }
        }
    }
    (done == count).then_some(ranks)
}

/// Lays out a digraph with given ranks. Loops have no bends.
pub fn layout(ranks: &[usize], arcs: &[(usize, usize)]) -> Layers {
    let count = ranks.len();
    let depth = ranks.iter().max().map_or(0, |rank| rank + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (vertex, rank) in ranks.iter().enumerate() {
        rows[*rank].push(vertex);
    }
    // Points are the vertices and, after them, the passages of arcs.
    let mut points = count;
    let mut links: Vec<(usize, usize)> = Vec::new();
    let mut passages: Vec<Vec<usize>> = Vec::new();
    let mut shared: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (from, to) in arcs {
        let (low, high) = (ranks[*from].min(ranks[*to]), ranks[*from].max(ranks[*to]));
        if high <= low + 1 {
            if high == low + 1 {
                let (a, b) = if ranks[*from] < ranks[*to] {
                    (*from, *to)
                } else {
                    (*to, *from)
                };
                links.push((a, b));
            }
            passages.push(Vec::new());
            continue;
        }
        let chain = shared.entry((*from, *to)).or_insert_with(|| {
            let chain: Vec<usize> = (low + 1..high)
                .map(|rank| {
                    rows[rank].push(points);
                    points += 1;
                    points - 1
                })
                .collect();
            let (first, last) = if ranks[*from] < ranks[*to] {
                (*from, *to)
            } else {
                (*to, *from)
            };
            let mut at = first;
            for next in chain.iter().copied().chain([last]) {
                links.push((at, next));
                at = next;
            }
            chain
        });
        let mut chain = chain.clone();
        if ranks[*from] > ranks[*to] {
            chain.reverse();
        }
        passages.push(chain);
    }
    let mut before = vec![Vec::new(); points];
    let mut behind = vec![Vec::new(); points];
    for (a, b) in &links {
        before[*b].push(*a);
        behind[*a].push(*b);
    }
    let mut best = rows.clone();
    let mut fewest = crossings(&rows, &behind);
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let order: Vec<usize> = if forward {
            (1..depth).collect()
        } else {
            (0..depth.saturating_sub(1)).rev().collect()
        };
        for rank in order {
            let neighbours = if forward { &before } else { &behind };
            let other = if forward { rank - 1 } else { rank + 1 };
            let place: BTreeMap<usize, usize> = rows[other]
                .iter()
                .enumerate()
                .map(|(i, p)| (*p, i))
                .collect();
            let mut keyed: Vec<(f64, usize)> = rows[rank]
                .iter()
                .enumerate()
                .map(|(i, point)| {
                    let near: Vec<f64> = neighbours[*point]
                        .iter()
                        .filter_map(|p| place.get(p).map(|i| *i as f64))
                        .collect();
                    let key = if near.is_empty() {
                        i as f64
                    } else {
                        near.iter().sum::<f64>() / near.len() as f64
                    };
                    (key, *point)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[rank] = keyed.into_iter().map(|(_, point)| point).collect();
        }
        let now = crossings(&rows, &behind);
        if now < fewest {
            fewest = now;
            best = rows.clone();
        }
    }
    let heights = heights(&best, &before, &behind, points);
    let mut rank_of = vec![0; points];
    for (rank, row) in best.iter().enumerate() {
        for point in row {
            rank_of[*point] = rank;
        }
    }
    let place = |point: usize| (rank_of[point] as f64, heights[point]);
    Layers {
        places: (0..count).map(place).collect(),
        bends: passages
            .into_iter()
            .map(|chain| chain.into_iter().map(place).collect())
            .collect(),
    }
}

/// The number of crossings between neighbouring ranks.
fn crossings(rows: &[Vec<usize>], behind: &[Vec<usize>]) -> usize {
    let mut total = 0;
    for pair in rows.windows(2) {
        let place: BTreeMap<usize, usize> =
            pair[1].iter().enumerate().map(|(i, p)| (*p, i)).collect();
        let links: Vec<(usize, usize)> = pair[0]
            .iter()
            .enumerate()
            .flat_map(|(i, p)| {
                let place = &place;
                behind[*p]
                    .iter()
                    .filter_map(move |q| Some((i, *place.get(q)?)))
            })
            .collect();
        for (i, a) in links.iter().enumerate() {
            for b in &links[..i] {
                if (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1) {
                    total += 1;
                }
            }
        }
    }
    total
}

/// The heights of the points: each near the mean of its neighbours, those of a rank in
/// their order and at least 1 apart.
fn heights(
    rows: &[Vec<usize>],
    before: &[Vec<usize>],
    behind: &[Vec<usize>],
    points: usize,
) -> Vec<f64> {
    let mut heights = vec![0.0; points];
    for row in rows {
        for (i, point) in row.iter().enumerate() {
            heights[*point] = i as f64 - (row.len() as f64 - 1.0) / 2.0;
        }
    }
    for sweep in 0..12 {
        for row in rows {
            let wanted: Vec<f64> = row
                .iter()
                .map(|point| {
                    let near: Vec<f64> = match sweep % 3 {
                        0 => before[*point].iter().map(|p| heights[*p]).collect(),
                        1 => behind[*point].iter().map(|p| heights[*p]).collect(),
                        _ => before[*point]
                            .iter()
                            .chain(&behind[*point])
                            .map(|p| heights[*p])
                            .collect(),
                    };
                    if near.is_empty() {
                        heights[*point]
                    } else {
                        near.iter().sum::<f64>() / near.len() as f64
                    }
                })
                .collect();
            for (point, height) in row.iter().zip(spread(&wanted)) {
                heights[*point] = height;
            }
        }
    }
    heights
}

/// The numbers nearest to the wanted ones, in the sense of least squares, that ascend in
/// steps of at least 1 (pool adjacent violators).
fn spread(wanted: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (i, value) in wanted.iter().enumerate() {
        blocks.push((value - i as f64, 1));
        while let [.., (a, m), (b, n)] = blocks.as_slice()
            && a > b
        {
            let (m, n) = (*m, *n);
            let mean = (a * m as f64 + b * n as f64) / (m + n) as f64;
            blocks.truncate(blocks.len() - 2);
            blocks.push((mean, m + n));
        }
    }
    let flat = blocks
        .iter()
        .flat_map(|(value, count)| std::iter::repeat_n(*value, *count));
    flat.enumerate()
        .map(|(i, value)| value + i as f64)
        .collect()
}
