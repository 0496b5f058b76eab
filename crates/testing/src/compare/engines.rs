//! Outcomes and Grundy values: the definition against every engine, selected by
//! name, for tables and for single positions.

use super::options::has_infinite_choice;
use super::{Counts, box_size, is_cheap, limits_for};
use nimrule_definition::{self as definition, GameGraph, GrundyValues, Label, Solution};
use nimrule_engine::{
    self as engine, ENGINES, Query, Question, Region, Request, SolveError, Solver,
};
use nimrule_fixtures::Numbers;
use nimrule_model::game::{Action, Class, Convention, Game, PositionKind, Side};

/// The size of the boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Small,
    /// Boxes with more than 64 positions in a row, and more than 256 positions in
    /// all.
    Large,
}

pub fn compare(
    game: &Game,
    rng: &mut Numbers,
    size: Size,
    counts: &mut Counts,
) -> Result<(), String> {
    if game.position_kind == PositionKind::Reals {
        return Ok(());
    }
    let solver = Solver::new(game);
    let Some((region, positions)) = region(&solver, rng, size) else {
        return Ok(());
    };
    let Ok(graph) = GameGraph::from(game, &positions) else {
        return faults(&solver, &region, &positions, counts);
    };
    for convention in [Convention::Normal, Convention::Misere] {
        let solution = Solution::of(&graph, convention);
        let mut values = GrundyValues::new(&graph, convention);
        let expected = Expected {
            solution: &solution,
            convention,
        };
        for question in [Question::Outcome, Question::Grundy] {
            if question == Question::Grundy && game.no_grundy_values().is_some() {
                continue;
            }
            tables(&solver, &region, question, &expected, &mut values, counts)?;
        }
        let single = if size == Size::Small { 4 } else { 1 };
        // A few single positions.
        for _ in 0..single {
            if !positions.is_empty() {
                let position = rng.pick(&positions).clone();
                answers(&solver, &position, &expected, &mut values, counts)?;
            }
        }
    }
    Ok(())
}

/// The expected results of one convention.
struct Expected<'t> {
    solution: &'t Solution,
    convention: Convention,
}

/// The positions that are solved together, as a region and as a list.
fn region(solver: &Solver<'_>, rng: &mut Numbers, size: Size) -> Option<(Region, Vec<Vec<u64>>)> {
    let game = solver.game;
    let limits = limits_for(2_000);
    if size == Size::Large {
        let most = large_box(solver, rng)?;
        let region = solver.region_of(&most, &limits).ok()?;
        let mut positions = Vec::new();
        let listed: Result<(), ()> = region.try_each(|position, _| {
            positions.push(position.to_vec());
            Ok(())
        });
        listed.ok()?;
        for position in &positions {
            definition::is_position(game, position).ok()?;
        }
        positions.retain(|position| definition::is_position(game, position) == Ok(true));
        return Some((region, positions));
    }
    let most = box_size(solver, 130, 60_000)?;
    let region = solver.region(most, &limits).ok()?;
    Some((region, definition::positions(game, most).ok()?))
}

/// A large box whose options take a moderate number of steps.
fn large_box(solver: &Solver<'_>, rng: &mut Numbers) -> Option<Vec<u64>> {
    let game = solver.game;
    let puts = |mover: &nimrule_model::game::Move| {
        let mut actions = mover.steps.iter().map(|step| &step.action);
        actions.any(|action| matches!(action, Action::Put { .. }))
    };
    // Moves that put tokens lead far out of a large box.
    if game.position_kind != PositionKind::Heaps
        || has_infinite_choice(game)
        || game.moves.iter().any(puts)
    {
        return None;
    }
    let boxes: &[&[u64]] = match solver.game.heap_count() {
        1 => &[&[700], &[256], &[300]],
        2 => &[
            &[3, 300],
            &[300, 2],
            &[2, 129],
            &[70, 40],
            &[40, 40],
            &[1, 257],
        ],
        3 => &[
            &[2, 2, 100],
            &[1, 130, 2],
            &[12, 12, 12],
            &[66, 3, 3],
            &[1, 1, 260],
        ],
        4 => &[
            &[1, 1, 1, 130],
            &[5, 5, 5, 5],
            &[1, 66, 1, 2],
            &[3, 3, 3, 20],
        ],
        5 => &[&[1, 1, 1, 1, 70], &[3, 3, 3, 3, 3]],
        _ => return None,
    };
    let first = rng.below(boxes.len() as u64) as usize;
    (0..boxes.len())
        .map(|place| boxes[(first + place) % boxes.len()].to_vec())
        .find(|most| {
            let count: u64 = most.iter().map(|most| most + 1).product();
            // The corner of a rule that reads a heap modulo 2 may have no options at all.
            let before = most.iter().map(|most| most.saturating_sub(1)).collect();
            [most.clone(), before]
                .iter()
                .all(|position| is_cheap(game, &solver.graph, position, 300_000 / count))
        })
}

/// Compares faults: an engine that fills a region in which some position has a
/// fault must report a fault that occurs at the position it names.
fn faults(
    solver: &Solver<'_>,
    region: &Region,
    positions: &[Vec<u64>],
    counts: &mut Counts,
) -> Result<(), String> {
    let game = solver.game;
    let faulty = positions
        .iter()
        .find(|p| definition::options(game, p, None).is_err());
    for engine in ENGINES {
        for (question, convention) in [
            (Question::Outcome, Convention::Normal),
            (Question::Grundy, Convention::Normal),
            (Question::Outcome, Convention::Misere),
            (Question::Grundy, Convention::Misere),
        ] {
            let asked = Query {
                question,
                convention,
            };
            if engine.supports(solver, asked).is_err() {
                continue;
            }
            let name = Some(engine.name());
            let filled = engine::fill_region(solver, region, asked, &limits_for(2_000), name);
            let at = |what: String| format!("{} {asked:?}: {what}", engine.name());
            match filled {
                Err(SolveError::Fault { fault, position }) => {
                    counts.faults += 1;
                    let right = definition::moves(game, &position, None).faults;
                    if !right.iter().any(|right| right.kind == fault) {
                        return Err(at(format!(
                            "the fault `{fault}` at {position:?}, where the definition has {right:?}"
                        )));
                    }
                }
                // An outcome may be known before a fault occurs, but a Grundy
                // value needs every option.
                Ok(_) if question == Question::Grundy && game.no_grundy_values().is_none() => {
                    if let Some(position) = faulty {
                        return Err(at(format!("no fault, and {position:?} has one")));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Compares the tables of every engine.
fn tables(
    solver: &Solver<'_>,
    region: &Region,
    question: Question,
    expected: &Expected<'_>,
    values: &mut GrundyValues<'_>,
    counts: &mut Counts,
) -> Result<(), String> {
    let asked = Query {
        question,
        convention: expected.convention,
    };
    for engine in ENGINES {
        if engine.supports(solver, asked).is_err() {
            continue;
        }
        let name = engine.name();
        let at = |what: String| format!("the table by {name} {asked:?}: {what}");
        let table = match engine::fill_region(solver, region, asked, &limits_for(4_000), Some(name))
        {
            Ok(table) => table,
            Err(SolveError::Time | SolveError::Memory { .. } | SolveError::Cannot { .. }) => {
                continue;
            }
            Err(failure) => return Err(at(failure.to_string())),
        };
        table.region().try_each(|position, place| {
            let outcome = expected.solution.outcome(position);
            let grundy = match question {
                Question::Grundy if outcome.is_some() => values.of(position),
                _ => None,
            };
            counts.answers += 1;
            let found = (table.outcome(place), table.grundy(place));
            if found == (outcome, grundy) {
                return Ok(());
            }
            Err(at(format!(
                "{} is {found:?} instead of {outcome:?} {grundy:?}",
                solver.game.shown(position)
            )))
        })?;
    }
    Ok(())
}

/// Compares the answers of every engine for one position.
fn answers(
    solver: &Solver<'_>,
    position: &[u64],
    expected: &Expected<'_>,
    values: &mut GrundyValues<'_>,
    counts: &mut Counts,
) -> Result<(), String> {
    let game = solver.game;
    let convention = expected.convention;
    let asked = |question| Query {
        question,
        convention,
    };
    for engine in ENGINES {
        if engine.supports(solver, asked(Question::Outcome)).is_err() {
            continue;
        }
        let has_values = game.no_grundy_values().is_none()
            && engine.supports(solver, asked(Question::Grundy)).is_ok();
        let request = if has_values {
            Request::Grundy
        } else {
            Request::Outcome
        };
        let name = engine.name();
        let at =
            |what: String| format!("{name} of {}, {convention:?}: {what}", game.shown(position));
        let limits = limits_for(4_000);
        let answer =
            match engine::answer(solver, position, convention, request, &limits, Some(name)) {
                Ok(answer) => answer,
                Err(SolveError::Time | SolveError::Memory { .. } | SolveError::Cannot { .. }) => {
                    continue;
                }
                Err(failure) => return Err(at(failure.to_string())),
            };
        counts.answers += 1;
        let outcome = expected.solution.outcome(position);
        if Some(answer.outcome) != outcome {
            return Err(at(format!("{} instead of {outcome:?}", answer.outcome)));
        }
        if has_values {
            let value = values.of(position);
            if answer.grundy != value {
                return Err(at(format!("{:?} instead of {value:?}", answer.grundy)));
            }
        }
        for side in Side::BOTH {
            if let Some(turns) = &answer.by_side {
                let found = turns.each();
                let own = found
                    .iter()
                    .find(|(whose, _)| whose.is_none_or(|whose| whose == side));
                if let Some((_, turn)) = own {
                    let right = expected.solution.label(position, side);
                    let same = match (turn.label, right) {
                        (engine::Label::Win(n), Some(Label::Win(m))) => n == m,
                        (engine::Label::Lose(n), Some(Label::Lose(m))) => n == m,
                        (engine::Label::Draw, Some(Label::Draw)) => true,
                        _ => false,
                    };
                    if !same {
                        return Err(at(format!(
                            "{side:?} to move has {:?} instead of {right:?}",
                            turn.label
                        )));
                    }
                }
            }
        }
        if answer.by_side.is_none() {
            let options = definition::options(game, position, None).unwrap_or_default();
            let winning: Vec<Vec<u64>> = options
                .into_iter()
                .filter(|option| expected.solution.outcome(option) == Some(Class::P))
                .collect();
            if answer.winning_moves != winning {
                return Err(at(format!(
                    "the winning moves {:?} instead of {winning:?}",
                    answer.winning_moves
                )));
            }
        }
    }
    Ok(())
}
