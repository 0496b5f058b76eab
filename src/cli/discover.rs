//! `discover`: finding the P-positions for all sizes from the rule, with a proof.

pub mod report;
mod values;

use super::certificate::{Subject, save};
use super::load::{self, Answered};
use super::proof_cache::CacheArguments;
use super::text;
use super::{Format, Shared, Status, picture, progress, prove};
use clap::Args;
use nimrule_checker::Certificate;
use nimrule_draw::automaton;
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::ProveError;
use nimrule_prove::certificate::{Proves, write};
use nimrule_prove::decide::statements;
use nimrule_prove::forms::closed_form;
use nimrule_prove::proof_cache::{CachedProof, FormSearch, ProofOrigin};
use nimrule_prove::residual_learning::{self, Attempt};
use nimrule_prove::table;
use nimrule_prove::{Dfa, Numeration};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// An attempt of the search stops at this many states, unless another number is set.
pub const MOST_STATES: usize = 200_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// Misere play: the player who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Find the Grundy values, not only the P-positions
    #[arg(long, conflicts_with = "draw")]
    grundy: bool,
    /// Stop an attempt at this many states
    #[arg(long, value_name = "N", default_value_t = MOST_STATES)]
    most_states: usize,
    /// Draw the automaton to this file, in the format of its extension: .svg, .png,
    /// .dot (Graphviz) or .tex (TikZ)
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// Write a certificate of the proof, for `verify`, to this folder
    #[arg(long, value_name = "FOLDER")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArguments,
}

/// The result of a search.
pub enum Found {
    Proved(Box<Proved>),
    /// No set was proved; these are the attempts.
    Unknown(Vec<Attempt>),
    /// The rule is unsupported, for this reason.
    Outside(String),
}

/// A proved set.
pub struct Proved {
    pub set: Dfa,
    by: ProofOrigin,
    /// The path in the proof cache, if the set was read from there.
    cached: Option<PathBuf>,
    certificate: Option<Box<Certificate>>,
    /// The conditions that were checked.
    checked: Vec<String>,
    /// The time that the search took.
    took: Duration,
    form: FormSearch,
    /// The numeration systems that were dropped before.
    dropped: Vec<Numeration>,
}

impl Proved {
    fn to_cached(&self) -> CachedProof {
        CachedProof {
            by: self.by.clone(),
            form: self.form.clone(),
            set: self.set.clone(),
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let convention = if arguments.misere {
        Convention::Misere
    } else {
        Convention::Normal
    };
    use picture::Kind;
    let kinds = [Kind::Svg, Kind::Png, Kind::Dot, Kind::Tex];
    let drawing = arguments.draw.as_deref();
    let drawing = drawing
        .map(|path| picture::kind(path, &kinds))
        .transpose()?;
    let (limits, allowed) = prove::patient(&shared.limits(), shared.time_limit);
    if arguments.grundy {
        return values::run(
            game,
            convention,
            arguments,
            (&limits, allowed),
            shared.format,
        );
    }
    let failed = |met| load::failed(&SolveError::from(met), &Solver::new(game), None);
    let proofs = arguments.cache.open(&loaded, &compiled);
    let cached = match proofs.find(convention, &limits) {
        None => None,
        Some(cached) => {
            let CachedProof { by, form, set } = cached.cached;
            let checked = statements(convention).iter();
            Some(Proved {
                set,
                by,
                cached: Some(cached.path),
                certificate: None,
                checked: checked.map(|what| (*what).to_owned()).collect(),
                took: Duration::ZERO,
                form,
                dropped: Vec::new(),
            })
        }
    };
    let mut found = match cached {
        Some(proved) => Found::Proved(Box::new(proved)),
        None => {
            let is_bounded = arguments.most_states != MOST_STATES || shared.time_limit.is_some();
            let most = arguments.most_states;
            find(game, convention, most, !is_bounded, &limits).map_err(failed)?
        }
    };
    if let Found::Proved(proved) = &mut found {
        proofs.store(convention, &proved.to_cached(), &limits);
        // Search for a closed form if no earlier run has.
        if proved.form == FormSearch::NotSought {
            proved.form = form(game, convention, &proved.set, &limits);
            proofs.store(convention, &proved.to_cached(), &limits);
        }
    }
    if let (Some(kind), Some(path), Found::Proved(proved)) = (drawing, &arguments.draw, &found) {
        let table = table(game, &proved.set)
            .ok_or_else(|| load::wrong("the automaton is too large for a picture"))?;
        let (states, most) = (table.states(), automaton::MAX_STATES);
        if states > most {
            return Err(load::wrong(&format!(
                "a DFA with {states} states is too large for a picture; the limit is {most}"
            )));
        }
        let (title, names) = (text::heading(game), &game.heap_names);
        let drawn = match kind {
            Kind::Dot => automaton::dot(&title, names, &table).into_bytes(),
            Kind::Tex => automaton::tikz(&title, names, &table).into_bytes(),
            Kind::Svg | Kind::Png => picture::bytes(&automaton::svg(&title, names, &table), kind)?,
        };
        picture::write(path, &drawn)?;
    }
    let mut certificate = None;
    if let (Some(folder), Found::Proved(proved)) = (&arguments.certificate, &found) {
        let written = match &proved.certificate {
            Some(certificate) => Ok(certificate.text()),
            None => {
                let proves = Proves::PPositions;
                write(game, proves, None, convention, &proved.set, &limits)
            }
        };
        let text = written.map_err(|not| load::wrong(&not.to_string()))?;
        certificate = Some(save(folder, game, Subject::Discovered(convention), &text)?);
    }
    let path = certificate.as_deref();
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Text => write!(
            out,
            "{}",
            report::as_text(game, convention, &found, allowed, path)
        ),
        Format::Json => writeln!(out, "{}", report::as_json(game, convention, &found, path)),
        Format::Csv => {
            return Err(load::wrong("`discover` supports the formats text and json"));
        }
    };
    super::solve::finish(written)?;
    Ok(match &found {
        Found::Proved(_) | Found::Outside(_) => Status::Fine,
        Found::Unknown(_) => Status::Limit,
    })
}

/// Learns the set of P-positions and proves it. If it gives up, it ends where the residuals
/// keep growing.
pub fn find(
    game: &Game,
    convention: Convention,
    most_states: usize,
    gives_up: bool,
    limits: &Limits,
) -> Result<Found, LimitExceeded> {
    let bounds = residual_learning::SearchBounds {
        most_states,
        gives_up,
        ..residual_learning::SearchBounds::default()
    };
    let begun = Instant::now();
    let discovered = match residual_learning::discover(game, convention, &bounds, limits) {
        Ok(discovered) => discovered,
        Err(ProveError::Unsupported(unsupported)) => return Ok(Found::Outside(unsupported.what)),
        Err(ProveError::LimitExceeded(met)) => return Err(met),
    };
    Ok(match discovered.found {
        Some(found) => Found::Proved(Box::new(Proved {
            took: begun.elapsed(),
            form: FormSearch::NotSought,
            set: found.set.as_ref().clone(),
            by: ProofOrigin::Rule(found.origin),
            cached: None,
            certificate: found.certificate,
            checked: found.checked,
            dropped: report::dropped(&discovered.attempts),
        })),
        None => Found::Unknown(discovered.attempts),
    })
}

/// The time limit of the search for a closed form.
const PATIENCE: Duration = Duration::from_secs(20);

/// A closed form of the set as a claim, if one is found.
pub fn form(game: &Game, convention: Convention, set: &Dfa, limits: &Limits) -> FormSearch {
    let begun = Instant::now();
    match closed_form(game, convention, set, &limits.cap_time(PATIENCE)) {
        Ok(Some(form)) => FormSearch::Words(form.words),
        Ok(None) => FormSearch::None,
        // Another search would be given no more.
        Err(LimitExceeded::Time) if begun.elapsed() >= PATIENCE => FormSearch::None,
        Err(_) => FormSearch::NotSought,
    }
}
