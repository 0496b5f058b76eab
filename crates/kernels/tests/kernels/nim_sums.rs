//! Random values of heaps, compared with the nim-sum of every position.

use nimrule_fixtures::Numbers;
use nimrule_kernels::{Layout, Rows, Sink, SlabState, Start, nim_sums};
use nimrule_limits::{LimitExceeded, Limits};

/// The rows of a box, as received, and the slabs done at each checkpoint.
#[derive(Default)]
struct Received {
    rows: Vec<(usize, Vec<u64>)>,
    checkpoints: Vec<u64>,
    any_order: bool,
    parts: Option<Vec<Received>>,
}

impl Sink for Received {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        for first in (0..rows.count()).step_by(64) {
            let count = (rows.count() - first).min(64);
            let some = rows.nonzero(first..first + count);
            for row in 0..count {
                let words = rows.row(first + row).to_vec();
                assert_eq!(words.len(), layout.words);
                assert_eq!(some >> row & 1 == 1, words.iter().any(|word| *word != 0));
                self.rows.push((rows.first + first + row, words));
            }
        }
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        self.any_order
    }

    fn can_split(&self) -> bool {
        self.parts.is_some()
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        let parts = self.parts.as_mut().expect("a sink that can split");
        parts.resize_with(count, Received::default);
        parts.iter_mut().map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        for part in std::mem::take(self.parts.as_mut().expect("parts")) {
            assert!(part.rows.is_sorted(), "a thread has its rows in order");
            self.rows.extend(part.rows);
        }
    }

    fn slab(&mut self, done: u64, state: &dyn SlabState) -> Result<(), LimitExceeded> {
        let mut saved = Vec::new();
        state.save(&mut saved);
        assert!(saved.is_empty());
        self.checkpoints.push(done);
        Ok(())
    }
}

/// All rows of a box, by the definition.
fn by_definition(layout: &Layout, values: &[Vec<u64>]) -> Vec<(usize, Vec<u64>)> {
    let (last, others) = values.split_last().expect("a heap");
    let rows = (0..layout.rows).map(|row| {
        let sizes = layout.row(row);
        let sum = others
            .iter()
            .zip(&sizes)
            .fold(0, |sum, (values, size)| sum ^ values[*size as usize]);
        let mut words = vec![0; layout.words];
        for (size, value) in last.iter().enumerate() {
            words[size / 64] |= u64::from(*value == sum) << (size % 64);
        }
        (row, words)
    });
    rows.collect()
}

#[test]
fn rows_are_those_with_nim_sum_zero() {
    let mut numbers = Numbers::new(1);
    for round in 0..400 {
        let heaps = 1 + numbers.below(4);
        let largest = [1, 3, 9, 70, 200][numbers.below(5)] >> (heaps / 2);
        let most: Vec<u64> = (0..heaps).map(|_| numbers.below(largest + 1)).collect();
        let values: Vec<Vec<u64>> = (most.iter())
            .map(|most| {
                let bound = [1, 2, 3, *most + 1][numbers.below(4)];
                (0..=*most).map(|_| numbers.below(bound)).collect()
            })
            .collect();
        let mut layout = Layout::new(&most).expect("a heap");
        layout.words_to_split = 0;
        let expected = by_definition(&layout, &values);
        let value = |heap: usize, size: u64| values[heap][size as usize];
        let received = |any_order, threads, from| {
            let mut limits = Limits::of_memory(1 << 20);
            limits.threads = threads;
            let mut sink = Received {
                any_order,
                parts: (threads > 1).then(Vec::new),
                ..Received::default()
            };
            let start = Start {
                from,
                ..Start::default()
            };
            nim_sums::outcomes(&layout, value, start, &limits, &mut sink).expect("within limits");
            sink
        };
        let slabs = if heaps == 1 { 1 } else { most[0] + 1 };
        let in_order = received(false, 1, None);
        assert_eq!(in_order.rows, expected, "round {round}, box {most:?}");
        assert_eq!(in_order.checkpoints, (1..slabs).collect::<Vec<_>>());
        for any_order in [false, true] {
            let mut split = received(any_order, 3, None);
            assert!(!any_order || split.checkpoints.is_empty());
            split.rows.sort();
            assert_eq!(split.rows, expected, "round {round}, box {most:?}");
        }
        let from = numbers.below(slabs);
        let resumed = received(false, 1, Some((from, &[])));
        let first = layout.rows / slabs as usize * from as usize;
        assert_eq!(resumed.rows, expected[first..]);
    }
}

#[test]
fn a_value_that_the_last_heap_lacks_leaves_a_row_empty() {
    let layout = Layout::new(&[8, 2]).expect("heaps");
    let mut sink = Received::default();
    let limits = Limits::of_memory(1 << 20);
    nim_sums::outcomes(
        &layout,
        |_, size| size,
        Start::default(),
        &limits,
        &mut sink,
    )
    .expect("within limits");
    let words: Vec<u64> = sink.rows.into_iter().map(|(_, words)| words[0]).collect();
    assert_eq!(words, [1, 2, 4, 0, 0, 0, 0, 0, 0]);
}
