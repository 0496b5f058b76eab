//! Multi-track automata: relations between numbers, recognised by their
//! digits.
//!
//! A multi-track automaton reads the digits of several numbers in parallel, the
//! most significant first. Each number is on a *track*, and a *letter* is one
//! digit of each track. Leading zeros have no effect, so that numbers of
//! different lengths can be read together. The accepted tuples of numbers are a
//! relation. The relations recognised in a base are those of Büchi arithmetic
//! (Büchi 1960; Bruyère, Hansel, Michaux and Villemaire 1994, "Logic and
//! p-recognizable sets of integers"). They are closed under Boolean operations
//! and quantification, so their first-order theory is decidable.
//!
//! There are three representations of a complete deterministic automaton:
//!
//! - [`Dfa`]: the transitions of a state are a decision diagram over the
//!   digits of one letter. Equal diagrams are stored once (`unique_table`), so
//!   it stays small with a dozen tracks of which each state reads a few.
//!   Formulas are compiled to it: [`atoms`] has linear comparisons, carryless
//!   sums, powers and digits; `product` has the Boolean operations, `project`
//!   the existential quantifier, by the subset construction.
//! - [`levelled::LevelledDfa`]: reads one digit at a time and skips none.
//!   Hopcroft's minimisation, preimages and universality tests are fast on it.
//! - [`table::Table`]: the next state for every state and letter, for traversal,
//!   drawing and learning. Its states have an output, of which acceptance is a
//!   special case.
//!
//! # Shared parts
//!
//! - [`partition`]: the coarsest stable partition, which minimises levelled
//!   automata and tables. A [`Dfa`] is minimised by Moore's algorithm instead:
//!   its diagrams skip irrelevant digits, and which digits are irrelevant
//!   depends on the partition.
//! - [`inclusion`]: language inclusion between states, and antichains.
//! - [`counting`]: the numbers of accepted words by length, as recurrences.
//! - [`walnut`]: automata as the texts of Walnut.
//! - [`interner`] and [`memo`]: numbers for subsets and signatures, and memo
//!   tables.
//!
//! The glossary of the book (`docs/src/glossary.md`) defines the terms.
//!
//! # Example
//!
//! ```
//! use nimrule_automata::{Budget, Numeration, atoms};
//! use nimrule_limits::Limits;
//!
//! # fn main() -> Result<(), nimrule_limits::LimitExceeded> {
//! let budget = Budget::new(&Limits::of_memory(1 << 20));
//! let (x, y) = (0, 1);
//! // x + 1 - y <= 0, which is x < y.
//! let less = atoms::linear(Numeration::Base(2), &[(1, x), (-1, y)], 1, false, &budget)?;
//! assert!(less.accepts(&[(x, 3), (y, 5)]));
//! assert_eq!(less.states(), 3);
//! // For every x there is a y with x < y.
//! let any = less.project(&[y], &budget)?;
//! assert!(any.not(&budget)?.is_empty());
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

pub mod atoms;
mod budget;
pub mod counting;
mod hash_index;
pub mod inclusion;
pub mod interner;
pub mod levelled;
pub mod memo;
mod minimise;
mod numeration;
mod ostrowski;
pub mod partition;
mod product;
mod project;
mod rename;
mod shift;
pub mod table;
mod unique_table;
pub mod walnut;
mod words;

pub use budget::Budget;
pub use levelled::LevelledDfa;
pub use numeration::{MOST_QUOTIENT, Numeration};
pub use ostrowski::multiple_of_ratio;
pub use project::Enclosure;
pub use shift::Shifts;
pub use table::{Alphabet, TableDfa};
pub use words::Witness;

use unique_table::{Ref, UniqueTable, leaf};

/// The identifier of a number that an automaton reads. The digits of a letter
/// are in the order of their tracks.
pub type Track = u16;

/// A complete deterministic automaton whose transitions are decision diagrams.
#[derive(Debug, Clone)]
pub struct Dfa {
    numeration: Numeration,
    /// The tracks, ascending. A track that no state reads may be missing.
    tracks: Vec<Track>,
    start: u32,
    accepting: Vec<bool>,
    /// The diagram of each state; its leaves are the next states.
    roots: Vec<Ref>,
    nodes: UniqueTable,
}

impl Dfa {
    /// The automaton that accepts every word, or none.
    pub fn constant(numeration: Numeration, holds: bool) -> Dfa {
        Dfa {
            numeration,
            tracks: Vec::new(),
            start: 0,
            accepting: vec![holds],
            roots: vec![leaf(0)],
            nodes: UniqueTable::new(numeration.radix()),
        }
    }

    /// The numeration in which it reads numbers.
    pub fn numeration(&self) -> Numeration {
        self.numeration
    }

    /// The tracks that it reads, ascending.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.roots.len()
    }

    /// The initial state.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The automaton of the words that are accepted from a state: a residual.
    #[doc(hidden)]
    pub fn residual(&self, start: u32) -> Dfa {
        Dfa {
            start,
            ..self.clone()
        }
    }

    /// Returns whether a state accepts.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// The number of inner nodes of its diagrams, shared ones counted once.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a sink accepts; `None` for a state that is not a sink.
    pub fn sink_value(&self, state: u32) -> Option<bool> {
        (self.roots[state as usize] == leaf(state)).then(|| self.is_accepting(state))
    }
}
