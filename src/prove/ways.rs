//! The moves of a rule as relations between the sizes before and behind them.
//!
//! A way to move is a choice of alternative and of the heaps that each step
//! selects; the numbers taken stay open. Its formula speaks of all heaps as
//! they were, on their own tracks, and of those that it changes as they become.
//! The others keep their tracks, for they are the same before and behind.

use super::formula::{FALSE, Formula, constant, minus, plus, variable};
use super::meaning::{Meaning, certain, compared, first_free, of_heap, of_heap_after};
use super::outside::{Leaves, Outside};
use crate::automata::atoms::{Relation, Sum};
use crate::automata::{Numeration, Track};
use crate::expr::{Bool, HeapId, List, Order, Set};
use crate::game::{
    Action, Amount, Around, Game, Left, LeftFamily, Members, Move, Number, Selection, Share,
};
use std::collections::BTreeSet;

/// A way to move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The heaps that it may change, ascending.
    pub touched: Vec<usize>,
    /// Between the tracks of the heaps and, for those touched, the tracks of
    /// what they become.
    pub formula: Formula,
}

/// All ways to move.
#[derive(Debug, Clone)]
pub struct Ways {
    pub all: Vec<Way>,
    /// Where a rule has no value to go by.
    pub faults: Vec<Formula>,
}

/// A rule with more ways to move than this is not gone into.
const MOST_WAYS: usize = 20_000;

/// Reads the ways to move off the rule.
pub fn ways(game: &Game, numeration: Numeration) -> Result<Ways, Outside> {
    let mut all = BTreeSet::new();
    let mut faults = Vec::new();
    for mover in &game.moves {
        if mover.side.is_some() {
            return Err(Leaves::new("", "each side has moves of its own").within(mover.span));
        }
        let mut walk = Walk {
            meaning: Meaning::of_heaps(game, numeration),
            mover,
            ways: &mut all,
        };
        walk.begin().map_err(|leaves| leaves.within(mover.span))?;
        faults.append(&mut walk.meaning.faults);
    }
    faults.sort_unstable();
    faults.dedup();
    Ok(Ways {
        all: all.into_iter().collect(),
        faults,
    })
}

type Done = Result<(), Leaves>;

/// Goes through an alternative, step by step. What is known so far is the
/// meaning's path.
struct Walk<'w, 'g> {
    meaning: Meaning<'g>,
    mover: &'g Move,
    ways: &'w mut BTreeSet<Way>,
}

impl Walk<'_, '_> {
    fn begin(&mut self) -> Done {
        if let Some(when) = &self.mover.when {
            let when = self.meaning.condition(when)?;
            self.meaning.path.push(when);
        }
        self.choose(0)
    }

    fn is_impossible(&self) -> bool {
        self.meaning.path.contains(&FALSE)
    }

    /// `for some x in …`
    fn choose(&mut self, next: usize) -> Done {
        let Some(choice) = self.mover.choices.get(next) else {
            return self.step(0, 0);
        };
        let listed = match &choice.set.node {
            Set::Items(_) | Set::List(_) => true,
            Set::Range(_, high) => high.is_some(),
            Set::Powers(_) | Set::Squares => false,
        };
        // A number that only indexes heaps is gone through one by one.
        if listed && let Ok(values) = self.values(&choice.set) {
            for value in values {
                let mark = self.meaning.path.len();
                let before = self.meaning.locals.insert(choice.slot, value);
                self.chosen(next, choice.condition.as_deref())?;
                self.meaning.path.truncate(mark);
                match before {
                    Some(before) => self.meaning.locals.insert(choice.slot, before),
                    None => self.meaning.locals.remove(&choice.slot),
                };
            }
            return Ok(());
        }
        // Tracks are natural numbers and members may be negative, so that a
        // member is a sum: an item itself, or a natural number more than the
        // low end. Other sets have no negative members.
        let begins = match &choice.set.node {
            Set::Items(items) => items.iter().collect(),
            Set::Range(low, _) => vec![low],
            Set::Squares | Set::Powers(_) => Vec::new(),
            Set::List(list) if matches!(list.node, List::Heaps(_)) => Vec::new(),
            Set::List(_) => {
                return Err(Leaves::new("for", "the number chosen may be negative"));
            }
        };
        let is_range = matches!(choice.set.node, Set::Range(..));
        let mark = self.meaning.path.len();
        if begins.is_empty() {
            let x = variable(self.meaning.fresh());
            return self.chosen_as(next, x, mark);
        }
        for begin in begins {
            for case in self.meaning.number(begin)? {
                if !case.own.is_empty() {
                    return Err(Leaves::new("for", "the number chosen is told by others"));
                }
                let x = if is_range {
                    let more = variable(self.meaning.fresh());
                    plus(&case.value, &more).ok_or_else(too_large)?
                } else {
                    case.value
                };
                self.meaning.path.push(case.guard);
                self.chosen_as(next, x, mark)?;
            }
        }
        Ok(())
    }

    /// Goes on with a member of a set that is this number, and forgets what has
    /// been learned since the mark.
    fn chosen_as(&mut self, next: usize, x: Sum, mark: usize) -> Done {
        let choice = &self.mover.choices[next];
        let inside = self.meaning.belongs(&certain(x.clone()), &choice.set)?;
        self.meaning.path.push(inside);
        self.meaning.locals.insert(choice.slot, x);
        self.chosen(next, choice.condition.as_deref())?;
        self.meaning.locals.remove(&choice.slot);
        self.meaning.path.truncate(mark);
        Ok(())
    }

    /// The constants of a set.
    fn values(&mut self, set: &Set) -> Result<Vec<Sum>, Leaves> {
        let list = crate::expr::List::Members(Box::new(set.clone().into()));
        let marked = self.meaning.faults.len();
        let items = self.meaning.items(&list)?;
        let values: Option<Vec<Sum>> = items
            .into_iter()
            .map(|item| match item.value.as_slice() {
                [case] if item.present == super::formula::TRUE && case.own.is_empty() => {
                    super::formula::as_constant(&case.value).map(constant)
                }
                _ => None,
            })
            .collect();
        self.meaning.faults.truncate(marked);
        values.ok_or_else(|| Leaves::new("", "its members change with the position"))
    }

    fn chosen(&mut self, next: usize, condition: Option<&Bool>) -> Done {
        if let Some(condition) = condition {
            let condition = self.meaning.condition(condition)?;
            self.meaning.path.push(condition);
        }
        if self.is_impossible() {
            return Ok(());
        }
        self.choose(next + 1)
    }

    /// The `at`th step, done so often already.
    fn step(&mut self, at: usize, done: u64) -> Done {
        let mover = self.mover;
        let Some(step) = mover.steps.get(at) else {
            return self.end();
        };
        if done >= step.least {
            self.step(at + 1, 0)?;
        }
        if done < step.most {
            let selection = step.action.selection();
            for (condition, heaps) in self.selections(selection)? {
                let mark = self.meaning.path.len();
                let next = self.meaning.next;
                self.meaning.path.push(condition);
                let heaps_before = self.meaning.heaps.clone();
                let locals_before = self.meaning.locals.clone();
                let pick_before = self.meaning.picks.insert(selection.pick, heaps.clone());
                if !self.is_impossible() {
                    self.act(&step.action, &heaps)?;
                    if !self.is_impossible() {
                        self.step(at, done + 1)?;
                    }
                }
                match pick_before {
                    Some(before) => self.meaning.picks.insert(selection.pick, before),
                    None => self.meaning.picks.remove(&selection.pick),
                };
                self.meaning.locals = locals_before;
                self.meaning.heaps = heaps_before;
                self.meaning.path.truncate(mark);
                self.meaning.next = next;
            }
        }
        Ok(())
    }

    /// The sets of heaps that may be selected, each with its condition.
    fn selections(&mut self, selection: &Selection) -> Result<Vec<(Formula, Vec<HeapId>)>, Leaves> {
        let always = |heaps: Vec<HeapId>| (super::formula::TRUE, heaps);
        match &selection.members {
            Members::Listed(listed) => Ok(listed.iter().cloned().map(always).collect()),
            Members::Picked(earlier) => {
                let heaps = self.meaning.picks.get(earlier).cloned();
                Ok(vec![always(heaps.unwrap_or_default())])
            }
            Members::Bag { .. } => Err(Leaves::new("from", "the number of heaps is not fixed")),
            Members::At {
                heaps,
                first,
                index,
            } => {
                let index = self.meaning.number(index)?;
                let mut found = Vec::new();
                for (place, heap) in heaps.iter().enumerate() {
                    let at = constant(first + place as i64);
                    let here = super::meaning::in_some_case(&index, |value| {
                        compared(value, Order::Equal, &at)
                    })?;
                    if here != FALSE {
                        found.push((here, vec![*heap]));
                    }
                }
                let inside = Formula::or(found.iter().map(|(here, _)| here.clone()));
                self.meaning.fault_where(inside.negated());
                Ok(found)
            }
            Members::Left(Left {
                board,
                family: LeftFamily::Consecutive { least, most },
                number: Number::Some { least: 1, most: 1 },
            }) if board.count == self.meaning.heaps.len() => self.left(*least, *most, board.around),
            Members::Left(_) => Err(Leaves::new(
                "heaps",
                "heaps that are left on a shrinking board are chosen otherwise than as \
                 neighbours, or lie beside it",
            )),
        }
    }

    /// Neighbours among the heaps that are left.
    fn left(
        &self,
        least: usize,
        most: usize,
        around: Around,
    ) -> Result<Vec<(Formula, Vec<HeapId>)>, Leaves> {
        let heaps = &self.meaning.heaps;
        let count = heaps.len();
        let empty = |place: usize| Formula::sum(heaps[place].clone(), Relation::Zero);
        let mut found = Vec::new();
        for size in 1..=most.min(count) {
            for set in super::meaning::subsets(count, size) {
                let inside = |place: usize| set.contains(&place);
                let mut any = Vec::new();
                // All that are left, where they are no more than may be taken.
                any.push(Formula::and((0..count).filter(|p| !inside(*p)).map(empty)));
                if size >= least {
                    // From one of the set on to the last of it, what lies
                    // between them is empty.
                    for place in 0..size {
                        let first = set[place];
                        let last = set[(place + size - 1) % size];
                        let length = (last + count - first) % count;
                        if around == Around::Row && first + length >= count {
                            continue;
                        }
                        let between = (0..=length)
                            .map(|step| (first + step) % count)
                            .filter(|p| !inside(*p));
                        any.push(Formula::and(between.map(empty)));
                    }
                }
                let mut all = vec![Formula::or(any)];
                for place in &set {
                    all.push(compared(&constant(1), Order::AtMost, &heaps[*place])?);
                }
                let set = set.into_iter().map(HeapId::new).collect();
                found.push((Formula::and(all), set));
            }
        }
        Ok(found)
    }

    fn act(&mut self, action: &Action, heaps: &[HeapId]) -> Done {
        match action {
            Action::Take {
                amount,
                leaving: None,
                condition,
                ..
            } => self.take(amount, condition.as_deref(), heaps),
            Action::Put {
                amount, condition, ..
            } => {
                if let Some(condition) = condition {
                    let condition = self.meaning.condition(condition)?;
                    self.meaning.path.push(condition);
                }
                let number = variable(self.meaning.fresh());
                let inside = self.meaning.belongs(&certain(number.clone()), amount)?;
                self.meaning.path.push(inside);
                let some = compared(&constant(1), Order::AtMost, &number)?;
                self.meaning.path.push(some);
                self.change(heaps, &vec![number; heaps.len()], 1)
            }
            Action::Take { .. } => Err(Leaves::new("leaving", "a heap is split")),
            Action::Split { .. } => Err(Leaves::new("split", "a heap is split")),
            Action::Slide { .. } => Err(Leaves::new("slide", "tokens go along arcs")),
        }
    }

    fn take(&mut self, amount: &Amount, condition: Option<&Bool>, heaps: &[HeapId]) -> Done {
        let equal = amount.share == Share::Equal;
        let count = if equal { 1 } else { heaps.len() };
        let numbers: Vec<Sum> = (0..count).map(|_| variable(self.meaning.fresh())).collect();
        let amounts = if equal {
            vec![numbers[0].clone(); heaps.len()]
        } else {
            numbers.clone()
        };
        for (heap, number) in heaps.iter().zip(&amounts) {
            let fits = compared(number, Order::AtMost, &self.meaning.heaps[heap.index()])?;
            self.meaning.path.push(fits);
        }
        if let Some(set) = &amount.numbers {
            for number in &numbers {
                let mut inside = self.meaning.belongs(&certain(number.clone()), set)?;
                if count > 1 {
                    let nothing = Formula::sum(number.clone(), Relation::Zero);
                    inside = Formula::or([inside, nothing]);
                }
                self.meaning.path.push(inside);
            }
        }
        let mut some = Vec::new();
        for number in &numbers {
            some.push(compared(&constant(1), Order::AtMost, number)?);
        }
        self.meaning.path.push(Formula::or(some));
        self.meaning.amounts = amounts.clone();
        if let Some(slot) = amount.bound {
            let mut total = constant(0);
            for number in &numbers {
                total = plus(&total, number).ok_or_else(too_large)?;
            }
            self.meaning.locals.insert(slot, total);
        }
        if let Some(condition) = condition {
            let condition = self.meaning.condition(condition)?;
            self.meaning.path.push(condition);
        }
        self.meaning.amounts.clear();
        self.change(heaps, &amounts, -1)
    }

    fn change(&mut self, heaps: &[HeapId], numbers: &[Sum], sign: i64) -> Done {
        for (heap, number) in heaps.iter().zip(numbers) {
            let size = &self.meaning.heaps[heap.index()];
            let changed = if sign < 0 {
                minus(size, number)
            } else {
                plus(size, number)
            };
            self.meaning.heaps[heap.index()] = changed.ok_or_else(too_large)?;
        }
        Ok(())
    }

    /// The move is made.
    fn end(&mut self) -> Done {
        let mark = self.meaning.path.len();
        if let Some(condition) = &self.meaning.game.positions {
            let condition = self.meaning.condition(condition)?;
            self.meaning.path.push(condition);
        }
        let count = self.meaning.heaps.len();
        let mut parts = self.meaning.path.clone();
        let mut touched = Vec::new();
        for (heap, size) in self.meaning.heaps.iter().enumerate() {
            if *size != variable(of_heap(heap)) {
                touched.push(heap);
                parts.push(compared(
                    &variable(of_heap_after(heap)),
                    Order::Equal,
                    size,
                )?);
            }
        }
        self.meaning.path.truncate(mark);
        let own: Vec<Track> = (first_free(count)..self.meaning.next).collect();
        let formula = Formula::exists(own, Formula::and(parts));
        if formula != FALSE {
            self.ways.insert(Way { touched, formula });
        }
        if self.ways.len() > MOST_WAYS {
            return Err(Leaves::new("", "there are too many ways to move"));
        }
        Ok(())
    }
}

fn too_large() -> Leaves {
    Leaves::new("", "its numbers are too large to be counted with")
}
