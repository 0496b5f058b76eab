//! The Platonic solids, prisms, antiprisms and hypercubes.
//!
//! Each board is defined by the boundary walks of its faces in a fixed order; the edges are
//! ascending by their smaller and then their larger vertex. Rules depend on the order of the cells.
//! Cells that are opposite to each other are half the list apart.

use super::{Board, BoardError, CellKind, Face, check_count};

impl Board {
    /// The cube. Vertex `x + 2y + 4z` is the corner (x, y, z) of the unit cube; the faces are x =
    /// 0, y = 0, z = 0, x = 1, y = 1, z = 1, so that faces `i` and `i + 3` are opposite.
    pub fn cube() -> Board {
        from_walks("cube", 8, cube_walks())
    }

    /// The tetrahedron. Face `i` is opposite to vertex `i`.
    pub fn tetrahedron() -> Board {
        let walks = vec![vec![1, 2, 3], vec![0, 2, 3], vec![0, 1, 3], vec![0, 1, 2]];
        from_walks("tetrahedron", 4, walks)
    }

    /// The octahedron, dual to the cube: vertex `i` is the cube's face `i` and face `i` its vertex
    /// `i`, so that vertices `i` and `i + 3`, and faces `i` and `7 - i`, are opposite.
    pub fn octahedron() -> Board {
        from_walks("octahedron", 6, dual(&cube_walks(), 8))
    }

    /// The icosahedron. Vertex 0 is the top with the ring 1 to 5 below it; vertices `i` and `i + 6`
    /// are opposite, and so are faces `i` and `i + 10`.
    pub fn icosahedron() -> Board {
        from_walks("icosahedron", 12, icosahedron_walks())
    }

    /// The dodecahedron, dual to the icosahedron: faces `i` and `i + 6` are opposite, and so are
    /// vertices `i` and `i + 10`.
    pub fn dodecahedron() -> Board {
        from_walks("dodecahedron", 20, dual(&icosahedron_walks(), 12))
    }

    /// The prism over a polygon of `n` sides, at least 3. One polygon has the vertices 0 to n-1,
    /// the other n to 2n-1, and `i` is joined to `i + n`. The faces are the two polygons and then
    /// the sides in circular order, side `i` between `i` and `i + 1`.
    pub fn prism(n: usize) -> Result<Board, BoardError> {
        let name = format!("prism({n})");
        check_polygon(&name, n, n.checked_mul(3))?;
        let mut walks = vec![(0..n).collect(), (n..2 * n).collect()];
        walks.extend((0..n).map(|i| {
            let next = (i + 1) % n;
            vec![i, next, next + n, i + n]
        }));
        Ok(from_walks(name, 2 * n, walks))
    }

    /// The antiprism over a polygon of `n` sides, at least 3. One polygon has the vertices 0 to
    /// n-1, the other n to 2n-1, and `n + i` is joined to `i` and `i + 1`. The faces are the two
    /// polygons and then the triangles in circular order, from the one at 0, 1 and n.
    pub fn antiprism(n: usize) -> Result<Board, BoardError> {
        let name = format!("antiprism({n})");
        check_polygon(&name, n, n.checked_mul(4))?;
        let mut walks = vec![(0..n).collect(), (n..2 * n).collect()];
        for i in 0..n {
            let next = (i + 1) % n;
            walks.push(vec![i, next, n + i]);
            walks.push(vec![next, n + next, n + i]);
        }
        Ok(from_walks(name, 2 * n, walks))
    }

    /// The hypercube of dimension `d`, at least 1. The bits of a vertex's number are its
    /// coordinates. The faces are the squares, ascending by their least vertex and then by their
    /// two directions; for `d` = 1 there are none.
    ///
    /// `hypercube(3)` is the cube with its faces in another order.
    pub fn hypercube(d: usize) -> Result<Board, BoardError> {
        let name = format!("hypercube({d})");
        if d == 0 {
            return Err(BoardError::TooSmall {
                board: name,
                what: "the dimension",
                least: 1,
            });
        }
        // 2^d vertices, d 2^(d-1) edges, d (d-1) 2^(d-3) squares.
        let power = |exponent: usize| {
            u32::try_from(exponent)
                .ok()
                .and_then(|e| 2_usize.checked_pow(e))
        };
        let vertices = check_count(&name, power(d), CellKind::Vertex.plural())?;
        check_count(&name, Some(d * vertices / 2), CellKind::Edge.plural())?;
        check_count(
            &name,
            Some(d * (d - 1) * vertices / 8),
            CellKind::Face.plural(),
        )?;
        if d == 1 {
            return Ok(Board::without_faces(name, 2, vec![[0, 1]]));
        }
        let mut walks = Vec::new();
        for corner in 0..vertices {
            for i in 0..d {
                for j in i + 1..d {
                    let (a, b) = (1 << i, 1 << j);
                    if corner & (a | b) == 0 {
                        walks.push(vec![corner, corner | a, corner | a | b, corner | b]);
                    }
                }
            }
        }
        Ok(from_walks(name, vertices, walks))
    }
}

fn check_polygon(name: &str, sides: usize, edges: Option<usize>) -> Result<(), BoardError> {
    if sides < 3 {
        return Err(BoardError::TooSmall {
            board: name.to_owned(),
            what: "the number of sides",
            least: 3,
        });
    }
    // There are more edges than vertices or faces.
    check_count(name, edges, CellKind::Edge.plural()).map(drop)
}

/// The board with these faces, in this order. Its edges are the sides of the faces.
fn from_walks(name: impl Into<String>, vertices: usize, walks: Vec<Vec<usize>>) -> Board {
    let mut edges: Vec<[usize; 2]> = walks.iter().flat_map(|walk| sides(walk)).collect();
    edges.sort_unstable();
    edges.dedup();
    let place = |side: [usize; 2]| {
        edges
            .binary_search(&side)
            .expect("every side was put among the edges above")
    };
    let faces = walks
        .into_iter()
        .map(|walk| Face {
            edges: sides(&walk).map(place).collect(),
            vertices: walk,
        })
        .collect();
    let mut board = Board::without_faces(name, vertices, edges);
    board.faces = Some(faces);
    board
}

/// The sides of a closed walk, each with its smaller vertex first.
fn sides(walk: &[usize]) -> impl Iterator<Item = [usize; 2]> + '_ {
    let next = walk.iter().cycle().skip(1);
    walk.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)])
}

/// The boundary walks of the dual: its vertices are the given walks, in order, and its walk `v` is
/// the cycle of the walks at the vertex `v`, starting with the first of them.
fn dual(walks: &[Vec<usize>], vertices: usize) -> Vec<Vec<usize>> {
    (0..vertices).map(|vertex| around(walks, vertex)).collect()
}

pub fn around(walks: &[Vec<usize>], vertex: usize) -> Vec<usize> {
    // For each walk by the vertex, the two neighbours it passes before and after.
    let mut left: Vec<(usize, [usize; 2])> = walks
        .iter()
        .enumerate()
        .filter_map(|(index, walk)| {
            let at = walk.iter().position(|&v| v == vertex)?;
            let len = walk.len();
            Some((index, [walk[(at + len - 1) % len], walk[(at + 1) % len]]))
        })
        .collect();
    let (first, [_, mut ahead]) = left.remove(0);
    let mut ring = vec![first];
    while let Some(at) = left.iter().position(|(_, ends)| ends.contains(&ahead)) {
        let (index, [a, b]) = left.remove(at);
        ring.push(index);
        ahead = if a == ahead { b } else { a };
    }
    ring
}

fn cube_walks() -> Vec<Vec<usize>> {
    let mut walks = Vec::new();
    for side in 0..2 {
        for axis in 0..3 {
            let base = side << axis;
            let (a, b) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            walks.push(vec![base, base + a, base + a + b, base + b]);
        }
    }
    walks
}

/// The triangles, such that `i` and `i + 10` are opposite.
fn icosahedron_walks() -> Vec<Vec<usize>> {
    let opposite = |vertex: usize| (vertex + 6) % 12;
    // The upper ring is at the angles 0, 72, …, the lower ring, opposite to it, at 180, 252, …. The
    // lower vertex 7 + k is between the upper vertices with the indices k + 2 and k + 3 modulo 5.
    let mut joined = [[false; 12]; 12];
    let mut join = |a: usize, b: usize| {
        joined[a][b] = true;
        joined[b][a] = true;
    };
    for k in 0..5 {
        let (upper, lower) = (1 + k, 7 + k);
        join(0, upper);
        join(6, lower);
        join(upper, 1 + (k + 1) % 5);
        join(lower, 7 + (k + 1) % 5);
        join(lower, 1 + (k + 2) % 5);
        join(lower, 1 + (k + 3) % 5);
    }
    // Any three vertices that are joined to one another bound a face.
    let mut front: Vec<Vec<usize>> = Vec::new();
    let mut back: Vec<Vec<usize>> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let triangle = vec![a, b, c];
                if joined[a][b] && joined[b][c] && joined[a][c] && !back.contains(&triangle) {
                    let mut image: Vec<usize> = triangle.iter().map(|&v| opposite(v)).collect();
                    image.sort_unstable();
                    front.push(triangle);
                    back.push(image);
                }
            }
        }
    }
    front.extend(back);
    front
}
