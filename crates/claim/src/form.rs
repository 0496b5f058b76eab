//! Forms, expanded over the images of a position: `like (a,b,a,b) where …`.
//!
//! A position has a form if one of its images under the symmetries has it. So a
//! form becomes a disjunction over the images; in each, a name stands for a heap
//! or for the rest of a heap, and the other entries are equations.

use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Arithmetic, Bool, Entry, Expr, HeapId, Images, Like, Num, Order, Slot};
use nimrule_model::game::Game;

/// With more images than this, batch evaluation is no faster.
const MAX_IMAGES: usize = 600;

/// The condition with its forms expanded, except for those with too many images and those
/// within numbers.
pub(super) fn expanded(game: &Game, condition: &Expr<Bool>) -> Expr<Bool> {
    let all = |parts: &[Expr<Bool>]| parts.iter().map(|part| expanded(game, part)).collect();
    let one = |part: &Expr<Bool>| Box::new(expanded(game, part));
    let node = match &condition.node {
        Bool::And(parts) => Bool::And(all(parts)),
        Bool::Or(parts) => Bool::Or(all(parts)),
        Bool::Not(inner) => Bool::Not(one(inner)),
        Bool::If(condition, then, otherwise) => Bool::If(one(condition), one(then), one(otherwise)),
        Bool::Let(slot, value, body) => Bool::Let(*slot, value.clone(), one(body)),
        Bool::Quantified {
            quantifier,
            slot,
            set,
            body,
        } => Bool::Quantified {
            quantifier: *quantifier,
            slot: *slot,
            set: set.clone(),
            body: one(body),
        },
        Bool::Like(like) => {
            return form(game, like).unwrap_or_else(|| condition.clone());
        }
        other => other.clone(),
    };
    Expr {
        node,
        span: condition.span,
    }
}

/// The disjunction over all images; `None` if they are too many, or if the number
/// of heaps is not fixed.
pub(super) fn form(game: &Game, like: &Like) -> Option<Expr<Bool>> {
    let images = match like.images {
        Images::Symmetries => of_symmetries(game)?,
        Images::Remaining(board) => of_remaining(board, game.heap_count(), like)?,
        Images::Multiset(_) => return None,
    };
    let all = images.iter().map(|image| of_image(like, image));
    Some(Bool::Or(all.collect::<Option<_>>()?).into())
}

/// The permutations of the heaps: the heap at each place of a form.
fn of_symmetries(game: &Game) -> Option<Vec<Vec<usize>>> {
    let places: Vec<u64> = (0..game.heap_count() as u64).collect();
    if game.facts.symmetries.orbit_size(&places) > MAX_IMAGES as u128 {
        return None;
    }
    let mut images = Vec::new();
    game.facts.symmetries.any_image(&places, &mut |image| {
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
fn of_image(like: &Like, image: &[usize]) -> Option<Expr<Bool>> {
    let heap = |heap: usize| -> Expr<Num> { Num::Heap(HeapId(heap as u16)).into() };
    // From the last entry to the first, since each name is bound for those after it.
    let mut rest: Vec<Expr<Bool>> = like.condition.iter().cloned().collect();
    let bind = |slot: Slot, value: Expr<Num>, rest: Vec<Expr<Bool>>| -> Vec<Expr<Bool>> {
        vec![Bool::Let(slot, value, Box::new(Bool::And(rest).into())).into()]
    };
    for &index in like.order.iter().rev() {
        let own = heap(image[index]);
        rest = match &like.entries[index] {
            Entry::Bind(slot) => bind(*slot, own, rest),
            Entry::Equals(value) => {
                rest.insert(0, equal(own, value.clone()));
                rest
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let zero = Box::new(Num::Const(0).into());
                let others = Num::Let(*slot, zero, Box::new(value.clone())).into();
                let own = binary(Arithmetic::Subtract, own, others);
                let divisor = coefficient.checked_abs()?;
                let by = |operator| binary(operator, own.clone(), Num::Const(divisor).into());
                let size = match divisor {
                    1 => own.clone(),
                    _ => by(Arithmetic::Divide),
                };
                let size = match coefficient {
                    ..0 => Num::Negate(Box::new(size)).into(),
                    _ => size,
                };
                let mut rest = bind(*slot, size, rest);
                if divisor != 1 {
                    rest.insert(0, equal(by(Arithmetic::Modulo), Num::Const(0).into()));
                }
                rest
            }
        };
    }
    if let Images::Remaining(board) = like.images {
        let remain = board.places().map(|place| {
            let order = match image.contains(&place) {
                true => Order::Less,
                false => Order::Equal,
            };
            compare(order, Num::Const(0).into(), heap(place))
        });
        rest.splice(0..0, remain);
    }
    Some(Bool::And(rest).into())
}

fn binary(operator: Arithmetic, left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    Num::Binary(operator, Box::new(left), Box::new(right)).into()
}

fn compare(order: Order, left: Expr<Num>, right: Expr<Num>) -> Expr<Bool> {
    Bool::Compare(order, left, right).into()
}

fn equal(left: Expr<Num>, right: Expr<Num>) -> Expr<Bool> {
    compare(Order::Equal, left, right)
}
