//! Is a labelled monoid right about every sum? The proof, by induction.
//!
//! Let each heap have an element, its image; the image of a sum is the product
//! of its heaps' images, and the sum is *read* as a P-position if that is in P.
//! The reading is right, by induction over the options, if of every sum
//!
//! 1. that is read as P no option is read as P,
//! 2. that is read as N and has options one is read as P,
//! 3. that has no options, the image is not in P (under misere play its mover
//!    has won).
//!
//! There are infinitely many sums, but finitely many things that matter about
//! them. For 1 it is enough that for no heap h, option e and element c both
//! `c h` and `c e` are in P. For 2 let, for a sum G of heaps that have options,
//!
//! ```text
//! stuck(G) = the c such that c G is not in P, nor c G' for any option G' of G
//! ```
//!
//! that is the company in which nobody wins by moving in G although somebody
//! should win. Then `c` is in `stuck(G + H)` just if `c H` is in `stuck(G)` and
//! `c G` in `stuck(H)`; and 2 holds if no sum but the empty one has the identity
//! in its set. A sum with an empty set never takes part in a failure, and one
//! whose set lies within that of another with the same image is not worth
//! looking at, so the sums worth looking at are soon exhausted.
//!
//! They are gone through in the lexicographic order in which the number of the
//! largest heaps counts first. A move goes down in it, and `G < H` implies
//! `G + C < H + C`, so the failure that is met first is the first of all: all
//! sums before it are read rightly, and it is not.
//! (The empty sum is no failure although the identity is in its set. So a sum is
//! first asked whether it is a failure, and only then compared.)

use super::{Element, Heaps, Monoid, Set, Stop};
use nimrule_limits::{Limits, Met};

/// A sum of heaps: their sizes, descending, so that the order of vectors is the
/// order in which sums are gone through.
pub type Sum = Vec<u32>;

/// A sum worth looking at.
#[derive(Debug, Clone)]
struct Stuck {
    image: Element,
    stuck: Set,
    /// The sum without its largest heap, by its place, and that heap.
    grown: Option<(usize, u32)>,
}

/// What stops a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// The first sum that is read wrongly.
    Wrong(Sum),
    Stop(Stop),
}

impl From<Met> for Halt {
    fn from(met: Met) -> Halt {
        Halt::Stop(met.into())
    }
}

/// The sums worth looking at, of the heaps up to some size, in their order.
#[derive(Debug, Clone)]
pub struct Sums {
    sums: Vec<Stuck>,
    /// Their places by the image.
    by_image: Vec<Vec<usize>>,
}

impl Sums {
    /// The empty sum alone.
    pub fn of_nothing(monoid: &Monoid) -> Sums {
        let mut by_image = vec![Vec::new(); monoid.order()];
        by_image[Element::ONE.place()].push(0);
        Sums {
            sums: vec![Stuck {
                image: Element::ONE,
                stuck: Set::of(monoid.order(), |c| !monoid.is_p(c)),
                grown: None,
            }],
            by_image,
        }
    }

    /// Adds the sums with the next heap in them, whose image and own stuck set
    /// are given. After an error nothing has changed.
    pub fn extend(
        &mut self,
        monoid: &Monoid,
        heap: u32,
        image: Element,
        stuck: &Set,
        limits: &Limits,
    ) -> Result<(), Halt> {
        if stuck.has(Element::ONE) {
            return Err(Halt::Wrong(vec![heap]));
        }
        // With the heap's own set all sets of its sums lie within others.
        if self.lies_within(image, stuck) {
            return Ok(());
        }
        let before = self.sums.len();
        let result = self.grow(monoid, heap, image, stuck, limits);
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
        monoid: &Monoid,
        heap: u32,
        image: Element,
        stuck: &Set,
        limits: &Limits,
    ) -> Result<(), Halt> {
        // With one such heap, with two, …, until no more come.
        let mut from = 0..self.sums.len();
        while !from.is_empty() {
            let begin = self.sums.len();
            for place in from {
                if place.is_multiple_of(256) {
                    limits.within_time()?;
                }
                let smaller = &self.sums[place];
                let together = monoid.product(smaller.image, image);
                let by_smaller = monoid.row(smaller.image);
                let by_heap = monoid.row(image);
                let both = Set::of(monoid.order(), |c| {
                    smaller.stuck.has(by_heap[c.place()]) && stuck.has(by_smaller[c.place()])
                });
                if both.has(Element::ONE) {
                    let mut wrong = self.sum(place);
                    wrong.insert(0, heap);
                    return Err(Halt::Wrong(wrong));
                }
                if both.is_empty() || self.lies_within(together, &both) {
                    continue;
                }
                self.by_image[together.place()].push(self.sums.len());
                self.sums.push(Stuck {
                    image: together,
                    stuck: both,
                    grown: Some((place, heap)),
                });
                let each = 64 + monoid.order() / 8;
                limits.within_memory((self.sums.len() * each) as u128)?;
            }
            from = begin..self.sums.len();
        }
        Ok(())
    }

    /// Is there a sum with this image and at least this set?
    fn lies_within(&self, image: Element, stuck: &Set) -> bool {
        let mut places = self.by_image[image.place()].iter();
        places.any(|place| stuck.is_within(&self.sums[*place].stuck))
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

/// The elements with which some option of the heap makes P.
pub fn winning(heaps: &Heaps, monoid: &Monoid, images: &[Element], heap: u32) -> Set {
    let mut options: Vec<Element> = heaps
        .options(heap)
        .iter()
        .map(|option| image(monoid, images, option))
        .collect();
    options.sort_unstable();
    options.dedup();
    let mut winning = Set::empty(monoid.order());
    for option in options {
        winning.unite(monoid.into_p(option));
    }
    winning
}

/// The company in which nobody wins by moving in a heap of this image, although
/// somebody should.
pub fn stuck(monoid: &Monoid, image: Element, winning: &Set) -> Set {
    let into_p = monoid.into_p(image);
    Set::of(monoid.order(), |c| !into_p.has(c) && !winning.has(c))
}

/// The image of a sum of heaps.
pub fn image(monoid: &Monoid, images: &[Element], sum: &[u32]) -> Element {
    monoid.product_of(sum.iter().map(|heap| images[*heap as usize - 1]))
}

/// Proves that the sums of all heaps that have images are read rightly, or
/// finds the first that is not.
///
/// `first[c]` is the first sum with the image c.
pub fn prove(
    heaps: &Heaps,
    monoid: &Monoid,
    images: &[Element],
    first: &[Sum],
    limits: &Limits,
) -> Result<Sums, Halt> {
    let mut wrong: Option<Sum> = None;
    let mut sums = Sums::of_nothing(monoid);
    for (heap, of_heap) in (1..).zip(images) {
        if heaps.is_over(heap) {
            if *of_heap != Element::ONE {
                return Err(Halt::Wrong(vec![heap]));
            }
            continue;
        }
        let winning = winning(heaps, monoid, images, heap);
        for c in monoid.into_p(*of_heap).iter() {
            if winning.has(c) {
                let mut sum = first[c.place()].clone();
                let at = sum.partition_point(|other| *other > heap);
                sum.insert(at, heap);
                if wrong.as_ref().is_none_or(|wrong| sum < *wrong) {
                    wrong = Some(sum);
                }
            }
        }
        // What follows has this heap in it, and comes after a failure without.
        if wrong.as_ref().is_some_and(|wrong| wrong[0] < heap) {
            continue;
        }
        let stuck = stuck(monoid, *of_heap, &winning);
        match sums.extend(monoid, heap, *of_heap, &stuck, limits) {
            Ok(()) => {}
            Err(Halt::Wrong(sum)) => {
                if wrong.as_ref().is_none_or(|wrong| sum < *wrong) {
                    wrong = Some(sum);
                }
            }
            Err(stop) => return Err(stop),
        }
    }
    match wrong {
        Some(wrong) => Err(Halt::Wrong(wrong)),
        None => Ok(sums),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kayles: one or two from a heap, which may then be parted.
    fn kayles(to: u32) -> Heaps {
        let options: Vec<Vec<Vec<u32>>> = (1..=to)
            .map(|heap| {
                let taken = (1..=2).filter(|taken| *taken <= heap);
                let left = taken.map(|taken| heap - taken);
                left.flat_map(|left| (0..=left / 2).map(move |part| vec![part, left - part]))
                    .collect()
            })
            .collect();
        Heaps::new(&options).expect("heaps become smaller")
    }

    /// The quotient of Nim heaps of at most 3 tokens: a a = 1, b b b = b.
    fn tame() -> Monoid {
        let at = Element::at;
        // 1, a, b, ab, bb, abb.
        let by_a: Vec<Element> = [1, 0, 3, 2, 5, 4].map(at).to_vec();
        let by_b: Vec<Element> = [2, 3, 4, 5, 2, 3].map(at).to_vec();
        let grown = [
            (at(0), by_a.as_slice()),
            (at(0), by_b.as_slice()),
            (at(1), by_b.as_slice()),
            (at(2), by_b.as_slice()),
            (at(3), by_b.as_slice()),
        ];
        Monoid::grown(
            &grown,
            Set::of(6, |element| [1, 4].contains(&element.place())),
        )
    }

    fn first() -> Vec<Sum> {
        let sums: [&[u32]; 6] = [&[], &[1], &[2], &[2, 1], &[2, 2], &[2, 2, 1]];
        sums.map(<[u32]>::to_vec).to_vec()
    }

    #[test]
    fn what_is_right_is_proved() {
        let images = [1, 2, 3, 1].map(Element::at);
        let limits = Limits::of_memory(1 << 20);
        let monoid = tame();
        assert!(monoid.is_reduced_and_generated_by(&images));
        assert!(prove(&kayles(4), &monoid, &images, &first(), &limits).is_ok());
    }

    #[test]
    fn the_first_failure_is_found() {
        // As a heap of 3, the heap of 5 is read wrongly by itself; as one of 1
        // or 2 it is read as P with an option that is P, or as N with none.
        let limits = Limits::of_memory(1 << 20);
        let monoid = tame();
        let wrong = |images: &[usize]| {
            let images: Vec<Element> = images.iter().map(|place| Element::at(*place)).collect();
            let heaps = kayles(u32::try_from(images.len()).expect("there are few"));
            match prove(&heaps, &monoid, &images, &first(), &limits) {
                Err(Halt::Wrong(sum)) => sum,
                other => panic!("{other:?} although {images:?} are wrong"),
            }
        };
        assert_eq!(wrong(&[0]), [1]);
        assert_eq!(wrong(&[1, 1]), [2]);
        assert_eq!(wrong(&[1, 2, 2]), [3, 2]);
        for image in 0..6 {
            let sum = wrong(&[1, 2, 3, 1, image]);
            assert_eq!(sum[0], 5, "sums without the heap of 5 are read rightly");
        }
    }
}
