//! Claims held against whole rows of outcomes.
//!
//! A condition is evaluated for many positions at once: first for a block of
//! rows, which differ in the last heap but one, with the last heap left open;
//! then, in those rows where the condition may hold or fail, along the row.
//! What comes out of either is two sets of places, those where the condition
//! can hold and those where it can fail; only where a place is in both is the
//! condition evaluated by itself. A part that cannot be followed in this way,
//! or that has no value somewhere, is simply open: where the other parts do not
//! decide the condition alone, the plain evaluation meets the fault.

mod condition;
mod form;
mod number;
mod solved;
mod swap;

use super::{Counterexample, Judge, Said};
use condition::{Along, Names, Node, Truth, node};
use nimrule_engine::{Failure, Outcome};
use nimrule_kernels::{Layout, Rows};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::{Game, Statement};
use nimrule_syntax::ast::Direction;
use solved::{Marks, Solved};
use std::ops::Range;

/// The smallest counterexample is what there is to keep: its position and its
/// outcome, from which the claim says again what is wrong.
impl Resumable for RowJudge<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        match &self.worst {
            None => out.number(0),
            Some((_, found)) => {
                let is_p = found.actual == Said::Outcome(Outcome::P);
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
        let objection = self
            .judge
            .objection(self.statement, &position, outcome, None);
        let Ok(Some((actual, claimed))) = objection else {
            return Err(CheckpointError::Meaning("a counterexample"));
        };
        let total = self.game.tokens(&position);
        let found = Counterexample {
            position,
            actual,
            claimed,
        };
        self.worst = Some((total, found));
        Ok(())
    }
}

/// Places looked at together: the bits of a word.
const PLACES: usize = 64;

/// A claim, and what was found wrong with it so far.
pub struct RowJudge<'g> {
    judge: Judge<'g>,
    game: &'g Game,
    statement: &'g Statement,
    /// The condition of a claim about P-positions, where it can be followed.
    condition: Option<(Direction, Node<'g>)>,
    /// The same solved for the last heap, where that can be done.
    solved: Option<Solved<'g>>,
    /// The last heap for which this was tried.
    solved_for: Option<usize>,
    marks: Marks,
    /// The smallest counterexample, with its total.
    worst: Option<(u128, Counterexample)>,
    position: Vec<u64>,
    /// Was it wrong nowhere in the rows that were looked at last?
    is_right: bool,
    /// Does it say the same with two heaps exchanged, where this was asked?
    says_the_same: Option<([usize; 2], bool)>,
}

impl<'g> RowJudge<'g> {
    pub fn new(game: &'g Game, statement: &'g Statement) -> RowJudge<'g> {
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
        RowJudge {
            judge: Judge::new(game),
            game,
            statement,
            condition,
            solved: None,
            solved_for: None,
            marks: Marks::default(),
            worst: None,
            position: vec![0; game.heap_count()],
            is_right: true,
            says_the_same: None,
        }
    }

    /// Is what it says of the mirror image of the rows that it saw last right
    /// because it was right of these?
    pub fn mirrors(&mut self, layout: &Layout) -> bool {
        let (Some((_, condition)), &[one, other, ..]) = (&self.condition, &layout.order[..]) else {
            return false;
        };
        let says_the_same = match self.says_the_same {
            Some((heaps, same)) if heaps == [one, other] => same,
            _ => swap::says_the_same(condition, one, other),
        };
        self.says_the_same = Some(([one, other], says_the_same));
        says_the_same && self.is_right
    }

    /// Takes over what was found wrong in other rows.
    pub fn gather(&mut self, other: RowJudge<'_>) {
        let Some((total, found)) = other.worst else {
            return;
        };
        let is_smaller = self
            .worst
            .as_ref()
            .is_none_or(|(least, worst)| (total, &found.position) < (*least, &worst.position));
        if is_smaller {
            self.worst = Some((total, found));
        }
    }

    pub fn worst(&self) -> Option<&Counterexample> {
        self.worst.as_ref().map(|(_, found)| found)
    }

    pub fn into_worst(self) -> Option<Counterexample> {
        self.worst.map(|(_, counterexample)| counterexample)
    }

    /// Holds the claim against rows: see [`nimrule_kernels::Sink::rows`].
    pub fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), Failure> {
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
            // Up to the end of the block, and no more rows than places.
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

    /// Some of the rows, which differ in the last heap but one; that is
    /// `within` in the first of them.
    fn block(
        &mut self,
        layout: &Layout,
        within: usize,
        rows: Rows<'_>,
        these: Range<usize>,
    ) -> Result<(), Failure> {
        let heaps = layout.most.len();
        // The heap along whose sizes the rows of a block lie, and that along
        // which a row lies.
        let before = heaps.checked_sub(2).map(|place| layout.order[place]);
        let last = layout.order[heaps - 1];
        let can = match (&self.condition, before) {
            (Some((direction, condition)), Some(axis)) => {
                if self.solved_for != Some(last) {
                    self.solved = Solved::of(condition, last);
                    self.solved_for = Some(last);
                }
                let along = Along {
                    position: &self.position,
                    axis,
                    from: within as i64,
                    places: these.len(),
                    open: 1 << last,
                    told: None,
                };
                match &self.solved {
                    Some(solved) => {
                        let marks = &mut self.marks;
                        let open = solved.places(&along, layout, marks);
                        let wrong = wrong(*direction, rows, &these, marks);
                        marks.clear();
                        Can::Only(open | wrong)
                    }
                    None => Can::Hold(condition.truth(&along)),
                }
            }
            _ => Can::Hold(Truth::OPEN),
        };
        let (truth, mut looked_at) = match can {
            Can::Only(rows) => (Truth::OPEN, rows),
            // Rows without a P-position where none is claimed are as they
            // should be, and most rows are such.
            Can::Hold(truth) => {
                let can_hold = truth.can_hold & (u64::MAX >> (PLACES - these.len()));
                (truth, can_hold | rows.nonzero(these.clone()))
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

    /// A stretch of one row, in which this heap has these sizes; the condition
    /// can hold there, and can fail.
    fn row(
        &mut self,
        last: usize,
        from: usize,
        places: usize,
        found: u64,
        (can_hold, can_fail): (bool, bool),
    ) -> Result<(), Failure> {
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
                let open = truth.can_hold & truth.can_fail;
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
            let smaller = self
                .worst
                .as_ref()
                .is_none_or(|(least, worst)| (total, position) < (*least, &worst.position));
            let objection = self
                .judge
                .objection(self.statement, position, outcome, None)
                .map_err(|fault| Failure::Fault {
                    fault,
                    position: position.clone(),
                })?;
            let Some((actual, claimed)) = objection else {
                continue;
            };
            self.is_right = false;
            if smaller {
                let counterexample = Counterexample {
                    position: position.clone(),
                    actual,
                    claimed,
                };
                self.worst = Some((total, counterexample));
            }
        }
        Ok(())
    }
}

/// What is known of a block of rows.
enum Can {
    /// In these rows alone it may be wrong.
    Only(u64),
    /// Where it can hold, and where it can fail.
    Hold(Truth),
}

/// The rows in which other places are marked than there are P-positions, as a
/// claim in this direction has it.
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
