//! The blocks of a graph: its bridges and its maximal 2-connected subgraphs.
//!
//! Two blocks have at most one vertex in common, a cut vertex. The algorithm is the depth-first
//! search of Hopcroft and Tarjan, "Efficient algorithms for graph manipulation" (1973). It uses an
//! explicit stack, because a graph may be a path of ten thousand vertices.

use super::adjacency::Adjacency;

/// The edges of each block, ascending. Vertices without edges are in no block.
pub fn blocks(adjacency: &Adjacency) -> Vec<Vec<usize>> {
    let mut search = Search {
        adjacency,
        depth: vec![None; adjacency.vertices()],
        edges: Vec::new(),
        blocks: Vec::new(),
    };
    for root in 0..adjacency.vertices() {
        if search.depth[root].is_none() {
            search.from(root);
        }
    }
    search.blocks
}

struct Search<'a> {
    adjacency: &'a Adjacency,
    depth: Vec<Option<usize>>,
    /// The edges visited that are in no block yet, in the order of the visits.
    edges: Vec<usize>,
    blocks: Vec<Vec<usize>>,
}

/// A vertex on the path from the root to the current vertex of the search.
struct Step {
    vertex: usize,
    /// The edge by which it was reached, and the number of edges in `Search::edges` before it.
    entry: Option<(usize, usize)>,
    next_link: usize,
    /// The low point: the smallest depth that an edge from the subtree leads back to.
    low: usize,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        self.depth[root] = Some(0);
        let mut path = vec![Step {
            vertex: root,
            entry: None,
            next_link: 0,
            low: 0,
        }];
        while let Some(step) = path.last_mut() {
            if let Some(link) = self.adjacency.at(step.vertex).get(step.next_link) {
                step.next_link += 1;
                if step.entry.is_some_and(|(edge, _)| edge == link.edge) {
                    continue;
                }
                let own_depth = self.depth[step.vertex];
                match self.depth[link.to] {
                    None => {
                        let entry = Some((link.edge, self.edges.len()));
                        self.edges.push(link.edge);
                        let depth = path.len();
                        self.depth[link.to] = Some(depth);
                        path.push(Step {
                            vertex: link.to,
                            entry,
                            next_link: 0,
                            low: depth,
                        });
                    }
                    Some(depth) if Some(depth) < own_depth => {
                        self.edges.push(link.edge);
                        step.low = step.low.min(depth);
                    }
                    // The edge was visited from its other end.
                    Some(_) => {}
                }
            } else {
                self.leave(&mut path);
            }
        }
    }

    /// Backtracks from the last vertex of the path. Completes a block if no edge of the subtree
    /// leads further back than to the parent.
    fn leave(&mut self, path: &mut Vec<Step>) {
        let Some(left) = path.pop() else { return };
        let (Some((_, walked)), Some(parent)) = (left.entry, path.last_mut()) else {
            return;
        };
        parent.low = parent.low.min(left.low);
        if Some(left.low) >= self.depth[parent.vertex] {
            let mut block = self.edges.split_off(walked);
            block.sort_unstable();
            self.blocks.push(block);
        }
    }
}
