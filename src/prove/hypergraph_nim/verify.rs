//! A certificate, checked by itself.
//!
//! Nothing here is shared with the prover but the format ([`Certificate`]),
//! the limits and the store for macro-sets; the rule is asked only which
//! selections there are at a support. In order:
//!
//! 1. every diagram is one, and zeros in front do not count for the set;
//! 2. misere: no position without a move is in the set;
//! 3. no move leads from the set into it: pairs of nodes are followed, with
//!    the heaps that have become smaller and the support;
//! 4. every step is the one before raised at its heap, in both directions:
//!    all that is reached is accepted, and all that is accepted is reached
//!    ([`step`]);
//! 5. every image keeps the set;
//! 6. the parts cover every position ([`cover`]).

use super::certificate::{Certificate, Part};
use crate::automata::levelled::{ACCEPT, LevelledDfa, REJECT};
use crate::automata::memo::Memo;
use crate::limits::{Limits, Met};
use thiserror::Error;

mod cover;
mod step;

use cover::covers;
use step::{accepts_no_more, accepts_raised};

/// Why a certificate is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("a diagram is not one")]
    Malformed,
    #[error("a position without a move is in the set, in misere play")]
    Stuck,
    #[error("a move leads from the set into it")]
    Within,
    #[error("part {part} does not raise its selection heap by heap")]
    Heaps { part: usize },
    #[error("step {step} of part {part} is not the one before, raised")]
    Step { part: usize, step: usize },
    #[error("an image of part {part} does not keep the set")]
    Image { part: usize },
    #[error("a position is not covered")]
    Uncovered,
    #[error(transparent)]
    Met(#[from] Met),
}

/// The selections of a rule, support by support.
pub type Family<'a> = &'a dyn Fn(u32) -> Vec<u32>;

/// What moves there are, from the families alone.
struct Moves {
    heaps: usize,
    misere: bool,
    families: Vec<Vec<u32>>,
}

impl Moves {
    /// Whether a move from a position of this support may lower this set of
    /// its heaps.
    fn allow(&self, support: u32, lowered: u32) -> bool {
        self.families[support as usize]
            .iter()
            .any(|&set| lowered & !set == 0)
    }

    fn is_stuck(&self, support: u32) -> bool {
        self.families[support as usize]
            .iter()
            .all(|&set| set & support == 0)
    }

    /// Whether heaps may be lowered at this support or at a larger one.
    fn may_allow(&self, support: u32, lowered: u32) -> bool {
        (support..1 << self.heaps).any(|more| support & !more == 0 && self.allow(more, lowered))
    }
}

/// Checks that the certificate proves its set to be that of the P-positions.
pub fn verify(
    heaps: usize,
    misere: bool,
    family: Family<'_>,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<(), Refused> {
    let set = &certificate.set;
    if heaps == 0 || heaps > super::MOST_HEAPS || !is_diagram(set, heaps, set.base) {
        return Err(Refused::Malformed);
    }
    let zeros = (0..heaps).fold(set.starts[0], |node, _| set.after(node, 0));
    if zeros != set.starts[0] {
        return Err(Refused::Malformed);
    }
    let moves = Moves {
        heaps,
        misere,
        families: (0..1u32 << heaps).map(family).collect(),
    };
    if misere && stuck_in(set, &moves) {
        return Err(Refused::Stuck);
    }
    if moved_within(set, &moves, limits)? {
        return Err(Refused::Within);
    }
    for (index, part) in certificate.parts.iter().enumerate() {
        check_part(set, index, part, limits)?;
    }
    if !covers(certificate, &moves, limits)? {
        return Err(Refused::Uncovered);
    }
    Ok(())
}

/// Whether the nodes are as the format says.
pub(in crate::prove) fn is_diagram(diagram: &LevelledDfa, heaps: usize, base: usize) -> bool {
    let nodes = diagram.level.len();
    let shape = diagram.tracks == heaps
        && diagram.base == base
        && (2..=16).contains(&base)
        && diagram.starts.len() == 1
        && nodes >= 2
        && diagram.accepting.len() == nodes
        && diagram.next.len() == nodes * base
        && diagram.accepting[..2] == [false, true]
        && diagram.level[..2] == [0, 0];
    let fits = |node: u32, level: usize| {
        node <= ACCEPT
            || (node as usize) < nodes && usize::from(diagram.level[node as usize]) == level
    };
    shape
        && fits(diagram.starts[0], 0)
        && (0..nodes).all(|node| {
            let level = usize::from(diagram.level[node]);
            let after = &diagram.next[node * base..(node + 1) * base];
            if node <= ACCEPT as usize {
                return after.iter().all(|&to| to as usize == node);
            }
            level < heaps
                && (level == 0 || !diagram.accepting[node])
                && after.iter().all(|&to| fits(to, (level + 1) % heaps))
        })
}

/// Whether a position without a move is in the set.
fn stuck_in(set: &LevelledDfa, moves: &Moves) -> bool {
    let mut seen = Memo::default();
    let mut waiting = vec![(set.starts[0], 0u32, 0usize)];
    while let Some((node, support, level)) = waiting.pop() {
        if level == 0 && set.accepting[node as usize] && moves.is_stuck(support) {
            return true;
        }
        for digit in 0..set.base {
            let support = if digit == 0 {
                support
            } else {
                support | 1 << level
            };
            let to = (set.after(node, digit), support, (level + 1) % set.tracks);
            if to.0 != REJECT && seen.add(to) {
                waiting.push(to);
            }
        }
    }
    false
}

/// Whether a move leads from the set into it.
fn moved_within(set: &LevelledDfa, moves: &Moves, limits: &Limits) -> Result<bool, Met> {
    let supports = 1usize << set.tracks;
    // Whether a set of heaps may be lowered, at a support or at a larger one.
    let mut possible = vec![None; supports * supports];
    // Where the set of lowered heaps is used with every support alike, the
    // supports need not be told apart.
    let alike = (0..supports).all(|support| moves.families[support] == moves.families[0]);
    let start = (set.starts[0], set.starts[0], 0u32, 0u32, 0usize);
    let mut seen = Memo::default();
    let mut waiting = vec![start];
    seen.add(start);
    let mut count = 0u32;
    while let Some((node, other, loose, support, level)) = waiting.pop() {
        count = count.wrapping_add(1);
        if count & 0xfff == 0 {
            limits.within_time()?;
            limits.within_memory(seen.bytes() as u128)?;
        }
        if level == 0
            && loose != 0
            && set.accepting[node as usize]
            && set.accepting[other as usize]
            && moves.allow(support, loose)
        {
            return Ok(true);
        }
        let bit = 1u32 << level;
        for digit in 0..set.base {
            let support = if digit == 0 || alike {
                support
            } else {
                support | bit
            };
            for lower in 0..set.base {
                let more = match lower.cmp(&digit) {
                    std::cmp::Ordering::Equal => loose,
                    std::cmp::Ordering::Less => loose | bit,
                    std::cmp::Ordering::Greater if loose & bit != 0 => loose,
                    std::cmp::Ordering::Greater => continue,
                };
                let to = (
                    set.after(node, digit),
                    set.after(other, lower),
                    more,
                    support,
                    (level + 1) % set.tracks,
                );
                let place = support as usize * supports + more as usize;
                if to.0 == REJECT
                    || to.1 == REJECT
                    || !*possible[place]
                        .get_or_insert_with(|| moves.may_allow(support, more) || more == 0)
                {
                    continue;
                }
                if seen.add(to) {
                    waiting.push(to);
                }
            }
        }
    }
    Ok(false)
}

fn check_part(
    set: &LevelledDfa,
    part: usize,
    given: &Part,
    limits: &Limits,
) -> Result<(), Refused> {
    let heaps = set.tracks;
    let raised = given
        .steps
        .iter()
        .fold(0u32, |all, &(heap, _)| all | 1 << (heap % 32));
    if raised != given.selection
        || raised >> heaps != 0
        || given.steps.len() != raised.count_ones() as usize
        || given.images.is_empty()
    {
        return Err(Refused::Heaps { part });
    }
    let mut before = set;
    for (step, (heap, after)) in given.steps.iter().enumerate() {
        if !is_diagram(after, heaps, set.base) {
            return Err(Refused::Malformed);
        }
        let heap = usize::from(*heap);
        if !accepts_raised(before, heap, after, limits)?
            || !accepts_no_more(before, heap, after, limits)?
        {
            return Err(Refused::Step { part, step });
        }
        before = after;
    }
    for images in &given.images {
        let mut sorted = images.clone();
        sorted.sort_unstable();
        let is_permutation = sorted.iter().map(|&to| usize::from(to)).eq(0..heaps);
        if !is_permutation || !keeps(set, images, limits)? {
            return Err(Refused::Image { part });
        }
    }
    Ok(())
}

/// Whether the set stays the same when the heaps are permuted.
fn keeps(set: &LevelledDfa, images: &[u8], limits: &Limits) -> Result<bool, Met> {
    let heaps = set.tracks;
    let letters = set.base.pow(heaps as u32);
    let mut seen = Memo::default();
    let mut waiting = vec![(set.starts[0], set.starts[0])];
    seen.add(waiting[0]);
    let mut digits = vec![0; heaps];
    let mut turned = vec![0; heaps];
    while let Some((node, other)) = waiting.pop() {
        limits.within_time()?;
        if set.accepting[node as usize] != set.accepting[other as usize] {
            return Ok(false);
        }
        for letter in 0..letters {
            let mut rest = letter;
            for heap in 0..heaps {
                digits[heap] = rest % set.base;
                turned[usize::from(images[heap])] = digits[heap];
                rest /= set.base;
            }
            let to = (
                digits
                    .iter()
                    .fold(node, |node, &digit| set.after(node, digit)),
                turned
                    .iter()
                    .fold(other, |node, &digit| set.after(node, digit)),
            );
            if (to.0 != to.1 || to.0 > ACCEPT) && seen.add(to) {
                waiting.push(to);
            }
        }
    }
    Ok(true)
}
