//! A pseudorandom number generator with the same sequence on every machine.

/// The generator SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// A uniformly distributed number of 64 bits.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.any() % limit
    }

    /// True with this probability in percent.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A member of a list, which must not be empty.
    pub fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len() as u64) as usize]
    }
}
