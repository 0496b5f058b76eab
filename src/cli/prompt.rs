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
    Edited(Box<rustyline::Editor<Words, rustyline::history::DefaultHistory>>),
}

/// The words that the key Tab completes.
#[cfg(feature = "prompt")]
pub struct Words(Vec<String>);

#[cfg(feature = "prompt")]
impl rustyline::completion::Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        let start = line[..at].rfind(|letter| !is_word(letter));
        let start = start.map_or(0, |before| {
            before + line[before..].chars().next().map_or(0, char::len_utf8)
        });
        let typed = &line[start..at];
        let fitting = self.0.iter().filter(|word| word.starts_with(typed));
        Ok((start, fitting.cloned().collect()))
    }
}

#[cfg(feature = "prompt")]
impl rustyline::hint::Hinter for Words {
    type Hint = String;
}

#[cfg(feature = "prompt")]
impl rustyline::highlight::Highlighter for Words {}

#[cfg(feature = "prompt")]
impl rustyline::validate::Validator for Words {}

#[cfg(feature = "prompt")]
impl rustyline::Helper for Words {}

impl Lines {
    /// Lines in which Tab completes these words, where there is a line editor.
    pub fn new(echo: bool, words: Vec<String>) -> Lines {
        #[cfg(feature = "prompt")]
        if std::io::stdin().is_terminal()
            && let Ok(mut editor) = rustyline::Editor::new()
        {
            editor.set_helper(Some(Words(words)));
            return Lines::Edited(Box::new(editor));
        }
        #[cfg(not(feature = "prompt"))]
        drop(words);
        Lines::Plain { echo }
    }

    /// Whether lines are written to the output: a record of what a pipe asked for.
    pub fn echoes(&self) -> bool {
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

#[cfg(all(test, feature = "prompt"))]
mod tests {
    use super::Words;
    use rustyline::completion::Completer as _;

    #[test]
    fn tab_completes_the_word_before_the_cursor() {
        let words = Words(vec![
            ":set".to_owned(),
            "sum".to_owned(),
            "sorted".to_owned(),
        ]);
        let history = rustyline::history::DefaultHistory::new();
        let context = rustyline::Context::new(&history);
        let complete = |line: &str| words.complete(line, line.len(), &context).expect("words");
        assert_eq!(complete("a + s").0, 4);
        assert_eq!(complete("a + s").1, ["sum", "sorted"]);
        assert_eq!(complete(":s").1, [":set"]);
        assert_eq!(complete("é so").1, ["sorted"]);
    }
}
