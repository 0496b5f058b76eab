//! The kinds of expressions, and their descriptions in error messages.
//!
//! An expression of the wrong kind is described by its syntax and by what its
//! names mean. Nothing is evaluated, so an expression that has errors itself can
//! be described too.

use crate::names::Meaning;
use crate::{Checker, Problem};
use nimrule_model::game::ParamValue;
use nimrule_syntax::ast::{Binary, Expr, ExprKind, Function};

impl Checker<'_> {
    /// Whether the expression is meant as a single number. Decided by syntax, so
    /// that an ill-formed number is reported as such.
    pub(crate) fn is_number(&self, expr: &Expr) -> bool {
        match &expr.node {
            ExprKind::Name(name) => matches!(
                self.names.peek(name),
                None | Some(
                    Meaning::Param(ParamValue::Number(_) | ParamValue::Open)
                        | Meaning::Heap(_)
                        | Meaning::State(_)
                        | Meaning::StateOfMultiset(_)
                        | Meaning::Number(_)
                        | Meaning::Value(_)
                        | Meaning::OneHeap(_)
                        | Meaning::Unknown
                )
            ),
            ExprKind::Heaps
            | ExprKind::Tokens
            | ExprKind::HeapsBeside(_)
            | ExprKind::Each
            | ExprKind::Braces(_)
            | ExprKind::Tuple(_)
            | ExprKind::Gathered { .. }
            | ExprKind::Range { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_) => false,
            ExprKind::Joined(_) => false,
            ExprKind::Call { function, .. } => !matches!(
                function,
                Function::Sorted | Function::Distinct | Function::Neighbours | Function::Divisors
            ),
            _ => true,
        }
    }

    #[inline(never)]
    pub(super) fn wrong_kind<T>(
        &mut self,
        wanted: &'static str,
        expr: &Expr,
        help: Option<String>,
    ) -> Option<T> {
        let found = match &expr.node {
            ExprKind::Number(_)
            | ExprKind::Negate(_)
            | ExprKind::Total
            | ExprKind::HeapAt(_)
            | ExprKind::Field { .. }
            | ExprKind::Indexed { .. } => "a number",
            ExprKind::Binary {
                operator: Binary::And | Binary::Or | Binary::Implies,
                ..
            } => "a condition",
            ExprKind::Binary { .. } => "a number",
            ExprKind::Truth(_)
            | ExprKind::Not(_)
            | ExprKind::Compare { .. }
            | ExprKind::Is { .. }
            | ExprKind::Touches { .. }
            | ExprKind::Quantified { .. }
            | ExprKind::Joined(_)
            | ExprKind::Like { .. } => "a condition",
            ExprKind::Heaps
            | ExprKind::Tokens
            | ExprKind::HeapsBeside(_)
            | ExprKind::Each
            | ExprKind::Tuple(_) => "a list of numbers",
            ExprKind::Call {
                function: Function::Divisors,
                ..
            } => "a set of numbers",
            ExprKind::Squares
            | ExprKind::Powers(_)
            | ExprKind::Braces(_)
            | ExprKind::Gathered { .. }
            | ExprKind::Range { .. } => "a set of numbers",
            ExprKind::Name(name) => match self.names.peek(name) {
                Some(meaning) => describe(meaning),
                None if self.named_set(name).is_some() => "a set of numbers",
                None => "a name that is not known",
            },
            ExprKind::Call {
                function: Function::Distinct,
                ..
            } => "a condition",
            ExprKind::Call {
                function: Function::Sorted | Function::Neighbours,
                ..
            } => "a list of numbers",
            ExprKind::Call { .. } => "a number",
            ExprKind::If { .. } | ExprKind::Let { .. } => "something else",
        };
        let help = help.or_else(|| {
            let fix = match (wanted, found) {
                ("a number", "a set of numbers") => "to test membership, write `in`",
                ("a number", "a list of numbers") => {
                    "combine it with `sum`, `max` …, or test each element with `forall x in …`"
                }
                _ => return None,
            };
            Some(fix.to_owned())
        });
        self.problem(Problem::Kind {
            wanted,
            found: found.to_owned(),
            at: expr.span,
            help,
        });
        None
    }
}

/// The description of a name in an error message.
pub fn describe(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::Param(ParamValue::Number(_) | ParamValue::Open)
        | Meaning::Number(_)
        | Meaning::Value(_) => "a number",
        Meaning::Param(ParamValue::Code(_)) => "an octal code",
        Meaning::Param(ParamValue::List(_)) => "a list of numbers",
        Meaning::Param(_) => "a set of numbers",
        Meaning::Heap(_) | Meaning::OneHeap(_) => "a heap",
        Meaning::State(_) | Meaning::StateOfMultiset(_) => "a state, which is no heap",
        Meaning::Group(..) => "a group of heaps",
        Meaning::Kind(_) => "a kind of heap",
        Meaning::Family(_) => "a family of selections",
        Meaning::FamilyOf(_) => "a family that each heap has",
        Meaning::Member(..) => "a member of a family",
        Meaning::SomeHeaps(_) => "several heaps",
        Meaning::Unknown => "something that has a fault itself",
    }
}
