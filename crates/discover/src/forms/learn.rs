//! Learning of conjunctions of atoms from examples.
//!
//! The examples are rows of heap sizes inside and outside a set. A conjunction is a
//! set of atoms. The most specific conjunction that covers some members is the
//! intersection of the sets of atoms that hold at each of them. Members are added
//! while no row outside the set satisfies the conjunction.

use super::FormVerifier;
use super::atom::{Atom, BLOCK, Block};
use super::case::Part;
use super::named::Definition;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A deterministic pseudorandom number generator (xorshift).
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end.max(1)
    }
}

/// The positions of a part with a given number of heaps left. A row has the sizes of these
/// heaps.
#[derive(Debug, Clone)]
pub struct Stratum {
    /// The number of heaps of a row. All later heaps are empty.
    pub entries: usize,
    /// The least size of an entry: 1 where empty heaps vanish.
    pub least: u64,
    /// The permutations under which the set is invariant, the identity first.
    pub images: Vec<Vec<usize>>,
    /// The part of the positions.
    pub part: Part,
    /// Whether the entries of a row ascend.
    pub is_sorted: bool,
}

impl Stratum {
    /// Returns whether a row is in the stratum.
    pub fn admits(&self, row: &[u64]) -> bool {
        row.iter().all(|entry| *entry >= self.least)
            && self.part.admits(row)
            && (!self.is_sorted || row.is_sorted())
    }

    /// The position of a row in a game with this number of heaps.
    pub fn position(&self, row: &[u64], heaps: usize) -> Vec<u64> {
        let mut position = row.to_vec();
        position.resize(heaps, 0);
        position
    }

    /// The distinct images of a row under the permutations.
    pub fn images_of(&self, row: &[u64]) -> BTreeSet<Vec<u64>> {
        self.images
            .iter()
            .map(|image| image.iter().map(|from| row[*from]).collect())
            .collect()
    }
}

/// Rows inside the set and rows outside it.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    pub members: BTreeSet<Vec<u64>>,
    pub others: BTreeSet<Vec<u64>>,
}

/// The most rows of a box.
const BOX: usize = 80_000;
/// The largest side of a box.
const LARGEST: u64 = 24;
/// The number of random members of each length.
const RANDOM_MEMBERS: usize = 150;
/// The lengths of random members in digits.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=6;

impl Examples {
    /// All rows of a small box, some random large members, and a row next to each of
    /// them that differs in one entry.
    pub fn of(verifier: &FormVerifier<'_>, stratum: &Stratum) -> Examples {
        let mut examples = Examples::default();
        let heaps = verifier.game.heap_count();
        let bound = stratum.part.bound();
        let end = bound.unwrap_or_else(|| side(stratum.entries));
        each_row(stratum.entries, stratum.least, end, &mut |row| {
            if stratum.admits(row) {
                examples.add(verifier, stratum, heaps, row);
            }
        });
        if bound.is_some() {
            return examples;
        }
        let mut random = Random::new();
        for length in LENGTHS {
            for mut drawn in random_members(verifier, length, &mut random) {
                if stratum.is_sorted {
                    drawn.sort_unstable();
                }
                let (row, later) = drawn.split_at(stratum.entries);
                if later.iter().any(|heap| *heap > 0) || !stratum.admits(row) {
                    continue;
                }
                for image in stratum.images_of(row) {
                    examples.add(verifier, stratum, heaps, &image);
                    let mut neighbour = image.clone();
                    let place = random.below(neighbour.len() as u64) as usize;
                    let most = neighbour[place] + 2;
                    neighbour[place] = random.below(most);
                    if stratum.admits(&neighbour) {
                        examples.add(verifier, stratum, heaps, &neighbour);
                    }
                }
            }
        }
        examples
    }

    /// The rows with a number, of those at which it is not negative.
    pub fn extended(&self, definition: &Definition) -> Examples {
        Examples {
            members: definition
                .extended_rows(&self.members)
                .into_iter()
                .collect(),
            others: definition.extended_rows(&self.others).into_iter().collect(),
        }
    }

    /// Adds a row to the members or to the others.
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

/// The side of the box for rows of this length.
fn side(entries: usize) -> u64 {
    let mut side = 3;
    while side < LARGEST && (side as usize + 1).saturating_pow(entries as u32) <= BOX {
        side += 1;
    }
    side
}

/// Calls `visit` for every row with entries from `least` to below `end`.
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

/// Random members with at most `length` digits, uniformly distributed.
fn random_members(
    verifier: &FormVerifier<'_>,
    length: usize,
    random: &mut Random,
) -> Vec<Vec<u64>> {
    let table = &verifier.table;
    let (states, letters) = (table.states(), table.letters());
    // The number of words of each length that lead from each state to an accepting
    // one.
    let mut counts: Vec<Vec<f64>> = vec![
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
                next.iter().map(|to| counts[so_far][*to as usize]).sum()
            })
            .collect();
        counts.push(longer);
    }
    if counts[length][table.start as usize] < 1.0 {
        return Vec::new();
    }
    let base = table.base as u64;
    (0..RANDOM_MEMBERS)
        .map(|_| {
            let mut row = vec![0_u64; table.tracks];
            let mut state = table.start as usize;
            for left in (0..length).rev() {
                let next = &table.next[state * letters..(state + 1) * letters];
                let mut mark = random.below(1 << 52) as f64 / (1_u64 << 52) as f64;
                mark *= counts[left + 1][state];
                let mut taken = None;
                for (letter, to) in next.iter().enumerate() {
                    let weight = counts[left][*to as usize];
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

/// A conjunction: a bit set of atoms.
pub type Bits = Vec<u64>;

/// Rows, with the atoms that hold at each.
struct EvaluatedRows {
    rows: Vec<Vec<u64>>,
    bits: Vec<u64>,
}

/// A learner of conjunctions.
pub struct Learner {
    /// The atoms that hold at some member.
    pub atoms: Vec<Atom>,
    /// The number of words of a bit set.
    width: usize,
    members: EvaluatedRows,
    others: EvaluatedRows,
    /// The rows outside the set that satisfied recent conjunctions. They are tested
    /// first.
    recent: RefCell<Vec<usize>>,
}

/// The length of [`Learner::recent`].
const RECENT: usize = 32;

/// Returns whether a bit set is a subset of another one.
fn is_subset(small: &[u64], large: &[u64]) -> bool {
    small
        .iter()
        .zip(large)
        .all(|(small, large)| small & !large == 0)
}

/// The intersection of two bit sets.
fn intersection(one: &[u64], other: &[u64]) -> Bits {
    one.iter()
        .zip(other)
        .map(|(one, other)| one & other)
        .collect()
}

/// Returns whether a conjunction has an atom.
fn has(bits: &[u64], atom: usize) -> bool {
    bits[atom / 64] >> (atom % 64) & 1 != 0
}

impl Learner {
    /// Returns a learner with these atoms and examples, whose rows have this number of
    /// entries. If one conjunction is to cover all members, the atoms that do not hold at
    /// some member are left out.
    pub fn new(atoms: Vec<Atom>, examples: &Examples, entries: usize, covers_all: bool) -> Learner {
        let members: Vec<Vec<u64>> = examples.members.iter().cloned().collect();
        let others: Vec<Vec<u64>> = examples.others.iter().cloned().collect();
        // Atoms that hold at no member cannot occur in a conjunction.
        let blocks: Vec<Block> = members
            .chunks(BLOCK)
            .map(|rows| Block::of(rows, entries))
            .collect();
        let holds_at_all =
            |atom: &Atom| !blocks.is_empty() && blocks.iter().all(|block| atom.holds_at_all(block));
        let holds_somewhere = |atom: &Atom| blocks.iter().any(|block| atom.holds(block) != 0);
        let atoms: Vec<Atom> = match covers_all {
            true => atoms.into_iter().filter(holds_at_all).collect(),
            false => atoms.into_iter().filter(holds_somewhere).collect(),
        };
        let empty = || EvaluatedRows {
            rows: Vec::new(),
            bits: Vec::new(),
        };
        let mut learner = Learner {
            width: atoms.len().div_ceil(64).max(1),
            atoms,
            members: empty(),
            others: empty(),
            recent: RefCell::new(Vec::new()),
        };
        learner.add(members, true);
        learner.add(others, false);
        learner
    }

    /// Adds examples.
    pub fn add(&mut self, rows: Vec<Vec<u64>>, member: bool) {
        let examples = match member {
            true => &mut self.members,
            false => &mut self.others,
        };
        let width = self.width;
        for rows in rows.chunks(BLOCK) {
            let first = examples.bits.len();
            examples.bits.resize(first + rows.len() * width, 0);
            let bits = &mut examples.bits[first..];
            let block = Block::of(rows, rows[0].len());
            for (number, atom) in self.atoms.iter().enumerate() {
                let mut places = atom.holds(&block);
                while places != 0 {
                    let row = places.trailing_zeros() as usize;
                    places &= places - 1;
                    bits[row * width + number / 64] |= 1 << (number % 64);
                }
            }
        }
        examples.rows.extend(rows);
    }

    /// The rows inside the set.
    pub fn members(&self) -> &[Vec<u64>] {
        &self.members.rows
    }

    fn member(&self, index: usize) -> &[u64] {
        &self.members.bits[index * self.width..(index + 1) * self.width]
    }

    fn other(&self, index: usize) -> &[u64] {
        &self.others.bits[index * self.width..(index + 1) * self.width]
    }

    /// Returns whether a conjunction holds at a member.
    pub fn covers(&self, atoms: &[u64], member: usize) -> bool {
        is_subset(atoms, self.member(member))
    }

    /// The total weight of the atoms that hold at a member ([`Atom::weight`]).
    pub fn weight_of_member(&self, member: usize) -> u32 {
        self.weight(self.member(member))
    }

    fn weight(&self, bits: &[u64]) -> u32 {
        (0..self.atoms.len())
            .filter(|atom| has(bits, *atom))
            .map(|atom| self.atoms[atom].weight())
            .sum()
    }

    /// Returns whether no row outside the set satisfies a conjunction.
    pub fn excludes(&self, atoms: &[u64]) -> bool {
        let mut recent = self.recent.borrow_mut();
        if recent
            .iter()
            .any(|other| is_subset(atoms, self.other(*other)))
        {
            return false;
        }
        let found = (0..self.others.rows.len()).find(|other| is_subset(atoms, self.other(*other)));
        if let Some(other) = found {
            recent.insert(0, other);
            recent.truncate(RECENT);
        }
        found.is_none()
    }

    /// The rows outside the set that satisfy a conjunction.
    pub fn satisfying(&self, atoms: &[u64]) -> Vec<Vec<u64>> {
        let others = (0..self.others.rows.len()).filter(|o| is_subset(atoms, self.other(*o)));
        others
            .map(|other| self.others.rows[other].clone())
            .collect()
    }

    /// The conjunction of the atoms that hold at all members.
    pub fn common_atoms(&self) -> Bits {
        let mut atoms = vec![u64::MAX; self.width];
        for member in 0..self.members.rows.len() {
            atoms = intersection(&atoms, self.member(member));
        }
        atoms
    }

    /// The most general conjunction that a greedy search finds from the atoms of one
    /// member. Each step adds the wanted member that removes the least weight of
    /// atoms, so that no row outside the set satisfies the rest. `None` if such a
    /// row satisfies all atoms of the member.
    pub fn grown_from(&self, seed: usize, wanted: &[bool]) -> Option<Bits> {
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
            let mut has_grown = false;
            for (_, member) in order {
                let fewer = intersection(&atoms, self.member(member));
                if self.excludes(&fewer) {
                    atoms = fewer;
                    has_grown = true;
                    break;
                }
                refused[member] = true;
            }
            // A member that is refused now is refused for every subset of the atoms.
            left.retain(|member| !refused[*member]);
            if !has_grown {
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

    /// Removes redundant atoms, the most costly first: the rest still excludes all rows
    /// outside the set.
    pub fn minimised(&self, atoms: &[u64], entries: usize) -> Bits {
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

    /// The atoms of a conjunction.
    pub fn listed(&self, atoms: &[u64]) -> Vec<&Atom> {
        let numbers = (0..self.atoms.len()).filter(|atom| has(atoms, *atom));
        numbers.map(|atom| &self.atoms[atom]).collect()
    }
}
