//! What provers decide, and the moves as the prover and the certificate
//! checker read them, against the definition.

use super::options::constants;
use super::{Counts, box_size, is_cheap, within};
use crate::numbers::Numbers;
use nimrule_automata::{Dfa, Numeration};

use nimrule_checker::Rule;
use nimrule_definition::claim::Answers;
use nimrule_definition::{self as definition, Reached, Solution};
use nimrule_engine::Solver;
use nimrule_model::game::{Applies, Claim, Class, Convention, Field, Game};
use nimrule_prove::symbolic::formula::{of_heap, of_heap_after};
use nimrule_prove::theorem::{Prover, Trouble};
use nimrule_prove::{Verdict, discovered, prove};
use std::collections::BTreeSet;

/// A proof that takes longer is passed over.
const MILLISECONDS: u64 = 250;

/// Rules of more ways to move are not held against the checker's reading.
const MOST_WAYS: usize = 64;

/// Claims proved hold in a box, claims refuted fail at the position, and the
/// sets that are found without a claim are those of the P-positions.
pub fn verdicts(game: &Game, counts: &mut Counts) -> Result<(), String> {
    if game.field != Field::Heaps || game.no_values().is_some() {
        return Ok(());
    }
    let solver = Solver::new(game);
    let Some(most) = box_size(&solver, 1_200, 150_000) else {
        return Ok(());
    };
    let Ok(positions) = definition::positions(game, most) else {
        return Ok(());
    };
    let Ok(reached) = Reached::from(game, &positions) else {
        return Ok(());
    };
    for convention in [Convention::Normal, Convention::Misere] {
        let mut answers = Answers::of(&reached, convention);
        for claim in &game.claims {
            if claim.applies != Applies::Elsewhere && claim.convention == convention {
                verdict(game, &solver, claim, &positions, &mut answers, counts)?;
            }
        }
        if let Some((set, _)) = discovered(game, convention, &within(MILLISECONDS)) {
            counts.proved += 1;
            let solution = Solution::of(&reached, convention);
            for position in &positions {
                let is_p = solution.outcome(position) == Some(Class::P);
                if accepts(&set, position) != is_p {
                    return Err(format!(
                        "the set found for {convention:?} play is wrong about {}",
                        game.shown(position)
                    ));
                }
            }
        }
    }
    Ok(())
}

fn accepts(set: &Dfa, position: &[u64]) -> bool {
    let numbers: Vec<_> = position
        .iter()
        .enumerate()
        .map(|(heap, size)| (of_heap(heap), *size))
        .collect();
    set.accepts(&numbers)
}

fn verdict(
    game: &Game,
    solver: &Solver<'_>,
    claim: &Claim,
    positions: &[Vec<u64>],
    answers: &mut Answers<'_>,
    counts: &mut Counts,
) -> Result<(), String> {
    let at = |what: String| format!("the claim `{}`: {what}", claim.words);
    match prove(game, claim, &within(MILLISECONDS)) {
        Ok(Verdict::Proved(_)) => {
            counts.proved += 1;
            match answers.counterexample(claim, positions) {
                Ok(None) => Ok(()),
                Ok(Some(position)) => Err(at(format!("proved, and it fails at {position:?}"))),
                Err(fault) => Err(at(format!("proved, and it has a fault: {fault:?}"))),
            }
        }
        Ok(Verdict::Refuted(found)) => {
            let position = found.position;
            if game.tokens(&position) > 200 || !is_cheap(&solver.graph, &position, 3_000) {
                return Ok(());
            }
            let (Some(statement), Ok(reached)) = (
                &claim.statement,
                Reached::from(game, std::slice::from_ref(&position)),
            ) else {
                return Ok(());
            };
            let mut answers = Answers::of(&reached, claim.convention);
            match answers.holds_at(statement, &position) {
                Ok(Some(true)) => Err(at(format!("refuted at {position:?}, where it holds"))),
                Ok(Some(false)) => {
                    counts.refuted += 1;
                    Ok(())
                }
                Ok(None) | Err(_) => Ok(()),
            }
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The moves as the prover reads them and as the checker reads them, pair by
/// pair of positions.
pub fn relations(game: &Game, numbers: &mut Numbers, counts: &mut Counts) -> Result<(), String> {
    if game.field != Field::Heaps || game.no_values().is_some() || game.heap_count() > 6 {
        return Ok(());
    }
    let positions = around(game, numbers);
    by_prover(game, &positions, counts)?;
    by_checker(game, &positions, counts)
}

/// Small positions, and such with a heap at a power of two or at a constant of
/// the rule, one less and one more. However large the constants are, there are
/// positions beyond them.
fn around(game: &Game, numbers: &mut Numbers) -> Vec<Vec<u64>> {
    let solver = Solver::new(game);
    let mut edges = constants(game);
    edges.extend([16, 32, 64, 128]);
    let mut found = Vec::new();
    for _ in 0..12 {
        found.push((0..game.heap_count()).map(|_| numbers.below(5)).collect());
    }
    for _ in 0..12 {
        let mut position: Vec<u64> = (0..game.heap_count()).map(|_| numbers.below(3)).collect();
        for _ in 0..1 + numbers.below(2) {
            let edge = (*numbers.pick(&edges)).min(600);
            let heap = numbers.below(position.len() as u64) as usize;
            position[heap] = (edge + numbers.below(3)).saturating_sub(1);
        }
        found.push(position);
    }
    found.retain(|position| {
        definition::is_position(game, position) == Ok(true)
            && is_cheap(&solver.graph, position, 3_000)
    });
    found
}

/// Positions near a position and its options, of which some are options and
/// some are not.
fn candidates(game: &Game, position: &[u64], options: &BTreeSet<Vec<u64>>) -> BTreeSet<Vec<u64>> {
    let mut found: BTreeSet<Vec<u64>> = options.iter().take(60).cloned().collect();
    for start in options
        .iter()
        .step_by(options.len() / 12 + 1)
        .chain([&position.to_vec()])
    {
        for heap in 0..position.len() {
            let mut near = start.clone();
            near[heap] += 1;
            found.insert(near);
            let mut near = start.clone();
            near[heap] = near[heap].saturating_sub(1);
            found.insert(near);
            let mut near = start.clone();
            near[heap] /= 2;
            found.insert(near);
        }
    }
    found.retain(|near| definition::is_position(game, near) == Ok(true));
    found
}

/// The base of the powers that the rule speaks of.
fn numeration(game: &Game) -> Numeration {
    let is_of_three = game
        .moves
        .iter()
        .any(|mover| mover.words.contains("powers(3)"));
    let of_three = game
        .params
        .iter()
        .any(|(_, value)| value.written() == "powers(3)");
    Numeration::Base(if is_of_three || of_three { 3 } else { 2 })
}

fn by_prover(game: &Game, positions: &[Vec<u64>], counts: &mut Counts) -> Result<(), String> {
    let prover = match Prover::new(game, numeration(game), &within(MILLISECONDS)) {
        Ok(prover) => prover,
        Err(Trouble::Unsupported(_) | Trouble::Met(_)) => return Ok(()),
    };
    counts.relations += 1;
    for position in positions {
        let options = definition::options(game, position, None).map_err(|fault| {
            format!("the prover reads the rule, which has a fault at {position:?}: {fault}")
        })?;
        for other in candidates(game, position, &options) {
            let mut numbers = Vec::new();
            for (heap, (one, other)) in position.iter().zip(&other).enumerate() {
                numbers.push((of_heap(heap), *one));
                numbers.push((of_heap_after(heap), *other));
            }
            let found = prover.ways.iter().any(|way| {
                (0..position.len())
                    .all(|heap| way.touched.contains(&heap) || position[heap] == other[heap])
                    && way.relation.accepts(&numbers)
            });
            if found != options.contains(&other) {
                return Err(format!(
                    "the prover has a move from {position:?} to {other:?}: {found}"
                ));
            }
        }
    }
    Ok(())
}

fn by_checker(game: &Game, positions: &[Vec<u64>], counts: &mut Counts) -> Result<(), String> {
    let Ok(rule) = Rule::read(game) else {
        return Ok(());
    };
    // The checker guesses options digit by digit, once for each way to move.
    if rule.ways.len() > MOST_WAYS {
        return Ok(());
    }
    counts.relations += 1;
    for position in positions {
        // No base may have digits that decide all comparisons.
        let (Ok(faults), Ok(found)) = (rule.faults_at(position), rule.options(position)) else {
            return Ok(());
        };
        let defined = definition::options(game, position, None);
        if faults != defined.is_err() {
            return Err(format!(
                "at {position:?} the checker finds a fault: {faults}, the definition {defined:?}"
            ));
        }
        let Ok(right) = defined else { continue };
        if found != right {
            let missing: Vec<_> = right.difference(&found).collect();
            let extra: Vec<_> = found.difference(&right).collect();
            return Err(format!(
                "at {position:?} the checker misses {missing:?} and adds {extra:?}"
            ));
        }
    }
    Ok(())
}
