//! Errors in the syntax of a text.

use miette::Diagnostic;
use nimrule_model::source::Span;
use thiserror::Error;

/// An error in the syntax of a text: a `miette` diagnostic with a stable code,
/// labels, and a suggested fix where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum SyntaxProblem {
    #[error("expected {expected}, found {found}")]
    #[diagnostic(code("syntax::unexpected"))]
    Unexpected {
        expected: String,
        found: String,
        /// The text of the label: the place is this word, or the place after it.
        place: &'static str,
        #[label("{place}")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("`{word}` means nothing here")]
    #[diagnostic(code("syntax::misspelt"), help("did you mean `{meant}`?"))]
    Misspelt {
        word: String,
        meant: String,
        #[label("not a word of the language")]
        at: Span,
    },

    #[error("`{word}` is a word of the language and cannot be a name")]
    #[diagnostic(
        code("syntax::reserved"),
        help("choose another name, such as `{word}_1`")
    )]
    Reserved {
        word: String,
        #[label("a name is wanted here")]
        at: Span,
    },

    #[error("`{sign}` is not a sign of the language")]
    #[diagnostic(code("syntax::foreign-sign"), help("{fix}"))]
    ForeignSign {
        sign: String,
        fix: String,
        #[label("not understood")]
        at: Span,
    },

    #[error("`{bracket}` is never closed")]
    #[diagnostic(
        code("syntax::unclosed"),
        help("write the `{wanted}` that belongs to it")
    )]
    Unclosed {
        bracket: char,
        wanted: char,
        #[label(primary, "opened here")]
        at: Span,
        #[label("this does not close it")]
        wrong: Option<Span>,
    },

    #[error("`{bracket}` closes nothing")]
    #[diagnostic(
        code("syntax::unopened"),
        help("take it away, or open a bracket before it")
    )]
    Unopened {
        bracket: char,
        #[label("no bracket of its kind is open here")]
        at: Span,
    },

    #[error("the text in quotes has no end")]
    #[diagnostic(
        code("syntax::unclosed-text"),
        help("end it with a `\"` on the same line")
    )]
    UnclosedText {
        #[label("begins here")]
        at: Span,
    },

    #[error("the number is too large")]
    #[diagnostic(
        code("syntax::number-too-large"),
        help(
            "numbers go up to 9223372036854775807; a claim that is meant for all sizes need not name one"
        )
    )]
    NumberTooLarge {
        #[label("{digits} digits")]
        at: Span,
        digits: usize,
    },

    #[error("this is nested more than {limit} deep")]
    #[diagnostic(
        code("syntax::too-deep"),
        help("give parts of it a name with `let … = … in …`, or split the statement")
    )]
    TooDeep {
        limit: usize,
        #[label("the limit is passed here")]
        at: Span,
    },

    #[error("the statement has more than {limit} signs between its numbers")]
    #[diagnostic(
        code("syntax::too-long"),
        help("say it with `sum`, `count`, `exists` or `forall`, or split the statement")
    )]
    TooLong {
        limit: usize,
        #[label("the limit is passed here")]
        at: Span,
    },

    #[error("the file says nothing")]
    #[diagnostic(
        code("syntax::empty"),
        help(
            "a rule needs a name, its heaps and a move:\n  game nim \"Nim\"\n  heaps 3\n  move take from one heap"
        )
    )]
    Empty {
        #[label("nothing but blanks and comments")]
        at: Span,
    },

    #[error("the file is not text")]
    #[diagnostic(
        code("syntax::not-text"),
        help("a rule file is plain text in UTF-8; save it so")
    )]
    NotText {
        #[label("byte {offset} is the first that is not UTF-8")]
        at: Span,
        offset: usize,
    },
}

impl SyntaxProblem {
    /// The place of the error.
    pub fn place(&self) -> Span {
        match self {
            SyntaxProblem::Unexpected { at, .. }
            | SyntaxProblem::Misspelt { at, .. }
            | SyntaxProblem::Reserved { at, .. }
            | SyntaxProblem::ForeignSign { at, .. }
            | SyntaxProblem::Unclosed { at, .. }
            | SyntaxProblem::Unopened { at, .. }
            | SyntaxProblem::UnclosedText { at }
            | SyntaxProblem::NumberTooLarge { at, .. }
            | SyntaxProblem::TooDeep { at, .. }
            | SyntaxProblem::TooLong { at, .. }
            | SyntaxProblem::Empty { at }
            | SyntaxProblem::NotText { at, .. } => *at,
        }
    }
}
