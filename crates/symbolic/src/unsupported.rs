//! The refusal of an expression, a rule or a claim that the provers do not support,
//! with its place in the text.

use miette::{Diagnostic, LabeledSpan};
use nimrule_limits::LimitExceeded;
use nimrule_model::source::Span;
use std::fmt;

/// The reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The domain has no translation of the operation.
    Untranslated,
    /// The expression may have no value at some position.
    Fault,
    /// Two expressions need incompatible numeration systems.
    Numeration,
    /// The translation has too many parts, or too large numbers.
    TooLarge,
}

/// An expression, a rule or a claim that the provers do not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The kind of reason.
    pub reason: Reason,
    /// The description for the user.
    pub what: String,
    /// The place in the text; empty if there is none.
    pub span: Span,
    /// The second of two incompatible expressions.
    pub also: Option<Span>,
}

impl Unsupported {
    /// Returns the refusal of an operation without a translation.
    pub fn new(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::Untranslated,
            what: what.into(),
            span,
            also: None,
        }
    }

    /// Returns the refusal of an expression that may have no value.
    pub fn fault(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::Fault,
            ..Unsupported::new(what, span)
        }
    }

    /// Returns the refusal of a translation that is too large.
    pub fn too_large(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::TooLarge,
            ..Unsupported::new(what, span)
        }
    }

    /// Sets the place if there is none. Derived expressions have no place in the text.
    pub fn or_at(mut self, span: Span) -> Unsupported {
        if self.span.is_empty() {
            self.span = span;
        }
        self
    }

    /// The place in the text, if there is one.
    pub fn place(&self) -> Option<Span> {
        (!self.span.is_empty()).then_some(self.span)
    }

    /// The places to show: that of the expression, and that of a second incompatible
    /// one.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let places = [Some(self.span), self.also].into_iter().flatten();
        places.filter(|span| !span.is_empty())
    }

    /// The error code, as for `nimrule explain`.
    pub fn code_name(&self) -> &'static str {
        match self.reason {
            Reason::Untranslated => "prove::unsupported",
            Reason::Fault => "prove::fault",
            Reason::Numeration => "prove::numeration",
            Reason::TooLarge => "prove::too-large",
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl std::error::Error for Unsupported {}

impl Diagnostic for Unsupported {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code_name()))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(
            self.places()
                .map(|span| LabeledSpan::new_primary_with_span(None, span)),
        ))
    }
}

/// The reason why a statement was not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProveError {
    /// The rule or the claim is unsupported.
    Unsupported(Unsupported),
    /// A limit is exceeded.
    LimitExceeded(LimitExceeded),
}

impl ProveError {
    /// Replaces the place of an unsupported expression.
    pub fn at(self, span: Span) -> ProveError {
        match self {
            ProveError::Unsupported(unsupported) => ProveError::Unsupported(Unsupported {
                span,
                also: None,
                ..unsupported
            }),
            ProveError::LimitExceeded(limit) => ProveError::LimitExceeded(limit),
        }
    }

    /// Sets the place of an unsupported expression if it has none.
    pub fn or_at(self, span: Span) -> ProveError {
        match self {
            ProveError::Unsupported(unsupported) => {
                ProveError::Unsupported(unsupported.or_at(span))
            }
            ProveError::LimitExceeded(limit) => ProveError::LimitExceeded(limit),
        }
    }
}

impl From<LimitExceeded> for ProveError {
    fn from(limit: LimitExceeded) -> ProveError {
        ProveError::LimitExceeded(limit)
    }
}

impl From<Unsupported> for ProveError {
    fn from(unsupported: Unsupported) -> ProveError {
        ProveError::Unsupported(unsupported)
    }
}
