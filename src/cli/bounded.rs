//! Reading files of which nobody knows how long they are: a device has no end,
//! and a file may be larger than the memory.

use super::progress;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The most bytes of a rule's text; what is longer was not written by a person.
pub const OF_A_RULE: u64 = 64 << 20;

/// The most bytes of any other file: boards, certificates, proofs.
pub const OF_A_FILE: u64 = 1 << 30;

/// Reads a file of at most so many bytes, and of no more than memory allows.
///
/// # Errors
///
/// [`ErrorKind::FileTooLarge`] where there is more.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    read_from(File::open(path)?, most)
}

/// The same of what is open.
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
                super::text::in_bytes(most.into())
            ),
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::at_most;
    use std::io::ErrorKind;

    #[test]
    fn what_is_longer_is_refused_and_not_read_on() {
        let bytes = [7_u8; 100];
        assert_eq!(at_most(&bytes[..], 100).expect("it fits").len(), 100);
        let refused = at_most(&bytes[..], 99).expect_err("it is longer");
        assert_eq!(refused.kind(), ErrorKind::FileTooLarge);
        let endless = at_most(std::io::repeat(0), 1 << 16).expect_err("it has no end");
        assert_eq!(endless.kind(), ErrorKind::FileTooLarge);
    }
}
