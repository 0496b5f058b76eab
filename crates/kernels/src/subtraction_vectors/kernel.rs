//! The sweep: for each line, the moves to earlier lines, for all its rows at
//! once, and then its rows in order.

use super::lines::{Grid, Shift, Source, gather, smear};
use super::plan::{MOST_WORDS_IN_LINE, Plan, Recipe, Step};
use super::within_row::RowMoves;
use crate::columns::{ColumnSizes, FaceBuffer, Faces, SLABS_BETWEEN_SAVES};
use crate::word::Word;
use crate::{Layout, Rows, Sink, SlabState, Start};
use nimrule_limits::{LimitExceeded, Limits, Steps};

/// Words that are computed between two checks of the time.
const WORDS_PER_CHECK: usize = 1 << 20;

pub(super) struct Kernel<T> {
    plan: Plan<T>,
    grid: Grid,
    /// The ring buffers of earlier lines, by plane.
    store: Vec<T>,
    /// The start of each plane's ring buffer in the store.
    rings: Vec<usize>,
    /// The current line, plane after plane.
    current: Vec<T>,
    /// The positions of the current line that are known not to be P.
    non_p: Vec<T>,
    /// The slot of each ring buffer that receives the current line.
    slots: Vec<usize>,
    loads: Vec<Load>,
    updates: Vec<Update>,
    /// The moves within a row.
    row_moves: RowMoves<T>,
}

/// A read of an earlier row of the current line.
#[derive(Debug, Clone, Copy)]
struct Load {
    /// The start of the plane's first row.
    from: usize,
    shift: Shift,
    /// The distance in rows of the part to remove, if any.
    minus: Option<usize>,
}

/// The update of a plane after a row is solved: `to` is the plane, `own` and
/// `from` are the planes that it accumulates.
#[derive(Debug, Clone, Copy)]
enum Update {
    /// ORs the row of `own` into the plane, which has been initialised from
    /// earlier lines.
    FromEarlierLines { to: usize, own: usize },
    /// ORs the row of `own` and a shifted earlier row of `from`.
    FromRow {
        to: usize,
        own: usize,
        from: usize,
        shift: Shift,
    },
    /// ORs `count` shifted copies of the row's P-positions.
    Smear { to: usize, count: u64, by: u64 },
}

/// The options of a sweep.
pub(super) struct SweepOptions<'a> {
    pub layout: &'a Layout,
    /// A column is that of the plan.
    pub start: Start<'a>,
    /// Positions that are excluded from P, by row.
    pub excluded: Option<&'a [u64]>,
    pub limits: &'a Limits,
}

impl<T: Word> Kernel<T> {
    /// The bytes of memory that the kernel of a plan needs.
    pub fn bytes(plan: &Plan<T>) -> u128 {
        let line = Kernel::grid(plan).len() as u128 * size_of::<T>() as u128;
        let lines: u128 = plan.planes.iter().map(|plane| plane.lines as u128).sum();
        line * (lines + 2) + plan.bytes_of_row_moves()
    }

    /// The sizes of the columns of a box with this plan.
    pub fn column_sizes(plan: &Plan<T>) -> ColumnSizes {
        let line = Kernel::grid(plan).len() as u128 * size_of::<T>() as u128;
        let strip = plan.lines_of_a_strip() as u128 * line;
        let slabs_back: usize = plan.planes.iter().map(|plane| plane.back[0]).sum();
        let face = (plan.strips_of_a_face() as u128 * strip).next_multiple_of(8);
        let (page, back) = (slabs_back as u128 * strip, plan.strips_back());
        // A plane has at most a strip more than it is read back.
        let planes = plan.planes.len() as u128 * strip + face;
        ColumnSizes {
            strips: plan.strips(),
            slabs: plan.slabs(),
            page,
            back,
            thread: back as u128 * (page + strip)
                + planes
                + face
                + 2 * line
                + plan.bytes_of_row_moves(),
            most_threads: 1,
            face,
            is_mirrored: false,
        }
    }

    fn grid(plan: &Plan<T>) -> Grid {
        Grid::new(plan.rows, plan.words, plan.max_rows_back)
    }

    pub fn new(plan: Plan<T>) -> Kernel<T> {
        let grid = Kernel::grid(&plan);
        let base = |plane: usize| plane * grid.len() + grid.lead;
        let loads = plan.same_line.iter().map(|load| Load {
            from: base(load.plane),
            shift: load.step.shift,
            minus: load.minus.as_ref().map(|step| step.shift.rows),
        });
        let per_row = plan.planes.iter().enumerate().filter(|(_, p)| p.per_row);
        let updates = per_row.filter_map(|(place, plane)| {
            let (own, from) = match plane.recipe {
                Recipe::PPositions => return None,
                Recipe::Smear { count, by } => {
                    let to = base(place);
                    return Some(Update::Smear { to, count, by });
                }
                Recipe::Cumulative => (0, place),
                Recipe::Double { of } => (of, of),
            };
            let (to, own, from) = (base(place), base(own), base(from));
            match &plane.step {
                Some(step) if step.lines == 0 => Some(Update::FromRow {
                    to,
                    own,
                    from,
                    shift: step.shift,
                }),
                _ => Some(Update::FromEarlierLines { to, own }),
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
            non_p: vec![T::ZERO; grid.len()],
            slots: vec![0; plan.planes.len()],
            row_moves: plan.row_moves(),
            plan,
        }
    }

    /// Computes the box or the column once, and passes its rows to a sink.
    pub fn run(
        &mut self,
        options: &SweepOptions<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let arch = pulp::Arch::new();
        let mut line = vec![0_u64; self.plan.outer.len()];
        let mut out = vec![0_u64; options.layout.words * self.plan.rows];
        let mut sources = LineSources::default();
        let work = self.grid.len() * (self.plan.earlier_lines.len() + self.plan.planes.len() + 4);
        let between = (WORDS_PER_CHECK / work).max(1);
        let Start { from, column, .. } = &options.start;
        let column = column.as_ref();
        let strips = column.map_or(0..self.plan.strips(), |column| column.strips.clone());
        let lines_a_strip = self.plan.lines_of_a_strip();
        let first = from.map_or(0, |(done, _)| done as usize);
        // That the column reads or writes, plane after plane.
        let words_of_face = column.map_or(0, |_| {
            self.plan.strips_of_a_face() * lines_a_strip * self.grid.len()
        });
        let mut face = FaceBuffer::new(words_of_face * size_of::<T>());
        match (column, from) {
            (Some(column), _) if first > 0 => self.read_pages(first, column.faces)?,
            (None, Some((_, state))) => self.restore(state),
            _ => {}
        }
        for slab in first..self.plan.slabs() {
            match column {
                _ if slab == first => {}
                None => sink.slab(slab as u64, self)?,
                Some(column) if slab % SLABS_BETWEEN_SAVES == 0 && column.faces.is_due(slab) => {
                    let pages = self.pages();
                    column.faces.write_pages(slab, &pages)?;
                    sink.slab(slab as u64, self)?;
                }
                Some(_) => {}
            }
            let faces = column.map(|column| column.faces);
            if let Some(faces) = faces.filter(|_| strips.start > 0) {
                faces.read(slab, &mut face)?;
                self.take_face(strips.start, &face);
            }
            for (size, first) in line.iter_mut().zip([slab, strips.start]) {
                *size = first as u64;
            }
            let before = slab * self.plan.strips();
            let [from, to] =
                [strips.start, strips.end].map(|strip| (before + strip) * lines_a_strip);
            for number in from..to {
                if number % between == 0 {
                    options.limits.check_work(Steps(1000))?;
                }
                self.begin(&line, number, options);
                self.find_sources(&line, &mut sources);
                arch.dispatch(EarlierLines {
                    kernel: self,
                    sources: &sources,
                });
                arch.dispatch(SameLine { kernel: self });
                self.store_line();
                self.emit(options.layout, number * self.plan.rows, &mut out, sink)?;
                for (size, most) in line.iter_mut().zip(&self.plan.outer).rev() {
                    if *size < *most {
                        *size += 1;
                        break;
                    }
                    *size = 0;
                }
            }
            if let Some(faces) = faces.filter(|_| strips.end < self.plan.strips()) {
                self.leave_face(&mut face);
                faces.write(slab, &mut face)?;
            }
        }
        Ok(())
    }

    /// Stores what the lines of a slab read of the strips before `start` as their lines.
    fn take_face(&mut self, start: usize, face: &FaceBuffer) {
        let (len, lines) = (self.grid.len(), self.plan.lines_of_a_strip());
        let strip = lines * len;
        let face: &[T] = bytemuck::cast_slice(face.bytes());
        let zeros = vec![T::ZERO; len];
        let mut of_plane = 0;
        for place in 0..self.plan.planes.len() {
            let back = self.plan.planes[place].back[1];
            for before in (1..=start - self.plan.window.start).rev() {
                for line in 0..lines {
                    let line = match back.checked_sub(before) {
                        Some(of_face) => &face[of_plane + of_face * strip + line * len..][..len],
                        // No line of the column reads it.
                        None => &zeros[..],
                    };
                    self.push(place, line);
                }
            }
            of_plane += back * strip;
        }
    }

    /// Copies what the next column reads of the lines of a slab, which were computed last.
    fn leave_face(&self, face: &mut FaceBuffer) {
        let strip = self.plan.lines_of_a_strip();
        let window = self.plan.window.len();
        let longest = self.plan.strips_back().saturating_sub(window);
        // For strips before the first one.
        let zeros = vec![T::ZERO; longest * strip * self.grid.len()];
        let mut rest = face.bytes_mut();
        for (place, plane) in self.plan.planes.iter().enumerate() {
            let back = plane.back[1];
            let absent = back.saturating_sub(window);
            let absent = &zeros[..absent * strip * self.grid.len()];
            let [older, newer] = self.last_lines(place, back.min(window) * strip);
            for piece in [bytemuck::cast_slice(absent), older, newer] {
                let (to, others) = rest.split_at_mut(piece.len());
                to.copy_from_slice(piece);
                rest = others;
            }
        }
    }

    /// The pages of the column: the lines of the slabs that each plane is read back.
    fn pages(&self) -> Vec<&[u8]> {
        let slab = self.plan.window.len() * self.plan.lines_of_a_strip();
        let planes = self.plan.planes.iter().enumerate();
        let pages = planes.flat_map(|(place, plane)| self.last_lines(place, plane.back[0] * slab));
        pages.collect()
    }

    fn read_pages(&mut self, done: usize, faces: &dyn Faces) -> Result<(), LimitExceeded> {
        let slab = self.plan.window.len() * self.plan.lines_of_a_strip() * self.grid.len();
        let mut rest = &mut self.store[..];
        let mut pages: Vec<&mut [u8]> = Vec::new();
        for (place, plane) in self.plan.planes.iter().enumerate() {
            let (ring, others) = rest.split_at_mut((plane.lines - 1) * self.grid.len());
            rest = others;
            let lines = &mut ring[..plane.back[0] * slab];
            self.slots[place] = lines.len() / self.grid.len() % (plane.lines - 1).max(1);
            pages.push(bytemuck::cast_slice_mut(lines));
        }
        faces.read_pages(done, &mut pages)
    }

    /// The lines of a plane that were stored last, the oldest first.
    fn last_lines(&self, place: usize, count: usize) -> [&[u8]; 2] {
        let len = self.grid.len();
        let slots = self.plan.planes[place].lines - 1;
        let ring = &self.store[self.rings[place]..][..slots * len];
        let slot = self.slots[place];
        let older = count.saturating_sub(slot);
        [
            bytemuck::cast_slice(&ring[(slots - older) * len..]),
            bytemuck::cast_slice(&ring[(slot - (count - older)) * len..slot * len]),
        ]
    }

    /// Restores the state that was saved after a slab.
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
            *stored = T::of_u64(word);
        }
    }

    /// Initialises the excluded positions of a line, before any moves.
    fn begin(&mut self, line: &[u64], number: usize, options: &SweepOptions<'_>) {
        let grid = self.grid;
        self.non_p.fill(T::ZERO);
        if let Some(excluded) = options.excluded {
            let words = options.layout.words;
            let first = number * grid.rows * words;
            let excluded = &excluded[first..first + grid.rows * words];
            for (row, excluded) in excluded.chunks_exact(words).enumerate() {
                for (word, excluded) in excluded.iter().enumerate() {
                    self.non_p[word * grid.stride() + grid.lead + row] = T::of_u64(*excluded);
                }
            }
        }
        if options.start.misere {
            self.exclude_terminals(line);
        }
    }

    /// Excludes the terminal positions: in each row those whose packed heap is
    /// smaller than in any minimal vector that fits the other heaps.
    fn exclude_terminals(&mut self, line: &[u64]) {
        let grid = self.grid;
        let fits = self.plan.minimal_vectors.iter();
        let fits: Vec<(usize, u64)> = fits
            .filter(|least| Plan::<T>::fits(&least.step, line))
            .map(|least| (least.step.shift.rows, least.packed))
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
                let non_p = match below {
                    0 => break,
                    below if below >= bits => !T::ZERO,
                    below => T::of_u64((1 << below) - 1),
                };
                self.non_p[word * grid.stride() + grid.lead + row] |= non_p;
            }
        }
    }

    /// The start, in the store, of the line `lines` lines back.
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

    /// Computes the addresses of the lines that a line reads.
    fn find_sources(&self, line: &[u64], sources: &mut LineSources) {
        let fits = |step: &Step| Plan::<T>::fits(step, line);
        sources.non_p.clear();
        for load in self
            .plan
            .earlier_lines
            .iter()
            .filter(|load| fits(&load.step))
        {
            let minus = load.minus.as_ref().filter(|minus| fits(minus));
            sources.non_p.push(Source {
                start: self.start(load.plane, load.step.lines),
                shift: load.step.shift,
                minus: minus.map(|minus| (self.start(load.plane, minus.lines), minus.shift.rows)),
            });
        }
        sources.planes.clear();
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
                shift: step.shift,
                minus: None,
            });
            sources.planes.push((place, source));
        }
    }

    /// Copies the current line to the ring buffers.
    fn store_line(&mut self) {
        let len = self.grid.len();
        let current = std::mem::take(&mut self.current);
        for (place, line) in current.chunks_exact(len).enumerate() {
            self.push(place, line);
        }
        self.current = current;
    }

    /// Copies a line to the ring buffer of a plane.
    fn push(&mut self, place: usize, line: &[T]) {
        let slots = self.plan.planes[place].lines - 1;
        if slots > 0 {
            let slot = &mut self.slots[place];
            self.store[self.rings[place] + *slot * line.len()..][..line.len()]
                .copy_from_slice(line);
            *slot = if *slot + 1 == slots { 0 } else { *slot + 1 };
        }
    }

    /// Returns whether rows read nothing of their line but the P-positions of
    /// the row before.
    fn next_only(&self) -> bool {
        let next = |load: &Load| {
            load.from == self.grid.lead && load.shift.rows == 1 && load.minus.is_none()
        };
        self.updates.is_empty() && self.loads.iter().all(next)
    }

    fn emit(
        &self,
        layout: &Layout,
        first: usize,
        out: &mut [u64],
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let Grid {
            rows, words, lead, ..
        } = self.grid;
        let found = &self.current[..self.grid.len()];
        if (rows == 1 || words == 1)
            && let Some(found) = T::as_u64s(&found[lead..lead + rows * words])
        {
            return sink.rows(layout, Rows::new(first, found, words));
        }
        let stride = self.grid.stride();
        for word in 0..words {
            let found = &found[word * stride + lead..][..rows];
            for (out, found) in out[word..].iter_mut().step_by(words).zip(found) {
                *out = found.to_u64();
            }
        }
        sink.rows(layout, Rows::new(first, out, words))
    }
}

/// The oldest slot of each ring buffer, and the lines in the ring buffers.
impl<T: Word> SlabState for Kernel<T> {
    fn save(&self, out: &mut Vec<u8>) {
        for slot in &self.slots {
            out.extend_from_slice(&(*slot as u64).to_le_bytes());
        }
        for word in &self.store {
            out.extend_from_slice(&word.to_u64().to_le_bytes());
        }
    }
}

/// The addresses of the earlier lines that a line reads.
#[derive(Default)]
struct LineSources {
    /// The lines that exclude positions: moves to P-positions in them.
    non_p: Vec<Source>,
    /// The planes that accumulate from line to line, with their source if it is
    /// in the box.
    planes: Vec<(usize, Option<Source>)>,
}

/// The first phase of a line: reads of earlier lines, for all rows at once.
struct EarlierLines<'k, 'r, T> {
    kernel: &'k mut Kernel<T>,
    sources: &'r LineSources,
}

impl<T: Word> pulp::NullaryFnOnce for EarlierLines<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let EarlierLines { kernel, sources } = self;
        let grid = kernel.grid;
        let len = grid.len();
        gather(grid, &mut kernel.non_p, &kernel.store, &sources.non_p);
        for (place, source) in &sources.planes {
            let plane = &mut kernel.current[place * len..][..len];
            plane.fill(T::ZERO);
            if let Some(source) = source {
                gather(grid, plane, &kernel.store, std::slice::from_ref(source));
            }
        }
    }
}

/// The second phase of a line: its rows in order, and then the planes that only
/// later lines read.
struct SameLine<'k, T> {
    kernel: &'k mut Kernel<T>,
}

impl<T: Word> pulp::NullaryFnOnce for SameLine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let SameLine { kernel } = self;
        match kernel.grid {
            Grid { rows: 1, .. } => single_row(kernel),
            Grid { words: 1, .. } if kernel.next_only() => match kernel.row_moves {
                RowMoves::One => rows_in_chain::<T, true>(kernel),
                _ => rows_in_chain::<T, false>(kernel),
            },
            Grid { words: 1, .. } => rows::<T, 1>(kernel),
            Grid { words: 2, .. } => rows::<T, 2>(kernel),
            Grid { words: 3, .. } => rows::<T, 3>(kernel),
            _ => rows::<T, MOST_WORDS_IN_LINE>(kernel),
        }
        update_later_planes(kernel);
    }
}

/// Solves a line of one row.
#[inline(always)]
fn single_row<T: Word>(kernel: &mut Kernel<T>) {
    let found = &mut kernel.current[..kernel.non_p.len()];
    found.copy_from_slice(&kernel.non_p);
    kernel.row_moves.solve(found, kernel.plan.full);
}

/// Solves rows of one word that read only the row before them.
#[inline(always)]
fn rows_in_chain<T: Word, const ONE: bool>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let full = kernel.plan.full;
    let non_p = &kernel.non_p[grid.lead..][..grid.rows];
    let found = &mut kernel.current[grid.lead..][..grid.rows];
    let mut before = T::ZERO;
    for (found, non_p) in found.iter_mut().zip(non_p) {
        let mut word = *non_p;
        for load in &kernel.loads {
            word |= before << load.shift.bits;
        }
        let row = std::slice::from_mut(&mut word);
        match ONE {
            true => RowMoves::One.solve(row, full),
            false => kernel.row_moves.solve(row, full),
        }
        before = word;
        *found = word;
    }
}

/// Solves rows of `W` words in order.
#[inline(always)]
fn rows<T: Word, const W: usize>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let stride = grid.stride();
    let lead = grid.lead;
    let full = kernel.plan.full;
    let current = &mut kernel.current[..];
    for row in 0..grid.rows {
        let mut non_p = [T::ZERO; W];
        read(&kernel.non_p, stride, lead + row, &mut non_p);
        for load in &kernel.loads {
            if load.shift.rows > row {
                break;
            }
            let mut word = [T::ZERO; W];
            read(
                current,
                stride,
                load.from + row - load.shift.rows,
                &mut word,
            );
            if let Some(minus) = load.minus.filter(|minus| *minus <= row) {
                let mut ended = [T::ZERO; W];
                read(current, stride, load.from + row - minus, &mut ended);
                for (word, ended) in word.iter_mut().zip(ended) {
                    *word ^= ended;
                }
            }
            shift_into(&mut non_p, &word, load.shift);
        }
        kernel.row_moves.solve(&mut non_p, full);
        let found = non_p;
        write(current, stride, lead + row, &found);
        for update in &kernel.updates {
            let mut word = found;
            match *update {
                Update::Smear { to, count, by } => {
                    smear(1, W, &mut word, count, by);
                    write(current, stride, to + row, &word);
                }
                Update::FromEarlierLines { to, own } => {
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
                Update::FromRow {
                    to,
                    own,
                    from,
                    shift,
                } => {
                    if own != lead {
                        read(current, stride, own + row, &mut word);
                    }
                    if shift.rows <= row {
                        let mut before = [T::ZERO; W];
                        read(current, stride, from + row - shift.rows, &mut before);
                        shift_into(&mut word, &before, shift);
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

/// `to |= from << shift`, for one row.
#[inline(always)]
fn shift_into<T: Word, const W: usize>(to: &mut [T; W], from: &[T; W], shift: Shift) {
    if W == 1 {
        to[0] |= from[0] << shift.bits;
        return;
    }
    for (word, to) in to.iter_mut().enumerate() {
        // PERF: no index depends on the shift, so that the loops unroll.
        for (source, from) in from.iter().enumerate() {
            if source + shift.words == word {
                *to |= *from << shift.bits;
            }
            if source + shift.words + 1 == word && shift.bits > 0 {
                *to |= *from >> (T::BITS - shift.bits);
            }
        }
    }
}

/// Updates the planes that only later lines read.
#[inline(always)]
fn update_later_planes<T: Word>(kernel: &mut Kernel<T>) {
    let grid = kernel.grid;
    let len = grid.len();
    for (place, plane) in kernel.plan.planes.iter().enumerate() {
        let own = match plane.recipe {
            _ if plane.per_row => continue,
            Recipe::PPositions | Recipe::Cumulative => 0,
            Recipe::Double { of } => of,
            Recipe::Smear { count, by } => {
                let (found, others) = kernel.current.split_at_mut(len);
                let line = &mut others[(place - 1) * len..][..len];
                line.copy_from_slice(found);
                smear(grid.stride(), grid.words, line, count, by);
                continue;
            }
        };
        // A plane comes after those that it is computed from.
        let (before, line) = kernel.current.split_at_mut(place * len);
        let own = &before[own * len..][..len];
        for (to, own) in line[..len].iter_mut().zip(own) {
            *to |= *own;
        }
    }
}
