//! `draw`: the move generator or the move digraph in the DOT language.

use super::load::{self, Answered};
use super::{Format, Shared, Status, json, progress, text};
use clap::Args;
use nimrule_claim as claim;
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{Label, Limits, SolveError, Solver};
use nimrule_ir as ir;
use nimrule_model::game::Side;
use nimrule_relation::Terminal;
use serde_json::{Value, json};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// The move-generator graph (one for each player if they differ) in DOT, the
    /// language of Graphviz
    #[arg(long)]
    graph: bool,
    /// The move digraph in DOT: P-positions as double circles, draws dashed
    #[arg(long, conflicts_with = "graph")]
    relation: bool,
    /// For heaps: the largest heap size
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true, requires = "relation")]
    max: Option<u64>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    if !arguments.graph && !arguments.relation {
        return Err(load::wrong(
            "say what is drawn: `--graph`, how a move is made, or `--relation`, the positions \
             and the moves between them",
        ));
    }
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let picture = if arguments.relation {
        let solver = Solver::new(game);
        let most = arguments.max.or(game.suggest_max);
        let most = most.unwrap_or_else(|| claim::fitting_size(&solver, 100, 100_000));
        relation(&solver, most, &shared.limits())
            .map_err(|failure| load::failed(&failure, &solver, None))?
    } else {
        let graphs: Vec<_> = if game.has_sides() {
            Side::BOTH.map(|side| ir::lower_for(game, side)).into()
        } else {
            vec![ir::lower(game)]
        };
        ir::dot(&graphs.iter().collect::<Vec<_>>(), &text::heading(game))
    };
    let mut out = progress::stdout();
    let written = match (&arguments.output, shared.format) {
        (Some(path), format) => std::fs::write(path, picture).and_then(|()| match format {
            Format::Json => {
                let mut answer = json::head(game);
                answer.insert("output".to_owned(), json!(path));
                writeln!(out, "{}", Value::from(answer))
            }
            Format::Text | Format::Csv => Ok(()),
        }),
        (None, Format::Json) => {
            let mut answer = json::head(game);
            answer.insert("dot".to_owned(), json!(picture));
            writeln!(out, "{}", Value::from(answer))
        }
        (None, Format::Text | Format::Csv) => write!(out, "{picture}"),
    };
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the picture cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}

/// The move digraph of a game in the DOT language.
fn relation(solver: &Solver<'_>, most: u64, limits: &Limits) -> Result<String, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    let relation = frame.relation();
    let labels = relation.labels(Terminal::Loses, &mut || {
        limits.check_time().map_err(SolveError::from)
    })?;
    let escaped = |words: &str| words.replace('\\', "\\\\").replace('"', "\\\"");
    let title = escaped(&text::heading(solver.game));
    let mut picture = format!(
        "digraph {{\n    label=\"{title}\" labelloc=t fontname=\"sans-serif\"\n    node [fontname=\"sans-serif\"]\n"
    );
    for state in 0..relation.states() {
        let name = escaped(&solver.game.shown(&frame.position(state)));
        let look = match labels.of(state) {
            Label::Win(_) => "shape=circle",
            Label::Lose(_) => "shape=doublecircle",
            Label::Draw => "shape=circle style=dashed",
        };
        picture.push_str(&format!("    {state} [label=\"{name}\" {look}]\n"));
    }
    for state in 0..relation.states() {
        for to in relation.from(state) {
            picture.push_str(&format!("    {state} -> {to}\n"));
        }
    }
    picture.push_str("}\n");
    Ok(picture)
}
