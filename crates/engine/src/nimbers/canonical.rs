//! Canonical forms of components: a numbering of the cells that depends on the moves only,
//! not on the places of the cells on the board.
//!
//! Colour refinement distinguishes the cells by the moves at them. While several cells have
//! one colour, each of them in turn gets a colour of its own, and the least of the forms that
//! follow is taken (McKay, "Practical graph isomorphism", 1981). The number of forms compared
//! is bounded. A form lists all moves, so that components of equal form are isomorphic, in
//! any case; components of different forms may be isomorphic where the bound is exceeded.
//! Where a graph determines the moves, as in Cram and Node Kayles, the form lists its edges.

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

/// The low bits of a key are the number of a cell, the others those of its colour.
const CELL_BITS: u64 = 511;

/// The labels of the cells of one move.
type Labels = SmallVec<[u16; 8]>;

/// The colours of the cells.
type Colours = SmallVec<[u64; 64]>;

/// The structure of a component, with buffers that serve one component after another: the
/// moves at its cells, or a graph that determines them.
#[derive(Debug, Default)]
pub struct Structure {
    cells: usize,
    is_graph: bool,
    /// The cells of each move, from `first[m]` to `first[m + 1]`; of a graph, the neighbours
    /// of each cell, likewise.
    first: Vec<usize>,
    at: Vec<(u16, Part)>,
    neighbours: Vec<u16>,
    next: Vec<u64>,
    /// The keys of the cells, ascending by colour.
    sorted: Vec<u64>,
    labels: Vec<u16>,
    moves: Vec<Labels>,
    pairs: Vec<(u16, u16)>,
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
    /// Begins a structure of so many cells, which is described by its moves.
    pub fn clear(&mut self, cells: usize) {
        self.cells = cells;
        self.is_graph = false;
        self.first.clear();
        self.first.push(0);
        self.at.clear();
        self.neighbours.clear();
    }

    /// Begins a graph of so many cells, which is described by the neighbours of each cell.
    pub fn clear_graph(&mut self, cells: usize) {
        self.clear(cells);
        self.is_graph = true;
    }

    /// Adds a cell to the move that is described.
    pub fn add(&mut self, cell: u16, part: Part) {
        self.at.push((cell, part));
    }

    /// Ends the description of a move.
    pub fn end_move(&mut self) {
        self.first.push(self.at.len());
    }

    /// Adds the next cell, with its neighbours.
    pub fn add_neighbours(&mut self, neighbours: impl Iterator<Item = u16>) {
        self.neighbours.extend(neighbours);
        self.first.push(self.neighbours.len());
    }

    /// The canonical form.
    pub fn canonical(&mut self) -> &[u8] {
        self.forms = 0;
        self.least.clear();
        let mut colours = Colours::from_elem(1, self.cells);
        let distinct = self.refine(&mut colours);
        self.search(&colours, distinct);
        &self.least
    }

    /// Refines the colours until their number stays, and sorts the keys. Returns the number.
    fn refine(&mut self, colours: &mut [u64]) -> usize {
        // PERF: few components have distinct colours after the first rounds.
        for _ in 0..UNCOUNTED_ROUNDS {
            self.round(colours);
        }
        let mut before = 0;
        loop {
            self.sorted.clear();
            let keys = colours.iter().zip(0..);
            self.sorted
                .extend(keys.map(|(colour, cell)| colour & !CELL_BITS | cell));
            self.sorted.sort_unstable();
            let changes = self.sorted.windows(2);
            let changes = changes.filter(|keys| (keys[0] ^ keys[1]) > CELL_BITS);
            let distinct = changes.count() + 1;
            if distinct <= before || distinct >= self.cells {
                return distinct;
            }
            before = distinct;
            self.round(colours);
        }
    }

    /// One round of refinement.
    fn round(&mut self, colours: &mut [u64]) {
        self.next.clear();
        if self.is_graph {
            let cells = self.first.windows(2).zip(&*colours);
            self.next.extend(cells.map(|(ends, colour)| {
                let neighbours = self.neighbours[ends[0]..ends[1]].iter();
                let of_neighbours = neighbours.map(|cell| colours[usize::from(*cell)]);
                mix(of_neighbours.fold(colour.wrapping_mul(SALTS[0]), u64::wrapping_add))
            }));
            colours.copy_from_slice(&self.next);
            return;
        }
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

    /// Compares the forms of all refinements to distinct colours with the least so far. The
    /// keys are sorted.
    fn search(&mut self, colours: &[u64], distinct: usize) {
        if distinct >= self.cells {
            self.write_form();
            self.forms += 1;
            if self.forms == 1 || self.form < self.least {
                std::mem::swap(&mut self.form, &mut self.least);
            }
            return;
        }
        // The smallest class of several cells, and the least colour among those.
        let classes = self
            .sorted
            .chunk_by(|one, other| (one ^ other) <= CELL_BITS);
        let class: SmallVec<[usize; 8]> = classes
            .filter(|class| class.len() > 1)
            .min_by_key(|class| class.len())
            .map(|class| class.iter().map(|key| (key & CELL_BITS) as usize).collect())
            .unwrap_or_default();
        let before = self.forms;
        let mut least_of_first = Vec::new();
        for cell in class {
            if self.forms > before && self.forms >= MAX_FORMS {
                return;
            }
            let mut single = Colours::from_slice(colours);
            single[cell] = mix(single[cell] ^ SALTS[2]);
            let outer = std::mem::take(&mut self.least);
            let forms = std::mem::take(&mut self.forms);
            let distinct = self.refine(&mut single);
            self.search(&single, distinct);
            self.forms += forms;
            let own = std::mem::replace(&mut self.least, outer);
            // An automorphism maps the first cell to this one, and probably to the others.
            if forms > before && own == least_of_first {
                return;
            }
            if forms == 0 || own < self.least {
                self.least.clone_from(&own);
            }
            if forms == before {
                least_of_first = own;
            }
        }
    }

    /// Writes the form of distinct colours, whose keys are sorted.
    fn write_form(&mut self) {
        self.labels.clear();
        self.labels.resize(self.cells, 0);
        for (key, label) in self.sorted.iter().zip(0..) {
            self.labels[(key & CELL_BITS) as usize] = label;
        }
        self.form.clear();
        match (self.is_graph, self.cells) {
            (true, ..=64) => self.write_small_graph(),
            (true, _) => self.write_graph(),
            (false, _) => self.write_moves(),
        }
    }

    /// Writes the edges, ascending, of a graph whose sets of cells are words.
    fn write_small_graph(&mut self) {
        for (key, label) in self.sorted.iter().zip(0_u8..) {
            let cell = (key & CELL_BITS) as usize;
            let neighbours = &self.neighbours[self.first[cell]..self.first[cell + 1]];
            let labels = neighbours
                .iter()
                .map(|cell| self.labels[usize::from(*cell)]);
            let larger = labels.filter(|other| *other > u16::from(label));
            let mut left = larger.fold(0_u64, |labels, other| labels | 1 << other);
            while left != 0 {
                self.form
                    .extend_from_slice(&[label, left.trailing_zeros() as u8]);
                left &= left - 1;
            }
        }
    }

    /// Writes the edges of a graph, ascending.
    fn write_graph(&mut self) {
        self.pairs.clear();
        for (cell, ends) in self.first.windows(2).enumerate() {
            let label = self.labels[cell];
            let neighbours = self.neighbours[ends[0]..ends[1]].iter();
            let labels = neighbours.map(|cell| self.labels[usize::from(*cell)]);
            let edges = labels.filter(|other| *other > label);
            self.pairs.extend(edges.map(|other| (label, other)));
        }
        self.pairs.sort_unstable();
        // No edge of a small graph is a loop.
        self.form.extend([255, 255]);
        for (one, other) in &self.pairs {
            self.form.extend(one.to_be_bytes());
            self.form.extend(other.to_be_bytes());
        }
    }

    /// Writes the moves, ascending.
    fn write_moves(&mut self) {
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
