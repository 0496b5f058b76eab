//! Formatting of text output: numbers, positions, moves and tables.

use anstyle::{AnsiColor, Style};
use nimrule_answer::{Position, words};
use nimrule_model::game::Game;

pub use nimrule_answer::words::{counted, grouped, in_seconds, wrapped};

pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub const BAD: Style = Style::new()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)))
    .bold();

/// A size in bytes: 196608000 as 188 MiB. Larger than a million EiB is not exact.
pub fn in_bytes(bytes: u128) -> String {
    if bytes >= 1 << 80 {
        return "more than a million EiB".to_owned();
    }
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut unit = 0;
    let mut rest = bytes;
    while rest >= 10 * 1024 && unit + 1 < units.len() {
        rest /= 1024;
        unit += 1;
    }
    format!("{} {}", grouped(rest), units[unit])
}

/// A position on one line: all sizes or, with too many heaps for a line, the
/// non-empty ones.
pub fn position(game: &Game, position: &[u64]) -> String {
    words::position(game, &Position::from(position))
}

/// The table cells of a position, one for each heap or token.
pub fn cells(game: &Game, position: &[u64]) -> Vec<String> {
    let numbers = position.iter().enumerate();
    let cells = numbers.map(|(place, number)| game.shown_number(place, *number));
    cells.collect()
}

/// A move on one line, or on two if it is too long.
pub fn move_line(game: &Game, from: &Position, to: &Position) -> String {
    option_line(&words::position(game, to), &words::change(game, from, to))
}

/// An option and the change that the move to it makes, on one line or two.
pub fn option_line(to: &str, change: &str) -> String {
    if to.len() + change.len() <= 74 {
        return format!("    {to}  {FAINT}{change}{FAINT:#}\n");
    }
    let change = wrapped(change, 72, 8);
    format!("    {to}\n        {FAINT}{change}{FAINT:#}\n")
}

/// A table with right-aligned columns, separated by two spaces.
pub fn table(columns: &[String], rows: &[Vec<String>], indent: usize) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|c| right(c)));
    for row in rows {
        table.add_row(row.iter().map(|c| right(c)));
    }
    let margin = " ".repeat(indent);
    table
        .lines()
        .map(|line| format!("{margin}{}\n", line.trim_end()))
        .collect()
}

fn right(text: &str) -> comfy_table::Cell {
    comfy_table::Cell::new(text).set_alignment(comfy_table::CellAlignment::Right)
}
