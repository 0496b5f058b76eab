//! The command line: a file a verb. The only place that prints or reads files.

mod automaton_picture;
mod bounded;
mod certificate;
mod check;
mod discover;
mod draw;
mod explain;
mod folder;
mod json;
mod keep;
mod list;
mod list_games;
mod load;
mod memory;
mod progress;
mod proofs;
mod prove;
mod quotient;
mod real;
mod sequence;
mod smt;
mod solve;
mod structures;
mod sum;
mod test;
mod text;
mod turns;
mod verify;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What happened, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It holds, or it was answered.
    Fine = 0,
    /// A claim or an example fails.
    Fails = 1,
    /// The file or the command is wrong.
    Wrong = 2,
    /// A limit was met before the answer.
    Limit = 3,
    /// Somebody pressed Ctrl-C, or asked the process to end.
    Interrupted = 130,
}

/// Solve, check and test impartial take-away games written as rules.
#[derive(Debug, Parser)]
#[command(name = "nimrule", version, about, max_term_width = 80)]
struct Command {
    #[command(subcommand)]
    verb: Verb,

    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Who wins, from every position of a box or from one position
    Solve(solve::Arguments),
    /// Who wins positions of several games beside each other
    Sum(sum::Arguments),
    /// Every P-position, or every position with its Grundy value
    List(list::Arguments),
    /// The Grundy values of one heap, and their period
    Sequence(sequence::Arguments),
    /// The misere quotient of the heaps of a bag, and its pretending function
    Quotient(quotient::Arguments),
    /// The games of a folder, by where they are from
    ListGames(list_games::Arguments),
    /// Every fault of a file, with its place and its mend
    Check(check::Arguments),
    /// Run the claims and examples that files make about themselves
    Test(test::Arguments),
    /// The claims for all sizes
    Prove(prove::Arguments),
    /// The P-positions for all sizes, found from the rule alone and proved
    Discover(discover::Arguments),
    /// A certificate of a proof for all sizes, held against the rule
    Verify(verify::Arguments),
    /// The win/lose labellings that are consistent with the moves
    Structures(structures::Arguments),
    /// Pictures: the move-generator graph
    Draw(draw::Arguments),
    /// What an error code means, with an example
    Explain(explain::Arguments),
}

/// What every verb understands.
#[derive(Debug, Clone, Args)]
struct Shared {
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,

    /// Colours in text
    #[arg(long, value_enum, default_value_t = Colour::Auto, global = true)]
    color: Colour,

    /// Set a parameter of the game, as in n=6 or amounts={1,3,4}
    #[arg(long = "set", value_name = "NAME=VALUE", global = true)]
    settings: Vec<String>,

    /// Stop the whole command after so many seconds
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds)]
    time_limit: Option<Duration>,

    /// Use at most so much memory, as in 500M or 4G [default: what is free]
    #[arg(long, value_name = "BYTES", global = true, value_parser = bytes)]
    memory_limit: Option<u64>,

    /// Run on at most so many threads, where an engine can run on several
    /// [default: as many as the machine has]
    #[arg(long, value_name = "N", global = true, value_parser = threads)]
    threads: Option<usize>,

    /// Say nothing of how far a long run has come
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

impl Status {
    /// The word for it in answers for scripts.
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
    /// What the whole command may cost, from its beginning on.
    fn limits(&self) -> nimrule_engine::Limits {
        nimrule_engine::Limits {
            memory: progress::bounds().memory,
            deadline: progress::bounds().deadline,
            threads: self.threads.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            }),
            progress: Some(progress::watch()),
        }
    }
}

/// Runs the command and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let begun = Instant::now();
    let arguments = arguments.into_iter().map(sum::no_option);
    let command = match Command::try_parse_from(arguments) {
        Ok(command) => command,
        Err(error) => {
            // Help and version are answers; anything else is a wrong command.
            let wrong = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if wrong { Status::Wrong as u8 } else { 0 });
        }
    };
    let choice = match command.shared.color {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    let shared = &command.shared;
    let watcher = progress::start(
        shared.quiet,
        progress::Bounds {
            memory: shared.memory_limit.unwrap_or_else(memory::free),
            deadline: shared.time_limit.map(|limit| begun + limit),
            in_json: shared.format == Format::Json,
        },
    );
    let result = match &command.verb {
        Verb::Solve(arguments) => solve::run(arguments, shared),
        Verb::Sum(arguments) => sum::run(arguments, shared),
        Verb::List(arguments) => list::run(arguments, shared),
        Verb::Sequence(arguments) => sequence::run(arguments, shared),
        Verb::Quotient(arguments) => quotient::run(arguments, shared),
        Verb::ListGames(arguments) => list_games::run(arguments, shared),
        Verb::Check(arguments) => check::run(arguments, shared),
        Verb::Test(arguments) => test::run(arguments, shared),
        Verb::Prove(arguments) => prove::run(arguments, shared),
        Verb::Discover(arguments) => discover::run(arguments, shared),
        Verb::Verify(arguments) => verify::run(arguments, shared),
        Verb::Structures(arguments) => structures::run(arguments, shared),
        Verb::Draw(arguments) => draw::run(arguments, shared),
        Verb::Explain(arguments) => explain::run(arguments, shared),
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
    if shared.format == Format::Json && status != Status::Fine {
        progress::write_failure(status);
    }
    ExitCode::from(status as u8)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("give a number of seconds, such as 30 or 0.5".to_owned()),
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
