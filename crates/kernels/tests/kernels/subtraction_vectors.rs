//! Random vectors and progressions, compared with a loop over all options.

use nimrule_fixtures::Numbers;
use nimrule_kernels::subtraction_vectors::{Progression, VectorKernel, outcomes, progressions};
use nimrule_kernels::{Layout, Rows, Sink, Start};
use nimrule_limits::{LimitExceeded, Limits};
use std::collections::BTreeSet;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn vector(numbers: &mut Numbers, most: &[u64], max_rows_back: u64) -> Vec<u64> {
    loop {
        let vector: Vec<u64> = most
            .iter()
            .map(|most| match numbers.below(2) {
                0 => 0,
                _ => numbers.below((most + 2).min(max_rows_back)),
            })
            .collect();
        if vector.iter().any(|size| *size > 0) {
            return vector;
        }
    }
}

fn progression(numbers: &mut Numbers, most: &[u64]) -> Progression {
    let max_rows_back = [2, 3, 5, 20, 200][numbers.below(5) as usize];
    let offset = vector(numbers, most, max_rows_back);
    if numbers.once_in(2) {
        return Progression::of(&offset);
    }
    let direction = vector(numbers, most, 3);
    let long = [4, 9, 70, 300][numbers.below(4) as usize];
    let count = 1 + numbers.below(long);
    if numbers.once_in(3) {
        // To the border of the box.
        let offset = if numbers.once_in(4) {
            offset
        } else {
            direction.clone()
        };
        return Progression {
            offset,
            direction,
            count: u64::MAX,
        };
    }
    Progression {
        offset,
        direction,
        count,
    }
}

/// The rows of a whole box.
#[derive(Default)]
struct Whole {
    words: usize,
    rows: Vec<u64>,
}

impl Sink for Whole {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        assert_eq!(rows.first * self.words, self.rows.len(), "rows in order");
        self.rows.extend(rows.words);
        Ok(())
    }
}

impl Whole {
    fn of(layout: &Layout) -> Whole {
        Whole {
            words: layout.words,
            rows: Vec::new(),
        }
    }

    /// Whether each position is P, in lexicographic order.
    fn verdicts(&self, layout: &Layout) -> Vec<bool> {
        let last = layout.most[layout.most.len() - 1] as usize;
        assert_eq!(self.rows.len(), layout.rows * layout.words);
        let mut verdicts = Vec::new();
        for row in self.rows.chunks(layout.words) {
            for place in 0..layout.words * 64 {
                let bit = row[place / 64] >> (place % 64) & 1 == 1;
                if place <= last {
                    verdicts.push(bit);
                } else {
                    assert!(!bit, "a bit beyond the heap's size");
                }
            }
        }
        verdicts
    }
}

/// All vectors of progressions that lie in the box.
fn vectors(most: &[u64], moves: &[Progression]) -> BTreeSet<Vec<u64>> {
    let mut vectors = BTreeSet::new();
    for progression in moves {
        let mut vector = progression.offset.clone();
        for _ in 0..progression.count {
            if vector.iter().zip(most).any(|(size, most)| size > most) {
                break;
            }
            vectors.insert(vector.clone());
            for (size, step) in vector.iter_mut().zip(&progression.direction) {
                *size += step;
            }
        }
    }
    vectors
}

/// The Grundy values of all positions by their definition; 0 is P.
fn naive(most: &[u64], moves: &[Progression], misere: bool) -> Vec<u64> {
    let vectors = vectors(most, moves);
    let mut strides = vec![1; most.len()];
    for heap in (1..most.len()).rev() {
        strides[heap - 1] = strides[heap] * (most[heap] as usize + 1);
    }
    let count = strides[0] * (most[0] as usize + 1);
    let mut values: Vec<u64> = Vec::with_capacity(count);
    for place in 0..count {
        let mut options = BTreeSet::new();
        for vector in &vectors {
            let fits = vector.iter().enumerate().all(|(heap, size)| {
                place / strides[heap] % (most[heap] as usize + 1) >= *size as usize
            });
            if fits {
                let distance: usize = vector
                    .iter()
                    .zip(&strides)
                    .map(|(size, stride)| *size as usize * stride)
                    .sum();
                options.insert(values[place - distance]);
            }
        }
        values.push(match misere && options.is_empty() {
            true => 1,
            false => (0..).find(|value| !options.contains(value)).unwrap_or(0),
        });
    }
    values
}

fn random_box(numbers: &mut Numbers) -> Vec<u64> {
    let heaps = 1 + numbers.below(5) as usize;
    let sizes: &[u64] = match heaps {
        1 => &[1, 30, 31, 63, 64, 200, 700],
        2 => &[0, 1, 9, 31, 32, 63, 64, 100],
        3 => &[0, 1, 5, 12, 31, 70],
        4 => &[0, 1, 3, 7, 11],
        _ => &[0, 1, 2, 5],
    };
    let mut most: Vec<u64> = (0..heaps)
        .map(|_| sizes[numbers.below(sizes.len() as u64) as usize])
        .collect();
    // Packed heaps of one word and of several words.
    if heaps > 1 && numbers.once_in(3) {
        let wide = [31, 32, 63, 64, 130, 200, 260, 400];
        most[heaps - 1] = wide[numbers.below(8) as usize];
        while most.iter().map(|size| size + 1).product::<u64>() > 40_000 {
            let largest = (0..heaps - 1).max_by_key(|heap| most[*heap]).unwrap_or(0);
            most[largest] /= 2;
        }
    }
    while most.iter().map(|size| size + 1).product::<u64>() > 40_000 {
        let largest = (0..heaps).max_by_key(|heap| most[*heap]).unwrap_or(0);
        most[largest] /= 2;
    }
    most
}

fn found(layout: &Layout, moves: &[Progression], misere: bool) -> Vec<bool> {
    let mut whole = Whole::of(layout);
    let start = Start {
        misere,
        ..Start::default()
    };
    outcomes(layout, moves, start, &LIMITS, &mut whole).expect("no limit is met");
    whole.verdicts(layout)
}

#[test]
fn random_progressions_agree_with_the_definition() {
    let mut numbers = Numbers::new(0x2545_f491_4f6c_dd1d);
    for round in 0..600 {
        let most = random_box(&mut numbers);
        let count = 1 + numbers.below(6);
        let moves: Vec<Progression> = (0..count)
            .map(|_| progression(&mut numbers, &most))
            .collect();
        let misere = numbers.once_in(2);
        let layout = Layout::new(&most).expect("a small box");
        let by_hand: Vec<bool> = naive(&most, &moves, misere)
            .iter()
            .map(|v| *v == 0)
            .collect();
        let found = found(&layout, &moves, misere);
        let wrong = (0..found.len()).find(|place| found[*place] != by_hand[*place]);
        assert_eq!(
            wrong, None,
            "round {round}, {most:?}, misere {misere}, {moves:?}"
        );
    }
}

#[test]
fn progressions_cover_the_same_vectors() {
    let mut numbers = Numbers::new(77);
    for round in 0..200 {
        let most = random_box(&mut numbers);
        let count = 1 + numbers.below(4);
        let moves: Vec<Progression> = (0..count)
            .map(|_| progression(&mut numbers, &most))
            .collect();
        let all = vectors(&most, &moves);
        let list: Vec<Vec<u64>> = all.iter().cloned().collect();
        let gathered = progressions(&list, &most);
        assert_eq!(vectors(&most, &gathered), all, "round {round}: {moves:?}");
        assert!(gathered.len() <= list.len());
    }
}

#[test]
fn a_ray_is_one_progression() {
    let mut vectors: Vec<Vec<u64>> = (1..=50).map(|taken| vec![taken, 0]).collect();
    vectors.extend((1..=70).map(|taken| vec![0, taken]));
    vectors.extend((1..=50).map(|taken| vec![taken, taken]));
    let found = progressions(&vectors, &[50, 70]);
    let offsets: Vec<&[u64]> = found.iter().map(|w| w.offset.as_slice()).collect();
    assert_eq!(offsets, [&[0, 1][..], &[1, 1], &[1, 0]]);
}

/// A sweep that excludes the positions of smaller values finds the next value.
#[test]
fn repeated_sweeps_find_grundy_values() {
    let mut numbers = Numbers::new(99);
    for round in 0..100 {
        let most = random_box(&mut numbers);
        let count = 1 + numbers.below(4);
        let moves: Vec<Progression> = (0..count)
            .map(|_| progression(&mut numbers, &most))
            .collect();
        let misere = numbers.once_in(2);
        let layout = Layout::new(&most).expect("a small box");
        let by_hand = naive(&most, &moves, misere);
        let mut sweeps = VectorKernel::new(&layout, &moves, &LIMITS).expect("no limit is met");
        let mut taken = vec![0; layout.rows * layout.words];
        for value in 0..=by_hand.iter().copied().max().unwrap_or(0) {
            let mut whole = Whole::of(&layout);
            sweeps
                .sweep(misere && value == 0, Some(&taken), &LIMITS, &mut whole)
                .expect("no limit is met");
            let here: Vec<bool> = by_hand.iter().map(|v| *v == value).collect();
            assert_eq!(
                whole.verdicts(&layout),
                here,
                "round {round}, value {value}"
            );
            for (taken, found) in taken.iter_mut().zip(&whole.rows) {
                *taken |= found;
            }
        }
    }
}

#[test]
fn limits_are_checked() {
    let layout = Layout::new(&[63, 63, 63, 63]).expect("a box");
    let moves = [
        Progression::of(&[1, 0, 0, 0]),
        Progression::of(&[0, 0, 0, 1]),
    ];
    let little = Limits::of_memory(1000);
    let met = outcomes(
        &layout,
        &moves,
        Start::default(),
        &little,
        &mut Whole::of(&layout),
    );
    assert!(matches!(
        met,
        Err(LimitExceeded::Memory { limit: 1000, .. })
    ));
    let late = Limits {
        deadline: Some(std::time::Instant::now()),
        ..Limits::of_memory(1 << 30)
    };
    let met = outcomes(
        &layout,
        &moves,
        Start::default(),
        &late,
        &mut Whole::of(&layout),
    );
    assert_eq!(met, Err(LimitExceeded::Time));
}
