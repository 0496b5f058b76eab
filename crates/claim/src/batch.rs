//! Batch evaluation of claims: at up to [`LANES`] positions of a box at once, by the
//! evaluator of expressions that the engines use for moves.

use crate::form::expanded;
use nimrule_engine::{Limits, Shape};
use nimrule_ir::MoveGraph;
use nimrule_ir::batch::{Batch, Bits, Mask, Value, bits_of};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Bool, Expr, Num, Order, Part};
use nimrule_model::game::{Game, PositionKind, Statement};
use nimrule_syntax::ast::Direction;
use std::sync::Arc;

pub(super) use nimrule_ir::batch::{LANES, lanes_of};

// PERF: a batch costs as much as the evaluation of about four positions one by one.
const FEW: u32 = 4;

/// Evaluates one claim. Faults, and numbers too large for a lane, are left to
/// [`ClaimEvaluator`](super::ClaimEvaluator).
pub(super) struct BatchEvaluator<'g> {
    batch: Batch<'g>,
}

/// A claim that batch evaluation supports.
#[derive(Clone)]
pub(super) enum Claimed<'g> {
    /// A condition on the positions of an outcome class, with its forms expanded.
    Condition(Direction, Arc<Expr<Bool>>),
    /// The Grundy value of each position.
    Grundy(&'g Expr<Num>),
}

impl<'g> Claimed<'g> {
    /// Whether the claim has a value at every position of a box of these largest sizes,
    /// however its parts are ordered.
    pub fn is_total(&self, game: &Game, most: &[u64]) -> bool {
        let most = most.iter().copied().max().unwrap_or(0);
        let mut known = IntervalEnvironment::new(game.slots, Interval::new(0, most.into()));
        let part = match self {
            Claimed::Condition(_, condition) => Part::Bool(condition),
            Claimed::Grundy(value) => Part::Num(value),
        };
        is_total(part, &mut known, Interval::I64)
    }

    /// The claim, if batch evaluation supports it in a box of these largest sizes.
    pub fn of(game: &Game, statement: &'g Statement, most: &[u64]) -> Option<Claimed<'g>> {
        let is_large = |size: &u64| *size > Shape::LARGEST_OF_LANES;
        if game.position_kind != PositionKind::Heaps || most.iter().any(is_large) {
            return None;
        }
        match statement {
            Statement::Outcome {
                up_to_symmetry: false,
                direction,
                condition,
                ..
            } => {
                let condition = Arc::new(expanded(game, condition));
                Some(Claimed::Condition(*direction, condition))
            }
            Statement::Grundy(value) => Some(Claimed::Grundy(value)),
            _ => None,
        }
    }
}

/// What is known of the lanes of a batch.
pub(super) enum Facts<'a> {
    /// The lanes whose outcome is that of the claim.
    OfClass(Bits),
    /// The Grundy value in each lane; those outside of the active lanes are not read.
    Grundy(&'a [u32]),
}

impl<'g> BatchEvaluator<'g> {
    pub fn new(graph: &'g MoveGraph, limits: &Limits) -> BatchEvaluator<'g> {
        BatchEvaluator {
            batch: Batch::of_expressions(graph, limits),
        }
    }

    /// The lanes of `active` at which the claim fails, or is not evaluated in a batch.
    /// `sizes` are the sizes of each heap in every lane.
    pub fn failing(
        &mut self,
        claimed: &Claimed<'_>,
        sizes: impl FnOnce() -> Vec<Value>,
        active: Bits,
        facts: &Facts<'_>,
    ) -> Bits {
        let about = match (claimed, facts) {
            // An implication leaves some positions open.
            (Claimed::Condition(Direction::If, _), Facts::OfClass(class)) => {
                each(active, *class, |active, class| active & !class)
            }
            (Claimed::Condition(Direction::OnlyIf, _), Facts::OfClass(class)) => {
                each(active, *class, |active, class| active & class)
            }
            _ => active,
        };
        if about.iter().map(|word| word.count_ones()).sum::<u32>() <= FEW {
            return about;
        }
        self.batch.load(sizes());
        let lanes = Mask::of_bits(about);
        let mut failing = match (claimed, facts) {
            (Claimed::Condition(_, condition), Facts::OfClass(class)) => {
                let holds = bits_of(self.batch.holds(condition, &lanes).on());
                each(holds, *class, |holds, class| holds ^ class)
            }
            (Claimed::Grundy(value), Facts::Grundy(values)) => {
                let claimed = self.batch.number(value, &lanes);
                let most = values.iter().copied().max().unwrap_or(0);
                if u64::from(most) > Shape::LARGEST_OF_LANES {
                    return about;
                }
                let values = values.iter().map(|value| *value as i32);
                let actual = Value::of_numbers(values, 0, most.into());
                bits_of(claimed.compare(Order::NotEqual, &actual, &lanes).on())
            }
            _ => return about,
        };
        let fallback = self.batch.fallback();
        if !fallback.is_empty() {
            failing = each(failing, bits_of(fallback.on()), |failing, open| {
                failing | open
            });
        }
        each(failing, about, |failing, about| failing & about)
    }
}

/// Combines two sets of lanes word by word.
fn each(one: Bits, other: Bits, combine: impl Fn(u64, u64) -> u64) -> Bits {
    std::array::from_fn(|word| combine(one[word], other[word]))
}
