//! Evaluation of a claim at one position and at its options.
//!
//! The options come from the enumeration of moves; the claim gives their values.
//! If any amounts may be taken from some heaps, there may be too many options. The
//! claim is then solved for the largest of these heaps: see [`super::solve_for_heap`].

use super::answer::Basis;
use super::effort::position::{COMPARED_OPTIONS, ENGINE};
use super::solve_for_heap;
use nimrule_claim::{ClaimEvaluator, PositionFact, environment};
use nimrule_engine::{Limits, Outcome, SolveError, Solver};
use nimrule_ir::{Hyperedges, Stop, Walker};
use nimrule_limits::LimitExceeded;
use nimrule_model::expr::{HeapId, PlacedFault};
use nimrule_model::game::{Game, Statement};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The options of one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    /// The options, ascending.
    pub found: Vec<Vec<u64>>,
    /// The limit that was exceeded before all of them were found.
    pub unfinished: Option<SolveError>,
}

/// A position with its value by a claim.
pub struct Evaluation<'s> {
    pub value: u64,
    pub basis: Basis,
    solver: &'s Solver<'s>,
    statement: &'s Statement,
    evaluator: ClaimEvaluator<'s>,
}

impl<'s> Evaluation<'s> {
    /// Evaluates the claim at the position. Returns the contradiction if the
    /// claim's values at the position and its options are inconsistent.
    pub fn at(
        solver: &'s Solver<'_>,
        statement: &'s Statement,
        position: &[u64],
        basis: Basis,
        limits: &Limits,
    ) -> Result<Result<Evaluation<'s>, String>, SolveError> {
        let game = solver.game;
        let mut evaluator = ClaimEvaluator::new(game);
        let value = match value_of(&mut evaluator, statement, position) {
            Ok(Some(value)) => value,
            Ok(None) => return Ok(Err(negative(game, position))),
            Err(fault) => return Ok(Err(nothing_said(game, position, fault))),
        };
        let mut evaluation = Evaluation {
            value,
            basis,
            solver,
            statement,
            evaluator,
        };
        Ok(match evaluation.contradiction(position, limits)? {
            Some(contradiction) => Err(contradiction),
            None => Ok(evaluation),
        })
    }

    /// Whether the claim gives Grundy values, rather than outcomes only.
    pub fn gives_values(&self) -> bool {
        matches!(self.statement, Statement::Grundy(_))
    }

    /// Tests that the position's value is the mex of the values of its options.
    /// If there are too many options, tests only that those tried differ from it.
    /// For outcomes: P has no option that is P, and N has one.
    fn contradiction(
        &mut self,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Option<String>, SolveError> {
        let game = self.solver.game;
        let mut smaller = BTreeSet::new();
        let mut wrong = None;
        let mut looked_at = 0;
        let gives_values = self.gives_values();
        let (evaluator, statement, own) = (&mut self.evaluator, self.statement, self.value);
        let walked = Walker::new(&self.solver.graph, &[])
            .until(&limits.half_work().cap_work(ENGINE))
            .options(position, 0, &mut |option, _| {
                looked_at += 1;
                match value_of(evaluator, statement, option) {
                    Ok(None) => wrong = Some(negative(game, option)),
                    Ok(Some(value)) if value == own && (gives_values || own == 0) => {
                        wrong = Some(format!(
                            "it gives {} and its option {} the same value",
                            game.shown(position),
                            game.shown(option)
                        ));
                    }
                    Ok(Some(value)) if value < own => {
                        smaller.insert(value);
                    }
                    Ok(Some(_)) => {}
                    Err(fault) => wrong = Some(nothing_said(game, option, fault)),
                }
                if wrong.is_some() || looked_at >= COMPARED_OPTIONS {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        let early = match walked {
            Ok(early) => early,
            Err(Stop::LimitExceeded(LimitExceeded::Work { .. })) => true,
            Err(stop) => return Err(SolveError::of(stop, position)),
        };
        if wrong.is_some() || early {
            return Ok(wrong);
        }
        let missing = (0..own).find(|value| !smaller.contains(value));
        // Under misère play a terminal position has value 1 without any option.
        let is_end = looked_at == 0 && own == 1;
        Ok(missing.filter(|_| !is_end).map(|value| {
            format!(
                "it gives {} the value {own}, and no option the value {value}",
                game.shown(position)
            )
        }))
    }

    /// The options of this value, as many as the limits allow.
    pub fn moves_to(
        &mut self,
        wanted: u64,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Moves, SolveError> {
        let mut found = FoundOptions::new(position.len(), limits);
        let met = match &self.solver.profile.hyperedges {
            Ok(Hyperedges::Fixed(sets)) => self.by_solving(sets, wanted, position, &mut found),
            _ => self.by_walking(wanted, position, &mut found),
        };
        let unfinished = match met {
            Ok(()) => None,
            Err(met @ (SolveError::Time | SolveError::Work { .. } | SolveError::Memory { .. })) => {
                Some(met)
            }
            Err(failure) => return Err(failure),
        };
        Ok(Moves {
            found: found.options.into_iter().collect(),
            unfinished,
        })
    }

    fn by_walking(
        &mut self,
        wanted: u64,
        position: &[u64],
        found: &mut FoundOptions,
    ) -> Result<(), SolveError> {
        let (evaluator, statement) = (&mut self.evaluator, self.statement);
        let mut met = Ok(());
        Walker::new(&self.solver.graph, &[])
            .until(&found.limits)
            .options(position, 0, &mut |option, _| {
                met = match value_of(evaluator, statement, option) {
                    Ok(Some(value)) if value == wanted => found.add(option),
                    Ok(_) => Ok(()),
                    Err(fault) => Err(fault_at(fault, option)),
                };
                match met {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        met
    }

    /// For moves that take any amounts from the heaps of a set: enumerates the
    /// sizes of all heaps but the largest, and solves the claim for that one.
    fn by_solving(
        &mut self,
        sets: &[Vec<HeapId>],
        wanted: u64,
        position: &[u64],
        found: &mut FoundOptions,
    ) -> Result<(), SolveError> {
        let mut option = position.to_vec();
        for set in sets {
            let Some(largest) = set.iter().max_by_key(|heap| position[heap.index()]) else {
                continue;
            };
            let others: Vec<HeapId> = set.iter().copied().filter(|h| h != largest).collect();
            option.copy_from_slice(position);
            loop {
                self.add_solved(*largest, wanted, position, &mut option, found)?;
                // The next choice for the other heaps, counting down like an odometer.
                let Some(at) = others.iter().position(|heap| option[heap.index()] > 0) else {
                    break;
                };
                option[others[at].index()] -= 1;
                for before in &others[..at] {
                    option[before.index()] = position[before.index()];
                }
            }
        }
        Ok(())
    }

    /// Solves for one heap, with the other heaps as in `option`.
    fn add_solved(
        &mut self,
        heap: HeapId,
        wanted: u64,
        position: &[u64],
        option: &mut [u64],
        found: &mut FoundOptions,
    ) -> Result<(), SolveError> {
        found.look()?;
        let most = position[heap.index()];
        let mut environment = environment(option, self.evaluator.locals_mut(), self.solver.game);
        let sizes = solve_for_heap::sizes(self.statement, wanted, heap, &mut environment)
            .map_err(|fault| fault_at(fault, option))?;
        let mut look = |size: u64| -> Result<(), SolveError> {
            found.look()?;
            option[heap.index()] = size;
            let is_option = option != position;
            if is_option && self.value_of(option)? == Some(wanted) {
                found.add(option)?;
            }
            Ok(())
        };
        match sizes {
            Some(sizes) => sizes
                .into_iter()
                .filter(|size| *size <= most)
                .try_for_each(look)?,
            None => (0..=most).try_for_each(&mut look)?,
        }
        option[heap.index()] = most;
        Ok(())
    }

    fn value_of(&mut self, position: &[u64]) -> Result<Option<u64>, SolveError> {
        value_of(&mut self.evaluator, self.statement, position)
            .map_err(|fault| fault_at(fault, position))
    }
}

/// The value that a claim gives a position (0 for P and 1 for N, if it is about
/// outcomes); `None` for a negative one. It is the claimed value of the
/// counterexample if the position were P with value 0.
fn value_of(
    evaluator: &mut ClaimEvaluator<'_>,
    statement: &Statement,
    position: &[u64],
) -> Result<Option<u64>, PlacedFault> {
    let contradiction = evaluator.contradiction(statement, position, Outcome::P, Some(0))?;
    Ok(match contradiction {
        None => Some(0),
        Some((_, PositionFact::Outcome(_))) => Some(1),
        Some((_, PositionFact::Grundy(value))) => u64::try_from(value).ok(),
        // With more than two outcomes, "not P" does not determine the outcome.
        Some((_, PositionFact::Not(_) | PositionFact::Words(_))) => None,
    })
}

/// Collects options within the limits.
struct FoundOptions {
    options: BTreeSet<Vec<u64>>,
    most: u64,
    looked_at: u64,
    limits: Limits,
}

impl FoundOptions {
    fn new(heaps: usize, limits: &Limits) -> FoundOptions {
        // Memory of an option, with its entry in the set.
        let bytes = 8 * heaps as u64 + 64;
        FoundOptions {
            options: BTreeSet::new(),
            most: limits.memory / bytes,
            looked_at: 0,
            limits: limits.clone(),
        }
    }

    fn look(&mut self) -> Result<(), SolveError> {
        self.looked_at += 1;
        if self.looked_at.is_multiple_of(4096) {
            self.limits.check_time()?;
        }
        Ok(())
    }

    fn add(&mut self, option: &[u64]) -> Result<(), SolveError> {
        if self.options.len() as u64 >= self.most {
            return Err(SolveError::Memory {
                needed: u128::from(self.limits.memory) + 1,
                limit: self.limits.memory,
            });
        }
        if !self.options.contains(option) {
            self.options.insert(option.to_vec());
        }
        Ok(())
    }
}

fn fault_at(fault: PlacedFault, position: &[u64]) -> SolveError {
    SolveError::Fault {
        fault,
        position: position.to_vec(),
    }
}

fn negative(game: &Game, position: &[u64]) -> String {
    format!("it gives {} a negative value", game.shown(position))
}

fn nothing_said(game: &Game, position: &[u64], fault: PlacedFault) -> String {
    format!("it has no value at {}: {fault}", game.shown(position))
}
