//! How the numbers of a take are enumerated in fewer steps than by trying all
//! of them.
//!
//! A plan is made from the numbers and the condition as they are written, and
//! is never more than a faster way to the same options: conjuncts that bound the
//! number taken become bounds, one that a few numbers alone can meet becomes
//! these numbers, and what reads no number is asked once, before any is tried.
//!
//! A part of a plan is evaluated where the rule itself might not evaluate
//! anything, since no number is left to be tried, or one that is tried fails by
//! an earlier conjunct. So only conjuncts that are defined in every position are
//! planned, and those before them; and where one of them overflows all the same
//! the numbers are tried one by one, as written.

use super::Numbers;
use super::narrow::{narrows, narrows_each, narrows_to_few};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::solve::Unknown;
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Bool, Expr, Num, Part, Set};
use nimrule_model::game::{Amount, Share};
use nimrule_model::source::join;

/// Sets of constants up to this many members are written out.
const MOST_LISTED: usize = 4096;

#[derive(Debug, Clone)]
pub struct Plan {
    /// The numbers to try.
    pub numbers: Numbers,
    /// Are they fewer than those that are written, by what the condition says?
    pub has_few_numbers: bool,
    /// Bounds on the number taken, all heaps together, in the position in which
    /// the step begins.
    pub at_least: Vec<Expr<Num>>,
    pub at_most: Vec<Expr<Num>>,
    /// Bounds on the number taken from each of several heaps.
    pub each_at_most: Vec<Expr<Num>>,
    /// What is left of the condition once the bounds are met.
    pub rest: Option<Expr<Bool>>,
    /// The part of the rest that reads no number taken, and is asked before any
    /// is; and the other part.
    pub beforehand: Option<Expr<Bool>>,
    pub afterwards: Option<Expr<Bool>>,
    /// Where the number taken has a name.
    pub(super) bound: Option<nimrule_model::expr::Slot>,
}

impl Plan {
    /// The plan for an amount with these numbers, taken from one heap or from
    /// several.
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
            rest: None,
            beforehand: None,
            afterwards: None,
            bound: amount.bound,
        };
        let mut rest = Vec::new();
        let (mut beforehand, mut afterwards) = (Vec::new(), Vec::new());
        let mut sure = amount.share == Share::HeapByHeap;
        // An overflow is found when a part of the plan is evaluated.
        let mut known = IntervalEnvironment::new(slots, Interval::NATURALS);
        if let Some(slot) = amount.bound {
            known.set_local(slot, known.total);
        }
        for part in condition.map_or(Vec::new(), Expr::conjuncts) {
            sure = sure && is_total(Part::Bool(part), &mut known, Interval::ALL);
            let narrowed = sure
                && match &part.node {
                    Bool::Each(slot, each) if !one_heap => narrows_each(&mut plan, *slot, each),
                    // Where one heap is taken from, the number taken is the total,
                    // and a set of totals is a set of numbers to take.
                    part => narrows(&mut plan, part) || one_heap && narrows_to_few(&mut plan, part),
                };
            if narrowed {
                continue;
            }
            rest.push(part.clone());
            if sure && !plan.amount().is_read_by(Part::Bool(part)) {
                beforehand.push(part.clone());
            } else {
                afterwards.push(part.clone());
            }
        }
        plan.rest = all_of(rest);
        plan.beforehand = all_of(beforehand);
        plan.afterwards = all_of(afterwards);
        plan
    }

    /// The number that the step takes, all heaps together.
    pub fn amount(&self) -> Unknown {
        Unknown::Amount(self.bound)
    }

    /// The expressions that bound the numbers.
    pub fn bounds(&self) -> impl Iterator<Item = &Expr<Num>> {
        self.at_least
            .iter()
            .chain(&self.at_most)
            .chain(&self.each_at_most)
    }

    /// Has the condition become numbers that are tried, bounds on them, or
    /// nothing?
    pub fn is_unconditional(&self) -> bool {
        self.rest.is_none()
    }

    pub(super) fn has_bounds(&self) -> bool {
        self.bounds().next().is_some()
    }

    pub(super) fn try_few(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.has_few_numbers = true;
    }
}

fn all_of(mut parts: Vec<Expr<Bool>>) -> Option<Expr<Bool>> {
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
