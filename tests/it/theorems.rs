//! Verdicts for all sizes, compared with computed outcomes up to a bound.

mod mutants;
mod rules;

use crate::game_files::every_game_of_heaps;
use nimrule_automata::Numeration;
use nimrule_claim::{self as claim, ClaimStatus};
use nimrule_discover::{learn_p_positions, learning};
use nimrule_engine::{self as engine, Limits, Shape, SolveError, Solver, Steps};
use nimrule_fixtures::{Numbers, few_or_many, game, game_of_file, shipped};
use nimrule_model::game::{Applies, Claim, Game};
use nimrule_prove::ProveError;
use nimrule_prove::procedures::Automata;
use nimrule_prove::theorem::Prover;
use nimrule_prove::{Decision, Set, Strategy, Verdict, decide, prove, proved_outcomes};
use nimrule_prove::{of_heap, of_heap_after};

fn limits(millions: u64) -> Limits {
    Limits::of_memory(1 << 30).cap_work(Steps::million(millions))
}

/// A box of so many positions at the most.
fn box_of(game: &Game, positions: u128) -> Vec<u64> {
    let heaps = game.heap_count();
    let mut size = 1;
    while size < 40 && Shape::count(&vec![size + 1; heaps]) <= positions {
        size += 1;
    }
    vec![size; heaps]
}

/// The moves as formulas are the moves as the graph makes them.
#[test]
fn transition_relations_agree_with_moves() {
    let mut read = 0;
    for path in every_game_of_heaps() {
        let game = game_of_file(&path);
        if game.heap_count() <= 8 && ways_are_moves(&game, few_or_many(50, 600), 20) {
            read += 1;
        }
    }
    assert!(read > 30, "only {read} rules were read");
}

/// Compares the ways to move with the moves of the graph, pair by pair, where
/// the rule can be read as formulas.
fn ways_are_moves(game: &Game, positions: u128, millions: u64) -> bool {
    let graph = nimrule_ir::lower(game);
    let mut found = None;
    for numeration in [2, 3, 4, 5].map(Numeration::Base) {
        match Prover::new(game, numeration, &limits(millions)) {
            Ok(prover) => {
                found = Some(prover);
                break;
            }
            Err(ProveError::Unsupported(_)) => {}
            Err(ProveError::LimitExceeded(_)) => return false,
        }
    }
    let Some(prover) = found else {
        return false;
    };
    let shape = Shape::new(&box_of(game, positions)).expect("a small box");
    let mut positions = Vec::new();
    let all: Result<(), ()> = shape.try_each(|position, _| {
        positions.push(position.to_vec());
        Ok(())
    });
    all.expect("they are gone through");
    let mut walker = nimrule_ir::Walker::new(&graph, &[]);
    positions.retain(|p| walker.is_position(p).unwrap_or(false));
    for before in &positions {
        let options = nimrule_ir::moves(&graph, before).expect("no fault");
        for behind in &positions {
            let mut numbers = Vec::new();
            for (heap, (one, other)) in before.iter().zip(behind).enumerate() {
                numbers.push((of_heap(heap), *one));
                numbers.push((of_heap_after(heap), *other));
            }
            let found = prover.transitions.iter().any(|way| {
                let kept =
                    (0..before.len()).all(|h| way.touched.contains(&h) || before[h] == behind[h]);
                kept && way.relation.accepts(&numbers)
            });
            let (name, is_move) = (&game.name, options.contains(behind));
            assert_eq!(
                found, is_move,
                "{name}: {before:?} to {behind:?}\n{:?}",
                game.moves
            );
        }
    }
    true
}

/// Every claim of every game: what is proved holds in a box, what fails fails
/// at a position that the engines find wrong.
#[test]
fn verdicts_agree_with_bounded_solving() {
    let (mut proved, mut refuted) = (0, 0);
    for path in every_game_of_heaps().into_iter().step_by(few_or_many(8, 1)) {
        let game = game_of_file(&path);
        for claim in game
            .claims
            .iter()
            .filter(|c| c.applies != Applies::Elsewhere)
        {
            match judged(&game, claim, 4_000, true) {
                Some(true) => proved += 1,
                Some(false) => refuted += 1,
                None => {}
            }
        }
    }
    assert!(
        proved > few_or_many(4, 20) && refuted > 0,
        "{proved} proved, {refuted} refuted"
    );
}

/// Holds the decision about a claim against bounded solving: was it proved,
/// was it found false, or neither?
///
/// `selections`: with the procedure for hypergraph Nim too, and searches.
fn judged(game: &Game, claim: &Claim, positions: u128, selections: bool) -> Option<bool> {
    let statement = claim.statement.as_ref()?;
    let within = limits(few_or_many(1, 10));
    let strategy = match selections {
        true => learning(&within),
        false => Strategy {
            procedures: &[&Automata],
            ..Strategy::all(&within)
        },
    };
    let decision = decide(game, claim, &strategy).ok()?;
    let solver = Solver::new(game);
    let limits = limits(60);
    match decision {
        Decision::Open(_) => None,
        Decision::Holds(_) => {
            let asked = claim::asked(claim);
            let most = box_of(game, positions);
            let table = engine::fill(&solver, &most, asked, &limits, None).ok()?;
            let standing =
                claim::check(&solver, statement, &table, &limits).expect("it has values");
            assert!(
                !matches!(standing, ClaimStatus::Refuted(_)),
                "{}: `{}` is said to be proved, and fails: {standing:?}\n{statement:?}",
                game.name,
                claim.words
            );
            Some(true)
        }
        Decision::Fails(near) => {
            assert!(!near.is_empty(), "{}: {}", game.name, claim.words);
            let mut suspects = near.clone();
            for position in &near {
                if game.tokens(position) > 40 {
                    return None;
                }
                suspects.extend(nimrule_ir::moves(&solver.graph, position).expect("no fault"));
            }
            for suspect in &suspects {
                match claim::fails_at(&solver, claim, suspect, &limits) {
                    Ok(Some(_)) => return Some(false),
                    Ok(None) => {}
                    Err(SolveError::Fault { .. }) => return None,
                    Err(other) => panic!("{}: {other}", game.name),
                }
            }
            panic!(
                "{}: `{}` is said to fail near {near:?}, and does not\n{statement:?}",
                game.name, claim.words
            );
        }
    }
}

/// With heaps of a thousand binary digits: every reply offered is a move into
/// the set, and there is one just where the position is outside of it.
#[test]
fn replies_to_positions_of_a_thousand_digits() {
    for (file, claimed) in [
        ("cube_edge", 0),
        ("cube_rotation", 1),
        ("cube_vertex_slow", 0),
        ("wythoff", 0),
        ("trim", 0),
    ] {
        let game = shipped(file, &[]);
        let claim = &game.claims[claimed];
        let decision = decide(&game, claim, &Strategy::all(&limits(60)));
        let Ok(Decision::Holds(proof)) = decision else {
            panic!("{file}: {decision:?}");
        };
        assert_eq!(proof.of, Set::PPositions);
        let numeration = proof.automaton.numeration();
        let prover = Prover::new(&game, numeration, &limits(60)).expect("it was proved");
        let accepts = |position: &proved_outcomes::PositionDigits| {
            let numbers: Vec<_> = position
                .iter()
                .enumerate()
                .map(|(heap, digits)| (of_heap(heap), digits.clone()))
                .collect();
            proof.automaton.accepts_digits(&numbers)
        };
        let mut numbers = Numbers::new(12345);
        let mut digit = |radix: usize| numbers.below(radix) as u8;
        let mut outside = 0;
        for length in [3, 40, 1000] {
            let mut position: proved_outcomes::PositionDigits = (0..game.heap_count())
                .map(|_| (0..length).map(|_| digit(numeration.radix())).collect())
                .collect();
            if let Numeration::Ostrowski(largest) = numeration {
                for digits in &mut position {
                    for place in 1..digits.len() {
                        if digits[place - 1] == largest {
                            digits[place] = 0;
                        }
                    }
                }
            }
            let options =
                proved_outcomes::replies(&prover, &proof.automaton, &position).expect("in time");
            assert_eq!(options.is_empty(), accepts(&position), "{file}");
            outside += options.len();
            for option in &options {
                assert!(accepts(option), "{file}");
                let small = |written: &proved_outcomes::PositionDigits| -> Option<Vec<u64>> {
                    written.iter().map(|d| numeration.number(d)).collect()
                };
                if length == 3 {
                    let before = small(&position).expect("small");
                    let graph = nimrule_ir::lower(&game);
                    let moves = nimrule_ir::moves(&graph, &before).expect("no fault");
                    assert!(moves.contains(&small(option).expect("small")), "{file}");
                }
            }
        }
        assert!(outside > 0, "{file}");
    }
}

/// The rules of this class are read off the graph: what the shorter way finds
/// without a claim is what the claim says.
#[test]
fn what_is_discovered_is_what_is_claimed() {
    for (file, settings, which) in [
        ("cube_edge", &[][..], 0),
        ("cube_edge", &[], 1),
        ("circular_nim", &[("n", 5), ("k", 2)], 6),
        ("shrinking_circular_nim", &[("n", 4), ("k", 2)], 3),
    ] {
        let game = shipped(file, settings);
        let claim = &game.claims[which];
        let Ok(Decision::Holds(proof)) = decide(&game, claim, &Strategy::all(&limits(60))) else {
            panic!("{file}");
        };
        let (found, _) = learn_p_positions(&game, claim.convention, &limits(60)).expect("closes");
        let budget = nimrule_automata::Budget::new(&limits(60));
        assert!(
            found
                .is_equivalent(&proof.automaton, &budget)
                .expect("in time"),
            "{file}"
        );
    }
}

/// The expressions that leave what can be decided are shown themselves.
#[test]
fn the_expression_to_blame_is_found() {
    let blamed = |text: &str| {
        let game = game(text);
        match prove(&game, &game.claims[0], &learning(&limits(20))) {
            Ok(Verdict::Unsupported(unsupported)) => unsupported
                .places()
                .map(|span| text[span.offset()..span.offset() + span.len()].to_owned())
                .collect::<Vec<String>>(),
            other => panic!("{other:?}"),
        }
    };
    let two = "game g\nheaps 2\nmove take from one heap\n\
        claim P if xor(heaps) == 0 and carryless(3, heaps) >= 0\n";
    assert_eq!(blamed(two), ["xor(heaps)", "carryless(3, heaps)"]);
    let rule = "game g\nheaps 2\nmove take t from one heap where t in powers(3)\n\
        claim P if heaps[1] == heaps[2] and heaps[1] ^ heaps[2] >= 1\n";
    assert_eq!(blamed(rule), ["heaps[1] ^ heaps[2]", "powers(3)"]);
    let product = "game g\nheaps a b\nmove take from one heap\nclaim P only if a * b == a * a\n";
    assert_eq!(blamed(product), ["a * b"]);
    let root = "game g\nheaps a b\nmove take from one heap\n\
        claim P only if a == b and isqrt(b) <= a // isqrt\n";
    assert_eq!(blamed(root), ["isqrt(b)"]);
    let golden = "game g\nheaps a b\nmove take from one heap\n\
        claim P if a == b and 2*a <= (b + isqrt(5*b*b)) and a ^ b >= 1\n";
    assert_eq!(blamed(golden), ["isqrt(5*b*b)", "a ^ b"]);
    let squares = "game g\nheaps a b\nmove take squares from one heap\nclaim P if a == b\n";
    assert_eq!(blamed(squares), ["squares"]);
}

/// Bases that are powers of one number go together.
#[test]
fn bases_in_a_common_power() {
    let game = game(
        "game g\nheaps 3\nmove take from one heap\n\
         claim P iff xor(heaps) == 0 and carryless(4, heaps) >= 0\n\
         claim grundy == xor(heaps)\n",
    );
    for claim in &game.claims {
        let verdict = prove(&game, claim, &learning(&limits(20)));
        assert!(matches!(verdict, Ok(Verdict::Proved(_))), "{verdict:?}");
    }
}

/// Moves lower the measure at positions, which need not be so at other tuples of numbers.
#[test]
fn measures_of_states() {
    let game = game(
        "game g\nheaps n\nstate at in 1..5 = 1\nmove take 1 from n then set at to 1\n\
         claim P iff n mod 2 == 0\n",
    );
    let verdict = prove(&game, &game.claims[0], &learning(&limits(20)));
    assert!(matches!(verdict, Ok(Verdict::Proved(_))), "{verdict:?}");
}

/// Every N-position of Nim with two heaps comes from a P-position; of Nim with
/// one heap none does.
#[test]
fn cogames() {
    let nim = game(
        "game g\nheaps 2\nmove take from one heap\nclaim cogame\nclaim P iff xor(heaps) == 0\n",
    );
    let verdict = prove(&nim, &nim.claims[0], &learning(&limits(20)));
    assert!(matches!(verdict, Ok(Verdict::Proved(_))), "{verdict:?}");
    let single = game("game g\nheaps a\nmove take from a\nclaim cogame\nclaim P iff a == 0\n");
    let verdict = prove(&single, &single.claims[0], &learning(&limits(20)));
    match verdict {
        Ok(Verdict::Refuted(found)) => assert_eq!(found.position, [1]),
        other => panic!("{other:?}"),
    }
}

fn verdict(file: &str, settings: &[(&str, i64)], which: usize) -> Verdict {
    let game = shipped(file, settings);
    prove(&game, &game.claims[which], &learning(&limits(60))).expect("within the limits")
}

/// `max(a, b)` is `a` and is `b` where they are equal, and one number all the
/// same.
#[test]
fn a_member_that_is_read_by_cases_is_gathered_once() {
    let proved = |rule: &str, claim: &str| {
        let game = game(&format!("game g\n{rule}claim {claim}\n"));
        prove(&game, &game.claims[0], &learning(&limits(60))).expect("within the limits")
    };
    let one = "heaps a b\nmove take 1 from a where count(x for x in {max(a, b)}) == 1\n";
    assert!(matches!(
        proved(one, "P iff a mod 2 == 0"),
        Verdict::Proved(_)
    ));
    let false_claim = "P iff if a < b then a mod 2 == 0 else (a - b) mod 2 == 0";
    let verdict = proved(one, false_claim);
    assert!(
        matches!(&verdict, Verdict::Refuted(found) if found.position == [1, 1]),
        "{verdict:?}"
    );
    let real = "heaps x y of real size\nmove take from one heap\n";
    let verdict = proved(
        real,
        "consistent P iff x == y and sum(z for z in {max(x, y)}) == x",
    );
    assert!(matches!(verdict, Verdict::ProvedOfReals(_)), "{verdict:?}");
}

/// Numbers chosen from a set are integers, negative ones too.
#[test]
fn chosen_numbers_may_be_negative() {
    let verdict = |rule: &str, claim: &str| {
        let game = game(&format!("game g\n{rule}claim {claim}\n"));
        prove(&game, &game.claims[0], &learning(&limits(60))).expect("within the limits")
    };
    let below = "heaps a b\nmove for some x in {a - b} take 1 from b where x < 0\n";
    let found = verdict(below, "P iff a >= 0");
    assert!(
        matches!(&found, Verdict::Refuted(found) if found.position == [0, 1]),
        "{found:?}"
    );
    let found = verdict(below, "P iff a >= b or (b - a) mod 2 == 0");
    assert!(matches!(found, Verdict::Proved(_)), "{found:?}");
    let far = "heaps a b c d\nmove for some x in {a - b} take 1 from b where x < -40\n";
    let found = verdict(far, "P iff a >= 0");
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
    let range = "heaps a b\nmove for some x in a - b..0 take 1 from b where x < 0\n";
    let found = verdict(range, "P iff a >= b or (b - a) mod 2 == 0");
    assert!(matches!(found, Verdict::Proved(_)), "{found:?}");
}

#[test]
fn false_claims_are_refuted_where_they_first_fail() {
    let refuted =
        |file: &str, settings: &[(&str, i64)], which: usize| match verdict(file, settings, which) {
            Verdict::Refuted(found) => found.position,
            other => panic!("{file}: {other:?}"),
        };
    assert_eq!(refuted("trim", &[("piles", 2)], 2), [3, 6]);
    assert_eq!(refuted("trim", &[("piles", 4)], 3), [0, 0, 3, 6]);
    assert_eq!(refuted("rim", &[("k", 4), ("piles", 3)], 4), [0, 4, 12]);
    assert_eq!(refuted("rim", &[("k", 5), ("piles", 3)], 5), [0, 5, 20]);
    assert_eq!(
        refuted("shrinking_circular_nim", &[("n", 6), ("k", 4)], 13),
        [9, 19, 19, 14, 15, 24]
    );
}

#[test]
fn states_of_what_is_proved() {
    let states =
        |file: &str, settings: &[(&str, i64)], which: usize| match verdict(file, settings, which) {
            Verdict::Proved(proof) => proof.states,
            other => panic!("{file}: {other:?}"),
        };
    assert_eq!(states("cube_vertex", &[], 0), 2);
    assert_eq!(states("cube_vertex", &[], 2), 5);
    assert_eq!(states("cube_rotation", &[], 0), 8);
    assert_eq!(states("cube_rotation", &[], 1), 13);
    assert_eq!(states("wythoff", &[], 0), 8);
    assert_eq!(states("rim", &[("k", 5), ("piles", 3)], 1), 2);
    assert_eq!(states("circular_nim", &[("n", 5), ("k", 2)], 6), 22);
    assert_eq!(
        states("shrinking_circular_nim", &[("n", 5), ("k", 2)], 4),
        84
    );
}

/// Games whose proofs take half of the time of all.
const SLOW: [&str; 6] = [
    "building_nim",
    "nim_on_graphs",
    "nim_with_a_pass",
    "nimble",
    "rim",
    "triangle_game",
];

#[test]
fn verdicts_of_the_shipped_games() {
    insta::assert_snapshot!(verdicts(|name| !SLOW.contains(&name)));
}

#[test]
fn verdicts_of_slow_games() {
    if few_or_many(false, true) {
        insta::assert_snapshot!(verdicts(|name| SLOW.contains(&name)));
    }
}

/// What is said of every claim of some shipped games at their own parameters.
fn verdicts(is_asked: impl Fn(&str) -> bool) -> String {
    let mut lines = Vec::new();
    for path in every_game_of_heaps() {
        if !path.to_string_lossy().contains("/games/") || path.to_string_lossy().contains("/tests/")
        {
            continue;
        }
        let game = game_of_file(&path);
        if !is_asked(&game.name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let game = &game;
        for claim in game
            .claims
            .iter()
            .filter(|c| c.applies != Applies::Elsewhere)
        {
            // A thousand heaps of one token prove nothing of sizes.
            if game.heap_count() > 12 {
                continue;
            }
            let said = match prove(game, claim, &learning(&limits(60))) {
                Ok(Verdict::Proved(proof)) => {
                    format!("proved, {:?}, {} states", proof.of, proof.states)
                }
                Ok(Verdict::Refuted(found)) => format!("refuted at {:?}", found.position),
                Ok(Verdict::ProvedOfAnyNumber(proof)) => {
                    format!("proved of any number of heaps, {} states", proof.states)
                }
                Ok(Verdict::ProvedOfReals(proof)) => {
                    format!(
                        "proved of real sizes, {} scales changed",
                        proof.scales.len()
                    )
                }
                Ok(Verdict::RefutedOfReals(found)) => format!("refuted at {}", found.position),
                Ok(Verdict::Unsupported(unsupported)) => {
                    let words: Vec<&str> = unsupported
                        .places()
                        .map(|span| &text[span.offset()..span.offset() + span.len()])
                        .collect();
                    let words = match words.as_slice() {
                        [one] if one.len() > 20 => "all of it".to_owned(),
                        words => words.join("`, `"),
                    };
                    format!("outside: `{words}`: {}", unsupported.what)
                }
                Ok(Verdict::Contradicted(found)) => {
                    panic!(
                        "{}: {}: contradicted at {:?}",
                        game.name, claim.words, found.position
                    )
                }
                Ok(Verdict::Undecided(why)) => format!("undecided: {why}"),
                Err(failure) => format!("not decided: {failure}"),
            };
            lines.push(format!("{}: {}\n    {said}", game.name, claim.words));
        }
    }
    lines.join("\n")
}
