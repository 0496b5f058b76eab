//! Places at which interpreters of a rule may come apart: heaps that vanish
//! beside heaps that stay, positions that are none, parts of conditions that the
//! rule does not come to, and numbers at the end of what is counted with.

use crate::game_files;
use nimrule_claim::{self as claim, ClaimStatus, PositionFact};
use nimrule_definition as definition;
use nimrule_engine::{
    self as engine, Limits, Outcome, Query, Question, Region, SolveError, Solver,
};
use nimrule_fixtures::{Numbers, compiled};
use nimrule_ir::batch::{Batch, Mask, Value as BatchValue};
use nimrule_ir::{self as ir, Walker};
use nimrule_model::expr::{Fault, NamedSet};
use nimrule_model::game::{Convention, Game, Side, Statement};
use num_bigint::{BigInt, Sign};
use std::collections::{BTreeMap, BTreeSet};

static LIMITS: Limits = Limits::of_memory(1 << 28);

fn game(text: &str) -> Game {
    nimrule_fixtures::game(&format!("game g\n{text}"))
}

/// The outcome by an engine, or by whichever is chosen.
fn outcome(text: &str, position: &[u64], engine: Option<&str>) -> Result<Outcome, SolveError> {
    let game = game(text);
    let solver = Solver::new(&game);
    let wish = engine::Request::Outcome;
    let normal = Convention::Normal;
    engine::answer(&solver, position, normal, wish, &LIMITS, engine).map(|answer| answer.outcome)
}

/// Boards that shrink, with heaps before and behind them.
const SHRINKING: &[&str] = &[
    "board circle(4) shrinking\nheaps on vertices, pool",
    "board row(4) shrinking\nheaps on vertices, pool",
    "board circle(3) shrinking\nheaps bank, on vertices, pool",
    "board row(3) shrinking\nheaps bank, on vertices",
    "board circle(4) shrinking",
    "board row(2) shrinking",
];

const STEPS: &[&str] = &[
    "take from 2 consecutive heaps",
    "take from up to 2 consecutive heaps",
    "take equal from up to 2 consecutive heaps",
    "take from one heap",
    "take t from one heap as h where 2 * t <= h",
    "take equal from all heaps",
    "take from all heaps where each <= 1",
    "take equal from exactly 2 heaps",
    "take slow from up to 2 heaps",
    "take from up to 2 heaps as some where count(some) == 2",
    "take equal from one edge",
    "take equal from all edges",
    "take equal from exactly 2 edges",
    "take slow from exactly 2 edges",
    "take equal from one pair",
    "take slow from exactly 2 pairs",
    "take 1 from one heap as x then take equal from exactly 2 heaps",
];

#[test]
fn steps_on_shrinking_boards_select_remaining_heaps() {
    let mut compared = 0;
    for opening in SHRINKING {
        let names = match opening.contains("bank") {
            true => "family pair = { bank, h1 }, { h1, h2 }",
            false => "family pair = { h1, h2 }, { h2 }",
        };
        for step in STEPS {
            let text = format!("{opening}\n{names}\nmove {step}");
            let Ok(compiled) = compiled(&format!("game g\n{text}")) else {
                continue;
            };
            let game = compiled.game;
            let heaps = game.heap_count();
            let graph = ir::lower(&game);
            let mut numbers = Numbers::new(3);
            for _ in 0..60 {
                let position: Vec<u64> = (0..heaps).map(|_| numbers.below(3)).collect();
                let compare = game_files::compare(&game, &graph, None, &position);
                assert_eq!(compare, Ok(()), "{text}");
                compared += 1;
            }
        }
    }
    assert!(compared > 5000, "only {compared} positions were compared");
}

#[test]
fn engines_agree_on_boards_that_shrink() {
    for opening in SHRINKING {
        for steps in [
            "move take from 2 consecutive heaps",
            "move take from one heap",
            "move take equal from all heaps\nmove take from one heap",
            "move take from exactly 2 heaps\nmove take slow from one edge",
        ] {
            let loose = ["bank", "pool"]
                .into_iter()
                .filter(|name| opening.contains(name));
            let loose: String = loose
                .map(|name| format!("move take from {name}\n"))
                .collect();
            let text = format!("{opening}\n{steps}\n{loose}");
            let game = game(&text);
            let solver = Solver::new(&game);
            let most = vec![2; game.heap_count()];
            let asked = Query {
                question: Question::Outcome,
                convention: Convention::Normal,
            };
            let memo = engine::fill(&solver, &most, asked, &LIMITS, Some("memo"));
            let memo = memo.unwrap_or_else(|failure| panic!("{text}: {failure}"));
            for name in [None, Some("table")] {
                let table = engine::fill(&solver, &most, asked, &LIMITS, name);
                let table = table.unwrap_or_else(|failure| panic!("{text}: {failure}"));
                for place in 0..table.region().count() {
                    assert_eq!(
                        table.outcome(place),
                        memo.outcome(place),
                        "{} and memo at {:?} of {text}",
                        table.engine(),
                        table.region().at(place)
                    );
                }
            }
        }
    }
}

#[test]
fn a_heap_outside_a_shrinking_board_has_no_neighbours() {
    for around in ["circle", "row"] {
        let text = format!(
            "board {around}(4) shrinking\nheaps on vertices, pool\n\
             move take from 2 consecutive heaps\nmove take from pool"
        );
        for engine in [None, Some("table"), Some("memo")] {
            let outcome = outcome(&text, &[0, 0, 1, 0, 1], engine);
            assert_eq!(outcome, Ok(Outcome::P), "{engine:?}: {text}");
        }
    }
}

#[test]
fn forms_list_the_board_before_other_heaps() {
    for (opening, condition, yes, no) in [
        (
            "board circle(4) shrinking\nheaps on vertices, pool",
            "like (a, b, 9) where a < b",
            vec![2, 0, 1, 0, 9],
            vec![2, 0, 1, 9, 0],
        ),
        (
            "board row(3) shrinking\nheaps bank, on vertices",
            "like (1, 2, 0)",
            vec![0, 2, 0, 1],
            vec![1, 2, 0, 0],
        ),
        (
            "board circle(3) shrinking\nheaps on vertices, pool",
            "like (x)",
            vec![0, 0, 0, 0],
            vec![1, 0, 0, 0],
        ),
    ] {
        let text = format!("{opening}\npositions where {condition}\nmove take from one heap");
        let game = game(&text);
        let graph = ir::lower(&game);
        let mut walker = Walker::new(&graph, &[]);
        assert_eq!(walker.is_position(&yes), Ok(true), "{text}: {yes:?}");
        assert_eq!(walker.is_position(&no), Ok(false), "{text}: {no:?}");
    }
}

#[test]
fn a_region_of_multisets_holds_positions_alone() {
    let game = game(
        "heaps any number\npositions where count(heaps) <= 2 and max(heaps) != 3\n\
         move take from one heap",
    );
    let solver = Solver::new(&game);
    let Ok(Region::List(listed)) = solver.region(4, &LIMITS) else {
        panic!("a multiset's region is listed");
    };
    let expected: &[&[u64]] = &[&[], &[1], &[2], &[1, 1], &[4], &[1, 2], &[2, 2]];
    let mut found: Vec<&[u64]> = listed.positions.iter().map(Vec::as_slice).collect();
    found.sort_by_key(|heaps| (heaps.iter().sum::<u64>(), heaps.to_vec()));
    let mut expected = expected.to_vec();
    expected.sort_by_key(|heaps| (heaps.iter().sum::<u64>(), heaps.to_vec()));
    assert_eq!(found, expected);
}

/// What a plan evaluates beforehand is no fault where the rule does not come to
/// it.
#[test]
fn overflowing_bounds_are_faults_only_if_evaluated() {
    for condition in [
        "t <= b * b * b",
        "t in 1..b * b * b",
        "t == b * b * b",
        "t in {b * b * b, 1}",
        "t >= 1 and b * b * b > 0",
    ] {
        let game = game(&format!("heaps a b\nmove take t from a where {condition}"));
        let graph = ir::lower(&game);
        assert_eq!(
            ir::moves(&graph, &[0, 3_000_000]),
            Ok(vec![]),
            "{condition}"
        );
        assert_eq!(
            ir::moves(&graph, &[1, 3_000_000]).map_err(|fault| fault.kind),
            Err(Fault::Overflow),
            "{condition}"
        );
        let text = format!("heaps a b\nmove take t from a where {condition}");
        assert_eq!(
            outcome(&text, &[0, 3_000_000], Some("memo")),
            Ok(Outcome::P)
        );
    }
    let game = game("heaps a b c\nmove take from up to 2 heaps where each <= c * c * c");
    let graph = ir::lower(&game);
    let moves = ir::moves(&graph, &[0, 0, 3_000_000]);
    assert_eq!(moves.map_err(|fault| fault.kind), Err(Fault::Overflow));
}

/// A lane of a table holds numbers to 2^30, and a bound may be larger.
#[test]
fn bounds_too_large_for_a_lane_are_none() {
    for condition in ["t <= b * b * b", "t < b * b * b and t mod 2 == b mod 2"] {
        let text = format!("heaps a b\nmove take t from a where {condition}\nmove take from b");
        for position in [[1, 1500], [3, 1024], [4, 1100], [40, 1031]] {
            let table = outcome(&text, &position, Some("table"));
            assert_eq!(table, outcome(&text, &position, Some("memo")), "{text}");
        }
        assert!(outcome(&text, &[1, 300_000], Some("table")).is_ok());
    }
}

#[test]
fn heaps_are_counted_up_to_the_largest_number() {
    let largest = i64::MAX.unsigned_abs();
    for heap in [
        999_999_999_999_999,
        1_000_000_000_000_001,
        largest - 1,
        largest,
    ] {
        assert_eq!(
            outcome("heaps 2\nmove take from one heap", &[heap, heap], None),
            Ok(Outcome::P)
        );
        // The file may say it, too.
        game(&format!(
            "heaps a b\nmove take from one heap\nexample ({heap},0) is N"
        ));
    }
    let bag = "heaps any number of kind x, y, z\nmove take from one heap\n";
    assert!(compiled(&format!("game g\n{bag}example x {largest} is N")).is_err());
}

#[test]
fn infinite_sets_are_enumerated_up_to_the_cutoff() {
    let text = "heaps a b c\nmove for some x in powers(2) take x from one heap";
    let game = game(text);
    let graph = ir::lower(&game);
    let options = ir::moves(&graph, &[1 << 60; 3]);
    assert_eq!(options.map(|options| options.len()), Ok(3 * 61));
}

/// A position that one player wins whoever begins is no P-position.
#[test]
fn a_pairing_is_refuted_where_one_player_alone_can_move() {
    let game = game("heaps a b\nmove left take 1 from b\nclaim P by pairing a with b");
    let solver = Solver::new(&game);
    let standing = claim::check_alone(&solver, &game.claims[0], 0, None, &LIMITS);
    let Ok(Some(ClaimStatus::Refuted(found))) = standing else {
        panic!("{standing:?}");
    };
    assert_eq!(
        (found.position, found.actual),
        (vec![1, 1], PositionFact::Outcome(Outcome::L))
    );
}

#[test]
fn a_division_by_a_number_of_no_set_is_read() {
    let rule = "heaps h1 h2\nmove take from one heap\nmove for some x in 1..(2*0) take 1 from one \
                heap where (forall y in {h2, total div x}: true)";
    // It may be refused, as a move that there never is.
    let graph = compiled(&format!("game g\n{rule}")).map(|compiled| ir::lower(&compiled.game));
    if let Ok(graph) = graph {
        assert_eq!(ir::moves(&graph, &[1, 0]), Ok(vec![vec![0, 0]]));
    }
}

/// A step goes on with its own amounts after every kind of step behind it.
#[test]
fn amounts_belong_to_their_step() {
    let firsts = [
        "take from exactly 2 heaps",
        "take 1.. from up to 2 heaps where each <= 2",
        "take equal from exactly 2 heaps",
        "take slow from exactly 2 heaps",
    ];
    let seconds = [
        "slide token where token < 2",
        "take from up to 2 heaps where total < 3",
        "choose one heap as x where x < 2",
        "set one heap as x to x div 2 where x > 1",
    ];
    for (first, second) in firsts
        .iter()
        .flat_map(|first| seconds.iter().map(move |second| (first, second)))
    {
        let text = format!(
            "board digraph {{ 0 -> 1 -> 2, 0 -> 2 }}\nheaps a b\ntokens 1\n\
             positions may repeat\nmove {first} then {second}"
        );
        let game = game(&text);
        let graph = ir::lower(&game);
        for place in 0..27 {
            let position = [place % 3, place / 3 % 3, place / 9];
            let compare = game_files::compare(&game, &graph, None, &position);
            assert_eq!(compare, Ok(()), "{text}");
        }
    }
}

/// A turn of several moves, on every kind of position.
#[test]
fn turns_are_composed_of_moves() {
    let rules = [
        "heaps a b\nmove take 1 from a then again\nmove take 1 from b then optionally again",
        "heaps 3\npositions where h1 != 2\nmove take 1..2 from one heap then optionally again\n\
         move take 3 from one heap",
        "heaps a b\nstate s in 0..2 = 0\nmove when s < 2 take t from a then set s to min(t, 2) \
         then again\nmove take from b then set s to 0",
        "heaps any number\nmove take 1 from one heap as h where h > 1 then again\n\
         move split one heap into x, y\nmove take from one heap",
        "kinds ring, row\nheaps any number\nmove take 1 from one ring leaving 1 rows \
         then optionally again\nmove take 2 from one row",
        "board circle(4) shrinking\nmove take 1 from one heap as h where h > 1 then again\n\
         move take from 2 consecutive heaps",
        "heaps a b\nmove left take 1 from a then again\nmove left take 2 from b\n\
         move right take 1 from b then optionally again\nmove take 3 from one heap",
        "board digraph { 0 -> 1 -> 2, 0 -> 2 -> 3 }\ntokens 2\n\
         move slide one token as t where t < 2 then again\nmove slide one token",
        "board grid(2, 2)\nheaps on edges of size 0..1\nmove take 1 from one heap as e where \
         exists v in vertices: v touches e and sum(v) == 1 then again\n\
         move take 1 from one heap as e where forall v in vertices: \
         v touches e implies sum(v) > 1",
    ];
    let mut longer = 0;
    for text in rules {
        let game = game(text);
        let sides = match game.has_sides() {
            true => vec![Some(Side::Left), Some(Side::Right)],
            false => vec![None],
        };
        let positions = nimrule_definition::positions(&game, 3).expect("no fault");
        for side in sides {
            let graph = match side {
                None => ir::lower(&game),
                Some(side) => ir::lower_for(&game, side),
            };
            for position in &positions {
                let compare = game_files::compare(&game, &graph, side, position);
                assert_eq!(compare, Ok(()), "{text}");
                longer += usize::from(graph.again().is_some());
            }
        }
    }
    assert!(longer > 400, "{longer}");
}

#[test]
fn engines_answer_turns_of_several_moves() {
    // Nim in which a heap of one token may be taken before another move: the outcome by
    // recursion over whole turns.
    fn is_won(a: u64, b: u64, won: &mut BTreeMap<(u64, u64), bool>) -> bool {
        if let Some(known) = won.get(&(a, b)) {
            return *known;
        }
        let mut ends = BTreeSet::new();
        let mut turn = vec![(a, b)];
        while let Some((a, b)) = turn.pop() {
            if a == 1 {
                turn.push((0, b));
            }
            if b == 1 {
                turn.push((a, 0));
            }
            ends.extend((0..a).map(|left| (left, b)));
            ends.extend((0..b).map(|left| (a, left)));
        }
        let found = ends.into_iter().any(|(a, b)| !is_won(a, b, won));
        won.insert((a, b), found);
        found
    }
    let text = "heaps a b\nmove take from one heap\n\
                move take 1 from one heap as h where h == 1 then again";
    let mut won = BTreeMap::new();
    for a in 0..6 {
        for b in 0..6 {
            let expected = match is_won(a, b, &mut won) {
                true => Outcome::N,
                false => Outcome::P,
            };
            for engine in [None, Some("table"), Some("memo")] {
                assert_eq!(outcome(text, &[a, b], engine), Ok(expected), "({a},{b})");
            }
            assert!(outcome(text, &[a, b], Some("nim-sum")).is_err());
        }
    }
}

/// An example about other parameters has no position that a form could be compared with.
#[test]
fn examples_elsewhere_are_not_compared_with_forms() {
    let text = "param k = 1 in 1..4\nheaps a b c\npositions where not like (p + 1, p, q)\n\
                move take k from one heap\nexample for k == 2: all 1 is P\nexample all 1 is N";
    assert_eq!(game(text).examples.len(), 2);
}

/// An expression in `a`, `b` and `c`, its value as an integer of any size, and arguments.
struct BigRow {
    text: &'static str,
    value: fn(&[BigInt; 3]) -> Option<BigInt>,
    arguments: Vec<[i64; 3]>,
}

fn big(number: i64) -> BigInt {
    BigInt::from(number)
}

fn floor_of_root(number: &BigInt) -> BigInt {
    BigInt::from(number.magnitude().sqrt())
}

/// The quotient, rounded down, and the remainder.
fn divided(number: &BigInt, by: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (number / by, number % by);
    match rest != big(0) && (rest < big(0)) != (*by < big(0)) {
        true => (quotient - 1, rest + by),
        false => (quotient, rest),
    }
}

fn gcd(one: &BigInt, other: &BigInt) -> BigInt {
    match *other == big(0) {
        true => one.clone(),
        false => gcd(other, &(one % other)),
    }
}

fn lcm(one: &BigInt, other: &BigInt) -> BigInt {
    match one * other == big(0) {
        true => big(0),
        false => one / gcd(one, other) * other,
    }
}

/// n*(p + q*√d)/r, rounded down.
fn beatty_term(n: &BigInt, [p, q, d, r]: [i64; 4]) -> BigInt {
    let multiple = n * q;
    let root = floor_of_root(&(&multiple * &multiple * d));
    let root = match multiple.sign() {
        Sign::Minus => -root - 1,
        _ => root,
    };
    divided(&(root + n * p), &big(r)).0
}

fn binomial(of: &BigInt, size: &BigInt) -> BigInt {
    let rest = of - size;
    if rest < big(0) {
        return big(0);
    }
    let size = i64::try_from(size.min(&rest)).expect("the rows have small columns");
    (0..size).fold(big(1), |all, i| all * (of - i) / (i + 1))
}

/// The members of an increasing sequence below 2^64, the last ones with their neighbours, and
/// the ends of 64 bits.
fn at_the_end(members: impl Iterator<Item = BigInt>) -> Vec<[i64; 3]> {
    let end = big(1) << 64;
    let members: Vec<BigInt> = members.take_while(|member| *member < end).collect();
    let late = members.iter().rev().take(4);
    let beside = late.flat_map(|member| [member - 1, member.clone(), member + 1]);
    let ends = (0..4).map(|less| big(i64::MAX) - less);
    let numbers = beside.chain(ends).chain((0..6).map(big));
    numbers
        .filter_map(|number| Some([i64::try_from(number).ok()?, 0, 0]))
        .collect()
}

fn truth(holds: bool) -> Option<BigInt> {
    Some(BigInt::from(u8::from(holds)))
}

fn fibonacci() -> impl Iterator<Item = BigInt> {
    let next = |(one, other): &(BigInt, BigInt)| Some((other.clone(), one + other));
    std::iter::successors(Some((big(1), big(2))), next).map(|(one, _)| one)
}

fn factorials() -> impl Iterator<Item = BigInt> {
    let next = |(count, product): &(i64, BigInt)| Some((count + 1, product * (count + 1)));
    std::iter::successors(Some((1, big(1))), next).map(|(_, product)| product)
}

fn powers(base: i64) -> impl Iterator<Item = BigInt> {
    std::iter::successors(Some(big(1)), move |power| Some(power * base))
}

fn has(mut members: impl Iterator<Item = BigInt>, number: &BigInt) -> Option<BigInt> {
    truth(members.find(|member| member >= number).as_ref() == Some(number))
}

/// The largest primes below 2^63 are 2^63 less these numbers (OEIS A013603 begins the list).
const BELOW_PRIMES: [i64; 4] = [25, 165, 259, 301];

#[test]
fn sets_and_functions_reach_the_last_number() {
    const MAX: i64 = i64::MAX;
    let row = |text, value, arguments: &[[i64; 3]]| BigRow {
        text,
        value,
        arguments: arguments.to_vec(),
    };
    let set = |text, value, members: &mut dyn Iterator<Item = BigInt>| BigRow {
        text,
        value,
        arguments: at_the_end(members),
    };
    // The largest number with a value, and the next one.
    let around = |last: i64| {
        [
            [last - 1, 0, 0],
            [last, 0, 0],
            [last + 1, 0, 0],
            [MAX, 0, 0],
        ]
    };
    let roots = (3_037_000_490_i64..).map(|root| big(root) * root);
    let primes = BELOW_PRIMES.iter().rev().map(|less| big(MAX) + 1 - *less);
    let pairs = [[MAX, 1, 0], [MAX, 0, 1], [MAX, MAX, 0], [MAX, MAX - 1, 0]];
    let rows = [
        set(
            "if a in fibonacci then 1 else 0",
            |[a, ..]| has(fibonacci(), a),
            &mut fibonacci(),
        ),
        set(
            "if a in factorials then 1 else 0",
            |[a, ..]| has(factorials(), a),
            &mut factorials(),
        ),
        set(
            "if a in squares then 1 else 0",
            |[a, ..]| truth(floor_of_root(a).pow(2) == *a),
            &mut roots.take_while(|square| *square <= big(MAX)),
        ),
        set(
            "if a in primes then 1 else 0",
            |[a, ..]| {
                let is_small = [2, 3, 5].iter().any(|prime| *a == big(*prime));
                let is_late = |less: &i64| big(MAX) + 1 - less == *a;
                truth(is_small || BELOW_PRIMES.iter().any(is_late))
            },
            &mut primes.into_iter(),
        ),
        set(
            "if a in powers(2) then 1 else 0",
            |[a, ..]| has(powers(2), a),
            &mut powers(2),
        ),
        set(
            "if a in powers(3) then 1 else 0",
            |[a, ..]| has(powers(3), a),
            &mut powers(3),
        ),
        set(
            "if a in powers(3037000500) then 1 else 0",
            |[a, ..]| has(powers(3_037_000_500), a),
            &mut powers(3_037_000_500),
        ),
        set(
            "if a in divisors(12) then 1 else 0",
            |[a, ..]| {
                truth(
                    [1, 2, 3, 4, 6, 12]
                        .iter()
                        .any(|divisor| *a == big(*divisor)),
                )
            },
            &mut std::iter::empty(),
        ),
        row(
            "triangular(a)",
            |[a, ..]| Some(a * (a + 1) / 2),
            &around(4_294_967_295),
        ),
        row(
            "triangular(b - a)",
            |[a, b, _]| Some((b - a) * (b - a + 1_i64) / 2),
            &around(4_294_967_296),
        ),
        row(
            "wythoff(a)",
            |[a, ..]| Some(beatty_term(a, [1, 1, 5, 2])),
            &[around(1_358_187_913), around(5_700_357_411_380_218_443)].concat(),
        ),
        row(
            "beatty(b - a, 1, 1, 5, 2)",
            |[a, b, _]| Some(beatty_term(&(b - a), [1, 1, 5, 2])),
            &[around(1_358_187_913), around(5_700_357_411_380_218_443)].concat(),
        ),
        row(
            "beatty(a, -3, 1, 10, 1)",
            |[a, ..]| Some(beatty_term(a, [-3, 1, 10, 1])),
            &around(MAX - 1),
        ),
        row(
            "beatty(a, 3037000498, -1, 9223372036854775807, 3)",
            |[a, ..]| Some(beatty_term(a, [3_037_000_498, -1, MAX, 3])),
            &[around(MAX - 1), around(MAX / 2)].concat(),
        ),
        row(
            "beatty(b - a, 1, 0, 7, 3)",
            |[a, b, _]| Some(beatty_term(&(b - a), [1, 0, 7, 3])),
            &[[3, 0, 0], [2, 0, 0], [0, 2, 0], [MAX, 0, 0]],
        ),
        row(
            "isqrt(a)",
            |[a, ..]| Some(floor_of_root(a)),
            &[around(MAX - 1), around(9_223_372_030_926_249_001)].concat(),
        ),
        row(
            "abs(a - b)",
            |[a, b, _]| Some(BigInt::from((a - b).magnitude().clone())),
            &pairs,
        ),
        row("abs(-a - 1)", |[a, ..]| Some(a + 1), &around(MAX - 1)),
        row(
            "gcd(a, b, c)",
            |[a, b, c]| Some(gcd(&gcd(a, b), c)),
            &[[MAX, 1 << 62, 7], [MAX, 0, 0], [1 << 62, 1 << 61, 0]],
        ),
        row(
            "lcm(a, b, c)",
            |[a, b, c]| Some(lcm(&lcm(a, b), c)),
            &[
                [MAX, MAX - 1, 0],
                [MAX, 7, 1],
                [1 << 62, 1 << 61, 2],
                [MAX, 2, 1],
            ],
        ),
        row(
            "sum(a, b, -c)",
            |[a, b, c]| Some(a + b - c),
            &[[MAX, 1, 1], [MAX, MAX, MAX], [MAX, 1, 0]],
        ),
        row("max(a, b, c)", |all| all.iter().max().cloned(), &pairs),
        row("min(a, b, c)", |all| all.iter().min().cloned(), &pairs),
        row("xor(a, b, c)", |[a, b, c]| Some(a ^ b ^ c), &pairs),
        row(
            "count(x in {a, b, c} where x > 0)",
            |all| Some(big(all.iter().filter(|one| **one > big(0)).count() as i64)),
            &pairs,
        ),
        row("size({a, b, c})", |_| Some(big(3)), &pairs),
        row(
            "sum(sorted({a, b, c}))",
            |[a, b, c]| Some(a + b + c),
            &pairs,
        ),
        row(
            "if distinct(a, b, c) then 1 else 0",
            |[a, b, c]| truth(a != b && b != c && a != c),
            &pairs,
        ),
        row(
            "carryless(10, {a, b})",
            |[a, b, _]| {
                let (a, b) = (a.to_radix_be(10).1, b.to_radix_be(10).1);
                let long = a.len().max(b.len());
                let digits = |of: Vec<u8>| [vec![0; long - of.len()], of].concat();
                let columns = digits(a).into_iter().zip(digits(b));
                let sums: Vec<u8> = columns.map(|(a, b)| (a + b) % 10).collect();
                BigInt::from_radix_be(Sign::Plus, &sums, 10)
            },
            &[
                [MAX, 0, 0],
                [MAX, 5, 0],
                [MAX, 1_000_000_000_000_000_000, 0],
            ],
        ),
        row(
            "digit(10, 18, a) + digit(2, 62, a) + digit(a, 0, a - 1)",
            |[a, ..]| {
                let ten = a / 10_i64.pow(18) % 10;
                Some(ten + ((a >> 62) % 2_i64) + a - 1)
            },
            &around(MAX - 1),
        ),
        row(
            "valuation(2, a) + valuation(a, a)",
            |[a, ..]| Some(big(a.trailing_zeros()? as i64 + 1)),
            &[[1 << 62, 0, 0], [MAX, 0, 0], [MAX - 1, 0, 0]],
        ),
        row(
            "binomial(a, b)",
            |[a, b, _]| Some(binomial(a, b)),
            &[
                [66, 33, 0],
                [67, 33, 0],
                [67, 30, 0],
                [MAX, 1, 0],
                [MAX, MAX, 0],
                [MAX, MAX - 1, 0],
                [MAX, 2, 0],
                [4_294_967_296, 2, 0],
                [4_294_967_297, 2, 0],
            ],
        ),
        // Conway: the square of F = 2^32 is F ^ F/2, and its product with a smaller number is
        // that of the numbers.
        row(
            "nimproduct(a, b)",
            |[a, b, _]| Some(if a == b { a ^ (a / 2_i64) } else { a * b }),
            &[
                [1 << 32, 1 << 32, 0],
                [1 << 32, (1 << 31) - 1, 0],
                [1 << 32, 1 << 31, 0],
            ],
        ),
        row("a + b", |[a, b, _]| Some(a + b), &pairs),
        row("-a - b", |[a, b, _]| Some(-a - b), &pairs),
        row("a * b", |[a, b, _]| Some(a * b), &pairs),
        row(
            "(-a - 1) div (c - b)",
            |[a, b, c]| {
                let (above, below) = (-a - 1_i64, c - b);
                (below != big(0)).then(|| divided(&above, &below).0)
            },
            &pairs,
        ),
        row(
            "(-a - 1) mod b",
            |[a, b, _]| (*b != big(0)).then(|| divided(&(-a - 1_i64), b).1),
            &pairs,
        ),
        row(
            "(-a) ** b",
            |[a, b, _]| Some((-a).pow(u32::try_from(b).ok()?)),
            &[
                [2, 63, 0],
                [2, 62, 0],
                [3, 39, 0],
                [3, 40, 0],
                [3_037_000_499, 2, 0],
                [3_037_000_500, 2, 0],
                [MAX, 1, 0],
            ],
        ),
    ];
    // A function without a row is about boards.
    let of_boards = ["index", "neighbours", "components"];
    for (_, word) in nimrule_syntax::words::functions() {
        let call = format!("{}(", word.spelling);
        assert!(
            of_boards.contains(&word.spelling) || rows.iter().any(|row| row.text.contains(&call)),
            "no row has {call}…)"
        );
    }
    for set in NamedSet::ALL {
        assert!(
            rows.iter().any(|row| row.text.contains(set.word())),
            "{}",
            set.word()
        );
    }
    for BigRow {
        text,
        value,
        arguments,
    } in &rows
    {
        for numbers in arguments {
            let wanted = value(&numbers.map(big)).and_then(|value| i64::try_from(value).ok());
            for (reader, found) in read_by_all(text, *numbers) {
                assert_eq!(found, wanted, "{reader}: {text} at {numbers:?}");
            }
        }
    }
}

/// The value of an expression at three heaps, by each reader; `None` where it has none.
fn read_by_all(text: &str, numbers: [i64; 3]) -> Vec<(&'static str, Option<i64>)> {
    let rule = |expression: &str| {
        game(&format!(
            "heaps a b c\nmove take from one heap\nclaim grundy == {expression}"
        ))
    };
    let claimed = |game: &Game| match &game.claims[0].statement {
        Some(Statement::Grundy(value)) => value.clone(),
        other => panic!("{other:?}"),
    };
    let evaluated = |game: &Game, position: &[u64]| {
        let mut locals = vec![0; game.slots];
        let environment = &mut claim::environment(position, &mut locals, game);
        claimed(game).eval(environment).ok()
    };
    let position = numbers.map(i64::unsigned_abs);
    let by_heaps = rule(text);
    let mut read = vec![("evaluation", evaluated(&by_heaps, &position))];
    // Trial division of such primes takes minutes.
    if !(text.contains("primes") && numbers[0] > 1 << 40) {
        let environment = definition::expression::Environment::new(&by_heaps, &position);
        read.push(("definition", environment.number(&claimed(&by_heaps)).ok()));
    }
    // The batch leaves what it cannot hold to the evaluation.
    let graph = ir::lower(&by_heaps);
    let mut batch = Batch::new(&graph, &[], &[], &LIMITS);
    batch.load(numbers.map(BatchValue::Same).to_vec());
    let in_lanes = batch.number(&claimed(&by_heaps), &Mask::first(4));
    if batch.fallback().is_empty() {
        read.push(("batch", Some(in_lanes.at(0))));
    }
    // With numbers in place of the heaps: folded where that is possible.
    let is_word = |c: char| c.is_alphanumeric();
    let mut constant = text.to_owned();
    for (name, number) in "abc".chars().zip(numbers) {
        let parts: Vec<&str> = constant.split(name).collect();
        let mut joined = parts[0].to_owned();
        for part in &parts[1..] {
            match joined.ends_with(is_word) || part.starts_with(is_word) {
                true => joined.push(name),
                false => joined += &number.to_string(),
            }
            joined += part;
        }
        constant = joined;
    }
    let text = format!("game g\nheaps a b c\nmove take from one heap\nclaim grundy == {constant}");
    let folded = compiled(&text);
    read.push((
        "constant",
        folded
            .ok()
            .and_then(|folded| evaluated(&folded.game, &[0, 0, 0])),
    ));
    read
}
