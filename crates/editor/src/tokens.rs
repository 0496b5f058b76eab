//! The kinds of the words, numbers and signs of a text, for colours by meaning: a word that
//! is a keyword in one place and a name in another is told by its place.

use super::document::{Document, range};
use nimrule_syntax::ast::Statement;
use nimrule_syntax::words::{self, Role};
use nimrule_syntax::{is_reserved, token_places};
use std::collections::BTreeMap;
use std::ops::Range;

/// A word, number, sign, string or comment with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its place, in bytes; it has no line break.
    pub at: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
    /// Whether a name is bound here, and not used.
    pub is_binding: bool,
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A comment, to the end of its line.
    Comment,
    /// A text in quotes.
    String,
    /// A number.
    Number,
    /// A keyword.
    Keyword,
    /// A sign or a word between numbers or conditions.
    Operator,
    /// A function of the language, or the name of a move.
    Function,
    /// A constant of the language, such as `squares`, or a kind of heaps.
    Constant,
    /// The name of the game.
    Game,
    /// The kind of a board.
    Board,
    /// A parameter of the game.
    Parameter,
    /// A family of sets of heaps.
    Family,
    /// Another name: of a heap, a token, a state, or what a rule or a claim binds.
    Variable,
}

impl Document {
    /// The tokens of the text, in order. Names that the analysis did not reach, as in a
    /// statement with a syntax error, and brackets have none.
    pub fn tokens(&self) -> Vec<Token> {
        let kinds = self.declared();
        let mut names = BTreeMap::new();
        for name in &self.names {
            let kind = name.definition.and_then(|at| kinds.get(&range(at).start));
            let is_binding = name.definition == Some(name.at);
            names
                .entry(range(name.at).start)
                .or_insert((kind.copied().unwrap_or(TokenKind::Variable), is_binding));
        }
        let places = token_places(&self.text);
        let mut found = Vec::new();
        let mut end = 0;
        for (number, at) in places.iter().enumerate() {
            self.comments(end..at.start, &mut found);
            end = at.end;
            let next = places.get(number + 1).map(|at| &self.text[at.clone()]);
            let token = match names.get(&at.start) {
                Some((kind, is_binding)) => Some((*kind, *is_binding)),
                None => match kinds.get(&at.start) {
                    Some(kind) => Some((*kind, true)),
                    None => self.kind_of(at, next).map(|kind| (kind, false)),
                },
            };
            if let Some((kind, is_binding)) = token {
                found.push(Token {
                    at: at.clone(),
                    kind,
                    is_binding,
                });
            }
        }
        self.comments(end..self.text.len(), &mut found);
        found
    }

    /// The kinds of the names that statements declare, by their places.
    fn declared(&self) -> BTreeMap<usize, TokenKind> {
        let mut kinds = BTreeMap::new();
        for statement in &self.file.statements {
            let (kind, names) = match &statement.node {
                Statement::Game { name, .. } => (TokenKind::Game, vec![name]),
                Statement::Param(params) => {
                    let names = params.iter().map(|param| &param.name);
                    (TokenKind::Parameter, names.collect())
                }
                Statement::Family { name, .. } => (TokenKind::Family, vec![name]),
                Statement::Kinds(names) => (TokenKind::Constant, names.iter().collect()),
                Statement::Move(mover) => (TokenKind::Function, mover.name.iter().collect()),
                _ => continue,
            };
            kinds.extend(names.into_iter().map(|name| (range(name.span).start, kind)));
        }
        kinds
    }

    /// The kind of a token that is no name, with the token after it.
    fn kind_of(&self, at: &Range<usize>, next: Option<&str>) -> Option<TokenKind> {
        let text = &self.text[at.clone()];
        if text.starts_with('"') {
            return Some(TokenKind::String);
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(TokenKind::Number);
        }
        if self.board_at(at).is_some() {
            return Some(TokenKind::Board);
        }
        let is_word = text.starts_with(|first: char| first.is_alphabetic());
        // The vertices of a board may be any words.
        if is_word && !is_reserved(text) && self.is_in_board(at.start) {
            return None;
        }
        Some(match words::find(text)?.role {
            Role::Function(..) | Role::Form if next == Some("(") => TokenKind::Function,
            Role::Operator(..) | Role::Comparison(..) | Role::Quantifier(..) => TokenKind::Operator,
            Role::Constant => TokenKind::Constant,
            _ if is_word => TokenKind::Keyword,
            _ => TokenKind::Operator,
        })
    }

    /// Whether a place is between the braces of a board.
    fn is_in_board(&self, offset: usize) -> bool {
        self.file.statements.iter().any(|statement| {
            let span = range(statement.span);
            matches!(statement.node, Statement::Board(_))
                && span.contains(&offset)
                && self.text[span.start..offset].contains('{')
        })
    }

    /// Adds the comments of a part of the text between two tokens.
    fn comments(&self, gap: Range<usize>, found: &mut Vec<Token>) {
        let mut start = gap.start;
        for line in self.text[gap].split_inclusive('\n') {
            if let Some(comment) = line.find("//") {
                let length = line.trim_end_matches(['\r', '\n']).len();
                found.push(Token {
                    at: start + comment..start + length,
                    kind: TokenKind::Comment,
                    is_binding: false,
                });
            }
            start += line.len();
        }
    }
}
