//! Connection on the board: `joined(x, y through v in heaps where C)` and
//! `components(v in heaps where C)`.
//!
//! The name of a region is bound to each heap in turn, so that it is a size, and a heap
//! with coordinates and neighbours.

use crate::names::Meaning;
use crate::places::Anchor;
use crate::{Checker, MultisetProblem, Problem};
use nimrule_board::CellKind;
use nimrule_model::expr::{Arithmetic, Bool, HeapId, HeapSet, Joined, Num, Region};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, Comparison, Expr, ExprKind, Function, HeapRef, Name, PathEnd};

impl Checker<'_> {
    /// `joined(x, y through v in heaps where C)`
    pub(super) fn path(&mut self, joined: &ast::Joined, at: Span) -> Option<Bool> {
        let (name, over) = &joined.through;
        let through = self.region(name, over, joined.condition.as_ref(), at);
        let (from, to) = (self.path_end(&joined.from), self.path_end(&joined.to));
        let (from, to, through) = (from?, to?, through?);
        Some(Bool::Joined(Box::new(Joined { from, to, through })))
    }

    /// `components(v in heaps where C)`, also written `components(v for v in heaps where C)`.
    pub(super) fn components(
        &mut self,
        expr: &Expr,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Option<Num> {
        let [only] = arguments else {
            return self.wrong_arguments(Function::Components, expr.span);
        };
        let condition = generator.and_then(|generator| generator.condition.as_deref());
        let binder = generator.and_then(|generator| generator.binder.as_ref());
        let (name, over) = match (binder, &only.node) {
            (Some((name, over)), ExprKind::Name(value)) if *value == name.node => {
                (name.clone(), &**over)
            }
            (None, ExprKind::Compare { first, rest })
                if let (ExprKind::Name(name), [(Comparison::In, over)]) =
                    (&first.node, &rest[..]) =>
            {
                (Name::new(name.clone(), first.span), over)
            }
            _ => return self.wrong_arguments(Function::Components, expr.span),
        };
        let region = self.region(&name, over, condition, expr.span)?;
        self.folded(Num::Components(Box::new(region)), expr.span)
    }

    fn region(
        &mut self,
        name: &Name,
        over: &Expr,
        condition: Option<&Expr>,
        at: Span,
    ) -> Option<Region> {
        if self.heap_kinds.is_some() {
            self.problem(MultisetProblem::NoPlaces { at });
            return None;
        }
        let neighbours = self.neighbours(at);
        let heaps = self.heaps_one_by_one(over);
        let mark = self.names.mark();
        self.check_not_taken(name);
        let slot = self.fresh_slot();
        let each = match neighbours.is_some() && heaps.is_some() {
            true => Meaning::Member(self.single_heaps(), slot),
            false => Meaning::Unknown,
        };
        self.names.bind(name, each);
        let condition = match condition {
            Some(condition) => self.truth(condition).map(Some),
            None => {
                self.names.look_up(&name.node, name.span);
                Some(None)
            }
        };
        self.close_scope(mark);
        Some(Region {
            neighbours: neighbours?.into(),
            heaps: heaps?,
            slot,
            condition: condition?,
        })
    }

    /// The heaps at an end of a path: one heap, those of a selection or of a set, or those
    /// that touch a vertex of the board.
    fn path_end(&mut self, end: &PathEnd) -> Option<HeapSet> {
        let heap = match end {
            PathEnd::Set(set) => return Some(HeapSet::These(self.heap_set(set)?)),
            PathEnd::Named(heap) => heap,
        };
        if !heap.indices.is_empty() {
            return self.indexed_end(heap);
        }
        let name = &heap.name;
        match self.names.peek(&name.node) {
            Some(Meaning::SomeHeaps(pick)) if self.set_now.is_none_or(|now| now.pick != *pick) => {
                let pick = *pick;
                self.names.look_up(&name.node, name.span);
                Some(HeapSet::Picked(pick))
            }
            Some(Meaning::Member(lists, slot)) => {
                let (lists, slot) = (lists.clone(), *slot);
                self.names.look_up(&name.node, name.span);
                let index = Box::new(Spanned::new(Num::Local(slot), name.span));
                Some(HeapSet::At { lists, index })
            }
            Some(Meaning::Family(sets)) if sets.len() == 1 => {
                let heaps = sets[0].clone();
                self.names.look_up(&name.node, name.span);
                Some(HeapSet::These(heaps))
            }
            Some(Meaning::Family(sets)) => {
                let found = match sets.len() {
                    0 => "a family without sets".to_owned(),
                    many => format!("a family of {many} sets"),
                };
                let help = format!(
                    "name one of them: `exists s in {}: joined(s, …)`",
                    name.node
                );
                self.names.look_up(&name.node, name.span);
                self.problem(Problem::Kind {
                    wanted: "one set of heaps",
                    found,
                    at: name.span,
                    help: Some(help),
                });
                None
            }
            Some(Meaning::Group(group)) => {
                let heaps = group.heaps.clone();
                self.names.look_up(&name.node, name.span);
                Some(HeapSet::These(heaps))
            }
            None if let Some(heaps) = self.heaps_at_vertex(&name.node) => {
                Some(HeapSet::These(heaps))
            }
            _ => Some(match self.anchor(name)? {
                Anchor::Heap(heap) => HeapSet::These(vec![heap]),
                Anchor::Picked(pick) => HeapSet::Picked(pick),
                Anchor::Member(lists, slot) => HeapSet::At {
                    lists,
                    index: Box::new(Spanned::new(Num::Local(slot), name.span)),
                },
            }),
        }
    }

    /// `cell[i,j]` at an end of a path.
    fn indexed_end(&mut self, heap: &HeapRef) -> Option<HeapSet> {
        let group = match self.names.look_up(&heap.name.node, heap.name.span) {
            Some(Meaning::Group(group)) => group,
            _ => return Some(HeapSet::These(vec![self.heap_ref(heap)?])),
        };
        let (heaps, first, index) = self.heap_in_group(&group, &heap.indices)?;
        let place = |index: i64| usize::try_from(index - first).ok();
        if let Some(heap) = index
            .constant()
            .and_then(place)
            .and_then(|at| heaps.get(at))
        {
            return Some(HeapSet::These(vec![*heap]));
        }
        let at = index.span;
        let before = Box::new(Spanned::new(Num::Const(first - 1), at));
        let index = match first {
            1 => index,
            _ => Spanned::new(
                Num::Binary(Arithmetic::Subtract, Box::new(index), before),
                at,
            ),
        };
        Some(HeapSet::At {
            lists: heaps.into_iter().map(|heap| vec![heap]).collect(),
            index: Box::new(index),
        })
    }

    /// The heaps that touch a vertex of the board with this name.
    fn heaps_at_vertex(&self, name: &str) -> Option<Vec<HeapId>> {
        let (board, (on, first)) = (self.board.as_ref()?, self.heaps_on?);
        if !board.names_are_given() {
            return None;
        }
        let mut vertices = 0..board.count(CellKind::Vertex)?;
        let vertex = vertices.find(|vertex| board.cell_name(CellKind::Vertex, *vertex) == name)?;
        let touching = board.touching(on, CellKind::Vertex)?;
        let heaps = touching.get(vertex)?.iter();
        Some(heaps.map(|heap| HeapId::new(first + heap)).collect())
    }
}
