//! Property tests: no text makes the parser panic or hang, and all engines agree on
//! small random games.

use crate::engines::{Truth, answer_differs, box_of, table_differs};
use crate::game_files::{compare, every_game_of_heaps};
use nimrule_elaborate::Settings;
use nimrule_engine::{ENGINES, Query, Question, Shape, Solver};
use nimrule_fixtures::{Numbers, compiled, few_or_many, for_cases, game_of_file, random_game};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Game};
use nimrule_model::source::Source;
use nimrule_syntax as syntax;
use proptest::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Reads a text as far as it goes, and gives up after a while: on a busy
/// machine a second's work may take a few.
fn survives(text: &str) {
    let (done, waiting) = channel();
    let owned = text.to_owned();
    let worker = thread::spawn(move || {
        let _ = syntax::parse(&owned);
        // With the reports of all errors.
        let source = Source::new("mutated", owned);
        let read = |_: &str| Err("no files here".to_owned());
        if let Ok(compiled) = nimrule::compile(&source, &Settings::new(), &read) {
            let game = &compiled.game;
            let mut position = vec![0; game.heap_count()];
            position.iter_mut().take(3).for_each(|size| *size = 2);
            let _ = ir::moves(&ir::lower(game), &position);
        }
        let _ = done.send(());
    });
    match waiting.recv_timeout(Duration::from_secs(5)) {
        Err(RecvTimeoutError::Timeout) => panic!("this takes too long:\n{text}"),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            assert!(worker.join().is_ok(), "this panics:\n{text}");
        }
    }
}

#[test]
fn any_text_is_read_to_its_end() {
    for_cases(few_or_many(200, 500), "\\PC{0,120}", |text| survives(&text));
}

/// Words, signs and numbers in any order: nearer to the language than letters
/// are, so that more of the grammar is seen.
#[test]
fn any_words_are_read_to_their_end() {
    let word = prop::sample::select(any_word());
    let words = prop::collection::vec(word, 0..60);
    for_cases(few_or_many(300, 1000), words, |words| {
        survives(&words.join(" "))
    });
}

/// All words and signs of the language, and some names, numbers and a text.
fn any_word() -> Vec<&'static str> {
    let others = [
        "edges",
        "cube",
        "circle",
        "a",
        "b",
        "x",
        "0",
        "1",
        "2",
        "7",
        "9223372036854775807",
        "99999999999999999999",
        "\"words\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "// words",
    ];
    let words = syntax::words::WORDS.iter().map(|word| word.spelling);
    words.chain(others).collect()
}

/// What may be done to the tokens of a game.
#[derive(Debug, Clone)]
enum Mutation {
    Delete(usize),
    Duplicate(usize),
    Swap(usize, usize),
    Insert(usize, &'static str),
    Replace(usize, &'static str),
    Cut(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = 0..10_000_usize;
    let word = prop::sample::select(any_word());
    prop_oneof![
        place.clone().prop_map(Mutation::Delete),
        place.clone().prop_map(Mutation::Duplicate),
        (place.clone(), 1..4_usize).prop_map(|(a, apart)| Mutation::Swap(a, a + apart)),
        (place.clone(), word.clone()).prop_map(|(at, word)| Mutation::Insert(at, word)),
        (place.clone(), word).prop_map(|(at, word)| Mutation::Replace(at, word)),
        place.prop_map(Mutation::Cut),
    ]
}

/// Words, numbers and signs, each with the white space or comment before it.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = vec![String::new()];
    let mut last = ' ';
    for letter in text.chars() {
        let joins = letter.is_alphanumeric() && last.is_alphanumeric();
        if !joins && !last.is_whitespace() {
            tokens.push(String::new());
        }
        if let Some(token) = tokens.last_mut() {
            token.push(letter);
        }
        last = letter;
    }
    tokens
}

fn mutated(text: &str, mutations: &[Mutation]) -> String {
    let mut tokens = tokens(text);
    for mutation in mutations {
        let count = tokens.len().max(1);
        match mutation {
            Mutation::Delete(at) if tokens.len() > 1 => drop(tokens.remove(at % count)),
            Mutation::Duplicate(at) => tokens.insert(at % count, tokens[at % count].clone()),
            Mutation::Swap(a, b) => tokens.swap(a % count, b % count),
            Mutation::Insert(at, word) => tokens.insert(at % count, format!(" {word} ")),
            Mutation::Replace(at, word) => tokens[at % count] = format!(" {word} "),
            Mutation::Cut(at) if at % 7 == 0 => tokens.truncate(at % count + 1),
            Mutation::Delete(_) | Mutation::Cut(_) => {}
        }
    }
    tokens.concat()
}

#[test]
fn mutated_games_are_read_to_their_end() {
    let texts: Vec<String> = every_game_of_heaps()
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("the game can be read"))
        .collect();
    let case = (
        prop::sample::select(texts),
        prop::collection::vec(mutation(), 1..5),
    );
    for_cases(few_or_many(700, 2000), case, |(text, mutations)| {
        survives(&mutated(&text, &mutations));
    });
}

/// Seeds of games that make sense, about as many as asked for.
fn for_random_games(cases: u32, test: impl Fn(&Game, &mut Numbers)) {
    let made = std::cell::Cell::new(0);
    for_cases(cases, any::<u64>(), |seed| {
        let text = random_game(seed);
        let Ok(compiled) = compiled(&text) else {
            return;
        };
        made.set(made.get() + 1);
        // The game is what a reader wants to see, not its seed.
        let shown = Shown(&text);
        test(&compiled.game, &mut Numbers::new(seed ^ 1));
        shown.forget();
    });
    assert!(made.get() > cases / 2, "too few games make sense: {made:?}");
}

/// Prints the game if its test panics.
struct Shown<'t>(&'t str);

impl Shown<'_> {
    fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        eprintln!("in this game:\n{}", self.0);
    }
}

fn position_below(numbers: &mut Numbers, heaps: usize, limit: u64) -> Vec<u64> {
    (0..heaps).map(|_| numbers.below(limit)).collect()
}

#[test]
fn random_games_mean_what_they_say() {
    for_random_games(few_or_many(120, 300), |game, numbers| {
        let graph = ir::lower(game);
        for _ in 0..6 {
            let position = position_below(numbers, game.heap_count(), 6);
            assert_eq!(compare(game, &graph, None, &position), Ok(()));
        }
    });
}

/// A random game may divide by zero somewhere; nothing is asked of it then.
fn has_faults(graph: &ir::MoveGraph, most: &[u64]) -> bool {
    let shape = Shape::new(most).expect("the box is small");
    shape
        .try_each(|position, _| ir::moves(graph, position).map(drop))
        .is_err()
}

#[test]
fn engines_agree_on_random_games() {
    for_random_games(few_or_many(60, 150), |game, numbers| {
        let solver = Solver::new(game);
        let most = box_of(game.heap_count(), 130);
        if has_faults(&solver.graph, &most) {
            return;
        }
        for convention in [Convention::Normal, Convention::Misere] {
            let mut truth = Truth::new(&solver.graph, convention);
            let position: Vec<u64> = most.iter().map(|m| numbers.below(m + 1)).collect();
            for engine in ENGINES {
                for question in [Question::Outcome, Question::Grundy] {
                    let asked = Query {
                        question,
                        convention,
                    };
                    let wrong = table_differs(engine, &solver, asked, &most, &mut truth);
                    assert_eq!(wrong, None);
                }
                if nimrule_definition::is_position(game, &position) == Ok(true) {
                    let wrong = answer_differs(engine, &solver, convention, &position, &mut truth);
                    assert_eq!(wrong, None);
                }
            }
        }
    });
}

/// The laws that a game's facts promise, on one small position.
fn laws_hold(game: &Game, solver: &Solver<'_>, position: &[u64]) {
    let options = ir::moves(&solver.graph, position).expect("the game has no faults here");
    // The ending weights: at the first level that an option changes, it is lower.
    for option in &options {
        let total = |weights: &[i64], position: &[u64]| -> i64 {
            let sizes = position.iter().map(|size| *size as i64);
            weights.iter().zip(sizes).map(|(w, size)| w * size).sum()
        };
        let ending = game.facts.termination.levels.iter();
        let before: Vec<i64> = ending.clone().map(|w| total(w, position)).collect();
        let after: Vec<i64> = ending.map(|w| total(w, option)).collect();
        assert!(
            !game.facts.termination.named.is_empty() || after < before,
            "{position:?} to {option:?}: {:?}",
            game.facts.termination
        );
    }
    for convention in [Convention::Normal, Convention::Misere] {
        let mut truth = Truth::new(&solver.graph, convention);
        let value = truth.value(position);
        for generator in game.facts.symmetries.generators() {
            let image: Vec<u64> = generator.iter().map(|from| position[*from]).collect();
            assert_eq!(
                truth.value(&image),
                value,
                "{image:?}, an image of {position:?}"
            );
        }
    }
    if solver.profile.one_heap.is_ok() {
        let mut truth = Truth::new(&solver.graph, Convention::Normal);
        let sum = (0..position.len()).fold(0, |sum, heap| {
            let mut alone = vec![0; position.len()];
            alone[heap] = position[heap];
            sum ^ truth.value(&alone)
        });
        assert_eq!(truth.value(position), sum, "a sum of heaps at {position:?}");
    }
}

#[test]
fn the_laws_of_random_games_hold() {
    for_random_games(few_or_many(60, 150), |game, numbers| {
        let solver = Solver::new(game);
        if has_faults(&solver.graph, &box_of(game.heap_count(), 200)) {
            return;
        }
        for _ in 0..3 {
            let position: Vec<u64> = box_of(game.heap_count(), 200)
                .iter()
                .map(|most| numbers.below(most + 1))
                .collect();
            laws_hold(game, &solver, &position);
        }
    });
}

#[test]
fn the_laws_of_our_games_hold() {
    for path in every_game_of_heaps() {
        let game = &game_of_file(&path);
        // What has no values keeps other laws: see `outcomes`.
        if game.no_grundy_values().is_some() {
            continue;
        }
        let solver = Solver::new(game);
        let mut numbers = Numbers::new(3);
        let most = box_of(game.heap_count(), 600);
        let random = |_| -> Vec<u64> { most.iter().map(|most| numbers.below(most + 1)).collect() };
        // In some games few of the tuples are positions.
        let positions = (0..200)
            .map(random)
            .filter(|position| nimrule_definition::is_position(game, position) == Ok(true));
        for position in positions.take(4) {
            laws_hold(game, &solver, &position);
        }
    }
}
