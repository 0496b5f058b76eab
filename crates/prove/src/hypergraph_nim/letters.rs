//! The letters that a move can put in the place of a letter.
//!
//! Behind two prefixes, of a position and of the position after a move, the
//! lowered heaps are *loose*: their digits are unrelated. The other heaps have
//! had equal digits so far.

use super::rule::{HyperedgeSet, NO_FACE, Rule};
use nimrule_automata::Alphabet;

/// The alphabet split at each face of a rule.
#[derive(Debug)]
pub struct FaceLetters {
    pub alphabet: Alphabet,
    /// For a face, the letters with digits at its heaps alone.
    pub free: Vec<Vec<usize>>,
    /// For a face, the letters with digits at the other heaps alone,
    /// ascending.
    pub bound: Vec<Vec<usize>>,
}

impl FaceLetters {
    pub fn new(rule: &Rule, base: usize) -> FaceLetters {
        let alphabet = Alphabet::new(rule.heaps(), base);
        let inside = |heaps: u32| -> Vec<usize> {
            (0..alphabet.count())
                .filter(|&letter| alphabet.support[letter] & !heaps == 0)
                .collect()
        };
        let all = (1u32 << rule.heaps()) - 1;
        let faces = rule.faces();
        FaceLetters {
            free: faces.iter().map(|&face| inside(face)).collect(),
            bound: faces.iter().map(|&face| inside(all & !face)).collect(),
            alphabet,
        }
    }

    /// The letters that `letter` can be lowered to, each with the heaps that
    /// are loose then, where those of `loose` are already: `letter` has no
    /// digits at them. The loose heaps stay inside one of the `allowed`
    /// hyperedges. The first is the letter itself.
    pub fn lowered(
        &self,
        rule: &Rule,
        letter: usize,
        loose: u32,
        allowed: HyperedgeSet,
        lowered: &mut Vec<(usize, u32)>,
    ) {
        lowered.clear();
        lowered.push((letter, loose));
        for heap in 0..rule.heaps() {
            let digit = self.alphabet.digit(letter, heap);
            if digit == 0 {
                continue;
            }
            for one in 0..lowered.len() {
                let (there, loose) = lowered[one];
                let more = rule.face_of(loose | 1 << heap);
                if more == NO_FACE || rule.containing(usize::from(more)) & allowed == 0 {
                    continue;
                }
                for lower in 1..=digit {
                    let less = there - lower * self.alphabet.weight[heap];
                    lowered.push((less, loose | 1 << heap));
                }
            }
        }
    }
}
