//! `solve`: who wins, from every position of a box or from one position.

use super::load::{self, Answered};
use super::text::{self, BAD, FAINT, GOOD, STRONG};
use super::{Format, Shared, Status, json};
use crate::claim::{self, Counterexample, Standing};
use crate::engine::{self, Answer, Asked, Limits, Outcome, Question, Solver, Table, Wish};
use crate::game::{Applies, Claim, Convention, Game, Statement};
use clap::Args;
use serde_json::json;
use std::io::Write as _;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// A position, as in '(3,4,5)', 3,4,5 or 'a=3 c=5'; without one the box
    /// up to --max is solved
    position: Vec<String>,
    /// Every heap at most so many tokens
    #[arg(long, value_name = "N")]
    max: Option<u64>,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Find the Grundy value of the position, whatever it costs
    #[arg(long)]
    grundy: bool,
    /// Use this engine and no other
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Say what is known of the rule, and why the engine was chosen
    #[arg(long)]
    explain: bool,
}

impl Arguments {
    fn convention(&self) -> Convention {
        if self.misere {
            Convention::Misere
        } else {
            Convention::Normal
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let solver = Solver::new(&compiled.game);
    let limits = shared.limits();
    if arguments.position.is_empty() {
        solve_box(arguments, shared, &solver, &limits)
    } else {
        if arguments.max.is_some() {
            return Err(load::wrong(
                "`--max` is the size of a box; leave it out, or the position",
            ));
        }
        let position = load::position(&compiled.game, &arguments.position.join(" "))?;
        solve_position(arguments, shared, &solver, &position, &limits)
    }
}

// ------------------------------------------------------------- one position

fn solve_position(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
) -> Answered<Status> {
    let convention = arguments.convention();
    if arguments.grundy && convention == Convention::Misere {
        return Err(load::wrong(
            "`solve --misere` gives no Grundy value: it would say nothing about sums",
        ));
    }
    let wish = if arguments.grundy {
        Wish::Grundy
    } else {
        Wish::GrundyIfCheap
    };
    let started = Instant::now();
    let answer = engine::answer(
        solver,
        position,
        convention,
        wish,
        limits,
        arguments.engine.as_deref(),
    )
    .map_err(|failure| load::failed(&failure, solver, None))?;
    let took = started.elapsed();
    let game = solver.game;
    let mut out = anstream::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("position".into(), json!(position));
            head.insert("outcome".into(), json!(answer.outcome.to_string()));
            head.insert("grundy".into(), json!(answer.grundy));
            head.insert("winning_moves".into(), json!(answer.winning_moves));
            head.insert("method".into(), json!(answer.method));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => {
            let mut rows = csv::Writer::from_writer(&mut out);
            rows.write_record(&game.heap_names)
                .and_then(|()| {
                    answer
                        .winning_moves
                        .iter()
                        .try_for_each(|option| rows.write_record(option.iter().map(u64::to_string)))
                })
                .and_then(|()| Ok(rows.flush()?))
                .map_err(load::writing)
        }
        Format::Text => {
            let mut shown = position_text(game, position, convention, &answer, took);
            if arguments.explain {
                shown.push_str(&explained(solver, &answer.passed_over));
            }
            write!(out, "{shown}")
        }
    };
    finish(written)
}

/// A script that stops reading has what it wanted.
fn finish(written: std::io::Result<()>) -> Answered<Status> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the answer cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}

/// So many winning moves are shown; a script sees them all.
const MOVES_SHOWN: usize = 20;

fn position_text(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answer: &Answer,
    took: Duration,
) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n",
        text::wrapped(&text::heading(game), 78, 0)
    );
    let play = match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    };
    let who = match answer.outcome {
        Outcome::P => "P-position: the player who has just moved wins",
        Outcome::N => "N-position: the player to move wins",
    };
    shown.push_str(&format!(
        "\n  {}\n  {STRONG}{who}{STRONG:#}{play}\n",
        claim::tuple(position)
    ));
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("  Grundy value {grundy}\n"));
    }
    let moves = &answer.winning_moves;
    if answer.outcome == Outcome::N {
        let count = match moves.len() {
            0 => "no move is left, and that wins".to_owned(),
            1 => "one winning move".to_owned(),
            many => format!("{} winning moves", text::grouped(many as u128)),
        };
        let first = if moves.len() > MOVES_SHOWN {
            format!(", the first {MOVES_SHOWN}")
        } else {
            String::new()
        };
        shown.push_str(&format!("\n  {count}{first}\n"));
        for option in moves.iter().take(MOVES_SHOWN) {
            let to = claim::tuple(option);
            let change = text::change(game, position, option);
            shown.push_str(&format!("    {to}  {FAINT}{change}{FAINT:#}\n"));
        }
    }
    shown.push_str(&format!(
        "\n  {FAINT}by the engine `{}`, in {}{FAINT:#}\n",
        answer.method,
        text::in_seconds(took)
    ));
    shown
}

// -------------------------------------------------------------------- a box

/// A claim with what became of it.
struct Judged<'g> {
    claim: &'g Claim,
    standing: Standing,
    /// The file itself says that it fails, and it does.
    as_the_file_says: bool,
}

fn solve_box(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    limits: &Limits,
) -> Answered<Status> {
    let game = solver.game;
    let most = match arguments.max.or(game.suggest_max) {
        Some(most) => most,
        None => claim::fitting_size(solver, 300_000, 200_000_000),
    };
    let convention = arguments.convention();
    let asked = Asked {
        question: Question::Outcome,
        convention,
    };
    let forced = arguments.engine.as_deref();
    let sizes = vec![most; game.heap_count()];
    let started = Instant::now();
    let table = engine::fill(solver, &sizes, asked, limits, forced)
        .map_err(|failure| load::failed(&failure, solver, Some(most)))?;
    let took = started.elapsed();
    let mut tables = vec![(asked, table)];
    let mut judged = Vec::new();
    for claim in game
        .claims
        .iter()
        .filter(|c| c.applies != Applies::Elsewhere)
    {
        let Some(statement) = &claim.statement else {
            continue;
        };
        judged.push(judge(
            solver,
            claim,
            statement,
            &sizes,
            &mut tables,
            limits,
            forced,
        )?);
    }
    let table = &tables[0].1;
    let (positions, p_positions) = table.counts();
    let fails = judged
        .iter()
        .any(|j| matches!(j.standing, Standing::Refuted(_)) && !j.as_the_file_says);
    let mut out = anstream::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("max".into(), json!(most));
            head.insert("positions".into(), json!(positions));
            head.insert("p_positions".into(), json!(p_positions));
            let claims: Vec<_> = judged
                .iter()
                .map(|j| json::claim(&j.claim.words, &j.standing))
                .collect();
            head.insert("claims".into(), json!(claims));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => claims_csv(&mut out, &judged),
        Format::Text => {
            let summary = Summary {
                solver,
                convention,
                most,
                table,
                positions,
                p_positions,
                took,
                judged: &judged,
            };
            let mut shown = summary.text();
            if arguments.explain {
                let choice = engine::choose(solver, asked, forced)
                    .map_err(|f| load::failed(&f, solver, None))?;
                shown.push_str(&explained(solver, &choice.passed_over));
            }
            write!(out, "{shown}")
        }
    };
    finish(written)?;
    Ok(if fails { Status::Fails } else { Status::Fine })
}

fn judge<'g>(
    solver: &Solver<'_>,
    claim: &'g Claim,
    statement: &Statement,
    sizes: &[u64],
    tables: &mut Vec<(Asked, Table)>,
    limits: &Limits,
    forced: Option<&str>,
) -> Answered<Judged<'g>> {
    let asked = claim::asked(claim);
    let at = match tables.iter().position(|(known, _)| *known == asked) {
        Some(at) => at,
        None => {
            let most = sizes.first().copied();
            let table = engine::fill(solver, sizes, asked, limits, forced)
                .map_err(|failure| load::failed(&failure, solver, most))?;
            tables.push((asked, table));
            tables.len() - 1
        }
    };
    let standing = claim::check(solver.game, statement, &tables[at].1, limits)
        .map_err(|failure| load::failed(&failure, solver, None))?;
    // A claim whose smallest counterexample lies beyond the box still fails.
    let (standing, as_the_file_says) = match (&standing, &claim.refuted) {
        (_, None) => (standing, false),
        (Standing::Refuted(_), Some(_)) => (standing, true),
        (Standing::Holds { .. }, Some(position)) => {
            let there = claim::fails_at(solver, claim, position, limits)
                .map_err(|failure| load::failed(&failure, solver, None))?;
            match there {
                Some(counterexample) => (Standing::Refuted(counterexample), true),
                None => (standing, false),
            }
        }
    };
    Ok(Judged {
        claim,
        standing,
        as_the_file_says,
    })
}

fn claims_csv(out: &mut dyn std::io::Write, judged: &[Judged<'_>]) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["claim", "standing", "to", "counterexample"])?;
        for judged in judged {
            match &judged.standing {
                Standing::Holds { to } => {
                    rows.write_record([&judged.claim.words, "holds", &to.to_string(), ""])?
                }
                Standing::Refuted(found) => {
                    rows.write_record([
                        &judged.claim.words,
                        "refuted",
                        "",
                        &claim::tuple(&found.position),
                    ])?;
                }
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}

/// So many P-positions are shown.
const ROWS_SHOWN: usize = 12;

struct Summary<'a> {
    solver: &'a Solver<'a>,
    convention: Convention,
    most: u64,
    table: &'a Table,
    positions: u64,
    p_positions: u64,
    took: Duration,
    judged: &'a [Judged<'a>],
}

impl Summary<'_> {
    fn text(&self) -> String {
        let game = self.solver.game;
        let mut shown = format!(
            "{STRONG}{}{STRONG:#}\n",
            text::wrapped(&text::heading(game), 78, 0)
        );
        for source in &game.sources {
            shown.push_str(&format!(
                "{FAINT}{}{FAINT:#}\n",
                text::wrapped(source, 78, 0)
            ));
        }
        for note in &game.notes {
            shown.push_str(&format!("{}\n", text::wrapped(note, 78, 0)));
        }
        shown.push('\n');
        let mut line = |name: &str, words: &str| {
            shown.push_str(&format!(
                "  {FAINT}{name:<8}{FAINT:#}{}\n",
                text::wrapped(words, 68, 10)
            ));
        };
        match &game.board {
            Some(board) => line(
                "board",
                &format!("{}: {}; {}", board.name(), board.summary(), game.heaps_line),
            ),
            None => line("heaps", &game.heaps_line),
        }
        for mover in &game.moves {
            line(
                "move",
                mover.words.strip_prefix("move ").unwrap_or(&mover.words),
            );
        }
        let share = if self.positions == 0 {
            0.0
        } else {
            100.0 * self.p_positions as f64 / self.positions as f64
        };
        let play = match self.convention {
            Convention::Normal => "",
            Convention::Misere => " under misere play",
        };
        line(
            "solved",
            &format!(
                "every heap at most {}{play}: {} positions, {} of them P ({})",
                self.most,
                text::grouped(self.positions.into()),
                text::grouped(self.p_positions.into()),
                percent(share)
            ),
        );
        line(
            "by",
            &format!(
                "the engine `{}`, in {}; {}",
                self.table.engine,
                text::in_seconds(self.took),
                self.solver.profile.symmetries
            ),
        );
        shown.push_str(&self.first_positions());
        shown.push_str(&self.claims());
        shown
    }

    /// The smallest P-positions, one of each orbit.
    fn first_positions(&self) -> String {
        let game = self.solver.game;
        let symmetries = &game.symmetries;
        let mut orbits = 0_u64;
        let mut rows: Vec<(u64, Vec<u64>)> = Vec::new();
        let nothing: Result<(), std::convert::Infallible> =
            self.table.shape.try_each(|position, place| {
                if self.table.outcome(place) == Some(Outcome::P)
                    && symmetries.is_canonical(position)
                {
                    orbits += 1;
                    let total = position.iter().sum();
                    let last = rows.last().map_or(u64::MAX, |(t, _)| *t);
                    if rows.len() < ROWS_SHOWN || total < last {
                        rows.push((total, position.to_vec()));
                        rows.sort();
                        rows.truncate(ROWS_SHOWN);
                    }
                }
                Ok(())
            });
        let Ok(()) = nothing;
        if orbits == 0 {
            return "\nNo P-positions.\n".to_owned();
        }
        let alone = symmetries.order() == Some(1);
        let like = if alone { "" } else { " up to symmetry" };
        let title = if orbits as usize > rows.len() {
            format!(
                "P-positions{like}, the smallest {} of {}",
                rows.len(),
                text::grouped(orbits.into())
            )
        } else {
            format!("P-positions{like}, all {}", text::grouped(orbits.into()))
        };
        let mut columns: Vec<String> = game.heap_names.clone();
        let wide = columns.iter().map(|c| c.len() + 2).sum::<usize>() > 66;
        if wide {
            // Too many heaps for a column each.
            columns = vec!["position".to_owned()];
        }
        if !alone {
            columns.push("orbit".to_owned());
        }
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|(_, position)| {
                let mut row: Vec<String> = if wide {
                    vec![claim::tuple(&position)]
                } else {
                    position.iter().map(u64::to_string).collect()
                };
                if !alone {
                    row.push(text::grouped(symmetries.orbit_size(&position)));
                }
                row
            })
            .collect();
        format!("\n{title}\n\n{}", text::table(&columns, &rows, 1))
    }

    fn claims(&self) -> String {
        let game = self.solver.game;
        let elsewhere = game
            .claims
            .iter()
            .filter(|c| c.applies == Applies::Elsewhere)
            .count();
        if game.claims.is_empty() {
            return String::new();
        }
        let mut shown = "\nClaims\n\n".to_owned();
        for judged in self.judged {
            let (style, sign, words) = match (&judged.standing, judged.as_the_file_says) {
                (Standing::Holds { to }, _) => (GOOD, "holds", format!("to {to}")),
                (Standing::Refuted(found), true) => (FAINT, "refuted", at(found)),
                (Standing::Refuted(found), false) => (BAD, "FAILS", at(found)),
            };
            let claim = text::wrapped(&judged.claim.words, 74, 4);
            shown.push_str(&format!("  {claim}\n    {style}{sign}{style:#} {words}"));
            if judged.as_the_file_says {
                shown.push_str(", as the file says");
            }
            shown.push('\n');
        }
        if elsewhere > 0 {
            let (claims, speak) = if elsewhere == 1 {
                ("claim", "speaks")
            } else {
                ("claims", "speak")
            };
            shown.push_str(&format!(
                "  {FAINT}{elsewhere} more {claims} of the file {speak} of other parameters{FAINT:#}\n"
            ));
        }
        shown
    }
}

fn at(found: &Counterexample) -> String {
    format!(
        "at {}: claimed {}, and it is {}",
        claim::tuple(&found.position),
        found.claimed,
        found.actual
    )
}

fn percent(share: f64) -> String {
    if share >= 10.0 || share == 0.0 {
        format!("{share:.0} %")
    } else {
        format!("{share:.2} %")
    }
}

// ------------------------------------------------------------------ --explain

/// The facts about the rule, and the engines passed over.
fn explained(solver: &Solver<'_>, passed_over: &[(&'static str, String)]) -> String {
    let profile = &solver.profile;
    let mut shown = "\nWhat is known of the rule\n\n".to_owned();
    let mut line = |name: &str, words: &str| {
        shown.push_str(&format!(
            "  {FAINT}{name:<20}{FAINT:#}{}\n",
            text::wrapped(words, 56, 22)
        ));
    };
    let fact = |fact: Result<String, String>| match fact {
        Ok(words) => words,
        Err(reason) => format!("no: {reason}"),
    };
    line(
        "graph",
        &format!("{} nodes, {} arcs", profile.size.0, profile.size.1),
    );
    line(
        "only takes",
        &fact(profile.only_takes.clone().map(|()| "yes".to_owned())),
    );
    line(
        "amounts only",
        &fact(
            profile
                .looks_at_amounts_only
                .clone()
                .map(|()| "yes: no move looks at the position".to_owned()),
        ),
    );
    line(
        "free amounts",
        &fact(
            profile
                .hyperedges
                .as_ref()
                .map_err(Clone::clone)
                .map(|edges| match edges {
                    crate::ir::Hyperedges::Fixed(sets) => {
                        format!("from one of {} sets of heaps", sets.len())
                    }
                    crate::ir::Hyperedges::Left { most, .. } => {
                        format!("from {most} consecutive heaps of those left")
                    }
                }),
        ),
    );
    line(
        "constant vectors",
        &fact(
            profile
                .constant_vectors
                .clone()
                .map(|count| format!("{count} of them")),
        ),
    );
    line(
        "one heap at a time",
        &fact(
            profile
                .one_heap
                .as_ref()
                .map_err(Clone::clone)
                .map(|_| "yes: values add as nim-sums".to_owned()),
        ),
    );
    line("symmetries", &profile.symmetries);
    for (level, weights) in profile.ending.levels.iter().enumerate() {
        let name = if level == 0 { "ends, since" } else { "or else" };
        let all_one = weights.iter().all(|w| *w == 1);
        let words = if all_one {
            "every move lowers the number of tokens".to_owned()
        } else {
            let terms: Vec<String> = weights
                .iter()
                .zip(&solver.game.heap_names)
                .filter(|(weight, _)| **weight > 0)
                .map(|(weight, name)| {
                    if *weight == 1 {
                        name.clone()
                    } else {
                        format!("{weight} {name}")
                    }
                })
                .collect();
            format!("every move lowers {}", terms.join(" + "))
        };
        line(name, &words);
    }
    for (engine, reason) in passed_over {
        line("passed over", &format!("{engine}: {reason}"));
    }
    shown
}
