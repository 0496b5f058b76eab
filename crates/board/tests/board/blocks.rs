//! The blocks of graphs.

use nimrule_board::adjacency::Adjacency;
use nimrule_board::blocks::blocks;

fn blocks_of(vertices: usize, edges: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let mut found = blocks(&Adjacency::of(vertices, edges));
    found.sort();
    found
}

#[test]
fn blocks_meet_in_cut_vertices() {
    // A triangle, a bridge, a square, and a vertex alone.
    let edges = [
        [0, 1],
        [1, 2],
        [2, 0],
        [2, 3],
        [3, 4],
        [4, 5],
        [5, 6],
        [6, 3],
    ];
    assert_eq!(
        blocks_of(8, &edges),
        [vec![0, 1, 2], vec![3], vec![4, 5, 6, 7]]
    );
}

#[test]
fn long_paths_do_not_exhaust_the_stack() {
    let edges: Vec<[usize; 2]> = (1..10_000).map(|i| [i - 1, i]).collect();
    assert_eq!(blocks_of(10_000, &edges).len(), 9_999);
}
