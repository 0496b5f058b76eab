//! Boxes divided into columns of any width, interrupted at checkpoints and resumed, compared
//! with the whole box.

use nimrule_fixtures::Numbers;
use nimrule_kernels::columns::{Column, ColumnSizes, FacesInMemory};
use nimrule_kernels::subtraction_vectors::{self, Progression};
use nimrule_kernels::{Layout, Rows, Sink, SlabState, Start, nim_sums};
use nimrule_limits::{LimitExceeded, Limits};

/// The rows by number, taken in any order, each once.
struct Received {
    rows: Vec<Option<Vec<u64>>>,
    /// Where it interrupts a column.
    at: Option<u64>,
    parts: Vec<Vec<(usize, Vec<u64>)>>,
}

impl Received {
    fn of(layout: &Layout) -> Received {
        Received {
            rows: vec![None; layout.rows],
            at: None,
            parts: Vec::new(),
        }
    }

    fn place(&mut self, number: usize, words: Vec<u64>) {
        let before = self.rows[number].replace(words);
        assert_eq!(before, None, "row {number} comes twice");
    }

    fn all(self) -> Vec<Vec<u64>> {
        let rows = self.rows.into_iter();
        rows.map(|row| row.expect("every row comes")).collect()
    }
}

fn each_row(rows: Rows<'_>) -> impl Iterator<Item = (usize, Vec<u64>)> {
    (0..rows.count()).map(move |row| (rows.first + row, rows.row(row).to_vec()))
}

impl Sink for Received {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        each_row(rows).for_each(|(number, words)| self.place(number, words));
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        struct Part<'p>(&'p mut Vec<(usize, Vec<u64>)>);
        impl Sink for Part<'_> {
            fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
                self.0.extend(each_row(rows));
                Ok(())
            }
        }
        self.parts.resize_with(count, Vec::new);
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(Part(part)) as _).collect()
    }

    fn merge_parts(&mut self) {
        for (number, words) in std::mem::take(&mut self.parts).into_iter().flatten() {
            self.place(number, words);
        }
    }

    fn slab(&mut self, done: u64, _: &dyn SlabState) -> Result<(), LimitExceeded> {
        self.at = Some(done);
        Err(LimitExceeded::Stopped)
    }
}

type Swept = Result<(), LimitExceeded>;

/// The rows of a box in columns of this width, and the number of interruptions. Each column
/// has no more memory than its sizes say.
fn in_columns(
    layout: &Layout,
    sizes: &ColumnSizes,
    width: usize,
    mut sweep: impl FnMut(Start<'_>, &Limits, &mut dyn Sink) -> Swept,
) -> (Vec<Vec<u64>>, usize) {
    let store = FacesInMemory::default();
    let mut received = Received::of(layout);
    let mut interruptions = 0;
    for (number, first) in (0..sizes.strips).step_by(width).enumerate() {
        let strips = first..sizes.strips.min(first + width);
        let is_due = |done: usize| done % 3 != number % 3;
        let faces = store.of_column(number, &is_due);
        let mut from = 0;
        for threads in [2, 1, 3].into_iter().cycle() {
            let limits = Limits {
                threads,
                ..Limits::of_memory(sizes.memory(strips.len(), 1) as u64)
            };
            let start = Start {
                misere: false,
                from: Some((from, &[])),
                column: Some(Column {
                    strips: strips.clone(),
                    faces: &faces,
                }),
            };
            match sweep(start, &limits, &mut received) {
                Err(LimitExceeded::Stopped) => {
                    from = received.at.take().expect("it ended at a checkpoint");
                    interruptions += 1;
                }
                swept => {
                    swept.expect("the sizes say what memory it takes");
                    break;
                }
            }
        }
    }
    assert!(store.is_empty(), "every face is read");
    (received.all(), interruptions)
}

/// A progression whose vectors lower each heap by few tokens, or by many.
fn progression(numbers: &mut Numbers, most: &[u64]) -> Progression {
    let mut vector = |bound: u64| {
        let mut vector = vec![0; most.len()];
        while vector.iter().all(|size| *size == 0) {
            for (size, most) in vector.iter_mut().zip(most) {
                *size = match numbers.once_in(2) {
                    true => 0,
                    false => numbers.below(bound.min(most + 2)),
                };
            }
        }
        vector
    };
    let offset = vector(6);
    let direction = vector(3);
    match numbers.below(4) {
        0 => Progression {
            offset: direction.clone(),
            direction,
            count: u64::MAX,
        },
        1 => Progression {
            offset,
            direction,
            count: 1 + numbers.below(19),
        },
        _ => Progression::of(&offset),
    }
}

#[test]
fn columns_of_vectors_agree_with_the_whole_box() {
    let mut numbers = Numbers::new(3);
    let (mut interruptions, mut divided, mut with_wide_faces) = (0, 0, 0);
    for round in 0..400 {
        let heaps = 3 + numbers.below(4);
        let mut most: Vec<u64> = (0..heaps).map(|_| numbers.below(4)).collect();
        (most[0], most[1]) = (numbers.below(24), numbers.below(10));
        most[heaps - 1] = [2, 31, 40, 100, 300][numbers.below(5)];
        let moves: Vec<Progression> = (0..1 + numbers.below(4))
            .map(|_| progression(&mut numbers, &most))
            .collect();
        let layout = Layout::new(&most).expect("a small box");
        let Some(sizes) = subtraction_vectors::column_sizes(&layout, &moves) else {
            continue;
        };
        divided += 1;
        with_wide_faces += usize::from(sizes.back > 1);
        let misere = numbers.once_in(2);
        let sweep = |start: Start<'_>, limits: &Limits, sink: &mut dyn Sink| {
            let start = Start { misere, ..start };
            subtraction_vectors::outcomes(&layout, &moves, start, limits, sink)
        };
        let mut whole = Received::of(&layout);
        let limits = Limits::of_memory(1 << 30);
        struct InOrder<'r>(&'r mut Received);
        impl Sink for InOrder<'_> {
            fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
                self.0.rows(layout, rows)
            }
        }
        sweep(Start::default(), &limits, &mut InOrder(&mut whole)).expect("no limit is met");
        let width = 1 + numbers.below(sizes.strips);
        let (rows, interrupted) = in_columns(&layout, &sizes, width, sweep);
        let all =
            format!("round {round}, {most:?}, columns of {width}, misere {misere}, {moves:?}");
        assert!(rows == whole.all(), "{all}");
        interruptions += interrupted;
    }
    assert!(divided > 200, "{divided}");
    assert!(with_wide_faces > 100, "{with_wide_faces}");
    assert!(interruptions > 200, "{interruptions}");
}

#[test]
fn columns_of_nim_sums_agree_with_the_whole_box() {
    let mut numbers = Numbers::new(4);
    let (mut interruptions, mut divided) = (0, 0);
    for round in 0..200 {
        let heaps = 1 + numbers.below(5);
        let mut most: Vec<u64> = (0..heaps).map(|_| numbers.below(8)).collect();
        most[0] = numbers.below(40);
        let values: Vec<Vec<u64>> = (most.iter())
            .map(|most| (0..=*most).map(|_| numbers.below(6)).collect())
            .collect();
        let value = |heap: usize, size: u64| values[heap][size as usize];
        let mut layout = Layout::new(&most).expect("a small box");
        layout.words_to_split = 0;
        let Some(sizes) = nim_sums::column_sizes(&layout) else {
            assert!(heaps < 3 || most[1] == 0);
            continue;
        };
        divided += 1;
        let sweep = |start: Start<'_>, limits: &Limits, sink: &mut dyn Sink| {
            nim_sums::outcomes(&layout, value, start, limits, sink)
        };
        let mut whole = Received::of(&layout);
        let limits = Limits::of_memory(1 << 20);
        sweep(Start::default(), &limits, &mut whole).expect("no limit is met");
        let width = 1 + numbers.below(sizes.strips);
        let (rows, interrupted) = in_columns(&layout, &sizes, width, sweep);
        assert!(
            rows == whole.all(),
            "round {round}, {most:?}, columns of {width}"
        );
        interruptions += interrupted;
    }
    assert!(divided > 80, "{divided}");
    assert!(interruptions > 80, "{interruptions}");
}
