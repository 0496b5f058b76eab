//! Positions that are disjunctive sums of connected components: under normal play
//! the Grundy value is the nim-sum of the values of the components (Sprague 1935,
//! Grundy 1939).
//!
//! The box below a component is much smaller than the box below the position.

use super::table::{IS_N, IS_P, NO_POSITION, NO_VALUE};
use super::{
    Choice, Engine, Limits, Lookup, Query, Question, Scope, Shape, SolveError, Solver, Table,
    TableValues, Work, strategy,
};
use nimrule_ir::{InteractionGraph, Stop, Walker};
use nimrule_model::game::Convention;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The engine for sums of connected components; see the [module](self).
pub struct ComponentSum;

/// Boxes of fewer positions are solved without a decomposition.
const SMALL: u128 = 1 << 16;

/// The interaction graph, if positions are sums of their components.
pub fn interaction<'s>(
    solver: &'s Solver<'_>,
    convention: Convention,
) -> Result<&'s InteractionGraph, String> {
    solver.is_impartial_and_ends()?;
    if convention == Convention::Misere {
        return Err("under misere play a position is more than the sum of its parts".to_owned());
    }
    solver.profile.interaction.as_ref().map_err(Clone::clone)
}

/// The components of a position, if there are several and an engine certainly
/// solves each.
pub fn components(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
) -> Option<Vec<Vec<u64>>> {
    if Shape::count(position) <= SMALL {
        return None;
    }
    let components = interaction(solver, query.convention).ok()?.parts(position);
    let sure = |component: &Vec<u64>| {
        choose(solver, component, limits).is_ok_and(|c| c.engine.is_certain())
    };
    (components.len() > 1 && components.iter().all(sure)).then_some(components)
}

/// The engine for the value of a component.
fn choose(solver: &Solver<'_>, component: &[u64], limits: &Limits) -> Result<Choice, SolveError> {
    strategy::choose_for_one(solver, component, VALUES, limits, None)
}

/// The total cost of all components, each solved by its own engine.
fn total_cost(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    cost: impl Fn(&dyn Engine, &[u64]) -> Option<u128>,
) -> Option<u128> {
    let components = interaction(solver, query.convention).ok()?.parts(position);
    let unlimited = Limits::of_memory(u64::MAX);
    components.iter().try_fold(0_u128, |sum, component| {
        let choice = choose(solver, component, &unlimited).ok()?;
        Some(sum.saturating_add(cost(choice.engine, component)?))
    })
}

const VALUES: Query = Query {
    question: Question::Grundy,
    convention: Convention::Normal,
};

impl Engine for ComponentSum {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        interaction(solver, query.convention).map(|_| ())
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _query: Query) -> u128 {
        Shape::count(most).saturating_mul(5)
    }

    fn suits(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<(), String> {
        match components(solver, position, query, limits) {
            Some(_) => Ok(()),
            None => Err("the position itself is one part, or is small".to_owned()),
        }
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    fn bytes_of_one(&self, solver: &Solver<'_>, position: &[u64], query: Query) -> u128 {
        let bytes = total_cost(solver, position, query, |engine, component| {
            Some(engine.bytes_of_one(solver, component, VALUES))
        });
        bytes.unwrap_or(u128::MAX)
    }

    fn operations_of_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
    ) -> Option<u128> {
        total_cost(solver, position, query, |engine, component| {
            engine.operations_of_one(solver, component, VALUES)
        })
    }

    /// The value of a position with several components is a nim-sum, of any other
    /// the mex of its options.
    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let interaction =
            interaction(solver, query.convention).map_err(|reason| self.cannot(reason))?;
        let mut walker = Walker::new(&solver.graph, &[]).until(limits);
        let mut values: Vec<u32> = vec![0; shape.len];
        let excludes = solver.graph.positions.is_some();
        limits.begin(Work::Solving, Some(shape.len as u64));
        shape.try_each(|position, place| {
            if place % 1024 == 0 {
                limits.check_time_at(place as u64)?;
            }
            if excludes
                && !walker
                    .is_position(position)
                    .map_err(|fault| SolveError::of(Stop::Fault(fault), position))?
            {
                values[place] = NO_VALUE;
                return Ok(());
            }
            let components = interaction.parts(position);
            values[place] = if components.len() == 1 {
                let mut found = BTreeSet::new();
                walker
                    .options(position, 0, &mut |option, _| {
                        // INVARIANT: a rule with an interaction graph only takes, so that
                        // options lie in the box.
                        found.extend(shape.place(option).map(|place| values[place]));
                        ControlFlow::Continue(())
                    })
                    .map_err(|stop| SolveError::of(stop, position))?;
                let mut least = 0;
                for value in found {
                    least += u32::from(value == least);
                }
                least
            } else {
                let places = components
                    .iter()
                    .filter_map(|component| shape.place(component));
                places.fold(0, |sum, place| sum ^ values[place])
            };
            Ok::<(), SolveError>(())
        })?;
        let values = match query.question {
            Question::Grundy => TableValues::Grundy(values),
            Question::Outcome => {
                let codes = values.iter().map(|value| match *value {
                    0 => IS_P,
                    NO_VALUE => NO_POSITION,
                    _ => IS_N,
                });
                TableValues::Outcomes(codes.collect())
            }
        };
        Ok(Table::of_box(shape, values, self.name()))
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        let interaction =
            interaction(solver, query.convention).map_err(|reason| self.cannot(reason))?;
        let mut components = Vec::new();
        for component in interaction.parts(position) {
            let engine = choose(solver, &component, limits)?.engine;
            let lookup = engine.lookup(solver, &component, VALUES, limits)?;
            components.push((component, lookup));
        }
        Ok(Box::new(SumLookup {
            components,
            question: query.question,
        }))
    }
}

/// The components of the queried position, each with its lookup.
struct SumLookup<'s> {
    components: Vec<(Vec<u64>, Box<dyn Lookup + 's>)>,
    question: Question,
}

impl Lookup for SumLookup<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        let mut sum = 0;
        for (component, lookup) in &mut self.components {
            let heaps = position.iter().zip(&*component);
            let own: Vec<u64> = heaps
                .map(|(size, most)| if *most > 0 { *size } else { 0 })
                .collect();
            sum ^= lookup.value(&own)?;
        }
        Ok(match self.question {
            Question::Grundy => sum,
            Question::Outcome => u64::from(sum != 0),
        })
    }
}
