//! Misere quotients of games whose moves change one heap (Plambeck 2005,
//! Plambeck and Siegel 2008).
//!
//! Under misere play a heap has no Grundy value that would tell how it behaves
//! in sums. What there is instead: two sums of heaps are *indistinguishable* if
//! whatever is added to both, both are P-positions or both are N-positions. The
//! classes of the sums of the heaps 1 to N form a commutative monoid, the misere
//! quotient, with a part P of classes of P-positions. If it is finite, it
//! answers about every sum of these heaps: the class of a sum is the product of
//! its heaps' classes, and the function that gives a heap its class is called
//! the pretending function.
//!
//! A quotient is searched for heap by heap. If a heap can be given one of the
//! elements that there are (the Mex Interpolation Principle), the quotient
//! stays; otherwise larger ones are guessed (`quotient/model.rs`), until one can
//! be proved (`quotient/proof.rs`). Nothing is given away that is not proved; if
//! there is no finite quotient, or none within the limits, the search ends with
//! that of fewer heaps.
//!
//! This module knows heaps by their sizes and options, and nothing of rule
//! files.

mod heaps;
mod model;
mod monoid;
mod period;
mod presentation;
mod proof;
mod set;

pub use heaps::{Heaps, NotSmaller};
pub use monoid::Monoid;
pub use period::{Breaking, Period};
pub use presentation::{Presentation, Relation, Word, letter};
pub use proof::Sum;
pub use set::Set;

use model::{Guess, Labelled};
use nimrule_limits::{Limits, Met};
use proof::{Halt, Sums};
use thiserror::Error;

/// An element of a monoid, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element(u16);

impl Element {
    /// The identity: the class of the sum of no heaps.
    pub const ONE: Element = Element(0);

    fn at(place: usize) -> Element {
        Element(u16::try_from(place).expect("orders are below MOST_ORDER"))
    }

    /// The number of the element, from 0.
    pub fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// Elements are numbered by 16 bits.
const MOST_ORDER: usize = 1 << 16;

/// The misere quotient of the sums of the heaps 1 to N. It is proved.
#[derive(Debug, Clone)]
pub struct Quotient {
    heaps: Heaps,
    monoid: Monoid,
    images: Vec<Element>,
    first: Vec<Sum>,
}

/// A heap with which the quotient became a larger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub heap: u32,
    pub order: usize,
    pub p_portion: usize,
}

/// Why a search went no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Stop {
    #[error("no quotient of at most {most} elements was found")]
    Order { most: usize },
    #[error(transparent)]
    Limit(#[from] Met),
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The quotient of as many heaps as one was found for.
    pub quotient: Quotient,
    /// How it grew.
    pub steps: Vec<Step>,
    /// The heap with which none was found, and why.
    pub stopped: Option<(u32, Stop)>,
}

/// A candidate so many times larger than the quotient that is wanted is still
/// looked at, since candidates shrink before they are right.
const ROOM: usize = 4;

/// Small quotients may have larger candidates than these times as large.
const SMALL: usize = 256;

/// And a model so many times larger than a candidate that is looked at.
const SPREAD: usize = 4;

/// What was counted is forgotten when the model is so many times larger than
/// the candidate it gave. It could be more, but that takes longer in practice.
const FORGET: usize = 2;

/// After so many wrong guesses the next is not hoped for.
const MOST_GUESSES: usize = 1000;

/// Searches for the misere quotient of the heaps, with at most `most` elements.
pub fn find(heaps: &Heaps, most: usize, limits: &Limits) -> Found {
    let most = most.min(MOST_ORDER / ROOM);
    let mut known = Labelled {
        monoid: Monoid::trivial(),
        images: Vec::new(),
        first: vec![Vec::new()],
    };
    let mut sums = Sums::of_nothing(&known.monoid);
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
    Found {
        quotient,
        steps,
        stopped,
    }
}

/// The element that the next heap has, if the quotient need not grow for it.
fn interpolate(
    heaps: &Heaps,
    known: &Labelled,
    sums: &mut Sums,
    heap: u32,
    limits: &Limits,
) -> Result<Option<Element>, Stop> {
    if heaps.is_over(heap) {
        return Ok(Some(Element::ONE));
    }
    let monoid = &known.monoid;
    let winning = proof::winning(heaps, monoid, &known.images, heap);
    for image in monoid.elements() {
        if monoid.into_p(image).meets(&winning) {
            continue;
        }
        let stuck = proof::stuck(monoid, image, &winning);
        match sums.extend(monoid, heap, image, &stuck, limits) {
            Ok(()) => return Ok(Some(image)),
            Err(Halt::Wrong(_)) => {}
            Err(Halt::Stop(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

/// Searches for the quotient with one heap more than is known.
fn enlarge(
    heaps: &Heaps,
    known: &Labelled,
    most: usize,
    limits: &Limits,
) -> Result<(Labelled, Sums), Stop> {
    let too_many = |stop| match stop {
        Stop::Order { .. } => Stop::Order { most },
        Stop::Limit(_) => stop,
    };
    let room = ROOM * most.max(SMALL);
    let mut guess = Guess::with_one_more(heaps, known, SPREAD * room);
    let mut last: Sum = Vec::new();
    for _ in 0..MOST_GUESSES {
        let model = guess.model(limits).map_err(too_many)?;
        let candidate = guess
            .reduce(&model, ROOM * most, limits)
            .map_err(too_many)?;
        match proof::prove(
            heaps,
            &candidate.monoid,
            &candidate.images,
            &candidate.first,
            limits,
        ) {
            Ok(_) if candidate.monoid.order() > most => return Err(Stop::Order { most }),
            Ok(sums) => return Ok((candidate, sums)),
            // What the candidate says of all earlier sums is right, so it may
            // be guessed from anew, without all that was counted. If it went
            // wrong at the same sum as the last, it would not be learnt from.
            Err(Halt::Wrong(wrong))
                if wrong > last && model.len() >= FORGET * candidate.monoid.order() =>
            {
                guess = Guess::that(heaps, &candidate, SPREAD * room);
                let model = guess.model(limits)?;
                guess.learn(&model, &wrong);
                last = wrong;
            }
            Err(Halt::Wrong(wrong)) => {
                guess.learn(&model, &wrong);
                last = wrong;
            }
            Err(Halt::Stop(stop)) => return Err(stop),
        }
    }
    Err(Stop::Order { most })
}

impl Quotient {
    /// The largest heap that it knows.
    pub fn to(&self) -> u32 {
        u32::try_from(self.images.len()).expect("heaps are numbered by u32")
    }

    pub fn order(&self) -> usize {
        self.monoid.order()
    }

    /// The products, and the part P.
    pub fn monoid(&self) -> &Monoid {
        &self.monoid
    }

    /// The elements of P-positions, ascending.
    pub fn p_portion(&self) -> Vec<Element> {
        self.monoid.p().iter().collect()
    }

    /// The pretending function: the element of the heap of each size from 1.
    pub fn images(&self) -> &[Element] {
        &self.images
    }

    /// The first sum with this element, where sums are ordered by how many they
    /// have of the largest heap, then of the next: sizes, descending.
    pub fn first(&self, element: Element) -> &[u32] {
        &self.first[element.place()]
    }

    /// The heaps that are like no sum of smaller heaps, ascending: they
    /// generate it.
    pub fn generators(&self) -> Vec<u32> {
        (1..)
            .zip(&self.images)
            .filter(|(heap, image)| *self.first(**image) == [*heap])
            .map(|(heap, _)| heap)
            .collect()
    }

    /// The element of a sum; none if a heap of it is larger than those known.
    pub fn element(&self, sum: &[u32]) -> Option<Element> {
        let parts = sum.iter().filter(|heap| **heap > 0);
        let images: Option<Vec<Element>> = parts
            .map(|heap| self.images.get(*heap as usize - 1).copied())
            .collect();
        Some(self.monoid.product_of(images?))
    }

    /// Is the sum a P-position under misere play? None if a heap of it is larger
    /// than those known.
    pub fn is_p(&self, sum: &[u32]) -> Option<bool> {
        Some(self.monoid.is_p(self.element(sum)?))
    }

    /// Proves once more, from nothing, what the search has found: that this is
    /// a commutative monoid in which every element is reached and no two are
    /// alike, and that it is right about every sum.
    pub fn prove(&self, limits: &Limits) -> Result<bool, Stop> {
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
            Err(Halt::Wrong(_)) => Ok(false),
            Err(Halt::Stop(stop)) => Err(stop),
        }
    }
}
