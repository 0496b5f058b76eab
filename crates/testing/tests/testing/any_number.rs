//! Claims about any number of heaps: the general theorems of the documents, changes of them,
//! and random rules and claims, compared with the definition at the positions with at most six
//! heaps. So are claims about a number of heaps that is left open.

use nimrule::problem::Problems;
use nimrule::{Compiled, compile};
use nimrule_answer::{Discovered, DiscoveryBounds, Session};
use nimrule_checker::{CountingCertificate, VerifyError, verify, verify_counting};
use nimrule_definition::GameGraph;
use nimrule_definition::claim::Answers;
use nimrule_elaborate::Settings;
use nimrule_engine::{Limits, Steps};
use nimrule_fixtures::{Numbers, few_or_many, game_at};
use nimrule_model::game::{Applies, Convention, Game, ParamValue};
use nimrule_model::source::Source;
use nimrule_prove::{Strategy, Verdict, prove};

const NIM: &str = "take from one heap";
const MISERE_NIM: &str = "(if max(heaps) >= 2 then xor(heaps) == 0 else sum(heaps) mod 2 == 1)";
const MOORE_2: &str = "take from up to 2 heaps";
const MOORE_3: &str = "take from up to 3 heaps";
const TRIM: &str = "take t from one heap then optionally take u from one heap \
                    where u in powers(3) and 2*u > t";

fn rim(k: u64) -> String {
    format!(
        "for some p in powers({k}) take t from one heap where t < 2*p then up to {} times \
         take p from one heap",
        k - 2
    )
}

fn game(rule: &str, claim: &str) -> Game {
    nimrule_fixtures::game(&format!(
        "game g\nheaps any number\nmove {rule}\nclaim {claim}\n"
    ))
}

/// The rule of a text with its parameter `n` left open.
fn with_open_n(text: &str) -> Result<Compiled, Problems> {
    let settings = Settings::from([("n".to_owned(), ParamValue::Open)]);
    let source = Source::new("g.nimrule", text);
    compile(&source, &settings, &|_| Err("no files".to_owned()))
}

fn verdict(game: &Game, millions: u64) -> Option<Verdict> {
    let limits = Limits::of_memory(1 << 30).cap_work(Steps::million(millions));
    prove(game, &game.claims[0], &Strategy::all(&limits)).ok()
}

#[test]
fn general_theorems() {
    let (rim_4, rim_3) = (rim(4), rim(3));
    let misere = |k: u64| {
        format!(
            "misere P iff if max(heaps) >= 2 then carryless(2, heaps, {0}) == 0 \
             else sum(heaps) mod {0} == 1",
            k + 1
        )
    };
    let theorems: Vec<(&str, String)> = vec![
        (NIM, "P iff xor(heaps) == 0".to_owned()),
        (NIM, "consistent P iff xor(heaps) == 0".to_owned()),
        (NIM, "N iff xor(heaps) > 0".to_owned()),
        (NIM, misere(1)),
        (
            NIM,
            "misere P iff xor(heaps) == (if exists h in heaps: h >= 2 then 0 else 1)".to_owned(),
        ),
        (MOORE_2, "P iff carryless(2, heaps, 3) == 0".to_owned()),
        (MOORE_2, misere(2)),
        (MOORE_3, misere(3)),
        (MOORE_3, "P iff carryless(2, heaps, 4) == 0".to_owned()),
        (TRIM, "P iff carryless(3, heaps) == 0".to_owned()),
        (NIM, "grundy == xor(heaps)".to_owned()),
        (TRIM, "grundy == carryless(3, heaps)".to_owned()),
        (&rim_4, "grundy == carryless(4, heaps)".to_owned()),
        (&rim_3, "P iff carryless(3, heaps) == 0".to_owned()),
        (&rim_4, "P iff carryless(4, heaps) == 0".to_owned()),
        (
            "take 1 from one heap",
            "P iff sum(heaps) mod 2 == 0".to_owned(),
        ),
        (
            "take 1 from one heap",
            "P iff count(h in heaps where h mod 2 == 1) mod 2 == 0".to_owned(),
        ),
        (
            "take 1..2 from one heap",
            "P iff xor(h mod 3 for h in heaps) == 0".to_owned(),
        ),
        (
            "take 1..3 from one heap",
            "P iff xor(h mod 4 for h in heaps) == 0".to_owned(),
        ),
    ];
    for (rule, claim) in theorems.iter().step_by(few_or_many(3, 1)) {
        let found = verdict(&game(rule, claim), 60);
        let Some(Verdict::ProvedOfAnyNumber(proof)) = found else {
            panic!("{rule}: {claim}: {found:?}");
        };
        let is_value = claim.starts_with("grundy");
        assert_ne!(proof.certificate.is_some(), is_value, "{rule}: {claim}");
    }
}

#[test]
fn changed_theorems_are_refuted() {
    for (rule, claim) in [
        (NIM, "P iff xor(heaps) == 1"),
        (NIM, "grundy == carryless(3, heaps)"),
        (NIM, "P iff carryless(2, heaps, 3) == 0"),
        (NIM, "P iff xor(heaps) == 0 and count(heaps) < 5"),
        (NIM, "P iff xor(heaps) == 0 or sum(heaps) == 7"),
        (NIM, "misere P iff xor(heaps) == 0"),
        (
            NIM,
            "misere P iff if max(heaps) >= 3 then xor(heaps) == 0 else sum(heaps) mod 2 == 1",
        ),
        (MOORE_2, "P iff xor(heaps) == 0"),
        (MOORE_2, "P iff carryless(2, heaps, 4) == 0"),
        (MOORE_3, "misere P iff carryless(2, heaps, 4) == 0"),
        (TRIM, "P iff carryless(3, heaps) == 1"),
        (
            TRIM,
            "misere P iff if max(heaps) >= 3 then carryless(3, heaps) == 0 else sum(heaps) mod 3 == 1",
        ),
        (
            "take 1..2 from one heap",
            "P iff xor(h mod 4 for h in heaps) == 0",
        ),
    ] {
        let game = game(rule, claim);
        let found = verdict(&game, 60);
        assert!(
            matches!(found, Some(Verdict::Refuted(_))),
            "{rule}: {claim}: {found:?}"
        );
    }
}

#[test]
fn what_is_not_covered_is_named() {
    for (rule, claim, named) in [
        (
            "take from one heap as h where h == max(heaps)",
            "P iff count(heaps) mod 2 == 0",
            "a move depends on all heaps",
        ),
        (
            "take from all heaps",
            "P iff count(heaps) == 0",
            "may change all heaps",
        ),
        (
            "take from up to 5 heaps",
            "P iff count(heaps) == 0",
            "may change 5 heaps",
        ),
        (
            "take from one heap leaving 0..2 heaps",
            "P iff xor(heaps) == 0",
            "a heap is split",
        ),
        (
            "take t from one heap as h where 2*t <= h",
            "P iff count(heaps) == 0",
            "more of a heap",
        ),
        (NIM, "P iff like (a,a)", "is not counted"),
        (NIM, "P iff sum(heaps) == xor(heaps)", "both depend"),
        (NIM, "grundy == max(heaps)", "the only values"),
        (
            NIM,
            "P iff count(h in heaps where h == max(heaps)) mod 2 == 0",
            "reads the others",
        ),
        (
            NIM,
            "P iff carryless(3, heaps) == 0 and xor(heaps) == 0",
            "base",
        ),
        (NIM, "P iff xor(heaps) < 5", "compared by its size"),
        (
            "take from exactly 2 heaps",
            "misere P iff sum(heaps) mod 2 == 1",
            "more of a heap",
        ),
        (
            "take equal 1 from exactly 2 heaps",
            "misere P iff sum(heaps) mod 2 == 1",
            "may be terminal",
        ),
    ] {
        match verdict(&game(rule, claim), 20) {
            Some(Verdict::Unsupported(why)) => assert!(why.what.contains(named), "{}", why.what),
            other => panic!("{rule}: {claim}: {other:?}"),
        }
    }
    let claimed = game("take from one heap", "P iff xor(heaps) == 0");
    let text = claimed
        .text
        .text
        .replace("claim", "positions where count(heaps) < 9\nclaim");
    match verdict(&nimrule_fixtures::game(&text), 20) {
        Some(Verdict::Unsupported(why)) => assert!(why.what.contains("restricted"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// All multisets of at most six heaps, with fewer of them the larger they are.
fn positions() -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for (heaps, largest) in [(1, 40), (2, 16), (3, 9), (4, 6), (5, 4), (6, 3)] {
        let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
        for _ in 0..heaps {
            let longer = |row: &Vec<u64>| {
                let row = row.clone();
                let least = row.last().copied().unwrap_or(1);
                (least..=largest).map(move |size| [row.as_slice(), &[size]].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        all.extend(rows);
    }
    all
}

fn random_rule(rng: &mut Numbers) -> String {
    match rng.below(8) {
        0 => NIM.to_owned(),
        1 => MOORE_2.to_owned(),
        2 => TRIM.to_owned(),
        3 => format!("take 1..{} from one heap", 1 + rng.below(3)),
        4 => "take {1,2,4} from one heap".to_owned(),
        5 => "take {1,3} from one heap".to_owned(),
        6 => "take t from one heap where t in powers(2)".to_owned(),
        _ => "take 1 from up to 2 heaps".to_owned(),
    }
}

fn random_condition(rng: &mut Numbers, depth: u32) -> String {
    if depth > 0 && rng.percent(45) {
        let (one, other) = (
            random_condition(rng, depth - 1),
            random_condition(rng, depth - 1),
        );
        return match rng.below(4) {
            0 => format!("(({one}) and ({other}))"),
            1 => format!("(({one}) or ({other}))"),
            2 => format!("not ({one})"),
            _ => {
                let third = random_condition(rng, 0);
                format!("(if {third} then {one} else {other})")
            }
        };
    }
    let (small, modulus) = (rng.below(4), 2 + rng.below(3));
    match rng.below(10) {
        0 | 1 => format!("xor(heaps) == {}", small / 3),
        2 => format!("carryless(2, heaps, {modulus}) == 0"),
        3 => format!("sum(heaps) mod {modulus} == {}", rng.below(modulus)),
        4 => format!("sum(heaps) >= {small}"),
        5 => format!(
            "count(h in heaps where h >= {}) <= {small}",
            1 + rng.below(3)
        ),
        6 => format!(
            "count(h in heaps where h mod {modulus} == 1) mod 2 == {}",
            rng.below(2)
        ),
        7 => format!("max(heaps) >= {small}"),
        8 => format!("xor(h mod {modulus} for h in heaps) == 0"),
        _ => format!("exists h in heaps: h == {small}"),
    }
}

#[test]
fn random_claims_agree_with_the_definition() {
    let mut rng = Numbers::new(37);
    let positions = positions();
    let (mut proved, mut refuted, mut open) = (0, 0, 0);
    for _ in 0..random() {
        // Most random claims are false: many are changes of theorems.
        let known = [
            (NIM, "", "xor(heaps) == 0"),
            (NIM, "misere ", MISERE_NIM),
            (MOORE_2, "", "carryless(2, heaps, 3) == 0"),
            (TRIM, "", "carryless(3, heaps) == 0"),
            ("take 1 from one heap", "", "sum(heaps) mod 2 == 0"),
            (
                "take 1..2 from one heap",
                "",
                "xor(h mod 3 for h in heaps) == 0",
            ),
        ];
        let (known_rule, known_play, theorem) = *rng.pick(&known);
        let (random, change) = (random_rule(&mut rng), random_condition(&mut rng, 1));
        let (rule, misere, condition) = match rng.below(6) {
            0 if rng.percent(50) => (random, "", random_condition(&mut rng, 2)),
            0 => (random, "misere ", random_condition(&mut rng, 2)),
            1 => (random, known_play, theorem.to_owned()),
            2 => (
                known_rule.to_owned(),
                known_play,
                format!("{theorem} or {change}"),
            ),
            3 => (
                known_rule.to_owned(),
                known_play,
                format!("{theorem} and {change}"),
            ),
            4 => (
                known_rule.to_owned(),
                known_play,
                format!("(if {change} then {theorem} else {theorem})"),
            ),
            _ => (known_rule.to_owned(), known_play, theorem.to_owned()),
        };
        let game = game(&rule, &format!("{misere}P iff {condition}"));
        let at = format!("{rule}: {misere}P iff {condition}");
        match verdict(&game, 1) {
            Some(Verdict::ProvedOfAnyNumber(_)) => {
                proved += 1;
                let graph = GameGraph::from(&game, &positions).expect("no faults");
                let mut answers = Answers::of(&graph, game.claims[0].convention);
                let wrong = answers.counterexample(&game.claims[0], &positions);
                assert!(matches!(wrong, Ok(None)), "{at}: proved, and {wrong:?}");
            }
            Some(Verdict::Refuted(found)) => {
                refuted += 1;
                let graph = GameGraph::from(&game, std::slice::from_ref(&found.position))
                    .expect("no faults");
                let mut answers = Answers::of(&graph, game.claims[0].convention);
                let statement = game.claims[0].statement.as_ref().expect("it applies");
                let holds = answers.holds_at(statement, &found.position);
                assert!(matches!(holds, Ok(Some(false))), "{at}: {holds:?}");
            }
            Some(Verdict::Contradicted(found)) => panic!("{at}: contradicted at {found:?}"),
            Some(Verdict::Unsupported(_) | Verdict::Undecided(_)) | None => open += 1,
            Some(other) => panic!("{at}: {other:?}"),
        }
    }
    assert!(
        proved >= few_or_many(2, 3) && refuted >= few_or_many(3, 5),
        "{proved} {refuted} {open}"
    );
}

const ALL_EQUAL: &str = "min(heaps) == max(heaps)";
const MISERE_ALL_BUT_ONE: &str =
    "(if max(heaps) >= 2 then min(heaps) == max(heaps) else sum(heaps) == 1)";
const SAME_PARITY: &str =
    "((forall h in heaps: h mod 2 == 0) or (forall h in heaps: h mod 2 == 1))";
const SAME_REMAINDER: &str = "((forall h in heaps: h mod 3 == 0) or \
                              (forall h in heaps: h mod 3 == 1) or \
                              (forall h in heaps: h mod 3 == 2))";

/// A game whose moves leave so many heaps alone at least, with the number of heaps: left open,
/// or this one.
fn open_game(amount: &str, alone: usize, claim: &str, count: Option<usize>) -> Game {
    let text = format!(
        "game g\nparam n = {0} in {0}..\nheaps n\nmove take {amount} from up to n - {alone} heaps\n\
         claim {claim}\n",
        alone + 1
    );
    match count {
        Some(count) => game_at(&text, &[("n", count as i64)]),
        None => with_open_n(&text).expect(&text).game,
    }
}

/// A theorem about every number of heaps: amounts, play, and the condition of P-positions.
const OPEN_THEOREMS: [(&str, &str, &str); 4] = [
    ("", "", ALL_EQUAL),
    ("", "misere ", MISERE_ALL_BUT_ONE),
    ("1", "", SAME_PARITY),
    ("1..2", "", SAME_REMAINDER),
];

#[test]
fn theorems_where_the_number_of_heaps_is_open() {
    for (amount, play, condition) in &OPEN_THEOREMS[few_or_many(2, 0)..] {
        let game = open_game(amount, 1, &format!("{play}P iff {condition}"), None);
        match verdict(&game, 60) {
            Some(Verdict::ProvedOfAnyNumber(proof)) => {
                assert!(proof.certificate.is_some(), "{condition}: {proof:?}");
            }
            found => panic!("{play}{condition}: {found:?}"),
        }
    }
}

#[test]
fn changed_theorems_where_the_number_of_heaps_is_open() {
    for (amount, alone, claim, heaps) in [
        // Four heaps are the fewest at which it fails.
        (
            "",
            1,
            "P iff min(heaps) == max(heaps) and count(heaps) < 4",
            4,
        ),
        ("", 1, "P iff min(heaps) == max(heaps) and n != 3", 3),
        ("", 1, "P iff max(heaps) == 0", 2),
        (
            "",
            1,
            "P iff min(heaps) == max(heaps) and max(heaps) != 5",
            2,
        ),
        ("", 1, "misere P iff min(heaps) == max(heaps)", 2),
        ("1", 1, "P iff forall h in heaps: h mod 2 == 0", 2),
        ("", 2, "P iff min(heaps) == max(heaps)", 3),
        // Four digits, and four numbers of heaps with each from 1 on.
        ("", 1, "P iff sum(heaps) mod 4 == 0", 2),
    ] {
        let game = open_game(amount, alone, claim, None);
        match verdict(&game, 60) {
            Some(Verdict::Refuted(found)) => {
                assert_eq!(found.position.len(), heaps, "{claim}: {found:?}");
            }
            found => panic!("{claim}: {found:?}"),
        }
        // The independent checker rejects it, too.
        let stated = &game.claims[0];
        let certificate = CountingCertificate::new(&game, &stated.words, stated.convention, 2, 2);
        let certificate = certificate.expect("the checker reads the rule");
        let limits = Limits::of_memory(1 << 28).cap_work(Steps::million(60));
        match verify_counting(&game, &certificate, &limits) {
            Err(VerifyError::AnyNumber(_) | VerifyError::Terminal(_)) => {}
            found => panic!("{claim}: {found:?}"),
        }
    }
}

/// The prover refuses these before it searches; the checker has to by itself.
#[test]
fn the_checker_refuses_what_its_search_does_not_cover() {
    let put = "take 3 from one heap then put 1 on one heap as h where h mod 4 == 1";
    let set = "take 3 from one heap then set one heap as h to h + 1 where h mod 4 == 1";
    let many = |moduli: &[u64]| {
        let conditions = moduli
            .iter()
            .map(|modulus| format!("carryless(2, heaps, {modulus}) == 0"));
        let conditions: Vec<String> = conditions.collect();
        format!("P iff xor(heaps) == 0 and ({})", conditions.join(" or "))
    };
    for (more, claim, reason) in [
        (put, "P iff xor(heaps) == 0", "puts tokens on a heap"),
        (set, "P iff xor(heaps) == 0", "puts tokens on a heap"),
        ("take from one heap", &many(&[63, 61, 59]), "residues"),
        // Their least common multiple exceeds 32 bits.
        (
            "take from one heap",
            &many(&[64, 63, 61, 59, 55, 53, 47]),
            "residues",
        ),
    ] {
        let game = game(&format!("take from one heap\nmove {more}"), claim);
        let stated = &game.claims[0];
        let certificate = CountingCertificate::new(&game, &stated.words, stated.convention, 2, 1);
        let certificate = certificate.expect("the checker reads the rule");
        let limits = Limits::of_memory(1 << 28).cap_work(Steps::million(60));
        let refused = verify_counting(&game, &certificate, &limits).expect_err(more);
        assert!(refused.to_string().contains(reason), "{refused}");
        assert!(
            matches!(verdict(&game, 60), Some(Verdict::Unsupported(_))),
            "{claim}"
        );
    }
}

/// A search for a proof of one of these takes minutes: there are as many numbers of heaps with a
/// digit as residues.
#[test]
fn claims_of_many_residues_are_refuted() {
    let claims = [
        "P iff sum(heaps) mod 16 == 0",
        "P iff sum(heaps) mod 60 == 0",
    ];
    let open = |claim: &str| open_game("", 1, claim, None);
    let games = claims.map(|claim| [game(NIM, claim), open(claim)]);
    for game in games.iter().flatten() {
        match verdict(game, 1) {
            Some(Verdict::Refuted(found)) => assert_eq!(found.position, [1, 1]),
            found => panic!("{}: {found:?}", game.text.text),
        }
    }
    let value = game(NIM, "grundy == carryless(16, heaps)");
    assert!(matches!(verdict(&value, 1), Some(Verdict::Refuted(_))));
}

#[test]
fn certificates_are_for_their_parameters() {
    let claim = "P iff min(heaps) == max(heaps)";
    let (open, fixed) = (
        open_game("", 1, claim, None),
        open_game("", 1, claim, Some(3)),
    );
    let limits = Limits::of_memory(1 << 28);
    let (Some(Verdict::ProvedOfAnyNumber(of_open)), Some(Verdict::Proved(of_fixed))) =
        (verdict(&open, 60), verdict(&fixed, 60))
    else {
        panic!("both are theorems");
    };
    let of_open = of_open.certificate.expect("a certificate");
    let of_fixed = of_fixed.certificate.expect("a certificate");
    assert!(verify_counting(&open, &of_open, &limits).is_ok());
    assert!(verify(&fixed, &of_fixed, &limits).is_ok());
    for (refused, set) in [
        (verify_counting(&fixed, &of_open, &limits).err(), "n=any"),
        (verify(&open, &of_fixed, &limits).err(), "n=3"),
    ] {
        match refused {
            Some(VerifyError::Parameters { settings, .. }) => assert_eq!(settings, [set]),
            other => panic!("{other:?}"),
        }
    }
    // Games of one name without parameters.
    let rule = |heaps: &str| {
        let text = format!("game g\nheaps {heaps}\nmove {NIM}\nclaim P iff xor(heaps) == 0\n");
        nimrule_fixtures::game(&text)
    };
    let (any, two) = (rule("any number"), rule("a b"));
    let (Some(Verdict::ProvedOfAnyNumber(of_any)), Some(Verdict::Proved(of_two))) =
        (verdict(&any, 60), verdict(&two, 60))
    else {
        panic!("both are theorems");
    };
    let of_any = of_any.certificate.expect("a certificate");
    let of_two = of_two.certificate.expect("a certificate");
    for (refused, words) in [
        (
            verify_counting(&two, &of_any, &limits).err(),
            "it is for any number of heaps, and the rule for a fixed number",
        ),
        (
            verify(&any, &of_two, &limits).err(),
            "it is for a fixed number of heaps, and the rule for any number",
        ),
    ] {
        assert_eq!(refused.map(|why| why.to_string()).as_deref(), Some(words));
    }
}

#[test]
fn the_fewest_heaps_may_be_many() {
    for least in [7_u64, 1 << 32, (1 << 32) - 1] {
        for condition in [ALL_EQUAL, "max(heaps) == 0"] {
            let text = format!(
                "game g\nparam n = {least} in {least}..\nheaps n\n\
                 move take from up to n - 1 heaps\nclaim P iff {condition}\n"
            );
            let compiled = with_open_n(&text);
            let game = compiled.expect("a rule").game;
            let claim = &game.claims[0];
            let certificate = CountingCertificate::new(&game, &claim.words, claim.convention, 2, 1);
            let certificate = certificate.expect("the checker reads the rule");
            let limits = Limits::of_memory(1 << 28).cap_work(Steps::million(60));
            let checked = verify_counting(&game, &certificate, &limits);
            match (condition == ALL_EQUAL, verdict(&game, 60)) {
                (true, Some(Verdict::ProvedOfAnyNumber(_))) => assert!(checked.is_ok()),
                // No position of so many heaps is solved.
                (false, Some(Verdict::Undecided(_))) => {
                    assert!(
                        matches!(checked, Err(VerifyError::AnyNumber(_))),
                        "{checked:?}"
                    );
                }
                (_, found) => panic!("{least}: {condition}: {found:?}"),
            }
        }
    }
}

#[test]
fn what_is_not_covered_where_the_number_of_heaps_is_open() {
    for (amount, claim, named) in [
        ("equal", "P iff max(heaps) == 0", "by itself"),
        ("", "grundy == sum(heaps)", "Grundy values"),
        (
            "1..max(heaps)",
            "P iff max(heaps) == 0",
            "depends on all heaps",
        ),
        ("", "P iff carryless(2, heaps, n) == 0", "is not fixed"),
    ] {
        match verdict(&open_game(amount, 1, claim, None), 20) {
            Some(Verdict::Unsupported(why)) => assert!(why.what.contains(named), "{}", why.what),
            found => panic!("{claim}: {found:?}"),
        }
    }
}

/// All positions of so many heaps in ascending order, smaller ones if there are more heaps.
fn positions_of(heaps: usize) -> Vec<Vec<u64>> {
    let largest = [40, 12, 7, 5, 3, 2][heaps - 1];
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    for _ in 0..heaps {
        let longer = |row: &Vec<u64>| {
            let row = row.clone();
            let least = row.last().copied().unwrap_or(0);
            (least..=largest).map(move |size| [row.as_slice(), &[size]].concat())
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

fn random_open_condition(rng: &mut Numbers) -> String {
    let small = rng.below(4);
    match rng.below(8) {
        0 => format!("max(heaps) {} {small}", rng.pick(&["<=", ">=", "=="])),
        1 => format!("min(heaps) >= {small}"),
        2 => "min(heaps) < max(heaps)".to_owned(),
        3 => format!("count(h in heaps where h == {small}) <= {}", rng.below(3)),
        4 => format!("sum(heaps) mod {} == {}", 2 + rng.below(2), rng.below(2)),
        5 => format!("exists h in heaps: h mod 2 == {}", rng.below(2)),
        6 => format!("n mod 2 == {}", rng.below(2)),
        _ => format!("sum(heaps) <= {small}"),
    }
}

#[test]
fn random_claims_where_the_number_of_heaps_is_open() {
    let mut rng = Numbers::new(39);
    let (mut proved, mut refuted, mut open) = (0, 0, 0);
    for _ in 0..random() {
        let (amount, play, theorem) = *rng.pick(&OPEN_THEOREMS);
        let change = random_open_condition(&mut rng);
        let condition = match rng.below(5) {
            0 => theorem.to_owned(),
            1 => format!("({theorem} or {change})"),
            2 => format!("({theorem} and {change})"),
            3 => format!("(if {change} then {theorem} else {theorem})"),
            _ => format!("({change} and {})", random_open_condition(&mut rng)),
        };
        let (amount, alone) = match rng.below(4) {
            0 => (
                *rng.pick(&["1", "1..2", "{1,3}", ""]),
                1 + rng.below(2) as usize,
            ),
            _ => (amount, 1),
        };
        let claim = format!("{play}P iff {condition}");
        let at = format!("{amount}, {alone} alone: {claim}");
        let compared = |heaps: usize, positions: &[Vec<u64>]| {
            let game = open_game(amount, alone, &claim, Some(heaps));
            let graph = GameGraph::from(&game, positions).expect("no faults");
            let mut answers = Answers::of(&graph, game.claims[0].convention);
            answers.counterexample(&game.claims[0], positions)
        };
        match verdict(&open_game(amount, alone, &claim, None), 1) {
            Some(Verdict::ProvedOfAnyNumber(_)) => {
                proved += 1;
                for heaps in alone + 1..=6 {
                    let wrong = compared(heaps, &positions_of(heaps));
                    assert!(matches!(wrong, Ok(None)), "{at}: proved, and {wrong:?}");
                }
            }
            Some(Verdict::Refuted(found)) => {
                refuted += 1;
                let wrong = compared(found.position.len(), std::slice::from_ref(&found.position));
                assert!(matches!(wrong, Ok(Some(_))), "{at}: {found:?}: {wrong:?}");
            }
            Some(Verdict::Contradicted(found)) => panic!("{at}: contradicted at {found:?}"),
            Some(Verdict::Unsupported(_) | Verdict::Undecided(_)) | None => open += 1,
            Some(other) => panic!("{at}: {other:?}"),
        }
    }
    assert!(
        proved >= few_or_many(1, 3) && refuted >= few_or_many(3, 7),
        "{proved} {refuted} {open}"
    );
}

/// The number of random claims.
fn random() -> usize {
    few_or_many(8, 50)
}

#[test]
fn what_cannot_be_left_open() {
    for (rule, named) in [
        // What the parameter is for.
        (
            "param n = 2 in 1..\nheaps 3\nmove take 1..n from one heap",
            "every number at once",
        ),
        (
            "param n = 2 in 1..\nheaps h[1..n]\nmove take from one heap",
            "every number at once",
        ),
        (
            "param n = 4 in 2..6\nheaps n\nmove take from up to n - 1 heaps",
            "expected a range of all numbers from some number on, such as `2..`, found `2..6`",
        ),
        (
            "param n = {2,3}\nheaps 3\nmove take n from one heap",
            "every number at once",
        ),
        // The moves.
        (
            "param n = 4 in 2..\nheaps n\nmove take from one heap",
            "another selection",
        ),
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to 2 heaps",
            "another selection",
        ),
        (
            "param n = 4 in 2..\nheaps n\nmove take from all heaps",
            "another selection",
        ),
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to n heaps",
            "another selection",
        ),
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to n - 2 heaps",
            "the selection is empty",
        ),
        (
            "param n = 10 in 10..\nheaps n\nmove take from up to n - 9 heaps",
            "expected `n - j` with a number j of at most 8, found `n - 9`",
        ),
        (
            "param n = 4294967298 in 4294967298..\nheaps n\n\
             move take from up to n - 4294967297 heaps",
            "found `n - 4294967297`",
        ),
        // Claims about some numbers of heaps.
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to n - 1 heaps\n\
             claim for kk == 3: P iff max(heaps) == 0",
            "kk",
        ),
        // Claims about some positions.
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to n - 1 heaps\n\
             claim for max(heaps) > 2: P iff min(heaps) == max(heaps)",
            "must not depend on the position",
        ),
        (
            "param n = 4 in 2..\nheaps n\nmove take from up to n - 1 heaps\n\
             claim for n > 2 and count(heaps) > 2: P iff min(heaps) == max(heaps)",
            "must not depend on the position",
        ),
        (
            "param n = 4 in 2..\nheaps n\nstate s in 0..1\nmove take from up to n - 1 heaps",
            "every number at once",
        ),
    ] {
        let text = format!("game g\n{rule}\n");
        let compiled = with_open_n(&text);
        let wrong = compiled.expect_err(rule).to_string();
        assert!(wrong.contains(named), "{rule}: {wrong}");
    }
}

#[test]
fn theorems_about_many_heaps_at_least_are_not_sought() {
    for (least, named) in [
        (4, None),
        (5, Some("at least 5 heaps")),
        (6, Some("at least 6")),
    ] {
        let text = format!(
            "game g\nparam n = {least} in {least}..\nheaps n\nmove take from up to n - 1 heaps\n"
        );
        let compiled = with_open_n(&text);
        let game = compiled.expect("a rule").game;
        let session = Session::new(&game, Limits::of_memory(1 << 28));
        let found = session.discover(Convention::Normal, DiscoveryBounds::default());
        match (found.expect("no limit"), named) {
            (Discovered::OfAnyNumber(_), None) => {}
            (Discovered::Unsupported(why), Some(named)) => assert!(why.contains(named), "{why}"),
            (found, _) => panic!("{least}: {found:?}"),
        }
    }
}

#[test]
fn claims_about_some_numbers_of_heaps_are_passed_over() {
    for (condition, applies) in [
        ("n == 3", Applies::Elsewhere),
        ("n * n > 8 or k == 2", Applies::Elsewhere),
        ("forall m in 1..n: m < 4", Applies::Elsewhere),
        ("k == 1", Applies::Here),
        ("k == 2", Applies::Elsewhere),
    ] {
        let text = format!(
            "game g\nparam n = 4 in 2..\nparam k = 1 in 1..2\nheaps n\n\
             move take from up to n - 1 heaps\nclaim for {condition}: P iff max(heaps) == 0\n"
        );
        let compiled = with_open_n(&text);
        let game = compiled
            .unwrap_or_else(|wrong| panic!("{condition}: {wrong}"))
            .game;
        assert_eq!(game.claims[0].applies, applies, "{condition}");
    }
}
