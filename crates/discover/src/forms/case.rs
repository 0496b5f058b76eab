//! Distinctions of cases by the sizes of heaps.

use nimrule_board::Symmetries;

/// A condition on sizes: of some sums of heaps, at least a given number have a given size.
/// Permutations of the board that map the groups to groups leave it as it is.
#[derive(Debug, Clone)]
pub struct Case {
    /// The heaps of each sum.
    pub groups: Vec<Vec<usize>>,
    /// The size that a sum must have at least.
    pub size: u64,
    /// The number of sums that must have it, at least 1.
    pub least: usize,
}

/// The positions at which a case holds, or those at which it does not hold.
#[derive(Debug, Clone)]
pub struct Part {
    /// The case; `None` if the part has all positions.
    case: Option<Case>,
    /// Whether the case holds.
    holds: bool,
}

/// The sizes of the largest heap that separate small positions from large ones.
const LARGEST: std::ops::RangeInclusive<u64> = 2..=4;
/// The sizes that several heaps or pairs have.
const SIZES: std::ops::RangeInclusive<u64> = 1..=2;
/// The numbers of heaps or pairs that have them.
const NUMBERS: std::ops::RangeInclusive<usize> = 2..=3;

impl Case {
    /// Some heap has at least 2, 3 or 4 tokens.
    pub fn by_largest(heaps: usize) -> Vec<Case> {
        LARGEST
            .map(|size| Case {
                groups: singles(heaps),
                size,
                least: 1,
            })
            .collect()
    }

    /// Several heaps, or several of the pairs into which the symmetries divide the heaps, have
    /// one token, or two.
    pub fn by_number(heaps: usize, symmetries: &Symmetries) -> Vec<Case> {
        let divisions = std::iter::once(singles(heaps)).chain(pairings(heaps, symmetries));
        let mut cases = Vec::new();
        for groups in divisions {
            for (size, least) in SIZES.flat_map(|size| NUMBERS.map(move |least| (size, least))) {
                if least < groups.len() || least == groups.len() && groups[0].len() > 1 {
                    let groups = groups.clone();
                    cases.push(Case {
                        groups,
                        size,
                        least,
                    });
                }
            }
        }
        cases
    }

    fn is_by_heaps(&self) -> bool {
        self.groups.iter().all(|group| group.len() == 1)
    }

    /// Returns whether the case holds of the first heaps, the others of which are empty.
    fn holds(&self, row: &[u64]) -> bool {
        let sum = |group: &Vec<usize>| -> u128 {
            let sizes = group.iter().filter_map(|heap| row.get(*heap));
            sizes.map(|size| u128::from(*size)).sum()
        };
        let has_size = |group: &&Vec<usize>| sum(group) >= u128::from(self.size);
        self.groups.iter().filter(has_size).count() >= self.least
    }

    /// The text of the case or, if it is not to hold, of its negation.
    fn words(&self, names: &[String], holds: bool) -> String {
        let Case { size, least, .. } = self;
        let compared = if holds { ">=" } else { "<" };
        if *least == 1 && self.is_by_heaps() {
            return format!("max(heaps) {compared} {size}");
        }
        let of = if self.is_by_heaps() {
            "heaps".to_owned()
        } else {
            let sum = |group: &Vec<usize>| {
                let terms = group.iter().map(|heap| names[*heap].clone());
                terms.collect::<Vec<_>>().join(" + ")
            };
            let sums: Vec<String> = self.groups.iter().map(sum).collect();
            format!("{{{}}}", sums.join(", "))
        };
        let letters = (b'x'..=b'z').chain(b'a'..=b'w');
        let mut letters = letters.map(|one| char::from(one).to_string());
        let variable = letters
            .find(|letter| !names.contains(letter))
            .unwrap_or_default();
        format!("count({variable} in {of} where {variable} >= {size}) {compared} {least}")
    }
}

impl Part {
    /// All positions.
    pub fn all() -> Part {
        Part {
            case: None,
            holds: true,
        }
    }

    /// The positions at which a case holds.
    pub fn with(case: &Case) -> Part {
        Part {
            case: Some(case.clone()),
            holds: true,
        }
    }

    /// The positions at which a case does not hold.
    pub fn without(case: &Case) -> Part {
        Part {
            holds: false,
            ..Part::with(case)
        }
    }

    /// Whether it has all positions.
    pub fn is_all(&self) -> bool {
        self.case.is_none()
    }

    /// Returns whether the part contains the position with these first heaps, the others of
    /// which are empty.
    pub fn admits(&self, row: &[u64]) -> bool {
        let case = self.case.as_ref();
        case.is_none_or(|case| case.holds(row) == self.holds)
    }

    /// An exclusive upper bound of all heaps, if there is one.
    pub fn bound(&self) -> Option<u64> {
        let case = self.case.as_ref().filter(|_| !self.holds)?;
        (case.least == 1 && case.is_by_heaps()).then_some(case.size)
    }

    /// The condition of the part; `None` if it has all positions.
    pub fn words(&self, names: &[String]) -> Option<String> {
        let case = self.case.as_ref()?;
        Some(case.words(names, self.holds))
    }
}

/// Each heap by itself.
fn singles(heaps: usize) -> Vec<Vec<usize>> {
    (0..heaps).map(|heap| vec![heap]).collect()
}

/// The partitions of all heaps into pairs that every symmetry maps to pairs (systems of
/// imprimitivity), as the pairs of opposite faces of a cube.
pub fn pairings(heaps: usize, symmetries: &Symmetries) -> Vec<Vec<Vec<usize>>> {
    let generators = symmetries.generators();
    let mut found: Vec<Vec<Vec<usize>>> = Vec::new();
    for partner in 1..heaps {
        // The images of the pair of the first heap.
        let mut pairs = vec![vec![0, partner]];
        let mut next = 0;
        while let Some(pair) = pairs.get(next).cloned() {
            for generator in &generators {
                let mut image: Vec<usize> = pair.iter().map(|heap| generator[*heap]).collect();
                image.sort_unstable();
                if !pairs.contains(&image) {
                    pairs.push(image);
                }
            }
            next += 1;
        }
        pairs.sort_unstable();
        let mut covered: Vec<usize> = pairs.concat();
        covered.sort_unstable();
        if covered.iter().copied().eq(0..heaps) {
            found.push(pairs);
        }
    }
    found
}
