//! A position drawn in text: heaps as rows of tokens, as coins on a strip or as a bar, grids
//! and rows of cells as tables.

use crate::cli::text;
use nimrule_answer::{Position, words};
use nimrule_model::game::{Game, PositionKind, View};

/// A heap with more tokens is shown by its number alone.
const TOKENS_SHOWN: u64 = 40;

/// With more heaps, they are shown on one line.
const HEAPS_SHOWN: usize = 16;

/// The position in lines of at most 80 columns.
pub fn shown(game: &Game, position: &Position) -> String {
    let Some(position) = position.small() else {
        return format!("  {}", words::position(game, position));
    };
    match &game.position_kind {
        PositionKind::Tokens(_) => squares(game, position)
            .unwrap_or_else(|| format!("  {}", text::position(game, position))),
        PositionKind::Multiset(kinds) => {
            let rows = position.iter().map(|heap| {
                let (size, kind) = kinds.decode(*heap);
                match kinds.state(*heap) {
                    Some((state, value)) => (kinds.states[state].0.clone(), value),
                    None => (kinds.names.get(kind).cloned().unwrap_or_default(), size),
                }
            });
            let rows: Vec<_> = rows.collect();
            if rows.is_empty() {
                return "  no heap is left".to_owned();
            }
            heaps(&rows)
        }
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            match view(game, position).or_else(|| grid(game, position)) {
                Some(grid) => grid,
                None if game.heap_names.len() <= HEAPS_SHOWN => {
                    let all = game
                        .heap_names
                        .iter()
                        .cloned()
                        .zip(position.iter().copied());
                    let (mut rows, mut tokens) = (Vec::new(), String::new());
                    for (place, (name, number)) in all.enumerate() {
                        match game.digraph_of(place) {
                            Some(digraph) => {
                                let vertex = digraph.state(number);
                                let vertex =
                                    vertex.map_or(number.to_string(), |v| digraph.shown(v));
                                tokens += &format!("\n  {name} on {vertex}");
                            }
                            None => rows.push((name, number)),
                        }
                    }
                    heaps(&rows) + &tokens
                }
                None => format!("  {}", text::position(game, position)),
            }
        }
    }
}

/// The columns of a drawing.
const COLUMNS: usize = 76;

/// The heaps as a strip or a bar, if `shown as` says so and there is room; then the numbers.
/// The other views are rows of tokens.
fn view(game: &Game, position: &[u64]) -> Option<String> {
    let mut lines = match game.presentation.view.as_ref()? {
        View::Strip(strips) => strip(game, strips, position)?,
        View::Bar => bar(game, position)?,
        View::Rows | View::Tree(_) | View::Order(_) => return None,
    };
    lines.push(format!("  {}", text::position(game, position)));
    Some(lines.join("\n"))
}

/// Strips with the names of the coins on their squares, and the numbers of the squares below.
fn strip(game: &Game, strips: &[Vec<usize>], position: &[u64]) -> Option<Vec<String>> {
    let farthest = strips.iter().flatten().map(|coin| position[*coin]).max()?;
    let squares = game.presentation.last_square(farthest).checked_add(1)?;
    let squares = usize::try_from(squares).ok()?;
    let name = |coin: &usize| match strips {
        [only] if only.len() == 1 => "●",
        _ => game.heap_names[*coin].as_str(),
    };
    let on = |strip: &[usize], square: usize| -> String {
        let here = strip
            .iter()
            .filter(|coin| position[**coin] == square as u64);
        here.map(name).collect::<Vec<_>>().join(",")
    };
    if squares > COLUMNS {
        return None;
    }
    let labels = strips
        .iter()
        .flat_map(|strip| (0..squares).map(|square| on(strip, square)));
    let widths = labels.map(|label| label.chars().count());
    let width = widths.chain([squares.to_string().len()]).max()? + 1;
    if squares * width > COLUMNS {
        return None;
    }
    let mut lines: Vec<String> = Vec::new();
    for strip in strips {
        let cells = (0..squares).map(|square| match on(strip, square) {
            empty if empty.is_empty() => format!("{:>width$}", "·"),
            coins => format!("{coins:>width$}"),
        });
        lines.push(format!("  {}", cells.collect::<String>()));
    }
    let numbers = (0..squares).map(|square| format!("{square:>width$}"));
    lines.push(format!("  {}", numbers.collect::<String>()));
    Some(lines)
}

/// A bar with its bitter square in the left lower corner.
fn bar(game: &Game, position: &[u64]) -> Option<Vec<String>> {
    let (columns, rows) = (position[0].checked_add(1)?, position[1].checked_add(1)?);
    if columns > COLUMNS as u64 / 2 || rows > COLUMNS as u64 / 2 {
        return None;
    }
    let mut numbers = position.to_vec();
    let mut square = |column, row| {
        (numbers[0], numbers[1]) = (column, row);
        match ((column, row), game.allows(&numbers)) {
            ((0, 0), _) => " ×",
            (_, true) => " ■",
            (_, false) => "  ",
        }
    };
    let line = |row| {
        (0..columns)
            .map(|column| square(column, row))
            .collect::<String>()
    };
    let lines = (0..rows).rev().map(line);
    Some(lines.map(|line| format!("  {line}")).collect())
}

/// A row of tokens for each heap.
fn heaps(rows: &[(String, u64)]) -> String {
    let names = rows.iter().map(|(name, _)| name.chars().count()).max();
    let sizes = rows.iter().map(|(_, size)| size.to_string().len()).max();
    let (names, sizes) = (names.unwrap_or(0), sizes.unwrap_or(0));
    let lines = rows.iter().map(|(name, size)| {
        let tokens = match *size {
            0..=TOKENS_SHOWN => "●".repeat(*size as usize),
            _ => String::new(),
        };
        format!("  {name:names$}  {size:>sizes$}  {tokens}")
            .trim_end()
            .to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The heaps of a grid of two dimensions, or of a row, in their places.
fn grid(game: &Game, position: &[u64]) -> Option<String> {
    let board = game.board.as_ref()?;
    let cells: usize = board.lengths().iter().product();
    let columns = match board.lengths() {
        [columns] => *columns,
        [_, columns] => *columns,
        _ => return None,
    };
    if columns == 0 || cells != position.len() || columns > 26 {
        return None;
    }
    let width = position.iter().map(|size| size.to_string().len()).max()?;
    let rows = position.chunks(columns).map(|row| {
        let cells = row.iter().map(|size| match size {
            0 => format!("{:>width$}", "·"),
            size => format!("{size:>width$}"),
        });
        format!("  {}", cells.collect::<Vec<_>>().join(" "))
    });
    Some(rows.collect::<Vec<_>>().join("\n"))
}

/// Tokens on squares: the vertices of the digraph have two coordinates.
fn squares(game: &Game, position: &[u64]) -> Option<String> {
    let digraph = game.digraph()?;
    if digraph.coordinates().len() != 2 {
        return None;
    }
    let places: Vec<Vec<i64>> = position
        .iter()
        .map(|number| digraph.state(*number).map(|state| digraph.values(state)))
        .collect::<Option<_>>()?;
    let all: Vec<Vec<i64>> = (0..digraph.len())
        .map(|state| digraph.values(state))
        .collect();
    let bounds = |axis: usize| {
        let values = all.iter().map(|values| values[axis]);
        Some((values.clone().min()?, values.max()?))
    };
    let ((left, right), (bottom, top)) = (bounds(0)?, bounds(1)?);
    if right - left >= 24 || top - bottom >= 24 {
        return None;
    }
    let mut lines = Vec::new();
    for y in (bottom..=top).rev() {
        let mut line = format!("  {y:>3} ");
        for x in left..=right {
            let here = places.iter().position(|place| *place == [x, y]);
            line.push_str(&match here {
                Some(token) if places.len() > 1 => {
                    format!(" {}", (b'A' + token as u8 % 26) as char)
                }
                Some(_) => " ●".to_owned(),
                None if all.contains(&vec![x, y]) => " ·".to_owned(),
                None => "  ".to_owned(),
            });
        }
        lines.push(line);
    }
    let below: Vec<String> = (left..=right)
        .map(|x| format!("{:>2}", x.rem_euclid(100)))
        .collect();
    lines.push(format!("      {}", below.join("")));
    lines.push(format!("  {}", text::position(game, position)));
    Some(lines.join("\n"))
}
