//! Enumeration of the positions that `positions where` allows in a box, by
//! backtracking.
//!
//! The condition is split into conjuncts, of which a `forall` over constant numbers has one
//! for each. The sizes of the heaps are assigned in order, and a conjunct is evaluated as soon
//! as the last heap that it reads has a size, so that it prunes whole ranges of
//! positions. Bounds propagation on conjuncts such as `r[i] < 9` or
//! `sum(heaps) == 12` yields a box that contains all positions of the game.

use crate::{Limits, Shape, SolveError};
use nimrule_ir::conjuncts;
use nimrule_limits::Steps;
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Bool, Environment, Expr, Part};
use nimrule_model::game::Game;

/// A callback for positions and their places. An error ends the enumeration.
type Visit<'v> = dyn FnMut(&[u64], usize) -> Result<(), SolveError> + 'v;

/// The condition of `positions where`, as a list of conjuncts.
pub struct AllowedPositions<'g> {
    game: &'g Game,
    parts: Vec<Conjunct>,
}

/// A conjunct, with the index of the last heap that it reads.
#[derive(Debug, Clone)]
struct Conjunct {
    condition: Expr<Bool>,
    last: usize,
}

impl<'g> AllowedPositions<'g> {
    pub fn of(game: &'g Game) -> AllowedPositions<'g> {
        let condition = game.positions.as_ref();
        let conditions = condition.map(|condition| conjuncts(game, condition));
        let parts = conditions.into_iter().flatten().map(|condition| Conjunct {
            last: last_heap(game, Part::Bool(&condition)),
            condition,
        });
        AllowedPositions {
            game,
            parts: parts.collect(),
        }
    }

    /// Whether there is a condition.
    pub fn excludes(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Lowers the upper bounds of the heap sizes by propagation of the condition.
    /// `None` means unbounded.
    pub fn bound(&self, most: &mut [Option<u64>]) {
        let mut known = IntervalEnvironment::of_one_position(self.game.slots);
        for (heap, most) in self.game.heaps().zip(&*most) {
            if let Some(most) = most {
                known.set_heap(heap, Interval::new(0, i128::from(*most)));
            }
        }
        // Each round may pass a bound on to one more heap.
        for _ in 0..=most.len() {
            for part in &self.parts {
                known.propagate(&part.condition);
            }
            let mut is_lower = false;
            for (heap, most) in self.game.heaps().zip(&mut *most) {
                // A negative bound means that the box is empty.
                let high = u64::try_from(known.heap(heap).high.max(0)).ok();
                let lower = high.or(*most);
                is_lower |= lower != *most;
                *most = lower;
            }
            if !is_lower {
                break;
            }
        }
    }

    /// Calls `visit` with the allowed positions of a box, in order.
    pub fn each(
        &self,
        shape: &Shape,
        limits: &Limits,
        visit: &mut Visit<'_>,
    ) -> Result<(), SolveError> {
        let mut parts: Vec<Vec<&Conjunct>> = vec![Vec::new(); shape.most.len()];
        for part in &self.parts {
            if let Some(list) = parts.get_mut(part.last) {
                list.push(part);
            }
        }
        let mut descent = Descent {
            game: self.game,
            shape,
            limits,
            parts,
            position: vec![0; shape.most.len()],
            locals: vec![0; self.game.slots],
            faults: 0,
            visited: 0,
        };
        descent.from(0, 0, visit)
    }
}

/// The index of the last heap that an expression may read.
fn last_heap(game: &Game, part: Part<'_>) -> usize {
    let own = match part.own_reads().heaps() {
        Some(read) => read.map(|heap| heap.index()).max().unwrap_or(0),
        None => game.heap_count().saturating_sub(1),
    };
    let below = part.children();
    below.fold(own, |last, child| last.max(last_heap(game, child)))
}

/// The state of the backtracking.
struct Descent<'d, 'g> {
    game: &'g Game,
    shape: &'d Shape,
    limits: &'d Limits,
    /// By heap, the conjuncts that are evaluated when the heap has a size.
    parts: Vec<Vec<&'d Conjunct>>,
    position: Vec<u64>,
    locals: Vec<i64>,
    /// The number of conjuncts on the current path that have a fault. Another
    /// conjunct may guard them, so that the whole condition must be evaluated.
    faults: usize,
    visited: u64,
}

impl Descent<'_, '_> {
    fn from(&mut self, heap: usize, place: usize, visit: &mut Visit<'_>) -> Result<(), SolveError> {
        if heap == self.position.len() {
            if self.faults > 0 && !self.whole()? {
                return Ok(());
            }
            return visit(&self.position, place);
        }
        for size in 0..=self.shape.most[heap] {
            self.visited += 1;
            if self.visited.is_multiple_of(1 << 14) {
                self.limits.check_work(Steps(300))?;
            }
            self.position[heap] = size;
            if let Some(faults) = self.allows(heap) {
                self.faults += faults;
                let place = place + size as usize * self.shape.strides[heap];
                self.from(heap + 1, place, visit)?;
                self.faults -= faults;
            }
        }
        self.position[heap] = 0;
        Ok(())
    }

    /// Evaluates the conjuncts of a heap: `None` if one of them is false, otherwise the
    /// number of conjuncts with a fault.
    fn allows(&mut self, heap: usize) -> Option<usize> {
        let mut faults = 0;
        for part in &self.parts[heap] {
            let mut environment = Environment {
                position: &self.position,
                locals: &mut self.locals,
                kinds: &[],
                picks: &[],
                amounts: &[],
                symmetries: &self.game.facts.symmetries,
                steps: 0,
            };
            match part.condition.eval(&mut environment) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => faults += 1,
            }
        }
        Some(faults)
    }

    /// Evaluates the whole condition.
    fn whole(&mut self) -> Result<bool, SolveError> {
        let Some(condition) = &self.game.positions else {
            return Ok(true);
        };
        let mut environment = Environment {
            position: &self.position,
            locals: &mut self.locals,
            kinds: &[],
            picks: &[],
            amounts: &[],
            symmetries: &self.game.facts.symmetries,
            steps: 0,
        };
        condition
            .eval(&mut environment)
            .map_err(|fault| SolveError::Fault {
                fault,
                position: self.position.clone(),
            })
    }
}
