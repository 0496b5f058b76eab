//! The independent checker: its transition relations compared with the definition,
//! and certificates that it must reject.

use nimrule_checker::{
    Certificate, Dfa, EVERYTHING, Numeration, Proves, ReadError, Rule, Verified, VerifyError,
    verify,
};
use nimrule_discover::residual_learning::{SearchBounds, discover};
use nimrule_fixtures::{Numbers, compiled, few_or_many, game, shipped};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Convention, Game};
use std::time::{Duration, Instant};

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// The options and the faults are those of the definition, at every position
/// with heaps up to a size.
fn are_options(game: &Game, size: u64) {
    let rule = Rule::read(game).unwrap_or_else(|what| panic!("{}: {what}", game.name));
    let mut position = vec![0; game.heap_count()];
    loop {
        let at = format!("{} {position:?} {:?}", game.name, rule.transitions);
        let faults = rule.faults_at(&position).expect("its digits are told");
        match nimrule_definition::options(game, &position, None) {
            Err(_) => assert!(faults, "{at}"),
            Ok(defined) => {
                assert!(!faults, "{at}");
                let found = rule.options(&position).expect("its digits are told");
                assert_eq!(found, defined.into_iter().collect(), "{at}");
                for option in found.iter().step_by(few_or_many(4, 1)) {
                    assert_eq!(rule.is_option(&position, option), Ok(true), "{at}");
                }
                assert_eq!(rule.is_option(&position, &position), Ok(false), "{at}");
            }
        }
        let Some(heap) = position.iter().position(|heap| *heap < size) else {
            return;
        };
        position[heap] += 1;
        position[..heap].fill(0);
    }
}

#[test]
fn the_options_of_shipped_games_are_those_of_the_definition() {
    are_options(&shipped("wythoff", &[]), 9);
    are_options(&shipped("greedy_nim", &[]), 4);
    are_options(&shipped("subtraction_set", &[]), 9);
    are_options(&shipped("trim", &[("piles", 2)]), 10);
    are_options(&shipped("rim", &[("piles", 2), ("k", 4)]), 9);
    are_options(&shipped("circular_nim", &[("n", 4), ("k", 3)]), 2);
}

#[test]
fn the_options_of_conditions_are_those_of_the_definition() {
    let bodies = [
        "move take t from one heap where t <= a or t == 3",
        "move take from up to 2 heaps where each <= 2",
        "move take {1,3} from all heaps where total != 4",
        "move take equal from exactly 2 heaps",
        "move take equal 1..2 from exactly 2 heaps",
        "move take slow from up to 2 heaps",
        "move take 1..2 from one heap then optionally take 1 from one heap",
        "move take from one heap where not (max(heaps) > 3 and a < b)",
        "move take t from one heap where t in powers(2)",
        "move take t from one heap where not t in powers(2)",
        "move take 2 from a as x then put 1 on one heap as y where y is not x",
        // Sets of negative numbers, and numbers that come out negative.
        "move for some x in {a - b} take 1 from b where x < 0",
        "move for some x in -2..2 take t from a where t == x + 2",
        "move for some x in a - 3..b - 1 take t from a where t == x",
        "move for some x in a - b.. take t from one heap where t == 2 * x",
        "move take t from one heap where (a - b) div 2 < t",
        "move take t from one heap where (a - b) div -2 < t",
        "move take t from one heap where (t - b) mod 3 == 1",
        "move take t from one heap where a ^ t == b",
        "move take t from one heap where digit(2, 1, t) == 1",
        "move take from one heap where carryless(2, heaps, 3) > 2",
        "move take t from one heap where exists x in 0..t: 2 * x == t",
        "move take t from one heap where forall x in 1..2: x * t <= a",
        "move take t from one heap where count(x in heaps where x > t) == 1",
        "move take t from one heap where distinct(a, b, t)",
        "move take from one heap where like (x, x + 1, y)",
        "move take from one heap where not like (2 * x, y, y)",
        // Faults, with guards and without.
        "move take 1 from heaps[a]",
        "move when 1 <= a <= 3 take 1 from heaps[a]",
        "move take t from a where heaps[t] > 1",
        "move take t from a where t <= 3 and heaps[t] > 1",
        "move take t from a where t > 3 or heaps[t] > 1",
        "move take from a where b == 0 or (a - b) ^ 1 > 2",
    ];
    for body in bodies {
        are_options(&game(&format!("game small\nheaps a b c\n{body}\n")), 4);
    }
    let some = "game small heaps a b c positions where a <= b move take from one heap";
    are_options(&game(some), 4);
}

#[test]
fn the_options_of_tokens_beside_heaps_are_those_of_the_definition() {
    let board = "board digraph { 1 -> 2 -> 4  1 -> 4 -> 1 }";
    for moves in [
        "move slide one token where n > 0 then take 1 from n",
        "move take t from n then optionally slide one token where t < 3",
        "move up to 2 times slide one token then take from n where token != 2",
        "move slide all tokens where n == 1 then take from n",
    ] {
        for tokens in ["tokens 1", "tokens token, other"] {
            let rule = format!("game g {board} heaps n {tokens} {moves}");
            are_options(&game(&rule), 4);
        }
    }
}

#[test]
fn measures_of_tokens_beside_heaps_are_verified() {
    let rule = |measure: &str| {
        let rule = format!(
            "game g board digraph {{ 0 -> 1 -> 2 -> 0 }} heaps n tokens 1 \
             play ends by {measure} move slide one token where token != 2 \
             move take 1 from n then slide one token"
        );
        compiled(&rule)
    };
    assert!(rule("3 * n - token + 2").is_ok());
    assert!(rule("n, 2 - token").is_ok());
    assert!(rule("2 * n - token + 2").is_err());
    assert!(rule("2 - token, n").is_err());
}

#[test]
fn options_far_beyond_any_box() {
    let rule = "game g\nheaps a b\nmove for some x in {a - b} take 1 from b where x < -40";
    let game = game(rule);
    let rule = Rule::read(&game).expect("it is read");
    let large = 1_u64 << 60;
    for (from, to, holds) in [
        ([large, large + 41], [large, large + 40], true),
        ([large, large + 40], [large, large + 39], false),
        ([large, large + 41], [large, large + 39], false),
        ([0, 41], [0, 40], true),
    ] {
        assert_eq!(rule.is_option(&from, &to), Ok(holds), "{from:?}");
    }
}

#[test]
fn the_options_of_roots_and_digits_are_those_of_the_definition() {
    let bodies = [
        "move take t from a where t == isqrt(5 * b * b)",
        "move take t from a where isqrt(2 * (b - t) * (b - t)) < a",
        "move take t from b where t > isqrt(a * 8 * a)",
        "move take t from a where t == isqrt(b * b * 13) mod 5",
        "move take t from a where t == isqrt(10 * b * b)",
        "move take t from a where t == isqrt(17 * b * b)",
        "move take t from a where t == isqrt(20 * b * b) - b",
        "move take t from a where t == isqrt(29 * b * b)",
        "move take t from a where t == isqrt(53 * b * b)",
        "move take t from a where t < isqrt(2 * 9)",
        "move take t from a where carryless(4, {a, t}) == (b ^ t)",
        "move take t from a where t in powers(4) and (a ^ b) > t",
        "move take t from a where carryless(2, {a, b, t}, 3) > 2 + (b ^ 1 ^ 2)",
        "move take t from a where (3 ^ 5 ^ t) == b",
        "move take t from a where t == min(sorted(heaps)) + digit(2, 1, b)",
    ];
    for body in bodies {
        are_options(
            &game(&format!("game small\nheaps a b\n{body}\n")),
            few_or_many(8, 20),
        );
    }
}

/// A certificate that every position is P, with nothing else wrong with it.
fn of_everything(game: &Game) -> Result<nimrule_checker::Verified, VerifyError> {
    let rule = Rule::read(game).expect("it is read");
    let heaps = game.heap_count();
    let set = Dfa::new(heaps, 2, EVERYTHING);
    let words = game.claims.first().map(|claim| claim.words.as_str());
    let (normal, base) = (Convention::Normal, Numeration::Base(2));
    let proves = Proves::PPositions;
    let certificate = Certificate::new(&rule, proves, words, normal, base, set);
    let again = Certificate::read(&certificate.text(), &LIMITS).expect("it is read again");
    assert_eq!(again, certificate);
    verify(game, &again, &LIMITS)
}

#[test]
fn numbers_chosen_may_be_negative() {
    for bound in [0, -40] {
        for heaps in ["a b", "a b c d"] {
            let rule = format!("move for some x in {{a - b}} take 1 from b where x < {bound}");
            let game = game(&format!(
                "game g\nheaps {heaps}\n{rule}\nclaim P iff a >= 0"
            ));
            let found = of_everything(&game);
            assert!(
                matches!(found, Err(VerifyError::Independence(_))),
                "{found:?}"
            );
        }
    }
    // Nothing can be taken here, so that it is true.
    let rule =
        "game g\nheaps a b\nmove for some x in {a - b} take 1 from b where x < 0 and x != a - b";
    let game = game(&format!("{rule}\nclaim P iff a >= 0"));
    let verified = of_everything(&game).expect("it is true");
    assert_eq!(verified.claim.map(|claim| claim.proved), Some(Ok(())));
}

#[test]
fn a_certificate_is_not_one_of_other_numbers() {
    let rule = |set: &str| {
        let rule = "move when a < 48 for some x in SET take t from a where t == x + 32";
        let claim = "claim P iff a < 32 or a >= 48";
        let text = format!(
            "game g\nheaps a b c d\n{}\n{claim}",
            rule.replace("SET", set)
        );
        game(&text)
    };
    let (naturals, integers) = (rule("0..2"), rule("-2..2"));
    // a < 32 or a >= 48, by the binary digits of a.
    let mut set = Dfa::new(4, 2, 2);
    let node = |value: u32, heap: u32| 2 + 4 * value + heap;
    for value in 0..48 {
        for heap in 0..4 {
            let after = |digit: u32| match (heap, 2 * value + digit) {
                (0, more) if more >= 48 => EVERYTHING,
                (0, more) => node(more, 1),
                _ => node(value, (heap + 1) % 4),
            };
            let accepting = heap == 0 && value < 32;
            set.push(heap as u8, accepting, &[after(0), after(1)]);
        }
    }
    let certificate = |game: &Game| {
        let rule = Rule::read(game).expect("it is read");
        let words = Some("P iff a < 32 or a >= 48");
        let set = set.canonical(&LIMITS).expect("it is small");
        let (normal, base) = (Convention::Normal, Numeration::Base(2));
        Certificate::new(&rule, Proves::PPositions, words, normal, base, set)
    };
    let verified = verify(&naturals, &certificate(&naturals), &LIMITS).expect("it is true");
    assert_eq!(verified.claim.map(|claim| claim.proved), Some(Ok(())));
    let other = verify(&integers, &certificate(&naturals), &LIMITS);
    assert_eq!(other, Err(VerifyError::Rule));
    let false_one = verify(&integers, &certificate(&integers), &LIMITS);
    assert!(
        matches!(false_one, Err(VerifyError::Independence(_))),
        "{false_one:?}"
    );
}

#[test]
fn faults_are_found_at_any_size() {
    let faulty = |rule: &str| of_everything(&game(&format!("game g\nheaps a b c\n{rule}")));
    for rule in [
        "move when a != 1 and a != 2 and a != 3 take 1 from heaps[a]",
        "move take t from a where t > 3 and heaps[t] > 1",
        "move take from a where (a - b) ^ 1 > 2",
    ] {
        let found = faulty(rule);
        assert!(
            matches!(found, Err(VerifyError::Fault { .. })),
            "{rule}: {found:?}"
        );
    }
}

#[test]
fn unsupported_parts_are_named_with_their_place() {
    for (rule, what, place) in [
        ("take t from a where isqrt(t) == b", "`isqrt`", "isqrt(t)"),
        ("take t from a where t * b > 3", "a product", "t * b"),
        ("take t from a where t in squares", "`squares`", "squares"),
        ("take t from a where t mod b == 0", "a remainder", "t mod b"),
    ] {
        let text = format!("game small\nheaps a b\nmove {rule}\n");
        let unsupported = Rule::read(&game(&text)).expect_err(rule);
        assert!(unsupported.what.starts_with(what), "{rule}: {unsupported}");
        let (from, length) = (unsupported.span.offset(), unsupported.span.len());
        assert_eq!(&text[from..from + length], place, "{rule}");
    }
}

#[test]
fn certificates_of_another_semantics_are_refused_by_name() {
    let game = game("game g heaps a b move take from one heap where a > a");
    let rule = Rule::read(&game).expect("it is read");
    let set = Dfa::new(2, 2, EVERYTHING);
    let (normal, base) = (Convention::Normal, Numeration::Base(2));
    let proves = Proves::PPositions;
    let text = Certificate::new(&rule, proves, None, normal, base, set).text();
    assert!(Certificate::read(&text, &LIMITS).is_ok());
    let own = format!("\"semantics\":{}", nimrule_model::SEMANTICS_VERSION);
    for other in [
        "\"semantics\":1",
        "\"semantics\":null",
        "\"semantics\":\"2\"",
    ] {
        let refused = Certificate::read(&text.replace(&own, other), &LIMITS).expect_err(other);
        assert!(refused.to_string().contains("semantics"), "{refused}");
    }
}

#[test]
fn the_options_on_shrinking_boards_are_those_of_the_definition() {
    let all = [
        ("circle(4)", "take from 2 consecutive heaps", 2),
        ("row(4)", "take from 2 consecutive heaps", 2),
        ("row(5)", "take 1 from 3 consecutive heaps", 1),
        ("circle(5)", "take from up to 2 consecutive heaps", 1),
        ("row(4)", "take from up to 3 consecutive heaps", 2),
        ("circle(4)", "take equal from 3 consecutive heaps", 2),
        ("circle(1)", "take from one heap", 2),
        ("row(3)", "take equal from all heaps", 2),
        ("row(3)", "take equal from exactly 2 heaps", 2),
        ("circle(4)", "take 1..2 from up to 2 heaps", 2),
        ("circle(4)", "take equal from exactly 3 heaps", 2),
        ("circle(4)", "take equal from exactly 2 edges", 2),
        ("circle(4)", "take 1 from up to 2 edges", 1),
        ("circle(4)", "take from all heaps where each > 0", 2),
        // Which heaps are left is judged anew at each step.
        (
            "circle(4)",
            "take 1 from one heap then optionally take 1 from 2 consecutive heaps",
            2,
        ),
        ("row(4)", "when like (x, x, y, z) take 1 from one heap", 2),
        (
            "row(4)",
            "when not like (x, x + 1, z) take 1 from one heap",
            2,
        ),
        (
            "circle(4)",
            "when like (x, y, z) where x < y take 1 from one heap",
            2,
        ),
        (
            "circle(4)",
            "when not like (x, y, z) where z > x take 1 from one heap",
            2,
        ),
    ];
    for (number, (board, moves, size)) in all.into_iter().enumerate() {
        let kinds = [("", ""), (", pool", "move take from pool")];
        for (beside, more) in kinds.into_iter().skip(number % few_or_many(2, 1)) {
            let heaps = format!("board {board} shrinking\nheaps on vertices{beside}");
            let text = format!("game small\n{heaps}\nmove {moves}\n{more}\n");
            are_options(&game(&text), size);
        }
    }
}

/// The P-positions of a game, found from its rule alone.
fn p_positions(game: &Game, convention: Convention) -> Dfa {
    let found = discover(game, convention, &SearchBounds::default(), &LIMITS);
    let found = found.expect("it is searched").found.expect("it closes");
    let certificate = found.certificate.expect("the checker accepts it");
    assert_eq!(certificate.numeration, Numeration::Base(2));
    certificate.set
}

fn verified(game: &Game, convention: Convention, set: Dfa) -> Result<Verified, VerifyError> {
    let rule = Rule::read(game).expect("it is read");
    let base = Numeration::Base(2);
    let proves = Proves::PPositions;
    let certificate = Certificate::new(&rule, proves, None, convention, base, set);
    verify(game, &certificate, &LIMITS)
}

#[test]
fn sets_are_accepted_on_their_own_boards_only() {
    let neighbours = "move take from 2 consecutive heaps";
    let boards = ["circle(4) shrinking", "circle(4)", "row(4)"];
    let games = boards.map(|board| game(&format!("game g\nboard {board}\n{neighbours}")));
    for convention in [Convention::Normal, Convention::Misere] {
        for (place, game) in games.iter().enumerate() {
            let set = p_positions(game, convention);
            for (other, held) in games.iter().enumerate() {
                let verified = verified(held, convention, set.clone());
                assert_eq!(
                    verified.is_ok(),
                    place == other,
                    "{place} {other} {verified:?}"
                );
            }
        }
    }
    // Four heaps in a circle, and a claim that is read for all sizes.
    let claim = "claim P iff like (a,b,a,b) where a != b or like (a,a,a) or like ()";
    let text = format!("game g\nboard circle(4) shrinking\n{neighbours}\n{claim}");
    let game = game(&text);
    let rule = Rule::read(&game).expect("it is read");
    let set = p_positions(&game, Convention::Normal);
    let (normal, base) = (Convention::Normal, Numeration::Base(2));
    let words = Some(game.claims[0].words.as_str());
    let proves = Proves::PPositions;
    let certificate = Certificate::new(&rule, proves, words, normal, base, set);
    let verified = verify(&game, &certificate, &LIMITS).expect("it is true");
    assert_eq!(verified.claim.map(|claim| claim.proved), Some(Ok(())));
    let wrong = nimrule_fixtures::game(&text.replace(" where a != b", ""));
    let claimed = Certificate {
        claim: Some(wrong.claims[0].words.clone()),
        ..certificate
    };
    let refused = verify(&wrong, &claimed, &LIMITS);
    assert!(matches!(refused, Err(VerifyError::Claim(_))), "{refused:?}");
}

/// Rules that lower any heaps of a hyperedge by any numbers: every other set
/// is refused, for one of the conditions of the partition theorem.
#[test]
fn other_sets_are_refused_for_hypergraphs() {
    let mut numbers = Numbers::new(0x1234_5678_9abc_def1);
    let mut by = [0; 3];
    for rule in [
        "heaps a b c\nmove take from one heap",
        "heaps a b c d\nmove take from up to 2 heaps",
        "board circle(5)\nmove take from 2 consecutive heaps",
        "board circle(4) shrinking\nmove take from 2 consecutive heaps",
        "board tetrahedron\nheaps on vertices\nmove take from one edge",
    ] {
        let game = game(&format!("game g\n{rule}"));
        for convention in [Convention::Normal, Convention::Misere] {
            let set = p_positions(&game, convention);
            assert!(verified(&game, convention, set.clone()).is_ok(), "{rule}");
            for _ in 0..60 {
                let mut other = set.clone();
                let node = 2 + numbers.below(other.nodes() - 2);
                if numbers.below(4) == 0 && other.level[node] == 0 {
                    other.accepting[node] ^= true;
                } else {
                    let arc = node * 2 + numbers.below(2);
                    other.next[arc] = numbers.below(other.nodes()) as u32;
                }
                if !other.is_levelled() || !other.ignores_leading_zeros() {
                    continue;
                }
                let other = other.canonical(&LIMITS).expect("it is small");
                if other == set {
                    continue;
                }
                match verified(&game, convention, other) {
                    Err(VerifyError::Independence(_)) => by[0] += 1,
                    Err(VerifyError::Absorption(_)) => by[1] += 1,
                    Err(VerifyError::Terminal(_)) => by[2] += 1,
                    found => panic!("{rule}: {found:?}"),
                }
            }
        }
    }
    assert!(by[0] >= 20 && by[1] >= 20, "{by:?}");
}

#[test]
fn numbers_as_large_as_can_be_are_refused_by_name() {
    let large = i64::MAX;
    for rule in [
        format!("heaps a b\nmove take from one heap where like ({large}*x, y)"),
        format!("heaps a b\nmove take t from a where {large} * t > b"),
        format!("heaps a b\nmove take t from a where t mod {large} == 1"),
        format!("heaps a b\nmove take t from a where digit({large}, 1, t) == 1"),
        format!("heaps a b\nmove take t from a where t in {{{large}}}"),
        format!("heaps a b\nmove take t from a where exists x in 0..{large}: x == t"),
    ] {
        let game = game(&format!("game g\n{rule}"));
        assert!(Rule::read(&game).is_err(), "{rule}");
    }
}

/// A DFA that takes as many rounds to be found minimal as it has nodes.
#[test]
fn reading_a_certificate_ends_at_the_time_limit() {
    let game = game("game g heaps a move take from one heap");
    let rule = Rule::read(&game).expect("it is read");
    let mut set = Dfa::new(1, 2, 2);
    let length = 60_000;
    for node in 2..length + 2 {
        let next = if node + 1 < length + 2 { node + 1 } else { 2 };
        let stays = if node == 2 { 2 } else { next };
        set.push(0, node + 1 == length + 2, &[stays, next]);
    }
    let base = Numeration::Base(2);
    let (proves, normal) = (Proves::PPositions, Convention::Normal);
    let text = Certificate::new(&rule, proves, None, normal, base, set).text();
    let begun = Instant::now();
    let limits = LIMITS.cap_time(Duration::from_millis(200));
    let found = Certificate::read(&text, &limits);
    assert!(begun.elapsed() < crate::WHEN_BUSY);
    assert_eq!(found, Err(ReadError::LimitExceeded(LimitExceeded::Time)));
}
