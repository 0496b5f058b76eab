//! Take and put steps: enumeration of amounts, heap by heap.
//!
//! The amounts are chosen one heap at a time, within the bounds of the
//! [`Plan`]; the remaining condition is evaluated once all amounts are known. The
//! position is updated with each choice and restored on backtracking. The heaps
//! are chosen by the choice node before.

use super::{Exit, Stop, Walk, Walker};
use crate::{Node, Numbers, Plan, Take};
use nimrule_model::expr::{Bool, Expr, Fault, HeapId, Pick, PlacedFault, Set};
use nimrule_model::game::Share;
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The bounds on the amount of a step: on the total, and on each heap.
#[derive(Debug, Clone, Copy)]
struct TakeBounds {
    least: u64,
    most: u64,
    each: u64,
}

/// The enumeration of a take: candidate numbers, bounds, and the condition that
/// filters them.
#[derive(Clone, Copy)]
struct Enumeration<'t> {
    take: &'t Take,
    numbers: &'t Numbers,
    condition: Option<&'t Expr<Bool>>,
    bounds: TakeBounds,
    /// Whether the numbers were solved from the condition.
    has_few_numbers: bool,
}

impl<'t> Enumeration<'t> {
    /// The enumeration without a plan: the numbers and the condition as written.
    fn as_written(take: &'t Take) -> Enumeration<'t> {
        Enumeration {
            take,
            numbers: &take.numbers,
            condition: take.whole.as_ref(),
            bounds: TakeBounds {
                least: 1,
                most: u64::MAX,
                each: u64::MAX,
            },
            has_few_numbers: false,
        }
    }
}

/// A take from several heaps during the choice of its amounts.
struct SeveralHeaps<'t> {
    at: NodeIndex,
    enumeration: Enumeration<'t>,
    heaps: &'t [HeapId],
}

impl Walker<'_> {
    /// Enumerates all amounts that the step allows from the heaps chosen.
    pub(super) fn take<V>(&mut self, at: NodeIndex, take: &Take, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let heaps = self.picks[take.pick.index()].clone();
        let enumeration = match self.planned(take) {
            Ok(Some(enumeration)) => enumeration,
            Ok(None) => return Ok(()),
            // The rule as written may not evaluate the part of the plan that failed.
            Err(Exit::Stop(Stop::Fault(_))) => Enumeration::as_written(take),
            Err(end) => return Err(end),
        };
        let outer = std::mem::take(&mut self.amounts);
        match (take.share, heaps.as_slice()) {
            (Share::Equal, _) => self.take_equally(at, enumeration, &heaps, visit)?,
            (Share::HeapByHeap, [heap]) => self.take_from_one(at, enumeration, *heap, visit)?,
            (Share::HeapByHeap, heaps) => {
                let step = SeveralHeaps {
                    at,
                    enumeration,
                    heaps,
                };
                self.take_from_each(&step, 0, 0, visit)?;
            }
        }
        self.amounts = outer;
        Ok(())
    }

    /// The enumeration by the plan; `None` if no amount is possible. An error need
    /// not be an error of the rule as written.
    fn planned<'t>(&mut self, take: &'t Take) -> Result<Option<Enumeration<'t>>, Exit> {
        let plan = &take.plan;
        if let Some(condition) = &plan.before_numbers {
            self.attempt()?;
            if !self.holds(condition)? {
                return Ok(None);
            }
        }
        let bounds = self.take_bounds(plan)?;
        Ok(Some(Enumeration {
            take,
            numbers: &plan.numbers,
            condition: plan.per_number.as_ref(),
            bounds,
            has_few_numbers: plan.has_few_numbers,
        }))
    }

    /// Evaluates the bounds of a step in the position before it.
    fn take_bounds(&mut self, plan: &Plan) -> Result<TakeBounds, PlacedFault> {
        let mut bounds = TakeBounds {
            least: 1,
            most: u64::MAX,
            each: u64::MAX,
        };
        for bound in &plan.at_least {
            let bound = u64::try_from(self.number(bound)?).unwrap_or(0);
            bounds.least = bounds.least.max(bound);
        }
        for bound in &plan.at_most {
            let bound = u64::try_from(self.number(bound)?).unwrap_or(0);
            bounds.most = bounds.most.min(bound);
        }
        for bound in &plan.each_at_most {
            let bound = self.number(bound)?;
            // A negative bound excludes even the amount 0.
            match u64::try_from(bound) {
                Ok(bound) => bounds.each = bounds.each.min(bound),
                Err(_) => bounds.most = 0,
            }
        }
        Ok(bounds)
    }

    /// Enumerates the amounts from the only heap chosen.
    fn take_from_one<V>(
        &mut self,
        at: NodeIndex,
        enumeration: Enumeration<'_>,
        heap: HeapId,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let TakeBounds { least, most, each } = enumeration.bounds;
        let most = self.position[heap.index()].min(most).min(each);
        let take = enumeration.take;
        let is_unconditional =
            enumeration.condition.is_none() && take.bound.is_none() && take.leaving.is_none();
        match enumeration.numbers {
            // PERF: no condition is left to evaluate for each number.
            Numbers::Any if is_unconditional && least <= 1 => {
                self.take_last(at, heap, most, 0, visit)?;
            }
            Numbers::Any => {
                for number in least..=most {
                    self.take_single(at, enumeration, heap, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed
                    .iter()
                    .skip_while(|n| **n < least)
                    .take_while(|n| **n <= most)
                {
                    self.take_single(at, enumeration, heap, *number, visit)?;
                }
            }
            Numbers::Set(set) => {
                let numbers = match self.positive_members(set, most) {
                    // As for all parts of a plan.
                    Err(_) if enumeration.has_few_numbers => {
                        return self.take_from_one(at, Enumeration::as_written(take), heap, visit);
                    }
                    numbers => numbers?,
                };
                for number in numbers {
                    if number >= least {
                        self.take_single(at, enumeration, heap, number, visit)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_single<V>(
        &mut self,
        at: NodeIndex,
        enumeration: Enumeration<'_>,
        heap: HeapId,
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if let Some(slot) = enumeration.take.bound {
            self.locals[slot.index()] = number as i64;
        }
        if let Some(condition) = enumeration.condition {
            self.attempt()?;
            self.amounts.clear();
            self.amounts.push(number);
            if !self.holds(condition)? {
                return Ok(());
            }
        }
        self.lower(heap, number);
        let result = match enumeration.take.leaving {
            None => self.continue_from(at, visit),
            Some(leaving) => self.leave(at, heap, leaving, visit),
        };
        self.raise(heap, number);
        result
    }

    /// Enumerates the amounts from `heaps[next..]`, after `taken` tokens from the
    /// heaps before.
    fn take_from_each<V>(
        &mut self,
        step: &SeveralHeaps<'_>,
        next: usize,
        taken: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let Some(&heap) = step.heaps.get(next) else {
            return self.taken(step, taken, visit);
        };
        let room = step
            .enumeration
            .bounds
            .each
            .min(step.enumeration.bounds.most - taken);
        let size = self.position[heap.index()].min(room);
        let is_unconditional =
            step.enumeration.condition.is_none() && step.enumeration.take.bound.is_none();
        if is_unconditional
            && step.enumeration.bounds.least <= 1
            && next + 1 == step.heaps.len()
            && matches!(step.enumeration.numbers, Numbers::Any)
        {
            return self.take_last(step.at, heap, size, taken, visit);
        }
        let members = match step.enumeration.numbers {
            Numbers::Set(set) => {
                // The set reads the position at the start of the step.
                self.restore_heaps(step.heaps);
                let members = self.positive_members(set, size);
                self.reapply_amounts(step.heaps);
                members?
            }
            Numbers::Any | Numbers::Listed(_) => SmallVec::new(),
        };
        self.amounts.push(0);
        self.take_from_each(step, next + 1, taken, visit)?;
        match step.enumeration.numbers {
            // The heap may be too large for a list of the numbers.
            Numbers::Any => {
                for number in 1..=size {
                    self.take_then_rest(step, next, taken, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed.iter().take_while(|n| **n <= size) {
                    self.take_then_rest(step, next, taken, *number, visit)?;
                }
            }
            Numbers::Set(_) => {
                for number in members {
                    self.take_then_rest(step, next, taken, number, visit)?;
                }
            }
        }
        self.amounts.truncate(next);
        Ok(())
    }

    /// Takes `number` from heap `next` and enumerates the amounts of later heaps.
    fn take_then_rest<V>(
        &mut self,
        step: &SeveralHeaps<'_>,
        next: usize,
        taken: u64,
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let heap = step.heaps[next];
        self.lower(heap, number);
        self.amounts[next] = number;
        // A saturated total exceeds every bound, too.
        self.take_from_each(step, next + 1, taken.saturating_add(number), visit)?;
        self.raise(heap, number);
        Ok(())
    }

    /// Enumerates the numbers up to `most` from the last heap of a step without a
    /// condition.
    //
    // PERF: the innermost loop of most games.
    fn take_last<V>(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        most: u64,
        taken: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if taken > 0 {
            self.continue_from(at, visit)?;
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
                    return Err(Exit::Stopped);
                }
            }
            left -= some;
            self.step(some)?;
        }
        self.raise(heap, most);
        Ok(())
    }

    /// Continues the walk after an amount is chosen for every heap of the step.
    fn taken<V>(&mut self, step: &SeveralHeaps<'_>, taken: u64, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.step(1)?;
        if taken < step.enumeration.bounds.least {
            return Ok(());
        }
        if let Some(slot) = step.enumeration.take.bound {
            self.locals[slot.index()] =
                i64::try_from(taken).map_err(|_| Fault::Overflow.at(self.graph.span(step.at)))?;
        }
        if let Some(condition) = step.enumeration.condition {
            self.attempt()?;
            // The condition reads the position at the start of the step.
            self.restore_heaps(step.heaps);
            let holds = self.holds(condition);
            self.reapply_amounts(step.heaps);
            if !holds? {
                return Ok(());
            }
        }
        // Later steps have their own amounts.
        let amounts = std::mem::take(&mut self.amounts);
        self.continue_from(step.at, visit)?;
        self.amounts = amounts;
        Ok(())
    }

    /// Counts one evaluation of a condition on amounts.
    fn attempt(&mut self) -> Walk {
        self.attempts += 1;
        if self.attempts > self.max_attempts {
            return Err(Exit::Stopped);
        }
        self.step(1)
    }

    /// Takes the same positive number from each heap.
    fn take_equally<V>(
        &mut self,
        at: NodeIndex,
        enumeration: Enumeration<'_>,
        heaps: &[HeapId],
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let most = heaps
            .iter()
            .map(|h| self.position[h.index()])
            .min()
            .unwrap_or(0);
        match enumeration.numbers {
            // The heap may be too large for a list of the numbers.
            Numbers::Any => {
                for number in 1..=most {
                    self.take_the_same(at, enumeration, heaps, number, visit)?;
                }
            }
            Numbers::Listed(listed) => {
                for number in listed.iter().take_while(|n| **n <= most) {
                    self.take_the_same(at, enumeration, heaps, *number, visit)?;
                }
            }
            Numbers::Set(set) => {
                for number in self.positive_members(set, most)? {
                    self.take_the_same(at, enumeration, heaps, number, visit)?;
                }
            }
        }
        Ok(())
    }

    fn take_the_same<V>(
        &mut self,
        at: NodeIndex,
        enumeration: Enumeration<'_>,
        heaps: &[HeapId],
        number: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if let Some(slot) = enumeration.take.bound {
            self.locals[slot.index()] = number as i64;
        }
        if let Some(condition) = enumeration.condition {
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
        self.continue_from(at, visit)?;
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
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
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
            self.continue_from(at, visit)?;
            for heap in &heaps {
                self.lower(*heap, number);
            }
        }
        Ok(())
    }

    fn restore_heaps(&mut self, heaps: &[HeapId]) {
        for (heap, amount) in heaps.iter().zip(&self.amounts) {
            self.position[heap.index()] += amount;
        }
    }

    fn reapply_amounts(&mut self, heaps: &[HeapId]) {
        for (heap, amount) in heaps.iter().zip(&self.amounts) {
            self.position[heap.index()] -= amount;
        }
    }
}
