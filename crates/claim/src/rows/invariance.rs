//! Invariance of a condition under exchanging two heaps.

use super::condition::Node;
use super::number::Number;
use nimrule_model::expr::{Arithmetic, Order};

/// Whether the condition is syntactically invariant, up to the order of operands
/// of commutative operators. A sufficient test only.
pub(super) fn is_invariant(condition: &Node<'_>, one: usize, other: usize) -> bool {
    let read = |swap: Swap| of_node(condition, &swap);
    match (read(Swap(one, one)), read(Swap(one, other))) {
        (Some(as_it_is), Some(exchanged)) => as_it_is == exchanged,
        _ => false,
    }
}

struct Swap(usize, usize);

impl Swap {
    fn heap(&self, heap: usize) -> usize {
        match heap {
            heap if heap == self.0 => self.1,
            heap if heap == self.1 => self.0,
            heap => heap,
        }
    }

    /// Whether the exchange leaves a part that reads only these heaps unchanged.
    fn leaves(&self, touched: u64) -> bool {
        self.0 == self.1 || touched >> self.0 & 1 == 0 && touched >> self.1 & 1 == 0
    }
}

/// A canonical text of a condition with its heaps exchanged; `None` if a part does
/// not allow it.
fn of_node(node: &Node<'_>, swap: &Swap) -> Option<String> {
    let all = |nodes: &[Node<'_>]| -> Option<Vec<String>> {
        nodes.iter().map(|node| of_node(node, swap)).collect()
    };
    Some(match node {
        Node::Compare(order, left, right) => {
            let sides = vec![of_number(left, swap)?, of_number(right, swap)?];
            let symmetric = matches!(order, Order::Equal | Order::NotEqual);
            written(&format!("{order:?}"), sides, symmetric)
        }
        Node::And(nodes) => written("and", all(nodes)?, true),
        Node::Or(nodes) => written("or", all(nodes)?, true),
        Node::Not(inner) => written("not", vec![of_node(inner, swap)?], false),
        Node::If(condition, then, otherwise) => {
            let parts = [condition, then, otherwise];
            let parts: Option<Vec<String>> =
                parts.into_iter().map(|part| of_node(part, swap)).collect();
            written("if", parts?, false)
        }
        Node::OneOf(positions) => {
            let exchanged = positions.iter().map(|position| {
                let sizes = (0..position.len()).map(|heap| position[swap.heap(heap)]);
                format!("{:?}", sizes.collect::<Vec<u64>>())
            });
            written("one of", exchanged.collect(), true)
        }
        Node::Other(condition, touched, _) if swap.leaves(*touched) => format!("{condition:?}"),
        Node::Other(..) => return None,
    })
}

fn of_number(number: &Number<'_>, swap: &Swap) -> Option<String> {
    let all = |numbers: &[Number<'_>]| -> Option<Vec<String>> {
        numbers.iter().map(|n| of_number(n, swap)).collect()
    };
    Some(match number {
        Number::Const(value) => value.to_string(),
        Number::Heap(heap) => format!("heap {}", swap.heap(*heap)),
        Number::Negate(inner) => written("minus", vec![of_number(inner, swap)?], false),
        Number::Binary(operator, left, right) => {
            let sides = vec![of_number(left, swap)?, of_number(right, swap)?];
            let symmetric = matches!(
                operator,
                Arithmetic::Add | Arithmetic::Multiply | Arithmetic::NimSum
            );
            written(&format!("{operator:?}"), sides, symmetric)
        }
        Number::Fold(fold, numbers) => written(&format!("{fold:?}"), all(numbers)?, true),
        Number::Carryless(base, numbers) => {
            written(&format!("carryless {base}"), all(numbers)?, true)
        }
        Number::Other(number, touched, _) if swap.leaves(*touched) => format!("{number:?}"),
        Number::Other(..) => return None,
    })
}

fn written(head: &str, mut parts: Vec<String>, in_any_order: bool) -> String {
    if in_any_order {
        parts.sort();
    }
    format!("{head}({})", parts.join(", "))
}
