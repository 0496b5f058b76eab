//! Answers about a game.

use crate::compile::Compiled;
use nimrule_answer::proof::{Dfa, tracks};
use nimrule_answer::{Basis, DiscoveredSet, Extent};
use nimrule_automata::Track;
use nimrule_engine::{BySide, CODES, NO_VALUE, Outcome, Region, Table, TableValues};
use nimrule_model::game::Game;
use std::fmt;
use std::sync::Arc;

/// Who wins at a position, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// P: the previous player wins; N: the next. L, R and D in partizan and
    /// loopy games.
    pub outcome: Outcome,
    /// The Grundy value under normal play, if it was requested or is cheap.
    pub grundy: Option<u64>,
    /// The options that are P-positions, in lexicographic order; empty in partizan
    /// games (see `by_side`).
    pub winning_moves: Vec<Vec<u64>>,
    /// Whether `winning_moves` is complete: a limit, or a claim that gives only some
    /// moves, may omit others.
    pub all_moves: bool,
    /// In partizan and loopy games, what the player to move achieves and in how
    /// many moves.
    pub by_side: Option<BySide>,
    /// What the answer rests on.
    pub basis: Basis,
}

impl From<nimrule_answer::Answer> for Answer {
    fn from(answer: nimrule_answer::Answer) -> Answer {
        let small = |to: &nimrule_answer::Position| to.small().map(<[u64]>::to_vec);
        Answer {
            outcome: answer.outcome,
            grundy: answer.grundy,
            winning_moves: answer.moves.found.iter().filter_map(small).collect(),
            all_moves: answer.moves.extent == Extent::All,
            by_side: answer.by_side,
            basis: answer.basis,
        }
    }
}

/// The outcomes of all positions up to a bound.
///
/// [`Display`](fmt::Display) writes the P-positions, one a line in
/// lexicographic order, for snapshots; in a partizan or loopy game every
/// position with its outcome.
#[derive(Debug, Clone)]
pub struct Outcomes {
    compiled: Arc<Compiled>,
    region: Region,
    codes: Vec<u8>,
}

impl Outcomes {
    /// The outcomes by their code in [`codes`](Outcomes::codes): N, P, no position, L,
    /// R and D, in this order.
    pub const CODES: [Option<Outcome>; 6] = CODES;

    pub(crate) fn new(compiled: Arc<Compiled>, table: Table) -> Outcomes {
        let (region, values) = table.into_parts();
        Outcomes {
            compiled,
            region,
            codes: codes_of(values),
        }
    }

    /// The lengths of the table by heap: one more than the largest number of tokens, or
    /// for tokens on a digraph the number of vertices. `None` if the positions are a
    /// list, in the order of [`iter`](Outcomes::iter): those of multisets of heaps, and
    /// those that a large `positions where` leaves.
    pub fn shape(&self) -> Option<Vec<usize>> {
        shape(&self.region)
    }

    /// A code for each place of the table, an index of [`Outcomes::CODES`]. The table is
    /// row-major: the last heap changes fastest. By lengths `[m, n]`, the outcome of
    /// `(a, b)` is at `a * n + b`.
    ///
    /// ```
    /// use nimrule::{Game, Outcome, Outcomes};
    ///
    /// let nim = Game::parse("game nim heaps a b move take from one heap")?;
    /// let table = nim.table(2)?;
    /// assert_eq!(table.shape(), Some(vec![3, 3]));
    /// assert_eq!(table.codes(), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    /// assert_eq!(Outcomes::CODES[1], Some(Outcome::P));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The codes, without a copy.
    pub fn into_codes(self) -> Vec<u8> {
        self.codes
    }

    /// The outcome of a position; `None` if it is not in the table.
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let table = Game::parse("game g heaps a move take 1..2 from a")?.table(6)?;
    /// assert_eq!(table.get(&[3]), Some(Outcome::P));
    /// assert_eq!(table.get(&[7]), None);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn get(&self, position: &[u64]) -> Option<Outcome> {
        CODES[usize::from(self.codes[self.region.place(position)?])]
    }

    /// All positions with their outcomes, in lexicographic order; those of multisets by the
    /// number of tokens first.
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let table = Game::parse("game g heaps a move take 1..2 from a")?.table(6)?;
    /// let p = table.iter().filter(|(_, outcome)| *outcome == Outcome::P);
    /// assert_eq!(p.map(|(position, _)| position[0]).collect::<Vec<_>>(), [0, 3, 6]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Vec<u64>, Outcome)> + '_ {
        let classes = self.codes.iter().map(|code| CODES[usize::from(*code)]);
        let places = classes.enumerate();
        places.filter_map(|(place, class)| Some((self.region.at(place), class?)))
    }

    /// The positions up to the symmetries of the rule, in lexicographic order: of each
    /// orbit the smallest position, its outcome, and the number of positions of the orbit.
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let nim = Game::parse("game nim heaps a b c move take from one heap")?;
    /// let table = nim.table(2)?;
    /// let p = table.up_to_symmetry().filter(|(_, outcome, _)| *outcome == Outcome::P);
    /// let p: Vec<(Vec<u64>, u128)> = p.map(|(position, _, orbit)| (position, orbit)).collect();
    /// assert_eq!(p, [(vec![0, 0, 0], 1), (vec![0, 1, 1], 3), (vec![0, 2, 2], 3)]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn up_to_symmetry(&self) -> impl Iterator<Item = (Vec<u64>, Outcome, u128)> + '_ {
        up_to_symmetry(&self.compiled.game, self.iter())
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = &self.compiled.game;
        let all = game.no_grundy_values().is_some();
        for (position, outcome) in self.iter() {
            if all {
                writeln!(f, "{} {outcome}", game.shown(&position))?;
            } else if outcome == Outcome::P {
                writeln!(f, "{}", game.shown(&position))?;
            }
        }
        Ok(())
    }
}

/// The Grundy values of all positions up to a bound.
///
/// [`Display`](fmt::Display) writes `POSITION VALUE`, one position a line.
#[derive(Debug, Clone)]
pub struct GrundyValues {
    compiled: Arc<Compiled>,
    region: Region,
    values: Vec<u32>,
}

impl GrundyValues {
    /// The entry of [`codes`](GrundyValues::codes) at a place that is not a position.
    pub const NO_VALUE: u32 = NO_VALUE;

    /// `None` if the table has outcomes only.
    pub(crate) fn new(compiled: Arc<Compiled>, table: Table) -> Option<GrundyValues> {
        match table.into_parts() {
            (region, TableValues::Grundy(values)) => Some(GrundyValues {
                compiled,
                region,
                values,
            }),
            (_, TableValues::Outcomes(_)) => None,
        }
    }

    /// The lengths of the table by heap, as [`Outcomes::shape`].
    pub fn shape(&self) -> Option<Vec<usize>> {
        shape(&self.region)
    }

    /// The Grundy value at each place of the table, in the order of
    /// [`Outcomes::codes`]; [`GrundyValues::NO_VALUE`] where there is no position.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// let values = nim.grundy_table(2)?;
    /// assert_eq!(values.shape(), Some(vec![3, 3]));
    /// assert_eq!(values.codes(), [0, 1, 2, 1, 0, 3, 2, 3, 0]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn codes(&self) -> &[u32] {
        &self.values
    }

    /// The values, without a copy.
    pub fn into_codes(self) -> Vec<u32> {
        self.values
    }

    /// The Grundy value of a position; `None` if it is not in the table.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game g heaps a move take 1..2 from a")?;
    /// assert_eq!(game.grundy_table(6)?.get(&[5]), Some(2));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn get(&self, position: &[u64]) -> Option<u64> {
        value(self.values[self.region.place(position)?])
    }

    /// All positions with their values, in lexicographic order; those of multisets by the
    /// number of tokens first.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game g heaps a move take 1..2 from a")?;
    /// let values = game.grundy_table(4)?;
    /// assert_eq!(values.iter().map(|(_, value)| value).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Vec<u64>, u64)> + '_ {
        let places = self.values.iter().enumerate();
        places.filter_map(|(place, found)| Some((self.region.at(place), value(*found)?)))
    }

    /// The positions up to the symmetries of the rule, in lexicographic order: of each
    /// orbit the smallest position, its value, and the number of positions of the orbit.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// let values: Vec<(Vec<u64>, u64, u128)> = nim.grundy_table(1)?.up_to_symmetry().collect();
    /// assert_eq!(values, [(vec![0, 0], 0, 1), (vec![0, 1], 1, 2), (vec![1, 1], 0, 1)]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn up_to_symmetry(&self) -> impl Iterator<Item = (Vec<u64>, u64, u128)> + '_ {
        up_to_symmetry(&self.compiled.game, self.iter())
    }
}

/// The smallest position of each orbit with what is known of it, and the orbit's size.
fn up_to_symmetry<T>(
    game: &Game,
    positions: impl Iterator<Item = (Vec<u64>, T)>,
) -> impl Iterator<Item = (Vec<u64>, T, u128)> {
    positions
        .filter(|(position, _)| game.facts.symmetries.is_canonical(position))
        .map(|(position, known)| {
            let orbit = game.facts.symmetries.orbit_size(&position);
            (position, known, orbit)
        })
}

impl fmt::Display for GrundyValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, value) in self.iter() {
            writeln!(f, "{} {value}", self.compiled.game.shown(&position))?;
        }
        Ok(())
    }
}

/// The Grundy value of an entry; `None` if it is not that of a position.
fn value(entry: u32) -> Option<u64> {
    (entry != NO_VALUE).then_some(u64::from(entry))
}

/// The outcome by an entry of a table of Grundy values.
fn class_of(entry: u32) -> Option<Outcome> {
    let class = |value| if value == 0 { Outcome::P } else { Outcome::N };
    value(entry).map(class)
}

/// The codes of the outcomes of a table, as [`Outcomes::codes`] has them.
pub fn codes_of(values: TableValues) -> Vec<u8> {
    match values {
        TableValues::Outcomes(codes) => codes,
        TableValues::Grundy(values) => {
            let code = |value: &u32| CODES.iter().position(|class| *class == class_of(*value));
            let codes = values.iter().filter_map(code);
            codes.map(|code| code as u8).collect()
        }
    }
}

/// The lengths of a table by heap, as [`Outcomes::shape`] has them; `None` for a list.
pub fn shape(region: &Region) -> Option<Vec<usize>> {
    let shape = match region {
        Region::Box(shape) => shape,
        Region::Placements(places) => &places.shape,
        Region::List(_) => return None,
    };
    // INVARIANT: a table in memory has fewer places than `usize` can count.
    Some(shape.most.iter().map(|most| *most as usize + 1).collect())
}

/// The set of the P-positions for heaps of all sizes, found and proved.
#[derive(Debug, Clone)]
pub struct Discovery {
    set: Arc<Dfa>,
    tracks: Vec<Track>,
}

impl Discovery {
    pub(crate) fn new(game: &Game, found: &DiscoveredSet) -> Discovery {
        Discovery {
            set: Arc::clone(&found.set),
            tracks: tracks(game),
        }
    }

    /// How many states the smallest automaton has.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// assert_eq!(game.discover()?.expect("an automaton").states(), 2);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn states(&self) -> usize {
        self.set.states()
    }

    /// Whether a position, with heaps of any size, is a P-position.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// let found = game.discover()?.expect("an automaton");
    /// assert!(found.is_p(&[1 << 60, 1 << 60]));
    /// assert!(!found.is_p(&[1 << 60, 1]));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn is_p(&self, position: &[u64]) -> bool {
        let numbers: Vec<_> = self
            .tracks
            .iter()
            .copied()
            .zip(position.iter().copied())
            .collect();
        position.len() == self.tracks.len() && self.set.accepts(&numbers)
    }

    /// The automaton: one track per heap, the most significant digit first.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// let found = game.discover()?.expect("an automaton");
    /// assert_eq!(found.automaton().tracks().len(), 2);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn automaton(&self) -> &Dfa {
        &self.set
    }
}
