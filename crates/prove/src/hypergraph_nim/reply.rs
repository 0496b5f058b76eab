//! Moves into a set, for positions of any size.
//!
//! The automaton reads the options of a position together with the digits of the
//! position. For one hyperedge the option prefixes are represented by automaton
//! states, each with the heaps that are smaller so far. Every reached state stores
//! one predecessor, so that the path back from an accepting state spells an
//! option. The time is linear in the number of digits.

use super::rule::Rule;
use nimrule_automata::{Alphabet, TableDfa};
use std::collections::BTreeMap;

/// A move into the set by one hyperedge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The hyperedge as a bit set of heaps.
    pub hyperedge: u32,
    /// The letters of the option, with the length of the word of the position.
    pub word: Vec<usize>,
}

/// Returns a move from the position into the set for every hyperedge that has one.
/// `word` has the letters of the position, the most significant digits first.
pub fn replies(rule: &Rule, set: &TableDfa, word: &[usize]) -> Vec<Reply> {
    let alphabet = set.alphabet();
    let coaccessible = set.coaccessible();
    let support = word
        .iter()
        .fold(0, |all, &letter| all | alphabet.support[letter]);
    rule.hyperedges()
        .iter()
        .enumerate()
        .filter(|&(number, _)| rule.usable(support) >> number & 1 != 0)
        .filter_map(|(_, &hyperedge)| {
            let word = option_in_set(set, &coaccessible, word, hyperedge & support)?;
            Some(Reply { hyperedge, word })
        })
        .collect()
}

/// The options of a prefix: for every state the sets of heaps that are smaller so
/// far, each with a predecessor. The sets are an antichain: a set subsumes its
/// subsets, because the further digits of a smaller heap are arbitrary.
type Layer = BTreeMap<u32, Vec<Step>>;

#[derive(Debug, Clone, Copy)]
struct Step {
    smaller: u32,
    from: (u32, u32),
    letter: usize,
}

/// The word of an option in the set that lowers at least one heap, all of them in the
/// hyperedge.
fn option_in_set(
    set: &TableDfa,
    coaccessible: &[bool],
    word: &[usize],
    hyperedge: u32,
) -> Option<Vec<usize>> {
    let alphabet = set.alphabet();
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
                for (there, smaller) in lowered_letters(&alphabet, letter, hyperedge, step.smaller)
                {
                    let to = set.step(state, there);
                    if coaccessible[to as usize] {
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
        .filter(|&(&state, _)| set.is_accepting(state));
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

/// The letters of an option at a letter of the position, each with the heaps that are
/// smaller afterwards.
fn lowered_letters(
    alphabet: &Alphabet,
    letter: usize,
    hyperedge: u32,
    smaller: u32,
) -> Vec<(usize, u32)> {
    let mut lowered = vec![(0, smaller)];
    for heap in 0..alphabet.tracks {
        let digit = alphabet.digit(letter, heap);
        let bit = 1 << heap;
        let least = if hyperedge & bit == 0 { digit } else { 0 };
        let most = if smaller & bit == 0 {
            digit
        } else {
            alphabet.base - 1
        };
        let mut more = Vec::with_capacity(lowered.len() * (most + 1 - least));
        for &(there, so_far) in &lowered {
            more.extend((least..=most).map(|other| {
                let so_far = if other < digit { so_far | bit } else { so_far };
                (there + other * alphabet.weight[heap], so_far)
            }));
        }
        lowered = more;
    }
    lowered
}

/// Adds a step to an antichain.
fn add(steps: &mut Vec<Step>, step: Step) {
    if steps.iter().all(|other| step.smaller & !other.smaller != 0) {
        steps.retain(|other| other.smaller & !step.smaller != 0);
        steps.push(step);
    }
}
