//! The token flow of a move: which heaps each step may touch, and bounds on the
//! number of tokens that it takes or puts.
//!
//! This is an over-approximation that does not depend on the position; an
//! unknown bound is `None`. The linear program for the weights reads nothing
//! else of a move.

use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Bool, HeapId, Pick, Set, Slot};
use nimrule_model::game::{Action, Members, Move, Number, Share};
use std::collections::BTreeMap;

/// The token flow of a move.
pub struct TokenFlow {
    pub takes: Vec<Takes>,
    pub puts: Vec<Puts>,
    /// A take whose number of tokens a put returns: the indices of both, and
    /// the pairs of heaps that can occur.
    pub links: Vec<Transfer>,
}

/// A take and the put that returns its tokens to other heaps.
pub struct Transfer {
    pub take: usize,
    pub put: usize,
    pub pairs: Vec<(HeapId, HeapId)>,
}

/// One `take` of a move: the heaps that it may touch, and bounds on its tokens
/// and its repetitions.
pub struct Takes {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    pub pick: Pick,
    /// The largest number of heaps that it takes from at once.
    pub width: i64,
}

/// One `put` of a move.
pub struct Puts {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    /// The largest number of heaps that it puts on at once.
    pub width: i64,
    /// Selections that its heap must differ from.
    pub excluded: Vec<Pick>,
}

/// Computes the token flow of a move.
pub fn token_flow(mover: &Move, slots: usize) -> TokenFlow {
    let mut known = IntervalEnvironment::new(slots, Interval::NATURALS);
    for choice in &mover.choices {
        let members = known.set(&choice.set);
        known.set_local(choice.slot, members);
        if let Some(condition) = &choice.condition {
            known.assume(condition);
        }
    }
    let mut flow = TokenFlow {
        takes: Vec::new(),
        puts: Vec::new(),
        links: Vec::new(),
    };
    let mut picked: BTreeMap<Pick, Vec<HeapId>> = BTreeMap::new();
    let mut widths: BTreeMap<Pick, i64> = BTreeMap::new();
    let mut bound: Vec<(Slot, usize)> = Vec::new();
    for step in &mover.steps {
        let selection = step.action.selection();
        let heaps = heaps_of(&selection.members, &picked);
        picked.insert(selection.pick, heaps.clone());
        let width = largest_member(&selection.members, &widths);
        widths.insert(selection.pick, width);
        // The condition of a step that may be skipped says nothing about later steps.
        let before = (step.least == 0).then(|| known.clone());
        match &step.action {
            Action::Take {
                amount, condition, ..
            } => {
                let taken = amount
                    .numbers
                    .as_ref()
                    .map_or(Interval::from(1), |set| known.set(set))
                    .meet(Interval::from(1));
                known.total = Interval::from(taken.low);
                if let Some(slot) = amount.bound {
                    known.set_local(slot, known.total);
                    if step.least == 1 && step.most == 1 && amount.share == Share::HeapByHeap {
                        bound.push((slot, flow.takes.len()));
                    }
                }
                if let Some(condition) = condition {
                    known.assume(condition);
                }
                flow.takes.push(Takes {
                    heaps,
                    least: i64::try_from(taken.low).unwrap_or(1),
                    most: taken.highest().unwrap_or(i64::MAX),
                    times: (step.least, step.most),
                    pick: selection.pick,
                    width,
                });
            }
            // Only multisets have splits; their termination is proved separately.
            Action::Split { .. } => {}
            Action::Put {
                amount, condition, ..
            } => {
                let number = known.set(amount).meet(Interval::from(1));
                // That two selections differ implies different heaps only if each is a
                // single heap.
                let mut excluded = condition
                    .as_ref()
                    .map_or(Vec::new(), |c| differs_from(c, selection.pick));
                excluded.retain(|other| width == 1 && widths.get(other) == Some(&1));
                let slot = match &amount.node {
                    Set::Items(items) => match items.as_slice() {
                        [only] => only.local(),
                        _ => None,
                    },
                    _ => None,
                };
                let linked = bound.iter().find(|(s, take)| {
                    // On several heaps the number is put several times.
                    Some(*s) == slot
                        && step.most == 1
                        && width == 1
                        && !flow.links.iter().any(|l: &Transfer| l.take == *take)
                });
                if let Some(&(_, take)) = linked {
                    let apart = excluded.contains(&flow.takes[take].pick);
                    let mut pairs = Vec::new();
                    for from in &flow.takes[take].heaps {
                        pairs.extend(
                            heaps
                                .iter()
                                .filter(|to| !apart || from != *to)
                                .map(|to| (*from, *to)),
                        );
                    }
                    flow.links.push(Transfer {
                        take,
                        put: flow.puts.len(),
                        pairs,
                    });
                }
                flow.puts.push(Puts {
                    heaps,
                    least: i64::try_from(number.low).unwrap_or(1),
                    most: number
                        .highest()
                        .and_then(|most| most.checked_mul(width))
                        .unwrap_or(i64::MAX),
                    times: (step.least, step.most),
                    width,
                    excluded,
                });
            }
            Action::Set { size, value, .. } => {
                let times = (step.least, step.most);
                let pick = selection.pick;
                if value.is_at_most(*size) {
                    flow.takes.push(Takes {
                        heaps,
                        least: 0,
                        most: i64::MAX,
                        times,
                        pick,
                        width,
                    });
                } else {
                    flow.puts.push(Puts {
                        heaps,
                        least: 1,
                        most: i64::MAX,
                        times,
                        width,
                        excluded: Vec::new(),
                    });
                }
            }
            // Where tokens slide, termination depends on the arcs alone.
            Action::Slide { .. } => {}
        }
        if let Some(before) = before {
            known = before;
        }
    }
    flow
}

/// Every heap that a selection may hold.
fn heaps_of(members: &Members, picked: &BTreeMap<Pick, Vec<HeapId>>) -> Vec<HeapId> {
    let mut heaps = match members {
        Members::Listed(members) => members.concat(),
        // A shrinking board forbids `put`, so the heaps do not matter.
        Members::Remaining(_) | Members::Multiset { .. } => Vec::new(),
        Members::Picked(pick) => picked.get(pick).cloned().unwrap_or_default(),
        Members::At { heaps, .. } => heaps.clone(),
        Members::Relative { sets, .. } => sets.iter().flatten().flatten().copied().collect(),
    };
    heaps.sort_unstable();
    heaps.dedup();
    heaps
}

/// The selections that the condition requires to differ from this one.
fn differs_from(condition: &Bool, pick: Pick) -> Vec<Pick> {
    match condition {
        Bool::And(all) => all.iter().flat_map(|c| differs_from(c, pick)).collect(),
        Bool::Not(inner) => match &inner.node {
            Bool::Same(left, right) if *left == pick => vec![*right],
            Bool::Same(left, right) if *right == pick => vec![*left],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The size of the largest member: a put puts its number on each of its heaps.
pub fn largest_member(members: &Members, earlier: &BTreeMap<Pick, i64>) -> i64 {
    let heaps = match members {
        Members::Listed(members) => members.iter().map(Vec::len).max().unwrap_or(0),
        Members::Remaining(left) => left.widest(),
        Members::Multiset { number, .. } => match number {
            Number::Some { most, .. } => *most,
            Number::All => return i64::MAX,
        },
        Members::Picked(pick) => return earlier.get(pick).copied().unwrap_or(i64::MAX),
        Members::Relative { sets, .. } => sets.iter().flatten().map(Vec::len).max().unwrap_or(0),
        Members::At { .. } => 1,
    };
    i64::try_from(heaps).unwrap_or(i64::MAX)
}
