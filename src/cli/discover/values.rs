//! `discover --grundy`: the Grundy values for all sizes.

use super::report;
use super::{Arguments, PATIENCE, form};
use crate::cli::certificate::{Subject, save};
use crate::cli::load::{self, Answered};
use crate::cli::text::{self, STRONG};
use crate::cli::{Format, Status, json, progress};
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_model::game::{Convention, Game};
use nimrule_prove::Numeration;
use nimrule_prove::ProveError;
use nimrule_prove::certificate::{Proves, write};
use nimrule_prove::forms::value_form;
use nimrule_prove::residual_learning::{self, Goal};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The result of a search.
enum Found {
    /// The proved values, with a closed form for each class or for all values.
    Proved {
        found: Box<residual_learning::LearnedAutomaton>,
        took: Duration,
        /// Of the value itself.
        form: Option<String>,
        /// Of the positions of each of a few values, where that is not known.
        forms: Vec<Option<String>>,
        /// The numeration systems that were dropped before.
        dropped: Vec<Numeration>,
    },
    Unknown(Vec<residual_learning::Attempt>),
    Outside(String),
}

pub(super) fn run(
    game: &Game,
    convention: Convention,
    arguments: &Arguments,
    (limits, allowed): (&Limits, Duration),
    format: Format,
) -> Answered<Status> {
    let found = find(game, convention, arguments.most_states, limits)?;
    let certificate = match (&arguments.certificate, &found) {
        (Some(folder), Found::Proved { found, .. }) => {
            let written = match &found.certificate {
                Some(certificate) => Ok(certificate.text()),
                None => {
                    let proves = Proves::GrundyValues;
                    write(game, proves, None, convention, &found.set, limits)
                }
            };
            let text = written.map_err(|not| load::wrong(&not.to_string()))?;
            Some(save(folder, game, Subject::Values(convention), &text)?)
        }
        _ => None,
    };
    let path = certificate.as_deref();
    let mut out = progress::stdout();
    let written = match format {
        Format::Text => write!(out, "{}", as_text(game, convention, &found, allowed, path)),
        Format::Json => writeln!(out, "{}", as_json(game, convention, &found, path)),
        Format::Csv => {
            return Err(load::wrong("`discover` supports the formats text and json"));
        }
    };
    crate::cli::solve::finish(written)?;
    Ok(match found {
        Found::Proved { .. } | Found::Outside(_) => Status::Fine,
        Found::Unknown(_) => Status::Limit,
    })
}

fn find(
    game: &Game,
    convention: Convention,
    most_states: usize,
    limits: &Limits,
) -> Answered<Found> {
    let bounds = residual_learning::SearchBounds {
        most_states,
        ..residual_learning::SearchBounds::default()
    };
    let begun = Instant::now();
    let discovered = match residual_learning::discover_values(game, convention, &bounds, limits) {
        Ok(discovered) => discovered,
        Err(ProveError::Unsupported(unsupported)) => return Ok(Found::Outside(unsupported.what)),
        Err(ProveError::LimitExceeded(met)) => {
            let failure = SolveError::from(met);
            return Err(load::failed(&failure, &Solver::new(game), None));
        }
    };
    let took = begun.elapsed();
    let Some(found) = discovered.found else {
        return Ok(Found::Unknown(discovered.attempts));
    };
    let limits = limits.cap_time(PATIENCE);
    let (form_of_all, forms) = match value_form(game, &found.set, &limits) {
        Ok(Some(words)) => (Some(words), Vec::new()),
        _ => {
            let classes = found.classes.iter();
            let forms = classes.map(|class| {
                let found = form(game, convention, class, &limits);
                found.words().map(str::to_owned)
            });
            (None, forms.collect())
        }
    };
    Ok(Found::Proved {
        found: Box::new(found),
        took,
        form: form_of_all,
        forms,
        dropped: report::dropped(&discovered.attempts),
    })
}

fn as_text(
    game: &Game,
    convention: Convention,
    found: &Found,
    allowed: Duration,
    certificate: Option<&Path>,
) -> String {
    let mut shown = report::head(game);
    let play = report::play(convention);
    shown.push_str(&format!("\nGrundy values for all sizes{play}\n\n"));
    match found {
        Found::Proved {
            found,
            took,
            form,
            forms,
            dropped,
        } => {
            let what = match found.goal {
                Goal::Value => "with the value as an extra track".to_owned(),
                _ => format!("with one of {} values as output", found.classes.len()),
            };
            let words = format!(
                " in {}: a DFA with {} over the digits in {} {what}, {}",
                text::in_seconds(*took),
                report::counted(found.states),
                report::numeration(found.set.numeration()),
                report::learned(found.origin),
            );
            shown.push_str(&report::standing_lines(
                report::FOUND,
                &words,
                &found.checked,
            ));
            shown.push_str(&report::dropped_words(dropped));
            shown.push_str(&closed_forms(form.as_deref(), forms));
            shown.push_str(&report::certificate_line(certificate));
        }
        Found::Unknown(attempts) => shown.push_str(&report::not_found(attempts, allowed)),
        Found::Outside(why) => shown.push_str(&report::unsupported(why)),
    }
    shown
}

fn closed_forms(form: Option<&str>, forms: &[Option<String>]) -> String {
    let mut lines: Vec<String> = form.iter().map(|w| format!("grundy == {w}")).collect();
    if forms.iter().any(Option::is_some) {
        lines.extend(forms.iter().enumerate().map(|(value, form)| match form {
            Some(words) => format!("value {value}: {words}"),
            None => format!("value {value}: none of the forms tried"),
        }));
    }
    if lines.is_empty() {
        return report::no_form();
    }
    let mut shown = report::AS_CLAIM.to_owned();
    for line in lines {
        let line = text::wrapped(&line, 74, 6);
        shown.push_str(&format!("    {STRONG}{line}{STRONG:#}\n"));
    }
    shown
}

fn as_json(
    game: &Game,
    convention: Convention,
    found: &Found,
    certificate: Option<&Path>,
) -> Value {
    let mut head = json::head(game);
    head.insert("convention".to_owned(), json!(convention.word()));
    let mut put = |name: &str, value: Value| head.insert(name.to_owned(), value);
    match found {
        Found::Proved {
            found,
            form,
            forms,
            dropped,
            ..
        } => {
            put("standing", json!("proved"));
            put("states", json!(found.states));
            put("base", report::base(found.set.numeration()));
            put("block", json!(found.origin.depth()));
            put("checked", json!(found.checked));
            // As many as you like, where there is no class for each.
            let values = Some(found.classes.len()).filter(|values| *values > 0);
            put("values", json!(values));
            put("form", json!(form));
            put("forms", json!(forms));
            put("dropped", report::dropped_json(dropped));
            put("certificate", json!(certificate));
        }
        Found::Unknown(attempts) => {
            put("standing", json!("unknown"));
            put("states", Value::Null);
            let growth: Vec<Value> = attempts.iter().flat_map(report::growth).collect();
            put("growth", json!(growth));
        }
        Found::Outside(why) => {
            put("standing", json!("outside"));
            put("states", Value::Null);
            put("reason", json!(why));
        }
    }
    head.into()
}
