//! Integer sequences compared with a list of known ones, without a network.
//!
//! The list is `oeis/core.txt`: sequences that take-away games meet, each with its number in
//! the On-Line Encyclopedia of Integer Sequences (<https://oeis.org>), a description, and its
//! first terms. A match says that the first terms agree, and nothing about later ones.

use std::sync::LazyLock;

/// The least number of terms that must agree.
pub const LEAST_TERMS: usize = 12;

/// The largest number of terms that are passed over at the beginning of either sequence.
const LARGEST_SHIFT: usize = 3;

static CORE: &str = include_str!("oeis/core.txt");

/// A known sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its number, such as `A000201`.
    pub number: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its first terms.
    pub terms: Vec<u64>,
}

/// Terms that agree with those of a known sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The known sequence.
    pub known: &'static Known,
    /// The number of first terms of the compared sequence that are passed over.
    pub skipped: usize,
    /// The number of first terms of the known sequence that are passed over.
    pub skipped_of_known: usize,
    /// The number of terms after these that were compared, all of which agree.
    pub agree: usize,
}

/// The known sequences, by number.
///
/// # Examples
///
/// ```
/// use nimrule_sequence::oeis::core;
///
/// let odd = core().iter().find(|known| known.number == "A005408").unwrap();
/// assert_eq!(odd.terms[..4], [1, 3, 5, 7]);
/// ```
pub fn core() -> &'static [Known] {
    static PARSED: LazyLock<Vec<Known>> = LazyLock::new(|| {
        let lines = CORE.lines().filter(|line| !line.starts_with('#'));
        // INVARIANT: the tests read every line of the list.
        lines
            .map(|line| parsed(line).unwrap_or_else(|| unreachable!("{line}")))
            .collect()
    });
    &PARSED
}

/// A line `A000201 lower Wythoff sequence: 1,3,4,6`: number, title and terms.
fn parsed(line: &'static str) -> Option<Known> {
    let (head, terms) = line.rsplit_once(": ")?;
    let (number, title) = head.split_once(' ')?;
    let terms: Result<Vec<u64>, _> = terms.split(',').map(str::parse).collect();
    Some(Known {
        number,
        title,
        terms: terms.ok()?,
    })
}

/// The known sequences with which the terms agree: at least [`LEAST_TERMS`] terms that are not
/// all equal, after up to three first terms of one of both. Those come first after which fewer
/// terms are passed over, then those of which more terms agree.
///
/// # Examples
///
/// ```
/// use nimrule_sequence::oeis::matches;
///
/// let found = matches(&[0, 1, 3, 4, 6, 8, 9, 11, 12, 14, 16, 17, 19]);
/// assert_eq!((found[0].known.number, found[0].skipped, found[0].agree), ("A000201", 1, 12));
/// assert_eq!(matches(&[7; 40]), []);
/// ```
pub fn matches(terms: &[u64]) -> Vec<Match> {
    let shifts = (0..=LARGEST_SHIFT).flat_map(|shift| [(shift, 0), (0, shift)]);
    let shifts: Vec<(usize, usize)> = shifts.skip(1).collect();
    let best = |known: &'static Known| {
        shifts.iter().find_map(|&(skipped, skipped_of_known)| {
            let ours = terms.get(skipped..)?;
            let theirs = known.terms.get(skipped_of_known..)?;
            let agree = ours.len().min(theirs.len());
            let is_match = agree >= LEAST_TERMS
                && ours[..agree] == theirs[..agree]
                && ours[..agree].iter().any(|term| *term != ours[0]);
            is_match.then_some(Match {
                known,
                skipped,
                skipped_of_known,
                agree,
            })
        })
    };
    let mut found: Vec<Match> = core().iter().filter_map(best).collect();
    found.sort_by_key(|found| {
        let shift = found.skipped + found.skipped_of_known;
        (shift, std::cmp::Reverse(found.agree))
    });
    found
}
