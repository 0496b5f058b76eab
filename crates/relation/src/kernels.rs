//! The kernels of a digraph.
//!
//! A *kernel* is a set of states that is independent (no arc joins two of them)
//! and absorbing (every other state has an arc into it) (J. von Neumann and
//! O. Morgenstern, 1944). It is the set of lost states of a *consistent
//! labelling*: a state is won if and only if it has an arc to a lost state. An
//! acyclic digraph has exactly one kernel. A digraph with cycles may have many
//! or none; without a cycle of odd length it has at least one (M. Richardson,
//! Solutions of irreflexive relations, 1953).
//!
//! The states that [`retrograde`](crate::retrograde) labels are *forced*: they
//! have the same label for every kernel. The kernels of the other states, the
//! *open* ones, are counted (`count`), enumerated by a SAT solver (`sat`), or
//! proved not to exist, with an unsatisfiable core (`core`).

mod core;
mod count;
mod isomorphism;
mod sat;

pub use self::core::{Core, Minimality};
pub use count::Count;
#[doc(hidden)]
pub use isomorphism::classes_within;
pub use isomorphism::{ComparisonBound, IsomorphismClasses, isomorphism_classes};

use super::{Counts, Label, Labels, Relation, Terminal};
use sat::{Literal, Solver, negative, positive};
use std::ops::Range;

/// The number of conflicts after which the solver gives up.
pub const MOST_CONFLICTS: u64 = 300_000;

/// The reason why a search has no answer.
enum Halt<E> {
    GaveUp,
    Stopped(E),
}

/// The answer; `None` if the search gave up.
fn unless_gave_up<T, E>(found: Result<T, Halt<E>>) -> Result<Option<T>, E> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Halt::GaveUp) => Ok(None),
        Err(Halt::Stopped(stop)) => Err(stop),
    }
}

/// An assignment that satisfies all clauses, if there is one.
fn solve<E>(
    solver: &mut Solver,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<bool>>, Halt<E>> {
    let before = solver.conflicts;
    solver.solve(&mut |conflicts| {
        if conflicts - before > MOST_CONFLICTS {
            return Err(Halt::GaveUp);
        }
        pause().map_err(Halt::Stopped)
    })
}

/// A kernel: whether each state is lost.
pub type Kernel = Vec<bool>;

/// The kernels of a digraph.
pub struct Kernels<'r> {
    relation: &'r Relation,
    /// The labels of the forced states; the open states are draws.
    forced: Labels,
    /// The open states.
    open: Vec<u32>,
    /// The place of each state in `open`; [`FORCED`] if it is forced.
    places: Vec<u32>,
}

const FORCED: u32 = u32::MAX;

/// Whether a digraph is a cogame: for every kernel, every won state has a lost
/// predecessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cogame {
    /// The digraph is a cogame.
    Yes,
    /// For this kernel this state is won, and has no lost predecessor. It is the first such
    /// state of any kernel, unless the solver gave up.
    No {
        /// The kernel.
        lost: Kernel,
        /// The won state.
        state: usize,
    },
    /// There is no kernel.
    NoKernel,
}

impl<'r> Kernels<'r> {
    /// Labels the forced states.
    ///
    /// `pause`, here and below, is called at intervals; its error stops the
    /// computation.
    ///
    /// # Errors
    ///
    /// Those of `pause`; so in all functions below.
    pub fn new<E>(
        relation: &'r Relation,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Kernels<'r>, E> {
        let forced = relation.labels(Terminal::Loses, pause)?;
        let mut open = Vec::new();
        let mut places = vec![FORCED; relation.states()];
        for (state, place) in places.iter_mut().enumerate() {
            if forced.of(state) == Label::Draw {
                *place = open.len() as u32;
                open.push(state as u32);
            }
        }
        Ok(Kernels {
            relation,
            forced,
            open,
            places,
        })
    }

    /// The numbers of forced states that are won and lost, and of open states
    /// (as draws).
    pub fn forced(&self) -> Counts {
        self.forced.counts()
    }

    /// The label of a forced state; [`Label::Draw`] for an open one.
    pub fn label(&self, state: usize) -> Label {
        self.forced.of(state)
    }

    /// The open options of an open state; its other options are won.
    fn options(&self, place: usize) -> impl Iterator<Item = usize> {
        let state = self.open[place] as usize;
        let options = self.relation.from(state).iter();
        options
            .map(|to| self.places[*to as usize])
            .filter(|to| *to != FORCED)
            .map(|to| to as usize)
    }

    /// The clauses of the open states; a variable is true if its state is lost.
    fn rules(&self) -> Solver {
        let mut solver = Solver::new(self.open.len());
        for place in 0..self.open.len() {
            add_rule(&mut solver, place, self.options(place));
        }
        solver
    }

    /// The kernel of an assignment to the open states.
    fn labelling(&self, values: &[bool]) -> Kernel {
        (0..self.relation.states())
            .map(|state| match self.forced.of(state) {
                Label::Lose(_) => true,
                Label::Win(_) => false,
                Label::Draw => values[self.places[state] as usize],
            })
            .collect()
    }

    /// At most `most` kernels, and whether the search was complete: false if
    /// the solver gave up.
    pub fn find<E>(
        &self,
        most: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(Vec<Kernel>, bool), E> {
        let mut solver = self.rules();
        let mut found = Vec::new();
        while found.len() < most {
            let values = match unless_gave_up(solve(&mut solver, pause))? {
                None => return Ok((found, false)),
                Some(None) => break,
                Some(Some(values)) => values,
            };
            // No other kernel contains all of these states.
            let another: Vec<Literal> = (0..self.open.len())
                .filter(|place| values[*place])
                .map(negative)
                .collect();
            found.push(self.labelling(&values));
            solver.add_clause(&another);
        }
        Ok((found, true))
    }

    /// The number of kernels.
    pub fn count<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Count, E> {
        count::count(self, pause)
    }

    /// The reason why there is no kernel; `None` if the solver gave up.
    ///
    /// # Panics
    ///
    /// If there is a kernel.
    pub fn core<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Option<Core>, E> {
        self::core::core(self, pause)
    }

    /// Returns whether the digraph is a cogame; `None` if the solver gave up.
    pub fn cogame<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Option<Cogame>, E> {
        self.cogame_among(0..self.relation.states(), pause)
    }

    /// [`Kernels::cogame`] for a range of states only.
    pub fn cogame_among<E>(
        &self,
        states: Range<usize>,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Option<Cogame>, E> {
        let mut solver = self.rules();
        let Some(values) = unless_gave_up(solve(&mut solver, pause))? else {
            return Ok(None);
        };
        let Some(values) = values else {
            return Ok(Some(Cogame::NoKernel));
        };
        let reverse = self.relation.reverse();
        // The states that may be won without a lost predecessor, each with the
        // open states that must be won for it.
        let mut candidates: Vec<(usize, Vec<usize>)> = Vec::new();
        // The first of them that is a counterexample of some kernel found so far.
        let mut best: Option<(usize, Kernel)> = None;
        for state in states {
            let before = reverse.before(state);
            let comes_from_lost =
                |from: &u32| matches!(self.forced.of(*from as usize), Label::Lose(_));
            if matches!(self.forced.of(state), Label::Lose(_)) || before.iter().any(comes_from_lost)
            {
                continue;
            }
            let open = before.iter().map(|from| self.places[*from as usize]);
            let mut won: Vec<usize> = open.filter(|p| *p != FORCED).map(|p| p as usize).collect();
            if self.places[state] != FORCED {
                won.push(self.places[state] as usize);
            }
            let is_found = won.iter().all(|place| !values[*place]);
            candidates.push((state, won));
            if is_found {
                best = Some((candidates.len() - 1, self.labelling(&values)));
                break;
            }
        }
        // A variable for each candidate, which implies that it is a
        // counterexample; and one of the variables before the best is true.
        let mut solver = Solver::new(self.open.len() + candidates.len());
        for place in 0..self.open.len() {
            add_rule(&mut solver, place, self.options(place));
        }
        let selectors = self.open.len()..self.open.len() + candidates.len();
        for (variable, (_, won)) in selectors.clone().zip(&candidates) {
            for place in won {
                solver.add_clause(&[negative(variable), negative(*place)]);
            }
        }
        loop {
            let before = best.as_ref().map_or(candidates.len(), |(place, _)| *place);
            let one: Vec<Literal> = selectors.clone().take(before).map(positive).collect();
            solver.add_clause(&one);
            match unless_gave_up(solve(&mut solver, pause))? {
                None if best.is_none() => return Ok(None),
                None | Some(None) => break,
                Some(Some(values)) => {
                    let is_found =
                        |(_, won): &(usize, Vec<usize>)| won.iter().all(|place| !values[*place]);
                    let place = candidates.iter().position(is_found);
                    let place = place.expect("one of the selectors is true");
                    best = Some((place, self.labelling(&values)));
                }
            }
        }
        Ok(Some(match best {
            None => Cogame::Yes,
            Some((place, lost)) => Cogame::No {
                lost,
                state: candidates[place].0,
            },
        }))
    }
}

/// Adds the rule of a state: either it is lost, or one of its options is.
fn add_rule(solver: &mut Solver, state: usize, options: impl Iterator<Item = usize>) {
    let mut one = vec![positive(state)];
    for option in options {
        if option == state {
            solver.add_clause(&[negative(state)]);
        } else {
            solver.add_clause(&[negative(state), negative(option)]);
            one.push(positive(option));
        }
    }
    solver.add_clause(&one);
}

/// The first state at which a labelling is inconsistent, and whether the state
/// would have to be lost; `None` if the lost states are a kernel.
pub fn first_inconsistency(
    relation: &Relation,
    lost: impl Fn(usize) -> bool,
) -> Option<(usize, bool)> {
    (0..relation.states()).find_map(|state| {
        let mut options = relation.from(state).iter();
        let must_be = !options.any(|to| lost(*to as usize));
        (lost(state) != must_be).then_some((state, must_be))
    })
}
