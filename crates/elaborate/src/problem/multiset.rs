//! Errors about multisets of heaps, and about moves that split heaps.

use miette::Diagnostic;
use nimrule_model::source::Span;
use thiserror::Error;

/// An error about a multiset of heaps, or a step that needs one.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum MultisetProblem {
    #[error("{what} needs a multiset of heaps")]
    #[diagnostic(code("heaps::needs-bag"), help("write `heaps any number`"))]
    NeedsBag {
        what: &'static str,
        #[label("this may add heaps")]
        at: Span,
    },

    #[error("the heaps of a multiset have no order")]
    #[diagnostic(
        code("heaps::no-places"),
        help("use all of them: `max(heaps)`, `count(heaps)`, `exists x in heaps: …`")
    )]
    NoPlaces {
        #[label("refers to heaps by their order")]
        at: Span,
    },

    #[error("a step breaks up several heaps at once")]
    #[diagnostic(
        code("move::splits-several"),
        help("choose `one heap`, and use `then` for the next")
    )]
    SplitsSeveral {
        #[label("the remainder is defined for one heap only")]
        at: Span,
    },

    #[error("the sizes of a new heap are not bounded")]
    #[diagnostic(
        code("move::unbounded-heap"),
        help(
            "give `{name}` a largest size, as in `{name} in 1..h`; a name alone is any size below that of the heap"
        )
    )]
    UnboundedHeap {
        name: String,
        #[label("infinitely many sizes")]
        at: Span,
    },

    #[error("`{code}` is not an octal code: {fault}")]
    #[diagnostic(
        code("move::bad-code"),
        help(
            "write a digit for removing nothing, a point, and a digit for removing 1, 2, 3 … tokens: `0.137`"
        )
    )]
    BadCode {
        code: String,
        fault: String,
        #[label("not an octal code")]
        at: Span,
    },

    #[error("a position of this game is written `{example}`")]
    #[diagnostic(code("position::bag"), help("give the heaps in any order"))]
    BagPosition {
        example: String,
        #[label("not a multiset of heaps")]
        at: Span,
    },

    #[error("the heaps of this game are not a multiset")]
    #[diagnostic(
        code("position::no-bag"),
        help("write the sizes in order, `(1,2,3)`, or by name, `a=1 b=2`")
    )]
    NoBag {
        #[label("a multiset of heaps")]
        at: Span,
    },
}
