//! Claims and examples: what a file says should hold, held against what the
//! engines find.
//!
//! A claim checked on a box "holds to N"; that is never called proved. A claim
//! that fails comes with its smallest counterexample: by the number of tokens,
//! then in lexicographic order.

pub mod answer;
mod inverse;
mod reckoning;

pub use answer::{Answered, Basis, Checks, Claims, Dismissed, Unanswered, Valued};
pub use reckoning::Moves;

use crate::engine::{self, Answer, Asked, Failure, Limits, Outcome, Question, Solver, Table, Wish};
use crate::expr::eval::check_images;
use crate::expr::{Fault, Scene};
use crate::game::{Claim, Example, Game, Statement, Verdict};
use crate::syntax::ast::{Class, Direction};
use std::fmt;

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It holds at every position with heaps up to `to`.
    Holds {
        to: u64,
    },
    Refuted(Counterexample),
}

/// A position at which a claim fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    pub position: Vec<u64>,
    pub actual: Said,
    pub claimed: Said,
}

/// What is said of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Outcome(Outcome),
    Grundy(i64),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Outcome(outcome) => outcome.fmt(f),
            Said::Grundy(value) => value.fmt(f),
        }
    }
}

/// The question whose answers a claim speaks of.
pub fn asked(claim: &Claim) -> Asked {
    Asked {
        question: match claim.statement {
            Some(Statement::Grundy(_)) => Question::Grundy,
            _ => Question::Outcome,
        },
        convention: claim.convention,
    }
}

/// Evaluates claims; the room for their names is kept between positions.
pub struct Judge<'g> {
    game: &'g Game,
    locals: Vec<i64>,
}

impl<'g> Judge<'g> {
    pub fn new(game: &'g Game) -> Judge<'g> {
        Judge {
            game,
            locals: vec![0; game.slots],
        }
    }

    /// What the claim gets wrong about a position, if anything.
    pub fn objection(
        &mut self,
        statement: &Statement,
        position: &[u64],
        outcome: Outcome,
        grundy: Option<u64>,
    ) -> Result<Option<(Said, Said)>, Fault> {
        match statement {
            Statement::Outcome {
                class: _,
                consistent: _,
                up_to_symmetry,
                direction,
                condition,
            } => {
                // One direction says nothing about some positions.
                match (direction, outcome) {
                    (Direction::If, Outcome::P) | (Direction::OnlyIf, Outcome::N) => {
                        return Ok(None);
                    }
                    _ => {}
                }
                let holds = if *up_to_symmetry {
                    let mut fault = None;
                    let symmetries = &self.game.symmetries;
                    let locals = &mut self.locals;
                    check_images(symmetries, position)?;
                    let found = symmetries.any_image(position, &mut |image| {
                        condition
                            .eval(&mut scene(image, locals, self.game))
                            .unwrap_or_else(|f| {
                                fault = Some(f);
                                true
                            })
                    });
                    match fault {
                        Some(fault) => return Err(fault),
                        None => found,
                    }
                } else {
                    condition.eval(&mut scene(position, &mut self.locals, self.game))?
                };
                let claimed = if holds { Outcome::P } else { Outcome::N };
                Ok(
                    (claimed != outcome)
                        .then_some((Said::Outcome(outcome), Said::Outcome(claimed))),
                )
            }
            Statement::Grundy(value) => {
                let claimed = value.eval(&mut scene(position, &mut self.locals, self.game))?;
                let actual = grundy.expect("a claim about values is judged by values");
                let actual = i64::try_from(actual).map_err(|_| Fault::Overflow)?;
                Ok((claimed != actual).then_some((Said::Grundy(actual), Said::Grundy(claimed))))
            }
            _ => Ok(None),
        }
    }
}

fn scene<'s>(position: &'s [u64], locals: &'s mut [i64], game: &'s Game) -> Scene<'s> {
    Scene {
        position,
        locals,
        picks: &[],
        amounts: &[],
        symmetries: &game.symmetries,
        steps: 0,
    }
}

/// Checks a claim at every position of a solved box.
pub fn check(
    game: &Game,
    statement: &Statement,
    table: &Table,
    limits: &Limits,
) -> Result<Standing, Failure> {
    let mut judge = Judge::new(game);
    let mut worst: Option<(u64, Counterexample)> = None;
    table.shape.try_each(|position, place| {
        if place % 1024 == 0 {
            limits.check_time()?;
        }
        let Some(outcome) = table.outcome(place) else {
            return Ok(());
        };
        let objection = judge
            .objection(statement, position, outcome, table.grundy(place))
            .map_err(|fault| Failure::Fault {
                fault,
                position: position.to_vec(),
            })?;
        if let Some((actual, claimed)) = objection {
            let total = position.iter().sum();
            // The box is gone through in lexicographic order, so the first
            // position of a total is the smallest of it.
            if worst.as_ref().is_none_or(|(least, _)| total < *least) {
                let position = position.to_vec();
                worst = Some((
                    total,
                    Counterexample {
                        position,
                        actual,
                        claimed,
                    },
                ));
            }
        }
        Ok(())
    })?;
    Ok(match worst {
        Some((_, counterexample)) => Standing::Refuted(counterexample),
        None => Standing::Holds {
            to: table.shape.most.iter().copied().max().unwrap_or(0),
        },
    })
}

/// Does the claim fail at this very position?
pub fn fails_at(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    let wish = match statement {
        Statement::Grundy(_) => Wish::Grundy,
        _ => Wish::Outcome,
    };
    let answer = engine::answer(solver, position, claim.convention, wish, limits, None)?;
    let objection = Judge::new(solver.game)
        .objection(statement, position, answer.outcome, answer.grundy)
        .map_err(|fault| Failure::Fault {
            fault,
            position: position.to_vec(),
        })?;
    Ok(objection.map(|(actual, claimed)| Counterexample {
        position: position.to_vec(),
        actual,
        claimed,
    }))
}

/// What became of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// What it gets wrong, in words.
    pub objection: Option<String>,
    /// The claim that it was held against, where no engine can reach it.
    pub basis: Option<Basis>,
}

/// Holds an example against the answer about its position.
pub fn check_example(
    solver: &Solver<'_>,
    example: &Example,
    limits: &Limits,
) -> Result<Tried, Failure> {
    let wish = match example.verdict {
        Verdict::HasGrundy(_) => Wish::Grundy,
        _ => Wish::Outcome,
    };
    let Answered {
        answer,
        basis,
        unfinished,
    } = answer::answer(
        solver,
        &example.position,
        example.convention,
        wish,
        limits,
        None,
        Claims::WhereNeeded,
    )
    .map_err(|unanswered| unanswered.failure)?;
    // A move that was not found may be one of those that were not looked for.
    if let (Some(met), Verdict::WinsBy(_)) = (unfinished, &example.verdict) {
        return Err(met);
    }
    let objection = objection_to(solver, example, &answer);
    Ok(Tried { objection, basis })
}

fn objection_to(solver: &Solver<'_>, example: &Example, answer: &Answer) -> Option<String> {
    match &example.verdict {
        Verdict::Is(Class::P) if answer.outcome == Outcome::P => None,
        Verdict::Is(Class::N) if answer.outcome == Outcome::N => None,
        Verdict::Is(Class::P) => Some(match answer.winning_moves.first() {
            Some(option) => format!("it is N: moving to {} wins", tuple(option)),
            None => "it is N: there is no move, and that wins".to_owned(),
        }),
        Verdict::Is(Class::N) => Some("it is P: no move wins".to_owned()),
        Verdict::Is(_) => Some(format!("it is {}", answer.outcome)),
        Verdict::HasGrundy(claimed) => {
            let actual = answer.grundy.and_then(|g| i64::try_from(g).ok());
            (actual != Some(*claimed))
                .then(|| format!("its Grundy value is {}", actual.unwrap_or_default()))
        }
        Verdict::WinsBy(option) if answer.winning_moves.contains(option) => None,
        Verdict::WinsBy(option) => {
            let legal = crate::ir::moves(&solver.graph, &example.position)
                .is_ok_and(|o| o.contains(option));
            let ways = match answer.winning_moves.as_slice() {
                [] => "no move wins".to_owned(),
                [first, ..] => format!("moving to {} wins", tuple(first)),
            };
            Some(if legal {
                format!("moving to {} does not win; {ways}", tuple(option))
            } else {
                format!("there is no move to {}; {ways}", tuple(option))
            })
        }
    }
}

/// A position as the language writes it.
pub fn tuple(position: &[u64]) -> String {
    let sizes: Vec<String> = position.iter().map(u64::to_string).collect();
    format!("({})", sizes.join(","))
}

/// The size of a box that is solved and checked at once where the file
/// suggests none: as large as stays a matter of a moment.
pub fn fitting_size(solver: &Solver<'_>, positions: u128, options: u128) -> u64 {
    let heaps = solver.game.heap_count();
    let mut size = 1;
    loop {
        let next = vec![size + 1; heaps];
        if engine::Shape::count(&next) > positions
            || engine::work_below(solver, &next) > options
            || size >= 1000
        {
            break;
        }
        size += 1;
    }
    // A game of many heaps may not even afford heaps of one token.
    if engine::Shape::count(&vec![size; heaps]) > 4 * positions {
        0
    } else {
        size
    }
}
