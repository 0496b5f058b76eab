//! The claim as a combination of sums over all heaps.

use super::tables::Table;
use super::window;
use crate::atom::{Linear, Variable};
use crate::expression::{MAX_EVALUATIONS, Path, Read, Reader, unsupported};
use crate::rule::clauses;
use crate::{Unsupported, VerifyError};
use nimrule_limits::Limits;
use nimrule_model::expr::{
    Arithmetic, Bool, Expr, Fold, List, Num, OfKind, Order, Part, Quantifier, Set, Slot,
};
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// A combination of sums.
pub enum Tree {
    Const(bool),
    Sum(usize),
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
}

/// A number that all heaps determine, and a condition on it.
pub enum Sum {
    /// At each place the digits add up to a number modulo the modulus: these, the last place
    /// first, and 0 at all others.
    Digits { modulus: u32, places: Vec<u32> },
    /// All heaps are equal: at each place they have the same digit.
    Same,
    /// The total of the heaps, modulo the length of the list, is accepted.
    Total(Vec<bool>),
    /// The weights of the heaps by the class of each.
    Tally {
        weights: Vec<u32>,
        least: Vec<u32>,
        test: Test,
    },
}

/// A condition on a tally.
pub enum Test {
    /// Its value is accepted; one beyond the end of the list as the last.
    Upto(Vec<bool>),
    /// Its remainder modulo the length of the list is accepted.
    Modulo(Vec<bool>),
}

/// A claim that counts.
pub struct Counted {
    pub base: u8,
    pub tree: Tree,
    pub sums: Vec<Sum>,
    /// The class after a digit. Class 0 is that of an empty heap.
    pub next: Vec<Vec<usize>>,
    /// Whether the number of heaps of a class matters.
    pub matters: Vec<bool>,
    pub threshold: u32,
    pub period: u32,
    /// A multiple of the period and of all moduli.
    pub digit_period: u32,
}

/// The largest constant with which a sum is compared, and the largest modulus.
const MOST: i64 = 64;
/// The largest weight of a heap.
const MOST_WEIGHT: i64 = 16;

impl Counted {
    /// Reads the condition of a claim.
    pub fn read(
        game: &Game,
        condition: &Expr<Bool>,
        is_of_p: bool,
        base: u8,
        limits: &Limits,
    ) -> Result<Counted, VerifyError> {
        let one = window(game, 1);
        let mut reading = Reading {
            reader: Reader::new(&one, MAX_EVALUATIONS),
            base,
            limits,
            tables: Vec::new(),
            sums: Vec::new(),
            has_empty: matches!(game.position_kind, PositionKind::Open(_)),
        };
        let tree = reading.condition(condition)?;
        let tree = if is_of_p {
            tree
        } else {
            Tree::Not(Box::new(tree))
        };
        let faults = std::mem::take(&mut reading.reader.faults);
        let mut possible = Vec::new();
        for path in faults {
            possible.extend(reading.heap(path, condition.span)?);
        }
        let fault = Table::of_heap(&clauses(possible, condition.span)?, base, limits)?;
        if fault.is_open[fault.start] {
            let at = "some heap".to_owned();
            return Err(VerifyError::Fault { of: "claim", at });
        }
        reading.finish(tree)
    }

    /// The number of last places at which the digits need not add up to 0.
    pub fn places(&self) -> usize {
        let places = self.sums.iter().map(|sum| match sum {
            Sum::Digits { places, .. } => places.len(),
            Sum::Total(_) | Sum::Tally { .. } | Sum::Same => 0,
        });
        places.max().unwrap_or(0)
    }

    /// The truth of a combination for the sums that have been read, and the numbers of heaps of
    /// each class: at the end, or for certain whatever follows.
    pub fn truth(
        &self,
        tree: &Tree,
        sums: &[u32],
        number: &dyn Fn(usize) -> u32,
        at_end: bool,
    ) -> Option<bool> {
        let known = |parts: &[Tree], decisive: bool| {
            let mut all = Some(!decisive);
            for part in parts {
                match self.truth(part, sums, number, at_end) {
                    Some(value) if value == decisive => return Some(decisive),
                    Some(_) => {}
                    None => all = None,
                }
            }
            all
        };
        match tree {
            Tree::Const(value) => Some(*value),
            Tree::Not(inner) => Some(!self.truth(inner, sums, number, at_end)?),
            Tree::All(parts) => known(parts, false),
            Tree::Any(parts) => known(parts, true),
            Tree::Sum(index) => match &self.sums[*index] {
                Sum::Digits { .. } | Sum::Same if sums[*index] == 0 => Some(false),
                Sum::Digits { .. } | Sum::Same => at_end.then_some(true),
                Sum::Total(accepted) => at_end.then(|| accepted[sums[*index] as usize]),
                Sum::Tally {
                    weights,
                    least,
                    test,
                } => {
                    let weights = if at_end { weights } else { least };
                    let total: u32 = (0..weights.len())
                        .filter(|class| self.matters[*class])
                        .map(|class| weights[class] * number(class))
                        .sum();
                    match test {
                        Test::Upto(accepted) => {
                            let most = accepted.len() - 1;
                            let value = most.min(total as usize);
                            (at_end || value == most).then(|| accepted[value])
                        }
                        Test::Modulo(accepted) => {
                            at_end.then(|| accepted[total as usize % accepted.len()])
                        }
                    }
                }
            },
        }
    }

    /// Whether the claim holds without heaps.
    pub fn has_empty(&self) -> bool {
        fn holds(of: &Counted, tree: &Tree) -> bool {
            match tree {
                Tree::Const(value) => *value,
                Tree::Sum(sum) => match &of.sums[*sum] {
                    Sum::Digits { places, .. } => places.iter().all(|digit| *digit == 0),
                    Sum::Same => true,
                    Sum::Total(accepted) => accepted[0],
                    Sum::Tally {
                        test: Test::Upto(accepted) | Test::Modulo(accepted),
                        ..
                    } => accepted[0],
                },
                Tree::Not(inner) => !holds(of, inner),
                Tree::All(all) => all.iter().all(|one| holds(of, one)),
                Tree::Any(any) => any.iter().any(|one| holds(of, one)),
            }
        }
        holds(self, &self.tree)
    }
}

/// A number that all heaps determine, before it is compared.
enum Number {
    Const(i64),
    Digits(i64),
    Total,
    /// The sum of weights, each with the table of the heaps that have it.
    Tally(Vec<(usize, u32)>),
    NimSum(Vec<(usize, u32)>),
    Modulo(Box<Number>, i64),
    Largest,
    Smallest,
    /// The difference of the two.
    Spread,
}

/// A sum before the classes are known.
enum Open {
    Done(Sum),
    Tally(Vec<(usize, u32)>, Test),
}

struct Reading<'r> {
    reader: Reader<'r>,
    base: u8,
    limits: &'r Limits,
    tables: Vec<Table>,
    sums: Vec<Open>,
    /// Whether empty heaps are heaps.
    has_empty: bool,
}

impl Reading<'_> {
    fn condition(&mut self, condition: &Expr<Bool>) -> Result<Tree, VerifyError> {
        let span = condition.span;
        let part = |reading: &mut Self, part: &Expr<Bool>| reading.condition(part);
        Ok(match &condition.node {
            Bool::Const(value) => Tree::Const(*value),
            Bool::Not(inner) => Tree::Not(Box::new(self.condition(inner)?)),
            Bool::And(all) => Tree::All(
                all.iter()
                    .map(|one| part(self, one))
                    .collect::<Result<_, _>>()?,
            ),
            Bool::Or(any) => Tree::Any(
                any.iter()
                    .map(|one| part(self, one))
                    .collect::<Result<_, _>>()?,
            ),
            Bool::If(condition, then, otherwise) => {
                let (yes, no) = (self.condition(condition)?, self.condition(condition)?);
                either(yes, self.condition(then)?, no, self.condition(otherwise)?)
            }
            Bool::Compare(order, left, right) => self.compare(*order, left, right, span)?,
            Bool::In(number, set) => match &set.node {
                Set::Items(items) => {
                    let mut any = Vec::new();
                    for item in items {
                        any.push(self.compare(Order::Equal, number, item, span)?);
                    }
                    Tree::Any(any)
                }
                Set::Range(low, high) => {
                    let mut all = vec![self.compare(Order::AtMost, low, number, span)?];
                    if let Some(high) = high {
                        all.push(self.compare(Order::AtMost, number, high, span)?);
                    }
                    Tree::All(all)
                }
                _ => unsupported("this set in a claim about any number of heaps", span)?,
            },
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } if is_all(set) => {
                let is_forall = *quantifier == Quantifier::Forall;
                let table = self.heaps_where(*slot, Some(&**body), !is_forall, span)?;
                self.tally(vec![(table, 1)], Test::Upto(vec![is_forall, !is_forall]))
            }
            _ => unsupported("this condition on any number of heaps", span)?,
        })
    }

    fn compare(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        span: Span,
    ) -> Result<Tree, VerifyError> {
        if let Num::If(condition, then, otherwise) = &left.node {
            let (yes, no) = (self.condition(condition)?, self.condition(condition)?);
            let then = self.compare(order, then, right, span)?;
            return Ok(either(
                yes,
                then,
                no,
                self.compare(order, otherwise, right, span)?,
            ));
        }
        if let Num::If(condition, then, otherwise) = &right.node {
            let (yes, no) = (self.condition(condition)?, self.condition(condition)?);
            let then = self.compare(order, left, then, span)?;
            return Ok(either(
                yes,
                then,
                no,
                self.compare(order, left, otherwise, span)?,
            ));
        }
        match (self.number(left)?, self.number(right)?) {
            (Number::Const(one), Number::Const(other)) => Ok(Tree::Const(order.holds(one, other))),
            (number, Number::Const(value)) => {
                self.test(number, value, &|of| order.holds(of, value), span)
            }
            (Number::Const(value), number) => {
                self.test(number, value, &|of| order.holds(value, of), span)
            }
            (Number::Largest, Number::Smallest) if self.has_empty => {
                let same = self.add(Open::Done(Sum::Same));
                // The largest is never below the smallest.
                Ok(either_way(same, order.holds(1, 1), order.holds(2, 1)))
            }
            (Number::Smallest, Number::Largest) if self.has_empty => {
                let same = self.add(Open::Done(Sum::Same));
                Ok(either_way(same, order.holds(1, 1), order.holds(1, 2)))
            }
            _ => Ok(unsupported("two sums over any number of heaps", span)?),
        }
    }

    /// Whether a number is accepted. Numbers beyond `value` are accepted as the next one is.
    fn test(
        &mut self,
        number: Number,
        value: i64,
        accepts: &dyn Fn(i64) -> bool,
        span: Span,
    ) -> Result<Tree, VerifyError> {
        let upto = |most: i64| -> Vec<bool> { (0..=most).map(accepts).collect() };
        let next = value.max(-1) + 1;
        if next > MOST {
            unsupported("numbers this large", span)?;
        }
        let only = |found: Vec<bool>| found.iter().all(|accepted| *accepted == found[0]);
        Ok(match number {
            Number::Const(_) => unsupported("this comparison", span)?,
            Number::Digits(modulus) => {
                // Equality, or what amounts to it.
                let all = upto(next.max(1));
                if only(all.clone()) {
                    return Ok(Tree::Const(all[0]));
                }
                let zero_only = value <= 1 && all[1..].iter().all(|accepted| *accepted != all[0]);
                let equal = all
                    .iter()
                    .filter(|accepted| **accepted != all[all.len() - 1])
                    .count();
                let (wanted, is) = match (zero_only, equal) {
                    (true, _) => (0, all[0]),
                    (false, 1) => (value, !all[all.len() - 1]),
                    _ => unsupported("a sum of digits that is compared by its size", span)?,
                };
                let base = i64::from(self.base);
                if wanted > 0 && modulus > base {
                    unsupported("a sum of digits that exceed the base", span)?;
                }
                let (mut places, mut rest) = (Vec::new(), wanted);
                while rest > 0 {
                    places.push((rest % base) as u32);
                    rest /= base;
                }
                if places.iter().any(|digit| i64::from(*digit) >= modulus) {
                    return Ok(Tree::Const(!is));
                }
                let modulus = modulus as u32;
                let equal = self.add(Open::Done(Sum::Digits { modulus, places }));
                if is {
                    equal
                } else {
                    Tree::Not(Box::new(equal))
                }
            }
            Number::Modulo(of, modulus) => {
                let accepted: Vec<bool> = (0..modulus).map(accepts).collect();
                match *of {
                    Number::Total => self.add(Open::Done(Sum::Total(accepted))),
                    Number::Tally(terms) => self.tally(terms, Test::Modulo(accepted)),
                    _ => unsupported("this remainder", span)?,
                }
            }
            Number::Tally(terms) => self.tally(terms, Test::Upto(upto(next))),
            Number::Spread => {
                let all = upto(next.max(1));
                if !only(all[1..].to_vec()) {
                    unsupported("how much larger the largest heap is", span)?;
                }
                let same = self.add(Open::Done(Sum::Same));
                either_way(same, all[0], all[1])
            }
            Number::Total => {
                if next > MOST_WEIGHT {
                    unsupported("numbers this large", span)?;
                }
                let mut terms = Vec::new();
                for size in 1..=next {
                    let order = if size == next {
                        Order::AtMost
                    } else {
                        Order::Equal
                    };
                    terms.push((self.heaps_of(order, size, span)?, size as u32));
                }
                self.tally(terms, Test::Upto(upto(next)))
            }
            Number::NimSum(terms) => {
                let most = terms.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
                let values = (most + 1).next_power_of_two();
                let mut any = Vec::new();
                for value in (0..values).filter(|value| accepts(i64::from(*value))) {
                    let mut all = Vec::new();
                    for bit in 0..values.ilog2() {
                        let odd = terms.iter().filter(|(_, weight)| weight >> bit & 1 == 1);
                        let odd = odd.map(|(table, _)| (*table, 1)).collect();
                        let has = value >> bit & 1 == 1;
                        all.push(self.tally(odd, Test::Modulo(vec![!has, has])));
                    }
                    any.push(Tree::All(all));
                }
                Tree::Any(any)
            }
            Number::Largest | Number::Smallest => {
                let is_largest = matches!(number, Number::Largest);
                let mut any = Vec::new();
                for size in (0..=next).filter(|size| accepts(*size)) {
                    let mut all = vec![self.extreme(is_largest, size, span)?];
                    if size < next {
                        let more = self.extreme(is_largest, size + 1, span)?;
                        all.push(Tree::Not(Box::new(more)));
                    }
                    any.push(Tree::All(all));
                }
                Tree::Any(any)
            }
        })
    }

    /// Whether the largest or smallest heap, 0 if there is none, has at least this size.
    fn extreme(&mut self, is_largest: bool, size: i64, span: Span) -> Result<Tree, VerifyError> {
        if size == 0 {
            return Ok(Tree::Const(true));
        }
        let first = i64::from(!self.has_empty);
        let least = if is_largest { size } else { first };
        let some = self.heaps_of(Order::AtMost, least, span)?;
        let mut all = vec![self.tally(vec![(some, 1)], Test::Upto(vec![false, true]))];
        if !is_largest {
            for smaller in first..size {
                let smaller = self.heaps_of(Order::Equal, smaller, span)?;
                all.push(self.tally(vec![(smaller, 1)], Test::Upto(vec![true, false])));
            }
        }
        Ok(Tree::All(all))
    }

    fn number(&mut self, num: &Expr<Num>) -> Result<Number, VerifyError> {
        let span = num.span;
        Ok(match &num.node {
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let (base, modulus) = (self.constant(base)?, self.constant(modulus)?);
                match is_list_of_all(list) {
                    true if base != i64::from(self.base) || !(1..=MOST).contains(&modulus) => {
                        unsupported("digits of another base", span)?
                    }
                    true => Number::Digits(modulus),
                    false if (base, modulus) == (2, 2) => Number::NimSum(self.weights(list)?),
                    false => unsupported("this sum of digits", span)?,
                }
            }
            Num::Fold(Fold::Max, list) if is_list_of_all(list) => Number::Largest,
            Num::Fold(Fold::Min, list) if is_list_of_all(list) => Number::Smallest,
            Num::Fold(Fold::Sum, list) if is_list_of_all(list) => Number::Total,
            Num::Fold(Fold::Count, list) if is_list_of_all(list) => Number::Tally(vec![(
                self.heaps_of(Order::AtMost, i64::from(!self.has_empty), span)?,
                1,
            )]),
            Num::Fold(Fold::Sum, list) => Number::Tally(self.weights(list)?),
            Num::Fold(Fold::Count, list) => match &list.node {
                List::Gathered {
                    slot,
                    over,
                    condition,
                    ..
                } if is_all(over) => {
                    let table = self.heaps_where(*slot, condition.as_deref(), true, span)?;
                    Number::Tally(vec![(table, 1)])
                }
                _ => unsupported("this number of heaps", span)?,
            },
            Num::Binary(Arithmetic::Modulo, of, modulus) if Part::num(of).node.reads_heaps() => {
                let modulus = self.constant(modulus)?;
                if !(1..=MOST).contains(&modulus) {
                    unsupported("this modulus", span)?;
                }
                Number::Modulo(Box::new(self.number(of)?), modulus)
            }
            Num::Binary(Arithmetic::Subtract, one, other)
                if self.has_empty && Part::num(num).node.reads_heaps() =>
            {
                match (self.number(one)?, self.number(other)?) {
                    (Number::Largest, Number::Smallest) => Number::Spread,
                    _ => unsupported("this difference", span)?,
                }
            }
            _ => Number::Const(self.constant(num)?),
        })
    }

    fn constant(&mut self, num: &Expr<Num>) -> Result<i64, VerifyError> {
        let values = self.reader.number(Path::new(1), num)?;
        match values.as_slice() {
            [(path, value)] if path.atoms.is_empty() && value.value().is_some() => {
                Ok(value.value().unwrap_or_default())
            }
            _ => Ok(unsupported("this number of all heaps", num.span)?),
        }
    }

    /// The weights of a list `value for h in heaps where condition`, except 0.
    fn weights(&mut self, list: &Expr<List>) -> Result<Vec<(usize, u32)>, VerifyError> {
        let span = list.span;
        let List::Gathered {
            slot,
            over,
            value,
            condition,
        } = &list.node
        else {
            return Ok(unsupported("this list of any number of heaps", span)?);
        };
        if !is_all(over) {
            unsupported("this list of any number of heaps", span)?;
        }
        let mut cases = Vec::new();
        for path in self.paths_where(*slot, condition.as_deref(), true, span)? {
            cases.extend(self.reader.number(path, value)?);
        }
        let of = |order: Order, number: i64, holds: bool| -> Result<Table, VerifyError> {
            let mut paths = Vec::new();
            for (path, value) in &cases {
                let number = Linear::constant(number);
                paths.extend(path.clone().compare(value, order, &number, holds, span)?);
            }
            Table::of_heap(&clauses(paths, span)?, self.base, self.limits)
        };
        let mut terms = Vec::new();
        for (order, most) in [(Order::Less, 0), (Order::AtMost, MOST_WEIGHT)] {
            let beyond = of(order, most, order == Order::Less)?;
            if beyond.is_open[beyond.start] {
                unsupported("a number of a heap that is negative or large", span)?;
            }
        }
        for weight in 1..=MOST_WEIGHT {
            let table = of(Order::Equal, weight, true)?;
            if table.is_open[table.start] {
                self.tables.push(table);
                terms.push((self.tables.len() - 1, weight as u32));
            }
        }
        Ok(terms)
    }

    /// The path on which a heap is one of the position.
    fn heap(&self, path: Path, span: Span) -> Read<Option<Path>> {
        match self.has_empty {
            true => Ok(Some(path)),
            false => nonempty(path, span),
        }
    }

    /// The paths on which a heap satisfies a condition, or does not.
    fn paths_where(
        &mut self,
        slot: Slot,
        condition: Option<&Expr<Bool>>,
        holds: bool,
        span: Span,
    ) -> Read<Vec<Path>> {
        let mut start = Path::new(1);
        start.locals.insert(slot, heap());
        let Some(start) = self.heap(start, span)? else {
            return Ok(Vec::new());
        };
        match condition {
            Some(condition) => self.reader.condition(start, condition, holds),
            None => Ok(vec![start]),
        }
    }

    fn heaps_where(
        &mut self,
        slot: Slot,
        condition: Option<&Expr<Bool>>,
        holds: bool,
        span: Span,
    ) -> Result<usize, VerifyError> {
        let paths = self.paths_where(slot, condition, holds, span)?;
        self.table(paths, span)
    }

    /// The heaps for which a size and their own are in an order.
    fn heaps_of(&mut self, order: Order, size: i64, span: Span) -> Result<usize, VerifyError> {
        let size = Linear::constant(size);
        let path = self.heap(Path::new(1), span)?;
        let path = match path {
            Some(path) => path.compare(&size, order, &heap(), true, span)?,
            None => None,
        };
        self.table(path.into_iter().collect(), span)
    }

    fn table(&mut self, paths: Vec<Path>, span: Span) -> Result<usize, VerifyError> {
        let table = Table::of_heap(&clauses(paths, span)?, self.base, self.limits)?;
        self.tables.push(table);
        Ok(self.tables.len() - 1)
    }

    fn tally(&mut self, terms: Vec<(usize, u32)>, test: Test) -> Tree {
        self.add(Open::Tally(terms, test))
    }

    fn add(&mut self, sum: Open) -> Tree {
        self.sums.push(sum);
        Tree::Sum(self.sums.len() - 1)
    }

    /// Finds the classes of heaps: the product of the tables.
    fn finish(self, tree: Tree) -> Result<Counted, VerifyError> {
        let start: Vec<usize> = self.tables.iter().map(|table| table.start).collect();
        let mut index = BTreeMap::from([(start.clone(), 0)]);
        let mut classes = vec![start];
        let mut next: Vec<Vec<usize>> = Vec::new();
        while let Some(class) = classes.get(next.len()).cloned() {
            let mut row = Vec::new();
            for digit in 0..self.base {
                let after = self.tables.iter().zip(&class);
                let after: Vec<usize> = after
                    .map(|(table, at)| table.after(*at, [(digit, digit)]))
                    .collect();
                let new = classes.len();
                let place = *index.entry(after.clone()).or_insert(new);
                if place == new {
                    classes.push(after);
                }
                row.push(place);
            }
            next.push(row);
            if classes.len() > 64 {
                return Err(Unsupported::new("this many classes of heaps", (0, 0).into()).into());
            }
        }
        let (mut threshold, mut period, mut digit_period) = (0, 1, 1);
        let mut matters = vec![false; classes.len()];
        let mut sums = Vec::new();
        for open in self.sums {
            sums.push(match open {
                Open::Done(sum) => {
                    digit_period = common(
                        digit_period,
                        match &sum {
                            Sum::Digits { modulus, .. } => *modulus,
                            Sum::Total(accepted) => accepted.len() as u32,
                            Sum::Tally { .. } | Sum::Same => 1,
                        },
                    )?;
                    sum
                }
                Open::Tally(terms, test) => {
                    match &test {
                        Test::Upto(accepted) => {
                            threshold = threshold.max(accepted.len() as u32 - 1)
                        }
                        Test::Modulo(accepted) => {
                            period = common(period, accepted.len() as u32)?;
                        }
                    }
                    let weight = |class: &Vec<usize>| -> u32 {
                        let of = terms
                            .iter()
                            .filter(|(at, _)| self.tables[*at].accepts[class[*at]]);
                        of.map(|(_, weight)| *weight).sum()
                    };
                    let weights: Vec<u32> = classes.iter().map(weight).collect();
                    let least = later(&next, &weights, u32::min);
                    let most = later(&next, &weights, u32::max);
                    for (matters, most) in matters.iter_mut().zip(most) {
                        *matters |= most > 0;
                    }
                    Sum::Tally {
                        weights,
                        least,
                        test,
                    }
                }
            });
        }
        if !self.has_empty {
            // There are as many empty heaps as one likes.
            matters[0] = false;
        }
        Ok(Counted {
            base: self.base,
            tree,
            sums,
            next,
            matters,
            threshold,
            period,
            digit_period: common(period, digit_period)?,
        })
    }
}

/// The largest common period of the numbers of heaps and of digits.
const MOST_RESIDUES: u32 = 4096;

/// The least common multiple of two periods, of which the first is at most [`MOST_RESIDUES`].
fn common(one: u32, other: u32) -> Read<u32> {
    let mut multiples = (one..=MOST_RESIDUES).step_by(one as usize);
    match multiples.find(|multiple| multiple % other == 0) {
        Some(common) => Ok(common),
        None => unsupported("this many residues of numbers of heaps", (0, 0).into()),
    }
}

/// The extreme of the weights that a class and all later ones have.
fn later(next: &[Vec<usize>], weights: &[u32], extreme: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut found = weights.to_vec();
    for _ in 0..next.len() {
        for class in 0..next.len() {
            for after in &next[class] {
                found[class] = extreme(found[class], found[*after]);
            }
        }
    }
    found
}

fn heap() -> Linear {
    Linear::variable(Variable::Before(0))
}

fn nonempty(path: Path, span: Span) -> Read<Option<Path>> {
    path.compare(&Linear::constant(1), Order::AtMost, &heap(), true, span)
}

fn either(yes: Tree, then: Tree, no: Tree, otherwise: Tree) -> Tree {
    Tree::Any(vec![
        Tree::All(vec![yes, then]),
        Tree::All(vec![Tree::Not(Box::new(no)), otherwise]),
    ])
}

/// What holds if a condition does, and if it does not.
fn either_way(condition: Tree, then: bool, otherwise: bool) -> Tree {
    match (then, otherwise) {
        (true, false) => condition,
        (false, true) => Tree::Not(Box::new(condition)),
        (same, _) => Tree::Const(same),
    }
}

fn is_list_of_all(list: &Expr<List>) -> bool {
    match &list.node {
        List::Sorted(inner) => is_list_of_all(inner),
        list => *list == List::Multiset(OfKind::Any),
    }
}

fn is_all(set: &Expr<Set>) -> bool {
    matches!(&set.node, Set::List(list) if is_list_of_all(list))
}
