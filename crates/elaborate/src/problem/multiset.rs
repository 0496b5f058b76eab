//! Errors about multisets of heaps, and about moves that split heaps.

use miette::Diagnostic;
use nimrule_model::source::Span;
use thiserror::Error;

/// An error about a multiset of heaps, or a step that needs one.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum MultisetProblem {
    #[error("{what} needs heaps whose number may change")]
    #[diagnostic(code("heaps::needs-bag"), help("write `heaps any number`"))]
    NeedsBag {
        what: &'static str,
        #[label("this may add heaps")]
        at: Span,
    },

    #[error("the heaps of a bag have no places")]
    #[diagnostic(
        code("heaps::no-places"),
        help("speak of all of them: `max(heaps)`, `count(heaps)`, `exists x in heaps: …`")
    )]
    NoPlaces {
        #[label("this tells heaps apart by their places")]
        at: Span,
    },

    #[error("this breaks up several heaps at once")]
    #[diagnostic(
        code("move::splits-several"),
        help("choose `one heap`, and say `then` for the next")
    )]
    SplitsSeveral {
        #[label("of one heap alone can be said what is left")]
        at: Span,
    },

    #[error("`{code}` is no octal code: {fault}")]
    #[diagnostic(
        code("move::bad-code"),
        help(
            "write a digit for removing nothing, a point, and a digit for removing 1, 2, 3 … tokens: `0.137`"
        )
    )]
    BadCode {
        code: String,
        fault: String,
        #[label("this is wrong")]
        at: Span,
    },

    #[error("a position of this game is written `{example}`")]
    #[diagnostic(code("position::bag"), help("give the heaps in any order"))]
    BagPosition {
        example: String,
        #[label("this is no bag of heaps")]
        at: Span,
    },

    #[error("the heaps here are no bag")]
    #[diagnostic(
        code("position::no-bag"),
        help("write the sizes in their order, `(1,2,3)`, or by name, `a=1 b=2`")
    )]
    NoBag {
        #[label("heaps in any order")]
        at: Span,
    },
}
