//! Errors and warnings about a rule that is well-formed.

use miette::{Diagnostic, LabeledSpan};
use nimrule_elaborate::CheckProblem;
use nimrule_model::source::Span;
use nimrule_syntax::Replacement;
use thiserror::Error;

/// An error or a warning of [`check`](crate::check): a `miette` diagnostic with a
/// stable code, labels and a suggested fix.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum RuleProblem {
    /// Of names, kinds or ranges.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Check(#[from] CheckProblem),
    /// Of the end of play.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Termination(#[from] TerminationProblem),
}

impl RuleProblem {
    /// The same problem without labels in the rule, for a position that is not part
    /// of the rule's text.
    pub fn outside_of_the_rule(self) -> RuleProblem {
        match self {
            RuleProblem::Check(problem) => problem.outside_of_the_rule().into(),
            other => other,
        }
    }

    /// The place of the error, if it is in the file.
    pub fn place(&self) -> Option<Span> {
        self.labels()?.next().map(|label| *label.inner())
    }

    /// Whether the rule may be used nevertheless.
    pub fn is_warning(&self) -> bool {
        self.severity() == Some(miette::Severity::Warning)
    }

    /// The correction, where it is certain enough to be offered as an edit.
    pub fn replacement(&self) -> Option<Replacement> {
        match self {
            RuleProblem::Check(problem) => problem.replacement(),
            RuleProblem::Termination(_) => None,
        }
    }
}

/// An error or a warning about the end of play.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[allow(missing_docs)]
pub enum TerminationProblem {
    #[error("the move can leave the position unchanged")]
    #[diagnostic(code("move::may-stand-still"), help("{fix}"))]
    MayStandStill {
        example: String,
        fix: &'static str,
        #[label("{example}")]
        at: Span,
    },

    #[error("no termination measure found: play may not end")]
    #[diagnostic(code("move::never-ends"), help("{fix}"))]
    NeverEnds {
        fix: String,
        #[label(collection)]
        moves: Vec<LabeledSpan>,
    },

    #[error("{what}")]
    #[diagnostic(code("move::measure"), help("{fix}"))]
    Measure {
        what: String,
        label: String,
        #[label(collection)]
        more: Option<LabeledSpan>,
        fix: String,
        #[label("{label}")]
        at: Span,
    },

    #[error("{what}; play ends by another, which the program found")]
    #[diagnostic(code("move::other-measure"), severity(warning), help("{fix}"))]
    OtherMeasure {
        what: String,
        fix: String,
        #[label("not verified")]
        at: Span,
    },

    #[error("positions cannot repeat")]
    #[diagnostic(
        code("move::ends-anyway"),
        severity(warning),
        help("remove `positions may repeat`")
    )]
    EndsAnyway {
        #[label("play always ends")]
        at: Span,
    },

    #[error("the digraph has a cycle, so play may not end")]
    #[diagnostic(
        code("move::cycle"),
        help("write `positions may repeat`, or remove one of these arcs")
    )]
    Cycle {
        cycle: String,
        #[label("{cycle}")]
        at: Span,
    },
}

impl TerminationProblem {
    /// Whether the rule may be used nevertheless.
    pub(crate) fn is_warning(&self) -> bool {
        self.severity() == Some(miette::Severity::Warning)
    }
}
