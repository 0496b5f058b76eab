//! The abstract syntax tree: what was written, with its places.

pub use nimrule_model::expr::Quantifier;
pub use nimrule_model::game::{Class, Direction, Side};

use nimrule_model::source::{Span, Spanned};

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
    Heaps(Heaps),
    /// `tokens 2`: what stands on the vertices of a digraph.
    Tokens(Heaps),
    /// `kinds ring, row`
    Kinds(Vec<Name>),
    Family {
        name: Name,
        members: Vec<Spanned<Vec<HeapRef>>>,
    },
    Positions(Expr),
    /// `positions may repeat`
    MayRepeat,
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
    pub default: Default,
    pub range: Option<Expr>,
}

/// What a parameter is unless it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Default {
    /// A number or a set.
    Value(Expr),
    /// An octal code, `"0.137"`.
    Code(Spanned<String>),
}

impl Default {
    pub fn span(&self) -> Span {
        match self {
            Default::Value(expr) => expr.span,
            Default::Code(code) => code.span,
        }
    }
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
    /// `digraph { 0 -> 1 -> 0 }`; with coordinates the arcs are rules.
    Digraph {
        coordinates: Vec<(Name, Expr)>,
        arcs: Vec<Spanned<Arcs>>,
    },
    DigraphFile(FileRef),
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

/// `0 -> 1 -> 0`, or `(r,c) -> (r,d) where d < c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arcs {
    pub vertices: Vec<Entry>,
    pub condition: Option<Expr>,
}

/// What follows `heaps` or `tokens`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heaps {
    pub groups: HeapGroups,
    /// `of real size`
    pub real: Option<Mark>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapGroups {
    /// `any number`
    AnyNumber(Mark),
    These(Vec<HeapGroup>),
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
    /// Whose move it is, where only one side may make it.
    pub side: Option<Spanned<Side>>,
    pub name: Option<Name>,
    pub when: Option<Expr>,
    pub choices: Vec<ForSome>,
    pub steps: Vec<Spanned<Step>>,
    /// `octal "0.137"`, in place of steps.
    pub octal: Option<Octal>,
}

/// `octal "0.137" from one row`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Octal {
    pub code: OctalCode,
    pub from: Option<Spanned<Selection>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OctalCode {
    Written(Spanned<String>),
    /// A parameter.
    Named(Name),
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
        leaving: Option<Leaving>,
        condition: Option<Expr>,
    },
    Put {
        amount: Expr,
        on: Spanned<Selection>,
        condition: Option<Expr>,
    },
    Split {
        what: Spanned<Selection>,
        parts: Vec<Name>,
        condition: Option<Expr>,
    },
    Slide {
        what: Spanned<Selection>,
        condition: Option<Expr>,
    },
}

/// `leaving 0..2 heaps`: into how many non-empty heaps what is left is put,
/// and of which kind they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    pub heaps: Expr,
    pub family: FamilyName,
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
    /// `P iff …`, and the same of other outcomes.
    Outcome {
        class: Class,
        /// `consistent`: the labelling is consistent with the relation, which
        /// may have others.
        consistent: bool,
        up_to_symmetry: bool,
        direction: Direction,
        condition: Expr,
    },
    Grundy(Expr),
    /// `P by pairing a with A, …`
    Pairing(Vec<(Spanned<Entry>, Spanned<Entry>)>),
    Period {
        period: Expr,
        from: Expr,
        saltus: Option<Expr>,
        kind: Option<Name>,
    },
    /// `same as circular_nim(n = 6, k = 2) where …`
    SameAs {
        game: Name,
        settings: Vec<(Name, Expr)>,
        condition: Option<Expr>,
    },
    Cogame,
    /// `labellings == 2`
    Labellings(Expr),
    /// `quotient to 71 has 40 elements`
    Quotient {
        to: Expr,
        elements: Expr,
    },
}

impl Entry {
    pub fn span(&self) -> Span {
        match self {
            Entry::Number(expr) => expr.span,
            Entry::Coordinates(all) => all.span,
        }
    }
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
    Is(Class),
    HasGrundy(Expr),
    WinsBy(Position),
    Loses,
}

/// A position as written, with its place.
pub type Position = Spanned<PositionKind>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionKind {
    Tuple(Vec<Entry>),
    Named(Vec<(HeapRef, Expr)>),
    /// `{3,4,5}`
    Bag(Vec<Entry>),
    /// `ring 7 row 3`
    Kinds(Vec<(Name, Expr)>),
    /// `all 1`
    All(Expr),
}

/// An entry of a position, or a vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Number(Expr),
    /// A vertex by its coordinates.
    Coordinates(Spanned<Vec<Expr>>),
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
    /// `t.r`: a coordinate of a token's vertex.
    Field {
        name: Name,
        field: Name,
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
