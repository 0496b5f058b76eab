//! The instances of a move: what each heap loses, for every combination of the
//! numbers of `for some`, the sets of heaps selected and the numbers of
//! repetitions.
//!
//! An instance leaves the amounts open, as integer variables with bounds. Where
//! there are too many combinations, choices are merged: instead of the set of
//! heaps selected the instance has the list of the sets that may be selected.
//! A merged instance describes every loss that the instances describe, and maybe
//! others. So a measure that all merged instances lower is one that every move
//! lowers.

use super::affine::{Affine, INFINITY};
use super::state::{ByHeap, Chosen, Shared, State, Tokens, reads};
use itertools::Itertools;
use nimrule_model::expr::bounds::Interval;
use nimrule_model::expr::{Bool, Expr, HeapId, Num, Part, Pick, Set, Slot};
use nimrule_model::game::{Action, Amount, CountedSets, Members, Move, Number, Parts, Share, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of instances of a move.
const MAX_INSTANCES: usize = 1000;

/// The largest number of states that the enumeration visits.
const MAX_STATES: usize = 8 * MAX_INSTANCES;

/// A step that may be repeated more often is merged.
const MAX_REPETITIONS: u64 = 8;

/// A merged selection with more sets is described by its heaps.
const MAX_ALTERNATIVES: usize = 64;

/// The sets of heaps of a multiset are examined one by one if they consist of at most this
/// many heaps.
const MAX_POOL: usize = 10;

/// Larger bounds are treated as infinite.
const MAX_BOUND: i128 = 1_000_000;

/// The loss of a move as a function of the weights of the heaps: the sum of its
/// terms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    pub terms: Vec<Term>,
    /// Heaps that may lose more than the terms say, so that their weights must not be
    /// negative.
    pub lose_more: Vec<HeapId>,
    /// Whether the number of heaps of a multiset rises where no token is lost.
    pub more_heaps: bool,
}

/// The loss `k * (Σ coefficient * weight + the smallest of each list of
/// alternatives)`, where k may be any integer between the bounds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    pub low: Option<i128>,
    pub high: Option<i128>,
    pub fixed: ByHeap,
    pub alternatives: Vec<Vec<ByHeap>>,
}

impl Instance {
    /// A lower bound on the loss at these weights; `None` if there is none.
    pub fn least_loss(&self, weights: &[i64]) -> Option<i128> {
        if self.lose_more.iter().any(|heap| weights[heap.index()] < 0) {
            return None;
        }
        let mut loss = 0_i128;
        for term in &self.terms {
            loss = loss.checked_add(term.least_loss(weights)?)?;
        }
        Some(loss)
    }

    /// The heaps whose weights the loss depends on.
    pub fn heaps(&self) -> BTreeSet<HeapId> {
        let terms = self.terms.iter().flat_map(Term::entries);
        terms.map(|(heap, _)| *heap).collect()
    }
}

impl Term {
    fn least_loss(&self, weights: &[i64]) -> Option<i128> {
        let ends = self.ends();
        let mut least: Option<i128> = None;
        for (end, infinite) in ends {
            let loss = self.at(end, weights);
            if infinite {
                if loss < 0 {
                    return None;
                }
            } else {
                least = Some(least.map_or(loss, |least| least.min(loss)));
            }
        }
        Some(least.unwrap_or(0))
    }

    /// The ends of the interval of k. An infinite end is given by its sign, and
    /// the loss must not be negative there.
    pub fn ends(&self) -> Vec<(i128, bool)> {
        let mut ends = vec![self.low.map_or((-1, true), |low| (low, false))];
        if self.low.is_none() || self.low != self.high {
            ends.push(self.high.map_or((1, true), |high| (high, false)));
        }
        ends
    }

    /// The loss at `k`.
    fn at(&self, k: i128, weights: &[i64]) -> i128 {
        let value = |by_heap: &ByHeap| -> i128 {
            by_heap
                .iter()
                .map(|(heap, number)| k * number * i128::from(weights[heap.index()]))
                .sum()
        };
        let smallest = |list: &Vec<ByHeap>| list.iter().map(value).min().unwrap_or(0);
        value(&self.fixed) + self.alternatives.iter().map(smallest).sum::<i128>()
    }

    /// Whether k may be 0 and as large or as small as one likes, so that the least
    /// loss is 0 if there is one.
    pub fn is_least_at_zero(&self) -> bool {
        matches!(
            (self.low, self.high),
            (Some(0), None) | (None, Some(0)) | (None, None)
        )
    }

    /// Whether the loss grows with k at weights of at least 0.
    pub fn is_natural(&self) -> bool {
        self.entries().all(|(_, number)| *number >= 0)
    }

    fn entries(&self) -> impl Iterator<Item = &(HeapId, i128)> {
        let lists = self.alternatives.iter().flatten();
        std::iter::once(&self.fixed).chain(lists).flatten()
    }
}

/// The instances of a move, and whether some of its choices are merged.
pub struct Instances {
    pub instances: Vec<Instance>,
    pub merged: bool,
}

/// Which choices of a move are merged.
struct Merged {
    choices: Vec<bool>,
    steps: Vec<bool>,
}

/// The instances of a move.
pub fn instances(
    mover: &Move,
    positions: Option<&Expr<Bool>>,
    slots: usize,
    tokens: &Tokens,
) -> Instances {
    let mut merged = Merged {
        choices: vec![false; mover.choices.len()],
        steps: mover
            .steps
            .iter()
            .map(|step| step.most > MAX_REPETITIONS)
            .collect(),
    };
    let mut some = false;
    loop {
        let state = State::new(slots, tokens);
        if let Some(instances) = enumerate(mover, positions, state, &merged) {
            return Instances {
                instances,
                merged: some,
            };
        }
        some = true;
        // The step with the most sets is merged first.
        let open = (0..mover.steps.len()).filter(|at| !merged.steps[*at]);
        let largest = open.max_by_key(|at| {
            let step = &mover.steps[*at];
            let sets = number_of_sets(&step.action.selection().members);
            (sets.saturating_pow(step.most.min(8) as u32), *at)
        });
        match largest {
            Some(step) => merged.steps[step] = true,
            None => match merged.choices.iter().rposition(|merged| !merged) {
                Some(choice) => merged.choices[choice] = true,
                None => {
                    return Instances {
                        instances: vec![unknown()],
                        merged: true,
                    };
                }
            },
        }
    }
}

/// A single instance for all choices.
pub fn merged_instances(
    mover: &Move,
    positions: Option<&Expr<Bool>>,
    slots: usize,
    tokens: &Tokens,
) -> Vec<Instance> {
    let merged = Merged {
        choices: vec![true; mover.choices.len()],
        steps: vec![true; mover.steps.len()],
    };
    let state = State::new(slots, tokens);
    enumerate(mover, positions, state, &merged).unwrap_or_else(|| vec![unknown()])
}

/// The instance that no weights lower.
fn unknown() -> Instance {
    Instance {
        terms: Vec::new(),
        lose_more: Vec::new(),
        more_heaps: false,
    }
}

fn number_of_sets(members: &Members) -> u64 {
    let number = match members {
        Members::Listed(sets) => sets.len(),
        Members::Relative { sets, .. } => sets.iter().map(Vec::len).max().unwrap_or(0),
        Members::At { heaps, .. } => heaps.len(),
        Members::Counted(counted) => {
            let numbers = |sets: &Vec<Vec<Vec<HeapId>>>| sets.iter().map(Vec::len).sum();
            counted.sets.iter().map(numbers).max().unwrap_or(0)
        }
        Members::Picked(_) | Members::Remaining(_) | Members::Multiset { .. } => 1,
    };
    number as u64
}

fn enumerate(
    mover: &Move,
    positions: Option<&Expr<Bool>>,
    mut state: State,
    merged: &Merged,
) -> Option<Vec<Instance>> {
    let mut enumeration = Enumeration {
        mover,
        positions,
        merged,
        found: BTreeSet::new(),
        states: 0,
    };
    let possible = positions.is_none_or(|condition| state.assume(condition, true))
        && mover
            .when
            .as_ref()
            .is_none_or(|condition| state.assume(condition, true));
    if possible {
        enumeration.choose(0, state)?;
    }
    Some(enumeration.found.into_iter().collect())
}

struct Enumeration<'m> {
    mover: &'m Move,
    positions: Option<&'m Expr<Bool>>,
    merged: &'m Merged,
    found: BTreeSet<Instance>,
    states: usize,
}

/// The methods return `None` if there are too many states.
impl Enumeration<'_> {
    fn choose(&mut self, at: usize, mut state: State) -> Option<()> {
        let mover = self.mover;
        let Some(choice) = mover.choices.get(at) else {
            return self.step(0, 0, state);
        };
        let members = if self.merged.choices[at] {
            None
        } else {
            state.known_members(&choice.set, MAX_INSTANCES)
        };
        let values: Vec<Affine> = match members {
            Some(members) => members.into_iter().map(Affine::constant).collect(),
            None => {
                let interval = state.members(&choice.set);
                if interval.is_empty() {
                    return Some(());
                }
                let value = state.fresh(interval);
                if let Set::Range(low, high) = &choice.set.node {
                    let low = state.num(low);
                    let above = state.assume_natural(value.clone().minus(&low));
                    let below = high.as_ref().is_none_or(|high| {
                        let high = state.num(high);
                        state.assume_natural(high.minus(&value))
                    });
                    if !(above && below) {
                        return Some(());
                    }
                }
                vec![value]
            }
        };
        for value in values {
            self.count()?;
            let mut state = state.clone();
            state.bind(choice.slot, value);
            if holds(&mut state, choice.condition.as_ref()) {
                self.choose(at + 1, state)?;
            }
        }
        Some(())
    }

    fn count(&mut self) -> Option<()> {
        self.states += 1;
        (self.states <= MAX_STATES).then_some(())
    }

    /// Executes the steps from `at` on, the first of which has been done `done`
    /// times.
    fn step(&mut self, at: usize, done: u64, mut state: State) -> Option<()> {
        let mover = self.mover;
        let Some(step) = mover.steps.get(at) else {
            if holds(&mut state, self.positions) {
                self.found.insert(instance(&state));
            }
            return (self.found.len() <= MAX_INSTANCES).then_some(());
        };
        if self.merged.steps[at] {
            return match merged_step(state, step, (step.least, step.most)) {
                Some(after) => self.step(at + 1, 0, after),
                None => Some(()),
            };
        }
        if done >= step.least {
            self.step(at + 1, 0, state.clone())?;
        }
        if done == step.most {
            return Some(());
        }
        let selection = step.action.selection();
        let (sets, known) = sets_of(&selection.members, &state);
        if !known {
            return match merged_step(state, step, (1, 1)) {
                Some(after) => self.step(at, done + 1, after),
                None => Some(()),
            };
        }
        let single = self.takes_from_any(at, &sets);
        let index = match &selection.members {
            Members::At { first, index, .. } => {
                let index = state.num(index);
                Some(index.minus(&Affine::constant(i128::from(*first))))
            }
            _ => None,
        };
        // The number of each set, where the position gives the number.
        let counts: Option<(Affine, Vec<Interval>)> = match &selection.members {
            Members::Counted(counted) => {
                let heap = counted_heap(counted, &state).flatten();
                let by_count = &counted.sets[heap.map_or(0, HeapId::index)];
                let intervals = by_count.iter().enumerate().flat_map(|(index, sets)| {
                    let (low, high) = counted.counts(index, heap);
                    let interval = match high {
                        Some(high) => Interval::new(low.into(), high.into()),
                        None => Interval::from(i128::from(low)),
                    };
                    sets.iter().map(move |_| interval)
                });
                Some((state.num(&counted.count), intervals.collect()))
            }
            _ => None,
        };
        let single = match counts {
            Some(_) => None,
            None => single,
        };
        for (place, heaps) in single.as_ref().unwrap_or(&sets).iter().enumerate() {
            let interval = counts.as_ref().map(|(count, all)| (count, all[place]));
            let place = place as i128;
            let mut state = match &index {
                Some(index) if index.value().is_some_and(|index| index != place) => continue,
                _ => state.clone(),
            };
            self.count()?;
            if let Some(index) = &index
                && !state.assume_interval(index, Interval::new(place, place))
            {
                continue;
            }
            if let Some((count, interval)) = interval
                && !state.assume_interval(count, interval)
            {
                continue;
            }
            if let Members::Multiset { .. } = &selection.members
                && !select_nonempty(&mut state, heaps)
            {
                continue;
            }
            state
                .picks
                .insert(selection.pick, Chosen::Heaps(heaps.clone()));
            if execute(&mut state, &step.action, heaps) {
                if single.is_some() {
                    let all = union(&sets);
                    state.forget(&all);
                    state.lose_more.extend(all);
                }
                self.step(at, done + 1, state)?;
            }
        }
        Some(())
    }

    /// The heaps of a step that takes from each heap of a set at will, if there
    /// are more sets than heaps: one heap that certainly loses tokens stands for
    /// all sets with it.
    fn takes_from_any(&self, at: usize, sets: &[Vec<HeapId>]) -> Option<Vec<Vec<HeapId>>> {
        let step = &self.mover.steps[at];
        let Action::Take {
            amount:
                Amount {
                    share: Share::HeapByHeap,
                    bound: None,
                    ..
                },
            from,
            condition: None,
            ..
        } = &step.action
        else {
            return None;
        };
        let heaps = union(sets);
        let later = &self.mover.steps[at + 1..];
        let is_named = later.iter().any(|later| step_reads(later, from.pick));
        (sets.len() > heaps.len() && !is_named)
            .then(|| heaps.into_iter().map(|heap| vec![heap]).collect())
    }
}

/// Whether a step refers to an earlier selection.
fn step_reads(step: &Step, pick: Pick) -> bool {
    let members = match &step.action.selection().members {
        Members::Picked(to) | Members::Relative { to, .. } => *to == pick,
        Members::At { index, .. } => reads(Part::Num(index), pick),
        Members::Counted(counted) => {
            counted.to == Some(pick) || reads(Part::Num(&counted.count), pick)
        }
        Members::Listed(_) | Members::Remaining(_) | Members::Multiset { .. } => false,
    };
    let numbers = match &step.action {
        Action::Take { amount, .. } => amount.numbers.as_ref().map(|set| Part::Set(set)),
        Action::Put { amount, .. } => Some(Part::Set(amount)),
        Action::Set { value, .. } => Some(Part::Num(value)),
        // Such moves have the measure of `multiset_order`.
        Action::Slide { .. } | Action::Split { .. } | Action::Replace { .. } => None,
    };
    let condition = step.action.condition().map(|c| Part::Bool(c));
    members
        || [numbers, condition]
            .into_iter()
            .flatten()
            .any(|part| reads(part, pick))
}

fn holds(state: &mut State, condition: Option<&Expr<Bool>>) -> bool {
    condition.is_none_or(|condition| state.assume(condition, true))
}

/// The sets that a selection may choose, and whether each of them may be examined
/// by itself.
fn sets_of(members: &Members, state: &State) -> (Vec<Vec<HeapId>>, bool) {
    match members {
        Members::Listed(sets) => (sets.clone(), true),
        // The index decides which of them is possible.
        Members::At { heaps, .. } => (heaps.iter().map(|heap| vec![*heap]).collect(), true),
        Members::Picked(pick) => match state.picks.get(pick) {
            Some(Chosen::Heaps(heaps)) => (vec![heaps.clone()], true),
            Some(Chosen::OneOf { sets, .. }) => (sets.clone(), false),
            None => (Vec::new(), false),
        },
        Members::Relative { to, sets } => match state.picks.get(to) {
            Some(Chosen::Heaps(heaps)) => match heaps.as_slice() {
                [heap] => (sets.get(heap.index()).cloned().unwrap_or_default(), true),
                _ => (sets.concat(), false),
            },
            Some(Chosen::OneOf { sets: from, .. }) => {
                let heaps = union(from);
                let sets = heaps.iter().filter_map(|heap| sets.get(heap.index()));
                (sets.flatten().cloned().collect(), false)
            }
            None => (sets.concat(), false),
        },
        // The number decides which of them is possible.
        Members::Counted(counted) => match counted_heap(counted, state) {
            Some(heap) => {
                let sets = &counted.sets[heap.map_or(0, HeapId::index)];
                (sets.concat(), true)
            }
            None => (counted.all().cloned().collect(), false),
        },
        Members::Remaining(left) => (vec![left.heaps()], false),
        Members::Multiset { number, kind } => match state.tokens.state(*kind) {
            Some(state) => (vec![vec![state]], true),
            None => sets_of_multiset(number, state),
        },
    }
}

/// The heap to which counted sets belong, if they belong to one; `None` if it is not known.
fn counted_heap(counted: &CountedSets, state: &State) -> Option<Option<HeapId>> {
    match counted.to {
        None => Some(None),
        Some(to) => match state.picks.get(&to) {
            Some(Chosen::Heaps(heaps)) if heaps.len() == 1 => Some(heaps.first().copied()),
            _ => None,
        },
    }
}

/// The sets of heaps of a multiset that a step may select: of the heaps that may have been
/// selected before, and of others, which nothing distinguishes from each other. Kinds are
/// ignored. For all heaps, and where there are many sets, only their sizes are the right
/// ones.
fn sets_of_multiset(number: &Number, state: &State) -> (Vec<Vec<HeapId>>, bool) {
    let range = |from: usize, length: usize| (from..from + length).map(HeapId::new);
    let first_heap = state.tokens.states;
    let Number::Some { least, most } = *number else {
        let single = range(first_heap, state.seen + 1 - first_heap).map(|heap| vec![heap]);
        return (single.collect(), false);
    };
    let mut sets = Vec::new();
    if state.seen - first_heap + most > MAX_POOL {
        for first in first_heap..=state.seen {
            sets.extend([least, most].map(|length| range(first, length).collect()));
        }
        return (sets, false);
    }
    for size in least..=most {
        for new in 0..=size {
            for earlier in (first_heap..state.seen).combinations(size - new) {
                let earlier = earlier.into_iter().map(HeapId::new);
                sets.push(earlier.chain(range(state.seen, new)).collect());
            }
        }
    }
    (sets, true)
}

/// Selects heaps of a multiset, which are not empty. Returns whether that is possible.
fn select_nonempty(state: &mut State, heaps: &[HeapId]) -> bool {
    heaps.iter().all(|heap| {
        state.seen = state.seen.max(heap.index() + 1);
        let size = state.size(*heap);
        state.assume_interval(&size, Interval::from(1))
    })
}

fn union(sets: &[Vec<HeapId>]) -> Vec<HeapId> {
    let heaps: BTreeSet<HeapId> = sets.iter().flatten().copied().collect();
    heaps.into_iter().collect()
}

/// One of several sets, whose total size is at least `least`.
fn some_of(sets: Vec<Vec<HeapId>>, all: bool, least: i128, state: &mut State) -> Chosen {
    let sum = state.fresh(Interval::from(least));
    let single = !all && sets.iter().all(|set| set.len() == 1);
    Chosen::OneOf {
        sets,
        size: single.then(|| sum.clone()),
        sum,
        all,
    }
}

/// The slots that `each` binds in a condition.
fn each_slots(condition: Option<&Expr<Bool>>) -> Vec<Slot> {
    let mut slots = Vec::new();
    if let Some(condition) = condition {
        Part::Bool(condition).any(&mut |part| {
            if let Part::Bool(Bool::Each(slot, _)) = part {
                slots.push(*slot);
            }
            false
        });
    }
    slots
}

/// Executes an action once on these heaps. Returns whether it can be done.
fn execute(state: &mut State, action: &Action, heaps: &[HeapId]) -> bool {
    match action {
        Action::Take {
            amount,
            condition,
            leaving,
            ..
        } => {
            take(state, amount, condition.as_ref(), heaps)
                && leaving.is_none_or(|leaving| {
                    let sizes = parts_of(state, heaps[0], leaving.least, false);
                    sizes.is_some_and(|sizes| {
                        state.divide(heaps[0], &sizes);
                        true
                    })
                })
        }
        Action::Put {
            amount, condition, ..
        } => {
            let Some(number) = state.amount(amount, true) else {
                return false;
            };
            state.never_raises = false;
            if !holds(state, condition.as_ref()) {
                return false;
            }
            for heap in heaps {
                state.lose(*heap, &number.times(-1));
            }
            true
        }
        Action::Set {
            size,
            heap,
            value,
            condition,
            ..
        } => set(state, (*size, *heap), value, condition.as_ref(), heaps),
        Action::Split {
            parts, condition, ..
        } => {
            let sizes = match parts {
                Parts::Counted(leaving) => parts_of(state, heaps[0], leaving.least, false),
                Parts::Named(slots) => parts_of(state, heaps[0], slots.len() as u64, true),
                Parts::Any => parts_of(state, heaps[0], 2, false),
            };
            let Some(sizes) = sizes else {
                return false;
            };
            if let Parts::Named(slots) = parts {
                let bound = slots.iter().zip(&sizes);
                bound.for_each(|(slot, size)| state.bind(*slot, size.clone()));
            }
            state.splits |= is_split(action);
            let possible = matches!(parts, Parts::Any) || holds(state, condition.as_ref());
            state.divide(heaps[0], &sizes);
            possible
        }
        Action::Replace { .. } => {
            state.never_raises = false;
            state.forget(heaps);
            for heap in heaps {
                let lost = state.fresh(Interval::ALL);
                state.lost.entry(*heap).or_default().add(&lost, 1);
            }
            true
        }
        Action::Slide { condition, .. } => {
            let possible = holds(state, condition.as_ref());
            let loss = state.tokens.loss_by_slide();
            for token in heaps {
                state.move_token(*token, None, loss);
            }
            possible
        }
    }
}

/// The sizes of `least` parts of a heap; of all parts, if they are `all`. `None` if it has too
/// few tokens.
fn parts_of(state: &mut State, heap: HeapId, least: u64, all: bool) -> Option<Vec<Affine>> {
    let mut rest = state.size(heap);
    let sizes: Vec<Affine> = (0..least).map(|_| state.fresh(Interval::from(1))).collect();
    for size in &sizes {
        rest = rest.minus(size);
    }
    let possible = (!all || state.assume_natural(rest.times(-1))) && state.assume_natural(rest);
    possible.then_some(sizes)
}

/// Whether an action replaces a heap by several that have as many tokens.
fn is_split(action: &Action) -> bool {
    match action {
        Action::Split { parts, .. } => match parts {
            Parts::Counted(leaving) => leaving.least > 1,
            Parts::Named(slots) => slots.len() > 1,
            Parts::Any => true,
        },
        _ => false,
    }
}

fn take(
    state: &mut State,
    amount: &Amount,
    condition: Option<&Expr<Bool>>,
    heaps: &[HeapId],
) -> bool {
    let first_new = state.variables.len();
    let from_each = match &amount.numbers {
        None => Some(state.fresh(Interval::from(1))),
        Some(set) => state.amount(set, false),
    };
    let Some(from_each) = from_each else {
        return false;
    };
    let number = heaps.len() as i128;
    let together = amount.share == Share::HeapByHeap && heaps.len() > 1;
    let each = each_slots(condition);
    let total = if together {
        let bounds = state.interval(&from_each);
        let most = match &amount.numbers {
            None => INFINITY,
            Some(_) => bounds.high.saturating_mul(number),
        };
        let total = state.fresh(Interval::new(bounds.low, most));
        let sizes: Vec<Affine> = heaps.iter().map(|heap| state.size(*heap)).collect();
        let sizes = sizes
            .iter()
            .fold(Affine::default(), |sum, size| sum.plus(size));
        if !state.assume_natural(sizes.minus(&total)) {
            return false;
        }
        total
    } else {
        each.iter()
            .for_each(|slot| state.bind(*slot, from_each.clone()));
        for heap in heaps {
            let size = state.size(*heap);
            if !state.assume_natural(size.minus(&from_each)) {
                return false;
            }
        }
        from_each.times(number)
    };
    if let Some(slot) = amount.bound {
        let bound = match amount.share {
            Share::HeapByHeap => total.clone(),
            Share::Equal => from_each.clone(),
        };
        state.bind(slot, bound);
    }
    state.total = total.clone();
    // Any of the amounts, which may be 0.
    let any = state.fresh(Interval::NATURALS);
    if together {
        state.each_stands_for_all = true;
        each.iter().for_each(|slot| state.bind(*slot, any.clone()));
    }
    let possible = holds(state, condition);
    state.each_stands_for_all = false;
    if !possible {
        return false;
    }
    if together {
        let least = state.interval(&any).low.saturating_mul(number);
        let least = Affine::constant(least.min(INFINITY));
        if !state.assume_natural(total.clone().minus(&least)) {
            return false;
        }
    }
    if together {
        // A number that an earlier step chose is the same number here.
        let earlier = from_each.value().is_none() && state.is_older_than(&from_each, first_new);
        let shared = if earlier {
            state.lose_more.extend(heaps.iter().copied());
            from_each
        } else {
            total
        };
        state.shared.push(Shared {
            amount: shared,
            alternatives: heaps.iter().map(|heap| vec![(*heap, 1)]).collect(),
        });
        state.forget(heaps);
    } else {
        for heap in heaps {
            state.lose(*heap, &from_each);
        }
    }
    true
}

fn set(
    state: &mut State,
    (size, number): (Slot, Option<Slot>),
    value: &Expr<Num>,
    condition: Option<&Expr<Bool>>,
    heaps: &[HeapId],
) -> bool {
    if !holds(state, condition) {
        return false;
    }
    let mut changes = Vec::new();
    for heap in heaps {
        let before = state.size(*heap);
        if let Some(number) = number {
            state.bind(number, Affine::constant(heap.index() as i128 + 1));
        }
        let stays = matches!(value.node, Num::Local(slot) if slot == size);
        if state.tokens.contain(*heap) && !stays {
            state.bind(size, before);
            let vertex = state.num(value);
            state.move_token(*heap, Some(vertex), Interval::ALL);
            continue;
        }
        let Some((value, lost)) = change(state, size, value, before) else {
            return false;
        };
        changes.push((*heap, value, lost));
    }
    let total = changes
        .iter()
        .fold(Affine::default(), |sum, (_, _, lost)| sum.plus(lost));
    let lows: Vec<i128> = changes
        .iter()
        .map(|(_, _, lost)| state.interval(lost).low)
        .collect();
    // A state that grows is no heap that grows.
    let is_state = |heap: &HeapId| heap.index() < state.tokens.states;
    state.never_raises &= heaps.iter().all(is_state) || lows.iter().all(|low| *low >= 0);
    let known = state.interval(&total);
    // Only of the sum it is known that it is positive.
    let together = lows.iter().all(|low| *low >= 0) && known.low > lows.iter().sum();
    for (heap, value, lost) in changes {
        state.set_size(heap, value);
        if !together {
            state.lost.entry(heap).or_default().add(&lost, 1);
        }
    }
    if together {
        let amount = state.fresh(known);
        state.shared.push(Shared {
            amount,
            alternatives: heaps.iter().map(|heap| vec![(*heap, 1)]).collect(),
        });
    }
    true
}

/// The new size of a heap and its loss; `None` if there is no new size.
fn change(
    state: &mut State,
    size: Slot,
    value: &Expr<Num>,
    before: Affine,
) -> Option<(Affine, Affine)> {
    state.bind(size, before.clone());
    if !state.assume_interval(&before, Interval::NATURALS) {
        return None;
    }
    let after = state.num(value);
    if !state.assume_interval(&after, Interval::NATURALS) {
        return None;
    }
    let lost = before.minus(&after);
    let mut known = state.interval(&lost);
    if value.is_at_most(size) {
        known = known.meet(Interval::NATURALS);
    }
    if known == lost.interval(&state.variables) {
        return Some((after, lost));
    }
    // A bound on the difference, which does not follow from those of its terms.
    let bounded = state.fresh(known);
    Some((after, bounded))
}

/// Executes a step on any of the sets of heaps, `least` to `most` times. `None` if
/// it cannot be done.
fn merged_step(mut state: State, step: &Step, (least, most): (u64, u64)) -> Option<State> {
    let selection = step.action.selection();
    let (sets, _) = sets_of(&selection.members, &state);
    if sets.is_empty() {
        return (least == 0).then_some(state);
    }
    let heaps = union(&sets);
    let first_new = state.variables.len();
    let (all, nonempty) = match &selection.members {
        Members::Multiset { number, .. } => (*number == Number::All, true),
        Members::Picked(pick) => match state.picks.get(pick) {
            Some(Chosen::OneOf { all, .. }) => (*all, false),
            _ => (false, false),
        },
        _ => (false, false),
    };
    if nonempty {
        let last = heaps.last().map_or(0, |heap| heap.index() + 1);
        state.seen = state.seen.max(last);
    }
    state.splits |= least > 0 && is_split(&step.action);
    let mut inner = state.clone();
    if most > 1 {
        inner.forget(&heaps);
    }
    let chosen = some_of(sets.clone(), all, i128::from(nonempty), &mut inner);
    inner.picks.insert(selection.pick, chosen.clone());
    let once = merged_action(&mut inner, &step.action, &sets, &chosen, nonempty);
    let Some((per_time, is_loss, alternatives)) = once else {
        return (least == 0).then_some(state);
    };
    state.never_raises &= inner.never_raises;
    let interval = inner.interval(&per_time);
    let older = inner.is_older_than(&per_time, first_new);
    if least > 0 {
        // What is known after the step was done once is known afterwards.
        state = inner;
    }
    let amount = if least == 1 && most == 1 {
        per_time
    } else if older && is_loss {
        per_time.times(i128::from(least))
    } else if older && state.interval(&per_time).low >= 0 {
        per_time.times(i128::from(most))
    } else {
        let repeated = State::repeated(interval, least, most);
        state.fresh(repeated)
    };
    if amount != Affine::default() {
        state.shared.push(Shared {
            amount,
            alternatives,
        });
    }
    // Only a lower bound on the loss is known.
    state.lose_more.extend(heaps.iter().copied());
    state.forget(&heaps);
    let chosen = some_of(sets, all, 0, &mut state);
    state.picks.insert(selection.pick, chosen);
    Some(state)
}

/// What one repetition of a merged step loses: an amount, whether a larger amount
/// is a larger loss, and the alternatives. `None` if it cannot be done.
fn merged_action(
    state: &mut State,
    action: &Action,
    sets: &[Vec<HeapId>],
    chosen: &Chosen,
    nonempty: bool,
) -> Option<(Affine, bool, Vec<ByHeap>)> {
    let heaps = union(sets);
    let single: Vec<ByHeap> = heaps.iter().map(|heap| vec![(*heap, 1)]).collect();
    let of_set = |sign: i128| -> Vec<ByHeap> {
        let set = |set: &Vec<HeapId>| set.iter().map(|heap| (*heap, sign)).collect();
        sets.iter().map(set).collect()
    };
    let all = matches!(chosen, Chosen::OneOf { all: true, .. });
    let narrowest = sets.iter().map(Vec::len).min().unwrap_or(0) as i128;
    let widest = match all {
        true => INFINITY,
        false => sets.iter().map(Vec::len).max().unwrap_or(0) as i128,
    };
    let by_set = !all && sets.len() <= MAX_ALTERNATIVES;
    match action {
        Action::Take {
            amount, condition, ..
        } => {
            let from_each = match &amount.numbers {
                None => state.fresh(Interval::from(1)),
                Some(set) => state.amount(set, false)?,
            };
            let several = widest > 1;
            let each = each_slots(condition.as_ref());
            let total = match amount.share {
                _ if !several => from_each.clone(),
                Share::Equal => {
                    let interval = state.interval(&from_each);
                    let most = interval.high.saturating_mul(widest);
                    state.fresh(Interval::new(interval.low, most))
                }
                Share::HeapByHeap => {
                    let interval = state.interval(&from_each);
                    let most = match &amount.numbers {
                        None => INFINITY,
                        Some(_) => interval.high.saturating_mul(widest),
                    };
                    state.fresh(Interval::new(interval.low, most))
                }
            };
            for slot in each {
                if several && amount.share == Share::HeapByHeap {
                    state.unbind(slot);
                } else {
                    state.bind(slot, from_each.clone());
                }
            }
            if let Some(slot) = amount.bound {
                let bound = match amount.share {
                    Share::HeapByHeap => total.clone(),
                    Share::Equal => from_each.clone(),
                };
                state.bind(slot, bound);
            }
            if let Chosen::OneOf {
                size: Some(size), ..
            } = chosen
                && !state.assume_natural(size.clone().minus(&from_each))
            {
                return None;
            }
            state.total = total.clone();
            if !holds(state, condition.as_ref()) {
                return None;
            }
            Some(match amount.share {
                Share::Equal if by_set => (from_each, true, of_set(1)),
                Share::Equal => (from_each.times(narrowest), true, single),
                Share::HeapByHeap if amount.bound.is_none() => (from_each, true, single),
                Share::HeapByHeap => (total, true, single),
            })
        }
        Action::Put {
            amount, condition, ..
        } => {
            let number = state.amount(amount, true)?;
            if !holds(state, condition.as_ref()) {
                return None;
            }
            state.never_raises = false;
            Some(if by_set {
                (number, false, of_set(-1))
            } else if all {
                let lost = state.fresh(Interval::new(-INFINITY, -1));
                (lost, true, single)
            } else {
                let single = heaps.iter().map(|heap| vec![(*heap, -1)]).collect();
                (number.times(widest), false, single)
            })
        }
        Action::Set {
            size,
            heap: number,
            value,
            condition,
            ..
        } => {
            if !holds(state, condition.as_ref()) {
                return None;
            }
            if let Some(number) = number {
                let any = state.fresh(Interval::from(1));
                state.bind(*number, any);
            }
            let (before, sum) = match chosen {
                Chosen::OneOf { size, sum, .. } => (size.clone(), Some(sum.clone())),
                Chosen::Heaps(_) => (None, None),
            };
            let stays = matches!(value.node, Num::Local(slot) if slot == *size);
            if !stays && heaps.iter().any(|heap| state.tokens.contain(*heap)) {
                return Some((state.fresh(Interval::ALL), true, single));
            }
            let least = Interval::from(i128::from(nonempty));
            let before = before.unwrap_or_else(|| state.fresh(least));
            let (after, lost) = change(state, *size, value, before)?;
            let interval = state.interval(&lost);
            if interval.low >= 0 {
                let low = match sum {
                    Some(sum) if after.value() == Some(0) => state.interval(&sum).low,
                    _ => 0,
                };
                let low = low.max(interval.low.saturating_mul(narrowest));
                let amount = state.fresh(Interval::from(low));
                return Some((amount, true, single));
            }
            state.never_raises = false;
            let low = interval.low.saturating_mul(widest);
            let amount = state.fresh(Interval::new(low, 0));
            Some((amount, true, single))
        }
        Action::Slide { condition, .. } => {
            if !holds(state, condition.as_ref()) {
                return None;
            }
            let known = state.tokens.loss_by_slide();
            let known = match known.low > 0 {
                true => Interval::from(narrowest),
                false => known,
            };
            Some((state.fresh(known), true, single))
        }
        Action::Split { .. } => Some((Affine::default(), true, single)),
        Action::Replace { .. } => {
            state.never_raises = false;
            Some((state.fresh(Interval::ALL), true, single))
        }
    }
}

/// The instance that a final state describes.
fn instance(state: &State) -> Instance {
    let mut terms: BTreeMap<Option<usize>, Term> = BTreeMap::new();
    let term = |variable: Option<usize>| {
        let bounds = variable.map_or(Interval::point(1), |v| state.variables[v]);
        Term {
            low: (bounds.low >= -MAX_BOUND).then(|| bounds.low.min(MAX_BOUND)),
            high: (bounds.high <= MAX_BOUND).then_some(bounds.high),
            fixed: Vec::new(),
            alternatives: Vec::new(),
        }
    };
    let parts = |amount: &Affine| {
        let constant = (amount.constant != 0).then_some((None, amount.constant));
        let variables: Vec<_> = amount.terms.iter().map(|(v, c)| (Some(*v), *c)).collect();
        constant.into_iter().chain(variables)
    };
    for (heap, lost) in &state.lost {
        for (variable, coefficient) in parts(lost) {
            let entry = terms.entry(variable).or_insert_with(|| term(variable));
            entry.fixed.push((*heap, coefficient));
        }
    }
    for shared in &state.shared {
        for (variable, coefficient) in parts(&shared.amount) {
            let entry = terms.entry(variable).or_insert_with(|| term(variable));
            let scaled = |by_heap: &ByHeap| -> ByHeap {
                by_heap.iter().map(|(h, c)| (*h, c * coefficient)).collect()
            };
            let mut list: Vec<ByHeap> = shared.alternatives.iter().map(scaled).collect();
            list.sort_unstable();
            list.dedup();
            match list.as_slice() {
                [only] => entry.fixed.extend(only.iter().copied()),
                _ => entry.alternatives.push(list),
            }
        }
    }
    // Terms with a single value are added up.
    let mut constant = Term {
        low: Some(1),
        high: Some(1),
        fixed: Vec::new(),
        alternatives: Vec::new(),
    };
    let mut others = Vec::new();
    let mut lose_more = state.lose_more.clone();
    for mut term in terms.into_values() {
        term.fixed = added_up(term.fixed);
        let value = match (term.low, term.high) {
            (Some(low), Some(high)) if low == high => Some(low),
            (Some(low), None) if low >= 0 && term.is_natural() => {
                lose_more.extend(term.entries().map(|(heap, _)| *heap));
                Some(low)
            }
            _ => None,
        };
        let Some(value) = value else {
            if !(term.fixed.is_empty() && term.alternatives.is_empty()) {
                term.alternatives.sort_unstable();
                others.push(term);
            }
            continue;
        };
        if value == 0 {
            continue;
        }
        let times = |by_heap: ByHeap| -> ByHeap {
            by_heap.into_iter().map(|(h, c)| (h, c * value)).collect()
        };
        constant.fixed.extend(times(term.fixed));
        let lists = term.alternatives.into_iter();
        constant
            .alternatives
            .extend(lists.map(|list| list.into_iter().map(times).collect()));
    }
    constant.fixed = added_up(constant.fixed);
    constant.alternatives.sort_unstable();
    if !(constant.fixed.is_empty() && constant.alternatives.is_empty()) {
        others.push(constant);
    }
    others.sort_unstable();
    // Such terms only say that a difference of weights is not negative.
    others.dedup_by(|a, b| a == b && a.is_least_at_zero());
    Instance {
        terms: others,
        lose_more: lose_more.into_iter().collect(),
        more_heaps: state.splits && state.never_raises,
    }
}

/// The sum of the numbers by heap.
fn added_up(numbers: ByHeap) -> ByHeap {
    let mut sums: BTreeMap<HeapId, i128> = BTreeMap::new();
    for (heap, number) in numbers {
        *sums.entry(heap).or_insert(0) += number;
    }
    sums.into_iter().filter(|(_, sum)| *sum != 0).collect()
}
