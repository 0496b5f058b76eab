//! `--checkpoint`: what is kept of a long run in a folder, and gone on from.
//!
//! There is one file for each sweep of a box. It is written beside itself and
//! put in its place when it is whole and on the disk, so that whatever happens
//! to the process or the machine, the file is that of some slab.

use super::folder::{self, Unusable};
use super::load::{self, Answered, Loaded, Unanswered};
use super::progress;
use clap::Args;
use nimrule_engine::{
    self as engine, Engine, Limits, Query, Question, Region, Resumption, RowEngine, Shape,
    SlabCheckpoints, SolveError, Solver, SweepSummary, Table, TableCheckpoints, TimeEstimate,
    Visitor,
};
use nimrule_kernels::sparse::SparsePositions;
use nimrule_kernels::{Layout, Rows, Sink, SlabState};
use nimrule_limits::checkpoint::{
    self, CheckpointError, Identity, Part, Reader, Resumable, Writer,
};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Folder {
    /// Save progress in this folder, and resume from the progress saved there
    #[arg(long, value_name = "FOLDER")]
    checkpoint: Option<PathBuf>,
}

/// Where checkpoints are kept, and of which rule.
pub struct Keep<'l> {
    folder: PathBuf,
    rule: &'l Loaded,
}

impl Folder {
    pub fn keep<'l>(&self, rule: &'l Loaded) -> Option<Keep<'l>> {
        let folder = self.checkpoint.clone()?;
        Some(Keep { folder, rule })
    }
}

/// Checkpoints are no closer than this, and take no more than a twentieth of
/// the time.
const LEAST_BETWEEN: Duration = Duration::from_millis(20);
const SHARE: u32 = 20;

/// Where that allows more of them, it is enough if no more is lost than a
/// fiftieth of the run, or than this.
const PART_LOST: u32 = 50;
const MOST_LOST: Duration = Duration::from_secs(10);

/// A sweep of a region, by way of checkpoints where they are asked for.
pub struct Sweep<'a, 'g> {
    pub solver: &'a Solver<'g>,
    pub region: &'a Region,
    pub asked: Query,
    pub limits: &'a Limits,
    pub forced: Option<&'a str>,
    pub keep: Option<&'a Keep<'a>>,
    /// The verb: only the same one can read what its visitors keep.
    pub verb: &'static str,
}

impl Sweep<'_, '_> {
    /// Shows the answers to visitors, from where an earlier run came to if
    /// there is a checkpoint of it.
    pub fn run(
        &self,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let (solver, region, asked) = (self.solver, self.region, self.asked);
        if let Some((engine, shape)) = self.grows() {
            return self.run_growing(engine, shape, visitors);
        }
        let in_rows = match engine::row_engine(solver, region, asked, self.forced, false) {
            Ok(in_rows) => in_rows.filter(|rows| rows.engine.resumption() == Resumption::Slabs),
            Err(failure) => return Ok(Err(failure)),
        };
        let Some(keep) = self.keep else {
            self.warn_of_the_time_limit();
            if in_rows.is_some() {
                progress::set_way_on(
                    "nothing was saved; a run with a checkpoint can be resumed:".to_owned(),
                    " --checkpoint FOLDER",
                );
            }
            return Ok(engine::sweep(
                solver,
                region,
                asked,
                self.limits,
                self.forced,
                visitors,
            ));
        };
        let Some(RowEngine { engine, plan }) = in_rows else {
            return self.not_in_rows();
        };
        let slabs = plan.layout.most[0] + 1;
        let mut kept = self.begin(keep, engine, &plan.layout.most)?;
        let earlier = kept.restore(visitors)?;
        if let Some((done, _)) = &earlier
            && *done >= slabs
        {
            return Ok(Ok(SweepSummary {
                engine: engine.name(),
                took: Duration::ZERO,
            }));
        }
        let from = earlier
            .as_ref()
            .map(|(done, state)| (*done, state.as_slice()));
        let swept = engine::sweep_with_checkpoints(
            solver,
            region,
            asked,
            self.limits,
            self.forced,
            visitors,
            Some(SlabCheckpoints {
                from,
                observer: &mut |done, state, visitors| {
                    if kept.is_due() {
                        kept.save(done, Some(state), visitors);
                    }
                },
            }),
        );
        if swept.is_ok() {
            kept.save(slabs, None, visitors);
        }
        Ok(swept)
    }

    /// The engine that fills a table here and can go on from its first answers,
    /// if that is the one chosen.
    fn grows(&self) -> Option<(&'static dyn Engine, &Shape)> {
        let Region::Box(shape) = self.region else {
            return None;
        };
        let engine = engine::choose(self.solver, self.asked, self.forced)
            .ok()?
            .engine;
        (engine.resumption() == Resumption::Answers).then_some((engine, shape))
    }

    /// Can it be gone on with once it has been kept?
    pub fn can_be_kept(&self) -> bool {
        let in_rows = engine::row_engine(self.solver, self.region, self.asked, self.forced, false);
        self.grows().is_some()
            || matches!(in_rows, Ok(Some(rows)) if rows.engine.resumption() == Resumption::Slabs)
    }

    /// Shows a table to visitors.
    fn run_growing(
        &self,
        engine: &dyn Engine,
        shape: &Shape,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let begun = Instant::now();
        let table = match self.grown(engine, shape)? {
            Ok(table) => table,
            Err(failure) => return Ok(Err(failure)),
        };
        let took = begun.elapsed();
        for visitor in visitors {
            if let Err(failure) = visitor.table(&table) {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(SweepSummary {
            engine: table.engine,
            took,
        }))
    }

    /// Fills a table, by way of a checkpoint where one is asked for.
    fn grown(&self, engine: &dyn Engine, shape: &Shape) -> Answered<Result<Table, SolveError>> {
        let (solver, asked, limits) = (self.solver, self.asked, self.limits);
        let Some(keep) = self.keep else {
            self.warn_of_the_time_limit();
            progress::set_way_on(
                "nothing was saved; a run with a checkpoint can be resumed:".to_owned(),
                " --checkpoint FOLDER",
            );
            return Ok(engine::fill_region(
                solver,
                self.region,
                asked,
                limits,
                self.forced,
            ));
        };
        let mut kept = self.begin(keep, engine, &shape.most)?;
        let from = match kept.restore(&mut [])? {
            None => None,
            Some((done, first)) => {
                let first = engine::table_checkpoint::read(asked.question, done, &first)
                    .filter(|_| done <= shape.len as u64)
                    .ok_or_else(|| kept.unfit(&CheckpointError::Meaning("the answers so far")))?;
                Some(first)
            }
        };
        let growth = TableCheckpoints {
            from,
            observer: &mut |done, first| {
                // Of a run that is over soon there is nothing to be lost.
                if done > 0 && kept.is_due() {
                    kept.save(done, Some(first), &[]);
                }
            },
        };
        let table = engine::fill_with_checkpoints(engine, solver, shape, asked, limits, growth);
        if let Ok(table) = &table {
            kept.save(shape.len as u64, Some(&table.values.prefix()), &[]);
        }
        Ok(table)
    }

    /// The checkpoint of this sweep.
    fn begin(&self, keep: &Keep<'_>, engine: &dyn Engine, most: &[u64]) -> Answered<Kept> {
        let what = match self.asked.question {
            Question::Outcome => self.verb.to_owned(),
            Question::Grundy => format!("{}-grundy", self.verb),
        };
        let convention = self.asked.convention;
        let sizes: Vec<String> = most.iter().map(u64::to_string).collect();
        let hash = keep.rule.hash();
        let identity = engine::identity("checkpoint", self.solver.game, &hash, convention)
            .with(Part::Question, format!("`{what}`"))
            .with(Part::Box, sizes.join(","))
            .with(Part::Engine, engine.name());
        let name = format!("{what}-{}.checkpoint", convention.word());
        Kept::begin(keep, &name, identity)
    }

    /// Warns where the estimated time exceeds the time limit. The run begins all
    /// the same: what is found until then may be what was wanted.
    fn warn_of_the_time_limit(&self) {
        static SAID: Once = Once::new();
        let Some(deadline) = self.limits.deadline else {
            return;
        };
        let (solver, region) = (self.solver, self.region);
        let estimate = TimeEstimate::measured(solver, region, self.asked, self.limits, self.forced);
        let Some(estimate) = estimate else { return };
        let allowed = deadline.saturating_duration_since(Instant::now());
        // It is no more exact than that.
        let unsure = 2;
        let takes = estimate.time(region.to());
        if takes.is_some_and(|takes| takes / unsure <= allowed) {
            return;
        }
        SAID.call_once(|| {
            load::note(&format!(
                "estimated from smaller boxes, this takes about {}, longer than the time \
                 limit; `--max {}` may fit",
                takes.map_or_else(|| "a very long time".to_owned(), progress::lasting),
                estimate.largest(allowed / unsure),
            ));
        });
    }

    fn not_in_rows<T>(&self) -> Answered<T> {
        let engine = engine::choose(self.solver, self.asked, self.forced)
            .map_err(|failure| load::failed(&failure, self.solver, None))?
            .engine;
        Err(load::wrong(&format!(
            "the engine `{}` cannot resume {}, so `--checkpoint` does not apply; leave it out",
            engine.name(),
            match self.asked.question {
                Question::Outcome => "these",
                Question::Grundy => "Grundy values",
            }
        )))
    }

    /// Says why there are no answers, and what would fit.
    pub fn failed(&self, failure: &SolveError, form: Form) -> Unanswered {
        let wanted = load::Wanted {
            most: self.region.to(),
            asked: self.asked,
            forced: self.forced,
            in_rows: form == Form::Rows,
        };
        load::failed_at(failure, self.solver, Some(wanted))
    }

    /// The answers as a table.
    pub fn table(&self) -> Answered<Table> {
        let failed = |failure| self.failed(&failure, Form::Table);
        if let Some((engine, shape)) = self.grows() {
            return self.grown(engine, shape)?.map_err(failed);
        }
        let Some(Region::Box(shape)) = self.keep.map(|_| self.region) else {
            let Sweep {
                solver,
                region,
                asked,
                limits,
                forced,
                ..
            } = *self;
            self.warn_of_the_time_limit();
            return engine::fill_region(solver, region, asked, limits, forced).map_err(failed);
        };
        let mut collect = Collect::default();
        let swept = self.run(&mut [&mut collect])?.map_err(failed)?;
        let Some(layout) = Layout::new(&shape.most) else {
            return self.not_in_rows();
        };
        self.limits
            .check_memory(shape.len as u128)
            .map_err(|met| failed(SolveError::from(met)))?;
        let places = collect.found.indices(&layout);
        Ok(Table::of_p_positions(shape, places, swept.engine))
    }
}

/// How answers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Rows,
    Table,
}

/// Collects all P-positions.
#[derive(Default)]
struct Collect {
    found: SparsePositions,
}

impl Resumable for Collect {
    fn save(&self, out: &mut Writer<'_>) {
        self.found.save(out);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.found.restore(from)
    }
}

impl Sink<SolveError> for Collect {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        self.found.add(layout, rows);
        Ok(())
    }
}

impl Visitor for Collect {
    fn table(&mut self, _table: &Table) -> Result<(), SolveError> {
        unreachable!("it looks at rows alone");
    }
}

/// The checkpoint of one sweep.
struct Kept {
    path: PathBuf,
    identity: Identity,
    begun: Instant,
    saved: Instant,
    /// How long it took to save it last.
    took: Duration,
    has_failed: bool,
}

impl Kept {
    fn begin(keep: &Keep<'_>, name: &str, identity: Identity) -> Answered<Kept> {
        let folder = &keep.folder;
        folder::made(folder, "checkpoints are stored in")?;
        let words = format!(
            "progress is saved in `{}`; the same command resumes from it:",
            folder.display()
        );
        progress::set_way_on(words, "");
        Ok(Kept {
            path: folder.join(name),
            identity,
            begun: Instant::now(),
            saved: Instant::now(),
            took: Duration::ZERO,
            has_failed: false,
        })
    }

    /// Takes over what an earlier run has kept: the slabs it had done, and the
    /// kernel's state.
    fn restore(&self, visitors: &mut [&mut dyn Visitor]) -> Answered<Option<(u64, Vec<u8>)>> {
        let mut file = match folder::open(&self.path) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(Unusable::CheckpointError(unfit)) => return Err(self.unfit(&unfit)),
            Err(Unusable::Io(error)) => return Err(self.unreadable(&error)),
        };
        let (mut done, mut state) = (0, Vec::new());
        let mut sections: Vec<(&str, &mut dyn Resumable)> =
            vec![("done", &mut done), ("state", &mut state)];
        for visitor in visitors {
            sections.push(("visitor", &mut **visitor));
        }
        checkpoint::restore(&self.identity, &mut sections, &mut |bytes| {
            file.read_exact(bytes).is_ok()
        })
        .map_err(|unfit| self.unfit(&unfit))?;
        Ok(Some((done, state)))
    }

    fn is_due(&self) -> bool {
        let enough = (self.begun.elapsed() / PART_LOST).min(MOST_LOST);
        self.saved.elapsed() >= enough.max(self.took * SHARE).max(LEAST_BETWEEN)
    }

    /// Keeps what has been done. A disk that is full is no reason to lose the
    /// run: it goes on, and what was kept before stays.
    fn save(&mut self, done: u64, state: Option<&dyn SlabState>, visitors: &[&mut dyn Visitor]) {
        let begun = Instant::now();
        let mut bytes = Vec::new();
        if let Some(state) = state {
            state.save(&mut bytes);
        }
        let mut sections: Vec<(&str, &dyn Resumable)> = vec![("done", &done), ("state", &bytes)];
        for visitor in visitors {
            sections.push(("visitor", &**visitor));
        }
        let written = folder::put(&self.path, |out| {
            let mut written = Ok(());
            checkpoint::save(&self.identity, &sections, &mut |bytes| {
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            });
            written
        });
        self.saved = Instant::now();
        self.took = self.saved - begun;
        if let Err(error) = written
            && !std::mem::replace(&mut self.has_failed, true)
        {
            load::note(&format!(
                "the checkpoint `{}` cannot be written, and the run continues without it: {error}",
                self.path.display()
            ));
        }
    }

    fn unreadable(&self, error: &std::io::Error) -> Unanswered {
        load::wrong(&format!(
            "the checkpoint `{}` cannot be read: {error}",
            self.path.display()
        ))
    }

    fn unfit(&self, unfit: &CheckpointError) -> Unanswered {
        load::wrong(&format!(
            "`{}` cannot be resumed: {unfit}; name another folder, or delete the file",
            self.path.display()
        ))
    }
}
