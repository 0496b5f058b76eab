//! Errors in the statement `board`.

use miette::Diagnostic;
use nimrule_model::source::Span;
use thiserror::Error;

/// An error of a board, a digraph, or a file that describes one.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum BoardProblem {
    #[error("there is no board called `{name}`")]
    #[diagnostic(code("board::unknown"))]
    UnknownBoard {
        name: String,
        #[label("unknown board")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("`{board}` takes {wanted}")]
    #[diagnostic(code("board::arguments"), help("for example `board {example}`"))]
    BoardArguments {
        board: String,
        wanted: &'static str,
        example: &'static str,
        given: String,
        #[label("{given}")]
        at: Span,
    },

    #[error("{reason}")]
    #[diagnostic(code("board::impossible"))]
    ImpossibleBoard {
        reason: String,
        #[label("invalid board")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("the graph is not planar")]
    #[diagnostic(
        code("board::not-planar"),
        help(
            "{reason}; leave one of them out, or write `graph` instead of `planar` for a board without faces"
        )
    )]
    NotPlanar {
        reason: String,
        #[label("it cannot be drawn without crossings")]
        at: Span,
    },

    #[error("the graph is not connected")]
    #[diagnostic(
        code("board::not-connected"),
        help(
            "join its parts by an edge, or write `graph` instead of `planar` for a board without faces"
        )
    )]
    NotConnected {
        reason: String,
        #[label("{reason}")]
        at: Span,
    },

    #[error("the graph has several embeddings, with different faces")]
    #[diagnostic(
        code("board::not-unique"),
        help(
            "list the faces: `faces {{ A B C }} {{ … }} …`, each as its vertices in cyclic order"
        )
    )]
    NotUnique {
        reason: String,
        #[label("{reason}")]
        at: Span,
    },

    #[error("the file `{path}` cannot be used as a board")]
    #[diagnostic(
        code("board::file"),
        help(
            "board files are in graph6 (`.g6`) or planar_code (`.pc`); digraph files are in \
             DOT, or lists of arcs with two names on each line"
        )
    )]
    BoardFile {
        path: String,
        reason: String,
        #[label("{reason}")]
        at: Span,
    },

    #[error("the board has no {cells}")]
    #[diagnostic(code("board::no-cells"))]
    NoCells {
        cells: String,
        board: String,
        #[label("there are none on {board}")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("{cells} need a board")]
    #[diagnostic(code("board::none"), help("add a board, for example `board cube`"))]
    NoBoard {
        cells: String,
        #[label("needs a board")]
        at: Span,
    },

    #[error("an arc leads outside the digraph")]
    #[diagnostic(
        code("board::arc-outside"),
        help("exclude it in the rule's `where`, or enlarge the ranges of the coordinates")
    )]
    ArcOutside {
        reason: String,
        #[label("{reason}")]
        at: Span,
    },

    #[error("the digraph is too large")]
    #[diagnostic(code("board::digraph-size"), help("{fix}"))]
    DigraphSize {
        what: String,
        fix: &'static str,
        #[label("{what}")]
        at: Span,
    },
}
