//! Games in which each side has moves of its own, and games whose positions
//! may repeat, held against the definition.
//!
//! The truth is worked out here round by round over the option sets of
//! [`ir::moves`]: in round n every position and side to move is looked at that
//! is not settled yet. It is won in n moves if some option is lost in n - 1;
//! it is lost in n moves if every option is won, the last of them in n - 1.
//! What no round settles is drawn.

use crate::game_files::{every_game_of_heaps, label};
use nimrule_answer::{Position, Session};
use nimrule_engine::{
    self as engine, BySide, Label, Limits, Outcome, Query, Question, Request, Shape, SideOutcome,
    SolveError, Solver,
};
use nimrule_fixtures::{Numbers, compiled, game, game_at, game_files, game_of_file};
use nimrule_ir as ir;
use nimrule_model::game::{Convention, Game, PositionKind, Side};
use std::collections::BTreeMap;

static LIMITS: Limits = Limits::of_memory(1 << 30);

const CONVENTIONS: [Convention; 2] = [Convention::Normal, Convention::Misere];

/// What is reached from some positions, and who wins there.
struct Truth {
    places: BTreeMap<Vec<u64>, usize>,
    /// The options by place, for Left and for Right.
    options: Vec<[Vec<usize>; 2]>,
    labels: Vec<[Option<Label>; 2]>,
}

fn graph<'s>(solver: &'s Solver<'_>, side: Side) -> &'s ir::MoveGraph {
    match &solver.sides {
        None => &solver.graph,
        Some([left, _]) if side == Side::Left => left,
        Some([_, right]) => right,
    }
}

/// The positions of a box.
fn positions(solver: &Solver<'_>, most: &[u64]) -> Vec<Vec<u64>> {
    let mut walker = ir::Walker::new(&solver.graph, &[]);
    let mut found = Vec::new();
    let shape = Shape::new(most).expect("the box is small");
    shape
        .try_each(|position, _| {
            if walker.is_position(position)? {
                found.push(position.to_vec());
            }
            Ok::<_, nimrule_model::expr::PlacedFault>(())
        })
        .expect("the condition has a value");
    found
}

impl Truth {
    fn of(solver: &Solver<'_>, wanted: &[Vec<u64>], convention: Convention) -> Truth {
        let mut reached: Vec<Vec<u64>> = Vec::new();
        let mut places = BTreeMap::new();
        let mut place_of = |position: Vec<u64>, reached: &mut Vec<Vec<u64>>| -> usize {
            *places.entry(position.clone()).or_insert_with(|| {
                reached.push(position);
                reached.len() - 1
            })
        };
        for position in wanted {
            place_of(position.clone(), &mut reached);
        }
        let mut options: Vec<[Vec<usize>; 2]> = Vec::new();
        while let Some(position) = reached.get(options.len()).cloned() {
            assert!(reached.len() < 30_000, "too many for the definition");
            options.push(Side::BOTH.map(|side| {
                ir::moves(graph(solver, side), &position)
                    .expect("the moves have values")
                    .into_iter()
                    .map(|option| place_of(option, &mut reached))
                    .collect()
            }));
        }
        let mut truth = Truth {
            places,
            labels: vec![[None; 2]; options.len()],
            options,
        };
        truth.settle(convention);
        truth
    }

    fn settle(&mut self, convention: Convention) {
        for round in 0.. {
            let before = self.labels.clone();
            for (place, options) in self.options.iter().enumerate() {
                for side in 0..2 {
                    if before[place][side].is_some() {
                        continue;
                    }
                    let mut replies = options[side].iter().map(|to| before[*to][1 - side]);
                    self.labels[place][side] = if options[side].is_empty() {
                        Some(match convention {
                            Convention::Normal => Label::Lose(0),
                            Convention::Misere => Label::Win(0),
                        })
                    } else if replies.clone().any(|l| matches!(l, Some(Label::Lose(_)))) {
                        Some(Label::Win(round))
                    } else if replies.all(|l| matches!(l, Some(Label::Win(_)))) {
                        Some(Label::Lose(round))
                    } else {
                        None
                    };
                }
            }
            if round > 0 && before == self.labels {
                return;
            }
        }
    }

    fn label(&self, position: &[u64], side: Side) -> Label {
        self.labels[self.places[position]][side as usize].unwrap_or(Label::Draw)
    }

    fn outcome(&self, position: &[u64]) -> Outcome {
        use Label::{Draw, Lose, Win};
        let left = self.label(position, Side::Left);
        match (left, self.label(position, Side::Right)) {
            (Draw, _) | (_, Draw) => Outcome::D,
            (Win(_), Win(_)) => Outcome::N,
            (Lose(_), Lose(_)) => Outcome::P,
            (Win(_), Lose(_)) => Outcome::L,
            (Lose(_), Win(_)) => Outcome::R,
        }
    }

    /// The moves that keep what a side has that is to move.
    fn turn(&self, solver: &Solver<'_>, position: &[u64], side: Side) -> SideOutcome {
        let label = self.label(position, side);
        let options = ir::moves(graph(solver, side), position).expect("the moves have values");
        let moves = options.into_iter().filter_map(|option| {
            match (label, self.label(&option, side.other())) {
                (Label::Win(_), Label::Lose(rest)) => Some((option, Some(rest + 1))),
                (Label::Draw, Label::Draw) => Some((option, None)),
                _ => None,
            }
        });
        SideOutcome {
            label,
            moves: moves.collect(),
        }
    }
}

/// What the engine gets wrong on a box, and at some of its positions.
fn differs(game: &Game, most: &[u64]) -> Option<String> {
    for convention in CONVENTIONS {
        let solver = Solver::new(game);
        let wanted = positions(&solver, most);
        let truth = Truth::of(&solver, &wanted, convention);
        let asked = Query {
            question: Question::Outcome,
            convention,
        };
        let table = match engine::fill(&solver, most, asked, &LIMITS, Some("retrograde")) {
            Ok(table) => table,
            Err(failure) => return Some(failure.to_string()),
        };
        let mut wrong = None;
        let _ = table.region().try_each(|position, place| {
            let right = truth.places.contains_key(position) && wanted.contains(&position.to_vec());
            let right = right.then(|| truth.outcome(position));
            if table.outcome(place) == right {
                return Ok(());
            }
            let found = table.outcome(place);
            wrong = Some(format!(
                "{position:?}, {convention:?}: {found:?} instead of {right:?}"
            ));
            Err(())
        });
        if wrong.is_some() {
            return wrong;
        }
        let mut numbers = Numbers::new(3);
        for _ in 0..8.min(wanted.len()) {
            let position = &wanted[numbers.below(wanted.len() as u64) as usize];
            // A new solver has nothing left of the box, and explores by itself.
            let alone = Solver::new(game);
            let answer = engine::answer(
                &alone,
                position,
                convention,
                Request::Outcome,
                &LIMITS,
                Some("retrograde"),
            );
            let turn = |side| truth.turn(&alone, position, side);
            let turns = if game.has_sides() {
                BySide::Sides {
                    left: turn(Side::Left),
                    right: turn(Side::Right),
                }
            } else {
                BySide::Same(turn(Side::Left))
            };
            match answer {
                Ok(answer)
                    if answer.outcome == truth.outcome(position)
                        && answer.by_side.as_ref() == Some(&turns) => {}
                other => {
                    return Some(format!(
                        "{position:?}, {convention:?}: {other:?} instead of {turns:?}"
                    ));
                }
            }
        }
    }
    None
}

/// A box of at most so many cells, as even as can be.
fn box_of(heaps: usize) -> Vec<u64> {
    crate::engines::box_of(heaps, 600)
}

#[test]
fn every_game_has_the_outcomes_of_the_definition() {
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for path in game_files() {
        let mut game = game_of_file(&path);
        if game.no_grundy_values().is_none() || game.position_kind != PositionKind::Heaps {
            continue;
        }
        // The definition here does not know of blocked options; `literature` does.
        if game.blocked_options > 0 {
            continue;
        }
        if game.name == "northcott" {
            let text = std::fs::read_to_string(&path).expect("the game can be read");
            game = game_at(&text, &[("rows", 2), ("columns", 6)]);
        }
        looked_at += 1;
        let found = differs(&game, &box_of(game.heap_count()));
        wrong.extend(found.map(|what| format!("{}: {what}", label(&path))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_at > 10, "only {looked_at} games have no values");
}

/// In games whose positions have values the same engine knows P from N, and
/// how long play lasts.
#[test]
fn ordinary_games_have_the_outcomes_of_the_definition() {
    let mut wrong = Vec::new();
    for path in every_game_of_heaps() {
        let game = game_of_file(&path);
        if game.no_grundy_values().is_some() || game.position_kind != PositionKind::Heaps {
            continue;
        }
        let most = crate::engines::box_of(game.heap_count(), 150);
        let found = differs(&game, &most);
        wrong.extend(found.map(|what| format!("{}: {what}", label(&path))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of a random game: moves of both players or of one, with takes and
/// puts, and sometimes a condition that keeps the heaps small.
fn random_game(numbers: &mut Numbers) -> String {
    let heaps = ["a", "b", "c"];
    let count = 1 + numbers.below(3) as usize;
    let pick = |numbers: &mut Numbers| heaps[numbers.below(count as u64) as usize];
    let mut text = format!("game random\nheaps {}\n", heaps[..count].join(" "));
    let most = 2 + numbers.below(4);
    text += &match numbers.below(5) {
        0 => format!("positions where sum(heaps) <= {}\n", most + 2),
        1 => format!("positions where forall i in 1..{count}: heaps[i] <= {most}\n"),
        2 => {
            format!("positions where max(heaps) < {most} and (a mod 2 == 0 or {most} div a >= 1)\n")
        }
        3 => {
            let below = heaps[..count].join(" <= ");
            format!("positions where {below} <= {most}\n")
        }
        _ => format!("positions where sum(heaps) == {most} or sum(heaps) * 2 <= {most}\n"),
    };
    text += "positions may repeat\n";
    for _ in 0..2 + numbers.below(3) {
        let side = ["", " left", " right"][numbers.below(3) as usize];
        let amount = ["1", "2", "1..2", "{1,3}"][numbers.below(4) as usize];
        let (from, to) = (pick(numbers), pick(numbers));
        text += &format!("move{side}");
        if numbers.below(4) == 0 {
            text += &format!(" when {from} mod 2 == {}", numbers.below(2));
        }
        text += &match numbers.below(6) {
            0 => format!(" put {amount} on {to}\n"),
            1 => format!(" take t from {from} then put t on {to}\n"),
            2 => format!(" take {amount} from one heap as x then optionally put 1 on {to}\n"),
            3 => format!(" take {amount} from {from} then put {amount} on {to}\n"),
            4 => format!(" take equal {amount} from all heaps then put {amount} on {to}\n"),
            _ => format!(" take {amount} from {from}\n"),
        };
    }
    text
}

#[test]
fn random_games_have_the_outcomes_of_the_definition() {
    let mut numbers = Numbers::new(20);
    let mut seen = BTreeMap::new();
    for _ in 0..250 {
        let text = random_game(&mut numbers);
        // A condition that can never hold is refused, and so on.
        let Ok(compiled) = compiled(&text) else {
            continue;
        };
        let game = compiled.game;
        let most = box_of(game.heap_count());
        let most: Vec<u64> = most.iter().map(|size| (*size).min(6)).collect();
        if let Some(what) = differs(&game, &most) {
            panic!("{text}{what}");
        }
        let solver = Solver::new(&game);
        let asked = Query {
            question: Question::Outcome,
            convention: Convention::Normal,
        };
        let table = engine::fill(&solver, &most, asked, &LIMITS, None).expect("it is small");
        for (outcome, count) in table.tally(&game) {
            *seen.entry(outcome).or_insert(0) += count;
        }
    }
    let outcomes = [Outcome::P, Outcome::N, Outcome::L, Outcome::R, Outcome::D];
    for outcome in outcomes {
        let count = seen.get(&outcome).copied().unwrap_or(0);
        assert!(count > 100, "{outcome} was seen {count} times: {seen:?}");
    }
}

#[test]
fn unbounded_heaps_exceed_the_limit() {
    let game =
        game("game g heaps a b positions may repeat move put 1 on one heap move take from a");
    let solver = Solver::new(&game);
    let limits = Limits::of_memory(20 << 20);
    let answer = engine::answer(
        &solver,
        &[1, 1],
        Convention::Normal,
        Request::Outcome,
        &limits,
        None,
    );
    let failure = answer.expect_err("there is no end to the positions");
    assert!(matches!(failure, SolveError::Memory { .. }), "{failure}");
    let asked = Query {
        question: Question::Outcome,
        convention: Convention::Misere,
    };
    let table = engine::fill(&solver, &[3, 3], asked, &limits, None);
    let failure = table.expect_err("there is no end to the positions");
    assert!(matches!(failure, SolveError::Memory { .. }), "{failure}");
}

/// A heap of a million that a player takes from by hundreds of thousands leads
/// to few positions in a large box.
#[test]
fn followers_may_be_fewer_than_the_box() {
    let text = "game g heaps a b positions may repeat \
        move left take 100000 from a then put 100000 on b \
        move right take 100000 from b then put 100000 on a \
        move take 200000 from one heap";
    let game = game(text);
    let solver = Solver::new(&game);
    let position = [1_000_000, 300_000];
    let limits = Limits::of_memory(1 << 20);
    let answer = engine::answer(
        &solver,
        &position,
        Convention::Normal,
        Request::Outcome,
        &limits,
        None,
    );
    let truth = Truth::of(&solver, &[position.to_vec()], Convention::Normal);
    let answer = answer.expect("there are few positions");
    assert_eq!(answer.outcome, truth.outcome(&position));
}

#[test]
fn positions_without_values_are_refused_by_every_engine() {
    for text in [
        "game g heaps a move left take 1 from a move right take 2 from a",
        "game g heaps a b positions may repeat move take 1 from a then put 1 on b \
         move take 1 from b then put 1 on a",
    ] {
        let game = game(text);
        let solver = Solver::new(&game);
        let asked = Query {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let most = vec![3; game.heap_count()];
        let answer = engine::answer(
            &solver,
            &most,
            Convention::Normal,
            Request::Grundy,
            &LIMITS,
            None,
        );
        assert!(matches!(answer, Err(SolveError::NoValues { .. })), "{text}");
        let table = engine::fill(&solver, &most, asked, &LIMITS, None);
        assert!(matches!(table, Err(SolveError::NoValues { .. })), "{text}");
        for engine in engine::ENGINES {
            let question = Question::Outcome;
            let can = engine.supports(&solver, Query { question, ..asked });
            assert_eq!(
                can.is_ok(),
                engine.name() == "retrograde",
                "{}: {can:?}: {text}",
                engine.name()
            );
        }
    }
}

/// What was explored for one position answers for the others it leads to, and
/// for both conventions apart.
#[test]
fn caches_are_kept_apart() {
    let text = "game g heaps a b positions may repeat positions where a + b <= 4 \
        move left take 1 from a then put 1 on b move right take 1 from b then put 1 on a \
        move take 1 from one heap";
    let game = game(text);
    let solver = Solver::new(&game);
    for round in 0..3 {
        for convention in CONVENTIONS {
            for position in [[3, 1], [0, 0], [4, 0], [1, 1]] {
                let truth = Truth::of(&solver, &[position.to_vec()], convention);
                let answer = engine::answer(
                    &solver,
                    &position,
                    convention,
                    Request::Outcome,
                    &LIMITS,
                    None,
                );
                let answer = answer.expect("there are few positions");
                assert_eq!(
                    answer.outcome,
                    truth.outcome(&position),
                    "{position:?} {convention:?} {round}"
                );
            }
        }
    }
}

/// Where the bound of the positions does not matter, a larger bound gives the same outcome:
/// Epstein's game of putting or taking a square.
#[test]
fn outcomes_for_which_the_bound_does_not_matter_are_those_of_a_larger_one() {
    let bounded = |most: u64| {
        let text = format!(
            "game epstein heaps n positions where n <= {most} positions may repeat \
             move for some r in 1..60 where r*r <= n < (r+1)*(r+1) take r*r from n \
             move for some r in 1..60 where r*r <= n < (r+1)*(r+1) put r*r on n"
        );
        game(&text)
    };
    let (small, large) = (bounded(150), bounded(3000));
    let small = Session::new(&small, LIMITS.clone());
    let large = Session::new(&large, LIMITS.clone());
    let (mut settled, mut open, mut changed) = (0, 0, 0);
    for n in 1..=150 {
        let position = Position::from(vec![n]);
        let normal = Convention::Normal;
        let outcome = |session: &Session<'_>| {
            let answer = session.outcome(&position, normal);
            answer.expect("few positions are reached").outcome
        };
        let same = outcome(&small) == outcome(&large);
        let bound = small.bound(&position, normal).expect("no fault");
        match bound
            .expect("positions may repeat")
            .matters
            .expect("few positions")
        {
            false => {
                assert!(same, "{n}");
                settled += 1;
            }
            true => {
                open += 1;
                changed += u32::from(!same);
            }
        }
    }
    assert!(
        settled > 10 && open > 10 && changed > 0,
        "{settled} {open} {changed}"
    );
}
