//! Boards that shrink.

use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_board::{Arrangement, HeapId};

fn board(arrangement: Arrangement) -> ShrinkingBoard {
    ShrinkingBoard {
        arrangement,
        first: 1,
        count: 4,
    }
}

fn consecutive(
    arrangement: Arrangement,
    position: &[u64],
    least: usize,
    most: usize,
) -> Vec<Vec<usize>> {
    let left = board(arrangement).remaining(position);
    let sets = board(arrangement).consecutive::<Vec<HeapId>>(&left, least, most);
    let places = |set: Vec<HeapId>| set.into_iter().map(HeapId::index).collect();
    sets.into_iter().map(places).collect()
}

#[test]
fn heaps_off_the_board_have_no_neighbours() {
    let position = [9, 1, 0, 1, 1, 9];
    let circle = consecutive(Arrangement::Circle, &position, 2, 2);
    assert_eq!(circle, [vec![1, 3], vec![3, 4], vec![1, 4]]);
    let row = consecutive(Arrangement::Row, &position, 2, 2);
    assert_eq!(row, [vec![1, 3], vec![3, 4]]);
    assert_eq!(
        consecutive(Arrangement::Row, &position, 1, 4),
        [
            vec![1],
            vec![3],
            vec![4],
            vec![1, 3],
            vec![3, 4],
            vec![1, 3, 4]
        ]
    );
    assert!(consecutive(Arrangement::Circle, &[9, 0, 0, 0, 0, 9], 1, 2).is_empty());
    let off_board: Vec<usize> = board(Arrangement::Row)
        .off_board(6)
        .map(HeapId::index)
        .collect();
    assert_eq!(off_board, [0, 5]);
}

#[test]
fn a_circle_is_read_from_every_heap() {
    assert_eq!(
        board(Arrangement::Row).reading_orders(3),
        [[0, 1, 2], [2, 1, 0]]
    );
    assert_eq!(board(Arrangement::Circle).reading_orders(3).len(), 6);
    assert_eq!(
        board(Arrangement::Circle).reading_orders(0),
        [Vec::<usize>::new()]
    );
}
