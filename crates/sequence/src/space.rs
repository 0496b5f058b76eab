//! The sparse space of a sequence: rare and common values.
//!
//! Berlekamp, Conway and Guy (Winning Ways, chapter 4) saw that in many games
//! nearly all values have an odd number of binary digits under some mask. Call
//! values with an even number *rare* and the others *common*: the rare ones
//! are a subgroup under nim-sum, so a nim-sum of two is common just when one
//! of the two is rare and the other is common. Where few heaps have rare
//! values, all common sums of two heaps are found by looking at those few.
//! Gangolli and Plambeck (A note on periodicity in some octal games, 1989)
//! and Flammenkamp computed long sequences so.
//!
//! Flammenkamp found a second kind: in some games the parity of the heap's
//! size has to be counted with the digits. Let every number removed where two
//! heaps are left have the parity of t, and call a heap of n *rare* if the
//! number of digits of G(n) under the mask is of the parity of n - t. If one
//! of two heaps with n - t' tokens is rare and the other is not, then their
//! sum has digits of the parity of n - t + 1; if both are or neither is, of
//! the parity of n - t. So again the sums of one class are found from the rare
//! heaps alone; the class changes with the parity of n.
//!
//! A mask is a guess from the values so far, and nothing rests on its being a
//! good one: with a bad one there are more heaps to look at.

/// A mask, with the heaps that are rare under it.
#[derive(Debug, Clone)]
pub struct Space {
    mask: u32,
    /// The parity of the numbers removed, where that of the size counts.
    by_size: Option<u32>,
    /// The parities of 0 to 63 under the mask, as bits.
    pattern: u64,
    /// The rare heaps, ascending, with their values.
    pub rare: Vec<(u32, u32)>,
}

impl Space {
    fn new(mask: u32, by_size: Option<u32>) -> Space {
        let parities = (0..64).map(|value: u32| u64::from(parity(value & mask)) << value);
        Space {
            mask,
            by_size,
            pattern: parities.sum(),
            rare: Vec::new(),
        }
    }

    pub fn is_like(&self, other: &Space) -> bool {
        self.mask == other.mask && self.by_size == other.by_size
    }

    fn is_rare(&self, heap: u32, value: u32) -> bool {
        let of_size = self.by_size.map_or(0, |removed| (heap ^ removed) & 1);
        parity(value & self.mask) == of_size
    }

    pub fn learn(&mut self, heap: u32, value: u32) {
        if self.is_rare(heap, value) {
            self.rare.push((heap, value));
        }
    }

    /// Which of the values 64 `word` to 64 `word` + 63 are among the options
    /// of a heap only if a rare heap shows them.
    pub fn told_by_rare(&self, word: usize, heap: u32) -> u64 {
        let of_size = self.by_size.map_or(0, |removed| (heap ^ removed) & 1);
        match parity(((word as u32) << 6) & self.mask) ^ of_size {
            0 => self.pattern,
            _ => !self.pattern,
        }
    }
}

fn parity(value: u32) -> u32 {
    value.count_ones() & 1
}

/// How often each value has come, in heaps of even and of odd size.
#[derive(Debug, Clone, Default)]
pub struct Census {
    times: [Vec<i64>; 2],
    heaps: i64,
}

/// Values from this on would make the choice of a mask too dear.
const MOST_VALUES: usize = 1 << 16;

impl Census {
    pub fn add(&mut self, heap: u32, value: u32) {
        let place = value as usize;
        let times = &mut self.times[(heap & 1) as usize];
        if place >= times.len() {
            times.resize(place + 1, 0);
        }
        times[place] += 1;
        self.heaps += 1;
    }

    /// The mask under which the fewest heaps are rare, if these are few.
    ///
    /// `by_size` is the parity of all numbers removed, if they have one.
    pub fn space(&self, by_size: Option<u32>) -> Option<Space> {
        let values = self.times.iter().map(Vec::len).max()?.next_power_of_two();
        if values > MOST_VALUES {
            return None;
        }
        // For each mask, the heaps whose values have an even number of digits
        // under it, less those that have an odd number.
        let [even, odd] = self.times.clone().map(|mut times| {
            times.resize(values, 0);
            transform(&mut times);
            times
        });
        let candidates = (0_u32..)
            .zip(even.iter().zip(&odd))
            .flat_map(|(mask, (e, o))| {
                let with_size = by_size.map(|removed| {
                    let rare = if removed == 0 { e - o } else { o - e };
                    (rare, mask, by_size)
                });
                [Some((e + o, mask, None)), with_size]
            });
        let (excess, mask, by_size) = candidates.flatten().min()?;
        let rare = (self.heaps + excess) / 2;
        (rare * FEW < self.heaps).then(|| Space::new(mask, by_size))
    }
}

/// Rare heaps are few if they are less than one in this many.
const FEW: i64 = 6;

/// The Walsh-Hadamard transform: at each mask, what stands at the values of an
/// even number of digits under it, less what stands at the others.
fn transform(numbers: &mut [i64]) {
    let mut side = 1;
    while side < numbers.len() {
        for block in numbers.chunks_exact_mut(2 * side) {
            let (low, high) = block.split_at_mut(side);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        side *= 2;
    }
}
