//! Tokens on a digraph: a move slides one token along an arc.
//!
//! The position of a single token is a vertex; retrograde analysis of the digraph
//! gives the outcomes of all vertices together. Several tokens are a disjunctive
//! sum: under normal play the (loopy) Grundy values of their vertices determine its
//! outcome ([`nimrule_relation::values`]). Under misère play they do not, and the
//! engine rejects the query.

use super::retrograde::{self, BySide, SideOutcome};
use super::strategy::CHEAP;
use super::table::{Placements, code};
use super::{
    Engine, Limits, Lookup, Outcome, PositionAnswer, Query, Question, Region, Scope, Shape,
    SolveError, Solver, Table, TableValues,
};
use nimrule_ir::{MoveGraph, Walker};
use nimrule_model::digraph::Digraph;
use nimrule_model::game::{Convention, Game};
use nimrule_relation::values::{self, Value};
use nimrule_relation::{Label, Labels, Reverse, Terminal};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

/// The engine for tokens on a digraph; see the [module](self).
pub struct TokensOnDigraph;

/// The cost of an arc in operations of [`Engine::operations`]: for outcomes, and for
/// Grundy values.
const OPERATIONS_PER_LABEL: u128 = 6;
const OPERATIONS_PER_VALUE: u128 = 30;

/// The largest number of positions of several tokens that are explored to find the
/// remoteness.
const MAX_EXPLORED: u128 = 200_000;

/// The results for the digraph of a game, computed once.
#[derive(Debug, Default)]
struct DigraphCache {
    normal: RefCell<Option<Rc<Labels>>>,
    misere: RefCell<Option<Rc<Labels>>>,
    values: RefCell<Option<Rc<values::Values>>>,
}

/// The digraph and the indices of the tokens that may move.
struct SlidingTokens<'s> {
    digraph: &'s Arc<Digraph>,
    sliding: Vec<usize>,
}

fn tokens<'s>(solver: &'s Solver<'_>) -> Result<SlidingTokens<'s>, String> {
    let Some(digraph) = solver.game.digraph() else {
        return Err("there are no tokens that slide".to_owned());
    };
    if solver.game.has_sides() {
        return Err("each side has moves of its own".to_owned());
    }
    let may = solver.profile.slides_one.clone()?;
    Ok(SlidingTokens {
        digraph,
        sliding: (0..may.len()).filter(|token| may[*token]).collect(),
    })
}

impl SlidingTokens<'_> {
    fn states(&self, position: &[u64]) -> impl Iterator<Item = usize> {
        self.sliding.iter().map(|token| {
            // INVARIANT: the tokens of a position stand on vertices.
            let state = self.digraph.state(position[*token]);
            state.expect("a token stands on a vertex")
        })
    }
}

/// The outcomes of all vertices for a single token.
fn labels(
    solver: &Solver<'_>,
    digraph: &Digraph,
    convention: Convention,
    limits: &Limits,
) -> Result<Rc<Labels>, SolveError> {
    let found = solver.cache::<DigraphCache>();
    let known = match convention {
        Convention::Normal => &found.normal,
        Convention::Misere => &found.misere,
    };
    if let Some(known) = &*known.borrow() {
        return Ok(known.clone());
    }
    fits(digraph, Reverse::bytes_for, limits)?;
    let terminal = match convention {
        Convention::Normal => Terminal::Loses,
        Convention::Misere => Terminal::Wins,
    };
    let labels = digraph.relation.labels(terminal, &mut || {
        limits.check_time().map_err(SolveError::from)
    })?;
    let labels = Rc::new(labels);
    known.replace(Some(labels.clone()));
    Ok(labels)
}

/// The Grundy values of all vertices.
fn vertex_values(
    solver: &Solver<'_>,
    digraph: &Digraph,
    limits: &Limits,
) -> Result<Rc<values::Values>, SolveError> {
    let known = &solver.cache::<DigraphCache>().values;
    if let Some(known) = &*known.borrow() {
        return Ok(known.clone());
    }
    fits(digraph, values::Values::bytes_for, limits)?;
    let found = values::Values::of_relation(&digraph.relation, &mut || {
        limits.check_time().map_err(SolveError::from)
    })?;
    let found = Rc::new(found);
    known.replace(Some(found.clone()));
    Ok(found)
}

fn fits(
    digraph: &Digraph,
    bytes_for: fn(u128, u128) -> u128,
    limits: &Limits,
) -> Result<(), SolveError> {
    let needed = bytes_for(digraph.len() as u128, digraph.relation.arcs() as u128);
    if needed > u128::from(limits.memory) {
        return Err(SolveError::Memory {
            needed,
            limit: limits.memory,
        });
    }
    Ok(())
}

fn outcome_of_label(label: Label) -> Outcome {
    match label {
        Label::Win(_) => Outcome::N,
        Label::Lose(_) => Outcome::P,
        Label::Draw => Outcome::D,
    }
}

fn outcome_of_value(value: &Value) -> Outcome {
    match value {
        Value::Finite(0) => Outcome::P,
        Value::Finite(_) => Outcome::N,
        Value::Loopy(options) if options.contains(&0) => Outcome::N,
        Value::Loopy(_) => Outcome::D,
    }
}

/// Answers from the results for single vertices.
enum VertexAnswers<'s> {
    /// The outcomes for a single token, given by its index.
    One(&'s Digraph, usize, Rc<Labels>),
    /// The values for a sum of tokens.
    Sum(SlidingTokens<'s>, Rc<values::Values>),
}

impl<'s> VertexAnswers<'s> {
    fn new(
        solver: &'s Solver<'_>,
        query: Query,
        limits: &Limits,
    ) -> Result<VertexAnswers<'s>, SolveError> {
        let tokens = tokens(solver).map_err(cannot)?;
        match (query.question, tokens.sliding.as_slice()) {
            (Question::Outcome, [token]) => {
                let labels = labels(solver, tokens.digraph, query.convention, limits)?;
                Ok(VertexAnswers::One(tokens.digraph, *token, labels))
            }
            _ => {
                let values = vertex_values(solver, tokens.digraph, limits)?;
                Ok(VertexAnswers::Sum(tokens, values))
            }
        }
    }

    fn value(&self, position: &[u64]) -> Value {
        match self {
            VertexAnswers::One(..) => unreachable!("only sums have values"),
            VertexAnswers::Sum(tokens, values) => values::sum(
                tokens
                    .states(position)
                    .map(|state| values.of(&tokens.digraph.relation, state)),
            ),
        }
    }

    fn outcome(&self, position: &[u64]) -> Outcome {
        match self {
            VertexAnswers::One(digraph, token, labels) => {
                let state = digraph.state(position[*token]);
                outcome_of_label(labels.of(state.expect("a token stands on a vertex")))
            }
            VertexAnswers::Sum(tokens, values) => {
                let mut sum = 0;
                for state in tokens.states(position) {
                    match values.finite(state) {
                        Some(value) => sum ^= value,
                        None => return outcome_of_value(&self.value(position)),
                    }
                }
                outcome_of_value(&Value::Finite(sum))
            }
        }
    }
}

fn cannot(reason: String) -> SolveError {
    SolveError::Cannot {
        engine: TokensOnDigraph.name(),
        reason,
    }
}

impl Engine for TokensOnDigraph {
    fn name(&self) -> &'static str {
        "arcs"
    }

    fn applies_to(&self, game: &Game) -> bool {
        game.digraph().is_some()
    }

    fn needs_ending_play(&self) -> bool {
        false
    }

    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        let tokens = tokens(solver)?;
        if solver.game.blocked_options > 0 {
            return Err("the opponent may block options".to_owned());
        }
        match (query.convention, query.question) {
            (Convention::Normal, _) => Ok(()),
            (Convention::Misere, Question::Grundy) => {
                Err("no Grundy values for misere play".to_owned())
            }
            (Convention::Misere, Question::Outcome) if tokens.sliding.len() > 1 => {
                Err("under misere play the tokens' values do not decide a sum".to_owned())
            }
            (Convention::Misere, Question::Outcome) => Ok(()),
        }
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _query: Query) -> u128 {
        Shape::count(most)
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        // The memory for the digraph is checked when its labels are computed.
        0
    }

    /// The labels or values of all vertices are computed together.
    fn operations(&self, solver: &Solver<'_>, _most: &[u64], query: Query) -> Option<u128> {
        let arcs = solver.game.digraph()?.relation.arcs() as u128;
        Some(match query.question {
            Question::Outcome => OPERATIONS_PER_LABEL * arcs,
            Question::Grundy => OPERATIONS_PER_VALUE * arcs,
        })
    }

    fn fill_placements(
        &self,
        solver: &Solver<'_>,
        places: &Placements,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let answers = VertexAnswers::new(solver, query, limits)?;
        let region = Region::Placements(places.clone());
        let mut outcomes = Vec::new();
        let mut grundy = Vec::new();
        region.try_each(|position, place| {
            if place % (1 << 16) == 0 {
                limits.check_time()?;
            }
            match query.question {
                Question::Outcome => outcomes.push(code(answers.outcome(position))),
                Question::Grundy => match answers.value(position) {
                    Value::Finite(value) => grundy.push(value),
                    Value::Loopy(_) => return Err(cannot("a value is loopy".to_owned())),
                },
            }
            Ok(())
        })?;
        let values = match query.question {
            Question::Outcome => TableValues::Outcomes(outcomes),
            Question::Grundy => TableValues::Grundy(grundy),
        };
        Ok(Table::new(region, values, self.name()))
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        _position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        Ok(Box::new(DigraphLookup {
            answers: VertexAnswers::new(solver, query, limits)?,
            query,
        }))
    }

    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<PositionAnswer, SolveError> {
        answer(solver, position, query, limits)
    }
}

/// The lookup of this engine.
struct DigraphLookup<'s> {
    answers: VertexAnswers<'s>,
    query: Query,
}

impl Lookup for DigraphLookup<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        if self.query.question == Question::Grundy {
            return match self.answers.value(position) {
                Value::Finite(value) => Ok(value.into()),
                Value::Loopy(_) => Err(cannot("the value is loopy".to_owned())),
            };
        }
        match self.answers.outcome(position) {
            Outcome::P => Ok(0),
            Outcome::N => Ok(1),
            outcome => Err(cannot(format!("the outcome {outcome} is neither P nor N"))),
        }
    }
}

/// Answers about one position.
fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
) -> Result<PositionAnswer, SolveError> {
    let outcomes = Query {
        question: Question::Outcome,
        ..query
    };
    let answers = VertexAnswers::new(solver, outcomes, limits)?;
    let outcome = answers.outcome(position);
    let tokens = tokens(solver).map_err(cannot)?;
    let value = value(solver, position, query, &tokens, limits)?;
    let by_side = match &answers {
        VertexAnswers::One(digraph, token, labels) => {
            let label = |position: &[u64]| {
                let state = digraph.state(position[*token]);
                labels.of(state.expect("a token stands on a vertex"))
            };
            Some(side_outcome(
                &solver.graph,
                position,
                limits,
                label(position),
                |option| label(option),
            )?)
        }
        VertexAnswers::Sum(tokens, _) => {
            let there = (tokens.digraph.len() as u128)
                .checked_pow(tokens.sliding.len().try_into().unwrap_or(u32::MAX));
            if there.is_some_and(|there| there <= MAX_EXPLORED) {
                let explored = retrograde::answer(solver, position, query.convention, limits)?;
                match explored.by_side {
                    Some(BySide::Same(side_outcome)) => Some(side_outcome),
                    _ => None,
                }
            } else if outcome == Outcome::D {
                let kept = side_outcome(&solver.graph, position, limits, Label::Draw, |option| {
                    match answers.outcome(option) {
                        Outcome::D => Label::Draw,
                        _ => Label::Win(0),
                    }
                })?;
                Some(kept)
            } else {
                None
            }
        }
    };
    let winning_moves = match (&by_side, outcome) {
        (
            Some(SideOutcome {
                label: Label::Win(_),
                moves,
            }),
            _,
        ) => moves.iter().map(|(option, _)| option.clone()).collect(),
        (None, Outcome::N) => DigraphLookup {
            answers,
            query: outcomes,
        }
        .winning_moves(solver, position, limits)?,
        _ => Vec::new(),
    };
    Ok(PositionAnswer {
        outcome,
        grundy: match &value {
            Some(Value::Finite(value)) => Some(u64::from(*value)),
            _ => None,
        },
        loopy: match value {
            Some(Value::Loopy(options)) => Some(options.into_iter().map(u64::from).collect()),
            _ => None,
        },
        winning_moves,
        by_side: by_side.map(BySide::Same),
        method: TokensOnDigraph.name(),
        rejected: Vec::new(),
    })
}

/// The Grundy value of a position, if it is requested or cheap.
fn value(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    tokens: &SlidingTokens<'_>,
    limits: &Limits,
) -> Result<Option<Value>, SolveError> {
    let known = solver.cache::<DigraphCache>().values.borrow().is_some();
    let cheap = OPERATIONS_PER_VALUE * tokens.digraph.relation.arcs() as u128 <= CHEAP;
    let wanted = query.question == Question::Grundy || known || cheap;
    if query.convention == Convention::Misere || !wanted {
        return Ok(None);
    }
    let values = vertex_values(solver, tokens.digraph, limits)?;
    let relation = &tokens.digraph.relation;
    Ok(Some(values::sum(
        tokens
            .states(position)
            .map(|state| values.of(relation, state)),
    )))
}

/// The outcome of a position for the player to move, with the moves that realise it:
/// to lost positions if it is won, to drawn ones if it is drawn. `of` returns the
/// label of an option.
pub fn side_outcome(
    graph: &MoveGraph,
    position: &[u64],
    limits: &Limits,
    label: Label,
    of: impl Fn(&[u64]) -> Label,
) -> Result<SideOutcome, SolveError> {
    let mut moves = BTreeMap::new();
    Walker::new(graph, &[])
        .until(limits)
        .options(position, 0, &mut |option, _| {
            match (label, of(option)) {
                (Label::Win(_), Label::Lose(rest)) => {
                    moves.insert(option.to_vec(), Some(rest + 1));
                }
                (Label::Draw, Label::Draw) => {
                    moves.insert(option.to_vec(), None);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .map_err(|stop| SolveError::of(stop, position))?;
    Ok(SideOutcome {
        label,
        moves: moves.into_iter().collect(),
    })
}
