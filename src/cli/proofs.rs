//! Proofs that are kept beside the rule file, and found again.
//!
//! What has been proved of a rule for all sizes lies in a folder beside its
//! file, one file for each rule, its parameters and the convention. It is a
//! convenience and nothing more: what cannot be written is not kept, and what
//! is not of this very rule is proved anew.

use super::folder::{self, Unusable};
use super::load::{self, Loaded};
use clap::Args;
use nimrule::Compiled;
use nimrule_engine::Solver;
use nimrule_limits::Limits;
use nimrule_limits::checkpoint::Identity;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::certificate::{self, Check};
use nimrule_prove::proof_cache::{self, CachedProof, FormSearch};
use std::cell::Cell;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A proof that was kept is checked no longer than this: it was checked before.
const PATIENCE: Duration = Duration::from_secs(1);

/// The folder beside the rule file.
pub const FOLDER: &str = ".nimrule";

#[derive(Debug, Args)]
pub struct Cache {
    /// Do not read or write the proof cache next to the file
    #[arg(long)]
    no_cache: bool,
}

/// The proofs that are kept of a rule.
pub struct Proofs<'c> {
    game: &'c Game,
    /// The hash of the rule.
    rule: [u8; 32],
    /// Where they are; a rule from standard input has no place.
    folder: Option<PathBuf>,
    has_failed: Cell<bool>,
    /// What lies there is no proof of this rule, whatever it says.
    is_refused: Cell<bool>,
}

/// A proof that was found, and where.
pub struct Found {
    pub kept: CachedProof,
    pub path: PathBuf,
}

impl Cache {
    pub fn proofs<'c>(&self, loaded: &Loaded, compiled: &'c Compiled) -> Proofs<'c> {
        let folder = loaded.folder().filter(|_| !self.no_cache);
        Proofs {
            game: &compiled.game,
            rule: loaded.hash_of_rule(&compiled.file),
            folder: folder.map(|beside| beside.join(FOLDER)),
            has_failed: Cell::new(false),
            is_refused: Cell::new(false),
        }
    }
}

impl Proofs<'_> {
    fn place(&self, convention: Convention) -> Option<(PathBuf, Identity)> {
        let identity = proof_cache::identity(self.game, convention, &self.rule);
        let name = format!("{}.proof", proof_cache::name(&identity, self.game));
        Some((self.folder.as_ref()?.join(name), identity))
    }

    /// Does anything lie where a proof of this rule would be?
    pub fn may_have(&self, convention: Convention) -> bool {
        self.place(convention)
            .is_some_and(|(path, _)| path.exists())
    }

    /// The proof that is kept of this rule. What lies in its place and is not
    /// used is said on standard error.
    pub fn find(&self, convention: Convention, limits: &Limits) -> Option<Found> {
        let (path, identity) = self.place(convention)?;
        let kept = match self.read(&path, &identity, limits)? {
            Ok(kept) => kept,
            Err(why) => {
                self.refuse(&path, &why.to_string());
                return None;
            }
        };
        let solver = Solver::new(self.game);
        if let Some(at) = kept.differs_at(&solver, convention, limits) {
            let at = self.game.shown(&at);
            let why = format!("its set contradicts the engines at {at}");
            self.refuse(&path, &why);
            return None;
        }
        let limits = limits.cap_time(PATIENCE);
        let checked = certificate::check(self.game, None, convention, &kept.set, &limits);
        if let Ok(Check::Refused(why)) = checked {
            self.refuse(&path, &why);
            return None;
        }
        Some(Found { kept, path })
    }

    /// Says that what lies in a place is not used; another proof may be put
    /// there.
    pub fn refuse(&self, path: &Path, why: &str) {
        self.is_refused.set(true);
        load::note(&format!(
            "the cached proof in `{}` is not used: {why}",
            path.display()
        ));
    }

    /// What lies in a place; `None` where nothing does.
    fn read(
        &self,
        path: &Path,
        identity: &Identity,
        limits: &Limits,
    ) -> Option<Result<CachedProof, Unusable>> {
        let read = || {
            let Some(mut file) = folder::open(path)? else {
                return Ok(None);
            };
            let mut get = |bytes: &mut [u8]| file.read_exact(bytes).is_ok();
            Ok(Some(proof_cache::read(
                identity, self.game, &mut get, limits,
            )?))
        };
        read().transpose()
    }

    /// Keeps a proof, unless there is one that says as much. Where it cannot
    /// be written, that is said once, and nothing else comes of it.
    pub fn keep(&self, convention: Convention, kept: &CachedProof, limits: &Limits) {
        let Some((path, identity)) = self.place(convention) else {
            return;
        };
        if !self.is_refused.get()
            && let Some(Ok(before)) = self.read(&path, &identity, limits)
            && (before.form != FormSearch::NotSought || kept.form == FormSearch::NotSought)
        {
            return;
        }
        let Some(bytes) = kept.written(&identity, self.game, limits) else {
            return;
        };
        let folder = path.parent().unwrap_or(Path::new(FOLDER));
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| folder::put(&path, |out| out.write_all(&bytes)));
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
