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

#[cfg(test)]
mod tests {
    use crate::{Board, BoardError};

    #[test]
    fn known_codes_are_read() {
        // The example of the format's description: 5 vertices, edges 0-2, 0-4, 1-3, 3-4.
        let board = Board::from_graph6(b"DQc\n", 1).unwrap();
        assert_eq!(board.edges(), [[0, 2], [0, 4], [1, 3], [3, 4]]);
        assert_eq!(board.summary(), "5 vertices, 4 edges");
        assert!(!board.names_are_given());
        let marked = Board::from_graph6("\u{feff}>>graph6<<DQc\n".as_bytes(), 1).unwrap();
        assert_eq!(marked.edges(), board.edges());
        let file = b">>graph6<<C~\r\n\nD~{\nBw";
        let summary = |which| Board::from_graph6(file, which).unwrap().summary();
        assert_eq!(summary(1), "4 vertices, 6 edges");
        assert_eq!(summary(2), "5 vertices, 10 edges");
        assert_eq!(summary(3), "3 vertices, 3 edges");
        let tetrahedron = Board::planar_from_graph6(file, 1).unwrap();
        assert_eq!(tetrahedron.summary(), "4 vertices, 6 edges, 4 faces");
        assert!(matches!(
            Board::planar_from_graph6(file, 2),
            Err(BoardError::NotPlanar { .. })
        ));
    }

    #[test]
    fn all_forms_of_the_size_are_read() {
        let code = |head: &[u8], size: usize| {
            let mut code = head.to_vec();
            code.resize(head.len() + (size * (size - 1) / 2).div_ceil(6), b'?');
            code
        };
        for (head, size) in [
            (&b"@"[..], 1),
            (b"}", 62),
            (b"~??~", 63),
            (b"~?@~", 64 + 63),
            (b"~~????C?", 4 * 64),
        ] {
            let board = Board::from_graph6(&code(head, size), 1).unwrap();
            assert!(board.summary().starts_with(&size.to_string()), "{size}");
        }
        for huge in [&b"~~~~~~~~"[..], b"~}~~"] {
            assert!(matches!(
                Board::from_graph6(huge, 1),
                Err(BoardError::TooLarge { .. })
            ));
        }
    }

    #[test]
    fn errors_have_their_offset() {
        let fault = |bytes: &[u8], which| Board::from_graph6(bytes, which).unwrap_err();
        assert_eq!(fault(b"", 1), BoardError::NoGraphs);
        assert_eq!(fault(b">>graph6<<\n", 1), BoardError::NoGraphs);
        assert_eq!(
            fault(b"Bw\n", 2),
            BoardError::NoSuchGraph {
                which: 2,
                graphs: 1
            }
        );
        assert_eq!(
            fault(b"Bw\n", 0).to_string(),
            "there is no graph number 0: the file has 1"
        );
        assert_eq!(fault(b"Bw\nDQ", 2), BoardError::Truncated { offset: 5 });
        assert_eq!(fault(b"~?", 1), BoardError::Truncated { offset: 2 });
        assert_eq!(fault(b"Bww", 1), BoardError::TrailingBytes { offset: 2 });
        assert_eq!(fault(b"?", 1), BoardError::NoVertices);
        let sparse = fault(b":Fa@x^\n", 1);
        assert_eq!(
            sparse,
            BoardError::BadByte {
                format: "graph6",
                offset: 0,
                byte: b':'
            }
        );
        assert!(sparse.help().unwrap().contains("sparse6"));
        let headed = fault(b">>sparse6<<:Fa@x^\n", 1);
        assert!(headed.help().unwrap().contains("sparse6"));
    }

    #[test]
    fn no_bytes_panic() {
        let mut state = 1_u32;
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            drop(Board::from_graph6(&bytes, 1));
            drop(Board::from_planar_code(&bytes, 1));
        }
    }
}
