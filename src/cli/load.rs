//! Loading rule files and settings, and reporting their errors.

use super::{Shared, Status, files, json, progress};
use miette::{GraphicalReportHandler, GraphicalTheme};
use nimrule::problem::{Problem, Problems, Report};
use nimrule::{Compiled, compile, parameter_for, parameter_value};
use nimrule_answer::{Position, PositionProblem, Session, Unanswered as NoAnswer};
use nimrule_elaborate::Settings;
use nimrule_engine::{
    self as engine, NoValue, Query, Question, Shape, SolveError, Solver, retrograde,
};
use nimrule_limits::checkpoint;
use nimrule_model::game::{Convention, Game, ParamValue, PositionKind};
use nimrule_model::source::Source;
use nimrule_syntax::{self as syntax, SyntaxProblem};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// There is no answer, for a reason that was reported on standard error; holds
/// the exit status.
#[derive(Debug)]
pub struct Unanswered(pub Status);

pub type Answered<T> = Result<T, Unanswered>;

/// A rule file's text.
pub struct Loaded {
    pub source: Source,
    /// The folder of the files that the rule refers to.
    folder: PathBuf,
    /// Whether it is a file rather than standard input.
    is_file: bool,
    /// The files that the rule refers to, by name.
    beside: RefCell<BTreeMap<String, Vec<u8>>>,
}

/// Reads a rule file; `-` is standard input.
pub fn read(path: &str) -> Answered<Loaded> {
    let (bytes, name, folder) = if path == "-" {
        let bytes = files::read_from(std::io::stdin(), files::MAX_RULE_BYTES)
            .map_err(|error| wrong(&format!("standard input cannot be read: {error}")))?;
        (bytes, "standard input".to_owned(), PathBuf::from("."))
    } else {
        let read = files::read(Path::new(path), files::MAX_RULE_BYTES);
        let bytes = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                wrong(&format!("there is no file `{path}`{}", similar_file(path)))
            }
            std::io::ErrorKind::IsADirectory => {
                wrong(&format!("`{path}` is a folder; name a rule file in it"))
            }
            _ => wrong(&format!("`{path}` cannot be read: {error}")),
        })?;
        let folder = Path::new(path)
            .parent()
            .unwrap_or(Path::new(""))
            .to_path_buf();
        (bytes, path.to_owned(), folder)
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Loaded {
            source: Source::new(name, text),
            folder,
            is_file: path != "-",
            beside: RefCell::default(),
        }),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let problem = SyntaxProblem::NotText {
                at: (offset, 0).into(),
                offset,
            };
            let source = Source::new(name, text);
            show(&Problems::new(&source, [Problem::Syntax(problem)]));
            Err(Unanswered(Status::Wrong))
        }
    }
}

/// A file with a similar name in the same folder, or the game of this name in `games`.
fn similar_file(path: &str) -> String {
    let path = Path::new(path);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Some(wanted) = path.file_name().and_then(|n| n.to_str()) else {
        return String::new();
    };
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".nimrule") && name != super::proof_cache::FOLDER)
        .collect();
    let with_ending = format!("{wanted}.nimrule");
    let here = names.iter().find(|name| **name == with_ending);
    let here = here.map(|name| path.with_file_name(name));
    // The name itself in another folder says more than a similar one.
    let shipped = || {
        let games = [wanted, with_ending.as_str()].map(|name| Path::new("games").join(name));
        games.into_iter().find(|game| game.is_file())
    };
    let similar = || {
        let near = syntax::nearest(wanted, names.iter().map(String::as_str));
        near.map(|near| path.with_file_name(near))
    };
    let near = here.or_else(shipped).or_else(similar);
    near.map_or_else(String::new, |near| {
        format!("; did you mean `{}`?", near.display())
    })
}

impl Loaded {
    /// Reads a file in the folder of the rule file.
    pub fn read_beside(&self, path: &str) -> Result<Vec<u8>, String> {
        let read = files::read(&self.folder.join(path), files::MAX_FILE_BYTES);
        let read = read.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "no such file in the folder of the rule".to_owned(),
            _ => error.to_string(),
        })?;
        let mut beside = self.beside.borrow_mut();
        beside.insert(path.to_owned(), read.clone());
        Ok(read)
    }

    /// The folder of the rule file; `None` for standard input.
    pub fn folder(&self) -> Option<&Path> {
        self.is_file.then_some(self.folder.as_path())
    }

    /// A hash of the rule's text and of the files read for it.
    pub fn hash(&self) -> [u8; 32] {
        self.hash_with(&self.source.text)
    }

    fn hash_with(&self, text: &str) -> [u8; 32] {
        let beside = self.beside.borrow();
        let files = beside
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        checkpoint::hash_of_rule(text, files)
    }

    pub fn compile(&self, settings: &Settings) -> Result<Compiled, Problems> {
        compile(&self.source, settings, &|path| self.read_beside(path))
    }

    /// Compiles a rule again at other values of its parameters.
    pub fn compile_at(
        &self,
        compiled: &Compiled,
        settings: &Settings,
    ) -> Result<Compiled, Problems> {
        compiled.at(settings, &|path| self.read_beside(path))
    }

    /// Compiles the rule for a position. A parameter that counts the heaps is taken from
    /// it, which is noted.
    pub fn compiled_for(&self, settings: &Settings, position: &str) -> Answered<Compiled> {
        let read = |path: &str| self.read_beside(path);
        let found = parameter_for(position, &self.source.text, settings, &read);
        let Some((name, value)) = found else {
            return self.compiled(settings);
        };
        note(&format!("{name} = {value}, as many as the position needs"));
        let mut settings = settings.clone();
        settings.insert(name, ParamValue::Number(value));
        self.compiled(&settings)
    }

    /// Compiles the rule, and reports errors and warnings.
    pub fn compiled(&self, settings: &Settings) -> Answered<Compiled> {
        match self.compile(settings) {
            Ok(compiled) => {
                show(&compiled.warnings);
                Ok(compiled)
            }
            Err(problems) => {
                show(&problems);
                Err(Unanswered(Status::Wrong))
            }
        }
    }
}

/// The parameters set with `--set`.
pub fn settings(shared: &Shared) -> Answered<Settings> {
    let mut settings = Settings::new();
    for setting in &shared.settings {
        add_setting(&mut settings, setting, &format!("--set {setting}"))?;
    }
    Ok(settings)
}

/// Adds one `NAME=VALUE`, written as `typed` on the command line.
pub fn add_setting(settings: &mut Settings, setting: &str, typed: &str) -> Answered<()> {
    let Some((name, value)) = setting.split_once('=') else {
        return Err(wrong(&format!("`{typed}` has no value: write `{typed}=…`")));
    };
    match parameter_value(value) {
        Ok(value) => {
            settings.insert(name.trim().to_owned(), value);
            Ok(())
        }
        Err(problems) => {
            show(&problems);
            Err(Unanswered(Status::Wrong))
        }
    }
}

/// A position given on the command line, with numbers of any size.
pub fn position(session: &Session<'_>, written: &str) -> Answered<Position> {
    position_in(session, written, "the command line")
}

/// A position of `place`, as errors name it.
pub fn position_in(session: &Session<'_>, written: &str, place: &str) -> Answered<Position> {
    let game = session.game();
    if let Some(problem) = not_sizes(game, written) {
        let source = Source::new(place, written.to_owned());
        show(&Problems::new(&source, [problem.into()]));
        return Err(Unanswered(Status::Wrong));
    }
    let text = nimrule_answer::in_brackets(written);
    let source = Source::new(place, text.clone());
    let problems = match session.read(&text) {
        Ok(position) => return Ok(position),
        Err(problems) => problems,
    };
    let problems = problems.into_iter().map(|problem| match problem {
        PositionProblem::Check(problem) => Problem::from(problem),
        PositionProblem::Syntax(mut problem) => {
            if let SyntaxProblem::Unexpected {
                help: help @ None, ..
            } = &mut problem
            {
                *help = Some(way_of_writing(game));
            }
            Problem::from(problem)
        }
    });
    // The condition that excludes a position is in another source.
    let problems = problems.map(|problem| match problem {
        Problem::Check(problem) => problem.outside_of_the_rule().into(),
        other => other,
    });
    show(&Problems::new(&source, problems));
    Err(Unanswered(Status::Wrong))
}

/// The error of sizes that are separated by `;`, or that are not whole.
fn not_sizes(game: &Game, written: &str) -> Option<SyntaxProblem> {
    let in_a_list = |c: char| c.is_ascii_digit() || " ,;.()".contains(c);
    if !written.chars().all(in_a_list) || written.contains("..") {
        return None;
    }
    if let Some(at) = written.find(';') {
        let commas = written.replace(';', ",");
        return Some(SyntaxProblem::ForeignSign {
            sign: ";".to_owned(),
            fix: format!("separate the sizes by commas: `{commas}`"),
            at: (at, 1).into(),
        });
    }
    let dot = written.find('.')?;
    let begin = written[..dot].rfind([' ', ',', '(']).map_or(0, |at| at + 1);
    let end = written[dot..]
        .find([' ', ',', ')'])
        .map_or(written.len(), |length| dot + length);
    let number = &written[begin..end];
    let help = match game.position_kind {
        PositionKind::Reals => "a size that is not whole is a fraction, such as `3/2`".to_owned(),
        _ => format!("sizes are whole numbers; {}", way_of_writing(game)),
    };
    Some(SyntaxProblem::Unexpected {
        expected: "a whole number".to_owned(),
        found: format!("`{number}`"),
        place: "unexpected",
        at: (begin, number.len()).into(),
        help: Some(help),
        fix: None,
    })
}

/// An example of a position of this game. `positions where` may exclude it, but
/// its notation is right.
fn way_of_writing(game: &Game) -> String {
    let heaps = game.heap_count();
    let example: Vec<u64> = match &game.position_kind {
        _ if heaps > 12 => {
            let [first, second, ..] = game.heap_names.as_slice() else {
                unreachable!("there are more than twelve");
            };
            return format!(
                "name the non-empty heaps, as in `{first}=3 {second}=1`, or write `all 1`"
            );
        }
        PositionKind::Multiset(kinds) => {
            let last = kinds.names.len().saturating_sub(1);
            let heaps = [kinds.encode(7, 0), kinds.encode(3, last)].into_iter();
            let states = kinds.states.iter().enumerate();
            let states = states.map(|(state, (_, range))| kinds.encode_state(state, range.low));
            heaps.chain(states).collect()
        }
        PositionKind::Tokens(digraph) => {
            // A vertex of a DOT file may have a name that cannot be written.
            let sayable = |state: &usize| {
                let shown = digraph.shown(*state);
                shown
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_(),".contains(c))
            };
            let states = (0..digraph.len()).filter(sayable);
            let mut numbers: Vec<u64> = states
                .map(|state| digraph.number(state))
                .take(heaps)
                .collect();
            numbers.resize(heaps, numbers.last().copied().unwrap_or(0));
            numbers
        }
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            let states = game.states.iter().map(|state| state.low);
            (1..).take(game.first_state()).chain(states).collect()
        }
    };
    format!(
        "a position of this game is written like `{}`",
        game.shown(&example)
    )
}

/// A report as text of the given width, without a final newline.
pub fn rendered(report: &Report, coloured: bool, width: usize) -> Option<String> {
    let theme = if coloured {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(width)
        .render_report(&mut shown, report)
        .ok()?;
    Some(shown.trim_end_matches('\n').to_owned())
}

/// Writes errors and warnings to standard error.
pub fn show(problems: &Problems) {
    progress::note_problems(problems.reports.iter().map(json::problem));
    let mut out = progress::stderr();
    for report in &problems.reports {
        let coloured =
            anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        if let Some(shown) = rendered(report, coloured, 80) {
            let _ = writeln!(out, "{shown}");
        }
    }
    if let Some(first) = problems.reports.first()
        && problems.has_faults()
    {
        let _ = writeln!(
            out,
            "\nfor details: `nimrule explain {}`",
            first.problem.code_name()
        );
    }
}

/// A closed pipe is not an error: the reader has what it needs.
pub fn finish(written: std::io::Result<()>) -> Answered<Status> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(wrong(&format!("the answer cannot be written: {error}")))
        }
        _ => Ok(Status::Fine),
    }
}

/// The I/O error of a failed CSV write, which distinguishes a closed pipe from a
/// full disk.
pub fn writing(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// Reports an error of the command line.
pub fn wrong(message: &str) -> Unanswered {
    error(message);
    Unanswered(Status::Wrong)
}

/// Writes a note to standard error.
pub fn note(message: &str) {
    let style = anstyle::Style::new().bold();
    let message = super::text::wrapped(message, 74, 6);
    let _ = writeln!(progress::stderr(), "{style}note:{style:#} {message}");
}

pub fn error(message: &str) {
    progress::note_error(message);
    let style = anstyle::Style::new()
        .fg_color(Some(anstyle::AnsiColor::Red.into()))
        .bold();
    let lines: Vec<String> = message
        .lines()
        .map(|line| super::text::wrapped(line, 73, 7))
        .collect();
    let message = lines.join("\n");
    let _ = writeln!(progress::stderr(), "{style}error:{style:#} {message}");
}

/// A request for a box that exceeded a limit.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The largest heap size of the box.
    pub most: u64,
    pub asked: Query,
    pub forced: Option<&'a str>,
    /// Whether rows are enough, without a table.
    pub in_rows: bool,
}

/// Reports why an engine gave no answer.
pub fn failed(failure: &SolveError, solver: &Solver<'_>, most: Option<u64>) -> Unanswered {
    let wanted = most.map(|most| Wanted {
        most,
        asked: Query {
            question: Question::Outcome,
            convention: Convention::Normal,
        },
        forced: None,
        in_rows: true,
    });
    failed_at(failure, solver, wanted)
}

/// Like [`failed`], with the largest box that fits the limits.
pub fn failed_at(
    failure: &SolveError,
    solver: &Solver<'_>,
    wanted: Option<Wanted<'_>>,
) -> Unanswered {
    match failure {
        SolveError::Fault { fault, position } => {
            let no_value = NoValue {
                fault: *fault,
                position: solver.game.shown(position),
            };
            show(&Problems::new(&solver.game.text, [no_value.into()]));
            Unanswered(Status::Wrong)
        }
        SolveError::FaultIn { no_value, text } => {
            show(&Problems::new(text, [no_value.clone().into()]));
            Unanswered(Status::Wrong)
        }
        SolveError::Memory { needed, limit } => {
            progress::limit_is_said();
            let needed = match *needed {
                // A count of positions that does not fit 80 bits.
                needed if needed >> 80 > 0 => "more than any memory".to_owned(),
                needed => format!("{} of memory", super::text::in_bytes(needed)),
            };
            let limit_in_bytes = super::text::in_bytes(u128::from(*limit));
            let mut message = format!("this takes {needed}; the limit is {limit_in_bytes}");
            if let Some(wanted) = wanted
                && let Some(fits) = largest_that_fits(solver, wanted, *limit)
            {
                message.push_str(&format!("; `--max {fits}` fits"));
            } else if wanted.is_some()
                && solver.game.position_kind == PositionKind::Heaps
                && Shape::count(&solver.game.box_to(1)) > u128::from(*limit)
            {
                message.push_str(
                    "; even heaps of at most 1 are too many positions: bound the total with \
                     `positions where`, or solve single positions with `solve`",
                );
            }
            if solver.game.may_repeat && !retrograde::is_bounded(solver.game) {
                message.push_str(
                    "; moves raise heaps without bound: bound them with `positions where`",
                );
            }
            error(&message);
            Unanswered(Status::Limit)
        }
        SolveError::Time => {
            progress::limit_is_said();
            error("time limit reached before an answer was found");
            progress::say_how_to_resume();
            Unanswered(Status::Limit)
        }
        SolveError::Work { .. } => {
            progress::limit_is_said();
            error(&format!(
                "{failure}, before an answer was found; `--time-limit` with more seconds than \
                 millions of steps searches on"
            ));
            Unanswered(Status::Limit)
        }
        SolveError::Stopped => {
            progress::say_interrupted();
            Unanswered(Status::Interrupted)
        }
        SolveError::NoValues { .. }
        | SolveError::Reals
        | SolveError::Open
        | SolveError::NoEngine
        | SolveError::Refused { .. } => {
            error(&failure.to_string());
            Unanswered(Status::Wrong)
        }
        SolveError::UnknownEngine { .. } => {
            let engines = solver.engines.iter();
            let known: Vec<_> = engines.map(|e| format!("`{}`", e.name())).collect();
            error(&format!("{failure}; the engines are {}", known.join(", ")));
            Unanswered(Status::Wrong)
        }
        SolveError::Cannot { engine, reason } => {
            error(&format!(
                "the engine `{engine}` cannot answer this: {reason}"
            ));
            Unanswered(Status::Wrong)
        }
    }
}

/// Reports why a question has no answer, with the claims that cannot answer.
pub fn no_answer(session: &Session<'_>, unanswered: &NoAnswer) -> Unanswered {
    for dismissed in &unanswered.dismissed {
        note(&format!(
            "the claim `{}` cannot answer: {}",
            dismissed.claim, dismissed.why
        ));
    }
    failed(&unanswered.failure, session.solver(), None)
}

/// Notes that a limit was reached before all winning moves were found.
pub fn unfinished(met: &SolveError) -> Status {
    let limit = match met {
        SolveError::Stopped => {
            progress::say_interrupted();
            return Status::Interrupted;
        }
        SolveError::Memory { .. } => "memory limit reached".to_owned(),
        met => met.to_string(),
    };
    progress::limit_is_said();
    error(&format!("{limit} before all winning moves were found"));
    Status::Limit
}

/// The largest box, below the requested one, that fits the memory limit.
fn largest_that_fits(solver: &Solver<'_>, wanted: Wanted<'_>, limit: u64) -> Option<u64> {
    let Wanted { most, asked, .. } = wanted;
    let engine = engine::choose(solver, asked, wanted.forced).ok()?.engine;
    let in_rows = wanted.in_rows && asked.question == Question::Outcome;
    let fits = |size: u64| {
        if let PositionKind::Multiset(kinds) = &solver.game.position_kind {
            let room = u128::from(limit) / engine::multiset::BYTES_PER_POSITION;
            return engine::multiset::count(kinds, size, room + 1) <= room;
        }
        let most = solver.game.box_to(size);
        // The places of a larger box have no numbers.
        if Shape::new(&most).is_none() {
            return false;
        }
        let rows = engine
            .row_plan(solver, &most, asked.question, false)
            .filter(|_| in_rows);
        let needed = match rows {
            Some(plan) => plan.bytes,
            None => engine.bytes(solver, &most, asked),
        };
        needed <= u128::from(limit)
    };
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low > 0).then_some(low)
}
