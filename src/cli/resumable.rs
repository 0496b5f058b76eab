//! Long runs over numbered items, each of which gives a row of a CSV table: on several
//! threads, and resumed from the table that an earlier run left.
//!
//! # Files
//!
//! A table has the columns of its rows and a last one, `identity`: what the row is of, as text
//! ([`Identity`]). So rows that were copied to another file still say it, and readers that
//! name their columns need not know. A table whose rows are of anything else is refused.
//!
//! A row is a line. Rows are appended as they are found, and the table is written anew at
//! the end of the run if they are not in order then, or if some replace others. A line without
//! its end was cut off; its item is run again. The file is locked meanwhile.

use super::files;
use super::latex;
use super::load::{self, Answered};
use super::progress;
use csv::StringRecord;
use nimrule_limits::checkpoint::Identity;
use nimrule_limits::{LimitExceeded, Limits};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A row of the table of a run. Its first cell is the number of its item.
pub trait Row: Send + Sized {
    /// The names of the columns, without that of the identity.
    const COLUMNS: &'static [&'static str];

    fn cells(&self) -> Vec<String>;
}

/// The column of the identity.
const IDENTITY: &str = "identity";

/// A run over the items 1 to `items`.
pub struct Run<'a, R> {
    pub items: usize,
    /// What the rows are of, whatever their items.
    pub identity: &'a Identity,
    /// The numbers of the items that are run; all if it is empty.
    pub only: &'a [usize],
    /// The file of the table, if it is kept.
    pub output: Option<&'a Path>,
    /// A row of the table of an earlier run, of the item with this number; `None` if it is
    /// not of this run.
    pub read: &'a dyn Fn(usize, &StringRecord) -> Option<R>,
    /// Whether a row of an earlier run stands, and its item is not run again.
    pub stands: &'a dyn Fn(&R) -> bool,
    /// Computes the row of an item.
    pub item: &'a (dyn Fn(usize, &Limits) -> Result<R, LimitExceeded> + Sync),
}

/// The rows of a run, and the limit that ended it.
pub struct Finished<R> {
    pub rows: BTreeMap<usize, R>,
    pub limit: Option<LimitExceeded>,
    /// The number of items that have no row because of it.
    pub left: usize,
}

impl<R: Row> Run<'_, R> {
    /// Runs all items whose rows do not stand.
    pub fn run(&self, limits: &Limits) -> Answered<Finished<R>> {
        let all = 1..=self.items;
        if let Some(number) = self.only.iter().find(|number| !all.contains(number)) {
            return Err(load::wrong(&format!(
                "there is no number {number}: they are from 1 to {}",
                self.items
            )));
        }
        let (known, table) = match self.output {
            Some(path) => {
                let (known, table) = self.open(path)?;
                (known, Some(table))
            }
            None => (BTreeMap::new(), None),
        };
        let is_asked = |number: &usize| self.only.is_empty() || self.only.contains(number);
        let stands = |number: &usize| known.get(number).is_some_and(self.stands);
        let wanted = all.filter(|number| is_asked(number) && !stands(number));
        let wanted: Vec<usize> = wanted.collect();
        let threads = limits.threads.clamp(1, wanted.len().max(1));
        let next = AtomicUsize::new(0);
        let found = Mutex::new((known, table));
        let met = Mutex::new(None);
        let item = self.item;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(&number) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let limits = Limits {
                            threads: 1,
                            memory: limits.memory / threads as u64,
                            ..limits.clone()
                        };
                        // A row whose time was cut short says nothing.
                        let row = limits
                            .check_waited_for()
                            .and_then(|()| item(number, &limits))
                            .and_then(|row| limits.check_waited_for().map(|()| row));
                        let row = match row {
                            Ok(row) => row,
                            Err(limit) => {
                                *met.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
                                break;
                            }
                        };
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        let (rows, table) = &mut *found;
                        if let Some(table) = table {
                            table.append(number, &line(&row, self.identity));
                        }
                        rows.insert(number, row);
                    }
                });
            }
        });
        let (rows, table) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let (Some(table), Some(path)) = (table, self.output)
            && !table.is_in_order()
        {
            files::write_atomically(path, |out| as_csv(out, &rows, self.identity)).map_err(
                |error| load::wrong(&format!("`{}` cannot be written: {error}", path.display())),
            )?;
        }
        let limit = met.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = wanted.iter().filter(|number| !rows.contains_key(number));
        let left = left.count();
        Ok(Finished { rows, limit, left })
    }

    /// The rows of an earlier run, and the file, to which others are appended.
    fn open(&self, path: &Path) -> Answered<(BTreeMap<usize, R>, Table)> {
        let file = lock(path)?;
        let unread = |error: &dyn std::fmt::Display| {
            load::wrong(&format!("`{}` cannot be read: {error}", path.display()))
        };
        let bytes = files::read_from(&file, files::MAX_FILE_BYTES).map_err(|e| unread(&e))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| unread(&error))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (rows, order) = self.rows(&text[..whole]).map_err(|why| {
            load::wrong(&format!(
                "`{}` cannot be resumed: {why}; name another file with `--output`, or delete it",
                path.display()
            ))
        })?;
        let mut table = Table {
            file,
            length: whole as u64,
            order,
            has_failed: false,
        };
        if whole == 0 {
            let head = head::<R>();
            // Nothing that another program began is written over.
            if !head.starts_with(text) {
                return Err(load::wrong(&format!(
                    "`{}` is not a table: it is a line without an end; name another file with \
                     `--output`",
                    path.display()
                )));
            }
            table.write(&head);
        } else if whole < text.len() {
            table.write("");
            load::note(&format!(
                "the last row of `{}` was cut off, and its item is searched again",
                path.display()
            ));
        }
        Ok((rows, table))
    }

    /// The rows in the text of a table, and the numbers of its lines in their order; or why it is
    /// not of this run.
    fn rows(&self, text: &str) -> Result<(BTreeMap<usize, R>, Vec<usize>), String> {
        let (mut rows, mut order) = (BTreeMap::new(), Vec::new());
        if text.is_empty() {
            return Ok((rows, order));
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().map_err(|error| error.to_string())?;
        if !head.iter().eq(columns::<R>()) {
            let is_earlier = head.iter().all(|name| R::COLUMNS.contains(&name));
            return Err(match is_earlier {
                true => "an earlier version of nimrule wrote it, and it does not say what its \
                         rows are of"
                    .to_owned(),
                false => "it has other columns".to_owned(),
            });
        }
        for record in reader.records() {
            let record = record.map_err(|error| error.to_string())?;
            let identity = record.get(R::COLUMNS.len()).unwrap_or_default();
            let unfit = self.identity.check_text(identity);
            unfit.map_err(|unfit| unfit.to_string())?;
            let cell = record.get(0).unwrap_or_default();
            let number = cell.parse().ok().filter(|number| *number >= 1);
            if let Some(number) = number.filter(|number| *number > self.items) {
                return Err(format!(
                    "it has the row {number}, and this run has {}",
                    self.items
                ));
            }
            let row = number.and_then(|number| Some((number, (self.read)(number, &record)?)));
            let (number, row) = row.ok_or_else(|| format!("its row `{cell}` was changed"))?;
            order.push(number);
            rows.insert(number, row);
        }
        Ok((rows, order))
    }
}

/// The file of a table, which is locked as long as it is open.
struct Table {
    file: File,
    /// The length up to the end of the last whole line.
    length: u64,
    /// The numbers of the rows in the order of the lines.
    order: Vec<usize>,
    /// Whether a row could not be appended, and none is after it.
    has_failed: bool,
}

impl Table {
    fn append(&mut self, number: usize, line: &str) {
        self.write(line);
        self.order.push(number);
    }

    /// Writes after the last whole line. A failure is reported at the end of the run, where the
    /// table is written anew.
    fn write(&mut self, line: &str) {
        if self.has_failed {
            return;
        }
        let mut write = || -> io::Result<()> {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
            self.file.write_all(line.as_bytes())
        };
        match write() {
            Ok(()) => self.length += line.len() as u64,
            Err(_) => self.has_failed = true,
        }
    }

    /// Whether every row is there once, in the order of the numbers.
    fn is_in_order(&self) -> bool {
        !self.has_failed && self.order.is_sorted_by(|one, next| one < next)
    }
}

/// Opens the file of a table, which no other run may use meanwhile.
fn lock(path: &Path) -> Answered<File> {
    if path.exists() && !path.is_file() {
        return Err(load::wrong(&format!(
            "`{}` is not a file; name a file with `--output`",
            path.display()
        )));
    }
    loop {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false);
        let file = opened.open(path).map_err(|error| {
            load::wrong(&format!("`{}` cannot be written: {error}", path.display()))
        })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(load::wrong(&format!(
                    "another run writes `{}`; wait until it ends, or name another file with \
                     `--output`",
                    path.display()
                )));
            }
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // The run that had it may have written the table anew.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

/// Whether a file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(file), Ok(there)) => (file.dev(), file.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// A file that is open is not replaced.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Reports the limit that ended a run.
pub fn ended<R>(finished: &Finished<R>, items: usize) -> Answered<super::Status> {
    match finished.limit {
        None => Ok(super::Status::Fine),
        Some(LimitExceeded::Stopped) => Err(load::Unanswered(super::Status::Interrupted)),
        Some(_) => {
            progress::limit_is_said();
            let left = finished.left;
            load::error(&format!(
                "time limit reached; {left} of {items} were not searched"
            ));
            Ok(super::Status::Limit)
        }
    }
}

/// The table as CSV.
pub fn as_csv<R: Row>(
    out: &mut dyn Write,
    rows: &BTreeMap<usize, R>,
    identity: &Identity,
) -> io::Result<()> {
    let lines: String = rows.values().map(|row| line(row, identity)).collect();
    out.write_all(head::<R>().as_bytes())?;
    out.write_all(lines.as_bytes())
}

/// The columns of a table.
fn columns<R: Row>() -> impl Iterator<Item = &'static str> {
    R::COLUMNS.iter().copied().chain([IDENTITY])
}

/// The line of the columns.
fn head<R: Row>() -> String {
    joined(columns::<R>().map(str::to_owned))
}

/// The line of a row.
fn line<R: Row>(row: &R, identity: &Identity) -> String {
    joined(row.cells().into_iter().chain([identity.to_string()]))
}

/// Cells as a line of CSV.
fn joined(cells: impl Iterator<Item = String>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let cells = cells.map(|cell| cell.replace(['\n', '\r'], " "));
    let written = writer.write_record(cells).map_err(load::writing);
    let bytes = written.and_then(|()| writer.into_inner().map_err(|error| error.into_error()));
    let bytes = bytes.expect("memory can be written");
    String::from_utf8(bytes).expect("cells are text")
}

/// The table as LaTeX; `spec` has the widths of the columns.
pub fn as_latex<R: Row>(rows: &BTreeMap<usize, R>, spec: &str) -> String {
    let rows: Vec<Vec<String>> = rows.values().map(Row::cells).collect();
    latex::table(spec, R::COLUMNS, &rows)
}
