//! Heaps of real size: quantifier elimination compared with sampling, and verdicts
//! compared with moves of integer heaps.

use nimrule_engine::Limits;
use nimrule_fixtures::{few_or_many, game};
use nimrule_ir as ir;
use nimrule_model::game::{Claim, Game, PositionKind};
use nimrule_prove::{Strategy, Verdict, prove};
use nimrule_real::{Rational, Violation, smt};
use std::path::PathBuf;
use std::process::Command;

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// A verdict on one line; the expressions to blame, where it is outside.
fn said(text: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::ProvedOfReals(proof) if proof.scales.is_empty() => "proved".to_owned(),
        Verdict::ProvedOfReals(proof) => {
            let measures = proof.scales.iter().map(|scale| scale.measure.as_str());
            format!("proved by {}", measures.collect::<Vec<_>>().join(", "))
        }
        Verdict::RefutedOfReals(found) => match &found.violation {
            Violation::MoveToP(option) => format!("P at {} to {option}", found.position),
            Violation::NoMoveToP => format!("N at {}", found.position),
            Violation::TerminalP => format!("idle at {}", found.position),
            Violation::NotFromP => format!("N from none at {}", found.position),
            Violation::FromP(from) => format!("P at {} from {from}", found.position),
        },
        Verdict::Unsupported(unsupported) => {
            let places = unsupported.places();
            let shown = places.map(|at| text[at.offset()..at.offset() + at.len()].to_owned());
            format!("outside: {}", shown.collect::<Vec<_>>().join(" and "))
        }
        other => format!("{other:?}"),
    }
}

/// Rules with claims, and what becomes of each.
const VERDICTS: &[(&str, &[(&str, &str)])] = &[
    (
        "heaps x y of real size\nmove take from one heap\n",
        &[
            ("consistent P iff x == y", "proved"),
            ("consistent N iff x != y", "proved"),
            ("consistent P iff 2*x == 3*y", "proved"),
            ("consistent P up to symmetry iff x == y", "proved"),
            ("consistent P iff like (a, a)", "proved"),
            ("consistent P iff min(heaps) == max(heaps)", "proved"),
            (
                "consistent P iff (x <= 1 and y == x) or (x > 1 and y == 2*x - 1)",
                "proved",
            ),
            ("consistent P iff y == x*x", "proved by x*x"),
            ("consistent P iff y == x*x*x", "proved by x*x*x"),
            ("consistent P iff 2*y == 5*x*x", "proved by x*x"),
            ("consistent P iff y == 3*x*x + x", "proved by 3*x*x + x"),
            ("consistent P iff x*x == y*y*y", "proved by x*x, y*y*y"),
            ("consistent P iff x*x == y*y", "proved"),
            (
                "consistent P iff (x <= 1 and y == x*x) or (x > 1 and y*y == x*x*x*x)",
                "proved by x*x",
            ),
            ("consistent P iff x <= y", "P at (0,1) to (0,0)"),
            ("consistent P iff y == x + 1", "N at (0,0)"),
            ("consistent P iff y == x*x + 1", "N at (0,0)"),
            ("consistent P iff x == x", "P at (0,1) to (0,0)"),
            ("consistent P iff x != x", "N at (0,0)"),
            ("consistent P iff x*y == 0", "P at (0,1) to (0,0)"),
            ("consistent P iff like (2*a, 3*a)", "P at (2,3) to (2,4/3)"),
            (
                "consistent P iff x == y or (0 < x and 2*x < 1 and y == 1)",
                "P at (1,1) to (1/3,1)",
            ),
            (
                "consistent P iff y*y == 2",
                "P at (x = 1, y*y = 2) to (x = 0, y*y = 2)",
            ),
            ("misere consistent P iff x == y", "idle at (0,0)"),
            ("consistent P iff x*y == 1", "outside: x*y"),
            ("consistent P iff y == x*x - x", "outside: x*x"),
            ("P iff x == y", "outside: P iff x == y"),
            ("consistent P iff x == y refuted at (3, 3)", "proved"),
            ("cogame P iff x == y", "proved"),
            ("cogame N iff x != y", "proved"),
            ("cogame P iff y == 3*x*x + x", "proved by 3*x*x + x"),
            // No labelling that is consistent, and yet that of a cogame.
            ("cogame P iff y == x + 1", "proved"),
            ("cogame P iff x == y and x <= 1", "N from none at (0,2)"),
            ("cogame P iff x <= y", "P at (0,1) to (0,0)"),
            (
                "cogame P iff x <= y refuted at (0, 0)",
                "P at (0,0) from (0,1)",
            ),
            ("cogame P iff x == y refuted at (3, 3)", "proved"),
            ("cogame P iff y + x*y == x", "outside: x*y"),
            (
                "cogame P iff y + x*y == x refuted at (0, 1)",
                "N from none at (0,1)",
            ),
            (
                "cogame P iff y + x*y == x refuted at (1, 0)",
                "outside: x*y",
            ),
            ("cogame P iff x*x == y*y*y + y", "proved by x*x, y*y*y + y"),
            (
                "consistent P iff x <= y refuted at (3, 3)",
                "P at (3,3) to (0,3)",
            ),
        ],
    ),
    (
        "heaps x y of real size\nmove take from one heap\nmove take equal from all heaps\n",
        &[
            ("consistent P iff x == y", "P at (1,1) to (0,0)"),
            (
                "consistent P iff 2*x == y or 2*y == x",
                "P at (1,2) to (1,1/2)",
            ),
            (
                "consistent P iff y == x*x",
                "outside: x*x and move take equal from all heaps",
            ),
        ],
    ),
    (
        "heaps x y z of real size\nmove take from up to 2 heaps\n",
        &[
            ("consistent P iff x == y == z", "proved"),
            ("consistent P iff min(heaps) == max(heaps)", "proved"),
            (
                "consistent P iff y == x*x and z == x*x*x",
                "proved by x*x*x*x*x*x, y*y*y, z*z",
            ),
            (
                "consistent P iff 2*max(heaps) == sum(heaps)",
                "P at (0,1,1) to (0,0,0)",
            ),
            ("consistent P iff min(x,y) == z", "P at (0,1,0) to (0,0,0)"),
            ("cogame P iff x == y == z", "proved"),
        ],
    ),
    (
        "heaps x y z of real size\nmove take from one heap then optionally take from one heap\n",
        &[
            ("consistent P iff x == y == z", "proved"),
            ("consistent P iff x == z", "P at (0,1,0) to (0,0,0)"),
        ],
    ),
    (
        "heaps x y of real size\nmove when x <= y take from y\nmove when x >= y take from x\n",
        &[
            ("consistent P iff x == y", "proved"),
            (
                "consistent P iff y == x*x",
                "outside: x*x and move when x >= y take from x",
            ),
        ],
    ),
    (
        "heaps x y of real size\npositions where y >= x*x\nmove take from one heap\n",
        &[
            ("consistent P iff y == x*x", "proved by x*x"),
            ("consistent P iff y == 2*x*x", "proved by x*x"),
            ("consistent P iff 2*y == x*x", "N at (1,1)"),
        ],
    ),
    (
        "heaps x y of real size\nmove take t from x then put t on y\nmove take from y\n",
        &[
            ("consistent P iff y == 0", "proved"),
            ("consistent P iff x == 0 and y == 0", "N at (1,0)"),
        ],
    ),
    (
        "heaps x of real size\nmove take t from x where t >= 1\n",
        &[
            ("P iff x < 1", "proved"),
            ("N iff x >= 1", "proved"),
            ("misere P iff 1 <= x < 2", "proved"),
            ("P iff x <= 1", "P at (1) to (0)"),
            ("P iff 2*x < 1", "N at (1/2)"),
        ],
    ),
    (
        "heaps x of real size\npositions where x < 6\nmove take t from x where 1 <= t <= 2\n",
        &[
            ("P iff x < 1 or 3 <= x < 4", "proved"),
            ("P iff x < 1 or 3 <= x <= 4", "P at (4) to (3)"),
            ("misere P iff 1 <= x < 2 or 4 <= x < 5", "proved"),
        ],
    ),
    (
        "heaps x of real size\nmove take t from x where 0 < t and 4*t < 1\n",
        &[
            ("consistent P iff x == 0", "N at (1)"),
            ("P iff x == 0", "outside: P iff x == 0"),
        ],
    ),
    (
        "heaps x y of real size\nmove take t from x where t*t <= y\nmove take from y\n",
        &[("consistent P iff x == y", "outside: t*t")],
    ),
];

fn all_verdicts() -> Vec<(String, Game, &'static str)> {
    let mut all = Vec::new();
    for (rule, claims) in VERDICTS {
        for (claim, expected) in *claims {
            let text = format!("game g\n{rule}claim {claim}\n");
            let game = game(&text);
            all.push((text, game, *expected));
        }
    }
    all
}

#[test]
fn claims_of_real_heaps() {
    let mut wrong = Vec::new();
    for (text, game, expected) in all_verdicts() {
        let verdict =
            prove(&game, &game.claims[0], &Strategy::all(&LIMITS)).expect("no limit is met");
        let found = said(&text, &verdict);
        if found != expected {
            wrong.push(format!("{text}  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Swenberg's two labellings are both consistent, and differ.
#[test]
fn swenbergs_example_has_two_labellings() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("games/swenberg_reals.nimrule");
    let text = std::fs::read_to_string(path).expect("the game is there");
    let game = game(&text);
    assert_eq!(game.position_kind, PositionKind::Reals);
    let verdicts = game.claims.iter().map(|claim| {
        let verdict = prove(&game, claim, &Strategy::all(&LIMITS)).expect("no limit is met");
        said(&text, &verdict)
    });
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        ["proved", "proved by x*x", "proved", "proved by x*x"]
    );
}

/// Where a witness has whole sizes, the same rule for whole heaps has the move
/// that it shows.
#[test]
fn witnesses_move_as_whole_heaps_do() {
    let whole_sizes = |sizes: &[Rational]| -> Option<Vec<u64>> {
        let sizes = sizes.iter().filter(|size| size.is_integer());
        sizes
            .map(|size| size.to_integer().try_into().ok())
            .collect()
    };
    let mut seen = 0;
    for (text, game, _) in all_verdicts() {
        let verdict =
            prove(&game, &game.claims[0], &Strategy::all(&LIMITS)).expect("no limit is met");
        let Verdict::RefutedOfReals(found) = verdict else {
            continue;
        };
        let Violation::MoveToP(option) = &found.violation else {
            continue;
        };
        if found.position.measured.is_some() {
            continue;
        }
        let (Some(before), Some(behind)) = (
            whole_sizes(&found.position.sizes),
            whole_sizes(&option.sizes),
        ) else {
            continue;
        };
        if before.len() < game.heap_count() || behind.len() < game.heap_count() {
            continue;
        }
        let rule = text.replace(" of real size", "");
        let end = rule.find("claim").expect("there is a claim");
        let graph = ir::lower(&nimrule_fixtures::game(&rule[..end]));
        let options = ir::moves(&graph, &before).expect("no fault");
        assert!(options.contains(&behind), "{text}{before:?} to {behind:?}");
        seen += 1;
    }
    assert!(seen > 8, "only {seen} witnesses were whole");
}

/// Rules whose moves between whole sizes are those of whole heaps: one step, so
/// that the sizes settle the amounts.
const ONE_STEP: &[&str] = &[
    "heaps x y z of real size\nmove take from one heap\n",
    "heaps x y z of real size\nmove take from up to 2 heaps\n",
    "heaps x y z of real size\nmove take equal from exactly 2 heaps\n",
    "heaps x y z of real size\nmove take from all heaps where each <= 1\n",
    "heaps x y z of real size\nmove take t from one heap where 2*t <= x + y\n",
    "heaps x y z of real size\nmove take t from up to 2 heaps where t + min(heaps) <= max(x, z)\n",
    "heaps x y of real size\nmove when x <= y take from y\nmove take from x where total != 1\n",
    "heaps x y of real size\npositions where x <= y or y == 0\nmove take from up to 2 heaps\n",
    "heaps x y of real size\nmove take t from one heap as p where 2*t <= p\n",
    "heaps x y of real size\nmove take from one heap where distinct(x, y, 1) or 2*x == y\n",
    "board circle(4)\nheaps on vertices of real size\nmove take from 2 consecutive heaps\n",
];

/// Rules whose steps may take fractions where whole heaps cannot.
const MORE_STEPS: &[&str] = &[
    "heaps x y of real size\nmove take from x then optionally take from y\n",
    "heaps x y of real size\nmove take t from x then put t on y\nmove take from y\n",
    "heaps x y z of real size\nmove take from one heap as p then take from one heap as q \
     where q is not p\n",
];

/// Does a move lead from one of two positions to the other? A claim that both
/// are P, and no others, tells.
fn are_joined(rule: &str, names: &[String], both: [&[u64]; 2]) -> bool {
    let position = |sizes: &[u64]| {
        let sizes = names.iter().zip(sizes);
        let equal: Vec<String> = sizes
            .map(|(name, size)| format!("{name} == {size}"))
            .collect();
        equal.join(" and ")
    };
    let (one, other) = (position(both[0]), position(both[1]));
    let game = game(&format!(
        "game g\n{rule}claim consistent P iff {one} or {other}\n"
    ));
    match prove(&game, &game.claims[0], &Strategy::all(&LIMITS)).expect("no limit is met") {
        Verdict::RefutedOfReals(found) => matches!(found.violation, Violation::MoveToP(_)),
        Verdict::ProvedOfReals(_) => false,
        other => panic!("{rule}{both:?}: {other:?}"),
    }
}

#[test]
fn moves_are_those_of_whole_heaps() {
    let one_step = ONE_STEP.iter().map(|rule| (*rule, true));
    let mut joined = 0;
    for (rule, exactly) in one_step.chain(MORE_STEPS.iter().map(|rule| (*rule, false))) {
        let game = game(&format!("game g\n{}", rule.replace(" of real size", "")));
        let names = &game.heap_names;
        let graph = ir::lower(&game);
        let mut walker = ir::Walker::new(&graph, &[]);
        let most = if names.len() > 3 { 1 } else { 2 };
        let shape = nimrule_engine::Shape::new(&vec![most; names.len()]).expect("a small box");
        let mut positions = Vec::new();
        let all: Result<(), ()> = shape.try_each(|position, _| {
            positions.push(position.to_vec());
            Ok(())
        });
        all.expect("they are gone through");
        positions.retain(|position| walker.is_position(position).unwrap_or(false));
        for (place, one) in positions.iter().enumerate() {
            for (apart, other) in positions[place + 1..].iter().enumerate() {
                let leads = |from: &[u64], to: &Vec<u64>| {
                    ir::moves(&graph, from).expect("no fault").contains(to)
                };
                let wanted = leads(one, other) || leads(other, one);
                // PERF: most pairs are joined by no move; some of these are asked.
                let one_of = match wanted {
                    true => few_or_many(4, 1),
                    false => few_or_many(150, 9),
                };
                if (place + apart) % one_of != 0 {
                    continue;
                }
                let found = are_joined(rule, names, [one, other]);
                joined += u32::from(found);
                assert!(
                    found == wanted || (found && !exactly),
                    "{rule}{one:?} and {other:?}: {found}"
                );
            }
        }
    }
    assert!(
        joined > few_or_many(120, 500),
        "only {joined} pairs are joined"
    );
}

fn sentences(game: &Game, claim: &Claim) -> Vec<smt::SmtScript> {
    smt::scripts(game, claim).expect("it can be said")
}

#[test]
fn sentences_for_solvers() {
    let game = game(
        "game g\nheaps p[1..2] of real size\npositions where p[1] <= 7\n\
         move take t from one heap where 2*t <= p[1] + p[2]*p[2]\n\
         move take equal from all heaps\n\
         claim misere P iff max(heaps) == 3\n",
    );
    let texts: Vec<String> = sentences(&game, &game.claims[0])
        .into_iter()
        .map(|sentence| format!("--- {}\n{}", sentence.name, sentence.text))
        .collect();
    insta::assert_snapshot!(texts.join(""));
}

/// Where z3 is installed it agrees with every verdict that it finds itself.
#[test]
fn a_solver_of_others_agrees() {
    if Command::new("z3").arg("-version").output().is_err() {
        eprintln!("skipped: z3 is not installed");
        return;
    }
    let folder = std::env::temp_dir().join(format!("nimrule-reals-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (text, game, expected) in all_verdicts() {
        if expected.starts_with("outside") {
            continue;
        }
        let answers = sentences(&game, &game.claims[0])
            .into_iter()
            .map(|sentence| {
                let path = folder.join("sentence.smt2");
                std::fs::write(&path, sentence.text).expect("it can be written");
                let said = Command::new("z3").arg("-T:20").arg(&path).output();
                let said = said.expect("it runs").stdout;
                let said = String::from_utf8(said).expect("it is text");
                (sentence.name, said.trim().to_owned())
            });
        let answers: Vec<(String, String)> = answers.collect();
        let holds = expected.starts_with("proved");
        for (name, said) in &answers {
            assert!(
                ["sat", "unsat", "unknown", "timeout"].contains(&said.as_str()),
                "{text}{name}: {said}"
            );
            assert!(!holds || said != "sat", "{text}{name}: {said}");
        }
        assert!(
            holds || answers.iter().any(|(_, said)| said != "unsat"),
            "{text}{answers:?}"
        );
    }
    std::fs::remove_dir_all(folder).expect("it can be removed");
}
