//! Boxes solved by counting, where options may be blocked, compared with retrograde analysis.

use nimrule_engine::retrograde::label_region;
use nimrule_engine::{
    Label, Limits, Outcome, Query, Question, Region, Shape, SolveError, Solver, fill,
};
use nimrule_fixtures::game;
use nimrule_model::game::{Convention, Side};

/// The outcomes are those of retrograde analysis.
#[test]
fn outcomes_are_those_of_retrograde_analysis() {
    let rules = [
        "heaps a b move take from one heap move take equal from all heaps",
        "heaps a b move take {1, 3, 4} from one heap move take equal {2, 3} from all heaps",
        "heaps a b move take 1..3 from a move take 2..5 from a move take from b",
        "heaps 3 move take slow from up to 2 heaps",
    ];
    let limits = Limits::of_memory(1 << 26);
    for rule in rules {
        for blocked in 1..=4 {
            let text = format!("game g {rule} opponent may block up to {blocked} options");
            let game = game(&text);
            let solver = Solver::new(&game);
            assert!(solver.profile.equal_numbers.is_ok(), "{text}");
            let most = vec![9; game.heap_count()];
            let region = Region::Box(Shape::new(&most).expect("it is small"));
            for convention in [Convention::Normal, Convention::Misere] {
                let query = Query {
                    question: Question::Outcome,
                    convention,
                };
                let labels = label_region(&solver, &region, convention, &limits).expect(&text);
                let found = fill(&solver, &most, query, &limits, Some("retrograde"));
                let found = found.expect(&text);
                region
                    .try_each(|position, place| {
                        let expected = match labels.label(position, Side::Left) {
                            Some(Label::Win(_)) => Some(Outcome::N),
                            Some(Label::Lose(_)) => Some(Outcome::P),
                            other => panic!("{text} {position:?}: {other:?}"),
                        };
                        assert_eq!(found.outcome(place), expected, "{text} {position:?}");
                        Ok::<(), SolveError>(())
                    })
                    .expect("nothing fails");
            }
        }
    }
}
