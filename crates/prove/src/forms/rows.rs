//! Examples: rows of heap sizes in a set and outside it.

use super::verify::FormVerifier;
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
