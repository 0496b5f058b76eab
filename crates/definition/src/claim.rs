//! The truth of claims and examples: chapter "Claims and examples" of the
//! reference.

use crate::expression::images;
use crate::moves::is_position as is_position_of;
use crate::{Environment, Fault, FaultAt, GameGraph, GrundyValues, Solution, options};
use nimrule_model::game::{
    Agreement, Claim, Class, Convention, Direction, Example, Game, PositionKind, SameAs, Side,
    Statement, Verdict,
};
use std::collections::BTreeSet;

/// The solution of some positions, against which claims are evaluated.
#[derive(Debug, Clone)]
pub struct Answers<'r> {
    game: &'r Game,
    convention: Convention,
    solution: Solution,
    values: GrundyValues<'r>,
}

impl<'r> Answers<'r> {
    /// Solves all positions of a game graph.
    pub fn of(graph: &'r GameGraph<'r>, convention: Convention) -> Answers<'r> {
        Answers {
            game: graph.game(),
            convention,
            solution: Solution::of(graph, convention),
            values: GrundyValues::new(graph, convention),
        }
    }

    /// Whether a claim is true at a position. `None` if the claim is not about
    /// single positions, or if the position was not solved.
    ///
    /// # Errors
    ///
    /// If the claim has a fault at the position.
    pub fn holds_at(
        &mut self,
        statement: &Statement,
        position: &[u64],
    ) -> Result<Option<bool>, FaultAt> {
        let at = |fault| FaultAt {
            fault,
            position: position.to_vec(),
        };
        let Some(outcome) = self.solution.outcome(position) else {
            return Ok(None);
        };
        Ok(Some(match statement {
            Statement::Outcome {
                class,
                consistent: false,
                up_to_symmetry,
                direction,
                condition,
            } => {
                let is_of_class = outcome == *class;
                // A claim in one direction is true at all positions that its
                // premise excludes.
                match direction {
                    Direction::If if is_of_class => return Ok(Some(true)),
                    Direction::OnlyIf if !is_of_class => return Ok(Some(true)),
                    Direction::Iff | Direction::If | Direction::OnlyIf => {}
                }
                let mut holds = Environment::new(self.game, position)
                    .holds(condition)
                    .map_err(at)?;
                if *up_to_symmetry && !holds {
                    for image in images(position, &self.game.facts.symmetries.generators()) {
                        let image = Environment::new(self.game, &image);
                        holds = holds || image.holds(condition).map_err(at)?;
                    }
                }
                holds == is_of_class
            }
            // The labelling by the condition is consistent: a position wins if
            // a move leads to a position that loses, and in misere play if the
            // position is terminal.
            Statement::Outcome {
                class,
                consistent: true,
                condition,
                ..
            } => {
                let loses = |position: &[u64]| {
                    let holds = Environment::new(self.game, position).holds(condition)?;
                    Ok::<bool, Fault>(holds == (*class == Class::P))
                };
                let options = options(self.game, position, None).map_err(at)?;
                let mut wins = options.is_empty() && self.convention == Convention::Misere;
                for option in &options {
                    wins = wins || loses(option).map_err(at)?;
                }
                wins != loses(position).map_err(at)?
            }
            Statement::Grundy(value) => {
                let claimed = Environment::new(self.game, position).number(value);
                let actual = self.values.of(position);
                u64::try_from(claimed.map_err(at)?).is_ok_and(|claimed| actual == Some(claimed))
            }
            Statement::Pairing(pairs) => {
                let size = |heap: usize| position[heap];
                let equal = pairs
                    .iter()
                    .all(|(a, b)| size(a.index()) == size(b.index()));
                let heaps = self.game.heap_count() - self.game.states.len();
                let others_empty = self.game.heaps().take(heaps).all(|heap| {
                    position[heap.index()] == 0
                        || pairs.iter().any(|(a, b)| heap == *a || heap == *b)
                });
                !(equal && others_empty) || outcome == Class::P
            }
            Statement::WinsBy { option, condition } => {
                let environment = || Environment::new(self.game, position);
                let speaks = match condition {
                    Some(condition) => environment().holds(condition).map_err(at)?,
                    None => true,
                };
                if !speaks {
                    return Ok(Some(true));
                }
                let mut to = Vec::new();
                for size in option {
                    to.push(environment().number(size).map_err(at)?);
                }
                let to: Option<Vec<u64>> =
                    to.into_iter().map(|size| size.try_into().ok()).collect();
                let Some(to) = to else {
                    return Ok(Some(false));
                };
                let is_option = options(self.game, position, None)
                    .map_err(at)?
                    .contains(&to);
                is_option && self.solution.outcome(&to) == Some(Class::P)
            }
            Statement::SameAs(claimed)
                if claimed.map.is_some() || claimed.agreement != Agreement::Options =>
            {
                self.agrees_at(claimed, position, outcome)?
            }
            Statement::Period { .. }
            | Statement::SameAs(_)
            | Statement::Cogame(_)
            | Statement::KernelCount(_)
            | Statement::Quotient { .. } => return Ok(None),
        }))
    }

    /// Whether a position agrees with its image in another game, or the claim says nothing of
    /// it.
    fn agrees_at(
        &mut self,
        claimed: &SameAs,
        position: &[u64],
        outcome: Class,
    ) -> Result<bool, FaultAt> {
        let at = |fault| FaultAt {
            fault,
            position: position.to_vec(),
        };
        let other = &claimed.other;
        let game = self.game;
        let speaks_of =
            |position: &[u64]| Environment::new(game, position).holds(&claimed.condition);
        // The image, if it is a position of the other game.
        let image_of = |position: &[u64]| -> Result<Option<Vec<u64>>, Fault> {
            let sizes = match &claimed.map {
                Some(map) => Environment::new(game, position).list(map)?,
                None => position.iter().map(|size| *size as i64).collect(),
            };
            let sizes: Option<Vec<u64>> =
                sizes.iter().map(|size| (*size).try_into().ok()).collect();
            let Some(mut sizes) = sizes else {
                return Ok(None);
            };
            let is_position = match other.position_kind {
                PositionKind::Multiset(_) => {
                    sizes.retain(|size| *size > 0);
                    sizes.sort_unstable();
                    true
                }
                _ => sizes.len() == other.heap_count(),
            };
            Ok((is_position && is_position_of(other, &sizes)?).then_some(sizes))
        };
        if !speaks_of(position).map_err(at)? {
            return Ok(true);
        }
        let Some(image) = image_of(position).map_err(at)? else {
            return Ok(false);
        };
        if claimed.agreement == Agreement::Options {
            let mut ours = BTreeSet::new();
            for option in options(self.game, position, None).map_err(at)? {
                match speaks_of(&option).map_err(at)? {
                    true => ours.insert(image_of(&option).map_err(at)?),
                    false => return Ok(false),
                };
            }
            let theirs = options(other, &image, None).map_err(at)?;
            return Ok(ours == theirs.into_iter().map(Some).collect());
        }
        let graph = GameGraph::from(other, std::slice::from_ref(&image))?;
        Ok(match claimed.agreement {
            Agreement::Grundy => {
                self.values.of(position) == GrundyValues::new(&graph, self.convention).of(&image)
            }
            _ => Solution::of(&graph, self.convention).outcome(&image) == Some(outcome),
        })
    }

    /// The first of these positions, by total and then in lexicographic order,
    /// at which a claim fails.
    ///
    /// # Errors
    ///
    /// If the claim has a fault at one of them.
    pub fn counterexample(
        &mut self,
        claim: &Claim,
        positions: &[Vec<u64>],
    ) -> Result<Option<Vec<u64>>, FaultAt> {
        let Some(statement) = &claim.statement else {
            return Ok(None);
        };
        let mut failures = Vec::new();
        for position in positions {
            if self.holds_at(statement, position)? == Some(false) {
                failures.push((self.game.size_key(position).0, position.clone()));
            }
        }
        Ok(failures.into_iter().min().map(|(_, position)| position))
    }

    /// Whether an example is true. `None` if its position was not solved.
    ///
    /// # Errors
    ///
    /// If the moves of the position have a fault.
    pub fn is_right(&mut self, example: &Example) -> Result<Option<bool>, FaultAt> {
        let position = &example.position;
        let Some(outcome) = self.solution.outcome(position) else {
            return Ok(None);
        };
        Ok(Some(match &example.verdict {
            Verdict::Is(class) => outcome == *class,
            Verdict::HasGrundy(value) => {
                u64::try_from(*value).is_ok_and(|value| self.values.of(position) == Some(value))
            }
            // One of the sides wins by the move: the opponent loses after it, and cannot
            // block all such moves.
            Verdict::WinsBy { options, only } => {
                let winning = self.winning_moves(position)?;
                options.iter().all(|option| winning.contains(option))
                    && (!only || winning.iter().all(|option| options.contains(option)))
            }
            Verdict::WinningMoves(number) => self.winning_moves(position)?.len() as u64 == *number,
            // The sides alternate, and either begins.
            Verdict::Play(line) => {
                let mut is_legal = false;
                for first in Side::BOTH {
                    let (mut from, mut side, mut all) = (position, first, true);
                    for to in line {
                        all = all && self.options_of(from, side)?.contains(to);
                        (from, side) = (to, side.other());
                    }
                    is_legal |= all;
                }
                is_legal
            }
        }))
    }

    fn options_of(&self, position: &[u64], side: Side) -> Result<BTreeSet<Vec<u64>>, FaultAt> {
        let found = options(self.game, position, Some(side)).map_err(|fault| FaultAt {
            fault,
            position: position.to_vec(),
        })?;
        Ok(found.into_iter().collect())
    }

    /// The options by which one of the sides wins.
    fn winning_moves(&self, position: &[u64]) -> Result<BTreeSet<Vec<u64>>, FaultAt> {
        let mut winning = BTreeSet::new();
        for side in Side::BOTH {
            if !matches!(
                self.solution.label(position, side),
                Some(crate::Label::Win(_))
            ) {
                continue;
            }
            for option in self.options_of(position, side)? {
                let reply = self.solution.label(&option, side.other());
                if matches!(reply, Some(crate::Label::Lose(_))) {
                    winning.insert(option);
                }
            }
        }
        Ok(winning)
    }
}
