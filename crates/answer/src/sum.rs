//! Disjunctive sums of positions of several games, and their other [compounds](Compound).
//!
//! A move of the sum is a move in one part. Under normal play the value of the sum is the nim-sum of the values of the
//! parts, and a move wins if it gives its part the nim-sum of the others (Sprague
//! 1935, Grundy 1939). Under misère play there are no such values, so the
//! positions of the sum are searched, as they are if a part is partizan or its
//! positions may repeat. Other compounds are decided by other values or by the outcomes
//! of the parts, under both conventions.

mod by_side;
mod compound;
mod parts;
mod search;
mod theory;
mod values;

pub use compound::Compound;
pub use theory::{ComponentValue, Foreclosed};

use super::answer::{Answer, Ask, Basis, Extent, Unanswered};
use super::by_claim::{Found, applicable_claims, attempt, last_attempt};
use super::effort::position::LAST_ATTEMPT;
use super::evaluation::{Evaluation, Moves};
use super::session::Session;
use nimrule_engine::{
    self as engine, BySide, Limits, Lookup, Outcome, Query, Question, Request, SolveError, Solver,
};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_model::position::Position;

/// One part of a sum.
pub struct Component<'s, 'g> {
    /// Parts with the same session are positions of the same game.
    pub session: &'s Session<'g>,
    /// The position of this component.
    pub position: Position,
}

/// A part of a sum whose positions are searched.
pub(crate) struct Part<'s> {
    pub solver: &'s Solver<'s>,
    pub position: Vec<u64>,
}

/// The answer about one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentAnswer {
    /// `None` if the positions of the sum were searched, or the outcome of this part
    /// decides the sum.
    pub grundy: Option<u64>,
    /// What the value, or the outcome, rests on.
    pub basis: Option<Basis>,
    /// What decides the compound; `None` in a disjunctive sum, and after a search.
    pub value: Option<ComponentValue>,
}

/// A move in one of the parts, given by the index of the part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentMove {
    /// The index of the component.
    pub component: usize,
    /// The position of the component after the move.
    pub to: Position,
}

/// A move of a compound: the components that it changes, ascending. In a disjunctive sum it
/// is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SumMove {
    /// The moves in the components.
    pub parts: Vec<ComponentMove>,
}

impl From<ComponentMove> for SumMove {
    fn from(only: ComponentMove) -> SumMove {
        SumMove { parts: vec![only] }
    }
}

/// The answer about a sum or another compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumAnswer {
    /// The outcome class of the sum.
    pub outcome: Outcome,
    /// `None` if the positions were searched; of other compounds only that of an ordinal sum
    /// is computed.
    pub grundy: Option<u64>,
    /// Ascending, in a disjunctive sum by part; empty in partizan sums: see `by_side`.
    pub winning_moves: Vec<SumMove>,
    /// The outcomes with either player to move and their remoteness, if a part is
    /// partizan or its positions may repeat.
    pub by_side: Option<BySide<SumMove>>,
    /// Which of all winning moves are known.
    pub extent: Extent,
    /// How the answer was found: by values, by a search or, where one part decides, by the
    /// method of that part.
    pub method: &'static str,
    /// What the answer rests on, if not on engines alone: the claim with the smallest bound.
    pub basis: Option<Basis>,
    /// The answers about the components, in their order.
    pub parts: Vec<ComponentAnswer>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SumError {
    /// A position of this kind cannot be part of a sum.
    Unsuitable {
        /// The index of the component.
        component: usize,
        /// The reason, in words.
        reason: String,
    },
    /// The value of a part is unknown.
    Component {
        /// The index of the component.
        component: usize,
        /// Why.
        unanswered: Box<Unanswered>,
    },
    /// The sum has too many positions to search.
    Search(engine::SolveError),
}

/// The names of the methods "by values" and "by search", in reports.
const BY_VALUES: &str = "nim-sum";
const BY_SEARCH: &str = "search";

/// Answers about a disjunctive sum, within the limits of the session of its first part.
///
/// # Errors
///
/// Why there is no answer.
pub fn answer(
    components: &[Component<'_, '_>],
    convention: Convention,
    engines_only: bool,
) -> Result<SumAnswer, SumError> {
    compound(components, Compound::Disjunctive, convention, engines_only)
}

/// Answers about a compound, within the limits of the session of its first part.
///
/// # Errors
///
/// Why there is no answer.
///
/// # Examples
///
/// Two heaps, in both of which a player must move: the shorter one ends play.
///
/// ```
/// use nimrule_answer::sum::{self, Component, Compound};
/// use nimrule_answer::{Position, Session};
/// use nimrule_engine::Outcome;
/// use nimrule_limits::Limits;
/// use nimrule_model::game::Convention;
///
/// let text = "game one_or_two heaps a move take 1..2 from a";
/// let file = nimrule_syntax::parse(text).into_result().expect("no syntax error");
/// let no_files = |_: &str| Err("no files".to_owned());
/// let game = nimrule_analysis::check(&file, text, &Default::default(), &no_files)
///     .expect("no errors")
///     .game;
/// let session = Session::new(&game, Limits::of_memory(1 << 28));
/// let heap = |size| Component { session: &session, position: Position::from(vec![size]) };
/// let both = sum::compound(&[heap(3), heap(4)], Compound::Conjunctive, Convention::Normal, false)
///     .expect("an answer");
/// assert_eq!(both.outcome, Outcome::P);
/// ```
pub fn compound(
    components: &[Component<'_, '_>],
    compound: Compound,
    convention: Convention,
    engines_only: bool,
) -> Result<SumAnswer, SumError> {
    for (component, part) in components.iter().enumerate() {
        if let Err(reason) = fits(part.session.game(), components.len(), compound) {
            return Err(SumError::Unsuitable { component, reason });
        }
    }
    // Every compound of one game is this game.
    if let [only] = components {
        return by_one(only, convention, engines_only);
    }
    let has_values = |part: &Component<'_, '_>| part.session.game().no_grundy_values().is_none();
    let all_have_values = components.iter().all(has_values);
    match compound {
        Compound::Disjunctive if all_have_values && convention == Convention::Normal => {
            return by_values(components, engines_only);
        }
        Compound::Disjunctive => {}
        _ if all_have_values => {
            return theory::answer(components, compound, convention, engines_only);
        }
        _ => {}
    }
    let parts = searched(components)?;
    let limits = match components {
        [first, ..] => first.session.limits.clone(),
        [] => Limits::of_memory(0),
    };
    match all_have_values {
        true => by_search(&parts, compound, convention, &limits),
        false => by_turns(&parts, compound, convention, &limits),
    }
}

/// The answer by a search of the positions of the compound, by which tests compare the
/// theories.
///
/// # Errors
///
/// Why there is no answer.
#[doc(hidden)]
pub fn search_alone(
    components: &[Component<'_, '_>],
    compound: Compound,
    convention: Convention,
) -> Result<SumAnswer, SumError> {
    let limits = &components[0].session.limits;
    by_search(&searched(components)?, compound, convention, limits)
}

/// Whether positions of the game can be parts of a compound of so many.
fn fits(game: &Game, parts: usize, compound: Compound) -> Result<(), String> {
    if game.position_kind == PositionKind::Reals {
        return Err("its heaps are of real size, and have no tables".to_owned());
    }
    SolveError::check_kind(game).map_err(|refused| refused.to_string())?;
    if game.blocked_options > 0 && parts > 1 {
        return Err("the opponent may block options, and no rule for sums says which".to_owned());
    }
    if game.has_sides() && parts > 1 && compound.reads_ends() {
        return Err(
            "each side has moves of its own, and this compound depends on when a component \
             has ended, which may differ for the two"
                .to_owned(),
        );
    }
    Ok(())
}

/// The parts, with numbers that a search reads.
fn searched<'s>(components: &[Component<'s, '_>]) -> Result<Vec<Part<'s>>, SumError> {
    let parts = components.iter().enumerate().map(|(component, part)| {
        let position = part.position.small().ok_or_else(|| SumError::Unsuitable {
            component,
            reason: "a number of the position is too large for a search".to_owned(),
        })?;
        Ok(Part {
            solver: &part.session.solver,
            position: position.to_vec(),
        })
    });
    parts.collect()
}

/// The answer about a sum of one part: that of the part.
fn by_one(
    only: &Component<'_, '_>,
    convention: Convention,
    engines_only: bool,
) -> Result<SumAnswer, SumError> {
    let ask = Ask {
        convention,
        request: match convention {
            Convention::Normal => Request::GrundyIfCheap,
            Convention::Misere => Request::Outcome,
        },
        engines_only,
        ..Ask::default()
    };
    let answered = only.session.position(&only.position, &ask);
    Ok(of_part(0, answered.map_err(|e| in_component(0, e))?, 1))
}

fn in_component(component: usize, unanswered: impl Into<Unanswered>) -> SumError {
    SumError::Component {
        component,
        unanswered: Box::new(unanswered.into()),
    }
}

/// The answer about a sum whose other parts have the nim-sum 0: that of one part.
fn of_part(component: usize, answer: Answer, of: usize) -> SumAnswer {
    let moves = answer.moves.found.iter().cloned();
    let in_part = |to: Position| SumMove::from(ComponentMove { component, to });
    let made = |option: &Vec<u64>| in_part(Position::from(option.as_slice()));
    let by_engine = matches!(answer.basis, Basis::Engine(_));
    let basis = (!by_engine).then(|| answer.basis.clone());
    let mut parts = without_values(of);
    parts[component].grundy = answer.grundy;
    parts[component].basis = Some(answer.basis.clone());
    SumAnswer {
        outcome: answer.outcome,
        grundy: answer.grundy,
        winning_moves: moves.map(in_part).collect(),
        by_side: answer.by_side.as_ref().map(|turns| turns.mapped(&made)),
        extent: answer.moves.extent.clone(),
        method: match (by_engine, answer.grundy) {
            (true, Some(_)) => BY_VALUES,
            (true, None) => BY_SEARCH,
            (false, _) => answer.basis.method(),
        },
        basis,
        parts,
    }
}

/// The limits of one of several parts: the memory for each part is kept until all moves are
/// found, so each part gets a share of the limit.
fn share(session: &Session<'_>, parts: usize) -> Limits {
    Limits {
        memory: session.limits.memory / parts.max(1) as u64,
        ..session.limits.clone()
    }
}

fn by_values(components: &[Component<'_, '_>], engines_only: bool) -> Result<SumAnswer, SumError> {
    let mut valued: Vec<Option<Valued<'_>>> = Vec::new();
    let mut open: Option<(usize, Unanswered)> = None;
    for (component, part) in components.iter().enumerate() {
        let limits = share(part.session, components.len());
        match part.session.value(&part.position, &limits, engines_only) {
            Ok(found) => valued.push(Some(found)),
            // The outcome of one part decides if the others have the nim-sum 0.
            Err(unanswered) if open.is_none() && !unanswered.is_invalid() => {
                open = Some((component, unanswered));
                valued.push(None);
            }
            Err(unanswered) => return Err(in_component(component, unanswered)),
        }
    }
    let grundy = valued
        .iter()
        .flatten()
        .fold(0, |sum, part| sum ^ part.value);
    if let Some((component, unanswered)) = open {
        if grundy != 0 || engines_only {
            return Err(in_component(component, unanswered));
        }
        let part = &components[component];
        let answered = part
            .session
            .position(&part.position, &Ask::outcome(Convention::Normal))
            .map_err(|unanswered| in_component(component, unanswered))?;
        let mut sum = of_part(component, answered, components.len());
        if sum.outcome == Outcome::N {
            // A move in another part to the value of this one wins too; it is not known.
            sum.extent = Extent::Some;
        }
        for (answer, found) in sum.parts.iter_mut().zip(valued) {
            if let Some(found) = found {
                (answer.grundy, answer.basis) = (Some(found.value), Some(found.basis));
            }
        }
        return Ok(sum);
    }
    let mut valued: Vec<Valued<'_>> = valued.into_iter().flatten().collect();
    let mut winning_moves = Vec::new();
    let mut unfinished = None;
    let movers = if grundy == 0 { 0 } else { components.len() };
    for (component, part) in components.iter().enumerate().take(movers) {
        // The value of the other parts.
        let wanted = grundy ^ valued[component].value;
        let limits = share(part.session, components.len());
        let position = part.position.small().unwrap_or_default();
        let moves = valued[component]
            .moves_to(wanted, position, &limits)
            .map_err(|failure| in_component(component, failure))?;
        let found = moves.found.into_iter().map(Position::from);
        winning_moves.extend(found.map(|to| SumMove::from(ComponentMove { component, to })));
        unfinished = unfinished.or(moves.unfinished);
    }
    let basis = weakest(valued.iter().map(|part| &part.basis));
    Ok(SumAnswer {
        outcome: outcome_of(grundy),
        grundy: Some(grundy),
        winning_moves,
        by_side: None,
        extent: unfinished.map_or(Extent::All, Extent::Unfinished),
        method: basis.as_ref().map_or(BY_VALUES, Basis::method),
        basis,
        parts: valued
            .into_iter()
            .map(|part| ComponentAnswer {
                grundy: Some(part.value),
                basis: Some(part.basis),
                value: None,
            })
            .collect(),
    })
}

/// What an answer rests on that rests on all of these, if not on engines alone: the claim with
/// the smallest bound.
fn weakest<'b>(bases: impl Iterator<Item = &'b Basis>) -> Option<Basis> {
    let not_engines = bases.filter(|basis| !matches!(basis, Basis::Engine(_)));
    let weakest = not_engines.min_by_key(|basis| match basis {
        Basis::Claim { to, .. } => *to,
        _ => u64::MAX,
    });
    weakest.cloned()
}

/// A position's Grundy value and its source.
struct Valued<'s> {
    value: u64,
    basis: Basis,
    source: Source<'s>,
}

enum Source<'s> {
    Engine(&'s Solver<'s>, Box<dyn Lookup + 's>),
    Claim(Box<Evaluation<'s>>),
}

impl Valued<'_> {
    /// The options with this value.
    fn moves_to(
        &mut self,
        wanted: u64,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Moves, SolveError> {
        match &mut self.source {
            Source::Engine(solver, lookup) => Ok(Moves {
                found: lookup.moves_to(wanted, solver, position, limits)?,
                unfinished: None,
            }),
            Source::Claim(evaluation) => {
                evaluation.moves_to(wanted, position, &limits.or_work(LAST_ATTEMPT))
            }
        }
    }
}

impl Session<'_> {
    /// The Grundy value of a position under normal play: by a feasible engine, a claim about
    /// values, or any engine.
    fn value<'s>(
        &'s self,
        position: &Position,
        limits: &Limits,
        engines_only: bool,
    ) -> Result<Valued<'s>, Unanswered> {
        let solver: &'s Solver<'s> = &self.solver;
        let Some(position) = position.small() else {
            return Err(Unanswered::from(SolveError::Refused {
                reason: "a number of the position is too large for every engine, and proofs \
                         give only outcomes"
                    .to_owned(),
            }));
        };
        let asked = Query {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let by_engine = |limits: &Limits| {
            let choice = engine::choose_for_one(solver, position, asked, limits, None)?;
            let mut lookup = choice.engine.lookup(solver, position, asked, limits)?;
            Ok(Valued {
                value: lookup.value(position)?,
                basis: Basis::Engine(choice.engine.name()),
                source: Source::Engine(solver, lookup),
            })
        };
        let claims = match engines_only {
            false => applicable_claims(solver.game, asked),
            true => Vec::new(),
        };
        let feasibility = engine::feasibility(solver, position, asked, limits);
        let last = last_attempt(feasibility, limits);
        if claims.is_empty() {
            return Ok(by_engine(&last)?);
        }
        if let Some(settled) = attempt(feasibility, limits, by_engine) {
            return Ok(settled?);
        }
        let mut checks = self.checks.borrow_mut();
        match checks.evaluation(solver, position, &claims, limits)? {
            Found::Evaluation(evaluation, _) => Ok(Valued {
                value: evaluation.value,
                basis: evaluation.basis.clone(),
                source: Source::Claim(Box::new(evaluation)),
            }),
            Found::None(dismissed) => by_engine(&last).map_err(|failure| Unanswered {
                dismissed,
                ..Unanswered::from(failure)
            }),
        }
    }
}

fn by_search(
    parts: &[Part<'_>],
    compound: Compound,
    convention: Convention,
    limits: &Limits,
) -> Result<SumAnswer, SumError> {
    let mut search = search::Search::new(parts, compound, convention, limits);
    let sum: Vec<Vec<u64>> = parts.iter().map(|part| part.position.clone()).collect();
    let wins = search.wins(&sum).map_err(SumError::Search)?;
    let winning_moves = if wins {
        search.winning_moves(&sum).map_err(SumError::Search)?
    } else {
        Vec::new()
    };
    Ok(SumAnswer {
        outcome: outcome_of(u64::from(wins)),
        grundy: None,
        winning_moves,
        by_side: None,
        extent: Extent::All,
        method: BY_SEARCH,
        basis: None,
        parts: without_values(parts.len()),
    })
}

fn by_turns(
    parts: &[Part<'_>],
    compound: Compound,
    convention: Convention,
    limits: &Limits,
) -> Result<SumAnswer, SumError> {
    let by_side =
        by_side::outcomes(parts, compound, convention, limits).map_err(SumError::Search)?;
    let winning_moves = match &by_side {
        BySide::Same(turn) if by_side.outcome() == Outcome::N => {
            turn.moves.iter().map(|(made, _)| made.clone()).collect()
        }
        _ => Vec::new(),
    };
    Ok(SumAnswer {
        outcome: by_side.outcome(),
        grundy: None,
        winning_moves,
        by_side: Some(by_side),
        extent: Extent::All,
        method: BY_SEARCH,
        basis: None,
        parts: without_values(parts.len()),
    })
}

fn without_values(parts: usize) -> Vec<ComponentAnswer> {
    let part = ComponentAnswer {
        grundy: None,
        basis: None,
        value: None,
    };
    vec![part; parts]
}

fn outcome_of(value: u64) -> Outcome {
    if value == 0 { Outcome::P } else { Outcome::N }
}
