//! The cover of a list of vectors by arithmetic progressions.

use super::Progression;
use std::collections::{BTreeSet, BinaryHeap};

/// The least number of vectors, not counting those in other progressions, for
/// which a progression pays for its plane.
const MIN_VECTORS: u64 = 4;

/// Covers vectors by progressions that lower one heap, or several heaps
/// equally.
///
/// Greedy cover: each candidate is as long as possible, and the candidate with
/// most vectors not yet covered is taken next. A vector may be in several
/// progressions; the remaining vectors become progressions of one.
///
/// `vectors` lie in the box of heaps at most `most`, whose number of positions
/// fits a `u128`.
pub fn progressions(vectors: &[Vec<u64>], most: &[u64]) -> Vec<Progression> {
    let mut strides = vec![1_u128; most.len()];
    for heap in (1..most.len()).rev() {
        strides[heap - 1] = strides[heap].saturating_mul(u128::from(most[heap]) + 1);
    }
    let number = |vector: &[u64]| -> u128 {
        let sizes = vector.iter().zip(&strides);
        sizes.map(|(size, stride)| u128::from(*size) * stride).sum()
    };
    let mut all: Vec<u128> = vectors.iter().map(|vector| number(vector)).collect();
    all.sort_unstable();
    let place = |number: u128| all.binary_search(&number);

    let mut found: BinaryHeap<(u64, Candidate)> = BinaryHeap::new();
    for direction in directions(vectors) {
        let step: Vec<u64> = direction
            .iter()
            .map(|row_moves| u64::from(*row_moves))
            .collect();
        let stride = number(&step);
        for vector in vectors {
            let fits = |size: &dyn Fn(usize) -> bool| {
                let mut heaps = (0..most.len()).filter(|heap| direction[*heap]);
                heaps.all(size)
            };
            let before = fits(&|heap| vector[heap] > 0);
            let first = number(vector);
            if before && place(first - stride).is_ok() {
                continue;
            }
            let room = (0..most.len())
                .filter(|heap| direction[*heap])
                .map(|heap| most[heap] - vector[heap])
                .min()
                .unwrap_or(0);
            let count = 1
                + (1..=room)
                    .take_while(|times| place(first + stride * u128::from(*times)).is_ok())
                    .count() as u64;
            if count >= MIN_VECTORS {
                found.push((
                    count,
                    Candidate {
                        first,
                        stride,
                        count,
                        offset: vector.clone(),
                        step: step.clone(),
                    },
                ));
            }
        }
    }

    let mut covered = vec![false; all.len()];
    let mut progressions = Vec::new();
    while let Some((promised, run)) = found.pop() {
        // INVARIANT: all vectors of a run are in the list.
        let places: Vec<usize> = run.numbers().filter_map(|n| place(n).ok()).collect();
        let new = places.iter().filter(|place| !covered[**place]).count() as u64;
        if new < MIN_VECTORS {
            continue;
        }
        // Other progressions cover a part of it: it is considered again later.
        if new < promised {
            found.push((new, run));
            continue;
        }
        for place in places {
            covered[place] = true;
        }
        progressions.push(Progression {
            offset: run.offset,
            direction: run.step,
            count: run.count,
        });
    }
    let alone = vectors
        .iter()
        .filter(|vector| place(number(vector)).is_ok_and(|place| !covered[place]));
    progressions.extend(alone.map(|vector| Progression::of(vector)));
    progressions
}

/// The directions of candidates, as sets of heaps: every heap that some vector
/// lowers, and every set of heaps that a vector lowers together.
fn directions(vectors: &[Vec<u64>]) -> Vec<Vec<bool>> {
    let mut sets: BTreeSet<Vec<bool>> = vectors
        .iter()
        .map(|vector| vector.iter().map(|size| *size > 0).collect())
        .collect();
    let heaps = vectors.first().map_or(0, Vec::len);
    for heap in 0..heaps {
        if sets.iter().any(|set| set[heap]) {
            sets.insert((0..heaps).map(|other| other == heap).collect());
        }
    }
    sets.into_iter().collect()
}

/// A candidate progression, by the numbers of its vectors in the box. The
/// derived order compares the length first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    count: u64,
    first: u128,
    stride: u128,
    offset: Vec<u64>,
    step: Vec<u64>,
}

impl Candidate {
    fn numbers(&self) -> impl Iterator<Item = u128> {
        let (first, stride) = (self.first, self.stride);
        (0..u128::from(self.count)).map(move |times| first + stride * times)
    }
}
