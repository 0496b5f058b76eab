//! Expressions whose names and kinds are settled: what a rule's conditions
//! and a claim's statement mean.
//!
//! The kinds are types here, so that an expression that exists makes sense:
//! a [`Num`] is an integer, a [`Bool`] a condition, a [`List`] a finite row of
//! integers, a [`Set`] a set of integers that may have no end. They stay
//! trees: an engine may evaluate them ([`eval`]), bound them ([`bounds`]), ask
//! whether they always have a value ([`total`]), solve them for a number
//! ([`solve`]), read what they touch ([`Part`]) or put other numbers in them
//! ([`replace`]).

pub mod bounds;
pub mod eval;
pub mod replace;
pub mod solve;
pub mod total;

pub use eval::{Fault, PlacedFault, Scene};

use crate::board::shrinking::ShrinkingBoard;
use crate::source::Spanned;
use smallvec::SmallVec;

/// An expression with the place where it is written.
pub type Expr<T> = Spanned<T>;

/// A heap of the game: its place in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeapId(pub u16);

impl HeapId {
    pub fn new(index: usize) -> HeapId {
        HeapId(u16::try_from(index).expect("the checker bounds the number of heaps"))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A place for a number bound by `take t`, `for some x`, `let`, a quantifier
/// or a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place for the heaps that a step selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pick(pub u32);

impl Pick {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The heaps of one selection, in ascending order.
pub type Picked = SmallVec<[HeapId; 8]>;

/// An integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Num {
    Const(i64),
    /// The size of a heap.
    Heap(HeapId),
    /// The size of `heaps[index]`, counted from `first`.
    HeapAt {
        heaps: Vec<HeapId>,
        first: i64,
        index: Box<Expr<Num>>,
    },
    Local(Slot),
    /// The size of the one heap picked.
    SizeOf(Pick),
    /// The tokens taken in this step, all heaps together.
    Total,
    Negate(Box<Expr<Num>>),
    Binary(Arithmetic, Box<Expr<Num>>, Box<Expr<Num>>),
    If(Box<Expr<Bool>>, Box<Expr<Num>>, Box<Expr<Num>>),
    Let(Slot, Box<Expr<Num>>, Box<Expr<Num>>),
    Fold(Fold, Expr<List>),
    /// The digits of each column in base `base`, added mod `modulus`.
    Carryless {
        base: Box<Expr<Num>>,
        list: Expr<List>,
        modulus: Box<Expr<Num>>,
    },
    /// The digit of `base^index` in `value`.
    Digit {
        base: Box<Expr<Num>>,
        index: Box<Expr<Num>>,
        value: Box<Expr<Num>>,
    },
    /// The largest integer whose square is at most this.
    Isqrt(Box<Expr<Num>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    /// Rounds towards minus infinity.
    Divide,
    /// In `0..divisor`.
    Modulo,
    NimSum,
}

/// One number from a row of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    Max,
    Min,
    Sum,
    Xor,
    Count,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bool {
    Const(bool),
    Compare(Order, Expr<Num>, Expr<Num>),
    In(Expr<Num>, Expr<Set>),
    And(Vec<Expr<Bool>>),
    Or(Vec<Expr<Bool>>),
    Not(Box<Expr<Bool>>),
    If(Box<Expr<Bool>>, Box<Expr<Bool>>, Box<Expr<Bool>>),
    Let(Slot, Expr<Num>, Box<Expr<Bool>>),
    Quantified {
        quantifier: Quantifier,
        slot: Slot,
        set: Expr<Set>,
        body: Box<Expr<Bool>>,
    },
    /// The same condition for the number taken from each heap.
    Each(Slot, Box<Expr<Bool>>),
    Distinct(Expr<List>),
    /// Do both picks name the same heaps?
    Same(Pick, Pick),
    Like(Box<Like>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Equal,
    NotEqual,
    Less,
    AtMost,
}

impl Order {
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Order::Equal => left == right,
            Order::NotEqual => left != right,
            Order::Less => left < right,
            Order::AtMost => left <= right,
        }
    }
}

/// How many members of a set a condition is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    Forall,
}

/// A finite row of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    Heaps(Vec<HeapId>),
    /// The heaps of a bag, of one kind if one is named.
    Bag(Option<usize>),
    Items(Vec<Expr<Num>>),
    Sorted(Box<Expr<List>>),
    /// The sizes of the heaps picked.
    Picked(Pick),
    /// The numbers taken in this step, heap by heap.
    Amounts,
    /// `value for slot in over where condition`
    Gathered {
        slot: Slot,
        over: Box<Expr<Set>>,
        value: Box<Expr<Num>>,
        condition: Option<Box<Expr<Bool>>>,
    },
    /// The members of a finite set, in its order.
    Members(Box<Expr<Set>>),
}

/// A set of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// From `low` to `high`, both included; without end if there is no `high`.
    Range(Expr<Num>, Option<Expr<Num>>),
    Items(Vec<Expr<Num>>),
    /// 0, 1, 4, 9, …
    Squares,
    /// 1, k, k², … for a base k of at least 2.
    Powers(Expr<Num>),
    List(Expr<List>),
}

/// Some image of the position under a symmetry has this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// What is asked of each heap, in the form's order.
    pub entries: Vec<Entry>,
    /// The order in which the entries can be met: names that stand alone
    /// first, then what can be solved.
    pub order: Vec<usize>,
    pub condition: Option<Expr<Bool>>,
    pub images: Images,
}

/// One entry of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The heap's size is given this name.
    Bind(Slot),
    /// The heap's size equals this.
    Equals(Expr<Num>),
    /// The heap's size is `coefficient * slot + rest`, where `rest` is what
    /// `value` is when the slot holds 0.
    Solve {
        slot: Slot,
        coefficient: i64,
        value: Expr<Num>,
    },
}

/// Which images of a position a form is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Under the symmetries of board and rule.
    Symmetries,
    /// The heaps that are left on a shrinking board, forwards and backwards
    /// from every heap of a circle; after them the heaps beside the board, in
    /// their order.
    Left(ShrinkingBoard),
    /// The heaps of a bag in any order.
    Bag,
}

impl Num {
    /// The constant that it is.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Num::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// The local number that it is.
    pub fn local(&self) -> Option<Slot> {
        match self {
            Num::Local(slot) => Some(*slot),
            _ => None,
        }
    }
}

impl Expr<Bool> {
    /// The conditions of which this one is the conjunction, in their order.
    pub fn conjuncts(&self) -> Vec<&Expr<Bool>> {
        match &self.node {
            Bool::And(parts) => parts.iter().flat_map(Expr::conjuncts).collect(),
            _ => vec![self],
        }
    }
}

/// A part of an expression, for questions about what it touches.
#[derive(Debug, Clone, Copy)]
pub enum Part<'e> {
    Num(&'e Num),
    Bool(&'e Bool),
    List(&'e List),
    Set(&'e Set),
}

impl<'e> Part<'e> {
    /// A number as a part, with its place.
    pub fn num(num: &'e Expr<Num>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Num(num), num.span)
    }

    /// A condition as a part, with its place.
    pub fn bool(condition: &'e Expr<Bool>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Bool(condition), condition.span)
    }

    /// A list as a part, with its place.
    pub fn list(list: &'e Expr<List>) -> Spanned<Part<'e>> {
        Spanned::new(Part::List(list), list.span)
    }

    /// A set as a part, with its place.
    pub fn set(set: &'e Expr<Set>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Set(set), set.span)
    }

    /// The parts directly below this one.
    pub fn children(self) -> impl Iterator<Item = Part<'e>> {
        self.placed_children().into_iter().map(|child| child.node)
    }

    /// The same with their places.
    pub fn placed_children(self) -> Vec<Spanned<Part<'e>>> {
        match self {
            Part::Num(num) => match num {
                Num::Const(_) | Num::Heap(_) | Num::Local(_) | Num::SizeOf(_) | Num::Total => {
                    Vec::new()
                }
                Num::HeapAt { index, .. } => vec![Part::num(index)],
                Num::Negate(inner) | Num::Isqrt(inner) => vec![Part::num(inner)],
                Num::Binary(_, left, right) => vec![Part::num(left), Part::num(right)],
                Num::If(condition, then, otherwise) => {
                    vec![Part::bool(condition), Part::num(then), Part::num(otherwise)]
                }
                Num::Let(_, value, body) => vec![Part::num(value), Part::num(body)],
                Num::Fold(_, list) => vec![Part::list(list)],
                Num::Carryless {
                    base,
                    list,
                    modulus,
                } => {
                    vec![Part::num(base), Part::list(list), Part::num(modulus)]
                }
                Num::Digit { base, index, value } => {
                    vec![Part::num(base), Part::num(index), Part::num(value)]
                }
            },
            Part::Bool(condition) => match condition {
                Bool::Const(_) | Bool::Same(..) => Vec::new(),
                Bool::Compare(_, left, right) => vec![Part::num(left), Part::num(right)],
                Bool::In(num, set) => vec![Part::num(num), Part::set(set)],
                Bool::And(all) | Bool::Or(all) => all.iter().map(Part::bool).collect(),
                Bool::Not(inner) | Bool::Each(_, inner) => vec![Part::bool(inner)],
                Bool::If(condition, then, otherwise) => {
                    vec![
                        Part::bool(condition),
                        Part::bool(then),
                        Part::bool(otherwise),
                    ]
                }
                Bool::Let(_, value, body) => vec![Part::num(value), Part::bool(body)],
                Bool::Quantified { set, body, .. } => vec![Part::set(set), Part::bool(body)],
                Bool::Distinct(list) => vec![Part::list(list)],
                Bool::Like(like) => like
                    .entries
                    .iter()
                    .filter_map(|entry| match entry {
                        Entry::Bind(_) => None,
                        Entry::Equals(value) | Entry::Solve { value, .. } => Some(Part::num(value)),
                    })
                    .chain(like.condition.iter().map(Part::bool))
                    .collect(),
            },
            Part::List(list) => match list {
                List::Heaps(_) | List::Bag(_) | List::Picked(_) | List::Amounts => Vec::new(),
                List::Items(items) => items.iter().map(Part::num).collect(),
                List::Sorted(inner) => vec![Part::list(inner)],
                List::Members(set) => vec![Part::set(set)],
                List::Gathered {
                    over,
                    value,
                    condition,
                    ..
                } => {
                    let mut parts = vec![Part::set(over), Part::num(value)];
                    parts.extend(condition.iter().map(|c| Part::bool(c)));
                    parts
                }
            },
            Part::Set(set) => match set {
                Set::Squares => Vec::new(),
                Set::Range(low, high) => {
                    let mut parts = vec![Part::num(low)];
                    parts.extend(high.iter().map(Part::num));
                    parts
                }
                Set::Items(items) => items.iter().map(Part::num).collect(),
                Set::Powers(base) => vec![Part::num(base)],
                Set::List(list) => vec![Part::list(list)],
            },
        }
    }

    /// Does this part or one below it satisfy `test`?
    pub fn any(self, test: &mut dyn FnMut(Part<'e>) -> bool) -> bool {
        test(self) || self.children().any(|child| child.any(test))
    }

    /// Does the expression look at the sizes of heaps (other than a picked one)?
    pub fn reads_heaps(self) -> bool {
        self.any(&mut |part| {
            matches!(
                part,
                Part::Num(Num::Heap(_) | Num::HeapAt { .. })
                    | Part::List(List::Heaps(_) | List::Bag(_))
                    | Part::Bool(Bool::Like(_))
            )
        })
    }

    /// Does the expression look at the size of any heap at all?
    pub fn reads_position(self) -> bool {
        self.reads_heaps()
            || self.any(&mut |part| {
                matches!(
                    part,
                    Part::Num(Num::SizeOf(_)) | Part::List(List::Picked(_))
                )
            })
    }

    /// Does the expression look at what this step takes?
    pub fn reads_amounts(self) -> bool {
        self.any(&mut |part| {
            matches!(
                part,
                Part::Num(Num::Total) | Part::List(List::Amounts) | Part::Bool(Bool::Each(..))
            )
        })
    }

    pub fn reads_local(self, slot: Slot) -> bool {
        self.any(&mut |part| matches!(part, Part::Num(Num::Local(s)) if *s == slot))
    }

    pub fn reads_any_local(self) -> bool {
        self.any(&mut |part| matches!(part, Part::Num(Num::Local(_))))
    }
}
