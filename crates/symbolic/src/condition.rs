//! Translation of conditions to formulas.

use super::{
    Cases, Domain, Formula, FormulaOf, Interpreter, Item, Translation, numbers_too_large,
    unconditional,
};
use crate::Unsupported;
use itertools::Itertools;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Bool, Entry, Expr, Fold, Images, Like, List, Num, Order, Quantifier};
use nimrule_model::source::Span;

impl<D: Domain> Interpreter<'_, D> {
    /// The formula of a condition.
    pub fn condition(&mut self, condition: &Expr<Bool>) -> Translation<FormulaOf<D>> {
        let at = condition.span;
        match &condition.node {
            Bool::Const(value) => Ok(Formula::Const(*value)),
            Bool::Compare(order, left, right) => self.comparison(*order, left, right, at),
            Bool::In(num, set) => {
                let number = self.number(num)?;
                self.belongs(&number, set)
            }
            // Short-circuit: a part is evaluated only where the parts before it
            // do not decide the result.
            Bool::And(all) => self.connected(all, false),
            Bool::Or(any) => self.connected(any, true),
            Bool::Not(inner) => Ok(self.condition(inner)?.negated()),
            Bool::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                if let Formula::Const(value) = condition {
                    return self.condition(if value { then } else { otherwise });
                }
                let not = condition.clone().negated();
                let then = self.assuming(condition.clone(), |r| r.condition(then))?;
                let otherwise = self.assuming(not.clone(), |r| r.condition(otherwise))?;
                Ok(Formula::or([
                    Formula::and([condition, then]),
                    Formula::and([not, otherwise]),
                ]))
            }
            Bool::Let(slot, value, body) => {
                let mut any = Vec::new();
                for case in self.number(value)? {
                    let here = self.assuming(case.guard.clone(), |r| {
                        r.with_local(*slot, case.value, |r| r.condition(body))
                    })?;
                    any.push(Formula::exists(
                        case.existentials,
                        Formula::and([case.guard, here]),
                    ));
                }
                Ok(Formula::or(any))
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let mut any = Vec::new();
                for case in self.any_member(set)? {
                    let here = self.assuming(case.guard.clone(), |r| {
                        r.with_local(*slot, case.value, |r| r.condition(body))
                    })?;
                    let here = match quantifier {
                        Quantifier::Exists => here,
                        Quantifier::Forall => here.negated(),
                    };
                    any.push(Formula::exists(
                        case.existentials,
                        Formula::and([case.guard, here]),
                    ));
                }
                let found = Formula::or(any);
                Ok(match quantifier {
                    Quantifier::Exists => found,
                    Quantifier::Forall => found.negated(),
                })
            }
            Bool::Each(slot, body) => {
                let mut all = Vec::new();
                for amount in self.amounts.clone() {
                    all.push(self.with_local(*slot, amount, |r| r.condition(body))?);
                }
                Ok(Formula::and(all))
            }
            Bool::Distinct(list) => {
                let items = self.items(list)?;
                let mut all = Vec::new();
                for (place, one) in items.iter().enumerate() {
                    for other in &items[place + 1..] {
                        let equal =
                            self.compare_cases(&one.value, Order::Equal, &other.value, at)?;
                        let present = [one.present.clone(), other.present.clone(), equal];
                        all.push(Formula::and(present).negated());
                    }
                }
                Ok(Formula::and(all))
            }
            Bool::Same(left, right) => Ok(Formula::Const(
                self.picks.contains_key(left) && self.picks.get(left) == self.picks.get(right),
            )),
            Bool::Like(like) => self.like(like, at),
            Bool::Joined(_) => Err(Unsupported::new(crate::number::CONNECTION, at)),
        }
    }

    /// The disjunction of the conditions if `any`, else their conjunction.
    fn connected(&mut self, conditions: &[Expr<Bool>], any: bool) -> Translation<FormulaOf<D>> {
        let before = self.path.len();
        let mut parts = Vec::with_capacity(conditions.len());
        for one in conditions {
            let part = match self.condition(one) {
                Ok(part) if part != Formula::Const(any) => part,
                settled => {
                    self.path.truncate(before);
                    return settled;
                }
            };
            let known = part.clone();
            self.path.push(if any { known.negated() } else { known });
            parts.push(part);
        }
        self.path.truncate(before);
        Ok(if any {
            Formula::or(parts)
        } else {
            Formula::and(parts)
        })
    }

    fn comparison(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        if let Some((left, right)) = self.valuations(left, right)? {
            return self.compare_cases(&left, order, &right, at);
        }
        // The largest item is below a bound if all items are. This formula is much
        // shorter than one that determines the largest item.
        match (extreme(left), extreme(right)) {
            (Some((extreme, list)), None) => {
                let items = self.items(list)?;
                let right = self.number(right)?;
                let compared = Compared {
                    extreme,
                    of: &items,
                    order,
                    reversed: false,
                    with: &right,
                };
                self.extreme_compared(&compared, left.span)
            }
            (None, Some((extreme, list))) => {
                let left = self.number(left)?;
                let items = self.items(list)?;
                let compared = Compared {
                    extreme,
                    of: &items,
                    order,
                    reversed: true,
                    with: &left,
                };
                self.extreme_compared(&compared, right.span)
            }
            (Some(_), Some(_)) | (None, None) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.compare_cases(&left, order, &right, at)
            }
        }
    }

    fn extreme_compared(
        &mut self,
        compared: &Compared<'_, D>,
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        let items = compared.of;
        let some = Formula::or(items.iter().map(|item| item.present.clone()));
        self.record_fault(some.clone().negated(), EMPTY, at);
        let formula = match compared.order {
            Order::Equal | Order::NotEqual => {
                // The number bounds all items, and one item equals it.
                let mut all = Vec::new();
                let mut any = Vec::new();
                for item in items {
                    let (left, right) = match compared.extreme {
                        Extreme::Largest => (&item.value, compared.with),
                        Extreme::Smallest => (compared.with, &item.value),
                    };
                    let bounded = self.compare_cases(left, Order::AtMost, right, at)?;
                    all.push(Formula::or([item.present.clone().negated(), bounded]));
                    let equal = self.compare_cases(&item.value, Order::Equal, compared.with, at)?;
                    any.push(Formula::and([item.present.clone(), equal]));
                }
                let equal = Formula::and([Formula::and(all), Formula::or(any)]);
                match compared.order {
                    Order::Equal => equal,
                    _ => equal.negated(),
                }
            }
            Order::Less | Order::AtMost => {
                let every = (compared.extreme == Extreme::Largest) != compared.reversed;
                let mut parts = Vec::new();
                for item in items {
                    let (left, right) = match compared.reversed {
                        false => (&item.value, compared.with),
                        true => (compared.with, &item.value),
                    };
                    let holds = self.compare_cases(left, compared.order, right, at)?;
                    parts.push(if every {
                        Formula::or([item.present.clone().negated(), holds])
                    } else {
                        Formula::and([item.present.clone(), holds])
                    });
                }
                if every {
                    Formula::and(parts)
                } else {
                    Formula::or(parts)
                }
            }
        };
        // Without items the comparison is false.
        Ok(Formula::and([some, formula]))
    }
}

/// The reason why `max` and `min` may have no value.
pub(super) const EMPTY: &str = "the list may be empty, and then has no largest or smallest number";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Largest,
    Smallest,
}

/// The largest or smallest of some items, compared with a number.
struct Compared<'c, D: Domain> {
    extreme: Extreme,
    of: &'c [Item<D>],
    order: Order,
    /// The number is on the left.
    reversed: bool,
    with: &'c Cases<D>,
}

fn extreme(num: &Num) -> Option<(Extreme, &Expr<List>)> {
    let Num::Fold(fold, list) = num else {
        return None;
    };
    match fold {
        Fold::Max => Some((Extreme::Largest, list)),
        Fold::Min => Some((Extreme::Smallest, list)),
        Fold::Sum | Fold::Count => None,
    }
}

// `like` conditions: some image of the position under the symmetries of the
// board has this form.

/// The most images of a position.
const MAX_IMAGES: u128 = 5040;

/// The most heaps of a board whose subsets of nonempty heaps are enumerated.
const MAX_VANISHING: usize = 16;

/// An image of the position, and the condition under which it is one.
type Image<D> = (FormulaOf<D>, Vec<<D as Domain>::Value>);

impl<D: Domain> Interpreter<'_, D> {
    pub(super) fn like(&mut self, like: &Like, at: Span) -> Translation<FormulaOf<D>> {
        let mut any = Vec::new();
        for (condition, image) in self.images(like, at)? {
            let fits = self.assuming(condition.clone(), |r| r.fits(like, 0, &image))?;
            any.push(Formula::and([condition, fits]));
        }
        Ok(Formula::or(any))
    }

    /// The images that the form is compared with.
    fn images(&mut self, like: &Like, at: Span) -> Translation<Vec<Image<D>>> {
        let board = match like.images {
            Images::Multiset(_) => {
                return Err(Unsupported::new("the number of heaps is not fixed", at));
            }
            Images::Symmetries => {
                let images = self.permutations(at)?.into_iter().map(|image| {
                    let row = image.iter().map(|from| self.heaps[*from].clone());
                    (Formula::TRUE, row.collect())
                });
                return Ok(images.collect());
            }
            Images::Remaining(board) => board,
        };
        check_vanishing(board, at)?;
        let mut rows: Vec<Image<D>> = Vec::new();
        let loose: Vec<D::Value> = board
            .off_board(self.heaps.len())
            .map(|heap| self.size(heap))
            .collect();
        // The form may have fewer entries than there are heaps outside the board.
        let Some(count) = like.entries.len().checked_sub(loose.len()) else {
            return Ok(rows);
        };
        for left in (0..board.count).combinations(count) {
            let left: Vec<usize> = left.iter().map(|place| board.first + place).collect();
            let alive = self.exactly_nonempty(board, &left, at)?;
            for reading in board.reading_orders(left.len()) {
                let row = reading.iter().map(|place| &self.heaps[left[*place]]);
                rows.push((alive.clone(), row.chain(&loose).cloned().collect()));
            }
        }
        Ok(rows)
    }

    /// The formula that exactly these heaps of the board are nonempty.
    pub(super) fn exactly_nonempty(
        &self,
        board: ShrinkingBoard,
        left: &[usize],
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        let mut all = Vec::new();
        for place in board.places() {
            let heap = &self.heaps[place];
            all.push(match left.contains(&place) {
                true => self.is_nonempty(heap, at)?,
                false => self.is_empty(heap, at)?,
            });
        }
        Ok(Formula::and(all))
    }

    pub(super) fn is_nonempty(&self, heap: &D::Value, at: Span) -> Translation<FormulaOf<D>> {
        self.compared(&D::constant(0), Order::Less, heap, at)
    }

    pub(super) fn is_empty(&self, heap: &D::Value, at: Span) -> Translation<FormulaOf<D>> {
        self.compared(heap, Order::Equal, &D::constant(0), at)
    }

    /// The symmetries of the game: `image[i]` is the heap that is moved to
    /// place `i`.
    pub fn permutations(&self, at: Span) -> Translation<Vec<Vec<usize>>> {
        let symmetries = &self.game.facts.symmetries;
        if symmetries.order().is_none_or(|order| order > MAX_IMAGES) {
            return Err(Unsupported::too_large("there are too many symmetries", at));
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

    /// The formula that the image matches the form, from entry number `next` of
    /// the matching order on.
    fn fits(&mut self, like: &Like, next: usize, image: &[D::Value]) -> Translation<FormulaOf<D>> {
        let Some(&index) = like.order.get(next) else {
            return match &like.condition {
                Some(condition) => self.condition(condition),
                None => Ok(Formula::TRUE),
            };
        };
        let heap = &image[index];
        match &like.entries[index] {
            Entry::Bind(slot) => {
                self.with_local(*slot, heap.clone(), |r| r.fits(like, next + 1, image))
            }
            Entry::Equals(value) => {
                let values = self.number(value)?;
                let heap = unconditional(heap.clone());
                let equal = self.compare_cases(&values, Order::Equal, &heap, value.span)?;
                if equal == Formula::FALSE {
                    return Ok(Formula::FALSE);
                }
                let rest = self.assuming(equal.clone(), |r| r.fits(like, next + 1, image))?;
                Ok(Formula::and([equal, rest]))
            }
            Entry::Solve {
                slot,
                coefficient,
                value,
            } => {
                let at_value = value.span;
                let rests = self.with_local(*slot, D::constant(0), |r| r.number(value))?;
                let mut any = Vec::new();
                for case in rests {
                    let product =
                        D::minus(heap, &case.value).ok_or_else(|| numbers_too_large(at_value))?;
                    for solved in D::solutions(self, &product, *coefficient, at_value)? {
                        let known = Formula::and([case.guard.clone(), solved.guard]);
                        let fits = self.assuming(known.clone(), |r| {
                            r.with_local(*slot, solved.value, |r| r.fits(like, next + 1, image))
                        })?;
                        any.push(Formula::exists(
                            [case.existentials.as_slice(), &solved.existentials].concat(),
                            Formula::and([known, fits]),
                        ));
                    }
                }
                Ok(Formula::or(any))
            }
        }
    }
}

/// Refuses a board with more than [`MAX_VANISHING`] heaps.
pub(super) fn check_vanishing(board: ShrinkingBoard, at: Span) -> Translation<()> {
    if board.count > MAX_VANISHING {
        let what = "the heaps that may vanish are too many";
        return Err(Unsupported::too_large(what, at));
    }
    Ok(())
}
