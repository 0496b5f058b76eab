//! Forms: some image of the position is like this.

use super::{Meaning, Read, compared, too_large};
use crate::automata::atoms::{Relation, Sum};
use crate::board::shrinking::Around;
use crate::expr::{Entry, Images, Like, Order};
use crate::prove::formula::{FALSE, Formula, constant, minus, times, variable};
use crate::prove::outside::Leaves;

/// More images than this are not looked at.
const MOST_IMAGES: u128 = 5040;

impl Meaning<'_> {
    pub(super) fn like(&mut self, like: &Like) -> Read<Formula> {
        let mut any = Vec::new();
        for (condition, image) in self.images(like)? {
            let fits = self.where_holds(condition.clone(), |m| m.fits(like, 0, &image))?;
            any.push(Formula::and([condition, fits]));
        }
        Ok(Formula::or(any))
    }

    /// The rows of heaps that the form is held against, and when.
    fn images(&mut self, like: &Like) -> Read<Vec<(Formula, Vec<Sum>)>> {
        match like.images {
            Images::Bag => Err(Leaves::new("like", "the number of heaps is not fixed")),
            Images::Symmetries => {
                let heaps = self.heaps.clone();
                Ok(self
                    .permutations("like")?
                    .into_iter()
                    .map(|image| {
                        let row = image.iter().map(|from| heaps[*from].clone()).collect();
                        (Formula::Const(true), row)
                    })
                    .collect())
            }
            Images::Left(board) => {
                if board.count < self.heaps.len() {
                    return Err(Leaves::new("like", "heaps lie beside a shrinking board"));
                }
                let mut rows = Vec::new();
                let count = self.heaps.len();
                for left in subsets(count, like.entries.len()) {
                    let alive = alive(&self.heaps, &left)?;
                    let turns = if board.around == Around::Circle {
                        left.len().max(1)
                    } else {
                        1
                    };
                    for backwards in [false, true] {
                        for turn in 0..turns {
                            let row = (0..left.len())
                                .map(|place| {
                                    let from = (place + turn) % left.len();
                                    let from = if backwards {
                                        left.len() - 1 - from
                                    } else {
                                        from
                                    };
                                    self.heaps[left[from]].clone()
                                })
                                .collect::<Vec<Sum>>();
                            if !rows.contains(&(alive.clone(), row.clone())) {
                                rows.push((alive.clone(), row));
                            }
                        }
                    }
                }
                Ok(rows)
            }
        }
    }

    /// The symmetries of the game, each with the heap that comes to each place.
    pub fn permutations(&self, word: &str) -> Read<Vec<Vec<usize>>> {
        let symmetries = &self.game.symmetries;
        if symmetries.order().is_none_or(|order| order > MOST_IMAGES) {
            return Err(Leaves::new(word, "there are too many symmetries"));
        }
        let places: Vec<u64> = (0..self.heaps.len() as u64).collect();
        let mut images = Vec::new();
        symmetries.any_image(&places, &mut |image| {
            images.push(image.iter().map(|from| *from as usize).collect());
            false
        });
        images.sort_unstable();
        images.dedup();
        Ok(images)
    }

    /// Has the image this form, from the `next`th entry met on?
    fn fits(&mut self, like: &Like, next: usize, image: &[Sum]) -> Read<Formula> {
        let Some(&index) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(condition),
                None => Ok(Formula::Const(true)),
            };
        };
        let heap = &image[index];
        match &like.entries[index] {
            Entry::Bind(slot) => {
                self.where_is(*slot, heap.clone(), |m| m.fits(like, next + 1, image))
            }
            Entry::Equals(value) => {
                let values = self.number(value)?;
                let equal =
                    super::in_some_case(&values, |value| compared(value, Order::Equal, heap))?;
                if equal == FALSE {
                    return Ok(FALSE);
                }
                let rest = self.where_holds(equal.clone(), |m| m.fits(like, next + 1, image))?;
                Ok(Formula::and([equal, rest]))
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let rests = self.where_is(*slot, constant(0), |m| m.number(value))?;
                let mut any = Vec::new();
                for case in rests {
                    let rest = minus(heap, &case.value).ok_or_else(too_large)?;
                    for (own, said, solved) in self.solutions(&rest, *coefficient)? {
                        let known = Formula::and([case.guard.clone(), said]);
                        let fits = self.where_holds(known.clone(), |m| {
                            m.where_is(*slot, solved, |m| m.fits(like, next + 1, image))
                        })?;
                        any.push(Formula::exists(
                            case.own.iter().copied().chain(own).collect(),
                            Formula::and([known, fits]),
                        ));
                    }
                }
                Ok(Formula::or(any))
            }
        }
    }

    /// The numbers that, times the coefficient, are the rest.
    #[allow(clippy::type_complexity)]
    fn solutions(
        &mut self,
        rest: &Sum,
        coefficient: i64,
    ) -> Read<Vec<(Option<crate::automata::Track>, Formula, Sum)>> {
        if coefficient.abs() == 1 {
            let solved = times(rest, coefficient).ok_or_else(too_large)?;
            return Ok(vec![(None, Formula::Const(true), solved)]);
        }
        let mut found = Vec::new();
        for sign in [1, -1] {
            let track = self.fresh();
            let solved = times(&variable(track), sign).ok_or_else(too_large)?;
            let product = times(&solved, coefficient).ok_or_else(too_large)?;
            let mut said = vec![compared(&product, Order::Equal, rest)?];
            if sign < 0 {
                said.push(compared(&constant(1), Order::AtMost, &variable(track))?);
            }
            found.push((Some(track), Formula::and(said), solved));
        }
        Ok(found)
    }
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

/// These heaps are left, and the others are empty.
pub fn alive(heaps: &[Sum], left: &[usize]) -> Read<Formula> {
    let mut said = Vec::new();
    for (place, heap) in heaps.iter().enumerate() {
        said.push(if left.contains(&place) {
            compared(&constant(1), Order::AtMost, heap)?
        } else {
            Formula::sum(heap.clone(), Relation::Zero)
        });
    }
    Ok(Formula::and(said))
}
