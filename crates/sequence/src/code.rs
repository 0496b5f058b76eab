//! Octal codes of taking-and-breaking games (Guy and Smith 1956).
//!
//! In `0.137` the t-th digit after the point describes the removal of t tokens:
//! if its bit r, of value 2^r, is set, exactly r nonempty heaps may be left. The
//! digit before the point describes the removal of no tokens, which is a move
//! only if the heap is split, so it is 0, 4, 8 or 12. Digits from 8 on (`a` to
//! `f` for 10 to 15) allow three heaps. A final `...` repeats the digit before
//! it forever: `0.3...` is Nim.

use super::HeapMove;
use super::intervals::ENDLESS;
use thiserror::Error;

/// An error in a code, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct CodeError {
    /// The first byte of the faulty text.
    pub at: usize,
    /// The number of its bytes; 0 only at the end of the code.
    pub len: usize,
    /// The kind of error.
    pub kind: CodeErrorKind,
}

/// The kinds of errors in a code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CodeErrorKind {
    /// The code is empty.
    #[error("a code is a digit, a point, and digits: `0.137`")]
    Empty,
    /// A character is not a digit.
    #[error("`{0}` is not a digit: digits are 0 to 9 and a to f")]
    NoDigit(char),
    /// There are several digits before the point.
    #[error("one digit stands before the point, for removing nothing")]
    LongHead,
    /// There is no point.
    #[error("a point comes after the first digit: `0.137`")]
    NoPoint,
    /// There is a second point.
    #[error("a code has one point")]
    SecondPoint,
    /// There is no digit after the point.
    #[error("digits come after the point: what removing 1, 2, 3, … may leave")]
    NothingAfterPoint,
    /// The digit before the point allows a move that changes nothing.
    #[error(
        "removing nothing must break the heap, so the digit before the point \
         is 0, 4, 8 or c, and not `{0}`"
    )]
    NullMove(char),
    /// There is no digit before `...`.
    #[error("`...` repeats the digit before it, and there is none")]
    NothingToRepeat,
    /// There is text after `...`.
    #[error("nothing comes after `...`: it repeats the last digit for ever")]
    AfterRepeat,
    /// All digits are 0.
    #[error("every digit is 0, so there is no move")]
    NoMove,
}

/// Parses a code.
///
/// # Errors
///
/// The first error in the code.
pub fn parse_code(text: &str) -> Result<Vec<HeapMove>, CodeError> {
    let fault = |at: usize, kind: CodeErrorKind| {
        let len = text[at..].chars().next().map_or(0, char::len_utf8);
        Err(CodeError { at, len, kind })
    };
    if text.is_empty() {
        return fault(0, CodeErrorKind::Empty);
    }
    // *Winning Ways* omits the 0 before the point.
    let (head, point) = match text.find('.') {
        None => return fault(text.len(), CodeErrorKind::NoPoint),
        Some(0) => (None, 0),
        Some(_) => {
            let mut letters = text.char_indices();
            let (_, first) = letters.next().unwrap_or((0, '.'));
            let Some(head) = first.to_digit(16) else {
                return fault(0, CodeErrorKind::NoDigit(first));
            };
            if head & 3 != 0 {
                return fault(0, CodeErrorKind::NullMove(first));
            }
            match letters.next() {
                Some((at, '.')) => (Some(head), at),
                Some((at, second)) if second.is_ascii_hexdigit() => {
                    return fault(at, CodeErrorKind::LongHead);
                }
                Some((at, second)) => return fault(at, CodeErrorKind::NoDigit(second)),
                None => return fault(text.len(), CodeErrorKind::NoPoint),
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
                return fault(at, CodeErrorKind::NothingToRepeat);
            }
            if at + dots.len() < text.len() {
                return fault(at + dots.len(), CodeErrorKind::AfterRepeat);
            }
            endless = true;
            break;
        }
        let letter = rest.chars().next().unwrap_or('.');
        match letter.to_digit(16) {
            Some(digit) => digits.push(digit),
            None if letter == '.' => return fault(at, CodeErrorKind::SecondPoint),
            None => return fault(at, CodeErrorKind::NoDigit(letter)),
        }
        at += letter.len_utf8();
    }
    if digits.len() == 1 {
        return fault(text.len(), CodeErrorKind::NothingAfterPoint);
    }
    if digits.iter().all(|digit| *digit == 0) {
        return fault(0, CodeErrorKind::NoMove);
    }
    Ok(moves(&digits, endless))
}

/// The moves for each number of heaps left; equal ones are merged.
fn moves(digits: &[u32], endless: bool) -> Vec<HeapMove> {
    let mut moves: Vec<HeapMove> = Vec::new();
    for parts in 0..4 {
        let mut intervals: Vec<(u64, u64)> = Vec::new();
        for (removed, digit) in (0_u64..).zip(digits) {
            if digit >> parts & 1 == 0 {
                continue;
            }
            match intervals.last_mut() {
                Some((_, end)) if *end + 1 == removed => *end = removed,
                _ => intervals.push((removed, removed)),
            }
        }
        let last = digits.len() as u64 - 1;
        if let Some((_, end)) = intervals.last_mut()
            && endless
            && *end == last
        {
            *end = ENDLESS;
        }
        if intervals.is_empty() {
            continue;
        }
        match moves.last_mut() {
            Some(one) if one.leaves.1 + 1 == parts && one.removes == intervals => {
                one.leaves.1 = parts
            }
            _ => moves.push(HeapMove {
                removes: intervals,
                leaves: (parts, parts),
                distinct: false,
            }),
        }
    }
    moves
}
