//! Expressions: from the untyped tree to expressions with kinds.
//!
//! The place of an expression determines its kind. Each kind has a function,
//! here or in a submodule: `num`, `truth`, `list` and `set`, which are mutually
//! recursive. Their results need no further checks of kind. Nothing here depends
//! on moves or claims.
//!
//! `None` means that an error has been reported already; callers propagate it.

mod call;
mod connection;
mod constant;
mod form;
mod kind;
mod set;
mod truth;

pub use constant::{constant_contains, constant_members, set_is_constant};
pub use kind::describe;

use super::names::Meaning;
use super::places::member_list;
use super::{Checker, MultisetProblem, Problem};
use nimrule_model::expr::{Arithmetic, Bool, Fold, HeapId, List, Num, OfKind, Order, Slot};
use nimrule_model::game::ParamValue;
use nimrule_model::group::Group;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{Binary, Expr, ExprKind, Name};

impl Checker<'_> {
    pub fn num(&mut self, expr: &Expr) -> Option<Spanned<Num>> {
        let num = self.number(expr)?;
        Some(Spanned::new(num, expr.span))
    }

    fn number(&mut self, expr: &Expr) -> Option<Num> {
        let num = match &expr.node {
            ExprKind::Number(value) => Num::Const(*value),
            ExprKind::Name(name) => return self.named_number(name, expr.span),
            ExprKind::Total => {
                self.amounts_are_known("total", expr.span)?;
                Num::Total
            }
            ExprKind::Each => {
                self.amounts_are_known("each", expr.span)?;
                let Some(slot) = self.each else {
                    return self.wrong_kind("a number", expr, Some("compare it, as in `each <= 2`; it then holds for the number taken from every heap".to_owned()));
                };
                self.each_used = true;
                Num::Local(slot)
            }
            ExprKind::HeapAt(_) if self.heap_kinds.is_some() => {
                self.problem(MultisetProblem::NoPlaces { at: expr.span });
                return None;
            }
            ExprKind::HeapAt(written) => {
                let (heaps, first, index) = self.heap_by_number(written)?;
                Num::HeapAt {
                    heaps,
                    first,
                    index: Box::new(index),
                }
            }
            ExprKind::Indexed { name, indices } => return self.indexed(name, indices),
            ExprKind::Field { name, field } => self.coordinate(name, field)?,
            ExprKind::Negate(inner) => Num::Negate(Box::new(self.num(inner)?)),
            ExprKind::Binary {
                operator: Binary::NimSum,
                left,
                right,
            } => {
                self.perhaps_a_power(left, right, expr.span);
                let (left, right) = (self.num(left), self.num(right));
                Num::nim_sum(Spanned::new(List::Items(vec![left?, right?]), expr.span))
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let operator = match operator {
                    Binary::Add => Arithmetic::Add,
                    Binary::Subtract => Arithmetic::Subtract,
                    Binary::Multiply => Arithmetic::Multiply,
                    Binary::Divide => Arithmetic::Divide,
                    Binary::Modulo => Arithmetic::Modulo,
                    Binary::Power => Arithmetic::Power,
                    Binary::NimSum | Binary::And | Binary::Or | Binary::Implies => {
                        return self.wrong_kind("a number", expr, None);
                    }
                };
                let (left, right) = (self.num(left), self.num(right));
                Num::Binary(operator, Box::new(left?), Box::new(right?))
            }
            ExprKind::If { .. } | ExprKind::Let { .. } => self.choice_or_name(expr)?,
            ExprKind::Call {
                function,
                arguments,
                generator,
            } => {
                return self.call_number(expr, *function, arguments, generator.as_ref());
            }
            _ => return self.wrong_kind("a number", expr, None),
        };
        self.folded(num, expr.span)
    }

    /// `if … then … else …` and `let … in …`.
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    fn choice_or_name(&mut self, expr: &Expr) -> Option<Num> {
        Some(match &expr.node {
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.truth(condition);
                let then = self.guarded(|c| c.num(then));
                let otherwise = self.guarded(|c| c.num(otherwise));
                Num::If(Box::new(condition?), Box::new(then?), Box::new(otherwise?))
            }
            ExprKind::Let { name, value, body } => {
                let value = self.num(value);
                let mark = self.names.mark();
                let slot = self.bind_number(name);
                let body = self.num(body);
                self.close_scope(mark);
                Num::Let(slot, Box::new(value?), Box::new(body?))
            }
            _ => return self.wrong_kind("a number", expr, None),
        })
    }

    #[inline(never)]
    pub(super) fn named_number(&mut self, name: &str, at: Span) -> Option<Num> {
        match self.names.look_up(name, at) {
            Some(Meaning::Param(ParamValue::Number(value)) | Meaning::Value(value)) => {
                Some(Num::Const(value))
            }
            Some(Meaning::Param(ParamValue::Open)) if self.counts_open => {
                let all = || Spanned::new(List::Multiset(OfKind::Any), at);
                let count = || Num::Fold(Fold::Count, all());
                Some(self.open_number.map_or_else(count, Num::Local))
            }
            Some(Meaning::Param(ParamValue::Open)) => {
                self.not_open(at);
                None
            }
            Some(Meaning::Heap(heap) | Meaning::State(heap)) => Some(Num::Heap(heap)),
            Some(Meaning::StateOfMultiset(state)) => self.state_of_multiset(state, at),
            Some(Meaning::Number(slot)) => Some(Num::Local(slot)),
            Some(Meaning::SomeHeaps(pick))
                if let Some(now) = self.set_now
                    && now.pick == pick =>
            {
                Some(Num::Local(now.size))
            }
            Some(Meaning::OneHeap(pick)) => Some(Num::SizeOf(pick)),
            Some(Meaning::Member(lists, slot)) if lists.iter().all(|list| list.len() == 1) => {
                Some(Num::Fold(Fold::Sum, member_list(&lists, slot, at)))
            }
            Some(Meaning::Unknown) => None,
            Some(other) => {
                let help = match &other {
                    Meaning::Group(group) => {
                        let one = self.heap_names[group.heaps[0].index()].clone();
                        Some(format!(
                            "name one of its heaps, `{one}`, or put it into `max`, `sum` …"
                        ))
                    }
                    Meaning::SomeHeaps(_) | Meaning::Member(..) => Some(format!(
                        "it is a group of several heaps; write `sum({name})`, `max({name})` …"
                    )),
                    _ => None,
                };
                self.problem(Problem::Kind {
                    wanted: "a number",
                    found: describe(&other).to_owned(),
                    at,
                    help,
                });
                None
            }
            None => {
                let vertex = self.vertex_named(name);
                if vertex.is_none() {
                    self.unknown_name(name, at);
                }
                vertex
            }
        }
    }

    /// Warns of `2 ^ k`, which reads like a power.
    #[inline(never)]
    fn perhaps_a_power(&mut self, left: &Expr, right: &Expr, at: Span) {
        let constant = match &right.node {
            ExprKind::Number(_) => true,
            ExprKind::Name(name) => matches!(self.names.peek(name), Some(Meaning::Param(_))),
            _ => false,
        };
        if let ExprKind::Number(base) = &left.node
            && *base > 1
            && constant
        {
            let power = format!("{base} ** {}", self.quote(right.span));
            self.problem(Problem::NimSumOrPower { power, at });
        }
    }

    #[inline(never)]
    fn indexed(&mut self, name: &Name, indices: &[Expr]) -> Option<Num> {
        match self.names.look_up(&name.node, name.span) {
            Some(Meaning::Group(group)) => {
                let (heaps, first, index) = self.heap_in_group(&group, indices)?;
                let known =
                    (index.constant()).and_then(|index| usize::try_from(index - first).ok());
                Some(match known {
                    Some(place) => Num::Heap(heaps[place]),
                    None => Num::HeapAt {
                        heaps,
                        first,
                        index: Box::new(index),
                    },
                })
            }
            Some(Meaning::Param(ParamValue::List(values))) => {
                let at = (indices.iter().map(|i| i.span)).reduce(nimrule_model::source::join)?;
                let [index] = indices else {
                    self.problem(Problem::Kind {
                        wanted: "one number in the brackets",
                        found: super::heaps::plural(indices.len(), "number"),
                        at,
                        help: Some(format!("a list has one index, as in `{}[1]`", name.node)),
                    });
                    return None;
                };
                self.item(name, &values, index)
            }
            Some(Meaning::Unknown) => None,
            Some(other) => {
                let is_set = matches!(
                    other,
                    Meaning::Param(ParamValue::Numbers(_) | ParamValue::InfiniteSet(..))
                );
                self.problem(Problem::Kind {
                    wanted: "a group of heaps, such as `pile[1..4]`",
                    found: describe(&other).to_owned(),
                    at: name.span,
                    help: is_set.then(|| {
                        format!(
                            "a set has no order; write a list, as in `param {} = (3, 1, 3)`",
                            name.node
                        )
                    }),
                });
                None
            }
            None => {
                self.unknown_name(&name.node, name.span);
                None
            }
        }
    }

    /// `limits[i]`: the number of a list at an index, from 1.
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    fn item(&mut self, name: &Name, values: &[i64], index: &Expr) -> Option<Num> {
        let at = index.span;
        let index = self.num(index)?;
        if let Some(place) = index.constant() {
            let value = place
                .checked_sub(1)
                .and_then(|place| usize::try_from(place).ok());
            let value = value.and_then(|place| values.get(place));
            if value.is_none() && self.guards == 0 {
                self.problem(Problem::UnknownName {
                    name: format!("{}[{place}]", name.node),
                    at,
                    help: Some(format!("the index goes from 1 to {}", values.len())),
                });
                return None;
            }
            if let Some(value) = value {
                return Some(Num::Const(*value));
            }
        }
        let here = |num| Spanned::new(num, at);
        let at_most = |left, right| Spanned::new(Bool::Compare(Order::AtMost, left, right), at);
        let slot = self.fresh_slot();
        let local = || here(Num::Local(slot));
        /// The value among those whose first index is `first`, by halves.
        fn among(values: &[i64], first: i64, slot: Slot, at: Span) -> Spanned<Num> {
            let here = |num| Spanned::new(num, at);
            if values.iter().all(|value| *value == values[0]) {
                return here(Num::Const(values[0]));
            }
            let half = values.len() / 2;
            let last = here(Num::Const(first + half as i64 - 1));
            let is_low = Bool::Compare(Order::AtMost, here(Num::Local(slot)), last);
            here(Num::If(
                Box::new(Spanned::new(is_low, at)),
                Box::new(among(&values[..half], first, slot, at)),
                Box::new(among(&values[half..], first + half as i64, slot, at)),
            ))
        }
        // The number of a heap, where there is one for each heap.
        if matches!(index.node, Num::IndexOf(_)) && self.heap_names.len() <= values.len() {
            let found = among(values, 1, slot, at);
            return Some(Num::Let(slot, Box::new(index), Box::new(found)));
        }
        // The size of none of no heaps: an index outside its range.
        let none = Num::HeapAt {
            heaps: Vec::new(),
            first: 1,
            index: Box::new(local()),
        };
        let last = here(Num::Const(values.len() as i64));
        let inside = vec![
            at_most(here(Num::Const(1)), local()),
            at_most(local(), last),
        ];
        let found = Num::If(
            Box::new(Spanned::new(Bool::And(inside), at)),
            Box::new(among(values, 1, slot, at)),
            Box::new(here(none)),
        );
        Some(Num::Let(slot, Box::new(index), Box::new(here(found))))
    }

    /// `heaps[i]`: the heaps, the index of the first, and the index.
    #[inline(never)]
    pub fn heap_by_number(&mut self, index: &Expr) -> Option<(Vec<HeapId>, i64, Spanned<Num>)> {
        let number = self.num(index)?;
        let heaps = self.all_heaps();
        if let Some(value) = number.constant()
            && !(1..=heaps.len() as i64).contains(&value)
        {
            if !self.heaps_are_faulty {
                self.problem(Problem::UnknownName {
                    name: format!("heaps[{value}]"),
                    at: index.span,
                    help: Some(format!("the index goes from 1 to {}", heaps.len())),
                });
            }
            return None;
        }
        Some((heaps, 1, number))
    }

    /// The heap of a group with these indices: the heaps, the index of the first, and the
    /// index. A constant index is that of a heap.
    pub fn heap_in_group(
        &mut self,
        group: &Group,
        written: &[Expr],
    ) -> Option<(Vec<HeapId>, i64, Spanned<Num>)> {
        let indices: Vec<Option<Spanned<Num>>> = written.iter().map(|i| self.num(i)).collect();
        let indices: Vec<Spanned<Num>> = indices.into_iter().collect::<Option<_>>()?;
        let at = (written.iter().map(|i| i.span)).reduce(nimrule_model::source::join)?;
        self.number_of_indices(group, written.len(), at)?;
        let known: Option<Vec<i64>> = indices.iter().map(|index| index.constant()).collect();
        let Some(known) = known else {
            return Some(group.at(indices, at));
        };
        let heap = self.heap_of_group(group, &known, written)?;
        let place = group.heaps.iter().position(|one| *one == heap)?;
        Some((
            group.heaps.clone(),
            1,
            Spanned::new(Num::Const(place as i64 + 1), at),
        ))
    }

    pub(super) fn number_of_indices(
        &mut self,
        group: &Group,
        written: usize,
        at: Span,
    ) -> Option<()> {
        let wanted = group.axes.len();
        if written == wanted {
            return Some(());
        }
        let numbers = |count| super::heaps::plural(count, "number");
        let one = self.heap_names[group.heaps[0].index()].clone();
        self.problem(Problem::Kind {
            wanted: match wanted {
                1 => "one number in the brackets",
                _ => "as many numbers in the brackets as the group has indices",
            },
            found: numbers(written),
            at,
            help: Some(format!("write {}, as in `{one}`", numbers(wanted))),
        });
        None
    }

    /// The heap of a group at constant indices.
    pub fn heap_of_group(
        &mut self,
        group: &Group,
        indices: &[i64],
        written: &[Expr],
    ) -> Option<HeapId> {
        let at = (written.iter().map(|i| i.span)).reduce(nimrule_model::source::join)?;
        self.number_of_indices(group, written.len(), at)?;
        let heap = group.heap(indices);
        if heap.is_none() {
            let name = group.name.as_deref().unwrap_or_default();
            let numbers: Vec<String> = indices.iter().map(i64::to_string).collect();
            let help = match &group.axes[..] {
                [only] => format!("the index goes from {} to {}", only.first, only.last),
                axes => {
                    let ranges: Vec<String> = (axes.iter())
                        .map(|axis| format!("{}..{}", axis.first, axis.last))
                        .collect();
                    match axes
                        .iter()
                        .zip(indices)
                        .all(|(axis, index)| (axis.first..=axis.last).contains(index))
                    {
                        true => "the group has no heap at these indices".to_owned(),
                        false => format!("the indices are in {}", ranges.join(", ")),
                    }
                }
            };
            self.problem(Problem::UnknownName {
                name: format!("{name}[{}]", numbers.join(",")),
                at,
                help: Some(help),
            });
        }
        heap
    }

    /// Binds a new name to a number. If the name is taken, reports that and binds
    /// it nevertheless, to avoid further errors.
    pub fn bind_number(&mut self, name: &Name) -> Slot {
        self.check_not_taken(name);
        let slot = self.fresh_slot();
        self.names.bind(name, Meaning::Number(slot));
        slot
    }

    fn amounts_are_known(&mut self, word: &'static str, at: Span) -> Option<()> {
        if self.in_amount_condition {
            return Some(());
        }
        // A statement with an error may have taken the word for a name.
        if self.names.peek(word).is_none() {
            self.problem(Problem::NoAmount { word, at });
        }
        None
    }
}

/// Calls `found` for every name in an expression, in the order written.
pub fn names_in(expr: &Expr, found: &mut dyn FnMut(&str, Span)) {
    match &expr.node {
        ExprKind::Name(name) => found(name, expr.span),
        ExprKind::Negate(inner)
        | ExprKind::Not(inner)
        | ExprKind::Powers(inner)
        | ExprKind::HeapAt(inner) => {
            names_in(inner, found);
        }
        ExprKind::Binary { left, right, .. } => {
            names_in(left, found);
            names_in(right, found);
        }
        ExprKind::Range { low, high } => {
            names_in(low, found);
            if let Some(high) = high {
                names_in(high, found);
            }
        }
        ExprKind::Braces(items)
        | ExprKind::Tuple(items)
        | ExprKind::Indexed { indices: items, .. } => {
            items.iter().for_each(|item| names_in(item, found))
        }
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(|item| names_in(item, found)),
        ExprKind::Compare { first, rest } => {
            names_in(first, found);
            rest.iter().for_each(|(_, right)| names_in(right, found));
        }
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            names_in(condition, found);
            names_in(then, found);
            names_in(otherwise, found);
        }
        _ => {}
    }
}
