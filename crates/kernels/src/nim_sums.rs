//! The kernel of nim-sums: a move changes one heap, so that a position is P if the
//! nim-sum of the Grundy values of its heaps is 0 (Sprague 1935, Grundy 1939).
//!
//! The P-positions of a row are those whose last heap has the nim-sum of the other
//! heaps as its value. The values of the last heap are kept as planes, one for each
//! binary digit, so that a row takes one operation on words for each digit. No row
//! depends on another one: a checkpoint has no state, threads do not wait, and the faces
//! of columns are empty.

use super::columns::{Column, ColumnSizes, FaceBuffer, SLABS_BETWEEN_SAVES};
use super::threads::share_sink;
use super::{Layout, NoState, Rows, Sink, Start};
use nimrule_limits::{LimitExceeded, Limits, Steps};

/// Words that are computed before they are passed to the sink.
const WORDS_TOGETHER: usize = 1 << 11;

/// Computes the P-positions of a box or of a column of it, and passes its rows to a sink.
///
/// `value` is the Grundy value of a heap alone, given its index in the kernel's order
/// and its size. Play is normal, and the state after some slabs is empty.
///
/// # Errors
///
/// If a limit is exceeded, and the errors of the sink and of the store of faces.
pub fn outcomes<V: Fn(usize, u64) -> u64 + Sync>(
    layout: &Layout,
    value: V,
    start: Start<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<(), LimitExceeded> {
    let Start { from, column, .. } = start;
    let sweep = Sweep {
        layout,
        digits: Digits::new(layout, &value),
        value,
        limits,
    };
    let slabs = slabs(layout);
    let rows = layout.rows / slabs;
    let is_worth_it = sink.can_split() && rows * layout.words >= layout.words_to_split;
    let threads = if is_worth_it { limits.threads() } else { 1 }.clamp(1, slabs);
    let between = match &column {
        Some(_) => threads * SLABS_BETWEEN_SAVES,
        None if sink.accepts_any_order() => slabs,
        // A sink that takes rows in order takes checkpoints as often as possible.
        None => threads,
    };
    let mut done = from.map_or(0, |(done, _)| done as usize);
    if let Some(column) = column.as_ref().filter(|_| done > 0) {
        column.faces.read_pages(done, &mut [])?;
    }
    while done < slabs {
        let to = slabs.min((done / between + 1) * between);
        let slabs_by_thread = (0..threads).map(|thread| (done + thread..to).step_by(threads));
        share_sink(slabs_by_thread, sink, |slabs, sink| {
            sweep.slabs(slabs, column.as_ref(), sink)
        })?;
        done = to;
        if done == slabs {
            break;
        }
        match &column {
            None => sink.slab(done as u64, &NoState)?,
            Some(column) if column.faces.is_due(done) => {
                column.faces.write_pages(done, &[])?;
                sink.slab(done as u64, &NoState)?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The number of slabs: sizes of the first heap, if it is not the last one.
fn slabs(layout: &Layout) -> usize {
    match layout.most.as_slice() {
        [first, _, ..] => *first as usize + 1,
        _ => 1,
    }
}

/// The number of strips of a slab: sizes of the second heap, if it is not the last one.
fn strips(layout: &Layout) -> usize {
    match layout.most.as_slice() {
        [_, second, _, ..] => *second as usize + 1,
        _ => 1,
    }
}

/// The sizes of the columns of a box; `None` if it has one strip only.
pub fn column_sizes(layout: &Layout) -> Option<ColumnSizes> {
    let sizes = ColumnSizes {
        strips: strips(layout),
        slabs: slabs(layout),
        page: 0,
        back: 0,
        thread: bytes(layout),
        most_threads: usize::MAX,
        face: 0,
        is_mirrored: false,
    };
    (sizes.strips > 1).then_some(sizes)
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
    /// Passes slabs, or the strips of a column in them, to a sink.
    fn slabs(
        &self,
        slabs: impl Iterator<Item = usize>,
        column: Option<&Column<'_>>,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let all = strips(self.layout);
        let rows = self.layout.rows / self::slabs(self.layout) / all;
        let strips = column.map_or(0..all, |column| column.strips.clone());
        let width = self.layout.words;
        let together = (WORDS_TOGETHER / width).clamp(1, strips.len() * rows);
        let mut words = vec![0; together * width];
        let mut nonzero = vec![0; together.div_ceil(64)];
        let mut face = FaceBuffer::new(0);
        for slab in slabs {
            // They say when the columns may be saved.
            if let Some(column) = column.filter(|_| strips.start > 0) {
                column.faces.read(slab, &mut face)?;
            }
            let mut first = (slab * all + strips.start) * rows;
            let end = (slab * all + strips.end) * rows;
            let mut others = OtherHeaps::at(self, first);
            while first < end {
                self.limits.check_work(Steps(100))?;
                let count = together.min(end - first);
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
            if let Some(column) = column.filter(|_| strips.end < all) {
                column.faces.write(slab, &mut face)?;
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
