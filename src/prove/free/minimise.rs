//! The smallest diagram of the same sets.
//!
//! Nodes that no start reaches are dropped, nodes that accept nothing or
//! everything become the two that stand for that, and the rest is partitioned
//! by Hopcroft's method in the form of Valmari and Lehtinen (2008): blocks of
//! nodes and bundles of arcs refine each other.

use super::diagram::{Diagram, EVERYTHING, NOTHING};
use crate::automata::known::Known;
use crate::limits::{Limits, Met};

/// A partition of 0.. that is refined by marking elements and splitting the
/// marked ones off.
struct Partition {
    elements: Vec<u32>,
    place: Vec<u32>,
    set_of: Vec<u32>,
    first: Vec<u32>,
    past: Vec<u32>,
    marked: Vec<u32>,
    touched: Vec<u32>,
}

impl Partition {
    /// The partition by keys, which are 0.. without gaps.
    fn by(keys: &[u32]) -> Partition {
        let sets = keys.iter().max().map_or(0, |&most| most as usize + 1);
        let mut past = vec![0u32; sets];
        for &key in keys {
            past[key as usize] += 1;
        }
        let mut first = vec![0u32; sets];
        let mut total = 0;
        for set in 0..sets {
            first[set] = total;
            total += past[set];
            past[set] = first[set];
        }
        let mut elements = vec![0; keys.len()];
        let mut place = vec![0; keys.len()];
        for (element, &key) in keys.iter().enumerate() {
            let here = past[key as usize];
            elements[here as usize] = element as u32;
            place[element] = here;
            past[key as usize] += 1;
        }
        Partition {
            elements,
            place,
            set_of: keys.to_vec(),
            first,
            past,
            marked: vec![0; sets],
            touched: Vec::new(),
        }
    }

    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize] as usize;
        let here = self.place[element as usize];
        let there = self.first[set] + self.marked[set];
        if here < there {
            return;
        }
        let other = self.elements[there as usize];
        self.elements[here as usize] = other;
        self.place[other as usize] = here;
        self.elements[there as usize] = element;
        self.place[element as usize] = there;
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// The smaller part of every touched set becomes a set of its own.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let middle = self.first[set] + self.marked[set];
            let fresh = self.first.len() as u32;
            if middle == self.past[set] {
                self.marked[set] = 0;
                continue;
            }
            if self.marked[set] <= self.past[set] - middle {
                self.first.push(self.first[set]);
                self.past.push(middle);
                self.first[set] = middle;
            } else {
                self.first.push(middle);
                self.past.push(self.past[set]);
                self.past[set] = middle;
            }
            for index in self.first[fresh as usize]..self.past[fresh as usize] {
                self.set_of[self.elements[index as usize] as usize] = fresh;
            }
            self.marked[set] = 0;
            self.marked.push(0);
        }
    }
}

/// Arcs by the node they lead to.
struct Incoming {
    first: Vec<u32>,
    arcs: Vec<u32>,
}

impl Incoming {
    fn of(next: &[u32], nodes: usize) -> Incoming {
        let mut first = vec![0u32; nodes + 1];
        for &to in next {
            first[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut fill = first.clone();
        let mut arcs = vec![0; next.len()];
        for (arc, &to) in next.iter().enumerate() {
            arcs[fill[to as usize] as usize] = arc as u32;
            fill[to as usize] += 1;
        }
        Incoming { first, arcs }
    }

    fn to(&self, node: u32) -> &[u32] {
        &self.arcs[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// The smallest diagram of the same sets, its nodes numbered in the order in
/// which the starts reach them.
pub fn minimise(diagram: &Diagram, limits: &Limits) -> Result<Diagram, Met> {
    limits.within_memory(diagram.nodes() as u128 * (40 + 24 * diagram.base as u128))?;
    let (mut work, order) = reached(diagram);
    cut_short(&mut work);
    let base = work.base;
    let nodes = work.nodes();
    let mut keys = Vec::with_capacity(nodes);
    let mut known = Known::default();
    for node in 0..nodes {
        let key = match node as u32 {
            NOTHING => (0, false, 1u8),
            EVERYTHING => (0, true, 1),
            _ => (work.level[node], work.accepting[node], 0),
        };
        let fresh = known.count() as u32;
        keys.push(known.or_insert_with(key, || fresh));
    }
    drop(order);
    let mut blocks = Partition::by(&keys);
    let labels: Vec<u32> = (0..nodes * base).map(|arc| (arc % base) as u32).collect();
    let mut bundles = Partition::by(&labels);
    let incoming = Incoming::of(&work.next, nodes);
    // One block need not split others: what leads into it is what leads into
    // none of the rest.
    let mut block = 1;
    let mut bundle = 0;
    while bundle < bundles.first.len() {
        if bundle & 0xfff == 0 {
            limits.within_time()?;
        }
        for index in bundles.first[bundle]..bundles.past[bundle] {
            blocks.mark(bundles.elements[index as usize] / base as u32);
        }
        blocks.split();
        bundle += 1;
        while block < blocks.first.len() {
            for index in blocks.first[block]..blocks.past[block] {
                for &arc in incoming.to(blocks.elements[index as usize]) {
                    bundles.mark(arc);
                }
            }
            bundles.split();
            block += 1;
        }
    }
    Ok(quotient(&work, &blocks))
}

/// What the starts reach, and the old numbers of it.
fn reached(diagram: &Diagram) -> (Diagram, Vec<u32>) {
    let base = diagram.base;
    let mut number = vec![u32::MAX; diagram.nodes()];
    number[NOTHING as usize] = NOTHING;
    number[EVERYTHING as usize] = EVERYTHING;
    let mut order = vec![NOTHING, EVERYTHING];
    let visit = |node: u32, order: &mut Vec<u32>, number: &mut Vec<u32>| {
        if number[node as usize] == u32::MAX {
            number[node as usize] = order.len() as u32;
            order.push(node);
        }
        number[node as usize]
    };
    let starts = diagram
        .starts
        .iter()
        .map(|&start| visit(start, &mut order, &mut number))
        .collect();
    let mut index = 2;
    let mut next = diagram.next[..2 * base].to_vec();
    while index < order.len() {
        let node = order[index];
        for digit in 0..base {
            next.push(visit(diagram.after(node, digit), &mut order, &mut number));
        }
        index += 1;
    }
    let trimmed = Diagram {
        base,
        heaps: diagram.heaps,
        starts,
        level: order
            .iter()
            .map(|&node| diagram.level[node as usize])
            .collect(),
        accepting: order
            .iter()
            .map(|&node| diagram.accepting[node as usize])
            .collect(),
        next,
    };
    (trimmed, order)
}

/// Nodes that accept nothing, or everything, become the two that stand for it.
fn cut_short(diagram: &mut Diagram) {
    let base = diagram.base;
    let nodes = diagram.nodes();
    let incoming = Incoming::of(&diagram.next, nodes);
    let between = |node: usize| diagram.level[node] == 0;
    let leading_to = |wanted: bool| {
        let mut leads = vec![false; nodes];
        let mut queue: Vec<u32> = (0..nodes as u32)
            .filter(|&node| between(node as usize) && diagram.accepting[node as usize] == wanted)
            .collect();
        for &node in &queue {
            leads[node as usize] = true;
        }
        while let Some(node) = queue.pop() {
            for &arc in incoming.to(node) {
                let from = arc / base as u32;
                if !std::mem::replace(&mut leads[from as usize], true) {
                    queue.push(from);
                }
            }
        }
        leads
    };
    let to_yes = leading_to(true);
    let to_no = leading_to(false);
    let place = |node: u32| {
        if !to_yes[node as usize] {
            NOTHING
        } else if !to_no[node as usize] {
            EVERYTHING
        } else {
            node
        }
    };
    for to in &mut diagram.next {
        *to = place(*to);
    }
    for start in &mut diagram.starts {
        *start = place(*start);
    }
}

/// One node for each block that the starts reach.
fn quotient(work: &Diagram, blocks: &Partition) -> Diagram {
    let mut merged = Diagram::empty(work.heaps, work.base);
    let mut number = vec![u32::MAX; blocks.first.len()];
    number[blocks.set_of[NOTHING as usize] as usize] = NOTHING;
    number[blocks.set_of[EVERYTHING as usize] as usize] = EVERYTHING;
    let mut order = Vec::new();
    let mut visit = |node: u32, order: &mut Vec<u32>| {
        let block = blocks.set_of[node as usize] as usize;
        if number[block] == u32::MAX {
            number[block] = order.len() as u32 + 2;
            order.push(node);
        }
        number[block]
    };
    merged.starts = work
        .starts
        .iter()
        .map(|&start| visit(start, &mut order))
        .collect();
    let mut index = 0;
    while index < order.len() {
        let node = order[index];
        let children: Vec<u32> = (0..work.base)
            .map(|digit| visit(work.after(node, digit), &mut order))
            .collect();
        merged.push(
            work.level[node as usize],
            work.accepting[node as usize],
            &children,
        );
        index += 1;
    }
    merged
}
