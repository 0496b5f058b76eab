//! `shown as …`: what each view draws, and where the heaps are in it.

use crate::game;
use nimrule_draw::{Part, PartBox, Picture, picture};

fn drawn(statements: &str, position: &[u64], after: Option<&[u64]>) -> Picture {
    let after = after.map(|after| after.to_vec().into());
    let game = game(statements);
    picture(&game, Some(&position.to_vec().into()), after.as_ref()).expect("it is small")
}

/// The box of each number of the position.
fn boxes(picture: &Picture) -> Vec<PartBox> {
    let numbers = picture.parts.iter();
    let numbers = numbers.filter(|at| matches!(at.part, Part::Number(_)));
    numbers.copied().collect()
}

/// The number of elements of the document with a tag and a fill.
fn count(picture: &Picture, tag: &str, fill: &str) -> usize {
    let document = roxmltree::Document::parse(&picture.svg).expect("it is SVG");
    let all = document.descendants();
    all.filter(|node| node.has_tag_name(tag) && node.attribute("fill") == Some(fill))
        .count()
}

const TOKEN: &str = "#f2b84b";
const PAPER: &str = "#ffffff";
const TAKE: &str = "move take from one heap";

#[test]
fn coins_are_on_the_squares_that_their_sizes_number() {
    let strip = format!("heaps a b c\npositions where a < b < c\nshown as strip\n{TAKE}");
    let picture = drawn(&strip, &[3, 5, 9], Some(&[3, 5, 7]));
    let [a, b, c] = boxes(&picture)[..] else {
        panic!("three coins");
    };
    // The middles of the coins are as far apart as the numbers of their squares.
    let middle = |coin: PartBox| (coin.left + coin.right) / 2.0;
    let square = (middle(b) - middle(a)) / 2.0;
    assert!(square > 20.0);
    assert!((middle(c) - middle(b) - 4.0 * square).abs() < 1e-6);
    assert!(a.top == b.top && b.top == c.top);
    // The square that a coin leaves for has the number 7.
    let seven = picture.labels.iter().find(|label| label.text == "7");
    let seven = seven.expect("square 7 is numbered");
    assert!(((seven.left + seven.right) / 2.0 - middle(a) - 4.0 * square).abs() < 1e-6);
    assert!(
        picture
            .svg
            .contains("A strip of squares, numbered from 0, with the coins a b c")
    );
    // Far away only the squares about coins are drawn.
    let far = drawn(&strip, &[3, 5, 90_000], None);
    let texts: Vec<&str> = far.labels.iter().map(|label| label.text.as_str()).collect();
    assert!(
        texts.contains(&"90000") && !texts.contains(&"80000"),
        "{texts:?}"
    );
}

#[test]
fn groups_with_the_same_indices_have_a_strip_for_each_index() {
    let rows = format!("heaps l[1..2], r[1..2]\nshown as strip\n{TAKE}");
    let picture = drawn(&rows, &[0, 3, 2, 5], None);
    let [l1, l2, r1, r2] = boxes(&picture)[..] else {
        panic!("four pieces");
    };
    assert!(l1.top == r1.top && l2.top == r2.top && l1.bottom < l2.top);
    assert!(l1.right < r1.left && l2.right < r2.left);
}

#[test]
fn rows_have_a_square_for_each_token_and_touch() {
    let rows = format!("heaps a b c\nshown as rows\n{TAKE}");
    let picture = drawn(&rows, &[5, 4, 2], Some(&[5, 2, 2]));
    assert_eq!(count(&picture, "rect", TOKEN), 9);
    assert_eq!(
        count(&picture, "rect", PAPER),
        2 + 1,
        "two squares go; the background"
    );
    let [a, b, c] = boxes(&picture)[..] else {
        panic!("three rows");
    };
    assert!((a.bottom - b.top).abs() < 1e-6 && (b.bottom - c.top).abs() < 1e-6);
    // Rows of a bag are apart, and those that a move makes are below the others.
    let bag = drawn(
        "heaps any number\nshown as rows\nmove split one heap into x, y",
        &[2, 5],
        Some(&[1, 2, 4]),
    );
    assert_eq!(count(&bag, "rect", TOKEN), 2);
    assert_eq!(count(&bag, "rect", PAPER), 5 + 1);
    assert_eq!(count(&bag, "rect", "#ffe8d6"), 1 + 4);
}

#[test]
fn a_bar_has_the_squares_that_are_positions() {
    let bar = "heaps x y\npositions where y <= x div 2\nshown as bar\n\
               move take from x then set y to min(y, x div 2)\nmove take from y";
    let picture = drawn(bar, &[6, 3], None);
    // Columns 0 to 6 have 1, 1, 2, 2, 3, 3 and 4 squares; one of them is bitter.
    assert_eq!(count(&picture, "rect", "#c08552"), 15);
    assert_eq!(count(&picture, "rect", "#3b2417"), 1);
    let less = drawn(bar, &[6, 3], Some(&[3, 1]));
    assert_eq!(count(&less, "rect", "#c08552"), 5);
    let [x, y] = boxes(&picture)[..] else {
        panic!("two heaps");
    };
    assert!(y.right <= x.left && y.bottom <= x.top, "{x:?} {y:?}");
}

#[test]
fn stalks_stand_on_the_heaps_that_they_fall_with() {
    let tree = "heaps a b c d e f of size 0..1\n\
                positions where max(c, d) <= a and e <= b and f <= e\nshown as tree\n\
                move take all from one of {a c d}, {b e f}, {c}, {d}, {e f}, {f}";
    let picture = drawn(tree, &[1; 6], None);
    let [a, b, c, d, e, f] = boxes(&picture)[..] else {
        panic!("six edges");
    };
    for (upper, lower) in [(c, a), (d, a), (e, b), (f, e)] {
        assert!(
            (upper.bottom - lower.top).abs() < 1e-6,
            "{upper:?} on {lower:?}"
        );
    }
    let middle = |part: PartBox| (part.left + part.right) / 2.0;
    assert!((a.bottom - b.bottom).abs() < 1e-6, "{a:?} {b:?}");
    assert!(middle(a) < middle(b) && middle(c) < middle(d));
    assert!(
        picture
            .svg
            .contains("c stands on a; d stands on a; e stands on b; f stands on e")
    );
    // Heaps of any size are stalks of their own.
    let stalks = drawn(&format!("heaps a b\nshown as tree\n{TAKE}"), &[1, 4], None);
    let [a, b] = boxes(&stalks)[..] else {
        panic!("two stalks");
    };
    assert!(a.bottom == b.bottom && b.bottom - b.top > a.bottom - a.top);
}

#[test]
fn heaps_of_an_order_are_above_those_that_they_fall_with() {
    let order = "heaps d[k in 2..36 where 36 mod k == 0] of size 0..1\nshown as order\n\
                 family multiples of v = {e in d where e.k mod v.k == 0}\n\
                 move choose one heap as v where v == 1 then take all from one multiples of v";
    let picture = drawn(order, &[1; 8], None);
    let divisors = [2, 3, 4, 6, 9, 12, 18, 36];
    let boxes = boxes(&picture);
    assert_eq!(boxes.len(), divisors.len());
    for (lower, at) in divisors.iter().zip(&boxes) {
        for (upper, above) in divisors.iter().zip(&boxes) {
            if upper > lower && upper % lower == 0 {
                assert!(above.bottom < at.top, "{upper} above {lower}");
            }
        }
    }
    // The lines of the diagram: 2-4, 2-6, 3-6, 3-9, 4-12, 6-12, 6-18, 9-18, 12-36, 18-36.
    assert_eq!(picture.svg.matches("is above").count(), 10);
}

#[test]
fn a_group_with_two_indices_is_a_block_of_squares() {
    let board = format!("heaps c[x in 1..2, y in 1..3] of size 0..1\n{TAKE}");
    let picture = drawn(&board, &[1, 0, 1, 0, 1, 0], None);
    let all = boxes(&picture);
    assert_eq!(all.len(), 6);
    assert!(all[0].top == all[2].top && all[0].left == all[3].left);
    assert!((all[0].bottom - all[3].top).abs() < 1e-6);
}
