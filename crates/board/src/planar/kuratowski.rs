//! Kuratowski subgraphs: a subdivision of K5 or of K3,3 in a graph that is not planar.
//!
//! Every non-planar graph contains one (Kuratowski, "Sur le problème des courbes gauches en
//! topologie", 1930). It is found by deleting edges as long as the graph stays non-planar.

use super::embed;
use crate::adjacency::Adjacency;
use crate::error::KuratowskiGraph;

/// The largest number of edges of a graph in which an obstruction is searched, because each
/// deletion costs a planarity test.
const MAX_EDGES: usize = 1_000;

/// The edges of a Kuratowski subgraph of a graph that is not planar; `None` if the graph is too
/// large.
pub(super) fn find_obstruction(
    vertices: usize,
    edges: &[[usize; 2]],
) -> Option<(KuratowskiGraph, Vec<usize>)> {
    if edges.len() > MAX_EDGES {
        return None;
    }
    let mut kept: Vec<usize> = (0..edges.len()).collect();
    // PERF: runs of edges are deleted at once, long ones first. An edge that is needed for
    // non-planarity stays needed after further deletions, so that the result is minimal after the
    // last round, which deletes single edges.
    let mut run = edges.len().div_ceil(2);
    loop {
        let mut start = 0;
        while start < kept.len() {
            let end = (start + run).min(kept.len());
            let without: Vec<usize> = [&kept[..start], &kept[end..]].concat();
            let rest: Vec<[usize; 2]> = without.iter().map(|&edge| edges[edge]).collect();
            if embed(&Adjacency::of(vertices, &rest), &rest).is_none() {
                kept = without;
            } else {
                start = end;
            }
        }
        if run == 1 {
            break;
        }
        run = run.div_ceil(2);
    }
    let rest: Vec<[usize; 2]> = kept.iter().map(|&edge| edges[edge]).collect();
    let adjacency = Adjacency::of(vertices, &rest);
    let has_crossroads = (0..vertices).any(|vertex| adjacency.degree(vertex) == 4);
    let subdivided = if has_crossroads {
        KuratowskiGraph::K5
    } else {
        KuratowskiGraph::K33
    };
    Some((subdivided, kept))
}
