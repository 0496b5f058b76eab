//! Whether one diagram is another raised at a heap.
//!
//! That all that is reached is accepted takes pairs of nodes. That all that is
//! accepted is reached takes subsets, as any proof that several ways together
//! do what one says; it is this direction on which the proof rests.

use crate::automata::interner::Interner;
use crate::automata::levelled::{ACCEPT, LevelledDfa, REJECT};
use crate::automata::memo::Memo;
use crate::limits::{Limits, Met};

/// Whether `after` accepts whatever can be lowered at the heap into `before`.
pub(super) fn accepts_raised(
    before: &LevelledDfa,
    heap: usize,
    after: &LevelledDfa,
    limits: &Limits,
) -> Result<bool, Met> {
    let start = (before.starts[0], false, after.starts[0], 0usize);
    let mut seen = Memo::default();
    let mut waiting = vec![start];
    seen.add(start);
    let mut count = 0u32;
    while let Some((node, loose, raised, level)) = waiting.pop() {
        count = count.wrapping_add(1);
        if count & 0xfff == 0 {
            limits.within_time()?;
            limits.within_memory(seen.bytes() as u128)?;
        }
        if level == 0 && before.accepting[node as usize] && !after.accepting[raised as usize] {
            return Ok(false);
        }
        for digit in 0..before.base {
            for lower in 0..before.base {
                if lower != digit && (level != heap || lower > digit && !loose) {
                    continue;
                }
                let to = (
                    before.after(node, lower),
                    loose || lower < digit,
                    after.after(raised, digit),
                    (level + 1) % before.tracks,
                );
                if to.0 != REJECT && to.2 != ACCEPT && seen.add(to) {
                    waiting.push(to);
                }
            }
        }
    }
    Ok(true)
}

/// Whether `after` accepts only what can be lowered at the heap into `before`:
/// beside a node of `after` runs the set of all nodes that `before` can be in.
/// The first of them is that of the position itself, the others belong to
/// smaller numbers.
pub(super) fn accepts_no_more(
    before: &LevelledDfa,
    heap: usize,
    after: &LevelledDfa,
    limits: &Limits,
) -> Result<bool, Met> {
    let below = Below::of(before, limits)?;
    let mut pairs = Interner::new();
    let mut levels: Vec<u8> = vec![0];
    pairs.insert(&[after.starts[0], before.starts[0]]);
    let mut index = 0;
    let mut pair: Vec<u32> = Vec::new();
    let mut to: Vec<u32> = Vec::new();
    while (index as usize) < pairs.len() {
        if index & 0xfff == 0 {
            limits.within_time()?;
            limits.within_memory(pairs.bytes() as u128)?;
        }
        pair.clear();
        pair.extend_from_slice(pairs.get(index));
        let level = usize::from(levels[index as usize]);
        index += 1;
        if level == 0
            && after.accepting[pair[0] as usize]
            && !pair[1..]
                .iter()
                .any(|&node| before.accepting[node as usize])
        {
            return Ok(false);
        }
        let next = (level + 1) % before.tracks;
        for digit in 0..before.base {
            let raised = after.after(pair[0], digit);
            if raised == REJECT {
                continue;
            }
            let tight = before.after(pair[1], digit);
            to.clear();
            if level == heap {
                to.extend((0..digit).map(|lower| before.after(pair[1], lower)));
                for &node in &pair[2..] {
                    to.extend((0..before.base).map(|any| before.after(node, any)));
                }
            } else {
                to.extend(pair[2..].iter().map(|&node| before.after(node, digit)));
            }
            to.retain(|&node| node != REJECT);
            to.sort_unstable();
            to.dedup();
            if tight == ACCEPT || to.first() == Some(&ACCEPT) {
                continue;
            }
            if next == 0 {
                below.keep_largest(&mut to);
            }
            let served = to.iter().any(|&node| below.holds(tight, node, next == 0));
            let mut key = vec![raised, if served { REJECT } else { tight }];
            key.extend_from_slice(&to);
            if key[1..] == [REJECT] {
                if raised == ACCEPT || can_accept(after, raised) {
                    return Ok(false);
                }
                continue;
            }
            if pairs.insert(&key).1 {
                levels.push(next as u8);
            }
        }
    }
    Ok(true)
}

/// Whether any word is accepted from a node.
fn can_accept(diagram: &LevelledDfa, node: u32) -> bool {
    let mut seen = Memo::default();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        let between = node == ACCEPT || diagram.level[node as usize] == 0;
        if between && diagram.accepting[node as usize] {
            return true;
        }
        for digit in 0..diagram.base {
            let to = diagram.after(node, digit);
            if seen.add(to) {
                waiting.push(to);
            }
        }
    }
    false
}

/// Which nodes of level 0 accept no more than which others: pairs are struck
/// out until the letters keep the rest. Only where there are few.
struct Below {
    place: Vec<u32>,
    count: usize,
    holds: Vec<bool>,
}

const MOST_BELOW: usize = 700;

impl Below {
    fn of(diagram: &LevelledDfa, limits: &Limits) -> Result<Below, Met> {
        let nodes: Vec<u32> = (2..diagram.level.len() as u32)
            .filter(|&node| diagram.level[node as usize] == 0)
            .collect();
        if nodes.len() > MOST_BELOW {
            return Ok(Below {
                place: Vec::new(),
                count: 0,
                holds: Vec::new(),
            });
        }
        let mut place = vec![u32::MAX; diagram.level.len()];
        for (index, &node) in nodes.iter().enumerate() {
            place[node as usize] = index as u32;
        }
        let accepts = |node: u32| diagram.accepting[node as usize];
        let count = nodes.len();
        let mut holds = vec![true; count * count];
        for (index, holds) in holds.iter_mut().enumerate() {
            *holds = accepts(nodes[index % count]) || !accepts(nodes[index / count]);
        }
        let mut below = Below {
            place,
            count,
            holds,
        };
        loop {
            let mut stable = true;
            for index in 0..count * count {
                if index & 0xfff == 0 {
                    limits.within_time()?;
                }
                let (a, b) = (nodes[index / count], nodes[index % count]);
                if a != b && below.holds[index] && !below.kept(diagram, a, b, 0) {
                    below.holds[index] = false;
                    stable = false;
                }
            }
            if stable {
                return Ok(below);
            }
        }
    }

    fn kept(&self, diagram: &LevelledDfa, a: u32, b: u32, level: usize) -> bool {
        (0..diagram.base).all(|digit| {
            let (a, b) = (diagram.after(a, digit), diagram.after(b, digit));
            let last = level + 1 == diagram.tracks;
            self.holds(a, b, last)
                || !last && a != ACCEPT && b != REJECT && self.kept(diagram, a, b, level + 1)
        })
    }

    fn holds(&self, a: u32, b: u32, between: bool) -> bool {
        if a == b || a == REJECT || b == ACCEPT {
            return true;
        }
        if !between || self.count == 0 || a == ACCEPT || b == REJECT {
            return false;
        }
        let (a, b) = (
            self.place[a as usize] as usize,
            self.place[b as usize] as usize,
        );
        self.holds[a * self.count + b]
    }

    /// Leaves out what another accepts as well; of equals the first stays.
    fn keep_largest(&self, nodes: &mut Vec<u32>) {
        let mut index = 0;
        while index < nodes.len() {
            let node = nodes[index];
            let other = nodes.iter().enumerate().any(|(at, &other)| {
                at != index
                    && self.holds(node, other, true)
                    && !(self.holds(other, node, true) && index < at)
            });
            if other {
                nodes.remove(index);
            } else {
                index += 1;
            }
        }
    }
}
