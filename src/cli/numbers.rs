//! `--numbers` and `--walnut`: numbers of a proved set, and its automaton for Walnut.

use super::certificate::{Subject, save};
use super::load::{self, Answered};
use super::text::{self, FAINT};
use super::{Format, Status};
use clap::Args;
use nimrule_answer::proof::{Dfa, NoNumbers, Proves, SetNumbers, walnut_text};
use nimrule_answer::{Session, json, words};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct NumbersArguments {
    /// Show the invariant vectors, the number of P-positions by size as a recurrence, and their
    /// growth
    #[arg(long)]
    numbers: bool,
    /// Write the automaton to this folder, as a text of Walnut
    #[arg(long, value_name = "FOLDER")]
    walnut: Option<PathBuf>,
}

/// What was asked of a set.
#[derive(Debug, Default)]
pub struct Numbers {
    numbers: Option<Result<SetNumbers, NoNumbers>>,
    walnut: Option<Result<PathBuf, NoNumbers>>,
}

impl NumbersArguments {
    /// Whether anything is asked of a set.
    pub fn is_asked(&self) -> bool {
        self.numbers || self.walnut.is_some()
    }

    /// Refuses formats that have no place for them.
    pub fn check(&self, format: Format) -> Answered<()> {
        match format {
            Format::Csv | Format::Latex if self.is_asked() => Err(load::wrong(
                "`--numbers` and `--walnut` support the formats text and json",
            )),
            _ => Ok(()),
        }
    }

    /// What was asked of a theorem about any number of heaps: it has no automaton.
    pub fn of_any_number(&self) -> Numbers {
        Numbers {
            numbers: self.numbers.then_some(Err(NoNumbers::AnyNumber)),
            walnut: self.walnut.as_ref().map(|_| Err(NoNumbers::AnyNumber)),
        }
    }

    /// Computes and writes what was asked of a proved set.
    pub fn of(
        &self,
        session: &Session<'_>,
        of: Subject<'_>,
        proves: Proves,
        set: &Dfa,
    ) -> Answered<Numbers> {
        let game = session.game();
        let limits = session.search_limits();
        let is_asked = self.numbers && proves == Proves::PPositions;
        let walnut = match &self.walnut {
            Some(folder) => Some(match walnut_text(game, proves, set, &limits) {
                Ok(text) => Ok(save(folder, game, Subject::Automaton(&of), &text)?),
                Err(why) => Err(why),
            }),
            None => None,
        };
        Ok(Numbers {
            numbers: is_asked.then(|| SetNumbers::new(game, set, &limits)),
            walnut,
        })
    }
}

impl Numbers {
    /// Lines with an indent.
    pub fn as_text(&self, indent: usize) -> String {
        let mut lines = match &self.numbers {
            Some(Ok(numbers)) => words::set_numbers(numbers),
            Some(Err(why)) => vec![format!("no numbers: {why}")],
            None => Vec::new(),
        };
        lines.extend(self.walnut.as_ref().map(|written| match written {
            Ok(path) => format!("automaton {}", path.display()),
            Err(why) => format!("no text for Walnut: {why}"),
        }));
        let margin = " ".repeat(indent);
        let lines = lines.iter().map(|line| {
            let line = text::wrapped(line, 76 - indent, indent + 2);
            format!("{margin}{FAINT}- {line}{FAINT:#}\n")
        });
        lines.collect()
    }

    /// The lines as a paragraph after a report, nothing if there are none.
    pub fn as_paragraph(&self) -> String {
        let lines = self.as_text(2);
        match lines.is_empty() {
            true => lines,
            false => format!("\n{lines}"),
        }
    }

    /// Adds the fields `numbers` and `walnut`.
    pub fn add_to(&self, fields: &mut Map<String, Value>) {
        if let Some(numbers) = &self.numbers {
            fields.insert("numbers".to_owned(), json::set_numbers(numbers));
        }
        if let Some(written) = &self.walnut {
            let path = written.as_ref().ok();
            fields.insert("walnut".to_owned(), json!(path));
        }
    }

    /// Whether a limit was exceeded.
    pub fn status(&self) -> Status {
        let exceeded = |why: &NoNumbers| matches!(why, NoNumbers::LimitExceeded(_));
        let numbers = self.numbers.as_ref().and_then(|found| found.as_ref().err());
        let walnut = self.walnut.as_ref().and_then(|found| found.as_ref().err());
        match numbers.is_some_and(exceeded) || walnut.is_some_and(exceeded) {
            true => Status::Limit,
            false => Status::Fine,
        }
    }
}
