//! Where text comes from, and places in it.

use std::fmt;

/// A stretch of a source's text: a byte offset and a length in bytes.
pub type Span = miette::SourceSpan;

/// A rule file's text with the name it is reported under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The text of `span`, with comments left out and white space folded, as
    /// a report quotes it on one line.
    pub fn quote(&self, span: Span) -> String {
        quote(&self.text, span)
    }
}

/// The text of `span` in `text` on one line, without comments.
pub fn quote(text: &str, span: Span) -> String {
    let end = (span.offset() + span.len()).min(text.len());
    let words = text[span.offset().min(end)..end]
        .lines()
        .flat_map(|line| {
            line.split("//")
                .next()
                .unwrap_or_default()
                .split_whitespace()
        })
        .collect::<Vec<_>>();
    words.join(" ")
}

/// The smallest span that covers both.
pub fn join(first: Span, last: Span) -> Span {
    let start = first.offset().min(last.offset());
    let end = (first.offset() + first.len()).max(last.offset() + last.len());
    (start, end - start).into()
}

/// A value with the place in the text where it was written. Equality and
/// hashing look at the value alone, so that two texts that say the same are
/// equal however they are laid out.
#[derive(Clone)]
pub struct Spanned<T> {
    pub node: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    pub fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }
}

/// What was derived and stands nowhere in the text: an empty span at its start.
impl<T> From<T> for Spanned<T> {
    fn from(node: T) -> Spanned<T> {
        Spanned::new(node, (0, 0).into())
    }
}

impl<T> std::ops::Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.node
    }
}

impl<T> std::ops::DerefMut for Spanned<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.node
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: fmt::Debug> fmt::Debug for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// How a rule file's `from "file"` is read. The core does no input of its own:
/// the caller hands in what reading means.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;
