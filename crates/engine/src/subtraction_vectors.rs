//! Constant vectors: a move subtracts one of a family that is the same for
//! every position.
//!
//! Where the moves look at nothing but the numbers they take, the options of
//! the box's far corner are all vectors that any position of the box may ask
//! for; where each move takes the same number from some heaps they are known
//! without a walk. They are gathered into progressions, and [`nimrule_kernels::subtraction_vectors`]
//! finds the outcomes of whole rows from them. Grundy values are found by one
//! run after another: the positions of value g are those of value less than g
//! assigned out, the P-positions of what is left, for a position that is left has
//! an option of each lower value, and none of its own.

use super::enumeration::Enumeration;
use super::options;
use super::table::{IS_N, IS_P};
use super::{
    Engine, Limits, Query, Question, Region, Resumption, RowPlan, Shape, SolveError, Solver, Table,
    TableValues, work_below,
};
use nimrule_ir::EqualNumbers;
use nimrule_kernels::subtraction_vectors::{self as rows, Progression, VectorKernel, progressions};
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;

pub struct SubtractionVectors;

impl Engine for SubtractionVectors {
    fn name(&self) -> &'static str {
        "vectors"
    }

    fn can(&self, solver: &Solver<'_>, _asked: Query) -> Result<(), String> {
        solver.is_impartial_and_ends()?;
        if solver.graph.heaps == 0 {
            return Err("there is no heap".to_owned());
        }
        solver.profile.looks_at_amounts_only.clone()
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], asked: Query) -> u128 {
        let positions = Shape::count(most);
        match asked.question {
            Question::Outcome => positions.saturating_mul(2),
            Question::Grundy => positions.saturating_mul(6),
        }
    }

    fn operations(&self, solver: &Solver<'_>, most: &[u64], asked: Query) -> Option<u128> {
        // So many options are looked at together; for values the box is gone
        // through once for each.
        let together = match asked.question {
            Question::Outcome => 32,
            Question::Grundy => 2,
        };
        Some(work_below(solver, most) / together)
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let Some((layout, moves)) = moves(solver, &shape.most, limits)? else {
            // So many vectors that they are best looked up one by one.
            return Enumeration.fill(solver, shape, asked, limits);
        };
        let values = match asked.question {
            Question::Outcome => {
                let mut outcomes = OutcomeSink {
                    values: vec![IS_N; shape.len],
                };
                let misere = asked.convention == Convention::Misere;
                rows::outcomes(&layout, &moves, misere, limits, None, &mut outcomes)
                    .map_err(SolveError::from)?;
                TableValues::Outcomes(outcomes.values)
            }
            Question::Grundy => {
                TableValues::Grundy(values(&layout, &moves, shape, asked.convention, limits)?)
            }
        };
        Ok(Table {
            region: Region::Box(shape.clone()),
            values,
            engine: self.name(),
        })
    }

    fn row_plan(&self, solver: &Solver<'_>, most: &[u64], _in_any_order: bool) -> Option<RowPlan> {
        let (layout, moves) = moves(solver, most, &Limits::of_memory(u64::MAX)).ok()??;
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
        convention: Convention,
        limits: &Limits,
        from: Option<(u64, &[u8])>,
        sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        let cannot = |reason: &str| SolveError::Cannot {
            engine: self.name(),
            reason: reason.to_owned(),
        };
        let misere = convention == Convention::Misere;
        match moves(solver, &layout.most, limits)? {
            Some((layout, moves)) => rows::outcomes(&layout, &moves, misere, limits, from, sink)
                .map_err(SolveError::from),
            None => Err(cannot("there are too many vectors")),
        }
    }
}

/// The moves of a box; `None` where they are too many to be listed.
fn moves(
    solver: &Solver<'_>,
    most: &[u64],
    limits: &Limits,
) -> Result<Option<(Layout, Vec<Progression>)>, SolveError> {
    let Some(layout) = Layout::new(most) else {
        return Ok(None);
    };
    if let Ok(sets) = &solver.profile.equal_numbers {
        return Ok(Some((layout, progressions_of(sets, most.len()))));
    }
    let vectors = options::vectors(solver, most, limits)?;
    Ok(vectors.map(|vectors| (layout, progressions(&vectors, most))))
}

/// The progressions of moves that take the same number from each of some heaps.
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
        // Under misere play an end position is no P-position; it is the first
        // to have the value 1, for no option stands in its way.
        let misere = convention == Convention::Misere && sink.value == 0;
        kernel
            .sweep(misere, Some(&assigned), limits, &mut sink)
            .map_err(SolveError::from)?;
        assigned.copy_from_slice(&sink.assigned);
        sink.value += 1;
    }
    Ok(sink.values)
}

/// Positions of a row.
fn width(layout: &Layout) -> usize {
    layout.most.last().map_or(0, |most| *most as usize + 1)
}

/// Positions become outcomes.
struct OutcomeSink {
    values: Vec<u8>,
}

impl Sink for OutcomeSink {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        let width = width(layout);
        for (row, words) in words.chunks_exact(layout.words).enumerate() {
            let start = (first + row) * width;
            let values = &mut self.values[start..][..width];
            for (values, word) in values.chunks_mut(64).zip(words) {
                each_bit(*word, |bit| values[bit] = IS_P);
            }
        }
        Ok(())
    }
}

/// The positions found get the value of the sink.
struct ValueSink {
    value: u32,
    /// Positions without a value.
    left: usize,
    /// Positions that have one, as rows.
    assigned: Vec<u64>,
    values: Vec<u32>,
}

impl Sink for ValueSink {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        let width = width(layout);
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

fn each_bit(mut word: u64, mut f: impl FnMut(usize)) {
    while word != 0 {
        f(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}
