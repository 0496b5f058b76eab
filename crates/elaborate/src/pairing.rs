//! Pairing strategies: `claim P by pairing a with A, …`.
//!
//! A pair names two heaps. With names that are not bound elsewhere it is a family
//! of pairs: `(x,y) with (n+1-x, y)` on a grid, `pile[i] with pile[n+1-i]` for
//! heaps with an index.

use super::names::Meaning;
use super::{Checker, MultisetProblem, Problem};
use nimrule_board::Symmetries;
use nimrule_model::expr::{Environment, HeapId, Num, Part, Slot};
use nimrule_model::group::Group;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{Entry, Expr, ExprKind, Name};
use std::sync::Arc;

/// One heap of a pair, as written.
enum Place {
    One(HeapId),
    Indexed(Arc<Group>, Vec<Spanned<Num>>),
}

type Pairs = Vec<(HeapId, HeapId)>;

impl Checker<'_> {
    pub(super) fn pairing(&mut self, pairs: &[(Spanned<Entry>, Spanned<Entry>)]) -> Option<Pairs> {
        if self.heap_kinds.is_some()
            && let Some((left, _)) = pairs.first()
        {
            self.problem(MultisetProblem::NoPlaces { at: left.span });
            return None;
        }
        let mut partners: Vec<Option<HeapId>> = vec![None; self.heap_names.len()];
        let mut sound = true;
        for (left, right) in pairs {
            let at = nimrule_model::source::join(left.span, right.span);
            let mark = self.names.mark();
            let found = self.pairs(left, right);
            self.close_scope(mark);
            let Some(found) = found else {
                sound = false;
                continue;
            };
            for (one, other) in found {
                sound &= self.partner(&mut partners, one, other, at);
                sound &= self.partner(&mut partners, other, one, at);
                if !sound {
                    break;
                }
            }
        }
        if !sound {
            return None;
        }
        let found: Pairs = partners
            .iter()
            .enumerate()
            .filter_map(|(heap, partner)| Some((HeapId::new(heap), (*partner)?)))
            .filter(|(heap, partner)| heap < partner)
            .collect();
        if found.is_empty() {
            let at = pairs.first().map_or((0, 0).into(), |(left, _)| left.span);
            self.not_pairs("every heap is its own partner".to_owned(), at);
            return None;
        }
        Some(found)
    }

    fn not_pairs(&mut self, reason: String, at: Span) {
        self.problem(Problem::Pairing {
            reason,
            fix: "give each heap one partner, whose partner it is in turn: `a with A`, or \
                  `(x,y) with (n+1-x, n+1-y)` for the places of a grid",
            at,
        });
    }

    /// Records a heap's partner; returns whether it had no other.
    fn partner(
        &mut self,
        partners: &mut [Option<HeapId>],
        heap: HeapId,
        partner: HeapId,
        at: Span,
    ) -> bool {
        match partners[heap.index()] {
            Some(other) if other != partner => {
                let [heap, one, two] = [heap, other, partner].map(|heap| self.heap_words(heap));
                self.not_pairs(format!("{heap} has two partners, {one} and {two}"), at);
                false
            }
            _ => {
                partners[heap.index()] = Some(partner);
                true
            }
        }
    }

    /// The name of a heap in error messages.
    fn heap_words(&self, heap: HeapId) -> String {
        let grid = self.grid();
        match grid.as_ref().and_then(|grid| grid.indices(heap)) {
            Some(indices) => {
                let numbers: Vec<String> = indices.iter().map(i64::to_string).collect();
                format!("({})", numbers.join(","))
            }
            None => self.heap_names[heap.index()].clone(),
        }
    }

    /// The heaps of a grid, indexed by their coordinates.
    fn grid(&self) -> Option<Arc<Group>> {
        let grid = self.groups.iter().find(|group| group.name.is_none());
        grid.cloned()
    }

    /// The pairs that one `… with …` denotes.
    fn pairs(&mut self, left: &Spanned<Entry>, right: &Spanned<Entry>) -> Option<Pairs> {
        let bound = self.bind_fresh(&left.node);
        let one = self.place(left)?;
        let other = self.place(right)?;
        let axes = match &one {
            Place::Indexed(group, _) => group.axes.clone(),
            Place::One(_) => Vec::new(),
        };
        let mut pairs = Vec::new();
        let mut chosen: Vec<i64> = (bound.iter().map(|(_, at)| axes[*at].first)).collect();
        let mut locals = vec![0; self.slots];
        loop {
            for ((slot, _), step) in bound.iter().zip(&chosen) {
                locals[slot.index()] = *step;
            }
            let heap = self.heap_at_place(&one, None, &mut locals, left.span)?;
            let partner = self.heap_at_place(&other, Some(heap), &mut locals, right.span)?;
            pairs.push((heap, partner));
            // The last name varies fastest.
            let next = (0..bound.len())
                .rev()
                .find(|i| chosen[*i] < axes[bound[*i].1].last);
            let Some(next) = next else {
                return Some(pairs);
            };
            chosen[next] += 1;
            for later in next + 1..bound.len() {
                chosen[later] = axes[bound[later].1].first;
            }
        }
    }

    /// Binds the names of the left side that are not bound elsewhere, each to the
    /// index that it stands for.
    fn bind_fresh(&mut self, entry: &Entry) -> Vec<(Slot, usize)> {
        let mut bound = Vec::new();
        let numbers: Vec<&Expr> = match entry {
            Entry::Coordinates(entries) => entries.node.iter().collect(),
            Entry::Number(expr) => match &expr.node {
                ExprKind::HeapAt(index) => vec![&**index],
                ExprKind::Indexed { indices, .. } => indices.iter().collect(),
                _ => Vec::new(),
            },
        };
        for (at, number) in numbers.into_iter().enumerate() {
            if let ExprKind::Name(name) = &number.node
                && self.names.peek(name).is_none()
            {
                let slot = self.fresh_slot();
                self.names
                    .bind(&Name::new(name.clone(), number.span), Meaning::Number(slot));
                bound.push((slot, at));
            }
        }
        bound
    }

    fn place(&mut self, entry: &Spanned<Entry>) -> Option<Place> {
        let expr = match &entry.node {
            Entry::Coordinates(entries) => {
                let Some(grid) = self.grid() else {
                    if !self.board_is_faulty && !self.heaps_are_faulty {
                        self.not_pairs(
                            "only the places of a grid have coordinates".to_owned(),
                            entry.span,
                        );
                    }
                    return None;
                };
                if entries.node.len() != grid.axes.len() {
                    self.not_pairs(
                        format!("a place of this grid has {} coordinates", grid.axes.len()),
                        entry.span,
                    );
                    return None;
                }
                let numbers = entries.node.iter().map(|e| self.fixed_number(e));
                let numbers: Vec<Option<Spanned<Num>>> = numbers.collect();
                return Some(Place::Indexed(
                    grid,
                    numbers.into_iter().collect::<Option<_>>()?,
                ));
            }
            Entry::Number(expr) => expr,
        };
        match &expr.node {
            ExprKind::HeapAt(index) => {
                let heaps = self.all_heaps();
                let indices = (1..=heaps.len() as i64).map(|index| vec![index]);
                let all = Group::new(None, vec![None], heaps.clone(), indices.collect());
                Some(Place::Indexed(
                    Arc::new(all),
                    vec![self.fixed_number(index)?],
                ))
            }
            ExprKind::Indexed { name, indices } => {
                let meaning = self.names.look_up(&name.node, name.span);
                let numbers: Vec<Option<Spanned<Num>>> =
                    indices.iter().map(|i| self.fixed_number(i)).collect();
                match meaning {
                    Some(Meaning::Group(group)) => {
                        self.number_of_indices(&group, indices.len(), expr.span)?;
                        Some(Place::Indexed(
                            group,
                            numbers.into_iter().collect::<Option<_>>()?,
                        ))
                    }
                    _ => self.no_heap(expr),
                }
            }
            ExprKind::Name(name) => match self.names.look_up(name, expr.span) {
                Some(Meaning::Heap(heap)) => Some(Place::One(heap)),
                _ => self.no_heap(expr),
            },
            _ => self.no_heap(expr),
        }
    }

    /// Reports an expression that denotes no heap.
    fn no_heap<T>(&mut self, expr: &Expr) -> Option<T> {
        match &expr.node {
            ExprKind::Name(name)
            | ExprKind::Indexed {
                name: Spanned { node: name, .. },
                ..
            } => match self.names.peek(name).cloned() {
                Some(Meaning::Unknown) => {}
                Some(meaning) => self.problem(Problem::Kind {
                    wanted: "a heap",
                    found: super::expression::describe(&meaning).to_owned(),
                    at: expr.span,
                    help: None,
                }),
                None => self.unknown_name(name, expr.span),
            },
            _ => self.problem(Problem::Kind {
                wanted: "a heap",
                found: "a number".to_owned(),
                at: expr.span,
                help: Some(
                    "write a heap, `pile[i]`, or the coordinates of a place of a grid".to_owned(),
                ),
            }),
        }
        None
    }

    /// A number that does not depend on the position.
    fn fixed_number(&mut self, expr: &Expr) -> Option<Spanned<Num>> {
        let number = self.num(expr)?;
        if Part::Num(&number).reads_position() {
            self.problem(Problem::NotConstant {
                help: self.constants_only(),
                at: expr.span,
            });
            return None;
        }
        Some(number)
    }

    /// The partner at these indices; reports that there is none.
    fn heap_at_place(
        &mut self,
        place: &Place,
        partner: Option<HeapId>,
        locals: &mut [i64],
        at: Span,
    ) -> Option<HeapId> {
        let (group, numbers) = match place {
            Place::One(heap) => return Some(*heap),
            Place::Indexed(group, numbers) => (group, numbers),
        };
        let mut environment = Environment {
            position: &[],
            kinds: &[],
            locals,
            picks: &[],
            amounts: &[],
            symmetries: &Symmetries::trivial(0),
            steps: 0,
        };
        let values: Result<Vec<i64>, _> =
            numbers.iter().map(|n| n.eval(&mut environment)).collect();
        let heap = match values {
            Ok(values) => group.heap(&values),
            Err(fault) => return self.no_value(fault, at),
        };
        if heap.is_none() {
            let reason = match partner {
                Some(heap) => format!(
                    "the partner of {} would be outside the grid",
                    self.heap_words(heap)
                ),
                None => "there is no such heap".to_owned(),
            };
            self.not_pairs(reason, at);
        }
        heap
    }
}
