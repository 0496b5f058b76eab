//! Sets of elements, a bit for each.

use super::Element;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set {
    words: Vec<u64>,
}

impl Set {
    /// No element of a monoid of `order` elements.
    pub fn empty(order: usize) -> Set {
        Set {
            words: vec![0; order.div_ceil(64)],
        }
    }

    /// The elements that `holds` says.
    pub fn of(order: usize, mut holds: impl FnMut(Element) -> bool) -> Set {
        let mut set = Set::empty(order);
        for place in 0..order {
            let element = Element::at(place);
            if holds(element) {
                set.insert(element);
            }
        }
        set
    }

    pub fn insert(&mut self, element: Element) {
        self.words[element.place() / 64] |= 1 << (element.place() % 64);
    }

    pub fn has(&self, element: Element) -> bool {
        self.words[element.place() / 64] >> (element.place() % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn is_within(&self, other: &Set) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Adds the elements of another set.
    pub fn unite(&mut self, other: &Set) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    pub fn meets(&self, other: &Set) -> bool {
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

    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}
