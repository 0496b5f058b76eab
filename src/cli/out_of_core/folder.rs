//! The store of the columns of a box in a folder.
//!
//! # Files
//!
//! A sweep has a folder of its own, with
//!
//! - `box`: the identity of the sweep, and the columns;
//! - `column-C`: the number of slabs of column C that are done, and the states of the
//!   visitors after them;
//! - `face-C-S`: the face of column C in slab S, and its checksum;
//! - `pages-C-S`: the pages of column C after S slabs, and their checksum;
//! - `lock`: locked by the process that uses the folder, or shared by those that join;
//! - `lock-C`: locked by the process that computes column C, if several do.
//!
//! # What is never lost
//!
//! Let `saved(C)` be the number of slabs in `column-C`. At every moment the files suffice to
//! resume: where `saved(C + 1) <= S < saved(C)` there is `face-C-S`, and where `saved(C)` is
//! neither 0 nor all slabs there is `pages-C-S` for `S = saved(C)`. So a face that was read
//! is removed when `saved(C + 1)` exceeds its slab, or at once if `saved(C)` does not: then
//! column C would write it again. Faces and pages are on the disk before a `column-C` needs
//! them, and of several columns the last is saved first.
//!
//! # Several processes
//!
//! With `--join` each process claims the first column that is neither done nor claimed. A
//! process waits for the faces of the column before. It does not remove a face at once, since
//! another process may have to write it again, and saves a column before it claims another.
//! The locks of a process end with it, so another process can claim its column.

use crate::cli::checkpoint::Pace;
use crate::cli::files::{self, Unusable};
use crate::cli::load::{self, Answered};
use nimrule_engine::{ColumnStore, Columns, Limits, SolveError, Visitor};
use nimrule_kernels::columns::{FaceBuffer, Faces};
use nimrule_limits::LimitExceeded;
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Resumable};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The bytes of the checksum at the end of a face.
const CHECKSUM: usize = blake3::OUT_LEN;

/// Bytes that are hashed and written together, while they are in the cache.
const PIECE: usize = 1 << 18;

/// The time between two looks at what other processes have done.
const PAUSE: Duration = Duration::from_millis(5);

/// The time after which a process does not wait for one that is not there.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a column leaves to others.
#[derive(Debug, Clone, Copy)]
enum Face {
    /// What the next column reads of a slab.
    Strip { slab: usize },
    /// The pages of the column after some slabs.
    Pages { done: usize },
}

/// Who uses a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// This process alone.
    Alone,
    /// This process, and others that join.
    Joined,
    /// The ranks of `mpirun`, of which the first one has the lock.
    #[cfg(feature = "mpi")]
    Ranks {
        /// Whether this is the first one.
        is_first: bool,
    },
}

/// The store of one sweep in a folder.
pub struct ColumnFolder {
    path: PathBuf,
    identity: Identity,
    slabs: usize,
    /// The number of faces that may be kept although they were read.
    most_read: usize,
    sharing: Sharing,
    limits: Limits,
    state: Mutex<State>,
    /// Locked as long as it is open.
    lock: File,
}

struct State {
    columns: Vec<StoredColumn>,
    /// The column that this process computes, if others share the columns, and its lock.
    claimed: Option<(usize, File)>,
    /// Files that may not be on the disk yet.
    unsynced: BTreeSet<PathBuf>,
    /// The faces that were read and are still needed: the column that read each of them, and
    /// its slab.
    read: Vec<(usize, usize)>,
    pace: Pace,
    /// When the pages of a save began to be written, if they were.
    saving: Option<Instant>,
    failure: Option<SolveError>,
}

/// A column, as far as it is done.
#[derive(Debug, Clone, Default)]
pub struct StoredColumn {
    /// The number of slabs in its file.
    saved: usize,
    /// The number of slabs that are done, and the states of the visitors after them.
    pub done: usize,
    pub visitors: Vec<Vec<u8>>,
}

/// Why a file cannot be used, and what to do, as a sentence.
type Reason = String;

impl ColumnFolder {
    /// Opens the folder of a sweep, and creates it if there is none. The columns are those of
    /// the earlier run, if there was one.
    pub fn open(
        (path, sharing): (PathBuf, Sharing),
        identity: Identity,
        columns: &mut Columns,
        limits: &Limits,
    ) -> Answered<ColumnFolder> {
        fs::create_dir_all(&path).map_err(|error| {
            let path = path.display();
            load::wrong(&format!("the folder `{path}` cannot be created: {error}"))
        })?;
        let folder = ColumnFolder {
            slabs: columns.sizes.slabs,
            most_read: columns.most_read(),
            lock: File::create(path.join("lock"))
                .map_err(|error| load::wrong(&unwritten(&path.join("lock"), &error)))?,
            sharing,
            limits: limits.clone(),
            state: Mutex::new(State {
                columns: Vec::new(),
                claimed: None,
                unsynced: BTreeSet::new(),
                read: Vec::new(),
                pace: Pace::default(),
                saving: None,
                failure: None,
            }),
            identity,
            path,
        };
        #[cfg(feature = "mpi")]
        if (sharing == Sharing::Ranks { is_first: false }) {
            let loaded = folder.wait_for_box().and_then(|()| folder.load(columns));
            return loaded
                .map(|()| folder)
                .map_err(|reason| load::wrong(&reason));
        }
        let opened = match folder.lock.try_lock() {
            Ok(()) => folder.load(columns).and_then(|()| {
                folder.clean(columns)?;
                match sharing {
                    Sharing::Joined => folder.share(),
                    _ => Ok(()),
                }
            }),
            Err(TryLockError::WouldBlock) if sharing == Sharing::Joined => {
                folder.share().and_then(|()| folder.load(columns))
            }
            Err(TryLockError::WouldBlock) => Err(folder.is_used()),
            Err(TryLockError::Error(error)) => Err(folder.not_locked(&error)),
        };
        opened.map_err(|reason| load::wrong(&reason))?;
        Ok(folder)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn column_file(&self, column: usize) -> PathBuf {
        self.path.join(format!("column-{column}"))
    }

    fn face_file(&self, column: usize, face: Face) -> PathBuf {
        self.path.join(match face {
            Face::Strip { slab } => format!("face-{column}-{slab}"),
            Face::Pages { done } => format!("pages-{column}-{done}"),
        })
    }

    /// Waits for what the first rank has written, which other machines may see late.
    #[cfg(feature = "mpi")]
    fn wait_for_box(&self) -> Result<(), Reason> {
        let begun = Instant::now();
        while !self.path.join("box").exists() {
            if begun.elapsed() > PATIENCE {
                return Err(format!(
                    "the folder `{}` is not that of rank 0: name one that all machines see",
                    self.path.display()
                ));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// What is stored of each column.
    #[cfg(feature = "mpi")]
    pub fn stored_columns(&self) -> Vec<StoredColumn> {
        self.state().columns.clone()
    }

    /// Saves a column after some slabs, and removes its pages after fewer that were not saved.
    #[cfg(feature = "mpi")]
    pub fn save_column(
        &self,
        column: usize,
        done: usize,
        visitors: Vec<Vec<u8>>,
        superseded: &[usize],
    ) -> Result<(), SolveError> {
        let mut state = self.state();
        // Other columns were computed since it was due.
        state.saving = None;
        state.columns[column].done = done;
        state.columns[column].visitors = visitors;
        let mut save = || {
            self.flush(&mut state)?;
            superseded
                .iter()
                .try_for_each(|done| remove(&self.face_file(column, Face::Pages { done: *done })))
        };
        save().map_err(|reason| SolveError::Refused { reason })
    }

    /// Adds the states of a column to the visitors.
    pub fn add_states(
        &self,
        column: usize,
        states: &[Vec<u8>],
        visitors: &mut [&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        if states.is_empty() {
            return Ok(());
        }
        let unfit = |unfit: CheckpointError| SolveError::Refused {
            reason: self.unusable(&self.column_file(column), &unfit),
        };
        if states.len() != visitors.len() {
            return Err(unfit(CheckpointError::Meaning("other claims")));
        }
        for (visitor, state) in visitors.iter_mut().zip(states) {
            checkpoint::read_state(state, |from| visitor.add(from)).map_err(unfit)?;
        }
        Ok(())
    }

    /// Whether other processes read faces, so that a face is kept until the column that reads
    /// it is saved.
    fn is_shared(&self) -> bool {
        self.sharing != Sharing::Alone
    }

    fn not_locked(&self, error: &io::Error) -> Reason {
        format!("`{}` cannot be locked: {error}", self.path.display())
    }

    fn is_used(&self) -> Reason {
        let folder = self.path.display();
        format!("another run uses `{folder}`; wait until it ends, or name another folder")
    }

    /// Shares the folder with others that join. One of them may be cleaning it.
    fn share(&self) -> Result<(), Reason> {
        let begun = Instant::now();
        self.lock
            .unlock()
            .map_err(|error| self.not_locked(&error))?;
        loop {
            match self.lock.try_lock_shared() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => return Err(self.not_locked(&error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(self.is_used()),
            }
        }
    }

    /// Reads what the columns are, and what is saved of them.
    fn load(&self, columns: &mut Columns) -> Result<(), Reason> {
        let manifest = self.path.join("box");
        if !self.restore(&manifest, &mut [("columns", columns)])? {
            self.save_sections(&manifest, &[("columns", columns)])?;
        }
        let stored = (0..columns.count()).map(|column| self.stored(column));
        self.state().columns = stored.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// What is saved of a column.
    fn stored(&self, column: usize) -> Result<StoredColumn, Reason> {
        let (mut done, mut visitors) = (0_u64, Vec::new());
        let path = self.column_file(column);
        let mut sections: [(&str, &mut dyn Resumable); 2] =
            [("done", &mut done), ("visitors", &mut visitors)];
        self.restore(&path, &mut sections)?;
        let saved = usize::try_from(done)
            .ok()
            .filter(|done| *done <= self.slabs)
            .ok_or_else(|| self.unusable(&path, &"it has too many slabs"))?;
        Ok(StoredColumn {
            saved,
            done: saved,
            visitors,
        })
    }

    /// Removes the faces and pages that are not needed, and checks that none is missing.
    fn clean(&self, columns: &Columns) -> Result<(), Reason> {
        let needed = self.needed(columns, &self.state().columns);
        for path in self.faces_here()? {
            if !needed.contains_key(&path) {
                remove(&path)?;
            }
        }
        for (path, bytes) in needed {
            match fs::metadata(&path) {
                Ok(found) if u128::from(found.len()) == bytes => {}
                Ok(found) => {
                    let why = format!("it has {} bytes and not {bytes}", found.len());
                    return Err(self.unusable(&path, &why));
                }
                Err(error) => return Err(self.unusable(&path, &error)),
            }
        }
        Ok(())
    }

    /// The lock of a column, if no process has it. A process that waits for the column may
    /// have it for a moment.
    fn lock_of_column(&self, column: usize) -> Result<Option<File>, Reason> {
        let path = self.path.join(format!("lock-{column}"));
        let lock = File::create(&path).map_err(|error| unwritten(&path, &error))?;
        for _ in 0..3 {
            match lock.try_lock() {
                Ok(()) => return Ok(Some(lock)),
                Err(TryLockError::Error(error)) => return Err(self.not_locked(&error)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
        Ok(None)
    }

    /// Claims the first column that is neither done nor claimed, if there is one, and returns
    /// whether all are done.
    fn claim_one(&self) -> Result<bool, Reason> {
        let mut all_done = true;
        let columns = self.state().columns.len();
        for column in 0..columns {
            let is_done = || -> Result<bool, Reason> {
                let mut state = self.state();
                if state.columns[column].done < self.slabs {
                    state.columns[column] = self.stored(column)?;
                }
                Ok(state.columns[column].done == self.slabs)
            };
            if is_done()? {
                continue;
            }
            let lock = self.lock_of_column(column)?;
            // It may have been saved before the lock was free.
            if is_done()? {
                continue;
            }
            all_done = false;
            if let Some(lock) = lock {
                self.state().claimed = Some((column, lock));
                break;
            }
        }
        Ok(all_done)
    }

    /// Waits until the face of a column that another process computes is there.
    fn wait_for_face(&self, (column, slab): (usize, usize), path: &Path) -> Result<(), SolveError> {
        let refused = |reason| SolveError::Refused { reason };
        let mut unclaimed: Option<Instant> = None;
        while !path.exists() {
            self.limits.check_waited_for()?;
            if self.stored(column).map_err(refused)?.saved > slab {
                // It was removed; reading it says so.
                return Ok(());
            }
            match self.lock_of_column(column).map_err(refused)? {
                None => unclaimed = None,
                Some(_) if unclaimed.get_or_insert_with(Instant::now).elapsed() < PATIENCE => {}
                Some(_) => {
                    return Err(refused(format!(
                        "no run computes column {column} in `{}`: one has ended; run the same \
                         command again, which resumes what was saved",
                        self.path.display()
                    )));
                }
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// The files of faces and pages from which the columns are resumed, with their bytes.
    fn needed(&self, columns: &Columns, stored: &[StoredColumn]) -> BTreeMap<PathBuf, u128> {
        let sizes = &columns.sizes;
        let mut needed = BTreeMap::new();
        let mut need = |column, face, bytes| {
            needed.insert(self.face_file(column, face), bytes + CHECKSUM as u128);
        };
        for (column, stored_column) in stored.iter().enumerate() {
            let strips = columns.strips(column);
            let saved = stored_column.saved;
            if (sizes.first_slab(strips.start) + 1..self.slabs).contains(&saved) {
                let pages = sizes.pages(&strips);
                need(column, Face::Pages { done: saved }, pages);
            }
            if let Some(next) = stored.get(column + 1) {
                for slab in next.saved.max(sizes.first_slab(strips.end))..saved {
                    need(column, Face::Strip { slab }, sizes.face);
                }
            }
        }
        needed
    }

    /// The files of faces and pages, and the files that were not finished.
    fn faces_here(&self) -> Result<Vec<PathBuf>, Reason> {
        let unread = |error: io::Error| {
            let folder = self.path.display();
            format!("the folder `{folder}` cannot be read: {error}")
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(unread)? {
            let path = entry.map_err(unread)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| {
                name.starts_with("face-") || name.starts_with("pages-") || name.ends_with(".new")
            }) {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// Restores the sections of a file, and returns whether there is one.
    fn restore(
        &self,
        path: &Path,
        sections: &mut [(&str, &mut dyn Resumable)],
    ) -> Result<bool, Reason> {
        match files::open(path) {
            Ok(None) => Ok(false),
            Ok(Some(mut file)) => {
                let get = &mut |bytes: &mut [u8]| file.read_exact(bytes).is_ok();
                checkpoint::restore(&self.identity, sections, get)
                    .map_err(|unfit| self.unusable(path, &unfit))?;
                Ok(true)
            }
            Err(Unusable::CheckpointError(unfit)) => Err(self.unusable(path, &unfit)),
            Err(Unusable::Io(error)) => Err(self.unusable(path, &error)),
        }
    }

    fn save_sections(
        &self,
        path: &Path,
        sections: &[(&str, &dyn Resumable)],
    ) -> Result<(), Reason> {
        let written = files::write_atomically(path, |out| {
            let mut written = Ok(());
            checkpoint::save(&self.identity, sections, &mut |bytes| {
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            });
            written
        });
        written.map_err(|error| unwritten(path, &error))
    }

    fn unusable(&self, path: &Path, why: &dyn std::fmt::Display) -> Reason {
        format!(
            "`{}` cannot be resumed: {why}; name another folder, or delete `{}` to begin again",
            path.display(),
            self.path.display()
        )
    }

    /// Saves all that is done, and removes what is not needed any more.
    fn flush(&self, state: &mut State) -> Result<(), Reason> {
        let begun = state.saving.take().unwrap_or_else(Instant::now);
        for path in std::mem::take(&mut state.unsynced) {
            match File::open(&path).and_then(|file| file.sync_all()) {
                // The next column was saved after it, by another process.
                Err(error) if self.is_shared() && error.kind() == ErrorKind::NotFound => {}
                synced => synced.map_err(|error| unwritten(&path, &error))?,
            }
        }
        // So that the names of the faces are on the disk, where folders can be opened.
        if let Ok(folder) = File::open(&self.path) {
            let _ = folder.sync_all();
        }
        let mut old_pages = Vec::new();
        for (number, column) in state.columns.iter_mut().enumerate().rev() {
            if column.done > column.saved {
                let sections: [(&str, &dyn Resumable); 2] = [
                    ("done", &(column.done as u64)),
                    ("visitors", &column.visitors),
                ];
                self.save_sections(&self.column_file(number), &sections)?;
                let done = std::mem::replace(&mut column.saved, column.done);
                old_pages.push(self.face_file(number, Face::Pages { done }));
            }
        }
        let columns = &state.columns;
        let (old_faces, read) = std::mem::take(&mut state.read)
            .into_iter()
            .partition::<Vec<_>, _>(|(column, slab)| columns[*column].saved > *slab);
        state.read = read;
        let old_faces = old_faces.into_iter();
        let old_faces =
            old_faces.map(|(column, slab)| self.face_file(column - 1, Face::Strip { slab }));
        for path in old_faces.chain(old_pages) {
            remove(&path)?;
        }
        state.pace.saved(begun);
        Ok(())
    }
}

fn remove(path: &Path) -> Result<(), Reason> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("`{}` cannot be removed: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Reason {
    let hint = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some of the disk, and run the same command: what was saved is kept"
        }
        _ => "",
    };
    format!("`{}` cannot be written: {error}{hint}", path.display())
}

impl ColumnStore for ColumnFolder {
    fn faces(&self, column: usize) -> Box<dyn Faces + '_> {
        Box::new(FacesInFiles {
            folder: self,
            column,
        })
    }

    fn done(&self, column: usize) -> usize {
        self.state().columns[column].done
    }

    fn claim(&self) -> Result<Option<usize>, SolveError> {
        let refused = |reason| SolveError::Refused { reason };
        if self.sharing != Sharing::Joined {
            let columns = &self.state().columns;
            return Ok(columns.iter().position(|column| column.done < self.slabs));
        }
        loop {
            self.limits.check_waited_for()?;
            let all_done = self.claim_one().map_err(refused)?;
            if let Some((column, _)) = &self.state().claimed {
                return Ok(Some(*column));
            }
            if all_done {
                for path in self.faces_here().map_err(refused)? {
                    remove(&path).map_err(refused)?;
                }
                return Ok(None);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn add(&self, column: usize, visitors: &mut [&mut dyn Visitor]) -> Result<(), SolveError> {
        let states = self.state().columns[column].visitors.clone();
        self.add_states(column, &states, visitors)
    }

    fn save(
        &self,
        column: usize,
        done: usize,
        visitors: &[&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        let mut state = self.state();
        let states = visitors
            .iter()
            .map(|visitor| checkpoint::state_of(&**visitor));
        state.columns[column].visitors = states.collect();
        state.columns[column].done = done;
        // The pages of an unfinished column were written because they were due.
        let is_last = column + 1 == state.columns.len();
        if done < self.slabs || is_last || self.is_shared() || state.pace.is_due() {
            self.flush(&mut state)
                .map_err(|reason| SolveError::Refused { reason })?;
        }
        if done == self.slabs {
            state.claimed = None;
        }
        Ok(())
    }

    fn take_failure(&self) -> Option<SolveError> {
        self.state().failure.take()
    }
}

/// The faces of one column.
struct FacesInFiles<'a> {
    folder: &'a ColumnFolder,
    column: usize,
}

impl FacesInFiles<'_> {
    fn placed(&self, result: Result<(), Reason>) -> Result<(), LimitExceeded> {
        result.map_err(|reason| {
            let mut state = self.folder.state();
            state.failure.get_or_insert(SolveError::Refused { reason });
            // A placeholder: the sweep takes the failure.
            LimitExceeded::Time
        })
    }

    fn read_file(&self, path: &Path, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded> {
        let read = read_face(path, into);
        self.placed(read.map_err(|why| self.folder.unusable(path, &why)))
    }

    fn write_file(&self, face: Face, pieces: &[&[u8]]) -> Result<(), LimitExceeded> {
        let path = self.folder.face_file(self.column, face);
        let written = write_face(&path, pieces).map_err(|error| unwritten(&path, &error));
        self.placed(written)?;
        self.folder.state().unsynced.insert(path);
        Ok(())
    }
}

impl Faces for FacesInFiles<'_> {
    fn read(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        let (folder, column) = (self.folder, self.column - 1);
        let path = folder.face_file(column, Face::Strip { slab });
        if folder.sharing == Sharing::Joined
            && let Err(failure) = folder.wait_for_face((column, slab), &path)
        {
            folder.state().failure.get_or_insert(failure);
            return Err(LimitExceeded::Time);
        }
        self.read_file(&path, &mut [face.bytes_mut()])?;
        let mut state = folder.state();
        if folder.is_shared() || slab < state.columns[column].saved {
            state.read.push((self.column, slab));
            return Ok(());
        }
        state.unsynced.remove(&path);
        drop(state);
        self.placed(remove(&path))
    }

    fn write(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        if self.folder.state().columns[self.column + 1].done > slab {
            // The next column was resumed after it.
            return Ok(());
        }
        self.write_file(Face::Strip { slab }, &[face.bytes()])
    }

    fn read_pages(&self, done: usize, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded> {
        let pages = self.folder.face_file(self.column, Face::Pages { done });
        self.read_file(&pages, into)
    }

    fn write_pages(&self, done: usize, pieces: &[&[u8]]) -> Result<(), LimitExceeded> {
        self.write_file(Face::Pages { done }, pieces)
    }

    fn is_due(&self, _done: usize) -> bool {
        let mut state = self.folder.state();
        let is_due = state.pace.is_due() || state.read.len() > self.folder.most_read;
        state.saving = is_due.then(Instant::now);
        is_due
    }
}

fn write_face(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let write = || {
        let mut file = File::create(&unfinished)?;
        let mut hasher = blake3::Hasher::new();
        for piece in pieces.iter().flat_map(|piece| piece.chunks(PIECE)) {
            hasher.update(piece);
            file.write_all(piece)?;
        }
        file.write_all(hasher.finalize().as_bytes())?;
        fs::rename(&unfinished, path)
    };
    let written = write();
    if written.is_err() {
        // It takes room of a full disk.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn read_face(path: &Path, into: &mut [&mut [u8]]) -> Result<(), String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut hasher = blake3::Hasher::new();
    let unread = |error: io::Error| error.to_string();
    for piece in into.iter_mut().flat_map(|piece| piece.chunks_mut(PIECE)) {
        file.read_exact(piece).map_err(unread)?;
        hasher.update(piece);
    }
    let mut checksum = [0; CHECKSUM];
    file.read_exact(&mut checksum).map_err(unread)?;
    match hasher.finalize() == checksum {
        true => Ok(()),
        false => Err(CheckpointError::Damaged.to_string()),
    }
}
