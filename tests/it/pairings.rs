//! `claim P by pairing …`: proofs are compared with computed outcomes, and used for
//! large positions.

use nimrule_answer::{Answer, Ask, Basis, Extent, Position, Session};
use nimrule_claim::{self as claim, ClaimStatus};
use nimrule_engine::{self as engine, Limits, Outcome, Shape, Solver};
use nimrule_fixtures::{Numbers, few_or_many, game, shipped};
use nimrule_ir as ir;
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Convention, Game, Statement};

static LIMITS: Limits = Limits::of_memory(1 << 28);

/// The pairs of the game's first claim.
fn pairs(game: &Game) -> &[(HeapId, HeapId)] {
    match &game.claims[0].statement {
        Some(Statement::Pairing(pairs)) => pairs,
        other => panic!("{other:?} is no pairing"),
    }
}

/// The first position in a box that the pairing speaks of and that is N.
fn first_exception(solver: &Solver<'_>, most: u64, convention: Convention) -> Option<Vec<u64>> {
    let pairs = pairs(solver.game);
    let mut truth = crate::engines::Truth::new(&solver.graph, convention);
    let mut worst: Option<Vec<u64>> = None;
    let shape = Shape::new(&vec![most; solver.game.heap_count()]).expect("the box is small");
    let all = shape.try_each(|position, _| {
        let smaller = worst
            .as_ref()
            .is_none_or(|worst| position.iter().sum::<u64>() < worst.iter().sum());
        if smaller
            && claim::pairing::covers(solver.game, pairs, position)
            && truth.value(position) != 0
        {
            worst = Some(position.to_vec());
        }
        Ok::<(), ()>(())
    });
    assert_eq!(all, Ok(()));
    worst
}

/// What becomes of the claim, by itself or on the box to `most`.
fn standing(solver: &Solver<'_>, most: u64) -> ClaimStatus {
    let claim = &solver.game.claims[0];
    let alone = claim::check_alone(solver, claim, most, Some(most), &LIMITS);
    if let Some(standing) = alone.expect("it is small") {
        return standing;
    }
    let region = solver.region(most, &LIMITS).expect("it is small");
    let table = engine::fill_region(solver, &region, claim::asked(claim), &LIMITS, None);
    let statement = claim.statement.as_ref().expect("the claim applies");
    claim::check(solver, statement, &table.expect("it is small"), &LIMITS).expect("no faults")
}

const TAKES: [&str; 9] = [
    "",
    "",
    "slow",
    "1..2",
    "equal",
    "{1,3}",
    "t",
    "1..max(s)",
    "1..max(heaps)",
];

const CONDITIONS: [&str; 6] = [
    "",
    "",
    " where total != 2",
    " where each <= 1",
    " where total <= max(s)",
    " where total <= max(heaps) div 2 + 1",
];

fn random_game(numbers: &mut Numbers) -> String {
    let names = ["a", "b", "c", "A", "B"];
    let mut text = "game random\nheaps a b c A B\n".to_owned();
    for mover in ["f", "g"] {
        let mut sets: Vec<u64> = Vec::new();
        for _ in 0..1 + numbers.below(2) {
            let set = 1 + numbers.below(31);
            sets.push(set);
            if numbers.below(4) > 0 {
                // The set of the partners, where a and A, b and B are pairs.
                let partners = set & 4 | set >> 3 & 3 | (set & 3) << 3;
                sets.push(partners);
            }
        }
        let written: Vec<String> = sets
            .iter()
            .map(|set| {
                let heaps = (0..5).filter(|heap| set >> heap & 1 == 1);
                let heaps: Vec<&str> = heaps.map(|heap| names[heap]).collect();
                format!("{{ {} }}", heaps.join(" "))
            })
            .collect();
        let take = TAKES[numbers.below(9) as usize];
        let condition = CONDITIONS[numbers.below(6) as usize];
        let condition = if take == "t" && condition.is_empty() {
            " where t != 3"
        } else {
            condition
        };
        text += &format!(
            "family {mover} = {}\nmove take {take} from one {mover} as s{condition}\n",
            written.join(", ")
        );
        if numbers.below(2) == 0 {
            break;
        }
    }
    let misere = if numbers.below(8) == 0 { "misere " } else { "" };
    text + &format!("claim {misere}P by pairing a with A, b with B\n")
}

#[test]
fn proved_pairings_are_true() {
    let mut numbers = Numbers::new(23);
    let (mut proved, mut held, mut refuted) = (0, 0, 0);
    for _ in 0..250 {
        let text = random_game(&mut numbers);
        let Ok(compiled) = nimrule_fixtures::compiled(&text) else {
            // An amount cannot be said in words of what it is taken from.
            continue;
        };
        let game = compiled.game;
        let solver = Solver::new(&game);
        let convention = game.claims[0].convention;
        let exception = first_exception(&solver, 2, convention);
        match (standing(&solver, 2), exception) {
            (ClaimStatus::Proved { theorem, .. }, None) => {
                assert_eq!((theorem, convention), ("pairing", Convention::Normal));
                proved += 1;
            }
            (ClaimStatus::Holds { to: 2, .. }, None) => held += 1,
            (ClaimStatus::Refuted(found), Some(position)) => {
                assert_eq!(found.position, position, "{text}");
                refuted += 1;
            }
            (standing, exception) => panic!("{standing:?} and {exception:?}:\n{text}"),
        }
    }
    assert!(
        proved > 25 && held > 5 && refuted > 25,
        "{proved} proved, {held} hold, {refuted} refuted"
    );
}

/// Why a pairing is not proved.
fn reason(rule: &str) -> String {
    let text = format!("game g\nheaps a b A B\n{rule}\nclaim P by pairing a with A, b with B\n");
    let game = game(&text);
    let solver = Solver::new(&game);
    match claim::pairing::proof(&solver, pairs(&game), Convention::Normal) {
        Err(reason) => reason,
        Ok(by) => panic!("{rule} is proved: {by}"),
    }
}

#[test]
fn missing_conditions_of_a_proof_are_named() {
    assert_eq!(
        reason("move take from up to 2 heaps"),
        "a move may take from both `a` and its partner `A`"
    );
    assert_eq!(
        reason("family f = { a b }, { A }, { B }\nmove take from one f"),
        "a move may take from a b together, and none from their partners A B"
    );
    assert_eq!(
        reason("move take from one heap where total <= max(heaps)"),
        "`take from one heap where total <= max(heaps)` depends on heaps that are not taken from"
    );
    assert_eq!(
        reason("move take from one heap then optionally take from one heap"),
        "`optionally` is more than one take"
    );
    assert_eq!(
        reason("positions where a != 1\nmove take from one heap"),
        "`positions where` may exclude the answer"
    );
    // The answer to a take from a and b is in A and B, wherever they are.
    let game = game(
        "game g\nheaps a b A B\nfamily f = { a b }\nfamily g = { A B }\n\
         move take from one f\nmove take from one g\nclaim P by pairing a with A, b with B\n",
    );
    let solver = Solver::new(&game);
    let proof = claim::pairing::proof(&solver, pairs(&game), Convention::Normal);
    assert!(proof.is_ok(), "{proof:?}");
    let misere = claim::pairing::proof(&solver, pairs(&game), Convention::Misere);
    assert!(misere.is_err());
}

#[test]
fn pairs_are_read_in_every_way_they_are_written() {
    let of = |text: &str| -> Vec<(usize, usize)> {
        let game = game(text);
        let pairs = pairs(&game);
        pairs.iter().map(|(a, b)| (a.index(), b.index())).collect()
    };
    let square = "game g\nparam n = 3 in 1..\nboard grid(n, 2)\nmove take from one line\n";
    assert_eq!(
        of(&format!(
            "{square}claim P by pairing (x,y) with (n+1-x, 3-y)\n"
        )),
        [(0, 5), (1, 4), (2, 3)]
    );
    assert_eq!(
        of(&format!("{square}claim P by pairing (x,1) with (x,2)\n")),
        [(0, 1), (2, 3), (4, 5)]
    );
    assert_eq!(
        of(&format!(
            "{square}claim P by pairing heaps[i] with heaps[7-i]\n"
        )),
        [(0, 5), (1, 4), (2, 3)]
    );
    assert_eq!(
        of(&format!(
            "{square}claim P by pairing h1 with h6, heaps[2] with (2,2)\n"
        )),
        [(0, 5), (1, 3)]
    );
    let piles = "game g\nheaps pool, pile[0..3]\nmove take from one heap\n";
    assert_eq!(
        of(&format!(
            "{piles}claim P by pairing pile[i] with pile[3-i]\n"
        )),
        [(1, 4), (2, 3)]
    );
}

/// A position of a shipped game, answered with the claims.
fn answered(name: &str, n: Option<i64>, position: &[u64]) -> Answer {
    let params: Vec<(&str, i64)> = n.map(|n| ("n", n)).into_iter().collect();
    let game = shipped(name, &params);
    let solver = Solver::new(&game);
    let session = Session::new(&game, LIMITS.clone());
    let answered = session
        .position(&Position::from(position), &Ask::default())
        .unwrap_or_else(|unanswered| panic!("{unanswered:?}"));
    for option in &answered.moves.found {
        let option = option.small().expect("it is no larger");
        // One move, and to a position that is P for the same reason.
        let taken: Vec<usize> = (0..position.len())
            .filter(|heap| option[*heap] != position[*heap])
            .collect();
        assert!(taken.iter().all(|heap| option[*heap] < position[*heap]));
        let ones: Vec<u64> = (0..position.len())
            .map(|heap| u64::from(taken.contains(&heap)))
            .collect();
        let empty = vec![0; position.len()];
        let legal = ir::moves(&solver.graph, &ones).expect("no faults");
        assert!(legal.contains(&empty), "{option:?}");
    }
    answered
}

#[test]
fn a_proved_pairing_answers_for_any_size() {
    let large = 1_000_000_000_000;
    let even = answered("cube_vertex", None, &[large, 7, 30, large, 7, 30]);
    assert_eq!(even.outcome, Outcome::P);
    assert_eq!(even.basis.extent(), "proved by pairing");
    let uneven = answered("cube_vertex", None, &[large, 7, 30, large - 5, 17, 3]);
    assert_eq!(uneven.outcome, Outcome::N);
    assert_eq!(
        uneven.moves.found,
        [Position::from(vec![large - 5, 7, 3, large - 5, 7, 3])]
    );
    assert_eq!(uneven.moves.extent, Extent::Some);

    // The engines give up on a board after half a minute.
    if few_or_many(true, false) {
        return;
    }
    let mut board = vec![1; 64];
    let whole = answered("objects_on_a_board", Some(4), &board);
    assert_eq!(whole.outcome, Outcome::P);
    board[5] = 0;
    let without_one = answered("objects_on_a_board", Some(4), &board);
    assert_eq!(without_one.outcome, Outcome::N);
    board[58] = 0;
    assert_eq!(without_one.moves.found, [Position::from(board)]);
}

#[test]
fn boards_of_objects_are_solved_outright_where_they_are_small() {
    for (n, outcome, moves) in [(1, Outcome::N, 1), (2, Outcome::P, 0), (3, Outcome::N, 27)]
        .into_iter()
        .take(few_or_many(2, 3))
    {
        let cells = usize::try_from(n * n * n).expect("it is small");
        let answered = answered("objects_on_a_board", Some(n), &vec![1; cells]);
        assert_eq!(answered.outcome, outcome, "{n}");
        assert_eq!(answered.moves.found.len(), moves, "{n}");
        assert!(matches!(answered.basis, Basis::Engine(_)));
    }
    // In two dimensions who moves second wins on every board of more than one.
    for (n, outcome) in [
        (1, Outcome::N),
        (2, Outcome::P),
        (3, Outcome::P),
        (4, Outcome::P),
    ] {
        let text = format!(
            "game g\nboard grid({n}, {n})\nmove take from one line\nexample all 1 is {outcome}\n"
        );
        let game = game(&text);
        let session = Session::new(&game, LIMITS.clone());
        let wrong = session.example(&game.examples[0]);
        let wrong = wrong.expect("the board is small").contradiction;
        assert_eq!(wrong, None, "{n}");
    }
}
