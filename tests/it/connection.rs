//! Paths and components of a board, by rules that say the same without them and by the
//! theory of Green Hackenbush.

use nimrule::Game;

/// Rules that denote the same game: one with paths or components, one without.
const PAIRS: [(&str, &str); 8] = [
    (
        "board row(3) heaps on vertices
         move take 1 from one heap where joined(h1, h3 through v in heaps where v > 0)",
        "heaps 3 move take 1 from one heap where h1 > 0 and h2 > 0 and h3 > 0",
    ),
    (
        "board row(3) heaps on vertices
         move take 1 from one heap as x where joined(x, h1 through v in heaps where v > 1)",
        "heaps 3 move take 1 from h1 where h1 > 1 move take 1 from h2 where h1 > 1 and h2 > 1
         move take 1 from h3 where h1 > 1 and h2 > 1 and h3 > 1",
    ),
    (
        "board row(3) heaps on vertices
         move take from 2 consecutive heaps as s
            where joined(s, h3 through v in heaps where v <= 1)",
        "heaps 3 move take from one of {h1 h2} where h2 <= 1 and h3 <= 1
         move take from one of {h2 h3} where h3 <= 1",
    ),
    (
        "board circle(4) heaps on vertices positions where components(v in heaps where v > 0) <= 1
         move take from one heap",
        "heaps 4 positions where not (h1 * h3 > 0 and h2 + h4 == 0)
            and not (h2 * h4 > 0 and h1 + h3 == 0)
         move take from one heap",
    ),
    (
        "board graph { A - B, B - C, C - A } heaps on edges
         move take 1 from one heap as x where joined(A, B through e in heaps where e is not x)",
        "heaps 3 move take 1 from one heap",
    ),
    (
        "board row(3) heaps on vertices, pool
         move take 1 from one heap as x where joined(x, pool through v in heaps where v > 0)",
        "heaps 4 move take 1 from h4",
    ),
    (
        "board grid(2, 2) heaps on vertices move take 1 from one heap then set all heaps as c
         to (if joined(c, {w in heaps where w.x == 1} through v in heaps where v.y == c.y)
             then min(c, index(c)) else 0)",
        "heaps 4 move take 1 from one heap then set all heaps as c to min(c, 4)
         then set h1 to min(h1, 1) then set h2 to min(h2, 2) then set h3 to min(h3, 3)",
    ),
    (
        "board circle(3) heaps on vertices
         positions where forall v in vertices: index(v) != 1 or v <= 1 move take 1..2 from one heap",
        "heaps 3 positions where h1 <= 1 move take 1..2 from one heap",
    ),
];

#[test]
fn connection_means_what_is_written_out() {
    for (short, long) in PAIRS {
        let read = |text: &str| {
            let text = format!("game g {text}");
            Game::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
        };
        let (connected, written) = (read(short), read(long));
        let values = |game: &Game| game.grundy_table(3).expect("values").into_codes();
        assert_eq!(values(&connected), values(&written), "{short}");
    }
}

/// Graphs on the ground with their values by the fusion and the colon principle (Berlekamp,
/// Conway and Guy, *Winning Ways*, chapter 7): a cycle is worth as much as its edges as loops at
/// one vertex.
const HACKENBUSH: [(&str, u64); 6] = [
    ("ground - a - b - c", 3),
    ("ground - a - b - ground", 1),
    ("ground - a - b - c - ground", 0),
    ("ground - a - b - c - a", 2),
    ("ground - a - b - ground, b - c - d - b", 0),
    ("ground - a - b - ground, b - c - d - b, a - e", 1),
];

#[test]
fn green_hackenbush_obeys_the_fusion_principle() {
    for (graph, value) in HACKENBUSH {
        let text = format!(
            "game g board graph {{ {graph} }} heaps on edges of size 0..1
             move take 1 from one heap then set all heaps as e
                to (if joined(e, ground through f in heaps where f > 0) then e else 0)"
        );
        let game = Game::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let all = vec![1; game.heaps().len()];
        assert_eq!(game.grundy(&all).expect("a value"), value, "{graph}");
    }
}

/// Rules with the order of their symmetry groups: paths and components keep the symmetries of the
/// board, and the number of a heap does not.
#[test]
fn symmetries_keep_paths() {
    let cases = [
        ("joined(h1, h3 through v in heaps where v > 0)", 4),
        ("joined({h1 h2}, {h3 h4} through v in heaps where v > 0)", 4),
        ("joined(h1, h2 through v in heaps where v > index(v))", 1),
        ("components(v in heaps where v > 0) == 1", 8),
        ("components(v in heaps where v > index(v)) == 1", 1),
        ("forall v in vertices: index(v) != 1 or v > 0", 6),
        ("forall v in vertices: v > 0", 8),
    ];
    for (condition, order) in cases {
        let text = format!(
            "game g board circle(4) heaps on vertices move when {condition} take 1 from one heap"
        );
        let game = Game::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let symmetries = &game.rule().facts.symmetries;
        assert_eq!(symmetries.order(), Some(order), "{condition}");
    }
}
