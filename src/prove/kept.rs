//! Proved sets of P-positions as text, to be kept and found again.
//!
//! A set that has been proved to be that of the P-positions is a fact about
//! the rule, whichever claim it was proved by. Written down it is one line of
//! JSON: what it is of, what led to it, the set as in a certificate
//! ([`super::certificate`]), and a checksum over everything before it:
//!
//! ```json
//! {"version":1,"program":"0.1.0","game":"two","params":{},"heaps":["a","b"],
//!  "convention":"normal","rule":"…","proves":"the set is that of the P-positions",
//!  "by":{"claim":"P iff a == b"},"base":2,"set":{"start":2,"accepting":[2],"nodes":[…]},
//!  "checksum":"…"}
//! ```
//!
//! The checksum keeps what is torn or flawed from being taken for a proof; it
//! does not keep out whoever means to deceive. What is read is therefore held
//! against the engines at small positions ([`Kept::differs_at`]), and can be
//! proved again from the rule without a search ([`super::again`]).
//!
//! `rule` is a hash of all that the rule says. It, the parameters, the heaps,
//! the convention and the program must be the same, or the set is not used.

use super::certificate::{
    MOST_LETTERS, PROVES, diagram, hash_of, number, numeration, params, written_diagram,
    written_numeration,
};
use super::hypergraph_nim::{MOST_HEAPS, of_game};
use super::meaning::of_heap;
use super::residual_learning::Origin;
use crate::automata::LevelledDfa;
use crate::automata::{Dfa, Numeration};
use crate::engine::{self, Asked, Outcome, Question, Shape, Solver};
use crate::game::{Convention, Game};
use crate::limits::Limits;
use serde_json::{Map, Value, json};
use thiserror::Error;

const VERSION: u64 = 1;
const CHECKSUM: &str = ",\"checksum\":\"";
/// So many digits of a hash stand in a name.
const DIGITS_OF_NAME: usize = 16;

/// What a kept set is of. Only for the very same is it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Of {
    /// Which nimrule it was: another may read a rule otherwise.
    program: String,
    game: String,
    params: Map<String, Value>,
    heaps: Vec<String>,
    convention: Convention,
    /// A hash of the rule.
    rule: String,
}

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

/// Why what was kept is not used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("it is damaged: its checksum is not that of what it holds")]
    Damaged,
    #[error("it is written in another way than nimrule {} writes", env!("CARGO_PKG_VERSION"))]
    Version,
    #[error("it is of nimrule {there}, and this is {here}")]
    Program { there: String, here: String },
    #[error("it is of {0}")]
    Other(&'static str),
    #[error("its `{0}` is not what it should be")]
    Field(&'static str),
    #[error("its set says of {0} what the engines do not say")]
    Differs(String),
}

impl Of {
    /// The rule of a game, of which this is a hash.
    pub fn new(game: &Game, convention: Convention, rule: &[u8]) -> Of {
        Of {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            game: game.name.clone(),
            params: params(game),
            heaps: game.heap_names.clone(),
            convention,
            rule: rule.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    fn head(&self) -> Map<String, Value> {
        let mut head = Map::new();
        let mut put = |name: &str, value: Value| head.insert(name.to_owned(), value);
        put("version", json!(VERSION));
        put("program", json!(self.program));
        put("game", json!(self.game));
        put("params", json!(self.params));
        put("heaps", json!(self.heaps));
        put("convention", json!(self.convention.word()));
        put("rule", json!(self.rule));
        head
    }

    /// A name that no other rule is likely to share, `two-5f0c27d1ab90e347`.
    pub fn name(&self) -> String {
        let head = Value::from(self.head()).to_string();
        let hash = hash_of(head.bytes());
        format!("{}-{}", self.game, &hash[..DIGITS_OF_NAME])
    }

    /// Is it this that a text says it is of?
    fn is_in(&self, whole: &Value) -> Result<(), Unfit> {
        if whole["version"] != json!(VERSION) {
            return Err(Unfit::Version);
        }
        let here = Value::from(self.head());
        let differs = |name: &str| whole[name] != here[name];
        if differs("program") {
            return Err(Unfit::Program {
                there: whole["program"].as_str().unwrap_or("?").to_owned(),
                here: self.program.clone(),
            });
        }
        let parts = [
            ("game", "another game"),
            ("rule", "another rule, or of this one before it was changed"),
            ("params", "other parameters"),
            ("heaps", "other heaps"),
            ("convention", "the other convention"),
        ];
        match parts.iter().find(|(name, _)| differs(name)) {
            Some((_, what)) => Err(Unfit::Other(what)),
            None => Ok(()),
        }
    }
}

/// The levelled automaton of a set; `None` where the set is too large to be written,
/// or a limit is met.
fn diagram_of(game: &Game, set: &Dfa, limits: &Limits) -> Option<LevelledDfa> {
    if !fits(game, set.numeration()) {
        return None;
    }
    let table = of_game::table(game, set)?;
    LevelledDfa::of(&table).minimised(limits).ok()
}

fn automaton_of(game: &Game, set: &LevelledDfa, numeration: Numeration) -> Option<Dfa> {
    let table = set.table(*set.starts.first()?);
    of_game::set_of(game, &table, numeration)
}

/// The same set as it will be read again, its states in the order in which
/// they are reached: whatever is chosen by that order is then the same choice,
/// whether the set was kept or not. `None` where it cannot be kept.
pub fn as_read(game: &Game, set: &Dfa, limits: &Limits) -> Option<Dfa> {
    let diagram = diagram_of(game, set, limits)?;
    automaton_of(game, &diagram, set.numeration())
}

impl Kept {
    /// The text that is kept; `None` where the set is too large to be written,
    /// or a limit is met.
    pub fn written(&self, of: &Of, game: &Game, limits: &Limits) -> Option<String> {
        let numeration = self.set.numeration();
        let set = diagram_of(game, &self.set, limits)?;
        Some(text(of, &self.by, &self.form, numeration, &set))
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
        let sizes = (1..=MOST_COMPARED).take_while(|size| {
            *size == 1 || Shape::count(&vec![*size; heaps]) <= u128::from(MOST_COMPARED)
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
const MOST_COMPARED: u64 = 1000;

/// Can sets of such positions be written at all?
fn fits(game: &Game, numeration: Numeration) -> bool {
    let heaps = game.heap_count();
    let letters = numeration.radix().checked_pow(heaps as u32);
    (1..=MOST_HEAPS).contains(&heaps) && letters.is_some_and(|letters| letters <= MOST_LETTERS)
}

/// The one way to write it.
fn text(of: &Of, by: &By, form: &Form, numeration: Numeration, set: &LevelledDfa) -> String {
    let mut whole = of.head();
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
    put("base", written_numeration(numeration));
    put("set", written_diagram(set));
    let mut text = Value::from(whole).to_string();
    // The checksum stands where the object would end.
    text.truncate(text.len() - 1);
    let checksum = hash_of(text.bytes());
    format!("{text}{CHECKSUM}{checksum}\"}}\n")
}

/// Reads what was kept of this rule, if it is of it and whole.
pub fn read(of: &Of, game: &Game, text: &str) -> Result<Kept, Unfit> {
    let (body, checksum) = text.rsplit_once(CHECKSUM).ok_or(Unfit::Damaged)?;
    if checksum != format!("{}\"}}\n", hash_of(body.bytes())) {
        return Err(Unfit::Damaged);
    }
    let whole: Value = serde_json::from_str(&format!("{body}}}")).map_err(|_| Unfit::Damaged)?;
    of.is_in(&whole)?;
    let by = by(&whole["by"]).ok_or(Unfit::Field("by"))?;
    let form = match whole.get("form") {
        None => Form::NotSought,
        Some(Value::Null) => Form::None,
        Some(Value::String(words)) => Form::Words(words.clone()),
        Some(_) => return Err(Unfit::Field("form")),
    };
    let numeration = numeration(&whole["base"])
        .filter(|numeration| fits(game, *numeration))
        .ok_or(Unfit::Field("base"))?;
    let set = diagram(&whole["set"], game.heap_count(), numeration.radix());
    let set = set.ok_or(Unfit::Field("set"))?;
    // What is left: another order, further fields, fields twice.
    if self::text(of, &by, &form, numeration, &set) != text {
        return Err(Unfit::Version);
    }
    let set = automaton_of(game, &set, numeration).ok_or(Unfit::Field("set"))?;
    Ok(Kept { by, form, set })
}

fn by(value: &Value) -> Option<By> {
    if let Value::String(words) = &value["claim"] {
        return Some(By::Claim(words.clone()));
    }
    let depth = number(&value["block"], u32::MAX as usize)?;
    Some(By::Rule(match value.get("digits") {
        None => Origin::Rule { depth },
        Some(digits) => Origin::Box {
            digits: number(digits, u32::MAX as usize)?,
            depth,
        },
    }))
}
