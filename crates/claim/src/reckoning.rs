//! What a claim says of one position and of its options.
//!
//! The moves come from the walk through the graph, as ever; the claim only
//! says what each option is worth. Where any amounts may be taken from some
//! heaps there can be far too many options to look at each, and then the
//! claim is solved for the largest of the heaps: see [`super::inverse`].

use super::answer::{Basis, briefly};
use super::{Judge, Said, inverse};
use nimrule_engine::{Failure, Limits, Outcome, Solver};
use nimrule_ir::{Hyperedges, Stop, Walker};
use nimrule_limits::LimitExceeded;
use nimrule_model::expr::{HeapId, PlacedFault};
use nimrule_model::game::{Game, Statement};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The options of one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    /// Ascending.
    pub found: Vec<Vec<u64>>,
    /// The limit that was met before all of them were found.
    pub unfinished: Option<Failure>,
}

/// A position, reckoned by a claim.
pub struct Reckoning<'s> {
    pub value: u64,
    pub basis: Basis,
    solver: &'s Solver<'s>,
    statement: &'s Statement,
    judge: Judge<'s>,
}

/// So many options are looked at, as far as takes a moment, to see whether a
/// claim contradicts itself.
const MOST_SURVEYED: usize = 2_000_000;

impl<'s> Reckoning<'s> {
    /// What a claim says of the position, unless it contradicts itself there;
    /// then in what.
    pub fn at(
        solver: &'s Solver<'_>,
        statement: &'s Statement,
        position: &[u64],
        basis: Basis,
        limits: &Limits,
    ) -> Result<Result<Reckoning<'s>, String>, Failure> {
        let game = solver.game;
        let mut judge = Judge::new(game);
        let value = match worth(&mut judge, statement, position) {
            Ok(Some(value)) => value,
            Ok(None) => return Ok(Err(negative(game, position))),
            Err(fault) => return Ok(Err(nothing_said(game, position, fault))),
        };
        let mut reckoning = Reckoning {
            value,
            basis,
            solver,
            statement,
            judge,
        };
        Ok(match reckoning.contradiction(position, limits)? {
            Some(contradiction) => Err(contradiction),
            None => Ok(reckoning),
        })
    }

    /// Does the claim give Grundy values, and not outcomes alone?
    pub fn gives_values(&self) -> bool {
        matches!(self.statement, Statement::Grundy(_))
    }

    /// Is the position's value the smallest that none of its options has? If
    /// there are too many options to look at all, those looked at must differ
    /// from it. Of outcomes less is asked: P has no option that is P, N has one.
    fn contradiction(
        &mut self,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Option<String>, Failure> {
        let game = self.solver.game;
        let mut smaller = BTreeSet::new();
        let mut wrong = None;
        let mut looked_at = 0;
        let gives_values = self.gives_values();
        let (judge, statement, own) = (&mut self.judge, self.statement, self.value);
        let walked = Walker::new(&self.solver.graph, &[])
            .until(&briefly(&limits.half_time()))
            .options(position, 0, &mut |option, _| {
                looked_at += 1;
                match worth(judge, statement, option) {
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
                if wrong.is_some() || looked_at >= MOST_SURVEYED {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        let early = match walked {
            Ok(early) => early,
            Err(Stop::LimitExceeded(LimitExceeded::Time)) => true,
            Err(stop) => return Err(Failure::of(stop, position)),
        };
        if wrong.is_some() || early {
            return Ok(wrong);
        }
        let missing = (0..own).find(|value| !smaller.contains(value));
        // Under misere play an end is worth 1 and has no option to show for it.
        let is_end = looked_at == 0 && own == 1;
        Ok(missing.filter(|_| !is_end).map(|value| {
            format!(
                "it gives {} the value {own}, and no option the value {value}",
                game.shown(position)
            )
        }))
    }

    /// The options of this value; as many as the limits allow.
    pub fn moves_to(
        &mut self,
        wanted: u64,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Moves, Failure> {
        let mut found = Finds::new(position.len(), limits);
        let met = match &self.solver.profile.hyperedges {
            Ok(Hyperedges::Fixed(sets)) => self.by_solving(sets, wanted, position, &mut found),
            _ => self.by_walking(wanted, position, &mut found),
        };
        let unfinished = match met {
            Ok(()) => None,
            Err(met @ (Failure::Time | Failure::Memory { .. })) => Some(met),
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
        found: &mut Finds,
    ) -> Result<(), Failure> {
        let (judge, statement) = (&mut self.judge, self.statement);
        let mut met = Ok(());
        Walker::new(&self.solver.graph, &[])
            .until(&found.limits)
            .options(position, 0, &mut |option, _| {
                met = match worth(judge, statement, option) {
                    Ok(Some(value)) if value == wanted => found.add(option),
                    Ok(_) => Ok(()),
                    Err(fault) => Err(fault_at(fault, option)),
                };
                match met {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
            .map_err(|stop| Failure::of(stop, position))?;
        met
    }

    /// Any amounts may be taken from the heaps of a set: every choice for all
    /// but its largest heap, and for that one what the claim leaves it.
    fn by_solving(
        &mut self,
        sets: &[Vec<HeapId>],
        wanted: u64,
        position: &[u64],
        found: &mut Finds,
    ) -> Result<(), Failure> {
        let mut option = position.to_vec();
        for set in sets {
            let Some(largest) = set.iter().max_by_key(|heap| position[heap.index()]) else {
                continue;
            };
            let others: Vec<HeapId> = set.iter().copied().filter(|h| h != largest).collect();
            option.copy_from_slice(position);
            loop {
                self.add_solved(*largest, wanted, position, &mut option, found)?;
                // The next choice for the others: down by one, like a counter.
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

    /// Finds the sizes of one heap, the others as they are in `option`.
    fn add_solved(
        &mut self,
        heap: HeapId,
        wanted: u64,
        position: &[u64],
        option: &mut [u64],
        found: &mut Finds,
    ) -> Result<(), Failure> {
        found.look()?;
        let most = position[heap.index()];
        let mut scene = super::scene(option, &mut self.judge.locals, self.solver.game);
        let sizes = inverse::sizes(self.statement, wanted, heap, &mut scene)
            .map_err(|fault| fault_at(fault, option))?;
        let mut look = |size: u64| -> Result<(), Failure> {
            found.look()?;
            option[heap.index()] = size;
            let is_option = option != position;
            if is_option && self.worth(option)? == Some(wanted) {
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

    fn worth(&mut self, position: &[u64]) -> Result<Option<u64>, Failure> {
        worth(&mut self.judge, self.statement, position).map_err(|fault| fault_at(fault, position))
    }
}

/// The value that a claim gives a position, for P and N 0 and 1; none where it
/// gives a negative one. It is what the claim would object with if the
/// position were P and worth 0.
fn worth(
    judge: &mut Judge<'_>,
    statement: &Statement,
    position: &[u64],
) -> Result<Option<u64>, PlacedFault> {
    let objection = judge.objection(statement, position, Outcome::P, Some(0))?;
    Ok(match objection {
        None => Some(0),
        Some((_, Said::Outcome(_))) => Some(1),
        Some((_, Said::Grundy(value))) => u64::try_from(value).ok(),
        // Where there are more than two outcomes, not to be P says little.
        Some((_, Said::Not(_) | Said::Words(_))) => None,
    })
}

/// The options found, kept to the limits.
struct Finds {
    options: BTreeSet<Vec<u64>>,
    most: u64,
    looked_at: u64,
    limits: Limits,
}

impl Finds {
    fn new(heaps: usize, limits: &Limits) -> Finds {
        // An option with its place in the set.
        let bytes = 8 * heaps as u64 + 64;
        Finds {
            options: BTreeSet::new(),
            most: limits.memory / bytes,
            looked_at: 0,
            limits: *limits,
        }
    }

    fn look(&mut self) -> Result<(), Failure> {
        self.looked_at += 1;
        if self.looked_at.is_multiple_of(4096) {
            self.limits.check_time()?;
        }
        Ok(())
    }

    fn add(&mut self, option: &[u64]) -> Result<(), Failure> {
        if self.options.len() as u64 >= self.most {
            return Err(Failure::Memory {
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

fn fault_at(fault: PlacedFault, position: &[u64]) -> Failure {
    Failure::Fault {
        fault,
        position: position.to_vec(),
    }
}

fn negative(game: &Game, position: &[u64]) -> String {
    format!("it gives {} a negative value", game.shown(position))
}

fn nothing_said(game: &Game, position: &[u64], fault: PlacedFault) -> String {
    format!("it says nothing at {}: {fault}", game.shown(position))
}
