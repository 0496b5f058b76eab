//! What is kept of a long run, so that it can go on another day.
//!
//! A checkpoint is a sequence of bytes: what run it is of, and then sections
//! that belong to whoever saved them, a kernel's planes or a count so far. It
//! ends with a checksum over everything before it, so that a torn or flawed
//! file is never taken for a state. Nothing here knows what the sections mean,
//! and nothing reads or writes files: bytes come and go through functions.
//!
//! ```text
//! magic · format · program · rule · parameters · convention · question · box
//!       · engine · parts done · (mark · name · …)* · end mark · checksum
//! ```
//!
//! Numbers are of 64 bits, the lowest byte first; texts and lists have their
//! length before them.

use std::fmt;
use thiserror::Error;

const MAGIC: &[u8; 8] = b"nimrule\n";
const FORMAT: u64 = 1;
const CHECKSUM: usize = blake3::OUT_LEN;

/// A section begins, or there is none left.
const SECTION: u64 = 0x5345_4354;
const END: u64 = 0x454e_4421;

/// What can be kept and gone on with.
pub trait Resumable {
    /// Writes the state between two slabs.
    fn save(&self, out: &mut Writing<'_>);

    /// Takes over a state that was saved of the same work.
    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit>;
}

impl<R: Resumable + ?Sized> Resumable for &mut R {
    fn save(&self, out: &mut Writing<'_>) {
        (**self).save(out);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        (**self).restore(from)
    }
}

/// What a checkpoint is of. Only the very same run can go on from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Which nimrule it was: another may keep its state otherwise.
    pub program: String,
    /// The hash of the rule's text and of the files that it reads.
    pub rule: [u8; 32],
    /// The parameters, `n=6 k=2`.
    pub params: String,
    pub convention: String,
    /// What was asked, `outcome` or `grundy`, and what was to be made of it.
    pub question: String,
    /// The largest size of each heap.
    pub most: Vec<u64>,
    pub engine: String,
}

/// In what a checkpoint differs from the run at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub of: Part,
    /// What the checkpoint has, and what the run.
    pub there: String,
    pub here: String,
}

/// A part of what a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Program,
    Rule,
    Parameters,
    Convention,
    Question,
    Box,
    Engine,
}

/// Why a checkpoint cannot be gone on from.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("this is no checkpoint")]
    Foreign,
    #[error("it is damaged: its checksum is not that of what it holds")]
    Damaged,
    #[error("its format is {found}, and {known} is known here")]
    Format { found: u64, known: u64 },
    #[error("it is of {0}")]
    Other(Difference),
    /// The checksum is right and the state is not: whoever saved it and
    /// whoever reads it mean different things.
    #[error("what it holds is not what is looked for: {0}")]
    Meaning(&'static str),
    /// It could not be read to its end.
    #[error("it cannot be read")]
    Unread,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { of, there, here } = self;
        match of {
            Part::Rule => write!(f, "another rule, or of an earlier text of this one"),
            Part::Program => write!(f, "nimrule {there}, and this is {here}"),
            Part::Parameters => {
                let named = |text: &str| match text {
                    "" => "none".to_owned(),
                    text => format!("`{text}`"),
                };
                write!(
                    f,
                    "other parameters: {} and not {}",
                    named(there),
                    named(here)
                )
            }
            Part::Convention => write!(f, "{there} play and not of {here} play"),
            Part::Question => write!(f, "another question: {there} and not {here}"),
            Part::Box => write!(f, "another box: heaps up to {there} and not {here}"),
            Part::Engine => write!(f, "another engine: `{there}` and not `{here}`"),
        }
    }
}

impl Run {
    /// The first part in which the run that was kept is another than this.
    fn difference(&self, kept: &Run) -> Option<Difference> {
        let differs = |of, there: &str, here: &str| {
            (there != here).then(|| Difference {
                of,
                there: there.to_owned(),
                here: here.to_owned(),
            })
        };
        let sizes = |run: &Run| {
            let sizes: Vec<String> = run.most.iter().map(u64::to_string).collect();
            sizes.join(",")
        };
        let hash = |run: &Run| blake3::Hash::from_bytes(run.rule).to_hex().to_string();
        differs(Part::Rule, &hash(kept), &hash(self))
            .or_else(|| differs(Part::Parameters, &kept.params, &self.params))
            .or_else(|| differs(Part::Convention, &kept.convention, &self.convention))
            .or_else(|| differs(Part::Question, &kept.question, &self.question))
            .or_else(|| differs(Part::Box, &sizes(kept), &sizes(self)))
            .or_else(|| differs(Part::Engine, &kept.engine, &self.engine))
            .or_else(|| differs(Part::Program, &kept.program, &self.program))
    }

    fn save(&self, out: &mut Writing<'_>) {
        out.text(&self.program);
        out.bytes(&self.rule);
        out.text(&self.params);
        out.text(&self.convention);
        out.text(&self.question);
        out.words(&self.most);
        out.text(&self.engine);
    }

    fn read(from: &mut Reading<'_>) -> Result<Run, Unfit> {
        Ok(Run {
            program: from.text()?,
            rule: from
                .bytes()?
                .try_into()
                .map_err(|_| Unfit::Meaning("a hash"))?,
            params: from.text()?,
            convention: from.text()?,
            question: from.text()?,
            most: from.list()?,
            engine: from.text()?,
        })
    }
}

/// The hash of a rule's text and of the files that it reads, each with its
/// name.
pub fn hash_of_rule<'t>(
    text: &str,
    files: impl IntoIterator<Item = (&'t str, &'t [u8])>,
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(text.as_bytes());
    for (name, bytes) in files {
        add(name.as_bytes());
        add(bytes);
    }
    *hasher.finalize().as_bytes()
}

/// Writes a checkpoint of a run with so many parts done; each section is
/// called by its name.
pub fn save(run: &Run, done: u64, sections: &[(&str, &dyn Resumable)], put: &mut dyn FnMut(&[u8])) {
    let mut out = Writing {
        put,
        hasher: blake3::Hasher::new(),
    };
    out.raw(MAGIC);
    out.number(FORMAT);
    run.save(&mut out);
    out.number(done);
    for (name, section) in sections {
        out.number(SECTION);
        out.text(name);
        section.save(&mut out);
    }
    out.number(END);
    let checksum = out.hasher.finalize();
    (out.put)(checksum.as_bytes());
}

/// Is this a whole checkpoint, of so many bytes? `get` fills what it is given
/// from the beginning on, and says whether it could.
pub fn verify(length: u64, get: &mut dyn FnMut(&mut [u8]) -> bool) -> Result<(), Unfit> {
    let mut hasher = blake3::Hasher::new();
    let body = length
        .checked_sub(CHECKSUM as u64)
        .filter(|body| *body >= MAGIC.len() as u64)
        .ok_or(Unfit::Foreign)?;
    let mut magic = [0; MAGIC.len()];
    if !get(&mut magic) {
        return Err(Unfit::Unread);
    }
    if magic != *MAGIC {
        return Err(Unfit::Foreign);
    }
    hasher.update(&magic);
    let mut left = body - MAGIC.len() as u64;
    let mut room = vec![0; 1 << 16];
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(usize::MAX).min(room.len());
        if !get(&mut room[..now]) {
            return Err(Unfit::Unread);
        }
        hasher.update(&room[..now]);
        left -= now as u64;
    }
    let mut checksum = [0; CHECKSUM];
    if !get(&mut checksum) {
        return Err(Unfit::Unread);
    }
    // Hashes of this kind are compared without regard to where they differ.
    if hasher.finalize() != checksum {
        return Err(Unfit::Damaged);
    }
    Ok(())
}

/// Restores what was saved of this very run from a checkpoint that has been
/// found whole; says how many parts were done.
pub fn restore(
    run: &Run,
    sections: &mut [(&str, &mut dyn Resumable)],
    get: &mut dyn FnMut(&mut [u8]) -> bool,
) -> Result<u64, Unfit> {
    let mut from = Reading { get };
    let mut magic = [0; MAGIC.len()];
    from.raw(&mut magic)?;
    let found = from.number()?;
    if found != FORMAT {
        return Err(Unfit::Format {
            found,
            known: FORMAT,
        });
    }
    let kept = Run::read(&mut from)?;
    if let Some(difference) = run.difference(&kept) {
        return Err(Unfit::Other(difference));
    }
    let done = from.number()?;
    for (name, section) in sections {
        if from.number()? != SECTION || from.text()? != *name {
            return Err(Unfit::Meaning("another section"));
        }
        section.restore(&mut from)?;
    }
    if from.number()? != END {
        return Err(Unfit::Meaning("more sections"));
    }
    Ok(done)
}

/// Where a state is written to.
pub struct Writing<'w> {
    put: &'w mut dyn FnMut(&[u8]),
    hasher: blake3::Hasher,
}

impl Writing<'_> {
    fn raw(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        (self.put)(bytes);
    }

    pub fn number(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub fn words(&mut self, words: &[u64]) {
        self.number(words.len() as u64);
        let mut bytes = Vec::with_capacity(8 * words.len().min(PIECE));
        for piece in words.chunks(PIECE) {
            bytes.clear();
            bytes.extend(piece.iter().flat_map(|word| word.to_le_bytes()));
            self.raw(&bytes);
        }
    }
}

/// So many words are turned into bytes at a time.
const PIECE: usize = 1 << 12;

/// Where a state is read from.
pub struct Reading<'r> {
    get: &'r mut dyn FnMut(&mut [u8]) -> bool,
}

impl Reading<'_> {
    fn raw(&mut self, bytes: &mut [u8]) -> Result<(), Unfit> {
        if (self.get)(bytes) {
            Ok(())
        } else {
            Err(Unfit::Unread)
        }
    }

    pub fn number(&mut self) -> Result<u64, Unfit> {
        let mut bytes = [0; 8];
        self.raw(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn bytes(&mut self) -> Result<Vec<u8>, Unfit> {
        let mut left = self.length()?;
        let mut bytes = Vec::new();
        // A length is believed only as far as there are bytes.
        while left > 0 {
            let now = left.min(8 * PIECE);
            let from = bytes.len();
            bytes.resize(from + now, 0);
            self.raw(&mut bytes[from..])?;
            left -= now;
        }
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<String, Unfit> {
        String::from_utf8(self.bytes()?).map_err(|_| Unfit::Meaning("a text"))
    }

    /// Reads words into a place that has the size of what was saved.
    pub fn words(&mut self, into: &mut [u64]) -> Result<(), Unfit> {
        if self.length()? != into.len() {
            return Err(Unfit::Meaning("a state of another size"));
        }
        let mut bytes = vec![0; 8 * into.len().min(PIECE)];
        for piece in into.chunks_mut(PIECE) {
            let bytes = &mut bytes[..8 * piece.len()];
            self.raw(bytes)?;
            for (word, bytes) in piece.iter_mut().zip(bytes.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("a chunk of eight bytes"));
            }
        }
        Ok(())
    }

    /// Reads words of which nobody knows how many there are.
    pub fn list(&mut self) -> Result<Vec<u64>, Unfit> {
        let length = self.length()?;
        let mut words = Vec::new();
        for _ in 0..length {
            words.push(self.number()?);
        }
        Ok(words)
    }

    fn length(&mut self) -> Result<usize, Unfit> {
        usize::try_from(self.number()?).map_err(|_| Unfit::Meaning("a length"))
    }
}

#[cfg(test)]
mod tests;
