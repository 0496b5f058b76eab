//! What a box takes that is divided into columns: memory, disk and time.

use super::OutOfCore;
use crate::cli::checkpoint::Sweep;
use crate::cli::load::{self, Answered, Unanswered};
#[cfg(feature = "mpi")]
use crate::cli::ranks;
use crate::cli::{Status, progress, text};
use nimrule_engine::{
    self as engine, Columns, Limits, Pipeline, Question, Region, RowEngine, Shape, Visitor,
};
use nimrule_kernels::columns::ColumnSizes;
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

impl OutOfCore<'_> {
    /// Says what the box takes before it is begun, and refuses it if the disk is too small.
    pub(super) fn announce(
        &self,
        sweep: &Sweep<'_, '_>,
        (rows, columns): (&RowEngine, &Columns),
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<()> {
        let limits = sweep.limits;
        let limit = text::in_bytes(limits.memory.into());
        // `list` has the other half for the P-positions.
        let of_limit = match sweep.verb {
            "list" => "half of the limit",
            _ => "the limit",
        };
        let (what, at_once) = match (sweep.asked.question, sweep.region) {
            (Question::Grundy, Region::Box(shape)) => {
                let solver = sweep.session.solver();
                let table = rows.engine.bytes(solver, &shape.most, sweep.asked);
                ("the table of Grundy values", table)
            }
            _ => ("the box", rows.plan.bytes),
        };
        let needed = text::in_bytes(at_once);
        let pipeline = pipeline(self.folder.is_some());
        let processes = pipeline.processes;
        let bytes =
            columns.bytes_of_files(processes, limits.threads().min(columns.sizes.most_threads));
        let disk = text::in_bytes(bytes);
        let folder = self.folder.as_deref();
        if let Some(folder) = folder
            && let Some(free) = free_disk(folder)
            && bytes > u128::from(free)
        {
            let free = text::in_bytes(free.into());
            let folder = folder.display();
            load::error(&format!(
                "this takes {needed} of memory, and {of_limit} is {limit}; out of core it takes \
                 up to {disk} of disk, and `{folder}` has {free}; name a folder on another \
                 disk with `--out-of-core`, or solve a smaller box"
            ));
            return Err(Unanswered(Status::Limit));
        }
        // A second sweep, under the other convention, takes the same.
        static SAID: [Once; 2] = [const { Once::new() }; 2];
        let said = &SAID[usize::from(sweep.asked.question == Question::Grundy)];
        if said.is_completed() {
            return Ok(());
        }
        let memory = (1..=limits.threads())
            .rev()
            .map(|threads| columns.sizes.memory(columns.widest(), threads))
            .find(|memory| *memory <= u128::from(progress::Bounds::room(limits.memory)))
            .unwrap_or(rows.plan.bytes);
        #[cfg(feature = "mpi")]
        let memory = ranks::ranks().map_or(memory, |ranks| {
            let columns_of = (columns.widest(), columns.count(), ranks.room());
            let threads = limits.threads();
            ranks.memory(&columns.sizes, columns_of, threads, folder.is_none())
        });
        let time = estimated_time(sweep, (rows, columns), pipeline, visitors);
        let time = time.filter(|time| *time >= Duration::from_secs(1));
        let time = time.map_or_else(String::new, |time| {
            let written = match folder {
                Some(_) if processes == 1 => {
                    let bytes = text::in_bytes(columns.bytes_of_faces());
                    format!(" of computing, while {bytes} are written and read")
                }
                _ => String::new(),
            };
            format!(", for about {}{written}", progress::lasting(time))
        });
        let how = match processes {
            1 => "is solved out of core".to_owned(),
            ranks => format!("is shared by {}", text::counted(ranks as u128, "rank")),
        };
        let each = if processes > 1 { " each" } else { "" };
        let of_disk = folder.map_or_else(String::new, |folder| {
            let list = match sweep.verb {
                "list" => ", and 8 bytes more for each P-position",
                _ => "",
            };
            format!(", and up to {disk} of disk in `{}`{list}", folder.display())
        });
        let count = text::counted(columns.count() as u128, "column");
        let memory = text::in_bytes(memory);
        said.call_once(|| {
            load::note(&format!(
                "{what} {how}, in {count}: {memory} of memory{each}{of_disk}{time}. At once it \
                 takes {needed} of memory, and {of_limit} is {limit}",
            ));
        });
        Ok(())
    }
}

/// A box that takes one thread at least this time is measured, and not a larger one.
const MEASURED: Duration = Duration::from_millis(50);

/// The estimated time of the columns, without that of the disk: a smaller box is solved by one
/// thread, and the time of a strip is in proportion to the words of its rows. `None` if no
/// smaller box takes long enough, or after an error, which the sweep will report.
fn estimated_time(
    sweep: &Sweep<'_, '_>,
    (whole, columns): (&RowEngine, &Columns),
    pipeline: Pipeline,
    visitors: &mut [&mut dyn Visitor],
) -> Option<Duration> {
    let solver = sweep.session.solver();
    let Region::Box(shape) = sweep.region else {
        return None;
    };
    let limits = Limits {
        threads: 1,
        progress: None,
        ..sweep.limits.clone()
    };
    let largest = sweep.region.to(solver.game);
    let mut size = 2;
    while size < largest {
        let most: Vec<u64> = shape.most.iter().map(|most| size.min(*most)).collect();
        let region = Region::Box(Shape::new(&most)?);
        let begun = Instant::now();
        let divided = engine::column_engine(solver, &region, sweep.asked, &limits, sweep.forced);
        let (rows, sizes) = divided.ok()?.ok()?;
        let swept = engine::sweep_rows(solver, &rows, sweep.asked, &limits, visitors, None);
        let took = begun.elapsed();
        visitors.iter_mut().for_each(|visitor| visitor.clear());
        swept.ok()?;
        if took >= MEASURED {
            let one = Pipeline {
                processes: 1,
                ..pipeline
            };
            let strips = Columns::of_width(sizes, sizes.strips).makespan(&one, 1);
            let of_rows = words_of_a_strip(&rows, &sizes) / words_of_a_strip(whole, &columns.sizes);
            let strip = took.as_secs_f64() / strips / of_rows;
            let threads = sweep.limits.threads().min(columns.sizes.most_threads);
            let threads = threads.min(columns.widest() / 2).max(1);
            let strips = columns.makespan(&pipeline, room());
            return Duration::try_from_secs_f64(strip * strips / threads as f64).ok();
        }
        size += size.div_ceil(3);
    }
    None
}

/// The words of the rows of a strip.
fn words_of_a_strip(rows: &RowEngine, sizes: &ColumnSizes) -> f64 {
    let layout = &rows.plan.layout;
    layout.rows as f64 * layout.words as f64 / (sizes.slabs * sizes.strips) as f64
}

/// The processes that share a box, with a folder or without.
fn pipeline(has_folder: bool) -> Pipeline {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks::ranks() {
        return ranks.pipeline(!has_folder);
    }
    Pipeline {
        processes: 1,
        // The time of the disk is not estimated.
        face: 0.0,
        keeps_faces: !has_folder,
    }
}

/// The faces of a process that may wait for the next one.
fn room() -> usize {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks::ranks() {
        return ranks.room();
    }
    usize::MAX
}

/// The bytes that are free on the disk of a folder, which need not exist; `None` if the
/// system does not say.
fn free_disk(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|above| above.exists());
    let there = there.filter(|above| !above.as_os_str().is_empty());
    #[cfg(unix)]
    let free = rustix::fs::statvfs(there.unwrap_or(Path::new(".")))
        .ok()
        .map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    #[cfg(not(unix))]
    let free = None;
    free
}
