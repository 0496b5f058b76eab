//! The proof cache: proofs for all sizes in a folder next to the rule file.
//!
//! There is one file for each rule, parameter values and convention. The cache
//! only saves time: if a proof cannot be written, the command continues, and a
//! file of another rule or version is ignored and the proof searched again.

use super::files::{self, Unusable};
use super::load::{self, Loaded};
use clap::Args;
use nimrule::Compiled;
use nimrule_engine::Solver;
use nimrule_limits::Limits;
use nimrule_limits::checkpoint::Identity;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::certificate::{self, Check, Proves};
use nimrule_prove::proof_cache::{self, CachedProof, FormSearch};
use std::cell::Cell;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time limit for checking a cached proof again (it was checked before it
/// was stored).
const CHECK_TIME: Duration = Duration::from_secs(1);

/// The cache folder, next to the rule file.
pub const FOLDER: &str = ".nimrule";

#[derive(Debug, Args)]
pub struct CacheArguments {
    /// Do not read or write the proof cache next to the file
    #[arg(long)]
    no_cache: bool,
}

/// The cached proofs of a rule.
pub struct ProofCache<'c> {
    game: &'c Game,
    /// The hash of the rule.
    rule: [u8; 32],
    /// The cache folder; `None` with `--no-cache` and for standard input.
    folder: Option<PathBuf>,
    has_failed: Cell<bool>,
    /// The file in the cache was rejected and may be overwritten.
    is_rejected: Cell<bool>,
}

/// A proof read from the cache, with its path.
pub struct CachedFile {
    pub cached: CachedProof,
    pub path: PathBuf,
}

impl CacheArguments {
    pub fn open<'c>(&self, loaded: &Loaded, compiled: &'c Compiled) -> ProofCache<'c> {
        let folder = loaded.folder().filter(|_| !self.no_cache);
        ProofCache {
            game: &compiled.game,
            rule: loaded.hash_of_rule(&compiled.file),
            folder: folder.map(|beside| beside.join(FOLDER)),
            has_failed: Cell::new(false),
            is_rejected: Cell::new(false),
        }
    }
}

impl ProofCache<'_> {
    fn place(&self, convention: Convention) -> Option<(PathBuf, Identity)> {
        let identity = proof_cache::identity(self.game, convention, &self.rule);
        let name = format!("{}.proof", proof_cache::name(&identity, self.game));
        Some((self.folder.as_ref()?.join(name), identity))
    }

    /// Returns whether the cache has a file for this rule.
    pub fn may_have(&self, convention: Convention) -> bool {
        self.place(convention)
            .is_some_and(|(path, _)| path.exists())
    }

    /// Reads the cached proof of this rule and checks it. A file that is not used
    /// is reported on standard error.
    pub fn find(&self, convention: Convention, limits: &Limits) -> Option<CachedFile> {
        let (path, identity) = self.place(convention)?;
        let cached = match self.read(&path, &identity, limits)? {
            Ok(cached) => cached,
            Err(why) => {
                self.reject(&path, &why.to_string());
                return None;
            }
        };
        let solver = Solver::new(self.game);
        if let Some(at) = cached.differs_at(&solver, convention, limits) {
            let at = self.game.shown(&at);
            let why = format!("its set contradicts the engines at {at}");
            self.reject(&path, &why);
            return None;
        }
        let limits = limits.cap_time(CHECK_TIME);
        let (game, set) = (self.game, &cached.set);
        let checked = certificate::check(game, Proves::PPositions, None, convention, set, &limits);
        if let Ok(Check::Refused(why)) = checked {
            self.reject(&path, &why);
            return None;
        }
        Some(CachedFile { cached, path })
    }

    /// Reports that a cached file is not used, and allows overwriting it.
    pub fn reject(&self, path: &Path, why: &str) {
        self.is_rejected.set(true);
        load::note(&format!(
            "the cached proof in `{}` is not used: {why}",
            path.display()
        ));
    }

    /// Reads a cached file; `None` if there is none.
    fn read(
        &self,
        path: &Path,
        identity: &Identity,
        limits: &Limits,
    ) -> Option<Result<CachedProof, Unusable>> {
        let read = || {
            let Some(mut file) = files::open(path)? else {
                return Ok(None);
            };
            let mut get = |bytes: &mut [u8]| file.read_exact(bytes).is_ok();
            Ok(Some(proof_cache::read(
                identity, self.game, &mut get, limits,
            )?))
        };
        read().transpose()
    }

    /// Stores a proof, unless the cache has one with as much information. If
    /// writing fails, that is reported once and the command continues.
    pub fn store(&self, convention: Convention, cached: &CachedProof, limits: &Limits) {
        let Some((path, identity)) = self.place(convention) else {
            return;
        };
        if !self.is_rejected.get()
            && let Some(Ok(before)) = self.read(&path, &identity, limits)
            && (before.form != FormSearch::NotSought || cached.form == FormSearch::NotSought)
        {
            return;
        }
        let Some(bytes) = cached.written(&identity, self.game, limits) else {
            return;
        };
        let folder = path.parent().unwrap_or(Path::new(FOLDER));
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| files::write_atomically(&path, |out| out.write_all(&bytes)));
        if let Err(error) = written
            && !self.has_failed.replace(true)
        {
            load::note(&format!(
                "the proof cannot be cached in `{}`: {error}",
                folder.display()
            ));
        }
    }
}
