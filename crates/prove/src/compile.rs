//! The automata of sets of positions: the compiler of formulas, and the conversion
//! between automata and tables.

use super::integers::{Atom, Formula};
use nimrule_automata::memo::Memo;
use nimrule_automata::{Budget, Dfa, Numeration, TableDfa, Track, atoms, multiple_of_ratio};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Game;
use nimrule_symbolic::formula::of_heap;
use std::sync::Arc;

/// The compiler of formulas to automata. A memo table stores the automaton of each
/// formula.
pub struct Compiler {
    /// The numeration system of all automata.
    pub numeration: Numeration,
    /// The limits of all constructions.
    pub budget: Budget,
    memo: Memo<Formula, Arc<Dfa>>,
}

impl Compiler {
    /// Returns a compiler with an empty memo table.
    pub fn new(numeration: Numeration, limits: &Limits) -> Compiler {
        limits.set_numeration(Some(numeration.into()));
        Compiler {
            numeration,
            budget: Budget::new(limits),
            memo: Memo::default(),
        }
    }

    fn base(&self) -> u8 {
        match self.numeration {
            Numeration::Base(base) => base,
            Numeration::Ostrowski(_) => unreachable!("digits are translated in a base only"),
        }
    }

    /// The automaton of a formula.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn automaton(&mut self, formula: &Formula) -> Result<Arc<Dfa>, LimitExceeded> {
        if let Some(memo) = self.memo.get(formula) {
            return Ok(memo.clone());
        }
        let budget = &self.budget;
        let compiled = match formula {
            Formula::Const(value) => Arc::new(Dfa::constant(self.numeration, *value)),
            Formula::Atom(Atom::Sum(sum, relation)) => {
                Arc::new(atoms::compare(self.numeration, sum, *relation, budget)?)
            }
            Formula::Atom(Atom::Power { of, x }) => {
                Arc::new(atoms::power(self.base(), *of, *x, budget)?)
            }
            Formula::Atom(Atom::Digit {
                of,
                index,
                wanted,
                x,
            }) => Arc::new(atoms::digit(self.base(), *of, *index, *wanted, *x, budget)?),
            Formula::Atom(Atom::MultipleOfRatio { quotient, x, y }) => {
                Arc::new(multiple_of_ratio(*quotient, *x, *y, budget)?)
            }
            Formula::And(all) => {
                let parts = self.all(all)?;
                self.conjunction(parts)?
            }
            Formula::Or(all) => {
                let parts = self.all(all)?;
                self.disjunction(parts)?
            }
            Formula::Not(inner) => {
                let inner = self.automaton(inner)?;
                Arc::new(inner.not(&self.budget)?)
            }
            Formula::Exists(bound, body) => {
                let parts = match body.as_ref() {
                    Formula::And(all) => self.all(all)?,
                    other => vec![self.automaton(other)?],
                };
                self.exists(parts, bound)?
            }
        };
        self.memo.insert(formula.clone(), compiled.clone());
        Ok(compiled)
    }

    fn all(&mut self, formulas: &[Formula]) -> Result<Vec<Arc<Dfa>>, LimitExceeded> {
        formulas.iter().map(|one| self.automaton(one)).collect()
    }

    /// The intersection of automata, the two smallest first.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn conjunction(&self, mut parts: Vec<Arc<Dfa>>) -> Result<Arc<Dfa>, LimitExceeded> {
        self.combine(&mut parts, true, |one, other| one.and(other, &self.budget))
    }

    /// The union of automata, the two smallest first.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn disjunction(&self, mut parts: Vec<Arc<Dfa>>) -> Result<Arc<Dfa>, LimitExceeded> {
        self.combine(&mut parts, false, |one, other| one.or(other, &self.budget))
    }

    fn combine(
        &self,
        parts: &mut Vec<Arc<Dfa>>,
        neutral: bool,
        join: impl Fn(&Dfa, &Dfa) -> Result<Dfa, LimitExceeded>,
    ) -> Result<Arc<Dfa>, LimitExceeded> {
        loop {
            parts.sort_by_key(|part| std::cmp::Reverse(part.states() * (part.nodes() + 1)));
            match (parts.pop(), parts.pop()) {
                (Some(one), Some(other)) => parts.push(Arc::new(join(&one, &other)?)),
                (Some(one), None) => return Ok(one),
                (None, _) => return Ok(Arc::new(Dfa::constant(self.numeration, neutral))),
            }
        }
    }

    /// The projection of the intersection of `parts` along the tracks `bound`.
    /// Tracks are eliminated one by one, the one whose automata have the smallest
    /// product of states first; only the automata with that track are
    /// intersected.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn exists(
        &self,
        mut parts: Vec<Arc<Dfa>>,
        bound: &[Track],
    ) -> Result<Arc<Dfa>, LimitExceeded> {
        let mut left = bound.to_vec();
        loop {
            let cost = |track: &Track| {
                parts
                    .iter()
                    .filter(|part| part.tracks().contains(track))
                    .fold(1_usize, |cost, part| cost.saturating_mul(part.states()))
            };
            let Some(place) = (0..left.len()).min_by_key(|place| cost(&left[*place])) else {
                return self.conjunction(parts);
            };
            let track = left.swap_remove(place);
            let (with, without): (Vec<_>, Vec<_>) = parts
                .into_iter()
                .partition(|part| part.tracks().contains(&track));
            parts = without;
            if !with.is_empty() {
                let combine = self.conjunction(with)?;
                parts.push(Arc::new(combine.project(&[track], &self.budget)?));
            }
        }
    }
}

/// The tracks of the heaps of a game, in order.
pub fn tracks(game: &Game) -> Vec<Track> {
    (0..game.heap_count()).map(of_heap).collect()
}

/// Converts a set of positions to a table with a track for each heap; `None` if the
/// table would be too large.
pub fn table(game: &Game, set: &Dfa) -> Option<TableDfa> {
    set.table(&tracks(game))
}

/// Like [`table`]; `None` for sets that are not in a base.
pub fn table_in_base(game: &Game, set: &Dfa) -> Option<TableDfa> {
    match set.numeration() {
        Numeration::Base(_) => table(game, set),
        Numeration::Ostrowski(_) => None,
    }
}

/// Converts a table with a track for each heap to a set of positions; `None` if its
/// base is not the number of digits of the numeration system.
pub fn set_of_table(game: &Game, table: &TableDfa, numeration: Numeration) -> Option<Dfa> {
    (numeration.radix() == table.base).then(|| table.dfa(&tracks(game), numeration))
}
