//! Disjunctive sums of positions of several games: a move is a move in one part.
//!
//! Under normal play the value of the sum is the nim-sum of the values of the
//! parts, and a move wins if it gives its part the nim-sum of the others (Sprague
//! 1935, Grundy 1939). Under misère play there are no such values, so the
//! positions of the sum are searched, as they are if a part is partizan or its
//! positions may repeat.

mod by_side;
mod parts;
mod search;

use crate::{Basis, Checks, Claims, RejectedClaim, Unanswered, Valued, answer::METHOD};
use nimrule_engine::{self as engine, BySide, Limits, Outcome, Solver};
use nimrule_model::game::{Convention, Game, PositionKind};

/// One part of a sum.
#[derive(Debug, Clone)]
pub struct Component<'s, 'g> {
    /// Parts with the same solver are positions of the same game.
    pub solver: &'s Solver<'g>,
    /// The position of this component.
    pub position: Vec<u64>,
}

/// The answer about one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentAnswer {
    /// `None` if the positions of the sum were searched.
    pub grundy: Option<u64>,
    /// The method by which the value was computed.
    pub method: Option<&'static str>,
    /// The claim that the value relies on, if no engine gave it.
    pub basis: Option<Basis>,
}

/// A move in one of the parts, given by the index of the part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentMove {
    /// The index of the component.
    pub component: usize,
    /// The position of the component after the move.
    pub to: Vec<u64>,
}

/// The answer about a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumAnswer {
    /// The outcome class of the sum.
    pub outcome: Outcome,
    /// `None` if the positions were searched.
    pub grundy: Option<u64>,
    /// By part, each ascending; empty in partizan sums: see `by_side`.
    pub winning_moves: Vec<ComponentMove>,
    /// The outcomes with either player to move and their remoteness, if a part is
    /// partizan or its positions may repeat.
    pub by_side: Option<BySide<ComponentMove>>,
    /// The limit that was exceeded before all winning moves were found.
    pub unfinished: Option<engine::SolveError>,
    /// How the answer was found: by values or by a search.
    pub method: &'static str,
    /// The claim with the smallest bound among those that the answer relies on.
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
        /// The failure of the engines.
        failure: engine::SolveError,
        /// The claims that could not be used.
        dismissed: Vec<RejectedClaim>,
    },
    /// The sum has too many positions to search.
    Search(engine::SolveError),
}

/// The names of the methods "by values" and "by search", in reports.
const BY_VALUES: &str = "nim-sum";
const BY_SEARCH: &str = "search";

/// Answers about a sum.
///
/// # Errors
///
/// Why there is no answer.
pub fn answer(
    components: &[Component<'_, '_>],
    convention: Convention,
    limits: &Limits,
    claims: Claims,
) -> Result<SumAnswer, SumError> {
    for (component, part) in components.iter().enumerate() {
        if let Err(reason) = fits(part.solver.game) {
            return Err(SumError::Unsuitable { component, reason });
        }
    }
    let has_values = |part: &Component<'_, '_>| part.solver.game.no_grundy_values().is_none();
    match convention {
        _ if !components.iter().all(has_values) => by_turns(components, convention, limits),
        Convention::Normal => by_values(components, limits, claims),
        Convention::Misere => by_search(components, convention, limits),
    }
}

/// Whether positions of the game can be parts of a sum.
fn fits(game: &Game) -> Result<(), String> {
    if game.position_kind == PositionKind::Reals {
        return Err("its heaps are of real size, and have no tables".to_owned());
    }
    if game.blocked_options > 0 {
        return Err("the opponent may block options, and no rule for sums says which".to_owned());
    }
    Ok(())
}

fn by_values(
    components: &[Component<'_, '_>],
    limits: &Limits,
    claims: Claims,
) -> Result<SumAnswer, SumError> {
    // The memory for each part is kept until all moves are found, so each part
    // gets a share of the limit.
    let share = Limits {
        memory: limits.memory / components.len().max(1) as u64,
        ..limits.clone()
    };
    let mut checks = Checks::default();
    let mut valued: Vec<Valued<'_>> = Vec::new();
    for (component, part) in components.iter().enumerate() {
        let found = checks
            .value(part.solver, &part.position, &share, claims)
            .map_err(
                |Unanswered {
                     failure, dismissed, ..
                 }| SumError::Component {
                    component,
                    failure,
                    dismissed,
                },
            )?;
        valued.push(found);
    }
    let grundy = valued.iter().fold(0, |sum, part| sum ^ part.value);
    let mut winning_moves = Vec::new();
    let mut unfinished = None;
    let movers = if grundy == 0 { 0 } else { components.len() };
    for (component, part) in components.iter().enumerate().take(movers) {
        // The value of the other parts.
        let wanted = grundy ^ valued[component].value;
        let moves = valued[component]
            .moves_to(wanted, &part.position, &share)
            .map_err(|failure| SumError::Component {
                component,
                failure,
                dismissed: Vec::new(),
            })?;
        winning_moves.extend(
            moves
                .found
                .into_iter()
                .map(|to| ComponentMove { component, to }),
        );
        unfinished = unfinished.or(moves.unfinished);
    }
    let basis = valued
        .iter()
        .filter_map(|part| part.basis.as_ref())
        .min_by_key(|basis| basis.to)
        .cloned();
    Ok(SumAnswer {
        outcome: outcome_of(grundy),
        grundy: Some(grundy),
        winning_moves,
        by_side: None,
        unfinished,
        method: if basis.is_some() { METHOD } else { BY_VALUES },
        basis,
        parts: valued
            .into_iter()
            .map(|part| ComponentAnswer {
                grundy: Some(part.value),
                method: Some(part.method),
                basis: part.basis,
            })
            .collect(),
    })
}

fn by_search(
    components: &[Component<'_, '_>],
    convention: Convention,
    limits: &Limits,
) -> Result<SumAnswer, SumError> {
    let mut search = search::Search::new(components, convention, limits);
    let sum: Vec<Vec<u64>> = components
        .iter()
        .map(|part| part.position.clone())
        .collect();
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
        unfinished: None,
        method: BY_SEARCH,
        basis: None,
        parts: without_values(components),
    })
}

fn by_turns(
    components: &[Component<'_, '_>],
    convention: Convention,
    limits: &Limits,
) -> Result<SumAnswer, SumError> {
    let by_side = by_side::outcomes(components, convention, limits).map_err(SumError::Search)?;
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
        unfinished: None,
        method: BY_SEARCH,
        basis: None,
        parts: without_values(components),
    })
}

fn without_values(components: &[Component<'_, '_>]) -> Vec<ComponentAnswer> {
    let part = ComponentAnswer {
        grundy: None,
        method: None,
        basis: None,
    };
    vec![part; components.len()]
}

fn outcome_of(value: u64) -> Outcome {
    if value == 0 { Outcome::P } else { Outcome::N }
}
