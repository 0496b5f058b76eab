//! Automata as the text files of Walnut (Shallit, *The Logical Approach to Automatic Sequences*,
//! 2022).
//!
//! The first line has the numeration of each track, such as `msd_2 msd_2`. Then each state has a
//! line with its number and whether it accepts, 1 or 0, and a line `0 1 -> 3` for each letter.
//! The first state is the initial one. A letter without a line is rejected with all that
//! follows.

use super::table::TableDfa;
use super::{Budget, Numeration};
use nimrule_limits::LimitExceeded;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use thiserror::Error;

/// Why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The first line does not have one numeration, the same for each track.
    #[error("its first line must have the same numeration for each number, such as `msd_2 msd_2`")]
    Head,
    /// The numeration has no counterpart here.
    #[error(
        "the numeration `{0}` is unknown: a base is `msd_2` to `msd_16`, Zeckendorf's `msd_fib`"
    )]
    Numeration(String),
    /// A line is neither a state nor an arc.
    #[error("line {0} is neither a state, such as `0 1`, nor an arc, such as `0 1 -> 2`")]
    Line(usize),
    /// A state outputs another number than 0 or 1.
    #[error("line {0} outputs a number other than 0 and 1: it is no set")]
    Output(usize),
    /// A letter has two arcs from one state, or a state has two lines.
    #[error("line {0} repeats a state or an arc: the automaton is not deterministic")]
    Twice(usize),
    /// It has no state, or an arc leads to a state that it does not have.
    #[error("it has no state {0}")]
    State(u32),
    /// There are too many letters.
    #[error("it has too many numbers for a table of its letters")]
    Wide,
    /// Leading zeros change what it accepts.
    #[error("leading zeros change what it accepts")]
    Zeros,
    /// A limit was exceeded.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

/// The text of an automaton; `None` if Walnut has no numeration of this kind.
pub fn text(table: &TableDfa, numeration: Numeration) -> Option<String> {
    let name = match numeration {
        Numeration::Base(base) => format!("msd_{base}"),
        Numeration::Ostrowski(1) => "msd_fib".to_owned(),
        Numeration::Ostrowski(_) => return None,
    };
    // Walnut begins with the first state.
    let mut order: Vec<u32> = (0..table.states() as u32).collect();
    order.swap(0, table.start as usize);
    let alphabet = table.alphabet();
    let mut text = vec![name; table.tracks].join(" ") + "\n";
    for state in order {
        let accepts = u8::from(table.is_accepting(state));
        let _ = write!(text, "\n{state} {accepts}\n");
        for letter in 0..alphabet.count() {
            for track in 0..table.tracks {
                let _ = write!(text, "{} ", alphabet.digit(letter, track));
            }
            let _ = writeln!(text, "-> {}", table.step(state, letter));
        }
    }
    Some(text)
}

/// The minimal table of a text, with its numeration. Words that represent no numbers may be
/// accepted; [`Dfa::over_numbers`](super::Dfa::over_numbers) rejects them.
///
/// # Errors
///
/// Why it is not read.
pub fn read(text: &str, budget: &Budget) -> Result<(TableDfa, Numeration), ReadError> {
    let lines = text.lines().map(str::trim).zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty());
    let head = lines.next().map_or("", |(line, _)| line);
    let systems: Vec<&str> = head.split_whitespace().collect();
    let tracks = systems.len();
    let [first, rest @ ..] = &systems[..] else {
        return Err(ReadError::Head);
    };
    if !first.starts_with("msd_") || rest.iter().any(|other| other != first) {
        return Err(ReadError::Head);
    }
    let numeration = match first.trim_start_matches("msd_") {
        "fib" => Numeration::Ostrowski(1),
        base => match base.parse() {
            Ok(base @ 2..=16) => Numeration::Base(base),
            _ => return Err(ReadError::Numeration((*first).to_owned())),
        },
    };
    let radix = numeration.radix();
    let letters = radix
        .checked_pow(tracks as u32)
        .filter(|all| *all <= 1 << 20);
    let letters = letters.ok_or(ReadError::Wide)?;
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut output = Vec::new();
    // The states as the text names them, and the lines of the arcs to them.
    let mut named: Vec<Option<u32>> = Vec::new();
    for (line, number) in lines {
        budget.tick(|| named.len() * 8)?;
        let (read, to) = line
            .split_once("->")
            .map_or((line, None), |(a, b)| (a, Some(b)));
        let read: Result<Vec<u32>, _> = read.split_whitespace().map(str::parse).collect();
        let read = read.map_err(|_| ReadError::Line(number))?;
        match (&read[..], to) {
            (&[state, accepts], None) => {
                if accepts > 1 {
                    return Err(ReadError::Output(number));
                }
                if numbers.insert(state, output.len() as u32).is_some() {
                    return Err(ReadError::Twice(number));
                }
                output.push(accepts == 1);
                named.resize(output.len() * letters, None);
            }
            (digits, Some(to)) => {
                let is_letter = digits.iter().all(|digit| (*digit as usize) < radix);
                let to = to.trim().parse();
                let (true, true, Ok(to), Some(state)) = (
                    digits.len() == tracks,
                    is_letter,
                    to,
                    output.len().checked_sub(1),
                ) else {
                    return Err(ReadError::Line(number));
                };
                let backwards = digits.iter().rev();
                let letter = backwards.fold(0, |all, digit| all * radix + *digit as usize);
                if named[state * letters + letter].replace(to).is_some() {
                    return Err(ReadError::Twice(number));
                }
            }
            _ => return Err(ReadError::Line(number)),
        }
    }
    if output.is_empty() {
        return Err(ReadError::State(0));
    }
    let sink = output.len() as u32;
    output.push(false);
    let next = named.into_iter().map(|to| match to {
        None => Ok(sink),
        Some(to) => numbers.get(&to).copied().ok_or(ReadError::State(to)),
    });
    let mut next = next.collect::<Result<Vec<u32>, ReadError>>()?;
    next.resize(output.len() * letters, sink);
    let table = TableDfa {
        tracks,
        base: radix,
        start: 0,
        output,
        next,
    };
    let table = table.minimised(|| budget.tick(|| 0))?;
    if !table.is_well_formed() {
        return Err(ReadError::Zeros);
    }
    Ok((table, numeration))
}
