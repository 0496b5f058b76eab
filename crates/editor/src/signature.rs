//! What the function or the step of a move around a place takes, while it is typed.

use super::document::Document;
use nimrule_elaborate::board_kinds;
use nimrule_syntax::token_places;
use nimrule_syntax::words::{self, Role, Word};
use std::ops::Range;

/// A function, a board or a step of a move, with the parts that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The whole form, such as `put AMOUNT on HEAPS as NAME where CONDITION`.
    pub label: String,
    /// The parts of the label that are typed, in bytes of it.
    pub parts: Vec<Range<usize>>,
    /// The index of the part at the place.
    pub active: Option<usize>,
    /// What it means, as Markdown.
    pub meaning: String,
}

/// The clauses of the steps of moves, each with its keyword first.
const STEPS: [(&str, &[&str]); 8] = [
    (
        "take",
        &[
            "take AMOUNT",
            "from HEAPS",
            "as NAME",
            "leaving NUMBER HEAPS",
            "where CONDITION",
        ],
    ),
    (
        "put",
        &["put AMOUNT", "on HEAPS", "as NAME", "where CONDITION"],
    ),
    (
        "set",
        &["set HEAPS", "as NAME", "to NUMBER", "where CONDITION"],
    ),
    ("flip", &["flip HEAPS", "as NAME", "where CONDITION"]),
    ("choose", &["choose HEAPS", "as NAME", "where CONDITION"]),
    (
        "split",
        &["split HEAPS", "as NAME", "into NAMES", "where CONDITION"],
    ),
    (
        "replace",
        &["replace HEAPS", "as NAME", "by NUMBERS", "where CONDITION"],
    ),
    ("slide", &["slide TOKENS", "as NAME", "where CONDITION"]),
];

impl Document {
    /// The innermost function, board or step of a move that a place is in, and which of its
    /// parts.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_editor::Document;
    ///
    /// let text = "game g heaps a b move take 1 from ";
    /// let signature = Document::new(text, &|_| Err(String::new())).signature(text.len());
    /// let signature = signature.expect("a step");
    /// let active = &signature.parts[signature.active.expect("a part")];
    /// assert_eq!(&signature.label[active.clone()], "from HEAPS");
    /// ```
    pub fn signature(&self, offset: usize) -> Option<Signature> {
        let all = token_places(self.text.get(..offset)?);
        // A comment or a text in quotes that has not ended is in no part.
        let blank = &self.text[all.last().map_or(0, |at| at.end)..offset];
        let in_comment = blank
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.contains("//"));
        let last = all.last().map_or("", |at| &self.text[at.clone()]);
        if in_comment || (last.starts_with('"') && (last.len() < 2 || !last.ends_with('"'))) {
            return None;
        }
        let (mut depth, mut commas) = (0_usize, 0);
        // The clauses that were passed on the way back to the step, the last one first.
        let mut passed: Vec<&str> = Vec::new();
        for (number, at) in all.iter().enumerate().rev() {
            let token = &self.text[at.clone()];
            let before = number
                .checked_sub(1)
                .map(|number| &self.text[all[number].clone()]);
            match token {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" if depth > 0 => depth -= 1,
                "(" => {
                    let of_board = number >= 2 && &self.text[all[number - 2].clone()] == "board";
                    if let Some(found) = before.and_then(|word| call(word, of_board, commas)) {
                        return Some(found);
                    }
                    commas = 0;
                    passed.clear();
                }
                "[" | "{" => {
                    commas = 0;
                    passed.clear();
                }
                "," if depth == 0 => commas += 1,
                _ if depth > 0 => {}
                "then" => return None,
                // `up to 2 heaps` is a part of `HEAPS`.
                "to" if before == Some("up") => {}
                _ => {
                    let word = words::find(token);
                    let is_name = || self.name_at(at.start).is_some();
                    match word.map(|word| (word.role, word.reserved)) {
                        Some((Role::Action, reserved)) if reserved || !is_name() => {
                            return step(token, &passed);
                        }
                        Some((Role::Statement, true)) if !matches!(token, "heaps" | "tokens") => {
                            return None;
                        }
                        _ => passed.push(token),
                    }
                }
            }
        }
        None
    }
}

/// The signature of a function or a board before a bracket, after so many commas.
fn call(name: &str, of_board: bool, commas: usize) -> Option<Signature> {
    if let Some((kind, arguments)) = board_kinds().find(|(kind, _)| of_board && *kind == name) {
        let meaning = format!("a board; arguments: {arguments}");
        return Some(whole(kind, arguments, meaning));
    }
    let word = words::find(name)?;
    let meaning = format!("{}\n\nExample: `{}`", word.meaning, word.example);
    match word.role {
        Role::Function(_, arguments, _) => {
            let mut signature = whole(name, arguments.wanted, meaning);
            let parts = listed(arguments.wanted);
            if arguments.least == arguments.most && parts.len() == arguments.most {
                let start = name.len() + 1;
                let moved = |part: Range<usize>| part.start + start..part.end + start;
                signature.parts = parts.into_iter().map(moved).collect();
                signature.active = (commas < arguments.most).then_some(commas);
            }
            Some(signature)
        }
        Role::Form => Some(Signature {
            label: form(word).to_owned(),
            parts: Vec::new(),
            active: None,
            meaning,
        }),
        _ => None,
    }
}

/// A signature whose arguments are one part.
fn whole(name: &str, arguments: &str, meaning: String) -> Signature {
    let start = name.len() + 1;
    Signature {
        label: format!("{name}({arguments})"),
        parts: std::iter::once(start..start + arguments.len()).collect(),
        active: Some(0),
        meaning,
    }
}

/// The members of a phrase such as `a base, the digit's place and a number`.
fn listed(phrase: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for part in phrase.split(", ").flat_map(|part| part.split(" and ")) {
        start += phrase[start..].find(part).unwrap_or_default();
        parts.push(start..start + part.len());
        start += part.len();
    }
    parts
}

/// The call in the example of a word that is followed by brackets.
fn form(word: &Word) -> &'static str {
    let call = &word.example[word.example.find(word.spelling).unwrap_or_default()..];
    call.find(')').map_or(call, |end| &call[..=end])
}

/// The signature of a step. `passed` are the words after its keyword, the last one first.
fn step(action: &str, passed: &[&str]) -> Option<Signature> {
    let (_, clauses) = STEPS.iter().find(|(known, _)| *known == action)?;
    let keyword = |clause: &str| clause.split(' ').next().unwrap_or_default().to_owned();
    // A word of a condition may be a keyword of another clause.
    let last = passed.iter().rposition(|word| *word == "where");
    let in_clauses = &passed[last.unwrap_or(0)..];
    let active = in_clauses.iter().find_map(|word| {
        clauses[1..]
            .iter()
            .position(|clause| keyword(clause) == *word)
    });
    let mut parts = Vec::new();
    let mut start = 0;
    for clause in *clauses {
        parts.push(start..start + clause.len());
        start += clause.len() + 1;
    }
    let word = words::find(action)?;
    Some(Signature {
        label: clauses.join(" "),
        parts,
        active: Some(active.map_or(0, |clause| clause + 1)),
        meaning: format!("{}\n\nExample: `{}`", word.meaning, word.example),
    })
}
