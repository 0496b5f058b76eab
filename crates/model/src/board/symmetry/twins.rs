//! Classes of interchangeable points.

use std::collections::BTreeMap;

use super::sets::{Effort, Sets, Stop};

/// The classes of two or more points any two of which can be swapped, each ascending, and ascending
/// by their first point.
///
/// To be interchangeable is an equivalence: swapping a and c is swapping a and b, then b and c,
/// then a and b. So a point is compared with one of each class only, and only where the colours
/// agree.
pub(super) fn find(sets: &Sets, effort: &mut Effort) -> Result<Vec<Vec<usize>>, Stop> {
    let mut colours = vec![0; sets.points()];
    sets.refine(&mut colours, effort)?;
    let mut of_colour: BTreeMap<u64, Vec<Vec<usize>>> = BTreeMap::new();
    for (point, &colour) in colours.iter().enumerate() {
        let classes = of_colour.entry(colour).or_default();
        let mut own = None;
        for (index, class) in classes.iter().enumerate() {
            effort.spend(1)?;
            if sets.is_swap(class[0], point, effort)? {
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
