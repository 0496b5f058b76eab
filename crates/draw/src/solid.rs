//! The Platonic solids as seen from in front and from behind.

use crate::canvas::Point;
use nimrule_board::Board;

/// A point in space: x to the right, y up, z towards the viewer.
pub type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The middle of some points.
pub fn middle(points: &[Vector]) -> Vector {
    let count = points.len().max(1) as f64;
    let mut sum = [0.0; 3];
    for point in points {
        for (total, x) in sum.iter_mut().zip(point) {
            *total += x / count;
        }
    }
    sum
}

/// The vertices of a Platonic solid around the origin, already turned to the viewer;
/// `None` for other boards.
pub fn vertices(board: &Board) -> Option<Vec<Vector>> {
    let cube =
        |vertex: usize| [0, 1, 2].map(|axis| if vertex >> axis & 1 == 1 { 1.0 } else { -1.0 });
    // The direction to the viewer, and one that points up.
    let (points, front, up): (Vec<Vector>, Vector, Vector) = match board.name() {
        "cube" => {
            // The corner where the faces 0, 1 and 2 meet is in front, face 0 on top.
            let points = (0..8).map(cube).collect();
            (points, [-1.0, -1.0, -1.0], [-1.0, 0.0, 0.0])
        }
        "tetrahedron" => {
            let corners = [0, 3, 5, 6].map(cube);
            // The first vertex is in front, within the triangle of the others.
            (corners.to_vec(), [-1.0, -1.0, -1.0], [1.0, 1.0, -1.0])
        }
        "octahedron" => {
            let points = (0..6)
                .map(|face| {
                    let mut point = [0.0; 3];
                    point[face % 3] = if face < 3 { -1.4 } else { 1.4 };
                    point
                })
                .collect();
            (points, [-1.0, -0.12, -0.2], [0.0, 0.0, -1.0])
        }
        // A face is in front, between the vertices 0, 1 and 2.
        "icosahedron" => (icosahedron(), [0.8507, 1.1708, 1.8944], [0.0, 0.0, 1.0]),
        "dodecahedron" => {
            let icosahedron_points = icosahedron();
            let board = Board::icosahedron();
            let faces = board.faces().unwrap_or_default();
            let points = faces
                .iter()
                .map(|face| {
                    let corners: Vec<Vector> = face
                        .vertices
                        .iter()
                        .map(|v| icosahedron_points[*v])
                        .collect();
                    middle(&corners).map(|x| x * 1.25)
                })
                .collect();
            // Faces are where the icosahedron has vertices, the first on top.
            (points, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
        }
        _ => return None,
    };
    let z = unit(front);
    let x = unit(cross(up, z));
    let y = cross(z, x);
    Some(
        points
            .into_iter()
            .map(|p| [dot(p, x), dot(p, y), dot(p, z)])
            .collect(),
    )
}

/// The icosahedron with its first vertex in front, towards the viewer.
fn icosahedron() -> Vec<Vector> {
    let fifth = std::f64::consts::TAU / 5.0;
    let (ring, height) = (2.0 / 5_f64.sqrt(), 1.0 / 5_f64.sqrt());
    let mut points = vec![[0.0, 0.0, 1.0]];
    for k in 0..5 {
        let angle = fifth * f64::from(k);
        points.push([ring * angle.sin(), ring * angle.cos(), height]);
    }
    for place in 0..6 {
        points.push(points[place].map(|x: f64| -x));
    }
    points.into_iter().map(|p| p.map(|x| x * 1.5)).collect()
}

/// The direction out of a face, by its corners; the solid contains the origin.
pub fn outward(corners: &[Vector]) -> Vector {
    let centre = middle(corners);
    let [a, b, c] = [corners[0], corners[1], corners[2]];
    let normal = cross(
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
        [c[0] - a[0], c[1] - a[1], c[2] - a[2]],
    );
    if dot(normal, centre) < 0.0 {
        normal.map(|x| -x)
    } else {
        normal
    }
}

/// The orthographic projection, from in front or from behind; behind, the viewer has
/// turned around the vertical axis.
pub fn project(point: Vector, behind: bool) -> Point {
    if behind {
        (-point[0], -point[1])
    } else {
        (point[0], -point[1])
    }
}
