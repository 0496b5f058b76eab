//! What the page's editor asks of a text.

use crate::gallery;
use crate::messages::{
    Checked, Completion, Completions, Edit, Fault, Finding, Heading, Hover, Renamed, Span, Words,
};
use nimrule_editor::{CompletionKind, Document, Replacement, SymbolKind};
use nimrule_syntax::words::{Role, WORDS};
use std::ops::Range;

/// A text with the offsets of its code units.
pub struct Units<'t>(pub &'t str);

impl Units<'_> {
    /// The code units before a byte.
    pub fn of(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.0.len());
        while !self.0.is_char_boundary(byte) {
            byte -= 1;
        }
        self.0[..byte].encode_utf16().count()
    }

    /// The byte at which a code unit begins.
    fn byte(&self, unit: usize) -> usize {
        let mut units = 0;
        for (byte, letter) in self.0.char_indices() {
            if units >= unit {
                return byte;
            }
            units += letter.len_utf16();
        }
        self.0.len()
    }

    /// A range of bytes in code units.
    pub fn span(&self, at: &Range<usize>) -> Span {
        Span {
            from: self.of(at.start),
            to: self.of(at.end),
        }
    }

    fn edit(&self, replacement: &Replacement) -> Edit {
        let start = replacement.at.offset();
        Edit {
            at: self.span(&(start..start + replacement.at.len())),
            with: replacement.with.clone(),
        }
    }
}

fn document(text: &str) -> Document {
    Document::new(text, &gallery::read)
}

/// The errors, warnings and outline of a text.
pub fn check(text: &str) -> Checked {
    let (document, units) = (document(text), Units(text));
    Checked {
        findings: findings(&document, &units),
        outline: document
            .symbols()
            .iter()
            .map(|symbol| Heading {
                name: symbol.name.clone(),
                kind: kind(symbol.kind).to_owned(),
                at: units.span(&symbol.at),
            })
            .collect(),
        is_rule: document.game().is_some(),
    }
}

/// The errors and warnings of a text.
pub fn findings(document: &Document, units: &Units<'_>) -> Vec<Finding> {
    let found = document.findings().iter();
    found
        .map(|finding| Finding {
            at: units.span(&finding.at),
            message: finding.message.clone(),
            help: finding.help.clone(),
            code: finding.code.clone(),
            is_warning: finding.is_warning,
            fix: finding.replacement.as_ref().map(|fix| units.edit(fix)),
        })
        .collect()
}

fn kind(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Game => "game",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Board => "board",
        SymbolKind::Heap => "heaps",
        SymbolKind::Family => "family",
        SymbolKind::Move => "move",
        SymbolKind::Claim => "claim",
        SymbolKind::Example => "example",
    }
}

/// What the word at a place means.
pub fn hover(text: &str, at: usize) -> Option<Hover> {
    let units = Units(text);
    let hover = document(text).hover(units.byte(at))?;
    Some(Hover {
        at: units.span(&hover.at),
        text: hover.text,
    })
}

/// What may be typed at a place.
pub fn complete(text: &str, at: usize) -> Completions {
    let units = Units(text);
    let (range, found) = document(text).completions(units.byte(at));
    Completions {
        at: units.span(&range),
        list: found
            .into_iter()
            .map(|one| Completion {
                word: one.word,
                kind: match one.kind {
                    CompletionKind::Keyword => "keyword",
                    CompletionKind::Name => "name",
                    CompletionKind::Board => "board",
                }
                .to_owned(),
                meaning: one.meaning,
            })
            .collect(),
    }
}

/// The places of the name at a place or, with another name, the edits that rename it.
pub fn rename(text: &str, at: usize, to: Option<&str>) -> Result<Renamed, Fault> {
    let (document, units) = (document(text), Units(text));
    let byte = units.byte(at);
    let Some(place) = document.renamable(byte) else {
        return Err(Fault::of("there is no name of this file here"));
    };
    let edits = match to {
        Some(to) => document.rename(byte, to).map_err(Fault::of)?,
        None => Vec::new(),
    };
    Ok(Renamed {
        name: text[place].to_owned(),
        edits: edits.iter().map(|edit| units.edit(edit)).collect(),
    })
}

/// The text in its standard layout; `None` if it has syntax errors.
pub fn format(text: &str) -> Option<String> {
    document(text).formatted()
}

/// The words of the language.
pub fn words() -> Words {
    let spelled = |is_statement: bool| {
        let words = WORDS.iter();
        let words = words.filter(|word| (word.role == Role::Statement) == is_statement);
        let words = words.map(|word| word.spelling.to_owned());
        words
            .filter(|word| word.chars().all(char::is_alphabetic))
            .collect()
    };
    Words {
        statements: spelled(true),
        others: spelled(false),
    }
}
