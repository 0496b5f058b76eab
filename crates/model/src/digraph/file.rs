//! Digraphs from files: DOT, and lists of arcs.
//!
//! Of DOT that part is read which says which nodes there are and how they are
//! joined: node statements, arcs in chains, attributes (which are skipped),
//! quoted names and comments. Anything else is an error rather than a graph
//! that is not the one meant. A list of arcs has two names a line; a line with
//! one name is a vertex, and `#` begins a comment.

use thiserror::Error;

/// What a file says: names in the order in which they are first said, and arcs
/// between their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arcs {
    pub names: Vec<String>,
    pub arcs: Vec<(u32, u32)>,
}

/// Why a file is no digraph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct FileError {
    pub line: usize,
    pub reason: String,
}

/// Reads a digraph: DOT where the text begins like it, and a list of arcs
/// otherwise.
pub fn read(bytes: &[u8]) -> Result<Arcs, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| FileError {
        line: 1 + lines(&bytes[..error.valid_up_to()]),
        reason: "this is not text in UTF-8".to_owned(),
    })?;
    let mut reader = Dot {
        text,
        at: 0,
        found: Builder::default(),
    };
    if reader.begins_like_dot()? {
        reader.graph()?;
        Ok(reader.found.arcs)
    } else {
        list(text)
    }
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[derive(Default)]
struct Builder {
    arcs: Arcs,
    places: std::collections::BTreeMap<String, u32>,
}

impl Builder {
    fn vertex(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.arcs.names.len() as u32;
        self.arcs.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    fn chain(&mut self, vertices: &[u32]) {
        self.arcs
            .arcs
            .extend(vertices.windows(2).map(|pair| (pair[0], pair[1])));
    }
}

fn list(text: &str) -> Result<Arcs, FileError> {
    let mut found = Builder::default();
    for (number, line) in text.lines().enumerate() {
        let said = line.split('#').next().unwrap_or_default();
        let names: Vec<&str> = said.split_whitespace().collect();
        match names.as_slice() {
            [] => {}
            [alone] => {
                found.vertex(alone);
            }
            [from, to] => {
                let vertices = [found.vertex(from), found.vertex(to)];
                found.chain(&vertices);
            }
            _ => {
                return Err(FileError {
                    line: number + 1,
                    reason: "an arc is two names, from where and to where".to_owned(),
                });
            }
        }
    }
    Ok(found.arcs)
}

/// A reader of DOT.
struct Dot<'t> {
    text: &'t str,
    at: usize,
    found: Builder,
}

/// A word of DOT.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// A name, quoted or not.
    Name(String),
    Arrow,
    /// `--`, which joins without a direction.
    Line,
    Sign(char),
    End,
}

impl Dot<'_> {
    fn fault<T>(&self, reason: impl Into<String>) -> Result<T, FileError> {
        Err(FileError {
            line: 1 + lines(&self.text.as_bytes()[..self.at]),
            reason: reason.into(),
        })
    }

    fn begins_like_dot(&mut self) -> Result<bool, FileError> {
        // A list of arcs may begin with anything, so faults mean nothing yet.
        let dot = match self.word() {
            Ok(Word::Name(name)) => {
                matches!(
                    name.to_ascii_lowercase().as_str(),
                    "digraph" | "graph" | "strict"
                ) && self.text[self.at..].contains('{')
            }
            _ => false,
        };
        self.at = 0;
        Ok(dot)
    }

    fn graph(&mut self) -> Result<(), FileError> {
        let mut word = self.word()?;
        if word == Word::Name("strict".to_owned()) {
            word = self.word()?;
        }
        match word {
            Word::Name(name) if name.eq_ignore_ascii_case("digraph") => {}
            _ => return self.fault("the arcs have no direction: begin with `digraph`"),
        }
        if let Word::Name(_) = self.peek()? {
            self.word()?;
        }
        if self.word()? != Word::Sign('{') {
            return self.fault("`{` is expected after `digraph`");
        }
        loop {
            match self.word()? {
                Word::Sign('}') => break,
                Word::Sign(';' | ',') => {}
                Word::Name(name) => self.statement(&name)?,
                Word::End => return self.fault("`}` is missing"),
                _ => return self.fault("a node or an arc is expected"),
            }
        }
        match self.word()? {
            Word::End => Ok(()),
            _ => self.fault("one digraph is expected, and more follows"),
        }
    }

    fn statement(&mut self, first: &str) -> Result<(), FileError> {
        let next = self.peek()?;
        if next == Word::Sign('=') {
            // An attribute of the whole graph.
            self.word()?;
            return match self.word()? {
                Word::Name(_) => Ok(()),
                _ => self.fault("a value is expected after `=`"),
            };
        }
        if matches!(first, "node" | "edge" | "graph") && next == Word::Sign('[') {
            return self.attributes();
        }
        if first == "subgraph" {
            return self.fault("`subgraph` is not read; write its nodes and arcs by themselves");
        }
        let mut chain = vec![self.found.vertex(first)];
        self.port()?;
        loop {
            match self.peek()? {
                Word::Arrow => {
                    self.word()?;
                    match self.word()? {
                        Word::Name(name) => chain.push(self.found.vertex(&name)),
                        _ => return self.fault("a node is expected after `->`"),
                    }
                    self.port()?;
                }
                Word::Line => return self.fault("`--` has no direction; write `->`"),
                Word::Sign('[') => self.attributes()?,
                _ => break,
            }
        }
        self.found.chain(&chain);
        Ok(())
    }

    /// `node:port` and `node:port:n`: where an arc is drawn, not where it leads.
    fn port(&mut self) -> Result<(), FileError> {
        while self.peek()? == Word::Sign(':') {
            self.word()?;
            if !matches!(self.word()?, Word::Name(_)) {
                return self.fault("a port is expected after `:`");
            }
        }
        Ok(())
    }

    /// Skips `[ … ]`.
    fn attributes(&mut self) -> Result<(), FileError> {
        self.word()?;
        loop {
            match self.word()? {
                Word::Sign(']') => return Ok(()),
                Word::End => return self.fault("`]` is missing"),
                _ => {}
            }
        }
    }

    fn peek(&mut self) -> Result<Word, FileError> {
        let at = self.at;
        let word = self.word();
        self.at = at;
        word
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) -> Result<(), FileError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let rest = self.rest();
            // A line that begins with `#` is from a preprocessor.
            let alone = self.text[..self.at]
                .rsplit('\n')
                .next()
                .is_none_or(|before| before.trim().is_empty());
            if rest.starts_with("//") || (rest.starts_with('#') && alone) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return self.fault("the comment has no end"),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn word(&mut self) -> Result<Word, FileError> {
        self.skip_space()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Word::End);
        };
        let (word, length) = if rest.starts_with("->") {
            (Word::Arrow, 2)
        } else if rest.starts_with("--") {
            (Word::Line, 2)
        } else if first == '"' {
            return self.quoted();
        } else if is_name(first) || matches!(first, '-' | '.') {
            let end = rest
                .char_indices()
                .skip(1)
                .find(|(_, c)| !is_name(*c) && *c != '.')
                .map_or(rest.len(), |(at, _)| at);
            (Word::Name(rest[..end].to_owned()), end)
        } else if matches!(first, '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':') {
            (Word::Sign(first), 1)
        } else {
            return self.fault(format!("`{first}` has no meaning here"));
        };
        self.at += length;
        Ok(word)
    }

    fn quoted(&mut self) -> Result<Word, FileError> {
        let mut name = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(Word::Name(name));
                }
                '\\' => match characters.next() {
                    Some((_, '"')) => name.push('"'),
                    // A line that is continued on the next.
                    Some((_, '\n')) => {}
                    Some((_, other)) => name.extend(['\\', other]),
                    None => break,
                },
                other => name.push(other),
            }
        }
        self.fault("the name's second `\"` is missing")
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
