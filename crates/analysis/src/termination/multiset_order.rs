//! The measure of rules with `replace`: the multiset of heaps itself.
//!
//! A multiset is smaller than another if it results from it by replacing some heaps by any
//! number of smaller ones. This order is well-founded if that of the heaps is (Dershowitz and
//! Manna, *Proving termination with multiset orderings*, 1979). Heaps are ordered by the level
//! of their kind, then by size, then by the rank of their kind: of two kinds of which each can
//! become the other the level is the same, and the sizes decide.

use super::affine::Affine;
use super::state::{Chosen, State, Tokens};
use nimrule_model::expr::bounds::Interval;
use nimrule_model::expr::{Arithmetic, Expr, Fold, HeapId, List, Num, Pick, Set, Slot};
use nimrule_model::game::{
    Action, HeapKinds, HeapOrder, Members, Move, NewHeaps, Parts, Rule, Share, Step,
};
use std::collections::BTreeMap;

/// How the size of a new heap compares with that of the heap replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Smaller,
    NotLarger,
    Any,
}

/// What a step does to the heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It replaces at least one heap as the arcs say, and raises none.
    Replaces,
    /// It raises no heap.
    RaisesNone,
    /// It changes states at the most.
    States,
    /// It may raise a heap.
    Unknown,
}

/// The order of the heaps, and the moves that change no heap.
pub struct Found {
    pub order: HeapOrder,
    pub states_only: Vec<usize>,
}

/// Whether some move has a step that needs this measure.
pub fn is_needed(moves: &[Move]) -> bool {
    let mut steps = moves.iter().flat_map(|mover| &mover.steps);
    steps.any(|step| matches!(step.action, Action::Replace { .. }))
}

/// An order of the heaps that every move respects: it replaces heaps by smaller ones, or
/// changes states only.
///
/// # Errors
///
/// The moves of which that is not known, ascending.
pub fn order(rule: &Rule, kinds: &HeapKinds, tokens: &Tokens) -> Result<Found, Vec<usize>> {
    let mut arcs: BTreeMap<(usize, usize), (Size, Vec<usize>)> = BTreeMap::new();
    let (mut open, mut states_only) = (Vec::new(), Vec::new());
    for (index, mover) in rule.moves.iter().enumerate() {
        let mut analysis = Analysis {
            kinds: kinds.of_heaps(),
            states: kinds.states.len(),
            state: State::new(rule.slots, tokens),
            kinds_of: BTreeMap::new(),
            arcs: Vec::new(),
        };
        match analysis.mover(mover, rule) {
            Effect::Replaces => {}
            Effect::States => states_only.push(index),
            Effect::RaisesNone | Effect::Unknown => open.push(index),
        }
        for (from, to, size) in analysis.arcs {
            let arc = arcs.entry((from, to)).or_insert((size, Vec::new()));
            arc.0 = arc.0.max(size);
            if size > Size::Smaller && arc.1.last() != Some(&index) {
                arc.1.push(index);
            }
        }
    }
    if !open.is_empty() {
        return Err(open);
    }
    let count = kinds.of_heaps();
    // Where sizes alone decide, all kinds have one level.
    let by_size = arcs.values().all(|(size, _)| *size == Size::Smaller);
    let below = reachable(count, arcs.keys().copied().filter(|_| !by_size));
    let levels: Vec<usize> = (0..count)
        .map(|kind| {
            let others = (0..count).filter(|other| below[kind][*other] && !below[*other][kind]);
            others.count()
        })
        .collect();
    let keeps_level = arcs
        .iter()
        .filter(|((from, to), (size, _))| *size > Size::Smaller && levels[*from] == levels[*to]);
    let below = reachable(count, keeps_level.clone().map(|(kinds, _)| *kinds));
    for ((from, _), (size, moves)) in keeps_level {
        if *size == Size::Any || below[*from][*from] {
            open.extend(moves);
        }
    }
    let ranks = (0..count).map(|kind| below[kind].iter().filter(|below| **below).count());
    let order = HeapOrder {
        kinds: levels.iter().copied().zip(ranks).collect(),
    };
    open.sort_unstable();
    open.dedup();
    match open.is_empty() {
        true => Ok(Found { order, states_only }),
        false => Err(open),
    }
}

/// Which kinds others lead to along some arcs, in one step or more.
fn reachable(kinds: usize, arcs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; kinds]; kinds];
    for (from, to) in arcs {
        reach[from][to] = true;
    }
    for between in 0..kinds {
        let beyond = reach[between].clone();
        for row in reach.iter_mut().filter(|row| row[between]) {
            row.iter_mut().zip(&beyond).for_each(|(to, is)| *to |= *is);
        }
    }
    reach
}

/// The analysis of one move.
struct Analysis {
    /// The number of kinds of heaps.
    kinds: usize,
    /// The number of states.
    states: usize,
    state: State,
    /// The kinds that the heap of a selection may have.
    kinds_of: BTreeMap<Pick, Vec<usize>>,
    /// The kinds of a heap and of one of those that replace it.
    arcs: Vec<(usize, usize, Size)>,
}

impl Analysis {
    fn mover(&mut self, mover: &Move, rule: &Rule) -> Effect {
        let assumed = rule.positions.iter().chain(&mover.when);
        for condition in assumed {
            if !self.state.assume(condition, true) {
                return Effect::Replaces;
            }
        }
        for choice in &mover.choices {
            if !self.choose(choice.slot, &choice.set, Interval::ALL) {
                return Effect::Replaces;
            }
            if let Some(condition) = &choice.condition
                && !self.state.assume(condition, true)
            {
                return Effect::Replaces;
            }
        }
        let mut whole = Effect::States;
        for step in &mover.steps {
            let before = self.state.clone();
            let effect = self.step(step);
            whole = match (effect, whole) {
                (Effect::Unknown, _) => return Effect::Unknown,
                (Effect::States, whole) => whole,
                (Effect::Replaces, _) if step.least > 0 => Effect::Replaces,
                (_, Effect::Replaces) => Effect::Replaces,
                (Effect::Replaces | Effect::RaisesNone, _) => Effect::RaisesNone,
            };
            if step.least == 0 {
                // The names of a step that may be skipped are not in scope after it.
                self.state = before;
            }
            self.forget_sizes();
            if changes_kind(&step.action) {
                // Any heap selected may be the one that has another kind now.
                let kinds = self.kinds;
                self.kinds_of
                    .values_mut()
                    .for_each(|of| *of = (0..kinds).collect());
            }
        }
        whole
    }

    /// Binds a number to any member of a set within bounds. Returns whether there can be one.
    fn choose(&mut self, slot: Slot, set: &Expr<Set>, within: Interval) -> bool {
        let interval = self.state.members(set).meet(within);
        if interval.is_empty() {
            return false;
        }
        let value = match &set.node {
            Set::Items(items) if items.len() == 1 => self.state.num(&items[0]),
            _ => self.state.fresh(interval),
        };
        let mut possible = self.state.assume_interval(&value, interval);
        if let Set::Items(items) = &set.node {
            // The smallest and the largest item, where it is known which they are.
            let items: Vec<Affine> = items.iter().map(|item| self.state.num(item)).collect();
            for item in &items {
                let differences = items.iter().map(|other| item.clone().minus(other));
                let known: Vec<Interval> = differences
                    .map(|difference| self.state.interval(&difference))
                    .collect();
                if known.iter().all(|known| known.low >= 0) {
                    possible &= self.state.assume_natural(item.clone().minus(&value));
                }
                if known.iter().all(|known| known.high <= 0) {
                    possible &= self.state.assume_natural(value.clone().minus(item));
                }
            }
        }
        if let Set::Range(low, high) = &set.node {
            let low = self.state.num(low);
            possible &= self.state.assume_natural(value.clone().minus(&low));
            if let Some(high) = high {
                let high = self.state.num(high);
                possible &= self.state.assume_natural(high.minus(&value));
            }
        }
        self.state.bind(slot, value);
        possible
    }

    /// Forgets the values of the states and the sizes of the heaps selected, each of which may
    /// be one that a step has changed.
    fn forget_sizes(&mut self) {
        let states: Vec<HeapId> = (0..self.states).map(HeapId::new).collect();
        self.state.forget(&states);
        for pick in self.kinds_of.keys() {
            let size = self.state.fresh(Interval::NATURALS);
            self.state.picks.insert(*pick, selected(size));
        }
    }

    fn step(&mut self, step: &Step) -> Effect {
        let selection = step.action.selection();
        if step.most > 1 {
            self.forget_sizes();
        }
        // One heap stands for each of those selected.
        let (size, of) = match &selection.members {
            Members::Multiset { kind, .. } => {
                if self.state.tokens.state(*kind).is_some() {
                    return Effect::States;
                }
                let of: Vec<usize> = (0..self.kinds).filter(|of| kind.has(Some(*of))).collect();
                (self.state.fresh(Interval::from(1)), of)
            }
            Members::Picked(earlier) => {
                match (self.state.picks.get(earlier), self.kinds_of.get(earlier)) {
                    (Some(Chosen::OneOf { sum, .. }), Some(of)) => (sum.clone(), of.clone()),
                    _ => return Effect::Unknown,
                }
            }
            _ => return Effect::Unknown,
        };
        self.state
            .picks
            .insert(selection.pick, selected(size.clone()));
        self.kinds_of.insert(selection.pick, of.clone());
        self.act(&step.action, &size, &of)
    }

    fn act(&mut self, action: &Action, before: &Affine, of: &[usize]) -> Effect {
        match action {
            Action::Take {
                amount, leaving, ..
            } => {
                if let Some(slot) = amount.bound {
                    let taken = self.state.fresh(Interval::from(1));
                    self.state.bind(slot, taken.clone());
                    if amount.share == Share::Equal {
                        self.state.assume_natural(before.clone().minus(&taken));
                    }
                }
                let into = leaving.and_then(|leaving| leaving.kind);
                self.replaced(of, into, Size::Smaller);
                Effect::Replaces
            }
            Action::Split { parts, .. } => {
                let (into, size) = match parts {
                    Parts::Counted(leaving) if leaving.least < 2 => (leaving.kind, Size::NotLarger),
                    Parts::Counted(leaving) => (leaving.kind, Size::Smaller),
                    Parts::Named(_) | Parts::Any => (None, Size::Smaller),
                };
                if let Parts::Named(slots) = parts {
                    for slot in slots {
                        let part = self.state.fresh(Interval::from(1));
                        self.state.bind(*slot, part);
                    }
                }
                self.replaced(of, into, size);
                Effect::Replaces
            }
            Action::Set {
                size,
                value,
                condition,
                ..
            } => {
                if matches!(value.node, Num::Local(slot) if slot == *size) {
                    if let Some(condition) = condition {
                        self.state.assume(condition, true);
                    }
                    return Effect::RaisesNone;
                }
                self.state.bind(*size, before.clone());
                let possible = condition
                    .as_ref()
                    .is_none_or(|condition| self.state.assume(condition, true));
                if !possible {
                    return Effect::Replaces;
                }
                match self.compared(value, before, Some(*size)) {
                    Size::Smaller => {
                        self.replaced(of, None, Size::Smaller);
                        Effect::Replaces
                    }
                    Size::NotLarger => Effect::RaisesNone,
                    Size::Any => Effect::Unknown,
                }
            }
            Action::Replace {
                names,
                by,
                condition,
                ..
            } => {
                for (slot, set) in names {
                    if !self.choose(*slot, set, Interval::NATURALS) {
                        return Effect::Replaces;
                    }
                }
                let possible = condition
                    .as_ref()
                    .is_none_or(|condition| self.state.assume(condition, true));
                if !possible {
                    return Effect::Replaces;
                }
                // An empty heap that an earlier step has selected may stay as it is.
                let is_there = self.state.interval(before).low >= 1;
                for NewHeaps { count, size, kind } in by {
                    let count = count.as_ref().map(|count| self.state.num(count));
                    if count.is_some_and(|count| self.state.interval(&count).high <= 0) {
                        continue;
                    }
                    let size = self.compared(size, before, None);
                    if size == Size::Any && !is_there {
                        return Effect::Unknown;
                    }
                    self.replaced(of, *kind, size);
                }
                match is_there {
                    true => Effect::Replaces,
                    false => Effect::RaisesNone,
                }
            }
            Action::Put { .. } | Action::Slide { .. } => Effect::Unknown,
        }
    }

    fn replaced(&mut self, of: &[usize], into: Option<usize>, size: Size) {
        for from in of {
            self.arcs.push((*from, into.unwrap_or(*from), size));
        }
    }

    /// How a new size compares with the size before, which is also the value of a slot.
    fn compared(&mut self, new: &Num, before: &Affine, slot: Option<Slot>) -> Size {
        let after = self.state.num(new);
        let lost = before.clone().minus(&after);
        let low = self.state.interval(&lost).low;
        match low >= 1 || self.is_below(new, before, slot) {
            true => Size::Smaller,
            false if low >= 0 || slot.is_some_and(|slot| new.is_at_most(slot)) => Size::NotLarger,
            false => Size::Any,
        }
    }

    /// Whether a number that is not affine is less than the size of a nonempty heap.
    fn is_below(&mut self, num: &Num, size: &Affine, slot: Option<Slot>) -> bool {
        let at_most = |analysis: &mut Analysis, num: &Num| {
            let value = analysis.state.num(num);
            analysis.state.interval(&size.clone().minus(&value)).low >= 0
        };
        match num {
            Num::Binary(Arithmetic::Divide, whole, by) => {
                let nonempty = self.state.interval(size).low >= 1;
                let by = self.state.num(by);
                nonempty && self.state.interval(&by).low >= 2 && at_most(self, whole)
            }
            Num::Fold(fold @ (Fold::Min | Fold::Max), list) => match &list.node {
                List::Items(items) => {
                    let mut below = items
                        .iter()
                        .map(|item| self.compared(item, size, slot) == Size::Smaller);
                    match fold {
                        Fold::Min => below.any(|below| below),
                        _ => below.all(|below| below) && !items.is_empty(),
                    }
                }
                _ => false,
            },
            Num::If(condition, then, otherwise) => {
                let mut branch = |num: &Num, holds: bool| {
                    let before = self.state.clone();
                    let below = !self.state.assume(condition, holds)
                        || self.compared(num, size, slot) == Size::Smaller;
                    self.state = before;
                    below
                };
                branch(then, true) && branch(otherwise, false)
            }
            _ => false,
        }
    }
}

/// The choice of a heap of this size, of which nothing else is known.
fn selected(size: Affine) -> Chosen {
    Chosen::OneOf {
        sets: Vec::new(),
        size: Some(size.clone()),
        sum: size,
        all: false,
    }
}

/// Whether the heap that has the name of a selection may have another kind afterwards.
fn changes_kind(action: &Action) -> bool {
    match action {
        Action::Take { leaving, .. } => leaving.is_some_and(|leaving| leaving.kind.is_some()),
        Action::Split {
            parts: Parts::Counted(leaving),
            ..
        } => leaving.kind.is_some(),
        Action::Replace { by, .. } => by.iter().any(|new| new.kind.is_some()),
        _ => false,
    }
}
