//! Rules that remove any number of tokens from each heap of a selection, as
//! `free` knows them.
//!
//! Whether a rule is one is read off its graph: a fact of its profile.

use super::free::{self, Recogniser};
use super::meaning::of_heap;
use crate::automata::{Automaton, Letters, Numeration, Track};
use crate::game::{Around, Convention, Game};
use crate::ir::{self, Hyperedges};

/// For every set of heaps that are not empty, the selections that a move can
/// lower then: what is known of the rule, if it is one of this class.
pub fn family(game: &Game) -> Option<Box<dyn Fn(u32) -> Vec<u32>>> {
    let heaps = game.heap_count();
    if heaps == 0 || heaps > free::MOST_HEAPS || game.has_sides() || game.may_repeat {
        return None;
    }
    let graph = ir::lower(game);
    let profile = ir::profile(&graph, &game.ending);
    Some(match profile.hyperedges.ok()? {
        Hyperedges::Fixed(sets) => {
            let family: Vec<u32> = sets
                .iter()
                .map(|set| set.iter().fold(0, |all, heap| all | 1 << heap.index()))
                .collect();
            Box::new(move |_| family.clone())
        }
        Hyperedges::Left {
            least,
            most,
            around,
        } => Box::new(move |support| neighbours(heaps, support, least, most, around)),
    })
}

/// The rule, if it is one of this class.
pub fn rule(game: &Game, convention: Convention) -> Option<free::Rule> {
    let misere = convention == Convention::Misere;
    free::Rule::new(game.heap_count(), misere, family(game)?).ok()
}

/// The selections of neighbours among the heaps that are left.
fn neighbours(heaps: usize, support: u32, least: usize, most: usize, around: Around) -> Vec<u32> {
    let left: Vec<usize> = (0..heaps).filter(|heap| support >> heap & 1 != 0).collect();
    let mut family = Vec::new();
    for length in least..=most {
        if length >= left.len() {
            family.push(support);
            break;
        }
        let starts = match around {
            Around::Circle => left.len(),
            Around::Row => left.len() + 1 - length,
        };
        for start in 0..starts {
            let arc = (start..start + length).map(|place| left[place % left.len()]);
            family.push(arc.fold(0, |all, heap| all | 1 << heap));
        }
    }
    family
}

fn tracks(game: &Game) -> Vec<Track> {
    (0..game.heap_count()).map(of_heap).collect()
}

/// A set of positions as a table; `None` where its digits are not those of a
/// base.
pub fn recogniser(game: &Game, set: &Automaton) -> Option<Recogniser> {
    match set.numeration() {
        Numeration::Base(_) => table(game, set),
        Numeration::Zeckendorf => None,
    }
}

/// The same in whatever way numbers are written, to be looked at.
pub fn table(game: &Game, set: &Automaton) -> Option<Recogniser> {
    let table = set.table_of_digits(&tracks(game))?;
    Some(Recogniser {
        heaps: game.heap_count(),
        base: usize::from(table.base),
        start: table.start,
        accepting: table.accepting,
        next: table.next,
    })
}

/// The set of positions that a table tells.
pub fn automaton(game: &Game, table: &Recogniser) -> Option<Automaton> {
    automaton_in(
        game,
        table,
        Numeration::Base(u8::try_from(table.base).ok()?),
    )
}

/// The same in whatever way numbers are written.
pub fn automaton_in(game: &Game, table: &Recogniser, numeration: Numeration) -> Option<Automaton> {
    let letters = Letters {
        base: u8::try_from(table.base).ok()?,
        tracks: tracks(game),
        start: table.start,
        accepting: table.accepting.clone(),
        next: table.next.clone(),
    };
    (numeration.radix() == table.base).then(|| letters.automaton_in(numeration))
}
