//! Files that are put into a folder when they are whole.

use super::load::{self, Answered};
use nimrule_limits::checkpoint::{self, CheckpointError};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind, Read as _, Seek as _, Write};
use std::path::Path;
use thiserror::Error;

/// Why a file that lies there cannot be used.
#[derive(Debug, Error)]
pub enum Unusable {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    CheckpointError(#[from] CheckpointError),
}

/// Opens a file of this program's ([`checkpoint`]) that is whole; `None` where
/// there is none. Never more of it is in memory than a piece.
pub fn open(path: &Path) -> Result<Option<BufReader<File>>, Unusable> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let length = file.metadata()?.len();
    checkpoint::verify(length, &mut |bytes| file.read_exact(bytes).is_ok())?;
    file.rewind()?;
    Ok(Some(BufReader::new(file)))
}

/// Makes a folder where there is none. `for_what` says what it is for, as in
/// `checkpoints are kept in`. If folders above it are missing, they are made
/// too, and that is said: the path may be misspelt.
pub fn made(folder: &Path, for_what: &str) -> Answered<()> {
    if folder.is_file() {
        return Err(load::wrong(&format!(
            "`{}` is a file; {for_what} a folder",
            folder.display()
        )));
    }
    let missing = missing_above(folder);
    fs::create_dir_all(folder).map_err(|error| {
        load::wrong(&format!(
            "the folder `{}` cannot be created: {error}",
            folder.display()
        ))
    })?;
    if let Some(first) = missing {
        load::note(&format!(
            "the folder `{}` was missing and has been created, with all of `{}`",
            first.display(),
            folder.display()
        ));
    }
    Ok(())
}

/// The uppermost folder that is missing above a folder.
fn missing_above(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .skip(1)
        .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
        .last()
}

/// Puts a file into its place when it is whole and on the disk: it is written
/// beside it first, so that whatever happens to the process or the machine,
/// the file is the one before or this one.
pub fn put(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let placed = write_to(&beside, write).and_then(|()| fs::rename(&beside, path));
    if placed.is_err() {
        // What is half written helps nobody.
        let _ = fs::remove_file(&beside);
        return placed;
    }
    // The new name must be on the disk as well; not every system can say so
    // of a folder.
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write_to(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write(&mut out)?;
    out.into_inner()?.sync_all()
}
