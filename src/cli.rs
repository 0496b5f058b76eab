//! The command line, one module for each verb. Only this module tree prints and
//! reads files. It is in the library for the Python package, whose command it is.

mod annotation;
mod asked;
mod atlas;
mod certificate;
mod check;
mod checkpoint;
mod conjecture;
mod discover;
mod draw;
mod explain;
mod files;
mod fmt;
mod json;
mod latex;
mod list;
mod list_games;
mod load;
mod lsp;
mod memory;
mod new;
mod numbers;
mod oeis;
mod out_of_core;
mod paper;
mod partizan;
mod picture;
mod places;
mod play;
mod progress;
mod prompt;
mod proof_cache;
mod prove;
mod quotient;
#[cfg(feature = "mpi")]
mod ranks;
mod repl;
mod resumable;
mod rocq;
mod same_as;
mod search;
mod sequence;
mod sheet;
mod shell;
mod smt;
mod solve;
mod structures;
mod sum;
mod table;
mod test;
mod text;
mod verify;
mod why;

pub use memory::free as free_memory;

use clap::{Args, Parser, Subcommand, ValueEnum};
use nimrule_limits::Steps;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// The exit status of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The question was answered, or all claims hold.
    Fine = 0,
    /// A claim or an example fails.
    Fails = 1,
    /// The rule file or the command line has an error.
    Wrong = 2,
    /// The time or memory limit was reached before the answer.
    Limit = 3,
    /// The process was interrupted or terminated by a signal.
    Interrupted = 130,
}

/// The version, and the features that the default build lacks.
const VERSION: &str = if cfg!(feature = "full") {
    concat!(env!("CARGO_PKG_VERSION"), " (full)")
} else {
    env!("CARGO_PKG_VERSION")
};

/// Solve, check and test impartial take-away games written as rules.
#[derive(Debug, Parser)]
#[command(name = "nimrule", version = VERSION, about, max_term_width = 80)]
struct Command {
    #[command(subcommand)]
    verb: Verb,

    #[command(flatten)]
    shared: Shared,
}

/// In the order of `--help`: writing and solving a rule first, then what is claimed and proved of
/// it, then other questions, and last what serves the files.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a commented rule file to start from
    New(new::Arguments),
    /// Report all errors of a file, each with its place and a fix
    Check(check::Arguments),
    /// Who wins, from one position or from every position of a box
    Solve(solve::Arguments),
    /// Why a position is won or lost: the moves, the replies, the claims worked out
    Why(why::Arguments),
    /// Play a game against the program
    Play(play::Arguments),
    /// List the P-positions, or all positions with their Grundy values
    List(list::Arguments),
    /// A table of two heaps against each other: outcomes or Grundy values
    Table(table::Arguments),
    /// Draw a position, or a plot of the outcomes (SVG, PNG), or the moves (DOT)
    Draw(draw::Arguments),
    /// Check the claims and examples of rule files up to a bound
    Test(test::Arguments),
    /// Prove or refute the claims of a file for all heap sizes
    Prove(prove::Arguments),
    /// Find the P-positions for all heap sizes from the rule, with a proof
    Discover(discover::Arguments),
    /// Conditions on the P-positions that hold in a box: conjectures, not theorems
    Conjecture(conjecture::Arguments),
    /// The known games with the same moves as a rule, or the same outcomes
    SameAs(same_as::Arguments),
    /// The Grundy values of single heaps, and their period
    Sequence(sequence::Arguments),
    /// The misere quotient of a heap game, and its pretending function
    Quotient(quotient::Arguments),
    /// Who wins a sum of positions of several games
    Sum(sum::Arguments),
    /// The kernels of the move digraph: consistent P/N labellings
    Structures(structures::Arguments),
    /// Search the parameters of a rule for those at which its claims hold
    Search(search::Arguments),
    /// The P-positions of all games of simplicial Nim with a number of heaps
    Atlas(atlas::Arguments),
    /// The integer sequences of a game, compared with known ones of the OEIS
    Oeis(oeis::Arguments),
    /// Write a paper in LaTeX: the rule in words, its table, its theorems
    Paper(paper::Arguments),
    /// A sheet of positions to solve, with their solutions (HTML)
    Sheet(sheet::Arguments),
    /// Check the certificate of a proof against the rule
    Verify(verify::Arguments),
    /// List the games of a folder by their sources
    ListGames(list_games::Arguments),
    /// Answer positions, expressions and claims typed at a prompt
    Repl(repl::Arguments),
    /// Lay out rule files in one form
    Fmt(fmt::Arguments),
    /// Serve an editor: errors, hover, completion, renaming, the standing of claims
    Lsp(lsp::Arguments),
    /// Explain an error code, with an example
    Explain(explain::Arguments),
    /// Write the completions of a shell
    Completions(shell::Completions),
    /// Write the manual pages
    Man(shell::Manual),
}

/// The verbs of [`Verb::has_latex`], for an error.
const LATEX_VERBS: &str = "`atlas`, `conjecture`, `discover`, `list`, `oeis`, `prove`, \
     `quotient`, `search`, `sequence`, `solve`, `structures`, `sum`, `table`, `test` and `why`; `paper` always writes \
     LaTeX";

impl Verb {
    /// The verbs that have a format, if this one has it not.
    fn other_verbs(&self, format: FormatArgument) -> Option<&'static str> {
        let (has, verbs) = match format {
            FormatArgument::Text | FormatArgument::Json | FormatArgument::Csv => return None,
            FormatArgument::Latex => (self.has_latex(), LATEX_VERBS),
            FormatArgument::Junit => (matches!(self, Verb::Test(_)), "`test`"),
            FormatArgument::Github => (
                matches!(self, Verb::Test(_) | Verb::Check(_)),
                "`check` and `test`",
            ),
        };
        (!has).then_some(verbs)
    }

    /// Whether the answers of the verb have a form in LaTeX: those of all verbs that
    /// compute something.
    fn has_latex(&self) -> bool {
        match self {
            Verb::Solve(_)
            | Verb::Sum(_)
            | Verb::Why(_)
            | Verb::List(_)
            | Verb::Table(_)
            | Verb::Paper(_)
            | Verb::Sequence(_)
            | Verb::Oeis(_)
            | Verb::Quotient(_)
            | Verb::Test(_)
            | Verb::Prove(_)
            | Verb::Conjecture(_)
            | Verb::Discover(_)
            | Verb::Atlas(_)
            | Verb::Search(_)
            | Verb::Structures(_) => true,
            Verb::Play(_)
            | Verb::Sheet(_)
            | Verb::Repl(_)
            | Verb::ListGames(_)
            | Verb::SameAs(_)
            | Verb::Check(_)
            | Verb::Verify(_)
            | Verb::New(_)
            | Verb::Fmt(_)
            | Verb::Lsp(_)
            | Verb::Draw(_)
            | Verb::Explain(_)
            | Verb::Completions(_)
            | Verb::Man(_) => false,
        }
    }
}

/// The options of every verb.
#[derive(Debug, Clone, Args)]
struct Shared {
    /// Output format
    #[arg(long = "format", value_name = "FORMAT", value_enum, default_value_t = FormatArgument::Text, global = true)]
    requested: FormatArgument,

    #[arg(skip)]
    format: Format,

    /// Colours in text output
    #[arg(long, value_enum, default_value_t = Colour::Auto, global = true)]
    color: Colour,

    /// Set a parameter of the game, such as n=6 or amounts={1,3,4}
    #[arg(long = "set", value_name = "NAME=VALUE", global = true)]
    settings: Vec<String>,

    /// Stop the command after this many seconds
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds)]
    time_limit: Option<Duration>,

    /// Use at most this much memory, such as 500M or 4G [default: free memory]
    #[arg(long, value_name = "BYTES", global = true, value_parser = bytes)]
    memory_limit: Option<u64>,

    /// Use at most this many threads [default: one for each processor]
    #[arg(long, value_name = "N", global = true, value_parser = threads)]
    threads: Option<usize>,

    /// Do not report the progress of a long run
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// The format that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    Text,
    Json,
    Csv,
    /// For papers, of the verbs that compute something
    Latex,
    /// JUnit's XML, of `test`
    Junit,
    /// Annotations of GitHub's workflows, of `check` and `test`
    Github,
}

/// The format of the answers that every verb has. One that few have is text to the others,
/// which refuse it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Text,
    Json,
    Csv,
    Latex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

impl Status {
    /// The name of the status in JSON output.
    fn word(self) -> &'static str {
        match self {
            Status::Fine => "fine",
            Status::Fails => "fails",
            Status::Wrong => "wrong",
            Status::Limit => "limit",
            Status::Interrupted => "interrupted",
        }
    }
}

impl Shared {
    /// The limits of the whole command, counted from its start.
    fn limits(&self) -> nimrule_engine::Limits {
        nimrule_engine::Limits {
            memory: progress::bounds().memory,
            deadline: progress::bounds().deadline,
            threads: self.threads.unwrap_or_else(|| {
                let available = std::thread::available_parallelism();
                (available.map_or(1, std::num::NonZero::get) / ranks_on_this_machine()).max(1)
            }),
            progress: Some(progress::watch()),
            work: None,
            patience: self.time_limit.map(Steps::in_time),
        }
    }
}

/// Runs the command and returns its exit code.
///
/// ```
/// use nimrule::cli::run;
///
/// assert_eq!(run(["nimrule", "explain"].map(Into::into)), 0);
/// ```
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let begun = Instant::now();
    let arguments: Vec<OsString> = arguments.into_iter().map(sum::no_option).collect();
    let mut command = match Command::try_parse_from(&arguments) {
        Ok(command) => command,
        Err(error) => {
            // Help and version are answers; anything else is a wrong command.
            let wrong = error.use_stderr();
            let _ = error.print();
            if wrong && asks_for_json(&arguments) {
                let message = error.to_string();
                let first = message.split("\n\n").next().unwrap_or_default();
                let words: Vec<&str> = first.split_whitespace().collect();
                progress::note_error(words.join(" ").trim_start_matches("error: "));
                progress::write_failure(Status::Wrong);
            }
            return if wrong { Status::Wrong as u8 } else { 0 };
        }
    };
    let choice = match command.shared.color {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    command.shared.format = match command.shared.requested {
        FormatArgument::Json => Format::Json,
        FormatArgument::Csv => Format::Csv,
        FormatArgument::Latex => Format::Latex,
        FormatArgument::Text | FormatArgument::Junit | FormatArgument::Github => Format::Text,
    };
    let shared = &command.shared;
    if let Some(verbs) = command.verb.other_verbs(shared.requested) {
        load::error(&format!(
            "`--format {}` is for {verbs}",
            named(shared.requested)
        ));
        return Status::Wrong as u8;
    }
    let is_interactive = match &command.verb {
        Verb::Play(_) | Verb::Repl(_) | Verb::Lsp(_) => true,
        Verb::Test(arguments) => arguments.watch,
        _ => false,
    };
    join_ranks(&command.verb);
    let watcher = progress::start(
        shared.quiet || is_interactive || is_silent(),
        is_interactive,
        progress::Bounds {
            memory: (shared.memory_limit)
                .unwrap_or_else(|| memory::free() / ranks_on_this_machine() as u64),
            runtime: memory_of_mpi(),
            deadline: shared.time_limit.map(|limit| begun + limit),
            in_json: shared.format == Format::Json,
        },
    );
    let result = match &command.verb {
        Verb::Solve(arguments) => solve::run(arguments, shared),
        Verb::Sum(arguments) => sum::run(arguments, shared),
        Verb::Why(arguments) => why::run(arguments, shared),
        Verb::Play(arguments) => play::run(arguments, shared),
        Verb::Sheet(arguments) => sheet::run(arguments, shared),
        Verb::Repl(arguments) => repl::run(arguments, shared),
        Verb::List(arguments) => list::run(arguments, shared),
        Verb::Table(arguments) => table::run(arguments, shared),
        Verb::Paper(arguments) => paper::run(arguments, shared),
        Verb::Sequence(arguments) => sequence::run(arguments, shared),
        Verb::Oeis(arguments) => oeis::run(arguments, shared),
        Verb::Quotient(arguments) => quotient::run(arguments, shared),
        Verb::ListGames(arguments) => list_games::run(arguments, shared),
        Verb::Check(arguments) => check::run(arguments, shared),
        Verb::Test(arguments) => test::run(arguments, shared),
        Verb::Prove(arguments) => prove::run(arguments, shared),
        Verb::Discover(arguments) => discover::run(arguments, shared),
        Verb::Conjecture(arguments) => conjecture::run(arguments, shared),
        Verb::SameAs(arguments) => same_as::run(arguments, shared),
        Verb::Atlas(arguments) => atlas::run(arguments, shared),
        Verb::Search(arguments) => search::run(arguments, shared),
        Verb::Verify(arguments) => verify::run(arguments, shared),
        Verb::Structures(arguments) => structures::run(arguments, shared),
        Verb::New(arguments) => new::run(arguments, shared),
        Verb::Fmt(arguments) => fmt::run(arguments, shared),
        Verb::Lsp(arguments) => lsp::run(arguments, shared),
        Verb::Draw(arguments) => draw::run(arguments, shared),
        Verb::Explain(arguments) => explain::run(arguments, shared),
        Verb::Completions(arguments) => shell::completions(arguments, shared),
        Verb::Man(arguments) => shell::manual(arguments, shared),
    };
    let status = match result {
        Ok(status) => status,
        Err(load::Unanswered(status)) => status,
    };
    let status = if watcher.ends() {
        progress::say_interrupted();
        Status::Interrupted
    } else {
        status
    };
    if shared.format == Format::Json && status != Status::Fine && !is_silent() {
        progress::write_failure(status);
    }
    #[cfg(feature = "mpi")]
    let status = ranks::finish(status);
    status as u8
}

/// Joins the other processes that `mpirun` has started, if they can share the box. Otherwise
/// the first one says that each of them answers.
fn join_ranks(verb: &Verb) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let joins = match verb {
        Verb::Solve(arguments) => arguments.out_of_core.joins(),
        Verb::List(arguments) => arguments.out_of_core.joins(),
        _ => false,
    };
    if joins {
        return;
    }
    #[cfg(feature = "mpi")]
    if match verb {
        Verb::Solve(arguments) => arguments.is_of_a_box(),
        Verb::List(arguments) => arguments.out_of_core.is_asked(),
        _ => false,
    } {
        // Of Open MPI, of MPICH and its kin, and of Slurm.
        let launchers = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"];
        if launchers
            .iter()
            .any(|name| std::env::var_os(name).is_some())
        {
            ranks::start();
        }
        return;
    }
    let count = number("OMPI_COMM_WORLD_SIZE").unwrap_or(1);
    if count > 1 && number("OMPI_COMM_WORLD_RANK") == Some(0) {
        let why = match cfg!(feature = "mpi") {
            true => "only boxes of `solve` and of `list --out-of-core` are shared",
            false => "this nimrule was built without the feature `mpi`",
        };
        load::note(&format!(
            "{why}: each of the {count} ranks computes and prints the whole answer"
        ));
    }
}

/// The number of ranks on this machine, which share its memory and its processors.
fn ranks_on_this_machine() -> usize {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks::ranks() {
        return ranks.on_this_machine;
    }
    1
}

/// The memory of the ranks' library, in bytes.
fn memory_of_mpi() -> u64 {
    #[cfg(feature = "mpi")]
    if ranks::ranks().is_some() {
        return memory::taken().unwrap_or(0);
    }
    0
}

/// Whether another rank speaks for this process.
fn is_silent() -> bool {
    #[cfg(feature = "mpi")]
    if ranks::ranks().is_some_and(|ranks| ranks.rank > 0) {
        return true;
    }
    false
}

/// Whether a command that cannot be read asks for JSON.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let in_json = |pair: &[OsString]| pair[0] == "--format" && pair[1] == "json";
    arguments.windows(2).any(in_json) || arguments.iter().any(|one| one == "--format=json")
}

/// The name of a format, as the command line has it.
fn named(format: FormatArgument) -> String {
    let value = format.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("give a number of seconds, such as 30 or 0.5".to_owned()),
    }
}

/// A number of tokens, vertices or heaps, as `--max` and `--to` take it.
fn size(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(size) => Ok(size),
        Err(_) if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) => {
            Err(format!("the largest number is {}", u64::MAX))
        }
        Err(_) => Err("give a whole number, such as 12".to_owned()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads > 0 => Ok(threads),
        _ => Err("give a number of threads, such as 1 or 4".to_owned()),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_uppercase();
    let digits = upper.trim_end_matches(['B', 'I']).to_owned();
    let (digits, unit) = match digits.chars().last() {
        Some('K') => (&digits[..digits.len() - 1], 1 << 10),
        Some('M') => (&digits[..digits.len() - 1], 1 << 20),
        Some('G') => (&digits[..digits.len() - 1], 1_u64 << 30),
        Some('T') => (&digits[..digits.len() - 1], 1 << 40),
        _ => (digits.as_str(), 1),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "give a number of bytes, such as 500M or 4G".to_owned())
}
