//! Boards: the statement `board` becomes a [`Board`], and errors of the board
//! get the place of the edge, face or argument that causes them.

use super::{BoardProblem, Checker};
use nimrule_board::{Arrangement, shrinking::ShrinkingBoard};
use nimrule_board::{Board, BoardError, CellKind, NamedGraph, Shrinking};
use nimrule_model::source::{Span, Spanned, join};
use nimrule_syntax::ast::{self, Expr, File, FileRef, Name, Path, Statement};

/// A board with a name: the name, its parameters, an example.
const BOARDS: [(&str, &str, &str); 13] = [
    ("cube", "no arguments", "cube"),
    ("tetrahedron", "no arguments", "tetrahedron"),
    ("octahedron", "no arguments", "octahedron"),
    ("dodecahedron", "no arguments", "dodecahedron"),
    ("icosahedron", "no arguments", "icosahedron"),
    ("prism", "one number, the sides of its base", "prism(5)"),
    (
        "antiprism",
        "one number, the sides of its base",
        "antiprism(4)",
    ),
    ("hypercube", "one number, its dimension", "hypercube(4)"),
    ("circle", "one number, its places", "circle(6)"),
    ("row", "one number, its places", "row(6)"),
    ("grid", "its lengths, one for each dimension", "grid(5, 5)"),
    ("complete", "one number, its vertices", "complete(5)"),
    ("graph", "its edges in braces", "graph { A - B - C }"),
];

/// The boards that have a name, each with its arguments as a phrase.
pub fn board_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = BOARDS
        .iter()
        .map(|(name, arguments, _)| (*name, *arguments));
    named.chain([
        ("planar", "the edges of a planar graph in braces"),
        ("digraph", "the arcs of a digraph in braces"),
    ])
}

impl Checker<'_> {
    pub fn board_statement(&mut self, file: &File) {
        for statement in &file.statements {
            if let Statement::Board(board) = &statement.node {
                let made = match board {
                    ast::Board::Named {
                        name,
                        arguments,
                        shrinking,
                    } => self.named_board(
                        name,
                        arguments,
                        shrinking.as_ref().map(|mark| mark.span),
                        statement.span,
                    ),
                    ast::Board::Graph(paths) => self.graph(paths).and_then(|(graph, spans)| {
                        self.unwrap_board(Board::graph(&graph), statement.span, &spans, &[])
                    }),
                    ast::Board::Planar { edges, faces } => {
                        self.planar_board(edges, faces, statement.span)
                    }
                    ast::Board::Digraph { coordinates, arcs } => {
                        let made = self.digraph_board(coordinates, arcs, statement.span);
                        return self.set_digraph(made, statement.span);
                    }
                    ast::Board::DigraphFile(file) => {
                        let made = self.digraph_file(file);
                        return self.set_digraph(made, statement.span);
                    }
                    ast::Board::File { file, planar } => self.file_board(file, *planar),
                };
                self.board = made;
                self.board_is_faulty = self.board.is_none();
                return;
            }
        }
        self.board_is_faulty = self.may_have_lost(&["board"]);
    }

    fn named_board(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        shrinking: Option<Span>,
        at: Span,
    ) -> Option<Board> {
        let word = name.node.as_str();
        let Some(&(_, wanted, example)) = BOARDS.iter().find(|(w, ..)| *w == word) else {
            let near = nimrule_syntax::nearest(word, BOARDS.iter().map(|(w, ..)| *w));
            let help = match near {
                Some(near) => nimrule_syntax::did_you_mean(near),
                None => {
                    let known: Vec<_> = BOARDS.iter().map(|(w, ..)| *w).collect();
                    format!(
                        "the boards are {}, planar, and `from \"file\"`",
                        known.join(", ")
                    )
                }
            };
            self.problem(BoardProblem::UnknownBoard {
                name: word.to_owned(),
                at: name.span,
                help: Some(help),
            });
            return None;
        };
        let mut sizes = Vec::new();
        for argument in arguments {
            let value = self.constant(argument)?;
            match usize::try_from(value) {
                Ok(size) => sizes.push(size),
                Err(_) => {
                    self.problem(BoardProblem::ImpossibleBoard {
                        reason: format!("a board with {value} of something"),
                        at: argument.span,
                        help: Some("sizes start at 0".to_owned()),
                    });
                    return None;
                }
            }
        }
        let solid = matches!(
            word,
            "cube" | "tetrahedron" | "octahedron" | "dodecahedron" | "icosahedron"
        );
        let fits = match word {
            _ if solid => sizes.is_empty(),
            "grid" => !sizes.is_empty(),
            "graph" => false,
            _ => sizes.len() == 1,
        };
        if !fits {
            self.problem(BoardProblem::BoardArguments {
                board: word.to_owned(),
                wanted,
                example,
                given: match sizes.len() {
                    0 => "none is given".to_owned(),
                    1 => "1 is given".to_owned(),
                    many => format!("{many} are given"),
                },
                at,
            });
            return None;
        }
        let shrinks = match (word, shrinking) {
            ("circle" | "row", Some(_)) => Shrinking::Yes,
            (_, Some(place)) => {
                self.problem(BoardProblem::ImpossibleBoard {
                    reason: format!("`{word}` cannot shrink"),
                    at: place,
                    help: Some("only `circle(n)` and `row(n)` can shrink".to_owned()),
                });
                return None;
            }
            _ => Shrinking::No,
        };
        let size = sizes.first().copied().unwrap_or_default();
        let board = match word {
            "cube" => Ok(Board::cube()),
            "tetrahedron" => Ok(Board::tetrahedron()),
            "octahedron" => Ok(Board::octahedron()),
            "dodecahedron" => Ok(Board::dodecahedron()),
            "icosahedron" => Ok(Board::icosahedron()),
            "prism" => Board::prism(size),
            "antiprism" => Board::antiprism(size),
            "hypercube" => Board::hypercube(size),
            "circle" => Board::circle(size, shrinks),
            "row" => Board::row(size, shrinks),
            "grid" => Board::grid(&sizes),
            _ => Board::complete(size),
        };
        let board = self.unwrap_board(board, at, &[], &[])?;
        if board.is_shrinking() {
            self.shrinking = Some(ShrinkingBoard {
                arrangement: board.arrangement().unwrap_or(Arrangement::Circle),
                // Named only where the board's heaps are not the first.
                first: 0,
                count: board.count(CellKind::Vertex).unwrap_or(0),
            });
        }
        Some(board)
    }

    fn planar_board(
        &mut self,
        paths: &[Path],
        faces: &[Spanned<Vec<Name>>],
        at: Span,
    ) -> Option<Board> {
        let (graph, spans) = self.graph(paths)?;
        let face_spans: Vec<Span> = faces.iter().map(|f| f.span).collect();
        let board = if faces.is_empty() {
            Board::planar(&graph)
        } else {
            let cycles: Vec<Vec<String>> = faces
                .iter()
                .map(|face| face.node.iter().map(|n| n.node.clone()).collect())
                .collect();
            Board::planar_with_faces(&graph, &cycles)
        };
        self.unwrap_board(board, at, &spans, &face_spans)
    }

    /// The graph that the paths describe, and the place of each of its edges.
    fn graph(&mut self, paths: &[Path]) -> Option<(NamedGraph, Vec<Span>)> {
        let mut graph = NamedGraph::new();
        let mut spans = Vec::new();
        let mut sound = true;
        for path in paths {
            if let [alone] = path.node.as_slice()
                && graph.vertex(&alone.node).is_none()
                && let Err(error) = graph.add_vertex(&alone.node)
            {
                self.impossible(&error, alone.span);
                sound = false;
            }
            for pair in path.node.windows(2) {
                let at = join(pair[0].span, pair[1].span);
                spans.push(at);
                if let Err(error) = graph.add_edge(&pair[0].node, &pair[1].node) {
                    self.impossible(&error, at);
                    sound = false;
                }
            }
        }
        sound.then_some((graph, spans))
    }

    fn file_board(&mut self, file: &FileRef, planar: bool) -> Option<Board> {
        let number = match &file.number {
            Some(number) => usize::try_from(self.constant(number)?).unwrap_or(0),
            None => 1,
        };
        let path = file.path.node.clone();
        let at = file.path.span;
        let bytes = match (self.read)(&path) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.problem(BoardProblem::BoardFile { path, reason, at });
                return None;
            }
        };
        let is_planar_code =
            bytes.starts_with(b">>planar_code") || path.ends_with(".pc") || path.ends_with(".plc");
        let board = match (is_planar_code, planar) {
            (true, _) => Board::from_planar_code(&bytes, number),
            (false, true) => Board::planar_from_graph6(&bytes, number),
            (false, false) => Board::from_graph6(&bytes, number),
        };
        match board {
            Err(
                error @ (BoardError::NotPlanar { .. }
                | BoardError::NotConnected { .. }
                | BoardError::NotUnique { .. }),
            ) => self.unwrap_board(Err(error), at, &[], &[]),
            Err(error) => {
                self.problem(BoardProblem::BoardFile {
                    path,
                    reason: match error.help() {
                        Some(help) => format!("{error}; {help}"),
                        None => error.to_string(),
                    },
                    at,
                });
                None
            }
            Ok(board) => Some(board),
        }
    }

    /// Unwraps a board, or reports its error at the edge or face that causes it.
    fn unwrap_board(
        &mut self,
        board: Result<Board, BoardError>,
        at: Span,
        edges: &[Span],
        faces: &[Span],
    ) -> Option<Board> {
        let error = match board {
            Ok(board) => return Some(board),
            Err(error) => error,
        };
        let head = self.first_line(at);
        match &error {
            BoardError::NotPlanar { obstruction } => {
                let reason = obstruction.as_ref().map_or_else(
                    || "it cannot be drawn without crossings".to_owned(),
                    |found| {
                        let mut names = found.names.clone();
                        let more = names.len().saturating_sub(12);
                        names.truncate(12);
                        let and_more = if more > 0 {
                            format!(" and {more} more")
                        } else {
                            String::new()
                        };
                        format!(
                            "the edges {}{and_more} form a subdivision of {}",
                            names.join(", "),
                            match found.subdivided {
                                nimrule_board::KuratowskiGraph::K5 => "K5",
                                nimrule_board::KuratowskiGraph::K33 => "K3,3",
                            }
                        )
                    },
                );
                self.problem(BoardProblem::NotPlanar { reason, at: head });
            }
            BoardError::NotConnected { a, b } => self.problem(BoardProblem::NotConnected {
                reason: format!("there is no path from `{a}` to `{b}`"),
                at: head,
            }),
            BoardError::NotUnique { ambiguity } => self.problem(BoardProblem::NotUnique {
                reason: ambiguity.to_string(),
                at: head,
            }),
            BoardError::Loop { edge, .. }
            | BoardError::DoubleEdge { edge, .. }
            | BoardError::WrongSides { edge, .. } => {
                self.impossible(&error, edges.get(*edge).copied().unwrap_or(head));
            }
            BoardError::EmptyFace { face }
            | BoardError::UnknownVertex { face, .. }
            | BoardError::NotAdjacent { face, .. } => {
                self.impossible(&error, faces.get(*face).copied().unwrap_or(head));
            }
            _ => self.impossible(&error, head),
        }
        None
    }

    fn impossible(&mut self, error: &BoardError, at: Span) {
        self.problem(BoardProblem::ImpossibleBoard {
            reason: error.to_string(),
            at,
            help: error.help(),
        });
    }
}
