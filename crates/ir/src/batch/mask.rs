//! Sets of lanes: [`Mask`] with a byte per lane, [`Bits`] with a bit per lane.

use std::sync::LazyLock;

/// The number of lanes: the largest number of positions in a batch.
pub const LANES: usize = 256;

/// The vector instructions of this machine.
static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);

/// A loop over lanes.
//
// PERF: a function that is not inlined here is compiled for the baseline
// machine. The closure owns its array references, since a pointer to a pointer
// would be loaded again for each lane.
struct Over<F> {
    lanes: std::ops::Range<usize>,
    each: F,
}

impl<F: FnMut(usize)> pulp::NullaryFnOnce for Over<F> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        // The bound removes the range check of each lane.
        for lane in self.lanes.start..self.lanes.end.min(LANES) {
            (self.each)(lane);
        }
    }
}

/// Runs a loop compiled for the vector instructions of this machine. Every
/// function that it calls must be inlined.
#[inline(always)]
pub fn vectorised<F: pulp::NullaryFnOnce>(lanes: F) -> F::Output {
    ARCH.dispatch(lanes)
}

/// Calls `each` for each of these lanes, as a vectorised loop.
#[inline(always)]
pub fn for_lanes(lanes: std::ops::Range<usize>, each: impl FnMut(usize)) {
    vectorised(Over { lanes, each });
}

/// A set of lanes: bit `i` of word `w` is lane `64 w + i`.
pub type Bits = [u64; LANES / 64];

/// Packs bytes, each 0 or 1, into bits.
pub fn bits_of(bytes: &[u8; LANES]) -> Bits {
    let mut bits = [0; LANES / 64];
    for (word, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The multiplication gathers the bits of eight bytes in the highest byte.
        let eight = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits[word / 8] |= eight << (8 * (word % 8));
    }
    bits
}

/// The bits of word `word` for lanes `lane` and above.
pub fn lanes_from(lane: usize, word: usize) -> u64 {
    match lane.saturating_sub(64 * word) {
        below @ 0..64 => u64::MAX << below,
        _ => 0,
    }
}

/// The lanes of a set, in ascending order.
pub fn lanes_of(bits: Bits) -> impl Iterator<Item = usize> {
    (0..).zip(bits).flat_map(|(word, bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let lane = 64 * word + rest.trailing_zeros() as usize;
            let some = rest != 0;
            rest &= rest.wrapping_sub(1);
            some.then_some(lane)
        })
    })
}

/// A set of lanes, a byte per lane.
#[derive(Debug, Clone)]
pub struct Mask {
    /// 1 for each lane of the set, else 0.
    on: [u8; LANES],
    /// The first lane of the set, and the last plus 1; equal if it is empty.
    from: usize,
    to: usize,
}

impl Mask {
    /// The empty set.
    pub fn none() -> Mask {
        Mask {
            on: [0; LANES],
            from: 0,
            to: 0,
        }
    }

    /// The first `count` lanes.
    pub fn first(count: usize) -> Mask {
        let mut mask = Mask::none();
        mask.on[..count].fill(1);
        mask.to = count;
        mask
    }

    /// The set of the lanes whose bits are 1.
    pub fn of_bits(bits: Bits) -> Mask {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let mut mask = Mask::none();
        for (lane, eight) in (0..).step_by(8).zip(mask.on.as_chunks_mut::<8>().0) {
            let byte = bits[lane / 64] >> (lane % 64) & 0xff;
            // Isolates one bit per byte, then moves each to the lowest bit.
            let apart = byte.wrapping_mul(ONES) & 0x8040_2010_0804_0201;
            *eight = ((apart + 0x7f * ONES) >> 7 & ONES).to_le_bytes();
        }
        if bits != Bits::default() {
            mask.shrink_span(0, LANES);
        }
        mask
    }

    /// The lanes of `active` that satisfy `test`.
    #[inline(always)]
    pub fn of(active: &Mask, test: impl Fn(usize) -> bool) -> Mask {
        let mut mask = Mask::none();
        let (from, to) = (active.from, active.to);
        let (before, on) = (&active.on, &mut mask.on);
        for_lanes(from..to, move |lane| {
            on[lane] = before[lane] & u8::from(test(lane));
        });
        let any = mask.on[from..to].iter().fold(0, |any, on| any | on);
        if any != 0 {
            mask.shrink_span(from, to);
        }
        mask
    }

    /// Sets the span of a set with at least one lane in `from..to`.
    fn shrink_span(&mut self, from: usize, to: usize) {
        // PERF: eight lanes at a time.
        let words = self.on.as_chunks::<8>().0;
        let lanes = |word: usize| u64::from_le_bytes(words[word]);
        let (mut first, mut last) = (from / 8, to.div_ceil(8) - 1);
        while lanes(first) == 0 {
            first += 1;
        }
        while lanes(last) == 0 {
            last -= 1;
        }
        self.from = 8 * first + lanes(first).trailing_zeros() as usize / 8;
        self.to = 8 * (last + 1) - lanes(last).leading_zeros() as usize / 8;
    }

    /// Whether there is no lane in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// The smallest range that contains all lanes of the set.
    #[inline]
    pub fn span(&self) -> std::ops::Range<usize> {
        self.from..self.to
    }

    /// A byte per lane: 1 in the set, else 0.
    #[inline]
    pub fn on(&self) -> &[u8; LANES] {
        &self.on
    }

    /// Whether a lane is in the set.
    #[inline]
    pub fn has(&self, lane: usize) -> bool {
        self.on[lane] != 0
    }

    /// The lanes of the set, ascending.
    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        // PERF: skips eight lanes at a time if none is in the set.
        let words = self.on.as_chunks::<8>().0;
        let within = self.from / 8..self.to.div_ceil(8);
        within.flat_map(|at| {
            let mut rest = u64::from_le_bytes(words[at]);
            std::iter::from_fn(move || {
                let lane = 8 * at + rest.trailing_zeros() as usize / 8;
                let some = rest != 0;
                rest &= rest.wrapping_sub(1);
                some.then_some(lane)
            })
        })
    }

    /// Adds a lane to the set.
    pub fn insert(&mut self, lane: usize) {
        (self.from, self.to) = if self.is_empty() {
            (lane, lane + 1)
        } else {
            (self.from.min(lane), self.to.max(lane + 1))
        };
        self.on[lane] = 1;
    }

    /// The number of lanes in the set.
    pub fn count(&self) -> usize {
        // PERF: eight sums in a word, each at most LANES / 8; then four of two bytes.
        const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
        let eight = self.on.as_chunks::<8>().0.iter();
        let sums: u64 = eight.map(|lanes| u64::from_le_bytes(*lanes)).sum();
        let four = (sums & EVEN) + (sums >> 8 & EVEN);
        (four.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
    }

    /// The intersection of two sets.
    pub fn and(&self, other: &Mask) -> Mask {
        let other = &other.on;
        Mask::of(self, move |lane| other[lane] != 0)
    }

    /// The lanes of this set that are not in the other.
    pub fn without(&self, other: &Mask) -> Mask {
        if other.is_empty() {
            return self.clone();
        }
        let other = &other.on;
        Mask::of(self, move |lane| other[lane] == 0)
    }

    /// Adds the lanes of the other set.
    pub fn add(&mut self, other: &Mask) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        for lane in other.span() {
            self.on[lane] |= other.on[lane];
        }
        (self.from, self.to) = (self.from.min(other.from), self.to.max(other.to));
    }
}
