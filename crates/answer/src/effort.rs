//! How much work a question may take, and how large a box it may solve.
//!
//! Everything is bounded by work, which is counted, so that no answer depends on the load of
//! the machine. The clock ends a run only by a limit of the user.

use nimrule_claim::{BOX_WORK, fitting_size};
use nimrule_engine::{Limits, Query, Question, Shape, Solver, choose_for_box};
use nimrule_limits::Steps;
use nimrule_model::game::Convention;

/// How much a claim may take: the work for a proof for all sizes, and the box with
/// which the claim is compared if there is none. Limits of the command apply as well.
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// The work for a proof.
    pub proof: ProofBound,
    /// The box; `None` if nothing but a proof will do.
    pub bounds: Option<Bounds>,
    /// Whether a cached proof of the same claim is an answer. Without, the claim is proved
    /// again, so that there is a certificate.
    pub accepts_cached: bool,
}

/// What bounds the proof of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProofBound {
    /// No proof is sought.
    None,
    /// At most this.
    AtMost(Steps),
    /// At most this, and more the longer the box is expected to take.
    WithBox(Steps),
}

/// The box with which a claim is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Heaps up to this, which the user asked for.
    Asked(u64),
    /// Heaps up to this, which was chosen for the user.
    Chosen(u64),
    /// Heaps up to what the file suggests or, without a suggestion or where it is not used,
    /// a box of about these many positions and options that shrinks if it takes longer.
    Fitting {
        /// The largest number of positions.
        positions: u128,
        /// The largest number of options.
        options: u128,
        /// The work after which a smaller box is tried; `None`: the box does not shrink.
        work: Option<Steps>,
        /// Whether the suggestion of the file is used.
        as_suggested: bool,
    },
}

/// The operations of the box that add a step to the work of a proof, so that it takes about half
/// as long, and the most that all add.
const OPERATIONS_A_STEP: u128 = 300;
const MOST_ADDED: Steps = Steps::million(20);

impl Effort {
    /// While a person types: fractions of a second.
    pub const EDITOR: Effort = Effort::brief(Steps::million(5), Some(BOX_WORK));

    /// At a prompt, and for each of many games: a second or two.
    pub const PROMPT: Effort = Effort::brief(Steps::million(2), None);

    /// A command that reports on a file: a tenth of a second a claim, more with large boxes.
    pub const COMMAND: Effort = Effort {
        proof: ProofBound::WithBox(Steps(400_000)),
        bounds: Some(Bounds::Fitting {
            positions: 300_000,
            options: 100_000_000,
            work: Some(BOX_WORK),
            as_suggested: true,
        }),
        accepts_cached: true,
    };

    /// A command that proves: minutes, and no comparison with a box.
    pub const PROOF: Effort = Effort {
        proof: ProofBound::AtMost(Steps::million(300)),
        bounds: None,
        accepts_cached: false,
    };

    /// A claim that is to be a reason: a box of a tenth of a second must not refute it.
    pub(crate) const REASON: Effort = Effort {
        proof: ProofBound::None,
        bounds: Some(Bounds::Fitting {
            positions: 100_000,
            options: 30_000_000,
            work: Some(BOX_WORK),
            as_suggested: false,
        }),
        accepts_cached: true,
    };

    /// A brief proof, and a box of a tenth of a second.
    const fn brief(proof: Steps, box_work: Option<Steps>) -> Effort {
        Effort {
            proof: ProofBound::AtMost(proof),
            bounds: Some(Bounds::Fitting {
                positions: 100_000,
                options: 30_000_000,
                work: box_work,
                as_suggested: true,
            }),
            accepts_cached: true,
        }
    }

    /// This effort, with at most this for a proof.
    #[must_use]
    pub fn proving(self, most: Steps) -> Effort {
        Effort {
            proof: ProofBound::AtMost(most),
            ..self
        }
    }

    /// This effort without a proof.
    #[must_use]
    pub fn by_box_alone(self) -> Effort {
        Effort {
            proof: ProofBound::None,
            ..self
        }
    }

    /// This effort with a box of this size, if the user asked for one.
    #[must_use]
    pub fn with_box(self, asked: Option<u64>) -> Effort {
        Effort {
            bounds: asked.map(Bounds::Asked).or(self.bounds),
            ..self
        }
    }

    /// The bound of a proof, with a box up to `most`; `None` if none is sought.
    pub(crate) fn proof_bound(&self, solver: &Solver<'_>, most: u64) -> Option<Steps> {
        match self.proof {
            ProofBound::None => None,
            ProofBound::AtMost(most) => Some(most),
            ProofBound::WithBox(least) => {
                let most = solver.game.box_to(most);
                let query = Query {
                    question: Question::Outcome,
                    convention: Convention::Normal,
                };
                let limits = Limits::of_memory(u64::MAX);
                let choice = choose_for_box(solver, &most, query, &limits, None);
                let operations = choice.map(|of| of.engine.operations(solver, &most, query));
                let operations = operations.ok().flatten();
                let operations = operations.unwrap_or_else(|| Shape::count(&most));
                let more = (operations / OPERATIONS_A_STEP).min(MOST_ADDED.0.into());
                // So many steps fit 64 bits.
                Some(Steps(least.0 + more as u64))
            }
        }
    }
}

impl Bounds {
    /// The largest heap, and the work after which the box shrinks.
    pub(crate) fn of(self, solver: &Solver<'_>) -> (u64, Option<Steps>) {
        match self {
            Bounds::Asked(most) | Bounds::Chosen(most) => (most, None),
            Bounds::Fitting {
                positions,
                options,
                work,
                as_suggested,
            } => match solver
                .game
                .presentation
                .suggest_max
                .filter(|_| as_suggested)
            {
                Some(most) => (most, None),
                None => (fitting_size(solver, positions, options), work),
            },
        }
    }

    /// The bound that the user asked for.
    pub(crate) fn asked(self) -> Option<u64> {
        match self {
            Bounds::Asked(most) => Some(most),
            Bounds::Chosen(_) | Bounds::Fitting { .. } => None,
        }
    }
}

/// The work and the sizes of questions about single positions.
pub(crate) mod position {
    use nimrule_limits::Steps;

    /// The work of an engine of unknown cost before a claim is used.
    pub const ENGINE: Steps = Steps::million(2);

    /// The work of the last attempt by an engine, where there are too many positions, unless
    /// the user is ready to wait longer.
    pub const LAST_ATTEMPT: Steps = Steps::million(20);

    /// The work of a proof where no engine reaches the position; at most half of what is
    /// left.
    pub const PROOF: Steps = Steps::million(15);

    /// The work of a proof of a position that only a proof can answer.
    pub const ONLY_PROOF: Steps = Steps::million(300);

    /// The work of a proof of a claim that may answer without one.
    pub const CLAIM_PROOF: Steps = Steps(50_000);

    /// The work of checking a cached proof again; it was checked before it was stored.
    pub const CACHED: Steps = Steps(200_000);

    /// The largest numbers of positions and options of the box on which a claim is checked
    /// before it answers: about a second's work. A box that the file suggests may have ten
    /// times as many.
    pub const CHECKED_POSITIONS: u128 = 1_000_000;
    pub const CHECKED_OPTIONS: u128 = 400_000_000;
    pub const SUGGESTED: u128 = 10;

    /// The largest number of options that are compared with a claim, or among which a
    /// position of a pairing is looked for: about a second's work.
    pub const COMPARED_OPTIONS: u64 = 2_000_000;

    /// The largest number of options among which all winning moves are looked for, where a
    /// proof gives some.
    pub const ENUMERATED_OPTIONS: u64 = 200_000;
}
