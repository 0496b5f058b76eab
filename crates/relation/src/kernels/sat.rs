//! Satisfiability of clauses, by conflict-driven search.
//!
//! What a state must be follows from what its options are, and a set of such
//! rules is a set of clauses. Contradictions that only show after many choices
//! would be met again and again by plain backtracking, so what a contradiction
//! teaches is kept as a clause (J. Marques-Silva and K. Sakallah, GRASP, 1999;
//! two watched literals after M. Moskewicz et al., Chaff, 2001).

/// A variable, or its opposite: twice its number, plus one for the opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal(u32);

impl Literal {
    pub fn yes(variable: usize) -> Literal {
        Literal(2 * variable as u32)
    }

    pub fn no(variable: usize) -> Literal {
        Literal(2 * variable as u32 + 1)
    }

    fn variable(self) -> usize {
        (self.0 / 2) as usize
    }

    fn is_yes(self) -> bool {
        self.0.is_multiple_of(2)
    }

    fn opposite(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Open,
    Yes,
    No,
}

type ClauseId = u32;

const NO_CLAUSE: ClauseId = u32::MAX;

/// A search for values that satisfy all clauses.
pub struct Search {
    /// The literals of all clauses, one clause after another, with where each
    /// begins. The first two of a clause are watched.
    literals: Vec<Literal>,
    begins: Vec<u32>,
    /// The clauses that watch a literal.
    watching: Vec<Vec<ClauseId>>,
    values: Vec<Truth>,
    /// Why a variable has its value, and after how many choices.
    reasons: Vec<ClauseId>,
    levels: Vec<u32>,
    trail: Vec<Literal>,
    looked_at: usize,
    choices: Vec<usize>,
    /// How much a variable has to do with late contradictions.
    activity: Vec<f64>,
    increment: f64,
    heap: Heap,
    /// The value that a variable had last.
    last: Vec<bool>,
    seen: Vec<bool>,
    contradiction: bool,
    pub conflicts: u64,
}

impl Search {
    pub fn new(variables: usize) -> Search {
        Search {
            literals: Vec::new(),
            begins: vec![0],
            watching: vec![Vec::new(); 2 * variables],
            values: vec![Truth::Open; variables],
            reasons: vec![NO_CLAUSE; variables],
            levels: vec![0; variables],
            trail: Vec::new(),
            looked_at: 0,
            choices: Vec::new(),
            activity: vec![0.0; variables],
            increment: 1.0,
            heap: Heap::new(variables),
            last: vec![false; variables],
            seen: vec![false; variables],
            contradiction: false,
            conflicts: 0,
        }
    }

    /// Demands that one of these holds.
    pub fn demand(&mut self, clause: &[Literal]) {
        self.back_to(0);
        let mut kept: Vec<Literal> = Vec::with_capacity(clause.len());
        for literal in clause {
            match self.value(*literal) {
                Truth::Yes => return,
                Truth::No => {}
                Truth::Open if kept.contains(&literal.opposite()) => return,
                Truth::Open if kept.contains(literal) => {}
                Truth::Open => kept.push(*literal),
            }
        }
        match kept.as_slice() {
            [] => self.contradiction = true,
            [one] => {
                self.set(*one, NO_CLAUSE);
                self.contradiction |= self.propagate() != NO_CLAUSE;
            }
            _ => {
                self.keep(&kept);
            }
        }
    }

    /// As [`demand`](Search::demand), for two different variables.
    pub fn demand_one_of(&mut self, a: Literal, b: Literal) {
        self.demand(&[a, b]);
    }

    fn keep(&mut self, clause: &[Literal]) -> ClauseId {
        let id = (self.begins.len() - 1) as ClauseId;
        self.literals.extend_from_slice(clause);
        self.begins.push(self.literals.len() as u32);
        self.watching[clause[0].index()].push(id);
        self.watching[clause[1].index()].push(id);
        id
    }

    fn value(&self, literal: Literal) -> Truth {
        match (self.values[literal.variable()], literal.is_yes()) {
            (Truth::Open, _) => Truth::Open,
            (Truth::Yes, true) | (Truth::No, false) => Truth::Yes,
            _ => Truth::No,
        }
    }

    fn set(&mut self, literal: Literal, reason: ClauseId) {
        let variable = literal.variable();
        self.values[variable] = if literal.is_yes() {
            Truth::Yes
        } else {
            Truth::No
        };
        self.reasons[variable] = reason;
        self.levels[variable] = self.choices.len() as u32;
        self.trail.push(literal);
    }

    /// Draws all conclusions; the clause that fails, if one does.
    fn propagate(&mut self) -> ClauseId {
        while let Some(literal) = self.trail.get(self.looked_at).copied() {
            self.looked_at += 1;
            let failed = literal.opposite();
            let mut watching = std::mem::take(&mut self.watching[failed.index()]);
            let mut at = 0;
            let mut conflict = NO_CLAUSE;
            while at < watching.len() {
                let id = watching[at];
                let range =
                    self.begins[id as usize] as usize..self.begins[id as usize + 1] as usize;
                if self.literals[range.start] == failed {
                    self.literals.swap(range.start, range.start + 1);
                }
                let first = self.literals[range.start];
                if self.value(first) == Truth::Yes {
                    at += 1;
                    continue;
                }
                let other = (range.start + 2..range.end)
                    .find(|place| self.value(self.literals[*place]) != Truth::No);
                if let Some(place) = other {
                    self.literals.swap(range.start + 1, place);
                    let watched = self.literals[range.start + 1];
                    self.watching[watched.index()].push(id);
                    watching.swap_remove(at);
                    continue;
                }
                if self.value(first) == Truth::No {
                    conflict = id;
                    break;
                }
                self.set(first, id);
                at += 1;
            }
            self.watching[failed.index()] = watching;
            if conflict != NO_CLAUSE {
                return conflict;
            }
        }
        NO_CLAUSE
    }

    fn back_to(&mut self, level: usize) {
        let Some(keep) = self.choices.get(level).copied() else {
            return;
        };
        for literal in self.trail.drain(keep..) {
            let variable = literal.variable();
            self.values[variable] = Truth::Open;
            self.last[variable] = literal.is_yes();
            self.heap.put(variable, &self.activity);
        }
        self.choices.truncate(level);
        self.looked_at = keep;
    }

    fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.increment;
        if self.activity[variable] > 1e100 {
            for activity in &mut self.activity {
                *activity *= 1e-100;
            }
            self.increment *= 1e-100;
        }
        self.heap.raised(variable, &self.activity);
    }

    /// What a contradiction teaches: a clause with one literal of the last
    /// choice's conclusions, in front, and the level to go back to.
    fn learn(&mut self, conflict: ClauseId) -> (Vec<Literal>, usize) {
        let level = self.choices.len() as u32;
        let mut learned = vec![Literal(0)];
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        loop {
            let range =
                self.begins[reason as usize] as usize..self.begins[reason as usize + 1] as usize;
            for place in range {
                let literal = self.literals[place];
                let variable = literal.variable();
                if self.seen[variable]
                    || self.levels[variable] == 0
                    || self.value(literal) == Truth::Yes
                {
                    continue;
                }
                self.seen[variable] = true;
                self.bump(variable);
                if self.levels[variable] == level {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break;
                }
            }
            let literal = self.trail[at];
            open -= 1;
            if open == 0 {
                learned[0] = literal.opposite();
                self.seen[literal.variable()] = false;
                break;
            }
            reason = self.reasons[literal.variable()];
            self.seen[literal.variable()] = false;
        }
        for literal in &learned[1..] {
            self.seen[literal.variable()] = false;
        }
        let mut back = 0;
        for place in 1..learned.len() {
            let level = self.levels[learned[place].variable()] as usize;
            if level > back {
                back = level;
                learned.swap(1, place);
            }
        }
        (learned, back)
    }

    /// Values for the variables that satisfy all clauses, if there are such.
    ///
    /// `pause` is called at every contradiction, and stops the search by
    /// failing.
    pub fn solve<E>(
        &mut self,
        pause: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Vec<bool>>, E> {
        self.back_to(0);
        if self.contradiction || self.propagate() != NO_CLAUSE {
            self.contradiction = true;
            return Ok(None);
        }
        let mut until_restart = 100_u64;
        let mut since = 0;
        loop {
            let conflict = self.propagate();
            if conflict != NO_CLAUSE {
                self.conflicts += 1;
                since += 1;
                pause(self.conflicts)?;
                if self.choices.is_empty() {
                    self.contradiction = true;
                    return Ok(None);
                }
                let (learned, back) = self.learn(conflict);
                self.back_to(back);
                let reason = if learned.len() == 1 {
                    NO_CLAUSE
                } else {
                    self.keep(&learned)
                };
                self.set(learned[0], reason);
                self.increment *= 1.05;
                continue;
            }
            if since >= until_restart {
                since = 0;
                until_restart += until_restart / 2;
                self.back_to(0);
                continue;
            }
            let open = loop {
                match self.heap.take(&self.activity) {
                    Some(variable) if self.values[variable] == Truth::Open => {
                        break Some(variable);
                    }
                    Some(_) => {}
                    None => break None,
                }
            };
            let Some(variable) = open else {
                return Ok(Some(
                    self.values
                        .iter()
                        .map(|value| *value == Truth::Yes)
                        .collect(),
                ));
            };
            self.choices.push(self.trail.len());
            let literal = if self.last[variable] {
                Literal::yes(variable)
            } else {
                Literal::no(variable)
            };
            self.set(literal, NO_CLAUSE);
        }
    }
}

/// The variables that may be open, the most active first.
struct Heap {
    order: Vec<u32>,
    /// Where each variable stands in the order.
    places: Vec<u32>,
}

const NOT_THERE: u32 = u32::MAX;

impl Heap {
    fn new(variables: usize) -> Heap {
        Heap {
            order: (0..variables as u32).collect(),
            places: (0..variables as u32).collect(),
        }
    }

    fn before(&self, a: u32, b: u32, activity: &[f64]) -> bool {
        let (x, y) = (activity[a as usize], activity[b as usize]);
        x > y || (x == y && a < b)
    }

    fn put(&mut self, variable: usize, activity: &[f64]) {
        if self.places[variable] == NOT_THERE {
            self.places[variable] = self.order.len() as u32;
            self.order.push(variable as u32);
            self.up(self.order.len() - 1, activity);
        }
    }

    fn raised(&mut self, variable: usize, activity: &[f64]) {
        let place = self.places[variable];
        if place != NOT_THERE {
            self.up(place as usize, activity);
        }
    }

    fn take(&mut self, activity: &[f64]) -> Option<usize> {
        let first = *self.order.first()?;
        let last = self.order.pop()?;
        self.places[first as usize] = NOT_THERE;
        if last != first {
            self.order[0] = last;
            self.places[last as usize] = 0;
            self.down(0, activity);
        }
        Some(first as usize)
    }

    fn up(&mut self, mut place: usize, activity: &[f64]) {
        while place > 0 {
            let above = (place - 1) / 2;
            if !self.before(self.order[place], self.order[above], activity) {
                return;
            }
            self.swap(place, above);
            place = above;
        }
    }

    fn down(&mut self, mut place: usize, activity: &[f64]) {
        loop {
            let mut best = place;
            for below in [2 * place + 1, 2 * place + 2] {
                if below < self.order.len()
                    && self.before(self.order[below], self.order[best], activity)
                {
                    best = below;
                }
            }
            if best == place {
                return;
            }
            self.swap(place, best);
            place = best;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        self.places[self.order[a] as usize] = a as u32;
        self.places[self.order[b] as usize] = b as u32;
    }
}
