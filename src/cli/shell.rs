//! `completions` and `man`: what shells and manuals need.

use super::load::Answered;
use super::{Shared, Status};
use clap::Args;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: String,
}

#[derive(Debug, Args)]
pub struct Manual {}

#[cfg(feature = "shell")]
pub fn completions(arguments: &Completions, _: &Shared) -> Answered<Status> {
    use clap::CommandFactory as _;
    let shell: clap_complete::Shell = arguments.shell.parse().map_err(|_| {
        super::load::wrong(&format!(
            "`{}` is no shell that is known: bash, elvish, fish, powershell, zsh",
            arguments.shell
        ))
    })?;
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut super::Command::command(),
        "nimrule",
        &mut script,
    );
    written(&script)
}

#[cfg(feature = "shell")]
pub fn manual(_: &Manual, _: &Shared) -> Answered<Status> {
    use clap::CommandFactory as _;
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(super::Command::command()).render(&mut page);
    super::solve::finish(rendered)?;
    written(&page)
}

#[cfg(feature = "shell")]
fn written(bytes: &[u8]) -> Answered<Status> {
    use std::io::Write as _;
    super::solve::finish(super::progress::stdout().write_all(bytes))
}

#[cfg(not(feature = "shell"))]
pub fn completions(arguments: &Completions, _: &Shared) -> Answered<Status> {
    let what = format!("`completions {}`", arguments.shell);
    Err(super::picture::without(&what, "shell"))
}

#[cfg(not(feature = "shell"))]
pub fn manual(_: &Manual, _: &Shared) -> Answered<Status> {
    Err(super::picture::without("`man`", "shell"))
}
