//! `draw`: pictures.

use super::load::{self, Answered};
use super::{Shared, Status, text};
use crate::game::Side;
use crate::ir;
use clap::Args;
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// The move-generator graph, or those of both sides, in the DOT language
    /// of Graphviz
    #[arg(long, required = true)]
    graph: bool,
    /// Write into this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let graphs: Vec<_> = if game.has_sides() {
        Side::BOTH.map(|side| ir::lower_for(game, side)).into()
    } else {
        vec![ir::lower(game)]
    };
    let picture = ir::dot(&graphs.iter().collect::<Vec<_>>(), &text::heading(game));
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
