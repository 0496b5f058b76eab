//! Moves into a set, for positions of any size.
//!
//! The automaton is walked along the digits of the position. For one
//! selection, what can have become of its heaps is a state and the heaps that
//! are smaller already; every pair reached remembers one way to it, so that
//! the way back from an accepting one spells the position moved to. A thousand
//! digits take a thousand steps.

use super::recogniser::{Letters, Recogniser};
use super::rule::Rule;
use std::collections::BTreeMap;

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
    let living = set.living();
    let support = word
        .iter()
        .fold(0, |all, &letter| all | letters.support[letter]);
    rule.facets()
        .iter()
        .enumerate()
        .filter(|&(number, _)| rule.usable(support) >> number & 1 != 0)
        .filter_map(|(_, &selection)| {
            let word = lowered(set, &living, word, selection & support)?;
            Some(Reply { selection, word })
        })
        .collect()
}

/// What can have become of the position behind one letter: for every state the
/// sets of heaps that are smaller, none of them inside another, each with what
/// it came from. A set that holds another can do all that it can, because a
/// smaller heap's digits are free.
type Layer = BTreeMap<u32, Vec<Step>>;

#[derive(Debug, Clone, Copy)]
struct Step {
    smaller: u32,
    from: (u32, u32),
    letter: usize,
}

/// The word with heaps of the selection lowered, at least one, into the set.
fn lowered(
    set: &Recogniser,
    living: &[bool],
    word: &[usize],
    selection: u32,
) -> Option<Vec<usize>> {
    let letters = set.letters();
    let start = Step {
        smaller: 0,
        from: (set.start, 0),
        letter: 0,
    };
    let mut layers: Vec<Layer> = vec![Layer::from_iter([(set.start, vec![start])])];
    for &letter in word {
        let mut next = Layer::default();
        for (&state, steps) in layers.last()? {
            for step in steps {
                for (there, smaller) in ways(&letters, letter, selection, step.smaller) {
                    let to = set.step(state, there);
                    if living[to as usize] {
                        let from = (state, step.smaller);
                        add(
                            next.entry(to).or_default(),
                            Step {
                                smaller,
                                from,
                                letter: there,
                            },
                        );
                    }
                }
            }
        }
        layers.push(next);
    }
    let ends = layers
        .last()?
        .iter()
        .filter(|&(&state, _)| set.accepting[state as usize]);
    let mut here = ends
        .flat_map(|(&state, steps)| steps.iter().map(move |step| (state, step.smaller)))
        .filter(|&(_, smaller)| smaller != 0)
        .min()?;
    let mut reversed = Vec::with_capacity(word.len());
    for layer in layers[1..].iter().rev() {
        let step = layer[&here.0].iter().find(|step| step.smaller == here.1)?;
        reversed.push(step.letter);
        here = step.from;
    }
    reversed.reverse();
    Some(reversed)
}

/// The letters that can stand in the place of one, with the heaps that are
/// smaller then.
fn ways(letters: &Letters, letter: usize, selection: u32, smaller: u32) -> Vec<(usize, u32)> {
    let mut ways = vec![(0, smaller)];
    for heap in 0..letters.heaps {
        let digit = letters.digit(letter, heap);
        let bit = 1 << heap;
        let least = if selection & bit == 0 { digit } else { 0 };
        let most = if smaller & bit == 0 {
            digit
        } else {
            letters.base - 1
        };
        let mut more = Vec::with_capacity(ways.len() * (most + 1 - least));
        for &(there, so_far) in &ways {
            more.extend((least..=most).map(|other| {
                let so_far = if other < digit { so_far | bit } else { so_far };
                (there + other * letters.weight[heap], so_far)
            }));
        }
        ways = more;
    }
    ways
}

fn add(steps: &mut Vec<Step>, step: Step) {
    if steps.iter().all(|other| step.smaller & !other.smaller != 0) {
        steps.retain(|other| other.smaller & !step.smaller != 0);
        steps.push(step);
    }
}
