//! Formulas to automata.

use super::integers::{Atom, Formula};
use nimrule_automata::memo::Memo;
use nimrule_automata::{Budget, Dfa, Numeration, Track, atoms, golden};
use nimrule_limits::{LimitExceeded, Limits};
use std::rc::Rc;

/// Makes automata of formulas; equal formulas are compiled once.
pub struct Compiler {
    pub numeration: Numeration,
    pub budget: Budget,
    known: Memo<Formula, Rc<Dfa>>,
}

impl Compiler {
    pub fn new(numeration: Numeration, limits: &Limits) -> Compiler {
        Compiler {
            numeration,
            budget: Budget::new(limits),
            known: Memo::default(),
        }
    }

    fn base(&self) -> u8 {
        match self.numeration {
            Numeration::Base(base) => base,
            Numeration::Zeckendorf => unreachable!("digits are asked for in a base alone"),
        }
    }

    pub fn automaton(&mut self, formula: &Formula) -> Result<Rc<Dfa>, LimitExceeded> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let budget = &self.budget;
        let made = match formula {
            Formula::Const(value) => Rc::new(Dfa::constant(self.numeration, *value)),
            Formula::Atom(Atom::Sum(sum, relation)) => {
                Rc::new(atoms::compare(self.numeration, sum, *relation, budget)?)
            }
            Formula::Atom(Atom::Power { of, x }) => {
                Rc::new(atoms::power(self.base(), *of, *x, budget)?)
            }
            Formula::Atom(Atom::Digit {
                of,
                index,
                wanted,
                x,
            }) => Rc::new(atoms::digit(self.base(), *of, *index, *wanted, *x, budget)?),
            Formula::Atom(Atom::Golden { x, y }) => Rc::new(golden(*x, *y, budget)?),
            Formula::And(all) => {
                let parts = self.all(all)?;
                self.meet(parts)?
            }
            Formula::Or(all) => {
                let parts = self.all(all)?;
                self.union(parts)?
            }
            Formula::Not(inner) => {
                let inner = self.automaton(inner)?;
                Rc::new(inner.not(&self.budget)?)
            }
            Formula::Exists(bound, body) => {
                let parts = match body.as_ref() {
                    Formula::And(all) => self.all(all)?,
                    other => vec![self.automaton(other)?],
                };
                self.some(parts, bound)?
            }
        };
        self.known.insert(formula.clone(), made.clone());
        Ok(made)
    }

    fn all(&mut self, formulas: &[Formula]) -> Result<Vec<Rc<Dfa>>, LimitExceeded> {
        formulas.iter().map(|one| self.automaton(one)).collect()
    }

    /// All of these hold. The two smallest are joined first.
    pub fn meet(&self, mut parts: Vec<Rc<Dfa>>) -> Result<Rc<Dfa>, LimitExceeded> {
        self.joined(&mut parts, true, |one, other| one.and(other, &self.budget))
    }

    /// One of these holds.
    pub fn union(&self, mut parts: Vec<Rc<Dfa>>) -> Result<Rc<Dfa>, LimitExceeded> {
        self.joined(&mut parts, false, |one, other| one.or(other, &self.budget))
    }

    fn joined(
        &self,
        parts: &mut Vec<Rc<Dfa>>,
        of_none: bool,
        join: impl Fn(&Dfa, &Dfa) -> Result<Dfa, LimitExceeded>,
    ) -> Result<Rc<Dfa>, LimitExceeded> {
        loop {
            parts.sort_by_key(|part| std::cmp::Reverse(part.states() * (part.nodes() + 1)));
            match (parts.pop(), parts.pop()) {
                (Some(one), Some(other)) => parts.push(Rc::new(join(&one, &other)?)),
                (Some(one), None) => return Ok(one),
                (None, _) => return Ok(Rc::new(Dfa::constant(self.numeration, of_none))),
            }
        }
    }

    /// There are numbers on these tracks such that all of the parts hold. The
    /// number that the fewest states speak of is got rid of first, and only
    /// what speaks of it is joined for that.
    pub fn some(&self, mut parts: Vec<Rc<Dfa>>, bound: &[Track]) -> Result<Rc<Dfa>, LimitExceeded> {
        let mut left = bound.to_vec();
        loop {
            let cost = |track: &Track| {
                parts
                    .iter()
                    .filter(|part| part.tracks().contains(track))
                    .fold(1_usize, |cost, part| cost.saturating_mul(part.states()))
            };
            let Some(place) = (0..left.len()).min_by_key(|place| cost(&left[*place])) else {
                return self.meet(parts);
            };
            let track = left.swap_remove(place);
            let (with, without): (Vec<_>, Vec<_>) = parts
                .into_iter()
                .partition(|part| part.tracks().contains(&track));
            parts = without;
            if !with.is_empty() {
                let joined = self.meet(with)?;
                parts.push(Rc::new(joined.project(&[track], &self.budget)?));
            }
        }
    }
}
