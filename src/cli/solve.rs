//! `solve`: who wins, from one position or from every position of a box.
//!
//! This module solves a box and checks the claims about it. Submodules answer the
//! start and other single positions, and write the reports.

mod any_size;
mod explained;
mod position;
mod start;
mod summary;
mod times;

use super::checkpoint::{CheckpointFolder, Form, Sweep};
use super::load::{self, Answered};
use super::{Format, Shared, Status, checkpoint, json, progress, proof_cache, standing, text};
use clap::Args;
use explained::explained;
use nimrule_claim::{self as claim, Check, ClaimStatus};
use nimrule_engine::{
    self as engine, Limits, Query, Question, Region, SolveError, Solver, Statistics, Visitor,
};
use nimrule_model::game::{Applies, Claim, Convention, Game, Statement};
use position::solve_position;
pub use position::{MOVES_SHOWN, moves_counted};
use serde_json::json;
use start::Start;
use std::io::Write as _;
use std::time::{Duration, Instant};
use summary::Summary;
use times::Times;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// A position, such as '(3,4,5)', 3,4,5 or 'a=3 c=5'; without a position,
    /// the box up to --max is solved
    position: Vec<String>,
    /// The largest heap size of the box
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// Misere play: the player who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Compute the Grundy value of the position, even if it takes long
    #[arg(long)]
    grundy: bool,
    /// The remoteness of the position: the number of moves to the end if the winner
    /// hurries and the loser delays
    #[arg(long, conflicts_with_all = ["engine", "grundy"])]
    remoteness: bool,
    /// Use only this engine
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Never answer from a claim, even if no engine can answer
    #[arg(long)]
    no_claims: bool,
    /// Compare every claim with the whole box, and seek no proof for all sizes
    #[arg(long = "box")]
    whole_box: bool,
    /// Show the properties of the rule, and why the engine was chosen
    #[arg(long)]
    explain: bool,
    /// Of a box: say where the time went
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    cache: proof_cache::CacheArguments,
    #[command(flatten)]
    checkpoint: checkpoint::CheckpointArguments,
}

impl Arguments {
    /// The engine that must answer. Retrograde analysis alone computes remoteness.
    fn forced_engine(&self) -> Option<&str> {
        match self.remoteness {
            true => Some("retrograde"),
            false => self.engine.as_deref(),
        }
    }

    fn convention(&self) -> Convention {
        if self.misere {
            Convention::Misere
        } else {
            Convention::Normal
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let begun = Instant::now();
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let both = begun.elapsed();
    if arguments.stats {
        // Parsing and checking are one call, so that the text is parsed once more.
        nimrule_syntax::parse(&loaded.source.text);
    }
    let parse = begun.elapsed() - both;
    let times = Times::new(begun, parse, both.saturating_sub(parse));
    let solver = Solver::new(&compiled.game);
    let limits = shared.limits();
    let checkpoint = arguments.checkpoint.folder(&loaded);
    if arguments.position.is_empty() {
        if arguments.remoteness {
            return Err(load::wrong(
                "`--remoteness` is of a position; `list --remoteness` lists that of many",
            ));
        }
        solve_box(
            arguments,
            shared,
            &solver,
            &limits,
            checkpoint.as_ref(),
            times,
        )
    } else {
        if arguments.max.is_some() {
            return Err(load::wrong(
                "`--max` is the size of a box; remove it, or the position",
            ));
        }
        if checkpoint.is_some() {
            return Err(load::wrong(
                "`--checkpoint` is for a box; remove it, or the position",
            ));
        }
        let written = arguments.position.join(" ");
        let proofs = arguments.cache.open(&loaded, &compiled);
        if any_size::is_needed(&written) {
            return any_size::solve(arguments, shared, &compiled.game, &written, &proofs);
        }
        let position = load::position(&compiled.game, &written)?;
        solve_position(arguments, shared, &solver, &position, &limits, &proofs)
    }
}

/// A closed pipe is not an error: the reader has what it needs.
pub fn finish(written: std::io::Result<()>) -> Answered<Status> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the answer cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}

/// A claim with its status.
struct Judged<'g> {
    claim: &'g Claim,
    status: ClaimStatus,
    /// Whether the claim fails as the file states (`refuted at`).
    as_the_file_says: bool,
}

/// Solves the box up to `--max`, to the size that the file suggests or, without both, as
/// far as [`claim::BOX_TIME`] allows.
fn solve_box(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    limits: &Limits,
    checkpoint: Option<&CheckpointFolder<'_>>,
    times: Times,
) -> Answered<Status> {
    let game = solver.game;
    let start = Start::answered(arguments, shared, solver, limits)?;
    // The box may exceed a limit.
    match (shared.format, &start) {
        (Format::Text, Some(start)) => {
            let shown = format!("{}{}", summary::rule(game), start.text());
            finish(write!(progress::stdout(), "{shown}"))?;
        }
        (Format::Json, Some(start)) => progress::note_start(start.as_json().into()),
        _ => {}
    }
    let chosen = arguments.max.or(game.suggest_max);
    let mut asked = BoxRequest {
        arguments,
        shared,
        solver,
        checkpoint,
        start: start.as_ref(),
        most: chosen.unwrap_or_else(|| claim::fitting_size(solver, 300_000, 200_000_000)),
        time: (chosen.is_none() && checkpoint.is_none()).then_some(claim::BOX_TIME),
        times,
    };
    loop {
        if let Some(status) = asked.solved(limits)? {
            return Ok(status);
        }
        let smaller = asked
            .time
            .and_then(|time| claim::smaller(solver, asked.most, time));
        // The smallest box is not limited to a time.
        let (most, time) = smaller.map_or((0, None), |(most, time)| (most, Some(time)));
        (asked.most, asked.time) = (most, time);
    }
}

/// A box that is to be solved.
struct BoxRequest<'a, 'g> {
    arguments: &'a Arguments,
    shared: &'a Shared,
    solver: &'a Solver<'g>,
    checkpoint: Option<&'a CheckpointFolder<'a>>,
    start: Option<&'a Start<'g>>,
    /// The largest heap.
    most: u64,
    /// The time after which a smaller box is solved instead.
    time: Option<Duration>,
    times: Times,
}

impl BoxRequest<'_, '_> {
    /// Solves the box and prints the report; `None` if it takes longer than its time.
    fn solved(&self, limits: &Limits) -> Answered<Option<Status>> {
        let BoxRequest {
            arguments,
            shared,
            solver,
            checkpoint,
            start,
            most,
            time,
            ..
        } = *self;
        let mut times = self.times.clone();
        let game = solver.game;
        let in_time = match time {
            Some(time) => limits.cap_time(time),
            None => limits.clone(),
        };
        let convention = arguments.convention();
        let asked = Query {
            question: Question::Outcome,
            convention,
        };
        let forced = arguments.engine.as_deref();
        let failed = |failure| load::failed(&failure, solver, Some(most));
        let region = solver.region(most, limits).map_err(failed)?;
        if most == 0 && arguments.max.is_none() && !region.are_all() && start.is_none() {
            load::note(&format!(
                "a box of {} heaps is too large to solve, even with one token on each; give a \
             position",
                game.heap_count()
            ));
        }
        let proving = Instant::now();
        let claims = judging(solver, &region, self, limits)
            .map_err(|failure| load::failed(&failure, solver, None))?;
        times.proofs = proving.elapsed();
        let mut statistics = Statistics::new(
            game,
            shared.format == Format::Text || checkpoint.is_some(),
            &in_time,
        );
        let mut statuses: Vec<Option<ClaimStatus>> =
            claims.iter().map(|c| c.alone.clone()).collect();
        // One sweep for each question (outcomes, values); the first is that of the box.
        let mut questions = vec![asked];
        for claim in &claims {
            let asked = claim::asked(claim.claim);
            if claim.alone.is_none() && !questions.contains(&asked) {
                questions.push(asked);
            }
        }
        let mut swept = None;
        for question in questions {
            let mut checks: Vec<(usize, Check<'_>)> = claims
                .iter()
                .enumerate()
                .filter(|(_, c)| c.alone.is_none() && claim::asked(c.claim) == question)
                .map(|(number, c)| (number, Check::new(solver, c.statement, &in_time)))
                .collect();
            let mut visitors: Vec<&mut dyn Visitor> = Vec::new();
            let lists = swept.is_none();
            if lists {
                visitors.push(&mut statistics);
            }
            visitors.extend(checks.iter_mut().map(|(_, c)| c as &mut dyn Visitor));
            let mut sweep = Sweep {
                solver,
                region: &region,
                asked: question,
                limits: &in_time,
                forced,
                checkpoint,
                // The first sweep has one visitor more than the others.
                verb: match convention {
                    Convention::Normal => "solve",
                    Convention::Misere => "solve-misere",
                },
            };
            // Grundy values are only checkpointed by engines that can resume them.
            if question.question == Question::Grundy && !sweep.can_resume() {
                sweep.checkpoint = None;
            }
            let how = match sweep.run(&mut visitors)? {
                Err(SolveError::Time) if time.is_some() && limits.check_time().is_ok() => {
                    return Ok(None);
                }
                how => how.map_err(|failure| {
                    let unanswered = sweep.failed(&failure, Form::Rows);
                    so_far(game, &claims, &checks);
                    unanswered
                })?,
            };
            let (list, of_claims) = how.visits.split_at(usize::from(lists));
            times.sweep += how.took;
            times.list += list.iter().sum::<Duration>();
            times.claims += of_claims.iter().sum::<Duration>();
            swept.get_or_insert(how);
            for (number, check) in checks {
                statuses[number] = Some(check.status(&region));
            }
        }
        let judging = Instant::now();
        let mut judged = Vec::new();
        for (claim, status) in claims.iter().zip(statuses) {
            let status = status.expect("each claim's question was asked");
            let result = judge(solver, claim.claim, status, limits)
                .map_err(|failure| load::failed(&failure, solver, None))?;
            judged.push(result);
        }
        times.claims += judging.elapsed();
        let swept = swept.expect("there is a question");
        let fails = judged
            .iter()
            .any(|j| j.status.fails() && !j.as_the_file_says);
        let mut out = progress::stdout();
        let written = match shared.format {
            Format::Json => {
                let mut head = json::head(game);
                head.insert("convention".into(), json!(convention.word()));
                if let Some(start) = start {
                    head.insert("start".into(), start.as_json().into());
                }
                head.insert("max".into(), json!(most));
                head.insert("positions".into(), json!(statistics.positions));
                head.insert("p_positions".into(), json!(statistics.p_positions));
                if game.no_grundy_values().is_some() {
                    let tally = statistics.tally.iter();
                    let outcomes: serde_json::Map<_, _> = tally
                        .map(|(outcome, count)| (outcome.to_string(), json!(count)))
                        .collect();
                    head.insert("outcomes".into(), outcomes.into());
                }
                let claims: Vec<_> = judged
                    .iter()
                    .map(|j| json::claim(game, &j.claim.words, &j.status))
                    .collect();
                head.insert("claims".into(), json!(claims));
                if arguments.stats {
                    head.insert("seconds".into(), times.as_json());
                }
                writeln!(out, "{}", serde_json::Value::from(head))
            }
            Format::Csv => claims_csv(&mut out, game, &judged),
            Format::Text => {
                let summary = Summary {
                    solver,
                    convention,
                    region: &region,
                    statistics: &statistics,
                    swept,
                    judged: &judged,
                    // The start alone matters on a board of zeros and ones without claims.
                    lists_positions: start.is_none()
                        || !judged.is_empty()
                        || arguments.max.is_some()
                        || region.to() > 1,
                };
                let mut shown = match start {
                    None => summary::rule(game),
                    Some(_) => String::new(),
                };
                shown.push_str(&summary.text());
                if arguments.explain {
                    let choice = engine::choose(solver, asked, forced)
                        .map_err(|f| load::failed(&f, solver, None))?;
                    shown.push_str(&explained(solver, &choice.rejected));
                }
                if arguments.stats {
                    shown.push_str(&times.text());
                }
                write!(out, "{shown}")
            }
        };
        finish(written)?;
        Ok(Some(if fails { Status::Fails } else { Status::Fine }))
    }
}

/// Reports the status of the claims when a sweep is interrupted.
fn so_far(game: &Game, claims: &[Claimed<'_>], checks: &[(usize, Check<'_>)]) {
    for (number, check) in checks {
        let words = &claims[*number].claim.words;
        match check.so_far() {
            (0, _) => {}
            (positions, None) => load::note(&format!(
                "the claim `{words}` holds so far, at the first {} positions",
                text::grouped(positions.into())
            )),
            (_, Some(found)) => load::note(&format!(
                "the claim `{words}` fails at {}: {}",
                game.shown(&found.position),
                found.words()
            )),
        }
    }
}

/// A claim that applies to the current parameters.
struct Claimed<'g> {
    claim: &'g Claim,
    statement: &'g Statement,
    /// Its status, if no answers about the box are needed.
    alone: Option<ClaimStatus>,
}

fn judging<'g>(
    solver: &Solver<'g>,
    region: &Region,
    asked: &BoxRequest<'_, 'g>,
    limits: &Limits,
) -> Result<Vec<Claimed<'g>>, SolveError> {
    // A sweep goes on from a checkpoint only if it compares the same claims.
    let arguments = asked.arguments;
    let seeks_proofs =
        !arguments.whole_box && arguments.engine.is_none() && asked.checkpoint.is_none();
    let mut claims = Vec::new();
    for claim in &solver.game.claims {
        let (Some(statement), true) = (&claim.statement, claim.applies != Applies::Elsewhere)
        else {
            continue;
        };
        let alone = claim::check_alone(solver, claim, region.to(), arguments.max, limits)?;
        let alone = match alone {
            None if seeks_proofs => standing::without_box(solver, claim, region.to(), limits)?,
            alone => alone,
        };
        claims.push(Claimed {
            claim,
            statement,
            alone,
        });
    }
    Ok(claims)
}

fn judge<'g>(
    solver: &Solver<'_>,
    claim: &'g Claim,
    status: ClaimStatus,
    limits: &Limits,
) -> Result<Judged<'g>, SolveError> {
    // A claim whose smallest counterexample lies beyond the box still fails.
    let (status, as_the_file_says) = match (&status, &claim.refuted) {
        (_, None) => (status, false),
        (ClaimStatus::Refuted(found), Some(position)) if found.position == *position => {
            (status, true)
        }
        (ClaimStatus::Refuted(_), Some(position)) => {
            let there = claim::fails_at(solver, claim, position, limits)?;
            (status, there.is_some())
        }
        (_, Some(position)) => {
            let there = claim::fails_at(solver, claim, position, limits)?;
            match there {
                Some(counterexample) => (ClaimStatus::Refuted(counterexample), true),
                None => (status, false),
            }
        }
    };
    Ok(Judged {
        claim,
        status,
        as_the_file_says,
    })
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
            match &judged.status {
                ClaimStatus::Holds { to, .. } => {
                    rows.write_record([&judged.claim.words, "holds", &to.to_string(), ""])?
                }
                ClaimStatus::Proved { .. } => {
                    rows.write_record([&judged.claim.words, "proved", "", ""])?
                }
                ClaimStatus::Fails { .. } => {
                    rows.write_record([&judged.claim.words, "refuted", "", ""])?
                }
                ClaimStatus::Unknown { .. } => {
                    rows.write_record([&judged.claim.words, "unknown", "", ""])?
                }
                ClaimStatus::Refuted(found) => {
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
