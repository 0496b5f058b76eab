//! `sequence`: the Grundy values of single heaps, and their period.

use super::asked::Asked;
use super::load::{self, Answered};
use super::{Format, Shared, Status, json, latex, progress, text};
use clap::Args;
use nimrule_engine::{SolveError, heap_sequences};
use nimrule_ir::HeapRules;
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::latex::{prose, tabular};
use nimrule_sequence::{Period, PeriodStatus, Sequence};
use serde_json::{Value, json};
use std::io::Write;
use text::{FAINT, GOOD};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest heap size
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = super::size)]
    to: u64,
    /// The kind of heap, in a game with several kinds
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// The heap, in a game whose heaps have different moves
    #[arg(long, value_name = "NAME")]
    heap: Option<String>,
    /// Write an OEIS b-file: one line for each heap, with its size and value
    #[arg(long)]
    b_file: bool,
}

/// One sequence, with its kind of heap if the game has several.
struct Shown<'s> {
    kind: Option<String>,
    sequence: &'s Sequence,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    if arguments.b_file && shared.format == Format::Json {
        return Err(load::wrong(
            "a b-file is not JSON: remove `--b-file` or `--format json`",
        ));
    }
    if let Some(reason) = game.no_grundy_values() {
        return Err(load::wrong(&format!(
            "this game has no Grundy values: {reason}"
        )));
    }
    let session = rule.session();
    let solver = session.solver();
    if let Err(refused) = SolveError::check_kind(game) {
        return Err(load::failed(&refused, solver, None));
    }
    let rules = solver.profile.heap_rules.as_ref().map_err(|reason| {
        load::wrong(&format!(
            "the values of single heaps do not determine this game: {reason}"
        ))
    })?;
    let kinds = chosen(game, rules, arguments)?;
    let listed = arguments.b_file || matches!(shared.format, Format::Json | Format::Csv);
    if listed && kinds.len() > 1 {
        return Err(load::wrong(&format!(
            "this writes one sequence: choose `--kind {}`",
            some_kinds(game).join("` or `--kind ")
        )));
    }
    let sequences = heap_sequences::explored(solver, arguments.to, &shared.limits())
        .map_err(|failure| load::failed(&failure, solver, None))?;
    let shown: Vec<Shown<'_>> = kinds
        .into_iter()
        .map(|(number, kind)| Shown {
            kind,
            sequence: &sequences[number],
        })
        .collect();

    let mut out = std::io::BufWriter::new(progress::stdout());
    let mut write = || -> std::io::Result<()> {
        match (shown.as_slice(), arguments.b_file, shared.format) {
            ([one], true, _) => as_lines(&mut out, one, ' '),
            ([one], _, Format::Csv) => {
                writeln!(out, "n,grundy")?;
                as_lines(&mut out, one, ',')
            }
            ([one], _, Format::Json) => as_json(&mut out, game, one),
            (all, _, Format::Latex) => as_latex(&mut out, game, all, arguments.to),
            (all, ..) => as_text(&mut out, game, all, arguments.to),
        }?;
        out.flush()
    };
    load::finish(write())
}

/// The kinds to show, with their names if there are several.
fn chosen(
    game: &Game,
    rules: &HeapRules,
    arguments: &Arguments,
) -> Answered<Vec<(usize, Option<String>)>> {
    let wrong = |message: String| Err(load::wrong(&message));
    if let PositionKind::Multiset(kinds) = &game.position_kind {
        if let Some(name) = &arguments.heap {
            return wrong(format!(
                "the heaps of a multiset have no names, so there is no heap `{name}`"
            ));
        }
        let Some(name) = &arguments.kind else {
            return Ok(match kinds.names.as_slice() {
                [] => vec![(0, None)],
                names => names.iter().cloned().map(Some).enumerate().collect(),
            });
        };
        return match kinds.names.iter().position(|kind| kind == name) {
            Some(kind) => Ok(vec![(kind, Some(name.clone()))]),
            None if kinds.names.is_empty() => wrong("the heaps are all of one kind".to_owned()),
            None => wrong(format!(
                "there is no kind of heap `{name}`; the kinds are {}",
                kinds.names.join(", ")
            )),
        };
    }
    if arguments.kind.is_some() {
        return wrong("kinds are for multisets; choose a heap with `--heap`".to_owned());
    }
    if let Some(name) = &arguments.heap {
        return match game.heap_names.iter().position(|heap| heap == name) {
            Some(heap) => Ok(vec![(rules.kind_of_heap[heap], Some(name.clone()))]),
            None => wrong(format!(
                "there is no heap `{name}`; the heaps are {}",
                game.heap_names.join(", ")
            )),
        };
    }
    match rules.kind_of_heap.iter().position(|kind| *kind != 0) {
        None => Ok(vec![(0, None)]),
        Some(other) => {
            let (first, other) = (&game.heap_names[0], &game.heap_names[other]);
            wrong(format!(
                "the heaps have different moves: choose one, as in `--heap {first}` or `--heap \
                 {other}`"
            ))
        }
    }
}

fn some_kinds(game: &Game) -> Vec<String> {
    match &game.position_kind {
        PositionKind::Multiset(kinds) => kinds.names.clone(),
        _ => Vec::new(),
    }
}

fn as_lines(out: &mut dyn Write, shown: &Shown<'_>, between: char) -> std::io::Result<()> {
    for (heap, value) in shown.sequence.values.iter().enumerate() {
        writeln!(out, "{heap}{between}{value}")?;
    }
    Ok(())
}

/// Writes the values one by one: there may be millions.
fn as_json(out: &mut dyn Write, game: &Game, shown: &Shown<'_>) -> std::io::Result<()> {
    let mut head = json::head(game);
    if let Some(kind) = &shown.kind {
        let what = if game.heap_names.is_empty() {
            "kind"
        } else {
            "heap"
        };
        head.insert(what.to_owned(), json!(kind));
    }
    let mut opening = Value::from(head).to_string();
    opening.pop();
    write!(out, "{opening},\"values\":[")?;
    for (heap, value) in shown.sequence.values.iter().enumerate() {
        let comma = if heap == 0 { "" } else { "," };
        write!(out, "{comma}{value}")?;
    }
    let Some(period) = &shown.sequence.period else {
        return writeln!(
            out,
            "],\"period\":null,\"preperiod\":null,\"saltus\":null,\"standing\":null}}"
        );
    };
    let mut rest = json!({
        "period": period.period,
        "preperiod": period.preperiod,
        "saltus": period.saltus,
    });
    match &period.status {
        PeriodStatus::Proved {
            theorem,
            checked_to,
        } => {
            rest["standing"] = json!("proved");
            rest["theorem"] = json!(theorem.to_string());
            rest["checked_to"] = json!(checked_to);
        }
        PeriodStatus::Observed { to } => {
            rest["standing"] = json!("seen");
            rest["seen_to"] = json!(to);
        }
    }
    let rest = rest.to_string();
    writeln!(out, "],{}", &rest[1..])
}

/// Writes the values in rows of ten, each with its first heap size, and the period.
fn as_latex(out: &mut dyn Write, game: &Game, shown: &[Shown<'_>], to: u64) -> std::io::Result<()> {
    write!(
        out,
        "{}",
        latex::comment(game, "Grundy values of single heaps")
    )?;
    for one in shown {
        let of = match &one.kind {
            Some(kind) => format!(" of one {kind}"),
            None => " of one heap".to_owned(),
        };
        let what = format!("Grundy values{of}, 0 to {to}:");
        let values = &one.sequence.values;
        let columns: Vec<String> = (0..10.min(values.len())).map(|n| n.to_string()).collect();
        let head: Vec<String> = std::iter::once(String::new()).chain(columns).collect();
        let rows: Vec<Vec<String>> = (values.chunks(10).enumerate())
            .map(|(row, chunk)| {
                let cells = chunk.iter().map(u32::to_string);
                let mut row: Vec<String> = std::iter::once(format!("{}+", 10 * row))
                    .chain(cells)
                    .collect();
                row.resize(head.len(), String::new());
                row
            })
            .collect();
        let spec = format!("r@{{\\qquad}}{}", "r".repeat(head.len() - 1));
        let period = match &one.sequence.period {
            None => format!(
                "No period is observed up to {}.\n",
                one.sequence.searched_to
            ),
            Some(found) => {
                let (standing, why) = standing(found);
                let (formula, why) = (relation_as_latex(found), prose(&why));
                format!("Period ${}$: {formula}, {standing} {why}.\n", found.period)
            }
        };
        write!(
            out,
            "{}\n{}\n{period}",
            latex::paragraph(&what),
            tabular(&spec, &head, &rows)
        )?;
    }
    Ok(())
}

fn as_text(out: &mut dyn Write, game: &Game, shown: &[Shown<'_>], to: u64) -> std::io::Result<()> {
    writeln!(out, "{}\n", game.heading())?;
    for (place, one) in shown.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let of = match &one.kind {
            Some(kind) => format!(" of one {kind}"),
            None => " of one heap".to_owned(),
        };
        writeln!(out, "  Grundy values{of}, 0 to {to}\n")?;
        rows(out, &one.sequence.values)?;
        writeln!(out, "\n{}", in_words(one.sequence))?;
    }
    Ok(())
}

/// Writes the values in rows of ten or twenty, each with its first heap size.
fn rows(out: &mut dyn Write, values: &[u32]) -> std::io::Result<()> {
    let digits = |number: usize| number.to_string().len();
    let most = values.iter().copied().max().unwrap_or(0) as usize;
    let width = digits(most).max(2);
    let per_row = if width == 2 { 20 } else { 10 };
    let first_width = digits(values.len()).max(4);
    for (row, chunk) in values.chunks(per_row).enumerate() {
        write!(out, "  {FAINT}{:>first_width$}{FAINT:#} ", row * per_row)?;
        for value in chunk {
            write!(out, " {value:>width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The period, and whether it is proved or observed.
fn in_words(sequence: &Sequence) -> String {
    let Some(found) = &sequence.period else {
        return format!("  no period observed up to {}", sequence.searched_to);
    };
    let (standing, why) = standing(found);
    let sign = match &found.status {
        PeriodStatus::Proved { .. } => format!("{GOOD}{standing}{GOOD:#}"),
        PeriodStatus::Observed { .. } => standing.to_owned(),
    };
    format!(
        "  {}\n  {sign} {}",
        relation(found),
        text::wrapped(&why, 66, 2)
    )
}

/// Whether a period is proved or observed, and by what.
fn standing(found: &Period) -> (&'static str, String) {
    match &found.status {
        PeriodStatus::Proved {
            theorem,
            checked_to,
        } => {
            let checked = match checked_to {
                0 => String::new(),
                to => format!(", from the values up to {to}"),
            };
            ("proved", format!("by {theorem}{checked}"))
        }
        PeriodStatus::Observed { to } => ("observed", format!("up to {to}, not proved")),
    }
}

fn relation_as_latex(found: &Period) -> String {
    let adds = match found.saltus {
        0 => String::new(),
        saltus => format!(" + {saltus}"),
    };
    format!(
        "$\\mathcal{{G}}(n + {}) = \\mathcal{{G}}(n){adds}$ for $n \\ge {}$",
        found.period, found.preperiod
    )
}

fn relation(found: &Period) -> String {
    let Period {
        period,
        preperiod,
        saltus,
        ..
    } = found;
    let (name, adds) = match saltus {
        0 => (String::new(), String::new()),
        saltus => (format!(" with saltus {saltus}"), format!(" + {saltus}")),
    };
    format!(
        "period {period} from {preperiod}{name}: G(n + {period}) = G(n){adds} for n >= {preperiod}"
    )
}
