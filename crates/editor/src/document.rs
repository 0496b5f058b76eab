//! A text that is open in an editor.

use super::expression;
use super::symbols::{Symbol, symbols};
use miette::Diagnostic;
use nimrule_analysis::{Checked, analyse};
use nimrule_elaborate::{NameUse, Settings, board_kinds, position_in};
use nimrule_model::game::{Convention, Game};
use nimrule_model::source::{ReadFile, Span};
use nimrule_syntax::ast::{File, Position, Statement, Verdict};
use nimrule_syntax::{Replacement, expected_at, is_reserved, parse, words};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text with what its analysis found.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) text: String,
    pub(crate) file: File,
    findings: Vec<Finding>,
    pub(crate) names: Vec<NameUse>,
    game: Option<Game>,
}

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its place, in bytes.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How it is corrected.
    pub help: Option<String>,
    /// Its code, which `nimrule explain` describes.
    pub code: String,
    /// Whether the rule is correct all the same.
    pub is_warning: bool,
    /// Other places that the error is about.
    pub labels: Vec<Label>,
    /// A correction that is certain enough to be offered as an edit.
    pub replacement: Option<Replacement>,
}

/// A place that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place, in bytes.
    pub at: Range<usize>,
    /// What is said of it.
    pub text: String,
}

/// What is said of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The place of the word, in bytes.
    pub at: Range<usize>,
    /// What it means, as Markdown.
    pub text: String,
}

/// What may be typed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The word.
    pub word: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What it means, as a phrase.
    pub meaning: String,
}

/// The kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A keyword of the language.
    Keyword,
    /// A name of the file.
    Name,
    /// The kind of a board.
    Board,
}

/// A claim of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The place of its statement, in bytes.
    pub at: Range<usize>,
    /// Its index in [`Rule::claims`](nimrule_model::game::Rule::claims).
    pub index: usize,
}

/// A position that stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its place, in bytes.
    pub at: Range<usize>,
    /// The position.
    pub position: Vec<u64>,
    /// The convention of play of its statement.
    pub convention: Convention,
}

impl Document {
    /// Analyses a text. `read` reads the files that the rule names, as in `from "file"`.
    pub fn new(text: &str, read: ReadFile<'_>) -> Document {
        let parsed = parse(text);
        let mut findings: Vec<Finding> = (parsed.problems.iter())
            .map(|problem| finding(problem, Some(problem.place()), false, problem.replacement()))
            .collect();
        let (mut names, mut game) = (Vec::new(), None);
        if !parsed.file.statements.is_empty() {
            let analysis = analyse(&parsed.file, text, &Settings::new(), read);
            names = analysis.names;
            let problems = match analysis.checked {
                Ok(Checked {
                    game: checked,
                    warnings,
                }) => {
                    // The game of a file with syntax errors is not the one that is meant.
                    game = parsed.problems.is_empty().then_some(checked);
                    warnings
                }
                Err(problems) => problems,
            };
            for problem in problems.iter().take(100) {
                let (place, replacement) = (problem.place(), problem.replacement());
                findings.push(finding(problem, place, problem.is_warning(), replacement));
            }
        }
        findings.sort_by_key(|found| (found.at.start, found.at.end));
        Document {
            text: text.to_owned(),
            file: parsed.file,
            findings,
            names,
            game,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The rule, if the text has no errors.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// The errors and warnings, in the order of the text.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What the word at a place means.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        if let Some(name) = self.name_at(offset) {
            let word = &self.text[range(name.at)];
            return Some(Hover {
                at: range(name.at),
                text: format!("`{word}`: {}", name.meaning),
            });
        }
        let at = token_at(&self.text, offset)?;
        let token = &self.text[at.clone()];
        let mut parts = Vec::new();
        if let Some(word) = words::find(token) {
            parts.push(format!("`{token}`: {}", word.meaning));
            parts.push(format!("Example: `{}`", word.example));
        } else if let Some((_, arguments)) = self.board_at(&at) {
            parts.push(format!("`{token}`: a board; arguments: {arguments}"));
        }
        if let Some(expr) = expression::at(&self.file, offset)
            && let Some(kind) = expression::kind(expr)
        {
            let whole = &self.text[range(expr.span)];
            if !whole.contains('\n') && whole.chars().count() <= 60 {
                parts.push(format!("`{whole}` is {kind}"));
            }
        }
        (!parts.is_empty()).then(|| Hover {
            at,
            text: parts.join("\n\n"),
        })
    }

    /// The kind of board that is named at a place, with its arguments.
    pub(crate) fn board_at(&self, at: &Range<usize>) -> Option<(&'static str, &'static str)> {
        let is_board = self.file.statements.iter().any(|statement| {
            let span = range(statement.span);
            matches!(statement.node, Statement::Board(_)) && span.contains(&at.start)
        });
        let word = &self.text[at.clone()];
        board_kinds().find(|(kind, _)| is_board && *kind == word)
    }

    /// What may be typed at a place, and the beginning of it that stands there already.
    pub fn completions(&self, offset: usize) -> (Range<usize>, Vec<Completion>) {
        let typed = self.text[..offset]
            .char_indices()
            .rev()
            .take_while(|(_, letter)| is_letter(*letter))
            .last()
            .map_or(offset, |(at, _)| at);
        let expected = expected_at(&self.text, typed);
        let mut found: Vec<Completion> = Vec::new();
        if expected.board {
            found.extend(board_kinds().map(|(kind, arguments)| Completion {
                word: kind.to_owned(),
                kind: CompletionKind::Board,
                meaning: format!("a board; arguments: {arguments}"),
            }));
        } else if expected.name {
            found.extend(self.names_before(typed));
        }
        found.extend(expected.keywords.iter().map(|word| Completion {
            word: (*word).to_owned(),
            kind: CompletionKind::Keyword,
            meaning: words::find(word).map_or_else(String::new, |word| word.meaning.to_owned()),
        }));
        (typed..offset, found)
    }

    /// The names that are bound before a place, and the heaps that the board names.
    fn names_before(&self, offset: usize) -> Vec<Completion> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let mut add = |word: &str, meaning: &str| {
            if seen.insert(word.to_owned()) {
                found.push(Completion {
                    word: word.to_owned(),
                    kind: CompletionKind::Name,
                    meaning: meaning.to_owned(),
                });
            }
        };
        for name in &self.names {
            if name.definition == Some(name.at) && name.at.offset() + name.at.len() < offset {
                add(&self.text[range(name.at)], &name.meaning);
            }
        }
        if let Some(game) = &self.game {
            for (place, name) in game.heap_names.iter().enumerate() {
                if name.chars().all(is_letter) {
                    let is_token = game.digraph_of(place).is_some();
                    add(name, if is_token { "a token" } else { "a heap" });
                }
            }
        }
        found
    }

    pub(crate) fn name_at(&self, offset: usize) -> Option<&NameUse> {
        self.names.iter().find(|name| {
            let at = range(name.at);
            at.contains(&offset) || at.end == offset
        })
    }

    /// The place where the name at a place is bound.
    pub fn definition(&self, offset: usize) -> Option<Range<usize>> {
        self.name_at(offset)?.definition.map(range)
    }

    /// The places of the name at a place, its binding first.
    pub fn uses(&self, offset: usize) -> Vec<Range<usize>> {
        let Some(definition) = self.name_at(offset).and_then(|name| name.definition) else {
            return Vec::new();
        };
        let same = self
            .names
            .iter()
            .filter(|name| name.definition == Some(definition));
        let mut places: Vec<Range<usize>> = same.map(|name| range(name.at)).collect();
        places.sort_by_key(|place| (*place != range(definition), place.start));
        places
    }

    /// The place of the name at a place, if it can be renamed.
    pub fn renamable(&self, offset: usize) -> Option<Range<usize>> {
        let name = self.name_at(offset)?;
        name.definition.map(|_| range(name.at))
    }

    /// The edits that rename the name at a place. A plural of it keeps its ending.
    ///
    /// # Errors
    ///
    /// Why it cannot be renamed, as a sentence.
    pub fn rename(&self, offset: usize, to: &str) -> Result<Vec<Replacement>, String> {
        let Some(definition) = self.name_at(offset).and_then(|name| name.definition) else {
            return Err("there is no name of this file here".to_owned());
        };
        let first = to.chars().next();
        let is_name = first.is_some_and(|letter| is_letter(letter) && !letter.is_ascii_digit())
            && to.chars().all(is_letter);
        if !is_name {
            return Err(format!(
                "`{to}` is no name: names have letters, digits and `_`"
            ));
        }
        if is_reserved(to) {
            return Err(format!("`{to}` is a keyword and cannot be a name"));
        }
        let is_bound = |name: &NameUse| &self.text[range(name.at)] == to;
        if self.names.iter().any(is_bound) {
            return Err(format!("the file has the name `{to}` already"));
        }
        let old = &self.text[range(definition)];
        let edits = self.uses(offset).into_iter().map(|place| {
            let ending = self.text[place.clone()]
                .strip_prefix(old)
                .unwrap_or_default();
            Replacement {
                with: format!("{to}{ending}"),
                at: (place.start, place.len()).into(),
            }
        });
        Ok(edits.collect())
    }

    /// The statements that an outline shows.
    pub fn symbols(&self) -> Vec<Symbol> {
        symbols(&self.text, &self.file)
    }

    /// The text in its standard layout; `None` if it has syntax errors.
    pub fn formatted(&self) -> Option<String> {
        nimrule_syntax::format(&self.text).ok()
    }

    /// The claims, in the order of the text; none if the text has errors.
    pub fn claims(&self) -> Vec<Claim> {
        if self.game.is_none() {
            return Vec::new();
        }
        let statements = self.file.statements.iter();
        let claims = statements.filter(|s| matches!(s.node, Statement::Claim(_)));
        claims
            .enumerate()
            .map(|(index, statement)| Claim {
                at: range(statement.span),
                index,
            })
            .collect()
    }

    /// The position that is written at a place, as in `example (1,2,3) is P`.
    pub fn position_at(&self, offset: usize) -> Option<Written> {
        let game = self.game.as_ref()?;
        let (written, misere) = self
            .positions()
            .into_iter()
            .find(|(position, _)| range(position.span).contains(&offset))?;
        Some(Written {
            at: range(written.span),
            position: position_in(game, written, &self.text).ok()?,
            convention: match misere {
                true => Convention::Misere,
                false => Convention::Normal,
            },
        })
    }

    /// The positions of the file, and whether their statement is about misère play.
    fn positions(&self) -> Vec<(&Position, bool)> {
        let mut found = Vec::new();
        for statement in &self.file.statements {
            match &statement.node {
                Statement::Start(position) => found.push((position, false)),
                Statement::Claim(claim) => {
                    found.extend(claim.refuted.iter().map(|at| (at, claim.misere)));
                }
                Statement::Example(example) => {
                    found.push((&example.position, example.misere));
                    if let Verdict::WinsBy { options, .. } | Verdict::Play(options) =
                        &example.verdict
                    {
                        found.extend(options.iter().map(|option| (option, example.misere)));
                    }
                }
                _ => {}
            }
        }
        found
    }
}

pub fn range(span: Span) -> Range<usize> {
    span.offset()..span.offset() + span.len()
}

/// An error as a finding. One without a place is shown at the beginning.
fn finding(
    problem: &dyn Diagnostic,
    place: Option<Span>,
    is_warning: bool,
    replacement: Option<Replacement>,
) -> Finding {
    let at = place.map_or(0..0, range);
    let labels = problem.labels().into_iter().flatten();
    let others = labels.filter(|label| Some(*label.inner()) != place);
    Finding {
        message: problem.to_string(),
        help: problem.help().map(|help| help.to_string()),
        code: problem
            .code()
            .map_or_else(String::new, |code| code.to_string()),
        is_warning,
        labels: others
            .map(|label| Label {
                at: range(*label.inner()),
                text: label.label().unwrap_or_default().to_owned(),
            })
            .collect(),
        replacement,
        at,
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The word, number or sign at a place, outside of comments and strings.
fn token_at(text: &str, offset: usize) -> Option<Range<usize>> {
    let tokens = nimrule_syntax::token_places(text);
    let found = tokens.into_iter().find(|at| at.contains(&offset))?;
    (!text[found.clone()].starts_with('"')).then_some(found)
}
