//! Conditions solved for the last heap.
//!
//! Most claims are equations or disjunctions of few. If the other heaps are known,
//! an equation determines the last heap. So the claimed places of a block of rows
//! are computed for all rows at once: the equation is solved for the last heap,
//! and the remaining conditions are evaluated with that size. The result is exact:
//! rows in which a part may have a fault or is not supported are reported as open.
//!
//! A condition that reads only the first heaps of the order of rows is evaluated when
//! one of these changes, and not for each block: it excludes its alternative from all
//! blocks until then.

use super::PLACES;
use super::condition::{Along, Node};
use super::number::{HeapValue, Number, Value};
use nimrule_kernels::Layout;
use nimrule_model::expr::solve::Operand;
use nimrule_model::expr::{Arithmetic, Fold, Order};

/// Larger constants are not solved for, since sums with them may overflow.
const LARGEST: u64 = 1 << 40;

/// Blocks of fewer rows are evaluated row by row.
const FEW: u32 = 3;

/// Alternatives, each with at most one place in a row.
pub(super) struct Solved<'g> {
    /// The heap that they are solved for.
    last: usize,
    /// The heaps that are the same in all rows of a block, in the order of rows.
    outer: Vec<usize>,
    ways: Vec<Alternative<'g>>,
    /// The sizes of the outer heaps, as far as `left` is known for them.
    sizes: Vec<u64>,
    /// By the number of outer heaps that are known: the alternatives that these do
    /// not exclude.
    left: Vec<Vec<Left>>,
}

/// An alternative that is not excluded.
#[derive(Clone, Copy)]
struct Left {
    number: usize,
    /// Whether a condition on the outer heaps may have a fault.
    open: bool,
}

enum Alternative<'g> {
    /// The position is one of these, which are in ascending order.
    OneOf(Vec<Vec<u64>>),
    Equation {
        /// By the number of outer heaps that must be known: conditions on these.
        outer: Vec<Vec<Node<'g>>>,
        /// The size of the heap that differs from row to row, if one of the conditions
        /// `before` is an equation that determines it.
        row: Option<Number<'g>>,
        /// Other conditions that do not read the last heap.
        before: Vec<Node<'g>>,
        /// The last heap's size.
        size: Number<'g>,
        /// The remaining conditions.
        then: Vec<Node<'g>>,
    },
}

impl<'g> Solved<'g> {
    /// The condition as a disjunction of such alternatives, for rows in this order of
    /// heaps, which are at least two.
    pub fn of(condition: &Node<'g>, order: &[usize]) -> Option<Solved<'g>> {
        let (last, others) = order.split_last()?;
        let (axis, outer) = others.split_last()?;
        let mut ways = Vec::new();
        collect(condition, *last, &mut ways)?;
        for way in &mut ways {
            way.separate_outer(outer, order);
            way.solve_for_row(*axis);
        }
        let all = |number| Left {
            number,
            open: false,
        };
        Some(Solved {
            last: *last,
            outer: outer.to_vec(),
            left: vec![(0..ways.len()).map(all).collect()],
            sizes: Vec::new(),
            ways,
        })
    }

    /// Marks the places of a block of rows at which the condition holds. Returns
    /// the rows that remain open, as bits.
    pub fn places(&mut self, along: &Along<'_>, layout: &Layout, marks: &mut Marks) -> u64 {
        marks.make_room(along.places, layout);
        self.exclude(along);
        let left = &self.left[self.outer.len()];
        left.iter().fold(0, |open, left| {
            open | match &self.ways[left.number] {
                Alternative::OneOf(positions) => {
                    self.one_of(positions, along, marks);
                    0
                }
                way @ Alternative::Equation { .. } => way.rows(left.open, along, marks),
            }
        })
    }

    /// Finds the alternatives that the outer heaps do not exclude.
    fn exclude(&mut self, along: &Along<'_>) {
        let sizes = self.outer.iter().map(|heap| along.position[*heap]);
        let same = self.sizes.iter().zip(sizes.clone());
        let same = same.take_while(|(known, size)| *known == size).count();
        self.sizes.truncate(same);
        self.left.truncate(same + 1);
        self.sizes.extend(sizes.skip(same));
        for known in same + 1..=self.outer.len() {
            let before = self.left[known - 1].iter();
            let left = before.filter_map(|left| match &self.ways[left.number] {
                Alternative::OneOf(_) => Some(*left),
                Alternative::Equation { outer, .. } => {
                    let mut left = *left;
                    for node in &outer[known - 1] {
                        let truth = node.truth(along);
                        if truth.can_hold == 0 {
                            return None;
                        }
                        left.open |= truth.can_fail != 0;
                    }
                    Some(left)
                }
            });
            self.left.push(left.collect());
        }
    }

    fn one_of(&self, positions: &[Vec<u64>], along: &Along<'_>, marks: &mut Marks) {
        let known = along.axis.min(self.last);
        let before = &along.position[..known];
        let first = positions.partition_point(|other| other[..known] < *before);
        for other in &positions[first..] {
            if other[..known] != *before {
                break;
            }
            let place = other[along.axis] as i64 - along.from;
            let fits = (known..along.position.len()).all(|heap| {
                heap == along.axis || heap == self.last || other[heap] == along.position[heap]
            });
            let size = other[self.last] as i64;
            if fits && (0..along.places as i64).contains(&place) && size <= marks.most {
                marks.mark(place as usize, size);
            }
        }
    }
}

/// Marks these rows where the equation and the other conditions hold; those that are
/// `open` also need evaluation. Returns the rows that remain open. The rows of `along`
/// begin with the row `first` of the block.
fn solved_rows(
    size: &Number<'_>,
    then: &[Node<'_>],
    along: &Along<'_>,
    (mut rows, mut open): (u64, u64),
    first: usize,
    marks: &mut Marks,
) -> u64 {
    let sizes = match size.value(along) {
        Value::Open => return rows,
        Value::One(size) if size.unsigned_abs() > LARGEST => return rows,
        Value::One(size) if !(0..=marks.most).contains(&size) => return 0,
        sizes => sizes.spread(along),
    };
    let sizes = match &sizes {
        Value::One(size) => HeapValue::One(*size),
        Value::Each(sizes) => HeapValue::Each(sizes),
        _ => return rows,
    };
    let mut large = 0;
    if let HeapValue::Each(sizes) = sizes {
        let mut fit = 0_u64;
        for (place, size) in sizes[..along.places].iter().enumerate() {
            fit |= u64::from((0..=marks.most).contains(size)) << place;
            large |= u64::from(size.unsigned_abs() > LARGEST) << place;
        }
        large &= rows;
        rows &= fit;
    }
    let there = Along {
        told: Some((marks.last, sizes)),
        open: 0,
        ..*along
    };
    for node in then {
        if rows == 0 {
            break;
        }
        let truth = node.truth(&there);
        rows &= truth.can_hold;
        open |= truth.can_fail;
    }
    let open = open & rows | large;
    while rows != 0 {
        let place = rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let size = match sizes {
            HeapValue::One(size) => size,
            HeapValue::Each(sizes) => sizes[place],
        };
        marks.mark(first + place, size);
    }
    open
}

impl Alternative<'_> {
    /// Marks the rows of a block at which all conditions hold; `open`: whether one that
    /// has been evaluated may have a fault. Returns the rows that remain open.
    fn rows(&self, open: bool, along: &Along<'_>, marks: &mut Marks) -> u64 {
        let Alternative::Equation { row: Some(row), .. } = self else {
            return self.rows_from(0, open, along, marks);
        };
        match row.value(along) {
            Value::One(size) if size.unsigned_abs() <= LARGEST => {
                let place = size - along.from;
                if !(0..along.places as i64).contains(&place) {
                    return 0;
                }
                // PERF: with one row every number is constant.
                let place = place as usize;
                self.rows_from(place, open, &along.at(place), marks) << place
            }
            _ => self.rows_from(0, open, along, marks),
        }
    }

    /// [`Alternative::rows`], where the row `first` is the first of `along`.
    fn rows_from(&self, first: usize, open: bool, along: &Along<'_>, marks: &mut Marks) -> u64 {
        let Alternative::Equation {
            before, size, then, ..
        } = self
        else {
            return 0;
        };
        let mut rows = u64::MAX >> (PLACES - along.places);
        // Rows where a part may have a fault that may hold as well.
        let mut open = if open { u64::MAX } else { 0 };
        for node in before {
            let truth = node.truth(along);
            rows &= truth.can_hold;
            open |= truth.can_fail;
            if rows == 0 {
                return 0;
            }
        }
        if along.places == 1 || rows.count_ones() > FEW {
            return solved_rows(size, then, along, (rows, open), first, marks);
        }
        let mut result = 0;
        while rows != 0 {
            let place = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let here = (1, open >> place & 1);
            let at = along.at(place);
            result |= solved_rows(size, then, &at, here, first + place, marks) << place;
        }
        result
    }

    /// Finds an equation that determines the heap that differs from row to row.
    fn solve_for_row(&mut self, axis: usize) {
        if let Alternative::Equation { row, before, .. } = self {
            *row = before.iter().find_map(|node| solve(node, axis));
        }
    }

    /// Separates the conditions that read outer heaps only.
    fn separate_outer(&mut self, outer_heaps: &[usize], order: &[usize]) {
        let Alternative::Equation { outer, before, .. } = self else {
            return;
        };
        outer.resize_with(outer_heaps.len(), Vec::new);
        // A condition on no heap at all comes with the first one.
        let known = |node: &Node<'_>| {
            order
                .iter()
                .rposition(|heap| node.reads(*heap))
                .unwrap_or(0)
        };
        let (first, others) = before
            .drain(..)
            .partition(|node| known(node) < outer_heaps.len());
        *before = others;
        let first: Vec<_> = first;
        for node in first {
            outer[known(&node)].push(node);
        }
    }
}

/// Marked places of a block of rows.
#[derive(Default)]
pub(super) struct Marks {
    /// The words of each row; all 0 in rows without marks.
    words: Vec<u64>,
    /// The number of words of a row.
    each: usize,
    /// The heap that varies along a row, and its largest size.
    last: usize,
    most: i64,
    /// The rows with marks, as bits.
    pub rows: u64,
}

impl Marks {
    /// Resizes for this many rows without marks.
    fn make_room(&mut self, rows: usize, layout: &Layout) {
        self.each = layout.words;
        self.last = layout.order.last().copied().unwrap_or(0);
        self.most = layout.most.last().map_or(0, |most| *most as i64);
        if self.words.len() < rows * self.each {
            self.words.resize(rows * self.each, 0);
        }
    }

    fn mark(&mut self, row: usize, size: i64) {
        self.words[row * self.each + size as usize / 64] |= 1 << (size % 64);
        self.rows |= 1 << row;
    }

    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.each..][..self.each]
    }

    /// Removes all marks.
    pub fn clear(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            self.words[row * self.each..][..self.each].fill(0);
        }
    }
}

fn collect<'g>(condition: &Node<'g>, last: usize, ways: &mut Vec<Alternative<'g>>) -> Option<()> {
    match condition {
        Node::Or(all) => {
            for one in all {
                collect(one, last, ways)?;
            }
        }
        Node::OneOf(positions) => ways.push(Alternative::OneOf(positions.clone())),
        Node::And(all) => {
            let solved = all
                .iter()
                .enumerate()
                .find_map(|(number, one)| Some((number, solve(one, last)?)));
            let (number, size) = solved?;
            let others = all.iter().enumerate().filter(|(other, _)| *other != number);
            let (then, before) = others
                .map(|(_, node)| node.clone())
                .partition(|node| node.reads(last));
            ways.push(Alternative::Equation {
                outer: Vec::new(),
                row: None,
                before,
                size,
                then,
            });
        }
        Node::Compare(..) => ways.push(Alternative::Equation {
            outer: Vec::new(),
            row: None,
            before: Vec::new(),
            size: solve(condition, last)?,
            then: Vec::new(),
        }),
        _ => return None,
    }
    Some(())
}

/// The size of a heap that an equation determines.
fn solve<'g>(equation: &Node<'g>, heap: usize) -> Option<Number<'g>> {
    let Node::Compare(Order::Equal, left, right) = equation else {
        return None;
    };
    if left.has_larger(LARGEST) || right.has_larger(LARGEST) {
        return None;
    }
    match (left.reads(heap), right.reads(heap)) {
        (true, false) => isolate(left, heap, right.clone()),
        (false, true) => isolate(right, heap, left.clone()),
        _ => None,
    }
}

/// The size of a heap at which a number that reads it has a value.
fn isolate<'g>(number: &Number<'g>, heap: usize, value: Number<'g>) -> Option<Number<'g>> {
    let binary = |operator, left: Number<'g>, right: Number<'g>| {
        Number::Binary(operator, Box::new(left), Box::new(right))
    };
    match number {
        Number::Heap(_) => Some(value),
        Number::Negate(inner) => isolate(inner, heap, Number::Negate(Box::new(value))),
        Number::Binary(operator, left, right) => {
            let (inner, operand, other) = match (left.reads(heap), right.reads(heap)) {
                (true, false) => (left, Operand::Left, right),
                (false, true) => (right, Operand::Right, left),
                _ => return None,
            };
            let other = (**other).clone();
            let value = match operator.inverse(operand)? {
                (inverse, Operand::Left) => binary(inverse, value, other),
                (inverse, Operand::Right) => binary(inverse, other, value),
            };
            isolate(inner, heap, value)
        }
        Number::Fold(Fold::Sum, all) => {
            let (inner, others) = apart(all, heap)?;
            let value = match others.is_empty() {
                true => value,
                false => binary(Arithmetic::Subtract, value, Number::Fold(Fold::Sum, others)),
            };
            isolate(inner, heap, value)
        }
        // In base 2 every number is its own inverse.
        Number::Carryless(2, all) => {
            let (inner, mut others) = apart(all, heap)?;
            others.push(value);
            isolate(inner, heap, Number::Carryless(2, others)).filter(|_| is_natural(inner))
        }
        _ => None,
    }
}

/// The only number that reads a heap, and the others.
fn apart<'n, 'g>(all: &'n [Number<'g>], heap: usize) -> Option<(&'n Number<'g>, Vec<Number<'g>>)> {
    let (inner, others): (Vec<_>, Vec<_>) = all.iter().partition(|number| number.reads(heap));
    let [inner] = inner[..] else { return None };
    Some((inner, others.into_iter().cloned().collect()))
}

/// Whether a number is never negative, whatever its heaps, so that its nim-sum
/// is defined.
fn is_natural(number: &Number<'_>) -> bool {
    match number {
        Number::Heap(_) => true,
        Number::Carryless(2, all) => all.iter().all(is_natural),
        _ => false,
    }
}

impl Node<'_> {
    /// Whether it may read a heap.
    fn reads(&self, heap: usize) -> bool {
        match self {
            Node::Compare(_, left, right) => left.reads(heap) || right.reads(heap),
            Node::And(all) | Node::Or(all) => all.iter().any(|node| node.reads(heap)),
            Node::Not(inner) => inner.reads(heap),
            Node::If(condition, then, otherwise) => {
                condition.reads(heap) || then.reads(heap) || otherwise.reads(heap)
            }
            Node::OneOf(_) => true,
            Node::Other(_, touched, _) => touched >> heap & 1 == 1,
        }
    }
}

impl Number<'_> {
    fn reads(&self, heap: usize) -> bool {
        match self {
            Number::Const(_) => false,
            Number::Heap(own) => *own == heap,
            Number::Negate(inner) => inner.reads(heap),
            Number::Binary(_, left, right) => left.reads(heap) || right.reads(heap),
            Number::Fold(_, all) | Number::Carryless(_, all) => {
                all.iter().any(|number| number.reads(heap))
            }
            Number::Other(_, touched, _) => touched >> heap & 1 == 1,
        }
    }

    /// Whether it contains a constant whose absolute value is larger than this.
    fn has_larger(&self, than: u64) -> bool {
        match self {
            Number::Const(value) => value.unsigned_abs() > than,
            Number::Heap(_) => false,
            Number::Negate(inner) => inner.has_larger(than),
            Number::Binary(_, left, right) => left.has_larger(than) || right.has_larger(than),
            Number::Fold(_, all) | Number::Carryless(_, all) => {
                all.iter().any(|number| number.has_larger(than))
            }
            // Its value is compared.
            Number::Other(..) => false,
        }
    }
}
