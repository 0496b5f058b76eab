//! The translation of a condition to a [`Formula`].
//!
//! A number with conditions in it has one of several values, each in a case: a guard and a term.

use crate::formula::{Formula, Term};
use crate::{Unsupported, unsupported};
use nimrule_model::expr::{
    Arithmetic, Bool, Entry, Expr, Fold, Images, Like, List, Num, Order, Slot,
};
use nimrule_model::game::Game;
use std::collections::BTreeMap;
use std::ops::Range;

/// The largest number of images of a position with which a form is compared, and of cases.
const MAX_CASES: usize = 256;

/// The largest number of heaps of a board that shrinks.
const MAX_VANISHING: usize = 8;

/// The condition of a claim as a formula.
pub fn formula(game: &Game, condition: &Expr<Bool>) -> Result<Formula, Unsupported> {
    Reader { game }.condition(&condition.node, &BTreeMap::new())
}

/// The claim that the variable after those of the heaps is a number.
pub fn value(game: &Game, number: &Expr<Num>) -> Result<Formula, Unsupported> {
    let reader = Reader { game };
    let value = Term::Heap(game.heap_names.len());
    let cases = reader.number(&number.node, &BTreeMap::new())?.into_iter();
    Ok(Formula::or(cases.map(|(guard, term)| {
        let equal = Formula::equal(value.clone(), term);
        Formula::and(guard.into_iter().chain([equal]))
    })))
}

type Locals = BTreeMap<Slot, Term>;
/// A guard and the value if it holds.
type Case<T> = (Vec<Formula>, T);

struct Reader<'g> {
    game: &'g Game,
}

impl Reader<'_> {
    fn condition(&self, condition: &Bool, locals: &Locals) -> Result<Formula, Unsupported> {
        let all = |parts: &[Expr<Bool>]| -> Result<Vec<Formula>, Unsupported> {
            let parts = parts.iter();
            parts
                .map(|part| self.condition(&part.node, locals))
                .collect()
        };
        match condition {
            Bool::Const(true) => Ok(Formula::And(Vec::new())),
            Bool::Const(false) => Ok(Formula::Or(Vec::new())),
            Bool::Compare(order, left, right) => {
                self.comparison(*order, &left.node, &right.node, locals)
            }
            Bool::And(parts) => Ok(Formula::and(all(parts)?)),
            Bool::Or(parts) => Ok(Formula::or(all(parts)?)),
            Bool::Not(part) => Ok(self.condition(&part.node, locals)?.not()),
            Bool::If(guard, then, otherwise) => {
                let guard = self.condition(&guard.node, locals)?;
                let then = self.condition(&then.node, locals)?;
                let otherwise = self.condition(&otherwise.node, locals)?;
                Ok(Formula::or([
                    Formula::and([guard.clone(), then]),
                    Formula::and([guard.not(), otherwise]),
                ]))
            }
            Bool::Let(slot, value, body) => {
                let mut found = Vec::new();
                for (guard, value) in self.number(&value.node, locals)? {
                    let mut locals = locals.clone();
                    locals.insert(*slot, value);
                    let body = self.condition(&body.node, &locals)?;
                    found.push(Formula::and(guard.into_iter().chain([body])));
                }
                Ok(Formula::or(found))
            }
            Bool::Like(like) => self.like(like, locals),
            Bool::In(..)
            | Bool::Quantified { .. }
            | Bool::Each(..)
            | Bool::Distinct(_)
            | Bool::Same(..)
            | Bool::Joined(_) => unsupported("a condition other than comparisons and `like`"),
        }
    }

    fn comparison(
        &self,
        order: Order,
        left: &Num,
        right: &Num,
        locals: &Locals,
    ) -> Result<Formula, Unsupported> {
        if let Order::NotEqual = order {
            return Ok(self.comparison(Order::Equal, left, right, locals)?.not());
        }
        if let (Order::Equal, Some(value)) = (order, right.constant())
            && let Some(formula) = no_carry(left, value)?
        {
            return Ok(formula);
        }
        let mut found = Vec::new();
        for (guard, left) in self.number(left, locals)? {
            for (other, right) in self.number(right, locals)? {
                let compared = match order {
                    Order::Equal | Order::NotEqual => Formula::equal(left.clone(), right),
                    Order::Less => Formula::Less(left.clone(), right),
                    Order::AtMost => Formula::AtMost(left.clone(), right),
                };
                found.push(Formula::and(
                    guard.iter().cloned().chain(other).chain([compared]),
                ));
            }
        }
        Ok(Formula::or(found))
    }

    /// The cases of a number.
    fn number(&self, number: &Num, locals: &Locals) -> Result<Vec<Case<Term>>, Unsupported> {
        let plain = |term| Ok(vec![(Vec::new(), term)]);
        match number {
            Num::Const(value) => plain(Term::Const(*value)),
            Num::Heap(heap) => plain(Term::Heap(heap.index())),
            Num::Local(slot) => match locals.get(slot) {
                Some(term) => plain(term.clone()),
                None => unsupported("this name"),
            },
            Num::Negate(term) => {
                let cases = self.number(&term.node, locals)?.into_iter();
                Ok(cases
                    .map(|(guard, term)| (guard, Term::multiply(-1, term)))
                    .collect())
            }
            Num::Binary(Arithmetic::Modulo, number, modulus) => {
                let Some(modulus) = modulus.node.constant().filter(|modulus| *modulus > 0) else {
                    return unsupported("a modulus that is not a positive constant");
                };
                let cases = self.number(&number.node, locals)?.into_iter();
                Ok(cases
                    .map(|(guard, term)| (guard, Term::Remainder(term.into(), modulus)))
                    .collect())
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(&left.node, locals)?;
                let right = self.number(&right.node, locals)?;
                pairs(&left, &right, |left, right| match (operator, left, right) {
                    (Arithmetic::Add, left, right) => Ok(left.add(right)),
                    (Arithmetic::Subtract, left, right) => Ok(left.subtract(right)),
                    (Arithmetic::Multiply, Term::Const(factor), term)
                    | (Arithmetic::Multiply, term, Term::Const(factor)) => {
                        Ok(Term::multiply(factor, term))
                    }
                    (Arithmetic::Multiply, ..) => unsupported("the product of two heaps"),
                    _ => unsupported("division, powers and common divisors"),
                })
            }
            Num::If(guard, then, otherwise) => {
                let guard = self.condition(&guard.node, locals)?;
                let mut cases = Vec::new();
                for (holds, value) in [(guard.clone(), then), (guard.not(), otherwise)] {
                    for (mut inner, term) in self.number(&value.node, locals)? {
                        inner.insert(0, holds.clone());
                        cases.push((inner, term));
                    }
                }
                Ok(cases)
            }
            Num::Let(slot, value, body) => {
                let mut cases = Vec::new();
                for (guard, value) in self.number(&value.node, locals)? {
                    let mut locals = locals.clone();
                    locals.insert(*slot, value);
                    for (inner, term) in self.number(&body.node, &locals)? {
                        cases.push((guard.iter().cloned().chain(inner).collect(), term));
                    }
                }
                Ok(cases)
            }
            Num::Fold(Fold::Count, _) => unsupported("counting"),
            Num::Fold(fold, list) => self.fold(&list.node, locals, |left, right| match fold {
                Fold::Max => Term::Max(left.into(), right.into()),
                Fold::Min => Term::Min(left.into(), right.into()),
                Fold::Sum | Fold::Count => left.add(right),
            }),
            Num::Carryless {
                base,
                list,
                modulus,
            } if base.node.constant() == Some(2) && modulus.node.constant() == Some(2) => self
                .fold(&list.node, locals, |left, right| {
                    Term::Xor(left.into(), right.into())
                }),
            Num::Carryless { .. } => unsupported("this sum without carry"),
            Num::HeapAt { .. }
            | Num::SizeOf(_)
            | Num::IndexOf(_)
            | Num::Total
            | Num::Apply(..)
            | Num::Components(_) => unsupported("a function of this kind"),
        }
    }

    /// The members of a list joined by an operator.
    fn fold(
        &self,
        list: &List,
        locals: &Locals,
        join: impl Fn(Term, Term) -> Term,
    ) -> Result<Vec<Case<Term>>, Unsupported> {
        let members: Vec<Vec<Case<Term>>> = match list {
            List::Heaps(heaps) => {
                let heaps = heaps.iter();
                heaps
                    .map(|heap| vec![(Vec::new(), Term::Heap(heap.index()))])
                    .collect()
            }
            List::Items(items) => {
                let items = items.iter();
                items
                    .map(|item| self.number(&item.node, locals))
                    .collect::<Result<_, _>>()?
            }
            _ => return unsupported("a list other than heaps and numbers"),
        };
        let mut members = members.into_iter();
        let Some(first) = members.next() else {
            return unsupported("an empty list");
        };
        members.try_fold(first, |all, one| pairs(&all, &one, |a, b| Ok(join(a, b))))
    }

    /// Some image of the position matches a form.
    fn like(&self, like: &Like, locals: &Locals) -> Result<Formula, Unsupported> {
        let images = match like.images {
            Images::Symmetries => self.images()?,
            Images::Remaining(board) => {
                let readings = |left| board.reading_orders(left);
                return self.like_remaining(like, board.places(), readings, locals);
            }
            Images::Multiset(_) => return unsupported("forms of multisets"),
        };
        let mut found: Vec<Formula> = Vec::new();
        for image in images {
            found.push(sorted(self.matches(like, &image, 0, locals)?));
        }
        Ok(Formula::or(found))
    }

    /// Some reading of the remaining heaps matches a form, which has an entry for each.
    fn like_remaining(
        &self,
        like: &Like,
        board: Range<usize>,
        readings: impl Fn(usize) -> Vec<Vec<usize>>,
        locals: &Locals,
    ) -> Result<Formula, Unsupported> {
        if board.len() < self.game.heap_names.len() {
            return unsupported("heaps outside the shrinking board");
        }
        if board.len() > MAX_VANISHING {
            return unsupported(format!("more than {MAX_VANISHING} heaps that may vanish"));
        }
        let mut found: Vec<Formula> = Vec::new();
        for remaining in 0..1_usize << board.len() {
            let (left, gone): (Vec<usize>, Vec<usize>) =
                board.clone().partition(|place| remaining >> place & 1 == 1);
            if left.len() != like.entries.len() {
                continue;
            }
            let gone = gone
                .iter()
                .map(|heap| Formula::equal(Term::Heap(*heap), Term::Const(0)));
            let stay = left
                .iter()
                .map(|heap| Formula::Less(Term::Const(0), Term::Heap(*heap)));
            let support: Vec<Formula> = gone.chain(stay).collect();
            let mut here = Vec::new();
            for reading in readings(left.len()) {
                let image: Vec<usize> = reading.iter().map(|place| left[*place]).collect();
                here.push(sorted(self.matches(like, &image, 0, locals)?));
            }
            found.push(Formula::and(support.into_iter().chain([Formula::or(here)])));
        }
        if found.len() > MAX_CASES {
            return unsupported(format!("more than {MAX_CASES} cases"));
        }
        Ok(Formula::or(found))
    }

    /// The images of the heaps under the symmetries of board and rule.
    fn images(&self) -> Result<Vec<Vec<usize>>, Unsupported> {
        let symmetries = &self.game.facts.symmetries;
        if symmetries
            .order()
            .is_none_or(|order| order > MAX_CASES as u128)
        {
            return unsupported(format!("more than {MAX_CASES} symmetries"));
        }
        let places: Vec<u64> = (0..self.game.heap_names.len() as u64).collect();
        let mut images: Vec<Vec<usize>> = Vec::new();
        symmetries.any_image(&places, &mut |image| {
            images.push(image.iter().map(|from| *from as usize).collect());
            false
        });
        images.sort();
        images.dedup();
        Ok(images)
    }

    /// An image matches a form, from the `next`th entry on.
    fn matches(
        &self,
        like: &Like,
        image: &[usize],
        next: usize,
        locals: &Locals,
    ) -> Result<Formula, Unsupported> {
        let Some(&place) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(&condition.node, locals),
                None => Ok(Formula::And(Vec::new())),
            };
        };
        let size = Term::Heap(image[place]);
        let mut locals = locals.clone();
        match &like.entries[place] {
            Entry::Bind(slot) => {
                locals.insert(*slot, size);
                self.matches(like, image, next + 1, &locals)
            }
            Entry::Equals(value) => {
                let mut found = Vec::new();
                for (guard, value) in self.number(&value.node, &locals)? {
                    // Of equal heaps the first one stands for the name in what follows.
                    let mut locals = locals.clone();
                    if matches!(value, Term::Heap(_)) && size < value {
                        for known in locals.values_mut().filter(|known| **known == value) {
                            *known = size.clone();
                        }
                    }
                    let rest = self.matches(like, image, next + 1, &locals)?;
                    let here = Formula::equal(size.clone(), value);
                    found.push(Formula::and(guard.into_iter().chain([here, rest])));
                }
                Ok(Formula::or(found))
            }
            Entry::Solve {
                slot,
                coefficient: coefficient @ (1 | -1),
                value,
            } => {
                locals.insert(*slot, Term::Const(0));
                let mut found = Vec::new();
                for (guard, rest) in self.number(&value.node, &locals)? {
                    let solved = match coefficient {
                        1 => size.clone().subtract(rest),
                        _ => rest.subtract(size.clone()),
                    };
                    let mut locals = locals.clone();
                    locals.insert(*slot, solved);
                    let rest = self.matches(like, image, next + 1, &locals)?;
                    found.push(Formula::and(guard.into_iter().chain([rest])));
                }
                Ok(Formula::or(found))
            }
            Entry::Solve { .. } => unsupported("a form with a multiple of a name"),
        }
    }
}

/// `left == value`, if `left` is a sum without carry of all heaps.
fn no_carry(left: &Num, value: i64) -> Result<Option<Formula>, Unsupported> {
    match left {
        Num::Carryless {
            base,
            list,
            modulus,
        } if modulus.node.constant() != Some(2) => {
            let (Some(2), Some(modulus), List::Heaps(heaps), 0) = (
                base.node.constant(),
                modulus.node.constant().filter(|modulus| *modulus > 1),
                &list.node,
                value,
            ) else {
                return unsupported("a sum without carry, unless all heaps in base 2 make 0");
            };
            let heaps: Vec<usize> = heaps.iter().map(|heap| heap.index()).collect();
            let first: Vec<usize> = (0..heaps.len()).collect();
            match heaps == first {
                true => Ok(Some(Formula::NoCarry(heaps.len(), modulus))),
                false => unsupported("a sum without carry of some of the heaps"),
            }
        }
        _ => Ok(None),
    }
}

/// The parts of a conjunction in order: images under the symmetries of a form state the same in
/// another order.
fn sorted(formula: Formula) -> Formula {
    match Formula::and([formula]) {
        Formula::And(mut parts) => {
            parts.sort();
            Formula::And(parts)
        }
        formula => formula,
    }
}

/// The cases of two numbers joined.
fn pairs(
    left: &[Case<Term>],
    right: &[Case<Term>],
    join: impl Fn(Term, Term) -> Result<Term, Unsupported>,
) -> Result<Vec<Case<Term>>, Unsupported> {
    if left.len() * right.len() > MAX_CASES {
        return unsupported(format!("more than {MAX_CASES} cases"));
    }
    let mut found = Vec::new();
    for (guard, one) in left {
        for (other, two) in right {
            let guards = guard.iter().chain(other).cloned().collect();
            found.push((guards, join(one.clone(), two.clone())?));
        }
    }
    Ok(found)
}
