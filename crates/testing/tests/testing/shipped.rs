//! Every shipped game and every game of the tests: the options by the definition and by
//! the concrete walk of the move-generator graph, and the LaTeX of claims, read again.

use nimrule_definition::positions;
use nimrule_engine::{Limits, Request, Solver, Steps, answer};
use nimrule_fixtures::{Numbers, few_or_many, game_files, game_of_file};
use nimrule_model::game::{Convention, Facts, Game, PositionKind};
use nimrule_testing::compare::{Counts, options_of_game};
use nimrule_testing::latex::compare_file;

#[test]
fn latex_says_what_is_claimed() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for path in game_files() {
        let text = std::fs::read_to_string(&path).expect("the game can be read");
        let file = nimrule_syntax::parse(&text).into_result();
        match compare_file(&file.expect("the game parses")) {
            Ok(number) => compared += number,
            Err(why) => wrong.push(format!("{}: {why}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 250, "{compared}");
}

#[test]
fn latex_of_binomial_coefficients_is_read_back() {
    let text = "game g\nheaps a b\nmove take from one heap\n\
                claim grundy == binomial(a + 1, 2) ^ b\n\
                claim P iff 2 * binomial(4, min(a, b)) ** 2 == binomial(binomial(a, 2), b) - 1\n";
    let file = nimrule_syntax::parse(text).into_result();
    assert_eq!(compare_file(&file.expect("the game parses")), Ok(2));
}

#[test]
fn options_of_every_game() {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for path in game_files().into_iter().step_by(few_or_many(6, 1)) {
        let game = game_of_file(&path);
        counts.rules += 1;
        if let Err(why) = options_of_game(&game, &mut Numbers::new(7), &mut counts) {
            wrong.push(format!("{}: {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        counts.rules > few_or_many(12, 60) && counts.positions > few_or_many(80, 500),
        "{counts:?}"
    );
}

/// The work for an answer.
const WORK: Steps = Steps(200_000);

/// Facts make answers faster and do not change them.
#[test]
fn engines_answer_the_same_without_facts() {
    let limits = Limits::of_memory(1 << 28);
    let (mut compared, mut symmetric) = (0, 0);
    for path in game_files() {
        let game = game_of_file(&path);
        if game.position_kind == PositionKind::Reals {
            continue;
        }
        let bare = Game {
            facts: Facts::none(&game),
            rule: game.rule.clone(),
        };
        let (with, without) = (Solver::new(&game), Solver::new(&bare));
        symmetric += u32::from(game.facts.symmetries.order() != Some(1));
        let mut rng = Numbers::new(11);
        let few = game.heap_count() <= 9;
        let all = match few {
            true => positions(&game, 2).expect("the conditions have values"),
            false => vec![vec![0; game.heap_count()], vec![1; game.heap_count()]],
        };
        for _ in 0..few_or_many(1, 3) {
            let position = rng.pick(&all);
            for convention in [Convention::Normal, Convention::Misere] {
                let ask = |solver| {
                    let answer = answer(
                        solver,
                        position,
                        convention,
                        Request::GrundyIfCheap,
                        &limits.cap_work(WORK),
                        None,
                    );
                    answer.map(|answer| (answer.outcome, answer.grundy)).ok()
                };
                // Without facts an answer may take minutes.
                if let (Some(right), Some(found)) = (ask(&with), ask(&without)) {
                    assert_eq!(found, right, "{}: {position:?}", path.display());
                    compared += 1;
                }
            }
        }
    }
    assert!(
        compared > few_or_many(80, 250) && symmetric > 20,
        "{compared} {symmetric}"
    );
}
