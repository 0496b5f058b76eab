//! The moves of a rule read as comparisons are its moves.

use nimrule::automata::Numeration;
use nimrule::check::Settings;
use nimrule::game::{Game, ParamValue};
use nimrule::ir;
use nimrule::prove::plainly::{options, ways};
use nimrule::source::Source;

fn read(text: &str, params: &[(&str, i64)]) -> Game {
    let settings: Settings = params
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ParamValue::Number(*value)))
        .collect();
    let source = Source::new("a test", text);
    let read = |_: &str| Err(String::new());
    nimrule::compile(&source, &settings, &read)
        .expect("it compiles")
        .game
}

/// The ways are the moves, at every position up to a size.
fn are_moves(game: &Game, numerations: &[Numeration], size: u64) {
    let ways = ways(game).unwrap_or_else(|unread| panic!("{}: {unread}", game.name));
    let graph = ir::lower(game);
    let mut position = vec![0; game.heap_count()];
    loop {
        let moves = ir::moves(&graph, &position).expect("it has moves");
        for numeration in numerations {
            let found = options(&ways, *numeration, &position);
            assert!(
                found.iter().eq(moves.iter()),
                "{} {numeration:?} {position:?}: {found:?} {moves:?}\n{ways:?}",
                game.name
            );
        }
        let Some(heap) = position.iter().position(|heap| *heap < size) else {
            return;
        };
        position[heap] += 1;
        position[..heap].fill(0);
    }
}

const ALL: [Numeration; 3] = [
    Numeration::Base(2),
    Numeration::Base(3),
    Numeration::Zeckendorf,
];

#[test]
fn ways_are_the_moves_of_shipped_games() {
    let shipped = |name: &str, params: &[(&str, i64)]| {
        let path = format!("{}/games/{name}.nimrule", env!("CARGO_MANIFEST_DIR"));
        read(&std::fs::read_to_string(path).expect("it is there"), params)
    };
    are_moves(&shipped("wythoff", &[]), &ALL, 14);
    are_moves(&shipped("cube_edge_slow", &[]), &ALL[..1], 2);
    are_moves(&shipped("greedy_nim", &[]), &ALL, 5);
    are_moves(&shipped("subtraction_set", &[]), &ALL, 9);
    are_moves(&shipped("subtraction_range", &[]), &ALL, 9);
    are_moves(&shipped("trim", &[("piles", 2)]), &ALL[1..2], 20);
    are_moves(&shipped("rim", &[("piles", 2), ("k", 3)]), &ALL[1..2], 20);
    are_moves(
        &shipped("rim", &[("piles", 2), ("k", 4)]),
        &[Numeration::Base(4)],
        17,
    );
}

#[test]
fn ways_are_the_moves_of_rules_with_conditions() {
    let bodies = [
        "take t from one heap where t <= a or t == 3",
        "take from up to 2 heaps where each <= 2",
        "take {1,3} from all heaps where total != 4",
        "take equal from exactly 2 heaps",
        "take slow from up to 2 heaps",
        "take 1..2 from one heap then optionally take 1 from one heap",
        "take from one heap where not (max(heaps) > 3 and a < b)",
        "take 1..min(heaps) from one heap",
    ];
    for body in bodies {
        let game = read(&format!("game made heaps a b\nmove {body}"), &[]);
        are_moves(&game, &ALL, 6);
    }
    let guarded = "game made heaps a b\nmove low when a <= b\ntake from one heap\n\
                   move high when a > b\ntake slow from all heaps";
    are_moves(&read(guarded, &[]), &ALL, 6);
}

#[test]
fn what_cannot_be_read_is_named() {
    let unread = |text: &str| ways(&read(text, &[])).expect_err("it cannot be read").0;
    let rule = |body: &str| format!("game made heaps a b\nmove {body}");
    assert_eq!(unread(&rule("take t from one heap where t ^ 1 > 2")), "`^`");
    assert_eq!(
        unread(&rule("take t from one heap where t mod 2 == 1")),
        "`mod`"
    );
    assert_eq!(unread(&rule("take squares from one heap")), "`squares`");
    assert_eq!(
        unread(&rule("take from one heap\npositions where a <= b")),
        "`positions where`"
    );
}
