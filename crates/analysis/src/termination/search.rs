//! Search for moves after which no heap has fewer tokens, at positions with few
//! tokens. They show why there is no termination measure.

use nimrule_board::symmetry::Symmetries;
use nimrule_model::expr::{Bool, Environment, Expr, HeapId, Part, Picked, Set};
use nimrule_model::game::{Action, Members, Rule, Share, Step};

/// The largest heap of the positions from which the search starts.
const MAX_HEAP: u64 = 3;

/// The largest number of positions from which the search starts.
const MAX_STARTS: usize = 200;

/// The largest number of moves in a row.
const MAX_MOVES: usize = 4;

/// The largest number of states of the execution.
const MAX_STATES: usize = 60_000;

/// The numbers of an infinite set are enumerated up to this.
const MAX_NUMBER: i64 = 12;

/// Moves in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The positions, one more than moves.
    pub positions: Vec<Vec<u64>>,
    /// The index of each move.
    pub moves: Vec<usize>,
    /// The only heap that the last move touches, if there is only one.
    pub only_heap: Option<HeapId>,
}

/// A position within a move.
#[derive(Clone)]
struct State {
    position: Vec<u64>,
    locals: Vec<i64>,
    picks: Vec<Picked>,
    touched: Vec<HeapId>,
}

/// A search with a limited number of states.
pub struct Search<'r> {
    rule: &'r Rule,
    symmetries: Symmetries,
    states: usize,
}

impl<'r> Search<'r> {
    pub fn new(rule: &'r Rule) -> Search<'r> {
        let symmetries = Symmetries::trivial(rule.heap_names.len());
        Search {
            rule,
            symmetries,
            states: 0,
        }
    }

    /// A line of these moves, as short as possible, after which no heap has fewer
    /// tokens than before; with at most `most` moves. `None` if none is found.
    pub fn line(&mut self, moves: &[usize], most: usize) -> Option<Line> {
        if moves.iter().any(|index| !can_execute(self.rule, *index)) {
            return None;
        }
        let starts = self.starts();
        for most in 1..=most.min(MAX_MOVES) {
            for start in &starts {
                if let Some(line) = self.line_from(start, moves, most)? {
                    return Some(line);
                }
            }
        }
        None
    }

    /// `None` if there are too many states.
    fn line_from(&mut self, start: &[u64], moves: &[usize], most: usize) -> Option<Option<Line>> {
        let mut lines = vec![Line {
            positions: vec![start.to_vec()],
            moves: Vec::new(),
            only_heap: None,
        }];
        let mut seen = vec![start.to_vec()];
        for _ in 0..most {
            let mut longer = Vec::new();
            for line in &lines {
                for &index in moves {
                    let from = line.positions.last().map_or(start, Vec::as_slice);
                    for (position, only_heap) in self.options(index, from)? {
                        let falls = position.iter().zip(start).any(|(after, p)| after < p);
                        if falls && seen.contains(&position) {
                            continue;
                        }
                        let mut line = line.clone();
                        line.positions.push(position.clone());
                        line.moves.push(index);
                        line.only_heap = only_heap;
                        if !falls {
                            return Some(Some(line));
                        }
                        seen.push(position);
                        longer.push(line);
                    }
                }
            }
            lines = longer;
        }
        Some(None)
    }

    /// The positions from which the search starts: those with few tokens first.
    fn starts(&mut self) -> Vec<Vec<u64>> {
        fn fill(left: u64, rest: usize, heaps: &mut Vec<u64>, found: &mut Vec<Vec<u64>>) {
            if found.len() >= MAX_STARTS {
                return;
            }
            if rest == 0 {
                if left == 0 {
                    found.push(heaps.clone());
                }
                return;
            }
            for size in (0..=left.min(MAX_HEAP)).rev() {
                heaps.push(size);
                fill(left - size, rest - 1, heaps, found);
                heaps.pop();
            }
        }
        let mut starts = Vec::new();
        for tokens in 0..=MAX_HEAP * 2 {
            let mut found = Vec::new();
            fill(
                tokens,
                self.rule.heap_names.len(),
                &mut Vec::new(),
                &mut found,
            );
            starts.extend(found);
        }
        // There are more moves from a position with more heaps.
        let most = (MAX_STARTS * 10 / self.rule.heap_names.len().max(1)).clamp(1, MAX_STARTS);
        starts.retain(|position| self.is_position(position));
        starts.truncate(most);
        starts
    }

    fn is_position(&self, position: &[u64]) -> bool {
        self.rule.positions.as_ref().is_none_or(|condition| {
            let state = self.state(position);
            self.with(&state, &[], |environment| condition.eval(environment).ok()) == Some(true)
        })
    }

    fn state(&self, position: &[u64]) -> State {
        State {
            position: position.to_vec(),
            locals: vec![0; self.rule.slots],
            picks: vec![Picked::new(); self.rule.picks],
            touched: Vec::new(),
        }
    }

    /// Evaluates something in a state.
    fn with<T>(
        &self,
        state: &State,
        amounts: &[u64],
        evaluate: impl FnOnce(&mut Environment<'_>) -> T,
    ) -> T {
        evaluate(&mut Environment {
            position: &state.position,
            kinds: &[],
            locals: &mut state.locals.clone(),
            picks: &state.picks,
            amounts,
            symmetries: &self.symmetries,
            steps: 0,
        })
    }

    fn holds(&self, condition: Option<&Expr<Bool>>, state: &State, amounts: &[u64]) -> bool {
        condition.is_none_or(|condition| {
            self.with(state, amounts, |environment| {
                condition.eval(environment).ok()
            }) == Some(true)
        })
    }

    /// The members of a set up to `most`; none if it has a fault.
    fn members(&self, set: &Expr<Set>, state: &State, most: i64) -> Vec<i64> {
        let mut members = Vec::new();
        let found = self.with(state, &[], |environment| {
            set.any_member_to(most, environment, &mut |member, _| {
                members.push(member);
                Ok(false)
            })
        });
        if found.is_err() {
            members.clear();
        }
        members.retain(|member| *member <= most);
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Options of a position by a move, each with the only heap that the move
    /// touches. `None` if there are too many states.
    fn options(
        &mut self,
        index: usize,
        position: &[u64],
    ) -> Option<Vec<(Vec<u64>, Option<HeapId>)>> {
        let moves = &self.rule.moves;
        let mover = &moves[index];
        let start = self.state(position);
        if !self.holds(mover.when.as_ref(), &start, &[]) {
            return Some(Vec::new());
        }
        let mut states = vec![start];
        for choice in &mover.choices {
            let mut next = Vec::new();
            for state in &states {
                for value in self.members(&choice.set, state, MAX_NUMBER) {
                    let mut state = state.clone();
                    state.locals[choice.slot.index()] = value;
                    if self.holds(choice.condition.as_ref(), &state, &[]) {
                        next.push(state);
                    }
                }
            }
            states = next;
            self.count(states.len())?;
        }
        for step in &mover.steps {
            let mut after = Vec::new();
            let most = step.most.min(MAX_MOVES as u64).max(step.least);
            for times in 0..=most {
                if times >= step.least {
                    after.extend(states.iter().cloned());
                }
                if times == most || states.is_empty() {
                    break;
                }
                let mut next = Vec::new();
                for state in &states {
                    self.execute(&step.action, state, &mut next);
                    self.count(1)?;
                }
                self.count(next.len())?;
                states = next;
            }
            states = after;
        }
        let mut options = Vec::new();
        for state in states {
            if self.is_position(&state.position) {
                let sets = |step: &Step| matches!(step.action, Action::Set { .. });
                let only = match state.touched.as_slice() {
                    _ if mover.steps.iter().any(sets) => None,
                    [first, rest @ ..] if rest.iter().all(|heap| heap == first) => Some(*first),
                    _ => None,
                };
                options.push((state.position, only));
            }
        }
        options.sort_unstable_by(|a, b| b.cmp(a));
        options.dedup();
        Some(options)
    }

    fn count(&mut self, states: usize) -> Option<()> {
        self.states += states;
        (self.states <= MAX_STATES).then_some(())
    }

    /// The sets that a selection may choose.
    fn sets(&self, members: &Members, state: &State) -> Vec<Picked> {
        let picked = |heaps: &Vec<HeapId>| heaps.iter().copied().collect();
        match members {
            Members::Listed(sets) => sets.iter().map(picked).collect(),
            Members::Picked(pick) => vec![state.picks[pick.index()].clone()],
            Members::Relative { to, sets } => {
                let heap = state.picks[to.index()].first();
                let sets = heap.and_then(|heap| sets.get(heap.index()));
                sets.into_iter().flatten().map(picked).collect()
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                let index = self.with(state, &[], |environment| index.eval(environment).ok());
                let place =
                    index.and_then(|index| usize::try_from(index.checked_sub(*first)?).ok());
                let heap = place.and_then(|place| heaps.get(place));
                heap.into_iter()
                    .map(|heap| std::iter::once(*heap).collect())
                    .collect()
            }
            Members::Counted(counted) => {
                let heap = counted
                    .to
                    .map(|to| state.picks[to.index()].first().copied());
                let count = self.with(state, &[], |environment| {
                    counted.count.eval(environment).ok()
                });
                match (heap, count) {
                    (Some(None), _) | (_, None) => Vec::new(),
                    (heap, Some(count)) => counted
                        .of(heap.flatten(), count)
                        .iter()
                        .map(picked)
                        .collect(),
                }
            }
            Members::Remaining(_) | Members::Multiset { .. } => Vec::new(),
        }
    }

    /// Adds the states after an action.
    fn execute(&self, action: &Action, before: &State, after: &mut Vec<State>) {
        let selection = action.selection();
        for heaps in self.sets(&selection.members, before) {
            let mut state = before.clone();
            state.picks[selection.pick.index()] = heaps.clone();
            match action {
                Action::Take { .. } => self.take(action, &heaps, &state, after),
                Action::Put {
                    amount, condition, ..
                } => {
                    if !self.holds(condition.as_ref(), &state, &[]) {
                        continue;
                    }
                    for number in self.members(amount, &state, MAX_NUMBER) {
                        if number < 1 {
                            continue;
                        }
                        let mut state = state.clone();
                        for heap in &heaps {
                            state.position[heap.index()] += number.unsigned_abs();
                        }
                        state.touched.extend(heaps.iter().copied());
                        after.push(state);
                    }
                }
                Action::Set {
                    size,
                    heap: number,
                    value,
                    condition,
                    ..
                } => {
                    if !self.holds(condition.as_ref(), &state, &[]) {
                        continue;
                    }
                    let mut changed = state.clone();
                    let possible = heaps.iter().all(|heap| {
                        let mut here = state.clone();
                        here.locals[size.index()] = here.position[heap.index()] as i64;
                        if let Some(number) = number {
                            here.locals[number.index()] = heap.index() as i64 + 1;
                        }
                        let value = self.with(&here, &[], |environment| value.eval(environment));
                        let value = value.ok().and_then(|value| u64::try_from(value).ok());
                        match value {
                            Some(value) => {
                                changed.position[heap.index()] = value;
                                true
                            }
                            None => false,
                        }
                    });
                    if possible {
                        changed.touched.extend(heaps.iter().copied());
                        after.push(changed);
                    }
                }
                Action::Slide { .. } | Action::Split { .. } | Action::Replace { .. } => {}
            }
        }
    }

    fn take(&self, action: &Action, heaps: &Picked, state: &State, after: &mut Vec<State>) {
        let Action::Take {
            amount, condition, ..
        } = action
        else {
            return;
        };
        let sizes: Vec<u64> = heaps.iter().map(|h| state.position[h.index()]).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let numbers: Vec<u64> = match &amount.numbers {
            None => (1..=largest).collect(),
            Some(set) => {
                let members = self.members(set, state, largest as i64);
                let positive = members.into_iter().filter(|number| *number >= 1);
                positive.map(|number| number as u64).collect()
            }
        };
        let mut choices: Vec<Vec<u64>> = vec![Vec::new()];
        match amount.share {
            Share::Equal => {
                let smallest = sizes.iter().copied().min().unwrap_or(0);
                let possible = numbers.iter().filter(|number| **number <= smallest);
                choices = possible.map(|number| vec![*number; sizes.len()]).collect();
            }
            Share::HeapByHeap => {
                for size in &sizes {
                    let longer = choices.iter().flat_map(|taken| {
                        let numbers = numbers.iter().filter(|number| *number <= size);
                        std::iter::once(&0).chain(numbers).map(|number| {
                            let mut taken = taken.clone();
                            taken.push(*number);
                            taken
                        })
                    });
                    choices = longer.take(MAX_STATES).collect();
                }
                choices.retain(|taken| taken.len() == sizes.len());
            }
        }
        for taken in choices {
            if taken.iter().all(|number| *number == 0) {
                continue;
            }
            let mut state = state.clone();
            if let Some(slot) = amount.bound {
                let number: u64 = match amount.share {
                    Share::HeapByHeap => taken.iter().sum(),
                    Share::Equal => taken[0],
                };
                state.locals[slot.index()] = number as i64;
            }
            if !self.holds(condition.as_ref(), &state, &taken) {
                continue;
            }
            for (heap, number) in heaps.iter().zip(&taken) {
                state.position[heap.index()] -= number;
                if *number > 0 {
                    state.touched.push(*heap);
                }
            }
            after.push(state);
        }
    }
}

/// Whether the search executes a move exactly: forms are compared under the
/// symmetries of the rule, which are not known yet, and the sets of a shrinking
/// board depend on the position.
fn can_execute(rule: &Rule, index: usize) -> bool {
    let mover = &rule.moves[index];
    let form = |part: Part<'_>| part.any(&mut |part| matches!(part, Part::Bool(Bool::Like(_))));
    let conditions = mover
        .when
        .iter()
        .chain(mover.choices.iter().filter_map(|c| c.condition.as_ref()))
        .chain(
            mover
                .steps
                .iter()
                .filter_map(|step| step.action.condition()),
        )
        .chain(&rule.positions);
    let listed = mover.steps.iter().all(|step| {
        !matches!(
            step.action.selection().members,
            Members::Remaining(_) | Members::Multiset { .. }
        )
    });
    listed
        && !conditions
            .into_iter()
            .any(|condition| form(Part::Bool(condition)))
}
