//! The picture of a position: which drawing shows it, and its description.

use crate::board::VERTEX;
use crate::canvas::{Anchor, Canvas, FAINT, Font, Point};
use crate::heap::{Heap, abbreviated};
use crate::loose::{Look, Presence, StateBox};
use crate::{Picture, grid, loose, tokens, view};
use nimrule_board::{Board, CellKind};
use nimrule_model::game::{Game, HeapKinds, PositionKind};
use nimrule_model::position::Position;
use num_bigint::BigUint;
use thiserror::Error;

/// The largest number of heaps, of vertices and of edges or arcs of a picture.
pub const MAX_DRAWN: usize = 800;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DrawError {
    /// The board has too many cells to be seen.
    #[error("{count} {what} are too many for a picture; the limit is {MAX_DRAWN}")]
    TooLarge {
        /// The number of cells.
        count: usize,
        /// What they are.
        what: &'static str,
    },
}

/// The picture of a game at a position, or of its board with the names of the heaps.
/// `after` is the position after a move, which is marked.
///
/// # Errors
///
/// If there are more than [`MAX_DRAWN`] heaps, vertices, edges or arcs.
pub fn picture(
    game: &Game,
    position: Option<&Position>,
    after: Option<&Position>,
) -> Result<Picture, DrawError> {
    let too_large = |count, what| {
        if count > MAX_DRAWN {
            Err(DrawError::TooLarge { count, what })
        } else {
            Ok(())
        }
    };
    too_large(
        game.heap_count().max(position.map_or(0, Position::len)),
        "heaps",
    )?;
    if let Some(board) = &game.board {
        for kind in [CellKind::Vertex, CellKind::Edge] {
            too_large(board.count(kind).unwrap_or(0), kind.plural())?;
        }
    }
    if let Some(digraph) = game.digraph() {
        too_large(digraph.len(), "vertices")?;
        if digraph.coordinates().is_empty() {
            too_large(digraph.relation.arcs(), "arcs")?;
        }
    }
    let mut canvas = Canvas::default();
    let (small, small_after) = (
        position.and_then(Position::small),
        after.and_then(Position::small),
    );
    match &game.position_kind {
        PositionKind::Tokens(digraph) => {
            tokens::draw(&mut canvas, digraph, &game.heap_names, small, small_after);
        }
        PositionKind::Multiset(kinds) => {
            let marked = multiset(kinds, small, small_after);
            any_number(&mut canvas, game, &marked, position.is_none());
            states_of_multiset(&mut canvas, kinds, small, small_after);
        }
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            heaps(&mut canvas, game, position, after)
        }
    }
    let mut lines = Vec::new();
    if let Some(position) = position {
        lines.push(match after {
            Some(after) => format!("{} → {}", shown(game, position), shown(game, after)),
            None => shown(game, position),
        });
    }
    Ok(canvas.finish(&game.heading(), &lines, &description(game, position, after)))
}

/// The picture of a board alone, with a heap on each cell of a kind.
pub fn board(board: &Board, on: CellKind, names: &[String], sizes: Option<&[u64]>) -> Picture {
    let heaps: Vec<Heap> = names
        .iter()
        .enumerate()
        .map(|(place, name)| Heap {
            size: sizes
                .and_then(|sizes| sizes.get(place).copied())
                .map(BigUint::from),
            ..Heap::named(name)
        })
        .collect();
    let mut canvas = Canvas::default();
    crate::board::draw(&mut canvas, board, (on, VERTEX), &heaps);
    let words = format!("{}: a heap on each {on}", board.name());
    canvas.finish(board.name(), &[], &words)
}

/// A number of a position: the vertex of a token by its name.
fn written(game: &Game, place: usize, number: &BigUint) -> String {
    match u64::try_from(number) {
        Ok(number) => game.shown_number(place, number),
        Err(_) => number.to_string(),
    }
}

/// A position on a line, its large numbers abbreviated.
fn shown(game: &Game, position: &Position) -> String {
    if position.small().is_some() {
        return position.shown(game);
    }
    let numbers = position.numbers();
    let numbers: Vec<String> = numbers.iter().map(abbreviated).collect();
    format!("({})", numbers.join(","))
}

/// The heaps of a position; discs if no size exceeds 1.
fn listed(game: &Game, position: Option<&Position>, after: Option<&Position>) -> Vec<Heap> {
    let sizes = |position: Option<&Position>| position.map(Position::numbers);
    let (position, after) = (sizes(position), sizes(after));
    let small = |sizes: &Option<Vec<BigUint>>| {
        let heaps = game.first_state();
        let mut sizes = sizes.iter().flatten().take(heaps);
        sizes.all(|size| *size <= BigUint::from(1_u8))
    };
    let disc = game.largest_size == Some(1) && small(&position) && small(&after);
    game.heap_names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let at = |sizes: &Option<Vec<BigUint>>| sizes.as_ref()?.get(place).cloned();
            let size = at(&position);
            Heap {
                name: name.clone(),
                after: at(&after).filter(|after| Some(after) != size.as_ref()),
                size,
                disc,
                index: Some(place),
            }
        })
        .collect()
}

/// The fill of a token on a vertex of a board, unlike that of heaps.
const ON_BOARD: &str = "#8fb8de";

/// A position of named heaps: those on the board, with the tokens on its vertices, then loose
/// ones, then states.
fn heaps(canvas: &mut Canvas, game: &Game, position: Option<&Position>, after: Option<&Position>) {
    let mut all = listed(game, position, after);
    let states = all.split_off(game.first_state());
    let below = |canvas: &Canvas| -> Point {
        let (low, high) = (canvas.low(), canvas.high());
        if high == (0.0, 0.0) {
            (0.0, 0.0)
        } else {
            (low.0, high.1 + 26.0)
        }
    };
    let (mut loose_heaps, mut vertices) = (Vec::new(), Vec::new());
    match (&game.board, game.heaps_on) {
        (Some(board), Some((on, first))) => {
            let count = board
                .count(on)
                .unwrap_or(0)
                .min(all.len().saturating_sub(first));
            let tokens = game.heap_names.iter().enumerate().skip(game.first_state());
            let tokens = tokens.filter(|(place, _)| game.digraph_of(*place).is_some());
            let tokens: Vec<&String> = tokens.map(|(_, name)| name).collect();
            let vertex = match tokens.len() {
                0 => VERTEX,
                count => count as f64 * (2.0 * tokens::token_radius(&tokens) + 4.0),
            };
            let on_board = &all[first..first + count];
            vertices = crate::board::draw(canvas, board, (on, vertex), on_board);
            loose_heaps.extend_from_slice(&all[..first]);
            loose_heaps.extend_from_slice(&all[first + count..]);
        }
        _ => loose_heaps = all,
    }
    let look = match game.position_kind {
        PositionKind::Reals => Look::Bars,
        _ => Look::Tokens,
    };
    let lengths = block(game, loose_heaps.len());
    if let Some(view) = &game.presentation.view {
        let numbers = position.and_then(Position::small);
        view::draw(canvas, game, view, &loose_heaps, numbers);
    } else if let Some(lengths) = lengths {
        grid::draw(canvas, &lengths, &loose_heaps);
    } else if !loose_heaps.is_empty() {
        let corner = below(canvas);
        loose::columns(canvas, &loose_heaps, look, corner);
    }
    let first = game.first_state();
    let states = states.iter().enumerate();
    let vertex = |(at, number): (usize, Option<&BigUint>)| {
        let number = u64::try_from(number?).ok()?;
        game.digraph_of(first + at)?.state(number)
    };
    let (tokens, states): (Vec<_>, Vec<_>) = states.partition(|(at, state)| {
        !vertices.is_empty() && vertex((*at, state.size.as_ref())).is_some()
    });
    if !tokens.is_empty() {
        let before = tokens.iter().map(|(at, token)| (*at, token.size.as_ref()));
        let before: Vec<_> = before.map(vertex).collect();
        let after = tokens.iter().map(|(at, token)| {
            let number = token.after.as_ref().or(token.size.as_ref());
            (*at, number)
        });
        let after: Vec<_> = after.map(vertex).collect();
        let names: Vec<&str> = tokens.iter().map(|(_, token)| &token.name[..]).collect();
        let radius = tokens::token_radius(&names);
        let named = tokens.iter().zip(names);
        let named: Vec<_> = named.map(|((at, _), name)| (first + at, name)).collect();
        // An arrow would cross the label of an edge: the place that a token goes to is marked.
        let places = (&before[..], &after[..]);
        tokens::discs(canvas, &named, &vertices, places, (radius, ON_BOARD));
    }
    if !states.is_empty() {
        let corner = below(canvas);
        let written = |place: usize, number: &Option<BigUint>| {
            number.as_ref().map(|number| written(game, place, number))
        };
        let states = states.into_iter().map(|(at, state)| StateBox {
            name: &state.name,
            index: first + at,
            value: written(first + at, &state.size),
            after: written(first + at, &state.after),
        });
        loose::states(canvas, &states.collect::<Vec<_>>(), corner);
    }
}

/// The lengths of the block that all heaps make: those of a game without a board whose only
/// group has several indices and no gap.
fn block(game: &Game, heaps: usize) -> Option<Vec<usize>> {
    let [group] = &game.groups[..] else {
        return None;
    };
    let lengths = group.axes.iter().map(|axis| axis.last - axis.first + 1);
    let lengths: Vec<usize> = lengths
        .map(|length| usize::try_from(length).unwrap_or(0))
        .collect();
    let is_whole = group.heaps.len() == heaps && lengths.iter().product::<usize>() == heaps;
    (game.board.is_none() && is_whole && lengths.len() > 1).then_some(lengths)
}

/// A multiset of heaps as rows of squares or as columns.
fn any_number(canvas: &mut Canvas, game: &Game, heaps: &[(Heap, Presence)], any_size: bool) {
    if heaps.is_empty() {
        let font = Font::italic(15.0);
        return canvas.text((0.0, 0.0), "no heap", font, Anchor::Start, FAINT);
    }
    let is_in_rows = game.presentation.view.is_some();
    if is_in_rows {
        view::rows(canvas, heaps, view::Spacing::Apart);
    } else {
        loose::marked_columns(canvas, heaps, Look::Tokens, (0.0, 0.0));
    }
    if any_size {
        let (x, y) = canvas.high();
        let at = (x + 14.0, if is_in_rows { y - 14.0 } else { y - 40.0 });
        canvas.text(at, "…", Font::bold(20.0), Anchor::Start, FAINT);
    }
}

/// The heaps of a multiset, each with its kind; those that a move makes last. Without a
/// position one of each kind.
fn multiset(
    kinds: &HeapKinds,
    position: Option<&[u64]>,
    after: Option<&[u64]>,
) -> Vec<(Heap, Presence)> {
    let Some(position) = position else {
        let names = match kinds.names.as_slice() {
            [] => vec!["n".to_owned()],
            names => names.to_vec(),
        };
        let heaps = names
            .iter()
            .map(|name| (Heap::named(name), Presence::Stays));
        return heaps.collect();
    };
    let heap = |code: u64| {
        let (size, kind) = kinds.decode(code);
        let name = kinds.names.get(kind).map_or("", String::as_str);
        Heap {
            size: Some(BigUint::from(size)),
            ..Heap::named(name)
        }
    };
    let gone = after.map_or_else(Vec::new, |after| without(position, after));
    let new = after.map_or_else(Vec::new, |after| without(after, position));
    let mut left = gone;
    let drawn = |index: usize, code: u64| Heap {
        index: Some(index),
        ..heap(code)
    };
    let mut list: Vec<(Heap, Presence)> = Vec::new();
    let mut goes: Vec<(Heap, Presence)> = Vec::new();
    // A heap of which there are several goes once for each time it is gone.
    let is_heap = |code: &u64| kinds.state(*code).is_none();
    for (index, code) in position.iter().enumerate() {
        if !is_heap(code) {
            continue;
        }
        if let Some(at) = left.iter().position(|other| other == code) {
            left.remove(at);
            goes.push((drawn(index, *code), Presence::Goes));
        } else {
            list.push((drawn(index, *code), Presence::Stays));
        }
    }
    list.extend(goes);
    let new = new.iter().filter(|code| is_heap(code));
    list.extend(new.map(|code| (heap(*code), Presence::Comes)));
    list
}

/// Draws the states of a multiset below its heaps.
fn states_of_multiset(
    canvas: &mut Canvas,
    kinds: &HeapKinds,
    position: Option<&[u64]>,
    after: Option<&[u64]>,
) {
    let corner = |canvas: &Canvas| (canvas.low().0, canvas.high().1 + 26.0);
    let Some(position) = position else {
        let named = kinds.states.iter().enumerate();
        let named = named.map(|(index, (name, _))| StateBox {
            name,
            index,
            value: None,
            after: None,
        });
        return loose::states(canvas, &named.collect::<Vec<_>>(), corner(canvas));
    };
    let after = |state: usize| {
        let mut states = after?.iter().filter_map(|code| kinds.state(*code));
        states.find_map(|(other, value)| (other == state).then_some(value))
    };
    let boxes = position.iter().enumerate().filter_map(|(index, code)| {
        let (state, value) = kinds.state(*code)?;
        Some(StateBox {
            name: &kinds.states[state].0,
            index,
            value: Some(value.to_string()),
            after: after(state)
                .filter(|after| *after != value)
                .map(|value| value.to_string()),
        })
    });
    let boxes: Vec<StateBox<'_>> = boxes.collect();
    loose::states(canvas, &boxes, corner(canvas));
}

/// The members of a multiset that are not in another.
fn without(these: &[u64], others: &[u64]) -> Vec<u64> {
    let mut others = others.to_vec();
    these
        .iter()
        .filter(
            |code| match others.iter().position(|other| other == *code) {
                Some(at) => {
                    others.remove(at);
                    false
                }
                None => true,
            },
        )
        .copied()
        .collect()
}

/// The text alternative: what is drawn, the position and the move, in words.
fn description(game: &Game, position: Option<&Position>, after: Option<&Position>) -> String {
    let mut words = match (&game.board, &game.position_kind) {
        (Some(board), _) => format!("Board {}: {}", board.name(), game.presentation.heaps_line),
        (None, PositionKind::Tokens(digraph)) => format!("A digraph with {digraph}"),
        (None, PositionKind::Multiset(_)) => "Any number of heaps".to_owned(),
        (None, _) => match &game.presentation.view {
            Some(view) => view::words(view, &game.heap_names[..game.first_state()]),
            None => format!("Heaps: {}", game.heap_names.join(" ")),
        },
    };
    let Some(position) = position else {
        words.push('.');
        return words;
    };
    let number = |place: usize, number: &BigUint| match game.digraph_of(place) {
        Some(_) => format!("on {}", written(game, place, number)),
        None => number.to_string(),
    };
    let names = || game.heap_names.iter().enumerate();
    let is_multiset = matches!(game.position_kind, PositionKind::Multiset(_));
    let before = position.numbers();
    if is_multiset {
        words.push_str(&format!(". Position {}", position.shown(game)));
    } else {
        let all = names().zip(&before);
        let all: Vec<String> = all
            .map(|((place, name), size)| format!("{name} {}", number(place, size)))
            .collect();
        words.push_str(&format!(". Position: {}", all.join(", ")));
    }
    if let Some(after) = after {
        if let (true, Some(position), Some(after)) = (is_multiset, position.small(), after.small())
        {
            let (gone, new) = (without(position, after), without(after, position));
            words.push_str(&format!(
                ". Marked move: {} becomes {}",
                game.shown(&gone),
                game.shown(&new)
            ));
        } else {
            let after = after.numbers();
            let changes: Vec<String> = names()
                .zip(before.iter().zip(&after))
                .filter(|(_, (before, after))| before != after)
                .map(|((place, name), (before, after))| {
                    let (before, after) = (number(place, before), number(place, after));
                    match game.digraph_of(place) {
                        Some(_) => format!("{name} {before}, then {name} {after}"),
                        None => format!("{name} from {before} to {after}"),
                    }
                })
                .collect();
            words.push_str(&format!(". Marked move: {}", changes.join(", ")));
        }
    }
    words.push('.');
    words
}
