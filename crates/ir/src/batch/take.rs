//! Batch evaluation of take steps.
//!
//! The order is that of [`Walker`](crate::Walker): heap by heap, within bounds
//! evaluated before the enumeration, filtered by the remaining condition. Numbers
//! that end the move without a condition become one [`Run`]. A condition on the
//! remainder of the number alone makes the run an arithmetic progression.

use super::deferred::DeferredGuard;
use super::expr::{Item, Members};
use super::mask::{Mask, bits_of};
use super::prepared::Prepared;
use super::value::{MOST, Value};
use super::{Batch, OptionSink, Run, Walk};
use crate::{Node, Numbers, Take};
use nimrule_limits::LimitExceeded;
use nimrule_model::expr::{HeapId, Num, Order, Set};
use nimrule_model::game::Share;
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// A take step with the heaps chosen.
pub(super) struct Step<'s> {
    pub at: NodeIndex,
    pub take: &'s Take,
    pub heaps: &'s [HeapId],
    /// The condition on the numbers, if any.
    pub prepared: Option<&'s Rc<Prepared>>,
}

/// The bounds on the amount of a step: on the total, and on each heap.
pub(super) struct TakeBounds {
    pub least: Value,
    pub most: Value,
    pub each: Value,
}

/// The numbers that may be taken from a heap, all at least 1.
pub(super) enum Amounts {
    Between(Value, Value),
    Items(Vec<Item>),
}

impl Batch<'_> {
    /// Enumerates all amounts that the step allows from the heaps chosen.
    pub(super) fn take<S: OptionSink>(
        &mut self,
        at: NodeIndex,
        take: &Take,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        let allowed;
        let mut may = active;
        if let Some(condition) = &take.plan.before_numbers {
            allowed = self.holds(condition, active);
            may = &allowed;
            if may.is_empty() {
                return Ok(());
            }
        }
        let heaps = self.picks[take.pick.index()].clone();
        // Where the heap is empty no number is chosen, and the condition is not evaluated. A
        // set is evaluated even then.
        let not_empty;
        if let (Share::HeapByHeap, [heap]) = (take.share, heaps.as_slice())
            && !matches!(take.plan.numbers, Numbers::Set(_))
        {
            let size = self.size(*heap, may);
            not_empty = Value::Same(1).compare(Order::AtMost, &size, may);
            may = &not_empty;
            if may.is_empty() {
                return Ok(());
            }
        }
        let outer = std::mem::take(&mut self.amounts);
        let prepared = self.prepare(at, may);
        let step = Step {
            at,
            take,
            heaps: &heaps,
            prepared: prepared.as_ref().map(|(prepared, _)| prepared),
        };
        match (take.share, heaps.as_slice()) {
            (Share::Equal, _) => self.take_equally(&step, may, sink)?,
            (Share::HeapByHeap, [heap]) => self.take_from_one(&step, *heap, may, sink)?,
            (Share::HeapByHeap, _) => {
                let bounds = self.take_bounds(at, may);
                self.take_from_each(&step, &bounds, 0, 0, may, sink)?;
            }
        }
        if let Some((prepared, names)) = prepared {
            self.restore_locals(&prepared, names);
        }
        self.amounts = outer;
        Ok(())
    }

    /// A bound of amounts. One that is too large for a lane is replaced by the largest
    /// number of a lane, since no lane has as many tokens.
    fn bound(&mut self, bound: &Num, active: &Mask) -> Value {
        let before = std::mem::replace(&mut self.fallback, Mask::none());
        let value = self.number(bound, active);
        let large = std::mem::replace(&mut self.fallback, before);
        let tokens = self.sizes.iter().map(|size| size.bounds().1);
        let tokens = tokens.fold(0, i64::saturating_add);
        if large.is_empty() || tokens > MOST {
            self.fallback.add(&large);
            return value;
        }
        let mut numbers = Vec::with_capacity(active.count());
        let mut faults = Mask::none();
        for lane in active.lanes() {
            match bound.eval(&mut self.environment(lane)) {
                Ok(number) => numbers.push((lane, number.clamp(-MOST, MOST))),
                Err(_) => faults.add(&Mask::of(active, |other| other == lane)),
            }
        }
        self.fallback.add(&faults);
        Value::gathered(&numbers).unwrap_or(value)
    }

    /// Evaluates the bounds of a step in the position before it.
    fn take_bounds(&mut self, at: NodeIndex, active: &Mask) -> TakeBounds {
        let terms = self.conditions.bounds[at.index()].clone();
        let nothing = Value::Same(0);
        let mut bounds = TakeBounds {
            least: Value::Same(1),
            most: Value::Same(i64::MAX),
            each: Value::Same(i64::MAX),
        };
        let Some(terms) = terms else { return bounds };
        for bound in &terms.at_least {
            let bound = self.bound(bound, active);
            bounds.least = bounds.least.max(&bound, active);
        }
        for bound in &terms.at_most {
            let bound = self.bound(bound, active);
            bounds.most = bounds.most.min(&bound.max(&nothing, active), active);
        }
        for bound in &terms.each_at_most {
            let bound = self.bound(bound, active);
            bounds.each = bounds.each.min(&bound, active);
        }
        // A negative bound excludes even the amount 0.
        if bounds.each.bounds().0 < 0 {
            let none = bounds.each.compare(Order::Less, &nothing, active);
            let pool = nothing.select(
                &none,
                &bounds.most.min(&Value::Same(1 << 29), active),
                active,
            );
            match pool {
                Some(most) => bounds.most = most,
                None => self.fallback.add(active),
            }
            bounds.each = bounds.each.max(&nothing, active);
        }
        bounds
    }

    /// Whether the move ends after this node.
    pub(super) fn is_last_step(&self, at: NodeIndex) -> bool {
        let mut next = self.graph.after(at)[0];
        loop {
            match self.graph.node(next) {
                Node::End => return true,
                // The last iteration.
                Node::Repeat { counter, most, .. } if self.counters[*counter] >= *most => {
                    let [_, exit] = self.graph.after(next) else {
                        return false;
                    };
                    next = *exit;
                }
                _ => return false,
            }
        }
    }

    /// The numbers up to `most` that a step may take from a heap; `None` if the
    /// lanes must fall back to the concrete walk.
    pub(super) fn amounts_of(
        &mut self,
        numbers: &Numbers,
        most: &Value,
        active: &Mask,
    ) -> Option<Amounts> {
        match numbers {
            Numbers::Any => Some(Amounts::Between(Value::Same(1), most.clone())),
            Numbers::Listed(listed) => {
                let (_, high) = most.range(active);
                let items = listed
                    .iter()
                    .map(|number| *number as i64)
                    .take_while(|number| *number <= high);
                Some(Amounts::Items(
                    items
                        .map(|number| Item {
                            value: Value::Same(number),
                            of: Some(Value::between(&Value::Same(0), number, most, active)),
                        })
                        .collect(),
                ))
            }
            Numbers::Set(set) => {
                let (_, high) = most.range(active);
                let one = Value::Same(1);
                self.members_counted = 0;
                match self.numbers_to(set, high, active)? {
                    Members::Between(low, high) => {
                        let most = most.min(&high, active);
                        Some(Amounts::Between(low.max(&one, active), most))
                    }
                    Members::Items(items) => {
                        let in_bounds = |item: Item| {
                            let above =
                                one.compare(Order::AtMost, &item.value, &item.among(active));
                            let of = item.value.compare(Order::AtMost, most, &above);
                            Item {
                                of: Some(of),
                                ..item
                            }
                        };
                        Some(Amounts::Items(items.into_iter().map(in_bounds).collect()))
                    }
                }
            }
        }
    }

    /// A superset of the members of a set up to the first that is at least
    /// `enough`.
    pub(super) fn numbers_to(&mut self, set: &Set, enough: i64, active: &Mask) -> Option<Members> {
        let same = |numbers: Vec<i64>| {
            let items = numbers.into_iter().map(|number| Item {
                value: Value::Same(number),
                of: None,
            });
            Some(Members::Items(items.collect()))
        };
        let upto = |grow: &dyn Fn(i64) -> Option<i64>, from: i64| {
            let mut numbers = vec![from];
            let mut last = from;
            while last < enough {
                let Some(next) = grow(last) else { break };
                numbers.push(next);
                last = next;
            }
            numbers
        };
        match set {
            Set::Named(named) => {
                let mut members = named.members();
                let mut numbers: Vec<i64> = Vec::new();
                while numbers.last().is_none_or(|last| *last < enough) {
                    let Some(next) = members.next() else { break };
                    numbers.push(next);
                    if numbers.len() as i64 > super::expr::MOST_MEMBERS {
                        return None;
                    }
                }
                same(numbers)
            }
            Set::Powers(base) => match self.number(base, active) {
                Value::Same(base) if base >= 2 => same(upto(&|power| power.checked_mul(base), 1)),
                _ => None,
            },
            Set::Range(..) => match self.members(set, active)? {
                Members::Between(low, high) => {
                    let most = high.range(active).1.min(enough);
                    let many = most.saturating_sub(low.range(active).0);
                    // The concrete walk counts them and reports too many.
                    let high = high.min(&Value::Same(enough.max(low.range(active).1)), active);
                    (many < 1_000_000).then_some(Members::Between(low, high))
                }
                items => Some(items),
            },
            _ => self.members(set, active),
        }
    }

    /// Enumerates the amounts from the only heap chosen.
    fn take_from_one<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        let take = step.take;
        let TakeBounds { least, most, each } = self.take_bounds(step.at, active);
        let size = self.size(heap, active);
        let most = size.min(&most, active).min(&each, active);
        // A set is evaluated even if no amount is possible.
        let may = match &take.plan.numbers {
            Numbers::Set(_) => active.clone(),
            Numbers::Any | Numbers::Listed(_) => least.compare(Order::AtMost, &most, active),
        };
        if may.is_empty() {
            return Ok(());
        }
        let Some(amounts) = self.amounts_of(&take.plan.numbers, &most, &may) else {
            return self.fall_back(&may);
        };
        let may = self.without_fallback(&may).into_owned();
        if may.is_empty() {
            return Ok(());
        }
        match amounts {
            Amounts::Between(from, most) => {
                let least = least.max(&from, &may);
                let may = match &take.plan.numbers {
                    Numbers::Any => may,
                    _ => least.compare(Order::AtMost, &most, &may),
                };
                if may.is_empty() || self.emit_run(step, 0, &may, [&least, &most], sink)? {
                    return Ok(());
                }
                for number in least.range(&may).0..=most.range(&may).1 {
                    let of = Value::between(&least, number, &most, &may);
                    self.take_single(step, heap, number, &of, sink)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = least.compare(Order::AtMost, &item.value, &item.among(&may));
                    self.take_item(step, heap, &item.value, &of, sink)?;
                }
            }
        }
        Ok(())
    }

    /// Emits the numbers from `least` to `most` as one [`Run`], if the move ends
    /// with them; returns whether it did. They are taken from the last heap of the
    /// step, or equally from all its heaps. `taken` is the amount from the heaps
    /// before.
    pub(super) fn emit_run<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        taken: i64,
        active: &Mask,
        [least, most]: [&Value; 2],
        sink: &mut S,
    ) -> Result<bool, LimitExceeded> {
        let last = match step.take.share {
            Share::HeapByHeap => &step.heaps[step.heaps.len().saturating_sub(1)..],
            Share::Equal => step.heaps,
        };
        if last.is_empty() || !self.is_last_step(step.at) {
            return Ok(false);
        }
        let run = Run {
            back: self.back,
            stride: last.iter().map(|heap| self.strides[heap.index()]).sum(),
            least: least.clone(),
            most: most.clone(),
            difference: None,
            allowed: None,
        };
        let Some(prepared) = step.prepared else {
            sink.run(active, run)?;
            return Ok(true);
        };
        if let Some((by, rest)) = &prepared.congruence
            && step.take.share == Share::HeapByHeap
        {
            let by = self.number(by, active);
            let rest = self.number(rest, active);
            self.emit_progression(run, taken, active, [by, rest], sink)?;
            return Ok(true);
        }
        if step.heaps.len() == 1
            && sink.supports_number_sets()
            && let Some(allowed) = self.number_sets(step, prepared, active)
        {
            let allowed = Some(allowed);
            sink.run(active, Run { allowed, ..run })?;
            return Ok(true);
        }
        if sink.needs_all_options() || !prepared.is_total_for(step.heaps.len()) {
            return Ok(false);
        }
        let before = self.amounts.clone();
        // The condition reads the position at the start of the step.
        self.restore_heaps(step.heaps);
        let guard = DeferredGuard {
            prepared: prepared.clone(),
            bound: step.take.bound,
            equal_heaps: last.len(),
            before,
            taken,
            back: run.back,
            stride: run.stride,
            active: active.clone(),
            bits: bits_of(active.on()),
            least: run.least,
            most: run.most,
            locals: self.locals.clone(),
            picks: self.picks.clone(),
            taken_from: self.taken_from.clone(),
        };
        let before = guard.before.clone();
        self.evaluate_or_defer(guard, sink)?;
        self.amounts = before;
        self.reapply_amounts(step.heaps);
        Ok(true)
    }

    /// Emits the numbers of a run with `(taken + number) % by = rest`.
    fn emit_progression<S: OptionSink>(
        &mut self,
        run: Run,
        taken: i64,
        active: &Mask,
        [by, rest]: [Value; 2],
        sink: &mut S,
    ) -> Walk {
        let mut fits = active.clone();
        if by.bounds().0 < 1 {
            let bad = by.compare(Order::Less, &Value::Same(1), active);
            self.fallback.add(&bad);
            fits = fits.without(&bad);
        }
        let zero = matches!(rest, Value::Same(0));
        if !zero {
            fits = Value::Same(0).compare(Order::AtMost, &rest, &fits);
            fits = rest.compare(Order::Less, &by, &fits);
        }
        if fits.is_empty() {
            return Ok(());
        }
        let first = if zero && taken == 0 && run.least.bounds().1 <= 1 {
            // The first multiple that is at least 1.
            Some(by.clone())
        } else {
            rest.minus(&Value::Same(taken), &fits)
                .and_then(|rest| rest.minus(&run.least, &fits))
                .and_then(|ahead| ahead.remainder(&by, &fits))
                .and_then(|ahead| run.least.plus(&ahead, &fits))
        };
        let Some(least) = first else {
            return self.fall_back(&fits);
        };
        let of = least.compare(Order::AtMost, &run.most, &fits);
        if of.is_empty() {
            return Ok(());
        }
        let difference = Some(by);
        sink.run(
            &of,
            Run {
                least,
                difference,
                ..run
            },
        )
    }

    /// Takes a number that differs from lane to lane.
    fn take_item<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        value: &Value,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        if active.is_empty() {
            return Ok(());
        }
        if let Value::Same(number) = value {
            return self.take_single(step, heap, *number, active, sink);
        }
        if self.is_last_step(step.at) {
            let allowed;
            let mut may = active;
            if let Some(prepared) = step.prepared {
                let open = self.unsettled(active, sink);
                if let Some(slot) = step.take.bound {
                    self.locals[slot.index()] = value.clone();
                }
                self.amounts.clear();
                self.amounts.push(value.clone());
                allowed = self.holds(&prepared.condition, &open);
                may = &allowed;
            }
            if may.is_empty() {
                return Ok(());
            }
            let run = Run {
                back: self.back,
                stride: self.strides[heap.index()],
                least: value.clone(),
                most: value.clone(),
                difference: None,
                allowed: None,
            };
            return sink.run(may, run);
        }
        let (low, high) = value.range(active);
        for number in low..=high {
            let of = Value::between(value, number, value, active);
            self.take_single(step, heap, number, &of, sink)?;
        }
        Ok(())
    }

    fn take_single<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        number: i64,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        self.step()?;
        if active.is_empty() {
            return Ok(());
        }
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = Value::Same(number);
        }
        let amount = number.unsigned_abs();
        let allowed;
        let mut may = active;
        if let Some(prepared) = step.prepared {
            let open = self.unsettled(active, sink);
            self.amounts.clear();
            self.amounts.push(Value::Same(number));
            allowed = self.holds(&prepared.condition, &open);
            may = &allowed;
        }
        self.lower(heap, amount);
        self.continue_from(step.at, may, sink)?;
        self.raise(heap, amount);
        Ok(())
    }
}
