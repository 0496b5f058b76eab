//! Source texts and spans.

use std::fmt;

/// A range of a source's text: a byte offset and a length in bytes.
pub type Span = miette::SourceSpan;

/// The text of a rule file, and the name by which errors refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the file, or another name for the text.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source with a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The text of `span` on one line: without comments, with runs of white
    /// space replaced by one space.
    pub fn quote(&self, span: Span) -> String {
        quote(&self.text, span)
    }

    /// The line and the column, in letters, of a byte offset, both from 1.
    ///
    /// ```
    /// let source = nimrule_model::source::Source::new("a.nimrule", "game ä\nheaps a");
    /// assert_eq!(source.line_and_column(14), (2, 7));
    /// ```
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// The text of `span` in `text` on one line: without comments, with runs of
/// white space replaced by one space.
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

/// The smallest span that covers two spans.
pub fn join(first: Span, last: Span) -> Span {
    let start = first.offset().min(last.offset());
    let end = (first.offset() + first.len()).max(last.offset() + last.len());
    (start, end - start).into()
}

/// A value with its span in the source text. Equality ignores the span, so that
/// texts that differ only in layout have equal trees.
#[derive(Clone)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// Its place in the text.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value with its span.
    pub fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }
}

/// A derived value, which does not occur in the text, has an empty span at
/// offset 0.
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

/// A callback that reads the file of a `from "file"` clause. The library itself
/// does no input or output.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;
