//! Rules whose moves take the same number from each heap of a set.

use super::{Alternative, Fact, alternative_of, any_position, single_take};
use crate::{MoveGraph, Numbers};
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Members, Share};
use petgraph::graph::NodeIndex;

/// A move that takes the same number from each heap of a set: a number in one of
/// the intervals, both ends included. The set may be a single heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualNumbers {
    /// The heaps of the set, ascending.
    pub heaps: Vec<HeapId>,
    /// The intervals of numbers, ascending and disjoint.
    pub runs: Vec<(u64, u64)>,
}

/// The largest number of sets of heaps that is listed.
const MOST_SETS: usize = 1 << 12;

/// All moves of the rule, if each takes the same number from a set of heaps in
/// every position.
pub(super) fn equal_numbers(
    graph: &MoveGraph,
    chains: &[Vec<NodeIndex>],
) -> Fact<Vec<EqualNumbers>> {
    any_position(graph)?;
    let mut found = Vec::new();
    for chain in chains {
        let (members, take) = single_take(graph, chain)?;
        let Members::Listed(members) = members else {
            return Err("which heaps are chosen depends on the position".to_owned());
        };
        let plan = &take.plan;
        let bounded = !plan.at_least.is_empty() || !plan.at_most.is_empty();
        for member in members {
            let several = member.len() > 1;
            if take.leaving.is_some() || !plan.each_at_most.is_empty() || several && bounded {
                return Err("the bounds of the amounts are not constant".to_owned());
            }
            let runs = match alternative_of(take) {
                Alternative::Any => vec![(1, u64::MAX)],
                Alternative::Runs(runs) => runs,
                Alternative::Other => {
                    return Err("the set of amounts is not constant".to_owned());
                }
            };
            let slow = matches!(&plan.numbers, Numbers::Listed(listed) if listed == &[1]);
            if !several || take.share == Share::Equal {
                found.push(EqualNumbers {
                    heaps: member.clone(),
                    runs,
                });
            } else if slow && member.len() < usize::BITS as usize - 1 {
                // One from each heap of every subset of the selection.
                let parts = 1_usize << member.len();
                if found.len() + parts > MOST_SETS {
                    return Err("there are too many sets of heaps".to_owned());
                }
                found.extend((1..parts).map(|part| {
                    EqualNumbers {
                        heaps: (0..member.len())
                            .filter(|place| part >> place & 1 == 1)
                            .map(|place| member[place])
                            .collect(),
                        runs: vec![(1, 1)],
                    }
                }));
            } else {
                return Err("the amounts from several heaps may differ".to_owned());
            }
        }
    }
    found.sort_unstable_by(|a, b| (&a.heaps, &a.runs).cmp(&(&b.heaps, &b.runs)));
    found.dedup();
    Ok(found)
}
