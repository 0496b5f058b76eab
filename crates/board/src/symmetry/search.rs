//! The search for symmetries: the classes of interchangeable points, and the list of all symmetries
//! that keep the order within each class.
//!
//! The search for the list individualises points one after another, with colour refinement after
//! each, until every point has a unique colour. The individualised points are the base of a
//! stabilizer chain. A symmetry is determined by the images of the base. For each point b of the
//! base and each point of the same colour, the search looks for a symmetry that fixes the base
//! before b and maps b to that point. The points for which there is one are the orbit of b, and
//! these symmetries are a transversal. Every symmetry is, in exactly one way, a product of one
//! element of each transversal (Sims, "Computational methods in the study of permutation groups",
//! 1970), so that the order is known before the symmetries are listed.

use std::collections::BTreeMap;

use super::sets::{Incomplete, IndexedSets, StepBudget, individualise, mix};

/// The largest number of permutations of a list.
const MAX_LISTED: usize = 100_000;
/// The largest number of entries of a list: permutations times points.
const MAX_ENTRIES: usize = 8_000_000;

/// A listed group.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The permutations other than the identity, ascending, concatenated.
    pub listed: Vec<u32>,
    /// Generators of the group.
    pub generators: Vec<Vec<usize>>,
}

/// The classes of two or more interchangeable points, each ascending, and ascending by their first
/// point.
///
/// Interchangeability is an equivalence relation: (a c) = (a b)(b c)(a b). A point is therefore
/// compared with one point of each class, and only with points of the same colour.
pub(super) fn interchangeable_classes(
    sets: &IndexedSets,
    budget: &mut StepBudget,
) -> Result<Vec<Vec<usize>>, Incomplete> {
    let mut colours = vec![0; sets.points()];
    sets.refine(&mut colours, budget)?;
    let mut of_colour: BTreeMap<u64, Vec<Vec<usize>>> = BTreeMap::new();
    for (point, &colour) in colours.iter().enumerate() {
        let classes = of_colour.entry(colour).or_default();
        let mut own = None;
        for (index, class) in classes.iter().enumerate() {
            budget.spend(1)?;
            if sets.are_interchangeable(class[0], point, budget)? {
                own = Some(index);
                break;
            }
        }
        match own {
            Some(index) => classes[index].push(point),
            None => classes.push(vec![point]),
        }
    }
    let mut classes: Vec<Vec<usize>> = of_colour
        .into_values()
        .flatten()
        .filter(|class| class.len() > 1)
        .collect();
    classes.sort_unstable();
    Ok(classes)
}

/// Lists the symmetries that keep the order within each class: they map the first point of a class
/// to the first point of a class, the second to the second, and so on.
///
/// # Errors
///
/// If the search or the list would be too long.
pub(super) fn list(
    sets: &IndexedSets,
    classes: &[Vec<usize>],
    budget: &mut StepBudget,
) -> Result<Listing, Incomplete> {
    // Symmetries map classes to classes anyway; the classes as a relation refine the colours.
    let sets = sets.and(classes);
    let mut ranks = vec![0; sets.points()];
    for class in classes {
        for (rank, &point) in class.iter().enumerate() {
            ranks[point] = mix(rank as u64 + 1);
        }
    }
    let mut search = Search {
        levels: Vec::new(),
        sets,
        budget,
    };
    search.build_base(ranks)?;
    let mut generators = Vec::new();
    let mut listed: Vec<Vec<usize>> = vec![(0..search.sets.points()).collect()];
    // From the end of the base, so that the symmetries found so far fix the points before.
    for level in (0..search.levels.len()).rev() {
        let Some(base) = search.levels[level].base else {
            continue;
        };
        let transversal = search.transversal(level, base, &mut generators)?;
        let order = transversal.len() * listed.len();
        if order > MAX_LISTED || order.saturating_mul(search.sets.points()) > MAX_ENTRIES {
            return Err(Incomplete::Length);
        }
        listed = transversal
            .iter()
            .flat_map(|outer| listed.iter().map(|inner| compose(outer, inner)))
            .collect();
    }
    listed.sort_unstable();
    let entries = listed.iter().skip(1).flatten();
    Ok(Listing {
        // Structures of more than u32::MAX points exhaust the budget before.
        listed: entries.map(|&point| point as u32).collect(),
        generators,
    })
}

/// The product of two permutations, the inner one applied first.
fn compose(outer: &[usize], inner: &[usize]) -> Vec<usize> {
    inner.iter().map(|&point| outer[point]).collect()
}

struct Search<'a> {
    sets: IndexedSets,
    levels: Vec<Level>,
    budget: &'a mut StepBudget,
}

/// A level of the stabilizer chain: the refined colours after the base before it is individualised.
struct Level {
    colours: Vec<u64>,
    sorted: Vec<u64>,
    /// The next point of the base; `None` if every point has a unique colour.
    base: Option<usize>,
}

impl Search<'_> {
    /// Computes the base and the levels, starting from these colours.
    fn build_base(&mut self, mut colours: Vec<u64>) -> Result<(), Incomplete> {
        loop {
            self.sets.refine(&mut colours, self.budget)?;
            // Levels take memory, so that they count as steps too.
            self.budget.spend(4 * colours.len())?;
            let sorted = sorted(&colours);
            let base = colours.iter().position(|colour| {
                let place = sorted.partition_point(|other| other < colour);
                sorted.get(place + 1) == Some(colour)
            });
            self.levels.push(Level {
                colours: colours.clone(),
                sorted,
                base,
            });
            match base {
                Some(point) => individualise(&mut colours, point),
                None => return Ok(()),
            }
        }
    }

    /// A transversal: one symmetry for each point of the orbit of the base point under the
    /// stabilizer of the base before it. Extends the generators of that stabilizer as needed.
    fn transversal(
        &mut self,
        level: usize,
        base: usize,
        generators: &mut Vec<Vec<usize>>,
    ) -> Result<Vec<Vec<usize>>, Incomplete> {
        let points = self.sets.points();
        let colours = self.levels[level].colours.clone();
        let mut carriers = self.orbit(base, generators)?;
        for target in 0..points {
            if colours[target] != colours[base] || carriers[target].is_some() {
                continue;
            }
            let mut images = colours.clone();
            individualise(&mut images, target);
            if let Some(symmetry) = self.complete(level + 1, images)? {
                generators.push(symmetry);
                carriers = self.orbit(base, generators)?;
            }
        }
        Ok(carriers.into_iter().flatten().collect())
    }

    /// For each point of the orbit of the base point, a product of generators that maps the base
    /// point to it; `None` for other points.
    fn orbit(
        &mut self,
        base: usize,
        generators: &[Vec<usize>],
    ) -> Result<Vec<Option<Vec<usize>>>, Incomplete> {
        let points = self.sets.points();
        let mut carriers: Vec<Option<Vec<usize>>> = vec![None; points];
        let mut reached = vec![(base, (0..points).collect::<Vec<usize>>())];
        carriers[base] = Some(reached[0].1.clone());
        while let Some((point, carrier)) = reached.pop() {
            self.budget.spend(generators.len())?;
            for generator in generators {
                let image = generator[point];
                if carriers[image].is_none() {
                    self.budget.spend(points)?;
                    let further = compose(generator, &carrier);
                    carriers[image] = Some(further.clone());
                    reached.push((image, further));
                }
            }
        }
        Ok(carriers)
    }

    /// A symmetry that maps the colours of a level to `images`, which are not refined yet; `None` if
    /// there is none.
    fn complete(
        &mut self,
        level: usize,
        mut images: Vec<u64>,
    ) -> Result<Option<Vec<usize>>, Incomplete> {
        self.sets.refine(&mut images, self.budget)?;
        self.budget.spend(images.len())?;
        if sorted(&images) != self.levels[level].sorted {
            return Ok(None);
        }
        let Some(base) = self.levels[level].base else {
            let symmetry = self.matching(level, &images);
            let holds = self.sets.is_symmetry(&symmetry, self.budget)?;
            return Ok(holds.then_some(symmetry));
        };
        for target in 0..images.len() {
            if images[target] == self.levels[level].colours[base] {
                let mut further = images.clone();
                individualise(&mut further, target);
                if let Some(symmetry) = self.complete(level + 1, further)? {
                    return Ok(Some(symmetry));
                }
            }
        }
        Ok(None)
    }

    /// The permutation that maps each point to the point of the same colour, given that all colours
    /// are unique.
    fn matching(&self, level: usize, images: &[u64]) -> Vec<usize> {
        let level = &self.levels[level];
        let mut image_of = vec![0; images.len()];
        let place = |colour| level.sorted.partition_point(|&other| other < colour);
        for (point, &colour) in images.iter().enumerate() {
            image_of[place(colour)] = point;
        }
        let colours = level.colours.iter();
        colours.map(|&colour| image_of[place(colour)]).collect()
    }
}

fn sorted(colours: &[u64]) -> Vec<u64> {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted
}
