//! One position: its outcome, its Grundy value, and the moves that win.

use super::explained::explained;
use super::{Arguments, finish};
use crate::cli::load::{self, Answered};
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, turns};
use crate::engine::{self, Answer, Limits, Outcome, Solver, Wish};
use crate::game::{Convention, Field, Game};
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, Instant};

pub(super) fn solve_position(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
) -> Answered<Status> {
    let convention = arguments.convention();
    if arguments.grundy && convention == Convention::Misere {
        return Err(load::wrong(
            "`solve --misere` gives no Grundy value: it would say nothing about sums",
        ));
    }
    let wish = if arguments.grundy {
        Wish::Grundy
    } else {
        Wish::GrundyIfCheap
    };
    let started = Instant::now();
    let answer = engine::answer(
        solver,
        position,
        convention,
        wish,
        limits,
        arguments.engine.as_deref(),
    )
    .map_err(|failure| load::failed(&failure, solver, None))?;
    let took = started.elapsed();
    let game = solver.game;
    let mut out = anstream::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("position".into(), json::position(game, position));
            head.insert("outcome".into(), json!(answer.outcome.to_string()));
            head.insert("grundy".into(), json!(answer.grundy));
            let moves: Vec<_> = answer
                .winning_moves
                .iter()
                .map(|option| json::position(game, option))
                .collect();
            match &answer.turns {
                None => {
                    head.insert("winning_moves".into(), json!(moves));
                }
                Some(turns) => turns::in_json(game, turns, &mut head),
            }
            head.insert("method".into(), json!(answer.method));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv if answer.turns.is_some() => match &answer.turns {
            Some(turns) => turns::in_csv(&mut out, game, turns),
            None => Ok(()),
        },
        Format::Csv => {
            let mut rows = csv::Writer::from_writer(&mut out);
            let boxed = !matches!(game.field, Field::Bag(_));
            let header = if boxed {
                game.heap_names.clone()
            } else {
                vec!["position".to_owned()]
            };
            rows.write_record(&header)
                .and_then(|()| {
                    answer.winning_moves.iter().try_for_each(|option| {
                        if boxed {
                            rows.write_record(option.iter().map(u64::to_string))
                        } else {
                            rows.write_record([game.shown(option)])
                        }
                    })
                })
                .and_then(|()| Ok(rows.flush()?))
                .map_err(load::writing)
        }
        Format::Text => {
            let mut shown = position_text(game, position, convention, &answer, took);
            if arguments.explain {
                shown.push_str(&explained(solver, &answer.passed_over));
            }
            write!(out, "{shown}")
        }
    };
    finish(written)
}

/// So many winning moves are shown; a script sees them all.
const MOVES_SHOWN: usize = 20;

fn position_text(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answer: &Answer,
    took: Duration,
) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n",
        text::wrapped(&text::heading(game), 78, 0)
    );
    let play = match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    };
    let who = turns::headline(answer.outcome, answer.turns.as_ref());
    shown.push_str(&format!(
        "\n  {}\n  {STRONG}{who}{STRONG:#}{play}\n",
        text::position(game, position)
    ));
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("  Grundy value {grundy}\n"));
    }
    let moves = &answer.winning_moves;
    if let Some(turns) = &answer.turns {
        shown.push_str(&turns::in_text(game, position, turns));
    } else if answer.outcome == Outcome::N {
        let count = match moves.len() {
            0 => "no move is left, and that wins".to_owned(),
            1 => "one winning move".to_owned(),
            many => format!("{} winning moves", text::grouped(many as u128)),
        };
        let first = if moves.len() > MOVES_SHOWN {
            format!(", the first {MOVES_SHOWN}")
        } else {
            String::new()
        };
        shown.push_str(&format!("\n  {count}{first}\n"));
        for option in moves.iter().take(MOVES_SHOWN) {
            let to = text::position(game, option);
            let change = text::change(game, position, option);
            shown.push_str(&format!("    {to}  {FAINT}{change}{FAINT:#}\n"));
        }
    }
    shown.push_str(&format!(
        "\n  {FAINT}by the engine `{}`, in {}{FAINT:#}\n",
        answer.method,
        text::in_seconds(took)
    ));
    shown
}
