//! The sparse space of a sequence: rare and common values.
//!
//! In many games nearly all Grundy values have an odd number of 1 digits under
//! some mask (Berlekamp, Conway and Guy, *Winning Ways*, chapter 4). Values
//! with an even number are *rare*, the others are *common*. The rare values are
//! closed under nim-sum, so a nim-sum of two values is common if and only if
//! exactly one of them is rare. If few heaps have rare values, all common sums
//! of two heaps are found from those few. Gangolli and Plambeck (A note on
//! periodicity in some octal games, 1989) and Flammenkamp computed long
//! sequences so.
//!
//! Flammenkamp found a second kind of space, which also depends on the parity
//! of the heap's size. Let all numbers removed when two heaps are left have the
//! parity of t. A heap of n is *rare* if the number of digits of G(n) under the
//! mask has the parity of n − t. If exactly one of two heaps with n − t' tokens
//! in total is rare, the number of digits of their sum has the parity of
//! n − t + 1; otherwise it has the parity of n − t. So again the sums of one
//! class are found from the rare heaps; the class depends on the parity of n.
//!
//! The mask is a heuristic choice from the values so far. Results do not depend
//! on it; a bad mask only makes more heaps rare.

/// A mask, with the heaps that are rare under it.
#[derive(Debug, Clone)]
pub struct SparseSpace {
    mask: u32,
    /// The parity of the numbers removed, if the space depends on the parity of
    /// sizes.
    by_size: Option<u32>,
    /// Bit v is the parity of value v, 0 to 63, under the mask.
    pattern: u64,
    /// The rare heaps, ascending, with their values.
    pub rare: Vec<(u32, u32)>,
}

impl SparseSpace {
    fn new(mask: u32, by_size: Option<u32>) -> SparseSpace {
        let parities = (0..64).map(|value: u32| u64::from(parity(value & mask)) << value);
        SparseSpace {
            mask,
            by_size,
            pattern: parities.sum(),
            rare: Vec::new(),
        }
    }

    pub fn has_same_mask(&self, other: &SparseSpace) -> bool {
        self.mask == other.mask && self.by_size == other.by_size
    }

    fn is_rare(&self, heap: u32, value: u32) -> bool {
        let of_size = self.by_size.map_or(0, |removed| (heap ^ removed) & 1);
        parity(value & self.mask) == of_size
    }

    pub fn add(&mut self, heap: u32, value: u32) {
        if self.is_rare(heap, value) {
            self.rare.push((heap, value));
        }
    }

    /// The values 64·`word` to 64·`word` + 63, as bits, that are options of a
    /// heap only by pairs with a rare heap.
    pub fn by_rare(&self, word: usize, heap: u32) -> u64 {
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

/// The frequency of each value, in heaps of even and of odd size.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    times: [Vec<i64>; 2],
    heaps: i64,
}

/// The most values for which a mask is chosen; more would cost too much.
const MOST_VALUES: usize = 1 << 16;

impl Frequencies {
    pub fn add(&mut self, heap: u32, value: u32) {
        let place = value as usize;
        let times = &mut self.times[(heap & 1) as usize];
        if place >= times.len() {
            times.resize(place + 1, 0);
        }
        times[place] += 1;
        self.heaps += 1;
    }

    /// The space with the fewest rare heaps, if these are few.
    ///
    /// `by_size` is the common parity of the numbers removed, if there is one.
    pub fn space(&self, by_size: Option<u32>) -> Option<SparseSpace> {
        let values = self.times.iter().map(Vec::len).max()?.next_power_of_two();
        if values > MOST_VALUES {
            return None;
        }
        // By mask: the number of heaps whose values have an even number of
        // digits under it, minus the number of the others.
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
        (rare * FEW < self.heaps).then(|| SparseSpace::new(mask, by_size))
    }
}

/// Rare heaps are few if they are less than one of `FEW` heaps.
const FEW: i64 = 6;

/// The Walsh–Hadamard transform: for each mask, the sum of the numbers at
/// indices with an even number of digits under it, minus the sum of the others.
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
