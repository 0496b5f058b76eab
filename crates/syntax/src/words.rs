//! The keywords of the language, and the search for the keyword nearest to a
//! misspelt word.

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

/// The keywords similar to a word, the nearest first.
pub fn similar_keywords(word: &str) -> Vec<&'static str> {
    let keywords = || RESERVED.iter().chain(CONTEXTUAL).copied();
    if keywords().any(|keyword| keyword == word) {
        return Vec::new();
    }
    let mut near: Vec<(usize, &'static str)> = keywords()
        .filter_map(|keyword| Some((distance(word, keyword)?, keyword)))
        .collect();
    near.sort_unstable();
    near.into_iter()
        .map(|(_, keyword)| keyword)
        .take(2)
        .collect()
}

/// Reserved words, which are never names.
pub const RESERVED: &[&str] = &[
    "game",
    "source",
    "note",
    "param",
    "board",
    "heaps",
    "heap",
    "tokens",
    "kinds",
    "split",
    "slide",
    "leaving",
    "family",
    "positions",
    "suggest",
    "start",
    "move",
    "claim",
    "example",
    "in",
    "on",
    "as",
    "from",
    "where",
    "when",
    "for",
    "some",
    "then",
    "optionally",
    "up",
    "times",
    "take",
    "put",
    "slow",
    "equal",
    "all",
    "one",
    "exactly",
    "consecutive",
    "misere",
    "iff",
    "is",
    "not",
    "and",
    "or",
    "implies",
    "div",
    "mod",
    "if",
    "else",
    "let",
    "exists",
    "forall",
    "like",
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
    "total",
    "each",
];

/// Contextual keywords; elsewhere they may be names.
const CONTEXTUAL: &[&str] = &[
    "planar",
    "graph",
    "faces",
    "number",
    "shrinking",
    "to",
    "symmetry",
    "only",
    "grundy",
    "refuted",
    "at",
    "has",
    "wins",
    "by",
    "loses",
    "any",
    "digraph",
    "token",
    "of",
    "real",
    "size",
    "may",
    "repeat",
    "left",
    "right",
    "octal",
    "into",
    "consistent",
    "period",
    "saltus",
    "same",
    "cogame",
    "labellings",
    "quotient",
    "elements",
    "pairing",
    "with",
    "L",
    "R",
    "D",
    "P",
    "N",
];

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
