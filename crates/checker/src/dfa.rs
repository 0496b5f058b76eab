//! Sets of positions as levelled DFAs.
//!
//! A DFA reads a position as a word of digits: the most significant letter
//! first, and in each letter one digit of every heap, heap 0 first. Each node
//! has a level, the number of the heap whose digit it reads. Words end at level
//! 0. Leading zeros do not change whether a word is accepted.

use crate::Numeration;
use nimrule_limits::{LimitExceeded, Limits, Steps};
use rustc_hash::FxHashMap;

/// The node that accepts no word.
pub const NOTHING: u32 = 0;
/// The node that accepts every word.
pub const EVERYTHING: u32 = 1;

/// A deterministic and complete automaton over the digits of positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dfa {
    /// The number of heaps, whose digits are read in turn.
    pub heaps: usize,
    /// The number of digits.
    pub radix: usize,
    /// The node at which a word begins.
    pub start: u32,
    /// The level of each node: the heap whose digit it reads. 0 for
    /// [`NOTHING`] and [`EVERYTHING`].
    pub level: Vec<u8>,
    /// Whether each node accepts. Apart from [`EVERYTHING`], only nodes of
    /// level 0 do.
    pub accepting: Vec<bool>,
    /// The transition function: `next[node * radix + digit]`.
    pub next: Vec<u32>,
}

impl Dfa {
    /// A DFA without nodes other than [`NOTHING`] and [`EVERYTHING`].
    pub fn new(heaps: usize, radix: usize, start: u32) -> Dfa {
        let next = [vec![NOTHING; radix], vec![EVERYTHING; radix]].concat();
        Dfa {
            heaps,
            radix,
            start,
            level: vec![0, 0],
            accepting: vec![false, true],
            next,
        }
    }

    /// The set of all positions. In an Ostrowski numeration a word in which a heap has
    /// another digit than 0 after the largest represents no position.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn positions(
        heaps: usize,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Dfa, LimitExceeded> {
        let mut all = Dfa::new(heaps, numeration.radix(), EVERYTHING);
        if let Numeration::Ostrowski(quotient) = numeration {
            limits.check_memory((64 * heaps as u128) << heaps)?;
            // A node is a level and the set of heaps whose last digit is the largest.
            let node = |level: usize, largest: usize| (2 + (level << heaps) + largest) as u32;
            for (level, last) in (0..heaps).flat_map(|l| (0..1 << heaps).map(move |o| (l, o))) {
                let (bit, after) = (1 << level, (level + 1) % heaps);
                let next = (0..=quotient).map(|digit| match last & bit {
                    0 if digit == quotient => node(after, last | bit),
                    0 => node(after, last),
                    _ if digit == 0 => node(after, last & !bit),
                    _ => NOTHING,
                });
                all.push(level as u8, level == 0, &next.collect::<Vec<u32>>());
            }
            all.start = node(0, 0);
        }
        all.canonical(limits)
    }

    /// Adds a node.
    pub fn push(&mut self, level: u8, accepting: bool, next: &[u32]) {
        self.level.push(level);
        self.accepting.push(accepting);
        self.next.extend_from_slice(next);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.level.len()
    }

    /// The successor of a node by a digit.
    pub fn after(&self, node: u32, digit: usize) -> u32 {
        self.next[node as usize * self.radix + digit]
    }

    /// Whether the position is in the set.
    pub fn accepts(&self, numeration: Numeration, position: &[u64]) -> bool {
        let letters = numeration.letters(position);
        let end = letters.iter().flatten().fold(self.start, |node, digit| {
            self.after(node, usize::from(*digit))
        });
        self.accepting[end as usize]
    }

    /// The number of states of the minimal DFA that reads a whole letter at a
    /// time, including those that accept nothing or everything. The DFA must be
    /// canonical.
    pub fn states(&self) -> usize {
        let used = |node| self.start == node || self.next[2 * self.radix..].contains(&node);
        let decided = usize::from(used(NOTHING)) + usize::from(used(EVERYTHING));
        self.level[2..].iter().filter(|level| **level == 0).count() + decided
    }

    /// Whether every arc leads to a node of the next level, and only nodes of
    /// level 0 accept.
    pub fn is_levelled(&self) -> bool {
        let fits = |node: u32, level: usize| {
            node <= EVERYTHING
                || (self.level.get(node as usize)).is_some_and(|own| usize::from(*own) == level)
        };
        fits(self.start, 0)
            && (2..self.nodes()).all(|node| {
                let level = usize::from(self.level[node]);
                let after = &self.next[node * self.radix..][..self.radix];
                (level == 0 || level < self.heaps && !self.accepting[node])
                    && after.iter().all(|to| fits(*to, (level + 1) % self.heaps))
            })
    }

    /// Whether a leading letter of zeros leads from the start to the start.
    pub fn ignores_leading_zeros(&self) -> bool {
        (0..self.heaps).fold(self.start, |node, _| self.after(node, 0)) == self.start
    }

    /// The minimal DFA of the same set, its nodes numbered in breadth-first
    /// order. Two sets are equal if and only if their canonical DFAs are equal.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn canonical(&self, limits: &Limits) -> Result<Dfa, LimitExceeded> {
        let nodes = self.nodes();
        let [rejects_some, accepts_some] = self.coaccessible();
        // Partition refinement of level 0; each round derives the classes of
        // the other levels from it, the last level first.
        let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); self.heaps];
        let mut class: Vec<u32> = vec![0; nodes];
        for node in 0..nodes {
            match (accepts_some[node], rejects_some[node]) {
                (false, _) => class[node] = NOTHING,
                (true, false) => class[node] = EVERYTHING,
                _ => {
                    class[node] = 2 + u32::from(self.accepting[node]);
                    by_level[usize::from(self.level[node])].push(node as u32);
                }
            }
        }
        let mut count = 0;
        let mut numbers = Lists::default();
        let mut key = Vec::with_capacity(self.radix + 1);
        loop {
            limits.check_work(Steps(380))?;
            let mut fresh = 2;
            let mut before = fresh;
            for level in (0..self.heaps).rev() {
                before = fresh;
                numbers.clear();
                let mut found = Vec::with_capacity(by_level[level].len());
                for &node in &by_level[level] {
                    key.clear();
                    key.extend((0..self.radix).map(|d| class[self.after(node, d) as usize]));
                    key.extend((level == 0).then_some(class[node as usize]));
                    let (own, is_fresh) = numbers.number(&key, fresh);
                    fresh += u32::from(is_fresh);
                    found.push(own);
                }
                for (node, own) in by_level[level].iter().zip(found) {
                    class[*node as usize] = own;
                }
            }
            if fresh - before == count {
                break;
            }
            count = fresh - before;
        }
        Ok(self.merged(&class))
    }

    /// The DFA with one node for each class of equivalent nodes that is reached, in
    /// breadth-first order. The classes of [`NOTHING`] and [`EVERYTHING`] are these
    /// numbers.
    fn merged(&self, class: &[u32]) -> Dfa {
        let mut minimal = Dfa::new(self.heaps, self.radix, NOTHING);
        let mut number = vec![u32::MAX; 2 + class.iter().max().map_or(0, |most| *most as usize)];
        (number[0], number[1]) = (NOTHING, EVERYTHING);
        let mut queue: Vec<u32> = Vec::new();
        let mut numbered = |node: u32, queue: &mut Vec<u32>| {
            let own = &mut number[class[node as usize] as usize];
            if *own == u32::MAX {
                *own = 2 + queue.len() as u32;
                queue.push(node);
            }
            *own
        };
        minimal.start = numbered(self.start, &mut queue);
        let mut index = 0;
        while let Some(&node) = queue.get(index) {
            index += 1;
            minimal.level.push(self.level[node as usize]);
            minimal.accepting.push(self.accepting[node as usize]);
            for digit in 0..self.radix {
                let after = numbered(self.after(node, digit), &mut queue);
                minimal.next.push(after);
            }
        }
        minimal
    }

    /// The DFA of the words that this one does not accept.
    pub fn complement(&self) -> Dfa {
        let mut other = self.clone();
        let swap = |node: &mut u32| {
            *node = [EVERYTHING, NOTHING]
                .get(*node as usize)
                .copied()
                .unwrap_or(*node)
        };
        other.next[2 * self.radix..].iter_mut().for_each(swap);
        swap(&mut other.start);
        for node in 2..self.nodes() {
            other.accepting[node] = self.level[node] == 0 && !self.accepting[node];
        }
        other
    }

    /// The positions whose images under a permutation of the heaps are in the
    /// set: heap `to[h]` of the image holds what heap `h` of the position
    /// holds. `None` if `to` is not a permutation.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn permuted(&self, to: &[usize], limits: &Limits) -> Result<Option<Dfa>, LimitExceeded> {
        let mut from = vec![None; self.heaps];
        for (heap, to) in to.iter().enumerate() {
            if let Some(from) = from.get_mut(*to) {
                *from = Some(heap);
            }
        }
        let Some(from) = from.into_iter().collect::<Option<Vec<usize>>>() else {
            return Ok(None);
        };
        let mut image = Dfa::new(self.heaps, self.radix, NOTHING);
        // The nodes of level 0 come first, in their order.
        let mut number: Vec<u32> = vec![NOTHING; self.nodes()];
        number[EVERYTHING as usize] = EVERYTHING;
        let between: Vec<usize> = (2..self.nodes()).filter(|n| self.level[*n] == 0).collect();
        for node in &between {
            number[*node] = image.nodes() as u32;
            image.push(0, self.accepting[*node], &vec![NOTHING; self.radix]);
        }
        image.start = number[self.start as usize];
        // By level; nodes of different levels are different.
        let mut numbers: Vec<Lists> = (0..self.heaps).map(|_| Lists::default()).collect();
        // For each letter, the digit of heap 0 most significant, the letter that this DFA
        // reads instead.
        let letters = self.radix.pow(self.heaps as u32);
        let digit = |letter: usize, heap: usize| {
            letter / self.radix.pow((self.heaps - 1 - heap) as u32) % self.radix
        };
        let own_letter = |letter| {
            let digits = from.iter().map(|heap| digit(letter, *heap));
            digits.fold(0, |own, digit| own * self.radix + digit)
        };
        let own_letter: Vec<usize> = (0..letters).map(own_letter).collect();
        for node in between {
            limits.check_work(Steps(180))?;
            // The target of each letter that this DFA reads, digit by digit.
            let mut own_ends = vec![node as u32];
            for _ in 0..self.heaps {
                let after = |node: &u32| &self.next[*node as usize * self.radix..][..self.radix];
                own_ends = own_ends.iter().flat_map(after).copied().collect();
            }
            let ends = own_letter.iter();
            let ends = ends.map(|letter| number[own_ends[*letter] as usize]);
            // Each round merges the last digit that is left into nodes.
            let mut ends: Vec<u32> = ends.collect();
            for level in (1..self.heaps).rev() {
                let nodes = ends.chunks_exact(self.radix).map(|after| {
                    if after[0] <= EVERYTHING && after.iter().all(|to| *to == after[0]) {
                        return after[0];
                    }
                    let (node, is_fresh) = numbers[level].number(after, image.nodes() as u32);
                    if is_fresh {
                        image.push(level as u8, false, after);
                    }
                    node
                });
                ends = nodes.collect();
            }
            let at = number[node] as usize * self.radix;
            image.next[at..at + self.radix].copy_from_slice(&ends);
        }
        // If the nodes of level 0 are not equivalent to each other, nor are those of the
        // image, and no other nodes are: as in a minimal DFA, only nodes that are not
        // reached are left out.
        let all: Vec<u32> = (0..image.nodes() as u32).collect();
        Ok(Some(image.merged(&all)))
    }

    /// For each node, whether some word from it is rejected, and whether some word is
    /// accepted.
    fn coaccessible(&self) -> [Vec<bool>; 2] {
        // The arcs sorted by target: `begin` has the first index of each target.
        let mut begin: Vec<u32> = vec![0; self.nodes() + 1];
        for to in &self.next {
            begin[*to as usize] += 1;
        }
        for node in 1..begin.len() {
            begin[node] += begin[node - 1];
        }
        let mut before: Vec<u32> = vec![0; self.next.len()];
        for (place, to) in self.next.iter().enumerate() {
            begin[*to as usize] -= 1;
            before[begin[*to as usize] as usize] = (place / self.radix) as u32;
        }
        [false, true].map(|accepts| {
            let ends = |node: &u32| {
                let at = *node as usize;
                (at <= 1 || self.level[at] == 0) && self.accepting[at] == accepts
            };
            let mut waiting: Vec<u32> = (0..self.nodes() as u32).filter(ends).collect();
            let mut leads = vec![false; self.nodes()];
            waiting.iter().for_each(|node| leads[*node as usize] = true);
            while let Some(node) = waiting.pop() {
                let arcs = begin[node as usize] as usize..begin[node as usize + 1] as usize;
                for &from in &before[arcs] {
                    if !std::mem::replace(&mut leads[from as usize], true) {
                        waiting.push(from);
                    }
                }
            }
            leads
        })
    }
}

/// A numbering of lists of numbers, which have the same length. Lists of two numbers are
/// stored without an allocation each.
#[derive(Default)]
struct Lists {
    known: FxHashMap<u64, u32>,
    longer: FxHashMap<Vec<u32>, u32>,
}

impl Lists {
    fn clear(&mut self) {
        self.known.clear();
        self.longer.clear();
    }

    /// The number of a list, and whether it is new: then it is the number `fresh`, which no
    /// other list has.
    fn number(&mut self, list: &[u32], fresh: u32) -> (u32, bool) {
        let number = match *list {
            [one, other] => {
                let both = u64::from(one) << 32 | u64::from(other);
                *self.known.entry(both).or_insert(fresh)
            }
            _ => match self.longer.get(list) {
                Some(number) => *number,
                None => {
                    self.longer.insert(list.to_vec(), fresh);
                    fresh
                }
            },
        };
        (number, number == fresh)
    }
}

/// The relation of language inclusion between the nodes of level 0.
pub struct Inclusion<'d> {
    dfa: &'d Dfa,
    /// The nodes of level 0 other than [`NOTHING`] and [`EVERYTHING`].
    nodes: Vec<u32>,
    /// The index of each node in `nodes`; `usize::MAX` for others.
    place: Vec<usize>,
    /// `holds[one * nodes.len() + other]`, by indices: whether every word
    /// accepted from `one` is accepted from `other`.
    holds: Vec<bool>,
}

/// The largest number of nodes of level 0 for which the relation is computed.
const MAX_COMPARED: usize = 300;

impl<'d> Inclusion<'d> {
    /// Computes the relation as a greatest fixed point: a pair of nodes is
    /// removed if one accepts and the other does not, or if some letter leads
    /// to a removed pair.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn new(dfa: &'d Dfa, limits: &Limits) -> Result<Inclusion<'d>, LimitExceeded> {
        let mut nodes: Vec<u32> = (2..dfa.nodes() as u32).collect();
        nodes.retain(|node| dfa.level[*node as usize] == 0);
        if nodes.len() > MAX_COMPARED {
            nodes.clear();
        }
        let mut place = vec![usize::MAX; dfa.nodes()];
        for (at, node) in nodes.iter().enumerate() {
            place[*node as usize] = at;
        }
        let accepting = |node: &u32| dfa.accepting[*node as usize];
        let pairs = nodes
            .iter()
            .flat_map(|one| nodes.iter().map(move |other| (one, other)));
        let holds = pairs.map(|(one, other)| !accepting(one) || accepting(other));
        let holds = holds.collect();
        let mut found = Inclusion {
            dfa,
            nodes,
            place,
            holds,
        };
        loop {
            let mut removed = false;
            for one in 0..found.nodes.len() {
                limits.check_time()?;
                for other in 0..found.nodes.len() {
                    let at = one * found.nodes.len() + other;
                    if found.holds[at]
                        && !found.holds_after_letter(found.nodes[one], found.nodes[other], 0)
                    {
                        found.holds[at] = false;
                        removed = true;
                    }
                }
            }
            if !removed {
                return Ok(found);
            }
        }
    }

    /// Whether the relation holds for every pair that the rest of a letter, from
    /// `level` on, leads to.
    fn holds_after_letter(&self, one: u32, other: u32, level: usize) -> bool {
        let dfa = self.dfa;
        (0..dfa.radix).all(|digit| {
            let (one, other) = (dfa.after(one, digit), dfa.after(other, digit));
            if level + 1 == dfa.heaps {
                self.holds(one, other)
            } else {
                one == other
                    || one == NOTHING
                    || other == EVERYTHING
                    || one != EVERYTHING
                        && other != NOTHING
                        && self.holds_after_letter(one, other, level + 1)
            }
        })
    }

    /// Whether every word accepted from the node `one` of level 0 is known to be
    /// accepted from `other`.
    pub fn holds(&self, one: u32, other: u32) -> bool {
        if one == other || one == NOTHING || other == EVERYTHING {
            return true;
        }
        let place = |node: u32| {
            self.place
                .get(node as usize)
                .filter(|at| **at != usize::MAX)
        };
        match (place(one), place(other)) {
            (Some(one), Some(other)) => self.holds[one * self.nodes.len() + other],
            _ => false,
        }
    }
}
