//! `claim misere quotient to N has M elements`.

use super::{Checker, Problem};
use nimrule_model::game::Statement;
use nimrule_model::source::Span;
use nimrule_syntax::ast::Expr;

impl Checker<'_> {
    pub fn quotient_claim(
        &mut self,
        misere: bool,
        to: &Expr,
        elements: &Expr,
        at: Span,
    ) -> Option<Statement> {
        if !misere {
            self.problem(Problem::QuotientOfNormalPlay { at });
            return None;
        }
        let to = self.positive(to, "heaps are numbered by their sizes, from 1");
        let elements = self.positive(elements, "a quotient has at least the identity element");
        Some(Statement::Quotient {
            to: to?,
            elements: elements?,
        })
    }

    fn positive(&mut self, expr: &Expr, reason: &'static str) -> Option<u64> {
        let value = self.constant(expr)?;
        match u64::try_from(value) {
            Ok(value) if value > 0 => Some(value),
            _ => {
                self.problem(Problem::QuotientNumber {
                    value,
                    reason,
                    at: expr.span,
                });
                None
            }
        }
    }
}
