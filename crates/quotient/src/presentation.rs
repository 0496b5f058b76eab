//! The presentation of a quotient: generators, normal forms and relations.
//!
//! Words of the commutative monoid are ordered by length and then
//! lexicographically: of two words of the same length, the one with more of the
//! first letter, then of the second, is smaller. The order is compatible with
//! products. So the normal forms, the smallest words of all elements, are closed
//! under the removal of letters. The relations whose left side is a divisibility-minimal word
//! that is not normal, and whose right side is the normal form of its element,
//! form a complete rewriting system.

use super::{Element, Quotient};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

/// A word: the exponent of each generator. [`Ord`] is the order of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(Vec<u32>);

/// A relation: two words of the same element; the second is its normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The left side.
    pub word: Word,
    /// Its normal form, the right side.
    pub normal: Word,
}

/// The presentation of a quotient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presentation {
    /// The heaps of the letters a, b, c, ….
    pub generators: Vec<u32>,
    /// The normal form of each element, by its number.
    pub words: Vec<Word>,
    /// A complete rewriting system: it rewrites each word to its normal form.
    pub relations: Vec<Relation>,
}

impl Word {
    /// The exponent of each generator.
    pub fn exponents(&self) -> &[u32] {
        &self.0
    }

    /// The sum of the exponents.
    pub fn length(&self) -> u32 {
        self.0.iter().sum()
    }

    fn with(&self, letter: usize) -> Word {
        let mut word = self.clone();
        word.0[letter] += 1;
        word
    }

    fn without(&self, letter: usize) -> Option<Word> {
        let mut word = self.clone();
        word.0[letter] = word.0[letter].checked_sub(1)?;
        Some(word)
    }
}

/// The name of a generator: a to z, then a1 to z1, and so on.
pub fn letter(place: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(place % 26).expect("it is below 26"));
    match place / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Word) -> Ordering {
        let by_length = self.length().cmp(&other.length());
        by_length.then_with(|| other.0.cmp(&self.0))
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Word) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.length() == 0 {
            return f.write_str("1");
        }
        for (place, exponent) in self.0.iter().enumerate() {
            match exponent {
                0 => {}
                1 => f.write_str(&letter(place))?,
                _ => write!(f, "{}^{exponent}", letter(place))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.word, self.normal)
    }
}

impl Quotient {
    /// The presentation of this quotient.
    pub fn presentation(&self) -> Presentation {
        let generators = self.generators();
        let letters: Vec<Element> = generators
            .iter()
            .map(|heap| self.images()[*heap as usize - 1])
            .collect();
        let words = self.normal_forms(&letters);
        let mut candidates = BTreeSet::new();
        for (place, word) in words.iter().enumerate() {
            for (letter, image) in letters.iter().enumerate() {
                let longer = word.with(letter);
                let element = self.monoid().product(Element::at(place), *image);
                if words[element.place()] != longer {
                    candidates.insert((longer, element));
                }
            }
        }
        let is_normal = |word: &Word| {
            let images = word.0.iter().zip(&letters);
            let all = images.flat_map(|(times, image)| (0..*times).map(|_| *image));
            words[self.monoid().product_of(all).place()] == *word
        };
        let relations = candidates
            .into_iter()
            .filter(|(word, _)| {
                let mut parts = (0..letters.len()).filter_map(|letter| word.without(letter));
                parts.all(|part| is_normal(&part))
            })
            .map(|(word, element)| Relation {
                word,
                normal: words[element.place()].clone(),
            })
            .collect();
        Presentation {
            generators,
            words,
            relations,
        }
    }

    /// The normal form of each element, found by ascending length.
    fn normal_forms(&self, letters: &[Element]) -> Vec<Word> {
        let empty = Word(vec![0; letters.len()]);
        let mut words = vec![None; self.order()];
        words[Element::ONE.place()] = Some(empty.clone());
        // The normal forms of one length, ascending.
        let mut last = vec![(empty, Element::ONE)];
        while !last.is_empty() {
            let mut next = Vec::new();
            for (word, element) in &last {
                // Letters from the last one on, so that each word occurs once.
                let from = word.0.iter().rposition(|times| *times > 0).unwrap_or(0);
                for (letter, image) in letters.iter().enumerate().skip(from) {
                    let longer = self.monoid().product(*element, *image);
                    if words[longer.place()].is_none() {
                        let word = word.with(letter);
                        words[longer.place()] = Some(word.clone());
                        next.push((word, longer));
                    }
                }
            }
            last = next;
        }
        words
            .into_iter()
            .map(|word| word.expect("the generators reach every element"))
            .collect()
    }
}
