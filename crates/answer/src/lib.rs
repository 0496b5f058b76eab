//! The one place that chooses who answers a question about a game: an engine, a claim of
//! the file, a pairing strategy, a cached proof or a new one.
//!
//! A [`Session`] is opened for a game and asked:
//!
//! ```text
//! Session::position  who wins, the Grundy value, the winning moves   -> Answer
//! Session::bound     whether a loopy answer depends on the bound    -> BoundReport
//! Session::reply     the program's move in play                   -> Position
//! Session::typed     a move as a person types it                  -> Typed
//! Session::reason    why: the moves, the replies, the claims worked out -> Reason
//! Session::claim     whether a claim of the file holds               -> ClaimReport
//! Session::example   whether an example of the file is right         -> ExampleReport
//! sum::answer        the disjunctive sum of positions of several games -> SumAnswer
//! sum::compound      their other compounds                           -> SumAnswer
//! Session::solve_box all positions up to a size, with the claims     -> BoxReport
//! Session::slice     the positions of a plot by one or two heaps     -> Slice
//! Session::heap_table the outcomes or values of two heaps against each other -> HeapTable
//! Session::sequences the integer sequences of the game          -> GameSequences
//! conjectures        conditions on the P-positions that hold in a box -> Conjectures
//! Session::same_games  the known games with the same moves   -> SameGames
//! Session::discover  the P-positions for all sizes                   -> Discovered
//! ```
//!
//! The command line, the language server, the library, the page and the Python package ask
//! a session and show what it says. Positions have numbers of any size
//! ([`Position`]), every answer names what it rests on ([`Basis`]), every claim has one
//! kind of report ([`ClaimReport`]), and [`Effort`] says how long a question may take. The
//! JSON of all answers is in [`json`], their words are in [`words`].
//!
//! # Examples
//!
//! ```
//! use nimrule_answer::{Ask, Session};
//! use nimrule_engine::Outcome;
//! use nimrule_limits::Limits;
//! use nimrule_model::position::Position;
//!
//! let text = "game nim heaps a b move take from one heap claim P iff a == b";
//! let file = nimrule_syntax::parse(text).into_result().expect("no syntax error");
//! let no_files = |_: &str| Err("no files".to_owned());
//! let game = nimrule_analysis::check(&file, text, &Default::default(), &no_files)
//!     .expect("no errors")
//!     .game;
//!
//! let session = Session::new(&game, Limits::of_memory(1 << 28));
//! let answer = session
//!     .position(&Position::from(vec![3, 5]), &Ask::default())
//!     .expect("an answer");
//! assert_eq!(answer.outcome, Outcome::N);
//! assert_eq!(answer.moves.found, [Position::from(vec![3, 3])]);
//! ```

#![warn(missing_docs)]

mod answer;
mod bound;
mod by_claim;
mod by_pairing;
mod claim;
mod conjecture;
mod discovery;
mod effort;
mod evaluation;
mod example;
mod exercises;
mod heap_table;
pub mod json;
mod line;
mod options;
mod play;
mod position;
mod proofs;
mod reason;
mod same_games;
mod sequences;
mod session;
mod slice;
mod solve_for_heap;
mod store;
pub mod sum;
mod table;
mod typed;
pub mod words;

pub use answer::{Answer, Ask, Basis, Extent, ProvedSet, Turn, Unanswered, WinningMoves};
pub use bound::BoundReport;
pub use claim::{ClaimReport, Evidence, Stated, Verdict};
pub use conjecture::{Conjecture, Conjectures, RefutedConjecture, conjectures};
pub use discovery::{
    Discovered, DiscoveredSet, DiscoveredTheorem, DiscoveredValues, DiscoveryBounds,
    OpenConjectures,
};
pub use effort::{Bounds, Effort, ProofBound};
pub use example::ExampleReport;
pub use exercises::Exercise;
pub use heap_table::{Entry, HeapTable, HeapTableRequest, NoTable, TableAxis};
pub use line::{LineOfPlay, NoLine};
pub use nimrule_claim::{Counterexample, PositionFact};
pub use nimrule_model::position::Position;
pub use options::Options;
pub use play::{Level, Random};
pub use position::PositionProblem;
pub use proofs::Known;
pub use reason::{Reason, ReasonBounds, ReasonMove, ReasonOfSide, WorkedClaim};
pub use same_games::{KnownGame, SameGame, SameGames};
pub use sequences::{GameSequence, GameSequences};
pub use session::{Note, Session};
pub use slice::{NoSlice, SingleHeaps, Slice};
pub use store::{MemoryStore, NoStore, Store};
pub use table::{BoxLeftOut, BoxReport, BoxRequest, Counts, EngineSweep, Sweeper};
pub use typed::{Typed, in_brackets};

/// The data of proofs and discoveries, and what they are written to: for those who show
/// them.
pub mod proof {
    pub use nimrule_checker::{
        Certificate, CountingCertificate, CountingVerified, VerifyError, verify_counting,
    };
    pub use nimrule_discover::residual_learning::{
        Attempt, AttemptFailure, Goal, LearnedAutomaton, Source,
    };
    pub use nimrule_prove::ProveError;
    pub use nimrule_prove::certificate::{
        CheckedCertificate, NotWritten, Proves, Rejected, check_certificate, check_walnut,
        of_checker,
    };
    pub use nimrule_prove::numbers::{NoNumbers, SetNumbers, is_walnut, walnut_text};
    pub use nimrule_prove::proof_cache::{FormSearch, Origin, ProofOrigin};
    pub use nimrule_prove::{Dfa, Numeration, Proof, Set, Unsupported, table, tracks};
    pub use nimrule_real::smt::{SmtScript, scripts};
}
