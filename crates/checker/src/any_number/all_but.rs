//! The searches where the number of heaps is left open, and a move may change all but a few of
//! them, each by itself.
//!
//! The heaps are counted by their kinds: the class before and after the move, and the state of
//! the table of moves if the heap has changed. No heap is followed alone.

use super::columns::{MOST_NODES, reduced};
use super::reading::{Counted, Sum};
use super::tables::Table;
use crate::VerifyError;
use crate::expression::unsupported;
use nimrule_limits::{Limits, Steps};
use std::collections::{BTreeMap, BTreeSet};

/// The claim and the moves.
pub struct AllBut<'c> {
    pub counted: &'c Counted,
    /// The moves of one heap.
    pub moves: &'c Table,
    /// The number of heaps that a move does not change at least.
    pub alone: usize,
    /// The smallest number of heaps.
    pub least: usize,
    pub is_misere: bool,
    /// The number of last columns that are announced.
    pub last: u8,
    pub limits: &'c Limits,
}

/// What the digits so far tell of a heap: its classes before and after the move, and the state
/// of the table if they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    classes: [usize; 2],
    mover: Option<usize>,
}

/// What some columns determine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    /// The columns to come, or `last` if none has been announced.
    left: u8,
    heaps: BTreeMap<Kind, u32>,
    /// The sums before and after the move; `None` if that position is outside for certain.
    sums: [Option<Vec<u32>>; 2],
    /// Whether all digits before the move have been 0.
    is_empty: bool,
}

/// A part of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Column {
    /// The sums of the digits before and after the move, modulo the period of digits.
    totals: [u32; 2],
    /// The digit that occurs, by bit; `SEVERAL` if there are several, or if only 0 matters.
    digits: [u32; 2],
    heaps: BTreeMap<Kind, u32>,
}

/// The bits of several digits.
const SEVERAL: u32 = u32::MAX;

/// So many heaps of a kind, with the digits before and after the move.
type Part = (Kind, u32, [u8; 2]);

/// The digits of a column before the move: how many heaps of which kind have which.
type OldColumn = Vec<(Kind, u32, u8)>;

impl AllBut<'_> {
    /// Numbers are exact below this.
    fn threshold(&self) -> u32 {
        self.counted.threshold.max(self.alone as u32)
    }

    fn reduced(&self, number: u32) -> u32 {
        reduced(number, self.threshold(), self.counted.period)
    }

    fn starts(&self) -> BTreeSet<Node> {
        let sums = self.counted.sums.iter();
        let sums: Vec<u32> = sums
            .map(|sum| u32::from(matches!(sum, Sum::Digits { .. } | Sum::Same)))
            .collect();
        let unread = Kind {
            classes: [0, 0],
            mover: None,
        };
        let threshold = self.threshold();
        // Larger numbers act as those from the threshold on, all of which occur.
        let least = u32::try_from(self.least).unwrap_or(u32::MAX).min(threshold);
        (least..threshold + self.counted.period)
            .map(|number| Node {
                left: self.last,
                heaps: BTreeMap::from([(unread, number)]),
                sums: [Some(sums.clone()), Some(sums.clone())],
                is_empty: true,
            })
            .collect()
    }

    /// The kind of a heap after these digits; `None` if no move changes it so.
    fn next(&self, kind: Kind, [old, new]: [u8; 2]) -> Option<Kind> {
        let mover = match kind.mover {
            None if old == new => None,
            mover => Some(
                self.moves
                    .after(mover.unwrap_or(self.moves.start), [(old, new)]),
            ),
        };
        let class =
            |side: usize, digit: u8| self.counted.next[kind.classes[side]][usize::from(digit)];
        let is_possible = mover.is_none_or(|at| self.moves.is_open[at]);
        is_possible.then(|| Kind {
            classes: [class(0, old), class(1, new)],
            mover,
        })
    }

    fn add(&self, column: &mut Column, (kind, number, digits): Part) {
        if let (Some(next), true) = (self.next(kind, digits), number > 0) {
            let matters = self.counted.sums.iter().any(|sum| matches!(sum, Sum::Same));
            for (side, digit) in digits.into_iter().enumerate() {
                let total = column.totals[side] + u32::from(digit) * number;
                column.totals[side] = total % self.counted.digit_period;
                let digit_bit = 1 << if matters { digit } else { digit.min(1) };
                column.digits[side] = match column.digits[side] | digit_bit {
                    one if one.is_power_of_two() && (matters || one == 1) => one,
                    _ => SEVERAL,
                };
            }
            let there = column.heaps.entry(next).or_default();
            *there = self.reduced(*there + number);
        }
    }

    fn truth(&self, node: &Node, side: usize, at_end: bool) -> Option<bool> {
        let Some(sums) = &node.sums[side] else {
            return Some(false);
        };
        let number = |class: usize| {
            let there = node
                .heaps
                .iter()
                .filter(|(kind, _)| kind.classes[side] == class);
            self.reduced(there.map(|(_, number)| *number).sum())
        };
        self.counted
            .truth(&self.counted.tree, sums, &number, at_end)
    }

    /// The node after a column.
    fn after(&self, node: &Node, left: u8, column: Column) -> Node {
        let sums = |side: usize| {
            let total = column.totals[side];
            let values = self.counted.sums.iter().zip(node.sums[side].as_ref()?);
            let values = values.map(|(sum, so_far)| match sum {
                Sum::Digits { modulus, places } => {
                    let place = (left < self.last).then(|| places.get(usize::from(left)));
                    let wanted = place.flatten().copied().unwrap_or(0);
                    u32::from(*so_far == 1 && total % modulus == wanted)
                }
                Sum::Same => u32::from(*so_far == 1 && column.digits[side].is_power_of_two()),
                Sum::Total(accepted) => {
                    (so_far * u32::from(self.counted.base) + total) % accepted.len() as u32
                }
                Sum::Tally { .. } => 0,
            });
            Some(values.collect())
        };
        let mut after = Node {
            left,
            sums: [sums(0), sums(1)],
            is_empty: node.is_empty && column.digits[0] <= 1,
            heaps: column.heaps,
        };
        let outside = [0, 1].map(|side| self.truth(&after, side, false) == Some(false));
        let mut heaps: BTreeMap<Kind, u32> = BTreeMap::new();
        for (mut kind, number) in std::mem::take(&mut after.heaps) {
            for (class, is_outside) in kind.classes.iter_mut().zip(outside) {
                if is_outside {
                    *class = 0;
                }
            }
            if outside[1] {
                kind.mover = None;
            }
            let there = heaps.entry(kind).or_default();
            *there = self.reduced(*there + number);
        }
        after.heaps = heaps;
        for (sums, is_outside) in after.sums.iter_mut().zip(outside) {
            if is_outside {
                *sums = None;
            }
        }
        after
    }

    fn was_in_set(&self, node: &Node) -> bool {
        self.truth(node, 0, true) == Some(true)
    }

    fn is_move_into_set(&self, node: &Node) -> bool {
        let is_stopped = |kind: &Kind| kind.mover.is_some_and(|at| !self.moves.accepts[at]);
        let same = node.heaps.iter().filter(|(kind, _)| kind.mover.is_none());
        let same: u32 = same.map(|(_, number)| *number).sum();
        same >= self.alone as u32
            && node.heaps.keys().any(|kind| kind.mover.is_some())
            && !node.heaps.keys().any(is_stopped)
            && self.truth(node, 1, true) == Some(true)
    }

    fn lefts(&self, node: &Node) -> Vec<u8> {
        let mut all = vec![node.left - 1];
        all.extend(Some(node.left).filter(|left| *left == self.last));
        all
    }

    /// Whether a position without tokens is in the set.
    pub fn has_empty(&self) -> bool {
        self.starts().into_iter().any(|mut node| {
            while node.left > 0 {
                let mut column = Column::default();
                for (kind, number) in &node.heaps {
                    self.add(&mut column, (*kind, *number, [0, 0]));
                }
                node = self.after(&node, node.left - 1, column);
            }
            self.was_in_set(&node)
        })
    }

    /// All columns that continue one of some columns by so many heaps of one kind, which may have
    /// these digits. `put` puts some heaps with one of them into a column.
    fn continued<C: Ord + Clone, D: Copy>(
        &self,
        columns: BTreeSet<C>,
        heaps: u32,
        digits: &[D],
        put: impl Fn(&mut C, u32, D),
    ) -> Result<BTreeSet<C>, VerifyError> {
        let values = self.threshold() + self.counted.digit_period;
        // With how many heaps a column has been continued so far.
        let mut parts: BTreeSet<(u32, C)> = columns.into_iter().map(|of| (0, of)).collect();
        for digit in digits {
            let mut more = BTreeSet::new();
            for (there, column) in &parts {
                self.limits.check_work(Steps(1))?;
                for share in 0..values {
                    let there = self.reduced(there + share);
                    let is_small = there <= heaps || heaps >= self.threshold();
                    if is_small {
                        let mut column = column.clone();
                        put(&mut column, share, *digit);
                        more.insert((there, column));
                    }
                }
                check_size(more.len())?;
            }
            parts = more;
        }
        parts.retain(|(there, _)| *there == heaps);
        Ok(parts.into_iter().map(|(_, column)| column).collect())
    }

    /// Whether no move leads from the set into the set: the number of nodes.
    pub fn independent(&self) -> Result<Option<usize>, VerifyError> {
        let mut seen = self.starts();
        let mut open: Vec<Node> = seen.iter().cloned().collect();
        let base = self.counted.base;
        let pairs = (0..base).flat_map(|old| (0..base).map(move |new| [old, new]));
        let pairs: Vec<[u8; 2]> = pairs.collect();
        while let Some(node) = open.pop() {
            if node.left == 0 {
                if self.was_in_set(&node) && self.is_move_into_set(&node) {
                    return Ok(None);
                }
                continue;
            }
            let mut columns = BTreeSet::from([Column::default()]);
            for (kind, number) in &node.heaps {
                let pairs = pairs
                    .iter()
                    .filter(|both| self.next(*kind, **both).is_some());
                let pairs: Vec<[u8; 2]> = pairs.copied().collect();
                columns = self.continued(columns, *number, &pairs, |column, share, both| {
                    self.add(column, (*kind, share, both));
                })?;
            }
            for column in columns {
                self.limits.check_work(Steps(1))?;
                for left in self.lefts(&node) {
                    let next = self.after(&node, left, column.clone());
                    let is_possible = next.sums.iter().all(Option::is_some);
                    if is_possible && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            check_size(seen.len())?;
        }
        Ok(Some(seen.len()))
    }

    /// Whether a strategy finds a move into the set from every position outside: the number of
    /// nodes that it reaches. Heaps of a kind with the same old digit get the same new digit,
    /// but for a few heaps of one kind and digit.
    pub fn absorbing(&self) -> Result<Option<usize>, VerifyError> {
        let mut nodes: Vec<Node> = self.starts().into_iter().collect();
        let roots = nodes.len();
        let mut index: BTreeMap<Node, usize> = (nodes.iter().cloned()).zip(0..).collect();
        let mut lost = vec![false; roots];
        let mut chosen: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); roots];
        // Nodes are examined again until none of those that they choose is lost.
        let mut open: Vec<usize> = (0..roots).collect();
        while let Some(at) = open.pop() {
            if lost[at] {
                continue;
            }
            let node = nodes[at].clone();
            chosen[at].clear();
            if node.left == 0 {
                let is_terminal = self.is_misere && node.is_empty;
                lost[at] = !(is_terminal || self.was_in_set(&node) || self.is_move_into_set(&node));
            } else {
                'columns: for old in self.old_columns(&node)? {
                    for left in self.lefts(&node) {
                        self.limits.check_work(Steps(1))?;
                        let mut first = None;
                        let mut known = None;
                        for nexts in self.answers(&node, left, &old)? {
                            let is_lost = |next: &Node| {
                                let is_hopeless = next.sums == [None, None] && !next.is_empty;
                                is_hopeless || index.get(next).is_some_and(|at| lost[*at])
                            };
                            if nexts.iter().any(is_lost) {
                                continue;
                            }
                            if nexts.iter().all(|next| index.contains_key(next)) {
                                known = Some(nexts);
                                break;
                            }
                            first = first.or(Some(nexts));
                        }
                        let Some(nexts) = known.or(first) else {
                            lost[at] = true;
                            break 'columns;
                        };
                        for next in nexts {
                            let place = *index.entry(next.clone()).or_insert_with(|| {
                                nodes.push(next);
                                lost.push(false);
                                chosen.push(BTreeSet::new());
                                open.push(nodes.len() - 1);
                                nodes.len() - 1
                            });
                            chosen[at].insert(place);
                        }
                    }
                }
            }
            if lost[at] {
                let users = (0..nodes.len()).filter(|user| chosen[*user].contains(&at));
                open.extend(users);
            }
            if lost[..roots].contains(&true) {
                return Ok(None);
            }
            check_size(nodes.len())?;
        }
        let mut reached: BTreeSet<usize> = (0..roots).collect();
        let mut open: Vec<usize> = (0..roots).collect();
        while let Some(at) = open.pop() {
            open.extend(chosen[at].iter().filter(|next| reached.insert(**next)));
        }
        Ok(Some(reached.len()))
    }

    /// The digits of a column before the move: how many heaps of each kind have which.
    fn old_columns(&self, node: &Node) -> Result<BTreeSet<OldColumn>, VerifyError> {
        let digits: Vec<u8> = (0..self.counted.base).collect();
        let mut all = BTreeSet::from([OldColumn::new()]);
        for (kind, number) in &node.heaps {
            all = self.continued(all, *number, &digits, |column, share, digit| {
                if share > 0 {
                    column.push((*kind, share, digit));
                }
            })?;
        }
        Ok(all)
    }

    /// The nodes that may come for each choice of new digits.
    fn answers(
        &self,
        node: &Node,
        left: u8,
        old: &OldColumn,
    ) -> Result<Vec<Vec<Node>>, VerifyError> {
        let made = |parts: &[Part]| {
            let mut column = Column::default();
            parts.iter().for_each(|part| self.add(&mut column, *part));
            self.after(node, left, column)
        };
        if node.sums[1].is_none() {
            let same: Vec<Part> = old
                .iter()
                .map(|(k, n, digit)| (*k, *n, [*digit; 2]))
                .collect();
            return Ok(vec![vec![made(&same)]]);
        }
        let mut choices: Vec<Vec<Part>> = vec![Vec::new()];
        for (kind, number, digit) in old {
            let new = (0..self.counted.base).map(|new| [*digit, new]);
            let new: Vec<[u8; 2]> = new
                .filter(|both| self.next(*kind, *both).is_some())
                .collect();
            let longer = choices.iter().flat_map(|parts| {
                new.iter()
                    .map(|both| [parts.as_slice(), &[(*kind, *number, *both)]].concat())
            });
            choices = longer.collect();
            check_size(choices.len())?;
        }
        let mut answers: Vec<Vec<Node>> = choices.iter().map(|parts| vec![made(parts)]).collect();
        for parts in &choices {
            self.limits.check_work(Steps(1))?;
            for (place, (kind, number, [old, new])) in parts.iter().enumerate() {
                for other in (0..self.counted.base).filter(|other| other != new) {
                    if self.next(*kind, [*old, other]).is_none() {
                        continue;
                    }
                    for few in 1..=self.alone as u32 {
                        let rests = self.rests(*number, few);
                        let nexts = rests.iter().map(|rest| {
                            let mut parts = parts.clone();
                            parts[place].1 = *rest;
                            parts.push((*kind, few, [*old, other]));
                            made(&parts)
                        });
                        let nexts: Vec<Node> = nexts.collect();
                        if !nexts.is_empty() {
                            answers.push(nexts);
                        }
                    }
                }
            }
        }
        Ok(answers)
    }

    /// What may be left of so many heaps without a few; nothing if there may not be so many.
    fn rests(&self, number: u32, few: u32) -> Vec<u32> {
        if number < few {
            return Vec::new();
        }
        let (threshold, period) = (self.threshold(), self.counted.digit_period);
        let mut rests = vec![reduced(number - few, threshold, period)];
        if number >= threshold {
            // It stands for all larger numbers with the same remainder.
            let larger = (1..=few).map(|times| number + times * period - few);
            rests.extend(larger.map(|rest| reduced(rest, threshold, period)));
        }
        rests.sort_unstable();
        rests.dedup();
        rests
    }
}

fn check_size(nodes: usize) -> Result<(), VerifyError> {
    match nodes > MOST_NODES {
        true => Ok(unsupported("this many cases of columns", (0, 0).into())?),
        false => Ok(()),
    }
}
