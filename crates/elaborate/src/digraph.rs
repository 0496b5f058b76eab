//! Digraphs of sliding tokens: the statement `board digraph` becomes a
//! [`Digraph`]. The arcs are listed, given by rules over coordinates, or read
//! from a file.

mod rules;

use super::names::Meaning;
use super::{BoardProblem, Checker, Problem};
use nimrule_model::digraph::{self, ArcList, Digraph, NameTable, Vertices};
use nimrule_model::game::ParamValue;
use nimrule_model::source::{Span, Spanned, join};
use nimrule_relation::Relation;
use nimrule_syntax::ast::{self, Entry, Expr, ExprKind, FileRef, Name};
use std::convert::Infallible;
use std::sync::Arc;

/// The largest number of vertices of a digraph.
const MAX_VERTICES: usize = 100_000_000;

/// A vertex in a list of arcs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Number(u64),
    Word(String),
}

impl Checker<'_> {
    /// Builds the digraph that the statement describes and reports its errors.
    pub(super) fn digraph_board(
        &mut self,
        coordinates: &[(Name, Expr)],
        arcs: &[Spanned<ast::Arcs>],
        at: Span,
    ) -> Option<Digraph> {
        let digraph = if coordinates.is_empty() {
            self.listed_arcs(arcs)?
        } else {
            self.arcs_by_rules(coordinates, arcs, at)?
        };
        self.has_vertices(digraph, at)
    }

    pub(super) fn digraph_file(&mut self, file: &FileRef) -> Option<Digraph> {
        let path = file.path.node.clone();
        let at = file.path.span;
        let refuse = |checker: &mut Self, reason: String| {
            checker.problem(BoardProblem::BoardFile { path, reason, at });
            None
        };
        if let Some(number) = &file.number
            && self.constant(number)? != 1
        {
            return refuse(self, "such a file holds one digraph".to_owned());
        }
        let bytes = match (self.read)(&file.path.node) {
            Ok(bytes) => bytes,
            Err(reason) => return refuse(self, reason),
        };
        let arcs = match digraph::read(&bytes) {
            Ok(arcs) => arcs,
            Err(error) => return refuse(self, error.to_string()),
        };
        if arcs.names.len() > MAX_VERTICES {
            return refuse(
                self,
                format!("a digraph has at most {MAX_VERTICES} vertices"),
            );
        }
        self.has_vertices(digraph_of_names(arcs), at)
    }

    /// Makes the digraph the game's board.
    pub(super) fn set_digraph(&mut self, digraph: Option<Digraph>, at: Span) {
        self.board_is_faulty = digraph.is_none();
        self.digraph = digraph.map(Arc::new);
        self.digraph_at = Some(at);
    }

    fn has_vertices(&mut self, digraph: Digraph, at: Span) -> Option<Digraph> {
        if digraph.is_empty() {
            self.problem(BoardProblem::ImpossibleBoard {
                reason: "a digraph without vertices".to_owned(),
                at: self.first_line(at),
                help: Some("write its arcs, as in `digraph { A -> B }`".to_owned()),
            });
            return None;
        }
        Some(digraph)
    }

    /// Builds `0 -> 1 -> 0`; the vertices are those that occur.
    fn listed_arcs(&mut self, arcs: &[Spanned<ast::Arcs>]) -> Option<Digraph> {
        let mut found = ArcList::default();
        let mut places = std::collections::BTreeMap::new();
        let mut words: Option<Span> = None;
        let mut numbers: Option<Span> = None;
        let mut sound = true;
        for written in arcs {
            let kept = match &written.node.condition {
                Some(condition) => self.constant_truth(condition),
                None => Some(true),
            };
            let mut chain = Vec::new();
            for vertex in &written.node.vertices {
                let Some(label) = self.label(vertex) else {
                    sound = false;
                    continue;
                };
                match &label {
                    Label::Number(_) => numbers = numbers.or(Some(vertex.span())),
                    Label::Word(_) => words = words.or(Some(vertex.span())),
                }
                let next = found.names.len() as u32;
                let place = *places.entry(label.clone()).or_insert(next);
                if place == next {
                    found.names.push(match label {
                        Label::Number(number) => number.to_string(),
                        Label::Word(word) => word,
                    });
                }
                chain.push(place);
            }
            sound = sound && kept.is_some();
            if kept == Some(true) {
                found
                    .arcs
                    .extend(chain.windows(2).map(|pair| (pair[0], pair[1])));
            }
        }
        if let (Some(words), Some(numbers)) = (words, numbers) {
            let named = self
                .text
                .get(numbers.offset()..numbers.offset() + numbers.len());
            let param = named.filter(|name| self.names.peek(name).is_some());
            let help = match param {
                Some(name) => format!(
                    "`{name}` is the value of the parameter; rename the parameter, or use only \
                     numbers or only words"
                ),
                None => "use only numbers or only words".to_owned(),
            };
            self.problem(BoardProblem::ImpossibleBoard {
                reason: "some vertices are numbers, others are words".to_owned(),
                at: if words.offset() > numbers.offset() {
                    words
                } else {
                    numbers
                },
                help: Some(help),
            });
            return None;
        }
        sound.then(|| digraph_of_names(found))
    }

    /// The label of a vertex in a list of arcs.
    fn label(&mut self, vertex: &Entry) -> Option<Label> {
        match vertex {
            Entry::Coordinates(values) => {
                let values: Vec<_> = values.node.iter().map(|v| self.constant(v)).collect();
                let values: Vec<i64> = values.into_iter().collect::<Option<_>>()?;
                Some(Label::Word(tuple_text(&values)))
            }
            Entry::Number(expr) => match self.word_of(expr) {
                Some(word) => Some(Label::Word(word)),
                None => {
                    let number = self.constant(expr)?;
                    match u64::try_from(number) {
                        Ok(number) if number <= super::MAX_NUMBER => Some(Label::Number(number)),
                        _ => {
                            self.problem(BoardProblem::ImpossibleBoard {
                                reason: format!("a vertex {number}"),
                                at: expr.span,
                                help: Some(format!(
                                    "numbered vertices go from 0 to {}",
                                    super::MAX_NUMBER
                                )),
                            });
                            None
                        }
                    }
                }
            },
        }
    }

    /// The name of a vertex, if the expression is a name that stands for no
    /// number.
    fn word_of(&mut self, expr: &Expr) -> Option<String> {
        match &expr.node {
            ExprKind::Name(name)
                if !matches!(
                    self.names.peek(name),
                    Some(Meaning::Param(ParamValue::Number(_)) | Meaning::Unknown)
                ) =>
            {
                Some(name.clone())
            }
            _ => None,
        }
    }

    /// The index of the vertex that an entry of a position or of a pair names.
    pub fn vertex(&mut self, written: &Entry) -> Option<u64> {
        let digraph = self.digraph.clone()?;
        let found = match written {
            Entry::Coordinates(values) => {
                let values: Vec<_> = values.node.iter().map(|v| self.constant(v)).collect();
                let values: Vec<i64> = values.into_iter().collect::<Option<_>>()?;
                match &digraph.vertices {
                    Vertices::Names(names) => names.index(&tuple_text(&values)),
                    _ => digraph.state_of(&values),
                }
                .map(|state| digraph.number(state))
            }
            Entry::Number(expr) => {
                let word = self
                    .word_of(expr)
                    .filter(|word| digraph.named(word).is_some());
                match word {
                    Some(word) => digraph.named(&word),
                    None if digraph.has_numbers() => u64::try_from(self.constant(expr)?)
                        .ok()
                        .filter(|number| digraph.state(*number).is_some()),
                    // In a file, a number may be the name of a vertex.
                    None if matches!(expr.node, ExprKind::Number(_)) => {
                        digraph.named(&self.constant(expr)?.to_string())
                    }
                    None => None,
                }
            }
        };
        if found.is_none() {
            self.problem(Problem::NoVertex {
                vertex: self.quote(written.span()),
                help: some_vertices(&digraph),
                at: written.span(),
            });
        }
        found
    }

    /// The first line of a statement: a label over many lines is hard to read.
    pub(super) fn first_line(&self, at: Span) -> Span {
        let length = self.text[at.offset()..at.offset() + at.len()]
            .lines()
            .next()
            .map_or(at.len(), |line| line.trim_end().len());
        (at.offset(), length).into()
    }
}

/// A vertex by its coordinates, in text.
fn tuple_text(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("({})", values.join(","))
}

/// Describes the vertices, for the error of an unknown vertex.
fn some_vertices(digraph: &Digraph) -> String {
    match &digraph.vertices {
        Vertices::Coordinates(coordinates) => {
            let ranges: Vec<String> = coordinates
                .iter()
                .map(|c| format!("{} in {}..{}", c.name, c.first, c.last()))
                .collect();
            if let [_] = coordinates.as_slice() {
                format!("the vertices are the numbers {}", ranges[0])
            } else {
                format!("the vertices are written ({})", ranges.join(", "))
            }
        }
        _ => {
            const SHOWN: usize = 8;
            let names: Vec<String> = (0..digraph.len().min(SHOWN))
                .map(|state| digraph.shown(state))
                .collect();
            let more = if digraph.len() > SHOWN { ", …" } else { "" };
            format!("the vertices are {}{more}", names.join(", "))
        }
    }
}

/// Sorts the vertices if all of them are whole numbers; otherwise keeps the
/// order of their first occurrence.
fn digraph_of_names(found: ArcList) -> Digraph {
    let count = found.names.len();
    let numbers: Option<Vec<u64>> = found
        .names
        .iter()
        .map(|name| {
            let number = name.parse().ok()?;
            // `01` and `1` are different names.
            (name.len() == 1 || !name.starts_with(['0', '+'])).then_some(number)
        })
        .collect();
    let numbers = numbers.filter(|all| all.iter().all(|n| *n <= super::MAX_NUMBER));
    let mut order: Vec<u32> = (0..count as u32).collect();
    let vertices = match numbers {
        Some(numbers) => {
            order.sort_unstable_by_key(|at| numbers[*at as usize]);
            Vertices::Numbers(order.iter().map(|at| numbers[*at as usize]).collect())
        }
        None => Vertices::Names(NameTable::new(found.names)),
    };
    let mut place = vec![0_u32; count];
    for (at, name) in order.iter().enumerate() {
        place[*name as usize] = at as u32;
    }
    let mut arcs: Vec<(u32, u32)> = found
        .arcs
        .into_iter()
        .map(|(from, to)| (place[from as usize], place[to as usize]))
        .collect();
    arcs.sort_unstable();
    arcs.dedup();
    let mut rest = arcs.iter().peekable();
    let relation = Relation::build(count, |state, visit| {
        while let Some((_, to)) = rest.next_if(|(from, _)| *from == state) {
            visit(*to);
        }
        Ok::<(), Infallible>(())
    })
    .expect("a text holds fewer arcs than 32 bits can count");
    Digraph { relation, vertices }
}

/// The span from one end of an arc to the other.
fn place_of_arc(from: &Entry, to: &Entry) -> Span {
    join(from.span(), to.span())
}
