//! Isomorphism of labelled digraphs.

use nimrule_fixtures::Numbers;
use nimrule_relation::Relation;
use nimrule_relation::kernels::{
    ComparisonBound, Count, IsomorphismClasses, Kernel, Kernels, classes_within,
    isomorphism_classes,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

fn digraph(arcs: &[Vec<u32>]) -> Relation {
    Relation::build(arcs.len(), |from, visit| {
        arcs[from as usize].iter().copied().for_each(visit);
        Ok::<(), Infallible>(())
    })
    .unwrap()
}

fn classes(relation: &Relation, all: &[Kernel]) -> IsomorphismClasses {
    isomorphism_classes(relation, all, &mut || Ok::<(), Infallible>(())).unwrap()
}

fn permutation(numbers: &mut Numbers, length: usize) -> Vec<u32> {
    let mut image: Vec<u32> = (0..length as u32).collect();
    for place in (1..length).rev() {
        image.swap(place, numbers.below(place + 1));
    }
    image
}

/// Vertex-transitive digraphs, and unions of equal digraphs, with their names.
fn symmetric_digraphs() -> Vec<(String, Vec<Vec<u32>>)> {
    let mut all = Vec::new();
    for states in [20_u32, 22, 24, 30, 36, 40] {
        for steps in [
            vec![1, states - 1],
            vec![1, 3],
            vec![2, 5, states / 2],
            vec![4, states - 4, 2],
        ] {
            let arcs = (0..states).map(|s| steps.iter().map(|by| (s + by) % states).collect());
            all.push((format!("circulant {states} {steps:?}"), arcs.collect()));
        }
    }
    for (wide, high) in [(4_u32, 5), (4, 6), (6, 6), (5, 8)] {
        let arcs = (0..wide * high).map(|s| {
            let (x, y) = (s % wide, s / wide);
            let at = |x: u32, y: u32| x % wide + wide * (y % high);
            vec![
                at(x + 1, y),
                at(x + wide - 1, y),
                at(x, y + 1),
                at(x, y + high - 1),
            ]
        });
        all.push((format!("torus {wide} {high}"), arcs.collect()));
    }
    for (sets, size) in [(11_u32, 2_u32), (8, 4), (6, 6), (13, 3)] {
        let arcs = (0..sets * size).map(|s| {
            let first = s / size * size;
            vec![first + (s - first + 1) % size]
        });
        all.push((format!("circles {sets} {size}"), arcs.collect()));
    }
    // The cube of dimension 5 with loops left out.
    let cube = (0..32_u32).map(|s| (0..5).map(|bit| s ^ (1 << bit)).collect());
    all.push(("cube 5".to_owned(), cube.collect()));
    all
}

#[test]
fn images_of_a_kernel_are_of_its_kind() {
    let mut numbers = Numbers::new(1);
    let mut compared = 0;
    for (name, arcs) in symmetric_digraphs() {
        // A union of the digraph with itself, relabelled: exchanging the halves maps each
        // kernel of one half and another of the other half to the exchanged ones.
        let relation = digraph(&arcs);
        let mut pause = || Ok::<(), Infallible>(());
        let kernels = Kernels::new(&relation, &mut pause).unwrap();
        let (some, _) = kernels.find(2, &mut pause).unwrap();
        let Some(kernel) = some.first() else { continue };
        let last = some.last().unwrap();
        let states = arcs.len();
        let image = permutation(&mut numbers, 2 * states);
        let mut double = vec![Vec::new(); 2 * states];
        for (from, options) in arcs.iter().enumerate() {
            for half in [0, states] {
                let options = options.iter().map(|to| image[*to as usize + half]);
                double[image[from + half] as usize] = options.collect();
            }
        }
        let place = |one: &Kernel, other: &Kernel| {
            let mut lost = vec![false; 2 * states];
            for (state, is_lost) in one.iter().chain(other).enumerate() {
                lost[image[state] as usize] = *is_lost;
            }
            lost
        };
        let double = digraph(&double);
        let both = [place(kernel, last), place(last, kernel)];
        let expected = IsomorphismClasses {
            classes: vec![(0, 2)],
            ended: None,
        };
        assert_eq!(classes(&double, &both), expected, "{name}");
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

/// Wheels with a rim of six states or of two times three look alike until a state of a
/// rim is individualised, which a search that backtracks does after all choices of twins.
#[test]
fn what_one_part_leaves_open_is_not_tried_with_all_of_another() {
    let mut arcs: Vec<Vec<u32>> = Vec::new();
    let add = |arcs: &mut Vec<Vec<u32>>, from: usize, to: usize| {
        arcs.resize(arcs.len().max(from + 1).max(to + 1), Vec::new());
        arcs[from].push(to as u32);
    };
    let mut hubs = Vec::new();
    for circles in [1, 2, 2, 1] {
        let hub = arcs.len();
        hubs.push(hub);
        let length = 6 / circles;
        for place in 0..6 {
            let first = hub + 1 + place / length * length;
            let next = first + (hub + 1 + place - first + 1) % length;
            for (one, other) in [(hub, hub + 1 + place), (hub + 1 + place, next)] {
                add(&mut arcs, one, other);
                add(&mut arcs, other, one);
            }
        }
    }
    for length in 1..=11 {
        let first = arcs.len();
        for place in first..first + length {
            add(&mut arcs, place, place + 1);
        }
        add(&mut arcs, first + length, first + length + 1);
        add(&mut arcs, first + length, first + length + 2);
    }
    let lost = |which: [usize; 2]| -> Kernel {
        let which = which.map(|wheel| hubs[wheel]);
        (0..arcs.len())
            .map(|state| which.contains(&state))
            .collect()
    };
    let found = classes(&digraph(&arcs), &[lost([0, 2]), lost([1, 3]), lost([0, 3])]);
    assert_eq!((found.classes, found.ended), (vec![(0, 2), (2, 1)], None));
}

#[test]
fn translations_of_a_circulant_map_kernels_to_their_kind() {
    for (name, arcs) in symmetric_digraphs() {
        if !name.starts_with("circulant") {
            continue;
        }
        let relation = digraph(&arcs);
        let mut pause = || Ok::<(), Infallible>(());
        let kernels = Kernels::new(&relation, &mut pause).unwrap();
        let (some, _) = kernels.find(3, &mut pause).unwrap();
        for kernel in &some {
            let turned: Vec<Kernel> = (0..arcs.len())
                .map(|by| {
                    (0..arcs.len())
                        .map(|s| kernel[(s + by) % arcs.len()])
                        .collect()
                })
                .collect();
            let found = classes(&relation, &turned);
            assert_eq!(found.classes, [(0, arcs.len())], "{name}");
            assert_eq!(found.ended, None, "{name}");
        }
    }
}

/// The classes by trying all permutations of at most seven states.
fn by_definition(arcs: &[Vec<u32>], all: &[Kernel]) -> Vec<(usize, usize)> {
    let mut images: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in arcs {
        images = images
            .iter()
            .flat_map(|image| {
                (0..arcs.len() as u32)
                    .filter(|to| !image.contains(to))
                    .map(|to| {
                        let mut image = image.clone();
                        image.push(to);
                        image
                    })
            })
            .collect();
    }
    let set = |from: usize| arcs[from].iter().copied().collect::<BTreeSet<u32>>();
    images.retain(|image| {
        (0..arcs.len()).all(|from| {
            let carried: BTreeSet<u32> = set(from).iter().map(|to| image[*to as usize]).collect();
            carried == set(image[from] as usize)
        })
    });
    let mut classes: Vec<(usize, usize)> = Vec::new();
    for (place, lost) in all.iter().enumerate() {
        let same = classes.iter_mut().find(|(first, _)| {
            images.iter().any(|image| {
                (0..lost.len()).all(|state| all[*first][state] == lost[image[state] as usize])
            })
        });
        match same {
            Some((_, count)) => *count += 1,
            None => classes.push((place, 1)),
        }
    }
    classes
}

#[test]
fn classes_are_those_by_definition() {
    let mut numbers = Numbers::new(7);
    let mut several = 0;
    for round in 0..300 {
        let states = 4 + round % 3;
        // Every state has as many options: colours alone tell little.
        let degree = 1 + numbers.below(3);
        let steps: BTreeSet<usize> = (0..degree).map(|_| 1 + numbers.below(states - 1)).collect();
        let arcs: Vec<Vec<u32>> = (0..states)
            .map(|from| {
                let turned = |by: &usize| ((from + by) % states) as u32;
                match round % 2 {
                    0 => steps.iter().map(turned).collect(),
                    _ => (0..degree).map(|_| numbers.below(states) as u32).collect(),
                }
            })
            .collect();
        // Any sets of states: the search needs no kernels.
        let all: Vec<Kernel> = (0..1 << states)
            .map(|bits: usize| (0..states).map(|state| bits >> state & 1 == 1).collect())
            .collect();
        let found = classes(&digraph(&arcs), &all);
        assert_eq!(found.ended, None);
        assert_eq!(found.classes, by_definition(&arcs, &all), "{arcs:?}");
        several += usize::from(found.classes.len() < all.len());
    }
    assert!(several > 100, "{several}");
}

#[test]
fn a_comparison_that_is_cut_off_says_so() {
    let states = 24;
    let arcs: Vec<Vec<u32>> = (0..states)
        .map(|s| vec![(s + 1) % states, (s + 3) % states])
        .collect();
    let relation = digraph(&arcs);
    let mut pause = || Ok::<(), Infallible>(());
    let kernels = Kernels::new(&relation, &mut pause).unwrap();
    let (all, _) = kernels.find(64, &mut pause).unwrap();
    assert!(matches!(kernels.count(&mut pause).unwrap(), Count::Exactly(_)) && all.len() > 1);
    let cut = classes_within(&relation, &all, 10, &mut pause).unwrap();
    assert_eq!(cut.ended, Some(ComparisonBound::Colours(10)));
    assert_eq!(cut.classes.len(), all.len());
}
