//! Reading files up to a size limit, and writing them atomically.
//!
//! Every read is bounded: a device has no end, and a file may be larger than
//! the memory.

use super::load::{self, Answered};
use super::{progress, text};
use nimrule_limits::checkpoint::{self, CheckpointError};
use std::fs::{self, File, Permissions};
use std::io::{BufReader, BufWriter, Error, ErrorKind, Read, Result, Seek as _, Write};
use std::path::Path;

/// The largest size of a rule file, in bytes.
pub const MAX_RULE_BYTES: u64 = 64 << 20;

/// The largest size of any other file (boards, certificates, proofs), in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// Reads a file of at most `most` bytes, and at most the memory limit.
///
/// # Errors
///
/// [`ErrorKind::FileTooLarge`] if the file is larger.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    read_from(File::open(path)?, most)
}

/// Reads an open stream with the same limits as [`read`].
pub fn read_from(from: impl Read, most: u64) -> Result<Vec<u8>> {
    at_most(from, most.min(progress::bounds().most_memory()))
}

fn at_most(from: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(
            ErrorKind::FileTooLarge,
            format!(
                "it is longer than the limit of {}",
                text::in_bytes(most.into())
            ),
        ));
    }
    Ok(bytes)
}

/// Why a checkpoint or a cached proof cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    CheckpointError(#[from] CheckpointError),
}

/// Opens a file in the checkpoint format ([`checkpoint`]) after verifying its
/// checksum; `None` if there is no such file. The file is streamed, never held
/// in memory as a whole.
pub fn open(path: &Path) -> std::result::Result<Option<BufReader<File>>, Unusable> {
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

/// Creates a folder if it is missing. `for_what` begins the error message, as in
/// `checkpoints are stored in`. Missing parent folders are created too, with a
/// note, because the path may be misspelt.
pub fn create_folder(folder: &Path, for_what: &str) -> Answered<()> {
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

/// The uppermost missing parent of a folder.
fn missing_above(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .skip(1)
        .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
        .last()
}

/// Writes a file atomically: to a temporary file in the same folder, which is
/// synced and renamed. After a crash the path holds the old file or the new one.
/// The permissions are those of the old file, and a link still leads to the file.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let target = fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    let permissions = fs::metadata(path).map(|old| old.permissions()).ok();
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let placed =
        write_to(&temporary, permissions, write).and_then(|()| fs::rename(&temporary, path));
    if placed.is_err() {
        let _ = fs::remove_file(&temporary);
        return placed;
    }
    // Sync the folder too, so that the rename is durable. Not every system can
    // open a folder as a file.
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write_to(
    path: &Path,
    permissions: Option<Permissions>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let file = File::create(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.into_inner()?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::at_most;
    use std::io::ErrorKind;

    #[test]
    fn a_file_above_the_limit_is_rejected_without_reading_its_rest() {
        let bytes = [7_u8; 100];
        assert_eq!(at_most(&bytes[..], 100).expect("it fits").len(), 100);
        let refused = at_most(&bytes[..], 99).expect_err("it is longer");
        assert_eq!(refused.kind(), ErrorKind::FileTooLarge);
        let endless = at_most(std::io::repeat(0), 1 << 16).expect_err("it has no end");
        assert_eq!(endless.kind(), ErrorKind::FileTooLarge);
    }
}
