//! One position: its outcome, its Grundy value, and the winning moves.

use super::any_size::{self, Proof};
use super::explained::explained;
use super::{Arguments, finish};
use crate::cli::load;
use crate::cli::proof_cache::ProofCache;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, partizan, progress};
use nimrule_claim::{self as claim, Answered, Claims, PositionQuery, Unanswered};
use nimrule_engine::{Limits, Outcome, Request, Solver, Work};
use nimrule_model::game::{Convention, Game, PositionKind};
use num_bigint::BigUint;
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::time::{Duration, Instant};

pub(super) fn solve_position(
    arguments: &Arguments,
    shared: &Shared,
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
    proofs: &ProofCache<'_>,
) -> load::Answered<Status> {
    let convention = arguments.convention();
    if arguments.grundy && convention == Convention::Misere {
        return Err(load::wrong(
            "`solve --misere` gives no Grundy value: misere values do not determine sums",
        ));
    }
    let request = if arguments.grundy {
        Request::Grundy
    } else {
        Request::GrundyIfCheap
    };
    let started = Instant::now();
    let query = PositionQuery {
        solver,
        position,
        convention,
        request,
        limits,
        claims: if arguments.no_claims {
            Claims::Never
        } else {
            Claims::WhereNeeded
        },
    };
    let by_proof = !arguments.grundy
        && !arguments.no_claims
        && arguments.forced_engine().is_none()
        && any_size::is_in_reach(solver.game);
    let mut sought = None;
    let answered = if by_proof {
        match with_proofs(&query, proofs, shared, &mut sought) {
            Ok(Way::Answered(answered)) => Ok(*answered),
            Ok(Way::Proof(proof)) => {
                let large: Vec<BigUint> = position.iter().map(|n| BigUint::from(*n)).collect();
                let details = proof
                    .details(&query)
                    .map_err(|failure| load::failed(&failure, solver, None))?;
                return proof.answer(arguments, shared, &large, &details, limits);
            }
            Err(unanswered) => Err(unanswered),
        }
    } else {
        let forced = arguments.forced_engine();
        let claims = query.claims;
        claim::answer::answer(
            solver, position, convention, request, limits, forced, claims,
        )
    };
    let took = started.elapsed();
    let answered = match answered {
        Ok(answered) => answered,
        Err(unanswered) if unanswered.is_unknown() && arguments.forced_engine().is_none() => {
            let proof = sought.map(|time| {
                let time = text::in_seconds(time);
                (
                    "a proof for all sizes".to_owned(),
                    format!("none was found within {time}"),
                )
            });
            unknown(
                shared,
                solver.game,
                position,
                convention,
                &unanswered,
                proof,
            )?;
            return Err(load::failed(&unanswered.failure, solver, None));
        }
        Err(unanswered) => {
            load::dismissed(&unanswered.dismissed);
            return Err(load::failed(&unanswered.failure, solver, None));
        }
    };
    let answer = &answered.answer;
    let game = solver.game;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(answered_fields(game, position, convention, &answered));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv if answer.by_side.is_some() => match &answer.by_side {
            Some(turns) => partizan::in_csv(&mut out, game, turns),
            None => Ok(()),
        },
        Format::Csv => {
            let boxed = !matches!(game.position_kind, PositionKind::Multiset(_));
            let cells = |position: &[u64]| match boxed {
                true => text::cells(game, position),
                false => vec![game.shown(position)],
            };
            let answer = AnswerRows {
                columns: match boxed {
                    true => game.heap_names.clone(),
                    false => vec!["position".to_owned()],
                },
                position: cells(position),
                outcome: answer.outcome.to_string(),
                grundy: answer.grundy.map(|value| value.to_string()),
                winning: answer.winning_moves.iter().map(|to| cells(to)).collect(),
            };
            answer.write(&mut out)
        }
        Format::Text => {
            let mut shown = position_text(game, position, convention, &answered, took);
            if arguments.explain {
                shown.push_str(&explained(solver, &answer.rejected));
            }
            write!(out, "{shown}")
        }
    };
    finish(written)?;
    Ok(match &answered.unfinished {
        Some(met) => load::unfinished(met),
        None => Status::Fine,
    })
}

/// An answer as CSV: a row for the position, and one for each winning move, of which each
/// leads to a P-position.
pub(super) struct AnswerRows {
    /// The columns of a position.
    pub columns: Vec<String>,
    pub position: Vec<String>,
    pub outcome: String,
    pub grundy: Option<String>,
    /// The positions after the winning moves.
    pub winning: Vec<Vec<String>>,
}

impl AnswerRows {
    pub fn write(self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let mut rows = csv::Writer::from_writer(out);
        let mut row = |cells: Vec<String>, last: [&str; 3]| {
            rows.write_record(cells.iter().map(String::as_str).chain(last))
        };
        let write = || {
            row(self.columns, ["what", "outcome", "grundy"])?;
            let value = self.grundy.unwrap_or_default();
            row(self.position, ["position", &self.outcome, &value])?;
            let mut moves = self.winning.into_iter();
            moves.try_for_each(|to| row(to, ["move", "P", "0"]))
        };
        write().map_err(load::writing)?;
        rows.flush()
    }
}

/// The source of an answer.
enum Way<'g> {
    Answered(Box<Answered>),
    Proof(Proof<'g>),
}

/// The time limit of the search for a proof for all sizes if no engine reaches
/// the position; at most half of the remaining time is used.
const PATIENCE: Duration = Duration::from_secs(15);

/// Answers a position for which proofs for all sizes may help. In this order: a
/// fast engine; a cached proof; an engine that reaches the position; a proved
/// pairing strategy, or a proof found within a few seconds; anything else. `sought`
/// is set to the time of a failed search for a proof.
fn with_proofs<'g>(
    query: &PositionQuery<'_, 'g>,
    proofs: &ProofCache<'_>,
    shared: &Shared,
    sought: &mut Option<Duration>,
) -> Result<Way<'g>, Unanswered> {
    let PositionQuery {
        solver,
        convention,
        limits,
        ..
    } = *query;
    let cached = || any_size::cached(solver.game, convention, proofs, limits);
    let is_cached = proofs.may_have(convention);
    let is_soon = !is_cached || query.is_soon_answered();
    if !is_soon && let Some(proof) = cached() {
        return Ok(Way::Proof(proof));
    }
    if let Some(settled) = query.by_feasible_engine() {
        return Ok(Way::Answered(Box::new(settled?)));
    }
    if is_cached
        && is_soon
        && let Some(proof) = cached()
    {
        return Ok(Way::Proof(proof));
    }
    if let Some(answered) = query.by_pairing()? {
        return Ok(Way::Answered(Box::new(answered)));
    }
    let soon = Instant::now() + PATIENCE;
    let half = limits.half_time();
    let end = half.deadline.map_or(soon, |end| end.min(soon));
    let briefly = Limits {
        deadline: Some(end),
        ..half
    };
    if briefly.check_time().is_ok() {
        let begun = Instant::now();
        if !shared.quiet {
            announce(end - begun);
        }
        briefly.begin(Work::Proving, None);
        if let Some(proof) = any_size::sought(solver.game, convention, proofs, &briefly)? {
            return Ok(Way::Proof(proof));
        }
        *sought = Some(begun.elapsed());
        limits.begin(Work::Other, None);
    }
    query
        .by_claims_or_any_engine()
        .map(|answered| Way::Answered(Box::new(answered)))
}

/// Notes that a proof is searched for, with the time limit.
fn announce(allowed: Duration) {
    let tenths = (allowed.as_secs_f64() * 10.0).round();
    let allowed = text::in_seconds(Duration::from_secs_f64(tenths / 10.0));
    load::note(&format!(
        "no engine reaches this position; searching for a proof for all sizes, for at most \
         {allowed}"
    ));
}

/// Returns whether these are all winning moves.
fn has_all_moves(answered: &Answered) -> bool {
    answered.unfinished.is_none() && !answered.more_may_win
}

/// Reports an unknown outcome, with everything that was tried.
fn unknown(
    shared: &Shared,
    game: &Game,
    position: &[u64],
    convention: Convention,
    unanswered: &Unanswered,
    proof: Option<(String, String)>,
) -> load::Answered<Status> {
    let tried = tried(unanswered, proof);
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(unknown_fields(game, position, convention, &tried));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => Ok(()),
        Format::Text => {
            let mut shown = format!(
                "{STRONG}{}{STRONG:#}\n",
                text::wrapped(&text::heading(game), 78, 0)
            );
            shown.push_str(&unknown_text(game, position, &tried));
            write!(out, "{shown}")
        }
    };
    finish(written)
}

/// The methods that failed, each with its reason.
pub(super) fn tried(
    unanswered: &Unanswered,
    proof: Option<(String, String)>,
) -> Vec<(String, String)> {
    let engines = unanswered.tried.iter().map(|(engine, why)| {
        let by = format!("the engine `{engine}`");
        (by, why.clone())
    });
    let claims = unanswered.dismissed.iter().map(|dismissed| {
        let by = format!("the claim `{}`", dismissed.claim);
        (by, dismissed.why.clone())
    });
    engines.chain(proof).chain(claims).collect()
}

/// The fields of an answer about a position.
pub(super) fn answered_fields(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answered: &Answered,
) -> Map<String, Value> {
    let answer = &answered.answer;
    let mut fields = Map::new();
    fields.insert("convention".into(), json!(convention.word()));
    fields.insert("position".into(), json::position(game, position));
    fields.insert("outcome".into(), json!(answer.outcome.to_string()));
    fields.insert("grundy".into(), json!(answer.grundy));
    if let Some(options) = &answer.loopy {
        fields.insert("loopy".into(), json!(options));
    }
    let moves: Vec<_> = answer
        .winning_moves
        .iter()
        .map(|option| json::position(game, option))
        .collect();
    match &answer.by_side {
        None => {
            json::winning_moves(&mut fields, json!(moves), has_all_moves(answered));
            let options = answer.winning_moves.iter();
            let words = options.map(|option| text::change(game, position, option));
            fields.insert("moves_in_words".into(), words.collect());
        }
        Some(turns) => {
            partizan::in_json(game, turns, &mut fields);
            fields.insert("remoteness".into(), partizan::remoteness(turns));
        }
    }
    fields.insert("method".into(), json!(answer.method));
    if let Some(basis) = &answered.basis {
        fields.extend(json::basis(basis));
    }
    fields
}

/// The fields of an answer about a position whose outcome is unknown.
pub(super) fn unknown_fields(
    game: &Game,
    position: &[u64],
    convention: Convention,
    tried: &[(String, String)],
) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("convention".into(), json!(convention.word()));
    fields.insert("position".into(), json::position(game, position));
    fields.insert("outcome".into(), json!("unknown"));
    fields.insert("grundy".into(), json!(null));
    fields.insert("winning_moves".into(), json!(null));
    fields.insert("method".into(), json!(null));
    let tried: Vec<_> = tried
        .iter()
        .map(|(by, why)| json!({"by": by, "why": why}))
        .collect();
    fields.insert("tried".into(), json!(tried));
    fields
}

/// The text about a position whose outcome is unknown.
pub(super) fn unknown_text(game: &Game, position: &[u64], tried: &[(String, String)]) -> String {
    let mut shown = format!(
        "\n  {}\n  {STRONG}unknown{STRONG:#}: the outcome was not determined\n",
        text::position(game, position)
    );
    shown.push_str("\n  tried\n");
    for (by, why) in tried {
        let words = text::wrapped(&format!("{by}: {why}"), 74, 6);
        shown.push_str(&format!("    {words}\n"));
    }
    shown
}

/// The number of winning moves shown in text; JSON and CSV have all of them.
pub const MOVES_SHOWN: usize = 20;

/// The number of winning moves, as text.
pub fn moves_counted(moves: usize, unfinished: bool) -> String {
    let least = if unfinished { "at least " } else { "" };
    let first = if moves > MOVES_SHOWN {
        format!(", the first {MOVES_SHOWN}")
    } else {
        String::new()
    };
    match moves {
        0 if unfinished => "no winning move found yet".to_owned(),
        0 => "no winning move".to_owned(),
        1 => format!("{least}one winning move"),
        many => format!(
            "{least}{} winning moves{first}",
            text::grouped(many as u128)
        ),
    }
}

fn position_text(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answered: &Answered,
    took: Duration,
) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n",
        text::wrapped(&text::heading(game), 78, 0)
    );
    shown.push_str(&answered_text(game, position, convention, answered, took));
    shown
}

/// The text about an answered position.
pub(super) fn answered_text(
    game: &Game,
    position: &[u64],
    convention: Convention,
    answered: &Answered,
    took: Duration,
) -> String {
    let answer = &answered.answer;
    let mut shown = String::new();
    let play = match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    };
    let who = partizan::headline(answer.outcome, answer.by_side.as_ref());
    shown.push_str(&format!(
        "\n  {}\n  {STRONG}{who}{STRONG:#}{play}\n",
        text::position(game, position)
    ));
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("  Grundy value {grundy}\n"));
    }
    if let Some(options) = &answer.loopy {
        let options: Vec<String> = options.iter().map(u64::to_string).collect();
        let options = options.join(",");
        shown.push_str(&format!("  Grundy value ∞{{{options}}}\n"));
    }
    let moves = &answer.winning_moves;
    if let Some(turns) = &answer.by_side {
        shown.push_str(&partizan::in_text(game, position, turns));
    } else if answer.outcome == Outcome::N {
        let all = has_all_moves(answered);
        let count = if moves.is_empty() && all {
            "no move is left, and the player to move wins".to_owned()
        } else {
            moves_counted(moves.len(), !all)
        };
        shown.push_str(&format!("\n  {count}\n"));
        for option in moves.iter().take(MOVES_SHOWN) {
            shown.push_str(&text::move_line(game, position, option));
        }
    }
    let took = text::in_seconds(took);
    match &answered.basis {
        None => shown.push_str(&format!(
            "\n  {FAINT}by the engine `{}`, in {took}{FAINT:#}\n",
            answer.method,
        )),
        Some(basis) => {
            let by = format!("by the claim `{}`, in {took}", basis.claim);
            let rests = format!(
                "No engine can reach this position, so the answer rests on the claim, {}.",
                text::extent(basis)
            );
            shown.push_str(&format!(
                "\n  {FAINT}{}{FAINT:#}\n  {}\n",
                text::wrapped(&by, 76, 2),
                text::wrapped(&rests, 76, 2)
            ));
        }
    }
    shown
}
