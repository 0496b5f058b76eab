//! `--checkpoint`: saving the progress of a long run in a folder, and resuming
//! from it.
//!
//! There is one file for each sweep of a box. It is written atomically, so after
//! a crash it holds the state after some completed slab.

use super::files::{self, Unusable};
use super::load::{self, Answered, Loaded, Unanswered};
use super::out_of_core::OutOfCore;
use super::places::{Collect, Places};
use super::progress;
use clap::Args;
use nimrule_answer::Session;
use nimrule_engine::{
    self as engine, Engine, Limits, Query, Question, Region, Resumption, RowEngine, Shape,
    SlabCheckpoints, SolveError, SweepSummary, Table, TableCheckpoints, TimeEstimate, Visitor,
};
use nimrule_kernels::SlabState;
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Part, Resumable};
use nimrule_model::game::Claim;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct CheckpointArguments {
    /// Save progress in this folder, and resume from the progress saved there
    #[arg(long, value_name = "FOLDER")]
    checkpoint: Option<PathBuf>,
}

/// The folder of the checkpoints of a rule.
pub struct CheckpointFolder<'l> {
    folder: PathBuf,
    rule: &'l Loaded,
}

impl CheckpointFolder<'_> {
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl CheckpointArguments {
    /// Whether the user asks for it.
    #[cfg(feature = "mpi")]
    pub fn is_asked(&self) -> bool {
        self.checkpoint.is_some()
    }

    pub fn folder<'l>(&self, rule: &'l Loaded) -> Option<CheckpointFolder<'l>> {
        let folder = self.checkpoint.clone()?;
        Some(CheckpointFolder { folder, rule })
    }
}

/// When the progress of a run is saved.
pub struct Pace {
    begun: Instant,
    /// When it was saved last, and how long that took.
    saved: Instant,
    took: Duration,
}

impl Pace {
    /// The shortest time between two saves.
    const MIN_INTERVAL: Duration = Duration::from_millis(20);

    /// Saving takes at most one part in this many of the run time.
    const SAVING_SHARE: u32 = 20;

    /// An interruption loses at most one part in this many of the run so far, or `MAX_LOSS`,
    /// whichever is less (unless `SAVING_SHARE` forbids it).
    const LOSS_SHARE: u32 = 50;
    const MAX_LOSS: Duration = Duration::from_secs(10);

    /// Whether it is time to save.
    pub fn is_due(&self) -> bool {
        let enough = (self.begun.elapsed() / Pace::LOSS_SHARE).min(Pace::MAX_LOSS);
        let least = (self.took * Pace::SAVING_SHARE).max(Pace::MIN_INTERVAL);
        self.saved.elapsed() >= enough.max(least)
    }

    /// Notes that it was saved just now, which began at this time.
    pub fn saved(&mut self, begun: Instant) {
        self.saved = Instant::now();
        self.took = self.saved - begun;
    }
}

impl Default for Pace {
    /// A run that begins now.
    fn default() -> Pace {
        let now = Instant::now();
        Pace {
            begun: now,
            saved: now,
            took: Duration::ZERO,
        }
    }
}

/// A sweep of a region, with checkpoints if they are requested.
pub struct Sweep<'a, 'g> {
    pub session: &'a Session<'g>,
    pub region: &'a Region,
    pub asked: Query,
    pub limits: &'a Limits,
    pub forced: Option<&'a str>,
    pub checkpoint: Option<&'a CheckpointFolder<'a>>,
    /// The folder of a box that is solved out of core.
    pub out_of_core: Option<&'a OutOfCore<'a>>,
    /// The verb: its checkpoints hold the state of its visitors, so only the same
    /// verb can resume from them.
    pub verb: &'static str,
    /// The claims that are compared with the box: visitors, too.
    pub compared: &'a [&'g Claim],
}

impl Sweep<'_, '_> {
    /// Passes the answers to the visitors, resuming from the checkpoint if there
    /// is one.
    pub fn run(
        &self,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let (solver, region, asked) = (self.session.solver(), self.region, self.asked);
        if let Some(out_of_core) = self.out_of_core
            && OutOfCore::takes(self)
        {
            return out_of_core.run(self, visitors);
        }
        if let Some((engine, shape)) = self.resumable_table() {
            return self.run_by_table(engine, shape, visitors);
        }
        let in_rows =
            match engine::row_engine(solver, region, asked, self.limits, self.forced, false) {
                Ok(in_rows) => in_rows.filter(|rows| rows.engine.resumption() == Resumption::Slabs),
                Err(failure) => return Ok(Err(failure)),
            };
        let Some(folder) = self.checkpoint else {
            self.warn_of_the_time_limit();
            if in_rows.is_some() {
                progress::set_resume_hint(
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
            return self.not_resumable();
        };
        let slabs = plan.layout.most[0] + 1;
        let mut file = self.begin(folder, engine, &plan.layout.most)?;
        let earlier = file.restore(visitors)?;
        if let Some((done, _)) = &earlier
            && *done >= slabs
        {
            return Ok(Ok(SweepSummary {
                engine: engine.name(),
                took: Duration::ZERO,
                visits: vec![Duration::ZERO; visitors.len()],
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
                    if file.pace.is_due() {
                        file.save(done, Some(state), visitors);
                    }
                    true
                },
            }),
        );
        if swept.is_ok() {
            file.save(slabs, None, visitors);
        }
        Ok(swept)
    }

    /// The chosen engine, if it fills a table and can resume from the first part
    /// of its answers.
    fn resumable_table(&self) -> Option<(&'static dyn Engine, &Shape)> {
        let Region::Box(shape) = self.region else {
            return None;
        };
        let solver = self.session.solver();
        let choice =
            engine::choose_for_box(solver, &shape.most, self.asked, self.limits, self.forced);
        let engine = choice.ok()?.engine;
        (engine.resumption() == Resumption::Answers).then_some((engine, shape))
    }

    /// Returns whether the sweep can resume from a checkpoint.
    pub fn can_resume(&self) -> bool {
        let in_rows = engine::row_engine(
            self.session.solver(),
            self.region,
            self.asked,
            self.limits,
            self.forced,
            false,
        );
        self.resumable_table().is_some()
            || matches!(in_rows, Ok(Some(rows)) if rows.engine.resumption() == Resumption::Slabs)
    }

    /// Fills a table and passes it to the visitors.
    fn run_by_table(
        &self,
        engine: &dyn Engine,
        shape: &Shape,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let begun = Instant::now();
        let table = match self.fill_table(engine, shape)? {
            Ok(table) => table,
            Err(failure) => return Ok(Err(failure)),
        };
        Ok(engine::show_table(&table, begun.elapsed(), visitors))
    }

    /// Fills a table, with checkpoints if they are requested.
    fn fill_table(
        &self,
        engine: &dyn Engine,
        shape: &Shape,
    ) -> Answered<Result<Table, SolveError>> {
        let (asked, limits) = (self.asked, self.limits);
        let Some(folder) = self.checkpoint else {
            self.warn_of_the_time_limit();
            progress::set_resume_hint(
                "nothing was saved; a run with a checkpoint can be resumed:".to_owned(),
                " --checkpoint FOLDER",
            );
            return Ok(self.session.table(self.region, asked, limits, self.forced));
        };
        let mut file = self.begin(folder, engine, &shape.most)?;
        let from = match file.restore(&mut [])? {
            None => None,
            Some((done, first)) => {
                let first = engine::table_checkpoint::read(asked.question, done, &first)
                    .filter(|_| done <= shape.len as u64)
                    .ok_or_else(|| file.unfit(&CheckpointError::Meaning("the answers so far")))?;
                Some(first)
            }
        };
        let growth = TableCheckpoints {
            from,
            observer: &mut |done, first| {
                // A short run needs no checkpoint.
                if done > 0 && file.pace.is_due() {
                    file.save(done, Some(first), &[]);
                }
            },
        };
        let table = self
            .session
            .table_with_checkpoints(engine, shape, asked, limits, growth);
        if let Ok(table) = &table {
            file.save(shape.len as u64, Some(&table.values().prefix()), &[]);
        }
        Ok(table)
    }

    /// The name of what is saved.
    fn what(&self) -> String {
        match self.asked.question {
            Question::Outcome => self.verb.to_owned(),
            Question::Grundy => format!("{}-grundy", self.verb),
        }
    }

    /// What the answers of this sweep that are kept are of.
    pub fn identity(
        &self,
        kind: &str,
        rule: &Loaded,
        engine: &dyn Engine,
        most: &[u64],
    ) -> Identity {
        let sizes: Vec<String> = most.iter().map(u64::to_string).collect();
        let claims: Vec<&str> = self.compared.iter().map(|claim| &*claim.words).collect();
        let claims = checkpoint::hash_of_rule(&claims.join("\n"), []);
        let convention = self.asked.convention;
        engine::identity(kind, self.session.game(), &rule.hash(), convention)
            .with(Part::Question, format!("`{}`", self.what()))
            .with(Part::Claims, engine::in_digits(&claims))
            .with(Part::Box, sizes.join(","))
            .with(Part::Engine, engine.name())
            .with(Part::State, engine.state_version().to_string())
    }

    /// Opens the checkpoint of this sweep.
    fn begin(
        &self,
        folder: &CheckpointFolder<'_>,
        engine: &dyn Engine,
        most: &[u64],
    ) -> Answered<CheckpointFile> {
        let identity = self.identity("checkpoint", folder.rule, engine, most);
        let convention = self.asked.convention.word();
        let name = format!("{}-{convention}.checkpoint", self.what());
        CheckpointFile::begin(folder, &name, identity)
    }

    /// Warns if the estimated time exceeds the time limit. The run starts anyway,
    /// because its partial results may be enough.
    fn warn_of_the_time_limit(&self) {
        static SAID: Once = Once::new();
        let Some(deadline) = self.limits.deadline else {
            return;
        };
        let (solver, region) = (self.session.solver(), self.region);
        let estimate = TimeEstimate::measured(solver, region, self.asked, self.limits, self.forced);
        let Some(estimate) = estimate else { return };
        let allowed = deadline.saturating_duration_since(Instant::now());
        // The estimate is exact up to this factor.
        let unsure = 2;
        let takes = estimate.time(region.to(solver.game));
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

    fn not_resumable<T>(&self) -> Answered<T> {
        let engine = engine::choose(self.session.solver(), self.asked, self.forced)
            .map_err(|failure| load::failed(&failure, self.session.solver(), None))?
            .engine;
        Err(load::wrong(&format!(
            "the engine `{}` cannot resume {}, so `--checkpoint` does not apply; remove it",
            engine.name(),
            match self.asked.question {
                Question::Outcome => "these",
                Question::Grundy => "Grundy values",
            }
        )))
    }

    /// Reports a failure, with the largest box that fits the limits.
    pub fn failed(&self, failure: &SolveError, form: Form) -> Unanswered {
        let wanted = load::Wanted {
            most: self.region.to(self.session.game()),
            asked: self.asked,
            forced: self.forced,
            in_rows: form == Form::Rows,
        };
        load::failed_at(failure, self.session.solver(), Some(wanted))
    }

    /// The answers as a table.
    pub fn table(&self) -> Answered<Table> {
        let failed = |failure| self.failed(&failure, Form::Table);
        if let Some((engine, shape)) = self.resumable_table() {
            return self.fill_table(engine, shape)?.map_err(failed);
        }
        let Some(Region::Box(shape)) = self.checkpoint.map(|_| self.region) else {
            self.warn_of_the_time_limit();
            let table = self
                .session
                .table(self.region, self.asked, self.limits, self.forced);
            return table.map_err(failed);
        };
        let (places, engine) = self.p_positions(shape, None)?;
        self.limits
            .check_memory(shape.len as u128)
            .map_err(|met| failed(SolveError::from(met)))?;
        let places = places.into_memory().into_iter();
        Ok(Table::of_p_positions(shape, places, engine))
    }

    /// The places of the P-positions of a box that is solved row by row, and the name of the
    /// engine: in memory, or in runs ([`Collect::new`]).
    pub fn p_positions(
        &self,
        shape: &Shape,
        runs: Option<(&Path, u64)>,
    ) -> Answered<(Places, &'static str)> {
        let failed = |failure| self.failed(&failure, Form::Table);
        let mut collect = Collect::new(&shape.strides, self.limits, runs);
        let swept = self.run(&mut [&mut collect])?.map_err(failed)?;
        Ok((collect.finish().map_err(failed)?, swept.engine))
    }
}

/// The form in which answers are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Rows,
    Table,
}

/// The checkpoint of one sweep.
struct CheckpointFile {
    path: PathBuf,
    identity: Identity,
    pace: Pace,
    has_failed: bool,
}

impl CheckpointFile {
    fn begin(
        folder: &CheckpointFolder<'_>,
        name: &str,
        identity: Identity,
    ) -> Answered<CheckpointFile> {
        let folder = &folder.folder;
        files::create_folder(folder, "checkpoints are stored in")?;
        let words = format!(
            "progress is saved in `{}`; the same command resumes from it:",
            folder.display()
        );
        progress::set_resume_hint(words, "");
        Ok(CheckpointFile {
            path: folder.join(name),
            identity,
            pace: Pace::default(),
            has_failed: false,
        })
    }

    /// Restores the visitors from the file, and returns the number of completed
    /// slabs with the state of the kernel; `None` if there is no file.
    fn restore(&self, visitors: &mut [&mut dyn Visitor]) -> Answered<Option<(u64, Vec<u8>)>> {
        let mut file = match files::open(&self.path) {
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

    /// Saves the progress. If writing fails (a full disk), the run continues and
    /// the previous checkpoint remains.
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
        let written = files::write_atomically(&self.path, |out| {
            let mut written = Ok(());
            checkpoint::save(&self.identity, &sections, &mut |bytes| {
                if written.is_ok() {
                    written = out.write_all(bytes);
                }
            });
            written
        });
        self.pace.saved(begun);
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
