//! The TextMate grammar, which colours rule files in editors: made from the table of
//! words, so that it cannot miss one.

use nimrule_syntax::words::{Role, WORDS};
use nimrule_syntax::{is_reserved, keywords};
use serde_json::{Value, json};

/// The TextMate grammar as JSON, with a final line break.
pub fn textmate() -> String {
    let with = |chosen: fn(Role) -> bool| {
        let chosen = WORDS.iter().filter(move |word| chosen(word.role));
        chosen.map(|word| word.spelling).collect::<Vec<_>>()
    };
    let functions = with(|role| matches!(role, Role::Function(..) | Role::Form));
    let constants = with(|role| role == Role::Constant);
    let statements = with(|role| role == Role::Statement);
    let others = keywords().filter(|word| {
        !statements.contains(word) && !functions.contains(word) && !constants.contains(word)
    });
    let (reserved, contextual): (Vec<&str>, Vec<&str>) = others.partition(|w| is_reserved(w));
    let words = |words: &[&str]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words.dedup();
        format!("\\b({})\\b", words.join("|"))
    };
    let rule = |name: &str, pattern: String| json!({"name": name, "match": pattern});
    let grammar: Value = json!({
        "name": "nimrule",
        "scopeName": "source.nimrule",
        "fileTypes": ["nimrule"],
        "patterns": [
            rule("comment.line.double-slash.nimrule", "//.*$".to_owned()),
            {
                "name": "string.quoted.double.nimrule",
                "begin": "\"",
                "end": "\"|$",
            },
            // The name of a game may be any word.
            {
                "match": "^\\s*(game)\\s+(\\w+)",
                "captures": {
                    "1": {"name": "keyword.control.nimrule"},
                    "2": {"name": "entity.name.type.nimrule"},
                },
            },
            {
                "match": format!("^\\s*{}", words(&statements)),
                "captures": {"1": {"name": "keyword.control.nimrule"}},
            },
            {
                "match": format!("{}(?=\\s*\\()", words(&functions)),
                "captures": {"1": {"name": "support.function.nimrule"}},
            },
            rule("constant.language.nimrule", words(&constants)),
            rule("keyword.other.nimrule", words(&reserved)),
            rule("keyword.other.contextual.nimrule", words(&contextual)),
            rule("constant.numeric.nimrule", "\\b[0-9][0-9_]*\\b".to_owned()),
            rule("keyword.operator.nimrule", "==|!=|<=|>=|\\.\\.|->|\\*\\*|[=<>+*^-]".to_owned()),
        ],
    });
    let text = serde_json::to_string_pretty(&grammar);
    text.unwrap_or_else(|error| unreachable!("JSON of strings: {error}")) + "\n"
}
