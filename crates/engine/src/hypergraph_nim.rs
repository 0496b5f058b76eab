//! Hypergraph Nim: a move lowers the heaps of one hyperedge by any amounts.
//!
//! The row-mex kernel ([`nimrule_kernels::hypergraph_nim`]) computes the rows of a
//! box. Grundy values are found from outcomes of the sum of the game and a Nim heap.
//! On a shrinking board the hyperedges depend on the set of non-empty heaps. In boxes
//! of heaps of at most one token, positions are sets of heaps, which `single` solves
//! directly.

mod family;
mod single;
mod values;

use super::answer::box_below;
use super::enumeration::Enumeration;
use super::table::{IS_N, IS_P};
use super::{
    Engine, Limits, Lookup, Query, Question, Resumption, RowPlan, Shape, SolveError, Solver, Table,
    TableValues, work_below,
};
use family::{MOST_VANISHING, family};
use nimrule_ir::Hyperedges;
use nimrule_kernels::columns::ColumnSizes;
use nimrule_kernels::hypergraph_nim::{self, HypergraphNim};
use nimrule_kernels::{Layout, Rows, Sink, Start};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;

/// The engine for hypergraph Nim; see the [module](self).
pub struct HypergraphNimEngine;

/// The largest number of rows of a planned box.
const MOST_ROWS: u64 = 1 << 44;

impl Engine for HypergraphNimEngine {
    fn name(&self) -> &'static str {
        "hypergraph"
    }

    fn state_version(&self) -> u32 {
        hypergraph_nim::STATE_VERSION
    }

    fn can(&self, solver: &Solver<'_>, _query: Query) -> Result<(), String> {
        let edges = solver.profile.hyperedges.as_ref().map_err(Clone::clone)?;
        match edges {
            Hyperedges::Remaining { .. } if solver.graph.heaps > MOST_VANISHING => {
                Err(format!("at most {MOST_VANISHING} heaps may vanish"))
            }
            _ if live(solver).is_empty() => Err("no move takes from any heap".to_owned()),
            _ => Ok(()),
        }
    }

    fn bytes(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        let positions = Shape::count(most);
        let Some(planned) = KernelBox::new(solver, most, order(solver, most)) else {
            return u128::MAX;
        };
        match query.question {
            Question::Outcome => planned.bytes().saturating_add(positions),
            Question::Grundy => values::bytes(solver, most)
                .unwrap_or(0)
                .saturating_add(positions.saturating_mul(4)),
        }
    }

    fn operations(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> Option<u128> {
        if query.question == Question::Grundy {
            return Some(work_below(solver, most));
        }
        // A row costs one or two word operations per hyperedge; on a shrinking
        // board also a lookup of the hyperedges.
        let together = match &solver.profile.hyperedges {
            Ok(Hyperedges::Fixed(_)) => 32,
            _ => 8,
        };
        Some(Shape::count(most) / together)
    }

    fn is_faster_than_search(&self) -> bool {
        true
    }

    fn bytes_of_one(&self, solver: &Solver<'_>, position: &[u64], query: Query) -> u128 {
        if query.question == Question::Grundy {
            return self.bytes(solver, position, query);
        }
        if single::selections(solver, position).is_some() {
            return single::bytes(Shape::count(position));
        }
        let planned = KernelBox::new(solver, position, order(solver, position));
        planned.map_or(u128::MAX, |planned| {
            planned.bytes().saturating_add(planned.bytes_of_rows())
        })
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let table = |values| Table::of_box(shape, values, self.name());
        if query.question == Question::Outcome
            && let Some(selections) = single::selections(solver, &shape.most)
        {
            let single = single::Single::solve(&selections, shape, query.convention, limits)?;
            let values = (0..shape.len).map(|place| if single.is_n(place) { IS_N } else { IS_P });
            return Ok(table(TableValues::Outcomes(values.collect())));
        }
        let planned = KernelBox::new(solver, &shape.most, order(solver, &shape.most))
            .ok_or_else(|| self.too_large(limits))?;
        match query.question {
            Question::Outcome => {
                let mut values = vec![IS_N; shape.len];
                let mut places = planned.places(shape);
                let mut mark = OnEachBit(|place: usize| values[places.place(place)] = IS_P);
                planned.sweep(query.convention, limits, &mut mark)?;
                Ok(table(TableValues::Outcomes(values)))
            }
            Question::Grundy => match values::values(solver, shape, query.convention, limits)? {
                Some(values) => Ok(table(TableValues::Grundy(values))),
                None => Enumeration.fill(solver, shape, query, limits),
            },
        }
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        if query.question == Question::Grundy {
            let fill = |shape: &Shape| self.fill(solver, shape, query, limits);
            let needed = || self.bytes(solver, position, query);
            return box_below(fill, needed, position, limits);
        }
        if let Some(selections) = single::selections(solver, position) {
            let single = single::lookup(&selections, position, query, limits)?;
            return Ok(Box::new(single));
        }
        let planned = KernelBox::new(solver, position, order(solver, position))
            .ok_or_else(|| self.too_large(limits))?;
        limits
            .check_memory(self.bytes_of_one(solver, position, query))
            .map_err(SolveError::from)?;
        let mut store = RowStore {
            words: vec![0; planned.layout.rows * planned.layout.words],
        };
        planned.sweep(query.convention, limits, &mut store)?;
        Ok(Box::new(RowLookup {
            planned,
            words: store.words,
        }))
    }

    fn row_plan(
        &self,
        solver: &Solver<'_>,
        most: &[u64],
        question: Question,
        accepts_any_order: bool,
    ) -> Option<RowPlan> {
        if question == Question::Grundy {
            let (family, layout) = values::with_nim_heap(solver, most, values::bound(most) + 1)?;
            let bytes = hypergraph_nim::bytes(&family, &layout);
            return (layout.rows as u64 <= MOST_ROWS).then_some(RowPlan { layout, bytes });
        }
        let mut order: Vec<usize> = (0..most.len()).collect();
        if accepts_any_order {
            twins_first(solver, most, &mut order);
        }
        let planned = KernelBox::new(solver, most, order)?;
        let bytes = planned.bytes();
        Some(RowPlan {
            layout: planned.layout,
            bytes,
        })
    }

    fn resumption(&self) -> Resumption {
        Resumption::Slabs
    }

    fn rows(
        &self,
        solver: &Solver<'_>,
        layout: &Layout,
        question: Question,
        start: Start<'_>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        let family = family_of_rows(solver, layout, question);
        let family = family.map_err(|reason| self.cannot(reason))?;
        hypergraph_nim::sweep(&family, layout, start, limits, sink).map_err(SolveError::from)
    }

    fn column_sizes(
        &self,
        solver: &Solver<'_>,
        layout: &Layout,
        question: Question,
    ) -> Result<Option<ColumnSizes>, String> {
        let family = family_of_rows(solver, layout, question)?;
        Ok(hypergraph_nim::column_sizes(&family, layout))
    }
}

/// The family of a planned box ([`Engine::row_plan`]).
fn family_of_rows(
    solver: &Solver<'_>,
    layout: &Layout,
    question: Question,
) -> Result<HypergraphNim, String> {
    let edges = solver.profile.hyperedges.as_ref().map_err(Clone::clone)?;
    match (question, layout.order.split_last()) {
        (Question::Grundy, Some((_, order))) => {
            Ok(family(edges, order)?.with_nim_heap(order.len()))
        }
        _ => family(edges, &layout.order),
    }
}

impl HypergraphNimEngine {
    fn too_large(&self, limits: &Limits) -> SolveError {
        SolveError::Memory {
            needed: u128::MAX,
            limit: limits.memory,
        }
    }
}

/// The order of the heaps in the sweep: ascending by size from the outermost, and
/// innermost the largest heap that a move lowers. The order is stable and omits
/// empty heaps.
fn order(solver: &Solver<'_>, sizes: &[u64]) -> Vec<usize> {
    let live = live(solver);
    let mut order: Vec<usize> = (0..sizes.len()).filter(|heap| sizes[*heap] > 0).collect();
    order.sort_by_key(|heap| sizes[*heap]);
    match order.iter().rposition(|heap| live.contains(heap)) {
        Some(last) => {
            let last = order.remove(last);
            order.push(last);
        }
        // A row needs at least one heap, which may be empty.
        None => order.extend(live.first()),
    }
    twins_first(solver, sizes, &mut order);
    order
}

/// Moves interchangeable heaps of the smallest size to the front, so that half of
/// the box is the mirror image of the other half; the last heap stays last.
fn twins_first(solver: &Solver<'_>, sizes: &[u64], order: &mut [usize]) {
    // With fewer heaps, and a Nim heap added to them, the kernel has no two outer
    // ones.
    if order.len() < 5 {
        return;
    }
    let Ok(edges) = &solver.profile.hyperedges else {
        return;
    };
    let Ok(family) = family(edges, order) else {
        return;
    };
    let places = order.len().saturating_sub(1);
    let least = order.first().map_or(0, |heap| sizes[*heap]);
    let is_least = |place: &usize| sizes[order[*place]] == least;
    let twins = (0..places).filter(is_least).find_map(|one| {
        let others = (one + 1..places).filter(is_least);
        let mut twins = others.filter(|other| family.are_interchangeable(one, *other));
        twins.next().map(|other| (one, other))
    });
    // The heaps before them keep their order.
    if let Some((one, other)) = twins {
        order[..=other].rotate_right(1);
        order[..=one + 1].rotate_right(1);
    }
}

/// The heaps that a move can lower.
fn live(solver: &Solver<'_>) -> Vec<usize> {
    match &solver.profile.hyperedges {
        Ok(Hyperedges::Fixed(sets)) => {
            let mut live: Vec<usize> = sets.iter().flatten().map(|heap| heap.index()).collect();
            live.sort_unstable();
            live.dedup();
            live
        }
        Ok(Hyperedges::Remaining { .. }) => (0..solver.graph.heaps).collect(),
        Err(_) => Vec::new(),
    }
}

/// A box in the representation of the kernel.
struct KernelBox {
    family: HypergraphNim,
    layout: Layout,
}

impl KernelBox {
    fn new(solver: &Solver<'_>, most: &[u64], order: Vec<usize>) -> Option<KernelBox> {
        let edges = solver.profile.hyperedges.as_ref().ok()?;
        let family = family(edges, &order).ok()?;
        family.fits(order.len()).ok()?;
        let layout = Layout::in_order(most, order)?;
        // The bits of all rows must have numbers ([`KernelBox::bit`]).
        let bits = layout.words.checked_mul(64)?.checked_mul(layout.rows);
        bits.filter(|_| layout.rows as u64 <= MOST_ROWS)?;
        Some(KernelBox { family, layout })
    }

    fn bytes(&self) -> u128 {
        hypergraph_nim::bytes(&self.family, &self.layout)
    }

    fn bytes_of_rows(&self) -> u128 {
        8 * self.layout.rows as u128 * self.layout.words as u128
    }

    fn sweep(
        &self,
        convention: Convention,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        let start = Start {
            misere: convention == Convention::Misere,
            ..Start::default()
        };
        hypergraph_nim::sweep(&self.family, &self.layout, start, limits, sink)
            .map_err(SolveError::from)
    }

    fn places<'a>(&'a self, shape: &'a Shape) -> PlacesOf<'a> {
        let in_order = self.layout.order.is_sorted();
        PlacesOf {
            planned: self,
            shape,
            in_order,
            row: usize::MAX,
            first: 0,
        }
    }

    /// The index of a position among the bits of the rows.
    fn bit(&self, position: &[u64]) -> usize {
        let (last, others) = self.layout.order.split_last().expect("there are heaps");
        let row = others
            .iter()
            .zip(&self.layout.most)
            .fold(0, |row, (heap, most)| {
                row * (*most as usize + 1) + position[*heap] as usize
            });
        row * self.layout.words * 64 + position[*last] as usize
    }
}

/// The map from bits of rows to places of the table.
struct PlacesOf<'a> {
    planned: &'a KernelBox,
    shape: &'a Shape,
    in_order: bool,
    /// The last row queried, and the place of its first position.
    row: usize,
    first: usize,
}

impl PlacesOf<'_> {
    /// The place of a position, given its bit among the rows.
    fn place(&mut self, bit: usize) -> usize {
        let layout = &self.planned.layout;
        let (row, size) = (bit / (layout.words * 64), bit % (layout.words * 64));
        let heaps = layout.most.len();
        if self.in_order {
            return row * (layout.most[heaps - 1] as usize + 1) + size;
        }
        if row != self.row {
            self.row = row;
            let sizes = layout.row(row).into_iter().zip(&layout.order);
            self.first = sizes
                .map(|(size, heap)| size as usize * self.shape.strides[*heap])
                .sum();
        }
        self.first + size * self.shape.strides[layout.order[heaps - 1]]
    }
}

/// Calls a function with the index of every set bit.
struct OnEachBit<F>(F);

impl<F: FnMut(usize)> Sink for OnEachBit<F> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let first = rows.first;
        for (number, word) in rows.words.iter().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                (self.0)((first * layout.words + number) * 64 + bit);
                bits &= bits - 1;
            }
        }
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}

/// A sink that stores all rows.
struct RowStore {
    words: Vec<u64>,
}

impl Sink for RowStore {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let from = rows.first * layout.words;
        self.words[from..][..rows.words.len()].copy_from_slice(rows.words);
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}

/// The outcomes of the box below a position.
struct RowLookup {
    planned: KernelBox,
    words: Vec<u64>,
}

impl Lookup for RowLookup {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        let bit = self.planned.bit(position);
        Ok(u64::from(self.words[bit / 64] >> (bit % 64) & 1 == 0))
    }
}
