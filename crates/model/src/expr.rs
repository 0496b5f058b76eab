//! Typed expression trees, with resolved names, of the conditions of a rule and
//! the statements of claims.
//!
//! The types of the language are Rust types, so that every tree is well typed:
//! a [`Num`] is an integer, a [`Bool`] a condition, a [`List`] a finite list of
//! integers, a [`Set`] a finite or infinite set of integers.
//!
//! - [`eval`]: evaluation at a position.
//! - [`bounds`]: interval analysis.
//! - [`total`]: whether an expression always has a value.
//! - [`solve`]: comparisons solved for an unknown.
//! - [`replace`]: substitution of numbers.
//! - [`Part`]: traversal of the subexpressions.

pub mod bounds;
#[doc(hidden)]
pub mod builtin;
mod connection;
pub mod eval;
mod named_set;
pub mod replace;
pub mod solve;
pub mod total;

pub use builtin::{Builtin, beatty_by_roots, beatty_constants, operands};
pub use eval::{Environment, Fault, PlacedFault};
pub use named_set::NamedSet;

use crate::source::Spanned;
pub use nimrule_board::HeapId;
use nimrule_board::shrinking::ShrinkingBoard;
use smallvec::SmallVec;
use std::sync::Arc;

/// An expression with its span in the text.
pub type Expr<T> = Spanned<T>;

/// A local variable: the index of a number bound by `take t`, `for some x`,
/// `let`, a quantifier or a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The index of a selection: the heaps that a step selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pick(pub u32);

impl Pick {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The heaps of one selection, ascending.
pub type Picked = SmallVec<[HeapId; 8]>;

/// An integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Num {
    /// A constant.
    Const(i64),
    /// The size of a heap.
    Heap(HeapId),
    /// The size of `heaps[index]`, counted from `first`.
    HeapAt {
        /// The heaps that the index selects from.
        heaps: Vec<HeapId>,
        /// The index of the first of them.
        first: i64,
        /// The index.
        index: Box<Expr<Num>>,
    },
    /// The value of a local variable.
    Local(Slot),
    /// The size of the single heap of a selection.
    SizeOf(Pick),
    /// The number of the single heap of a selection, the first heap being 1.
    IndexOf(Pick),
    /// The number of tokens that the current step takes, summed over its heaps.
    Total,
    /// The number times -1.
    Negate(Box<Expr<Num>>),
    /// The operator applied to two numbers.
    Binary(Arithmetic, Box<Expr<Num>>, Box<Expr<Num>>),
    /// The first number if the condition holds, else the second.
    If(Box<Expr<Bool>>, Box<Expr<Num>>, Box<Expr<Num>>),
    /// The second number, evaluated with the slot bound to the first.
    Let(Slot, Box<Expr<Num>>, Box<Expr<Num>>),
    /// The list reduced to one number.
    Fold(Fold, Expr<List>),
    /// The sum without carry: the digits in base `base` are added at each place
    /// modulo `modulus`. With 2 for both it is the nim-sum, [`Num::nim_sum`].
    Carryless {
        /// The base, at least 2.
        base: Box<Expr<Num>>,
        /// The numbers to be added.
        list: Expr<List>,
        /// The modulus, at least 1.
        modulus: Box<Expr<Num>>,
    },
    /// The function applied to as many numbers as it takes.
    Apply(Builtin, Vec<Expr<Num>>),
    /// The number of connected components of a region of the board.
    Components(Box<Region>),
}

/// A binary arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient, rounded towards minus infinity.
    Divide,
    /// The remainder, from 0 to the divisor - 1.
    Modulo,
    /// The greatest common divisor, at least 0; 0 of two zeros.
    Gcd,
    /// The power, for an exponent of at least 0; the power 0 of any number is 1.
    Power,
}

/// An operator that reduces a list to one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The largest member; the list must not be empty.
    Max,
    /// The smallest member; the list must not be empty.
    Min,
    /// The sum.
    Sum,
    /// The number of members.
    Count,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bool {
    /// A constant.
    Const(bool),
    /// A comparison of two numbers.
    Compare(Order, Expr<Num>, Expr<Num>),
    /// The number is a member of the set.
    In(Expr<Num>, Expr<Set>),
    /// All conditions hold; they are evaluated from the first to the last, until one fails.
    And(Vec<Expr<Bool>>),
    /// Some condition holds; they are evaluated from the first to the last, until one holds.
    Or(Vec<Expr<Bool>>),
    /// The condition does not hold.
    Not(Box<Expr<Bool>>),
    /// The second condition if the first holds, else the third.
    If(Box<Expr<Bool>>, Box<Expr<Bool>>, Box<Expr<Bool>>),
    /// The condition, evaluated with the slot bound to the number.
    Let(Slot, Expr<Num>, Box<Expr<Bool>>),
    /// A condition on the members of a set.
    Quantified {
        /// Whether all members or some member must satisfy it.
        quantifier: Quantifier,
        /// The slot that is bound to the member.
        slot: Slot,
        /// The set.
        set: Expr<Set>,
        /// The condition on the member.
        body: Box<Expr<Bool>>,
    },
    /// The condition holds for the number taken from each heap, bound to the
    /// slot.
    Each(Slot, Box<Expr<Bool>>),
    /// The members of a list are pairwise different.
    Distinct(Expr<List>),
    /// Two selections are the same set of heaps.
    Same(Pick, Pick),
    /// Some image of the position matches a form.
    Like(Box<Like>),
    /// A path of neighbouring heaps of a region leads from one set of heaps to another.
    Joined(Box<Joined>),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `=`.
    Equal,
    /// `≠`.
    NotEqual,
    /// `<`.
    Less,
    /// `≤`.
    AtMost,
}

impl Order {
    /// Whether the comparison holds of two numbers.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Order::Equal => left == right,
            Order::NotEqual => left != right,
            Order::Less => left < right,
            Order::AtMost => left <= right,
        }
    }
}

/// A quantifier over the members of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Some member satisfies the condition.
    Exists,
    /// Every member satisfies the condition.
    Forall,
}

/// A finite list of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    /// The sizes of these heaps, in this order.
    Heaps(Vec<HeapId>),
    /// The sizes of the heaps of a multiset, of some kinds.
    Multiset(OfKind),
    /// These numbers.
    Items(Vec<Expr<Num>>),
    /// The list in ascending order.
    Sorted(Box<Expr<List>>),
    /// The sizes of the heaps of a selection.
    Picked(Pick),
    /// The amounts that the current step takes from the heaps it selected.
    Amounts,
    /// The sizes of the heaps in `lists[index]`, counted from 1: a member of a
    /// family, or the neighbours of a heap.
    At {
        /// The heaps of each member, in ascending order of the index.
        lists: Arc<[Vec<HeapId>]>,
        /// The index.
        index: Box<Expr<Num>>,
    },
    /// `value for slot in over where condition`
    Gathered {
        /// The slot that is bound to each member of `over`, one after another.
        slot: Slot,
        /// The finite set of values of the slot.
        over: Box<Expr<Set>>,
        /// The number that is gathered.
        value: Box<Expr<Num>>,
        /// The condition that a member of `over` must satisfy; all of them if absent.
        condition: Option<Box<Expr<Bool>>>,
    },
    /// The members of a finite set, in its order.
    Members(Box<Expr<Set>>),
}

/// A set of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// From `low` to `high`, both included; infinite if there is no `high`.
    Range(Expr<Num>, Option<Expr<Num>>),
    /// These numbers. Unlike those of a list they are evaluated one after another, as
    /// `x == a or x == b`: what follows an equal one needs no value.
    Items(Vec<Expr<Num>>),
    /// A set that has a name.
    Named(NamedSet),
    /// 1, k, k², … for a base k of at least 2.
    Powers(Expr<Num>),
    /// The members of a list.
    List(Expr<List>),
}

/// A region of the board: the heaps that satisfy a condition, with the adjacency of their
/// cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The neighbours of every heap of the game.
    pub neighbours: Arc<[Vec<HeapId>]>,
    /// The heaps that may belong to the region, ascending.
    pub heaps: Vec<HeapId>,
    /// The local variable that is bound to the number of a heap, the first being 1.
    pub slot: Slot,
    /// The condition that a heap must satisfy; all of them if absent. It is evaluated for
    /// every heap, in ascending order.
    pub condition: Option<Expr<Bool>>,
}

/// `joined(x, y through v in heaps where C)`: whether a path of neighbouring heaps of a
/// region begins in one set of heaps and ends in another. A single heap is a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The heaps of which one begins the path.
    pub from: HeapSet,
    /// The heaps of which one ends the path.
    pub to: HeapSet,
    /// The heaps of the path.
    pub through: Region,
}

/// A set of heaps, by themselves and not by their sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapSet {
    /// These heaps.
    These(Vec<HeapId>),
    /// The heaps of a selection.
    Picked(Pick),
    /// The heaps of `lists[index]`, counted from 1.
    At {
        /// The sets.
        lists: Arc<[Vec<HeapId>]>,
        /// The index.
        index: Box<Expr<Num>>,
    },
}

impl Joined {
    /// Both sets of heaps.
    pub fn ends(&self) -> [&HeapSet; 2] {
        [&self.from, &self.to]
    }
}

impl HeapSet {
    /// The index, if the set depends on one.
    pub fn index(&self) -> Option<&Expr<Num>> {
        match self {
            HeapSet::These(_) | HeapSet::Picked(_) => None,
            HeapSet::At { index, .. } => Some(index),
        }
    }
}

/// A form, `like`: a pattern that some image of the position must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// The pattern of each heap.
    pub entries: Vec<Entry>,
    /// The order in which entries are matched: names alone first, then entries
    /// that can be solved for a name.
    pub order: Vec<usize>,
    /// A condition on the names bound.
    pub condition: Option<Expr<Bool>>,
    /// The images of the position that are compared with the pattern.
    pub images: Images,
}

/// One entry of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Binds the heap's size to a name.
    Bind(Slot),
    /// The heap's size equals the number.
    Equals(Expr<Num>),
    /// The heap's size is `coefficient * slot + rest`, which is solved for the
    /// slot. `rest` is `value` evaluated with 0 in the slot.
    Solve {
        /// The slot to solve for.
        slot: Slot,
        /// The coefficient, not 0.
        coefficient: i64,
        /// The whole entry.
        value: Expr<Num>,
    },
}

/// The images of a position with which a form is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// The images under the symmetries of board and rule.
    Symmetries,
    /// The remaining heaps of a shrinking board, read forwards and backwards,
    /// and on a circle starting at each heap; after them the other heaps in
    /// their order.
    Remaining(ShrinkingBoard),
    /// The heaps of a multiset, of these kinds, in any order.
    Multiset(OfKind),
}

/// Kinds of heaps of a multiset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfKind {
    /// Every kind.
    Any,
    /// One kind.
    Only(usize),
    /// The first kinds, so many: those of heaps, where others are states.
    First(usize),
}

impl OfKind {
    /// Whether the kind of a heap is one of these. Heaps of a game with a single kind have
    /// none.
    pub fn has(self, kind: Option<usize>) -> bool {
        match self {
            OfKind::Any => true,
            OfKind::Only(only) => kind == Some(only),
            OfKind::First(kinds) => kind.is_some_and(|kind| kind < kinds),
        }
    }
}

impl Num {
    /// The nim-sum: bitwise exclusive or.
    pub fn nim_sum(list: Expr<List>) -> Num {
        let two = || Box::new(Num::Const(2).into());
        Num::Carryless {
            base: two(),
            list,
            modulus: two(),
        }
    }

    /// The value, if the expression is a constant.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Num::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether the number is at most the local variable or at most 0, which follows
    /// from its form: a constant, the variable, or a minimum with one of them.
    pub fn is_at_most(&self, slot: Slot) -> bool {
        match self {
            Num::Const(value) => *value <= 0,
            Num::Local(local) => *local == slot,
            Num::Fold(Fold::Min, list) => match &list.node {
                List::Items(items) => items.iter().any(|item| item.is_at_most(slot)),
                _ => false,
            },
            Num::If(_, then, otherwise) => then.is_at_most(slot) && otherwise.is_at_most(slot),
            _ => false,
        }
    }

    /// The slot, if the expression is a local variable.
    pub fn local(&self) -> Option<Slot> {
        match self {
            Num::Local(slot) => Some(*slot),
            _ => None,
        }
    }
}

impl Expr<Bool> {
    /// The conjuncts of the condition, nested conjunctions flattened.
    pub fn conjuncts(&self) -> Vec<&Expr<Bool>> {
        match &self.node {
            Bool::And(parts) => parts.iter().flat_map(Expr::conjuncts).collect(),
            _ => vec![self],
        }
    }
}

/// A subexpression of any type, for traversals.
#[derive(Debug, Clone, Copy)]
pub enum Part<'e> {
    /// A number.
    Num(&'e Num),
    /// A condition.
    Bool(&'e Bool),
    /// A list.
    List(&'e List),
    /// A set.
    Set(&'e Set),
}

/// The heaps whose sizes a part of an expression may read itself.
#[derive(Debug, Clone, Copy)]
pub enum Reads<'e> {
    /// These heaps, or some of them.
    Heaps(&'e [HeapId]),
    /// The heaps of one of these lists.
    Lists(&'e [Vec<HeapId>]),
    /// Heaps of a selection.
    Selected,
    /// All heaps.
    All,
}

impl Reads<'_> {
    /// The heaps, each perhaps several times; `None` if they depend on a selection or
    /// are all heaps.
    pub fn heaps(&self) -> Option<impl Iterator<Item = HeapId>> {
        let (heaps, lists): (&[HeapId], &[Vec<HeapId>]) = match self {
            Reads::Heaps(heaps) => (heaps, &[]),
            Reads::Lists(lists) => (&[], lists),
            Reads::Selected | Reads::All => return None,
        };
        Some(heaps.iter().chain(lists.iter().flatten()).copied())
    }
}

impl<'e> Part<'e> {
    /// A number as a part, with its span.
    pub fn num(num: &'e Expr<Num>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Num(num), num.span)
    }

    /// A condition as a part, with its span.
    pub fn bool(condition: &'e Expr<Bool>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Bool(condition), condition.span)
    }

    /// A list as a part, with its span.
    pub fn list(list: &'e Expr<List>) -> Spanned<Part<'e>> {
        Spanned::new(Part::List(list), list.span)
    }

    /// A set as a part, with its span.
    pub fn set(set: &'e Expr<Set>) -> Spanned<Part<'e>> {
        Spanned::new(Part::Set(set), set.span)
    }

    /// The direct subexpressions.
    pub fn children(self) -> impl Iterator<Item = Part<'e>> {
        self.spanned_children().into_iter().map(|child| child.node)
    }

    /// The direct subexpressions with their spans.
    pub fn spanned_children(self) -> Vec<Spanned<Part<'e>>> {
        match self {
            Part::Num(num) => match num {
                Num::Const(_)
                | Num::Heap(_)
                | Num::Local(_)
                | Num::SizeOf(_)
                | Num::IndexOf(_)
                | Num::Total => Vec::new(),
                Num::HeapAt { index, .. } => vec![Part::num(index)],
                Num::Negate(inner) => vec![Part::num(inner)],
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
                Num::Apply(_, arguments) => arguments.iter().map(Part::num).collect(),
                Num::Components(region) => region.condition.iter().map(Part::bool).collect(),
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
                Bool::Joined(joined) => (joined.ends().into_iter())
                    .filter_map(HeapSet::index)
                    .map(Part::num)
                    .chain(joined.through.condition.iter().map(Part::bool))
                    .collect(),
            },
            Part::List(list) => match list {
                List::Heaps(_) | List::Multiset(_) | List::Picked(_) | List::Amounts => Vec::new(),
                List::Items(items) => items.iter().map(Part::num).collect(),
                List::Sorted(inner) => vec![Part::list(inner)],
                List::Members(set) => vec![Part::set(set)],
                List::At { index, .. } => vec![Part::num(index)],
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
                Set::Named(_) => Vec::new(),
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

    /// Whether this part or one of its subexpressions satisfies `test`.
    pub fn any(self, test: &mut dyn FnMut(Part<'e>) -> bool) -> bool {
        test(self) || self.children().any(|child| child.any(test))
    }

    /// The heaps whose sizes this part may read itself, its subexpressions aside.
    pub fn own_reads(self) -> Reads<'e> {
        match self {
            Part::Num(num) => match num {
                Num::Heap(heap) => Reads::Heaps(std::slice::from_ref(heap)),
                Num::HeapAt { heaps, .. } => Reads::Heaps(heaps),
                Num::SizeOf(_) => Reads::Selected,
                Num::Const(_)
                | Num::Local(_)
                | Num::IndexOf(_)
                | Num::Total
                | Num::Negate(_)
                | Num::Binary(..)
                | Num::If(..)
                | Num::Let(..)
                | Num::Fold(..)
                | Num::Carryless { .. }
                | Num::Components(_)
                | Num::Apply(..) => Reads::Heaps(&[]),
            },
            Part::Bool(condition) => match condition {
                Bool::Like(_) => Reads::All,
                Bool::Const(_)
                | Bool::Compare(..)
                | Bool::In(..)
                | Bool::And(_)
                | Bool::Or(_)
                | Bool::Not(_)
                | Bool::If(..)
                | Bool::Let(..)
                | Bool::Quantified { .. }
                | Bool::Each(..)
                | Bool::Distinct(_)
                | Bool::Joined(_)
                | Bool::Same(..) => Reads::Heaps(&[]),
            },
            Part::List(list) => match list {
                List::Heaps(heaps) => Reads::Heaps(heaps),
                List::At { lists, .. } => Reads::Lists(lists),
                List::Multiset(_) => Reads::All,
                List::Picked(_) => Reads::Selected,
                List::Items(_)
                | List::Sorted(_)
                | List::Amounts
                | List::Gathered { .. }
                | List::Members(_) => Reads::Heaps(&[]),
            },
            Part::Set(set) => match set {
                Set::Range(..) | Set::Items(_) | Set::Named(_) | Set::Powers(_) | Set::List(_) => {
                    Reads::Heaps(&[])
                }
            },
        }
    }

    /// Whether the expression reads sizes of heaps, other than those of a
    /// selection.
    pub fn reads_heaps(self) -> bool {
        self.any(&mut |part| match part.own_reads() {
            Reads::Heaps(heaps) => !heaps.is_empty(),
            Reads::Lists(_) | Reads::All => true,
            Reads::Selected => false,
        })
    }

    /// Whether the expression reads the size of any heap.
    pub fn reads_position(self) -> bool {
        self.any(&mut |part| !matches!(part.own_reads(), Reads::Heaps([])))
    }

    /// Whether the expression reads the amounts that the current step takes.
    pub fn reads_amounts(self) -> bool {
        self.any(&mut |part| {
            matches!(
                part,
                Part::Num(Num::Total) | Part::List(List::Amounts) | Part::Bool(Bool::Each(..))
            )
        })
    }

    /// Whether the expression reads a local variable.
    pub fn reads_local(self, slot: Slot) -> bool {
        self.any(&mut |part| matches!(part, Part::Num(Num::Local(s)) if *s == slot))
    }
}
