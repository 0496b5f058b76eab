//! The plan of a sweep: the planes that are stored, and the reads of each row.

use super::Progression;
use super::lines::Shift;
use super::within_row::{Amounts, RowMoves};
use crate::Layout;
use crate::word::Word;
use std::ops::Range;

/// The most words of a row for which a line has several rows; longer rows are
/// lines of one row.
pub(super) const MOST_WORDS_IN_LINE: usize = 4;

/// Progressions of fewer vectors are read vector by vector.
const MIN_VECTORS: u64 = 3;

/// A vector as an offset to an earlier row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The outer heaps that it lowers, with the least sizes that they need.
    pub needs: Vec<(usize, u64)>,
    /// The number of lines back.
    pub lines: usize,
    /// The number of rows back in the line, and the shift of the rows.
    pub shift: Shift,
}

/// The definition of a plane: a set of positions, from which progressions are
/// read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// The P-positions.
    PPositions,
    /// The positions from which any number of the plane's steps, 0 included,
    /// leads to a P-position.
    Cumulative,
    /// Twice the range of the plane `of`: if `of` covers the step counts 0 to
    /// n − 1, this plane covers 0 to 2n − 1. The plane's own step is n steps.
    Double { of: usize },
    /// The positions from which less than `count` steps of `by` tokens in the
    /// packed heap lead to a P-position.
    Smear { count: u64, by: u64 },
}

/// A plane: its definition, and the lines that are stored.
#[derive(Debug, Clone)]
pub(super) struct Plane {
    pub recipe: Recipe,
    pub step: Option<Step>,
    /// Whether rows of the same line read it; else only later lines do.
    pub per_row: bool,
    /// The number of lines that are stored, the current one included.
    pub lines: usize,
    /// How many slabs, and how many strips, it is read back.
    pub back: [usize; 2],
}

impl Plane {
    /// Stores as many lines as this step reads.
    fn is_read(&mut self, step: &Step) {
        self.lines = self.lines.max(step.lines + 1);
        for (heap, size) in &step.needs {
            if let Some(back) = self.back.get_mut(*heap) {
                *back = (*back).max(*size as usize);
            }
        }
    }
}

/// A read of a plane by each row.
#[derive(Debug, Clone)]
pub(super) struct Load {
    pub plane: usize,
    pub step: Step,
    /// A second offset, whose bits are removed: the end of the progression.
    pub minus: Option<Step>,
}

/// A minimal vector: the offset of the other heaps, and the tokens that it
/// takes from the packed heap.
#[derive(Debug, Clone)]
pub(super) struct MinimalVector {
    pub step: Step,
    pub packed: u64,
}

/// The plan of a sweep of a box.
#[derive(Debug, Clone)]
pub(super) struct Plan<T> {
    /// The largest sizes of the outer heaps, which are constant in a line.
    pub outer: Vec<u64>,
    /// The strips whose lines are stored: sizes of the second outer heap.
    pub window: Range<usize>,
    /// Rows of a line.
    pub rows: usize,
    /// Words of a row.
    pub words: usize,
    /// The bits of a row's last word that are positions.
    pub full: T,
    pub planes: Vec<Plane>,
    /// The moves within a row: the numbers taken from the packed heap.
    row_amounts: Vec<Amounts>,
    /// Reads of earlier lines.
    pub earlier_lines: Vec<Load>,
    /// Reads of earlier rows of the same line, the nearest first.
    pub same_line: Vec<Load>,
    /// The minimal vectors.
    pub minimal_vectors: Vec<MinimalVector>,
    /// The most rows that a row reads back in its line.
    pub max_rows_back: usize,
    most: Vec<u64>,
    strides: Vec<usize>,
}

impl<T: Word> Plan<T> {
    /// The plan of a whole box.
    pub fn new(layout: &Layout, progressions: &[Progression]) -> Plan<T> {
        Plan::of_window(layout, progressions, None)
    }

    /// The plan of a column with these strips. Its window begins before them, with the
    /// strips that it reads.
    pub fn of_column(
        layout: &Layout,
        progressions: &[Progression],
        strips: &Range<usize>,
    ) -> Plan<T> {
        let back = Plan::<T>::new(layout, progressions).strips_back();
        let window = strips.start.saturating_sub(back)..strips.end;
        Plan::of_window(layout, progressions, Some(window))
    }

    fn of_window(
        layout: &Layout,
        progressions: &[Progression],
        window: Option<Range<usize>>,
    ) -> Plan<T> {
        let most = layout.most.clone();
        let (last, others) = most.split_last().expect("a layout has a heap");
        let words = *last as usize / T::BITS as usize + 1;
        let (outer, rows) = match others.split_last() {
            Some((along, outer)) if words <= MOST_WORDS_IN_LINE => (outer, *along as usize + 1),
            _ => (others, 1),
        };
        let window = window.unwrap_or(0..outer.get(1).map_or(1, |most| *most as usize + 1));
        let mut strides = vec![1; outer.len()];
        for heap in (1..outer.len()).rev() {
            let sizes = match heap {
                1 => window.len(),
                _ => outer[heap] as usize + 1,
            };
            strides[heap - 1] = strides[heap] * sizes;
        }
        let used = last % u64::from(T::BITS) + 1;
        let full = match used == u64::from(T::BITS) {
            true => !T::ZERO,
            false => T::of_u64((1 << used) - 1),
        };
        let mut plan = Plan {
            outer: outer.to_vec(),
            window,
            rows,
            words,
            full,
            planes: vec![Plane {
                recipe: Recipe::PPositions,
                step: None,
                per_row: true,
                lines: 1,
                back: [0; 2],
            }],
            row_amounts: Vec::new(),
            earlier_lines: Vec::new(),
            same_line: Vec::new(),
            minimal_vectors: Vec::new(),
            max_rows_back: 0,
            strides,
            most,
        };
        plan.add_all(progressions);
        plan.choose_storage();
        plan
    }

    fn packed(&self) -> usize {
        self.most.len() - 1
    }

    /// The moves within a row, whose list may need much memory.
    pub fn row_moves(&self) -> RowMoves<T> {
        RowMoves::new(&self.row_amounts, self.most[self.packed()])
    }

    pub fn bytes_of_row_moves(&self) -> u128 {
        RowMoves::<T>::bytes(&self.row_amounts, self.most[self.packed()])
    }

    fn step(&self, vector: &[u64]) -> Step {
        let (common, rest) = vector.split_at(self.outer.len());
        let needs: Vec<(usize, u64)> = common
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, size)| *size > 0)
            .collect();
        let packed = vector[self.packed()];
        Step {
            lines: needs
                .iter()
                .map(|(h, n)| self.strides[*h] * *n as usize)
                .sum(),
            needs,
            shift: Shift {
                rows: if rest.len() == 2 { rest[0] as usize } else { 0 },
                words: (packed / u64::from(T::BITS)) as usize,
                bits: (packed % u64::from(T::BITS)) as u32,
            },
        }
    }

    /// The vector of number `times` of a progression; `None` if it is outside of
    /// the box.
    fn vector(&self, progression: &Progression, times: u64) -> Option<Vec<u64>> {
        let sizes = progression.offset.iter().zip(&progression.direction);
        sizes
            .zip(&self.most)
            .map(|((offset, direction), most)| {
                let far = direction.checked_mul(times)?.checked_add(*offset)?;
                (far <= *most).then_some(far)
            })
            .collect()
    }

    /// The part of a progression in the box, and whether it continues to the
    /// border of the box; `None` if no vector is in the box.
    fn clip(&self, progression: &Progression) -> Option<(Progression, bool)> {
        self.vector(progression, 0)?;
        let steps = progression
            .offset
            .iter()
            .zip(&progression.direction)
            .zip(&self.most);
        let fits = steps
            .filter(|((_, direction), _)| **direction > 0)
            .map(|((offset, direction), most)| (most - offset) / direction + 1)
            .min()
            .unwrap_or(1);
        let count = progression.count.min(fits);
        (count > 0).then(|| {
            let progression = Progression {
                count,
                ..progression.clone()
            };
            (progression, count == fits)
        })
    }

    fn add_all(&mut self, progressions: &[Progression]) {
        let packed = self.packed();
        let in_box: Vec<(Progression, bool)> =
            progressions.iter().filter_map(|w| self.clip(w)).collect();
        // The directions of which every multiple is a move.
        let unbounded: Vec<Vec<u64>> = in_box
            .iter()
            .filter(|(progression, to_border)| {
                *to_border && progression.offset == progression.direction
            })
            .map(|(progression, _)| progression.direction.clone())
            .collect();
        let mut minimal: Vec<Vec<u64>> = Vec::new();
        for (mut progression, to_border) in in_box {
            minimal.push(progression.offset.clone());
            let in_row = |vector: &[u64]| vector[..packed].iter().all(|size| *size == 0);
            if in_row(&progression.offset) {
                // The vectors of the progression that lie in the row.
                let count = if in_row(&progression.direction) {
                    progression.count
                } else {
                    1
                };
                self.row_amounts.push(Amounts {
                    first: progression.offset[packed],
                    by: progression.direction[packed],
                    count,
                });
                if count == progression.count {
                    continue;
                }
                progression.offset = self
                    .vector(&progression, 1)
                    .expect("it has a second vector");
                progression.count -= 1;
            }
            self.add(&progression, to_border, &unbounded);
        }
        self.store_minimal(minimal);
    }

    fn add(&mut self, progression: &Progression, to_border: bool, unbounded: &[Vec<u64>]) {
        let packed = self.packed();
        if progression.count < MIN_VECTORS {
            for times in 0..progression.count {
                let vector = self.vector(progression, times).expect("it lies in the box");
                self.load(0, &vector, None);
            }
            return;
        }
        let step = self.step(&progression.direction);
        if progression.direction[..packed]
            .iter()
            .all(|size| *size == 0)
        {
            let count = if to_border {
                u64::MAX
            } else {
                progression.count
            };
            let recipe = Recipe::Smear {
                count,
                by: progression.direction[packed],
            };
            let plane = self.plane(recipe, None);
            self.load(plane, &progression.offset, None);
            return;
        }
        if to_border {
            let plane = self.plane(Recipe::Cumulative, Some(step));
            self.load(plane, &progression.offset, None);
            return;
        }
        let offset = self.step(&progression.offset);
        // If every multiple of the direction is a move, no line along it has
        // two P-positions. So removing the bits after the end of the
        // progression keeps those within it: see the module documentation.
        if unbounded.contains(&progression.direction)
            && progression.direction[packed] == 0
            && (offset.lines > 0 || step.lines == 0)
        {
            let end = self
                .vector(progression, progression.count)
                .expect("it ends in the box");
            let plane = self.plane(Recipe::Cumulative, Some(step));
            self.load(plane, &progression.offset, Some(&end));
            return;
        }
        let mut plane = 0;
        let mut covered = 1;
        while covered * 2 <= progression.count {
            let long: Vec<u64> = progression
                .direction
                .iter()
                .map(|size| size * covered)
                .collect();
            let step = self.step(&long);
            plane = self.plane(Recipe::Double { of: plane }, Some(step));
            covered *= 2;
        }
        self.load(plane, &progression.offset, None);
        if covered < progression.count {
            let rest = self.vector(progression, progression.count - covered);
            self.load(plane, &rest.expect("it lies in the box"), None);
        }
    }

    /// The number of the plane with this definition, which is added if needed.
    fn plane(&mut self, recipe: Recipe, step: Option<Step>) -> usize {
        let same = |plane: &Plane| plane.recipe == recipe && plane.step == step;
        if let Some(known) = self.planes.iter().position(same) {
            return known;
        }
        self.planes.push(Plane {
            recipe,
            step,
            per_row: false,
            lines: 1,
            back: [0; 2],
        });
        self.planes.len() - 1
    }

    fn load(&mut self, plane: usize, offset: &[u64], end: Option<&[u64]>) {
        let load = Load {
            plane,
            step: self.step(offset),
            minus: end.map(|end| self.step(end)),
        };
        let list = match load.step.lines {
            0 => &mut self.same_line,
            _ => &mut self.earlier_lines,
        };
        list.push(load);
    }

    /// Stores the minimal vectors: a position has a move if and only if one of
    /// them can be subtracted.
    fn store_minimal(&mut self, mut vectors: Vec<Vec<u64>>) {
        let below = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        vectors.sort_by_key(|vector| vector.iter().sum::<u64>());
        let mut minimal: Vec<Vec<u64>> = Vec::new();
        for vector in vectors {
            if !minimal.iter().any(|least| below(least, &vector)) {
                minimal.push(vector);
            }
        }
        let packed = self.packed();
        self.minimal_vectors = minimal
            .iter()
            .map(|vector| {
                let mut others = vector.clone();
                others[packed] = 0;
                MinimalVector {
                    step: self.step(&others),
                    packed: vector[packed],
                }
            })
            .collect();
    }

    /// Computes the number of stored lines of each plane, and which planes are
    /// read by rows of the same line.
    fn choose_storage(&mut self) {
        self.same_line.sort_by_key(|load| load.step.shift.rows);
        for load in self.same_line.iter().chain(&self.earlier_lines) {
            let plane = &mut self.planes[load.plane];
            let ends = [Some(&load.step), load.minus.as_ref()];
            for step in ends.into_iter().flatten() {
                plane.is_read(step);
                self.max_rows_back = self.max_rows_back.max(step.shift.rows);
            }
            plane.per_row |= load.step.lines == 0;
        }
        for place in (0..self.planes.len()).rev() {
            let plane = &self.planes[place];
            let Some(step) = plane.step.clone() else {
                continue;
            };
            self.max_rows_back = self.max_rows_back.max(step.shift.rows);
            let source = match plane.recipe {
                Recipe::Double { of } => of,
                _ => place,
            };
            let per_row = plane.per_row || step.lines == 0;
            self.planes[place].per_row = per_row;
            // A plane comes after those that it is computed from.
            let source = &mut self.planes[source];
            source.is_read(&step);
            source.per_row |= per_row;
        }
    }

    /// The number of strips that are read back.
    pub fn strips_back(&self) -> usize {
        let back = self.planes.iter().map(|plane| plane.back[1]);
        back.max().unwrap_or(0)
    }

    /// The number of strips of all planes that the next column reads.
    pub fn strips_of_a_face(&self) -> usize {
        self.planes.iter().map(|plane| plane.back[1]).sum()
    }

    /// The number of slabs: sizes of the first outer heap.
    pub fn slabs(&self) -> usize {
        self.outer.first().map_or(1, |most| *most as usize + 1)
    }

    /// The number of strips of a slab.
    pub fn strips(&self) -> usize {
        self.outer.get(1).map_or(1, |most| *most as usize + 1)
    }

    /// The number of lines of a strip.
    pub fn lines_of_a_strip(&self) -> usize {
        let others = self.outer.iter().skip(2);
        others.map(|most| *most as usize + 1).product()
    }

    /// Returns whether the outer heaps of a line are large enough for a step.
    pub fn fits(step: &Step, line: &[u64]) -> bool {
        step.needs.iter().all(|(heap, size)| line[*heap] >= *size)
    }
}
