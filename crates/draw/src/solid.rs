//! Solids in space: coordinates of the vertices, and their projection from two
//! opposite sides.

use super::figure::Point;
use nimrule_model::board::Board;

/// A point of space.
pub type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn scaled(a: Vector, by: f64) -> Vector {
    a.map(|coordinate| coordinate * by)
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn unit(a: Vector) -> Vector {
    scaled(a, 1.0 / dot(a, a).sqrt().max(1e-12))
}

/// The mean of some points.
pub fn centre(points: &[Vector]) -> Vector {
    let mut sum = [0.0; 3];
    for point in points {
        for (total, coordinate) in sum.iter_mut().zip(point) {
            *total += coordinate;
        }
    }
    scaled(sum, 1.0 / points.len().max(1) as f64)
}

/// Coordinates of the vertices of a convex solid with these faces: regular solids,
/// prisms and antiprisms in their shape. `None` for other boards.
pub fn coordinates(board: &Board) -> Option<Vec<Vector>> {
    let name = board.name();
    if [
        "cube",
        "tetrahedron",
        "octahedron",
        "dodecahedron",
        "icosahedron",
    ]
    .contains(&name)
    {
        return Some(regular(board));
    }
    if name.starts_with("prism") || name.starts_with("antiprism") {
        return between_polygons(board);
    }
    None
}

/// The coordinates of a regular solid: three eigenvectors of the second largest
/// eigenvalue of the adjacency matrix (Godsil 1978).
fn regular(board: &Board) -> Vec<Vector> {
    let count = board
        .count(nimrule_model::board::CellKind::Vertex)
        .unwrap_or(0);
    let mut neighbours = vec![Vec::new(); count];
    for [a, b] in board.edges() {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let degree = neighbours.first().map_or(0, Vec::len) as f64;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for start in 0..count {
        if basis.len() == 3 {
            break;
        }
        let mut vector = vec![0.0; count];
        vector[start] = 1.0;
        for _ in 0..400 {
            // Eigenvalues plus the degree are not negative, so the largest one that is
            // left dominates.
            let mut next: Vec<f64> = (0..count)
                .map(|v| {
                    let around: f64 = neighbours[v].iter().map(|n| vector[*n]).sum();
                    around + degree * vector[v]
                })
                .collect();
            let mean = next.iter().sum::<f64>() / count as f64;
            next.iter_mut().for_each(|entry| *entry -= mean);
            for other in &basis {
                let along: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
                next.iter_mut()
                    .zip(other)
                    .for_each(|(a, b)| *a -= along * b);
            }
            let length = next.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            if length < 1e-9 {
                vector = Vec::new();
                break;
            }
            next.iter_mut().for_each(|entry| *entry /= length);
            vector = next;
        }
        if !vector.is_empty() {
            basis.push(vector);
        }
    }
    let points: Vec<Vector> = (0..count)
        .map(|v| [basis[0][v], basis[1][v], basis[2][v]])
        .collect();
    with_edges_of_length_one(board, points)
}

fn with_edges_of_length_one(board: &Board, points: Vec<Vector>) -> Vec<Vector> {
    let lengths = board.edges().iter().map(|[a, b]| {
        let edge = minus(points[*a], points[*b]);
        dot(edge, edge).sqrt()
    });
    let shortest = lengths.fold(f64::INFINITY, f64::min);
    points
        .into_iter()
        .map(|point| scaled(point, 1.0 / shortest))
        .collect()
}

/// The coordinates of a prism or an antiprism: two faces without a common vertex that
/// have all vertices, one above the other.
fn between_polygons(board: &Board) -> Option<Vec<Vector>> {
    let faces = board.faces()?;
    let count = board.count(nimrule_model::board::CellKind::Vertex)?;
    let (upper, lower) = faces.iter().enumerate().find_map(|(place, upper)| {
        let lower = faces[place + 1..].iter().find(|lower| {
            upper.vertices.len() + lower.vertices.len() == count
                && upper.vertices.iter().all(|v| !lower.vertices.contains(v))
        })?;
        Some((upper, lower))
    })?;
    let sides = upper.vertices.len() as f64;
    let radius = 0.5 / (std::f64::consts::PI / sides).sin();
    let mut angle = vec![None; count];
    for (place, vertex) in upper.vertices.iter().enumerate() {
        angle[*vertex] = Some(std::f64::consts::TAU * place as f64 / sides);
    }
    let mut points = vec![[0.0; 3]; count];
    for vertex in &upper.vertices {
        let turn = angle[*vertex]?;
        points[*vertex] = [radius * turn.cos(), radius * turn.sin(), 0.5];
    }
    for vertex in &lower.vertices {
        // The direction of the vertices above it.
        let above = board.edges().iter().filter_map(|[a, b]| match () {
            () if a == vertex => angle[*b],
            () if b == vertex => angle[*a],
            () => None,
        });
        let (x, y) = above.fold((0.0, 0.0), |(x, y), turn| (x + turn.cos(), y + turn.sin()));
        let turn = y.atan2(x);
        points[*vertex] = [radius * turn.cos(), radius * turn.sin(), -0.5];
    }
    Some(points)
}

/// A solid seen from one side.
pub struct View {
    /// The vertices in the plane.
    pub vertices: Vec<Point>,
    /// Whether each face is turned to the viewer.
    pub faces: Vec<bool>,
}

/// The views from a direction from which no face is seen edge on, and from the opposite
/// one. A prism stands upright; of another solid, a face is at the top of the first view.
pub fn views(points: &[Vector], faces: &[Vec<usize>]) -> [View; 2] {
    let middle = centre(points);
    let normals: Vec<Vector> = faces
        .iter()
        .map(|face| {
            let corners: Vec<Vector> = face.iter().map(|v| points[*v]).collect();
            unit(minus(centre(&corners), middle))
        })
        .collect();
    // The top of a prism is the face whose normal is vertical.
    let upright = normals.iter().find(|normal| normal[2] > 1.0 - 1e-6);
    let toward = match upright {
        Some(_) => upright_direction(&normals),
        None => direction(&normals),
    };
    // The top of the picture: a face in front whose normal is far from the direction.
    let top = normals
        .iter()
        .filter(|normal| dot(**normal, toward) > 0.0)
        .fold(None::<Vector>, |best, normal| match best {
            Some(best) if dot(best, toward) <= dot(*normal, toward) + 1e-6 => Some(best),
            _ => Some(*normal),
        })
        .unwrap_or([0.0, 0.0, 1.0]);
    let top = upright.copied().unwrap_or(top);
    let up = unit(minus(top, scaled(toward, dot(top, toward))));
    let right = cross(up, toward);
    let view = |toward: Vector, right: Vector| View {
        vertices: points
            .iter()
            .map(|point| {
                let point = minus(*point, middle);
                Point {
                    x: dot(point, right),
                    y: -dot(point, up),
                }
            })
            .collect(),
        faces: normals
            .iter()
            .map(|normal| dot(*normal, toward) > 0.0)
            .collect(),
    };
    [
        view(toward, right),
        view(scaled(toward, -1.0), scaled(right, -1.0)),
    ]
}

/// The direction from above the horizon from which the side that is most nearly edge on
/// is seen best.
fn upright_direction(normals: &[Vector]) -> Vector {
    let mut best = ([0.0, -0.85, 0.53], 0.0);
    for step in 0..180 {
        let turn = std::f64::consts::TAU * f64::from(step) / 180.0;
        let toward = unit([turn.cos(), turn.sin(), 0.75]);
        let worst = normals.iter().map(|normal| dot(*normal, toward).abs());
        let worst = worst.fold(f64::INFINITY, f64::min);
        if worst > best.1 + 1e-6 {
            best = (toward, worst);
        }
    }
    best.0
}

/// The direction from which the face that is most nearly edge on is seen best, among
/// sums of the normals of three faces and directions between them.
fn direction(normals: &[Vector]) -> Vector {
    let mut best = ([0.3, -0.4, 0.86], 0.0);
    let few = normals.len().min(12);
    for a in 0..few {
        for b in a..few {
            for c in b..few {
                let weights = [[1.0, 1.0, 1.0], [1.0, 0.7, 0.4]];
                for [wa, wb, wc] in weights {
                    let sum = [0, 1, 2]
                        .map(|i| wa * normals[a][i] + wb * normals[b][i] + wc * normals[c][i]);
                    if dot(sum, sum) < 1e-6 {
                        continue;
                    }
                    let toward = unit(sum);
                    let worst = normals.iter().map(|normal| dot(*normal, toward).abs());
                    let worst = worst.fold(f64::INFINITY, f64::min);
                    if worst > best.1 + 1e-6 {
                        best = (toward, worst);
                    }
                }
            }
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::{coordinates, views};
    use nimrule_model::board::Board;

    fn faces(board: &Board) -> Vec<Vec<usize>> {
        let faces = board.faces().expect("a solid has faces");
        faces.iter().map(|face| face.vertices.clone()).collect()
    }

    #[test]
    fn regular_solids_have_edges_of_one_length() {
        for board in [
            Board::cube(),
            Board::tetrahedron(),
            Board::octahedron(),
            Board::dodecahedron(),
            Board::icosahedron(),
        ] {
            let points = coordinates(&board).expect("a regular solid");
            for [a, b] in board.edges() {
                let length: f64 = (0..3)
                    .map(|i| (points[*a][i] - points[*b][i]).powi(2))
                    .sum();
                assert!(
                    (length.sqrt() - 1.0).abs() < 1e-6,
                    "{}: {length}",
                    board.name()
                );
            }
        }
    }

    #[test]
    fn each_face_is_seen_from_one_side() {
        for board in [
            Board::cube(),
            Board::dodecahedron(),
            Board::prism(5).expect("a prism"),
            Board::antiprism(6).expect("an antiprism"),
        ] {
            let points = coordinates(&board).expect("a solid");
            let faces = faces(&board);
            let [front, back] = views(&points, &faces);
            for face in 0..faces.len() {
                assert!(front.faces[face] != back.faces[face], "{}", board.name());
            }
        }
    }
}
