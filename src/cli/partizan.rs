//! The outcome of a position with each player to move, for partizan and loopy
//! games (outcome classes P, N, L, R and D).

use super::load;
use super::text::{self, FAINT, STRONG};
use nimrule_answer::words::result;
use nimrule_answer::{Position, words};
use nimrule_engine::{BySide, Label, SideOutcome};
use nimrule_model::game::Game;
use std::io::Write;

/// The number of moves shown in text; JSON and CSV have all of them.
const MOVES_SHOWN: usize = 20;

/// The turns as text, with their moves, the shortest wins first.
pub fn in_text(game: &Game, position: &Position, turns: &BySide) -> String {
    let shown = in_text_with(turns, &|option: &Vec<u64>| {
        let option = Position::from(option.as_slice());
        let to = words::position(game, &option);
        (to, words::change(game, position, &option))
    });
    blocking(game, shown)
}

/// The turns as text, with a line that says that options may be blocked, if so.
pub fn blocking(game: &Game, shown: String) -> String {
    match game.blocked_options {
        0 => shown,
        many => {
            let shown = shown.replace(": there is no move", ": after the blocking no move is left");
            format!("{shown}\n  The opponent may block {}.\n", options(many))
        }
    }
}

/// A number of options that may be blocked, as text.
pub fn options(blocked: u32) -> String {
    match blocked {
        1 => "one option before each move".to_owned(),
        many => format!("up to {many} options before each move"),
    }
}

/// The turns as text; `shown_as` returns the target of a move and its change.
pub fn in_text_with<M>(turns: &BySide<M>, shown_as: &dyn Fn(&M) -> (String, String)) -> String {
    let mut shown = String::new();
    for (side, turn) in turns.each() {
        let who = match side {
            Some(side) => format!("{} to move", side.name()),
            None => "The player to move".to_owned(),
        };
        let count = match (turn.label, turn.moves.len()) {
            (Label::Lose(0), _) => ": there is no move".to_owned(),
            (Label::Lose(_), _) => String::new(),
            (Label::Win(_), 0) => ": there is no move, and that wins".to_owned(),
            (Label::Win(_), 1) => ": one winning move".to_owned(),
            (Label::Win(_), many) => format!(": {} winning moves", text::grouped(many as u128)),
            (Label::Draw, 1) => ": one move draws".to_owned(),
            (Label::Draw, many) => format!(": {} moves draw", text::grouped(many as u128)),
        };
        let first = if turn.moves.len() > MOVES_SHOWN {
            format!(", the first {MOVES_SHOWN}")
        } else {
            String::new()
        };
        let what = result(turn);
        shown.push_str(&format!(
            "\n  {who} {STRONG}{what}{STRONG:#}{}{count}{first}\n",
            length(turn)
                .filter(|moves| *moves > 0)
                .map_or_else(String::new, |moves| format!(" in {moves}")),
        ));
        let mut moves: Vec<_> = turn.moves.iter().collect();
        moves.sort_by_key(|(_, moves)| *moves);
        for (option, moves) in moves.into_iter().take(MOVES_SHOWN) {
            let (to, change) = shown_as(option);
            let length = moves.map_or_else(String::new, |moves| format!(", wins in {moves}"));
            shown.push_str(&format!("    {to}  {FAINT}{change}{length}{FAINT:#}\n"));
        }
    }
    shown
}

/// The number of moves to the end of play.
fn length<M>(turn: &SideOutcome<M>) -> Option<u32> {
    turn.label.remoteness()
}

/// The moves that preserve the result of the player to move, as CSV.
pub fn in_csv(out: &mut dyn Write, game: &Game, turns: &BySide) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let boxed = game.heap_count() > 0;
    let mut write = || -> Result<(), csv::Error> {
        let sided = matches!(turns, BySide::Sides { .. });
        let mut columns: Vec<String> = Vec::new();
        columns.extend(sided.then(|| "side".to_owned()));
        if boxed {
            columns.extend(game.heap_names.iter().cloned());
        } else {
            columns.push("position".to_owned());
        }
        columns.push("result".to_owned());
        columns.push("length".to_owned());
        rows.write_record(&columns)?;
        for (side, turn) in turns.each() {
            for (option, moves) in &turn.moves {
                let mut row: Vec<String> = Vec::new();
                row.extend(side.map(|side| side.word().to_owned()));
                if boxed {
                    row.extend(text::cells(game, option));
                } else {
                    row.push(game.shown(option));
                }
                row.push(result(turn).to_owned());
                row.push(moves.map_or_else(String::new, |moves| moves.to_string()));
                rows.write_record(&row)?;
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
