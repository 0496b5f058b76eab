//! What an expression is worth, read straight off the tree: plain `i128`
//! arithmetic, sets as sets, names in a list. Nothing is prepared, and nothing
//! is shared with the library but the tree.

use nimrule_syntax::ast::{
    Binary, Comparison, Expr, ExprKind, Function, Generator, Name, Quantifier,
};
use std::collections::BTreeMap;

/// Why there is no value: a division by zero, an index without a heap.
pub type Fault = String;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(i128),
    Truth(bool),
    /// A list, or a finite set.
    Many(Vec<i128>),
    Endless(Endless),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Endless {
    From(i128),
    Squares,
    Powers(i128),
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    Value(Value),
    /// The heaps that a step selected.
    Heaps(Vec<usize>),
}

/// What names mean in the whole file.
#[derive(Debug, Default)]
pub struct Names {
    pub params: BTreeMap<String, Value>,
    pub heaps: BTreeMap<String, usize>,
    /// `pile[1..p]`: the first index, and the heaps.
    pub groups: BTreeMap<String, (i128, Vec<usize>)>,
    /// The coordinates of the vertices that tokens stand on: first value, and
    /// how many there are.
    pub coordinates: Vec<(String, i128, i128)>,
}

/// What an expression sees.
#[derive(Clone)]
pub struct View<'a> {
    pub names: &'a Names,
    /// The sizes of the heaps as the step begins.
    pub position: &'a [u64],
    /// What is bound inside of the move, the innermost last.
    pub bound: Vec<(String, Bound)>,
    /// The numbers taken in this step, heap by heap.
    pub amounts: Option<Vec<u64>>,
    /// What `each` stands for in the comparison at hand.
    pub each: Option<i128>,
    /// In a bag an empty heap is gone.
    pub bag: bool,
}

impl<'a> View<'a> {
    pub fn new(names: &'a Names, position: &'a [u64]) -> View<'a> {
        View {
            names,
            position,
            bound: Vec::new(),
            amounts: None,
            each: None,
            bag: false,
        }
    }

    pub fn with(&self, name: &str, bound: Bound) -> View<'a> {
        let mut view = self.clone();
        view.bound.push((name.to_owned(), bound));
        view
    }

    pub fn look_up(&self, name: &str) -> Option<&Bound> {
        let found = self.bound.iter().rev().find(|(n, _)| n == name)?;
        Some(&found.1)
    }

    /// Does the name stand for anything here?
    pub fn knows(&self, name: &str) -> bool {
        self.look_up(name).is_some()
            || self.names.params.contains_key(name)
            || self.names.heaps.contains_key(name)
            || self.names.groups.contains_key(name)
    }

    fn size(&self, heap: usize) -> i128 {
        i128::from(self.position[heap])
    }

    fn sizes(&self, heaps: &[usize]) -> Vec<i128> {
        heaps.iter().map(|heap| self.size(*heap)).collect()
    }

    pub fn number(&self, expr: &Expr) -> Result<i128, Fault> {
        match self.value(expr)? {
            Value::Number(value) => Ok(value),
            other => Err(format!("{other:?} is no number")),
        }
    }

    pub fn truth(&self, expr: &Expr) -> Result<bool, Fault> {
        match self.value(expr)? {
            Value::Truth(value) => Ok(value),
            other => Err(format!("{other:?} is no condition")),
        }
    }

    pub fn holds(&self, condition: Option<&Expr>) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |condition| self.truth(condition))
    }

    /// A number stands for the set of it alone.
    pub fn set(&self, expr: &Expr) -> Result<Value, Fault> {
        match self.value(expr)? {
            Value::Number(value) => Ok(Value::Many(vec![value])),
            Value::Truth(_) => Err("a condition is no set".to_owned()),
            set => Ok(set),
        }
    }

    fn finite(&self, expr: &Expr) -> Result<Vec<i128>, Fault> {
        match self.value(expr)? {
            Value::Number(value) => Ok(vec![value]),
            Value::Many(values) => Ok(values),
            other => Err(format!("{other:?} has no end")),
        }
    }

    pub fn value(&self, expr: &Expr) -> Result<Value, Fault> {
        Ok(match &expr.node {
            ExprKind::Field { name, field } => {
                let Value::Number(mut rest) = self.named(&name.node)? else {
                    return Err("several tokens have no coordinate".to_owned());
                };
                if self.names.coordinates.len() == 1 {
                    return Ok(Value::Number(rest));
                }
                for (known, first, count) in self.names.coordinates.iter().rev() {
                    let value = first + rest % count;
                    if *known == field.node {
                        return Ok(Value::Number(value));
                    }
                    rest /= count;
                }
                return Err(format!("there is no coordinate `{}`", field.node));
            }
            ExprKind::Number(value) => Value::Number(i128::from(*value)),
            ExprKind::Truth(value) => Value::Truth(*value),
            ExprKind::Name(name) => return self.named(name),
            ExprKind::Heaps => {
                let sizes = self.position.iter().map(|size| i128::from(*size));
                Value::Many(sizes.filter(|size| *size > 0 || !self.bag).collect())
            }
            ExprKind::Total => {
                let amounts = self.amounts.as_ref().ok_or("no amounts here")?;
                Value::Number(amounts.iter().map(|amount| i128::from(*amount)).sum())
            }
            ExprKind::Each => match self.each {
                Some(value) => Value::Number(value),
                None => {
                    let amounts = self.amounts.as_ref().ok_or("no amounts here")?;
                    Value::Many(amounts.iter().map(|amount| i128::from(*amount)).collect())
                }
            },
            ExprKind::Squares => Value::Endless(Endless::Squares),
            ExprKind::Powers(base) => match self.number(base)? {
                base if base < 2 => return Err("a base below 2".to_owned()),
                base => Value::Endless(Endless::Powers(base)),
            },
            ExprKind::HeapAt(index) => {
                let heap = self.heap_at(self.number(index)?)?;
                Value::Number(self.size(heap))
            }
            ExprKind::Indexed { name, index } => {
                let heap = self.heap_of_group(name, self.number(index)?)?;
                Value::Number(self.size(heap))
            }
            ExprKind::Braces(items) => {
                let items: Result<Vec<i128>, Fault> =
                    items.iter().map(|item| self.number(item)).collect();
                Value::Many(items?)
            }
            ExprKind::Range { low, high } => {
                let low = self.number(low)?;
                match high {
                    Some(high) => Value::Many((low..=self.number(high)?).collect()),
                    None => Value::Endless(Endless::From(low)),
                }
            }
            ExprKind::Negate(inner) => Value::Number(-self.number(inner)?),
            ExprKind::Not(inner) => Value::Truth(!self.truth(inner)?),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => return self.binary(*operator, left, right),
            ExprKind::Compare { first, rest } => Value::Truth(self.comparison(first, rest)?),
            ExprKind::Is {
                left,
                negated,
                right,
            } => {
                let ExprKind::Name(left) = &left.node else {
                    return Err("`is` compares names".to_owned());
                };
                let same = self.selected(left)? == self.selected(&right.node)?;
                Value::Truth(same != *negated)
            }
            ExprKind::Call {
                function,
                arguments,
                generator,
            } => return self.call(*function, arguments, generator.as_ref()),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                return if self.truth(condition)? {
                    self.value(then)
                } else {
                    self.value(otherwise)
                };
            }
            ExprKind::Let { name, value, body } => {
                let value = Bound::Value(Value::Number(self.number(value)?));
                return self.with(&name.node, value).value(body);
            }
            ExprKind::Quantified {
                quantifier,
                binders,
                body,
            } => Value::Truth(self.quantified(*quantifier, binders, body)?),
            ExprKind::Like { .. } => {
                return Err("forms are for claims; this reads moves".to_owned());
            }
        })
    }

    fn named(&self, name: &str) -> Result<Value, Fault> {
        match self.look_up(name) {
            Some(Bound::Value(value)) => return Ok(value.clone()),
            Some(Bound::Heaps(heaps)) => {
                return Ok(match heaps.as_slice() {
                    [heap] => Value::Number(self.size(*heap)),
                    heaps => Value::Many(self.sizes(heaps)),
                });
            }
            None => {}
        }
        if let Some(value) = self.names.params.get(name) {
            return Ok(value.clone());
        }
        if let Some(heap) = self.names.heaps.get(name) {
            return Ok(Value::Number(self.size(*heap)));
        }
        if let Some((_, heaps)) = self.names.groups.get(name) {
            return Ok(Value::Many(self.sizes(heaps)));
        }
        Err(format!("unknown name `{name}`"))
    }

    /// The heaps that a bound name stands for.
    pub fn selected(&self, name: &str) -> Result<Vec<usize>, Fault> {
        match self.look_up(name) {
            Some(Bound::Heaps(heaps)) => Ok(heaps.clone()),
            _ => Err(format!("`{name}` was not selected")),
        }
    }

    pub fn heap_at(&self, index: i128) -> Result<usize, Fault> {
        usize::try_from(index - 1)
            .ok()
            .filter(|heap| *heap < self.position.len())
            .ok_or_else(|| format!("there is no heap {index}"))
    }

    pub fn heap_of_group(&self, name: &Name, index: i128) -> Result<usize, Fault> {
        let (first, heaps) = self
            .names
            .groups
            .get(&name.node)
            .ok_or_else(|| format!("`{}` is no group", name.node))?;
        usize::try_from(index - first)
            .ok()
            .and_then(|place| heaps.get(place).copied())
            .ok_or_else(|| format!("there is no {}[{index}]", name.node))
    }

    fn binary(&self, operator: Binary, left: &Expr, right: &Expr) -> Result<Value, Fault> {
        match operator {
            Binary::And => {
                return Ok(Value::Truth(self.truth(left)? && self.truth(right)?));
            }
            Binary::Or => {
                return Ok(Value::Truth(self.truth(left)? || self.truth(right)?));
            }
            Binary::Implies => {
                return Ok(Value::Truth(!self.truth(left)? || self.truth(right)?));
            }
            _ => {}
        }
        let (left, right) = (self.number(left)?, self.number(right)?);
        let value = match operator {
            Binary::Add => left + right,
            Binary::Subtract => left - right,
            Binary::Multiply => left * right,
            Binary::Divide | Binary::Modulo if right == 0 => {
                return Err("a division by zero".to_owned());
            }
            Binary::Modulo if right < 0 => return Err("a negative modulus".to_owned()),
            // Towards minus infinity, so that the remainder is never negative.
            Binary::Divide => {
                let remainder = left.rem_euclid(right.abs());
                let down = (left - remainder) / right.abs();
                if right > 0 {
                    down
                } else if remainder == 0 {
                    -down
                } else {
                    -down - 1
                }
            }
            Binary::Modulo => left.rem_euclid(right),
            Binary::NimSum if left < 0 || right < 0 => {
                return Err("a nim-sum of a negative number".to_owned());
            }
            Binary::NimSum => left ^ right,
            Binary::And | Binary::Or | Binary::Implies => unreachable!("conditions are above"),
        };
        Ok(Value::Number(value))
    }

    /// With `each` in it a comparison holds if it holds for the number taken
    /// from every heap of the selection.
    fn comparison(&self, first: &Expr, rest: &[(Comparison, Expr)]) -> Result<bool, Fault> {
        let speaks_of_each = names_each(first)
            || rest.iter().any(|(comparison, right)| {
                let is_list = *comparison == Comparison::In && right.node == ExprKind::Each;
                !is_list && names_each(right)
            });
        if !speaks_of_each || self.each.is_some() {
            return self.chain(first, rest);
        }
        for amount in self.amounts.as_ref().ok_or("no amounts here")? {
            let mut view = self.clone();
            view.each = Some(i128::from(*amount));
            if !view.chain(first, rest)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn chain(&self, first: &Expr, rest: &[(Comparison, Expr)]) -> Result<bool, Fault> {
        let mut left = self.number(first)?;
        for (comparison, right) in rest {
            if *comparison == Comparison::In {
                let mut view = self.clone();
                if right.node == ExprKind::Each {
                    view.each = None;
                }
                if !contains(&view.set(right)?, left) {
                    return Ok(false);
                }
                continue;
            }
            let right = self.number(right)?;
            let holds = match comparison {
                Comparison::Equal => left == right,
                Comparison::NotEqual => left != right,
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                Comparison::AtLeast => left >= right,
                Comparison::In => unreachable!("sets are above"),
            };
            if !holds {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    fn quantified(
        &self,
        quantifier: Quantifier,
        binders: &[(Name, Expr)],
        body: &Expr,
    ) -> Result<bool, Fault> {
        let Some(((name, set), rest)) = binders.split_first() else {
            return self.truth(body);
        };
        for value in self.finite(set)? {
            let view = self.with(&name.node, Bound::Value(Value::Number(value)));
            let holds = view.quantified(quantifier, rest, body)?;
            match quantifier {
                Quantifier::Exists if holds => return Ok(true),
                Quantifier::Forall if !holds => return Ok(false),
                _ => {}
            }
        }
        Ok(quantifier == Quantifier::Forall)
    }

    fn call(
        &self,
        function: Function,
        arguments: &[Expr],
        generator: Option<&Generator>,
    ) -> Result<Value, Fault> {
        match (function, arguments) {
            (Function::Carryless, [base, list, ..]) => {
                let base = self.number(base)?;
                let modulus = arguments
                    .get(2)
                    .map_or(Ok(base), |modulus| self.number(modulus))?;
                return carryless(base, &self.finite(list)?, modulus).map(Value::Number);
            }
            (Function::Digit, [base, index, value]) => {
                let (base, index) = (self.number(base)?, self.number(index)?);
                let value = self.number(value)?;
                if base < 2 || index < 0 || value < 0 {
                    return Err("no such digit".to_owned());
                }
                let shifted = (0..index).fold(value, |value, _| value / base);
                return Ok(Value::Number(shifted % base));
            }
            (Function::Isqrt, [value]) => {
                let value = self.number(value)?;
                if value < 0 {
                    return Err("the root of a negative number".to_owned());
                }
                let root = (0..).take_while(|root| root * root <= value).last();
                return Ok(Value::Number(root.unwrap_or(0)));
            }
            _ => {}
        }
        let list = self.gathered(arguments, generator)?;
        Ok(match function {
            Function::Max => Value::Number(*list.iter().max().ok_or("the largest of nothing")?),
            Function::Min => Value::Number(*list.iter().min().ok_or("the smallest of nothing")?),
            Function::Sum => Value::Number(list.iter().sum()),
            Function::Xor if list.iter().any(|value| *value < 0) => {
                return Err("a nim-sum of a negative number".to_owned());
            }
            Function::Xor => Value::Number(list.iter().fold(0, |sum, value| sum ^ value)),
            Function::Count => Value::Number(list.len() as i128),
            Function::Sorted => {
                let mut list = list;
                list.sort_unstable();
                Value::Many(list)
            }
            Function::Distinct => {
                Value::Truth((0..list.len()).all(|place| !list[..place].contains(&list[place])))
            }
            Function::Carryless | Function::Digit | Function::Isqrt => {
                return Err("the wrong number of arguments".to_owned());
            }
        })
    }

    /// The numbers that a function is applied to.
    fn gathered(
        &self,
        arguments: &[Expr],
        generator: Option<&Generator>,
    ) -> Result<Vec<i128>, Fault> {
        let [only] = arguments else {
            return arguments.iter().map(|item| self.number(item)).collect();
        };
        let condition = generator.and_then(|generator| generator.condition.as_deref());
        let binder = generator.and_then(|generator| generator.binder.as_ref());
        let (name, over, value) = match (binder, &only.node) {
            (Some((name, over)), _) => (name.node.clone(), over.as_ref(), Some(only)),
            (None, ExprKind::Compare { first, rest }) => match (&first.node, rest.as_slice()) {
                (ExprKind::Name(name), [(Comparison::In, over)]) => (name.clone(), over, None),
                _ => return Err("a condition is no list".to_owned()),
            },
            (None, _) => {
                let mut view = self.clone();
                if only.node == ExprKind::Each {
                    view.each = None;
                }
                return view.finite(only);
            }
        };
        let mut gathered = Vec::new();
        for member in self.finite(over)? {
            let view = self.with(&name, Bound::Value(Value::Number(member)));
            if view.holds(condition)? {
                gathered.push(value.map_or(Ok(member), |value| view.number(value))?);
            }
        }
        Ok(gathered)
    }
}

/// Does the expression speak of `each` as a number, outside of comparisons of
/// its own?
fn names_each(expr: &Expr) -> bool {
    match &expr.node {
        ExprKind::Each => true,
        ExprKind::Negate(inner) | ExprKind::HeapAt(inner) | ExprKind::Powers(inner) => {
            names_each(inner)
        }
        ExprKind::Indexed { index, .. } => names_each(index),
        ExprKind::Braces(items) => items.iter().any(names_each),
        ExprKind::Range { low, high } => names_each(low) || high.as_deref().is_some_and(names_each),
        ExprKind::Binary { left, right, .. } => names_each(left) || names_each(right),
        ExprKind::If {
            then, otherwise, ..
        } => names_each(then) || names_each(otherwise),
        ExprKind::Let { value, body, .. } => names_each(value) || names_each(body),
        ExprKind::Call { arguments, .. } => match arguments.as_slice() {
            [only] if only.node == ExprKind::Each => false,
            several => several.iter().any(names_each),
        },
        _ => false,
    }
}

fn carryless(base: i128, values: &[i128], modulus: i128) -> Result<i128, Fault> {
    if base < 2 || modulus < 1 || values.iter().any(|value| *value < 0) {
        return Err("no such digits".to_owned());
    }
    let mut rest = values.to_vec();
    let (mut place, mut result) = (1, 0);
    while rest.iter().any(|value| *value > 0) {
        let column: i128 = rest.iter().map(|value| value % base).sum();
        result += column % modulus * place;
        place *= base;
        rest.iter_mut().for_each(|value| *value /= base);
    }
    Ok(result)
}

pub fn contains(set: &Value, value: i128) -> bool {
    match set {
        Value::Number(number) => *number == value,
        Value::Truth(_) => false,
        Value::Many(values) => values.contains(&value),
        Value::Endless(Endless::From(low)) => value >= *low,
        Value::Endless(_) => members_to(set, value).contains(&value),
    }
}

/// The members of a set up to `most`; all of them where it has an end.
pub fn members_to(set: &Value, most: i128) -> Vec<i128> {
    match set {
        Value::Number(number) => vec![*number],
        Value::Truth(_) => Vec::new(),
        Value::Many(values) => values.clone(),
        Value::Endless(Endless::From(low)) => (*low..=most).collect(),
        Value::Endless(Endless::Squares) => (0..)
            .map(|root: i128| root * root)
            .take_while(|square| *square <= most)
            .collect(),
        Value::Endless(Endless::Powers(base)) => {
            std::iter::successors(Some(1), |power| Some(power * base))
                .take_while(|power| *power <= most)
                .collect()
        }
    }
}
