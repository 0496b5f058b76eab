//! A rule that makes sense: what the checker hands on.
//!
//! Everything is resolved, and everything is still symbolic: moves and claims
//! are trees over heaps and slots, so that they can be run, bounded, drawn and
//! proved about. The parameters have their values; another value is another
//! `Game` from the same text.

use crate::board::Board;
use crate::board::symmetry::Symmetries;
use crate::expr::{Bool, HeapId, Num, Pick, Set, Slot};
use crate::source::Span;
use crate::syntax::ast::{Class, Direction, Side};

/// A checked game at given values of its parameters.
#[derive(Debug, Clone)]
pub struct Game {
    pub name: String,
    pub title: Option<String>,
    pub sources: Vec<String>,
    pub notes: Vec<String>,
    pub params: Vec<(String, ParamValue)>,
    pub board: Option<Board>,
    /// One line on where the heaps are, `a heap on each face: a b c A B C`.
    pub heaps_line: String,
    /// The heaps or tokens by name; none in a bag.
    pub heap_names: Vec<String>,
    pub field: Field,
    pub moves: Vec<Move>,
    /// `positions may repeat`: play need not end.
    pub may_repeat: bool,
    /// What every position reached must satisfy.
    pub positions: Option<Bool>,
    pub suggest_max: Option<u64>,
    pub start: Option<Vec<u64>>,
    pub claims: Vec<Claim>,
    pub examples: Vec<Example>,
    pub symmetries: Symmetries,
    pub ending: Ending,
    /// Does an empty heap vanish, so that its neighbours close up?
    pub shrinking: bool,
    /// How many number slots and picks the expressions use.
    pub slots: usize,
    pub picks: usize,
}

impl Game {
    pub fn heap_count(&self) -> usize {
        self.heap_names.len()
    }

    pub fn heaps(&self) -> impl Iterator<Item = HeapId> + use<> {
        (0..self.heap_names.len()).map(HeapId::new)
    }
}

/// What the numbers of a position are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// The sizes of the heaps, in their order.
    Heaps,
    /// The heaps of a bag: see [`crate::bag`].
    Bag(Kinds),
    /// Real sizes: what computes can say nothing of them.
    Reals,
}

/// The kinds of heap in a bag; one without a name where none are declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kinds {
    pub names: Vec<String>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamValue {
    Number(i64),
    /// Ascending, without repeats.
    Numbers(Vec<i64>),
    /// An octal code.
    Code(String),
    /// A set without end, as written.
    Endless(Set, String),
}

/// Why play ends: levels of weights for the heaps. No move raises the
/// weighted total of the first level; a move that keeps it lowers that of the
/// second; and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub levels: Vec<Vec<u64>>,
}

/// One alternative of a move.
#[derive(Debug, Clone)]
pub struct Move {
    /// Whose move it is, where one side alone may make it.
    pub side: Option<Side>,
    pub name: Option<String>,
    /// The rule's own words.
    pub words: String,
    pub span: Span,
    pub when: Option<Bool>,
    pub choices: Vec<ForSome>,
    pub steps: Vec<Step>,
}

/// `for some x in SET where COND`
#[derive(Debug, Clone)]
pub struct ForSome {
    pub slot: Slot,
    pub name: String,
    pub set: Set,
    pub condition: Option<Bool>,
    pub words: String,
    /// For a set without end: what the chosen number is measured against.
    pub horizon: Option<Horizon>,
}

/// Everything in a move that a number from a set without end can change. Once
/// the number is so large that all of it is settled, larger ones give the same
/// options, and need not be tried.
#[derive(Debug, Clone)]
pub struct Horizon {
    /// Conditions that read the number.
    pub conditions: Vec<Bool>,
    /// Amounts and bounds of amounts that read the number: settled when they
    /// pass every heap.
    pub amounts: Vec<Num>,
    /// What other sets give, of which nothing is known.
    pub others: Vec<Slot>,
}

#[derive(Debug, Clone)]
pub struct Step {
    pub least: u64,
    pub most: u64,
    pub action: Action,
    pub words: String,
}

#[derive(Debug, Clone)]
pub enum Action {
    Take {
        amount: Amount,
        from: Selection,
        leaving: Option<Leaving>,
        condition: Option<Bool>,
    },
    Put {
        amount: Set,
        on: Selection,
        condition: Option<Bool>,
    },
}

/// Into how many non-empty heaps what is left of a heap is put, both ends
/// included, and of which kind they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaving {
    pub least: u64,
    pub most: u64,
    pub kind: usize,
}

impl Action {
    pub fn selection(&self) -> &Selection {
        match self {
            Action::Take { from, .. } => from,
            Action::Put { on, .. } => on,
        }
    }

    pub fn condition(&self) -> Option<&Bool> {
        match self {
            Action::Take { condition, .. } | Action::Put { condition, .. } => condition.as_ref(),
        }
    }
}

/// How much a step takes from the heaps it selects.
#[derive(Debug, Clone)]
pub struct Amount {
    pub share: Share,
    /// The numbers that may be taken from a heap; any, where absent.
    pub numbers: Option<Set>,
    /// Where the number taken, all heaps together (or from each, where the
    /// share is equal), is kept under a name.
    pub bound: Option<Slot>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Heap by heap, each may be zero, at least one token in total.
    HeapByHeap,
    /// The same positive number from each.
    Equal,
}

/// The heaps a step acts on: one of the members.
#[derive(Debug, Clone)]
pub struct Selection {
    pub members: Members,
    pub pick: Pick,
    pub words: String,
}

#[derive(Debug, Clone)]
pub enum Members {
    /// These sets of heaps, each ascending.
    Listed(Vec<Vec<HeapId>>),
    /// From `least` to `most` consecutive heaps of those that are left on a
    /// shrinking circle or row; all of them where no more are left.
    Left {
        least: usize,
        most: usize,
        around: Around,
    },
    /// What an earlier step selected.
    Picked(Pick),
    /// The heap with this index.
    At {
        heaps: Vec<HeapId>,
        first: i64,
        index: Num,
    },
}

/// How the heaps of a shrinking board stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    Circle,
    Row,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convention {
    /// Who cannot move loses.
    Normal,
    /// Who cannot move wins.
    Misere,
}

impl Convention {
    pub fn word(self) -> &'static str {
        match self {
            Convention::Normal => "normal",
            Convention::Misere => "misere",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Claim {
    /// The claim as written, on one line.
    pub words: String,
    pub span: Span,
    pub convention: Convention,
    /// Does the claim hold for these parameters by its own words?
    pub applies: Applies,
    /// What it says, where it applies.
    pub statement: Option<Statement>,
    /// Where the file says that it fails, where it applies.
    pub refuted: Option<Vec<u64>>,
}

/// Whether a claim or an example speaks of the parameters at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// It names no condition.
    Always,
    /// Its `for` holds.
    Here,
    /// Its `for` does not hold.
    Elsewhere,
}

#[derive(Debug, Clone)]
pub enum Statement {
    Outcome {
        class: Class,
        /// The labelling is only said to be consistent with the relation.
        consistent: bool,
        up_to_symmetry: bool,
        direction: Direction,
        condition: Bool,
    },
    Grundy(Num),
    /// Who moves second answers in the partner of each heap. Each pair stands
    /// here once; a heap in no pair is empty.
    Pairing(Vec<(HeapId, HeapId)>),
    Period {
        period: u64,
        from: u64,
        saltus: u64,
        kind: usize,
    },
    /// Where the condition holds, this is that game, cell for cell.
    SameAs(Box<SameAs>),
    /// Every winning position also comes from a losing one.
    Cogame,
    /// How many consistent labellings there are.
    Labellings(u64),
    /// The size of the misere quotient of the heaps to `to`.
    Quotient {
        to: u64,
        elements: u64,
    },
}

/// Another game, and where this one is said to be it.
#[derive(Debug, Clone)]
pub struct SameAs {
    /// The other game as the claim writes it, with its parameters.
    pub words: String,
    pub condition: Bool,
    /// The other game's rule, without what it claims of itself.
    pub other: Game,
}

#[derive(Debug, Clone)]
pub struct Example {
    pub words: String,
    pub span: Span,
    pub convention: Convention,
    pub applies: Applies,
    pub position: Vec<u64>,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Is(Class),
    HasGrundy(i64),
    WinsBy(Vec<u64>),
}
