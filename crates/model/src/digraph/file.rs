//! The file formats of digraphs: DOT, and lists of arcs.
//!
//! The subset of DOT is: node statements, chains of arcs, attributes (which are
//! skipped), quoted names and comments. Anything else is an error, so that a
//! file is never read as another graph than it denotes. A list of arcs has two
//! names on each line; a line with one name is a vertex, and `#` begins a
//! comment.

use thiserror::Error;

/// The content of a file: names in the order of their first occurrence, and
/// arcs between their indices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArcList {
    /// The names of the vertices by index.
    pub names: Vec<String>,
    /// The arcs, each from the first index to the second, in the order of the file.
    pub arcs: Vec<(u32, u32)>,
}

/// A syntax error in a digraph file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct FileError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub reason: String,
}

/// Parses a digraph: as DOT if the text begins with one of its keywords, as a
/// list of arcs otherwise.
///
/// # Errors
///
/// If the text is not valid in the format.
pub fn read(bytes: &[u8]) -> Result<ArcList, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| FileError {
        line: 1 + lines(&bytes[..error.valid_up_to()]),
        reason: "this is not valid UTF-8".to_owned(),
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

/// The number of line breaks.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// An arc list under construction, with the index of each name.
#[derive(Default)]
struct Builder {
    arcs: ArcList,
    places: std::collections::BTreeMap<String, u32>,
}

impl Builder {
    /// The index of a vertex, which is added if it is new.
    fn vertex(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.arcs.names.len() as u32;
        self.arcs.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    /// Adds the arcs between consecutive vertices.
    fn chain(&mut self, vertices: &[u32]) {
        self.arcs
            .arcs
            .extend(vertices.windows(2).map(|pair| (pair[0], pair[1])));
    }
}

/// Parses a list of arcs.
fn list(text: &str) -> Result<ArcList, FileError> {
    let mut found = Builder::default();
    for (number, line) in text.lines().enumerate() {
        let without_comment = line.split('#').next().unwrap_or_default();
        let names: Vec<&str> = without_comment.split_whitespace().collect();
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
                    reason: "an arc is two names, its tail and its head".to_owned(),
                });
            }
        }
    }
    Ok(found.arcs)
}

/// A recursive-descent parser of DOT.
struct Dot<'t> {
    text: &'t str,
    at: usize,
    found: Builder,
}

/// A token of DOT.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name, quoted or not.
    Name(String),
    Arrow,
    /// `--`, an undirected edge.
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
        // A list of arcs may begin with anything: an invalid token is no error
        // here.
        let dot = match self.token() {
            Ok(Token::Name(name)) => {
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
        let mut token = self.token()?;
        if token == Token::Name("strict".to_owned()) {
            token = self.token()?;
        }
        match token {
            Token::Name(name) if name.eq_ignore_ascii_case("digraph") => {}
            _ => return self.fault("the arcs have no direction: begin with `digraph`"),
        }
        if let Token::Name(_) = self.peek()? {
            self.token()?;
        }
        if self.token()? != Token::Sign('{') {
            return self.fault("`{` is expected after `digraph`");
        }
        loop {
            match self.token()? {
                Token::Sign('}') => break,
                Token::Sign(';' | ',') => {}
                Token::Name(name) => self.statement(&name)?,
                Token::End => return self.fault("`}` is missing"),
                _ => return self.fault("a node or an arc is expected"),
            }
        }
        match self.token()? {
            Token::End => Ok(()),
            _ => self.fault("a file has one digraph, but more text follows"),
        }
    }

    fn statement(&mut self, first: &str) -> Result<(), FileError> {
        let next = self.peek()?;
        if next == Token::Sign('=') {
            // An attribute of the whole graph.
            self.token()?;
            return match self.token()? {
                Token::Name(_) => Ok(()),
                _ => self.fault("a value is expected after `=`"),
            };
        }
        if matches!(first, "node" | "edge" | "graph") && next == Token::Sign('[') {
            return self.attributes();
        }
        if first == "subgraph" {
            return self.fault("`subgraph` is not supported; write its nodes and arcs directly");
        }
        let mut chain = vec![self.found.vertex(first)];
        self.port()?;
        loop {
            match self.peek()? {
                Token::Arrow => {
                    self.token()?;
                    match self.token()? {
                        Token::Name(name) => chain.push(self.found.vertex(&name)),
                        _ => return self.fault("a node is expected after `->`"),
                    }
                    self.port()?;
                }
                Token::Line => return self.fault("`--` has no direction; write `->`"),
                Token::Sign('[') => self.attributes()?,
                _ => break,
            }
        }
        self.found.chain(&chain);
        Ok(())
    }

    /// `node:port` and `node:port:n`: where an arc is drawn, not where it leads.
    fn port(&mut self) -> Result<(), FileError> {
        while self.peek()? == Token::Sign(':') {
            self.token()?;
            if !matches!(self.token()?, Token::Name(_)) {
                return self.fault("a port is expected after `:`");
            }
        }
        Ok(())
    }

    /// Skips `[ … ]`.
    fn attributes(&mut self) -> Result<(), FileError> {
        self.token()?;
        loop {
            match self.token()? {
                Token::Sign(']') => return Ok(()),
                Token::End => return self.fault("`]` is missing"),
                _ => {}
            }
        }
    }

    fn peek(&mut self) -> Result<Token, FileError> {
        let at = self.at;
        let token = self.token();
        self.at = at;
        token
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
            // A line that begins with `#` is a preprocessor line.
            let alone = self.text[..self.at]
                .rsplit('\n')
                .next()
                .is_none_or(|before| before.trim().is_empty());
            if rest.starts_with("//") || (rest.starts_with('#') && alone) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return self.fault("the comment is not closed"),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, FileError> {
        self.skip_space()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        let (token, length) = if rest.starts_with("->") {
            (Token::Arrow, 2)
        } else if rest.starts_with("--") {
            (Token::Line, 2)
        } else if first == '"' {
            return self.quoted();
        } else if is_name(first) || matches!(first, '-' | '.') {
            let end = rest
                .char_indices()
                .skip(1)
                .find(|(_, c)| !is_name(*c) && *c != '.')
                .map_or(rest.len(), |(at, _)| at);
            (Token::Name(rest[..end].to_owned()), end)
        } else if matches!(first, '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':') {
            (Token::Sign(first), 1)
        } else {
            return self.fault(format!("`{first}` is not expected here"));
        };
        self.at += length;
        Ok(token)
    }

    fn quoted(&mut self) -> Result<Token, FileError> {
        let mut name = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(Token::Name(name));
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
        self.fault("the closing `\"` of the name is missing")
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
