//! Sets of Grundy values: timestamps, bit sets and multisets.

/// A set of values that is cleared in constant time.
#[derive(Debug, Clone, Default)]
pub struct TimestampSet {
    /// By value: the time at which it was added last.
    times: Vec<u32>,
    now: u32,
}

impl TimestampSet {
    pub fn clear(&mut self) {
        self.now = match self.now.checked_add(1) {
            Some(now) => now,
            None => {
                self.times.fill(0);
                1
            }
        };
    }

    pub fn add(&mut self, value: u32) {
        let place = value as usize;
        if place >= self.times.len() {
            self.times.resize(place + 1, self.now.wrapping_sub(1));
        }
        self.times[place] = self.now;
    }

    pub fn has(&self, value: u32) -> bool {
        self.times.get(value as usize) == Some(&self.now)
    }

    /// The least value that is not in the set.
    pub fn mex(&self) -> u32 {
        let first = self.times.iter().position(|time| *time != self.now);
        first.unwrap_or(self.times.len()) as u32
    }
}

/// A set of values as bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BitSet {
    pub words: Vec<u64>,
}

impl BitSet {
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn add(&mut self, value: u32) {
        let word = (value / 64) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (value % 64);
    }

    pub fn has(&self, value: u32) -> bool {
        let word = self.words.get((value / 64) as usize);
        word.is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    pub fn join(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Adds the nim-sum of each value of the other set with `by`.
    pub fn join_shifted(&mut self, other: &BitSet, by: u32) {
        let (far, near) = ((by / 64) as usize, by % 64);
        for (place, word) in other.words.iter().enumerate() {
            if *word == 0 {
                continue;
            }
            let place = place ^ far;
            if place >= self.words.len() {
                self.words.resize(place + 1, 0);
            }
            self.words[place] |= shifted(*word, near);
        }
    }

    /// Removes a value, which must be in the set.
    pub fn remove(&mut self, value: u32) {
        self.words[(value / 64) as usize] &= !(1 << (value % 64));
    }

    /// Replaces the set by the indices of `bytes` that hold 1; the others hold
    /// 0.
    pub fn set_bytes(&mut self, bytes: &[u8]) {
        self.words.clear();
        self.words.extend(bytes.chunks(64).map(word_of));
    }

    /// Moves the values that are indices of `bytes` that hold 1 to another set; the others hold 0.
    /// Returns whether any is left.
    pub fn move_bytes(&mut self, bytes: &[u8], to: &mut BitSet) -> bool {
        to.words.resize(to.words.len().max(self.words.len()), 0);
        let words = self.words.iter_mut().zip(&mut to.words);
        let mut left = 0;
        for ((word, to), bytes) in words.zip(bytes.chunks(64)) {
            let moved = *word & word_of(bytes);
            *word ^= moved;
            *to |= moved;
            left |= *word;
        }
        left != 0
    }

    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    pub fn least(&self) -> Option<u32> {
        let place = self.words.iter().position(|word| *word != 0)?;
        Some(place as u32 * 64 + self.words[place].trailing_zeros())
    }

    /// The least value that is not in the set.
    pub fn mex(&self) -> u32 {
        let word = self.words.iter().position(|word| *word != u64::MAX);
        match word {
            Some(word) => word as u32 * 64 + self.words[word].trailing_ones(),
            None => self.words.len() as u32 * 64,
        }
    }
}

/// The bits of at most 64 bytes that are 0 or 1.
fn word_of(bytes: &[u8]) -> u64 {
    bytes.rchunks(8).fold(0, |word, some| {
        let mut eight = [0; 8];
        eight[..some.len()].copy_from_slice(some);
        // The product has bit 8 i + 7 k for each byte i that is 1 and k from 1 to 8, all of them
        // different; bit 56 + i is that of k = 8 - i.
        let gathered = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word << 8 | gathered
    })
}

/// The word with each bit moved from its place p to p XOR `by`.
pub fn shifted(word: u64, by: u32) -> u64 {
    // Bit b of `by` swaps neighbouring blocks of 2^b bits.
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    let mut word = word;
    for (bit, low) in LOW.into_iter().enumerate() {
        if by >> bit & 1 == 1 {
            let side = 1 << bit;
            word = (word & low) << side | word >> side & low;
        }
    }
    word
}

/// A multiset of values.
#[derive(Debug, Clone, Default)]
pub struct Multiset {
    /// The multiplicity of each value.
    times: Vec<u32>,
    /// The values of positive multiplicity.
    bits: BitSet,
    /// All words of `bits` before this one are full.
    full: usize,
}

impl Multiset {
    pub fn add(&mut self, value: u32) {
        let place = value as usize;
        if place >= self.times.len() {
            self.times.resize(place + 1, 0);
        }
        self.times[place] += 1;
        if self.times[place] == 1 {
            self.bits.add(value);
        }
    }

    /// Removes a value once; it must be in the multiset.
    pub fn remove(&mut self, value: u32) {
        let place = value as usize;
        self.times[place] -= 1;
        if self.times[place] == 0 {
            self.bits.remove(value);
            self.full = self.full.min(place / 64);
        }
    }

    pub fn bits(&self) -> &BitSet {
        &self.bits
    }

    /// The least value from `least` on that is not in the multiset.
    pub fn mex_from(&mut self, least: u32) -> u32 {
        let words = &self.bits.words;
        while words.get(self.full) == Some(&u64::MAX) {
            self.full += 1;
        }
        let least = least.max(self.full as u32 * 64);
        let mut place = (least / 64) as usize;
        let mut below = (1 << (least % 64)) - 1;
        while let Some(word) = words.get(place) {
            let missing = !(word | below);
            if missing != 0 {
                return place as u32 * 64 + missing.trailing_zeros();
            }
            below = 0;
            place += 1;
        }
        least.max(place as u32 * 64)
    }
}
