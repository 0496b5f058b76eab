//! A SAT solver with conflict-driven clause learning (CDCL).
//!
//! Sources: J. Marques-Silva and K. Sakallah, GRASP (1999), for clause learning;
//! M. Moskewicz and others, Chaff (2001), for two watched literals and
//! activities.

/// A literal: twice the number of its variable, plus one if negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal(u32);

impl Literal {
    pub fn positive(variable: usize) -> Literal {
        Literal(2 * variable as u32)
    }

    pub fn negative(variable: usize) -> Literal {
        Literal(2 * variable as u32 + 1)
    }

    fn variable(self) -> usize {
        (self.0 / 2) as usize
    }

    fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }

    fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The value of a variable; open if not assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Open,
    True,
    False,
}

type ClauseId = u32;

const NO_CLAUSE: ClauseId = u32::MAX;

/// A solver: clauses and a partial assignment.
pub struct Solver {
    /// The literals of all clauses. The first two of a clause are watched.
    literals: Vec<Literal>,
    /// The start of each clause, and the end of the last.
    starts: Vec<u32>,
    /// By literal: the clauses that watch it.
    watchers: Vec<Vec<ClauseId>>,
    values: Vec<Truth>,
    /// The clause that implied the value of each variable.
    reasons: Vec<ClauseId>,
    /// The decision level of each variable.
    levels: Vec<u32>,
    /// The assigned literals, in order.
    trail: Vec<Literal>,
    /// The number of literals of the trail that are propagated.
    propagated: usize,
    /// The length of the trail before each decision.
    decisions: Vec<usize>,
    /// By variable: how often it took part in recent conflicts.
    activity: Vec<f64>,
    increment: f64,
    heap: Heap,
    /// The last value of each variable (phase saving).
    saved: Vec<bool>,
    /// Marks of the conflict analysis.
    seen: Vec<bool>,
    /// Whether the clauses are known to be unsatisfiable.
    unsatisfiable: bool,
    /// The number of conflicts so far.
    pub conflicts: u64,
}

impl Solver {
    pub fn new(variables: usize) -> Solver {
        Solver {
            literals: Vec::new(),
            starts: vec![0],
            watchers: vec![Vec::new(); 2 * variables],
            values: vec![Truth::Open; variables],
            reasons: vec![NO_CLAUSE; variables],
            levels: vec![0; variables],
            trail: Vec::new(),
            propagated: 0,
            decisions: Vec::new(),
            activity: vec![0.0; variables],
            increment: 1.0,
            heap: Heap::new(variables),
            saved: vec![false; variables],
            seen: vec![false; variables],
            unsatisfiable: false,
            conflicts: 0,
        }
    }

    /// Adds a clause.
    pub fn add_clause(&mut self, clause: &[Literal]) {
        self.backtrack(0);
        let mut kept: Vec<Literal> = Vec::with_capacity(clause.len());
        for literal in clause {
            match self.value(*literal) {
                Truth::True => return,
                Truth::False => {}
                Truth::Open if kept.contains(&literal.negated()) => return,
                Truth::Open if kept.contains(literal) => {}
                Truth::Open => kept.push(*literal),
            }
        }
        match kept.as_slice() {
            [] => self.unsatisfiable = true,
            [one] => {
                self.set(*one, NO_CLAUSE);
                self.unsatisfiable |= self.propagate() != NO_CLAUSE;
            }
            _ => {
                self.store(&kept);
            }
        }
    }

    fn store(&mut self, clause: &[Literal]) -> ClauseId {
        let id = (self.starts.len() - 1) as ClauseId;
        self.literals.extend_from_slice(clause);
        self.starts.push(self.literals.len() as u32);
        self.watchers[clause[0].index()].push(id);
        self.watchers[clause[1].index()].push(id);
        id
    }

    fn value(&self, literal: Literal) -> Truth {
        match (self.values[literal.variable()], literal.is_positive()) {
            (Truth::Open, _) => Truth::Open,
            (Truth::True, true) | (Truth::False, false) => Truth::True,
            _ => Truth::False,
        }
    }

    fn set(&mut self, literal: Literal, reason: ClauseId) {
        let variable = literal.variable();
        self.values[variable] = if literal.is_positive() {
            Truth::True
        } else {
            Truth::False
        };
        self.reasons[variable] = reason;
        self.levels[variable] = self.decisions.len() as u32;
        self.trail.push(literal);
    }

    /// Propagates all assignments; returns the clause in conflict, or
    /// [`NO_CLAUSE`].
    fn propagate(&mut self) -> ClauseId {
        while let Some(literal) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            let failed = literal.negated();
            let mut watchers = std::mem::take(&mut self.watchers[failed.index()]);
            let mut at = 0;
            let mut conflict = NO_CLAUSE;
            while at < watchers.len() {
                let id = watchers[at];
                let range =
                    self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize;
                if self.literals[range.start] == failed {
                    self.literals.swap(range.start, range.start + 1);
                }
                let first = self.literals[range.start];
                if self.value(first) == Truth::True {
                    at += 1;
                    continue;
                }
                let other = (range.start + 2..range.end)
                    .find(|place| self.value(self.literals[*place]) != Truth::False);
                if let Some(place) = other {
                    self.literals.swap(range.start + 1, place);
                    let watched = self.literals[range.start + 1];
                    self.watchers[watched.index()].push(id);
                    watchers.swap_remove(at);
                    continue;
                }
                if self.value(first) == Truth::False {
                    conflict = id;
                    break;
                }
                self.set(first, id);
                at += 1;
            }
            self.watchers[failed.index()] = watchers;
            if conflict != NO_CLAUSE {
                return conflict;
            }
        }
        NO_CLAUSE
    }

    /// Undoes the assignments after a decision level.
    fn backtrack(&mut self, level: usize) {
        let Some(keep) = self.decisions.get(level).copied() else {
            return;
        };
        for literal in self.trail.drain(keep..) {
            let variable = literal.variable();
            self.values[variable] = Truth::Open;
            self.saved[variable] = literal.is_positive();
            self.heap.put(variable, &self.activity);
        }
        self.decisions.truncate(level);
        self.propagated = keep;
    }

    /// Raises the activity of a variable.
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

    /// Analyses a conflict: returns the learned clause, whose first literal is
    /// the only one of the current level (first unique implication point), and
    /// the level to backtrack to.
    fn analyse(&mut self, conflict: ClauseId) -> (Vec<Literal>, usize) {
        let level = self.decisions.len() as u32;
        let mut learned = vec![Literal(0)];
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        loop {
            let range =
                self.starts[reason as usize] as usize..self.starts[reason as usize + 1] as usize;
            for place in range {
                let literal = self.literals[place];
                let variable = literal.variable();
                if self.seen[variable]
                    || self.levels[variable] == 0
                    || self.value(literal) == Truth::True
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
                learned[0] = literal.negated();
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

    /// An assignment that satisfies all clauses, if there is one.
    ///
    /// `pause` is called at every conflict with the number of conflicts; its
    /// error stops the search.
    pub fn solve<E>(
        &mut self,
        pause: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Vec<bool>>, E> {
        self.backtrack(0);
        if self.unsatisfiable || self.propagate() != NO_CLAUSE {
            self.unsatisfiable = true;
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
                if self.decisions.is_empty() {
                    self.unsatisfiable = true;
                    return Ok(None);
                }
                let (learned, back) = self.analyse(conflict);
                self.backtrack(back);
                let reason = if learned.len() == 1 {
                    NO_CLAUSE
                } else {
                    self.store(&learned)
                };
                self.set(learned[0], reason);
                self.increment *= 1.05;
                continue;
            }
            if since >= until_restart {
                since = 0;
                until_restart += until_restart / 2;
                self.backtrack(0);
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
                        .map(|value| *value == Truth::True)
                        .collect(),
                ));
            };
            self.decisions.push(self.trail.len());
            let literal = if self.saved[variable] {
                Literal::positive(variable)
            } else {
                Literal::negative(variable)
            };
            self.set(literal, NO_CLAUSE);
        }
    }
}

/// A binary heap of variables that may be unassigned, the most active first.
struct Heap {
    order: Vec<u32>,
    /// The place of each variable in the heap.
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
