//! The `nimrule` command.

fn main() -> std::process::ExitCode {
    nimrule::cli::run(std::env::args_os()).into()
}
