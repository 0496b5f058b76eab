//! Forms: `like`, a pattern that some image of the position must match.

use super::{MAX_CASES, Path, Read, Reader, large, unsupported};
use crate::atom::{Atom, Linear};
use crate::selection::remaining_of_number;
use nimrule_board::Arrangement;
use nimrule_model::expr::{Entry, HeapId, Images, Like, Order};
use nimrule_model::source::Span;

impl Reader<'_> {
    /// The paths on which some image of the position matches a form, or, if
    /// `holds` is false, no image matches it.
    pub(super) fn like(
        &mut self,
        path: Path,
        like: &Like,
        holds: bool,
        span: Span,
    ) -> Read<Vec<Path>> {
        let mut found = Vec::new();
        for (path, images) in self.images(path, like, span)? {
            let mut open = vec![path];
            for image in images {
                let mut next = Vec::new();
                for path in open {
                    if holds {
                        found.extend(self.matches(path.clone(), like, &image, 0, true)?);
                        next.push(path);
                    } else {
                        next.extend(self.matches(path, like, &image, 0, false)?);
                    }
                }
                open = Self::limited(next, span)?;
            }
            found.extend(open.into_iter().filter(|_| !holds));
        }
        Self::limited(found, span)
    }

    /// The images of the position that a form is compared with: the cases, each
    /// a path and the images on it.
    fn images(&self, path: Path, like: &Like, span: Span) -> Read<Vec<(Path, Vec<Vec<Linear>>)>> {
        let mut found = Vec::new();
        match like.images {
            Images::Symmetries => {
                let images = self.images_of(&path, span)?;
                found.push((path, images));
            }
            Images::Remaining(board) => {
                let off_board: Vec<HeapId> = board.off_board(path.heaps.len()).collect();
                let number = like.entries.len().checked_sub(off_board.len());
                for (path, left) in remaining_of_number(path, board, number, span)? {
                    let images = left.map_or(Vec::new(), |left| {
                        let orders = reading_orders(&left, board.arrangement).into_iter();
                        let orders = orders.map(|order| [order, off_board.clone()].concat());
                        orders.map(|order| path.sizes(&order)).collect()
                    });
                    found.push((path, images));
                }
            }
            Images::Multiset(_) => return unsupported("a multiset of heaps", span),
        }
        for (_, images) in &mut found {
            images.sort();
            images.dedup();
        }
        Ok(found)
    }

    /// The images of the current sizes of the heaps under the symmetries of the game.
    pub fn images_of(&self, path: &Path, span: Span) -> Read<Vec<Vec<Linear>>> {
        let symmetries = &self.game.facts.symmetries;
        if symmetries
            .order()
            .is_none_or(|order| order > MAX_CASES as u128)
        {
            return unsupported("this many symmetries", span);
        }
        let places: Vec<u64> = (0..path.heaps.len() as u64).collect();
        let mut images: Vec<Vec<Linear>> = Vec::new();
        symmetries.any_image(&places, &mut |image| {
            let sizes = image.iter().map(|from| path.heaps[*from as usize].clone());
            images.push(sizes.collect());
            false
        });
        Ok(images)
    }

    /// The paths on which the entries of an image match a form, or, if `holds`
    /// is false, do not match it, from the `next`th entry on.
    fn matches(
        &mut self,
        path: Path,
        like: &Like,
        image: &[Linear],
        next: usize,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let Some(&place) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(path, condition, holds),
                None => Ok(Some(path).filter(|_| holds).into_iter().collect()),
            };
        };
        let size = &image[place];
        let mut found = Vec::new();
        match &like.entries[place] {
            Entry::Bind(slot) => {
                let mut path = path;
                path.locals.insert(*slot, size.clone());
                return self.matches(path, like, image, next + 1, holds);
            }
            Entry::Equals(value) => {
                for (path, number) in self.number(path, value)? {
                    let compare =
                        |path: Path, is| path.compare(&number, Order::Equal, size, is, value.span);
                    if !holds {
                        found.extend(compare(path.clone(), false)?);
                    }
                    if let Some(path) = compare(path, true)? {
                        found.extend(self.matches(path, like, image, next + 1, holds)?);
                    }
                }
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let mut path = path;
                path.locals.insert(*slot, Linear::default());
                for (path, number) in self.number(path, value)? {
                    let sum = size.plus(-1, &number).ok_or_else(|| large(value.span))?;
                    let modulus = coefficient
                        .checked_abs()
                        .filter(|modulus| (1..=MAX_CASES as i64).contains(modulus))
                        .ok_or_else(|| large(value.span))?;
                    let divides = |holds| Atom::Residue {
                        sum: sum.clone(),
                        modulus,
                        residue: 0,
                        holds,
                    };
                    if !holds {
                        found.extend(path.clone().assume(divides(false)));
                    }
                    let Some(path) = path.assume(divides(true)) else {
                        continue;
                    };
                    let by = Linear::constant(*coefficient);
                    let solved = match coefficient {
                        1 | -1 => {
                            let times = Linear::default().plus(*coefficient, &sum);
                            vec![(path, times.ok_or_else(|| large(value.span))?)]
                        }
                        _ => self.divided(path, &sum, &by, value.span)?,
                    };
                    for (mut path, number) in solved {
                        path.locals.insert(*slot, number);
                        found.extend(self.matches(path, like, image, next + 1, holds)?);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The orders in which heaps on a circle or in a row may be read: forwards and
/// backwards, on a circle starting at each heap.
fn reading_orders(heaps: &[HeapId], around: Arrangement) -> Vec<Vec<HeapId>> {
    let rotations = match around {
        Arrangement::Circle => heaps.len().max(1),
        Arrangement::Row => 1,
    };
    let mut found = Vec::new();
    for rotation in 0..rotations {
        let mut order = heaps.to_vec();
        order.rotate_left(rotation);
        found.push(order.iter().rev().copied().collect());
        found.push(order);
    }
    found
}
