//! One position: its outcome, its Grundy value, and the winning moves.

use super::Arguments;
use super::explained::{explained, with_cached_proof};
use crate::cli::load;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, latex, partizan, progress};
use nimrule_answer::{Answer, Basis, BoundReport, Extent, Position, Session, Unanswered, words};
use nimrule_engine::Outcome;
use nimrule_model::game::{Convention, Game, PositionKind};
use std::io::Write as _;
use std::time::{Duration, Instant};

pub(super) fn solve_position(
    arguments: &Arguments,
    shared: &Shared,
    session: &Session<'_>,
    position: &Position,
) -> load::Answered<Status> {
    let game = session.game();
    if arguments.grundy && arguments.under.is_misere() {
        return Err(load::wrong(
            "`solve --misere` gives no Grundy value: misere values do not determine sums",
        ));
    }
    let asks_for_more = arguments.grundy || arguments.engine.is_some() || arguments.no_claims;
    if position.small().is_none() && asks_for_more {
        return Err(load::wrong(
            "a number of the position is too large for every engine, and proofs give only \
             outcomes; remove `--grundy`, `--engine` and `--no-claims`",
        ));
    }
    let started = Instant::now();
    let answer = match session.position(position, &arguments.ask()) {
        Ok(answer) => answer,
        Err(unanswered) => {
            if unanswered.is_unknown() && arguments.forced_engine().is_none() {
                unknown(
                    shared,
                    game,
                    position,
                    arguments.under.convention,
                    &unanswered,
                )?;
                return Err(load::failed(&unanswered.failure, session.solver(), None));
            }
            return Err(load::no_answer(session, &unanswered));
        }
    };
    let took = started.elapsed();
    // A limit that is exceeded here does not take the answer away.
    let bound = session.bound(position, arguments.under.convention);
    let bound = bound.unwrap_or_else(|failure| Some(BoundReport::cut_off(failure.to_string())));
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(answer.as_json(game));
            if let Some(bound) = &bound {
                head.insert("bound".into(), nimrule_answer::json::bound(game, bound));
            }
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => as_csv(&mut out, game, &answer),
        Format::Latex => {
            let mut shown = latex::comment(game, "a position") + &latex::answer(game, &answer);
            if let Some(bound) = &bound {
                shown.push_str(&latex::paragraph(&bound_in_words(game, bound)));
            }
            write!(out, "{shown}")
        }
        Format::Text => {
            let heading = text::wrapped(&game.heading(), 78, 0);
            let mut shown = format!("{STRONG}{heading}{STRONG:#}\n");
            shown.push_str(&answered_text(game, &answer, took));
            if let Some(bound) = &bound {
                let words = text::wrapped(&bound_in_words(game, bound), 76, 2);
                shown.push_str(&format!("  {words}\n"));
            }
            if arguments.explain {
                shown.push_str(&match &answer.basis {
                    Basis::Proof(set) => with_cached_proof(session, &answer, set),
                    _ => explained(session.solver(), &answer.rejected),
                });
            }
            write!(out, "{shown}")
        }
    };
    load::finish(written)?;
    Ok(match answer.unfinished() {
        Some(met) => load::unfinished(met),
        None => Status::Fine,
    })
}

/// Whether the answer depends on the bound of the positions, as text.
fn bound_in_words(game: &Game, bound: &BoundReport) -> String {
    if let Some(ended) = &bound.ended {
        return format!(
            "Whether the outcome depends on the bound of `positions where` is not known: {ended}."
        );
    }
    let Some((from, to)) = &bound.excluded else {
        return "No move is excluded by `positions where` in any position that can be reached."
            .to_owned();
    };
    let (from, to) = (words::position(game, from), words::position(game, to));
    let outcome = match bound.matters {
        Some(true) | None => "if it were larger, the outcome might be another",
        Some(false) => "the outcome is the same wherever these moves lead",
    };
    format!("`positions where` excludes moves, as from {from} to {to}; {outcome}.")
}

/// An answer as CSV: a row for the position, and one for each winning move, of which each
/// leads to a P-position.
fn as_csv(out: &mut dyn std::io::Write, game: &Game, answer: &Answer) -> std::io::Result<()> {
    if let Some(turns) = &answer.by_side {
        return partizan::in_csv(out, game, turns);
    }
    let boxed = !matches!(game.position_kind, PositionKind::Multiset(_));
    let cells = |position: &Position| match (boxed, position.small()) {
        (true, Some(small)) => text::cells(game, small),
        (true, None) => position.numbers().iter().map(ToString::to_string).collect(),
        (false, _) => vec![position.shown(game)],
    };
    let columns = match boxed {
        true => game.heap_names.clone(),
        false => vec!["position".to_owned()],
    };
    let mut rows = csv::Writer::from_writer(out);
    let mut row = |cells: Vec<String>, last: [&str; 3]| {
        rows.write_record(cells.iter().map(String::as_str).chain(last))
    };
    let write = || {
        row(columns, ["what", "outcome", "grundy"])?;
        let value = answer
            .grundy
            .map_or_else(String::new, |value| value.to_string());
        let outcome = answer.outcome.to_string();
        row(cells(&answer.position), ["position", &outcome, &value])?;
        let mut moves = answer.moves.found.iter();
        moves.try_for_each(|to| row(cells(to), ["move", "P", "0"]))
    };
    write().map_err(load::writing)?;
    rows.flush()
}

/// Reports an unknown outcome, with everything that was tried.
fn unknown(
    shared: &Shared,
    game: &Game,
    position: &Position,
    convention: Convention,
    unanswered: &Unanswered,
) -> load::Answered<Status> {
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(unanswered.as_json(game, position, convention));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => Ok(()),
        Format::Latex => write!(out, "{}", unknown_latex(game, position)),
        Format::Text => {
            let mut shown = format!(
                "{STRONG}{}{STRONG:#}\n",
                text::wrapped(&game.heading(), 78, 0)
            );
            shown.push_str(&unknown_text(game, position, unanswered));
            write!(out, "{shown}")
        }
    };
    load::finish(written)
}

/// The LaTeX about a position whose outcome is unknown.
pub(super) fn unknown_latex(game: &Game, position: &Position) -> String {
    format!(
        "The outcome of the position {} was not determined.\n",
        latex::position(game, position)
    )
}

/// The text about a position whose outcome is unknown.
pub(super) fn unknown_text(game: &Game, position: &Position, unanswered: &Unanswered) -> String {
    let mut shown = format!(
        "\n  {}\n  {STRONG}unknown{STRONG:#}: the outcome was not determined\n",
        words::position(game, position)
    );
    shown.push_str("\n  tried\n");
    for (by, why) in unanswered.methods() {
        let words = text::wrapped(&format!("{by}: {why}"), 74, 6);
        shown.push_str(&format!("    {words}\n"));
    }
    shown
}

/// The number of winning moves shown in text; JSON and CSV have all of them.
pub const MOVES_SHOWN: usize = 20;

/// The number of winning moves, as text.
pub fn moves_counted(moves: usize, extent: &Extent) -> String {
    let unfinished = !matches!(extent, Extent::All);
    let least = if unfinished { "at least " } else { "" };
    let first = if moves > MOVES_SHOWN {
        format!(", the first {MOVES_SHOWN}")
    } else {
        String::new()
    };
    match (moves, extent) {
        (1, Extent::OneForEachSelection) => {
            "one winning move, at most one for each choice of heaps".to_owned()
        }
        (many, Extent::OneForEachSelection) => format!(
            "{} winning moves, at most one for each choice of heaps{first}",
            text::grouped(many as u128)
        ),
        (0, _) if unfinished => "no winning move found yet".to_owned(),
        (0, _) => "no winning move".to_owned(),
        (1, _) => format!("{least}one winning move"),
        (many, _) => format!(
            "{least}{} winning moves{first}",
            text::grouped(many as u128)
        ),
    }
}

/// The text about an answered position.
pub(super) fn answered_text(game: &Game, answer: &Answer, took: Duration) -> String {
    let mut shown = String::new();
    let play = words::play(answer.convention);
    let who = words::headline(answer.outcome, answer.by_side.as_ref());
    shown.push_str(&format!(
        "\n  {}\n  {STRONG}{who}{STRONG:#}{play}\n",
        words::position(game, &answer.position)
    ));
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("  Grundy value {grundy}\n"));
        if let Some(basis) = &answer.grundy_basis {
            let by = format!("by {}, {}", words::basis(basis), words::extent(basis));
            shown.push_str(&format!(
                "  {FAINT}{}{FAINT:#}\n",
                text::wrapped(&by, 72, 5)
            ));
        }
    }
    if let Some(options) = &answer.loopy {
        let options: Vec<String> = options.iter().map(u64::to_string).collect();
        let options = options.join(",");
        shown.push_str(&format!("  Grundy value ∞{{{options}}}\n"));
    }
    let moves = &answer.moves.found;
    if let Some(turns) = &answer.by_side {
        shown.push_str(&partizan::in_text(game, &answer.position, turns));
    } else if answer.outcome == Outcome::N {
        let known = matches!(
            answer.moves.extent,
            Extent::All | Extent::OneForEachSelection
        );
        let count = if moves.is_empty() && known {
            "no move is left, and the player to move wins".to_owned()
        } else {
            moves_counted(moves.len(), &answer.moves.extent)
        };
        shown.push_str(&format!("\n  {count}\n"));
        for option in moves.iter().take(MOVES_SHOWN) {
            shown.push_str(&text::move_line(game, &answer.position, option));
        }
        if answer.position.small().is_none() {
            shown.push_str(&format!(
                "\n  {FAINT}`--format json` gives all digits{FAINT:#}\n"
            ));
        }
    }
    let by = words::basis(&answer.basis);
    let by = match &answer.basis {
        Basis::Proof(_) => format!("by {by}"),
        _ => format!("by {by}, in {}", text::in_seconds(took)),
    };
    shown.push_str(&format!(
        "\n  {FAINT}{}{FAINT:#}\n",
        text::wrapped(&by, 76, 2)
    ));
    let rests = match &answer.basis {
        Basis::Claim { .. } => Some("No engine can reach this position, so the answer rests"),
        Basis::Theorem { .. } => Some("The answer rests"),
        _ => None,
    };
    if let Some(rests) = rests {
        let rests = format!("{rests} on the claim, {}.", words::extent(&answer.basis));
        shown.push_str(&format!("  {}\n", text::wrapped(&rests, 76, 2)));
    }
    shown
}
