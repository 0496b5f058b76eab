//! Lists and sets of numbers.
//!
//! A list has an order and may repeat a number; a set only has members. The same
//! text, `{1, 2}` or `1..3`, may be either, depending on its place. A set may be
//! infinite; operations that enumerate the members require a finite one.

use super::call::only_name;
use super::constant::{constant_members, set_is_constant};
use super::kind::describe;
use crate::names::Meaning;
use crate::places::member_list;
use crate::{Checker, Problem};
use nimrule_model::expr::{Arithmetic, Bool, Fault, List, NamedSet, Num, OfKind, Order, Set};
use nimrule_model::game::ParamValue;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{Comparison, Expr, ExprKind, Function, Generator, Name};

impl Checker<'_> {
    pub fn list(&mut self, expr: &Expr) -> Option<Spanned<List>> {
        let list = self.numbers(expr)?;
        Some(Spanned::new(list, expr.span))
    }

    fn numbers(&mut self, expr: &Expr) -> Option<List> {
        match &expr.node {
            ExprKind::HeapsBeside(place) => self.heaps_beside(place, expr.span),
            ExprKind::Call {
                function: Function::Neighbours,
                arguments,
                ..
            } => match only_name(arguments) {
                Some(name) => self.neighbour_list(&name, expr.span),
                None => self.wrong_arguments(Function::Neighbours, expr.span),
            },
            ExprKind::Heaps | ExprKind::Tokens if let Some(kinds) = &self.heap_kinds => {
                Some(List::Multiset(kinds.heaps()))
            }
            ExprKind::Heaps => Some(List::Heaps(self.all_heaps())),
            ExprKind::Tokens => Some(List::Heaps(self.all_tokens())),
            ExprKind::Each => {
                self.amounts_are_known("each", expr.span)?;
                Some(List::Amounts)
            }
            ExprKind::Name(name) => match self.names.look_up(name, expr.span) {
                Some(Meaning::Kind(kind)) => Some(List::Multiset(OfKind::Only(kind))),
                Some(Meaning::Group(group)) => Some(List::Heaps(group.heaps.clone())),
                Some(Meaning::Member(lists, slot)) => {
                    Some(member_list(&lists, slot, expr.span).node)
                }
                Some(Meaning::SomeHeaps(pick) | Meaning::OneHeap(pick)) => Some(List::Picked(pick)),
                Some(Meaning::Param(ParamValue::List(values))) => {
                    let items = values.into_iter();
                    let items = items.map(|value| Spanned::new(Num::Const(value), expr.span));
                    Some(List::Items(items.collect()))
                }
                Some(Meaning::Param(
                    value @ (ParamValue::Numbers(_) | ParamValue::InfiniteSet(..)),
                )) => {
                    let set = value.as_set();
                    if set.is_infinite() {
                        self.endless(expr.span);
                        return None;
                    }
                    Some(List::Members(Box::new(set)))
                }
                Some(Meaning::Unknown) => None,
                Some(other) => {
                    self.problem(Problem::Kind {
                        wanted: "a list of numbers",
                        found: describe(&other).to_owned(),
                        at: expr.span,
                        help: None,
                    });
                    None
                }
                None if self.named_set(name).is_some() => {
                    self.endless(expr.span);
                    None
                }
                None => {
                    self.unknown_name(name, expr.span);
                    None
                }
            },
            ExprKind::Braces(items) | ExprKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.num(item)).collect();
                Some(List::Items(items.into_iter().collect::<Option<_>>()?))
            }
            ExprKind::Gathered { value, generator } => {
                Some(self.comprehension(value, generator, expr.span)?.node)
            }
            ExprKind::Range { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_)
            | ExprKind::Call {
                function: Function::Divisors,
                ..
            } => {
                let set = self.finite_set(expr)?;
                Some(List::Members(Box::new(set)))
            }
            ExprKind::Call {
                function: Function::Sorted,
                arguments,
                generator,
            } => {
                let list =
                    self.list_of_arguments(expr, Function::Sorted, arguments, generator.as_ref())?;
                Some(List::Sorted(Box::new(list)))
            }
            _ => self.wrong_kind(
                "a list of numbers",
                expr,
                Some("for example `heaps`, or `{a, b, c}`".to_owned()),
            ),
        }
    }

    pub fn set(&mut self, expr: &Expr) -> Option<Spanned<Set>> {
        let set = self.members(expr)?;
        Some(Spanned::new(set, expr.span))
    }

    fn members(&mut self, expr: &Expr) -> Option<Set> {
        match &expr.node {
            ExprKind::Range { low, high } => {
                let low = self.num(low);
                let high = match high {
                    Some(high) => Some(self.num(high)?),
                    None => None,
                };
                Some(Set::Range(low?, high))
            }
            ExprKind::Braces(items) => {
                let items: Vec<_> = items.iter().map(|item| self.num(item)).collect();
                Some(Set::Items(items.into_iter().collect::<Option<_>>()?))
            }
            ExprKind::Gathered { value, generator } => {
                let list = self.comprehension(value, generator, expr.span)?;
                self.members_of_comprehension(list)
            }
            ExprKind::Squares => Some(Set::Named(NamedSet::Squares)),
            ExprKind::Call {
                function: Function::Divisors,
                arguments,
                generator,
            } => match (&arguments[..], generator) {
                ([number], None) => self.divisors(number, expr.span),
                _ => self.wrong_arguments(Function::Divisors, expr.span),
            },
            ExprKind::Name(name) if let Some(named) = self.named_set(name) => {
                Some(Set::Named(named))
            }
            ExprKind::Powers(base_expr) => {
                let base = self.num(base_expr)?;
                if let Num::Const(value) = base.node
                    && value < 2
                {
                    self.problem(Problem::NoValue {
                        fault: Fault::BadBase.to_string(),
                        at: base_expr.span,
                    });
                    return None;
                }
                Some(Set::Powers(base))
            }
            ExprKind::Name(name)
                if matches!(
                    self.names.peek(name),
                    Some(Meaning::Param(
                        ParamValue::Numbers(_) | ParamValue::InfiniteSet(..)
                    ))
                ) =>
            {
                match self.names.look_up(name, expr.span) {
                    Some(Meaning::Param(value)) => Some(value.as_set().node),
                    _ => None,
                }
            }
            ExprKind::Truth(_)
            | ExprKind::Not(_)
            | ExprKind::Compare { .. }
            | ExprKind::Quantified { .. }
            | ExprKind::Call {
                function: Function::Distinct,
                ..
            } => self.wrong_kind(
                "a set of numbers",
                expr,
                Some("for example `1..3` or `{1, 3, 4}`".to_owned()),
            ),
            ExprKind::Name(name) if matches!(self.names.peek(name), Some(Meaning::Family(_))) => {
                self.wrong_kind(
                    "a set of numbers",
                    expr,
                    Some("for example `1..3` or `{1, 3, 4}`".to_owned()),
                )
            }
            _ if self.is_number(expr) => Some(Set::Items(vec![self.num(expr)?])),
            _ => Some(Set::List(self.list(expr)?)),
        }
    }

    /// `divisors(n)`: the numbers from 1 to n that divide n.
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    fn divisors(&mut self, number: &Expr, at: Span) -> Option<Set> {
        let number = self.num(number)?;
        let slot = self.fresh_slot();
        let here = |num| Spanned::new(num, at);
        let rest = Num::Binary(
            Arithmetic::Modulo,
            Box::new(number.clone()),
            Box::new(here(Num::Local(slot))),
        );
        let divides = Bool::Compare(Order::Equal, here(rest), here(Num::Const(0)));
        let list = List::Gathered {
            slot,
            over: Box::new(Spanned::new(
                Set::Range(here(Num::Const(1)), Some(number)),
                at,
            )),
            value: Box::new(here(Num::Local(slot))),
            condition: Some(Box::new(Spanned::new(divides, at))),
        };
        self.members_of_comprehension(Spanned::new(list, at))
    }

    /// `{VALUE for x in SET where COND}`, or the short `{x in SET where COND}`.
    fn comprehension(
        &mut self,
        value: &Expr,
        generator: &Generator,
        at: Span,
    ) -> Option<Spanned<List>> {
        let condition = generator.condition.as_deref();
        match (&generator.binder, &value.node) {
            (Some((name, over)), _) => {
                self.gathered(name, over, Some(value), condition, Function::Sum)
            }
            (None, ExprKind::Compare { first, rest })
                if let (ExprKind::Name(name), [(Comparison::In, over)]) =
                    (&first.node, &rest[..]) =>
            {
                let name = Name::new(name.clone(), first.span);
                self.gathered(&name, over, None, condition, Function::Sum)
            }
            _ => {
                self.problem(Problem::Kind {
                    wanted: "a name that ranges over a set",
                    found: "a condition".to_owned(),
                    at,
                    help: Some(
                        "write `{i * i for i in 1..5}` or `{i in 1..9 where i != 5}`".to_owned(),
                    ),
                });
                None
            }
        }
    }

    /// The members of a comprehension: the numbers themselves if it is constant.
    fn members_of_comprehension(&mut self, list: Spanned<List>) -> Option<Set> {
        let at = list.span;
        let set = Spanned::new(Set::List(list), at);
        if !set_is_constant(&set) {
            return Some(set.node);
        }
        match constant_members(&set, self.slots) {
            Ok(members) => {
                let number = |member| Spanned::new(Num::Const(member), at);
                Some(Set::Items(members.into_iter().map(number).collect()))
            }
            Err(fault) => self.no_value(fault, at),
        }
    }

    /// The infinite set that a name denotes if nothing else in the file has it.
    pub fn named_set(&self, name: &str) -> Option<NamedSet> {
        match self.names.peek(name) {
            Some(_) => None,
            None => NamedSet::named(name),
        }
    }

    /// Checks a set that must be finite.
    pub fn finite_set(&mut self, expr: &Expr) -> Option<Spanned<Set>> {
        let set = self.set(expr)?;
        if set.is_infinite() {
            self.endless(expr.span);
            return None;
        }
        Some(set)
    }

    fn endless(&mut self, at: Span) {
        self.problem(Problem::Endless {
            fix: "bound it, for example `0..max(heaps)`",
            at,
        });
    }
}
