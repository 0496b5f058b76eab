//! The independent checker: its reading of rules against the definition, and
//! certificates that it must refuse.

use nimrule::check::Settings;
use nimrule::game::{Convention, Game, ParamValue};
use nimrule::source::Source;
use nimrule_checker::{Certificate, Dfa, EVERYTHING, Numeration, Refused, Rule, verify};
use nimrule_limits::Limits;

const LIMITS: Limits = Limits::of_memory(1 << 30);

fn read(text: &str, params: &[(&str, i64)]) -> Game {
    let settings: Settings = params
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ParamValue::Number(*value)))
        .collect();
    let read = |_: &str| Err(String::new());
    let found = nimrule::compile(&Source::new("a test", text), &settings, &read);
    match found {
        Ok(compiled) => compiled.game,
        Err(problems) => panic!("{text}: {problems:?}"),
    }
}

fn shipped(name: &str, params: &[(&str, i64)]) -> Game {
    let path = format!("{}/games/{name}.nimrule", env!("CARGO_MANIFEST_DIR"));
    read(&std::fs::read_to_string(path).expect("it is there"), params)
}

/// The options and the faults are those of the definition, at every position
/// with heaps up to a size.
fn are_options(game: &Game, size: u64) {
    let rule = Rule::read(game).unwrap_or_else(|what| panic!("{}: {what}", game.name));
    let mut position = vec![0; game.heap_count()];
    loop {
        let at = format!("{} {position:?} {:?}", game.name, rule.ways);
        let faults = rule.faults_at(&position).expect("its digits are told");
        match nimrule_definition::options(game, &position, None) {
            Err(_) => assert!(faults, "{at}"),
            Ok(defined) => {
                assert!(!faults, "{at}");
                let found = rule.options(&position).expect("its digits are told");
                assert_eq!(found, defined.into_iter().collect(), "{at}");
                for option in &found {
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
        "move take t from a where b == 0 or (a - b) ^ 1 > 2",
    ];
    for body in bodies {
        are_options(&read(&format!("game small\nheaps a b c\n{body}\n"), &[]), 4);
    }
    let some = "game small heaps a b c positions where a <= b move take from one heap";
    are_options(&read(some, &[]), 4);
}

#[test]
fn options_far_beyond_any_box() {
    let rule = "game g\nheaps a b\nmove for some x in {a - b} take 1 from b where x < -40";
    let game = read(rule, &[]);
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

/// A certificate that every position is P, with nothing else wrong with it.
fn of_everything(game: &Game) -> Result<nimrule_checker::Verified, Refused> {
    let rule = Rule::read(game).expect("it is read");
    let heaps = game.heap_count();
    let set = Dfa::new(heaps, 2, EVERYTHING);
    let words = game.claims.first().map(|claim| claim.words.as_str());
    let (normal, base) = (Convention::Normal, Numeration::Base(2));
    let certificate = Certificate::new(&rule, words, normal, base, &set);
    let again = Certificate::read(&certificate.text()).expect("it is read again");
    assert_eq!(again, certificate);
    verify(game, &again, &LIMITS)
}

#[test]
fn numbers_chosen_may_be_negative() {
    for bound in [0, -40] {
        for heaps in ["a b", "a b c d"] {
            let rule = format!("move for some x in {{a - b}} take 1 from b where x < {bound}");
            let game = read(
                &format!("game g\nheaps {heaps}\n{rule}\nclaim P iff a >= 0"),
                &[],
            );
            let found = of_everything(&game);
            assert!(matches!(found, Err(Refused::Independence(_))), "{found:?}");
        }
    }
    // Nothing can be taken here, so that it is true.
    let rule =
        "game g\nheaps a b\nmove for some x in {a - b} take 1 from b where x < 0 and x != a - b";
    let game = read(&format!("{rule}\nclaim P iff a >= 0"), &[]);
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
        read(&text, &[])
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
        Certificate::new(&rule, words, Convention::Normal, Numeration::Base(2), &set)
    };
    let verified = verify(&naturals, &certificate(&naturals), &LIMITS).expect("it is true");
    assert_eq!(verified.claim.map(|claim| claim.proved), Some(Ok(())));
    let other = verify(&integers, &certificate(&naturals), &LIMITS);
    assert_eq!(other, Err(Refused::Rule));
    let false_one = verify(&integers, &certificate(&integers), &LIMITS);
    assert!(
        matches!(false_one, Err(Refused::Independence(_))),
        "{false_one:?}"
    );
}

#[test]
fn faults_are_found_at_any_size() {
    let faulty = |rule: &str| of_everything(&read(&format!("game g\nheaps a b c\n{rule}"), &[]));
    for rule in [
        "move when a != 1 and a != 2 and a != 3 take 1 from heaps[a]",
        "move take t from a where t > 3 and heaps[t] > 1",
        "move take t from a where (a - b) ^ 1 > 2",
    ] {
        let found = faulty(rule);
        assert!(
            matches!(found, Err(Refused::Fault { .. })),
            "{rule}: {found:?}"
        );
    }
}

#[test]
fn what_is_not_read_is_named_with_its_place() {
    for (rule, what, place) in [
        ("take t from a where isqrt(t) == b", "`isqrt`", "isqrt(t)"),
        ("take t from a where t * b > 3", "a product", "t * b"),
        ("take t from a where t in squares", "`squares`", "squares"),
        ("take t from a where t mod b == 0", "a remainder", "t mod b"),
    ] {
        let text = format!("game small\nheaps a b\nmove {rule}\n");
        let unsupported = Rule::read(&read(&text, &[])).expect_err(rule);
        assert!(unsupported.what.starts_with(what), "{rule}: {unsupported}");
        let (from, length) = (unsupported.span.offset(), unsupported.span.len());
        assert_eq!(&text[from..from + length], place, "{rule}");
    }
}

#[test]
fn certificates_of_another_semantics_are_refused_by_name() {
    let game = read("game g heaps a b move take from one heap where a > a", &[]);
    let rule = Rule::read(&game).expect("it is read");
    let set = Dfa::new(2, 2, EVERYTHING);
    let (normal, base) = (Convention::Normal, Numeration::Base(2));
    let text = Certificate::new(&rule, None, normal, base, &set).text();
    assert!(Certificate::read(&text).is_ok());
    let own = format!("\"semantics\":{}", nimrule_model::SEMANTICS_VERSION);
    for other in [
        "\"semantics\":1",
        "\"semantics\":null",
        "\"semantics\":\"2\"",
    ] {
        let refused = Certificate::read(&text.replace(&own, other)).expect_err(other);
        assert!(refused.to_string().contains("semantics"), "{refused}");
    }
}
