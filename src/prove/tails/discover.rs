//! Boxes that grow, what they lead to, and whether it can be proved.

use super::numbers::Numbers;
use super::search::Search;
use crate::automata::{Automaton, Numeration, Track};
use crate::engine::{Shape, Solver};
use crate::game::{Convention, Game};
use crate::limits::{Limits, Met};
use crate::prove::meaning::of_heap;
use crate::prove::outside::Leaves;
use crate::prove::theorem::{Prover, Trouble};
use crate::prove::{bases, decide, free};
use std::rc::Rc;

/// How far to go.
#[derive(Debug, Clone)]
pub struct Attempts {
    /// The ways to write numbers; the rule's own where there are none.
    pub numerations: Vec<Numeration>,
    /// The most positions of a box.
    pub most_positions: u128,
    /// The most states of a guess.
    pub most_states: usize,
}

impl Default for Attempts {
    fn default() -> Attempts {
        Attempts {
            numerations: Vec::new(),
            most_positions: 1 << 26,
            most_states: 20_000,
        }
    }
}

/// The sizes that boxes are to have, about: each is worth the wait for it.
const SIZES: [u128; 6] = [1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26];

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The set of the P-positions.
    Outcomes,
    /// An automaton that says the Grundy value, of which there are few.
    Values,
    /// An automaton that reads a number beside the heaps, and tells whether it
    /// is their value.
    Value,
}

/// What was found and proved.
#[derive(Debug, Clone)]
pub struct Found {
    /// The P-positions; or, where values were looked for, the positions with
    /// their values on the track of a value.
    pub set: Rc<Automaton>,
    /// Where a few values were found, the positions of each, from 0 on.
    pub classes: Vec<Rc<Automaton>>,
    /// Of the smallest automaton that says which.
    pub states: usize,
    pub goal: Goal,
    /// What was checked, in words.
    pub checked: Vec<String>,
    /// What others can check it by.
    pub certificate: Option<free::Certificate>,
    /// The digits of the numbers in the box that led to it.
    pub digits: usize,
    /// The least depth to which tails were compared.
    pub depth: usize,
}

/// Why nothing was found in some way to write numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// States were still appearing at the end of the largest box.
    Open,
    /// It closed, and does not say what the box says.
    Differs,
    /// It closed, and the prover refuted it near this position.
    Refuted(Option<Vec<u64>>),
    /// It closed, and the prover met a limit.
    Undecided(Met),
}

/// An attempt that proved nothing.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub goal: Goal,
    pub numeration: Numeration,
    /// The digits of the numbers in the largest box; 0 where no box could be
    /// solved.
    pub digits: usize,
    /// To each depth, the new tails behind numbers of 0, 1, 2, … digits.
    pub tails: Vec<(usize, Vec<usize>)>,
    pub failure: Failure,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Discovered {
    pub found: Option<Found>,
    /// What was tried where nothing was found.
    pub attempts: Vec<Attempt>,
}

/// Looks for the set of the P-positions, and proves it.
pub fn discover(
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, Trouble> {
    look_for(&[Goal::Outcomes], game, convention, attempts, limits)
}

/// Looks for the Grundy values, and proves them.
pub fn discover_values(
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, Trouble> {
    let goals = [Goal::Values, Goal::Value];
    look_for(&goals, game, convention, attempts, limits)
}

fn look_for(
    goals: &[Goal],
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, Trouble> {
    let outside = |why| Leaves::new("", why).within((0, 0).into());
    decide::is_within(game).map_err(outside)?;
    let numerations = match attempts.numerations.as_slice() {
        [] => bases::of_rule(game)?,
        given => given.to_vec(),
    };
    let solver = Solver::new(game);
    let mut searches = Vec::new();
    for numeration in numerations {
        // What the prover cannot read need not be solved.
        Prover::new(game, numeration, limits)?;
        for goal in goals {
            let beside = usize::from(*goal == Goal::Value);
            let tracks = game.heap_count() + beside;
            searches.push(Search {
                solver: &solver,
                goal: *goal,
                convention,
                numeration,
                boxes: boxes(numeration, tracks, attempts.most_positions),
                attempts,
                limits: *limits,
                largest: None,
                waiting: None,
                failure: Failure::Open,
            });
        }
    }
    // All ways to write numbers in turn, for small boxes are soon solved.
    let mut found = None;
    'sizes: for size in SIZES {
        for search in &mut searches {
            match search.go_on(size) {
                Ok(None) => {}
                Ok(some) => found = some,
                Err(Trouble::Met(Met::Time | Met::Memory { .. })) => search.boxes.clear(),
                Err(other) => return Err(other),
            }
            if found.is_some() || limits.within_time().is_err() {
                break 'sizes;
            }
        }
    }
    if found.is_some() {
        return Ok(Discovered {
            found,
            attempts: Vec::new(),
        });
    }
    let attempts: Result<_, Met> = searches.into_iter().map(Search::failed).collect();
    Ok(Discovered {
        found: None,
        attempts: attempts?,
    })
}

/// The digits of numbers in boxes of about [`SIZES`], the last first.
fn boxes(numeration: Numeration, tracks: usize, most: u128) -> Vec<(u128, usize)> {
    let count = |digits: usize| {
        let side = Numbers::new(numeration, digits)?.side(digits) as u64;
        Some(Shape::count(&vec![side.checked_sub(1)?; tracks]))
    };
    let mut found: Vec<(u128, usize)> = Vec::new();
    for size in SIZES {
        let room = size.min(most);
        let fitting = (2..=26).take_while(|digits| count(*digits).is_some_and(|c| c <= room));
        if let Some(digits) = fitting.last()
            && found.last().is_none_or(|last| last.1 < digits)
        {
            found.push((size, digits));
        }
    }
    found.reverse();
    found
}

/// The tracks of all heaps.
pub fn tracks(game: &Game) -> Vec<Track> {
    (0..game.heap_count()).map(of_heap).collect()
}
