//! Invariance of a condition under permutations of the heaps.

use super::condition::Node;
use super::number::Number;
use nimrule_model::expr::{Arithmetic, Bool, List, Num, Order, Part, Slot};
use std::collections::BTreeSet;

/// Whether the condition is syntactically invariant under each of the permutations, up to
/// the order of operands of commutative operators. A sufficient test only.
pub(super) fn is_invariant(condition: &Node<'_>, permutations: &[Vec<usize>]) -> bool {
    let Some(first) = permutations.first() else {
        return true;
    };
    let identity: Vec<usize> = (0..first.len()).collect();
    let as_it_is = of_node(condition, &Heaps(&identity));
    as_it_is.is_some()
        && permutations
            .iter()
            .all(|permutation| of_node(condition, &Heaps(permutation)) == as_it_is)
}

/// The heap that each heap is replaced by.
struct Heaps<'a>(&'a [usize]);

impl Heaps<'_> {
    fn heap(&self, heap: usize) -> usize {
        self.0[heap]
    }

    /// Whether the permutation leaves a part that reads only these heaps unchanged.
    fn leaves(&self, touched: u64) -> bool {
        let heaps = self.0.iter().enumerate();
        heaps
            .filter(|(heap, image)| heap != *image)
            .all(|(heap, _)| touched >> heap & 1 == 0)
    }

    /// Whether a part has the same value when the heaps are permuted: it reads heaps that
    /// stay, or whole lists of heaps that are the same up to their order. No part depends on
    /// the order of a list: what indexes heaps has them itself and not in a [`List::Heaps`].
    fn leaves_part(&self, part: Part<'_>) -> bool {
        let mut bound = BTreeSet::new();
        part.any(&mut |part| {
            bound.extend(bound_by(part));
            false
        });
        !part.any(&mut |part| match part {
            // Its value is that of an outer name, which is not known here.
            Part::Num(Num::Local(slot)) => !bound.contains(slot),
            Part::List(List::Heaps(list)) => {
                let heaps: BTreeSet<usize> = list.iter().map(|heap| heap.index()).collect();
                heaps.iter().any(|heap| !heaps.contains(&self.heap(*heap)))
            }
            part => match part.own_reads().heaps() {
                Some(mut read) => read.any(|heap| self.heap(heap.index()) != heap.index()),
                None => true,
            },
        })
    }
}

/// The local variable that a part binds.
fn bound_by(part: Part<'_>) -> Option<Slot> {
    match part {
        Part::Num(Num::Let(slot, ..))
        | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
        | Part::List(List::Gathered { slot, .. }) => Some(*slot),
        Part::Num(Num::Components(region)) => Some(region.slot),
        Part::Bool(Bool::Joined(joined)) => Some(joined.through.slot),
        _ => None,
    }
}

/// A canonical text of a condition with its heaps permuted; `None` if a part does
/// not allow it.
fn of_node(node: &Node<'_>, heaps: &Heaps<'_>) -> Option<String> {
    let all = |nodes: &[Node<'_>]| -> Option<Vec<String>> {
        nodes.iter().map(|node| of_node(node, heaps)).collect()
    };
    Some(match node {
        Node::Compare(order, left, right) => {
            let sides = vec![of_number(left, heaps)?, of_number(right, heaps)?];
            let symmetric = matches!(order, Order::Equal | Order::NotEqual);
            written(&format!("{order:?}"), sides, symmetric)
        }
        Node::And(nodes) => {
            let (equations, others): (Vec<&Node<'_>>, _) = nodes
                .iter()
                .partition(|node| matches!(node, Node::Compare(Order::Equal, ..)));
            let mut parts = equal_numbers(&equations, heaps)?;
            for node in others {
                parts.push(of_node(node, heaps)?);
            }
            written("and", parts, true)
        }
        Node::Or(nodes) => written("or", all(nodes)?, true),
        Node::Not(inner) => written("not", vec![of_node(inner, heaps)?], false),
        Node::If(condition, then, otherwise) => {
            let parts = [condition, then, otherwise];
            let parts: Option<Vec<String>> =
                parts.into_iter().map(|part| of_node(part, heaps)).collect();
            written("if", parts?, false)
        }
        Node::OneOf(positions) => {
            let permuted = positions.iter().map(|position| {
                let mut sizes = position.clone();
                for (heap, size) in position.iter().enumerate() {
                    sizes[heaps.heap(heap)] = *size;
                }
                format!("{sizes:?}")
            });
            written("one of", permuted.collect(), true)
        }
        Node::Other(condition, touched, _)
            if heaps.leaves(*touched) || heaps.leaves_part(Part::Bool(condition)) =>
        {
            format!("{condition:?}")
        }
        Node::Other(..) => return None,
    })
}

/// The classes of numbers that some equations state to be equal: `a == b` and `b == c` say
/// the same as `a == c` and `c == b`.
fn equal_numbers(equations: &[&Node<'_>], heaps: &Heaps<'_>) -> Option<Vec<String>> {
    let mut classes: Vec<BTreeSet<String>> = Vec::new();
    for equation in equations {
        let Node::Compare(_, left, right) = equation else {
            return None;
        };
        let mut class = BTreeSet::from([of_number(left, heaps)?, of_number(right, heaps)?]);
        classes.retain_mut(|other| {
            let is_apart = other.is_disjoint(&class);
            if !is_apart {
                class.append(other);
            }
            is_apart
        });
        classes.push(class);
    }
    let classes = classes.into_iter();
    Some(
        classes
            .map(|class| written("equal", class.into_iter().collect(), true))
            .collect(),
    )
}

fn of_number(number: &Number<'_>, heaps: &Heaps<'_>) -> Option<String> {
    let all = |numbers: &[Number<'_>]| -> Option<Vec<String>> {
        numbers.iter().map(|n| of_number(n, heaps)).collect()
    };
    Some(match number {
        Number::Const(value) => value.to_string(),
        Number::Heap(heap) => format!("heap {}", heaps.heap(*heap)),
        Number::Negate(inner) => written("minus", vec![of_number(inner, heaps)?], false),
        Number::Binary(operator, left, right) => {
            let sides = vec![of_number(left, heaps)?, of_number(right, heaps)?];
            let symmetric = matches!(operator, Arithmetic::Add | Arithmetic::Multiply);
            written(&format!("{operator:?}"), sides, symmetric)
        }
        Number::Fold(fold, numbers) => written(&format!("{fold:?}"), all(numbers)?, true),
        Number::Carryless(base, numbers) => {
            written(&format!("carryless {base}"), all(numbers)?, true)
        }
        Number::Other(number, touched, _)
            if heaps.leaves(*touched) || heaps.leaves_part(Part::Num(number)) =>
        {
            format!("{number:?}")
        }
        Number::Other(..) => return None,
    })
}

fn written(head: &str, mut parts: Vec<String>, in_any_order: bool) -> String {
    if in_any_order {
        parts.sort();
    }
    format!("{head}({})", parts.join(", "))
}
