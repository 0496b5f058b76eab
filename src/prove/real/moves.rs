//! The moves of a rule, between the sizes before and behind them.
//!
//! A way to move is a choice of alternative and of the heaps that each step
//! selects; the amounts stay open, and may be any that are not negative.

use super::formula::{Formula, Relation};
use super::number::{Polynomial, Variable, first_free, of_heap, whole};
use super::read::{ALWAYS, NEVER, Read, Reader, Said, certain, compared};
use crate::expr::{HeapId, Order};
use crate::game::{Action, Amount, Game, Members, Move, Selection, Share};
use crate::prove::outside::{Leaves, Outside};
use crate::source::Span;

/// A way to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The amounts, which the condition and the sizes behind speak of.
    pub amounts: Vec<Variable>,
    /// When they may be taken, whatever positions there are.
    pub condition: Said,
    /// What the heaps become that may change, ascending.
    pub behind: Vec<(usize, Polynomial)>,
    /// The alternative that it belongs to.
    pub span: Span,
}

/// All ways to move.
#[derive(Debug, Clone)]
pub struct Ways {
    pub all: Vec<Way>,
    /// Where an expression of the rule has no value, by alternative.
    pub faults: Vec<(Said, Span)>,
}

/// A rule with more ways to move than this is not gone into.
const MOST_WAYS: usize = 2_000;

/// Reads the ways to move off the rule.
pub fn ways(game: &Game) -> Result<Ways, Outside> {
    let mut all = Vec::new();
    let mut faults = Vec::new();
    for mover in &game.moves {
        let mut walk = Walk {
            reader: Reader::of_heaps(game),
            mover,
            ways: &mut all,
        };
        walk.begin().map_err(|leaves| leaves.within(mover.span))?;
        let of_mover = walk.reader.faults.into_iter();
        faults.extend(of_mover.map(|fault| (fault, mover.span)));
    }
    Ok(Ways { all, faults })
}

/// Goes through an alternative, step by step. What is known so far is the
/// reader's path.
struct Walk<'w, 'g> {
    reader: Reader<'g>,
    mover: &'g Move,
    ways: &'w mut Vec<Way>,
}

impl Walk<'_, '_> {
    fn begin(&mut self) -> Read<()> {
        if self.mover.side.is_some() {
            return Err(Leaves::new("", "each side has moves of its own"));
        }
        if !self.mover.choices.is_empty() {
            return Err(Leaves::new("for", "a set of whole numbers is chosen from"));
        }
        if let Some(when) = &self.mover.when {
            let when = self.reader.condition(when)?;
            self.reader.path.push(when);
        }
        self.step(0, 0)
    }

    fn is_impossible(&self) -> bool {
        self.reader.path.contains(&NEVER)
    }

    /// The `at`th step, done so often already.
    fn step(&mut self, at: usize, done: u64) -> Read<()> {
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
                let mark = self.reader.path.len();
                let next = self.reader.next;
                self.reader.path.push(condition);
                let heaps_before = self.reader.heaps.clone();
                let locals_before = self.reader.locals.clone();
                let pick_before = self.reader.picks.insert(selection.pick, heaps.clone());
                if !self.is_impossible() {
                    self.act(&step.action, &heaps)?;
                    if !self.is_impossible() {
                        self.step(at, done + 1)?;
                    }
                }
                match pick_before {
                    Some(before) => self.reader.picks.insert(selection.pick, before),
                    None => self.reader.picks.remove(&selection.pick),
                };
                self.reader.locals = locals_before;
                self.reader.heaps = heaps_before;
                self.reader.path.truncate(mark);
                self.reader.next = next;
            }
        }
        Ok(())
    }

    /// The sets of heaps that may be selected, each with its condition.
    fn selections(&mut self, selection: &Selection) -> Read<Vec<(Said, Vec<HeapId>)>> {
        match &selection.members {
            Members::Listed(listed) => {
                Ok(listed.iter().map(|heaps| (ALWAYS, heaps.clone())).collect())
            }
            Members::Picked(earlier) => {
                let heaps = self.reader.picks.get(earlier).cloned();
                Ok(vec![(ALWAYS, heaps.unwrap_or_default())])
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                let index = self.reader.number(index)?;
                let mut found = Vec::new();
                for (place, heap) in heaps.iter().enumerate() {
                    let at = Polynomial::constant(whole(first + place as i64));
                    let here = index.iter().map(|case| {
                        Formula::and([case.guard.clone(), compared(&case.value, Order::Equal, &at)])
                    });
                    found.push((Formula::or(here), vec![*heap]));
                }
                Ok(found)
            }
            Members::Bag { .. } | Members::Left(_) => {
                Err(Leaves::new("from", "the number of heaps is not fixed"))
            }
        }
    }

    fn act(&mut self, action: &crate::game::Action, heaps: &[HeapId]) -> Read<()> {
        match action {
            Action::Take {
                amount,
                leaving: None,
                condition,
                ..
            } => {
                self.take(amount, heaps)?;
                if let Some(condition) = condition {
                    let condition = self.reader.condition(condition)?;
                    self.reader.path.push(condition);
                }
                let amounts = std::mem::take(&mut self.reader.amounts);
                self.change(heaps, &amounts, Polynomial::minus);
                Ok(())
            }
            Action::Put {
                amount, condition, ..
            } => {
                if let Some(condition) = condition {
                    let condition = self.reader.condition(condition)?;
                    self.reader.path.push(condition);
                }
                let number = Polynomial::variable(self.reader.fresh());
                let inside = self.reader.belongs(&certain(number.clone()), amount)?;
                self.reader.path.push(inside);
                self.more_than_nothing(std::slice::from_ref(&number));
                self.change(heaps, &vec![number; heaps.len()], Polynomial::plus);
                Ok(())
            }
            Action::Take { .. } => Err(Leaves::new("leaving", "a heap is split")),
            Action::Split { .. } => Err(Leaves::new("split", "a heap is split")),
            Action::Slide { .. } => Err(Leaves::new("slide", "tokens go along arcs")),
        }
    }

    /// Chooses the amounts that a step takes.
    fn take(&mut self, amount: &Amount, heaps: &[HeapId]) -> Read<()> {
        let equal = amount.share == Share::Equal;
        let count = if equal { 1 } else { heaps.len() };
        let numbers: Vec<Polynomial> = (0..count)
            .map(|_| Polynomial::variable(self.reader.fresh()))
            .collect();
        self.reader.amounts = if equal {
            vec![numbers[0].clone(); heaps.len()]
        } else {
            numbers.clone()
        };
        for (heap, number) in heaps.iter().zip(&self.reader.amounts) {
            let size = &self.reader.heaps[heap.index()];
            let fits = compared(number, Order::AtMost, size);
            self.reader.path.push(fits);
        }
        if let Some(set) = &amount.numbers {
            for number in &numbers {
                let mut inside = self.reader.belongs(&certain(number.clone()), set)?;
                if count > 1 {
                    let nothing = Formula::compare(number.clone(), Relation::Zero);
                    inside = Formula::or([inside, nothing]);
                }
                self.reader.path.push(inside);
            }
        }
        self.more_than_nothing(&numbers);
        if let Some(slot) = amount.bound {
            self.reader.locals.insert(slot, sum_of(&numbers));
        }
        Ok(())
    }

    /// One of the numbers is not 0. That says the same as of their sum, but of
    /// each by itself.
    fn more_than_nothing(&mut self, numbers: &[Polynomial]) {
        let nothing = Polynomial::constant(whole(0));
        let some = numbers
            .iter()
            .map(|number| compared(&nothing, Order::Less, number));
        self.reader.path.push(Formula::or(some));
    }

    fn change(
        &mut self,
        heaps: &[HeapId],
        amounts: &[Polynomial],
        changed: impl Fn(&Polynomial, &Polynomial) -> Polynomial,
    ) {
        for (heap, amount) in heaps.iter().zip(amounts) {
            let size = &mut self.reader.heaps[heap.index()];
            *size = changed(size, amount);
        }
    }

    /// The move is made.
    fn end(&mut self) -> Read<()> {
        let heaps = self.reader.heaps.iter().enumerate();
        let behind = heaps.filter(|(heap, size)| **size != Polynomial::variable(of_heap(*heap)));
        let way = Way {
            behind: behind.map(|(heap, size)| (heap, size.clone())).collect(),
            amounts: (first_free(self.reader.heaps.len())..self.reader.next).collect(),
            condition: Formula::and(self.reader.path.iter().cloned()),
            span: self.mover.span,
        };
        let known = |other: &Way| {
            other.behind == way.behind
                && other.condition == way.condition
                && other.amounts == way.amounts
        };
        if way.condition != NEVER && !self.ways.iter().any(known) {
            self.ways.push(way);
        }
        if self.ways.len() > MOST_WAYS {
            return Err(Leaves::new("", "there are too many ways to move"));
        }
        Ok(())
    }
}

fn sum_of(numbers: &[Polynomial]) -> Polynomial {
    let nothing = Polynomial::constant(whole(0));
    numbers.iter().fold(nothing, |sum, number| sum.plus(number))
}
