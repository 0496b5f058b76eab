//! `--checkpoint`: what is kept of a long run in a folder, and gone on from.
//!
//! There is one file for each sweep of a box. It is written beside itself and
//! put in its place when it is whole and on the disk, so that whatever happens
//! to the process or the machine, the file is that of some slab.

use super::load::{self, Answered, Loaded, Unanswered};
use super::progress;
use crate::checkpoint::{self, Reading, Resumable, Run, Unfit, Writing};
use crate::engine::{self, Asked, Engine, Failure, Limits, Question, Region, Solver, Table, Work};
use crate::game::{Convention, Game};
use crate::rows::found::{Collect, Consumer, Found, Watched};
use crate::rows::{Layout, State};
use clap::Args;
use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Folder {
    /// Keep what has been found in this folder, slab by slab, and go on from
    /// what is there
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
const BETWEEN: Duration = Duration::from_millis(200);
const SHARE: u32 = 20;

/// Answers for every position of a region, by way of checkpoints where they
/// are asked for.
pub fn fill_region(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    keep: Option<&Keep<'_>>,
) -> Answered<Table> {
    let failed = |failure| load::failed(&failure, solver, Some(region.to()));
    let Some(keep) = keep else {
        if asked.question == Question::Outcome
            && let Region::Box(shape) = region
            && let Ok(choice) = engine::choose(solver, asked, forced)
            && choice.engine.bytes_for_rows(solver, &shape.most).is_some()
        {
            progress::set_way_on(
                "nothing of it is kept; this can be gone on with:".to_owned(),
                " --checkpoint FOLDER",
            );
        }
        return engine::fill_region(solver, region, asked, limits, forced).map_err(failed);
    };
    let engine = engine::choose(solver, asked, forced)
        .map_err(failed)?
        .engine;
    let swept = match region {
        Region::Box(shape) if asked.question == Question::Outcome => engine
            .bytes_for_rows(solver, &shape.most)
            .and_then(|bytes| Some((shape, bytes, Layout::new(&shape.most)?))),
        _ => None,
    };
    let Some((shape, bytes, layout)) = swept else {
        return Err(load::wrong(&format!(
            "`--checkpoint` is for the outcomes of a box that are found slab by slab, and the \
             engine `{}` does not find {} so; leave it out",
            engine.name(),
            match asked.question {
                Question::Outcome => "these",
                Question::Grundy => "Grundy values",
            }
        )));
    };
    limits
        .within_memory(bytes.saturating_add(shape.len as u128))
        .map_err(|met| failed(Failure::of_limit(met)))?;
    let mut collect = Collect {
        layout: &layout,
        found: Found::default(),
    };
    let swept = Swept {
        solver,
        engine,
        layout: &layout,
        convention: asked.convention,
        limits,
    };
    swept
        .run("the P-positions", Some(keep), &mut collect)?
        .map_err(failed)?;
    let places = collect.found.places(&layout);
    Ok(Table::of_p_positions(shape, places, engine.name()))
}

/// A sweep of a box by an engine that finds rows.
pub struct Swept<'a, 'g> {
    pub solver: &'a Solver<'g>,
    pub engine: &'a dyn Engine,
    pub layout: &'a Layout,
    pub convention: Convention,
    pub limits: &'a Limits,
}

impl Swept<'_, '_> {
    /// Sweeps, from where an earlier run came to if there is a checkpoint of
    /// it. `question` says what the consumer makes of the rows: only one with
    /// the same name can read what it keeps.
    pub fn run(
        &self,
        question: &str,
        keep: Option<&Keep<'_>>,
        consumer: &mut dyn Consumer,
    ) -> Answered<Result<(), Failure>> {
        let most = &self.layout.most;
        let slabs = most[0] + 1;
        let positions = most
            .iter()
            .try_fold(1_u64, |all, size| all.checked_mul(size.checked_add(1)?));
        let mut kept = match keep {
            Some(keep) => Some(Kept::begin(keep, self.described(question, keep))?),
            None => None,
        };
        let earlier = match &kept {
            Some(kept) => kept.restore(consumer)?,
            None => None,
        };
        let done = earlier.as_ref().map_or(0, |(done, _)| *done);
        let before = positions.map_or(0, |all| all / slabs * done);
        self.limits.go_on(Work::Solving, positions, before);
        self.limits.note_found(consumer.p_positions());
        if done >= slabs {
            return Ok(Ok(()));
        }
        let mut watched = Watched {
            limits: self.limits,
            layout: self.layout,
            consumer,
            slab: &mut |done, state, consumer| {
                if let Some(kept) = &mut kept
                    && kept.is_due()
                {
                    kept.save(done, Some(state), consumer);
                }
            },
        };
        let from = earlier
            .as_ref()
            .map(|(done, state)| (*done, state.as_slice()));
        let swept = self.engine.rows(
            self.solver,
            most,
            self.convention,
            self.limits,
            from,
            &mut watched,
        );
        if swept.is_ok()
            && let Some(kept) = &mut kept
        {
            kept.save(slabs, None, consumer);
        }
        Ok(swept)
    }

    fn described(&self, question: &str, keep: &Keep<'_>) -> Run {
        Run {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            rule: keep.rule.hash(),
            params: params(self.solver.game),
            convention: self.convention.word().to_owned(),
            question: question.to_owned(),
            most: self.layout.most.clone(),
            engine: self.engine.name().to_owned(),
        }
    }
}

/// The parameters of a game, `n=6 k=2`.
fn params(game: &Game) -> String {
    let all: Vec<String> = game
        .params
        .iter()
        .map(|(name, value)| format!("{name}={}", value.written()))
        .collect();
    all.join(" ")
}

/// The checkpoint of one sweep.
struct Kept {
    path: PathBuf,
    run: Run,
    saved: Instant,
    /// How long it took to save it last.
    took: Duration,
    has_failed: bool,
}

impl Kept {
    fn begin(keep: &Keep<'_>, run: Run) -> Answered<Kept> {
        let folder = &keep.folder;
        if folder.is_file() {
            return Err(load::wrong(&format!(
                "`{}` is a file; checkpoints are kept in a folder",
                folder.display()
            )));
        }
        fs::create_dir_all(folder).map_err(|error| {
            load::wrong(&format!(
                "the folder `{}` cannot be made: {error}",
                folder.display()
            ))
        })?;
        let words = format!(
            "what was found is kept in `{}`, and the same command goes on from there:",
            folder.display()
        );
        progress::set_way_on(words, "");
        Ok(Kept {
            path: folder.join(format!("{}.checkpoint", run.convention)),
            run,
            saved: Instant::now(),
            took: Duration::ZERO,
            has_failed: false,
        })
    }

    /// Takes over what an earlier run has kept: the slabs it had done, and the
    /// kernel's state.
    fn restore(&self, consumer: &mut dyn Resumable) -> Answered<Option<(u64, Vec<u8>)>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unreadable(&error)),
        };
        let length = file
            .metadata()
            .map_err(|error| self.unreadable(&error))?
            .len();
        checkpoint::verify(length, &mut |bytes| file.read_exact(bytes).is_ok())
            .map_err(|unfit| self.unfit(&unfit))?;
        file.rewind().map_err(|error| self.unreadable(&error))?;
        let mut file = std::io::BufReader::new(file);
        let mut state = Plain(Vec::new());
        let done = checkpoint::restore(
            &self.run,
            &mut [("state", &mut state), ("found", consumer)],
            &mut |bytes| file.read_exact(bytes).is_ok(),
        )
        .map_err(|unfit| self.unfit(&unfit))?;
        Ok(Some((done, state.0)))
    }

    fn is_due(&self) -> bool {
        self.saved.elapsed() >= BETWEEN.max(self.took * SHARE)
    }

    /// Keeps what has been done. A disk that is full is no reason to lose the
    /// run: it goes on, and what was kept before stays.
    fn save(&mut self, done: u64, state: Option<&dyn State>, consumer: &dyn Resumable) {
        let begun = Instant::now();
        let mut plain = Plain(Vec::new());
        if let Some(state) = state {
            state.save(&mut plain.0);
        }
        let written = self.write(done, &[("state", &plain), ("found", consumer)]);
        self.saved = Instant::now();
        self.took = self.saved - begun;
        if let Err(error) = written
            && !std::mem::replace(&mut self.has_failed, true)
        {
            load::note(&format!(
                "the checkpoint `{}` cannot be written, and the run goes on without: {error}",
                self.path.display()
            ));
        }
    }

    fn write(&self, done: u64, sections: &[(&str, &dyn Resumable)]) -> std::io::Result<()> {
        let beside = self
            .path
            .with_extension(format!("{}.new", std::process::id()));
        let written = self.write_to(&beside, done, sections);
        let placed = written.and_then(|()| fs::rename(&beside, &self.path));
        if placed.is_err() {
            // What is half written helps nobody.
            let _ = fs::remove_file(&beside);
            return placed;
        }
        // The new name must be on the disk as well; not every system can say
        // so of a folder.
        if let Some(folder) = self.path.parent()
            && let Ok(folder) = File::open(folder)
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    fn write_to(
        &self,
        path: &Path,
        done: u64,
        sections: &[(&str, &dyn Resumable)],
    ) -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        let mut written = Ok(());
        checkpoint::save(&self.run, done, sections, &mut |bytes| {
            if written.is_ok() {
                written = out.write_all(bytes);
            }
        });
        written?;
        out.into_inner()?.sync_all()
    }

    fn unreadable(&self, error: &std::io::Error) -> Unanswered {
        load::wrong(&format!(
            "the checkpoint `{}` cannot be read: {error}",
            self.path.display()
        ))
    }

    fn unfit(&self, unfit: &Unfit) -> Unanswered {
        load::wrong(&format!(
            "`{}` cannot be gone on from: {unfit}; name another folder, or delete the file",
            self.path.display()
        ))
    }
}

/// Bytes that mean something to others.
struct Plain(Vec<u8>);

impl Resumable for Plain {
    fn save(&self, out: &mut Writing<'_>) {
        out.bytes(&self.0);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        self.0 = from.bytes()?;
        Ok(())
    }
}
