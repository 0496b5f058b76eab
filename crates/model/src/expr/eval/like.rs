//! The evaluation of forms, `like`: whether some image of the position matches.
//!
//! The semantic check orders the entries of a form so that one pass over an
//! image binds, solves and compares. The images depend on the kind of board
//! ([`Images`]).

use super::{Environment, Fault, PlacedFault, check_images, size};
use crate::expr::{Entry, Images, Like};
use crate::source::Span;
use nimrule_board::symmetry::Symmetries;
use smallvec::SmallVec;

impl Like {
    pub(super) fn eval(
        &self,
        at: Span,
        environment: &mut Environment<'_>,
    ) -> Result<bool, PlacedFault> {
        match self.images {
            Images::Symmetries => {
                let mut fault = None;
                let (position, symmetries) = (environment.position, environment.symmetries);
                check_images(symmetries, position).map_err(|fault| fault.at(at))?;
                let found = symmetries.any_image(position, &mut |image| {
                    self.matches(image, environment).unwrap_or_else(|f| {
                        fault = Some(f);
                        true
                    })
                });
                fault.map_or(Ok(found), Err)
            }
            Images::Multiset(kinds) => {
                let left: SmallVec<[u64; 16]> = environment
                    .position
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| kinds.has(environment.kinds.get(*place).copied()))
                    .map(|(_, heap)| *heap)
                    .filter(|h| *h > 0)
                    .collect();
                if left.len() != self.entries.len() {
                    return Ok(false);
                }
                let any_order = Symmetries::all(left.len());
                check_images(&any_order, &left).map_err(|fault| fault.at(at))?;
                let mut fault = None;
                let found = any_order.any_image(&left, &mut |image| {
                    self.matches(image, environment).unwrap_or_else(|f| {
                        fault = Some(f);
                        true
                    })
                });
                fault.map_or(Ok(found), Err)
            }
            Images::Remaining(board) => {
                let position = environment.position;
                let left = board.remaining(position);
                let off_board = board.off_board(position.len());
                let off_board: SmallVec<[u64; 8]> =
                    off_board.map(|heap| position[heap.index()]).collect();
                if left.len() + off_board.len() != self.entries.len() {
                    return Ok(false);
                }
                for reading in board.reading_orders(left.len()) {
                    let sizes = reading.iter().map(|place| position[left[*place].index()]);
                    let image: SmallVec<[u64; 16]> =
                        sizes.chain(off_board.iter().copied()).collect();
                    if self.matches(&image, environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether the entries of an image match the form.
    fn matches(
        &self,
        image: &[u64],
        environment: &mut Environment<'_>,
    ) -> Result<bool, PlacedFault> {
        for &index in &self.order {
            let heap = size(image[index]);
            match &self.entries[index] {
                Entry::Bind(slot) => environment.locals[slot.index()] = heap,
                Entry::Equals(value) => {
                    if value.eval(environment)? != heap {
                        return Ok(false);
                    }
                }
                Entry::Solve {
                    slot,
                    coefficient,
                    value,
                } => {
                    environment.locals[slot.index()] = 0;
                    let rest = heap
                        .checked_sub(value.eval(environment)?)
                        .ok_or_else(|| Fault::Overflow.at(value.span))?;
                    if rest % coefficient != 0 {
                        return Ok(false);
                    }
                    environment.locals[slot.index()] = rest / coefficient;
                }
            }
        }
        match &self.condition {
            Some(condition) => condition.eval(environment),
            None => Ok(true),
        }
    }
}
