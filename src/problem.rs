//! Every phase's errors as one, with the source attached.

use crate::check::CheckProblem;
use crate::source::{Source, Span};
use crate::syntax::SyntaxProblem;
use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// One fault of a text.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum Problem {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Syntax(#[from] SyntaxProblem),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Check(#[from] CheckProblem),
}

impl Problem {
    pub fn place(&self) -> Option<Span> {
        match self {
            Problem::Syntax(problem) => Some(problem.place()),
            Problem::Check(problem) => problem.place(),
        }
    }

    pub fn is_warning(&self) -> bool {
        self.severity() == Some(Severity::Warning)
    }

    /// The code by which `explain` knows it.
    pub fn code_name(&self) -> String {
        self.code()
            .map_or_else(String::new, |code| code.to_string())
    }
}

/// A fault with the text it is in, ready to be shown.
#[derive(Debug, Clone)]
pub struct Report {
    pub problem: Problem,
    source: Arc<NamedSource<String>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.problem.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.problem.labels()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A fault that is nowhere in the file shows none of it.
        self.problem
            .place()
            .map(|_| self.source.as_ref() as &dyn SourceCode)
    }
}

/// All faults of a text, in the order of their places.
#[derive(Debug, Clone)]
pub struct Problems {
    pub reports: Vec<Report>,
}

impl Problems {
    pub fn new(source: &Source, problems: impl IntoIterator<Item = Problem>) -> Problems {
        let named = Arc::new(NamedSource::new(&source.name, source.text.clone()));
        let mut reports: Vec<Report> = problems
            .into_iter()
            .map(|problem| Report {
                problem,
                source: Arc::clone(&named),
            })
            .collect();
        reports.sort_by_key(|report| {
            let place = report.problem.place().map_or(0, |at| at.offset());
            (report.problem.is_warning(), place)
        });
        Problems { reports }
    }

    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    /// Is there anything that keeps the game from being solved?
    pub fn has_faults(&self) -> bool {
        self.reports
            .iter()
            .any(|report| !report.problem.is_warning())
    }
}
