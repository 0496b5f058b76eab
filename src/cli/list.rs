//! `list`: every P-position, or every position with its Grundy value.

use super::keep::Sweep;
use super::load::{self, Answered};
use super::{Format, Shared, Status, json, keep, progress, text};
use crate::claim;
use crate::engine::{Asked, Outcome, Question, Region, Solver};
use crate::game::Convention;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// Every heap at most so many tokens
    #[arg(long, value_name = "N")]
    max: Option<u64>,
    /// Every position, with its Grundy value (under --misere: the value that
    /// counts end positions as 1)
    #[arg(long)]
    grundy: bool,
    /// Only positions of these outcomes, as in P or L,R,D [default: P; where
    /// each side has moves of its own, or positions may repeat, all]
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = outcome)]
    outcome: Vec<Outcome>,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// The smallest position of each orbit only, with the orbit's size
    #[arg(long)]
    up_to_symmetry: bool,
    /// Only positions in which a heap has this size, as in c=3
    #[arg(long, value_name = "HEAP=SIZE")]
    fix: Vec<String>,
    /// Use this engine and no other
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    #[command(flatten)]
    keep: keep::Folder,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let solver = Solver::new(game);
    let limits = shared.limits();
    let most = match arguments.max.or(game.suggest_max) {
        Some(most) => most,
        None => claim::fitting_size(&solver, 300_000, 200_000_000),
    };
    let failed = |failure| load::failed(&failure, &solver, Some(most));
    let fixed = fixed_heaps(game, &arguments.fix)?;
    let mut region = solver.region(most, &limits).map_err(failed)?;
    if let (Region::Box(shape), false) = (&region, fixed.is_empty()) {
        let mut sizes = shape.most.clone();
        for (heap, size) in &fixed {
            // A fixed heap may be larger than the others, and need be no larger
            // than it is.
            sizes[*heap] = *size;
        }
        region = solver.region_of(&sizes, &limits).map_err(failed)?;
    }
    let asked = Asked {
        question: if arguments.grundy {
            Question::Grundy
        } else {
            Question::Outcome
        },
        convention: if arguments.misere {
            Convention::Misere
        } else {
            Convention::Normal
        },
    };
    let forced = arguments.engine.as_deref();
    let keep = arguments.keep.keep(&loaded);
    let table = Sweep {
        solver: &solver,
        region: &region,
        asked,
        limits: &limits,
        forced,
        keep: keep.as_ref(),
        verb: "list",
    }
    .table()?;

    let boxed = game.heap_count() > 0;
    let mut columns = if boxed {
        game.heap_names.clone()
    } else {
        vec!["position".to_owned()]
    };
    // Where there are other outcomes than P and N, each row says its own.
    let outcomes = game.no_values().is_some();
    if outcomes {
        columns.push("outcome".to_owned());
    }
    if arguments.grundy {
        columns.push("grundy".to_owned());
    }
    if arguments.up_to_symmetry {
        columns.push("orbit".to_owned());
    }
    let mut out = std::io::BufWriter::new(progress::stdout());
    let mut rows: Box<dyn Rows> = match shared.format {
        Format::Csv => Box::new(Csv(csv::Writer::from_writer(&mut out))),
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(asked.convention.word()));
            head.insert("max".into(), json!(most));
            head.insert("columns".into(), json!(columns));
            let mut opening = serde_json::Value::from(head).to_string();
            opening.pop();
            Box::new(Json {
                out: &mut out,
                opening,
                first: true,
            })
        }
        Format::Text => Box::new(Text {
            out: &mut out,
            rows: Vec::new(),
            columns: Vec::new(),
        }),
    };
    // Where heaps are fixed, the smallest position of an orbit may be another
    // than the smallest that has them so: the first one met is shown.
    let mut shown = std::collections::BTreeSet::new();
    let mut stands_for_its_orbit = |position: &[u64]| {
        if fixed.is_empty() {
            game.symmetries.is_canonical(position)
        } else {
            shown.insert(game.symmetries.canonical(position))
        }
    };
    let mut write = || -> std::io::Result<()> {
        rows.begin(&columns)?;
        table.region.try_each(|position, place| {
            let wanted = match table.outcome(place) {
                None => false,
                Some(outcome) if !arguments.outcome.is_empty() => {
                    arguments.outcome.contains(&outcome)
                }
                Some(outcome) => arguments.grundy || outcomes || outcome == Outcome::P,
            };
            if !wanted
                || fixed.iter().any(|(heap, size)| position[*heap] != *size)
                || (arguments.up_to_symmetry && !stands_for_its_orbit(position))
            {
                return Ok(());
            }
            let mut row: Vec<Value> = match (boxed, shared.format) {
                (true, Format::Json) => match json::position(game, position) {
                    Value::Array(entries) => entries,
                    whole => vec![whole],
                },
                (true, _) if game.digraph().is_some() => {
                    let cells = text::cells(game, position).into_iter();
                    cells.map(|cell| json!(cell)).collect()
                }
                (true, _) => position.iter().map(|size| json!(size)).collect(),
                (false, Format::Json) => vec![json::position(game, position)],
                (false, _) => vec![json!(game.shown(position))],
            };
            if outcomes {
                let outcome = table.outcome(place).map(|outcome| outcome.letter());
                row.push(json!(outcome));
            }
            if arguments.grundy {
                row.push(json!(table.grundy(place).unwrap_or_default()));
            }
            if arguments.up_to_symmetry {
                let orbit = game.symmetries.orbit_size(position);
                row.push(
                    u64::try_from(orbit)
                        .map_or_else(|_| json!(orbit.to_string()), |orbit| json!(orbit)),
                );
            }
            rows.row(&row)
        })?;
        rows.end()
    };
    let written = write();
    drop(rows);
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(load::wrong(&format!("the list cannot be written: {error}")))
        }
        _ => Ok(Status::Fine),
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    let all = [Outcome::P, Outcome::N, Outcome::L, Outcome::R, Outcome::D];
    let found = all.into_iter().find(|o| o.letter() == text.trim());
    found.ok_or_else(|| "the outcomes are P, N, L, R and D".to_owned())
}

fn fixed_heaps(game: &crate::game::Game, written: &[String]) -> Answered<Vec<(usize, u64)>> {
    let mut fixed = Vec::new();
    for item in written {
        let parsed = item.split_once('=').and_then(|(name, size)| {
            let heap = game.heap_names.iter().position(|n| n == name.trim())?;
            let size = size.trim();
            let named = game.digraph().and_then(|digraph| digraph.named(size));
            Some((heap, named.or_else(|| size.parse::<u64>().ok())?))
        });
        match parsed {
            Some(pair) => fixed.push(pair),
            None => {
                return Err(load::wrong(&format!(
                    "`--fix {item}` names no heap and size; the heaps are {}",
                    game.heap_names.join(", ")
                )));
            }
        }
    }
    Ok(fixed)
}

/// A cell as text: a number, or words without quotes.
fn cell(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Where rows go.
trait Rows {
    fn begin(&mut self, columns: &[String]) -> std::io::Result<()>;
    fn row(&mut self, row: &[Value]) -> std::io::Result<()>;
    fn end(&mut self) -> std::io::Result<()>;
}

struct Csv<W: Write>(csv::Writer<W>);

impl<W: Write> Rows for Csv<W> {
    fn begin(&mut self, columns: &[String]) -> std::io::Result<()> {
        self.0.write_record(columns).map_err(load::writing)
    }

    fn row(&mut self, row: &[Value]) -> std::io::Result<()> {
        self.0
            .write_record(row.iter().map(cell))
            .map_err(load::writing)
    }

    fn end(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

struct Json<'o> {
    out: &'o mut dyn Write,
    opening: String,
    first: bool,
}

impl Rows for Json<'_> {
    fn begin(&mut self, _columns: &[String]) -> std::io::Result<()> {
        write!(self.out, "{},\"rows\":[", self.opening)
    }

    fn row(&mut self, row: &[Value]) -> std::io::Result<()> {
        let comma = if std::mem::take(&mut self.first) {
            ""
        } else {
            ","
        };
        let row: Vec<String> = row.iter().map(Value::to_string).collect();
        write!(self.out, "{comma}[{}]", row.join(","))
    }

    fn end(&mut self) -> std::io::Result<()> {
        writeln!(self.out, "]}}")
    }
}

/// Rows are kept until their widths are known.
struct Text<'o> {
    out: &'o mut dyn Write,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows for Text<'_> {
    fn begin(&mut self, columns: &[String]) -> std::io::Result<()> {
        self.columns = columns.to_vec();
        Ok(())
    }

    fn row(&mut self, row: &[Value]) -> std::io::Result<()> {
        self.rows.push(row.iter().map(cell).collect());
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        write!(self.out, "{}", text::table(&self.columns, &self.rows, 0))
    }
}
