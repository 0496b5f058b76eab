//! Places in a text as editors count them: lines and UTF-16 code units, both from 0.

/// The line breaks of a text.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The offset at which each line begins.
    starts: Vec<usize>,
}

/// A place as editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 0.
    pub line: u32,
    /// The UTF-16 code units before it in the line.
    pub column: u32,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Lines {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines {
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// The place of an offset in bytes. An offset within a character counts as its start,
    /// one beyond the text as its end.
    pub fn place(&self, text: &str, offset: usize) -> Place {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = text[self.starts[line]..offset].encode_utf16().count();
        Place {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The offset in bytes of a place. A column beyond its line counts as the end of the
    /// line, a line beyond the text as the end of the text.
    pub fn offset(&self, text: &str, place: Place) -> usize {
        let line = place.line as usize;
        let Some(&start) = self.starts.get(line) else {
            return text.len();
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(text.len(), |next| next - 1);
        let mut units = 0;
        for (at, letter) in text[start..end].char_indices() {
            if units >= place.column as usize {
                return start + at;
            }
            units += letter.len_utf16();
        }
        end
    }
}
