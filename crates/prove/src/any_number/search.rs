//! Independence and absorption by searches over columns of digits.
//!
//! A column has one digit of every heap. Of the heaps that the move leaves alone only their
//! numbers matter, by the state of the local automaton and the digit: exact below a threshold,
//! and modulo a period from there on. The heaps that the move changes are followed one by one,
//! from the first digit that changes.
//!
//! - *Independence* is reachability: any digits, any change.
//! - *Absorption* is a safety game. The opponent gives the columns, and says when the last ones
//!   come; the strategy says at each column which heaps it follows from then on. It gives their
//!   new digits at once, or else all ways to change these heaps are kept: new digits may depend
//!   on borrows, which come from the places to the right. Where some way leads into the set at
//!   the end there is a move into it from every position outside.

use super::claim::CountingClaim;
use super::moves::Moves;
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::game::Convention;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The claim and the moves, read together.
pub struct Columns<'c> {
    pub claim: &'c CountingClaim,
    moves: &'c Moves,
    convention: Convention,
    /// The number of last columns that are announced.
    lookahead: u8,
    /// The states of the local automaton that are counted.
    pub counted: Vec<usize>,
    /// The state and the digit of the heaps that a column counts; not the digit 0 of states that
    /// are not counted.
    pub slots: Vec<(usize, u8)>,
    keeps: Keeps,
    limits: &'c Limits,
}

/// What the strategy keeps open of the heaps that it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing: it gives the new digits at once. There are fewer states.
    OneWay,
    /// All ways to change them.
    AllWays,
}

/// What is known of the position before the move after some columns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Before {
    /// The number of columns to come; `lookahead` if it is not known.
    left: u8,
    /// The numbers of the heaps that are not followed, by counted state.
    unchanged: Vec<u32>,
    /// The columns of the claim; `None` if the position is outside the set, whatever follows.
    columns: Option<Vec<u32>>,
    /// The states of the local automaton for each heap that is followed.
    followed: Vec<usize>,
    /// Whether a heap is known to be nonempty.
    nonempty: bool,
}

/// What is known of an option.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct After {
    columns: Vec<u32>,
    followed: Vec<usize>,
    /// The state of the relation of the move.
    relation: u32,
}

/// A state of the safety game: the ways to change the followed heaps are kept together.
type Options = (Before, BTreeSet<After>);

/// What the unchanged heaps of a column do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    /// The sums of the digits, modulo the modulus of each column of the claim.
    pub sums: Vec<u32>,
    /// The numbers of heaps after it, by counted state.
    pub next: Vec<u32>,
    /// The number of heaps that may begin to change, by slot.
    pub free: Vec<u8>,
    pub nonempty: bool,
}

/// The result of a search.
pub enum Outcome {
    /// The property holds; the number of states that were reached.
    Holds(usize),
    Fails,
    /// There are too many states.
    TooLarge,
}

/// The most states of a search.
pub const MOST_STATES: usize = 200_000;

/// A number of heaps: exact below `threshold`, and from there on modulo `period`.
pub fn capped(number: u32, threshold: u32, period: u32) -> u32 {
    match number < threshold {
        true => number,
        false => threshold + (number - threshold) % period,
    }
}

impl<'c> Columns<'c> {
    pub fn new(
        claim: &'c CountingClaim,
        moves: &'c Moves,
        convention: Convention,
        lookahead: u8,
        keeps: Keeps,
        limits: &'c Limits,
    ) -> Columns<'c> {
        let states = 0..claim.next.len();
        let is_slot = |(state, digit): &(usize, u8)| claim.is_counted[*state] || *digit > 0;
        let slots = states
            .clone()
            .flat_map(|state| (0..claim.base).map(move |digit| (state, digit)));
        Columns {
            claim,
            moves,
            convention,
            lookahead,
            keeps,
            counted: states.filter(|state| claim.is_counted[*state]).collect(),
            slots: slots.filter(is_slot).collect(),
            limits,
        }
    }

    /// The threshold of the numbers of unchanged heaps if so many heaps change: the others that
    /// may still change are told from those that may not.
    pub fn threshold(&self, changed: usize) -> u32 {
        self.claim.threshold + (self.moves.windows - changed) as u32
    }

    /// The number of heaps that a move may change.
    pub fn most_changed(&self) -> usize {
        self.moves.windows - usize::from(self.moves.has_value)
    }

    /// The number of heaps of a column that acts as every column does.
    pub fn cutoff(&self) -> u64 {
        let (threshold, period) = self.counted_to();
        self.slots.len() as u64 * u64::from(threshold + period - 1) + self.most_changed() as u64
    }

    /// The threshold and the period of the numbers of heaps with one digit.
    pub fn counted_to(&self) -> (u32, u32) {
        let threshold = self.claim.threshold + self.most_changed() as u32;
        (threshold, self.claim.letter_period)
    }

    fn start(&self) -> (Before, After) {
        let columns = self.claim.start();
        // The value is followed from the first digit on.
        let followed = vec![0; usize::from(self.moves.has_value)];
        let before = Before {
            left: self.lookahead,
            unchanged: vec![0; self.counted.len()],
            columns: Some(columns.clone()),
            followed: followed.clone(),
            nonempty: false,
        };
        let after = After {
            columns,
            followed,
            relation: self.moves.relation.start(),
        };
        (before, after)
    }

    /// Whether the empty multiset is in the set.
    pub fn has_empty(&self) -> bool {
        let mut columns = self.start().1.columns;
        for left in (0..self.lookahead).rev() {
            columns = self
                .claim
                .column(&columns, &vec![0; columns.len()], Some(left));
        }
        let none = |_: usize| 0;
        self.claim.holds(&columns, &none)
    }

    /// The number of heaps in a state of the local automaton: those that are not followed, and
    /// those that are.
    fn number<'n>(
        &'n self,
        unchanged: &'n [u32],
        followed: &'n [usize],
    ) -> impl Fn(usize) -> u32 + use<'n, 'c> {
        let (threshold, period) = (self.claim.threshold, self.claim.period);
        move |of| {
            let place = self.counted.iter().position(|counted| *counted == of);
            let unchanged = place.map_or(0, |place| unchanged[place]);
            let followed = followed.iter().filter(|state| **state == of).count() as u32;
            capped(unchanged + followed, threshold, period)
        }
    }

    /// The columns with these unchanged heaps, if so many heaps change. Without `with_free` no
    /// heap of the column may begin to change.
    pub fn effects(
        &self,
        unchanged: &[u32],
        changed: usize,
        with_free: bool,
    ) -> Result<Vec<Effect>, LimitExceeded> {
        let (claim, threshold) = (self.claim, self.threshold(changed));
        let (period, letters) = (claim.period, threshold + claim.letter_period);
        let most_free = (self.moves.windows - changed) as u32;
        // Together with the number of heaps of the current state that have a digit already.
        let mut all = BTreeSet::from([(
            Effect {
                sums: vec![0; claim.columns.len()],
                next: vec![0; self.counted.len()],
                free: Vec::new(),
                nonempty: false,
            },
            0_u32,
        )]);
        for (slot, (state, digit)) in self.slots.iter().enumerate() {
            self.limits.check_work(Steps(2))?;
            let place = self.counted.iter().position(|counted| counted == state);
            let is_last = self
                .slots
                .get(slot + 1)
                .is_none_or(|(next, _)| next != state);
            let after = claim.next[*state][usize::from(*digit)];
            let after = self.counted.iter().position(|counted| *counted == after);
            let mut longer = BTreeSet::new();
            for (effect, given) in &all {
                for number in 0..letters {
                    let total = capped(given + number, threshold, period);
                    if let Some(place) = place
                        && is_last
                        && total != unchanged[place]
                    {
                        continue;
                    }
                    let mut effect = effect.clone();
                    for (sum, column) in effect.sums.iter_mut().zip(&claim.columns) {
                        *sum = (*sum + u32::from(*digit) * number) % column.modulus;
                    }
                    if let Some(after) = after {
                        effect.next[after] = capped(effect.next[after] + number, threshold, period);
                    }
                    if with_free {
                        effect.free.push(number.min(most_free) as u8);
                    }
                    effect.nonempty |= number > 0;
                    let given = if is_last || place.is_none() { 0 } else { total };
                    longer.insert((effect, given));
                }
            }
            all = longer;
        }
        Ok(all.into_iter().map(|(effect, _)| effect).collect())
    }

    /// The sums of the digits of a column, with those of the followed heaps.
    fn sums(&self, effect: &Effect, digits: &[u8]) -> Vec<u32> {
        let (value, heaps) = digits.split_at(usize::from(self.moves.has_value));
        let value: u32 = value.iter().map(|digit| u32::from(*digit)).sum();
        let heaps: u32 = heaps.iter().map(|digit| u32::from(*digit)).sum();
        let columns = self.claim.columns.iter().zip(&effect.sums);
        columns
            .map(|(column, sum)| {
                let modulus = column.modulus;
                (sum + heaps + modulus - value % modulus) % modulus
            })
            .collect()
    }

    /// The states of the followed heaps after these digits; those that are followed from this
    /// column on were in the states of their slots.
    fn followed(&self, states: &[usize], begun: &[usize], digits: &[u8]) -> Vec<usize> {
        let begun = begun.iter().map(|slot| self.slots[*slot].0);
        let states = states.iter().copied().chain(begun).zip(digits);
        states
            .map(|(state, digit)| self.claim.next[state][usize::from(*digit)])
            .collect()
    }

    /// The position before the move after a column, whose followed heaps have these digits.
    /// `effect` is without them.
    fn before(
        &self,
        before: &Before,
        left: u8,
        effect: &Effect,
        (begun, digits): (&[usize], &[u8]),
    ) -> Before {
        let known = (left < self.lookahead).then_some(left);
        let columns = before.columns.as_ref();
        let columns = columns.map(|columns| {
            self.claim
                .column(columns, &self.sums(effect, digits), known)
        });
        let mut next = Before {
            left,
            unchanged: effect.next.clone(),
            columns,
            followed: self.followed(&before.followed, begun, digits),
            // In normal play it makes no difference.
            nonempty: self.convention == Convention::Normal
                || before.nonempty
                || effect.nonempty
                || digits.iter().any(|digit| *digit > 0),
        };
        if let Some(columns) = &next.columns {
            let number = self.number(&next.unchanged, &next.followed);
            if self.claim.settled(columns, &number) == Some(false) {
                next.columns = None;
            }
        }
        if next.columns.is_none() {
            // The position before the move does not matter any more.
            next.followed.fill(0);
        }
        next
    }

    /// The option after a column, whose followed heaps have these digits before and after;
    /// `None` if what is known excludes that it is an option in the set.
    fn after(
        &self,
        after: &After,
        next: &Before,
        effect: &Effect,
        begun: &[usize],
        letter: &[(u8, u8)],
    ) -> Option<After> {
        let relation = self.moves.after(after.relation, letter);
        if !self.moves.is_open[relation as usize] {
            return None;
        }
        let digits: Vec<u8> = letter.iter().map(|(_, new)| *new).collect();
        let known = (next.left < self.lookahead).then_some(next.left);
        let after = After {
            columns: self
                .claim
                .column(&after.columns, &self.sums(effect, &digits), known),
            followed: self.followed(&after.followed, begun, &digits),
            relation,
        };
        let settled = {
            let number = self.number(&next.unchanged, &after.followed);
            self.claim.settled(&after.columns, &number)
        };
        (settled != Some(false)).then_some(after)
    }

    fn is_before_in_set(&self, before: &Before) -> bool {
        before.columns.as_ref().is_some_and(|columns| {
            let number = self.number(&before.unchanged, &before.followed);
            self.claim.holds(columns, &number)
        })
    }

    fn leads_into_set(&self, before: &Before, after: &After) -> bool {
        let number = self.number(&before.unchanged, &after.followed);
        self.moves.relation.is_accepting(after.relation)
            && self.claim.holds(&after.columns, &number)
    }

    /// The numbers of columns that may follow the next one.
    fn lefts(&self, before: &Before) -> Vec<u8> {
        match before.left == self.lookahead {
            true => vec![before.left, before.left - 1],
            false => vec![before.left - 1],
        }
    }

    /// All choices of at most so many heaps that are followed from a column on, by their slots.
    fn beginnings(&self, most: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..most {
            let shorter = all[from..].to_vec();
            from = all.len();
            for begun in shorter {
                let last = begun.last().copied().unwrap_or(0);
                for slot in last..self.slots.len() {
                    all.push([begun.as_slice(), &[slot]].concat());
                }
            }
        }
        all
    }

    /// The combinations of digits of so many heaps.
    fn digits(&self, heaps: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..heaps {
            let longer = |digits: &Vec<u8>| {
                let digits = digits.clone();
                (0..self.claim.base).map(move |digit| [digits.as_slice(), &[digit]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// Whether no move leads from the set into the set.
    pub fn independence(&self) -> Result<Outcome, LimitExceeded> {
        let start = self.start();
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        let mut memo: BTreeMap<(Vec<u32>, usize), Rc<Vec<Effect>>> = BTreeMap::new();
        while let Some((before, after)) = open.pop() {
            if before.left == 0 {
                if self.is_before_in_set(&before) && self.leads_into_set(&before, &after) {
                    return Ok(Outcome::Fails);
                }
                continue;
            }
            let heaps = before.followed.len();
            for begun in self.beginnings(self.moves.windows - heaps) {
                let Some(unchanged) = self.without(&before, &begun) else {
                    continue;
                };
                let key = (unchanged, heaps + begun.len());
                if !memo.contains_key(&key) {
                    let effects = self.effects(&key.0, key.1, false)?;
                    memo.insert(key.clone(), Rc::new(effects));
                }
                let effects = memo[&key].clone();
                for letter in self.letters(heaps, &begun) {
                    self.limits.check_work(Steps(2))?;
                    let relation = self.moves.after(after.relation, &letter);
                    if !self.moves.is_open[relation as usize] {
                        continue;
                    }
                    let old: Vec<u8> = letter.iter().map(|(old, _)| *old).collect();
                    for effect in effects.iter() {
                        for left in self.lefts(&before) {
                            let next = self.before(&before, left, effect, (&begun, &old));
                            if next.columns.is_none() {
                                continue;
                            }
                            let option = self.after(&after, &next, effect, &begun, &letter);
                            let Some(option) = option else { continue };
                            let next = (next, option);
                            if seen.insert(next.clone()) {
                                open.push(next);
                            }
                        }
                    }
                }
            }
            if seen.len() > MOST_STATES {
                return Ok(Outcome::TooLarge);
            }
        }
        Ok(Outcome::Holds(seen.len()))
    }

    /// The letters of the followed heaps in a column at which some begin to change: their first
    /// changed digit.
    fn letters(&self, heaps: usize, begun: &[usize]) -> Vec<Vec<(u8, u8)>> {
        let mut all = super::moves::pairs(self.claim.base, heaps);
        for slot in begun {
            let old = self.slots[*slot].1;
            let changed = (0..self.claim.base).filter(|digit| *digit != old);
            let longer = |letter: &Vec<(u8, u8)>| {
                let letter = letter.clone();
                let changed = changed.clone();
                changed.map(move |new| [letter.as_slice(), &[(old, new)]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The numbers of unchanged heaps without those that begin to change; `None` if there are
    /// not so many.
    fn without(&self, before: &Before, begun: &[usize]) -> Option<Vec<u32>> {
        let threshold = self.threshold(before.followed.len() + begun.len());
        let numbers = self.counted.iter().zip(&before.unchanged);
        numbers
            .map(|(counted, number)| {
                let begun = begun.iter().filter(|slot| self.slots[**slot].0 == *counted);
                let rest = number.checked_sub(begun.count() as u32)?;
                Some(capped(rest, threshold, self.claim.period))
            })
            .collect()
    }

    /// Whether a strategy finds a move from every position outside the set into the set.
    pub fn absorption(&self) -> Result<Outcome, LimitExceeded> {
        let (before, after) = self.start();
        let start = (before, BTreeSet::from([after]));
        let mut game = SafetyGame::default();
        game.add(start);
        let mut memo: BTreeMap<(Vec<u32>, usize), Rc<Vec<Effect>>> = BTreeMap::new();
        let mut open = vec![0];
        let windows = self.moves.windows;
        let beginnings: Vec<Vec<Vec<usize>>> = (0..=windows)
            .map(|followed| self.beginnings(windows - followed))
            .collect();
        let digits: Vec<Vec<Vec<u8>>> = (0..=windows).map(|heaps| self.digits(heaps)).collect();
        while let Some(at) = open.pop() {
            if game.is_lost[at] {
                continue;
            }
            let state = game.states[at].clone();
            let (before, options) = &state;
            if before.left == 0 {
                let is_terminal = self.convention == Convention::Misere && !before.nonempty;
                let leads = |after: &After| self.leads_into_set(before, after);
                if !(is_terminal || self.is_before_in_set(before) || options.iter().any(leads)) {
                    game.lose(at, &mut open);
                }
                continue;
            }
            let key = (before.unchanged.clone(), before.followed.len());
            if !memo.contains_key(&key) {
                memo.insert(key.clone(), Rc::new(self.effects(&key.0, key.1, true)?));
            }
            let effects = memo[&key].clone();
            let mut chosen = BTreeSet::new();
            let mut new = Vec::new();
            'columns: for left in self.lefts(before) {
                for effect in effects.iter() {
                    for old in &digits[before.followed.len()] {
                        self.limits.check_work(Steps(2))?;
                        let column = (left, effect, old.as_slice());
                        let begins = &beginnings[before.followed.len()];
                        match self.choose(&state, column, &digits, begins, &mut game, &mut new) {
                            Some(next) => {
                                chosen.insert(next);
                            }
                            None => {
                                game.lose(at, &mut open);
                                break 'columns;
                            }
                        }
                    }
                }
            }
            if game.is_lost[0] {
                return Ok(Outcome::Fails);
            }
            if game.states.len() > MOST_STATES {
                return Ok(Outcome::TooLarge);
            }
            open.append(&mut new);
            if !game.is_lost[at] {
                game.choose(at, chosen);
            }
        }
        Ok(match game.is_lost[0] {
            true => Outcome::Fails,
            false => Outcome::Holds(game.reached(&[0])),
        })
    }

    /// Chooses a state that is not known to be lost after a column: one that has been met, if
    /// there is one. A new one is added to `new`.
    fn choose(
        &self,
        (before, options): &Options,
        (left, effect, old): (u8, &Effect, &[u8]),
        all_digits: &[Vec<Vec<u8>>],
        beginnings: &[Vec<usize>],
        game: &mut SafetyGame<Options>,
        new: &mut Vec<usize>,
    ) -> Option<usize> {
        let mut first: Option<Options> = None;
        let mut meets = |next: Options| match game.index.get(&next) {
            Some(known) if !game.is_lost[*known] => Some(*known),
            Some(_) => None,
            None => {
                first.get_or_insert(next);
                None
            }
        };
        for begun in beginnings {
            let Some(rest) = self.rest(effect, before.followed.len(), begun) else {
                continue;
            };
            let begun_digits = begun.iter().map(|slot| self.slots[*slot].1);
            let old: Vec<u8> = old.iter().copied().chain(begun_digits).collect();
            let next = self.before(before, left, &rest, (begun, &old));
            let mut kept = BTreeSet::new();
            for digits in &all_digits[old.len()] {
                let letter: Vec<(u8, u8)> =
                    old.iter().copied().zip(digits.iter().copied()).collect();
                let after = |option| self.after(option, &next, &rest, begun, &letter);
                let ways = options.iter().filter_map(after);
                if self.keeps == Keeps::AllWays {
                    kept.extend(ways);
                    continue;
                }
                for way in ways {
                    if let Some(known) = meets((next.clone(), BTreeSet::from([way]))) {
                        return Some(known);
                    }
                }
            }
            // Where no way is left the position may be in the set, or be terminal.
            let is_done = next.columns.is_some() || !next.nonempty;
            if (is_done || !kept.is_empty())
                && let Some(known) = meets((next, kept))
            {
                return Some(known);
            }
        }
        let next = first?;
        let place = game.add(next);
        new.push(place);
        Some(place)
    }

    /// A column without the heaps that begin to change; `None` if it has not so many.
    fn rest(&self, effect: &Effect, changed: usize, begun: &[usize]) -> Option<Effect> {
        let mut rest = effect.clone();
        for slot in begun {
            rest.free[*slot] = rest.free[*slot].checked_sub(1)?;
            let (state, digit) = self.slots[*slot];
            for (sum, column) in rest.sums.iter_mut().zip(&self.claim.columns) {
                let modulus = column.modulus;
                *sum = (*sum + modulus - u32::from(digit) % modulus) % modulus;
            }
            let after = self.claim.next[state][usize::from(digit)];
            if let Some(after) = self.counted.iter().position(|counted| *counted == after) {
                rest.next[after] -= 1;
            }
        }
        let threshold = self.threshold(changed + begun.len());
        for number in &mut rest.next {
            *number = capped(*number, threshold, self.claim.period);
        }
        Some(rest)
    }
}

/// The states of a safety game that have been met, each with the states that the strategy
/// chooses after it.
#[derive(Debug)]
pub struct SafetyGame<S> {
    pub states: Vec<S>,
    pub index: BTreeMap<S, usize>,
    pub is_lost: Vec<bool>,
    chosen: Vec<BTreeSet<usize>>,
    used_by: Vec<BTreeSet<usize>>,
}

impl<S> Default for SafetyGame<S> {
    fn default() -> SafetyGame<S> {
        SafetyGame {
            states: Vec::new(),
            index: BTreeMap::new(),
            is_lost: Vec::new(),
            chosen: Vec::new(),
            used_by: Vec::new(),
        }
    }
}

impl<S: Clone + Ord> SafetyGame<S> {
    /// Adds a state that has not been met; its index.
    pub fn add(&mut self, state: S) -> usize {
        let place = self.states.len();
        self.index.insert(state.clone(), place);
        self.states.push(state);
        self.is_lost.push(false);
        self.chosen.push(BTreeSet::new());
        self.used_by.push(BTreeSet::new());
        place
    }

    /// Sets the states that the strategy chooses after one.
    pub fn choose(&mut self, at: usize, chosen: BTreeSet<usize>) {
        for next in &chosen {
            self.used_by[*next].insert(at);
        }
        self.chosen[at] = chosen;
    }

    /// Marks a state as lost; the states whose choice it was are opened again.
    pub fn lose(&mut self, at: usize, open: &mut Vec<usize>) {
        self.is_lost[at] = true;
        open.extend(std::mem::take(&mut self.used_by[at]));
    }

    /// The number of states that the strategy reaches from some of them.
    pub fn reached(&self, from: &[usize]) -> usize {
        let mut seen: BTreeSet<usize> = from.iter().copied().collect();
        let mut open = from.to_vec();
        while let Some(at) = open.pop() {
            open.extend(
                self.chosen[at]
                    .iter()
                    .copied()
                    .filter(|next| seen.insert(*next)),
            );
        }
        seen.len()
    }
}
