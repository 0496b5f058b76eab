//! The conditions of the partition theorem, decided by automata.
//!
//! A set W of positions is the set of P-positions if and only if
//!
//! - independence: no position of W has a move into W, and
//! - absorption: every position outside W has a move into W or, in misere play,
//!   is terminal
//!
//! and, in misere play, no position of W is terminal. (In normal play,
//! absorption implies that every terminal position is in W.) The theorem needs
//! termination, which is checked here too, for the translated moves. In the same
//! way a function is that of the Grundy values if no move keeps its value and
//! every smaller value is reached by some move.
//!
//! Subset constructions are avoided where possible: independence is the
//! emptiness of a product of three automata, and absorption subtracts the
//! predecessors of W from the remaining set, one transition at a time.

use super::compile::Compiler;
use super::integers::{
    Formula, IntegerInterpreter, Integers, compare, constant, plus, times, variable,
};
use nimrule_automata::atoms::Sum;
use nimrule_automata::{Dfa, Numeration, Track, Witness};
use nimrule_ir as ir;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::Order;
use nimrule_model::game::Game;
use nimrule_model::source::Span;
use nimrule_symbolic::formula::{of_heap, of_heap_after};
use nimrule_symbolic::{Fault, ProveError, TargetConstraint, Transition, Unsupported, transitions};
use std::sync::Arc;

/// A transition compiled to automata.
pub struct CompiledTransition {
    /// The heaps that it may change, ascending.
    pub touched: Vec<usize>,
    /// The relation between the heap sizes before and after the move.
    pub relation: Arc<Dfa>,
    /// The conjuncts of the relation, without "some heap changes" where
    /// `may_be_identity`.
    parts: Vec<Arc<Dfa>>,
    /// Whether `parts` also relates a position to itself.
    may_be_identity: bool,
}

/// A rule compiled for statements about its moves.
pub struct Prover<'g> {
    /// The game of the rule.
    pub game: &'g Game,
    pub(super) compiler: Compiler,
    /// The transition relation, if it has been compiled.
    pub transitions: Vec<CompiledTransition>,
    /// The set of all positions.
    pub domain: Arc<Dfa>,
    /// The same, as a formula.
    positions: Formula,
}

/// Positions that show that a statement fails: the failure is at one of them,
/// or at an option of one.
pub type FailingPositions = Vec<Vec<u64>>;

impl<'g> Prover<'g> {
    /// Compiles the rule, and checks that every move lowers its termination
    /// measure.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, it may not terminate, or a limit is exceeded.
    pub fn new(
        game: &'g Game,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Prover<'g>, ProveError> {
        let mut prover = Prover::without_moves(game, numeration, limits)?;
        prover.read_moves()?;
        Ok(prover)
    }

    /// Compiles the set of positions, but not the moves.
    ///
    /// # Errors
    ///
    /// The condition on positions is unsupported, or a limit is exceeded.
    pub fn without_moves(
        game: &'g Game,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Prover<'g>, ProveError> {
        let mut compiler = Compiler::new(numeration, limits);
        let domain = match &game.positions {
            None => Formula::TRUE,
            Some(condition) => {
                let mut interpreter = IntegerInterpreter::of_heaps(game, Integers { numeration });
                let domain = interpreter.condition(condition)?;
                check_no_faults(&mut compiler, &interpreter.faults, &Formula::TRUE)?;
                domain
            }
        };
        let accepted = compiler.automaton(&domain)?;
        // Any claim would hold.
        if let Some(condition) = &game.positions
            && accepted.is_empty()
        {
            let what = "`positions where` leaves no position, so that a claim is about none";
            return Err(Unsupported::new(what, condition.span).into());
        }
        Ok(Prover {
            game,
            compiler,
            transitions: Vec::new(),
            domain: accepted,
            positions: domain,
        })
    }

    /// Checks that every translated expression has a value at every position.
    pub(super) fn check_no_faults(
        &mut self,
        interpreter: &IntegerInterpreter<'_>,
    ) -> Result<(), ProveError> {
        check_no_faults(&mut self.compiler, &interpreter.faults, &self.positions)
    }

    /// Compiles the moves, unless that has been done.
    pub(super) fn read_moves(&mut self) -> Result<(), ProveError> {
        if !self.transitions.is_empty() {
            return Ok(());
        }
        let graph = ir::lower(self.game);
        let numeration = self.compiler.numeration;
        let read = transitions(
            self.game,
            &graph,
            Integers { numeration },
            TargetConstraint::Positions,
        )?;
        check_no_faults(&mut self.compiler, &read.faults, &self.positions)?;
        self.check_termination(&read.transitions)?;
        let mut all = Vec::new();
        for transition in without_subsumed(&mut self.compiler, read.transitions)? {
            all.push(self.compile_transition(&transition)?);
        }
        self.transitions = all;
        Ok(())
    }

    /// Checks that every move lowers the termination measure, in lexicographic
    /// order of its levels.
    fn check_termination(&mut self, all: &[Transition<Integers>]) -> Result<(), ProveError> {
        let nowhere: Span = (0, 0).into();
        if !self.game.facts.termination.named.is_empty() {
            // The checker verified the measure that the file names.
            return Ok(());
        }
        if self.game.facts.termination.levels.is_empty() {
            return Err(Unsupported::new("play need not end", nowhere).into());
        }
        // Every move is taken to lower some heap.
        let mut weights = self.game.facts.termination.levels.iter().flatten();
        if weights.any(|weight| *weight < 0) {
            let what = "play ends because heaps of bounded size grow";
            return Err(Unsupported::new(what, nowhere).into());
        }
        for transition in all {
            let mut lower = Vec::new();
            let mut equal = Vec::new();
            for weights in &self.game.facts.termination.levels {
                let change = weight_change(transition, weights);
                let compared = change.and_then(|change| {
                    let falls = compare(&change, Order::Less, &constant(0))?;
                    Some((falls, compare(&change, Order::Equal, &constant(0))?))
                });
                let Some((falls, stays)) = compared else {
                    return Err(Unsupported::too_large(
                        "the weights of the termination measure \
                                                       overflow",
                        transition.span,
                    )
                    .into());
                };
                lower.push(Formula::and(equal.iter().cloned().chain([falls])));
                equal.push(stays);
            }
            let rises = Formula::and([
                self.positions.clone(),
                transition.formula.clone(),
                Formula::or(lower).negated(),
            ]);
            if !self.compiler.automaton(&rises)?.is_empty() {
                let what = "a move need not lower the termination measure";
                return Err(Unsupported::new(what, transition.span).into());
            }
        }
        Ok(())
    }

    fn compile_transition(
        &mut self,
        transition: &Transition<Integers>,
    ) -> Result<CompiledTransition, ProveError> {
        let relation = self.compiler.automaton(&transition.formula)?;
        let changes = Formula::or(transition.touched.iter().filter_map(|heap| {
            compare(
                &variable(of_heap_after(*heap)),
                Order::Less,
                &variable(of_heap(*heap)),
            )
        }));
        let parts = match &transition.formula {
            Formula::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        // If no heap may grow, the conjunct "some heap changes" excludes only
        // the identity.
        let kept: Vec<Formula> = parts.iter().filter(|p| **p != changes).cloned().collect();
        let falls = transition.touched.iter().all(|heap| {
            compare(
                &variable(of_heap_after(*heap)),
                Order::AtMost,
                &variable(of_heap(*heap)),
            )
            .is_some_and(|at_most| kept.contains(&at_most))
        });
        let may_be_identity = falls && kept.len() < parts.len();
        let parts = if may_be_identity { kept } else { parts };
        let parts: Result<Vec<_>, LimitExceeded> = parts
            .iter()
            .map(|part| self.compiler.automaton(part))
            .collect();
        Ok(CompiledTransition {
            touched: transition.touched.clone(),
            relation,
            parts: parts?,
            may_be_identity,
        })
    }

    /// Renames the tracks of a set to those of the heaps after a transition.
    /// `value` renames the track of a value.
    fn after(
        &self,
        set: &Dfa,
        transition: &CompiledTransition,
        value: Option<(Track, Track)>,
    ) -> Result<Dfa, LimitExceeded> {
        let name = |track: Track| match value {
            Some((from, to)) if track == from => to,
            _ if track.is_multiple_of(2)
                && transition.touched.contains(&usize::from(track / 2)) =>
            {
                track + 1
            }
            _ => track,
        };
        set.renamed(&name, &self.compiler.budget)
    }

    /// The position of a witness, before or after a transition; `None` if a size exceeds
    /// 64 bits.
    fn position(&self, witness: &Witness, after: Option<&CompiledTransition>) -> Option<Vec<u64>> {
        (0..self.game.heap_count())
            .map(|heap| match after {
                Some(transition) if transition.touched.contains(&heap) => {
                    witness.number(of_heap_after(heap))
                }
                _ => witness.number(of_heap(heap)),
            })
            .collect()
    }

    /// The positions of a witness before and after a transition.
    fn failing(&self, witness: &Witness, after: Option<&CompiledTransition>) -> FailingPositions {
        let before = self.position(witness, None);
        let after = after.and_then(|transition| self.position(witness, Some(transition)));
        before.into_iter().chain(after).collect()
    }

    /// Returns a move from a position of `from` to one of `to`, if there is one.
    /// Both may have one further track, the value, which is equal in both.
    pub(super) fn move_between(
        &self,
        from: &Dfa,
        to: &Dfa,
    ) -> Result<Option<FailingPositions>, LimitExceeded> {
        let budget = &self.compiler.budget;
        for transition in &self.transitions {
            let moves = from.and(&transition.relation, budget)?;
            if moves.is_empty() {
                continue;
            }
            let into = self.after(to, transition, None)?;
            if let Some(witness) = moves.and_unminimised(&into, budget)?.witness() {
                return Ok(Some(self.failing(&witness, Some(transition))));
            }
        }
        Ok(None)
    }

    /// The positions of `rest` without a move into `to`. The two sets must be
    /// disjoint, because an identity move may be counted. `value` renames the
    /// value track of `to` to that of `rest`.
    pub(super) fn without_move_into(
        &self,
        rest: &Dfa,
        to: &Dfa,
        value: Option<(Track, Track)>,
    ) -> Result<Dfa, LimitExceeded> {
        let mut rest = rest.clone();
        for transition in &self.transitions {
            if rest.is_empty() {
                break;
            }
            let predecessors = self.predecessors(transition, to, value, true)?;
            rest = rest.and_not(&predecessors, &self.compiler.budget)?;
        }
        Ok(rest)
    }

    /// The preimage of a set under a transition.
    fn predecessors(
        &self,
        transition: &CompiledTransition,
        to: &Dfa,
        value: Option<(Track, Track)>,
        may_be_identity: bool,
    ) -> Result<Arc<Dfa>, LimitExceeded> {
        let mut parts = if may_be_identity && transition.may_be_identity {
            transition.parts.clone()
        } else {
            vec![transition.relation.clone()]
        };
        parts.push(Arc::new(self.after(to, transition, value)?));
        let after: Vec<Track> = transition
            .touched
            .iter()
            .map(|h| of_heap_after(*h))
            .collect();
        self.compiler.exists(parts, &after)
    }

    /// The preimage of a set under all transitions: the positions with a move
    /// into it.
    pub(super) fn predecessors_of(&self, to: &Dfa) -> Result<Dfa, LimitExceeded> {
        let mut all = Dfa::constant(self.compiler.numeration, false);
        for transition in &self.transitions {
            let predecessors = self.predecessors(transition, to, None, false)?;
            all = all.or(&predecessors, &self.compiler.budget)?;
        }
        Ok(all)
    }

    /// The relation of all moves into a set, over all heaps before and after.
    pub(super) fn moves_into(&mut self, to: &Dfa) -> Result<Dfa, LimitExceeded> {
        let moves = self.all_moves(&self.domain.clone())?;
        let budget = &self.compiler.budget;
        moves.and(&to.renamed(&|track| track + 1, budget)?, budget)
    }

    /// The positions outside a set that are no option of a position in it.
    pub(super) fn not_reached_from(&self, set: &Dfa) -> Result<Dfa, LimitExceeded> {
        let budget = &self.compiler.budget;
        let mut rest = self.domain.and_not(set, budget)?;
        for transition in &self.transitions {
            if rest.is_empty() {
                break;
            }
            let from: Vec<Track> = transition.touched.iter().map(|h| of_heap(*h)).collect();
            let parts = vec![transition.relation.clone(), Arc::new(set.clone())];
            let reached = self.compiler.exists(parts, &from)?;
            let name = |track: Track| match usize::from(track / 2) {
                heap if track % 2 == 1 && transition.touched.contains(&heap) => track - 1,
                _ => track,
            };
            rest = rest.and_not(&reached.renamed(&name, budget)?, budget)?;
        }
        Ok(rest)
    }

    /// The relation of all moves from a set, over all heaps before and after.
    pub(super) fn all_moves(&mut self, from: &Dfa) -> Result<Dfa, LimitExceeded> {
        let numeration = self.compiler.numeration;
        let mut all = Dfa::constant(numeration, false);
        for transition in &self.transitions {
            let still =
                (0..self.game.heap_count()).filter(|heap| !transition.touched.contains(heap));
            let still = still.filter_map(|heap| {
                let (before, after) = (of_heap(heap), of_heap_after(heap));
                compare(&variable(after), Order::Equal, &variable(before))
            });
            let still = self.compiler.automaton(&Formula::and(still))?;
            let budget = &self.compiler.budget;
            let moves = transition.relation.and(from, budget)?.and(&still, budget)?;
            all = all.or(&moves, budget)?;
        }
        Ok(all)
    }

    /// The positions of `says` at which the move to given sizes is not legal, or does not lead
    /// into a set. `sizes` says of each heap after the move how large it is.
    pub(super) fn without_this_move(
        &mut self,
        says: &Formula,
        sizes: &[Formula],
        to: &Dfa,
    ) -> Result<Dfa, LimitExceeded> {
        let says = self.compiler.automaton(says)?;
        let mut rest = self.domain.and(&says, &self.compiler.budget)?;
        let mut of_sizes = Vec::new();
        for size in sizes {
            of_sizes.push(self.compiler.automaton(size)?);
        }
        let after: Vec<Track> = (0..sizes.len()).map(of_heap_after).collect();
        for place in 0..self.transitions.len() {
            if rest.is_empty() {
                break;
            }
            let mut parts = of_sizes.clone();
            for heap in 0..sizes.len() {
                if self.transitions[place].touched.contains(&heap) {
                    continue;
                }
                let (before, after) = (variable(of_heap(heap)), variable(of_heap_after(heap)));
                if let Some(same) = compare(&after, Order::Equal, &before) {
                    parts.push(self.compiler.automaton(&same)?);
                }
            }
            let transition = &self.transitions[place];
            parts.push(transition.relation.clone());
            parts.push(Arc::new(self.after(to, transition, None)?));
            parts.push(Arc::new(rest.clone()));
            let moves = self.compiler.exists(parts, &after)?;
            rest = rest.and_not(&moves, &self.compiler.budget)?;
        }
        Ok(rest)
    }

    /// The positions that are not terminal.
    pub(super) fn nonterminal(&self) -> Result<Dfa, LimitExceeded> {
        let mut all = Dfa::constant(self.compiler.numeration, false);
        for transition in &self.transitions {
            let after: Vec<Track> = transition
                .touched
                .iter()
                .map(|h| of_heap_after(*h))
                .collect();
            let from = transition.relation.project(&after, &self.compiler.budget)?;
            all = all.or(&from, &self.compiler.budget)?;
        }
        Ok(all)
    }

    /// Whether a set has this position.
    pub(super) fn contains(&self, set: &Dfa, position: &[u64]) -> bool {
        let sizes = position.iter().enumerate();
        let sizes: Vec<(Track, u64)> = sizes.map(|(heap, size)| (of_heap(heap), *size)).collect();
        set.accepts(&sizes)
    }

    /// A shortest accepted position of a set; `None` if it is empty.
    pub(super) fn first_position(&self, set: &Dfa) -> Option<FailingPositions> {
        set.witness().map(|witness| self.failing(&witness, None))
    }
}

/// The change of a weighted total by a transition.
fn weight_change(transition: &Transition<Integers>, weights: &[i64]) -> Option<Sum> {
    let mut change = constant(0);
    for heap in &transition.touched {
        let weight = *weights.get(*heap)?;
        let after = times(&variable(of_heap_after(*heap)), weight)?;
        let before = times(&variable(of_heap(*heap)), -weight)?;
        change = plus(&change, &plus(&after, &before)?)?;
    }
    Some(change)
}

/// Checks that no fault occurs at any position.
fn check_no_faults(
    compiler: &mut Compiler,
    faults: &[Fault<Integers>],
    positions: &Formula,
) -> Result<(), ProveError> {
    // Equal conditions are compiled once.
    for fault in faults {
        let condition = Formula::and([positions.clone(), fault.condition.clone()]);
        if !compiler.automaton(&condition)?.is_empty() {
            return Err(fault.refused().into());
        }
    }
    Ok(())
}

/// Subsumed transitions are removed if there are more than the first number, and
/// at most the second: beyond that the search costs more than it saves.
const FEW_TRANSITIONS: usize = 6;
const MANY_TRANSITIONS: usize = 200;

/// The transitions without those that another one includes.
fn without_subsumed(
    compiler: &mut Compiler,
    all: Vec<Transition<Integers>>,
) -> Result<Vec<Transition<Integers>>, LimitExceeded> {
    if all.len() <= FEW_TRANSITIONS || all.len() > MANY_TRANSITIONS {
        return Ok(all);
    }
    let mut dropped = vec![false; all.len()];
    for (place, transition) in all.iter().enumerate() {
        for wider in &all {
            let is_subset = wider.touched.len() > transition.touched.len()
                && transition
                    .touched
                    .iter()
                    .all(|heap| wider.touched.contains(heap));
            if !is_subset {
                continue;
            }
            // The wider transition, restricted to the heaps of this one.
            let mut stays = vec![wider.formula.clone()];
            let others = wider
                .touched
                .iter()
                .filter(|h| !transition.touched.contains(h));
            let mut own = Vec::new();
            for heap in others {
                let (before, after) = (of_heap(*heap), of_heap_after(*heap));
                if let Some(same) = compare(&variable(after), Order::Equal, &variable(before)) {
                    stays.push(same);
                }
                own.push(after);
            }
            let narrowed = Formula::exists(own, Formula::and(stays));
            let (narrow, narrowed) = (
                compiler.automaton(&transition.formula)?,
                compiler.automaton(&narrowed)?,
            );
            if narrow
                .difference_witness(&narrowed, &compiler.budget)?
                .is_none()
            {
                dropped[place] = true;
                break;
            }
        }
    }
    let mut kept = all;
    let mut drop = dropped.into_iter();
    kept.retain(|_| !drop.next().unwrap_or(false));
    Ok(kept)
}
