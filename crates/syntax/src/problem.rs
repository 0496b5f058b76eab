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
        /// The edit that the help describes, where there is one.
        fix: Option<Replacement>,
    },

    #[error("unknown word `{word}`")]
    #[diagnostic(code("syntax::misspelt"), help("did you mean `{meant}`?"))]
    Misspelt {
        word: String,
        meant: String,
        #[label("not a keyword")]
        at: Span,
    },

    #[error("`{word}` is a keyword and cannot be a name")]
    #[diagnostic(
        code("syntax::reserved"),
        help("choose another name, such as `{word}_1`")
    )]
    Reserved {
        word: String,
        #[label("expected a name")]
        at: Span,
    },

    #[error("unknown symbol `{sign}`")]
    #[diagnostic(code("syntax::foreign-sign"), help("{fix}"))]
    ForeignSign {
        sign: String,
        fix: String,
        #[label("not understood")]
        at: Span,
    },

    #[error("the language writes `{phrase}` in another way")]
    #[diagnostic(code("syntax::foreign-phrase"), help("{help}"))]
    ForeignPhrase {
        phrase: String,
        help: String,
        #[label("not understood")]
        at: Span,
        replacement: Replacement,
    },

    #[error("`{bracket}` is never closed")]
    #[diagnostic(code("syntax::unclosed"), help("add the matching `{wanted}`"))]
    Unclosed {
        bracket: char,
        wanted: char,
        #[label(primary, "opened here")]
        at: Span,
        #[label("this does not close it")]
        wrong: Option<Span>,
    },

    #[error("unmatched `{bracket}`")]
    #[diagnostic(
        code("syntax::unopened"),
        help("remove it, or add the opening bracket")
    )]
    Unopened {
        bracket: char,
        #[label("no matching opening bracket")]
        at: Span,
    },

    #[error("unterminated string")]
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
            "the largest number is 9223372036854775807; a claim for all sizes does not need to \
             name one"
        )
    )]
    NumberTooLarge {
        #[label("{digits} digits")]
        at: Span,
        digits: usize,
    },

    #[error("nested more than {limit} levels deep")]
    #[diagnostic(
        code("syntax::too-deep"),
        help("name parts of it with `let … = … in …`, or split the statement")
    )]
    TooDeep {
        limit: usize,
        #[label("the limit is exceeded here")]
        at: Span,
    },

    #[error("the statement has more than {limit} operators")]
    #[diagnostic(
        code("syntax::too-long"),
        help("use `sum`, `count`, `exists` or `forall`, or split the statement")
    )]
    TooLong {
        limit: usize,
        #[label("the limit is exceeded here")]
        at: Span,
    },

    #[error("the file is empty")]
    #[diagnostic(
        code("syntax::empty"),
        help(
            "a rule needs a name, its heaps and a move:\n  game nim \"Nim\"\n  heaps 3\n  move take from one heap"
        )
    )]
    Empty {
        #[label("only whitespace and comments")]
        at: Span,
    },

    #[error("the file is not text")]
    #[diagnostic(code("syntax::not-text"), help("save the file as plain text in UTF-8"))]
    NotText {
        #[label("byte {offset} is not valid UTF-8")]
        at: Span,
        offset: usize,
    },
}

/// A correction of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The place of what is replaced.
    pub at: Span,
    /// What stands there instead.
    pub with: String,
}

impl SyntaxProblem {
    /// The correction, where it is certain enough to be offered as an edit.
    pub fn replacement(&self) -> Option<Replacement> {
        let (at, with) = match self {
            SyntaxProblem::Misspelt { meant, at, .. } => (*at, meant.clone()),
            SyntaxProblem::Reserved { word, at } => (*at, format!("{word}_1")),
            SyntaxProblem::ForeignSign { fix, at, .. } => (*at, written(fix)?.to_owned()),
            SyntaxProblem::ForeignPhrase { replacement, .. } => return Some(replacement.clone()),
            SyntaxProblem::Unexpected { fix: Some(fix), .. } => return Some(fix.clone()),
            SyntaxProblem::Unexpected {
                found, help, at, ..
            } if found == "`=`" => (*at, written(help.as_deref()?)?.to_owned()),
            SyntaxProblem::UnclosedText { at } => {
                ((at.offset() + at.len(), 0).into(), "\"".to_owned())
            }
            SyntaxProblem::Unopened { at, .. } => (*at, String::new()),
            _ => return None,
        };
        Some(Replacement { at, with })
    }
    /// The place of the error.
    pub fn place(&self) -> Span {
        match self {
            SyntaxProblem::Unexpected { at, .. }
            | SyntaxProblem::Misspelt { at, .. }
            | SyntaxProblem::Reserved { at, .. }
            | SyntaxProblem::ForeignSign { at, .. }
            | SyntaxProblem::ForeignPhrase { at, .. }
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

/// What a help such as "write `mod`" names.
fn written(help: &str) -> Option<&str> {
    let (sign, _) = help.strip_prefix("write `")?.split_once('`')?;
    Some(sign)
}
