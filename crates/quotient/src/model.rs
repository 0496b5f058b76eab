//! The construction of candidates for the quotient with one more heap, by
//! refinement from counterexamples.
//!
//! The quotient of the heaps below n is given. A hypothesis is a congruence of
//! the sums of the heaps up to n: two sums are congruent if they are equal in
//! the given quotient, in which n counts as the empty sum, and if they contain
//! certain *counted* heaps, n first, equally often up to an index and a period.
//! The outcome of the first sum of each class follows from its options, which
//! come earlier. Merging the classes that no context distinguishes gives a
//! candidate, which is then proved or refuted.
//!
//! If it is refuted, its first wrong sum is congruent to an earlier sum with the
//! right outcome, so the two are distinguishable. The pair is reduced to a small
//! one, and the largest heap in which the two sums differ is counted from then
//! on, or counted further. If the quotient is finite and its powers are
//! eventually periodic with a period of at most 2, this ends, at the latest when
//! every heap is counted far enough. Because many counters make large models,
//! the refuted candidate itself sometimes replaces the hypothesis: it is right
//! for all sums before its first wrong one.

use super::proof::Sum;
use super::{BipartiteMonoid, Element, ElementSet, Heaps, StopReason};
use nimrule_limits::{Limits, Steps, Work};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The assumed eventual period of powers. Quotients with other periods are not
/// found.
const PERIOD: u32 = 2;

/// A counted heap: its number in a sum is known exactly below `index`, and
/// modulo [`PERIOD`] from there on.
#[derive(Debug, Clone, Copy)]
struct Counter {
    heap: u32,
    index: u32,
}

impl Counter {
    fn values(&self) -> u32 {
        self.index + PERIOD
    }

    fn fold(&self, count: u32) -> u32 {
        if count < self.values() {
            count
        } else {
            self.index + (count - self.index) % PERIOD
        }
    }
}

/// A hypothesis: a congruence of the sums of the heaps.
#[derive(Debug)]
pub struct Hypothesis<'a> {
    heaps: &'a Heaps,
    base: BipartiteMonoid,
    /// The image of each heap in the base.
    images: Vec<Element>,
    /// The sum by which each heap is counted.
    words: Vec<Sum>,
    counters: Vec<Counter>,
    /// The most classes of a model.
    most: usize,
}

/// A class: its element of the base, and the values of the counters.
type State = SmallVec<[u32; 12]>;

/// The classes of a hypothesis, in the order of their first sums.
#[derive(Debug)]
pub struct Model {
    /// The heaps that generate the classes.
    live: Vec<u32>,
    /// Each class but the first, as an earlier class and the place of the live
    /// heap added to it.
    grown: Vec<(u32, usize)>,
    states: Vec<State>,
    /// The number of each class, by its key.
    places: BTreeMap<u64, u32>,
    /// By live heap and class: the class with the heap added.
    with: Vec<Vec<u32>>,
    /// Whether the first sum of each class is P.
    is_p: Vec<bool>,
}

/// A candidate: a monoid with its P-portion, the image of each heap, and the
/// first sum of each element.
#[derive(Debug)]
pub struct Candidate {
    pub monoid: BipartiteMonoid,
    pub images: Vec<Element>,
    pub first: Vec<Sum>,
}

impl<'a> Hypothesis<'a> {
    /// The first hypothesis with one more heap than the given quotient.
    pub fn with_one_more(heaps: &'a Heaps, known: &Candidate, most: usize) -> Hypothesis<'a> {
        let mut hypothesis = Hypothesis::from_candidate(heaps, known, most);
        hypothesis.images.push(Element::ONE);
        let heap = u32::try_from(hypothesis.images.len()).expect("heaps are numbered by u32");
        hypothesis.words.push(vec![heap]);
        hypothesis.count(heap, 2);
        hypothesis
    }

    /// The hypothesis that is equal to a candidate.
    pub fn from_candidate(heaps: &'a Heaps, candidate: &Candidate, most: usize) -> Hypothesis<'a> {
        let first = |image: &Element| candidate.first[image.place()].clone();
        Hypothesis {
            heaps,
            base: candidate.monoid.clone(),
            images: candidate.images.clone(),
            words: candidate.images.iter().map(first).collect(),
            counters: Vec::new(),
            most,
        }
    }

    /// Counts a heap so far that `count` of it are distinguished from fewer.
    fn count(&mut self, heap: u32, count: u32) {
        match self.counters.iter_mut().find(|c| c.heap == heap) {
            Some(counter) => counter.index = counter.index.max((count + 1).saturating_sub(PERIOD)),
            None => {
                let at = self.counters.partition_point(|c| c.heap < heap);
                self.counters.insert(at, Counter { heap, index: count });
            }
        }
    }

    /// The number of times that a sum contains a counted heap.
    fn count_in(&self, heap: u32, sum: &[u32]) -> u32 {
        let each = sum.iter().map(|part| {
            let word = &self.words[*part as usize - 1];
            let inside = word.iter().filter(|other| **other == heap).count();
            let itself = *part == heap && inside == 0;
            inside as u32 + u32::from(itself)
        });
        each.sum()
    }

    fn state_of(&self, sum: &[u32]) -> State {
        let mut state = State::new();
        let image = self
            .base
            .product_of(sum.iter().map(|heap| self.images[*heap as usize - 1]));
        state.push(image.0.into());
        for counter in &self.counters {
            state.push(counter.fold(self.count_in(counter.heap, sum)));
        }
        state
    }

    fn product(&self, a: &State, b: &State) -> State {
        let mut product = State::new();
        let image = self
            .base
            .product(Element::at(a[0] as usize), Element::at(b[0] as usize));
        product.push(image.0.into());
        for (place, counter) in self.counters.iter().enumerate() {
            product.push(counter.fold(a[place + 1] + b[place + 1]));
        }
        product
    }

    fn key(&self, state: &State) -> u64 {
        let counted = self.counters.iter().zip(&state[1..]);
        let counted = counted.fold(0, |key, (counter, value)| {
            key * u64::from(counter.values()) + u64::from(*value)
        });
        counted * self.base.order() as u64 + u64::from(state[0])
    }

    /// Returns whether the keys of all classes fit 64 bits.
    fn has_keys(&self) -> bool {
        let all = self
            .counters
            .iter()
            .try_fold(self.base.order() as u64, |all, counter| {
                all.checked_mul(counter.values().into())
            });
        all.is_some()
    }

    /// The classes with their outcomes.
    ///
    /// # Errors
    ///
    /// If there are too many classes, or a limit is exceeded.
    pub fn model(&self, limits: &Limits) -> Result<Model, StopReason> {
        if !self.has_keys() {
            return Err(StopReason::Order { most: self.most });
        }
        let mut model = self.classes(limits)?;
        self.label(&mut model, limits)?;
        Ok(model)
    }

    fn classes(&self, limits: &Limits) -> Result<Model, StopReason> {
        let live: Vec<u32> = (1..)
            .zip(&self.words)
            .filter(|(heap, word)| {
                !self.heaps.is_terminal(*heap)
                    && (**word == [*heap] || self.counters.iter().any(|c| c.heap == *heap))
            })
            .map(|(heap, _)| heap)
            .collect();
        let by_live: Vec<State> = live.iter().map(|heap| self.state_of(&[*heap])).collect();
        let empty = self.state_of(&[]);
        let mut model = Model {
            places: BTreeMap::from([(self.key(&empty), 0)]),
            states: vec![empty],
            grown: Vec::new(),
            with: vec![Vec::new(); live.len()],
            is_p: Vec::new(),
            live,
        };
        limits.begin(Work::Elements, None);
        for (place, heap) in by_live.iter().enumerate() {
            // Add the heap to each class, as long as that gives new classes.
            let mut next = 0;
            while next < model.states.len() {
                let state = self.product(&model.states[next], heap);
                let key = self.key(&state);
                if !model.places.contains_key(&key) {
                    let class = model.states.len();
                    if class >= self.most {
                        return Err(StopReason::Order { most: self.most });
                    }
                    if class.is_multiple_of(1024) {
                        limits.check_time_at(class as u64)?;
                        let each = 128 + 4 * by_live.len();
                        limits.check_memory((class * each) as u128)?;
                    }
                    model.places.insert(key, class as u32);
                    model.states.push(state);
                    model.grown.push((next as u32, place));
                }
                next += 1;
            }
        }
        for (place, heap) in by_live.iter().enumerate() {
            limits.check_work(Steps(360))?;
            model.with[place] = model
                .states
                .iter()
                .map(|state| model.places[&self.key(&self.product(state, heap))])
                .collect();
        }
        Ok(model)
    }

    fn label(&self, model: &mut Model, limits: &Limits) -> Result<(), StopReason> {
        let options: Vec<Vec<State>> = model
            .live
            .iter()
            .map(|heap| {
                let options = self.heaps.options(*heap).iter();
                let mut states: Vec<State> = options.map(|sum| self.state_of(sum)).collect();
                states.sort_unstable();
                states.dedup();
                states
            })
            .collect();
        let by_live: Vec<State> = model
            .live
            .iter()
            .map(|heap| self.state_of(&[*heap]))
            .collect();
        // The empty sum has no options.
        model.is_p.push(false);
        for class in 1..model.states.len() {
            if class.is_multiple_of(256) {
                limits.check_time()?;
            }
            let first = model.first(class);
            let mut wins = false;
            for (at, place) in first.iter().enumerate() {
                if wins || (at > 0 && first[at - 1] == *place) {
                    continue;
                }
                let mut rest = model.states[0].clone();
                for (other, place) in first.iter().enumerate() {
                    if other != at {
                        rest = self.product(&rest, &by_live[*place]);
                    }
                }
                wins = options[*place].iter().any(|option| {
                    let option = model.places[&self.key(&self.product(&rest, option))];
                    model.is_p[option as usize]
                });
            }
            model.is_p.push(!wins);
        }
        Ok(())
    }

    /// Refines the hypothesis by a counterexample: the first wrong sum of its
    /// candidate.
    pub fn refine(&mut self, model: &Model, wrong: &[u32]) {
        // The shortest part, from the smallest heap on, that is not the first
        // sum of its class.
        let length = (1..=wrong.len())
            .find(|length| !self.is_first(model, &wrong[wrong.len() - length..]))
            .expect("the first sum of a class is right if those before it are");
        let mut later = wrong[wrong.len() - length..].to_vec();
        let mut place = 0;
        while place < later.len() {
            let mut without = later.clone();
            without.remove(place);
            if self.is_first(model, &without) {
                place += 1;
            } else {
                later = without;
            }
        }
        let earlier = self.first_like(model, &later);
        let heap = later
            .iter()
            .zip(earlier.iter().chain(std::iter::repeat(&0)))
            .find(|(a, b)| a != b)
            .map(|(heap, _)| *heap)
            .expect("a later sum has more of the largest heap in which they differ");
        let count = self.count_in(heap, &later);
        self.count(heap, count);
    }

    fn class_of(&self, model: &Model, sum: &[u32]) -> usize {
        model.places[&self.key(&self.state_of(sum))] as usize
    }

    fn first_like(&self, model: &Model, sum: &[u32]) -> Sum {
        let first = model.first(self.class_of(model, sum));
        first.iter().map(|place| model.live[*place]).collect()
    }

    fn is_first(&self, model: &Model, sum: &[u32]) -> bool {
        self.first_like(model, sum) == sum
    }

    /// The candidate: merges the classes that no context distinguishes.
    ///
    /// # Errors
    ///
    /// If it has more than `most` elements, or a limit is exceeded.
    pub fn reduce(
        &self,
        model: &Model,
        most: usize,
        limits: &Limits,
    ) -> Result<Candidate, StopReason> {
        let (class, classes) = model.indistinguishable(limits)?;
        let order = classes.len();
        if order > most {
            return Err(StopReason::Order { most });
        }
        limits.check_memory(BipartiteMonoid::bytes(order))?;
        let columns: Vec<Vec<Element>> = model
            .with
            .iter()
            .map(|with| {
                let of = |first: &usize| Element::at(class[with[*first] as usize] as usize);
                classes.iter().map(of).collect()
            })
            .collect();
        let mut first: Vec<Sum> = vec![Vec::new()];
        let mut grown = Vec::with_capacity(order - 1);
        for place in &classes[1..] {
            let (earlier, live) = model.grown[place - 1];
            let earlier = Element::at(class[earlier as usize] as usize);
            grown.push((earlier, columns[live].as_slice()));
            let mut sum = first[earlier.place()].clone();
            sum.insert(0, model.live[live]);
            first.push(sum);
        }
        let p = ElementSet::of(order, |element| model.is_p[classes[element.place()]]);
        let images = (1..)
            .zip(&self.images)
            .map(|(heap, _)| Element::at(class[self.class_of(model, &[heap])] as usize))
            .collect();
        Ok(Candidate {
            monoid: BipartiteMonoid::grown(&grown, p),
            images,
            first,
        })
    }
}

impl Model {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The first sum of a class, as places of live heaps, descending.
    fn first(&self, mut class: usize) -> SmallVec<[usize; 16]> {
        let mut first = SmallVec::new();
        while class > 0 {
            let (earlier, place) = self.grown[class - 1];
            first.push(place);
            class = earlier as usize;
        }
        first
    }

    /// The coarsest congruence that respects P (Moore's partition refinement):
    /// the number of the block of each class, and the first class of each block.
    fn indistinguishable(&self, limits: &Limits) -> Result<(Vec<u32>, Vec<usize>), StopReason> {
        let mut class: Vec<u32> = vec![0; self.states.len()];
        let is_p: Vec<u32> = self.is_p.iter().map(|p| u32::from(*p)).collect();
        let mut classes = split(&mut class, |place| is_p[place]);
        loop {
            let before = classes.len();
            for with in &self.with {
                limits.check_time()?;
                let last = class.clone();
                classes = split(&mut class, |place| last[with[place] as usize]);
            }
            if classes.len() == before {
                return Ok((class, classes));
            }
        }
    }
}

/// Splits blocks by marks, numbers them by their first elements, and returns
/// these.
fn split(class: &mut [u32], mark: impl Fn(usize) -> u32) -> Vec<usize> {
    let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut first = Vec::new();
    for (place, old) in class.iter_mut().enumerate() {
        let number = *numbers.entry((*old, mark(place))).or_insert_with(|| {
            first.push(place);
            first.len() as u32 - 1
        });
        *old = number;
    }
    first
}
