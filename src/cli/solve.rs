//! `solve`: who wins, from one position or from every position of a box.
//!
//! This module solves a box and checks the claims about it. Submodules answer the
//! start and other single positions, and write the reports.

mod explained;
mod line;
mod position;
mod start;
mod summary;
mod times;

use super::asked::{Asked, Under};
use super::checkpoint::{CheckpointFolder, Sweep};
use super::load::{self, Answered, Loaded};
use super::out_of_core::{AskedBox, OutOfCore, OutOfCoreArguments};
use super::{Format, Shared, Status, checkpoint, json, latex, progress, text};
use clap::Args;
use explained::explained;
use line::solve_line;
use nimrule_answer::{
    Ask, BoxLeftOut, BoxReport, BoxRequest, ClaimReport, Counterexample, Session, Sweeper, Verdict,
};
use nimrule_engine::{
    self as engine, Limits, Query, Question, Region, Request, SolveError, SweepSummary, Visitor,
};
use nimrule_model::game::{Claim, Convention, Game};
use nimrule_syntax::ast;
use position::solve_position;
pub use position::{MOVES_SHOWN, moves_counted};
use serde_json::json;
use start::Start;
use std::io::Write as _;
use std::time::Instant;
use summary::Summary;
use times::Times;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// A position, such as '(3,4,5)', 3,4,5 or 'a=3 c=5', or a line of play,
    /// '3,4,5 to 1,4,5 to 1,4,4'; without a position, the box up to --max is
    /// solved
    position: Vec<String>,
    /// The largest heap size of the box
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    #[command(flatten)]
    under: Under,
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
    checkpoint: checkpoint::CheckpointArguments,
    #[command(flatten)]
    pub(super) out_of_core: OutOfCoreArguments,
}

impl Arguments {
    /// Whether a box is asked for.
    #[cfg(feature = "mpi")]
    pub fn is_of_a_box(&self) -> bool {
        self.position.is_empty()
    }

    /// The engine that must answer. Retrograde analysis alone computes remoteness.
    fn forced_engine(&self) -> Option<&str> {
        match self.remoteness {
            true => Some("retrograde"),
            false => self.engine.as_deref(),
        }
    }

    /// What is asked of one position.
    fn ask(&self) -> Ask<'_> {
        Ask {
            convention: self.under.convention,
            request: match self.grundy && !self.under.is_misere() {
                true => Request::Grundy,
                false => Request::GrundyIfCheap,
            },
            engine: self.forced_engine(),
            engines_only: self.no_claims,
            work: None,
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let begun = Instant::now();
    #[cfg(feature = "mpi")]
    super::ranks::check(&arguments.asked.file, arguments.max, &arguments.checkpoint)?;
    let written = line::positions(&arguments.position.join(" "));
    if written.len() > 1 && written.iter().any(String::is_empty) {
        return Err(load::wrong(
            "a position is missing beside `to`: a line of play is POSITION to POSITION …",
        ));
    }
    let rule = arguments.asked.open_at(shared, &written[0])?;
    let both = begun.elapsed();
    let parse = rule.compiled.parse_time;
    let times = Times::new(begun, parse, both.saturating_sub(parse));
    let session = rule.session();
    let checkpoint = arguments.checkpoint.folder(&rule.loaded);
    if arguments.position.is_empty() {
        if arguments.remoteness {
            return Err(load::wrong(
                "`--remoteness` is of a position; `list --remoteness` lists that of many",
            ));
        }
        return solve_box(
            arguments,
            shared,
            (&rule.loaded, &session, &rule.compiled.file),
            checkpoint.as_ref(),
            times,
        );
    }
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
    if arguments.out_of_core.is_asked() {
        return Err(load::wrong(
            "`--out-of-core` is for a box; remove it, or the position",
        ));
    }
    let read = written
        .iter()
        .enumerate()
        .map(|(index, one)| match written.len() {
            1 => load::position(&session, one),
            many => {
                let place = format!("position {} of {many} on the command line", index + 1);
                load::position_in(&session, one, &place)
            }
        });
    match read.collect::<Answered<Vec<_>>>()?.as_slice() {
        [position] => solve_position(arguments, shared, &session, position),
        line => solve_line(arguments, shared, &session, line),
    }
}

/// Solves a box, and reports on it and on the claims.
fn solve_box(
    arguments: &Arguments,
    shared: &Shared,
    (loaded, session, file): (&Loaded, &Session<'_>, &ast::File),
    checkpoint: Option<&CheckpointFolder<'_>>,
    mut times: Times,
) -> Answered<Status> {
    let game = session.game();
    let start = Start::answered(arguments, session)?;
    // The box may exceed a limit.
    match (shared.format, &start) {
        (Format::Text, Some(start)) => {
            let shown = format!("{}{}", summary::rule(game), start.text(session));
            load::finish(write!(progress::stdout(), "{shown}"))?;
        }
        (Format::Json, Some(start)) => progress::note_start(start.as_json(game).into()),
        _ => {}
    }
    let convention = arguments.under.convention;
    let forced = arguments.engine.as_deref();
    let asked_box = AskedBox {
        session,
        most: arguments.max,
        query: Query {
            question: Question::Outcome,
            convention,
        },
        forced,
    };
    let checkpoints = checkpoint.map(CheckpointFolder::path);
    let out_of_core = arguments
        .out_of_core
        .choose(loaded, checkpoints, &asked_box);
    if out_of_core.is_some() {
        let most = arguments.max.unwrap_or_else(|| session.box_size());
        OutOfCore::check_claims(session, forced, most)?;
    }
    // What is saved serves every format, and the same claims.
    let is_saved = checkpoint.is_some() || out_of_core.is_some();
    let request = BoxRequest {
        convention,
        asked: arguments.max,
        engine: forced,
        whole_box: arguments.whole_box,
        lists: shared.format == Format::Text || is_saved,
        is_fixed: is_saved,
    };
    if start.as_ref().is_some_and(Start::is_answered)
        && let Some(left_out) = session
            .box_left_out(&request)
            .map_err(|failure| load::failed(&failure, session.solver(), None))?
    {
        return show_left_out(
            arguments,
            shared,
            (session, file),
            start.as_ref(),
            &left_out,
        );
    }
    let mut sweeps = Sweeps {
        session,
        forced,
        checkpoint,
        out_of_core: out_of_core.as_ref(),
        rule: loaded,
        is_asked: arguments.max.is_some(),
        convention,
        note_of_size: arguments.max.is_none() && start.is_none(),
    };
    let report = session.solve_box(&request, &mut sweeps)?;
    if let Some(out_of_core) = &out_of_core {
        out_of_core.finish();
    }
    times.add(&report.times);
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut answer = head_as_json(game, convention, start.as_ref());
            add_box(&mut answer, game, &report);
            if arguments.stats {
                answer.insert("seconds".into(), times.as_json());
            }
            writeln!(out, "{}", serde_json::Value::from(answer))
        }
        Format::Csv => claims_csv(&mut out, game, &report.claims),
        Format::Latex => {
            let counts = latex_counts(&report, game);
            let start = start.as_ref().map(|start| start.latex(game));
            let claims = latex::claims(game, file, &report.claims);
            let head = latex::comment(game, "a box and the claims");
            let start = start.unwrap_or_default();
            write!(out, "{head}{start}{counts}{claims}")
        }
        Format::Text => {
            let summary = Summary {
                solver: session.solver(),
                convention,
                report: &report,
                // The start alone matters on a board of zeros and ones without claims.
                lists_positions: start.is_none()
                    || !report.claims.is_empty()
                    || arguments.max.is_some()
                    || report.region.to(game) > 1,
            };
            let mut shown = match start {
                None => summary::rule(game),
                Some(_) => String::new(),
            };
            shown.push_str(&summary.text());
            if arguments.explain {
                shown.push_str(&choice_explained(arguments, session)?);
            }
            if arguments.stats {
                shown.push_str(&times.text());
            }
            write!(out, "{shown}")
        }
    };
    load::finish(written)?;
    Ok(status_of(&report.claims))
}

/// The numbers of positions and of P-positions in a sentence.
fn latex_counts(report: &BoxReport, game: &Game) -> String {
    let counts = &report.counts;
    let of = match report.region.are_all(game) {
        true => String::new(),
        false => format!(" of the box ({})", report.region.words(game)),
    };
    let positions = text::counted(counts.positions.into(), "position");
    let sides: Vec<String> = (counts.tally.iter())
        .map(|(outcome, count)| text::counted((*count).into(), &format!("{outcome}-position")))
        .collect();
    let classes = match game.no_grundy_values() {
        Some(_) if !sides.is_empty() => sides.join(", "),
        _ => text::counted(counts.p_positions.into(), "P-position"),
    };
    latex::paragraph(&format!("Among the {positions}{of} there are {classes}."))
}

fn status_of(claims: &[ClaimReport]) -> Status {
    match claims.iter().any(|claim| claim.passes() == Some(false)) {
        true => Status::Fails,
        false => Status::Fine,
    }
}

/// The properties of the rule, and why the engine for boxes was chosen.
fn choice_explained(arguments: &Arguments, session: &Session<'_>) -> Answered<String> {
    let asked = Query {
        question: Question::Outcome,
        convention: arguments.under.convention,
    };
    let choice = engine::choose(session.solver(), asked, arguments.engine.as_deref())
        .map_err(|failure| load::failed(&failure, session.solver(), None))?;
    Ok(explained(session.solver(), &choice.rejected))
}

/// Reports on a box that is left out after the start was answered, and on the claims.
fn show_left_out(
    arguments: &Arguments,
    shared: &Shared,
    (session, file): (&Session<'_>, &ast::File),
    start: Option<&Start>,
    left_out: &BoxLeftOut,
) -> Answered<Status> {
    let game = session.game();
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut answer = head_as_json(game, arguments.under.convention, start);
            let positions = u64::try_from(left_out.positions).ok();
            let box_left_out = json!({
                "positions": positions,
                "exceeds_memory": left_out.exceeds_memory,
            });
            // The fields of a box that is solved stay.
            for field in ["max", "positions", "p_positions"] {
                answer.insert(field.into(), serde_json::Value::Null);
            }
            answer.insert("left_out".into(), box_left_out);
            let claims = left_out.claims.iter().map(|claim| claim.as_json(game));
            answer.insert("claims".into(), claims.collect());
            writeln!(out, "{}", serde_json::Value::from(answer))
        }
        Format::Csv => claims_csv(&mut out, game, &left_out.claims),
        Format::Latex => {
            let start = start.map(|start| start.latex(game)).unwrap_or_default();
            let head = latex::comment(game, "the start and the claims; the box is left out");
            let claims = latex::claims(game, file, &left_out.claims);
            write!(out, "{head}{start}{claims}")
        }
        Format::Text => {
            let mut shown = summary::left_out(left_out, session.box_size());
            shown.push_str(&summary::claims(game, &left_out.claims));
            if arguments.explain {
                shown.push_str(&choice_explained(arguments, session)?);
            }
            write!(out, "{shown}")
        }
    };
    load::finish(written)?;
    Ok(status_of(&left_out.claims))
}

/// The sweeps of a box, with checkpoints if they are requested.
struct Sweeps<'a, 'g> {
    session: &'a Session<'g>,
    forced: Option<&'a str>,
    checkpoint: Option<&'a CheckpointFolder<'a>>,
    out_of_core: Option<&'a OutOfCore<'a>>,
    rule: &'a Loaded,
    /// Whether the user asked for the box.
    is_asked: bool,
    convention: Convention,
    /// Whether to note that a box is too large to solve.
    note_of_size: bool,
}

impl<'g> Sweeper<'g> for Sweeps<'_, 'g> {
    type Error = load::Unanswered;

    fn sweep(
        &mut self,
        session: &Session<'g>,
        (region, compared): (&Region, &[&'g Claim]),
        query: Query,
        limits: &Limits,
        visitors: &mut [&mut dyn Visitor],
    ) -> Answered<Result<SweepSummary, SolveError>> {
        if self.note_of_size
            && region.to(self.session.game()) == 0
            && !region.are_all(self.session.game())
        {
            load::note(&format!(
                "a box of {} heaps is too large to solve, even with one token on each; give a \
                 position",
                session.game().heap_count()
            ));
            self.note_of_size = false;
        }
        let mut sweep = Sweep {
            session,
            region,
            asked: query,
            limits,
            forced: self.forced,
            checkpoint: self.checkpoint,
            out_of_core: self.out_of_core,
            // The first sweep has one visitor more than the others.
            verb: match self.convention {
                Convention::Normal => "solve",
                Convention::Misere => "solve-misere",
            },
            compared,
        };
        let of_values = match self.is_asked && sweep.out_of_core.is_none() {
            true => OutOfCore::of_values(self.rule, &sweep),
            false => None,
        };
        if let Some(of_values) = &of_values {
            sweep.out_of_core = Some(of_values);
            let swept = sweep.run(visitors)?;
            if swept.is_ok() {
                of_values.finish();
            }
            return Ok(swept);
        }
        // Grundy values are only checkpointed by engines that can resume them.
        if query.question == Question::Grundy && !sweep.can_resume() {
            sweep.checkpoint = None;
        }
        sweep.run(visitors)
    }

    /// Reports the claims when a sweep is interrupted.
    fn so_far(&mut self, claims: &[(&'g Claim, u64, Option<&Counterexample>)]) {
        let game = self.session.game();
        for (claim, positions, found) in claims {
            let words = &claim.words;
            match (*positions, found) {
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

    fn failed(&mut self, failure: SolveError, sweep: Option<(u64, Query)>) -> load::Unanswered {
        let solver = self.session.solver();
        let wanted = sweep.map(|(most, asked)| load::Wanted {
            most,
            asked,
            forced: self.forced,
            in_rows: true,
        });
        load::failed_at(&failure, solver, wanted)
    }
}

/// The fields of the game and of its start.
fn head_as_json(
    game: &Game,
    convention: Convention,
    start: Option<&Start>,
) -> serde_json::Map<String, serde_json::Value> {
    let mut head = json::head(game);
    head.insert("convention".into(), json!(convention.word()));
    if let Some(start) = start {
        head.insert("start".into(), start.as_json(game).into());
    }
    head
}

fn add_box(head: &mut serde_json::Map<String, serde_json::Value>, game: &Game, report: &BoxReport) {
    let counts = &report.counts;
    head.insert("max".into(), json!(report.most));
    json::states(head, game, &report.region);
    head.insert("positions".into(), json!(counts.positions));
    head.insert("p_positions".into(), json!(counts.p_positions));
    if game.no_grundy_values().is_some() {
        let tally = counts.tally.iter();
        let outcomes: serde_json::Map<_, _> = tally
            .map(|(outcome, count)| (outcome.to_string(), json!(count)))
            .collect();
        head.insert("outcomes".into(), outcomes.into());
    }
    let claims: Vec<_> = report
        .claims
        .iter()
        .map(|claim| claim.as_json(game))
        .collect();
    head.insert("claims".into(), json!(claims));
}

fn claims_csv(
    out: &mut dyn std::io::Write,
    game: &Game,
    claims: &[ClaimReport],
) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["claim", "standing", "to", "counterexample"])?;
        for report in claims {
            let (to, at) = match &report.verdict {
                Verdict::Holds { to, .. } => (to.to_string(), String::new()),
                Verdict::Refuted(found) => (String::new(), game.shown(&found.position)),
                _ => (String::new(), String::new()),
            };
            rows.write_record([&report.claim, report.standing(), &to, &at])?;
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
