//! Steps that take, for many positions at once.
//!
//! As [`Walker`](crate::Walker) takes: heap by heap, within bounds that are
//! worked out beforehand, judged by a condition where one is left. Numbers
//! whose option is reached at once, without a condition, are handed on as a
//! whole; a condition that asks for a remainder of the number alone leaves
//! every so many of them.

use super::expr::{Item, Members};
use super::judge::Judged;
use super::lanes::Value;
use super::mask::{Mask, bits_of};
use super::ready::Ready;
use super::{Abreast, Run, Seen, Walk};
use crate::{Node, Numbers, Take};
use nimrule_limits::LimitExceeded;
use nimrule_model::expr::{HeapId, Order, Set};
use nimrule_model::game::Share;
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// A step that takes from the heaps chosen.
pub(super) struct Step<'s> {
    pub at: NodeIndex,
    pub take: &'s Take,
    pub heaps: &'s [HeapId],
    /// The condition on the numbers, if there is one.
    pub ready: Option<&'s Rc<Ready>>,
}

/// The bounds on what a step takes: in all, and from each heap.
pub(super) struct Reach {
    pub least: Value,
    pub most: Value,
    pub each: Value,
}

/// Numbers from which a step takes its own: at least 1 each.
pub(super) enum Amounts {
    Between(Value, Value),
    Items(Vec<Item>),
}

impl Abreast<'_> {
    /// Takes from the heaps chosen, in every way that the step allows.
    pub(super) fn take<S: Seen>(
        &mut self,
        at: NodeIndex,
        take: &Take,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        let judged;
        let mut may = who;
        if let Some(condition) = &take.plan.beforehand {
            judged = self.holds(condition, who);
            may = &judged;
            if may.is_empty() {
                return Ok(());
            }
        }
        let heaps = self.picks[take.pick.index()].clone();
        let outer = std::mem::take(&mut self.amounts);
        let ready = self.make_ready(at, may);
        let step = Step {
            at,
            take,
            heaps: &heaps,
            ready: ready.as_ref().map(|(ready, _)| ready),
        };
        match (take.share, heaps.as_slice()) {
            (Share::Equal, _) => self.take_equally(&step, may, seen)?,
            (Share::HeapByHeap, [heap]) => self.take_from_one(&step, *heap, may, seen)?,
            (Share::HeapByHeap, _) => {
                let reach = self.reach(at, may);
                self.take_from_each(&step, &reach, 0, 0, may, seen)?;
            }
        }
        if let Some((ready, names)) = ready {
            self.give_back_names(&ready, names);
        }
        self.amounts = outer;
        Ok(())
    }

    /// The bounds on what a step takes, worked out before it takes anything.
    fn reach(&mut self, at: NodeIndex, who: &Mask) -> Reach {
        let bounds = self.conditions.bounds[at.index()].clone();
        let nothing = Value::Same(0);
        let mut reach = Reach {
            least: Value::Same(1),
            most: Value::Same(i64::MAX),
            each: Value::Same(i64::MAX),
        };
        let Some(bounds) = bounds else { return reach };
        for bound in &bounds.at_least {
            let bound = self.number(bound, who);
            reach.least = reach.least.most(&bound, who);
        }
        for bound in &bounds.at_most {
            let bound = self.number(bound, who);
            reach.most = reach.most.least(&bound.most(&nothing, who), who);
        }
        for bound in &bounds.each_at_most {
            let bound = self.number(bound, who);
            reach.each = reach.each.least(&bound, who);
        }
        // Not even nothing may be taken where a bound is negative.
        if reach.each.bounds().0 < 0 {
            let none = reach.each.compare(Order::Less, &nothing, who);
            let kept = nothing.or_else(&none, &reach.most.least(&Value::Same(1 << 29), who), who);
            match kept {
                Some(most) => reach.most = most,
                None => self.doubts.add(who),
            }
            reach.each = reach.each.most(&nothing, who);
        }
        reach
    }

    /// Is the move made once this node is done?
    pub(super) fn ends(&self, at: NodeIndex) -> bool {
        let mut next = self.graph.after(at)[0];
        loop {
            match self.graph.node(next) {
                Node::End => return true,
                // The last time round.
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

    /// The numbers that a step may take from a heap of `most` tokens, or from
    /// which it takes its own; `None` where the plain walk must say.
    pub(super) fn amounts_of(
        &mut self,
        numbers: &Numbers,
        most: &Value,
        who: &Mask,
    ) -> Option<Amounts> {
        match numbers {
            Numbers::Any => Some(Amounts::Between(Value::Same(1), most.clone())),
            Numbers::Listed(listed) => {
                let (_, high) = most.range(who);
                let items = listed
                    .iter()
                    .map(|number| *number as i64)
                    .take_while(|number| *number <= high);
                Some(Amounts::Items(
                    items
                        .map(|number| Item {
                            value: Value::Same(number),
                            of: Some(Value::within(&Value::Same(0), number, most, who)),
                        })
                        .collect(),
                ))
            }
            Numbers::Set(set) => {
                let (_, high) = most.range(who);
                let one = Value::Same(1);
                self.members_seen = 0;
                match self.numbers_to(set, high, who)? {
                    Members::Between(low, high) => {
                        let most = most.least(&high, who);
                        Some(Amounts::Between(low.most(&one, who), most))
                    }
                    Members::Items(items) => {
                        let within = |item: Item| {
                            let above = one.compare(Order::AtMost, &item.value, &item.among(who));
                            let of = item.value.compare(Order::AtMost, most, &above);
                            Item {
                                of: Some(of),
                                ..item
                            }
                        };
                        Some(Amounts::Items(items.into_iter().map(within).collect()))
                    }
                }
            }
        }
    }

    /// The members of a set, up to the first that is at least `enough`, and
    /// perhaps more.
    pub(super) fn numbers_to(&mut self, set: &Set, enough: i64, who: &Mask) -> Option<Members> {
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
            Set::Squares => same(upto(
                &|square| (square.isqrt() + 1).checked_mul(square.isqrt() + 1),
                0,
            )),
            Set::Powers(base) => match self.number(base, who) {
                Value::Same(base) if base >= 2 => same(upto(&|power| power.checked_mul(base), 1)),
                _ => None,
            },
            Set::Range(..) => match self.members(set, who)? {
                Members::Between(low, high) => {
                    let most = high.range(who).1.min(enough);
                    let many = most.saturating_sub(low.range(who).0);
                    // The plain walk counts them, and may find too many.
                    let high = high.least(&Value::Same(enough.max(low.range(who).1)), who);
                    (many < 1_000_000).then_some(Members::Between(low, high))
                }
                items => Some(items),
            },
            _ => self.members(set, who),
        }
    }

    /// Takes a number of tokens from the one heap chosen.
    fn take_from_one<S: Seen>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        let take = step.take;
        let Reach { least, most, each } = self.reach(step.at, who);
        let size = self.size(heap, who);
        let most = size.least(&most, who).least(&each, who);
        // A set is worked out where nothing may be taken from it, too.
        let may = match &take.plan.numbers {
            Numbers::Set(_) => who.clone(),
            Numbers::Any | Numbers::Listed(_) => least.compare(Order::AtMost, &most, who),
        };
        if may.is_empty() {
            return Ok(());
        }
        let Some(amounts) = self.amounts_of(&take.plan.numbers, &most, &may) else {
            return self.doubt(&may);
        };
        let may = self.not_in_doubt(&may).into_owned();
        if may.is_empty() {
            return Ok(());
        }
        match amounts {
            Amounts::Between(from, most) => {
                let least = least.most(&from, &may);
                let may = match &take.plan.numbers {
                    Numbers::Any => may,
                    _ => least.compare(Order::AtMost, &most, &may),
                };
                if may.is_empty() || self.hand_on(step, 0, &may, [&least, &most], seen)? {
                    return Ok(());
                }
                for number in least.range(&may).0..=most.range(&may).1 {
                    let of = Value::within(&least, number, &most, &may);
                    self.take_single(step, heap, number, &of, seen)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = least.compare(Order::AtMost, &item.value, &item.among(&may));
                    self.take_item(step, heap, &item.value, &of, seen)?;
                }
            }
        }
        Ok(())
    }

    /// Hands the numbers between these from the last heap of a step on as a
    /// whole, or the same from all of its heaps, where the move ends with them; says
    /// whether it did. From the heaps before, `taken` tokens have been taken.
    pub(super) fn hand_on<S: Seen>(
        &mut self,
        step: &Step<'_>,
        taken: i64,
        who: &Mask,
        [least, most]: [&Value; 2],
        seen: &mut S,
    ) -> Result<bool, LimitExceeded> {
        let last = match step.take.share {
            Share::HeapByHeap => &step.heaps[step.heaps.len().saturating_sub(1)..],
            Share::Equal => step.heaps,
        };
        if last.is_empty() || !self.ends(step.at) {
            return Ok(false);
        }
        let run = Run {
            back: self.back,
            stride: last.iter().map(|heap| self.strides[heap.index()]).sum(),
            least: least.clone(),
            most: most.clone(),
            every: None,
        };
        let Some(ready) = step.ready else {
            seen.run(who, run)?;
            return Ok(true);
        };
        if let Some((by, rest)) = &ready.every
            && step.take.share == Share::HeapByHeap
        {
            let by = self.number(by, who);
            let rest = self.number(rest, who);
            self.run_of_every(run, taken, who, [by, rest], seen)?;
            return Ok(true);
        }
        if seen.wants_all() || !ready.is_sure(step.heaps.len()) {
            return Ok(false);
        }
        let before = self.amounts.clone();
        // The condition speaks of the position as the step began.
        self.give_back(step.heaps);
        let judged = Judged {
            ready: ready.clone(),
            bound: step.take.bound,
            alike: last.len(),
            before,
            taken,
            back: run.back,
            stride: run.stride,
            who: who.clone(),
            bits: bits_of(who.on()),
            least: run.least,
            most: run.most,
            locals: self.locals.clone(),
            picks: self.picks.clone(),
            down: self.down.clone(),
        };
        let before = judged.before.clone();
        self.judge_numbers(judged, seen)?;
        self.amounts = before;
        self.take_again(step.heaps);
        Ok(true)
    }

    /// Takes the numbers of a run that leave the remainder `rest` when divided
    /// by `by`, with `taken` tokens from other heaps.
    fn run_of_every<S: Seen>(
        &mut self,
        run: Run,
        taken: i64,
        who: &Mask,
        [by, rest]: [Value; 2],
        seen: &mut S,
    ) -> Walk {
        let mut fits = who.clone();
        if by.bounds().0 < 1 {
            let bad = by.compare(Order::Less, &Value::Same(1), who);
            self.doubts.add(&bad);
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
            // The first multiple from 1 on.
            Some(by.clone())
        } else {
            rest.minus(&Value::Same(taken), &fits)
                .and_then(|rest| rest.minus(&run.least, &fits))
                .and_then(|ahead| ahead.remainder(&by, &fits))
                .and_then(|ahead| run.least.plus(&ahead, &fits))
        };
        let Some(least) = first else {
            return self.doubt(&fits);
        };
        let of = least.compare(Order::AtMost, &run.most, &fits);
        if of.is_empty() {
            return Ok(());
        }
        let every = Some(by);
        seen.run(
            &of,
            Run {
                least,
                every,
                ..run
            },
        )
    }

    /// Takes a number that is another in each lane.
    fn take_item<S: Seen>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        value: &Value,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        if who.is_empty() {
            return Ok(());
        }
        if let Value::Same(number) = value {
            return self.take_single(step, heap, *number, who, seen);
        }
        if self.ends(step.at) {
            let judged;
            let mut may = who;
            if let Some(ready) = step.ready {
                let open = self.in_play(who, seen);
                if let Some(slot) = step.take.bound {
                    self.locals[slot.index()] = value.clone();
                }
                self.amounts.clear();
                self.amounts.push(value.clone());
                judged = self.holds(&ready.condition, &open);
                may = &judged;
            }
            if may.is_empty() {
                return Ok(());
            }
            let run = Run {
                back: self.back,
                stride: self.strides[heap.index()],
                least: value.clone(),
                most: value.clone(),
                every: None,
            };
            return seen.run(may, run);
        }
        let (low, high) = value.range(who);
        for number in low..=high {
            let of = Value::within(value, number, value, who);
            self.take_single(step, heap, number, &of, seen)?;
        }
        Ok(())
    }

    fn take_single<S: Seen>(
        &mut self,
        step: &Step<'_>,
        heap: HeapId,
        number: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        self.step()?;
        if who.is_empty() {
            return Ok(());
        }
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = Value::Same(number);
        }
        let amount = number.unsigned_abs();
        let judged;
        let mut may = who;
        if let Some(ready) = step.ready {
            let open = self.in_play(who, seen);
            self.amounts.clear();
            self.amounts.push(Value::Same(number));
            judged = self.holds(&ready.condition, &open);
            may = &judged;
        }
        self.lower(heap, amount);
        self.go_on(step.at, may, seen)?;
        self.raise(heap, amount);
        Ok(())
    }
}
