//! Adjacency lists of simple graphs.

/// The adjacency lists of a graph. Vertices and edges are numbers; the graph has no loops or double
/// edges.
pub struct Adjacency {
    /// For each vertex its neighbours, ascending, each with the edge to it.
    at: Vec<Vec<Link>>,
}

/// An edge from a vertex to a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub to: usize,
    pub edge: usize,
}

impl Adjacency {
    pub fn of(vertices: usize, edges: &[[usize; 2]]) -> Adjacency {
        let mut at = vec![Vec::new(); vertices];
        for (edge, &[a, b]) in edges.iter().enumerate() {
            at[a].push(Link { to: b, edge });
            at[b].push(Link { to: a, edge });
        }
        for links in &mut at {
            links.sort_unstable();
        }
        Adjacency { at }
    }

    pub fn vertices(&self) -> usize {
        self.at.len()
    }

    pub fn at(&self, vertex: usize) -> &[Link] {
        &self.at[vertex]
    }

    pub fn degree(&self, vertex: usize) -> usize {
        self.at[vertex].len()
    }

    /// The index of the second vertex in the adjacency list of the first.
    pub fn place(&self, from: usize, to: usize) -> Option<usize> {
        self.at[from].binary_search_by_key(&to, |link| link.to).ok()
    }

    /// The edge between two vertices.
    pub fn edge(&self, a: usize, b: usize) -> Option<usize> {
        self.place(a, b).map(|place| self.at[a][place].edge)
    }

    /// The smallest vertex that cannot be reached from vertex 0; `None` if the graph is connected.
    pub fn unreachable_vertex(&self) -> Option<usize> {
        let mut reached = vec![false; self.vertices()];
        *reached.first_mut()? = true;
        let mut waiting = vec![0];
        while let Some(vertex) = waiting.pop() {
            for link in self.at(vertex) {
                if !reached[link.to] {
                    reached[link.to] = true;
                    waiting.push(link.to);
                }
            }
        }
        reached.iter().position(|&reached| !reached)
    }
}
