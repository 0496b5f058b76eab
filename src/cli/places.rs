//! The places of the P-positions that `list` collects row by row.
//!
//! They are in memory; or, out of core, in *runs*: sorted files in the folder of the box, which
//! are merged while the list is written (external sorting, Knuth 1973, vol. 3, 5.4). The saved state of a
//! column names its runs. A run is named by the checksum of its places, so that a file that was
//! altered is found, and a column that is computed again writes the same file.

use super::files;
use nimrule_engine::{Limits, SolveError, Table, Visitor};
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bytes of a place.
const PLACE: u64 = size_of::<u64>() as u64;

/// Fewer places are saved in the state of a column, and not in a file of their own.
const SHORTEST_RUN: usize = 1 << 12;

/// The places of a run that are read at a time, at least and at most.
const PIECE: [usize; 2] = [1 << 9, 1 << 17];

/// A sorted list of places in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    checksum: [u64; 4],
    /// The number of places.
    count: u64,
}

impl Run {
    fn path(&self, folder: &Path) -> PathBuf {
        let words = self.checksum.map(|word| format!("{word:016x}"));
        folder.join(format!("places-{}", words.concat()))
    }

    /// Writes sorted places.
    fn write(places: &[u64], folder: &Path) -> io::Result<Run> {
        let pieces = || {
            let pieces = places.chunks(PIECE[1]);
            pieces.map(|piece| -> Vec<u8> {
                let places = piece.iter();
                places.flat_map(|place| place.to_le_bytes()).collect()
            })
        };
        let mut hasher = blake3::Hasher::new();
        pieces().for_each(|piece| {
            hasher.update(&piece);
        });
        let run = Run {
            checksum: checksum(hasher.finalize()),
            count: places.len() as u64,
        };
        let path = run.path(folder);
        if !path.exists() {
            files::write_atomically(&path, |out| {
                pieces().try_for_each(|piece| out.write_all(&piece))
            })?;
        }
        Ok(run)
    }

    /// Checks that the file has the places that were written.
    fn check(&self, folder: &Path) -> Result<(), String> {
        let path = self.path(folder);
        let mut hasher = blake3::Hasher::new();
        let mut read = || {
            let mut file = File::open(&path)?;
            let mut bytes = vec![0; PIECE[1]];
            loop {
                match file.read(&mut bytes)? {
                    0 => return io::Result::Ok(()),
                    count => hasher.update(&bytes[..count]),
                };
            }
        };
        read().map_err(|error| unusable(&path, &error))?;
        match checksum(hasher.finalize()) == self.checksum {
            true => Ok(()),
            false => Err(unusable(&path, &CheckpointError::Damaged)),
        }
    }
}

fn checksum(hash: blake3::Hash) -> [u64; 4] {
    let words = hash.as_bytes().as_chunks::<8>().0;
    std::array::from_fn(|word| u64::from_le_bytes(words[word]))
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!(
        "`{}` cannot be read: {why}; delete its folder to begin again",
        path.display()
    )
}

/// Places that were found, in runs and beside them.
#[derive(Debug, Default)]
struct Found {
    runs: Vec<Run>,
    places: Vec<u64>,
}

impl Found {
    /// Writes the places as a run.
    fn spill(&mut self, folder: &Path) -> io::Result<()> {
        self.places.sort_unstable();
        self.runs.push(Run::write(&self.places, folder)?);
        self.places.clear();
        Ok(())
    }

    fn append(&mut self, other: &mut Found) {
        self.runs.append(&mut other.runs);
        self.places.append(&mut other.places);
    }
}

/// Collects the places of all P-positions, in any order.
pub struct Collect<'a> {
    /// The differences of places that one token of each heap makes.
    strides: &'a [usize],
    limits: &'a Limits,
    /// The folder of the runs, and the bytes of places that all threads together may have in no
    /// run, and so may what they have handed over; `None` if all are in memory.
    runs: Option<(&'a Path, u64)>,
    found: Mutex<Found>,
    /// By thread.
    parts: Vec<Found>,
    /// The number of places that were found, if all are in memory.
    count: AtomicU64,
}

impl<'a> Collect<'a> {
    /// Collects the places of a box with these strides, in memory or in runs: in a folder, with so
    /// many bytes of memory.
    pub fn new(
        strides: &'a [usize],
        limits: &'a Limits,
        runs: Option<(&'a Path, u64)>,
    ) -> Collect<'a> {
        Collect {
            strides,
            limits,
            // Of the threads and of what they hand over; a list that grows takes twice as much.
            runs: runs.map(|(folder, memory)| (folder, memory / 4)),
            found: Mutex::default(),
            parts: Vec::new(),
            count: AtomicU64::new(0),
        }
    }

    /// Takes what a thread or a column has found.
    fn hand_over(&mut self, found: &mut Found) {
        let all = self.found.get_mut().unwrap_or_else(PoisonError::into_inner);
        let together = (all.places.len() + found.places.len()) as u64 * PLACE;
        if let Some((folder, memory)) = self.runs
            && together > memory
        {
            // Where it cannot be written, the next rows say why.
            let _ = all.spill(folder);
        }
        all.append(found);
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All places, after a sweep. Of the runs in the folder those that are not needed are
    /// removed.
    ///
    /// # Errors
    ///
    /// A reason, if a run cannot be read.
    pub fn finish(self) -> Result<Places, SolveError> {
        let Found {
            mut runs,
            mut places,
        } = self
            .found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        places.sort_unstable();
        let Some((folder, memory)) = self.runs else {
            return Ok(Places { runs: None, places });
        };
        runs.sort_unstable();
        for run in &runs {
            self.limits.check_waited_for()?;
            run.check(folder)
                .map_err(|reason| SolveError::Refused { reason })?;
        }
        remove_others(&runs, folder);
        let piece = memory / PLACE / runs.len().max(1) as u64;
        let piece = usize::try_from(piece).unwrap_or(usize::MAX);
        Ok(Places {
            runs: Some(Runs {
                folder: folder.to_owned(),
                runs,
                piece: piece.clamp(PIECE[0], PIECE[1]),
            }),
            places,
        })
    }
}

/// Removes the runs that a process had written for a column when it was killed.
fn remove_others(runs: &[Run], folder: &Path) {
    let needed: BTreeSet<PathBuf> = runs.iter().map(|run| run.path(folder)).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_run = entry.file_name().to_string_lossy().starts_with("places-");
        if is_run && !needed.contains(&entry.path()) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Collects the places of the rows of one thread.
struct CollectPart<'a> {
    strides: &'a [usize],
    limits: &'a Limits,
    runs: Option<(&'a Path, u64)>,
    found: &'a mut Found,
    count: &'a AtomicU64,
}

impl Sink<SolveError> for CollectPart<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let places = &mut self.found.places;
        let before = places.len();
        let strides = || layout.order.iter().map(|heap| self.strides[*heap] as u64);
        let last = strides().next_back().unwrap_or(0);
        for first in (0..rows.count()).step_by(64) {
            let mut nonzero = rows.nonzero(first..rows.count().min(first + 64));
            while nonzero != 0 {
                let row = first + nonzero.trailing_zeros() as usize;
                nonzero &= nonzero - 1;
                let sizes = layout.row(rows.first + row);
                let begin: u64 = sizes
                    .iter()
                    .zip(strides())
                    .map(|(size, of)| size * of)
                    .sum();
                for (number, word) in rows.row(row).iter().enumerate() {
                    let mut bits = *word;
                    while bits != 0 {
                        let size = 64 * number as u64 + u64::from(bits.trailing_zeros());
                        bits &= bits - 1;
                        places.push(begin + size * last);
                    }
                }
            }
        }
        let new = (places.len() - before) as u64;
        match self.runs {
            None => {
                let count = new + self.count.fetch_add(new, Ordering::Relaxed);
                Ok(self.limits.check_memory(memory_of_places(count))?)
            }
            Some((folder, memory)) if places.len() as u64 * PLACE > memory => self
                .found
                .spill(folder)
                .map_err(|error| SolveError::Refused {
                    reason: format!(
                        "the list cannot be written to `{}`: {error}",
                        folder.display()
                    ),
                }),
            Some(_) => Ok(()),
        }
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}

/// The bytes of memory for so many places, and for their saved state.
fn memory_of_places(count: u64) -> u128 {
    2 * u128::from(PLACE) * u128::from(count)
}

impl Resumable for Collect<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        let found = &mut *self.found();
        let Some((folder, _)) = self.runs else {
            out.words(&found.places);
            return;
        };
        if found.places.len() >= SHORTEST_RUN {
            // Otherwise they are saved here.
            let _ = found.spill(folder);
        }
        let runs = found.runs.iter();
        let runs: Vec<u64> = runs
            .flat_map(|run| run.checksum.into_iter().chain([run.count]))
            .collect();
        out.words(&runs);
        out.words(&found.places);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.clear();
        self.add(from)
    }
}

impl Sink<SolveError> for Collect<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let mut whole = CollectPart {
            strides: self.strides,
            limits: self.limits,
            runs: self.runs,
            found: self.found.get_mut().unwrap_or_else(PoisonError::into_inner),
            count: &self.count,
        };
        whole.rows(layout, rows)
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<SolveError> + Send + '_>> {
        self.parts.resize_with(count, Found::default);
        let of_part = |(folder, memory)| (folder, memory / count as u64);
        let (strides, limits, runs) = (self.strides, self.limits, self.runs.map(of_part));
        let count = &self.count;
        let parts = self.parts.iter_mut().map(|found| CollectPart {
            strides,
            limits,
            runs,
            found,
            count,
        });
        parts.map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        for mut part in std::mem::take(&mut self.parts) {
            self.hand_over(&mut part);
        }
    }
}

impl Visitor for Collect<'_> {
    fn clear(&mut self) {
        *self.found() = Found::default();
        *self.count.get_mut() = 0;
    }

    fn add(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        let mut added = Found::default();
        if self.runs.is_some() {
            let words = from.list()?;
            let (runs, []) = words.as_chunks::<5>() else {
                return Err(CheckpointError::Meaning("the runs of a list"));
            };
            added.runs = runs
                .iter()
                .map(|[a, b, c, d, count]| Run {
                    checksum: [*a, *b, *c, *d],
                    count: *count,
                })
                .collect();
        }
        added.places = from.list()?;
        *self.count.get_mut() += added.places.len() as u64;
        self.hand_over(&mut added);
        Ok(())
    }

    fn table(&mut self, _table: &Table) -> Result<(), SolveError> {
        unreachable!("it visits rows only");
    }
}

/// The places of all P-positions of a box.
pub struct Places {
    runs: Option<Runs>,
    /// Those that are in no run, ascending.
    places: Vec<u64>,
}

struct Runs {
    folder: PathBuf,
    runs: Vec<Run>,
    /// The places that are read of a run at a time.
    piece: usize,
}

impl Places {
    /// The places in memory.
    pub fn into_memory(self) -> Vec<u64> {
        debug_assert!(self.runs.is_none());
        self.places
    }

    /// The places, ascending; after an error none.
    pub fn iter(&self) -> impl Iterator<Item = io::Result<u64>> + '_ {
        let runs = self.runs.iter().flat_map(|all| {
            let readers = all.runs.iter().map(|run| RunReader {
                path: run.path(&all.folder),
                read: 0,
                count: run.count,
                piece: all.piece,
                places: Vec::new().into_iter(),
            });
            readers.map(Source::Run)
        });
        let rest = Source::Memory(self.places.iter());
        Merge::of(runs.chain([rest]).collect())
    }
}

/// Reads a run in pieces. The file is open only while a piece is read, since there may be more
/// runs than a process may have open files.
struct RunReader {
    path: PathBuf,
    /// The number of places that were read, and of all.
    read: u64,
    count: u64,
    piece: usize,
    places: std::vec::IntoIter<u64>,
}

impl RunReader {
    fn next(&mut self) -> io::Result<Option<u64>> {
        if let Some(place) = self.places.next() {
            return Ok(Some(place));
        }
        let count = (self.count - self.read).min(self.piece as u64);
        if count == 0 {
            return Ok(None);
        }
        let mut bytes = vec![0; (count * PLACE) as usize];
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.read * PLACE))?;
        file.read_exact(&mut bytes)?;
        self.read += count;
        let places = bytes.as_chunks::<8>().0.iter();
        let places: Vec<u64> = places.map(|place| u64::from_le_bytes(*place)).collect();
        self.places = places.into_iter();
        Ok(self.places.next())
    }
}

/// A sorted list.
enum Source<'a> {
    Run(RunReader),
    Memory(std::slice::Iter<'a, u64>),
}

impl Source<'_> {
    fn next(&mut self) -> io::Result<Option<u64>> {
        match self {
            Source::Run(run) => run.next(),
            Source::Memory(places) => Ok(places.next().copied()),
        }
    }
}

/// Merges sorted lists.
struct Merge<'a> {
    sources: Vec<Source<'a>>,
    /// The next place of each source that has one, with its number.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    failed: Option<io::Error>,
}

impl<'a> Merge<'a> {
    fn of(sources: Vec<Source<'a>>) -> Merge<'a> {
        let mut merge = Merge {
            next: BinaryHeap::with_capacity(sources.len()),
            sources,
            failed: None,
        };
        for number in 0..merge.sources.len() {
            merge.advance(number);
        }
        merge
    }

    /// Takes the next place of a source.
    fn advance(&mut self, number: usize) {
        match self.sources[number].next() {
            Ok(Some(place)) => self.next.push(Reverse((place, number))),
            Ok(None) => {}
            Err(error) => self.failed = Some(error),
        }
    }
}

impl Iterator for Merge<'_> {
    type Item = io::Result<u64>;

    fn next(&mut self) -> Option<io::Result<u64>> {
        if let Some(error) = self.failed.take() {
            self.next.clear();
            return Some(Err(error));
        }
        let Reverse((place, number)) = self.next.pop()?;
        self.advance(number);
        Some(Ok(place))
    }
}
