//! The rule of a game as hypergraph Nim, and sets of its positions as tables.
//!
//! Whether a rule is one of hypergraph Nim is a fact of its profile
//! ([`ir::profile`]).

use super::{MAX_HEAPS, Rule};
use crate::symbolic::formula::of_heap;
use nimrule_automata::{Dfa, Numeration, TableDfa, Track};
use nimrule_ir::{self as ir, Hyperedges};
use nimrule_model::game::{Arrangement, Convention, Game};

/// The hyperedges at every support, if the game is one of this class.
pub fn family(game: &Game) -> Option<Box<dyn Fn(u32) -> Vec<u32>>> {
    let heaps = game.heap_count();
    if heaps == 0 || heaps > MAX_HEAPS || game.has_sides() || game.may_repeat {
        return None;
    }
    let graph = ir::lower(game);
    let profile = ir::profile(&graph, &game.termination);
    Some(match profile.hyperedges.ok()? {
        Hyperedges::Fixed(sets) => {
            let family: Vec<u32> = sets
                .iter()
                .map(|set| set.iter().fold(0, |all, heap| all | 1 << heap.index()))
                .collect();
            Box::new(move |_| family.clone())
        }
        Hyperedges::Remaining {
            least,
            most,
            around,
        } => Box::new(move |support| neighbours(heaps, support, least, most, around)),
    })
}

/// The rule of a game, if it is one of this class.
pub fn rule_of(game: &Game, convention: Convention) -> Option<Rule> {
    let misere = convention == Convention::Misere;
    Rule::new(game.heap_count(), misere, family(game)?).ok()
}

/// The sets of neighbours among the heaps that are left.
fn neighbours(
    heaps: usize,
    support: u32,
    least: usize,
    most: usize,
    around: Arrangement,
) -> Vec<u32> {
    let left: Vec<usize> = (0..heaps).filter(|heap| support >> heap & 1 != 0).collect();
    let mut family = Vec::new();
    for length in least..=most {
        if length >= left.len() {
            family.push(support);
            break;
        }
        let starts = match around {
            Arrangement::Circle => left.len(),
            Arrangement::Row => left.len() + 1 - length,
        };
        for start in 0..starts {
            let arc = (start..start + length).map(|place| left[place % left.len()]);
            family.push(arc.fold(0, |all, heap| all | 1 << heap));
        }
    }
    family
}

/// The tracks of the heaps.
pub fn tracks(game: &Game) -> Vec<Track> {
    (0..game.heap_count()).map(of_heap).collect()
}

/// A set of positions as a table with a track for each heap; `None` if it would
/// be unreasonably large.
pub fn table(game: &Game, set: &Dfa) -> Option<TableDfa> {
    set.table(&tracks(game))
}

/// The same for sets in a base; `None` in other numerations.
pub fn table_in_base(game: &Game, set: &Dfa) -> Option<TableDfa> {
    match set.numeration() {
        Numeration::Base(_) => table(game, set),
        Numeration::Zeckendorf => None,
    }
}

/// The set of positions of a table; `None` if the numeration has another number
/// of digits.
pub fn set_of(game: &Game, table: &TableDfa, numeration: Numeration) -> Option<Dfa> {
    (numeration.radix() == table.base).then(|| table.dfa(&tracks(game), numeration))
}
