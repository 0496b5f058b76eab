//! Claims about a multiset of heaps as counting automata.
//!
//! A claim is a Boolean combination of atoms, of two kinds. A [`Column`] reads the digits of
//! all heaps, a place at a time: the sum of the digits of a place modulo a number. A [`Count`]
//! adds a small number for each heap, which a finite automaton reads off its digits.

use super::super::compile::Compiler;
use super::super::integers::{Formula, IntegerInterpreter, Integers, compare, constant, variable};
use super::window;
use nimrule_automata::{Dfa, Numeration};
use nimrule_limits::Limits;
use nimrule_model::expr::{
    Arithmetic, Bool, Expr, Fold, List, Num, OfKind, Order, Part, Quantifier, Set, Slot,
};
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::source::{Span, Spanned};
use nimrule_symbolic::formula::of_heap;
use nimrule_symbolic::{ProveError, Unsupported, exists_case};
use num_integer::Integer;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A Boolean combination of atoms.
#[derive(Debug, Clone)]
pub enum Truth {
    Const(bool),
    /// The column with this index accepts.
    Column(usize),
    /// The count with this index accepts.
    Count(usize),
    Not(Box<Truth>),
    And(Vec<Truth>),
    Or(Vec<Truth>),
}

/// A number that the digits of all heaps determine, a place at a time.
#[derive(Debug, Clone)]
pub struct Column {
    /// The sum of the digits of a place is taken modulo this number.
    pub modulus: u32,
    pub accepts: Accepts,
}

/// When a [`Column`] accepts.
#[derive(Debug, Clone)]
pub enum Accepts {
    /// The sum of the digits at each place is this number, the last place first; 0 at all
    /// others.
    Places(Vec<u32>),
    /// The sum of the heaps modulo the modulus is one of these.
    Residues(Vec<bool>),
    /// All heaps are equal. The sum of a place is 1 if its digits are, else 0.
    Equal,
}

/// A sum of small numbers, one for each heap.
#[derive(Debug, Clone)]
pub struct Count {
    /// The number of a heap, by the state of the local automaton after its digits.
    pub weights: Vec<u32>,
    /// The smallest number that may still follow each state.
    pub least: Vec<u32>,
    pub test: Test,
}

/// When a [`Count`] accepts.
#[derive(Debug, Clone)]
pub enum Test {
    AtLeast(u32),
    /// The remainder modulo the length of the list is accepted.
    Residues(Vec<bool>),
}

/// A claim as a counting automaton.
#[derive(Debug)]
pub struct CountingClaim {
    pub base: u8,
    pub truth: Truth,
    pub columns: Vec<Column>,
    pub counts: Vec<Count>,
    /// The states after each state of the local automaton, by digit. The start is 0; it is the
    /// state of an empty heap, too.
    pub next: Vec<Vec<usize>>,
    /// Whether the number of heaps in a state matters.
    pub is_counted: Vec<bool>,
    /// Numbers of heaps are exact below this.
    pub threshold: u32,
    /// From the threshold on numbers of heaps in one state are taken modulo this.
    pub period: u32,
    /// From the threshold on numbers of heaps with one digit are taken modulo this, a multiple
    /// of the period.
    pub letter_period: u32,
}

/// The most values that a number of each heap may take.
const MOST_VALUES: i64 = 16;
/// The largest constant with which a count is compared, and the largest modulus.
const MOST_COUNTED: i64 = 64;
/// The most states of the local automaton.
const MOST_STATES: usize = 64;

/// The largest common period of the numbers of heaps and of digits.
const MOST_RESIDUES: u32 = 4096;

/// The least common multiple of two periods.
fn common(one: u32, other: u32) -> Result<u32, Unsupported> {
    let common = one.checked_div(one.gcd(&other));
    let common = common.and_then(|part| part.checked_mul(other));
    common
        .filter(|common| *common <= MOST_RESIDUES)
        .ok_or_else(|| {
            let what = "its numbers of heaps need too many residues";
            Unsupported::too_large(what, (0, 0).into())
        })
}

impl CountingClaim {
    /// Translates the condition of a claim.
    ///
    /// # Errors
    ///
    /// It has an operation that no counting automaton reads, it may have no value, or a limit is
    /// exceeded.
    pub fn new(
        game: &Game,
        condition: &Expr<Bool>,
        base: u8,
        limits: &Limits,
    ) -> Result<CountingClaim, ProveError> {
        let one = window(game, 1);
        let numeration = Numeration::Base(base);
        let mut reader = Reader {
            interpreter: IntegerInterpreter::of_heaps(&one, Integers { numeration }),
            compiler: Compiler::new(numeration, limits),
            base,
            counts_empty: matches!(game.position_kind, PositionKind::Open(_)),
            columns: Vec::new(),
            counts: Vec::new(),
            predicates: Vec::new(),
        };
        let truth = reader.condition(condition)?;
        reader.check_no_faults()?;
        reader.finish(truth)
    }

    /// The positions whose value, a sum of digits without carry, is one more number. The digits
    /// of that number have to be subtracted in the one column ([`Moves::with_value`]).
    ///
    /// [`Moves::with_value`]: super::moves::Moves::with_value
    ///
    /// # Errors
    ///
    /// As for [`CountingClaim::new`], or the number is another one.
    pub fn of_values(
        game: &Game,
        value: &Expr<Num>,
        base: u8,
        limits: &Limits,
    ) -> Result<CountingClaim, ProveError> {
        let is_zero = Bool::Compare(Order::Equal, value.clone(), Num::Const(0).into());
        let is_zero = Spanned::new(is_zero, value.span);
        let claim = CountingClaim::new(game, &is_zero, base, limits)?;
        match (&claim.truth, claim.columns.as_slice()) {
            // Then the digits of the sum are those of a number.
            (Truth::Column(0), [column]) if column.modulus == u32::from(base) => Ok(claim),
            _ => {
                let what = "for any number of heaps the only values that are decided are sums of \
                            digits without carry, modulo the base";
                Err(Unsupported::new(what, value.span).into())
            }
        }
    }

    /// The number of last places at which a sum of digits need not be 0.
    pub fn places(&self) -> u8 {
        let places = self.columns.iter().map(|column| match &column.accepts {
            Accepts::Places(places) => places.len(),
            Accepts::Residues(_) | Accepts::Equal => 0,
        });
        places.max().unwrap_or(0) as u8
    }
}

impl CountingClaim {
    /// The numbers of the columns before the first column.
    pub fn start(&self) -> Vec<u32> {
        let columns = self.columns.iter();
        columns
            .map(|column| u32::from(!matches!(column.accepts, Accepts::Residues(_))))
            .collect()
    }

    /// The columns of the claim after a column with these sums of digits, with `left` more
    /// columns to come if that is known.
    pub fn column(&self, columns: &[u32], sums: &[u32], left: Option<u8>) -> Vec<u32> {
        let all = self.columns.iter().zip(columns).zip(sums);
        all.map(|((column, at), sum)| match &column.accepts {
            Accepts::Places(places) => {
                let place = left.and_then(|left| places.get(usize::from(left)));
                u32::from(*at == 1 && *sum == place.copied().unwrap_or(0) % column.modulus)
            }
            Accepts::Residues(_) => (u32::from(self.base) * at + sum) % column.modulus,
            Accepts::Equal => u32::from(*at == 1 && *sum == 1),
        })
        .collect()
    }

    /// Whether the set has a position that has been read, by the columns and the numbers of
    /// heaps in the states of the local automaton.
    pub fn holds(&self, columns: &[u32], number: &dyn Fn(usize) -> u32) -> bool {
        self.truth_holds(&self.truth, columns, number)
    }

    fn truth_holds(&self, truth: &Truth, columns: &[u32], number: &dyn Fn(usize) -> u32) -> bool {
        match truth {
            Truth::Const(value) => *value,
            Truth::Column(index) => match &self.columns[*index].accepts {
                Accepts::Places(_) | Accepts::Equal => columns[*index] == 1,
                Accepts::Residues(accepted) => accepted[columns[*index] as usize],
            },
            Truth::Count(index) => {
                let count = &self.counts[*index];
                let total = self.total(&count.weights, number);
                match &count.test {
                    Test::AtLeast(least) => total >= *least,
                    Test::Residues(accepted) => accepted[total as usize % accepted.len()],
                }
            }
            Truth::Not(inner) => !self.truth_holds(inner, columns, number),
            Truth::And(all) => all.iter().all(|one| self.truth_holds(one, columns, number)),
            Truth::Or(any) => any.iter().any(|one| self.truth_holds(one, columns, number)),
        }
    }

    /// The sum of these weights over the heaps in counted states.
    fn total(&self, weights: &[u32], number: &dyn Fn(usize) -> u32) -> u32 {
        let states = (0..self.next.len()).filter(|state| self.is_counted[*state]);
        states.map(|state| weights[state] * number(state)).sum()
    }

    /// Whether the set has every position that continues what has been read, or none of them;
    /// `None` if that is not known.
    pub fn settled(&self, columns: &[u32], number: &dyn Fn(usize) -> u32) -> Option<bool> {
        self.truth_settled(&self.truth, columns, number)
    }

    fn truth_settled(
        &self,
        truth: &Truth,
        columns: &[u32],
        number: &dyn Fn(usize) -> u32,
    ) -> Option<bool> {
        let all = |parts: &[Truth], absorbing: bool| {
            let mut known = true;
            for part in parts {
                match self.truth_settled(part, columns, number) {
                    Some(value) if value == absorbing => return Some(absorbing),
                    Some(_) => {}
                    None => known = false,
                }
            }
            known.then_some(!absorbing)
        };
        match truth {
            Truth::Const(value) => Some(*value),
            Truth::Column(index) => match self.columns[*index].accepts {
                Accepts::Places(_) | Accepts::Equal if columns[*index] == 0 => Some(false),
                _ => None,
            },
            Truth::Count(index) => {
                let count = &self.counts[*index];
                let Test::AtLeast(least) = count.test else {
                    return None;
                };
                (self.total(&count.least, number) >= least).then_some(true)
            }
            Truth::Not(inner) => self
                .truth_settled(inner, columns, number)
                .map(|value| !value),
            Truth::And(parts) => all(parts, false),
            Truth::Or(parts) => all(parts, true),
        }
    }
}

/// A count before the local automaton is built: the predicates, with the number that a heap
/// adds for which each holds.
struct OpenCount {
    terms: Vec<(usize, u32)>,
    test: Test,
}

struct Reader<'r> {
    interpreter: IntegerInterpreter<'r>,
    compiler: Compiler,
    base: u8,
    /// Whether empty heaps are heaps: where their number is left open.
    counts_empty: bool,
    columns: Vec<Column>,
    counts: Vec<OpenCount>,
    /// The automata of the predicates of one heap.
    predicates: Vec<Arc<Dfa>>,
}

/// A number that is compared with a constant.
enum Quantity {
    Const(i64),
    /// The sum of the digits of each place modulo a number.
    Carryless {
        modulus: i64,
    },
    /// The sum of the sizes of the heaps.
    Sum,
    /// The sum of these numbers over the heaps for which the predicates hold.
    Weighted(Vec<(usize, u32)>),
    /// The nim-sum of these numbers.
    NimSum(Vec<(usize, u32)>),
    /// The remainder of a sum.
    Modulo(Box<Quantity>, i64),
    /// The largest heap, 0 if there is none.
    Largest,
    /// The smallest heap, 0 if there is none.
    Smallest,
    /// The largest heap without the smallest one.
    Spread,
}

impl Reader<'_> {
    fn condition(&mut self, condition: &Expr<Bool>) -> Result<Truth, ProveError> {
        let at = condition.span;
        Ok(match &condition.node {
            Bool::Const(value) => Truth::Const(*value),
            Bool::Not(inner) => not(self.condition(inner)?),
            Bool::And(all) => Truth::And(self.all(all)?),
            Bool::Or(any) => Truth::Or(self.all(any)?),
            Bool::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                let (then, otherwise) = (self.condition(then)?, self.condition(otherwise)?);
                choice(condition, then, otherwise)
            }
            Bool::Compare(order, left, right) => self.comparison(*order, left, right, at)?,
            Bool::In(number, set) => match &set.node {
                Set::Items(items) => {
                    let equal = items
                        .iter()
                        .map(|item| self.comparison(Order::Equal, number, item, at));
                    Truth::Or(equal.collect::<Result<_, _>>()?)
                }
                Set::Range(low, high) => {
                    let mut all = vec![self.comparison(Order::AtMost, low, number, at)?];
                    if let Some(high) = high {
                        all.push(self.comparison(Order::AtMost, number, high, at)?);
                    }
                    Truth::And(all)
                }
                _ => return Err(unread(at)),
            },
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } if is_all_heaps(set) => {
                let exists = *quantifier == Quantifier::Exists;
                let predicate = self.predicate(*slot, Some(&**body), !exists, at)?;
                let some = self.at_least(vec![(predicate, 1)], 1, at)?;
                if exists { some } else { not(some) }
            }
            Bool::Let(..)
            | Bool::Quantified { .. }
            | Bool::Each(..)
            | Bool::Distinct(_)
            | Bool::Same(..)
            | Bool::Like(_)
            | Bool::Joined(_) => return Err(unread(at)),
        })
    }

    fn all(&mut self, conditions: &[Expr<Bool>]) -> Result<Vec<Truth>, ProveError> {
        conditions.iter().map(|one| self.condition(one)).collect()
    }

    fn comparison(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        at: Span,
    ) -> Result<Truth, ProveError> {
        for (of, is_left) in [(left, true), (right, false)] {
            if let Num::If(condition, then, otherwise) = &of.node {
                let condition = self.condition(condition)?;
                let mut compared = |value| match is_left {
                    true => self.comparison(order, value, right, at),
                    false => self.comparison(order, left, value, at),
                };
                let (then, otherwise) = (compared(then)?, compared(otherwise)?);
                return Ok(choice(condition, then, otherwise));
            }
        }
        let (left, right) = (self.quantity(left)?, self.quantity(right)?);
        // Each order is a combination of "at least a constant", or of equality.
        match (left, right) {
            (Quantity::Const(left), Quantity::Const(right)) => {
                Ok(Truth::Const(order.holds(left, right)))
            }
            (of, Quantity::Const(value)) => match order {
                Order::Equal => self.equal(&of, value, at),
                Order::NotEqual => Ok(not(self.equal(&of, value, at)?)),
                Order::Less => Ok(not(self.not_below(&of, value, at)?)),
                Order::AtMost => Ok(not(self.not_below(&of, value + 1, at)?)),
            },
            (Quantity::Const(value), of) => match order {
                Order::Equal => self.equal(&of, value, at),
                Order::NotEqual => Ok(not(self.equal(&of, value, at)?)),
                Order::Less => self.not_below(&of, value + 1, at),
                Order::AtMost => self.not_below(&of, value, at),
            },
            (Quantity::Largest, Quantity::Smallest) if self.counts_empty => {
                Ok(self.extremes(order, true))
            }
            (Quantity::Smallest, Quantity::Largest) if self.counts_empty => {
                Ok(self.extremes(order, false))
            }
            _ => Err(Unsupported::new(
                "two numbers that both depend on any number of heaps are compared",
                at,
            )
            .into()),
        }
    }

    /// Compares the largest heap with the smallest one; the other way if it is on the right.
    fn extremes(&mut self, order: Order, largest_is_left: bool) -> Truth {
        let equal = self.column(1, Accepts::Equal);
        match (order, largest_is_left) {
            (Order::Equal, _) | (Order::AtMost, true) => equal,
            (Order::NotEqual, _) | (Order::Less, false) => not(equal),
            (Order::Less, true) => Truth::Const(false),
            (Order::AtMost, false) => Truth::Const(true),
        }
    }

    fn quantity(&mut self, num: &Expr<Num>) -> Result<Quantity, ProveError> {
        let at = num.span;
        match &num.node {
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let (of, modulus_of) = (base, modulus);
                let base = self.interpreter.constant_of(of)?;
                let modulus = self.interpreter.constant_of(modulus_of)?;
                if is_heaps(list) {
                    if base != i64::from(self.base) {
                        return Err(Unsupported::new(OTHER_BASE, at).into());
                    }
                    return match (1..=MOST_COUNTED).contains(&modulus) {
                        true => Ok(Quantity::Carryless { modulus }),
                        false => Err(Unsupported::too_large("its modulus is too large", at).into()),
                    };
                }
                match (base, modulus) {
                    (2, 2) => Ok(Quantity::NimSum(self.weights(list)?)),
                    _ => Err(unread(at)),
                }
            }
            Num::Fold(fold, list) if is_heaps(list) => Ok(match fold {
                Fold::Max => Quantity::Largest,
                Fold::Min => Quantity::Smallest,
                Fold::Sum => Quantity::Sum,
                Fold::Count => Quantity::Weighted(vec![(self.every_heap()?, 1)]),
            }),
            Num::Fold(Fold::Sum, list) => Ok(Quantity::Weighted(self.weights(list)?)),
            Num::Fold(Fold::Count, list) => {
                let List::Gathered {
                    slot,
                    over,
                    condition,
                    ..
                } = &list.node
                else {
                    return Err(unread(at));
                };
                if !is_all_heaps(over) {
                    return Err(unread(at));
                }
                let predicate = self.predicate(*slot, condition.as_deref(), false, at)?;
                Ok(Quantity::Weighted(vec![(predicate, 1)]))
            }
            Num::Binary(Arithmetic::Modulo, of, modulus) if reads_heaps(of) => {
                let value = self.interpreter.constant_of(modulus)?;
                if !(1..=MOST_COUNTED).contains(&value) {
                    let what = "the modulus is not positive, or too large";
                    return Err(Unsupported::new(what, modulus.span).into());
                }
                match self.quantity(of)? {
                    of @ (Quantity::Sum | Quantity::Weighted(_)) => {
                        Ok(Quantity::Modulo(Box::new(of), value))
                    }
                    _ => Err(unread(at)),
                }
            }
            Num::Binary(Arithmetic::Subtract, one, other)
                if self.counts_empty && reads_heaps(num) =>
            {
                match (self.quantity(one)?, self.quantity(other)?) {
                    (Quantity::Largest, Quantity::Smallest) => Ok(Quantity::Spread),
                    _ => Err(unread(at)),
                }
            }
            _ if reads_heaps(num) => Err(unread(at)),
            _ => Ok(Quantity::Const(self.interpreter.constant_of(num)?)),
        }
    }

    /// Whether a quantity equals a constant.
    fn equal(&mut self, of: &Quantity, value: i64, at: Span) -> Result<Truth, ProveError> {
        match of {
            Quantity::Carryless { modulus } => {
                let base = i64::from(self.base);
                if value < 0 {
                    return Ok(Truth::Const(false));
                }
                if value > 0 && *modulus > base {
                    let what = "a sum of digits without carry that may exceed the digits of the \
                                base is compared with a number other than 0";
                    return Err(Unsupported::new(what, at).into());
                }
                let (mut places, mut rest) = (Vec::new(), value);
                while rest > 0 {
                    places.push((rest % base) as u32);
                    rest /= base;
                }
                if places.len() > MOST_PLACES {
                    return Err(too_large(at));
                }
                if places.iter().any(|digit| i64::from(*digit) >= *modulus) {
                    return Ok(Truth::Const(false));
                }
                Ok(self.column(*modulus, Accepts::Places(places)))
            }
            Quantity::Modulo(of, modulus) => {
                let accepted = (0..*modulus).map(|rest| rest == value).collect();
                self.residues(of, accepted, at)
            }
            Quantity::NimSum(terms) => {
                if value < 0 {
                    return Ok(Truth::Const(false));
                }
                let mut all = Vec::new();
                let most = terms.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
                if value > i64::from(most) && value.ilog2() > most.checked_ilog2().unwrap_or(0) {
                    return Ok(Truth::Const(false));
                }
                for bit in 0..=most.checked_ilog2().unwrap_or(0) {
                    let has = |of: i64| of >> bit & 1 == 1;
                    let odd = terms.iter().filter(|(_, weight)| has(i64::from(*weight)));
                    let odd: Vec<(usize, u32)> = odd.map(|(of, _)| (*of, 1)).collect();
                    let test = Test::Residues(vec![!has(value), has(value)]);
                    all.push(self.count(odd, test));
                }
                Ok(Truth::And(all))
            }
            _ => {
                let above = not(self.not_below(of, value + 1, at)?);
                Ok(Truth::And(vec![self.not_below(of, value, at)?, above]))
            }
        }
    }

    /// Whether a quantity is at least a constant.
    fn not_below(&mut self, of: &Quantity, value: i64, at: Span) -> Result<Truth, ProveError> {
        if value <= 0 {
            return Ok(Truth::Const(true));
        }
        match of {
            Quantity::Sum => {
                // Of each heap no more counts than what is needed.
                if value > MOST_VALUES {
                    return Err(too_large(at));
                }
                let mut terms = Vec::new();
                for size in 1..value {
                    terms.push((self.size(Order::Equal, size, at)?, size as u32));
                }
                terms.push((self.size(Order::AtMost, value, at)?, value as u32));
                self.at_least(terms, value, at)
            }
            Quantity::Weighted(terms) => self.at_least(terms.clone(), value, at),
            Quantity::Modulo(of, modulus) => {
                let accepted = (0..*modulus).map(|rest| rest >= value).collect();
                self.residues(of, accepted, at)
            }
            Quantity::Largest => {
                let large = self.size(Order::AtMost, value, at)?;
                self.at_least(vec![(large, 1)], 1, at)
            }
            Quantity::Smallest => {
                let every = self.every_heap()?;
                let small = self.size(Order::AtMost, value, at)?;
                let small = self.complement(small)?;
                let some = self.at_least(vec![(every, 1)], 1, at)?;
                let smaller = self.at_least(vec![(small, 1)], 1, at)?;
                Ok(Truth::And(vec![some, not(smaller)]))
            }
            Quantity::Spread if value == 1 => Ok(not(self.column(1, Accepts::Equal))),
            Quantity::Spread => Err(unread(at)),
            Quantity::Carryless { .. } if value == 1 => Ok(not(self.equal(of, 0, at)?)),
            Quantity::Carryless { .. } | Quantity::NimSum(_) | Quantity::Const(_) => Err(
                Unsupported::new("a sum of digits without carry is compared by its size", at)
                    .into(),
            ),
        }
    }

    fn residues(
        &mut self,
        of: &Quantity,
        accepted: Vec<bool>,
        at: Span,
    ) -> Result<Truth, ProveError> {
        match of {
            Quantity::Sum => Ok(self.column(accepted.len() as i64, Accepts::Residues(accepted))),
            Quantity::Weighted(terms) => Ok(self.count(terms.clone(), Test::Residues(accepted))),
            _ => Err(unread(at)),
        }
    }

    fn at_least(
        &mut self,
        terms: Vec<(usize, u32)>,
        value: i64,
        at: Span,
    ) -> Result<Truth, ProveError> {
        match (1..=MOST_COUNTED).contains(&value) {
            true => Ok(self.count(terms, Test::AtLeast(value as u32))),
            false if value <= 0 => Ok(Truth::Const(true)),
            false => Err(too_large(at)),
        }
    }

    fn count(&mut self, terms: Vec<(usize, u32)>, test: Test) -> Truth {
        self.counts.push(OpenCount { terms, test });
        Truth::Count(self.counts.len() - 1)
    }

    fn column(&mut self, modulus: i64, accepts: Accepts) -> Truth {
        let modulus = modulus as u32;
        self.columns.push(Column { modulus, accepts });
        Truth::Column(self.columns.len() - 1)
    }

    /// The numbers of the heaps of a list `value for h in heaps where condition`: for each of
    /// the values except 0 the predicate of the heaps that have it.
    fn weights(&mut self, list: &Expr<List>) -> Result<Vec<(usize, u32)>, ProveError> {
        let at = list.span;
        let List::Gathered {
            slot,
            over,
            value,
            condition,
        } = &list.node
        else {
            return Err(unread(at));
        };
        if !is_all_heaps(over) {
            return Err(unread(at));
        }
        for part in [
            Some(Part::num(value)),
            condition.as_ref().map(|c| Part::bool(c)),
        ] {
            check_reads_one(part)?;
        }
        let heap = variable(of_heap(0));
        let (there, cases) = self.interpreter.with_local(*slot, heap, |reader| {
            let there = match condition {
                Some(condition) => reader.condition(condition)?,
                None => Formula::TRUE,
            };
            let cases = reader.assuming(there.clone(), |reader| reader.number(value))?;
            Ok((there, cases))
        })?;
        let mut rest = vec![self.there(), there.clone()];
        let mut terms = Vec::new();
        for number in 0..=MOST_VALUES {
            let is = exists_case(&cases, |value| {
                self.interpreter
                    .compared(value, Order::Equal, &constant(number), at)
            })?;
            rest.push(is.clone().negated());
            if number > 0 && is != Formula::FALSE {
                let of = self.add(&Formula::and([self.there(), there.clone(), is]))?;
                if !self.predicates[of].is_empty() {
                    terms.push((of, number as u32));
                }
            }
        }
        if !self.compiler.automaton(&Formula::and(rest))?.is_empty() {
            let what = "a number of each heap that may be negative or exceed 16 is added up";
            return Err(Unsupported::new(what, value.span).into());
        }
        Ok(terms)
    }

    /// The predicate that a heap is nonempty and satisfies a condition, or does not.
    fn predicate(
        &mut self,
        slot: Slot,
        condition: Option<&Expr<Bool>>,
        negated: bool,
        at: Span,
    ) -> Result<usize, ProveError> {
        let Some(condition) = condition else {
            return self.every_heap();
        };
        check_reads_one(Some(Part::bool(condition)))?;
        let heap = variable(of_heap(0));
        let holds = self
            .interpreter
            .with_local(slot, heap, |reader| reader.condition(condition))
            .map_err(|unsupported| unsupported.or_at(at))?;
        let holds = if negated { holds.negated() } else { holds };
        self.add(&Formula::and([self.there(), holds]))
    }

    /// The condition that a heap is one of the position.
    fn there(&self) -> Formula {
        match self.counts_empty {
            true => Formula::TRUE,
            false => nonempty(),
        }
    }

    fn every_heap(&mut self) -> Result<usize, ProveError> {
        self.add(&self.there())
    }

    /// The predicate that a number and the size of a heap are in an order.
    fn size(&mut self, order: Order, value: i64, at: Span) -> Result<usize, ProveError> {
        let heap = variable(of_heap(0));
        let holds = self
            .interpreter
            .compared(&constant(value), order, &heap, at)?;
        self.add(&Formula::and([self.there(), holds]))
    }

    fn add(&mut self, formula: &Formula) -> Result<usize, ProveError> {
        let automaton = self.compiler.automaton(formula)?;
        self.predicates.push(automaton);
        Ok(self.predicates.len() - 1)
    }

    /// The predicate of the nonempty heaps for which another does not hold.
    fn complement(&mut self, of: usize) -> Result<usize, ProveError> {
        let every = self.compiler.automaton(&self.there())?;
        let others = every.and_not(&self.predicates[of], &self.compiler.budget)?;
        self.predicates.push(Arc::new(others));
        Ok(self.predicates.len() - 1)
    }

    /// Checks that the conditions have a value for every nonempty heap.
    fn check_no_faults(&mut self) -> Result<(), ProveError> {
        for fault in &self.interpreter.faults {
            let condition = Formula::and([self.there(), fault.condition.clone()]);
            if !self.compiler.automaton(&condition)?.is_empty() {
                return Err(fault.refused().into());
            }
        }
        Ok(())
    }

    /// Builds the local automaton: the product of the predicates.
    fn finish(self, truth: Truth) -> Result<CountingClaim, ProveError> {
        let digits = self.base;
        let start: Vec<u32> = self.predicates.iter().map(|of| of.start()).collect();
        let mut index = BTreeMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut next: Vec<Vec<usize>> = Vec::new();
        while let Some(state) = states.get(next.len()).cloned() {
            self.compiler.budget.limits().check_time()?;
            let mut row = Vec::new();
            for digit in 0..digits {
                let moved = self.predicates.iter().zip(&state);
                let moved: Vec<u32> = moved.map(|(of, at)| of.after(*at, &|_| digit)).collect();
                let new = states.len();
                let place = *index.entry(moved.clone()).or_insert(new);
                if place == new {
                    states.push(moved);
                }
                row.push(place);
            }
            next.push(row);
            if states.len() > MOST_STATES {
                let what = "its conditions on one heap need too many states";
                return Err(Unsupported::too_large(what, (0, 0).into()).into());
            }
        }
        let holds = |state: usize, predicate: usize| {
            self.predicates[predicate].is_accepting(states[state][predicate])
        };
        let (mut threshold, mut period) = (0, 1_u32);
        let mut counts = Vec::new();
        for open in &self.counts {
            match &open.test {
                Test::AtLeast(value) => threshold = threshold.max(*value),
                Test::Residues(accepted) => {
                    period = common(period, accepted.len() as u32)?;
                }
            }
            let weight = |state: usize| {
                let held = open.terms.iter().filter(|(of, _)| holds(state, *of));
                held.map(|(_, weight)| *weight).sum::<u32>()
            };
            let weights: Vec<u32> = (0..states.len()).map(weight).collect();
            let least = closure(&next, &weights, u32::min);
            counts.push(Count {
                weights,
                least,
                test: open.test.clone(),
            });
        }
        let mut is_counted = vec![false; states.len()];
        for count in &counts {
            let most = closure(&next, &count.weights, u32::max);
            for (counted, most) in is_counted.iter_mut().zip(most) {
                *counted |= most > 0;
            }
        }
        if !self.counts_empty {
            // The start has as many heaps as one likes.
            is_counted[0] = false;
        }
        let mut moduli = self.columns.iter().map(|column| column.modulus);
        let letter_period = moduli.try_fold(period, common)?;
        Ok(CountingClaim {
            base: self.base,
            truth,
            columns: self.columns,
            counts,
            next,
            is_counted,
            threshold,
            period,
            letter_period,
        })
    }
}

/// The most places in which a sum of digits is not 0.
const MOST_PLACES: usize = 6;

const OTHER_BASE: &str = "its base cannot be combined with the others";

/// Combines the numbers of all states that may follow each state.
fn closure(next: &[Vec<usize>], numbers: &[u32], combine: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut all = numbers.to_vec();
    loop {
        let before = all.clone();
        for (state, after) in next.iter().enumerate() {
            for follower in after {
                all[state] = combine(all[state], before[*follower]);
            }
        }
        if all == before {
            return all;
        }
    }
}

fn nonempty() -> Formula {
    let positive = compare(&constant(1), Order::AtMost, &variable(of_heap(0)));
    positive.unwrap_or(Formula::TRUE)
}

fn not(truth: Truth) -> Truth {
    match truth {
        Truth::Const(value) => Truth::Const(!value),
        Truth::Not(inner) => *inner,
        other => Truth::Not(Box::new(other)),
    }
}

fn choice(condition: Truth, then: Truth, otherwise: Truth) -> Truth {
    Truth::Or(vec![
        Truth::And(vec![condition.clone(), then]),
        Truth::And(vec![not(condition), otherwise]),
    ])
}

/// The refusal of an expression that no counting automaton reads.
fn unread(at: Span) -> ProveError {
    let what = "for any number of heaps this is not counted: sums without carry, sums and counts \
                modulo a constant, counts compared with a constant, the largest and the smallest \
                heap are";
    Unsupported::new(what, at).into()
}

fn too_large(at: Span) -> ProveError {
    Unsupported::too_large(
        "a number with which the heaps are compared is too large",
        at,
    )
    .into()
}

/// Whether a list is that of all heaps of a multiset.
pub fn is_heaps(list: &Expr<List>) -> bool {
    match &list.node {
        List::Multiset(kind) => *kind == OfKind::Any,
        List::Sorted(inner) => is_heaps(inner),
        _ => false,
    }
}

fn is_all_heaps(set: &Expr<Set>) -> bool {
    matches!(&set.node, Set::List(list) if is_heaps(list))
}

fn reads_heaps(num: &Expr<Num>) -> bool {
    Part::num(num).node.reads_heaps()
}

/// Checks that a condition on one heap does not read the others.
fn check_reads_one(part: Option<Spanned<Part<'_>>>) -> Result<(), ProveError> {
    match part {
        Some(part) if part.node.reads_heaps() => {
            let what = "a condition on one heap reads the others, whose number is not fixed";
            Err(Unsupported::new(what, part.span).into())
        }
        _ => Ok(()),
    }
}
