//! Proved sets of P-positions as text, to be kept and found again.
//!
//! A set that has been proved to be that of the P-positions is a fact about
//! the rule, whichever claim it was proved by. It is written in the format of
//! checkpoints ([`nimrule_limits::checkpoint`]), with one section of JSON: what led to
//! it, and the set as in a certificate ([`nimrule_checker`]):
//!
//! ```json
//! {"proves":"the set is that of the P-positions","by":{"claim":"P iff a == b"},
//!  "base":2,"set":{"start":2,"accepting":[2],"nodes":[…]}}
//! ```
//!
//! The checksum keeps what is torn or flawed from being taken for a proof; it
//! does not keep out whoever means to deceive. What is read is therefore held
//! against the engines at small positions ([`Kept::differs_at`]), and against
//! the independent checker ([`super::certificate::check`]).
//!
//! The rule, the parameters, the heaps, the convention, the version of the
//! program and that of the semantics must be the same ([`nimrule_engine::identity`]), or
//! the set is not used.

use super::certificate::{for_checker, of_checker, set_of, written};
use super::hypergraph_nim::MAX_HEAPS;
use super::residual_learning::Origin;
use super::symbolic::formula::of_heap;
use nimrule_automata::{Dfa, Numeration};
use nimrule_engine::{self as engine, Asked, Outcome, Question, Shape, Solver};
use nimrule_limits::Limits;
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Part};
use nimrule_model::game::{Convention, Game};
use serde_json::{Map, Value, json};

/// So many digits of a hash stand in a name.
const DIGITS_OF_NAME: usize = 16;

/// Sets of letters of more digits are not kept.
const MAX_LETTERS: usize = 1 << 20;
/// What is proved of them.
const PROVES: &str = "the set is that of the P-positions";

/// The name of the one section.
const SECTION: &str = "proof";

/// What a set was proved by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A claim with these words.
    Claim(String),
    /// The rule alone.
    Rule(Origin),
}

/// The set in the words of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Nobody has looked for it.
    NotSought,
    /// None was found.
    None,
    Words(String),
}

impl Form {
    pub fn words(&self) -> Option<&str> {
        match self {
            Form::Words(words) => Some(words),
            Form::NotSought | Form::None => None,
        }
    }
}

/// A set that was proved to be that of the P-positions.
#[derive(Debug, Clone)]
pub struct Kept {
    pub by: By,
    pub form: Form,
    pub set: Dfa,
}

/// What a kept set is of: the rule of a game, of which this is a hash.
pub fn identity(game: &Game, convention: Convention, rule: &[u8; 32]) -> Identity {
    engine::identity("proof", game, rule, convention).with(Part::Heaps, game.heap_names.join(","))
}

/// A name that no other rule is likely to share, `two-5f0c27d1ab90e347`.
pub fn name(identity: &Identity, game: &Game) -> String {
    format!("{}-{}", game.name, &identity.hash()[..DIGITS_OF_NAME])
}

/// The smallest DFA of a set; `None` where the set is too large to be written,
/// or a limit is met.
fn dfa_of(game: &Game, set: &Dfa, limits: &Limits) -> Option<nimrule_checker::Dfa> {
    match fits(game, set.numeration()) {
        true => written(game, set, limits).ok(),
        false => None,
    }
}

/// The same set as it will be read again, its states in the order in which
/// they are reached: whatever is chosen by that order is then the same choice,
/// whether the set was kept or not. `None` where it cannot be kept.
pub fn as_read(game: &Game, set: &Dfa, limits: &Limits) -> Option<Dfa> {
    let dfa = dfa_of(game, set, limits)?;
    set_of(game, &dfa, set.numeration())
}

impl Kept {
    /// The bytes that are kept; `None` where the set is too large to be
    /// written, or a limit is met.
    pub fn written(&self, identity: &Identity, game: &Game, limits: &Limits) -> Option<Vec<u8>> {
        let numeration = self.set.numeration();
        let set = dfa_of(game, &self.set, limits)?;
        let text = text(&self.by, &self.form, numeration, &set);
        let mut bytes = Vec::new();
        checkpoint::save(identity, &[(SECTION, &text)], &mut |piece| {
            bytes.extend_from_slice(piece);
        });
        Some(bytes)
    }

    /// The smallest position of a small box, in lexicographic order, of which
    /// the set does not say what an engine says.
    pub fn differs_at(
        &self,
        solver: &Solver<'_>,
        convention: Convention,
        limits: &Limits,
    ) -> Option<Vec<u64>> {
        let heaps = solver.game.heap_count();
        let sizes = (1..=MAX_COMPARED).take_while(|size| {
            *size == 1 || Shape::count(&vec![*size; heaps]) <= u128::from(MAX_COMPARED)
        });
        let most = vec![sizes.last()?; heaps];
        let asked = Asked {
            question: Question::Outcome,
            convention,
        };
        // What no engine reaches is not held against anything.
        let table = engine::fill(solver, &most, asked, limits, None).ok()?;
        let shape = Shape::new(&most)?;
        (0..shape.len).find_map(|place| {
            let outcome = table.outcome(place)?;
            let position = shape.at(place);
            let tracks = position.iter().enumerate();
            let written: Vec<_> = tracks.map(|(heap, size)| (of_heap(heap), *size)).collect();
            let differs = self.set.accepts(&written) != (outcome == Outcome::P);
            differs.then_some(position)
        })
    }
}

/// A box of about so many positions is held against a set that was kept.
const MAX_COMPARED: u64 = 1000;

/// Can sets of such positions be written at all?
fn fits(game: &Game, numeration: Numeration) -> bool {
    let heaps = game.heap_count();
    let letters = numeration.radix().checked_pow(heaps as u32);
    (1..=MAX_HEAPS).contains(&heaps) && letters.is_some_and(|letters| letters <= MAX_LETTERS)
}

/// The one way to write it.
fn text(by: &By, form: &Form, numeration: Numeration, set: &nimrule_checker::Dfa) -> String {
    let mut whole = Map::new();
    let mut put = |name: &str, value: Value| whole.insert(name.to_owned(), value);
    put("proves", json!(PROVES));
    put(
        "by",
        match by {
            By::Claim(words) => json!({"claim": words}),
            By::Rule(Origin::Rule { depth }) => json!({"block": depth}),
            By::Rule(Origin::Box { digits, depth }) => json!({"block": depth, "digits": digits}),
        },
    );
    match form {
        Form::NotSought => None,
        Form::None => put("form", Value::Null),
        Form::Words(words) => put("form", json!(words)),
    };
    put("base", for_checker(numeration).to_json());
    put("set", set.to_json());
    Value::from(whole).to_string()
}

/// Reads what was kept of this rule out of a file that is whole
/// ([`checkpoint::verify`]).
///
/// # Errors
///
/// What is of another rule, or written in another way.
pub fn read(
    identity: &Identity,
    game: &Game,
    get: &mut dyn FnMut(&mut [u8]) -> bool,
    limits: &Limits,
) -> Result<Kept, CheckpointError> {
    let mut text = String::new();
    checkpoint::restore(identity, &mut [(SECTION, &mut text)], get)?;
    let whole: Value = serde_json::from_str(&text).map_err(|_| CheckpointError::Meaning("JSON"))?;
    let by = by(&whole["by"]).ok_or(CheckpointError::Meaning("by"))?;
    let form = match whole.get("form") {
        None => Form::NotSought,
        Some(Value::Null) => Form::None,
        Some(Value::String(words)) => Form::Words(words.clone()),
        Some(_) => return Err(CheckpointError::Meaning("form")),
    };
    let base = nimrule_checker::Numeration::from_json(&whole["base"]);
    let base = base.filter(|base| fits(game, of_checker(*base)));
    let base = base.ok_or(CheckpointError::Meaning("base"))?;
    let set = nimrule_checker::Dfa::from_json(&whole["set"], game.heap_count(), base, limits);
    let set = set.ok().flatten().ok_or(CheckpointError::Meaning("set"))?;
    let numeration = of_checker(base);
    // What is left: another order, further fields, fields twice.
    if self::text(&by, &form, numeration, &set) != text {
        return Err(CheckpointError::Meaning("a proof"));
    }
    let set = set_of(game, &set, numeration).ok_or(CheckpointError::Meaning("set"))?;
    Ok(Kept { by, form, set })
}

fn number(value: &Value) -> Option<usize> {
    let number = u32::try_from(value.as_u64()?).ok()?;
    usize::try_from(number).ok()
}

fn by(value: &Value) -> Option<By> {
    if let Value::String(words) = &value["claim"] {
        return Some(By::Claim(words.clone()));
    }
    let depth = number(&value["block"])?;
    Some(By::Rule(match value.get("digits") {
        None => Origin::Rule { depth },
        Some(digits) => Origin::Box {
            digits: number(digits)?,
            depth,
        },
    }))
}
