//! Indices of positions, from 0, as states of a relation.
//!
//! Two representations: a rank structure over the places of a box (a bit for each
//! place and a count for each word of bits), and a hash table from packed positions
//! to the order of their insertion.

use super::allowed::AllowedPositions;
use crate::{Limits, Shape, SolveError};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A set of positions with their indices.
#[derive(Debug)]
pub enum PositionIndex {
    /// The positions of a box.
    Dense(DenseIndex),
    /// Positions in the order of insertion.
    Sparse(SparseIndex),
}

impl PositionIndex {
    /// The index of a position, if it is in the set.
    pub fn of(&self, position: &[u64]) -> Option<u32> {
        match self {
            PositionIndex::Dense(dense) => dense.of(dense.shape.place(position)?),
            PositionIndex::Sparse(sparse) => sparse.of(position),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            PositionIndex::Dense(dense) => dense.count,
            PositionIndex::Sparse(sparse) => sparse.len(),
        }
    }
}

/// The positions of a box, in its order, without excluded ones.
#[derive(Debug)]
pub struct DenseIndex {
    pub shape: Shape,
    /// The number of positions.
    pub count: usize,
    /// Bit `i` of word `w` is set if place `64·w + i` is a position. Empty if every
    /// place is one.
    bits: Vec<u64>,
    /// The number of positions before each word of bits.
    before: Vec<u32>,
}

impl DenseIndex {
    /// The memory for a box with this number of places, in bytes.
    pub fn bytes_for(cells: u128) -> u128 {
        cells.div_ceil(64).saturating_mul(12)
    }

    pub fn new(
        shape: Shape,
        allowed: &AllowedPositions<'_>,
        limits: &Limits,
    ) -> Result<DenseIndex, SolveError> {
        if !allowed.excludes() {
            return Ok(DenseIndex {
                count: shape.len,
                shape,
                bits: Vec::new(),
                before: Vec::new(),
            });
        }
        let mut bits = vec![0_u64; shape.len.div_ceil(64)];
        allowed.each(&shape, limits, &mut |_, place| {
            bits[place / 64] |= 1 << (place % 64);
            Ok(())
        })?;
        let mut count = 0_usize;
        let mut before = Vec::with_capacity(bits.len());
        for word in &bits {
            // INVARIANT: more positions than 32 bits can count are rejected before an
            // index is used.
            before.push(count as u32);
            count += word.count_ones() as usize;
        }
        Ok(DenseIndex {
            shape,
            count,
            bits,
            before,
        })
    }

    /// The index of the position at a place of the box, if it is one.
    pub fn of(&self, place: usize) -> Option<u32> {
        if self.bits.is_empty() {
            return Some(place as u32);
        }
        let word = self.bits[place / 64];
        let bit = 1 << (place % 64);
        (word & bit != 0).then(|| self.before[place / 64] + (word & (bit - 1)).count_ones())
    }

    /// The places of the positions, ascending.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        (0..self.shape.len)
            .filter(|place| self.bits.is_empty() || self.bits[place / 64] >> (place % 64) & 1 == 1)
    }

    /// Writes the position at a place of the box to `position`.
    pub fn position(&self, mut place: usize, position: &mut [u64]) {
        for (size, stride) in position.iter_mut().zip(&self.shape.strides) {
            *size = (place / stride) as u64;
            place %= stride;
        }
    }
}

/// A packed position: sizes one after another, seven bits in each byte.
type Key = SmallVec<[u8; 16]>;

/// Positions in the order of insertion.
#[derive(Debug, Default)]
pub struct SparseIndex {
    known: FxHashMap<Key, u32>,
    keys: Vec<Key>,
}

impl SparseIndex {
    /// An estimate of the memory of a position, in bytes: two keys, the index, and the
    /// load factor of the hash table. Long keys are allocated separately.
    pub fn bytes_per_position(heaps: usize) -> u64 {
        let apart = if heaps > 16 { 2 * heaps + 32 } else { 0 };
        (24 + 2 * 40 + apart) as u64
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn of(&self, position: &[u64]) -> Option<u32> {
        self.known.get(&packed(position)).copied()
    }

    /// The index of a position, which is inserted if it is new.
    pub fn intern(&mut self, position: &[u64]) -> u32 {
        let key = packed(position);
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.known.insert(key, number);
        number
    }

    /// Writes the position with an index to `position`; false if there is none.
    pub fn position(&self, number: usize, position: &mut Vec<u64>) -> bool {
        let Some(key) = self.keys.get(number) else {
            return false;
        };
        position.clear();
        let (mut size, mut shift) = (0_u64, 0);
        for byte in key {
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                position.push(size);
                (size, shift) = (0, 0);
            }
        }
        true
    }
}

fn packed(position: &[u64]) -> Key {
    let mut key = Key::new();
    for size in position {
        let mut rest = *size;
        while rest >= 0x80 {
            key.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        key.push(rest as u8);
    }
    key
}
