//! Misere quotients of games whose moves change one heap (Plambeck 2005,
//! Plambeck and Siegel 2008).
//!
//! Grundy values do not determine the outcomes of sums under misere play. The
//! misere quotient does: two sums of heaps are *indistinguishable* if, for every
//! sum added to both, both are P-positions or both are N-positions. The classes
//! of the sums of the heaps 1 to N form a commutative monoid, the *misere
//! quotient*, with the subset P of the classes of P-positions, the *P-portion*.
//! The class of a sum is the product of the classes of its heaps. The
//! *pretending function* maps a heap to its class.
//!
//! [`find`] searches the quotient heap by heap. If some existing element fits
//! the next heap (the Mex Interpolation Principle), the quotient stays the same.
//! Otherwise larger candidates are constructed (module `model`) until one is
//! proved (module `proof`). Every result is proved. If there is no finite
//! quotient, or none within the limits, the search returns the quotient of the
//! smaller heaps.
//!
//! The glossary of the book (`docs/src/glossary.md`) defines the terms.
//!
//! ```
//! use nimrule_limits::Limits;
//! use nimrule_quotient::{Heaps, find};
//!
//! // Nim with heaps of at most 3 tokens: the option k of a heap leaves a heap
//! // of k tokens, or nothing.
//! let options: Vec<Vec<Vec<u32>>> =
//!     (1..=3).map(|heap| (0..heap).map(|left| vec![left]).collect()).collect();
//! let found = find(&Heaps::new(&options)?, 100, &Limits::of_memory(1 << 20));
//! assert_eq!(found.quotient.order(), 6);
//! assert_eq!(found.quotient.is_p(&[1, 1, 1]), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod heaps;
mod model;
mod monoid;
mod period;
mod presentation;
#[doc(hidden)]
pub mod proof;
mod set;

pub use heaps::{Heaps, NotSmaller};
pub use monoid::BipartiteMonoid;
pub use period::{MoveBounds, Period};
pub use presentation::{Presentation, Relation, Word, letter};
pub use proof::Sum;
pub use set::ElementSet;

use model::{Candidate, Hypothesis};
use nimrule_limits::{LimitExceeded, Limits};
use proof::{Halt, Sums};
use thiserror::Error;

/// An element of a monoid, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element(u16);

impl Element {
    /// The identity: the class of the sum of no heaps.
    pub const ONE: Element = Element(0);

    #[doc(hidden)]
    pub fn at(place: usize) -> Element {
        Element(u16::try_from(place).expect("orders are below MOST_ORDER"))
    }

    /// The number of the element, from 0.
    pub fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// The number of elements that 16 bits can number.
const MOST_ORDER: usize = 1 << 16;

/// The proved misere quotient of the sums of the heaps 1 to N.
#[derive(Debug, Clone)]
pub struct Quotient {
    heaps: Heaps,
    monoid: BipartiteMonoid,
    images: Vec<Element>,
    first: Vec<Sum>,
}

/// A heap that enlarges the quotient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The heap.
    pub heap: u32,
    /// The number of elements with this heap.
    pub order: usize,
    /// The number of elements of the P-portion with this heap.
    pub p_portion: usize,
}

/// The reason why a search ended before the last heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StopReason {
    /// The quotient, if there is one, has too many elements.
    #[error("no quotient of at most {most} elements was found")]
    Order {
        /// The most elements allowed.
        most: usize,
    },
    /// A limit was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The quotient of the largest number of heaps for which one was found.
    pub quotient: Quotient,
    /// The heaps that enlarged it, ascending.
    pub steps: Vec<Step>,
    /// The first heap without a quotient, and the reason.
    pub stopped: Option<(u32, StopReason)>,
}

/// The ratio of the largest candidate to the largest allowed quotient: later
/// candidates may be smaller than earlier ones.
const CANDIDATE_ROOM: usize = 4;

/// The least bound on the order from which the largest candidate is computed.
const LEAST_BOUND: usize = 256;

/// The ratio of the largest model to the largest candidate.
const MODEL_ROOM: usize = 4;

/// The ratio of the model to its candidate from which on the hypothesis is
/// replaced by the candidate. Larger ratios take longer in practice.
const RESTART_RATIO: usize = 2;

/// The number of refuted candidates after which the search gives up.
const MOST_CANDIDATES: usize = 1000;

/// Searches the misere quotient of the heaps, with at most `most` elements.
///
/// An exceeded limit ends the search: see [`SearchResult::stopped`].
pub fn find(heaps: &Heaps, most: usize, limits: &Limits) -> SearchResult {
    let most = most.min(MOST_ORDER / CANDIDATE_ROOM);
    let mut known = Candidate {
        monoid: BipartiteMonoid::trivial(),
        images: Vec::new(),
        first: vec![Vec::new()],
    };
    let mut sums = Sums::of_empty(&known.monoid);
    let mut steps = Vec::new();
    let mut stopped = None;
    for heap in 1..=heaps.largest() {
        match interpolate(heaps, &known, &mut sums, heap, limits) {
            Ok(Some(image)) => {
                known.images.push(image);
                continue;
            }
            Ok(None) => {}
            Err(stop) => {
                stopped = Some((heap, stop));
                break;
            }
        }
        match enlarge(heaps, &known, most, limits) {
            Ok(larger) => (known, sums) = larger,
            Err(stop) => {
                stopped = Some((heap, stop));
                break;
            }
        }
        steps.push(Step {
            heap,
            order: known.monoid.order(),
            p_portion: known.monoid.p().len(),
        });
    }
    let quotient = Quotient {
        heaps: heaps.clone(),
        monoid: known.monoid,
        images: known.images,
        first: known.first,
    };
    SearchResult {
        quotient,
        steps,
        stopped,
    }
}

/// The existing element that fits the next heap, if there is one.
fn interpolate(
    heaps: &Heaps,
    known: &Candidate,
    sums: &mut Sums,
    heap: u32,
    limits: &Limits,
) -> Result<Option<Element>, StopReason> {
    if heaps.is_terminal(heap) {
        return Ok(Some(Element::ONE));
    }
    let monoid = &known.monoid;
    let winning_contexts = proof::winning_contexts(heaps, monoid, &known.images, heap);
    for image in monoid.elements() {
        if monoid.into_p(image).intersects(&winning_contexts) {
            continue;
        }
        let unresolved = proof::unresolved(monoid, image, &winning_contexts);
        match sums.extend(monoid, heap, image, &unresolved, limits) {
            Ok(()) => return Ok(Some(image)),
            Err(Halt::Counterexample(_)) => {}
            Err(Halt::Stopped(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

/// Searches the quotient with one more heap.
fn enlarge(
    heaps: &Heaps,
    known: &Candidate,
    most: usize,
    limits: &Limits,
) -> Result<(Candidate, Sums), StopReason> {
    let too_many = |stop| match stop {
        StopReason::Order { .. } => StopReason::Order { most },
        StopReason::Limit(_) => stop,
    };
    let room = CANDIDATE_ROOM * most.max(LEAST_BOUND);
    let mut hypothesis = Hypothesis::with_one_more(heaps, known, MODEL_ROOM * room);
    let mut last: Sum = Vec::new();
    for _ in 0..MOST_CANDIDATES {
        let model = hypothesis.model(limits).map_err(too_many)?;
        let candidate = hypothesis
            .reduce(&model, CANDIDATE_ROOM * most, limits)
            .map_err(too_many)?;
        match proof::prove(
            heaps,
            &candidate.monoid,
            &candidate.images,
            &candidate.first,
            limits,
        ) {
            Ok(_) if candidate.monoid.order() > most => return Err(StopReason::Order { most }),
            Ok(sums) => return Ok((candidate, sums)),
            // The candidate is right for all earlier sums, so it can replace
            // the hypothesis and its counters. The counterexample must be later
            // than the last one, so that the search makes progress.
            Err(Halt::Counterexample(wrong))
                if wrong > last && model.len() >= RESTART_RATIO * candidate.monoid.order() =>
            {
                hypothesis = Hypothesis::from_candidate(heaps, &candidate, MODEL_ROOM * room);
                let model = hypothesis.model(limits)?;
                hypothesis.refine(&model, &wrong);
                last = wrong;
            }
            Err(Halt::Counterexample(wrong)) => {
                hypothesis.refine(&model, &wrong);
                last = wrong;
            }
            Err(Halt::Stopped(stop)) => return Err(stop),
        }
    }
    Err(StopReason::Order { most })
}

impl Quotient {
    /// N, the largest heap of the quotient.
    pub fn to(&self) -> u32 {
        u32::try_from(self.images.len()).expect("heaps are numbered by u32")
    }

    /// The number of elements.
    pub fn order(&self) -> usize {
        self.monoid.order()
    }

    /// The monoid with its P-portion.
    pub fn monoid(&self) -> &BipartiteMonoid {
        &self.monoid
    }

    /// The elements of the P-portion, ascending.
    pub fn p_portion(&self) -> Vec<Element> {
        self.monoid.p().iter().collect()
    }

    /// The pretending function: the element of the heap of each size from 1.
    pub fn images(&self) -> &[Element] {
        &self.images
    }

    /// The first sum with this element, as descending sizes. The order of sums
    /// compares the number of largest heaps first, then of the next smaller
    /// ones, and so on.
    pub fn first(&self, element: Element) -> &[u32] {
        &self.first[element.place()]
    }

    /// The heaps that are distinguishable from all sums of smaller heaps,
    /// ascending. They generate the quotient.
    pub fn generators(&self) -> Vec<u32> {
        (1..)
            .zip(&self.images)
            .filter(|(heap, image)| *self.first(**image) == [*heap])
            .map(|(heap, _)| heap)
            .collect()
    }

    /// The element of a sum; `None` if one of its heaps is larger than N.
    pub fn element(&self, sum: &[u32]) -> Option<Element> {
        let parts = sum.iter().filter(|heap| **heap > 0);
        let images: Option<Vec<Element>> = parts
            .map(|heap| self.images.get(*heap as usize - 1).copied())
            .collect();
        Some(self.monoid.product_of(images?))
    }

    /// Returns whether a sum is a P-position under misere play; `None` if one of
    /// its heaps is larger than N.
    pub fn is_p(&self, sum: &[u32]) -> Option<bool> {
        Some(self.monoid.is_p(self.element(sum)?))
    }

    /// Proves the quotient again, independently of the search: that it is a
    /// commutative monoid, generated by the heaps and reduced, and that the
    /// outcome of every sum is right.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn prove(&self, limits: &Limits) -> Result<bool, StopReason> {
        let generators: Vec<Element> = self
            .generators()
            .iter()
            .map(|heap| self.images[*heap as usize - 1])
            .collect();
        if !self.monoid.is_reduced_and_generated_by(&generators) {
            return Ok(false);
        }
        match proof::prove(&self.heaps, &self.monoid, &self.images, &self.first, limits) {
            Ok(_) => Ok(true),
            Err(Halt::Counterexample(_)) => Ok(false),
            Err(Halt::Stopped(stop)) => Err(stop),
        }
    }
}
