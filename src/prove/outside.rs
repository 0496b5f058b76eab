//! What cannot be decided, and the word that is to blame.

use crate::source::Span;

/// Something that leaves what can be decided, while its place is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaves {
    /// The word of the language, as it is written; empty where no single word
    /// is to blame.
    pub word: String,
    pub why: String,
}

impl Leaves {
    pub fn new(word: &str, why: &str) -> Leaves {
        Leaves {
            word: word.to_owned(),
            why: why.to_owned(),
        }
    }

    /// The same, with the claim or the move that it stands in.
    pub fn within(self, span: Span) -> Outside {
        Outside {
            blamed: vec![Blamed {
                within: span,
                word: self.word,
            }],
            why: self.why,
        }
    }
}

/// A claim outside of what can be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The words to underline: one, or the two that do not go together.
    pub blamed: Vec<Blamed>,
    pub why: String,
}

/// A word of a claim or a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// The claim or the move.
    pub within: Span,
    /// What to look for in it; all of it, where this is empty.
    pub word: String,
}

impl Blamed {
    /// The place of the word in the rule's text: its first occurrence as a
    /// whole word, outside of comments.
    pub fn span(&self, text: &str) -> Span {
        let start = self.within.offset().min(text.len());
        let end = (start + self.within.len()).min(text.len());
        if self.word.is_empty() {
            return self.within;
        }
        let stretch = &text[start..end];
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let wordy = self.word.chars().all(is_part);
        for (at, _) in stretch.match_indices(&self.word) {
            let before = stretch[..at].chars().next_back();
            let behind = stretch[at + self.word.len()..].chars().next();
            let whole = !wordy || !(before.is_some_and(is_part) || behind.is_some_and(is_part));
            let line = stretch[..at].rfind('\n').map_or(0, |newline| newline + 1);
            if whole && !stretch[line..at].contains("//") {
                return (start + at, self.word.len()).into();
            }
        }
        self.within
    }
}
