//! Numbers for short lists of numbers: equal lists get equal numbers.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Lists one behind another, found by open addressing.
#[derive(Debug)]
pub struct Interner {
    data: Vec<u32>,
    ends: Vec<usize>,
    table: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl Interner {
    pub fn new() -> Interner {
        Interner {
            data: Vec::new(),
            ends: Vec::new(),
            table: vec![EMPTY; 1 << 10],
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bytes(&self) -> usize {
        4 * self.data.capacity() + 8 * self.ends.capacity() + 4 * self.table.capacity()
    }

    pub fn get(&self, index: u32) -> &[u32] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.data[start..self.ends[index]]
    }

    /// The number of a list, and whether it is new.
    pub fn insert(&mut self, list: &[u32]) -> (u32, bool) {
        let mask = self.table.len() - 1;
        let mut place = hash(list) as usize & mask;
        loop {
            match self.table[place] {
                EMPTY => break,
                known if self.get(known) == list => return (known, false),
                _ => place = (place + 1) & mask,
            }
        }
        let fresh = self.ends.len() as u32;
        self.table[place] = fresh;
        self.data.extend_from_slice(list);
        self.ends.push(self.data.len());
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        (fresh, true)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![EMPTY; size];
        for index in 0..self.ends.len() as u32 {
            let mut place = hash(self.get(index)) as usize & (size - 1);
            while self.table[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            self.table[place] = index;
        }
    }
}

fn hash(list: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for &one in list {
        hasher.write_u32(one);
    }
    let raw = hasher.finish();
    raw ^ raw >> 29
}
