//! Sets of elements as bits.

use super::Element;

/// A set of elements of a monoid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ElementSet {
    words: Vec<u64>,
}

impl ElementSet {
    /// The empty set of elements of a monoid with `order` elements.
    pub fn empty(order: usize) -> ElementSet {
        ElementSet {
            words: vec![0; order.div_ceil(64)],
        }
    }

    /// The elements for which `holds` returns true.
    pub fn of(order: usize, mut holds: impl FnMut(Element) -> bool) -> ElementSet {
        let mut set = ElementSet::empty(order);
        for place in 0..order {
            let element = Element::at(place);
            if holds(element) {
                set.insert(element);
            }
        }
        set
    }

    /// Adds an element.
    pub fn insert(&mut self, element: Element) {
        self.words[element.place() / 64] |= 1 << (element.place() % 64);
    }

    /// Returns whether an element is in the set.
    pub fn contains(&self, element: Element) -> bool {
        self.words[element.place() / 64] >> (element.place() % 64) & 1 == 1
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns whether the set is a subset of another.
    pub fn is_subset(&self, other: &ElementSet) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Adds the elements of another set.
    pub fn insert_all(&mut self, other: &ElementSet) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Returns whether two sets have a common element.
    pub fn intersects(&self, other: &ElementSet) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.any(|(mine, theirs)| mine & theirs != 0)
    }

    /// The elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Element> + '_ {
        self.words.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    Element::at(64 * place + bit)
                })
            })
        })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}
