//! Moves: their choices, steps, amounts and conditions.

use super::ending::{Flow, Link};
use super::expression::{constant_members, names_in, set_is_constant};
use super::selection::Untouched;
use super::{CheckProblem, Checker};
use crate::expr::bounds::{Interval, Known, Truth};
use crate::expr::{Bool, HeapId, List, Num, Part, Pick, Set, Slot};
use crate::game::{Action, Amount, Ending, ForSome, Horizon, Members, Move, Share, Step};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Expr, ExprKind, File, Name, Statement};
use std::collections::BTreeMap;

impl Checker<'_> {
    /// The moves, and why play with them ends. Each is looked at even where
    /// another has a fault.
    pub fn moves(&mut self, file: &File) -> (Option<Vec<Move>>, Option<Ending>) {
        let mut moves = Vec::new();
        let mut written = 0;
        let mut names: Vec<Name> = Vec::new();
        for statement in &file.statements {
            let Statement::Move(mover) = &statement.node else {
                continue;
            };
            written += 1;
            if let Some(name) = &mover.name {
                if let Some(first) = names.iter().find(|n| n.node == name.node) {
                    let first = Some(first.span);
                    self.problem(CheckProblem::Taken {
                        name: name.node.clone(),
                        at: name.span,
                        first,
                    });
                }
                names.push(name.clone());
            }
            moves.push(self.one_move(mover, statement.span));
        }
        if written == 0 {
            self.problem(CheckProblem::Missing {
                statement: "move",
                mend: "say what a player may do, for example `move take from one heap`",
                place: "after this, for example",
                at: file
                    .statements
                    .iter()
                    .rfind(|s| matches!(s.node, Statement::Heaps(_) | Statement::Board(_)))
                    .map_or_else(|| self.beginning(file), |s| s.span),
            });
            return (None, None);
        }
        let sound: Vec<Move> = moves.iter().flatten().cloned().collect();
        let ending = self.ending(&sound);
        if sound.len() < moves.len() {
            return (None, None);
        }
        (Some(sound), ending)
    }

    fn one_move(&mut self, mover: &ast::Move, span: Span) -> Option<Move> {
        self.bound_in_move = bound_names(mover, |name| self.names.peek(name).is_some());
        let mark = self.names.mark();
        let when = mover.when.as_ref().map(|w| self.truth(w));
        let mut known = Known::new(0, Interval::SIZES);
        let mut choices = Vec::new();
        for choice in &mover.choices {
            choices.push(self.for_some(choice, &mut known));
        }
        let mut steps = Vec::new();
        for step in &mover.steps {
            let before = self.names.mark();
            let checked = self.step(step, &mut known);
            // What a step binds that may be left out, no later step can know.
            if checked.as_ref().is_some_and(|step| step.least == 0) {
                self.close_scope(before);
            }
            steps.push(checked);
        }
        self.close_scope(mark);
        self.bound_in_move.clear();
        if let (Some(written), Some(Some(when))) = (&mover.when, &when) {
            self.can_hold(
                when,
                written.span,
                &mut Known::new(self.slots, Interval::SIZES),
            );
        }
        let when = match when {
            Some(when) => Some(when?),
            None => None,
        };
        let mut mover_checked = Move {
            name: mover.name.as_ref().map(|n| n.node.clone()),
            words: self.quote(span),
            span,
            when,
            choices: choices.into_iter().collect::<Option<_>>()?,
            steps: steps.into_iter().collect::<Option<_>>()?,
        };
        if mover_checked.steps.iter().all(|step| step.least == 0) {
            self.problem(CheckProblem::MayStandStill {
                example: "every step may be left out".to_owned(),
                mend: "leave `optionally` out of one step, or say how many times it is done",
                at: span,
            });
            return None;
        }
        self.horizons(&mut mover_checked, mover)?;
        Some(mover_checked)
    }

    fn for_some(&mut self, choice: &ast::ForSome, known: &mut Known) -> Option<ForSome> {
        let set = self.set(&choice.set);
        let slot = self.bind_number(&choice.name);
        known.make_room(self.slots);
        if let Some(set) = &set {
            let members = known.set(set);
            known.set_local(slot, members);
        }
        let condition = choice.condition.as_ref().map(|c| {
            let condition = self.truth(c);
            if let Some(condition) = &condition {
                known.make_room(self.slots);
                self.can_hold(condition, c.span, known);
                known.assume(condition);
            }
            condition
        });
        let words = format!(
            "for some {} in {}",
            choice.name.node,
            self.quote(choice.set.span)
        );
        let words = match &choice.condition {
            Some(c) => format!("{words} where {}", self.quote(c.span)),
            None => words,
        };
        Some(ForSome {
            slot,
            name: choice.name.node.clone(),
            set: set?,
            condition: match condition {
                Some(condition) => Some(condition?),
                None => None,
            },
            words,
            horizon: None,
        })
    }

    fn step(&mut self, step: &Spanned<ast::Step>, known: &mut Known) -> Option<Step> {
        let (least, most) = match &step.node.repeat {
            ast::Repeat::Once => (1, 1),
            ast::Repeat::Optionally => (0, 1),
            ast::Repeat::UpTo(count) => (0, self.times(count)?),
            ast::Repeat::Exactly(count) => {
                let times = self.times(count)?;
                (times, times)
            }
        };
        let action = match &step.node.action {
            ast::Action::Take {
                amount,
                from,
                condition,
            } => self.take(amount, from, condition.as_ref(), known),
            ast::Action::Put {
                amount,
                on,
                condition,
            } => self.put(amount, on, condition.as_ref(), known),
        };
        Some(Step {
            least,
            most,
            action: action?,
            words: self.quote(step.span),
        })
    }

    fn times(&mut self, count: &Expr) -> Option<u64> {
        let value = self.constant(count)?;
        match u64::try_from(value) {
            Ok(times) if times <= 1000 => Some(times),
            _ => {
                self.problem(CheckProblem::NoValue {
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
        known: &mut Known,
    ) -> Option<Action> {
        let equal = matches!(amount, ast::Amount::Equal(..));
        let untouched = if equal {
            Untouched::NotAllowed
        } else {
            Untouched::Allowed
        };
        let (written, bound_name) = match amount {
            ast::Amount::Any | ast::Amount::Slow(_) | ast::Amount::Equal(_, None) => (None, None),
            ast::Amount::Equal(_, Some(expr)) | ast::Amount::Of(expr) => {
                match self.fresh_amount(expr) {
                    Some(name) => (None, Some(name)),
                    None => (Some(expr), None),
                }
            }
        };
        let numbers = match (amount, written) {
            (ast::Amount::Slow(_), _) => Some(Some(Set::Items(vec![Num::Const(1)]))),
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
        self.amounts_known = true;
        let checked = condition.map(|c| (self.truth(c), c.span));
        self.amounts_known = false;
        let condition = match checked {
            Some((condition, at)) => {
                let condition = condition?;
                known.make_room(self.slots);
                self.can_hold(&condition, at, known);
                known.assume(&condition);
                // A heap from which nothing is taken counts for `each`, so
                // the smaller selections say something of their own.
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
            condition,
        })
    }

    /// Is the amount a name that nothing has bound yet?
    fn fresh_amount(&self, expr: &Expr) -> Option<Name> {
        match &expr.node {
            ExprKind::Name(name) if self.names.peek(name).is_none() => {
                Some(Name::new(name.clone(), expr.span))
            }
            _ => None,
        }
    }

    /// A set of numbers to take: none of them may be zero.
    fn amount_set(&mut self, expr: &Expr) -> Option<Set> {
        let set = self.set(expr)?;
        let low = match &set {
            Set::Range(Num::Const(low), _) => Some(*low),
            set if !set.is_endless() && set_is_constant(set) => {
                let members = constant_members(set, self.slots).unwrap_or_default();
                if members.is_empty() {
                    self.problem(CheckProblem::NeverHolds {
                        what: "there is no number to choose",
                        at: expr.span,
                    });
                    return None;
                }
                members.first().copied()
            }
            _ => None,
        };
        if low.is_some_and(|low| low < 1) {
            self.problem(CheckProblem::TakesNothing {
                mend: "begin at 1: a step takes or puts at least one token",
                at: expr.span,
            });
            return None;
        }
        if let Set::Range(Num::Const(low), Some(Num::Const(high))) = &set
            && low > high
        {
            self.problem(CheckProblem::NeverHolds {
                what: "there is no number to choose",
                at: expr.span,
            });
            return None;
        }
        Some(set)
    }

    fn put(
        &mut self,
        amount: &Expr,
        on: &Spanned<ast::Selection>,
        condition: Option<&Expr>,
        known: &mut Known,
    ) -> Option<Action> {
        if self.fresh_amount(amount).is_some() {
            if let ExprKind::Name(name) = &amount.node
                && self.bound_in_move.iter().any(|(n, _)| n == name)
            {
                self.unknown_name(name, amount.span);
            } else {
                self.problem(CheckProblem::UnboundedPut { at: amount.span });
            }
            return None;
        }
        if self.shrinking.is_some() {
            self.problem(CheckProblem::PutOnShrinking { at: on.span });
            return None;
        }
        let set = self.amount_set(amount);
        let on = self.selection(on, Untouched::NotAllowed);
        known.make_room(self.slots);
        if let Some(set) = &set {
            if set.is_endless() {
                self.problem(CheckProblem::UnboundedPut { at: amount.span });
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

    fn can_hold(&mut self, condition: &Bool, at: Span, known: &mut Known) {
        if known.truth(condition) == Truth::Never {
            self.problem(CheckProblem::NeverHolds {
                what: "the condition can never hold",
                at,
            });
        }
    }

    /// Sees to it that every set without end that a move looks through has a
    /// horizon beyond which its members make no difference.
    fn horizons(&mut self, mover: &mut Move, written: &ast::Move) -> Option<()> {
        for index in 0..mover.choices.len() {
            if !mover.choices[index].set.is_endless() {
                continue;
            }
            let slot = mover.choices[index].slot;
            let horizon = horizon_of(mover, slot);
            let settles = horizon.as_ref().is_some_and(|h| {
                [0_u64, 1, 10, 1000]
                    .iter()
                    .all(|tokens| h.settled_from(slot, self.slots, *tokens).is_some())
            });
            if !settles {
                let choice = &written.choices[index];
                let culprit = culprit(written, &choice.name.node);
                self.problem(CheckProblem::NoHorizon {
                    name: choice.name.node.clone(),
                    at: choice.set.span,
                    culprit,
                });
                return None;
            }
            mover.choices[index].horizon = horizon;
        }
        Some(())
    }
}

/// Does a condition look at the number taken from each heap?
fn reads_each(condition: &Bool) -> bool {
    Part::Bool(condition)
        .any(&mut |part| matches!(part, Part::Bool(Bool::Each(..)) | Part::List(List::Amounts)))
}

/// Are all members single heaps?
fn is_single(selection: &crate::game::Selection) -> bool {
    match &selection.members {
        Members::Listed(members) => members.iter().all(|m| m.len() == 1),
        Members::Left { most, .. } => *most == 1,
        Members::Picked(_) => false,
        Members::At { .. } => true,
    }
}

/// The names that a move binds somewhere, so that a use before the binding
/// can be told from a name that is nowhere.
fn bound_names(mover: &ast::Move, is_known: impl Fn(&str) -> bool) -> Vec<(String, Span)> {
    let mut bound = Vec::new();
    let mut add = |name: &Name| bound.push((name.node.clone(), name.span));
    for choice in &mover.choices {
        add(&choice.name);
    }
    for step in &mover.steps {
        let selection = match &step.node.action {
            ast::Action::Take { amount, from, .. } => {
                if let ast::Amount::Of(expr) | ast::Amount::Equal(_, Some(expr)) = amount
                    && let ExprKind::Name(name) = &expr.node
                    && !is_known(name)
                {
                    add(&Name::new(name.clone(), expr.span));
                }
                from
            }
            ast::Action::Put { on, .. } => on,
        };
        if let Some(name) = &selection.node.bound {
            add(name);
        }
    }
    bound
}

/// Everything in the move that reads `slot`; `None` where it is read in a way
/// that no bound settles.
fn horizon_of(mover: &Move, slot: Slot) -> Option<Horizon> {
    let mut horizon = Horizon {
        conditions: Vec::new(),
        amounts: Vec::new(),
        others: mover
            .choices
            .iter()
            .map(|c| c.slot)
            .filter(|s| *s != slot)
            .collect(),
    };
    for choice in &mover.choices {
        if choice.slot != slot && Part::Set(&choice.set).reads_local(slot) {
            return None;
        }
        if let Some(condition) = &choice.condition {
            atoms(condition, slot, &mut horizon.conditions);
        }
    }
    for step in &mover.steps {
        let Action::Take {
            amount,
            from,
            condition,
        } = &step.action
        else {
            return None;
        };
        if let Members::At { index, .. } = &from.members
            && Part::Num(index).reads_local(slot)
        {
            return None;
        }
        match &amount.numbers {
            Some(Set::Range(low, high)) => horizon.amounts.extend(
                std::iter::once(low)
                    .chain(high)
                    .filter(|n| Part::Num(n).reads_local(slot))
                    .cloned(),
            ),
            Some(Set::Items(items)) => {
                horizon.amounts.extend(
                    items
                        .iter()
                        .filter(|n| Part::Num(n).reads_local(slot))
                        .cloned(),
                );
            }
            Some(other) if Part::Set(other).reads_local(slot) => return None,
            _ => {}
        }
        if let Some(condition) = condition {
            atoms(condition, slot, &mut horizon.conditions);
        }
    }
    Some(horizon)
}

/// The smallest conditions inside of `condition` that read `slot`.
fn atoms(condition: &Bool, slot: Slot, found: &mut Vec<Bool>) {
    if !Part::Bool(condition).reads_local(slot) {
        return;
    }
    match condition {
        Bool::And(all) | Bool::Or(all) => all.iter().for_each(|c| atoms(c, slot, found)),
        Bool::Not(inner) => atoms(inner, slot, found),
        Bool::If(test, then, otherwise) => [test, then, otherwise]
            .into_iter()
            .for_each(|c| atoms(c, slot, found)),
        other => found.push(other.clone()),
    }
}

/// The first place in the move's conditions where `name` is read.
fn culprit(mover: &ast::Move, name: &str) -> Option<Span> {
    let conditions = mover
        .choices
        .iter()
        .filter_map(|c| c.condition.as_ref())
        .chain(
            mover
                .steps
                .iter()
                .filter_map(|step| match &step.node.action {
                    ast::Action::Take { condition, .. } | ast::Action::Put { condition, .. } => {
                        condition.as_ref()
                    }
                }),
        );
    for condition in conditions {
        let mut place = None;
        names_in(condition, &mut |found, span| {
            if found == name {
                place.get_or_insert(span);
            }
        });
        if place.is_some() {
            return place;
        }
    }
    None
}

impl Horizon {
    /// A number from which on nothing changes in a position of `tokens`
    /// tokens, if there is one in reach.
    pub fn settled_from(&self, slot: Slot, slots: usize, tokens: u64) -> Option<i64> {
        let tokens = i128::from(tokens);
        let mut from = tokens + 1;
        for _ in 0..40 {
            let mut known = Known::new(slots, Interval::new(0, tokens));
            known.all_locals(Interval::new(-tokens, tokens));
            for other in &self.others {
                known.set_local(*other, Interval::ALL);
            }
            known.total = Interval::new(1, tokens.max(1));
            known.set_local(slot, Interval::from(from));
            let conditions_settled = self
                .conditions
                .iter()
                .all(|c| known.clone().truth(c) != Truth::Sometimes);
            let amounts_settled = self.amounts.iter().all(|n| {
                let value = known.num(n);
                value.low > tokens || value.high < 1
            });
            if conditions_settled && amounts_settled {
                return i64::try_from(from).ok();
            }
            from = from.checked_mul(2)?;
        }
        None
    }
}

/// One `take` of a move: the heaps it may touch, how many tokens at least and
/// at most, and how often it is done at least and at most.
pub struct Takes {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    pub pick: Pick,
}

/// One `put` of a move.
pub struct Puts {
    pub heaps: Vec<HeapId>,
    pub least: i64,
    pub most: i64,
    pub times: (u64, u64),
    /// Selections that its heap is said to differ from.
    pub excluded: Vec<Pick>,
}

/// What a move takes and puts, seen apart from the position.
pub fn flow_of(mover: &Move, slots: usize) -> Flow {
    let mut known = Known::new(slots, Interval::SIZES);
    for choice in &mover.choices {
        let members = known.set(&choice.set);
        known.set_local(choice.slot, members);
        if let Some(condition) = &choice.condition {
            known.assume(condition);
        }
    }
    let mut flow = Flow {
        takes: Vec::new(),
        puts: Vec::new(),
        links: Vec::new(),
    };
    let mut picked: BTreeMap<Pick, Vec<HeapId>> = BTreeMap::new();
    let mut widths: BTreeMap<Pick, i64> = BTreeMap::new();
    let mut bound: Vec<(Slot, usize)> = Vec::new();
    for step in &mover.steps {
        let selection = step.action.selection();
        let heaps = heaps_of(&selection.members, &picked);
        picked.insert(selection.pick, heaps.clone());
        let width = widest(&selection.members, &widths);
        widths.insert(selection.pick, width);
        match &step.action {
            Action::Take {
                amount, condition, ..
            } => {
                let taken = amount
                    .numbers
                    .as_ref()
                    .map_or(Interval::from(1), |set| known.set(set))
                    .meet(Interval::from(1));
                known.total = Interval::from(taken.low);
                if let Some(slot) = amount.bound {
                    known.set_local(slot, known.total);
                    if step.least == 1 && step.most == 1 && amount.share == Share::HeapByHeap {
                        bound.push((slot, flow.takes.len()));
                    }
                }
                if let Some(condition) = condition {
                    known.assume(condition);
                }
                flow.takes.push(Takes {
                    heaps,
                    least: i64::try_from(taken.low).unwrap_or(1),
                    most: taken.highest().unwrap_or(i64::MAX),
                    times: (step.least, step.most),
                    pick: selection.pick,
                });
            }
            Action::Put {
                amount, condition, ..
            } => {
                let number = known.set(amount).meet(Interval::from(1));
                let excluded = condition
                    .as_ref()
                    .map_or(Vec::new(), |c| differs_from(c, selection.pick));
                let slot = match amount {
                    Set::Items(items) => match items.as_slice() {
                        [Num::Local(slot)] => Some(*slot),
                        _ => None,
                    },
                    _ => None,
                };
                let linked = bound.iter().find(|(s, take)| {
                    // On several heaps the number is put down several times.
                    Some(*s) == slot
                        && step.most == 1
                        && width == 1
                        && !flow.links.iter().any(|l: &Link| l.take == *take)
                });
                if let Some(&(_, take)) = linked {
                    let apart = excluded.contains(&flow.takes[take].pick);
                    let mut pairs = Vec::new();
                    for from in &flow.takes[take].heaps {
                        pairs.extend(
                            heaps
                                .iter()
                                .filter(|to| !apart || from != *to)
                                .map(|to| (*from, *to)),
                        );
                    }
                    flow.links.push(Link {
                        take,
                        put: flow.puts.len(),
                        pairs,
                    });
                }
                flow.puts.push(Puts {
                    heaps,
                    least: i64::try_from(number.low).unwrap_or(1),
                    most: number
                        .highest()
                        .and_then(|most| most.checked_mul(width))
                        .unwrap_or(i64::MAX),
                    times: (step.least, step.most),
                    excluded,
                });
            }
        }
    }
    flow
}

/// Every heap that a selection may hold.
fn heaps_of(members: &Members, picked: &BTreeMap<Pick, Vec<HeapId>>) -> Vec<HeapId> {
    let mut heaps = match members {
        Members::Listed(members) => members.concat(),
        // A shrinking board takes no tokens back, so the heaps do not matter.
        Members::Left { .. } => Vec::new(),
        Members::Picked(pick) => picked.get(pick).cloned().unwrap_or_default(),
        Members::At { heaps, .. } => heaps.clone(),
    };
    heaps.sort_unstable();
    heaps.dedup();
    heaps
}

/// The selections that a condition says are not this one.
fn differs_from(condition: &Bool, pick: Pick) -> Vec<Pick> {
    match condition {
        Bool::And(all) => all.iter().flat_map(|c| differs_from(c, pick)).collect(),
        Bool::Not(inner) => match inner.as_ref() {
            Bool::Same(left, right) if *left == pick => vec![*right],
            Bool::Same(left, right) if *right == pick => vec![*left],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The most heaps that one member holds: a put puts its number on each.
fn widest(members: &Members, earlier: &BTreeMap<Pick, i64>) -> i64 {
    let heaps = match members {
        Members::Listed(members) => members.iter().map(Vec::len).max().unwrap_or(0),
        Members::Left { most, .. } => *most,
        Members::Picked(pick) => return earlier.get(pick).copied().unwrap_or(i64::MAX),
        Members::At { .. } => 1,
    };
    i64::try_from(heaps).unwrap_or(i64::MAX)
}
