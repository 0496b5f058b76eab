//! Enumeration of the positions that `positions where` allows in a box, by
//! backtracking.
//!
//! The condition is split into conjuncts; a `forall` over a constant set is expanded.
//! The sizes of the heaps are assigned in order, and a conjunct is evaluated as soon
//! as the last heap that it reads has a size, so that it prunes whole ranges of
//! positions. Bounds propagation on conjuncts such as `r[i] < 9` or
//! `sum(heaps) == 12` yields a box that contains all positions of the game.

use crate::{Limits, Shape, SolveError};
use nimrule_limits::Steps;
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Bool, Environment, Expr, Num, Part, Quantifier, Set, Slot};
use nimrule_model::game::Game;

/// A callback for positions and their places. An error ends the enumeration.
type Visit<'v> = dyn FnMut(&[u64], usize) -> Result<(), SolveError> + 'v;

/// The largest number of conjuncts; a `forall` is not expanded beyond it.
const MOST_PARTS: usize = 10_000;
/// The largest set over which a `forall` is expanded.
const MOST_MEMBERS: usize = 1_000;

/// The condition of `positions where`, as a list of conjuncts.
pub struct AllowedPositions<'g> {
    game: &'g Game,
    parts: Vec<Conjunct<'g>>,
}

/// A conjunct, with the values of the variables of expanded quantifiers.
#[derive(Debug, Clone)]
struct Conjunct<'g> {
    condition: &'g Bool,
    bound: Vec<(Slot, i64)>,
    /// The index of the last heap that it reads.
    last: usize,
}

impl<'g> AllowedPositions<'g> {
    pub fn of(game: &'g Game) -> AllowedPositions<'g> {
        let mut allowed = AllowedPositions {
            game,
            parts: Vec::new(),
        };
        if let Some(condition) = &game.positions {
            allowed.take_apart(condition, &[]);
        }
        allowed
    }

    /// Whether there is a condition.
    pub fn excludes(&self) -> bool {
        !self.parts.is_empty()
    }

    fn take_apart(&mut self, condition: &'g Bool, bound: &[(Slot, i64)]) {
        match condition {
            Bool::Const(true) => {}
            Bool::And(all) => {
                for part in all {
                    self.take_apart(part, bound);
                }
            }
            Bool::Quantified {
                quantifier: Quantifier::Forall,
                slot,
                set,
                body,
            } if self.parts.len() < MOST_PARTS => match self.members(set, bound) {
                Some(members) => {
                    for member in members {
                        let mut bound = bound.to_vec();
                        bound.push((*slot, member));
                        self.take_apart(body, &bound);
                    }
                }
                None => self.keep(condition, bound),
            },
            _ => self.keep(condition, bound),
        }
    }

    fn keep(&mut self, condition: &'g Bool, bound: &[(Slot, i64)]) {
        self.parts.push(Conjunct {
            condition,
            bound: bound.to_vec(),
            last: self.last_heap(Part::Bool(condition), bound),
        });
    }

    /// Whether an expression has the same value at every position, given the values of
    /// these variables.
    fn is_fixed(part: Part<'_>, bound: &[(Slot, i64)]) -> bool {
        !part.reads_position()
            && !part.any(&mut |part| {
                matches!(part, Part::Num(Num::Local(slot)) if !bound.iter().any(|(s, _)| s == slot))
            })
    }

    /// Evaluates an expression that has the same value at every position.
    fn evaluated<T>(
        &self,
        bound: &[(Slot, i64)],
        evaluate: impl FnOnce(&mut Environment<'_>) -> T,
    ) -> T {
        let mut locals = vec![0; self.game.slots];
        for (slot, value) in bound {
            locals[slot.index()] = *value;
        }
        evaluate(&mut Environment {
            position: &vec![0; self.game.heap_count()],
            locals: &mut locals,
            kinds: &[],
            picks: &[],
            amounts: &[],
            symmetries: &self.game.facts.symmetries,
            steps: 0,
        })
    }

    fn members(&self, set: &Expr<Set>, bound: &[(Slot, i64)]) -> Option<Vec<i64>> {
        if set.is_infinite() || !Self::is_fixed(Part::Set(set), bound) {
            return None;
        }
        self.evaluated(bound, |environment| {
            let mut members = Vec::new();
            let all = set.any_member(environment, &mut |member, _: &mut Environment<'_>| {
                members.push(member);
                Ok(members.len() > MOST_MEMBERS)
            });
            (all == Ok(false)).then_some(members)
        })
    }

    /// The index of the heap that `heaps[index]` denotes, if it is the same at every
    /// position.
    fn heap_at(&self, num: &Num, bound: &[(Slot, i64)]) -> Option<usize> {
        match num {
            Num::Heap(heap) => Some(heap.index()),
            Num::HeapAt {
                heaps,
                first,
                index,
            } if Self::is_fixed(Part::Num(index), bound) => {
                let index = self
                    .evaluated(bound, |environment| index.eval(environment))
                    .ok()?;
                let index = usize::try_from(index.checked_sub(*first)?).ok()?;
                heaps.get(index).map(|heap| heap.index())
            }
            _ => None,
        }
    }

    /// The index of the last heap that an expression may read.
    fn last_heap(&self, part: Part<'_>, bound: &[(Slot, i64)]) -> usize {
        let all = self.game.heap_count().saturating_sub(1);
        let here = match part {
            Part::Num(num @ (Num::Heap(_) | Num::HeapAt { .. })) => {
                self.heap_at(num, bound).unwrap_or(all)
            }
            _ => match part.own_reads().heaps() {
                Some(read) => read.map(|heap| heap.index()).max().unwrap_or(0),
                None => all,
            },
        };
        let below = part.children();
        below.fold(here, |last, child| last.max(self.last_heap(child, bound)))
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
                for (slot, value) in &part.bound {
                    known.set_local(*slot, Interval::point(*value));
                }
                known.propagate(part.condition);
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
        let mut parts: Vec<Vec<&Conjunct<'g>>> = vec![Vec::new(); shape.most.len()];
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

/// The state of the backtracking.
struct Descent<'d, 'g> {
    game: &'g Game,
    shape: &'d Shape,
    limits: &'d Limits,
    /// By heap, the conjuncts that are evaluated when the heap has a size.
    parts: Vec<Vec<&'d Conjunct<'g>>>,
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
            for (slot, value) in &part.bound {
                self.locals[slot.index()] = *value;
            }
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
