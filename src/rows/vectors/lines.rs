//! Lines of rows, and the operations that go through a whole line at once.
//!
//! A line holds the rows that differ in the last but one heap alone. Its words
//! lie so that the first words of all its rows come first, then their second
//! words, and so on: an operation on a line is one on long runs of words,
//! which the compiler turns into vector instructions. Some empty places stand
//! before each run, so that rows that do not exist read as empty.

use super::word::Word;

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
            lead: if reach > 16 {
                16
            } else {
                reach.next_multiple_of(8)
            },
            run: if rows > 8 {
                rows.next_multiple_of(16)
            } else {
                8
            },
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

/// `to |= from`, moved; and where `less` is given, only what is not in that
/// other line, which is a part of `from`, moved as far as it says.
#[inline(always)]
pub(super) fn merge<T: Word>(
    grid: Grid,
    to: &mut [T],
    from: &[T],
    moved: Moved,
    less: Option<(&[T], usize)>,
) {
    if moved.words >= grid.words {
        return;
    }
    let stride = grid.stride();
    if stride == 1 {
        // One row: its words are one run.
        let to = &mut to[moved.words..];
        let from = &from[..to.len()];
        let less = less.map(|(less, _)| &less[..to.len()]);
        let (first, to) = to.split_at_mut(1);
        run(
            first,
            &from[..1],
            None,
            less.map(|l| &l[..1]),
            None,
            moved.bits,
        );
        run(
            to,
            &from[1..],
            Some(from),
            less.map(|l| &l[1..]),
            less,
            moved.bits,
        );
        return;
    }
    // Rows that look no further back than the empty places are all alike.
    let start = moved.along.saturating_sub(grid.lead).min(grid.run);
    let cut = match less {
        None => grid.run,
        Some((_, along)) if along <= grid.lead => start,
        Some((_, along)) => along.min(grid.run),
    };
    for word in moved.words..grid.words {
        let target = word * stride;
        let source = (word - moved.words) * stride;
        let below = source.checked_sub(stride);
        let mut part = |from_row: usize, to_row: usize, less: Option<(&[T], usize)>| {
            let count = to_row - from_row;
            let at = |start: usize, along: usize| start + grid.lead + from_row - along;
            let of = |line, start, along| -> &[T] { slice(line, at(start, along), count) };
            run(
                &mut to[at(target, 0)..][..count],
                of(from, source, moved.along),
                below.map(|below| of(from, below, moved.along)),
                less.map(|(less, along)| of(less, source, along)),
                match (less, below) {
                    (Some((less, along)), Some(below)) => Some(of(less, below, along)),
                    _ => None,
                },
                moved.bits,
            );
        };
        if start < cut {
            part(start, cut, None);
        }
        if less.is_some() && cut < grid.run {
            part(cut, grid.run, less);
        }
    }
}

#[inline(always)]
fn slice<T>(line: &[T], start: usize, count: usize) -> &[T] {
    &line[start..][..count]
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
