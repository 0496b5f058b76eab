//! Formatting of text output: numbers, positions, moves and tables.

use anstyle::{AnsiColor, Style};
use nimrule_claim::Basis;
use nimrule_model::game::{Game, PositionKind};

pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub const BAD: Style = Style::new()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)))
    .bold();

/// A number with separators: 262144 as 262,144.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

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

/// A duration in seconds: 0.0213 s as 0.02 s.
pub fn in_seconds(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.0095 {
        "under 0.01 s".to_owned()
    } else if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

/// The game's title with the values of its parameters.
pub fn heading(game: &Game) -> String {
    let title = game.title.clone().unwrap_or_else(|| game.name.clone());
    if game.params.is_empty() {
        return title;
    }
    let params: Vec<String> = game
        .params
        .iter()
        .map(|(name, value)| format!("{name} = {}", value.written()))
        .collect();
    format!("{title}, {}", params.join(", "))
}

/// Breaks a text into lines of at most `width` characters, each after the
/// first indented by `indent` blanks.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    let mut length = 0;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let room = if line.is_empty() { 0 } else { 1 };
        if length + room + word.chars().count() > width && !line.is_empty() {
            lines.push(word.to_owned());
            length = word.chars().count();
        } else {
            if room == 1 {
                line.push(' ');
            }
            line.push_str(word);
            length += room + word.chars().count();
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// A position on one line: all sizes or, with too many heaps for a line, the
/// non-empty ones.
pub fn position(game: &Game, position: &[u64]) -> String {
    let all = game.shown(position);
    if all.len() <= 60 || game.position_kind != PositionKind::Heaps {
        return all;
    }
    if let [first, rest @ ..] = position
        && rest.iter().all(|size| size == first)
    {
        return format!("all {first}");
    }
    let some: Vec<String> = game
        .heap_names
        .iter()
        .zip(position)
        .filter(|(_, size)| **size > 0)
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    wrapped(&some.join(" "), 70, 4)
}

/// The table cells of a position, one for each heap or token.
pub fn cells(game: &Game, position: &[u64]) -> Vec<String> {
    match game.digraph() {
        None => position.iter().map(u64::to_string).collect(),
        Some(digraph) => position
            .iter()
            .map(|number| match digraph.state(*number) {
                Some(state) => digraph.shown(state),
                None => number.to_string(),
            })
            .collect(),
    }
}

/// The move from one position to another, as text.
pub fn change(game: &Game, from: &[u64], to: &[u64]) -> String {
    if let PositionKind::Multiset(_) = &game.position_kind {
        let gone = game.shown(&without(from, to));
        return format!("{gone} becomes {}", game.shown(&without(to, from)));
    }
    if let PositionKind::Tokens(digraph) = &game.position_kind {
        let shown = |number: u64| match digraph.state(number) {
            Some(state) => digraph.shown(state),
            None => number.to_string(),
        };
        let slides: Vec<String> = (game.heap_names.iter().zip(from).zip(to))
            .filter(|((_, before), after)| before != after)
            .map(|((name, _), after)| match game.heap_count() {
                1 => format!("slide to {}", shown(*after)),
                _ => format!("slide {name} to {}", shown(*after)),
            })
            .collect();
        return slides.join(" and ");
    }
    let mut taken = Vec::new();
    let mut put = Vec::new();
    let mut set = Vec::new();
    let states = game.heap_count() - game.states.len();
    for (place, ((name, before), after)) in game.heap_names.iter().zip(from).zip(to).enumerate() {
        if place >= states {
            if after != before {
                set.push(format!("set {name} to {after}"));
            }
        } else if after < before {
            taken.push(format!("{} from {name}", before - after));
        } else if after > before {
            put.push(format!("{} on {name}", after - before));
        }
    }
    let mut words = Vec::new();
    if !taken.is_empty() {
        words.push(format!("take {}", taken.join(" and ")));
    }
    if !put.is_empty() {
        words.push(format!("put {}", put.join(" and ")));
    }
    words.extend(set);
    words.join(", ")
}

/// The extent of the claim that an answer rests on, as a relative clause.
pub fn extent(basis: &Basis) -> String {
    match basis.theorem {
        None => format!("which {} and is not proved", basis.extent()),
        Some(_) => format!("which is {}", basis.extent()),
    }
}

/// A move on one line, or on two if it is too long.
pub fn move_line(game: &Game, from: &[u64], to: &[u64]) -> String {
    let change = change(game, from, to);
    let to = position(game, to);
    if to.len() + change.len() <= 74 {
        return format!("    {to}  {FAINT}{change}{FAINT:#}\n");
    }
    let change = wrapped(&change, 72, 8);
    format!("    {to}\n        {FAINT}{change}{FAINT:#}\n")
}

/// The heaps of one multiset that are not in another.
fn without(bag: &[u64], other: &[u64]) -> Vec<u64> {
    let mut other = other.to_vec();
    bag.iter()
        .filter(|heap| match other.iter().position(|o| o == *heap) {
            Some(place) => {
                other.remove(place);
                false
            }
            None => true,
        })
        .copied()
        .collect()
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
