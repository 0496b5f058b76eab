//! The values of expressions: chapter "Expressions" of the reference.

use crate::Fault;
use nimrule_board::Arrangement;
use nimrule_model::expr::eval::MAX_MEMBERS;
use nimrule_model::expr::{
    Arithmetic, Bool, Builtin, Entry, Expr, Fault as Kind, Fold, HeapId, Images, Like, List,
    NamedSet, Num, Order, Pick, Quantifier, Set, Slot, operands,
};
use nimrule_model::game::Game;
use nimrule_model::source::Span;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The environment in which an expression is evaluated.
#[derive(Debug, Clone)]
pub struct Environment<'g> {
    /// The game that the expression is part of.
    pub game: &'g Game,
    /// The size of each heap, or the number of the vertex each token is on.
    pub sizes: Vec<u64>,
    /// The kind of each heap of a multiset; empty elsewhere.
    pub kinds: Vec<usize>,
    /// The values of bound names.
    pub numbers: BTreeMap<Slot, i64>,
    /// The heaps that the steps so far have selected.
    pub selected: BTreeMap<Pick, Vec<HeapId>>,
    /// The amounts that the current step takes from the heaps it has selected.
    pub taken: Vec<u64>,
}

impl<'g> Environment<'g> {
    /// The environment of a position, without bound names or selected heaps.
    pub fn new(game: &'g Game, position: &[u64]) -> Environment<'g> {
        let (sizes, kinds) = game.sizes_and_kinds(position);
        Environment {
            game,
            sizes: sizes.into_owned(),
            kinds,
            numbers: BTreeMap::new(),
            selected: BTreeMap::new(),
            taken: Vec::new(),
        }
    }

    /// The environment with a number bound to a name.
    pub fn with(&self, slot: Slot, value: i64) -> Environment<'g> {
        let mut inner = self.clone();
        inner.numbers.insert(slot, value);
        inner
    }

    /// The size of a heap.
    pub fn size(&self, heap: HeapId) -> i64 {
        // INVARIANT: a heap has at most i64::MAX tokens.
        self.sizes[heap.index()] as i64
    }

    /// The heap with an index, counted from `first`.
    ///
    /// # Errors
    ///
    /// If the index has a fault, or if no heap has it.
    pub fn heap_at(
        &self,
        heaps: &[HeapId],
        first: i64,
        index: &Expr<Num>,
    ) -> Result<HeapId, Fault> {
        let place = i128::from(self.number(index)?) - i128::from(first);
        let heap = usize::try_from(place).ok().and_then(|at| heaps.get(at));
        heap.copied().ok_or(fault(Kind::NoSuchHeap, index.span))
    }

    /// The value of a number.
    ///
    /// # Errors
    ///
    /// If the expression has no value.
    pub fn number(&self, num: &Expr<Num>) -> Result<i64, Fault> {
        let at = num.span;
        match &num.node {
            Num::Const(value) => Ok(*value),
            Num::Heap(heap) => Ok(self.size(*heap)),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => Ok(self.size(self.heap_at(heaps, *first, index)?)),
            Num::Local(slot) => Ok(self.numbers[slot]),
            Num::SizeOf(pick) => Ok(self.size(self.selected[pick][0])),
            Num::IndexOf(pick) => Ok(self.selected[pick][0].index() as i64 + 1),
            Num::Total => sum(self.taken.iter().map(|number| *number as i64), at),
            Num::Negate(inner) => checked(-i128::from(self.number(inner)?), at),
            Num::Binary(operator, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                arithmetic(*operator, left, right, at)
            }
            Num::If(condition, then, otherwise) => {
                if self.holds(condition)? {
                    self.number(then)
                } else {
                    self.number(otherwise)
                }
            }
            Num::Let(slot, value, body) => self.with(*slot, self.number(value)?).number(body),
            Num::Fold(fold, list) => {
                let values = self.list(list)?;
                match fold {
                    Fold::Count => Ok(values.len() as i64),
                    Fold::Sum => sum(values.into_iter(), at),
                    Fold::Max | Fold::Min => {
                        let found = match fold {
                            Fold::Max => values.iter().max(),
                            _ => values.iter().min(),
                        };
                        match (found, &list.node) {
                            (Some(value), _) => Ok(*value),
                            (None, List::Multiset(_)) => Ok(0),
                            (None, _) => Err(fault(Kind::EmptyFold, at)),
                        }
                    }
                }
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let base = self.number(base)?;
                let modulus = self.number(modulus)?;
                carryless(base, &self.list(list)?, modulus, at)
            }
            Num::Components(region) => self.components(region),
            Num::Apply(Builtin::Digit, arguments) => {
                let [base, index, value] = operands(arguments);
                let base = self.number(base)?;
                let index = self.number(index)?;
                let value = self.number(value)?;
                if base < 2 {
                    return Err(fault(Kind::BadBase, at));
                }
                if index < 0 || value < 0 {
                    return Err(fault(Kind::OutsideDomain(Builtin::Digit), at));
                }
                // There are fewer than 64 digits in any base.
                let rest = (0..index.min(64)).fold(value, |rest, _| rest / base);
                Ok(rest % base)
            }
            Num::Apply(function @ Builtin::Valuation, arguments) => {
                let [base, value] = operands(arguments);
                let (base, value) = (self.number(base)?, self.number(value)?);
                match (base, value) {
                    (..2, _) => Err(fault(Kind::BadBase, at)),
                    (_, ..1) => Err(fault(Kind::OutsideDomain(*function), at)),
                    // The powers of the base that divide the number, from the first on.
                    _ => {
                        let divides =
                            |k: &u32| base.checked_pow(*k).is_some_and(|power| value % power == 0);
                        Ok((1..64).take_while(divides).count() as i64)
                    }
                }
            }
            Num::Apply(function @ Builtin::Binomial, arguments) => {
                let [of, size] = operands(arguments);
                match (self.number(of)?, self.number(size)?) {
                    (of, size) if of < 0 || size < 0 => {
                        Err(fault(Kind::OutsideDomain(*function), at))
                    }
                    (of, size) if size > of => Ok(0),
                    (of, size) => {
                        binomial(of, size.min(of - size)).ok_or(fault(Kind::Overflow, at))
                    }
                }
            }
            Num::Apply(function @ Builtin::NimProduct, arguments) => {
                let [one, other] = operands(arguments);
                match (
                    u64::try_from(self.number(one)?),
                    u64::try_from(self.number(other)?),
                ) {
                    (Ok(one), Ok(other)) => i64::try_from(nim_product(one, other))
                        .map_err(|_| fault(Kind::Overflow, at)),
                    _ => Err(fault(Kind::OutsideDomain(*function), at)),
                }
            }
            Num::Apply(Builtin::Beatty, arguments) => {
                let [number, p, q, d, r] = operands(arguments);
                let numbers = [number, p, q, d, r].map(|num| self.number(num));
                let [number, p, q, d, r] = numbers;
                beatty(number?, [p?, q?, d?, r?]).ok_or(fault(Kind::Overflow, at))
            }
            Num::Apply(function @ Builtin::Isqrt, arguments) => {
                let [inner] = operands(arguments);
                match u64::try_from(self.number(inner)?) {
                    Ok(value) => Ok(value.isqrt() as i64),
                    Err(_) => Err(fault(Kind::OutsideDomain(*function), at)),
                }
            }
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    ///
    /// If the condition has no truth value.
    pub fn holds(&self, condition: &Expr<Bool>) -> Result<bool, Fault> {
        match &condition.node {
            Bool::Const(value) => Ok(*value),
            Bool::Compare(order, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                Ok(match order {
                    Order::Equal => left == right,
                    Order::NotEqual => left != right,
                    Order::Less => left < right,
                    Order::AtMost => left <= right,
                })
            }
            Bool::In(num, set) => self.is_member(self.number(num)?, set),
            Bool::And(all) => {
                for part in all {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Or(any) => {
                for part in any {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Bool::Not(inner) => Ok(!self.holds(inner)?),
            Bool::If(condition, then, otherwise) => {
                if self.holds(condition)? {
                    self.holds(then)
                } else {
                    self.holds(otherwise)
                }
            }
            Bool::Let(slot, value, body) => self.with(*slot, self.number(value)?).holds(body),
            // Short-circuit evaluation in the order of the members.
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let wanted = *quantifier == Quantifier::Exists;
                for member in self.members(set)? {
                    if self.with(*slot, member).holds(body)? == wanted {
                        return Ok(wanted);
                    }
                }
                Ok(!wanted)
            }
            Bool::Each(slot, body) => {
                for number in &self.taken {
                    if !self.with(*slot, *number as i64).holds(body)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Distinct(list) => {
                let values = self.list(list)?;
                let different: BTreeSet<&i64> = values.iter().collect();
                Ok(different.len() == values.len())
            }
            Bool::Same(left, right) => Ok(self.selected[left] == self.selected[right]),
            Bool::Like(like) => self.has_form(like),
            Bool::Joined(joined) => self.joined(joined),
        }
    }

    /// The members of a list.
    ///
    /// # Errors
    ///
    /// If an expression of the list has no value.
    pub fn list(&self, list: &Expr<List>) -> Result<Vec<i64>, Fault> {
        match &list.node {
            List::Heaps(heaps) => Ok(heaps.iter().map(|heap| self.size(*heap)).collect()),
            List::Multiset(kind) => Ok((0..self.sizes.len())
                .filter(|place| self.sizes[*place] > 0)
                .filter(|place| kind.has(self.kinds.get(*place).copied()))
                .map(|place| self.sizes[place] as i64)
                .collect()),
            List::Items(items) => items.iter().map(|item| self.number(item)).collect(),
            List::Sorted(inner) => {
                let mut values = self.list(inner)?;
                values.sort_unstable();
                Ok(values)
            }
            List::Picked(pick) => {
                let heaps = self.selected[pick].iter();
                Ok(heaps.map(|heap| self.size(*heap)).collect())
            }
            List::Amounts => Ok(self.taken.iter().map(|number| *number as i64).collect()),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut values = Vec::new();
                for member in self.members(over)? {
                    let inner = self.with(*slot, member);
                    let keep = match condition {
                        Some(condition) => inner.holds(condition)?,
                        None => true,
                    };
                    if keep {
                        values.push(inner.number(value)?);
                    }
                }
                Ok(values)
            }
            List::Members(set) => self.members(set),
            List::At { lists, index } => {
                let place = i128::from(self.number(index)?) - 1;
                let heaps = usize::try_from(place).ok().and_then(|at| lists.get(at));
                let heaps = heaps.ok_or(fault(Kind::NoSuchHeap, index.span))?;
                Ok(heaps.iter().map(|heap| self.size(*heap)).collect())
            }
        }
    }

    /// Whether a number is a member of a set: `x in {a, b}` means
    /// `x == a or x == b`, and `x in a..b` means `a <= x and x <= b`.
    ///
    /// # Errors
    ///
    /// If an expression of the set has no value.
    fn is_member(&self, value: i64, set: &Expr<Set>) -> Result<bool, Fault> {
        match &set.node {
            Set::Range(low, high) => {
                if self.number(low)? > value {
                    return Ok(false);
                }
                match high {
                    Some(high) => Ok(value <= self.number(high)?),
                    None => Ok(true),
                }
            }
            Set::Items(items) => {
                for item in items {
                    if self.number(item)? == value {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Named(NamedSet::Squares) => Ok(u64::try_from(value).is_ok_and(|value| {
                let root = value.isqrt();
                root * root == value
            })),
            Set::Named(NamedSet::Primes) => Ok(is_prime(value)),
            Set::Named(_) | Set::Powers(_) | Set::List(_) => {
                Ok(self.members_to(set, value)?.contains(&value))
            }
        }
    }

    /// The members of a finite set, in their order.
    ///
    /// # Errors
    ///
    /// If an expression of the set has no value, or if the set is infinite or
    /// too large.
    pub fn members(&self, set: &Expr<Set>) -> Result<Vec<i64>, Fault> {
        match &set.node {
            Set::Range(_, None) | Set::Named(_) | Set::Powers(_) => {
                Err(fault(Kind::InfiniteSet, set.span))
            }
            Set::Range(..) | Set::Items(_) | Set::List(_) => self.members_to(set, i64::MAX),
        }
    }

    /// The members of a set that are at most `most`, in their order.
    ///
    /// # Errors
    ///
    /// If an expression of the set has no value, or if there are too many
    /// members.
    pub fn members_to(&self, set: &Expr<Set>, most: i64) -> Result<Vec<i64>, Fault> {
        let up_to_most = |values: Vec<i64>| values.into_iter().filter(|v| *v <= most).collect();
        match &set.node {
            Set::Range(low, high) => {
                let low = self.number(low)?;
                let high = match high {
                    Some(high) => self.number(high)?,
                    None => most,
                };
                let high = high.min(most);
                if i128::from(high) - i128::from(low) >= i128::from(MAX_MEMBERS) {
                    return Err(fault(Kind::TooManyMembers, set.span));
                }
                Ok((low..=high).collect())
            }
            Set::Items(items) => {
                let values: Result<Vec<i64>, Fault> =
                    items.iter().map(|item| self.number(item)).collect();
                values.map(up_to_most)
            }
            Set::Named(named) => Ok(named_to(*named, most)),
            Set::Powers(base) => {
                let base = self.number(base)?;
                if base < 2 {
                    return Err(fault(Kind::BadBase, set.span));
                }
                let powers = std::iter::successors(Some(1_i64), |power| power.checked_mul(base));
                Ok(powers.take_while(|power| *power <= most).collect())
            }
            Set::List(list) => self.list(list).map(up_to_most),
        }
    }

    /// Whether some image of the position matches a form.
    fn has_form(&self, like: &Like) -> Result<bool, Fault> {
        for image in self.compared_images(like.images) {
            if image.len() == like.entries.len() && self.matches(like, &image)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The images of the position that a form is compared with.
    fn compared_images(&self, kind: Images) -> BTreeSet<Vec<u64>> {
        match kind {
            Images::Symmetries => images(&self.sizes, &self.game.facts.symmetries.generators()),
            Images::Multiset(kinds) => {
                let left: Vec<u64> = (0..self.sizes.len())
                    .filter(|place| kinds.has(self.kinds.get(*place).copied()))
                    .map(|place| self.sizes[place])
                    .filter(|size| *size > 0)
                    .collect();
                // Transpositions of neighbours generate all permutations.
                images(&left, &transpositions(left.len()))
            }
            Images::Remaining(board) => {
                let (on_board, off_board): (Vec<usize>, Vec<usize>) =
                    (0..self.sizes.len()).partition(|place| board.places().contains(place));
                let sizes = |places: Vec<usize>| -> Vec<u64> {
                    places.into_iter().map(|place| self.sizes[place]).collect()
                };
                let mut left = sizes(on_board);
                left.retain(|size| *size > 0);
                let off_board = sizes(off_board);
                let generators = match board.arrangement {
                    Arrangement::Circle => vec![rotation(left.len()), reflection(left.len())],
                    Arrangement::Row => vec![reflection(left.len())],
                };
                let images = images(&left, &generators).into_iter();
                images
                    .map(|image| [image, off_board.clone()].concat())
                    .collect()
            }
        }
    }

    /// Whether the entries of an image match a form.
    fn matches(&self, like: &Like, image: &[u64]) -> Result<bool, Fault> {
        let mut inner = self.clone();
        for place in &like.order {
            let size = image[*place] as i64;
            match &like.entries[*place] {
                Entry::Bind(slot) => {
                    inner.numbers.insert(*slot, size);
                }
                Entry::Equals(value) => {
                    if inner.number(value)? != size {
                        return Ok(false);
                    }
                }
                Entry::Solve {
                    slot,
                    coefficient,
                    value,
                } => {
                    let rest = inner.with(*slot, 0).number(value)?;
                    let rest = arithmetic(Arithmetic::Subtract, size, rest, value.span)?;
                    if rest % coefficient != 0 {
                        return Ok(false);
                    }
                    inner.numbers.insert(*slot, rest / coefficient);
                }
            }
        }
        match &like.condition {
            Some(condition) => inner.holds(condition),
            None => Ok(true),
        }
    }
}

/// The orbit of a list of sizes under the group that some permutations generate.
/// Place `i` of an image under `permutation` holds what place `permutation[i]`
/// held.
pub fn images(sizes: &[u64], permutations: &[Vec<usize>]) -> BTreeSet<Vec<u64>> {
    let mut found = BTreeSet::from([sizes.to_vec()]);
    let mut new = vec![sizes.to_vec()];
    while let Some(image) = new.pop() {
        for permutation in permutations {
            let next: Vec<u64> = permutation.iter().map(|from| image[*from]).collect();
            if found.insert(next.clone()) {
                new.push(next);
            }
        }
    }
    found
}

fn rotation(places: usize) -> Vec<usize> {
    (0..places).map(|place| (place + 1) % places).collect()
}

fn reflection(places: usize) -> Vec<usize> {
    (0..places).rev().collect()
}

fn transpositions(places: usize) -> Vec<Vec<usize>> {
    let swap = |place| {
        let mut swapped: Vec<usize> = (0..places).collect();
        swapped.swap(place - 1, place);
        swapped
    };
    (1..places).map(swap).collect()
}

fn fault(kind: Kind, at: Span) -> Fault {
    Fault { kind, at }
}

/// The number, or an overflow if 64 bits cannot hold it.
fn checked(value: i128, at: Span) -> Result<i64, Fault> {
    i64::try_from(value).map_err(|_| fault(Kind::Overflow, at))
}

fn sum(values: impl Iterator<Item = i64>, at: Span) -> Result<i64, Fault> {
    checked(values.map(i128::from).sum(), at)
}

fn arithmetic(operator: Arithmetic, left: i64, right: i64, at: Span) -> Result<i64, Fault> {
    let (a, b) = (i128::from(left), i128::from(right));
    match operator {
        Arithmetic::Add => checked(a + b, at),
        Arithmetic::Subtract => checked(a - b, at),
        Arithmetic::Multiply => checked(a * b, at),
        Arithmetic::Divide | Arithmetic::Modulo if b == 0 => Err(fault(Kind::DivisionByZero, at)),
        Arithmetic::Modulo if b < 0 => Err(fault(Kind::BadModulus, at)),
        Arithmetic::Modulo => checked(a.rem_euclid(b), at),
        // Rounded down: a == quotient * b + rest with the rest of b's sign.
        Arithmetic::Divide => {
            let rest = ((a % b) + b) % b;
            checked((a - rest) / b, at)
        }
        // Euclid: the divisors of `a` and `b` are those of `b` and of the rest.
        Arithmetic::Gcd => {
            let (mut a, mut b) = (a.abs(), b.abs());
            while b > 0 {
                (a, b) = (b, a % b);
            }
            checked(a, at)
        }
        Arithmetic::Power if b < 0 => Err(fault(Kind::NegativeExponent, at)),
        Arithmetic::Power => match a {
            // The powers of these do not grow with the exponent.
            0 | 1 => Ok(if b == 0 { 1 } else { left }),
            -1 => Ok(if b % 2 == 0 { 1 } else { -1 }),
            _ => (0..b).try_fold(1, |power, _| checked(i128::from(power) * a, at)),
        },
    }
}

/// The sum without carry: at each place the digits in base `base` are added
/// modulo `modulus`, and the results are the digits of the value.
fn carryless(base: i64, values: &[i64], modulus: i64, at: Span) -> Result<i64, Fault> {
    if base < 2 {
        return Err(fault(Kind::BadBase, at));
    }
    if modulus < 1 {
        return Err(fault(Kind::BadModulus, at));
    }
    if values.iter().any(|value| *value < 0) {
        return Err(fault(Kind::NegativeDigits, at));
    }
    let (base, modulus) = (i128::from(base), i128::from(modulus));
    let mut columns: Vec<i128> = Vec::new();
    let mut rest: Vec<i128> = values.iter().map(|value| i128::from(*value)).collect();
    while rest.iter().any(|value| *value > 0) {
        let digits: i128 = rest.iter().map(|value| value % base).sum();
        columns.push(digits % modulus);
        rest.iter_mut().for_each(|value| *value /= base);
    }
    // Horner's rule: an overflow of 64 bits is detected long before one of 128.
    columns.iter().rev().try_fold(0, |all, column| {
        checked(i128::from(all) * base + column, at)
    })
}

/// Whether a number has no divisor but 1 and itself, and is not 1.
fn is_prime(value: i64) -> bool {
    let divisors = (2..).take_while(|divisor| *divisor <= value / *divisor);
    value > 1 && !divisors.into_iter().any(|divisor| value % divisor == 0)
}

/// The members of a set by its name that are at most `most`, ascending.
fn named_to(named: NamedSet, most: i64) -> Vec<i64> {
    let up_to = |members: &mut dyn Iterator<Item = i64>| {
        members.take_while(|member| *member <= most).collect()
    };
    match named {
        NamedSet::Squares => up_to(&mut (0_i64..).map_while(|root| root.checked_mul(root))),
        NamedSet::Primes => (2..=most).filter(|value| is_prime(*value)).collect(),
        NamedSet::Fibonacci => {
            let mut members = vec![1, 2];
            while let [.., one, other] = members[..]
                && one <= most - other
            {
                members.push(one + other);
            }
            up_to(&mut members.into_iter())
        }
        NamedSet::Factorials => {
            let mut product = Some(1_i64);
            up_to(&mut (1_i64..).map_while(|count| {
                product = product?.checked_mul(count);
                product
            }))
        }
    }
}

/// The binomial coefficient, as the product of the largest factors of `of!` after every factor
/// of `size!` is cancelled, for a size of at most half the set; `None` if it does not fit 64
/// bits.
fn binomial(of: i64, size: i64) -> Option<i64> {
    // With 34 members of at least twice as many, the coefficient exceeds 64 bits.
    let size = Some(size).filter(|size| *size < 34)?;
    let mut factors: Vec<i64> = (0..size).map(|i| of - i).collect();
    for mut divisor in 2..=size {
        for factor in &mut factors {
            let common = (1..=divisor)
                .rev()
                .find(|common| *factor % common == 0 && divisor % common == 0)
                .unwrap_or(1);
            *factor /= common;
            divisor /= common;
        }
    }
    factors.into_iter().try_fold(1, i64::checked_mul)
}

/// `n*(p + q*√d)/r`, rounded down: the largest number v with `r*v - n*p <= n*q*√d`, where the
/// squares of both sides are compared if their signs do not decide; `None` if it does not fit
/// 64 bits.
fn beatty(n: i64, [p, q, d, r]: [i64; 4]) -> Option<i64> {
    let squared = |number: BigInt| {
        BigInt::from_biguint(number.sign(), number.magnitude() * number.magnitude())
    };
    let right = squared(BigInt::from(n) * q) * d;
    let is_at_most = |v: i128| {
        let left = BigInt::from(v) * r - BigInt::from(n) * p;
        squared(left) <= right
    };
    // The first number of these that is too large.
    let (mut low, mut high) = (i128::from(i64::MIN) - 1, i128::from(i64::MAX) + 2);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match is_at_most(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    i64::try_from(low).ok()
}

/// The nim-product as a sum over the powers of 2 of both numbers, each pair of which is
/// multiplied by Conway's rules for Fermat powers: different ones multiply as numbers, and the
/// square of `F` is `3F/2`.
fn nim_product(one: u64, other: u64) -> u64 {
    let bits = |number: u64| (0..64).filter(move |bit| number >> bit & 1 == 1);
    bits(one)
        .flat_map(|i| bits(other).map(move |j| power_product(i, j)))
        .fold(0, |all, term| all ^ term)
}

/// The nim-product of `2^i` and `2^j`, for exponents below 64.
fn power_product(i: u32, j: u32) -> u64 {
    // 2^i is the product of the Fermat powers 2^(2^k) for the bits k of i.
    let both = i & j;
    let Some(k) = (0..6).rev().find(|k| both >> k & 1 == 1) else {
        return 1 << (i | j);
    };
    let without = power_product(i ^ (1 << k), j ^ (1 << k));
    // F * F = F ^ F/2, for F = 2^(2^k).
    let fermat = 1_u64 << (1 << k);
    nim_product(without, fermat) ^ nim_product(without, fermat / 2)
}
