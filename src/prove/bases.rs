//! How numbers must be written, by the words used.
//!
//! Sums without carry, powers and digits speak of a base, and the root of
//! `5*x*x` of the golden ratio. All words of a claim and its rule must go
//! together: bases that are powers of one number do, in a common power.

use super::outside::{Blamed, Outside};
use crate::automata::Numeration;
use crate::expr::{Arithmetic, Fold, Num, Part, Set};
use crate::game::{Action, Game, Members};
use crate::source::Span;

/// The largest base that automata are made in.
const LARGEST: i64 = 16;

/// A word that asks for a numeration.
#[derive(Debug, Clone)]
struct Word {
    /// The base; `None` for the golden ratio.
    base: Option<i64>,
    blamed: Blamed,
}

/// The numeration for a claim of a game. `parts` are those of the claim.
pub fn numeration(game: &Game, claim: Span, parts: &[Part<'_>]) -> Result<Numeration, Outside> {
    let mut words = Vec::new();
    for part in parts {
        collect(*part, claim, &mut words);
    }
    words_of_rule(game, &mut words);
    common(&words)
}

/// The numerations to look for a set of positions in, the likeliest first: the
/// one that the words of the rule ask for, or those that are worth a try.
pub fn of_rule(game: &Game) -> Result<Vec<Numeration>, Outside> {
    let mut words = Vec::new();
    words_of_rule(game, &mut words);
    if words.is_empty() {
        let likely = [Numeration::Base(2), Numeration::Zeckendorf];
        return Ok(likely.into_iter().chain([Numeration::Base(3)]).collect());
    }
    Ok(vec![common(&words)?])
}

fn words_of_rule(game: &Game, words: &mut Vec<Word>) {
    for mover in &game.moves {
        for part in parts_of_move(mover) {
            collect(part, mover.span, words);
        }
    }
    if let Some(condition) = &game.positions {
        let anywhere = (0, usize::MAX / 2).into();
        collect(Part::Bool(condition), anywhere, words);
    }
}

fn common(words: &[Word]) -> Result<Numeration, Outside> {
    let Some(first) = words.first() else {
        return Ok(Numeration::Base(2));
    };
    let apart = |other: &Word| Outside {
        blamed: vec![first.blamed.clone(), other.blamed.clone()],
        why: match (first.base, other.base) {
            (Some(one), Some(other)) => {
                format!("the digits in base {one} and those in base {other} do not go together")
            }
            _ => "the golden ratio and the digits of a base do not go together".to_owned(),
        },
    };
    let Some(base) = first.base else {
        return match words.iter().find(|word| word.base.is_some()) {
            Some(other) => Err(apart(other)),
            None => Ok(Numeration::Zeckendorf),
        };
    };
    let (root, mut exponent) = root_of(base);
    for word in words {
        let Some((own_root, own_exponent)) = word.base.map(root_of) else {
            return Err(apart(word));
        };
        if own_root != root {
            return Err(apart(word));
        }
        exponent = exponent / common_divisor(exponent, own_exponent) * own_exponent;
    }
    match root.checked_pow(exponent).filter(|base| *base <= LARGEST) {
        Some(base) => Ok(Numeration::Base(base as u8)),
        None => Err(Outside {
            blamed: vec![first.blamed.clone()],
            why: format!("its base is too large: bases up to {LARGEST} are decided"),
        }),
    }
}

fn common_divisor(one: u32, other: u32) -> u32 {
    if other == 0 {
        one
    } else {
        common_divisor(other, one % other)
    }
}

/// The smallest number that a base is a power of, and which power.
fn root_of(base: i64) -> (i64, u32) {
    for root in 2..=base.min(1 << 16) {
        let (mut power, mut exponent) = (root, 1);
        while power < base {
            power = power.saturating_mul(root);
            exponent += 1;
        }
        if power == base {
            return (root, exponent);
        }
    }
    (base, 1)
}

/// All expressions of a rule.
pub fn parts_of_game(game: &Game) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = game.moves.iter().flat_map(parts_of_move).collect();
    parts.extend(game.positions.iter().map(|part| Part::Bool(part)));
    parts
}

/// All expressions of a move.
pub fn parts_of_move(mover: &crate::game::Move) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = mover.when.iter().map(|part| Part::Bool(part)).collect();
    for choice in &mover.choices {
        parts.push(Part::Set(&choice.set));
        parts.extend(choice.condition.iter().map(|part| Part::Bool(part)));
    }
    for step in &mover.steps {
        match &step.action {
            Action::Take { amount, .. } => {
                parts.extend(amount.numbers.iter().map(|part| Part::Set(part)))
            }
            Action::Put { amount, .. } => parts.push(Part::Set(amount)),
            Action::Slide { .. } | Action::Split { .. } => {}
        }
        if let Members::At { index, .. } = &step.action.selection().members {
            parts.push(Part::Num(index));
        }
        parts.extend(step.action.condition().map(|part| Part::Bool(part)));
    }
    parts
}

fn collect(part: Part<'_>, within: Span, words: &mut Vec<Word>) {
    part.any(&mut |part| {
        let found = match part {
            Part::Num(Num::Binary(Arithmetic::NimSum, ..)) => Some((Some(2), "^")),
            Part::Num(Num::Fold(Fold::Xor, _)) => Some((Some(2), "xor")),
            Part::Num(Num::Carryless { base, .. }) => {
                constant(base).map(|b| (Some(b), "carryless"))
            }
            Part::Num(Num::Digit { base, .. }) => constant(base).map(|b| (Some(b), "digit")),
            Part::Set(Set::Powers(base)) => constant(base).map(|b| (Some(b), "powers")),
            Part::Num(Num::Isqrt(_)) => Some((None, "isqrt")),
            _ => None,
        };
        if let Some((base, word)) = found
            && base.is_none_or(|base| base >= 2)
        {
            words.push(Word {
                base,
                blamed: Blamed {
                    within,
                    word: word.to_owned(),
                },
            });
        }
        false
    });
}

/// The constant that an expression is.
fn constant(num: &Num) -> Option<i64> {
    match num {
        Num::Const(value) => Some(*value),
        Num::Negate(inner) => constant(inner)?.checked_neg(),
        Num::Binary(operator, left, right) => {
            operator.apply(constant(left)?, constant(right)?).ok()
        }
        _ => None,
    }
}
