//! One position: its outcome, its Grundy value, and the moves that win.

use super::explained::explained;
use super::{Arguments, finish};
use crate::claim::{self, Answered, Claims};
use crate::cli::load;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json};
use crate::engine::{Limits, Outcome, Solver, Wish};
use crate::game::{Convention, Game};
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, Instant};

pub(super) fn solve_position(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
) -> load::Answered<Status> {
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
    let claims = if arguments.no_claims {
        Claims::Never
    } else {
        Claims::WhereNeeded
    };
    let answered = claim::answer::answer(
        solver,
        position,
        convention,
        wish,
        limits,
        arguments.engine.as_deref(),
        claims,
    )
    .map_err(|unanswered| {
        load::dismissed(&unanswered.dismissed);
        load::failed(&unanswered.failure, solver, None)
    })?;
    let took = started.elapsed();
    let answer = &answered.answer;
    let game = solver.game;
    let mut out = anstream::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("position".into(), json!(position));
            head.insert("outcome".into(), json!(answer.outcome.to_string()));
            head.insert("grundy".into(), json!(answer.grundy));
            let moves = match answered.unfinished {
                None => json!(answer.winning_moves),
                Some(_) => serde_json::Value::Null,
            };
            head.insert("winning_moves".into(), moves);
            head.insert("method".into(), json!(answer.method));
            if let Some(basis) = &answered.basis {
                head.extend(json::basis(basis));
            }
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => {
            let mut rows = csv::Writer::from_writer(&mut out);
            rows.write_record(&game.heap_names)
                .and_then(|()| {
                    answer
                        .winning_moves
                        .iter()
                        .try_for_each(|option| rows.write_record(option.iter().map(u64::to_string)))
                })
                .and_then(|()| Ok(rows.flush()?))
                .map_err(load::writing)
        }
        Format::Text => {
            let mut shown = position_text(game, position, convention, &answered, took);
            if arguments.explain {
                shown.push_str(&explained(solver, &answer.passed_over));
            }
            write!(out, "{shown}")
        }
    };
    finish(written)?;
    Ok(match &answered.unfinished {
        Some(met) => load::unfinished(met),
        None => Status::Fine,
    })
}

/// So many winning moves are shown; a script sees them all.
pub const MOVES_SHOWN: usize = 20;

/// How many winning moves there are, in words.
pub fn moves_counted(moves: usize, unfinished: bool) -> String {
    let least = if unfinished { "at least " } else { "" };
    let first = if moves > MOVES_SHOWN {
        format!(", the first {MOVES_SHOWN}")
    } else {
        String::new()
    };
    match moves {
        0 if unfinished => "no winning move found yet".to_owned(),
        0 => "no winning move".to_owned(),
        1 => format!("{least}one winning move"),
        many => format!(
            "{least}{} winning moves{first}",
            text::grouped(many as u128)
        ),
    }
}

fn position_text(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answered: &Answered,
    took: Duration,
) -> String {
    let answer = &answered.answer;
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n",
        text::wrapped(&text::heading(game), 78, 0)
    );
    let play = match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    };
    let who = match answer.outcome {
        Outcome::P => "P-position: the player who has just moved wins",
        Outcome::N => "N-position: the player to move wins",
    };
    shown.push_str(&format!(
        "\n  {}\n  {STRONG}{who}{STRONG:#}{play}\n",
        text::position(game, position)
    ));
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("  Grundy value {grundy}\n"));
    }
    let moves = &answer.winning_moves;
    if answer.outcome == Outcome::N {
        let unfinished = answered.unfinished.is_some();
        let count = if moves.is_empty() && !unfinished {
            "no move is left, and that wins".to_owned()
        } else {
            moves_counted(moves.len(), unfinished)
        };
        shown.push_str(&format!("\n  {count}\n"));
        for option in moves.iter().take(MOVES_SHOWN) {
            shown.push_str(&text::move_line(game, position, option));
        }
    }
    let took = text::in_seconds(took);
    match &answered.basis {
        None => shown.push_str(&format!(
            "\n  {FAINT}by the engine `{}`, in {took}{FAINT:#}\n",
            answer.method,
        )),
        Some(basis) => {
            let by = format!("by the claim `{}`, in {took}", basis.claim);
            let rests = format!(
                "No engine can reach this position, so the answer rests on the claim, which {} \
                 and is not proved.",
                basis.standing()
            );
            shown.push_str(&format!(
                "\n  {FAINT}{}{FAINT:#}\n  {}\n",
                text::wrapped(&by, 76, 2),
                text::wrapped(&rests, 76, 2)
            ));
        }
    }
    shown
}
