//! Certificates of rules whose moves are comparisons between numbers: what the
//! prover found, in the format that [`nimrule_checker`] reads.

use super::NotWritten;
use crate::automata::{self, LevelledDfa, Numeration};
use crate::game::{Convention, Game};
use crate::limits::Limits;
use crate::prove::hypergraph_nim::of_game;
use nimrule_checker::{Certificate, Dfa, Refused, Rule, verify};

/// Writes a certificate of a set that was proved to be that of the
/// P-positions, with the words of the claim, if one was.
///
/// The check is made here first: what would not pass it is not written.
pub fn write_set(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<String, NotWritten> {
    let rule = Rule::read(game)?;
    let table = of_game::table(game, set);
    let table = table.ok_or_else(|| NotWritten("its automaton is too large".to_owned()))?;
    let whole = LevelledDfa::of(&table).minimised(limits);
    let whole = whole.map_err(|met| NotWritten(met.to_string()))?;
    let numeration = match set.numeration() {
        Numeration::Base(base) => nimrule_checker::Numeration::Base(base),
        Numeration::Zeckendorf => nimrule_checker::Numeration::Zeckendorf,
    };
    let dfa = Dfa {
        heaps: whole.tracks,
        radix: whole.base,
        start: whole.starts[0],
        level: whole.level,
        accepting: whole.accepting,
        next: whole.next,
    };
    let certificate = Certificate::new(&rule, claim, convention, numeration, &dfa);
    match verify(game, &certificate, limits) {
        Ok(_) => Ok(certificate.text()),
        Err(Refused::Met(met)) => Err(NotWritten(met.to_string())),
        Err(other) => Err(NotWritten(format!(
            "the checker does not accept it: {other}"
        ))),
    }
}
