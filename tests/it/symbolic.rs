//! The symbolic interpreter: choices of numbers, negative or none at all,
//! indices, and what is refused, with its place.

use nimrule::problem::Problems;
use nimrule_discover::learning;
use nimrule_engine::Limits;
use nimrule_fixtures::{compiled, game};
use nimrule_model::source::Source;
use nimrule_prove::{Verdict, prove};

/// The rule as a game's file.
fn named(rule: &str) -> String {
    format!("game g\n{rule}")
}

fn verdict(rule: &str) -> Verdict {
    let game = game(&named(rule));
    let limits = Limits::of_memory(1 << 30);
    prove(&game, &game.claims[0], &learning(&limits)).expect("no limit is met")
}

/// The verdict in a word or two; the code and the expression, where it is
/// refused.
fn said(rule: &str) -> String {
    let text = named(rule);
    match verdict(rule) {
        Verdict::Proved(_) => "proved".to_owned(),
        Verdict::Refuted(found) => format!("refuted at {:?}", found.position),
        Verdict::Unsupported(unsupported) => {
            let places = unsupported.places();
            let shown = places.map(|at| text[at.offset()..at.offset() + at.len()].to_owned());
            let shown = shown.collect::<Vec<String>>().join(" and ");
            format!("{} at `{shown}`", unsupported.code_name())
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn numbers_that_are_chosen_may_be_negative() {
    let of_set = "heaps a b\nmove for some x in {a - b} take 1 from b where x < 0\n";
    assert_eq!(
        said(&format!("{of_set}claim P iff a >= 0\n")),
        "refuted at [0, 1]"
    );
    assert_eq!(
        said(&format!(
            "{of_set}claim P iff a >= b or (b - a) mod 2 == 0\n"
        )),
        "proved"
    );
    let far = "heaps a b c d\nmove for some x in {a - b} take 1 from b where x < -40\n\
               claim P iff a >= 0\n";
    assert_eq!(said(far), "refuted at [0, 41, 0, 0]");
    // A range with a negative end, which may be empty.
    let of_range = "heaps a b\nmove for some x in a - b .. -1 take 1 from b where x == -2\n";
    assert_eq!(
        said(&format!(
            "{of_range}claim P iff b - a <= 1 or (b - a) mod 2 == 1\n"
        )),
        "proved"
    );
    assert_eq!(
        said(&format!("{of_range}claim P iff a >= 0\n")),
        "refuted at [0, 2]"
    );
    // One without end.
    let endless = "heaps a b\nmove for some x in a - b .. take t from b where t == x + b + 1\n";
    assert_eq!(
        said(&format!("{endless}claim P iff b == 0 or a >= b\n")),
        "proved"
    );
    // Constants below and above nothing.
    let mixed = "heaps a\nmove for some x in -2..2 take t from a where t == x + 2\n";
    assert_eq!(
        said(&format!("{mixed}claim P iff a mod 5 == 0\n")),
        "proved"
    );
    assert_eq!(
        said(&format!("{mixed}claim P iff a mod 3 == 0\n")),
        "refuted at [3]"
    );
}

#[test]
fn a_choice_from_nothing_is_no_move() {
    let empty = "heaps a b\nmove for some x in a..b take 1 from a\nclaim P iff a > b or a == 0\n";
    assert_eq!(said(empty), "refuted at [2, 2]");
    let empty = "heaps a b\nmove for some x in a..b take 1 from a\n\
                 claim P iff a > b or a mod 2 == 0\n";
    assert_eq!(said(empty), "proved");
    let cases = "heaps a b\nmove for some x in {max(a - b, b - a)} take 1 from a where x < 2\n\
                 claim P iff a == 0 or a > b + 1 or b > a + 1\n";
    assert!(said(cases).starts_with("refuted"), "{}", said(cases));
}

#[test]
fn an_index_that_no_heap_has_is_a_fault() {
    let selected =
        "heaps h[1..3]\nmove for some i in 1..4 take from h[i]\nclaim P if sum(h) == 0\n";
    assert_eq!(said(selected), "prove::fault at `i`");
    let read = "heaps h[1..3]\nmove for some i in 1..3 take 1 from h[i] where h[i + 1] == 0\n\
                claim P iff h[1] == 0\n";
    assert_eq!(said(read), "prove::fault at `i + 1`");
    // What stands before it protects.
    let guarded = "heaps h[1..2]\n\
                   move for some i in 1..2 take from h[i] where i == 2 or h[i + 1] >= 0\n\
                   claim P iff h[1] == h[2]\n";
    assert_eq!(said(guarded), "proved");
}

#[test]
fn a_set_of_a_family_that_is_written_twice_counts_once() {
    for heaps in ["heaps h1 h2 h3\n", "board row(3) shrinking\n"] {
        let twice = format!("{heaps}family group = {{ h1 }}, {{ h1 }}\n");
        assert_eq!(
            said(&format!(
                "{twice}move take from one group\nclaim P iff h1 == 0\n"
            )),
            "proved"
        );
        let text = named(&format!("{twice}move take from exactly 2 group\n"));
        assert!(compiled(&text).is_err(), "the family has one set");
    }
}

/// `max(a, b)` is `a` and is `b` where they are equal, and one number all the
/// same.
#[test]
fn a_member_that_is_read_by_cases_is_gathered_once() {
    let one = "heaps a b\nmove take 1 from a where count(x for x in {max(a, b)}) == 1\n";
    assert_eq!(said(&format!("{one}claim P iff a mod 2 == 0\n")), "proved");
    let false_claim = "P iff if a < b then a mod 2 == 0 else (a - b) mod 2 == 0";
    assert_eq!(
        said(&format!("{one}claim {false_claim}\n")),
        "refuted at [1, 1]"
    );
    let real = "heaps x y of real size\nmove take from one heap\n\
                claim consistent P iff x == y and sum(z for z in {max(x, y)}) == x\n";
    assert!(matches!(verdict(real), Verdict::ProvedOfReals(_)));
}

#[test]
fn faults_that_no_position_reaches_are_none() {
    let divided = "heaps a b\nmove take t from a where t == 1 and 6 div (a + 1 - a) == 6\n\
                   claim P iff a mod 2 == 0\n";
    assert_eq!(said(divided), "proved");
    let hidden = "heaps a b\nmove take from a where (a - 1) ^ b >= 0\nclaim P iff a == 0\n";
    assert_eq!(said(hidden), "proved");
    let negative = "heaps a b\nmove take from a where (a - 2) ^ b >= 0\nclaim P iff a == 0\n";
    assert_eq!(said(negative), "prove::fault at `(a - 2) ^ b`");
}

/// What `nimrule prove` shows of refusals: the caret is at the expression.
#[test]
fn refusals_are_shown_at_the_expression() {
    let rules = [
        "heaps a b\nmove take from one heap\nclaim P only if a * b == a * a\n",
        "heaps a b\nmove take t from a where t <= 5 mod b\nclaim P if a == 0\n",
        "heaps a b\nmove take squares from one heap\nclaim P if a == b\n",
        "heaps a b\nmove take t from one heap where t in powers(3)\nclaim P if a == b and a ^ b >= 1\n",
        "heaps h[1..3]\nmove for some i in 1..4 take from h[i]\nclaim P if sum(h) == 0\n",
        "heaps a b\nmove take from one heap where a mod 1000000 == 7\nclaim P if a + b < 7\n",
        "heaps x y of real size\nmove take from one heap\nclaim consistent P iff x*y == 1\n",
    ];
    let mut shown = String::new();
    for rule in rules {
        let Verdict::Unsupported(unsupported) = verdict(rule) else {
            panic!("{rule}: {:?}", verdict(rule));
        };
        let problems = Problems::new(&Source::new("rule", named(rule)), [unsupported.into()]);
        for report in &problems.reports {
            miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
                .with_links(false)
                .with_width(80)
                .render_report(&mut shown, report)
                .expect("it is shown");
            shown.push('\n');
        }
    }
    insta::assert_snapshot!(shown);
}
