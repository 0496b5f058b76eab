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

    #[command(flatten, next_display_order = 200)]
    shared: Shared,
}

/// Makes the enum of verbs from a table: for each its line in `--help`, what it is asked, what answers,
/// and the formats that it has beside text.
macro_rules! verbs {
    ($($(#[$line:meta])* $name:ident($asked:ty) $run:path [$($format:ident)*])*) => {
        #[derive(Debug, Subcommand)]
        enum Verb {
            $($(#[$line])* $name($asked),)*
        }

        impl Verb {
            fn run(&self, shared: &Shared) -> load::Answered<Status> {
                match self {
                    $(Verb::$name(asked) => $run(asked, shared),)*
                }
            }

            /// The name of the verb in the code, and its formats.
            fn formats(&self) -> (&'static str, &'static [FormatArgument]) {
                use FormatArgument as Of;
                match self {
                    $(Verb::$name(_) => (stringify!($name), &[Of::Text, $(Of::$format),*]),)*
                }
            }
        }
    };
}

// In the order of `--help`: writing and solving a rule first, then what is claimed and proved of
// it, then other questions, and last what serves the files.
verbs! {
    /// Write a commented rule file to start from
    New(new::Arguments) new::run [Json]
    /// Report all errors of a file, each with its place and a fix
    Check(check::Arguments) check::run [Json Csv Github]
    /// Who wins, from one position or from every position of a box
    Solve(solve::Arguments) solve::run [Json Csv Latex]
    /// Why a position is won or lost: the moves, the replies, the claims worked out
    Why(why::Arguments) why::run [Json Latex]
    /// Play a game against the program
    Play(play::Arguments) play::run [Json]
    /// List the P-positions, or all positions with their Grundy values
    List(list::Arguments) list::run [Json Csv Latex]
    /// A table of two heaps against each other: outcomes or Grundy values
    Table(table::Arguments) table::run [Json Csv Latex]
    /// Draw a position, or a plot of the outcomes (SVG, PNG), or the moves (DOT)
    Draw(draw::Arguments) draw::run [Json]
    /// Check the claims and examples of rule files up to a bound
    Test(test::Arguments) test::run [Json Csv Latex Junit Github]
    /// Prove or refute the claims of a file for all heap sizes
    Prove(prove::Arguments) prove::run [Json Csv Latex]
    /// Find the P-positions for all heap sizes from the rule, with a proof
    Discover(discover::Arguments) discover::run [Json Latex]
    /// Conditions on the P-positions that hold in a box: conjectures, not theorems
    Conjecture(conjecture::Arguments) conjecture::run [Json Latex]
    /// The known games with the same moves as a rule, or the same outcomes
    SameAs(same_as::Arguments) same_as::run [Json]
    /// The Grundy values of single heaps, and their period
    Sequence(sequence::Arguments) sequence::run [Json Csv Latex]
    /// The misere quotient of a heap game, and its pretending function
    Quotient(quotient::Arguments) quotient::run [Json Csv Latex]
    /// Who wins a sum of positions of several games
    Sum(sum::Arguments) sum::run [Json Csv Latex]
    /// The kernels of the move digraph: consistent P/N labellings
    Structures(structures::Arguments) structures::run [Json Csv Latex]
    /// Search the parameters of a rule for those at which its claims hold
    Search(search::Arguments) search::run [Json Csv Latex]
    /// The P-positions of all games of simplicial Nim with a number of heaps
    Atlas(atlas::Arguments) atlas::run [Json Csv Latex]
    /// The integer sequences of a game, compared with known ones of the OEIS
    Oeis(oeis::Arguments) oeis::run [Json Csv Latex]
    /// Write a paper in LaTeX: the rule in words, its table, its theorems
    Paper(paper::Arguments) paper::run [Json Latex]
    /// A sheet of positions to solve, with their solutions (HTML)
    Sheet(sheet::Arguments) sheet::run []
    /// Check the certificate of a proof against the rule
    Verify(verify::Arguments) verify::run [Json Csv]
    /// List the games of a folder by their sources
    ListGames(list_games::Arguments) list_games::run [Json Csv]
    /// Answer positions, expressions and claims typed at a prompt
    Repl(repl::Arguments) repl::run []
    /// Lay out rule files in one form
    Fmt(fmt::Arguments) fmt::run [Json]
    /// Serve an editor: errors, hover, completion, renaming, the standing of claims
    Lsp(lsp::Arguments) lsp::run []
    /// Explain an error code, with an example
    Explain(explain::Arguments) explain::run [Json]
    /// Write the completions of a shell
    Completions(shell::Completions) shell::completions []
    /// Write the manual pages
    Man(shell::Manual) shell::manual []
}

impl Verb {
    /// Refuses a format that the verb does not have.
    fn check(&self, format: FormatArgument) -> load::Answered<()> {
        let (name, formats) = self.formats();
        if formats.contains(&format) {
            return Ok(());
        }
        let mut verb = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !verb.is_empty() {
                verb.push('-');
            }
            verb.push(letter.to_ascii_lowercase());
        }
        let formats: Vec<String> = formats.iter().map(|format| named(*format)).collect();
        Err(load::wrong(&match formats.as_slice() {
            [all @ .., last] if !all.is_empty() => {
                format!("`{verb}` has the formats {} and {last}", all.join(", "))
            }
            _ => format!("`{verb}` has no `--format`"),
        }))
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
    if let Err(load::Unanswered(status)) = command.verb.check(shared.requested) {
        return status as u8;
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
    let result = command.verb.run(shared);
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
