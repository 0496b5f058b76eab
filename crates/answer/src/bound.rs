//! Whether an answer about a loopy game depends on the bound of `positions where`.

use super::session::Session;
use nimrule_engine::{Label, SolveError};
use nimrule_ir::{self as ir, Walker};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_model::position::Position;
use nimrule_relation::{BuildError, Relation, Terminal, retrograde};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// What `positions where` excludes below a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundReport {
    /// A position that can be reached, and an option of it that is excluded; `None` if no
    /// move is excluded.
    pub excluded: Option<(Position, Position)>,
    /// Whether the outcome may be another with the excluded moves, wherever they lead; `None`
    /// if that is not known.
    pub matters: Option<bool>,
    /// What ended the search, if it was cut off.
    pub ended: Option<String>,
}

impl BoundReport {
    /// The report of a search that was cut off.
    pub fn cut_off(ended: String) -> BoundReport {
        BoundReport {
            excluded: None,
            matters: None,
            ended: Some(ended),
        }
    }
}

/// The largest number of positions that are looked at.
const MOST_POSITIONS: usize = 300_000;

impl Session<'_> {
    /// Whether the outcome of a position depends on moves that `positions where` excludes.
    /// `None` if the question does not arise.
    ///
    /// # Errors
    ///
    /// A fault in the rule, or an exceeded limit.
    pub fn bound(
        &self,
        position: &Position,
        convention: Convention,
    ) -> Result<Option<BoundReport>, SolveError> {
        let game = self.game();
        let bounded = matches!(
            game.position_kind,
            PositionKind::Heaps | PositionKind::Multiset(_)
        ) && game.positions.is_some();
        let impartial = !game.has_sides() && game.blocked_options == 0;
        let Some(root) = position
            .small()
            .filter(|_| bounded && impartial && game.may_repeat)
        else {
            return Ok(None);
        };
        let mut unbounded: Game = game.clone();
        unbounded.rule.positions = None;
        let without_bound = ir::lower(&unbounded);
        let mut walkers = [&self.solver.graph, &without_bound]
            .map(|graph| Walker::new(graph, &[]).until(&self.limits));
        let mut numbers: BTreeMap<Vec<u64>, u32> = BTreeMap::from([(root.to_vec(), 1)]);
        let mut positions = vec![root.to_vec()];
        // State 0 stands for every excluded position: it moves to itself, so that nobody is
        // known to win there.
        let mut arcs: Vec<Vec<u32>> = vec![vec![0]];
        let mut excluded = None;
        while let Some(from) = positions.get(arcs.len() - 1).cloned() {
            if arcs.len() > MOST_POSITIONS {
                let ended = format!("the search ended at {MOST_POSITIONS} positions");
                return Ok(Some(BoundReport::cut_off(ended)));
            }
            if arcs.len().is_multiple_of(256) {
                self.limits.check_time()?;
            }
            let [allowed, all] = walkers.each_mut().map(|walker| {
                let mut options = Vec::new();
                let walked = walker.options(&from, 0, &mut |option, _| {
                    options.push(option.to_vec());
                    ControlFlow::Continue(())
                });
                options.sort_unstable();
                options.dedup();
                walked.map(|_| options)
            });
            let fault = |stop| SolveError::of(stop, &from);
            let (allowed, all) = (allowed.map_err(fault)?, all.map_err(fault)?);
            let out = all
                .iter()
                .find(|option| allowed.binary_search(option).is_err());
            if let Some(out) = out {
                let pair = || (from.as_slice().into(), out.as_slice().into());
                excluded.get_or_insert_with(pair);
            }
            let mut targets: Vec<u32> = out.map(|_| 0).into_iter().collect();
            for option in allowed {
                let next = positions.len() as u32 + 1;
                let number = *numbers.entry(option.clone()).or_insert(next);
                if number == next {
                    positions.push(option);
                }
                targets.push(number);
            }
            arcs.push(targets);
        }
        let relation = Relation::build(arcs.len(), |from, visit| {
            arcs[from as usize].iter().copied().for_each(visit);
            Ok(())
        });
        let relation = match relation {
            Ok(relation) => relation,
            Err(BuildError::Source(failure)) => return Err(failure),
            Err(too_many @ BuildError::TooManyArcs) => {
                return Ok(Some(BoundReport::cut_off(too_many.to_string())));
            }
        };
        let terminal = match convention {
            Convention::Normal => Terminal::Loses,
            Convention::Misere => Terminal::Wins,
        };
        let pause = &mut || self.limits.check_time().map_err(SolveError::from);
        let labels = retrograde(&relation.reverse(), terminal, pause)?;
        Ok(Some(BoundReport {
            matters: Some(excluded.is_some() && labels.of(1) == Label::Draw),
            excluded,
            ended: None,
        }))
    }
}
