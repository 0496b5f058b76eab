//! The formatter: one layout for rule files.
//!
//! It changes only blanks and line ends, never a token, so that the tree and the
//! comments stay. Each statement begins on a line of its own; the lines that continue it
//! are indented by levels of four; words are separated by one blank, and comparisons
//! stand between blanks; there is at most one empty line in a row. What a writer chooses
//! stays: where a long statement is broken, blanks in tuples, the column of a comment
//! after a statement.

use super::parser::parse;
use super::scan::{self, Token, TokenKind};
use super::{SyntaxProblem, words};

/// The columns of one level of indentation.
const INDENT: usize = 4;

/// Lays out a rule file.
///
/// # Errors
///
/// The faults of a text that is no rule file; it is not laid out.
///
/// # Examples
///
/// ```
/// let text = "game nim   heaps a  b\n\n\nmove take from   one heap // any\nclaim P iff a==b";
/// let formatted = nimrule_syntax::format(text).expect("the text has no errors");
/// assert_eq!(
///     formatted,
///     "game nim\nheaps a b\n\nmove take from one heap // any\nclaim P iff a == b\n"
/// );
/// assert_eq!(nimrule_syntax::format(&formatted), Ok(formatted.clone()));
/// ```
pub fn format(text: &str) -> Result<String, Vec<SyntaxProblem>> {
    let parsed = parse(text);
    if !parsed.problems.is_empty() {
        return Err(parsed.problems);
    }
    let starts: Vec<usize> = parsed
        .file
        .statements
        .iter()
        .map(|statement| statement.span.offset())
        .collect();
    let (tokens, _) = scan::tokens(text);
    let mut layout = Layout {
        text,
        lines: Vec::new(),
        levels: Vec::new(),
        base: 0,
        in_statement: false,
    };
    let mut rest = tokens.as_slice();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let here = rest.iter().take_while(|token| token.start < end).count();
        let (tokens, after) = rest.split_at(here);
        rest = after;
        let blank = [' ', '\t', '\r', '\n', '\u{feff}', '\u{a0}'];
        let comment = {
            let from = tokens.last().map_or(at, |token| token.end);
            let found = text[from..end].find("//").map(|place| from + place);
            found.map(|place| (place - from, text[place..end].trim_end_matches(blank)))
        };
        let indent = line.chars().take_while(|c| blank.contains(c)).count();
        layout.line(tokens, comment, indent, &starts);
        at = end;
    }
    Ok(layout.finished())
}

struct Layout<'t> {
    text: &'t str,
    lines: Vec<String>,
    /// The columns at which the lines of the current statement are indented, ascending.
    levels: Vec<usize>,
    /// The column at which the statement begins.
    base: usize,
    in_statement: bool,
}

impl Layout<'_> {
    /// Lays out the tokens and the comment of one line of the text. `comment` is the
    /// comment with the number of blanks before it.
    fn line(
        &mut self,
        tokens: &[Token],
        comment: Option<(usize, &str)>,
        indent: usize,
        starts: &[usize],
    ) {
        let mut from = 0;
        for place in 0..tokens.len() {
            if starts.binary_search(&tokens[place].start).is_ok() {
                if place > from {
                    self.tokens(&tokens[from..place], indent);
                }
                from = place;
                self.levels.clear();
                self.base = if place == 0 { indent } else { 0 };
                self.in_statement = false;
            }
        }
        if tokens.is_empty() {
            match comment {
                // A line without tokens belongs to what follows it.
                Some((_, comment)) => {
                    let indent = if self.in_statement && indent > self.base {
                        self.level(indent) * INDENT
                    } else {
                        0
                    };
                    self.lines.push(format!("{}{comment}", " ".repeat(indent)));
                }
                None if self.lines.last().is_some_and(|line| !line.is_empty()) => {
                    self.lines.push(String::new());
                }
                None => {}
            }
            return;
        }
        self.tokens(&tokens[from..], indent);
        if let (Some((blanks, comment)), Some(line)) = (comment, self.lines.last_mut()) {
            line.push_str(&" ".repeat(blanks.max(1)));
            line.push_str(comment);
        }
    }

    /// The level of a line that continues a statement.
    fn level(&mut self, indent: usize) -> usize {
        while self.levels.last().is_some_and(|level| *level > indent) {
            self.levels.pop();
        }
        if indent > self.levels.last().copied().unwrap_or(self.base) {
            self.levels.push(indent);
        }
        self.levels.len()
    }

    fn tokens(&mut self, tokens: &[Token], indent: usize) {
        let Some(first) = tokens.first() else {
            return;
        };
        let mut line = String::new();
        if self.in_statement {
            let level = match self.level(indent) {
                0 if !matches!(first.text(self.text), "}" | ")" | "]") => 1,
                level => level,
            };
            line.push_str(&" ".repeat(level * INDENT));
        }
        self.in_statement = true;
        for (place, token) in tokens.iter().enumerate() {
            if place > 0 && self.is_apart(tokens, place) {
                line.push(' ');
            }
            line.push_str(token.text(self.text));
        }
        self.lines.push(line);
    }

    /// Whether there is a blank before a token.
    fn is_apart(&self, tokens: &[Token], place: usize) -> bool {
        let (before, token) = (&tokens[place - 1], &tokens[place]);
        let (left, right) = (before.text(self.text), token.text(self.text));
        let written = before.end < token.start;
        // An infinite range may stand before `=`: `state limit in 1.. = 2`.
        if left == ".." && right == "=" {
            return true;
        }
        if left == ".." || right == ".." {
            return false;
        }
        if matches!(left, "(" | "[") || matches!(right, ")" | "]" | "," | ";" | ":") {
            return false;
        }
        if is_comparison(left) || is_comparison(right) || left == ":" {
            return true;
        }
        // A binary operator has blanks on both sides or on none.
        if is_arithmetic(right) && is_operand(before, left) {
            let next = tokens.get(place + 1);
            return written || next.is_some_and(|next| token.end < next.start);
        }
        if is_arithmetic(left) && place >= 2 {
            let operand = &tokens[place - 2];
            if is_operand(operand, operand.text(self.text)) {
                return written || operand.end < before.start;
            }
        }
        written
    }

    fn finished(mut self) -> String {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

fn is_comparison(sign: &str) -> bool {
    matches!(
        sign,
        "==" | "!=" | "<=" | ">=" | "<" | ">" | "&&" | "||" | "->"
    )
}

fn is_arithmetic(sign: &str) -> bool {
    matches!(sign, "+" | "-" | "*" | "**" | "^" | "/" | "%")
}

/// Whether a token may be the left operand of an operator.
fn is_operand(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Number => true,
        TokenKind::Word => !words::is_reserved(text),
        TokenKind::Text => false,
        TokenKind::Sign => matches!(text, ")" | "]" | "}"),
    }
}
