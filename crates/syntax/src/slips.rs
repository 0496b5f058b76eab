//! Phrases of other languages and of papers that the grammar rejects, and what the language
//! writes in their place. A correction is offered where the grammar reads further with it.

use super::explain::{error_offset, is_action};
use super::misspelt::nearest;
use super::parser::{Grammar, Rule};
use super::problem::{Replacement, SyntaxProblem};
use super::scan::{StatementText, Token, TokenKind};
use super::words::{Role, Typeset, WORDS, Word, find, is_statement, statements};
use nimrule_model::source::Span;
use pest::Parser as _;
use std::ops::Range;

/// A longer statement is not searched.
const LONGEST: usize = 2000;

/// The largest number of phrases that are tried in one statement.
const MOST: usize = 16;

/// A phrase, by its words, and what is written in its place.
const PHRASES: &[(&[&str], &str)] = &[
    (&["if", "and", "only", "if"], "iff"),
    (&["when", "and", "only", "when"], "iff"),
    (&["exactly", "if"], "iff"),
    (&["exactly", "when"], "iff"),
    (&["precisely", "if"], "iff"),
    (&["precisely", "when"], "iff"),
    (&["just", "if"], "iff"),
    (&["<=", ">"], "iff"),
    (&["<", "->"], "iff"),
    (&["=", ">"], "implies"),
    (&["XOR"], "^"),
    (&["nimsum"], "^"),
    (&["plus"], "+"),
    (&["minus"], "-"),
    (&["times"], "*"),
    (&["divided", "by"], "div"),
    (&["modulo"], "mod"),
    (&["is", "not", "equal", "to"], "!="),
    (&["is", "equal", "to"], "=="),
    (&["equals"], "=="),
    (&["is", "greater", "than"], ">"),
    (&["is", "more", "than"], ">"),
    (&["is", "less", "than"], "<"),
    (&["is", "at", "least"], ">="),
    (&["is", "at", "most"], "<="),
    (&["is"], "=="),
    (&["both", "heaps"], "all heaps"),
    (&["both", "tokens"], "all tokens"),
];

/// Words at which a condition or a number begins.
const BEGINS: [&str; 14] = [
    "iff", "if", "and", "or", "not", "implies", "where", "when", "then", "else", ":", ",", "(",
    "in",
];

/// A phrase in a statement.
struct Slip {
    /// The indices of its words.
    words: Range<usize>,
    /// What is written in its place.
    with: String,
}

/// The phrases in a statement that the grammar rejects, each with its correction.
pub fn corrected(text: &str, statement: &StatementText<'_>) -> Vec<SyntaxProblem> {
    if statement.end - statement.start > LONGEST {
        return Vec::new();
    }
    let found = Words::of(text, statement.tokens);
    let mut problems = Vec::new();
    let mut written = text[statement.start..statement.end].to_owned();
    let mut refused = first_error(&written);
    // From the end, so that the places before keep their offsets.
    let mut slips = found.slips();
    slips.sort_by_key(|slip| (slip.words.start, usize::MAX - slip.words.end));
    slips.truncate(MOST);
    let mut kept: Vec<(Span, String)> = Vec::new();
    for slip in slips {
        let Some(error) = refused else { break };
        let at = found.place(&slip.words);
        let overlaps = |(before, _): &(Span, String)| at.offset() < before.offset() + before.len();
        // No phrase further on corrects an error before it, or in it.
        if kept.last().is_some_and(overlaps) {
            continue;
        }
        let with = spaced(text, at, &slip.with);
        let grown: isize = kept.iter().map(growth).sum();
        let from = (at.offset() - statement.start).wrapping_add_signed(grown);
        let mut tried = written.clone();
        tried.replace_range(from..from + at.len(), &with);
        let now = first_error(&tried);
        let better = match now {
            None => true,
            Some(now) => error <= from + at.len() && now > from + with.len(),
        };
        if better {
            problems.push(SyntaxProblem::ForeignPhrase {
                phrase: shortened(&text[at.offset()..at.offset() + at.len()]),
                help: match with.trim() {
                    "" => "remove it".to_owned(),
                    with => format!("write `{with}`"),
                },
                at,
                replacement: Replacement {
                    at,
                    with: with.clone(),
                },
            });
            kept.push((at, with));
            (written, refused) = (tried, now);
        }
    }
    problems
}

/// By how many bytes a text grows with a correction.
fn growth((at, with): &(Span, String)) -> isize {
    with.len() as isize - at.len() as isize
}

/// The offset at which the grammar rejects a part of a file.
fn first_error(text: &str) -> Option<usize> {
    let error = Grammar::parse(Rule::file, text).err()?;
    Some(error_offset(&error))
}

/// A phrase in an error message.
fn shortened(phrase: &str) -> String {
    let words = phrase.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// A correction with blanks where it would run into the words beside it.
fn spaced(text: &str, at: Span, with: &str) -> String {
    let joins = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
    let before = text[..at.offset()].chars().next_back();
    let after = text[at.offset() + at.len()..].chars().next();
    let blank = |needed: bool| if needed { " " } else { "" };
    let first = blank(joins(before) && is_word(with.chars().next()) && before != Some('('));
    let last = blank(is_word(after) && is_word(with.chars().next_back()));
    format!("{first}{with}{last}")
}

/// The words of a statement.
struct Words<'t> {
    text: &'t str,
    tokens: &'t [Token],
    words: Vec<&'t str>,
}

impl<'t> Words<'t> {
    fn of(text: &'t str, tokens: &'t [Token]) -> Words<'t> {
        let words = tokens.iter().map(|token| token.text(text)).collect();
        Words {
            text,
            tokens,
            words,
        }
    }

    /// The place of some words.
    fn place(&self, words: &Range<usize>) -> Span {
        let start = self.tokens[words.start].start;
        (start, self.tokens[words.end - 1].end - start).into()
    }

    /// The text of some words.
    fn written(&self, words: Range<usize>) -> &'t str {
        match words.is_empty() {
            true => "",
            false => &self.text[self.tokens[words.start].start..self.tokens[words.end - 1].end],
        }
    }

    fn slips(&self) -> Vec<Slip> {
        let mut slips = Vec::new();
        for at in 0..self.words.len() {
            let phrase = PHRASES
                .iter()
                .filter(|(phrase, _)| self.words[at..].starts_with(phrase));
            slips.extend(phrase.map(|(phrase, with)| Slip {
                words: at..at + phrase.len(),
                with: (*with).to_owned(),
            }));
            slips.extend(self.function_between(at));
            slips.extend(match self.words[at] {
                "≡" => self.congruence(at),
                "half" => self.half(at),
                "set" => self.assignment(at),
                "and" => self.another_step(at),
                "," => self.another(at),
                ":" => self.colon(at),
                "for" => self.late_condition(at),
                "heap" => self.heap_names(at),
                "heaps" => self.sizes(at),
                "state" => self.range_of_state(at),
                "game" => self.name_of_words(at),
                word if is_action(word) => self.move_without_keyword(at),
                _ => self.missing_comma(at),
            });
        }
        slips
    }

    /// A function as an operator, `a xor b`.
    fn function_between(&self, at: usize) -> Option<Slip> {
        let Role::Function(_, _, Typeset::Infix(_, operator)) = find(self.words[at])?.role else {
            return None;
        };
        let is_it = |word: &&Word| matches!(word.role, Role::Operator(of, _) if of == operator);
        let sign = WORDS.iter().find(is_it)?;
        Some(Slip {
            words: at..at + 1,
            with: sign.spelling.to_owned(),
        })
    }

    /// `a ≡ b (mod m)`.
    fn congruence(&self, at: usize) -> Option<Slip> {
        let mut open = 0_usize;
        let begin = (0..at).rev().find(|index| match self.words[*index] {
            ")" => {
                open += 1;
                false
            }
            "(" if open > 0 => {
                open -= 1;
                false
            }
            word => open == 0 && BEGINS.contains(&word),
        });
        let left = begin.map_or(0, |index| index + 1)..at;
        let sign = at + self.words[at..].iter().position(|word| *word == "mod")?;
        let in_brackets = self.words[sign - 1] == "(";
        let right = at + 1..sign - usize::from(in_brackets);
        let end = match in_brackets {
            true => sign + self.words[sign..].iter().position(|word| *word == ")")?,
            false => (sign + 2).min(self.words.len()),
        };
        let modulus = self.written(sign + 1..end);
        let residue = |words: Range<usize>| match words.len() {
            1 => format!("{} mod {modulus}", self.written(words)),
            _ => format!("({}) mod {modulus}", self.written(words)),
        };
        let number = |text: &str| text.parse::<u64>().ok();
        let least = match (number(self.written(right.clone())), number(modulus)) {
            (Some(value), Some(modulus)) if value < modulus => value.to_string(),
            _ => residue(right.clone()),
        };
        (!left.is_empty() && !right.is_empty()).then(|| Slip {
            words: left.start..end + usize::from(in_brackets),
            with: format!("{} == {least}", residue(left)),
        })
    }

    /// `set s = 1`, `set s := 1`.
    fn assignment(&self, at: usize) -> Option<Slip> {
        let length = match self.words[at + 1..] {
            [_, "=" | "==", ..] => 1,
            [_, ":", "=", ..] => 2,
            _ => return None,
        };
        Some(Slip {
            words: at + 2..at + 2 + length,
            with: "to".to_owned(),
        })
    }

    /// `take 1 from a and set s to 1`. In a condition the next word is read as a name, so that the
    /// grammar rejects the one after it.
    fn another_step(&self, at: usize) -> Option<Slip> {
        let next = self.words.get(at + 1).filter(|next| is_action(next));
        (next.is_some() && at + 3 <= self.words.len()).then(|| Slip {
            words: at..at + 3,
            with: format!("then {}", self.written(at + 1..at + 3)),
        })
    }

    /// `heap a b`.
    fn heap_names(&self, at: usize) -> Option<Slip> {
        let kind = self.tokens.get(at + 1)?.kind;
        matches!(kind, TokenKind::Word | TokenKind::Number).then(|| Slip {
            words: at..at + 1,
            with: "heaps".to_owned(),
        })
    }

    /// Where a step begins that no `move` precedes; the number of words if there is none.
    fn before_step(&self) -> usize {
        let step = self.words.iter().position(|word| is_action(word));
        step.unwrap_or(self.words.len())
    }

    /// `heaps n = 21`: the sizes of a position.
    fn sizes(&self, at: usize) -> Option<Slip> {
        let words: Vec<usize> = (at + 1..self.before_step())
            .filter(|index| self.words[*index] != ",")
            .collect();
        let (mut names, mut sizes) = (Vec::new(), Vec::new());
        for heap in words.chunks(3) {
            let [name, sign, size] = *heap else {
                return None;
            };
            let is_size = self.tokens[size].kind == TokenKind::Number;
            if self.tokens[name].kind != TokenKind::Word || self.words[sign] != "=" || !is_size {
                return None;
            }
            names.push(self.words[name]);
            sizes.push(self.words[size]);
        }
        (at == 0 && !names.is_empty()).then(|| Slip {
            words: at..self.before_step(),
            with: format!("heaps {} start ({})", names.join(" "), sizes.join(",")),
        })
    }

    /// `state last 0..3`, `state last = 0..3`, and `state last = 0 in 0..3` as of a parameter.
    fn range_of_state(&self, at: usize) -> Option<Slip> {
        let name = self.words.get(at + 1).filter(|_| at == 0)?;
        let range = match self.words.get(at + 2) {
            Some(&("=" | ":" | "of")) => at + 3,
            _ => at + 2,
        };
        let end = self.before_step();
        let place = |word: &str| (range..end).find(|index| self.words[*index] == word);
        let with = match (place("in"), place("=")) {
            (Some(sign), None) if sign > range => {
                let (value, set) = (range..sign, sign + 1..end);
                format!("{} = {}", self.written(set), self.written(value))
            }
            (None, value) => {
                place("..").filter(|sign| value.is_none_or(|value| *sign < value))?;
                self.written(range..end).to_owned()
            }
            _ => return None,
        };
        Some(Slip {
            words: at..end,
            with: format!("state {name} in {with}"),
        })
    }

    /// `game our game`.
    fn name_of_words(&self, at: usize) -> Option<Slip> {
        let is_part = |index: &usize| {
            let between = self.tokens[*index - 1].end..self.tokens[*index].start;
            let word = self.words[*index];
            self.tokens[*index].kind == TokenKind::Word
                && !self.text[between].contains('\n')
                && (word == "game" || !is_statement(word))
        };
        let parts = (at + 1..self.words.len()).take_while(is_part);
        let name: Vec<&str> = parts.map(|index| self.words[index]).collect();
        let end = at + 1 + name.len();
        let title = match self.tokens.get(end).map(|token| token.kind) {
            Some(TokenKind::Text) => String::new(),
            _ => format!(" \"{}\"", name.join(" ")),
        };
        (at == 0 && name.len() > 1).then(|| Slip {
            words: at..end,
            with: format!("game {}{title}", name.join("_")),
        })
    }

    /// `take 1 from a` after another statement.
    fn move_without_keyword(&self, at: usize) -> Option<Slip> {
        let before = at.checked_sub(1).map(|before| self.words[before]);
        // A misspelt `move` before it is another error.
        let is_begun = before.is_some_and(|word| nearest(word, statements()).is_some());
        (self.words[0] != "move" && !is_begun).then(|| Slip {
            words: at..at + 1,
            with: format!("move {}", self.words[at]),
        })
    }

    /// `half of a`, `half of a from a`, `half from a`.
    fn half(&self, at: usize) -> Option<Slip> {
        let (heap, length) = match self.words[at + 1..] {
            ["of", heap, "from", again, ..] if heap == again => (heap, 3),
            ["of", heap, ..] | ["from", heap, ..] => (heap, 3),
            _ => return None,
        };
        let is_from = self.words.get(at + 3) == Some(&"from");
        Some(Slip {
            words: at..at + length,
            with: match is_from {
                true => format!("{heap} div 2"),
                false => format!("{heap} div 2 from {heap}"),
            },
        })
    }

    /// Another name after a comma: `for some a in 1..3, b in 1..3`, `state a in 1..3, b in 1..3`.
    fn another(&self, at: usize) -> Option<Slip> {
        let names = self.words.get(at + 2) == Some(&"in");
        let before = &self.words[..at];
        let with = match before.iter().rposition(|word| *word == "some") {
            _ if before.first() == Some(&"state") => "state",
            Some(some) if some > 0 && before[some - 1] == "for" => "for some",
            _ => return None,
        };
        names.then(|| Slip {
            words: at..at + 1,
            with: with.to_owned(),
        })
    }

    /// `for some i in 1..3: take …`.
    fn colon(&self, at: usize) -> Option<Slip> {
        (self.words.first() == Some(&"move")).then(|| Slip {
            words: at..at + 1,
            with: String::new(),
        })
    }

    /// `for some … when …`, whose parts stand the other way round.
    fn late_condition(&self, at: usize) -> Option<Slip> {
        let rest = &self.words[at..];
        if rest.get(1) != Some(&"some") {
            return None;
        }
        let when = at + rest.iter().position(|word| *word == "when")?;
        let begins_step = |word: &&str| is_action(word) || matches!(*word, "optionally" | "up");
        let length = self.words[when..].iter().position(begins_step)?;
        let (chosen, condition) = (at..when, when..when + length);
        Some(Slip {
            words: at..condition.end,
            with: format!("{} {}", self.written(condition), self.written(chosen)),
        })
    }

    /// `{1 2}`.
    fn missing_comma(&self, at: usize) -> Option<Slip> {
        let number = |index: usize| {
            let token = self.tokens.get(index)?;
            (token.kind == TokenKind::Number).then(|| self.words[index])
        };
        let (first, second) = (number(at)?, number(at + 1)?);
        Some(Slip {
            words: at..at + 2,
            with: format!("{first}, {second}"),
        })
    }
}
