//! The positions with a move into a set, by all ways to move.
//!
//! Most moves change several heaps, each of them by itself: the positions with
//! such a move are found heap by heap, which takes far fewer subsets than all
//! heaps at once, and what is found for one way to move serves others. It also
//! serves their images under symmetries.

use crate::Refused;
use crate::atom::Clause;
use crate::dfa::{Dfa, EVERYTHING};
use crate::search::Search;
use nimrule_limits::{Limits, Met};
use nimrule_model::game::Game;
use std::collections::BTreeMap;
use std::rc::Rc;

/// No more permutations are looked at, and none where a letter has more words.
const MOST_PERMUTATIONS: usize = 200;
const MOST_LETTERS: usize = 4096;

/// Permutations of the heaps under which a set stays the same. `to[heap]` is
/// where a heap goes.
pub struct Symmetries(Vec<Vec<usize>>);

impl Symmetries {
    /// Those of the game's that the set has: for each of them that is checked
    /// here, and nothing else is said of them.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn of(game: &Game, set: &Dfa, limits: &Limits) -> Result<Symmetries, Met> {
        let letters = set.radix.checked_pow(set.heaps as u32);
        if letters.is_none_or(|letters| letters > MOST_LETTERS) {
            return Ok(Symmetries(Vec::new()));
        }
        let places: Vec<u64> = (0..set.heaps as u64).collect();
        let mut all: Vec<Vec<usize>> = Vec::new();
        game.symmetries.any_image(&places, &mut |image| {
            all.push(image.iter().map(|heap| *heap as usize).collect());
            all.len() == MOST_PERMUTATIONS
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

    /// Clauses of which all others are images.
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

/// The positions with an option in a target, relation by relation.
pub struct Preimages<'s> {
    pub search: &'s Search<'s>,
    pub positions: &'s Dfa,
    pub target: &'s Dfa,
    /// Those of the target.
    pub symmetries: &'s Symmetries,
    /// For relations, one after another.
    pub known: BTreeMap<Vec<Clause>, Rc<Dfa>>,
}

impl Preimages<'_> {
    /// The positions from which the relations, one after another, lead into
    /// the target.
    fn of(&mut self, relations: &[Clause]) -> Result<Rc<Dfa>, Refused> {
        let Some((first, others)) = relations.split_first() else {
            return Ok(Rc::new(self.target.clone()));
        };
        if let Some(found) = self.known.get(relations) {
            return Ok(found.clone());
        }
        let limits = self.search.limits;
        let image = self.symmetries.0.iter().find_map(|to| {
            let mut images: Vec<Clause> = relations.iter().map(|one| one.permuted(to)).collect();
            images.sort();
            self.known.get(&images)?.permuted(to, limits).transpose()
        });
        let found = match image {
            Some(found) => found?,
            None => {
                let (search, itself) = (self.search, Clause::default());
                let target = self.of(others)?;
                let without = search.without(self.positions, first, Some(&target))?;
                match self.positions.start {
                    EVERYTHING => without.complement(),
                    _ => search.without(self.positions, &itself, Some(&without))?,
                }
            }
        };
        let found = Rc::new(found);
        self.known.insert(relations.to_vec(), found.clone());
        Ok(found)
    }

    /// The positions of the source, of which none is in the target, from which
    /// the clause leads into no option in the target.
    pub fn without(&mut self, source: &Dfa, clause: &Clause) -> Result<Dfa, Refused> {
        let (condition, relations) = clause.separated();
        let before = self.of(&relations)?;
        self.search.without(source, &condition, Some(&before))
    }
}
