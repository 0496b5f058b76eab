//! The errors of all phases, with the text that they are in.

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, NamedSource, Severity, SourceCode,
    SpanContents,
};
use nimrule_analysis::RuleProblem;
use nimrule_answer::proof::Unsupported;
use nimrule_elaborate::CheckProblem;
use nimrule_engine::{NoValue, SolveError};
use nimrule_model::game::Game;
use nimrule_model::source::{Source, Span};
use nimrule_syntax::SyntaxProblem;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Why there is no answer, as a diagnostic of `miette`.
///
/// # Examples
///
/// ```
/// let error = nimrule::Game::parse("game g heaps a move take from b").unwrap_err();
/// let unknown = |code: String| code == "names::unknown";
/// assert!(matches!(&error, nimrule::Error::Text(problems)
///     if unknown(problems.reports[0].problem.code_name())));
/// ```
#[derive(Debug, Clone, Error, Diagnostic)]
pub enum Error {
    /// A text has errors, or an expression of the rule has no value at a
    /// position: each with its place.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Text(#[from] Problems),
    /// Positions of a partizan or loopy game, or under misère play, have no
    /// Grundy value.
    #[error("this game has no Grundy values")]
    NoGrundyValue,
    /// A limit, or a question that no engine can answer.
    #[error(transparent)]
    Engine(SolveError),
}

/// An error or a warning as data, for a program that shows it in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The code, as in `names::unknown`, which `nimrule explain` describes; `None` for an
    /// error that is not about a text.
    pub code: Option<String>,
    /// Whether the rule is correct all the same: a warning.
    pub is_warning: bool,
    /// What is wrong, in one sentence.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// The places in the text, the main one first.
    pub labels: Vec<Label>,
}

/// A place in the text of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What is wrong at the place.
    pub text: Option<String>,
    /// The bytes before the place.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// The line and the column at which it begins, counted from 1; `None` if the error
    /// has no text.
    pub at: Option<(usize, usize)>,
}

impl Error {
    /// The error as data: its code, message, help and places; one entry for each error
    /// of a text, and its warnings.
    ///
    /// ```
    /// let error = nimrule::Game::parse("game g heaps a\nmove take from b").unwrap_err();
    /// let parts = &error.parts()[0];
    /// assert_eq!(parts.code.as_deref(), Some("names::unknown"));
    /// assert_eq!(parts.message, "unknown name `b`");
    /// assert_eq!(parts.labels[0].at, Some((2, 16)));
    /// assert_eq!(parts.labels[0].length, 1);
    /// ```
    pub fn parts(&self) -> Vec<Parts> {
        match self {
            Error::Text(problems) => problems.reports.iter().map(Report::parts).collect(),
            Error::NoGrundyValue | Error::Engine(_) => vec![Parts {
                code: None,
                is_warning: false,
                message: self.to_string(),
                help: None,
                labels: Vec::new(),
            }],
        }
    }

    /// An engine's failure in a game.
    pub(crate) fn of(failure: SolveError, game: &Game) -> Error {
        match failure.in_game(game) {
            SolveError::FaultIn { no_value, text } => {
                Error::Text(Problems::new(&text, [no_value.into()]))
            }
            SolveError::NoValues { .. } => Error::NoGrundyValue,
            other => Error::Engine(other),
        }
    }
}

/// One error or warning about a text.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum Problem {
    /// Of the grammar.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Syntax(#[from] SyntaxProblem),
    /// Of names, kinds, ranges or termination.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Check(#[from] RuleProblem),
    /// Something that the prover does not support.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Prove(#[from] Unsupported),
    /// An expression without a value at a position.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoValue(#[from] NoValue),
}

impl From<CheckProblem> for Problem {
    fn from(problem: CheckProblem) -> Problem {
        Problem::Check(problem.into())
    }
}

impl Problem {
    /// The place in the text; `None` if the error is not at a place.
    pub fn place(&self) -> Option<Span> {
        match self {
            Problem::Syntax(problem) => Some(problem.place()),
            Problem::Check(problem) => problem.place(),
            Problem::Prove(unsupported) => unsupported.place(),
            Problem::NoValue(problem) => problem.fault.place(),
        }
    }

    /// Whether the rule is correct all the same.
    pub fn is_warning(&self) -> bool {
        self.severity() == Some(Severity::Warning)
    }

    /// The code, as in `names::unknown`, which `nimrule explain` describes.
    pub fn code_name(&self) -> String {
        self.code()
            .map_or_else(String::new, |code| code.to_string())
    }
}

/// An error or warning with the text that it is about.
#[derive(Debug, Clone)]
pub struct Report {
    /// What is wrong.
    pub problem: Problem,
    source: Arc<Text>,
}

/// A named text. A report shows at most [`LONGEST_LINE`] bytes of a line: of a
/// longer one only the part around the error.
#[derive(Debug)]
struct Text {
    shown: NamedSource<String>,
    /// The bytes before what is shown, from which places count.
    before: usize,
}

impl Text {
    /// A place in what is shown; `None` if it lies before.
    fn place(&self, at: Span) -> Option<Span> {
        let end = (at.offset() + at.len()).checked_sub(self.before)?;
        let start = at.offset().saturating_sub(self.before);
        Some((start, end - start).into())
    }
}

/// Bytes of the longest line that is shown whole.
const LONGEST_LINE: usize = 200;

/// Bytes shown before and after the error in a longer line.
const AROUND: usize = 30;

/// Line ends; `\r\n` is a single one.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// The number of line ends in a text.
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
        let contents = self.shown.read_span(span, lines_before, lines_after)?;
        let asks_for_lines = lines_before + lines_after > 0;
        let readable = contents
            .data()
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .all(|line| line.len() <= LONGEST_LINE);
        if readable || !asks_for_lines {
            return Ok(contents);
        }
        let text = self.shown.inner();
        let (start, end) = (span.offset(), span.offset() + span.len());
        // A lone carriage return ends a line in `contents` too; otherwise the start
        // found here could precede that of `contents`.
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
            self.shown.name().to_owned(),
            &text.as_bytes()[from..to],
            (from, to - from).into(),
            contents.line() + line_breaks(above),
            text[line_start..from].chars().count(),
            contents.line_count(),
        )))
    }
}

/// The first byte of the character at the byte `at`.
fn letter_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

impl Report {
    /// The error or warning as data.
    pub fn parts(&self) -> Parts {
        let text = self.source_code();
        let label = |label: LabeledSpan| Label {
            text: label.label().map(str::to_owned),
            offset: label.offset(),
            length: label.len(),
            at: text
                .and_then(|text| text.read_span(label.inner(), 0, 0).ok())
                .map(|contents| (contents.line() + 1, contents.column() + 1)),
        };
        Parts {
            code: Some(self.problem.code_name()).filter(|code| !code.is_empty()),
            is_warning: self.problem.is_warning(),
            message: self.to_string(),
            help: self.help().map(|help| help.to_string()),
            labels: self.labels().into_iter().flatten().map(label).collect(),
        }
    }
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
        let text = self.source.shown.inner();
        let short = move |label: LabeledSpan| {
            let at = self.source.place(*label.inner())?;
            let end = letter_before(text, at.offset() + at.len().min(2 * LONGEST_LINE));
            let at: Span = (at.offset(), end.saturating_sub(at.offset())).into();
            let words = label.label().map(str::to_owned);
            Some(match label.primary() {
                true => LabeledSpan::new_primary_with_span(words, at),
                false => LabeledSpan::new_with_span(words, at),
            })
        };
        let labels = self.problem.labels()?;
        Some(Box::new(labels.filter_map(short)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // An error without a place shows no text.
        self.problem
            .place()
            .map(|_| self.source.as_ref() as &dyn SourceCode)
    }
}

/// The most reports about one text. Rendering one takes time proportional to the
/// length of the text, and a user fixes the first errors first.
const MOST_REPORTS: usize = 100;

/// The errors and warnings about a text: errors first, each group in the order
/// of places, at most a hundred.
#[derive(Debug, Clone)]
pub struct Problems {
    /// Errors first.
    pub reports: Vec<Report>,
}

impl Problems {
    /// Attaches the text to its errors and warnings.
    pub fn new(source: &Source, problems: impl IntoIterator<Item = Problem>) -> Problems {
        Problems::of_part(source, 0, problems)
    }

    fn of_part(
        source: &Source,
        before: usize,
        problems: impl IntoIterator<Item = Problem>,
    ) -> Problems {
        let shown = source.text.get(before..).unwrap_or_default().to_owned();
        let named = Arc::new(Text {
            shown: NamedSource::new(&source.name, shown),
            before,
        });
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

    /// The same errors, of which only the end of the text is shown, from a byte on: what a
    /// person typed after a rule that was read before.
    #[must_use]
    pub fn after(self, source: &Source, before: usize) -> Problems {
        let problems = self.reports.into_iter().map(|report| report.problem);
        Problems::of_part(source, before, problems)
    }

    /// Whether there are neither errors nor warnings.
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    /// Whether there is an error, not only warnings.
    pub fn has_faults(&self) -> bool {
        self.reports
            .iter()
            .any(|report| !report.problem.is_warning())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<String> = self.reports.iter().map(Report::to_string).collect();
        f.write_str(&messages.join("; "))
    }
}

impl std::error::Error for Problems {}

/// The first report with its place, and the others as related diagnostics.
impl Diagnostic for Problems {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.reports.first()?.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.reports.first()?.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.reports.first()?.help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.reports.first()?.labels()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.reports.first()?.source_code()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let others = self.reports.iter().skip(1);
        Some(Box::new(others.map(|report| report as &dyn Diagnostic)))
    }
}
