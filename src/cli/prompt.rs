//! Lines typed by a person, or read from a pipe.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// A source of lines: a line editor on a terminal, if the feature `prompt` is on, and
/// standard input otherwise.
pub enum Lines {
    Plain,
    #[cfg(feature = "prompt")]
    Edited(Box<rustyline::DefaultEditor>),
}

impl Lines {
    pub fn new() -> Lines {
        #[cfg(feature = "prompt")]
        if std::io::stdin().is_terminal()
            && let Ok(editor) = rustyline::DefaultEditor::new()
        {
            return Lines::Edited(Box::new(editor));
        }
        Lines::Plain
    }

    /// The next line, without its end; `None` at the end of the input or after Ctrl-C.
    /// The prompt is shown on terminals only.
    pub fn next(&mut self, prompt: &str) -> std::io::Result<Option<String>> {
        match self {
            Lines::Plain => {
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    print!("{prompt}");
                    std::io::stdout().flush()?;
                }
                let mut line = String::new();
                let read = stdin.lock().read_line(&mut line)?;
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
