//! Tables of two heaps against each other, typeset.

use nimrule_answer::{Entry, HeapTable};
use nimrule_engine::{Outcome, Question};
use nimrule_model::latex::{escaped, prose, tabular};

/// The most columns of a table across a page; more go into further tables below it.
pub const COLUMNS: usize = 21;

/// A table for the package `booktabs`: P-positions are bold, and an N-position among
/// outcomes is a dot.
pub fn latex(table: &HeapTable) -> String {
    let mut written = String::new();
    for (number, columns) in table.blocks(COLUMNS, 1).into_iter().enumerate() {
        if number > 0 {
            written.push_str("\n\\medskip\n\n");
        }
        let spec = match &table.rows {
            None => "c".repeat(columns.len()),
            Some(_) => format!("r@{{\\qquad}}{}", "c".repeat(columns.len())),
        };
        let mut head: Vec<String> = Vec::new();
        if let Some(rows) = &table.rows {
            head.push(corner(&rows.name, &table.columns.name));
        }
        let labels = &table.columns.labels[columns.clone()];
        head.extend(labels.iter().map(|label| escaped(label)));
        let rows: Vec<Vec<String>> = (table.entries.iter().enumerate())
            .map(|(row, entries)| {
                let label = table.rows.as_ref().map(|rows| escaped(&rows.labels[row]));
                let entries = entries[columns.clone()].iter().map(|entry| sign(*entry));
                label.into_iter().chain(entries).collect()
            })
            .collect();
        written.push_str(&tabular(&spec, &head, &rows));
    }
    written
}

/// The caption: the game with its fixed heaps, the axes, and what the signs mean.
pub fn caption(table: &HeapTable) -> String {
    let what = match table.query.question {
        Question::Outcome => "Outcomes",
        Question::Grundy => "Grundy values",
    };
    let axes = match &table.rows {
        None => format!("by {}", name(&table.columns.name)),
        Some(rows) => format!(
            "by {} (rows) and {} (columns)",
            name(&rows.name),
            name(&table.columns.name)
        ),
    };
    // In the table an N-position is a dot above the line.
    let legend = prose(&table.legend()).replace(". =", "$\\cdot$ =");
    format!("{}: {what} {axes}. {legend}.", escaped(&table.title))
}

/// The left upper corner: the rows below, the columns beside.
fn corner(rows: &str, columns: &str) -> String {
    format!("{} $\\backslash$ {}", name(rows), name(columns))
}

/// A heap in math mode if its name is a letter, and as text otherwise.
fn name(name: &str) -> String {
    match name.len() {
        1 => format!("${}$", escaped(name)),
        _ => escaped(name),
    }
}

fn sign(entry: Option<Entry>) -> String {
    match entry {
        None => String::new(),
        Some(Entry::Outcome(Outcome::N)) => "$\\cdot$".to_owned(),
        Some(entry) if entry.is_p() => format!("\\textbf{{{}}}", entry.shown()),
        Some(entry) => entry.shown(),
    }
}
