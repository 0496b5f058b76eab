//! Diagrams as JSON: one way to write each set.
//!
//! `nodes` holds, for each node from 2 on, its level and the nodes after the
//! digits 0, 1, …, one behind another; `accepting` the nodes of level 0 that
//! accept, ascending. Nodes 0 and 1, which accept nothing and everything, are
//! not written.
//!
//! A set has one smallest diagram but for the numbers of its nodes, and these
//! are given in the order in which the nodes are reached from the start. What
//! is read must be that one, which is checked here by the plainest means:
//! nodes are told apart by what they accept after no digit, after one, and so
//! on until no more are told apart.

use super::number;
use crate::automata::levelled::{ACCEPT, LevelledDfa, REJECT};
use crate::automata::memo::Memo;
use serde_json::{Value, json};

pub(in crate::prove) fn written_diagram(diagram: &LevelledDfa) -> Value {
    let named = 2..diagram.nodes();
    let accepting: Vec<usize> = named
        .clone()
        .filter(|&node| diagram.accepting[node])
        .collect();
    let nodes: Vec<u32> = named
        .flat_map(|node| {
            let after = &diagram.next[node * diagram.base..][..diagram.base];
            std::iter::once(u32::from(diagram.level[node])).chain(after.iter().copied())
        })
        .collect();
    json!({"start": diagram.starts.first(), "accepting": accepting, "nodes": nodes})
}

/// The diagram that is written so; `None` unless it is one, and the one way to
/// write its set.
pub(in crate::prove) fn diagram(value: &Value, heaps: usize, base: usize) -> Option<LevelledDfa> {
    let nodes = value["nodes"].as_array()?;
    if nodes.len() % (base + 1) != 0 {
        return None;
    }
    let count = nodes.len() / (base + 1) + 2;
    u32::try_from(count).ok()?;
    let mut diagram = LevelledDfa::empty(heaps, base);
    let start = number(&value["start"], count - 1)?;
    diagram.starts.push(start as u32);
    let mut after = Vec::with_capacity(base);
    for node in nodes.chunks_exact(base + 1) {
        let level = number(&node[0], heaps - 1)?;
        after.clear();
        for to in &node[1..] {
            after.push(number(to, count - 1)? as u32);
        }
        diagram.push(level as u8, false, &after);
    }
    for node in value["accepting"].as_array()? {
        let node = number(node, count - 1)?;
        if node <= ACCEPT as usize || diagram.level[node] != 0 {
            return None;
        }
        diagram.accepting[node] = true;
    }
    (is_in_step(&diagram) && is_in_order(&diagram) && is_smallest(&diagram)).then_some(diagram)
}

/// The digits of the heaps are read in turn, beginning with heap 0.
fn is_in_step(diagram: &LevelledDfa) -> bool {
    let fits = |node: u32, level: usize| {
        node <= ACCEPT || usize::from(diagram.level[node as usize]) == level
    };
    fits(diagram.starts[0], 0)
        && (2..diagram.nodes()).all(|node| {
            let level = (usize::from(diagram.level[node]) + 1) % diagram.tracks;
            (0..diagram.base).all(|digit| fits(diagram.after(node as u32, digit), level))
        })
}

/// The nodes are numbered as they are reached, and all are reached.
fn is_in_order(diagram: &LevelledDfa) -> bool {
    let base = diagram.base;
    let arcs = diagram.next[2 * base..].iter().enumerate();
    let arcs = arcs.map(|(place, &to)| (2 + (place / base) as u32, to));
    // The first number that no node reached so far has.
    let mut fresh = 2;
    for (from, to) in std::iter::once((ACCEPT, diagram.starts[0])).chain(arcs) {
        if from >= fresh || to > fresh {
            return false;
        }
        fresh = fresh.max(to + 1);
    }
    fresh as usize == diagram.nodes()
}

/// No two nodes accept the same, and none accepts nothing or everything.
fn is_smallest(diagram: &LevelledDfa) -> bool {
    if !(leads_everywhere(diagram, false) && leads_everywhere(diagram, true)) {
        return false;
    }
    let nodes = diagram.nodes();
    let mut class: Vec<u32> = (0..nodes)
        .map(|node| match node as u32 {
            REJECT => 0,
            ACCEPT => 1,
            _ => 2 + 2 * u32::from(diagram.level[node]) + u32::from(diagram.accepting[node]),
        })
        .collect();
    let mut count = 0;
    loop {
        let mut known: Memo<(u32, u32), u32> = Memo::default();
        let mut finer = class.clone();
        for digit in 0..diagram.base {
            known = Memo::default();
            for (node, own) in finer.iter_mut().enumerate() {
                let pair = (*own, class[diagram.after(node as u32, digit) as usize]);
                let fresh = known.len() as u32;
                *own = known.or_insert_with(pair, || fresh);
            }
        }
        class = finer;
        if known.len() == nodes {
            return true;
        }
        if known.len() == count {
            return false;
        }
        count = known.len();
    }
}

/// Every node leads to one that accepts, or to one that does not.
fn leads_everywhere(diagram: &LevelledDfa, accepts: bool) -> bool {
    let nodes = diagram.nodes();
    let mut leads: Vec<bool> = (0..nodes)
        .map(|node| match node as u32 {
            REJECT => !accepts,
            ACCEPT => accepts,
            _ => diagram.level[node] == 0 && diagram.accepting[node] == accepts,
        })
        .collect();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for node in 2..nodes as u32 {
        for digit in 0..diagram.base {
            before[diagram.after(node, digit) as usize].push(node);
        }
    }
    let mut waiting: Vec<u32> = (0..nodes as u32)
        .filter(|&node| leads[node as usize])
        .collect();
    while let Some(node) = waiting.pop() {
        for &from in &before[node as usize] {
            if !std::mem::replace(&mut leads[from as usize], true) {
                waiting.push(from);
            }
        }
    }
    leads[2..].iter().all(|&leads| leads)
}
