//! Bit-parallel comparison of a claim with rows of outcomes.
//!
//! A row is all positions that differ in the last heap only. A condition is
//! evaluated for many positions at once: first for a block of rows, which differ
//! in the last heap but one, with the last heap open; then along each row in which
//! the condition may hold or fail. Each evaluation gives two sets of places: where
//! the condition can hold and where it can fail. Only at places in both sets is it
//! evaluated one by one. A part that is not supported, or that may have a fault,
//! is open at every place; if the other parts do not decide the condition, the
//! evaluation one by one reports the fault.

mod condition;
mod form;
mod number;
mod solved;
mod swap;

use super::{ClaimEvaluator, Counterexample, PositionFact};
use condition::{Along, Names, Node, Truth, node};
use nimrule_engine::{Outcome, SolveError};
use nimrule_kernels::{Layout, Rows};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::{Game, Statement};
use nimrule_syntax::ast::Direction;
use solved::{Marks, Solved};
use std::ops::Range;

/// The checkpoint holds the position and the outcome of the smallest
/// counterexample; the claimed value is computed again from the claim.
impl Resumable for RowEvaluator<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        match &self.smallest_counterexample {
            None => out.number(0),
            Some((_, found)) => {
                let is_p = found.actual == PositionFact::Outcome(Outcome::P);
                out.number(if is_p { 1 } else { 2 });
                out.words(&found.position);
            }
        }
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        let outcome = match from.number()? {
            0 => return Ok(()),
            1 => Outcome::P,
            _ => Outcome::N,
        };
        let position = from.list()?;
        let contradiction = self
            .evaluator
            .contradiction(self.statement, &position, outcome, None);
        let Ok(Some((actual, claimed))) = contradiction else {
            return Err(CheckpointError::Meaning("a counterexample"));
        };
        let total = self.game.tokens(&position);
        let found = Counterexample {
            position,
            actual,
            claimed,
        };
        self.smallest_counterexample = Some((total, found));
        Ok(())
    }
}

/// The number of places that are evaluated together: the bits of a word.
const PLACES: usize = 64;

/// A claim with the smallest counterexample found so far.
pub struct RowEvaluator<'g> {
    evaluator: ClaimEvaluator<'g>,
    game: &'g Game,
    statement: &'g Statement,
    /// The condition of a claim about P-positions, if it is supported.
    condition: Option<(Direction, Node<'g>)>,
    /// The condition solved for the last heap, if that is possible.
    solved: Option<Solved<'g>>,
    /// The order of heaps for which solving was tried.
    solved_for: Vec<usize>,
    marks: Marks,
    /// The smallest counterexample, with its total.
    smallest_counterexample: Option<(u128, Counterexample)>,
    position: Vec<u64>,
    /// Whether the last rows held no counterexample.
    is_right: bool,
    /// Whether the condition is invariant under exchanging two heaps (memo).
    is_invariant: Option<([usize; 2], bool)>,
}

impl<'g> RowEvaluator<'g> {
    pub fn new(game: &'g Game, statement: &'g Statement) -> RowEvaluator<'g> {
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
            statement,
            condition,
            solved: None,
            solved_for: Vec::new(),
            marks: Marks::default(),
            smallest_counterexample: None,
            position: vec![0; game.heap_count()],
            is_right: true,
            is_invariant: None,
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
            _ => swap::is_invariant(condition, one, other),
        };
        self.is_invariant = Some(([one, other], is_invariant));
        is_invariant && self.is_right
    }

    /// Merges the counterexample found in other rows.
    pub fn merge(&mut self, other: RowEvaluator<'_>) {
        let Some((total, found)) = other.smallest_counterexample else {
            return;
        };
        let is_smaller =
            self.smallest_counterexample
                .as_ref()
                .is_none_or(|(least, smallest_counterexample)| {
                    (total, &found.position) < (*least, &smallest_counterexample.position)
                });
        if is_smaller {
            self.smallest_counterexample = Some((total, found));
        }
    }

    pub fn smallest_counterexample(&self) -> Option<&Counterexample> {
        self.smallest_counterexample
            .as_ref()
            .map(|(_, found)| found)
    }

    pub fn into_counterexample(self) -> Option<Counterexample> {
        self.smallest_counterexample
            .map(|(_, counterexample)| counterexample)
    }

    /// Compares the claim with rows: see [`nimrule_kernels::Sink::rows`].
    pub fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let heaps = layout.most.len();
        let block = match heaps {
            0 | 1 => 1,
            _ => layout.most[heaps - 2] as usize + 1,
        };
        let outer = heaps.saturating_sub(2);
        let mut sizes = layout.row(rows.first);
        self.is_right = true;
        let mut done = 0;
        while done < rows.count() {
            // Up to the end of the block, and at most one row for each bit.
            let within = (rows.first + done) % block;
            let these = (block - within).min(PLACES).min(rows.count() - done);
            layout.write_position(&sizes[..outer], &mut self.position);
            self.block(layout, within, rows, done..done + these)?;
            done += these;
            if within + these == block {
                layout.advance(&mut sizes[..outer]);
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
        while looked_at != 0 {
            let number = looked_at.trailing_zeros() as usize;
            looked_at &= looked_at - 1;
            if let Some(before) = before {
                self.position[before] = (within + number) as u64;
            }
            for (word, bits) in rows.row(these.start + number).iter().enumerate() {
                let most = layout.most[heaps - 1] as usize;
                let places = (most + 1 - word * PLACES).min(PLACES);
                let can_hold = truth.can_hold >> number & 1 == 1;
                let can_fail = truth.can_fail >> number & 1 == 1;
                let can = (can_hold, can_fail);
                self.row(last, word * PLACES, places, *bits, can)?;
            }
        }
        Ok(())
    }

    /// Compares a part of one row, in which the heap has these sizes and the
    /// condition can hold and can fail.
    fn row(
        &mut self,
        last: usize,
        from: usize,
        places: usize,
        found: u64,
        (can_hold, can_fail): (bool, bool),
    ) -> Result<(), SolveError> {
        let all = u64::MAX >> (PLACES - places);
        let (open, wrong) = match &self.condition {
            None => (all, 0),
            Some((direction, condition)) => {
                let truth = match (can_hold, can_fail) {
                    (true, true) => condition.truth(&Along {
                        position: &self.position,
                        axis: last,
                        from: from as i64,
                        places,
                        open: 0,
                        told: None,
                    }),
                    (true, false) => Truth::of(true),
                    (false, _) => Truth::of(false),
                };
                let said = match direction {
                    Direction::Iff => u64::MAX,
                    Direction::If => !found,
                    Direction::OnlyIf => found,
                };
                let open = truth.can_hold & truth.can_fail & said;
                let wrong = match direction {
                    Direction::Iff => truth.can_hold ^ found,
                    Direction::If => truth.can_hold & !found,
                    Direction::OnlyIf => found & !truth.can_hold,
                };
                (open & all, wrong & !open & all)
            }
        };
        let mut left = open | wrong;
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            self.position[last] = (from + place) as u64;
            let outcome = if found >> place & 1 == 1 {
                Outcome::P
            } else {
                Outcome::N
            };
            let total = self.game.tokens(&self.position);
            let position = &self.position;
            let smaller = self.smallest_counterexample.as_ref().is_none_or(
                |(least, smallest_counterexample)| {
                    (total, position) < (*least, &smallest_counterexample.position)
                },
            );
            let contradiction = self
                .evaluator
                .contradiction(self.statement, position, outcome, None)
                .map_err(|fault| SolveError::Fault {
                    fault,
                    position: position.clone(),
                })?;
            let Some((actual, claimed)) = contradiction else {
                continue;
            };
            self.is_right = false;
            if smaller {
                let counterexample = Counterexample {
                    position: position.clone(),
                    actual,
                    claimed,
                };
                self.smallest_counterexample = Some((total, counterexample));
            }
        }
        Ok(())
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
        let differs = both.into_iter().any(|(found, claimed)| match direction {
            Direction::Iff => found != claimed,
            Direction::If => claimed & !found != 0,
            Direction::OnlyIf => found & !claimed != 0,
        });
        wrong |= u64::from(differs) << number;
    }
    wrong
}
