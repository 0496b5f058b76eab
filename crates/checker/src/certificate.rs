//! The text format of certificates.
//!
//! A certificate is one line of JSON, at most [`MAX_BYTES`] long:
//!
//! ```json
//! {"version":2,"semantics":2,"game":"two","params":{},"heaps":["a","b"],"convention":"normal",
//!  "rule":"…","proves":"the set is that of the P-positions","claim":"P iff a == b",
//!  "base":2,"set":{"start":2,"accepting":[2],"nodes":[0,3,4,1,2,0,1,0,2]}}
//! ```
//!
//! `proves` is one of three texts ([`Proves::words`]). If the set is `"that of the
//! positions with their Grundy values"`, it consists of tuples of the heap sizes and one
//! more number, the value. The digits of the value are the last level of the DFA; `heaps`
//! lists the heaps of the game only.
//!
//! `rule` is a hash of the transition relation as the checker translates it. It
//! serves to report that a certificate belongs to another rule; soundness does
//! not depend on it. `claim` is null if the set was derived from the rule
//! alone. `base` may be `"zeckendorf"` or `"ostrowski-a"`
//! with a from 2 to 8. `set` is a [`Dfa`]: `nodes` lists, for
//! each node from 2 on, its level and its successors by the digits 0, 1, …;
//! `accepting` lists the accepting nodes of level 0, ascending.
//!
//! The text of a certificate is canonical: the DFA is minimal, its nodes are
//! numbered in breadth-first order, and the text is exactly what
//! [`Certificate::text`] writes. Two different texts therefore never denote the
//! same certificate.

use crate::dfa::{Dfa, EVERYTHING};
use crate::rule::Rule;
use crate::{Numeration, VerifyError};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::SEMANTICS_VERSION;
use nimrule_model::game::{Convention, Game, ParamValue};
use serde_json::{Map, Value, json};
use thiserror::Error;

const VERSION: u64 = 2;
const ZECKENDORF: &str = "zeckendorf";
const OSTROWSKI: &str = "ostrowski-";
/// The largest size of a certificate's text, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// The largest number of heaps of a set.
const MAX_HEAPS: usize = 32;

/// What the set of a certificate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proves {
    /// The set of the P-positions.
    PPositions,
    /// A set of P-positions, perhaps not all of them.
    SomePPositions,
    /// The set of the positions with their Grundy values: the heap sizes, and the value
    /// as one more number. Under misere play a terminal position has the value 1, so that
    /// in both conventions the positions of value 0 are the P-positions.
    GrundyValues,
}

impl Proves {
    /// The words of the field `proves`.
    pub fn words(self) -> &'static str {
        match self {
            Proves::PPositions => "the set is that of the P-positions",
            Proves::SomePPositions => "every position of the set is a P-position",
            Proves::GrundyValues => "the set is that of the positions with their Grundy values",
        }
    }

    /// The number of levels of the set's DFA for a number of heaps.
    pub(crate) fn levels(self, heaps: usize) -> usize {
        match self {
            Proves::PPositions | Proves::SomePPositions => heaps,
            Proves::GrundyValues => heaps + 1,
        }
    }
}

/// A certificate that was parsed and not yet verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The name of the game.
    pub game: String,
    /// The parameters: names and values as [`params`] writes them.
    pub params: Map<String, Value>,
    /// The names of the heaps, in the order of the levels of the DFA.
    pub heaps: Vec<String>,
    /// What the set is.
    pub proves: Proves,
    /// The convention that the set is about.
    pub convention: Convention,
    /// The hash of the rule's transition relation.
    pub rule: String,
    /// The text of the claim that the set proves, if there is one.
    pub claim: Option<String>,
    /// The numeration system of the DFA.
    pub numeration: Numeration,
    /// The set.
    pub set: Dfa,
}

/// Why a text is not a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// It is not JSON, for this reason.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// It has more than [`MAX_BYTES`] bytes.
    #[error("it has more than {MAX_BYTES} bytes")]
    Long,
    /// It has another version of the format.
    #[error("it is not a certificate of version {VERSION}")]
    Version,
    /// It was written for another version of the semantics of the language.
    #[error(
        "it is for version {there} of the language's semantics, and this program has version \
         {SEMANTICS_VERSION}"
    )]
    Semantics {
        /// The version in the certificate.
        there: String,
    },
    /// The field with this name is missing or malformed.
    #[error("its field `{0}` is invalid")]
    Field(&'static str),
    /// The DFA is not canonical.
    #[error("its set is not a minimal DFA with ordered nodes")]
    Set,
    /// The text is not canonical.
    #[error("it is not in the canonical format")]
    Form,
    /// A limit was exceeded while it was read.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl Certificate {
    /// A certificate that `set` is what `proves` says of a rule. `set` must
    /// be canonical ([`Dfa::canonical`]). Only [`crate::verify`] decides
    /// whether the certificate is true.
    pub fn new(
        rule: &Rule<'_>,
        proves: Proves,
        claim: Option<&str>,
        convention: Convention,
        numeration: Numeration,
        set: Dfa,
    ) -> Certificate {
        Certificate {
            game: rule.game.name.clone(),
            params: params(rule.game),
            heaps: rule.game.heap_names.clone(),
            proves,
            convention,
            rule: hash(rule),
            claim: claim.map(str::to_owned),
            numeration,
            set,
        }
    }

    /// The canonical text, one line.
    pub fn text(&self) -> String {
        let whole = json!({
            "version": VERSION,
            "semantics": SEMANTICS_VERSION,
            "game": self.game,
            "params": self.params,
            "heaps": self.heaps,
            "convention": self.convention.word(),
            "rule": self.rule,
            "proves": self.proves.words(),
            "claim": self.claim,
            "base": self.numeration.to_json(),
            "set": self.set.to_json(),
        });
        format!("{whole}\n")
    }

    /// Parses a certificate without verifying it.
    ///
    /// # Errors
    ///
    /// If the text is not a canonical certificate, or if a limit is exceeded.
    pub fn read(text: &str, limits: &Limits) -> Result<Certificate, ReadError> {
        if text.len() > MAX_BYTES {
            return Err(ReadError::Long);
        }
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
        let params = whole["params"].as_object().cloned();
        let heaps = whole["heaps"].as_array().and_then(|names| {
            let names = names.iter().map(|name| name.as_str().map(str::to_owned));
            names.collect::<Option<Vec<String>>>()
        });
        let heaps = heaps.filter(|heaps| (1..=MAX_HEAPS).contains(&heaps.len()));
        let heaps = heaps.ok_or(ReadError::Field("heaps"))?;
        let convention = [Convention::Normal, Convention::Misere];
        let convention = convention
            .into_iter()
            .find(|c| whole["convention"] == c.word());
        let numeration = Numeration::from_json(&whole["base"]).ok_or(ReadError::Field("base"))?;
        let proves = [
            Proves::PPositions,
            Proves::SomePPositions,
            Proves::GrundyValues,
        ];
        let mut proves = proves.into_iter();
        let proves = proves.find(|proves| whole["proves"] == proves.words());
        let proves = proves.ok_or(ReadError::Field("proves"))?;
        let levels = proves.levels(heaps.len());
        let certificate = Certificate {
            game: words("game")?,
            params: params.ok_or(ReadError::Field("params"))?,
            convention: convention.ok_or(ReadError::Field("convention"))?,
            rule: words("rule")?,
            claim: whole["claim"].as_str().map(str::to_owned),
            set: Dfa::from_json(&whole["set"], levels, numeration, limits)?
                .ok_or(ReadError::Set)?,
            heaps,
            proves,
            numeration,
        };
        // Rejects white space, escapes, unknown fields and repeated fields.
        if certificate.text() != text {
            return Err(ReadError::Form);
        }
        Ok(certificate)
    }

    /// Checks that the heaps and the moves are those of the rule.
    pub(crate) fn is_of(&self, rule: &Rule<'_>) -> Result<(), VerifyError> {
        let game = rule.game;
        if self.heaps != game.heap_names {
            return Err(VerifyError::Heaps {
                there: self.heaps.join(", "),
                here: game.heap_names.join(", "),
            });
        }
        if self.rule != hash(rule) {
            return Err(VerifyError::Rule);
        }
        Ok(())
    }
}

/// Checks that a certificate with this name and these parameters is for the game at its
/// parameters. This comes before the rule is read, which may be unsupported at other ones.
pub(crate) fn is_of_game(
    name: &str,
    given: &Map<String, Value>,
    game: &Game,
) -> Result<(), VerifyError> {
    if name != game.name {
        return Err(VerifyError::Game {
            there: name.to_owned(),
            here: game.name.clone(),
        });
    }
    let here = params(game);
    // The order counts too, because the text is canonical.
    if given.iter().eq(here.iter()) {
        return Ok(());
    }
    let setting = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or(value.to_string(), str::to_owned);
        format!("{name}={value}")
    };
    let shown = |params: &Map<String, Value>| {
        let all: Vec<String> = params.iter().map(setting).collect();
        match all.is_empty() {
            true => "none".to_owned(),
            false => format!("`{}`", all.join(" ")),
        }
    };
    let same_names = given.keys().eq(here.keys());
    let differing = given
        .iter()
        .filter(|(name, value)| same_names && here.get(*name) != Some(*value));
    Err(VerifyError::Parameters {
        there: shown(given),
        here: shown(&here),
        settings: differing.map(setting).collect(),
    })
}

/// A hash of the transition relation and of the condition on positions.
fn hash(rule: &Rule<'_>) -> String {
    let read = format!("{:?} {:?}", rule.transitions, rule.positions);
    blake3::hash(read.as_bytes()).to_hex().to_string()
}

/// The parameters of a game as JSON: integers as numbers, other values as
/// strings in the syntax of the language.
pub fn params(game: &Game) -> Map<String, Value> {
    let value = |value: &ParamValue| match value {
        ParamValue::Number(number) => json!(number),
        other => json!(other.written()),
    };
    let all = game.params.iter();
    all.map(|(name, given)| (name.clone(), value(given)))
        .collect()
}

fn number(value: &Value, most: usize) -> Option<usize> {
    let number = usize::try_from(value.as_u64()?).ok()?;
    (number <= most).then_some(number)
}

impl Numeration {
    /// The JSON value of a certificate's `base`: a number or a name.
    pub fn to_json(self) -> Value {
        match self {
            Numeration::Base(base) => json!(base),
            Numeration::Ostrowski(1) => json!(ZECKENDORF),
            Numeration::Ostrowski(quotient) => json!(format!("{OSTROWSKI}{quotient}")),
        }
    }

    /// Parses the value of a certificate's `base`.
    pub fn from_json(value: &Value) -> Option<Numeration> {
        if value == ZECKENDORF {
            return Some(Numeration::Ostrowski(1));
        }
        if let Some(quotient) = value.as_str().and_then(|name| name.strip_prefix(OSTROWSKI)) {
            let quotient = quotient.parse().ok().filter(|of| (2..=8).contains(of))?;
            return Some(Numeration::Ostrowski(quotient));
        }
        let base = number(value, 16).filter(|base| *base >= 2)?;
        Some(Numeration::Base(base as u8))
    }
}

impl Dfa {
    /// The JSON value of a certificate's `set`.
    pub fn to_json(&self) -> Value {
        let named = 2..self.nodes();
        let accepting = named.clone().filter(|node| self.accepting[*node]);
        let accepting: Vec<usize> = accepting.collect();
        let node = |node: usize| {
            let after = &self.next[node * self.radix..][..self.radix];
            std::iter::once(u32::from(self.level[node])).chain(after.iter().copied())
        };
        let nodes: Vec<u32> = named.flat_map(node).collect();
        json!({"start": self.start, "accepting": accepting, "nodes": nodes})
    }

    /// Parses the value of a certificate's `set`. `None` if it is not a
    /// canonical DFA over the digits of `heaps` heaps.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn from_json(
        value: &Value,
        heaps: usize,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Option<Dfa>, LimitExceeded> {
        let Some(dfa) = Dfa::unchecked_from_json(value, heaps, numeration) else {
            return Ok(None);
        };
        Ok(Some(dfa.canonical(limits)?).filter(|canonical| *canonical == dfa))
    }

    /// Parses a well-formed DFA that need not be canonical.
    fn unchecked_from_json(value: &Value, heaps: usize, numeration: Numeration) -> Option<Dfa> {
        let radix = numeration.radix();
        let nodes = value["nodes"].as_array()?;
        let count = nodes.len() / (radix + 1) + 2;
        u32::try_from(count).ok()?;
        let start = number(&value["start"], count - 1)?;
        let mut dfa = Dfa::new(heaps, radix, start as u32);
        let mut chunks = nodes.chunks_exact(radix + 1);
        for node in &mut chunks {
            let (level, after) = node.split_first()?;
            let level = number(level, heaps.checked_sub(1)?)?;
            let after = after.iter().map(|to| Some(number(to, count - 1)? as u32));
            dfa.push(level as u8, false, &after.collect::<Option<Vec<u32>>>()?);
        }
        for node in value["accepting"].as_array()? {
            let node = number(node, count - 1).filter(|node| *node > EVERYTHING as usize)?;
            dfa.accepting[node] = true;
        }
        let whole =
            chunks.remainder().is_empty() && dfa.is_levelled() && dfa.ignores_leading_zeros();
        whole.then_some(dfa)
    }
}
