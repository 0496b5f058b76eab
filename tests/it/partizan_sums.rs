//! Sums with parts in which each side has moves of its own, or positions may
//! repeat, held against labels that are worked out here by going round until
//! nothing changes.

use crate::sums::{Sum, moves_of};
use nimrule_answer::Session;
use nimrule_answer::sum::{self, Component, Compound, SumMove};
use nimrule_engine::{Label, Limits, Outcome, Solver};
use nimrule_fixtures::{Numbers, game, shipped};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Side};
use std::collections::BTreeMap;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn options(
    compound: Compound,
    solvers: &[&Solver<'_>],
    sum: &[Vec<u64>],
    side: Side,
) -> Vec<(SumMove, Sum)> {
    let parts = solvers.iter().zip(sum);
    let options: Vec<Sum> = parts
        .map(|(solver, part)| {
            let graph = match (&solver.sides, side) {
                (None, _) => &solver.graph,
                (Some([left, _]), Side::Left) => left,
                (Some([_, right]), Side::Right) => right,
            };
            ir::moves(graph, part).expect("the rule is sound")
        })
        .collect();
    moves_of(compound, sum, &options)
}

/// Who wins from every position that can be reached, with each side to move:
/// whether the player to move wins, or nothing where neither does.
fn labels(
    compound: Compound,
    solvers: &[&Solver<'_>],
    sum: &Sum,
    convention: Convention,
) -> BTreeMap<(Sum, Side), Option<bool>> {
    let mut labels = BTreeMap::new();
    let mut waiting = vec![sum.clone()];
    while let Some(sum) = waiting.pop() {
        if labels.contains_key(&(sum.clone(), Side::Left)) {
            continue;
        }
        for side in Side::BOTH {
            labels.insert((sum.clone(), side), None);
            let options = options(compound, solvers, &sum, side);
            waiting.extend(options.into_iter().map(|(_, after)| after));
        }
    }
    loop {
        let mut news = Vec::new();
        for ((sum, side), _) in labels.iter().filter(|(_, label)| label.is_none()) {
            let replies: Vec<Option<bool>> = options(compound, solvers, sum, *side)
                .into_iter()
                .map(|(_, after)| labels[&(after, side.other())])
                .collect();
            let label = if replies.is_empty() {
                Some(convention == Convention::Misere)
            } else if replies.contains(&Some(false)) {
                Some(true)
            } else {
                replies
                    .iter()
                    .all(|reply| *reply == Some(true))
                    .then_some(false)
            };
            if label.is_some() {
                news.push(((sum.clone(), *side), label));
            }
        }
        if news.is_empty() {
            return labels;
        }
        labels.extend(news);
    }
}

#[test]
fn partizan_and_loopy_sums_agree_with_iteration() {
    // A lone token is Right's.
    let unlike = "game unlike heaps a move left take 2 from a move right take {1,3} from a";
    let games = [
        game(unlike),
        shipped("northcott", &[("rows", 1), ("columns", 4)]),
        shipped("ring", &[("n", 6)]),
        shipped("nim", &[("piles", 1)]),
        shipped("wythoff", &[]),
    ];
    let sessions: Vec<Session<'_>> = (games.iter())
        .map(|game| Session::new(game, LIMITS.clone()))
        .collect();
    let position = |numbers: &mut Numbers, game: usize| match game {
        0 => vec![numbers.below(6)],
        1 => {
            let left = numbers.below(3);
            vec![left, left + 1 + numbers.below(3 - left)]
        }
        2 => vec![numbers.below(6)],
        3 => vec![numbers.below(4)],
        _ => vec![numbers.below(3), numbers.below(3)],
    };
    let mut numbers = Numbers::new(23);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for round in 0..50 {
        // At least one part is not an impartial game that ends.
        let first = round % 3;
        let mut chosen = vec![first];
        chosen.extend((0..1 + round % 2).map(|_| numbers.below(5) as usize));
        let parts: Vec<&Solver<'_>> = (chosen.iter())
            .map(|game| sessions[*game].solver())
            .collect();
        let sum: Sum = chosen
            .iter()
            .map(|game| position(&mut numbers, *game))
            .collect();
        let components: Vec<Component<'_, '_>> = chosen
            .iter()
            .zip(&sum)
            .map(|(game, position)| Component {
                session: &sessions[*game],
                position: position.clone().into(),
            })
            .collect();
        let has_sides = parts.iter().any(|part| part.sides.is_some());
        for (compound, convention) in Compound::ALL.into_iter().flat_map(|compound| {
            [Convention::Normal, Convention::Misere].map(|convention| (compound, convention))
        }) {
            let what = format!("{compound} {chosen:?} at {sum:?}, {}", convention.word());
            let found = sum::compound(&components, compound, convention, true);
            if has_sides && reads_ends(compound) {
                let refused = matches!(found, Err(sum::SumError::Unsuitable { .. }));
                assert!(refused, "{what}");
                continue;
            }
            let found = found.expect("the sum is small");
            let labels = labels(compound, &parts, &sum, convention);
            let turns = found
                .by_side
                .expect("it is searched from the end backwards");
            assert_eq!(found.grundy, None, "{what}");
            for (side, turn) in turns.each() {
                let side = side.unwrap_or(Side::Left);
                let label = labels[&(sum.clone(), side)];
                let wins = match turn.label {
                    Label::Win(_) => Some(true),
                    Label::Lose(_) => Some(false),
                    Label::Draw => None,
                };
                assert_eq!(wins, label, "{what}, {}", side.name());
                // A move keeps what a player has if it leaves the other the
                // opposite.
                let keeps = |(_, after): &(SumMove, Sum)| {
                    label != Some(false)
                        && labels[&(after.clone(), side.other())] == label.map(|wins| !wins)
                };
                let mut expected = options(compound, &parts, &sum, side);
                expected.retain(keeps);
                let expected: Vec<SumMove> = expected.into_iter().map(|(made, _)| made).collect();
                let moves: Vec<SumMove> = turn.moves.iter().map(|(m, _)| m.clone()).collect();
                assert_eq!(moves, expected, "{what}, {}", side.name());
            }
            *seen.entry(found.outcome.to_string()).or_default() += 1;
        }
    }
    assert_eq!(
        seen.keys().collect::<Vec<_>>(),
        ["D", "L", "N", "P", "R"],
        "{seen:?}"
    );
}

/// Whether a compound needs to know when a component has ended, which the two players of a
/// partizan game may see differently.
fn reads_ends(compound: Compound) -> bool {
    !matches!(
        compound,
        Compound::Disjunctive | Compound::Conjunctive | Compound::Selective | Compound::Ordinal
    )
}

/// A row of Northcott's game is worth the Nim heap of its gap, though its play
/// need not end.
#[test]
fn northcotts_game_plus_a_heap_is_nim() {
    let (row, heap) = (
        shipped("northcott", &[("rows", 1), ("columns", 7)]),
        shipped("nim", &[("piles", 1)]),
    );
    let (row, heap) = (
        Session::new(&row, LIMITS.clone()),
        Session::new(&heap, LIMITS.clone()),
    );
    for right in 1..7 {
        for size in 0..6 {
            let components = [
                Component {
                    session: &row,
                    position: vec![0, right].into(),
                },
                Component {
                    session: &heap,
                    position: vec![size].into(),
                },
            ];
            let found =
                sum::answer(&components, Convention::Normal, true).expect("the sum is small");
            let equal = size == right - 1;
            let outcome = if equal { Outcome::P } else { Outcome::N };
            assert_eq!(found.outcome, outcome, "a gap of {} and {size}", right - 1);
        }
    }
}
