//! `discover --grundy`: the Grundy values for all sizes.

use super::{Arguments, report};
use crate::cli::certificate::{Subject, save};
use crate::cli::load::{self, Answered};
use crate::cli::numbers::Numbers;
use crate::cli::text::{self, STRONG};
use crate::cli::{Format, Status, json, latex, progress};
use nimrule_answer::proof::{Goal, Proves};
use nimrule_answer::{Discovered, DiscoveredValues, DiscoveryBounds, Session, words};
use nimrule_engine::SolveError;
use nimrule_model::game::{Convention, Game};
use nimrule_model::latex::{escaped, prose};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::path::Path;

pub(super) fn run(
    session: &Session<'_>,
    convention: Convention,
    arguments: &Arguments,
    bounds: DiscoveryBounds,
    allowed: &str,
    format: Format,
) -> Answered<Status> {
    let game = session.game();
    let found = session
        .discover_values(convention, bounds)
        .map_err(|met| load::failed(&SolveError::from(met), session.solver(), None))?;
    let certificate = match (&arguments.certificate, &found) {
        (Some(folder), Discovered::Proved(values)) => {
            let found = &values.found;
            let known = found.certificate.as_deref();
            let written =
                session.certificate_of(Proves::GrundyValues, convention, &found.set, known);
            let text = written.map_err(|not| load::wrong(&not.to_string()))?;
            Some(save(folder, game, Subject::Values(convention), &text)?)
        }
        (Some(_), Discovered::OfAnyNumber(_)) => {
            return Err(load::wrong(
                "no certificate: the checker does not support values of any number of heaps",
            ));
        }
        _ => None,
    };
    let numbers = match &found {
        Discovered::Proved(values) => {
            let of = Subject::Values(convention);
            let set = &values.found.set;
            arguments
                .numbers
                .of(session, of, Proves::GrundyValues, set)?
        }
        _ => Numbers::default(),
    };
    let path = certificate.as_deref();
    let mut out = progress::stdout();
    let written = match format {
        Format::Text | Format::Csv => write!(
            out,
            "{}{}",
            as_text(game, convention, &found, (allowed, arguments.explain), path),
            numbers.as_paragraph()
        ),
        Format::Json => {
            let mut fields = as_json(game, convention, &found, path);
            numbers.add_to(&mut fields);
            writeln!(out, "{}", Value::from(fields))
        }
        Format::Latex => write!(out, "{}", as_latex(game, convention, &found)),
    };
    load::finish(written)?;
    Ok(match found {
        Discovered::Proved(_) => numbers.status(),
        Discovered::OfAnyNumber(_) | Discovered::Unsupported(_) => Status::Fine,
        Discovered::Unknown(_) | Discovered::NoTheorem(_) => Status::Limit,
    })
}

fn as_text(
    game: &Game,
    convention: Convention,
    found: &Discovered<DiscoveredValues>,
    (allowed, explain): (&str, bool),
    certificate: Option<&Path>,
) -> String {
    let mut shown = report::head(game);
    let play = words::play(convention);
    shown.push_str(&format!("\nGrundy values for all sizes{play}\n\n"));
    match found {
        Discovered::Proved(values) => {
            let DiscoveredValues {
                found,
                took,
                form,
                forms,
                dropped,
            } = values.as_ref();
            let what = match found.goal {
                Goal::Value => "with the value as an extra track".to_owned(),
                _ => format!("with one of {} values as output", found.classes.len()),
            };
            let words = format!(
                " in {}: a DFA with {} over the digits in {} {what}, {}",
                text::in_seconds(*took),
                report::counted(found.states),
                words::numeration(found.set.numeration()),
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
        Discovered::OfAnyNumber(theorem) => {
            shown.push_str(&report::of_any_number(theorem, certificate));
        }
        Discovered::NoTheorem(open) => shown.push_str(&report::no_theorem(open)),
        Discovered::Unknown(attempts) => {
            shown.push_str(&report::not_found(attempts, allowed, explain))
        }
        Discovered::Unsupported(why) => shown.push_str(&report::unsupported(why)),
    }
    shown
}

fn as_latex(game: &Game, convention: Convention, found: &Discovered<DiscoveredValues>) -> String {
    let head = latex::comment(game, "Grundy values for all sizes");
    let values = match found {
        Discovered::Proved(values) => values,
        Discovered::OfAnyNumber(theorem) => return report::of_any_number_in_latex(head, theorem),
        Discovered::NoTheorem(_) => return report::no_theorem_in_latex(head),
        Discovered::Unknown(attempts) => return head + &report::not_found_in_latex(attempts.len()),
        Discovered::Unsupported(why) => {
            return head + &latex::paragraph(&format!("Unsupported: {why}."));
        }
    };
    let found = &values.found;
    let mut shown = format!(
        "{head}The Grundy values of all positions{} are recognised by a DFA with {} over the digits \
         in {}; this is proved:\n{}",
        latex::play(convention),
        report::counted(found.states),
        escaped(&words::numeration(found.set.numeration())),
        latex::items(
            &found
                .checked
                .iter()
                .map(|words| prose(words))
                .collect::<Vec<_>>()
        )
    );
    if let Some(form) = &values.form {
        let form = latex::formula(form);
        shown.push_str(&format!("The value of a position is {form}.\n"));
    }
    let forms = values.forms.iter().enumerate();
    let forms: Vec<String> = forms
        .filter_map(|(value, form)| {
            let form = latex::formula(form.as_ref()?);
            Some(format!("the value is ${value}$ if and only if {form}"))
        })
        .collect();
    shown.push_str(&latex::items(&forms));
    let notation = latex::notation_of(&shown);
    shown + &notation
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
    found: &Discovered<DiscoveredValues>,
    certificate: Option<&Path>,
) -> Map<String, Value> {
    let mut head = json::head(game);
    head.insert("convention".to_owned(), json!(convention.word()));
    match found {
        Discovered::OfAnyNumber(theorem) => {
            report::of_any_number_in_json(&mut head, theorem, certificate);
            return head;
        }
        Discovered::NoTheorem(open) => {
            report::no_theorem_in_json(&mut head, open);
            return head;
        }
        _ => {}
    }
    let mut put = |name: &str, value: Value| head.insert(name.to_owned(), value);
    match found {
        Discovered::Proved(values) => {
            let DiscoveredValues {
                found,
                form,
                forms,
                dropped,
                ..
            } = values.as_ref();
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
        Discovered::Unknown(attempts) => {
            put("standing", json!("unknown"));
            put("states", Value::Null);
            let growth: Vec<Value> = attempts.iter().flat_map(report::growth).collect();
            put("growth", json!(growth));
        }
        Discovered::Unsupported(why) => {
            put("standing", json!("outside"));
            put("states", Value::Null);
            put("reason", json!(why));
        }
        Discovered::OfAnyNumber(_) | Discovered::NoTheorem(_) => {}
    }
    head
}
