//! Pictures in the terminal, by the graphics protocols of kitty and iTerm2, and by sixels.

use super::{Protocol, Status};
use crate::cli::load::{self, Answered};
use crate::cli::picture::base64;
use nimrule_draw::Picture;

/// The protocol that is requested, or that the terminal's environment names.
pub fn protocol(requested: Protocol) -> Answered<Protocol> {
    use std::io::IsTerminal as _;
    if requested != Protocol::Auto {
        return Ok(requested);
    }
    if !std::io::stdout().is_terminal() {
        return Err(load::wrong(
            "`--terminal` shows a picture in a terminal, and standard output is none; write a \
             file with `-o x.png`",
        ));
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    by_names(
        &variable("TERM"),
        &variable("TERM_PROGRAM"),
        std::env::var_os("KITTY_WINDOW_ID").is_some(),
        std::env::var_os("WT_SESSION").is_some(),
    )
    .ok_or_else(|| {
        load::wrong(
            "this terminal does not say that it shows pictures (kitty, Ghostty, WezTerm, \
             Konsole, iTerm2, foot, mlterm and Windows Terminal do); choose a protocol, as in \
             `--terminal=sixel`, or write a file with `-o x.png`",
        )
    })
}

/// The protocol of a terminal with these values of `TERM` and `TERM_PROGRAM`.
fn by_names(term: &str, program: &str, in_kitty: bool, in_windows: bool) -> Option<Protocol> {
    let kitty = in_kitty
        || term.contains("kitty")
        || term.contains("ghostty")
        || matches!(program, "ghostty" | "kitty" | "WezTerm" | "Konsole");
    if kitty {
        Some(Protocol::Kitty)
    } else if matches!(program, "iTerm.app" | "vscode" | "mintty" | "Tabby") {
        Some(Protocol::Iterm)
    } else if in_windows
        || ["foot", "mlterm", "contour", "yaft"]
            .iter()
            .any(|known| term.starts_with(known))
        || term.contains("sixel")
    {
        Some(Protocol::Sixel)
    } else {
        None
    }
}

/// Shows a picture.
pub fn show(picture: &Picture, protocol: Protocol) -> Answered<Status> {
    use std::io::Write as _;
    let sent = match protocol {
        Protocol::Sixel => sixels(picture)?,
        Protocol::Kitty => kitty(&crate::cli::picture::png(picture)?),
        Protocol::Iterm | Protocol::Auto => iterm(&crate::cli::picture::png(picture)?),
    };
    let mut out = std::io::stdout().lock();
    let written = out.write_all(sent.as_bytes()).and_then(|()| out.flush());
    load::finish(written)
}

/// A picture as sixels, one pixel for each unit, and a line break.
fn sixels(picture: &Picture) -> Answered<String> {
    let wrong = |error: &dyn std::error::Error| load::wrong(&error.to_string());
    let pixels = nimrule_draw::png::pixels(&picture.svg, 1.0).map_err(|error| wrong(&error))?;
    let image = icy_sixel::SixelImage::from_rgba(pixels.rgba, pixels.width, pixels.height);
    let sixels = image.encode().map_err(|error| wrong(&error))?;
    Ok(sixels + "\n")
}

/// The escape sequence of iTerm2 that shows a PNG, and a line break.
fn iterm(png: &[u8]) -> String {
    let data = base64(png);
    let size = png.len();
    format!("\x1b]1337;File=inline=1;size={size};width=auto:{data}\x07\n")
}

/// The escape sequences of kitty that show a PNG, and a line break: at most 4096 bytes at
/// a time; `m` says whether more follow.
fn kitty(png: &[u8]) -> String {
    let data = base64(png);
    let chunks: Vec<&[u8]> = data.as_bytes().chunks(4096).collect();
    let mut all = String::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let head = if number == 0 { "a=T,f=100," } else { "" };
        let more = u8::from(number + 1 < chunks.len());
        let chunk = String::from_utf8_lossy(chunk);
        all.push_str(&format!("\x1b_G{head}m={more};{chunk}\x1b\\"));
    }
    all.push('\n');
    all
}

#[cfg(test)]
mod tests {
    use super::{Protocol, by_names, kitty};

    #[test]
    fn long_pictures_are_sent_in_chunks() {
        let sent = kitty(&[0; 4000]);
        assert!(sent.starts_with("\x1b_Ga=T,f=100,m=1;AAAA"));
        assert!(sent.ends_with("\x1b\\\n"));
        assert_eq!(sent.matches("m=1;").count(), 1);
        assert_eq!(sent.matches("\x1b_Gm=0;").count(), 1);
    }

    #[test]
    fn terminals_are_known_by_their_names() {
        let named = |term, program| by_names(term, program, false, false);
        assert_eq!(named("xterm-kitty", ""), Some(Protocol::Kitty));
        assert_eq!(named("xterm-256color", "iTerm.app"), Some(Protocol::Iterm));
        assert_eq!(named("foot-extra", ""), Some(Protocol::Sixel));
        assert_eq!(named("xterm-256color", ""), None);
        let in_windows = by_names("xterm-256color", "", false, true);
        assert_eq!(in_windows, Some(Protocol::Sixel));
    }
}
