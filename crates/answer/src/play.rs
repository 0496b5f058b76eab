//! Play against the program: a position to begin with, the program's moves, and where a win
//! was given away.

use super::answer::{Turn, Unanswered};
use super::session::Session;
use nimrule_engine::{Label, SolveError};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, PositionKind, Side, State};
use nimrule_model::position::Position;

/// A source of random numbers: the argument is the number of possible results, which begin
/// at 0.
pub type Random<'r> = &'r mut dyn FnMut(u64) -> u64;

/// How strongly the program plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Of a hundred moves, this many are random.
    pub errs: u8,
}

impl Level {
    /// The levels, the weakest first; the last one never gives a win away.
    pub const ALL: [Level; 4] = [
        Level {
            name: "beginner",
            errs: 100,
        },
        Level {
            name: "learner",
            errs: 50,
        },
        Level {
            name: "expert",
            errs: 20,
        },
        Level {
            name: "perfect",
            errs: 0,
        },
    ];

    /// The level of a name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name == name)
    }
}

/// The number of random positions that are tried for a start.
const TRIES: usize = 200;

impl Session<'_> {
    /// After a position has stood this often with the same player to move, play is drawn.
    pub const REPETITIONS: usize = 3;

    /// The program's move: one that wins or, without one, that draws or loses as late as
    /// possible. Of a hundred moves, `errs` are random. `options` are those of the position
    /// for `side`, and not empty.
    ///
    /// # Errors
    ///
    /// Why the position or an option has no answer.
    pub fn reply(
        &self,
        position: &Position,
        side: Option<Side>,
        convention: Convention,
        options: &[Position],
        errs: u8,
        random: Random<'_>,
    ) -> Result<Position, Unanswered> {
        if errs > 0 && random(100) < u64::from(errs) {
            return Ok(any_of(options, random));
        }
        let answer = self.outcome(position, convention)?;
        if answer.turn(side) != Turn::Loses {
            let best = answer.best(side);
            // The shortest win comes first where play may go round in circles.
            return Ok(match best.first() {
                Some(first) if self.game().may_repeat => first.clone(),
                Some(_) => any_of(&best, random),
                None => any_of(options, random),
            });
        }
        let mut latest: (u32, Vec<Position>) = (0, Vec::new());
        for option in options {
            let after = self.outcome(option, convention)?;
            let Some(Label::Win(moves)) = after.label(side.map(Side::other)) else {
                return Ok(any_of(options, random));
            };
            if moves > latest.0 {
                latest = (moves, Vec::new());
            }
            if moves == latest.0 {
                latest.1.push(option.clone());
            }
        }
        Ok(any_of(&latest.1, random))
    }

    /// A move that would have won, if the move of `side` from one position to another gave a
    /// win away.
    ///
    /// # Errors
    ///
    /// Why one of the positions has no answer.
    pub fn given_away(
        &self,
        from: &Position,
        to: &Position,
        side: Option<Side>,
        convention: Convention,
    ) -> Result<Option<Position>, Unanswered> {
        let before = self.outcome(from, convention)?;
        if before.turn(side) != Turn::Wins {
            return Ok(None);
        }
        let after = self.outcome(to, convention)?;
        Ok(match after.turn(side.map(Side::other)) {
            Turn::Loses => None,
            Turn::Wins | Turn::Draws => before.best(side).into_iter().next(),
        })
    }

    /// A random position at which `first`, who is to move, achieves what is wanted, small
    /// enough to be answered at once; if there is none among those tried, any position with
    /// a move.
    ///
    /// # Errors
    ///
    /// Why a position has no answer, or that none of those tried has a move.
    pub fn random_position(
        &self,
        first: Option<Side>,
        wanted: Turn,
        convention: Convention,
        random: Random<'_>,
    ) -> Result<Position, Unanswered> {
        let mut walker = Walker::new(&self.solver.graph, &[]);
        let mut other = None;
        for _ in 0..TRIES {
            let position = self.any_position(None, random);
            if walker.is_position(&position) != Ok(true) {
                continue;
            }
            let position = Position::from(position);
            if self.options(&position, first, convention)?.list.is_empty() {
                continue;
            }
            if self.outcome(&position, convention)?.turn(first) == wanted {
                return Ok(position);
            }
            other = Some(position);
        }
        other.ok_or_else(|| {
            Unanswered::from(SolveError::Refused {
                reason: "no random position has a move; give a position".to_owned(),
            })
        })
    }

    /// Random numbers for a position, which `positions where` may exclude: heaps of at most
    /// `most` tokens, and tokens on the first `most + 1` vertices. A state has its initial value if
    /// there is one.
    pub(super) fn any_position(&self, most: Option<u64>, random: Random<'_>) -> Vec<u64> {
        let game = self.game();
        let heaps = game.heap_count();
        let limit = most.unwrap_or(u64::MAX - 1);
        let most = most.unwrap_or(match game.presentation.suggest_max {
            Some(max) => max.clamp(1, 9),
            None => match heaps {
                0..=3 => 9,
                4..=6 => 5,
                7..=12 => 2,
                _ => 1,
            },
        });
        let mut within = |low: u64, high: u64| low + random(high - low + 1);
        let range = |state: &State| match state.initial {
            Some(initial) => (initial, initial),
            None => (state.low, state.bound(most)),
        };
        match &game.position_kind {
            PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
                let states = game.states.iter().map(range);
                let sizes = std::iter::repeat_n((0, most), game.first_state());
                let sizes = sizes.chain(states);
                sizes.map(|(low, high)| within(low, high)).collect()
            }
            PositionKind::Tokens(digraph) => (0..heaps)
                .map(|_| digraph.number(within(0, limit.min(digraph.len() as u64 - 1)) as usize))
                .collect(),
            PositionKind::Multiset(kinds) => {
                let mut heaps: Vec<u64> = (0..within(1, 3))
                    .map(|_| {
                        let kind = within(0, kinds.names.len().max(1) as u64 - 1);
                        kinds.encode(within(1, limit.clamp(1, 10)), kind as usize)
                    })
                    .collect();
                for (state, (_, values)) in kinds.states.iter().enumerate() {
                    let (low, high) = range(values);
                    let value = within(low, high);
                    heaps.push(kinds.encode_state(state, value));
                }
                heaps.sort_unstable();
                heaps
            }
        }
    }
}

pub(super) fn any_of(list: &[Position], random: Random<'_>) -> Position {
    list[random(list.len() as u64) as usize].clone()
}
