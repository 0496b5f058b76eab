//! What a move takes and puts, seen apart from the position.
//!
//! The weights ask of a move only which heaps each step may touch and how many
//! tokens it moves at least and at most. That is gathered here from a sound
//! move, as coarsely as need be and never too finely: a bound that is not
//! known is left open. What the weights make of it is not known here.

use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Bool, HeapId, Pick, Set, Slot};
use nimrule_model::game::{Action, Members, Move, Number, Share};
use std::collections::BTreeMap;

/// What a move does to the heaps, as far as the weights are concerned.
pub struct Flow {
    pub takes: Vec<Takes>,
    pub puts: Vec<Puts>,
    /// A take whose number a put puts down again: the index of both, and the
    /// pairs of heaps that can occur.
    pub links: Vec<Link>,
}

pub struct Link {
    pub take: usize,
    pub put: usize,
    pub pairs: Vec<(HeapId, HeapId)>,
}

/// One `take` of a move: the heaps it may touch, how many tokens at least and
/// at most, and how often it is done at least and at most.
pub struct Takes {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    pub pick: Pick,
    /// The most heaps that it takes from at once.
    pub width: i64,
}

/// One `put` of a move.
pub struct Puts {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    /// The most heaps that it puts on at once.
    pub width: i64,
    /// Selections that its heap is said to differ from.
    pub excluded: Vec<Pick>,
}

/// What a move takes and puts, seen apart from the position.
pub fn flow_of(mover: &Move, slots: usize) -> Flow {
    let mut known = IntervalEnvironment::new(slots, Interval::NATURALS);
    for choice in &mover.choices {
        let members = known.set(&choice.set);
        known.set_local(choice.slot, members);
        if let Some(condition) = &choice.condition {
            known.assume(condition);
        }
    }
    let mut flow = Flow {
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
        let width = widest(&selection.members, &widths);
        widths.insert(selection.pick, width);
        // What is asked of a step that may be left out says nothing later.
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
            // A bag alone has splits, and its ending is decided apart.
            Action::Split { .. } => {}
            Action::Put {
                amount, condition, ..
            } => {
                let number = known.set(amount).meet(Interval::from(1));
                // That two selections differ says something of their heaps only
                // where each is one heap.
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
                    // On several heaps the number is put down several times.
                    Some(*s) == slot
                        && step.most == 1
                        && width == 1
                        && !flow.links.iter().any(|l: &Link| l.take == *take)
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
                    flow.links.push(Link {
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
            // Where tokens slide, the arcs say whether play ends.
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
        // A shrinking board takes no tokens back, so the heaps do not matter.
        Members::Remaining(_) | Members::Multiset { .. } => Vec::new(),
        Members::Picked(pick) => picked.get(pick).cloned().unwrap_or_default(),
        Members::At { heaps, .. } => heaps.clone(),
    };
    heaps.sort_unstable();
    heaps.dedup();
    heaps
}

/// The selections that a condition says are not this one.
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

/// The most heaps that one member holds: a put puts its number on each.
pub fn widest(members: &Members, earlier: &BTreeMap<Pick, i64>) -> i64 {
    let heaps = match members {
        Members::Listed(members) => members.iter().map(Vec::len).max().unwrap_or(0),
        Members::Remaining(left) => left.widest(),
        Members::Multiset { number, .. } => match number {
            Number::Some { most, .. } => *most,
            Number::All => return i64::MAX,
        },
        Members::Picked(pick) => return earlier.get(pick).copied().unwrap_or(i64::MAX),
        Members::At { .. } => 1,
    };
    i64::try_from(heaps).unwrap_or(i64::MAX)
}
