//! Certificates of rules whose moves are comparisons between numbers.
//!
//! What proves a set to be that of the P-positions is the set itself: whoever
//! checks follows positions with all their moves at once, which are finitely
//! many *macro-states*. The certificate says how many, so that it is known
//! before what the check will cost.

use super::{NotWritten, Read, hash_of, params, text};
use crate::automata::LevelledDfa;
use crate::automata::{Dfa, Numeration};
use crate::game::{Convention, Game};
use crate::limits::{Limits, Met};
use crate::prove::hypergraph_nim::{self, of_game};
use crate::prove::plainly::{self, Atom, Linear, Refused, Variable, Way};

/// What such a certificate has besides the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plain {
    pub numeration: Numeration,
    pub macro_states: usize,
}

/// Writes a certificate of a set that was proved to be that of the
/// P-positions, with the words of the claim, if one was.
///
/// The check is made here first: what would not pass it is not written.
pub fn write_set(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    set: &Dfa,
    limits: &Limits,
) -> Result<String, NotWritten> {
    let ways = plainly::ways(game)?;
    let numeration = set.numeration();
    let table = of_game::table(game, set);
    let table = table.ok_or_else(|| NotWritten("its automaton is too large".to_owned()))?;
    let whole = LevelledDfa::of(&table)
        .minimised(limits)
        .map_err(of_limit)?;
    let misere = convention == Convention::Misere;
    let heaps = game.heap_count();
    let verified = plainly::verify(&ways, heaps, misere, numeration, &whole, limits);
    let macro_states = verified.map_err(not_verified)?.macro_states;
    Ok(text(&Read {
        game: game.name.clone(),
        params: params(game),
        heaps: game.heap_names.clone(),
        convention,
        rule: hash(&ways),
        claim: claim.map(str::to_owned),
        certificate: hypergraph_nim::Certificate {
            set: whole,
            parts: Vec::new(),
        },
        plain: Some(Plain {
            numeration,
            macro_states,
        }),
    }))
}

fn of_limit(met: Met) -> NotWritten {
    NotWritten(met.to_string())
}

fn not_verified(refused: Refused) -> NotWritten {
    NotWritten(match refused {
        Refused::Met(met) => met.to_string(),
        other => format!("the check does not follow the proof: {other}"),
    })
}

/// A hash of the ways to move.
pub fn hash(ways: &[Way]) -> String {
    let mut numbers = Vec::new();
    for way in ways {
        numbers.extend([way.touched.len() as i64, way.beside as i64]);
        numbers.extend(way.touched.iter().map(|heap| *heap as i64));
        numbers.push(way.atoms.len() as i64);
        for atom in &way.atoms {
            match atom {
                Atom::Zero(sum) => put(0, sum, &mut numbers),
                Atom::AtMostZero(sum) => put(1, sum, &mut numbers),
                Atom::Power(of, index) => numbers.extend([2, *of, *index as i64]),
            }
        }
    }
    hash_of(numbers.into_iter().flat_map(i64::to_le_bytes))
}

fn put(sort: i64, sum: &Linear, numbers: &mut Vec<i64>) {
    numbers.extend([sort, sum.constant, sum.weights.len() as i64]);
    for (variable, weight) in &sum.weights {
        let (kind, index) = match variable {
            Variable::Before(heap) => (0, *heap),
            Variable::After(heap) => (1, *heap),
            Variable::Beside(index) => (2, *index),
        };
        numbers.extend([kind, index as i64, *weight]);
    }
}
