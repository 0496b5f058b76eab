//! Slabs of the outermost heap, which threads sweep one behind the other.
//!
//! A *slab* is all lines with the same outermost heap, and a *strip* all lines
//! with the same two outermost heaps. A strip needs the strip before it in its
//! slab, and the one at its place in the slab before. What the planes whose
//! sets hold the outermost heap have of a strip is a *page*; all other planes
//! are needed within a slab alone, and are a thread's own.
//!
//! A slab takes the pages one after another from the slab before it, writes its
//! own strips over them, and hands each on as soon as the strip behind it has
//! been swept. So each thread is two strips behind the next; and the last hands
//! the pages on to the first, which by then has come to the end of its slab.
//! With one thread the pages go round in a queue.

use super::super::arena::Arena;
use super::super::word::Word;
use super::chosen::Chosen;
use super::levels::{Levels, LevelsOfThread};
use super::line::{Line, Ready};
use super::plan::{Plan, Plane};
use super::{Kernel, Layout, Limits, Met, Sink};
use crate::{Rows, State};
use std::iter::StepBy;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A memory for each plane, empty where the plane is kept elsewhere.
type Memories<'m, T, const W: usize> = Vec<&'m mut [[T; W]]>;

/// The same for each of the sweeps that are made together.
type Together<'m, T, const W: usize> = Vec<Memories<'m, T, W>>;

/// A strip of fewer rows is swept before another thread has woken up.
const LEAST_ROWS: usize = if cfg!(test) { 1 } else { 1 << 10 };

/// The slabs of a box.
pub(super) struct Slabs<'k, T, const W: usize> {
    kernel: &'k Kernel<T, W>,
    layout: &'k Layout,
    /// Under misere play an end position is not P in the first sweep.
    pub misere: bool,
    /// So many sweeps are made together, line by line: more than one where
    /// values are found one after another.
    together: usize,
    /// The pages, one behind the other: for each strip of a slab one of each
    /// sweep.
    arena: Arena<T>,
}

impl<'k, T: Word, const W: usize> Slabs<'k, T, W> {
    pub fn new(
        kernel: &'k Kernel<T, W>,
        layout: &'k Layout,
        misere: bool,
        together: usize,
    ) -> Slabs<'k, T, W> {
        let arrays = arrays(&kernel.plan, Plane::is_paged);
        Slabs {
            kernel,
            layout,
            misere,
            together,
            arena: Arena::new(arrays * W * kernel.plan.strips() * together),
        }
    }

    /// Forgets all that was found.
    pub fn clear(&mut self) {
        self.arena.words_mut().fill(T::ZERO);
    }

    /// Takes over the state that was saved after some slab.
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

    /// Where in the arena the planes of a single sweep lie, plane by plane and
    /// page by page.
    fn in_order(&self) -> Vec<Range<usize>> {
        let plan = &self.kernel.plan;
        let page = arrays(plan, Plane::is_paged);
        let mut order = Vec::new();
        let mut from = 0;
        for plane in plan.planes.iter().filter(|plane| plane.is_paged()) {
            let to = from + plane.arrays as usize;
            let pages = (0..plan.strips()).map(|strip| strip * page);
            order.extend(pages.map(|page| (page + from) * W..(page + to) * W));
            from = to;
        }
        order
    }

    /// Sweeps the slabs from this one on.
    pub fn run(
        &mut self,
        from: usize,
        mut levels: Option<&mut Levels<T, W>>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        let plan = &self.kernel.plan;
        let threads = self.threads(limits, sink);
        let mut done = from;
        while done < plan.slabs() {
            // Whoever is told of slabs is told as often as can be.
            let to = if sink.in_any_order() {
                plan.slabs()
            } else {
                plan.slabs().min(done + threads)
            };
            self.stretch(done..to, threads, levels.as_deref_mut(), limits, sink)?;
            done = to;
            if done < plan.slabs() {
                sink.slab(done as u64, self)?;
            }
        }
        Ok(())
    }

    /// How many threads pay.
    fn threads(&self, limits: &Limits, sink: &dyn Sink) -> usize {
        let plan = &self.kernel.plan;
        let rows = plan.lines() / plan.slabs() / plan.strips() * plan.cells * plan.lanes;
        if !sink.has_parts() || rows * self.layout.words < LEAST_ROWS {
            return 1;
        }
        let together = self.together as u128;
        let pages = together * plan.bytes_of_pages::<T, W>();
        let thread = together * plan.bytes_of_a_thread::<T, W>(self.layout.words);
        let fit = u128::from(limits.memory).saturating_sub(pages) / thread.max(1);
        // Those of a slab that wait for each other two strips apart.
        let most = plan.slabs().min(plan.strips() / 2);
        limits
            .threads
            .min(most)
            .min(usize::try_from(fit).unwrap_or(most))
            .max(1)
    }

    /// Sweeps some slabs without a stop.
    fn stretch(
        &mut self,
        slabs: Range<usize>,
        threads: usize,
        levels: Option<&mut Levels<T, W>>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        let (mut senders, mut receivers): (Vec<Sender<_>>, Vec<Receiver<_>>) =
            (0..threads).map(|_| channel()).unzip();
        let plan = &self.kernel.plan;
        let mut rest = self.arena.words_mut();
        for _ in 0..plan.strips() {
            // Nobody has gone away yet.
            let _ = senders[0].send(cut(plan, self.together, Plane::is_paged, &mut rest));
        }
        senders.rotate_left(1);
        let mut levels: Vec<Option<LevelsOfThread<'_, T, W>>> = match levels {
            Some(levels) => levels.parts(threads).into_iter().map(Some).collect(),
            None => (0..threads).map(|_| None).collect(),
        };
        let all = senders.into_iter().zip(&mut receivers).zip(&mut levels);
        let mut workers = all
            .enumerate()
            .map(|(number, ((hand_on, pages), levels))| Worker {
                kernel: self.kernel,
                layout: self.layout,
                misere: self.misere,
                together: self.together,
                slabs: (slabs.start + number..slabs.end).step_by(threads),
                pages,
                hand_on,
                rows: Vec::new(),
                found: Vec::new(),
                levels: levels.take(),
                limits,
            });
        if threads == 1 {
            workers.try_for_each(|worker| worker.work(sink))
        } else {
            let mut parts = sink.parts(threads).into_iter().zip(workers);
            let here = parts.next();
            let swept = thread::scope(|scope| {
                let others: Vec<_> = parts
                    .map(|(mut part, worker)| scope.spawn(move || worker.work(&mut *part)))
                    .collect();
                let here = here.map(|(mut part, worker)| worker.work(&mut *part));
                let others = others.into_iter().map(|other| match other.join() {
                    Ok(swept) => swept,
                    Err(panic) => std::panic::resume_unwind(panic),
                });
                others.chain(here).collect()
            });
            sink.gather();
            swept
        }
    }
}

/// What a sweep needs to go on after a slab of the outermost heap.
impl<T: Word, const W: usize> State for Slabs<'_, T, W> {
    fn save(&self, out: &mut Vec<u8>) {
        for within in self.in_order() {
            for word in &self.arena.words()[within] {
                out.extend_from_slice(&word.to_u64().to_le_bytes());
            }
        }
    }
}

/// How many arrays of lanes some of the planes have together.
fn arrays(plan: &Plan, of: impl Fn(&Plane) -> bool) -> usize {
    let planes = plan.planes.iter().filter(|plane| of(plane));
    planes.map(|plane| plane.arrays as usize).sum()
}

/// Cuts memories for some of the planes of so many sweeps off the front of
/// words.
fn cut<'m, T: Word, const W: usize>(
    plan: &Plan,
    together: usize,
    of: impl Fn(&Plane) -> bool,
    rest: &mut &'m mut [T],
) -> Together<'m, T, W> {
    let mut memories = |plane: &Plane| {
        let arrays = if of(plane) { plane.arrays as usize } else { 0 };
        let (memory, others) = std::mem::take(rest).split_at_mut(arrays * W);
        *rest = others;
        memory.as_chunks_mut().0
    };
    let sweeps = 0..together;
    sweeps
        .map(|_| plan.planes.iter().map(&mut memories).collect())
        .collect()
}

/// Makes rows 0 again.
fn clear(rows: &mut [u64], found: &mut [u64], words: usize) {
    // PERF: most rows hold no P-position.
    for (rows, found) in rows.chunks_mut(64 * words).zip(found) {
        let mut some = std::mem::take(found);
        if some.count_ones() as usize * words > 32 {
            rows.fill(0);
            continue;
        }
        while some != 0 {
            let row = some.trailing_zeros() as usize;
            some &= some - 1;
            rows[row * words..][..words].fill(0);
        }
    }
}

/// One of the sweeps that are made together, in a strip.
struct Sweep<'s, 'm, T, const W: usize> {
    number: usize,
    memories: Vec<&'s mut [[T; W]]>,
    /// The pages of the strip before.
    befores: Vec<&'m [[T; W]]>,
}

/// A thread, with every so many-th slab.
struct Worker<'w, 'm, T, const W: usize> {
    kernel: &'w Kernel<T, W>,
    layout: &'w Layout,
    misere: bool,
    together: usize,
    slabs: StepBy<Range<usize>>,
    /// From the slab before.
    pages: &'w mut Receiver<Together<'m, T, W>>,
    /// To the next slab.
    hand_on: Sender<Together<'m, T, W>>,
    /// Those of a line, all 0 between two lines.
    rows: Vec<u64>,
    /// Which of them have a P-position: see [`Rows`].
    found: Vec<u64>,
    levels: Option<LevelsOfThread<'w, T, W>>,
    limits: &'w Limits,
}

impl<T: Word, const W: usize> Worker<'_, '_, T, W> {
    fn work(mut self, sink: &mut dyn Sink) -> Result<(), Met> {
        let plan = &self.kernel.plan;
        // A thread touches its memory first itself.
        let is_own = |plane: &Plane| !plane.is_paged();
        let mut arena = Arena::new(arrays(plan, is_own) * W * self.together);
        let mut own: Together<'_, T, W> = cut(plan, self.together, is_own, &mut arena.words_mut());
        let rows = plan.cells * plan.lanes;
        self.rows = vec![0; rows * self.layout.words];
        self.found = vec![0; rows.div_ceil(64)];
        for (number, slab) in self.slabs.clone().enumerate() {
            let strips = match &self.kernel.mirror {
                Some(_) => slab + 1,
                None => plan.strips(),
            };
            let mut before: Option<Together<'_, T, W>> = None;
            for strip in 0..plan.strips() {
                // Where another has stopped, it says why.
                let Ok(mut page) = self.pages.recv() else {
                    return Ok(());
                };
                if strip < strips {
                    let memories = (&mut own, &mut page, before.as_ref());
                    self.strip(number, [slab, strip], memories, sink)?;
                }
                if let Some(page) = before.replace(page) {
                    // The receivers outlive all threads.
                    let _ = self.hand_on.send(page);
                }
            }
            if let Some(page) = before {
                let _ = self.hand_on.send(page);
            }
        }
        Ok(())
    }

    /// All lines with these two outermost heaps, in this thread's slab of that
    /// number; with the thread's memories, the strip's page and that before.
    fn strip(
        &mut self,
        number: usize,
        first: [usize; 2],
        (own, page, before): (
            &mut Together<'_, T, W>,
            &mut Together<'_, T, W>,
            Option<&Together<'_, T, W>>,
        ),
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        let (kernel, plan) = (self.kernel, &self.kernel.plan);
        if first[0] == first[1]
            && let (Some(mirror), Some(before)) = (&kernel.mirror, before)
        {
            for (own, (page, before)) in own.iter().zip(page.iter_mut().zip(before)) {
                hand_over(mirror, own, page, before);
            }
        }
        let pages = page.iter_mut().zip(own).enumerate();
        let mut sweeps: Vec<Sweep<'_, '_, T, W>> = pages
            .map(|(sweep, (page, own))| {
                let memories = plan.planes.iter().zip(page.iter_mut().zip(own));
                let memories = memories.map(|(plane, (paged, own))| match plane.is_paged() {
                    true => &mut **paged,
                    false => &mut **own,
                });
                Sweep {
                    number: sweep,
                    memories: memories.collect(),
                    befores: match before {
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
            self.limits.within_time()?;
            let left = (0..outer.len())
                .filter(|role| outer[*role] > 0)
                .fold(0, |left, role| left | 1 << role);
            let chosen = &kernel.chosen[left.min(kernel.chosen.len() - 1)];
            let ready = plan.ready(&mut outer, &chosen.planes);
            for sweep in &mut sweeps {
                self.line(number, &outer, (chosen, &ready), sweep);
            }
            let line = plan.number(&outer);
            let rows =
                Rows::new(line * line_rows, &self.rows, self.layout.words).with_found(&self.found);
            sink.rows(self.layout, rows)?;
            if kernel.mirror.is_some() && outer[0] != outer[1] {
                outer.swap(0, 1);
                sink.mirrored(self.layout, rows.at(plan.number(&outer) * line_rows))?;
                outer.swap(0, 1);
            }
            clear(&mut self.rows, &mut self.found, self.layout.words);
            if !plan.next_in_strip(&mut outer) {
                return Ok(());
            }
        }
    }

    /// All rows with these outer heaps, in one of the sweeps that are made
    /// together.
    fn line(
        &mut self,
        slab: usize,
        outer: &[usize],
        (chosen, ready): (&Chosen<T>, &[Ready]),
        sweep: &mut Sweep<'_, '_, T, W>,
    ) {
        let (kernel, plan) = (self.kernel, &self.kernel.plan);
        let memories = &mut sweep.memories;
        let least = match &self.levels {
            None => Some(0),
            Some(levels) => levels.least_inner(plan, outer, sweep.number),
        };
        let first = least.map_or(plan.steps, |least| least * plan.period);
        if first > 0 {
            // Pages were cleared, and lines come to have more tokens there; but
            // a thread's own memory is used for other lines in turn.
            for (plane, memory) in plan.planes.iter().zip(memories.iter_mut()) {
                if plane.outermost.is_some() && !plane.is_paged() {
                    let own = plan.line(plane, outer);
                    memory[own..own + first * plan.arrays].fill([T::ZERO; W]);
                }
            }
        }
        if least.is_none() {
            return;
        }
        for (plane, memory) in plan.planes.iter().zip(memories.iter_mut()) {
            if plane.is_ring {
                memory.fill([T::ZERO; W]);
            }
        }
        let ends = if self.misere && sweep.number == 0 {
            kernel.ends(self.layout, outer)
        } else {
            Vec::new()
        };
        // Bits of the last word that are positions.
        let width = self.layout.most[self.layout.most.len() - 1] % 64 + 1;
        let last_word = T::of_u64(u64::MAX >> (64 - width));
        let lines_a_slab = plan.lines() / plan.slabs();
        let line = plan.number(outer) % lines_a_slab;
        pulp::Arch::new().dispatch(Line {
            level: self
                .levels
                .as_mut()
                .map(|levels| levels.line(slab, line, sweep.number)),
            memories,
            befores: &sweep.befores,
            rows: &mut self.rows,
            found: &mut self.found,
            steps: plan.steps,
            first,
            ready,
            to_the_end: chosen.to_the_end,
            not_first: &kernel.not_first,
            period: plan.period,
            words: self.layout.words,
            blocks: plan.blocks,
            lanes: plan.lanes,
            last_word,
            choice: chosen.choice(),
            ends: &ends,
        });
    }
}

/// Where the two outermost heaps are twins and equal: what the first one's sets
/// reach from below, taken from where the mirrored sets have it.
fn hand_over<T: Word, const W: usize>(
    mirror: &[(usize, usize)],
    own: &Memories<'_, T, W>,
    page: &mut Memories<'_, T, W>,
    before: &Memories<'_, T, W>,
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
