//! Every engine that can, on every game there is, held against the truth.
//!
//! The truth is worked out here by plain recursion over the option sets of
//! [`ir::moves`]: a position is P if it has no option that is P, and its
//! Grundy value is the smallest number that no option has. An engine that
//! stands in the list is tested without a word here.

use crate::game_files::{every_game_of_heaps, label};
use nimrule_definition::is_position;
use nimrule_engine::{
    self as engine, ENGINES, Engine, Limits, Outcome, Query, Question, Request, Shape, Solver,
    Table,
};
use nimrule_fixtures::{Numbers, few_or_many, game, game_of_file};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Game};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

static MEMORY: Limits = Limits::of_memory(1 << 30);

const QUESTIONS: [Query; 4] = [
    asked(Question::Outcome, Convention::Normal),
    asked(Question::Outcome, Convention::Misere),
    asked(Question::Grundy, Convention::Normal),
    asked(Question::Grundy, Convention::Misere),
];

const fn asked(question: Question, convention: Convention) -> Query {
    Query {
        question,
        convention,
    }
}

/// The values of positions, by the definition.
pub struct Truth<'g> {
    graph: &'g ir::MoveGraph,
    convention: Convention,
    /// The position's value, and whether it is a P-position.
    known: BTreeMap<Vec<u64>, u64>,
}

impl<'g> Truth<'g> {
    pub fn new(graph: &'g ir::MoveGraph, convention: Convention) -> Truth<'g> {
        Truth {
            graph,
            convention,
            known: BTreeMap::new(),
        }
    }

    /// The Grundy value; in misere play that in which a position without
    /// options counts as 1, so that 0 says P in both.
    pub fn value(&mut self, position: &[u64]) -> u64 {
        if let Some(value) = self.known.get(position) {
            return *value;
        }
        let options = ir::moves(self.graph, position)
            .unwrap_or_else(|fault| panic!("{fault} at {position:?}"));
        let values: Vec<u64> = options.iter().map(|option| self.value(option)).collect();
        let value = if options.is_empty() && self.convention == Convention::Misere {
            1
        } else {
            mex(&values)
        };
        self.known.insert(position.to_vec(), value);
        value
    }

    pub fn winning_moves(&mut self, position: &[u64]) -> Vec<Vec<u64>> {
        let options = ir::moves(self.graph, position)
            .unwrap_or_else(|fault| panic!("{fault} at {position:?}"));
        options
            .into_iter()
            .filter(|option| self.value(option) == 0)
            .collect()
    }
}

pub fn mex(values: &[u64]) -> u64 {
    (0..)
        .find(|value| !values.contains(value))
        .expect("some number is missing from a finite list")
}

/// The sizes of a box of at most `positions` positions, as even as can be.
pub fn box_of(heaps: usize, positions: u128) -> Vec<u64> {
    let mut most = vec![0; heaps];
    loop {
        for heap in 0..heaps {
            most[heap] += 1;
            if Shape::count(&most) > positions {
                most[heap] -= 1;
                return most;
            }
        }
    }
}

/// What an engine's table gets wrong on a box; nothing if it cannot answer.
pub fn table_differs(
    engine: &dyn Engine,
    solver: &Solver<'_>,
    asked: Query,
    most: &[u64],
    truth: &mut Truth<'_>,
) -> Option<String> {
    if engine.supports(solver, asked).is_err() {
        return None;
    }
    let table = match engine::fill(solver, most, asked, &MEMORY, Some(engine.name())) {
        Ok(table) => table,
        Err(failure) => return Some(format!("{}: {failure}", engine.name())),
    };
    let mut wrong = None;
    let all = table.region().try_each(|position, place| {
        let is_position = is_position(solver.game, position) == Ok(true);
        let outcome = is_position.then(|| match truth.value(position) {
            0 => Outcome::P,
            _ => Outcome::N,
        });
        let grundy =
            (is_position && asked.question == Question::Grundy).then(|| truth.value(position));
        if table.outcome(place) == outcome && table.grundy(place) == grundy {
            return Ok(());
        }
        wrong = Some(format!(
            "{} at {position:?}, {asked:?}: {:?} {:?} instead of {outcome:?} {grundy:?}",
            engine.name(),
            table.outcome(place),
            table.grundy(place),
        ));
        Err(())
    });
    assert_eq!(all.is_err(), wrong.is_some());
    wrong
}

/// What an engine says wrongly of one position.
pub fn answer_differs(
    engine: &dyn Engine,
    solver: &Solver<'_>,
    convention: Convention,
    position: &[u64],
    truth: &mut Truth<'_>,
) -> Option<String> {
    let name = engine.name();
    if engine
        .supports(solver, asked(Question::Outcome, convention))
        .is_err()
    {
        return None;
    }
    let request = match engine.supports(solver, asked(Question::Grundy, convention)) {
        Ok(()) => engine::Request::Grundy,
        Err(_) => engine::Request::Outcome,
    };
    let answer = match engine::answer(solver, position, convention, request, &MEMORY, Some(name)) {
        Ok(answer) => answer,
        Err(failure) => return Some(format!("{name} at {position:?}: {failure}")),
    };
    let value = truth.value(position);
    let outcome = if value == 0 { Outcome::P } else { Outcome::N };
    let winning = truth.winning_moves(position);
    let grundy = (request == engine::Request::Grundy).then_some(value);
    let right = answer.outcome == outcome
        && answer.grundy == grundy
        && answer.winning_moves == winning
        && answer.method == name;
    (!right).then(|| {
        format!("{name} at {position:?}, {convention:?}: {answer:?} instead of {outcome} {grundy:?} {winning:?}")
    })
}

/// The value at each place of a table.
pub fn values_of(table: &Table) -> Vec<Option<u64>> {
    let places = 0..table.region().count();
    places.map(|place| table.grundy(place)).collect()
}

fn random_position(numbers: &mut Numbers, most: &[u64]) -> Vec<u64> {
    most.iter().map(|most| numbers.below(most + 1)).collect()
}

/// What is compared.
#[derive(Clone, Copy)]
pub struct Compared<'e> {
    /// The engines of the solver.
    pub all: &'static [&'static dyn Engine],
    /// Those of them that are compared.
    pub these: &'e [&'static dyn Engine],
    /// A box has about so many positions.
    pub positions: u128,
    /// Every so many games.
    pub games: usize,
}

impl Compared<'static> {
    fn everything() -> Compared<'static> {
        Compared {
            all: &ENGINES,
            these: &ENGINES,
            positions: few_or_many(700, 3_000),
            games: 1,
        }
    }
}

/// Calls `f` with every game whose positions have values, made ready; panics
/// with all that went wrong. The others are looked at in `outcomes`.
fn for_every_game(compared: &Compared, f: impl Fn(&Game, &Solver<'_>) -> Vec<String>) {
    let mut wrong = Vec::new();
    for path in every_game_of_heaps().into_iter().step_by(compared.games) {
        let game = &game_of_file(&path);
        if game.no_grundy_values().is_some() {
            continue;
        }
        let solver = Solver::with_engines(game, compared.all);
        wrong.extend(
            f(game, &solver)
                .into_iter()
                .map(|what| format!("{}: {what}", label(&path))),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_agree_with_recursion() {
    tables_are_right(&Compared::everything());
}

/// Compares the tables that engines fill.
pub fn tables_are_right(compared: &Compared<'_>) {
    for_every_game(compared, |game, solver| {
        let most = box_of(game.heap_count(), compared.positions);
        let mut wrong = Vec::new();
        for convention in [Convention::Normal, Convention::Misere] {
            let mut truth = Truth::new(&solver.graph, convention);
            for engine in compared.these {
                for asked in QUESTIONS.iter().filter(|a| a.convention == convention) {
                    wrong.extend(table_differs(*engine, solver, *asked, &most, &mut truth));
                }
            }
        }
        wrong
    });
}

/// Of a box and of the position at its end, where the answer is waited for.
#[test]
fn no_engine_is_three_times_as_fast_as_the_one_that_is_chosen() {
    let compared = Compared {
        positions: few_or_many(50_000, 1_000_000),
        games: few_or_many(11, 1),
        ..Compared::everything()
    };
    for_every_game(&compared, |game, _| {
        let most = box_of(game.heap_count(), compared.positions);
        let timed = |is_box: bool, query: Query, patience: Duration, forced| {
            let (solver, limits) = (Solver::new(game), MEMORY.cap_time(patience));
            let begun = Instant::now();
            let ended = match (is_box, query.question) {
                (true, _) => engine::fill(&solver, &most, query, &limits, forced).is_ok(),
                (false, question) => {
                    let request = match question {
                        Question::Outcome => Request::Outcome,
                        Question::Grundy => Request::Grundy,
                    };
                    let convention = query.convention;
                    engine::answer(&solver, &most, convention, request, &limits, forced).is_ok()
                }
            };
            (ended, begun.elapsed())
        };
        let mut wrong = Vec::new();
        for (query, is_box) in QUESTIONS.iter().flat_map(|of| [(*of, true), (*of, false)]) {
            let (_, took) = timed(is_box, query, Duration::from_secs(4), None);
            if took < Duration::from_millis(200) {
                continue;
            }
            for engine in ENGINES.map(Engine::name) {
                let (ended, sooner) = timed(is_box, query, took / 3, Some(engine));
                // Several times, since the machine may have been busy.
                let is_slower = |_| !timed(is_box, query, 3 * sooner, None).0;
                if ended && (0..4).all(is_slower) {
                    let what = if is_box { "box" } else { "position" };
                    wrong.push(format!(
                        "{engine}, {what} {most:?} {query:?}: {sooner:?}, {took:?}"
                    ));
                }
            }
        }
        wrong
    });
}

#[test]
fn answers_name_the_winning_moves() {
    answers_are_right(&Compared::everything());
}

/// Compares what engines answer about single positions.
pub fn answers_are_right(compared: &Compared<'_>) {
    for_every_game(compared, |game, solver| {
        let most = box_of(game.heap_count(), compared.positions);
        let mut wrong = Vec::new();
        for convention in [Convention::Normal, Convention::Misere] {
            let mut truth = Truth::new(&solver.graph, convention);
            let mut numbers = Numbers::new(11);
            for _ in 0..6 {
                let position = random_position(&mut numbers, &most);
                if is_position(game, &position) == Ok(true) {
                    wrong.extend(compared.these.iter().filter_map(|engine| {
                        answer_differs(*engine, solver, convention, &position, &mut truth)
                    }));
                }
            }
        }
        wrong
    });
}

#[test]
fn answers_of_larger_positions_are_locally_consistent() {
    larger_positions_are_right(&Compared::everything());
}

/// On a position too large for the recursion: an engine's value is the mex of
/// its values of the options.
pub fn larger_positions_are_right(compared: &Compared<'_>) {
    for_every_game(compared, |game, solver| {
        let most = box_of(game.heap_count(), 2 * compared.positions);
        let mut wrong = Vec::new();
        let questions = [
            asked(Question::Grundy, Convention::Normal),
            asked(Question::Outcome, Convention::Misere),
        ];
        for asked in questions {
            for engine in compared.these {
                if engine.supports(solver, asked).is_err() {
                    continue;
                }
                let corner = corner(&most, game);
                match local_law(*engine, solver, asked, &corner) {
                    Ok(()) => {}
                    Err(what) => wrong.push(format!("{} at {corner:?}: {what}", engine.name())),
                }
            }
        }
        wrong
    });
}

/// The largest position of the box that `positions where` allows.
fn corner(most: &[u64], game: &Game) -> Vec<u64> {
    let mut numbers = Numbers::new(5);
    let mut corner = most.to_vec();
    while is_position(game, &corner) != Ok(true) {
        corner = random_position(&mut numbers, most);
    }
    corner
}

fn local_law(
    engine: &dyn Engine,
    solver: &Solver<'_>,
    asked: Query,
    position: &[u64],
) -> Result<(), String> {
    let mut lookup = engine
        .lookup(solver, position, asked, &MEMORY)
        .map_err(|failure| failure.to_string())?;
    let mut value = |position: &[u64]| lookup.value(position).map_err(|f| f.to_string());
    let here = value(position)?;
    let options = ir::moves(&solver.graph, position).map_err(|fault| fault.to_string())?;
    let values: Result<Vec<u64>, String> = options.iter().map(|option| value(option)).collect();
    let law = match (asked.question, asked.convention) {
        (_, Convention::Misere) if options.is_empty() => 1,
        (Question::Outcome, _) => u64::from(values?.contains(&0)),
        (Question::Grundy, _) => mex(&values?),
    };
    if here == law {
        Ok(())
    } else {
        Err(format!("{here} instead of {law} for {asked:?}"))
    }
}

/// Which engine takes which game, and why those before it do not.
#[test]
fn the_engines_that_are_chosen() {
    let mut report = String::new();
    for path in every_game_of_heaps() {
        let game = game_of_file(&path);
        let solver = Solver::new(&game);
        let mut chosen = Vec::new();
        let mut rejected = BTreeSet::new();
        for asked in QUESTIONS {
            if asked.question == Question::Grundy && game.no_grundy_values().is_some() {
                continue;
            }
            let choice = engine::choose(&solver, asked, None)
                .unwrap_or_else(|failure| panic!("{}: {failure}", label(&path)));
            let question = match asked.question {
                Question::Outcome => "outcome",
                Question::Grundy => "value",
            };
            let convention = asked.convention.word();
            chosen.push(format!("{convention} {question} {}", choice.engine.name()));
            rejected.extend(choice.rejected);
        }
        report += &format!("{}\n  {}\n", label(&path), chosen.join(", "));
        for (engine, reason) in rejected {
            report += &format!("  not {engine}: {reason}\n");
        }
    }
    insta::assert_snapshot!(report);
}

/// A sweep solves 86 million positions in seconds; by their options it would take
/// many times as long.
#[test]
fn a_sweep_is_rejected_for_its_memory_alone() {
    let game = game("game g board cube heaps on faces move take from one edge");
    let solver = Solver::new(&game);
    let large = [20; 6];
    let much = Limits::of_memory(1 << 40);
    assert!(engine::work_below(&solver, &large) > 20_000_000_000);
    for question in [Question::Outcome, Question::Grundy] {
        let asked = asked(question, Convention::Normal);
        let choice = engine::choose_for_one(&solver, &large, asked, &much, None)
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(choice.engine.name(), "hypergraph", "{asked:?}");
        let little = Limits::of_memory(1 << 16);
        let choice = engine::choose_for_one(&solver, &large, asked, &little, None)
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(choice.engine.name(), "memo", "{asked:?}");
    }
}

#[test]
fn a_list_by_the_restriction_is_the_box_without_the_other_positions() {
    for condition in [
        "sum(heaps) <= 3",
        "sum(heaps) == 1",
        "a + b == 2 * c and d < 2",
        "max(heaps) <= 1 or a == 3",
        "distinct(heaps)",
        "xor(heaps) == 0 and sum(a, b) < 4",
        "not (a > 0 and b > 0) and (a <= c) and d == 0",
    ] {
        let game = game(&format!(
            "game g heaps a b c d positions where {condition} move take from one heap"
        ));
        let solver = Solver::new(&game);
        let sizes = [3, 4, 2, 3];
        let found = engine::restricted::positions(&solver, &sizes, 1 << 12, &MEMORY);
        let found = found.expect("no fault").expect("they are few");
        let shape = Shape::new(&sizes).expect("it is small");
        let all = (0..shape.len).map(|place| shape.at(place));
        let wanted: BTreeSet<Vec<u64>> =
            all.filter(|p| is_position(&game, p) == Ok(true)).collect();
        assert_eq!(found.positions.len(), wanted.len(), "{condition}");
        assert!(
            found.positions.iter().all(|p| wanted.contains(p)),
            "{condition}"
        );
    }
}

#[test]
fn few_positions_of_a_box_too_large_are_solved() {
    let rule = "game g heaps 64 positions where sum(heaps) <= 2 move take from one heap";
    let game = game(rule);
    let solver = Solver::new(&game);
    for query in QUESTIONS {
        let region = solver.region(2, &MEMORY).expect("they are listed");
        assert_eq!(region.count(), 1 + 64 + 64 + 64 * 63 / 2);
        let table = engine::fill_region(&solver, &region, query, &MEMORY, None);
        let table = table.expect("they are solved");
        let one = region
            .place(&[&[1][..], &[0; 63]].concat())
            .expect("it is there");
        let is_p = query.convention == Convention::Misere;
        assert_eq!(table.outcome(one) == Some(Outcome::P), is_p, "{query:?}");
    }
    // Nothing bounds the total: the box is refused as before.
    let game = nimrule_fixtures::game(
        "game g heaps 64 positions where xor(heaps) < 9 move take from one heap",
    );
    let refused = Solver::new(&game).region(2, &MEMORY);
    assert!(matches!(refused, Err(engine::SolveError::Memory { .. })));
}

/// The value and the winning moves of a position that fits no table.
fn far_out(text: &str, position: &[u64], convention: Convention) -> engine::PositionAnswer {
    let game = game(text);
    let solver = Solver::new(&game);
    let request = engine::Request::GrundyIfCheap;
    engine::answer(&solver, position, convention, request, &MEMORY, None)
        .expect("the position has an answer")
}

#[test]
fn large_heaps_and_many_heaps_have_answers() {
    let nim = "game g heaps 3 move take from one heap";
    let answer = far_out(
        nim,
        &[1_000_000, 999_999, 1_000_000_000_000],
        Convention::Normal,
    );
    let value = 1_000_000 ^ 999_999 ^ 1_000_000_000_000;
    assert_eq!(answer.grundy, Some(value));
    assert_eq!(
        answer.winning_moves,
        [vec![1_000_000, 999_999, 1_000_000 ^ 999_999]]
    );

    let subtraction = "game g heaps 2 move take 1..5000 from one heap";
    let answer = far_out(subtraction, &[1_000_000, 999_998], Convention::Normal);
    assert_eq!(answer.grundy, Some((1_000_000 % 5001) ^ (999_998 % 5001)));

    let gaps = "game g heaps 1 move take {1, 3, 4} from one heap";
    let values = [0, 1, 0, 1, 2, 3, 2];
    let answer = far_out(gaps, &[700_004], Convention::Normal);
    assert_eq!(answer.grundy, Some(values[700_004 % 7]));

    // More heaps than a word has bits.
    let mut position = vec![0; 70];
    position[69] = 2;
    let all = "game g heaps 70 move take from all heaps";
    let answer = far_out(all, &position, Convention::Misere);
    assert_eq!(answer.outcome, Outcome::N);
    position[69] = 1;
    assert_eq!(answer.winning_moves, [position]);
}
