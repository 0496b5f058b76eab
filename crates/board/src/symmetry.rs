//! The symmetry group of a game: the permutations of the heaps that map it to itself.
//!
//! The group G of all symmetries is represented as a product. Two points are *interchangeable* if
//! their transposition is a symmetry. This is an equivalence relation, and the permutations of each
//! class form a normal subgroup T. Every symmetry maps classes to classes, and is therefore, in
//! exactly one way, the product of an element of T and a symmetry that keeps the order within each
//! class. The latter form a group Q, whose elements are listed: G = T Q and |G| = |T| |Q|.
//!
//! Four independent heaps, with 24 symmetries, thus need no list, while the faces of the cube have
//! no interchangeable points and a list of 48. The lexicographically smallest image of a position
//! under T has each class in ascending order, and the permutations of Q preserve that order. The
//! smallest image under G is therefore the smallest image under Q of the position with its classes
//! sorted.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

mod search;
mod sets;

use search::Listing;
use sets::{Incomplete, IndexedSets, StepBudget};

/// A relational structure on the points 0 to `points` - 1. Each relation is a list of sets of
/// points; the order of the sets, and of the points in a set, does not matter. A symmetry is a
/// permutation of the points that maps each relation onto itself.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// The number of points.
    pub points: usize,
    /// The relations: each a list of sets, each set a list of points.
    pub relations: Vec<Vec<Vec<usize>>>,
}

/// A group of symmetries: the full symmetry group if [`is_complete`](Symmetries::is_complete), else
/// a subgroup of it.
///
/// The image of a position under a permutation is `image[i] = position[permutation[i]]`. Positions
/// have one entry for each point.
#[derive(Clone, Debug)]
pub struct Symmetries {
    points: usize,
    /// The classes of two or more interchangeable points, each ascending, and ascending by their
    /// first point.
    classes: Vec<Vec<usize>>,
    /// The permutations of Q other than the identity, ascending, concatenated.
    listed: Vec<u32>,
    /// Generators of Q.
    generators: Vec<Vec<usize>>,
    /// Why the group may be a proper subgroup; `None` if it is complete.
    incomplete: Option<Incomplete>,
}

/// The largest order of a group given by generators.
pub const MOST_GENERATED: usize = 1_000;

/// A listed permutation whose image of a position is not compared with it to the end.
#[derive(Debug, Clone, Copy)]
pub struct Undecided {
    number: u32,
    /// The number of first entries that are equal.
    equal: u32,
}

impl Symmetries {
    /// The symmetry group of a structure.
    ///
    /// The number of steps is bounded. If it does not suffice, or if the list would be too long, the
    /// result is only the group T of permutations of interchangeable points.
    ///
    /// # Panics
    ///
    /// If a set has a point outside the structure.
    pub fn of(structure: &Structure) -> Symmetries {
        let points = structure.points;
        let mut budget = StepBudget::new();
        let sets = IndexedSets::of(structure);
        let classes = match search::interchangeable_classes(&sets, &mut budget) {
            Ok(classes) => classes,
            Err(stop) => {
                return Symmetries {
                    incomplete: Some(stop),
                    ..Symmetries::trivial(points)
                };
            }
        };
        let (listing, incomplete) = match search::list(&sets, &classes, &mut budget) {
            Ok(listing) => (listing, None),
            Err(stop) => (Listing::default(), Some(stop)),
        };
        Symmetries {
            points,
            classes,
            listed: listing.listed,
            generators: listing.generators,
            incomplete,
        }
    }

    /// The group that some permutations generate; `None` if it has more than
    /// [`MOST_GENERATED`] elements. It counts as complete.
    ///
    /// # Panics
    ///
    /// If a generator is no permutation of the points.
    pub fn generated(points: usize, generators: &[Vec<usize>]) -> Option<Symmetries> {
        let identity: Vec<usize> = (0..points).collect();
        let mut group = BTreeSet::from([identity.clone()]);
        let mut open = vec![identity.clone()];
        while let Some(element) = open.pop() {
            for generator in generators {
                let product: Vec<usize> = generator.iter().map(|to| element[*to]).collect();
                if group.insert(product.clone()) {
                    open.push(product);
                }
            }
            if group.len() > MOST_GENERATED {
                return None;
            }
        }
        let swapped = |one: usize, other: usize| {
            let mut swap = identity.clone();
            swap.swap(one, other);
            group.contains(&swap)
        };
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for point in 0..points {
            match classes.iter_mut().find(|class| swapped(class[0], point)) {
                Some(class) => class.push(point),
                None => classes.push(vec![point]),
            }
        }
        classes.retain(|class| class.len() > 1);
        let keeps_order = |element: &Vec<usize>| {
            let mut classes = classes.iter();
            classes.all(|class| {
                class
                    .windows(2)
                    .all(|two| element[two[0]] < element[two[1]])
            })
        };
        let listed: Vec<Vec<usize>> = group
            .iter()
            .filter(|element| **element != identity && keeps_order(element))
            .cloned()
            .collect();
        Some(Symmetries {
            points,
            classes,
            listed: listed.iter().flatten().map(|point| *point as u32).collect(),
            generators: listed,
            incomplete: None,
        })
    }

    /// The trivial group, which counts as complete.
    pub fn trivial(points: usize) -> Symmetries {
        Symmetries {
            points,
            classes: Vec::new(),
            listed: Vec::new(),
            generators: Vec::new(),
            incomplete: None,
        }
    }

    /// The symmetric group: all permutations of the points.
    pub fn all(points: usize) -> Symmetries {
        let mut all = Symmetries::trivial(points);
        all.classes.push((0..points).collect());
        all
    }

    /// The order of the group; `None` if 128 bits cannot hold it.
    pub fn order(&self) -> Option<u128> {
        let mut order = self.nonidentity().len() as u128 + 1;
        for class in &self.classes {
            for factor in 2..=class.len() as u128 {
                order = order.checked_mul(factor)?;
            }
        }
        Some(order)
    }

    /// Whether this is the full symmetry group of the structure, not only a subgroup.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }

    /// The canonical form of a position: its lexicographically smallest image.
    pub fn canonical(&self, position: &[u64]) -> Vec<u64> {
        let sorted = self.sorted(position);
        let mut least = sorted.clone();
        for permutation in self.nonidentity() {
            if compare_image(permutation, &sorted, &least) == Ordering::Less {
                least.clear();
                least.extend(permutation.iter().map(|&from| sorted[from as usize]));
            }
        }
        least
    }

    /// Whether a position is the lexicographically smallest of its images.
    pub fn is_canonical(&self, position: &[u64]) -> bool {
        // PERF: no allocation, and most permutations differ from the position in their first
        // entries.
        self.classes
            .iter()
            .all(|class| class.is_sorted_by_key(|&point| position[point]))
            && self
                .nonidentity()
                .all(|permutation| compare_image(permutation, position, position) != Ordering::Less)
    }

    /// The permutations that [`can_be_canonical`](Symmetries::can_be_canonical) compares
    /// if no entry is known yet.
    pub fn undecided(&self) -> Vec<Undecided> {
        (0..self.nonidentity().len() as u32)
            .map(|number| Undecided { number, equal: 0 })
            .collect()
    }

    /// Whether a position can be the smallest of its orbit, whatever the entries at the points
    /// `open` are. If not, [`is_canonical`](Symmetries::is_canonical) is false of all of them.
    /// Without open points it decides [`is_canonical`](Symmetries::is_canonical).
    ///
    /// Only the permutations `among` are compared. `left` gets those that the known entries
    /// do not decide, so that they are compared further when more entries are known.
    pub fn can_be_canonical(
        &self,
        position: &[u64],
        open: &[usize],
        among: &[Undecided],
        left: &mut Vec<Undecided>,
    ) -> bool {
        let is_known = |point: usize| !open.contains(&point);
        left.clear();
        for class in &self.classes {
            let known = class.iter().copied().filter(|point| is_known(*point));
            if !known.is_sorted_by_key(|point| position[point]) {
                return false;
            }
        }
        'permutations: for Undecided { number, equal } in among {
            let permutation = &self.listed[*number as usize * self.points..][..self.points];
            for (point, &from) in permutation.iter().enumerate().skip(*equal as usize) {
                let from = from as usize;
                if !is_known(point) || !is_known(from) {
                    left.push(Undecided {
                        number: *number,
                        equal: point as u32,
                    });
                    continue 'permutations;
                }
                match position[from].cmp(&position[point]) {
                    Ordering::Equal => {}
                    Ordering::Greater => continue 'permutations,
                    Ordering::Less => return false,
                }
            }
        }
        true
    }

    /// The entries at a point with which a position can be the smallest of its orbit, by the
    /// entries at the points that may be permuted with it in any way.
    pub fn sorted_range(&self, position: &[u64], point: usize) -> RangeInclusive<u64> {
        let mut range = 0..=u64::MAX;
        for class in &self.classes {
            if let Some(place) = class.iter().position(|other| *other == point) {
                let before = place.checked_sub(1).map(|before| position[class[before]]);
                let after = class.get(place + 1).map(|after| position[*after]);
                range = before.unwrap_or(0)..=after.unwrap_or(u64::MAX);
            }
        }
        range
    }

    /// The number of distinct images of a position, at most `u128::MAX`.
    pub fn orbit_size(&self, position: &[u64]) -> u128 {
        // Let p be the position with its classes sorted. T is normal, so that the orbit under T has
        // the same size for each image of p under Q. By the orbit-stabilizer theorem the number of
        // images of p under Q is the index of the stabilizer of p.
        let sorted = self.sorted(position);
        let fixing = self
            .nonidentity()
            .filter(|permutation| compare_image(permutation, &sorted, &sorted) == Ordering::Equal)
            .count() as u128
            + 1;
        let mut size = (self.nonidentity().len() as u128 + 1) / fixing;
        for class in &self.classes {
            let mut equal = 0;
            for (place, &point) in class.iter().enumerate() {
                let follows = place > 0 && sorted[class[place - 1]] == sorted[point];
                equal = if follows { equal + 1 } else { 1 };
                // The multinomial coefficient, computed entry by entry; each partial result is an
                // integer.
                let common = num_integer::gcd(size, equal);
                match (size / common).checked_mul((place as u128 + 1) / (equal / common)) {
                    Some(product) => size = product,
                    None => return u128::MAX,
                }
            }
        }
        size
    }

    /// Visits the images of a position, itself first and each at least once, until `test` returns
    /// true for one of them. Returns whether it did.
    ///
    /// The cost is that of up to [`order`](Symmetries::order) calls; see also
    /// [`orbit_size`](Symmetries::orbit_size).
    pub fn any_image(&self, position: &[u64], test: &mut dyn FnMut(&[u64]) -> bool) -> bool {
        if test(position) {
            return true;
        }
        let sorted = self.sorted(position);
        let mut image = sorted.clone();
        if self.any_rearrangement(&mut image, test) {
            return true;
        }
        self.nonidentity().any(|permutation| {
            for (entry, &from) in image.iter_mut().zip(permutation) {
                *entry = sorted[from as usize];
            }
            self.any_rearrangement(&mut image, test)
        })
    }

    /// Visits the images under T of a position whose classes are sorted. `image` is unchanged at the
    /// end unless the test returned true.
    fn any_rearrangement(&self, image: &mut [u64], test: &mut dyn FnMut(&[u64]) -> bool) -> bool {
        loop {
            if test(image) {
                return true;
            }
            // An odometer over the permutations of the classes.
            let carried = self.classes.iter().all(|class| !advance(image, class));
            if carried {
                return false;
            }
        }
    }

    /// The classes of two or more interchangeable points.
    pub fn interchangeable(&self) -> &[Vec<usize>] {
        &self.classes
    }

    /// The elements of Q, the identity first: the symmetries that keep the order within each class of
    /// interchangeable points. Every symmetry is one of these, followed by permutations of the
    /// classes.
    pub fn permutations(&self) -> Vec<Vec<usize>> {
        let identity = (0..self.points).collect();
        let others = self
            .nonidentity()
            .map(|permutation| permutation.iter().map(|&from| from as usize).collect());
        std::iter::once(identity).chain(others).collect()
    }

    /// Generators of the group.
    pub fn generators(&self) -> Vec<Vec<usize>> {
        let swaps = self.classes.iter().flat_map(|class| {
            class.windows(2).map(|pair| {
                let mut swap: Vec<usize> = (0..self.points).collect();
                swap.swap(pair[0], pair[1]);
                swap
            })
        });
        self.generators.iter().cloned().chain(swaps).collect()
    }

    /// The number of symmetries as text: `48 symmetries`.
    pub fn describe(&self) -> String {
        let order = self.order();
        let count = match order {
            Some(1) => "only the identity".to_owned(),
            Some(order) => format!("{order} symmetries"),
            None => "more than 10^38 symmetries".to_owned(),
        };
        match self.incomplete {
            Some(Incomplete::StepBudget) => {
                format!("{count}, and perhaps more: the search was stopped early")
            }
            Some(Incomplete::Length) => format!("{count}, and more, too many to list"),
            None if self.classes.first().is_some_and(|c| c.len() == self.points) => {
                let number = order.map_or(String::new(), |order| format!(" {order}"));
                format!("all{number} permutations of {} heaps", self.points)
            }
            None => count,
        }
    }

    /// The elements of Q other than the identity.
    fn nonidentity(&self) -> std::slice::ChunksExact<'_, u32> {
        self.listed.chunks_exact(self.points.max(1))
    }

    /// The lexicographically smallest image under T.
    fn sorted(&self, position: &[u64]) -> Vec<u64> {
        let mut sorted = position.to_vec();
        let mut entries = Vec::new();
        for class in &self.classes {
            entries.clear();
            entries.extend(class.iter().map(|&point| position[point]));
            entries.sort_unstable();
            for (&point, &entry) in class.iter().zip(&entries) {
                sorted[point] = entry;
            }
        }
        sorted
    }
}

/// Compares the image of a position lexicographically with another position.
fn compare_image(permutation: &[u32], position: &[u64], with: &[u64]) -> Ordering {
    for (&from, other) in permutation.iter().zip(with) {
        match position[from as usize].cmp(other) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    Ordering::Equal
}

/// Replaces the entries at some points by their next permutation in lexicographic order, or the last
/// permutation by the first. Returns whether there was a next one.
fn advance(entries: &mut [u64], points: &[usize]) -> bool {
    let descent = points
        .windows(2)
        .rposition(|pair| entries[pair[0]] < entries[pair[1]]);
    let tail = match descent {
        Some(pivot) => {
            let raised = points
                .iter()
                .rposition(|&p| entries[p] > entries[points[pivot]]);
            entries.swap(points[pivot], points[raised.unwrap_or(pivot + 1)]);
            &points[pivot + 1..]
        }
        None => points,
    };
    for (&front, &back) in tail.iter().zip(tail.iter().rev()).take(tail.len() / 2) {
        entries.swap(front, back);
    }
    descent.is_some()
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;
    use std::collections::BTreeSet;

    use super::{Structure, Symmetries};
    use crate::{Board, CellKind, Shrinking};

    fn structure(points: usize, relations: &[&[&[usize]]]) -> Structure {
        let relations = relations
            .iter()
            .map(|sets| sets.iter().map(|set| set.to_vec()).collect())
            .collect();
        Structure { points, relations }
    }

    fn on_board(board: &Board, heaps_on: CellKind, selected: CellKind) -> Symmetries {
        Symmetries::of(&Structure {
            points: board.count(heaps_on).unwrap(),
            relations: vec![board.touching(heaps_on, selected).unwrap()],
        })
    }

    fn independent(points: usize) -> Symmetries {
        Symmetries::of(&structure(points, &[]))
    }

    #[test]
    fn boards_have_their_known_symmetries() {
        let (v, e, f) = (CellKind::Vertex, CellKind::Edge, CellKind::Face);
        let circle = Board::circle(6, Shrinking::No).unwrap();
        let hypercube = |d| Board::hypercube(d).unwrap();
        for (board, heaps, selected, order) in [
            (Board::cube(), f, e, 48),
            (Board::cube(), f, v, 48),
            (Board::cube(), e, f, 48),
            (Board::cube(), v, e, 48),
            (Board::tetrahedron(), e, v, 24),
            (Board::dodecahedron(), v, e, 120),
            (Board::dodecahedron(), f, e, 120),
            (Board::icosahedron(), e, v, 120),
            (circle, v, e, 12),
            (Board::prism(7).unwrap(), v, e, 28),
            (Board::antiprism(5).unwrap(), f, e, 20),
            (hypercube(4), v, e, 384),
            (hypercube(6), v, e, 46_080),
            (Board::row(60, Shrinking::No).unwrap(), v, e, 2),
        ] {
            let symmetries = on_board(&board, heaps, selected);
            assert_eq!(symmetries.order(), Some(order), "{board}");
            assert!(symmetries.is_complete(), "{board}");
            assert_eq!(symmetries.describe(), format!("{order} symmetries"));
            assert!(symmetries.generators().len() <= 6);
        }
    }

    #[test]
    fn arcs_determine_the_circle() {
        let arcs = (0..6).map(|i| (0..3).map(|k| (i + k) % 6).collect());
        let symmetries = Symmetries::of(&Structure {
            points: 6,
            relations: vec![arcs.collect()],
        });
        assert_eq!(symmetries.order(), Some(12));
        assert_eq!(
            symmetries.canonical(&[5, 1, 2, 3, 4, 0]),
            [0, 4, 3, 2, 1, 5]
        );
        assert_eq!(symmetries.orbit_size(&[1, 0, 0, 1, 0, 0]), 3);
    }

    #[test]
    fn generators_generate_the_group_of_the_structure() {
        let circle: Vec<Vec<usize>> = (0..5).map(|i| vec![i, (i + 1) % 5]).collect();
        let of_circle = Symmetries::of(&Structure {
            points: 5,
            relations: vec![circle],
        });
        let generators = [vec![1, 2, 3, 4, 0], vec![4, 3, 2, 1, 0]];
        let generated = Symmetries::generated(5, &generators).unwrap();
        assert_eq!(generated.order(), Some(10));
        for position in [[3, 1, 4, 1, 5], [2, 7, 1, 8, 2], [0, 0, 1, 0, 0]] {
            assert_eq!(
                generated.canonical(&position),
                of_circle.canonical(&position)
            );
            assert_eq!(
                generated.orbit_size(&position),
                of_circle.orbit_size(&position)
            );
        }
        // Two classes of interchangeable points, exchanged by the third generator.
        let generators = [vec![1, 0, 2, 3], vec![0, 1, 3, 2], vec![2, 3, 0, 1]];
        let generated = Symmetries::generated(4, &generators).unwrap();
        assert_eq!(generated.order(), Some(8));
        assert_eq!(generated.interchangeable(), [vec![0, 1], vec![2, 3]]);
        assert_eq!(generated.canonical(&[9, 4, 7, 1]), [1, 7, 4, 9]);
        assert!(
            Symmetries::generated(
                8,
                &[vec![1, 0, 2, 3, 4, 5, 6, 7], vec![1, 2, 3, 4, 5, 6, 7, 0]]
            )
            .is_none()
        );
    }

    #[test]
    fn independent_heaps_have_all_permutations() {
        let ten = independent(10);
        assert_eq!(ten.order(), Some(3_628_800));
        assert_eq!(ten.describe(), "all 3628800 permutations of 10 heaps");
        assert_eq!(independent(4).describe(), "all 24 permutations of 4 heaps");
        assert_eq!(independent(4).generators().len(), 3);
        assert_eq!(
            ten.canonical(&[3, 1, 2, 9, 9, 0, 1, 4, 4, 4]),
            [0, 1, 1, 2, 3, 4, 4, 4, 9, 9]
        );
        let singles: Vec<Vec<usize>> = (0..64).map(|point| vec![point]).collect();
        let many = Symmetries::of(&Structure {
            points: 64,
            relations: vec![singles],
        });
        assert!(many.is_complete());
        assert_eq!(many.order(), None);
        assert_eq!(many.describe(), "all permutations of 64 heaps");
        let mut position = vec![0; 64];
        assert_eq!(many.orbit_size(&position), 1);
        position[5] = 1;
        assert_eq!(many.orbit_size(&position), 64);
        for (entry, value) in position.iter_mut().zip(0..) {
            *entry = value;
        }
        assert_eq!(many.orbit_size(&position), u128::MAX);
        assert_eq!(independent(1).describe(), "only the identity");
        assert_eq!(independent(0).canonical(&[]), [0_u64; 0]);
        assert_eq!(independent(0).order(), Some(1));
        assert_eq!(independent(10_000).order(), None);
    }

    #[test]
    fn classes_may_be_exchanged() {
        let pairs: Vec<Vec<usize>> = (0..3)
            .flat_map(|a| (3..6).map(move |b| vec![a, b]))
            .collect();
        let wells = Symmetries::of(&Structure {
            points: 6,
            relations: vec![pairs],
        });
        assert_eq!(wells.order(), Some(72));
        assert_eq!(wells.interchangeable(), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(wells.permutations().len(), 2);
        assert_eq!(wells.canonical(&[2, 9, 5, 8, 2, 1]), [1, 2, 8, 2, 5, 9]);
        assert_eq!(wells.orbit_size(&[1, 0, 0, 0, 0, 0]), 6);
    }

    #[test]
    fn an_exceeded_limit_keeps_the_interchangeable_points() {
        // Twenty pairs of loose heaps: 2^20 within the pairs, and 20! orders of the pairs.
        let pairs: Vec<Vec<usize>> = (0..20).map(|i| vec![2 * i, 2 * i + 1]).collect();
        let symmetries = Symmetries::of(&Structure {
            points: 40,
            relations: vec![pairs],
        });
        assert!(!symmetries.is_complete());
        assert_eq!(symmetries.order(), Some(1 << 20));
        assert_eq!(
            symmetries.describe(),
            "1048576 symmetries, and more, too many to list"
        );
        // Large boards end within the bound, whatever is found.
        let circle = Board::circle(10_000, Shrinking::No).unwrap();
        let symmetries = on_board(&circle, CellKind::Vertex, CellKind::Edge);
        assert!(!symmetries.is_complete());
        assert_eq!(
            symmetries.describe(),
            "only the identity, and perhaps more: the search was stopped early"
        );
    }

    /// All symmetries, by trying every permutation.
    fn by_enumeration(structure: &Structure) -> Vec<Vec<usize>> {
        let image = |sets: &[Vec<usize>], permutation: &[usize]| -> BTreeSet<BTreeSet<usize>> {
            sets.iter()
                .map(|set| set.iter().map(|&point| permutation[point]).collect())
                .collect()
        };
        let identity: Vec<usize> = (0..structure.points).collect();
        let points = 0..structure.points;
        (points.permutations(structure.points))
            .filter(|permutation| {
                structure
                    .relations
                    .iter()
                    .all(|sets| image(sets, permutation) == image(sets, &identity))
            })
            .collect()
    }

    #[test]
    fn small_structures_agree_with_all_permutations() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        let mut orders = BTreeSet::new();
        for _ in 0..120 {
            let points = 1 + below(6);
            let relations = (0..1 + below(2))
                .map(|_| {
                    let size = 1 + below(3);
                    (0..below(6))
                        .map(|_| (0..size).map(|_| below(points)).collect())
                        .collect()
                })
                .collect();
            let structure = Structure { points, relations };
            let all = by_enumeration(&structure);
            let symmetries = Symmetries::of(&structure);
            assert!(symmetries.is_complete());
            assert_eq!(symmetries.order(), Some(all.len() as u128), "{structure:?}");
            orders.insert(all.len());
            assert!(symmetries.generators().iter().all(|g| all.contains(g)));
            assert_eq!(generated(points, &symmetries.generators()), all.len());
            for _ in 0..4 {
                let position: Vec<u64> = (0..points).map(|_| below(4) as u64).collect();
                let images: BTreeSet<Vec<u64>> = all
                    .iter()
                    .map(|permutation| permutation.iter().map(|&p| position[p]).collect())
                    .collect();
                let least = images.first().unwrap();
                assert_eq!(&symmetries.canonical(&position), least);
                assert_eq!(symmetries.is_canonical(&position), &position == least);
                for open in [vec![], vec![0], vec![1], vec![1, 2]] {
                    let among = symmetries.undecided();
                    let (mut left, mut rest) = (Vec::new(), Vec::new());
                    let can = symmetries.can_be_canonical(&position, &open, &among, &mut left);
                    assert!(can || &position != least, "{position:?}, {open:?}");
                    let is = can && symmetries.can_be_canonical(&position, &[], &left, &mut rest);
                    assert_eq!(is, &position == least, "{position:?}, {open:?}");
                }
                assert!(symmetries.is_canonical(least));
                assert_eq!(symmetries.orbit_size(&position), images.len() as u128);
                let mut visited = Vec::new();
                assert!(!symmetries.any_image(&position, &mut |image| {
                    visited.push(image.to_vec());
                    false
                }));
                assert_eq!(visited[0], position);
                assert_eq!(visited.into_iter().collect::<BTreeSet<_>>(), images);
                assert!(symmetries.any_image(&position, &mut |image| image == least.as_slice()));
            }
        }
        assert!(orders.len() > 10, "{orders:?}");
    }

    /// The number of permutations that these generate.
    fn generated(points: usize, generators: &[Vec<usize>]) -> usize {
        let identity: Vec<usize> = (0..points).collect();
        let mut found = BTreeSet::from([identity.clone()]);
        let mut waiting = vec![identity];
        while let Some(permutation) = waiting.pop() {
            for generator in generators {
                let next: Vec<usize> = permutation.iter().map(|&p| generator[p]).collect();
                if found.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        found.len()
    }
}
