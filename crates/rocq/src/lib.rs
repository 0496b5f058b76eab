//! Claims about hypergraph Nim as theorems in Rocq (Coq 8.16).
//!
//! [`theorem`] writes a file that states the rule as a list of sets of heaps and the claim as a
//! statement about integers, and that calls the test of the theory in the folder `rocq`. Rocq
//! decides the test from this statement alone: no automaton of this program enters it. What a
//! reader has to compare with the rule file is the list and the statement.
//!
//! # Examples
//!
//! ```
//! let text = "game two heaps a b move take from one heap claim P iff a == b";
//! let game = nimrule_fixtures::compiled(text).unwrap().game;
//! let theorem = nimrule_rocq::theorem(&game, 1, &game.claims[0]).unwrap();
//! assert!(theorem.contains("P sets [a; b] <->\n  a = b."));
//! ```

#![warn(missing_docs)]

mod formula;
mod read;

use nimrule_ir::{Hyperedges, lower, profile};
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
/// If the rule is not hypergraph Nim with fixed sets of heaps, if the claim is not `P iff`, or
/// if its condition has a part that the theory does not handle.
pub fn theorem(game: &Game, number: usize, claim: &Claim) -> Result<String, Unsupported> {
    let sets = sets(game)?;
    let formula = match &claim.statement {
        Some(Statement::Outcome {
            class: Class::P,
            consistent: false,
            up_to_symmetry: false,
            direction: Direction::Iff,
            condition,
        }) => read::formula(game, condition)?,
        _ => return unsupported("this kind of claim, only `P iff`"),
    };
    formula.check()?;
    let heaps = game.heap_names.len();
    let names = names(&game.heap_names);
    let theorem = format!("{}_claim_{number}", identifier(&game.name));
    let listed: Vec<String> = sets
        .iter()
        .map(|set| format!("[{}]", joined(set.iter(), "; ")))
        .collect();
    let (class, play, misere) = match claim.convention {
        Convention::Normal => ("P", "normal_play", "false"),
        Convention::Misere => ("MisereP", "misere_play", "true"),
    };
    let all = joined(&names, "; ");
    let renamed = match names == game.heap_names {
        true => String::new(),
        false => {
            let pairs = names.iter().zip(&game.heap_names);
            let pairs = pairs.map(|(new, old)| format!("{new} is {old}"));
            format!(" Here {}.", joined(pairs, ", "))
        }
    };
    Ok(format!(
        "(* {title}\n   claim {words} *)\n\
         From Nimrule Require Import All.\n\
         Local Open Scope Z_scope.\n\n\
         (* The rule: a move chooses one of these sets of heaps, lowers at least one heap of it and\n   \
            none outside. Heaps are numbered from 0: {all}.{renamed} *)\n\
         Definition sets : list (list nat) :=\n  [{sets}]%nat.\n\n\
         (* The closed form as a term, for the test; the theorem states what it means. *)\n\
         Definition closed_form : claim :=\n  {term}.\n\n\
         Lemma test : proves {heaps} {misere} sets closed_form = true.\n\
         Proof. vm_cast_no_check (eq_refl true). Qed.\n\n\
         Theorem {theorem} ({variables} : N) :\n  {class} sets [{all}] <->\n  {statement}.\n\
         Proof. exact ({play} {heaps} {misere} sets closed_form test eq_refl [{all}] eq_refl). Qed.\n\n\
         Print Assumptions {theorem}.\n",
        title = comment(game.presentation.title.as_deref().unwrap_or(&game.name)),
        words = comment(&claim.words),
        sets = listed.join(";\n   "),
        term = formula.term(),
        variables = names.join(" "),
        statement = formula.statement(&names),
    ))
}

/// The sets of heaps of hypergraph Nim, from the intermediate representation of the rule.
fn sets(game: &Game) -> Result<Vec<Vec<usize>>, Unsupported> {
    if game.position_kind != PositionKind::Heaps {
        return unsupported("positions other than heaps");
    }
    let found = profile(&lower(game), &game.facts.termination);
    match found.hyperedges {
        Ok(Hyperedges::Fixed(sets)) => Ok(sets
            .into_iter()
            .map(|set| set.into_iter().map(|heap| heap.index()).collect())
            .collect()),
        Ok(Hyperedges::Remaining { .. }) => unsupported("a board that shrinks"),
        Err(why) => unsupported(format!("moves other than those of hypergraph Nim: {why}")),
    }
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
    "list",
    "match",
    "mod",
    "nat",
    "ones",
    "proves",
    "return",
    "sets",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<String, Unsupported> {
        let game = nimrule_fixtures::compiled(text).expect("it compiles").game;
        theorem(&game, 1, &game.claims[0])
    }

    #[test]
    fn names_that_rocq_has_taken_are_replaced() {
        let text = written("game two heaps N P move take from one heap claim P iff N == P")
            .expect("it is written");
        assert!(text.contains("P sets [x0; x1] <->\n  x0 = x1."), "{text}");
        assert!(text.contains("Here x0 is N, x1 is P."), "{text}");
    }

    #[test]
    fn what_the_theory_does_not_handle_is_named() {
        for (rule, what) in [
            (
                "game slow heaps a b move take 1 from one heap claim P iff a == b",
                "moves other than those of hypergraph Nim: the amounts are restricted",
            ),
            (
                "game two heaps a b move take from one heap claim P if a == b",
                "this kind of claim, only `P iff`",
            ),
            (
                "game two heaps a b move take from one heap claim P iff a * b == b * b",
                "the product of two heaps",
            ),
            (
                "game four heaps a b c d move take from one heap claim P iff (a + b) ^ (c + d) == 0",
                "the nim-sum of two sums",
            ),
            (
                "game two heaps a b move take from one heap claim P iff a ^ b <= 0",
                "a nim-sum that is compared by size",
            ),
            (
                "game two heaps a b move take from one heap claim P iff (a ^ b) + a == b",
                "a sum of nim-sums",
            ),
            (
                "game two heaps a b move take from one heap claim P iff (a ^ b) mod 2 == 0",
                "the remainder of a nim-sum",
            ),
            (
                "game two heaps a b move take from one heap claim P iff a ^ b == -1",
                "a nim-sum and a negative number",
            ),
        ] {
            let refused = written(rule).expect_err(rule);
            assert_eq!(refused, Unsupported(what.to_owned()), "{rule}");
        }
    }
}
