//! Whether all embeddings of a connected planar graph have the same faces.
//!
//! A face counts as the set of its edges, so that embeddings are the same here if they have the
//! same family of such sets; where a dangling part sits is otherwise of no concern to a game.
//!
//! **One block.** Any two embeddings of a 2-connected graph differ by turning over parts that hang
//! between two vertices (Whitney, "2-isomorphic graphs", 1933). Let {u, v} be such a pair with k >=
//! 2 bridges, that is, the parts into which the graph falls at u and v, an edge uv being one by
//! itself. Turning over a bridge that is not a path exchanges its two sides, which are different
//! sets. With two bridges nothing changes if one is a path, since turning it over does nothing and
//! turning the other is turning all. Three paths are in the same circular order however they are
//! arranged; four are not. So the faces are unique just when every pair has at most one bridge, or
//! two of which one is a path, or three paths.
//!
//! All this can be counted in any one embedding: the bridges at a pair are as many as the faces
//! that pass both, if these are two or more. Pairs with a vertex of degree 2 need no look: the end
//! of its path makes a pair with as much freedom.
//!
//! **Several blocks.** Two blocks B and C at a cut vertex v lie each in one face of the other at v.
//! The faces of a part of the graph are those of the whole, cut down to its edges, so that freedom
//! of a part is freedom of the whole. All faces of B at v must therefore be the same set, and that
//! is so only if B is a bridge or a cycle (a set that is a face twice has all sides of its edges
//! and leaves room for nothing else). So every block is a bridge or a cycle. A cycle that meets two
//! other blocks has them on one side or on both, which is freedom. If each cycle meets one other
//! block at most, the graph is two cycles with a common vertex, or a tree with cycles that hang on
//! leaves of it: then each cycle is a face by itself and one face has all the edges, in every
//! embedding.

use super::Face;
use super::adjacency::Adjacency;

/// Where an embedding can be changed, by the numbers of the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loose {
    Pair(usize, usize),
    CutVertex(usize),
}

/// Finds a place at which other faces come about, given the blocks of the graph and the faces of
/// one of its embeddings.
pub(super) fn find_freedom(
    adjacency: &Adjacency,
    edges: &[[usize; 2]],
    blocks: &[Vec<usize>],
    faces: &[Face],
) -> Option<Loose> {
    if blocks.len() > 1 {
        return find_loose_block(adjacency.vertices(), edges, blocks);
    }
    find_loose_pair(adjacency, faces)
}

fn find_loose_pair(adjacency: &Adjacency, faces: &[Face]) -> Option<Loose> {
    let vertices = adjacency.vertices();
    let is_joint = |vertex: usize| adjacency.degree(vertex) > 2;
    let mut faces_at = vec![Vec::new(); vertices];
    for face in faces {
        for &vertex in &face.vertices {
            faces_at[vertex].push(face);
        }
    }
    let mut shared = vec![0_usize; vertices];
    for u in (0..vertices).filter(|&u| is_joint(u)) {
        let beyond = |v: usize| v > u && is_joint(v);
        for face in &faces_at[u] {
            for &v in &face.vertices {
                shared[v] += usize::from(beyond(v));
            }
        }
        let mut paths: Vec<usize> = path_ends(adjacency, u);
        paths.sort_unstable();
        for face in &faces_at[u] {
            for &v in &face.vertices {
                // The count goes back to zero here, ready for the next vertex.
                let bridges = std::mem::take(&mut shared[v]);
                if bridges < 2 {
                    continue;
                }
                let direct =
                    paths.partition_point(|&end| end <= v) - paths.partition_point(|&end| end < v);
                if !matches!((bridges, direct), (2, 1..) | (3, 3)) {
                    return Some(Loose::Pair(u, v));
                }
            }
        }
    }
    None
}

/// The vertices of degree other than 2 at the ends of the paths that lead from here.
fn path_ends(adjacency: &Adjacency, from: usize) -> Vec<usize> {
    adjacency
        .at(from)
        .iter()
        .map(|&first| {
            let mut link = first;
            while let [a, b] = adjacency.at(link.to) {
                link = if a.edge == link.edge { *b } else { *a };
            }
            link.to
        })
        .collect()
}

fn find_loose_block(vertices: usize, edges: &[[usize; 2]], blocks: &[Vec<usize>]) -> Option<Loose> {
    let vertices_of = |block: &[usize]| {
        let mut ends: Vec<usize> = block.iter().flat_map(|&edge| edges[edge]).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    };
    let mut blocks_at = vec![0_usize; vertices];
    for block in blocks {
        for vertex in vertices_of(block) {
            blocks_at[vertex] += 1;
        }
    }
    for block in blocks.iter().filter(|block| block.len() > 1) {
        let own = vertices_of(block);
        let others: usize = own.iter().map(|&vertex| blocks_at[vertex] - 1).sum();
        let is_cycle = block.len() == own.len();
        if !is_cycle || others > 1 {
            let cut = own.into_iter().find(|&vertex| blocks_at[vertex] > 1);
            return cut.map(Loose::CutVertex);
        }
    }
    None
}
