//! A rule file as a short paper in LaTeX: the rule in words, the board as a picture, a
//! table, the P-positions of a small box, the claims as theorems with the sketch of their
//! proofs or as conjectures with their bound, the examples and the references.
//!
//! A paper is a text that a [`Session`] gives: this crate reads and writes no file, so that
//! the command line, the page and the Python package can call it. The document needs
//! pdfLaTeX with `amsmath`, `amssymb`, `amsthm`, `booktabs`, `geometry` and `tikz`.
//!
//! ```text
//! lib      the document and its sections
//! rule     positions and moves in words
//! results  claims as theorems, conjectures and remarks
//! table    tables of two heaps against each other
//! html     parts of pages of HTML
//! sheet    sheets of positions to solve, as HTML and PDF
//! ```
//!
//! # Examples
//!
//! ```
//! use nimrule_answer::Session;
//! use nimrule_limits::Limits;
//! use nimrule_paper::{PaperRequest, paper};
//!
//! let text = "game nim heaps a b move take from one heap claim P iff a == b";
//! let file = nimrule_syntax::parse(text).into_result().expect("no syntax error");
//! let no_files = |_: &str| Err("no files".to_owned());
//! let game = nimrule_analysis::check(&file, text, &Default::default(), &no_files)
//!     .expect("no errors")
//!     .game;
//! let session = Session::new(&game, Limits::of_memory(1 << 28));
//! let written = paper(&session, &file, &PaperRequest::default()).expect("a paper");
//! assert!(written.contains("\\begin{theorem}"));
//! ```

#![warn(missing_docs)]

pub mod html;
mod results;
mod rule;
pub mod sheet;
pub mod table;

use nimrule_answer::{Effort, HeapTable, HeapTableRequest, Session, words};
use nimrule_engine::{Outcome, Query, Question, Region, SolveError, Steps, TableEntry};
use nimrule_model::game::{Applies, Claim, Convention, Game, PositionKind};
use nimrule_model::latex::{escaped, prose};
use nimrule_model::position::Position;
use nimrule_syntax::{ast, notation};

/// What a paper is asked for.
#[derive(Debug, Clone)]
pub struct PaperRequest {
    /// The largest size in the table; by default what [`HeapTableRequest`] has.
    pub max: Option<u64>,
    /// How the rule file is called in the command that repeats the results.
    pub file: String,
    /// The options of that command that set the parameters, as they are typed.
    pub settings: Vec<String>,
    /// The time for the proof of each claim, and the box where there is none.
    pub effort: Effort,
}

impl Default for PaperRequest {
    fn default() -> PaperRequest {
        PaperRequest {
            max: None,
            file: "game.nimrule".to_owned(),
            settings: Vec::new(),
            // A cached proof has no sketch.
            effort: Effort {
                accepts_cached: false,
                ..Effort::COMMAND.proving(Steps::million(20))
            },
        }
    }
}

/// The most P-positions that are listed, and the letters after which no more are.
const POSITIONS_LISTED: usize = 40;
const LETTERS_LISTED: usize = 500;

/// The largest box of the heaps beside those of the table; without it they have one token.
const BOX_OF_OTHERS: u64 = 5_000;

/// The largest automaton that is drawn, in states.
const STATES_DRAWN: usize = 6;

/// The paper as the text of a `.tex` file.
///
/// # Errors
///
/// A fault in the rule, or a limit or an interruption before there was an answer. A limit
/// at a claim is no error: the claim is then undecided.
pub fn paper(
    session: &Session<'_>,
    file: &ast::File,
    request: &PaperRequest,
) -> Result<String, SolveError> {
    let game = session.game();
    let mut body = section("The game", &rule::description(game, file));
    body.push_str(&figure(game));
    let (outcomes, table) = outcomes(session, request)?;
    if !outcomes.is_empty() {
        body.push_str(&section("Outcomes", &outcomes));
    }
    body.push_str(&results::section(session, file, &request.effort)?);
    body.push_str(&results::examples(session)?);
    body.push_str(&section(
        "Repeating the results",
        &repeating(game, request, table.as_deref()),
    ));
    body.push_str(&references(game));
    Ok(format!(
        "{PREAMBLE}\\title{{{}}}\n\\author{{}}\n\\date{{}}\n\n\\begin{{document}}\n\\maketitle\n\n\
         {}{body}\\end{{document}}\n",
        escaped(&game.heading()),
        meaning(&body),
    ))
}

/// The packages and the kinds of statements.
const PREAMBLE: &str = "\\documentclass[11pt]{article}
\\usepackage[margin=28mm]{geometry}
\\usepackage{amsmath, amssymb, amsthm, booktabs, tikz}
\\usetikzlibrary{automata, arrows.meta}
\\newtheorem{theorem}{Theorem}
\\newtheorem{conjecture}[theorem]{Conjecture}
\\theoremstyle{remark}
\\newtheorem{remark}[theorem]{Remark}
\\emergencystretch=3em
";

fn section(title: &str, text: &str) -> String {
    format!("\\section{{{title}}}\n\n{text}\n")
}

/// The notation that the text uses.
fn meaning(body: &str) -> String {
    let meanings: Vec<String> = notation(body)
        .into_iter()
        .map(|(sign, meaning)| format!("${sign}$: {meaning}"))
        .collect();
    match meanings.is_empty() {
        true => String::new(),
        false => format!(
            "\\begin{{small}}\n\\noindent\\textit{{Notation.}} {}.\n\\end{{small}}\n\n",
            meanings.join("; ")
        ),
    }
}

/// The position of the picture and of the table: the start or the first example.
fn pictured(game: &Game) -> Option<&[u64]> {
    let mut examples = game.examples.iter();
    let example = examples.find(|example| example.applies != Applies::Elsewhere);
    let example = example.map(|example| &example.position);
    let shown = game.presentation.start.as_ref().or(example);
    shown.map(Vec::as_slice)
}

/// Whether the box of a table in which other heaps have these sizes is solved in a moment.
fn is_small(sizes: &[u64]) -> bool {
    let positions = sizes.iter().map(|size| size.saturating_add(1));
    positions.fold(1, u64::saturating_mul) <= BOX_OF_OTHERS
}

/// The picture of the board at the start or the first example, as a figure.
fn figure(game: &Game) -> String {
    let position = pictured(game).map(Position::from);
    let drawn = match nimrule_draw::picture(game, position.as_ref(), None) {
        Ok(drawn) => drawn.tikz((330.0, 230.0)),
        Err(too_large) => {
            return format!(
                "There is no picture: {}.\n\n",
                prose(&too_large.to_string())
            );
        }
    };
    let caption = match &position {
        Some(position) => format!(
            "The position {}.",
            escaped(&words::position(game, position).replace('\n', " "))
        ),
        None => "The heaps.".to_owned(),
    };
    drawn.map_or_else(String::new, |drawn| {
        format!("\\begin{{figure}}[htbp]\n\\centering\n{drawn}\\caption{{{caption}}}\n\\end{{figure}}\n\n")
    })
}

/// The table of two heaps, and the P-positions of a small box, with the options of the
/// command that shows the table.
fn outcomes(
    session: &Session<'_>,
    request: &PaperRequest,
) -> Result<(String, Option<String>), SolveError> {
    let game = session.game();
    if SolveError::check_kind(game).is_err() {
        return Ok((String::new(), None));
    }
    let (mut text, mut shown) = (String::new(), None);
    if let Some((table, options)) = small_table(session, request)? {
        shown = Some(options);
        text.push_str(&format!(
            "\\begin{{table}}[htbp]\n\\centering\\small\n{}\\caption{{{}}}\n\\end{{table}}\n\n",
            table::latex(&table),
            table::caption(&table)
        ));
    }
    text.push_str(&positions(session, Convention::Normal)?);
    let is_of_misere = |claim: &Claim| {
        claim.convention == Convention::Misere && claim.applies != Applies::Elsewhere
    };
    if game.claims.iter().any(is_of_misere) {
        text.push_str(&positions(session, Convention::Misere)?);
    }
    Ok((text, shown))
}

/// The table of the first two heaps, where the others have the sizes of the picture or one
/// token; `None` if there is nothing to see in one.
fn small_table(
    session: &Session<'_>,
    request: &PaperRequest,
) -> Result<Option<(HeapTable, String)>, SolveError> {
    let game = session.game();
    // Boards on which a heap has a token or none have no sizes to compare.
    if game.largest_size == Some(1) {
        return Ok(None);
    }
    let question = match game.no_grundy_values() {
        None if game.claims.iter().any(results::is_of_values) => Question::Grundy,
        _ => Question::Outcome,
    };
    let mut axes = game.first_state().min(2);
    let sizes = pictured(game).filter(|position| is_small(&position[axes.min(position.len())..]));
    let mut fixed: Vec<(usize, u64)> = (axes..game.first_state())
        .map(|heap| {
            let size = sizes.and_then(|position| position.get(heap)).copied();
            (heap, size.unwrap_or(1))
        })
        .collect();
    // States with an initial value have it without being named.
    let states = (game.first_state()..game.heap_count()).zip(&game.states);
    for (heap, state) in states.filter(|(_, state)| state.initial.is_none()) {
        match axes < 2 {
            true => axes += 1,
            false => fixed.push((heap, state.low)),
        }
    }
    let asked = HeapTableRequest {
        rows: None,
        columns: None,
        fixed: &fixed,
        max: request.max,
        query: Query {
            question,
            convention: Convention::Normal,
        },
    };
    use nimrule_answer::{NoSlice, NoTable};
    match session.heap_table(&asked) {
        Ok(table) => {
            let has_positions = table.entries.iter().flatten().any(Option::is_some);
            let fits = table.columns.labels.len() <= 2 * table::COLUMNS
                && table.entries.len() <= 2 * table::COLUMNS;
            let options = options(game, &asked);
            Ok((has_positions && fits).then_some((table, options)))
        }
        Err(NoTable::Slice(NoSlice::Engine(
            failure @ (SolveError::Fault { .. } | SolveError::FaultIn { .. } | SolveError::Stopped),
            _,
        ))) => Err(failure),
        // A table is left out where its positions are too many.
        Err(_) => Ok(None),
    }
}

/// The options of the command `table` that asks for a table.
fn options(game: &Game, asked: &HeapTableRequest<'_>) -> String {
    let mut options = String::new();
    // States have their initial values without being named.
    let heaps = asked
        .fixed
        .iter()
        .filter(|(heap, _)| *heap < game.first_state());
    for (heap, size) in heaps {
        let size = game.shown_number(*heap, *size);
        options.push_str(&format!(" --fix {}={size}", game.heap_names[*heap]));
    }
    if let Some(most) = asked.max {
        options.push_str(&format!(" --max {most}"));
    }
    if asked.query.question == Question::Grundy {
        options.push_str(" --grundy");
    }
    options
}

/// The P-positions of a small box in a paragraph.
fn positions(session: &Session<'_>, convention: Convention) -> Result<String, SolveError> {
    let game = session.game();
    let most = session.fitting_size(2_000, 200_000);
    let limits = session.limits();
    let query = Query {
        question: Question::Outcome,
        convention,
    };
    let among = match convention {
        Convention::Normal => "Among",
        Convention::Misere => "Under mis\\`ere play, among",
    };
    let region = session.solver().region(most, limits)?;
    if most == 0 && !region.are_all(game) {
        return Ok(String::new());
    }
    let table = match session.table(&region, query, limits, None) {
        Ok(table) => table,
        Err(SolveError::Time | SolveError::Memory { .. }) => return Ok(String::new()),
        Err(failure) => return Err(failure),
    };
    let is_heaps = game.position_kind == PositionKind::Heaps;
    let symmetries = &game.facts.symmetries;
    let mut listed = Vec::new();
    let (mut all, mut shown, mut letters) = (0_usize, 0_usize, 0);
    for TableEntry { position, .. } in table.entries(&[Outcome::P]) {
        all += 1;
        if is_heaps && !symmetries.is_canonical(&position) {
            continue;
        }
        shown += 1;
        if letters < LETTERS_LISTED && listed.len() < POSITIONS_LISTED {
            let position = Position::from(position);
            let words = escaped(&words::position(game, &position).replace('\n', " "));
            letters += words.len();
            listed.push(words);
        }
    }
    let orbit = match shown < all {
        true => format!(
            ", of which {} are different up to the symmetries of the rule",
            words::grouped(shown as u128)
        ),
        false => String::new(),
    };
    let those = match (shown, listed.len()) {
        (0, _) => {
            return Ok(format!(
                "{among} {} there are no P-positions.\n\n",
                covered(game, &region)
            ));
        }
        (shown, listed) if shown > listed => format!("the first {listed} of them are"),
        (1, _) => "it is".to_owned(),
        _ => "they are".to_owned(),
    };
    Ok(format!(
        "{among} {} there {} {}{orbit}; {those} {}.\n\n",
        covered(game, &region),
        if all == 1 { "is" } else { "are" },
        words::counted(all as u128, "P-position"),
        listed.join(", ")
    ))
}

/// The positions of a region as a noun phrase.
fn covered(game: &Game, region: &Region) -> String {
    match region.are_all(game) {
        true => "all positions".to_owned(),
        false => format!(
            "the positions of the box ({})",
            escaped(&region.words(game))
        ),
    }
}

/// The commands that repeat the results; `table` has the options of that of the table.
fn repeating(game: &Game, request: &PaperRequest, table: Option<&str>) -> String {
    let settings: String = request
        .settings
        .iter()
        .map(|setting| format!(" --set {setting}"))
        .collect();
    let with = |verb: &str, options: &str| {
        let typed = format!("nimrule {verb} {}{settings}{options}", request.file);
        format!("\\texttt{{{}}}", escaped(&typed))
    };
    let command = |verb: &str| with(verb, "");
    let table = table.map_or_else(String::new, |options| {
        format!(" The table is that of {}.", with("table", options))
    });
    let prove = match game.claims.is_empty() {
        true => String::new(),
        false => format!(
            " {} proves the claims again, with \\texttt{{-{{}}-certificate}} also as certificates \
             that \\texttt{{nimrule verify}} checks without the prover; {} compares them with a \
             box.",
            command("prove"),
            command("test")
        ),
    };
    format!(
        "\\begin{{flushleft}}\nThis paper is written by {} \\cite{{nimrule}}.{table}{prove}\n\
         \\end{{flushleft}}\n",
        command("paper")
    )
}

/// The sources of the game, and this program.
fn references(game: &Game) -> String {
    let sources = &game.presentation.sources;
    let program = format!(
        "\\bibitem{{nimrule}} \\texttt{{nimrule}}, version {}: a language for impartial take-away \
         games, with engines and provers. Computer program.\n",
        env!("CARGO_PKG_VERSION")
    );
    let items: String = (1..)
        .zip(sources)
        .map(|(number, source)| format!("\\bibitem{{source{number}}} {}.\n", prose(source)))
        .collect();
    format!("\\begin{{thebibliography}}{{9}}\n{items}{program}\\end{{thebibliography}}\n\n")
}
