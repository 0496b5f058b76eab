//! Forms: some image of the position is like this.

use super::{Domain, Formula, FormulaOf, Interpreter, Read, certain, numbers_too_large};
use crate::unsupported::Unsupported;
use nimrule_model::board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Entry, Images, Like, Order};
use nimrule_model::source::Span;

/// More images than this are not looked at.
const MOST_IMAGES: u128 = 5040;

/// Of more heaps than this it is not gone through which of them are left.
const MOST_VANISHING: usize = 16;

/// An image of the position, and where it is one.
type Image<D> = (FormulaOf<D>, Vec<<D as Domain>::Value>);

impl<D: Domain> Interpreter<'_, D> {
    pub(super) fn like(&mut self, like: &Like, at: Span) -> Read<FormulaOf<D>> {
        let mut any = Vec::new();
        for (condition, image) in self.images(like, at)? {
            let fits = self.where_holds(condition.clone(), |r| r.fits(like, 0, &image))?;
            any.push(Formula::and([condition, fits]));
        }
        Ok(Formula::or(any))
    }

    /// The rows of heaps that the form is compared with.
    fn images(&mut self, like: &Like, at: Span) -> Read<Vec<Image<D>>> {
        let board = match like.images {
            Images::Multiset => {
                return Err(Unsupported::new("the number of heaps is not fixed", at));
            }
            Images::Symmetries => {
                let images = self.permutations(at)?.into_iter().map(|image| {
                    let row = image.iter().map(|from| self.heaps[*from].clone());
                    (Formula::TRUE, row.collect())
                });
                return Ok(images.collect());
            }
            Images::Remaining(board) => board,
        };
        check_vanishing(board, at)?;
        let mut rows: Vec<Image<D>> = Vec::new();
        let loose: Vec<D::Value> = board
            .off_board(self.heaps.len())
            .map(|heap| self.size(heap))
            .collect();
        // The form may have fewer entries than there are heaps beside the board.
        let Some(count) = like.entries.len().checked_sub(loose.len()) else {
            return Ok(rows);
        };
        for left in subsets(board.count, count) {
            let left: Vec<usize> = left.iter().map(|place| board.first + place).collect();
            let alive = self.only_left(board, &left, at)?;
            for reading in board.reading_orders(left.len()) {
                let row = reading.iter().map(|place| &self.heaps[left[*place]]);
                rows.push((alive.clone(), row.chain(&loose).cloned().collect()));
            }
        }
        Ok(rows)
    }

    /// Of the heaps of the board, these have tokens, and the others are empty.
    pub(super) fn only_left(
        &self,
        board: ShrinkingBoard,
        left: &[usize],
        at: Span,
    ) -> Read<FormulaOf<D>> {
        let mut all = Vec::new();
        for place in board.places() {
            let heap = &self.heaps[place];
            all.push(match left.contains(&place) {
                true => self.is_left(heap, at)?,
                false => self.is_empty(heap, at)?,
            });
        }
        Ok(Formula::and(all))
    }

    pub(super) fn is_left(&self, heap: &D::Value, at: Span) -> Read<FormulaOf<D>> {
        self.compared(&D::constant(0), Order::Less, heap, at)
    }

    pub(super) fn is_empty(&self, heap: &D::Value, at: Span) -> Read<FormulaOf<D>> {
        self.compared(heap, Order::Equal, &D::constant(0), at)
    }

    /// The symmetries of the game, each with the heap that comes to each place.
    pub fn permutations(&self, at: Span) -> Read<Vec<Vec<usize>>> {
        let symmetries = &self.game.symmetries;
        if symmetries.order().is_none_or(|order| order > MOST_IMAGES) {
            return Err(Unsupported::too_large("there are too many symmetries", at));
        }
        let places: Vec<u64> = (0..self.heaps.len() as u64).collect();
        let mut images = Vec::new();
        symmetries.any_image(&places, &mut |image| {
            images.push(image.iter().map(|from| *from as usize).collect::<Vec<_>>());
            false
        });
        images.sort_unstable();
        images.dedup();
        Ok(images)
    }

    /// Whether the image has this form, from the entry on that is met `next`.
    fn fits(&mut self, like: &Like, next: usize, image: &[D::Value]) -> Read<FormulaOf<D>> {
        let Some(&index) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(condition),
                None => Ok(Formula::TRUE),
            };
        };
        let heap = &image[index];
        match &like.entries[index] {
            Entry::Bind(slot) => {
                self.where_is(*slot, heap.clone(), |r| r.fits(like, next + 1, image))
            }
            Entry::Equals(value) => {
                let values = self.number(value)?;
                let heap = certain(heap.clone());
                let equal = self.ordered(&values, Order::Equal, &heap, value.span)?;
                if equal == Formula::FALSE {
                    return Ok(Formula::FALSE);
                }
                let rest = self.where_holds(equal.clone(), |r| r.fits(like, next + 1, image))?;
                Ok(Formula::and([equal, rest]))
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let at_value = value.span;
                let rests = self.where_is(*slot, D::constant(0), |r| r.number(value))?;
                let mut any = Vec::new();
                for case in rests {
                    let product =
                        D::minus(heap, &case.value).ok_or_else(|| numbers_too_large(at_value))?;
                    for solved in D::solutions(self, &product, *coefficient, at_value)? {
                        let known = Formula::and([case.guard.clone(), solved.guard]);
                        let fits = self.where_holds(known.clone(), |r| {
                            r.where_is(*slot, solved.value, |r| r.fits(like, next + 1, image))
                        })?;
                        any.push(Formula::exists(
                            [case.own.as_slice(), &solved.own].concat(),
                            Formula::and([known, fits]),
                        ));
                    }
                }
                Ok(Formula::or(any))
            }
        }
    }
}

/// Refuses a board of which it is not gone through which heaps are left.
pub(super) fn check_vanishing(board: ShrinkingBoard, at: Span) -> Read<()> {
    if board.count > MOST_VANISHING {
        let what = "the heaps that may vanish are too many";
        return Err(Unsupported::too_large(what, at));
    }
    Ok(())
}

/// The sets of `size` of the places, each ascending.
pub fn subsets(places: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for place in 0..places {
        let with: Vec<Vec<usize>> = sets
            .iter()
            .filter(|set| set.len() < size)
            .map(|set| set.iter().copied().chain([place]).collect())
            .collect();
        sets.extend(with);
    }
    sets.retain(|set| set.len() == size);
    sets.sort_unstable();
    sets
}
