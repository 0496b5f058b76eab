//! Canonical forms of components: a numbering of the cells that depends on the moves only,
//! not on the places of the cells on the board.
//!
//! Colour refinement distinguishes the cells by the moves at them. While several cells have
//! one colour, each of them in turn gets a colour of its own, and the least of the forms that
//! follow is taken (McKay, "Practical graph isomorphism", 1981). The number of forms compared
//! is bounded. A form lists all moves, so that components of equal form are isomorphic, in
//! any case; components of different forms may be isomorphic where the bound is exceeded.

use smallvec::SmallVec;

/// What a move does with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It needs and clears the cell.
    Taken,
    /// It clears the cell.
    Cleared,
    /// It needs the cell.
    Needed,
}

/// The largest number of forms of one component that are compared.
const MAX_FORMS: usize = 24;

/// The number of rounds of refinement before the first count of the colours.
const UNCOUNTED_ROUNDS: usize = 3;

/// The labels of the cells of one move.
type Labels = SmallVec<[u16; 8]>;

/// The structure of a component, with buffers that serve one component after another.
#[derive(Debug, Default)]
pub struct Structure {
    cells: usize,
    /// The cells of each move, from `first[m]` to `first[m + 1]`.
    first: Vec<usize>,
    at: Vec<(u16, Part)>,
    /// Whether every move takes two cells and clears no other, as in Cram.
    is_graph: bool,
    next: Vec<u64>,
    sorted: Vec<u64>,
    labels: Vec<u16>,
    moves: Vec<Labels>,
    pairs: Vec<u16>,
    form: Vec<u8>,
    least: Vec<u8>,
    forms: usize,
}

/// A permutation of the 64-bit numbers that mixes their bits (Steele and others,
/// "Fast splittable pseudorandom number generators", 2014).
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

const SALTS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xd1b5_4a32_d192_ed03,
    0x8cb9_2ba7_2f3d_8dd7,
];

impl Structure {
    /// Begins a structure of so many cells.
    pub fn clear(&mut self, cells: usize) {
        self.cells = cells;
        self.first.clear();
        self.first.push(0);
        self.at.clear();
        self.is_graph = cells < 255;
    }

    /// Adds a cell to the move that is described.
    pub fn add(&mut self, cell: u16, part: Part) {
        self.at.push((cell, part));
    }

    /// Ends the description of a move.
    pub fn end_move(&mut self) {
        let before = self.first.last().copied().unwrap_or(0);
        let cells = &self.at[before..];
        self.is_graph &= cells.len() == 2 && cells.iter().all(|(_, part)| *part == Part::Taken);
        self.first.push(self.at.len());
    }

    /// The canonical form.
    pub fn canonical(&mut self) -> &[u8] {
        self.forms = 0;
        self.least.clear();
        let mut colours = vec![1; self.cells];
        let distinct = self.refine(&mut colours);
        self.search(colours, distinct);
        &self.least
    }

    /// Refines the colours until their number stays. Returns the number.
    fn refine(&mut self, colours: &mut [u64]) -> usize {
        // PERF: few components have distinct colours after the first rounds.
        for _ in 0..UNCOUNTED_ROUNDS {
            self.round(colours);
        }
        let mut distinct = 0;
        loop {
            self.sorted.clear();
            self.sorted.extend(&*colours);
            self.sorted.sort_unstable();
            self.sorted.dedup();
            if self.sorted.len() <= distinct || self.sorted.len() == self.cells {
                return self.sorted.len();
            }
            distinct = self.sorted.len();
            self.round(colours);
        }
    }

    /// One round of refinement.
    fn round(&mut self, colours: &mut [u64]) {
        self.next.clear();
        self.next
            .extend(colours.iter().map(|colour| colour.wrapping_mul(SALTS[0])));
        for colour in &mut *colours {
            *colour = mix(*colour);
        }
        for ends in self.first.windows(2) {
            let cells = &self.at[ends[0]..ends[1]];
            let sum = cells.iter().fold(0_u64, |sum, (cell, part)| {
                let salt = SALTS[*part as usize];
                sum.wrapping_add(colours[usize::from(*cell)].wrapping_mul(salt))
            });
            let hash = mix(sum);
            for (cell, part) in cells {
                let next = &mut self.next[usize::from(*cell)];
                *next = next.wrapping_add(hash.wrapping_mul(SALTS[*part as usize]));
            }
        }
        colours.copy_from_slice(&self.next);
    }

    /// Compares the forms of all refinements to distinct colours with the least so far.
    fn search(&mut self, colours: Vec<u64>, distinct: usize) {
        if distinct == self.cells {
            self.form_of(&colours);
            self.forms += 1;
            if self.forms == 1 || self.form < self.least {
                std::mem::swap(&mut self.form, &mut self.least);
            }
            return;
        }
        // The smallest class of several cells, and the least colour among those.
        self.sorted.clear();
        self.sorted.extend(&colours);
        self.sorted.sort_unstable();
        let classes = self.sorted.chunk_by(|one, other| one == other);
        let class = classes
            .filter(|class| class.len() > 1)
            .min_by_key(|class| class.len())
            .map(|class| class[0]);
        let before = self.forms;
        let mut least_of_first = Vec::new();
        for cell in (0..self.cells).filter(|cell| Some(colours[*cell]) == class) {
            if self.forms > before && self.forms >= MAX_FORMS {
                return;
            }
            let mut single = colours.clone();
            single[cell] = mix(single[cell] ^ SALTS[2]);
            let outer = std::mem::take(&mut self.least);
            let forms = std::mem::take(&mut self.forms);
            let distinct = self.refine(&mut single);
            self.search(single, distinct);
            self.forms += forms;
            let own = std::mem::replace(&mut self.least, outer);
            let is_alike = forms > before && own == least_of_first;
            if forms == 0 || own < self.least {
                self.least.clone_from(&own);
            }
            // An automorphism maps the first cell to this one, and probably to the others.
            if is_alike {
                return;
            }
            if forms == before {
                least_of_first = own;
            }
        }
    }

    /// Writes the form of distinct colours, which the last refinement sorted.
    fn form_of(&mut self, colours: &[u64]) {
        self.labels.clear();
        // INVARIANT: each colour is in the sorted list.
        let label = |colour: &u64| self.sorted.binary_search(colour).unwrap_or(0) as u16;
        self.labels.extend(colours.iter().map(label));
        self.form.clear();
        if self.is_graph {
            self.pairs.clear();
            for ends in self.at.chunks_exact(2) {
                let [one, two] = [0, 1].map(|end| self.labels[usize::from(ends[end].0)]);
                self.pairs.push(one.min(two) << 8 | one.max(two));
            }
            self.pairs.sort_unstable();
            let bytes = self.pairs.iter().flat_map(|pair| pair.to_be_bytes());
            self.form.extend(bytes);
            return;
        }
        self.moves.clear();
        for ends in self.first.windows(2) {
            let mut of = Labels::new();
            let mut counts = 0;
            for part in [Part::Taken, Part::Cleared, Part::Needed] {
                let before = of.len();
                let cells = self.at[ends[0]..ends[1]].iter();
                let cells = cells.filter(|(_, own)| *own == part);
                of.extend(cells.map(|(cell, _)| self.labels[usize::from(*cell)]));
                of[before..].sort_unstable();
                counts = counts << 10 | (of.len() - before);
            }
            // The numbers of cells come last, so that the moves are sorted by their cells.
            of.extend([counts >> 20, counts >> 10 & 1023, counts & 1023].map(|n| n as u16));
            self.moves.push(of);
        }
        self.moves.sort_unstable();
        self.form.push(255);
        for of in &self.moves {
            let (cells, counts) = of.split_at(of.len() - 3);
            for number in counts.iter().chain(cells) {
                // At most 512 cells.
                match number {
                    0..255 => self.form.push(*number as u8),
                    _ => self
                        .form
                        .extend([255, (number - 255) as u8, ((number - 255) >> 8) as u8]),
                }
            }
        }
    }
}
