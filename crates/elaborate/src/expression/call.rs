//! Function calls.
//!
//! `max`, `sum`, `count` … take numbers, one list, or a generator. Which of them
//! was written is visible in the syntax alone and is decided here. The lists
//! themselves are checked in `set.rs`.

use crate::names::Meaning;
use crate::{Checker, Problem};
use nimrule_model::expr::{
    Arithmetic, Bool, Builtin, Fault, Fold, List, Num, Order, Slot, beatty_constants,
};
use nimrule_model::source::{Span, Spanned, join};
use nimrule_syntax::ast::{self, Comparison, Expr, ExprKind, Function, Name};

/// The name, if it is the only argument.
pub(super) fn only_name(arguments: &[Expr]) -> Option<Name> {
    match arguments {
        [argument] => match &argument.node {
            ExprKind::Name(name) => Some(Name::new(name.clone(), argument.span)),
            _ => None,
        },
        _ => None,
    }
}

/// The absolute value of a local variable.
fn absolute(slot: Slot, at: Span) -> Spanned<Num> {
    let local = || Box::new(Spanned::new(Num::Local(slot), at));
    let zero = Spanned::new(Num::Const(0), at);
    let negative = Bool::Compare(Order::Less, *local(), zero);
    let negated = Spanned::new(Num::Negate(local()), at);
    Spanned::new(
        Num::If(
            Box::new(Spanned::new(negative, at)),
            Box::new(negated),
            local(),
        ),
        at,
    )
}

/// The least common multiple of two local variables that are not 0: `a div gcd(a, b) * b`,
/// without its sign. The third is bound to the product.
fn least_common_multiple([one, other, both]: [Slot; 3], at: Span) -> Spanned<Num> {
    let local = |slot| Spanned::new(Num::Local(slot), at);
    let divisor = binary(Arithmetic::Gcd, local(one), local(other));
    let part = binary(Arithmetic::Divide, local(one), divisor);
    let product = binary(Arithmetic::Multiply, part, local(other));
    let multiple = Num::Let(both, Box::new(product), Box::new(absolute(both, at)));
    Spanned::new(multiple, at)
}

fn binary(operator: Arithmetic, left: Spanned<Num>, right: Spanned<Num>) -> Spanned<Num> {
    let at = left.span;
    Spanned::new(Num::Binary(operator, Box::new(left), Box::new(right)), at)
}

/// The triangular number of a local variable n, which is n*(n + 1)/2, as
/// `((n + 1) div 2) * (2*(n div 2) + 1)`: no part exceeds 64 bits unless the number does.
#[inline(never)]
fn triangular(slot: Slot, at: Span) -> Spanned<Num> {
    let local = || Spanned::new(Num::Local(slot), at);
    let constant = |value| Spanned::new(Num::Const(value), at);
    let next = binary(Arithmetic::Add, local(), constant(1));
    let upper_half = binary(Arithmetic::Divide, next, constant(2));
    let lower_half = binary(Arithmetic::Divide, local(), constant(2));
    let even = binary(Arithmetic::Multiply, constant(2), lower_half);
    let odd = binary(Arithmetic::Add, even, constant(1));
    binary(Arithmetic::Multiply, upper_half, odd)
}

/// The golden ratio as `(p + q*√d)/r`: p, q, d and r.
const GOLDEN_RATIO: [i64; 4] = [1, 1, 5, 2];

/// `beatty(n, p, q, d, r)` for the local variable n.
fn beatty(slot: Slot, constants: [i64; 4], at: Span) -> Spanned<Num> {
    let constants = constants.map(Num::Const);
    let arguments = std::iter::once(Num::Local(slot)).chain(constants);
    let arguments = arguments.map(|num| Spanned::new(num, at));
    Spanned::new(Num::Apply(Builtin::Beatty, arguments.collect()), at)
}

impl Checker<'_> {
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    pub(super) fn call_number(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Option<Num> {
        let wanted = function.arguments();
        let is_fixed = wanted.most < usize::MAX;
        let number = arguments.len();
        let is_fixed = is_fixed && function != Function::Components;
        if number < wanted.least || number > wanted.most || is_fixed && generator.is_some() {
            return self.wrong_arguments(function, expr.span);
        }
        let fold = match function {
            Function::Max => Fold::Max,
            Function::Min => Fold::Min,
            Function::Sum => Fold::Sum,
            Function::Xor => {
                let list = self.list_of_arguments(expr, function, arguments, generator)?;
                return self.folded(Num::nim_sum(list), expr.span);
            }
            Function::Count | Function::Size => Fold::Count,
            Function::Gcd | Function::Lcm => {
                return self.divisor_or_multiple(expr, function, arguments);
            }
            Function::Abs => {
                let [value] = arguments else {
                    return self.wrong_arguments(function, expr.span);
                };
                let value = self.num(value)?;
                let slot = self.fresh_slot();
                let num = Num::Let(slot, Box::new(value), Box::new(absolute(slot, expr.span)));
                return self.folded(num, expr.span);
            }
            Function::Triangular | Function::Wythoff => {
                return self.written_out(expr, function, arguments);
            }
            Function::Beatty => return self.beatty(expr, arguments),
            Function::Components => {
                return self.components(expr, arguments, generator);
            }
            Function::Index => {
                let Some(name) = only_name(arguments) else {
                    return self.wrong_arguments(function, expr.span);
                };
                return self.index_of(&name);
            }
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
            Function::Builtin(builtin) => {
                let numbers: Vec<_> = arguments.iter().map(|one| self.num(one)).collect();
                let numbers = numbers.into_iter().collect::<Option<Vec<_>>>()?;
                return self.folded(Num::Apply(builtin, numbers), expr.span);
            }
            Function::Sorted | Function::Distinct | Function::Neighbours | Function::Divisors => {
                return self.wrong_kind("a number", expr, None);
            }
        };
        let list = self.list_of_arguments(expr, function, arguments, generator)?;
        self.folded(Num::Fold(fold, list), expr.span)
    }

    /// `triangular(n)` and `wythoff(n)`, as the expressions that they stand for.
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    fn written_out(&mut self, expr: &Expr, function: Function, arguments: &[Expr]) -> Option<Num> {
        let [value] = arguments else {
            return self.wrong_arguments(function, expr.span);
        };
        let value = self.num(value)?;
        let slot = self.fresh_slot();
        let body = match function {
            Function::Wythoff => beatty(slot, GOLDEN_RATIO, expr.span),
            _ => triangular(slot, expr.span),
        };
        self.folded(Num::Let(slot, Box::new(value), Box::new(body)), expr.span)
    }

    /// `beatty(n, p, q, d, r)`.
    // Not inlined: its locals would enlarge the frame of a recursive function.
    #[inline(never)]
    fn beatty(&mut self, expr: &Expr, arguments: &[Expr]) -> Option<Num> {
        let [number, constants @ ..] = arguments else {
            return self.wrong_arguments(Function::Beatty, expr.span);
        };
        let number = self.num(number);
        let constants: Vec<_> = constants.iter().map(|one| self.constant(one)).collect();
        let constants = constants.into_iter().collect::<Option<Vec<_>>>()?;
        let constants: [i64; 4] = constants.as_slice().try_into().ok()?;
        if let Err(reason) = beatty_constants(constants) {
            self.problem(Problem::NoValue {
                fault: reason.to_owned(),
                at: expr.span,
            });
            return None;
        }
        let slot = self.fresh_slot();
        let body = beatty(slot, constants, expr.span);
        self.folded(Num::Let(slot, Box::new(number?), Box::new(body)), expr.span)
    }

    /// `gcd(a, b)` and `lcm(a, b)` of two numbers or more.
    fn divisor_or_multiple(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
    ) -> Option<Num> {
        let at = expr.span;
        let numbers: Vec<_> = arguments
            .iter()
            .map(|argument| self.num(argument))
            .collect();
        let numbers = numbers.into_iter().collect::<Option<Vec<_>>>()?;
        let divisor = |one, other| {
            let divisor = Num::Binary(Arithmetic::Gcd, Box::new(one), Box::new(other));
            Spanned::new(divisor, at)
        };
        let num = match function {
            Function::Gcd => numbers.into_iter().reduce(divisor)?,
            _ => self.lcm(numbers, at)?,
        };
        self.folded(num.node, at)
    }

    /// The least common multiple of some numbers, 0 if one of them is 0.
    fn lcm(&mut self, numbers: Vec<Spanned<Num>>, at: Span) -> Option<Spanned<Num>> {
        let slots: Vec<Slot> = numbers.iter().map(|_| self.fresh_slot()).collect();
        let here = |num| Spanned::new(num, at);
        let bound = |slot, value, body| here(Num::Let(slot, Box::new(value), Box::new(body)));
        let (first, others) = slots.split_first()?;
        let mut multiple = here(Num::Local(*first));
        for other in others {
            let (so_far, product) = (self.fresh_slot(), self.fresh_slot());
            let next = least_common_multiple([so_far, *other, product], at);
            multiple = bound(so_far, multiple, next);
        }
        // Before any product, which may not fit where another number is 0.
        let zero = || here(Num::Const(0));
        let is_zero = |slot: &Slot| {
            let compared = Bool::Compare(Order::Equal, here(Num::Local(*slot)), zero());
            Spanned::new(compared, at)
        };
        let some_zero = Spanned::new(Bool::Or(slots.iter().map(is_zero).collect()), at);
        let all = here(Num::If(
            Box::new(some_zero),
            Box::new(zero()),
            Box::new(multiple),
        ));
        let pairs = slots.iter().zip(numbers).rev();
        Some(pairs.fold(all, |body, (slot, value)| bound(*slot, value, body)))
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
            ) => self.gathered(name, over, Some(value), condition.as_deref(), function),
            ([only], _) => {
                // In `count(x in heaps where …)` the argument itself is the generator.
                if let ExprKind::Compare { first, rest } = &only.node
                    && let ExprKind::Name(name) = &first.node
                    && let [(Comparison::In, over)] = rest.as_slice()
                {
                    let name = Name::new(name.clone(), first.span);
                    let condition = generator.and_then(|g| g.condition.as_deref());
                    return self.gathered(&name, over, None, condition, function);
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

    pub(super) fn gathered(
        &mut self,
        name: &Name,
        over: &Expr,
        value: Option<&Expr>,
        condition: Option<&Expr>,
        function: Function,
    ) -> Option<Spanned<List>> {
        let mark = self.names.mark();
        let (slot, over_set) = self.binder(name, over);
        let condition = condition.map(|c| self.truth(c));
        let value = match value {
            Some(value) => self.num(value),
            None => match self.names.look_up(&name.node, name.span) {
                // Only the number of members of a family is counted.
                Some(Meaning::Member(..)) if function != Function::Count => {
                    self.wrong_arguments(function, name.span)
                }
                _ => Some(Spanned::new(Num::Local(slot), name.span)),
            },
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

    pub(super) fn wrong_arguments<T>(&mut self, function: Function, at: Span) -> Option<T> {
        self.problem(Problem::Arguments {
            function: function.word(),
            wanted: function.arguments().wanted,
            example: function.example(),
            at,
        });
        None
    }
}
