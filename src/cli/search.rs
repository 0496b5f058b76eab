//! `search`: a rule with holes, which are its parameters, and claims that say what is
//! wanted: the values of the parameters at which all claims hold.

use super::load::{self, Answered, Loaded};
use super::resumable::{self, Run};
use super::text::{self, GOOD, STRONG};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use csv::StringRecord;
use nimrule_answer::{Bounds, Effort, Session, Verdict};
use nimrule_elaborate::{Settings, all_settings};
use nimrule_engine::{self as engine, Limits, SolveError};
use nimrule_limits::checkpoint::{Identity, Part};
use nimrule_limits::{LimitExceeded, Steps};
use nimrule_model::game::Game;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file
    file: String,
    /// The work for the proof of a claim that holds on the boxes, in million steps, each about a
    /// second
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = super::seconds)]
    each: Duration,
    /// Stop after so many values of the parameters
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
    /// Keep the table in this CSV file. Values that it has are not searched again, unless
    /// they are open and may now have more time, so that an interrupted run goes on; a table of
    /// another rule or other claims is refused
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Search only the choices with these numbers, such as 3,17
    #[arg(long, value_name = "N", value_delimiter = ',')]
    only: Vec<usize>,
}

/// Values of the parameters with what was found.
#[derive(Debug, Clone)]
struct Row {
    number: usize,
    /// `n=3 amounts={1,2}`
    parameters: String,
    standing: Standing,
    /// Where a claim fails, to what size it holds, or why there is no rule.
    detail: String,
    /// The time that the proof of a claim was given; 0 if the memory ended the search.
    each: Duration,
}

impl Row {
    /// Whether more time would change nothing.
    fn is_final(&self) -> bool {
        !matches!(self.standing, Standing::Holds | Standing::Open)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// All claims are proved for all heap sizes.
    Proved,
    /// All claims hold on a box.
    Holds,
    Fails,
    /// The file is no rule at these values.
    NoRule,
    /// A limit was met before the answer.
    Open,
}

impl Standing {
    const ALL: [Standing; 5] = [
        Standing::Proved,
        Standing::Holds,
        Standing::Fails,
        Standing::NoRule,
        Standing::Open,
    ];

    fn word(self) -> &'static str {
        match self {
            Standing::Proved => "proved",
            Standing::Holds => "holds",
            Standing::Fails => "fails",
            Standing::NoRule => "no rule",
            Standing::Open => "open",
        }
    }
}

impl resumable::Row for Row {
    const COLUMNS: &'static [&'static str] =
        &["number", "parameters", "standing", "detail", "seconds"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            self.parameters.clone(),
            self.standing.word().to_owned(),
            self.detail.clone(),
            self.each.as_secs_f64().to_string(),
        ]
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let fixed = load::settings(shared)?;
    let compiled = loaded.compiled(&fixed)?;
    let claims = compiled.game.claims.len();
    if claims == 0 {
        return Err(load::wrong(
            "the file has no claim that says what is searched for",
        ));
    }
    let text = &loaded.source.text;
    let all = all_settings(&compiled.file, text, &fixed, arguments.most);
    let written = |settings: &Settings| -> String {
        let each = settings.iter();
        let each = each.map(|(name, value)| format!("{name}={}", value.written()));
        each.collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = all.iter().map(written).collect();
    // Files that the rule names are read before there are several threads.
    let rule = Rule::of(&loaded);
    let identity = engine::identity_of_kind("search")
        .with(Part::Game, compiled.game.name.as_str())
        .with(Part::Rule, engine::in_digits(&compiled.rule_hash()))
        .with(Part::Claims, engine::in_digits(&compiled.claims_hash()))
        .with(Part::Parameters, written(&fixed));
    let run = Run {
        items: all.len(),
        identity: &identity,
        only: &arguments.only,
        output: arguments.output.as_deref(),
        read: &|number, record| read(number, record, &texts[number - 1]),
        stands: &|row: &Row| row.is_final() || row.each >= arguments.each,
        item: &|number, limits| {
            let mut row = Row {
                number,
                parameters: texts[number - 1].clone(),
                standing: Standing::Open,
                detail: String::new(),
                each: arguments.each,
            };
            match rule.judged(&all[number - 1], arguments.each, limits) {
                Ok(found) => (row.standing, row.detail) = found,
                Err(SolveError::Stopped) => return Err(LimitExceeded::Stopped),
                Err(failure) => {
                    // Another run may have more memory.
                    if matches!(failure, SolveError::Memory { .. }) {
                        row.each = Duration::ZERO;
                    }
                    row.detail = failure.to_string();
                }
            }
            Ok(row)
        },
    };
    let finished = run.run(&shared.limits())?;
    report(
        &compiled.game,
        shared,
        &finished.rows,
        (all.len(), &identity),
    )?;
    resumable::ended(&finished, all.len())
}

/// A row of an earlier run.
fn read(number: usize, record: &StringRecord, parameters: &str) -> Option<Row> {
    let cell = |column: usize| record.get(column).unwrap_or_default();
    let standing = Standing::ALL.into_iter().find(|s| s.word() == cell(2))?;
    let each = Duration::try_from_secs_f64(cell(4).parse().ok()?).ok()?;
    (cell(1) == parameters).then(|| Row {
        number,
        parameters: parameters.to_owned(),
        standing,
        detail: cell(3).to_owned(),
        each,
    })
}

/// A rule that several threads compile.
struct Rule {
    source: nimrule_model::source::Source,
    folder: Option<PathBuf>,
}

/// The positions of the box on which most wrong values are refuted, before proofs are
/// sought, and of the one that is compared where there is no proof.
const SMALL: u128 = 2_000;
const LARGE: u128 = 100_000;

impl Rule {
    fn of(loaded: &Loaded) -> Rule {
        Rule {
            source: loaded.source.clone(),
            folder: loaded.folder().map(PathBuf::from),
        }
    }

    /// What is known of the claims at these values of the parameters.
    fn judged(
        &self,
        settings: &Settings,
        each: Duration,
        limits: &Limits,
    ) -> Result<(Standing, String), SolveError> {
        let read = |path: &str| match &self.folder {
            Some(folder) => std::fs::read(folder.join(path)).map_err(|error| error.to_string()),
            None => Err("standard input has no folder".to_owned()),
        };
        let compiled = match nimrule::compile(&self.source, settings, &read) {
            Ok(compiled) => compiled,
            Err(problems) => {
                let first = problems.reports.first().map(ToString::to_string);
                return Ok((Standing::NoRule, first.unwrap_or_default()));
            }
        };
        let session = Session::new(&compiled.game, limits.clone());
        if session.claims().next().is_none() {
            return Ok((Standing::NoRule, "no claim applies".to_owned()));
        }
        of_claims(&session, each)
    }
}

/// What is known of all claims together.
fn of_claims(session: &Session<'_>, each: Duration) -> Result<(Standing, String), SolveError> {
    let within = |positions: u128| Effort {
        bounds: Some(Bounds::Fitting {
            positions,
            options: 100 * positions,
            work: None,
            as_suggested: false,
        }),
        ..Effort::PROMPT.proving(Steps::in_time(each))
    };
    let efforts = [within(SMALL).by_box_alone(), within(LARGE)];
    let mut standing = (Standing::Proved, "for all heap sizes".to_owned());
    for effort in efforts {
        standing = (Standing::Proved, "for all heap sizes".to_owned());
        for (number, _) in session.claims() {
            let report = session.claim(number, &effort)?;
            let words = report.words(session.game());
            match (report.passes(), &report.verdict) {
                (Some(true), Verdict::Holds { to, .. }) => {
                    standing = (Standing::Holds, format!("to {to}"));
                }
                (Some(true), _) => {}
                (Some(false), _) => return Ok((Standing::Fails, words)),
                (None, _) => return Ok((Standing::Open, words)),
            }
        }
    }
    Ok(standing)
}

fn report(
    game: &Game,
    shared: &Shared,
    rows: &BTreeMap<usize, Row>,
    (all, identity): (usize, &Identity),
) -> Answered<Status> {
    let mut out = progress::stdout();
    let count = |standing: Standing| rows.values().filter(|row| row.standing == standing).count();
    load::finish(match shared.format {
        Format::Csv => resumable::as_csv(&mut out, rows, identity),
        Format::Latex => {
            let table = resumable::as_latex(rows, "rp{0.3\\linewidth}lp{0.4\\linewidth}");
            let head = latex::comment(game, "a search of the parameters");
            let unsearched = all - rows.len();
            let counts: Vec<String> = (Standing::ALL.iter())
                .map(|standing| format!("{} {}", count(*standing), standing.word()))
                .collect();
            let counts = counts.join(", ");
            write!(
                out,
                "{head}{table}\n{all} choices: {counts}, {unsearched} not searched.\n"
            )
        }
        Format::Json => {
            let mut head = json::head(game);
            head.insert("identity".to_owned(), json!(identity.to_string()));
            for standing in Standing::ALL {
                head.insert(standing.word().replace(' ', "_"), json!(count(standing)));
            }
            let each = rows.values().map(|row| {
                json!({
                    "number": row.number,
                    "parameters": row.parameters,
                    "standing": row.standing.word(),
                    "detail": row.detail,
                    "seconds": row.each.as_secs_f64(),
                })
            });
            head.insert("choices".to_owned(), json!(all));
            head.insert("rows".to_owned(), each.collect());
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Text => {
            let mut shown = format!("{STRONG}{}{STRONG:#}\n\n", game.heading());
            let hits = |row: &&Row| matches!(row.standing, Standing::Proved | Standing::Holds);
            for row in rows.values().filter(hits) {
                let parameters = text::wrapped(&row.parameters, 76, 4);
                let word = row.standing.word();
                shown.push_str(&format!(
                    "  {parameters}\n    {GOOD}{word}{GOOD:#} {}\n",
                    row.detail
                ));
            }
            if !rows.values().any(|row| hits(&row)) {
                shown.push_str("  the claims hold at no values of the parameters\n");
            }
            let counts: Vec<String> = Standing::ALL
                .iter()
                .filter(|standing| count(**standing) > 0)
                .map(|standing| format!("{} {}", count(*standing), standing.word()))
                .collect();
            let values = match all {
                1 => "1 choice".to_owned(),
                all => format!("{} choices", text::grouped(all as u128)),
            };
            shown.push_str(&format!(
                "\n{values} of the parameters: {}\n",
                counts.join(", ")
            ));
            write!(out, "{shown}")
        }
    })
}
