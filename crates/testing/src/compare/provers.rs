//! The verdicts of the provers, and the transition relations of the prover and of
//! the certificate checker, against the definition.

use super::options::constants;
use super::{Counts, box_size, has_few_followers, is_cheap, limits_for};
use nimrule_automata::{Dfa, Numeration};
use nimrule_fixtures::Numbers;

use nimrule_checker::Rule;
use nimrule_definition::claim::Answers;
use nimrule_definition::{self as definition, GameGraph, Solution};
use nimrule_discover::{learn_p_positions, learning};
use nimrule_engine::Solver;
use nimrule_model::game::{Applies, Claim, Class, Convention, Game, PositionKind};
use nimrule_prove::ProveError;
use nimrule_prove::theorem::Prover;
use nimrule_prove::{Verdict, prove};
use nimrule_prove::{of_heap, of_heap_after};
use std::collections::BTreeSet;

/// The time limit of a proof in milliseconds.
const PROOF_MILLISECONDS: u64 = 250;

/// The largest number of transitions of a rule for which the checker is compared.
const MAX_TRANSITIONS: usize = 64;

/// Compares verdicts: proved claims hold in a box, refuted claims fail at the
/// counterexample, and the sets discovered without a claim are the P-positions.
pub fn verdicts(game: &Game, counts: &mut Counts) -> Result<(), String> {
    if game.position_kind != PositionKind::Heaps || game.has_sides() || game.may_repeat {
        return Ok(());
    }
    let solver = Solver::new(game);
    let Some(most) = box_size(&solver, 1_200, 150_000) else {
        return Ok(());
    };
    let Ok(positions) = definition::positions(game, most) else {
        return Ok(());
    };
    let Ok(graph) = GameGraph::from(game, &positions) else {
        return Ok(());
    };
    for convention in [Convention::Normal, Convention::Misere] {
        let mut answers = Answers::of(&graph, convention);
        for claim in &game.claims {
            if claim.applies != Applies::Elsewhere && claim.convention == convention {
                compare_verdict(game, &solver, claim, &positions, &mut answers, counts)?;
            }
        }
        if let Some((set, _)) = learn_p_positions(game, convention, &limits_for(PROOF_MILLISECONDS))
        {
            counts.proved += 1;
            let solution = Solution::of(&graph, convention);
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

/// Whether a set contains a position.
fn accepts(set: &Dfa, position: &[u64]) -> bool {
    let numbers: Vec<_> = position
        .iter()
        .enumerate()
        .map(|(heap, size)| (of_heap(heap), *size))
        .collect();
    set.accepts(&numbers)
}

fn compare_verdict(
    game: &Game,
    solver: &Solver<'_>,
    claim: &Claim,
    positions: &[Vec<u64>],
    answers: &mut Answers<'_>,
    counts: &mut Counts,
) -> Result<(), String> {
    let at = |what: String| format!("the claim `{}`: {what}", claim.words);
    match prove(game, claim, &learning(&limits_for(PROOF_MILLISECONDS))) {
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
            // The positions of the box are few: a smaller one among them was compared.
            if let Ok(Some(first)) = answers.counterexample(claim, positions)
                && game.size_key(&first) < game.size_key(&position)
            {
                return Err(at(format!(
                    "refuted at {position:?}, and it fails at {first:?}"
                )));
            }
            if game.tokens(&position) > 200
                || !is_cheap(game, &solver.graph, &position, 3_000)
                || !has_few_followers(game, &solver.graph, std::slice::from_ref(&position))
            {
                return Ok(());
            }
            let (Some(statement), Ok(graph)) = (
                &claim.statement,
                GameGraph::from(game, std::slice::from_ref(&position)),
            ) else {
                return Ok(());
            };
            let mut answers = Answers::of(&graph, claim.convention);
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

/// Compares the transition relations of the prover and of the checker, by pairs
/// of positions.
pub fn relations(game: &Game, rng: &mut Numbers, counts: &mut Counts) -> Result<(), String> {
    if game.position_kind != PositionKind::Heaps
        || game.no_grundy_values().is_some()
        || game.heap_count() > 6
    {
        return Ok(());
    }
    let positions = sample_positions(game, rng);
    compare_prover(game, &positions, counts)?;
    compare_checker(game, &positions, counts)
}

/// Random positions: small ones, and some with a heap whose size differs by at
/// most 1 from a constant of the rule or a power of two. Powers of two are
/// included so that some heaps exceed small constants.
fn sample_positions(game: &Game, rng: &mut Numbers) -> Vec<Vec<u64>> {
    let solver = Solver::new(game);
    let mut edges = constants(game);
    edges.extend([16, 32, 64, 128]);
    let mut found = Vec::new();
    for _ in 0..12 {
        found.push((0..game.heap_count()).map(|_| rng.below(5)).collect());
    }
    for _ in 0..12 {
        let mut position: Vec<u64> = (0..game.heap_count()).map(|_| rng.below(3)).collect();
        for _ in 0..1 + rng.below(2) {
            let edge = (*rng.pick(&edges)).min(600);
            let heap = rng.below(position.len() as u64) as usize;
            position[heap] = (edge + rng.below(3)).saturating_sub(1);
        }
        found.push(position);
    }
    found.retain(|position| {
        definition::is_position(game, position) == Ok(true)
            && is_cheap(game, &solver.graph, position, 3_000)
    });
    found
}

/// Options of a position, and positions near them that may or may not be options.
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

/// The numeration in the base of the powers that occur in the rule.
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

fn compare_prover(game: &Game, positions: &[Vec<u64>], counts: &mut Counts) -> Result<(), String> {
    let prover = match Prover::new(game, numeration(game), &limits_for(PROOF_MILLISECONDS)) {
        Ok(prover) => prover,
        Err(ProveError::Unsupported(_) | ProveError::LimitExceeded(_)) => return Ok(()),
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
            let found = prover.transitions.iter().any(|transition| {
                (0..position.len())
                    .all(|heap| transition.touched.contains(&heap) || position[heap] == other[heap])
                    && transition.relation.accepts(&numbers)
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

fn compare_checker(game: &Game, positions: &[Vec<u64>], counts: &mut Counts) -> Result<(), String> {
    let Ok(rule) = Rule::read(game) else {
        return Ok(());
    };
    // The checker enumerates options digit by digit for each transition.
    if rule.transitions.len() > MAX_TRANSITIONS {
        return Ok(());
    }
    counts.relations += 1;
    for position in positions {
        // The digits of no base may decide all comparisons.
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
