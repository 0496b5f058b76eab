//! The cells of columns of tokens.

use nimrule_draw::heap::{Cell, Heap};

/// The cells of a heap as letters: a token that stays, one that is taken, and gaps of both.
fn cells(size: u64, after: u64) -> String {
    let heap = Heap {
        size: Some(size.into()),
        after: Some(after.into()).filter(|_| after != size),
        ..Heap::named("a")
    };
    let cells = heap.cells(14, 2).expect("it has a size");
    let letter = |cell: Cell| match (cell.changes, cell.is_gap) {
        (false, false) => 'o',
        (true, false) => 'x',
        (false, true) => '.',
        (true, true) => ':',
    };
    cells.into_iter().map(letter).collect()
}

#[test]
fn a_part_without_a_gap_has_its_number_of_tokens() {
    assert_eq!(cells(14, 14), "oooooooooooooo");
    assert_eq!(cells(15, 15), "oooooo..oooooo");
    assert_eq!(cells(21, 18), "ooooo..ooooxxx");
    assert_eq!(cells(21, 3), "oooxxxxx::xxxx");
    assert_eq!(cells(40, 20), "ooo..ooxxx::xx");
    assert_eq!(cells(30, 0), "xxxxxx::xxxxxx");
    for size in 0..60_u64 {
        for after in 0..=size {
            let shown = cells(size, after);
            let count = |letter| shown.matches(letter).count() as u64;
            assert!(shown.len() <= 14, "{size} to {after}: {shown}");
            for (token, gap, number) in [('o', '.', after), ('x', ':', size - after)] {
                let exact = count(token) == number;
                assert!(exact != (count(gap) > 0), "{size} to {after}: {shown}");
                assert!(count(token) <= number, "{size} to {after}: {shown}");
            }
        }
    }
}
