//! Forms, expanded over the images of a position: `like (a,b,a,b) where …`.
//!
//! A position has a form if one of its images under the symmetries has it. So a
//! form becomes a disjunction over the images; in each, a name stands for a heap
//! or for the rest of a heap, and the other entries are equations.

use super::condition::{Names, Node, equations_first, node};
use super::number::{Number, number};
use nimrule_model::board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Arithmetic, Entry, HeapId, Images, Like, Order};
use nimrule_model::game::Game;

/// With more images than this, batch evaluation is no faster.
const MAX_IMAGES: usize = 600;

/// The disjunction over all images; `None` if they are too many, or if the number
/// of heaps is not fixed.
pub(super) fn form<'g>(names: &Names<'g>, like: &'g Like) -> Option<Node<'g>> {
    let images = match like.images {
        Images::Symmetries => of_symmetries(names.game)?,
        Images::Remaining(board) => of_remaining(board, names.game.heap_count(), like)?,
        Images::Multiset => return None,
    };
    let nodes = images.iter().map(|image| one(names, like, image));
    Some(Node::Or(nodes.collect::<Option<_>>()?))
}

/// The permutations of the heaps: the heap at each place of a form.
fn of_symmetries(game: &Game) -> Option<Vec<Vec<usize>>> {
    let places: Vec<u64> = (0..game.heap_count() as u64).collect();
    if game.symmetries.orbit_size(&places) > MAX_IMAGES as u128 {
        return None;
    }
    let mut images = Vec::new();
    game.symmetries.any_image(&places, &mut |image| {
        images.push(image.iter().map(|from| *from as usize).collect());
        false
    });
    images.sort();
    images.dedup();
    Some(images)
}

/// The same for a shrinking board: the remaining heaps, as many as the form has
/// entries for, followed by the heaps off the board.
fn of_remaining(board: ShrinkingBoard, heaps: usize, like: &Like) -> Option<Vec<Vec<usize>>> {
    let loose: Vec<usize> = board.off_board(heaps).map(HeapId::index).collect();
    let entries = like.entries.len().checked_sub(loose.len())?;
    if entries > board.count || board.count > 16 {
        return None;
    }
    let readings = board.reading_orders(entries);
    let mut images = Vec::new();
    for left in 0_u32..1 << board.count {
        if left.count_ones() as usize != entries {
            continue;
        }
        let places = board
            .places()
            .filter(|place| left >> (place - board.first) & 1 == 1);
        let left: Vec<usize> = places.collect();
        for reading in &readings {
            let image = reading.iter().map(|place| left[*place]);
            images.push(image.chain(loose.iter().copied()).collect());
        }
        if images.len() > MAX_IMAGES {
            return None;
        }
    }
    images.sort();
    images.dedup();
    Some(images)
}

/// The condition that this image has the form.
fn one<'g>(names: &Names<'g>, like: &'g Like, image: &[usize]) -> Option<Node<'g>> {
    let mut names = names.clone();
    let mut parts = Vec::new();
    if let Images::Remaining(board) = like.images {
        for heap in board.places() {
            let order = if image.contains(&heap) {
                Order::Less
            } else {
                Order::Equal
            };
            parts.push(Node::Compare(order, Number::Const(0), Number::Heap(heap)));
        }
    }
    for &index in &like.order {
        let heap = Number::Heap(image[index]);
        match &like.entries[index] {
            Entry::Bind(slot) => names = names.with(*slot, heap),
            Entry::Equals(value) => {
                parts.push(Node::Compare(Order::Equal, heap, number(&names, value)));
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let rest = number(&names.with(*slot, Number::Const(0)), value);
                let own = binary(Arithmetic::Subtract, heap, rest);
                let own = match coefficient.checked_abs()? {
                    1 => own,
                    divisor => {
                        let divisor = Number::Const(divisor);
                        let rest = binary(Arithmetic::Modulo, own.clone(), divisor.clone());
                        parts.push(Node::Compare(Order::Equal, rest, Number::Const(0)));
                        binary(Arithmetic::Divide, own, divisor)
                    }
                };
                let own = match coefficient {
                    ..0 => Number::Negate(Box::new(own)),
                    _ => own,
                };
                names = names.with(*slot, own);
            }
        }
    }
    if let Some(condition) = &like.condition {
        parts.push(node(&names, condition));
    }
    Some(Node::And(equations_first(parts)))
}

fn binary<'g>(operator: Arithmetic, left: Number<'g>, right: Number<'g>) -> Number<'g> {
    Number::Binary(operator, Box::new(left), Box::new(right))
}
