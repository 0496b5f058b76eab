//! The pairing theorem: may who moves second always answer in the partners?
//!
//! Let every heap but some have a partner, and let a position have equal heaps
//! in each pair and nothing elsewhere. Suppose that a move is one choice of
//! heaps and one take, that what it asks of sizes it asks of the heaps chosen
//! alone, that the partners of the heaps that may be chosen may be chosen too,
//! and that no choice holds both heaps of a pair. Then whatever is taken from
//! some heaps, the partners of these still have what those had, can be chosen,
//! and the same may be taken from them. All pairs are equal again, and with
//! each such answer there are fewer tokens: so who answers takes the last one,
//! and the position is P under normal play.

use super::profile::chains;
use super::{Fact, MoveGraph, Node, Numbers, Take};
use nimrule_model::expr::{HeapId, Part};
use nimrule_model::game::{Members, Share};
use std::collections::BTreeSet;

type Sets = Vec<Vec<HeapId>>;

/// Why the pairs are answered in, as far as this rule goes, or why that cannot
/// be said. Each pair is given once.
pub fn pairing(graph: &MoveGraph, pairs: &[(HeapId, HeapId)], names: &[String]) -> Fact<()> {
    if graph.positions.is_some() {
        return Err("`positions where` may exclude the answer".to_owned());
    }
    let mut partner: Vec<Option<HeapId>> = vec![None; graph.heaps];
    for (one, other) in pairs {
        partner[one.index()] = Some(*other);
        partner[other.index()] = Some(*one);
    }
    let mut alternatives = Vec::new();
    for chain in chains(graph) {
        alternatives.push(one_take(graph, &chain)?);
    }
    for (members, _) in &alternatives {
        for member in *members {
            let both = member
                .iter()
                .find(|heap| partner[heap.index()].is_some_and(|other| member.contains(&other)));
            if let Some(heap) = both {
                let other = partner[heap.index()].unwrap_or(*heap);
                return Err(format!(
                    "a move may take from both `{}` and its partner `{}`",
                    names[heap.index()],
                    names[other.index()]
                ));
            }
        }
    }
    // Free takes are answered by any free take that reaches as far; others by
    // the same alternative.
    let free: Vec<&Sets> = alternatives
        .iter()
        .filter(|(_, take)| is_free(take))
        .map(|(members, _)| *members)
        .collect();
    let free: BTreeSet<&Vec<HeapId>> = free.into_iter().flatten().collect();
    for (members, take) in &alternatives {
        let all: BTreeSet<&Vec<HeapId>> = if is_free(take) {
            free.clone()
        } else {
            members.iter().collect()
        };
        for member in *members {
            let mut answer: Vec<HeapId> = member
                .iter()
                .map(|heap| partner[heap.index()].unwrap_or(*heap))
                .collect();
            answer.sort_unstable();
            let paired = |heap: &&HeapId| partner[heap.index()].is_some();
            let reaches =
                |set: &&Vec<HeapId>| answer.iter().filter(paired).all(|h| set.contains(h));
            let answered = all.contains(&answer) || (is_free(take) && all.iter().any(reaches));
            if !answered {
                let list = |heaps: &[HeapId]| {
                    let names: Vec<&str> =
                        heaps.iter().map(|h| names[h.index()].as_str()).collect();
                    names.join(" ")
                };
                return Err(format!(
                    "a move may take from {} together, and none from their partners {}",
                    list(member),
                    list(&answer)
                ));
            }
        }
    }
    Ok(())
}

/// An alternative that is one choice and one take, which asks nothing of heaps
/// that it does not choose.
fn one_take<'g>(
    graph: &'g MoveGraph,
    chain: &[petgraph::graph::NodeIndex],
) -> Fact<(&'g Sets, &'g Take)> {
    let mut found: (Option<&Sets>, Option<&Take>) = (None, None);
    for &at in chain {
        let words = graph.words(at);
        let looks = || format!("`{words}` looks at heaps that are not taken from");
        match graph.node(at) {
            Node::Number { set, condition, .. } => {
                let parts = [
                    Some(Part::Set(set)),
                    condition.as_ref().map(|part| Part::Bool(part)),
                ];
                if parts.into_iter().flatten().any(Part::reads_position) {
                    return Err(looks());
                }
            }
            Node::Choice { members, .. } => match (members, found.0) {
                (Members::Listed(listed), None) => found.0 = Some(listed),
                (Members::Listed(_) | Members::Picked(_), Some(_)) => {
                    return Err(format!("`{words}` is a second step"));
                }
                _ => return Err(format!("`{words}` depends on the position")),
            },
            Node::Take(take) => {
                let conditions = take.whole.iter().map(|part| Part::Bool(part));
                let amounts = take.amount.iter().map(|part| Part::Set(part));
                let mut parts = conditions.chain(amounts);
                if parts.any(Part::reads_heaps) {
                    return Err(looks());
                }
                if found.1.replace(take).is_some() {
                    return Err(format!("`{words}` is a second step"));
                }
            }
            Node::Guard(condition) if Part::Bool(condition).reads_position() => {
                return Err(looks());
            }
            Node::Guard(_) | Node::Join | Node::End => {}
            _ => return Err(format!("`{words}` is more than one take")),
        }
    }
    match found {
        (Some(members), Some(take)) => Ok((members, take)),
        _ => Err("a move takes nothing".to_owned()),
    }
}

/// May any numbers be taken, heap by heap?
fn is_free(take: &Take) -> bool {
    take.whole.is_none() && take.share == Share::HeapByHeap && matches!(take.numbers, Numbers::Any)
}
