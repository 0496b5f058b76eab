//! Sums of positions, and answers by claims, held against what is worked out
//! here from the moves alone.

use crate::cli::console::root;
use nimrule_answer::sum::{self, Component, ComponentMove, Compound, SumMove};
use nimrule_answer::{Answer, Ask, Basis, Extent, Position, Session};
use nimrule_engine::{Limits, Outcome, Request, SolveError, Solver};
use nimrule_fixtures::{Numbers, compiled, few_or_many, game_of_file, random_game, shipped};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Game};
use std::collections::BTreeMap;

static LIMITS: Limits = Limits::of_memory(1 << 30);

pub type Sum = Vec<Vec<u64>>;

/// The moves of a compound, and the position after each, by the conditions on the set of
/// components that move and on those that have ended. `options` are those of the components.
pub fn moves_of(
    compound: Compound,
    sum: &[Vec<u64>],
    options: &[Vec<Part>],
) -> Vec<(SumMove, Sum)> {
    let parts = options.len();
    let playing: Vec<usize> = (0..parts)
        .filter(|part| !options[*part].is_empty())
        .collect();
    let all_play = playing.len() == parts;
    let mut found = Vec::new();
    for set in 1_u32..1 << parts {
        let moved: Vec<usize> = (0..parts).filter(|part| set >> part & 1 == 1).collect();
        let allowed = match compound {
            Compound::Disjunctive | Compound::Ordinal => moved.len() == 1,
            Compound::Conjunctive => moved.len() == parts,
            Compound::Selective => true,
            Compound::Continued => moved == playing,
            Compound::Shortened => moved.len() == 1 && all_play,
            Compound::ShortenedSelective => all_play,
            Compound::Sequential => moved.len() == 1 && moved.first() == playing.first(),
        };
        if !allowed {
            continue;
        }
        let mut made = vec![(SumMove { parts: Vec::new() }, sum.to_vec())];
        for component in moved {
            made = made
                .into_iter()
                .flat_map(|(before, after)| {
                    options[component].iter().map(move |to| {
                        let (mut made, mut after) = (before.clone(), after.clone());
                        after[component].clone_from(to);
                        if compound == Compound::Ordinal {
                            after.truncate(component + 1);
                        }
                        let to = to.as_slice().into();
                        made.parts.push(ComponentMove { component, to });
                        (made, after)
                    })
                })
                .collect();
        }
        found.extend(made);
    }
    found.sort();
    found.dedup();
    found
}

type Part = Vec<u64>;

/// A compound as a position of its own.
struct Together<'s> {
    solvers: Vec<&'s Solver<'s>>,
    compound: Compound,
    misere: bool,
    known: BTreeMap<Sum, u64>,
}

impl Together<'_> {
    fn options(&self, sum: &[Vec<u64>]) -> Vec<(SumMove, Sum)> {
        let parts = self.solvers.iter().zip(sum);
        let options: Vec<Vec<Part>> = parts
            .map(|(solver, part)| ir::moves(&solver.graph, part).expect("the rule is sound"))
            .collect();
        moves_of(self.compound, sum, &options)
    }

    /// The Grundy value by its definition; under misere play 1 where nobody
    /// can move, so that 0 says P in both.
    fn value(&mut self, sum: &[Vec<u64>]) -> u64 {
        if let Some(value) = self.known.get(sum) {
            return *value;
        }
        let options = self.options(sum);
        let values: Vec<u64> = options.iter().map(|(_, after)| self.value(after)).collect();
        let value = if options.is_empty() && self.misere {
            1
        } else {
            (0..)
                .find(|value| !values.contains(value))
                .expect("some number is missing from a finite list")
        };
        self.known.insert(sum.to_vec(), value);
        value
    }

    fn winning_moves(&mut self, sum: &[Vec<u64>]) -> Vec<SumMove> {
        let options = self.options(sum).into_iter();
        let winning = options.filter(|(_, after)| self.value(after) == 0);
        winning.map(|(made, _)| made).collect()
    }
}

/// Games of every kind: heaps alone and together, boards with symmetries, a
/// shrinking circle, and tokens that are put down.
fn games() -> Vec<Game> {
    let mut games = vec![
        shipped("nim", &[("piles", 2)]),
        shipped("trim", &[("piles", 2)]),
        shipped("subtraction_range", &[("k", 3), ("piles", 2)]),
        shipped("wythoff", &[]),
        shipped("tetrahedron_edge", &[]),
        shipped("shrinking_circular_nim", &[("n", 4), ("k", 2)]),
    ];
    for nasty in ["put_back_and_on", "give_back", "reads_others"] {
        let path = root().join(format!("tests/games/{nasty}.nimrule"));
        games.push(game_of_file(&path));
    }
    games
}

#[test]
fn sums_agree_with_recursion() {
    let games = games();
    let sessions: Vec<Session<'_>> = (games.iter())
        .map(|game| Session::new(game, LIMITS.clone()))
        .collect();
    let mut numbers = Numbers::new(5);
    let mut n_positions = 0;
    for round in 0..60 {
        let parts = 1 + round % 3;
        let components: Vec<Component<'_, '_>> = (0..parts)
            .map(|_| {
                let session = &sessions[numbers.below(sessions.len() as u64) as usize];
                let heaps = session.game().heap_count();
                // A sum has as many positions as its parts have together.
                let most = if heaps > 2 || parts > 2 { 2 } else { 4 };
                let position: Vec<u64> = (0..heaps).map(|_| numbers.below(most + 1)).collect();
                Component {
                    session,
                    position: position.into(),
                }
            })
            .collect();
        let positions: Vec<Vec<u64>> = (components.iter())
            .map(|c| c.position.small().expect("it is small").to_vec())
            .collect();
        for convention in [Convention::Normal, Convention::Misere] {
            let mut truth = Together {
                solvers: components.iter().map(|c| c.session.solver()).collect(),
                compound: Compound::Disjunctive,
                misere: convention == Convention::Misere,
                known: BTreeMap::new(),
            };
            let found = sum::answer(&components, convention, true).expect("the sum is small");
            let names: Vec<&str> = components
                .iter()
                .map(|c| c.session.game().name.as_str())
                .collect();
            let what = format!("{names:?} at {positions:?}, {}", convention.word());
            let value = truth.value(&positions);
            let outcome = if value == 0 { Outcome::P } else { Outcome::N };
            assert_eq!(found.outcome, outcome, "{what}");
            assert_eq!(
                found.winning_moves,
                truth.winning_moves(&positions),
                "{what}"
            );
            assert!(
                found.basis.is_none() && found.extent == Extent::All,
                "{what}"
            );
            n_positions += u32::from(outcome == Outcome::N);
            // Under normal play the values are the nim-sums of those of the
            // parts, each of which is the value of its part alone.
            if convention == Convention::Misere {
                assert_eq!(found.grundy, None, "{what}");
                continue;
            }
            assert_eq!(found.grundy, Some(value), "{what}");
            let mut nim_sum = 0;
            for (component, part) in components.iter().zip(&found.parts) {
                let mut alone = Together {
                    solvers: vec![component.session.solver()],
                    compound: Compound::Disjunctive,
                    misere: false,
                    known: BTreeMap::new(),
                };
                let own = alone.value(&[component.position.small().expect("it is small").to_vec()]);
                assert_eq!(part.grundy, Some(own), "{what}");
                nim_sum ^= own;
            }
            assert_eq!(value, nim_sum, "{what}");
        }
    }
    assert!(
        (20..120).contains(&n_positions),
        "{n_positions} of 120 are N"
    );
}

/// Compares the theory of a compound, and the search of its positions, with recursion.
fn compound_agrees(
    components: &[Component<'_, '_>],
    compound: Compound,
    convention: Convention,
) -> Outcome {
    let sum: Sum = (components.iter())
        .map(|c| c.position.small().expect("it is small").to_vec())
        .collect();
    let names: Vec<&str> = (components.iter())
        .map(|c| c.session.game().name.as_str())
        .collect();
    let what = format!("{compound} {names:?} at {sum:?}, {}", convention.word());
    let mut truth = Together {
        solvers: components.iter().map(|c| c.session.solver()).collect(),
        compound,
        misere: convention == Convention::Misere,
        known: BTreeMap::new(),
    };
    let value = truth.value(&sum);
    let outcome = if value == 0 { Outcome::P } else { Outcome::N };
    let moves = truth.winning_moves(&sum);
    let theory = sum::compound(components, compound, convention, true).expect("it is small");
    let search = sum::search_alone(components, compound, convention).expect("it is small");
    for found in [&theory, &search] {
        assert_eq!(found.outcome, outcome, "{what} by {}", found.method);
        assert_eq!(found.winning_moves, moves, "{what} by {}", found.method);
        assert_eq!(found.extent, Extent::All, "{what} by {}", found.method);
    }
    assert!(compound == Compound::Disjunctive || theory.method != "search");
    if compound == Compound::Ordinal && convention == Convention::Normal {
        assert_eq!(theory.grundy, Some(value), "{what}");
    }
    outcome
}

#[test]
fn theories_of_compounds_agree_with_recursion_and_with_a_search() {
    let mut numbers = Numbers::new(17);
    let mut games = games();
    let shipped_games = games.len();
    while games.len() < shipped_games + few_or_many(15, 100) as usize {
        let text = random_game(numbers.below(u64::MAX));
        if let Ok(compiled) = compiled(&text)
            && compiled.game.no_grundy_values().is_none()
            && is_sound_below_4(&compiled.game)
        {
            games.push(compiled.game);
        }
    }
    let sessions: Vec<Session<'_>> = (games.iter())
        .map(|game| Session::new(game, LIMITS.clone()))
        .collect();
    let mut p_positions: BTreeMap<(&str, &str), [u32; 2]> = BTreeMap::new();
    for round in 0..few_or_many(90, 600) {
        let parts = 2 + usize::from(round % 8 == 7);
        let components: Vec<Component<'_, '_>> = (0..parts)
            .map(|_| {
                let session = &sessions[numbers.below(sessions.len() as u64) as usize];
                let heaps = session.game().heap_count();
                let most = if heaps > 2 || parts > 2 { 2 } else { 3 };
                let position: Vec<u64> = (0..heaps).map(|_| numbers.below(most + 1)).collect();
                Component {
                    session,
                    position: position.into(),
                }
            })
            .collect();
        let is_position = |c: &Component<'_, '_>| {
            let position = c.position.small().expect("it is small");
            nimrule_definition::is_position(c.session.game(), position) == Ok(true)
        };
        if !components.iter().all(is_position) {
            continue;
        }
        for compound in Compound::ALL {
            for convention in [Convention::Normal, Convention::Misere] {
                let outcome = compound_agrees(&components, compound, convention);
                let seen = p_positions.entry((compound.word(), convention.word()));
                seen.or_default()[usize::from(outcome == Outcome::P)] += 1;
            }
        }
    }
    for (what, [won, lost]) in p_positions {
        assert!(won > 0 && lost > 0, "{what:?}: {won} N, {lost} P");
    }
}

/// A random game may divide by zero somewhere.
fn is_sound_below_4(game: &Game) -> bool {
    let graph = ir::lower(game);
    let most = vec![6; game.heap_count()];
    nimrule_engine::Shape::new(&most).is_some_and(|shape| {
        let all = shape.try_each(|position, _| ir::moves(&graph, position).map(drop));
        all.is_ok()
    })
}

/// The ordinal sum of two Nim heaps is one of both together (Berlekamp, Conway, Guy 1982).
#[test]
fn ordinal_sums_of_nim_heaps_add_their_sizes() {
    let heap = shipped("nim", &[("piles", 1)]);
    let heap = Session::new(&heap, LIMITS.clone());
    for (base, above) in [(0, 5), (3, 4), (7, 0), (40, 60)] {
        let components = [base, above].map(|size| Component {
            session: &heap,
            position: vec![size].into(),
        });
        let found = sum::compound(&components, Compound::Ordinal, Convention::Normal, true);
        let found = found.expect("the heaps are small");
        assert_eq!(found.grundy, Some(base + above));
    }
}

/// What a product of the components is too large for, the theories answer.
#[test]
fn components_of_a_compound_may_be_large() {
    let (nim, wythoff) = (shipped("nim", &[("piles", 3)]), shipped("wythoff", &[]));
    let (nim, wythoff) = (
        Session::new(&nim, LIMITS.clone()),
        Session::new(&wythoff, LIMITS.clone()),
    );
    let components = |nim_at: [u64; 3], at: [u64; 2]| {
        [
            Component {
                session: &nim,
                position: nim_at.to_vec().into(),
            },
            Component {
                session: &wythoff,
                position: at.to_vec().into(),
            },
        ]
    };
    // (3000,4000,7080) is an N-position of Nim; (3,5) is a P-position of Wythoff's game.
    let by_outcomes = [Compound::Selective, Compound::Ordinal, Compound::Sequential];
    for compound in by_outcomes {
        let components = components([3000, 4000, 7080], [3, 5]);
        let found = sum::compound(&components, compound, Convention::Normal, true);
        let found = found.expect("outcomes are known of both");
        assert_eq!(found.outcome, Outcome::N, "{compound}");
        let to: Vec<&Position> = (found.winning_moves.iter())
            .map(|made| &made.parts[0].to)
            .collect();
        assert_eq!(
            to,
            [&Position::from(vec![3000, 4000, 3000 ^ 4000])],
            "{compound}"
        );
    }
    for compound in [
        Compound::Conjunctive,
        Compound::Continued,
        Compound::Shortened,
    ] {
        let components = components([30, 40, 50], [60, 70]);
        let found = sum::compound(&components, compound, Convention::Normal, true);
        assert_eq!(found.expect("values are known of both").outcome, Outcome::N);
    }
}

/// The example of Flanigan's paper of 1980, with everything it says.
#[test]
fn flanigans_example_is_answered_as_he_says() {
    let (nim, rim) = (
        shipped("nim", &[("piles", 3)]),
        shipped("rim", &[("k", 5), ("piles", 5)]),
    );
    let (nim, rim) = (
        Session::new(&nim, LIMITS.clone()),
        Session::new(&rim, LIMITS.clone()),
    );
    let components = [
        Component {
            session: &nim,
            position: vec![13, 20, 114].into(),
        },
        Component {
            session: &rim,
            position: vec![71, 135, 138, 176, 252].into(),
        },
    ];
    let found =
        sum::answer(&components, Convention::Normal, false).expect("values are known of both");
    assert_eq!(found.parts[0].grundy, Some(107));
    assert_eq!(found.parts[1].grundy, Some(117));
    assert_eq!(found.grundy, Some(107 ^ 117));
    assert_eq!(found.outcome, Outcome::N);
    let basis = found
        .basis
        .expect("no engine can reach the position in Rim");
    assert_eq!(basis.claim(), Some("grundy == carryless(k, heaps)"));
    assert!(matches!(found.parts[0].basis, Some(Basis::Engine(_))));
    // 10 from the 20 or 6 from the 114.
    let in_nim: Vec<&[u64]> = found
        .winning_moves
        .iter()
        .flat_map(|made| &made.parts)
        .filter(|m| m.component == 0)
        .map(|m| m.to.small().expect("it is small"))
        .collect();
    assert_eq!(in_nim, [[13, 10, 114], [13, 20, 108]]);
    // Every option of the position in Rim, looked at one by one.
    let in_rim: Vec<Vec<u64>> = found
        .winning_moves
        .into_iter()
        .flat_map(|made| made.parts)
        .filter(|m| m.component == 1)
        .map(|m| m.to.small().expect("it is small").to_vec())
        .collect();
    let options =
        ir::moves(&rim.solver().graph, &[71, 135, 138, 176, 252]).expect("the rule is sound");
    let expected: Vec<Vec<u64>> = options
        .into_iter()
        .filter(|option| without_carry(5, option) == 107)
        .collect();
    assert_eq!(in_rim, expected);
    assert!(in_rim.contains(&vec![61, 135, 138, 176, 252]));
}

/// The digits of each column in this base, added without carry.
fn without_carry(base: u64, heaps: &[u64]) -> u64 {
    let mut place = 1;
    let mut sum = 0;
    while heaps.iter().any(|size| *size >= place) {
        let column: u64 = heaps.iter().map(|size| size / place % base).sum();
        sum += column % base * place;
        place *= base;
    }
    sum
}

fn by_claim(game: &Game, position: &[u64], convention: Convention) -> Answer {
    let session = Session::new(game, LIMITS.clone());
    let ask = Ask {
        convention,
        ..Ask::default()
    };
    let found = session
        .position(&position.into(), &ask)
        .expect("a claim stands");
    assert!(!matches!(found.basis, Basis::Engine(_)), "{}", game.name);
    assert!(found.unfinished().is_none());
    found
}

/// The positions after the winning moves.
fn winning(answer: &Answer) -> Vec<Vec<u64>> {
    let found = answer.moves.found.iter();
    found
        .map(|to| to.small().expect("it is small").to_vec())
        .collect()
}

/// Positions that no table holds, each with the claim about it worked out
/// again: the winning moves are the options that satisfy it.
type IsP = fn(&[u64]) -> bool;

/// A game's file, its settings, a position, the convention, and what is P.
type Case<'c> = (&'c str, &'c [(&'c str, i64)], &'c [u64], Convention, IsP);

#[test]
fn a_claim_finds_every_winning_move_that_there_is() {
    let three = |heaps: &[u64]| {
        (0..20).all(|bit| heaps.iter().filter(|size| *size >> bit & 1 == 1).count() % 3 == 0)
    };
    let opposite = |h: &[u64]| h[0] ^ h[3] == h[1] ^ h[4] && h[1] ^ h[4] == h[2] ^ h[5];
    let cases: [Case<'_>; 6] = [
        (
            "rim",
            &[("k", 5), ("piles", 5)],
            &[71, 135, 138, 176, 252],
            Convention::Normal,
            |h| without_carry(5, h) == 0,
        ),
        (
            "trim",
            &[("piles", 5)],
            &[90, 200, 301, 402, 503],
            Convention::Normal,
            |h| without_carry(3, h) == 0,
        ),
        (
            "moore",
            &[("piles", 5), ("k", 2)],
            &[90, 200, 301, 402, 503],
            Convention::Normal,
            three,
        ),
        (
            "cube_edge",
            &[],
            &[30, 41, 52, 63, 74, 85],
            Convention::Normal,
            opposite,
        ),
        (
            "cube_edge",
            &[],
            &[90, 2, 20, 301, 402, 503],
            Convention::Misere,
            opposite,
        ),
        (
            "cube_face",
            &[],
            &[900, 801, 702, 603, 504, 405],
            Convention::Misere,
            |h| h.iter().fold(0, |sum, size| sum ^ size) == 0,
        ),
    ];
    for (name, settings, position, convention, is_p) in cases {
        let game = shipped(name, settings);
        let graph = ir::lower(&game);
        let found = by_claim(&game, position, convention);
        let options = ir::moves(&graph, position).expect("the rule is sound");
        let expected: Vec<Vec<u64>> = options.into_iter().filter(|o| is_p(o)).collect();
        assert!(
            !is_p(position) && !expected.is_empty(),
            "{name}: a case of no worth"
        );
        let winning = winning(&found);
        match found.moves.extent {
            Extent::OneForEachSelection => {
                assert!(!winning.is_empty(), "{name} at {position:?}");
                assert!(winning.iter().all(|to| expected.contains(to)), "{name}");
            }
            _ => assert_eq!(winning, expected, "{name} at {position:?}"),
        }
        assert_eq!(found.outcome, Outcome::N, "{name}");
    }
}

/// Where the heaps of a move are large, the claim is solved for one of them.
#[test]
fn claims_are_solved_for_a_heap_if_options_are_too_many() {
    let game = shipped("cube_vertex", &[]);
    let found = by_claim(
        &game,
        &[1_000_000_000_000, 40, 30, 1_000, 5, 7],
        Convention::Normal,
    );
    assert_eq!(winning(&found), [[1_000, 5, 7, 1_000, 5, 7]]);
    // A P-position has no winning move, and none is looked for.
    let same = [1_000_000_000_000, 40, 30, 1_000_000_000_000, 40, 30];
    let found = by_claim(&game, &same, Convention::Normal);
    assert_eq!(found.outcome, Outcome::P);
    assert_eq!(winning(&found), [[0_u64; 6]; 0]);
}

#[test]
fn a_false_claim_answers_nothing() {
    let path = root().join("tests/games/false_values.nimrule");
    let game = game_of_file(&path);
    let nim = shipped("nim", &[("piles", 1)]);
    let session = Session::new(&game, Limits::of_memory(8 << 20));
    let ask = Ask {
        request: Request::Grundy,
        ..Ask::default()
    };
    let far = Position::from(vec![3001, 4002, 5003]);
    let refused = session
        .position(&far, &ask)
        .expect_err("nothing true is known of the position");
    assert!(matches!(refused.failure, SolveError::Memory { .. }));
    let [at_once, further_out, named_by_the_file] = refused.dismissed.as_slice() else {
        panic!("three claims might have answered: {:?}", refused.dismissed);
    };
    assert_eq!(named_by_the_file.why, "it fails, as the file says");
    assert_eq!(at_once.claim, "grundy == xor(heaps)");
    assert_eq!(at_once.why, "it fails at (0,1,1), claimed 0 where it is 2");
    assert!(
        further_out
            .why
            .starts_with("it gives (3001,4002,5003) and its option ("),
        "{}",
        further_out.why
    );
    // In a sum it is the same.
    let other = Session::new(&nim, LIMITS.clone());
    let components = [
        Component {
            session: &session,
            position: far,
        },
        Component {
            session: &other,
            position: vec![1].into(),
        },
    ];
    let refused = sum::answer(&components, Convention::Normal, false);
    assert!(matches!(
        refused,
        Err(sum::SumError::Component { component: 0, unanswered }) if unanswered.dismissed.len() == 2
    ));
}

#[test]
fn engines_precede_claims_and_a_forced_engine_has_no_fallback() {
    let game = shipped("rim", &[("k", 5), ("piles", 5)]);
    let ask = |position: &[u64], limits: &Limits, engine, engines_only| {
        let ask = Ask {
            request: Request::Grundy,
            engine,
            engines_only,
            ..Ask::default()
        };
        Session::new(&game, limits.clone()).position(&position.into(), &ask)
    };
    let near = ask(&[4, 3, 7, 6, 12], &LIMITS, None, false).expect("it is near");
    assert_eq!(near.basis, Basis::Engine("vectors"));
    assert_eq!(near.grundy, Some(without_carry(5, &[4, 3, 7, 6, 12])));
    let far = [71, 135, 138, 176, 252];
    let small = Limits::of_memory(1 << 20);
    for (engine, engines_only) in [(Some("memo"), false), (Some("table"), false), (None, true)] {
        let refused = ask(&far, &small, engine, engines_only).expect_err("no engine reaches it");
        assert_eq!(refused.dismissed, [], "{engine:?}");
    }
}

/// What a proof reaches is answered by the proof, and not by a claim that holds to a bound.
#[test]
fn an_answer_by_a_proof_carries_the_claim() {
    let game = shipped("moore", &[("piles", 4), ("k", 2)]);
    let found = by_claim(&game, &[1_000, 2_000, 3_000, 4_000], Convention::Normal);
    let claim = "P iff carryless(2, heaps, k + 1) == 0";
    assert_eq!(found.basis.claim(), Some(claim));
    assert!(matches!(found.basis, Basis::Proof(_)));
    assert_eq!(found.basis.extent(), "proved");
    // A claim about outcomes gives no values.
    assert_eq!(found.grundy, None);
}
