//! When a quotient of finitely many heaps is that of the whole game.
//!
//! Plambeck and Siegel's periodicity theorem, for games whose moves take t
//! tokens from a heap and leave the rest as j non-empty heaps, where the pairs
//! (t, j) that are allowed do not depend on the heap, t is at most d and j at most
//! r (octal games: d is the place of the last digit that is not 0, and r = 2):
//!
//! > Let Φ be the pretending function of the heaps 1 to N, and let n0 and p be
//! > positive with `Φ(n + p) = Φ(n)` for `n0 <= n < r n0 + (r - 1) p + d`, where
//! > N is at least `r n0 + r p + d - 1`. Then the quotient of all heaps is that of
//! > the heaps 1 to N, and `Φ(n + p) = Φ(n)` for all `n >= n0`.
//!
//! For r = 2 the bound is `2 n0 + p + d`, as they state it. The proof, by
//! induction over n from the bound on: an option of the heap `n + p` has a sum of
//! at least `r (n0 + p)`, so a part of at least `n0 + p`; with p less in that part
//! it is an option of the heap n, with the same element. An option of the heap n
//! has a part of at least n0, and with p more in it is an option of the heap
//! `n + p`, with the same element. So the heap `n + p` moves to the same elements
//! as the heap n, and whatever is proved with the one holds with the other.

use super::Quotient;

/// What moves do to a heap, as far as the theorem asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaking {
    /// No move takes more tokens.
    pub most_taken: u32,
    /// No move leaves a heap as more heaps than these.
    pub most_left: u32,
}

/// The pretending function repeats for ever, and the quotient is that of all
/// heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// From this heap on.
    pub from: u32,
    pub period: u32,
    /// The last heap that had to be looked at.
    pub looked_to: u32,
}

impl Quotient {
    /// The smallest period that the theorem proves.
    ///
    /// The game has to be one of which the theorem speaks.
    pub fn period(&self, breaking: Breaking) -> Option<Period> {
        let images = self.images();
        let to = self.to();
        (1..to).find_map(|period| {
            let shifted = &images[period as usize..];
            let differ = images.iter().zip(shifted).rposition(|(a, b)| a != b);
            let from = differ.map_or(1, |place| place as u32 + 2);
            let left = breaking.most_left.max(1);
            let looked_to = u64::from(left) * (u64::from(from) + u64::from(period))
                + u64::from(breaking.most_taken)
                - 1;
            let looked_to = u32::try_from(looked_to).ok().filter(|last| *last <= to)?;
            Some(Period {
                from,
                period,
                looked_to,
            })
        })
    }
}
