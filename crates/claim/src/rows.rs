//! Bit-parallel comparison of a claim with rows of outcomes.
//!
//! A row is all positions that differ in the last heap only. A condition is
//! evaluated first for a block of rows, which differ in the last heap but one, with the
//! last heap open. The result is two sets of rows: where the condition can hold and where
//! it can fail. A part that is not supported, or that may have a fault, is open in every
//! row. The positions of the rows in both sets are evaluated in batches ([`batch`]).
//!
//! [`batch`]: super::batch
//!
//! The outcomes are invariant under the symmetries of the rule. If the condition and the
//! box are as well, it is compared at the smallest position of each orbit only.

mod condition;
mod invariance;
mod number;
mod solved;

use super::batch::{BatchEvaluator, Claimed, Facts, LANES, lanes_of};
use super::{ClaimEvaluator, Counterexample, PositionFact, SmallestCounterexample};
use condition::{Along, Names, Node, Truth, node};
use nimrule_engine::{CanonicalRows, Limits, Outcome, Shape, SolveError};
use nimrule_ir::MoveGraph;
use nimrule_ir::batch::{Bits, Value};
use nimrule_kernels::{Layout, Rows};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Writer};
use nimrule_model::expr::{Bool, PlacedFault};
use nimrule_model::game::{Game, Statement};
use nimrule_syntax::ast::Direction;
use solved::{Marks, Solved};
use std::ops::Range;

/// The checkpoint holds the position and the answer of the smallest
/// counterexample; the claimed value is computed again from the claim.
impl RowEvaluator<'_> {
    pub fn save(&self, out: &mut Writer<'_>) {
        match self.found.get() {
            None => out.number(0),
            Some(found) => {
                match found.actual {
                    PositionFact::Grundy(value) => {
                        out.number(3);
                        out.number(value.cast_unsigned());
                    }
                    PositionFact::Outcome(Outcome::P) => out.number(1),
                    _ => out.number(2),
                }
                out.words(&found.position);
            }
        }
    }

    /// Forgets the counterexample.
    pub fn clear(&mut self) {
        self.found = SmallestCounterexample::default();
    }

    /// Adds a saved counterexample.
    pub fn add(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        let answer = match from.number()? {
            0 => return Ok(()),
            1 => Answer::Outcome(Outcome::P),
            2 => Answer::Outcome(Outcome::N),
            _ => Answer::Value(from.number()?),
        };
        let position = from.list()?;
        let contradiction = contradiction(&mut self.evaluator, self.statement, &position, answer);
        let Ok(Some((actual, claimed))) = contradiction else {
            return Err(CheckpointError::Meaning("a counterexample"));
        };
        let found = Counterexample {
            position,
            actual,
            claimed,
        };
        self.found.add(self.game, found);
        Ok(())
    }
}

/// The number of places that are evaluated together: the bits of a word.
const PLACES: usize = 64;

/// Whether a condition is invariant under each of the permutations of the heaps, by its text.
pub(crate) fn is_invariant(game: &Game, condition: &Bool, permutations: &[Vec<usize>]) -> bool {
    game.heap_count() <= PLACES
        && invariance::is_invariant(&node(&Names::of(game), condition), permutations)
}

/// A claim with the smallest counterexample found so far.
pub struct RowEvaluator<'g> {
    evaluator: ClaimEvaluator<'g>,
    game: &'g Game,
    graph: &'g MoveGraph,
    limits: &'g Limits,
    statement: &'g Statement,
    /// The condition of a claim about P-positions, if it is supported.
    condition: Option<(Direction, Node<'g>)>,
    /// The condition solved for the last heap, if that is possible.
    solved: Option<Solved<'g>>,
    /// The order of heaps for which solving was tried.
    solved_for: Vec<usize>,
    marks: Marks,
    found: SmallestCounterexample,
    position: Vec<u64>,
    /// Whether all of the last rows were compared and held no counterexample.
    is_right: bool,
    /// Whether the condition is invariant under exchanging two heaps (memo).
    is_invariant: Option<([usize; 2], bool)>,
    /// The layout of the rows for which the following is prepared.
    prepared_for: Option<Layout>,
    /// The claim, if batch evaluation supports it.
    claimed: Option<Claimed<'g>>,
    /// Whether the claim has a value at every position, so that it may be compared at
    /// some of them only.
    is_total: bool,
    /// Which rows hold positions to be compared; `None` if all do.
    canonical: Option<CanonicalRows>,
}

impl<'g> RowEvaluator<'g> {
    pub fn new(
        game: &'g Game,
        graph: &'g MoveGraph,
        statement: &'g Statement,
        limits: &'g Limits,
    ) -> RowEvaluator<'g> {
        let condition = match statement {
            Statement::Outcome {
                class: Outcome::P,
                up_to_symmetry: false,
                direction,
                condition,
                ..
            } if game.heap_count() <= PLACES => {
                Some((*direction, node(&Names::of(game), condition)))
            }
            _ => None,
        };
        RowEvaluator {
            evaluator: ClaimEvaluator::new(game),
            game,
            graph,
            limits,
            statement,
            condition,
            solved: None,
            solved_for: Vec::new(),
            marks: Marks::default(),
            found: SmallestCounterexample::default(),
            position: vec![0; game.heap_count()],
            is_right: true,
            is_invariant: None,
            prepared_for: None,
            claimed: None,
            is_total: false,
            canonical: None,
        }
    }

    /// Prepares the evaluation for rows of this layout: determines whether it suffices to
    /// compare canonical positions.
    fn prepare(&mut self, layout: &Layout) {
        if self.prepared_for.as_ref() == Some(layout) {
            return;
        }
        self.prepared_for = Some(layout.clone());
        self.claimed = Claimed::of(self.game, self.statement, &layout.most);
        let claimed = self.claimed.as_ref();
        self.is_total = claimed.is_some_and(|claimed| claimed.is_total(self.game, &layout.most));
        self.canonical = None;
        let Some((_, condition)) = &self.condition else {
            return;
        };
        let generators = self.game.facts.symmetries.generators();
        let mut most = vec![0; self.game.heap_count()];
        layout.write_position(&layout.most, &mut most);
        let keeps_box = |permutation: &Vec<usize>| {
            (0..most.len()).all(|heap| most[permutation[heap]] == most[heap])
        };
        if !generators.is_empty()
            && generators.iter().all(keeps_box)
            && self.is_total
            && invariance::is_invariant(condition, &generators)
        {
            self.canonical = Some(CanonicalRows::default());
        }
    }

    /// Whether the claim holds on the mirror image of the last rows because it
    /// held on these.
    pub fn holds_on_mirror(&mut self, layout: &Layout) -> bool {
        let (Some((_, condition)), &[one, other, ..]) = (&self.condition, &layout.order[..]) else {
            return false;
        };
        let is_invariant = match self.is_invariant {
            Some((heaps, same)) if heaps == [one, other] => same,
            _ => {
                let mut swap: Vec<usize> = (0..self.game.heap_count()).collect();
                swap.swap(one, other);
                invariance::is_invariant(condition, &[swap])
            }
        };
        self.is_invariant = Some(([one, other], is_invariant));
        is_invariant && self.is_total && self.is_right
    }

    /// Merges the counterexample found in other rows.
    pub fn merge(&mut self, other: RowEvaluator<'_>) {
        if let Some(found) = other.found.into_inner() {
            self.found.add(self.game, found);
        }
    }

    pub fn smallest_counterexample(&self) -> Option<&Counterexample> {
        self.found.get()
    }

    pub fn into_counterexample(self) -> Option<Counterexample> {
        self.found.into_inner()
    }

    /// Compares the claim with rows: see [`nimrule_kernels::Sink::rows`].
    pub fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        if let Statement::Grundy(_) = self.statement {
            return self.rows_of_values(layout, rows);
        }
        let heaps = layout.most.len();
        let block = match heaps {
            0 | 1 => 1,
            _ => layout.most[heaps - 2] as usize + 1,
        };
        let outer = heaps.saturating_sub(2);
        self.prepare(layout);
        let mut batch = None;
        let mut sizes = layout.row(rows.first);
        self.is_right = true;
        let mut done = 0;
        while done < rows.count() {
            let first = rows.first + done;
            if let Some(canonical) = &mut self.canonical {
                let without = canonical.rows_without(first);
                if without > 0 {
                    // Their mirror images are compared.
                    self.is_right = false;
                    done += without;
                    continue;
                }
                if !canonical.can_hold_one(self.game, layout, first) {
                    continue;
                }
                sizes = layout.row(first);
            }
            // Up to the end of the block, and at most one row for each bit.
            let within = first % block;
            let these = (block - within).min(PLACES).min(rows.count() - done);
            layout.write_position(&sizes[..outer], &mut self.position);
            self.block(layout, within, rows, done..done + these, &mut batch)?;
            done += these;
            if within + these == block {
                layout.advance(&mut sizes[..outer]);
            }
        }
        Ok(())
    }

    /// Compares the claim with the Grundy value of each row, which is the place of its only
    /// bit: see [`nimrule_engine::Engine::row_plan`].
    fn rows_of_values(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        self.prepare(layout);
        let heaps = layout.most.len() - 1;
        let shape = Shape::new(&layout.most[..heaps]).expect("the rows have numbers");
        let mut batch = BatchEvaluator::new(self.graph, self.limits);
        let mut values = [0_u32; LANES];
        for base in (0..rows.count()).step_by(LANES) {
            let count = LANES.min(rows.count() - base);
            let mut active = Bits::default();
            for (lane, value) in values[..count].iter_mut().enumerate() {
                let mut words = rows.row(base + lane).iter().enumerate();
                let (word, bits) = words
                    .find(|(_, word)| **word != 0)
                    .expect("the Nim heap reaches every value");
                *value = (word * PLACES) as u32 + bits.trailing_zeros();
                active[lane / PLACES] |= 1 << (lane % PLACES);
            }
            let first = rows.first + base;
            let failing = match &self.claimed {
                Some(claimed) => {
                    let sizes = || {
                        let by_place = shape.lanes(first, count);
                        let mut sizes = vec![Value::Same(0); heaps];
                        for (heap, size) in layout.order.iter().zip(by_place) {
                            sizes[*heap] = size;
                        }
                        sizes
                    };
                    batch.failing(claimed, sizes, active, &Facts::Grundy(&values[..count]))
                }
                None => active,
            };
            for lane in lanes_of(failing) {
                layout.write_position(&layout.row(first + lane), &mut self.position);
                self.compare(Answer::Value(values[lane].into()))?;
            }
        }
        Ok(())
    }

    /// Compares some rows that differ in the last heap but one, whose size is
    /// `within` in the first of them.
    fn block(
        &mut self,
        layout: &Layout,
        within: usize,
        rows: Rows<'_>,
        these: Range<usize>,
        batch: &mut Option<BatchEvaluator<'g>>,
    ) -> Result<(), SolveError> {
        let heaps = layout.most.len();
        // Of N-positions `P only if` says nothing.
        let only_if = matches!(self.condition, Some((Direction::OnlyIf, _)));
        let of_p = rows.nonzero(these.clone());
        if only_if && of_p == 0 {
            return Ok(());
        }
        // The heap that varies from row to row, and the heap that varies along a row.
        let before = heaps.checked_sub(2).map(|place| layout.order[place]);
        let last = layout.order[heaps - 1];
        let can = match (&self.condition, before) {
            (Some((direction, condition)), Some(axis)) => {
                if self.solved_for != layout.order {
                    self.solved = Solved::of(condition, &layout.order);
                    self.solved_for.clone_from(&layout.order);
                }
                let along = Along {
                    position: &self.position,
                    axis,
                    from: within as i64,
                    places: these.len(),
                    open: 1 << last,
                    told: None,
                };
                match &mut self.solved {
                    Some(solved) => {
                        let marks = &mut self.marks;
                        let open = solved.places(&along, layout, marks);
                        let wrong = wrong(*direction, rows, &these, marks);
                        marks.clear();
                        BlockResult::OnlyRows(open | wrong)
                    }
                    None => BlockResult::Places(condition.truth(&along)),
                }
            }
            _ => BlockResult::Places(Truth::OPEN),
        };
        let (truth, mut looked_at) = match can {
            BlockResult::OnlyRows(rows) => (Truth::OPEN, rows),
            // Rows without P-positions and without claimed ones agree; most rows are such.
            BlockResult::Places(truth) if only_if => (truth, of_p),
            BlockResult::Places(truth) => {
                let can_hold = truth.can_hold & (u64::MAX >> (PLACES - these.len()));
                (truth, can_hold | of_p)
            }
        };
        let mut undecided = 0_u64;
        while looked_at != 0 {
            let number = looked_at.trailing_zeros() as usize;
            looked_at &= looked_at - 1;
            let can_hold = truth.can_hold >> number & 1 == 1;
            if can_hold && truth.can_fail >> number & 1 == 1 {
                undecided |= 1 << number;
                continue;
            }
            let row = rows.first + these.start + number;
            let claimed = if can_hold { u64::MAX } else { 0 };
            for (word, found) in rows.row(these.start + number).iter().enumerate() {
                let from = word * PLACES;
                let places = (layout.width() - from).min(PLACES);
                let wrong = contradicting(self.direction(), *found, claimed);
                let mut left = wrong & (u64::MAX >> (PLACES - places));
                while left != 0 {
                    let place = left.trailing_zeros() as usize;
                    left &= left - 1;
                    self.compare_place(layout, row, from + place, found >> place & 1 == 1)?;
                }
            }
        }
        self.undecided_rows(layout, rows, (within, these), undecided, batch)
    }

    /// The direction of the claim, if it is about an outcome class.
    fn direction(&self) -> Direction {
        match self.statement {
            Statement::Outcome { direction, .. } => *direction,
            _ => Direction::Iff,
        }
    }

    /// Compares the claim at every position of some rows of a block. The heap that varies
    /// from row to row has the size `within` in the first row of the block.
    fn undecided_rows(
        &mut self,
        layout: &Layout,
        rows: Rows<'_>,
        (within, these): (usize, Range<usize>),
        undecided: u64,
        batch: &mut Option<BatchEvaluator<'g>>,
    ) -> Result<(), SolveError> {
        if undecided == 0 {
            return Ok(());
        }
        let width = layout.width();
        let first = undecided.trailing_zeros() as usize * width;
        let end = (PLACES - undecided.leading_zeros() as usize) * width;
        for from in (first..end).step_by(LANES) {
            let places = from..end.min(from + LANES);
            let active = in_lanes(width, places.clone(), |row, _| match undecided >> row & 1 {
                0 => 0,
                _ => u64::MAX,
            });
            if active == Bits::default() {
                continue;
            }
            let found = in_lanes(width, places, |row, word| rows.row(these.start + row)[word]);
            let failing = match &self.claimed {
                Some(claimed) => {
                    let batch =
                        batch.get_or_insert_with(|| BatchEvaluator::new(self.graph, self.limits));
                    let class = match self.statement {
                        Statement::Outcome {
                            class: Outcome::P, ..
                        } => found,
                        Statement::Outcome {
                            class: Outcome::N, ..
                        } => found.map(|bits| !bits),
                        _ => Bits::default(),
                    };
                    let sizes = || self.sizes(layout, within, from, end.min(from + LANES) - from);
                    batch.failing(claimed, sizes, active, &Facts::OfClass(class))
                }
                None => active,
            };
            for lane in lanes_of(failing) {
                let (row, place) = ((from + lane) / width, (from + lane) % width);
                let is_p = found[lane / PLACES] >> (lane % PLACES) & 1 == 1;
                self.compare_place(layout, rows.first + these.start + row, place, is_p)?;
            }
        }
        Ok(())
    }

    /// The size of each heap in `count` places of a block, from `from` on, a lane for each.
    fn sizes(&self, layout: &Layout, within: usize, from: usize, count: usize) -> Vec<Value> {
        let sizes = self.position.iter().map(|size| Value::Same(*size as i64));
        let mut sizes: Vec<Value> = sizes.collect();
        let width = layout.width();
        let varying = layout.order.iter().zip(&layout.most).rev();
        let strides = [(1, from % width, 0), (width, from / width, within)];
        for ((heap, most), (stride, steps, before)) in varying.zip(strides) {
            let first = (before + steps) as u64;
            let left = stride - from % stride;
            sizes[*heap] = Value::of_sizes(first, left, stride, *most, count);
        }
        sizes
    }

    /// Compares the claim at one place of a row, given by its number in the box.
    fn compare_place(
        &mut self,
        layout: &Layout,
        row: usize,
        place: usize,
        is_p: bool,
    ) -> Result<(), SolveError> {
        let mut sizes = layout.row(row);
        sizes.push(place as u64);
        layout.write_position(&sizes, &mut self.position);
        self.compare(Answer::Outcome(if is_p { Outcome::P } else { Outcome::N }))
    }

    /// Compares the claim at the current position.
    fn compare(&mut self, answer: Answer) -> Result<(), SolveError> {
        let position = &self.position;
        let contradiction = contradiction(&mut self.evaluator, self.statement, position, answer)
            .map_err(|fault| SolveError::Fault {
                fault,
                position: position.clone(),
            })?;
        let Some((actual, claimed)) = contradiction else {
            return Ok(());
        };
        self.is_right = false;
        if self.found.is_above(self.game, position) {
            let counterexample = Counterexample {
                position: position.clone(),
                actual,
                claimed,
            };
            self.found.add(self.game, counterexample);
        }
        Ok(())
    }
}

/// What rows tell of a position.
#[derive(Clone, Copy)]
enum Answer {
    Outcome(Outcome),
    Value(u64),
}

/// What is true at a position with this answer, and what the claim says, if they differ.
fn contradiction(
    evaluator: &mut ClaimEvaluator<'_>,
    statement: &Statement,
    position: &[u64],
    answer: Answer,
) -> Result<Option<(PositionFact, PositionFact)>, PlacedFault> {
    let (outcome, value) = match answer {
        Answer::Outcome(outcome) => (outcome, None),
        Answer::Value(0) => (Outcome::P, Some(0)),
        Answer::Value(value) => (Outcome::N, Some(value)),
    };
    evaluator.contradiction(statement, position, outcome, value)
}

/// Consecutive places of rows, lane by lane, from the words of the rows. The first place is
/// in the row 0.
fn in_lanes(width: usize, places: Range<usize>, word: impl Fn(usize, usize) -> u64) -> Bits {
    let mut bits = Bits::default();
    let mut place = places.start;
    while place < places.end {
        let (row, within, lane) = (place / width, place % width, place - places.start);
        // Up to the end of the word, of the row, and of the places.
        let bit = within % PLACES;
        let count = (PLACES - bit).min(width - within).min(places.end - place);
        let found = word(row, within / PLACES) >> bit & (u64::MAX >> (PLACES - count));
        bits[lane / PLACES] |= found << (lane % PLACES);
        if lane % PLACES + count > PLACES {
            bits[lane / PLACES + 1] |= found >> (PLACES - lane % PLACES);
        }
        place += count;
    }
    bits
}

/// The places at which a claim in this direction contradicts what was found.
fn contradicting(direction: Direction, found: u64, claimed: u64) -> u64 {
    match direction {
        Direction::Iff => found ^ claimed,
        Direction::If => claimed & !found,
        Direction::OnlyIf => found & !claimed,
    }
}

/// The result for a block of rows.
enum BlockResult {
    /// Only these rows may have counterexamples.
    OnlyRows(u64),
    /// Where the condition can hold, and where it can fail.
    Places(Truth),
}

/// The rows whose marks contradict their P-positions, for a claim in this
/// direction.
fn wrong(direction: Direction, rows: Rows<'_>, these: &Range<usize>, marks: &Marks) -> u64 {
    let mut wrong = 0;
    let mut left = marks.rows | rows.nonzero(these.clone());
    while left != 0 {
        let number = left.trailing_zeros() as usize;
        left &= left - 1;
        let both = rows.row(these.start + number).iter().zip(marks.row(number));
        let differs = both
            .into_iter()
            .any(|(found, claimed)| contradicting(direction, *found, *claimed) != 0);
        wrong |= u64::from(differs) << number;
    }
    wrong
}
