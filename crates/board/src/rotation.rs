//! Rotation systems: the circular order of the edges around each vertex.
//!
//! A rotation system of a connected graph defines an embedding into a closed orientable surface
//! (Heffter 1891, Edmonds 1960). Its faces are traced by following an edge and leaving each vertex
//! by the next edge in circular order. The surface is the sphere if and only if V - E + F = 2.

use super::Face;

/// The edges at each vertex, in circular order.
pub struct Rotation {
    around: Vec<Vec<usize>>,
}

impl Rotation {
    /// INVARIANT: each edge is listed once at each of its two endpoints, and nowhere else.
    pub fn new(around: Vec<Vec<usize>>) -> Rotation {
        Rotation { around }
    }

    /// The faces, each as its lexicographically smallest boundary walk and ascending by these, so
    /// that mirror images have the same list.
    pub fn faces(&self, edges: &[[usize; 2]]) -> Vec<Face> {
        // The place of each edge in the circular order at each of its endpoints.
        let mut places = vec![[0; 2]; edges.len()];
        for (vertex, around) in self.around.iter().enumerate() {
            for (place, &edge) in around.iter().enumerate() {
                places[edge][end(edges[edge], vertex)] = place;
            }
        }
        let mut faces: Vec<Face> = self
            .around
            .iter()
            .enumerate()
            .filter(|(_, around)| around.is_empty())
            .map(|(vertex, _)| Face {
                vertices: vec![vertex],
                edges: Vec::new(),
            })
            .collect();
        // Whether the walk from this endpoint along the edge was traced.
        let mut walked = vec![[false; 2]; edges.len()];
        for first in 0..edges.len() {
            for from in 0..2 {
                let mut face = Face {
                    vertices: Vec::new(),
                    edges: Vec::new(),
                };
                let (mut edge, mut tail) = (first, from);
                while !walked[edge][tail] {
                    walked[edge][tail] = true;
                    face.vertices.push(edges[edge][tail]);
                    face.edges.push(edge);
                    let head = edges[edge][1 - tail];
                    let around = &self.around[head];
                    edge = around[(places[edge][1 - tail] + 1) % around.len()];
                    tail = end(edges[edge], head);
                }
                if !face.edges.is_empty() {
                    faces.push(least_walk(face));
                }
            }
        }
        faces.sort_by(|a, b| (&a.vertices, &a.edges).cmp(&(&b.vertices, &b.edges)));
        faces
    }
}

/// Whether a connected graph with this number of faces is embedded in the sphere, by Euler's
/// formula.
pub fn is_sphere(vertices: usize, edges: usize, faces: usize) -> bool {
    vertices + faces == edges + 2
}

/// The index of a vertex among the endpoints of an edge.
fn end(edge: [usize; 2], vertex: usize) -> usize {
    usize::from(edge[0] != vertex)
}

/// The face with its boundary walk started and directed so that its list of vertices is
/// lexicographically smallest.
fn least_walk(face: Face) -> Face {
    let len = face.vertices.len();
    let vertices = &face.vertices;
    // A walk passes an edge in each direction at most once, so that the first two vertices determine
    // the start.
    let forward = (0..len)
        .min_by_key(|&i| (vertices[i], vertices[(i + 1) % len]))
        .unwrap_or(0);
    let backward = (0..len)
        .min_by_key(|&i| (vertices[i], vertices[(i + len - 1) % len]))
        .unwrap_or(0);
    let ahead = Face {
        vertices: (0..len).map(|i| vertices[(forward + i) % len]).collect(),
        edges: (0..len).map(|i| face.edges[(forward + i) % len]).collect(),
    };
    // Edge i leads from vertex i to the next vertex; backwards, edge i - 1 follows vertex i.
    let back = Face {
        vertices: (0..len)
            .map(|i| vertices[(backward + len - i) % len])
            .collect(),
        edges: (0..len)
            .map(|i| face.edges[(backward + 2 * len - i - 1) % len])
            .collect(),
    };
    if back.vertices < ahead.vertices {
        back
    } else {
        ahead
    }
}
