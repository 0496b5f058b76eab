//! The sets of positions that satisfy conditions of the language of claims.

use super::compile::Compiler;
use super::integers::{Formula, IntegerInterpreter, Integers};
use nimrule_automata::{Budget, Dfa, Numeration};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::{Bool, Expr};
use nimrule_model::game::Game;
use std::sync::Arc;

/// The compiler of conditions on the heaps of a game to the sets of positions that satisfy
/// them, for those who try many conditions: what conditions share is compiled once.
pub struct Conditions<'g> {
    game: &'g Game,
    compiler: Compiler,
}

impl<'g> Conditions<'g> {
    /// A compiler to automata in a numeration system.
    pub fn new(game: &'g Game, numeration: Numeration, limits: &Limits) -> Conditions<'g> {
        Conditions {
            game,
            compiler: Compiler::new(numeration, limits),
        }
    }

    /// The limits of all constructions.
    pub fn budget(&self) -> &Budget {
        &self.compiler.budget
    }

    /// The sets of a condition, one for each of its disjuncts: their union is the set of the
    /// positions that satisfy it, and is often much larger than all of them. `None` if the
    /// condition is unsupported or has no value for some sizes of the heaps.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn disjuncts(
        &mut self,
        condition: &Expr<Bool>,
    ) -> Result<Option<Vec<Arc<Dfa>>>, LimitExceeded> {
        let numeration = self.compiler.numeration;
        let mut interpreter = IntegerInterpreter::of_heaps(self.game, Integers { numeration });
        let Ok(formula) = interpreter.condition(condition) else {
            return Ok(None);
        };
        for fault in &interpreter.faults {
            if !self.compiler.automaton(&fault.condition)?.is_empty() {
                return Ok(None);
            }
        }
        let disjuncts = match &formula {
            Formula::Or(any) => any.as_slice(),
            one => std::slice::from_ref(one),
        };
        let sets = disjuncts.iter().map(|one| self.compiler.automaton(one));
        sets.collect::<Result<_, _>>().map(Some)
    }

    /// The union of sets, the smallest first.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn union(&self, sets: Vec<Arc<Dfa>>) -> Result<Arc<Dfa>, LimitExceeded> {
        self.compiler.disjunction(sets)
    }
}
