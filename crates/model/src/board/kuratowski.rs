//! Why a graph is not planar: a subdivision of K5 or of K3,3 inside it.
//!
//! Every non-planar graph contains one (Kuratowski, "Sur le problème des courbes gauches en
//! topologie", 1930). It is what is left when edges are deleted as long as the graph stays
//! non-planar.

use super::adjacency::Adjacency;
use super::error::Subdivided;
use super::planar::embed;

/// In larger graphs no obstruction is looked for, since each deletion costs a test of planarity.
const MOST_EDGES: usize = 1_000;

/// The edges of an obstruction in a graph that is not planar.
pub(super) fn find_obstruction(
    vertices: usize,
    edges: &[[usize; 2]],
) -> Option<(Subdivided, Vec<usize>)> {
    if edges.len() > MOST_EDGES {
        return None;
    }
    let mut kept: Vec<usize> = (0..edges.len()).collect();
    // PERF: runs of edges are deleted at once, long ones first. An edge that cannot be spared stays
    // so when others are gone, so that the last round, of single edges, leaves nothing to delete.
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
        Subdivided::K5
    } else {
        Subdivided::K33
    };
    Some((subdivided, kept))
}
