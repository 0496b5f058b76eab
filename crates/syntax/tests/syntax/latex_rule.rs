//! Moves as sentences.

use nimrule_syntax::{NameKind, moves_as_latex, moves_in_words, parse};

/// The moves typeset, and as plain text.
fn sentences(moves: &str) -> [Vec<String>; 2] {
    let text = format!("game g\nheaps a b\n{moves}\n");
    let file = parse(&text).into_result().expect("no syntax error");
    let kind = |name: &str| match name {
        "k" => NameKind::Number,
        "amounts" => NameKind::Set,
        _ => NameKind::New,
    };
    [
        moves_as_latex(&file, &kind),
        moves_in_words(&file, &text, &kind),
    ]
}

#[test]
fn moves_are_sentences() {
    let cases = [
        (
            "move take from one heap",
            "The player who moves takes at least one token from one heap.",
        ),
        (
            "move take amounts from up to k heaps",
            "The player who moves takes a number of tokens in $\\mathit{amounts}$ from up to \
             $k$ heaps.",
        ),
        // A name that an amount introduces is a number from then on.
        (
            "move take t from a where t <= k then put t on b",
            "The player who moves takes some number $t$ of tokens from $a$, where $t \\le k$, \
             then puts $t$ tokens on $b$.",
        ),
        (
            "move for some s in 0..1 take s from a then optionally put 1 on b",
            "For some $s \\in \\{0, \\ldots, 1\\}$, the player who moves takes $s$ tokens from \
             $a$, then optionally puts one token on $b$.",
        ),
        (
            "move left when a > b take equal from all heaps then again",
            "If $a > b$, Left takes the same positive number of tokens from all heaps, and must \
             move again.",
        ),
        (
            "move split one heap into x, y where x != y",
            "The player who moves divides one heap into heaps of $x$ and $y$ tokens, where $x \
             \\ne y$.",
        ),
    ];
    for (moves, wanted) in cases {
        assert_eq!(sentences(moves)[0], [wanted], "{moves}");
    }
}

#[test]
fn plain_sentences_have_the_signs_of_print() {
    let cases = [
        (
            "move take 1..3 from one heap",
            "The player who moves takes from 1 to 3 tokens from one heap.",
        ),
        (
            "move take {1,3,4} from a where a >= 2*b and total != b",
            "The player who moves takes 1, 3 or 4 tokens from a, where a ≥ 2·b and total ≠ b.",
        ),
        (
            "move for some s in 0..1 take 2.. from a then optionally put s on b",
            "For some s from 0 to 1, the player who moves takes at least 2 tokens from a, then \
             optionally puts s tokens on b.",
        ),
        (
            "move split one heap as h into x, y where x ^ y == h",
            "The player who moves divides one heap (h) into heaps of x and y tokens, where x ⊕ y \
             = h.",
        ),
        (
            "move flip a then set b to a",
            "The player who moves turns over a (0 becomes 1, and 1 becomes 0), then sets b to a.",
        ),
    ];
    for (moves, wanted) in cases {
        assert_eq!(sentences(moves)[1], [wanted], "{moves}");
    }
}
