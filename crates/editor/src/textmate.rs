//! The TextMate grammar, which colours rule files in editors: made from the keywords of
//! the grammar, so that it cannot miss one.

use nimrule_syntax::{STATEMENTS, is_reserved, keywords};
use serde_json::{Value, json};

/// The TextMate grammar as JSON, with a final line break.
pub fn textmate() -> String {
    let functions = [
        "max",
        "min",
        "sum",
        "xor",
        "count",
        "sorted",
        "distinct",
        "carryless",
        "digit",
        "isqrt",
        "gcd",
        "lcm",
        "abs",
        "size",
        "index",
        "neighbours",
        "powers",
    ];
    let constants = [
        "true", "false", "total", "each", "squares", "P", "N", "L", "R", "D",
    ];
    let others = keywords().filter(|word| {
        !STATEMENTS.contains(word) && !functions.contains(word) && !constants.contains(word)
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
                "match": format!("^\\s*{}", words(&STATEMENTS)),
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
