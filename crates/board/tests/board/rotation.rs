//! Faces of rotation systems.

use nimrule_board::rotation::{Rotation, is_sphere};

#[test]
fn walks_turn_at_each_vertex() {
    // Two triangles with the edge 0-1 in common.
    let edges = [[0, 1], [1, 2], [2, 0], [1, 3], [3, 0]];
    let rotation = Rotation::new(vec![vec![0, 2, 4], vec![0, 3, 1], vec![1, 2], vec![3, 4]]);
    let faces = rotation.faces(&edges);
    let walks: Vec<&[usize]> = faces.iter().map(|face| face.vertices.as_slice()).collect();
    assert_eq!(walks, [vec![0, 1, 2], vec![0, 1, 3], vec![0, 2, 1, 3]]);
    assert_eq!(faces[2].edges, [2, 1, 3, 4]);
    assert!(is_sphere(4, 5, faces.len()));
    // Turning one vertex over gives a torus.
    let rotation = Rotation::new(vec![vec![0, 4, 2], vec![0, 3, 1], vec![1, 2], vec![3, 4]]);
    assert_eq!(rotation.faces(&edges).len(), 1);
}

#[test]
fn a_tree_has_one_face_with_both_sides_of_each_edge() {
    let rotation = Rotation::new(vec![vec![0], vec![0, 1], vec![1]]);
    let faces = rotation.faces(&[[0, 1], [1, 2]]);
    assert_eq!(faces.len(), 1);
    assert_eq!(faces[0].vertices, [0, 1, 2, 1]);
    assert_eq!(faces[0].edges, [0, 1, 1, 0]);
    let alone = Rotation::new(vec![Vec::new()]).faces(&[]);
    assert_eq!(alone[0].vertices, [0]);
}
