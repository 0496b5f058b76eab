//! Lines typed by a person, or read from a pipe.

use super::progress;
use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// A source of lines: a line editor on a terminal, if the feature `prompt` is on, and
/// standard input otherwise.
pub enum Lines {
    Plain {
        /// Whether lines from a pipe are written to the output.
        echo: bool,
    },
    #[cfg(feature = "prompt")]
    Edited(Box<rustyline::DefaultEditor>),
}

impl Lines {
    pub fn new(echo: bool) -> Lines {
        #[cfg(feature = "prompt")]
        if std::io::stdin().is_terminal()
            && let Ok(editor) = rustyline::DefaultEditor::new()
        {
            return Lines::Edited(Box::new(editor));
        }
        Lines::Plain { echo }
    }

    /// Whether lines are written to the output: a record of what a pipe asked for.
    fn echoes(&self) -> bool {
        matches!(self, Lines::Plain { echo: true }) && !std::io::stdin().is_terminal()
    }

    /// The next line, without its end; `None` at the end of the input or after Ctrl-C.
    /// The prompt is shown on terminals only.
    pub fn next(&mut self, prompt: &str) -> std::io::Result<Option<String>> {
        match self {
            Lines::Plain { .. } => {
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    let mut out = progress::stdout();
                    write!(out, "{prompt}")?;
                    out.flush()?;
                }
                let mut line = String::new();
                let read = stdin.lock().read_line(&mut line)?;
                if self.echoes() && read > 0 {
                    writeln!(progress::stdout(), "{prompt}{}", line.trim_end())?;
                }
                Ok((read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned()))
            }
            #[cfg(feature = "prompt")]
            Lines::Edited(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // A line that is not kept is only missing from the history.
                    let _ = editor.add_history_entry(&line);
                    Ok(Some(line))
                }
                Err(rustyline::error::ReadlineError::Io(error)) => Err(error),
                Err(_) => Ok(None),
            },
        }
    }
}
