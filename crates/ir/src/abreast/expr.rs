//! Expressions in all lanes at once.
//!
//! A condition gives the lanes in which it holds, among those it is asked of,
//! and is not asked of lanes for which the plain walk would not come to it. A
//! lane whose expression has no value, or one that is too large for a lane, is
//! in doubt: which fault it is, and whether it is one, the plain walk says.
//! What is not worth being worked out abreast is evaluated lane by lane.

use super::Abreast;
use super::lanes::Value;
use super::mask::Mask;
use nimrule_model::expr::{
    Arithmetic, Bool, Environment, Fold, HeapId, List, Num, Order, Quantifier, Set,
};
use std::borrow::Cow;

/// Members of sets that are gone through for one condition; what goes through
/// more is left to the plain walk, which counts them.
const MOST_MEMBERS: i64 = 100_000;

/// A number of a row, and the lanes whose row has it: all, if none are named.
pub(super) struct Item {
    pub value: Value,
    pub of: Option<Mask>,
}

impl Item {
    /// The lanes of `who` whose row has it.
    pub fn among<'m>(&self, who: &'m Mask) -> Cow<'m, Mask> {
        match &self.of {
            None => Cow::Borrowed(who),
            Some(of) => Cow::Owned(who.and(of)),
        }
    }
}

/// A list of constants for the members of a set, or bounds that go lane by lane.
pub(super) enum Members {
    /// All numbers between these, both included.
    Between(Value, Value),
    Items(Vec<Item>),
}

impl Abreast<'_> {
    /// The lanes of `who` in which the condition holds.
    pub(super) fn holds(&mut self, condition: &Bool, who: &Mask) -> Mask {
        self.members_seen = 0;
        self.lanes_of(condition, who)
    }

    fn lanes_of(&mut self, condition: &Bool, who: &Mask) -> Mask {
        if who.is_empty() {
            return Mask::none();
        }
        match condition {
            Bool::Const(true) => who.clone(),
            Bool::Const(false) => Mask::none(),
            Bool::Compare(order, left, right) => {
                let left = self.number(left, who);
                let right = self.number(right, who);
                left.compare(*order, &right, who)
            }
            Bool::In(num, set) => {
                let value = self.number(num, who);
                self.contained(&value, set, who)
                    .unwrap_or_else(|| self.lane_by_lane(condition, who))
            }
            Bool::And(all) => {
                let Some((first, others)) = all.split_first() else {
                    return who.clone();
                };
                let mut rest = self.lanes_of(first, who);
                for part in others {
                    rest = self.lanes_of(part, &rest);
                }
                rest
            }
            Bool::Or(any) => {
                let Some((first, others)) = any.split_first() else {
                    return Mask::none();
                };
                let mut found = self.lanes_of(first, who);
                for part in others {
                    let rest = who.without(&found);
                    if rest.is_empty() {
                        break;
                    }
                    found.add(&self.lanes_of(part, &rest));
                }
                found
            }
            Bool::Not(inner) => {
                let holds = self.lanes_of(inner, who);
                who.without(&holds)
            }
            Bool::If(condition, then, otherwise) => {
                let here = self.lanes_of(condition, who);
                let elsewhere = who.without(&here);
                let mut holds = self.lanes_of(then, &here);
                holds.add(&self.lanes_of(otherwise, &elsewhere));
                holds
            }
            Bool::Let(slot, value, body) => {
                self.locals[slot.index()] = self.number(value, who);
                self.lanes_of(body, who)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let wanted = *quantifier == Quantifier::Exists;
                let Some(members) = self.items(set, who) else {
                    return self.lane_by_lane(condition, who);
                };
                let (mut rest, mut found) = (who.clone(), Mask::none());
                for item in members {
                    if rest.is_empty() {
                        break;
                    }
                    let asked = item.among(&rest);
                    self.locals[slot.index()] = item.value;
                    let holds = self.lanes_of(body, &asked);
                    let settled = if wanted { holds } else { asked.without(&holds) };
                    if settled.is_empty() {
                        continue;
                    }
                    rest = rest.without(&settled);
                    found.add(&settled);
                }
                if wanted { found } else { rest }
            }
            Bool::Each(slot, body) => {
                let mut rest = who.clone();
                for index in 0..self.amounts.len() {
                    self.locals[slot.index()] = self.amounts[index].clone();
                    rest = self.lanes_of(body, &rest);
                }
                rest
            }
            Bool::Distinct(list) => {
                let Some(items) = self.list(list, who) else {
                    return self.lane_by_lane(condition, who);
                };
                let mut rest = who.clone();
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
                    who.clone()
                } else {
                    Mask::none()
                }
            }
            Bool::Like(_) => self.lane_by_lane(condition, who),
        }
    }

    /// The value of an expression in the lanes of `who`.
    pub(super) fn number(&mut self, num: &Num, who: &Mask) -> Value {
        let value = match num {
            Num::Const(value) => Some(Value::Same(*value)),
            Num::Heap(heap) => Some(self.size(*heap, who)),
            Num::Local(slot) => Some(self.locals[slot.index()].clone()),
            Num::SizeOf(pick) => match self.picks[pick.index()].first() {
                Some(heap) => Some(self.size(*heap, who)),
                None => Some(Value::Same(0)),
            },
            Num::Total => self
                .amounts
                .iter()
                .try_fold(Value::Same(0), |sum, amount| sum.plus(amount, who)),
            Num::Negate(inner) => self.number(inner, who).negated(who),
            Num::Binary(operator, left, right) => {
                let left = self.number(left, who);
                let right = self.number(right, who);
                self.arithmetic(*operator, &left, &right, who)
            }
            Num::If(condition, then, otherwise) => {
                let here = self.lanes_of(condition, who);
                let elsewhere = who.without(&here);
                if elsewhere.is_empty() {
                    return self.number(then, who);
                }
                if here.is_empty() {
                    return self.number(otherwise, who);
                }
                let then = self.number(then, &here);
                let otherwise = self.number(otherwise, &elsewhere);
                then.or_else(&here, &otherwise, who)
            }
            Num::Let(slot, value, body) => {
                self.locals[slot.index()] = self.number(value, who);
                return self.number(body, who);
            }
            Num::Fold(fold, list) => match self.list(list, who) {
                Some(items) => self.fold(*fold, items, who),
                None => return self.number_lane_by_lane(num, who),
            },
            Num::HeapAt { .. } | Num::Carryless { .. } | Num::Digit { .. } | Num::Isqrt(_) => {
                match self.function(num, who) {
                    Some(value) => value,
                    None => return self.number_lane_by_lane(num, who),
                }
            }
        };
        value.unwrap_or_else(|| self.doubted(who))
    }

    /// Leaves lanes to the plain walk; what they hold from now on is nothing.
    fn doubted(&mut self, who: &Mask) -> Value {
        self.doubts.add(who);
        Value::Same(0)
    }

    fn arithmetic(
        &mut self,
        operator: Arithmetic,
        left: &Value,
        right: &Value,
        who: &Mask,
    ) -> Option<Value> {
        match operator {
            Arithmetic::Add => left.plus(right, who),
            Arithmetic::Subtract => left.minus(right, who),
            Arithmetic::Multiply => left.times(right, who),
            Arithmetic::Divide | Arithmetic::Modulo => {
                let mut sound = who.clone();
                if right.bounds().0 < 1 {
                    // A quotient by a negative number is rare enough for the
                    // plain walk.
                    let unsound = right.compare(Order::Less, &Value::Same(1), who);
                    self.doubts.add(&unsound);
                    sound = who.without(&unsound);
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
            Arithmetic::NimSum => {
                let sound = self.no_debts(&[left, right], who);
                if sound.is_empty() {
                    return Some(Value::Same(0));
                }
                left.nim_sum(right, &sound)
            }
        }
    }

    /// The lanes of `who` in which none of the numbers is negative; the others are
    /// in doubt.
    pub(super) fn no_debts(&mut self, values: &[&Value], who: &Mask) -> Mask {
        let mut sound = who.clone();
        for value in values {
            if value.bounds().0 < 0 {
                let negative = value.compare(Order::Less, &Value::Same(0), who);
                self.doubts.add(&negative);
                sound = sound.without(&negative);
            }
        }
        sound
    }

    /// One number from a row of them; doubts the lanes whose row has none.
    fn fold(&mut self, fold: Fold, items: Vec<Item>, who: &Mask) -> Option<Value> {
        if fold == Fold::Count && items.len() <= usize::from(u8::MAX) {
            return Some(Value::counted(items.iter().map(|item| &item.of), who));
        }
        let begins = !matches!(fold, Fold::Max | Fold::Min);
        // What has been folded so far, and in which lanes anything has been:
        // all of them, if none are named.
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
                Fold::Max => before.most(&value, who),
                Fold::Min => before.least(&value, who),
                Fold::Sum | Fold::Count => before.plus(&value, who)?,
                Fold::Xor => {
                    let here = of.as_ref().unwrap_or(who);
                    self.arithmetic(Arithmetic::NimSum, &before, &value, here)?
                }
            };
            so_far = Some(match (of, had) {
                (None, None) => (together, None),
                (Some(of), None) => (together.or_else(&of, &before, who)?, None),
                (of, Some(had)) => {
                    let here = of.unwrap_or_else(|| who.clone());
                    let first = value.or_else(&here.without(&had), &before, who)?;
                    let one = together.or_else(&here.and(&had), &first, who)?;
                    let mut have = had;
                    have.add(&here);
                    (one, Some(have))
                }
            });
        }
        let (value, have) = so_far?;
        if let Some(have) = have {
            self.doubts.add(&who.without(&have));
        }
        Some(value)
    }

    /// The numbers of a row, where it is worth while to have them abreast.
    pub(super) fn list(&mut self, list: &List, who: &Mask) -> Option<Vec<Item>> {
        let everywhere = |value| Item { value, of: None };
        let sizes = |this: &Self, heaps: &[HeapId]| {
            heaps
                .iter()
                .map(|heap| everywhere(this.size(*heap, who)))
                .collect()
        };
        match list {
            List::Heaps(heaps) => Some(sizes(self, heaps)),
            List::Picked(pick) => Some(sizes(self, &self.picks[pick.index()])),
            List::Amounts => Some(
                self.amounts
                    .iter()
                    .map(|amount| everywhere(amount.clone()))
                    .collect(),
            ),
            List::Items(items) => Some(
                items
                    .iter()
                    .map(|item| everywhere(self.number(item, who)))
                    .collect(),
            ),
            // Nothing that asks for a row cares for its order.
            List::Sorted(inner) => self.list(inner, who),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut gathered = Vec::new();
                for member in self.items(over, who)? {
                    let there = member.among(who);
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
            List::Members(set) => self.items(set, who),
            List::Multiset(_) => None,
        }
    }

    /// The members of a finite set one by one, as [`Abreast::list`] has them.
    fn items(&mut self, set: &Set, who: &Mask) -> Option<Vec<Item>> {
        if set.is_infinite() {
            return None;
        }
        match self.members(set, who)? {
            Members::Items(items) => Some(items),
            Members::Between(low, high) => {
                let (first, last) = (low.range(who).0, high.range(who).1);
                let many = last.saturating_sub(first).saturating_add(1).max(0);
                self.members_seen = self.members_seen.saturating_add(many);
                if self.members_seen > MOST_MEMBERS {
                    return None;
                }
                let items = (first..=last).map(|number| Item {
                    value: Value::Same(number),
                    of: Some(Value::within(&low, number, &high, who)),
                });
                let some = |item: &Item| item.of.as_ref().is_some_and(|of| !of.is_empty());
                Some(items.filter(some).collect())
            }
        }
    }

    /// The members of a set, which may be a range without end; `None` for
    /// other sets without end, and what is not worked out abreast.
    pub(super) fn members(&mut self, set: &Set, who: &Mask) -> Option<Members> {
        match set {
            Set::Range(low, high) => {
                let low = self.number(low, who);
                let high = match high {
                    Some(high) => self.number(high, who),
                    None => Value::Same(i64::MAX),
                };
                Some(Members::Between(low, high))
            }
            Set::Items(items) => {
                let items = items.iter().map(|item| Item {
                    value: self.number(item, who),
                    of: None,
                });
                Some(Members::Items(items.collect()))
            }
            Set::List(list) => self.list(list, who).map(Members::Items),
            Set::Squares | Set::Powers(_) => None,
        }
    }

    /// The lanes in which a number is in a set.
    fn contained(&mut self, value: &Value, set: &Set, who: &Mask) -> Option<Mask> {
        match set {
            Set::Range(low, high) => {
                let low = self.number(low, who);
                let above = low.compare(Order::AtMost, value, who);
                match high {
                    Some(high) if !above.is_empty() => {
                        let high = self.number(high, &above);
                        Some(value.compare(Order::AtMost, &high, &above))
                    }
                    _ => Some(above),
                }
            }
            Set::Items(items) => {
                let (mut rest, mut found) = (who.clone(), Mask::none());
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
                for item in self.list(list, who)? {
                    let there = item.among(who);
                    found.add(&value.compare(Order::Equal, &item.value, &there));
                }
                Some(found)
            }
            Set::Squares => {
                let above = Value::Same(0).compare(Order::AtMost, value, who);
                let root = value.root(&above)?;
                let square = root.times(&root, &above)?;
                Some(square.compare(Order::Equal, value, &above))
            }
            Set::Powers(_) => {
                let highest = value.range(who).1;
                let Members::Items(powers) = self.numbers_to(set, highest, who)? else {
                    return None;
                };
                let mut found = Mask::none();
                for power in powers {
                    found.add(&value.compare(Order::Equal, &power.value, who));
                }
                Some(found)
            }
        }
    }

    /// A condition, evaluated lane by lane.
    fn lane_by_lane(&mut self, condition: &Bool, who: &Mask) -> Mask {
        let mut doubts = Mask::none();
        let mut on = [false; super::LANES];
        for lane in who.lanes() {
            match condition.eval(&mut self.scene(lane)) {
                Ok(holds) => on[lane] = holds,
                Err(_) => doubts.add(&Mask::of(who, |other| other == lane)),
            }
        }
        self.doubts.add(&doubts);
        Mask::of(who, |lane| on[lane])
    }

    /// A number, evaluated lane by lane.
    fn number_lane_by_lane(&mut self, num: &Num, who: &Mask) -> Value {
        let mut numbers = Vec::with_capacity(who.count());
        let mut doubts = Mask::none();
        for lane in who.lanes() {
            match num.eval(&mut self.scene(lane)) {
                Ok(number) => numbers.push((lane, number)),
                Err(_) => doubts.add(&Mask::of(who, |other| other == lane)),
            }
        }
        self.doubts.add(&doubts);
        Value::gathered(&numbers).unwrap_or_else(|| self.doubted(who))
    }

    /// What an expression sees in one lane.
    fn scene(&mut self, lane: usize) -> Environment<'_> {
        for (heap, (base, down)) in self.sizes.iter().zip(&self.down).enumerate() {
            self.position[heap] = (base.at(lane) - down).unsigned_abs();
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
