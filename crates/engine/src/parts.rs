//! Positions that are disjunctive sums of connected components: under normal play
//! the Grundy value is the nim-sum of the values of the components (Sprague 1935,
//! Grundy 1939).
//!
//! The box below a component is much smaller than the box below the position.

use super::table::{IS_N, IS_P};
use super::{
    Asked, Choice, Engine, Failure, Limits, Lookup, Question, Region, Scope, Shape, Solver, Table,
    Values, Work, strategy,
};
use nimrule_ir::{InteractionGraph, Walker};
use nimrule_model::game::Convention;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

pub struct Parts;

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
pub fn parts(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    limits: &Limits,
) -> Option<Vec<Vec<u64>>> {
    if Shape::count(position) <= SMALL {
        return None;
    }
    let parts = interaction(solver, asked.convention).ok()?.parts(position);
    let sure = |part: &Vec<u64>| choose(solver, part, limits).is_ok_and(|c| c.engine.is_certain());
    (parts.len() > 1 && parts.iter().all(sure)).then_some(parts)
}

/// The engine for the value of a component.
fn choose(solver: &Solver<'_>, part: &[u64], limits: &Limits) -> Result<Choice, Failure> {
    strategy::choose_for_one(solver, part, VALUES, limits, None)
}

/// The total cost of all components, each by its engine.
fn each_part(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    cost: impl Fn(&dyn Engine, &[u64]) -> Option<u128>,
) -> Option<u128> {
    let parts = interaction(solver, asked.convention).ok()?.parts(position);
    let unlimited = Limits::of_memory(u64::MAX);
    parts.iter().try_fold(0_u128, |sum, part| {
        let choice = choose(solver, part, &unlimited).ok()?;
        Some(sum.saturating_add(cost(choice.engine, part)?))
    })
}

const VALUES: Asked = Asked {
    question: Question::Grundy,
    convention: Convention::Normal,
};

impl Engine for Parts {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn can(&self, solver: &Solver<'_>, asked: Asked) -> Result<(), String> {
        interaction(solver, asked.convention).map(|_| ())
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _asked: Asked) -> u128 {
        Shape::count(most).saturating_mul(5)
    }

    fn suits(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<(), String> {
        match parts(solver, position, asked, limits) {
            Some(_) => Ok(()),
            None => Err("the position does not fall into parts, or is small".to_owned()),
        }
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    fn bytes_of_one(&self, solver: &Solver<'_>, position: &[u64], asked: Asked) -> u128 {
        let bytes = each_part(solver, position, asked, |engine, part| {
            Some(engine.bytes_of_one(solver, part, VALUES))
        });
        bytes.unwrap_or(u128::MAX)
    }

    fn operations_of_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Asked,
    ) -> Option<u128> {
        each_part(solver, position, asked, |engine, part| {
            engine.operations_of_one(solver, part, VALUES)
        })
    }

    /// The value of a position with several components is a nim-sum, of any other
    /// the mex of its options.
    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        let interaction =
            interaction(solver, asked.convention).map_err(|reason| Failure::Cannot {
                engine: self.name(),
                reason,
            })?;
        let mut walker = Walker::new(&solver.graph, &[]).until(limits);
        let mut values: Vec<u32> = vec![0; shape.len];
        limits.begin(Work::Solving, Some(shape.len as u64));
        shape.try_each(|position, place| {
            if place % 1024 == 0 {
                limits.check_time_at(place as u64)?;
            }
            let parts = interaction.parts(position);
            values[place] = if parts.len() == 1 {
                let mut found = BTreeSet::new();
                walker
                    .options(position, 0, &mut |option, _| {
                        // INVARIANT: a translation-invariant rule only takes, so
                        // that options lie in the box.
                        found.extend(shape.place(option).map(|place| values[place]));
                        ControlFlow::Continue(())
                    })
                    .map_err(|stop| Failure::of(stop, position))?;
                let mut least = 0;
                for value in found {
                    least += u32::from(value == least);
                }
                least
            } else {
                let places = parts.iter().filter_map(|part| shape.place(part));
                places.fold(0, |sum, place| sum ^ values[place])
            };
            Ok::<(), Failure>(())
        })?;
        let values = match asked.question {
            Question::Grundy => Values::Grundy(values),
            Question::Outcome => {
                let codes = values
                    .iter()
                    .map(|value| if *value == 0 { IS_P } else { IS_N });
                Values::Outcomes(codes.collect())
            }
        };
        Ok(Table {
            region: Region::Box(shape.clone()),
            values,
            engine: self.name(),
        })
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, Failure> {
        let cannot = |reason| Failure::Cannot {
            engine: self.name(),
            reason,
        };
        let interaction = interaction(solver, asked.convention).map_err(cannot)?;
        let mut parts = Vec::new();
        for part in interaction.parts(position) {
            let engine = choose(solver, &part, limits)?.engine;
            let lookup = engine.lookup(solver, &part, VALUES, limits)?;
            parts.push((part, lookup));
        }
        Ok(Box::new(Sum {
            parts,
            question: asked.question,
        }))
    }
}

/// The components of the queried position, each with its lookup.
struct Sum<'s> {
    parts: Vec<(Vec<u64>, Box<dyn Lookup + 's>)>,
    question: Question,
}

impl Lookup for Sum<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, Failure> {
        let mut sum = 0;
        for (part, lookup) in &mut self.parts {
            let heaps = position.iter().zip(&*part);
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
