//! The searches over columns: one digit of every heap, the most significant first.
//!
//! What a column does splits in three parts, which are computed one by one: the heaps that stay,
//! which depend on nothing else ([`Effect`]), the position before the move, and the option. A
//! column with more heaps that may change has all options of one with fewer, if otherwise they
//! do the same. So independence needs only the columns with the most of them, and absorption only
//! those with the fewest.

use super::reading::{Counted, Sum};
use super::tables::Table;
use crate::VerifyError;
use crate::expression::unsupported;
use nimrule_limits::{Limits, Steps};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The claim and the moves.
pub struct Columns<'c> {
    pub counted: &'c Counted,
    pub moves: &'c Table,
    /// The most heaps that a move changes.
    pub heaps: usize,
    pub is_misere: bool,
    /// The number of last columns that are announced.
    pub last: u8,
    pub limits: &'c Limits,
}

/// What some columns determine of the position before the move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Before {
    /// The columns to come, or `last` if none has been announced.
    left: u8,
    /// For each class the number of heaps that stay; 0 if it does not matter.
    stay: Vec<u32>,
    /// For each sum of digits or sizes its value: of digits 1 if they have been right. `None` if
    /// the position is outside for certain.
    sums: Option<Vec<u32>>,
    /// The class of each heap that changes.
    change: Vec<usize>,
    /// Whether all digits have been 0, in misère play.
    is_empty: bool,
}

/// What some columns determine of an option.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct After {
    sums: Vec<u32>,
    /// The class of each heap that changes.
    change: Vec<usize>,
    mover: usize,
}

/// A position with all ways to change the heaps that a strategy follows; none if it has given up
/// the move, since the position is in the set, or is empty.
type Ways = (Before, BTreeSet<After>);

/// A column: what it does if all of its heaps stay.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Column {
    /// For each class the number of heaps after it.
    stay: Vec<u32>,
    /// The sum of the digits, modulo the period of digits.
    digits: u32,
    /// Whether all digits are 0, in misère play.
    is_zero: bool,
}

/// The number of heaps of each slot that may begin to change.
type Free = Vec<u32>;

/// What a column does to the heaps that stay.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    column: Column,
    /// The heaps that change or are followed from the column on, by class and digit.
    begun: Vec<(usize, u8)>,
}

/// The effects of the columns after which so many heaps stay, and for each column those that it
/// may have, by index.
#[derive(Debug, Default)]
struct Effects {
    all: Vec<Effect>,
    of_columns: Vec<Vec<usize>>,
}

/// Which columns are enough, of those that do the same if all heaps stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    /// Those with the fewest heaps that may change.
    Fewest,
    /// Those with the most.
    Most,
}

/// Effects by the numbers of heaps that stay, and the number of those that change.
type Known = BTreeMap<(Vec<u32>, usize), Rc<Effects>>;

/// The most nodes of a search.
pub const MOST_NODES: usize = 200_000;

pub fn reduced(number: u32, threshold: u32, period: u32) -> u32 {
    if number < threshold {
        return number;
    }
    threshold + (number - threshold) % period
}

impl Columns<'_> {
    fn start(&self) -> (Before, After) {
        let sums: Vec<u32> = (self.counted.sums.iter())
            .map(|sum| u32::from(matches!(sum, Sum::Digits { .. })))
            .collect();
        let before = Before {
            left: self.last,
            stay: vec![0; self.counted.next.len()],
            sums: Some(sums.clone()),
            change: Vec::new(),
            is_empty: self.is_misere,
        };
        let after = After {
            sums,
            change: Vec::new(),
            mover: self.moves.start,
        };
        (before, after)
    }

    /// Numbers of heaps that stay are exact below this, if so many change.
    fn threshold(&self, change: usize) -> u32 {
        self.counted.threshold + (self.heaps - change) as u32
    }

    /// The truth of the claim for what has been read: at the end, or for certain whatever
    /// follows.
    fn truth(&self, sums: &[u32], stay: &[u32], change: &[usize], at_end: bool) -> Option<bool> {
        let number = |class: usize| {
            let change = change.iter().filter(|of| **of == class).count() as u32;
            let (threshold, period) = (self.counted.threshold, self.counted.period);
            reduced(stay[class] + change, threshold, period)
        };
        let tree = &self.counted.tree;
        self.counted.truth(tree, sums, &number, at_end)
    }

    /// The class and the digit of the heaps that a column counts; not the digit 0 of a class that
    /// does not matter.
    fn slots(&self) -> Vec<(usize, u8)> {
        let classes = 0..self.counted.next.len();
        let slots = classes.flat_map(|class| {
            let first = u8::from(!self.counted.matters[class]);
            (first..self.counted.base).map(move |digit| (class, digit))
        });
        slots.collect()
    }

    /// The columns that may come if these heaps stay and so many change, each with the heaps
    /// that may begin to change.
    fn columns(
        &self,
        stay: &[u32],
        change: usize,
        enough: Enough,
    ) -> Result<Vec<(Column, Vec<Free>)>, VerifyError> {
        let counted = self.counted;
        let threshold = self.threshold(change);
        let most = (self.heaps - change) as u32;
        let slots = self.slots();
        let nothing = Column {
            stay: vec![0; stay.len()],
            digits: 0,
            is_zero: self.is_misere && enough == Enough::Fewest,
        };
        // With the number of heaps of the current class that have a digit already.
        let mut all = BTreeMap::from([((nothing, 0), vec![Vec::new()])]);
        for (slot, (class, digit)) in slots.iter().enumerate() {
            let is_last = slots.get(slot + 1).is_none_or(|(next, _)| next != class);
            let after = counted.next[*class][usize::from(*digit)];
            let mut longer: BTreeMap<(Column, u32), Vec<Free>> = BTreeMap::new();
            for ((column, so_far), free) in &all {
                self.check_size(longer.len())?;
                for number in 0..threshold + counted.digit_period {
                    self.limits.check_work(Steps(1))?;
                    let mut sum = 0;
                    if counted.matters[*class] {
                        sum = reduced(so_far + number, threshold, counted.period);
                        if is_last && sum != stay[*class] {
                            continue;
                        }
                    }
                    let mut column = column.clone();
                    if counted.matters[after] {
                        let sum = column.stay[after] + number;
                        column.stay[after] = reduced(sum, threshold, counted.period);
                    }
                    let digits = column.digits + u32::from(*digit) * number;
                    column.digits = digits % counted.digit_period;
                    column.is_zero &= *digit == 0 || number == 0;
                    let kept = longer
                        .entry((column, if is_last { 0 } else { sum }))
                        .or_default();
                    for free in free {
                        keep(
                            kept,
                            [free.as_slice(), &[number.min(most)]].concat(),
                            enough,
                        );
                    }
                }
            }
            all = longer;
        }
        let columns = all.into_iter().map(|((column, _), free)| (column, free));
        Ok(columns.collect())
    }

    /// All choices of at most so many heaps, by slot in ascending order, the fewest first.
    fn selections(&self, slots: usize, most: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        let mut shorter = all.clone();
        for _ in 0..most {
            let longer = shorter.iter().flat_map(|selected: &Vec<usize>| {
                let from = selected.last().copied().unwrap_or(0);
                (from..slots).map(|slot| [selected.as_slice(), &[slot]].concat())
            });
            shorter = longer.collect();
            all.extend(shorter.iter().cloned());
        }
        all
    }

    /// The effects of the columns that may come.
    fn effects(&self, stay: &[u32], change: usize, enough: Enough) -> Result<Effects, VerifyError> {
        let slots = self.slots();
        let selections = self.selections(slots.len(), self.heaps - change);
        let mut found = Effects::default();
        let mut index: BTreeMap<Effect, usize> = BTreeMap::new();
        for (column, all_free) in self.columns(stay, change, enough)? {
            let mut places = vec![None; selections.len()];
            for free in all_free {
                self.limits.check_work(Steps(1))?;
                let mut own = Vec::new();
                for (place, selected) in places.iter_mut().zip(&selections) {
                    if !is_free(selected, &free) {
                        continue;
                    }
                    own.push(*place.get_or_insert_with(|| {
                        let begun = selected.iter().map(|at| slots[*at]);
                        let effect = self.effect(&column, change, begun);
                        *index.entry(effect).or_insert_with_key(|effect| {
                            found.all.push(effect.clone());
                            found.all.len() - 1
                        })
                    }));
                }
                found.of_columns.push(own);
            }
        }
        Ok(found)
    }

    /// A column without the heaps that begin to change.
    fn effect(
        &self,
        column: &Column,
        change: usize,
        begun: impl Iterator<Item = (usize, u8)>,
    ) -> Effect {
        let counted = self.counted;
        let (mut column, begun) = (column.clone(), begun.collect::<Vec<_>>());
        for (class, digit) in &begun {
            let after = counted.next[*class][usize::from(*digit)];
            if counted.matters[after] {
                column.stay[after] -= 1;
            }
            let period = counted.digit_period;
            column.digits = (column.digits + period - u32::from(*digit) % period) % period;
        }
        for number in &mut column.stay {
            *number = reduced(
                *number,
                self.threshold(change + begun.len()),
                counted.period,
            );
        }
        column.is_zero &= begun.is_empty();
        Effect { column, begun }
    }

    /// The sums after a column whose digits add up to a number.
    fn sums(&self, sums: &[u32], digits: u32, left: u8) -> Vec<u32> {
        let all = self.counted.sums.iter().zip(sums);
        let value = |(sum, so_far): (&Sum, &u32)| match sum {
            Sum::Digits { modulus, places } => {
                let place = (left < self.last).then(|| places.get(usize::from(left)));
                let wanted = place.flatten().copied().unwrap_or(0);
                u32::from(*so_far == 1 && digits % modulus == wanted)
            }
            Sum::Total(accepted) => {
                (so_far * u32::from(self.counted.base) + digits) % accepted.len() as u32
            }
            Sum::Tally { .. } | Sum::Same => 0,
        };
        all.map(value).collect()
    }

    /// The classes of the heaps that change, with those that begin to, after these digits.
    fn change(&self, change: &[usize], effect: &Effect, digits: &[u8]) -> Vec<usize> {
        let begun = effect.begun.iter().map(|(class, _)| class);
        let classes = change.iter().chain(begun).zip(digits);
        classes
            .map(|(class, digit)| self.counted.next[*class][usize::from(*digit)])
            .collect()
    }

    /// The position before the move after a column. `old` are the digits of the heaps that
    /// change, and of those that begin to.
    fn before(&self, before: &Before, left: u8, effect: &Effect, old: &[u8]) -> Before {
        let digits = effect.column.digits + total(old);
        let sums = (before.sums.as_ref()).map(|sums| self.sums(sums, digits, left));
        let mut change = self.change(&before.change, effect, old);
        let stay = effect.column.stay.clone();
        let sums = sums.filter(|sums| self.truth(sums, &stay, &change, false) != Some(false));
        if sums.is_none() {
            change.fill(0);
        }
        Before {
            left,
            stay,
            sums,
            change,
            is_empty: before.is_empty && effect.column.is_zero && old.is_empty(),
        }
    }

    /// The option after a column, which has these digits before and after the move; `None` if it
    /// is outside, or no option, for certain.
    fn after(
        &self,
        after: &After,
        left: u8,
        effect: &Effect,
        (old, new): (&[u8], &[u8]),
    ) -> Option<After> {
        let letter = old.iter().copied().zip(new.iter().copied());
        let mover = self.moves.after(after.mover, letter);
        if !self.moves.is_open[mover] {
            return None;
        }
        let sums = self.sums(&after.sums, effect.column.digits + total(new), left);
        let change = self.change(&after.change, effect, new);
        let truth = self.truth(&sums, &effect.column.stay, &change, false);
        (truth != Some(false)).then_some(After {
            sums,
            change,
            mover,
        })
    }

    fn was_in_set(&self, before: &Before) -> bool {
        (before.sums.as_ref())
            .is_some_and(|sums| self.truth(sums, &before.stay, &before.change, true) == Some(true))
    }

    fn is_move_into_set(&self, before: &Before, after: &After) -> bool {
        self.moves.accepts[after.mover]
            && self.truth(&after.sums, &before.stay, &after.change, true) == Some(true)
    }

    fn lefts(&self, before: &Before) -> Vec<u8> {
        let mut all = vec![before.left - 1];
        all.extend(Some(before.left).filter(|left| *left == self.last));
        all
    }

    /// All digits of so many heaps.
    fn digits(&self, heaps: usize) -> Vec<Vec<u8>> {
        self.digits_but(&vec![None; heaps])
    }

    /// All digits of some heaps, each but one for some.
    fn digits_but(&self, but: &[Option<u8>]) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for but in but {
            let longer = all.iter().flat_map(|digits: &Vec<u8>| {
                let fits = (0..self.counted.base).filter(|digit| Some(*digit) != *but);
                fits.map(|digit| [digits.as_slice(), &[digit]].concat())
            });
            all = longer.collect();
        }
        all
    }

    /// Whether no move leads from the set into the set: the number of nodes.
    pub fn independent(&self) -> Result<Option<usize>, VerifyError> {
        let mut seen = BTreeSet::from([self.start()]);
        let mut open = vec![self.start()];
        let mut known = Known::new();
        while let Some((before, after)) = open.pop() {
            if before.left == 0 {
                if self.was_in_set(&before) && self.is_move_into_set(&before, &after) {
                    return Ok(None);
                }
                continue;
            }
            let heaps = before.change.len();
            let effects = self.known_effects(&mut known, &before, Enough::Most)?;
            let digits = self.digits(heaps);
            for effect in &effects.all {
                let begun = effect.begun.iter().map(|(_, digit)| *digit);
                // A heap changes from the first digit on that differs.
                let but = begun.clone().map(Some);
                let but: Vec<Option<u8>> = (0..heaps).map(|_| None).chain(but).collect();
                let all_new = self.digits_but(&but);
                for (digits, left) in digits.iter().flat_map(|digits| {
                    self.lefts(&before)
                        .into_iter()
                        .map(move |left| (digits, left))
                }) {
                    self.limits.check_work(Steps(1))?;
                    let old: Vec<u8> = digits.iter().copied().chain(begun.clone()).collect();
                    let next = self.before(&before, left, effect, &old);
                    if next.sums.is_none() {
                        continue;
                    }
                    for new in &all_new {
                        let Some(option) = self.after(&after, left, effect, (&old, new)) else {
                            continue;
                        };
                        let node = (next.clone(), option);
                        if seen.insert(node.clone()) {
                            open.push(node);
                        }
                    }
                }
            }
            self.check_size(seen.len())?;
        }
        Ok(Some(seen.len()))
    }

    fn known_effects(
        &self,
        known: &mut Known,
        before: &Before,
        enough: Enough,
    ) -> Result<Rc<Effects>, VerifyError> {
        let key = (before.stay.clone(), before.change.len());
        if let Some(effects) = known.get(&key) {
            return Ok(effects.clone());
        }
        let effects = Rc::new(self.effects(&key.0, key.1, enough)?);
        known.insert(key, effects.clone());
        Ok(effects)
    }

    /// Whether a strategy finds a move into the set from every position outside: the number of
    /// nodes of the strategy. It selects the heaps that may change as the columns come; their new
    /// digits may be left open to the end.
    pub fn absorbing(&self) -> Result<Option<usize>, VerifyError> {
        // A strategy that gives the digits at once has fewer nodes, where there is one.
        match self.strategy(true)? {
            Some(found) => Ok(Some(found)),
            None => self.strategy(false),
        }
    }

    /// A strategy that gives the new digits of a heap at once, or leaves them open.
    fn strategy(&self, at_once: bool) -> Result<Option<usize>, VerifyError> {
        let mut known = Known::new();
        let mut nodes = Nodes::default();
        let digits: Vec<Vec<Vec<u8>>> = (0..=self.heaps).map(|heaps| self.digits(heaps)).collect();
        let (before, after) = self.start();
        nodes.add((before, BTreeSet::from([after])));
        // Nodes are examined again until none of those that they choose is lost.
        while let Some(at) = nodes.open.pop() {
            nodes.is_open[at] = false;
            let node = nodes.all[at].clone();
            let (before, ways) = &*node;
            let mut chosen = BTreeSet::new();
            let is_lost = if before.left == 0 {
                let mut options = ways.iter();
                !(before.is_empty
                    || self.was_in_set(before)
                    || options.any(|after| self.is_move_into_set(before, after)))
            } else {
                let effects = self.known_effects(&mut known, before, Enough::Fewest)?;
                !self.answers(&node, &effects, &digits, at_once, &mut nodes, &mut chosen)?
            };
            match is_lost {
                true => nodes.lose(at),
                false => nodes.choose(at, chosen),
            }
            if nodes.is_lost[0] {
                return Ok(None);
            }
            // One with open digits may have fewer.
            if at_once && nodes.all.len() > MOST_NODES {
                return Ok(None);
            }
            self.check_size(nodes.all.len())?;
        }
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let chosen = nodes.chosen[at].iter().copied();
            open.extend(chosen.filter(|next| reached.insert(*next)));
        }
        Ok(Some(reached.len()))
    }

    /// Chooses a node that is not lost after each column, one that is known if there is one.
    /// Returns whether there is one after every column.
    fn answers(
        &self,
        node: &Ways,
        effects: &Effects,
        all_digits: &[Vec<Vec<u8>>],
        at_once: bool,
        nodes: &mut Nodes,
        chosen: &mut BTreeSet<usize>,
    ) -> Result<bool, VerifyError> {
        for digits in &all_digits[node.0.change.len()] {
            for left in self.lefts(&node.0) {
                let mut answers: Vec<Option<Answer>> = Vec::new();
                answers.resize_with(effects.all.len(), || None);
                for column in &effects.of_columns {
                    let mut best = None;
                    for index in column {
                        if answers[*index].is_none() {
                            self.limits.check_work(Steps(1))?;
                            let effect = &effects.all[*index];
                            answers[*index] = Some(self.answer(
                                node,
                                left,
                                effect,
                                (digits, all_digits),
                                at_once,
                                nodes,
                            ));
                        }
                        match &answers[*index] {
                            Some(Answer::Known(_)) => {
                                best = Some(*index);
                                break;
                            }
                            Some(Answer::New(_)) => best = best.or(Some(*index)),
                            Some(Answer::Lost) | None => {}
                        }
                    }
                    let Some(best) = best else {
                        return Ok(false);
                    };
                    let place = match answers[best].take() {
                        Some(Answer::Known(place)) => place,
                        Some(Answer::New(next)) => match nodes.find(&next) {
                            Some(place) => place,
                            None => nodes.add(*next),
                        },
                        Some(Answer::Lost) | None => return Ok(false),
                    };
                    answers[best] = Some(Answer::Known(place));
                    chosen.insert(place);
                }
            }
        }
        Ok(true)
    }

    /// The best node after a column for a choice of the heaps that are followed from it on.
    fn answer(
        &self,
        (before, ways): &Ways,
        left: u8,
        effect: &Effect,
        (digits, all_digits): (&[u8], &[Vec<Vec<u8>>]),
        at_once: bool,
        nodes: &Nodes,
    ) -> Answer {
        let begun = effect.begun.iter().map(|(_, digit)| *digit);
        let old: Vec<u8> = digits.iter().copied().chain(begun).collect();
        let next = self.before(before, left, effect, &old);
        let mut found = Answer::Lost;
        let mut kept = BTreeSet::new();
        if !ways.is_empty() {
            for new in &all_digits[old.len()] {
                for after in ways {
                    let Some(option) = self.after(after, left, effect, (&old, new)) else {
                        continue;
                    };
                    if !at_once {
                        kept.insert(option);
                        continue;
                    }
                    kept = BTreeSet::from([option]);
                    found = found.or(nodes.answer((next.clone(), kept.clone())));
                    if let Answer::Known(_) = found {
                        return found;
                    }
                }
            }
        }
        let gives_up = kept.is_empty() && effect.begun.is_empty();
        let may_give_up = next.sums.is_some() || next.is_empty;
        if gives_up && may_give_up || !at_once && !kept.is_empty() {
            found = nodes.answer((next, kept));
        }
        found
    }

    fn check_size(&self, nodes: usize) -> Result<(), VerifyError> {
        match nodes > MOST_NODES {
            true => Ok(unsupported("this many cases of columns", (0, 0).into())?),
            false => Ok(()),
        }
    }
}

/// What may come of a choice.
enum Answer {
    /// A node that is not lost so far.
    Known(usize),
    New(Box<Ways>),
    Lost,
}

impl Answer {
    /// The better one, the first of two that are new.
    fn or(self, other: Answer) -> Answer {
        match (&self, &other) {
            (Answer::Lost, _) | (Answer::New(_), Answer::Known(_)) => other,
            _ => self,
        }
    }
}

/// The nodes of a strategy, with those that each chooses, and those whose choice each was.
#[derive(Default)]
struct Nodes {
    all: Vec<Rc<Ways>>,
    index: BTreeMap<Rc<Ways>, usize>,
    is_lost: Vec<bool>,
    chosen: Vec<BTreeSet<usize>>,
    users: Vec<BTreeSet<usize>>,
    /// Those that have to be examined.
    open: Vec<usize>,
    is_open: Vec<bool>,
}

impl Nodes {
    fn add(&mut self, node: Ways) -> usize {
        let (place, node) = (self.all.len(), Rc::new(node));
        self.index.insert(node.clone(), place);
        self.all.push(node);
        self.is_lost.push(false);
        self.chosen.push(BTreeSet::new());
        self.users.push(BTreeSet::new());
        self.open.push(place);
        self.is_open.push(true);
        place
    }

    /// Sets the nodes that one chooses, none of which is lost.
    fn choose(&mut self, at: usize, chosen: BTreeSet<usize>) {
        for next in &chosen {
            self.users[*next].insert(at);
        }
        self.chosen[at] = chosen;
    }

    /// Marks a node as lost. Those whose choice it is have to be examined again.
    fn lose(&mut self, at: usize) {
        self.is_lost[at] = true;
        for user in std::mem::take(&mut self.users[at]) {
            if self.chosen[user].contains(&at) && !self.is_lost[user] && !self.is_open[user] {
                self.is_open[user] = true;
                self.open.push(user);
            }
        }
    }

    fn find(&self, node: &Ways) -> Option<usize> {
        self.index.get(node).copied()
    }

    fn answer(&self, node: Ways) -> Answer {
        match self.find(&node) {
            Some(place) if self.is_lost[place] => Answer::Lost,
            Some(place) => Answer::Known(place),
            None => Answer::New(Box::new(node)),
        }
    }
}

/// Adds numbers of heaps that may change to some of which none has at least as many, or at most
/// as many, as another one in all places.
fn keep(kept: &mut Vec<Free>, free: Free, enough: Enough) {
    let is_enough = |one: &Free, other: &Free| {
        let mut places = one.iter().zip(other);
        match enough {
            Enough::Fewest => places.all(|(one, other)| one <= other),
            Enough::Most => places.all(|(one, other)| one >= other),
        }
    };
    if !kept.iter().any(|one| is_enough(one, &free)) {
        kept.retain(|one| !is_enough(&free, one));
        kept.push(free);
    }
}

/// Whether a selection, in ascending order, takes no more heaps of a slot than may begin to change.
fn is_free(selected: &[usize], free: &[u32]) -> bool {
    let mut same = selected.chunk_by(|one, other| one == other);
    same.all(|same| same.len() as u32 <= free[same[0]])
}

fn total(digits: &[u8]) -> u32 {
    digits.iter().map(|digit| u32::from(*digit)).sum()
}
