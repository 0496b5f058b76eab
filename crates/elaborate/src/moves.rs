//! Moves: their names, choices and steps.
//!
//! The parts of a move are checked in order, since a part may use the names that
//! an earlier part binds.

mod cutoff;
mod step;
mod unused;

use super::{Checker, Problem};
use nimrule_model::expr::Bool;
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment, Truth};
use nimrule_model::game::{Again, ForSome, Move};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, ExprKind, File, Name, Statement};

/// The steps of a move with their repeats, and the place of all of them.
const MAX_STEPS: u64 = 1000;

impl Checker<'_> {
    /// Checks all moves, even after an error. Returns those without errors; `None` if others
    /// are unknown.
    pub fn moves(&mut self, file: &File) -> Option<Vec<Move>> {
        let mut moves = Vec::new();
        let mut impossible: Vec<Problem> = Vec::new();
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
                    self.problem(Problem::Taken {
                        name: name.node.clone(),
                        at: name.span,
                        first,
                    });
                }
                names.push(name.clone());
            }
            match &mover.octal {
                Some(octal) => moves.extend(self.octal(mover, octal, statement.span)),
                None => {
                    let errors = self.errors();
                    self.in_move = true;
                    let checked = self.one_move(mover, statement.span);
                    self.in_move = false;
                    match self.impossible.take() {
                        Some(why) if self.errors() == errors => impossible.push(why),
                        _ => moves.push(checked),
                    }
                }
            }
        }
        // A rule without a move is a mistake.
        let has_moves = !moves.is_empty();
        for why in impossible {
            match has_moves {
                true => self.problem(Problem::MoveNeverApplies {
                    reason: why.to_string(),
                    fix: "it may apply at other values of the parameters",
                    at: why.place().unwrap_or_else(|| self.beginning(file)),
                    zero: None,
                }),
                false => self.problem(why),
            }
        }
        if self.may_have_lost(&["move", "positions"]) {
            // Whether play ends depends on all of them.
            return None;
        }
        if written == 0 {
            self.problem(Problem::Missing {
                statement: "move",
                fix: "say what a player may do, for example `move take from one heap`",
                place: "add it after this, for example",
                at: file
                    .statements
                    .iter()
                    .rfind(|s| matches!(s.node, Statement::Heaps(_) | Statement::Board(_)))
                    .map_or_else(|| self.beginning(file), |s| s.span),
            });
            return None;
        }
        if !has_moves {
            return None;
        }
        self.both_can_move(file);
        self.turns_end(file);
        self.states_change(file);
        Some(moves.into_iter().flatten().collect())
    }

    /// Warns if one player has no move at all.
    fn both_can_move(&mut self, file: &File) {
        let mut sides = file.statements.iter().filter_map(|s| match &s.node {
            Statement::Move(mover) => Some(mover.side.as_ref()),
            _ => None,
        });
        let Some(Some(first)) = sides.next() else {
            return;
        };
        if sides.all(|side| side.is_some_and(|side| side.node == first.node)) {
            let idle = first.node.other();
            self.problem(Problem::OneSided {
                idle: idle.name(),
                owner: first.node.name(),
                word: idle.word(),
                at: first.span,
            });
        }
    }

    /// Warns of states that no move sets.
    fn states_change(&mut self, file: &File) {
        let sets = |statement: &Spanned<Statement>, state: &Name| {
            match &statement.node {
            Statement::Move(mover) => mover.steps.iter().any(|step| match &step.node.action {
                ast::Action::Set { what, .. } | ast::Action::Flip { what, .. } => {
                    matches!(&what.node.what, ast::What::Named { name, .. } if name.node == state.node)
                }
                _ => false,
            }),
            _ => false,
        }
        };
        for statement in &file.statements {
            let Statement::State { name, .. } = &statement.node else {
                continue;
            };
            if !file.statements.iter().any(|other| sets(other, name)) {
                self.problem(Problem::NeverSet {
                    name: name.node.clone(),
                    at: name.span,
                });
            }
        }
    }

    /// Refuses parts of turns where a turn need not end, or none ends.
    fn turns_end(&mut self, file: &File) {
        let moves = file.statements.iter().filter_map(|s| match &s.node {
            Statement::Move(mover) => Some(mover),
            _ => None,
        });
        let moves: Vec<&ast::Move> = moves.collect();
        let Some(again) = moves.iter().find_map(|mover| mover.again.as_ref()) else {
            return;
        };
        if let Some(repeats) = self.may_repeat {
            self.problem(Problem::AgainWhereRepeated {
                at: again.span,
                repeats,
            });
        }
        let side = |mover: &&ast::Move| mover.side.as_ref().map(|side| side.node);
        for whose in [ast::Side::Left, ast::Side::Right] {
            let mut own = moves.iter().filter(|m| side(m).is_none_or(|s| s == whose));
            let Some(first) = own.clone().next() else {
                continue;
            };
            let continues = |mover: &&&ast::Move| match &mover.again {
                Some(again) => again.node == ast::Again::Must,
                None => false,
            };
            if own.all(|mover| continues(&mover)) {
                let at = first.again.as_ref().map_or(again.span, |again| again.span);
                self.problem(Problem::TurnNeverEnds { at });
                return;
            }
        }
    }

    fn one_move(&mut self, mover: &ast::Move, span: Span) -> Option<Move> {
        self.bound_in_move = bound_names(mover, |name| self.names.peek(name).is_some());
        let (mark, errors) = (self.names.mark(), self.errors());
        let when = mover.when.as_ref().map(|w| self.truth(w));
        let mut known = IntervalEnvironment::new(0, Interval::NATURALS);
        let mut choices = Vec::new();
        for choice in &mover.choices {
            choices.push(self.for_some(choice, &mut known));
        }
        let mut steps = Vec::new();
        for step in &mover.steps {
            let before = self.names.mark();
            let possible = self.impossible.is_none();
            let checked = self.step(step, &mut known);
            let may_be_skipped = matches!(
                step.node.repeat,
                ast::Repeat::Optionally | ast::Repeat::UpTo(_)
            );
            if possible && may_be_skipped && self.impossible.is_some() {
                self.impossible = None;
                self.close_scope_of_move(before, (mover, span), self.errors() > errors);
                continue;
            }
            // The names of a step with an error may be used later.
            if checked.is_none() {
                for (name, _) in names_of_step(step, |name| self.names.peek(name).is_some()) {
                    self.names.bind_unknown(&name);
                }
            }
            // A name bound by an optional step is not visible in later steps.
            if checked.as_ref().is_some_and(|step| step.least == 0) {
                self.close_scope_of_move(before, (mover, span), self.errors() > errors);
            }
            steps.push(checked);
        }
        let has_errors = self.errors() > errors;
        self.close_scope_of_move(mark, (mover, span), has_errors);
        if !has_errors {
            self.words_as_sizes(mover, span);
        }
        self.bound_in_move.clear();
        if let (Some(written), Some(Some(when))) = (&mover.when, &when) {
            self.can_hold(
                when,
                written.span,
                &mut IntervalEnvironment::new(self.slots, Interval::NATURALS),
            );
        }
        let when = match when {
            Some(when) => Some(when?),
            None => None,
        };
        let mut mover_checked = Move {
            side: mover.side.as_ref().map(|side| side.node),
            name: mover.name.as_ref().map(|n| n.node.clone()),
            words: self.quote(span),
            span,
            when,
            choices: choices.into_iter().collect::<Option<_>>()?,
            steps: steps.into_iter().collect::<Option<_>>()?,
            again: mover.again.as_ref().map(|again| match again.node {
                ast::Again::Must => Again::Must,
                ast::Again::May => Again::May,
            }),
        };
        // The recursion of the walk is as deep as the number of steps.
        let steps: u64 = mover_checked.steps.iter().map(|step| step.most).sum();
        if steps > MAX_STEPS {
            self.problem(Problem::NoValue {
                fault: format!("a move has at most {MAX_STEPS} steps, and this may have {steps}"),
                at: span,
            });
            return None;
        }
        self.attach_cutoffs(&mut mover_checked, mover)?;
        Some(mover_checked)
    }

    fn for_some(
        &mut self,
        choice: &ast::ForSome,
        known: &mut IntervalEnvironment,
    ) -> Option<ForSome> {
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
            cutoff: None,
        })
    }

    pub(super) fn can_hold(&mut self, condition: &Bool, at: Span, known: &mut IntervalEnvironment) {
        // Bounds propagation assumes integers; real sizes lie between them too.
        if !self.real && known.truth(condition) == Truth::Never {
            self.impossible_here(
                self.names_parameter(at),
                Problem::NeverHolds {
                    what: "the condition can never hold",
                    at,
                },
            );
        }
    }
}

/// The names that a move binds anywhere, to distinguish a use before the binding
/// from an unknown name.
fn bound_names(mover: &ast::Move, is_known: impl Fn(&str) -> bool) -> Vec<(String, Span)> {
    let choices = mover.choices.iter();
    let mut bound: Vec<(String, Span)> = choices
        .map(|choice| (choice.name.node.clone(), choice.name.span))
        .collect();
    for step in &mover.steps {
        bound.extend(names_of_step(step, &is_known));
    }
    bound
}

/// The names that a step binds.
fn names_of_step(
    step: &Spanned<ast::Step>,
    is_known: impl Fn(&str) -> bool,
) -> Vec<(String, Span)> {
    let mut bound = Vec::new();
    let mut add = |name: &Name| bound.push((name.node.clone(), name.span));
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
        ast::Action::Split { what, parts, .. } => {
            if let ast::Parts::Named(names) = parts {
                names.iter().for_each(&mut add);
            }
            what
        }
        ast::Action::Replace { what, by, .. } => {
            for new in by {
                match &new.size {
                    ast::NewSize::In(name, _) => add(name),
                    ast::NewSize::Of(expr) => {
                        if let ExprKind::Name(name) = &expr.node
                            && !is_known(name)
                        {
                            add(&Name::new(name.clone(), expr.span));
                        }
                    }
                }
            }
            what
        }
        ast::Action::Set { what, .. }
        | ast::Action::Flip { what, .. }
        | ast::Action::Choose { what, .. }
        | ast::Action::Slide { what, .. } => what,
    };
    if let Some(name) = &selection.node.bound {
        add(name);
    }
    bound
}
