//! Certificates as text.
//!
//! A certificate is one line of JSON, at most [`MOST_BYTES`] long:
//!
//! ```json
//! {"version":2,"semantics":2,"game":"two","params":{},"heaps":["a","b"],"convention":"normal",
//!  "rule":"…","proves":"the set is that of the P-positions","claim":"P iff a == b",
//!  "base":2,"set":{"start":2,"accepting":[2],"nodes":[0,3,4,1,2,0,1,0,2]}}
//! ```
//!
//! `rule` is a hash of the moves as the checker reads them: it tells another
//! rule by name, and nothing rests on it. `claim` is null where the rule alone
//! gave the set. `base` may be `"zeckendorf"`. `set` is a [`Dfa`]: `nodes` has,
//! for each node from 2 on, its level and the nodes after the digits 0, 1, …;
//! `accepting` the nodes of level 0 that accept, ascending.
//!
//! There is one way only to write a certificate: the DFA is the minimal one,
//! numbered as its nodes are reached, and the text is as
//! [`Certificate::text`] writes it. So no letter of it can be another without
//! its saying something else, or nothing.

use crate::dfa::{Dfa, EVERYTHING};
use crate::rule::Rule;
use crate::{Numeration, Refused};
use nimrule_limits::{Limits, Met};
use nimrule_model::SEMANTICS_VERSION;
use nimrule_model::game::{Convention, Game, ParamValue};
use serde_json::{Map, Value, json};
use thiserror::Error;

const VERSION: u64 = 2;
const PROVES: &str = "the set is that of the P-positions";
const ZECKENDORF: &str = "zeckendorf";
/// A longer text is not looked at.
pub const MOST_BYTES: usize = 64 << 20;
/// Sets over more heaps are not read.
const MOST_HEAPS: usize = 32;

/// A certificate that has been read and not been held against anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    pub game: String,
    /// Names and values, as they are written.
    pub params: Map<String, Value>,
    pub heaps: Vec<String>,
    pub convention: Convention,
    /// The hash of the rule.
    pub rule: String,
    /// The words of the claim that it is of.
    pub claim: Option<String>,
    pub numeration: Numeration,
    pub set: Dfa,
}

/// Why a text is no certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("it has more than {MOST_BYTES} bytes")]
    Long,
    #[error("it is no certificate of this version, which is {VERSION}")]
    Version,
    #[error(
        "it is of version {there} of the language's semantics, and this is version \
         {SEMANTICS_VERSION}"
    )]
    Semantics { there: String },
    #[error("its `{0}` is not what it should be")]
    Field(&'static str),
    #[error("its set is not a minimal DFA with its nodes in order")]
    Set,
    #[error("it is not written as certificates are written")]
    Form,
    #[error(transparent)]
    Met(#[from] Met),
}

impl Certificate {
    /// The certificate that a set is that of the P-positions of a rule, its
    /// DFA being the canonical one. It is true only if [`crate::verify`] says
    /// so.
    pub fn new(
        rule: &Rule<'_>,
        claim: Option<&str>,
        convention: Convention,
        numeration: Numeration,
        set: Dfa,
    ) -> Certificate {
        Certificate {
            game: rule.game.name.clone(),
            params: params(rule.game),
            heaps: rule.game.heap_names.clone(),
            convention,
            rule: hash(rule),
            claim: claim.map(str::to_owned),
            numeration,
            set,
        }
    }

    /// The one way to write it.
    pub fn text(&self) -> String {
        let whole = json!({
            "version": VERSION,
            "semantics": SEMANTICS_VERSION,
            "game": self.game,
            "params": self.params,
            "heaps": self.heaps,
            "convention": self.convention.word(),
            "rule": self.rule,
            "proves": PROVES,
            "claim": self.claim,
            "base": self.numeration.written(),
            "set": self.set.written(),
        });
        format!("{whole}\n")
    }

    /// Reads a certificate; whether it is true is another matter.
    ///
    /// # Errors
    ///
    /// Why the text is not one, or a limit.
    pub fn read(text: &str, limits: &Limits) -> Result<Certificate, Unreadable> {
        if text.len() > MOST_BYTES {
            return Err(Unreadable::Long);
        }
        let whole: Value =
            serde_json::from_str(text).map_err(|error| Unreadable::NotJson(error.to_string()))?;
        if whole["version"] != json!(VERSION) {
            return Err(Unreadable::Version);
        }
        if whole["semantics"] != json!(SEMANTICS_VERSION) {
            let there = whole["semantics"].to_string();
            return Err(Unreadable::Semantics { there });
        }
        let words = |name: &'static str| {
            let found = whole[name].as_str().map(str::to_owned);
            found.ok_or(Unreadable::Field(name))
        };
        let params = whole["params"].as_object().cloned();
        let heaps = whole["heaps"].as_array().and_then(|names| {
            let names = names.iter().map(|name| name.as_str().map(str::to_owned));
            names.collect::<Option<Vec<String>>>()
        });
        let heaps = heaps.filter(|heaps| (1..=MOST_HEAPS).contains(&heaps.len()));
        let heaps = heaps.ok_or(Unreadable::Field("heaps"))?;
        let convention = [Convention::Normal, Convention::Misere];
        let convention = convention
            .into_iter()
            .find(|c| whole["convention"] == c.word());
        let numeration = Numeration::read(&whole["base"]).ok_or(Unreadable::Field("base"))?;
        let certificate = Certificate {
            game: words("game")?,
            params: params.ok_or(Unreadable::Field("params"))?,
            convention: convention.ok_or(Unreadable::Field("convention"))?,
            rule: words("rule")?,
            claim: whole["claim"].as_str().map(str::to_owned),
            set: Dfa::read(&whole["set"], heaps.len(), numeration, limits)?
                .ok_or(Unreadable::Set)?,
            heaps,
            numeration,
        };
        // What is left: white space, escapes, other fields, fields twice.
        if certificate.text() != text {
            return Err(Unreadable::Form);
        }
        Ok(certificate)
    }

    /// Whether it is of this rule, at these parameters.
    pub(crate) fn is_of(&self, rule: &Rule<'_>) -> Result<(), Refused> {
        let game = rule.game;
        if self.game != game.name {
            return Err(Refused::Game {
                there: self.game.clone(),
                here: game.name.clone(),
            });
        }
        let here = params(game);
        // In the same order as well: there is one way to write a certificate.
        if !self.params.iter().eq(here.iter()) {
            let shown = |params: &Map<String, Value>| {
                let value = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
                let all = params
                    .iter()
                    .map(|(name, given)| format!("{name}={}", value(given)));
                let all: Vec<String> = all.collect();
                match all.is_empty() {
                    true => "none".to_owned(),
                    false => format!("`{}`", all.join(" ")),
                }
            };
            return Err(Refused::Parameters {
                there: shown(&self.params),
                here: shown(&here),
            });
        }
        if self.heaps != game.heap_names {
            return Err(Refused::Heaps {
                there: self.heaps.join(", "),
                here: game.heap_names.join(", "),
            });
        }
        if self.rule != hash(rule) {
            return Err(Refused::Rule);
        }
        Ok(())
    }
}

/// A hash of the moves as they are read, and of what positions there are.
fn hash(rule: &Rule<'_>) -> String {
    let read = format!("{:?} {:?}", rule.ways, rule.positions);
    blake3::hash(read.as_bytes()).to_hex().to_string()
}

/// The parameters, numbers as numbers and others as the language writes them.
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
    /// The base, or the name.
    pub fn written(self) -> Value {
        match self {
            Numeration::Base(base) => json!(base),
            Numeration::Zeckendorf => json!(ZECKENDORF),
        }
    }

    /// The numeration that is written so.
    pub fn read(value: &Value) -> Option<Numeration> {
        if value == ZECKENDORF {
            return Some(Numeration::Zeckendorf);
        }
        let base = number(value, 16).filter(|base| *base >= 2)?;
        Some(Numeration::Base(base as u8))
    }
}

impl Dfa {
    /// The one way to write a set.
    pub fn written(&self) -> Value {
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

    /// The DFA that is written so; `None` unless it is the one way to write
    /// its set.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn read(
        value: &Value,
        heaps: usize,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Option<Dfa>, Met> {
        let Some(dfa) = Dfa::of_json(value, heaps, numeration) else {
            return Ok(None);
        };
        Ok(Some(dfa.canonical(limits)?).filter(|canonical| *canonical == dfa))
    }

    /// The DFA of these numbers, if they are one.
    fn of_json(value: &Value, heaps: usize, numeration: Numeration) -> Option<Dfa> {
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
        let whole = chunks.remainder().is_empty() && dfa.is_levelled() && dfa.skips_zeros();
        whole.then_some(dfa)
    }
}
