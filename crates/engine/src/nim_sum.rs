//! Nim-sums: the Grundy value of a position is the nim-sum of the values of its
//! heaps (Sprague 1935, Grundy 1939), each the term of a sequence.

mod multiset;

use super::enumeration::Mex;
use super::strategy::CHEAP;
use super::table::{IS_P, NO_VALUE, OutcomeRows};
use super::{
    Engine, Limits, Lookup, Query, Question, Resumption, RowPlan, Scope, Shape, SolveError, Solver,
    Table, TableValues, Work, heap_sequences, options_below,
};
use nimrule_ir::{Alternative, Walker};
use nimrule_kernels::columns::ColumnSizes;
use nimrule_kernels::{Layout, Sink, Start, nim_sums};
use nimrule_model::game::Convention;
use nimrule_sequence::Sequence;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The engine for nim-sums; see the [module](self).
pub struct NimSum;

/// The largest heap whose outcomes are found without the values of all heaps before it.
const MOST_IN_A_TABLE: u64 = 1 << 27;

/// The operations for the sequence of the only heap; 0 of several heaps, whose sequences are small
/// compared with any box.
fn work_of_one_heap(solver: &Solver<'_>, position: &[u64]) -> u128 {
    match position {
        // Later heaps need a period, which few large sets of numbers have.
        [..=MOST_IN_A_TABLE] if solver.graph.kinds.is_none() => options_below(solver, position),
        _ => 0,
    }
}

impl Engine for NimSum {
    fn name(&self) -> &'static str {
        "nim-sum"
    }

    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        if query.convention == Convention::Misere {
            return Err(
                "under misere play a position is more than the sum of its heaps".to_owned(),
            );
        }
        if solver.graph.kinds.is_some() {
            let rules = solver.profile.heap_rules.as_ref();
            return rules.map(|_| ()).map_err(Clone::clone);
        }
        solver
            .profile
            .one_heap
            .as_ref()
            .map(|_| ())
            .map_err(Clone::clone)
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        let positions = Shape::count(most);
        match query.question {
            Question::Outcome => match Layout::new(most) {
                Some(layout) => bytes_of_rows(&layout).saturating_add(positions),
                None => positions,
            },
            Question::Grundy => positions.saturating_mul(4),
        }
    }

    fn suits(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
        _limits: &Limits,
    ) -> Result<(), String> {
        let is_slow = work_of_one_heap(solver, position) > CHEAP / 10;
        match query.question == Question::Outcome && is_slow {
            true if solver.profile.looks_at_amounts_only.is_ok() => {
                Err("the outcomes of one heap need no values".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        // Each heap has a sequence, and each checks the limit itself.
        0
    }

    fn operations_of_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        _query: Query,
    ) -> Option<u128> {
        Some(work_of_one_heap(solver, position))
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let sequences = ValuesByHeap::up_to(solver, &shape.most, limits)?;
        let values = match query.question {
            Question::Outcome => {
                let mut rows = OutcomeRows::new(shape);
                match Layout::new(&shape.most) {
                    Some(layout) => sequences.rows(&layout, Start::default(), limits, &mut rows)?,
                    // Without heaps there is one position, from which no move leads.
                    None => rows.values.fill(IS_P),
                }
                TableValues::Outcomes(rows.values)
            }
            Question::Grundy => {
                let mut values = TableValues::with_capacity(query.question, shape.len);
                limits.begin(Work::Solving, Some(shape.len as u64));
                shape.try_each::<SolveError>(|position, place| {
                    if place % (1 << 16) == 0 {
                        limits.check_time_at(place as u64)?;
                    }
                    values.push(Some(in_a_table(sequences.value(position))?));
                    Ok(())
                })?;
                values
            }
        };
        Ok(Table::of_box(shape, values, self.name()))
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        _query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        if let Some(kinds) = &solver.graph.kinds {
            return Ok(Box::new(multiset::MultisetLookup::new(
                solver, kinds, position, limits,
            )?));
        }
        Ok(Box::new(ValuesByHeap::up_to(solver, position, limits)?))
    }

    fn row_plan(
        &self,
        solver: &Solver<'_>,
        most: &[u64],
        question: Question,
        accepts_any_order: bool,
    ) -> Option<RowPlan> {
        solver.profile.one_heap.as_ref().ok()?;
        let mut order: Vec<usize> = (0..most.len()).collect();
        if accepts_any_order {
            // The largest heap last, so that there are few rows.
            order.sort_by_key(|heap| most[*heap]);
        }
        let mut most = most.to_vec();
        if question == Question::Grundy {
            // No value exceeds the size of its heap, and no nim-sum all binary digits of them.
            let sizes = most.iter().fold(0, |digits, size| digits | size);
            order.push(most.len());
            most.push(u64::MAX.checked_shr(sizes.leading_zeros()).unwrap_or(0));
        }
        let layout = Layout::in_order(&most, order)?;
        let bytes = bytes_of_rows(&layout);
        Some(RowPlan { layout, bytes })
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
        let mut most = vec![0; layout.order.len()];
        layout.write_position(&layout.most, &mut most);
        let mut values = ValuesByHeap::up_to(solver, &most[..solver.graph.heaps], limits)?;
        if question == Question::Grundy {
            values.heaps.push(HeapValues::Size);
        }
        values.rows(layout, start, limits, sink)
    }

    fn column_sizes(
        &self,
        _solver: &Solver<'_>,
        layout: &Layout,
        _question: Question,
    ) -> Result<Option<ColumnSizes>, String> {
        Ok(nim_sums::column_sizes(layout).map(|sizes| ColumnSizes {
            thread: bytes_of_rows(layout),
            ..sizes
        }))
    }
}

/// The bytes of memory for the rows of a box, with a sequence for each heap.
fn bytes_of_rows(layout: &Layout) -> u128 {
    let sizes: u128 = layout.most.iter().map(|most| u128::from(*most) + 1).sum();
    nim_sums::bytes(layout) + 4 * sizes
}

/// A Grundy value in the type of a table.
fn in_a_table(value: u64) -> Result<u32, SolveError> {
    u32::try_from(value)
        .ok()
        .filter(|value| *value != NO_VALUE)
        .ok_or_else(|| NimSum.cannot(format!("the Grundy value {value} is too large for a table")))
}

/// The Grundy values of each heap alone.
struct ValuesByHeap<'s> {
    ways: &'s [Vec<Alternative>],
    heaps: Vec<HeapValues>,
}

/// Heaps with the same moves share a list.
#[derive(Clone)]
enum HeapValues {
    /// Any number may be taken: the value of a heap is its size.
    Size,
    PositionList(Arc<Vec<u32>>),
    /// The first values and a proved period, or all values.
    Sequence(Arc<Sequence>),
}

/// From this size on, the values of a heap with constant moves may end at a proved period.
const LONG: u64 = 1 << 20;

impl HeapValues {
    fn value(&self, size: u64) -> u64 {
        match self {
            HeapValues::Size => size,
            HeapValues::PositionList(values) => u64::from(values[size as usize]),
            // INVARIANT: the sequence reaches the largest heap.
            HeapValues::Sequence(sequence) => sequence.value(size).expect("a known value"),
        }
    }
}

impl<'s> ValuesByHeap<'s> {
    fn up_to(
        solver: &'s Solver<'_>,
        most: &[u64],
        limits: &Limits,
    ) -> Result<ValuesByHeap<'s>, SolveError> {
        let ways = solver
            .profile
            .one_heap
            .as_ref()
            .map_err(|reason| NimSum.cannot(reason.clone()))?;
        let mut heaps = vec![HeapValues::Size; most.len()];
        // Heaps with the same constant ways to move share a sequence, that of
        // the largest of them, which comes first here.
        let mut largest_first: Vec<usize> = (0..most.len()).collect();
        largest_first.sort_by_key(|heap| Reverse(most[*heap]));
        let mut shared: Vec<(&[Alternative], usize)> = Vec::new();
        let mut held = 0_u128;
        for heap in largest_first {
            let alternatives = ways[heap].as_slice();
            if alternatives.contains(&Alternative::Any) {
                continue;
            }
            let constant = !alternatives.contains(&Alternative::Other);
            let twin = shared.iter().find(|(same, _)| *same == alternatives);
            if let Some((_, twin)) = twin {
                heaps[heap] = heaps[*twin].clone();
                continue;
            }
            if constant
                && most[heap] >= LONG
                && let Ok(rules) = &solver.profile.heap_rules
            {
                let kind = rules.kind_of_heap[heap];
                let mut sequences = heap_sequences::reaching(solver, most[heap], limits)?;
                if sequences[kind].value(most[heap]).is_some() {
                    let sequence = Arc::new(sequences.swap_remove(kind));
                    heaps[heap] = HeapValues::Sequence(sequence);
                    shared.push((alternatives, heap));
                    continue;
                }
            }
            held = held.saturating_add((u128::from(most[heap]) + 1) * 4);
            if held > u128::from(limits.memory) {
                return Err(SolveError::Memory {
                    needed: held,
                    limit: limits.memory,
                });
            }
            let values = sequence(solver, heap, alternatives, most[heap], limits)?;
            heaps[heap] = HeapValues::PositionList(Arc::new(values));
            if constant {
                shared.push((alternatives, heap));
            }
        }
        Ok(ValuesByHeap { ways, heaps })
    }

    fn value(&self, position: &[u64]) -> u64 {
        position
            .iter()
            .zip(&self.heaps)
            .fold(0, |sum, (size, heap)| sum ^ heap.value(*size))
    }

    /// Passes the outcomes of a box to a sink, as [`Engine::rows`].
    fn rows(
        &self,
        layout: &Layout,
        start: Start<'_>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        let heaps: Vec<&HeapValues> = layout.order.iter().map(|heap| &self.heaps[*heap]).collect();
        let value = |heap: usize, size| heaps[heap].value(size);
        nim_sums::outcomes(layout, value, start, limits, sink).map_err(SolveError::from)
    }
}

/// The values of one heap from 0 to `most`.
fn sequence(
    solver: &Solver<'_>,
    heap: usize,
    alternatives: &[Alternative],
    most: u64,
    limits: &Limits,
) -> Result<Vec<u32>, SolveError> {
    if !alternatives.contains(&Alternative::Other) {
        return by_runs(alternatives, most, limits);
    }
    let mut strides = vec![0; solver.graph.heaps];
    strides[heap] = 1;
    let mut walker = Walker::new(&solver.graph, &strides).until(limits);
    let mut position = vec![0; solver.graph.heaps];
    let mut options = |size: u64, visit: &mut dyn FnMut(usize)| {
        position[heap] = size;
        let visited = walker.options(&position, size as usize, &mut |_, option| {
            visit(option);
            ControlFlow::Continue(())
        });
        visited.map_err(|stop| SolveError::of(stop, &position))
    };
    // PERF: where no condition reads the heap, its numbers are listed once.
    let mut numbers = None;
    if solver.profile.looks_at_amounts_only.is_ok() {
        let mut all = Vec::new();
        options(most, &mut |option| all.push(most as usize - option))?;
        all.sort_unstable();
        all.dedup();
        numbers = Some(all);
    }
    let mut values: Vec<u32> = Vec::with_capacity(most as usize + 1);
    let mut mex = Mex::default();
    limits.begin(Work::Heaps, Some(most + 1));
    for size in 0..=most as usize {
        if size.is_multiple_of(256) {
            limits.check_time_at(size as u64)?;
        }
        mex.clear();
        match &numbers {
            Some(numbers) => {
                let taken = numbers.iter().take_while(|number| **number <= size);
                taken.for_each(|number| mex.add(values[size - number]));
            }
            None => _ = options(size as u64, &mut |option| mex.add(values[option]))?,
        }
        values.push(mex.value());
    }
    Ok(values)
}

/// The values of a heap from which intervals of numbers may be taken. The options
/// of an interval are a window of the sequence, which slides by one term per
/// size.
fn by_runs(
    alternatives: &[Alternative],
    most: u64,
    limits: &Limits,
) -> Result<Vec<u32>, SolveError> {
    let runs: Vec<(u64, u64)> = alternatives
        .iter()
        .flat_map(|alternative| match alternative {
            Alternative::Runs(runs) => runs.as_slice(),
            Alternative::Any | Alternative::Other => &[],
        })
        .copied()
        .filter(|(low, _)| *low <= most)
        .collect();
    let mut values: Vec<u32> = Vec::with_capacity(most as usize + 1);
    let mut option_values = OptionValues::default();
    limits.begin(Work::Heaps, Some(most + 1));
    for size in 0..=most {
        if size % 1024 == 0 {
            limits.check_time_at((size as usize) as u64)?;
        }
        for (low, high) in &runs {
            if size >= *low {
                option_values.add(values[(size - low) as usize]);
            }
            if size > *high {
                option_values.remove(values[(size - high - 1) as usize]);
            }
        }
        values.push(option_values.mex());
    }
    Ok(values)
}

/// The multiset of the values of options, with the set of its members as bits.
#[derive(Default)]
struct OptionValues {
    times: Vec<u32>,
    bits: Vec<u64>,
}

impl OptionValues {
    fn add(&mut self, value: u32) {
        let value = value as usize;
        if value >= self.times.len() {
            self.times.resize(value + 1, 0);
            self.bits.resize(value / 64 + 1, 0);
        }
        self.times[value] += 1;
        self.bits[value / 64] |= 1 << (value % 64);
    }

    fn remove(&mut self, value: u32) {
        let value = value as usize;
        self.times[value] -= 1;
        if self.times[value] == 0 {
            self.bits[value / 64] &= !(1 << (value % 64));
        }
    }

    fn mex(&self) -> u32 {
        let word = self.bits.iter().position(|word| *word != u64::MAX);
        let mex = match word {
            Some(word) => word * 64 + self.bits[word].trailing_ones() as usize,
            None => self.bits.len() * 64,
        };
        // INVARIANT: a mex is at most the heap's size, whose sequence fits
        // the memory.
        mex as u32
    }
}

impl Lookup for ValuesByHeap<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        Ok(ValuesByHeap::value(self, position))
    }

    fn moves_to(
        &mut self,
        wanted: u64,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        let all = ValuesByHeap::value(self, position) ^ wanted;
        let mut winning = BTreeSet::new();
        for (heap, size) in position.iter().copied().enumerate() {
            // The value that this heap must get.
            let wanted = all ^ self.heaps[heap].value(size);
            let mut left: Vec<u64> = Vec::new();
            if matches!(self.heaps[heap], HeapValues::Size) {
                left.extend((wanted < size).then_some(wanted));
            } else {
                for alternative in &self.ways[heap] {
                    if let Alternative::Runs(runs) = alternative {
                        for (low, high) in runs.iter().filter(|(low, _)| *low <= size) {
                            left.extend((*low..=size.min(*high)).map(|number| size - number));
                        }
                    }
                }
                if self.ways[heap].contains(&Alternative::Other) {
                    let mut alone = vec![0; position.len()];
                    alone[heap] = size;
                    Walker::new(&solver.graph, &[])
                        .until(limits)
                        .options(&alone, 0, &mut |option, _| {
                            left.push(option[heap]);
                            ControlFlow::Continue(())
                        })
                        .map_err(|stop| SolveError::of(stop, &alone))?;
                }
                left.retain(|rest| self.heaps[heap].value(*rest) == wanted);
            }
            for rest in left {
                let mut option = position.to_vec();
                option[heap] = rest;
                winning.insert(option);
            }
        }
        Ok(winning.into_iter().collect())
    }
}
