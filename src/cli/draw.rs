//! `draw`: pictures.

use super::load::{self, Answered};
use super::{Shared, Status, text};
use crate::ir;
use clap::Args;
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// The move-generator graph, in the DOT language of Graphviz
    #[arg(long, required = true)]
    graph: bool,
    /// Write into this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let picture = ir::dot(&ir::lower(&compiled.game), &text::heading(&compiled.game));
    let written = match &arguments.output {
        Some(path) => std::fs::write(path, picture),
        None => write!(anstream::stdout(), "{picture}"),
    };
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the picture cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}
