//! The proof cache: proved sets of P-positions as text.
//!
//! A proved set of P-positions is a property of the rule, whichever claim it was
//! proved by. It is written in the format of checkpoints
//! ([`nimrule_limits::checkpoint`]), with one section of JSON: the origin of the
//! proof, and the set as in a certificate ([`nimrule_checker`]):
//!
//! ```json
//! {"proves":"the set is that of the P-positions","by":{"claim":"P iff a == b"},
//!  "base":2,"set":{"start":2,"accepting":[2],"nodes":[…]}}
//! ```
//!
//! The checksum detects damaged files, but not forged ones. A cached proof is
//! therefore compared with the engines at small positions
//! ([`CachedProof::differs_at`]), and verified by the independent checker
//! ([`super::certificate::check`]).
//!
//! A cached set is used only if the rule, the parameters, the heaps, the convention,
//! the version of the program and that of the semantics are the same
//! ([`nimrule_engine::identity`]).

use super::certificate::{checker_dfa, for_checker, of_checker, set_of};
use super::hypergraph_nim::MAX_HEAPS;
use nimrule_automata::{Dfa, Numeration};
use nimrule_checker::Proves;
use nimrule_engine::{self as engine, Outcome, Query, Question, Shape, Solver};
use nimrule_limits::Limits;
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Part};
use nimrule_model::game::{Convention, Game};
use nimrule_symbolic::formula::of_heap;
use serde_json::{Map, Value, json};

/// The number of digits of the hash in a name.
const DIGITS_OF_NAME: usize = 16;

/// The largest alphabet of a cached set.
const MAX_LETTERS: usize = 1 << 20;

/// The name of the one section.
const SECTION: &str = "proof";

/// The origin of an automaton that no claim gave: what it was learned from. It is a part
/// of the stored form of a proof, so it is defined here and not where automata are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Learned from the rule.
    Rule {
        /// The depth in digits to which residuals were compared.
        depth: usize,
    },
    /// Learned from the solved positions of a box.
    Box {
        /// The most digits of the numbers in the box.
        digits: usize,
        /// The least depth in digits to which residuals were compared.
        depth: usize,
    },
}

impl Origin {
    /// The least depth in digits to which residuals were compared.
    pub fn depth(self) -> usize {
        match self {
            Origin::Rule { depth } | Origin::Box { depth, .. } => depth,
        }
    }
}

/// The origin of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofOrigin {
    /// A claim with this text.
    Claim(String),
    /// Learned from the rule.
    Rule(Origin),
}

/// The result of the search for a closed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormSearch {
    /// Not searched.
    NotSought,
    /// Searched without result.
    None,
    /// The text of the closed form.
    Words(String),
}

impl FormSearch {
    /// The text of the closed form, if one was found.
    pub fn words(&self) -> Option<&str> {
        match self {
            FormSearch::Words(words) => Some(words),
            FormSearch::NotSought | FormSearch::None => None,
        }
    }
}

/// A proved set of P-positions.
#[derive(Debug, Clone)]
pub struct CachedProof {
    /// The origin of the proof.
    pub by: ProofOrigin,
    /// The closed form of the set.
    pub form: FormSearch,
    /// The set of the P-positions.
    pub set: Dfa,
}

/// The identity of a cached proof; `rule` is the hash of the rule.
pub fn identity(game: &Game, convention: Convention, rule: &[u8; 32]) -> Identity {
    engine::identity("proof", game, rule, convention).with(Part::Heaps, game.heap_names.join(","))
}

/// The file name of a proof, unique up to hash collisions:
/// `two-5f0c27d1ab90e347`.
pub fn name(identity: &Identity, game: &Game) -> String {
    format!("{}-{}", game.name, &identity.hash()[..DIGITS_OF_NAME])
}

/// The minimal DFA of a set; `None` if the set is too large or a limit is
/// exceeded.
fn dfa_of(game: &Game, set: &Dfa, limits: &Limits) -> Option<nimrule_checker::Dfa> {
    match fits(game, set.numeration()) {
        true => checker_dfa(game, Proves::PPositions, set, limits).ok(),
        false => None,
    }
}

/// The set as it is read from the cache, with its states in breadth-first order,
/// so that choices by that order do not depend on the cache. `None` if it cannot
/// be cached.
pub fn canonical(game: &Game, set: &Dfa, limits: &Limits) -> Option<Dfa> {
    let dfa = dfa_of(game, set, limits)?;
    set_of(game, Proves::PPositions, &dfa, set.numeration())
}

impl CachedProof {
    /// The bytes of the file; `None` if the set is too large or a limit is
    /// exceeded.
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

    /// Returns the first position of a small box, in lexicographic order, at which the
    /// set and the engines differ; `None` if they agree or no engine can solve the box.
    pub fn differs_at(
        &self,
        solver: &Solver<'_>,
        convention: Convention,
        limits: &Limits,
    ) -> Option<Vec<u64>> {
        let sizes = (1..=MAX_COMPARED).take_while(|size| {
            *size == 1 || Shape::count(&solver.game.box_to(*size)) <= u128::from(MAX_COMPARED)
        });
        let most = solver.game.box_to(sizes.last()?);
        let asked = Query {
            question: Question::Outcome,
            convention,
        };
        // A box that no engine can solve is not compared.
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

/// The number of positions of the box that is compared, approximately.
const MAX_COMPARED: u64 = 1000;

/// Returns whether sets of such positions can be cached.
fn fits(game: &Game, numeration: Numeration) -> bool {
    let heaps = game.heap_count();
    let letters = numeration.radix().checked_pow(heaps as u32);
    (1..=MAX_HEAPS).contains(&heaps) && letters.is_some_and(|letters| letters <= MAX_LETTERS)
}

/// The canonical JSON text.
fn text(
    by: &ProofOrigin,
    form: &FormSearch,
    numeration: Numeration,
    set: &nimrule_checker::Dfa,
) -> String {
    let mut whole = Map::new();
    let mut put = |name: &str, value: Value| whole.insert(name.to_owned(), value);
    put("proves", json!(Proves::PPositions.words()));
    put(
        "by",
        match by {
            ProofOrigin::Claim(words) => json!({"claim": words}),
            ProofOrigin::Rule(Origin::Rule { depth }) => json!({"block": depth}),
            ProofOrigin::Rule(Origin::Box { digits, depth }) => {
                json!({"block": depth, "digits": digits})
            }
        },
    );
    match form {
        FormSearch::NotSought => None,
        FormSearch::None => put("form", Value::Null),
        FormSearch::Words(words) => put("form", json!(words)),
    };
    put("base", for_checker(numeration).to_json());
    put("set", set.to_json());
    Value::from(whole).to_string()
}

/// Reads a cached proof of this rule from a file whose checksum is correct
/// ([`checkpoint::verify`]).
///
/// # Errors
///
/// The file is of another rule, or not in canonical form.
pub fn read(
    identity: &Identity,
    game: &Game,
    get: &mut dyn FnMut(&mut [u8]) -> bool,
    limits: &Limits,
) -> Result<CachedProof, CheckpointError> {
    let mut text = String::new();
    checkpoint::restore(identity, &mut [(SECTION, &mut text)], get)?;
    let whole: Value = serde_json::from_str(&text).map_err(|_| CheckpointError::Meaning("JSON"))?;
    let by = by(&whole["by"]).ok_or(CheckpointError::Meaning("by"))?;
    let form = match whole.get("form") {
        None => FormSearch::NotSought,
        Some(Value::Null) => FormSearch::None,
        Some(Value::String(words)) => FormSearch::Words(words.clone()),
        Some(_) => return Err(CheckpointError::Meaning("form")),
    };
    let base = nimrule_checker::Numeration::from_json(&whole["base"]);
    let base = base.filter(|base| fits(game, of_checker(*base)));
    let base = base.ok_or(CheckpointError::Meaning("base"))?;
    let set = nimrule_checker::Dfa::from_json(&whole["set"], game.heap_count(), base, limits);
    let set = set.ok().flatten().ok_or(CheckpointError::Meaning("set"))?;
    let numeration = of_checker(base);
    // The rest: another order, further fields, duplicate fields.
    if self::text(&by, &form, numeration, &set) != text {
        return Err(CheckpointError::Meaning("a proof"));
    }
    let set = set_of(game, Proves::PPositions, &set, numeration)
        .ok_or(CheckpointError::Meaning("set"))?;
    Ok(CachedProof { by, form, set })
}

/// A number of at most 32 bits.
fn number(value: &Value) -> Option<usize> {
    let number = u32::try_from(value.as_u64()?).ok()?;
    usize::try_from(number).ok()
}

/// The origin of a proof from JSON.
fn by(value: &Value) -> Option<ProofOrigin> {
    if let Value::String(words) = &value["claim"] {
        return Some(ProofOrigin::Claim(words.clone()));
    }
    let depth = number(&value["block"])?;
    Some(ProofOrigin::Rule(match value.get("digits") {
        None => Origin::Rule { depth },
        Some(digits) => Origin::Box {
            digits: number(digits)?,
            depth,
        },
    }))
}
