//! Language inclusion between the states of one automaton.
//!
//! State a is included in state b if every word accepted from a is accepted
//! from b. That is the greatest relation in which no included pair is told
//! apart by the empty word, and every letter leads from an included pair to an
//! included pair. It is found from above, by striking out pairs until the
//! letters respect the rest.
//!
//! In a subset construction only the maximal states of a subset matter, and of
//! two subsets only the smaller need be followed: the antichains of De Wulf,
//! Doyen, Henzinger and Raskin (2006, "Antichains: a new algorithm for
//! checking universality of finite automata").

use nimrule_limits::Met;

/// The relation "accepts no more than" between some states.
#[derive(Debug, Clone)]
pub struct Inclusion {
    /// The row of each state, or `u32::MAX`.
    row: Vec<u32>,
    states: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

impl Inclusion {
    /// The relation in which a state is included in itself alone.
    pub fn trivial() -> Inclusion {
        Inclusion {
            row: Vec::new(),
            states: Vec::new(),
            words: 0,
            bits: Vec::new(),
        }
    }

    /// The greatest relation inside `may_hold` that `is_respected` respects:
    /// it is called with the number of the round, the relation so far and a
    /// pair in it, and returns whether every letter leads to a pair in it.
    ///
    /// `states` are the states that are compared, of `count`, ascending.
    ///
    /// # Errors
    ///
    /// What `may_hold` and `is_respected` return.
    pub fn greatest(
        count: usize,
        states: Vec<u32>,
        mut may_hold: impl FnMut(usize, usize) -> Result<bool, Met>,
        mut is_respected: impl FnMut(usize, &Inclusion, u32, u32) -> Result<bool, Met>,
    ) -> Result<Inclusion, Met> {
        let rows = states.len();
        let words = rows.div_ceil(64);
        let mut row = vec![u32::MAX; count];
        for (index, &state) in states.iter().enumerate() {
            row[state as usize] = index as u32;
        }
        let mut bits = vec![0; rows * words];
        for a in 0..rows {
            for b in 0..rows {
                if a == b || may_hold(a, b)? {
                    bits[a * words + b / 64] |= 1 << (b % 64);
                }
            }
        }
        let mut relation = Inclusion {
            row,
            states,
            words,
            bits,
        };
        let mut round = 0;
        while relation.strike_out(round, &mut is_respected)? {
            round += 1;
        }
        Ok(relation)
    }

    /// One round over all pairs; returns whether some were struck out.
    fn strike_out(
        &mut self,
        round: usize,
        is_respected: &mut impl FnMut(usize, &Inclusion, u32, u32) -> Result<bool, Met>,
    ) -> Result<bool, Met> {
        let mut changed = false;
        for a in 0..self.states.len() {
            for word in 0..self.words {
                let mut left = self.bits[a * self.words + word];
                while left != 0 {
                    let b = word * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let (one, other) = (self.states[a], self.states[b]);
                    if a != b && !is_respected(round, self, one, other)? {
                        self.bits[a * self.words + word] &= !(1 << (b % 64));
                        changed = true;
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Whether the first state is known to accept no more than the second.
    #[inline]
    pub fn holds(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        if self.words == 0 {
            return false;
        }
        let (a, b) = (self.row[a as usize] as usize, self.row[b as usize] as usize);
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 != 0
    }

    /// Keeps the maximal states of a list; of states that accept the same, the
    /// one with the least number.
    pub fn keep_maximal(&self, states: &mut Vec<u32>) {
        if self.words == 0 || states.len() < 2 {
            return;
        }
        let mut index = 0;
        while index < states.len() {
            let state = states[index];
            let is_subsumed = states.iter().any(|&other| {
                other != state
                    && self.holds(state, other)
                    && (other < state || !self.holds(other, state))
            });
            if is_subsumed {
                states.remove(index);
            } else {
                index += 1;
            }
        }
    }
}
