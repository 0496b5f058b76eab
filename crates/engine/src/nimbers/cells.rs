//! Sets of cells, as bit sets of a fixed length.

/// A set of cells: bit `i` of word `w` is the cell `64 w + i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    pub const EMPTY: Cells<W> = Cells([0; W]);

    pub fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    pub fn remove(&mut self, cell: usize) {
        self.0[cell / 64] &= !(1 << (cell % 64));
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn meets(&self, other: &Cells<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(one, two)| one & two != 0)
    }

    pub fn contains(&self, other: &Cells<W>) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .all(|(one, two)| two & !one == 0)
    }

    pub fn has(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    fn with(&self, other: &Cells<W>, word: impl Fn(u64, u64) -> u64) -> Cells<W> {
        Cells(std::array::from_fn(|at| word(self.0[at], other.0[at])))
    }

    pub fn union(&self, other: &Cells<W>) -> Cells<W> {
        self.with(other, |one, two| one | two)
    }

    pub fn intersection(&self, other: &Cells<W>) -> Cells<W> {
        self.with(other, |one, two| one & two)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The cells without those of another set.
    pub fn without(&self, other: &Cells<W>) -> Cells<W> {
        self.with(other, |one, two| one & !two)
    }

    /// The smallest cell.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The number of cells smaller than a cell.
    pub fn count_below(&self, cell: usize) -> usize {
        let whole = self.0[..cell / 64].iter().map(|word| word.count_ones());
        let rest = self.0[cell / 64] & ((1 << (cell % 64)) - 1);
        whole.sum::<u32>() as usize + rest.count_ones() as usize
    }

    /// The cells, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0.into_iter().enumerate();
        words.flat_map(|(word, mut left)| {
            std::iter::from_fn(move || {
                let cell = (left != 0).then(|| 64 * word + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                cell
            })
        })
    }
}
