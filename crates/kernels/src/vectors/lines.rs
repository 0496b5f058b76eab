//! Lines of rows, and the operations that go through a whole line at once.
//!
//! A line holds the rows that differ in the last but one heap alone. Its words
//! lie so that the first words of all its rows come first, then their second
//! words, and so on: an operation on a line is one on long runs of words,
//! which the compiler turns into vector instructions. Some empty places stand
//! before each run, so that rows that do not exist read as empty.

use super::word::Word;

/// Rows that go through registers together.
const BLOCK: usize = 16;

/// How the words of a line lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    /// Rows of a line.
    pub rows: usize,
    /// Words of a row.
    pub words: usize,
    /// Empty places before each run.
    pub lead: usize,
    /// Rows, rounded up.
    pub run: usize,
}

impl Grid {
    /// `reach` is how far back a row may look along the line.
    pub fn new(rows: usize, words: usize, reach: usize) -> Grid {
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
            lead: reach.next_multiple_of(8).min(BLOCK),
            run: rows.next_multiple_of(BLOCK),
        }
    }

    pub fn stride(&self) -> usize {
        self.lead + self.run
    }

    /// Words that a line takes.
    pub fn len(&self) -> usize {
        self.stride() * self.words
    }
}

/// A line that is ORed into another: moved along by some rows, and its rows
/// shifted by some words and bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved {
    pub along: usize,
    pub words: usize,
    pub bits: u32,
}

/// A line that is ORed into another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// Where it begins in the store.
    pub start: usize,
    pub moved: Moved,
    /// A part of it that is left out: where that begins, and how many rows it
    /// is moved along; its rows are shifted alike.
    pub less: Option<(usize, usize)>,
}

/// `to |= from`, moved, for every source in the store.
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

/// The same for the words of some rows, which stay in registers meanwhile.
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
        let moved = source.moved;
        // None of these rows, or none of these words, has such a row below it;
        // if only some have none then the empty places are read.
        if moved.along >= first + BLOCK || word < moved.words {
            continue;
        }
        let at = (word - moved.words) * stride + grid.lead + first;
        let less = source.less.filter(|(_, along)| *along < first + BLOCK);
        let mut from = *block(store, source.start + at - moved.along);
        if let Some((start, along)) = less {
            let less = block(store, start + at - along);
            for lane in 0..BLOCK {
                from[lane] = from[lane] ^ less[lane];
            }
        }
        for lane in 0..BLOCK {
            sum[lane] |= from[lane] << moved.bits;
        }
        if word > moved.words && moved.bits > 0 {
            let at = at - stride;
            let mut from = *block(store, source.start + at - moved.along);
            if let Some((start, along)) = less {
                let less = block(store, start + at - along);
                for lane in 0..BLOCK {
                    from[lane] = from[lane] ^ less[lane];
                }
            }
            for lane in 0..BLOCK {
                sum[lane] |= from[lane] >> (T::BITS - moved.bits);
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

/// Lines of one row: its words are one run.
#[inline(always)]
fn merge<T: Word>(to: &mut [T], store: &[T], source: &Source) {
    let Moved { words, bits, .. } = source.moved;
    let count = to.len() - words.min(to.len());
    if count == 0 {
        return;
    }
    let to = &mut to[words..];
    let from = &store[source.start..][..count];
    let less = source.less.map(|(start, _)| &store[start..][..count]);
    let (first, rest) = to.split_at_mut(1);
    let less_first = less.map(|less| &less[..1]);
    run(first, &from[..1], None, less_first, None, bits);
    let less_rest = less.map(|less| &less[1..]);
    run(rest, &from[1..], Some(from), less_rest, less, bits);
}

/// One run of words: `below` are those whose high bits come in from under.
#[inline(always)]
fn run<T: Word>(
    to: &mut [T],
    from: &[T],
    below: Option<&[T]>,
    less: Option<&[T]>,
    less_below: Option<&[T]>,
    bits: u32,
) {
    match (below.filter(|_| bits > 0), less) {
        (None, None) => {
            for (to, from) in to.iter_mut().zip(from) {
                *to |= *from << bits;
            }
        }
        (None, Some(less)) => {
            for ((to, from), less) in to.iter_mut().zip(from).zip(less) {
                *to |= (*from ^ *less) << bits;
            }
        }
        (Some(below), None) => {
            for ((to, from), below) in to.iter_mut().zip(from).zip(below) {
                *to |= (*from << bits) | (*below >> (T::BITS - bits));
            }
        }
        (Some(below), Some(less)) => {
            let less_below = less_below.unwrap_or(less);
            for ((((to, from), below), less), less_below) in
                to.iter_mut().zip(from).zip(below).zip(less).zip(less_below)
            {
                *to |= ((*from ^ *less) << bits) | ((*below ^ *less_below) >> (T::BITS - bits));
            }
        }
    }
}

/// `line |= line << shift` row by row, in place.
#[inline(always)]
pub(super) fn smear_once<T: Word>(stride: usize, words: usize, line: &mut [T], by: (usize, u32)) {
    let (skip, bits) = by;
    for word in (skip..words).rev() {
        // The words that are read have not been changed yet, since they lie
        // lower; a word that reads itself does so before it is written.
        let (low, high) = line.split_at_mut(word * stride);
        let to = &mut high[..stride];
        if skip > 0 {
            run(
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

/// ORs `count` copies of each row into it, each shifted by `by` bits more than
/// the one before.
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
