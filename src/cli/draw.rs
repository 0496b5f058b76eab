//! `draw`: a position, the games of a folder, a plot of outcomes, the move generator, or the
//! move digraph.

mod folder;
mod plot;
#[cfg(feature = "pictures")]
mod terminal;

/// No terminal is known to a binary without pictures.
#[cfg(not(feature = "pictures"))]
mod terminal {
    use super::{Answered, Picture, Protocol, Status, picture};

    pub fn protocol(_: Protocol) -> Answered<Protocol> {
        Err(picture::not_built("`--terminal`"))
    }

    pub fn show(_: &Picture, _: Protocol) -> Answered<Status> {
        Err(picture::not_built("`--terminal`"))
    }
}

use super::asked::Under;
use super::load::{self, Answered};
use super::picture::{self, Kind};
use super::proof_cache::CacheArguments;
use super::{Format, Shared, Status, json, progress};
use clap::{ArgGroup, Args, ValueEnum};
use nimrule_answer::json::position as position_as_json;
use nimrule_answer::{Position, Session, words};
use nimrule_draw::Picture;
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{Label, Limits, SolveError, Solver};
use nimrule_ir as ir;
use nimrule_model::game::Side;
use nimrule_relation::Terminal;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("kind").args(["graph", "relation", "plot"]))]
#[command(group = ArgGroup::new("sized").args(["relation", "plot"]))]
pub struct Arguments {
    /// The rule file, or - for standard input; of a folder the pictures of its games, as a
    /// page of HTML
    file: String,
    /// The position [default: the start of the file, or the names of the heaps]
    #[arg(conflicts_with = "kind", allow_negative_numbers = true)]
    position: Option<String>,
    /// Mark a move: the position after it; without a value the winning move that
    /// `solve` lists first
    #[arg(long = "move", value_name = "AFTER", num_args = 0..=1, default_missing_value = "", conflicts_with = "kind")]
    marked: Option<String>,
    #[command(flatten)]
    under: Under,
    /// Plot the outcomes by the sizes of two heaps
    #[arg(long)]
    plot: bool,
    /// With --plot: Grundy values instead of outcomes
    #[arg(long, requires = "plot")]
    grundy: bool,
    /// With --plot: a heap that is not on an axis has this size, such as c=3
    #[arg(long, value_name = "HEAP=SIZE", requires = "plot")]
    fix: Vec<String>,
    /// The move-generator graph (one for each player if they differ) in DOT, the
    /// language of Graphviz
    #[arg(long, conflicts_with = "misere")]
    graph: bool,
    /// The move digraph in DOT: P-positions as double circles, draws dashed
    #[arg(long, conflicts_with = "misere")]
    relation: bool,
    /// For --relation and --plot: the largest heap size
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true, requires = "sized")]
    max: Option<u64>,
    /// Write to this file instead of standard output: .svg or .png; .html for a folder
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show the picture in the terminal, by this graphics protocol
    #[arg(long, value_name = "PROTOCOL", num_args = 0..=1, require_equals = true, default_missing_value = "auto", conflicts_with_all = ["output", "graph", "relation"])]
    terminal: Option<Protocol>,
    #[command(flatten)]
    cache: CacheArguments,
}

/// A way to send a picture to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// The one that the terminal's environment names
    Auto,
    /// The graphics protocol of kitty: PNG in base 64, in chunks
    Kitty,
    /// The inline images of iTerm2: PNG in base 64
    Iterm,
    /// Sixels, of DEC's terminals and many since
    Sixel,
}

impl Arguments {}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    if std::path::Path::new(&arguments.file).is_dir() {
        return folder::run(arguments, shared);
    }
    let in_dot = arguments.graph || arguments.relation;
    let kind = match &arguments.output {
        Some(path) if !in_dot => picture::kind(path, &[Kind::Svg, Kind::Png])?,
        _ => Kind::Svg,
    };
    let protocol = arguments.terminal.map(terminal::protocol).transpose()?;
    let loaded = load::read(&arguments.file)?;
    let written = arguments.position.as_deref().unwrap_or_default();
    let compiled = loaded.compiled_for(&load::settings(shared)?, written)?;
    let game = &compiled.game;
    let session = arguments.cache.session(&loaded, &compiled, shared);
    if in_dot {
        return write_dot(arguments, shared, &session);
    }
    let mut fields = json::head(game);
    let drawn = if arguments.plot {
        plot::plot(arguments, &session, &mut fields)?
    } else {
        position(arguments, &session, &mut fields)?
    };
    if let Some(protocol) = protocol {
        return terminal::show(&drawn, protocol);
    }
    let mut out = progress::stdout();
    let written = match (&arguments.output, shared.format) {
        (Some(path), format) => {
            picture::write(path, &picture::bytes(&drawn, kind)?)?;
            match format {
                Format::Json => {
                    fields.insert("output".to_owned(), json!(path));
                    writeln!(out, "{}", Value::from(fields))
                }
                Format::Text | Format::Csv | Format::Latex => Ok(()),
            }
        }
        (None, Format::Json) => {
            fields.insert("svg".to_owned(), json!(drawn.svg));
            writeln!(out, "{}", Value::from(fields))
        }
        (None, Format::Text | Format::Csv | Format::Latex) => write!(out, "{}", drawn.svg),
    };
    load::finish(written)
}

/// The picture of a position, with the marked move.
fn position(
    arguments: &Arguments,
    session: &Session<'_>,
    fields: &mut serde_json::Map<String, Value>,
) -> Answered<Picture> {
    let game = session.game();
    let position = match &arguments.position {
        Some(written) => Some(load::position(session, written)?),
        None => game.presentation.start.as_deref().map(Position::from),
    };
    if let Some(position) = &position {
        fields.insert("position".into(), position_as_json(game, position));
    }
    let after = match (&arguments.marked, &position) {
        (None, _) => None,
        (Some(_), None) => {
            return Err(load::wrong(
                "`--move` marks a move from a position, and this file has no `start`: give a \
                 position, as in `nimrule draw FILE POSITION --move`",
            ));
        }
        (Some(written), Some(position)) if written.is_empty() => {
            Some(winning_move(arguments, session, position)?)
        }
        (Some(written), Some(position)) => {
            let after = load::position(session, written)?;
            check_option(session, position, &after)?;
            Some(after)
        }
    };
    if let Some(after) = &after {
        fields.insert("after".into(), position_as_json(game, after));
    }
    nimrule_draw::picture(game, position.as_ref(), after.as_ref())
        .map_err(|error| load::wrong(&error.to_string()))
}

/// The first winning move; in a partizan game Left's, or else Right's.
fn winning_move(
    arguments: &Arguments,
    session: &Session<'_>,
    position: &Position,
) -> Answered<Position> {
    let answer = session
        .outcome(position, arguments.under.convention)
        .map_err(|unanswered| load::no_answer(session, &unanswered))?;
    let first = match &answer.by_side {
        None => answer.moves.found.first().cloned(),
        Some(turns) => turns
            .each()
            .into_iter()
            .filter(|(_, turn)| matches!(turn.label, Label::Win(_)))
            .find_map(|(_, turn)| turn.moves.first().map(|(to, _)| to.as_slice().into())),
    };
    first.ok_or_else(|| {
        load::wrong(&format!(
            "no move wins at {}: mark another one by the position after it, as in `--move \
             POSITION`",
            words::position(session.game(), position)
        ))
    })
}

/// Reports a marked position that no move reaches.
fn check_option(session: &Session<'_>, position: &Position, after: &Position) -> Answered<()> {
    let found = session
        .is_option(position, after, None)
        .map_err(|failure| load::failed(&failure, session.solver(), None))?;
    if found {
        return Ok(());
    }
    Err(load::wrong(&format!(
        "{} is no option of {}: no move leads there",
        words::position(session.game(), after),
        words::position(session.game(), position)
    )))
}

/// Writes the move generator or the move digraph in DOT.
fn write_dot(arguments: &Arguments, shared: &Shared, session: &Session<'_>) -> Answered<Status> {
    let game = session.game();
    let picture = if arguments.relation {
        let solver = session.solver();
        let most = arguments.max.or(game.presentation.suggest_max);
        let most = most.unwrap_or_else(|| session.fitting_size(100, 100_000));
        relation(solver, most, session.limits())
            .map_err(|failure| load::failed(&failure, solver, None))?
    } else {
        let graphs: Vec<_> = if game.has_sides() {
            Side::BOTH.map(|side| ir::lower_for(game, side)).into()
        } else {
            vec![ir::lower(game)]
        };
        ir::dot(&graphs.iter().collect::<Vec<_>>(), &game.heading())
    };
    let mut out = progress::stdout();
    let written = match (&arguments.output, shared.format) {
        (Some(path), format) => std::fs::write(path, picture).and_then(|()| match format {
            Format::Json => {
                let mut answer = json::head(game);
                answer.insert("output".to_owned(), json!(path));
                writeln!(out, "{}", Value::from(answer))
            }
            Format::Text | Format::Csv | Format::Latex => Ok(()),
        }),
        (None, Format::Json) => {
            let mut answer = json::head(game);
            answer.insert("dot".to_owned(), json!(picture));
            writeln!(out, "{}", Value::from(answer))
        }
        (None, Format::Text | Format::Csv | Format::Latex) => write!(out, "{picture}"),
    };
    load::finish(written)
}
/// The move digraph of a game in the DOT language.
fn relation(solver: &Solver<'_>, most: u64, limits: &Limits) -> Result<String, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    let relation = frame.relation();
    let labels = relation.labels(Terminal::Loses, &mut || {
        limits.check_time().map_err(SolveError::from)
    })?;
    let escaped = |words: &str| words.replace('\\', "\\\\").replace('"', "\\\"");
    let title = escaped(&solver.game.heading());
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
