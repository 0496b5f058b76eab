//! Who wins: outcomes, the moves until the end, Grundy values. Chapters "Two
//! players" and "Relations" of the reference.

use crate::{FaultAt, options};
use nimrule_model::game::{Class, Convention, Game, Side};
use std::collections::{BTreeMap, BTreeSet};

/// What a position is for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A win in so many moves of both players: the winner hurries, the loser
    /// holds out.
    Win(u32),
    Lose(u32),
    Draw,
}

/// Who wins at some positions and at all that are reached from them.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Of each position with Left to move, and with Right.
    labels: BTreeMap<Vec<u64>, [Label; 2]>,
}

type Options = BTreeMap<Vec<u64>, [BTreeSet<Vec<u64>>; 2]>;

/// The options, for each side to move, of the positions that are reached from
/// these.
fn reached(game: &Game, from: &[Vec<u64>]) -> Result<Options, FaultAt> {
    let mut all = Options::new();
    let mut new = from.to_vec();
    while let Some(position) = new.pop() {
        if all.contains_key(&position) {
            continue;
        }
        let by = |side| {
            options(game, &position, Some(side)).map_err(|fault| FaultAt {
                fault,
                position: position.clone(),
            })
        };
        let both = match game.has_sides() {
            true => [by(Side::Left)?, by(Side::Right)?],
            false => {
                let options = by(Side::Left)?;
                [options.clone(), options]
            }
        };
        new.extend(both.iter().flatten().cloned());
        all.insert(position, both);
    }
    Ok(all)
}

impl Solution {
    /// Solves the positions and all that are reached from them, which must be
    /// finitely many, in rounds. In round n a position becomes a win if some
    /// option is lost, and lost if every option is won. What no round settles
    /// is drawn.
    ///
    /// # Errors
    ///
    /// If the options of some position have a fault.
    pub fn of(
        game: &Game,
        positions: &[Vec<u64>],
        convention: Convention,
    ) -> Result<Solution, FaultAt> {
        let options = reached(game, positions)?;
        let mut labels: BTreeMap<&Vec<u64>, [Option<Label>; 2]> = options
            .keys()
            .map(|position| (position, [None; 2]))
            .collect();
        for round in 0.. {
            let mut settled = Vec::new();
            for (position, both) in &options {
                for side in 0..2 {
                    if labels[position][side].is_none() {
                        let replies: Vec<Option<Label>> = both[side]
                            .iter()
                            .map(|option| labels[option][1 - side])
                            .collect();
                        let label = label(&replies, round, convention);
                        settled.extend(label.map(|label| (position, side, label)));
                    }
                }
            }
            if settled.is_empty() {
                break;
            }
            for (position, side, label) in settled {
                labels.entry(position).or_default()[side] = Some(label);
            }
        }
        let labels = labels.into_iter().map(|(position, both)| {
            (
                position.clone(),
                both.map(|label| label.unwrap_or(Label::Draw)),
            )
        });
        Ok(Solution {
            labels: labels.collect(),
        })
    }

    /// What the position is with `side` to move. `None` if it was not solved.
    pub fn label(&self, position: &[u64], side: Side) -> Option<Label> {
        let both = self.labels.get(position)?;
        Some(match side {
            Side::Left => both[0],
            Side::Right => both[1],
        })
    }

    /// The outcome class. `None` if the position was not solved.
    pub fn outcome(&self, position: &[u64]) -> Option<Class> {
        use Label::{Draw, Lose, Win};
        Some(match self.labels.get(position)? {
            [Draw, _] | [_, Draw] => Class::D,
            [Win(_), Win(_)] => Class::N,
            [Win(_), Lose(_)] => Class::L,
            [Lose(_), Win(_)] => Class::R,
            [Lose(_), Lose(_)] => Class::P,
        })
    }
}

/// What the options, as they are for the other player, make of a position.
fn label(replies: &[Option<Label>], round: u32, convention: Convention) -> Option<Label> {
    let is_lost = |label: &Option<Label>| matches!(label, Some(Label::Lose(_)));
    let is_won = |label: &Option<Label>| matches!(label, Some(Label::Win(_)));
    if replies.is_empty() {
        return Some(match convention {
            Convention::Normal => Label::Lose(0),
            Convention::Misere => Label::Win(0),
        });
    }
    if replies.iter().any(is_lost) {
        return Some(Label::Win(round));
    }
    replies.iter().all(is_won).then_some(Label::Lose(round))
}

/// Grundy values of a game in which both have the same moves and play ends.
#[derive(Debug, Clone)]
pub struct Values<'g> {
    game: &'g Game,
    convention: Convention,
    known: BTreeMap<Vec<u64>, u64>,
}

impl<'g> Values<'g> {
    pub fn new(game: &'g Game, convention: Convention) -> Values<'g> {
        Values {
            game,
            convention,
            known: BTreeMap::new(),
        }
    }

    /// The smallest number that is not the value of an option. In misere play
    /// a position without options counts as 1.
    ///
    /// # Errors
    ///
    /// If the options of the position, or of one reached from it, have a fault.
    pub fn of(&mut self, position: &[u64]) -> Result<u64, FaultAt> {
        if let Some(value) = self.known.get(position) {
            return Ok(*value);
        }
        let options = options(self.game, position, None).map_err(|fault| FaultAt {
            fault,
            position: position.to_vec(),
        })?;
        let mut values = BTreeSet::new();
        for option in &options {
            values.insert(self.of(option)?);
        }
        let value = match (options.is_empty(), self.convention) {
            (true, Convention::Misere) => 1,
            _ => (0..).find(|value| !values.contains(value)).unwrap_or(0),
        };
        self.known.insert(position.to_vec(), value);
        Ok(value)
    }
}
