//! Grundy values of hypergraph Nim: by the disjunctive sum with a Nim heap, or one
//! value after another.

use super::family::family;
use super::{KernelBox, order, twins_first};
use crate::strategy::is_by_options;
use crate::{Limits, Shape, SolveError, Solver};
use nimrule_ir::Hyperedges;
use nimrule_kernels::hypergraph_nim::{self, HypergraphNim, LevelSink};
use nimrule_kernels::{Layout, Rows, Sink, Start};
use nimrule_limits::{LimitExceeded, Work};
use nimrule_model::game::Convention;

/// The initial size of the Nim heap: one word.
const FIRST: u64 = 63;

/// The largest size of the Nim heap.
const MOST: u64 = 1023;

/// The game with a Nim heap of this size, and its box.
pub(super) fn with_nim_heap(
    solver: &Solver<'_>,
    most: &[u64],
    nim: u64,
) -> Option<(HypergraphNim, Layout)> {
    let mut order: Vec<usize> = (0..most.len()).collect();
    twins_first(solver, most, &mut order);
    let edges = solver.profile.hyperedges.as_ref().ok()?;
    let family = family(edges, &order).ok()?.with_nim_heap(most.len());
    family.fits(most.len() + 1).ok()?;
    order.push(most.len());
    let layout = Layout::in_order(&[most, &[nim]].concat(), order)?;
    Some((family, layout))
}

/// How the values of a box are found.
enum Method {
    /// By a sweep for each value.
    Levels(KernelBox),
    /// By the sum with a Nim heap.
    NimHeap,
    /// By listing options.
    Options,
}

/// The fastest method.
///
/// A word of a row with a Nim heap takes about as long as a hundred positions
/// of a sweep, and the position that a sweep finds as long as fifty. (Measured
/// on the cube's edges to 15 and on a circle of five to 31.)
fn method(solver: &Solver<'_>, most: &[u64]) -> Method {
    let largest = bound(most);
    let Some(planned) = KernelBox::new(solver, most, order(solver, most)) else {
        return Method::NimHeap;
    };
    // Short rows waste the rest of their words.
    let row = planned.layout.most.last().map_or(1, |last| last + 1);
    let words = if row <= 32 {
        32
    } else {
        row.next_multiple_of(64)
    };
    let each = (largest + 1).saturating_mul(words) / row + 50;
    let beside = (largest.min(MOST) / 64 + 1) * 100;
    if let Ok(Hyperedges::Fixed(edges)) = &solver.profile.hyperedges {
        // A word takes as long as five options for each hyperedge.
        let words = Shape::count(most).saturating_mul(each.min(beside).into()) / 100;
        if is_by_options(solver, most, words.saturating_mul(5 * edges.len() as u128)) {
            return Method::Options;
        }
    }
    if each < beside {
        Method::Levels(planned)
    } else {
        Method::NimHeap
    }
}

/// The largest possible value of normal play: a move takes at least one token. In misere play
/// a terminal position has the value 1, and the largest value may be one more.
pub(super) fn bound(most: &[u64]) -> u64 {
    most.iter()
        .fold(0, |sum: u64, size| sum.saturating_add(*size))
}

/// The bytes of the values of a box besides the table; `None` if they are found without rows.
pub(super) fn bytes(solver: &Solver<'_>, most: &[u64]) -> Option<u128> {
    match method(solver, most) {
        Method::Levels(KernelBox { family, layout }) => {
            let largest = bound(most);
            Some(hypergraph_nim::bytes_of_levels(&family, &layout, largest))
        }
        Method::NimHeap => {
            let (family, layout) = with_nim_heap(solver, most, bound(most).min(FIRST))?;
            Some(hypergraph_nim::bytes(&family, &layout))
        }
        Method::Options => None,
    }
}

/// The values of a box, in its order; `None` where they are too many for a
/// row, or options are faster.
pub(super) fn values(
    solver: &Solver<'_>,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
) -> Result<Option<Vec<u32>>, SolveError> {
    limits.begin(Work::Solving, Some(shape.len as u64));
    match method(solver, &shape.most) {
        Method::Levels(planned) => {
            return by_levels(&planned, shape, convention, limits).map(Some);
        }
        Method::NimHeap => {}
        Method::Options => return Ok(None),
    }
    let bound = bound(&shape.most).max(1);
    let mut nim = bound.min(FIRST);
    loop {
        let Some((family, layout)) = with_nim_heap(solver, &shape.most, nim) else {
            return Ok(None);
        };
        let mut found = ValueSink {
            shape,
            found: Vec::new(),
            values: vec![0; shape.len],
            done: 0,
            larger: false,
            limits,
        };
        let start = Start {
            misere: convention == Convention::Misere,
            ..Start::default()
        };
        let planned = hypergraph_nim::sweep(&family, &layout, start, limits, &mut found);
        if !found.larger {
            planned.map_err(SolveError::from)?;
            return Ok(Some(found.values));
        }
        if nim >= MOST {
            return Ok(None);
        }
        nim = bound.min(2 * nim + 1);
    }
}

/// The values of a box, by a sweep for each value.
fn by_levels(
    planned: &KernelBox,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
) -> Result<Vec<u32>, SolveError> {
    let mut sink = InBox {
        layout: &planned.layout,
        shape,
        values: vec![0; shape.len],
    };
    let largest = bound(&shape.most);
    // Each value holds about the same number of positions.
    let each = shape.len as u64 / (largest + 1);
    hypergraph_nim::levels(
        &planned.family,
        &planned.layout,
        convention == Convention::Misere,
        largest,
        limits,
        &mut |levels| limits.set_done(each.saturating_mul(levels)),
        &mut sink,
    )
    .map_err(SolveError::from)?;
    Ok(sink.values)
}

/// The places of consecutive rows.
struct Places {
    /// The positions of a row.
    width: usize,
    /// The difference of places between the positions of a row.
    stride: usize,
    /// The number of consecutive rows that fill a run of places.
    together: usize,
}

impl Places {
    fn of(layout: &Layout, shape: &Shape) -> Places {
        // A row varies the last heap, or the Nim heap after all others.
        let before = layout.most.len() - 1;
        let (width, stride) = match shape.strides.get(layout.order[before]) {
            Some(stride) => (layout.most[before] as usize + 1, *stride),
            None => (1, 1),
        };
        let mut together = 1;
        for place in (0..before).rev() {
            if stride != 1 || shape.strides[layout.order[place]] != together * width {
                break;
            }
            together *= layout.most[place] as usize + 1;
        }
        Places {
            width,
            stride,
            together,
        }
    }

    /// The place of the first position of a row.
    fn of_row(layout: &Layout, shape: &Shape, row: usize) -> usize {
        let sizes = layout.row(row);
        sizes
            .iter()
            .zip(&layout.order)
            .map(|(size, heap)| *size as usize * shape.strides[*heap])
            .sum()
    }
}

/// Puts values in their places, which are those of some rows, one behind the
/// other.
fn put(layout: &Layout, shape: &Shape, first: usize, found: &[u32], values: &mut [u32]) {
    let places = Places::of(layout, shape);
    for (number, found) in found.chunks(places.together * places.width).enumerate() {
        let place = Places::of_row(layout, shape, first + number * places.together);
        if places.stride == 1 {
            values[place..][..found.len()].copy_from_slice(found);
        } else {
            for (value, found) in values[place..].iter_mut().step_by(places.stride).zip(found) {
                *value = *found;
            }
        }
    }
}

/// The values of a box.
struct InBox<'a> {
    layout: &'a Layout,
    shape: &'a Shape,
    values: Vec<u32>,
}

impl LevelSink for InBox<'_> {
    fn place(&mut self, first: usize, len: usize) -> Option<&mut [u32]> {
        let places = Places::of(self.layout, self.shape);
        let last = first + len / places.width - 1;
        if places.stride != 1 || first / places.together != last / places.together {
            return None;
        }
        let place = Places::of_row(self.layout, self.shape, first);
        self.values.get_mut(place..place + len)
    }

    fn take(&mut self, first: usize, values: &[u32]) {
        put(self.layout, self.shape, first, values, &mut self.values);
    }
}

/// Reads the value of a position from its row.
struct ValueSink<'a> {
    shape: &'a Shape,
    /// The values of the current rows.
    found: Vec<u32>,
    values: Vec<u32>,
    done: u64,
    /// Whether the value of some position exceeds the row.
    larger: bool,
    limits: &'a Limits,
}

impl Sink for ValueSink<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        self.found.clear();
        if layout.words == 1 {
            self.larger = words.contains(&0);
            let sizes = words.iter().map(|word| word.trailing_zeros());
            self.found.extend(sizes);
        } else {
            for row in words.chunks_exact(layout.words) {
                let Some(word) = row.iter().position(|word| *word != 0) else {
                    self.larger = true;
                    break;
                };
                self.found
                    .push(64 * word as u32 + row[word].trailing_zeros());
            }
        }
        if self.larger {
            // Nobody sees this one.
            return Err(LimitExceeded::Time);
        }
        put(layout, self.shape, first, &self.found, &mut self.values);
        self.done += self.found.len() as u64;
        self.limits.set_done(self.done);
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}
