//! The places of a table that are P, a bit for each.

/// Places that are P.
pub struct PPlaces {
    /// A bit for each place, after [`AHEAD`] that stand for none.
    bits: Vec<u64>,
}

/// Places before the first, so that lanes that are looked up together need not
/// all have an option.
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

    /// Which of the 64 places from `back` before a place on are P.
    pub fn before(&self, place: usize, back: usize) -> u64 {
        let Some(bit) = (AHEAD + place).checked_sub(back) else {
            return 0;
        };
        let (word, shift) = (bit / 64, bit % 64);
        self.bits[word] >> shift | self.bits[word + 1] << 1 << (63 - shift)
    }
}
