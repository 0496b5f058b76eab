//! What the language's expressions say of real sizes.
//!
//! A number becomes a list of cases, a polynomial where a guard holds, as for
//! whole sizes ([`crate::prove::meaning`]); but here products may stand, "less"
//! is not "at most one less", and nothing has digits.

mod list;

use super::formula::{Formula, Relation};
use super::number::{Polynomial, Term, Variable, first_free, of_heap, whole};
use crate::expr::{
    Arithmetic, Bool, Entry, Expr, HeapId, Images, Like, Num, Order, Pick, Quantifier, Slot,
};
use crate::game::Game;
use crate::prove::outside::Leaves;
use std::collections::BTreeMap;

/// What is said of sizes.
pub type Said = Formula<Polynomial>;

/// The result of reading an expression.
pub type Read<T> = Result<T, Leaves>;

pub const ALWAYS: Said = Formula::Const(true);
pub const NEVER: Said = Formula::Const(false);

/// A value where a guard holds.
#[derive(Debug, Clone)]
pub struct Case {
    pub guard: Said,
    pub value: Polynomial,
}

/// What a number is, case by case. Where two guards hold the values agree.
pub type Cases = Vec<Case>;

/// More cases of one number, or images of a position, are not told apart.
const MOST_CASES: usize = 4096;
const MOST_IMAGES: u128 = 5040;

/// Reads expressions at one position.
pub struct Reader<'g> {
    pub game: &'g Game,
    /// The sizes of the heaps as the expressions see them.
    pub heaps: Vec<Polynomial>,
    pub locals: BTreeMap<Slot, Polynomial>,
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    pub amounts: Vec<Polynomial>,
    /// What is known to hold where the expression is looked at.
    pub path: Vec<Said>,
    /// Each says where an expression has no value.
    pub faults: Vec<Said>,
    pub next: Variable,
}

fn too_large() -> Leaves {
    Leaves::new("*", "its products have too many factors")
}

fn too_many_cases() -> Leaves {
    Leaves::new("", "it falls into too many cases")
}

/// One certain value.
pub fn certain(value: Polynomial) -> Cases {
    vec![Case {
        guard: ALWAYS,
        value,
    }]
}

/// `left order right`, for single values.
pub fn compared(left: &Polynomial, order: Order, right: &Polynomial) -> Said {
    let apart = left.minus(right);
    match order {
        Order::Equal => Formula::compare(apart, Relation::Zero),
        Order::NotEqual => Formula::compare(apart, Relation::Zero).negated(),
        Order::Less => Formula::compare(apart, Relation::Negative),
        Order::AtMost => Formula::compare(apart, Relation::AtMostZero),
    }
}

/// How two numbers compare, in whichever case they are.
fn ordered(left: &Cases, order: Order, right: &Cases) -> Said {
    let mut any = Vec::with_capacity(left.len() * right.len());
    for one in left {
        for other in right {
            let holds = compared(&one.value, order, &other.value);
            any.push(Formula::and([
                one.guard.clone(),
                other.guard.clone(),
                holds,
            ]));
        }
    }
    Formula::or(any)
}

/// Cases with the same value become one, and those that cannot be vanish.
fn merged(cases: Cases) -> Read<Cases> {
    let mut by_value: BTreeMap<Polynomial, Vec<Said>> = BTreeMap::new();
    for case in cases {
        if case.guard != NEVER {
            by_value.entry(case.value).or_default().push(case.guard);
        }
    }
    if by_value.len() > MOST_CASES {
        return Err(too_many_cases());
    }
    let cases = by_value.into_iter().map(|(value, guards)| Case {
        guard: Formula::or(guards),
        value,
    });
    Ok(cases.collect())
}

/// What is made of two numbers, case by case.
fn both(
    left: &Cases,
    right: &Cases,
    made: impl Fn(&Polynomial, &Polynomial) -> Read<Polynomial>,
) -> Read<Cases> {
    if left.len() * right.len() > MOST_CASES {
        return Err(too_many_cases());
    }
    let mut cases = Vec::new();
    for one in left {
        for other in right {
            cases.push(Case {
                guard: Formula::and([one.guard.clone(), other.guard.clone()]),
                value: made(&one.value, &other.value)?,
            });
        }
    }
    merged(cases)
}

fn guarded(cases: Cases, by: &Said) -> impl Iterator<Item = Case> + use<'_> {
    cases.into_iter().map(|case| Case {
        guard: Formula::and([by.clone(), case.guard]),
        ..case
    })
}

impl<'g> Reader<'g> {
    /// Expressions about a position before a move.
    pub fn of_heaps(game: &'g Game) -> Reader<'g> {
        let heaps = game.heap_count();
        Reader {
            game,
            heaps: (0..heaps)
                .map(|heap| Polynomial::variable(of_heap(heap)))
                .collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
            path: Vec::new(),
            faults: Vec::new(),
            next: first_free(heaps),
        }
    }

    pub fn fresh(&mut self) -> Variable {
        self.next += 1;
        self.next - 1
    }

    /// Notes that an expression has no value where this holds.
    fn fault_where(&mut self, bad: Said) {
        let fault = Formula::and(self.path.iter().cloned().chain([bad]));
        if fault != NEVER {
            self.faults.push(fault);
        }
    }

    /// Does something while this is known to hold.
    fn where_holds<T>(&mut self, known: Said, then: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(known);
        let result = then(self);
        self.path.pop();
        result
    }

    /// Does something while a name stands for this.
    fn where_is<T>(
        &mut self,
        slot: Slot,
        value: Polynomial,
        then: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.locals.insert(slot, value);
        let result = then(self);
        match before {
            Some(before) => self.locals.insert(slot, before),
            None => self.locals.remove(&slot),
        };
        result
    }

    /// What a number is.
    pub fn number(&mut self, num: &Num) -> Read<Cases> {
        let whole_only = |word: &str| {
            Leaves::new(
                word,
                "it is for whole numbers, and the heaps are of real size",
            )
        };
        match num {
            Num::Const(value) => Ok(certain(Polynomial::constant(whole(*value)))),
            Num::Heap(heap) => Ok(certain(self.heaps[heap.index()].clone())),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index)?;
                let (mut cases, mut inside) = (Vec::new(), Vec::new());
                for (place, heap) in heaps.iter().enumerate() {
                    let at = certain(Polynomial::constant(whole(first + place as i64)));
                    let here = ordered(&index, Order::Equal, &at);
                    inside.push(here.clone());
                    cases.push(Case {
                        guard: here,
                        value: self.heaps[heap.index()].clone(),
                    });
                }
                self.fault_where(Formula::or(inside).negated());
                merged(cases)
            }
            Num::Local(slot) => match self.locals.get(slot) {
                Some(value) => Ok(certain(value.clone())),
                None => Err(Leaves::new("", "a name stands here for no number")),
            },
            Num::SizeOf(pick) => {
                let heap = self.picks.get(pick).and_then(|heaps| heaps.first());
                Ok(certain(match heap {
                    Some(heap) => self.heaps[heap.index()].clone(),
                    None => Polynomial::constant(whole(0)),
                }))
            }
            Num::Total => {
                let nothing = Polynomial::constant(whole(0));
                let amounts = self.amounts.iter();
                Ok(certain(
                    amounts.fold(nothing, |sum, amount| sum.plus(amount)),
                ))
            }
            Num::Negate(inner) => {
                let cases = self.number(inner)?.into_iter().map(|case| Case {
                    value: case.value.turned(),
                    ..case
                });
                Ok(cases.collect())
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                both(&left, &right, |left, right| match operator {
                    Arithmetic::Add => Ok(left.plus(right)),
                    Arithmetic::Subtract => Ok(left.minus(right)),
                    Arithmetic::Multiply => left.times(right).ok_or_else(too_large),
                    Arithmetic::Divide => Err(whole_only("div")),
                    Arithmetic::Modulo => Err(whole_only("mod")),
                    Arithmetic::NimSum => Err(whole_only("^")),
                })
            }
            Num::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                if let Formula::Const(value) = condition {
                    return self.number(if value { then } else { otherwise });
                }
                let not = condition.negated();
                let then = self.where_holds(condition.clone(), |r| r.number(then))?;
                let otherwise = self.where_holds(not.clone(), |r| r.number(otherwise))?;
                merged(
                    guarded(then, &condition)
                        .chain(guarded(otherwise, &not))
                        .collect(),
                )
            }
            Num::Let(slot, value, body) => {
                let mut cases = Vec::new();
                for case in self.number(value)? {
                    let guard = case.guard.clone();
                    let inner = self.where_holds(guard, |r| {
                        r.where_is(*slot, case.value, |r| r.number(body))
                    })?;
                    cases.extend(guarded(inner, &case.guard));
                }
                merged(cases)
            }
            Num::Fold(fold, list) => {
                let items = self.items(list)?;
                self.folded(*fold, &items)
            }
            Num::Carryless { .. } => Err(whole_only("carryless")),
            Num::Digit { .. } => Err(whole_only("digit")),
            Num::Isqrt(_) => Err(whole_only("isqrt")),
        }
    }

    /// Where a condition holds.
    pub fn condition(&mut self, condition: &Bool) -> Read<Said> {
        match condition {
            Bool::Const(value) => Ok(Formula::Const(*value)),
            Bool::Compare(order, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                Ok(ordered(&left, *order, &right))
            }
            Bool::In(num, set) => {
                let number = self.number(num)?;
                self.belongs(&number, set)
            }
            // What stands behind is looked at only where what stands before
            // does not settle it.
            Bool::And(all) => self.row(all, false),
            Bool::Or(any) => self.row(any, true),
            Bool::Not(inner) => Ok(self.condition(inner)?.negated()),
            Bool::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                if let Formula::Const(value) = condition {
                    return self.condition(if value { then } else { otherwise });
                }
                let not = condition.negated();
                let then = self.where_holds(condition.clone(), |r| r.condition(then))?;
                let otherwise = self.where_holds(not.clone(), |r| r.condition(otherwise))?;
                Ok(Formula::or([
                    Formula::and([condition, then]),
                    Formula::and([not, otherwise]),
                ]))
            }
            Bool::Let(slot, value, body) => {
                let mut any = Vec::new();
                for case in self.number(value)? {
                    let here = self.where_holds(case.guard.clone(), |r| {
                        r.where_is(*slot, case.value, |r| r.condition(body))
                    })?;
                    any.push(Formula::and([case.guard, here]));
                }
                Ok(Formula::or(any))
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let all = *quantifier == Quantifier::Forall;
                let mut any = Vec::new();
                for item in self.members(set)? {
                    for case in item.value {
                        let there = Formula::and([item.present.clone(), case.guard]);
                        let here = self.where_holds(there.clone(), |r| {
                            r.where_is(*slot, case.value, |r| r.condition(body))
                        })?;
                        let here = if all { here.negated() } else { here };
                        any.push(Formula::and([there, here]));
                    }
                }
                let found = Formula::or(any);
                Ok(if all { found.negated() } else { found })
            }
            Bool::Each(slot, body) => {
                let mut all = Vec::new();
                for amount in self.amounts.clone() {
                    all.push(self.where_is(*slot, amount, |r| r.condition(body))?);
                }
                Ok(Formula::and(all))
            }
            Bool::Distinct(list) => {
                let items = self.items(list)?;
                let mut all = Vec::new();
                for (place, one) in items.iter().enumerate() {
                    for other in &items[place + 1..] {
                        let equal = ordered(&one.value, Order::Equal, &other.value);
                        let present = [one.present.clone(), other.present.clone(), equal];
                        all.push(Formula::and(present).negated());
                    }
                }
                Ok(Formula::and(all))
            }
            Bool::Same(left, right) => Ok(Formula::Const(
                self.picks.contains_key(left) && self.picks.get(left) == self.picks.get(right),
            )),
            Bool::Like(like) => self.like(like),
        }
    }

    /// All of the conditions, or one of them where `any`.
    fn row(&mut self, conditions: &[Expr<Bool>], any: bool) -> Read<Said> {
        let before = self.path.len();
        let mut parts = Vec::with_capacity(conditions.len());
        for one in conditions {
            let part = self.condition(one);
            if part.is_err() || part == Ok(Formula::Const(any)) {
                self.path.truncate(before);
                return part;
            }
            let part = part?;
            self.path
                .push(if any { part.negated() } else { part.clone() });
            parts.push(part);
        }
        self.path.truncate(before);
        Ok(if any {
            Formula::or(parts)
        } else {
            Formula::and(parts)
        })
    }

    /// Some image of the position has this form.
    fn like(&mut self, like: &Like) -> Read<Said> {
        if like.images != Images::Symmetries {
            return Err(Leaves::new("like", "the number of heaps is not fixed"));
        }
        let heaps = self.heaps.clone();
        let mut any = Vec::new();
        for image in self.permutations("like")? {
            let image: Vec<Polynomial> = image.iter().map(|from| heaps[*from].clone()).collect();
            any.push(self.fits(like, 0, &image)?);
        }
        Ok(Formula::or(any))
    }

    /// The symmetries of the game, each with the heap that comes to each place.
    pub fn permutations(&self, word: &str) -> Read<Vec<Vec<usize>>> {
        let symmetries = &self.game.symmetries;
        if symmetries.order().is_none_or(|order| order > MOST_IMAGES) {
            return Err(Leaves::new(word, "there are too many symmetries"));
        }
        let places: Vec<u64> = (0..self.heaps.len() as u64).collect();
        let mut images = Vec::new();
        symmetries.any_image(&places, &mut |image| {
            images.push(image.iter().map(|from| *from as usize).collect::<Vec<_>>());
            false
        });
        images.sort_unstable();
        images.dedup();
        Ok(images)
    }

    /// Has the image this form, from the `next`th entry met on?
    fn fits(&mut self, like: &Like, next: usize, image: &[Polynomial]) -> Read<Said> {
        let Some(&index) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(condition),
                None => Ok(ALWAYS),
            };
        };
        let heap = image[index].clone();
        match &like.entries[index] {
            Entry::Bind(slot) => self.where_is(*slot, heap, |r| r.fits(like, next + 1, image)),
            Entry::Equals(value) => {
                let equal = ordered(&self.number(value)?, Order::Equal, &certain(heap));
                if equal == NEVER {
                    return Ok(NEVER);
                }
                let rest = self.where_holds(equal.clone(), |r| r.fits(like, next + 1, image))?;
                Ok(Formula::and([equal, rest]))
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                // What is left of the heap may be divided: sizes are real.
                let nothing = Polynomial::constant(whole(0));
                let rests = self.where_is(*slot, nothing, |r| r.number(value))?;
                let mut any = Vec::new();
                for case in rests {
                    let by = whole(*coefficient).recip();
                    let solved = heap.minus(&case.value).times_constant(&by);
                    let fits = self.where_holds(case.guard.clone(), |r| {
                        r.where_is(*slot, solved, |r| r.fits(like, next + 1, image))
                    })?;
                    any.push(Formula::and([case.guard, fits]));
                }
                Ok(Formula::or(any))
            }
        }
    }
}
