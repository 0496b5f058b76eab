//! Matchings of the heaps of two rules that lower heaps of fixed sets.

use nimrule_claim::same_as::ranging;
use nimrule_engine::Solver;
use nimrule_ir::Fact;
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Game, SameAs};
use std::collections::BTreeSet;

/// The most partial matchings that are tried.
const MOST_TRIED: usize = 100_000;

/// A kind of moves: each heap of a set is lowered by any number of tokens or by at most one, while
/// some heaps are empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Lowering {
    is_slow: bool,
    of: BTreeSet<usize>,
    while_empty: BTreeSet<usize>,
}

impl Lowering {
    /// Whether another kind has all moves of this one.
    fn is_within(&self, other: &Lowering) -> bool {
        self.of.is_subset(&other.of)
            && other.while_empty.is_subset(&self.while_empty)
            && (self.is_slow || !other.is_slow)
    }

    fn has(&self, heap: usize) -> bool {
        self.of.contains(&heap) || self.while_empty.contains(&heap)
    }

    /// What of a kind stays when the heaps get other names, as seen from one of its heaps.
    fn shape(&self, heap: usize) -> (bool, usize, usize, bool) {
        let of = self.of.contains(&heap);
        (self.is_slow, self.of.len(), self.while_empty.len(), of)
    }

    /// This kind with the matched heaps; `None` if one has no partner yet.
    fn matched(&self, matching: &[Option<usize>]) -> Option<Lowering> {
        let heaps = |set: &BTreeSet<usize>| {
            let heaps = set.iter().map(|heap| matching[*heap]);
            heaps.collect::<Option<BTreeSet<usize>>>()
        };
        Some(Lowering {
            is_slow: self.is_slow,
            of: heaps(&self.of)?,
            while_empty: heaps(&self.while_empty)?,
        })
    }
}

/// The kinds of moves where all heaps but some are empty, without those within others; in an
/// error the rule is of another form. Every tuple of sizes is a position of a rule of this form.
fn lowerings(solver: &Solver<'_>, free: &[usize]) -> Fact<BTreeSet<Lowering>> {
    let sets = solver.profile.lowered_sets.as_ref().map_err(Clone::clone)?;
    let heaps = |set: &[HeapId]| {
        let heaps = set.iter().map(|heap| heap.index());
        heaps.filter(|heap| free.contains(heap)).collect()
    };
    let kind = |is_slow: bool, of: &[HeapId], while_empty: &[HeapId]| Lowering {
        is_slow,
        of: heaps(of),
        while_empty: heaps(while_empty),
    };
    let all = sets.any_amount.iter().map(|set| kind(false, set, &[]));
    let slow = sets.at_most_one.iter().map(|set| kind(true, set, &[]));
    let conditional = sets.while_empty.iter();
    let conditional = conditional.map(|(of, empty)| kind(false, of, empty));
    let kinds: BTreeSet<Lowering> = all.chain(slow).chain(conditional).collect();
    let is_needed = |one: &Lowering| {
        let has_all = |other: &Lowering| other != one && one.is_within(other);
        !one.of.is_empty() && !kinds.iter().any(has_all)
    };
    Ok(kinds.iter().filter(|one| is_needed(one)).cloned().collect())
}

/// A matching of the heaps that the condition leaves free with those of the other game that carries
/// the moves of either game to those of the other, if both lower heaps of fixed sets.
pub fn same_sets(here: &Solver<'_>, claimed: &SameAs) -> Option<Vec<Option<usize>>> {
    let there = Solver::new(&claimed.other);
    let is_of_heaps = |game: &Game| game.no_grundy_values().is_none() && game.states.is_empty();
    if !is_of_heaps(here.game) || !is_of_heaps(there.game) {
        return None;
    }
    let free = ranging(here.game, claimed);
    let all: Vec<usize> = (0..there.game.heap_count()).collect();
    let (ours, theirs) = (lowerings(here, &free).ok()?, lowerings(&there, &all).ok()?);
    if free.len() != all.len() || ours.len() != theirs.len() {
        return None;
    }
    let mut search = Search {
        ours: ours.into_iter().collect(),
        theirs,
        free,
        matching: vec![None; here.game.heap_count()],
        tried: 0,
    };
    search.goes_on(0).then_some(search.matching)
}

/// The search for a matching, heap by heap.
struct Search {
    ours: Vec<Lowering>,
    theirs: BTreeSet<Lowering>,
    free: Vec<usize>,
    matching: Vec<Option<usize>>,
    tried: usize,
}

impl Search {
    /// Whether the matching of the first heaps is a part of one that carries all kinds to those of
    /// the other game, which it then is.
    fn goes_on(&mut self, matched: usize) -> bool {
        let Some(heap) = self.free.get(matched).copied() else {
            return true;
        };
        for partner in 0..self.free.len() {
            self.tried += 1;
            if self.tried > MOST_TRIED {
                return false;
            }
            if self.matching.contains(&Some(partner)) || !self.are_alike(heap, partner) {
                continue;
            }
            self.matching[heap] = Some(partner);
            let carries = self.ours.iter().filter(|kind| kind.has(heap)).all(|kind| {
                let there = kind.matched(&self.matching);
                there.is_none_or(|kind| self.theirs.contains(&kind))
            });
            if carries && self.goes_on(matched + 1) {
                return true;
            }
            self.matching[heap] = None;
        }
        false
    }

    /// Whether two heaps are in kinds of the same shapes.
    fn are_alike(&self, heap: usize, partner: usize) -> bool {
        fn shapes<'k>(
            kinds: impl Iterator<Item = &'k Lowering>,
            heap: usize,
        ) -> Vec<(bool, usize, usize, bool)> {
            let kinds = kinds.filter(|kind| kind.has(heap));
            let mut shapes: Vec<_> = kinds.map(|kind| kind.shape(heap)).collect();
            shapes.sort_unstable();
            shapes
        }
        shapes(self.ours.iter(), heap) == shapes(self.theirs.iter(), partner)
    }
}
