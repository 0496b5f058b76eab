//! The proof that a candidate gives the right outcome of every sum.
//!
//! Each heap has an element, its *image*. The image of a sum is the product of
//! the images of its heaps, and the sum is *evaluated* as P if its image is in
//! P, and as N otherwise. By induction over the options, all sums are evaluated
//! correctly if for every sum
//!
//! 1. if it is evaluated as P, no option is evaluated as P;
//! 2. if it is evaluated as N and has options, some option is evaluated as P;
//! 3. if it has no options, it is evaluated as N (misere play).
//!
//! This is decided by finitely many checks. For 1 it suffices that there are no
//! heap h, option e of h and element c with both `c h` and `c e` in P. For 2
//! let, for a sum G of heaps that have options,
//!
//! ```text
//! unresolved(G) = the c such that c G is not in P, nor c G' for any option G' of G
//! ```
//!
//! These are the contexts in which the sum is evaluated as N although no move in
//! G leads to P. `c` is in `unresolved(G + H)` if and only if `c H` is in
//! `unresolved(G)` and `c G` is in `unresolved(H)`. So 2 holds if `unresolved`
//! contains the identity only for the empty sum. A sum whose set is empty needs
//! no further check, and neither does one whose set is a subset of that of
//! another sum with the same image. So finitely many sums remain.
//!
//! The sums are checked in lexicographic order, in which the number of the
//! largest heaps counts first. Moves descend in this order, and `G < H` implies
//! `G + C < H + C`. So the first failure found is the first wrong sum: all sums
//! before it are evaluated correctly. (The set of the empty sum contains the
//! identity, although it is not a failure. So a sum is checked for a failure
//! before it is compared with others.)

use super::{BipartiteMonoid, Element, ElementSet, Heaps, StopReason};
use nimrule_limits::{LimitExceeded, Limits};

/// A sum of heaps: their sizes, descending. The order of vectors is the order of
/// sums.
pub type Sum = Vec<u32>;

/// A sum to be checked: its image, and its set `unresolved`.
#[derive(Debug, Clone)]
struct UnresolvedSum {
    image: Element,
    unresolved: ElementSet,
    /// The place of the sum without its largest heap, and that heap.
    grown: Option<(usize, u32)>,
}

/// The reason why a proof ends without success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// The first sum that is evaluated wrongly.
    Counterexample(Sum),
    Stopped(StopReason),
}

impl From<LimitExceeded> for Halt {
    fn from(limit: LimitExceeded) -> Halt {
        Halt::Stopped(limit.into())
    }
}

/// The sums to be checked, of the heaps up to some size, in their order.
#[derive(Debug, Clone)]
pub struct Sums {
    sums: Vec<UnresolvedSum>,
    /// The places of the sums, by image.
    by_image: Vec<Vec<usize>>,
}

impl Sums {
    /// The empty sum alone.
    pub fn of_empty(monoid: &BipartiteMonoid) -> Sums {
        let mut by_image = vec![Vec::new(); monoid.order()];
        by_image[Element::ONE.place()].push(0);
        Sums {
            sums: vec![UnresolvedSum {
                image: Element::ONE,
                unresolved: ElementSet::of(monoid.order(), |c| !monoid.is_p(c)),
                grown: None,
            }],
            by_image,
        }
    }

    /// Adds the sums that contain the next heap, whose image and set
    /// `unresolved` are given. After an error nothing has changed.
    ///
    /// # Errors
    ///
    /// The first wrong sum, or a limit that is exceeded.
    pub fn extend(
        &mut self,
        monoid: &BipartiteMonoid,
        heap: u32,
        image: Element,
        unresolved: &ElementSet,
        limits: &Limits,
    ) -> Result<(), Halt> {
        if unresolved.contains(Element::ONE) {
            return Err(Halt::Counterexample(vec![heap]));
        }
        // Then the sets of all sums with this heap are subsets of others.
        if self.is_subsumed(image, unresolved) {
            return Ok(());
        }
        let before = self.sums.len();
        let result = self.grow(monoid, heap, image, unresolved, limits);
        if result.is_err() {
            self.sums.truncate(before);
            for places in &mut self.by_image {
                while places.last().is_some_and(|place| *place >= before) {
                    places.pop();
                }
            }
        }
        result
    }

    fn grow(
        &mut self,
        monoid: &BipartiteMonoid,
        heap: u32,
        image: Element,
        unresolved: &ElementSet,
        limits: &Limits,
    ) -> Result<(), Halt> {
        // Sums with one such heap, with two, …, until there are no new ones.
        let mut from = 0..self.sums.len();
        while !from.is_empty() {
            let begin = self.sums.len();
            for place in from {
                if place.is_multiple_of(256) {
                    limits.check_time()?;
                }
                let smaller = &self.sums[place];
                let together = monoid.product(smaller.image, image);
                let by_smaller = monoid.row(smaller.image);
                let by_heap = monoid.row(image);
                let both = ElementSet::of(monoid.order(), |c| {
                    smaller.unresolved.contains(by_heap[c.place()])
                        && unresolved.contains(by_smaller[c.place()])
                });
                if both.contains(Element::ONE) {
                    let mut wrong = self.sum(place);
                    wrong.insert(0, heap);
                    return Err(Halt::Counterexample(wrong));
                }
                if both.is_empty() || self.is_subsumed(together, &both) {
                    continue;
                }
                self.by_image[together.place()].push(self.sums.len());
                self.sums.push(UnresolvedSum {
                    image: together,
                    unresolved: both,
                    grown: Some((place, heap)),
                });
                let each = 64 + monoid.order() / 8;
                limits.check_memory((self.sums.len() * each) as u128)?;
            }
            from = begin..self.sums.len();
        }
        Ok(())
    }

    /// Returns whether some sum with this image has a superset of this set.
    fn is_subsumed(&self, image: Element, unresolved: &ElementSet) -> bool {
        let mut places = self.by_image[image.place()].iter();
        places.any(|place| unresolved.is_subset(&self.sums[*place].unresolved))
    }

    fn sum(&self, mut place: usize) -> Sum {
        let mut sum = Vec::new();
        while let Some((smaller, heap)) = self.sums[place].grown {
            sum.push(heap);
            place = smaller;
        }
        sum
    }
}

/// The contexts in which some option of a heap is in P.
pub fn winning_contexts(
    heaps: &Heaps,
    monoid: &BipartiteMonoid,
    images: &[Element],
    heap: u32,
) -> ElementSet {
    let mut options: Vec<Element> = heaps
        .options(heap)
        .iter()
        .map(|option| image(monoid, images, option))
        .collect();
    options.sort_unstable();
    options.dedup();
    let mut winning_contexts = ElementSet::empty(monoid.order());
    for option in options {
        winning_contexts.insert_all(monoid.into_p(option));
    }
    winning_contexts
}

/// The set `unresolved` of a heap with this image and these winning contexts.
pub fn unresolved(
    monoid: &BipartiteMonoid,
    image: Element,
    winning_contexts: &ElementSet,
) -> ElementSet {
    let into_p = monoid.into_p(image);
    ElementSet::of(monoid.order(), |c| {
        !into_p.contains(c) && !winning_contexts.contains(c)
    })
}

/// The image of a sum of heaps.
pub fn image(monoid: &BipartiteMonoid, images: &[Element], sum: &[u32]) -> Element {
    monoid.product_of(sum.iter().map(|heap| images[*heap as usize - 1]))
}

/// Proves that all sums of the heaps that have images are evaluated correctly.
///
/// `first[c]` is the first sum with the image c.
///
/// # Errors
///
/// The first wrong sum, or a limit that is exceeded.
pub fn prove(
    heaps: &Heaps,
    monoid: &BipartiteMonoid,
    images: &[Element],
    first: &[Sum],
    limits: &Limits,
) -> Result<Sums, Halt> {
    let mut wrong: Option<Sum> = None;
    let mut sums = Sums::of_empty(monoid);
    for (heap, of_heap) in (1..).zip(images) {
        if heaps.is_terminal(heap) {
            if *of_heap != Element::ONE {
                return Err(Halt::Counterexample(vec![heap]));
            }
            continue;
        }
        let winning_contexts = winning_contexts(heaps, monoid, images, heap);
        for c in monoid.into_p(*of_heap).iter() {
            if winning_contexts.contains(c) {
                let mut sum = first[c.place()].clone();
                let at = sum.partition_point(|other| *other > heap);
                sum.insert(at, heap);
                if wrong.as_ref().is_none_or(|wrong| sum < *wrong) {
                    wrong = Some(sum);
                }
            }
        }
        // The sums with this heap come after a failure without it.
        if wrong.as_ref().is_some_and(|wrong| wrong[0] < heap) {
            continue;
        }
        let unresolved = unresolved(monoid, *of_heap, &winning_contexts);
        match sums.extend(monoid, heap, *of_heap, &unresolved, limits) {
            Ok(()) => {}
            Err(Halt::Counterexample(sum)) => {
                if wrong.as_ref().is_none_or(|wrong| sum < *wrong) {
                    wrong = Some(sum);
                }
            }
            Err(stop) => return Err(stop),
        }
    }
    match wrong {
        Some(wrong) => Err(Halt::Counterexample(wrong)),
        None => Ok(sums),
    }
}
