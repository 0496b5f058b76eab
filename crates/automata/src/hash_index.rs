//! An open-addressing hash index of entries that are stored elsewhere and
//! numbered from 0; used by [`super::unique_table`] and [`super::interner`].

const VACANT: u32 = u32::MAX;

/// The numbers of entries by their hashes.
#[derive(Debug, Clone)]
pub struct HashIndex {
    /// A power of two; at most half of the slots are occupied.
    slots: Vec<u32>,
}

/// The slot of a new entry.
#[derive(Debug, Clone, Copy)]
pub struct Slot(usize);

impl HashIndex {
    /// `slots` is a power of two.
    pub fn new(slots: usize) -> HashIndex {
        debug_assert!(slots.is_power_of_two());
        HashIndex {
            slots: vec![VACANT; slots],
        }
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }

    /// The entry with this hash that `is_wanted` accepts, or the slot for it.
    #[inline]
    pub fn find(&self, hash: usize, is_wanted: impl Fn(u32) -> bool) -> Result<u32, Slot> {
        let mask = self.slots.len() - 1;
        let mut slot = hash & mask;
        loop {
            match self.slots[slot] {
                VACANT => return Err(Slot(slot)),
                entry if is_wanted(entry) => return Ok(entry),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Adds the entry with the next number, `entry`, at the slot that
    /// [`HashIndex::find`] returned. `hash_of` returns the hash of every entry,
    /// the new one included.
    pub fn insert(&mut self, slot: Slot, entry: u32, hash_of: impl Fn(u32) -> usize) {
        self.slots[slot.0] = entry;
        let entries = entry as usize + 1;
        if entries * 2 <= self.slots.len() {
            return;
        }
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![VACANT; mask + 1];
        for entry in 0..entries as u32 {
            let mut slot = hash_of(entry) & mask;
            while slots[slot] != VACANT {
                slot = (slot + 1) & mask;
            }
            slots[slot] = entry;
        }
        self.slots = slots;
    }
}

/// The hash of a number and a list of numbers.
#[inline]
pub fn hash(first: u32, rest: &[u32]) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = u64::from(first).wrapping_mul(FACTOR);
    for word in rest {
        hash = (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(FACTOR);
    }
    (hash >> 20) as usize
}
