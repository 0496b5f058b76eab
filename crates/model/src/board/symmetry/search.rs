//! The list of all symmetries that keep the order within each class of interchangeable points.
//!
//! Points are singled out one after another, and the colours refined after each, until every point
//! has a colour of its own; the points singled out are the base. A symmetry is determined by the
//! images of the base. For each point b of the base and each point of the same colour, one symmetry
//! is searched that fixes the base before b and carries b there; the points it can reach are an
//! orbit, and one symmetry for each of them a transversal. Every symmetry is in just one way a
//! product of one from each transversal (Sims, "Computational methods in the study of permutation
//! groups", 1970), so that the order is known before anything is listed.

use super::sets::{Effort, Sets, Stop, mix, single_out};

/// A list has at most so many permutations, and so many entries in all.
const MOST_LISTED: usize = 100_000;
const MOST_ENTRIES: usize = 8_000_000;

#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The permutations but for the identity, ascending, one behind the other.
    pub listed: Vec<u32>,
    /// Some that generate them all.
    pub generators: Vec<Vec<usize>>,
}

/// Lists the symmetries that take the first point of each class to the first of one, the second to
/// the second, and so on. It fails if the search or the list would be too long.
pub(super) fn list(
    sets: &Sets,
    classes: &[Vec<usize>],
    effort: &mut Effort,
) -> Result<Listing, Stop> {
    // That classes go to classes follows anyway, but to say so lets the colours know it.
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
        effort,
    };
    search.lay_base(ranks)?;
    let mut generators = Vec::new();
    let mut listed: Vec<Vec<usize>> = vec![(0..search.sets.points()).collect()];
    // From the end of the base, so that the symmetries known already fix what comes before.
    for level in (0..search.levels.len()).rev() {
        let Some(base) = search.levels[level].base else {
            continue;
        };
        let transversal = search.transversal(level, base, &mut generators)?;
        let order = transversal.len() * listed.len();
        if order > MOST_LISTED || order.saturating_mul(search.sets.points()) > MOST_ENTRIES {
            return Err(Stop::Length);
        }
        listed = transversal
            .iter()
            .flat_map(|outer| listed.iter().map(|inner| compose(outer, inner)))
            .collect();
    }
    listed.sort_unstable();
    let entries = listed.iter().skip(1).flatten();
    Ok(Listing {
        // A structure of so many points would have exhausted the effort long before.
        listed: entries.map(|&point| point as u32).collect(),
        generators,
    })
}

/// The permutation that does the inner one first.
fn compose(outer: &[usize], inner: &[usize]) -> Vec<usize> {
    inner.iter().map(|&point| outer[point]).collect()
}

struct Search<'a> {
    sets: Sets,
    levels: Vec<Level>,
    effort: &'a mut Effort,
}

/// The colours when the base before this level is singled out.
struct Level {
    colours: Vec<u64>,
    sorted: Vec<u64>,
    /// The point of the base that is singled out next, unless every colour is that of one point.
    base: Option<usize>,
}

impl Search<'_> {
    fn lay_base(&mut self, mut colours: Vec<u64>) -> Result<(), Stop> {
        loop {
            self.sets.refine(&mut colours, self.effort)?;
            // Levels are kept, so that their number is to be bounded too.
            self.effort.spend(4 * colours.len())?;
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
                Some(point) => single_out(&mut colours, point),
                None => return Ok(()),
            }
        }
    }

    /// One symmetry for each point that the base point can be carried to while the base before it
    /// stays. The generators, which fix that part of the base, are added to where they do not
    /// suffice.
    fn transversal(
        &mut self,
        level: usize,
        base: usize,
        generators: &mut Vec<Vec<usize>>,
    ) -> Result<Vec<Vec<usize>>, Stop> {
        let points = self.sets.points();
        let colours = self.levels[level].colours.clone();
        let mut carriers = self.orbit(base, generators)?;
        for target in 0..points {
            if colours[target] != colours[base] || carriers[target].is_some() {
                continue;
            }
            let mut images = colours.clone();
            single_out(&mut images, target);
            if let Some(symmetry) = self.complete(level + 1, images)? {
                generators.push(symmetry);
                carriers = self.orbit(base, generators)?;
            }
        }
        Ok(carriers.into_iter().flatten().collect())
    }

    /// For each point a product of generators that carries the base point there, if there is any.
    fn orbit(
        &mut self,
        base: usize,
        generators: &[Vec<usize>],
    ) -> Result<Vec<Option<Vec<usize>>>, Stop> {
        let points = self.sets.points();
        let mut carriers: Vec<Option<Vec<usize>>> = vec![None; points];
        let mut reached = vec![(base, (0..points).collect::<Vec<usize>>())];
        carriers[base] = Some(reached[0].1.clone());
        while let Some((point, carrier)) = reached.pop() {
            self.effort.spend(generators.len())?;
            for generator in generators {
                let image = generator[point];
                if carriers[image].is_none() {
                    self.effort.spend(points)?;
                    let further = compose(generator, &carrier);
                    carriers[image] = Some(further.clone());
                    reached.push((image, further));
                }
            }
        }
        Ok(carriers)
    }

    /// A symmetry that takes the colours of a level to these, not refined yet.
    fn complete(&mut self, level: usize, mut images: Vec<u64>) -> Result<Option<Vec<usize>>, Stop> {
        self.sets.refine(&mut images, self.effort)?;
        self.effort.spend(images.len())?;
        if sorted(&images) != self.levels[level].sorted {
            return Ok(None);
        }
        let Some(base) = self.levels[level].base else {
            let symmetry = self.matching(level, &images);
            let holds = self.sets.is_symmetry(&symmetry, self.effort)?;
            return Ok(holds.then_some(symmetry));
        };
        for target in 0..images.len() {
            if images[target] == self.levels[level].colours[base] {
                let mut further = images.clone();
                single_out(&mut further, target);
                if let Some(symmetry) = self.complete(level + 1, further)? {
                    return Ok(Some(symmetry));
                }
            }
        }
        Ok(None)
    }

    /// The permutation that takes each point to the one of the same colour, where every point has a
    /// colour of its own.
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
