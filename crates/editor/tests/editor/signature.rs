//! The clauses of steps as the grammar has them.

use nimrule_editor::Document;
use nimrule_syntax::expected_at;
use nimrule_syntax::words::{Role, WORDS};

/// An argument of a clause as it may be typed.
fn example(clause: &str) -> String {
    let typed = [
        ("AMOUNT", "1..2"),
        ("NUMBER HEAPS", "1..2 heaps"),
        ("NUMBERS", "1, 2"),
        ("NUMBER", "1"),
        ("HEAPS", "one heap"),
        ("TOKENS", "one token"),
        ("NAMES", "x, y"),
        ("NAME", "h"),
        ("CONDITION", "true"),
    ];
    let found = typed
        .iter()
        .find(|(argument, _)| clause.ends_with(argument));
    let (argument, with) = found.unwrap_or_else(|| panic!("{clause}"));
    clause.replace(argument, with)
}

#[test]
fn the_grammar_has_the_clauses_of_all_steps_in_this_order() {
    for word in WORDS.iter().filter(|word| word.role == Role::Action) {
        // Behind `then`: at the beginning of a move some of these words may be its name.
        let mut text = "game g heaps a b move take 1 from a then".to_owned();
        let typed = format!("{text} {} ", word.spelling);
        let document = Document::new(&typed, &|_| Err("no files".to_owned()));
        let signature = document.signature(typed.len());
        let signature = signature.unwrap_or_else(|| panic!("no clauses: {typed}"));
        assert!(signature.label.starts_with(word.spelling), "{typed}");
        for clause in signature.parts {
            let clause = &signature.label[clause];
            text.push(' ');
            let expected = expected_at(&text, text.len()).keywords;
            let keyword = clause.split(' ').next().unwrap_or_default();
            assert!(
                expected.contains(&keyword),
                "{text}: {keyword}: {expected:?}"
            );
            text.push_str(&example(clause));
        }
    }
}
