//! Outcomes, remoteness and Grundy values: chapters "Two players" and
//! "Relations" of the reference.

use crate::{FaultAt, options};
use nimrule_model::game::{Class, Convention, Game, Side};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a position for the player to move, with its remoteness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A win. The remoteness is the number of moves of both players until play
    /// ends if the winner plays for the fewest and the loser for the most.
    Win(u32),
    /// A loss, with its remoteness.
    Lose(u32),
    /// A draw: neither player can force a win.
    Draw,
}

/// The game graph of some positions: they and all their followers, with the
/// options for each side to move.
#[derive(Debug, Clone)]
pub struct GameGraph<'g> {
    game: &'g Game,
    options: BTreeMap<Vec<u64>, [BTreeSet<Vec<u64>>; 2]>,
}

impl<'g> GameGraph<'g> {
    /// The game graph of some positions, which must have finitely many
    /// followers.
    ///
    /// # Errors
    ///
    /// If the moves of one of the positions have a fault.
    pub fn from(game: &'g Game, positions: &[Vec<u64>]) -> Result<GameGraph<'g>, FaultAt> {
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
        Ok(GameGraph { game, options: all })
    }

    /// The game of the positions.
    pub fn game(&self) -> &'g Game {
        self.game
    }

    /// The options of a position with `side` to move. `None` if the position is
    /// not in the graph.
    pub fn options(&self, position: &[u64], side: Side) -> Option<&BTreeSet<Vec<u64>>> {
        let both = self.options.get(position)?;
        Some(match side {
            Side::Left => &both[0],
            Side::Right => &both[1],
        })
    }
}

/// The labels of all positions of a game graph.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The labels of each position with Left to move and with Right to move.
    labels: BTreeMap<Vec<u64>, [Label; 2]>,
}

impl Solution {
    /// Solves a game graph: by recursion if play ends, otherwise by retrograde
    /// analysis.
    pub fn of(graph: &GameGraph<'_>, convention: Convention) -> Solution {
        let mut labels: BTreeMap<Vec<u64>, [Option<Label>; 2]> = BTreeMap::new();
        for position in graph.options.keys() {
            labels.insert(position.clone(), [None; 2]);
        }
        if graph.game.may_repeat {
            retrograde(graph, convention, &mut labels);
        } else {
            for position in graph.options.keys() {
                for side in 0..2 {
                    backward_induction(graph, convention, position, side, &mut labels);
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

    /// The label of a position with `side` to move. `None` if the position is
    /// not in the graph.
    pub fn label(&self, position: &[u64], side: Side) -> Option<Label> {
        let both = self.labels.get(position)?;
        Some(match side {
            Side::Left => both[0],
            Side::Right => both[1],
        })
    }

    /// The outcome class. `None` if the position is not in the graph.
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

/// Labels positions in rounds: a position becomes a win if some option is a
/// loss, and a loss if every option is a win. Positions that no round labels
/// are draws.
fn retrograde(graph: &GameGraph<'_>, convention: Convention, labels: &mut Labels) {
    loop {
        let mut settled = Vec::new();
        for (position, both) in &graph.options {
            for side in 0..2 {
                if labels[position][side].is_none() {
                    let replies = both[side].iter().map(|option| labels[option][1 - side]);
                    let label = label(graph.game, &replies.collect::<Vec<_>>(), convention);
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

/// Labels a position and its followers, options first.
fn backward_induction(
    graph: &GameGraph<'_>,
    convention: Convention,
    position: &[u64],
    side: usize,
    labels: &mut Labels,
) -> Option<Label> {
    if let Some(label) = labels.get(position)?[side] {
        return Some(label);
    }
    let options = graph.options.get(position)?[side].iter();
    let replies: Vec<Option<Label>> = options
        .map(|option| backward_induction(graph, convention, option, 1 - side, labels))
        .collect();
    let label = label(graph.game, &replies, convention);
    labels.entry(position.to_vec()).or_default()[side] = label;
    label
}

/// The label of a position by the labels of its options for the opponent.
/// `None` if labels that are still missing decide it.
///
/// The opponent forbids at most k options, so that the player to move wins by the
/// (k + 1)-th of the lost options, and loses if all options but k are won. Under misere
/// play a player who cannot move wins, so that the opponent leaves an option if there is
/// one.
fn label(game: &Game, replies: &[Option<Label>], convention: Convention) -> Option<Label> {
    let blocked = usize::try_from(game.blocked_options).ok()?;
    let all = replies.len();
    let (enough_lost, enough_won) = match convention {
        _ if replies.is_empty() => (0, 0),
        Convention::Normal => (blocked + 1, all.saturating_sub(blocked)),
        Convention::Misere => (all.min(blocked + 1), all.saturating_sub(blocked).max(1)),
    };
    if enough_won == 0 {
        return Some(match (convention, replies.is_empty()) {
            (Convention::Misere, true) => Label::Win(0),
            _ => Label::Lose(0),
        });
    }
    // The remoteness of the lost and of the won options, ascending.
    let (mut lost, mut won) = (Vec::new(), Vec::new());
    for reply in replies {
        match reply {
            Some(Label::Lose(moves)) => lost.push(*moves),
            Some(Label::Win(moves)) => won.push(*moves),
            Some(Label::Draw) | None => {}
        }
    }
    lost.sort_unstable();
    won.sort_unstable();
    if let Some(moves) = lost.get(enough_lost - 1) {
        return Some(Label::Win(moves + 1));
    }
    won.get(enough_won - 1).map(|moves| Label::Lose(moves + 1))
}

/// The Grundy values of an impartial game in which play ends.
#[derive(Debug, Clone)]
pub struct GrundyValues<'r> {
    graph: &'r GameGraph<'r>,
    convention: Convention,
    known: BTreeMap<Vec<u64>, u64>,
}

impl<'r> GrundyValues<'r> {
    /// The values of a game graph, computed on demand.
    pub fn new(graph: &'r GameGraph<'r>, convention: Convention) -> GrundyValues<'r> {
        GrundyValues {
            graph,
            convention,
            known: BTreeMap::new(),
        }
    }

    /// The mex of the values of the options. In misere play a terminal position
    /// has value 1. `None` if the position is not in the graph.
    pub fn of(&mut self, position: &[u64]) -> Option<u64> {
        if let Some(value) = self.known.get(position) {
            return Some(*value);
        }
        let options = self.graph.options(position, Side::Left)?;
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
