//! The abstract syntax tree: the statements of a rule file with their places.

pub use nimrule_model::expr::{Builtin, Quantifier};
pub use nimrule_model::game::{Agreement, Class, Direction, Side};

use nimrule_model::source::{Span, Spanned};

/// A rule file: its statements in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub statements: Vec<Spanned<Statement>>,
}

/// A name as written.
pub type Name = Spanned<String>;

/// The place of an optional word that is present.
pub type Presence = Spanned<()>;

/// An expression with its place.
pub type Expr = Spanned<ExprKind>;

/// A statement.
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
    /// `tokens 2`: tokens that slide along the arcs of a digraph.
    Tokens(Heaps),
    /// `kinds ring, row`
    Kinds(Vec<Name>),
    /// `state last in 0..9 = 9`
    State {
        name: Name,
        range: Expr,
        value: Option<Expr>,
    },
    Family {
        name: Name,
        /// `of v`: the heap that the sets belong to.
        of: Option<Name>,
        sets: Vec<FamilySets>,
    },
    Positions(Expr),
    /// `positions may repeat`
    MayRepeat,
    Suggest(Expr),
    Start(Position),
    /// `shown as rows`
    Shown(Spanned<View>),
    /// `opponent may block up to 1 options`
    Blocking(Expr),
    /// `play ends by sum(heaps)`
    EndsBy(Vec<Expr>),
    Move(Move),
    Claim(Claim),
    Example(Example),
    /// A statement with a syntax error.
    Unparsed(Unparsed),
}

/// The word after `shown as`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Strip,
    Bar,
    Rows,
    Tree,
    Order,
}

/// What is known of a statement with a syntax error: enough for later phases not
/// to report errors that follow from its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unparsed {
    /// The keyword that begins the statement; `None` if it is not one.
    pub keyword: Option<&'static str>,
    /// The words in it that may be names: those that are not reserved, and the one
    /// that is and stands where a name belongs.
    pub words: Vec<String>,
}

/// `n = 5 in 3..`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: Name,
    pub default: Default,
    pub range: Option<Expr>,
}

/// The default of a parameter.
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

/// The argument of `board`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Board {
    /// `cube`, `prism(5)`, `circle(n) shrinking`.
    Named {
        name: Name,
        arguments: Vec<Expr>,
        shrinking: Option<Presence>,
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

/// A path of a graph: `A - B - C` gives two edges.
pub type Path = Spanned<Vec<Name>>;

/// `from "file"`, with the number of the graph in the file.
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

/// The argument of `heaps` or `tokens`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heaps {
    pub groups: HeapGroups,
    /// `of real size`
    pub real: Option<Presence>,
    /// `of size 0..1`: the sizes that the heaps may have.
    pub sizes: Option<Expr>,
}

/// The heaps or tokens that a statement introduces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapGroups {
    /// `any number`
    AnyNumber(Presence),
    These(Vec<HeapGroup>),
}

/// An item of a list of heaps or tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapGroup {
    /// `on faces`, with the names after `as`.
    OnCells { kind: Name, names: Vec<HeapNames> },
    /// `pile[1..p]`
    Ranged(HeapNames),
    /// A lone name, or a number of heaps.
    Counted(Expr),
}

/// Names of heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapNames {
    One(Name),
    /// `cell[x in 1..3, y in 1..3 where x != y]`
    Ranged {
        name: Name,
        axes: Vec<Axis>,
        condition: Option<Expr>,
    },
}

/// An index of a group of heaps, and the name of the coordinate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub name: Option<Name>,
    pub range: Expr,
}

/// `a` or `pile[3]`, naming one heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapRef {
    pub name: Name,
    /// Empty for a heap that is named alone.
    pub indices: Vec<Expr>,
}

/// A set of heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapSet {
    /// `{a b}`
    Listed(Vec<HeapRef>),
    /// `{w in heaps where w touches v}`
    Those {
        name: Name,
        among: Box<Expr>,
        condition: Box<Expr>,
    },
}

/// Sets of a family: some, or some for all values of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilySets {
    pub sets: Vec<Spanned<HeapSet>>,
    /// `for i in 1..3, v in heaps`
    pub binders: Vec<(Name, Expr)>,
    pub condition: Option<Expr>,
}

/// A move: a condition, choices, and steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The player, if only one may make the move.
    pub side: Option<Spanned<Side>>,
    pub name: Option<Name>,
    pub when: Option<Expr>,
    pub choices: Vec<ForSome>,
    pub steps: Vec<Spanned<Step>>,
    /// `then again`.
    pub again: Option<Spanned<Again>>,
    /// `octal "0.137"`, in place of steps.
    pub octal: Option<Octal>,
}

/// Whether the same player must move again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// `then again`
    Must,
    /// `then optionally again`
    May,
}

/// `octal "0.137" from one row`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Octal {
    pub code: OctalCode,
    pub from: Option<Spanned<Selection>>,
}

/// The octal code of a move.
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

/// An action with its repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub repeat: Repeat,
    pub action: Action,
}

/// How often a step is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    Once,
    Optionally,
    UpTo(Expr),
    Exactly(Expr),
}

/// The action of a step.
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
        parts: Parts,
        condition: Option<Expr>,
    },
    /// `replace`: new heaps of any sizes in the place of one.
    Replace {
        what: Spanned<Selection>,
        by: Vec<NewHeaps>,
        condition: Option<Expr>,
    },
    Set {
        what: Spanned<Selection>,
        value: Expr,
        condition: Option<Expr>,
    },
    /// `flip`: a heap of 0 gets 1, and a heap of 1 gets 0.
    Flip {
        what: Spanned<Selection>,
        condition: Option<Expr>,
    },
    /// `choose`: heaps that later steps refer to.
    Choose {
        what: Spanned<Selection>,
        condition: Option<Expr>,
    },
    Slide {
        what: Spanned<Selection>,
        condition: Option<Expr>,
    },
}

/// The parts that a heap is split into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parts {
    /// One for each name.
    Named(Vec<Name>),
    /// `parts`: two or more.
    Any,
}

/// Some of the heaps by which `replace` replaces one: `x in 1..4`, `row x`, `3 heaps of x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHeaps {
    /// Their number; one if absent.
    pub count: Option<Expr>,
    /// Their kind; that of the heap replaced if absent.
    pub kind: Option<FamilyName>,
    pub size: NewSize,
}

/// The size of a new heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewSize {
    /// A number, or a new name.
    Of(Expr),
    /// A new name for a member of a set.
    In(Name, Expr),
}

/// `leaving 0..2 heaps`: the number and the kind of the non-empty heaps that the
/// rest of a heap is divided into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    pub heaps: Expr,
    pub family: FamilyName,
}

/// The number of tokens that a step takes or puts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// No amount is written: any numbers.
    Any,
    Slow(Presence),
    /// All tokens of each heap.
    All(Presence),
    /// The same amount from each heap, from this set if one is written.
    Equal(Presence, Option<Expr>),
    /// A set, a number, or a new name.
    Of(Expr),
}

/// The sets of heaps that a step may act on, and the name bound to the chosen set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub what: What,
    pub place: Option<Spanned<Place>>,
    pub bound: Option<Name>,
}

/// The form of a selection.
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
        indices: Vec<Expr>,
    },
}

/// Where the heaps of a selection are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `left of x`
    Left(Name),
    /// `right of x`
    Right(Name),
    /// `above x`
    Above(Name),
    /// `below x`
    Below(Name),
    /// `of x`, after `neighbours` or a family
    Of(Name),
    /// `of one line`
    WithinOne(FamilyName),
    /// `ending at x`
    EndingAt(Name),
    /// `starting at x`
    StartingAt(Name),
    /// `ending before x`
    EndingBefore(Name),
    /// `starting after x`
    StartingAfter(Name),
}

impl Place {
    /// The words before the name: `left of`; for a place within a family, `of one`.
    pub fn words(&self) -> &'static str {
        match self {
            Place::Left(_) => "left of",
            Place::Right(_) => "right of",
            Place::Above(_) => "above",
            Place::Below(_) => "below",
            Place::Of(_) => "of",
            Place::WithinOne(_) => "of one",
            Place::EndingAt(_) => "ending at",
            Place::StartingAt(_) => "starting at",
            Place::EndingBefore(_) => "ending before",
            Place::StartingAfter(_) => "starting after",
        }
    }

    /// The heap from which the others are seen.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Place::Left(name)
            | Place::Right(name)
            | Place::Above(name)
            | Place::Below(name)
            | Place::Of(name)
            | Place::EndingAt(name)
            | Place::StartingAt(name)
            | Place::EndingBefore(name)
            | Place::StartingAfter(name) => Some(name),
            Place::WithinOne(_) => None,
        }
    }
}

/// The family that a selection is a member of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FamilyName {
    Heaps(Presence),
    /// `token`, `tokens`
    Tokens(Presence),
    Named(Name),
    /// `one of a b`, or `one of {a b}, {c d}`.
    Listed(Spanned<Vec<Spanned<HeapSet>>>),
}

/// A claim: a statement that the program compares with answers or proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub condition: Option<Expr>,
    pub misere: bool,
    pub statement: ClaimStatement,
    pub refuted: Option<Position>,
    /// The span of the claim without `claim` and without `refuted at …`.
    pub words: Presence,
}

/// The statement of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimStatement {
    /// `P iff …`, and the same for other outcomes.
    Outcome {
        class: Class,
        /// `consistent`: the labelling is a kernel of the move digraph, which may
        /// have other kernels.
        consistent: bool,
        up_to_symmetry: bool,
        direction: Direction,
        condition: Expr,
    },
    Grundy(Expr),
    /// `P by pairing a with A, …`
    Pairing(Vec<(Spanned<Entry>, Spanned<Entry>)>),
    /// `N wins by (a - 1, b) if a > b`
    WinsBy {
        /// `let m = a ^ b in`, which all sizes may use.
        names: Vec<(Name, Expr)>,
        /// The sizes after the move.
        option: Spanned<Vec<Expr>>,
        condition: Option<Expr>,
    },
    Period {
        period: Expr,
        from: Expr,
        saltus: Option<Expr>,
        kind: Option<Name>,
    },
    /// `same as circular_nim(n = 6, k = 2) where …`, or `same outcome as nim under (a, b)`
    SameAs {
        agreement: Agreement,
        game: Name,
        settings: Vec<(Name, Expr)>,
        /// `under (…)`: the image of a position, in braces or gathered.
        map: Option<Expr>,
        condition: Option<Expr>,
    },
    /// `cogame`, or `cogame P iff …` of one labelling.
    Cogame(Option<(Class, Expr)>),
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

/// An example: a position with its expected answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub condition: Option<Expr>,
    pub misere: bool,
    pub position: Position,
    pub verdict: Verdict,
}

/// The expected answer of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Is(Class),
    HasGrundy(Expr),
    /// `wins by (1,4,5)`; with `only` by no other move.
    WinsBy {
        options: Vec<Position>,
        only: bool,
    },
    /// `has 3 winning moves`
    WinningMoves(Expr),
    Loses,
    /// `play POSITION to …`: each position is an option of the one before.
    Play(Vec<Position>),
}

/// A position with its place.
pub type Position = Spanned<PositionForm>;

/// The notation of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionForm {
    Tuple(Vec<Entry>),
    Named(Vec<(HeapRef, Expr)>),
    /// `{3,4,5}`
    Multiset(Vec<Entry>),
    /// `ring 7 row 3`
    Kinds(Vec<(Name, Expr)>),
    /// `all 1`
    All(Expr),
    /// `(3,4; last 2)`, `all 1 last=2`, `{3,4} last=2`: heaps, and states by their names.
    WithStates(Box<PositionForm>, Vec<(HeapRef, Expr)>),
}

/// An entry of a position, or a vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Number(Expr),
    /// A vertex by its coordinates.
    Coordinates(Spanned<Vec<Expr>>),
}

/// The form of an expression. Kinds are not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    Number(i64),
    Truth(bool),
    Name(String),
    /// `heaps`
    Heaps,
    /// `tokens`
    Tokens,
    /// `heaps left of x`
    HeapsBeside(Box<Place>),
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
        indices: Vec<Expr>,
    },
    /// `t.r`: a coordinate of a token's vertex, or of a heap.
    Field {
        name: Name,
        field: Name,
    },
    /// `{1, 3, 4}`
    Braces(Vec<Expr>),
    /// `(1, 3, 1)`: a list, the value of a parameter.
    Tuple(Vec<Expr>),
    /// `{i * i for i in 1..5 where i != 2}`
    Gathered {
        value: Box<Expr>,
        generator: Generator,
    },
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
    /// `a == b <= c in S`: every two neighbours are compared.
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
    /// `x touches y`
    Touches {
        left: Box<Expr>,
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
    Joined(Box<Joined>),
}

/// `joined(x, {a b} through v in heaps where v > 0)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    pub from: PathEnd,
    pub to: PathEnd,
    /// `v in heaps`
    pub through: (Name, Expr),
    pub condition: Option<Expr>,
}

/// The heaps at an end of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathEnd {
    Named(HeapRef),
    Set(Spanned<HeapSet>),
}

impl Joined {
    fn children(&self) -> Vec<&Expr> {
        let mut parts: Vec<&Expr> = Vec::new();
        for end in [&self.from, &self.to] {
            match end {
                PathEnd::Named(heap) => parts.extend(&heap.indices),
                PathEnd::Set(set) => match &set.node {
                    HeapSet::Listed(heaps) => {
                        parts.extend(heaps.iter().flat_map(|heap| &heap.indices));
                    }
                    HeapSet::Those {
                        among, condition, ..
                    } => parts.extend([&**among, &**condition]),
                },
            }
        }
        parts.push(&self.through.1);
        parts.extend(&self.condition);
        parts
    }
}

impl ExprKind {
    /// The expressions that an expression consists of.
    pub fn children(&self) -> Vec<&Expr> {
        let mut parts: Vec<&Expr> = Vec::new();
        match self {
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Name(_)
            | ExprKind::Heaps
            | ExprKind::Tokens
            | ExprKind::HeapsBeside(_)
            | ExprKind::Total
            | ExprKind::Each
            | ExprKind::Squares
            | ExprKind::Field { .. } => {}
            ExprKind::Powers(one)
            | ExprKind::HeapAt(one)
            | ExprKind::Negate(one)
            | ExprKind::Not(one)
            | ExprKind::Is { left: one, .. }
            | ExprKind::Touches { left: one, .. } => parts.push(one),
            ExprKind::Braces(all)
            | ExprKind::Tuple(all)
            | ExprKind::Indexed { indices: all, .. } => parts.extend(all),
            ExprKind::Gathered { value, generator } => {
                parts.push(value);
                parts.extend(generator.children());
            }
            ExprKind::Range { low, high } => {
                parts.push(low);
                parts.extend(high.as_deref());
            }
            ExprKind::Binary { left, right, .. } => parts.extend([&**left, &**right]),
            ExprKind::Compare { first, rest } => {
                parts.push(first);
                parts.extend(rest.iter().map(|(_, expr)| expr));
            }
            ExprKind::Call {
                arguments,
                generator,
                ..
            } => {
                parts.extend(arguments);
                if let Some(generator) = generator {
                    parts.extend(generator.children());
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => parts.extend([&**condition, &**then, &**otherwise]),
            ExprKind::Let { value, body, .. } => parts.extend([&**value, &**body]),
            ExprKind::Quantified { binders, body, .. } => {
                parts.extend(binders.iter().map(|(_, over)| over));
                parts.push(body);
            }
            ExprKind::Like { form, condition } => {
                parts.extend(form);
                parts.extend(condition.as_deref());
            }
            ExprKind::Joined(joined) => parts.extend(joined.children()),
        }
        parts
    }
}

impl Generator {
    /// The set and the condition.
    fn children(&self) -> impl Iterator<Item = &Expr> {
        let over = self.binder.iter().map(|(_, over)| &**over);
        over.chain(self.condition.as_deref())
    }
}

/// The generator of `sum(VALUE for x in LIST where COND)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    /// `for x in LIST`; absent in `count(x in LIST where COND)`, where it is the
    /// argument.
    pub binder: Option<(Name, Box<Expr>)>,
    pub condition: Option<Box<Expr>>,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    NimSum,
    Power,
    And,
    Or,
    Implies,
}

/// A comparison operator.
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

/// A built-in function.
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
    Gcd,
    Lcm,
    Abs,
    Size,
    Index,
    Neighbours,
    Components,
    Divisors,
    Triangular,
    Wythoff,
    /// `beatty(n, p, q, d, r)`
    Beatty,
    /// A function of a fixed number of numbers.
    Builtin(Builtin),
}
