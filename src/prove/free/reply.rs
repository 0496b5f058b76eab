//! Moves into a set, for positions of any size.
//!
//! The automaton is walked along the digits of the position. For one
//! selection, what can have become of its heaps is a state and the heaps that
//! are smaller already; every pair reached remembers one way to it, so that
//! the way back from an accepting one spells the position moved to. A thousand
//! digits take a thousand steps.

use super::recogniser::Recogniser;
use super::rule::Rule;
use rustc_hash::FxHashMap;

/// A move into the set, by one selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub selection: u32,
    /// The letters of the position moved to, as many as there were.
    pub word: Vec<usize>,
}

/// For every selection that has one, a move from the position into the set.
pub fn replies(rule: &Rule, set: &Recogniser, word: &[usize]) -> Vec<Reply> {
    let letters = set.letters();
    let support = word
        .iter()
        .fold(0, |all, &letter| all | letters.support[letter]);
    rule.facets()
        .iter()
        .enumerate()
        .filter(|&(number, _)| rule.usable(support) >> number & 1 != 0)
        .filter_map(|(_, &selection)| {
            let word = lowered(set, word, selection & support)?;
            Some(Reply { selection, word })
        })
        .collect()
}

/// A pair and how it came about: the pair before, and the letter.
type Layer = FxHashMap<(u32, u32), ((u32, u32), usize)>;

/// The word with heaps of the selection lowered, at least one, into the set.
fn lowered(set: &Recogniser, word: &[usize], selection: u32) -> Option<Vec<usize>> {
    let letters = set.letters();
    let start = (set.start, 0);
    let mut layers: Vec<Layer> = vec![Layer::from_iter([(start, (start, 0))])];
    for &letter in word {
        let mut next = Layer::default();
        for &(state, loose) in layers.last()?.keys() {
            let mut ways = vec![(0, 0u32)];
            for heap in 0..set.heaps {
                let digit = letters.digit(letter, heap);
                let bit = 1 << heap;
                let least = if selection & bit == 0 { digit } else { 0 };
                let most = if loose & bit == 0 {
                    digit
                } else {
                    set.base - 1
                };
                let mut more = Vec::with_capacity(ways.len() * (most + 1 - least));
                for &(there, smaller) in &ways {
                    more.extend((least..=most).map(|other| {
                        let smaller = if other < digit {
                            smaller | bit
                        } else {
                            smaller
                        };
                        (there + other * letters.weight[heap], smaller)
                    }));
                }
                ways = more;
            }
            for (there, smaller) in ways {
                let to = (set.step(state, there), loose | smaller);
                next.entry(to).or_insert(((state, loose), there));
            }
        }
        layers.push(next);
    }
    let last = layers.last()?;
    let mut here = *last
        .keys()
        .filter(|&&(state, loose)| loose != 0 && set.accepting[state as usize])
        .min()?;
    let mut reversed = Vec::with_capacity(word.len());
    for layer in layers[1..].iter().rev() {
        let (before, letter) = layer[&here];
        reversed.push(letter);
        here = before;
    }
    reversed.reverse();
    Some(reversed)
}
