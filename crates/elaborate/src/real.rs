//! Heaps of real size: `heaps x y of real size`.
//!
//! Real sizes can be compared, added and multiplied. They have no digits and no
//! remainders, and an amount cannot be restricted to a set of whole numbers.

use super::{Checker, Problem};
use nimrule_model::source::Span;
use nimrule_syntax::ast::{
    Action, Amount, Binary, Claim, ClaimStatement, Expr, ExprKind, File, Function, HeapGroups,
    Move, Statement,
};

impl Checker<'_> {
    /// Returns whether the heaps are of real size, and reports everything in the
    /// rule that requires whole numbers.
    pub(super) fn heaps_of_real_size(&mut self, file: &File) -> bool {
        let heaps = file.statements.iter().find_map(|s| match &s.node {
            Statement::Heaps(heaps) => heaps.real.as_ref().map(|mark| (heaps, mark.span)),
            _ => None,
        });
        let Some((heaps, at)) = heaps else {
            return false;
        };
        self.real = true;
        if let HeapGroups::AnyNumber(_) = heaps.groups {
            self.whole("a bag", at);
        }
        if self.shrinking.is_some() {
            self.whole("a board that shrinks", at);
        }
        for statement in &file.statements {
            match &statement.node {
                Statement::Positions(condition) => self.real_expr(condition),
                Statement::Move(mover) => self.real_move(mover),
                Statement::Claim(claim) => self.real_claim(claim),
                _ => {}
            }
        }
        true
    }

    pub(super) fn whole(&mut self, what: &str, at: Span) {
        self.problem(Problem::WholeNumbers {
            what: what.to_owned(),
            at,
        });
    }

    fn real_move(&mut self, mover: &Move) {
        mover.when.iter().for_each(|when| self.real_expr(when));
        for choice in &mover.choices {
            self.whole("a choice from a set", choice.set.span);
        }
        if let Some(octal) = &mover.octal {
            let at = match &octal.code {
                nimrule_syntax::ast::OctalCode::Written(code) => code.span,
                nimrule_syntax::ast::OctalCode::Named(name) => name.span,
            };
            self.whole("an octal code", at);
        }
        if let Some(again) = &mover.again {
            self.whole("a turn of several moves", again.span);
        }
        for step in &mover.steps {
            let condition = match &step.node.action {
                Action::Take {
                    amount, condition, ..
                } => {
                    match amount {
                        Amount::Any | Amount::Equal(_, None) | Amount::All(_) => {}
                        Amount::Slow(mark) => self.whole("`slow`", mark.span),
                        Amount::Equal(_, Some(amount)) | Amount::Of(amount) => {
                            // A name that is not bound yet takes any amount.
                            if !self.is_unknown(amount) {
                                self.whole("an amount from a set", amount.span);
                            }
                        }
                    }
                    condition
                }
                Action::Put {
                    amount, condition, ..
                } => {
                    if !self.is_unknown(amount) {
                        self.whole("an amount from a set", amount.span);
                    }
                    condition
                }
                Action::Set {
                    value, condition, ..
                } => {
                    self.real_expr(value);
                    condition
                }
                Action::Flip { condition, .. }
                | Action::Choose { condition, .. }
                | Action::Split { condition, .. }
                | Action::Replace { condition, .. }
                | Action::Slide { condition, .. } => condition,
            };
            condition.iter().for_each(|c| self.real_expr(c));
        }
    }

    fn is_unknown(&self, expr: &Expr) -> bool {
        matches!(&expr.node, ExprKind::Name(name) if self.names.peek(name).is_none())
    }

    fn real_claim(&mut self, claim: &Claim) {
        match &claim.statement {
            ClaimStatement::Outcome { condition, .. }
            | ClaimStatement::Cogame(Some((_, condition))) => self.real_expr(condition),
            ClaimStatement::Pairing(_) => {}
            ClaimStatement::WinsBy { .. } => {
                self.whole("a claim of winning moves", claim.words.span)
            }
            ClaimStatement::Grundy(_) => self.whole("a Grundy value", claim.words.span),
            ClaimStatement::Cogame(None) => {
                self.whole("`cogame` without `P iff`", claim.words.span);
            }
            _ => self.whole("this claim", claim.words.span),
        }
    }

    fn real_expr(&mut self, expr: &Expr) {
        let what = match &expr.node {
            ExprKind::Binary { operator, .. } => match operator {
                Binary::NimSum => Some("a nim-sum"),
                Binary::Power => Some("a power"),
                Binary::Modulo => Some("`mod`"),
                Binary::Divide => Some("`div`"),
                Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::And
                | Binary::Or
                | Binary::Implies => None,
            },
            ExprKind::Call { function, .. } => match function {
                Function::Xor => Some("a nim-sum"),
                Function::Carryless
                | Function::Components
                | Function::Triangular
                | Function::Wythoff
                | Function::Beatty
                | Function::Builtin(_) => {
                    return self.whole(&format!("`{}`", function.word()), expr.span);
                }
                Function::Gcd | Function::Lcm | Function::Divisors => Some("a divisor or multiple"),
                Function::Max
                | Function::Min
                | Function::Sum
                | Function::Count
                | Function::Size
                | Function::Abs
                | Function::Index
                | Function::Neighbours
                | Function::Sorted
                | Function::Distinct => None,
            },
            ExprKind::Joined(_) => Some("`joined`"),
            ExprKind::Squares => Some("`squares`"),
            ExprKind::Powers(_) => Some("`powers`"),
            ExprKind::Range { .. } => Some("a range"),
            _ => None,
        };
        match what {
            Some(what) => self.whole(what, expr.span),
            None => expr
                .node
                .children()
                .into_iter()
                .for_each(|e| self.real_expr(e)),
        }
    }
}
