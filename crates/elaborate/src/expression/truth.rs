//! Conditions: comparisons, logical operators and quantifiers.
//!
//! A comparison that contains `each` is a condition on the number taken from
//! every selected heap. Whether a condition can ever hold is checked elsewhere.

use super::kind::describe;
use crate::names::Meaning;
use crate::{Checker, Problem};
use nimrule_board::CellKind;
use nimrule_model::expr::{Bool, HeapId, Num, Order, Set, Slot};
use nimrule_model::source::{Span, Spanned, join};
use nimrule_syntax::ast::{Binary, Comparison, Expr, ExprKind, FamilyName, Function, Name};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Checker<'_> {
    pub fn truth(&mut self, expr: &Expr) -> Option<Spanned<Bool>> {
        let condition = match &expr.node {
            ExprKind::Binary {
                operator: operator @ (Binary::And | Binary::Or | Binary::Implies),
                left,
                right,
            } => self.joined(*operator, left, right)?,
            _ => self.condition(expr)?,
        };
        Some(Spanned::new(condition, expr.span))
    }

    fn joined(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Option<Bool> {
        let left = self.truth(left);
        let right = self.guarded(|c| c.truth(right));
        let (left, right) = (left?, right?);
        Some(match operator {
            Binary::And => flat_and(left, right),
            Binary::Or => flat_or(left, right),
            _ => {
                let at = left.span;
                let not = Spanned::new(Bool::Not(Box::new(left)), at);
                Bool::Or(vec![not, right])
            }
        })
    }

    /// Checks a condition that is not a chain of logical operators. A separate
    /// function keeps the caller's stack frame small, since a chain of operators
    /// is as deep as it is long.
    #[inline(never)]
    fn condition(&mut self, expr: &Expr) -> Option<Bool> {
        match &expr.node {
            ExprKind::Truth(value) => Some(Bool::Const(*value)),
            ExprKind::Not(inner) => Some(Bool::Not(Box::new(self.truth(inner)?))),
            ExprKind::Compare { first, rest } => self.comparison(first, rest, expr.span),
            ExprKind::Is {
                left,
                negated,
                right,
            } => {
                let ExprKind::Name(left_name) = &left.node else {
                    return self.wrong_kind("the name of a selected heap", left, None);
                };
                let left = Name::new(left_name.clone(), left.span);
                let same = self.same_heap(&left, right, expr.span)?;
                Some(if *negated {
                    Bool::Not(Box::new(Spanned::new(same, expr.span)))
                } else {
                    same
                })
            }
            ExprKind::Touches { left, right } => {
                let ExprKind::Name(left_name) = &left.node else {
                    return self.wrong_kind("the name of a heap", left, None);
                };
                let left = Name::new(left_name.clone(), left.span);
                self.touches(&left, right, expr.span)
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.truth(condition);
                let then = self.guarded(|c| c.truth(then));
                let otherwise = self.guarded(|c| c.truth(otherwise));
                Some(Bool::If(
                    Box::new(condition?),
                    Box::new(then?),
                    Box::new(otherwise?),
                ))
            }
            ExprKind::Let { name, value, body } => {
                let value = self.num(value);
                let mark = self.names.mark();
                let slot = self.bind_number(name);
                let body = self.truth(body);
                self.close_scope(mark);
                Some(Bool::Let(slot, value?, Box::new(body?)))
            }
            ExprKind::Quantified {
                quantifier,
                binders,
                body,
            } => {
                let mark = self.names.mark();
                let mut bound = Vec::new();
                for (name, set) in binders {
                    bound.push(self.binder(name, set));
                }
                let mut body = self.truth(body);
                self.close_scope(mark);
                for (slot, set) in bound.into_iter().rev() {
                    let quantified = Bool::Quantified {
                        quantifier: *quantifier,
                        slot,
                        set: set?,
                        body: Box::new(body?),
                    };
                    body = Some(Spanned::new(quantified, expr.span));
                }
                body.map(|body| body.node)
            }
            ExprKind::Call {
                function: Function::Distinct,
                arguments,
                generator,
            } => {
                let list = self.list_of_arguments(
                    expr,
                    Function::Distinct,
                    arguments,
                    generator.as_ref(),
                )?;
                Some(Bool::Distinct(list))
            }
            ExprKind::Joined(joined) => self.path(joined, expr.span),
            ExprKind::Like { form, condition } => self.like(expr.span, form, condition.as_deref()),
            ExprKind::Name(name) if matches!(self.names.peek(name), Some(Meaning::Unknown)) => None,
            ExprKind::Name(name) if self.names.peek(name).is_none() => {
                self.unknown_name(name, expr.span);
                None
            }
            _ => self.wrong_kind(
                "a condition",
                expr,
                Some("compare it with something, as in `… == 0`".to_owned()),
            ),
        }
    }

    /// Binds a name to the members of a set, or to those of a family of heaps.
    pub(super) fn binder(&mut self, name: &Name, over: &Expr) -> (Slot, Option<Spanned<Set>>) {
        if let ExprKind::Name(word) = &over.node
            && self.is_family(word)
        {
            let family = FamilyName::Named(Name::new(word.clone(), over.span));
            let members = self.family_of_expression(&family, over.span);
            self.check_not_taken(name);
            let slot = self.fresh_slot();
            let Some(members) = members else {
                self.names.bind(name, Meaning::Unknown);
                return (slot, None);
            };
            let last = Spanned::new(Num::Const(members.len() as i64), over.span);
            let first = Spanned::new(Num::Const(1), over.span);
            let indices = Spanned::new(Set::Range(first, Some(last)), over.span);
            self.names.bind(name, Meaning::Member(members.into(), slot));
            return (slot, Some(indices));
        }
        if let ExprKind::Name(word) = &over.node
            && let Some(family) = self.name_of_family(word)
            && matches!(self.names.peek(family), Some(Meaning::Unknown))
        {
            // Its statement has an error.
            self.names.bind(name, Meaning::Unknown);
            return (self.fresh_slot(), None);
        }
        let set = self.finite_set(over);
        (self.bind_number(name), set)
    }

    /// Whether a word names a family of sets of heaps, and nothing else.
    fn is_family(&self, word: &str) -> bool {
        match self.name_of_family(word) {
            Some(name) => matches!(self.names.peek(name), Some(Meaning::Family(_))),
            None => matches!(word, "vertices" | "edges" | "faces" | "lines"),
        }
    }

    fn family_of_expression(&mut self, family: &FamilyName, at: Span) -> Option<Vec<Vec<HeapId>>> {
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking {
                what: "families",
                at,
            });
            return None;
        }
        self.family_members(family)
    }

    /// `x touches y`: the two heaps are neighbours.
    fn touches(&mut self, left: &Name, right: &Name, at: Span) -> Option<Bool> {
        if let Some(condition) = self.token_touches(left, right, at) {
            return condition;
        }
        for (set, heap) in [(left, right), (right, left)] {
            if let Some((members, slot)) = self.set_of_heaps(set) {
                return self.held_by(heap, &members, slot, at);
            }
        }
        let (one, other) = (self.index_of(left), self.index_of(right));
        let lists = self.neighbours(at)?;
        let (one, other) = (
            Spanned::new(one?, left.span),
            Spanned::new(other?, right.span),
        );
        if let (Some(one), Some(other)) = (one.constant(), other.constant()) {
            let other = HeapId::new(usize::try_from(other).ok()? - 1);
            return Some(Bool::Const(
                lists[usize::try_from(one).ok()? - 1].contains(&other),
            ));
        }
        let number = |heap: usize| Num::Const(heap as i64 + 1).into();
        let mut cases = Vec::new();
        for (heap, list) in lists
            .iter()
            .enumerate()
            .filter(|(_, list)| !list.is_empty())
        {
            let here = Bool::Compare(Order::Equal, one.clone(), number(heap));
            let beside = list.iter().map(|heap| number(heap.index())).collect();
            let beside = Bool::In(other.clone(), Spanned::new(Set::Items(beside), at));
            let both = vec![Spanned::new(here, at), Spanned::new(beside, at)];
            cases.push(Spanned::new(Bool::And(both), at));
        }
        Some(Bool::Or(cases))
    }

    /// The members of the family that a name ranges over, and the slot of the index, if
    /// they are more than the heaps one by one: such as the heaps on the edges at each
    /// vertex.
    fn set_of_heaps(&mut self, name: &Name) -> Option<(Arc<[Vec<HeapId>]>, Slot)> {
        let Some(Meaning::Member(lists, _)) = self.names.peek(&name.node) else {
            return None;
        };
        let heaps: BTreeSet<usize> = lists.iter().flatten().map(|heap| heap.index()).collect();
        if lists.iter().all(|list| list.len() == 1) && heaps.len() == lists.len() {
            return None;
        }
        match self.names.look_up(&name.node, name.span) {
            Some(Meaning::Member(lists, slot)) => Some((lists, slot)),
            _ => None,
        }
    }

    /// Whether the member of a family, the index of which is in the slot, holds a heap.
    fn held_by(
        &mut self,
        heap: &Name,
        members: &[Vec<HeapId>],
        slot: Slot,
        at: Span,
    ) -> Option<Bool> {
        let heap = Spanned::new(self.index_of(heap)?, heap.span);
        let number = |number: usize| Num::Const(number as i64 + 1).into();
        let cases = members.iter().enumerate().map(|(place, list)| {
            let here = Bool::Compare(Order::Equal, Num::Local(slot).into(), number(place));
            let list = list.iter().map(|heap| number(heap.index())).collect();
            let holds = Bool::In(heap.clone(), Spanned::new(Set::Items(list), at));
            let both = vec![Spanned::new(here, at), Spanned::new(holds, at)];
            Spanned::new(Bool::And(both), at)
        });
        Some(Bool::Or(cases.collect()))
    }

    fn comparison(&mut self, first: &Expr, rest: &[(Comparison, Expr)], at: Span) -> Option<Bool> {
        // A comparison with `each` is a condition on the number taken from every heap.
        let outer = (self.each, self.each_used);
        let slot = self.fresh_slot();
        (self.each, self.each_used) = (Some(slot), false);
        let compared = self.compared(first, rest);
        let used = self.each_used;
        (self.each, self.each_used) = outer;
        let condition = compared?;
        Some(if used {
            Bool::Each(slot, Box::new(Spanned::new(condition, at)))
        } else {
            condition
        })
    }

    /// Reports a name that is compared with a token, and denotes something else than the
    /// vertex of this name.
    fn check_not_vertex(&mut self, token: &Num, other: &Expr) {
        let is_token = match token {
            Num::Heap(heap) => self.is_token(*heap),
            Num::SizeOf(pick) => self.token_picks.contains(pick),
            _ => false,
        };
        let ExprKind::Name(name) = &other.node else {
            return;
        };
        if !is_token || self.vertex_named(name).is_none() {
            return;
        }
        let meaning = match self.names.peek(name) {
            Some(Meaning::Param(_)) => "a parameter",
            Some(Meaning::State(_)) => "a state",
            Some(
                meaning @ (Meaning::Heap(_)
                | Meaning::Group(_)
                | Meaning::Family(_)
                | Meaning::FamilyOf(_)),
            ) => describe(meaning),
            // A name that the move or the condition binds means what it binds.
            _ => return,
        };
        let is_on_vertex = |heap: &HeapId| match self.heaps_on {
            Some((CellKind::Vertex, first)) => {
                let count = self.digraph.as_ref().map_or(0, |digraph| digraph.len());
                (first..first + count).contains(&heap.index())
            }
            _ => false,
        };
        let help = match (self.names.peek(name), token) {
            (Some(Meaning::Heap(heap)), Num::Heap(token)) if is_on_vertex(heap) => format!(
                "write `{name} touches {}`: the token is on the vertex of the heap",
                self.heap_names[token.index()]
            ),
            _ => "rename one of them".to_owned(),
        };
        self.problem(Problem::Ambiguous {
            name: name.clone(),
            other: meaning.to_owned(),
            help,
            at: other.span,
        });
    }

    fn compared(&mut self, first: &Expr, rest: &[(Comparison, Expr)]) -> Option<Bool> {
        let mut left = self.num(first);
        let mut all = Vec::new();
        let mut middles = Vec::new();
        for (number, (comparison, right)) in rest.iter().enumerate() {
            if *comparison == Comparison::In {
                let set = self.set(right);
                if let (Some(token), ExprKind::Braces(items)) = (&left, &right.node) {
                    for item in items {
                        self.check_not_vertex(&token.node, item);
                    }
                }
                all.push(left.clone().and_then(|l| {
                    let at = join(l.span, right.span);
                    Some(Spanned::new(Bool::In(l, set?), at))
                }));
                left = None;
                continue;
            }
            let written = [
                if number == 0 {
                    first
                } else {
                    &rest[number - 1].1
                },
                right,
            ];
            let mut right = self.num(right);
            if let (Some(left), Some(right)) = (&left, &right) {
                self.check_not_vertex(&left.node, written[1]);
                self.check_not_vertex(&right.node, written[0]);
            }
            // An expression between two comparison signs is evaluated once.
            if number + 1 < rest.len()
                && let Some(middle) = &right
                && !is_plain(middle)
            {
                let slot = self.fresh_slot();
                middles.push((slot, middle.clone()));
                right = Some(Spanned::new(Num::Local(slot), middle.span));
            }
            all.push(match (&left, &right) {
                (Some(l), Some(r)) => {
                    let (l, r) = (l.clone(), r.clone());
                    let at = join(l.span, r.span);
                    let compared = match comparison {
                        Comparison::Equal => Bool::Compare(Order::Equal, l, r),
                        Comparison::NotEqual => Bool::Compare(Order::NotEqual, l, r),
                        Comparison::Less => Bool::Compare(Order::Less, l, r),
                        Comparison::AtMost => Bool::Compare(Order::AtMost, l, r),
                        Comparison::Greater => Bool::Compare(Order::Less, r, l),
                        Comparison::AtLeast | Comparison::In => Bool::Compare(Order::AtMost, r, l),
                    };
                    Some(Spanned::new(compared, at))
                }
                _ => None,
            });
            left = right;
        }
        let mut all: Vec<Spanned<Bool>> = all.into_iter().collect::<Option<_>>()?;
        let compared = if all.len() == 1 {
            all.remove(0).node
        } else {
            Bool::And(all)
        };
        Some(
            middles
                .into_iter()
                .rev()
                .fold(compared, |body, (slot, middle)| {
                    let body = Spanned::new(body, middle.span);
                    Bool::Let(slot, middle, Box::new(body))
                }),
        )
    }
}

/// Whether repeating the expression is as cheap as binding it to a name.
fn is_plain(num: &Num) -> bool {
    matches!(
        num,
        Num::Const(_) | Num::Heap(_) | Num::Local(_) | Num::SizeOf(_) | Num::Total
    )
}

fn flat_and(left: Spanned<Bool>, right: Spanned<Bool>) -> Bool {
    match left.node {
        Bool::And(mut all) => {
            all.push(right);
            Bool::And(all)
        }
        node => Bool::And(vec![Spanned::new(node, left.span), right]),
    }
}

fn flat_or(left: Spanned<Bool>, right: Spanned<Bool>) -> Bool {
    match left.node {
        Bool::Or(mut any) => {
            any.push(right);
            Bool::Or(any)
        }
        node => Bool::Or(vec![Spanned::new(node, left.span), right]),
    }
}
