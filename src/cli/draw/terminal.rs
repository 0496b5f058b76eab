//! Pictures in the terminal, by the graphics protocols of kitty and iTerm2.

use super::Status;
use crate::cli::load::{self, Answered};
use nimrule_draw::Picture;

/// A way to send a picture to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The graphics protocol of kitty: PNG in base 64, in chunks.
    Kitty,
    /// The inline images of iTerm2: PNG in base 64.
    Iterm,
}

/// The protocol that the terminal's environment names.
pub fn protocol() -> Answered<Protocol> {
    use std::io::IsTerminal as _;
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
    )
    .ok_or_else(|| {
        load::wrong(
            "this terminal does not say that it shows pictures (kitty, Ghostty, WezTerm, Konsole \
             and iTerm2 do); write a file with `-o x.png`",
        )
    })
}

/// The protocol of a terminal with these values of `TERM` and `TERM_PROGRAM`.
fn by_names(term: &str, program: &str, in_kitty: bool) -> Option<Protocol> {
    let kitty = in_kitty
        || term.contains("kitty")
        || term.contains("ghostty")
        || matches!(program, "ghostty" | "kitty" | "WezTerm" | "Konsole");
    if kitty {
        Some(Protocol::Kitty)
    } else if matches!(program, "iTerm.app" | "vscode" | "mintty" | "Tabby") {
        Some(Protocol::Iterm)
    } else {
        None
    }
}

/// Shows a picture.
pub fn show(picture: &Picture, protocol: Protocol) -> Answered<Status> {
    use std::io::Write as _;
    let png = crate::cli::picture::png(picture)?;
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(escape(&png, protocol).as_bytes())
        .and_then(|()| out.flush());
    super::finish(written)
}

/// The escape sequences that show a PNG, and a line break.
fn escape(png: &[u8], protocol: Protocol) -> String {
    let data = base64(png);
    match protocol {
        Protocol::Iterm => format!(
            "\x1b]1337;File=inline=1;size={};width=auto:{data}\x07\n",
            png.len()
        ),
        Protocol::Kitty => {
            // At most 4096 bytes at a time; `m` says whether more follow.
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
    }
}

/// Bytes in base 64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
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

#[cfg(test)]
mod tests {
    use super::{Protocol, base64, by_names, escape};

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

    #[test]
    fn long_pictures_are_sent_in_chunks() {
        let sent = escape(&[0; 4000], Protocol::Kitty);
        assert!(sent.starts_with("\x1b_Ga=T,f=100,m=1;AAAA"));
        assert!(sent.ends_with("\x1b\\\n"));
        assert_eq!(sent.matches("m=1;").count(), 1);
        assert_eq!(sent.matches("\x1b_Gm=0;").count(), 1);
    }

    #[test]
    fn terminals_are_known_by_their_names() {
        assert_eq!(by_names("xterm-kitty", "", false), Some(Protocol::Kitty));
        assert_eq!(
            by_names("xterm-256color", "iTerm.app", false),
            Some(Protocol::Iterm)
        );
        assert_eq!(by_names("xterm-256color", "", false), None);
    }
}
