//! Claims about hypergraph Nim, and about Rim and Trim, as theorems in Rocq (Coq 8.16).
//!
//! [`theorem`] writes a file that states the rule as lists of sets of heaps and the claim as a
//! statement about integers, and that calls the test of the theory in the folder `rocq`. Rocq
//! decides the test from this statement alone: no automaton of this program enters it. What a
//! reader has to compare with the rule file are the lists and the statement.
//!
//! The theorems about Flanigan's Rim and Trim are instances of those of `rocq/Rim.v`, which hold
//! for every base and any number of heaps.
//!
//! # Examples
//!
//! ```
//! let text = "game two heaps a b move take from one heap claim P iff a == b";
//! let game = nimrule_fixtures::compiled(text).unwrap().game;
//! let theorem = nimrule_rocq::theorem(&game, 1, &game.claims[0]).unwrap();
//! assert!(theorem.contains("P moves [a; b] <->\n  a = b."));
//! ```

#![warn(missing_docs)]

mod formula;
mod read;
mod rim;

use nimrule_ir::{LoweredSets, lower, profile};
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Claim, Class, Convention, Direction, Game, PositionKind, Statement};
use thiserror::Error;

/// What the theory does not handle, in words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the Rocq theory does not handle {0}")]
pub struct Unsupported(pub String);

fn unsupported<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(what.into()))
}

/// The text of a `.v` file with the theorem that a claim states. `number` is that of the
/// claim in its file, from 1.
///
/// # Errors
///
/// If the rule is neither hypergraph Nim, with any amounts or slow moves, or on a board that
/// shrinks, nor Rim or Trim; if the claim is neither `P iff` nor `grundy ==`, or if it has a part
/// that the theory does not handle.
pub fn theorem(game: &Game, number: usize, claim: &Claim) -> Result<String, Unsupported> {
    if let Some(why) = game.no_grundy_values() {
        return unsupported(format!("rules in which {why}"));
    }
    let heaps = game.heap_names.len();
    let names = names(&game.heap_names);
    let all = names.join("; ");
    let value = unused(&["g", "value", "grundy"], &names);
    let mut variables = names.clone();
    let theorem = format!("{}_claim_{number}", identifier(&game.name));
    let title = comment(game.presentation.title.as_deref().unwrap_or(&game.name));
    let words = comment(&claim.words);
    let renamed = match names == game.heap_names {
        true => String::new(),
        false => {
            let pairs = names.iter().zip(&game.heap_names);
            let pairs = pairs.map(|(new, old)| format!("{new} is {old}"));
            format!(" Here {}.", joined(pairs, ", "))
        }
    };
    if let Some(rule) = rim::Rule::of(game) {
        let found = rule.theorem(claim, &names, value)?;
        variables.extend(found.has_value.then(|| value.to_owned()));
        return Ok(format!(
            "(* {title}\n   claim {words} *)\n\
             From Nimrule Require Import Rim.\n\
             Require Import List NArith.\n\
             Import ListNotations.\n\
             Local Open Scope N_scope.\n\n\
             (* The rule is {rule}{renamed} *)\n\
             Theorem {theorem} ({quantified} : N) :\n  {statement}.\n\
             Proof. exact ({proof}). Qed.\n\n\
             Print Assumptions {theorem}.\n",
            rule = found.rule,
            quantified = variables.join(" "),
            statement = found.statement,
            proof = found.proof,
        ));
    }
    let sets = lowered_sets(game)?;
    let (formula, test, says, proof) = match (&claim.statement, claim.convention) {
        (
            Some(Statement::Outcome {
                class: Class::P,
                consistent: false,
                up_to_symmetry: false,
                direction: Direction::Iff,
                condition,
            }),
            convention,
        ) => {
            let (class, play, misere) = match convention {
                Convention::Normal => ("P", "normal_play", "false"),
                Convention::Misere => ("MisereP", "misere_play", "true"),
            };
            (
                read::formula(game, condition)?,
                format!("proves {heaps} {misere}"),
                format!("{class} moves [{all}]"),
                format!("{play} {heaps} {misere} moves closed_form test eq_refl [{all}] eq_refl"),
            )
        }
        (Some(Statement::Grundy(number)), Convention::Normal) => {
            variables.push(value.to_owned());
            (
                read::value(game, number)?,
                format!("proves_values {heaps}"),
                format!("Grundy moves [{all}] {value}"),
                format!("grundy_values {heaps} moves closed_form test [{all}] eq_refl {value}"),
            )
        }
        _ => return unsupported("this kind of claim, only `P iff` and `grundy ==`"),
    };
    formula.check()?;
    Ok(format!(
        "(* {title}\n   claim {words} *)\n\
         From Nimrule Require Import All.\n\
         Local Open Scope Z_scope.\n\n\
         (* The rule: a move chooses one of these sets of heaps, lowers at least one heap of it and\n   \
            none outside, {amounts}. Heaps are numbered from 0: {all}.{renamed} *)\n\
         Definition moves : rule :=\n  {sets}.\n\n\
         (* The closed form as a term, for the test; the theorem states what it means. *)\n\
         Definition closed_form : claim :=\n  {term}.\n\n\
         Lemma test : {test} moves closed_form = true.\n\
         Proof. vm_cast_no_check (eq_refl true). Qed.\n\n\
         Theorem {theorem} ({quantified} : N) :\n  {says} <->\n  {statement}.\n\
         Proof. exact ({proof}). Qed.\n\n\
         Print Assumptions {theorem}.\n",
        amounts = amounts(&sets),
        sets = rule(&sets),
        term = formula.term(),
        quantified = variables.join(" "),
        statement = formula.statement(&variables),
    ))
}

/// The sets of heaps that a move may lower, from the intermediate representation of the rule.
fn lowered_sets(game: &Game) -> Result<LoweredSets, Unsupported> {
    if game.position_kind != PositionKind::Heaps {
        return unsupported("positions other than heaps");
    }
    let found = profile(&lower(game), &game.facts.termination);
    found.lowered_sets.or_else(|why| {
        unsupported(format!(
            "moves other than those of hypergraph Nim, with any amounts or slow: {why}"
        ))
    })
}

/// What a move may take, in words.
fn amounts(sets: &LoweredSets) -> String {
    let words = [
        (!sets.any_amount.is_empty(), "by any amounts"),
        (!sets.at_most_one.is_empty(), "by one token each"),
        (
            !sets.while_empty.is_empty(),
            "by any amounts while the heaps of the second list are empty",
        ),
    ];
    let words = words.iter().filter(|(some, _)| *some);
    joined(words.map(|(_, words)| *words), " or ")
}

/// The rule as a term of type `rule`.
fn rule(sets: &LoweredSets) -> String {
    let list = |set: &Vec<HeapId>| {
        let heaps = set.iter().map(|heap| heap.index());
        format!("[{}]", joined(heaps, "; "))
    };
    let guarded = |(set, empty): &(Vec<HeapId>, Vec<HeapId>)| -> String {
        format!("({}, {})", list(set), list(empty))
    };
    let parts: Vec<String> = [
        ("any_amount", sets.any_amount.iter().map(list).collect()),
        ("at_most_one", sets.at_most_one.iter().map(list).collect()),
        (
            "while_empty",
            sets.while_empty.iter().map(guarded).collect(),
        ),
    ]
    .into_iter()
    .filter(|(_, sets): &(&str, Vec<String>)| !sets.is_empty())
    .map(|(amount, sets)| format!("{amount}\n  [{}]%nat", sets.join(";\n   ")))
    .collect();
    match parts.is_empty() {
        true => "[]".to_owned(),
        false => parts.join(" ++\n  "),
    }
}

/// The first of some names that no heap has. No heap has the last.
fn unused<'n>(candidates: &[&'n str], heaps: &[String]) -> &'n str {
    let is_free = |name: &&&str| !heaps.iter().any(|heap| heap == **name);
    candidates.iter().find(is_free).unwrap_or(&"unused")
}

fn joined<T: ToString>(parts: impl IntoIterator<Item = T>, by: &str) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    parts.join(by)
}

/// Text within a comment: it neither begins nor ends a comment or a string.
fn comment(text: &str) -> String {
    text.replace("(*", "( *")
        .replace("*)", "* )")
        .replace('"', "'")
}

/// A name as an identifier.
fn identifier(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Names that a theorem's variables cannot have: keywords, and what the statement refers to.
const RESERVED: &[&str] = &[
    "as",
    "at",
    "by",
    "claim",
    "cofix",
    "digit",
    "digits",
    "do",
    "else",
    "end",
    "exists",
    "exists2",
    "fix",
    "for",
    "forall",
    "fun",
    "if",
    "in",
    "let",
    "grundy",
    "grundy_values",
    "list",
    "match",
    "mod",
    "move",
    "moves",
    "nat",
    "ones",
    "proves",
    "return",
    "test",
    "then",
    "using",
    "where",
    "with",
    "xor",
    "closed_form",
    "eq_refl",
    "normal_play",
    "misere_play",
    "true",
    "false",
    "Grundy",
    "N",
    "P",
    "Z",
    "MisereP",
    "IF",
    "Prop",
    "Set",
    "SProp",
    "Type",
];

/// The variables of a theorem: the names of the heaps, if all can be variables, or x0, x1, ….
fn names(heaps: &[String]) -> Vec<String> {
    let plain = |name: &String| {
        name.chars().all(|c| c.is_ascii_alphanumeric())
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !RESERVED.contains(&name.as_str())
    };
    match heaps.iter().all(plain) {
        true => heaps.to_vec(),
        false => (0..heaps.len()).map(|heap| format!("x{heap}")).collect(),
    }
}
