//! Sets of positions that only their supports tell apart, and intersections.

use super::diagram::{Diagram, EVERYTHING, NOTHING};
use super::minimise::minimise;
use crate::automata::known::Known;
use crate::limits::{Limits, Met};

/// The positions whose support is wanted.
pub fn of_supports(
    heaps: usize,
    base: usize,
    wanted: impl Fn(u32) -> bool,
    limits: &Limits,
) -> Result<Diagram, Met> {
    let mut diagram = Diagram::empty(heaps, base);
    let mut known: Known<(usize, u32), u32> = Known::default();
    let mut order = vec![(0, 0)];
    known.insert((0, 0), 2);
    diagram.push(0, wanted(0), &vec![NOTHING; base]);
    diagram.starts.push(2);
    let mut index = 0;
    while index < order.len() {
        let (level, support) = order[index];
        let after = (level + 1) % heaps;
        for digit in 0..base {
            let more = if digit == 0 {
                support
            } else {
                support | 1 << level
            };
            let to = known.or_insert_with((after, more), || {
                order.push((after, more));
                diagram.push(after as u8, wanted(more), &vec![NOTHING; base])
            });
            diagram.next[(index + 2) * base + digit] = to;
        }
        index += 1;
    }
    minimise(&diagram, limits)
}

/// What is in the sets of the first starts of both.
pub fn intersection(a: &Diagram, b: &Diagram, limits: &Limits) -> Result<Diagram, Met> {
    let base = a.base;
    let mut diagram = Diagram::empty(a.heaps, base);
    let mut known: Known<(u32, u32), u32> = Known::default();
    let mut order: Vec<(u32, u32)> = Vec::new();
    let mut visit = |x: u32, y: u32, diagram: &mut Diagram, order: &mut Vec<(u32, u32)>| {
        if x == NOTHING || y == NOTHING {
            return NOTHING;
        }
        if x == EVERYTHING && y == EVERYTHING {
            return EVERYTHING;
        }
        known.or_insert_with((x, y), || {
            order.push((x, y));
            let level = if x == EVERYTHING {
                b.level[y as usize]
            } else {
                a.level[x as usize]
            };
            let accepting = a.accepting[x as usize] && b.accepting[y as usize];
            diagram.push(level, accepting, &vec![NOTHING; base])
        })
    };
    let start = visit(a.starts[0], b.starts[0], &mut diagram, &mut order);
    diagram.starts.push(start);
    let mut index = 0;
    while index < order.len() {
        if index & 0xfff == 0 {
            limits.within_time()?;
            limits.within_memory(diagram.bytes() as u128 * 4)?;
        }
        let (x, y) = order[index];
        for digit in 0..base {
            let to = visit(
                a.after(x, digit),
                b.after(y, digit),
                &mut diagram,
                &mut order,
            );
            diagram.next[(index + 2) * base + digit] = to;
        }
        index += 1;
    }
    minimise(&diagram, limits)
}

/// One diagram with the starts of all, nodes that accept the same shared.
pub fn together(diagrams: &[Diagram], limits: &Limits) -> Result<Diagram, Met> {
    let mut joint = Diagram::empty(diagrams[0].heaps, diagrams[0].base);
    for diagram in diagrams {
        let shift = joint.nodes() as u32 - 2;
        let place = |node: u32| {
            if node > EVERYTHING {
                node + shift
            } else {
                node
            }
        };
        joint.level.extend_from_slice(&diagram.level[2..]);
        joint.accepting.extend_from_slice(&diagram.accepting[2..]);
        joint
            .next
            .extend(diagram.next[2 * diagram.base..].iter().map(|&to| place(to)));
        joint
            .starts
            .extend(diagram.starts.iter().map(|&start| place(start)));
    }
    minimise(&joint, limits)
}
