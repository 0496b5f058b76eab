//! Groups of heaps with indices: `pile[1..p]`, `cell[x in 1..3, y in 1..2]`.

use crate::expr::{Arithmetic, Bool, Expr, HeapId, Num, Order};
use crate::source::{Span, Spanned};

/// Heaps that are told apart by indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The name; `None` for the places of a grid, which have coordinates only.
    pub name: Option<String>,
    /// The indices, of which the last varies fastest.
    pub axes: Vec<Axis>,
    /// The heaps, in the ascending order of their indices.
    pub heaps: Vec<HeapId>,
    /// The indices of each heap.
    indices: Vec<Vec<i64>>,
}

/// One index of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The name of the coordinate, as `x` in `cell[x in 1..3]`.
    pub name: Option<String>,
    /// The smallest index.
    pub first: i64,
    /// The largest index.
    pub last: i64,
}

impl Group {
    /// The group of these heaps; `indices` are theirs, ascending, and `coordinates` the
    /// names of the axes.
    pub fn new(
        name: Option<String>,
        coordinates: Vec<Option<String>>,
        heaps: Vec<HeapId>,
        indices: Vec<Vec<i64>>,
    ) -> Group {
        let axis = |(at, name): (usize, Option<String>)| {
            let on_axis = || indices.iter().map(|all| all[at]);
            Axis {
                name,
                first: on_axis().min().unwrap_or(0),
                last: on_axis().max().unwrap_or(-1),
            }
        };
        Group {
            name,
            axes: coordinates.into_iter().enumerate().map(axis).collect(),
            heaps,
            indices,
        }
    }

    /// The heap with these indices.
    pub fn heap(&self, indices: &[i64]) -> Option<HeapId> {
        let place = self.indices.binary_search_by(|all| all[..].cmp(indices));
        place.ok().map(|place| self.heaps[place])
    }

    /// The indices of a heap of the group.
    pub fn indices(&self, heap: HeapId) -> Option<&[i64]> {
        let place = self.heaps.iter().position(|one| *one == heap)?;
        Some(&self.indices[place])
    }

    /// Whether every combination of indices within the axes has a heap.
    fn is_box(&self) -> bool {
        let count = self.axes.iter().try_fold(1_usize, |count, axis| {
            count.checked_mul(usize::try_from(axis.last - axis.first + 1).ok()?)
        });
        count == Some(self.heaps.len())
    }

    /// The heaps and the index of the first of them, with the index of the heap that has
    /// the indices `at`: a list and a number for [`Num::HeapAt`]. Where there is no such
    /// heap, the number is no index of the list.
    pub fn at(&self, at: Vec<Expr<Num>>, span: Span) -> (Vec<HeapId>, i64, Expr<Num>) {
        let heaps = self.heaps.clone();
        let first = self.axes[0].first;
        if self.axes.len() == 1 && self.is_box() {
            let mut at = at;
            return (heaps, first, at.swap_remove(0));
        }
        let number = |value| Spanned::new(Num::Const(value), span);
        let within = |index: &Expr<Num>, first, last| {
            let at_most =
                |left, right| Spanned::new(Bool::Compare(Order::AtMost, left, right), span);
            [
                at_most(number(first), index.clone()),
                at_most(index.clone(), number(last)),
            ]
        };
        let binary = |operator, left, right| {
            let binary = Num::Binary(operator, Box::new(left), Box::new(right));
            Spanned::new(binary, span)
        };
        let sum = |left, right| binary(Arithmetic::Add, left, right);
        let one_of = |conditions, then, otherwise| {
            let condition = Box::new(Spanned::new(Bool::And(conditions), span));
            let num = Num::If(condition, Box::new(then), Box::new(otherwise));
            Spanned::new(num, span)
        };
        if self.is_box() {
            let mut conditions = Vec::new();
            let mut place: Option<Expr<Num>> = None;
            for (axis, index) in self.axes.iter().zip(&at) {
                conditions.extend(within(index, axis.first, axis.last));
                let step = sum(index.clone(), number(-axis.first));
                let count = number(axis.last - axis.first + 1);
                place = Some(match place {
                    None => step,
                    Some(place) => sum(binary(Arithmetic::Multiply, place, count), step),
                });
            }
            let place = sum(place.expect("a group has an axis"), number(1));
            return (heaps, 1, one_of(conditions, place, number(0)));
        }
        // Runs of neighbouring heaps along the last axis.
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (place, indices) in self.indices.iter().enumerate() {
            let (last, before) = indices.split_last().expect("a group has an axis");
            match runs.last_mut() {
                Some((start, end))
                    if self.indices[*start][..before.len()] == *before
                        && self.indices[*end][before.len()] + 1 == *last =>
                {
                    *end = place;
                }
                _ => runs.push((place, place)),
            }
        }
        let place = runs
            .iter()
            .rev()
            .fold(number(0), |otherwise, (start, end)| {
                let (low, high) = (&self.indices[*start], &self.indices[*end]);
                let axes = low.iter().zip(high).zip(&at);
                let conditions = axes.flat_map(|((low, high), index)| within(index, *low, *high));
                let shift = *start as i64 + 1 - low[low.len() - 1];
                let here = sum(at[at.len() - 1].clone(), number(shift));
                one_of(conditions.collect(), here, otherwise)
            });
        (heaps, 1, place)
    }

    /// The index of a heap on one axis, by the number of the heap, from 1. It is 0 or more
    /// than the last for no heap.
    pub fn coordinate(&self, axis: usize, heap: Expr<Num>, span: Span) -> Num {
        let here = |num| Box::new(Spanned::new(num, span));
        let number = |value| here(Num::Const(value));
        let binary = |operator, left, right: i64| Num::Binary(operator, here(left), number(right));
        let consecutive = (self.heaps.windows(2)).all(|two| two[1].index() == two[0].index() + 1);
        if self.is_box() && consecutive {
            let stride: i64 = (self.axes[axis + 1..].iter())
                .map(|axis| axis.last - axis.first + 1)
                .product();
            let Axis { first, last, .. } = self.axes[axis];
            let place = binary(
                Arithmetic::Subtract,
                heap.node,
                self.heaps[0].index() as i64 + 1,
            );
            let place = binary(Arithmetic::Divide, place, stride);
            let place = match axis {
                0 => place,
                _ => binary(Arithmetic::Modulo, place, last - first + 1),
            };
            return binary(Arithmetic::Add, place, first);
        }
        let cases = self.heaps.iter().zip(&self.indices).rev();
        cases.fold(Num::Const(0), |otherwise, (one, indices)| {
            let index = number(one.index() as i64 + 1);
            let is_here = Bool::Compare(Order::Equal, heap.clone(), *index);
            let is_here = Box::new(Spanned::new(is_here, span));
            Num::If(is_here, number(indices[axis]), here(otherwise))
        })
    }
}
