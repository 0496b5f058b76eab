//! Claims about any number of heaps.
//!
//! A certificate of such a claim has no set, which would be one for each number of heaps. It
//! names the claim, a base, and how many last digits are announced, and the checker decides the
//! rest, from the rule and the claim:
//!
//! - `tables`: clauses over the digits of a few heaps as tables of a minimal automaton.
//! - `reading`: the claim as a combination of sums over all heaps.
//! - `all_but`: the same searches where a move may change all heaps but a few.
//! - `columns`: the searches for a move from the set into the set, and for a strategy that finds
//!   a move into it from outside.
//!
//! The heaps that a move leaves alone are counted by their states and digits, exactly below a
//! threshold and modulo a period from there on. The heaps that it changes are followed one by
//! one. What is counted allows all that heaps can do, so that what is verified holds for every
//! number of heaps.

mod all_but;
mod columns;
mod reading;
mod tables;

use crate::atom::{Clause, Variable};
use crate::certificate::{ReadError, is_of_game, params};
use crate::dfa::Dfa;
use crate::expression::{MAX_EVALUATIONS, Read, unsupported};
use crate::rule::Rule;
use crate::search::Search;
use crate::verify::termination_violations;
use crate::{Numeration, Unsupported, VerifyError};
use all_but::AllBut;
use columns::Columns;
use nimrule_limits::Limits;
use nimrule_model::SEMANTICS_VERSION;
use nimrule_model::game::{
    Action, Applies, Class, Convention, Direction, Game, Members, Number, PositionKind, Share,
    Statement,
};
use reading::Counted;
use serde_json::{Map, Value, json};
use tables::Table;

const VERSION: u64 = 2;
const HEAPS: &str = "any number";
/// The most heaps that a move may change.
const MOST_CHANGED: usize = 4;
/// The most heaps that a move leaves alone at least, where their number is left open.
const MOST_ALONE: usize = 8;
/// The most last digits that are announced.
const MOST_LAST: u8 = 8;

/// A certificate that a claim gives the P-positions for any number of heaps, parsed and not yet
/// verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingCertificate {
    /// The name of the game.
    pub game: String,
    /// The parameters: names and values as in other certificates.
    pub params: Map<String, Value>,
    /// The convention that the claim is about.
    pub convention: Convention,
    /// The hash of the moves as the checker translates them.
    pub rule: String,
    /// The text of the claim.
    pub claim: String,
    /// The base of the digits, from 2 to 16.
    pub base: u8,
    /// The number of last digits that are announced to the strategy, at least 1.
    pub last: u8,
}

/// What the searches found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingVerified {
    /// The states of pairs of positions that were searched for independence.
    pub pairs: usize,
    /// The states of the strategy.
    pub states: usize,
}

impl CountingCertificate {
    /// The words of the field `proves`.
    pub const PROVES: &'static str = "the claim gives the P-positions for any number of heaps";

    /// A certificate of a claim of a game. Only [`verify_counting`] decides whether it is true.
    ///
    /// # Errors
    ///
    /// The checker cannot translate the rule.
    pub fn new(
        game: &Game,
        claim: &str,
        convention: Convention,
        base: u8,
        last: u8,
    ) -> Read<CountingCertificate> {
        let (alone, window) = windows(game)?;
        let moves = Rule::read_window(&window, MAX_EVALUATIONS)?.transitions;
        Ok(CountingCertificate {
            game: game.name.clone(),
            params: params(game),
            convention,
            rule: hash(alone, &moves),
            claim: claim.to_owned(),
            base,
            last,
        })
    }

    /// The canonical text, one line.
    pub fn text(&self) -> String {
        let whole = json!({
            "version": VERSION,
            "semantics": SEMANTICS_VERSION,
            "game": self.game,
            "params": self.params,
            "heaps": HEAPS,
            "convention": self.convention.word(),
            "rule": self.rule,
            "proves": CountingCertificate::PROVES,
            "claim": self.claim,
            "base": self.base,
            "last": self.last,
        });
        format!("{whole}\n")
    }

    /// Whether a text is meant as a certificate for any number of heaps.
    pub fn is_one(text: &str) -> bool {
        serde_json::from_str(text).is_ok_and(|whole: Value| whole["heaps"] == HEAPS)
    }

    /// Parses a certificate without verifying it.
    ///
    /// # Errors
    ///
    /// The text is not a canonical certificate.
    pub fn read(text: &str) -> Result<CountingCertificate, ReadError> {
        let whole: Value =
            serde_json::from_str(text).map_err(|error| ReadError::NotJson(error.to_string()))?;
        if whole["version"] != json!(VERSION) {
            return Err(ReadError::Version);
        }
        if whole["semantics"] != json!(SEMANTICS_VERSION) {
            let there = whole["semantics"].to_string();
            return Err(ReadError::Semantics { there });
        }
        let words = |name: &'static str| {
            let found = whole[name].as_str().map(str::to_owned);
            found.ok_or(ReadError::Field(name))
        };
        let number = |name: &'static str, least: u64, most: u64| {
            let found = whole[name]
                .as_u64()
                .filter(|of| (least..=most).contains(of));
            found.map(|of| of as u8).ok_or(ReadError::Field(name))
        };
        let convention = [Convention::Normal, Convention::Misere];
        let mut convention = convention.into_iter();
        let convention = convention.find(|c| whole["convention"] == c.word());
        let params = whole["params"].as_object().cloned();
        let certificate = CountingCertificate {
            game: words("game")?,
            params: params.ok_or(ReadError::Field("params"))?,
            convention: convention.ok_or(ReadError::Field("convention"))?,
            rule: words("rule")?,
            claim: words("claim")?,
            base: number("base", 2, 16)?,
            last: number("last", 1, MOST_LAST.into())?,
        };
        match certificate.text() == text {
            true => Ok(certificate),
            false => Err(ReadError::Form),
        }
    }
}

/// Decides whether the claim of a certificate gives the P-positions for any number of heaps.
///
/// # Errors
///
/// The certificate is rejected, or a limit is exceeded first.
pub fn verify_counting(
    game: &Game,
    certificate: &CountingCertificate,
    limits: &Limits,
) -> Result<CountingVerified, VerifyError> {
    is_of_game(&certificate.game, &certificate.params, game)?;
    if game.position_kind == PositionKind::Heaps {
        return Err(VerifyError::NumberOfHeaps {
            there: "any number of",
            here: "a fixed number",
        });
    }
    let (alone, several) = windows(game)?;
    let heaps = several.heap_count();
    let rule = Rule::read_window(&several, MAX_EVALUATIONS)?;
    if certificate.rule != hash(alone, &rule.transitions) {
        return Err(VerifyError::Rule);
    }
    let own = game
        .claims
        .iter()
        .find(|claim| claim.words == certificate.claim);
    let claim = own
        .filter(|claim| claim.applies != Applies::Elsewhere)
        .ok_or_else(|| VerifyError::NoClaim(certificate.claim.clone()))?;
    if claim.convention != certificate.convention {
        return Err(VerifyError::Convention {
            there: certificate.convention.word(),
            here: claim.convention.word(),
        });
    }
    let (condition, is_of_p) = match &claim.statement {
        Some(Statement::Outcome {
            class: class @ (Class::P | Class::N),
            direction: Direction::Iff,
            condition,
            ..
        }) => (condition, *class == Class::P),
        _ => return Err(VerifyError::NotOfOutcomes(claim.words.clone())),
    };
    let numeration = Numeration::Base(certificate.base);
    let search = Search {
        heaps,
        numeration,
        limits,
    };
    let every = Dfa::positions(heaps, numeration, limits)?;
    let shown = |at: &[u64]| {
        let sizes = at.iter().filter(|size| **size > 0);
        let mut sizes: Vec<u64> = sizes.copied().collect();
        sizes.sort_unstable();
        game.shown(&sizes)
    };
    for fault in &rule.faults {
        if let Some(at) = search.find_witness(&every, fault, None)? {
            let at = shown(&at);
            return Err(VerifyError::Fault { of: "rule", at });
        }
    }
    for transition in &rule.transitions {
        for violation in termination_violations(transition, &[vec![1; heaps]])? {
            let violation = Clause::new(violation.touched, violation.atoms);
            if let Some(at) = search.find_witness(&every, &violation, Some(&every))? {
                return Err(VerifyError::Termination(shown(&at)));
            }
        }
    }
    let move_table = Table::of_moves(&rule.transitions, heaps, certificate.base, limits)?;
    if !move_table.ignores_equal_digits() {
        unsupported(
            "a move that depends on more of a heap than what it changes",
            claim.span,
        )?;
    }
    // The searches follow no heap from a leading digit 0 on.
    if move_table.raises_a_heap() {
        unsupported("a move that puts tokens on a heap", claim.span)?;
    }
    let counted = Counted::read(game, condition, is_of_p, certificate.base, limits)?;
    if counted.places() > usize::from(certificate.last) {
        return Err(VerifyError::AnyNumber("too few digits are announced"));
    }
    let is_misere = certificate.convention == Convention::Misere;
    if is_misere && !move_table.moves_from_every_heap(heaps, certificate.base) {
        unsupported(
            "a position with tokens that may be terminal, in misere play",
            claim.span,
        )?;
    }
    let not_independent = VerifyError::AnyNumber("a move may lead from the set into the set");
    let not_absorbing = VerifyError::AnyNumber("no strategy finds a move into the set");
    if let (Some(alone), PositionKind::Open(least)) = (alone, &game.position_kind) {
        let search = AllBut {
            counted: &counted,
            moves: &move_table,
            alone,
            least: *least,
            is_misere,
            last: certificate.last,
            limits,
        };
        if is_misere && search.has_empty() {
            return Err(VerifyError::Terminal(game.shown(&[0])));
        }
        let pairs = search.independent()?.ok_or(not_independent)?;
        let states = search.absorbing()?.ok_or(not_absorbing)?;
        return Ok(CountingVerified { pairs, states });
    }
    if is_misere && counted.has_empty() {
        return Err(VerifyError::Terminal(game.shown(&[])));
    }
    let columns = Columns {
        counted: &counted,
        moves: &move_table,
        heaps,
        is_misere,
        last: certificate.last,
        limits,
    };
    let pairs = columns.independent()?.ok_or(not_independent)?;
    let states = columns.absorbing()?.ok_or(not_absorbing)?;
    Ok(CountingVerified { pairs, states })
}

/// The most heaps that a move changes.
fn most_changed(game: &Game) -> Read<usize> {
    let nowhere = (0, 0).into();
    match &game.position_kind {
        PositionKind::Multiset(kinds) if kinds.names.is_empty() && kinds.states.is_empty() => {}
        _ => {
            return unsupported(
                "kinds of heaps, states, or a fixed number of heaps",
                nowhere,
            );
        }
    }
    check_plain(game)?;
    let mut most = 1;
    for mover in &game.moves {
        let mut heaps = 0;
        for step in &mover.steps {
            let times = usize::try_from(step.most).unwrap_or(usize::MAX);
            heaps += match (&step.action, &step.action.selection().members) {
                (Action::Split { .. } | Action::Replace { .. }, _) => {
                    return unsupported("a heap that is split or replaced", step.span);
                }
                (_, Members::Picked(_)) => 0,
                (
                    _,
                    Members::Multiset {
                        number: Number::Some { most, .. },
                        ..
                    },
                ) => most.saturating_mul(times),
                _ => return unsupported("this selection of heaps", step.span),
            };
        }
        if heaps > MOST_CHANGED {
            return unsupported("a move that changes this many heaps", mover.span);
        }
        most = most.max(heaps);
    }
    Ok(most)
}

/// Refuses what has no certificate for any number of heaps.
fn check_plain(game: &Game) -> Read<()> {
    let nowhere = (0, 0).into();
    if let Some(positions) = &game.positions {
        return unsupported("`positions where` of any number of heaps", positions.span);
    }
    if game.may_repeat || game.has_sides() || game.blocked_options > 0 {
        return unsupported(
            "sides, blocked options, and positions that may repeat",
            nowhere,
        );
    }
    Ok(())
}

/// The game with the moves of a few heaps, of which some may be empty.
fn window(game: &Game, heaps: usize) -> Game {
    let mut few = game.clone();
    few.rule.heap_names = (1..=heaps).map(|heap| format!("h{heap}")).collect();
    few
}

/// The game with the moves of a few heaps, and if their number is left open how many a move does
/// not change at least: then with the moves of one heap, which are those of each by itself.
fn windows(game: &Game) -> Read<(Option<usize>, Game)> {
    if !matches!(game.position_kind, PositionKind::Open(_)) {
        return Ok((None, window(game, most_changed(game)?)));
    }
    check_plain(game)?;
    let mut one = window(game, 1);
    let [mover] = one.rule.moves.as_mut_slice() else {
        return unsupported("several moves of an open number of heaps", (0, 0).into());
    };
    let span = mover.span;
    let alone = match mover.steps.as_mut_slice() {
        [step] if mover.when.is_none() && mover.choices.is_empty() && step.most == 1 => {
            match &mut step.action {
                Action::Take {
                    amount,
                    from,
                    leaving: None,
                    condition: None,
                } if amount.share == Share::HeapByHeap => match &mut from.members {
                    Members::Multiset { number, .. } => match *number {
                        Number::AllBut(alone) => {
                            *number = Number::Some { least: 1, most: 1 };
                            Some(alone)
                        }
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    };
    match alone {
        Some(alone) if alone > MOST_ALONE => {
            unsupported("a move that leaves this many heaps alone", span)
        }
        Some(alone) if alone > 0 => Ok((Some(alone), one)),
        _ => unsupported("this move of an open number of heaps", span),
    }
}

/// A hash of the moves of a few heaps, and of how many they leave alone if their number is open.
fn hash(alone: Option<usize>, moves: &[Clause]) -> String {
    let all = match alone {
        Some(alone) => format!("all but {alone}: {moves:?}"),
        None => format!("{moves:?}"),
    };
    blake3::hash(all.as_bytes()).to_hex().to_string()
}

/// The heap before the move that is in this place.
fn before(heap: usize) -> Variable {
    Variable::Before(heap)
}

/// The refusal of a table that is too large.
fn too_large<T>() -> Result<T, Unsupported> {
    unsupported(
        "this many digits of the heaps that a move changes",
        (0, 0).into(),
    )
}
