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
    /// A page of pictures.
    Html,
}

/// What to install for pictures as PNG and plots.
const INSTALL: &str = "`cargo install --path . --profile dist --features full` installs it";

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
        Some("html") => Some(Kind::Html),
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
                    Kind::Html => ".html",
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
        Kind::Svg | Kind::Dot | Kind::Tex | Kind::Html => Ok(picture.svg.clone().into_bytes()),
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

/// Bytes in base 64 (RFC 4648).
#[cfg(any(feature = "lsp", feature = "pictures"))]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut word = 0_u32;
        for place in 0..3 {
            word = word << 8 | u32::from(chunk.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            if place <= chunk.len() {
                let letter = word >> (18 - 6 * place) & 63;
                text.push(char::from(LETTERS[letter as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(all(test, any(feature = "lsp", feature = "pictures")))]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_as_in_the_rfc() {
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in examples {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
