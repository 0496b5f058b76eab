//! Every command says the same: of a position who wins, its value and what the answer rests
//! on; of a claim whether it is proved, holds or fails. Shipped games, six positions of
//! each, some beyond 64 bits; all games, where `.ci/soak` runs the tests.
//!
//! The library and `repl` answer each position, and each of the commands that need a process
//! for a position a fifth of them; all, where `.ci/soak` runs the tests.

use nimrule::{Game, Session};
use nimrule_answer::{Ask, Effort};
use nimrule_engine::Steps;
use nimrule_fixtures::Numbers;
use nimrule_fixtures::few_or_many;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The positions of each game.
fn positions_of_each() -> usize {
    few_or_many(6, 20)
}

/// Whether a position, by its number, has a heap that 64 bits do not hold: one of five has.
fn is_huge(number: usize) -> bool {
    number % 5 == 2
}

/// The seconds that an answer of a command may take.
const PATIENCE: usize = 3;

/// What a command says of a position. `None` is what it does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    /// The outcome, or the exit status without one.
    outcome: Result<String, i32>,
    value: Option<u64>,
    /// The claim that the answer rests on, and whether it is proved; empty for an engine.
    rests_on: Option<String>,
}

impl Said {
    /// Whether nothing that both commands say differs.
    fn agrees(&self, other: &Said) -> bool {
        let values = self.value.zip(other.value);
        let bases = self.rests_on.as_ref().zip(other.rests_on.as_ref());
        self.outcome == other.outcome
            && values.is_none_or(|(one, other)| one == other)
            && bases.is_none_or(|(one, other)| one == other)
    }
}

/// A game of the folder in which its commands run.
struct Subject<'a> {
    folder: &'a Path,
    name: &'a str,
}

impl Subject<'_> {
    fn file(&self) -> String {
        format!("{}.nimrule", self.name)
    }

    /// Runs a command, which may take a while for each line that is typed.
    fn run(&self, arguments: &[&str], lines: &str) -> Output {
        let patience = PATIENCE * lines.lines().count().max(1);
        let input = self.folder.join(format!("{}.in", self.name));
        fs::write(&input, lines).expect("the folder can be written");
        Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(arguments)
            .args(["--quiet", &format!("--time-limit={patience}")])
            .current_dir(self.folder)
            .stdin(Stdio::from(File::open(input).expect("it was written")))
            .output()
            .expect("the program starts")
    }

    /// The JSON objects that a command prints, one a line, or its exit status.
    fn json(&self, arguments: &[&str], lines: &str) -> Result<Vec<Value>, i32> {
        let arguments = [arguments, &["--format=json"]].concat();
        let output = self.run(&arguments, lines);
        let printed = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0 | 1) => Ok(printed
                .lines()
                .map(|line| serde_json::from_str(line).expect("each line is JSON"))
                .collect()),
            status => Err(status.unwrap_or(-1)),
        }
    }

    fn object(&self, arguments: &[&str]) -> Result<Value, i32> {
        let mut objects = self.json(arguments, "")?;
        Ok(objects.pop().expect("an object is printed"))
    }

    /// `solve`, `why` or `sum` of a position.
    fn outcome(&self, arguments: &[&str]) -> Said {
        match self.object(arguments) {
            Ok(answer) => said(&answer),
            Err(status) => unanswered(status),
        }
    }

    /// The judgement of `play`: a hint is a move that wins or draws.
    fn hint(&self, position: &str) -> Result<bool, i32> {
        let events = self.json(&["play", &self.file(), position], "hint\nquit\n")?;
        let hint = events.iter().find(|event| event["event"] == "hint");
        Ok(hint.is_some_and(|hint| !hint["to"].is_null()))
    }

    /// The move that `draw` marks; `None` where it says that no move wins.
    fn marked(&self, position: &str) -> Result<Option<Value>, i32> {
        let arguments = ["draw", &self.file(), position, "--move", "--format=json"];
        let output = self.run(&arguments, "");
        let printed = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0) => {
                let drawn: Value = serde_json::from_str(&printed).expect("JSON");
                Ok(Some(drawn["after"].clone()))
            }
            Some(2) if printed.contains("no move wins") => Ok(None),
            status => Err(status.unwrap_or(-1)),
        }
    }

    /// What is printed after each of some lines that are typed at the prompt.
    fn typed(&self, lines: &[&str]) -> Vec<String> {
        let output = self.run(&["repl", &self.file()], &lines.join("\n"));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut answers: Vec<String> = Vec::new();
        for line in printed.lines() {
            match line.strip_prefix("> ") {
                Some(_) => answers.push(String::new()),
                None => answers.iter_mut().last().into_iter().for_each(|answer| {
                    answer.push_str(line);
                    answer.push('\n');
                }),
            }
        }
        answers.resize(lines.len(), String::new());
        answers
    }
}

/// The claim or the set that an answer rests on, and whether it is proved.
fn rests_on(claim: Option<&str>, extent: &str) -> String {
    let known = match extent {
        "" => return String::new(),
        _ if extent.starts_with("proved") => "proved",
        _ => "not proved",
    };
    format!("{}: {known}", claim.unwrap_or("a set"))
}

fn said(answer: &Value) -> Said {
    let extent = answer["basis"].as_str().unwrap_or_default();
    Said {
        outcome: Ok(answer["outcome"].as_str().expect("an outcome").to_owned()),
        value: answer["grundy"].as_u64(),
        rests_on: Some(rests_on(answer["claim"].as_str(), extent)),
    }
}

fn unanswered(status: i32) -> Said {
    Said {
        outcome: Err(status),
        value: None,
        rests_on: None,
    }
}

/// The library's answer.
fn library(session: &Session<'_>, written: &str) -> Said {
    let Ok(position) = session.read(written) else {
        return unanswered(2);
    };
    let ask = Ask {
        work: Some(few_or_many(Steps::million(2), Steps::million(4))),
        ..Ask::default()
    };
    match session.position(&position, &ask) {
        Ok(answer) => Said {
            outcome: Ok(answer.outcome.to_string()),
            value: answer.grundy,
            rests_on: Some(rests_on(answer.basis.claim(), &answer.basis.extent())),
        },
        Err(why) => unanswered(if why.is_unknown() { 3 } else { 2 }),
    }
}

/// Positions of a game as they are written.
fn positions(game: &Game, name: &str) -> Vec<String> {
    let numbers = &mut Numbers::new(name.len() as u64);
    let heaps = game.heaps().len();
    let most = match heaps {
        0 | 1 => 30,
        2..=3 => 9,
        4..=6 => 3,
        7..=12 => 2,
        _ => 1,
    };
    let digraph = game.rule().digraph();
    let mut written = Vec::new();
    for _ in 0..20 * positions_of_each() {
        let huge = is_huge(written.len());
        let size = |numbers: &mut Numbers| match huge && numbers.below(2) == 0 {
            true => format!("10000000000000000000{}", numbers.below(9)),
            false => numbers.below(most + 1).to_string(),
        };
        let position = if let Some(digraph) = digraph {
            let vertex = |numbers: &mut Numbers| {
                let vertex = numbers.below(digraph.len() as u64) as usize;
                digraph.shown(vertex)
            };
            let vertices: Vec<String> = (0..heaps).map(|_| vertex(numbers)).collect();
            format!("({})", vertices.join(","))
        } else if heaps == 0 {
            let sizes: Vec<String> = (0..1 + numbers.below(3)).map(|_| size(numbers)).collect();
            format!("{{{}}}", sizes.join(","))
        } else {
            let sizes: Vec<String> = (0..heaps).map(|_| size(numbers)).collect();
            format!("({})", sizes.join(","))
        };
        if (huge || game.position(&position).is_ok()) && !written.contains(&position) {
            written.push(position);
        }
        if written.len() == positions_of_each() {
            break;
        }
    }
    written
}

/// A folder with the shipped games, in which their commands run and cache proofs.
fn games_folder(name: &str) -> PathBuf {
    let folder = nimrule_fixtures::empty_folder(env!("CARGO_TARGET_TMPDIR"), name);
    nimrule_fixtures::copy_games(&folder);
    folder
}

/// What is found wrong with all shipped games.
fn of_games(step: usize, mut check: impl FnMut(&str, &mut Vec<String>)) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in nimrule_fixtures::shipped_names().iter().step_by(step) {
        check(name, &mut wrong);
    }
    wrong
}

#[test]
fn every_command_says_the_same_of_a_position() {
    let folder = games_folder("agreement-positions");
    let (mut answered, mut huge) = (0, 0);
    let wrong = of_games(few_or_many(7, 1), |name, wrong| {
        let game = crate::game_files::shipped(name);
        let subject = Subject {
            folder: &folder,
            name,
        };
        let file = subject.file();
        let session = game.session();
        let mut asked: Vec<(usize, String, Said)> = Vec::new();
        for (number, position) in positions(&game, name).into_iter().enumerate() {
            let mut said = library(&session, &position);
            // The commands share the proofs that they store, and have more time to find them.
            if is_huge(number) && said.outcome.is_err() {
                said = subject.outcome(&["solve", &file, &position]);
            }
            // What no limit stops is the same error for all. A proof that one command does not
            // find in its time, another may.
            let is_error = || {
                let output = subject.run(&["solve", &file, &position], "");
                String::from_utf8_lossy(&output.stderr).contains("excludes this position")
            };
            if said.outcome.is_ok() || said.outcome == Err(2) && is_error() {
                asked.push((number, position, said));
            }
        }
        let lines: Vec<&str> = asked.iter().map(|(_, line, _)| line.as_str()).collect();
        let typed = subject.typed(&lines);
        // A reason and a game of two need to know which options are blocked.
        let is_blocked = game.rule().blocked_options > 0;
        for ((number, position, library), typed) in asked.iter().zip(&typed) {
            let counted = if is_huge(*number) {
                &mut huge
            } else {
                &mut answered
            };
            *counted += usize::from(library.outcome.is_ok());
            let mut differs = |what: &str, other: &dyn std::fmt::Debug| {
                wrong.push(format!(
                    "{name} {position}: {library:?}, but {what} {other:?}"
                ));
            };
            let typed_outcome = typed.lines().next();
            let typed_outcome = typed_outcome.and_then(|line| line.split_once("-position"));
            if typed_outcome.map(|(letter, _)| letter.trim()) != library.outcome.as_deref().ok() {
                differs("repl", typed);
            }
            let is_asked = |command: usize| few_or_many((number + command).is_multiple_of(5), true);
            let component = format!("{file}:{position}");
            for (command, arguments) in [
                &["solve", &file, position][..],
                &["sum", &component],
                &["why", &file, position],
            ]
            .into_iter()
            .enumerate()
            {
                if is_asked(command) && !(is_blocked && arguments[0] == "why") {
                    let said = subject.outcome(arguments);
                    if !said.agrees(library) {
                        differs(arguments[0], &said);
                    }
                }
            }
            if is_asked(3) && !is_blocked {
                let hint = subject.hint(position);
                let wins = match &library.outcome {
                    Ok(outcome) => match outcome.as_str() {
                        "N" | "L" => Ok(true),
                        "P" | "R" => Ok(false),
                        // Who draws depends on the side to move.
                        _ => hint,
                    },
                    Err(status) => Err(*status),
                };
                if hint != wins {
                    differs("play", &hint);
                }
            }
            if is_asked(4) && library.outcome.as_deref() == Ok("N") && !is_blocked {
                let marked = subject.marked(position);
                if !matches!(marked, Ok(Some(_))) {
                    differs("draw", &marked);
                }
            }
        }
    });

    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        answered > few_or_many(30, 400) && huge > few_or_many(1, 20),
        "{answered} positions, {huge} huge ones"
    );
}

/// What a command says of each claim: its standing in a word, and whether the search for a
/// proof ended with its time, so that another command may find one.
type Standings = BTreeMap<String, (String, bool)>;

/// The standings of the claims in a JSON list. One that a limit left open has none.
fn standings(claims: &Value) -> Standings {
    let claims = claims.as_array().into_iter().flatten();
    claims
        .filter_map(|claim| {
            let standing = claim["standing"].as_str()?.to_owned();
            let found = (standing, !claim["no_proof_in"].is_null());
            Some((claim["claim"].as_str()?.to_owned(), found))
        })
        .collect()
}

#[test]
fn every_command_says_the_same_of_a_claim() {
    let folder = games_folder("agreement-claims");
    let (mut asked, mut compared) = (0, 0);
    // The proofs of all games take minutes, five times over.
    let wrong = of_games(few_or_many(12, 1), |name, wrong| {
        let game = crate::game_files::shipped(name);
        let subject = Subject {
            folder: &folder,
            name,
        };
        let file = subject.file();
        let of = |arguments: &[&str], list: &str| match subject.object(arguments) {
            Ok(answer) => standings(&answer[list]),
            Err(_) => Standings::new(),
        };
        // The proofs that it stores are there for the others.
        let proved = of(&["prove", &file], "claims");
        let claims: Vec<&str> = proved.keys().map(String::as_str).collect();
        // The position at which a claim fails may be what refutes it.
        let stated = |claim: &&str| {
            let mut claims = game.rule().claims.iter();
            let found = claims.find(|known| known.words == **claim);
            match found.and_then(|known| known.refuted.as_ref()) {
                Some(at) => format!("{claim} refuted at {}", game.display(at)),
                None => (*claim).to_owned(),
            }
        };
        let lines: Vec<String> = claims.iter().map(stated).collect();
        let typed = subject.typed(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let typed = claims.iter().zip(&typed).filter_map(|(claim, answer)| {
            let standing = match answer.split_whitespace().next()? {
                "fails" => "refuted",
                "unknown:" => "unknown",
                "not" => "outside",
                word => word,
            };
            let found = (standing.to_owned(), answer.contains("; no proof in"));
            Some(((*claim).to_owned(), found))
        });
        let session = game.session();
        let effort = Effort::COMMAND.with_box(Some(session.box_size()));
        let by_library = session.claims().filter_map(|(number, _)| {
            let report = session.claim(number, &effort).ok()?;
            let found = (report.standing().to_owned(), report.no_proof_in.is_some());
            Some((report.claim, found))
        });
        let by_library = by_library.collect();
        let others = [
            ("solve", of(&["solve", &file], "claims")),
            ("test", of(&["test", &file], "results")),
            ("repl", typed.collect::<Standings>()),
            ("library", by_library),
        ];
        for claim in claims {
            // `prove` looks for proofs alone, so that it may leave open what a box decides.
            let best = match proved[claim].0.as_str() {
                decided @ ("proved" | "refuted") => Some(decided.to_owned()),
                _ => {
                    let mut found = others.iter().filter_map(|(_, found)| found.get(claim));
                    found.next().map(|(standing, _)| standing.clone())
                }
            };
            let Some(best) = best else {
                continue;
            };
            asked += others.len();
            for (verb, found) in &others {
                let Some((standing, is_open)) = found.get(claim) else {
                    continue;
                };
                compared += 1;
                let is_like = *standing == best || *is_open && standing == "holds";
                if !is_like {
                    wrong.push(format!(
                        "{name}: {claim}: {best}, but {verb} says {standing}"
                    ));
                }
            }
        }
    });

    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // A busy machine leaves some claims open.
    assert!(
        asked > few_or_many(40, 200) && 2 * compared > asked,
        "{compared} of {asked}"
    );
}
