//! Certificates: they are written, read and verified, and thousands of mutated ones
//! are rejected.

use nimrule_checker::{Certificate, Numeration, Proves, ReadError, VerifyError as By};
use nimrule_discover::learning;
use nimrule_discover::residual_learning::{
    LearnedAutomaton, SearchBounds, discover, discover_values,
};
use nimrule_engine::Limits;
use nimrule_fixtures::{Numbers, few_or_many, game, game_of_file, shipped};
use nimrule_model::game::{Applies, Convention, Game, Statement};
use nimrule_prove::certificate::{self, write};
use nimrule_prove::certificate::{CheckedCertificate, Rejected, check_certificate};
use nimrule_prove::of_heap;
use nimrule_prove::{Set, Verdict, prove};
use std::sync::OnceLock;

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// The certificate of the first claim of this convention that is proved.
fn of_claim(game: &Game, convention: Convention) -> String {
    let claims = game.claims.iter();
    let mut here = claims.filter(|c| c.applies != Applies::Elsewhere && c.convention == convention);
    here.find_map(|claim| match prove(game, claim, &learning(&LIMITS)) {
        Ok(Verdict::Proved(proof)) if proof.of == Set::PPositions => {
            let words = Some(claim.words.as_str());
            let written = write(
                game,
                Proves::PPositions,
                words,
                convention,
                &proof.automaton,
                &LIMITS,
            );
            let written = written.expect("its moves can be read");
            let accepted = proof.certificate.expect("it was held against the checker");
            assert_eq!(accepted.text(), written);
            Some(written)
        }
        _ => None,
    })
    .expect("a claim is proved by a certificate")
}

/// The certificate of a claim that is proved, whatever it is about.
fn of_words(game: &Game, words: &str) -> String {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.expect("the file has it");
    match prove(game, claim, &learning(&LIMITS)) {
        Ok(Verdict::Proved(proof)) => {
            let accepted = proof.certificate;
            accepted.expect("it was held against the checker").text()
        }
        other => panic!("{words}: {other:?}"),
    }
}

/// The certificate of the Grundy values, from the rule alone.
fn discovered_values(game: &Game, convention: Convention) -> String {
    let bounds = SearchBounds {
        most_positions: 1 << 16,
        ..SearchBounds::default()
    };
    let found = discover_values(game, convention, &bounds, &LIMITS);
    let found = found
        .expect("it is of this class")
        .found
        .expect("it closes");
    let certificate = found.certificate.expect("it was held against the checker");
    certificate.text()
}

/// The P-positions, from the rule alone.
fn learned(game: &Game, convention: Convention) -> LearnedAutomaton {
    let bounds = SearchBounds {
        most_positions: 1 << 20,
        ..SearchBounds::default()
    };
    let found = discover(game, convention, &bounds, &LIMITS);
    let found = found.expect("it is of this class").found;
    found.expect("it closes")
}

/// The certificate that the rule alone gives.
fn discovered(game: &Game, convention: Convention) -> String {
    let found = learned(game, convention);
    let certificate = found.certificate.expect("it was held against the checker");
    certificate.text()
}

fn verified(game: &Game, text: &str) -> Result<CheckedCertificate, Rejected> {
    let read = Certificate::read(text, &LIMITS);
    check_certificate(
        game,
        &read.map_err(nimrule_checker::VerifyError::from)?,
        &LIMITS,
    )
}

fn is_unreadable(refused: &Rejected) -> bool {
    use nimrule_checker::VerifyError::Unreadable;
    matches!(refused, Rejected::Checker(Unreadable(_)))
}

/// Games with their certificates, by claims and without. They are made once for all
/// tests.
fn certificates() -> &'static [(&'static str, Game, String)] {
    static MADE: OnceLock<Vec<(&'static str, Game, String)>> = OnceLock::new();
    MADE.get_or_init(make_certificates)
}

fn make_certificates() -> Vec<(&'static str, Game, String)> {
    let (normal, misere) = (Convention::Normal, Convention::Misere);
    let claimed = [
        ("cube_edge", shipped("cube_edge", &[]), normal),
        ("cube_vertex", shipped("cube_vertex", &[]), normal),
        ("cube_edge, misere", shipped("cube_edge", &[]), misere),
        (
            "circle",
            shipped("circular_nim", &[("n", 5), ("k", 2)]),
            normal,
        ),
        ("wythoff", shipped("wythoff", &[]), normal),
        ("wythoff, misere", shipped("wythoff", &[]), misere),
        ("trim", shipped("trim", &[("piles", 2)]), normal),
        ("trim, misere", shipped("trim", &[("piles", 2)]), misere),
    ];
    let found = [
        ("slow", shipped("cube_edge_slow", &[]), normal),
        ("greedy", shipped("greedy_nim", &[]), normal),
        ("range", shipped("subtraction_range", &[]), misere),
        (
            "moore",
            game("game moore heaps a b c d move take from up to 2 heaps"),
            normal,
        ),
        (
            "shrinking",
            shipped("shrinking_circular_nim", &[("n", 4), ("k", 2)]),
            normal,
        ),
        (
            "misere circle",
            shipped("circular_nim", &[("n", 4), ("k", 2)]),
            misere,
        ),
    ];
    let claimed = claimed.map(|(name, game, convention)| {
        let text = of_claim(&game, convention);
        (name, game, text)
    });
    let found = found.map(|(name, game, convention)| {
        let text = discovered(&game, convention);
        (name, game, text)
    });
    let values = [
        (
            "values of nim",
            shipped("nim", &[("piles", 3)]),
            "grundy == xor(heaps)",
        ),
        (
            "values of trim",
            shipped("trim", &[("piles", 2)]),
            "grundy == carryless(3, heaps)",
        ),
        (
            "values of faces",
            shipped("cube_face", &[]),
            "grundy == xor(heaps)",
        ),
        (
            "values of a range",
            shipped("subtraction_range", &[]),
            "grundy == xor(h mod (k + 1) for h in heaps)",
        ),
        (
            "values of tails",
            game("game tails heaps a b move take from a move take 1..2 from b"),
            "",
        ),
    ];
    let values = values.map(|(name, game, words)| {
        let text = match words {
            "" => discovered_values(&game, misere),
            words => of_words(&game, words),
        };
        (name, game, text)
    });
    claimed.into_iter().chain(found).chain(values).collect()
}

#[test]
fn certificates_are_verified_from_their_text() {
    for (name, game, text) in certificates() {
        let held = verified(game, text).expect(name);
        let read = Certificate::read(text, &LIMITS).expect(name);
        let convention = read.convention;
        match &read.claim {
            None => assert_eq!(held.claim, None, "{name}"),
            Some(words) => {
                let claim = held.claim.expect(name);
                assert_eq!((&claim.words, &claim.compiled), (words, &Ok(())), "{name}");
                assert!(claim.to.is_none_or(|to| to >= 5), "{name}: {:?}", claim.to);
            }
        }
        // The positions of value 0 are the P-positions.
        let is_in = |position: &[u64]| match read.proves {
            Proves::GrundyValues => {
                let with_value = [position, &[0]].concat();
                read.set.accepts(read.numeration, &with_value)
            }
            _ => read.set.accepts(read.numeration, position),
        };
        let whole = learned(game, convention).set;
        if read.proves == Proves::PPositions {
            assert_eq!(held.states, whole.states(), "{name}");
        }
        for size in [0, 1, 6, 1 << 40, u64::MAX] {
            let mut position = vec![size; game.heap_count()];
            for other in [size, size / 3] {
                position[0] = other;
                let numbers: Vec<_> = (0..).map(of_heap).zip(position.clone()).collect();
                assert_eq!(
                    is_in(&position),
                    whole.accepts(&numbers),
                    "{name} {position:?}"
                );
            }
        }
    }
}

/// The text with one number replaced by another, or one more or less.
fn other_number(text: &str, numbers: &mut Numbers) -> String {
    let is_digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
    loop {
        let at = numbers.below(text.len());
        if !is_digit(at) || is_digit(at - 1) {
            continue;
        }
        let end = (at..text.len()).find(|at| !is_digit(*at)).unwrap_or(at);
        let Ok(number) = text[at..end].parse::<u64>() else {
            continue;
        };
        let other = match numbers.below(3) {
            0 => number.wrapping_add(1),
            1 => number.saturating_sub(1),
            _ => numbers.below(40),
        };
        if other != number {
            return format!("{}{other}{}", &text[..at], &text[end..]);
        }
    }
}

fn other_letter(text: &str, numbers: &mut Numbers) -> String {
    let letters: Vec<char> = " \",:[]{}0123456789abckmPn=<>-".chars().collect();
    let mut changed: Vec<char> = text.chars().collect();
    let at = numbers.below(changed.len());
    let letter = *numbers.pick(&letters);
    match numbers.below(3) {
        0 => changed.insert(at, letter),
        1 => drop(changed.remove(at)),
        _ => changed[at] = letter,
    }
    changed.into_iter().collect()
}

fn other_bit(text: &str, numbers: &mut Numbers) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = numbers.below(bytes.len());
    bytes[at] ^= 1 << numbers.below(8);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One bit, one number or one letter is another: none is verified. There is
/// one way only to write a certificate, so that none means the same as before.
#[test]
fn changed_certificates_are_refused() {
    let mut numbers = Numbers::new(20_240_917);
    let (mut refused, mut by_contents) = (0, 0);
    for (name, game, text) in certificates() {
        let ways: [fn(&str, &mut Numbers) -> String; 3] = [other_number, other_letter, other_bit];
        for turn in 0..600 {
            let changed = ways[turn % 3](text, &mut numbers);
            if changed == *text {
                continue;
            }
            match verified(game, &changed) {
                Ok(_) => {
                    let at = text.bytes().zip(changed.bytes()).position(|(a, b)| a != b);
                    let at = at.unwrap_or(text.len()).saturating_sub(30);
                    let near = |text: &str| text.chars().skip(at).take(60).collect::<String>();
                    panic!("{name} is verified\n{}\n{}", near(text), near(&changed));
                }
                Err(other) if is_unreadable(&other) => refused += 1,
                Err(_) => by_contents += 1,
            }
        }
    }
    assert!(
        refused > 1000 && by_contents > 100,
        "{refused} and {by_contents}"
    );
}

/// Changes that leave a certificate in form: the diagram of another set, with
/// as many nodes or one less.
/// What is refused here is refused for what it says.
#[test]
fn other_sets_are_refused_for_what_they_say() {
    let mut numbers = Numbers::new(7);
    let mut refused = 0;
    for (name, game, text) in certificates() {
        let mut met = 0;
        for _ in 0..20_000 {
            let Some(changed) = other_set(text, &mut numbers) else {
                continue;
            };
            match verified(game, &changed) {
                Ok(_) => panic!("{name} is verified: {changed}"),
                Err(other) if is_unreadable(&other) => {}
                Err(_) => {
                    met += 1;
                    if met == few_or_many(25, 60) {
                        break;
                    }
                }
            }
        }
        refused += met;
    }
    assert!(refused > 200, "{refused}");
}

/// A certificate with an arc or an accepting node changed, written as
/// certificates are; `None` where it is the same.
fn other_set(text: &str, numbers: &mut Numbers) -> Option<String> {
    let mut change = |accepting: &mut Vec<bool>, next: &mut Vec<u32>| {
        let nodes = accepting.len();
        let node = 2 + numbers.below(nodes - 2);
        if numbers.below(4) == 0 {
            accepting[node] ^= true;
        } else {
            let radix = next.len() / nodes;
            let digit = numbers.below(radix);
            next[node * radix + digit] = numbers.below(nodes) as u32;
        }
    };
    let mut read = Certificate::read(text, &LIMITS).expect("it is one");
    change(&mut read.set.accepting, &mut read.set.next);
    let changed = read.text();
    (changed != text).then_some(changed)
}

#[test]
fn differences_between_certificate_and_game_are_named() {
    let cube = shipped("cube_edge", &[]);
    let text = of_claim(&cube, Convention::Normal);
    let other = shipped("cube_vertex", &[]);
    let refused = verified(&other, &text);
    assert!(matches!(refused, Err(Rejected::Checker(By::Game { .. }))));

    let circle = shipped("circular_nim", &[("n", 5), ("k", 2)]);
    let found = of_claim(&circle, Convention::Normal);
    let wider = shipped("circular_nim", &[("n", 5), ("k", 3)]);
    assert_eq!(
        verified(&wider, &found),
        Err(Rejected::Checker(By::Parameters {
            there: "`n=5 k=2`".to_owned(),
            here: "`n=5 k=3`".to_owned(),
            settings: vec!["k=2".to_owned()]
        }))
    );

    let rule = |moves: &str, claim: &str| {
        format!("game small heaps a b c\nmove take from {moves}\n{claim}\n")
    };
    let claim = "claim P iff a == b and b == c";
    let small = game(&rule("up to 2 heaps", claim));
    let text = of_claim(&small, Convention::Normal);
    assert!(verified(&small, &text).is_ok());
    let at = |moves: &str, claim: &str| verified(&game(&rule(moves, claim)), &text);
    // Comments, and other claims, say nothing of the rule.
    let more = format!("{claim} // for all sizes\nclaim P only if a == b");
    assert!(at("up to 2 heaps // at least one", &more).is_ok());
    assert_eq!(at("one heap", claim), Err(Rejected::Checker(By::Rule)));
    assert!(matches!(
        at("up to 2 heaps", "claim P iff a == b and a == c"),
        Err(Rejected::Checker(By::NoClaim(_)))
    ));
    let misere = text.replace("\"normal\"", "\"misere\"");
    assert!(matches!(
        verified(&small, &misere),
        Err(Rejected::Checker(By::Convention { .. }))
    ));
    // Without a claim the set itself is held against the convention.
    let alone = discovered(&small, Convention::Normal);
    let misere = alone.replace("\"normal\"", "\"misere\"");
    assert!(matches!(
        verified(&small, &misere),
        Err(Rejected::Checker(By::Terminal(_)))
    ));
}

/// A set of some P-positions may be changed to another such set, but not to one with an
/// N-position.
#[test]
fn sets_with_an_n_position_are_refused() {
    let rows = "game rows heaps a b c d move take from one heap\n\
                claim P by pairing a with b, c with d\nclaim P if a == b and c == d\n";
    let rows = game(rows);
    let pairing = "P by pairing a with b, c with d";
    let mut numbers = Numbers::new(11);
    for (game, words) in [(&rows, pairing), (&rows, "P if a == b and c == d")] {
        let text = of_words(game, words);
        let read = Certificate::read(&text, &LIMITS).expect("it is one");
        assert_eq!(read.proves, Proves::SomePPositions);
        let claim = verified(game, &text).expect(words).claim.expect(words);
        assert_eq!((claim.to, claim.is_equality), (None, false));
        let whole = learned(game, Convention::Normal).set;
        let mut refused = 0;
        for _ in 0..400 {
            let Some(changed) = other_set(&text, &mut numbers) else {
                continue;
            };
            let Ok(other) = Certificate::read(&changed, &LIMITS) else {
                continue;
            };
            let heaps = game.heap_count() as u32;
            let small = (0..3_u64.pow(heaps)).map(|place| -> Vec<u64> {
                (0..heaps).map(|heap| place / 3_u64.pow(heap) % 3).collect()
            });
            let mut of_n = small.filter(|position| {
                let numbers: Vec<_> = (0..).map(of_heap).zip(position.clone()).collect();
                other.set.accepts(other.numeration, position) && !whole.accepts(&numbers)
            });
            if of_n.next().is_some() {
                assert!(verified(game, &changed).is_err(), "{changed}");
                refused += 1;
            }
        }
        assert!(refused > 3, "{refused}");
        // The same set is not that of all P-positions, and not one of values.
        for proves in [Proves::PPositions, Proves::GrundyValues] {
            let other = Certificate {
                claim: None,
                proves,
                ..read.clone()
            };
            assert!(verified(game, &other.text()).is_err());
        }
    }
}

/// Values of another rule, another claim or another convention, and claims about something
/// else.
#[test]
fn other_values_are_refused() {
    let rule = |moves: &str, claim: &str| {
        let text = format!("game few heaps a b\nmove take {moves}\nclaim {claim}\n");
        game(&text)
    };
    let words = "grundy == (a mod 3) ^ (b mod 3)";
    let few = rule("1..2 from one heap", words);
    let text = of_words(&few, words);
    assert!(text.contains("the set is that of the positions with their Grundy values"));
    assert!(verified(&few, &text).is_ok());
    let refused = |game: &Game, text: &str| match verified(game, text) {
        Err(Rejected::Checker(by)) => by,
        other => panic!("{other:?}"),
    };
    let wider = rule("1..3 from one heap", words);
    assert_eq!(refused(&wider, &text), By::Rule);
    // The rule of another certificate does not help.
    let own = Certificate::read(&text, &LIMITS).expect("it is one");
    let rule_of = |game: &Game| {
        let read = nimrule_checker::Rule::read(game).expect("it is read");
        let (proves, set) = (Proves::GrundyValues, own.set.clone());
        let (normal, base) = (Convention::Normal, own.numeration);
        Certificate::new(&read, proves, None, normal, base, set).text()
    };
    assert!(matches!(
        refused(&wider, &rule_of(&wider)),
        By::Absorption(_) | By::Independence(_)
    ));
    for (claim, at) in [
        ("grundy == a ^ b", "(0,3) + *3"),
        (
            "grundy == ((a mod 3) ^ (b mod 3)) + a div 40000",
            "(40000,0) + *2",
        ),
    ] {
        let changed = text.replace(words, claim);
        match refused(&rule("1..2 from one heap", claim), &changed) {
            By::Claim(found) => assert_eq!(found.len(), at.len(), "{found} and {at}"),
            other => panic!("{claim}: {other}"),
        }
    }
    let outcomes = "P iff a mod 3 == b mod 3";
    let of_outcomes = rule("1..2 from one heap", outcomes);
    assert!(matches!(
        refused(&of_outcomes, &text.replace(words, outcomes)),
        By::NotOfValues(_)
    ));
    let whole = of_words(&of_outcomes, outcomes);
    assert!(matches!(
        refused(&few, &whole.replace(outcomes, words)),
        By::NotOfOutcomes(_)
    ));
    let misere = text.replace("\"normal\"", "\"misere\"");
    assert!(matches!(refused(&few, &misere), By::Convention { .. }));
    let unnamed = misere.replace(&format!("\"{words}\""), "null");
    assert!(matches!(refused(&few, &unnamed), By::Terminal(_)));
}

/// Claims that are true of the P-positions without giving all of them.
#[test]
fn claims_about_some_positions_are_verified() {
    let text = "game some heaps a b\nmove take from one heap\nclaim P iff a == b\n\
                claim P if a == b and a mod 2 == 0\nclaim P only if a ^ b < 1\n\
                claim N only if a != b\nclaim N if a == isqrt(5 * b * b) + 1\nclaim cogame\n";
    let some = game(text);
    for claim in &some.claims {
        let text = of_words(&some, &claim.words);
        let claim = verified(&some, &text).expect(&claim.words).claim;
        assert_eq!(claim.expect("it names one").to, None);
    }
    // 3 is N, and the one position with a move to it would be 4.
    let few = "game few heaps a\nmove take 1 from a where a < 4\nclaim cogame\n";
    let few = game(few);
    let set = discovered(&few, Convention::Normal);
    let named = set.replace("\"claim\":null", "\"claim\":\"cogame\"");
    assert_eq!(
        verified(&few, &named),
        Err(Rejected::Checker(By::NoOption("(3)".to_owned())))
    );
}

/// A claim that is false, and only at large positions, is not helped by a
/// certificate that is right.
#[test]
fn a_false_claim_is_refused() {
    let rule = |claim: &str| format!("game small heaps a b\nmove take from one heap\n{claim}\n");
    let honest = game(&rule("claim P iff a == b"));
    let text = of_claim(&honest, Convention::Normal);
    let with = |claim: &str| {
        let claimed = text.replace("P iff a == b", claim);
        verified(&game(&rule(&format!("claim {claim}"))), &claimed)
    };
    assert!(with("P if a == b and b < 7").is_ok());
    for at in [5, 500_000] {
        assert_eq!(
            with(&format!("P iff a == b and b != {at}")),
            Err(Rejected::Checker(By::Claim(format!("({at},{at})"))))
        );
    }
}

/// What cannot be read as comparisons is named.
#[test]
fn other_rules_have_no_certificates() {
    for (name, word) in [
        ("kayles", "a fixed number of heaps"),
        ("subtraction_squares", "`squares`"),
    ] {
        let not = certificate::fits(&shipped(name, &[])).expect_err(name);
        assert!(not.to_string().contains(word), "{name}: {not}");
    }
    for name in ["wythoff", "trim", "cube_edge_slow", "greedy_nim"] {
        assert_eq!(certificate::fits(&shipped(name, &[])), Ok(()), "{name}");
    }
    let text = of_claim(&shipped("cube_edge", &[]), Convention::Normal);
    let mut slow = shipped("cube_edge_slow", &[]);
    slow.rule.name = "cube_edge".to_owned();
    assert!(matches!(
        verified(&slow, &text),
        Err(Rejected::Checker(By::Rule))
    ));
}

/// The same words in other digits write another set.
#[test]
fn other_digits_are_refused() {
    let wythoff = shipped("wythoff", &[]);
    let text = of_claim(&wythoff, Convention::Normal);
    let mut other = Certificate::read(&text, &LIMITS).expect("it is read");
    other.numeration = Numeration::Base(2);
    assert!(verified(&wythoff, &other.text()).is_err());
}

/// A certificate whose numbers are larger than anything is refused, not
/// believed.
#[test]
fn numbers_in_certificates_are_checked() {
    let read = |text: &str| Certificate::read(text, &LIMITS);
    let text = of_claim(&shipped("cube_edge", &[]), Convention::Normal);
    for base in ["1", "17", "0", "16", "18446744073709551615", "2.0", "-2"] {
        let changed = text.replace("\"base\":2", &format!("\"base\":{base}"));
        assert!(read(&changed).is_err(), "{base}");
    }
    // The format of before, in which other automata followed the set.
    assert_eq!(
        read(&text.replace("\"version\":2", "\"version\":1")),
        Err(ReadError::Version)
    );
    let semantics = format!("\"semantics\":{}", nimrule_model::SEMANTICS_VERSION);
    assert!(text.contains(&semantics));
    let earlier = text.replace(&semantics, "\"semantics\":1");
    assert!(matches!(read(&earlier), Err(ReadError::Semantics { .. })));
    assert_eq!(read(&format!("{text}\n")), Err(ReadError::Form));
    assert!(matches!(read(""), Err(ReadError::NotJson(_))));
    for wrong in ["[]", "null", "{}", "7", "[[[[", "{\"version\":2}"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

/// Every game that is proved by a certificate, at its own parameters.
#[test]
fn shipped_games_have_certificates() {
    let (mut found, mut of_values) = (0, 0);
    let games = crate::game_files::every_game_of_heaps();
    for path in games.iter().step_by(few_or_many(3, 1)) {
        let game = game_of_file(path);
        if certificate::fits(&game).is_err() || game.heap_count() > few_or_many(3, 6) {
            continue;
        }
        for claim in &game.claims {
            if let Ok(Verdict::Proved(proof)) = prove(&game, claim, &learning(&LIMITS))
                && proof.of != Set::SubGame
            {
                let text = match proof.certificate {
                    Some(certificate) => certificate.text(),
                    // A rule with many ways to move may take long.
                    None if proof.checked.iter().any(|what| what.contains("limit")) => continue,
                    None => panic!("{} {}: {:?}", game.name, claim.words, proof.checked),
                };
                let held = verified(&game, &text).expect(&claim.words);
                let agreement = held.claim.expect("it names one");
                // A range that depends on the position is compared on a box, and by the
                // prover's translation.
                match claim.words.contains("forall e in 1..d-1") {
                    true => assert_eq!(agreement.compiled, Ok(()), "{}", claim.words),
                    false => assert_eq!(agreement.to, None, "{}", claim.words),
                }
                found += 1;
                of_values += usize::from(matches!(claim.statement, Some(Statement::Grundy(_))));
            }
        }
    }
    assert!(
        found >= few_or_many(5, 15) && of_values >= few_or_many(1, 5),
        "only {found} and {of_values}"
    );
}
