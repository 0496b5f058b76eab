//! `completions` and `man`: what shells and manuals need.

use super::load::Answered;
use super::{Shared, Status};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: String,
}

#[derive(Debug, Args)]
pub struct Manual {
    /// The page of this verb, with its options [default: the page of all verbs]
    verb: Option<String>,
    /// Write all pages into this folder, as nimrule.1, nimrule-solve.1 and so on
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "verb")]
    output: Option<PathBuf>,
}

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
pub fn manual(arguments: &Manual, _: &Shared) -> Answered<Status> {
    use super::{files, load};
    use clap::CommandFactory as _;
    let mut command = super::Command::command().disable_help_subcommand(true);
    // Gives each verb the options of all, and its name in full.
    command.build();
    if let Some(folder) = &arguments.output {
        files::create_folder(folder, "manual pages are written to")?;
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            let (name, page) = page(command)?;
            let path = folder.join(name);
            std::fs::write(&path, page).map_err(|error| {
                let path = path.display();
                load::wrong(&format!("the page cannot be written to `{path}`: {error}"))
            })?;
        }
        return Ok(Status::Fine);
    }
    let Some(verb) = &arguments.verb else {
        return written(&page(&command)?.1);
    };
    if let Some(found) = command.find_subcommand(verb) {
        return written(&page(found)?.1);
    }
    let verbs = command.get_subcommands().map(clap::Command::get_name);
    let verbs: Vec<&str> = verbs.collect();
    let near = nimrule_syntax::nearest(verb, verbs.iter().copied())
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(load::wrong(&format!(
        "there is no verb `{verb}`{near}\nall of them: {}",
        verbs.join(", ")
    )))
}

/// The manual page of the command or of a verb, with the name of its file.
#[cfg(feature = "shell")]
fn page(command: &clap::Command) -> Answered<(String, Vec<u8>)> {
    let version = concat!("nimrule ", env!("CARGO_PKG_VERSION"));
    let manual = clap_mangen::Man::new(command.clone()).source(version);
    let mut page = Vec::new();
    super::load::finish(manual.render(&mut page))?;
    Ok((manual.get_filename(), page))
}

#[cfg(feature = "shell")]
fn written(bytes: &[u8]) -> Answered<Status> {
    use std::io::Write as _;
    super::load::finish(super::progress::stdout().write_all(bytes))
}

#[cfg(not(feature = "shell"))]
pub fn completions(arguments: &Completions, _: &Shared) -> Answered<Status> {
    let what = format!("`completions {}`", arguments.shell);
    Err(super::picture::without(&what, "shell"))
}

#[cfg(not(feature = "shell"))]
pub fn manual(arguments: &Manual, _: &Shared) -> Answered<Status> {
    let _ = (&arguments.verb, &arguments.output);
    Err(super::picture::without("`man`", "shell"))
}
