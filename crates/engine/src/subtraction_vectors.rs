//! Vector subtraction games: a move subtracts a vector of a set that is the same at
//! every position, wherever the result is not negative ("subtraction game" in
//! `docs/src/glossary.md`).
//!
//! In a rule whose conditions read only the amounts taken, the moves from the largest
//! corner of a box are all vectors that apply in the box. If every move takes the same
//! number from each heap of a set, the vectors follow from the rule without a walk.
//! Vectors are grouped into arithmetic progressions, from which
//! [`nimrule_kernels::subtraction_vectors`] computes the outcomes of whole rows.
//!
//! Grundy values are computed one value after another: the positions with the value
//! g are the P-positions of the game without the positions of smaller values. Each of
//! them has options of every smaller value, and none of value g.

use super::enumeration::Enumeration;
use super::options;
use super::strategy::{CHEAP, is_by_options};
use super::table::{OutcomeRows, each_bit};
use super::{
    Engine, Limits, Query, Question, Resumption, RowPlan, Shape, SolveError, Solver, Table,
    TableValues, options_below, work_below,
};
use nimrule_ir::EqualNumbers;
use nimrule_kernels::columns::ColumnSizes;
use nimrule_kernels::subtraction_vectors::{self as rows, Progression, VectorKernel, progressions};
use nimrule_kernels::{Layout, Rows, Sink, Start};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;
use std::cell::RefCell;

/// The engine for vector subtraction games; see the [module](self).
pub struct SubtractionVectors;

impl Engine for SubtractionVectors {
    fn name(&self) -> &'static str {
        "vectors"
    }

    fn can(&self, solver: &Solver<'_>, _query: Query) -> Result<(), String> {
        if solver.graph.heaps == 0 {
            return Err("there are no heaps".to_owned());
        }
        solver.profile.looks_at_amounts_only.clone()
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        let positions = Shape::count(most);
        match query.question {
            Question::Outcome => positions.saturating_mul(2),
            Question::Grundy => positions.saturating_mul(6),
        }
    }

    fn operations(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> Option<u128> {
        // The number of options that a sweep processes per operation, for outcomes.
        let options = options_below(solver, most) / 32;
        if options <= CHEAP / 100 {
            return Some(options);
        }
        let last = solver.cache::<LastMoves>();
        let mut last = last.0.borrow_mut();
        let kept = last.take().filter(|(of, _)| of == most);
        let (_, planned) = last.insert(kept.unwrap_or_else(|| {
            let moves = moves(solver, most, &Limits::of_memory(u64::MAX));
            let planned = moves.ok().flatten();
            (most.to_vec(), planned)
        }));
        let Some((layout, moves)) = planned else {
            return Enumeration.operations(solver, most, query);
        };
        let by_rows = operations(most, layout, moves, query.question);
        Some(match query.question {
            Question::Outcome => options.min(by_rows),
            // The values are found by whatever is faster.
            Question::Grundy => {
                let listed = vectors(most, moves).saturating_mul(Shape::count(most));
                by_rows.min(listed).min(work_below(solver, most))
            }
        })
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let planned = moves(solver, &shape.most, limits)?;
        let of_rows = |(layout, moves): &(Layout, Vec<Progression>)| {
            query.question == Question::Outcome
                || !is_by_options(
                    solver,
                    &shape.most,
                    operations(&shape.most, layout, moves, query.question),
                )
        };
        let Some((layout, moves)) = planned.filter(of_rows) else {
            // For so many vectors, or values, enumeration is faster.
            return Enumeration.fill(solver, shape, query, limits);
        };
        let values = match query.question {
            Question::Outcome => {
                let mut outcomes = OutcomeRows::new(shape);
                let start = Start {
                    misere: query.convention == Convention::Misere,
                    ..Start::default()
                };
                rows::outcomes(&layout, &moves, start, limits, &mut outcomes)
                    .map_err(SolveError::from)?;
                TableValues::Outcomes(outcomes.values)
            }
            Question::Grundy => {
                TableValues::Grundy(values(&layout, &moves, shape, query.convention, limits)?)
            }
        };
        Ok(Table::of_box(shape, values, self.name()))
    }

    fn row_plan(
        &self,
        solver: &Solver<'_>,
        most: &[u64],
        question: Question,
        _in_any_order: bool,
    ) -> Option<RowPlan> {
        let (layout, moves) = moves(solver, most, &Limits::of_memory(u64::MAX)).ok()??;
        let (layout, moves) = match question {
            Question::Outcome => (layout, moves),
            Question::Grundy => {
                let most = [most, &[bound(most, &moves)]].concat();
                (
                    Layout::new(&most)?,
                    with_nim_heap(solver.graph.heaps, moves),
                )
            }
        };
        let bytes = VectorKernel::bytes(&layout, &moves);
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
        match moves_of_rows(solver, layout, question, limits)? {
            Some(moves) => {
                rows::outcomes(layout, &moves, start, limits, sink).map_err(SolveError::from)
            }
            None => Err(self.cannot("there are too many vectors".to_owned())),
        }
    }

    fn column_sizes(
        &self,
        solver: &Solver<'_>,
        layout: &Layout,
        question: Question,
    ) -> Result<Option<ColumnSizes>, String> {
        let limits = Limits::of_memory(u64::MAX);
        let moves = moves_of_rows(solver, layout, question, &limits);
        let moves = moves.map_err(|failure| failure.to_string())?;
        let moves = moves.ok_or_else(|| "there are too many vectors".to_owned())?;
        Ok(rows::column_sizes(layout, &moves))
    }
}

/// The moves of a planned box ([`Engine::row_plan`]); `None` if there are too many.
fn moves_of_rows(
    solver: &Solver<'_>,
    layout: &Layout,
    question: Question,
    limits: &Limits,
) -> Result<Option<Vec<Progression>>, SolveError> {
    let moves = moves(solver, &layout.most[..solver.graph.heaps], limits)?;
    Ok(moves.map(|(_, moves)| match question {
        Question::Outcome => moves,
        Question::Grundy => with_nim_heap(solver.graph.heaps, moves),
    }))
}

/// The moves of the sum with a Nim heap, which becomes the last heap.
fn with_nim_heap(heaps: usize, mut moves: Vec<Progression>) -> Vec<Progression> {
    for progression in &mut moves {
        progression.offset.push(0);
        progression.direction.push(0);
    }
    let mut one = vec![0; heaps];
    one.push(1);
    moves.push(Progression {
        offset: one.clone(),
        direction: one,
        count: u64::MAX,
    });
    moves
}

/// The largest value that a position may have: each move takes at least as many tokens as the
/// vector with fewest, and in misere play a terminal position has the value 1.
fn bound(most: &[u64], moves: &[Progression]) -> u64 {
    let tokens = |sizes: &[u64]| {
        sizes
            .iter()
            .fold(0_u64, |sum, size| sum.saturating_add(*size))
    };
    let least = moves.iter().map(|progression| tokens(&progression.offset));
    tokens(most) / least.min().unwrap_or(1).max(1) + 1
}

/// The box whose operations were estimated last, with its moves.
#[derive(Default)]
struct LastMoves(RefCell<Option<(Vec<u64>, Planned)>>);

/// The layout of a box and its moves; `None` if there are too many.
type Planned = Option<(Layout, Vec<Progression>)>;

/// The number of vectors of the moves of a box.
fn vectors(most: &[u64], moves: &[Progression]) -> u128 {
    let widest = most.iter().max().map_or(1, |most| most + 1);
    let counts = moves.iter().map(|one| u128::from(one.count.min(widest)));
    counts.sum()
}

/// An estimate of the operations for a box by rows, with a sweep for each value.
fn operations(most: &[u64], layout: &Layout, moves: &[Progression], question: Question) -> u128 {
    let words = (layout.rows * layout.words) as u128;
    // Each word that a progression is applied to takes as long as two options.
    let sweep = 2 * moves.len() as u128 * words;
    match question {
        Question::Outcome => sweep,
        // A value is at most the number of options.
        Question::Grundy => sweep * (u128::from(bound(most, moves)).min(vectors(most, moves)) + 1),
    }
}

fn moves(solver: &Solver<'_>, most: &[u64], limits: &Limits) -> Result<Planned, SolveError> {
    let Some(layout) = Layout::new(most) else {
        return Ok(None);
    };
    if let Ok(sets) = &solver.profile.equal_numbers {
        return Ok(Some((layout, progressions_of(sets, most.len()))));
    }
    let vectors = options::vectors(solver, most, limits)?;
    Ok(vectors.map(|vectors| (layout, progressions(&vectors, most))))
}

/// The progressions of moves that take the same number from each heap of a set.
fn progressions_of(sets: &[EqualNumbers], heaps: usize) -> Vec<Progression> {
    let mut progressions = Vec::new();
    for set in sets {
        let mut direction = vec![0; heaps];
        for heap in &set.heaps {
            direction[heap.index()] = 1;
        }
        for (least, most) in &set.runs {
            progressions.push(Progression {
                offset: direction.iter().map(|one| one * least).collect(),
                direction: direction.clone(),
                count: (most - least).saturating_add(1),
            });
        }
    }
    progressions
}

/// The Grundy values of a box, level by level.
fn values(
    layout: &Layout,
    moves: &[Progression],
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
) -> Result<Vec<u32>, SolveError> {
    let mut kernel = VectorKernel::new(layout, moves, limits).map_err(SolveError::from)?;
    let mut assigned = vec![0; layout.rows * layout.words];
    let mut sink = ValueSink {
        value: 0,
        left: shape.len,
        assigned: assigned.clone(),
        values: vec![0; shape.len],
    };
    while sink.left > 0 {
        // Under misère play a terminal position is an N-position; in the second round
        // it becomes the first position of value 1.
        let misere = convention == Convention::Misere && sink.value == 0;
        kernel
            .sweep(misere, Some(&assigned), limits, &mut sink)
            .map_err(SolveError::from)?;
        assigned.copy_from_slice(&sink.assigned);
        sink.value += 1;
    }
    Ok(sink.values)
}

/// The sink that assigns the value of the current level to its positions.
struct ValueSink {
    /// The value of the current level.
    value: u32,
    /// The number of positions without a value.
    left: usize,
    /// The positions with a value, as rows of bits.
    assigned: Vec<u64>,
    values: Vec<u32>,
}

impl Sink for ValueSink {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        let width = layout.width();
        for (row, words) in words.chunks_exact(layout.words).enumerate() {
            let place = first + row;
            let values = &mut self.values[place * width..][..width];
            let assigned = &mut self.assigned[place * layout.words..][..layout.words];
            for ((values, assigned), word) in values.chunks_mut(64).zip(assigned).zip(words) {
                *assigned |= *word;
                self.left -= word.count_ones() as usize;
                each_bit(*word, |bit| values[bit] = self.value);
            }
        }
        Ok(())
    }
}
