//! Access to the children of a node of the parse tree.
//!
//! Keywords and punctuation are skipped, so that other modules read only the
//! children that carry information.

use crate::SyntaxProblem;
use crate::ast::{Name, Presence};
use crate::parser::Rule;
use crate::words::keyword;
use nimrule_model::source::{Span, Spanned};
use pest::iterators::{Pair, Pairs};

/// The construction of one tree: where its text begins in the file, and the errors
/// found.
pub(super) struct Context {
    pub offset: usize,
    pub problems: Vec<SyntaxProblem>,
    /// The numbers that are too large for an expression, where they are allowed; their
    /// places in the tree hold 0.
    pub large: Option<Vec<Spanned<String>>>,
}

impl Context {
    pub fn new(offset: usize) -> Context {
        Context {
            offset,
            problems: Vec::new(),
            large: None,
        }
    }

    pub fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        span(pair, self.offset)
    }

    pub fn mark(&self, pair: &Pair<'_, Rule>) -> Presence {
        Spanned::new((), self.span(pair))
    }

    pub fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Spanned::new(pair.as_str().to_owned(), self.span(pair))
    }
}

/// The place of a node in the file, for a tree whose text begins at `offset`.
pub(super) fn span(pair: &Pair<'_, Rule>, offset: usize) -> Span {
    let place = pair.as_span();
    // A rule that ends in optional parts includes the blanks and comments before
    // them in its span.
    let mut length = place.as_str().trim_end().len();
    if place.as_str().contains("//")
        && let Some(last) = pair.clone().into_inner().next_back()
    {
        let last = span(&last, 0);
        let ends = last.offset() + last.len() - place.start();
        if place.as_str()[ends..].trim_start().starts_with("//") {
            length = ends;
        }
    }
    (offset + place.start(), length).into()
}

pub(super) fn text(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().trim_matches('"').to_owned()
}

pub(super) fn only<'i>(mut pairs: Pairs<'i, Rule>) -> Pair<'i, Rule> {
    pairs.next().expect("the grammar gives this rule a part")
}

/// The children of a node. [`Parts::next`] skips keywords and punctuation.
pub(super) struct Parts<'i> {
    pairs: Vec<Pair<'i, Rule>>,
    next: usize,
}

impl<'i> Parts<'i> {
    pub fn of(pair: Pair<'i, Rule>) -> Parts<'i> {
        Parts {
            pairs: pair.into_inner().collect(),
            next: 0,
        }
    }

    pub fn next(&mut self) -> Option<Pair<'i, Rule>> {
        while let Some(pair) = self.pairs.get(self.next) {
            self.next += 1;
            if carries_meaning(pair.as_rule()) {
                return Some(pair.clone());
            }
        }
        None
    }

    pub fn take(&mut self) -> Pair<'i, Rule> {
        self.next().expect("the grammar gives this rule a part")
    }

    pub fn name(&mut self, context: &Context) -> Name {
        context.name(&self.take())
    }

    pub fn all(&mut self) -> impl Iterator<Item = Pair<'i, Rule>> + use<'i> {
        let mut rest = Vec::new();
        while let Some(pair) = self.next() {
            rest.push(pair);
        }
        rest.into_iter()
    }

    pub fn everything(self) -> impl Iterator<Item = Pair<'i, Rule>> {
        self.pairs.into_iter()
    }

    /// Takes the next child if it is of this rule.
    pub fn find(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        let before = self.next;
        match self.next() {
            Some(pair) if pair.as_rule() == rule => Some(pair),
            _ => {
                self.next = before;
                None
            }
        }
    }

    pub fn has_keyword(&self, rule: Rule) -> bool {
        self.find_keyword(rule).is_some()
    }

    pub fn find_keyword(&self, rule: Rule) -> Option<&Pair<'i, Rule>> {
        self.pairs.iter().find(|p| p.as_rule() == rule)
    }
}

/// Whether a rule is neither a keyword nor punctuation.
fn carries_meaning(rule: Rule) -> bool {
    let punctuation = matches!(
        rule,
        Rule::open_paren
            | Rule::close_paren
            | Rule::open_brace
            | Rule::close_brace
            | Rule::open_bracket
            | Rule::close_bracket
            | Rule::comma
            | Rule::semicolon
            | Rule::colon
            | Rule::dash
            | Rule::dots
            | Rule::dot
            | Rule::arrow
            | Rule::assign
            | Rule::equals
            | Rule::EOI
    );
    !punctuation && keyword(rule).is_none()
}
