//! The options of positions of any size.

use super::answer::Unanswered;
use super::effort::position::ONLY_PROOF;
use super::position::{excluded, failed};
use super::session::Session;
use nimrule_engine::SolveError;
use nimrule_ir::{MoveGraph, Walker};
use nimrule_model::game::{Convention, PositionKind, Side};
use nimrule_model::position::Position;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Options of a position, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The options.
    pub list: Vec<Position>,
    /// Whether these are all of them.
    pub all: bool,
}

impl Session<'_> {
    /// The largest number of options of one position that is listed.
    pub const MAX_OPTIONS: usize = 100_000;

    fn graph(&self, side: Option<Side>) -> &MoveGraph {
        match (side, &self.solver.sides) {
            (Some(side), Some(sides)) => &sides[side as usize],
            _ => &self.solver.graph,
        }
    }

    /// The options of a position for `side`, at most [`Session::MAX_OPTIONS`]. Of a position
    /// that only a proof can read: one for each alternative of the rule and each choice of
    /// heaps.
    ///
    /// # Errors
    ///
    /// A fault in the rule, a limit, or a rule that no prover reads.
    pub fn options(
        &self,
        position: &Position,
        side: Option<Side>,
        convention: Convention,
    ) -> Result<Options, Unanswered> {
        let Some(position) = position.small() else {
            let known = self.proved_set(convention, &self.limits)?;
            let limits = self.limits.or_work(ONLY_PROOF);
            let some = known.outcomes.some_options(&position.numbers(), &limits);
            let some = some.map_err(failed)?.ok_or_else(excluded)?;
            return Ok(Options {
                list: some
                    .into_iter()
                    .map(|to| to.into_iter().collect())
                    .collect(),
                all: false,
            });
        };
        let mut found = BTreeSet::new();
        let mut all = true;
        Walker::new(self.graph(side), &[])
            .until(&self.limits)
            .options(position, 0, &mut |option, _| {
                if found.len() < Self::MAX_OPTIONS {
                    found.insert(option.to_vec());
                    return ControlFlow::Continue(());
                }
                all = found.contains(option);
                if all {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        Ok(Options {
            list: found.into_iter().map(Position::from).collect(),
            all,
        })
    }

    /// Whether a move of `side` leads from one position to another.
    ///
    /// # Errors
    ///
    /// As [`Session::options`].
    pub fn is_option(
        &self,
        from: &Position,
        to: &Position,
        side: Option<Side>,
    ) -> Result<bool, SolveError> {
        let (Some(position), Some(option)) = (from.small(), to.small()) else {
            let known = self
                .proved_set(Convention::Normal, &self.limits)
                .map_err(|unanswered| unanswered.failure)?;
            let limits = self.limits.or_work(ONLY_PROOF);
            let (from, to) = (from.numbers(), to.numbers());
            let found = known.outcomes.is_option(&from, &to, &limits);
            return found.map_err(|error| failed(error).failure);
        };
        let mut found = false;
        Walker::new(self.graph(side), &[])
            .until(&self.limits)
            .options(position, 0, &mut |other, _| {
                found = other == option;
                match found {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        Ok(found)
    }

    /// The smallest position that a symmetry of the rule makes of this one.
    pub(super) fn up_to_symmetry(&self, position: &Position) -> Position {
        match (&self.game().position_kind, position.small()) {
            (PositionKind::Heaps, Some(small)) => {
                Position::from(self.game().facts.symmetries.canonical(small))
            }
            _ => position.clone(),
        }
    }

    /// The options, one of each class of positions that are images of one another under
    /// the symmetries of the rule, each with the number of options of the class.
    pub fn classes(&self, options: &[Position]) -> Vec<(Position, usize)> {
        let mut classes: Vec<(Position, usize)> = Vec::new();
        let mut place_of: BTreeMap<Position, usize> = BTreeMap::new();
        for option in options {
            let canonical = self.up_to_symmetry(option);
            match place_of.get(&canonical) {
                Some(place) => classes[*place].1 += 1,
                None => {
                    place_of.insert(canonical, classes.len());
                    classes.push((option.clone(), 1));
                }
            }
        }
        classes
    }
}
