//! `--out-of-core`: a box that does not fit the memory is divided into columns, whose
//! faces and results are files in a folder.

mod announcement;
mod folder;

#[cfg(feature = "mpi")]
pub use folder::StoredColumn;
pub use folder::{ColumnFolder, Sharing};

use super::checkpoint::Sweep;
use super::load::{self, Answered, Loaded, Unanswered};
use super::{Status, files, progress, text};
#[cfg(feature = "mpi")]
use super::{
    checkpoint::Form,
    ranks::{self, RankColumns, Ranks},
};
use clap::Args;
use nimrule_answer::Session;
use nimrule_engine::{
    self as engine, Columns, Query, Question, Region, RowEngine, SolveError, SweepSummary, Visitor,
};
#[cfg(feature = "mpi")]
use nimrule_kernels::columns::ColumnSizes;
#[cfg(feature = "mpi")]
use nimrule_limits::checkpoint::{self, Resumable as _};
use nimrule_limits::checkpoint::{Identity, Part};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct OutOfCoreArguments {
    /// Divide the box into columns that fit the memory, with files in this folder, and
    /// resume from them
    #[arg(long, value_name = "FOLDER", conflicts_with = "checkpoint")]
    out_of_core: Option<PathBuf>,
    /// Share the columns with other runs of this command, here or on other machines that
    /// see the folder of --out-of-core
    #[arg(long, requires = "out_of_core")]
    join: bool,
}

/// How a box is solved in columns: in a folder, or by the ranks of `mpirun`, which need none.
pub struct OutOfCore<'l> {
    folder: Option<PathBuf>,
    rule: &'l Loaded,
    /// Whether the user named the folder; otherwise it is removed at the end.
    is_named: bool,
    /// Whether other processes share the columns.
    joins: bool,
}

/// A box that may be solved out of core.
pub struct AskedBox<'a, 'g> {
    pub session: &'a Session<'g>,
    /// The largest heap that the user asks for.
    pub most: Option<u64>,
    pub query: Query,
    pub forced: Option<&'a str>,
}

impl OutOfCoreArguments {
    /// Whether the user asks for it.
    pub fn is_asked(&self) -> bool {
        self.out_of_core.is_some()
    }

    /// Whether the processes share the columns by files alone.
    pub fn joins(&self) -> bool {
        self.join
    }

    /// The folder that the user names, or the folder of checkpoints or one beside the rule
    /// if a box that is asked for does not fit the memory.
    pub fn choose<'l>(
        &self,
        rule: &'l Loaded,
        checkpoints: Option<&Path>,
        asked: &AskedBox<'_, '_>,
    ) -> Option<OutOfCore<'l>> {
        let named = self.out_of_core.as_deref();
        #[cfg(feature = "mpi")]
        if ranks::ranks().is_some() {
            return Some(OutOfCore {
                folder: named.map(Path::to_owned),
                rule,
                is_named: true,
                joins: false,
            });
        }
        if let Some(folder) = named.or(checkpoints.filter(|_| asked.exceeds_memory())) {
            return Some(OutOfCore {
                folder: Some(folder.to_owned()),
                rule,
                is_named: true,
                joins: self.join,
            });
        }
        if !asked.exceeds_memory() {
            return None;
        }
        let game = asked.session.game();
        let identity = engine::identity("columns", game, &rule.hash(), asked.query.convention)
            .with(Part::Box, format!("{:?}", asked.most));
        OutOfCore::beside(rule, &identity)
    }
}

impl AskedBox<'_, '_> {
    /// Whether the box exceeds the memory, and can be divided into columns that do not.
    fn exceeds_memory(&self) -> bool {
        let (solver, limits) = (self.session.solver(), self.session.limits());
        let Some(Ok(region)) = self.most.map(|most| solver.region(most, limits)) else {
            return false;
        };
        exceeds_memory(self.session, &region, self.query, self.forced)
    }
}

/// Whether the answers in a box exceed the memory, and the box can be divided into columns that
/// do not.
fn exceeds_memory(
    session: &Session<'_>,
    region: &Region,
    query: Query,
    forced: Option<&str>,
) -> bool {
    let limits = session.limits();
    let Ok(Ok(rows)) = divided(session, region, query, forced) else {
        return false;
    };
    let needed = match (query.question, region) {
        // Otherwise a table of values is filled.
        (Question::Grundy, Region::Box(shape)) => {
            rows.engine.bytes(session.solver(), &shape.most, query)
        }
        _ => rows.plan.bytes,
    };
    needed > u128::from(progress::Bounds::room(limits.memory))
}

/// The engine that solves a box in columns that fit the memory; or the reason why none does, as
/// a clause.
fn divided(
    session: &Session<'_>,
    region: &Region,
    query: Query,
    forced: Option<&str>,
) -> Result<Result<RowEngine, String>, SolveError> {
    let (solver, limits) = (session.solver(), session.limits());
    let divided = engine::column_engine(solver, region, query, limits, forced)?;
    Ok(divided.and_then(|(rows, sizes)| {
        let room = progress::Bounds::room(limits.memory);
        let fits = sizes.widest(room, limits.threads()).is_some();
        fits.then_some(rows).ok_or_else(|| {
            let least = text::in_bytes(sizes.memory(1, 1));
            format!("one of a single strip takes {least} of memory")
        })
    }))
}

impl<'l> OutOfCore<'l> {
    /// A folder beside the rule for what this identity names, which is removed at the end; `None`
    /// if the rule has none.
    fn beside(rule: &'l Loaded, identity: &Identity) -> Option<OutOfCore<'l>> {
        let name = format!("columns-{}", &identity.hash()[..16]);
        let folder = rule.folder()?.join(super::proof_cache::FOLDER).join(name);
        Some(OutOfCore {
            folder: Some(folder),
            rule,
            is_named: false,
            joins: false,
        })
    }

    /// Where Grundy values are computed in columns whose table exceeds the memory: in the folder
    /// of checkpoints, or in one beside the rule, which only the same claims resume. `None` if
    /// the table fits, or columns do not.
    pub fn of_values(rule: &'l Loaded, sweep: &Sweep<'_, '_>) -> Option<OutOfCore<'l>> {
        let (session, asked, Region::Box(shape)) = (sweep.session, sweep.asked, sweep.region)
        else {
            return None;
        };
        if asked.question != Question::Grundy
            || !exceeds_memory(session, sweep.region, asked, sweep.forced)
        {
            return None;
        }
        if let Some(named) = sweep.checkpoint {
            return Some(OutOfCore {
                folder: Some(named.path().to_owned()),
                rule,
                is_named: true,
                joins: false,
            });
        }
        let engine = divided(session, sweep.region, asked, sweep.forced)
            .ok()?
            .ok()?;
        let identity = sweep.identity("columns", rule, engine.engine, &shape.most);
        OutOfCore::beside(rule, &identity)
    }
}

impl OutOfCore<'_> {
    /// Refuses a box with claims about Grundy values that need a table larger than the memory,
    /// because their engine does not divide the box, before the outcomes are computed.
    pub fn check_claims(session: &Session<'_>, forced: Option<&str>, most: u64) -> Answered<()> {
        let (solver, memory) = (session.solver(), session.limits().memory);
        let Ok(region) = solver.region(most, session.limits()) else {
            return Ok(());
        };
        for (_, claim) in session.claims() {
            let query = nimrule_claim::asked(claim);
            let Ok(choice) = engine::choose(solver, query, forced) else {
                continue;
            };
            let needed = choice
                .engine
                .bytes(solver, &solver.game.box_to(most), query);
            if query.question == Question::Grundy
                && needed > u128::from(memory)
                && let Ok(Err(why)) = divided(session, &region, query, forced)
            {
                load::error(&format!(
                    "the claim `{}` needs a table of Grundy values, which takes {} of memory; \
                     the limit is {}; it is not divided into columns: {why}",
                    claim.words,
                    text::in_bytes(needed),
                    text::in_bytes(memory.into()),
                ));
                return Err(Unanswered(Status::Limit));
            }
        }
        Ok(())
    }

    /// Whether the answers of a sweep are computed in columns. Outcomes are, or it is an error;
    /// values are where columns fit the memory, and by ranks, whose memory differs, where the
    /// engine divides the box.
    pub fn takes(sweep: &Sweep<'_, '_>) -> bool {
        let (session, asked) = (sweep.session, sweep.asked);
        if asked.question == Question::Outcome {
            return true;
        }
        #[cfg(feature = "mpi")]
        if ranks::ranks().is_some() {
            let solver = session.solver();
            let divided =
                engine::column_engine(solver, sweep.region, asked, sweep.limits, sweep.forced);
            return matches!(divided, Ok(Ok(_)));
        }
        matches!(
            divided(session, sweep.region, asked, sweep.forced),
            Ok(Ok(_))
        )
    }

    /// Solves the box of a sweep, and shows its rows to the visitors.
    pub fn run(
        &self,
        sweep: &Sweep<'_, '_>,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let (solver, limits) = (sweep.session.solver(), sweep.limits);
        let divided =
            engine::column_engine(solver, sweep.region, sweep.asked, limits, sweep.forced);
        let (rows, sizes) = match divided {
            Ok(Ok(divided)) => divided,
            Ok(Err(why)) => {
                let remedy = match self.folder {
                    Some(_) => "remove `--out-of-core`",
                    None => "run it without `mpirun`",
                };
                return Err(load::wrong(&format!(
                    "this box is not divided into columns: {why}; {remedy}"
                )));
            }
            Err(failure) => return Ok(Err(failure)),
        };
        #[cfg(feature = "mpi")]
        if let Some(ranks) = ranks::ranks() {
            return self.run_by_ranks(ranks, sweep, (&rows, sizes), visitors);
        }
        let room = progress::Bounds::room(limits.memory);
        let Some(width) = sizes.widest(room, limits.threads()) else {
            // Beside the columns the process itself takes memory.
            let own = limits.memory.saturating_sub(room);
            return Ok(Err(SolveError::Memory {
                needed: sizes.memory(1, 1) + u128::from(own),
                limit: limits.memory,
            }));
        };
        // Those that join need columns of their own, and each thread two strips.
        let width = match self.joins {
            true => width.min(2 * limits.threads().min(sizes.most_threads) + 2),
            false => width,
        };
        let mut columns = Columns::of_width(sizes, width);
        let sharing = match self.joins {
            true => Sharing::Joined,
            false => Sharing::Alone,
        };
        let folder = self.folder.as_deref().expect("only ranks need none");
        let store = self.open(folder, sharing, sweep, (&rows, &mut columns), visitors)?;
        let whole = (&rows, &columns);
        let swept = engine::sweep_columns(solver, whole, sweep.asked, limits, visitors, &store);
        Ok(swept)
    }

    /// The name of the folder of a sweep.
    fn name_of(sweep: &Sweep<'_, '_>) -> String {
        let name = format!("{}-{}", sweep.verb, sweep.asked.convention.word());
        match sweep.asked.question {
            Question::Outcome => name,
            Question::Grundy => format!("{name}-grundy"),
        }
    }

    /// The folder of a sweep; `None` for ranks without one.
    pub fn folder_of(&self, sweep: &Sweep<'_, '_>) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(OutOfCore::name_of(sweep)))
    }

    /// Opens the store in a folder, after a note if there is none yet. The columns become those
    /// of the earlier run.
    fn open(
        &self,
        folder: &Path,
        sharing: Sharing,
        sweep: &Sweep<'_, '_>,
        (rows, columns): (&RowEngine, &mut Columns),
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<ColumnFolder> {
        let limits = sweep.limits;
        let path = folder.join(OutOfCore::name_of(sweep));
        if !path.join("box").exists() {
            self.announce(sweep, (rows, columns), visitors)?;
        }
        if self.is_named {
            files::create_folder(folder, "the files of a box are stored in")?;
        }
        let (engine, most) = (rows.engine, &rows.plan.layout.most);
        let identity = sweep.identity("columns", self.rule, engine, most);
        let store = ColumnFolder::open((path, sharing), identity, columns, limits)?;
        let needed = columns.sizes.memory(columns.widest(), 1);
        limits.check_memory(needed).map_err(|_| {
            load::error(&format!(
                "the columns of the earlier run take {} of memory; the limit is {}; raise it with \
                 `--memory-limit`, or name another folder",
                text::in_bytes(needed),
                text::in_bytes(limits.memory.into()),
            ));
            Unanswered(Status::Limit)
        })?;
        let words = format!(
            "progress is saved in `{}`; the same command resumes from it:",
            folder.display()
        );
        progress::set_resume_hint(words, "");
        Ok(store)
    }

    /// Solves the box of a sweep with the other ranks.
    #[cfg(feature = "mpi")]
    fn run_by_ranks(
        &self,
        ranks: &'static Ranks,
        sweep: &Sweep<'_, '_>,
        (rows, sizes): (&RowEngine, ColumnSizes),
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        let limits = sweep.limits;
        let failed = |failure| sweep.failed(&failure, Form::Rows);
        let number = |bytes: &Vec<u8>| {
            let number = bytes.as_slice().try_into();
            number.map_or(0, u64::from_le_bytes)
        };
        // A rank with another rule or version would send faces of another box.
        let own = sweep.identity("columns", self.rule, rows.engine, &rows.plan.layout.most);
        let identities = ranks.share(own.to_string().as_bytes(), limits);
        for (rank, of_rank) in identities.map_err(failed)?.iter().enumerate() {
            own.check_text(&String::from_utf8_lossy(of_rank))
                .map_err(|unfit| {
                    let reason = format!("what rank {rank} computes is not shared: {unfit}");
                    failed(SolveError::Refused { reason })
                })?;
        }
        // All ranks have as much memory as the one that has least.
        let memory = ranks.share(&limits.memory.to_le_bytes(), limits);
        let memory = memory.map_err(failed)?.iter().map(number).min();
        let memory = memory.unwrap_or(0);
        let stores = self.folder.is_none();
        let of_rank = (memory, limits.threads(), stores);
        let Some(columns) = ranks.columns(sizes, of_rank) else {
            let hint = match stores {
                true => "; with `--out-of-core FOLDER` it may take less",
                false => "",
            };
            load::error(&format!(
                "this takes {} of memory on each rank, and the limit of one of them is {}{hint}",
                text::in_bytes(ranks.least_memory(sizes, stores)),
                text::in_bytes(memory.into()),
            ));
            return Err(Unanswered(Status::Limit));
        };
        let mut columns = columns;
        ranks.make_room(&columns, of_rank);
        // Rank 0 opens the folder first, and the others what it has written.
        let is_first = ranks.rank == 0;
        let mut open = |columns: &mut Columns| match &self.folder {
            Some(folder) => {
                let sharing = Sharing::Ranks { is_first };
                let whole = (rows, columns);
                let store = self.open(folder, sharing, sweep, whole, visitors);
                store.map(Some)
            }
            None if is_first => {
                let whole = (rows, &*columns);
                self.announce(sweep, whole, visitors).map(|()| None)
            }
            None => Ok(None),
        };
        let mut store = None;
        if is_first {
            store = open(&mut columns)?;
        }
        let divisions = ranks.share(&checkpoint::state_of(&columns), limits);
        let divisions = divisions.map_err(failed)?;
        if !is_first {
            store = open(&mut columns)?;
        }
        let first = divisions.first().map_or(&[][..], Vec::as_slice);
        checkpoint::read_state(first, |from| columns.restore(from))
            .map_err(|unfit| failed(ranks::unread(&unfit)))?;
        ranks.make_room(&columns, of_rank);
        let number = ranks.next_sweep();
        let store = RankColumns::new(ranks, number, columns.clone(), limits, store.as_ref());
        let (solver, whole) = (sweep.session.solver(), (rows, &columns));
        Ok(store.with_notices(|| {
            engine::sweep_columns(solver, whole, sweep.asked, limits, visitors, &store)
        }))
    }

    /// Removes the folder after the answer, unless the user named it.
    pub fn finish(&self) {
        if let Some(folder) = self.folder.as_deref().filter(|_| !self.is_named) {
            // What cannot be removed does no harm.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
