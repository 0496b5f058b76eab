//! `sheet`: positions to solve with pictures of the boards, and their solutions on a page of
//! their own, as one HTML file that prints well or as PDF.

use super::asked::Under;
use super::load::{self, Answered};
use super::proof_cache::CacheArguments;
use super::{Shared, Status, picture, progress};
use clap::Args;
use nimrule_answer::{Exercise, Session};
use nimrule_model::game::Convention;
use nimrule_paper::sheet::Sheet;
use std::io::Write as _;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file
    file: String,
    /// The positions, each as one argument such as '(3,4,5)' or 3,4,5 [default: random ones]
    #[arg(conflicts_with_all = ["count", "max", "seed"])]
    position: Vec<String>,
    /// The number of positions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=100))]
    count: u16,
    /// The number of positions side by side [default: two if the boards are narrow, or one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    across: Option<u8>,
    /// The largest heap [default: what the file suggests, at most 9]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX))]
    max: Option<u64>,
    #[command(flatten)]
    under: Under,
    /// The seed of the random choice: the same seed makes the same sheet
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write to this file instead of standard output: .html or .pdf
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArguments,
}

/// The largest heap of a sheet.
const MAX: u64 = 10_000;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let ending = (arguments.output.as_deref())
        .map(|path| path.extension().and_then(|ending| ending.to_str()));
    let as_pdf = match ending {
        None | Some(Some("html")) => false,
        Some(Some("pdf")) if cfg!(feature = "pictures") => true,
        Some(Some("pdf")) => return Err(picture::not_built("a PDF")),
        Some(_) => return Err(load::wrong("the file of a sheet ends in .html or .pdf")),
    };
    let loaded = load::read(&arguments.file)?;
    let settings = load::settings(shared)?;
    let compiled = match arguments.position.first() {
        None => loaded.compiled(&settings)?,
        Some(first) => loaded.compiled_for(&settings, first)?,
    };
    let session = arguments.cache.session(&loaded, &compiled, shared);
    let convention = arguments.under.convention;
    let exercises = match arguments.position.as_slice() {
        [] => random(arguments, &session, convention)?,
        given => given
            .iter()
            .map(|written| {
                let position = load::position(&session, written)?;
                session
                    .exercise(&position, convention)
                    .map_err(|unanswered| load::no_answer(&session, &unanswered))
            })
            .collect::<Answered<Vec<Exercise>>>()?,
    };
    let mut sheet = Sheet::new(&session, &compiled.file, convention, &exercises);
    if let Some(across) = arguments.across {
        sheet.across = across.into();
    }
    let page = match as_pdf {
        true => pdf(&sheet)?,
        false => sheet.html().into_bytes(),
    };
    match &arguments.output {
        Some(path) => std::fs::write(path, page).map_err(|error| {
            load::wrong(&format!(
                "the sheet cannot be written to `{}`: {error}",
                path.display()
            ))
        })?,
        None => {
            load::finish(progress::stdout().write_all(&page))?;
        }
    }
    Ok(Status::Fine)
}

/// Random exercises, with a note if there are fewer than are asked for.
fn random(
    arguments: &Arguments,
    session: &Session<'_>,
    convention: Convention,
) -> Answered<Vec<Exercise>> {
    let mut random = fastrand::Rng::with_seed(arguments.seed);
    let count = usize::from(arguments.count);
    let exercises = session
        .exercises(count, arguments.max, convention, &mut |results| {
            random.u64(0..results)
        })
        .map_err(|unanswered| load::no_answer(session, &unanswered))?;
    if exercises.len() < count {
        load::note(&format!(
            "only {} positions were found that differ and are not trivial; a larger `--max` may \
             have more",
            exercises.len()
        ));
    }
    Ok(exercises)
}

#[cfg(feature = "pictures")]
fn pdf(sheet: &Sheet) -> Answered<Vec<u8>> {
    sheet.pdf().map_err(|error| load::wrong(&error.to_string()))
}

#[cfg(not(feature = "pictures"))]
fn pdf(_: &Sheet) -> Answered<Vec<u8>> {
    Err(picture::not_built("a PDF"))
}
