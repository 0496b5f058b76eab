//! Tokens on the vertices of a digraph: their names, and the coordinates of
//! their vertices.

use super::heaps::plural;
use super::{Checker, MAX_HEAPS, Problem};
use nimrule_model::expr::{Arithmetic, HeapId, Num};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{ExprKind, File, HeapGroup, HeapGroups, HeapNames, Name, Statement};

impl Checker<'_> {
    /// Checks the tokens. Returns `None` if this is a game of heaps, otherwise the
    /// description of where the tokens are, or `Some(None)` after an error.
    pub(super) fn tokens_statement(&mut self, file: &File) -> Option<Option<String>> {
        let tokens = file.statements.iter().find_map(|s| match &s.node {
            Statement::Tokens(tokens) => Some((tokens, s.span)),
            _ => None,
        });
        let heaps = file
            .statements
            .iter()
            .find(|s| matches!(s.node, Statement::Heaps(_)));
        let Some(digraph) = self.digraph.clone() else {
            let (_, at) = tokens?;
            if !self.board_is_faulty {
                self.problem(Problem::WrongBoard {
                    what: "tokens",
                    fix: "tokens are placed on the vertices of a `board digraph { … }`",
                    at: self.first_line(at),
                });
            }
            return Some(None);
        };
        if let Some(heaps) = heaps {
            self.problem(Problem::WrongBoard {
                what: "heaps",
                fix: "the vertices of a digraph hold tokens: write `tokens 1`, or `tokens a b`",
                at: self.first_line(heaps.span),
            });
            return Some(None);
        }
        let made = match tokens.map(|(tokens, at)| (&tokens.groups, at)) {
            None => self.numbered_tokens(1),
            Some((HeapGroups::AnyNumber(mark), _)) => {
                self.problem(Problem::NoValue {
                    fault: "write the number of tokens, as in `tokens 3`".to_owned(),
                    at: mark.span,
                });
                None
            }
            Some((HeapGroups::These(groups), at)) => self.token_groups(groups, at),
        };
        Some(made.map(|()| {
            let board = digraph.to_string();
            match self.heap_names.as_slice() {
                [name] if name == "token" => format!("a token on one of {board}"),
                names if names.len() > 12 => {
                    format!("{} on {board}", plural(names.len(), "token"))
                }
                names => format!(
                    "{} on {board}: {}",
                    plural(names.len(), "token"),
                    names.join(" ")
                ),
            }
        }))
    }

    fn numbered_tokens(&mut self, count: usize) -> Option<()> {
        for number in 1..=count {
            let name = match count {
                1 => "token".to_owned(),
                _ => format!("t{number}"),
            };
            self.names
                .bind_heap(&name, HeapId::new(self.heap_names.len()));
            self.heap_names.push(name);
        }
        Some(())
    }

    fn token_groups(&mut self, groups: &[HeapGroup], at: Span) -> Option<()> {
        if let [HeapGroup::Counted(count)] = groups
            && !self.is_new_name(count)
        {
            let value = self.constant(count)?;
            return match usize::try_from(value) {
                Ok(count @ 1..=MAX_HEAPS) => self.numbered_tokens(count),
                _ => {
                    self.problem(Problem::HeapNumber {
                        count: value,
                        most: MAX_HEAPS,
                        at: count.span,
                    });
                    None
                }
            };
        }
        let before = self.problems.len();
        for group in groups {
            match group {
                HeapGroup::OnCells { kind, .. } => self.problem(Problem::Kind {
                    wanted: "the number of tokens, or their names",
                    found: "a kind of cell".to_owned(),
                    at: kind.span,
                    help: Some(
                        "a token may stand on any vertex: `tokens 2`, `tokens a b`".to_owned(),
                    ),
                }),
                HeapGroup::Ranged(names) => self.named_tokens(names),
                HeapGroup::Counted(name) => match &name.node {
                    ExprKind::Name(word) => {
                        let name = Name::new(word.clone(), name.span);
                        self.named_tokens(&HeapNames::One(name));
                    }
                    _ => self.problem(Problem::Kind {
                        wanted: "a token's name",
                        found: "a number".to_owned(),
                        at: name.span,
                        help: Some(
                            "give the number of tokens alone, `tokens 4`, or name each of them"
                                .to_owned(),
                        ),
                    }),
                },
            }
        }
        if self.heap_names.is_empty() && self.problems.len() == before {
            self.problem(Problem::HeapNumber {
                count: 0,
                most: MAX_HEAPS,
                at,
            });
        }
        (!self.problems[before..].iter().any(|p| !p.is_warning())).then_some(())
    }

    fn named_tokens(&mut self, names: &HeapNames) {
        let (HeapNames::One(name) | HeapNames::Ranged { name, .. }) = names;
        // A vertex and a token with one name would be ambiguous.
        if let Some(digraph) = &self.digraph
            && digraph.named(&name.node).is_some()
        {
            self.problem(Problem::Taken {
                name: name.node.clone(),
                at: name.span,
                first: self.digraph_at.map(|at| self.first_line(at)),
            });
        }
        self.named_heaps(names);
    }

    /// `t.r`: a coordinate of the vertex of a token, or of a heap.
    pub(super) fn coordinate(&mut self, name: &Name, field: &Name) -> Option<Num> {
        if self.digraph.is_none() && !self.board_is_faulty {
            return self.coordinate_of_heap(name, field);
        }
        let token = self.named_number(&name.node, name.span)?;
        let coordinates = self
            .digraph
            .as_ref()
            .map_or(&[][..], |digraph| digraph.coordinates());
        let Some(coordinate) = coordinates.iter().find(|c| c.name == field.node) else {
            if self.board_is_faulty {
                return None;
            }
            let known: Vec<String> = coordinates
                .iter()
                .map(|c| format!("`{}.{}`", name.node, c.name))
                .collect();
            self.problem(Problem::UnknownName {
                name: format!("{}.{}", name.node, field.node),
                at: field.span,
                help: Some(if known.is_empty() {
                    "only vertices of a `board digraph (r in 1..3, c in 1..5) { … }` have coordinates"
                        .to_owned()
                } else {
                    format!("the vertices have {}", known.join(" and "))
                }),
            });
            return None;
        };
        self.names.use_closed(field, self.text);
        if coordinates.len() == 1 {
            return Some(token);
        }
        let at = field.span;
        let apply = |operator, left, right: i64| {
            Num::Binary(
                operator,
                Box::new(Spanned::new(left, at)),
                Box::new(Spanned::new(Num::Const(right), at)),
            )
        };
        // The index of a vertex: the last coordinate varies fastest.
        let place = apply(Arithmetic::Divide, token, coordinate.stride as i64);
        let place = apply(Arithmetic::Modulo, place, coordinate.count as i64);
        Some(apply(Arithmetic::Add, place, coordinate.first))
    }

    /// The index of the vertex with this name.
    pub(super) fn vertex_named(&self, name: &str) -> Option<Num> {
        let number = self.digraph.as_ref()?.named(name)?;
        Some(Num::Const(number as i64))
    }
}
