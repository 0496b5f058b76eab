//! Layouts in layers.

use nimrule_draw::layers::{layout, ranks_from, ranks_of_acyclic};

#[test]
fn arcs_lead_to_later_ranks_except_those_that_return() {
    let arcs = [(0, 1), (0, 2), (1, 2), (2, 0), (2, 2)];
    assert_eq!(ranks_from(0, 3, &arcs), [0, 1, 2]);
    assert_eq!(ranks_of_acyclic(3, &arcs), None);
    let laid = layout(&[0, 1, 2], &arcs);
    // The arc from 0 to 2 passes rank 1 beside the vertex there.
    assert_eq!(laid.bends[1].len(), 1);
    assert!((laid.bends[1][0].1 - laid.places[1].1).abs() >= 1.0);
}

#[test]
fn crossings_are_removed_where_an_order_without_them_exists() {
    let arcs = [
        (0, 2),
        (1, 3),
        (0, 4),
        (1, 5),
        (2, 6),
        (4, 6),
        (3, 7),
        (5, 7),
    ];
    let ranks = ranks_of_acyclic(8, &arcs).expect("no cycle");
    let laid = layout(&ranks, &arcs);
    let above = |a: usize, b: usize| laid.places[a].1 < laid.places[b].1;
    assert_eq!(above(2, 3), above(4, 5));
    assert_eq!(above(2, 3), above(6, 7));
}

#[test]
fn vertices_of_a_rank_are_a_step_apart_and_near_their_neighbours() {
    // Both want to be beside vertex 0.
    let both = layout(&[0, 1, 1], &[(0, 1), (0, 2)]);
    assert_eq!(both.places, [(0.0, 0.0), (1.0, -0.5), (1.0, 0.5)]);
    // Each has a neighbour of its own.
    let each = layout(&[0, 0, 1, 1], &[(0, 2), (1, 3)]);
    let heights = each.places.iter().map(|(_, height)| *height);
    assert_eq!(heights.collect::<Vec<_>>(), [-0.5, 0.5, -0.5, 0.5]);
}
