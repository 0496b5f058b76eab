//! Moves as a person types them.

use super::options::Options;
use super::session::Session;
use super::words;
use nimrule_engine::SolveError;
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::position::Position;
use num_bigint::BigUint;

/// A line read as a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// The position after the move.
    Move(Position),
    /// No move.
    Wrong {
        /// Why.
        why: String,
        /// How moves are typed, if the reason leaves that open.
        ways: Option<String>,
    },
}

impl Typed {
    fn wrong(why: String) -> Typed {
        Typed::Wrong { why, ways: None }
    }
}

impl Session<'_> {
    /// Reads a move at a position with these options: the position after it, its words
    /// (`take 2 from a`), heaps with amounts (`a 2 b 1`), or the amount where there is one
    /// heap (`2`).
    ///
    /// # Errors
    ///
    /// A fault in the rule, or a limit.
    pub fn typed(
        &self,
        position: &Position,
        line: &str,
        options: &Options,
    ) -> Result<Typed, SolveError> {
        read(self, position, line, options)
    }

    /// How moves at a position are typed: `type the position after it, …`.
    pub fn ways_to_type(&self, position: &Position) -> String {
        ways(self.game(), position)
    }
}

/// Numbers or vertices without brackets as a position, `3 4 5` as `(3,4,5)`; another text as
/// it is.
pub fn in_brackets(written: &str) -> String {
    let numbers = |c: char| c.is_ascii_digit() || c == ',' || c.is_whitespace();
    // Vertices have names: `A` and `spring,sea`.
    let names = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ',');
    if written.chars().all(numbers) || written.chars().all(names) {
        let sizes: Vec<&str> = written
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|s| !s.is_empty())
            .collect();
        format!("({})", sizes.join(","))
    } else if written.contains(';') && !written.starts_with('(') {
        format!("({written})")
    } else {
        written.to_owned()
    }
}

fn read(
    session: &Session<'_>,
    position: &Position,
    line: &str,
    options: &Options,
) -> Result<Typed, SolveError> {
    let game = session.game();
    let with_ways = |why: String| Typed::Wrong {
        why,
        ways: Some(ways(game, position)),
    };
    let wanted = normalised(line);
    let by_words: Vec<&Position> = options
        .list
        .iter()
        .filter(|to| {
            let words = normalised(&words::change(game, position, to));
            words == wanted || words.strip_prefix("take ") == Some(wanted.as_str())
        })
        .collect();
    if let [only] = by_words[..] {
        return Ok(Typed::Move(only.clone()));
    }
    if let Some(taken) = one_amount(session, position, line, options) {
        return taken;
    }
    if let Some(to) = amounts(game, position, line) {
        return match to {
            Ok(to) => chosen(session, position, to, options),
            Err(why) => Ok(Typed::wrong(why)),
        };
    }
    match session.read(&in_brackets(line)) {
        Ok(to) => chosen(session, position, to, options),
        Err(_) => Ok(with_ways(format!("`{line}` is not a move"))),
    }
}

/// How moves are typed in this game.
fn ways(game: &Game, position: &Position) -> String {
    let example = match &game.position_kind {
        _ if one_heap(game, position).is_some() => {
            format!(
                "what is taken, such as `1`, or the position after it, such as `{}`",
                position.shown(game)
            )
        }
        PositionKind::Multiset(_) => "the position after it, such as `{1,4}`".to_owned(),
        PositionKind::Tokens(_) => "the position after it, or `slide to PLACE`".to_owned(),
        PositionKind::Heaps | PositionKind::Reals => {
            let sizes = position.numbers();
            let first = sizes
                .iter()
                .position(|size| *size > BigUint::ZERO)
                .unwrap_or(0);
            let name = game.heap_names.get(first).map_or("a", String::as_str);
            format!("the position after it, or what is taken, such as `{name} 1`")
        }
    };
    format!("type {example}")
}

fn normalised(words: &str) -> String {
    let words = words.to_lowercase().replace(',', " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ")
}

/// A number of tokens.
fn tokens(number: &BigUint) -> String {
    match u128::try_from(number) {
        Ok(number) => words::counted(number, "token"),
        Err(_) => format!("{} tokens", words::shortened(&number.to_string())),
    }
}

/// The name of the only heap of a position, and its size.
fn one_heap<'g>(game: &'g Game, position: &Position) -> Option<(&'g str, BigUint)> {
    match &game.position_kind {
        PositionKind::Heaps if game.heap_count() - game.states.len() == 1 => {
            Some((&game.heap_names[0], position.numbers().swap_remove(0)))
        }
        PositionKind::Multiset(kinds) => match position.small()? {
            [heap] => Some(("the heap", kinds.decode(*heap).0.into())),
            _ => None,
        },
        PositionKind::Heaps | PositionKind::Tokens(_) | PositionKind::Reals => None,
    }
}

/// A number alone, `2` or `take 2`, where there is one heap: the move that takes so many.
/// In brackets it is the position after the move.
fn one_amount(
    session: &Session<'_>,
    position: &Position,
    line: &str,
    options: &Options,
) -> Option<Result<Typed, SolveError>> {
    let game = session.game();
    let (name, size) = one_heap(game, position)?;
    let digits = line.strip_prefix("take ").unwrap_or(line).trim();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount = BigUint::parse_bytes(digits.as_bytes(), 10)?;
    if amount > size {
        let tokens = tokens(&size);
        let why = format!("{name} has {tokens}; {amount} cannot be taken");
        return Some(Ok(Typed::wrong(why)));
    }
    let with_ways = |why: String| Typed::Wrong {
        why,
        ways: Some(ways(game, position)),
    };
    let none = || with_ways(format!("no move takes {amount} from {name}"));
    let wanted = size - &amount;
    let is_single = game.position_kind == PositionKind::Heaps && game.states.is_empty();
    if is_single {
        let to: Position = [wanted].into_iter().collect();
        let is_beyond = !options.all && !options.list.contains(&to);
        return Some(
            match is_beyond.then(|| session.is_option(position, &to, None)) {
                Some(Err(failure)) => Err(failure),
                Some(Ok(true)) => Ok(Typed::Move(to)),
                None if options.list.contains(&to) => Ok(Typed::Move(to)),
                _ => Ok(none()),
            },
        );
    }
    let left = |to: &Position| match (&game.position_kind, to.small()) {
        (PositionKind::Multiset(kinds), Some(to)) => to
            .iter()
            .map(|heap| BigUint::from(kinds.decode(*heap).0))
            .sum(),
        _ => to.numbers().swap_remove(0),
    };
    let taking: Vec<&Position> = options
        .list
        .iter()
        .filter(|to| left(to) == wanted)
        .collect();
    Some(Ok(match taking[..] {
        [only] => Typed::Move(only.clone()),
        [] => none(),
        _ => with_ways(format!("several moves take {amount} from {name}")),
    }))
}

/// A list of heaps, each with the number taken from it: `a 2 b 1`, `a=2, b=1`.
fn amounts(game: &Game, position: &Position, line: &str) -> Option<Result<Position, String>> {
    if game.position_kind != PositionKind::Heaps {
        return None;
    }
    let line = line.strip_prefix("take ").unwrap_or(line);
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty() && !matches!(*word, "from" | "and"))
        .collect();
    if words.len() % 2 == 1 || words.is_empty() {
        return None;
    }
    let heap = |name: &str| game.heap_names.iter().position(|heap| heap == name);
    let mut to = position.numbers();
    for pair in words.chunks(2) {
        let (name, amount) = match (heap(pair[0]), heap(pair[1])) {
            (Some(name), _) => (name, pair[1]),
            (None, Some(name)) => (name, pair[0]),
            (None, None) => return None,
        };
        let amount = BigUint::parse_bytes(amount.as_bytes(), 10)?;
        if amount > to[name] {
            let tokens = tokens(&to[name]);
            return Some(Err(format!(
                "{} has {tokens}; {amount} cannot be taken",
                game.heap_names[name]
            )));
        }
        to[name] -= amount;
    }
    Some(Ok(to.into_iter().collect()))
}

/// The move to a position, or why the rule does not allow it, with the nearest moves.
fn chosen(
    session: &Session<'_>,
    position: &Position,
    to: Position,
    options: &Options,
) -> Result<Typed, SolveError> {
    let game = session.game();
    if options.list.contains(&to) || (!options.all && session.is_option(position, &to, None)?) {
        return Ok(Typed::Move(to));
    }
    if to == *position {
        return Ok(Typed::wrong(
            "that is the position as it stands; a move changes it".to_owned(),
        ));
    }
    let mut near: Vec<&Position> = options.list.iter().collect();
    near.sort_by_key(|option| distance(option, &to));
    let near: Vec<String> = near
        .iter()
        .take(3)
        .map(|option| words::change(game, position, option))
        .collect();
    Ok(Typed::wrong(format!(
        "no move of the rule leads to {}; moves near it: {}",
        words::position(game, &to),
        near.join("; ")
    )))
}

fn distance(one: &Position, other: &Position) -> BigUint {
    let (one, other) = (one.numbers(), other.numbers());
    let differences = one.iter().zip(&other).map(|(a, b)| a.max(b) - a.min(b));
    let lengths = 100 * one.len().abs_diff(other.len());
    differences.fold(BigUint::from(lengths), |sum, difference| sum + difference)
}
