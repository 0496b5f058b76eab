//! A SAT solver that is interrupted at intervals: `batsat`, a port of MiniSat (N. Eén and
//! N. Sörensson, An extensible SAT-solver, 2003).

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, Var, lbool};
use std::cell::Cell;

pub use batsat::Lit as Literal;

fn variable(index: usize) -> Var {
    Var::unsafe_from_idx(index as u32)
}

/// The literal that the variable with this index is true.
pub fn positive(index: usize) -> Literal {
    Lit::new(variable(index), true)
}

/// The literal that the variable with this index is false.
pub fn negative(index: usize) -> Literal {
    Lit::new(variable(index), false)
}

/// The conflicts and the steps until the solver is interrupted.
const CONFLICTS: u64 = 256;
const STEPS: u64 = 1 << 16;

/// Counts the work since the last interruption.
#[derive(Default)]
struct Counter {
    conflicts: u64,
    steps: Cell<u64>,
}

impl Callbacks for Counter {
    fn on_start(&mut self) {
        *self = Counter::default();
    }

    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(matches!(kind, ClauseKind::Learnt));
    }

    fn stop(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.conflicts >= CONFLICTS || self.steps.get() >= STEPS
    }
}

/// Clauses over variables.
pub struct Solver {
    solver: batsat::Solver<Counter>,
    variables: usize,
    /// The number of conflicts so far.
    pub conflicts: u64,
}

impl Solver {
    pub fn new(variables: usize) -> Solver {
        let mut solver = batsat::Solver::new(SolverOpts::default(), Counter::default());
        for _ in 0..variables {
            solver.new_var_default();
        }
        Solver {
            solver,
            variables,
            conflicts: 0,
        }
    }

    /// Adds a clause.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }

    /// An assignment that satisfies all clauses, if there is one.
    ///
    /// `pause` is called at intervals with the number of conflicts; its error stops the
    /// search.
    pub fn solve<E>(
        &mut self,
        pause: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<Option<Vec<bool>>, E> {
        loop {
            let result = self.solver.solve_limited(&[]);
            self.conflicts = self.solver.num_conflicts();
            if result == lbool::FALSE {
                return Ok(None);
            }
            if result == lbool::TRUE {
                let value = |index| self.solver.value_var(variable(index)) == lbool::TRUE;
                return Ok(Some((0..self.variables).map(value).collect()));
            }
            pause(self.conflicts)?;
        }
    }
}
