//! Lines of rows, and the operations on a whole line.
//!
//! A line holds the rows that differ only in the second last heap. It stores
//! the first words of all its rows, then their second words, and so on, so that
//! an operation on a line is one on long runs of words, which the compiler
//! vectorises. Zeros before each run stand for rows outside of the box.

use crate::word::Word;

/// Rows that are computed together, in machine vectors.
const BLOCK: usize = 16;

/// The layout of the words of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    /// Rows of a line.
    pub rows: usize,
    /// Words of a row.
    pub words: usize,
    /// Zeros before each run.
    pub lead: usize,
    /// Words of a run: rows, rounded up to whole blocks.
    pub run: usize,
}

impl Grid {
    /// The layout of lines whose rows read at most `max_rows_back` rows back.
    pub fn new(rows: usize, words: usize, max_rows_back: usize) -> Grid {
        if rows == 1 {
            return Grid {
                rows,
                words,
                lead: 0,
                run: 1,
            };
        }
        Grid {
            rows,
            words,
            lead: max_rows_back.next_multiple_of(8).min(BLOCK),
            run: rows.next_multiple_of(BLOCK),
        }
    }

    pub fn stride(&self) -> usize {
        self.lead + self.run
    }

    /// The number of words of a line.
    pub fn len(&self) -> usize {
        self.stride() * self.words
    }
}

/// The shift of a line by a vector: by rows, and of each row by words
/// and bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub rows: usize,
    pub words: usize,
    pub bits: u32,
}

/// A stored line that is ORed, shifted, into the current one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// The start of the line in the store.
    pub start: usize,
    pub shift: Shift,
    /// A line to remove from it before: its start, and the rows it is shifted
    /// by; its words and bits are shifted like those of the line.
    pub minus: Option<(usize, usize)>,
}

/// `to |= from << shift` for every source in the store.
#[inline(always)]
pub(super) fn gather<T: Word>(grid: Grid, to: &mut [T], store: &[T], sources: &[Source]) {
    if grid.stride() == 1 {
        for source in sources {
            merge(to, store, source);
        }
        return;
    }
    for word in 0..grid.words {
        let to = &mut to[word * grid.stride() + grid.lead..][..grid.run];
        for (block, to) in to.as_chunks_mut().0.iter_mut().enumerate() {
            gather_block(grid, (word, block * BLOCK), to, store, sources);
        }
    }
}

/// [`gather`] for one word of a block of rows, which stays in registers.
#[inline(always)]
fn gather_block<T: Word>(
    grid: Grid,
    (word, first): (usize, usize),
    to: &mut [T; BLOCK],
    store: &[T],
    sources: &[Source],
) {
    let stride = grid.stride();
    let mut sum = *to;
    for source in sources {
        let shift = source.shift;
        // The source has no row or no word for this block. If it has none for
        // some rows of the block, their reads yield the zeros before the run.
        if shift.rows >= first + BLOCK || word < shift.words {
            continue;
        }
        let at = (word - shift.words) * stride + grid.lead + first;
        let minus = source.minus.filter(|(_, along)| *along < first + BLOCK);
        let mut from = *block(store, source.start + at - shift.rows);
        if let Some((start, along)) = minus {
            let minus = block(store, start + at - along);
            for lane in 0..BLOCK {
                from[lane] ^= minus[lane];
            }
        }
        for lane in 0..BLOCK {
            sum[lane] |= from[lane] << shift.bits;
        }
        if word > shift.words && shift.bits > 0 {
            let at = at - stride;
            let mut from = *block(store, source.start + at - shift.rows);
            if let Some((start, along)) = minus {
                let minus = block(store, start + at - along);
                for lane in 0..BLOCK {
                    from[lane] ^= minus[lane];
                }
            }
            for lane in 0..BLOCK {
                sum[lane] |= from[lane] >> (T::BITS - shift.bits);
            }
        }
    }
    *to = sum;
}

#[inline(always)]
fn block<T>(store: &[T], at: usize) -> &[T; BLOCK] {
    store[at..]
        .first_chunk()
        .expect("a line has whole blocks after its empty places")
}

/// [`gather`] for lines of one row, whose words are one run.
#[inline(always)]
fn merge<T: Word>(to: &mut [T], store: &[T], source: &Source) {
    let Shift { words, bits, .. } = source.shift;
    let count = to.len() - words.min(to.len());
    if count == 0 {
        return;
    }
    let to = &mut to[words..];
    let from = &store[source.start..][..count];
    let minus = source.minus.map(|(start, _)| &store[start..][..count]);
    let (first, rest) = to.split_at_mut(1);
    let less_first = minus.map(|minus| &minus[..1]);
    or_run(first, &from[..1], None, less_first, None, bits);
    let less_rest = minus.map(|minus| &minus[1..]);
    or_run(rest, &from[1..], Some(from), less_rest, minus, bits);
}

/// `to |= from << bits` for a run of words, with the high bits of `below`, the
/// words before those of `from`, shifted in. The words of `less` are removed
/// from those of `from` before.
#[inline(always)]
fn or_run<T: Word>(
    to: &mut [T],
    from: &[T],
    below: Option<&[T]>,
    minus: Option<&[T]>,
    less_below: Option<&[T]>,
    bits: u32,
) {
    match (below.filter(|_| bits > 0), minus) {
        (None, None) => {
            for (to, from) in to.iter_mut().zip(from) {
                *to |= *from << bits;
            }
        }
        (None, Some(minus)) => {
            for ((to, from), minus) in to.iter_mut().zip(from).zip(minus) {
                *to |= (*from ^ *minus) << bits;
            }
        }
        (Some(below), None) => {
            for ((to, from), below) in to.iter_mut().zip(from).zip(below) {
                *to |= (*from << bits) | (*below >> (T::BITS - bits));
            }
        }
        (Some(below), Some(minus)) => {
            let less_below = less_below.unwrap_or(minus);
            for ((((to, from), below), minus), less_below) in to
                .iter_mut()
                .zip(from)
                .zip(below)
                .zip(minus)
                .zip(less_below)
            {
                *to |= ((*from ^ *minus) << bits) | ((*below ^ *less_below) >> (T::BITS - bits));
            }
        }
    }
}

/// `line |= line << shift` for each row, in place; `by` is words and bits.
#[inline(always)]
fn smear_once<T: Word>(stride: usize, words: usize, line: &mut [T], by: (usize, u32)) {
    let (skip, bits) = by;
    for word in (skip..words).rev() {
        // From the highest word down: the words read are lower, and not yet
        // changed.
        let (low, high) = line.split_at_mut(word * stride);
        let to = &mut high[..stride];
        if skip > 0 {
            or_run(
                to,
                &low[(word - skip) * stride..][..stride],
                (word > skip).then(|| &low[(word - skip - 1) * stride..][..stride]),
                None,
                None,
                bits,
            );
            continue;
        }
        for to in to.iter_mut() {
            *to |= *to << bits;
        }
        if word > 0 {
            let below = &low[(word - 1) * stride..][..stride];
            for (to, below) in to.iter_mut().zip(below) {
                *to |= *below >> (T::BITS - bits);
            }
        }
    }
}

/// ORs `count` copies of each row, shifted by 0, `by`, 2·`by`, … bits, by
/// doubling.
#[inline(always)]
pub(super) fn smear<T: Word>(stride: usize, words: usize, line: &mut [T], count: u64, by: u64) {
    let width = words as u64 * u64::from(T::BITS);
    let mut covered = 1;
    while covered < count {
        let step = covered.min(count - covered);
        let shift = step.saturating_mul(by);
        if shift >= width {
            return;
        }
        let bits = u64::from(T::BITS);
        smear_once(
            stride,
            words,
            line,
            ((shift / bits) as usize, (shift % bits) as u32),
        );
        covered += step;
    }
}
