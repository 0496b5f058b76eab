//! Proofs that are kept beside the rule file, and found again.
//!
//! What has been proved of a rule for all sizes lies in a folder beside its
//! file, one file for each rule, its parameters and the convention. It is a
//! convenience and nothing more: what cannot be written is not kept, and what
//! is not of this very rule is proved anew.

use super::load::{self, Loaded};
use super::{bounded, folder};
use crate::Compiled;
use crate::engine::Solver;
use crate::game::{Convention, Game};
use crate::limits::Limits;
use crate::prove::kept::{self, Form, Kept, Of, Unfit};
use clap::Args;
use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder beside the rule file.
pub const FOLDER: &str = ".nimrule";

#[derive(Debug, Args)]
pub struct Cache {
    /// Neither use the proofs that are kept beside the file nor keep any
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
    pub kept: Kept,
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
    fn place(&self, convention: Convention) -> Option<(PathBuf, Of)> {
        let of = Of::new(self.game, convention, &self.rule);
        let folder = self.folder.as_ref()?;
        Some((folder.join(format!("{}.json", of.name())), of))
    }

    /// Does anything lie where a proof of this rule would be?
    pub fn may_have(&self, convention: Convention) -> bool {
        self.place(convention)
            .is_some_and(|(path, _)| path.exists())
    }

    /// The proof that is kept of this rule. What lies in its place and is not
    /// used is said on standard error.
    pub fn find(&self, convention: Convention, limits: &Limits) -> Option<Found> {
        let (path, of) = self.place(convention)?;
        let kept = match self.read(&path, &of)? {
            Ok(kept) => kept,
            Err(why) => {
                self.refuse(&path, &why);
                return None;
            }
        };
        let solver = Solver::new(self.game);
        if let Some(at) = kept.differs_at(&solver, convention, limits) {
            let unfit = Unfit::Differs(self.game.shown(&at));
            self.refuse(&path, &unfit.to_string());
            return None;
        }
        Some(Found { kept, path })
    }

    /// Says that what lies in a place is not used; another proof may be put
    /// there.
    pub fn refuse(&self, path: &Path, why: &str) {
        self.is_refused.set(true);
        load::note(&format!(
            "the proof that is kept in `{}` is not used: {why}",
            path.display()
        ));
    }

    /// What lies in a place; `None` where nothing does.
    fn read(&self, path: &Path, of: &Of) -> Option<Result<Kept, String>> {
        Some(match bounded::read(path, bounded::OF_A_FILE) {
            Ok(bytes) => String::from_utf8(bytes)
                .map_err(|_| Unfit::Damaged)
                .and_then(|text| kept::read(of, self.game, &text))
                .map_err(|unfit| unfit.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => Err(error.to_string()),
        })
    }

    /// Keeps a proof, unless there is one that says as much. Where it cannot
    /// be written, that is said once, and nothing else comes of it.
    pub fn keep(&self, convention: Convention, kept: &Kept, limits: &Limits) {
        let Some((path, of)) = self.place(convention) else {
            return;
        };
        if !self.is_refused.get()
            && let Some(Ok(before)) = self.read(&path, &of)
            && (before.form != Form::NotSought || kept.form == Form::NotSought)
        {
            return;
        }
        let Some(text) = kept.written(&of, self.game, limits) else {
            return;
        };
        let folder = path.parent().unwrap_or(Path::new(FOLDER));
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| folder::put(&path, |out| out.write_all(text.as_bytes())));
        if let Err(error) = written
            && !self.has_failed.replace(true)
        {
            load::note(&format!(
                "the proof cannot be kept in `{}`: {error}",
                folder.display()
            ));
        }
    }
}
