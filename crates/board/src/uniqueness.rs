//! Whether all embeddings of a connected planar graph have the same faces.
//!
//! A face is identified with the set of its edges. Two embeddings count as equal if they have the
//! same family of such sets; where a part of the graph lies within a face does not matter to a game.
//!
//! **One block.** Any two embeddings of a 2-connected graph differ by reflections of parts that are
//! attached at two vertices (Whitney, "2-isomorphic graphs", 1933). Let {u, v} be such a pair with at
//! least two bridges: the parts into which u and v separate the graph, where an edge uv is a bridge by
//! itself. The reflection of a bridge that is not a path exchanges its two sides, which are
//! different sets. With two bridges nothing changes if one is a path: its reflection is the
//! identity, and the reflection of the other bridge is that of the whole graph. Three paths have
//! only one circular order up to reflection; four paths have several. The faces are therefore unique
//! if and only if every pair has at most one bridge, or two bridges of which one is a path, or three
//! paths.
//!
//! One embedding suffices to count bridges: the number of bridges at a pair is the number of faces
//! that pass both vertices, if it is at least two. Pairs with a vertex of degree 2 need not be
//! checked, because the end of its path forms a pair with the same ambiguity.
//!
//! **Several blocks.** Let B and C be two blocks at a cut vertex v. Each lies in one face of the
//! other at v. The faces of a subgraph are those of the graph, restricted to its edges, so that an
//! ambiguity of a subgraph is an ambiguity of the graph. All faces of B at v must therefore be the
//! same set, which holds only if B is a bridge or a cycle (a set that is a face twice contains both
//! sides of its edges, so that there are no other faces). Hence every block is a bridge or a cycle.
//! If a cycle meets two other blocks, these may be on the same side of it or on different sides,
//! which is an ambiguity. If each cycle meets at most one other block, the graph is two cycles with a
//! common vertex, or a tree with cycles attached to its leaves. Then, in every embedding, each cycle
//! is a face by itself and one face has all edges.

use super::Face;
use super::adjacency::Adjacency;

/// The vertices at which an embedding can be changed, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmbiguousAt {
    Pair(usize, usize),
    CutVertex(usize),
}

/// Vertices at which a different embedding has other faces, given the blocks of the graph and the
/// faces of one of its embeddings; `None` if the faces are unique.
pub(super) fn find_ambiguity(
    adjacency: &Adjacency,
    edges: &[[usize; 2]],
    blocks: &[Vec<usize>],
    faces: &[Face],
) -> Option<AmbiguousAt> {
    if blocks.len() > 1 {
        return find_ambiguous_block(adjacency.vertices(), edges, blocks);
    }
    find_ambiguous_pair(adjacency, faces)
}

fn find_ambiguous_pair(adjacency: &Adjacency, faces: &[Face]) -> Option<AmbiguousAt> {
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
                // Resets the count for the next vertex.
                let bridges = std::mem::take(&mut shared[v]);
                if bridges < 2 {
                    continue;
                }
                let direct =
                    paths.partition_point(|&end| end <= v) - paths.partition_point(|&end| end < v);
                if !matches!((bridges, direct), (2, 1..) | (3, 3)) {
                    return Some(AmbiguousAt::Pair(u, v));
                }
            }
        }
    }
    None
}

/// For each edge at a vertex, the first vertex of a degree other than 2 on the path that it begins.
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

fn find_ambiguous_block(
    vertices: usize,
    edges: &[[usize; 2]],
    blocks: &[Vec<usize>],
) -> Option<AmbiguousAt> {
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
            return cut.map(AmbiguousAt::CutVertex);
        }
    }
    None
}
