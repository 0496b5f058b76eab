//! That a set is that of the P-positions, by the partition theorem.
//!
//! Two searches, both over digits, heap after heap. In the first a position of
//! the set is followed with the ways that lead from it and the option beside
//! it: none may end in the set. In the second a position is followed with all
//! ways and all options at once, which is a *macro-state*: wherever a number
//! ends, the position is in the set, or some way has led into it. (In misere
//! play it may have no move instead, and in the set it must have one.)

use super::machine::{Machine, Stand, Stands};
use super::{Atom, Variable, Way};
use crate::automata::Numeration;
use crate::automata::interner::Interner;
use crate::automata::levelled::{ACCEPT, LevelledDfa, REJECT};
use crate::automata::memo::Memo;
use crate::limits::{Limits, Met};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a set is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("its set is not one of positions")]
    Malformed,
    #[error("the rule's powers are not told in these digits")]
    Powers,
    #[error("a move leads from the set into it")]
    Within,
    #[error("a position without a move is in the set, in misere play")]
    Stuck,
    #[error("a position outside the set has no move into it")]
    Uncovered,
    #[error(transparent)]
    Met(#[from] Met),
}

/// What the searches came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The macro-states between letters.
    pub macro_states: usize,
}

/// Checks that the set is that of the P-positions of the rule with these ways.
pub fn verify(
    ways: &[Way],
    heaps: usize,
    misere: bool,
    numeration: Numeration,
    set: &LevelledDfa,
    limits: &Limits,
) -> Result<Verified, Refused> {
    let fits = set.tracks == heaps && set.base == numeration.radix() && (1..=32).contains(&heaps);
    if !fits || !crate::prove::hypergraph_nim::is_diagram(set, heaps, set.base) {
        return Err(Refused::Malformed);
    }
    let zeros = (0..heaps).fold(set.starts[0], |node, _| set.after(node, 0));
    if zeros != set.starts[0] || numeration == Numeration::Zeckendorf && !writes_numbers(set) {
        return Err(Refused::Malformed);
    }
    let told = |atom: &Atom| match atom {
        Atom::Power(of, _) => Machine::can_tell(numeration, *of),
        _ => true,
    };
    if !ways.iter().all(|way| way.atoms.iter().all(told)) {
        return Err(Refused::Powers);
    }
    let mut search = Search {
        set,
        machines: ways
            .iter()
            .map(|way| Machine::new(way, numeration))
            .collect(),
        numeration,
        misere,
        elements: Interner::new(),
        stepped: Memo::default(),
        after: Vec::new(),
    };
    if search.moves_within(limits)? {
        return Err(Refused::Within);
    }
    let macro_states = search.covers(limits)?;
    Ok(Verified { macro_states })
}

/// Whether no word with two ones side by side is accepted.
fn writes_numbers(set: &LevelledDfa) -> bool {
    let mut seen = Memo::default();
    let mut waiting = vec![(set.starts[0], 0u32, 0usize)];
    while let Some((node, ones, level)) = waiting.pop() {
        for digit in 0..2 {
            let to = set.after(node, digit);
            let bit = 1u32 << level;
            if digit == 1 && ones & bit != 0 {
                if to != REJECT {
                    return false;
                }
                continue;
            }
            let ones = if digit == 1 { ones | bit } else { ones & !bit };
            let next = (to, ones, (level + 1) % set.tracks);
            if to != REJECT && seen.add(next) {
                waiting.push(next);
            }
        }
    }
    true
}

/// What a way is followed for.
const INTO: u32 = 0;
/// Whatever it leads to.
const ANYWHERE: u32 = 1;

/// In place of a way: some way leads somewhere, whatever comes.
const SURELY: usize = u32::MAX as usize;

/// Some way, in the middle of the digits, with an option beside it.
struct Element {
    level: usize,
    aim: u32,
    way: usize,
    /// Where the option has come to in the set.
    node: u32,
    stands: Stands,
}

impl Element {
    fn written(&self) -> Vec<u32> {
        let mut list = vec![self.level as u32, self.aim, self.way as u32, self.node];
        for stand in &self.stands {
            list.extend(match stand {
                // Sums are kept small: what grows is settled.
                Stand::Sum(sum, low) => [0, *sum as i32 as u32, *low as i32 as u32],
                Stand::Settled => [1, 0, 0],
                Stand::NoPower => [2, 0, 0],
            });
        }
        list
    }

    fn read(list: &[u32]) -> Element {
        let stands = list[4..].chunks_exact(3).map(|stand| match stand[0] {
            0 => Stand::Sum((stand[1] as i32).into(), (stand[2] as i32).into()),
            1 => Stand::Settled,
            _ => Stand::NoPower,
        });
        Element {
            level: list[0] as usize,
            aim: list[1],
            way: list[2] as usize,
            node: list[3],
            stands: stands.collect(),
        }
    }
}

struct Search<'s> {
    set: &'s LevelledDfa,
    machines: Vec<Machine<'s>>,
    numeration: Numeration,
    misere: bool,
    elements: Interner,
    /// What an element becomes with a digit: where that stands in `after`.
    stepped: Memo<(u32, u8), (u32, u32)>,
    after: Vec<u32>,
}

impl Search<'_> {
    fn starts(&mut self, aim: u32) -> Vec<u32> {
        let node = if aim == INTO {
            self.set.starts[0]
        } else {
            ACCEPT
        };
        (0..self.machines.len())
            .map(|way| {
                let element = Element {
                    level: 0,
                    aim,
                    way,
                    node,
                    stands: self.machines[way].start(),
                };
                self.elements.insert(&element.written()).0
            })
            .collect()
    }

    fn bytes(&self) -> usize {
        self.elements.bytes() + self.stepped.bytes() + 4 * self.after.capacity()
    }

    /// What an element may become when the next heap of the position has this
    /// digit.
    fn step(&mut self, element: u32, digit: u8) -> (u32, u32) {
        if let Some(known) = self.stepped.get(&(element, digit)) {
            return *known;
        }
        let mut from = Element::read(self.elements.get(element));
        if from.way == SURELY {
            from.level = (from.level + 1) % self.set.tracks;
            let to = self.elements.insert(&from.written()).0;
            let place = (self.after.len() as u32, 1);
            self.after.push(to);
            self.stepped.insert((element, digit), place);
            return place;
        }
        let machine = &self.machines[from.way];
        let heap = from.level;
        if heap == 0 {
            machine.begin(&mut from.stands);
        }
        let mut open = Vec::new();
        if machine.feed(&mut from.stands, Variable::Before(heap), digit) {
            let mut digits = 0..self.set.base as u8;
            let is_touched = machine.way.touched.contains(&heap);
            if !is_touched {
                digits = digit..digit + 1;
            }
            for behind in digits {
                let node = self.set.after(from.node, usize::from(behind));
                let mut stands = from.stands.clone();
                let fits = !is_touched || machine.feed(&mut stands, Variable::After(heap), behind);
                if fits && node != REJECT {
                    open.push((node, stands));
                }
            }
        }
        let level = (heap + 1) % self.set.tracks;
        if level == 0 {
            for index in 0..machine.way.beside {
                let mut wider = Vec::new();
                for (node, stands) in &open {
                    for digit in 0..self.set.base as u8 {
                        let mut stands = stands.clone();
                        if machine.feed(&mut stands, Variable::Beside(index), digit) {
                            wider.push((*node, stands));
                        }
                    }
                }
                open = wider;
            }
            open.retain_mut(|(_, stands)| machine.end(stands));
        }
        let mut found: Vec<u32> = open
            .into_iter()
            .map(|(node, stands)| {
                let to = Element {
                    level,
                    node,
                    stands,
                    ..from
                };
                self.elements.insert(&to.written()).0
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        let place = (self.after.len() as u32, found.len() as u32);
        self.after.extend(found);
        self.stepped.insert((element, digit), place);
        place
    }

    /// Has the element come to an option, and if it was to, in the set?
    fn arrives(&self, element: u32) -> bool {
        let element = Element::read(self.elements.get(element));
        element.way == SURELY
            || self.set.accepting[element.node as usize]
                && self.machines[element.way].accepts(&element.stands)
    }

    /// Whether a move leads from the set into it.
    fn moves_within(&mut self, limits: &Limits) -> Result<bool, Met> {
        let mut seen = Memo::default();
        let mut waiting: Vec<(u32, u32, usize)> = self
            .starts(INTO)
            .into_iter()
            .map(|element| (self.set.starts[0], element, 0))
            .collect();
        let mut count = 0_u32;
        while let Some((node, element, level)) = waiting.pop() {
            count = count.wrapping_add(1);
            if count & 0xfff == 0 {
                limits.within_time()?;
                limits.within_memory((seen.bytes() + self.bytes()) as u128)?;
            }
            if level == 0 && self.set.accepting[node as usize] && self.arrives(element) {
                return Ok(true);
            }
            for digit in 0..self.set.base as u8 {
                let to = self.set.after(node, usize::from(digit));
                if to == REJECT {
                    continue;
                }
                let (first, count) = self.step(element, digit);
                for place in first..first + count {
                    let next = (
                        to,
                        self.after[place as usize],
                        (level + 1) % self.set.tracks,
                    );
                    if seen.add(next) {
                        waiting.push(next);
                    }
                }
            }
        }
        Ok(false)
    }

    /// All elements after a digit.
    fn all_after(&mut self, elements: &[u32], digit: u8) -> Vec<u32> {
        let mut found = Vec::new();
        for element in elements {
            let (first, count) = self.step(*element, digit);
            let (first, count) = (first as usize, count as usize);
            found.extend_from_slice(&self.after[first..first + count]);
        }
        found.sort_unstable();
        found.dedup();
        self.largest(found)
    }

    /// The elements without those that others say more than: these accept
    /// whatever they do, so that together they accept the same.
    fn largest(&mut self, mut elements: Vec<u32>) -> Vec<u32> {
        let read = |id: &u32| Element::read(self.elements.get(*id));
        let moves = |element: &Element| {
            let settled = |stand: &Stand| *stand == Stand::Settled;
            element.aim == ANYWHERE && (element.way == SURELY || element.stands.iter().all(settled))
        };
        if let Some(mut sure) = elements.iter().map(read).find(moves) {
            elements.retain(|id| self.elements.get(*id)[1] == INTO);
            (sure.way, sure.stands) = (SURELY, Vec::new());
            elements.push(self.elements.insert(&sure.written()).0);
        }
        let read = |id: &u32| Element::read(self.elements.get(*id));
        let mut kept = Vec::with_capacity(elements.len());
        let mut groups: BTreeMap<(usize, u32, u32), Vec<(u32, Element)>> = BTreeMap::new();
        for id in &elements {
            let element = read(id);
            let group = (element.way, element.aim, element.node);
            groups.entry(group).or_default().push((*id, element));
        }
        for group in groups.values() {
            for (id, element) in group {
                let is_less = group.iter().any(|(other, more)| {
                    other != id
                        && self.machines[element.way].says_no_more(&element.stands, &more.stands)
                });
                if !is_less {
                    kept.push(*id);
                }
            }
        }
        kept.sort_unstable();
        kept
    }

    /// The elements before any digit but zeros: an option may have more digits
    /// than the position.
    fn beginnings(&mut self, limits: &Limits) -> Result<Vec<u32>, Met> {
        let mut all = self.starts(INTO);
        if self.misere {
            all.extend(self.starts(ANYWHERE));
        }
        loop {
            limits.within_time()?;
            let mut more = all.clone();
            for _ in 0..self.set.tracks {
                more = self.all_after(&more, 0);
            }
            more.extend_from_slice(&all);
            more.sort_unstable();
            more.dedup();
            if more.len() == all.len() {
                return Ok(more);
            }
            all = more;
        }
    }

    /// Follows all macro-states but for those that accept more than another in
    /// their place, and says how many there are.
    fn covers(&mut self, limits: &Limits) -> Result<usize, Refused> {
        // The node in the set, the heaps whose last digit is a one where that
        // matters, the level, and the elements.
        let mut tuples = Interner::new();
        let mut tuple = vec![self.set.starts[0], 0, 0];
        tuple.extend(self.beginnings(limits)?);
        tuples.insert(&tuple);
        let mut lesser: BTreeMap<(u32, u32), Vec<Vec<u32>>> = BTreeMap::new();
        let mut between = 0;
        let mut index = 0;
        while (index as usize) < tuples.len() {
            if index & 0xff == 0 {
                limits.within_time()?;
                limits.within_memory((tuples.bytes() + self.bytes()) as u128)?;
            }
            tuple.clear();
            tuple.extend_from_slice(tuples.get(index));
            index += 1;
            let (node, ones, level) = (tuple[0], tuple[1], tuple[2] as usize);
            if level == 0 {
                between += 1;
                self.check(node, &tuple[3..])?;
            }
            for digit in 0..self.set.base as u8 {
                let bit = 1u32 << level;
                let ones = match (self.numeration, digit) {
                    (Numeration::Base(_), _) => 0,
                    // Two ones side by side write no number.
                    (Numeration::Zeckendorf, 1) if ones & bit != 0 => continue,
                    (Numeration::Zeckendorf, 1) => ones | bit,
                    (Numeration::Zeckendorf, _) => ones & !bit,
                };
                let node = self.set.after(node, usize::from(digit));
                if node == ACCEPT && !self.misere {
                    continue;
                }
                let mut to = vec![node, ones, ((level + 1) % self.set.tracks) as u32];
                to.extend(self.all_after(&tuple[3..], digit));
                if to[2] != 0 {
                    tuples.insert(&to);
                    continue;
                }
                // What accepts less and is covered covers this one too.
                let others = lesser.entry((node, ones)).or_default();
                if !others.iter().any(|other| self.is_within(other, &to[3..])) {
                    tuples.insert(&to);
                    others.push(to.split_off(3));
                }
            }
        }
        Ok(between)
    }

    /// Does each of these elements accept no more than one of the others? Those
    /// that may go anywhere have to be the same.
    fn is_within(&self, less: &[u32], more: &[u32]) -> bool {
        let aim = |id: &u32| self.elements.get(*id)[1];
        let anywhere = |all: &[u32]| all.iter().filter(|id| aim(id) == ANYWHERE).count();
        if self.misere && anywhere(less) != anywhere(more) {
            return false;
        }
        less.iter().all(|id| {
            if more.binary_search(id).is_ok() {
                return true;
            }
            let own = self.elements.get(*id);
            own[1] == INTO
                && more.iter().any(|other| {
                    let other = self.elements.get(*other);
                    own[..4] == other[..4] && {
                        let (own, other) = (Element::read(own), Element::read(other));
                        let machine = &self.machines[own.way];
                        machine.says_no_more(&own.stands, &other.stands)
                    }
                })
        })
    }

    /// Whether a position that ends here is as it should be.
    fn check(&self, node: u32, elements: &[u32]) -> Result<(), Refused> {
        let arrives = |aim: u32| {
            let mut own = elements.iter().filter(|e| self.elements.get(**e)[1] == aim);
            own.any(|element| self.arrives(*element))
        };
        let movable = !self.misere || arrives(ANYWHERE);
        match self.set.accepting[node as usize] {
            true if !movable => Err(Refused::Stuck),
            false if movable && !arrives(INTO) => Err(Refused::Uncovered),
            _ => Ok(()),
        }
    }
}
