//! Certificates as text.
//!
//! A proof by [`hypergraph_nim`] leaves a [`hypergraph_nim::Certificate`]. Written down it
//! is one line of JSON, with what it is of before it:
//!
//! ```json
//! {"version":1,"semantics":2,"game":"circular_nim","params":{"n":5,"k":2},"heaps":["h1","h2","h3","h4","h5"],
//!  "convention":"normal","rule":"…","proves":"the set is that of the P-positions","claim":"P iff …",
//!  "base":2,"set":{"start":2,"accepting":[2],"nodes":[…]},
//!  "parts":[{"selection":3,"images":[[0,1,2,3,4],…],"steps":[{"heap":0,"raised":{…}},…]}]}
//! ```
//!
//! For rules of other kinds, whose moves are comparisons between numbers, the
//! set alone is the certificate: [`nimrule_checker`] has its format and checks
//! it.
//!
//! What it says is worth nothing by itself: whoever reads it has it verified
//! against a rule ([`held`]). There is one way only to write a certificate: the
//! diagrams are the smallest of their sets, with their nodes in the order in
//! which they are reached, parts and images are in order, and the text is as
//! `write` writes it (`form`). So no letter of it can be another without
//! its saying something else, or nothing.
//!
//! `rule` is a hash of what the rule is to the proof: which heaps one move can
//! lower together, for every set of heaps that are not empty. Comments, claims
//! and the words in which a rule is put do not count. It gives another rule its
//! name, and nothing rests on it.

mod form;
pub mod held;
mod plain;

pub use plain::write_set;

use super::hypergraph_nim::{self, Part, Rule};
use crate::automata::Numeration;
use crate::game::{Convention, Game};
pub(super) use form::{diagram, written_diagram};
use nimrule_checker::Unsupported;
pub use nimrule_checker::params;
use nimrule_model::SEMANTICS_VERSION;
use serde_json::{Map, Value, json};
use thiserror::Error;

const VERSION: u64 = 1;
/// Letters of more digits are in no certificate: who checks goes through all.
pub(super) const MOST_LETTERS: usize = 1 << 20;
const ZECKENDORF: &str = "zeckendorf";
pub(super) const PROVES: &str = "the set is that of the P-positions";

/// A certificate that has been read and not been held against anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub game: String,
    /// Names and values, as they are written.
    pub params: Map<String, Value>,
    pub heaps: Vec<String>,
    pub convention: Convention,
    /// The hash of the rule.
    pub rule: String,
    /// The claim that it is of; none where the rule alone gave the set.
    pub claim: Option<String>,
    /// The set and the parts of a rule that removes any numbers.
    pub certificate: hypergraph_nim::Certificate,
}

impl Read {
    /// How the set's numbers are written.
    pub fn numeration(&self) -> Numeration {
        Numeration::Base(self.certificate.set.base as u8)
    }
}

/// Why a text is no certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("it is no certificate of this version, which is {VERSION}")]
    Version,
    #[error("it is not of version {SEMANTICS_VERSION} of the language's semantics")]
    Semantics,
    #[error("its `{0}` is not what it should be")]
    Field(&'static str),
    #[error("{0} is not a diagram, the smallest of its set with its nodes in order")]
    Diagram(String),
    #[error("its parts are not in order")]
    Order,
    #[error("it is not written as certificates are written")]
    Form,
}

/// Why there is no certificate of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no certificate is written of this: {0}")]
pub struct NotWritten(pub String);

impl NotWritten {
    /// What was proved is not the set of the P-positions.
    pub fn not_of_outcomes() -> NotWritten {
        NotWritten("certificates are of the set of all P-positions".to_owned())
    }

    /// No automaton tells sets of real sizes.
    pub fn of_reals() -> NotWritten {
        NotWritten(
            "certificates are of automata; `--smt-lib` writes the sentences for a solver of others"
                .to_owned(),
        )
    }

    fn not_of_selections() -> NotWritten {
        NotWritten(
            "the rule is not one of removing any numbers from the heaps of a selection".to_owned(),
        )
    }
}

impl From<Unsupported> for NotWritten {
    fn from(unsupported: Unsupported) -> NotWritten {
        NotWritten(format!("the checker does not read {unsupported}"))
    }
}

/// Whether proofs about this rule leave certificates.
pub fn fits(game: &Game) -> Result<(), NotWritten> {
    match hypergraph_nim::rule_of(game, Convention::Normal) {
        Some(_) => Ok(()),
        None => Ok(nimrule_checker::Rule::read(game).map(|_| ())?),
    }
}

/// Writes a certificate of a game's P-positions, with the words of the claim
/// that was proved by it, if one was.
pub fn write(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    certificate: &hypergraph_nim::Certificate,
) -> Result<String, NotWritten> {
    let rule =
        hypergraph_nim::rule_of(game, convention).ok_or_else(NotWritten::not_of_selections)?;
    Ok(text(&Read {
        game: game.name.clone(),
        params: params(game),
        heaps: game.heap_names.clone(),
        convention,
        rule: hash(&rule),
        claim: claim.map(str::to_owned),
        certificate: certificate.clone(),
    }))
}

/// The one way to write a certificate.
pub fn text(read: &Read) -> String {
    let certificate = &read.certificate;
    let parts: Vec<Value> = certificate
        .parts
        .iter()
        .map(|part| {
            let steps: Vec<Value> = part
                .steps
                .iter()
                .map(|(heap, raised)| json!({"heap": heap, "raised": written_diagram(raised)}))
                .collect();
            json!({"selection": part.selection, "images": part.images, "steps": steps})
        })
        .collect();
    let base = written_numeration(read.numeration());
    let whole = json!({
        "version": VERSION,
        "semantics": SEMANTICS_VERSION,
        "game": read.game,
        "params": read.params,
        "heaps": read.heaps,
        "convention": read.convention.word(),
        "rule": read.rule,
        "proves": PROVES,
        "claim": read.claim,
        "base": base,
        "set": written_diagram(&certificate.set),
        "parts": parts,
    });
    format!("{whole}\n")
}

/// Reads a certificate; whether it is true is another matter ([`held`]).
pub fn read(text: &str) -> Result<Read, Unreadable> {
    let whole: Value =
        serde_json::from_str(text).map_err(|error| Unreadable::NotJson(error.to_string()))?;
    if whole["version"] != json!(VERSION) {
        return Err(Unreadable::Version);
    }
    if whole["semantics"] != json!(SEMANTICS_VERSION) {
        return Err(Unreadable::Semantics);
    }
    let words = |name: &'static str| {
        let found = whole[name].as_str().map(str::to_owned);
        found.ok_or(Unreadable::Field(name))
    };
    let game = words("game")?;
    let params = whole["params"].as_object().cloned();
    let params = params.ok_or(Unreadable::Field("params"))?;
    let heaps = whole["heaps"].as_array().and_then(|names| {
        let names = names.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    });
    let heaps = heaps
        .filter(|heaps| (1..=hypergraph_nim::MOST_HEAPS).contains(&heaps.len()))
        .ok_or(Unreadable::Field("heaps"))?;
    let convention = match words("convention")?.as_str() {
        "normal" => Convention::Normal,
        "misere" => Convention::Misere,
        _ => return Err(Unreadable::Field("convention")),
    };
    let rule = words("rule")?;
    if words("proves")? != PROVES {
        return Err(Unreadable::Field("proves"));
    }
    let claim = match &whole["claim"] {
        Value::Null => None,
        Value::String(words) => Some(words.clone()),
        _ => return Err(Unreadable::Field("claim")),
    };
    let numeration = numeration(&whole["base"]).ok_or(Unreadable::Field("base"))?;
    let base = numeration.radix();
    if base.pow(heaps.len() as u32) > MOST_LETTERS {
        return Err(Unreadable::Field("base"));
    }
    let set = diagram(&whole["set"], heaps.len(), base)
        .ok_or_else(|| Unreadable::Diagram("its set".to_owned()))?;
    let mut parts = Vec::new();
    let given = whole["parts"].as_array();
    let given = given.filter(|_| numeration != Numeration::Zeckendorf);
    for (index, part) in given.ok_or(Unreadable::Field("parts"))?.iter().enumerate() {
        parts.push(read_part(part, index, heaps.len(), base)?);
    }
    if !in_order(&parts) {
        return Err(Unreadable::Order);
    }
    let read = Read {
        game,
        params,
        heaps,
        convention,
        rule,
        claim,
        certificate: hypergraph_nim::Certificate { set, parts },
    };
    // What is left: white space, escapes, further fields, fields twice.
    if self::text(&read) != text {
        return Err(Unreadable::Form);
    }
    Ok(read)
}

/// How numbers are written: the base, or the name of another way.
pub(super) fn written_numeration(numeration: Numeration) -> Value {
    match numeration {
        Numeration::Base(base) => json!(base),
        Numeration::Zeckendorf => json!(ZECKENDORF),
    }
}

pub(super) fn numeration(value: &Value) -> Option<Numeration> {
    match value {
        Value::String(words) if words == ZECKENDORF => Some(Numeration::Zeckendorf),
        base => number(base, 16)
            .filter(|base| *base >= 2)
            .map(|base| Numeration::Base(base as u8)),
    }
}

pub(super) fn number(value: &Value, most: usize) -> Option<usize> {
    let number = usize::try_from(value.as_u64()?).ok()?;
    (number <= most).then_some(number)
}

fn read_part(value: &Value, index: usize, heaps: usize, base: usize) -> Result<Part, Unreadable> {
    let selection = number(&value["selection"], (1 << heaps) - 1);
    let selection = selection.ok_or(Unreadable::Field("selection"))? as u32;
    let heap = |value: &Value| number(value, heaps - 1).map(|heap| heap as u8);
    let images = value["images"].as_array().and_then(|images| {
        let image = |image: &Value| {
            let to: Option<Vec<u8>> = image.as_array()?.iter().map(heap).collect();
            to.filter(|to| (0..heaps as u8).all(|heap| to.contains(&heap)) && to.len() == heaps)
        };
        images.iter().map(image).collect::<Option<Vec<_>>>()
    });
    let images = images.ok_or(Unreadable::Field("images"))?;
    let mut steps = Vec::new();
    for step in value["steps"]
        .as_array()
        .ok_or(Unreadable::Field("steps"))?
    {
        let heap = heap(&step["heap"]).ok_or(Unreadable::Field("heap"))?;
        let raised = diagram(&step["raised"], heaps, base)
            .ok_or_else(|| Unreadable::Diagram(format!("step {} of part {index}", steps.len())))?;
        steps.push((heap, raised));
    }
    Ok(Part {
        selection,
        steps,
        images,
    })
}

/// Parts ascend by their selections, steps by their heaps; the images ascend
/// from the one that moves nothing, and no selection comes twice.
fn in_order(parts: &[Part]) -> bool {
    let mut met = Vec::new();
    parts
        .windows(2)
        .all(|two| two[0].selection < two[1].selection)
        && parts.iter().all(|part| {
            let turned = part.images.iter();
            met.extend(
                turned.map(|images| hypergraph_nim::rule::permuted_set(part.selection, images)),
            );
            part.steps.windows(2).all(|two| two[0].0 < two[1].0)
                && part.images.windows(2).all(|two| two[0] < two[1])
                && part.images.first().is_some_and(|first| first.is_sorted())
        })
        && {
            met.sort_unstable();
            met.windows(2).all(|two| two[0] != two[1])
        }
}

/// A hash of the rule: for every support the largest sets of heaps that one
/// move can lower there.
pub fn hash(rule: &Rule) -> String {
    let mut numbers = vec![rule.heaps() as u32];
    let mut add = |number: u32| numbers.push(number);
    for support in 0..1u32 << rule.heaps() {
        let numbered = rule.hyperedges().iter().enumerate();
        let mut sets: Vec<u32> = numbered
            .filter(|(number, _)| rule.usable(support) >> number & 1 != 0)
            .map(|(_, &hyperedge)| hyperedge & support)
            .filter(|&set| set != 0)
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let largest: Vec<u32> = sets
            .iter()
            .copied()
            .filter(|&set| !sets.iter().any(|&more| more != set && set & !more == 0))
            .collect();
        add(largest.len() as u32);
        largest.into_iter().for_each(&mut add);
    }
    hash_of(numbers.into_iter().flat_map(u32::to_le_bytes))
}

pub(super) fn hash_of(bytes: impl Iterator<Item = u8>) -> String {
    let mut hasher = blake3::Hasher::new();
    let bytes: Vec<u8> = bytes.collect();
    hasher.update(&bytes);
    hasher.finalize().to_hex().to_string()
}
