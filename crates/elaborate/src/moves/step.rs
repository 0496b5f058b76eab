//! A step: its repetitions, and what it takes or puts.
//!
//! The amounts of a step are visible in its own condition only; the names that it
//! binds are visible in later steps. Intervals of the numbers chosen so far are
//! passed on too, so that a condition that can never hold is reported.
//! Termination is a property of whole moves and is not checked here.

use crate::expression::{constant_members, set_is_constant};
use crate::names::Meaning;
use crate::selection::Untouched;
use crate::{Checker, Problem, SetNow};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Arithmetic, Bool, Fold, List, Num, OfKind, Order, Part, Set};
use nimrule_model::game::{Action, Amount, Members, Number, Selection, Share, Step};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, Expr, ExprKind, Name};

const START_AT_1: &str = "start at 1: a step takes or puts at least one token";

impl Checker<'_> {
    pub(super) fn step(
        &mut self,
        step: &Spanned<ast::Step>,
        known: &mut IntervalEnvironment,
    ) -> Option<Step> {
        let (least, most) = match &step.node.repeat {
            ast::Repeat::Once => (1, 1),
            ast::Repeat::Optionally => (0, 1),
            ast::Repeat::UpTo(count) => (0, self.times(count)?),
            ast::Repeat::Exactly(count) => {
                let times = self.times(count)?;
                (times, times)
            }
        };
        // The condition of a step that may be skipped says nothing about later steps.
        let before = (least == 0).then(|| known.clone());
        self.check_action_kind(&step.node.action, step.span)?;
        let action = match &step.node.action {
            ast::Action::Take {
                amount: ast::Amount::All(_),
                from,
                leaving,
                condition,
            } => {
                let taken = self.take_all(from, condition.as_ref(), known, step.span);
                match leaving {
                    Some(leaving) => self.leaving(taken, leaving, step.span),
                    None => taken,
                }
            }
            ast::Action::Take {
                amount,
                from,
                leaving,
                condition,
            } => {
                let taken = self.take(amount, from, condition.as_ref(), known);
                match leaving {
                    Some(leaving) => self.leaving(taken, leaving, step.span),
                    None => taken,
                }
            }
            ast::Action::Set {
                what,
                value,
                condition,
            } => self.set_step(what, value, condition.as_ref(), known),
            ast::Action::Choose { what, condition } => self.choose(what, condition.as_ref(), known),
            ast::Action::Flip { what, condition } => {
                self.flip(what, condition.as_ref(), known, step.span)
            }
            ast::Action::Put {
                amount,
                on,
                condition,
            } => self.put(amount, on, condition.as_ref(), known),
            ast::Action::Split {
                what,
                parts,
                condition,
            } => self.split(what, parts, condition.as_ref(), known),
            ast::Action::Replace {
                what,
                by,
                condition,
            } => self.replace(what, by, condition.as_ref(), known),
            ast::Action::Slide { what, condition } => self.slide(what, condition.as_ref(), known),
        };
        if let Some(before) = before {
            *known = before;
            known.make_room(self.slots);
        }
        let action = action?;
        self.check_acts_on(&step.node.action, action.selection())?;
        Some(Step {
            least,
            most,
            action,
            words: self.quote(step.span),
            span: step.span,
        })
    }

    /// Reports a slide in a game without tokens.
    fn check_action_kind(&mut self, action: &ast::Action, at: Span) -> Option<()> {
        if self.heaps_are_faulty {
            return Some(());
        }
        if !matches!(action, ast::Action::Slide { .. })
            || self.digraph.is_some()
            || self.board_is_faulty
        {
            return Some(());
        }
        self.problem(Problem::WrongStep {
            what: "heaps do not slide",
            fix: "tokens slide along the arcs of a `board digraph { … }`; heaps need `take`",
            at,
        });
        None
    }

    /// `set HEAPS to EXPR`: the name of a single heap in the new size is its old size.
    fn set_step(
        &mut self,
        what: &Spanned<ast::Selection>,
        value: &Expr,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        if let ast::What::Named { name, indices } = &what.node.what
            && indices.is_empty()
            && let Some(Meaning::StateOfMultiset(state)) = self.names.peek(&name.node)
        {
            let state = *state;
            self.names.look_up(&name.node, name.span);
            return self.set_state_of_multiset(state, what.span, value, condition, known);
        }
        self.setting = true;
        let what = self.selection(what, Untouched::NotAllowed);
        self.setting = false;
        let mut condition = self.step_condition(condition, known);
        let size = self.fresh_slot();
        // The name of several heaps is, in the new size, the size of each.
        let heap_number = self.fresh_slot();
        self.set_now = what.as_ref().map(|what| SetNow {
            pick: what.pick,
            size,
            heap: heap_number,
        });
        let value = self.num(value);
        self.set_now = None;
        let (what, mut value) = (what?, value?);
        if self.shrinking.is_some() && !matches!(value.node, Num::Const(0)) {
            self.problem(Problem::PutOnShrinking { at: value.span });
            return None;
        }
        // The size of the heap selected is the local variable, so that analyses see
        // that `min(a, 3)` is no more than `a`.
        let pick = what.pick;
        let heap = match &what.members {
            Members::Listed(sets) => match sets.as_slice() {
                [set] => match set.as_slice() {
                    [heap] => Some(*heap),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        // A move that would leave the range of a state is not allowed; other values
        // outside of it are no positions.
        let is_token = self.selects_tokens(&what.members);
        if is_token {
            self.require_vertices(value.span);
        }
        let is_state = is_token || heap.is_some_and(|heap| !self.all_heaps().contains(&heap));
        known.make_room(self.slots);
        if is_state && known.num(&value).low < 0 {
            let at = value.span;
            let zero = Spanned::new(Num::Const(0), at);
            let allowed = Spanned::new(Bool::Compare(Order::AtMost, zero, value.clone()), at);
            condition = condition.map(|condition| {
                Some(match condition {
                    Some(condition) => {
                        let at = condition.span;
                        Spanned::new(Bool::And(vec![condition, allowed]), at)
                    }
                    None => allowed,
                })
            });
        }
        value.node.replace(&mut |num, _| match num {
            Num::SizeOf(of) if *of == pick => Some(Num::Local(size)),
            Num::Heap(of) if Some(*of) == heap => Some(Num::Local(size)),
            _ => None,
        });
        let reads_heap = Part::Num(&value).reads_local(heap_number);
        Some(Action::Set {
            what,
            size,
            heap: reads_heap.then_some(heap_number),
            value,
            condition: condition?,
        })
    }

    /// `set STATE to EXPR` in a multiset: the heap that stands for the state gets the value
    /// plus 1. A negative value is not allowed.
    fn set_state_of_multiset(
        &mut self,
        state: usize,
        at: Span,
        value: &Expr,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        let kind = self.heap_kinds.as_ref()?.of_heaps() + state;
        let condition = self.step_condition(condition, known);
        let (size, pick) = (self.fresh_slot(), self.fresh_pick());
        let value = self.num(value)?;
        let number = |number| Spanned::new(Num::Const(number), value.span);
        let allowed = Bool::Compare(Order::AtMost, number(0), value.clone());
        let allowed = Spanned::new(allowed, value.span);
        let condition = Some(match condition? {
            Some(condition) => {
                let at = condition.span;
                Spanned::new(Bool::And(vec![condition, allowed]), at)
            }
            None => allowed,
        });
        let sum = Num::Binary(
            Arithmetic::Add,
            Box::new(value.clone()),
            Box::new(number(1)),
        );
        Some(Action::Set {
            what: Selection {
                members: Members::Multiset {
                    number: Number::Some { least: 1, most: 1 },
                    kind: OfKind::Only(kind),
                },
                pick,
                words: self.quote(at),
                span: at,
            },
            size,
            heap: None,
            value: Spanned::new(sum, value.span),
            condition,
        })
    }

    /// `choose HEAPS`: a step that leaves the heaps as they are, so that later ones can
    /// refer to them.
    fn choose(
        &mut self,
        what: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        let selected = self.selection(what, Untouched::NotAllowed);
        let condition = self.step_condition(condition, known);
        let size = self.fresh_slot();
        Some(Action::Set {
            what: selected?,
            size,
            heap: None,
            value: Spanned::new(Num::Local(size), what.span),
            condition: condition?,
        })
    }

    /// `flip HEAPS`: each heap gets the size 1 - h.
    fn flip(
        &mut self,
        what: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
        at: Span,
    ) -> Option<Action> {
        if self.shrinking.is_some() {
            self.problem(Problem::PutOnShrinking { at });
            return None;
        }
        let what = self.selection(what, Untouched::NotAllowed);
        let condition = self.step_condition(condition, known);
        let size = self.fresh_slot();
        let one = Box::new(Spanned::new(Num::Const(1), at));
        let old = Box::new(Spanned::new(Num::Local(size), at));
        Some(Action::Set {
            what: what?,
            size,
            heap: None,
            value: Spanned::new(Num::Binary(Arithmetic::Subtract, one, old), at),
            condition: condition?,
        })
    }

    /// `take all from HEAPS`: all tokens of each heap, and at least one token. From a
    /// single heap it is a take of as many tokens as the heap has; from several heaps each
    /// gets the size 0, so that no amounts need be searched.
    fn take_all(
        &mut self,
        from: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
        at: Span,
    ) -> Option<Action> {
        let from = self.selection(from, Untouched::NotAllowed);
        known.total = Interval::from(1);
        self.in_amount_condition = true;
        let condition = self.step_condition(condition, known);
        self.in_amount_condition = false;
        let size = self.fresh_slot();
        let (from, mut condition) = (from?, condition?);
        let number = |num| Spanned::new(num, at);
        let compare = |order, left, right| Spanned::new(Bool::Compare(order, left, right), at);
        let is_single = self.is_one_heap(&from.members);
        let all = if is_single {
            compare(
                Order::Equal,
                number(Num::Total),
                number(Num::SizeOf(from.pick)),
            )
        } else {
            if let Some(condition) = &mut condition {
                condition.node.take_all_of(from.pick);
            }
            let taken = Num::Fold(Fold::Sum, Spanned::new(List::Picked(from.pick), at));
            compare(Order::AtMost, number(Num::Const(1)), number(taken))
        };
        let condition = Some(match condition {
            Some(condition) => Spanned::new(Bool::And(vec![all, condition]), at),
            None => all,
        });
        Some(if is_single {
            Action::Take {
                amount: Amount {
                    share: Share::HeapByHeap,
                    numbers: None,
                    bound: None,
                },
                from,
                leaving: None,
                condition,
            }
        } else {
            Action::Set {
                what: from,
                size,
                heap: None,
                value: number(Num::Const(0)),
                condition,
            }
        })
    }

    /// The condition of a step that binds no amount; the inner `None` if there is none.
    #[allow(clippy::option_option)]
    fn step_condition(
        &mut self,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Option<Spanned<Bool>>> {
        let Some(written) = condition else {
            return Some(None);
        };
        let condition = self.truth(written)?;
        known.make_room(self.slots);
        self.can_hold(&condition, written.span, known);
        Some(Some(condition))
    }

    fn slide(
        &mut self,
        what: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        let what = self.selection(what, Untouched::NotAllowed);
        let condition = match condition {
            Some(written) => {
                let condition = self.truth(written)?;
                known.make_room(self.slots);
                self.can_hold(&condition, written.span, known);
                known.assume(&condition);
                Some(condition)
            }
            None => None,
        };
        Some(Action::Slide {
            what: what?,
            condition,
        })
    }

    fn times(&mut self, count: &Expr) -> Option<u64> {
        let value = self.constant(count)?;
        match u64::try_from(value) {
            Ok(times) if times <= 1000 => Some(times),
            _ => {
                self.problem(Problem::NoValue {
                    fault: format!("a step is repeated 0 to 1000 times, not {value} times"),
                    at: count.span,
                });
                None
            }
        }
    }

    fn take(
        &mut self,
        amount: &ast::Amount,
        from: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        let equal = matches!(amount, ast::Amount::Equal(..));
        let untouched = if equal {
            Untouched::NotAllowed
        } else {
            Untouched::Allowed
        };
        let (written, bound_name) = match amount {
            ast::Amount::Any
            | ast::Amount::All(_)
            | ast::Amount::Slow(_)
            | ast::Amount::Equal(_, None) => (None, None),
            ast::Amount::Equal(_, Some(expr)) | ast::Amount::Of(expr) => {
                match self.fresh_amount(expr) {
                    Some(name) => (None, Some(name)),
                    None => (Some(expr), None),
                }
            }
        };
        let numbers = match (amount, written) {
            (ast::Amount::Slow(_), _) => Some(Some(Set::Items(vec![Num::Const(1).into()]).into())),
            (_, Some(expr)) => Some(self.amount_set(expr)),
            _ => None,
        };
        let written_from = from;
        let mut from = self.selection(written_from, untouched);
        let slot = bound_name.map(|name| self.bind_number(&name));
        known.make_room(self.slots);
        let taken = match &numbers {
            Some(Some(set)) => known.set(set).meet(Interval::from(1)),
            _ => Interval::from(1),
        };
        let single = from.as_ref().is_some_and(is_single);
        known.total = if single {
            taken
        } else {
            Interval::from(taken.low)
        };
        if let Some(slot) = slot {
            known.set_local(slot, known.total);
        }
        self.in_amount_condition = true;
        let checked = condition.map(|c| (self.truth(c), c.span));
        self.in_amount_condition = false;
        let condition = match checked {
            Some((condition, at)) => {
                let condition = condition?;
                known.make_room(self.slots);
                self.can_hold(&condition, at, known);
                known.assume(&condition);
                // A heap from which nothing is taken counts for `each`, so smaller
                // selections are not redundant.
                if reads_each(&condition)
                    && let Some(from) = &mut from
                    && written_from.node.bound.is_none()
                    && let Some(again) = self.selection(written_from, Untouched::NotAllowed)
                {
                    from.members = again.members;
                }
                Some(condition)
            }
            None => None,
        };
        let numbers = match numbers {
            Some(numbers) => Some(numbers?),
            None => None,
        };
        Some(Action::Take {
            amount: Amount {
                share: if equal {
                    Share::Equal
                } else {
                    Share::HeapByHeap
                },
                numbers,
                bound: slot,
            },
            from: from?,
            leaving: None,
            condition,
        })
    }

    /// The name, if the amount is one that is not bound yet.
    pub(in super::super) fn fresh_amount(&self, expr: &Expr) -> Option<Name> {
        match &expr.node {
            ExprKind::Name(name)
                if self.names.peek(name).is_none() && self.named_set(name).is_none() =>
            {
                Some(Name::new(name.clone(), expr.span))
            }
            _ => None,
        }
    }

    /// A set of amounts, none of which may be zero.
    fn amount_set(&mut self, expr: &Expr) -> Option<Spanned<Set>> {
        let set = self.set(expr)?;
        let low = match &set.node {
            Set::Range(low, _) if low.constant().is_some() => low.constant(),
            _ if !set.is_infinite() && set_is_constant(&set) => {
                let members = constant_members(&set, self.slots).unwrap_or_default();
                if members.is_empty() {
                    self.no_number(expr.span);
                    return None;
                }
                members.first().copied()
            }
            _ => None,
        };
        if low.is_some_and(|low| low < 1) {
            self.problem(Problem::TakesNothing {
                fix: match &expr.node {
                    ExprKind::Binary {
                        operator: ast::Binary::Subtract,
                        left,
                        right,
                    } => match (&left.node, &right.node) {
                        (ExprKind::Number(low), ExprKind::Number(high)) => {
                            format!(
                                "`{low}-{high}` is a difference; write a range, `{low}..{high}`"
                            )
                        }
                        _ => START_AT_1.to_owned(),
                    },
                    _ => START_AT_1.to_owned(),
                },
                at: expr.span,
            });
            return None;
        }
        if let Set::Range(low, Some(high)) = &set.node
            && let (Some(low), Some(high)) = (low.constant(), high.constant())
            && low > high
        {
            self.no_number(expr.span);
            return None;
        }
        Some(set)
    }

    fn no_number(&mut self, at: Span) {
        let problem = Problem::NeverHolds {
            what: "there is no number to choose",
            at,
        };
        self.impossible_here(self.names_parameter(at), problem);
    }

    fn put(
        &mut self,
        amount: &Expr,
        on: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        if self.fresh_amount(amount).is_some() {
            if let ExprKind::Name(name) = &amount.node
                && self.bound_in_move.iter().any(|(n, _)| n == name)
            {
                self.unknown_name(name, amount.span);
            } else {
                self.problem(Problem::UnboundedPut { at: amount.span });
            }
            return None;
        }
        if self.shrinking.is_some() {
            self.problem(Problem::PutOnShrinking { at: on.span });
            return None;
        }
        let set = self.amount_set(amount);
        let on = self.selection(on, Untouched::NotAllowed);
        known.make_room(self.slots);
        if let Some(set) = &set {
            if set.is_infinite() {
                self.problem(Problem::UnboundedPut { at: amount.span });
                return None;
            }
            known.total = known.set(set).meet(Interval::from(1));
        }
        let condition = match condition {
            Some(c) => {
                let condition = self.truth(c)?;
                known.make_room(self.slots);
                self.can_hold(&condition, c.span, known);
                Some(condition)
            }
            None => None,
        };
        Some(Action::Put {
            amount: set?,
            on: on?,
            condition,
        })
    }
}

/// Whether a condition reads the number taken from each heap.
fn reads_each(condition: &Bool) -> bool {
    Part::Bool(condition)
        .any(&mut |part| matches!(part, Part::Bool(Bool::Each(..)) | Part::List(List::Amounts)))
}

/// Whether every member of the selection is a single heap.
fn is_single(selection: &Selection) -> bool {
    selection.members.is_one_heap(|_| false)
}
