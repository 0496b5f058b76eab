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
        assert!(text.contains("P moves [x0; x1] <->\n  x0 = x1."), "{text}");
        assert!(text.contains("Here x0 is N, x1 is P."), "{text}");
    }

    #[test]
    fn slow_moves_and_values_are_stated() {
        let text = written(
            "game mixed heaps a b g move take slow from all heaps move take from one of {g} \
             claim grundy == (a + b + g) mod 2",
        )
        .expect("it is written");
        for part in [
            "rule :=\n  any_amount\n  [[2]]%nat ++\n  at_most_one\n  [[0; 1; 2]]%nat.",
            "Lemma test : proves_values 3 moves closed_form",
            "(a b g value : N) :\n  Grundy moves [a; b; g] value <->\n  \
             (a + b + g) mod 2 = value.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn heaps_of_boards_that_shrink_are_lowered_while_others_are_empty() {
        let text = written(
            "game circle board circle(4) shrinking move take from 2 consecutive heaps \
             claim P iff like (a,b,a,b) where a != b or like (a,a,a) or like ()",
        )
        .expect("it is written");
        for part in [
            "rule :=\n  while_empty\n  [([0; 1], []);",
            "([0; 2], [1]);\n   ([0; 2], [3]);",
            "(h4 = 0%N /\\ 0 < h1 /\\ 0 < h2 /\\ 0 < h3 /\\ ((h1 = h2 /\\ h1 = h3) \\/",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    const RIM: &str = "move for some p in powers(k) take t from one heap where t < 2*p \
                       then up to k - 2 times take p from one heap";
    const TRIM: &str = "move take t from one heap \
                        then optionally take u from one heap where u in powers(3) and 2*u > t";

    #[test]
    fn claims_about_rim_are_instances() {
        for (rule, says) in [
            (
                format!("param k = 4 in 2.. heaps m n {RIM} claim P iff carryless(k, heaps) == 0"),
                "(m n : N) :\n  Game.NormalP (list N) (move 4) [m; n] <->\n  \
                 forall place, digits 4 [m; n] place mod 4 = 0.\n\
                 Proof. exact (rim_normal_play 4 ltac:(discriminate) [m; n]). Qed.",
            ),
            (
                format!("heaps a b {TRIM} claim grundy == carryless(3, heaps)"),
                "(a b g : N) :\n  Game.Grundy (list N) trim_move [a; b] g <->\n  \
                 forall m, digit 3 g m = digits 3 [a; b] m mod 3.\n\
                 Proof. exact (trim_values [a; b] g). Qed.",
            ),
            (
                format!("heaps a b {TRIM} claim misere P iff carryless(3, heaps) == 1"),
                "forall m, digits 3 [a; b] m mod 3 = if m =? 0 then 1 else 0.\n\
                 Proof. exact (trim_misere_play [a; b] eq_refl). Qed.",
            ),
        ] {
            let text = written(&format!("game one {rule}")).expect("it is written");
            assert!(text.contains(says), "{text}");
        }
    }

    #[test]
    fn rules_like_rim_are_not_taken_for_it() {
        let rim = format!("param k = 4 in 2.. heaps a b {RIM}");
        for (rule, part, other) in [
            (rim.as_str(), "k - 2", "k - 1"),
            (&rim, "2*p", "3*p"),
            (&rim, "powers(k)", "powers(k) where p > 1"),
            (
                &rim,
                "times take p from one heap",
                "times take p from one of {a}",
            ),
            (&format!("heaps a b {TRIM}"), "2*u > t", "2*u >= t"),
            (&format!("heaps a b {TRIM}"), "powers(3)", "powers(4)"),
        ] {
            let changed = rule.replace(part, other);
            assert_ne!(changed, rule);
            let refused = written(&format!("game one {changed} claim P iff a == b"));
            let why = refused.expect_err(&changed).0;
            assert!(
                why.starts_with("moves other than those of hypergraph Nim"),
                "{changed}: {why}"
            );
        }
        for claim in [
            "P iff carryless(3, {a, b, b}) == 0",
            "P iff carryless(4, heaps) == 0",
            "P iff carryless(3, heaps) == 1",
            "misere P iff carryless(3, heaps) == 0",
            "grundy == carryless(3, heaps, 2)",
        ] {
            let refused = written(&format!("game one heaps a b {TRIM} claim {claim}"));
            let what = "claims about Rim other than those of its theorems";
            assert_eq!(refused, Err(Unsupported(what.to_owned())), "{claim}");
        }
        let three = written(&format!(
            "game one heaps a b c {TRIM} claim misere P iff carryless(3, heaps) == 1"
        ));
        assert!(
            three.is_err(),
            "with as many heaps as the base the claim is false"
        );
    }

    #[test]
    fn what_the_theory_does_not_handle_is_named() {
        for (rule, what) in [
            (
                "game two heaps a b move take 2 from one heap claim P iff a == b",
                "moves other than those of hypergraph Nim, with any amounts or slow: \
                 the amounts are restricted",
            ),
            (
                "game two heaps a b move take from one heap opponent may block up to 1 options \
                 claim P iff a == b",
                "rules in which the opponent may block options",
            ),
            (
                "game two heaps a b move left take from a move right take from b \
                 claim P iff a == b",
                "rules in which each side has moves of its own",
            ),
            (
                "game two heaps a b move take from one heap claim P if a == b",
                "this kind of claim, only `P iff` and `grundy ==`",
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
