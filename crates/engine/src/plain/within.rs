//! Which options lie in the chunk of their positions.

use nimrule_ir::batch::LANES;

/// Options that lie in the chunk of their positions, one bit for each position
/// and each distance between the two.
pub struct Within {
    /// For each distance, a byte for each lane.
    rows: Vec<u8>,
    /// The distances that occur.
    pub used: Vec<usize>,
    is_used: [bool; LANES],
}

impl Within {
    pub fn new() -> Within {
        Within {
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

    /// Each of these lanes that has 1 in `on` has the option so many lanes
    /// before it.
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

    /// Has the lane the option so many lanes before it?
    pub fn has(&self, back: usize, lane: usize) -> bool {
        self.rows[back * LANES + lane] != 0
    }
}
