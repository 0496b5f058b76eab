//! The outcome of a compound with either player to move, if a part is partizan or its
//! positions may repeat.
//!
//! The reachable positions are numbered and solved by retrograde analysis, under
//! either convention.

use super::parts::{Games, Key};
use super::{Compound, Part, SumMove};
use nimrule_engine::{BySide, Label, Limits, SideOutcome, SolveError};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, Side};
use nimrule_relation::{BuildError, Labels, Relation, Terminal, retrograde, sides};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The reachable positions, and the moves of each player between them.
struct ReachableSums<'s> {
    games: Games<'s>,
    known: FxHashMap<Key, u32>,
    keys: Vec<Key>,
    /// One relation for each player, or one if both have the same moves.
    arcs: Vec<(Side, Relation)>,
}

enum Marks {
    Same(Labels),
    Sides(sides::SideLabels),
}

/// The outcome of a sum with either player to move.
pub fn outcomes(
    components: &[Part<'_>],
    compound: Compound,
    convention: Convention,
    limits: &Limits,
) -> Result<BySide<SumMove>, SolveError> {
    let sum: Vec<Vec<u64>> = components
        .iter()
        .map(|part| part.position.clone())
        .collect();
    let reached = reach(components, compound, &sum, limits)?;
    let marks = label(&reached, convention, limits)?;
    let turn = |side| turn(&reached, &marks, &sum, side, limits);
    Ok(match &marks {
        Marks::Same(_) => BySide::Same(turn(Side::Left)?),
        Marks::Sides(_) => BySide::Sides {
            left: turn(Side::Left)?,
            right: turn(Side::Right)?,
        },
    })
}

fn reach<'s>(
    components: &[Part<'s>],
    compound: Compound,
    sum: &[Vec<u64>],
    limits: &Limits,
) -> Result<ReachableSums<'s>, SolveError> {
    let mut reached = ReachableSums {
        games: Games::of(components, compound),
        known: FxHashMap::default(),
        keys: Vec::new(),
        arcs: Vec::new(),
    };
    let has_sides = components.iter().any(|part| part.solver.sides.is_some());
    let moving: &[Side] = if has_sides {
        &Side::BOTH
    } else {
        &[Side::Left]
    };
    let mut walkers: Vec<Vec<Walker<'s>>> = moving
        .iter()
        .map(|side| reached.games.walkers(*side, limits))
        .collect();
    let root = reached.games.key_of(sum);
    reached.number_of(root);
    let mut arcs: Vec<Vec<Vec<u32>>> = vec![Vec::new(); moving.len()];
    let sizes: usize = sum.iter().map(|part| part.len() + 1).sum();
    let mut arcs_held = 0;
    while arcs[0].len() < reached.keys.len() {
        let from = arcs[0].len();
        if from.is_multiple_of(256) {
            limits.check_time()?;
        }
        for (walkers, arcs) in walkers.iter_mut().zip(&mut arcs) {
            let targets = reached.targets(from, walkers, limits)?;
            arcs_held += targets.len();
            arcs.push(targets);
        }
        within(limits, reached.keys.len(), arcs_held, sizes)?;
    }
    for (side, arcs) in moving.iter().zip(arcs) {
        let relation = Relation::build(arcs.len(), |from, visit| {
            arcs[from as usize].iter().copied().for_each(visit);
            Ok(())
        });
        reached.arcs.push((*side, relation.map_err(failure)?));
    }
    Ok(reached)
}

impl<'s> ReachableSums<'s> {
    /// The number of a position; assigns the next one if it is new.
    fn number_of(&mut self, key: Key) -> u32 {
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.known.insert(key, number);
        number
    }

    /// The options of one player from a position.
    fn targets(
        &mut self,
        from: usize,
        walkers: &mut [Walker<'s>],
        limits: &Limits,
    ) -> Result<Vec<u32>, SolveError> {
        let most = usize::try_from(limits.memory / BYTES_OF_A_POSITION).unwrap_or(usize::MAX);
        let met = self.games.options(&self.keys[from], walkers, most)?;
        let met = met.ok_or(SolveError::Memory {
            needed: u128::from(limits.memory) + 1,
            limit: limits.memory,
        })?;
        Ok(met.into_iter().map(|key| self.number_of(key)).collect())
    }
}

/// The memory of a position with a short key.
const BYTES_OF_A_POSITION: u64 = 320;

/// Returns an error if this many positions and moves exceed a limit.
fn within(limits: &Limits, positions: usize, arcs: usize, sizes: usize) -> Result<(), SolveError> {
    // Each key is stored twice, with its number and a list for each player; long
    // keys are stored separately. Each arc is in a list, in the relation and in its
    // reverse.
    let apart = if sizes > 12 { 2 * sizes * 8 + 32 } else { 0 };
    let needed =
        positions as u128 * (BYTES_OF_A_POSITION as usize + apart) as u128 + arcs as u128 * 12;
    if needed > u128::from(limits.memory) || positions > u32::MAX as usize / 4 {
        return Err(SolveError::Memory {
            needed,
            limit: limits.memory,
        });
    }
    Ok(())
}

fn label(
    reached: &ReachableSums<'_>,
    convention: Convention,
    limits: &Limits,
) -> Result<Marks, SolveError> {
    let stuck = match convention {
        Convention::Normal => Terminal::Loses,
        Convention::Misere => Terminal::Wins,
    };
    let pause = &mut || limits.check_time().map_err(SolveError::from);
    match reached.arcs.as_slice() {
        [(_, both)] => Ok(Marks::Same(retrograde(&both.reverse(), stuck, pause)?)),
        arcs => sides::label(
            reached.keys.len(),
            |from, side, visit| {
                for (_, relation) in arcs.iter().filter(|(of, _)| *of == side) {
                    relation
                        .from(from as usize)
                        .iter()
                        .copied()
                        .for_each(&mut *visit);
                }
                Ok(())
            },
            stuck,
            pause,
        )
        .map(Marks::Sides)
        .map_err(failure),
    }
}

fn failure(failed: BuildError<SolveError>) -> SolveError {
    match failed {
        BuildError::Source(failure) => failure,
        BuildError::TooManyArcs => SolveError::Cannot {
            engine: "search",
            reason: failed.to_string(),
        },
    }
}

/// The outcome of the sum for one player to move, and the optimal moves.
fn turn(
    reached: &ReachableSums<'_>,
    marks: &Marks,
    sum: &[Vec<u64>],
    side: Side,
    limits: &Limits,
) -> Result<SideOutcome<SumMove>, SolveError> {
    let label_of = |sum: &[Vec<u64>], side: Side| {
        let number = reached.known[&reached.games.key_of(sum)] as usize;
        match marks {
            Marks::Same(labels) => labels.of(number),
            Marks::Sides(labels) => labels.of(number, side),
        }
    };
    let label = label_of(sum, side);
    let mut moves = BTreeMap::new();
    let games = &reached.games;
    games.each_move(sum, side, limits, &mut |made, after| {
        let rest = match (label, label_of(&after, side.other())) {
            (Label::Win(_), Label::Lose(rest)) => Some(Some(rest + 1)),
            (Label::Draw, Label::Draw) => Some(None),
            _ => None,
        };
        if let Some(rest) = rest {
            moves.insert(made, rest);
        }
        Ok(())
    })?;
    Ok(SideOutcome {
        label,
        moves: moves.into_iter().collect(),
    })
}
