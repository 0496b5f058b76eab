//! Conjunctions of atoms, learned from examples.
//!
//! A conjunction is a set of atoms. The most specific conjunction that covers
//! some members is the intersection of the sets of atoms that hold at each.
//! Members are added as long as no row outside the set satisfies it.

use super::atom::Atom;
use super::rows::Examples;
use std::cell::RefCell;

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
