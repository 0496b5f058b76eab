//! Long runs over numbered items, each of which gives a row of a CSV table: on several
//! threads, and resumed from the table that an earlier run left.

use super::files;
use super::latex;
use super::load::{self, Answered};
use super::progress;
use csv::StringRecord;
use nimrule_limits::{LimitExceeded, Limits};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A row of the table of a run. Its first cell is the number of its item.
pub trait Row: Send + Sized {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];

    fn cells(&self) -> Vec<String>;
}

/// A run over the items 1 to `items`.
pub struct Run<'a, R> {
    pub items: usize,
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
        let known = self.known()?;
        let is_asked = |number: &usize| self.only.is_empty() || self.only.contains(number);
        let stands = |number: &usize| known.get(number).is_some_and(self.stands);
        let wanted = all.filter(|number| is_asked(number) && !stands(number));
        let wanted: Vec<usize> = wanted.collect();
        let threads = limits.threads.clamp(1, wanted.len().max(1));
        let next = AtomicUsize::new(0);
        let rows = Mutex::new(known);
        let met = Mutex::new(None);
        let (item, output) = (self.item, self.output);
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
                            .check_time()
                            .and_then(|()| item(number, &limits))
                            .and_then(|row| limits.check_time().map(|()| row));
                        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                        match row {
                            Ok(row) => {
                                rows.insert(number, row);
                            }
                            Err(limit) => {
                                *met.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
                                break;
                            }
                        }
                        if let Some(path) = output {
                            // A failure is reported with the last row.
                            let _ = write(path, &rows);
                        }
                    }
                });
            }
        });
        let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = output {
            write(path, &rows).map_err(|error| {
                load::wrong(&format!("`{}` cannot be written: {error}", path.display()))
            })?;
        }
        let limit = met.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = wanted.iter().filter(|number| !rows.contains_key(number));
        let left = left.count();
        Ok(Finished { rows, limit, left })
    }

    /// The rows of an earlier run.
    fn known(&self) -> Answered<BTreeMap<usize, R>> {
        let Some(path) = self.output else {
            return Ok(BTreeMap::new());
        };
        let wrong = |why: &str| {
            load::wrong(&format!(
                "`{}` is no table of this run: {why}; choose another file",
                path.display()
            ))
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(wrong(&error.to_string())),
        };
        let mut rows = BTreeMap::new();
        for record in csv::Reader::from_reader(text.as_bytes()).records() {
            let record = record.map_err(|error| wrong(&error.to_string()))?;
            let number = record.get(0).and_then(|cell| cell.parse().ok());
            let number = number.filter(|number| (1..=self.items).contains(number));
            let row = number.and_then(|number| Some((number, (self.read)(number, &record)?)));
            let Some((number, row)) = row else {
                let cell = record.get(0).unwrap_or_default();
                return Err(wrong(&format!("its row `{cell}` is of another one")));
            };
            rows.insert(number, row);
        }
        Ok(rows)
    }
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
    out: &mut dyn std::io::Write,
    rows: &BTreeMap<usize, R>,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(R::COLUMNS).map_err(load::writing)?;
    for row in rows.values() {
        writer.write_record(row.cells()).map_err(load::writing)?;
    }
    writer.flush()
}

/// The table as LaTeX; `spec` has the widths of the columns.
pub fn as_latex<R: Row>(rows: &BTreeMap<usize, R>, spec: &str) -> String {
    let rows: Vec<Vec<String>> = rows.values().map(Row::cells).collect();
    latex::table(spec, R::COLUMNS, &rows)
}

fn write<R: Row>(path: &Path, rows: &BTreeMap<usize, R>) -> std::io::Result<()> {
    files::write_atomically(path, |out| {
        let mut bytes = Vec::new();
        as_csv(&mut bytes, rows)?;
        out.write_all(&bytes)
    })
}
