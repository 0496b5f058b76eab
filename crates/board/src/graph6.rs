//! The file format graph6, with one graph on each line (McKay, "Description of graph6, sparse6 and
//! digraph6 encodings").
//!
//! Every byte is 63 plus a group of six bits. The first one, four or eight bytes are the number of
//! vertices. They are followed by one bit for each pair of vertices, in the order (0,1), (0,2),
//! (1,2), (0,3), …: whether an edge joins them.

use super::named::NamedGraph;
use super::{Board, BoardError, CellKind, check_count};

const FORMAT: &str = "graph6";
const HEADER: &[u8] = b">>graph6<<";

impl Board {
    /// The graph number `which` (from 1) of a graph6 file, without faces. Its edges are ascending
    /// by their smaller and then their larger vertex.
    ///
    /// # Errors
    ///
    /// If the file is malformed, has no such graph, or the graph is too large.
    pub fn from_graph6(bytes: &[u8], which: usize) -> Result<Board, BoardError> {
        Board::graph(&read(bytes, which)?)
    }

    /// The graph number `which` (from 1) of a graph6 file, with the faces of its embedding.
    ///
    /// # Errors
    ///
    /// As [`Board::from_graph6`] and [`Board::planar`].
    pub fn planar_from_graph6(bytes: &[u8], which: usize) -> Result<Board, BoardError> {
        Board::planar(&read(bytes, which)?)
    }
}

/// A line, and its offset in the file.
struct Line<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Line<'_> {
    /// The six bits of the byte at this index of the line.
    fn bits(&self, place: usize) -> Result<u8, BoardError> {
        let offset = self.offset + place;
        match self.bytes.get(place) {
            Some(&byte @ 63..=126) => Ok(byte - 63),
            Some(&byte) => Err(BoardError::BadByte {
                format: FORMAT,
                offset,
                byte,
            }),
            None => Err(BoardError::Truncated { offset }),
        }
    }

    /// The number in `bytes` bytes from `start` on, and the index after it.
    fn number(&self, start: usize, bytes: usize) -> Result<(u64, usize), BoardError> {
        let mut number = 0;
        for place in start..start + bytes {
            number = number << 6 | u64::from(self.bits(place)?);
        }
        Ok((number, start + bytes))
    }
}

fn read(bytes: &[u8], which: usize) -> Result<NamedGraph, BoardError> {
    let line = find_line(bytes, which)?;
    const LONG: u8 = 63;
    let (size, start) = if line.bits(0)? != LONG {
        line.number(0, 1)?
    } else if line.bits(1)? != LONG {
        line.number(1, 3)?
    } else {
        line.number(2, 6)?
    };
    let size = check_count(
        "graph",
        usize::try_from(size).ok(),
        CellKind::Vertex.plural(),
    )?;
    let end = start + (size * size.saturating_sub(1) / 2).div_ceil(6);
    if line.bytes.len() > end {
        return Err(BoardError::TrailingBytes {
            offset: line.offset + end,
        });
    }
    let mut edges = Vec::new();
    let (mut a, mut b) = (0, 1);
    for place in start..end {
        let bits = line.bits(place)?;
        for shift in (0..6).rev() {
            // The last byte may be padded with bits that belong to no pair.
            if bits >> shift & 1 == 1 && b < size {
                check_count("graph", Some(edges.len() + 1), CellKind::Edge.plural())?;
                edges.push([a, b]);
            }
            a += 1;
            if a == b {
                (a, b) = (0, b + 1);
            }
        }
    }
    edges.sort_unstable();
    let mut graph = NamedGraph::numbered(size)?;
    for [a, b] in edges {
        graph.join(a, b)?;
    }
    Ok(graph)
}

fn find_line(bytes: &[u8], which: usize) -> Result<Line<'_>, BoardError> {
    // Some editors begin a file with a byte order mark.
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    let mut offset = 0;
    for beginning in [BYTE_ORDER_MARK, HEADER] {
        if bytes[offset..].starts_with(beginning) {
            offset += beginning.len();
        }
    }
    let mut graphs = 0;
    for line in bytes[offset..].split(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        if !text.is_empty() {
            graphs += 1;
            if graphs == which {
                return Ok(Line {
                    bytes: text,
                    offset,
                });
            }
        }
        offset += line.len() + 1;
    }
    if graphs == 0 {
        return Err(BoardError::NoGraphs);
    }
    Err(BoardError::NoSuchGraph { which, graphs })
}
