//! The labellings that are consistent with a relation.
//!
//! A labelling says of every state whether it is lost or won; it is consistent
//! where exactly those states are won from which an arc leads to a lost one.
//! The lost states are then a kernel of the relation: no arc joins two of
//! them, and from every other state an arc leads to one (J. von Neumann and
//! O. Morgenstern, 1944). A relation that ends has exactly one. Where it does
//! not end there may be many or none; without a cycle of odd length there is
//! one at least (M. Richardson, Solutions of irreflexive relations, 1953).
//!
//! What follows from the end of play is the same in every labelling. What is
//! left undecided is a smaller relation of its own, whose labellings are
//! counted (`count`), found one by one, or shown to be none (`cause`).

mod cause;
mod count;
mod kinds;
mod sat;

pub use cause::{Cause, Least};
pub use count::Count;
pub use kinds::kinds;

use super::{Counts, Label, Labels, Relation, Stuck};
use sat::{Literal, Search};
use std::ops::Range;

/// Contradictions met before a question is given up.
const MOST_CONFLICTS: u64 = 300_000;

/// Why a search has no answer.
enum Halt<E> {
    GivenUp,
    Stopped(E),
}

/// An answer, or none where the question was too hard.
fn unless_given_up<T, E>(found: Result<T, Halt<E>>) -> Result<Option<T>, E> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Halt::GivenUp) => Ok(None),
        Err(Halt::Stopped(stop)) => Err(stop),
    }
}

/// Values that satisfy all clauses of a search.
fn solve<E>(
    search: &mut Search,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<bool>>, Halt<E>> {
    let before = search.conflicts;
    search.solve(&mut |conflicts| {
        if conflicts - before > MOST_CONFLICTS {
            return Err(Halt::GivenUp);
        }
        if conflicts % 256 == 0 {
            pause().map_err(Halt::Stopped)?;
        }
        Ok(())
    })
}

/// A consistent labelling: which states are lost.
pub type Lost = Vec<bool>;

/// The consistent labellings of a relation.
pub struct Kernels<'r> {
    relation: &'r Relation,
    forced: Labels,
    /// The states that nothing forces.
    open: Vec<u32>,
    /// Their places among the open ones.
    places: Vec<u32>,
}

const FORCED: u32 = u32::MAX;

/// Whether every winning state comes from a losing one, in every labelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cogame {
    Yes,
    /// In this labelling this state is won, and no arc leads to it from a lost
    /// one.
    No {
        lost: Lost,
        state: usize,
    },
    /// There is no consistent labelling.
    NoLabelling,
}

impl<'r> Kernels<'r> {
    /// Finds what the end of play forces.
    pub fn new<E>(
        relation: &'r Relation,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Kernels<'r>, E> {
        let forced = relation.labels(Stuck::Loses, pause)?;
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

    /// How many states are won and lost in every labelling, and how many are
    /// left.
    pub fn forced(&self) -> Counts {
        self.forced.counts()
    }

    pub fn label(&self, state: usize) -> Label {
        self.forced.of(state)
    }

    /// Where the arcs of an open state lead among the open ones; its others
    /// lead to won states.
    fn options(&self, place: usize) -> impl Iterator<Item = usize> {
        let state = self.open[place] as usize;
        let options = self.relation.from(state).iter();
        options
            .map(|to| self.places[*to as usize])
            .filter(|to| *to != FORCED)
            .map(|to| to as usize)
    }

    /// The rules of the open states: a variable says that its state is lost.
    fn rules(&self) -> Search {
        let mut search = Search::new(self.open.len());
        for place in 0..self.open.len() {
            demand_rule(&mut search, place, self.options(place));
        }
        search
    }

    /// A labelling, from the values for the open states.
    fn labelling(&self, values: &[bool]) -> Lost {
        (0..self.relation.states())
            .map(|state| match self.forced.of(state) {
                Label::Lose(_) => true,
                Label::Win(_) => false,
                Label::Draw => values[self.places[state] as usize],
            })
            .collect()
    }

    /// Some labellings, at most so many; fewer where there are no more, or
    /// where the search was given up, which is said.
    pub fn some<E>(
        &self,
        most: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(Vec<Lost>, bool), E> {
        let mut search = self.rules();
        let mut found = Vec::new();
        while found.len() < most {
            let values = match unless_given_up(solve(&mut search, pause))? {
                None => return Ok((found, false)),
                Some(None) => break,
                Some(Some(values)) => values,
            };
            // No other labelling has all of these lost.
            let another: Vec<Literal> = (0..self.open.len())
                .filter(|place| values[*place])
                .map(Literal::no)
                .collect();
            found.push(self.labelling(&values));
            search.demand(&another);
        }
        Ok((found, true))
    }

    /// How many labellings there are.
    pub fn count<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Count, E> {
        count::count(self, pause)
    }

    /// Why there is no labelling, where there is none; `None` where the search
    /// was given up.
    pub fn cause<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Option<Cause>, E> {
        cause::cause(self, pause)
    }

    /// Does every won state come from a lost one, whatever the labelling?
    /// `None` where the search was given up.
    pub fn cogame<E>(&self, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Option<Cogame>, E> {
        self.cogame_among(0..self.relation.states(), pause)
    }

    /// The same, asked of some states only.
    pub fn cogame_among<E>(
        &self,
        states: Range<usize>,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Option<Cogame>, E> {
        let mut search = self.rules();
        let Some(values) = unless_given_up(solve(&mut search, pause))? else {
            return Ok(None);
        };
        let Some(values) = values else {
            return Ok(Some(Cogame::NoLabelling));
        };
        let reverse = self.relation.reverse();
        // The states that might be won without coming from a lost one, each
        // with the open states that would have to be won for it.
        let mut suspects: Vec<(usize, Vec<usize>)> = Vec::new();
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
            if won.iter().all(|place| !values[*place]) {
                return Ok(Some(Cogame::No {
                    lost: self.labelling(&values),
                    state,
                }));
            }
            suspects.push((state, won));
        }
        if suspects.is_empty() {
            return Ok(Some(Cogame::Yes));
        }
        // One variable more for each suspect: that it is guilty; and one of
        // them is.
        let mut search = Search::new(self.open.len() + suspects.len());
        for place in 0..self.open.len() {
            demand_rule(&mut search, place, self.options(place));
        }
        let guilty = self.open.len()..self.open.len() + suspects.len();
        for (variable, (_, won)) in guilty.clone().zip(&suspects) {
            for place in won {
                search.demand_one_of(Literal::no(variable), Literal::no(*place));
            }
        }
        let one: Vec<Literal> = guilty.clone().map(Literal::yes).collect();
        search.demand(&one);
        Ok(match unless_given_up(solve(&mut search, pause))? {
            None => None,
            Some(None) => Some(Cogame::Yes),
            Some(Some(values)) => {
                let found = suspects
                    .iter()
                    .find(|(_, won)| won.iter().all(|place| !values[*place]));
                let state = found.expect("one of them is guilty").0;
                Some(Cogame::No {
                    lost: self.labelling(&values),
                    state,
                })
            }
        })
    }
}

/// A state is lost, or one of its options is; and never both.
fn demand_rule(search: &mut Search, state: usize, options: impl Iterator<Item = usize>) {
    let mut one = vec![Literal::yes(state)];
    for option in options {
        if option == state {
            search.demand(&[Literal::no(state)]);
        } else {
            search.demand_one_of(Literal::no(state), Literal::no(option));
            one.push(Literal::yes(option));
        }
    }
    search.demand(&one);
}

/// What a labelling gets wrong: a state, and whether it would have to be lost.
/// The first such state, in the order of the states.
pub fn objection(relation: &Relation, lost: impl Fn(usize) -> bool) -> Option<(usize, bool)> {
    (0..relation.states()).find_map(|state| {
        let mut options = relation.from(state).iter();
        let must_be = !options.any(|to| lost(*to as usize));
        (lost(state) != must_be).then_some((state, must_be))
    })
}
