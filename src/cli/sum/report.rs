//! The report of a sum, as text, JSON, CSV and LaTeX.

use crate::cli::load;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{json, latex, partizan, solve};
use nimrule_answer::sum::{
    Component, ComponentAnswer, ComponentMove, ComponentValue, Compound, Foreclosed, SumAnswer,
    SumMove,
};
use nimrule_answer::{Basis, Extent, Position, words};
use nimrule_engine::Outcome;
use nimrule_model::game::{Convention, Game};
use serde_json::{Value, json};
use std::io::{Result, Write};
use std::time::Duration;

pub struct Report<'a, 's, 'g> {
    pub components: &'a [Component<'s, 'g>],
    pub compound: Compound,
    pub convention: Convention,
    pub answer: &'a SumAnswer,
    pub took: Duration,
}

impl Report<'_, '_, '_> {
    /// The game of a move in a component.
    fn game(&self, made: &ComponentMove) -> &Game {
        self.components[made.component].session.game()
    }

    /// The component of a move of a compound in which a move changes one.
    fn only<'m>(&self, made: &'m SumMove) -> Option<&'m ComponentMove> {
        match made.parts.as_slice() {
            [only] if !self.compound.is_joint() || self.components.len() == 1 => Some(only),
            _ => None,
        }
    }

    /// The positions of the components after a move.
    fn after<'m>(&'m self, made: &'m SumMove) -> Vec<(&'m Game, &'m Position)> {
        let mut after: Vec<_> = (self.components.iter())
            .map(|part| (part.session.game(), &part.position))
            .collect();
        for part in &made.parts {
            after[part.component].1 = &part.to;
        }
        after
    }

    /// The position of a move as text: that of the component, or all of them.
    fn shown(&self, made: &SumMove) -> String {
        match self.only(made) {
            Some(only) => words::position(self.game(only), &only.to),
            None => {
                let after = self.after(made).into_iter();
                let shown: Vec<String> =
                    after.map(|(game, to)| words::position(game, to)).collect();
                format!("({})", shown.join(", "))
            }
        }
    }

    /// What a move changes, as text.
    fn change(&self, made: &SumMove) -> String {
        let change = |part: &ComponentMove| {
            let from = &self.components[part.component].position;
            words::change(self.game(part), from, &part.to)
        };
        match self.only(made) {
            Some(only) => change(only),
            None => {
                let parts = made.parts.iter();
                let changes: Vec<String> = parts
                    .map(|part| format!("{}: {}", part.component, change(part)))
                    .collect();
                changes.join("; ")
            }
        }
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
        all.insert("compound".into(), json!(self.compound.word()));
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

    fn as_json(&self, made: &SumMove) -> Value {
        let position = nimrule_answer::json::position;
        match self.only(made) {
            Some(only) => {
                json!({"component": only.component, "to": position(self.game(only), &only.to)})
            }
            None => {
                let components: Vec<usize> = made.parts.iter().map(|part| part.component).collect();
                let after = self.after(made).into_iter();
                let to: Vec<Value> = after.map(|(game, to)| position(game, to)).collect();
                json!({"components": components, "to": to})
            }
        }
    }

    /// The component and the position of a move in CSV; for a move in several components
    /// all of these, and all positions.
    fn columns(&self, made: &SumMove) -> [String; 2] {
        match self.only(made) {
            Some(only) => [only.component.to_string(), only.to.shown(self.game(only))],
            None => {
                let parts = made.parts.iter();
                let moved: Vec<String> = parts.map(|part| part.component.to_string()).collect();
                let after = self.after(made).into_iter();
                let to: Vec<String> = after.map(|(game, to)| to.shown(game)).collect();
                [moved.join(" "), format!("({})", to.join(", "))]
            }
        }
    }

    pub fn csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut rows = csv::Writer::from_writer(out);
        let mut write = || -> std::result::Result<(), csv::Error> {
            if let Some(turns) = &self.answer.by_side {
                rows.write_record(["side", "component", "to", "length"])?;
                for (side, turn) in turns.each() {
                    for (made, moves) in &turn.moves {
                        let [component, to] = self.columns(made);
                        rows.write_record([
                            side.map_or("", |side| side.word()),
                            &component,
                            &to,
                            &moves.map_or_else(String::new, |moves| moves.to_string()),
                        ])?;
                    }
                }
                return Ok(rows.flush()?);
            }
            rows.write_record(["component", "to"])?;
            for found in &self.answer.winning_moves {
                rows.write_record(self.columns(found))?;
            }
            Ok(rows.flush()?)
        };
        write().map_err(load::writing)
    }

    /// The components with what they contribute, the outcome and the winning moves.
    pub fn latex(&self, out: &mut dyn Write) -> Result<()> {
        let answer = self.answer;
        let rows: Vec<Vec<String>> = (self.components.iter().zip(&answer.parts).enumerate())
            .map(|(number, (component, part))| {
                let game = component.session.game();
                let value = match (part.grundy, &part.value) {
                    (Some(grundy), _) => format!("Grundy value {grundy}"),
                    (None, Some(value)) => value_in_words(value),
                    (None, None) => String::new(),
                };
                let position = words::position(game, &component.position);
                vec![number.to_string(), game.heading(), position, value]
            })
            .collect();
        let mut shown = latex::titled(&format!("The {}", self.compound.noun()), "a sum of games");
        shown.push_str(&format!(
            "{}\nThe {} is {}{}.\n",
            latex::table("rlll", &["component", "game", "position", "value"], &rows),
            self.compound.noun(),
            latex::headline(answer.outcome, answer.by_side.as_ref()),
            latex::play(self.convention)
        ));
        if let Some(grundy) = answer.grundy {
            shown.push_str(&format!("Its Grundy value is ${grundy}$.\n"));
        }
        if let Some(turns) = &answer.by_side {
            shown.push_str(&latex::by_side(turns, &|made| {
                [self.shown(made), self.change(made)]
            }));
        } else if answer.outcome == Outcome::N {
            let rows: Vec<Vec<String>> = (answer.winning_moves.iter())
                .map(|made| {
                    let [component, _] = self.columns(made);
                    vec![component, self.shown(made), self.change(made)]
                })
                .collect();
            let columns = ["component", "option", "move"];
            shown.push_str(&latex::winning_moves(&columns, &rows, &answer.extent));
        }
        if let Some(basis @ (Basis::Claim { .. } | Basis::Theorem { .. })) = &answer.basis {
            let rests = format!(
                "The answer rests on {}, {}.",
                words::basis(basis),
                words::extent(basis)
            );
            shown.push_str(&latex::paragraph(&rests));
        }
        write!(out, "{shown}")
    }

    pub fn text(&self, out: &mut dyn Write) -> Result<()> {
        let answer = self.answer;
        let mut shown = match self.components.len() {
            1 if self.compound == Compound::Disjunctive => {
                format!("{STRONG}A sum of one game{STRONG:#}\n")
            }
            1 => format!(
                "{STRONG}The {} of one game{STRONG:#}\n",
                self.compound.noun()
            ),
            many => format!(
                "{STRONG}The {} of {many} games{STRONG:#}\n",
                self.compound.noun()
            ),
        };
        for number in 0..self.components.len() {
            shown.push_str(&self.part(number));
        }
        let play = words::play(self.convention);
        let who = words::headline(answer.outcome, answer.by_side.as_ref());
        shown.push_str(&format!("\n  {STRONG}{who}{STRONG:#}{play}\n"));
        if let Some(grundy) = answer.grundy {
            shown.push_str(&format!("  Grundy value {grundy}\n"));
        }
        if let Some(turns) = &answer.by_side {
            let turns = partizan::in_text_with(turns, &|made| {
                let to = self.shown(made);
                let to = match self.only(made) {
                    Some(only) => format!("{}: {to}", only.component),
                    None => to,
                };
                (to, self.change(made))
            });
            // A game with blocking is the only component.
            let game = self.components[0].session.game();
            shown.push_str(&partizan::blocking(game, turns));
        } else if answer.outcome == Outcome::N {
            shown.push_str(&self.moves());
        }
        let how = match (answer.method, &answer.grundy, &answer.basis) {
            ("remoteness", ..) => "by the least remoteness of the components".to_owned(),
            ("suspense", ..) => "by the largest suspense number of the components".to_owned(),
            ("foreclosed", ..) => "by the foreclosed values of the components".to_owned(),
            ("outcomes", ..) => "by the outcomes of the components".to_owned(),
            (_, None, Some(basis @ (Basis::Proof(_) | Basis::Theorem { .. }))) => {
                format!("by {}", words::basis(basis))
            }
            (_, Some(_), _) => "by the nim-sum of the components' values".to_owned(),
            // A compound of one game is answered as the game itself.
            (_, None, None)
                if let [only] = answer.parts.as_slice()
                    && let Some(basis) = &only.basis =>
            {
                format!("by {}", words::basis(basis))
            }
            (_, None, _) => format!(
                "by a search of the positions of the {}",
                self.compound.noun()
            ),
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
            text::wrapped(&game.heading(), 73, 5),
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
        if let Some(value) = &part.value {
            let mut words = value_in_words(value);
            if let Some(basis) = &part.basis {
                words.push_str(&format!(", by {}", words::basis(basis)));
                if !basis.extent().is_empty() && !matches!(basis, Basis::Proof(_)) {
                    words.push_str(&format!(", which {}", basis.extent()));
                }
            }
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
        if self.compound.is_joint() && self.components.len() > 1 {
            let moves = &answer.winning_moves;
            let counted = solve::moves_counted(moves.len(), &answer.extent);
            shown.push_str(&format!("\n  {counted}\n"));
            for found in moves.iter().take(solve::MOVES_SHOWN) {
                shown.push_str(&text::option_line(&self.shown(found), &self.change(found)));
            }
            return shown;
        }
        for number in 0..self.components.len() {
            let all = answer.winning_moves.iter();
            let moves: Vec<&SumMove> = all
                .filter(|made| self.only(made).is_some_and(|only| only.component == number))
                .collect();
            shown.push_str(&format!(
                "\n  {} in component {number}\n",
                solve::moves_counted(moves.len(), &answer.extent)
            ));
            for found in moves.into_iter().take(solve::MOVES_SHOWN) {
                shown.push_str(&text::option_line(&self.shown(found), &self.change(found)));
            }
        }
        shown
    }
}

/// What decides a compound, of one component, as text.
fn value_in_words(value: &ComponentValue) -> String {
    match value {
        ComponentValue::Remoteness(number) => format!("remoteness {number}"),
        ComponentValue::Suspense(number) => format!("suspense number {number}"),
        ComponentValue::Foreclosed(Foreclosed::Value(number)) => {
            format!("foreclosed value {number}")
        }
        ComponentValue::Foreclosed(Foreclosed::Immediate) => "a move ends it".to_owned(),
        ComponentValue::Foreclosed(Foreclosed::Ended) => "it has ended".to_owned(),
        ComponentValue::Outcomes(known) if known.is_empty() => "it has ended".to_owned(),
        ComponentValue::Outcomes(known) => {
            let each = known.iter().map(|(convention, outcome)| {
                format!("{outcome}-position{}", words::play(*convention))
            });
            each.collect::<Vec<_>>().join(" and ")
        }
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
    match &part.value {
        None => {}
        Some(ComponentValue::Remoteness(number)) => {
            fields.insert("remoteness".into(), json!(number));
        }
        Some(ComponentValue::Suspense(number)) => {
            fields.insert("suspense".into(), json!(number));
        }
        Some(ComponentValue::Foreclosed(value)) => {
            let shown = match value {
                Foreclosed::Value(number) => json!(number),
                Foreclosed::Immediate => json!("wins"),
                Foreclosed::Ended => json!("ended"),
            };
            fields.insert("foreclosed".into(), shown);
        }
        Some(ComponentValue::Outcomes(known)) => {
            for (convention, outcome) in known {
                let name = match convention {
                    Convention::Normal => "outcome",
                    Convention::Misere => "misere_outcome",
                };
                fields.insert(name.into(), json!(outcome.to_string()));
            }
        }
    }
    fields.into()
}
