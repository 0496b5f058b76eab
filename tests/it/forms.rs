//! Closed forms that are found: each is proved as a claim and compared with computed
//! outcomes.

use nimrule_automata::{Dfa, Numeration, TableDfa};
use nimrule_discover::forms::closed_form;
use nimrule_discover::learn_p_positions;
use nimrule_fixtures::{few_or_many, game, game_at, shipped_text};
use nimrule_limits::{Limits, Steps};
use nimrule_model::expr::Environment;
use nimrule_model::game::{Claim, Statement};
use nimrule_model::game::{Convention, Game};
use nimrule_prove::{Decision, Set, Strategy, decide, set_of_table};
use std::collections::HashMap;

fn limits(millions: u64) -> Limits {
    Limits::of_memory(2 << 30).cap_work(Steps::million(millions))
}

/// The P-positions as the rule gives them, or a proved claim of its file.
fn set_of(game: &Game, convention: Convention) -> Dfa {
    if let Some((set, _)) = learn_p_positions(game, convention, &limits(60)) {
        return set;
    }
    let claims = game.claims.iter().filter(|c| c.convention == convention);
    for claim in claims {
        if let Ok(Decision::Holds(proof)) = decide(game, claim, &Strategy::all(&limits(60)))
            && proof.of == Set::PPositions
        {
            return (*proof.automaton).clone();
        }
    }
    panic!("{}: the P-positions are not known", game.name)
}

/// The claim that a form makes, written into the game's file.
fn claimed(text: &str, settings: &[(&str, i64)], misere: &str, words: &str) -> (Game, Claim) {
    let game = game_at(&format!("{text}\nclaim {misere}P iff {words}\n"), settings);
    let claim = game.claims.last().cloned().expect("the claim was written");
    assert!(matches!(claim.statement, Some(Statement::Outcome { .. })));
    (game, claim)
}

/// Is a position P, by its options?
fn is_p(
    graph: &nimrule_ir::MoveGraph,
    misere: bool,
    position: &[u64],
    known: &mut HashMap<Vec<u64>, bool>,
) -> bool {
    if let Some(known) = known.get(position) {
        return *known;
    }
    let options = nimrule_ir::moves(graph, position).expect("no fault");
    let p = match options.is_empty() {
        true => !misere,
        false => !options
            .iter()
            .any(|option| is_p(graph, misere, option, known)),
    };
    known.insert(position.to_vec(), p);
    p
}

/// The form of a game's P-positions, proved by the prover as the claim that it
/// is, and held against play in a small box.
fn form_of(name: &str, settings: &[(&str, i64)], misere: bool) -> Option<String> {
    let text = shipped_text(name);
    let game = game_at(&text, settings);
    let (convention, word) = match misere {
        true => (Convention::Misere, "misere "),
        false => (Convention::Normal, ""),
    };
    let set = set_of(&game, convention);
    let words = closed_form(&game, convention, &set, &limits(60))
        .unwrap_or_else(|met| panic!("{name} {settings:?}: {met}"))?
        .words;
    let (game, claim) = claimed(&text, settings, word, &words);
    match decide(&game, &claim, &Strategy::all(&limits(120))) {
        Ok(Decision::Holds(proof)) => assert_eq!(proof.of, Set::PPositions),
        other => panic!("{name} {settings:?}: {words}: {other:?}"),
    }
    agrees_with_play(&game, &claim, misere);
    Some(words)
}

/// The claim's condition holds at the P-positions of a small box alone.
fn agrees_with_play(game: &Game, claim: &Claim, misere: bool) {
    let Some(Statement::Outcome { condition, .. }) = &claim.statement else {
        panic!("an outcome is claimed");
    };
    let graph = nimrule_ir::lower(game);
    let most = if game.heap_count() > 4 { 2 } else { 4 };
    let mut known = HashMap::new();
    let mut locals = vec![0; game.slots];
    let mut position = vec![0; game.heap_count()];
    loop {
        let mut scene = Environment {
            position: &position,
            kinds: &[],
            locals: &mut locals,
            picks: &[],
            amounts: &[],
            symmetries: &game.facts.symmetries,
            steps: 0,
        };
        let said = condition.eval(&mut scene).expect("it has a value");
        let p = is_p(&graph, misere, &position, &mut known);
        assert_eq!(said, p, "{} {position:?}: {}", game.name, claim.words);
        let Some(place) = position.iter().position(|heap| *heap < most) else {
            return;
        };
        position[place] += 1;
        position[..place].fill(0);
    }
}

/// Each case is a game with its parameters, after `misere` or not, and the words for it.
fn all_are(cases: &[&str]) {
    for case in cases {
        let (of, words) = case.split_once(": ").expect("a game and words");
        let misere = of.strip_prefix("misere ");
        let mut named = misere.unwrap_or(of).split(' ');
        let name = named.next().expect("a name");
        let settings = named.map(|set| set.split_once('=').expect("a parameter"));
        let settings: Vec<(&str, i64)> = settings
            .map(|(name, number)| (name, number.parse().expect("a number")))
            .collect();
        let found = form_of(name, &settings, misere.is_some());
        assert_eq!(found.as_deref(), Some(words), "{of}");
    }
}

#[test]
fn equations_between_heaps() {
    all_are(&[
        "nim piles=4: xor(heaps) == 0",
        "cube_face: xor(heaps) == 0",
        "cube_edge: a ^ b ^ A ^ B == 0 and a ^ c ^ A ^ C == 0",
        "cube_vertex: a == A and b == B and c == C",
        "cube_rotation: a + A == b + B == c + C",
        "cube_vertex_slow: (a + A) mod 2 == 0 and (b + B) mod 2 == 0 and (c + C) mod 2 == 0",
        "cube_edge_slow: (a + b + A + B) mod 2 == 0 and (a + c + A + C) mod 2 == 0",
        "misere cube_vertex_slow: if count(x in {a + A, b + B, c + C} where x >= 1) >= 2 then \
         (a + A) mod 2 == 0 and (b + B) mod 2 == 0 and (c + C) mod 2 == 0 else sum(heaps) mod \
         2 == 1",
        "trim piles=3: carryless(3, heaps) == 0",
        "moore piles=4 k=2: carryless(2, heaps, 3) == 0",
        "circular_nim n=4 k=2: h1 == h3 and h2 == h4",
        "circular_nim n=6 k=3: h1 + h2 == h4 + h5 and h1 + h6 == h3 + h4",
        "circular_nim n=6 k=5: min(heaps) == max(heaps)",
        "circular_nim n=4 k=4: max(heaps) == 0",
    ]);
}

#[test]
fn forms_up_to_symmetry() {
    let cases = [
        "circular_nim n=5 k=2: like (a,b,c,a,d) where a + d == b + c and a <= b and a <= c",
        "circular_nim n=5 k=3: like (0,a,b,c,a) where a == b + c",
        "circular_nim n=6 k=4: like (a,b,c,d,e,f) where a + b == d + e and a + f == c + d and \
         a <= d and a ^ c ^ e == 0",
        "shrinking_circular_nim n=4 k=2: like (a,b,a,b) where a != b or like (a,a,a) or like \
         ()",
        "shrinking_circular_nim n=5 k=3: like (1,a,b,c,a) where a + 1 == b + c and b != c or \
         like (2,a,b,b+1,a+1) where 2*b == a + 1 and a >= 2 or like (a,a,a,a) or like ()",
    ];
    all_are(&cases[..few_or_many(4, 5)]);
    // However it is put.
    let found = form_of("shrinking_circular_nim", &[("n", 5), ("k", 2)], false);
    assert!(found.is_some());
}

#[test]
fn misere_forms_with_a_bound() {
    all_are(&[
        "misere nim piles=4: if max(heaps) >= 2 then xor(heaps) == 0 else sum(heaps) mod 2 == \
         1",
        "misere cube_vertex: (max(heaps) >= 2 and a == A and b == B and c == C) or like \
         (0,0,0,0,0,1) or like (0,1,1,0,1,1) or like (1,1,1,1,1,1)",
        "misere cube_edge: if max(heaps) >= 2 then a ^ b ^ A ^ B == 0 and a ^ c ^ A ^ C == 0 \
         else sum(heaps) mod 3 == 1",
        "misere moore piles=4 k=2: if max(heaps) >= 2 then carryless(2, heaps, 3) == 0 else \
         sum(heaps) mod 3 == 1",
        "misere circular_nim n=5 k=2: if max(heaps) >= 2 then (like (a,b,c,a,d) where a + d \
         == b + c and a <= b and a <= c) else sum(heaps) mod 3 == 1",
    ]);
}

/// A set that no short sentence describes: no form is found.
#[test]
fn no_form_is_found_where_there_is_none() {
    let game = game_at(&shipped_text("nim"), &[("piles", 2)]);
    // The second heap has a digit 1 wherever the first has, and an even
    // number of them besides.
    let table = TableDfa {
        tracks: 2,
        base: 2,
        start: 0,
        output: vec![true, false, false],
        next: vec![0, 2, 1, 0, 1, 2, 0, 1, 2, 2, 2, 2],
    };
    let set = set_of_table(&game, &table, Numeration::Base(2)).expect("of as many digits");
    let found = closed_form(&game, Convention::Normal, &set, &limits(60));
    assert!(matches!(found, Ok(None)), "{found:?}");
}

/// CN(7,3), whose form in the file was found by computer.
#[test]
fn seven_in_a_circle_three_neighbours() {
    let game = game_at(&shipped_text("circular_nim"), &[("n", 7), ("k", 3)]);
    let stated = |claim: &&Claim| claim.statement.is_some();
    let claim = game.claims.iter().find(stated).expect("it is claimed");
    match decide(&game, claim, &Strategy::all(&limits(300))) {
        Ok(Decision::Holds(proof)) => assert_eq!(proof.of, Set::PPositions),
        other => panic!("{other:?}"),
    }
    agrees_with_play(&game, claim, false);
}

/// Mark (Fraenkel, Aperiodic subtraction games, 2011): take 1 or halve, rounded down. The
/// P-positions are those with an odd number of zeros at the end, and 0.
const MARK: &str = "game mark heaps n move take 1 from n \
                    move take t from n where n > 0 and t == n - n div 2";

#[test]
fn valuations_are_found_and_proved() {
    let game = game(MARK);
    let set = set_of(&game, Convention::Normal);
    let form = closed_form(&game, Convention::Normal, &set, &limits(60)).expect("no limit");
    let words = form.expect("a form").words;
    assert_eq!(words, "n == 0 or valuation(2, n) mod 2 == 1");
    let (game, claim) = claimed(MARK, &[], "", &words);
    agrees_with_play(&game, &claim, false);
    let verdict = nimrule_prove::prove(&game, &claim, &Strategy::all(&limits(60)));
    match verdict {
        Ok(nimrule_prove::Verdict::Proved(proof)) => assert!(
            proof.certificate.is_some(),
            "the independent checker reads the claim, too"
        ),
        other => panic!("{other:?}"),
    }
    // Other remainders are refuted.
    for wrong in ["mod 2 == 0", "mod 3 == 1"] {
        let words = words.replace("mod 2 == 1", wrong);
        let (game, claim) = claimed(MARK, &[], "", &words);
        let verdict = nimrule_prove::prove(&game, &claim, &Strategy::all(&limits(60)));
        assert!(
            matches!(verdict, Ok(nimrule_prove::Verdict::Refuted(_))),
            "{words}: {verdict:?}"
        );
    }
}

/// Two games of the atlas of simplicial Nim, each with a number that conditions on single heaps
/// do not mention.
const NAMED: [(&str, &str); 2] = [
    (
        "game g heaps a b c d e family facet = { a b c }, { a b d }, { a c d }, { b c d }, \
         { a b e }, { a c e }, { a d e } move take from one facet",
        "let z = b ^ c ^ d in (let y = b ^ c in y == 0 or 2*z < y ^ (y - 1)) and (let y = b ^ d \
         in y == 0 or 2*z < y ^ (y - 1)) and a <= z and e <= e ^ z and \
         2*a + 2*e + z == b + c + d",
    ),
    (
        "game g heaps a b c d e family facet = { a b c }, { a b d }, { a c d }, { b c d }, \
         { a b e }, { a c e }, { b c e }, { a d e } move take from one facet",
        "a + d <= b + c and let z = b + c - a - d in a ^ d ^ e == 0 and (a == 0 or 2*(b ^ c) < \
         a ^ (a - 1)) and (z == 0 or a > 0 and valuation(2, z) >= valuation(2, a)) and (a == 0 \
         or 2*(e ^ z) < a ^ (a - 1))",
    ),
];

#[test]
fn forms_that_name_a_number_are_found_and_proved() {
    for (text, expected) in NAMED {
        let game = game(text);
        let set = set_of(&game, Convention::Normal);
        let form = closed_form(&game, Convention::Normal, &set, &limits(60)).expect("no limit");
        let words = form.expect("a form").words;
        assert_eq!(words, expected);
        let (game, claim) = claimed(text, &[], "", &words);
        agrees_with_play(&game, &claim, false);
        match nimrule_prove::prove(&game, &claim, &Strategy::all(&limits(60))) {
            Ok(nimrule_prove::Verdict::Proved(proof)) => assert!(proof.certificate.is_some()),
            other => panic!("{words}: {other:?}"),
        }
    }
}

#[test]
fn what_is_the_same_of_several_heaps_is_said_once() {
    // The largest heap occurs twice, and not three times.
    let words = form_of("greedy_nim", &[], false).expect("a form");
    assert!(
        words.contains("max(heaps)") && !words.contains("like"),
        "{words}"
    );
}
