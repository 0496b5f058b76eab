//! The identity of what is kept between runs, and the binary file format of checkpoints and of
//! the proof cache.
//!
//! A file holds the [`Identity`] of its subject (a run or a proof), named
//! sections, and a checksum of all bytes before it. Each section is the state
//! of one [`Resumable`] object, such as the planes of a kernel; this module
//! does not interpret it. A truncated or corrupt file is rejected by its
//! checksum.
//!
//! ```text
//! magic · format · number of parts · (part · text)* · (section mark · name · state)*
//!       · end mark · BLAKE3 checksum
//! ```
//!
//! Numbers have 64 bits, little-endian. Texts and lists are preceded by their
//! length. The functions read and write bytes through callbacks: this module
//! opens no files.

use std::fmt;
use thiserror::Error;

const MAGIC: &[u8; 8] = b"nimrule\n";
const FORMAT: u64 = 2;
const CHECKSUM: usize = blake3::OUT_LEN;

/// The marks before a section and after the last.
const SECTION: u64 = 0x5345_4354;
const END: u64 = 0x454e_4421;

/// An object whose state can be saved and restored.
pub trait Resumable {
    /// Writes the state.
    fn save(&self, out: &mut Writer<'_>);

    /// Replaces the state by a saved one of the same subject.
    ///
    /// # Errors
    ///
    /// If the saved state does not fit this object, or cannot be read.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError>;
}

impl<R: Resumable + ?Sized> Resumable for &mut R {
    fn save(&self, out: &mut Writer<'_>) {
        (**self).save(out);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        (**self).restore(from)
    }
}

impl Resumable for u64 {
    fn save(&self, out: &mut Writer<'_>) {
        out.number(*self);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        *self = from.number()?;
        Ok(())
    }
}

/// Bytes in a format of the caller.
impl Resumable for Vec<u8> {
    fn save(&self, out: &mut Writer<'_>) {
        out.bytes(self);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        *self = from.bytes()?;
        Ok(())
    }
}

/// Several states, each in a format of the caller.
impl Resumable for Vec<Vec<u8>> {
    fn save(&self, out: &mut Writer<'_>) {
        out.number(self.len() as u64);
        for bytes in self {
            out.bytes(bytes);
        }
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.clear();
        for _ in 0..from.length()? {
            self.push(from.bytes()?);
        }
        Ok(())
    }
}

impl Resumable for String {
    fn save(&self, out: &mut Writer<'_>) {
        out.text(self);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        *self = from.text()?;
        Ok(())
    }
}

/// What a kept result is of. It is used only for a subject with an equal identity.
///
/// As text ([`fmt::Display`]) it stands in the rows of tables, with the first
/// 16 digits of each hash.
///
/// # Examples
///
/// ```
/// use nimrule_limits::checkpoint::{Identity, Part};
///
/// let of = Identity::new("atlas", "1.2.3", 2).with(Part::Convention, "normal");
/// let text = "kind: atlas; convention: normal; nimrule: 1.2.3; semantics: 2";
/// assert_eq!(of.to_string(), text);
/// assert_eq!(of.check_text(text), Ok(()));
/// let unfit = of.with(Part::Convention, "misere").check_text(text).unwrap_err();
/// assert_eq!(unfit.to_string(), "it is for normal play and not of misere play");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The order in which two identities are compared.
    parts: Vec<(Part, String)>,
}

/// A part of an [`Identity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The kind of file, such as `checkpoint` or `proof`.
    Kind,
    /// The name of the game.
    Game,
    /// The hash of the rule.
    Rule,
    /// The values of the parameters, such as `n=6 k=2`.
    Parameters,
    /// The heaps of the position.
    Heaps,
    /// `normal` or `misere`.
    Convention,
    /// The question and the form of its answer.
    Question,
    /// The largest size of each heap.
    Box,
    /// The name of the engine.
    Engine,
    /// The version of the package: versions differ in the state they save.
    Program,
    /// The version of the language's semantics.
    Semantics,
    /// The version of the state that the engine saves.
    State,
    /// The hash of the claims that it is about.
    Claims,
}

impl Part {
    /// In the order of the numbers by which files name them.
    const ALL: [Part; 13] = [
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
        Part::State,
        Part::Claims,
    ];

    /// The name of the part in a text.
    fn name(self) -> &'static str {
        match self {
            Part::Kind => "kind",
            Part::Game => "game",
            Part::Rule => "rule",
            Part::Parameters => "parameters",
            Part::Heaps => "heaps",
            Part::Convention => "convention",
            Part::Question => "question",
            Part::Box => "box",
            Part::Engine => "engine",
            Part::Program => "nimrule",
            Part::Semantics => "semantics",
            Part::State => "state",
            Part::Claims => "claims",
        }
    }
}

/// The first part in which the identity of a file differs from the expected
/// one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The part that differs.
    pub part: Part,
    /// Its value in the file.
    pub in_file: String,
    /// Its expected value.
    pub expected: String,
}

/// The reason why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The file does not begin with the magic bytes.
    #[error("it is not a file of this kind")]
    Foreign,
    /// The checksum is wrong.
    #[error("it is damaged: the checksum does not match")]
    Damaged,
    /// The version of the format is not supported.
    #[error("its format version is {found}, and this program reads version {known}")]
    Format {
        /// The version of the file.
        found: u64,
        /// The supported version.
        known: u64,
    },
    /// The file has another subject.
    #[error("it is for {0}")]
    Other(Difference),
    /// The checksum is right, but the state does not have the expected shape.
    #[error("unexpected content: {0}")]
    Meaning(&'static str),
    /// The file ends early, or reading failed.
    #[error("it cannot be read")]
    Unread,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            part,
            in_file: there,
            expected: here,
        } = self;
        match part {
            Part::Kind => write!(f, "another kind of file, a {there} and not a {here}"),
            Part::Game => write!(f, "another game: `{there}` and not `{here}`"),
            Part::Rule => write!(f, "another rule, or an earlier version of this one"),
            Part::Claims => write!(f, "other claims about this rule"),
            Part::Program => write!(f, "nimrule {there}, and this is nimrule {here}"),
            Part::Semantics => write!(
                f,
                "version {there} of the semantics of rules, and this is version {here}"
            ),
            Part::State if there.is_empty() => {
                write!(f, "an earlier version of the state of this engine")
            }
            Part::State => write!(
                f,
                "version {there} of the state of this engine, and this is version {here}"
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

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts.iter().filter(|(_, value)| !value.is_empty());
        for (number, (part, value)) in parts.enumerate() {
            let between = if number > 0 { "; " } else { "" };
            let value = match part {
                Part::Rule | Part::Claims => value.get(..DIGITS_OF_HASH).unwrap_or(value),
                _ => value,
            };
            write!(f, "{between}{}: {value}", part.name())?;
        }
        Ok(())
    }
}

/// The digits of a hash in a text.
const DIGITS_OF_HASH: usize = 16;

impl Identity {
    /// The identity of a file of a kind (`checkpoint` or `proof`), with the
    /// versions of the package and of the language's semantics.
    pub fn new(kind: &str, program: &str, semantics: u32) -> Identity {
        let parts = [(Part::Kind, kind), (Part::Program, program)];
        let parts = parts.map(|(part, value)| (part, value.to_owned()));
        let mut identity = Identity {
            parts: parts.into(),
        };
        identity.put(Part::Semantics, semantics.to_string());
        identity
    }

    /// This identity with one more part. The versions stay last, because
    /// another rule is a more helpful reason than another version.
    #[must_use]
    pub fn with(mut self, part: Part, value: impl Into<String>) -> Identity {
        self.put(part, value.into());
        self
    }

    fn put(&mut self, part: Part, value: String) {
        let rank = |part: Part| matches!(part, Part::Program | Part::Semantics | Part::State);
        self.parts.retain(|(of, _)| *of != part);
        self.parts.push((part, value));
        self.parts.sort_by_key(|(part, _)| rank(*part));
    }

    /// The BLAKE3 hash of all parts, in hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut out = Writer {
            put: &mut |_| {},
            hasher: blake3::Hasher::new(),
        };
        self.save(&mut out);
        out.hasher.finalize().to_hex().to_string()
    }

    /// The first part in which the identity of a file differs from this one.
    fn difference(&self, in_file: &Identity) -> Option<Difference> {
        let find = |of: &Identity, part: Part| {
            let mut parts = of.parts.iter();
            parts.find_map(|(at, value)| (*at == part).then(|| value.clone()))
        };
        let parts = self.parts.iter().chain(&in_file.parts);
        parts.map(|(part, _)| *part).find_map(|part| {
            let (expected, in_file) = (find(self, part), find(in_file, part));
            (expected != in_file).then(|| Difference {
                part,
                in_file: in_file.unwrap_or_default(),
                expected: expected.unwrap_or_default(),
            })
        })
    }

    /// Compares with an identity that was written as text.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Other`] with the first difference, and [`CheckpointError::Meaning`] if
    /// the text is not that of an identity.
    pub fn check_text(&self, written: &str) -> Result<(), CheckpointError> {
        let own = self.to_string();
        if written == own {
            return Ok(());
        }
        let read = |text: &str| {
            let parts = text.split("; ").map(|part| {
                let (name, value) = part.split_once(": ")?;
                let part = Part::ALL.into_iter().find(|part| part.name() == name)?;
                Some((part, value.to_owned()))
            });
            let parts = parts.collect::<Option<_>>();
            let parts = parts.ok_or(CheckpointError::Meaning("an identity"))?;
            Ok(Identity { parts })
        };
        Err(match read(&own)?.difference(&read(written)?) {
            Some(difference) => CheckpointError::Other(difference),
            None => CheckpointError::Meaning("an identity"),
        })
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.number(self.parts.len() as u64);
        for (part, value) in &self.parts {
            let code = Part::ALL.iter().position(|known| known == part);
            out.number(code.unwrap_or(Part::ALL.len()) as u64);
            out.text(value);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Identity, CheckpointError> {
        let mut parts = Vec::new();
        for _ in 0..from.length()? {
            let code = from.length()?;
            let part = Part::ALL
                .get(code)
                .ok_or(CheckpointError::Meaning("a part"))?;
            parts.push((*part, from.text()?));
        }
        Ok(Identity { parts })
    }
}

/// The BLAKE3 hash of a rule's text, and of the names and contents of the
/// files that it reads.
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

/// Writes a file with named sections, in pieces passed to `put`.
pub fn save(identity: &Identity, sections: &[(&str, &dyn Resumable)], put: &mut dyn FnMut(&[u8])) {
    let mut out = Writer {
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

/// Checks the magic bytes and the checksum of a file of `length` bytes.
///
/// `get` reads the file sequentially from its start: it fills the buffer, and
/// returns whether it could.
///
/// # Errors
///
/// [`CheckpointError::Foreign`], [`CheckpointError::Damaged`] or [`CheckpointError::Unread`].
pub fn verify(length: u64, get: &mut dyn FnMut(&mut [u8]) -> bool) -> Result<(), CheckpointError> {
    let mut hasher = blake3::Hasher::new();
    let body = length
        .checked_sub(CHECKSUM as u64)
        .filter(|body| *body >= MAGIC.len() as u64)
        .ok_or(CheckpointError::Foreign)?;
    let mut magic = [0; MAGIC.len()];
    if !get(&mut magic) {
        return Err(CheckpointError::Unread);
    }
    if magic != *MAGIC {
        return Err(CheckpointError::Foreign);
    }
    hasher.update(&magic);
    let mut left = body - MAGIC.len() as u64;
    let mut room = vec![0; 1 << 16];
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(usize::MAX).min(room.len());
        if !get(&mut room[..now]) {
            return Err(CheckpointError::Unread);
        }
        hasher.update(&room[..now]);
        left -= now as u64;
    }
    let mut checksum = [0; CHECKSUM];
    if !get(&mut checksum) {
        return Err(CheckpointError::Unread);
    }
    if hasher.finalize() != checksum {
        return Err(CheckpointError::Damaged);
    }
    Ok(())
}

/// Restores the named sections from a file that [`verify`] accepted.
///
/// `get` reads the file sequentially from its start, as in [`verify`].
///
/// # Errors
///
/// [`CheckpointError::Format`], [`CheckpointError::Other`] if the identities differ, and
/// [`CheckpointError::Meaning`] if the sections have other names or states of another
/// shape. Some sections may be restored by then.
pub fn restore(
    identity: &Identity,
    sections: &mut [(&str, &mut dyn Resumable)],
    get: &mut dyn FnMut(&mut [u8]) -> bool,
) -> Result<(), CheckpointError> {
    let mut from = Reader { get };
    let mut magic = [0; MAGIC.len()];
    from.raw(&mut magic)?;
    let found = from.number()?;
    if found != FORMAT {
        return Err(CheckpointError::Format {
            found,
            known: FORMAT,
        });
    }
    if let Some(difference) = identity.difference(&Identity::read(&mut from)?) {
        return Err(CheckpointError::Other(difference));
    }
    for (name, section) in sections {
        if from.number()? != SECTION || from.text()? != *name {
            return Err(CheckpointError::Meaning("another section"));
        }
        section.restore(&mut from)?;
    }
    if from.number()? != END {
        return Err(CheckpointError::Meaning("more sections"));
    }
    Ok(())
}

/// The state of an object by itself, without the file around it.
pub fn state_of(object: &(impl Resumable + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = Writer {
        put: &mut |piece| bytes.extend_from_slice(piece),
        hasher: blake3::Hasher::new(),
    };
    object.save(&mut out);
    bytes
}

/// Reads bytes sequentially, like a file; those that it has read are gone from the slice.
pub fn reader(bytes: &mut &[u8]) -> impl FnMut(&mut [u8]) -> bool {
    move |into| match bytes.split_at_checked(into.len()) {
        Some((these, others)) => {
            into.copy_from_slice(these);
            *bytes = others;
            true
        }
        None => false,
    }
}

/// Reads a state that [`state_of`] returned.
///
/// # Errors
///
/// Those of `read`, and if it leaves bytes.
pub fn read_state(
    mut state: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<(), CheckpointError>,
) -> Result<(), CheckpointError> {
    let mut get = reader(&mut state);
    read(&mut Reader { get: &mut get })?;
    drop(get);
    match state.is_empty() {
        true => Ok(()),
        false => Err(CheckpointError::Meaning("a longer state")),
    }
}

/// The writer of a file's sections.
pub struct Writer<'w> {
    put: &'w mut dyn FnMut(&[u8]),
    hasher: blake3::Hasher,
}

impl Writer<'_> {
    fn raw(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        (self.put)(bytes);
    }

    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// Writes bytes after their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Writes a text, as its bytes in UTF-8.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes words after their number.
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

/// Words that are converted to bytes at a time.
const PIECE: usize = 1 << 12;

/// The reader of a file's sections. Each method fails with [`CheckpointError::Unread`]
/// if the file ends early, and with [`CheckpointError::Meaning`] if the value read has
/// another shape.
pub struct Reader<'r> {
    get: &'r mut dyn FnMut(&mut [u8]) -> bool,
}

impl Reader<'_> {
    fn raw(&mut self, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        if (self.get)(bytes) {
            Ok(())
        } else {
            Err(CheckpointError::Unread)
        }
    }

    /// Reads a number.
    pub fn number(&mut self) -> Result<u64, CheckpointError> {
        let mut bytes = [0; 8];
        self.raw(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads bytes.
    pub fn bytes(&mut self) -> Result<Vec<u8>, CheckpointError> {
        let mut left = self.length()?;
        let mut bytes = Vec::new();
        // Grows piece by piece: the length may be wrong, and is not allocated
        // before the bytes are read.
        while left > 0 {
            let now = left.min(8 * PIECE);
            let from = bytes.len();
            bytes.resize(from + now, 0);
            self.raw(&mut bytes[from..])?;
            left -= now;
        }
        Ok(bytes)
    }

    /// Reads a text.
    pub fn text(&mut self) -> Result<String, CheckpointError> {
        String::from_utf8(self.bytes()?).map_err(|_| CheckpointError::Meaning("a text"))
    }

    /// Reads words into a slice, whose length must be the saved one.
    pub fn words(&mut self, into: &mut [u64]) -> Result<(), CheckpointError> {
        if self.length()? != into.len() {
            return Err(CheckpointError::Meaning("a state of another size"));
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

    /// Reads words of any number.
    pub fn list(&mut self) -> Result<Vec<u64>, CheckpointError> {
        let length = self.length()?;
        let mut words = Vec::new();
        for _ in 0..length {
            words.push(self.number()?);
        }
        Ok(words)
    }

    fn length(&mut self) -> Result<usize, CheckpointError> {
        usize::try_from(self.number()?).map_err(|_| CheckpointError::Meaning("a length"))
    }
}
