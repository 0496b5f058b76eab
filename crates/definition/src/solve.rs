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

/// The options, for each side to move, of some positions and of all that are
/// reached from them.
#[derive(Debug, Clone)]
pub struct Reached<'g> {
    game: &'g Game,
    options: BTreeMap<Vec<u64>, [BTreeSet<Vec<u64>>; 2]>,
}

impl<'g> Reached<'g> {
    /// There must be finitely many of them.
    ///
    /// # Errors
    ///
    /// If the options of some position have a fault.
    pub fn from(game: &'g Game, positions: &[Vec<u64>]) -> Result<Reached<'g>, FaultAt> {
        let mut all = BTreeMap::new();
        let mut new = positions.to_vec();
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
        Ok(Reached { game, options: all })
    }

    pub fn game(&self) -> &'g Game {
        self.game
    }

    /// The options of a position with `side` to move. `None` if it was not
    /// reached.
    pub fn options(&self, position: &[u64], side: Side) -> Option<&BTreeSet<Vec<u64>>> {
        let both = self.options.get(position)?;
        Some(match side {
            Side::Left => &both[0],
            Side::Right => &both[1],
        })
    }
}

/// Who wins at some positions and at all that are reached from them.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Of each position with Left to move, and with Right.
    labels: BTreeMap<Vec<u64>, [Label; 2]>,
}

impl Solution {
    /// Solves the positions: each from its options, where play ends, and
    /// otherwise in rounds.
    pub fn of(reached: &Reached<'_>, convention: Convention) -> Solution {
        let mut labels: BTreeMap<Vec<u64>, [Option<Label>; 2]> = BTreeMap::new();
        for position in reached.options.keys() {
            labels.insert(position.clone(), [None; 2]);
        }
        if reached.game.may_repeat {
            by_rounds(reached, convention, &mut labels);
        } else {
            for position in reached.options.keys() {
                for side in 0..2 {
                    by_recursion(reached, convention, position, side, &mut labels);
                }
            }
        }
        let labels = labels
            .into_iter()
            .map(|(position, both)| (position, both.map(|label| label.unwrap_or(Label::Draw))));
        Solution {
            labels: labels.collect(),
        }
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

type Labels = BTreeMap<Vec<u64>, [Option<Label>; 2]>;

/// In round n a position becomes a win if some option is lost, and lost if
/// every option is won. What no round settles is drawn.
fn by_rounds(reached: &Reached<'_>, convention: Convention, labels: &mut Labels) {
    loop {
        let mut settled = Vec::new();
        for (position, both) in &reached.options {
            for side in 0..2 {
                if labels[position][side].is_none() {
                    let replies = both[side].iter().map(|option| labels[option][1 - side]);
                    let label = label(&replies.collect::<Vec<_>>(), convention);
                    settled.extend(label.map(|label| (position, side, label)));
                }
            }
        }
        if settled.is_empty() {
            return;
        }
        for (position, side, label) in settled {
            labels.entry(position.clone()).or_default()[side] = Some(label);
        }
    }
}

/// A position is what its options make of it.
fn by_recursion(
    reached: &Reached<'_>,
    convention: Convention,
    position: &[u64],
    side: usize,
    labels: &mut Labels,
) -> Option<Label> {
    if let Some(label) = labels.get(position)?[side] {
        return Some(label);
    }
    let options = reached.options.get(position)?[side].iter();
    let replies: Vec<Option<Label>> = options
        .map(|option| by_recursion(reached, convention, option, 1 - side, labels))
        .collect();
    let label = label(&replies, convention);
    labels.entry(position.to_vec()).or_default()[side] = label;
    label
}

/// What the options, as they are for the other player, make of a position. The
/// winner hurries, and the loser holds out.
fn label(replies: &[Option<Label>], convention: Convention) -> Option<Label> {
    if replies.is_empty() {
        return Some(match convention {
            Convention::Normal => Label::Lose(0),
            Convention::Misere => Label::Win(0),
        });
    }
    let lost = replies.iter().filter_map(|reply| match reply {
        Some(Label::Lose(moves)) => Some(moves + 1),
        _ => None,
    });
    if let Some(moves) = lost.min() {
        return Some(Label::Win(moves));
    }
    let mut longest = 0;
    for reply in replies {
        let Some(Label::Win(moves)) = reply else {
            return None;
        };
        longest = longest.max(moves + 1);
    }
    Some(Label::Lose(longest))
}

/// Grundy values of a game in which both have the same moves and play ends.
#[derive(Debug, Clone)]
pub struct Values<'r> {
    reached: &'r Reached<'r>,
    convention: Convention,
    known: BTreeMap<Vec<u64>, u64>,
}

impl<'r> Values<'r> {
    pub fn new(reached: &'r Reached<'r>, convention: Convention) -> Values<'r> {
        Values {
            reached,
            convention,
            known: BTreeMap::new(),
        }
    }

    /// The smallest number that is not the value of an option. In misere play
    /// a position without options counts as 1. `None` if the position was not
    /// reached.
    pub fn of(&mut self, position: &[u64]) -> Option<u64> {
        if let Some(value) = self.known.get(position) {
            return Some(*value);
        }
        let options = self.reached.options(position, Side::Left)?;
        let mut values = BTreeSet::new();
        for option in options {
            values.insert(self.of(option)?);
        }
        let value = match (options.is_empty(), self.convention) {
            (true, Convention::Misere) => 1,
            _ => (0..).find(|value| !values.contains(value))?,
        };
        self.known.insert(position.to_vec(), value);
        Some(value)
    }
}
