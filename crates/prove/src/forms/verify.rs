//! The verification of candidate forms: a form is parsed, compiled and compared
//! with the automaton of the set.

use crate::compile::Compiler;
use crate::forms::Form;
use crate::hypergraph_nim::{MAX_HEAPS, of_game};
use crate::integers::{Formula, IntegerInterpreter, Integers};
use crate::symbolic::formula::of_heap;
use nimrule_automata::{Dfa, Numeration, TableDfa};
use nimrule_elaborate::condition_in;
use nimrule_ir::{self as ir, Hyperedges};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::Bool;
use nimrule_model::game::{Arrangement, Game, PositionKind};
use nimrule_syntax::parse_condition;
use std::rc::Rc;

/// A set of positions, with the compiler of candidate forms.
pub struct FormVerifier<'g> {
    pub game: &'g Game,
    /// The arrangement of the board, if empty heaps vanish.
    pub arrangement: Option<Arrangement>,
    pub compiler: Compiler,
    pub set: Rc<Dfa>,
    /// The set as a table, for sampling positions.
    pub table: TableDfa,
}

/// The sets of the disjuncts of a condition.
type Alternatives = Vec<Rc<Dfa>>;

impl<'g> FormVerifier<'g> {
    /// Returns `None` if no family of forms applies to such a set.
    pub fn new(game: &'g Game, set: &Dfa, limits: &Limits) -> Result<Option<Self>, LimitExceeded> {
        let heaps = game.heap_count();
        let numeration = set.numeration();
        let fits = matches!(game.position_kind, PositionKind::Heaps)
            && game.positions.is_none()
            && matches!(numeration, Numeration::Base(_))
            && (1..=MAX_HEAPS).contains(&heaps);
        let arrangement = arrangement(game);
        if !fits || game.shrinking.is_some() && arrangement.is_none() {
            return Ok(None);
        }
        Ok(of_game::table(game, set).map(|table| FormVerifier {
            game,
            arrangement,
            compiler: Compiler::new(numeration, limits),
            set: Rc::new(set.clone()),
            table,
        }))
    }

    pub fn accepts(&self, position: &[u64]) -> bool {
        self.table.accepts(position)
    }

    fn read(&self, words: &str) -> Option<(Bool, Formula)> {
        let tree = parse_condition(words).ok()?;
        let condition = condition_in(self.game, &tree, words).ok()?;
        let numeration = self.compiler.numeration;
        let mut reader = IntegerInterpreter::of_heaps(self.game, Integers { numeration });
        let formula = reader.condition(&condition).ok()?;
        reader
            .faults
            .is_empty()
            .then_some((condition.node, formula))
    }

    fn compiled(&mut self, formula: &Formula) -> Result<Alternatives, LimitExceeded> {
        match formula {
            Formula::Or(any) => any.iter().map(|one| self.compiler.automaton(one)).collect(),
            one => Ok(vec![self.compiler.automaton(one)?]),
        }
    }

    /// Compiles each disjunct of a form; `None` if it cannot be compiled.
    pub fn alternatives(&mut self, words: &str) -> Result<Option<Alternatives>, LimitExceeded> {
        match self.read(words) {
            Some((_, formula)) => Ok(Some(self.compiled(&formula)?)),
            None => Ok(None),
        }
    }

    /// Compiles a form to one automaton.
    pub fn region(&mut self, words: &str) -> Result<Option<Rc<Dfa>>, LimitExceeded> {
        match self.alternatives(words)? {
            Some(any) => Ok(Some(self.compiler.disjunction(any)?)),
            None => Ok(None),
        }
    }

    /// A position of a set with the fewest digits.
    pub fn some_position(&self, of: &Dfa) -> Option<Vec<u64>> {
        let witness = of.witness()?;
        (0..self.game.heap_count())
            .map(|heap| witness.number(of_heap(heap)))
            .collect()
    }

    /// Returns the form if it is equal to the set: each disjunct is included in
    /// the set, and their union covers it.
    pub fn proved(&mut self, words: String) -> Result<Option<Form>, LimitExceeded> {
        let Some((condition, formula)) = self.read(&words) else {
            return Ok(None);
        };
        let parts = self.compiled(&formula)?;
        let budget = &self.compiler.budget;
        let mut rest = self.set.clone();
        for part in parts {
            if part.difference_witness(&self.set, budget)?.is_some() {
                return Ok(None);
            }
            rest = Rc::new(rest.and_not(&part, budget)?);
        }
        Ok(rest.is_empty().then_some(Form { words, condition }))
    }
}

/// How a board on which empty heaps vanish closes up.
fn arrangement(game: &Game) -> Option<Arrangement> {
    game.shrinking?;
    let graph = ir::lower(game);
    match ir::profile(&graph, &game.termination).hyperedges.ok()? {
        Hyperedges::Remaining { around, .. } => Some(around),
        Hyperedges::Fixed(_) => None,
    }
}
