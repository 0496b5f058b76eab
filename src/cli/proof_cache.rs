//! The proof cache: proofs for all sizes in a folder next to the rule file.
//!
//! There is one file for each rule, parameter values and convention. The cache
//! only saves time: if a proof cannot be written, the command continues, and a
//! file of another rule or version is ignored and the proof searched again.

use super::Shared;
use super::files;
use super::load::{self, Loaded};
use clap::Args;
use nimrule::Compiled;
use nimrule_answer::{Note, Session, Store};
use nimrule_limits::Limits;
use std::path::{Path, PathBuf};

/// The cache folder, next to the rule file.
pub const FOLDER: &str = ".nimrule";

#[derive(Debug, Default, Args)]
pub struct CacheArguments {
    /// Do not read or write the proof cache next to the file
    #[arg(long)]
    no_cache: bool,
}

impl CacheArguments {
    /// A session about a rule, with the proofs of its folder. It makes its remarks on
    /// standard error.
    pub fn session<'c>(
        &self,
        loaded: &Loaded,
        compiled: &'c Compiled,
        shared: &Shared,
    ) -> Session<'c> {
        let folder = loaded.folder().filter(|_| !self.no_cache);
        let folder = folder.map(|beside| Folder {
            path: beside.join(FOLDER),
            is_written: true,
        });
        session_of(compiled, shared.limits(), shared.quiet, folder)
    }

    /// A session of one of many questions, which reads the proofs of the folder and neither
    /// stores any nor announces searches.
    pub fn reading_session<'c>(
        &self,
        loaded: &Loaded,
        compiled: &'c Compiled,
        limits: Limits,
    ) -> Session<'c> {
        let folder = loaded.folder().filter(|_| !self.no_cache);
        let folder = folder.map(|beside| Folder {
            path: beside.join(FOLDER),
            is_written: false,
        });
        session_of(compiled, limits, true, folder)
    }
}

fn session_of(
    compiled: &Compiled,
    limits: Limits,
    is_quiet: bool,
    folder: Option<Folder>,
) -> Session<'_> {
    let session = Session::new(&compiled.game, limits).with_notes(move |note| {
        if !(is_quiet && matches!(note, Note::SeekingProof { .. })) {
            load::note(&note.words());
        }
    });
    match folder {
        Some(folder) => session.with_store(compiled.rule_hash(), folder),
        None => session,
    }
}

/// A folder as a store of proofs.
struct Folder {
    path: PathBuf,
    is_written: bool,
}

impl Store for Folder {
    fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    fn load(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        match files::read(&self.path.join(name), files::MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        if !self.is_written {
            return Ok(());
        }
        std::fs::create_dir_all(&self.path)
            .and_then(|()| {
                files::write_atomically(&self.path.join(name), |out| out.write_all(bytes))
            })
            .map_err(|error| error.to_string())
    }

    fn place(&self, name: &str) -> String {
        let path: &Path = &self.path.join(name);
        path.display().to_string()
    }
}
