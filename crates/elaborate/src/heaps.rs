//! The statements `heaps` and `family`: places, names and families of heaps.

use super::expression::describe;
use super::names::{Meaning, hidden};
use super::tokens::{AXES, tokens_of};
use super::{BoardProblem, Checker, MAX_HEAPS, Problem};
use itertools::Itertools;
use nimrule_board::{Board, CellKind};
use nimrule_model::expr::{Bool, Fold, HeapId, List, Num, Order, Set};
use nimrule_model::game::{HeapKinds, ParamValue, State};
use nimrule_model::group::Group;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{
    Axis, Expr, ExprKind, FamilySets, File, HeapGroup, HeapGroups, HeapNames, HeapRef, Name,
    Statement,
};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Checker<'_> {
    /// Checks the heaps and the tokens. Returns the description of where they are.
    pub fn heaps_statement(&mut self, file: &File) -> Option<String> {
        let is_heaps = |s: &&Spanned<Statement>| matches!(s.node, Statement::Heaps(_));
        let heaps = file.statements.iter().find(is_heaps);
        let tokens = tokens_of(file);
        if let (Some(heaps), Some(_), None) = (heaps, &self.digraph, tokens) {
            self.problem(Problem::WrongBoard {
                what: "heaps",
                fix: "the vertices of a digraph hold tokens: write `tokens 1` or `tokens a b`, \
                      beside the heaps if there are any",
                at: self.first_line(heaps.span),
            });
            return None;
        }
        if tokens.is_none() && self.digraph.is_none() {
            return self.heaps_of_file(file);
        }
        let line = match heaps {
            Some(_) => Some(self.heaps_of_file(file)?),
            None => None,
        };
        if self.heap_kinds.take().is_some() {
            // The moves are those of tokens.
            self.only_tokens = true;
            self.problem(Problem::WrongBoard {
                what: "tokens",
                fix: "tokens and `heaps any number` cannot be in one game; give the number of \
                      heaps, or their names",
                at: self.first_line(tokens.map_or_else(|| self.beginning(file), |(_, at)| at)),
            });
            return None;
        }
        let tokens = self.tokens_statement(file)?;
        Some(line.map_or_else(|| tokens.clone(), |line| format!("{line}; {tokens}")))
    }

    fn heaps_of_file(&mut self, file: &File) -> Option<String> {
        for statement in &file.statements {
            if let Statement::Heaps(heaps) = &statement.node {
                let line = match &heaps.groups {
                    HeapGroups::These(groups) => self.heap_groups(groups, statement.span),
                    HeapGroups::AnyNumber(_) => self.multiset_statement(file),
                };
                if let (Some(sizes), Some(_)) = (&heaps.sizes, &line) {
                    self.heap_sizes(sizes);
                }
                return line;
            }
        }
        if self.may_have_lost(&["heaps", "tokens", "kinds"]) {
            return None;
        }
        let board_places = self.board.as_ref().filter(|board| {
            board.arrangement().is_some()
                || !board.lines().is_empty()
                || board.name().starts_with("complete")
        });
        if let Some(board) = board_places {
            let count = board.count(CellKind::Vertex).unwrap_or_default();
            self.heaps_on = Some((CellKind::Vertex, 0));
            self.numbered_heaps(count, self.beginning(file))?;
            return Some("a heap on each place".to_owned());
        }
        if !self.board_is_faulty {
            let fix = if self.board.is_some() {
                "write the cells they are on: `heaps on faces`, `heaps on edges` or `heaps on \
                 vertices`"
            } else {
                "write their number, `heaps 3`, or their names, `heaps a b c`"
            };
            let at = file
                .statements
                .iter()
                .find(|s| matches!(s.node, Statement::Board(_)))
                .map_or_else(|| self.beginning(file), |s| s.span);
            self.problem(Problem::HeapsNowhere { fix, at });
        }
        None
    }

    /// The coordinates of the places of a grid, with names if there are two or three.
    pub fn grid_coordinates(&mut self) {
        let (Some(board), Some((CellKind::Vertex, first))) = (&self.board, self.heaps_on) else {
            return;
        };
        let lengths = board.lengths();
        let named = (2..=AXES.len()).contains(&lengths.len());
        let names: Vec<Option<String>> = (0..lengths.len())
            .map(|axis| named.then(|| AXES[axis].to_owned()))
            .collect();
        if names.is_empty() {
            return;
        }
        let ranges = lengths.iter().map(|length| 1..=*length as i64);
        let indices: Vec<Vec<i64>> = ranges.multi_cartesian_product().collect();
        let heaps = (first..first + indices.len()).map(HeapId::new).collect();
        self.groups
            .push(Arc::new(Group::new(None, names, heaps, indices)));
    }

    /// Checks the states: each is a number of the position after the heaps.
    pub fn state_statements(&mut self, file: &File) {
        for statement in &file.statements {
            let Statement::State { name, range, value } = &statement.node else {
                continue;
            };
            let set = self.set(range);
            let value = value.as_ref().map(|value| self.constant(value));
            self.check_not_taken(name);
            let in_multiset = self.heap_kinds.as_ref().map(|kinds| kinds.states.len());
            let place = HeapId::new(self.heap_names.len());
            if in_multiset.is_none() {
                self.heap_names.push(name.node.clone());
            }
            let bounds = set.and_then(|set| match set.node {
                Set::Range(low, None) => Some((low.constant()?, None)),
                Set::Range(low, Some(high)) => Some((low.constant()?, Some(high.constant()?))),
                _ => None,
            });
            let valid = |(low, high): &(i64, Option<i64>)| {
                *low >= 0 && high.is_none_or(|high| *low <= high)
            };
            let Some((low, high)) = bounds.filter(valid) else {
                self.problem(Problem::Kind {
                    wanted: "a range of numbers, such as `0..1` or `1..`",
                    found: "something else".to_owned(),
                    at: range.span,
                    help: None,
                });
                self.push_state(
                    &name.node,
                    State {
                        low: 0,
                        high: None,
                        initial: None,
                        is_token: false,
                    },
                );
                self.names.bind(name, Meaning::Unknown);
                continue;
            };
            if let Some(Some(value)) = value
                && (value < low || high.is_some_and(|high| high < value))
            {
                self.problem(Problem::NeverHolds {
                    what: "the value is not in the range",
                    at: range.span,
                });
            }
            let meaning = match in_multiset {
                Some(state) => Meaning::StateOfMultiset(state),
                None => Meaning::State(place),
            };
            self.names.bind(name, meaning);
            let state = State {
                low: low.unsigned_abs(),
                high: high.map(i64::unsigned_abs),
                initial: value.flatten().and_then(|value| u64::try_from(value).ok()),
                is_token: false,
            };
            self.push_state(&name.node, state);
            let at = range.span;
            let of_multiset = in_multiset.and_then(|state| self.state_of_multiset(state, at));
            let current = || of_multiset.clone().unwrap_or(Num::Heap(place));
            let number = |num| Spanned::new(num, at);
            let at_most = |left, right| {
                let compared = Bool::Compare(Order::AtMost, number(left), number(right));
                Spanned::new(compared, at)
            };
            // A multiset without a heap for the state is no position.
            if low > 0 || in_multiset.is_some() {
                self.require(at_most(Num::Const(low), current()));
            }
            if let Some(high) = high {
                self.require(at_most(current(), Num::Const(high)));
            }
        }
    }

    fn push_state(&mut self, name: &str, state: State) {
        match &mut self.heap_kinds {
            Some(kinds) => kinds.states.push((name.to_owned(), state)),
            None => self.states.push(state),
        }
    }

    /// Adds a condition to those of `positions where`.
    pub fn require(&mut self, condition: Spanned<Bool>) {
        let at = condition.span;
        self.positions = Some(match self.positions.take() {
            None => condition,
            Some(Spanned {
                node: Bool::And(mut all),
                ..
            }) => {
                all.push(condition);
                Spanned::new(Bool::And(all), at)
            }
            Some(other) => Spanned::new(Bool::And(vec![other, condition]), at),
        });
    }

    /// `of size 0..1`: every position has heaps of these sizes only, and tables need
    /// no larger ones.
    fn heap_sizes(&mut self, written: &Expr) {
        let Some(set) = self.set(written) else {
            return;
        };
        let bounds = match &set.node {
            Set::Range(low, Some(high)) => low.constant().zip(high.constant()),
            _ => None,
        };
        let Some((low, high)) = bounds.filter(|(low, high)| 0 <= *low && low <= high) else {
            let (found, help) = match &set.node {
                Set::Range(low, None) => {
                    let low = self.quote(low.span);
                    let help = format!(
                        "heaps of any size from {low} on: `positions where min(heaps) >= {low}`; \
                         `of size` names the largest size as well"
                    );
                    ("a range without an end".to_owned(), help)
                }
                Set::Range(low, Some(high)) => {
                    let found = match (low.constant(), high.constant()) {
                        (Some(low), Some(high)) if low > high => "an empty range",
                        (Some(_), Some(_)) => "a negative size",
                        _ => "a range that depends on the position",
                    };
                    let help = "write the smallest and the largest size, as in `of size 0..3`";
                    (found.to_owned(), help.to_owned())
                }
                _ => {
                    let sizes = self.quote(written.span);
                    let help = format!(
                        "heaps of other sets of sizes: `positions where forall x in heaps: x in \
                         {sizes}`"
                    );
                    ("a set that is no range".to_owned(), help)
                }
            };
            self.problem(Problem::Kind {
                wanted: "a range of sizes, such as `0..1`",
                found,
                at: written.span,
                help: Some(help),
            });
            return;
        };
        let at = written.span;
        let list = match &self.heap_kinds {
            Some(kinds) => List::Multiset(kinds.heaps()),
            None => List::Heaps(self.all_heaps()),
        };
        let of_all = |fold| Spanned::new(Num::Fold(fold, Spanned::new(list.clone(), at)), at);
        let at_most = |left, right| Spanned::new(Bool::Compare(Order::AtMost, left, right), at);
        let number = |value| Spanned::new(Num::Const(value), at);
        let most = at_most(of_all(Fold::Max), number(high));
        if low > 0 {
            self.require(at_most(number(low), of_all(Fold::Min)));
        }
        self.require(most);
        self.largest_size = u64::try_from(high).ok();
    }

    /// The heaps are those of a parameter that is left open.
    pub fn open_heaps(&mut self) {
        self.counts_open = true;
        self.heap_kinds = Some(HeapKinds {
            names: Vec::new(),
            states: Vec::new(),
        });
    }

    fn heap_groups(&mut self, groups: &[HeapGroup], at: Span) -> Option<String> {
        let before = self.problems.len();
        if let [HeapGroup::Counted(count)] = groups
            && !self.is_new_name(count)
        {
            if let ExprKind::Name(name) = &count.node
                && let Some(Meaning::Param(ParamValue::Open)) = self.names.look_up(name, count.span)
            {
                self.open_heaps();
                return Some(format!("{name} loose heaps, for every {name}"));
            }
            let value = self.constant(count)?;
            let count_of = usize::try_from(value).unwrap_or(0);
            if count_of == 0 || count_of > MAX_HEAPS {
                self.problem(Problem::HeapNumber {
                    count: value,
                    most: MAX_HEAPS,
                    at: count.span,
                });
                return None;
            }
            self.numbered_heaps(count_of, at)?;
            return Some(plural(count_of, "loose heap"));
        }
        let mut lines = Vec::new();
        let mut name_before = None;
        for group in groups {
            let first = self.heap_names.len();
            let before = name_before.take();
            match group {
                HeapGroup::OnCells { kind, names } => {
                    lines.extend(self.heaps_on_cells(kind, names))
                }
                HeapGroup::Ranged(names) => {
                    self.named_heaps(names);
                }
                HeapGroup::Counted(name) => match &name.node {
                    ExprKind::Name(word)
                        if groups
                            .iter()
                            .any(|g| matches!(g, HeapGroup::OnCells { .. }))
                            && CellKind::ALL.iter().any(|kind| kind.plural() == word) =>
                    {
                        self.problem(Problem::SecondCells {
                            name: word.clone(),
                            at: name.span,
                        });
                    }
                    ExprKind::Name(word) => {
                        self.one_heap(&Name::new(word.clone(), name.span));
                        name_before = Some(word);
                    }
                    _ => self.problem(Problem::Kind {
                        wanted: "a heap's name",
                        found: "a number".to_owned(),
                        at: name.span,
                        help: Some(match before.map(String::as_str) {
                            Some("players") => nimrule_syntax::TWO_PLAYERS.to_owned(),
                            // A word of another language, on a line of its own.
                            Some(word) => format!(
                                "`{word}` is read as the name of a heap, since no statement \
                                 begins with it; to give the number of heaps, write it alone, \
                                 `heaps 4`"
                            ),
                            None => "give the number of heaps alone, `heaps 4`, or name each of \
                                     them"
                                .to_owned(),
                        }),
                    }),
                },
            }
            if !matches!(group, HeapGroup::OnCells { .. }) && self.heap_names.len() > first {
                lines.push(self.heap_names[first..].join(" "));
            }
        }
        if self.problems[before..].iter().any(|p| !p.is_warning()) {
            return None;
        }
        Some(lines.join(", ").replace("  ", " "))
    }

    /// Whether the expression is a name that stands for no number.
    pub(super) fn is_new_name(&self, expr: &Expr) -> bool {
        match &expr.node {
            ExprKind::Name(name) => !matches!(
                self.names.peek(name),
                Some(Meaning::Param(_) | Meaning::Unknown)
            ),
            _ => false,
        }
    }

    fn numbered_heaps(&mut self, count: usize, at: Span) -> Option<()> {
        if count > MAX_HEAPS {
            self.problem(Problem::HeapNumber {
                count: i64::try_from(count).unwrap_or(i64::MAX),
                most: MAX_HEAPS,
                at,
            });
            return None;
        }
        for number in 1..=count {
            let name = format!("h{number}");
            self.names
                .bind_heap(&name, HeapId::new(self.heap_names.len()));
            self.heap_names.push(name);
        }
        Some(())
    }

    fn one_heap(&mut self, name: &Name) {
        if self.heap_names.len() >= MAX_HEAPS {
            self.problem(Problem::HeapNumber {
                count: i64::try_from(MAX_HEAPS).unwrap_or(i64::MAX) + 1,
                most: MAX_HEAPS,
                at: name.span,
            });
            return;
        }
        self.check_not_taken(name);
        let heap = HeapId::new(self.heap_names.len());
        self.heap_names.push(name.node.clone());
        self.names.bind(name, Meaning::Heap(heap));
    }

    /// Binds `pile[1..p]` or a single name. Returns the number of heaps.
    pub(super) fn named_heaps(&mut self, names: &HeapNames) -> Option<usize> {
        match names {
            HeapNames::One(name) => {
                self.one_heap(name);
                Some(1)
            }
            HeapNames::Ranged {
                name,
                axes,
                condition,
            } => self.group(name, axes, condition.as_ref()),
        }
    }

    /// Binds `cell[x in 1..3, y in 1..2 where x != y]`. Returns the number of heaps.
    fn group(&mut self, name: &Name, axes: &[Axis], condition: Option<&Expr>) -> Option<usize> {
        let at = axes
            .iter()
            .map(|axis| axis.range.span)
            .reduce(nimrule_model::source::join)?;
        for axis in axes {
            if !matches!(axis.range.node, ExprKind::Range { high: Some(_), .. }) {
                self.problem(Problem::Kind {
                    wanted: "a range of indices, such as `1..4`",
                    found: "something else".to_owned(),
                    at: axis.range.span,
                    help: None,
                });
                return None;
            }
        }
        self.check_not_taken(name);
        let binders: Vec<(Name, Expr)> = axes
            .iter()
            .map(|axis| {
                let name = axis.name.clone().unwrap_or_else(|| hidden(axis.range.span));
                (name, axis.range.clone())
            })
            .collect();
        let before = self.heap_names.len();
        let room = MAX_HEAPS.saturating_sub(before);
        let mut indices: Vec<Vec<i64>> = Vec::new();
        let mut count = 0;
        self.for_all_numbers(&binders, condition, &mut |_, values| {
            count += 1;
            if indices.len() <= room {
                indices.push(values);
            }
            Some(())
        })?;
        if count == 0 || indices.len() > room {
            self.problem(Problem::HeapNumber {
                count,
                most: MAX_HEAPS,
                at,
            });
            return None;
        }
        for index in &indices {
            let written: Vec<String> = index.iter().map(i64::to_string).collect();
            self.heap_names
                .push(format!("{}[{}]", name.node, written.join(",")));
        }
        let count = indices.len();
        let group = Arc::new(Group::new(
            Some(name.node.clone()),
            axes.iter()
                .map(|axis| axis.name.as_ref().map(|name| name.node.clone()))
                .collect(),
            (before..before + count).map(HeapId::new).collect(),
            indices,
        ));
        self.groups.push(Arc::clone(&group));
        self.names.bind(name, Meaning::Group(group));
        Some(count)
    }

    fn heaps_on_cells(&mut self, kind: &Name, names: &[HeapNames]) -> Option<String> {
        let cells = match kind.node.as_str() {
            "vertices" | "vertex" => CellKind::Vertex,
            "edges" | "edge" => CellKind::Edge,
            "faces" | "face" => CellKind::Face,
            other => {
                let help = nimrule_syntax::nearest(other, ["vertices", "edges", "faces"]).map_or(
                    "heaps are on `vertices`, `edges` or `faces`".to_owned(),
                    nimrule_syntax::did_you_mean,
                );
                self.problem(Problem::UnknownName {
                    name: other.to_owned(),
                    at: kind.span,
                    help: Some(help),
                });
                return None;
            }
        };
        if self.heaps_on.is_some() {
            self.problem(Problem::Repeated {
                statement: "heaps on",
                at: kind.span,
                first: self.heaps_on_at.unwrap_or(kind.span),
            });
            return None;
        }
        self.heaps_on_at = Some(kind.span);
        let count = match &self.digraph {
            Some(digraph) if cells == CellKind::Vertex => digraph.len(),
            _ => self.cells(cells, kind.span)?,
        };
        if count > MAX_HEAPS {
            self.problem(Problem::HeapNumber {
                count: i64::try_from(count).unwrap_or(i64::MAX),
                most: MAX_HEAPS,
                at: kind.span,
            });
            return None;
        }
        let first = self.heap_names.len();
        if let Some(board) = &mut self.shrinking {
            if cells != CellKind::Vertex {
                self.problem(BoardProblem::ImpossibleBoard {
                    reason: "only heaps on the places of a board can vanish".to_owned(),
                    at: kind.span,
                    help: Some("on a shrinking board write `heaps on vertices`".to_owned()),
                });
                return None;
            }
            board.first = first;
        }
        self.heaps_on = Some((cells, first));
        if names.is_empty() && self.digraph.is_some() {
            self.numbered_heaps(count, kind.span)?;
        } else if names.is_empty() {
            let board = self.board.as_ref()?;
            if !board.names_are_given() {
                self.numbered_heaps(count, kind.span)?;
                return Some(format!("a heap on each {}", cells.singular()));
            }
            let Some(cell_names) = words_for_cells(board, cells, count) else {
                self.numbered_heaps(count, kind.span)?;
                return Some(format!("a heap on each {}", cells.singular()));
            };
            for name in cell_names {
                self.names
                    .bind_heap(&name, HeapId::new(self.heap_names.len()));
                self.heap_names.push(name);
            }
        } else {
            for name in names {
                self.named_heaps(name);
            }
            let given = self.heap_names.len() - first;
            if given != count {
                let span = names
                    .iter()
                    .map(|n| match n {
                        HeapNames::One(name) => name.span,
                        HeapNames::Ranged { name, .. } => name.span,
                    })
                    .reduce(nimrule_model::source::join)
                    .unwrap_or(kind.span);
                self.problem(Problem::HeapNames {
                    names: given,
                    cells: count,
                    kind: if count == 1 {
                        cells.singular()
                    } else {
                        cells.plural()
                    },
                    at: span,
                });
                return None;
            }
        }
        Some(format!(
            "a heap on each {}: {}",
            cells.singular(),
            self.heap_names[first..].join(" ")
        ))
    }

    /// The number of cells of a kind on the board; reports that it has none.
    pub fn cells(&mut self, kind: CellKind, at: Span) -> Option<usize> {
        let Some(board) = &self.board else {
            if !self.board_is_faulty {
                self.problem(BoardProblem::NoBoard {
                    cells: kind.plural().to_owned(),
                    at,
                });
                // Reported once; further errors about the board would follow from it.
                self.board_is_faulty = true;
            }
            return None;
        };
        let count = board.count(kind).filter(|count| *count > 0);
        if count.is_none() {
            let name = format!("`board {}`", board.name());
            let help = (kind == CellKind::Face)
                .then(|| "a board with faces is a solid, a `prism(n)`, an `antiprism(n)` or a `planar { … }` graph".to_owned());
            let problem = BoardProblem::NoCells {
                cells: kind.plural().to_owned(),
                board: name,
                at,
                help,
            };
            self.impossible_here(self.places_vary && kind == CellKind::Edge, problem);
        }
        count
    }

    pub fn families(&mut self, file: &File) {
        for statement in &file.statements {
            let Statement::Family { name, of, sets } = &statement.node else {
                continue;
            };
            self.check_not_taken(name);
            let meaning = match of {
                None => self.family_sets(sets).map(Meaning::Family),
                Some(of) => self.family_of(of, sets),
            };
            self.names.bind(name, meaning.unwrap_or(Meaning::Unknown));
        }
    }

    /// `family … of v`: the sets of each heap.
    fn family_of(&mut self, of: &Name, sets: &[FamilySets]) -> Option<Meaning> {
        let heaps = Spanned::new(ExprKind::Heaps, of.span);
        let mut all = Vec::new();
        self.for_all(&[(of.clone(), heaps)], None, &mut |checker| {
            all.push(checker.family_sets(sets)?);
            Some(())
        })?;
        Some(Meaning::FamilyOf(all.into()))
    }

    /// The heap that a name, or a name with a constant index, denotes.
    pub fn heap_ref(&mut self, heap: &HeapRef) -> Option<HeapId> {
        let at = heap.name.span;
        match (self.names.look_up(&heap.name.node, at), &heap.indices[..]) {
            (Some(Meaning::Heap(id)), []) => Some(id),
            (Some(Meaning::Group(group)), [_, ..]) => {
                let indices: Vec<Option<i64>> =
                    heap.indices.iter().map(|i| self.constant(i)).collect();
                let indices: Vec<i64> = indices.into_iter().collect::<Option<_>>()?;
                self.heap_of_group(&group, &indices, &heap.indices)
            }
            (Some(Meaning::Unknown), _) => None,
            (Some(_), _) => {
                let found = self
                    .names
                    .peek(&heap.name.node)
                    .map_or("something else", describe);
                self.problem(Problem::Kind {
                    wanted: "a heap",
                    found: found.to_owned(),
                    at,
                    help: None,
                });
                None
            }
            (None, _) => {
                if !self.heap_names.is_empty() || !self.board_is_faulty {
                    self.unknown_name(&heap.name.node, at);
                }
                None
            }
        }
    }
}

pub fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}

/// The names of the cells as identifiers of the language: `A-B`, the edge that
/// joins A and B, would be a difference, so the heap on it is named `A_B`. `None`
/// if two cells would have the same name.
fn words_for_cells(board: &Board, cells: CellKind, count: usize) -> Option<Vec<String>> {
    let letter = &cells.singular()[..1];
    let word = |index| {
        let name = board.cell_name(cells, index).replace('-', "_");
        match name.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("{letter}{name}"),
            false => name,
        }
    };
    let words: Vec<String> = (0..count).map(word).collect();
    let different: BTreeSet<&String> = words.iter().collect();
    (different.len() == count).then_some(words)
}
