//! Language inclusion between the states of one automaton.
//!
//! State a is included in state b if every word accepted from a is accepted
//! from b. This is the greatest relation such that, for each pair (a, b) in it,
//! b accepts if a does, and every letter leads to a pair in it. It is computed
//! as a greatest fixed point, by the removal of pairs.
//!
//! In a subset construction only the maximal states of a subset matter, and of
//! two comparable subsets only one must be explored: the antichains of De Wulf,
//! Doyen, Henzinger and Raskin (2006, "Antichains: a new algorithm for
//! checking universality of finite automata").

use nimrule_limits::LimitExceeded;

/// The inclusion relation between some states.
#[derive(Debug, Clone)]
pub struct Inclusion {
    /// The row of each state in the bit matrix, or `u32::MAX`.
    row: Vec<u32>,
    states: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

impl Inclusion {
    /// The identity: a state is included only in itself.
    pub fn trivial() -> Inclusion {
        Inclusion {
            row: Vec::new(),
            states: Vec::new(),
            words: 0,
            bits: Vec::new(),
        }
    }

    /// The greatest relation within `may_hold` that satisfies `is_respected`.
    ///
    /// `is_respected` takes the number of the round, the relation so far and a
    /// pair in it; it returns whether every letter leads from the pair to a pair
    /// in the relation. `states` are the compared states, ascending, of `count`
    /// states in total.
    ///
    /// # Errors
    ///
    /// Those of `may_hold` and `is_respected`.
    pub fn greatest(
        count: usize,
        states: Vec<u32>,
        mut may_hold: impl FnMut(usize, usize) -> Result<bool, LimitExceeded>,
        mut is_respected: impl FnMut(usize, &Inclusion, u32, u32) -> Result<bool, LimitExceeded>,
    ) -> Result<Inclusion, LimitExceeded> {
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
        while relation.remove_pairs(round, &mut is_respected)? {
            round += 1;
        }
        Ok(relation)
    }

    /// One round over all pairs; returns whether some were removed.
    fn remove_pairs(
        &mut self,
        round: usize,
        is_respected: &mut impl FnMut(usize, &Inclusion, u32, u32) -> Result<bool, LimitExceeded>,
    ) -> Result<bool, LimitExceeded> {
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

    /// Returns whether state a is known to be included in state b.
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

    /// Keeps the maximal states of a list; of equivalent states, the one with
    /// the least number.
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
