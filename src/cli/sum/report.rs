//! The report of a sum, as text, JSON and CSV.

use crate::cli::load;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{json, partizan, solve};
use nimrule_answer::sum::{Component, ComponentAnswer, ComponentMove, SumAnswer};
use nimrule_answer::{Basis, Extent, words};
use nimrule_engine::Outcome;
use nimrule_model::game::{Convention, Game};
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::time::Duration;

pub struct Report<'a, 's, 'g> {
    pub components: &'a [Component<'s, 'g>],
    pub convention: Convention,
    pub answer: &'a SumAnswer,
    pub took: Duration,
}

impl Report<'_, '_, '_> {
    /// The game of a move.
    fn game(&self, made: &ComponentMove) -> &Game {
        self.components[made.component].session.game()
    }

    pub fn json(&self, out: &mut dyn Write) -> Result<()> {
        let answer = self.answer;
        let components: Vec<Value> = self
            .components
            .iter()
            .zip(&answer.parts)
            .map(|(component, part)| as_json(component, part))
            .collect();
        let moves: Vec<Value> = answer
            .winning_moves
            .iter()
            .map(|made| self.as_json(made))
            .collect();
        let mut all = serde_json::Map::new();
        all.insert("version".into(), json!(1));
        all.insert("convention".into(), json!(self.convention.word()));
        all.insert("components".into(), json!(components));
        all.insert("outcome".into(), json!(answer.outcome.to_string()));
        all.insert("grundy".into(), json!(answer.grundy));
        match &answer.by_side {
            None => json::winning_moves(&mut all, json!(moves), is_known(&answer.extent)),
            Some(turns) => {
                nimrule_answer::json::by_side_with(turns, &mut all, &|made| self.as_json(made))
            }
        }
        all.insert("method".into(), json!(answer.method));
        if let Some(basis) = &answer.basis {
            all.extend(json::basis(basis));
        }
        writeln!(out, "{}", Value::from(all))
    }

    fn as_json(&self, made: &ComponentMove) -> Value {
        let game = self.game(made);
        json!({"component": made.component, "to": nimrule_answer::json::position(game, &made.to)})
    }

    pub fn csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut rows = csv::Writer::from_writer(out);
        let mut write = || -> std::result::Result<(), csv::Error> {
            if let Some(turns) = &self.answer.by_side {
                rows.write_record(["side", "component", "to", "length"])?;
                for (side, turn) in turns.each() {
                    for (made, moves) in &turn.moves {
                        let game = self.game(made);
                        rows.write_record([
                            side.map_or("", |side| side.word()),
                            &made.component.to_string(),
                            &made.to.shown(game),
                            &moves.map_or_else(String::new, |moves| moves.to_string()),
                        ])?;
                    }
                }
                return Ok(rows.flush()?);
            }
            rows.write_record(["component", "to"])?;
            for found in &self.answer.winning_moves {
                let to = found.to.shown(self.game(found));
                rows.write_record([found.component.to_string(), to])?;
            }
            Ok(rows.flush()?)
        };
        write().map_err(load::writing)
    }

    pub fn text(&self, out: &mut dyn Write) -> Result<()> {
        let answer = self.answer;
        let mut shown = match self.components.len() {
            1 => format!("{STRONG}A sum of one game{STRONG:#}\n"),
            many => format!("{STRONG}The sum of {many} games{STRONG:#}\n"),
        };
        for number in 0..self.components.len() {
            shown.push_str(&self.part(number));
        }
        let play = match self.convention {
            Convention::Normal => "",
            Convention::Misere => " under misere play",
        };
        let who = words::headline(answer.outcome, answer.by_side.as_ref());
        shown.push_str(&format!("\n  {STRONG}{who}{STRONG:#}{play}\n"));
        if let Some(grundy) = answer.grundy {
            shown.push_str(&format!("  Grundy value {grundy}\n"));
        }
        if let Some(turns) = &answer.by_side {
            shown.push_str(&partizan::in_text_with(turns, &|made| {
                let position = &self.components[made.component].position;
                let to = words::position(self.game(made), &made.to);
                let change = words::change(self.game(made), position, &made.to);
                (format!("{}: {to}", made.component), change)
            }));
        } else if answer.outcome == Outcome::N {
            shown.push_str(&self.moves());
        }
        let how = match (&answer.grundy, &answer.basis) {
            (None, Some(basis @ (Basis::Proof(_) | Basis::Theorem { .. }))) => {
                format!("by {}", words::basis(basis))
            }
            (Some(_), _) => "by the nim-sum of the components' values".to_owned(),
            // A sum of one game is answered as the game itself.
            (None, None)
                if let [only] = answer.parts.as_slice()
                    && let Some(basis) = &only.basis =>
            {
                format!("by {}", words::basis(basis))
            }
            (None, _) => "by a search of the positions of the sum".to_owned(),
        };
        let how = format!("{how}, in {}", text::in_seconds(self.took));
        let how = text::wrapped(&how, 76, 2);
        shown.push_str(&format!("\n  {FAINT}{how}{FAINT:#}\n"));
        if let Some(basis @ (Basis::Claim { .. } | Basis::Theorem { .. })) = &answer.basis {
            let rests = format!(
                "No engine solves one of the components, so the answer rests on {}, {}.",
                words::basis(basis),
                words::extent(basis)
            );
            shown.push_str(&format!("  {}\n", text::wrapped(&rests, 76, 2)));
        }
        write!(out, "{shown}")
    }

    fn part(&self, number: usize) -> String {
        let component = &self.components[number];
        let part = &self.answer.parts[number];
        let game = component.session.game();
        let mut shown = format!(
            "\n  {number}  {}\n     {}\n",
            text::wrapped(&text::heading(game), 73, 5),
            words::position(game, &component.position)
        );
        if let (Some(grundy), Some(basis)) = (part.grundy, &part.basis) {
            let how = match basis {
                Basis::Engine(_) | Basis::Proof(_) => format!("by {}", words::basis(basis)),
                Basis::Theorem { .. } | Basis::Claim { .. } => {
                    format!("by {}, which {}", words::basis(basis), basis.extent())
                }
            };
            let words = format!("Grundy value {grundy}, {how}");
            shown.push_str(&format!("     {}\n", text::wrapped(&words, 73, 5)));
        }
        shown
    }

    fn moves(&self) -> String {
        let answer = self.answer;
        let mut shown = String::new();
        if answer.winning_moves.is_empty() && is_known(&answer.extent) {
            return "\n  no move is left, and the player to move wins\n".to_owned();
        }
        for (number, component) in self.components.iter().enumerate() {
            let moves: Vec<&ComponentMove> = answer
                .winning_moves
                .iter()
                .filter(|found| found.component == number)
                .collect();
            let game = component.session.game();
            shown.push_str(&format!(
                "\n  {} in component {number}\n",
                solve::moves_counted(moves.len(), &answer.extent)
            ));
            for found in moves.iter().take(solve::MOVES_SHOWN) {
                shown.push_str(&text::move_line(game, &component.position, &found.to));
            }
        }
        shown
    }
}

/// Whether the winning moves are all, or those that a proof gives.
fn is_known(extent: &Extent) -> bool {
    matches!(extent, Extent::All | Extent::OneForEachSelection)
}

fn as_json(component: &Component<'_, '_>, part: &ComponentAnswer) -> Value {
    let game = component.session.game();
    let mut fields = serde_json::Map::new();
    fields.insert("game".into(), json!(game.name));
    fields.insert("params".into(), json::params(game));
    let position = nimrule_answer::json::position(game, &component.position);
    fields.insert("position".into(), position);
    fields.insert("grundy".into(), json!(part.grundy));
    fields.insert(
        "method".into(),
        json!(part.basis.as_ref().map(Basis::method)),
    );
    if let Some(basis) = &part.basis {
        fields.extend(json::basis(basis));
    }
    fields.into()
}
