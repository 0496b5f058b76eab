//! Estimates of the time for a box.

use nimrule_engine::{Limits, Query, Question, Region, Shape, Solver, TimeEstimate};
use nimrule_fixtures::game;
use nimrule_model::game::Convention;
use std::time::Duration;

#[test]
fn the_largest_box_takes_no_longer_than_the_time() {
    let game = game("game g heaps 3 move take from one heap");
    let solver = Solver::new(&game);
    let region = Region::Box(Shape::new(&[100_000; 3]).expect("it has an index"));
    let query = Query {
        question: Question::Outcome,
        convention: Convention::Normal,
    };
    let limits = Limits::of_memory(1 << 30);
    let estimate = TimeEstimate::measured(&solver, &region, query, &limits, None);
    let estimate = estimate.expect("some box takes long enough");
    let minute = Duration::from_secs(60);
    let fits = estimate.largest(minute);
    assert!(estimate.time(fits).is_some_and(|time| time <= minute));
    assert!(estimate.time(fits + 1).is_some_and(|time| time > minute));
    assert_eq!(estimate.time(u64::MAX), None);
    assert_eq!(estimate.largest(Duration::ZERO), 0);
}
