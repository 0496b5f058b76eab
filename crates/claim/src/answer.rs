//! Answers by engines and, where no engine can reach a position, by claims.
//!
//! A claim about all positions answers for a position of any size. It serves
//! only while it stands: it names no position at which it fails, it holds on
//! a box that is solved and checked here and now, and it does not contradict
//! itself about the position asked for. An answer of this kind is as good as
//! its claim, so it carries the claim with it, and how far that was checked.

use super::asking::Asking;
use super::reckoning::{Moves, Reckoning};
use super::{Standing, asked, check, fitting_size};
use nimrule_engine::{
    self as engine, Answer, Asked, Failure, Feasibility, Limits, Lookup, Outcome, Question,
    Request, Shape, Solver, Work,
};
use nimrule_model::game::{Applies, Claim, Convention, Game, PositionKind, Statement};
use nimrule_syntax::ast::{Class, Direction};
use std::time::{Duration, Instant};

/// Whether a claim may answer where no engine can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claims {
    WhereNeeded,
    Never,
}

/// The claim that an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// The claim as written.
    pub claim: String,
    /// It holds at every position with heaps up to this, ...
    pub to: u64,
    /// ... and where it is proved for all, the theorem.
    pub theorem: Option<&'static str>,
}

impl Basis {
    /// How far the claim stands, as a report says it.
    pub fn standing(&self) -> String {
        match self.theorem {
            Some(theorem) => format!("proved by {theorem}"),
            None => format!("holds to {}", self.to),
        }
    }
}

/// An answer with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub answer: Answer,
    /// The claim, where it was not an engine that answered.
    pub basis: Option<Basis>,
    /// The limit that was met before all winning moves were found.
    pub unfinished: Option<Failure>,
    /// The claim tells some moves that win, and is silent on the others.
    pub more_may_win: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    pub failure: Failure,
    pub dismissed: Vec<Dismissed>,
    /// The engines that cannot, and the one that met a limit, with what each
    /// failed by.
    pub tried: Vec<(&'static str, String)>,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Unanswered {
        Unanswered {
            failure,
            dismissed: Vec::new(),
            tried: Vec::new(),
        }
    }
}

impl Unanswered {
    /// Is the answer unknown, and not the question wrong?
    pub fn is_unknown(&self) -> bool {
        matches!(self.failure, Failure::Memory { .. } | Failure::Time)
    }
}

/// A claim that might have answered, and why it must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismissed {
    pub claim: String,
    pub why: String,
}

/// The method of an answer by a claim, beside the names of the engines.
pub const METHOD: &str = "claim";

/// Answers about one position. A forced engine never falls back on a claim.
pub fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    request: Request,
    limits: &Limits,
    forced: Option<&str>,
    claims: Claims,
) -> Result<Answered, Unanswered> {
    let asking = Asking {
        solver,
        position,
        convention,
        request,
        limits,
        claims,
    };
    if forced.is_some() {
        return Ok(asking.by_engine(limits, forced)?);
    }
    if asking.has_claims() {
        if let Some(settled) = asking.at_hand() {
            return Ok(settled?);
        }
        if let Some(answered) = asking.by_pairing()? {
            return Ok(answered);
        }
    }
    asking.at_last()
}

/// Where there are far too many positions below, the search that ends all is
/// given this long, unless a limit says otherwise.
const LAST_ATTEMPT: Duration = Duration::from_secs(20);

pub(super) fn last_attempt(feasibility: Feasibility, limits: &Limits) -> Limits {
    match feasibility {
        Feasibility::Infeasible => limits.or_time(LAST_ATTEMPT),
        Feasibility::Feasible | Feasibility::Unknown => *limits,
    }
}

/// The engines that cannot answer, and the one that failed.
pub(super) fn tried(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    limits: &Limits,
    limited: bool,
    failure: &Failure,
) -> Vec<(&'static str, String)> {
    match engine::choose_for_one(solver, position, asked, limits, None) {
        Ok(choice) => {
            let mut tried = choice.rejected;
            let given = LAST_ATTEMPT.as_secs();
            let why = match failure {
                // Where the user has set no limit it is this one.
                Failure::Time if !limited => {
                    format!("it did not come to an end in {given} seconds")
                }
                failure => failure.to_string(),
            };
            tried.push((choice.engine.name(), why));
            tried
        }
        Err(_) => Vec::new(),
    }
}

/// Tries an engine where one may reach the position; `None` where none does.
pub(super) fn attempt<T>(
    feasibility: Feasibility,
    limits: &Limits,
    by_engine: impl FnOnce(&Limits) -> Result<T, Failure>,
) -> Option<Result<T, Failure>> {
    let tried = match feasibility {
        Feasibility::Feasible => by_engine(&limits.half_time()),
        Feasibility::Unknown => by_engine(&briefly(&limits.for_attempt())),
        Feasibility::Infeasible => return None,
    };
    match tried {
        Err(Failure::Memory { .. } | Failure::Time) => None,
        settled => Some(settled),
    }
}

/// So long a claim waits for something better.
const PATIENCE: Duration = Duration::from_secs(2);

/// The limits, and no more than a moment of time.
pub(super) fn briefly(limits: &Limits) -> Limits {
    let soon = Instant::now() + PATIENCE;
    Limits {
        deadline: Some(limits.deadline.map_or(soon, |end| end.min(soon))),
        ..*limits
    }
}

pub(super) fn by_claim(
    mut reckoning: Reckoning<'_>,
    position: &[u64],
    dismissed: Vec<Dismissed>,
    limits: &Limits,
) -> Result<Answered, Unanswered> {
    let value = reckoning.value;
    let moves = if value == 0 {
        Moves::default()
    } else {
        // A claim that cannot be solved for a heap is held against every option.
        limits.begin(Work::Searching, None);
        reckoning.moves_to(0, position, &limits.or_time(LAST_ATTEMPT))?
    };
    Ok(Answered {
        answer: Answer {
            outcome: if value == 0 { Outcome::P } else { Outcome::N },
            grundy: reckoning.gives_values().then_some(value),
            loopy: None,
            winning_moves: moves.found,
            turns: None,
            method: METHOD,
            rejected: dismissed
                .into_iter()
                .map(|d| (METHOD, format!("`{}`: {}", d.claim, d.why)))
                .collect(),
        },
        basis: Some(reckoning.basis),
        unfinished: moves.unfinished,
        more_may_win: false,
    })
}

/// The claims that say everything that is asked, the most telling first.
pub(super) fn serving(game: &Game, wanted: Asked) -> Vec<(usize, &Claim, &Statement)> {
    // What is drawn a claim about P-positions does not tell, and on a digraph
    // there are no larger positions than those that it was checked at.
    if game.no_grundy_values().is_some() || game.digraph().is_some() {
        return Vec::new();
    }
    let all = game.claims.iter().enumerate().filter_map(|(place, claim)| {
        let speaks = claim.applies != Applies::Elsewhere && claim.refuted.is_none();
        let statement = claim.statement.as_ref().filter(|_| speaks)?;
        Some((place, claim, statement))
    });
    let (values, outcomes): (Vec<_>, Vec<_>) = all
        .filter(|(_, claim, statement)| {
            claim.convention == wanted.convention
                && match statement {
                    Statement::Grundy(_) => true,
                    Statement::Outcome {
                        class: Class::P,
                        consistent: false,
                        direction: Direction::Iff,
                        ..
                    } => wanted.question == Question::Outcome,
                    _ => false,
                }
        })
        .partition(|(_, _, statement)| matches!(statement, Statement::Grundy(_)));
    match wanted.convention {
        Convention::Normal => [values, outcomes].concat(),
        // A misere value says no more than P or N, at a higher price.
        Convention::Misere => [outcomes, values].concat(),
    }
}

/// A box that is solved to check a claim has at most so many positions, ...
const POSITIONS: u128 = 1_000_000;

/// ... and so many choices to look at: about a second's work. A box that the
/// file itself suggests may take several times as long.
const CHOICES: u128 = 400_000_000;
const SUGGESTED: u128 = 10;

/// What was found of claims so far, each checked once.
#[derive(Default)]
pub struct Checks<'s, 'g> {
    known: Vec<(&'s Solver<'g>, usize, Result<u64, String>)>,
}

/// What the claims of a file have to say on a position.
pub enum Found<'s> {
    Reckoning(Reckoning<'s>, Vec<Dismissed>),
    None(Vec<Dismissed>),
}

impl<'s, 'g> Checks<'s, 'g> {
    /// The first claim that stands.
    pub(super) fn reckoning(
        &mut self,
        solver: &'s Solver<'g>,
        position: &[u64],
        serving: &[(usize, &'s Claim, &'s Statement)],
        limits: &Limits,
    ) -> Result<Found<'s>, Failure> {
        let mut dismissed = Vec::new();
        for (place, claim, statement) in serving {
            let stands = self.standing(solver, *place, claim, statement, limits)?;
            let found = match stands {
                Ok(to) => {
                    let basis = Basis {
                        claim: claim.words.clone(),
                        to,
                        theorem: None,
                    };
                    Reckoning::at(solver, statement, position, basis, limits)?
                }
                Err(why) => Err(why),
            };
            match found {
                Ok(reckoning) => return Ok(Found::Reckoning(reckoning, dismissed)),
                Err(why) => dismissed.push(Dismissed {
                    claim: claim.words.clone(),
                    why,
                }),
            }
        }
        Ok(Found::None(dismissed))
    }

    /// How far a claim holds, or why it cannot serve.
    fn standing(
        &mut self,
        solver: &'s Solver<'g>,
        place: usize,
        claim: &Claim,
        statement: &Statement,
        limits: &Limits,
    ) -> Result<Result<u64, String>, Failure> {
        let known = self
            .known
            .iter()
            .find(|(of, at, _)| std::ptr::eq(*of, solver) && *at == place);
        if let Some((_, _, found)) = known {
            return Ok(found.clone());
        }
        let found = stands(solver, claim, statement, limits)?;
        self.known.push((solver, place, found.clone()));
        Ok(found)
    }

    /// The Grundy value of a position under normal play.
    pub fn value(
        &mut self,
        solver: &'s Solver<'g>,
        position: &[u64],
        limits: &Limits,
        claims: Claims,
    ) -> Result<Valued<'s>, Unanswered> {
        let asked = Asked {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let by_engine = |limits: &Limits| {
            let choice = engine::choose_for_one(solver, position, asked, limits, None)?;
            let mut lookup = choice.engine.lookup(solver, position, asked, limits)?;
            Ok(Valued {
                value: lookup.value(position)?,
                method: choice.engine.name(),
                basis: None,
                source: Source::Engine(solver, lookup),
            })
        };
        let serving = match claims {
            Claims::WhereNeeded => serving(solver.game, asked),
            Claims::Never => Vec::new(),
        };
        let feasibility = engine::feasibility(solver, position, asked, limits);
        let last = last_attempt(feasibility, limits);
        if serving.is_empty() {
            return Ok(by_engine(&last)?);
        }
        if let Some(settled) = attempt(feasibility, limits, by_engine) {
            return Ok(settled?);
        }
        match self.reckoning(solver, position, &serving, limits)? {
            Found::Reckoning(reckoning, _) => Ok(Valued {
                value: reckoning.value,
                method: METHOD,
                basis: Some(reckoning.basis.clone()),
                source: Source::Claim(reckoning),
            }),
            Found::None(dismissed) => by_engine(&last).map_err(|failure| Unanswered {
                failure,
                dismissed,
                tried: Vec::new(),
            }),
        }
    }
}

/// A position with its Grundy value, and whence it is known.
pub struct Valued<'s> {
    pub value: u64,
    pub method: &'static str,
    pub basis: Option<Basis>,
    source: Source<'s>,
}

enum Source<'s> {
    Engine(&'s Solver<'s>, Box<dyn Lookup + 's>),
    Claim(Reckoning<'s>),
}

impl Valued<'_> {
    /// The options of this value.
    pub fn moves_to(
        &mut self,
        wanted: u64,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Moves, Failure> {
        match &mut self.source {
            Source::Engine(solver, lookup) => Ok(Moves {
                found: lookup.moves_to(wanted, solver, position, limits)?,
                unfinished: None,
            }),
            Source::Claim(reckoning) => reckoning.moves_to(wanted, position, limits),
        }
    }
}

/// Checks a claim on a box that takes a moment: to which size it holds.
fn stands(
    solver: &Solver<'_>,
    claim: &Claim,
    statement: &Statement,
    limits: &Limits,
) -> Result<Result<u64, String>, Failure> {
    if solver.game.position_kind != PositionKind::Heaps || solver.game.heap_count() == 0 {
        return Ok(Err("it is checked on boxes of heaps alone".to_owned()));
    }
    let size = size_checked(solver);
    if size == 0 {
        return Ok(Err("there are too many heaps to check it".to_owned()));
    }
    let most = vec![size; solver.game.heap_count()];
    let table = engine::fill(solver, &most, asked(claim), limits, None)?;
    Ok(match check(solver.game, statement, &table, limits) {
        Ok(Standing::Holds { to, .. }) => Ok(to),
        Ok(Standing::Refuted(found)) => Err(format!(
            "it fails at {}, claimed {} where it is {}",
            solver.game.shown(&found.position),
            found.claimed,
            found.actual
        )),
        Ok(Standing::Proved { .. } | Standing::Fails { .. } | Standing::Unknown { .. }) => {
            Err("it is not checked on boxes".to_owned())
        }
        Err(Failure::Fault { fault, position }) => Err(format!(
            "it says nothing at {}: {fault}",
            solver.game.shown(&position)
        )),
        Err(failure) => return Err(failure),
    })
}

/// The size of the box on which a claim is checked.
fn size_checked(solver: &Solver<'_>) -> u64 {
    let fits = fitting_size(solver, POSITIONS, CHOICES);
    match solver.game.suggest_max {
        Some(suggested) if suggested > fits => {
            let most = vec![suggested; solver.game.heap_count()];
            let affordable = Shape::count(&most) <= SUGGESTED * POSITIONS
                && engine::work_below(solver, &most) <= SUGGESTED * CHOICES;
            if affordable { suggested } else { fits }
        }
        _ => fits,
    }
}
