//! The periodicity theorem: the condition under which a quotient of finitely
//! many heaps is that of the whole game.
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
//! For r = 2 the bound is `2 n0 + p + d`, as they state it. Proof, by induction
//! on n from the bound on: an option of the heap `n + p` has at least
//! `r (n0 + p)` tokens, so one of its heaps has at least `n0 + p`; with p fewer in
//! this heap it is an option of the heap n, with the same element. An option of
//! the heap n has a heap of at least n0; with p more in it, it is an option of
//! the heap `n + p`, with the same element. So the options of the two heaps have
//! the same elements, and the proof for n holds for `n + p`.

use super::Quotient;

/// The bounds of the moves in a heap, d and r of the theorem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveBounds {
    /// The most tokens that a move takes.
    pub most_taken: u32,
    /// The most heaps that a move leaves.
    pub most_left: u32,
}

/// The proved period of the pretending function. The quotient is that of all
/// heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first heap of the period, n0.
    pub from: u32,
    /// The period.
    pub period: u32,
    /// The last heap that the theorem needs.
    pub checked_to: u32,
}

impl Quotient {
    /// The smallest period that the theorem proves, if any.
    ///
    /// The caller ensures that the theorem applies to the game, with these
    /// bounds.
    pub fn period(&self, bounds: MoveBounds) -> Option<Period> {
        let images = self.images();
        let to = self.to();
        (1..to).find_map(|period| {
            let shifted = &images[period as usize..];
            let differ = images.iter().zip(shifted).rposition(|(a, b)| a != b);
            let from = differ.map_or(1, |place| place as u32 + 2);
            let left = bounds.most_left.max(1);
            let checked_to = u64::from(left) * (u64::from(from) + u64::from(period))
                + u64::from(bounds.most_taken)
                - 1;
            let checked_to = u32::try_from(checked_to).ok().filter(|last| *last <= to)?;
            Some(Period {
                from,
                period,
                checked_to,
            })
        })
    }
}
