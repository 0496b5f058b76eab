//! Answers about positions.

use super::by_claim::RejectedClaim;
use nimrule_engine::{BySide, Label, Outcome, Request, SideOutcome, SolveError};
use nimrule_limits::Steps;
use nimrule_model::game::{Convention, Side};
use nimrule_model::position::Position;
use std::time::Duration;

/// What is asked of a position.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Normal or misère play.
    pub convention: Convention,
    /// Whether the Grundy value is needed.
    pub request: Request,
    /// The only engine that may answer; then neither a claim nor a proof does.
    pub engine: Option<&'a str>,
    /// Whether engines alone may answer.
    pub engines_only: bool,
    /// The work for the answer, besides the limits of the session.
    pub work: Option<Steps>,
}

impl Default for Ask<'_> {
    /// The outcome under normal play, and the value if it costs little more.
    fn default() -> Self {
        Ask {
            convention: Convention::Normal,
            request: Request::GrundyIfCheap,
            engine: None,
            engines_only: false,
            work: None,
        }
    }
}

impl Ask<'_> {
    /// The outcome and the winning moves under a convention.
    pub fn outcome(convention: Convention) -> Self {
        Ask {
            convention,
            request: Request::Outcome,
            ..Ask::default()
        }
    }
}

/// The answer about a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// The convention.
    pub convention: Convention,
    /// The outcome class.
    pub outcome: Outcome,
    /// The Grundy value, if it was requested or costs little more.
    pub grundy: Option<u64>,
    /// What the value rests on, if that is another claim than that of the outcome.
    pub grundy_basis: Option<Basis>,
    /// The Grundy values of the options if the value of a sum of tokens is loopy, as
    /// defined in [`nimrule_relation::values`].
    pub loopy: Option<Vec<u64>>,
    /// The options that are P-positions; empty in partizan games, see `by_side`.
    pub moves: WinningMoves,
    /// In partizan and loopy games: the outcome with either player to move, and its
    /// remoteness.
    pub by_side: Option<BySide>,
    /// What the answer rests on.
    pub basis: Basis,
    /// The engines and claims that were rejected, each with its reason.
    pub rejected: Vec<(&'static str, String)>,
}

/// The winning moves of a position, by the positions after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WinningMoves {
    /// The moves, ascending.
    pub found: Vec<Position>,
    /// Which of all winning moves these are.
    pub extent: Extent,
}

/// Which of all winning moves are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    All,
    /// One for each set of heaps from which a move wins.
    OneForEachSelection,
    /// Some: what the answer rests on leaves others open.
    Some,
    /// Those found before this limit was exceeded.
    Unfinished(SolveError),
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// Computed by this engine.
    Engine(&'static str),
    /// A set of P-positions that is proved for all sizes.
    Proof(ProvedSet),
    /// A claim of the file that is proved by a theorem.
    Theorem {
        /// The text of the claim.
        claim: String,
        /// The theorem.
        theorem: &'static str,
    },
    /// A claim of the file that holds up to a size, and is not proved.
    Claim {
        /// The text of the claim.
        claim: String,
        /// The largest size of a heap in the box.
        to: u64,
    },
}

/// A set of P-positions that is proved for all sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvedSet {
    /// The claim that gives the set, with its number if it is one of the file.
    pub claim: Option<(Option<usize>, String)>,
    /// The number of states of the automaton.
    pub states: usize,
    /// The place of the proof in the store, if it was read from there.
    pub stored: Option<String>,
}

impl Basis {
    /// The claim that the answer rests on.
    pub fn claim(&self) -> Option<&str> {
        match self {
            Basis::Engine(_) => None,
            Basis::Proof(set) => set.claim.as_ref().map(|(_, words)| words.as_str()),
            Basis::Theorem { claim, .. } | Basis::Claim { claim, .. } => Some(claim),
        }
    }

    /// How far the claim or the set is known, as text of a report; empty for an engine.
    pub fn extent(&self) -> String {
        match self {
            Basis::Engine(_) => String::new(),
            Basis::Proof(_) => "proved".to_owned(),
            Basis::Theorem { theorem, .. } => format!("proved by {theorem}"),
            Basis::Claim { to, .. } => format!("holds to {to}"),
        }
    }

    /// The name of the engine, or of the other method.
    pub fn method(&self) -> &'static str {
        match self {
            Basis::Engine(name) => name,
            Basis::Proof(_) => "proof",
            Basis::Theorem { .. } | Basis::Claim { .. } => "claim",
        }
    }
}

/// What the player to move achieves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A win.
    Wins,
    /// Nothing: the opponent wins.
    Loses,
    /// A draw.
    Draws,
}

impl Turn {
    /// The name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Turn::Wins => "wins",
            Turn::Loses => "loses",
            Turn::Draws => "draws",
        }
    }
}

impl Answer {
    /// Whether these are all winning moves.
    pub fn has_all_moves(&self) -> bool {
        self.moves.extent == Extent::All
    }

    /// The limit that was exceeded before all winning moves were found.
    pub fn unfinished(&self) -> Option<&SolveError> {
        match &self.moves.extent {
            Extent::Unfinished(met) => Some(met),
            _ => None,
        }
    }

    /// What `side` achieves if it is to move; `None` is the player to move of an impartial
    /// game.
    pub fn turn(&self, side: Option<Side>) -> Turn {
        match self.of_side(side) {
            Some(of_side) => match of_side.label {
                Label::Win(_) => Turn::Wins,
                Label::Lose(_) => Turn::Loses,
                Label::Draw => Turn::Draws,
            },
            None if self.outcome == Outcome::P => Turn::Loses,
            None => Turn::Wins,
        }
    }

    /// The moves that achieve what [`Answer::turn`] says, if it is a win or a draw: the
    /// shortest wins first where their lengths are known.
    pub fn best(&self, side: Option<Side>) -> Vec<Position> {
        match self.of_side(side) {
            Some(of_side) => {
                let mut moves: Vec<_> = of_side.moves.iter().collect();
                moves.sort_by_key(|(_, length)| *length);
                let after = moves.into_iter().map(|(to, _)| to.as_slice().into());
                after.collect()
            }
            None => self.moves.found.clone(),
        }
    }

    /// The number of moves to the end with `side` to move, if that is known.
    pub fn label(&self, side: Option<Side>) -> Option<Label> {
        self.of_side(side).map(|of_side| of_side.label)
    }

    fn of_side(&self, side: Option<Side>) -> Option<&SideOutcome> {
        let each = self.by_side.as_ref()?.each();
        let found = each
            .iter()
            .find(|(of, _)| of.is_none() || *of == side)
            .or(each.first())?;
        Some(found.1)
    }

    /// Whether the move to this option wins; in a partizan game, for either player.
    pub fn wins_by(&self, option: &Position) -> bool {
        match (&self.by_side, option.small()) {
            (Some(turns), Some(option)) => {
                turns.each().iter().any(|(_, turn)| turn.wins_by(option))
            }
            _ => self.moves.found.contains(option),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The failure of the last engine that tried.
    pub failure: SolveError,
    /// The claims that could not be used.
    pub dismissed: Vec<RejectedClaim>,
    /// The engines that cannot answer, and the one that exceeded a limit, each with its
    /// reason.
    pub tried: Vec<(&'static str, String)>,
    /// The time that a proof was sought in vain.
    pub proof_sought: Option<Duration>,
}

impl From<SolveError> for Unanswered {
    fn from(failure: SolveError) -> Unanswered {
        Unanswered {
            failure,
            dismissed: Vec::new(),
            tried: Vec::new(),
            proof_sought: None,
        }
    }
}

impl Unanswered {
    /// Whether the answer is unknown, as opposed to an invalid question.
    pub fn is_unknown(&self) -> bool {
        matches!(
            self.failure,
            SolveError::Memory { .. } | SolveError::Time | SolveError::Work { .. }
        )
    }

    /// Whether no method could answer, for a reason of the question or the rule.
    pub fn is_invalid(&self) -> bool {
        matches!(
            self.failure,
            SolveError::Fault { .. }
                | SolveError::FaultIn { .. }
                | SolveError::Stopped
                | SolveError::NoValues { .. }
                | SolveError::Reals
                | SolveError::Open
        )
    }

    /// The methods that failed, each with its reason.
    pub fn methods(&self) -> Vec<(String, String)> {
        let engines = self.tried.iter().map(|(engine, why)| {
            let by = format!("the engine `{engine}`");
            (by, why.clone())
        });
        let proof = self.proof_sought.map(|time| {
            let time = super::words::in_seconds(time);
            (
                "a proof for all sizes".to_owned(),
                format!("none was found within {time}"),
            )
        });
        let claims = self.dismissed.iter().map(|dismissed| {
            let by = format!("the claim `{}`", dismissed.claim);
            (by, dismissed.why.clone())
        });
        engines.chain(proof).chain(claims).collect()
    }
}
