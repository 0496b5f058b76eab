//! A rule that makes sense: what the checker hands on.
//!
//! Everything is resolved, and everything is still symbolic: moves and claims
//! are trees over heaps and slots, so that they can be run, bounded, drawn and
//! proved about. The parameters have their values; another value is another
//! `Game` from the same text.

use crate::board::Board;
use crate::board::shrinking::ShrinkingBoard;
use crate::board::symmetry::Symmetries;
use crate::digraph::Digraph;
use crate::expr::bounds::{Interval, Known, Truth};
use crate::expr::{Bool, Expr, HeapId, Num, Pick, Picked, Set, Slot};
use crate::source::{Source, Span};
use std::borrow::Cow;
use std::sync::Arc;

pub use crate::board::shrinking::Around;
pub use nimrule_relation::{Class, Side};

/// A checked game at given values of its parameters.
#[derive(Debug, Clone)]
pub struct Game {
    /// The text that it is written in, where the places of its expressions are.
    pub text: Arc<Source>,
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
    pub positions: Option<Expr<Bool>>,
    pub suggest_max: Option<u64>,
    pub start: Option<Vec<u64>>,
    pub claims: Vec<Claim>,
    pub examples: Vec<Example>,
    pub symmetries: Symmetries,
    pub ending: Ending,
    /// The board from which empty heaps vanish, so that their neighbours close
    /// up, if it is one.
    pub shrinking: Option<ShrinkingBoard>,
    /// How many number slots and picks the expressions use.
    pub slots: usize,
    pub picks: usize,
}

impl Game {
    pub fn heap_count(&self) -> usize {
        self.heap_names.len()
    }

    /// Has each side moves of its own?
    pub fn has_sides(&self) -> bool {
        self.moves.iter().any(|mover| mover.side.is_some())
    }

    /// The alternatives of a move in the rule's own words.
    pub fn move_words(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().map(|mover| mover.words.as_str())
    }

    /// The outcomes that a position can have.
    pub fn outcomes(&self) -> impl Iterator<Item = Class> + use<> {
        let (sided, may_repeat) = (self.has_sides(), self.may_repeat);
        let all = [Class::P, Class::N, Class::L, Class::R, Class::D];
        all.into_iter().filter(move |class| match class {
            Class::P | Class::N => true,
            Class::L | Class::R => sided,
            Class::D => may_repeat,
        })
    }

    /// Why positions have no Grundy values, if they have none: the value of
    /// Sprague and Grundy is that of an impartial game in which play ends.
    pub fn no_values(&self) -> Option<&'static str> {
        if self.has_sides() {
            Some("each side has moves of its own")
        } else if self.may_repeat {
            Some("positions may repeat")
        } else {
            None
        }
    }

    /// A position as the language writes it.
    pub fn shown(&self, position: &[u64]) -> String {
        let sizes: Vec<String> = position.iter().map(u64::to_string).collect();
        match &self.field {
            Field::Heaps | Field::Reals => format!("({})", sizes.join(",")),
            Field::Tokens(digraph) => {
                let vertices = position.iter().map(|number| match digraph.state(*number) {
                    Some(state) => digraph.shown(state),
                    None => number.to_string(),
                });
                format!("({})", vertices.collect::<Vec<_>>().join(","))
            }
            Field::Bag(kinds) if kinds.names.is_empty() || position.is_empty() => {
                format!("{{{}}}", sizes.join(","))
            }
            Field::Bag(kinds) => {
                let heaps: Vec<String> = position
                    .iter()
                    .map(|heap| {
                        let (size, kind) = kinds.decoded(*heap);
                        format!("{} {size}", kinds.names[kind])
                    })
                    .collect();
                heaps.join(" ")
            }
        }
    }

    /// The board that tokens slide on.
    pub fn digraph(&self) -> Option<&Arc<Digraph>> {
        match &self.field {
            Field::Tokens(digraph) => Some(digraph),
            _ => None,
        }
    }

    /// How many tokens a position has.
    pub fn tokens(&self, position: &[u64]) -> u128 {
        self.set_out(position)
            .0
            .iter()
            .map(|size| u128::from(*size))
            .sum()
    }

    /// The sizes of a position's heaps, and in a bag with kinds the kind of each.
    pub fn set_out<'p>(&self, position: &'p [u64]) -> (Cow<'p, [u64]>, Vec<usize>) {
        match &self.field {
            Field::Bag(kinds) if !kinds.names.is_empty() => {
                let (sizes, kinds): (Vec<u64>, Vec<usize>) =
                    position.iter().map(|heap| kinds.decoded(*heap)).unzip();
                (Cow::Owned(sizes), kinds)
            }
            _ => (Cow::Borrowed(position), Vec::new()),
        }
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
    /// The vertices on which the tokens stand, each by its number: see
    /// [`crate::digraph`].
    Tokens(Arc<Digraph>),
    /// The heaps of a bag: see `nimrule::engine::bag`.
    Bag(Kinds),
    /// Real sizes: what computes can say nothing of them, and what proves can.
    Reals,
}

/// The kinds of heap in a bag; one without a name where none are declared.
///
/// A position of a bag is a row of numbers, one for each heap that is not
/// empty, ascending: the size, times the number of kinds, plus the heap's kind.
/// With one kind that is the size itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kinds {
    pub names: Vec<String>,
}

impl Kinds {
    pub fn count(&self) -> u64 {
        self.names.len().max(1) as u64
    }

    /// The number that stands for a heap.
    pub fn coded(&self, size: u64, kind: usize) -> u64 {
        size * self.count() + kind as u64
    }

    /// The size and the kind of a heap.
    pub fn decoded(&self, heap: u64) -> (u64, usize) {
        let kinds = self.count();
        (heap / kinds, (heap % kinds) as usize)
    }
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
    Endless(Expr<Set>, String),
}

impl ParamValue {
    /// The value as the language writes it.
    pub fn written(&self) -> String {
        match self {
            ParamValue::Number(value) => value.to_string(),
            ParamValue::Numbers(values) => {
                let members: Vec<_> = values.iter().map(i64::to_string).collect();
                format!("{{{}}}", members.join(","))
            }
            ParamValue::Code(code) => format!("\"{code}\""),
            ParamValue::Endless(_, words) => words.clone(),
        }
    }

    /// The value as a set to choose from.
    pub fn as_set(&self) -> Expr<Set> {
        match self {
            ParamValue::Number(value) => Set::Items(vec![Num::Const(*value).into()]).into(),
            ParamValue::Numbers(values) => {
                Set::Items(values.iter().map(|v| Num::Const(*v).into()).collect()).into()
            }
            ParamValue::Code(_) => Set::Items(Vec::new()).into(),
            ParamValue::Endless(set, _) => set.clone(),
        }
    }
}

/// Why play ends: levels of weights for the heaps. No move raises the
/// weighted total of the first level; a move that keeps it lowers that of the
/// second; and so on. In a bag the number of tokens stands for the levels.
/// There are none where positions may repeat, or where tokens slide along arcs
/// that never lead back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub levels: Vec<Vec<u64>>,
    /// A move that keeps the number of tokens leaves more heaps than before.
    pub more_heaps: bool,
    /// Play ends because the arcs of the board have no cycle.
    pub along_arcs: bool,
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
    pub when: Option<Expr<Bool>>,
    pub choices: Vec<ForSome>,
    pub steps: Vec<Step>,
}

/// `for some x in SET where COND`
#[derive(Debug, Clone)]
pub struct ForSome {
    pub slot: Slot,
    pub name: String,
    pub set: Expr<Set>,
    pub condition: Option<Expr<Bool>>,
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
    pub conditions: Vec<Expr<Bool>>,
    /// Amounts and bounds of amounts that read the number: settled when they
    /// pass every heap.
    pub amounts: Vec<Expr<Num>>,
    /// What other sets give, of which nothing is known.
    pub others: Vec<Slot>,
}

impl Horizon {
    /// A number from which on nothing changes in a position of `tokens`
    /// tokens, if there is one in reach.
    pub fn settled_from(&self, slot: Slot, slots: usize, tokens: u64) -> Option<i64> {
        let tokens = i128::from(tokens);
        let mut from = tokens + 1;
        for _ in 0..40 {
            let mut known = Known::new(slots, Interval::new(0, tokens));
            known.all_locals(Interval::new(-tokens, tokens));
            for other in &self.others {
                known.set_local(*other, Interval::ALL);
            }
            known.total = Interval::new(1, tokens.max(1));
            known.set_local(slot, Interval::from(from));
            let conditions_settled = self
                .conditions
                .iter()
                .all(|c| known.clone().truth(c) != Truth::Sometimes);
            let amounts_settled = self.amounts.iter().all(|n| {
                let value = known.num(n);
                value.low > tokens || value.high < 1
            });
            if conditions_settled && amounts_settled {
                return i64::try_from(from).ok();
            }
            from = from.checked_mul(2)?;
        }
        None
    }
}

#[derive(Debug, Clone)]
pub struct Step {
    pub least: u64,
    pub most: u64,
    pub action: Action,
    pub words: String,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum Action {
    Take {
        amount: Amount,
        from: Selection,
        leaving: Option<Leaving>,
        condition: Option<Expr<Bool>>,
    },
    Put {
        amount: Expr<Set>,
        on: Selection,
        condition: Option<Expr<Bool>>,
    },
    /// Each of the tokens selected goes along an arc.
    Slide {
        what: Selection,
        condition: Option<Expr<Bool>>,
    },
    /// What a heap holds is put into several heaps, none of them empty.
    Split {
        what: Selection,
        parts: Parts,
        condition: Option<Expr<Bool>>,
    },
}

/// The heaps that a split puts in a heap's place.
#[derive(Debug, Clone)]
pub enum Parts {
    /// As many as there are slots, which hold their sizes.
    Named(Vec<Slot>),
    /// As many as this says.
    Counted(Leaving),
}

/// Into how many non-empty heaps what is left of a heap is put, both ends
/// included, and of which kind they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaving {
    pub least: u64,
    pub most: u64,
    /// The kind of the heap itself, where none is named.
    pub kind: Option<usize>,
}

impl Action {
    pub fn selection(&self) -> &Selection {
        match self {
            Action::Take { from, .. } => from,
            Action::Put { on, .. } => on,
            Action::Split { what, .. } | Action::Slide { what, .. } => what,
        }
    }

    pub fn condition(&self) -> Option<&Expr<Bool>> {
        match self {
            Action::Take { condition, .. }
            | Action::Put { condition, .. }
            | Action::Split { condition, .. }
            | Action::Slide { condition, .. } => condition.as_ref(),
        }
    }
}

/// How much a step takes from the heaps it selects.
#[derive(Debug, Clone)]
pub struct Amount {
    pub share: Share,
    /// The numbers that may be taken from a heap; any, where absent.
    pub numbers: Option<Expr<Set>>,
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
    pub span: Span,
}

#[derive(Debug, Clone)]
pub enum Members {
    /// These sets of heaps, each ascending.
    Listed(Vec<Vec<HeapId>>),
    /// Heaps that are there on a shrinking board as the step begins.
    Left(Left),
    /// Heaps of a bag, of one kind if one is named.
    Bag { number: Number, kind: Option<usize> },
    /// What an earlier step selected.
    Picked(Pick),
    /// The heap with this index.
    At {
        heaps: Vec<HeapId>,
        first: i64,
        index: Expr<Num>,
    },
}

impl Members {
    /// Is every set a single heap, if every set selected earlier is one of
    /// which `is_one_heap` holds?
    pub fn is_one_heap(&self, is_one_heap: impl Fn(Pick) -> bool) -> bool {
        match self {
            Members::Listed(sets) => sets.iter().all(|set| set.len() == 1),
            Members::Left(left) => left.widest() == 1,
            Members::Bag { number, .. } => matches!(number, Number::Some { most: 1, .. }),
            Members::Picked(earlier) => is_one_heap(*earlier),
            Members::At { .. } => true,
        }
    }

    /// The single heaps among which a step chooses whatever the position is. On
    /// a shrinking board an empty one is not there, which makes no difference
    /// to a step that takes something from the heap.
    pub fn single_heaps(&self) -> Option<&[Vec<HeapId>]> {
        let sets = match self {
            Members::Listed(sets) => sets,
            Members::Left(Left {
                family: LeftFamily::Listed(sets),
                number: Number::Some { least: 1, most: 1 },
                ..
            }) => sets,
            Members::Left(_) | Members::Bag { .. } | Members::Picked(_) | Members::At { .. } => {
                return None;
            }
        };
        sets.iter().all(|set| set.len() == 1).then_some(sets)
    }
}

/// The unions of so many different members of a family, each made of heaps
/// that are there: heaps of a shrinking board that are not empty, and the heaps
/// beside the board.
#[derive(Debug, Clone)]
pub struct Left {
    pub board: ShrinkingBoard,
    pub family: LeftFamily,
    pub number: Number,
}

/// A family on a shrinking board.
#[derive(Debug, Clone)]
pub enum LeftFamily {
    /// From `least` to `most` consecutive heaps of those that are left on the
    /// board; all of them where no more are left.
    Consecutive { least: usize, most: usize },
    /// These sets, each without the heaps that are not there. A set of which
    /// nothing is there is no member, and equal sets are one member.
    Listed(Vec<Vec<HeapId>>),
}

impl Left {
    /// The sets of heaps that may be selected in a position, each ascending.
    pub fn members(&self, position: &[u64]) -> Vec<Picked> {
        let family: Vec<Picked> = match &self.family {
            LeftFamily::Consecutive { least, most } => {
                let left = self.board.left(position);
                self.board.consecutive(&left, *least, *most)
            }
            LeftFamily::Listed(sets) => {
                let there = |set: &Vec<HeapId>| -> Picked {
                    let heaps = set.iter().copied();
                    let there = heaps.filter(|heap| self.board.is_there(*heap, position));
                    there.collect()
                };
                let mut family: Vec<Picked> = sets.iter().map(there).collect();
                family.retain(|set| !set.is_empty());
                if sets.iter().any(|set| set.len() > 1) {
                    let mut seen = std::collections::BTreeSet::new();
                    family.retain(|set| seen.insert(set.clone()));
                }
                family
            }
        };
        let (least, most) = match self.number {
            Number::Some { least: 1, most: 1 } => return family,
            Number::Some { least, most } => (least.max(1), most.min(family.len())),
            Number::All => (family.len().max(1), family.len()),
        };
        let mut unions = Vec::new();
        for chosen in least..=most {
            combinations(family.len(), chosen, &mut |indices| {
                let sets = indices.iter().map(|index| &family[*index]);
                let mut union: Picked = sets.flatten().copied().collect();
                union.sort_unstable();
                union.dedup();
                unions.push(union);
            });
        }
        if family.iter().any(|set| set.len() > 1) {
            // Different members may have the same union.
            unions.sort_unstable();
            unions.dedup();
        }
        unions
    }

    /// Every heap that may be selected.
    pub fn heaps(&self) -> Vec<HeapId> {
        match &self.family {
            LeftFamily::Consecutive { .. } => self.board.places().map(HeapId::new).collect(),
            LeftFamily::Listed(sets) => {
                let mut heaps = sets.concat();
                heaps.sort_unstable();
                heaps.dedup();
                heaps
            }
        }
    }

    /// The most heaps that one set may hold.
    pub fn widest(&self) -> usize {
        let member = match &self.family {
            LeftFamily::Consecutive { most, .. } => *most,
            LeftFamily::Listed(sets) => sets.iter().map(Vec::len).max().unwrap_or(0),
        };
        match self.number {
            Number::Some { most, .. } => member.saturating_mul(most).min(self.heaps().len()),
            Number::All => self.heaps().len(),
        }
    }
}

/// All ways to choose `chosen` of `0..from`, in lexicographic order.
pub fn combinations(from: usize, chosen: usize, found: &mut dyn FnMut(&[usize])) {
    if chosen > from {
        return;
    }
    let mut indices: Vec<usize> = (0..chosen).collect();
    loop {
        found(&indices);
        let Some(place) = (0..chosen).rev().find(|&i| indices[i] < from - chosen + i) else {
            return;
        };
        indices[place] += 1;
        for later in place + 1..chosen {
            indices[later] = indices[later - 1] + 1;
        }
    }
}

/// How many heaps, or members of a family, a step chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// From `least` to `most`.
    Some {
        least: usize,
        most: usize,
    },
    All,
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
        condition: Expr<Bool>,
    },
    Grundy(Expr<Num>),
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
    pub condition: Expr<Bool>,
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
