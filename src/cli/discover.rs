//! `discover`: finding the P-positions for all sizes from the rule, with a proof.

pub mod report;
mod values;

use super::asked::{Asked, Under};
use super::certificate::{Subject, save};
use super::load::{self, Answered};
use super::numbers::{Numbers, NumbersArguments};
use super::text;
use super::{Format, Shared, Status, picture, progress};
use clap::Args;
use nimrule_answer::proof::{Proves, table};
use nimrule_answer::{Discovered, DiscoveryBounds};
use nimrule_draw::automaton;
use nimrule_engine::SolveError;
use nimrule_model::game::PositionKind;
use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;

/// An attempt of the search stops at this many states, unless another number is set.
pub const MOST_STATES: usize = 200_000;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    under: Under,
    /// Find the Grundy values, not only the P-positions
    #[arg(long, conflicts_with_all = ["draw", "numbers"])]
    grundy: bool,
    /// Stop an attempt at this many states
    #[arg(long, value_name = "N", default_value_t = MOST_STATES)]
    most_states: usize,
    /// Where nothing was found, show each attempt with its residuals
    #[arg(long)]
    explain: bool,
    /// Draw the automaton to this file, in the format of its extension: .svg, .png,
    /// .dot (Graphviz) or .tex (TikZ)
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// Write a certificate of the proof, for `verify`, to this folder
    #[arg(long, value_name = "FOLDER")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    numbers: NumbersArguments,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    let convention = arguments.under.convention;
    use picture::Kind;
    let kinds = [Kind::Svg, Kind::Png, Kind::Dot, Kind::Tex];
    let drawing = arguments.draw.as_deref();
    let drawing = drawing
        .map(|path| picture::kind(path, &kinds))
        .transpose()?;
    arguments.numbers.check(shared.format)?;
    let reads_automaton = drawing.is_some() || arguments.numbers.is_asked();
    let is_open = matches!(
        game.position_kind,
        PositionKind::Multiset(_) | PositionKind::Open(_)
    );
    if reads_automaton && is_open {
        return Err(load::wrong(
            "any number of heaps has no automaton: `--draw`, `--numbers` and `--walnut` do not \
             apply",
        ));
    }
    let session = rule.session();
    let allowed = match (shared.time_limit, session.search_limits().work_left()) {
        (None, Some(work)) => work.to_string(),
        (limit, _) => text::in_seconds(limit.unwrap_or_default()),
    };
    let is_bounded = arguments.most_states != MOST_STATES || shared.time_limit.is_some();
    let bounds = DiscoveryBounds {
        most_states: arguments.most_states,
        gives_up: !is_bounded,
    };
    if arguments.grundy {
        return values::run(
            &session,
            convention,
            arguments,
            bounds,
            &allowed,
            shared.format,
        );
    }
    let found = session
        .discover(convention, bounds)
        .map_err(|met| load::failed(&SolveError::from(met), session.solver(), None))?;
    if let (Some(kind), Some(path), Discovered::Proved(proved)) = (drawing, &arguments.draw, &found)
    {
        let table = table(game, &proved.set)
            .ok_or_else(|| load::wrong("the automaton is too large for a picture"))?;
        let (states, most) = (table.states(), automaton::MAX_STATES);
        if states > most {
            return Err(load::wrong(&format!(
                "a DFA with {states} states is too large for a picture; the limit is {most}"
            )));
        }
        let (title, names) = (game.heading(), &game.heap_names);
        let drawn = match kind {
            Kind::Dot => automaton::dot(&title, names, &table).into_bytes(),
            Kind::Tex => automaton::tikz(&title, names, &table).into_bytes(),
            Kind::Svg | Kind::Png | Kind::Html => {
                picture::bytes(&automaton::svg(&title, names, &table), kind)?
            }
        };
        picture::write(path, &drawn)?;
    }
    let mut certificate = None;
    if let (Some(folder), Discovered::Proved(proved)) = (&arguments.certificate, &found) {
        let known = proved.certificate.as_deref();
        let written = session.certificate_of(Proves::PPositions, convention, &proved.set, known);
        let text = written.map_err(|not| load::wrong(&not.to_string()))?;
        certificate = Some(save(folder, game, Subject::Discovered(convention), &text)?);
    }
    if let (Some(folder), Discovered::OfAnyNumber(theorem)) = (&arguments.certificate, &found) {
        let counting = theorem.proof.certificate.as_ref();
        let counting =
            counting.ok_or_else(|| load::wrong("the checker did not accept the proof"))?;
        let subject = Subject::Discovered(convention);
        certificate = Some(save(folder, game, subject, &counting.text())?);
    }
    let numbers = match &found {
        Discovered::Proved(proved) => {
            let of = Subject::Discovered(convention);
            arguments
                .numbers
                .of(&session, of, Proves::PPositions, &proved.set)?
        }
        _ => Numbers::default(),
    };
    let path = certificate.as_deref();
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Text | Format::Csv => write!(
            out,
            "{}{}",
            report::as_text(
                game,
                convention,
                &found,
                (&allowed, arguments.explain),
                path
            ),
            numbers.as_paragraph()
        ),
        Format::Json => {
            let mut fields = report::as_json(game, convention, &found, path);
            numbers.add_to(&mut fields);
            writeln!(out, "{}", Value::from(fields))
        }
        Format::Latex => write!(out, "{}", report::as_latex(game, convention, &found)),
    };
    load::finish(written)?;
    Ok(match &found {
        Discovered::Proved(_) => numbers.status(),
        Discovered::OfAnyNumber(_) | Discovered::Unsupported(_) => Status::Fine,
        Discovered::Unknown(_) | Discovered::NoTheorem(_) => Status::Limit,
    })
}
