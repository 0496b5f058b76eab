//! Pairing strategies: a sufficient condition on a rule.
//!
//! Let some heaps be paired, and consider a position with equal heaps in each
//! pair and empty heaps elsewhere. Suppose that
//!
//! - a move is one choice of heaps and one take,
//! - its conditions read the sizes of the chosen heaps only,
//! - the partners of every choice are a choice, too, and
//! - no choice contains both heaps of a pair.
//!
//! Then the second player answers each move with the same move in the partners.
//! All pairs are equal again and the number of tokens has decreased. The second
//! player therefore takes the last token, and the position is P under normal
//! play. See "pairing strategy" in `docs/src/glossary.md`.

use super::profile::chains;
use super::{Fact, MoveGraph, Node, Numbers, Take};
use nimrule_model::expr::{HeapId, Part};
use nimrule_model::game::{Members, Share};
use std::collections::BTreeSet;

type Sets = Vec<Vec<HeapId>>;

/// Checks that the rule satisfies the conditions for a pairing strategy with
/// these pairs, each given once.
///
/// # Errors
///
/// The first condition that fails.
pub fn pairing(graph: &MoveGraph, pairs: &[(HeapId, HeapId)], names: &[String]) -> Fact<()> {
    if let Some(words) = graph.again() {
        return Err(format!("`{words}` continues the turn"));
    }
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
    // An unrestricted take is answered by any unrestricted take of a superset of
    // the partners; another take by the same alternative.
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

/// The choice and the take of an alternative that has one of each and reads no
/// other heaps.
fn one_take<'g>(
    graph: &'g MoveGraph,
    chain: &[petgraph::graph::NodeIndex],
) -> Fact<(&'g Sets, &'g Take)> {
    let mut found: (Option<&Sets>, Option<&Take>) = (None, None);
    for &at in chain {
        let words = graph.words(at);
        let looks = || format!("`{words}` depends on heaps that are not taken from");
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

/// Whether any numbers may be taken, independently from each heap.
fn is_free(take: &Take) -> bool {
    take.whole.is_none() && take.share == Share::HeapByHeap && matches!(take.numbers, Numbers::Any)
}
