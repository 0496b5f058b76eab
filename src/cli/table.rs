//! `table`: two heaps against each other, with the outcome or the Grundy value of each
//! position.

use super::asked::{Asked, Under};
use super::list::fixed_heaps;
use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_answer::{Entry, HeapTable, HeapTableRequest, NoSlice, NoTable, Session};
use nimrule_engine::{Query, Question};
use nimrule_paper::table as typeset;
use serde_json::{Value, json};
use std::io::Write;
use unicode_width::UnicodeWidthStr as _;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The heap, state, token or kind of heap whose sizes number the rows [default: the
    /// first that is not fixed]
    #[arg(long, value_name = "HEAP")]
    rows: Option<String>,
    /// The one whose sizes number the columns [default: the next]
    #[arg(long, value_name = "HEAP")]
    columns: Option<String>,
    /// Another heap has this size, such as c=3
    #[arg(long, value_name = "HEAP=SIZE")]
    fix: Vec<String>,
    /// The largest size on both axes [default: 12; 24 for a table of one row]
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// Grundy values instead of outcomes (with --misere: the values in which
    /// terminal positions have value 1)
    #[arg(long)]
    grundy: bool,
    #[command(flatten)]
    under: Under,
}

/// The columns of a line of text.
const WIDTH: usize = 80;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    let session = rule.session();
    let fixed = fixed_heaps(game, &arguments.fix)?;
    let query = Query {
        question: match arguments.grundy {
            true => Question::Grundy,
            false => Question::Outcome,
        },
        convention: arguments.under.convention,
    };
    let request = HeapTableRequest {
        rows: arguments.rows.as_deref(),
        columns: arguments.columns.as_deref(),
        fixed: &fixed,
        max: arguments.max,
        query,
    };
    let table = session
        .heap_table(&request)
        .map_err(|no| no_table(&session, no))?;
    let mut out = std::io::BufWriter::new(progress::stdout());
    let written = match shared.format {
        Format::Text => write!(out, "{}", as_text(&table)),
        Format::Csv => as_csv(&mut out, &table),
        Format::Json => {
            let mut head = json::head(game);
            head.extend(as_json(&table));
            writeln!(out, "{}", Value::from(head))
        }
        Format::Latex => {
            let head = latex::comment(game, "a table");
            let caption = typeset::caption(&table);
            write!(out, "{head}{}\n{caption}\n", typeset::latex(&table))
        }
    };
    load::finish(written.and_then(|()| out.flush()))
}

/// Reports why there is no table.
fn no_table(session: &Session<'_>, no: NoTable) -> load::Unanswered {
    match no {
        NoTable::Slice(NoSlice::Engine(failure, most)) => {
            load::failed(&failure, session.solver(), most)
        }
        NoTable::Slice(NoSlice::TooLarge { most, limit }) => load::wrong(&format!(
            "`--max {most}` is too large for a table; the limit is {limit}"
        )),
        NoTable::Unanswered(unanswered) => load::no_answer(session, &unanswered),
        no => load::wrong(&no.to_string()),
    }
}

/// The table in blocks of columns that fit the line.
fn as_text(table: &HeapTable) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", text::wrapped(&table.title, 78, 0));
    let what = match table.query.question {
        Question::Outcome => "outcomes",
        Question::Grundy => "Grundy values",
    };
    let axes = match &table.rows {
        None => format!("{what} by {}", table.columns.name),
        Some(rows) => format!(
            "{what}; rows: {}, columns: {}",
            rows.name, table.columns.name
        ),
    };
    shown.push_str(&format!("{}\n", text::wrapped(&axes, 78, 0)));
    let labels = table.rows.iter().flat_map(|rows| &rows.labels);
    let margin = labels.map(|label| label.width()).max().unwrap_or(0);
    let signs = table
        .entries
        .iter()
        .flatten()
        .map(|entry| HeapTable::sign(*entry).width());
    let labels = table.columns.labels.iter().map(|label| label.width());
    // A column with the gap before it.
    let width = signs.chain(labels).max().unwrap_or(0) + 1;
    for columns in table.blocks(WIDTH.saturating_sub(margin + 3), width) {
        let head = table.columns.labels[columns.clone()].iter();
        let head: String = head.map(|label| padded(label, width)).collect();
        shown.push_str(&format!("\n{:margin$}  {FAINT}{head}{FAINT:#}\n", ""));
        for (row, entries) in table.entries.iter().enumerate() {
            let label = table.rows.as_ref().map_or("", |rows| &rows.labels[row]);
            let line: String = entries[columns.clone()]
                .iter()
                .map(|entry| {
                    let sign = padded(&HeapTable::sign(*entry), width);
                    match entry.is_some_and(Entry::is_p) {
                        true => format!("{STRONG}{sign}{STRONG:#}"),
                        false => sign,
                    }
                })
                .collect();
            let line = format!("{FAINT}{}{FAINT:#}  {line}", padded(label, margin));
            shown.push_str(&format!("{}\n", line.trim_end()));
        }
    }
    shown.push_str(&format!(
        "\n{FAINT}{}{FAINT:#}\n",
        text::wrapped(&table.legend(), 78, 0)
    ));
    shown
}

/// A text on the right of a column.
fn padded(words: &str, width: usize) -> String {
    format!("{}{words}", " ".repeat(width.saturating_sub(words.width())))
}

/// A line for each row, after the labels of the columns; the first cell is the label of the
/// row.
fn as_csv(out: &mut dyn Write, table: &HeapTable) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        let corner = match &table.rows {
            None => table.columns.name.clone(),
            Some(rows) => format!("{}\\{}", rows.name, table.columns.name),
        };
        rows.write_record(std::iter::once(&corner).chain(&table.columns.labels))?;
        for (row, entries) in table.entries.iter().enumerate() {
            let label = match (&table.rows, table.query.question) {
                (Some(rows), _) => rows.labels[row].clone(),
                (None, Question::Outcome) => "outcome".to_owned(),
                (None, Question::Grundy) => "grundy".to_owned(),
            };
            let cells = entries.iter();
            let cells = cells.map(|entry| entry.map_or_else(String::new, Entry::shown));
            rows.write_record(std::iter::once(label).chain(cells))?;
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}

fn as_json(table: &HeapTable) -> serde_json::Map<String, Value> {
    let entry = |entry: &Option<Entry>| match entry {
        None => Value::Null,
        Some(Entry::Outcome(outcome)) => json!(outcome.letter()),
        Some(Entry::Value(value)) => json!(value),
    };
    let entries = table.entries.iter();
    let entries = entries.map(|row| row.iter().map(entry).collect::<Value>());
    let axis = |axis: &nimrule_answer::TableAxis| json!({"name": axis.name, "labels": axis.labels});
    let mut fields = serde_json::Map::new();
    fields.insert("convention".into(), json!(table.query.convention.word()));
    fields.insert("of".into(), json!(table.title));
    fields.insert("rows".into(), json!(table.rows.as_ref().map(axis)));
    fields.insert("columns".into(), axis(&table.columns));
    fields.insert("entries".into(), entries.collect());
    fields
}
