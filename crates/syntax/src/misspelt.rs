//! The search for the keyword nearest to a misspelt word.

use super::words::{is_keyword, keywords};

/// The help of an error about a word that is similar to another.
pub fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// The word that the help of an error, [`did_you_mean`], suggests.
pub fn meant(help: &str) -> Option<&str> {
    let (word, rest) = help.strip_prefix("did you mean `")?.split_once('`')?;
    (rest == "?").then_some(word)
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
    let mut near: Vec<(usize, &'static str)> = keywords()
        .filter_map(|keyword| Some((distance(word, keyword)?, keyword)))
        .collect();
    near.sort_unstable();
    let words = near.into_iter().map(|(_, keyword)| keyword);
    words.take(2).collect()
}
