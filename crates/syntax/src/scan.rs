//! The lexical scan before the grammar.
//!
//! It enforces limits (nesting, length, brackets, quotes), and splits the text into
//! statements, which are parsed one by one, so that one error does not hide the next.
//! Error messages take the unexpected word from its tokens.

use super::SyntaxProblem;
use super::parser::{Grammar, Rule};
use super::problem::Replacement;
use super::words::{Role, find, is_keyword, is_reserved, is_statement};
use nimrule_model::source::Span;
use pest::Parser as _;
use std::ops::Range;

/// The largest depth of brackets and of words whose scope extends to the right.
/// Every later phase recurses over the tree, so this bounds its stack.
pub const MAX_NESTING: usize = 128;

/// The largest number of operators in one statement: a chain of operators becomes
/// a tree as deep as the chain is long.
pub const MAX_OPERATORS: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Number,
    Text,
    Sign,
}

#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }

    pub fn span(&self) -> Span {
        (self.start, self.end - self.start).into()
    }
}

/// Splits the text into tokens, without comments and blanks.
pub fn tokens(text: &str) -> (Vec<Token>, Vec<SyntaxProblem>) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        if text[at..].starts_with("/*") {
            let length = text[at..].find("*/").map_or(text.len() - at, |end| end + 2);
            problems.push(foreign_comment(text, at..at + length));
            at += length;
            continue;
        }
        let kind = if byte == b'"' {
            let line = text[at + 1..].find(['"', '\n']);
            match line {
                Some(length) if bytes[at + 1 + length] == b'"' => at += length + 2,
                _ => {
                    at += 1 + line.unwrap_or(text.len() - at - 1);
                    problems.push(SyntaxProblem::UnclosedText {
                        at: (start, at - start).into(),
                    });
                }
            }
            TokenKind::Text
        } else if byte.is_ascii_digit() {
            at += length_while(&bytes[at..], |b| b.is_ascii_digit() || b == b'_');
            TokenKind::Number
        } else if let Some(letters) = letters(&text[at..]) {
            at += letters;
            TokenKind::Word
        } else {
            let rest = &text[at..];
            at += ["==", "!=", "<=", ">=", "..", "->", "&&", "||", "**"]
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map_or(rest.chars().next().map_or(1, char::len_utf8), |sign| {
                    sign.len()
                });
            if matches!(rest.chars().next(), Some('\u{feff}' | '\u{a0}')) {
                continue;
            }
            TokenKind::Sign
        };
        found.push(Token {
            kind,
            start,
            end: at,
        });
    }
    (found, problems)
}

/// A comment between `/*` and `*/`, whose correction has each line after `//`.
fn foreign_comment(text: &str, place: Range<usize>) -> SyntaxProblem {
    let inner = text[place.clone()].trim_start_matches("/*");
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines = inner
        .lines()
        .map(|line| line.trim().trim_start_matches("* "));
    let mut with: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(|line| format!("// {line}"))
        .collect();
    let rest = text[place.end..].lines().next().unwrap_or_default();
    if !rest.trim().is_empty() {
        with.push(String::new());
    }
    let at = (place.start, place.len()).into();
    SyntaxProblem::ForeignPhrase {
        phrase: "/* … */".to_owned(),
        help: "write `// …`: a comment ends with its line".to_owned(),
        at,
        replacement: Replacement {
            at,
            with: with.join("\n"),
        },
    }
}

/// The places of the words, numbers, strings and signs of a text, in bytes.
pub fn token_places(text: &str) -> Vec<std::ops::Range<usize>> {
    let (tokens, _) = tokens(text);
    tokens.iter().map(|token| token.start..token.end).collect()
}

/// The length in bytes of a word, in letters of any script.
fn letters(rest: &str) -> Option<usize> {
    rest.chars()
        .next()
        .filter(|c| c.is_alphabetic() || *c == '_')?;
    let is_mark = |c: char| {
        !c.is_ascii() && Grammar::parse(Rule::word_char, c.encode_utf8(&mut [0; 4])).is_ok()
    };
    Some(
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_' || is_mark(*c))
            .map(char::len_utf8)
            .sum(),
    )
}

fn length_while(bytes: &[u8], keep: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| keep(**b)).count()
}

/// Reports lexical errors: unmatched brackets, nesting and length beyond the
/// limits, operators of other languages.
pub fn lexical_errors(text: &str, tokens: &[Token]) -> Vec<SyntaxProblem> {
    let mut problems = Vec::new();
    let mut open: Vec<(Token, usize)> = Vec::new();
    let mut nesting = 0_usize;
    let mut unary = 0_usize;
    let mut operators = 0_usize;
    // The dashes between the braces of `planar { … }` are not operators.
    let mut edges_end: Option<usize> = None;
    // Each vertex of a `digraph { … }` is a separate expression.
    let mut digraph = false;
    let mut too_much = false;
    let mut last_quote: Option<usize> = None;
    for (index, token) in tokens.iter().enumerate() {
        let word = token.text(text);
        if open.is_empty() && begins_statement(text, tokens, index) {
            (nesting, unary, operators) = (0, 0, 0);
            too_much = false;
            let next = tokens.get(index + 1).map(|next| next.text(text));
            digraph = word == "board" && next == Some("digraph");
        }
        match word {
            "(" | "[" | "{" => {
                if word == "{" && open.is_empty() && lists_edges(text, tokens, index) {
                    edges_end = Some(open.len());
                }
                open.push((*token, nesting));
                nesting += unary + 1;
            }
            ")" | "]" | "}" => {
                match open.pop() {
                    Some((opener, before)) => {
                        if closing_bracket(opener.text(text)) != word {
                            problems.push(unclosed_bracket(text, &opener, Some(token)));
                        }
                        nesting = before;
                    }
                    None => problems.push(SyntaxProblem::Unopened {
                        bracket: word.chars().next().unwrap_or(')'),
                        at: token.span(),
                    }),
                }
                edges_end = edges_end.filter(|depth| open.len() > *depth);
            }
            "if" | "let" | "exists" | "forall" | "like" => nesting += unary + 1,
            _ => {}
        }
        let is_operator = edges_end.is_none()
            && (token.kind == TokenKind::Sign
                && !matches!(word, "(" | ")" | "[" | "]" | "{" | "}")
                || matches!(word, "and" | "or" | "implies" | "div" | "mod" | "not"));
        operators += usize::from(is_operator);
        if digraph && word == "->" {
            operators = 0;
        }
        match word {
            "not" | "-" if is_operator => unary += 1,
            _ => unary = 0,
        }
        if nesting + unary > MAX_NESTING && !too_much {
            too_much = true;
            problems.push(SyntaxProblem::TooDeep {
                limit: MAX_NESTING,
                at: token.span(),
            });
        }
        if operators > MAX_OPERATORS && !too_much {
            too_much = true;
            problems.push(SyntaxProblem::TooLong {
                limit: MAX_OPERATORS,
                at: token.span(),
            });
        }
        // In the brackets of a position it precedes the values of states.
        let bracket = open.last().map(|(opener, _)| opener.text(text));
        let fix = match (word, bracket) {
            (";", Some("(")) => None,
            (";", Some(_)) => Some("write `,` between the members"),
            _ => foreign_operator(word),
        };
        if let Some(fix) = fix {
            // Quotation marks come in pairs; only the first is reported.
            if matches!(word, "“" | "”" | "„" | "'") {
                let second = last_quote.is_some_and(|end| !text[end..token.start].contains('\n'));
                last_quote = Some(token.end);
                if second {
                    continue;
                }
            }
            problems.push(SyntaxProblem::ForeignSign {
                sign: word.to_owned(),
                fix: fix.to_owned(),
                at: token.span(),
            });
        }
    }
    // Of a hundred unclosed brackets only one is reported.
    if let Some((opener, _)) = open.first() {
        problems.push(unclosed_bracket(text, opener, None));
    }
    problems
}

/// Whether the brace at `index` begins the edges of a `planar` or `graph` board.
fn lists_edges(text: &str, tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| index.checked_sub(back).map(|i| tokens[i].text(text));
    matches!(word(1), Some("planar" | "graph")) && word(2) == Some("board")
}

fn unclosed_bracket(text: &str, opener: &Token, wrong: Option<&Token>) -> SyntaxProblem {
    let bracket = opener.text(text);
    SyntaxProblem::Unclosed {
        bracket: bracket.chars().next().unwrap_or('('),
        wanted: closing_bracket(bracket).chars().next().unwrap_or(')'),
        at: opener.span(),
        wrong: wrong.map(Token::span),
    }
}

fn closing_bracket(opener: &str) -> &'static str {
    match opener {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// The correction for an operator of other languages or papers.
fn foreign_operator(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "&&" | "&" | "∧" => "write `and`",
        "||" | "|" | "∨" => "write `or`",
        "!" | "¬" => "write `not`",
        "/" => "write `div`, which divides and drops the remainder",
        "%" => "write `mod`",
        "≤" => "write `<=`",
        "≥" => "write `>=`",
        "≠" => "write `!=`",
        "⊕" => "write `^` for the nim-sum",
        "×" | "·" => "write `*`",
        "−" | "–" => "write `-`",
        "…" => "write `..` between the bounds of a range",
        "∈" => "write `in`",
        "⇔" | "↔" | "⟺" => "write `iff`",
        "⇒" | "⟹" => "write `implies`",
        "∃" => "write `exists`",
        "∀" => "write `forall`",
        ";" => "remove it: a statement ends where the next begins",
        "#" => "begin a comment with `//`",
        "→" => "write `->`",
        "“" | "”" | "„" | "'" => "use straight quotes, \"so\"",
        _ => return None,
    })
}

/// Whether a keyword of a statement is one that also occurs inside of statements.
fn is_heaps(keyword: &str) -> bool {
    matches!(keyword, "heaps" | "tokens")
}

/// Whether a statement begins at this token. `heaps` and `tokens` also occur inside
/// of statements. They begin one if they are not followed by an index, and what
/// precedes them is complete, and not the number of heaps that are selected.
fn begins_statement(text: &str, tokens: &[Token], index: usize) -> bool {
    let token = &tokens[index];
    let word = token.text(text);
    if !is_statement(word) {
        return false;
    }
    let Some(before) = index.checked_sub(1).map(|i| &tokens[i]) else {
        return true;
    };
    if names_a_game(text, tokens, index) || ends_a_number_of_moves(text, tokens, index) {
        return false;
    }
    if word == "state" {
        // A list of heaps may begin with the name. After another one the grammar reads `state` and
        // a name as the beginning of a state, even if that has an error.
        let next = |by: usize| tokens.get(index + by).map(|next| next.text(text));
        let is_name = tokens
            .get(index + 1)
            .is_some_and(|next| next.kind == TokenKind::Word);
        let begins_list = matches!(before.text(text), "heaps" | "tokens" | "as" | "of" | ",");
        return is_name
            && next(1) != Some("in")
            && (next(2) == Some("in") || !begins_list && !next(1).is_some_and(is_keyword));
    }
    // These words are no keywords elsewhere.
    if let Some(second) = match word {
        "play" => Some("ends"),
        "opponent" => Some("may"),
        _ => None,
    } {
        return tokens.get(index + 1).map(|next| next.text(text)) == Some(second);
    }
    if !is_heaps(word) {
        return true;
    }
    match tokens.get(index + 1).map(|next| next.text(text)) {
        Some("[") => return false,
        Some("of") if counts_new_heaps(text, &tokens[..index]) => return false,
        _ => {}
    }
    // After a title, and after a range without an end, no operand can follow.
    let before_that = index.checked_sub(2).map(|i| tokens[i].text(text));
    match before.kind {
        TokenKind::Text => true,
        TokenKind::Number => !counts_heaps(text, &tokens[..index]),
        TokenKind::Sign if before.text(text) == ".." => true,
        TokenKind::Sign => {
            matches!(before.text(text), ")" | "]" | "}") && !counts_heaps(text, &tokens[..index])
        }
        TokenKind::Word if matches!(before_that, Some("game" | "board")) => true,
        TokenKind::Word => {
            !continues_with_heaps(before.text(text)) && !counts_heaps(text, &tokens[..index])
        }
    }
}

/// Whether the word is the name of a game, which may be any word: on the line of `game`,
/// or after `same as`.
fn names_a_game(text: &str, tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| index.checked_sub(back).map(|i| tokens[i].text(text));
    let on_line = !first_of_line(text, tokens, index);
    let is_game = on_line && word(1) == Some("game");
    is_game && !names_a_game(text, tokens, index - 1)
        || on_line && word(0) == Some("game") && ends_a_name(text, tokens, index)
        || word(1) == Some("as") && word(2) == Some("same")
        || word(1) == Some("as")
            && matches!(word(2), Some("outcome" | "grundy"))
            && word(3) == Some("same")
}

/// Whether the word ends a name of two words, which is an error: `game our game` on a line, or
/// before a title.
fn ends_a_name(text: &str, tokens: &[Token], index: usize) -> bool {
    let game = index.checked_sub(2).map(|i| tokens[i].text(text));
    game == Some("game")
        && tokens.get(index + 1).is_none_or(|next| {
            next.kind == TokenKind::Text || first_of_line(text, tokens, index + 1)
        })
}

/// Whether the word is that of `has 1 winning move`.
fn ends_a_number_of_moves(text: &str, tokens: &[Token], index: usize) -> bool {
    let word = |back: usize| index.checked_sub(back).map(|i| tokens[i].text(text));
    tokens[index].text(text) == "move" && word(1) == Some("winning") && word(3) == Some("has")
}

/// The indices of the braces around all statements after `game NAME`, as in other
/// languages.
pub fn braces_of_game(text: &str, tokens: &[Token]) -> Option<(usize, Option<usize>)> {
    let word = |index: usize| tokens.get(index).map(|token| token.text(text));
    let after = 2 + usize::from(tokens.get(2).is_some_and(|t| t.kind == TokenKind::Text));
    if word(0) != Some("game") || word(after) != Some("{") {
        return None;
    }
    let mut depth = 0_usize;
    for index in after..tokens.len() {
        match word(index) {
            Some("{") => depth += 1,
            Some("}") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((after, Some(index)));
        }
    }
    Some((after, None))
}

/// Whether the last tokens are the number of heaps of a selection, such as
/// `exactly 2`, `up to n - 1` or `leaving 0..2`, so that `heaps` continues them.
fn counts_heaps(text: &str, tokens: &[Token]) -> bool {
    let mut operand_follows = false;
    for (index, token) in tokens.iter().enumerate().rev() {
        let word = token.text(text);
        let before = index.checked_sub(1).map(|i| tokens[i].text(text));
        match word {
            "exactly" | "leaving" => return true,
            "to" if before == Some("up") => return true,
            "if" | "then" | "else" => operand_follows = false,
            _ if is_reserved(word) && calculates(word) => operand_follows = false,
            _ => {
                let is_name = token.kind == TokenKind::Word && !is_reserved(word);
                let is_operand = is_name || token.kind == TokenKind::Number;
                let ends_operand = is_operand || matches!(word, ")" | "]" | "}");
                // Two operands side by side are not one number.
                let is_reserved_word = token.kind == TokenKind::Word && !is_name;
                if is_reserved_word || ends_operand && operand_follows {
                    return false;
                }
                operand_follows = is_operand;
            }
        }
    }
    false
}

/// Whether the last tokens are the number of heaps by which a step replaces one, so that
/// `heaps of` continues them.
fn counts_new_heaps(text: &str, tokens: &[Token]) -> bool {
    let words = tokens.iter().rev().map(|token| token.text(text));
    words
        .take_while(|word| *word != "move")
        .any(|word| word == "replace")
}

/// Whether a keyword is an arithmetic operator or a function.
fn calculates(word: &str) -> bool {
    find(word).is_some_and(|word| match word.role {
        Role::Operator(operator, _) => operator.is_arithmetic(),
        Role::Function(..) => true,
        _ => false,
    })
}

/// Words after which `heaps` continues the same statement.
fn continues_with_heaps(word: &str) -> bool {
    matches!(
        word,
        "all"
            | "and"
            | "by"
            | "consecutive"
            | "div"
            | "else"
            | "exactly"
            | "for"
            | "from"
            | "if"
            | "iff"
            | "implies"
            | "in"
            | "is"
            | "mod"
            | "not"
            | "on"
            | "one"
            | "or"
            | "then"
            | "to"
            | "up"
            | "when"
            | "where"
    )
}

/// Whether the token is the first of its line. Reads only the blanks and comments
/// before it, so that a line of a million words is scanned in linear time.
fn first_of_line(text: &str, tokens: &[Token], index: usize) -> bool {
    let before = index.checked_sub(1).map_or(0, |i| tokens[i].end);
    before == 0 || text[before..tokens[index].start].contains('\n')
}

/// The text of one statement.
#[derive(Debug, Clone, Copy)]
pub struct StatementText<'t> {
    pub start: usize,
    pub end: usize,
    pub tokens: &'t [Token],
    /// The keyword that begins the next statement, if it is on the same line as
    /// the last word of this one.
    pub next: Option<Token>,
}

/// Splits the text into statements: each begins with its keyword, outside of
/// brackets. After an unclosed bracket a keyword that is the first word of its line
/// begins one, so that the bracket does not hide the rest of the file.
///
/// `heaps` and `tokens` in the middle of a line are left to [`split_at_heaps`].
pub fn split_statements<'t>(text: &str, tokens: &'t [Token]) -> Vec<StatementText<'t>> {
    let balanced = brackets_match(text, tokens);
    split(text, tokens, |index, depth| {
        let first = first_of_line(text, tokens, index);
        (depth == 0 || !balanced && first)
            && begins_statement(text, tokens, index)
            && (first || !is_heaps(tokens[index].text(text)))
    })
}

/// Splits a text where `heaps` or `tokens` may begin a statement in the middle of a
/// line. If a part does not parse, the text is more likely to be one statement with
/// an error, such as `take from 2 heaps`.
pub fn split_at_heaps<'t>(text: &str, statement: &StatementText<'t>) -> Vec<StatementText<'t>> {
    let tokens = statement.tokens;
    split(text, tokens, |index, depth| {
        depth == 0 && is_heaps(tokens[index].text(text)) && begins_statement(text, tokens, index)
    })
}

/// Splits a statement with an error where a line begins with a word that `begins`
/// accepts: most likely the keyword of another statement, misspelt.
pub fn split_at_lines<'t>(
    text: &str,
    statement: &StatementText<'t>,
    mut begins: impl FnMut(&str) -> bool,
) -> Vec<StatementText<'t>> {
    let tokens = statement.tokens;
    split(text, tokens, |index, depth| {
        depth == 0
            && tokens[index].kind == TokenKind::Word
            && first_of_line(text, tokens, index)
            && begins(tokens[index].text(text))
    })
}

/// Splits tokens where `begins` is true of the index of a token and the number of open
/// brackets before it.
fn split<'t>(
    text: &str,
    tokens: &'t [Token],
    mut begins: impl FnMut(usize, usize) -> bool,
) -> Vec<StatementText<'t>> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let mut starts = vec![0];
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ if begins(index, depth) => {
                depth = 0;
                starts.push(index);
            }
            _ => {}
        }
    }
    starts.push(tokens.len());
    starts.dedup();
    starts
        .windows(2)
        .map(|pair| StatementText {
            start: tokens[pair[0]].start,
            // PERF: the grammar would read the comments after the statement each time that
            // it looks for another word of it.
            end: tokens[pair[1] - 1].end,
            tokens: &tokens[pair[0]..pair[1]],
            next: tokens
                .get(pair[1])
                .filter(|_| !first_of_line(text, tokens, pair[1]))
                .copied(),
        })
        .collect()
}

/// Whether every bracket is closed by its own kind.
fn brackets_match(text: &str, tokens: &[Token]) -> bool {
    let mut open = Vec::new();
    tokens.iter().all(|token| match token.text(text) {
        bracket @ ("(" | "[" | "{") => {
            open.push(closing_bracket(bracket));
            true
        }
        bracket @ (")" | "]" | "}") => open.pop() == Some(bracket),
        _ => true,
    }) && open.is_empty()
}
