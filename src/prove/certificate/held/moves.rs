//! The moves of a rule, held against what they were read as.

use super::{Refused, next};
use crate::engine::Shape;
use crate::game::Game;
use crate::ir;
use crate::limits::Limits;
use std::collections::BTreeSet;

/// So many positions are looked at for the moves of a rule.
const MOST_MOVED: u128 = 10_000;

/// Whether the moves of the rule are those of its selections, at every
/// position of a small box, which reaches to the size returned.
///
/// What the selections are is concluded from the form of the rule. Here the
/// walk through its graph, which is what a move means, is held against them.
pub(super) fn selections_are(
    game: &Game,
    family: &dyn Fn(u32) -> Vec<u32>,
    limits: &Limits,
) -> Result<u64, Refused> {
    let heaps = game.heap_count();
    let most = if Shape::count(&vec![2; heaps]) <= MOST_MOVED {
        2
    } else {
        1
    };
    let graph = ir::lower(game);
    let largest = vec![most; heaps];
    let mut position = vec![0; heaps];
    loop {
        limits.within_time()?;
        let support = support_of(&position);
        let allowed = family(support);
        let mut wanted = BTreeSet::new();
        let mut option = vec![0; heaps];
        while next(&mut option, &position) {
            wanted.insert(option.clone());
        }
        wanted.insert(vec![0; heaps]);
        wanted.retain(|option| {
            let lowered = (0..heaps)
                .filter(|&heap| option[heap] < position[heap])
                .fold(0u32, |all, heap| all | 1 << heap);
            lowered != 0 && allowed.iter().any(|set| lowered & !set == 0)
        });
        let shown = || Refused::Moves(game.shown(&position));
        let found = ir::moves(&graph, &position).map_err(|_| shown())?;
        if !found.iter().eq(&wanted) {
            return Err(shown());
        }
        if !next(&mut position, &largest) {
            return Ok(most);
        }
    }
}

/// The heaps that are not empty, as bits.
fn support_of(position: &[u64]) -> u32 {
    let numbered = position.iter().enumerate();
    numbered
        .filter(|(_, size)| **size > 0)
        .fold(0, |all, (heap, _)| all | 1 << heap)
}
