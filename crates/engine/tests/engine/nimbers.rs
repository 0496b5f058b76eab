//! The search by nimbers, compared with recursion by the definition of a move on many boards
//! and rules, and with values from the literature.

use nimrule_definition as definition;
use nimrule_engine::{self as engine, Limits, Outcome, Query, Question, Request, Solver};
use nimrule_fixtures::{Numbers, compiled, few_or_many};
use nimrule_model::game::{Convention, Game};
use std::collections::HashMap;
use std::fmt::Write;

static MEMORY: Limits = Limits::of_memory(1 << 30);

const NAME: Option<&str> = Some("nimbers");

/// Moves on every board.
const MOVES: [&str; 10] = [
    "take equal 1 from one edge",
    "take 1 from one heap as v then set all neighbours of v to 0",
    "take from one edge",
    "take 1 from one heap as v then take 1 from one neighbour of v",
    "take 1 from one heap as v then set one neighbour of v to 0",
    "take 1 from one heap as v then take equal 1 from all neighbours of v",
    "take t from one edge where t mod 2 == 0\nmove take 1 from one heap",
    "take equal 1 from one edge\nmove take 1 from one heap as v then set all neighbours of v to 0",
    "take 1 from one heap as v then take from all neighbours of v",
    "take 1 from one edge then take 1 from one edge",
];

/// Moves on boards with consecutive heaps.
const CONSECUTIVE: [&str; 3] = [
    "take from up to 2 consecutive heaps",
    "take equal 1 from 3 consecutive heaps",
    "take equal 1 from 2 consecutive heaps\nmove take equal 1 from 4 consecutive heaps",
];

const BOARDS: [&str; 8] = [
    "row(8)",
    "circle(8)",
    "grid(3,3)",
    "grid(2,4)",
    "grid(2,2,2)",
    "octahedron",
    "prism(4)",
    "graph { a-b-c-d-e-f-a b-g c-g }",
];

fn game(board: &str, moves: &str) -> Option<Game> {
    let text = format!("game g board {board} heaps on vertices of size 0..1\nmove {moves}");
    compiled(&text).ok().map(|checked| checked.game)
}

/// A graph of some vertices with random edges, in which no vertex is isolated.
fn random_graph(numbers: &mut Numbers) -> String {
    let vertices = 6 + numbers.below(3);
    let mut edges: Vec<(u64, u64)> = (1..vertices).map(|v| (numbers.below(v), v)).collect();
    for _ in 0..numbers.below(5) {
        let (one, two) = (numbers.below(vertices), numbers.below(vertices));
        let edge = (one.min(two), one.max(two));
        if one != two && !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    let mut graph = String::new();
    for (one, two) in edges {
        write!(graph, " v{one}-v{two}").expect("it fits");
    }
    format!("graph {{{graph} }}")
}

/// Values by recursion over the options of the definition. Under misere play a terminal
/// position has the value 1, so that 0 is P.
struct Truth<'g> {
    game: &'g Game,
    convention: Convention,
    known: HashMap<Vec<u64>, u64>,
}

impl Truth<'_> {
    fn options(&self, position: &[u64]) -> Vec<Vec<u64>> {
        let options = definition::options(self.game, position, None).expect("no fault");
        options.into_iter().collect()
    }

    fn value(&mut self, position: &[u64]) -> u64 {
        if let Some(known) = self.known.get(position) {
            return *known;
        }
        let options = self.options(position);
        let values: Vec<u64> = options.iter().map(|option| self.value(option)).collect();
        let value = match options.is_empty() && self.convention == Convention::Misere {
            true => 1,
            false => (0..).find(|n| !values.contains(n)).expect("finite"),
        };
        self.known.insert(position.to_vec(), value);
        value
    }
}

/// Compares the answers at some positions of a game. Returns the number of comparisons.
fn compare(game: &Game, label: &str, numbers: &mut Numbers, positions: usize) -> usize {
    let solver = Solver::new(game);
    let mut compared = 0;
    for convention in [Convention::Normal, Convention::Misere] {
        let supports = |question| {
            let query = Query {
                question,
                convention,
            };
            engine::choose(&solver, query, NAME).is_ok()
        };
        if !supports(Question::Outcome) {
            continue;
        }
        assert_eq!(supports(Question::Grundy), convention == Convention::Normal);
        let mut truth = Truth {
            game,
            convention,
            known: HashMap::new(),
        };
        for round in 0..positions {
            let heaps = game.heap_count();
            let position: Vec<u64> = match round {
                0 => vec![1; heaps],
                _ => (0..heaps)
                    .map(|_| u64::from(numbers.below(4) > 0))
                    .collect(),
            };
            let value = truth.value(&position);
            let options = truth.options(&position);
            let winning: Vec<_> = options
                .into_iter()
                .filter(|option| truth.value(option) == 0)
                .collect();
            for request in [Request::Outcome, Request::Grundy] {
                if request == Request::Grundy && convention == Convention::Misere {
                    continue;
                }
                let answer = engine::answer(&solver, &position, convention, request, &MEMORY, NAME)
                    .unwrap_or_else(|failure| panic!("{label} {position:?}: {failure}"));
                let at = format!("{label} {position:?} {convention:?} {request:?}");
                let outcome = if value == 0 { Outcome::P } else { Outcome::N };
                assert_eq!(answer.outcome, outcome, "{at}");
                assert_eq!(answer.winning_moves, winning, "{at}");
                if request == Request::Grundy {
                    assert_eq!(answer.grundy, Some(value), "{at}");
                }
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn answers_are_those_of_the_definition() {
    let mut numbers = Numbers::new(29);
    let mut compared = 0;
    let mut games = 0;
    for board in BOARDS {
        for moves in MOVES.iter().chain(&CONSECUTIVE) {
            if let Some(game) = game(board, moves) {
                let label = format!("{board}: {moves}");
                let own = compare(&game, &label, &mut numbers, few_or_many(4, 40));
                compared += own;
                games += usize::from(own > 0);
            }
        }
    }
    assert!(games > 60, "{games} games");
    assert!(compared > 600, "{compared} comparisons");
}

#[test]
fn answers_on_random_graphs_are_those_of_the_definition() {
    let mut numbers = Numbers::new(31);
    let mut games = 0;
    for _ in 0..few_or_many(40, 1_000) {
        let board = random_graph(&mut numbers);
        let moves = MOVES[numbers.below(MOVES.len() as u64) as usize];
        let game = game(&board, moves).expect("a game");
        let own = compare(&game, &format!("{board}: {moves}"), &mut numbers, 3);
        games += usize::from(own > 0);
    }
    assert!(games > 25, "{games} games");
}

/// Heaps on edges: an arc and all arcs that touch it.
#[test]
fn heaps_may_lie_on_edges() {
    let mut numbers = Numbers::new(37);
    for moves in [
        "take equal 1 from one vertex",
        "take from one vertex",
        "take 1 from one heap as e then set all neighbours of e to 0",
    ] {
        for board in ["grid(2,4)", "circle(8)", "graph { a-b-c-d-a c-e-f }"] {
            let text = format!("game g board {board} heaps on edges of size 0..1\nmove {moves}");
            let game = compiled(&text).map(|checked| checked.game).ok();
            let game = game.unwrap_or_else(|| panic!("{text}"));
            let label = format!("{board}: {moves}");
            assert!(compare(&game, &label, &mut numbers, 4) > 0, "{label}");
        }
    }
}

fn value(game: &Game) -> u64 {
    let solver = Solver::new(game);
    let full = vec![1; game.heap_count()];
    let normal = Convention::Normal;
    let answer = engine::answer(&solver, &full, normal, Request::Grundy, &MEMORY, NAME);
    let answer = answer.expect("an answer").grundy;
    answer.expect("it was requested")
}

/// Lemoine and Viennot, "Nimbers are inevitable", 2012.
#[test]
fn cram_has_its_known_values() {
    for (rows, columns, expected) in [
        (3, 3, 0),
        (3, 4, 1),
        (3, 5, 1),
        (3, 6, 4),
        (3, 7, 1),
        (3, 8, 3),
        (4, 4, 0),
        (4, 5, 2),
        (5, 5, 0),
    ] {
        let cram = game(&format!("grid({rows},{columns})"), MOVES[0]).expect("a game");
        assert_eq!(value(&cram), expected, "{rows} x {columns}");
    }
}

/// Kayles is 0.77, Node Kayles on a path is 0.137, and Cram on a row is 0.07 (Guy and Smith, "The G-values of
/// various games", 1956).
#[test]
fn rows_have_the_values_of_octal_games() {
    let kayles = [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4];
    let dawson = [1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0];
    for (moves, values, first) in [
        (CONSECUTIVE[0], &kayles[..], 1),
        (MOVES[1], &dawson[..], 1),
        (MOVES[0], &dawson[..], 2),
    ] {
        for (length, expected) in (first..).zip(values) {
            if length < 4 {
                // The interaction graph is complete.
                continue;
            }
            let row = game(&format!("row({length})"), moves).expect("a game");
            assert_eq!(value(&row), *expected, "{moves}: {length}");
        }
    }
}

/// Every first move leaves a path of n - 3 vertices.
#[test]
fn long_rings_have_answers() {
    for length in [70, 200] {
        let ring = game(&format!("circle({length})"), MOVES[1]).expect("a game");
        let path = game(&format!("row({})", length - 3), MOVES[1]).expect("a game");
        assert_eq!(value(&ring), u64::from(value(&path) == 0), "{length}");
    }
}

#[test]
fn the_memory_limit_is_an_error() {
    let cram = game("grid(5,5)", MOVES[0]).expect("a game");
    let solver = Solver::new(&cram);
    for convention in [Convention::Normal, Convention::Misere] {
        let limits = Limits::of_memory(1 << 16);
        let answer = engine::answer(
            &solver,
            &[1; 25],
            convention,
            Request::Outcome,
            &limits,
            NAME,
        );
        let failure = answer.expect_err("64 KiB are too little");
        assert!(matches!(failure, engine::SolveError::Memory { .. }));
    }
}

/// The box below is small, a heap has two tokens, or a step reads the position.
#[test]
fn other_positions_and_rules_are_rejected_with_a_reason() {
    let reason = |text: &str, position: &[u64]| {
        let game = nimrule_fixtures::game(text);
        let solver = Solver::new(&game);
        let query = Query {
            question: Question::Outcome,
            convention: Convention::Normal,
        };
        let choice = engine::choose_for_one(&solver, position, query, &MEMORY, None);
        let rejected = choice.expect("an engine").rejected;
        let own = rejected.into_iter().find(|(name, _)| *name == "nimbers");
        own.map(|(_, reason)| reason).unwrap_or_default()
    };
    let pairs = "game g board row(30) move take equal 1 from one edge";
    assert_eq!(reason(pairs, &[1; 30]), "");
    let mut small = [0; 30];
    small[..9].fill(1);
    assert_eq!(reason(pairs, &small), "");
    let mut two = [1; 30];
    two[3] = 2;
    assert!(reason(pairs, &two).contains("more than one token"));
    let reads = "game g board row(30) heaps on vertices of size 0..1\n\
                 move take 1 from one heap where sum(heaps) > 2";
    assert!(reason(reads, &[1; 30]).contains("depends on the position"));
}
