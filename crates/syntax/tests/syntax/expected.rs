//! What may follow at a place.

use nimrule_syntax::{Expected, expected_at};

/// What is expected at the end of a text.
fn at_end(text: &str) -> Expected {
    expected_at(text, text.len())
}

#[test]
fn keywords_depend_on_the_place() {
    let has = |text: &str, word: &str| at_end(text).keywords.contains(&word);
    assert!(has("", "game") && has("game nim\n", "heaps"));
    assert!(has("move take 1 from one ", "heap") && !has("move take 1 from one ", "one"));
    assert!(has("move ", "flip") && has("move ", "take") && !has("move ", "with"));
    assert!(has("claim ", "grundy") && has("claim P ", "iff") && !has("claim P ", "heaps"));
    assert!(has("claim P iff ", "exists") && has("claim P iff a == b ", "and"));
    assert!(at_end("board ").board && !at_end("heaps ").board);
}

#[test]
fn nothing_is_expected_in_comments_strings_and_after_errors() {
    for text in [
        "game g // a",
        "game g \"Ti",
        "claim P iff a = ",
        "move take )",
    ] {
        let found = at_end(text);
        assert!(
            found.keywords.is_empty() && !found.name,
            "{text}: {found:?}"
        );
    }
}
