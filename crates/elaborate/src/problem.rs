//! Errors and warnings about a rule that is well-formed.

mod board;
mod multiset;

pub(crate) use board::BoardProblem;
pub(crate) use multiset::MultisetProblem;

use crate::heaps::plural;
use miette::Diagnostic;
use nimrule_model::source::Span;
use nimrule_syntax::Replacement;
use thiserror::Error;

/// An error or a warning of [`elaborate`](crate::elaborate): a `miette` diagnostic with a
/// stable code, labels and a suggested fix.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error(transparent)]
#[diagnostic(transparent)]
pub struct CheckProblem(Problem);

impl CheckProblem {
    /// The warning about a claim or example whose condition after `for`, at this
    /// place, holds for no values of the parameters.
    pub fn never_applies(at: Span) -> CheckProblem {
        CheckProblem(Problem::NeverApplies { at })
    }

    /// The warning about the move at this place, which applies to no position, as far as
    /// positions are `tested`. `zero` is the place of a number that is 0 wherever the
    /// rest of the move is possible.
    pub fn move_never_applies(at: Span, tested: &str, zero: Option<Span>) -> CheckProblem {
        CheckProblem(Problem::MoveNeverApplies {
            reason: format!("no position allows it: tested were {tested}"),
            fix: match zero {
                Some(_) => {
                    "a step takes or puts at least one token, so that 0 makes it impossible; \
                     `set` gives a heap a size that may be the one it has, and `optionally` \
                     allows to leave a step out"
                }
                None => "fix its conditions, or remove it",
            },
            at,
            zero,
        })
    }

    /// The warning about a step at this place, which does not apply at a `position` because it
    /// would give a `state`, or a heap if there is none, a `value` outside of its `range`.
    pub fn leaves_range(
        at: Span,
        state: Option<&str>,
        range: &str,
        value: u64,
        position: &str,
    ) -> CheckProblem {
        let (what, written) = match state {
            Some(state) => (format!("`{state}`"), format!("state {state} in {range}")),
            None => ("a heap".to_owned(), format!("of size {range}")),
        };
        CheckProblem(Problem::LeavesRange {
            what,
            range: range.to_owned(),
            written,
            place: format!("at {position} it would be {value}"),
            at,
        })
    }

    /// The error about a claim at this place, that another game has an error.
    pub fn other_game(game: String, reason: String, at: Span) -> CheckProblem {
        CheckProblem(Problem::OtherGame { game, reason, at })
    }

    /// The same problem without labels in the rule, for a position that is not part
    /// of the rule's text.
    pub fn outside_of_the_rule(self) -> CheckProblem {
        CheckProblem(match self.0 {
            Problem::Excluded {
                at, line, words, ..
            } => Problem::Excluded {
                at,
                line,
                words,
                rule: None,
            },
            other => other,
        })
    }

    /// The place of the error, if it is in the file.
    pub fn place(&self) -> Option<Span> {
        self.0.place()
    }

    /// Whether the rule may be used nevertheless.
    pub fn is_warning(&self) -> bool {
        self.0.is_warning()
    }

    /// The correction, where it is certain enough to be offered as an edit.
    pub fn replacement(&self) -> Option<Replacement> {
        match &self.0 {
            Problem::UnusedAmount { fix: Some(fix), .. } => Some(fix.clone()),
            problem => {
                let help = problem.help()?.to_string();
                Some(Replacement {
                    at: problem.place()?,
                    with: nimrule_syntax::meant(&help)?.to_owned(),
                })
            }
        }
    }
}

/// Problems as [`elaborate`](crate::elaborate) returns them.
pub(crate) fn public(problems: Vec<Problem>) -> Vec<CheckProblem> {
    problems.into_iter().map(CheckProblem).collect()
}

/// The kinds of [`CheckProblem`].
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
pub enum Problem {
    // ------------------------------------------------------- the whole file
    #[error("the file has no `{statement}`")]
    #[diagnostic(code("file::missing"), help("{fix}"))]
    Missing {
        statement: &'static str,
        fix: &'static str,
        place: &'static str,
        #[label("{place}")]
        at: Span,
    },

    #[error("duplicate `{statement}` statement")]
    #[diagnostic(code("file::repeated"), help("keep one of them"))]
    Repeated {
        statement: &'static str,
        #[label(primary, "again here")]
        at: Span,
        #[label("first here")]
        first: Span,
    },

    // ---------------------------------------------------------------- names
    #[error("unknown name `{name}`")]
    #[diagnostic(code("names::unknown"))]
    UnknownName {
        name: String,
        #[label("not defined here")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("`{name}` is used before it is bound")]
    #[diagnostic(
        code("names::too-early"),
        help(
            "a name is defined from the step that binds it onwards; move the condition to that \
             step or a later one"
        )
    )]
    TooEarly {
        name: String,
        #[label(primary, "used here")]
        at: Span,
        #[label("bound only here")]
        bound: Span,
    },

    #[error("the name `{name}` is defined twice")]
    #[diagnostic(code("names::taken"), help("rename one of them"))]
    Taken {
        name: String,
        #[label(primary, "defined again here")]
        at: Span,
        #[label("by this")]
        first: Option<Span>,
    },

    #[error("`{name}` would be the name of a heap")]
    #[diagnostic(
        code("heaps::cells"),
        help(
            "heaps stand on one kind of cell; for heaps on others too, write a graph in which \
             these are vertices; a loose heap needs another name"
        )
    )]
    SecondCells {
        name: String,
        #[label(primary, "a second kind of cell")]
        at: Span,
    },

    #[error("`{name}` is {other}, and a vertex")]
    #[diagnostic(code("names::ambiguous"), help("{help}"))]
    Ambiguous {
        name: String,
        other: String,
        help: String,
        #[label("read as {other}, not as the vertex")]
        at: Span,
    },

    #[error("unused name `{name}`")]
    #[diagnostic(code("names::unused"), severity(warning), help("use it, or remove it"))]
    Unused {
        name: String,
        #[label("never used")]
        at: Span,
    },

    #[error("`{name}` is a new name, so that any {what} is allowed")]
    #[diagnostic(code("names::unused-amount"), help("{help}"))]
    UnusedAmount {
        name: String,
        what: &'static str,
        #[label("never used")]
        at: Span,
        help: String,
        fix: Option<Replacement>,
    },

    // ----------------------------------------------------------------- bags
    #[error(transparent)]
    #[diagnostic(transparent)]
    Multiset(#[from] MultisetProblem),

    // ---------------------------------------------------------------- kinds
    #[error("expected {wanted}, found {found}")]
    #[diagnostic(code("kinds::mismatch"))]
    Kind {
        wanted: &'static str,
        found: String,
        #[label("{found}")]
        at: Span,
        #[help]
        help: Option<String>,
    },

    #[error("`{function}` takes {wanted}")]
    #[diagnostic(code("kinds::arguments"), help("for example `{example}`"))]
    Arguments {
        function: &'static str,
        wanted: &'static str,
        example: &'static str,
        #[label("in this call")]
        at: Span,
    },

    #[error("the value must not depend on the position")]
    #[diagnostic(code("kinds::not-constant"), help("{help}"))]
    NotConstant {
        help: &'static str,
        #[label("depends on the position or on the move")]
        at: Span,
    },

    #[error("the expression has no value: {fault}")]
    #[diagnostic(code("kinds::no-value"), help("fix the numbers in it"))]
    NoValue {
        fault: String,
        #[label("no value")]
        at: Span,
    },

    #[error("{what} needs whole numbers, but the heaps are of real size")]
    #[diagnostic(
        code("kinds::real"),
        help(
            "real sizes can only be compared, added and multiplied; remove `of real size` for \
              other operations"
        )
    )]
    WholeNumbers {
        what: String,
        #[label("needs whole numbers")]
        at: Span,
    },

    #[error("`{word}` is not defined here")]
    #[diagnostic(
        code("kinds::no-amount"),
        help(
            "`total` and `each` are the numbers of tokens taken in a step; use them in the \
             `where` of a `take`"
        )
    )]
    NoAmount {
        word: &'static str,
        #[label("no tokens are taken here")]
        at: Span,
    },

    #[error("the set is infinite")]
    #[diagnostic(code("kinds::endless"), help("{fix}"))]
    Endless {
        fix: &'static str,
        #[label("its members cannot be enumerated")]
        at: Span,
    },

    // ----------------------------------------------------------- parameters
    #[error("`{name}` = {value} is outside its range")]
    #[diagnostic(code("params::out-of-range"), help("choose a value in `{range}`"))]
    OutOfRange {
        name: String,
        value: String,
        range: String,
        #[label("{value} is not in `{range}`")]
        at: Span,
    },

    #[error("there is no parameter `{name}`")]
    #[diagnostic(code("params::unknown"))]
    UnknownParam {
        name: String,
        /// `None` for a value set on the command line, which has no place in the text.
        #[label("not a parameter of this game")]
        at: Option<Span>,
        #[help]
        help: Option<String>,
    },

    // ---------------------------------------------------------------- board
    #[error(transparent)]
    #[diagnostic(transparent)]
    Board(#[from] BoardProblem),

    // ---------------------------------------------------------------- heaps
    #[error("{names} names for {cells} {kind}")]
    #[diagnostic(
        code("heaps::names"),
        help("name each of the {cells} {kind}, or remove `as` and the names")
    )]
    HeapNames {
        names: usize,
        cells: usize,
        kind: &'static str,
        #[label("{names} names")]
        at: Span,
    },

    #[error("a game cannot have {count} heaps")]
    #[diagnostic(code("heaps::number"), help("a game has 1 to {most} heaps"))]
    HeapNumber {
        count: i64,
        most: usize,
        #[label("not a number of heaps")]
        at: Span,
    },

    #[error("the heaps have no place")]
    #[diagnostic(code("heaps::nowhere"), help("{fix}"))]
    HeapsNowhere {
        fix: &'static str,
        #[label("add it after this, for example")]
        at: Span,
    },

    #[error("this board cannot hold {what}")]
    #[diagnostic(code("heaps::wrong-board"), help("{fix}"))]
    WrongBoard {
        /// `heaps` or `tokens`.
        what: &'static str,
        fix: &'static str,
        #[label("not here")]
        at: Span,
    },

    #[error("the heaps cannot be shown as {view}: {reason}")]
    #[diagnostic(code("heaps::view"), help("{fix}"))]
    View {
        view: &'static str,
        reason: String,
        fix: &'static str,
        #[label("does not fit")]
        at: Span,
    },

    // ------------------------------------------------------------ selections
    #[error("{wanted} cannot be chosen from {there}")]
    #[diagnostic(code("selection::too-large"), help("choose at most {there}"))]
    TooLarge {
        wanted: String,
        there: String,
        #[label("more than there are")]
        at: Span,
    },

    #[error("the selection is empty")]
    #[diagnostic(code("selection::empty"), help("{fix}"))]
    EmptySelection {
        fix: &'static str,
        #[label("no heap can be selected")]
        at: Span,
    },

    #[error("the heaps have no order")]
    #[diagnostic(
        code("selection::no-order"),
        help("consecutive heaps need `board circle(n)` or `board row(n)`")
    )]
    NoOrder {
        #[label("none of them are consecutive")]
        at: Span,
    },

    #[error("the step has {count} selections")]
    #[diagnostic(
        code("selection::too-many"),
        help(
            "a step chooses among at most {most}; choose fewer heaps, or one at a time with `then`"
        )
    )]
    TooMany {
        count: String,
        most: usize,
        #[label("too many to enumerate")]
        at: Span,
    },

    // ----------------------------------------------------------------- moves
    #[error("the number taken or put may be less than 1")]
    #[diagnostic(code("move::takes-nothing"), help("{fix}"))]
    TakesNothing {
        fix: String,
        #[label("includes numbers below 1")]
        at: Span,
    },

    #[error("{what}")]
    #[diagnostic(code("move::blocking"), help("{fix}"))]
    Blocking {
        what: String,
        fix: &'static str,
        #[label("here")]
        at: Span,
    },

    #[error("{idle} can never move")]
    #[diagnostic(
        code("move::one-sided"),
        severity(warning),
        help(
            "add a move for {idle}, `move {word} …`, or remove the player's name: then both \
             players may make the move"
        )
    )]
    OneSided {
        idle: &'static str,
        owner: &'static str,
        word: &'static str,
        #[label("every move is {owner}'s")]
        at: Span,
    },

    #[error("a turn never ends")]
    #[diagnostic(
        code("move::turn-never-ends"),
        help("remove `then again` from a move, or write `then optionally again`")
    )]
    TurnNeverEnds {
        #[label("a turn continues after every move")]
        at: Span,
    },

    #[error("a turn of several moves needs a game in which play ends")]
    #[diagnostic(
        code("move::again-repeats"),
        help("remove `positions may repeat`, or `then again`")
    )]
    AgainWhereRepeated {
        #[label("the turn continues")]
        at: Span,
        #[label("so the turn need not end")]
        repeats: Span,
    },

    #[error("{what}")]
    #[diagnostic(code("move::never-holds"), help("fix the bounds, or remove the move"))]
    NeverHolds {
        what: &'static str,
        #[label("no choice satisfies this")]
        at: Span,
    },

    #[error("this move never applies")]
    #[diagnostic(code("move::never-applies"), severity(warning), help("{fix}"))]
    MoveNeverApplies {
        reason: String,
        fix: &'static str,
        #[label(primary, "{reason}")]
        at: Span,
        #[label("0 wherever the rest is possible")]
        zero: Option<Span>,
    },

    #[error("a move is left out where {what} would leave its range `{range}`")]
    #[diagnostic(
        code("move::leaves-range"),
        severity(warning),
        help(
            "widen the range in `{written}`, or write a condition that allows only moves within it"
        )
    )]
    LeavesRange {
        what: String,
        range: String,
        written: String,
        place: String,
        #[label("{place}")]
        at: Span,
    },

    #[error("no move sets the state `{name}`")]
    #[diagnostic(
        code("heaps::never-set"),
        severity(warning),
        help(
            "end a move with `then set {name} to …`; a number that never changes may be a \
             parameter, `param {name} = …`"
        )
    )]
    NeverSet {
        name: String,
        #[label("never changes")]
        at: Span,
    },

    #[error("the number put down has no bound")]
    #[diagnostic(
        code("move::unbounded-put"),
        help("write a number, a finite set, or a name bound by an earlier `take`")
    )]
    UnboundedPut {
        #[label("how many?")]
        at: Span,
    },

    #[error("cannot put tokens on a shrinking board")]
    #[diagnostic(
        code("move::put-on-shrinking"),
        help("a vanished heap has no place to put tokens on; remove `shrinking`")
    )]
    PutOnShrinking {
        #[label("adds tokens")]
        at: Span,
    },

    #[error("{what} are not defined on a shrinking board")]
    #[diagnostic(
        code("selection::shrinking"),
        help("which heaps are there changes from move to move; remove `shrinking`")
    )]
    NotOnShrinking {
        what: &'static str,
        #[label("on a shrinking board")]
        at: Span,
    },

    #[error("`^` is the nim-sum, the bitwise exclusive or")]
    #[diagnostic(
        code("kinds::nim-sum"),
        severity(warning),
        help("for a power write `{power}`; for the nim-sum of constants write its value")
    )]
    NimSumOrPower {
        power: String,
        #[label("a nim-sum, not a power")]
        at: Span,
    },

    #[error("no bound for `{name}` can be derived")]
    #[diagnostic(code("move::no-horizon"), help("{fix}"))]
    NoHorizon {
        name: String,
        fix: String,
        #[label(primary, "this set is infinite")]
        at: Span,
        #[label("this may change at any size of `{name}`")]
        culprit: Option<Span>,
    },

    #[error("{what}")]
    #[diagnostic(code("move::wrong-step"), help("{fix}"))]
    WrongStep {
        what: &'static str,
        fix: &'static str,
        #[label("wrong step for this board")]
        at: Span,
    },

    // --------------------------------------------------------------- claims
    #[error(
        "the form is of length {entries}, and the game has {}",
        plural(*.heaps, "heap")
    )]
    #[diagnostic(code("claim::form-length"), help("{fix}"))]
    FormLength {
        entries: usize,
        heaps: usize,
        fix: &'static str,
        #[label("{entries} here")]
        at: Span,
    },

    #[error("the form does not determine `{name}`")]
    #[diagnostic(
        code("claim::unsolved"),
        help(
            "write `{name}` alone in one entry, or as the only unknown name of an entry such \
             as `{name} + 1` or `2*{name}`"
        )
    )]
    Unsolved {
        name: String,
        #[label("cannot be solved for `{name}`")]
        at: Span,
    },

    #[error("no position of this game can be {class}")]
    #[diagnostic(code("claim::no-such-outcome"), help("{fix}"))]
    NoSuchOutcome {
        class: &'static str,
        reason: &'static str,
        fix: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    #[error("this claim does not fit the game's move digraph")]
    #[diagnostic(code("claim::no-structure"), help("{fix}"))]
    NoStructure {
        reason: &'static str,
        fix: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    #[error("the winning moves of this game cannot be stated so")]
    #[diagnostic(code("claim::winning-moves"), help("{fix}"))]
    WinningMoves {
        reason: &'static str,
        fix: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    #[error("this game has no Grundy values")]
    #[diagnostic(code("claim::no-values"), help("use outcomes: {classes}"))]
    NoValues {
        reason: &'static str,
        classes: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    #[error("no parameters satisfy the condition after `for`")]
    #[diagnostic(
        code("claim::never-applies"),
        help("fix the condition, or the ranges of the parameters")
    )]
    NeverApplies {
        #[label("never true")]
        at: Span,
    },

    #[error("cannot compare with the game `{game}`")]
    #[diagnostic(
        code("claim::other-game"),
        help("`same as {game}` refers to the file `{game}.nimrule` in the same folder")
    )]
    OtherGame {
        game: String,
        reason: String,
        #[label("{reason}")]
        at: Span,
    },

    #[error("a quotient claim needs `misere`")]
    #[diagnostic(
        code("claim::not-misere"),
        help(
            "write `claim misere quotient …`; for normal play, claim the Grundy values or the \
             period"
        )
    )]
    QuotientOfNormalPlay {
        #[label("add `misere` before this")]
        at: Span,
    },

    #[error("{value} is not valid in a quotient claim")]
    #[diagnostic(
        code("claim::quotient-number"),
        help("write a number of at least 1: {reason}")
    )]
    QuotientNumber {
        value: i64,
        reason: &'static str,
        #[label("this is {value}")]
        at: Span,
    },

    #[error("invalid claim of a period")]
    #[diagnostic(code("claim::period"), help("{fix}"))]
    Period {
        reason: String,
        fix: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    #[error("invalid pairing of heaps")]
    #[diagnostic(code("claim::pairing"), help("{fix}"))]
    Pairing {
        reason: String,
        fix: &'static str,
        #[label("{reason}")]
        at: Span,
    },

    // ------------------------------------------------------------- positions
    #[error(
        "the position has {}, and the game has {heaps}",
        plural(*.entries, "number")
    )]
    #[diagnostic(code("position::length"), help("give {names}"))]
    PositionLength {
        entries: usize,
        heaps: usize,
        names: String,
        #[label("{entries} here")]
        at: Span,
    },

    #[error("a heap cannot have {size} tokens")]
    #[diagnostic(code("position::size"), help("a heap has 0 to {most} tokens"))]
    HeapSize {
        size: i64,
        most: u64,
        #[label("not a heap's size")]
        at: Span,
    },

    #[error("there is no vertex `{vertex}`")]
    #[diagnostic(code("position::vertex"), help("{help}"))]
    NoVertex {
        vertex: String,
        help: String,
        #[label("not a vertex")]
        at: Span,
    },

    #[error("this is not a position of the game")]
    #[diagnostic(
        code("position::excluded"),
        help("line {line} of the rule excludes it: `{words}`")
    )]
    Excluded {
        line: usize,
        words: String,
        #[label(primary, "excluded")]
        at: Span,
        #[label("by this")]
        rule: Option<Span>,
    },
}

impl Problem {
    /// The place of the error, if it is in the file.
    pub fn place(&self) -> Option<Span> {
        self.labels()?.next().map(|label| *label.inner())
    }

    /// Whether the rule may be used nevertheless.
    pub fn is_warning(&self) -> bool {
        self.severity() == Some(miette::Severity::Warning)
    }
}
