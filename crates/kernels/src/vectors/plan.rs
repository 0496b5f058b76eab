//! What is kept of the rows that are known, and what a row asks of it.

use super::Window;
use super::inside::Inside;
use super::lines::Moved;
use super::word::Word;
use crate::Layout;

/// Rows of more words than this are lines of their own.
pub(super) const MOST_WORDS_IN_LINE: usize = 4;

/// Windows of fewer vectors are vectors one by one.
const FEW: u64 = 3;

/// A step to an earlier row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// What the heaps that a line has in common must have at least.
    pub needs: Vec<(usize, u64)>,
    /// How many lines back.
    pub lines: usize,
    /// How many rows back along the line, and by how much rows are shifted.
    pub moved: Moved,
}

/// One bit for each position, from which windows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// The P-positions.
    Found,
    /// Those from which steps of one kind lead to one, or no step at all.
    Cumulative,
    /// Those from which less than twice as many steps as in plane `of` do; the
    /// plane's step is as long as that plane's window.
    Double { of: usize },
    /// The same for steps in the packed heap.
    Smear { count: u64, by: u64 },
}

#[derive(Debug, Clone)]
pub(super) struct Plane {
    pub recipe: Recipe,
    pub step: Option<Step>,
    /// Is it needed for rows of the same line, or only for later lines?
    pub at_once: bool,
    /// How many lines of it are kept.
    pub lines: usize,
}

/// Something that a row reads.
#[derive(Debug, Clone)]
pub(super) struct Load {
    pub plane: usize,
    pub step: Step,
    /// What to leave out: the window ends here.
    pub less: Option<Step>,
}

/// Numbers taken from the packed heap at least, where the other heaps are at
/// least these: from here on there is a move.
#[derive(Debug, Clone)]
pub(super) struct Least {
    pub step: Step,
    pub packed: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Plan<T> {
    /// The largest sizes of the heaps that a line has in common.
    pub outer: Vec<u64>,
    pub rows: usize,
    pub words: usize,
    pub full: T,
    pub planes: Vec<Plane>,
    pub inside: Inside<T>,
    /// Loads from earlier lines, and from rows of the same line.
    pub across: Vec<Load>,
    pub along: Vec<Load>,
    /// The minimal vectors, where play may end.
    pub least: Vec<Least>,
    /// How far back rows look along lines.
    pub reach: usize,
    most: Vec<u64>,
    strides: Vec<usize>,
}

impl<T: Word> Plan<T> {
    pub fn new(layout: &Layout, windows: &[Window]) -> Plan<T> {
        let most = layout.most.clone();
        let (last, others) = most.split_last().expect("a layout has a heap");
        let words = *last as usize / T::BITS as usize + 1;
        let (outer, rows) = match others.split_last() {
            Some((along, outer)) if words <= MOST_WORDS_IN_LINE => (outer, *along as usize + 1),
            _ => (others, 1),
        };
        let mut strides = vec![1; outer.len()];
        for heap in (1..outer.len()).rev() {
            strides[heap - 1] = strides[heap] * (outer[heap] as usize + 1);
        }
        let used = last % u64::from(T::BITS) + 1;
        let full = match used == u64::from(T::BITS) {
            true => !T::ZERO,
            false => T::of((1 << used) - 1),
        };
        let mut plan = Plan {
            outer: outer.to_vec(),
            rows,
            words,
            full,
            planes: vec![Plane {
                recipe: Recipe::Found,
                step: None,
                at_once: true,
                lines: 1,
            }],
            inside: Inside::Nothing,
            across: Vec::new(),
            along: Vec::new(),
            least: Vec::new(),
            reach: 0,
            strides,
            most,
        };
        plan.add_all(windows);
        plan.settle();
        plan
    }

    fn packed(&self) -> usize {
        self.most.len() - 1
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
            moved: Moved {
                along: if rest.len() == 2 { rest[0] as usize } else { 0 },
                words: (packed / u64::from(T::BITS)) as usize,
                bits: (packed % u64::from(T::BITS)) as u32,
            },
        }
    }

    /// `offset` and `times` directions more; `None` if that lies outside.
    fn far(&self, window: &Window, times: u64) -> Option<Vec<u64>> {
        let sizes = window.offset.iter().zip(&window.direction);
        sizes
            .zip(&self.most)
            .map(|((offset, direction), most)| {
                let far = direction.checked_mul(times)?.checked_add(*offset)?;
                (far <= *most).then_some(far)
            })
            .collect()
    }

    /// A window as far as it lies in the box; and does it go to its border?
    fn inside_box(&self, window: &Window) -> Option<(Window, bool)> {
        self.far(window, 0)?;
        let steps = window.offset.iter().zip(&window.direction).zip(&self.most);
        let fits = steps
            .filter(|((_, direction), _)| **direction > 0)
            .map(|((offset, direction), most)| (most - offset) / direction + 1)
            .min()
            .unwrap_or(1);
        let count = window.count.min(fits);
        (count > 0).then(|| {
            let window = Window {
                count,
                ..window.clone()
            };
            (window, count == fits)
        })
    }

    fn add_all(&mut self, windows: &[Window]) {
        let packed = self.packed();
        let in_box: Vec<(Window, bool)> =
            windows.iter().filter_map(|w| self.inside_box(w)).collect();
        // Along such a direction a move goes as far as one likes.
        let free: Vec<Vec<u64>> = in_box
            .iter()
            .filter(|(window, open)| *open && window.offset == window.direction)
            .map(|(window, _)| window.direction.clone())
            .collect();
        let mut amounts = Vec::new();
        let mut minimal: Vec<Vec<u64>> = Vec::new();
        for (mut window, open) in in_box {
            minimal.push(window.offset.clone());
            let in_row = |vector: &[u64]| vector[..packed].iter().all(|size| *size == 0);
            if in_row(&window.offset) {
                // As many of its vectors as lie in the row.
                let count = if in_row(&window.direction) {
                    window.count
                } else {
                    1
                };
                amounts.extend(
                    (0..count)
                        .map(|times| window.offset[packed] + times * window.direction[packed]),
                );
                if count == window.count {
                    continue;
                }
                window.offset = self.far(&window, 1).expect("it has a second vector");
                window.count -= 1;
            }
            self.add(&window, open, &free);
        }
        amounts.sort_unstable();
        amounts.dedup();
        self.inside = Inside::new(&amounts, self.most[packed]);
        self.ends(minimal);
    }

    fn add(&mut self, window: &Window, open: bool, free: &[Vec<u64>]) {
        let packed = self.packed();
        if window.count < FEW {
            for times in 0..window.count {
                let vector = self.far(window, times).expect("it lies in the box");
                self.load(0, &vector, None);
            }
            return;
        }
        let step = self.step(&window.direction);
        if window.direction[..packed].iter().all(|size| *size == 0) {
            let count = if open { u64::MAX } else { window.count };
            let recipe = Recipe::Smear {
                count,
                by: window.direction[packed],
            };
            let plane = self.plane(recipe, None);
            self.load(plane, &window.offset, None);
            return;
        }
        if open {
            let plane = self.plane(Recipe::Cumulative, Some(step));
            self.load(plane, &window.offset, None);
            return;
        }
        let offset = self.step(&window.offset);
        // Where a move goes as far as one likes along the direction, no two
        // P-positions lie on a line along it, in neither convention; so what
        // leaves the window leaves nothing of it.
        if free.contains(&window.direction)
            && window.direction[packed] == 0
            && (offset.lines > 0 || step.lines == 0)
        {
            let end = self.far(window, window.count).expect("it ends in the box");
            let plane = self.plane(Recipe::Cumulative, Some(step));
            self.load(plane, &window.offset, Some(&end));
            return;
        }
        let mut plane = 0;
        let mut covered = 1;
        while covered * 2 <= window.count {
            let long: Vec<u64> = window.direction.iter().map(|size| size * covered).collect();
            let step = self.step(&long);
            plane = self.plane(Recipe::Double { of: plane }, Some(step));
            covered *= 2;
        }
        self.load(plane, &window.offset, None);
        if covered < window.count {
            let rest = self.far(window, window.count - covered);
            self.load(plane, &rest.expect("it lies in the box"), None);
        }
    }

    /// The plane of this sort, made if there is none.
    fn plane(&mut self, recipe: Recipe, step: Option<Step>) -> usize {
        let same = |plane: &Plane| plane.recipe == recipe && plane.step == step;
        if let Some(known) = self.planes.iter().position(same) {
            return known;
        }
        self.planes.push(Plane {
            recipe,
            step,
            at_once: false,
            lines: 1,
        });
        self.planes.len() - 1
    }

    fn load(&mut self, plane: usize, offset: &[u64], end: Option<&[u64]>) {
        let load = Load {
            plane,
            step: self.step(offset),
            less: end.map(|end| self.step(end)),
        };
        let list = match load.step.lines {
            0 => &mut self.along,
            _ => &mut self.across,
        };
        list.push(load);
    }

    /// Keeps the minimal ones of the vectors: there is a move wherever one of
    /// them can be taken.
    fn ends(&mut self, mut vectors: Vec<Vec<u64>>) {
        let below = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        vectors.sort_by_key(|vector| vector.iter().sum::<u64>());
        let mut minimal: Vec<Vec<u64>> = Vec::new();
        for vector in vectors {
            if !minimal.iter().any(|least| below(least, &vector)) {
                minimal.push(vector);
            }
        }
        let packed = self.packed();
        self.least = minimal
            .iter()
            .map(|vector| {
                let mut others = vector.clone();
                others[packed] = 0;
                Least {
                    step: self.step(&others),
                    packed: vector[packed],
                }
            })
            .collect();
    }

    /// How long planes are kept, and which are needed at once.
    fn settle(&mut self) {
        self.along.sort_by_key(|load| load.step.moved.along);
        for load in self.along.iter().chain(&self.across) {
            let plane = &mut self.planes[load.plane];
            let ends = [Some(&load.step), load.less.as_ref()];
            for step in ends.into_iter().flatten() {
                plane.lines = plane.lines.max(step.lines + 1);
                self.reach = self.reach.max(step.moved.along);
            }
            plane.at_once |= load.step.lines == 0;
        }
        for place in (0..self.planes.len()).rev() {
            let plane = &self.planes[place];
            let Some(step) = plane.step.clone() else {
                continue;
            };
            self.reach = self.reach.max(step.moved.along);
            let source = match plane.recipe {
                Recipe::Double { of } => of,
                _ => place,
            };
            let at_once = plane.at_once || step.lines == 0;
            self.planes[place].at_once = at_once;
            // What it is made of comes before it.
            let source = &mut self.planes[source];
            source.lines = source.lines.max(step.lines + 1);
            source.at_once |= at_once;
        }
    }

    /// Does a step lead out of the box, from a line?
    pub fn fits(step: &Step, line: &[u64]) -> bool {
        step.needs.iter().all(|(heap, size)| line[*heap] >= *size)
    }
}
