//! Moves as a person types them.

use super::options::Options;
use super::session::Session;
use super::words;
use nimrule_engine::SolveError;
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::position::Position;
use num_bigint::BigUint;
use std::collections::BTreeMap;

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
    /// (`take 2 from a`, `9 becomes 4 4`), heaps with amounts (`a 2 b 1`) or with their new sizes
    /// (`a=2`), or the amount where there is one heap (`2`).
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

    /// Whether a number alone is a move at this position: what is taken from the only heap, or the
    /// place of the only token.
    pub fn reads_a_number(&self, position: &Position) -> bool {
        let game = self.game();
        let is_token = matches!(game.position_kind, PositionKind::Tokens(_));
        one_heap(game, position).is_some() || is_token && game.heap_count() == 1
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
    let wanted = normalised(game, line);
    let by_words: Vec<&Position> = options
        .list
        .iter()
        .filter(|to| {
            let words = normalised(game, &words::change(game, position, to));
            words == wanted || words.strip_prefix("take ") == Some(wanted.as_str())
        })
        .collect();
    if let [only] = by_words[..] {
        return Ok(Typed::Move(only.clone()));
    }
    if let Some(taken) = one_amount(session, position, line, options) {
        return taken;
    }
    if let Some(sizes) = sizes_after(game, position, line) {
        return match sizes {
            Ok(sizes) => with_sizes(session, position, line, &sizes, options),
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
        PositionKind::Multiset(_) => "what becomes of a heap, such as `9 becomes 4 4`, or the \
                                      position after it, such as `{1,4}`"
            .to_owned(),
        PositionKind::Tokens(_) => "the position after it, or `slide to PLACE`".to_owned(),
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            let sizes = position.numbers();
            let first = sizes
                .iter()
                .position(|size| *size > BigUint::ZERO)
                .unwrap_or(0);
            let name = game.heap_names.get(first).map_or("a", String::as_str);
            format!(
                "the position after it, what is taken, such as `{name} 1`, or what is left, such as \
                 `{name}=0`"
            )
        }
    };
    format!("type {example}")
}

/// Words of a move without differences that mean nothing: case and commas and, where heaps become
/// others, their brackets and their order.
fn normalised(game: &Game, words: &str) -> String {
    let words = words.to_lowercase().replace(',', " ");
    if !matches!(game.position_kind, PositionKind::Multiset(_)) {
        return words.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let words = words.replace(['{', '}', '(', ')'], " ");
    let words = words.replace("->", " becomes ").replace('→', " becomes ");
    let mut sides: Vec<Vec<&str>> = vec![Vec::new()];
    for word in words.split_whitespace() {
        match word {
            "becomes" | "into" | "to" => sides.push(Vec::new()),
            "split" | "and" | "nothing" => {}
            word => sides.last_mut().expect("there is a side").push(word),
        }
    }
    let sides = sides.iter_mut().map(|side| {
        side.sort_unstable();
        side.join(" ")
    });
    sides.collect::<Vec<_>>().join(" becomes ")
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
        PositionKind::Heaps
        | PositionKind::Tokens(_)
        | PositionKind::Reals
        | PositionKind::Open(_) => None,
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

/// The words of a line, and `=` as a word; the indices of a heap are part of its name.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut depth = 0_usize;
    for letter in line.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_blank = letter.is_whitespace();
        match letter {
            '=' if depth == 0 => words.extend(["=".to_owned(), String::new()]),
            _ if depth == 0 && (is_blank || letter == ',') => words.push(String::new()),
            _ if is_blank => {}
            _ => words.last_mut().expect("there is a word").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Heaps with the numbers taken from them, `a 2 b 1`, or with their new sizes, `a=2`: each with
/// its size after the move.
fn sizes_after(
    game: &Game,
    position: &Position,
    line: &str,
) -> Option<Result<BTreeMap<usize, BigUint>, String>> {
    if game.position_kind != PositionKind::Heaps {
        return None;
    }
    let mut words = words_of(line.strip_prefix("take ").unwrap_or(line));
    words.retain(|word| !matches!(word.as_str(), "from" | "and"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let heap = |name: &str| game.heap_names.iter().position(|heap| heap == name);
    let before = position.numbers();
    let mut after: BTreeMap<usize, BigUint> = BTreeMap::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (name, number, is_size, others) = match rest {
            [name, "=", number, others @ ..] => (heap(name)?, number, true, others),
            [one, other, others @ ..] => match (heap(one), heap(other)) {
                (Some(name), _) => (name, other, false, others),
                (None, Some(name)) => (name, one, false, others),
                (None, None) => return None,
            },
            _ => return None,
        };
        let number = BigUint::parse_bytes(number.as_bytes(), 10)?;
        let size = after.get(&name).unwrap_or(&before[name]);
        let left = match is_size {
            true => number,
            false if number > *size => {
                let tokens = tokens(size);
                return Some(Err(format!(
                    "{} has {tokens}; {number} cannot be taken",
                    game.heap_names[name]
                )));
            }
            false => size - number,
        };
        after.insert(name, left);
        rest = others;
    }
    (!after.is_empty()).then_some(Ok(after))
}

/// The move after which heaps have these sizes: of several moves that which changes the fewest
/// others, as a bite of Chomp shortens other rows.
fn with_sizes(
    session: &Session<'_>,
    position: &Position,
    line: &str,
    sizes: &BTreeMap<usize, BigUint>,
    options: &Options,
) -> Result<Typed, SolveError> {
    let game = session.game();
    let before = position.numbers();
    let fits = |option: &Position| {
        let after = option.numbers();
        sizes.iter().all(|(heap, size)| after[*heap] == *size)
    };
    let others = |option: &Position| {
        let after = option.numbers();
        let heaps = (0..game.first_state()).filter(|heap| !sizes.contains_key(heap));
        heaps.filter(|heap| after[*heap] != before[*heap]).count()
    };
    let fitting = || options.list.iter().filter(|option| fits(option));
    let fewest = fitting().map(others).min();
    let found: Vec<&Position> = fitting()
        .filter(|option| Some(others(option)) == fewest)
        .collect();
    match found[..] {
        [only] => Ok(Typed::Move(only.clone())),
        [] => {
            // `a=2` may be the whole position, whose other heaps are empty.
            let to = session.read(&in_brackets(line)).unwrap_or_else(|_| {
                let size = |(heap, size)| sizes.get(&heap).cloned().unwrap_or(size);
                before.into_iter().enumerate().map(size).collect()
            });
            chosen(session, position, to, options)
        }
        _ => Ok(Typed::Wrong {
            why: format!("several moves are meant by `{line}`"),
            ways: Some(ways(game, position)),
        }),
    }
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
