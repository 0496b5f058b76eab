//! Codes of taking-and-breaking games, as Guy and Smith (1956) write them.
//!
//! In `0.137` the digit in the t-th place after the point says what may be
//! left when t tokens are removed: its bit r, of value 2^r, allows exactly r
//! non-empty heaps. The digit before the point speaks of removing nothing,
//! which is a move only if the heap is broken, so 4, 8 and 12 are all it can
//! be. Digits of 8 and above, `a` to `f` for 10 to 15, allow three heaps.
//! A last `...` repeats the digit before it for ever: `0.3...` is Nim.

use super::Way;
use super::runs::ENDLESS;
use thiserror::Error;

/// What is wrong with a code, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct CodeFault {
    /// The first byte of the text that is at fault.
    pub at: usize,
    /// How many bytes are, at least one unless the text is too short.
    pub len: usize,
    pub why: Why,
}

/// What may be wrong with a code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Why {
    #[error("a code is a digit, a point, and digits: `0.137`")]
    Empty,
    #[error("`{0}` is no digit: digits are 0 to 9 and a to f")]
    NoDigit(char),
    #[error("one digit stands before the point, for removing nothing")]
    LongHead,
    #[error("a point comes after the first digit: `0.137`")]
    NoPoint,
    #[error("a code has one point")]
    SecondPoint,
    #[error("digits come after the point: what removing 1, 2, 3, … may leave")]
    NothingAfterPoint,
    #[error(
        "removing nothing must break the heap, so the digit before the point \
         is 0, 4, 8 or c, and not `{0}`"
    )]
    StandsStill(char),
    #[error("`...` repeats the digit before it, and there is none")]
    NothingToRepeat,
    #[error("nothing comes after `...`: it repeats the last digit for ever")]
    AfterRepeat,
    #[error("every digit is 0, so there is no move")]
    NoMove,
}

/// Reads a code.
pub fn parse_code(text: &str) -> Result<Vec<Way>, CodeFault> {
    let fault = |at: usize, why: Why| {
        let len = text[at..].chars().next().map_or(0, char::len_utf8);
        Err(CodeFault { at, len, why })
    };
    if text.is_empty() {
        return fault(0, Why::Empty);
    }
    // Winning Ways leaves the 0 before the point away.
    let (head, point) = match text.find('.') {
        None => return fault(text.len(), Why::NoPoint),
        Some(0) => (None, 0),
        Some(_) => {
            let mut letters = text.char_indices();
            let (_, first) = letters.next().unwrap_or((0, '.'));
            let Some(head) = first.to_digit(16) else {
                return fault(0, Why::NoDigit(first));
            };
            if head & 3 != 0 {
                return fault(0, Why::StandsStill(first));
            }
            match letters.next() {
                Some((at, '.')) => (Some(head), at),
                Some((at, second)) if second.is_ascii_hexdigit() => {
                    return fault(at, Why::LongHead);
                }
                Some((at, second)) => return fault(at, Why::NoDigit(second)),
                None => return fault(text.len(), Why::NoPoint),
            }
        }
    };
    let mut digits = vec![head.unwrap_or(0)];
    let mut endless = false;
    let mut at = point + 1;
    while at < text.len() {
        let rest = &text[at..];
        let dots = ["...", "…"].into_iter().find(|dots| rest.starts_with(dots));
        if let Some(dots) = dots {
            if digits.len() == 1 {
                return fault(at, Why::NothingToRepeat);
            }
            if at + dots.len() < text.len() {
                return fault(at + dots.len(), Why::AfterRepeat);
            }
            endless = true;
            break;
        }
        let letter = rest.chars().next().unwrap_or('.');
        match letter.to_digit(16) {
            Some(digit) => digits.push(digit),
            None if letter == '.' => return fault(at, Why::SecondPoint),
            None => return fault(at, Why::NoDigit(letter)),
        }
        at += letter.len_utf8();
    }
    if digits.len() == 1 {
        return fault(text.len(), Why::NothingAfterPoint);
    }
    if digits.iter().all(|digit| *digit == 0) {
        return fault(0, Why::NoMove);
    }
    Ok(ways(&digits, endless))
}

/// A way for each number of heaps, those with the same numbers removed as one.
fn ways(digits: &[u32], endless: bool) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for parts in 0..4 {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (removed, digit) in (0_u64..).zip(digits) {
            if digit >> parts & 1 == 0 {
                continue;
            }
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == removed => *end = removed,
                _ => runs.push((removed, removed)),
            }
        }
        let last = digits.len() as u64 - 1;
        if let Some((_, end)) = runs.last_mut()
            && endless
            && *end == last
        {
            *end = ENDLESS;
        }
        if runs.is_empty() {
            continue;
        }
        match ways.last_mut() {
            Some(way) if way.leaves.1 + 1 == parts && way.removes == runs => way.leaves.1 = parts,
            _ => ways.push(Way {
                removes: runs,
                leaves: (parts, parts),
                distinct: false,
            }),
        }
    }
    ways
}
