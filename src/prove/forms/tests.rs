//! Forms found, each proved as the claim that it is and held against play.

use super::*;
use crate::check::Settings;
use crate::game::{Claim, ParamValue, Statement};
use crate::prove::any_number::discovered;
use crate::prove::{Decision, Means, Set, decide};
use crate::source::Source;
use std::collections::HashMap;
use std::time::{Duration, Instant};

fn limits(seconds: u64) -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_secs(seconds)),
        ..Limits::of_memory(2 << 30)
    }
}

fn text_of(name: &str) -> String {
    let path = format!("{}/games/{name}.nimrule", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a shipped game")
}

fn compiled(text: &str, settings: &[(&str, i64)]) -> Game {
    let settings: Settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ParamValue::Number(*value)))
        .collect();
    let none = |_: &str| Err("there are no other files".to_owned());
    crate::compile(&Source::new("test", text), &settings, &none)
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .game
}

/// The P-positions as the rule gives them, or a proved claim of its file.
fn set_of(game: &Game, convention: Convention) -> Automaton {
    if let Some(set) = discovered(game, convention, &limits(60)) {
        return set;
    }
    let claims = game.claims.iter().filter(|c| c.convention == convention);
    for claim in claims {
        if let Ok(Decision::Holds(proof)) = decide(game, claim, &Means::all(&limits(60)))
            && proof.of == Set::PPositions
        {
            return (*proof.automaton).clone();
        }
    }
    panic!("{}: the P-positions are not known", game.name)
}

/// The claim that a form makes, written into the game's file.
fn claimed(text: &str, settings: &[(&str, i64)], misere: &str, words: &str) -> (Game, Claim) {
    let game = compiled(&format!("{text}\nclaim {misere}P iff {words}\n"), settings);
    let claim = game.claims.last().cloned().expect("the claim was written");
    assert!(matches!(claim.statement, Some(Statement::Outcome { .. })));
    (game, claim)
}

/// Is a position P, by its options?
fn is_p(
    game: &Game,
    graph: &crate::ir::MoveGraph,
    misere: bool,
    position: &[u64],
    known: &mut HashMap<Vec<u64>, bool>,
) -> bool {
    if let Some(known) = known.get(position) {
        return *known;
    }
    let options = crate::ir::moves(graph, position).expect("no fault");
    let p = match options.is_empty() {
        true => !misere,
        false => !options
            .iter()
            .any(|option| is_p(game, graph, misere, option, known)),
    };
    known.insert(position.to_vec(), p);
    p
}

fn form_of(name: &str, settings: &[(&str, i64)], misere: bool, seconds: u64) -> Option<String> {
    let text = text_of(name);
    let game = compiled(&text, settings);
    let convention = match misere {
        true => Convention::Misere,
        false => Convention::Normal,
    };
    let set = set_of(&game, convention);
    let begun = Instant::now();
    let form = closed_form(&game, convention, &set, &limits(seconds));
    let time = begun.elapsed();
    eprintln!("{name} {settings:?} misere {misere}: {time:?}\n    {form:?}");
    let words = form.ok()??.words;
    let (game, claim) = claimed(&text, settings, if misere { "misere " } else { "" }, &words);
    // By the prover, as any claim.
    match decide(&game, &claim, &Means::all(&limits(120))) {
        Ok(Decision::Holds(proof)) => assert_eq!(proof.of, Set::PPositions),
        other => panic!("{name} {settings:?}: {words}: {other:?}"),
    }
    // By play in a small box.
    let graph = crate::ir::lower(&game);
    let mut known = HashMap::new();
    let condition = |position: &[u64]| {
        let Some(Statement::Outcome { condition, .. }) = &claim.statement else {
            panic!("an outcome is claimed");
        };
        let mut locals = vec![0; game.slots];
        let mut scene = crate::expr::Scene {
            position,
            kinds: &[],
            locals: &mut locals,
            picks: &[],
            amounts: &[],
            symmetries: &game.symmetries,
            steps: 0,
        };
        condition.eval(&mut scene).expect("it has a value")
    };
    let mut position = vec![0; game.heap_count()];
    loop {
        let p = is_p(&game, &graph, misere, &position, &mut known);
        assert_eq!(condition(&position), p, "{name} {position:?}: {words}");
        let Some(place) = position.iter().position(|heap| *heap < 2) else {
            break;
        };
        position[place] += 1;
        position[..place].fill(0);
    }
    Some(words)
}

#[test]
fn show() {
    let cases: &[(&str, &[(&str, i64)], bool)] = &[
        ("nim", &[("piles", 4)], false),
        ("nim", &[("piles", 4)], true),
        ("cube_edge", &[], false),
        ("cube_edge", &[], true),
        ("cube_vertex", &[], false),
        ("cube_vertex", &[], true),
        ("cube_rotation", &[], false),
        ("cube_rotation", &[], true),
        ("cube_face", &[], false),
        ("cube_face", &[], true),
        ("cube_vertex_slow", &[], false),
        ("trim", &[("piles", 3)], false),
        ("moore", &[("piles", 4), ("k", 2)], false),
        ("moore", &[("piles", 4), ("k", 2)], true),
        ("moore", &[("piles", 5), ("k", 3)], false),
        ("circular_nim", &[("n", 4), ("k", 2)], false),
        ("circular_nim", &[("n", 4), ("k", 2)], true),
        ("circular_nim", &[("n", 5), ("k", 2)], false),
        ("circular_nim", &[("n", 5), ("k", 3)], false),
        ("circular_nim", &[("n", 5), ("k", 2)], true),
        ("circular_nim", &[("n", 6), ("k", 3)], false),
        ("circular_nim", &[("n", 6), ("k", 4)], false),
        ("circular_nim", &[("n", 6), ("k", 5)], false),
        ("shrinking_circular_nim", &[("n", 4), ("k", 2)], false),
        ("shrinking_circular_nim", &[("n", 5), ("k", 3)], false),
        ("shrinking_circular_nim", &[("n", 5), ("k", 2)], false),
        ("circular_nim", &[("n", 7), ("k", 4)], false),
        ("circular_nim", &[("n", 7), ("k", 3)], false),
    ];
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, settings, misere) in cases {
        let label = format!("{name}{settings:?}{misere}");
        if label.contains(&only) {
            form_of(name, settings, *misere, 60);
        }
    }
}
