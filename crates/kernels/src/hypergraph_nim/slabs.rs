//! The parallel sweep of a box: each thread computes slabs, in a pipeline.
//!
//! A *slab* is all lines with the same outermost heap, and a *strip* all lines
//! with the same two outermost heaps. A strip depends on the previous strip of
//! its slab, and on the same strip of the previous slab. A *page* holds, for
//! one strip, the planes whose hyperedges contain the outermost heap; all other
//! planes are needed within a slab only, and each thread has its own.
//!
//! There is one page for each strip. The thread of a slab is told through a channel
//! that the next page of the previous slab is complete, overwrites it with its own
//! strip, and passes it on after the next strip is computed. So each thread is two
//! strips behind the thread of the previous slab. The last thread sends to the first.
//! With one thread the channel is a counter.
//!
//! A *column* is some strips of all slabs. A run computes one column, which is the
//! whole box unless the box is divided ([`crate::columns`]). Before its first strip of a
//! slab it reads the face that the previous column left in this slab, and after its last
//! strip it writes its own: the planes whose hyperedges contain the second heap, at the
//! lines of the last strip.

use super::super::arena::Arena;
use super::super::word::Word;
use super::active::ActivePlanes;
use super::levels::{Levels, LevelsOfThread};
use super::line::{Line, Runs};
use super::plan::{Plan, Plane};
use super::{Kernel, Layout, LimitExceeded, Limits, Sink};
use crate::columns::{Column, FaceBuffer, Faces, SLABS_BETWEEN_SAVES};
use crate::threads::share_sink;
use crate::{Rows, SlabState};
use nimrule_limits::Steps;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The memory of each plane; empty for planes that are stored elsewhere.
type Memories<'m, T> = Vec<&'m mut [T]>;

/// The memories of each of the simultaneous sweeps.
type PerSweep<'m, T> = Vec<Memories<'m, T>>;

/// A page; `None` while a thread computes with it.
type Page<'m, T> = Mutex<Option<PerSweep<'m, T>>>;

/// What a thread has for itself: the planes that are needed within a slab only. A line sets
/// what it reads, so that any content does no harm, of an earlier slab or of another column.
struct ThreadMemory<T> {
    /// Those that only lines of the same strip read.
    strip: Arena<T>,
    /// Those that the next strip reads, too: in a column the face that it has read, and will
    /// write. What the column reads of the page before it comes first.
    face: FaceBuffer,
}

impl<T: Word> ThreadMemory<T> {
    /// The memory for so many simultaneous sweeps.
    fn new<const W: usize>(plan: &Plan, sweeps: usize, in_column: bool) -> ThreadMemory<T> {
        let words = |of: &dyn Fn(&Plane) -> bool| arrays(plan, of) * W * sweeps;
        let face = words(&|plane| plane.is_in_face() && (in_column || !plane.is_paged()));
        ThreadMemory {
            strip: Arena::new(words(&|plane| !plane.is_paged() && !plane.is_in_face())),
            face: FaceBuffer::new(face * size_of::<T>()),
        }
    }

    /// What the column reads of the page before it, and the planes of a slab.
    fn split<const W: usize>(
        &mut self,
        plan: &Plan,
        sweeps: usize,
        in_column: bool,
    ) -> [PerSweep<'_, T>; 2] {
        let mut face: &mut [T] = bytemuck::cast_slice_mut(self.face.bytes_mut());
        let mut strip = self.strip.words_mut();
        let halo = |plane: &Plane| in_column && plane.is_in_halo();
        let halo = split_memories::<T, W>(plan, sweeps, halo, &mut face);
        let of_strip = |plane: &Plane| !plane.is_paged() && !plane.is_in_face();
        let mut own = split_memories::<T, W>(plan, sweeps, of_strip, &mut strip);
        let in_face = |plane: &Plane| !plane.is_paged() && plane.is_in_face();
        let in_face = split_memories::<T, W>(plan, sweeps, in_face, &mut face);
        let both = own.iter_mut().flatten().zip(in_face.into_iter().flatten());
        for (own, in_face) in both.filter(|(_, in_face)| !in_face.is_empty()) {
            *own = in_face;
        }
        [halo, own]
    }
}

/// The slabs of a column.
pub(super) struct Slabs<'k, T, const W: usize> {
    kernel: &'k Kernel<T, W>,
    layout: &'k Layout,
    /// The strips of the column.
    strips: Range<usize>,
    /// Where the column's faces are; `None` if the column is the whole box.
    faces: Option<&'k dyn Faces>,
    /// Misere play: a terminal position is not P in the first sweep.
    pub misere: bool,
    /// The number of simultaneous sweeps: more than one if Grundy values are
    /// searched level by level.
    sweep_count: usize,
    /// The pages by strip, and then by sweep.
    arena: Arena<T>,
}

impl<'k, T: Word, const W: usize> Slabs<'k, T, W> {
    pub fn new(
        kernel: &'k Kernel<T, W>,
        layout: &'k Layout,
        misere: bool,
        sweep_count: usize,
        column: Option<Column<'k>>,
    ) -> Slabs<'k, T, W> {
        let arrays = arrays(&kernel.plan, Plane::is_paged);
        let (strips, faces) = match column {
            Some(Column { strips, faces }) => (strips, Some(faces)),
            None => (0..kernel.plan.strips(), None),
        };
        Slabs {
            kernel,
            layout,
            misere,
            sweep_count,
            arena: Arena::new(arrays * W * strips.len() * sweep_count),
            strips,
            faces,
        }
    }

    /// Sets all pages to 0.
    pub fn clear(&mut self) {
        self.arena.words_mut().fill(T::ZERO);
    }

    /// Restores the state that was saved after a slab.
    pub fn restore(&mut self, state: &[u8]) {
        let mut words = state.chunks_exact(8).map(|bytes| {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            u64::from_le_bytes(word)
        });
        for within in self.in_order() {
            for (lane, word) in self.arena.words_mut()[within].iter_mut().zip(&mut words) {
                *lane = T::of_u64(word);
            }
        }
    }

    /// The ranges of the arena in the order of a saved state: by plane, and then
    /// by page. There is one sweep.
    fn in_order(&self) -> Vec<Range<usize>> {
        let plan = &self.kernel.plan;
        let page = arrays(plan, Plane::is_paged);
        let mut order = Vec::new();
        let mut from = 0;
        for plane in plan.planes.iter().filter(|plane| plane.is_paged()) {
            let to = from + plane.arrays as usize;
            let pages = (0..self.strips.len()).map(|strip| strip * page);
            order.extend(pages.map(|page| (page + from) * W..(page + to) * W));
            from = to;
        }
        order
    }

    /// Computes all slabs from the slab `from` on.
    pub fn run(
        &mut self,
        from: usize,
        mut levels: Option<&mut Levels<T, W>>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let slabs = self.kernel.plan.slabs();
        let threads = self.threads(limits, sink);
        let between = match (self.faces, sink.accepts_any_order()) {
            (Some(_), _) => threads * SLABS_BETWEEN_SAVES,
            (None, true) => slabs,
            // A sink that takes rows in order takes checkpoints as often as possible.
            (None, false) => threads,
        };
        let plan = &self.kernel.plan;
        let in_column = self.faces.is_some();
        let mut memories: Vec<ThreadMemory<T>> = (0..threads)
            .map(|_| ThreadMemory::new::<W>(plan, self.sweep_count, in_column))
            .collect();
        let mut done = from;
        if let Some(faces) = self.faces {
            // Before, the column has copies only.
            let first = match self.kernel.mirror {
                Some(_) => self.strips.start,
                None => 0,
            };
            if from > first {
                let pages = bytemuck::cast_slice_mut(self.arena.words_mut());
                faces.read_pages(from, &mut [pages])?;
            }
            done = from.max(first);
        }
        while done < slabs {
            // At the same slabs in all columns, so that a pipeline can be saved at one.
            let to = slabs.min((done / between + 1) * between);
            self.run_slabs(done..to, &mut memories, levels.as_deref_mut(), limits, sink)?;
            done = to;
            if done == slabs {
                break;
            }
            match self.faces {
                None => sink.slab(done as u64, self)?,
                Some(faces) if faces.is_due(done) => {
                    let pages = bytemuck::cast_slice(self.arena.words());
                    faces.write_pages(done, &[pages])?;
                    sink.slab(done as u64, self)?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The number of threads to use.
    fn threads(&self, limits: &Limits, sink: &dyn Sink) -> usize {
        let plan = &self.kernel.plan;
        let rows = plan.lines() / plan.slabs() / plan.strips() * plan.cells * plan.lanes;
        let strips = self.strips.len();
        if !sink.can_split() || rows * self.layout.words < self.layout.words_to_split {
            return 1;
        }
        let sweeps = self.sweep_count as u128;
        let pages = sweeps * strips as u128 * plan.bytes_of_page::<T, W>();
        let mut thread = sweeps * plan.bytes_of_a_thread::<T, W>(self.layout.words);
        if self.faces.is_some() {
            thread += plan.bytes_of_halo::<T, W>();
        }
        let fit = u128::from(limits.memory).saturating_sub(pages) / thread.max(1);
        // Each thread is two strips behind the previous one.
        let most = plan.slabs().min(strips / 2);
        limits
            .threads()
            .min(most)
            .min(usize::try_from(fit).unwrap_or(most))
            .max(1)
    }

    /// Computes some slabs without a checkpoint between them.
    fn run_slabs(
        &mut self,
        slabs: Range<usize>,
        memories: &mut [ThreadMemory<T>],
        levels: Option<&mut Levels<T, W>>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let threads = memories.len();
        let (mut senders, mut receivers): (Vec<Sender<()>>, Vec<Receiver<()>>) =
            (0..threads).map(|_| channel()).unzip();
        let plan = &self.kernel.plan;
        let mut rest = self.arena.words_mut();
        let mut pages: Vec<Page<'_, T>> = Vec::with_capacity(self.strips.len());
        for _ in self.strips.clone() {
            let page = split_memories::<T, W>(plan, self.sweep_count, Plane::is_paged, &mut rest);
            pages.push(Mutex::new(Some(page)));
            // Cannot fail: the receiver is alive.
            let _ = senders[0].send(());
        }
        senders.rotate_left(1);
        let mut levels: Vec<Option<LevelsOfThread<'_, T, W>>> = match levels {
            Some(levels) => levels.parts(threads).into_iter().map(Some).collect(),
            None => (0..threads).map(|_| None).collect(),
        };
        let all = senders.into_iter().zip(&mut receivers).zip(&mut levels);
        let workers = all
            .enumerate()
            .map(|(number, ((next_slab, complete), levels))| Worker {
                kernel: self.kernel,
                layout: self.layout,
                misere: self.misere,
                strips: self.strips.clone(),
                faces: self.faces,
                slabs: (slabs.start + number..slabs.end).step_by(threads),
                pages: &pages,
                sweep_count: self.sweep_count,
                complete,
                next_slab,
                rows: Vec::new(),
                found: Vec::new(),
                levels: levels.take(),
                limits,
            });
        share_sink(workers.zip(memories), sink, |(worker, memory), sink| {
            worker.work(memory, sink)
        })
    }
}

/// The pages, in the order of [`Slabs::in_order`].
impl<T: Word, const W: usize> SlabState for Slabs<'_, T, W> {
    fn save(&self, out: &mut Vec<u8>) {
        for within in self.in_order() {
            for word in &self.arena.words()[within] {
                out.extend_from_slice(&word.to_u64().to_le_bytes());
            }
        }
    }
}

/// The total size of some planes, in arrays of lanes.
fn arrays(plan: &Plan, of: impl Fn(&Plane) -> bool) -> usize {
    let planes = plan.planes.iter().filter(|plane| of(plane));
    planes.map(|plane| plane.arrays as usize).sum()
}

/// Splits the memories of some planes, for each sweep, off the front of `rest`.
fn split_memories<'m, T: Word, const W: usize>(
    plan: &Plan,
    sweep_count: usize,
    of: impl Fn(&Plane) -> bool,
    rest: &mut &'m mut [T],
) -> PerSweep<'m, T> {
    let mut memories = |plane: &Plane| {
        let arrays = if of(plane) { plane.arrays as usize } else { 0 };
        let (memory, others) = std::mem::take(rest).split_at_mut(arrays * W);
        *rest = others;
        memory
    };
    let sweeps = 0..sweep_count;
    sweeps
        .map(|_| plan.planes.iter().map(&mut memories).collect())
        .collect()
}

/// Sets the rows that have a P-position to 0, and the bits of these rows.
fn clear_rows(rows: &mut [u64], found: &mut [u64], words: usize) {
    // PERF: most rows have no P-position.
    for (rows, found) in rows.chunks_mut(64 * words).zip(found) {
        let mut some = std::mem::take(found);
        if some.count_ones() as usize * words > 32 {
            rows.fill(0);
            continue;
        }
        while some != 0 {
            let row = some.trailing_zeros() as usize;
            some &= some - 1;
            // PERF: a loop; `fill` would call a function for a word.
            for word in &mut rows[row * words..][..words] {
                *word = 0;
            }
        }
    }
}

/// One of the simultaneous sweeps, in a strip.
struct Sweep<'s, T> {
    number: usize,
    memories: Vec<&'s mut [T]>,
    /// The pages of the previous strip, by plane.
    previous_pages: Vec<&'s [T]>,
}

/// A thread's part of a sweep: one of every `threads` slabs.
struct Worker<'w, 'm, T, const W: usize> {
    kernel: &'w Kernel<T, W>,
    layout: &'w Layout,
    misere: bool,
    slabs: StepBy<Range<usize>>,
    /// The strips of the column.
    strips: Range<usize>,
    faces: Option<&'w dyn Faces>,
    /// By strip of the column.
    pages: &'w [Page<'m, T>],
    sweep_count: usize,
    /// Receives a message for each page of the previous slab that is complete.
    complete: &'w mut Receiver<()>,
    /// Sends a message for each page that is complete.
    next_slab: Sender<()>,
    /// The rows of a line, all 0 between two lines.
    rows: Vec<u64>,
    /// The bits of the rows that have a P-position: see
    /// [`Rows::with_nonzero`].
    found: Vec<u64>,
    levels: Option<LevelsOfThread<'w, T, W>>,
    limits: &'w Limits,
}

/// The content of a page. A thread that panicked has not left it in parts.
fn lock<T>(page: &Mutex<T>) -> MutexGuard<'_, T> {
    page.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'m, T: Word, const W: usize> Worker<'_, 'm, T, W> {
    /// Passes a page of the column on to the thread of the next slab.
    fn pass_on(&self, strip: usize, page: PerSweep<'m, T>) {
        *lock(&self.pages[strip]) = Some(page);
        // Cannot fail: the receivers outlive all threads.
        let _ = self.next_slab.send(());
    }

    fn work(
        mut self,
        memory: &mut ThreadMemory<T>,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let plan = &self.kernel.plan;
        // Allocated by the thread that uses them, so that their pages are local.
        let rows = plan.cells * plan.lanes;
        self.rows = vec![0; rows * self.layout.words];
        self.found = vec![0; rows.div_ceil(64)];
        let in_column = self.faces.is_some();
        for (number, slab) in self.slabs.clone().enumerate() {
            let end = match &self.kernel.mirror {
                Some(_) => self.strips.end.min(slab + 1),
                None => self.strips.end,
            };
            let begins = 0 < self.strips.start && self.strips.start < end;
            if let Some(faces) = self.faces.filter(|_| begins) {
                faces.read(slab, &mut memory.face)?;
            }
            let [halo, mut own] = memory.split::<W>(plan, self.sweep_count, in_column);
            let mut before: Option<PerSweep<'_, T>> = None;
            for strip in self.strips.clone() {
                // The sender has stopped with an error, which it returns.
                let Ok(()) = self.complete.recv() else {
                    return Ok(());
                };
                let mut page = lock(&self.pages[strip - self.strips.start])
                    .take()
                    .expect("the other threads have passed the page on");
                if strip < end {
                    let before = match strip > self.strips.start {
                        true => before.as_ref(),
                        false => (strip > 0).then_some(&halo),
                    };
                    let memories = (&mut own, &mut page, before);
                    self.strip(number, [slab, strip], memories, sink)?;
                }
                if let Some(page) = before.replace(page) {
                    self.pass_on(strip - 1 - self.strips.start, page);
                }
            }
            let Some(page) = before else { continue };
            let next_begins = match &self.kernel.mirror {
                Some(_) => self.strips.end <= slab,
                None => self.strips.end < plan.strips(),
            };
            if let Some(faces) = self.faces.filter(|_| next_begins) {
                let [mut halo, _] = memory.split::<W>(plan, self.sweep_count, in_column);
                let pages = halo[0].iter_mut().zip(&page[0]);
                for (halo, page) in pages.filter(|(halo, _)| !halo.is_empty()) {
                    halo.copy_from_slice(page);
                }
                faces.write(slab, &mut memory.face)?;
            }
            self.pass_on(self.strips.len() - 1, page);
        }
        Ok(())
    }

    /// Computes the lines whose two outermost heaps are `first`, in the slab
    /// `number` of this thread. `own` are the thread's memories, `page` is the
    /// page of the strip, and `before` that of the previous strip, or what the
    /// column has read of it.
    fn strip(
        &mut self,
        number: usize,
        first: [usize; 2],
        (own, page, before): (
            &mut PerSweep<'_, T>,
            &mut PerSweep<'_, T>,
            Option<&PerSweep<'_, T>>,
        ),
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let (kernel, plan) = (self.kernel, &self.kernel.plan);
        if first[0] == first[1]
            && let (Some(mirror), Some(before)) = (&kernel.mirror, before)
        {
            for (own, (page, before)) in own.iter().zip(page.iter_mut().zip(before)) {
                copy_mirrored(mirror, own, page, before);
            }
        }
        let pages = page.iter_mut().zip(own).enumerate();
        let mut sweeps: Vec<Sweep<'_, T>> = pages
            .map(|(sweep, (page, own))| {
                let memories = plan.planes.iter().zip(page.iter_mut().zip(own));
                let memories = memories.map(|(plane, (paged, own))| match plane.is_paged() {
                    true => &mut **paged,
                    false => &mut **own,
                });
                Sweep {
                    number: sweep,
                    memories: memories.collect(),
                    previous_pages: match before {
                        Some(before) => before[sweep].iter().map(|memory| &**memory).collect(),
                        None => vec![&[]; plan.planes.len()],
                    },
                }
            })
            .collect();
        let mut outer = vec![0; plan.outer.len()];
        for (role, size) in outer.iter_mut().zip(first) {
            *role = size;
        }
        let line_rows = plan.cells * plan.lanes;
        loop {
            self.limits.check_work(Steps(250))?;
            let nonempty = (0..outer.len())
                .filter(|role| outer[*role] > 0)
                .fold(0, |nonempty, role| nonempty | 1 << role);
            let active = &kernel.active[nonempty.min(kernel.active.len() - 1)];
            for sweep in &mut sweeps {
                self.line(number, &mut outer, active, sweep);
            }
            let line = plan.number(&outer);
            let rows = Rows::new(line * line_rows, &self.rows, self.layout.words)
                .with_nonzero(&self.found);
            sink.rows(self.layout, rows)?;
            if kernel.mirror.is_some() && outer[0] != outer[1] {
                outer.swap(0, 1);
                sink.mirrored(self.layout, rows.at(plan.number(&outer) * line_rows))?;
                outer.swap(0, 1);
            }
            clear_rows(&mut self.rows, &mut self.found, self.layout.words);
            if !plan.next_in_strip(&mut outer) {
                return Ok(());
            }
        }
    }

    /// Computes the rows of a line in one of the simultaneous sweeps.
    fn line(
        &mut self,
        slab: usize,
        outer: &mut [usize],
        active: &ActivePlanes<T>,
        sweep: &mut Sweep<'_, T>,
    ) {
        let (kernel, plan) = (self.kernel, &self.kernel.plan);
        let memories = &mut sweep.memories;
        let least = match &self.levels {
            None => Some(0),
            Some(levels) => levels.least_inner(plan, outer, sweep.number),
        };
        let first = least.map_or(plan.steps, |least| least * plan.period);
        if first > 0 {
            // The skipped steps must read as 0. Pages are cleared before; but a
            // thread's own memory still holds other lines.
            for (plane, memory) in plan.planes.iter().zip(memories.iter_mut()) {
                if plane.outermost.is_some() && !plane.is_paged() {
                    let own = plan.line(plane, outer) * W;
                    memory[own..own + first * plan.arrays * W].fill(T::ZERO);
                }
            }
        }
        if least.is_none() {
            return;
        }
        for (plane, memory) in plan.planes.iter().zip(memories.iter_mut()) {
            if plane.is_ring {
                memory.fill(T::ZERO);
            }
        }
        let terminals = if self.misere && sweep.number == 0 {
            kernel.terminals(outer)
        } else {
            Vec::new()
        };
        // The bits of the last word that are positions.
        let width = self.layout.most[self.layout.most.len() - 1] % 64 + 1;
        let last_word = T::of_u64(u64::MAX >> (64 - width));
        let lines_a_slab = plan.lines() / plan.slabs();
        let line = plan.number(outer) % lines_a_slab;
        let planes = &active.planes;
        let mut prepared = plan.prepare::<T, W>(outer, planes, memories, &sweep.previous_pages);
        let runs = Runs::of(&prepared, active.full_line, self.layout.words);
        let line = Line {
            level: self
                .levels
                .as_mut()
                .map(|levels| levels.line(slab, line, sweep.number)),
            rows: &mut self.rows,
            found: &mut self.found,
            steps: plan.steps,
            first,
            prepared: &mut prepared,
            runs: &runs,
            not_first: &kernel.not_first,
            edges: &kernel.edges,
            not_edge: &kernel.not_edge,
            lane_bits: &kernel.lane_bits,
            period: plan.period,
            gap: plan.gap,
            words: self.layout.words,
            blocks: plan.blocks,
            lanes: plan.lanes,
            last_word,
            masks: active.masks(),
            terminals: &terminals,
        };
        line.compute();
    }
}

/// Copies the planes at (k − 1, k), for two interchangeable outermost heaps,
/// from the mirrored planes at (k, k − 1).
fn copy_mirrored<T: Word>(
    mirror: &[(usize, usize)],
    own: &Memories<'_, T>,
    page: &mut Memories<'_, T>,
    before: &Memories<'_, T>,
) {
    for (plane, mirrored) in mirror {
        let from = if plane == mirrored {
            &*before[*plane]
        } else {
            &*own[*mirrored]
        };
        page[*plane].copy_from_slice(from);
    }
}
