//! The integer sequences of a game: values of single heaps, numbers and coordinates of
//! P-positions.

use super::session::Session;
use nimrule_engine::{Outcome, SolveError, heap_sequences};
use nimrule_model::game::{Convention, Game, PositionKind};

/// The most positions and the largest heap of a box that is chosen here.
const POSITIONS: u128 = 300_000;
const LARGEST_CHOSEN: u64 = 1000;

/// The largest single heap whose value is computed if the user asks for none.
const HEAPS: u64 = 100;

/// P-positions between two checks of the time limit.
const POSITIONS_A_CHECK: u64 = 1 << 12;

/// An integer sequence of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSequence {
    /// A short name, such as `p-by-total`.
    pub name: String,
    /// What the term of index n is, as a phrase without a full stop.
    pub what: String,
    /// The index of the first term.
    pub offset: u64,
    /// The terms, none of which depends on the size of the box.
    pub terms: Vec<u64>,
}

/// The sequences of a game, and the box in which its P-positions were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSequences {
    /// The largest heap of the box; with any number of heaps, the largest total.
    pub most: u64,
    /// The sequences.
    pub sequences: Vec<GameSequence>,
}

impl Session<'_> {
    /// The integer sequences of the game, from a box to the largest heap that is asked for or,
    /// without it, as far as about a second allows:
    ///
    /// - `grundy`: the Grundy values of single heaps, if every move changes one heap;
    /// - `p-heaps`: the sizes of the single heaps that are P-positions;
    /// - `p-smaller`, `p-larger`, `p-difference` for two interchangeable heaps, and `p-first`,
    ///   `p-second` for two others: the coordinates of the P-positions, by the larger one;
    /// - `p-by-total`: the number of P-positions with n tokens; and `p-by-multiple`, without
    ///   the totals between if all totals are multiples of a number;
    /// - `p-by-box`: the number of P-positions with heaps up to n;
    /// - `orbits-by-total`, `orbits-by-box`: the same, up to symmetry.
    ///
    /// # Errors
    ///
    /// [`SolveError::Refused`] for tokens on a digraph and for states without a bound;
    /// otherwise a fault in the rule, or a limit.
    pub fn sequences(
        &self,
        convention: Convention,
        asked: Option<u64>,
    ) -> Result<GameSequences, SolveError> {
        let (game, limits) = (self.game(), self.limits());
        if game.digraph().is_some() {
            return refused("the positions are vertices of a digraph, which are not counted");
        }
        if game.states.iter().any(|state| state.high.is_none()) {
            return refused("a state has no largest value, so that positions cannot be counted");
        }
        let mut sequences = match convention {
            Convention::Normal => self.of_single_heaps(asked.unwrap_or(HEAPS))?,
            Convention::Misere => Vec::new(),
        };
        let (most, table) = self.outcomes_in_box(convention, asked, POSITIONS, LARGEST_CHOSEN)?;
        let mut counted = Counted::new(game, most);
        for (seen, entry) in (0_u64..).zip(table.entries(&[Outcome::P])) {
            if seen.is_multiple_of(POSITIONS_A_CHECK) {
                limits.check_time()?;
            }
            counted.add(&entry.position);
        }
        sequences.extend(counted.sequences());
        let mut named = std::collections::BTreeSet::new();
        sequences.retain(|sequence| named.insert(sequence.name.clone()));
        Ok(GameSequences { most, sequences })
    }

    /// The values of single heaps and the P-positions among these; empty if a move changes
    /// several heaps, or if there are no Grundy values.
    fn of_single_heaps(&self, to: u64) -> Result<Vec<GameSequence>, SolveError> {
        let (game, solver) = (self.game(), self.solver());
        let Ok(rules) = solver.profile.heap_rules.as_ref() else {
            return Ok(Vec::new());
        };
        if game.no_grundy_values().is_some() {
            return Ok(Vec::new());
        }
        let kinds: Vec<Option<&str>> = match &game.position_kind {
            PositionKind::Multiset(kinds) if !kinds.names.is_empty() => {
                kinds.names.iter().map(|name| Some(name.as_str())).collect()
            }
            PositionKind::Heaps if rules.rules.len() > 1 => {
                let first_of = |kind| rules.kind_of_heap.iter().position(|of| *of == kind);
                let name = |kind| Some(game.heap_names[first_of(kind)?].as_str());
                (0..rules.rules.len()).map(name).collect()
            }
            _ => vec![None],
        };
        let explored = heap_sequences::explored(solver, to, self.limits())?;
        let mut found = Vec::new();
        for (kind, sequence) in kinds.into_iter().zip(&explored) {
            let (suffix, heap) = match kind {
                Some(kind) => (format!("-{kind}"), format!("a single {kind}")),
                None => (String::new(), "a single heap".to_owned()),
            };
            let values = sequence.values.iter().map(|value| u64::from(*value));
            let zeros = (0_u64..).zip(&sequence.values);
            let zeros = zeros.filter(|(_, value)| **value == 0).map(|(n, _)| n);
            found.push(GameSequence {
                name: format!("grundy{suffix}"),
                what: format!("the Grundy value of {heap} of n"),
                offset: 0,
                terms: values.collect(),
            });
            found.push(GameSequence {
                name: format!("p-heaps{suffix}"),
                what: format!("the n-th size at which {heap} is a P-position"),
                offset: 1,
                terms: zeros.collect(),
            });
        }
        Ok(found)
    }
}

fn refused<T>(reason: &str) -> Result<T, SolveError> {
    Err(SolveError::Refused {
        reason: format!("this game has no such sequences: {reason}"),
    })
}

/// P-positions, counted.
struct Counted<'g> {
    game: &'g Game,
    /// The number of P-positions, and of orbits of these, by the number of tokens.
    by_total: Vec<[u64; 2]>,
    /// The same by the largest heap.
    by_largest: Vec<[u64; 2]>,
    /// The P-positions of a game with one heap or two, as (larger, first, second).
    coordinates: Vec<(u64, u64, u64)>,
}

impl<'g> Counted<'g> {
    fn new(game: &'g Game, most: u64) -> Counted<'g> {
        let zeros = || (0..=most).map(|_| [0, 0]).collect();
        Counted {
            game,
            by_total: zeros(),
            by_largest: zeros(),
            coordinates: Vec::new(),
        }
    }

    fn add(&mut self, position: &[u64]) {
        let is_canonical = self.game.facts.symmetries.is_canonical(position);
        let add = |counts: &mut [u64; 2]| {
            counts[0] += 1;
            counts[1] += u64::from(is_canonical);
        };
        let heaps = match self.game.heap_count() {
            0 => &[][..],
            _ => &position[..self.game.first_state()],
        };
        let total = match self.game.heap_count() {
            0 => self.game.tokens(position),
            _ => heaps.iter().map(|size| u128::from(*size)).sum(),
        };
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        self.by_total.get_mut(total).map(add);
        if let Some(largest) = heaps.iter().max() {
            self.by_largest.get_mut(*largest as usize).map(add);
        }
        if self.game.states.is_empty()
            && let [first, others @ ..] = heaps
            && others.len() <= 1
        {
            let second = others.first().copied().unwrap_or(0);
            let larger = (*first).max(second);
            self.coordinates.push((larger, *first, second));
        }
    }

    fn sequences(mut self) -> Vec<GameSequence> {
        let mut found = self.of_coordinates();
        let has_symmetry = self
            .by_total
            .iter()
            .chain(&self.by_largest)
            .any(|[all, orbits]| all != orbits);
        let names = match has_symmetry {
            true => &[
                ("p", "P-positions"),
                ("orbits", "P-positions up to symmetry"),
            ][..],
            false => &[("p", "P-positions")],
        };
        for (which, (name, what)) in names.iter().enumerate() {
            let by_total: Vec<u64> = self.by_total.iter().map(|counts| counts[which]).collect();
            let with_some = (0..by_total.len()).filter(|total| by_total[*total] > 0);
            let step = with_some.fold(0, gcd);
            if step > 1 {
                found.push(GameSequence {
                    name: format!("{name}-by-multiple"),
                    what: format!(
                        "the number of {what} with {step}n tokens; to {}, all have a multiple of \
                         {step}",
                        by_total.len() - 1
                    ),
                    offset: 0,
                    terms: by_total.iter().step_by(step).copied().collect(),
                });
            }
            found.push(GameSequence {
                name: format!("{name}-by-total"),
                what: format!("the number of {what} with n tokens"),
                offset: 0,
                terms: by_total,
            });
            if self.game.heap_count() > 0 {
                let mut all = 0;
                let by_box = self.by_largest.iter().map(|counts| {
                    all += counts[which];
                    all
                });
                found.push(GameSequence {
                    name: format!("{name}-by-box"),
                    what: format!("the number of {what} with heaps up to n"),
                    offset: 0,
                    terms: by_box.collect(),
                });
            }
        }
        found
    }

    /// The coordinates of the P-positions, by the larger one: in this order, those of a larger
    /// box only follow.
    fn of_coordinates(&mut self) -> Vec<GameSequence> {
        let mut sorted = std::mem::take(&mut self.coordinates);
        let symmetries = &self.game.facts.symmetries;
        let sequence = |name: &str, what: &str, terms: Vec<u64>| GameSequence {
            name: name.to_owned(),
            what: what.to_owned(),
            offset: 1,
            terms,
        };
        match self.game.heap_count() {
            1 => {
                let what = "the n-th size at which a single heap is a P-position";
                let terms = sorted.into_iter().map(|at| at.0).collect();
                vec![sequence("p-heaps", what, terms)]
            }
            2 if !symmetries.is_canonical(&[1, 0]) => {
                sorted.retain(|(_, first, second)| first <= second);
                sorted.sort_unstable();
                let smaller = sorted.iter().map(|at| at.1).collect();
                let larger = sorted.iter().map(|at| at.2).collect();
                let difference = sorted.iter().map(|at| at.2 - at.1).collect();
                vec![
                    sequence(
                        "p-smaller",
                        "the smaller heap of the n-th P-position by the larger heap",
                        smaller,
                    ),
                    sequence(
                        "p-larger",
                        "the larger heap of the n-th P-position by the larger heap",
                        larger,
                    ),
                    sequence(
                        "p-difference",
                        "the difference of the heaps of the n-th P-position by the larger heap",
                        difference,
                    ),
                ]
            }
            2 => {
                sorted.sort_unstable();
                let [a, b] = [0, 1].map(|heap| self.game.heap_names[heap].clone());
                let what = |name| format!("`{name}` in the n-th P-position by the larger heap");
                let first = sorted.iter().map(|at| at.1).collect();
                let second = sorted.iter().map(|at| at.2).collect();
                vec![
                    sequence("p-first", &what(&a), first),
                    sequence("p-second", &what(&b), second),
                ]
            }
            _ => Vec::new(),
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}
