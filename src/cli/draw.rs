//! `draw`: pictures of positions as SVG or PNG, and the move generator or the move
//! digraph in the DOT language.

use super::load::{self, Answered, Loaded};
use super::{Format, Shared, Status, json, progress, text};
use clap::Args;
use nimrule_claim as claim;
use nimrule_draw::{Picture, Shown, picture};
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{Label, Limits, Request, SolveError, Solver};
use nimrule_ir as ir;
use nimrule_model::game::{Applies, Convention, Game, Side};
use nimrule_relation::Terminal;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// The position to draw [default: the file's `start`, else its first example, else
    /// the board with the names of its heaps]
    position: Vec<String>,
    /// Mark the move to this position; without one, the first winning move
    #[arg(long = "move", value_name = "POSITION", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    marked: Option<String>,
    /// The move-generator graph (one for each player if they differ) in DOT, the
    /// language of Graphviz
    #[arg(long, conflicts_with_all = ["marked", "position"])]
    graph: bool,
    /// The move digraph in DOT: P-positions as double circles, draws dashed
    #[arg(long, conflicts_with_all = ["graph", "marked", "position"])]
    relation: bool,
    /// For heaps: the largest heap size
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true, requires = "relation")]
    max: Option<u64>,
    /// Write to this file instead of standard output: .svg or .png for a position,
    /// .dot otherwise
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
}

/// A picture as it is written.
struct Drawn {
    bytes: Vec<u8>,
    /// The JSON field of a picture without a file.
    field: &'static str,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let drawn = if arguments.relation {
        let solver = Solver::new(game);
        let most = arguments.max.or(game.suggest_max);
        let most = most.unwrap_or_else(|| claim::fitting_size(&solver, 100, 100_000));
        let dot = relation(&solver, most, &shared.limits())
            .map_err(|failure| load::failed(&failure, &solver, None))?;
        dot_file(dot)
    } else if arguments.graph {
        let graphs: Vec<_> = if game.has_sides() {
            Side::BOTH.map(|side| ir::lower_for(game, side)).into()
        } else {
            vec![ir::lower(game)]
        };
        let graphs = graphs.iter().collect::<Vec<_>>();
        dot_file(ir::dot(&graphs, &text::heading(game)))
    } else {
        position(arguments, shared, &loaded, game)?
    };
    let mut out = progress::stdout();
    let written = match (&arguments.output, shared.format) {
        (Some(path), format) => std::fs::write(path, &drawn.bytes).and_then(|()| match format {
            Format::Json => {
                let mut answer = json::head(game);
                answer.insert("output".to_owned(), json!(path));
                writeln!(out, "{}", Value::from(answer))
            }
            Format::Text | Format::Csv => Ok(()),
        }),
        (None, Format::Json) => {
            let mut answer = json::head(game);
            let words = String::from_utf8_lossy(&drawn.bytes);
            answer.insert(drawn.field.to_owned(), json!(words));
            writeln!(out, "{}", Value::from(answer))
        }
        (None, Format::Text | Format::Csv) => out.write_all(&drawn.bytes),
    };
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(load::wrong(&format!(
            "the picture cannot be written: {error}"
        ))),
        _ => Ok(Status::Fine),
    }
}

fn dot_file(dot: String) -> Drawn {
    Drawn {
        bytes: dot.into_bytes(),
        field: "dot",
    }
}

/// The picture of a position, or of the board alone.
fn position(
    arguments: &Arguments,
    shared: &Shared,
    loaded: &Loaded,
    game: &Game,
) -> Answered<Drawn> {
    let position = if arguments.position.is_empty() {
        let mut examples = game.examples.iter();
        let here = examples.find(|example| example.applies != Applies::Elsewhere);
        let example = here.map(|example| example.position.clone());
        game.start.clone().or(example)
    } else {
        Some(load::position(game, &arguments.position.join(" "))?)
    };
    let after = match (&arguments.marked, &position) {
        (None, _) => None,
        (Some(_), None) => {
            return Err(load::wrong(
                "`--move` marks a move from a position; give the position",
            ));
        }
        (Some(written), Some(position)) => Some(marked(shared, game, position, written)?),
    };
    let drawn = picture(
        game,
        Shown {
            heading: &text::heading(game),
            position: position.as_deref(),
            after: after.as_deref(),
        },
    )
    .map_err(|error| load::wrong(&format!("`{}`: {error}", loaded.source.name)))?;
    let ending = arguments.output.as_deref().map(|path| {
        let ending = Path::new(path)
            .extension()
            .and_then(|ending| ending.to_str());
        ending.unwrap_or_default().to_lowercase()
    });
    let bytes = match ending.as_deref() {
        None | Some("svg") => drawn.svg.into_bytes(),
        Some("png") => png(&drawn)?,
        Some(_) => {
            return Err(load::wrong(
                "a position is drawn as .svg or .png; name such a file",
            ));
        }
    };
    Ok(Drawn {
        bytes,
        field: "svg",
    })
}

/// The position after the marked move: as written, or after the first winning move.
fn marked(shared: &Shared, game: &Game, position: &[u64], written: &str) -> Answered<Vec<u64>> {
    let solver = Solver::new(game);
    let limits = shared.limits();
    if written.is_empty() {
        let answered = claim::answer::answer(
            &solver,
            position,
            Convention::Normal,
            Request::Outcome,
            &limits,
            None,
            claim::Claims::WhereNeeded,
        );
        let answer = answered
            .map_err(|unanswered| load::failed(&unanswered.failure, &solver, None))?
            .answer;
        let by_side = answer.by_side.as_ref();
        let of_side = by_side.and_then(|sides| {
            let each = sides.each();
            Some(each.first()?.1.moves.first()?.0.clone())
        });
        let first = answer.winning_moves.into_iter().next().or(of_side);
        return first.ok_or_else(|| {
            load::wrong(&format!(
                "no move from {} wins; `--move=POSITION` marks any move",
                game.shown(position)
            ))
        });
    }
    let to = load::position(game, written)?;
    let options = ir::moves(&solver.graph, position).map_err(|fault| {
        let position = position.to_vec();
        load::failed(&SolveError::Fault { fault, position }, &solver, None)
    })?;
    if options.contains(&to) {
        Ok(to)
    } else {
        Err(load::wrong(&format!(
            "no move leads from {} to {}",
            game.shown(position),
            game.shown(&to)
        )))
    }
}

/// The picture in pixels, twice as many as its units in each direction.
#[cfg(feature = "pictures")]
fn png(drawn: &Picture) -> Answered<Vec<u8>> {
    const SCALE: f32 = 2.0;
    let failed =
        |why: &dyn std::fmt::Display| load::wrong(&format!("the PNG cannot be made: {why}"));
    let mut options = resvg::usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    if options.fontdb.is_empty() {
        return Err(load::wrong(
            "no font is installed, so that a PNG would have no text; write an .svg",
        ));
    }
    // Where the fonts that the picture names are missing, any font with letters.
    let fallback = options
        .fontdb
        .faces()
        .next()
        .and_then(|face| Some(face.families.first()?.0.clone()));
    if let Some(family) = fallback {
        options.fontdb_mut().set_serif_family(family);
    }
    let tree = resvg::usvg::Tree::from_str(&drawn.svg, &options).map_err(|error| failed(&error))?;
    let size = tree.size().to_int_size();
    let side = |length: u32| (length as f32 * SCALE) as u32;
    let mut pixels = resvg::tiny_skia::Pixmap::new(side(size.width()), side(size.height()))
        .ok_or_else(|| failed(&"it is too large"))?;
    let scale = resvg::tiny_skia::Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(&error))
}

#[cfg(not(feature = "pictures"))]
fn png(_: &Picture) -> Answered<Vec<u8>> {
    Err(super::not_built("PNG files", "an .svg needs nothing more"))
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
