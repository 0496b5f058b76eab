//! Tokens that slide: every engine that can answers as the definition does, on
//! the games of the tests and on random boards.

use crate::game_files::label;
use nimrule_engine::{
    self as engine, BySide, ENGINES, Label, Limits, Outcome, Query, Question, Solver,
};
use nimrule_fixtures::{game, game_files, game_of_file};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Game};
use nimrule_relation::{Relation, Terminal, by_definition};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// What is so, found by the definition alone from the moves.
struct Truth {
    positions: Vec<Vec<u64>>,
    places: BTreeMap<Vec<u64>, usize>,
    relation: Relation,
}

impl Truth {
    fn of(game: &Game) -> Truth {
        let digraph = game.digraph().expect("tokens slide");
        let graph = ir::lower(game);
        let mut positions: Vec<Vec<u64>> = vec![Vec::new()];
        for _ in 0..game.heap_count() {
            positions = positions
                .iter()
                .flat_map(|position| {
                    (0..digraph.len()).map(|state| {
                        let mut longer = position.clone();
                        longer.push(digraph.number(state));
                        longer
                    })
                })
                .collect();
        }
        let mut walker = ir::Walker::new(&graph, &[]);
        positions.retain(|p| walker.is_position(p).expect("the condition has a value"));
        let places: BTreeMap<Vec<u64>, usize> = positions.iter().cloned().zip(0..).collect();
        let relation = Relation::build(positions.len(), |state, visit| {
            let options = ir::moves(&graph, &positions[state as usize]);
            for option in options.expect("the moves have values") {
                visit(places[&option] as u32);
            }
            Ok::<(), Infallible>(())
        })
        .expect("it is small");
        Truth {
            positions,
            places,
            relation,
        }
    }

    fn labels(&self, convention: Convention) -> Vec<Label> {
        by_definition::labels(
            &self.relation,
            match convention {
                Convention::Normal => Terminal::Loses,
                Convention::Misere => Terminal::Wins,
            },
        )
    }

    /// Grundy values by the definition, where play ends.
    fn values(&self) -> Vec<u64> {
        let mut values: Vec<Option<u64>> = vec![None; self.positions.len()];
        while values.contains(&None) {
            for state in 0..values.len() {
                let options: Option<BTreeSet<u64>> = self
                    .relation
                    .from(state)
                    .iter()
                    .map(|to| values[*to as usize])
                    .collect();
                if let Some(options) = options {
                    values[state] = (0..).find(|value| !options.contains(value));
                }
            }
        }
        values.into_iter().flatten().collect()
    }
}

fn outcome(label: Label) -> Outcome {
    match label {
        Label::Win(_) => Outcome::N,
        Label::Lose(_) => Outcome::P,
        Label::Draw => Outcome::D,
    }
}

/// What an engine or the chosen way to answer gets wrong about a game of which
/// both players have the same moves.
fn difference(game: &Game) -> Result<(), String> {
    let truth = Truth::of(game);
    let solver = Solver::new(game);
    let limits = Limits::of_memory(1 << 30);
    let last = game.digraph().expect("tokens slide").len() as u64 - 1;
    let region = solver.region(last, &limits).expect("it is small");
    for convention in [Convention::Normal, Convention::Misere] {
        let labels = truth.labels(convention);
        let asked = Query {
            question: Question::Outcome,
            convention,
        };
        for engine in ENGINES {
            if engine.supports(&solver, asked).is_err() {
                continue;
            }
            let name = engine.name();
            let table = engine::fill_region(&solver, &region, asked, &limits, Some(name))
                .map_err(|failure| format!("{name}: {failure}"))?;
            for (position, label) in truth.positions.iter().zip(&labels) {
                let place = table.region().place(position).expect("all are there");
                if table.outcome(place) != Some(outcome(*label)) {
                    return Err(format!(
                        "{name}, {}: {position:?} is {label:?}, not {:?}",
                        convention.word(),
                        table.outcome(place)
                    ));
                }
            }
        }
        for (position, label) in truth.positions.iter().zip(&labels) {
            answers(&truth, &solver, &labels, position, *label, convention)?;
        }
    }
    if game.no_grundy_values().is_none() {
        let asked = Query {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let table = engine::fill_region(&solver, &region, asked, &limits, None)
            .map_err(|failure| failure.to_string())?;
        for (position, value) in truth.positions.iter().zip(truth.values()) {
            let place = table.region().place(position).expect("all are there");
            if table.grundy(place) != Some(value) {
                return Err(format!(
                    "the value of {position:?} is {value}, not {:?}",
                    table.grundy(place)
                ));
            }
        }
    }
    Ok(())
}

/// Compares the answer about one position.
fn answers(
    truth: &Truth,
    solver: &Solver<'_>,
    labels: &[Label],
    position: &[u64],
    label: Label,
    convention: Convention,
) -> Result<(), String> {
    let limits = Limits::of_memory(1 << 30);
    let request = engine::Request::GrundyIfCheap;
    let answer = engine::answer(solver, position, convention, request, &limits, None)
        .map_err(|failure| format!("{position:?}: {failure}"))?;
    let state = truth.places[position];
    let options = truth.relation.from(state).iter();
    let winning: BTreeSet<Vec<u64>> = options
        .filter(|to| matches!(labels[**to as usize], Label::Lose(_)))
        .map(|to| truth.positions[*to as usize].clone())
        .collect();
    let found: BTreeSet<Vec<u64>> = answer.winning_moves.iter().cloned().collect();
    if answer.outcome != outcome(label) || found != winning {
        return Err(format!(
            "{position:?} is {label:?} by {winning:?}, not {} by {found:?}",
            answer.outcome
        ));
    }
    if let Some(BySide::Same(turn)) = &answer.by_side
        && turn.label != label
    {
        return Err(format!("{position:?} is {label:?}, not {:?}", turn.label));
    }
    // A loopy value tells the outcome too.
    let by_value = match (&answer.grundy, &answer.loopy) {
        (Some(0), None) => Outcome::P,
        (Some(_), None) => Outcome::N,
        (None, Some(options)) if options.contains(&0) => Outcome::N,
        (None, Some(_)) => Outcome::D,
        _ => return Ok(()),
    };
    if convention == Convention::Normal && by_value != outcome(label) {
        return Err(format!(
            "{position:?} is {label:?}, by its value {by_value}"
        ));
    }
    Ok(())
}

#[test]
fn every_engine_answers_about_tokens() {
    let mut looked_at = 0;
    for path in game_files() {
        let game = &game_of_file(&path);
        if game.digraph().is_none() || game.has_sides() {
            continue;
        }
        looked_at += 1;
        if let Err(wrong) = difference(game) {
            panic!("{}: {wrong}", label(&path));
        }
    }
    assert!(looked_at > 8, "only {looked_at} games have tokens");
}

/// A random board of up to six vertices with one to three tokens on it.
fn boards() -> impl Strategy<Value = String> {
    (2..6_u8, 1..4_usize, any::<bool>()).prop_flat_map(|(vertices, tokens, ends)| {
        let arc = (0..vertices, 0..vertices);
        prop::collection::vec(arc, 1..9).prop_map(move |arcs| {
            let mut said: Vec<String> = (0..vertices).map(|v| v.to_string()).collect();
            let mut cycle = false;
            for (from, to) in arcs {
                let (from, to) = if ends {
                    (from.max(to), from.min(to))
                } else {
                    (from, to)
                };
                if ends && from == to {
                    continue;
                }
                cycle |= from <= to;
                said.push(format!("{from} -> {to}"));
            }
            let repeat = if cycle { "positions may repeat\n" } else { "" };
            format!(
                "game random\nboard digraph {{ {} }}\ntokens {tokens}\n{repeat}move slide one token\n",
                said.join("  ")
            )
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_boards_are_answered_as_they_are_defined(text in boards()) {
        let game = game(&text);
        if let Err(wrong) = difference(&game) {
            prop_assert!(false, "{wrong}\n{text}");
        }
    }
}

#[test]
fn infinite_chains_of_rules_are_detected() {
    // Ten million pairs would be tried if the bounds were not seen.
    let game = game(
        "game ladder\nboard digraph (n in 0..2999, side in 1..2) { (n,side) -> (m,s) where n - 3 <= m < n and s != side }\nmove slide one token\n",
    );
    let digraph = game.digraph().expect("tokens slide");
    assert_eq!(digraph.relation.arcs(), 2 * (3 * 3000 - 6));
}

/// The arcs of a board over `n in 0..6` with this rule.
fn arcs(condition: &str) -> Vec<(i64, i64)> {
    let text = format!(
        "game g\nboard digraph (n in 0..6) {{ n -> d where {condition} }}\ntokens 1\n\
         move slide one token\npositions may repeat\n"
    );
    let game = game(&text);
    let digraph = game.digraph().expect("tokens slide");
    (0..7)
        .flat_map(|from| {
            let targets = digraph.relation.from(from as usize).iter();
            targets.map(move |to| (from, i64::from(*to)))
        })
        .collect()
}

#[test]
fn arcs_agree_with_the_condition() {
    let all = |holds: fn(i64, i64) -> bool| {
        let pairs = (0..7).flat_map(|n| (0..7).map(move |d| (n, d)));
        pairs.filter(|(n, d)| holds(*n, *d)).collect::<Vec<_>>()
    };
    assert_eq!(arcs("2*d <= n"), all(|n, d| 2 * d <= n));
    assert_eq!(
        arcs("n - 3*d in -2..2"),
        all(|n, d| (-2..=2).contains(&(n - 3 * d)))
    );
    assert_eq!(arcs("3*d == n + d"), all(|n, d| 2 * d == n));
    // What stands before a division protects it, whatever bounds follow from
    // the condition after it.
    let guarded = arcs("d * n > 0 and d < 6 div n");
    assert_eq!(guarded, all(|n, d| n > 0 && d > 0 && d < 6 / n));
}
