//! The keywords of the language, read off the grammar, and the search for the
//! keyword nearest to a misspelt word.

use super::parser::{Grammar, Rule};
use pest::Parser as _;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The keyword of each rule of the grammar that is one: `kw_take` is `take`, and a
/// rule with a single letter, such as `kw_p`, is the capital letter.
pub(super) static KEYWORDS: LazyLock<BTreeMap<Rule, String>> = LazyLock::new(|| {
    let word = |rule: &Rule| {
        let name = format!("{rule:?}");
        let word = name.strip_prefix("kw_")?;
        Some(match word.len() {
            1 => word.to_uppercase(),
            _ => word.to_owned(),
        })
    };
    let rules = Rule::all_rules().iter();
    rules
        .filter_map(|rule| Some((*rule, word(rule)?)))
        .collect()
});

/// The keyword that a rule of the grammar stands for, if it is one.
pub fn keyword(rule: Rule) -> Option<&'static str> {
    KEYWORDS.get(&rule).map(String::as_str)
}

/// All keywords, reserved and contextual, in no particular order.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.values().map(String::as_str)
}

/// The help of an error about a word that is similar to another.
pub fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// The word that the help of an error, [`did_you_mean`], suggests.
pub fn meant(help: &str) -> Option<&str> {
    let (word, rest) = help.strip_prefix("did you mean `")?.split_once('`')?;
    (rest == "?").then_some(word)
}

/// Whether a word is a keyword, reserved or contextual.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.values().any(|keyword| keyword == word)
}

/// Whether a word is reserved: it is never a name. The other keywords are
/// contextual, and names elsewhere.
pub fn is_reserved(word: &str) -> bool {
    Grammar::parse(Rule::reserved, word).is_ok_and(|pairs| pairs.as_str() == word)
}

/// The word among `candidates` that is nearest to `word`, if one is near enough.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(word, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The edit distance between the words, if it is small enough for a misspelling.
fn distance(word: &str, meant: &str) -> Option<usize> {
    if word.eq_ignore_ascii_case(meant) {
        return Some(0);
    }
    let letters = word.chars().count();
    let allowed = match letters {
        0 | 1 => 0,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    // Lengths that differ too much need no comparison of letters.
    if letters.abs_diff(meant.chars().count()) > allowed {
        return None;
    }
    let distance = edits(&word.to_lowercase(), meant);
    (distance <= allowed && distance < meant.len()).then_some(distance)
}

/// The edit distance with insertions, deletions, substitutions and transpositions
/// of neighbours (Damerau 1964).
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().take(40).collect();
    let to: Vec<char> = to.chars().take(40).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let change = usize::from(from[i - 1] != to[j - 1]);
            let mut best = (rows[i - 1][j] + 1)
                .min(row[j - 1] + 1)
                .min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

/// The keywords similar to a word, at most two, the nearest first.
pub fn similar_keywords(word: &str) -> Vec<&'static str> {
    if is_keyword(word) {
        return Vec::new();
    }
    let mut near: Vec<(usize, &'static str)> = KEYWORDS
        .values()
        .filter_map(|keyword| Some((distance(word, keyword)?, keyword.as_str())))
        .collect();
    near.sort_unstable();
    let words = near.into_iter().map(|(_, keyword)| keyword);
    words.take(2).collect()
}

/// Keywords that look like names of objects.
pub const LIKE_NAMES: &[&str] = &[
    "heap",
    "some",
    "times",
    "slow",
    "equal",
    "all",
    "one",
    "total",
    "each",
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
    "powers",
    "squares",
    "true",
    "false",
    "up",
];

/// Keywords that are followed by arguments in brackets.
pub const FUNCTIONS: &[&str] = &[
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
    "powers",
    "like",
];
