//! Substitution of numbers in expressions.

use super::{Bool, Fold, HeapId, HeapSet, List, Num, Pick, Quantifier, Region, Set, Slot};
use crate::source::Spanned;

/// A substitution: returns the replacement of a number, or `None` to keep it.
/// The slots are the variables that the expression binds around the number.
pub type Replacement<'f> = dyn FnMut(&Num, &[Slot]) -> Option<Num> + 'f;

impl Bool {
    /// Applies a substitution to every number in the condition, outermost first.
    /// A replacement is not searched again. Forms are left unchanged.
    pub fn replace(&mut self, replacement: &mut Replacement<'_>) {
        Replacer {
            replacement,
            bound: Vec::new(),
            all_of: None,
            heaps: &[],
        }
        .condition(self);
    }
}

impl Bool {
    /// Expresses the amounts of a step that takes all tokens of a selection by the sizes
    /// of its heaps.
    pub fn take_all_of(&mut self, pick: Pick) {
        Replacer {
            replacement: &mut |num, _| match num {
                Num::Total => {
                    let all = Spanned::from(List::Picked(pick));
                    Some(Num::Fold(Fold::Sum, all))
                }
                _ => None,
            },
            bound: Vec::new(),
            all_of: Some(pick),
            heaps: &[],
        }
        .condition(self);
    }
}

macro_rules! with_heaps {
    ($kind:ident, $visit:ident) => {
        impl $kind {
            /// Replaces the heaps of a multiset by these, of which there is at least one.
            pub fn with_heaps(&mut self, heaps: &[HeapId]) {
                Replacer {
                    replacement: &mut |_, _| None,
                    bound: Vec::new(),
                    all_of: None,
                    heaps,
                }
                .$visit(self);
            }
        }
    };
}
with_heaps!(Bool, condition);
with_heaps!(Num, number);

impl Num {
    /// Applies a substitution to the number and every number in it, as
    /// [`Bool::replace`].
    pub fn replace(&mut self, replacement: &mut Replacement<'_>) {
        Replacer {
            replacement,
            bound: Vec::new(),
            all_of: None,
            heaps: &[],
        }
        .number(self);
    }
}

impl Set {
    /// Applies a substitution to every number in the set, as [`Bool::replace`].
    pub fn replace(&mut self, replacement: &mut Replacement<'_>) {
        Replacer {
            replacement,
            bound: Vec::new(),
            all_of: None,
            heaps: &[],
        }
        .set(self);
    }
}

/// The traversal that applies a substitution.
struct Replacer<'f, 'g> {
    replacement: &'f mut Replacement<'g>,
    /// The variables bound around the current expression.
    bound: Vec<Slot>,
    /// The selection whose sizes replace the amounts of a step.
    all_of: Option<Pick>,
    /// The heaps that replace those of a multiset, if there are any.
    heaps: &'f [HeapId],
}

impl Replacer<'_, '_> {
    /// Traverses the scope of a variable.
    fn with_bound(&mut self, slot: Slot, inner: impl FnOnce(&mut Self)) {
        self.bound.push(slot);
        inner(self);
        self.bound.pop();
    }

    fn number(&mut self, num: &mut Num) {
        if let Some(other) = (self.replacement)(num, &self.bound) {
            *num = other;
            return;
        }
        match num {
            Num::Const(_)
            | Num::Heap(_)
            | Num::Local(_)
            | Num::SizeOf(_)
            | Num::IndexOf(_)
            | Num::Total => {}
            Num::HeapAt { index, .. } => self.number(index),
            Num::Negate(inner) => self.number(inner),
            Num::Binary(_, left, right) => {
                self.number(left);
                self.number(right);
            }
            Num::If(condition, then, otherwise) => {
                self.condition(condition);
                self.number(then);
                self.number(otherwise);
            }
            Num::Let(slot, value, body) => {
                self.number(value);
                self.with_bound(*slot, |this| this.number(body));
            }
            Num::Fold(_, list) => self.list(list),
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                self.number(base);
                self.list(list);
                self.number(modulus);
            }
            Num::Apply(_, arguments) => arguments.iter_mut().for_each(|one| self.number(one)),
            Num::Components(region) => self.region(region),
        }
    }

    fn region(&mut self, region: &mut Region) {
        if let Some(condition) = &mut region.condition {
            self.with_bound(region.slot, |this| this.condition(condition));
        }
    }

    fn condition(&mut self, condition: &mut Bool) {
        if let (Bool::Each(slot, body), Some(pick)) = (&mut *condition, self.all_of) {
            let set = Spanned::from(Set::List(Spanned::from(List::Picked(pick))));
            *condition = Bool::Quantified {
                quantifier: Quantifier::Forall,
                slot: *slot,
                set,
                body: body.clone(),
            };
        }
        match condition {
            Bool::Const(_) | Bool::Same(..) | Bool::Like(_) => {}
            Bool::Compare(_, left, right) => {
                self.number(left);
                self.number(right);
            }
            Bool::In(num, set) => {
                self.number(num);
                self.set(set);
            }
            Bool::And(parts) | Bool::Or(parts) => {
                parts.iter_mut().for_each(|part| self.condition(part));
            }
            Bool::Not(inner) => self.condition(inner),
            Bool::If(condition, then, otherwise) => {
                self.condition(condition);
                self.condition(then);
                self.condition(otherwise);
            }
            Bool::Let(slot, value, body) => {
                self.number(value);
                self.with_bound(*slot, |this| this.condition(body));
            }
            Bool::Quantified {
                slot, set, body, ..
            } => {
                self.set(set);
                self.with_bound(*slot, |this| this.condition(body));
            }
            Bool::Each(slot, body) => self.with_bound(*slot, |this| this.condition(body)),
            Bool::Distinct(list) => self.list(list),
            Bool::Joined(joined) => {
                for end in [&mut joined.from, &mut joined.to] {
                    if let HeapSet::At { index, .. } = end {
                        self.number(index);
                    }
                }
                self.region(&mut joined.through);
            }
        }
    }

    fn list(&mut self, list: &mut List) {
        if let (List::Amounts, Some(pick)) = (&*list, self.all_of) {
            *list = List::Picked(pick);
        }
        if matches!(list, List::Multiset(_)) && !self.heaps.is_empty() {
            *list = List::Heaps(self.heaps.to_vec());
        }
        match list {
            List::Heaps(_) | List::Multiset(_) | List::Picked(_) | List::Amounts => {}
            List::Items(items) => items.iter_mut().for_each(|item| self.number(item)),
            List::Sorted(inner) => self.list(inner),
            List::Members(set) => self.set(set),
            List::At { index, .. } => self.number(index),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                self.set(over);
                self.with_bound(*slot, |this| {
                    this.number(value);
                    if let Some(condition) = condition {
                        this.condition(condition);
                    }
                });
            }
        }
    }

    fn set(&mut self, set: &mut Set) {
        match set {
            Set::Named(_) => {}
            Set::Range(low, high) => {
                self.number(low);
                if let Some(high) = high {
                    self.number(high);
                }
            }
            Set::Items(items) => items.iter_mut().for_each(|item| self.number(item)),
            Set::Powers(base) => self.number(base),
            Set::List(list) => self.list(list),
        }
    }
}
