//! The format of the files that the program writes for itself: checkpoints of
//! long runs, and the proof cache.
//!
//! A file is a sequence of bytes: what it is of ([`Identity`]), and then
//! sections that belong to whoever saved them, a kernel's planes or a count so
//! far. It ends with a checksum over everything before it, so that a torn or
//! flawed file is never taken for a state. Nothing here knows what the sections
//! mean, and nothing reads or writes files: bytes come and go through
//! functions.
//!
//! ```text
//! magic · format · number of parts · (part · text)* · (mark · name · …)*
//!       · end mark · checksum
//! ```
//!
//! Numbers are of 64 bits, the lowest byte first; texts and lists have their
//! length before them.

use std::fmt;
use thiserror::Error;

const MAGIC: &[u8; 8] = b"nimrule\n";
const FORMAT: u64 = 2;
const CHECKSUM: usize = blake3::OUT_LEN;

/// A section begins, or there is none left.
const SECTION: u64 = 0x5345_4354;
const END: u64 = 0x454e_4421;

/// A state that can be saved and restored.
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

impl Resumable for u64 {
    fn save(&self, out: &mut Writing<'_>) {
        out.number(*self);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        *self = from.number()?;
        Ok(())
    }
}

/// Bytes that mean something to others.
impl Resumable for Vec<u8> {
    fn save(&self, out: &mut Writing<'_>) {
        out.bytes(self);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        *self = from.bytes()?;
        Ok(())
    }
}

impl Resumable for String {
    fn save(&self, out: &mut Writing<'_>) {
        out.text(self);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        *self = from.text()?;
        Ok(())
    }
}

/// What a file is of. Only the very same subject can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// In the order in which differences are looked for.
    parts: Vec<(Part, String)>,
}

/// A part of what a file is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Kind,
    Game,
    /// The hash of the rule.
    Rule,
    /// `n=6 k=2`.
    Parameters,
    Heaps,
    Convention,
    /// What was asked, and what was to be made of it.
    Question,
    /// The largest size of each heap.
    Box,
    Engine,
    /// The version of the package: another may keep its state otherwise.
    Program,
    /// The version of the language's semantics.
    Semantics,
}

impl Part {
    const ALL: [Part; 11] = [
        Part::Kind,
        Part::Game,
        Part::Rule,
        Part::Parameters,
        Part::Heaps,
        Part::Convention,
        Part::Question,
        Part::Box,
        Part::Engine,
        Part::Program,
        Part::Semantics,
    ];
}

/// In what a file differs from the subject at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub of: Part,
    /// What the file has, and what the subject.
    pub there: String,
    pub here: String,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("it is no file of this kind")]
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
            Part::Kind => write!(f, "another kind: a {there} and not a {here}"),
            Part::Game => write!(f, "another game: `{there}` and not `{here}`"),
            Part::Rule => write!(f, "another rule, or of an earlier text of this one"),
            Part::Program => write!(f, "nimrule {there}, and this is {here}"),
            Part::Semantics => write!(
                f,
                "version {there} of the semantics of rules, and this is version {here}"
            ),
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
            Part::Heaps => write!(f, "other heaps: {there} and not {here}"),
            Part::Convention => write!(f, "{there} play and not of {here} play"),
            Part::Question => write!(f, "another question: {there} and not {here}"),
            Part::Box => write!(f, "another box: heaps up to {there} and not {here}"),
            Part::Engine => write!(f, "another engine: `{there}` and not `{here}`"),
        }
    }
}

impl Identity {
    /// A file of a kind, a `checkpoint` or a `proof`, written by a version of
    /// the package with a version of the semantics.
    pub fn new(kind: &str, program: &str, semantics: u32) -> Identity {
        let parts = [(Part::Kind, kind), (Part::Program, program)];
        let parts = parts.map(|(part, value)| (part, value.to_owned()));
        let mut identity = Identity {
            parts: parts.into(),
        };
        identity.put(Part::Semantics, semantics.to_string());
        identity
    }

    /// The same with one part more. The versions stay last: another rule is
    /// the better reason.
    #[must_use]
    pub fn with(mut self, part: Part, value: impl Into<String>) -> Identity {
        self.put(part, value.into());
        self
    }

    fn put(&mut self, part: Part, value: String) {
        let rank = |part: Part| matches!(part, Part::Program | Part::Semantics);
        self.parts.retain(|(of, _)| *of != part);
        self.parts.push((part, value));
        self.parts.sort_by_key(|(part, _)| rank(*part));
    }

    /// A hash of all parts, in hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut out = Writing {
            put: &mut |_| {},
            hasher: blake3::Hasher::new(),
        };
        self.save(&mut out);
        out.hasher.finalize().to_hex().to_string()
    }

    /// The first part in which the file is another than this.
    fn difference(&self, there: &Identity) -> Option<Difference> {
        let find = |of: &Identity, part: Part| {
            let mut parts = of.parts.iter();
            parts.find_map(|(at, value)| (*at == part).then(|| value.clone()))
        };
        let parts = self.parts.iter().chain(&there.parts);
        parts.map(|(part, _)| *part).find_map(|part| {
            let (here, there) = (find(self, part), find(there, part));
            (here != there).then(|| Difference {
                of: part,
                there: there.unwrap_or_default(),
                here: here.unwrap_or_default(),
            })
        })
    }

    fn save(&self, out: &mut Writing<'_>) {
        out.number(self.parts.len() as u64);
        for (part, value) in &self.parts {
            let code = Part::ALL.iter().position(|known| known == part);
            out.number(code.unwrap_or(Part::ALL.len()) as u64);
            out.text(value);
        }
    }

    fn read(from: &mut Reading<'_>) -> Result<Identity, Unfit> {
        let mut parts = Vec::new();
        for _ in 0..from.length()? {
            let code = from.length()?;
            let part = Part::ALL.get(code).ok_or(Unfit::Meaning("a part"))?;
            parts.push((*part, from.text()?));
        }
        Ok(Identity { parts })
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

/// Writes a file; each section is called by its name.
pub fn save(identity: &Identity, sections: &[(&str, &dyn Resumable)], put: &mut dyn FnMut(&[u8])) {
    let mut out = Writing {
        put,
        hasher: blake3::Hasher::new(),
    };
    out.raw(MAGIC);
    out.number(FORMAT);
    identity.save(&mut out);
    for (name, section) in sections {
        out.number(SECTION);
        out.text(name);
        section.save(&mut out);
    }
    out.number(END);
    let checksum = out.hasher.finalize();
    (out.put)(checksum.as_bytes());
}

/// Is this a whole file, of so many bytes? `get` fills what it is given
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

/// Restores the sections of a file that has been found whole, if it is of the
/// very same.
pub fn restore(
    identity: &Identity,
    sections: &mut [(&str, &mut dyn Resumable)],
    get: &mut dyn FnMut(&mut [u8]) -> bool,
) -> Result<(), Unfit> {
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
    if let Some(difference) = identity.difference(&Identity::read(&mut from)?) {
        return Err(Unfit::Other(difference));
    }
    for (name, section) in sections {
        if from.number()? != SECTION || from.text()? != *name {
            return Err(Unfit::Meaning("another section"));
        }
        section.restore(&mut from)?;
    }
    if from.number()? != END {
        return Err(Unfit::Meaning("more sections"));
    }
    Ok(())
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
