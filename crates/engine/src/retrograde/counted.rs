//! Boxes of games in which the opponent may block options and every move takes the same number
//! from each heap of a set.
//!
//! The options of a position lie on *lines*, one for each set: the positions that differ by the
//! same number in all heaps of the set. A box is solved in the order of places, in which options
//! come first, and the P-positions of each line are linked, the last one first. A P-position has
//! at most as many P-positions among its options as may be blocked, so that the links are short.

use super::super::table::{IS_N, IS_P};
use super::super::{Limits, Shape, SolveError};
use nimrule_ir::EqualNumbers;
use nimrule_model::game::Convention;

/// A P-position of a line.
struct Link {
    /// The smallest of the heaps of the set.
    least: u64,
    /// The index of the one before plus 1; 0 for the first.
    before: u32,
}

/// A set of heaps, with all numbers that may be taken from each of them.
struct Takes {
    heaps: Vec<usize>,
    /// The intervals of numbers, ascending and disjoint, both ends included.
    runs: Vec<(u64, u64)>,
}

/// The lines of the moves that take the same number from each heap of a set.
struct Lines {
    takes: Takes,
    /// The difference of places that one token of each heap makes.
    stride: usize,
    /// By place of the first position of a line, the index of its last link plus 1.
    last: Vec<u32>,
    links: Vec<Link>,
}

impl Lines {
    /// The line of a position, as the place of its first position, and the position's place on it.
    fn of(&self, position: &[u64], place: usize) -> (usize, u64) {
        let sizes = self.takes.heaps.iter().map(|heap| position[*heap]);
        let least = sizes.min().unwrap_or(0);
        (place - least as usize * self.stride, least)
    }

    /// The number of P-positions among the options, counted to `most`.
    fn p_options(&self, (line, least): (usize, u64), most: u64) -> u64 {
        let mut count = 0;
        let mut next = self.last[line];
        while next > 0 && count < most {
            let link = &self.links[next as usize - 1];
            let taken = least - link.least;
            if self.takes.runs.last().is_none_or(|(_, most)| taken > *most) {
                break;
            }
            let is_run = |(low, high): &(u64, u64)| (*low..=*high).contains(&taken);
            count += u64::from(self.takes.runs.iter().any(is_run));
            next = link.before;
        }
        count
    }

    /// The number of options.
    fn options(&self, least: u64) -> u64 {
        let runs = self.takes.runs.iter().filter(|(low, _)| *low <= least);
        runs.map(|(low, high)| least.min(*high) - low + 1).sum()
    }

    fn add_p_position(&mut self, (line, least): (usize, u64)) {
        let before = self.last[line];
        self.links.push(Link { least, before });
        self.last[line] = self.links.len() as u32;
    }
}

/// The sets of heaps with all numbers that may be taken from each.
fn by_heaps(sets: &[EqualNumbers]) -> Vec<Takes> {
    let mut found: Vec<Takes> = Vec::new();
    for set in sets {
        let heaps: Vec<usize> = set.heaps.iter().map(|heap| heap.index()).collect();
        match found.iter_mut().find(|known| known.heaps == heaps) {
            Some(known) => known.runs.extend(&set.runs),
            None => found.push(Takes {
                heaps,
                runs: set.runs.clone(),
            }),
        }
    }
    for takes in &mut found {
        takes.runs.sort_unstable();
        takes.runs.dedup_by(|(low, high), (_, high_before)| {
            let overlaps = *low <= *high_before;
            if overlaps {
                *high_before = (*high_before).max(*high);
            }
            overlaps
        });
    }
    found
}

/// The number of positions between two checks of the limits.
const BETWEEN_CHECKS: usize = 1 << 16;

/// The outcomes of a box, as codes of a table, where up to `blocked` options may be blocked.
///
/// # Errors
///
/// A limit is exceeded.
pub fn outcomes(
    shape: &Shape,
    sets: &[EqualNumbers],
    blocked: u32,
    convention: Convention,
    limits: &Limits,
) -> Result<Vec<u8>, SolveError> {
    let sets = by_heaps(sets);
    // The outcomes, and the lines and links of each set.
    let bytes = shape.len as u128 * (1 + 4 * sets.len() as u128);
    limits.check_memory(bytes).map_err(SolveError::from)?;
    let mut all: Vec<Lines> = sets
        .into_iter()
        .map(|takes| Lines {
            stride: takes.heaps.iter().map(|heap| shape.strides[*heap]).sum(),
            takes,
            last: vec![0; shape.len],
            links: Vec::new(),
        })
        .collect();
    let more = u64::from(blocked) + 1;
    let mut values = vec![IS_N; shape.len];
    let mut places = vec![(0, 0); all.len()];
    let mut p_positions = 0_u128;
    shape.try_each(|position, place| {
        if place % BETWEEN_CHECKS == 0 {
            limits.check_time()?;
            let links = p_positions * all.len() as u128 * size_of::<Link>() as u128;
            limits.check_memory(bytes + links)?;
        }
        let mut count = 0;
        for (lines, on) in all.iter().zip(&mut places) {
            *on = lines.of(position, place);
            count += lines.p_options(*on, more - count);
            if count == more {
                return Ok(());
            }
        }
        // Under misère play a position all of whose options are P-positions is won.
        if convention == Convention::Misere {
            let options = all
                .iter()
                .zip(&places)
                .map(|(lines, (_, least))| lines.options(*least));
            if options.sum::<u64>() == count {
                return Ok(());
            }
        }
        values[place] = IS_P;
        p_positions += 1;
        for (lines, on) in all.iter_mut().zip(&places) {
            lines.add_p_position(*on);
        }
        Ok::<(), SolveError>(())
    })?;
    Ok(values)
}
