//! Theorems for Rocq.

use nimrule_fixtures::game;
use nimrule_rocq::{Unsupported, theorem};

fn written(text: &str) -> Result<String, Unsupported> {
    let game = game(text);
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
