//! Every phase's errors as one, with the source attached.

use nimrule_elaborate::CheckProblem;
use nimrule_engine::NoValue;
use nimrule_prove::Unsupported;
use nimrule_model::source::{Source, Span};
use nimrule_syntax::SyntaxProblem;
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, NamedSource, Severity, SourceCode,
    SpanContents,
};
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
    #[error(transparent)]
    #[diagnostic(transparent)]
    Prove(#[from] Unsupported),
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoValue(#[from] NoValue),
}

impl Problem {
    pub fn place(&self) -> Option<Span> {
        match self {
            Problem::Syntax(problem) => Some(problem.place()),
            Problem::Check(problem) => problem.place(),
            Problem::Prove(unsupported) => unsupported.place(),
            Problem::NoValue(problem) => problem.fault.place(),
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
    source: Arc<Text>,
}

/// A named text of which a report shows no more than can be read: of a line
/// of a million letters only those around the fault.
#[derive(Debug)]
struct Text(NamedSource<String>);

/// A line longer than this is shown in part, ...
const LONGEST_LINE: usize = 200;

/// ... with so much of it before and after the fault.
const AROUND: usize = 30;

/// What ends a line; both together end one.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// How many lines end in a text.
fn line_breaks(text: &str) -> usize {
    text.matches(LINE_ENDS).count() - text.matches("\r\n").count()
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &Span,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.0.read_span(span, lines_before, lines_after)?;
        let asks_for_lines = lines_before + lines_after > 0;
        let readable = contents
            .data()
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .all(|line| line.len() <= LONGEST_LINE);
        if readable || !asks_for_lines {
            return Ok(contents);
        }
        let text = self.0.inner();
        let (start, end) = (span.offset(), span.offset() + span.len());
        // A carriage return alone ends a line too, as in `contents`: a start
        // found otherwise could lie before that of `contents`.
        let line_start = text[..start].rfind(LINE_ENDS).map_or(0, |at| at + 1);
        let line_end = text[end..]
            .find(LINE_ENDS)
            .map_or(text.len(), |at| end + at);
        let from = letter_before(text, start.saturating_sub(AROUND)).max(line_start);
        let to = letter_before(text, end + AROUND).min(line_end).max(end);
        let above = text
            .get(contents.span().offset()..line_start)
            .unwrap_or_default();
        Ok(Box::new(MietteSpanContents::new_named(
            self.0.name().to_owned(),
            &text.as_bytes()[from..to],
            (from, to - from).into(),
            contents.line() + line_breaks(above),
            text[line_start..from].chars().count(),
            contents.line_count(),
        )))
    }
}

/// The place where the letter begins that `at` is in.
fn letter_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
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
        let text = self.source.0.inner();
        let short = move |label: LabeledSpan| {
            let at = label.inner();
            let end = letter_before(text, at.offset() + at.len().min(2 * LONGEST_LINE));
            let at: Span = (at.offset(), end.saturating_sub(at.offset())).into();
            let words = label.label().map(str::to_owned);
            if label.primary() {
                LabeledSpan::new_primary_with_span(words, at)
            } else {
                LabeledSpan::new_with_span(words, at)
            }
        };
        let labels = self.problem.labels()?;
        Some(Box::new(labels.map(short)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A fault that is nowhere in the file shows none of it.
        self.problem
            .place()
            .map(|_| self.source.as_ref() as &dyn SourceCode)
    }
}

/// So many faults of one text are told: whoever has mended them may ask again,
/// and to show each takes time in proportion to the length of the text.
const MOST_REPORTS: usize = 100;

/// All faults of a text, in the order of their places; of more than a hundred
/// the first.
#[derive(Debug, Clone)]
pub struct Problems {
    pub reports: Vec<Report>,
}

impl Problems {
    pub fn new(source: &Source, problems: impl IntoIterator<Item = Problem>) -> Problems {
        let named = Arc::new(Text(NamedSource::new(&source.name, source.text.clone())));
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
        reports.truncate(MOST_REPORTS);
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
