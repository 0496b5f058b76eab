//! Pictures as files: the format by the ending of the file's name.

use super::load::{self, Answered};
use nimrule_draw::Picture;
use std::path::Path;

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Dot,
    Svg,
    Png,
    /// TikZ, for LaTeX.
    Tex,
}

/// What to install for pictures as PNG and plots.
const INSTALL: &str = "`cargo install --path . --features full` installs it";

/// The error about something that this binary was built without.
pub fn not_built(what: &str) -> load::Unanswered {
    without(what, "pictures")
}

/// The error about something that needs a feature of the build.
pub fn without(what: &str, feature: &str) -> load::Unanswered {
    load::wrong(&format!(
        "{what} needs the feature `{feature}`, which this binary is built without; {INSTALL}"
    ))
}

/// The format by the ending of a file name, one of those given.
pub fn kind(path: &Path, allowed: &[Kind]) -> Answered<Kind> {
    let kind = match path.extension().and_then(|ending| ending.to_str()) {
        Some("dot" | "gv") => Some(Kind::Dot),
        Some("svg") => Some(Kind::Svg),
        Some("png") => Some(Kind::Png),
        Some("tex") => Some(Kind::Tex),
        _ => None,
    };
    match kind.filter(|kind| allowed.contains(kind)) {
        Some(Kind::Png) if cfg!(not(feature = "pictures")) => Err(not_built("a PNG")),
        Some(kind) => Ok(kind),
        None => {
            let endings: Vec<&str> = allowed
                .iter()
                .map(|kind| match kind {
                    Kind::Dot => ".dot",
                    Kind::Svg => ".svg",
                    Kind::Png => ".png",
                    Kind::Tex => ".tex",
                })
                .collect();
            Err(load::wrong(&format!(
                "`{}` has none of the endings of a picture: {}",
                path.display(),
                endings.join(", ")
            )))
        }
    }
}

/// The bytes of a picture's file.
pub fn bytes(picture: &Picture, kind: Kind) -> Answered<Vec<u8>> {
    match kind {
        Kind::Png => png(picture),
        Kind::Svg | Kind::Dot | Kind::Tex => Ok(picture.svg.clone().into_bytes()),
    }
}

/// Two pixels for each unit, for screens of today.
#[cfg(feature = "pictures")]
pub fn png(picture: &Picture) -> Answered<Vec<u8>> {
    nimrule_draw::png::render(&picture.svg, 2.0).map_err(|error| load::wrong(&error.to_string()))
}

#[cfg(not(feature = "pictures"))]
pub fn png(_: &Picture) -> Answered<Vec<u8>> {
    Err(not_built("a PNG"))
}

/// Writes the file of a picture.
pub fn write(path: &Path, bytes: &[u8]) -> Answered<()> {
    std::fs::write(path, bytes).map_err(|error| {
        load::wrong(&format!(
            "the picture cannot be written to `{}`: {error}",
            path.display()
        ))
    })
}
