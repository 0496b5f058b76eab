//! The abstract syntax tree: what was written, with its places.

use crate::source::Spanned;

/// A rule file: its statements in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub statements: Vec<Spanned<Statement>>,
}

/// A name as written.
pub type Name = Spanned<String>;

/// The place of a word that says all by being there.
pub type Mark = Spanned<()>;

/// An expression with its place.
pub type Expr = Spanned<ExprKind>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    Game {
        name: Name,
        title: Option<String>,
    },
    Source(String),
    Note(String),
    Param(Vec<Param>),
    Board(Board),
    Heaps(Vec<HeapGroup>),
    Family {
        name: Name,
        members: Vec<Spanned<Vec<HeapRef>>>,
    },
    Positions(Expr),
    Suggest(Expr),
    Start(Position),
    Move(Move),
    Claim(Claim),
    Example(Example),
}

/// `n = 5 in 3..`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: Name,
    pub default: Expr,
    pub range: Option<Expr>,
}

/// What follows `board`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Board {
    /// `cube`, `prism(5)`, `circle(n) shrinking`.
    Named {
        name: Name,
        arguments: Vec<Expr>,
        shrinking: Option<Mark>,
    },
    Graph(Vec<Path>),
    Planar {
        edges: Vec<Path>,
        faces: Vec<Spanned<Vec<Name>>>,
    },
    File {
        file: FileRef,
        planar: bool,
    },
}

/// A walk through a graph: `A - B - C` gives two edges.
pub type Path = Spanned<Vec<Name>>;

/// `from "file"`, with the number of the graph in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    pub path: Spanned<String>,
    pub number: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapGroup {
    /// `on faces`, with the names after `as`.
    OnCells { kind: Name, names: Vec<HeapNames> },
    /// `pile[1..p]`
    Ranged(HeapNames),
    /// A lone name, or a number of heaps.
    Counted(Expr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapNames {
    One(Name),
    Ranged { name: Name, range: Expr },
}

/// `a` or `pile[3]`, naming one heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapRef {
    pub name: Name,
    pub index: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub name: Option<Name>,
    pub when: Option<Expr>,
    pub choices: Vec<ForSome>,
    pub steps: Vec<Spanned<Step>>,
}

/// `for some x in SET where COND`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForSome {
    pub name: Name,
    pub set: Expr,
    pub condition: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub repeat: Repeat,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    Once,
    Optionally,
    UpTo(Expr),
    Exactly(Expr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Take {
        amount: Amount,
        from: Spanned<Selection>,
        condition: Option<Expr>,
    },
    Put {
        amount: Expr,
        on: Spanned<Selection>,
        condition: Option<Expr>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// Nothing written: any numbers.
    Any,
    Slow(Mark),
    /// The same from each; the set of numbers it may be, if one is written.
    Equal(Mark, Option<Expr>),
    /// A set, a number, or a fresh name.
    Of(Expr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub what: What,
    pub bound: Option<Name>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    All(FamilyName),
    One(FamilyName),
    UpTo {
        count: Expr,
        consecutive: bool,
        family: FamilyName,
    },
    Exactly {
        count: Expr,
        family: FamilyName,
    },
    Consecutive {
        count: Expr,
        family: FamilyName,
    },
    /// `heaps[i]`
    HeapAt(Expr),
    /// A bound name, a heap, or `pile[i]`.
    Named {
        name: Name,
        index: Option<Expr>,
    },
}

/// The family a selection chooses from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FamilyName {
    Heaps(Mark),
    Named(Name),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub condition: Option<Expr>,
    pub misere: bool,
    pub statement: ClaimStatement,
    pub refuted: Option<Position>,
    /// The claim's words without `claim` and without `refuted at …`.
    pub words: Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimStatement {
    P {
        up_to_symmetry: bool,
        direction: Direction,
        condition: Expr,
    },
    Grundy(Expr),
}

/// Which way a claim about P-positions goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// P exactly where the condition holds.
    Iff,
    /// The condition makes a position P.
    If,
    /// A P-position satisfies the condition.
    OnlyIf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub condition: Option<Expr>,
    pub misere: bool,
    pub position: Position,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    IsP,
    IsN,
    HasGrundy(Expr),
    WinsBy(Position),
    Loses,
}

/// A position as written, with its place.
pub type Position = Spanned<PositionKind>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionKind {
    Tuple(Vec<Expr>),
    Named(Vec<(HeapRef, Expr)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    Number(i64),
    Truth(bool),
    Name(String),
    /// `heaps`
    Heaps,
    /// `total`
    Total,
    /// `each`
    Each,
    /// `squares`
    Squares,
    /// `powers(k)`
    Powers(Box<Expr>),
    /// `heaps[i]`
    HeapAt(Box<Expr>),
    /// `pile[i]`
    Indexed {
        name: Name,
        index: Box<Expr>,
    },
    /// `{1, 3, 4}`
    Braces(Vec<Expr>),
    Range {
        low: Box<Expr>,
        high: Option<Box<Expr>>,
    },
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary {
        operator: Binary,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `a == b <= c in S`: each neighbouring pair is compared.
    Compare {
        first: Box<Expr>,
        rest: Vec<(Comparison, Expr)>,
    },
    /// `p is q`
    Is {
        left: Box<Expr>,
        negated: bool,
        right: Name,
    },
    Call {
        function: Function,
        arguments: Vec<Expr>,
        generator: Option<Generator>,
    },
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Let {
        name: Name,
        value: Box<Expr>,
        body: Box<Expr>,
    },
    Quantified {
        quantifier: Quantifier,
        binders: Vec<(Name, Expr)>,
        body: Box<Expr>,
    },
    Like {
        form: Vec<Expr>,
        condition: Option<Box<Expr>>,
    },
}

/// The tail of `sum(VALUE for x in LIST where COND)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// `for x in LIST`; absent in `count(x in LIST where COND)`, where the
    /// argument itself says it.
    pub binder: Option<(Name, Box<Expr>)>,
    pub condition: Option<Box<Expr>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    NimSum,
    And,
    Or,
    Implies,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Max,
    Min,
    Sum,
    Xor,
    Count,
    Sorted,
    Distinct,
    Carryless,
    Digit,
    Isqrt,
}

impl Function {
    /// The function's word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Function::Max => "max",
            Function::Min => "min",
            Function::Sum => "sum",
            Function::Xor => "xor",
            Function::Count => "count",
            Function::Sorted => "sorted",
            Function::Distinct => "distinct",
            Function::Carryless => "carryless",
            Function::Digit => "digit",
            Function::Isqrt => "isqrt",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    Forall,
}
