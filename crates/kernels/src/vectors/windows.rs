//! Vectors gathered into windows.

use super::Window;
use std::collections::{BTreeSet, BinaryHeap};

/// A window of fewer vectors, not counting those in other windows, is not worth
/// its plane.
const WORTH: u64 = 4;

/// Gathers vectors into windows: runs along a heap, or along several heaps
/// together. A vector may be in several windows, since an option that is looked
/// at twice does no harm; each run is taken as long as it is, and those with
/// most vectors that are in no window yet are taken first.
///
/// `vectors` lie in the box of heaps at most `most`, which is small enough that
/// its positions can be numbered.
pub fn windows(vectors: &[Vec<u64>], most: &[u64]) -> Vec<Window> {
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

    let mut found: BinaryHeap<(u64, Run)> = BinaryHeap::new();
    for direction in directions(vectors) {
        let step: Vec<u64> = direction.iter().map(|inside| u64::from(*inside)).collect();
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
            if count >= WORTH {
                found.push((
                    count,
                    Run {
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
    let mut windows = Vec::new();
    while let Some((promised, run)) = found.pop() {
        // INVARIANT: a run is one of vectors that are there.
        let places: Vec<usize> = run.numbers().filter_map(|n| place(n).ok()).collect();
        let new = places.iter().filter(|place| !covered[**place]).count() as u64;
        if new < WORTH {
            continue;
        }
        // Others have taken some of it: its turn may come later.
        if new < promised {
            found.push((new, run));
            continue;
        }
        for place in places {
            covered[place] = true;
        }
        windows.push(Window {
            offset: run.offset,
            direction: run.step,
            count: run.count,
        });
    }
    let alone = vectors
        .iter()
        .filter(|vector| place(number(vector)).is_ok_and(|place| !covered[place]));
    windows.extend(alone.map(|vector| Window::of(vector)));
    windows
}

/// The sets of heaps along which runs are looked for: every heap that is
/// lowered, and every set of heaps that are lowered together.
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

/// Vectors in a row, by their numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// The longer one first: it may be without an end.
    count: u64,
    first: u128,
    stride: u128,
    offset: Vec<u64>,
    step: Vec<u64>,
}

impl Run {
    fn numbers(&self) -> impl Iterator<Item = u128> {
        let (first, stride) = (self.first, self.stride);
        (0..u128::from(self.count)).map(move |times| first + stride * times)
    }
}
