//! `list`: every P-position, or every position with its Grundy value.

use super::asked::{Asked, Under};
use super::checkpoint::Sweep;
use super::load::{self, Answered};
use super::out_of_core::{AskedBox, OutOfCoreArguments};
use super::places::Places;
use super::{Format, Shared, Status, checkpoint, json, progress, text};
use clap::Args;
use nimrule_answer::Session;
use nimrule_engine::retrograde::{self, LabelledPositions};
use nimrule_engine::{
    Label, Limits, Outcome, Query, Question, Region, Shape, SolveError, Table, TableEntry,
};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Game, PositionKind, Side};
use nimrule_model::latex::{self, escaped};
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use unicode_width::UnicodeWidthStr as _;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest heap size of the box
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// All positions with their Grundy values (with --misere: the values in
    /// which terminal positions have value 1)
    #[arg(long)]
    grundy: bool,
    /// Only positions with these outcomes, such as P or L,R,D [default: P; all
    /// for partizan and loopy games]
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = outcome)]
    outcome: Vec<Outcome>,
    #[command(flatten)]
    under: Under,
    /// Only the smallest position of each symmetry orbit, with the orbit size
    #[arg(long)]
    up_to_symmetry: bool,
    /// Only positions in which a heap has this size, such as c=3
    #[arg(long, value_name = "HEAP=SIZE")]
    fix: Vec<String>,
    /// Add the remoteness: the number of moves to the end if the winner hurries and the
    /// loser delays
    #[arg(long)]
    remoteness: bool,
    /// At most this many rows
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// Use only this engine
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    #[command(flatten)]
    checkpoint: checkpoint::CheckpointArguments,
    #[command(flatten)]
    pub(super) out_of_core: OutOfCoreArguments,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    #[cfg(feature = "mpi")]
    super::ranks::check(&arguments.asked.file, arguments.max, &arguments.checkpoint)?;
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    let session = rule.session();
    let (solver, limits) = (session.solver(), session.limits().clone());
    let most = arguments.max.unwrap_or_else(|| session.box_size());
    let failed = |failure| load::failed(&failure, solver, Some(most));
    let fixed = fixed_of_any_size(game, &arguments.fix)?;
    if fixed
        .iter()
        .any(|(_, size)| *size > BigUint::from(i64::MAX.unsigned_abs()))
    {
        return list_by_proof(arguments, shared, &session, &fixed);
    }
    let fixed = fixed_heaps(game, &arguments.fix)?;
    let mut region = solver.region(most, &limits).map_err(failed)?;
    if game.position_kind == PositionKind::Heaps && !fixed.is_empty() {
        let mut sizes = game.box_to(most);
        for (heap, size) in &fixed {
            // A fixed heap may be larger than the others, and need be no larger
            // than it is.
            sizes[*heap] = *size;
        }
        region = solver.region_of(&sizes, &limits).map_err(failed)?;
    }
    let asked = Query {
        question: if arguments.grundy {
            Question::Grundy
        } else {
            Question::Outcome
        },
        convention: arguments.under.convention,
    };
    let forced = arguments.engine.as_deref();
    let checkpoint = arguments.checkpoint.folder(&rule.loaded);
    let out_of_core = match arguments.out_of_core.is_asked() {
        true => {
            check_out_of_core(arguments)?;
            let asked_box = AskedBox {
                session: &session,
                most: Some(most),
                query: asked,
                forced,
            };
            arguments.out_of_core.choose(&rule.loaded, None, &asked_box)
        }
        false => None,
    };
    // Out of core, half of the memory is for a column, and half for the list.
    let halved = Limits {
        memory: limits.memory / 2,
        ..limits.clone()
    };
    let sweep = Sweep {
        session: &session,
        region: &region,
        asked,
        limits: out_of_core.as_ref().map_or(&limits, |_| &halved),
        forced,
        checkpoint: checkpoint.as_ref(),
        out_of_core: out_of_core.as_ref(),
        verb: "list",
        compared: &[],
    };
    let answers = match (&out_of_core, &region) {
        (Some(out_of_core), Region::Box(shape)) => {
            let folder = out_of_core.folder_of(&sweep).expect("it was asked for");
            let runs = Some((folder.as_path(), halved.memory));
            Answers::PPositions(sweep.p_positions(shape, runs)?.0, shape)
        }
        (Some(_), _) => {
            return Err(load::wrong(
                "`--out-of-core` is for a box of heaps; remove it",
            ));
        }
        (None, _) => Answers::Table(sweep.table()?),
    };

    if super::is_silent() {
        return Ok(Status::Fine);
    }
    let boxed = game.heap_count() > 0;
    let mut columns = if boxed {
        game.heap_names.clone()
    } else {
        vec!["position".to_owned()]
    };
    // In partizan and loopy games each row has its outcome.
    let outcomes = game.no_grundy_values().is_some();
    if outcomes {
        columns.push("outcome".to_owned());
    }
    if arguments.grundy {
        columns.push("grundy".to_owned());
    }
    let labels = if arguments.remoteness {
        let labelled = retrograde::label_region(solver, &region, asked.convention, &limits);
        columns.extend(match game.has_sides() {
            true => vec!["left".to_owned(), "right".to_owned()],
            false => vec!["remoteness".to_owned()],
        });
        Some(labelled.map_err(failed)?)
    } else {
        None
    };
    if arguments.up_to_symmetry {
        columns.push("orbit".to_owned());
    }
    let mut out = std::io::BufWriter::new(output(arguments)?);
    let mut rows = rows(shared, &mut out, || {
        let mut head = json::head(game);
        head.insert("convention".into(), json!(asked.convention.word()));
        head.insert("max".into(), json!(most));
        json::states(&mut head, game, &region);
        head.insert("columns".into(), json!(columns));
        head
    });
    let list = List {
        game,
        answers: &answers,
        fixed: &fixed,
        only: &arguments.outcome,
        outcomes,
        grundy: arguments.grundy,
        labels: labels.as_deref(),
        limit: arguments.limit,
        up_to_symmetry: arguments.up_to_symmetry,
        boxed,
        format: shared.format,
        limits: &limits,
    };
    let mut write = || -> Result<Option<u64>, Ended> {
        if shared.format == Format::Text {
            // A list may be longer than the memory, so that it is gone through
            // twice: for the widths of the columns, and to be written.
            let mut widths: Vec<usize> = columns.iter().map(|name| name.width()).collect();
            list.each_row(&mut |row| {
                for (width, value) in widths.iter_mut().zip(row) {
                    *width = cell(value).width().max(*width);
                }
                Ok(())
            })?;
            rows.set_widths(widths);
        }
        rows.begin(&columns)?;
        match list.each_row(&mut |row| rows.row(row)) {
            Ok(cut) => {
                rows.end(None)?;
                Ok(cut)
            }
            Err(Ended::Limit(met)) => {
                rows.end(Some(met))?;
                Err(Ended::Limit(met))
            }
            Err(ended) => Err(ended),
        }
    };
    let written = write();
    drop(rows);
    let written = written.and_then(|cut| Ok(out.flush().map(|()| cut)?));
    match written {
        Ok(Some(limit)) => {
            note_rows_left_out(limit);
            Ok(Status::Fine)
        }
        Err(Ended::Limit(met)) => {
            // What has been written is in order, and not all.
            let _ = out.flush();
            Err(load::failed(&SolveError::from(met), solver, None))
        }
        Err(Ended::Places(error)) => {
            let _ = out.flush();
            Err(load::wrong(&format!(
                "the list so far cannot be read any more, and is not whole: {error}"
            )))
        }
        Err(Ended::Output(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(load::wrong(&format!("the list cannot be written: {error}")))
        }
        _ => Ok(Status::Fine),
    }
}

/// Why a list is incomplete.
enum Ended {
    Limit(LimitExceeded),
    Output(std::io::Error),
    /// The places cannot be read.
    Places(std::io::Error),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Ended {
        Ended::Output(error)
    }
}

fn note_rows_left_out(limit: u64) {
    let shown = match limit {
        1 => "the first row is shown".to_owned(),
        _ => format!("the first {limit} rows are shown"),
    };
    super::load::note(&format!("{shown}; without `--limit` all are"));
}

/// Rows between two checks of the time limit.
const ROWS_A_LOOK: u64 = 1 << 12;

/// Refuses what needs more than the P-positions, which are all that columns leave.
fn check_out_of_core(arguments: &Arguments) -> Answered<()> {
    let is_p_alone = matches!(arguments.outcome.as_slice(), [] | [Outcome::P]);
    let refused = [
        (arguments.grundy, "--grundy"),
        (arguments.remoteness, "--remoteness"),
        (!is_p_alone, "--outcome"),
    ];
    match refused.iter().find(|(is_asked, _)| *is_asked) {
        Some((_, option)) => Err(load::wrong(&format!(
            "`--out-of-core` lists P-positions only; remove it, or `{option}`"
        ))),
        None => Ok(()),
    }
}

/// The answers of a region.
enum Answers<'a> {
    Table(Table),
    /// The places of the P-positions of a box, ascending; there are no draws.
    PPositions(Places, &'a Shape),
}

impl Answers<'_> {
    /// The positions with these outcomes, or all if there are none, by place.
    fn entries(
        &self,
        outcomes: &[Outcome],
    ) -> Box<dyn Iterator<Item = std::io::Result<TableEntry>> + '_> {
        match self {
            Answers::Table(table) => Box::new(table.entries(outcomes).map(Ok)),
            Answers::PPositions(places, shape) => Box::new(places.iter().map(|place| {
                Ok(TableEntry {
                    position: shape.at(place? as usize),
                    outcome: Outcome::P,
                    grundy: Some(0),
                })
            })),
        }
    }
}

/// The requested positions, and the columns of each.
struct List<'a> {
    game: &'a Game,
    answers: &'a Answers<'a>,
    fixed: &'a [(usize, u64)],
    /// The requested outcomes; empty for all.
    only: &'a [Outcome],
    /// Whether each row has its outcome.
    outcomes: bool,
    grundy: bool,
    /// The remoteness of the positions, if it is requested.
    labels: Option<&'a LabelledPositions>,
    /// The largest number of rows.
    limit: Option<u64>,
    up_to_symmetry: bool,
    boxed: bool,
    format: Format,
    limits: &'a Limits,
}

impl List<'_> {
    /// Visits the rows in their order; returns the limit if it leaves some out.
    fn each_row(
        &self,
        visit: &mut dyn FnMut(&[Value]) -> std::io::Result<()>,
    ) -> Result<Option<u64>, Ended> {
        // Where heaps are fixed, the smallest position of an orbit may be another
        // than the smallest that has them so: the first one met is shown.
        let mut shown = BTreeSet::new();
        let (mut seen, mut rows) = (0_u64, 0);
        let outcomes: &[Outcome] = match self.only {
            [] if self.grundy || self.outcomes => &[],
            [] => &[Outcome::P],
            only => only,
        };
        for entry in self.answers.entries(outcomes) {
            if seen.is_multiple_of(ROWS_A_LOOK) {
                self.limits.check_time().map_err(Ended::Limit)?;
            }
            seen += 1;
            let entry = entry.map_err(Ended::Places)?;
            if self.is_wanted(&entry.position, &mut shown) {
                if let Some(limit) = self.limit.filter(|limit| rows >= *limit) {
                    return Ok(Some(limit));
                }
                rows += 1;
                visit(&self.row(&entry))?;
            }
        }
        Ok(None)
    }

    /// Whether a position with a requested outcome has the fixed heaps, and is the one of
    /// its orbit that is shown.
    fn is_wanted(&self, position: &[u64], shown: &mut BTreeSet<Vec<u64>>) -> bool {
        let symmetries = &self.game.facts.symmetries;
        self.fixed
            .iter()
            .all(|(heap, size)| position[*heap] == *size)
            && match (self.up_to_symmetry, self.fixed.is_empty()) {
                (false, _) => true,
                (true, true) => symmetries.is_canonical(position),
                (true, false) => shown.insert(symmetries.canonical(position)),
            }
    }

    fn row(&self, entry: &TableEntry) -> Vec<Value> {
        let (game, position) = (self.game, &entry.position);
        let mut row: Vec<Value> = match (self.boxed, self.format) {
            (true, Format::Json) => match json::small_position(game, position) {
                Value::Array(entries) => entries,
                whole => vec![whole],
            },
            (true, _) if game.digraph().or(game.tokens_on.as_ref()).is_some() => {
                let cells = text::cells(game, position).into_iter();
                cells.map(|cell| json!(cell)).collect()
            }
            (true, _) => position.iter().map(|size| json!(size)).collect(),
            (false, Format::Json) => vec![json::small_position(game, position)],
            (false, _) => vec![json!(game.shown(position))],
        };
        if self.outcomes {
            row.push(json!(entry.outcome.letter()));
        }
        if self.grundy {
            row.push(json!(entry.grundy));
        }
        if let Some(labels) = self.labels {
            let sides: &[Side] = if game.has_sides() {
                &Side::BOTH
            } else {
                &[Side::Left]
            };
            for side in sides {
                let label = labels.label(position, *side);
                row.push(json!(label.and_then(Label::remoteness)));
            }
        }
        if self.up_to_symmetry {
            let orbit = game.facts.symmetries.orbit_size(position);
            row.push(
                u64::try_from(orbit)
                    .map_or_else(|_| json!(orbit.to_string()), |orbit| json!(orbit)),
            );
        }
        row
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    let all = [Outcome::P, Outcome::N, Outcome::L, Outcome::R, Outcome::D];
    let found = all.into_iter().find(|o| o.letter() == text.trim());
    found.ok_or_else(|| "the outcomes are P, N, L, R and D".to_owned())
}

/// The file of `--output`, or standard output.
fn output(arguments: &Arguments) -> Answered<Box<dyn Write>> {
    Ok(match &arguments.output {
        Some(path) => Box::new(
            std::fs::File::create(path)
                .map_err(|error| load::wrong(&format!("`{path}` cannot be written: {error}")))?,
        ),
        None => Box::new(progress::stdout()),
    })
}

/// The writer of rows in the format of the command.
fn rows<'o>(
    shared: &Shared,
    out: &'o mut dyn Write,
    head: impl FnOnce() -> serde_json::Map<String, Value>,
) -> Box<dyn Rows + 'o> {
    match shared.format {
        Format::Latex => Box::new(Latex(out)),
        Format::Csv => Box::new(Csv(csv::Writer::from_writer(out))),
        Format::Json => {
            let mut opening = Value::from(head()).to_string();
            opening.pop();
            Box::new(Json {
                out,
                opening,
                first: true,
            })
        }
        Format::Text => Box::new(Text {
            out,
            widths: Vec::new(),
        }),
    }
}

/// Lists the P-positions in which some heaps have sizes that only a proof can read; the
/// other heaps have at most `--max` tokens.
fn list_by_proof(
    arguments: &Arguments,
    shared: &Shared,
    session: &Session<'_>,
    fixed: &[(usize, BigUint)],
) -> Answered<Status> {
    let game = session.game();
    let asks_for_more = arguments.grundy
        || arguments.remoteness
        || arguments.up_to_symmetry
        || arguments.engine.is_some()
        || !matches!(arguments.outcome.as_slice(), [] | [Outcome::P]);
    if asks_for_more {
        return Err(load::wrong(
            "a fixed heap is too large for every engine, and a proof lists only P-positions; \
             remove `--grundy`, `--remoteness`, `--outcome`, `--up-to-symmetry` and `--engine`",
        ));
    }
    let convention = arguments.under.convention;
    let known = session
        .known(convention)
        .map_err(|unanswered| load::no_answer(session, &unanswered))?;
    let Some(known) = known else {
        return Err(load::wrong(
            "a fixed heap is too large for every engine, and no set of P-positions of this game \
             is proved for all sizes; see `nimrule prove`",
        ));
    };
    let most = arguments
        .max
        .or(game.presentation.suggest_max)
        .unwrap_or(DEFAULT_MAX);
    let is_fixed = |heap: &usize| fixed.iter().any(|(other, _)| other == heap);
    let free: Vec<usize> = (0..game.heap_count())
        .filter(|heap| !is_fixed(heap))
        .collect();
    let mut found: Vec<Vec<Value>> = Vec::new();
    let mut sizes = vec![BigUint::ZERO; game.heap_count()];
    for (heap, size) in fixed {
        sizes[*heap].clone_from(size);
    }
    let mut others = vec![0; free.len()];
    let limit = arguments.limit.unwrap_or(u64::MAX);
    let mut cut = false;
    let met = loop {
        if let Err(met) = session.limits().check_waited_for() {
            break Some(met);
        }
        for (heap, size) in free.iter().zip(&others) {
            sizes[*heap] = BigUint::from(*size);
        }
        if known.outcomes.contains_numbers(&sizes) {
            if found.len() as u64 >= limit {
                cut = true;
                break None;
            }
            found.push(sizes.iter().map(nimrule_answer::json::number).collect());
        }
        // The next sizes in lexicographic order.
        let Some(place) = others.iter().rposition(|size| *size < most) else {
            break None;
        };
        others[place] += 1;
        others[place + 1..].fill(0);
    };
    let columns = game.heap_names.clone();
    let mut out = std::io::BufWriter::new(output(arguments)?);
    let mut rows = rows(shared, &mut out, || {
        let mut head = json::head(game);
        head.insert("convention".into(), json!(convention.word()));
        head.insert("max".into(), json!(most));
        head.insert("basis".into(), json!("proved"));
        head.insert("columns".into(), json!(columns));
        head
    });
    let widths = columns.iter().enumerate().map(|(place, name)| {
        let cells = found.iter().map(|row| cell(&row[place]).width());
        cells.max().unwrap_or(0).max(name.width())
    });
    rows.set_widths(widths.collect());
    let mut write = || {
        rows.begin(&columns)?;
        found.iter().try_for_each(|row| rows.row(row))?;
        rows.end(met)
    };
    let written = write();
    drop(rows);
    load::finish(written.and_then(|()| out.flush()))?;
    if cut {
        note_rows_left_out(limit);
    }
    match met {
        Some(met) => Err(load::failed(&SolveError::from(met), session.solver(), None)),
        None => Ok(Status::Fine),
    }
}

/// The largest other heap beside a fixed one that only a proof can read, without `--max`.
const DEFAULT_MAX: u64 = 15;

/// The heaps of `--fix`, with sizes that engines read.
pub fn fixed_heaps(game: &Game, written: &[String]) -> Answered<Vec<(usize, u64)>> {
    let fixed = fixed_of_any_size(game, written)?.into_iter();
    let small = fixed.map(|(heap, size)| Some((heap, u64::try_from(&size).ok()?)));
    let small: Option<Vec<(usize, u64)>> = small.collect();
    small.ok_or_else(|| load::wrong("a size of `--fix` is too large for every engine"))
}

/// The heaps of `--fix`.
fn fixed_of_any_size(game: &Game, written: &[String]) -> Answered<Vec<(usize, BigUint)>> {
    let mut fixed = Vec::new();
    if let (Some(item), 0) = (written.first(), game.heap_count()) {
        return Err(load::wrong(&format!(
            "`--fix {item}` needs named heaps; positions of this game are multisets of heaps"
        )));
    }
    for item in written {
        let parsed = item.split_once('=').and_then(|(name, size)| {
            let heap = game.heap_names.iter().position(|n| n == name.trim())?;
            let size = size.trim();
            let is_number = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
            let number = BigUint::parse_bytes(size.as_bytes(), 10).filter(|_| is_number);
            let Some(digraph) = game.digraph_of(heap) else {
                return Some((heap, number?));
            };
            let compact = size.replace(' ', "");
            let is_meant = |state: &usize| {
                let shown = digraph.shown(*state);
                shown == size || shown == compact
            };
            let named = (0..digraph.len()).find(is_meant);
            let named = named.map(|state| digraph.number(state));
            let numbered = || u64::try_from(number.as_ref()?).ok();
            let vertex = named.or_else(|| numbered().filter(|n| digraph.state(*n).is_some()))?;
            Some((heap, vertex.into()))
        });
        match parsed {
            Some(pair) => fixed.push(pair),
            None => {
                let (form, names) = match game.digraph() {
                    Some(_) => ("TOKEN=VERTEX", "tokens"),
                    None => ("HEAP=SIZE", "heaps"),
                };
                return Err(load::wrong(&format!(
                    "`--fix {item}` is not {form}; the {names} are {}",
                    game.heap_names.join(", ")
                )));
            }
        }
    }
    Ok(fixed)
}

/// A cell as text: a number, or a string without quotes.
fn cell(value: &Value) -> String {
    if value.is_null() {
        return "-".to_owned();
    }
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A writer of rows.
trait Rows {
    /// Sets the width of each column; ignored by some formats.
    fn set_widths(&mut self, _widths: Vec<usize>) {}
    fn begin(&mut self, columns: &[String]) -> std::io::Result<()>;
    fn row(&mut self, row: &[Value]) -> std::io::Result<()>;
    /// Finishes the output, after the last row or after a limit.
    fn end(&mut self, met: Option<LimitExceeded>) -> std::io::Result<()>;
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

    fn end(&mut self, _met: Option<LimitExceeded>) -> std::io::Result<()> {
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

    fn end(&mut self, met: Option<LimitExceeded>) -> std::io::Result<()> {
        match met {
            None => writeln!(self.out, "]}}"),
            Some(LimitExceeded::Stopped) => writeln!(self.out, "],\"error\":\"interrupted\"}}"),
            Some(
                LimitExceeded::Time | LimitExceeded::Work { .. } | LimitExceeded::Memory { .. },
            ) => {
                writeln!(self.out, "],\"error\":\"limit\"}}")
            }
        }
    }
}

/// Writes right-aligned columns, like [`text::table`].
struct Text<'o> {
    out: &'o mut dyn Write,
    widths: Vec<usize>,
}

impl Text<'_> {
    fn line<'c>(
        &mut self,
        cells: impl Iterator<Item = std::borrow::Cow<'c, str>>,
    ) -> std::io::Result<()> {
        let mut gutter = " ";
        for (cell, width) in cells.zip(&self.widths) {
            let blanks = width.saturating_sub(cell.width());
            write!(self.out, "{gutter}{:blanks$}{cell}", "")?;
            gutter = "  ";
        }
        writeln!(self.out)
    }
}

impl Rows for Text<'_> {
    fn set_widths(&mut self, widths: Vec<usize>) {
        self.widths = widths;
    }

    fn begin(&mut self, columns: &[String]) -> std::io::Result<()> {
        self.line(columns.iter().map(|name| name.as_str().into()))
    }

    fn row(&mut self, row: &[Value]) -> std::io::Result<()> {
        self.line(row.iter().map(|value| cell(value).into()))
    }

    fn end(&mut self, _met: Option<LimitExceeded>) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes a `tabular` with a head; names of heaps and outcomes are text.
struct Latex<'o>(&'o mut dyn Write);

impl Rows for Latex<'_> {
    fn begin(&mut self, columns: &[String]) -> std::io::Result<()> {
        let head: Vec<String> = columns.iter().map(|name| escaped(name)).collect();
        let opening = latex::opening(&"r".repeat(columns.len()), &head);
        write!(self.0, "{opening}")
    }

    fn row(&mut self, row: &[Value]) -> std::io::Result<()> {
        let cells: Vec<String> = row.iter().map(|value| escaped(&cell(value))).collect();
        write!(self.0, "{}", latex::row(&cells))
    }

    fn end(&mut self, _met: Option<LimitExceeded>) -> std::io::Result<()> {
        write!(self.0, "{}", latex::CLOSING)
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, Rows as _};
    use nimrule_limits::LimitExceeded;
    use serde_json::{Value, json};

    #[test]
    fn rows_that_a_limit_cuts_short_are_json() {
        let ended = |met: Option<LimitExceeded>| {
            let mut out = Vec::new();
            let mut rows = Json {
                out: &mut out,
                opening: "{\"version\":1".to_owned(),
                first: true,
            };
            let written = rows
                .begin(&[])
                .and_then(|()| rows.row(&[json!(1)]))
                .and_then(|()| rows.row(&[json!(2)]))
                .and_then(|()| rows.end(met));
            assert!(written.is_ok());
            serde_json::from_slice::<Value>(&out).expect("it is JSON")
        };
        assert_eq!(ended(None), json!({"version": 1, "rows": [[1], [2]]}));
        let cut = json!({"version": 1, "rows": [[1], [2]], "error": "limit"});
        assert_eq!(ended(Some(LimitExceeded::Time)), cut);
        assert_eq!(ended(Some(LimitExceeded::Stopped))["error"], "interrupted");
    }
}
