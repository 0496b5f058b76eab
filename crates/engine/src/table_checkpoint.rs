//! Checkpoints of a table: its first answers, from which a later run resumes.

use super::table::{IS_N, IS_P, NO_POSITION, NO_VALUE, Prefix, TableValues};
use super::{Engine, Limits, Query, Question, Shape, SolveError, Solver, Table};
use nimrule_kernels::SlabState;

/// The checkpoint at which the filling of a table begins, and an observer of its
/// progress.
pub struct TableCheckpoints<'s> {
    /// The first answers, from an earlier run.
    pub from: Option<TableValues>,
    /// Called at intervals with the number of answers and the answers.
    pub observer: &'s mut dyn FnMut(u64, &dyn SlabState),
}

/// The number of outcomes in a byte.
const TOGETHER: usize = 4;

/// The saved form. An outcome has two bits. For Grundy values the first byte is the
/// number of bytes of each value; a value is stored plus 1, and 0 means that the
/// vector is not a position.
impl SlabState for Prefix<'_> {
    fn save(&self, out: &mut Vec<u8>) {
        match self {
            Prefix::Outcomes(values) => {
                out.reserve(values.len().div_ceil(TOGETHER));
                out.extend(values.chunks(TOGETHER).map(|few| {
                    few.iter()
                        .rev()
                        .fold(0, |byte, value| byte << 2 | value & 3)
                }));
            }
            Prefix::Grundy(values) => {
                let shifted = values.iter().map(|value| value.wrapping_add(1));
                let most = shifted.clone().max().unwrap_or(0);
                let width = (4 - most.leading_zeros() as usize / 8).max(1);
                out.reserve(1 + width * values.len());
                out.push(width as u8);
                for value in shifted {
                    out.extend_from_slice(&value.to_le_bytes()[..width]);
                }
            }
        }
    }
}

/// Decodes saved answers; `None` if the bytes are malformed.
pub fn read(question: Question, count: u64, bytes: &[u8]) -> Option<TableValues> {
    let count = usize::try_from(count).ok()?;
    match question {
        Question::Outcome => {
            if bytes.len() != count.div_ceil(TOGETHER) {
                return None;
            }
            let mut values: Vec<u8> = bytes
                .iter()
                .flat_map(|byte| (0..TOGETHER).map(move |place| byte >> (2 * place) & 3))
                .collect();
            values.truncate(count);
            let are_known = values
                .iter()
                .all(|value| [IS_N, IS_P, NO_POSITION].contains(value));
            are_known.then_some(TableValues::Outcomes(values))
        }
        Question::Grundy => {
            let (width, bytes) = bytes.split_first()?;
            let width = usize::from(*width);
            if !(1..=4).contains(&width) || bytes.len() != count.checked_mul(width)? {
                return None;
            }
            let values = bytes.chunks_exact(width).map(|few| {
                let mut value = [0; 4];
                value[..width].copy_from_slice(few);
                u32::from_le_bytes(value).wrapping_sub(1)
            });
            Some(TableValues::Grundy(values.collect()))
        }
    }
}

/// Fills a table by an engine that can resume from its first answers.
pub fn fill_with_checkpoints(
    engine: &dyn Engine,
    solver: &Solver<'_>,
    shape: &Shape,
    query: Query,
    limits: &Limits,
    growth: TableCheckpoints<'_>,
) -> Result<Table, SolveError> {
    // The checkpoint is assembled in memory.
    let copied = match query.question {
        Question::Outcome => shape.len / TOGETHER,
        Question::Grundy => 4 * shape.len,
    };
    let needed = engine.bytes(solver, &shape.most, query);
    limits
        .check_memory(needed.saturating_add(copied as u128))
        .map_err(SolveError::from)?;
    engine.fill_from(solver, shape, query, limits, growth)
}

/// The largest Grundy value, without vectors that are not positions.
pub fn largest(values: &[u32]) -> u32 {
    let of_positions = values.iter().filter(|value| **value != NO_VALUE);
    of_positions.copied().max().unwrap_or(0)
}
