//! Forms: has some image of the position this form?
//!
//! The entries of a form are met in an order that the checker found, so that a
//! single pass over an image binds, solves and compares. Which images there are
//! depends on how the heaps stand.

use super::{Fault, PlacedFault, Scene, check_images, size};
use crate::board::symmetry::Symmetries;
use crate::expr::{Entry, Images, Like};
use crate::source::Span;
use smallvec::SmallVec;

impl Like {
    pub(super) fn eval(&self, at: Span, scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        match self.images {
            Images::Symmetries => {
                let mut fault = None;
                let (position, symmetries) = (scene.position, scene.symmetries);
                check_images(symmetries, position).map_err(|fault| fault.at(at))?;
                let found = symmetries.any_image(position, &mut |image| {
                    self.fits(image, scene).unwrap_or_else(|f| {
                        fault = Some(f);
                        true
                    })
                });
                fault.map_or(Ok(found), Err)
            }
            Images::Bag => {
                let left: SmallVec<[u64; 16]> =
                    scene.position.iter().copied().filter(|h| *h > 0).collect();
                if left.len() != self.entries.len() {
                    return Ok(false);
                }
                let any_order = Symmetries::all(left.len());
                check_images(&any_order, &left).map_err(|fault| fault.at(at))?;
                let mut fault = None;
                let found = any_order.any_image(&left, &mut |image| {
                    self.fits(image, scene).unwrap_or_else(|f| {
                        fault = Some(f);
                        true
                    })
                });
                fault.map_or(Ok(found), Err)
            }
            Images::Left(board) => {
                let position = scene.position;
                let left = board.left(position);
                let loose = board.loose(position.len());
                let loose: SmallVec<[u64; 8]> = loose.map(|heap| position[heap.index()]).collect();
                if left.len() + loose.len() != self.entries.len() {
                    return Ok(false);
                }
                for reading in board.readings(left.len()) {
                    let sizes = reading.iter().map(|place| position[left[*place].index()]);
                    let image: SmallVec<[u64; 16]> = sizes.chain(loose.iter().copied()).collect();
                    if self.fits(&image, scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Has this very image the form?
    fn fits(&self, image: &[u64], scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        for &index in &self.order {
            let heap = size(image[index]);
            match &self.entries[index] {
                Entry::Bind(slot) => scene.locals[slot.index()] = heap,
                Entry::Equals(value) => {
                    if value.eval(scene)? != heap {
                        return Ok(false);
                    }
                }
                Entry::Solve {
                    slot,
                    coefficient,
                    value,
                } => {
                    scene.locals[slot.index()] = 0;
                    let rest = heap
                        .checked_sub(value.eval(scene)?)
                        .ok_or_else(|| Fault::Overflow.at(value.span))?;
                    if rest % coefficient != 0 {
                        return Ok(false);
                    }
                    scene.locals[slot.index()] = rest / coefficient;
                }
            }
        }
        match &self.condition {
            Some(condition) => condition.eval(scene),
            None => Ok(true),
        }
    }
}
