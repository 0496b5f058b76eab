//! The steps of CONTRIBUTING.md for a new engine, taken: a file, which is this one, and a
//! line in a list of engines. It is then chosen, forced, priced and compared
//! like all others.

use crate::engines::{
    Compared, answers_are_right, box_of, larger_positions_are_right, tables_are_right, values_of,
};
use crate::game_files::every_game_of_heaps;
use nimrule_engine::{
    self as engine, ENGINES, Engine, Feasibility, Limits, Query, Question, Request, Shape,
    SolveError, Solver, Table, TableValues,
};
use nimrule_fixtures::{game, game_of_file};
use nimrule_ir::{self as ir, Walker};
use nimrule_model::game::{Convention, Game};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Plain recursion by the definition of a Grundy value, for boxes that no
/// move leaves.
struct Recursion;

/// A table by a map is only for small boxes.
const BYTES_OF_A_POSITION: u128 = 1 << 12;

impl Engine for Recursion {
    fn name(&self) -> &'static str {
        "recursion"
    }

    fn can(&self, solver: &Solver<'_>, asked: Query) -> Result<(), String> {
        if asked.convention == Convention::Misere {
            return Err("it is for normal play".to_owned());
        }
        solver.profile.only_takes.clone()
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _asked: Query) -> u128 {
        BYTES_OF_A_POSITION.saturating_mul(Shape::count(most))
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let mut walker = Walker::new(&solver.graph, &[]);
        let mut known = BTreeMap::new();
        let mut values = TableValues::with_capacity(asked.question, shape.len);
        shape.try_each(|position, _| {
            limits.check_time()?;
            let fails = |fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            };
            let value = match walker.is_position(position).map_err(fails)? {
                true => {
                    let value = value(solver, position, &mut known);
                    Some(value.map_err(|fault| fails(fault.into()))?)
                }
                false => None,
            };
            values.push(value.map(|value| value as u32));
            Ok::<(), SolveError>(())
        })?;
        Ok(Table::of_box(shape, values, self.name()))
    }
}

fn value(
    solver: &Solver<'_>,
    position: &[u64],
    known: &mut BTreeMap<Vec<u64>, u64>,
) -> Result<u64, nimrule_model::expr::Fault> {
    if let Some(value) = known.get(position) {
        return Ok(*value);
    }
    let options = ir::moves(&solver.graph, position).map_err(|fault| fault.kind)?;
    let values = options.iter().map(|option| value(solver, option, known));
    let found = crate::engines::mex(&values.collect::<Result<Vec<u64>, _>>()?);
    known.insert(position.to_vec(), found);
    Ok(found)
}

/// The line: the new engine is preferred to all others.
fn engines() -> &'static [&'static dyn Engine] {
    let mut engines: Vec<&'static dyn Engine> = vec![&Recursion];
    engines.extend(ENGINES);
    engines.leak()
}

const VALUES: Query = Query {
    question: Question::Grundy,
    convention: Convention::Normal,
};

/// Neither a sum of heaps nor without a table.
const WYTHOFF: &str = "game wythoff heaps 2 move take from one heap \
                       move take equal from all heaps";

#[test]
fn it_passes_all_comparisons() {
    let engines = engines();
    let is_chosen = every_game_of_heaps().iter().any(|path| {
        let game = game_of_file(path);
        let solver = Solver::with_engines(&game, engines);
        engine::choose(&solver, VALUES, None)
            .is_ok_and(|choice| choice.engine.name() == "recursion")
    });
    assert!(is_chosen);
    let compared = Compared {
        all: engines,
        these: &engines[..1],
        positions: 100,
        games: 1,
    };
    tables_are_right(&compared);
    answers_are_right(&compared);
    larger_positions_are_right(&compared);
}

#[test]
fn a_wrong_engine_is_found_by_the_comparisons() {
    struct Wrong;
    impl Engine for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn can(&self, solver: &Solver<'_>, asked: Query) -> Result<(), String> {
            Recursion.can(solver, asked)
        }
        fn bytes(&self, solver: &Solver<'_>, most: &[u64], asked: Query) -> u128 {
            Recursion.bytes(solver, most, asked)
        }
        fn fill(
            &self,
            solver: &Solver<'_>,
            shape: &Shape,
            asked: Query,
            limits: &Limits,
        ) -> Result<Table, SolveError> {
            let (_, mut values) = Recursion.fill(solver, shape, asked, limits)?.into_parts();
            match &mut values {
                TableValues::Outcomes(values) => values.rotate_right(1),
                TableValues::Grundy(values) => values.rotate_right(1),
            }
            Ok(Table::of_box(shape, values, self.name()))
        }
    }
    let engines: &'static [&'static dyn Engine] = &[&Wrong];
    let compared = Compared {
        all: engines,
        these: engines,
        positions: 100,
        games: 20,
    };
    let comparisons: [fn(&Compared<'_>); 2] = [tables_are_right, answers_are_right];
    for compare in comparisons {
        assert!(catch_unwind(AssertUnwindSafe(|| compare(&compared))).is_err());
    }
}

#[test]
fn it_is_chosen_and_rejected_by_what_it_states() {
    let game = game(WYTHOFF);
    let solver = Solver::with_engines(&game, engines());
    let limits = Limits::of_memory(1 << 20);
    let answer = |position: &[u64], convention, forced| {
        let request = Request::GrundyIfCheap;
        engine::answer(&solver, position, convention, request, &limits, forced)
    };
    let normal = Convention::Normal;

    // Nobody names it: it stands first, and its costs are within the limits.
    let small = answer(&[2, 5], normal, None).expect("it answers");
    let other = answer(&[2, 5], normal, Some("table")).expect("it answers");
    assert_eq!((small.method, small.grundy), ("recursion", other.grundy));
    assert_eq!(small.winning_moves, other.winning_moves);
    assert!(!small.winning_moves.is_empty());
    assert!(small.rejected.is_empty());

    // The table of this box is too large for it.
    let large = answer(&[20, 50], normal, None).expect("another answers");
    assert_eq!(large.method, "vectors");
    let bytes = BYTES_OF_A_POSITION * 21 * 51;
    let reason = format!("the box below the position takes {bytes} bytes");
    assert_eq!(large.rejected[0], ("recursion", reason.clone()));
    let forced = answer(&[20, 50], normal, Some("recursion"));
    let engine = "recursion";
    assert_eq!(forced, Err(SolveError::Cannot { engine, reason }));

    // It says itself that it cannot.
    let misere = answer(&[2, 5], Convention::Misere, None).expect("another answers");
    let reason = "it is for normal play".to_owned();
    assert_eq!(misere.rejected[0], ("recursion", reason));

    // A name that stands in no list.
    let unknown = answer(&[2, 5], normal, Some("no such"));
    let name = "no such".to_owned();
    assert_eq!(unknown, Err(SolveError::UnknownEngine { name }));

    // Its costs, as the strategy reads them.
    let of = engine::feasibility(&solver, &[2, 5], VALUES, &limits);
    assert_eq!(of, Feasibility::Feasible);
    assert!(engine::answers_soon(&solver, &[2, 5], VALUES, &limits));

    // Boxes go to it as well.
    let most = box_of(2, 100);
    let table = engine::fill(&solver, &most, VALUES, &limits, None).expect("it is small");
    assert_eq!(table.engine(), "recursion");
    let sum = game_of_one_heap();
    let sum = Solver::with_engines(&sum, engines());
    // Summands come before the box, wherever an engine stands.
    let answer = engine::answer(&sum, &[9], normal, Request::Outcome, &limits, None);
    let answer = answer.expect("it answers");
    assert_eq!(answer.method, "nim-sum");
    let reason = "the position falls into parts".to_owned();
    assert_eq!(answer.rejected[0], ("recursion", reason));
    assert_eq!(values_of(&table), values_of(&by_table(&solver, &most)));
}

fn game_of_one_heap() -> Game {
    game("game g heaps 1 move take {1, 3, 4} from one heap")
}

fn by_table(solver: &Solver<'_>, most: &[u64]) -> Table {
    let limits = Limits::of_memory(1 << 20);
    engine::fill(solver, most, VALUES, &limits, Some("table")).expect("it is small")
}
