//! `sum`: the disjunctive sum of positions of several games, and other compounds.

mod component;
mod report;

use super::asked::Under;
use super::load::{self, Answered};
use super::proof_cache::CacheArguments;
use super::{Format, Shared, Status, progress};
use clap::Args;
pub use component::no_option;
use component::{Files, Written};
use nimrule_answer::sum::{self, Component, Compound};
use nimrule_answer::{Extent, Session};
use nimrule_engine as engine;
use report::Report;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A position of a game, such as games/nim.nimrule:3,4,5, or with
    /// parameters, games/nim.nimrule:piles=2:3,4
    #[arg(required = true, value_name = "FILE:POSITION")]
    components: Vec<String>,
    #[command(flatten)]
    under: Under,
    /// How the games are played as one: disjunctive, conjunctive, selective,
    /// continued (conjunctive), shortened (disjunctive), shortened-selective,
    /// ordinal, sequential
    #[arg(
        long,
        value_name = "NAME",
        default_value_t = Compound::Disjunctive,
        hide_default_value = true,
        value_parser = compound
    )]
    compound: Compound,
    /// Never answer from a claim
    #[arg(long)]
    no_claims: bool,
    #[command(flatten)]
    cache: CacheArguments,
}

fn compound(name: &str) -> Result<Compound, String> {
    let mut all = Compound::ALL.into_iter();
    all.find(|compound| compound.word() == name).ok_or_else(|| {
        let names = Compound::ALL.map(|compound| format!("`{compound}`"));
        format!("the compounds are {}", names.join(", "))
    })
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let convention = arguments.under.convention;
    let mut files = Files::default();
    let written: Vec<Written> = arguments
        .components
        .iter()
        .map(|text| files.component(text))
        .collect::<Answered<_>>()?;
    let games = component::compiled(&files, &written, shared)?;
    let sessions: Vec<Session<'_>> = (games.compiled.iter().zip(&games.of_game))
        .map(|(compiled, file)| {
            arguments
                .cache
                .session(&files.loaded[*file], compiled, shared)
        })
        .collect();
    let mut components = Vec::new();
    for (written, game) in written.iter().zip(&games.of_component) {
        let session = &sessions[*game];
        components.push(Component {
            session,
            position: load::position(session, &written.position)?,
        });
    }
    let started = Instant::now();
    let compound = arguments.compound;
    let answer = sum::compound(&components, compound, convention, arguments.no_claims)
        .map_err(|failure| unanswered(&failure, compound, &written, &components))?;
    let report = Report {
        components: &components,
        compound,
        convention,
        answer: &answer,
        took: started.elapsed(),
    };
    let mut out = progress::stdout();
    load::finish(match shared.format {
        Format::Text => report.text(&mut out),
        Format::Json => report.json(&mut out),
        Format::Csv => report.csv(&mut out),
        Format::Latex => report.latex(&mut out),
    })?;
    Ok(match &answer.extent {
        Extent::Unfinished(met) => load::unfinished(met),
        _ => Status::Fine,
    })
}

/// Reports why there is no answer.
fn unanswered(
    failure: &sum::SumError,
    compound: Compound,
    written: &[Written],
    components: &[Component<'_, '_>],
) -> load::Unanswered {
    let name = |component: usize| format!("`{}`", written[component].text);
    match failure {
        sum::SumError::Unsuitable { component, reason } => {
            load::wrong(&format!("{} cannot be added: {reason}", name(*component)))
        }
        sum::SumError::Component {
            component,
            unanswered,
        } => {
            let is_fault = matches!(
                unanswered.failure,
                engine::SolveError::Fault { .. } | engine::SolveError::FaultIn { .. }
            );
            if !is_fault {
                let needs = match compound {
                    Compound::Disjunctive => "Grundy value",
                    Compound::Conjunctive => "remoteness",
                    Compound::Continued => "suspense number",
                    Compound::Shortened => "foreclosed value",
                    _ => "outcome",
                };
                let who = match compound {
                    Compound::Conjunctive | Compound::Continued | Compound::Shortened => {
                        "which a search does not find within the limits"
                    }
                    _ => "which no engine finds within the limits and no claim of its file gives",
                };
                load::note(&format!(
                    "the {} needs the {needs} of {}, {who}{}",
                    compound.noun(),
                    name(*component),
                    if components.len() == 1 {
                        ""
                    } else {
                        "; each component has an equal share of the memory"
                    }
                ));
            }
            load::no_answer(components[*component].session, unanswered)
        }
        sum::SumError::Search(failure) => {
            if matches!(
                failure,
                engine::SolveError::Memory { .. }
                    | engine::SolveError::Time
                    | engine::SolveError::Work { .. }
            ) {
                let why = components
                    .iter()
                    .find_map(|part| part.session.game().no_grundy_values())
                    .map_or("under misere play there are no values to add", |why| why);
                load::note(&format!(
                    "{why}, so the positions of the {} must be searched, and there are too many",
                    compound.noun()
                ));
            }
            load::failed(failure, components[0].session.solver(), None)
        }
    }
}
