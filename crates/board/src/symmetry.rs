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
