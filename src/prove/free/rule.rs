//! Rules "remove any number of tokens from each heap of one selection".
//!
//! A rule of this class is told by its selections alone, and what counts of
//! them is which sets of heaps one move can lower at once: those inside a
//! selection. Where the board shrinks, the selections at hand depend on which
//! heaps are not empty, the *support* of the position before the move. So a
//! rule is a list of maximal selections and, for every support, the ones of
//! them that may be used there.

use super::Unfit;
use crate::automata::known::Known;

/// A set of maximal selections, one bit each.
pub type Selections = u32;

/// No face: a set of heaps that no move lowers.
pub const NO_FACE: u16 = u16::MAX;

/// A rule "remove any from each heap of one selection".
#[derive(Debug, Clone)]
pub struct Rule {
    heaps: usize,
    misere: bool,
    /// The maximal selections.
    facets: Vec<u32>,
    /// For every support, the facets that may be used there.
    usable: Vec<Selections>,
    /// For every support, the facets that may be used there or at a larger one.
    possible: Vec<Selections>,
    /// The facets that may be used at every support.
    always: Selections,
    /// The supports from which nothing can be moved.
    stuck: Vec<bool>,
    /// The sets of heaps that a move can lower, and the empty one, first.
    faces: Vec<u32>,
    /// The number of the face for every set of heaps, or [`NO_FACE`].
    face_of: Vec<u16>,
    /// For every face, the facets that contain it.
    over: Vec<Selections>,
    /// Supports that no later digit tells apart have the same class.
    class_of: Vec<u16>,
    /// One support of each class.
    class_support: Vec<u32>,
}

impl Rule {
    /// The rule in which a move lowers heaps within one of `family(support)`.
    ///
    /// Selections are sets of heaps as bits, and may have empty heaps in them:
    /// those stay as they are.
    pub fn new(
        heaps: usize,
        misere: bool,
        family: impl Fn(u32) -> Vec<u32>,
    ) -> Result<Rule, Unfit> {
        if heaps == 0 || heaps > super::MOST_HEAPS {
            return Err(Unfit::Heaps(heaps));
        }
        let supports = 1usize << heaps;
        let families: Vec<Vec<u32>> = (0..supports as u32).map(&family).collect();
        if families
            .iter()
            .flatten()
            .any(|&set| set as usize >= supports)
        {
            return Err(Unfit::Heaps(heaps));
        }
        let allows = |support: usize, set: u32| {
            let within = set & support as u32;
            within == 0 || families[support].iter().any(|&one| within & !one == 0)
        };
        let facets = facets(&families, &allows);
        if facets.len() > Selections::BITS as usize {
            return Err(Unfit::Selections(facets.len()));
        }
        let usable: Vec<Selections> = (0..supports)
            .map(|support| {
                facets
                    .iter()
                    .enumerate()
                    .filter(|&(_, &facet)| allows(support, facet))
                    .fold(0, |all, (index, _)| all | 1 << index)
            })
            .collect();
        let always = usable.iter().fold(Selections::MAX, |all, &some| all & some);
        let mut possible = usable.clone();
        for heap in 0..heaps {
            for support in 0..supports {
                if support >> heap & 1 == 0 {
                    possible[support] |= possible[support | 1 << heap];
                }
            }
        }
        let stuck = (0..supports)
            .map(|support| {
                families[support]
                    .iter()
                    .all(|&set| set & support as u32 == 0)
            })
            .collect();
        let mut faces: Vec<u32> = (0..supports as u32)
            .filter(|&set| set == 0 || facets.iter().any(|&facet| set & !facet == 0))
            .collect();
        faces.sort_by_key(|&set| (set.count_ones(), set));
        let mut face_of = vec![NO_FACE; supports];
        for (index, &face) in faces.iter().enumerate() {
            face_of[face as usize] = index as u16;
        }
        let over = faces
            .iter()
            .map(|&face| {
                facets
                    .iter()
                    .enumerate()
                    .filter(|&(_, &facet)| face & !facet == 0)
                    .fold(0, |all, (index, _)| all | 1 << index)
            })
            .collect();
        let mut rule = Rule {
            heaps,
            misere,
            facets,
            usable,
            possible,
            always,
            stuck,
            faces,
            face_of,
            over,
            class_of: Vec::new(),
            class_support: Vec::new(),
        };
        rule.classify();
        Ok(rule)
    }

    /// The rule with the same selections at every support.
    pub fn fixed(heaps: usize, misere: bool, family: &[u32]) -> Result<Rule, Unfit> {
        Rule::new(heaps, misere, |_| family.to_vec())
    }

    pub fn heaps(&self) -> usize {
        self.heaps
    }

    pub fn is_misere(&self) -> bool {
        self.misere
    }

    /// The maximal selections.
    pub fn facets(&self) -> &[u32] {
        &self.facets
    }

    /// The facets that may be used at a support.
    pub fn usable(&self, support: u32) -> Selections {
        self.usable[support as usize]
    }

    /// The facets that may be used at a support or at a larger one.
    pub fn possible(&self, support: u32) -> Selections {
        self.possible[support as usize]
    }

    /// The facets that may be used at every support.
    pub fn always(&self) -> Selections {
        self.always
    }

    /// Whether no move is left at a support.
    pub fn is_stuck(&self, support: u32) -> bool {
        self.stuck[support as usize]
    }

    /// The sets of heaps that a move can lower, smaller ones first; the first
    /// is empty.
    pub fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// The number of the face, or [`NO_FACE`].
    pub fn face_of(&self, set: u32) -> u16 {
        self.face_of[set as usize]
    }

    /// The facets around a face.
    pub fn over(&self, face: usize) -> Selections {
        self.over[face]
    }

    /// Whether a move from a position of this support may lower just this set.
    pub fn allows(&self, support: u32, set: u32) -> bool {
        let face = self.face_of(set);
        face != NO_FACE && self.over[face as usize] & self.usable[support as usize] != 0
    }

    /// Supports of the same class are told apart by no later digit.
    pub fn class_of(&self, support: u32) -> u16 {
        self.class_of[support as usize]
    }

    /// One support of each class.
    pub fn classes(&self) -> &[u32] {
        &self.class_support
    }

    /// Whether at some support no facet at all may be used. There even a
    /// position that stays as it is lies in no selection.
    pub fn has_bare_support(&self) -> bool {
        self.usable.contains(&0)
    }

    /// Moore's partition of the supports by what they and the larger ones
    /// allow.
    fn classify(&mut self) {
        let supports = 1usize << self.heaps;
        let mut class: Vec<u32> = number(
            (0..supports).map(|support| vec![self.usable[support], u32::from(self.stuck[support])]),
        );
        loop {
            let finer = number((0..supports).map(|support| {
                let mut signature = vec![class[support]];
                signature.extend((0..self.heaps).map(|heap| class[support | 1 << heap]));
                signature
            }));
            let stable = finer.iter().max() == class.iter().max();
            class = finer;
            if stable {
                break;
            }
        }
        let count = class.iter().max().map_or(0, |&most| most as usize + 1);
        let mut support_of = vec![0; count];
        for (support, &one) in class.iter().enumerate().rev() {
            support_of[one as usize] = support as u32;
        }
        self.class_of = class.iter().map(|&one| one as u16).collect();
        self.class_support = support_of;
    }

    /// Permutations of the heaps that keep the rule, up to so many, and whether
    /// these are all. The first is the one that moves nothing;
    /// `permutation[i]` is where heap i goes.
    pub fn symmetries(&self, most: usize) -> (Vec<Vec<u8>>, bool) {
        let heaps = self.heaps;
        let shared = |a: usize, b: usize| {
            let both = 1u32 << a | 1 << b;
            self.facets
                .iter()
                .filter(|&&facet| both & !facet == 0)
                .count()
        };
        let pairs: Vec<Vec<usize>> = (0..heaps)
            .map(|a| (0..heaps).map(|b| shared(a, b)).collect())
            .collect();
        let keeps = |images: &[u8]| {
            let map = |set: u32| permuted_set(set, images);
            let to: Option<Vec<usize>> = self
                .facets
                .iter()
                .map(|&facet| self.facets.binary_search(&map(facet)).ok())
                .collect();
            to.is_some_and(|to| {
                (0..1u32 << heaps).all(|support| {
                    let (here, there) = (support as usize, map(support) as usize);
                    let moved = to.iter().enumerate().fold(0, |all, (from, to)| {
                        all | (self.usable[here] >> from & 1) << to
                    });
                    self.stuck[here] == self.stuck[there] && moved == self.usable[there]
                })
            })
        };
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut tried = 0;
        let whole = extend(heaps, &pairs, &mut Vec::new(), &mut |images| {
            tried += 1;
            if found.len() == most || tried > MOST_TRIED {
                return false;
            }
            if keeps(images) {
                found.push(images.to_vec());
            }
            true
        });
        (found, whole)
    }
}

/// More permutations are not tried.
const MOST_TRIED: usize = 50_000;

/// Goes through the permutations that keep how many facets two heaps share,
/// as long as `go_on` wants more.
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

/// Where a set of heaps goes.
pub fn permuted_set(set: u32, images: &[u8]) -> u32 {
    images
        .iter()
        .enumerate()
        .filter(|&(heap, _)| set >> heap & 1 != 0)
        .fold(0, |all, (_, &to)| all | 1 << to)
}

/// The sets of which every move needs one: a set is left out where, at every
/// support that has it, a larger one serves as well.
fn facets(families: &[Vec<u32>], allows: &dyn Fn(usize, u32) -> bool) -> Vec<u32> {
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
        let served = (0..families.len()).all(|support| {
            !families[support].contains(&set)
                || chosen
                    .iter()
                    .any(|&one| set & support as u32 & !one == 0 && allows(support, one))
        });
        if !served {
            chosen.push(set);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Numbers equal signatures equally, in the order in which they come.
fn number(signatures: impl Iterator<Item = Vec<u32>>) -> Vec<u32> {
    let mut known = Known::default();
    signatures
        .map(|signature| {
            let fresh = known.count() as u32;
            known.or_insert_with(signature, || fresh)
        })
        .collect()
}
