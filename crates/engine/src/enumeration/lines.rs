//! The P-positions on the lines of a table.
//!
//! A *line* consists of the positions that differ in the size of one heap only. A move
//! from one heap leads to a lower position of the same line. A table is filled in the
//! order of places, so that the P-positions of a line are found in ascending order, and
//! the last one found decides whether a range of numbers from 1 on leads to one.

use nimrule_ir::batch::{LANES, vectorised};
use std::ops::Range;

/// The lines of all heaps of a box.
pub struct Lines {
    heaps: Vec<LinesOfHeap>,
}

/// The lines along one heap. A place is `(above * side + size) * stride + below`; the
/// number of its line is `above * stride + below`.
struct LinesOfHeap {
    stride: Divisor,
    side: Divisor,
    /// The size of the heap in the last P-position of each line. Empty if the lines are
    /// short, so that they are many and save little.
    last: Vec<i32>,
    /// The P-positions, line by line: bit `AHEAD + line * side + size`. Empty if nothing
    /// asks for them.
    bits: Vec<u64>,
}

/// The smallest length of lines whose last P-positions are stored.
const LONG: usize = 32;

/// The number of bits before the first line, for words that begin before it.
const AHEAD: usize = 64;

/// 64 bits from a bit on.
#[inline]
fn word_from(bits: &[u64], first: usize) -> u64 {
    let (word, shift) = (first / 64, first % 64);
    bits[word] >> shift | bits[word + 1] << 1 << (63 - shift)
}

/// Less than any size minus any number taken: a line without a P-position.
const NONE: i32 = i32::MIN;

/// A positive number by which places are divided.
//
// PERF: a multiplication by the inverse, rounded up to 64 binary places, is exact for
// numbers of 32 bits, and several times as fast as a division.
#[derive(Clone, Copy)]
struct Divisor {
    by: usize,
    /// Rounded up; 0 if places or the divisor itself need more than 32 bits, or it is 1.
    inverse: u64,
}

impl Divisor {
    /// A divisor of numbers up to `most`.
    fn of(by: usize, most: usize) -> Divisor {
        let is_small = by > 1 && u32::try_from(most.max(by)).is_ok();
        let inverse = if is_small {
            u64::MAX / by as u64 + 1
        } else {
            0
        };
        Divisor { by, inverse }
    }

    /// The quotient and the remainder.
    #[inline]
    fn divide(self, number: usize) -> (usize, usize) {
        if self.by == 1 {
            return (number, 0);
        }
        let quotient = match self.inverse {
            0 => number / self.by,
            inverse => ((number as u128 * u128::from(inverse)) >> 64) as usize,
        };
        (quotient, number - quotient * self.by)
    }
}

impl LinesOfHeap {
    /// The number of the line of a place, and the size of the heap.
    #[inline]
    fn at(&self, place: usize) -> (usize, usize) {
        let (rows, below) = self.stride.divide(place);
        let (above, size) = self.side.divide(rows);
        (above * self.stride.by + below, size)
    }
}

/// Consecutive lanes in consecutive lines, in which the heap has the same size.
struct Across<'l> {
    size: i32,
    last: &'l [i32],
    most: &'l [i32],
    won: &'l mut [u8],
}

impl pulp::NullaryFnOnce for Across<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let lanes = self.won.iter_mut().zip(self.most).zip(self.last);
        for ((won, most), last) in lanes {
            *won |= u8::from(*last >= self.size - most);
        }
    }
}

/// Consecutive lanes of one line.
struct Along<'l> {
    size: i32,
    last: i32,
    most: &'l [i32],
    won: &'l mut [u8],
}

impl pulp::NullaryFnOnce for Along<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((won, most), size) in self.won.iter_mut().zip(self.most).zip(self.size..) {
            *won |= u8::from(self.last >= size - most);
        }
    }
}

impl Lines {
    /// The lines of a box with these strides and numbers of sizes, without P-positions.
    /// With `has_bits`, [`Lines::meets`] can be asked.
    pub fn of(strides: &[usize], sides: &[usize], has_bits: bool) -> Lines {
        let len: usize = sides.iter().product();
        let words = if has_bits { (AHEAD + len) / 64 + 2 } else { 0 };
        let heaps = strides.iter().zip(sides).map(|(stride, side)| LinesOfHeap {
            stride: Divisor::of(*stride, len),
            side: Divisor::of(*side, len),
            last: vec![NONE; if *side < LONG { 0 } else { len / side }],
            bits: vec![0; words],
        });
        Lines {
            heaps: heaps.collect(),
        }
    }

    /// The heap of which each token adds this many places; `None` if a move with this
    /// stride takes from several heaps.
    pub fn heap_of(&self, stride: usize) -> Option<usize> {
        // A heap that is always empty has the stride of the next one.
        let is_it = |lines: &LinesOfHeap| lines.stride.by == stride && lines.side.by > 1;
        self.heaps.iter().position(is_it)
    }

    /// Whether a stride is that of one heap with long lines; see [`Lines::are_long`].
    pub fn is_long(strides: &[usize], most: &[u64], stride: usize) -> bool {
        let mut heaps = strides.iter().zip(most);
        heaps.any(|(of, most)| *of == stride && *most + 1 >= LONG as u64)
    }

    /// The bytes that the lines of a box with these largest sizes take; see [`Lines::of`].
    pub fn bytes(most: &[u64], positions: u128, has_bits: bool) -> u128 {
        let of_heap = |most: &u64| {
            let side = u128::from(*most) + 1;
            let last = if side < LONG as u128 {
                0
            } else {
                positions / side * 4
            };
            last + if has_bits { positions / 8 } else { 0 }
        };
        most.iter().map(of_heap).fold(0, u128::saturating_add)
    }

    /// Whether the last P-positions of the lines along a heap are stored, for
    /// [`Lines::mark`].
    pub fn are_long(&self, heap: usize) -> bool {
        !self.heaps[heap].last.is_empty()
    }

    /// Adds a P-position above all others of its lines.
    pub fn insert(&mut self, place: usize) {
        for lines in &mut self.heaps {
            let (line, size) = lines.at(place);
            if let Some(last) = lines.last.get_mut(line) {
                *last = size as i32;
            }
            if !lines.bits.is_empty() {
                let bit = AHEAD + line * lines.side.by + size;
                lines.bits[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// Whether a number of these sets, taken from a heap at a place, leads to a P-position
    /// inserted so far. Each set is a word of [`NumberSets::between`]
    /// (nimrule_ir::batch::NumberSets::between), with numbers up to the size of the heap.
    #[inline]
    pub fn meets(
        &self,
        heap: usize,
        place: usize,
        mut sets: impl Iterator<Item = (usize, u64)>,
    ) -> bool {
        let lines = &self.heaps[heap];
        let (line, size) = lines.at(place);
        let bit = AHEAD + line * lines.side.by + size;
        sets.any(|(word, numbers)| {
            let first = bit - 64 * (word + 1);
            word_from(&lines.bits, first) & numbers != 0
        })
    }

    /// The P-positions inserted so far among the 64 places from `place - back` on.
    pub fn before(&self, place: usize, back: usize) -> u64 {
        // INVARIANT: the lines of the last heap lie in the order of places.
        let last = self.heaps.last().expect("a box has heaps");
        match (AHEAD + place).checked_sub(back) {
            Some(first) => word_from(&last.bits, first),
            None => 0,
        }
    }

    /// Marks in `won` the lanes of a span from which one of the numbers 1, …, `most` from
    /// a heap leads to a P-position inserted so far. Lane 0 is at place `base`.
    pub fn mark(
        &self,
        heap: usize,
        base: usize,
        span: Range<usize>,
        most: &[i32; LANES],
        won: &mut [u8; LANES],
    ) {
        let lines = &self.heaps[heap];
        let is_last_heap = lines.stride.by == 1;
        let mut first = span.start;
        while first < span.end {
            let (line, size) = lines.at(base + first);
            let together = if is_last_heap {
                lines.side.by - size
            } else {
                lines.stride.by - lines.stride.divide(line).1
            };
            let lanes = first..span.end.min(first + together);
            first = lanes.end;
            let many = lanes.len();
            let (most, won) = (&most[lanes.clone()], &mut won[lanes]);
            let (size, last) = (size as i32, &lines.last[line..]);
            if is_last_heap {
                let last = last[0];
                vectorised(Along {
                    size,
                    last,
                    most,
                    won,
                });
            } else {
                let last = &last[..many];
                vectorised(Across {
                    size,
                    last,
                    most,
                    won,
                });
            }
        }
    }
}
