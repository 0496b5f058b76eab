//! The proof cache: proofs for all sizes in a folder next to the rule file.
//!
//! For each rule, parameter values and convention there is a file with the proved set, and one with
//! the claims that had no proof. The cache only saves time: if a file cannot be written, the command
//! continues, and one of another rule or version is ignored and the proof searched again.

use super::Shared;
use super::files;
use super::load::{self, Loaded};
use clap::Args;
use nimrule::Compiled;
use nimrule_answer::{Note, Session, Store};
use nimrule_limits::Limits;
use std::path::PathBuf;

/// The cache folder, next to the rule file.
pub const FOLDER: &str = ".nimrule";

#[derive(Debug, Default, Args)]
pub struct CacheArguments {
    /// Do not read or write the proof cache next to the file
    #[arg(long, display_order = 100)]
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
        let quiet = shared.quiet;
        self.session_saying(loaded, compiled, shared.limits(), move |note| {
            !(quiet && matches!(note, Note::SeekingProof { .. }))
        })
    }

    /// A session within limits that makes some of its remarks.
    pub fn session_saying<'c>(
        &self,
        loaded: &Loaded,
        compiled: &'c Compiled,
        limits: Limits,
        is_said: impl Fn(&Note) -> bool + 'c,
    ) -> Session<'c> {
        let session = Session::new(&compiled.game, limits).with_notes(move |note| {
            if is_said(note) {
                load::note(&note.words());
            }
        });
        match loaded.folder().filter(|_| !self.no_cache) {
            Some(beside) => session.with_store(compiled.rule_hash(), Folder(beside.join(FOLDER))),
            None => session,
        }
    }
}

/// A folder as a store of proofs.
struct Folder(PathBuf);

impl Store for Folder {
    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    fn load(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        match files::read(&self.0.join(name), files::MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        std::fs::create_dir_all(&self.0)
            .and_then(|()| files::write_atomically(&self.0.join(name), |out| out.write_all(bytes)))
            .map_err(|error| error.to_string())
    }

    fn place(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}
