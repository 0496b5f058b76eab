//! What no theorem is proved about, with its place in the text.

use miette::{Diagnostic, LabeledSpan};
use nimrule_model::source::Span;
use std::fmt;

/// Why an expression, a rule or a claim is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The domain has no translation of it.
    Untranslated,
    /// It may have no value in some position.
    Fault,
    /// Two expressions ask for numeration systems that have no common one.
    Numeration,
    /// Its translation has too many parts, or too large numbers.
    TooLarge,
}

/// An expression, or a whole rule or claim, that no theorem is proved about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub reason: Reason,
    pub what: String,
    pub span: Span,
    /// The other of two expressions that do not go together.
    pub also: Option<Span>,
}

impl Unsupported {
    pub fn new(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::Untranslated,
            what: what.into(),
            span,
            also: None,
        }
    }

    /// An expression that may have no value.
    pub fn fault(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::Fault,
            ..Unsupported::new(what, span)
        }
    }

    /// Something that would be translated if it were smaller.
    pub fn too_large(what: impl Into<String>, span: Span) -> Unsupported {
        Unsupported {
            reason: Reason::TooLarge,
            ..Unsupported::new(what, span)
        }
    }

    /// The same with this place, where it has none: expressions that the
    /// checker derived stand nowhere in the text.
    pub fn or_at(mut self, span: Span) -> Unsupported {
        if self.span.is_empty() {
            self.span = span;
        }
        self
    }

    /// Where it is written, if it is.
    pub fn place(&self) -> Option<Span> {
        (!self.span.is_empty()).then_some(self.span)
    }

    /// The places to show: one, or the two that do not go together.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let places = [Some(self.span), self.also].into_iter().flatten();
        places.filter(|span| !span.is_empty())
    }

    /// The code by which `explain` knows it.
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
