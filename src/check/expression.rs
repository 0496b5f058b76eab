//! From written expressions to expressions with kinds.

use super::names::Meaning;
use super::{CheckProblem, Checker};
use crate::board::symmetry::Symmetries;
use crate::expr::{
    Arithmetic, Bool, Entry, Fault, Fold, Images, Like, List, Num, Order, Part, Scene, Set, Slot,
};
use crate::game::{Around, ParamValue};
use crate::source::Span;
use crate::syntax::ast::{self, Binary, Comparison, Expr, ExprKind, Function, Name};

/// `None` stands for "a fault has been reported": it spreads in silence.
type Checked<T> = Option<T>;

impl Checker<'_> {
    pub fn num(&mut self, expr: &Expr) -> Checked<Num> {
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
            ExprKind::HeapAt(written) => {
                let index = self.num(written)?;
                let heaps = self.all_heaps();
                if let Num::Const(value) = index
                    && !(1..=heaps.len() as i64).contains(&value)
                {
                    if !self.heaps_are_faulty {
                        self.problem(CheckProblem::UnknownName {
                            name: format!("heaps[{value}]"),
                            at: written.span,
                            help: Some(format!("the index goes from 1 to {}", heaps.len())),
                        });
                    }
                    return None;
                }
                Num::HeapAt {
                    heaps,
                    first: 1,
                    index: Box::new(index),
                }
            }
            ExprKind::Indexed { name, index } => return self.indexed(name, index),
            ExprKind::Negate(inner) => Num::Negate(Box::new(self.num(inner)?)),
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
                    Binary::NimSum => Arithmetic::NimSum,
                    Binary::And | Binary::Or | Binary::Implies => {
                        return self.wrong_kind("a number", expr, None);
                    }
                };
                let (left, right) = (self.num(left), self.num(right));
                Num::Binary(operator, Box::new(left?), Box::new(right?))
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.truth(condition);
                let (then, otherwise) = (self.num(then), self.num(otherwise));
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

    /// A number all of whose parts are known is worked out now.
    fn folded(&mut self, num: Num, at: Span) -> Checked<Num> {
        if matches!(num, Num::Const(_)) || !is_constant(Part::Num(&num)) {
            return Some(num);
        }
        match constant_value(&num, self.slots) {
            Ok(value) => Some(Num::Const(value)),
            Err(fault) => {
                self.problem(CheckProblem::NoValue {
                    fault: fault.to_string(),
                    at,
                });
                None
            }
        }
    }

    fn named_number(&mut self, name: &str, at: Span) -> Checked<Num> {
        match self.names.look_up(name) {
            Some(Meaning::Param(ParamValue::Number(value))) => Some(Num::Const(value)),
            Some(Meaning::Heap(heap)) => Some(Num::Heap(heap)),
            Some(Meaning::Number(slot)) => Some(Num::Local(slot)),
            Some(Meaning::OneHeap(pick)) => Some(Num::SizeOf(pick)),
            Some(Meaning::Unknown) => None,
            Some(other) => {
                let help = match &other {
                    Meaning::Group(_, first) => Some(format!(
                        "name one of its heaps, `{name}[{first}]`, or put it into `max`, `sum` …"
                    )),
                    Meaning::SomeHeaps(_) => Some(format!(
                        "it stands for several heaps; say `sum({name})`, `max({name})` …"
                    )),
                    _ => None,
                };
                self.problem(CheckProblem::Kind {
                    wanted: "a number",
                    found: describe(&other).to_owned(),
                    at,
                    help,
                });
                None
            }
            None => {
                self.unknown_name(name, at);
                None
            }
        }
    }

    fn indexed(&mut self, name: &Name, index: &Expr) -> Checked<Num> {
        let meaning = self.names.look_up(&name.node);
        let index_at = index.span;
        let index = self.num(index);
        match meaning {
            Some(Meaning::Group(heaps, first)) => {
                let index = index?;
                if let Num::Const(value) = index {
                    let heap = usize::try_from(value - first)
                        .ok()
                        .and_then(|i| heaps.get(i).copied());
                    if heap.is_none() {
                        self.problem(CheckProblem::UnknownName {
                            name: format!("{}[{value}]", name.node),
                            at: index_at,
                            help: Some(format!(
                                "the index goes from {first} to {}",
                                first + heaps.len() as i64 - 1
                            )),
                        });
                    }
                    return heap.map(Num::Heap);
                }
                Some(Num::HeapAt {
                    heaps,
                    first,
                    index: Box::new(index),
                })
            }
            Some(Meaning::Unknown) => None,
            Some(other) => {
                self.problem(CheckProblem::Kind {
                    wanted: "a group of heaps, such as `pile[1..4]`,",
                    found: describe(&other).to_owned(),
                    at: name.span,
                    help: None,
                });
                None
            }
            None => {
                self.unknown_name(&name.node, name.span);
                None
            }
        }
    }

    fn call_number(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Checked<Num> {
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
                if let Num::Const(b) = base
                    && b < 2
                {
                    self.problem(CheckProblem::NoValue {
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

    /// What `max`, `sum` … are applied to: numbers, one list, or a generator.
    fn list_of_arguments(
        &mut self,
        expr: &Expr,
        function: Function,
        arguments: &[Expr],
        generator: Option<&ast::Generator>,
    ) -> Checked<List> {
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
                // `count(x in heaps where …)`: the argument says what is gathered.
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
                    return Some(List::Items(vec![self.num(only)?]));
                }
                self.list(only)
            }
            (several, _) => {
                let items: Vec<_> = several.iter().map(|item| self.num(item)).collect();
                Some(List::Items(items.into_iter().collect::<Option<_>>()?))
            }
        }
    }

    fn gathered(
        &mut self,
        name: &Name,
        over: &Expr,
        value: Option<&Expr>,
        condition: Option<&Expr>,
    ) -> Checked<List> {
        let over_set = self.finite_set(over);
        let mark = self.names.mark();
        let slot = self.bind_number(name);
        let condition = condition.map(|c| self.truth(c));
        let value = match value {
            Some(value) => self.num(value),
            None => {
                self.names.look_up(&name.node);
                Some(Num::Local(slot))
            }
        };
        self.close_scope(mark);
        let condition = match condition {
            Some(condition) => Some(Box::new(condition?)),
            None => None,
        };
        Some(List::Gathered {
            slot,
            over: Box::new(over_set?),
            value: Box::new(value?),
            condition,
        })
    }

    /// Is this meant as a single number? Decided by its form, so that the
    /// right kind of fault is reported when it is wrong.
    fn is_number(&self, expr: &Expr) -> bool {
        match &expr.node {
            ExprKind::Name(name) => matches!(
                self.names.peek(name),
                None | Some(
                    Meaning::Param(ParamValue::Number(_))
                        | Meaning::Heap(_)
                        | Meaning::Number(_)
                        | Meaning::OneHeap(_)
                        | Meaning::Unknown
                )
            ),
            ExprKind::Heaps
            | ExprKind::Each
            | ExprKind::Braces(_)
            | ExprKind::Range { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_) => false,
            ExprKind::Call { function, .. } => {
                !matches!(function, Function::Sorted | Function::Distinct)
            }
            _ => true,
        }
    }

    pub fn truth(&mut self, expr: &Expr) -> Checked<Bool> {
        match &expr.node {
            ExprKind::Truth(value) => Some(Bool::Const(*value)),
            ExprKind::Not(inner) => Some(Bool::Not(Box::new(self.truth(inner)?))),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let pair = match operator {
                    Binary::And | Binary::Or | Binary::Implies => {
                        (self.truth(left), self.truth(right))
                    }
                    _ => return self.wrong_kind("a condition", expr, None),
                };
                let (left, right) = (pair.0?, pair.1?);
                Some(match operator {
                    Binary::And => flat_and(left, right),
                    Binary::Or => flat_or(left, right),
                    _ => Bool::Or(vec![Bool::Not(Box::new(left)), right]),
                })
            }
            ExprKind::Compare { first, rest } => self.comparison(first, rest),
            ExprKind::Is {
                left,
                negated,
                right,
            } => {
                let ExprKind::Name(left_name) = &left.node else {
                    return self.wrong_kind("the name of a selected heap", left, None);
                };
                let left = self.pick(&Name::new(left_name.clone(), left.span));
                let right = self.pick(right);
                let same = Bool::Same(left?, right?);
                Some(if *negated {
                    Bool::Not(Box::new(same))
                } else {
                    same
                })
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.truth(condition);
                let (then, otherwise) = (self.truth(then), self.truth(otherwise));
                Some(Bool::If(
                    Box::new(condition?),
                    Box::new(then?),
                    Box::new(otherwise?),
                ))
            }
            ExprKind::Let { name, value, body } => {
                let value = self.num(value);
                let mark = self.names.mark();
                let slot = self.bind_number(name);
                let body = self.truth(body);
                self.close_scope(mark);
                Some(Bool::Let(slot, value?, Box::new(body?)))
            }
            ExprKind::Quantified {
                quantifier,
                binders,
                body,
            } => {
                let mark = self.names.mark();
                let mut bound = Vec::new();
                for (name, set) in binders {
                    let set = self.finite_set(set);
                    bound.push((self.bind_number(name), set));
                }
                let mut body = self.truth(body);
                self.close_scope(mark);
                for (slot, set) in bound.into_iter().rev() {
                    body = Some(Bool::Quantified {
                        quantifier: *quantifier,
                        slot,
                        set: set?,
                        body: Box::new(body?),
                    });
                }
                body
            }
            ExprKind::Call {
                function: Function::Distinct,
                arguments,
                generator,
            } => {
                let list = self.list_of_arguments(
                    expr,
                    Function::Distinct,
                    arguments,
                    generator.as_ref(),
                )?;
                Some(Bool::Distinct(list))
            }
            ExprKind::Like { form, condition } => self.like(expr.span, form, condition.as_deref()),
            ExprKind::Name(name) if matches!(self.names.peek(name), Some(Meaning::Unknown)) => None,
            ExprKind::Name(name) if self.names.peek(name).is_none() => {
                self.unknown_name(name, expr.span);
                None
            }
            _ => self.wrong_kind(
                "a condition",
                expr,
                Some("compare it with something, as in `… == 0`".to_owned()),
            ),
        }
    }

    fn comparison(&mut self, first: &Expr, rest: &[(Comparison, Expr)]) -> Checked<Bool> {
        // `each` in a comparison speaks of the number taken from every heap.
        let outer = (self.each, self.each_used);
        let slot = self.fresh_slot();
        (self.each, self.each_used) = (Some(slot), false);
        let compared = self.compared(first, rest);
        let used = self.each_used;
        (self.each, self.each_used) = outer;
        let condition = compared?;
        Some(if used {
            Bool::Each(slot, Box::new(condition))
        } else {
            condition
        })
    }

    fn compared(&mut self, first: &Expr, rest: &[(Comparison, Expr)]) -> Checked<Bool> {
        let mut left = self.num(first);
        let mut all = Vec::new();
        for (comparison, right) in rest {
            if *comparison == Comparison::In {
                let set = self.set(right);
                all.push(left.clone().and_then(|l| Some(Bool::In(l, set?))));
                left = None;
                continue;
            }
            let right = self.num(right);
            all.push(match (&left, &right) {
                (Some(l), Some(r)) => {
                    let (l, r) = (l.clone(), r.clone());
                    Some(match comparison {
                        Comparison::Equal => Bool::Compare(Order::Equal, l, r),
                        Comparison::NotEqual => Bool::Compare(Order::NotEqual, l, r),
                        Comparison::Less => Bool::Compare(Order::Less, l, r),
                        Comparison::AtMost => Bool::Compare(Order::AtMost, l, r),
                        Comparison::Greater => Bool::Compare(Order::Less, r, l),
                        Comparison::AtLeast | Comparison::In => Bool::Compare(Order::AtMost, r, l),
                    })
                }
                _ => None,
            });
            left = right;
        }
        let mut all: Vec<Bool> = all.into_iter().collect::<Option<_>>()?;
        Some(if all.len() == 1 {
            all.remove(0)
        } else {
            Bool::And(all)
        })
    }

    fn pick(&mut self, name: &Name) -> Checked<crate::expr::Pick> {
        match self.names.look_up(&name.node) {
            Some(Meaning::OneHeap(pick) | Meaning::SomeHeaps(pick)) => Some(pick),
            Some(Meaning::Unknown) => None,
            Some(other) => {
                self.problem(CheckProblem::Kind {
                    wanted: "the name of a selected heap",
                    found: describe(&other).to_owned(),
                    at: name.span,
                    help: Some(
                        "give the selection a name with `as`: `from one heap as p`".to_owned(),
                    ),
                });
                None
            }
            None => {
                self.unknown_name(&name.node, name.span);
                None
            }
        }
    }

    pub fn list(&mut self, expr: &Expr) -> Checked<List> {
        match &expr.node {
            ExprKind::Heaps => Some(List::Heaps(self.all_heaps())),
            ExprKind::Each => {
                self.amounts_are_known("each", expr.span)?;
                Some(List::Amounts)
            }
            ExprKind::Name(name) => match self.names.look_up(name) {
                Some(Meaning::Group(heaps, _)) => Some(List::Heaps(heaps)),
                Some(Meaning::SomeHeaps(pick) | Meaning::OneHeap(pick)) => Some(List::Picked(pick)),
                Some(Meaning::Param(
                    value @ (ParamValue::Numbers(_) | ParamValue::Endless(..)),
                )) => {
                    let set = value.as_set();
                    if set.is_endless() {
                        self.endless(expr.span);
                        return None;
                    }
                    Some(List::Members(Box::new(set)))
                }
                Some(Meaning::Unknown) => None,
                Some(other) => {
                    self.problem(CheckProblem::Kind {
                        wanted: "a list of numbers",
                        found: describe(&other).to_owned(),
                        at: expr.span,
                        help: None,
                    });
                    None
                }
                None => {
                    self.unknown_name(name, expr.span);
                    None
                }
            },
            ExprKind::Braces(items) => {
                let items: Vec<_> = items.iter().map(|item| self.num(item)).collect();
                Some(List::Items(items.into_iter().collect::<Option<_>>()?))
            }
            ExprKind::Range { .. } | ExprKind::Squares | ExprKind::Powers(_) => {
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

    pub fn set(&mut self, expr: &Expr) -> Checked<Set> {
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
            ExprKind::Squares => Some(Set::Squares),
            ExprKind::Powers(base_expr) => {
                let base = self.num(base_expr)?;
                if let Num::Const(value) = base
                    && value < 2
                {
                    self.problem(CheckProblem::NoValue {
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
                        ParamValue::Numbers(_) | ParamValue::Endless(..)
                    ))
                ) =>
            {
                match self.names.look_up(name) {
                    Some(Meaning::Param(value)) => Some(value.as_set()),
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

    /// A set that can be looked through to its end.
    pub fn finite_set(&mut self, expr: &Expr) -> Checked<Set> {
        let set = self.set(expr)?;
        if set.is_endless() {
            self.endless(expr.span);
            return None;
        }
        Some(set)
    }

    fn endless(&mut self, at: Span) {
        self.problem(CheckProblem::Endless {
            mend: "give it an end, for example `0..max(heaps)`",
            at,
        });
    }

    fn like(&mut self, at: Span, form: &[Expr], condition: Option<&Expr>) -> Checked<Bool> {
        let heaps = self.heap_names.len();
        for entry in form {
            names_in(entry, &mut |name, _| self.form_names.push(name.to_owned()));
        }
        if self.heaps_are_faulty {
            return None;
        }
        let images = match self.shrinking {
            Some(Around::Circle) => Images::Circle,
            Some(Around::Row) => Images::Row,
            None => Images::Symmetries,
        };
        let too_long = form.len() > heaps;
        if too_long || (self.shrinking.is_none() && form.len() != heaps) {
            self.problem(CheckProblem::FormLength {
                entries: form.len(),
                heaps,
                mend: if self.shrinking.is_some() {
                    "a form speaks of the heaps that are left, at most all of them"
                } else {
                    "give one entry for each heap; only where an empty heap vanishes may a form be shorter"
                },
                at,
            });
            return None;
        }
        let mark = self.names.mark();
        let mut entries: Vec<Option<Entry>> = vec![None; form.len()];
        let mut order = Vec::new();
        let mut faulty = false;
        // Names that stand alone are bound first; a name seen twice is compared.
        for (place, entry) in form.iter().enumerate() {
            if let ExprKind::Name(name) = &entry.node
                && self.is_fresh_in_form(name, mark)
            {
                let slot = self.bind_form_name(name, entry.span);
                entries[place] = Some(Entry::Bind(slot));
                order.push(place);
            }
        }
        // Then, again and again, entries with no unknown name or with one.
        loop {
            let mut progress = false;
            for (place, entry) in form.iter().enumerate() {
                if entries[place].is_some() {
                    continue;
                }
                let mut unknown = Vec::new();
                names_in(entry, &mut |name, span| {
                    if self.is_fresh_in_form(name, mark) && !unknown.iter().any(|(n, _)| n == name)
                    {
                        unknown.push((name.to_owned(), span));
                    }
                });
                let slot = match unknown.as_slice() {
                    [] => None,
                    [(name, span)] => Some(self.bind_form_name(name, *span)),
                    _ => continue,
                };
                progress = true;
                let Some(value) = self.num(entry) else {
                    faulty = true;
                    entries[place] = Some(Entry::Equals(Num::Const(0)));
                    continue;
                };
                entries[place] = Some(match slot {
                    None => Entry::Equals(value),
                    Some(slot) => match coefficient(&value, slot) {
                        Some(c) if c != 0 => Entry::Solve {
                            slot,
                            coefficient: c,
                            value,
                        },
                        _ => {
                            faulty = true;
                            self.problem(CheckProblem::Unsolved {
                                name: unknown.remove(0).0,
                                at: entry.span,
                            });
                            Entry::Equals(value)
                        }
                    },
                });
                order.push(place);
                // A solved name may settle entries that come before this one.
                break;
            }
            if !progress {
                break;
            }
        }
        for (place, entry) in form.iter().enumerate() {
            if entries[place].is_none() {
                let mut first = None;
                names_in(entry, &mut |name, _| {
                    if self.is_fresh_in_form(name, mark) {
                        first.get_or_insert(name.to_owned());
                    }
                });
                faulty = true;
                self.problem(CheckProblem::Unsolved {
                    name: first.unwrap_or_default(),
                    at: entry.span,
                });
                // The other entries may be settled by what mends this one.
                break;
            }
        }
        let condition = if faulty {
            None
        } else {
            condition.map(|c| self.truth(c))
        };
        // Names of a form are often there for the reader alone.
        let _ = self.names.close(mark);
        if faulty {
            return None;
        }
        let condition = match condition {
            Some(condition) => Some(condition?),
            None => None,
        };
        Some(Bool::Like(Box::new(Like {
            entries: entries.into_iter().collect::<Option<_>>()?,
            order,
            condition,
            images,
        })))
    }

    /// In a form a name is the form's own unless it is a parameter or was
    /// bound by a quantifier, a `let` or this form already: a heap's name
    /// means nothing there, since the form speaks of images.
    fn is_fresh_in_form(&self, name: &str, _mark: usize) -> bool {
        matches!(
            self.names.peek(name),
            None | Some(Meaning::Heap(_) | Meaning::Group(..) | Meaning::Family(_))
        )
    }

    fn bind_form_name(&mut self, name: &str, span: Span) -> Slot {
        let slot = self.fresh_slot();
        self.names
            .bind(&Name::new(name.to_owned(), span), Meaning::Number(slot));
        slot
    }

    /// Binds a fresh name for a number; a name that is taken is reported and
    /// bound nevertheless.
    pub fn bind_number(&mut self, name: &Name) -> Slot {
        self.not_taken(name);
        let slot = self.fresh_slot();
        self.names.bind(name, Meaning::Number(slot));
        slot
    }

    /// The value of an expression that may use numbers and parameters only.
    pub fn constant(&mut self, expr: &Expr) -> Checked<i64> {
        match self.num(expr)? {
            Num::Const(value) => Some(value),
            _ => {
                self.problem(CheckProblem::NotConstant { at: expr.span });
                None
            }
        }
    }

    /// The truth of a condition that may use numbers and parameters only.
    pub fn constant_truth(&mut self, expr: &Expr) -> Checked<bool> {
        let condition = self.truth(expr)?;
        if !is_constant(Part::Bool(&condition)) {
            self.problem(CheckProblem::NotConstant { at: expr.span });
            return None;
        }
        let symmetries = Symmetries::trivial(0);
        let mut locals = vec![0; self.slots];
        let mut scene = empty_scene(&mut locals, &symmetries);
        match condition.eval(&mut scene) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.problem(CheckProblem::NoValue {
                    fault: fault.to_string(),
                    at: expr.span,
                });
                None
            }
        }
    }

    fn amounts_are_known(&mut self, word: &'static str, at: Span) -> Checked<()> {
        if self.amounts_known {
            return Some(());
        }
        self.problem(CheckProblem::NoAmount { word, at });
        None
    }

    fn wrong_arguments<T>(&mut self, function: Function, at: Span) -> Checked<T> {
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
        self.problem(CheckProblem::Arguments {
            function: function.word(),
            wanted,
            example,
            at,
        });
        None
    }

    fn wrong_kind<T>(
        &mut self,
        wanted: &'static str,
        expr: &Expr,
        help: Option<String>,
    ) -> Checked<T> {
        let found = match &expr.node {
            ExprKind::Number(_)
            | ExprKind::Negate(_)
            | ExprKind::Total
            | ExprKind::HeapAt(_)
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
            | ExprKind::Quantified { .. }
            | ExprKind::Like { .. } => "a condition",
            ExprKind::Heaps | ExprKind::Each => "a list of numbers",
            ExprKind::Squares
            | ExprKind::Powers(_)
            | ExprKind::Braces(_)
            | ExprKind::Range { .. } => "a set of numbers",
            ExprKind::Name(name) => match self.names.peek(name) {
                Some(meaning) => describe(meaning),
                None => "a name that is not known",
            },
            ExprKind::Call {
                function: Function::Distinct,
                ..
            } => "a condition",
            ExprKind::Call {
                function: Function::Sorted,
                ..
            } => "a list of numbers",
            ExprKind::Call { .. } => "a number",
            ExprKind::If { .. } | ExprKind::Let { .. } => "something else",
        };
        let help = help.or_else(|| {
            let mend = match (wanted, found) {
                ("a number", "a set of numbers") => {
                    "to ask whether a number is in a set, write `in`"
                }
                ("a number", "a list of numbers") => {
                    "make one number of it with `sum`, `max` …, or ask each with `forall x in …`"
                }
                _ => return None,
            };
            Some(mend.to_owned())
        });
        self.problem(CheckProblem::Kind {
            wanted,
            found: found.to_owned(),
            at: expr.span,
            help,
        });
        None
    }
}

/// What a name is, in the words of an error.
pub fn describe(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::Param(ParamValue::Number(_)) | Meaning::Number(_) => "a number",
        Meaning::Param(_) => "a set of numbers",
        Meaning::Heap(_) | Meaning::OneHeap(_) => "a heap",
        Meaning::Group(..) => "a group of heaps",
        Meaning::Family(_) => "a family of selections",
        Meaning::SomeHeaps(_) => "several heaps",
        Meaning::Unknown => "something that has a fault itself",
    }
}

fn flat_and(left: Bool, right: Bool) -> Bool {
    match left {
        Bool::And(mut all) => {
            all.push(right);
            Bool::And(all)
        }
        left => Bool::And(vec![left, right]),
    }
}

fn flat_or(left: Bool, right: Bool) -> Bool {
    match left {
        Bool::Or(mut any) => {
            any.push(right);
            Bool::Or(any)
        }
        left => Bool::Or(vec![left, right]),
    }
}

/// Does the value depend on nothing but itself? Names bound inside of it
/// count as its own.
fn is_constant(part: Part<'_>) -> bool {
    fn free(part: Part<'_>, bound: &mut Vec<Slot>) -> bool {
        match part {
            Part::Num(Num::Local(slot)) => return !bound.contains(slot),
            Part::Num(Num::Heap(_) | Num::HeapAt { .. } | Num::SizeOf(_) | Num::Total)
            | Part::List(List::Heaps(_) | List::Picked(_) | List::Amounts)
            | Part::Bool(Bool::Like(_) | Bool::Same(..) | Bool::Each(..)) => return true,
            Part::Num(Num::Let(slot, ..))
            | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
            | Part::List(List::Gathered { slot, .. }) => bound.push(*slot),
            _ => {}
        }
        part.children().into_iter().any(|child| free(child, bound))
    }
    !free(part, &mut Vec::new())
}

fn empty_scene<'s>(locals: &'s mut [i64], symmetries: &'s Symmetries) -> Scene<'s> {
    Scene {
        position: &[],
        locals,
        picks: &[],
        amounts: &[],
        symmetries,
    }
}

fn constant_value(num: &Num, slots: usize) -> Result<i64, Fault> {
    let symmetries = Symmetries::trivial(0);
    num.eval(&mut empty_scene(&mut vec![0; slots], &symmetries))
}

/// The members of a set that depends on nothing, ascending and without repeats.
pub fn constant_members(set: &Set, slots: usize) -> Result<Vec<i64>, Fault> {
    let symmetries = Symmetries::trivial(0);
    let mut locals = vec![0; slots];
    let mut members = Vec::new();
    set.any_member(
        &mut empty_scene(&mut locals, &symmetries),
        &mut |member, _| {
            members.push(member);
            Ok(false)
        },
    )?;
    members.sort_unstable();
    members.dedup();
    Ok(members)
}

/// Is `value` in a set that depends on nothing?
pub fn constant_contains(set: &Set, value: i64, slots: usize) -> Result<bool, Fault> {
    let symmetries = Symmetries::trivial(0);
    set.contains(value, &mut empty_scene(&mut vec![0; slots], &symmetries))
}

/// Does the set depend on nothing?
pub fn set_is_constant(set: &Set) -> bool {
    is_constant(Part::Set(set))
}

/// The number that `slot` is multiplied by, where `num` is linear in it.
fn coefficient(num: &Num, slot: Slot) -> Option<i64> {
    match num {
        Num::Local(s) if *s == slot => Some(1),
        Num::Negate(inner) => coefficient(inner, slot)?.checked_neg(),
        Num::Binary(Arithmetic::Add, left, right) => {
            coefficient(left, slot)?.checked_add(coefficient(right, slot)?)
        }
        Num::Binary(Arithmetic::Subtract, left, right) => {
            coefficient(left, slot)?.checked_sub(coefficient(right, slot)?)
        }
        Num::Binary(Arithmetic::Multiply, factor, inner)
        | Num::Binary(Arithmetic::Multiply, inner, factor)
            if matches!(factor.as_ref(), Num::Const(_)) =>
        {
            let Num::Const(factor) = factor.as_ref() else {
                return None;
            };
            coefficient(inner, slot)?.checked_mul(*factor)
        }
        other if Part::Num(other).reads_local(slot) => None,
        _ => Some(0),
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
        ExprKind::Indexed { index, .. } => names_in(index, found),
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
        ExprKind::Braces(items) => items.iter().for_each(|item| names_in(item, found)),
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
