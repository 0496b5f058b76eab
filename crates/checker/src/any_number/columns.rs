//! The searches over columns: one digit of every heap, the most significant first.

use super::reading::{Counted, Sum};
use super::tables::Table;
use crate::VerifyError;
use crate::expression::unsupported;
use nimrule_limits::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// The claim and the moves.
pub struct Columns<'c> {
    pub counted: &'c Counted,
    pub moves: &'c Table,
    /// The most heaps that a move changes.
    pub heaps: usize,
    pub is_misere: bool,
    /// The number of last columns that are announced.
    pub last: u8,
    pub limits: &'c Limits,
}

/// What some columns determine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    /// The columns to come, or `last` if none has been announced.
    left: u8,
    /// For each class the number of heaps that stay; 0 if it does not matter.
    stay: Vec<u32>,
    /// For each sum of digits or sizes its value, before and after the move: of digits 1 if
    /// they have been right. Empty before the move if that position is outside for certain.
    sums: [Vec<u32>; 2],
    /// The classes of each heap that changes, before and after.
    change: Vec<[usize; 2]>,
    mover: usize,
    /// Whether all digits have been 0, in misère play.
    is_empty: bool,
}

/// The numbers of the heaps of a column: class, digit, number.
type Column = Vec<(usize, u8, u32)>;

/// The heaps that begin to change: the index in the column, and the new digit.
type Begin = Vec<(usize, u8)>;

/// What some columns determine, with all ways to change the heaps that a strategy follows. The
/// position before the move is the same in all nodes.
type Ways = BTreeSet<Node>;

/// The most nodes of a search.
pub const MOST_NODES: usize = 200_000;

pub fn reduced(number: u32, threshold: u32, period: u32) -> u32 {
    if number < threshold {
        return number;
    }
    threshold + (number - threshold) % period
}

impl Columns<'_> {
    fn start(&self) -> Node {
        let sums: Vec<u32> = (self.counted.sums.iter())
            .map(|sum| u32::from(matches!(sum, Sum::Digits { .. })))
            .collect();
        Node {
            left: self.last,
            stay: vec![0; self.counted.next.len()],
            sums: [sums.clone(), sums],
            change: Vec::new(),
            mover: self.moves.start,
            is_empty: self.is_misere,
        }
    }

    /// Numbers of heaps that stay are exact below this, if so many change.
    fn threshold(&self, change: usize) -> u32 {
        self.counted.threshold + (self.heaps - change) as u32
    }

    /// The truth of the claim for what has been read, before (0) or after (1) the move: at the
    /// end, or for certain whatever follows.
    fn truth(&self, node: &Node, side: usize, at_end: bool) -> Option<bool> {
        let number = |class: usize| {
            let change = node.change.iter().filter(|both| both[side] == class);
            let all = node.stay[class] + change.count() as u32;
            reduced(all, self.counted.threshold, self.counted.period)
        };
        let tree = &self.counted.tree;
        self.counted.truth(tree, &node.sums[side], &number, at_end)
    }

    /// The columns that may come if these heaps stay and so many change.
    fn columns(&self, node: &Node) -> Vec<Column> {
        let threshold = self.threshold(node.change.len());
        let values = threshold + self.counted.digit_period;
        let mut all: Vec<Column> = vec![Vec::new()];
        for class in 0..self.counted.next.len() {
            let matters = self.counted.matters[class];
            let first = u8::from(!matters);
            let mut open: Vec<(Column, u32)> = all.into_iter().map(|column| (column, 0)).collect();
            for digit in first..self.counted.base {
                let mut longer = Vec::new();
                for (column, so_far) in &open {
                    for number in 0..values {
                        let mut column = column.clone();
                        column.push((class, digit, number));
                        let sum = reduced(so_far + number, threshold, self.counted.period);
                        longer.push((column, sum));
                    }
                }
                open = longer;
            }
            let fits = |(_, sum): &(Column, u32)| !matters || *sum == node.stay[class];
            // Of columns with the same effect one is enough.
            let mut kept = BTreeMap::new();
            for (column, _) in open.into_iter().filter(fits) {
                let effect = self.effect(&column, node.change.len());
                kept.entry(effect).or_insert(column);
            }
            all = kept.into_values().collect();
        }
        all
    }

    /// What of a column matters: how many heaps may begin to change, the heaps that stay by
    /// class, and the sum of the digits.
    fn effect(&self, column: &Column, change: usize) -> (Vec<u32>, Vec<u32>, u32, bool) {
        let counted = self.counted;
        let most = (self.heaps - change) as u32;
        let free = column.iter().map(|(_, _, number)| most.min(*number));
        let mut stay = vec![0; counted.next.len()];
        let mut digits = 0_u32;
        for (class, digit, number) in column {
            let after = counted.next[*class][usize::from(*digit)];
            let sum = stay[after] + number;
            stay[after] = reduced(sum, self.threshold(change), counted.period);
            digits += u32::from(*digit) * number;
        }
        let rest = digits % counted.digit_period;
        (free.collect(), stay, rest, digits == 0)
    }

    /// All choices of heaps of a column, by index: those that begin to change or are followed.
    fn selections(&self, column: &Column, most: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        let mut shorter = all.clone();
        for _ in 0..most {
            let mut longer = Vec::new();
            for selected in &shorter {
                for (index, (_, _, number)) in column.iter().enumerate() {
                    let taken = selected.iter().filter(|other| **other == index).count() as u32;
                    let ordered = selected.last().is_none_or(|last| *last <= index);
                    if ordered && taken < *number {
                        longer.push([selected.as_slice(), &[index]].concat());
                    }
                }
            }
            all.extend(longer.iter().cloned());
            shorter = longer;
        }
        all
    }

    /// The new digits of selected heaps: all, or all that differ from the old ones.
    fn begins(&self, column: &Column, selected: &[usize], all_differ: bool) -> Vec<Begin> {
        let mut all: Vec<Begin> = vec![Vec::new()];
        for index in selected {
            let old = column[*index].1;
            let new = (0..self.counted.base).filter(|new| !all_differ || *new != old);
            let longer = all.iter().flat_map(|begin| {
                let new = new.clone();
                new.map(move |new| [begin.as_slice(), &[(*index, new)]].concat())
            });
            all = longer.collect();
        }
        all
    }

    /// The node after a column. `old` and `new` are the digits of the heaps that change already.
    fn after(
        &self,
        node: &Node,
        left: u8,
        column: &Column,
        begin: &Begin,
        (old, new): (&[u8], &[u8]),
    ) -> Node {
        let counted = self.counted;
        let next = |class: usize, digit: u8| counted.next[class][usize::from(digit)];
        let mut change = Vec::new();
        let mut letter = Vec::new();
        for (both, (old, new)) in node.change.iter().zip(old.iter().zip(new)) {
            change.push([next(both[0], *old), next(both[1], *new)]);
            letter.push((*old, *new));
        }
        for (index, new) in begin {
            let (class, old, _) = column[*index];
            change.push([next(class, old), next(class, *new)]);
            letter.push((old, *new));
        }
        let threshold = self.threshold(node.change.len());
        let mut stay = vec![0; node.stay.len()];
        let mut digits = 0_u32;
        for (class, digit, number) in column {
            let after = next(*class, *digit);
            if counted.matters[after] {
                stay[after] = reduced(stay[after] + number, threshold, counted.period);
            }
            digits += u32::from(*digit) * number;
        }
        for (index, _) in begin {
            let (class, digit, _) = column[*index];
            let after = next(class, digit);
            if counted.matters[after] {
                stay[after] -= 1;
            }
            digits -= u32::from(digit);
        }
        for number in &mut stay {
            *number = reduced(*number, self.threshold(change.len()), counted.period);
        }
        let sums = |side: usize| -> Vec<u32> {
            let own = letter
                .iter()
                .map(|(old, new)| u32::from(if side == 0 { *old } else { *new }));
            let all = digits + own.sum::<u32>();
            let sums = counted.sums.iter().zip(&node.sums[side]);
            let value = |(sum, so_far): (&Sum, &u32)| match sum {
                Sum::Digits { modulus, places } => {
                    let place = (left < self.last).then(|| places.get(usize::from(left)));
                    let wanted = place.flatten().copied().unwrap_or(0);
                    u32::from(*so_far == 1 && all % modulus == wanted)
                }
                Sum::Total(accepted) => {
                    (so_far * u32::from(counted.base) + all) % accepted.len() as u32
                }
                Sum::Tally { .. } | Sum::Same => 0,
            };
            sums.map(value).collect()
        };
        let mut after = Node {
            left,
            sums: [sums(0), sums(1)],
            is_empty: node.is_empty && digits == 0 && letter.is_empty(),
            mover: self.moves.after(node.mover, &letter),
            stay,
            change,
        };
        let is_outside = node.sums[0].is_empty() && !counted.sums.is_empty();
        if is_outside || self.truth(&after, 0, false) == Some(false) {
            after.sums[0].clear();
            after.change.iter_mut().for_each(|both| both[0] = 0);
        }
        after
    }

    fn is_outside(&self, node: &Node) -> bool {
        node.sums[0].is_empty() && !self.counted.sums.is_empty()
    }

    fn was_in_set(&self, node: &Node) -> bool {
        !self.is_outside(node) && self.truth(node, 0, true) == Some(true)
    }

    fn is_move_into_set(&self, node: &Node) -> bool {
        self.moves.accepts[node.mover] && self.truth(node, 1, true) == Some(true)
    }

    fn is_hopeless(&self, node: &Node) -> bool {
        !self.moves.is_open[node.mover] || self.truth(node, 1, false) == Some(false)
    }

    fn lefts(&self, node: &Node) -> Vec<u8> {
        let mut all = vec![node.left - 1];
        all.extend(Some(node.left).filter(|left| *left == self.last));
        all
    }

    fn digits(&self, heaps: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..heaps {
            let longer = all.iter().flat_map(|digits: &Vec<u8>| {
                (0..self.counted.base).map(|digit| [digits.as_slice(), &[digit]].concat())
            });
            all = longer.collect();
        }
        all
    }

    /// Whether no move leads from the set into the set: the number of nodes.
    pub fn independent(&self) -> Result<Option<usize>, VerifyError> {
        let mut seen = BTreeSet::from([self.start()]);
        let mut open = vec![self.start()];
        while let Some(node) = open.pop() {
            if node.left == 0 {
                if self.was_in_set(&node) && self.is_move_into_set(&node) {
                    return Ok(None);
                }
                continue;
            }
            let digits = self.digits(node.change.len());
            for column in self.columns(&node) {
                let selections = self.selections(&column, self.heaps - node.change.len());
                for ((selected, old), left) in selections
                    .iter()
                    .flat_map(|selected| digits.iter().map(move |old| (selected, old)))
                    .flat_map(|which| self.lefts(&node).into_iter().map(move |left| (which, left)))
                {
                    self.limits.check_time()?;
                    // Whether the position before the move is outside depends on no new digit.
                    let same: Begin = (selected.iter())
                        .map(|index| (*index, column[*index].1))
                        .collect();
                    let before = self.after(&node, left, &column, &same, (old, old));
                    if self.is_outside(&before) {
                        continue;
                    }
                    for (begin, new) in self
                        .begins(&column, selected, true)
                        .iter()
                        .flat_map(|begin| digits.iter().map(move |new| (begin, new)))
                    {
                        let letter = self.letter(&column, begin, (old, new));
                        if !self.moves.is_open[self.moves.after(node.mover, &letter)] {
                            continue;
                        }
                        let next = self.after(&node, left, &column, begin, (old, new));
                        if !self.is_hopeless(&next) && seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
            self.check_size(seen.len())?;
        }
        Ok(Some(seen.len()))
    }

    /// Whether a strategy finds a move into the set from every position outside: the number of
    /// nodes of the strategy. It selects the heaps that may change as the columns come; their new
    /// digits may be left open to the end.
    pub fn absorbing(&self) -> Result<Option<usize>, VerifyError> {
        // A strategy that gives the digits at once has fewer nodes, where there is one.
        match self.strategy(true)? {
            Some(found) => Ok(Some(found)),
            None => self.strategy(false),
        }
    }

    /// A strategy that gives the new digits of a heap at once, or leaves them open.
    fn strategy(&self, at_once: bool) -> Result<Option<usize>, VerifyError> {
        let start = Ways::from([self.start()]);
        let mut index = BTreeMap::from([(start.clone(), 0)]);
        let mut nodes = vec![start];
        let mut lost = vec![false];
        let mut chosen: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
        // Nodes are examined again until none of those that they choose is lost.
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if lost[at] {
                continue;
            }
            let ways = nodes[at].clone();
            let Some(node) = ways.first() else { continue };
            chosen[at].clear();
            if node.left == 0 {
                let wins = ways.iter().any(|node| self.is_move_into_set(node));
                lost[at] = !(node.is_empty || self.was_in_set(node) || wins);
            } else {
                let digits = self.digits(node.change.len());
                'columns: for column in self.columns(node) {
                    let selections = self.selections(&column, self.heaps - node.change.len());
                    for (old, left) in digits
                        .iter()
                        .flat_map(|old| self.lefts(node).into_iter().map(move |left| (old, left)))
                    {
                        let mut first = None;
                        let mut known = None;
                        for selected in &selections {
                            let mut look_up = |next: Ways| {
                                match index.get(&next) {
                                    Some(place) if lost[*place] => {}
                                    Some(place) => known = Some(*place),
                                    None => first = first.take().or(Some(next)),
                                }
                                known.is_none()
                            };
                            let mut kept = Ways::new();
                            let heaps = (&column, selected.as_slice());
                            // Digits at once are looked up one by one: most are soon known.
                            let mut found = |next: Node| match at_once {
                                true => look_up(Ways::from([next])),
                                false => {
                                    kept.insert(next);
                                    true
                                }
                            };
                            self.ways(&ways, left, heaps, (old, &digits), &mut found)?;
                            if !kept.is_empty() {
                                look_up(kept);
                            }
                            if known.is_some() {
                                break;
                            }
                        }
                        let place = match (known, first) {
                            (Some(place), _) => place,
                            (None, Some(next)) => {
                                let place = nodes.len();
                                index.insert(next.clone(), place);
                                nodes.push(next);
                                lost.push(false);
                                chosen.push(BTreeSet::new());
                                open.push(place);
                                place
                            }
                            (None, None) => {
                                lost[at] = true;
                                break 'columns;
                            }
                        };
                        chosen[at].insert(place);
                    }
                }
            }
            if lost[at] {
                let users = (0..nodes.len()).filter(|user| chosen[*user].contains(&at));
                open.extend(users);
            }
            if lost[0] {
                return Ok(None);
            }
            self.check_size(nodes.len())?;
        }
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            open.extend(chosen[at].iter().filter(|next| reached.insert(**next)));
        }
        Ok(Some(reached.len()))
    }

    /// Visits all ways to change the followed heaps after a column, until `found` returns
    /// false; none if the position is outside the set and no way leads into it.
    fn ways(
        &self,
        ways: &Ways,
        left: u8,
        (column, selected): (&Column, &[usize]),
        (old, digits): (&[u8], &[Vec<u8>]),
        found: &mut dyn FnMut(Node) -> bool,
    ) -> Result<(), VerifyError> {
        let begins = self.begins(column, selected, false);
        let all = || {
            begins.iter().flat_map(|begin| {
                ways.iter()
                    .flat_map(move |node| digits.iter().map(move |new| (begin, node, new)))
            })
        };
        let mut is_found = false;
        for (begin, node, new) in all() {
            self.limits.check_time()?;
            let letter = self.letter(column, begin, (old, new));
            if !self.moves.is_open[self.moves.after(node.mover, &letter)] {
                continue;
            }
            let next = self.after(node, left, column, begin, (old, new));
            if !self.is_hopeless(&next) {
                is_found = true;
                if !found(next) {
                    return Ok(());
                }
            }
        }
        if is_found || ways.first().is_none_or(|node| self.is_outside(node)) {
            return Ok(());
        }
        // A node without hope stands for the position before the move.
        for (begin, node, new) in all() {
            self.limits.check_time()?;
            let next = self.after(node, left, column, begin, (old, new));
            if !self.is_outside(&next) {
                found(next);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The digits before and after the move of the heaps that change, and of those that begin.
    fn letter(&self, column: &Column, begin: &Begin, (old, new): (&[u8], &[u8])) -> Vec<(u8, u8)> {
        let changing = old.iter().copied().zip(new.iter().copied());
        let begins = begin.iter().map(|(index, new)| (column[*index].1, *new));
        changing.chain(begins).collect()
    }

    fn check_size(&self, nodes: usize) -> Result<(), VerifyError> {
        match nodes > MOST_NODES {
            true => Ok(unsupported("this many cases of columns", (0, 0).into())?),
            false => Ok(()),
        }
    }
}
