//! Counterexamples of claims that the engines find.
//!
//! A proved claim is compared with the engines in small boxes
//! ([`find_contradiction`]). A wrong translation of an operator proves false
//! theorems, and most such errors are visible at small positions, or near a constant
//! of the rule or the claim. So boxes of a few hundred positions that extend just
//! beyond these constants are solved and compared with the claim.
//!
//! A refuted claim is reported with a position at which the engines find that it
//! fails ([`refute`]): the smallest one, if all positions with fewer tokens can be
//! solved. The automata find only that the claim fails, and near which position.

use super::certificate;
use nimrule_claim::{
    self as claim, ClaimStatus, Counterexample, PositionFact, SmallestCounterexample,
};
use nimrule_engine::{self as engine, Limits, Shape, SolveError, Solver};
use nimrule_ir::MoveGraph;
use nimrule_limits::Steps;
use nimrule_model::expr::{Num, Part};
use nimrule_model::game::{Claim, Game, HeapKinds, PositionKind, Statement};
use std::collections::BTreeSet;

/// The most positions of a box.
const MAX_POSITIONS: u128 = 2_000;

/// The most options in a box.
const MAX_OPTIONS: u128 = 60_000;

/// The most boxes.
const MAX_BOXES: usize = 12;

/// The work for solving all boxes, and for one, before half of its heaps' sizes are tried.
const PATIENCE: Steps = Steps::million(2);
const A_BOX: Steps = Steps(40_000);

/// The size of heaps from which on a box is not made smaller.
const SMALL_HEAP: u64 = 4;

/// Sizes next to powers of two, for rules that depend on digits.
const NEAR_POWERS: [u64; 4] = [5, 9, 17, 33];

/// Returns a position at which the engines contradict a proved claim.
///
/// # Errors
///
/// An interruption. Boxes that the engines cannot solve are skipped.
pub fn find_contradiction(
    game: &Game,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let solver = Solver::new(game);
    let limits = certificate::checking(limits).cap_work(PATIENCE);
    let Some(statement) = of_positions(claim) else {
        return wrong_move(&solver, claim, SMALL, &limits);
    };
    let asked = claim::asked(claim);
    let mut boxes = boxes(&solver, &sizes(&solver.graph, statement));
    boxes.reverse();
    while let Some(mut most) = boxes.pop() {
        let one = limits.cap_work(A_BOX);
        let table = match engine::fill(&solver, &most, asked, &one, None) {
            Ok(table) => table,
            Err(SolveError::Stopped) => return Err(SolveError::Stopped),
            // From a box, moves that put tokens on other heaps may lead to any number of positions.
            Err(SolveError::Work { .. })
                if most.iter().any(|size| *size > SMALL_HEAP)
                    && limits.work_left() != Some(Steps(0)) =>
            {
                most.iter_mut().for_each(|size| *size = size.div_ceil(2));
                boxes.push(most);
                continue;
            }
            Err(SolveError::Fault { fault, position }) => {
                return Ok(Some(Counterexample {
                    position,
                    actual: PositionFact::Words(format!("the engines report: {fault}")),
                    claimed: PositionFact::Words("every expression has a value".to_owned()),
                }));
            }
            Err(_) => continue,
        };
        match claim::check(&solver, statement, &table, &limits) {
            Ok(ClaimStatus::Refuted(found)) => return Ok(Some(found)),
            Err(SolveError::Stopped) => return Err(SolveError::Stopped),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// The sizes that boxes should reach, ascending: one more than each constant of
/// the rule and the claim, and than small powers of two.
fn sizes(rule: &MoveGraph, statement: &Statement) -> Vec<u64> {
    let mut sizes = BTreeSet::from(NEAR_POWERS);
    let mut look = |part: Part<'_>| {
        part.any(&mut |part| {
            if let Part::Num(Num::Const(value)) = part {
                sizes.insert(value.unsigned_abs().saturating_add(1));
            }
            false
        });
    };
    for part in rule.parts() {
        look(part.node);
    }
    match statement {
        Statement::Outcome { condition, .. } => look(Part::Bool(condition)),
        Statement::Grundy(value) => look(Part::Num(value)),
        _ => {}
    }
    sizes.into_iter().filter(|size| *size > 1).collect()
}

/// Boxes of the largest of these sizes that are small enough: one with all heaps
/// of the same size, and one for each pair of heaps and for each heap, with all others
/// nearly empty.
fn boxes(solver: &Solver<'_>, sizes: &[u64]) -> Vec<Vec<u64>> {
    let heaps = solver.game.heap_count();
    let fits = |most: &[u64]| {
        Shape::count(most) <= MAX_POSITIONS && engine::work_below(solver, most) <= MAX_OPTIONS
    };
    let largest = |make: &dyn Fn(u64) -> Vec<u64>| {
        let found = sizes.iter().rev().map(|size| make(*size));
        found.into_iter().find(|most| fits(most))
    };
    let mut boxes: Vec<Vec<u64>> = Vec::new();
    let cube = (1..=40).map(|size| solver.game.box_to(size));
    boxes.extend(cube.take_while(|most| fits(most)).last());
    let mut add = |made: Option<Vec<u64>>| {
        if let Some(most) = made
            && boxes.len() < MAX_BOXES
            && !boxes
                .iter()
                .any(|other| other.iter().zip(&most).all(|(a, b)| a >= b))
        {
            boxes.push(most);
        }
    };
    for one in 0..heaps {
        for other in one + 1..heaps {
            add(largest(&|size| {
                let mut most = solver.game.box_to(0);
                (most[one], most[other]) = (size, size);
                most
            }));
        }
    }
    for heap in 0..heaps {
        add(largest(&|size| {
            let mut most = solver.game.box_to(u64::from(heaps <= 4));
            most[heap] = size;
            most
        }));
    }
    boxes
}

/// The most positions, and the most options, of the boxes that are solved before a proof is
/// sought.
const SMALL: (u128, u128) = (MAX_POSITIONS, MAX_OPTIONS);

/// The most positions, and the most options, of a box in the search for the
/// counterexample of a claim that fails, or is not decided.
const LARGE: (u128, u128) = (400_000, 40_000_000);

/// The work for solving the positions that automata return. The number of positions
/// below one is not known in advance.
const SEARCH_PATIENCE: Steps = Steps::million(20);

/// Searches for a position at which the claim fails: in growing boxes, at the positions
/// `near` and their options, and among the positions with fewer tokens than those found.
/// Returns the smallest, if the positions with fewer tokens are few enough to be solved.
///
/// # Errors
///
/// An interruption, or a failure of the engines other than an exceeded limit at one
/// of the positions.
pub fn refute(
    game: &Game,
    claim: &Claim,
    near: &[Vec<u64>],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let solver = Solver::new(game);
    let mut found = SmallestCounterexample::default();
    let compared = match of_positions(claim) {
        Some(statement) => in_boxes(&solver, (claim, statement), LARGE, &mut found, limits)?,
        None => {
            if let Some(wrong) = wrong_move(&solver, claim, LARGE, limits)? {
                found.add(game, wrong);
            }
            Reach::Box(0)
        }
    };
    let Reach::Box(size) = compared else {
        return Ok(found.into_inner());
    };
    // A position with too many followers is skipped.
    let limits = limits.or_work(SEARCH_PATIENCE);
    let unless_limited = |wrong| match wrong {
        Err(SolveError::Memory { .. } | SolveError::Work { .. }) => Ok(None),
        other => other,
    };
    if found.get().is_none() {
        for position in near.iter().chain(&claim.refuted) {
            let wrong = claim::fails_at(&solver, claim, position, &limits);
            if let Some(wrong) = unless_limited(wrong)? {
                found.add(game, wrong);
            }
        }
    }
    if let Some(statement) = of_positions(claim) {
        let most = found
            .get()
            .map_or(u128::MAX, |found| game.tokens(&found.position));
        let asked = claim::asked(claim);
        let smaller = claim::by_total(&solver, statement, asked, size, most, &limits);
        if let Some(smaller) = unless_limited(smaller)? {
            found.add(game, smaller);
        }
    }
    Ok(found.into_inner())
}

/// The smallest counterexample of a claim of winning moves in growing boxes, up to the largest
/// with at most so many positions and options.
fn wrong_move(
    solver: &Solver<'_>,
    claim: &Claim,
    (positions, options): (u128, u128),
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    if !matches!(claim.statement, Some(Statement::WinsBy { .. })) {
        return Ok(None);
    }
    let limits = limits.or_work(SEARCH_PATIENCE);
    let fits = |size: u64| {
        let most = solver.game.box_to(size);
        Shape::count(&most) <= positions && engine::work_below(solver, &most) <= options
    };
    let mut size = 1;
    while fits(size) {
        match claim::check_alone(solver, claim, size, None, &limits) {
            Ok(Some(ClaimStatus::Refuted(found))) => {
                // One with fewer tokens may have a larger heap.
                let tokens = u64::try_from(solver.game.tokens(&found.position));
                match tokens {
                    Ok(tokens) if tokens > size && fits(tokens) => size = tokens,
                    _ => return Ok(Some(found)),
                }
            }
            Ok(_) => size += 1 + size / 2,
            Err(SolveError::Stopped) => return Err(SolveError::Stopped),
            Err(_) => break,
        }
    }
    Ok(None)
}

/// The smallest counterexample, if it is found in boxes that are solved at once. A claim
/// that fails there needs no automaton.
///
/// # Errors
///
/// An interruption.
pub fn small(
    game: &Game,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(statement) = of_positions(claim) else {
        return Ok(None);
    };
    let solver = Solver::new(game);
    let mut found = SmallestCounterexample::default();
    let limits = limits.cap_work(PATIENCE);
    match in_boxes(&solver, (claim, statement), SMALL, &mut found, &limits) {
        Ok(Reach::All) => Ok(found.into_inner()),
        Err(SolveError::Stopped) => Err(SolveError::Stopped),
        Ok(Reach::Box(_)) | Err(_) => Ok(None),
    }
}

/// How many positions are compared with a claim about any number of heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// So few that it takes no time, before a proof is sought.
    Few,
    /// More, where there is no proof.
    Many,
}

/// A counterexample of a claim about any number of heaps. Of multisets it is the smallest; of an
/// open number of heaps it is the smallest with the fewest heaps of those that are compared, at
/// most `MOST_HEAPS`.
///
/// # Errors
///
/// An interruption, or a fault in the rule or the claim.
pub fn of_any_number(
    game: &Game,
    claim: &Claim,
    compared: Compared,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    match (&game.position_kind, of_positions(claim)) {
        (PositionKind::Multiset(kinds), Some(statement)) => {
            of_multisets(game, (claim, statement), kinds, compared, limits)
        }
        (PositionKind::Open(least), _) => {
            let few = limits.half_work().cap_work(PATIENCE);
            at_few_heaps(game, claim, *least, |game, claim| match compared {
                Compared::Few => small(game, claim, &few),
                Compared::Many => refute(game, claim, &[], limits),
            })
        }
        _ => Ok(None),
    }
}

/// Returns a position at which the engines contradict a proved claim about any number of heaps:
/// where their number is open beside the constants ([`find_contradiction`]). The multisets with
/// few tokens have been compared before.
///
/// # Errors
///
/// An interruption.
pub fn find_contradiction_of_any_number(
    game: &Game,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    match game.position_kind {
        PositionKind::Open(least) => at_few_heaps(game, claim, least, |game, claim| {
            find_contradiction(game, claim, limits)
        }),
        _ => Ok(None),
    }
}

fn of_multisets(
    game: &Game,
    (claim, statement): (&Claim, &Statement),
    kinds: &HeapKinds,
    compared: Compared,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let solver = Solver::new(game);
    let (positions, patience) = match compared {
        Compared::Few => (MAX_POSITIONS, PATIENCE),
        Compared::Many => (LARGE.0, SEARCH_PATIENCE),
    };
    let limits = limits.half_work().cap_work(patience);
    let mut tokens = 8;
    while engine::multiset::count(kinds, tokens, positions) < positions {
        let solved = solver
            .region(tokens, &limits)
            .and_then(|region| {
                engine::fill_region(&solver, &region, claim::asked(claim), &limits, None)
            })
            .and_then(|table| claim::check(&solver, statement, &table, &limits));
        match solved {
            Ok(ClaimStatus::Refuted(found)) => return Ok(Some(found)),
            Ok(_) => {}
            Err(
                SolveError::Work { .. } | SolveError::Memory { .. } | SolveError::Cannot { .. },
            ) => break,
            Err(other) => return Err(other),
        }
        tokens += tokens / 3;
    }
    Ok(None)
}

/// What a search finds at the smallest number of heaps from `least` on at which it finds
/// something; nothing if there are more than [`MOST_HEAPS`] at least.
fn at_few_heaps(
    game: &Game,
    claim: &Claim,
    least: usize,
    search: impl Fn(&Game, &Claim) -> Result<Option<Counterexample>, SolveError>,
) -> Result<Option<Counterexample>, SolveError> {
    for count in least..=MOST_HEAPS {
        let few = game.at_number_of_heaps(count);
        let mut claim = claim.clone();
        claim.at_number_of_heaps(&few.heaps().collect::<Vec<_>>());
        if let Some(found) = search(&few, &claim)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The most heaps of the games with an open number of heaps that are solved.
const MOST_HEAPS: usize = 6;

/// The statement of a claim that is true or false of each position by its outcome or value.
fn of_positions(claim: &Claim) -> Option<&Statement> {
    claim.statement.as_ref().filter(|statement| {
        matches!(
            statement,
            Statement::Outcome { .. } | Statement::Grundy(_) | Statement::Pairing(_)
        )
    })
}

/// The positions that were compared with a claim.
enum Reach {
    /// All that are not larger than the counterexample that was found.
    All,
    /// The box with heaps up to this size.
    Box(u64),
}

/// Adds the smallest counterexample of growing boxes, up to the largest box with at most
/// these numbers of positions and options.
fn in_boxes(
    solver: &Solver<'_>,
    (claim, statement): (&Claim, &Statement),
    (most_positions, most_options): (u128, u128),
    found: &mut SmallestCounterexample,
    limits: &Limits,
) -> Result<Reach, SolveError> {
    let asked = claim::asked(claim);
    let (mut size, mut compared) = (1, 0);
    loop {
        let most = solver.game.box_to(size);
        let too_many = Shape::count(&most) > most_positions
            || engine::work_below(solver, &most) > most_options;
        if too_many || size > 4096 {
            return Ok(Reach::Box(compared));
        }
        let region = solver.region(size, limits)?;
        let table = engine::fill_region(solver, &region, asked, limits, None)?;
        compared = size;
        if let ClaimStatus::Refuted(wrong) = claim::check(solver, statement, &table, limits)? {
            found.add(solver.game, wrong);
        }
        let total = found.get().map(|found| solver.game.tokens(&found.position));
        // The box has all positions with at most `size` tokens.
        if total.is_some_and(|total| total <= u128::from(size)) {
            return Ok(Reach::All);
        }
        let next = size + size.div_ceil(3);
        let enough = total.and_then(|total| u64::try_from(total).ok());
        size = enough.map_or(next, |enough| next.min(enough));
    }
}
