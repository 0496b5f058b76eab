//! Sorted positions, compared with the whole box.

use nimrule_engine::{
    Limits, Outcome, Query, Question, Solver, SortedTuples, fill, has_sorted_outcomes,
    sorted_outcomes,
};
use nimrule_fixtures::game;
use nimrule_model::game::Convention;

#[test]
fn tuples_are_counted_in_their_order() {
    let tuples = SortedTuples::new(3, 5).expect("they are few");
    let mut tuple = [0, 0, 0];
    for place in 0..tuples.count(5) {
        assert!(tuple.is_sorted() && tuple[2] < 5);
        assert_eq!(tuples.place(&tuple), place);
        SortedTuples::advance(&mut tuple);
    }
    assert_eq!(tuple, [0, 0, 5]);
}

#[test]
fn rules_that_a_sorted_box_does_not_see_are_not_supported() {
    for rule in [
        "game g heaps 3 move take equal 1 from exactly 2 heaps opponent may block up to 1 options",
        "game g heaps 2 move left take 1 from one heap move right take 2 from one heap",
        "game g heaps a b move take 1 from a move take 2 from b",
        "game g heaps 2 move take t from one heap where t <= max(heaps) div 2",
    ] {
        let game = game(rule);
        assert!(!has_sorted_outcomes(&Solver::new(&game)), "{rule}");
    }
}

#[test]
fn outcomes_are_those_of_the_whole_box() {
    let rules = [
        "game g heaps 3 move take equal 1 from exactly 2 heaps",
        "game g heaps 2 move take {1, 3} from one heap move take equal 2 from all heaps",
        "game g heaps 3 move take 1 from one heap move take slow from up to 3 heaps",
    ];
    let limits = Limits::of_memory(1 << 20);
    for rule in rules {
        let game = game(rule);
        let solver = Solver::new(&game);
        assert!(has_sorted_outcomes(&solver), "{rule}");
        let heaps = game.heap_count();
        let tuples = SortedTuples::new(heaps, 8).expect("they are few");
        for convention in [Convention::Normal, Convention::Misere] {
            let query = Query {
                question: Question::Outcome,
                convention,
            };
            let table = fill(&solver, &vec![7; heaps], query, &limits, None).expect(rule);
            let found = sorted_outcomes(&solver, &tuples, 8, convention, &limits);
            let mut sizes = vec![0_u32; heaps];
            for is_p in found.expect(rule) {
                let position: Vec<u64> = sizes.iter().map(|size| u64::from(*size)).collect();
                let place = table.region().place(&position).expect("it is in the box");
                let expected = table.outcome(place) == Some(Outcome::P);
                assert_eq!(is_p, expected, "{rule}: {position:?}");
                SortedTuples::advance(&mut sizes);
            }
        }
    }
}
