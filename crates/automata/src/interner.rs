//! Interning of short lists of numbers: equal lists have the same number.
//!
//! The lists are subsets of a subset construction, and signatures of states and
//! residuals.

use super::hash_index::{HashIndex, hash};

/// Lists of numbers, each stored once, in one allocation.
#[derive(Debug, Clone)]
pub struct Interner {
    data: Vec<u32>,
    ends: Vec<usize>,
    index: HashIndex,
}

impl Default for Interner {
    fn default() -> Interner {
        Interner::new()
    }
}

impl Interner {
    /// An interner without lists.
    pub fn new() -> Interner {
        Interner {
            data: Vec::new(),
            ends: Vec::new(),
            index: HashIndex::new(1 << 10),
        }
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of memory in use.
    pub fn bytes(&self) -> usize {
        4 * self.data.capacity() + 8 * self.ends.capacity() + self.index.bytes()
    }

    /// The list of a number.
    pub fn get(&self, number: u32) -> &[u32] {
        list(&self.data, &self.ends, number)
    }

    /// The number of a list, and whether it is new.
    pub fn insert(&mut self, new: &[u32]) -> (u32, bool) {
        let slot = match self
            .index
            .find(hash(0, new), |known| self.get(known) == new)
        {
            Ok(known) => return (known, false),
            Err(slot) => slot,
        };
        let fresh = self.ends.len() as u32;
        self.data.extend_from_slice(new);
        self.ends.push(self.data.len());
        let (data, ends) = (&self.data, &self.ends);
        self.index
            .insert(slot, fresh, |known| hash(0, list(data, ends, known)));
        (fresh, true)
    }
}

fn list<'a>(data: &'a [u32], ends: &[usize], number: u32) -> &'a [u32] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &data[start..ends[number]]
}
