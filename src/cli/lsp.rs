//! `lsp`: a language server on standard input and output, for editors.

#[cfg(feature = "lsp")]
mod server;
#[cfg(feature = "lsp")]
mod standings;

use super::load::Answered;
use super::{Shared, Status};
use clap::Args;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The time for the standing of one claim, which is shown above it; 0 for none
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = super::seconds)]
    each: std::time::Duration,
    /// Accepted because editors pass it: standard input and output are used in any case
    #[arg(long, hide = true)]
    stdio: bool,
}

#[cfg(feature = "lsp")]
pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    use std::io::IsTerminal as _;
    let _ = arguments.stdio;
    if std::io::stdin().is_terminal() {
        return Err(super::load::wrong(
            "`lsp` is started by an editor and reads its messages from standard input; the \
             book's page about editors says how to set one up",
        ));
    }
    let limits = nimrule_engine::Limits {
        progress: None,
        ..shared.limits()
    };
    match server::run(arguments.each, limits) {
        Ok(()) => Ok(Status::Fine),
        Err(error) => Err(super::load::wrong(&format!("the editor is gone: {error}"))),
    }
}

#[cfg(not(feature = "lsp"))]
pub fn run(arguments: &Arguments, _: &Shared) -> Answered<Status> {
    let _ = (arguments.each, arguments.stdio);
    Err(super::picture::without("`lsp`", "lsp"))
}
