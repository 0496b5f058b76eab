//! A line of play: the outcome of each position, and which moves gave a win away.

use super::Arguments;
use crate::cli::load;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, latex, progress};
use nimrule_answer::{LineOfPlay, NoLine, Position, Session, words};
use nimrule_engine::Outcome;
use nimrule_model::game::{Convention, Game};
use serde_json::{Value, json};
use std::io::Write as _;

/// The positions of a line of play, `3,4,5 to 1,4,5`: one if there is no `to`.
pub(super) fn positions(written: &str) -> Vec<String> {
    let words: Vec<&str> = written.split_whitespace().collect();
    let positions = words.split(|word| *word == "to");
    positions.map(|words| words.join(" ")).collect()
}

pub(super) fn solve_line(
    arguments: &Arguments,
    shared: &Shared,
    session: &Session<'_>,
    line: &[Position],
) -> load::Answered<Status> {
    let game = session.game();
    let for_one = [
        (arguments.grundy, "--grundy"),
        (arguments.remoteness, "--remoteness"),
        (arguments.explain, "--explain"),
    ];
    if let Some((_, option)) = for_one.iter().find(|(is_set, _)| *is_set) {
        return Err(load::wrong(&format!(
            "`{option}` is about one position; remove it, or the other positions"
        )));
    }
    if let Format::Csv = shared.format {
        return Err(load::wrong(
            "a line of play has no CSV; `--format json` gives its positions and outcomes",
        ));
    }
    let judged = session
        .line(line, &arguments.ask())
        .map_err(|why| match why {
            NoLine::Sides => load::wrong(
                "each side has moves of its own, so that who wins depends on the side to move; ask \
             about each position",
            ),
            NoLine::Illegal(at) => load::wrong(&format!(
                "there is no move from {} to {}",
                words::position(game, &line[at]),
                words::position(game, &line[at + 1])
            )),
            NoLine::Unanswered(unanswered) => load::no_answer(session, &unanswered),
        })?;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(as_json(game, arguments.under.convention, &judged));
            writeln!(out, "{}", Value::from(head))
        }
        Format::Latex => {
            let head = latex::comment(game, "a line of play");
            write!(
                out,
                "{head}{}",
                in_latex(game, arguments.under.convention, &judged)
            )
        }
        Format::Text | Format::Csv => {
            let heading = text::wrapped(&game.heading(), 78, 0);
            let judged = in_text(game, arguments.under.convention, &judged);
            write!(out, "{STRONG}{heading}{STRONG:#}\n{judged}")
        }
    };
    load::finish(written)?;
    Ok(Status::Fine)
}

fn as_json(
    game: &Game,
    convention: Convention,
    judged: &LineOfPlay,
) -> serde_json::Map<String, Value> {
    let positions = judged.answers.iter();
    let positions = positions.map(|answer| Value::from(answer.as_json(game)));
    let mut fields = serde_json::Map::new();
    fields.insert("convention".into(), json!(convention.word()));
    fields.insert("line".into(), positions.collect());
    fields.insert("mistakes".into(), json!(judged.mistakes()));
    fields
}

/// What the move to a position of the line gave away.
fn mistake_before(judged: &LineOfPlay, number: usize) -> Option<&'static str> {
    let from = number.checked_sub(1)?;
    let is_mistake = judged.mistakes().contains(&from);
    is_mistake.then(|| match judged.answers[from].outcome {
        Outcome::D => "gave the draw away",
        _ => "gave the win away",
    })
}

fn in_latex(game: &Game, convention: Convention, judged: &LineOfPlay) -> String {
    let answers = judged.answers.iter().enumerate();
    let rows: Vec<Vec<String>> = answers
        .map(|(number, answer)| {
            let mistake = mistake_before(judged, number).unwrap_or_default();
            let position = words::position(game, &answer.position);
            vec![position, answer.outcome.to_string(), mistake.to_owned()]
        })
        .collect();
    format!(
        "The line of play{}, with the outcome of each position:\n\n{}",
        latex::play(convention),
        latex::table("lll", &["position", "outcome", "the move to it"], &rows)
    )
}

fn in_text(game: &Game, convention: Convention, judged: &LineOfPlay) -> String {
    let play = words::play(convention);
    let shown = |position: &Position| words::position(game, position);
    let mistakes = judged.mistakes();
    let positions: Vec<String> = judged.answers.iter().map(|a| shown(&a.position)).collect();
    let width = positions.iter().map(|p| p.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut lines = String::from("\n");
    for (number, (answer, position)) in judged.answers.iter().zip(&positions).enumerate() {
        let outcome = answer.outcome;
        let mistake = mistake_before(judged, number).map_or(String::new(), |m| format!("  {m}"));
        lines.push_str(&format!(
            "  {position:width$}  {STRONG}{outcome}{STRONG:#}{mistake}\n"
        ));
    }
    lines.push('\n');
    if mistakes.is_empty() {
        lines.push_str(&format!(
            "  {FAINT}no move gave a win away{play}{FAINT:#}\n"
        ));
    }
    for from in mistakes {
        let answer = &judged.answers[from];
        let better = match answer.moves.found.first() {
            Some(to) => format!("moving to {} wins", shown(to)),
            None => "another move does better".to_owned(),
        };
        let said = format!("{}: {better}{play}", positions[from]);
        lines.push_str(&format!("  {}\n", text::wrapped(&said, 74, 4)));
    }
    lines
}
