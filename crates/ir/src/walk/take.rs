//! Steps that take or put: every number of tokens, heap by heap.
//!
//! What a step takes is chosen one heap at a time and judged by its condition
//! when all of it is known; bounds read off the condition beforehand keep the
//! choices few. The position is changed as the choices are made and changed
//! back behind them. Which heaps a step may touch has been decided by now, and
//! what comes after it is for the walk to say.

use super::{End, Stop, Walk, Walker};
use crate::{Node, Numbers, Plan, Take};
use nimrule_model::expr::{Bool, Expr, Fault, HeapId, Pick, PlacedFault, Set};
use nimrule_model::game::Share;
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The bounds on what a step takes: in all, and from each heap.
#[derive(Debug, Clone, Copy)]
struct Reach {
    least: u64,
    most: u64,
    each: u64,
}

/// What is enumerated for a take: the numbers to try, within these bounds, and
/// the condition that is asked of each way to take them.
#[derive(Clone, Copy)]
struct Ways<'t> {
    take: &'t Take,
    numbers: &'t Numbers,
    condition: Option<&'t Expr<Bool>>,
    reach: Reach,
    /// Are the numbers fewer than those that are written?
    has_few_numbers: bool,
}

impl<'t> Ways<'t> {
    /// Everything as it is written.
    fn as_written(take: &'t Take) -> Ways<'t> {
        Ways {
            take,
            numbers: &take.numbers,
            condition: take.whole.as_ref(),
            reach: Reach {
                least: 1,
                most: u64::MAX,
                each: u64::MAX,
            },
            has_few_numbers: false,
        }
    }
}

/// A take from several heaps, while its numbers are chosen.
struct Several<'t> {
    at: NodeIndex,
    ways: Ways<'t>,
    heaps: &'t [HeapId],
}

impl Walker<'_> {
    /// Takes from the heaps chosen, in every way that the step allows.
    pub(super) fn take<V>(&mut self, at: NodeIndex, take: &Take, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let heaps = self.picks[take.pick.index()].clone();
        let ways = match self.planned(take) {
            Ok(Some(ways)) => ways,
            Ok(None) => return Ok(()),
            // The rule may not come to what the plan evaluates beforehand.
            Err(End::Stop(Stop::Fault(_))) => Ways::as_written(take),
            Err(end) => return Err(end),
        };
        let outer = std::mem::take(&mut self.amounts);
        match (take.share, heaps.as_slice()) {
            (Share::Equal, _) => self.take_equally(at, ways, &heaps, visit)?,
            (Share::HeapByHeap, [heap]) => self.take_from_one(at, ways, *heap, visit)?,
            (Share::HeapByHeap, heaps) => {
                let step = Several { at, ways, heaps };
                self.take_from_each(&step, 0, 0, visit)?;
            }
        }
        self.amounts = outer;
        Ok(())
    }

    /// The ways to take by the plan; none where it shows that there are none. A
    /// fault says nothing of the rule.
    fn planned<'t>(&mut self, take: &'t Take) -> Result<Option<Ways<'t>>, End> {
        let plan = &take.plan;
        if let Some(condition) = &plan.beforehand {
            self.attempt()?;
            if !self.holds(condition)? {
                return Ok(None);
            }
        }
        let reach = self.reach(plan)?;
        Ok(Some(Ways {
            take,
            numbers: &plan.numbers,
            condition: plan.afterwards.as_ref(),
            reach,
            has_few_numbers: plan.has_few_numbers,
        }))
    }

    /// The bounds on what a step takes, worked out before it takes anything.
    fn reach(&mut self, plan: &Plan) -> Result<Reach, PlacedFault> {
        let mut reach = Reach {
            least: 1,
            most: u64::MAX,
            each: u64::MAX,
        };
        for bound in &plan.at_least {
            let bound = u64::try_from(self.number(bound)?).unwrap_or(0);
            reach.least = reach.least.max(bound);
        }
        for bound in &plan.at_most {
            let bound = u64::try_from(self.number(bound)?).unwrap_or(0);
            reach.most = reach.most.min(bound);
        }
        for bound in &plan.each_at_most {
            let bound = self.number(bound)?;
            // Not even nothing may be taken where a bound is negative.
            match u64::try_from(bound) {
                Ok(bound) => reach.each = reach.each.min(bound),
                Err(_) => reach.most = 0,
            }
        }
        Ok(reach)
    }

    /// Takes a number of tokens from the one heap chosen.
    fn take_from_one<V>(
        &mut self,
        at: NodeIndex,
        ways: Ways<'_>,
        heap: HeapId,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let Reach { least, most, each } = ways.reach;
        let most = self.position[heap.index()].min(most).min(each);
        let take = ways.take;
        let plain = ways.condition.is_none() && take.bound.is_none() && take.leaving.is_none();
        match ways.numbers {
            // PERF: nothing is left to be judged number by number.
            Numbers::Any if plain && least <= 1 => {
                self.take_last(at, heap, most, 0, visit)?;
            }
            Numbers::Any => {
                for number in least..=most {
                    self.take_single(at, ways, heap, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed
                    .iter()
                    .skip_while(|n| **n < least)
                    .take_while(|n| **n <= most)
                {
                    self.take_single(at, ways, heap, *number, visit)?;
                }
            }
            Numbers::Set(set) => {
                let numbers = match self.positive_members(set, most) {
                    // As with all that is planned.
                    Err(_) if ways.has_few_numbers => {
                        return self.take_from_one(at, Ways::as_written(take), heap, visit);
                    }
                    numbers => numbers?,
                };
                for number in numbers {
                    if number >= least {
                        self.take_single(at, ways, heap, number, visit)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_single<V>(
        &mut self,
        at: NodeIndex,
        ways: Ways<'_>,
        heap: HeapId,
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        if let Some(slot) = ways.take.bound {
            self.locals[slot.index()] = number as i64;
        }
        if let Some(condition) = ways.condition {
            self.attempt()?;
            self.amounts.clear();
            self.amounts.push(number);
            if !self.holds(condition)? {
                return Ok(());
            }
        }
        self.lower(heap, number);
        let result = match ways.take.leaving {
            None => self.go_on(at, visit),
            Some(leaving) => self.leave(at, heap, leaving, visit),
        };
        self.raise(heap, number);
        result
    }

    /// Takes from the heaps from the `next`th on, having taken `taken` so far.
    fn take_from_each<V>(
        &mut self,
        step: &Several<'_>,
        next: usize,
        taken: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let Some(&heap) = step.heaps.get(next) else {
            return self.taken(step, taken, visit);
        };
        let room = step.ways.reach.each.min(step.ways.reach.most - taken);
        let size = self.position[heap.index()].min(room);
        let plain = step.ways.condition.is_none() && step.ways.take.bound.is_none();
        if plain
            && step.ways.reach.least <= 1
            && next + 1 == step.heaps.len()
            && matches!(step.ways.numbers, Numbers::Any)
        {
            return self.take_last(step.at, heap, size, taken, visit);
        }
        let members = match step.ways.numbers {
            Numbers::Set(set) => {
                // The set speaks of the position as the step began.
                self.give_back(step.heaps);
                let members = self.positive_members(set, size);
                self.take_again(step.heaps);
                members?
            }
            Numbers::Any | Numbers::Listed(_) => SmallVec::new(),
        };
        self.amounts.push(0);
        self.take_from_each(step, next + 1, taken, visit)?;
        match step.ways.numbers {
            // A heap may be far too large for a list of these.
            Numbers::Any => {
                for number in 1..=size {
                    self.take_as_well(step, next, taken, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed.iter().take_while(|n| **n <= size) {
                    self.take_as_well(step, next, taken, *number, visit)?;
                }
            }
            Numbers::Set(_) => {
                for number in members {
                    self.take_as_well(step, next, taken, number, visit)?;
                }
            }
        }
        self.amounts.truncate(next);
        Ok(())
    }

    /// Takes `number` from the `next`th heap, and then from those after it.
    fn take_as_well<V>(
        &mut self,
        step: &Several<'_>,
        next: usize,
        taken: u64,
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let heap = step.heaps[next];
        self.lower(heap, number);
        self.amounts[next] = number;
        // A total that passes u64 is too large for every bound, too.
        self.take_from_each(step, next + 1, taken.saturating_add(number), visit)?;
        self.raise(heap, number);
        Ok(())
    }

    /// Any number up to `most` from the last heap of a step that asks nothing.
    //
    // PERF: the innermost loop of most games; nothing is looked up in it.
    fn take_last<V>(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        most: u64,
        taken: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        if taken > 0 {
            self.go_on(at, visit)?;
        }
        let stride = self.strides[heap.index()];
        let next = self.graph.after(at)[0];
        let ends = matches!(self.graph.node(next), Node::End)
            && self.graph.positions.is_none()
            && self.graph.kinds.is_none();
        let mut left = most;
        while left > 0 {
            let some = left.min(1 << 12);
            for _ in 0..some {
                self.position[heap.index()] -= 1;
                self.place -= stride;
                if !ends {
                    self.walk(next, visit)?;
                } else if visit(&self.position, self.place).is_break() {
                    return Err(End::Enough);
                }
            }
            left -= some;
            self.step(some)?;
        }
        self.raise(heap, most);
        Ok(())
    }

    /// All heaps of the selection have been taken from.
    fn taken<V>(&mut self, step: &Several<'_>, taken: u64, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        self.step(1)?;
        if taken < step.ways.reach.least {
            return Ok(());
        }
        if let Some(slot) = step.ways.take.bound {
            self.locals[slot.index()] =
                i64::try_from(taken).map_err(|_| Fault::Overflow.at(self.graph.span(step.at)))?;
        }
        if let Some(condition) = step.ways.condition {
            self.attempt()?;
            // The condition speaks of the position as the step began.
            self.give_back(step.heaps);
            let holds = self.holds(condition);
            self.take_again(step.heaps);
            if !holds? {
                return Ok(());
            }
        }
        // Steps that follow have amounts of their own.
        let amounts = std::mem::take(&mut self.amounts);
        self.go_on(step.at, visit)?;
        self.amounts = amounts;
        Ok(())
    }

    /// Counts a choice that a condition is to judge.
    fn attempt(&mut self) -> Walk {
        self.attempts += 1;
        if self.attempts > self.patience {
            return Err(End::Enough);
        }
        self.step(1)
    }

    /// Takes the same positive number from each heap.
    fn take_equally<V>(
        &mut self,
        at: NodeIndex,
        ways: Ways<'_>,
        heaps: &[HeapId],
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let most = heaps
            .iter()
            .map(|h| self.position[h.index()])
            .min()
            .unwrap_or(0);
        match ways.numbers {
            // A heap may be far too large for a list of these.
            Numbers::Any => {
                for number in 1..=most {
                    self.take_the_same(at, ways, heaps, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed.iter().take_while(|n| **n <= most) {
                    self.take_the_same(at, ways, heaps, *number, visit)?;
                }
            }
            Numbers::Set(set) => {
                for number in self.positive_members(set, most)? {
                    self.take_the_same(at, ways, heaps, number, visit)?;
                }
            }
        }
        Ok(())
    }

    fn take_the_same<V>(
        &mut self,
        at: NodeIndex,
        ways: Ways<'_>,
        heaps: &[HeapId],
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        if let Some(slot) = ways.take.bound {
            self.locals[slot.index()] = number as i64;
        }
        if let Some(condition) = ways.condition {
            self.attempt()?;
            self.amounts.clear();
            self.amounts.resize(heaps.len(), number);
            if !self.holds(condition)? {
                return Ok(());
            }
        }
        for heap in heaps {
            self.lower(*heap, number);
        }
        self.go_on(at, visit)?;
        for heap in heaps {
            self.raise(*heap, number);
        }
        Ok(())
    }

    /// Puts the same number on each heap chosen.
    pub(super) fn put<V>(
        &mut self,
        at: NodeIndex,
        pick: Pick,
        (amount, numbers): (&Expr<Set>, &Numbers),
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let heaps = self.picks[pick.index()].clone();
        let numbers: SmallVec<[u64; 16]> = match numbers {
            Numbers::Any => SmallVec::new(),
            Numbers::Listed(listed) => SmallVec::from_slice(listed),
            Numbers::Set(set) => self.positive_members(set, i64::MAX.unsigned_abs())?,
        };
        for number in numbers {
            if let Some(condition) = condition
                && !self.holds(condition)?
            {
                continue;
            }
            for heap in &heaps {
                let raised = self.position[heap.index()].checked_add(number);
                if raised.is_none_or(|size| size > i64::MAX.unsigned_abs()) {
                    return Err(Fault::Overflow.at(amount.span).into());
                }
                self.raise(*heap, number);
            }
            self.go_on(at, visit)?;
            for heap in &heaps {
                self.lower(*heap, number);
            }
        }
        Ok(())
    }

    fn give_back(&mut self, heaps: &[HeapId]) {
        for (heap, amount) in heaps.iter().zip(&self.amounts) {
            self.position[heap.index()] += amount;
        }
    }

    fn take_again(&mut self, heaps: &[HeapId]) {
        for (heap, amount) in heaps.iter().zip(&self.amounts) {
            self.position[heap.index()] -= amount;
        }
    }
}
