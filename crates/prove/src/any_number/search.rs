//! Independence and absorption by searches over columns of digits.
//!
//! A column has one digit of every heap. Of the heaps that the move leaves alone only their
//! numbers matter, by the state of the local automaton and the digit: exact below a threshold,
//! and modulo a period from there on. The heaps that the move changes are followed one by one,
//! from the first digit that changes.
//!
//! - *Independence* is reachability: any digits, any change.
//! - *Absorption* is a safety game. The opponent gives the columns, and says when the last ones
//!   come; the strategy says at each column which heaps begin to change, and the new digits.
//!   Where it wins there is a move from every position outside the set into the set.

use super::claim::{Accepts, CountingClaim, Test, Truth};
use super::moves::Moves;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The claim and the moves, read together.
pub struct Columns<'c> {
    claim: &'c CountingClaim,
    moves: &'c Moves,
    convention: Convention,
    /// The number of last columns that are announced.
    lookahead: u8,
    /// The states of the local automaton that are counted.
    counted: Vec<usize>,
    /// The state and the digit of the heaps that a column counts; not the digit 0 of states that
    /// are not counted.
    slots: Vec<(usize, u8)>,
    limits: &'c Limits,
}

/// What is known after some columns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The number of columns to come; `lookahead` if it is not known.
    left: u8,
    /// The numbers of the heaps that have not changed, by counted state.
    unchanged: Vec<u32>,
    /// The columns of the position before the move; `None` if it is outside the set, whatever
    /// follows.
    before: Option<Vec<u32>>,
    /// The columns of the position after the move.
    after: Vec<u32>,
    /// The states of the local automaton for each heap that changes, before and after.
    changed: Vec<(usize, usize)>,
    /// The state of the relation of the move.
    relation: u32,
    /// Whether a heap is known to be nonempty.
    nonempty: bool,
}

/// What the unchanged heaps of a column do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    /// The sums of the digits, modulo the modulus of each column of the claim.
    sums: Vec<u32>,
    /// The numbers of heaps after it, by counted state.
    next: Vec<u32>,
    /// The number of heaps that may begin to change, by slot.
    free: Vec<u8>,
    nonempty: bool,
}

/// A heap that begins to change: its slot and its new digit.
type Begun = (usize, u8);

/// The result of a search.
pub enum Outcome {
    /// The property holds; the number of states that were reached.
    Holds(usize),
    Fails,
    /// There are too many states.
    TooLarge,
}

/// The most states of a search.
const MOST_STATES: usize = 200_000;

/// A number of heaps: exact below `threshold`, and from there on modulo `period`.
fn capped(number: u32, threshold: u32, period: u32) -> u32 {
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
            counted: states.filter(|state| claim.is_counted[*state]).collect(),
            slots: slots.filter(is_slot).collect(),
            limits,
        }
    }

    /// The threshold of the numbers of unchanged heaps if so many heaps change: the others that
    /// may still change are told from those that may not.
    fn threshold(&self, changed: usize) -> u32 {
        self.claim.threshold + (self.moves.windows - changed) as u32
    }

    /// The number of heaps that a move may change.
    fn most_changed(&self) -> usize {
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

    fn start(&self) -> State {
        let columns = self.claim.columns.iter();
        let columns: Vec<u32> = columns
            .map(|column| u32::from(matches!(column.accepts, Accepts::Places(_))))
            .collect();
        State {
            left: self.lookahead,
            unchanged: vec![0; self.counted.len()],
            before: Some(columns.clone()),
            after: columns,
            // The value is followed from the first digit on.
            changed: vec![(0, 0); usize::from(self.moves.has_value)],
            relation: self.moves.relation.start(),
            nonempty: false,
        }
    }

    /// Whether the empty multiset is in the set.
    pub fn has_empty(&self) -> bool {
        let mut columns = self.start().after;
        for left in (0..self.lookahead).rev() {
            columns = self.column(&columns, &vec![0; columns.len()], Some(left));
        }
        let none = |_: usize| 0;
        self.holds(&self.claim.truth, &columns, &none)
    }

    /// The columns of the claim after a column with these sums of digits, with `left` more
    /// columns to come if that is known.
    fn column(&self, columns: &[u32], sums: &[u32], left: Option<u8>) -> Vec<u32> {
        let all = self.claim.columns.iter().zip(columns).zip(sums);
        all.map(|((column, at), sum)| match &column.accepts {
            Accepts::Places(places) => {
                let place = left.and_then(|left| places.get(usize::from(left)));
                u32::from(*at == 1 && *sum == place.copied().unwrap_or(0) % column.modulus)
            }
            Accepts::Residues(_) => (u32::from(self.claim.base) * at + sum) % column.modulus,
        })
        .collect()
    }

    /// Whether the set has a position that has been read.
    fn holds(&self, truth: &Truth, columns: &[u32], number: &dyn Fn(usize) -> u32) -> bool {
        match truth {
            Truth::Const(value) => *value,
            Truth::Column(index) => match &self.claim.columns[*index].accepts {
                Accepts::Places(_) => columns[*index] == 1,
                Accepts::Residues(accepted) => accepted[columns[*index] as usize],
            },
            Truth::Count(index) => {
                let count = &self.claim.counts[*index];
                let total: u32 = (self.counted.iter())
                    .map(|state| count.weights[*state] * number(*state))
                    .sum();
                match &count.test {
                    Test::AtLeast(least) => total >= *least,
                    Test::Residues(accepted) => accepted[total as usize % accepted.len()],
                }
            }
            Truth::Not(inner) => !self.holds(inner, columns, number),
            Truth::And(all) => all.iter().all(|one| self.holds(one, columns, number)),
            Truth::Or(any) => any.iter().any(|one| self.holds(one, columns, number)),
        }
    }

    /// Whether the set has every position that continues what has been read, or none of them;
    /// `None` if that is not known.
    fn settled(
        &self,
        truth: &Truth,
        columns: &[u32],
        number: &dyn Fn(usize) -> u32,
    ) -> Option<bool> {
        let all = |parts: &[Truth], absorbing: bool| {
            let mut known = true;
            for part in parts {
                match self.settled(part, columns, number) {
                    Some(value) if value == absorbing => return Some(absorbing),
                    Some(_) => {}
                    None => known = false,
                }
            }
            known.then_some(!absorbing)
        };
        match truth {
            Truth::Const(value) => Some(*value),
            Truth::Column(index) => match self.claim.columns[*index].accepts {
                Accepts::Places(_) if columns[*index] == 0 => Some(false),
                _ => None,
            },
            Truth::Count(index) => {
                let count = &self.claim.counts[*index];
                let Test::AtLeast(least) = count.test else {
                    return None;
                };
                let total: u32 = (self.counted.iter())
                    .map(|state| count.least[*state] * number(*state))
                    .sum();
                (total >= least).then_some(true)
            }
            Truth::Not(inner) => self.settled(inner, columns, number).map(|value| !value),
            Truth::And(parts) => all(parts, false),
            Truth::Or(parts) => all(parts, true),
        }
    }

    /// The number of heaps in a state of the local automaton, before or after the move.
    fn number(&self, state: &State, is_after: bool) -> impl Fn(usize) -> u32 + use<'c> {
        let changed = state.changed.iter();
        let changed: Vec<usize> = changed
            .map(|(before, after)| if is_after { *after } else { *before })
            .collect();
        let unchanged = state.unchanged.clone();
        let counted = self.counted.clone();
        let (threshold, period) = (self.claim.threshold, self.claim.period);
        move |of| {
            let place = counted.iter().position(|counted| *counted == of);
            let unchanged = place.map_or(0, |place| unchanged[place]);
            let changed = changed.iter().filter(|state| **state == of).count() as u32;
            capped(unchanged + changed, threshold, period)
        }
    }

    /// The columns with these unchanged heaps, if so many heaps change. Without `with_free` no
    /// heap of the column may begin to change.
    fn effects(
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
            self.limits.check_time()?;
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

    /// The state after a column. `effect` is without the heaps that begin to change.
    fn after(
        &self,
        state: &State,
        left: u8,
        effect: &Effect,
        digits: &[(u8, u8)],
        begun: &[Begun],
    ) -> State {
        let next = |state: usize, digit: u8| self.claim.next[state][usize::from(digit)];
        let begins = begun.iter().map(|(slot, digit)| {
            let (state, old) = self.slots[*slot];
            ((state, state), (old, *digit))
        });
        let all = state
            .changed
            .iter()
            .copied()
            .zip(digits.iter().copied())
            .chain(begins);
        let (mut changed, mut letter) = (Vec::new(), Vec::new());
        for ((before, after), (old, new)) in all {
            changed.push((next(before, old), next(after, new)));
            letter.push((old, new));
        }
        let sums = |is_after: bool| -> Vec<u32> {
            let digits = letter.iter();
            let digits = digits.map(|(old, new)| u32::from(if is_after { *new } else { *old }));
            let mut digits: Vec<u32> = digits.collect();
            let value = match self.moves.has_value {
                true => digits.remove(0),
                false => 0,
            };
            let changed: u32 = digits.iter().sum();
            let columns = self.claim.columns.iter().zip(&effect.sums);
            columns
                .map(|(column, sum)| {
                    let modulus = column.modulus;
                    (sum + changed + modulus - value % modulus) % modulus
                })
                .collect()
        };
        let known = (left < self.lookahead).then_some(left);
        let relation = self.moves.after(state.relation, &letter);
        let mut after = State {
            left,
            unchanged: effect.next.clone(),
            before: (state.before.as_ref()).map(|before| self.column(before, &sums(false), known)),
            after: self.column(&state.after, &sums(true), known),
            nonempty: state.nonempty || effect.nonempty || !changed.is_empty(),
            changed,
            relation,
        };
        if let Some(before) = &after.before {
            let number = self.number(&after, false);
            if self.settled(&self.claim.truth, before, &number) == Some(false) {
                after.before = None;
            }
        }
        if after.before.is_none() {
            // The position before the move does not matter any more.
            for (before, _) in &mut after.changed {
                *before = 0;
            }
        }
        if self.convention == Convention::Normal {
            after.nonempty = true;
        }
        after
    }

    /// Whether what is known excludes that the move leads into the set.
    fn is_hopeless(&self, state: &State) -> bool {
        let number = self.number(state, true);
        !self.moves.is_open[state.relation as usize]
            || self.settled(&self.claim.truth, &state.after, &number) == Some(false)
    }

    fn is_before_in_set(&self, state: &State) -> bool {
        state
            .before
            .as_ref()
            .is_some_and(|before| self.holds(&self.claim.truth, before, &self.number(state, false)))
    }

    fn leads_into_set(&self, state: &State) -> bool {
        self.moves.relation.is_accepting(state.relation)
            && self.holds(&self.claim.truth, &state.after, &self.number(state, true))
    }

    /// The numbers of columns that may follow the next one.
    fn lefts(&self, state: &State) -> Vec<u8> {
        match state.left == self.lookahead {
            true => vec![state.left, state.left - 1],
            false => vec![state.left - 1],
        }
    }

    /// All choices of at most so many heaps that begin to change.
    fn beginnings(&self, most: usize) -> Vec<Vec<Begun>> {
        let mut all: Vec<Vec<Begun>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..most {
            let shorter = all[from..].to_vec();
            from = all.len();
            for begun in shorter {
                let last = begun.last().copied().unwrap_or((0, 0));
                for (slot, (_, old)) in self.slots.iter().enumerate() {
                    for digit in (0..self.claim.base).filter(|digit| digit != old) {
                        if (slot, digit) >= last {
                            all.push(begun.iter().copied().chain([(slot, digit)]).collect());
                        }
                    }
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
        while let Some(state) = open.pop() {
            if state.left == 0 {
                if self.is_before_in_set(&state) && self.leads_into_set(&state) {
                    return Ok(Outcome::Fails);
                }
                continue;
            }
            let heaps = state.changed.len();
            let letters = super::moves::pairs(self.claim.base, heaps);
            for begun in self.beginnings(self.moves.windows - heaps) {
                let Some(unchanged) = self.without(&state, &begun) else {
                    continue;
                };
                let key = (unchanged, heaps + begun.len());
                if !memo.contains_key(&key) {
                    let effects = self.effects(&key.0, key.1, false)?;
                    memo.insert(key.clone(), Rc::new(effects));
                }
                let effects = memo[&key].clone();
                for digits in &letters {
                    self.limits.check_time()?;
                    let begins = begun
                        .iter()
                        .map(|(slot, digit)| (self.slots[*slot].1, *digit));
                    let letter: Vec<(u8, u8)> = digits.iter().copied().chain(begins).collect();
                    let relation = self.moves.after(state.relation, &letter);
                    if !self.moves.is_open[relation as usize] {
                        continue;
                    }
                    for effect in effects.iter() {
                        for left in self.lefts(&state) {
                            let next = self.after(&state, left, effect, digits, &begun);
                            if next.before.is_none() || self.is_hopeless(&next) {
                                continue;
                            }
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

    /// The numbers of unchanged heaps without those that begin to change; `None` if there are
    /// not so many.
    fn without(&self, state: &State, begun: &[Begun]) -> Option<Vec<u32>> {
        let threshold = self.threshold(state.changed.len() + begun.len());
        let numbers = self.counted.iter().zip(&state.unchanged);
        numbers
            .map(|(counted, number)| {
                let begun = begun
                    .iter()
                    .filter(|(slot, _)| self.slots[*slot].0 == *counted);
                let rest = number.checked_sub(begun.count() as u32)?;
                Some(capped(rest, threshold, self.claim.period))
            })
            .collect()
    }

    /// Whether a strategy finds a move from every position outside the set into the set.
    pub fn absorption(&self) -> Result<Outcome, LimitExceeded> {
        let mut game = SafetyGame {
            states: vec![self.start()],
            index: BTreeMap::from([(self.start(), 0)]),
            is_lost: vec![false],
            chosen: vec![BTreeSet::new()],
            used_by: vec![BTreeSet::new()],
        };
        let mut memo: BTreeMap<(Vec<u32>, usize), Rc<Vec<Effect>>> = BTreeMap::new();
        let mut open = vec![0];
        let beginnings: Vec<Vec<Vec<Begun>>> = (0..=self.moves.windows)
            .map(|changed| self.beginnings(self.moves.windows - changed))
            .collect();
        while let Some(at) = open.pop() {
            if game.is_lost[at] {
                continue;
            }
            let state = game.states[at].clone();
            if state.left == 0 {
                let is_terminal = self.convention == Convention::Misere && !state.nonempty;
                if !(is_terminal || self.is_before_in_set(&state) || self.leads_into_set(&state)) {
                    game.lose(at, &mut open);
                }
                continue;
            }
            let key = (state.unchanged.clone(), state.changed.len());
            if !memo.contains_key(&key) {
                memo.insert(key.clone(), Rc::new(self.effects(&key.0, key.1, true)?));
            }
            let effects = memo[&key].clone();
            let all_digits = self.digits(state.changed.len());
            let mut chosen = BTreeSet::new();
            let mut new = Vec::new();
            'columns: for left in self.lefts(&state) {
                for effect in effects.iter() {
                    for old in &all_digits {
                        self.limits.check_time()?;
                        let options = (left, effect, old.as_slice());
                        let begins = &beginnings[state.changed.len()];
                        match self.choose(&state, options, &all_digits, begins, &mut game, &mut new)
                        {
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
                for next in &chosen {
                    game.used_by[*next].insert(at);
                }
                game.chosen[at] = chosen;
            }
        }
        Ok(match game.is_lost[0] {
            true => Outcome::Fails,
            false => Outcome::Holds(game.reached()),
        })
    }

    /// Chooses a state that is not known to be lost after a column: one that has been met, if
    /// there is one. A new one is added to `new`.
    fn choose(
        &self,
        state: &State,
        (left, effect, old): (u8, &Effect, &[u8]),
        all_digits: &[Vec<u8>],
        beginnings: &[Vec<Begun>],
        game: &mut SafetyGame,
        new: &mut Vec<usize>,
    ) -> Option<usize> {
        let mut first: Option<State> = None;
        for begun in beginnings {
            let Some(rest) = self.rest(effect, state.changed.len(), begun) else {
                continue;
            };
            for digits in all_digits {
                let letter: Vec<(u8, u8)> =
                    old.iter().copied().zip(digits.iter().copied()).collect();
                let next = self.after(state, left, &rest, &letter, begun);
                if next.before.is_none() && self.is_hopeless(&next) {
                    continue;
                }
                match game.index.get(&next) {
                    Some(known) if !game.is_lost[*known] => return Some(*known),
                    Some(_) => {}
                    None => first = first.or(Some(next)),
                }
            }
        }
        let next = first?;
        let place = game.states.len();
        game.index.insert(next.clone(), place);
        game.states.push(next);
        game.is_lost.push(false);
        game.chosen.push(BTreeSet::new());
        game.used_by.push(BTreeSet::new());
        new.push(place);
        Some(place)
    }

    /// A column without the heaps that begin to change; `None` if it has not so many.
    fn rest(&self, effect: &Effect, changed: usize, begun: &[Begun]) -> Option<Effect> {
        let mut rest = effect.clone();
        for (slot, _) in begun {
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
struct SafetyGame {
    states: Vec<State>,
    index: BTreeMap<State, usize>,
    is_lost: Vec<bool>,
    chosen: Vec<BTreeSet<usize>>,
    used_by: Vec<BTreeSet<usize>>,
}

impl SafetyGame {
    /// Marks a state as lost; the states whose choice it was are opened again.
    fn lose(&mut self, at: usize, open: &mut Vec<usize>) {
        self.is_lost[at] = true;
        open.extend(std::mem::take(&mut self.used_by[at]));
    }

    /// The number of states that the strategy reaches.
    fn reached(&self) -> usize {
        let mut seen = BTreeSet::from([0]);
        let mut open = vec![0];
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
