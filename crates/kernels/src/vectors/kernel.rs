//! Line after line: what earlier lines say of all rows at once, then the rows.

use super::inside::Inside;
use super::lines::{Grid, Moved, Source, gather, smear};
use super::plan::{MOST_WORDS_IN_LINE, Plan, Recipe, Step};
use super::word::Word;
use crate::{Layout, Rows, Sink, State};
use nimrule_limits::{Limits, Met};

/// Words that are worked on between looks at the clock.
const PATIENCE: usize = 1 << 20;

pub(super) struct Kernel<T> {
    plan: Plan<T>,
    grid: Grid,
    /// Earlier lines of each plane, and where those of a plane begin.
    store: Vec<T>,
    rings: Vec<usize>,
    /// The line at hand, plane after plane.
    current: Vec<T>,
    /// Positions of the line at hand that are not P, as far as is known.
    closed: Vec<T>,
    /// Where the line at hand will be put in each ring.
    slots: Vec<usize>,
    loads: Vec<Load>,
    updates: Vec<Update>,
}

/// A load from a row of the same line.
#[derive(Debug, Clone, Copy)]
struct Load {
    /// Where the plane's first row begins.
    from: usize,
    moved: Moved,
    less: Option<usize>,
}

/// How a plane goes on from row to row.
#[derive(Debug, Clone, Copy)]
enum Update {
    /// What earlier lines say is there already.
    Across {
        to: usize,
        own: usize,
    },
    Along {
        to: usize,
        own: usize,
        from: usize,
        moved: Moved,
    },
    Smear {
        to: usize,
        count: u64,
        by: u64,
    },
}

/// What is asked of a run through the box.
pub(super) struct Run<'a> {
    pub layout: &'a Layout,
    /// End positions are not P.
    pub misere: bool,
    /// Positions that are not P, by row, whatever the moves say.
    pub taken: Option<&'a [u64]>,
    pub limits: &'a Limits,
    /// Where an earlier run came to: the slabs done, and the state after them.
    pub from: Option<(u64, &'a [u8])>,
}

impl<T: Word> Kernel<T> {
    /// Bytes that a kernel takes.
    pub fn bytes(plan: &Plan<T>) -> u128 {
        let line = Kernel::grid(plan).len() as u128 * size_of::<T>() as u128;
        let lines: u128 = plan.planes.iter().map(|plane| plane.lines as u128).sum();
        line * (lines + 2)
    }

    fn grid(plan: &Plan<T>) -> Grid {
        Grid::new(plan.rows, plan.words, plan.reach)
    }

    pub fn new(plan: Plan<T>) -> Kernel<T> {
        let grid = Kernel::grid(&plan);
        let base = |plane: usize| plane * grid.len() + grid.lead;
        let loads = plan.along.iter().map(|load| Load {
            from: base(load.plane),
            moved: load.step.moved,
            less: load.less.as_ref().map(|step| step.moved.along),
        });
        let at_once = plan.planes.iter().enumerate().filter(|(_, p)| p.at_once);
        let updates = at_once.filter_map(|(place, plane)| {
            let (own, from) = match plane.recipe {
                Recipe::Found => return None,
                Recipe::Smear { count, by } => {
                    let to = base(place);
                    return Some(Update::Smear { to, count, by });
                }
                Recipe::Cumulative => (0, place),
                Recipe::Double { of } => (of, of),
            };
            let (to, own, from) = (base(place), base(own), base(from));
            match &plane.step {
                Some(step) if step.lines == 0 => Some(Update::Along {
                    to,
                    own,
                    from,
                    moved: step.moved,
                }),
                _ => Some(Update::Across { to, own }),
            }
        });
        let mut words = 0;
        let rings = plan.planes.iter().map(|plane| {
            let start = words;
            words += (plane.lines - 1) * grid.len();
            start
        });
        let rings = rings.collect();
        Kernel {
            grid,
            loads: loads.collect(),
            updates: updates.collect(),
            store: vec![T::ZERO; words],
            rings,
            current: vec![T::ZERO; plan.planes.len() * grid.len()],
            closed: vec![T::ZERO; grid.len()],
            slots: vec![0; plan.planes.len()],
            plan,
        }
    }

    /// Goes through the box once.
    pub fn run(&mut self, asked: &Run<'_>, sink: &mut dyn Sink) -> Result<(), Met> {
        let arch = pulp::Arch::new();
        let mut line = vec![0_u64; self.plan.outer.len()];
        let mut out = vec![0_u64; asked.layout.words * self.plan.rows];
        let mut ready = Ready::default();
        let work = self.grid.len() * (self.plan.across.len() + self.plan.planes.len() + 4);
        let between = (PATIENCE / work).max(1);
        let lines = asked.layout.rows / self.plan.rows;
        // Where there is an outer heap, its lines are slabs.
        let slabs = self.plan.outer.first().map_or(1, |most| *most as usize + 1);
        let lines_a_slab = lines / slabs;
        let mut first = 0;
        if let (Some((done, state)), Some(outermost)) = (asked.from, line.first_mut()) {
            *outermost = done;
            first = done as usize * lines_a_slab;
            self.restore(state);
        }
        for number in first..lines {
            if number % between == 0 {
                asked.limits.within_time()?;
            }
            if number > first && number % lines_a_slab == 0 {
                sink.slab((number / lines_a_slab) as u64, self)?;
            }
            self.begin(&line, number, asked);
            self.ready(&line, &mut ready);
            arch.dispatch(Across {
                kernel: self,
                ready: &ready,
            });
            arch.dispatch(Along { kernel: self });
            self.keep();
            self.hand_on(asked.layout, number * self.plan.rows, &mut out, sink)?;
            for (size, most) in line.iter_mut().zip(&self.plan.outer).rev() {
                if *size < *most {
                    *size += 1;
                    break;
                }
                *size = 0;
            }
        }
        Ok(())
    }

    /// Takes over the state that was saved after some slab.
    fn restore(&mut self, state: &[u8]) {
        let mut words = state.chunks_exact(8).map(|bytes| {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            u64::from_le_bytes(word)
        });
        for (slot, word) in self.slots.iter_mut().zip(&mut words) {
            *slot = word as usize;
        }
        for (stored, word) in self.store.iter_mut().zip(&mut words) {
            *stored = T::of(word);
        }
    }

    /// What is closed before any move is looked at.
    fn begin(&mut self, line: &[u64], number: usize, asked: &Run<'_>) {
        let grid = self.grid;
        self.closed.fill(T::ZERO);
        if let Some(taken) = asked.taken {
            let words = asked.layout.words;
            let first = number * grid.rows * words;
            let taken = &taken[first..first + grid.rows * words];
            for (row, taken) in taken.chunks_exact(words).enumerate() {
                for (word, taken) in taken.iter().enumerate() {
                    self.closed[word * grid.stride() + grid.lead + row] = T::of(*taken);
                }
            }
        }
        if asked.misere {
            self.close_ends(line);
        }
    }

    /// Closes the positions from which there is no move: of each row those
    /// with less in the packed heap than any vector asks for.
    fn close_ends(&mut self, line: &[u64]) {
        let grid = self.grid;
        let fits = self.plan.least.iter();
        let fits: Vec<(usize, u64)> = fits
            .filter(|least| Plan::<T>::fits(&least.step, line))
            .map(|least| (least.step.moved.along, least.packed))
            .collect();
        if fits.contains(&(0, 0)) {
            return;
        }
        let bits = u64::from(T::BITS);
        for row in 0..grid.rows {
            let ends = fits.iter().filter(|(along, _)| *along <= row);
            let ends = ends.map(|(_, packed)| *packed).min().unwrap_or(u64::MAX);
            for word in 0..grid.words {
                let below = ends.saturating_sub(word as u64 * bits);
                let closed = match below {
                    0 => break,
                    below if below >= bits => !T::ZERO,
                    below => T::of((1 << below) - 1),
                };
                self.closed[word * grid.stride() + grid.lead + row] |= closed;
            }
        }
    }

    /// Where a line some lines back begins.
    fn start(&self, plane: usize, lines: usize) -> usize {
        let slots = self.plan.planes[plane].lines - 1;
        let at = self.slots[plane];
        let slot = if at >= lines {
            at - lines
        } else {
            at + slots - lines
        };
        self.rings[plane] + slot * self.grid.len()
    }

    /// The lines that the line at hand reads.
    fn ready(&self, line: &[u64], ready: &mut Ready) {
        let fits = |step: &Step| Plan::<T>::fits(step, line);
        ready.closed.clear();
        for load in self.plan.across.iter().filter(|load| fits(&load.step)) {
            let less = load.less.as_ref().filter(|less| fits(less));
            ready.closed.push(Source {
                start: self.start(load.plane, load.step.lines),
                moved: load.step.moved,
                less: less.map(|less| (self.start(load.plane, less.lines), less.moved.along)),
            });
        }
        ready.planes.clear();
        for (place, plane) in self.plan.planes.iter().enumerate() {
            let Some(step) = plane.step.as_ref().filter(|step| step.lines > 0) else {
                continue;
            };
            let from = match plane.recipe {
                Recipe::Double { of } => of,
                _ => place,
            };
            let source = fits(step).then(|| Source {
                start: self.start(from, step.lines),
                moved: step.moved,
                less: None,
            });
            ready.planes.push((place, source));
        }
    }

    /// Puts the line at hand into the rings.
    fn keep(&mut self) {
        let len = self.grid.len();
        for (place, plane) in self.plan.planes.iter().enumerate() {
            let slots = plane.lines - 1;
            if slots > 0 {
                let slot = &mut self.slots[place];
                let line = &self.current[place * len..][..len];
                self.store[self.rings[place] + *slot * len..][..len].copy_from_slice(line);
                *slot = if *slot + 1 == slots { 0 } else { *slot + 1 };
            }
        }
    }

    /// Do rows ask nothing of their line but the P-positions of the row before?
    fn next_only(&self) -> bool {
        let next = |load: &Load| {
            load.from == self.grid.lead && load.moved.along == 1 && load.less.is_none()
        };
        self.updates.is_empty() && self.loads.iter().all(next)
    }

    fn hand_on(
        &self,
        layout: &Layout,
        first: usize,
        out: &mut [u64],
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        let Grid {
            rows, words, lead, ..
        } = self.grid;
        let found = &self.current[..self.grid.len()];
        if (rows == 1 || words == 1)
            && let Some(found) = T::as_wide(&found[lead..lead + rows * words])
        {
            return sink.rows(layout, Rows::new(first, found, words));
        }
        let stride = self.grid.stride();
        for word in 0..words {
            let found = &found[word * stride + lead..][..rows];
            for (out, found) in out[word..].iter_mut().step_by(words).zip(found) {
                *out = found.wide();
            }
        }
        sink.rows(layout, Rows::new(first, out, words))
    }
}

/// What a run needs to go on after a slab: which slot of each ring is the
/// oldest, and the lines in the rings.
impl<T: Word> State for Kernel<T> {
    fn save(&self, out: &mut Vec<u8>) {
        for slot in &self.slots {
            out.extend_from_slice(&(*slot as u64).to_le_bytes());
        }
        for word in &self.store {
            out.extend_from_slice(&word.wide().to_le_bytes());
        }
    }
}

/// The lines that a line reads.
#[derive(Default)]
struct Ready {
    /// For what is closed.
    closed: Vec<Source>,
    /// For planes that go on from line to line.
    planes: Vec<(usize, Option<Source>)>,
}

/// What earlier lines say of the line at hand.
struct Across<'k, 'r, T> {
    kernel: &'k mut Kernel<T>,
    ready: &'r Ready,
}

impl<T: Word> pulp::NullaryFnOnce for Across<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Across { kernel, ready } = self;
        let grid = kernel.grid;
        let len = grid.len();
        gather(grid, &mut kernel.closed, &kernel.store, &ready.closed);
        for (place, source) in &ready.planes {
            let plane = &mut kernel.current[place * len..][..len];
            plane.fill(T::ZERO);
            if let Some(source) = source {
                gather(grid, plane, &kernel.store, std::slice::from_ref(source));
            }
        }
    }
}

/// The rows of the line at hand, and what later lines will ask of it.
struct Along<'k, T> {
    kernel: &'k mut Kernel<T>,
}

impl<T: Word> pulp::NullaryFnOnce for Along<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Along { kernel } = self;
        match kernel.grid {
            Grid { rows: 1, .. } => single(kernel),
            Grid { words: 1, .. } if kernel.next_only() => match kernel.plan.inside {
                Inside::One => chain::<T, true>(kernel),
                _ => chain::<T, false>(kernel),
            },
            Grid { words: 1, .. } => rows::<T, 1>(kernel),
            Grid { words: 2, .. } => rows::<T, 2>(kernel),
            Grid { words: 3, .. } => rows::<T, 3>(kernel),
            _ => rows::<T, MOST_WORDS_IN_LINE>(kernel),
        }
        later(kernel);
    }
}

/// A line of one row: no row of the same line comes before it.
#[inline(always)]
fn single<T: Word>(kernel: &mut Kernel<T>) {
    let found = &mut kernel.current[..kernel.closed.len()];
    found.copy_from_slice(&kernel.closed);
    kernel.plan.inside.settle(found, kernel.plan.full);
}

/// Rows of one word each that ask nothing but the row before them.
#[inline(always)]
fn chain<T: Word, const ONE: bool>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let full = kernel.plan.full;
    let closed = &kernel.closed[grid.lead..][..grid.rows];
    let found = &mut kernel.current[grid.lead..][..grid.rows];
    let mut before = T::ZERO;
    for (found, closed) in found.iter_mut().zip(closed) {
        let mut word = *closed;
        for load in &kernel.loads {
            word |= before << load.moved.bits;
        }
        let row = std::slice::from_mut(&mut word);
        match ONE {
            true => Inside::One.settle(row, full),
            false => kernel.plan.inside.settle(row, full),
        }
        before = word;
        *found = word;
    }
}

/// Row after row, with `W` words each.
#[inline(always)]
fn rows<T: Word, const W: usize>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let stride = grid.stride();
    let lead = grid.lead;
    let full = kernel.plan.full;
    let current = &mut kernel.current[..];
    for row in 0..grid.rows {
        let mut closed = [T::ZERO; W];
        read(&kernel.closed, stride, lead + row, &mut closed);
        for load in &kernel.loads {
            if load.moved.along > row {
                break;
            }
            let mut word = [T::ZERO; W];
            read(
                current,
                stride,
                load.from + row - load.moved.along,
                &mut word,
            );
            if let Some(less) = load.less.filter(|less| *less <= row) {
                let mut ended = [T::ZERO; W];
                read(current, stride, load.from + row - less, &mut ended);
                for (word, ended) in word.iter_mut().zip(ended) {
                    *word = *word ^ ended;
                }
            }
            shift_into(&mut closed, &word, load.moved);
        }
        kernel.plan.inside.settle(&mut closed, full);
        let found = closed;
        write(current, stride, lead + row, &found);
        for update in &kernel.updates {
            let mut word = found;
            match *update {
                Update::Smear { to, count, by } => {
                    smear(1, W, &mut word, count, by);
                    write(current, stride, to + row, &word);
                }
                Update::Across { to, own } => {
                    let mut own_words = found;
                    if own != lead {
                        read(current, stride, own + row, &mut own_words);
                    }
                    read(current, stride, to + row, &mut word);
                    for (word, own) in word.iter_mut().zip(own_words) {
                        *word |= own;
                    }
                    write(current, stride, to + row, &word);
                }
                Update::Along {
                    to,
                    own,
                    from,
                    moved,
                } => {
                    if own != lead {
                        read(current, stride, own + row, &mut word);
                    }
                    if moved.along <= row {
                        let mut before = [T::ZERO; W];
                        read(current, stride, from + row - moved.along, &mut before);
                        shift_into(&mut word, &before, moved);
                    }
                    write(current, stride, to + row, &word);
                }
            }
        }
    }
}

#[inline(always)]
fn read<T: Word, const W: usize>(line: &[T], stride: usize, at: usize, to: &mut [T; W]) {
    for (word, to) in to.iter_mut().enumerate() {
        *to = line[word * stride + at];
    }
}

#[inline(always)]
fn write<T: Word, const W: usize>(line: &mut [T], stride: usize, at: usize, from: &[T; W]) {
    for (word, from) in from.iter().enumerate() {
        line[word * stride + at] = *from;
    }
}

/// `to |= from << moved`, of one row.
#[inline(always)]
fn shift_into<T: Word, const W: usize>(to: &mut [T; W], from: &[T; W], moved: Moved) {
    if W == 1 {
        to[0] |= from[0] << moved.bits;
        return;
    }
    for (word, to) in to.iter_mut().enumerate() {
        // Written so that no index depends on the shift.
        for (source, from) in from.iter().enumerate() {
            if source + moved.words == word {
                *to |= *from << moved.bits;
            }
            if source + moved.words + 1 == word && moved.bits > 0 {
                *to |= *from >> (T::BITS - moved.bits);
            }
        }
    }
}

/// The planes that only later lines read.
#[inline(always)]
fn later<T: Word>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let len = grid.len();
    for (place, plane) in kernel.plan.planes.iter().enumerate() {
        let own = match plane.recipe {
            _ if plane.at_once => continue,
            Recipe::Found | Recipe::Cumulative => 0,
            Recipe::Double { of } => of,
            Recipe::Smear { count, by } => {
                let (found, others) = kernel.current.split_at_mut(len);
                let line = &mut others[(place - 1) * len..][..len];
                line.copy_from_slice(found);
                smear(grid.stride(), grid.words, line, count, by);
                continue;
            }
        };
        // What it is made of comes before it.
        let (before, line) = kernel.current.split_at_mut(place * len);
        let own = &before[own * len..][..len];
        for (to, own) in line[..len].iter_mut().zip(own) {
            *to |= *own;
        }
    }
}
