//! `solve`: who wins, from every position of a box or from one position.
//!
//! A box is solved here, with the claims that speak of it; one position, and
//! all words about either, have files of their own below.

mod explained;
mod position;
mod summary;

use super::keep::Keep;
use super::load::{self, Answered};
use super::{Format, Shared, Status, json, keep, progress};
use crate::claim::{self, Standing};
use crate::engine::{self, Asked, Limits, Question, Region, Solver, Table};
use crate::game::{Applies, Claim, Convention, Game, Statement};
use clap::Args;
use explained::explained;
use position::solve_position;
pub use position::{MOVES_SHOWN, moves_counted};
use serde_json::json;
use std::io::Write as _;
use std::time::Instant;
use summary::Summary;

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
    /// Never answer by a claim, not even where no engine can
    #[arg(long)]
    no_claims: bool,
    /// Say what is known of the rule, and why the engine was chosen
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    keep: keep::Folder,
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
    let keep = arguments.keep.keep(&loaded);
    if arguments.position.is_empty() {
        solve_box(arguments, shared, &solver, &limits, keep.as_ref())
    } else {
        if arguments.max.is_some() {
            return Err(load::wrong(
                "`--max` is the size of a box; leave it out, or the position",
            ));
        }
        if keep.is_some() {
            return Err(load::wrong(
                "`--checkpoint` is for a box; leave it out, or the position",
            ));
        }
        let position = load::position(&compiled.game, &arguments.position.join(" "))?;
        solve_position(arguments, shared, &solver, &position, &limits)
    }
}

/// A script that stops reading has what it wanted.
pub fn finish(written: std::io::Result<()>) -> Answered<Status> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the answer cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}

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
    keep: Option<&Keep<'_>>,
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
    let failed = |failure| load::failed(&failure, solver, Some(most));
    let region = solver.region(most, limits).map_err(failed)?;
    if most == 0 && arguments.max.is_none() && !region.are_all() {
        load::note(&format!(
            "a box of {} heaps is too large to be solved whole, even with one token on each; \
             give a position",
            game.heap_count()
        ));
    }
    let started = Instant::now();
    let table = keep::fill_region(solver, &region, asked, limits, forced, keep)?;
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
            &region,
            arguments,
            &mut tables,
            limits,
        )?);
    }
    let table = &tables[0].1;
    let (positions, p_positions) = table.counts();
    let fails = judged
        .iter()
        .any(|j| j.standing.fails() && !j.as_the_file_says);
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("max".into(), json!(most));
            head.insert("positions".into(), json!(positions));
            head.insert("p_positions".into(), json!(p_positions));
            if game.no_values().is_some() {
                let tally = table.tally(game).into_iter();
                let outcomes: serde_json::Map<_, _> = tally
                    .map(|(outcome, count)| (outcome.to_string(), json!(count)))
                    .collect();
                head.insert("outcomes".into(), outcomes.into());
            }
            let claims: Vec<_> = judged
                .iter()
                .map(|j| json::claim(game, &j.claim.words, &j.standing))
                .collect();
            head.insert("claims".into(), json!(claims));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => claims_csv(&mut out, game, &judged),
        Format::Text => {
            let summary = Summary {
                solver,
                convention,
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
    region: &Region,
    arguments: &Arguments,
    tables: &mut Vec<(Asked, Table)>,
    limits: &Limits,
) -> Answered<Judged<'g>> {
    let forced = arguments.engine.as_deref();
    let alone = claim::check_alone(solver, claim, region.to(), arguments.max, limits)
        .map_err(|failure| load::failed(&failure, solver, None))?;
    let standing = match alone {
        Some(standing) => standing,
        None => {
            let table = table_for(solver, claim, region, tables, limits, forced)?;
            claim::check(solver.game, statement, table, limits)
                .map_err(|failure| load::failed(&failure, solver, None))?
        }
    };
    // A claim whose smallest counterexample lies beyond the box still fails.
    let (standing, as_the_file_says) = match (&standing, &claim.refuted) {
        (_, None) => (standing, false),
        (Standing::Refuted(found), Some(position)) if found.position == *position => {
            (standing, true)
        }
        (Standing::Refuted(_), Some(position)) => {
            let there = claim::fails_at(solver, claim, position, limits)
                .map_err(|failure| load::failed(&failure, solver, None))?;
            (standing, there.is_some())
        }
        (_, Some(position)) => {
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

/// The table of answers that a claim is judged by.
fn table_for<'t>(
    solver: &Solver<'_>,
    claim: &Claim,
    region: &Region,
    tables: &'t mut Vec<(Asked, Table)>,
    limits: &Limits,
    forced: Option<&str>,
) -> Answered<&'t Table> {
    let asked = claim::asked(claim);
    let at = match tables.iter().position(|(known, _)| *known == asked) {
        Some(at) => at,
        None => {
            let table = engine::fill_region(solver, region, asked, limits, forced)
                .map_err(|failure| load::failed(&failure, solver, Some(region.to())))?;
            tables.push((asked, table));
            tables.len() - 1
        }
    };
    Ok(&tables[at].1)
}

fn claims_csv(
    out: &mut dyn std::io::Write,
    game: &Game,
    judged: &[Judged<'_>],
) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["claim", "standing", "to", "counterexample"])?;
        for judged in judged {
            match &judged.standing {
                Standing::Holds { to, .. } => {
                    rows.write_record([&judged.claim.words, "holds", &to.to_string(), ""])?
                }
                Standing::Proved { .. } => {
                    rows.write_record([&judged.claim.words, "proved", "", ""])?
                }
                Standing::Fails { .. } => {
                    rows.write_record([&judged.claim.words, "refuted", "", ""])?
                }
                Standing::Unknown { .. } => {
                    rows.write_record([&judged.claim.words, "unknown", "", ""])?
                }
                Standing::Refuted(found) => {
                    rows.write_record([
                        &judged.claim.words,
                        "refuted",
                        "",
                        &game.shown(&found.position),
                    ])?;
                }
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
