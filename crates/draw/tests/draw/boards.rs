//! Each kind of board, as a snapshot of its document.

use crate::game;
use nimrule_draw::{Picture, picture};
use nimrule_model::position::Position;

/// A board with heaps of sizes 1, 2, 3, …, of which the first has its tokens taken.
fn drawn(statements: &str) -> Picture {
    let game = game(statements);
    let position: Vec<u64> = (1..=game.heap_count() as u64).collect();
    let mut after = position.clone();
    after[0] = 0;
    let picture = picture(&game, Some(&position.into()), Some(&after.into())).expect("it is small");
    assert!(roxmltree::Document::parse(&picture.svg).is_ok());
    for (number, label) in picture.labels.iter().enumerate() {
        let others = &picture.labels[..number];
        assert!(
            others.iter().all(|other| !label.overlaps(other)),
            "{label:?}"
        );
    }
    picture
}

const TAKE: &str = "move take from one heap";

#[test]
fn every_kind_of_board_is_drawn_as_before() {
    let boards = [
        (
            "tetrahedron",
            "board tetrahedron\nheaps on faces as a b c d",
        ),
        ("cube", "board cube\nheaps on faces as a b c A B C"),
        ("cube_vertices", "board cube\nheaps on vertices"),
        ("octahedron_edges", "board octahedron\nheaps on edges"),
        ("dodecahedron", "board dodecahedron\nheaps on faces"),
        ("icosahedron", "board icosahedron\nheaps on faces"),
        ("prism", "board prism(5)\nheaps on faces"),
        ("antiprism", "board antiprism(4)\nheaps on vertices"),
        ("hypercube", "board hypercube(4)\nheaps on vertices"),
        ("circle", "board circle(6)"),
        ("shrinking", "board circle(5) shrinking"),
        ("row", "board row(5)"),
        ("grid", "board grid(2,3)"),
        ("grid_of_three_dimensions", "board grid(2,2,3)"),
        ("complete", "board complete(5)\nheaps on edges"),
        ("graph", "board graph { a-b-c-d-a c-e }\nheaps on vertices"),
        (
            "planar",
            "board planar { A - B - C - A, C - P - D, D - E - F - G - D }\nheaps on faces as x y z",
        ),
        ("loose", "heaps a b c"),
        (
            "loose_and_on_a_board",
            "board row(3)\nheaps on vertices as a b c, pool",
        ),
    ];
    for (name, statements) in boards {
        let picture = drawn(&format!("{statements}\n{TAKE}"));
        insta::assert_snapshot!(name, picture.svg);
    }
}

#[test]
fn tokens_and_multisets_are_drawn_as_before() {
    let squares = game(
        "board digraph (r in 1..3, c in 1..4) { (r, c) -> (r, d) where d < c }\ntokens 2\n\
         move slide one token",
    );
    let drawn = picture(
        &squares,
        Some(&Position::from(vec![3, 6])),
        Some(&Position::from(vec![1, 6])),
    )
    .expect("it is small");
    insta::assert_snapshot!("tokens_on_squares", drawn.svg);
    let loop_ = game(
        "board digraph { A -> B -> C -> A  C -> D -> out }\ntokens 1\npositions may repeat\n\
         move slide one token",
    );
    let drawn = picture(
        &loop_,
        Some(&Position::from(vec![2])),
        Some(&Position::from(vec![3])),
    )
    .expect("it is small");
    insta::assert_snapshot!("tokens_on_a_digraph", drawn.svg);
    let heaps = game("heaps any number\nmove take 1..2 from one heap leaving 0..2 heaps");
    let drawn = picture(
        &heaps,
        Some(&Position::from(vec![2, 20])),
        Some(&Position::from(vec![2, 9, 9])),
    )
    .expect("it is small");
    insta::assert_snapshot!("multiset", drawn.svg);
    let discs = game("heaps 4 of size 0..1\nmove take from one heap");
    let drawn = picture(
        &discs,
        Some(&Position::from(vec![1, 0, 1, 1])),
        Some(&Position::from(vec![0, 0, 1, 1])),
    )
    .expect("it is small");
    insta::assert_snapshot!("discs", drawn.svg);
}

#[test]
fn straight_edges_of_planar_boards_do_not_cross() {
    let boards = [
        "board prism(7)",
        "board antiprism(5)",
        "board planar { a-b-c-d-a, a-c }",
        "board planar { N - a - S, N - b - c - S, N - d - S, N - e - f - S, S - t }\n\
         faces { N a S c b } { N b c S d } { N d S f e } { N e f S t S a }",
        "board planar { A - B - C - A, C - P - D, D - E - F - G - D }",
    ];
    for board in boards {
        let game = game(&format!("{board}\nheaps on faces\n{TAKE}"));
        let picture = picture(&game, None, None).expect("it is small");
        let document = roxmltree::Document::parse(&picture.svg).expect("it is well-formed");
        let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
            node.attribute(name)
                .and_then(|n| n.parse().ok())
                .expect("a number")
        };
        let lines: Vec<[(f64, f64); 2]> = document
            .descendants()
            .filter(|node| node.has_tag_name("line"))
            .map(|node| {
                [
                    (number(&node, "x1"), number(&node, "y1")),
                    (number(&node, "x2"), number(&node, "y2")),
                ]
            })
            .collect();
        assert!(lines.len() >= 5);
        let side = |[a, b]: [(f64, f64); 2], p: (f64, f64)| {
            (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0)
        };
        for (number, one) in lines.iter().enumerate() {
            for other in &lines[..number] {
                if one.iter().any(|end| other.contains(end)) {
                    continue;
                }
                let apart = |line: [(f64, f64); 2], [p, q]: [(f64, f64); 2]| {
                    side(line, p) * side(line, q) > 0.0
                };
                assert!(
                    apart(*one, *other) || apart(*other, *one),
                    "{board}: {one:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn boards_too_large_to_be_seen_are_refused() {
    let game = game(&format!("board grid(30,30)\n{TAKE}"));
    let error = picture(&game, None, None).expect_err("it is large");
    assert_eq!(
        error.to_string(),
        "900 heaps are too many for a picture; the limit is 800"
    );
}

#[test]
fn tikz_has_the_shapes_of_the_svg() {
    for statements in [
        "board cube\nheaps on faces as a b c A B C",
        "board circle(6)",
        "board grid(2,3)",
        "heaps a b c",
    ] {
        let picture = drawn(&format!("{statements}\n{TAKE}"));
        let document = roxmltree::Document::parse(&picture.svg).expect("it is SVG");
        let count = |names: &[&str]| {
            let all = document.descendants();
            all.filter(|node| names.contains(&node.tag_name().name()))
                .count()
        };
        // All but the background, and all texts but the heading and the position below it.
        let shapes = count(&["polygon", "line", "circle", "rect", "path"]) - 1;
        let texts = count(&["text"]);
        let room = (200.0, 100.0);
        let tikz = picture.tikz(room).expect("a board has shapes");
        assert_eq!(tikz.matches("\\path[").count(), shapes, "{tikz}");
        let nodes = tikz.matches("\\node[").count();
        assert!(nodes < texts && nodes + 4 > texts, "{nodes} of {texts}");
        let unit = tikz
            .split_once("[x=")
            .and_then(|(_, rest)| rest.split_once("pt"));
        let unit: f64 = unit.expect("a unit").0.parse().expect("a number");
        let (width, height) = picture.extent;
        assert!(unit * width < room.0 + 1.0 && unit * height < room.1 + 1.0);
    }
}
