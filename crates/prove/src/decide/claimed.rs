//! The set of positions of a claim about outcomes, and the statements about it.

use super::{Decision, NONTERMINAL, Proof, Set, Strategy, TERMINATION, statements};
use crate::hypergraph_nim::{self, of_game, rule_of};
use crate::integers::{Formula, IntegerInterpreter, Integers};
use crate::numeration::numeration;
use crate::procedures::Procedure;
use crate::theorem::{ProveError, Prover};
use nimrule_automata::{Dfa, Numeration};
use nimrule_ir as ir;
use nimrule_model::expr::{Bool, Expr, Part};
use nimrule_model::game::Game;
use nimrule_model::game::{Claim, Convention, Direction};
use std::rc::Rc;

/// The set of a claim about outcomes, with the compiled rule.
pub struct Claimed<'g> {
    pub prover: Prover<'g>,
    set: Rc<Dfa>,
    procedures: &'static [&'static dyn Procedure],
}

impl<'g> Claimed<'g> {
    pub fn new(
        game: &'g Game,
        claim: &Claim,
        condition: &Expr<Bool>,
        up_to_symmetry: bool,
        strategy: &Strategy,
    ) -> Result<Claimed<'g>, ProveError> {
        let numeration = numeration(&ir::lower(game), None, claim.span, &[Part::bool(condition)])?;
        Claimed::written(game, claim, condition, up_to_symmetry, numeration, strategy)
    }

    /// The same in a given numeration.
    pub fn written(
        game: &'g Game,
        claim: &Claim,
        condition: &Expr<Bool>,
        up_to_symmetry: bool,
        numeration: Numeration,
        strategy: &Strategy,
    ) -> Result<Claimed<'g>, ProveError> {
        let mut prover = Prover::without_moves(game, numeration, &strategy.limits)?;
        let set = claimed_set(&mut prover, claim, condition, up_to_symmetry)?;
        Ok(Claimed {
            prover,
            set,
            procedures: strategy.procedures,
        })
    }

    /// A learned set.
    pub fn found(
        game: &'g Game,
        set: &Dfa,
        strategy: &Strategy,
    ) -> Result<Claimed<'g>, ProveError> {
        let prover = Prover::without_moves(game, set.numeration(), &strategy.limits)?;
        let set = set.and(&prover.domain, &prover.compiler.budget)?;
        Ok(Claimed {
            prover,
            set: Rc::new(set),
            procedures: strategy.procedures,
        })
    }

    /// The set of positions.
    pub fn set(&self) -> Rc<Dfa> {
        self.set.clone()
    }

    /// Replaces the set by its complement among the positions.
    pub fn negated(&mut self) -> Result<(), ProveError> {
        let negated = self
            .prover
            .domain
            .and_not(&self.set, &self.prover.compiler.budget)?;
        self.set = Rc::new(negated);
        Ok(())
    }

    /// Decides whether the set is that of the P-positions.
    pub fn partition(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        for procedure in self.procedures {
            if let Some(decision) = procedure.check(self, convention)? {
                return Ok(decision);
            }
        }
        Ok(Decision::Open(
            "no procedure applies to this set".to_owned(),
        ))
    }

    /// The same by the automata of all transitions.
    pub fn by_automata(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        self.prover.read_moves()?;
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        if let Some(failing) = prover.move_between(set, set)? {
            return Ok(Decision::Fails(failing));
        }
        let mut rest = prover.domain.and_not(set, budget)?;
        if convention == Convention::Misere {
            let nonterminal = prover.nonterminal()?;
            let terminal = set.and_not(&nonterminal, budget)?;
            if let Some(failing) = prover.first_position(&terminal) {
                return Ok(Decision::Fails(failing));
            }
            rest = rest.and(&nonterminal, budget)?;
        }
        let rest = prover.without_move_into(&rest, set, None)?;
        if let Some(failing) = prover.first_position(&rest) {
            return Ok(Decision::Fails(failing));
        }
        Ok(Decision::Holds(
            self.proof(Set::PPositions, statements(convention)),
        ))
    }

    /// The same for hypergraph Nim; `None` for other rules.
    pub fn by_hypergraph_nim(
        &self,
        convention: Convention,
    ) -> Result<Option<Decision>, ProveError> {
        let game = self.prover.game;
        let Some(rule) = rule_of(game, convention) else {
            return Ok(None);
        };
        let Some(table) = of_game::table_in_base(game, &self.set) else {
            return Ok(None);
        };
        let limits = self.prover.compiler.budget.limits();
        Ok(Some(match hypergraph_nim::check(&rule, &table, limits)? {
            hypergraph_nim::Verdict::Proved(_) => {
                Decision::Holds(self.proof(Set::PPositions, statements(convention)))
            }
            hypergraph_nim::Verdict::Refuted(refutation) => Decision::Fails(refutation.positions()),
        }))
    }

    fn proof(&self, of: Set, checked: &[&str]) -> Proof {
        Proof {
            certificate: None,
            automaton: self.set.clone(),
            of,
            states: self.set.states(),
            checked: checked.iter().map(|what| (*what).to_owned()).collect(),
        }
    }

    /// Every move from the set is answered by one back into it: then all of it
    /// are P-positions. That is more than the claim says, so that nothing
    /// follows where it fails.
    pub fn by_pairing_strategy(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        self.prover.read_moves()?;
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        let mut won = prover.predecessors_of(set)?;
        let mut checked = vec![
            TERMINATION,
            "every move from the set is answered by a move back into it",
        ];
        if convention == Convention::Misere {
            let nonterminal = prover.nonterminal()?;
            if let Some(failing) = prover.first_position(&set.and_not(&nonterminal, budget)?) {
                return Ok(Decision::Fails(failing));
            }
            let terminal = prover.domain.and_not(&nonterminal, budget)?;
            won = won.or(&terminal, budget)?;
            checked.push(NONTERMINAL);
        }
        let lost = prover.domain.and_not(&won, budget)?;
        Ok(match prover.move_between(set, &lost)? {
            None => Decision::Holds(self.proof(Set::SomePPositions, &checked)),
            Some(_) => Decision::Open(String::new()),
        })
    }

    /// Compares the set with that of all P-positions.
    pub fn compare_with(
        &mut self,
        all: &Dfa,
        direction: Direction,
    ) -> Result<Decision, ProveError> {
        let budget = &self.prover.compiler.budget;
        let (beyond, of, checked) = match direction {
            Direction::OnlyIf => (
                all.and_not(&self.set, budget)?,
                Set::BeyondPPositions,
                "every P-position is in the set (the P-positions were found separately)",
            ),
            _ => (
                self.set.and_not(all, budget)?,
                Set::SomePPositions,
                "every position of the set is a P-position (the P-positions were found \
                 separately)",
            ),
        };
        if let Some(failing) = self.prover.first_position(&beyond) {
            return Ok(Decision::Fails(failing));
        }
        Ok(Decision::Holds(self.proof(of, &[checked])))
    }
}

/// The set of positions that satisfy the condition of a claim.
fn claimed_set(
    prover: &mut Prover<'_>,
    claim: &Claim,
    condition: &Expr<Bool>,
    up_to_symmetry: bool,
) -> Result<Rc<Dfa>, ProveError> {
    let numeration = prover.compiler.numeration;
    let mut reader = IntegerInterpreter::of_heaps(prover.game, Integers { numeration });
    let read = |reader: &mut IntegerInterpreter<'_>| {
        if !up_to_symmetry {
            return reader.condition(condition);
        }
        let heaps = reader.heaps.clone();
        let mut any = Vec::new();
        for image in reader.permutations(claim.span)? {
            reader.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
            any.push(reader.condition(condition)?);
        }
        Ok(Formula::or(any))
    };
    let formula = read(&mut reader)?;
    prover.check_no_faults(&reader)?;
    let set = prover.compiler.automaton(&formula)?;
    Ok(Rc::new(set.and(&prover.domain, &prover.compiler.budget)?))
}
