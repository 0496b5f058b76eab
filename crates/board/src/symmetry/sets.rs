//! An indexed structure for the search, colour refinement, and the limit of steps.

use super::Structure;

/// The largest number of steps of a search. A step is a visit to a point of a set, or costs as much.
const MAX_STEPS: u64 = 20_000_000;

/// The number of steps that a search may still take.
pub(super) struct StepBudget {
    left: u64,
}

/// Why a search did not find all symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Incomplete {
    /// It takes too many steps.
    StepBudget,
    /// There are too many symmetries to list.
    Length,
}

impl StepBudget {
    pub fn new() -> StepBudget {
        StepBudget { left: MAX_STEPS }
    }

    pub fn spend(&mut self, steps: usize) -> Result<(), Incomplete> {
        self.left = self
            .left
            .checked_sub(steps as u64)
            .ok_or(Incomplete::StepBudget)?;
        Ok(())
    }
}

/// The sets of a structure, each with the number of its relation, indexed by their points.
#[derive(Clone)]
pub(super) struct IndexedSets {
    points: usize,
    /// Ascending and without repeats; the points of a set are ascending too.
    sets: Vec<(usize, Vec<usize>)>,
    /// For each point, the indices of the sets that contain it.
    with: Vec<Vec<usize>>,
    /// The number of steps of a visit to all points of all sets.
    size: usize,
}

impl IndexedSets {
    pub fn of(structure: &Structure) -> IndexedSets {
        let mut sets = Vec::new();
        for (relation, listed) in structure.relations.iter().enumerate() {
            for set in listed {
                let mut set = set.clone();
                set.sort_unstable();
                set.dedup();
                // Every permutation preserves the empty set and the set of all points.
                if !set.is_empty() && set.len() < structure.points {
                    sets.push((relation, set));
                }
            }
        }
        IndexedSets::of_list(structure.points, sets)
    }

    fn of_list(points: usize, mut sets: Vec<(usize, Vec<usize>)>) -> IndexedSets {
        sets.sort_unstable();
        sets.dedup();
        let mut with = vec![Vec::new(); points];
        for (place, (_, set)) in sets.iter().enumerate() {
            for &point in set {
                with[point].push(place);
            }
        }
        let size = points + sets.iter().map(|(_, set)| set.len()).sum::<usize>();
        IndexedSets {
            points,
            sets,
            with,
            size,
        }
    }

    /// The structure with one more relation.
    pub fn and(&self, further: &[Vec<usize>]) -> IndexedSets {
        let relation = self.sets.last().map_or(0, |(relation, _)| relation + 1);
        let mut sets = self.sets.clone();
        sets.extend(further.iter().map(|set| (relation, set.clone())));
        IndexedSets::of_list(self.points, sets)
    }

    pub fn points(&self) -> usize {
        self.points
    }

    /// Whether a permutation maps each set to a set of the same relation.
    pub fn is_symmetry(
        &self,
        permutation: &[usize],
        budget: &mut StepBudget,
    ) -> Result<bool, Incomplete> {
        budget.spend(self.size)?;
        // Different sets have different images, so that the relation is mapped onto itself.
        Ok(self
            .sets
            .iter()
            .all(|(relation, set)| self.has(*relation, set.iter().map(|&p| permutation[p]))))
    }

    /// Whether two points are interchangeable.
    pub fn are_interchangeable(
        &self,
        a: usize,
        b: usize,
        budget: &mut StepBudget,
    ) -> Result<bool, Incomplete> {
        if self.with[a].len() != self.with[b].len() {
            return Ok(false);
        }
        for (one, other) in [(a, b), (b, a)] {
            for &place in &self.with[one] {
                let (relation, set) = &self.sets[place];
                // A look-up costs several comparisons of sets.
                budget.spend(8 + set.len())?;
                let has_both = set.binary_search(&other).is_ok();
                let swapped = set.iter().map(|&p| if p == one { other } else { p });
                if !has_both && !self.has(*relation, swapped) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn has(&self, relation: usize, points: impl Iterator<Item = usize>) -> bool {
        let mut set: Vec<usize> = points.collect();
        set.sort_unstable();
        self.sets.binary_search(&(relation, set)).is_ok()
    }

    /// Colour refinement (Weisfeiler and Leman 1968), until the number of colours is stable: the new
    /// colour of a set is a hash of the colours of its points, the new colour of a point a hash of
    /// the colours of its sets.
    ///
    /// Points that a colour-preserving symmetry maps to each other keep equal colours. The converse
    /// need not hold, also because hashes may collide, so that a symmetry found by colours must be
    /// verified.
    pub fn refine(
        &self,
        colours: &mut Vec<u64>,
        budget: &mut StepBudget,
    ) -> Result<(), Incomplete> {
        let mut distinct = count_distinct(colours);
        while distinct < self.points {
            budget.spend(2 * self.size)?;
            let of_sets: Vec<u64> = self
                .sets
                .iter()
                .map(|(relation, set)| {
                    let sum = sum_of(set.iter().map(|&point| colours[point]));
                    mix(sum ^ mix(*relation as u64 + 1))
                })
                .collect();
            *colours = colours
                .iter()
                .zip(&self.with)
                .map(|(&own, with)| {
                    let sum = sum_of(with.iter().map(|&set| of_sets[set]));
                    mix(own.rotate_left(1) ^ sum)
                })
                .collect();
            let now = count_distinct(colours);
            if now <= distinct {
                break;
            }
            distinct = now;
        }
        Ok(())
    }
}

/// Gives one point a unique colour, a hash of its previous colour.
pub(super) fn individualise(colours: &mut [u64], point: usize) {
    colours[point] = mix(colours[point] ^ 0x5851_F42D_4C95_7F2D);
}

/// A hash of a multiset of colours, independent of their order.
fn sum_of(colours: impl Iterator<Item = u64>) -> u64 {
    colours.fold(0, |sum, colour| sum.wrapping_add(mix(colour)))
}

/// The hash of a number: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn count_distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
