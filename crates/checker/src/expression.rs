//! Expressions as clauses.
//!
//! An expression is read along a *path*: the comparisons that hold so far. A
//! number is one weighted sum on each of several paths (the maximum of two
//! numbers is each of them, where it is the larger one), and a condition is
//! the list of paths on which it holds, or does not hold. Paths follow the
//! order of evaluation, so that a fault is noted with all the guards that
//! stand before it.

use crate::Unsupported;
use crate::atom::{Atom, Linear, Place, Variable};
use crate::selection::left_of;
use nimrule_model::expr::{
    Arithmetic, Bool, Entry, Expr, Fold, HeapId, Images, Like, List, Num, Order, Pick, Quantifier,
    Set, Slot,
};
use nimrule_model::game::{Around, Game};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

pub type Read<T> = Result<T, Unsupported>;

/// More paths of one expression, or members of one set, are not followed.
const MOST: usize = 4096;

/// What holds, and what names stand for, at some point of a turn.
#[derive(Debug, Clone)]
pub struct Path {
    pub atoms: Vec<Atom>,
    /// How many existential variables there are.
    pub some: usize,
    /// What the heaps hold.
    pub heaps: Vec<Linear>,
    pub locals: BTreeMap<Slot, Linear>,
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    /// What this step takes, heap by heap.
    pub amounts: Vec<Linear>,
}

pub fn unsupported<T>(what: &str, span: Span) -> Read<T> {
    Err(Unsupported::new(what, span))
}

fn large(span: Span) -> Unsupported {
    Unsupported::new("numbers this large", span)
}

impl Path {
    /// Nothing is known of the position, and nothing has been chosen.
    pub fn new(heaps: usize) -> Path {
        let heap = |heap| Linear::variable(Variable::Before(heap));
        Path {
            atoms: Vec::new(),
            some: 0,
            heaps: (0..heaps).map(heap).collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
        }
    }

    /// A natural number of which nothing else is known.
    pub fn fresh(&mut self) -> Linear {
        self.some += 1;
        Linear::variable(Variable::Some(self.some - 1))
    }

    /// The path where the comparison holds too; `None` where it is seen at
    /// once that it cannot.
    pub fn assume(mut self, atom: Atom) -> Option<Path> {
        match atom.settled() {
            Some(true) => return Some(self),
            Some(false) => return None,
            None => {}
        }
        let bounds = |atom: &Atom| match atom {
            Atom::AtMost(sum) => vec![sum.clone()],
            Atom::Zero(sum) => [1, -1]
                .iter()
                .filter_map(|f| Linear::default().plus(*f, sum))
                .collect(),
            _ => Vec::new(),
        };
        // Two bounds whose sum is a positive constant contradict each other.
        let contradict = |one: &Linear, other: &Linear| {
            one.plus(1, other)
                .and_then(|sum| sum.value())
                .is_some_and(|value| value > 0)
        };
        let own = bounds(&atom);
        let others = self.atoms.iter().flat_map(&bounds);
        for other in others {
            if own.iter().any(|own| contradict(own, &other)) {
                return None;
            }
        }
        if !self.atoms.contains(&atom) {
            self.atoms.push(atom);
        }
        Some(self)
    }

    /// The path where the comparison holds, or does not hold.
    pub fn compare(
        self,
        left: &Linear,
        order: Order,
        right: &Linear,
        holds: bool,
        span: Span,
    ) -> Read<Option<Path>> {
        let apart = |one: &Linear, other: &Linear, more: i64| {
            let apart = one
                .plus(-1, other)
                .and_then(|s| s.plus(more, &Linear::constant(1)));
            apart.ok_or_else(|| large(span))
        };
        let atom = match (order, holds) {
            (Order::Equal, true) | (Order::NotEqual, false) => Atom::Zero(apart(left, right, 0)?),
            (Order::Equal, false) | (Order::NotEqual, true) => {
                Atom::NonZero(vec![apart(left, right, 0)?])
            }
            (Order::AtMost, true) => Atom::AtMost(apart(left, right, 0)?),
            (Order::AtMost, false) => Atom::AtMost(apart(right, left, 1)?),
            (Order::Less, true) => Atom::AtMost(apart(left, right, 1)?),
            (Order::Less, false) => Atom::AtMost(apart(right, left, 0)?),
        };
        Ok(self.assume(atom))
    }

    /// The sizes of some heaps.
    pub fn sizes(&self, heaps: &[HeapId]) -> Vec<Linear> {
        heaps
            .iter()
            .map(|h| self.heaps[h.index()].clone())
            .collect()
    }
}

/// Reads expressions of one game.
pub struct Reader<'g> {
    pub game: &'g Game,
    /// Where an expression has no value.
    pub faults: Vec<Path>,
}

impl Reader<'_> {
    /// Notes a fault on a path, if there is one.
    pub fn fault(&mut self, path: Option<Path>) {
        self.faults.extend(path);
    }

    fn few<T>(all: Vec<T>, span: Span) -> Read<Vec<T>> {
        if all.len() > MOST {
            return unsupported("so many cases", span);
        }
        Ok(all)
    }

    /// The values of a number, each with the path on which it has it.
    pub fn number(&mut self, path: Path, num: &Expr<Num>) -> Read<Vec<(Path, Linear)>> {
        let span = num.span;
        let one = |path: Path, sum: Linear| Ok(vec![(path, sum)]);
        let scaled = |sum: &Linear, factor| {
            Linear::default()
                .plus(factor, sum)
                .ok_or_else(|| large(span))
        };
        match &num.node {
            Num::Const(value) => {
                let sum = scaled(&Linear::constant(1), *value)?;
                one(path, sum)
            }
            Num::Heap(heap) => {
                let size = path.heaps[heap.index()].clone();
                one(path, size)
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let found = self.heaps_at(path, heaps, *first, index)?;
                let size = |(path, heap): (Path, HeapId)| {
                    let size = path.heaps[heap.index()].clone();
                    (path, size)
                };
                Ok(found.into_iter().map(size).collect())
            }
            Num::Local(slot) => match path.locals.get(slot).cloned() {
                Some(value) => one(path, value),
                None => unsupported("a name that may stand for nothing", span),
            },
            Num::SizeOf(pick) => match path.picks.get(pick).map(Vec::as_slice) {
                Some([heap]) => {
                    let size = path.heaps[heap.index()].clone();
                    one(path, size)
                }
                _ => unsupported("the size of a name that may stand for no heap", span),
            },
            Num::Total => {
                let total = sum(&path.amounts, span)?;
                one(path, total)
            }
            Num::Negate(inner) => {
                let values = self.number(path, inner)?.into_iter();
                values
                    .map(|(path, value)| Ok((path, scaled(&value, -1)?)))
                    .collect()
            }
            Num::Binary(operator, left, right) => {
                let mut found = Vec::new();
                for (path, left) in self.number(path, left)? {
                    for (path, right) in self.number(path, right)? {
                        found.extend(self.binary(path, *operator, &left, &right, span)?);
                    }
                }
                Self::few(found, span)
            }
            Num::If(condition, then, otherwise) => {
                let mut found = Vec::new();
                for (holds, num) in [(true, then), (false, otherwise)] {
                    for path in self.condition(path.clone(), condition, holds)? {
                        found.extend(self.number(path, num)?);
                    }
                }
                Self::few(found, span)
            }
            Num::Let(slot, value, body) => {
                let mut found = Vec::new();
                for (mut path, value) in self.number(path, value)? {
                    path.locals.insert(*slot, value);
                    found.extend(self.number(path, body)?);
                }
                Ok(found)
            }
            Num::Fold(fold, list) => {
                let mut found = Vec::new();
                for (path, list) in self.list(path, list)? {
                    found.extend(self.fold(path, *fold, &list, span)?);
                }
                Self::few(found, span)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let mut found = Vec::new();
                for (path, base) in self.number(path, base)? {
                    for (path, modulus) in self.number(path, modulus)? {
                        let (Some(base), Some(modulus)) = (base.value(), modulus.value()) else {
                            return unsupported("a base that depends on the position", span);
                        };
                        for (path, list) in self.list(path, list)? {
                            if base < 2 || modulus < 1 {
                                self.fault(Some(path));
                            } else {
                                found.extend(self.columns(path, base, &list, modulus, span)?);
                            }
                        }
                    }
                }
                Ok(found)
            }
            Num::Digit { base, index, value } => {
                let mut found = Vec::new();
                for (path, base) in self.number(path, base)? {
                    for (path, index) in self.number(path, index)? {
                        let (Some(base), Some(index)) = (base.value(), index.value()) else {
                            return unsupported(
                                "a digit whose place depends on the position",
                                span,
                            );
                        };
                        for (path, value) in self.number(path, value)? {
                            if base < 2 || index < 0 {
                                self.fault(Some(path));
                                continue;
                            }
                            let power = u32::try_from(index).ok().and_then(|i| base.checked_pow(i));
                            let power = power.map(Linear::constant).ok_or_else(|| large(span))?;
                            let base = Linear::constant(base);
                            if let Some(path) = self.natural(path, &value, span)? {
                                for (path, value) in self.divided(path, &value, &power, span)? {
                                    found.extend(self.remainder(path, &value, &base, span)?);
                                }
                            }
                        }
                    }
                }
                Self::few(found, span)
            }
            Num::Isqrt(_) => unsupported("`isqrt`", span),
        }
    }

    /// The heap with an index, on the paths on which that is which.
    pub fn heaps_at(
        &mut self,
        path: Path,
        heaps: &[HeapId],
        first: i64,
        index: &Expr<Num>,
    ) -> Read<Vec<(Path, HeapId)>> {
        let mut found = Vec::new();
        for (path, index_value) in self.number(path, index)? {
            let first = Linear::constant(first);
            let compare = |path: &Path, order, place: &Linear| {
                path.clone()
                    .compare(&index_value, order, place, true, index.span)
            };
            let place = |number: usize| {
                first
                    .plus(number as i64, &Linear::constant(1))
                    .ok_or_else(|| large(index.span))
            };
            let end = place(heaps.len())?;
            let below = compare(&path, Order::Less, &first)?;
            let above = path
                .clone()
                .compare(&index_value, Order::Less, &end, false, index.span)?;
            self.fault(below);
            self.fault(above);
            for (number, heap) in heaps.iter().enumerate() {
                let here = compare(&path, Order::Equal, &place(number)?)?;
                found.extend(here.map(|path| (path, *heap)));
            }
        }
        Ok(found)
    }

    fn binary(
        &mut self,
        path: Path,
        operator: Arithmetic,
        left: &Linear,
        right: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let sum = match (operator, left.value(), right.value()) {
            (Arithmetic::Add, ..) => left.plus(1, right),
            (Arithmetic::Subtract, ..) => left.plus(-1, right),
            (Arithmetic::Multiply, Some(factor), _) => Linear::default().plus(factor, right),
            (Arithmetic::Multiply, _, Some(factor)) => Linear::default().plus(factor, left),
            (Arithmetic::Multiply, ..) => {
                return unsupported("a product of numbers that depend on the position", span);
            }
            (Arithmetic::Divide, ..) => return self.divided(path, left, right, span),
            (Arithmetic::Modulo, ..) => return self.remainder(path, left, right, span),
            (Arithmetic::NimSum, ..) => {
                return self.columns(path, 2, &[left.clone(), right.clone()], 2, span);
            }
        };
        Ok(vec![(path, sum.ok_or_else(|| large(span))?)])
    }

    /// The quotient, rounded down.
    fn divided(
        &mut self,
        path: Path,
        value: &Linear,
        by: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let Some(by) = by.value() else {
            return unsupported("a division by a number that depends on the position", span);
        };
        if by == 0 {
            self.fault(Some(path));
            return Ok(Vec::new());
        }
        let value = Linear::default()
            .plus(by.signum(), value)
            .ok_or_else(|| large(span))?;
        if let Some(value) = value.value() {
            return Ok(vec![(path, Linear::constant(value.div_euclid(by.abs())))]);
        }
        let mut found = Vec::new();
        for negative in [false, true] {
            let zero = Linear::default();
            let Some(mut path) =
                path.clone()
                    .compare(&value, Order::Less, &zero, negative, span)?
            else {
                continue;
            };
            let size = path.fresh();
            let quotient = if negative {
                Linear::default().plus(-1, &size)
            } else {
                Some(size)
            };
            let quotient = quotient.ok_or_else(|| large(span))?;
            let rest = value
                .plus(-by.abs(), &quotient)
                .ok_or_else(|| large(span))?;
            let most = Linear::constant(by.abs());
            let path = match path.compare(&rest, Order::Less, &zero, false, span)? {
                Some(path) => path.compare(&rest, Order::Less, &most, true, span)?,
                None => None,
            };
            found.extend(path.map(|path| (path, quotient)));
        }
        Ok(found)
    }

    fn remainder(
        &mut self,
        path: Path,
        value: &Linear,
        by: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let Some(modulus) = by.value() else {
            return unsupported("a remainder by a number that depends on the position", span);
        };
        if modulus <= 0 {
            self.fault(Some(path));
            return Ok(Vec::new());
        }
        if modulus > MOST as i64 {
            return Err(large(span));
        }
        let case = |residue| {
            let sum = value.clone();
            let is = Atom::Residue {
                sum,
                modulus,
                residue,
                holds: true,
            };
            path.clone()
                .assume(is)
                .map(|path| (path, Linear::constant(residue)))
        };
        Ok((0..modulus).filter_map(case).collect())
    }

    /// The path where a number is not negative, which must not be otherwise.
    fn natural(&mut self, path: Path, value: &Linear, span: Span) -> Read<Option<Path>> {
        if value.constant >= 0 && value.has_sign(1) {
            return Ok(Some(path));
        }
        let zero = Linear::default();
        let negative = path
            .clone()
            .compare(value, Order::Less, &zero, true, span)?;
        self.fault(negative);
        path.compare(value, Order::Less, &zero, false, span)
    }

    /// A variable that is equal to a number that is not negative.
    fn track(path: &mut Path, value: &Linear) -> Option<Variable> {
        let single = value.constant == 0 && value.weights.len() == 1;
        if let (true, Some((variable, 1))) = (single, value.weights.first_key_value()) {
            return Some(*variable);
        }
        let variable = Variable::Some(path.some);
        let equal = Atom::Zero(path.fresh().plus(-1, value)?);
        path.atoms.push(equal);
        Some(variable)
    }

    /// The digits of each column added mod the modulus, and read as digits.
    fn columns(
        &mut self,
        path: Path,
        base: i64,
        list: &[Linear],
        modulus: i64,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let mut path = path;
        let mut terms = Vec::new();
        for value in list {
            let Some(next) = self.natural(path, value, span)? else {
                return Ok(Vec::new());
            };
            path = next;
            terms.push(Self::track(&mut path, value).ok_or_else(|| large(span))?);
        }
        // A column of more than one digit's worth is the sum of several.
        let count = (modulus - 1 + base - 2) / (base - 1);
        if count > 8 {
            return unsupported("a modulus so much larger than the base", span);
        }
        let numbers: Vec<Linear> = (0..count).map(|_| path.fresh()).collect();
        let results = numbers
            .iter()
            .flat_map(|number| number.weights.keys().copied());
        let columns = Atom::Columns {
            base,
            terms,
            modulus,
            results: results.collect(),
            place: Place(span),
        };
        path.atoms.push(columns);
        let value = sum(&numbers, span)?;
        Ok(vec![(path, value)])
    }

    fn fold(
        &mut self,
        path: Path,
        fold: Fold,
        list: &[Linear],
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        match fold {
            Fold::Sum => Ok(vec![(path, sum(list, span)?)]),
            Fold::Count => Ok(vec![(path, Linear::constant(list.len() as i64))]),
            Fold::Xor => self.columns(path, 2, list, 2, span),
            Fold::Max | Fold::Min => {
                if list.is_empty() {
                    self.fault(Some(path));
                    return Ok(Vec::new());
                }
                let mut found = Vec::new();
                for (place, value) in list.iter().enumerate() {
                    // The first of those that are largest, or smallest.
                    let mut path = Some(path.clone());
                    for (other, number) in list.iter().enumerate() {
                        if other == place {
                            continue;
                        }
                        let order = if other < place {
                            Order::Less
                        } else {
                            Order::AtMost
                        };
                        let (less, more) = match fold {
                            Fold::Max => (number, value),
                            _ => (value, number),
                        };
                        let Some(own) = path else { break };
                        path = own.compare(less, order, more, true, span)?;
                    }
                    found.extend(path.map(|path| (path, value.clone())));
                }
                Ok(found)
            }
        }
    }

    /// The members of a list in their order, path by path.
    fn list(&mut self, path: Path, list: &Expr<List>) -> Read<Vec<(Path, Vec<Linear>)>> {
        let one = |path: Path, list| Ok(vec![(path, list)]);
        match &list.node {
            List::Heaps(heaps) => {
                let sizes = path.sizes(heaps);
                one(path, sizes)
            }
            List::Picked(pick) => {
                let Some(heaps) = path.picks.get(pick) else {
                    return unsupported("a name that may stand for nothing", list.span);
                };
                let sizes = path.sizes(heaps);
                one(path, sizes)
            }
            List::Amounts => {
                let amounts = path.amounts.clone();
                one(path, amounts)
            }
            List::Items(items) => self.items(path, items),
            List::Members(set) => self.members(path, set),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut found = Vec::new();
                for (path, members) in self.members(path, over)? {
                    let mut open = vec![(path, Vec::new())];
                    for member in members {
                        let mut next = Vec::new();
                        for (mut path, list) in open {
                            path.locals.insert(*slot, member.clone());
                            let inside = match condition {
                                Some(condition) => {
                                    let out = self.condition(path.clone(), condition, false)?;
                                    next.extend(out.into_iter().map(|path| (path, list.clone())));
                                    self.condition(path, condition, true)?
                                }
                                None => vec![path],
                            };
                            for path in inside {
                                for (path, value) in self.number(path, value)? {
                                    next.push((
                                        path,
                                        list.iter().cloned().chain([value]).collect(),
                                    ));
                                }
                            }
                        }
                        open = Self::few(next, list.span)?;
                    }
                    found.extend(open);
                }
                Self::few(found, list.span)
            }
            List::Sorted(_) => unsupported("`sorted`", list.span),
            List::Bag(_) => unsupported("heaps of any number", list.span),
        }
    }

    fn items(&mut self, path: Path, items: &[Expr<Num>]) -> Read<Vec<(Path, Vec<Linear>)>> {
        let mut open = vec![(path, Vec::new())];
        for item in items {
            let mut next = Vec::new();
            for (path, list) in open {
                for (path, value) in self.number(path, item)? {
                    next.push((path, list.iter().cloned().chain([value]).collect()));
                }
            }
            open = Self::few(next, item.span)?;
        }
        Ok(open)
    }

    /// The members of a finite set whose number does not depend on the
    /// position.
    fn members(&mut self, path: Path, set: &Expr<Set>) -> Read<Vec<(Path, Vec<Linear>)>> {
        match &set.node {
            Set::Items(items) => self.items(path, items),
            Set::List(list) => self.list(path, list),
            Set::Range(low, Some(high)) => {
                let mut found = Vec::new();
                for (path, low) in self.number(path, low)? {
                    for (path, high) in self.number(path, high)? {
                        let (Some(low), Some(high)) = (low.value(), high.value()) else {
                            return unsupported("a range that depends on the position", set.span);
                        };
                        if high - low > MOST as i64 {
                            return unsupported("so many members", set.span);
                        }
                        found.push((path, (low..=high).map(Linear::constant).collect()));
                    }
                }
                Ok(found)
            }
            _ => unsupported("a set without end", set.span),
        }
    }

    /// Some member of a set, path by path: an integer, which may be negative.
    pub fn some_member(&mut self, path: Path, set: &Expr<Set>) -> Read<Vec<(Path, Linear)>> {
        let mut found = Vec::new();
        match &set.node {
            Set::Range(low, high) => {
                for (path, low) in self.number(path, low)? {
                    let highs = match high {
                        Some(high) => {
                            let highs = self.number(path, high)?.into_iter();
                            highs.map(|(path, high)| (path, Some(high))).collect()
                        }
                        None => vec![(path, None)],
                    };
                    for (mut path, high) in highs {
                        // The low end and a natural number more.
                        let more = path.fresh();
                        let number = low.plus(1, &more).ok_or_else(|| large(set.span))?;
                        let path = match high {
                            Some(high) => {
                                path.compare(&number, Order::AtMost, &high, true, set.span)?
                            }
                            None => Some(path),
                        };
                        found.extend(path.map(|path| (path, number)));
                    }
                }
            }
            Set::Powers(_) => {
                let mut path = path;
                let number = path.fresh();
                let powers = self.belongs(path, &number, set, true)?;
                found.extend(powers.into_iter().map(|path| (path, number.clone())));
            }
            Set::Items(_) | Set::List(_) => {
                for (path, members) in self.members(path, set)? {
                    found.extend(members.into_iter().map(|member| (path.clone(), member)));
                }
            }
            Set::Squares => return unsupported("`squares`", set.span),
        }
        Self::few(found, set.span)
    }

    /// The paths on which a number belongs to a set, or does not.
    pub fn belongs(
        &mut self,
        path: Path,
        number: &Linear,
        set: &Expr<Set>,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let span = set.span;
        let mut found = Vec::new();
        match &set.node {
            Set::Range(low, high) => {
                for (path, low) in self.number(path, low)? {
                    let below = path
                        .clone()
                        .compare(number, Order::Less, &low, true, span)?;
                    found.extend(below.filter(|_| !holds));
                    let Some(path) = path.compare(number, Order::Less, &low, false, span)? else {
                        continue;
                    };
                    let Some(high) = high else {
                        found.extend(Some(path).filter(|_| holds));
                        continue;
                    };
                    for (path, high) in self.number(path, high)? {
                        found.extend(path.compare(number, Order::AtMost, &high, holds, span)?);
                    }
                }
            }
            Set::Items(items) => {
                let mut open = vec![path];
                for item in items {
                    let mut next = Vec::new();
                    for path in open {
                        for (path, item) in self.number(path, item)? {
                            let is =
                                path.clone()
                                    .compare(number, Order::Equal, &item, true, span)?;
                            found.extend(is.filter(|_| holds));
                            next.extend(path.compare(number, Order::Equal, &item, false, span)?);
                        }
                    }
                    open = Self::few(next, span)?;
                }
                if !holds {
                    found = open;
                }
            }
            Set::List(list) => {
                for (path, members) in self.list(path, list)? {
                    let mut open = Some(path);
                    for member in members {
                        let Some(path) = open else { break };
                        let is = path
                            .clone()
                            .compare(number, Order::Equal, &member, true, span)?;
                        found.extend(is.filter(|_| holds));
                        open = path.compare(number, Order::Equal, &member, false, span)?;
                    }
                    found.extend(open.filter(|_| !holds));
                }
            }
            Set::Powers(base) => {
                for (path, base) in self.number(path, base)? {
                    let Some(base) = base.value() else {
                        return unsupported("a base that depends on the position", span);
                    };
                    if base < 2 {
                        self.fault(Some(path));
                        continue;
                    }
                    let zero = Linear::default();
                    let below = path
                        .clone()
                        .compare(number, Order::Less, &zero, true, span)?;
                    found.extend(below.filter(|_| !holds));
                    let natural = path.compare(number, Order::Less, &zero, false, span)?;
                    if let Some(mut path) = natural {
                        let of = Self::track(&mut path, number).ok_or_else(|| large(span))?;
                        let place = Place(span);
                        found.extend(path.assume(Atom::Power {
                            base,
                            of,
                            holds,
                            place,
                        }));
                    }
                }
            }
            Set::Squares => return unsupported("`squares`", span),
        }
        Self::few(found, span)
    }

    /// The paths on which a condition holds, or does not.
    pub fn condition(
        &mut self,
        path: Path,
        condition: &Expr<Bool>,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let span = condition.span;
        let mut found = Vec::new();
        match &condition.node {
            Bool::Const(value) => found.extend(Some(path).filter(|_| *value == holds)),
            Bool::Not(inner) => return self.condition(path, inner, !holds),
            Bool::Compare(order, left, right) => {
                for (path, left) in self.number(path, left)? {
                    for (path, right) in self.number(path, right)? {
                        found.extend(path.compare(&left, *order, &right, holds, span)?);
                    }
                }
            }
            Bool::In(num, set) => {
                for (path, number) in self.number(path, num)? {
                    found.extend(self.belongs(path, &number, set, holds)?);
                }
            }
            Bool::And(parts) | Bool::Or(parts) => {
                let all = matches!(condition.node, Bool::And(_));
                let asked = parts.iter().map(|part| (None, part));
                return self.in_turn(path, asked, all, holds, span);
            }
            Bool::If(condition, then, otherwise) => {
                for (way, part) in [(true, then), (false, otherwise)] {
                    for path in self.condition(path.clone(), condition, way)? {
                        found.extend(self.condition(path, part, holds)?);
                    }
                }
            }
            Bool::Let(slot, value, body) => {
                for (mut path, value) in self.number(path, value)? {
                    path.locals.insert(*slot, value);
                    found.extend(self.condition(path, body, holds)?);
                }
            }
            Bool::Each(slot, body) => {
                let amounts = path.amounts.clone();
                let asked = amounts
                    .into_iter()
                    .map(|amount| (Some((*slot, amount)), &**body));
                return self.in_turn(path, asked, true, holds, span);
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let all = *quantifier == Quantifier::Forall;
                // One member is enough, however many there are.
                if all != holds && matches!(set.node, Set::Range(_, Some(_))) {
                    for (mut path, member) in self.some_member(path, set)? {
                        path.locals.insert(*slot, member);
                        found.extend(self.condition(path, body, holds)?);
                    }
                    return Self::few(found, span);
                }
                for (path, members) in self.members(path, set)? {
                    let asked = members
                        .into_iter()
                        .map(|member| (Some((*slot, member)), &**body));
                    found.extend(self.in_turn(path, asked, all, holds, span)?);
                }
            }
            Bool::Distinct(list) => {
                for (path, list) in self.list(path, list)? {
                    let mut open = Some(path);
                    for (place, one) in list.iter().enumerate() {
                        for other in &list[..place] {
                            let Some(path) = open.take() else { break };
                            let same =
                                path.clone().compare(one, Order::Equal, other, true, span)?;
                            found.extend(same.filter(|_| !holds));
                            open = path.compare(one, Order::Equal, other, false, span)?;
                        }
                    }
                    found.extend(open.filter(|_| holds));
                }
            }
            Bool::Same(one, other) => {
                let same = path.picks.get(one) == path.picks.get(other);
                found.extend(Some(path).filter(|_| same == holds));
            }
            Bool::Like(like) => return self.like(path, like, holds, span),
        }
        Self::few(found, span)
    }

    /// Conditions asked one after another, until one does not hold, or, unless
    /// all of them must, until one holds.
    fn in_turn<'c>(
        &mut self,
        path: Path,
        asked: impl Iterator<Item = (Option<(Slot, Linear)>, &'c Expr<Bool>)>,
        all: bool,
        holds: bool,
        span: Span,
    ) -> Read<Vec<Path>> {
        // What decides alone need not wait for the others, unless they keep a
        // fault from it.
        let asked: Vec<_> = asked.collect();
        let before = self.faults.len();
        for with_guards in [false, true] {
            let mut found = Vec::new();
            let mut open = vec![path.clone()];
            for (bound, condition) in &asked {
                let mut next = Vec::new();
                for mut path in open {
                    if let Some((slot, value)) = bound {
                        path.locals.insert(*slot, value.clone());
                    }
                    if all != holds {
                        found.extend(self.condition(path.clone(), condition, holds)?);
                    }
                    if all == holds || with_guards {
                        next.extend(self.condition(path, condition, all)?);
                    } else {
                        next.push(path);
                    }
                }
                open = Self::few(next, span)?;
            }
            if all == holds {
                return Ok(open);
            }
            if with_guards || self.faults.len() == before {
                return Self::few(found, span);
            }
            self.faults.truncate(before);
        }
        Ok(Vec::new())
    }

    /// The paths on which some image of the position has a form, or none has.
    fn like(&mut self, path: Path, like: &Like, holds: bool, span: Span) -> Read<Vec<Path>> {
        let mut found = Vec::new();
        for (path, images) in self.images(path, like, span)? {
            let mut open = vec![path];
            for image in images {
                let mut next = Vec::new();
                for path in open {
                    if holds {
                        found.extend(self.fits(path.clone(), like, &image, 0, true)?);
                        next.push(path);
                    } else {
                        next.extend(self.fits(path, like, &image, 0, false)?);
                    }
                }
                open = Self::few(next, span)?;
            }
            found.extend(open.into_iter().filter(|_| !holds));
        }
        Self::few(found, span)
    }

    /// The images of the position that a form is compared with.
    fn images(&self, path: Path, like: &Like, span: Span) -> Read<Vec<(Path, Vec<Vec<Linear>>)>> {
        let mut found = Vec::new();
        match like.images {
            Images::Symmetries => {
                let symmetries = &self.game.symmetries;
                if symmetries.order().is_none_or(|order| order > MOST as u128) {
                    return unsupported("so many symmetries", span);
                }
                let places: Vec<u64> = (0..path.heaps.len() as u64).collect();
                let mut images: Vec<Vec<Linear>> = Vec::new();
                symmetries.any_image(&places, &mut |image| {
                    let sizes = image.iter().map(|from| path.heaps[*from as usize].clone());
                    images.push(sizes.collect());
                    false
                });
                found.push((path, images));
            }
            Images::Left(board) => {
                let beside: Vec<HeapId> = board.loose(path.heaps.len()).collect();
                let number = like.entries.len().checked_sub(beside.len());
                for (path, left) in left_of(path, board, number, span)? {
                    let images = left.map_or(Vec::new(), |left| {
                        let orders = readings(&left, board.around).into_iter();
                        let orders = orders.map(|order| [order, beside.clone()].concat());
                        orders.map(|order| path.sizes(&order)).collect()
                    });
                    found.push((path, images));
                }
            }
            Images::Bag => return unsupported("heaps of any number", span),
        }
        for (_, images) in &mut found {
            images.sort();
            images.dedup();
        }
        Ok(found)
    }

    /// The paths on which this image has the form, or has not, from the
    /// `next`th of its entries on.
    fn fits(
        &mut self,
        path: Path,
        like: &Like,
        image: &[Linear],
        next: usize,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let Some(&place) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(path, condition, holds),
                None => Ok(Some(path).filter(|_| holds).into_iter().collect()),
            };
        };
        let size = &image[place];
        let mut found = Vec::new();
        match &like.entries[place] {
            Entry::Bind(slot) => {
                let mut path = path;
                path.locals.insert(*slot, size.clone());
                return self.fits(path, like, image, next + 1, holds);
            }
            Entry::Equals(value) => {
                for (path, number) in self.number(path, value)? {
                    let compare =
                        |path: Path, is| path.compare(&number, Order::Equal, size, is, value.span);
                    if !holds {
                        found.extend(compare(path.clone(), false)?);
                    }
                    if let Some(path) = compare(path, true)? {
                        found.extend(self.fits(path, like, image, next + 1, holds)?);
                    }
                }
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let mut path = path;
                path.locals.insert(*slot, Linear::default());
                for (path, number) in self.number(path, value)? {
                    let sum = size.plus(-1, &number).ok_or_else(|| large(value.span))?;
                    let modulus = coefficient.abs();
                    let divides = |holds| Atom::Residue {
                        sum: sum.clone(),
                        modulus,
                        residue: 0,
                        holds,
                    };
                    if !holds {
                        found.extend(path.clone().assume(divides(false)));
                    }
                    let Some(path) = path.assume(divides(true)) else {
                        continue;
                    };
                    let by = Linear::constant(*coefficient);
                    let solved = match coefficient {
                        1 | -1 => {
                            let times = Linear::default().plus(*coefficient, &sum);
                            vec![(path, times.ok_or_else(|| large(value.span))?)]
                        }
                        _ => self.divided(path, &sum, &by, value.span)?,
                    };
                    for (mut path, number) in solved {
                        path.locals.insert(*slot, number);
                        found.extend(self.fits(path, like, image, next + 1, holds)?);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The orders in which heaps in a circle or a row may be read: forwards and
/// backwards, in a circle from each heap on.
fn readings(heaps: &[HeapId], around: Around) -> Vec<Vec<HeapId>> {
    let turns = match around {
        Around::Circle => heaps.len().max(1),
        Around::Row => 1,
    };
    let mut found = Vec::new();
    for turn in 0..turns {
        let mut order = heaps.to_vec();
        order.rotate_left(turn);
        found.push(order.iter().rev().copied().collect());
        found.push(order);
    }
    found
}

/// The sum of some numbers.
pub fn sum(list: &[Linear], span: Span) -> Read<Linear> {
    let mut sums = list.iter();
    let sum = sums.try_fold(Linear::default(), |sum, one| sum.plus(1, one));
    sum.ok_or_else(|| large(span))
}
