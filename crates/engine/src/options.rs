//! The options of the positions of a box: by subtraction vectors if the rule
//! allows it, else by the concrete walk.
//!
//! In a translation-invariant rule a move subtracts a vector, and a vector may be
//! subtracted wherever it fits. All vectors are moves from the largest corner of
//! the box, so that one walk from there finds them. A vector is packed into a word
//! with a guard bit above the field of each heap: one subtraction checks whether it
//! fits.

use super::{Limits, Shape, SolveError, Solver};
use nimrule_ir::{Stop, Walker};
use nimrule_model::expr::PlacedFault;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The largest number of vectors that is tried for each position.
const MOST_VECTORS: usize = 200_000;

/// The largest number of vectors that is collected for the row kernel.
const MOST_GATHERED: usize = 1 << 19;

/// An upper estimate of the bytes of a vector during the collection.
const BYTES_FOR_VECTOR: u64 = 400;

/// All vectors that a move of a translation-invariant rule may subtract within the
/// box below this corner; `None` if they are too many.
pub fn vectors(
    solver: &Solver<'_>,
    corner: &[u64],
    limits: &Limits,
) -> Result<Option<Vec<Vec<u64>>>, SolveError> {
    if Shape::count(corner) == u128::MAX {
        return Ok(None);
    }
    let room = usize::try_from(limits.memory / BYTES_FOR_VECTOR).unwrap_or(usize::MAX);
    let room = room.min(MOST_GATHERED);
    let mut seen = BTreeSet::new();
    let mut vectors: Vec<Vec<u64>> = Vec::new();
    Walker::new(&solver.graph, &[])
        .until(limits)
        .options(corner, 0, &mut |option, _| {
            let mut number = 0_u128;
            for (size, most) in option.iter().zip(corner) {
                number = number * (u128::from(*most) + 1) + u128::from(*size);
            }
            if seen.insert(number) {
                let sizes = corner.iter().zip(option);
                vectors.push(sizes.map(|(most, size)| most - size).collect());
            }
            if vectors.len() > room {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .map_err(|stop| SolveError::of(stop, corner))?;
    Ok((vectors.len() <= room).then_some(vectors))
}

pub enum Options<'s> {
    Vectors { vectors: Packed, walker: Walker<'s> },
    Walk(Walker<'s>),
}

impl<'s> Options<'s> {
    pub fn of(
        solver: &'s Solver<'_>,
        shape: &Shape,
        limits: &Limits,
    ) -> Result<Options<'s>, SolveError> {
        let walker = Walker::new(&solver.graph, &shape.strides).until(limits);
        let packed = match solver.profile.looks_at_amounts_only {
            Ok(()) => Packed::of(solver, shape, limits)?,
            Err(_) => None,
        };
        Ok(match packed {
            Some(vectors) => Options::Vectors { vectors, walker },
            None => Options::Walk(walker),
        })
    }

    /// The options of the concrete walk.
    pub fn walk(solver: &'s Solver<'_>, shape: &Shape, limits: &Limits) -> Options<'s> {
        Options::Walk(Walker::new(&solver.graph, &shape.strides).until(limits))
    }

    pub fn is_position(&mut self, position: &[u64]) -> Result<bool, PlacedFault> {
        match self {
            Options::Vectors { walker, .. } | Options::Walk(walker) => walker.is_position(position),
        }
    }

    /// Calls `visit` with the place of every option until it breaks; returns whether
    /// it did.
    pub fn each<V>(&mut self, position: &[u64], place: usize, visit: &mut V) -> Result<bool, Stop>
    where
        V: FnMut(usize) -> ControlFlow<()>,
    {
        match self {
            Options::Vectors { vectors, .. } => Ok(vectors.each(position, place, visit)),
            Options::Walk(walker) => {
                walker.options_inlined(position, place, &mut |_, option| visit(option))
            }
        }
    }
}

/// Packed vectors, each with its distance in the table.
pub struct Packed {
    vectors: Vec<(u64, usize)>,
    /// The lowest bit of the field of each heap.
    shifts: Vec<u32>,
    /// The guard bits.
    guards: u64,
}

impl Packed {
    /// `None` if there are too many vectors, or the fields exceed a word.
    fn of(
        solver: &Solver<'_>,
        shape: &Shape,
        limits: &Limits,
    ) -> Result<Option<Packed>, SolveError> {
        let mut shifts = Vec::new();
        let mut guards = 0_u64;
        let mut bits = 0;
        for most in &shape.most {
            shifts.push(bits);
            bits += u64::BITS - most.leading_zeros() + 1;
            if bits > u64::BITS {
                return Ok(None);
            }
            guards |= 1 << (bits - 1);
        }
        let corner = &shape.most;
        let mut seen = BTreeSet::new();
        let mut vectors = Vec::new();
        let mut too_many = false;
        Walker::new(&solver.graph, &[])
            .until(limits)
            .options(corner, 0, &mut |option, _| {
                let mut word = 0;
                let mut distance = 0;
                for (heap, size) in option.iter().enumerate() {
                    let taken = corner[heap] - size;
                    word |= taken << shifts[heap];
                    distance += taken as usize * shape.strides[heap];
                }
                if seen.insert(word) {
                    vectors.push((word, distance));
                }
                too_many = vectors.len() > MOST_VECTORS;
                if too_many {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .map_err(|stop| SolveError::of(stop, corner))?;
        Ok((!too_many).then_some(Packed {
            vectors,
            shifts,
            guards,
        }))
    }

    fn each<V>(&self, position: &[u64], place: usize, visit: &mut V) -> bool
    where
        V: FnMut(usize) -> ControlFlow<()>,
    {
        let mut word = self.guards;
        for (size, shift) in position.iter().zip(&self.shifts) {
            word |= size << shift;
        }
        for (vector, distance) in &self.vectors {
            // A guard bit is cleared if its heap is too small.
            let fits = word.wrapping_sub(*vector) & self.guards == self.guards;
            if fits && visit(place - distance).is_break() {
                return true;
            }
        }
        false
    }
}
