//! Symbolic execution of a move: the sizes of the heaps, the numbers chosen and
//! what each heap has lost, as affine expressions over bounded integer variables.
//!
//! A state stands for every execution of the move that made the same choices so
//! far. Its bounds may be too wide, never too narrow.

use super::affine::{Affine, INFINITY, Variable, scaled};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{
    Arithmetic, Bool, Fold, HeapId, HeapSet, List, Num, OfKind, Order, Part, Pick, Set, Slot,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The rounds of bounds propagation after each new fact. Bounds propagation
/// through `a < b and b < a` would not terminate.
const MAX_ROUNDS: usize = 8;

/// Larger coefficients are replaced by an interval.
const MAX_COEFFICIENT: i128 = 1 << 40;

/// Numbers by heap, ascending, without 0.
pub type ByHeap = Vec<(HeapId, i128)>;

/// The heaps that a step selected.
#[derive(Debug, Clone)]
pub enum Chosen {
    /// These heaps.
    Heaps(Vec<HeapId>),
    /// One of these sets. `size` is the size of the only heap, if every set is a
    /// single heap; `sum` is the sum of the sizes. Where `all` is true, the set is that of
    /// all heaps of a multiset, however many there are, and the sets given are those of one
    /// heap.
    OneOf {
        sets: Vec<Vec<HeapId>>,
        size: Option<Affine>,
        sum: Affine,
        all: bool,
    },
}

/// A loss of which it is not known which heaps bear it: `amount` times one of
/// the alternatives, or a sum of several shares of the amount, each times one of
/// them.
#[derive(Debug, Clone)]
pub struct Shared {
    pub amount: Affine,
    pub alternatives: Vec<ByHeap>,
}

/// The tokens and the states of a game. Of a token on an acyclic digraph the measure is the length of the
/// longest path from its vertex, which a slide lowers; of another token nothing is known.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    /// Their places in a position.
    pub places: Range<usize>,
    /// Whether the digraph has no cycle.
    pub acyclic: bool,
    /// The number of kinds of heaps of a multiset, and of its states, which have the first
    /// identifiers. The size of a state is its value plus 1.
    pub kinds: usize,
    pub states: usize,
}

impl Tokens {
    /// What is known of the loss of a token that slides.
    pub fn loss_by_slide(&self) -> Interval {
        match self.acyclic {
            true => Interval::from(1),
            false => Interval::new(-INFINITY, INFINITY),
        }
    }

    /// The state of a multiset that is the only one of these kinds.
    pub fn state(&self, kind: OfKind) -> Option<HeapId> {
        match kind {
            OfKind::Only(kind) if self.states > 0 => {
                Some(HeapId::new(kind.checked_sub(self.kinds)?))
            }
            _ => None,
        }
    }

    /// Whether a heap is a token.
    pub fn contain(&self, heap: HeapId) -> bool {
        self.places.contains(&heap.index())
    }
}

/// The state after some steps of a move.
#[derive(Debug, Clone)]
pub struct State {
    pub variables: Vec<Interval>,
    /// Expressions that are at least 0.
    facts: Vec<Affine>,
    /// Each variable with the facts that speak of it.
    of_variables: BTreeSet<(Variable, usize)>,
    /// The facts of which a variable became narrower since they were looked at.
    unsettled: BTreeSet<usize>,
    sizes: BTreeMap<HeapId, Affine>,
    /// What each heap has lost since the start of the move.
    pub lost: BTreeMap<HeapId, Affine>,
    pub shared: Vec<Shared>,
    /// Heaps that may have lost more than is described.
    pub lose_more: BTreeSet<HeapId>,
    locals: BTreeMap<Slot, Affine>,
    pub picks: BTreeMap<Pick, Chosen>,
    /// The number of tokens that the current step takes.
    pub total: Affine,
    /// Whether the value of `each` is any of several amounts, so that nothing follows
    /// from a condition that does not hold for each.
    pub each_stands_for_all: bool,
    /// The number of heaps of a multiset that may have been selected. Their identifiers are
    /// the first numbers.
    pub seen: usize,
    /// Whether no step can have made a heap larger.
    pub never_raises: bool,
    /// Whether a heap was split into two or more.
    pub splits: bool,
    /// The number of slots of local variables.
    slots: usize,
    pub tokens: Tokens,
}

impl State {
    /// The state at the start of a move.
    pub fn new(slots: usize, tokens: &Tokens) -> State {
        State {
            variables: Vec::new(),
            facts: Vec::new(),
            of_variables: BTreeSet::new(),
            unsettled: BTreeSet::new(),
            sizes: BTreeMap::new(),
            lost: BTreeMap::new(),
            shared: Vec::new(),
            lose_more: BTreeSet::new(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            total: Affine::default(),
            each_stands_for_all: false,
            seen: tokens.states,
            never_raises: true,
            splits: false,
            slots,
            tokens: tokens.clone(),
        }
    }

    /// A new variable.
    pub fn fresh(&mut self, interval: Interval) -> Affine {
        let variable: Variable = self.variables.len();
        self.variables.push(interval);
        Affine::variable(variable)
    }

    /// The current size of a heap.
    pub fn size(&mut self, heap: HeapId) -> Affine {
        if let Some(size) = self.sizes.get(&heap) {
            return size.clone();
        }
        let size = self.fresh(Interval::NATURALS);
        self.sizes.insert(heap, size.clone());
        size
    }

    /// Takes `number` tokens from a heap; puts them on it if negative.
    pub fn lose(&mut self, heap: HeapId, number: &Affine) {
        let size = self.size(heap).minus(number);
        self.sizes.insert(heap, size);
        self.lost.entry(heap).or_default().add(number, 1);
    }

    /// Gives a heap a size without counting it as a loss.
    pub fn set_size(&mut self, heap: HeapId, size: Affine) {
        self.sizes.insert(heap, size);
    }

    /// Moves a token to some vertex, with a loss in an interval.
    pub fn move_token(&mut self, token: HeapId, vertex: Option<Affine>, loss: Interval) {
        let vertex = vertex.unwrap_or_else(|| self.fresh(Interval::NATURALS));
        self.set_size(token, vertex);
        let lost = self.fresh(loss);
        self.lost.entry(token).or_default().add(&lost, 1);
    }

    /// Leaves the first of some parts in the place of a heap. The others are heaps that have
    /// not been seen.
    pub fn divide(&mut self, heap: HeapId, sizes: &[Affine]) {
        let first = match sizes.first() {
            Some(size) => size.clone(),
            None => self.fresh(Interval::NATURALS),
        };
        self.sizes.insert(heap, first);
    }

    /// Forgets the sizes of heaps.
    pub fn forget(&mut self, heaps: &[HeapId]) {
        for heap in heaps {
            let size = self.fresh(Interval::NATURALS);
            self.sizes.insert(*heap, size);
        }
    }

    pub fn bind(&mut self, slot: Slot, value: Affine) {
        self.locals.insert(slot, value);
    }

    pub fn unbind(&mut self, slot: Slot) {
        self.locals.remove(&slot);
    }

    /// An interval that contains every value of the expression, from the bounds
    /// of its variables and from facts about a multiple of it.
    pub fn interval(&self, affine: &Affine) -> Interval {
        let mut interval = affine.interval(&self.variables);
        let Some(variable) = affine.terms.keys().next() else {
            return interval;
        };
        let opposite = affine.times(-1);
        for fact in facts_of(&self.of_variables, *variable) {
            let fact = &self.facts[fact];
            let bound = if fact.terms == affine.terms {
                Interval::from(affine.constant - fact.constant)
            } else if fact.terms == opposite.terms {
                Interval::new(-INFINITY, affine.constant + fact.constant)
            } else {
                continue;
            };
            interval = interval.meet(bound);
        }
        interval
    }

    /// Assumes that an expression is at least 0. Returns whether it can be.
    pub fn assume_natural(&mut self, fact: Affine) -> bool {
        if let Some(value) = fact.value() {
            return value >= 0;
        }
        let new = self.facts.len();
        let named = fact.terms.keys().map(|variable| (*variable, new));
        self.of_variables.extend(named);
        self.facts.push(fact);
        self.unsettled.insert(new);
        for _ in 0..MAX_ROUNDS {
            // Later facts are looked at in this round, and the others in the next.
            let mut round = std::mem::take(&mut self.unsettled);
            while let Some(number) = round.pop_first() {
                let Some(narrowed) = narrow(&mut self.variables, &self.facts[number]) else {
                    return false;
                };
                for variable in narrowed {
                    for fact in facts_of(&self.of_variables, variable) {
                        match fact > number {
                            true => round.insert(fact),
                            false => self.unsettled.insert(fact),
                        };
                    }
                }
            }
            if self.unsettled.is_empty() {
                break;
            }
        }
        true
    }

    /// Assumes that a condition holds (`holds`), or that it does not. Returns
    /// whether it can be so.
    pub fn assume(&mut self, condition: &Bool, holds: bool) -> bool {
        match condition {
            Bool::Const(value) => *value == holds,
            Bool::Compare(order, left, right) => self.assume_order(*order, left, right, holds),
            Bool::In(num, set) => match &set.node {
                Set::Items(items) if items.is_empty() => !holds,
                Set::Items(items) if items.len() == 1 || !holds => items
                    .iter()
                    .all(|item| self.assume_order(Order::Equal, num, item, holds)),
                Set::Range(low, high) if holds => {
                    self.assume_order(Order::AtMost, low, num, true)
                        && high
                            .as_ref()
                            .is_none_or(|high| self.assume_order(Order::AtMost, num, high, true))
                }
                _ if holds => {
                    let (num, members) = (self.num(num), self.members(set));
                    self.assume_interval(&num, members)
                }
                _ => true,
            },
            Bool::And(all) if holds => all.iter().all(|part| self.assume(part, true)),
            Bool::Or(any) if !holds => any.iter().all(|part| self.assume(part, false)),
            // Of the alternatives that are possible, a single one is assumed.
            Bool::And(parts) | Bool::Or(parts) => {
                let mut possible = None;
                for part in parts {
                    let mut state = self.clone();
                    if state.assume(part, holds) && possible.replace(state).is_some() {
                        return true;
                    }
                }
                match possible {
                    Some(state) => {
                        *self = state;
                        true
                    }
                    None => false,
                }
            }
            Bool::Not(inner) => self.assume(inner, !holds),
            Bool::If(condition, then, otherwise) => match self.decided(condition) {
                Some(true) => self.assume(then, holds),
                Some(false) => self.assume(otherwise, holds),
                None => true,
            },
            Bool::Let(slot, value, body) => {
                let value = self.num(value);
                self.bind(*slot, value);
                self.assume(body, holds)
            }
            Bool::Same(left, right) => match (self.picks.get(left), self.picks.get(right)) {
                (Some(Chosen::Heaps(left)), Some(Chosen::Heaps(right))) => (left == right) == holds,
                _ => left != right || holds,
            },
            // `each` is bound by the step that takes.
            Bool::Each(slot, body)
                if self.locals.contains_key(slot) && (holds || !self.each_stands_for_all) =>
            {
                self.assume(body, holds)
            }
            Bool::Quantified { .. }
            | Bool::Each(..)
            | Bool::Distinct(_)
            | Bool::Like(_)
            | Bool::Joined(_) => true,
        }
    }

    /// Whether a condition holds, if that is known.
    fn decided(&self, condition: &Bool) -> Option<bool> {
        let can_be = |holds| self.clone().assume(condition, holds);
        match (can_be(true), can_be(false)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    fn assume_order(&mut self, order: Order, left: &Num, right: &Num, holds: bool) -> bool {
        // A bound on a maximum or a minimum is one on every entry.
        if holds && matches!(order, Order::AtMost | Order::Less | Order::Equal) {
            let entries = |list: &List, state: &mut State| state.entries(list).unwrap_or_default();
            if let Num::Fold(Fold::Max, list) = left {
                let bound = self.num(right);
                for entry in entries(list, self) {
                    let strict = Affine::constant(i128::from(order == Order::Less));
                    if !self.assume_natural(bound.clone().minus(&entry).minus(&strict)) {
                        return false;
                    }
                }
            }
            if let Num::Fold(Fold::Min, list) = right {
                let bound = self.num(left);
                for entry in entries(list, self) {
                    let strict = Affine::constant(i128::from(order == Order::Less));
                    if !self.assume_natural(entry.minus(&bound).minus(&strict)) {
                        return false;
                    }
                }
            }
        }
        let difference = self.num(right).minus(&self.num(left));
        let less = |difference: &Affine| difference.clone().minus(&Affine::constant(1));
        match (order, holds) {
            (Order::Equal, true) | (Order::NotEqual, false) => {
                self.assume_natural(difference.times(-1)) && self.assume_natural(difference)
            }
            (Order::Equal, false) | (Order::NotEqual, true) => {
                // Only at an end of its interval can a number be excluded.
                match self.interval(&difference) {
                    Interval { low: 0, high: 0 } => false,
                    Interval { low: 0, .. } => self.assume_natural(less(&difference)),
                    Interval { high: 0, .. } => self.assume_natural(less(&difference.times(-1))),
                    _ => true,
                }
            }
            (Order::AtMost, true) => self.assume_natural(difference),
            (Order::Less, true) => self.assume_natural(less(&difference)),
            (Order::AtMost, false) => self.assume_natural(less(&difference.times(-1))),
            (Order::Less, false) => self.assume_natural(difference.times(-1)),
        }
    }

    /// Assumes that an expression is in an interval. Returns whether it can be.
    pub fn assume_interval(&mut self, affine: &Affine, interval: Interval) -> bool {
        let (low, high) = (
            Affine::constant(interval.low),
            Affine::constant(interval.high),
        );
        !interval.is_empty()
            && (interval.low <= -INFINITY || self.assume_natural(affine.clone().minus(&low)))
            && (interval.high >= INFINITY || self.assume_natural(high.minus(affine)))
    }

    /// The value of a number. What is not affine is a new variable.
    pub fn num(&mut self, num: &Num) -> Affine {
        let value = self.affine(num);
        match value {
            Some(value)
                if value.constant.abs() < INFINITY
                    && value.terms.values().all(|c| c.abs() <= MAX_COEFFICIENT) =>
            {
                value
            }
            _ => {
                let interval = self.environment().num(num);
                if interval.low == interval.high {
                    return Affine::constant(interval.low);
                }
                self.fresh(interval)
            }
        }
    }

    /// The value of a number, if it is affine.
    fn affine(&mut self, num: &Num) -> Option<Affine> {
        match num {
            Num::Const(value) => Some(Affine::constant(i128::from(*value))),
            Num::Heap(heap) => Some(self.size(*heap)),
            Num::Fold(Fold::Sum, list)
                if let List::Multiset(kind) = list.node
                    && let Some(state) = self.tokens.state(kind) =>
            {
                Some(self.size(state))
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let place = self.num(index).value()?.checked_sub(i128::from(*first))?;
                let heap = heaps.get(usize::try_from(place).ok()?)?;
                Some(self.size(*heap))
            }
            Num::Local(slot) => self.locals.get(slot).cloned(),
            Num::SizeOf(pick) => match self.picks.get(pick)?.clone() {
                Chosen::Heaps(heaps) => match heaps.as_slice() {
                    [heap] => Some(self.size(*heap)),
                    _ => None,
                },
                Chosen::OneOf { size, .. } => size,
            },
            Num::IndexOf(pick) => match self.picks.get(pick)? {
                Chosen::Heaps(heaps) => match heaps.as_slice() {
                    [heap] => Some(Affine::constant(heap.index() as i128 + 1)),
                    _ => None,
                },
                Chosen::OneOf { .. } => None,
            },
            Num::Total => Some(self.total.clone()),
            Num::Negate(inner) => Some(self.num(inner).times(-1)),
            Num::Binary(operator, left, right) => {
                let (left, right) = (self.num(left), self.num(right));
                match operator {
                    Arithmetic::Add => Some(left.plus(&right)),
                    Arithmetic::Subtract => Some(left.minus(&right)),
                    Arithmetic::Multiply => match (left.value(), right.value()) {
                        (Some(factor), _) if factor.abs() <= MAX_COEFFICIENT => {
                            Some(right.times(factor))
                        }
                        (_, Some(factor)) if factor.abs() <= MAX_COEFFICIENT => {
                            Some(left.times(factor))
                        }
                        _ => None,
                    },
                    // Of what is known, as the coordinates of the heaps chosen.
                    _ => {
                        let (left, right) = (left.value()?, right.value()?);
                        let (left, right) = (left.try_into().ok()?, right.try_into().ok()?);
                        let value = operator.apply(left, right).ok()?;
                        Some(Affine::constant(i128::from(value)))
                    }
                }
            }
            Num::If(condition, then, otherwise) => match self.decided(condition)? {
                true => Some(self.num(then)),
                false => Some(self.num(otherwise)),
            },
            Num::Let(slot, value, body) => {
                let value = self.num(value);
                self.bind(*slot, value);
                Some(self.num(body))
            }
            Num::Fold(fold, list) => {
                if let (Fold::Sum, List::Picked(pick)) = (fold, &list.node)
                    && let Some(Chosen::OneOf { sum, .. }) = self.picks.get(pick)
                {
                    return Some(sum.clone());
                }
                let entries = self.entries(list)?;
                match (fold, entries.as_slice()) {
                    (Fold::Sum, _) => Some(
                        entries
                            .iter()
                            .fold(Affine::default(), |sum, entry| sum.plus(entry)),
                    ),
                    (Fold::Count, _) => Some(Affine::constant(entries.len() as i128)),
                    (_, [only]) => Some(only.clone()),
                    _ => None,
                }
            }
            // One number has its own digits, unless a modulus reduces them.
            Num::Carryless {
                base,
                list,
                modulus,
            } => match self.entries(list)?.as_slice() {
                [only] if base.constant()? <= modulus.constant()? => Some(only.clone()),
                _ => None,
            },
            Num::Apply(..) | Num::Components(_) => None,
        }
    }

    /// The entries of a list, if their number is known.
    fn entries(&mut self, list: &List) -> Option<Vec<Affine>> {
        match list {
            List::Heaps(heaps) => Some(heaps.iter().map(|heap| self.size(*heap)).collect()),
            List::Items(items) => Some(items.iter().map(|item| self.num(item)).collect()),
            List::Sorted(inner) => self.entries(inner),
            List::Picked(pick) => match self.picks.get(pick)?.clone() {
                Chosen::Heaps(heaps) => Some(heaps.iter().map(|heap| self.size(*heap)).collect()),
                Chosen::OneOf { size, .. } => Some(vec![size?]),
            },
            List::At { lists, index } => {
                let place = self.num(index).value()?.checked_sub(1)?;
                let heaps = lists.get(usize::try_from(place).ok()?)?;
                Some(heaps.iter().map(|heap| self.size(*heap)).collect())
            }
            List::Multiset(_) | List::Amounts | List::Gathered { .. } | List::Members(_) => None,
        }
    }

    /// The members of a finite set, if their values are known and there are at
    /// most `most` of them.
    pub fn known_members(&mut self, set: &Set, most: usize) -> Option<Vec<i128>> {
        let mut members: Vec<i128> = match set {
            Set::Range(low, Some(high)) => {
                let (low, high) = (self.num(low).value()?, self.num(high).value()?);
                if high - low >= most as i128 {
                    return None;
                }
                (low..=high).collect()
            }
            Set::Items(items) => {
                let items = items.iter().map(|item| self.num(item).value());
                items.collect::<Option<_>>()?
            }
            _ => return None,
        };
        members.sort_unstable();
        members.dedup();
        (members.len() <= most).then_some(members)
    }

    /// An interval that contains every member of a set.
    pub fn members(&mut self, set: &Set) -> Interval {
        match set {
            Set::Range(low, high) => {
                let low = self.num(low);
                let low = self.interval(&low).low;
                let high = match high {
                    Some(high) => {
                        let high = self.num(high);
                        self.interval(&high).high
                    }
                    None => INFINITY,
                };
                Interval::new(low, high)
            }
            Set::Items(items) => {
                let mut hull = Interval::new(INFINITY, -INFINITY);
                for item in items {
                    let item = self.num(item);
                    let item = self.interval(&item);
                    hull = Interval::new(hull.low.min(item.low), hull.high.max(item.high));
                }
                hull
            }
            _ => self.environment().set(set),
        }
    }

    /// A number from a set, at least 1, as far as possible in terms of numbers
    /// that are known: of a range the lower end and a natural number, or the upper
    /// end less a natural number. `None` if there is no such number.
    pub fn amount(&mut self, set: &Set, from_above: bool) -> Option<Affine> {
        let members = self.members(set).meet(Interval::from(1));
        if members.is_empty() {
            return None;
        }
        let amount = match set {
            Set::Items(items) if items.len() == 1 => self.num(&items[0]),
            Set::Range(low, high) => {
                let (low, high) = (self.num(low), high.as_ref().map(|high| self.num(high)));
                let amount = match (from_above, &high) {
                    (true, Some(high)) if high.value().is_none() => {
                        let less = self.fresh(Interval::NATURALS);
                        high.clone().minus(&less)
                    }
                    (false, _) if low.value().is_none() => {
                        let more = self.fresh(Interval::NATURALS);
                        low.clone().plus(&more)
                    }
                    _ => self.fresh(members),
                };
                let bounded = self.assume_natural(amount.clone().minus(&low))
                    && high.is_none_or(|high| self.assume_natural(high.minus(&amount)));
                if !bounded {
                    return None;
                }
                amount
            }
            _ => self.fresh(members),
        };
        self.assume_interval(&amount, members).then_some(amount)
    }

    /// The intervals of all that is known, for expressions that are not affine.
    fn environment(&self) -> IntervalEnvironment {
        let mut environment = IntervalEnvironment::of_one_position(self.slots);
        for (heap, size) in &self.sizes {
            environment.set_heap(*heap, self.interval(size).meet(Interval::NATURALS));
        }
        for (slot, value) in &self.locals {
            environment.set_local(*slot, self.interval(value));
        }
        environment.total = self.interval(&self.total);
        for (pick, chosen) in &self.picks {
            let size = match chosen {
                Chosen::Heaps(heaps) => match heaps.as_slice() {
                    [heap] => self.sizes.get(heap),
                    _ => None,
                },
                Chosen::OneOf { size, .. } => size.as_ref(),
            };
            if let Some(size) = size {
                let interval = self.interval(size).meet(Interval::NATURALS);
                environment.assume_interval(Num::SizeOf(*pick), interval);
            }
        }
        environment
    }

    /// Whether all variables of an expression are older than `from`.
    pub fn is_older_than(&self, affine: &Affine, from: Variable) -> bool {
        affine.terms.keys().all(|variable| *variable < from)
    }

    /// The interval of `times` numbers, each with values in an interval.
    pub fn repeated(interval: Interval, least: u64, most: u64) -> Interval {
        let (low, high) = (
            scaled(interval, i128::from(least)),
            scaled(interval, i128::from(most)),
        );
        Interval::new(low.low.min(high.low), low.high.max(high.high))
    }
}

/// The facts that speak of a variable, ascending.
fn facts_of(
    of_variables: &BTreeSet<(Variable, usize)>,
    variable: Variable,
) -> impl Iterator<Item = usize> {
    let range = (variable, 0)..=(variable, usize::MAX);
    of_variables.range(range).map(|(_, fact)| *fact)
}

/// Narrows the intervals of the variables of an expression that is at least 0.
/// Returns those that became narrower; `None` if one became empty.
fn narrow(variables: &mut [Interval], fact: &Affine) -> Option<Vec<Variable>> {
    // The largest value of a term.
    let most = |variables: &[Interval], (variable, coefficient): (&Variable, &i128)| {
        scaled(variables[*variable], *coefficient).high
    };
    let (mut finite, mut infinite) = (fact.constant, 0);
    for term in &fact.terms {
        match most(variables, term) {
            INFINITY.. => infinite += 1,
            value => finite += value,
        }
    }
    let mut narrower = Vec::new();
    for (variable, coefficient) in &fact.terms {
        let own = most(variables, (variable, coefficient));
        // The largest value of the rest.
        let rest = match (infinite, own) {
            (0, own) => finite - own,
            (1, INFINITY..) => finite,
            _ => continue,
        };
        // coefficient * variable >= -rest
        let bound = if *coefficient > 0 {
            Interval::from(-rest.div_euclid(*coefficient))
        } else {
            Interval::new(-INFINITY, rest.div_euclid(-coefficient))
        };
        let before = variables[*variable];
        let narrowed = before.meet(bound);
        if narrowed == before {
            continue;
        }
        variables[*variable] = narrowed;
        narrower.push(*variable);
        if narrowed.is_empty() {
            return None;
        }
        let now = most(variables, (variable, coefficient));
        match (own, now) {
            (INFINITY.., INFINITY..) => {}
            (INFINITY.., now) => {
                infinite -= 1;
                finite += now;
            }
            (own, now) => finite += now - own,
        }
    }
    Some(narrower)
}

/// Whether an expression reads a selection.
pub fn reads(part: Part<'_>, pick: Pick) -> bool {
    part.any(&mut |part| match part {
        Part::Num(Num::SizeOf(read) | Num::IndexOf(read)) | Part::List(List::Picked(read)) => {
            *read == pick
        }
        Part::Bool(Bool::Same(left, right)) => *left == pick || *right == pick,
        Part::Bool(Bool::Joined(joined)) => {
            let picked = |end: &&HeapSet| matches!(end, HeapSet::Picked(read) if *read == pick);
            joined.ends().iter().any(picked)
        }
        _ => false,
    })
}
