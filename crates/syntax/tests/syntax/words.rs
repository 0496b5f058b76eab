//! The table of words.

use nimrule_syntax::parse;
use nimrule_syntax::words::{Role, WORDS};
use std::collections::BTreeSet;

#[test]
fn every_word_stands_once_and_its_example_parses() {
    let spellings: BTreeSet<&str> = WORDS.iter().map(|word| word.spelling).collect();
    assert_eq!(spellings.len(), WORDS.len());
    for word in WORDS {
        let example = word.example;
        let tried = [
            format!("game g\n{example}"),
            format!("game g\nmove {example}"),
            format!("game g\nclaim P iff {example}"),
            example.to_owned(),
        ];
        let tried = match word.role {
            Role::Statement if word.spelling == "game" => &tried[3..],
            Role::Statement => &tried[..1],
            Role::Action => &tried[1..2],
            Role::Function(..) | Role::Form | Role::Operator(..) => &tried[2..3],
            Role::Comparison(..) | Role::Quantifier(..) => &tried[2..3],
            Role::Quantity | Role::Constant | Role::Part => &tried[..],
        };
        assert!(
            tried.iter().any(|text| parse(text).problems.is_empty()),
            "{}: {example}",
            word.spelling
        );
        assert!(example.contains(word.spelling), "{example}");
        assert!(!word.meaning.ends_with('.'), "{}", word.meaning);
    }
}
