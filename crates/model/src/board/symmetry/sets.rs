//! A structure made ready for search, colours of its points, and the bound on effort.

use super::Structure;

/// So many visits to a point of a set, or comparable steps, are made in one search.
const MOST_STEPS: u64 = 20_000_000;

/// What is left of the steps that a search may make.
pub(super) struct Effort {
    left: u64,
}

/// Why a search did not end with all symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It would have taken too many steps.
    Effort,
    /// There are too many symmetries to list.
    Length,
}

impl Effort {
    pub fn new() -> Effort {
        Effort { left: MOST_STEPS }
    }

    pub fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(steps as u64).ok_or(Stop::Effort)?;
        Ok(())
    }
}

/// The sets of a structure, each with the number of its relation.
#[derive(Clone)]
pub(super) struct Sets {
    points: usize,
    /// Ascending and without repeats; the points of a set are ascending too.
    sets: Vec<(usize, Vec<usize>)>,
    /// The places of the sets that have a point.
    with: Vec<Vec<usize>>,
    /// The steps of one look at all points and all their sets.
    size: usize,
}

impl Sets {
    pub fn of(structure: &Structure) -> Sets {
        let mut sets = Vec::new();
        for (relation, listed) in structure.relations.iter().enumerate() {
            for set in listed {
                let mut set = set.clone();
                set.sort_unstable();
                set.dedup();
                // Every permutation keeps the empty set and the set of all points.
                if !set.is_empty() && set.len() < structure.points {
                    sets.push((relation, set));
                }
            }
        }
        Sets::of_list(structure.points, sets)
    }

    fn of_list(points: usize, mut sets: Vec<(usize, Vec<usize>)>) -> Sets {
        sets.sort_unstable();
        sets.dedup();
        let mut with = vec![Vec::new(); points];
        for (place, (_, set)) in sets.iter().enumerate() {
            for &point in set {
                with[point].push(place);
            }
        }
        let size = points + sets.iter().map(|(_, set)| set.len()).sum::<usize>();
        Sets {
            points,
            sets,
            with,
            size,
        }
    }

    /// The same sets and one relation more.
    pub fn and(&self, further: &[Vec<usize>]) -> Sets {
        let relation = self.sets.last().map_or(0, |(relation, _)| relation + 1);
        let mut sets = self.sets.clone();
        sets.extend(further.iter().map(|set| (relation, set.clone())));
        Sets::of_list(self.points, sets)
    }

    pub fn points(&self) -> usize {
        self.points
    }

    /// Whether a permutation takes each set to one of the same relation.
    pub fn is_symmetry(&self, permutation: &[usize], effort: &mut Effort) -> Result<bool, Stop> {
        effort.spend(self.size)?;
        // Different sets have different images, so that into is onto.
        Ok(self
            .sets
            .iter()
            .all(|(relation, set)| self.has(*relation, set.iter().map(|&p| permutation[p]))))
    }

    /// Whether two points are interchangeable.
    pub fn is_swap(&self, a: usize, b: usize, effort: &mut Effort) -> Result<bool, Stop> {
        if self.with[a].len() != self.with[b].len() {
            return Ok(false);
        }
        for (one, other) in [(a, b), (b, a)] {
            for &place in &self.with[one] {
                let (relation, set) = &self.sets[place];
                // A look-up costs some comparisons of sets.
                effort.spend(8 + set.len())?;
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

    /// Refines a colouring until no round separates further points: the colour of a set follows
    /// from those of its points, the colour of a point from those of its sets.
    ///
    /// Points that a symmetry carries to one another, keeping the colours, stay of equal colour.
    /// The reverse need not hold, be it that colours clash, so that a symmetry found by colours is
    /// to be checked.
    pub fn refine(&self, colours: &mut Vec<u64>, effort: &mut Effort) -> Result<(), Stop> {
        let mut distinct = count_distinct(colours);
        while distinct < self.points {
            effort.spend(2 * self.size)?;
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

/// Gives one point a colour of its own, which depends on the colour it had.
pub(super) fn single_out(colours: &mut [u64], point: usize) {
    colours[point] = mix(colours[point] ^ 0x5851_F42D_4C95_7F2D);
}

/// A sum that does not depend on the order.
fn sum_of(colours: impl Iterator<Item = u64>) -> u64 {
    colours.fold(0, |sum, colour| sum.wrapping_add(mix(colour)))
}

/// Scatters a number (the last step of Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
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
