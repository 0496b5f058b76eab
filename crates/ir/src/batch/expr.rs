//! Evaluation of expressions for a batch.
//!
//! A condition evaluates to the set of active lanes in which it holds. It is
//! evaluated only in lanes where the concrete walk evaluates it too. A lane
//! whose expression has no value, or one too large for a lane, enters the
//! fallback mask; the concrete walk then decides whether that is a fault.
//! Rare expressions are evaluated lane by lane.

use super::Batch;
use super::mask::Mask;
use super::value::Value;
use nimrule_model::expr::{
    Arithmetic, Bool, Environment, Fold, HeapId, List, NamedSet, Num, Order, Quantifier, Set,
};
use std::borrow::Cow;

/// The largest number of set members enumerated for one condition. Beyond it
/// the lanes fall back to the concrete walk, which counts them.
pub(super) const MOST_MEMBERS: i64 = 100_000;

/// An element of a list, and the lanes whose list contains it; all if absent.
pub(super) struct Item {
    pub value: Value,
    pub of: Option<Mask>,
}

impl Item {
    /// The lanes of `active` whose list contains the element.
    pub fn among<'m>(&self, active: &'m Mask) -> Cow<'m, Mask> {
        match &self.of {
            None => Cow::Borrowed(active),
            Some(of) => Cow::Owned(active.and(of)),
        }
    }
}

/// The members of a set in each lane.
pub(super) enum Members {
    /// All numbers between these, both included.
    Between(Value, Value),
    Items(Vec<Item>),
}

impl Batch<'_> {
    /// The lanes of `active` in which the condition holds. The result is undefined in lanes
    /// that enter the fallback mask.
    pub fn holds(&mut self, condition: &Bool, active: &Mask) -> Mask {
        self.members_counted = 0;
        self.lanes_of(condition, active)
    }

    fn lanes_of(&mut self, condition: &Bool, active: &Mask) -> Mask {
        if active.is_empty() {
            return Mask::none();
        }
        match condition {
            Bool::Const(true) => active.clone(),
            Bool::Const(false) => Mask::none(),
            Bool::Compare(order, left, right) => {
                let left = self.number(left, active);
                let right = self.number(right, active);
                left.compare(*order, &right, active)
            }
            Bool::In(num, set) => {
                let value = self.number(num, active);
                self.contained(&value, set, active)
                    .unwrap_or_else(|| self.lane_by_lane(condition, active))
            }
            Bool::And(all) => {
                let Some((first, others)) = all.split_first() else {
                    return active.clone();
                };
                let mut rest = self.lanes_of(first, active);
                for part in others {
                    rest = self.lanes_of(part, &rest);
                }
                rest
            }
            Bool::Or(any) => {
                let Some((first, others)) = any.split_first() else {
                    return Mask::none();
                };
                let mut found = self.lanes_of(first, active);
                for part in others {
                    let rest = active.without(&found);
                    if rest.is_empty() {
                        break;
                    }
                    found.add(&self.lanes_of(part, &rest));
                }
                found
            }
            Bool::Not(inner) => {
                let holds = self.lanes_of(inner, active);
                active.without(&holds)
            }
            Bool::If(condition, then, otherwise) => {
                let here = self.lanes_of(condition, active);
                let elsewhere = active.without(&here);
                let mut holds = self.lanes_of(then, &here);
                holds.add(&self.lanes_of(otherwise, &elsewhere));
                holds
            }
            Bool::Let(slot, value, body) => {
                self.locals[slot.index()] = self.number(value, active);
                self.lanes_of(body, active)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let wanted = *quantifier == Quantifier::Exists;
                let Some(members) = self.items(set, active) else {
                    return self.lane_by_lane(condition, active);
                };
                let (mut rest, mut found) = (active.clone(), Mask::none());
                for item in members {
                    if rest.is_empty() {
                        break;
                    }
                    let reached = item.among(&rest);
                    self.locals[slot.index()] = item.value;
                    let holds = self.lanes_of(body, &reached);
                    let settled = if wanted {
                        holds
                    } else {
                        reached.without(&holds)
                    };
                    if settled.is_empty() {
                        continue;
                    }
                    rest = rest.without(&settled);
                    found.add(&settled);
                }
                if wanted { found } else { rest }
            }
            Bool::Each(slot, body) => {
                let mut rest = active.clone();
                for index in 0..self.amounts.len() {
                    self.locals[slot.index()] = self.amounts[index].clone();
                    rest = self.lanes_of(body, &rest);
                }
                rest
            }
            Bool::Distinct(list) => {
                let Some(items) = self.list(list, active) else {
                    return self.lane_by_lane(condition, active);
                };
                let mut rest = active.clone();
                for (place, one) in items.iter().enumerate() {
                    for other in &items[..place] {
                        let one_of = one.among(&rest);
                        let both = other.among(&one_of);
                        let same = one.value.compare(Order::Equal, &other.value, &both);
                        rest = rest.without(&same);
                    }
                }
                rest
            }
            Bool::Same(left, right) => {
                if self.picks[left.index()] == self.picks[right.index()] {
                    active.clone()
                } else {
                    Mask::none()
                }
            }
            Bool::Like(_) | Bool::Joined(_) => self.lane_by_lane(condition, active),
        }
    }

    /// The value of an expression in the lanes of `active`. The result is undefined in
    /// lanes that enter the fallback mask.
    pub fn number(&mut self, num: &Num, active: &Mask) -> Value {
        let value = match num {
            Num::Const(value) => Some(Value::Same(*value)),
            Num::Heap(heap) => Some(self.size(*heap, active)),
            Num::Local(slot) => Some(self.locals[slot.index()].clone()),
            Num::SizeOf(pick) => match self.picks[pick.index()].first() {
                Some(heap) => Some(self.size(*heap, active)),
                None => Some(Value::Same(0)),
            },
            Num::IndexOf(pick) => {
                let index = self.picks[pick.index()].first();
                Some(Value::Same(index.map_or(0, |heap| heap.index() as i64 + 1)))
            }
            Num::Total => self
                .amounts
                .iter()
                .try_fold(Value::Same(0), |sum, amount| sum.plus(amount, active)),
            Num::Negate(inner) => self.number(inner, active).negated(active),
            Num::Binary(Arithmetic::Gcd | Arithmetic::Power, ..) | Num::Components(_) => {
                return self.number_lane_by_lane(num, active);
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(left, active);
                let right = self.number(right, active);
                self.arithmetic(*operator, &left, &right, active)
            }
            Num::If(condition, then, otherwise) => {
                let here = self.lanes_of(condition, active);
                let elsewhere = active.without(&here);
                if elsewhere.is_empty() {
                    return self.number(then, active);
                }
                if here.is_empty() {
                    return self.number(otherwise, active);
                }
                let then = self.number(then, &here);
                let otherwise = self.number(otherwise, &elsewhere);
                then.select(&here, &otherwise, active)
            }
            Num::Let(slot, value, body) => {
                self.locals[slot.index()] = self.number(value, active);
                return self.number(body, active);
            }
            Num::Fold(fold, list) => match self.list(list, active) {
                Some(items) => self.fold(*fold, items, active),
                None => return self.number_lane_by_lane(num, active),
            },
            Num::HeapAt { .. } | Num::Carryless { .. } | Num::Apply(..) => {
                match self.function(num, active) {
                    Some(value) => value,
                    None => return self.number_lane_by_lane(num, active),
                }
            }
        };
        value.unwrap_or_else(|| self.fallback_value(active))
    }

    /// Adds lanes to the fallback mask and returns a placeholder value.
    fn fallback_value(&mut self, active: &Mask) -> Value {
        self.fallback.add(active);
        Value::Same(0)
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        left: &Value,
        right: &Value,
        active: &Mask,
    ) -> Option<Value> {
        match operator {
            Arithmetic::Add => left.plus(right, active),
            Arithmetic::Subtract => left.minus(right, active),
            Arithmetic::Multiply => left.times(right, active),
            Arithmetic::Divide | Arithmetic::Modulo => {
                let mut sound = active.clone();
                if right.bounds().0 < 1 {
                    // Negative divisors are rare: they fall back to the concrete walk.
                    let unsound = right.compare(Order::Less, &Value::Same(1), active);
                    self.fallback.add(&unsound);
                    sound = active.without(&unsound);
                    if sound.is_empty() {
                        return Some(Value::Same(0));
                    }
                }
                if operator == Arithmetic::Divide {
                    left.divided(right, &sound)
                } else {
                    left.remainder(right, &sound)
                }
            }
            // Evaluated lane by lane, in `number`.
            Arithmetic::Gcd | Arithmetic::Power => None,
        }
    }

    /// The lanes of `active` in which no number is negative. The others enter the
    /// fallback mask.
    pub(super) fn nonnegative_lanes<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v Value>,
        active: &Mask,
    ) -> Mask {
        let mut sound = active.clone();
        for value in values {
            if value.bounds().0 < 0 {
                let negative = value.compare(Order::Less, &Value::Same(0), active);
                self.fallback.add(&negative);
                sound = sound.without(&negative);
            }
        }
        sound
    }

    /// Folds a list to one number. Lanes in which the fold of an empty list has no
    /// value enter the fallback mask.
    fn fold(&mut self, fold: Fold, items: Vec<Item>, active: &Mask) -> Option<Value> {
        if fold == Fold::Count && items.len() <= usize::from(u8::MAX) {
            return Some(Value::counted(items.iter().map(|item| &item.of), active));
        }
        let begins = !matches!(fold, Fold::Max | Fold::Min);
        // The fold so far, and the lanes with at least one element; all if absent.
        let mut so_far = begins.then_some((Value::Same(0), None));
        for Item { value, of } in items {
            let value = if fold == Fold::Count {
                Value::Same(1)
            } else {
                value
            };
            let Some((before, had)) = so_far else {
                so_far = Some((value, of));
                continue;
            };
            let together = match fold {
                Fold::Max => before.max(&value, active),
                Fold::Min => before.min(&value, active),
                Fold::Sum | Fold::Count => before.plus(&value, active)?,
            };
            so_far = Some(match (of, had) {
                (None, None) => (together, None),
                (Some(of), None) => (together.select(&of, &before, active)?, None),
                (of, Some(had)) => {
                    let here = of.unwrap_or_else(|| active.clone());
                    let first = value.select(&here.without(&had), &before, active)?;
                    let one = together.select(&here.and(&had), &first, active)?;
                    let mut have = had;
                    have.add(&here);
                    (one, Some(have))
                }
            });
        }
        let (value, have) = so_far?;
        if let Some(have) = have {
            self.fallback.add(&active.without(&have));
        }
        Some(value)
    }

    /// The elements of a list; `None` if it must be evaluated lane by lane.
    pub(super) fn list(&mut self, list: &List, active: &Mask) -> Option<Vec<Item>> {
        let everywhere = |value| Item { value, of: None };
        let sizes = |this: &Self, heaps: &[HeapId]| {
            heaps
                .iter()
                .map(|heap| everywhere(this.size(*heap, active)))
                .collect()
        };
        match list {
            List::Heaps(heaps) => Some(sizes(self, heaps)),
            List::Picked(pick) => Some(sizes(self, &self.picks[pick.index()])),
            List::At { lists, index } => {
                let Value::Same(index) = self.number(index, active) else {
                    return None;
                };
                let place = usize::try_from(index.checked_sub(1)?).ok()?;
                Some(sizes(self, lists.get(place)?))
            }
            List::Amounts => Some(
                self.amounts
                    .iter()
                    .map(|amount| everywhere(amount.clone()))
                    .collect(),
            ),
            List::Items(items) => Some(
                items
                    .iter()
                    .map(|item| everywhere(self.number(item, active)))
                    .collect(),
            ),
            // No caller depends on the order of the elements.
            List::Sorted(inner) => self.list(inner, active),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut gathered = Vec::new();
                for member in self.items(over, active)? {
                    let there = member.among(active);
                    self.locals[slot.index()] = member.value;
                    let of = match condition {
                        Some(condition) => self.lanes_of(condition, &there),
                        None => there.into_owned(),
                    };
                    if !of.is_empty() {
                        let value = self.number(value, &of);
                        let of = Some(of);
                        gathered.push(Item { value, of });
                    }
                }
                Some(gathered)
            }
            List::Members(set) => self.items(set, active),
            List::Multiset(_) => None,
        }
    }

    /// The members of a finite set as a list; `None` as for [`Batch::list`].
    fn items(&mut self, set: &Set, active: &Mask) -> Option<Vec<Item>> {
        if set.is_infinite() {
            return None;
        }
        match self.members(set, active)? {
            Members::Items(items) => Some(items),
            Members::Between(low, high) => {
                let (first, last) = (low.range(active).0, high.range(active).1);
                let many = last.saturating_sub(first).saturating_add(1).max(0);
                self.members_counted = self.members_counted.saturating_add(many);
                if self.members_counted > MOST_MEMBERS {
                    return None;
                }
                let items = (first..=last).map(|number| Item {
                    value: Value::Same(number),
                    of: Some(Value::between(&low, number, &high, active)),
                });
                let some = |item: &Item| item.of.as_ref().is_some_and(|of| !of.is_empty());
                Some(items.filter(some).collect())
            }
        }
    }

    /// The members of a set. An infinite range has the bound `i64::MAX`. `None`
    /// for other infinite sets, and for sets evaluated lane by lane.
    pub(super) fn members(&mut self, set: &Set, active: &Mask) -> Option<Members> {
        match set {
            Set::Range(low, high) => {
                let low = self.number(low, active);
                let high = match high {
                    Some(high) => self.number(high, active),
                    None => Value::Same(i64::MAX),
                };
                Some(Members::Between(low, high))
            }
            Set::Items(items) => {
                let items = items.iter().map(|item| Item {
                    value: self.number(item, active),
                    of: None,
                });
                Some(Members::Items(items.collect()))
            }
            Set::List(list) => self.list(list, active).map(Members::Items),
            Set::Named(_) | Set::Powers(_) => None,
        }
    }

    /// The lanes of `active` in which a number is in a set.
    fn contained(&mut self, value: &Value, set: &Set, active: &Mask) -> Option<Mask> {
        match set {
            Set::Range(low, high) => {
                let low = self.number(low, active);
                let above = low.compare(Order::AtMost, value, active);
                match high {
                    Some(high) if !above.is_empty() => {
                        let high = self.number(high, &above);
                        Some(value.compare(Order::AtMost, &high, &above))
                    }
                    _ => Some(above),
                }
            }
            Set::Items(items) => {
                let (mut rest, mut found) = (active.clone(), Mask::none());
                for item in items {
                    if rest.is_empty() {
                        break;
                    }
                    let item = self.number(item, &rest);
                    let here = value.compare(Order::Equal, &item, &rest);
                    rest = rest.without(&here);
                    found.add(&here);
                }
                Some(found)
            }
            Set::List(list) => {
                let mut found = Mask::none();
                for item in self.list(list, active)? {
                    let there = item.among(active);
                    found.add(&value.compare(Order::Equal, &item.value, &there));
                }
                Some(found)
            }
            Set::Named(NamedSet::Squares) => {
                let above = Value::Same(0).compare(Order::AtMost, value, active);
                let root = value.isqrt(&above)?;
                let square = root.times(&root, &above)?;
                Some(square.compare(Order::Equal, value, &above))
            }
            Set::Powers(_) | Set::Named(_) => {
                let highest = value.range(active).1;
                let Members::Items(powers) = self.numbers_to(set, highest, active)? else {
                    return None;
                };
                let mut found = Mask::none();
                for power in powers {
                    found.add(&value.compare(Order::Equal, &power.value, active));
                }
                Some(found)
            }
        }
    }

    /// The lanes of `active` in which a condition holds, evaluated one by one.
    fn lane_by_lane(&mut self, condition: &Bool, active: &Mask) -> Mask {
        let mut fallback = Mask::none();
        let mut on = [false; super::LANES];
        for lane in active.lanes() {
            match condition.eval(&mut self.environment(lane)) {
                Ok(holds) => on[lane] = holds,
                Err(_) => fallback.add(&Mask::of(active, |other| other == lane)),
            }
        }
        self.fallback.add(&fallback);
        Mask::of(active, |lane| on[lane])
    }

    /// The value of a number in `active`, evaluated lane by lane.
    fn number_lane_by_lane(&mut self, num: &Num, active: &Mask) -> Value {
        let mut numbers = Vec::with_capacity(active.count());
        let mut fallback = Mask::none();
        for lane in active.lanes() {
            match num.eval(&mut self.environment(lane)) {
                Ok(number) => numbers.push((lane, number)),
                Err(_) => fallback.add(&Mask::of(active, |other| other == lane)),
            }
        }
        self.fallback.add(&fallback);
        Value::gathered(&numbers).unwrap_or_else(|| self.fallback_value(active))
    }

    /// The environment of expressions in one lane.
    pub(super) fn environment(&mut self, lane: usize) -> Environment<'_> {
        for (heap, (base, taken_from)) in self.sizes.iter().zip(&self.taken_from).enumerate() {
            self.position[heap] = (base.at(lane) - taken_from).unsigned_abs();
        }
        for (local, value) in self.numbers.iter_mut().zip(&self.locals) {
            *local = value.at(lane);
        }
        self.taken.clear();
        self.taken
            .extend(self.amounts.iter().map(|a| a.at(lane).unsigned_abs()));
        Environment {
            position: &self.position,
            kinds: &[],
            locals: &mut self.numbers,
            picks: &self.picks,
            amounts: &self.taken,
            symmetries: &self.graph.symmetries,
            steps: 0,
        }
    }
}
