//! Rules of hypergraph Nim: "remove any number of tokens from each heap of one
//! hyperedge".
//!
//! A *face* is a subset of a hyperedge: a set of heaps that one move can lower.
//! The *support* of a position is the set of its nonempty heaps. On a board on
//! which empty heaps vanish, the hyperedges depend on the support of the position
//! before the move. So a rule consists of a list of maximal hyperedges and, for
//! every support, the subset of them that is usable there.
//!
//! Sets of heaps are bit sets: bit i is heap i.

use super::RuleError;
use nimrule_automata::Alphabet;
use nimrule_automata::memo::Memo;
use nimrule_automata::partition::coarsest_partition;
use std::convert::Infallible;

/// A set of maximal hyperedges: bit i is the hyperedge number i of
/// [`Rule::hyperedges`].
pub type HyperedgeSet = u64;

/// The number of a set of heaps that is no face.
pub const NO_FACE: u16 = u16::MAX;

/// A rule of hypergraph Nim.
#[derive(Debug, Clone)]
pub struct Rule {
    heaps: usize,
    misere: bool,
    /// The maximal hyperedges.
    hyperedges: Vec<u32>,
    /// For every support, the hyperedges usable there.
    usable: Vec<HyperedgeSet>,
    /// For every support, the hyperedges usable there or at a larger one.
    possible: Vec<HyperedgeSet>,
    /// The hyperedges usable at every support.
    always: HyperedgeSet,
    /// The supports of terminal positions.
    terminal: Vec<bool>,
    /// The faces in the order of their sizes. The first is the empty set.
    faces: Vec<u32>,
    /// The number of the face for every set of heaps, or [`NO_FACE`].
    face_of: Vec<u16>,
    /// For every face, the hyperedges that contain it.
    containing: Vec<HyperedgeSet>,
    /// The class of each support: supports of one class stay indistinguishable
    /// whatever heaps become nonempty later.
    class_of: Vec<u16>,
    /// One support of each class.
    class_support: Vec<u32>,
}

impl Rule {
    /// Returns the rule in which a move lowers heaps of one hyperedge of
    /// `family(support)`. A hyperedge may contain empty heaps, which stay empty.
    ///
    /// # Errors
    ///
    /// Too many heaps, or too many maximal hyperedges.
    pub fn new(
        heaps: usize,
        misere: bool,
        family: impl Fn(u32) -> Vec<u32>,
    ) -> Result<Rule, RuleError> {
        if heaps == 0 || heaps > super::MAX_HEAPS {
            return Err(RuleError::Heaps(heaps));
        }
        let supports = 1usize << heaps;
        let families: Vec<Vec<u32>> = (0..supports as u32).map(&family).collect();
        if families
            .iter()
            .flatten()
            .any(|&set| set as usize >= supports)
        {
            return Err(RuleError::Heaps(heaps));
        }
        let allows = |support: usize, set: u32| {
            let within = set & support as u32;
            within == 0 || families[support].iter().any(|&one| within & !one == 0)
        };
        let hyperedges = hyperedges(&families, &allows);
        if hyperedges.len() > HyperedgeSet::BITS as usize {
            return Err(RuleError::Selections(hyperedges.len()));
        }
        let usable: Vec<HyperedgeSet> = (0..supports)
            .map(|support| {
                hyperedges
                    .iter()
                    .enumerate()
                    .filter(|&(_, &hyperedge)| allows(support, hyperedge))
                    .fold(0, |all, (index, _)| all | 1 << index)
            })
            .collect();
        let always = usable
            .iter()
            .fold(HyperedgeSet::MAX, |all, &some| all & some);
        let mut possible = usable.clone();
        for heap in 0..heaps {
            for support in 0..supports {
                if support >> heap & 1 == 0 {
                    possible[support] |= possible[support | 1 << heap];
                }
            }
        }
        let terminal = (0..supports)
            .map(|support| {
                families[support]
                    .iter()
                    .all(|&set| set & support as u32 == 0)
            })
            .collect();
        let mut faces: Vec<u32> = (0..supports as u32)
            .filter(|&set| set == 0 || hyperedges.iter().any(|&hyperedge| set & !hyperedge == 0))
            .collect();
        faces.sort_by_key(|&set| (set.count_ones(), set));
        let mut face_of = vec![NO_FACE; supports];
        for (index, &face) in faces.iter().enumerate() {
            face_of[face as usize] = index as u16;
        }
        let containing = faces
            .iter()
            .map(|&face| {
                hyperedges
                    .iter()
                    .enumerate()
                    .filter(|&(_, &hyperedge)| face & !hyperedge == 0)
                    .fold(0, |all, (index, _)| all | 1 << index)
            })
            .collect();
        let mut rule = Rule {
            heaps,
            misere,
            hyperedges,
            usable,
            possible,
            always,
            terminal,
            faces,
            face_of,
            containing,
            class_of: Vec::new(),
            class_support: Vec::new(),
        };
        rule.classify();
        Ok(rule)
    }

    /// The number of heaps.
    pub fn heaps(&self) -> usize {
        self.heaps
    }

    /// Whether the player without a move wins.
    pub fn is_misere(&self) -> bool {
        self.misere
    }

    /// The maximal hyperedges.
    pub fn hyperedges(&self) -> &[u32] {
        &self.hyperedges
    }

    /// The hyperedges usable at a support.
    pub fn usable(&self, support: u32) -> HyperedgeSet {
        self.usable[support as usize]
    }

    /// The hyperedges usable at a support or at a larger one.
    pub fn possible(&self, support: u32) -> HyperedgeSet {
        self.possible[support as usize]
    }

    /// The hyperedges usable at every support.
    pub fn always(&self) -> HyperedgeSet {
        self.always
    }

    /// Whether the positions of a support are terminal.
    pub fn is_terminal(&self, support: u32) -> bool {
        self.terminal[support as usize]
    }

    /// The faces in the order of their sizes. The first is the empty set.
    pub fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// The number of a face; [`NO_FACE`] for other sets of heaps.
    pub fn face_of(&self, set: u32) -> u16 {
        self.face_of[set as usize]
    }

    /// The hyperedges that contain a face.
    pub fn containing(&self, face: usize) -> HyperedgeSet {
        self.containing[face]
    }

    /// The class of a support: supports of one class stay indistinguishable
    /// whatever heaps become nonempty later.
    pub fn class_of(&self, support: u32) -> u16 {
        self.class_of[support as usize]
    }

    /// One support of each class.
    pub fn classes(&self) -> &[u32] {
        &self.class_support
    }

    /// Whether some support has no usable hyperedge. The preimages of a set do not
    /// contain the positions of the set with such a support.
    pub fn has_support_without_hyperedge(&self) -> bool {
        self.usable.contains(&0)
    }

    /// Computes the classes of supports: the states of the minimal automaton that
    /// reads heaps becoming nonempty and outputs the usable hyperedges.
    fn classify(&mut self) {
        let supports = 1u32 << self.heaps;
        let mut known = Memo::default();
        let keys: Vec<u32> = (0..supports as usize)
            .map(|support| {
                let fresh = known.len() as u32;
                known.or_insert_with((self.usable[support], self.terminal[support]), || fresh)
            })
            .collect();
        let next: Vec<u32> = (0..supports)
            .flat_map(|support| (0..self.heaps).map(move |heap| support | 1 << heap))
            .collect();
        let class = coarsest_partition(&keys, &next, self.heaps, || Ok::<(), Infallible>(()));
        let class = class.unwrap_or_else(|never| match never {});
        let count = class.iter().max().map_or(0, |&most| most as usize + 1);
        let mut support_of = vec![0; count];
        for (support, &one) in class.iter().enumerate().rev() {
            support_of[one as usize] = support as u32;
        }
        self.class_of = class.iter().map(|&one| one as u16).collect();
        self.class_support = support_of;
    }

    /// At most `most` permutations of the heaps that leave the rule invariant, and
    /// whether these are all. The first is the identity; `permutation[i]` is the
    /// image of heap i.
    pub fn symmetries(&self, most: usize) -> (Vec<Vec<u8>>, bool) {
        let heaps = self.heaps;
        let shared = |a: usize, b: usize| {
            let both = 1u32 << a | 1 << b;
            self.hyperedges
                .iter()
                .filter(|&&hyperedge| both & !hyperedge == 0)
                .count()
        };
        let pairs: Vec<Vec<usize>> = (0..heaps)
            .map(|a| (0..heaps).map(|b| shared(a, b)).collect())
            .collect();
        let is_symmetry = |images: &[u8]| {
            let map = |set: u32| permuted_set(set, images);
            let to: Option<Vec<usize>> = self
                .hyperedges
                .iter()
                .map(|&hyperedge| self.hyperedges.binary_search(&map(hyperedge)).ok())
                .collect();
            to.is_some_and(|to| {
                (0..1u32 << heaps).all(|support| {
                    let (here, there) = (support as usize, map(support) as usize);
                    let moved = to.iter().enumerate().fold(0, |all, (from, to)| {
                        all | (self.usable[here] >> from & 1) << to
                    });
                    self.terminal[here] == self.terminal[there] && moved == self.usable[there]
                })
            })
        };
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut tried = 0;
        let whole = extend(heaps, &pairs, &mut Vec::new(), &mut |images| {
            tried += 1;
            if found.len() == most || tried > MAX_TRIED {
                return false;
            }
            if is_symmetry(images) {
                found.push(images.to_vec());
            }
            true
        });
        (found, whole)
    }
}

/// The most permutations that are tried.
const MAX_TRIED: usize = 50_000;

/// Enumerates the permutations that preserve the number of hyperedges that contain
/// two given heaps, until `go_on` returns false. Returns whether all were
/// enumerated.
fn extend(
    heaps: usize,
    pairs: &[Vec<usize>],
    images: &mut Vec<u8>,
    go_on: &mut dyn FnMut(&[u8]) -> bool,
) -> bool {
    let next = images.len();
    if next == heaps {
        return go_on(images);
    }
    for to in 0..heaps {
        let fits = !images.contains(&(to as u8))
            && pairs[next][next] == pairs[to][to]
            && (0..next).all(|other| pairs[next][other] == pairs[to][usize::from(images[other])]);
        if fits {
            images.push(to as u8);
            let more = extend(heaps, pairs, images, go_on);
            images.pop();
            if !more {
                return false;
            }
        }
    }
    true
}

/// The image of a set of heaps under a permutation.
pub fn permuted_set(set: u32, images: &[u8]) -> u32 {
    images
        .iter()
        .enumerate()
        .filter(|&(heap, _)| set >> heap & 1 != 0)
        .fold(0, |all, (_, &to)| all | 1 << to)
}

/// The maximal hyperedges. A hyperedge is redundant if at every support that has it
/// a larger one allows the same moves.
fn hyperedges(families: &[Vec<u32>], allows: &dyn Fn(usize, u32) -> bool) -> Vec<u32> {
    let mut all: Vec<u32> = families
        .iter()
        .flatten()
        .copied()
        .filter(|&set| set != 0)
        .collect();
    all.sort_by_key(|&set| (std::cmp::Reverse(set.count_ones()), set));
    all.dedup();
    let mut chosen: Vec<u32> = Vec::new();
    for set in all {
        let is_redundant = (0..families.len()).all(|support| {
            !families[support].contains(&set)
                || chosen
                    .iter()
                    .any(|&one| set & support as u32 & !one == 0 && allows(support, one))
        });
        if !is_redundant {
            chosen.push(set);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The alphabet, with each letter split into digits of a face and of the other
/// heaps. After two prefixes, of a position and of an option, the heaps of the
/// face are *loose*: they are smaller in the option, so that their further digits
/// are unrelated. The other heaps have had equal digits.
#[derive(Debug)]
pub struct FaceLetters {
    /// The letters: one digit for each heap.
    pub alphabet: Alphabet,
    /// For a face, the letters whose digits outside the face are 0.
    pub free: Vec<Vec<usize>>,
    /// For a face, the letters whose digits in the face are 0, ascending.
    pub bound: Vec<Vec<usize>>,
}

impl FaceLetters {
    /// Splits the letters of a base at each face of a rule.
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

    /// Lists the letters that an option can have where the position has `letter`,
    /// each with the heaps that are loose afterwards. The heaps of `loose` are
    /// loose before; `letter` has the digit 0 at them. The loose heaps must be
    /// contained in one of the `allowed` hyperedges. The first result is `letter`
    /// itself.
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
