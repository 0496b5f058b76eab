//! Planar embeddings of 2-connected graphs.
//!
//! The algorithm is that of Demoucron, Malgrange and Pertuiset, "Graphes planaires: reconnaissance
//! et construction de représentations planaires topologiques" (1964). It starts with a cycle. The
//! part of the graph that is not embedded yet consists of fragments (bridges), each attached to the
//! embedded part at two vertices or more. A fragment fits into a face if all its attachments lie on
//! that face. If some fragment fits into no face, the graph is not planar. Otherwise a path through
//! a fragment is embedded into a face that it fits into, and a fragment that fits into only one
//! face is preferred. No backtracking is needed.

use super::adjacency::Adjacency;

/// The rotation system of a planar embedding of a 2-connected graph: the edges in circular order
/// around each vertex. `None` if the graph is not planar. A single edge counts as 2-connected.
pub(super) fn embed(vertices: usize, edges: &[[usize; 2]]) -> Option<Vec<Vec<usize>>> {
    if edges.len() <= 1 {
        return Some(vec![(0..edges.len()).collect(); vertices]);
    }
    // Euler's formula: each face has at least three sides.
    if edges.len() + 6 > 3 * vertices {
        return None;
    }
    let adjacency = Adjacency::of(vertices, edges);
    let mut drawing = Drawing::of_a_cycle(&adjacency, edges);
    while let Some(fragment) = drawing.take_fragment() {
        let face = *fragment.faces.first()?;
        let path = drawing.path_through(&fragment);
        drawing.split(face, &path);
        drawing.decompose(&fragment, &path, [face, drawing.faces.len() - 1]);
    }
    Some(drawing.rotation())
}

/// A partial embedding: the part of the graph that is embedded, and the fragments that are not.
struct Drawing<'a> {
    adjacency: &'a Adjacency,
    drawn_vertex: Vec<bool>,
    drawn_edge: Vec<bool>,
    /// The faces as cycles of vertices. Each edge is on two of them, in opposite directions.
    faces: Vec<Vec<usize>>,
    fragments: Vec<Fragment>,
    /// Marks of vertices: a vertex is marked if its entry equals `now`. Incrementing `now` clears
    /// all marks.
    mark: Vec<usize>,
    now: usize,
}

/// A part of the graph that is not embedded: an edge between embedded vertices, or a connected set
/// of vertices with all their edges.
struct Fragment {
    /// Its vertices that are not embedded.
    inner: Vec<usize>,
    /// The embedded vertices at which it is attached.
    attachments: Vec<usize>,
    /// Faces on which all attachments lie, at most [`MAX_LISTED_FACES`].
    faces: Vec<usize>,
    /// Whether there were more such faces when the list was truncated.
    has_more: bool,
}

/// The largest number of faces that are listed for a fragment.
///
/// PERF: only whether a fragment fits into no face, one or several faces matters. A fragment between
/// two vertices may fit into thousands.
const MAX_LISTED_FACES: usize = 2;

impl<'a> Drawing<'a> {
    fn of_a_cycle(adjacency: &'a Adjacency, edges: &[[usize; 2]]) -> Drawing<'a> {
        let vertices = adjacency.vertices();
        let mut drawing = Drawing {
            adjacency,
            drawn_vertex: vec![false; vertices],
            drawn_edge: vec![false; edges.len()],
            faces: Vec::new(),
            fragments: Vec::new(),
            mark: vec![0; vertices],
            now: 0,
        };
        let [a, b] = edges[0];
        drawing.drawn_vertex[a] = true;
        drawing.drawn_vertex[b] = true;
        drawing.drawn_edge[0] = true;
        let rest = Fragment {
            inner: (0..vertices).filter(|&v| v != a && v != b).collect(),
            attachments: vec![a, b],
            faces: Vec::new(),
            has_more: false,
        };
        // With the first edge, the path closes to a cycle.
        let path = drawing.path_through(&rest);
        drawing.draw(&path);
        drawing.faces = vec![path.clone(), path.iter().rev().copied().collect()];
        drawing.decompose(&rest, &path, [0, 1]);
        drawing
    }

    /// Removes a fragment that fits into the fewest faces, where two faces or more count as equal.
    fn take_fragment(&mut self) -> Option<Fragment> {
        let least =
            (0..self.fragments.len()).min_by_key(|&i| self.fragments[i].faces.len().min(2))?;
        Some(self.fragments.swap_remove(least))
    }

    /// A path from one attachment of a fragment to another, through its inner vertices.
    fn path_through(&mut self, fragment: &Fragment) -> Vec<usize> {
        let start = fragment.attachments[0];
        if fragment.inner.is_empty() {
            return fragment.attachments.clone();
        }
        self.now += 1;
        for &vertex in &fragment.inner {
            self.mark[vertex] = self.now;
        }
        // A breadth-first search; a vertex loses its mark when it is reached.
        let mut reached: Vec<(usize, usize)> = vec![(start, 0)];
        let mut at = 0;
        while let Some(&(vertex, _)) = reached.get(at) {
            for link in self.adjacency.at(vertex) {
                if self.mark[link.to] == self.now {
                    self.mark[link.to] = 0;
                    reached.push((link.to, at));
                } else if at > 0 && self.drawn_vertex[link.to] && link.to != start {
                    let mut path = vec![link.to, vertex];
                    let mut back = at;
                    while back > 0 {
                        back = reached[back].1;
                        path.push(reached[back].0);
                    }
                    return path;
                }
            }
            at += 1;
        }
        unreachable!("a fragment of a 2-connected graph has two attachments or more")
    }

    fn draw(&mut self, path: &[usize]) {
        for &vertex in path {
            self.drawn_vertex[vertex] = true;
        }
        for pair in path.windows(2) {
            let edge = self.adjacency.edge(pair[0], pair[1]);
            self.drawn_edge[edge.expect("a path goes along edges")] = true;
        }
    }

    /// Embeds a path across a face, which divides the face in two: one part keeps the face's
    /// number, the other becomes the last face. Updates the fragments that fitted into the face.
    fn split(&mut self, face: usize, path: &[usize]) {
        self.draw(path);
        let (start, end) = (path[0], path[path.len() - 1]);
        let mut cycle = std::mem::take(&mut self.faces[face]);
        let place = cycle.iter().position(|&v| v == start);
        cycle.rotate_left(place.expect("a path begins on the face it crosses"));
        let place = cycle.iter().position(|&v| v == end);
        let mut second = cycle.split_off(place.expect("a path ends on the face it crosses"));
        let inner = &path[1..path.len() - 1];
        cycle.push(end);
        cycle.extend(inner.iter().rev());
        second.push(start);
        second.extend(inner);
        self.faces[face] = cycle;
        self.faces.push(second);
        let halves = [face, self.faces.len() - 1];
        let mut fragments = std::mem::take(&mut self.fragments);
        self.fit(&mut fragments, face, halves);
        self.fragments = fragments;
    }

    /// Adds the fragments into which a fragment decomposes when a path through it is embedded. Each
    /// of them is attached to an inner vertex of the path, and so fits only into one of the two
    /// faces `adjacent` to the path.
    fn decompose(&mut self, fragment: &Fragment, path: &[usize], adjacent: [usize; 2]) {
        let mut pieces = Vec::new();
        let mut add = |inner: Vec<usize>, mut attachments: Vec<usize>| {
            attachments.sort_unstable();
            attachments.dedup();
            pieces.push(Fragment {
                inner,
                attachments,
                faces: vec![adjacent[0]],
                has_more: false,
            });
        };
        self.now += 1;
        let fresh = &path[1..path.len() - 1];
        for &vertex in fresh {
            self.mark[vertex] = self.now;
        }
        for &vertex in fresh {
            for link in self.adjacency.at(vertex) {
                // An edge between two fresh vertices is visited from both.
                let is_visited_again = self.mark[link.to] == self.now && link.to < vertex;
                if self.drawn_vertex[link.to] && !self.drawn_edge[link.edge] && !is_visited_again {
                    add(Vec::new(), vec![vertex, link.to]);
                }
            }
        }
        self.now += 1;
        for &first in &fragment.inner {
            if self.drawn_vertex[first] || self.mark[first] == self.now {
                continue;
            }
            self.mark[first] = self.now;
            let mut inner = vec![first];
            let mut attachments = Vec::new();
            let mut at = 0;
            while let Some(&vertex) = inner.get(at) {
                at += 1;
                for link in self.adjacency.at(vertex) {
                    if self.drawn_vertex[link.to] {
                        attachments.push(link.to);
                    } else if self.mark[link.to] != self.now {
                        self.mark[link.to] = self.now;
                        inner.push(link.to);
                    }
                }
            }
            add(inner, attachments);
        }
        self.fit(&mut pieces, adjacent[0], adjacent);
        self.fragments.append(&mut pieces);
    }

    /// For each fragment that fitted into a face that was divided, replaces that face by those of
    /// its halves into which the fragment fits.
    fn fit(&mut self, fragments: &mut [Fragment], split: usize, halves: [usize; 2]) {
        let mut concerned: Vec<&mut Fragment> = Vec::new();
        for fragment in fragments {
            if let Some(at) = fragment.faces.iter().position(|&face| face == split) {
                fragment.faces.swap_remove(at);
                concerned.push(fragment);
            }
        }
        for half in halves {
            self.now += 1;
            for &vertex in &self.faces[half] {
                self.mark[vertex] = self.now;
            }
            for fragment in &mut concerned {
                let mut attachments = fragment.attachments.iter();
                if attachments.all(|&vertex| self.mark[vertex] == self.now) {
                    fragment.faces.push(half);
                }
            }
        }
        for fragment in concerned {
            if fragment.faces.len() < MAX_LISTED_FACES && fragment.has_more {
                self.fit_anywhere(fragment);
            } else if fragment.faces.len() > MAX_LISTED_FACES {
                fragment.faces.truncate(MAX_LISTED_FACES);
                fragment.has_more = true;
            }
        }
    }

    /// Lists the faces into which a fragment fits, by a search through all faces.
    fn fit_anywhere(&mut self, fragment: &mut Fragment) {
        self.now += 1;
        for &vertex in &fragment.attachments {
            self.mark[vertex] = self.now;
        }
        let fits = |face: &Vec<usize>| {
            // A face of a 2-connected graph passes each vertex once.
            let passed = face.iter().filter(|&&vertex| self.mark[vertex] == self.now);
            passed.count() == fragment.attachments.len()
        };
        let mut fitting = (0..self.faces.len()).filter(|&face| fits(&self.faces[face]));
        fragment.faces = fitting.by_ref().take(MAX_LISTED_FACES).collect();
        fragment.has_more = fitting.next().is_some();
    }

    /// The rotation system of the finished embedding: a face that enters a vertex by one edge leaves
    /// it by the next edge in circular order.
    fn rotation(&self) -> Vec<Vec<usize>> {
        let adjacency = self.adjacency;
        let vertices = adjacency.vertices();
        let mut next: Vec<Vec<usize>> = (0..vertices)
            .map(|vertex| vec![0; adjacency.degree(vertex)])
            .collect();
        let place = |from: usize, to: usize| {
            let place = adjacency.place(from, to);
            place.expect("a face goes along edges")
        };
        for face in &self.faces {
            for (i, &vertex) in face.iter().enumerate() {
                let before = face[(i + face.len() - 1) % face.len()];
                let after = face[(i + 1) % face.len()];
                next[vertex][place(vertex, before)] = place(vertex, after);
            }
        }
        (0..vertices)
            .map(|vertex| {
                let links = adjacency.at(vertex);
                let mut at = 0;
                (0..links.len())
                    .map(|_| {
                        at = next[vertex][at];
                        links[at].edge
                    })
                    .collect()
            })
            .collect()
    }
}
