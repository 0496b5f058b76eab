//! Enumeration plans: an equivalent, faster enumeration of the numbers of a take.
//!
//! A plan is computed from the numbers and the condition as written. Conjuncts
//! that bound the number taken become bounds, a conjunct with few solutions
//! becomes the list of them, and conjuncts that do not read the number are
//! evaluated once before the enumeration.
//!
//! A plan may evaluate a conjunct where the rule as written evaluates nothing:
//! no number is left, or an earlier conjunct fails. Therefore only total
//! conjuncts are planned, in a prefix of total conjuncts. If one of them
//! overflows nevertheless, the numbers are enumerated as written.

pub(crate) mod bounds_propagation;

use super::Numbers;
use bounds_propagation::{add_bounds, add_each_bound, restrict_to_few};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::solve::Unknown;
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Bool, Expr, Num, Part, Set};
use nimrule_model::game::{Amount, Share};
use nimrule_model::source::join;

/// The largest number of members of a range that is listed.
const MOST_LISTED: usize = 4096;

/// The plan of a take.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The candidate numbers.
    pub numbers: Numbers,
    /// Whether the numbers were solved from the condition.
    pub has_few_numbers: bool,
    /// Bounds on the total taken, evaluated in the position before the step.
    pub at_least: Vec<Expr<Num>>,
    /// Upper bounds; see `at_least`.
    pub at_most: Vec<Expr<Num>>,
    /// Bounds on the number taken from each of several heaps.
    pub each_at_most: Vec<Expr<Num>>,
    /// The conjuncts that the numbers and the bounds do not imply.
    pub remaining: Option<Expr<Bool>>,
    /// The remaining conjuncts that do not read the number, evaluated once; and
    /// those evaluated for each number.
    pub before_numbers: Option<Expr<Bool>>,
    /// The remaining conjuncts that read the number; see `before_numbers`.
    pub per_number: Option<Expr<Bool>>,
    /// The local that holds the total taken, if it has a name.
    pub(super) bound: Option<nimrule_model::expr::Slot>,
}

impl Plan {
    /// The plan of an amount with these numbers and this condition.
    pub(super) fn new(
        numbers: &Numbers,
        amount: &Amount,
        condition: Option<&Expr<Bool>>,
        one_heap: bool,
        slots: usize,
    ) -> Plan {
        let mut plan = Plan {
            numbers: numbers.clone(),
            has_few_numbers: false,
            at_least: Vec::new(),
            at_most: Vec::new(),
            each_at_most: Vec::new(),
            remaining: None,
            before_numbers: None,
            per_number: None,
            bound: amount.bound,
        };
        let mut remaining = Vec::new();
        let (mut before_numbers, mut per_number) = (Vec::new(), Vec::new());
        let mut total_so_far = amount.share == Share::HeapByHeap;
        // The evaluation of the plan detects overflow.
        let mut intervals = IntervalEnvironment::new(slots, Interval::NATURALS);
        if let Some(slot) = amount.bound {
            intervals.set_local(slot, intervals.total);
        }
        for part in condition.map_or(Vec::new(), Expr::conjuncts) {
            total_so_far =
                total_so_far && is_total(Part::Bool(part), &mut intervals, Interval::ALL);
            let is_absorbed = total_so_far
                && match &part.node {
                    Bool::Each(slot, each) if !one_heap => add_each_bound(&mut plan, *slot, each),
                    // For one heap the number taken is the total, so that solutions
                    // for the total are candidate numbers.
                    part => {
                        add_bounds(&mut plan, part) || one_heap && restrict_to_few(&mut plan, part)
                    }
                };
            if is_absorbed {
                continue;
            }
            remaining.push(part.clone());
            if total_so_far && !plan.amount().is_read_by(Part::Bool(part)) {
                before_numbers.push(part.clone());
            } else {
                per_number.push(part.clone());
            }
        }
        plan.remaining = conjunction(remaining);
        plan.before_numbers = conjunction(before_numbers);
        plan.per_number = conjunction(per_number);
        plan
    }

    /// The total that the step takes, as an unknown.
    pub fn amount(&self) -> Unknown {
        Unknown::Amount(self.bound)
    }

    /// All bounds.
    pub fn bounds(&self) -> impl Iterator<Item = &Expr<Num>> {
        self.at_least
            .iter()
            .chain(&self.at_most)
            .chain(&self.each_at_most)
    }

    /// Whether numbers and bounds imply the whole condition.
    pub fn is_unconditional(&self) -> bool {
        self.remaining.is_none()
    }

    pub(super) fn has_bounds(&self) -> bool {
        self.bounds().next().is_some()
    }

    pub(super) fn set_few_numbers(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.has_few_numbers = true;
    }
}

fn conjunction(mut parts: Vec<Expr<Bool>>) -> Option<Expr<Bool>> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => {
            let at = parts.iter().map(|part| part.span).reduce(join);
            at.map(|at| Expr::new(Bool::And(parts), at))
        }
    }
}

pub(super) fn numbers(set: Option<&Expr<Set>>) -> Numbers {
    let Some(set) = set else { return Numbers::Any };
    let constants: Option<Vec<i64>> = match &set.node {
        Set::Items(items) => items.iter().map(|item| item.constant()).collect(),
        Set::Range(low, Some(high)) => match (low.constant(), high.constant()) {
            (Some(low), Some(high)) if high.saturating_sub(low) < MOST_LISTED as i64 => {
                Some((low..=high).collect())
            }
            _ => None,
        },
        Set::Powers(base) => base.constant().filter(|base| *base >= 2).map(|base| {
            std::iter::successors(Some(1_i64), |power| power.checked_mul(base)).collect()
        }),
        _ => None,
    };
    match constants {
        Some(constants) => {
            let mut listed: Vec<u64> = constants
                .into_iter()
                .filter_map(|c| u64::try_from(c).ok())
                .collect();
            listed.retain(|number| *number > 0);
            listed.sort_unstable();
            listed.dedup();
            Numbers::Listed(listed)
        }
        None => Numbers::Set(set.clone()),
    }
}
