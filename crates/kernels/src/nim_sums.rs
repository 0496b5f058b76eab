//! The kernel of nim-sums: a move changes one heap, so that a position is P if the
//! nim-sum of the Grundy values of its heaps is 0 (Sprague 1935, Grundy 1939).
//!
//! The P-positions of a row are those whose last heap has the nim-sum of the other
//! heaps as its value. The values of the last heap are kept as planes, one for each
//! binary digit, so that a row takes one operation on words for each digit. No row
//! depends on another one: a checkpoint has no state, and threads do not wait.

use super::threads::share_sink;
use super::{Layout, Rows, Sink, SlabState};
use nimrule_limits::{LimitExceeded, Limits};

/// Words that are computed before they are passed to the sink.
const WORDS_TOGETHER: usize = 1 << 11;

/// Computes the P-positions of a box, and passes its rows to a sink.
///
/// `value` is the Grundy value of a heap alone, given its index in the kernel's order
/// and its size. `from` is the checkpoint to resume from: the number of slabs done,
/// and the state after them, which is empty.
///
/// # Errors
///
/// If a limit is exceeded, and the errors of the sink.
pub fn outcomes<V: Fn(usize, u64) -> u64 + Sync>(
    layout: &Layout,
    value: V,
    limits: &Limits,
    from: Option<(u64, &[u8])>,
    sink: &mut dyn Sink,
) -> Result<(), LimitExceeded> {
    let sweep = Sweep {
        layout,
        digits: Digits::new(layout, &value),
        value,
        limits,
    };
    let slabs = match layout.most.as_slice() {
        [first, _, ..] => *first as usize + 1,
        _ => 1,
    };
    let rows = layout.rows / slabs;
    let is_worth_it = sink.can_split() && rows * layout.words >= layout.words_to_split;
    let threads = if is_worth_it { limits.threads() } else { 1 }.clamp(1, slabs);
    let mut done = from.map_or(0, |(done, _)| done as usize);
    while done < slabs {
        // A sink that takes rows in order takes checkpoints as often as possible.
        let to = if sink.accepts_any_order() {
            slabs
        } else {
            slabs.min(done + threads)
        };
        let slabs_by_thread = (0..threads).map(|thread| (done + thread..to).step_by(threads));
        share_sink(slabs_by_thread, sink, |slabs, sink| {
            sweep.slabs(slabs, rows, sink)
        })?;
        done = to;
        if done < slabs {
            sink.slab(done as u64, &NoState)?;
        }
    }
    Ok(())
}

/// The bytes of memory that the kernel needs for a box, if no value exceeds the size
/// of its heap.
pub fn bytes(layout: &Layout) -> u128 {
    let most = layout.most.last().copied().unwrap_or(0);
    // One for each digit, and the sizes.
    let planes = u128::from(u64::BITS - most.leading_zeros()) + 1;
    let rows = WORDS_TOGETHER
        .min(layout.rows * layout.words)
        .max(layout.words);
    8 * (planes * layout.words as u128 + rows as u128)
}

/// A kernel that has nothing to save between two slabs.
struct NoState;

impl SlabState for NoState {
    fn save(&self, _out: &mut Vec<u8>) {}
}

/// The Grundy values of the last heap, by digit.
struct Digits {
    /// The sizes of the last heap, as one bits.
    sizes: Vec<u64>,
    /// For each binary digit, from the lowest: the sizes whose value has it.
    planes: Vec<Vec<u64>>,
}

impl Digits {
    fn new(layout: &Layout, value: impl Fn(usize, u64) -> u64) -> Digits {
        let last = layout.most.len() - 1;
        let mut digits = Digits {
            sizes: vec![0; layout.words],
            planes: Vec::new(),
        };
        for size in 0..=layout.most[last] {
            let (word, bit) = (size as usize / 64, 1 << (size % 64));
            digits.sizes[word] |= bit;
            let value = value(last, size);
            while value >> digits.planes.len() != 0 {
                digits.planes.push(vec![0; layout.words]);
            }
            for (digit, plane) in digits.planes.iter_mut().enumerate() {
                if value >> digit & 1 == 1 {
                    plane[word] |= bit;
                }
            }
        }
        digits
    }

    /// Writes the sizes with a value as one bits.
    fn write_sizes_with(&self, value: u64, row: &mut [u64]) {
        if value >> self.planes.len() != 0 {
            row.fill(0);
            return;
        }
        row.copy_from_slice(&self.sizes);
        for (digit, plane) in self.planes.iter().enumerate() {
            let flip = (value >> digit & 1).wrapping_sub(1);
            for (word, digit) in row.iter_mut().zip(plane) {
                *word &= digit ^ flip;
            }
        }
    }
}

/// A sweep of one box.
struct Sweep<'a, V> {
    layout: &'a Layout,
    digits: Digits,
    value: V,
    limits: &'a Limits,
}

impl<V: Fn(usize, u64) -> u64> Sweep<'_, V> {
    /// Passes slabs of so many rows each to a sink.
    fn slabs(
        &self,
        slabs: impl Iterator<Item = usize>,
        rows: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let width = self.layout.words;
        let together = (WORDS_TOGETHER / width).clamp(1, rows);
        let mut words = vec![0; together * width];
        let mut nonzero = vec![0; together.div_ceil(64)];
        for slab in slabs {
            let mut others = OtherHeaps::at(self, slab * rows);
            let mut first = slab * rows;
            while first < (slab + 1) * rows {
                self.limits.check_time()?;
                let count = together.min((slab + 1) * rows - first);
                nonzero.fill(0);
                for (number, row) in words.chunks_mut(width).take(count).enumerate() {
                    self.digits.write_sizes_with(others.value, row);
                    let some = u64::from(row.iter().any(|word| *word != 0));
                    nonzero[number / 64] |= some << (number % 64);
                    others.advance(self);
                }
                let rows = Rows::new(first, &words[..count * width], width);
                sink.rows(self.layout, rows.with_nonzero(&nonzero))?;
                first += count;
            }
        }
        Ok(())
    }
}

/// The sizes of all heaps but the last, and the nim-sums of their values.
struct OtherHeaps {
    sizes: Vec<u64>,
    /// The nim-sum of the values of the heaps before each heap.
    before: Vec<u64>,
    /// The nim-sum of all values.
    value: u64,
}

impl OtherHeaps {
    fn at<V: Fn(usize, u64) -> u64>(sweep: &Sweep<'_, V>, row: usize) -> OtherHeaps {
        let sizes = sweep.layout.row(row);
        let mut others = OtherHeaps {
            before: vec![0; sizes.len()],
            sizes,
            value: 0,
        };
        others.add_values(sweep, 0);
        others
    }

    /// Adds the values of the heaps from `first` on.
    fn add_values<V: Fn(usize, u64) -> u64>(&mut self, sweep: &Sweep<'_, V>, first: usize) {
        let mut value = self.before.get(first).copied().unwrap_or(0);
        for heap in first..self.sizes.len() {
            self.before[heap] = value;
            value ^= (sweep.value)(heap, self.sizes[heap]);
        }
        self.value = value;
    }

    /// Advances to the next row; after the last comes the first.
    fn advance<V: Fn(usize, u64) -> u64>(&mut self, sweep: &Sweep<'_, V>) {
        let most = &sweep.layout.most;
        let grows = (0..self.sizes.len()).rfind(|heap| self.sizes[*heap] < most[*heap]);
        let reset = grows.map_or(0, |heap| heap + 1);
        self.sizes[reset..].fill(0);
        if let Some(heap) = grows {
            self.sizes[heap] += 1;
        }
        self.add_values(sweep, grows.unwrap_or(0));
    }
}
