//! The row-mex kernel with a game compiled in: the hyperedges and all sizes are
//! constants, and each plane has code of its own. It computes the same rows as the
//! kernel of `nimrule_kernels::hypergraph_nim`, in the same order, and leaves them in
//! the same form, so that a comparison shows what being generic costs.
//!
//! A set of heaps is the bits of the roles that its heaps have.

use pulp::Arch;

/// The roles of the heaps, the outermost first. A box of five heaps has no second
/// outer heap.
pub const FIRST: u32 = 1;
pub const SECOND: u32 = 2;
pub const INNER: u32 = 4;
pub const STEP: u32 = 8;
pub const LANE: u32 = 16;
pub const PACKED: u32 = 32;

/// Lanes that are computed together.
const TOGETHER: usize = 32;

/// The rows of a line: a word a row, and a bit for each row that has a P-position.
struct Rows {
    words: Vec<u64>,
    found: Vec<u64>,
}

impl Rows {
    /// Counts the P-positions, and clears the rows.
    fn take(&mut self) -> u64 {
        let mut count = 0;
        for (words, found) in self.words.chunks_mut(64).zip(&mut self.found) {
            let mut rest = std::mem::take(found);
            while rest != 0 {
                let row = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                count += u64::from(std::mem::take(&mut words[row]).count_ones());
            }
        }
        count
    }
}

macro_rules! kernel {
    ($name:ident, $word:ty, $side:literal, $second:literal, [$($plane:ident $mirrored:ident $set:expr),*]) => {
        /// The number of P-positions of the box of heaps smaller than its side, under
        /// normal or misere play; by half of the box if the two outermost heaps are
        /// interchangeable.
        pub mod $name {
            use super::*;

            const SIDE: usize = $side;
            const BLOCKS: usize = SIDE / TOGETHER;
            const CELLS: usize = SIDE * SIDE;
            const STEPS: usize = CELLS + SIDE - 1;
            /// The words of a line, after those of a period of zeros.
            const LINE: usize = (SIDE + STEPS) * SIDE;
            type Lanes = [$word; TOGETHER];

            /// The words that a plane keeps if its set has no outer heap, after those of
            /// a step: a ring of steps.
            const fn ring(set: u32) -> usize {
                (if set & INNER != 0 { 2 * SIDE } else { 2 }) * SIDE
            }

            const fn is_paged(set: u32) -> bool {
                set & FIRST != 0
            }

            const fn is_ring(set: u32) -> bool {
                set & (FIRST | SECOND) == 0
            }

            /// The memories of the planes; each uses one of three kinds.
            struct Planes {
                $($plane: Plane,)*
            }

            struct Plane {
                pages: Vec<Vec<$word>>,
                line: Vec<$word>,
                ring: Vec<$word>,
            }

            impl Plane {
                fn new(set: u32) -> Plane {
                    let pages = if is_paged(set) { $second } else { 0 };
                    Plane {
                        pages: vec![vec![0; LINE]; pages],
                        line: vec![0; LINE],
                        ring: vec![0; ring(set) + SIDE],
                    }
                }
            }

            /// The lanes from a word of a plane on.
            #[inline(always)]
            fn lanes(words: &[$word], at: usize) -> &Lanes {
                words[at..][..TOGETHER].try_into().expect("so many words")
            }

            #[inline(always)]
            fn lanes_mut(words: &mut [$word], at: usize) -> &mut Lanes {
                (&mut words[at..][..TOGETHER]).try_into().expect("so many words")
            }

            struct Sweep<'a> {
                planes: &'a mut Planes,
                rows: &'a mut Rows,
                misere: bool,
                first: usize,
                second: usize,
            }

            impl pulp::NullaryFnOnce for Sweep<'_> {
                type Output = ();

                #[inline(always)]
                fn call(self) {
                    let Sweep { planes, rows, misere, first, second } = self;
                    // The pages of this strip, and of the one before, which is not read
                    // if there is none.
                    $(
                        let (before, pages) = planes.$plane.pages.split_at_mut(
                            if is_paged($set) { second } else { 0 });
                        let no_page: &[$word] = &[];
                        let before = before.last().map_or(no_page, |page| &page[..LINE]);
                        let own = if is_ring($set) {
                            planes.$plane.ring.fill(0);
                            &mut planes.$plane.ring[..ring($set) + SIDE]
                        } else if is_paged($set) {
                            &mut pages[0][..LINE]
                        } else {
                            &mut planes.$plane.line[..LINE]
                        };
                        let $plane = (before, own);
                    )*
                    let zeros = [0; TOGETHER];
                    let mut begun_masks = [0; 2 * TOGETHER];
                    begun_masks[..TOGETHER].fill(!0);
                    let mut not_first_masks = [!0; 2 * TOGETHER];
                    not_first_masks[TOGETHER] = 0;
                    // All lanes but the first.
                    let mut later: [$word; TOGETHER] = [!0; TOGETHER];
                    later[0] = 0;
                    let later = std::hint::black_box(later);
                    // The terminal position. The compiler does not know the words, or it
                    // would split the vectors.
                    let mut ended: [$word; TOGETHER] = [0; TOGETHER];
                    ended[0] = 1;
                    let ended = std::hint::black_box(ended);
                    for step in 0..STEPS {
                        for block in 0..BLOCKS {
                            let empty = step % SIDE;
                            let not_first = if empty / TOGETHER == block {
                                lanes(&not_first_masks, TOGETHER - empty % TOGETHER)
                            } else {
                                lanes(&not_first_masks, 0)
                            };
                            let mut marks: [$word; TOGETHER] = [0; TOGETHER];
                            let here = block * TOGETHER;
                            $({
                                const SET: u32 = $set;
                                const RING: usize = ring(SET);
                                let mut gathered: [$word; TOGETHER] = [0; TOGETHER];
                                let now = if is_ring(SET) {
                                    SIDE + step * SIDE % RING + here
                                } else {
                                    (SIDE + step) * SIDE + here
                                };
                                let back = if is_ring(SET) {
                                    SIDE + (step * SIDE).wrapping_sub(SIDE) % RING + here
                                } else {
                                    (SIDE + step - 1) * SIDE + here
                                };
                                if SET & STEP != 0 {
                                    let there = lanes(&$plane.1, back);
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane] & not_first[lane];
                                    }
                                }
                                if SET & LANE != 0 {
                                    let there = lanes(&$plane.1, back - 1);
                                    if block == 0 {
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane] & later[lane];
                                    }
                                    } else {
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane];
                                    }
                                    }
                                }
                                if SET & INNER != 0 {
                                    let there = if is_ring(SET) {
                                        SIDE + (step * SIDE).wrapping_sub(SIDE * SIDE) % RING + here
                                    } else {
                                        step * SIDE + here
                                    };
                                    let there = lanes(&$plane.1, there);
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane];
                                    }
                                }
                                // The line in this place is the one before this, by the
                                // first heap or by the second.
                                if !is_ring(SET) {
                                    let there = lanes(&$plane.1, now);
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane];
                                    }
                                }
                                if is_paged(SET) && SET & SECOND != 0 {
                                    let there = if second > 0 {
                                        lanes(&$plane.0, now)
                                    } else {
                                        &zeros
                                    };
                                    for lane in 0..TOGETHER {
                                        gathered[lane] |= there[lane];
                                    }
                                }
                                for lane in 0..TOGETHER {
                                    marks[lane] |= gathered[lane];
                                }
                                *lanes_mut($plane.1, now) = gathered;
                            })*
                            if misere && first + second + step + block == 0 {
                                for lane in 0..TOGETHER {
                                    marks[lane] |= ended[lane];
                                }
                            }
                            let begun = (step + 1).saturating_sub(here).min(TOGETHER);
                            let begun = *lanes(&begun_masks, TOGETHER - begun);
                            let mut found = marks;
                            for lane in 0..TOGETHER {
                                found[lane] = found[lane].wrapping_add(1) & !found[lane] & begun[lane];
                            }
                            let mut some = nonzero(&found);
                            if some == 0 {
                                continue;
                            }
                            $({
                                const SET: u32 = $set;
                                let now = if is_ring(SET) {
                                    SIDE + step * SIDE % ring(SET) + here
                                } else {
                                    (SIDE + step) * SIDE + here
                                };
                                let mut own = *lanes(&$plane.1, now);
                                for lane in 0..TOGETHER {
                                    own[lane] |= if SET & PACKED != 0 {
                                        found[lane].wrapping_neg()
                                    } else {
                                        found[lane]
                                    };
                                }
                                *lanes_mut($plane.1, now) = own;
                            })*
                            while some != 0 {
                                let lane = some.trailing_zeros() as usize % TOGETHER;
                                some &= some - 1;
                                let number = here + lane;
                                let row = (step - number) * SIDE + number;
                                if row < CELLS * SIDE {
                                    rows.words[row] = found[lane].into();
                                    rows.found[row / 64] |= 1 << (row % 64);
                                }
                            }
                        }
                    }
                }
            }

            /// The lanes that are not 0, as bits.
            #[inline(always)]
            fn nonzero(found: &Lanes) -> u32 {
                let mut bits = 0;
                for (number, vector) in found.as_chunks::<8>().0.iter().enumerate() {
                    if vector.iter().fold(0, |any, word| any | word) != 0 {
                        for lane in 0..8 {
                            bits |= u32::from(vector[lane] != 0) << (8 * number + lane);
                        }
                    }
                }
                bits
            }

            pub fn count(misere: bool, mirrored: bool) -> u64 {
                let mut planes = Planes { $($plane: Plane::new($set),)* };
                let mut rows = Rows {
                    words: vec![0; CELLS * SIDE],
                    found: vec![0; CELLS * SIDE / 64],
                };
                let mut count = 0;
                for first in 0..SIDE {
                    for second in 0..if mirrored { first + 1 } else { $second } {
                        $(
                            // Nothing lies before the first strip.
                            if !is_paged($set) && !is_ring($set) && second == 0 {
                                planes.$plane.line.fill(0);
                            }
                            // The line (k - 1, k) is (k, k - 1), which is the one before.
                            if mirrored && is_paged($set) && first == second && first > 0 {
                                let page = &mut planes.$plane.pages[second];
                                page.copy_from_slice(&planes.$mirrored.line[..]);
                            }
                        )*
                        Arch::new().dispatch(Sweep {
                            planes: &mut planes,
                            rows: &mut rows,
                            misere,
                            first,
                            second,
                        });
                        let twice = mirrored && first != second;
                        count += rows.take() << u32::from(twice);
                    }
                }
                count
            }
        }
    };
}

// The cube's edges, with two opposite ones outermost.
kernel!(ce_31, u32, 32, 32, [
    a e FIRST | INNER, b f FIRST | STEP, c g FIRST | LANE, d h FIRST | PACKED,
    e e SECOND | INNER, f f SECOND | STEP, g g SECOND | LANE, h h SECOND | PACKED,
    i i INNER | STEP, j j INNER | PACKED, k k STEP | LANE, l l LANE | PACKED
]);
// The same in the order of the game, in which no two outer heaps are interchangeable.
kernel!(ce_31_in_order, u32, 32, 32, [
    a a FIRST | SECOND, b b FIRST | INNER, c c FIRST | LANE, d d FIRST | PACKED,
    e e SECOND | INNER, f f SECOND | STEP, g g SECOND | PACKED, h h INNER | STEP,
    i i INNER | LANE, j j STEP | LANE, k k STEP | PACKED, l l LANE | PACKED
]);
kernel!(ce_63, u64, 64, 64, [
    a e FIRST | INNER, b f FIRST | STEP, c g FIRST | LANE, d h FIRST | PACKED,
    e e SECOND | INNER, f f SECOND | STEP, g g SECOND | LANE, h h SECOND | PACKED,
    i i INNER | STEP, j j INNER | PACKED, k k STEP | LANE, l l LANE | PACKED
]);
// Circles: each heap with the next.
kernel!(cn62_31, u32, 32, 32, [
    a a FIRST | SECOND, b b SECOND | INNER, c c INNER | STEP, d d STEP | LANE,
    e e LANE | PACKED, f f PACKED | FIRST
]);
kernel!(cn52_63, u64, 64, 1, [
    a a FIRST | INNER, b b INNER | STEP, c c STEP | LANE, d d LANE | PACKED,
    e e PACKED | FIRST
]);
