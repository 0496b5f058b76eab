//! Preimages: the positions with a move into a set.
//!
//! Most moves change several heaps independently of each other. Their preimages
//! are computed heap by heap, which takes far fewer subsets than all heaps at
//! once, and intermediate preimages are shared between transitions. A preimage
//! also yields those of the transition's images under symmetries.

use crate::VerifyError;
use crate::atom::{Atom, Clause, Linear, Variable};
use crate::dfa::{Dfa, EVERYTHING};
use crate::rule::Rule;
use crate::search::Search;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Game;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The largest number of permutations that are tried.
const MAX_PERMUTATIONS: usize = 200;
/// With more letters in the alphabet no permutation is tried.
const MAX_LETTERS: usize = 4096;

/// Permutations of the heaps that map a set to itself: heap `h` goes to heap
/// `to[h]`.
pub struct Symmetries(Vec<Vec<usize>>);

impl Symmetries {
    /// The symmetries of the game that map the set to itself. The latter is
    /// checked here for each permutation; that they are symmetries of the game
    /// is not relied on. Numbers of the set after the heaps of the game stay in
    /// their places.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded.
    pub fn of(game: &Game, set: &Dfa, limits: &Limits) -> Result<Symmetries, LimitExceeded> {
        let letters = set.radix.checked_pow(set.heaps as u32);
        if letters.is_none_or(|letters| letters > MAX_LETTERS) {
            return Ok(Symmetries(Vec::new()));
        }
        let places: Vec<u64> = (0..game.heap_count() as u64).collect();
        let mut all: Vec<Vec<usize>> = Vec::new();
        game.symmetries.any_image(&places, &mut |image| {
            let heaps = image.iter().map(|heap| *heap as usize);
            all.push(heaps.chain(places.len()..set.heaps).collect());
            all.len() == MAX_PERMUTATIONS
        });
        let mut found = Vec::new();
        for to in all {
            if set
                .permuted(&to, limits)?
                .is_some_and(|image| image == *set)
            {
                found.push(to);
            }
        }
        Ok(Symmetries(found))
    }

    /// Comparisons of heaps of which one fails at every position that need not be looked
    /// at: some image of each position, under those of the symmetries that are also
    /// symmetries of the rule, satisfies none of them. Each is "heap `b` holds more than
    /// heap `h`", for a chain of heaps `b` and the heaps `h` of the orbit of `b` under the
    /// group that the symmetries that fix the earlier heaps of the chain generate: of each
    /// orbit the least heap comes first.
    pub fn excluding_images(&self, rule: &Rule<'_>) -> Vec<Clause> {
        let mut symmetries = rule.symmetries_among(self.0.clone());
        let mut found = Vec::new();
        let heaps = symmetries.first().map_or(0, Vec::len);
        for base in 0..heaps {
            let mut orbit = vec![base];
            let mut index = 0;
            while let Some(&heap) = orbit.get(index) {
                index += 1;
                for to in &symmetries {
                    if !orbit.contains(&to[heap]) {
                        orbit.push(to[heap]);
                    }
                }
            }
            for heap in orbit.into_iter().skip(1) {
                // h - b + 1 <= 0.
                let weights = [(Variable::Before(heap), 1), (Variable::Before(base), -1)];
                let weights = BTreeMap::from(weights);
                let is_less = Atom::AtMost(Linear {
                    weights,
                    constant: 1,
                });
                found.push(Clause::new(Vec::new(), vec![is_less]));
            }
            symmetries.retain(|to| to[base] == base);
        }
        found
    }

    /// Orbit representatives: clauses of which all others are images.
    pub fn representatives<'c>(&self, clauses: &'c [Clause]) -> Vec<&'c Clause> {
        let mut found: Vec<&Clause> = Vec::new();
        for clause in clauses {
            let mut images = self.0.iter().map(|to| clause.permuted(to));
            if !images.any(|image| found.contains(&&image)) {
                found.push(clause);
            }
        }
        found
    }
}

/// The computation of preimages of one target set.
pub struct Preimages<'s> {
    pub search: &'s Search<'s>,
    pub positions: &'s Dfa,
    pub target: &'s Dfa,
    /// The symmetries of the target.
    pub symmetries: &'s Symmetries,
    /// The memo table, by the relations composed.
    pub memo: BTreeMap<Vec<Clause>, Rc<Dfa>>,
}

impl Preimages<'_> {
    /// The preimage of the target under the composition of some relations.
    fn of(&mut self, relations: &[Clause]) -> Result<Rc<Dfa>, VerifyError> {
        let Some((first, others)) = relations.split_first() else {
            return Ok(Rc::new(self.target.clone()));
        };
        if let Some(found) = self.memo.get(relations) {
            return Ok(found.clone());
        }
        let limits = self.search.limits;
        let image = self.symmetries.0.iter().find_map(|to| {
            let mut images: Vec<Clause> = relations.iter().map(|one| one.permuted(to)).collect();
            images.sort();
            self.memo.get(&images)?.permuted(to, limits).transpose()
        });
        let found = match image {
            Some(found) => found?,
            None => {
                let (search, identity) = (self.search, Clause::default());
                let target = self.of(others)?;
                let without = search.without(self.positions, first, Some(&target))?;
                match self.positions.start {
                    EVERYTHING => without.complement(),
                    _ => search.without(self.positions, &identity, Some(&without))?,
                }
            }
        };
        let found = Rc::new(found);
        self.memo.insert(relations.to_vec(), found.clone());
        Ok(found)
    }

    /// The positions of the source from which the clause leads to no option in
    /// the target. The source and the target must be disjoint.
    ///
    /// # Errors
    ///
    /// If the numeration does not decide the clause, or if a limit is exceeded.
    pub fn without(&mut self, source: &Dfa, clause: &Clause) -> Result<Dfa, VerifyError> {
        let (condition, relations) = clause.separate();
        let before = self.of(&relations)?;
        self.search.without(source, &condition, Some(&before))
    }
}
