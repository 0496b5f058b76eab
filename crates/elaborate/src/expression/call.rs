//! Function calls.
//!
//! `max`, `sum`, `count` … take numbers, one list, or a generator. Which of them
//! was written is visible in the syntax alone and is decided here. The lists
//! themselves are checked in `set.rs`.

use crate::{Checker, Problem};
use nimrule_model::expr::{Fault, Fold, List, Num};
use nimrule_model::source::{Span, Spanned, join};
use nimrule_syntax::ast::{self, Comparison, Expr, ExprKind, Function, Name};

impl Checker<'_> {
    pub(super) fn call_number(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Option<Num> {
        let fold = match function {
            Function::Max => Fold::Max,
            Function::Min => Fold::Min,
            Function::Sum => Fold::Sum,
            Function::Xor => Fold::Xor,
            Function::Count => Fold::Count,
            Function::Carryless => {
                let ([base, list] | [base, list, _]) = arguments else {
                    return self.wrong_arguments(function, expr.span);
                };
                let modulus = arguments.get(2).unwrap_or(base);
                let (base, list, modulus) = (self.num(base), self.list(list), self.num(modulus));
                let (base, list, modulus) = (base?, list?, modulus?);
                if let Num::Const(b) = base.node
                    && b < 2
                {
                    self.problem(Problem::NoValue {
                        fault: Fault::BadBase.to_string(),
                        at: expr.span,
                    });
                    return None;
                }
                let num = Num::Carryless {
                    base: Box::new(base),
                    list,
                    modulus: Box::new(modulus),
                };
                return self.folded(num, expr.span);
            }
            Function::Digit => {
                let [base, index, value] = arguments else {
                    return self.wrong_arguments(function, expr.span);
                };
                let (base, index, value) = (self.num(base), self.num(index), self.num(value));
                let num = Num::Digit {
                    base: Box::new(base?),
                    index: Box::new(index?),
                    value: Box::new(value?),
                };
                return self.folded(num, expr.span);
            }
            Function::Isqrt => {
                let [value] = arguments else {
                    return self.wrong_arguments(function, expr.span);
                };
                let num = Num::Isqrt(Box::new(self.num(value)?));
                return self.folded(num, expr.span);
            }
            Function::Sorted | Function::Distinct => {
                return self.wrong_kind("a number", expr, None);
            }
        };
        let list = self.list_of_arguments(expr, function, arguments, generator)?;
        self.folded(Num::Fold(fold, list), expr.span)
    }

    /// The arguments of `max`, `sum` …: numbers, one list, or a generator.
    pub(super) fn list_of_arguments(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Option<Spanned<List>> {
        match (arguments, generator) {
            ([], _) => self.wrong_arguments(function, expr.span),
            (
                [value],
                Some(ast::Generator {
                    binder: Some((name, over)),
                    condition,
                }),
            ) => self.gathered(name, over, Some(value), condition.as_deref()),
            ([only], _) => {
                // In `count(x in heaps where …)` the argument itself is the generator.
                if let ExprKind::Compare { first, rest } = &only.node
                    && let ExprKind::Name(name) = &first.node
                    && let [(Comparison::In, over)] = rest.as_slice()
                {
                    let name = Name::new(name.clone(), first.span);
                    let condition = generator.and_then(|g| g.condition.as_deref());
                    return self.gathered(&name, over, None, condition);
                }
                if generator.is_some() {
                    return self.wrong_arguments(function, expr.span);
                }
                if self.is_number(only) {
                    return Some(Spanned::new(List::Items(vec![self.num(only)?]), only.span));
                }
                self.list(only)
            }
            (several, _) => {
                let items: Vec<_> = several.iter().map(|item| self.num(item)).collect();
                let items = List::Items(items.into_iter().collect::<Option<_>>()?);
                Some(Spanned::new(items, expr.span))
            }
        }
    }

    fn gathered(
        &mut self,
        name: &Name,
        over: &Expr,
        value: Option<&Expr>,
        condition: Option<&Expr>,
    ) -> Option<Spanned<List>> {
        let over_set = self.finite_set(over);
        let mark = self.names.mark();
        let slot = self.bind_number(name);
        let condition = condition.map(|c| self.truth(c));
        let value = match value {
            Some(value) => self.num(value),
            None => {
                self.names.look_up(&name.node);
                Some(Spanned::new(Num::Local(slot), name.span))
            }
        };
        self.close_scope(mark);
        let condition = match condition {
            Some(condition) => Some(Box::new(condition?)),
            None => None,
        };
        let value = value?;
        let at = join(value.span, over.span);
        let gathered = List::Gathered {
            slot,
            over: Box::new(over_set?),
            value: Box::new(value),
            condition,
        };
        Some(Spanned::new(gathered, at))
    }

    fn wrong_arguments<T>(&mut self, function: Function, at: Span) -> Option<T> {
        let (wanted, example) = match function {
            Function::Carryless => (
                "a base, a list of numbers and, if it is not the base, a modulus",
                "`carryless(3, heaps)`",
            ),
            Function::Digit => (
                "a base, the digit's place and a number",
                "`digit(2, 0, a)`, the last binary digit of `a`",
            ),
            Function::Isqrt => ("one number", "`isqrt(a)`"),
            Function::Count => ("a list of numbers", "`count(x in heaps where x > 1)`"),
            _ => (
                "numbers, or one list of them",
                "`max(a, b)`, `sum(heaps)` or `sum(x div 2 for x in heaps)`",
            ),
        };
        self.problem(Problem::Arguments {
            function: function.word(),
            wanted,
            example,
            at,
        });
        None
    }
}
