//! Heap games: rules in which every move changes and reads one heap only.
//!
//! A move that removes constant numbers and splits the rest into a constant range
//! of heaps is a [`HeapMove`]; every other move must be walked. Heaps with the
//! same moves are of one kind: the declared kinds of a multiset, else the classes
//! of heaps that the same moves may choose.

use super::{Alternative, Fact, MoveGraph, Node, Numbers, Take, alternative_of};
use nimrule_model::expr::{Bool, HeapId, List, NamedSet, OfKind, Order, Part, Pick, Set, Slot};
use nimrule_model::game::{Leaving, Members, Number, Parts, TerminationMeasure};
use nimrule_sequence::{ENDLESS, HeapMove};
use petgraph::graph::NodeIndex;

/// The rules of all kinds of heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapRules {
    /// The rule of each kind.
    pub rules: Vec<HeapRule>,
    /// The kind of each heap; empty for a multiset of heaps.
    pub kind_of_heap: Vec<usize>,
}

/// The rule of one kind of heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapRule {
    /// Exactly these moves.
    Moves(Vec<KindMove>),
    /// Moves that depend on the size of the heap.
    Other,
}

/// One kind of move on a single heap, and what it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindMove {
    /// The numbers removed, and the number of heaps left.
    pub way: HeapMove,
    /// Whether the move lists the numbers that it removes.
    pub removes: Removes,
    /// The kind of the heaps that the move leaves.
    pub into: usize,
}

/// Whether a [`HeapMove`] lists the numbers that it removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removes {
    /// It lists them.
    AsListed,
    /// Any member of an infinite set; the move lists none, since there are too many.
    Named(NamedSet),
}

/// An alternative that changes and reads one heap.
struct Alone<'g> {
    heaps: Heaps<'g>,
    /// The alternative as a [`HeapMove`], if possible.
    form: Option<Form>,
}

/// The heaps that an alternative may choose.
enum Heaps<'g> {
    Placed(&'g [Vec<HeapId>]),
    OfKind(OfKind),
}

#[derive(Clone, PartialEq, Eq)]
struct Form {
    way: HeapMove,
    removes: Removes,
    into: Option<usize>,
}

/// A move of a heap, for the comparison of heaps.
#[derive(Clone, PartialEq, Eq)]
enum Known {
    Form(Form),
    /// The alternative of this number.
    Number(usize),
}

pub(super) fn heap_rules(
    graph: &MoveGraph,
    chains: &[Vec<NodeIndex>],
    termination: &TerminationMeasure,
) -> Fact<HeapRules> {
    if graph.positions.is_some() {
        return Err("not every tuple of sizes is a position".to_owned());
    }
    // A sequence is computed by ascending size.
    if let Some(order) = &termination.order
        && !order.is_by_size()
    {
        return Err("a move may leave a heap of another kind that is not smaller".to_owned());
    }
    let alternatives: Vec<Alone<'_>> = chains
        .iter()
        .map(|chain| alone(graph, chain))
        .collect::<Fact<_>>()?;
    let kinds = graph.kinds.as_ref();
    // The moves of each heap, or of each kind of the multiset.
    let subjects = kinds.map_or(graph.heaps, |kinds| kinds.count() as usize);
    let mut moves: Vec<Vec<Known>> = vec![Vec::new(); subjects];
    for (number, alternative) in alternatives.iter().enumerate() {
        let known = match &alternative.form {
            Some(form) => Known::Form(form.clone()),
            None => Known::Number(number),
        };
        match &alternative.heaps {
            Heaps::Placed(listed) => {
                for heap in listed.iter().flatten() {
                    moves[heap.index()].push(known.clone());
                }
            }
            Heaps::OfKind(kind) => {
                for (subject, moves) in moves.iter_mut().enumerate() {
                    if kind.has(Some(subject)) {
                        moves.push(known.clone());
                    }
                }
            }
        }
    }
    if kinds.is_some() {
        let rules = moves.iter().enumerate().map(|(kind, m)| rule_of(m, kind));
        return Ok(HeapRules {
            rules: rules.collect(),
            kind_of_heap: Vec::new(),
        });
    }
    let mut first: Vec<&Vec<Known>> = Vec::new();
    let mut kind_of_heap = Vec::new();
    for moves in &moves {
        let kind = match first.iter().position(|other| *other == moves) {
            Some(kind) => kind,
            None => {
                first.push(moves);
                first.len() - 1
            }
        };
        kind_of_heap.push(kind);
    }
    let rules = first.iter().enumerate().map(|(kind, m)| rule_of(m, kind));
    Ok(HeapRules {
        rules: rules.collect(),
        kind_of_heap,
    })
}

fn rule_of(moves: &[Known], kind: usize) -> HeapRule {
    let ways: Option<Vec<KindMove>> = moves
        .iter()
        .map(|known| match known {
            Known::Number(_) => None,
            Known::Form(form) => {
                let into = form.into.unwrap_or(kind);
                // A `HeapMove` cannot express a change of kind alone.
                let changes_kind =
                    form.way.leaves.0 <= 1 && form.way.removes.first() == Some(&(0, 0));
                (into == kind || !changes_kind).then(|| KindMove {
                    way: form.way.clone(),
                    removes: form.removes,
                    into,
                })
            }
        })
        .collect();
    ways.map_or(HeapRule::Other, HeapRule::Moves)
}

/// Analyses an alternative that changes and reads one heap only.
fn alone<'g>(graph: &'g MoveGraph, chain: &[NodeIndex]) -> Fact<Alone<'g>> {
    let only = super::only_heap(graph, chain);
    let mut chosen: Option<(Heaps<'g>, Pick)> = None;
    let mut form = None;
    let mut steps = 0;
    for &at in chain {
        let words = graph.words(at);
        let pick = chosen.as_ref().map(|(_, pick)| *pick);
        let looks = |part: Part<'_>| -> Fact<()> {
            if super::looks_beyond_one_heap(part, pick, only) {
                return Err(format!("`{words}` depends on more than one heap"));
            }
            Ok(())
        };
        match graph.node(at) {
            Node::Join | Node::End => {}
            Node::Guard(condition) => {
                steps += 2;
                looks(Part::Bool(condition))?;
            }
            Node::Number { set, condition, .. } => {
                steps += 2;
                looks(Part::Set(set))?;
                condition
                    .iter()
                    .map(|part| Part::Bool(part))
                    .try_for_each(looks)?;
            }
            Node::Repeat { most, .. } => {
                steps += 2;
                let body = graph.after(at).first().map(|body| graph.node(*body));
                let anew = match body {
                    Some(Node::Choice { members, .. }) => !always_the_same(members),
                    _ => true,
                };
                if *most > 1 && anew {
                    return Err(format!("`{words}` selects a new heap each time"));
                }
            }
            Node::Choice { pick, members } => match (members, &chosen) {
                (members, None) if let Some(heaps) = members.single_heaps() => {
                    chosen = Some((Heaps::Placed(heaps), *pick));
                }
                (
                    Members::Multiset {
                        number: Number::Some { least: 1, most: 1 },
                        kind,
                    },
                    None,
                ) => chosen = Some((Heaps::OfKind(*kind), *pick)),
                (Members::Picked(earlier), Some((_, first))) if earlier == first => {}
                (_, Some(_)) if only.is_some() => {}
                (_, Some(_)) => return Err(format!("`{words}` may select a second heap")),
                (_, None) => return Err(format!("`{words}` does not select one heap")),
            },
            Node::Take(take) => {
                steps += 1;
                take.whole
                    .iter()
                    .map(|part| Part::Bool(part))
                    .try_for_each(looks)?;
                take.amount
                    .iter()
                    .map(|part| Part::Set(part))
                    .try_for_each(looks)?;
                form = of_take(take);
            }
            Node::Split {
                parts, condition, ..
            } => {
                steps += 1;
                condition
                    .iter()
                    .map(|part| Part::Bool(part))
                    .try_for_each(looks)?;
                form = of_split(parts, condition.as_deref());
            }
            Node::Replace(replace) => {
                steps += 2;
                replace.parts().map(|part| part.node).try_for_each(looks)?;
            }
            // It takes tokens, or none.
            Node::Set {
                size,
                heap: None,
                value,
                condition,
                ..
            } if value.is_at_most(*size) => {
                steps += 2;
                looks(Part::Num(value))?;
                condition
                    .iter()
                    .map(|part| Part::Bool(part))
                    .try_for_each(looks)?;
            }
            _ => return Err(format!("`{words}` neither takes nor splits")),
        }
    }
    let (heaps, _) = chosen.ok_or("a move selects no heap")?;
    Ok(Alone {
        heaps,
        form: form.filter(|_| steps == 1),
    })
}

/// Whether repeated selection always gives the same heap.
fn always_the_same(members: &Members) -> bool {
    match members {
        Members::Listed(listed) => listed.len() == 1,
        Members::Picked(_) => true,
        _ => false,
    }
}

fn of_take(take: &Take) -> Option<Form> {
    if !take.plan.is_unconditional() {
        return None;
    }
    let unbounded = !take.plan.has_bounds();
    let (runs, removes) = match (&take.plan.numbers, alternative_of(take)) {
        (Numbers::Set(set), _) if unbounded && let Set::Named(named) = set.node => {
            (Vec::new(), Removes::Named(named))
        }
        (_, Alternative::Any) => (vec![(1, ENDLESS)], Removes::AsListed),
        (_, Alternative::Runs(runs)) => (runs, Removes::AsListed),
        (_, Alternative::Other) => return None,
    };
    let (leaves, into) = match take.leaving {
        None => ((0, 1), None),
        Some(leaving) => (number_left(leaving), leaving.kind),
    };
    let way = HeapMove {
        removes: runs,
        leaves,
        distinct: false,
    };
    Some(Form { way, removes, into })
}

fn number_left(leaving: Leaving) -> (u32, u32) {
    let bounded = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (bounded(leaving.least), bounded(leaving.most))
}

fn of_split(parts: &Parts, condition: Option<&Bool>) -> Option<Form> {
    let form = |leaves, distinct, into| Form {
        way: HeapMove {
            removes: vec![(0, 0)],
            leaves,
            distinct,
        },
        removes: Removes::AsListed,
        into,
    };
    match (parts, condition) {
        (Parts::Counted(leaving), None) => Some(form(number_left(*leaving), false, leaving.kind)),
        (Parts::Counted(_), Some(_)) | (Parts::Any, _) => None,
        (Parts::Named(slots), condition) => {
            let number = u32::try_from(slots.len()).ok()?;
            let distinct = match condition {
                None => false,
                Some(condition) if requires_distinct(condition, slots) => true,
                Some(_) => return None,
            };
            Some(form((number, number), distinct, None))
        }
    }
}

/// Whether the condition is equivalent to all these numbers being distinct.
fn requires_distinct(condition: &Bool, slots: &[Slot]) -> bool {
    if let Bool::Distinct(list) = condition
        && let List::Items(items) = &list.node
    {
        let named = |slot: &Slot| items.iter().any(|item| item.local() == Some(*slot));
        return items.len() == slots.len() && slots.iter().all(named);
    }
    let all: Vec<&Bool> = match condition {
        Bool::And(all) => all.iter().map(|part| &part.node).collect(),
        one => vec![one],
    };
    let pairs: Option<Vec<(Slot, Slot)>> = all
        .iter()
        .map(|part| match part {
            Bool::Compare(Order::NotEqual, a, b) => {
                let (a, b) = a.local().zip(b.local())?;
                Some((a.min(b), a.max(b)))
            }
            // The order of the parts does not matter: `a < b` is equivalent to
            // `a != b` up to exchange.
            Bool::Compare(Order::Less, a, b) if slots.len() == 2 => {
                let (a, b) = a.local().zip(b.local())?;
                Some((a.min(b), a.max(b)))
            }
            _ => None,
        })
        .collect();
    let Some(pairs) = pairs else { return false };
    let wanted = slots.iter().enumerate().flat_map(|(place, first)| {
        let others = &slots[place + 1..];
        others
            .iter()
            .map(move |second| (*first.min(second), *first.max(second)))
    });
    let wanted: Vec<(Slot, Slot)> = wanted.collect();
    wanted.iter().all(|pair| pairs.contains(pair)) && pairs.iter().all(|p| wanted.contains(p))
}
