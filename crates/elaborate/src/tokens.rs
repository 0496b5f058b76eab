//! Tokens on the vertices of a board: their names, the coordinates of their vertices, and
//! which heaps and tokens touch.

use super::heaps::plural;
use super::names::Meaning;
use super::selection::MAX_MEMBERS;
use super::{Checker, MAX_HEAPS, Problem};
use nimrule_board::CellKind;
use nimrule_model::digraph::{Coordinate, Digraph, NameTable, Vertices};
use nimrule_model::expr::{Arithmetic, Bool, HeapId, Num, Order, Set};
use nimrule_model::game::{Members, Selection, State};
use nimrule_model::source::{Span, Spanned};
use nimrule_relation::Relation;
use nimrule_syntax::ast::{
    self, ExprKind, File, HeapGroup, HeapGroups, HeapNames, Heaps, Name, Statement,
};
use std::convert::Infallible;
use std::sync::Arc;

/// The statement `tokens`, and its place.
pub(super) fn tokens_of(file: &File) -> Option<(&Heaps, Span)> {
    file.statements.iter().find_map(|s| match &s.node {
        Statement::Tokens(tokens) => Some((tokens, s.span)),
        _ => None,
    })
}

/// The names of the coordinates of a grid.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

impl Checker<'_> {
    /// Checks the tokens of a game, after its heaps. Returns the description of where they
    /// are; `None` after an error.
    pub(super) fn tokens_statement(&mut self, file: &File) -> Option<String> {
        let tokens = tokens_of(file);
        let at = tokens.map_or_else(|| self.beginning(file), |(_, at)| at);
        if self.digraph.is_none() {
            self.digraph_of_board(at)?;
        }
        let digraph = self.digraph.clone()?;
        let first = self.heap_names.len();
        let beside = |statement: &Statement| {
            matches!(statement, Statement::Heaps(_) | Statement::State { .. })
        };
        self.only_tokens = !file.statements.iter().any(|s| beside(&s.node));
        match tokens.map(|(tokens, at)| (&tokens.groups, at)) {
            None => self.numbered_tokens(1),
            Some((HeapGroups::AnyNumber(mark), _)) => {
                self.problem(Problem::NoValue {
                    fault: "write the number of tokens, as in `tokens 3`".to_owned(),
                    at: mark.span,
                });
                None
            }
            Some((HeapGroups::These(groups), at)) => self.token_groups(groups, at),
        }?;
        self.tokens = first..self.heap_names.len();
        if !self.only_tokens {
            let state = State {
                low: digraph.number(0),
                high: Some(digraph.number(digraph.len() - 1)),
                initial: None,
                is_token: true,
            };
            self.states.extend(self.tokens.clone().map(|_| state));
            self.require_vertices(self.first_line(at));
        }
        let board = digraph.to_string();
        Some(match &self.heap_names[first..] {
            [name] if name == "token" => format!("a token on one of {board}"),
            names if names.len() > 12 => {
                format!("{} on {board}", plural(names.len(), "token"))
            }
            names => format!(
                "{} on {board}: {}",
                plural(names.len(), "token"),
                names.join(" ")
            ),
        })
    }

    /// Requires that every token is on a vertex, of positions that moves may leave.
    pub(super) fn require_vertices(&mut self, at: Span) {
        let Some(digraph) = self.digraph.clone().filter(|_| !self.sets_tokens) else {
            return;
        };
        self.sets_tokens = true;
        let number = |state: usize| Num::Const(digraph.number(state) as i64);
        let spanned = |num| Spanned::new(num, at);
        let last = digraph.len() - 1;
        let has_gaps = digraph.number(last) - digraph.number(0) != last as u64;
        for token in self.all_tokens() {
            let vertices = match has_gaps {
                true => Set::Items((0..=last).map(|state| spanned(number(state))).collect()),
                false => Set::Range(spanned(number(0)), Some(spanned(number(last)))),
            };
            let token = Spanned::new(Num::Heap(token), at);
            let condition = Bool::In(token, Spanned::new(vertices, at));
            self.require(Spanned::new(condition, at));
        }
    }

    /// Makes the vertices of the board those of tokens: an edge is an arc each way.
    fn digraph_of_board(&mut self, at: Span) -> Option<()> {
        let fix = "tokens are placed on the vertices of a board, such as `board digraph { … }`, \
                   which is not shrinking";
        let Some(board) = self.board.as_ref().filter(|board| !board.is_shrinking()) else {
            if !self.board_is_faulty {
                self.problem(Problem::WrongBoard {
                    what: "tokens",
                    fix,
                    at: self.first_line(at),
                });
            }
            return None;
        };
        let count = board.count(CellKind::Vertex).unwrap_or(0);
        let name = |vertex: usize| board.cell_name(CellKind::Vertex, vertex);
        // Vertices that are numbers are in the order of the numbers.
        let numbers: Option<Vec<u64>> = (0..count)
            .filter(|_| board.names_are_given())
            .map(|vertex| {
                name(vertex)
                    .parse()
                    .ok()
                    .filter(|n: &u64| n.to_string() == name(vertex))
            })
            .collect();
        let mut order: Vec<usize> = (0..count).collect();
        if let Some(numbers) = &numbers
            && numbers.len() == count
        {
            order.sort_by_key(|vertex| numbers[*vertex]);
        }
        let mut place = vec![0_u32; count];
        for (state, vertex) in order.iter().enumerate() {
            place[*vertex] = state as u32;
        }
        let mut neighbours = vec![Vec::new(); count];
        for [one, other] in board.edges() {
            neighbours[place[*one] as usize].push(place[*other]);
            neighbours[place[*other] as usize].push(place[*one]);
        }
        let relation = Relation::build(count, |state, visit| {
            let to = &mut neighbours[state as usize];
            to.sort_unstable();
            to.iter().copied().for_each(visit);
            Ok::<(), Infallible>(())
        });
        let lengths = board.lengths();
        let vertices = if (2..=AXES.len()).contains(&lengths.len()) {
            let coordinate = |axis: usize| Coordinate {
                name: AXES[axis].to_owned(),
                first: 1,
                count: lengths[axis],
                stride: lengths[axis + 1..].iter().product(),
            };
            Vertices::Coordinates((0..lengths.len()).map(coordinate).collect())
        } else if !board.names_are_given() {
            Vertices::Numbers((1..=count as u64).collect())
        } else {
            match numbers {
                Some(numbers) => {
                    Vertices::Numbers(order.iter().map(|vertex| numbers[*vertex]).collect())
                }
                None => Vertices::Names(NameTable::new((0..count).map(name).collect())),
            }
        };
        let relation = relation.expect("a board has fewer edges than 32 bits can count");
        self.digraph = Some(Arc::new(Digraph { relation, vertices }));
        self.digraph_at = Some(at);
        self.board_vertices = order;
        Some(())
    }

    /// The numbers of the vertices on which the heaps of the board lie, or which they
    /// touch: for each vertex the heaps.
    fn heaps_at_vertices(&mut self, at: Span) -> Option<Vec<Vec<HeapId>>> {
        let Some((on, first)) = self.heaps_on else {
            if !self.heaps_are_faulty && !self.board_is_faulty {
                self.problem(Problem::HeapsNowhere {
                    fix: "a heap touches a token if it lies on the board: write `heaps on \
                          vertices` or `heaps on edges`",
                    at,
                });
            }
            return None;
        };
        let cells: Vec<Vec<usize>> = match &self.board {
            Some(board) => {
                let touching = board.touching(on, CellKind::Vertex)?;
                let of_state = |vertex: &usize| touching[*vertex].clone();
                self.board_vertices.iter().map(of_state).collect()
            }
            // Heaps on the vertices of a digraph.
            None => (0..self.digraph.as_ref()?.len()).map(|v| vec![v]).collect(),
        };
        let heaps = |cells: Vec<usize>| cells.into_iter().map(|c| HeapId::new(first + c));
        Some(
            cells
                .into_iter()
                .map(|cells| heaps(cells).collect())
                .collect(),
        )
    }

    /// The vertex of the token that a name denotes; `None` if it denotes no token.
    fn token_named(&mut self, name: &Name) -> Option<Num> {
        match self.names.peek(&name.node)? {
            Meaning::Heap(heap) if self.is_token(*heap) => {}
            Meaning::OneHeap(pick) if self.token_picks.contains(pick) => {}
            _ => return None,
        }
        self.named_number(&name.node, name.span)
    }

    /// `x touches y` where one of the two is a token: the heap lies on the token's vertex,
    /// or on a cell that touches it; an arc joins the vertices of the two tokens. `None` if
    /// both are heaps.
    #[allow(clippy::option_option)]
    pub(super) fn token_touches(
        &mut self,
        left: &Name,
        right: &Name,
        at: Span,
    ) -> Option<Option<Bool>> {
        let tokens = (self.token_named(left), self.token_named(right));
        let (token, other, lists) = match tokens {
            (None, None) => return None,
            (Some(token), None) | (None, Some(token)) => {
                let heap = if self.token_named(left).is_some() {
                    right
                } else {
                    left
                };
                let (index, lists) = (self.index_of(heap), self.heaps_at_vertices(at));
                let (Some(index), Some(lists)) = (index, lists) else {
                    return Some(None);
                };
                let numbers = |heaps: Vec<HeapId>| -> Vec<i64> {
                    heaps
                        .into_iter()
                        .map(|heap| heap.index() as i64 + 1)
                        .collect()
                };
                (token, index, lists.into_iter().map(numbers).collect())
            }
            (Some(token), Some(other)) => (token, other, self.joined_vertices()),
        };
        let Some(digraph) = self.digraph.clone() else {
            return Some(None);
        };
        let total: usize = lists.iter().map(Vec::len).sum();
        if total > MAX_MEMBERS {
            self.problem(Problem::TooMany {
                count: total.to_string(),
                most: MAX_MEMBERS,
                at,
            });
            return Some(None);
        }
        let spanned = |num: Num| Spanned::new(num, at);
        let case = |(vertex, list): (usize, Vec<i64>)| {
            let number = Num::Const(digraph.number(vertex) as i64);
            let here = Bool::Compare(Order::Equal, spanned(token.clone()), spanned(number));
            let members = list.into_iter().map(|n| spanned(Num::Const(n))).collect();
            let beside = Bool::In(
                spanned(other.clone()),
                Spanned::new(Set::Items(members), at),
            );
            let both = vec![Spanned::new(here, at), Spanned::new(beside, at)];
            Spanned::new(Bool::And(both), at)
        };
        let lists = lists.into_iter().enumerate();
        let cases = lists.filter(|(_, list)| !list.is_empty()).map(case);
        Some(Some(Bool::Or(cases.collect())))
    }

    /// For each vertex the numbers of those to which an arc leads, or from which one comes.
    fn joined_vertices(&self) -> Vec<Vec<i64>> {
        let Some(digraph) = &self.digraph else {
            return Vec::new();
        };
        let mut joined = vec![Vec::new(); digraph.len()];
        for from in 0..digraph.len() {
            for to in digraph.relation.from(from) {
                joined[from].push(digraph.number(*to as usize) as i64);
                joined[*to as usize].push(digraph.number(from) as i64);
            }
        }
        for list in &mut joined {
            list.sort_unstable();
            list.dedup();
        }
        joined
    }

    /// Whether all that a selection may choose are tokens.
    pub(super) fn selects_tokens(&self, members: &Members) -> bool {
        match members {
            Members::Listed(sets) => sets.iter().flatten().all(|heap| self.is_token(*heap)),
            Members::At { heaps, .. } => heaps.iter().all(|heap| self.is_token(*heap)),
            Members::Picked(pick) => self.token_picks.contains(pick),
            Members::Counted(counted) => counted.all().flatten().all(|heap| self.is_token(*heap)),
            Members::Remaining(_) | Members::Multiset { .. } | Members::Relative { .. } => false,
        }
    }

    /// Reports a step that does not fit what it selects: tokens slide, heaps are taken from,
    /// and both may be set and chosen.
    pub(super) fn check_acts_on(&mut self, action: &ast::Action, on: &Selection) -> Option<()> {
        if self.heaps_are_faulty {
            return Some(());
        }
        let tokens = self.selects_tokens(&on.members);
        let some = match &on.members {
            Members::Listed(sets) => sets.iter().flatten().any(|heap| self.is_token(*heap)),
            _ => tokens,
        };
        let (what, fix) = match action {
            ast::Action::Slide { .. } if !tokens => (
                "heaps do not slide",
                "tokens slide along the arcs of a board; heaps need `take`",
            ),
            ast::Action::Take { .. }
            | ast::Action::Put { .. }
            | ast::Action::Flip { .. }
            | ast::Action::Split { .. }
            | ast::Action::Replace { .. }
                if some =>
            {
                (
                    "tokens cannot be taken from or put on",
                    "tokens move along the arcs of the digraph: `move slide one token`",
                )
            }
            _ => return Some(()),
        };
        self.problem(Problem::WrongStep {
            what,
            fix,
            at: on.span,
        });
        None
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
        let (before, first) = (self.problems.len(), self.heap_names.len());
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
        if self.heap_names.len() == first && self.problems.len() == before {
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
    #[inline(never)]
    pub(super) fn coordinate(&mut self, name: &Name, field: &Name) -> Option<Num> {
        let is_heap = match self.names.peek(&name.node) {
            Some(Meaning::Heap(heap)) => !self.is_token(*heap),
            Some(Meaning::OneHeap(pick)) => !self.token_picks.contains(pick),
            Some(Meaning::Member(..)) => true,
            Some(Meaning::SomeHeaps(pick)) => self.set_now.is_some_and(|now| now.pick == *pick),
            _ => self.digraph.is_none(),
        };
        if is_heap && !self.board_is_faulty {
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
