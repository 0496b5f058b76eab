//! Batch evaluation of conditions: at up to 64 positions that differ in one heap.
//!
//! The result is two sets of these positions (*places*), those where the condition can
//! hold and those where it can fail.

use super::PLACES;
use super::number::{HeapValue, Number, compare, number};
use crate::form::form;
use nimrule_model::expr::{Bool, Entry, Expr, Images, Num, Order, Part, Slot};
use nimrule_model::game::Game;
use std::sync::Arc;

/// The positions of one batch, which differ in one heap.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    pub position: &'a [u64],
    pub axis: usize,
    /// The size of the heap `axis` at the first place.
    pub from: i64,
    pub places: usize,
    /// Heaps whose sizes are open, as bits.
    pub open: u64,
    /// A heap with its size at each place.
    pub told: Option<(usize, HeapValue<'a>)>,
}

/// The places where a condition can hold, and where it can fail.
#[derive(Clone, Copy)]
pub(super) struct Truth {
    pub can_hold: u64,
    pub can_fail: u64,
}

impl Along<'_> {
    /// Heaps without a single size, as bits.
    pub fn unknown(&self) -> u64 {
        self.open | 1 << self.axis | self.told.map_or(0, |(heap, _)| 1 << heap)
    }

    /// The batch of the single position at `place`.
    pub fn at(&self, place: usize) -> Self {
        Along {
            from: self.from + place as i64,
            places: 1,
            told: self.told.map(|(heap, sizes)| match sizes {
                HeapValue::Each(sizes) => (heap, HeapValue::One(sizes[place])),
                one => (heap, one),
            }),
            ..*self
        }
    }
}

impl Truth {
    pub const OPEN: Truth = Truth {
        can_hold: u64::MAX,
        can_fail: u64::MAX,
    };

    pub fn of(holds: bool) -> Truth {
        if holds {
            Truth::exactly(u64::MAX)
        } else {
            Truth::exactly(0)
        }
    }

    pub fn exactly(holds: u64) -> Truth {
        Truth {
            can_hold: holds,
            can_fail: !holds,
        }
    }
}

/// A condition prepared for batch evaluation.
#[derive(Clone)]
pub(super) enum Node<'g> {
    Compare(Order, Number<'g>, Number<'g>),
    And(Vec<Node<'g>>),
    Or(Vec<Node<'g>>),
    Not(Box<Node<'g>>),
    If(Box<Node<'g>>, Box<Node<'g>>, Box<Node<'g>>),
    /// The position is one of these, which are in ascending order.
    OneOf(Vec<Vec<u64>>),
    /// Any other condition, and the heaps that it reads.
    Other(Arc<Bool>, u64, &'g Game),
}

/// The game, and the numbers bound to names.
#[derive(Clone)]
pub(super) struct Names<'g> {
    pub game: &'g Game,
    pub values: Vec<(Slot, Number<'g>)>,
}

impl<'g> Names<'g> {
    pub fn of(game: &'g Game) -> Names<'g> {
        Names {
            game,
            values: Vec::new(),
        }
    }

    pub fn with(&self, slot: Slot, value: Number<'g>) -> Names<'g> {
        let mut names = self.clone();
        names.values.push((slot, value));
        names
    }

    pub fn value(&self, slot: Slot) -> Option<&Number<'g>> {
        let mut latest = self.values.iter().rev();
        latest
            .find(|(name, _)| *name == slot)
            .map(|(_, value)| value)
    }

    /// The heaps that a part reads, as bits; all of them if it reads a bound
    /// name.
    pub fn touched(&self, part: Part<'_>) -> u64 {
        let mut heaps = 0_u64;
        let all = u64::MAX >> (PLACES - self.game.heap_count().max(1));
        part.any(&mut |part| {
            match part.own_reads().heaps() {
                Some(read) => read.for_each(|heap| heaps |= 1 << heap.index()),
                None => heaps |= all,
            }
            if let Part::Num(Num::Local(slot)) = part
                && self.value(*slot).is_some()
            {
                heaps |= all;
            }
            false
        });
        heaps
    }
}

pub(super) fn node<'g>(names: &Names<'g>, condition: &Bool) -> Node<'g> {
    let game = names.game;
    let nodes = |all: &[Expr<Bool>]| all.iter().map(|one| node(names, one)).collect();
    let other = || {
        Node::Other(
            Arc::new(condition.clone()),
            names.touched(Part::Bool(condition)),
            game,
        )
    };
    match condition {
        Bool::Compare(order, left, right) => {
            Node::Compare(*order, number(names, left), number(names, right))
        }
        Bool::And(all) => Node::And(equations_first(nodes(all))),
        Bool::Or(all) => Node::Or(nodes(all)),
        Bool::Not(inner) => Node::Not(Box::new(node(names, inner))),
        Bool::If(condition, then, otherwise) => Node::If(
            Box::new(node(names, condition)),
            Box::new(node(names, then)),
            Box::new(node(names, otherwise)),
        ),
        Bool::Let(slot, value, body) => node(&names.with(*slot, number(names, value)), body),
        Bool::Like(like) => {
            let sizes: Option<Vec<u64>> = like
                .entries
                .iter()
                .map(|entry| match entry {
                    Entry::Equals(size) => u64::try_from(size.constant()?).ok(),
                    _ => None,
                })
                .collect();
            let alone = like.images == Images::Symmetries && like.condition.is_none();
            let one_of = sizes
                .filter(|_| alone)
                .and_then(|sizes| images(game, &sizes));
            match one_of {
                Some(images) => Node::OneOf(images),
                None => match form(game, like) {
                    Some(expanded) => node(names, &expanded),
                    None => other(),
                },
            }
        }
        _ => other(),
    }
}

/// The parts of a conjunction, equations first, since they leave the fewest places
/// for the other parts.
pub(super) fn equations_first(nodes: Vec<Node<'_>>) -> Vec<Node<'_>> {
    let parts = nodes.into_iter().flat_map(|node| match node {
        Node::And(parts) => parts,
        node => vec![node],
    });
    let (mut all, others): (Vec<_>, Vec<_>) =
        parts.partition(|node| matches!(node, Node::Compare(Order::Equal, _, _)));
    all.extend(others);
    all
}

/// All images of a position under the symmetries, if they are few.
fn images(game: &Game, position: &[u64]) -> Option<Vec<Vec<u64>>> {
    const FEW: u128 = 2000;
    if position.len() != game.heap_count() || game.facts.symmetries.orbit_size(position) > FEW {
        return None;
    }
    nimrule_model::expr::eval::check_images(&game.facts.symmetries, position).ok()?;
    let mut images = Vec::new();
    game.facts.symmetries.any_image(position, &mut |image| {
        images.push(image.to_vec());
        false
    });
    images.sort();
    images.dedup();
    Some(images)
}

impl Node<'_> {
    pub fn truth(&self, along: &Along<'_>) -> Truth {
        match self {
            Node::Compare(order, left, right) => {
                compare(*order, left.value(along), right.value(along), along)
            }
            Node::And(all) => {
                let mut truth = Truth::of(true);
                for node in all {
                    let left = truth.can_hold & (u64::MAX >> (PLACES - along.places));
                    if left.is_power_of_two() && along.places > 1 {
                        let place = left.trailing_zeros() as usize;
                        let one = node.truth(&along.at(place));
                        truth.can_hold = left & one.can_hold << place;
                        truth.can_fail |= (one.can_fail & 1) << place;
                        if truth.can_hold == 0 {
                            return Truth::of(false);
                        }
                        continue;
                    }
                    let one = node.truth(along);
                    truth.can_hold &= one.can_hold;
                    truth.can_fail |= one.can_fail;
                    if truth.can_hold == 0 {
                        return Truth::of(false);
                    }
                }
                truth
            }
            Node::Or(all) => {
                let mut truth = Truth::of(false);
                for node in all {
                    let one = node.truth(along);
                    truth.can_hold |= one.can_hold;
                    truth.can_fail &= one.can_fail;
                    if truth.can_fail == 0 {
                        return Truth::of(true);
                    }
                }
                truth
            }
            Node::Not(inner) => {
                let truth = inner.truth(along);
                Truth {
                    can_hold: truth.can_fail,
                    can_fail: truth.can_hold,
                }
            }
            Node::If(condition, then, otherwise) => {
                let which = condition.truth(along);
                let (then, otherwise) = match (which.can_hold, which.can_fail) {
                    (_, 0) => return then.truth(along),
                    (0, _) => return otherwise.truth(along),
                    _ => (then.truth(along), otherwise.truth(along)),
                };
                Truth {
                    can_hold: which.can_hold & then.can_hold | which.can_fail & otherwise.can_hold,
                    can_fail: which.can_hold & then.can_fail | which.can_fail & otherwise.can_fail,
                }
            }
            Node::OneOf(positions) => one_of(positions, along),
            Node::Other(condition, touched, game) => {
                if touched & along.unknown() != 0 {
                    return Truth::OPEN;
                }
                match condition.eval(&mut environment(along, game, &mut vec![0; game.slots])) {
                    Ok(holds) => Truth::of(holds),
                    Err(_) => Truth::OPEN,
                }
            }
        }
    }
}

pub(super) fn environment<'s>(
    along: &'s Along<'_>,
    game: &'s Game,
    locals: &'s mut [i64],
) -> nimrule_model::expr::Environment<'s> {
    crate::environment(along.position, locals, game)
}

fn one_of(positions: &[Vec<u64>], along: &Along<'_>) -> Truth {
    // The positions are sorted; only those with the known sizes before the first
    // open or varying heap are compared.
    let known = along.axis.min(along.open.trailing_zeros() as usize);
    let before = &along.position[..known];
    let first = positions.partition_point(|other| other[..known] < *before);
    let mut truth = Truth::of(false);
    for other in &positions[first..] {
        if other[..known] != *before {
            break;
        }
        let fits = (known..along.position.len()).all(|heap| {
            heap == along.axis || along.open >> heap & 1 == 1 || other[heap] == along.position[heap]
        });
        let place = other[along.axis] as i64 - along.from;
        if fits && (0..along.places as i64).contains(&place) {
            truth.can_hold |= 1 << place;
            if along.open == 0 {
                truth.can_fail &= !(1 << place);
            }
        }
    }
    truth
}
