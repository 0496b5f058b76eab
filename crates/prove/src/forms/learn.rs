//! Conjunctions of atoms, learned from examples.
//!
//! A conjunction is a set of atoms. The most specific conjunction that covers
//! some members is the intersection of the sets of atoms that hold at each.
//! Members are added as long as no row outside the set satisfies it.

use super::FormVerifier;
use super::atom::Atom;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A deterministic pseudorandom number generator.
pub struct Draw(u64);

impl Draw {
    pub fn new() -> Draw {
        Draw(0x9e37_79b9_7f4a_7c15)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end.max(1)
    }
}

/// Which rows are looked at: those of a part of a set whose entries have places
/// of their own.
#[derive(Debug, Clone)]
pub struct Stratum {
    /// How many heaps the row has; those behind it are empty.
    pub entries: usize,
    /// The least size of an entry: 1 where empty heaps vanish.
    pub least: u64,
    /// The permutations that keep the set, the identity first.
    pub images: Vec<Vec<usize>>,
    /// Some entry is at least this.
    pub from: u64,
    /// All entries are below this.
    pub below: Option<u64>,
}

impl Stratum {
    pub fn admits(&self, row: &[u64]) -> bool {
        let largest = row.iter().copied().max().unwrap_or_default();
        row.iter().all(|entry| *entry >= self.least)
            && largest >= self.from
            && self.below.is_none_or(|below| largest < below)
    }

    pub fn position(&self, row: &[u64], heaps: usize) -> Vec<u64> {
        let mut position = row.to_vec();
        position.resize(heaps, 0);
        position
    }

    /// The row under each permutation, each once.
    pub fn images_of(&self, row: &[u64]) -> BTreeSet<Vec<u64>> {
        self.images
            .iter()
            .map(|image| image.iter().map(|from| row[*from]).collect())
            .collect()
    }
}

/// Rows in the set and rows outside.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    pub members: BTreeSet<Vec<u64>>,
    pub others: BTreeSet<Vec<u64>>,
}

/// The most rows of a box.
const BOX: usize = 80_000;
/// Boxes of few heaps end here.
const LARGEST: u64 = 24;
/// So many members of each length are drawn.
const DRAWN: usize = 150;
/// The lengths, in digits, of members that are drawn.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=6;

impl Examples {
    /// All rows of a small box, some large members, and rows beside those.
    pub fn of(verifier: &FormVerifier<'_>, stratum: &Stratum) -> Examples {
        let mut examples = Examples::default();
        let heaps = verifier.game.heap_count();
        let end = stratum.below.unwrap_or_else(|| side(stratum.entries));
        each_row(stratum.entries, stratum.least, end, &mut |row| {
            if stratum.admits(row) {
                examples.add(verifier, stratum, heaps, row);
            }
        });
        if stratum.below.is_some() {
            return examples;
        }
        let mut draw = Draw::new();
        for length in LENGTHS {
            for drawn in drawn(verifier, length, &mut draw) {
                let (row, behind) = drawn.split_at(stratum.entries);
                if behind.iter().any(|heap| *heap > 0) || !stratum.admits(row) {
                    continue;
                }
                for turned in stratum.images_of(row) {
                    examples.add(verifier, stratum, heaps, &turned);
                    let mut beside = turned.clone();
                    let place = draw.below(beside.len() as u64) as usize;
                    let most = beside[place] + 2;
                    beside[place] = draw.below(most);
                    if stratum.admits(&beside) {
                        examples.add(verifier, stratum, heaps, &beside);
                    }
                }
            }
        }
        examples
    }

    pub fn add(
        &mut self,
        verifier: &FormVerifier<'_>,
        stratum: &Stratum,
        heaps: usize,
        row: &[u64],
    ) {
        if verifier.accepts(&stratum.position(row, heaps)) {
            self.members.insert(row.to_vec());
        } else {
            self.others.insert(row.to_vec());
        }
    }
}

fn side(entries: usize) -> u64 {
    let mut side = 3;
    while side < LARGEST && (side as usize + 1).saturating_pow(entries as u32) <= BOX {
        side += 1;
    }
    side
}

fn each_row(entries: usize, least: u64, end: u64, visit: &mut dyn FnMut(&[u64])) {
    let mut row = vec![least; entries];
    if least >= end {
        return;
    }
    loop {
        visit(&row);
        let Some(place) = row.iter().rposition(|entry| entry + 1 < end) else {
            return;
        };
        row[place] += 1;
        row[place + 1..].fill(least);
    }
}

/// Members of so many digits, each as likely as any other.
fn drawn(verifier: &FormVerifier<'_>, length: usize, draw: &mut Draw) -> Vec<Vec<u64>> {
    let table = &verifier.table;
    let (states, letters) = (table.states(), table.letters());
    // How many words of each length lead from each state to an accepting one.
    let mut ways: Vec<Vec<f64>> = vec![
        table
            .output
            .iter()
            .map(|yes| f64::from(u8::from(*yes)))
            .collect(),
    ];
    for so_far in 0..length {
        let longer = (0..states)
            .map(|state| {
                let next = &table.next[state * letters..(state + 1) * letters];
                next.iter().map(|to| ways[so_far][*to as usize]).sum()
            })
            .collect();
        ways.push(longer);
    }
    if ways[length][table.start as usize] < 1.0 {
        return Vec::new();
    }
    let base = table.base as u64;
    (0..DRAWN)
        .map(|_| {
            let mut row = vec![0_u64; table.tracks];
            let mut state = table.start as usize;
            for left in (0..length).rev() {
                let next = &table.next[state * letters..(state + 1) * letters];
                let mut mark = draw.below(1 << 52) as f64 / (1_u64 << 52) as f64;
                mark *= ways[left + 1][state];
                let mut taken = None;
                for (letter, to) in next.iter().enumerate() {
                    let weight = ways[left][*to as usize];
                    if weight > 0.0 {
                        taken = Some(letter);
                        mark -= weight;
                        if mark < 0.0 {
                            break;
                        }
                    }
                }
                let mut letter = taken.unwrap_or_default() as u64;
                state = next[letter as usize] as usize;
                for heap in &mut row {
                    *heap = *heap * base + letter % base;
                    letter /= base;
                }
            }
            row
        })
        .collect()
}

/// A bit set of atoms.
pub type Bits = Vec<u64>;

/// Rows with the atoms that hold at each.
struct Told {
    rows: Vec<Vec<u64>>,
    bits: Vec<u64>,
}

pub struct Learner {
    pub atoms: Vec<Atom>,
    width: usize,
    members: Told,
    others: Told,
    /// Those among the others that were met last, to be asked first.
    lately: RefCell<Vec<usize>>,
}

const LATELY: usize = 32;

fn within(small: &[u64], large: &[u64]) -> bool {
    small
        .iter()
        .zip(large)
        .all(|(small, large)| small & !large == 0)
}

fn common(one: &[u64], other: &[u64]) -> Bits {
    one.iter()
        .zip(other)
        .map(|(one, other)| one & other)
        .collect()
}

pub fn has(bits: &[u64], atom: usize) -> bool {
    bits[atom / 64] >> (atom % 64) & 1 != 0
}

impl Learner {
    pub fn new(atoms: Vec<Atom>, examples: &Examples) -> Learner {
        // What holds nowhere says nothing of members.
        let atoms: Vec<Atom> = atoms
            .into_iter()
            .filter(|atom| examples.members.iter().any(|row| atom.holds(row)))
            .collect();
        let empty = || Told {
            rows: Vec::new(),
            bits: Vec::new(),
        };
        let mut learner = Learner {
            width: atoms.len().div_ceil(64).max(1),
            atoms,
            members: empty(),
            others: empty(),
            lately: RefCell::new(Vec::new()),
        };
        for row in &examples.members {
            learner.add(row.clone(), true);
        }
        for row in &examples.others {
            learner.add(row.clone(), false);
        }
        learner
    }

    pub fn add(&mut self, row: Vec<u64>, member: bool) {
        let mut bits = vec![0; self.width];
        for (number, atom) in self.atoms.iter().enumerate() {
            if atom.holds(&row) {
                bits[number / 64] |= 1 << (number % 64);
            }
        }
        let told = match member {
            true => &mut self.members,
            false => &mut self.others,
        };
        told.rows.push(row);
        told.bits.extend(bits);
    }

    pub fn members(&self) -> &[Vec<u64>] {
        &self.members.rows
    }

    fn member(&self, index: usize) -> &[u64] {
        &self.members.bits[index * self.width..(index + 1) * self.width]
    }

    fn other(&self, index: usize) -> &[u64] {
        &self.others.bits[index * self.width..(index + 1) * self.width]
    }

    /// Whether the conjunction holds at a member.
    pub fn covers(&self, atoms: &[u64], member: usize) -> bool {
        within(atoms, self.member(member))
    }

    /// How much the atoms that hold at a member bind it.
    pub fn bound(&self, member: usize) -> u32 {
        self.weight(self.member(member))
    }

    fn weight(&self, bits: &[u64]) -> u32 {
        (0..self.atoms.len())
            .filter(|atom| has(bits, *atom))
            .map(|atom| self.atoms[atom].weight())
            .sum()
    }

    /// Whether no row outside the set satisfies the conjunction.
    pub fn excludes(&self, atoms: &[u64]) -> bool {
        let mut lately = self.lately.borrow_mut();
        if lately.iter().any(|other| within(atoms, self.other(*other))) {
            return false;
        }
        let found = (0..self.others.rows.len()).find(|other| within(atoms, self.other(*other)));
        if let Some(other) = found {
            lately.insert(0, other);
            lately.truncate(LATELY);
        }
        found.is_none()
    }

    /// The atoms that hold at all members.
    pub fn of_all(&self) -> Bits {
        let mut atoms = vec![u64::MAX; self.width];
        for member in 0..self.members.rows.len() {
            atoms = common(&atoms, self.member(member));
        }
        atoms
    }

    /// What as many of the wanted members have in common as the others allow,
    /// beginning with one of them. Those that take the least away are asked
    /// first.
    pub fn beginning_with(&self, seed: usize, wanted: &[bool]) -> Option<Bits> {
        let mut atoms = self.member(seed).to_vec();
        if !self.excludes(&atoms) {
            return None;
        }
        let weights: Vec<u32> = self.atoms.iter().map(Atom::weight).collect();
        let heavy = self.masked(&weights, |weight| weight >= 16);
        let mut left: Vec<usize> = (0..self.members.rows.len())
            .filter(|member| wanted[*member] && *member != seed)
            .collect();
        loop {
            left.retain(|member| !self.covers(&atoms, *member));
            let mut order: Vec<(u32, usize)> = left
                .iter()
                .map(|member| {
                    let lost = atoms.iter().zip(self.member(*member)).zip(&heavy).fold(
                        0,
                        |lost, ((mine, theirs), heavy)| {
                            let gone = mine & !theirs;
                            lost + gone.count_ones() + 31 * (gone & heavy).count_ones()
                        },
                    );
                    (lost, *member)
                })
                .collect();
            order.sort_unstable();
            let mut refused = vec![false; self.members.rows.len()];
            let mut grown = false;
            for (_, member) in order {
                let fewer = common(&atoms, self.member(member));
                if self.excludes(&fewer) {
                    atoms = fewer;
                    grown = true;
                    break;
                }
                refused[member] = true;
            }
            // What is too little now is too little for ever.
            left.retain(|member| !refused[*member]);
            if !grown {
                return Some(atoms);
            }
        }
    }

    fn masked(&self, weights: &[u32], wanted: impl Fn(u32) -> bool) -> Bits {
        let mut mask = vec![0; self.width];
        for (atom, weight) in weights.iter().enumerate() {
            if wanted(*weight) {
                mask[atom / 64] |= 1 << (atom % 64);
            }
        }
        mask
    }

    /// The same with the atoms left out that are not needed against the rows
    /// outside, the dearest first.
    pub fn reduced(&self, atoms: &[u64], entries: usize) -> Bits {
        let mut order: Vec<usize> = (0..self.atoms.len()).filter(|a| has(atoms, *a)).collect();
        order.sort_by_key(|atom| std::cmp::Reverse((self.atoms[*atom].cost(entries), *atom)));
        let mut kept = vec![0; self.width];
        for atom in &order {
            kept[atom / 64] |= 1 << (atom % 64);
        }
        for atom in order {
            kept[atom / 64] &= !(1 << (atom % 64));
            if !self.excludes(&kept) {
                kept[atom / 64] |= 1 << (atom % 64);
            }
        }
        kept
    }

    pub fn listed(&self, atoms: &[u64]) -> Vec<&Atom> {
        let numbers = (0..self.atoms.len()).filter(|atom| has(atoms, *atom));
        numbers.map(|atom| &self.atoms[atom]).collect()
    }
}
