//! A session: a game that is asked one question after another.

use super::answer::{Answer, Ask, Unanswered};
use super::by_claim::Checks;
use super::proofs::Proofs;
use super::store::{NoStore, Store};
use nimrule_claim::ClaimTables;
use nimrule_engine::Solver;
use nimrule_limits::{Limits, Steps};
use nimrule_model::game::{Convention, Game};
use nimrule_model::position::Position;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::effort::Bounds;

/// A remark that a session makes while it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// No engine reaches a position, and a proof is sought with at most this work.
    SeekingProof {
        /// The work.
        allowed: Steps,
    },
    /// A stored proof is not used.
    ProofRejected {
        /// Where it is.
        place: String,
        /// Why, in words.
        why: String,
    },
    /// A proof cannot be stored.
    ProofNotStored {
        /// Where it would be.
        place: String,
        /// Why, in words.
        why: String,
    },
}

impl Note {
    /// The remark as a sentence without a full stop.
    pub fn words(&self) -> String {
        match self {
            Note::SeekingProof { allowed } => format!(
                "no engine reaches this position; searching for a proof for all sizes, for at \
                 most {allowed}"
            ),
            Note::ProofRejected { place, why } => {
                format!("the cached proof in `{place}` is not used: {why}")
            }
            Note::ProofNotStored { place, why } => {
                format!("the result of the search cannot be cached in `{place}`: {why}")
            }
        }
    }
}

/// The answers so far, by convention and position.
type Answers = BTreeMap<(bool, Position), Rc<Answer>>;

/// A game that is asked one question after another, each answered as the crate's page
/// says. What one answer found (tables, proofs, checked claims) serves the next.
pub struct Session<'g> {
    pub(crate) solver: Solver<'g>,
    pub(crate) limits: Limits,
    pub(crate) proofs: Proofs<'g>,
    notes: Box<dyn Fn(&Note) + 'g>,
    /// The claims that were checked before they answered.
    pub(crate) checks: RefCell<Checks>,
    pub(crate) answers: RefCell<Answers>,
    /// The tables with which claims were compared, and their box.
    pub(crate) tables: RefCell<Option<(Bounds, ClaimTables)>>,
}

impl<'g> Session<'g> {
    /// A session that keeps proofs as long as it lives, within these limits.
    pub fn new(game: &'g Game, limits: Limits) -> Session<'g> {
        Session {
            solver: Solver::new(game),
            limits,
            proofs: Proofs::new(game, None, Box::new(NoStore)),
            notes: Box::new(|_| {}),
            checks: RefCell::default(),
            answers: RefCell::default(),
            tables: RefCell::default(),
        }
    }

    /// The same session, with a store of proofs. `rule` is the hash of the rule, by which
    /// proofs are found again.
    #[must_use]
    pub fn with_store(self, rule: [u8; 32], store: impl Store + 'g) -> Session<'g> {
        let proofs = Proofs::new(self.solver.game, Some(rule), Box::new(store));
        Session { proofs, ..self }
    }

    /// The same session, which makes its remarks to a listener.
    #[must_use]
    pub fn with_notes(self, notes: impl Fn(&Note) + 'g) -> Session<'g> {
        Session {
            notes: Box::new(notes),
            ..self
        }
    }

    /// The game.
    pub fn game(&self) -> &'g Game {
        self.solver.game
    }

    /// The game with its lowered form and profile.
    pub fn solver(&self) -> &Solver<'g> {
        &self.solver
    }

    /// The limits of the whole session.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets the limits of the questions that follow.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    pub(crate) fn note(&self, note: &Note) {
        (self.notes)(note);
    }

    /// The answer about a position for its outcome and winning moves, which is kept.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn outcome(
        &self,
        position: &Position,
        convention: Convention,
    ) -> Result<Rc<Answer>, Unanswered> {
        let key = (convention == Convention::Misere, position.clone());
        if let Some(known) = self.answers.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(self.position(position, &Ask::outcome(convention))?);
        self.answers.borrow_mut().insert(key, Rc::clone(&found));
        Ok(found)
    }
}
