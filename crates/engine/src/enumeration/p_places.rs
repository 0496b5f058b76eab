//! The set of P-positions of a table, a bit per place.

/// The set of P-positions of a table.
pub struct PPlaces {
    /// Bit `AHEAD + p` is place `p`; the bits before are 0.
    bits: Vec<u64>,
}

/// The number of padding bits before place 0, for lookups of 64 lanes of which
/// some have no option.
const AHEAD: usize = 64;

impl PPlaces {
    pub fn of(len: usize) -> PPlaces {
        PPlaces {
            bits: vec![0; (AHEAD + len) / 64 + 2],
        }
    }

    pub fn insert(&mut self, place: usize) {
        let bit = AHEAD + place;
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    /// The P-positions among the 64 places from `place - back` on, as bits.
    pub fn before(&self, place: usize, back: usize) -> u64 {
        let Some(bit) = (AHEAD + place).checked_sub(back) else {
            return 0;
        };
        let (word, shift) = (bit / 64, bit % 64);
        self.bits[word] >> shift | self.bits[word + 1] << 1 << (63 - shift)
    }
}
