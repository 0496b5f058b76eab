//! The options that lie in the batch of their positions.

use nimrule_ir::batch::LANES;

/// The options within a batch, as a matrix: distance by lane.
pub struct BatchOptions {
    /// Byte `back * LANES + lane` is 1 if the lane has an option `back` lanes before
    /// it.
    rows: Vec<u8>,
    /// The distances that occur.
    pub used: Vec<usize>,
    is_used: [bool; LANES],
}

impl BatchOptions {
    pub fn new() -> BatchOptions {
        BatchOptions {
            rows: vec![0; LANES * LANES],
            used: Vec::new(),
            is_used: [false; LANES],
        }
    }

    pub fn clear(&mut self) {
        for back in self.used.drain(..) {
            self.is_used[back] = false;
        }
    }

    /// Adds the option `back` lanes before lane `from + i` for each `on[i] = 1`.
    pub fn add(&mut self, back: usize, from: usize, on: &[u8]) {
        let row = &mut self.rows[back * LANES..(back + 1) * LANES];
        if !self.is_used[back] {
            self.is_used[back] = true;
            self.used.push(back);
            row.fill(0);
        }
        for (cell, on) in row[from..].iter_mut().zip(on) {
            *cell |= on;
        }
    }

    /// Whether the lane has an option `back` lanes before it.
    pub fn has(&self, back: usize, lane: usize) -> bool {
        self.rows[back * LANES + lane] != 0
    }
}
