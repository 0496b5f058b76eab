//! The columns of a box among ranks: column c belongs to rank c mod N.
//!
//! # Faces
//!
//! Faces are messages to the rank of the next column. That of the rank N − 1 is rank 0,
//! which may not have begun the next column yet: these faces wait in its memory, or in files
//! if there is a folder.
//!
//! # Saving
//!
//! With a folder, the files are those of a run of one process ([`ColumnFolder`]), so that any
//! number of ranks resumes, or none. A column may be saved after S slabs if no face before S
//! will be needed any more, since faces in messages are nowhere: if it is saved after S or
//! more slabs of the next column, or if its faces are in files. So
//!
//! - a *head*, a column that receives no messages, decides when to save, before its next
//!   interruption. Its faces carry the number of slabs, the *mark*;
//! - each column that has received a mark writes its pages at its first interruption after
//!   so many slabs, and is *staged*;
//! - the last of them is saved at once, and tells the rank of the column before it, which
//!   saves its own then, and so on to the head.

use super::super::out_of_core::{ColumnFolder, StoredColumn};
use super::{Key, Parcel, Ranks, Subject, unread};
use nimrule_engine::{ColumnStore, Columns, Limits, SolveError, Visitor};
use nimrule_kernels::columns::{FaceBuffer, Faces};
use nimrule_limits::LimitExceeded;
use nimrule_limits::checkpoint::{self, CheckpointError, Resumable as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time between two looks at what is staged.
const PAUSE: Duration = Duration::from_millis(2);

/// The columns of one sweep.
pub struct RankColumns<'a> {
    ranks: &'static Ranks,
    /// The number of the sweep, the same for all ranks.
    sweep: u64,
    columns: Columns,
    limits: Limits,
    folder: Option<&'a ColumnFolder>,
    /// What earlier runs have saved of each column.
    before: Vec<usize>,
    state: Mutex<State>,
    /// Held while columns are saved, so that the columns before them hear of it in order.
    saving: Mutex<()>,
    is_over: AtomicBool,
}

struct State {
    columns: Vec<ColumnState>,
    failure: Option<SolveError>,
}

#[derive(Clone, Default)]
struct ColumnState {
    /// The number of slabs that are done, and the states of the visitors after them.
    done: usize,
    visitors: Vec<Vec<u8>>,
    /// The last mark, and the slabs after which the column was last staged.
    mark: usize,
    marked: usize,
    /// The slabs after which the column can be saved, with the states of the visitors.
    staged: Vec<(usize, Vec<Vec<u8>>)>,
    /// The slabs of the next column that are saved.
    next_saved: usize,
}

impl<'a> RankColumns<'a> {
    /// The columns of a sweep, which has this number; `stored` is what earlier runs have
    /// saved of each, and nothing without a folder.
    pub fn new(
        ranks: &'static Ranks,
        sweep: u64,
        columns: Columns,
        limits: &Limits,
        folder: Option<&'a ColumnFolder>,
    ) -> RankColumns<'a> {
        let stored = match folder {
            Some(folder) => folder.stored_columns(),
            None => vec![StoredColumn::default(); columns.count()],
        };
        let before: Vec<usize> = stored.iter().map(|column| column.done).collect();
        let state = |(number, column): (usize, StoredColumn)| ColumnState {
            done: column.done,
            visitors: column.visitors,
            next_saved: before.get(number + 1).copied().unwrap_or(0),
            ..ColumnState::default()
        };
        RankColumns {
            state: Mutex::new(State {
                columns: stored.into_iter().enumerate().map(state).collect(),
                failure: None,
            }),
            ranks,
            sweep,
            columns,
            limits: limits.clone(),
            folder,
            before,
            saving: Mutex::new(()),
            is_over: AtomicBool::new(false),
        }
    }

    /// Computes with these columns, while a thread hears of what other ranks have saved.
    pub fn with_notices<T>(&self, compute: impl FnOnce() -> T) -> T {
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !self.is_over.load(Ordering::Relaxed) {
                    for (column, done) in self.ranks.saved(self.sweep) {
                        let next_saved = &mut self.state().columns[column].next_saved;
                        *next_saved = done.max(*next_saved);
                    }
                    if let Err(failure) = self.save_staged() {
                        self.fail(failure);
                    }
                }
            });
            let computed = compute();
            self.is_over.store(true, Ordering::Relaxed);
            computed
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, failure: SolveError) {
        self.state().failure.get_or_insert(failure);
    }

    fn slabs(&self) -> usize {
        self.columns.sizes.slabs
    }

    fn rank_of(&self, column: usize) -> usize {
        column % self.ranks.count
    }

    /// Whether the faces of a column wait until the next one is begun.
    fn is_last_of_round(&self, column: usize) -> bool {
        self.rank_of(column + 1) == 0
    }

    /// Whether a column receives no messages while it is computed.
    fn is_head(&self, column: usize) -> bool {
        self.rank_of(column) == 0 || self.before[column - 1] == self.slabs()
    }

    /// The most slabs after which a column may be saved.
    fn may_save(&self, column: usize, next_saved: usize) -> usize {
        if column + 1 == self.columns.count() || self.is_last_of_round(column) {
            return self.slabs();
        }
        let next = self.columns.strips(column + 1).start;
        next_saved.max(self.columns.sizes.first_slab(next))
    }

    /// Saves the columns of this rank that are staged and may be saved.
    fn save_staged(&self) -> Result<(), SolveError> {
        let Some(folder) = self.folder else {
            return Ok(());
        };
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        for column in (self.ranks.rank..self.columns.count()).step_by(self.ranks.count) {
            let (done, visitors, superseded) = {
                let state = &mut self.state().columns[column];
                let may = self.may_save(column, state.next_saved);
                let ready = state.staged.iter().filter(|(done, _)| *done <= may);
                let mut ready: Vec<_> = state.staged.drain(..ready.count()).collect();
                let Some((done, visitors)) = ready.pop() else {
                    continue;
                };
                let superseded: Vec<usize> = ready.iter().map(|(done, _)| *done).collect();
                (done, visitors, superseded)
            };
            folder.save_column(column, done, visitors, &superseded)?;
            if !self.is_head(column) {
                let key = (Subject::Saved, self.sweep, column as u64 - 1, done as u64);
                let notice = Parcel::new(key, 0, &[]);
                self.ranks.send(self.rank_of(column - 1), notice);
            }
        }
        Ok(())
    }

    /// Shares the states of all columns, which are done.
    fn share_states(&self) -> Result<(), SolveError> {
        let own = (self.ranks.rank..self.columns.count()).step_by(self.ranks.count);
        let own: Vec<Vec<u8>> = {
            let state = self.state();
            own.map(|column| checkpoint::state_of(&state.columns[column].visitors))
                .collect()
        };
        let parts = self
            .ranks
            .share(&checkpoint::state_of(&own), &self.limits)?;
        let unread = |unfit: CheckpointError| unread(&unfit);
        let mut state = self.state();
        for (rank, part) in parts.iter().enumerate() {
            let mut columns: Vec<Vec<u8>> = Vec::new();
            checkpoint::read_state(part, |from| columns.restore(from)).map_err(unread)?;
            let numbers = (rank..self.columns.count()).step_by(self.ranks.count);
            for (number, column) in numbers.zip(&columns) {
                let visitors = &mut state.columns[number].visitors;
                checkpoint::read_state(column, |from| visitors.restore(from)).map_err(unread)?;
                state.columns[number].done = self.slabs();
            }
        }
        Ok(())
    }

    fn has_staged(&self) -> bool {
        let state = self.state();
        state.columns.iter().any(|column| !column.staged.is_empty())
    }
}

impl ColumnStore for RankColumns<'_> {
    fn faces(&self, column: usize) -> Box<dyn Faces + '_> {
        Box::new(FacesOfRank {
            store: self,
            column,
            files: self.folder.map(|folder| folder.faces(column)),
        })
    }

    fn done(&self, column: usize) -> usize {
        self.state().columns[column].done
    }

    fn claim(&self) -> Result<Option<usize>, SolveError> {
        let mut own = (self.ranks.rank..self.columns.count()).step_by(self.ranks.count);
        if let Some(column) = own.find(|column| self.done(*column) < self.slabs()) {
            return Ok(Some(column));
        }
        while self.has_staged() {
            self.limits.check_waited_for()?;
            self.take_failure().map_or(Ok(()), Err)?;
            std::thread::sleep(PAUSE);
        }
        self.share_states()?;
        Ok(None)
    }

    fn add(&self, column: usize, visitors: &mut [&mut dyn Visitor]) -> Result<(), SolveError> {
        let states = self.state().columns[column].visitors.clone();
        match self.folder {
            Some(folder) => folder.add_states(column, &states, visitors),
            None => {
                for (visitor, state) in visitors.iter_mut().zip(&states) {
                    let read = checkpoint::read_state(state, |from| visitor.add(from));
                    read.map_err(|unfit| unread(&unfit))?;
                }
                Ok(())
            }
        }
    }

    fn save(
        &self,
        column: usize,
        done: usize,
        visitors: &[&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        let states = visitors
            .iter()
            .map(|visitor| checkpoint::state_of(&**visitor));
        let states: Vec<Vec<u8>> = states.collect();
        {
            let state = &mut self.state().columns[column];
            state.done = done;
            state.visitors.clone_from(&states);
            if self.folder.is_some() {
                state.staged.push((done, states));
            }
        }
        self.save_staged()
    }

    fn take_failure(&self) -> Option<SolveError> {
        let failure = self.state().failure.take();
        failure.or_else(|| self.folder?.take_failure())
    }
}

/// The faces of one column: messages, and files where there is a folder.
struct FacesOfRank<'a> {
    store: &'a RankColumns<'a>,
    column: usize,
    files: Option<Box<dyn Faces + 'a>>,
}

impl FacesOfRank<'_> {
    fn key(&self, column: usize, slab: usize) -> Key {
        let subject = match self.store.is_last_of_round(column) {
            true => Subject::StoredFace,
            false => Subject::Face,
        };
        (subject, self.store.sweep, column as u64, slab as u64)
    }

    /// The files; only what has a folder reads pages, or faces of an earlier run.
    fn files(&self) -> &dyn Faces {
        &**self.files.as_ref().expect("there is a folder")
    }

    fn placed<T>(&self, result: Result<T, SolveError>) -> Result<T, LimitExceeded> {
        result.map_err(|failure| {
            self.store.fail(failure);
            // A placeholder: the sweep takes the failure.
            LimitExceeded::Time
        })
    }
}

impl Faces for FacesOfRank<'_> {
    fn read(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        let store = self.store;
        let previous = self.column - 1;
        if slab < store.before[previous] {
            return self.files().read(slab, face);
        }
        let key = self.key(previous, slab);
        let parcel = self.placed(store.ranks.receive(key, &store.limits))?;
        let mark = &mut store.state().columns[self.column].mark;
        *mark = (parcel.mark() as usize).max(*mark);
        if key.0 == Subject::StoredFace && store.folder.is_some() {
            return self.files().read(slab, face);
        }
        let unused = std::mem::replace(face, parcel.into_buffer());
        store.ranks.reuse(unused);
        Ok(())
    }

    fn write(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        let store = self.store;
        let next = self.column + 1;
        if store.before[next] > slab {
            // The next column was resumed after it.
            return Ok(());
        }
        let key = self.key(self.column, slab);
        let mark = store.state().columns[self.column].mark as u64;
        let to = store.rank_of(next);
        if key.0 == Subject::StoredFace && store.folder.is_some() {
            self.files().write(slab, face)?;
            let notice = (key, mark, &mut FaceBuffer::new(0));
            return self.placed(store.ranks.send_face(to, notice, &store.limits));
        }
        self.placed(store.ranks.send_face(to, (key, mark, face), &store.limits))
    }

    fn read_pages(&self, done: usize, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded> {
        self.files().read_pages(done, into)
    }

    fn write_pages(&self, done: usize, pieces: &[&[u8]]) -> Result<(), LimitExceeded> {
        self.files().write_pages(done, pieces)
    }

    fn is_due(&self, done: usize) -> bool {
        let Some(files) = &self.files else {
            return false;
        };
        let store = self.store;
        let (mark, marked, is_staged) = {
            let state = &store.state().columns[self.column];
            (state.mark, state.marked, !state.staged.is_empty())
        };
        let mark = match store.is_head(self.column) && !is_staged && mark <= marked {
            // Those after it hear of it before they come so far.
            true if files.is_due(done) => done + 1,
            _ => mark,
        };
        let state = &mut store.state().columns[self.column];
        state.mark = mark;
        let is_due = mark > marked && done >= mark;
        if is_due {
            state.marked = done;
        }
        is_due
    }
}
