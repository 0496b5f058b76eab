//! The kernel compared with a direct computation of all options.

use nimrule_fixtures::Numbers;
use nimrule_kernels::columns::{Column, FacesInMemory};
use nimrule_kernels::hypergraph_nim::*;
use nimrule_kernels::{Layout, Rows, Sink, SlabState, Start};
use nimrule_limits::{LimitExceeded, Limits};
use std::collections::BTreeSet;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn place(position: &[u64], most: &[u64]) -> usize {
    let sizes = position.iter().zip(most);
    sizes.fold(0, |place, (size, most)| {
        place * (*most as usize + 1) + *size as usize
    })
}

fn each_position(most: &[u64], mut f: impl FnMut(&[u64])) {
    let mut position = vec![0; most.len()];
    loop {
        f(&position);
        let Some(heap) = (0..most.len()).rfind(|heap| position[*heap] < most[*heap]) else {
            return;
        };
        position[heap] += 1;
        position[heap + 1..].fill(0);
    }
}

/// The Grundy values of a box by their definition; under misere play 1 for a
/// terminal position.
fn values(game: &HypergraphNim, most: &[u64], misere: bool) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    each_position(most, |position| {
        let nonempty = position.iter().enumerate();
        let nonempty = nonempty.fold(0, |nonempty, (heap, size)| {
            nonempty | usize::from(*size > 0) << heap
        });
        let sets: Vec<u64> = match &game.by_nonempty {
            None => game.hyperedges.clone(),
            Some(by_nonempty) => by_nonempty[nonempty]
                .iter()
                .map(|set| game.hyperedges[*set])
                .collect(),
        };
        let mut reached = BTreeSet::new();
        let mut moves = 0;
        for set in sets {
            let sizes = position.iter().enumerate();
            let below: Vec<u64> = sizes
                .map(|(heap, size)| if set >> heap & 1 == 1 { *size } else { 0 })
                .collect();
            each_position(&below, |taken| {
                if taken.iter().any(|taken| *taken > 0) {
                    let option: Vec<u64> = position.iter().zip(taken).map(|(a, b)| a - b).collect();
                    reached.insert(values[place(&option, most)]);
                    moves += 1;
                }
            });
        }
        let least = (0..).find(|value| !reached.contains(value)).unwrap_or(0);
        values.push(if misere && moves == 0 { 1 } else { least });
    });
    values
}

#[derive(Default)]
struct Collected {
    words_a_row: usize,
    words: Vec<u64>,
    slabs: Vec<(u64, usize, Vec<u8>)>,
}

/// Compares the bits of the rows that have a P-position with their words.
fn check_found(rows: Rows<'_>, words_a_row: usize) {
    for length in [1, 7, 64] {
        for from in (0..rows.count()).step_by(length) {
            let these = from..rows.count().min(from + length);
            let plain = Rows::new(rows.first, rows.words, words_a_row.max(1));
            assert_eq!(rows.nonzero(these.clone()), plain.nonzero(these));
        }
    }
}

impl Sink for Collected {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        check_found(rows, self.words_a_row);
        assert_eq!(first * self.words_a_row.max(1), self.words.len());
        self.words.extend_from_slice(words);
        Ok(())
    }

    fn slab(&mut self, done: u64, state: &dyn SlabState) -> Result<(), LimitExceeded> {
        let mut bytes = Vec::new();
        state.save(&mut bytes);
        self.slabs.push((done, self.words.len(), bytes));
        Ok(())
    }
}

/// The sets of `length` consecutive nonempty heaps on a circle.
fn shrinking(heaps: usize, length: usize) -> HypergraphNim {
    let mut sets: Vec<u64> = Vec::new();
    let by_nonempty = (0..1_usize << heaps).map(|nonempty| {
        let standing: Vec<usize> = (0..heaps)
            .filter(|heap| nonempty >> heap & 1 == 1)
            .collect();
        let mut here = BTreeSet::new();
        for start in 0..standing.len() {
            let set = (start..start + length.min(standing.len()))
                .fold(0, |set, i| set | 1 << standing[i % standing.len()]);
            let number = sets.iter().position(|other| *other == set);
            here.insert(number.unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            }));
        }
        here.into_iter().collect()
    });
    let by_nonempty = Some(by_nonempty.collect());
    HypergraphNim {
        hyperedges: sets,
        by_nonempty,
    }
}

fn compare(game: &HypergraphNim, most: &[u64], misere: bool) {
    let layout = Layout::new(most).expect("a small box");
    let expected = values(game, most, misere);
    let width = *most.last().expect("there are heaps") as usize + 1;
    let value_at = |row: usize, size: usize| expected[row * width + size];
    let found = swept(game, &layout, misere);
    for row in 0..layout.rows {
        for size in 0..layout.words * 64 {
            let bit = found[row * layout.words + size / 64] >> (size % 64) & 1 == 1;
            let is = size < width && value_at(row, size) == 0;
            assert_eq!(
                bit,
                is,
                "{game:?} in {most:?}, misere {misere}: row {:?}, {size}",
                layout.row(row)
            );
        }
    }
    // KernelTask a Nim heap that is larger than any value.
    let largest = expected.iter().copied().max().unwrap_or(0);
    let with_nim = game.with_nim_heap(most.len());
    let layout = Layout::new(&[most, &[largest]].concat()).expect("a small box");
    let found = swept(&with_nim, &layout, misere);
    for (place, value) in expected.iter().enumerate() {
        let row = &found[place * layout.words..][..layout.words];
        for size in 0..=largest {
            let bit = row[size as usize / 64] >> (size % 64) & 1 == 1;
            assert_eq!(bit, size == *value, "{game:?} in {most:?}, misere {misere}");
        }
    }
}

const NO_VALUE: u32 = u32::MAX;

/// The values found level by level: every other line is decoded in its place.
struct Found {
    width: usize,
    taken: Vec<Option<u64>>,
    decoded: Vec<u32>,
}

impl LevelSink for Found {
    fn place(&mut self, first: usize, len: usize) -> Option<&mut [u32]> {
        let place = first * self.width;
        (place / len)
            .is_multiple_of(2)
            .then(|| &mut self.decoded[place..place + len])
    }

    fn take(&mut self, first: usize, values: &[u32]) {
        for (place, value) in (first * self.width..).zip(values) {
            assert_eq!(self.taken[place].replace(u64::from(*value)), None);
        }
    }
}

/// Compares the values found level by level with their definition.
fn compare_levels(game: &HypergraphNim, most: &[u64], misere: bool) {
    let expected = values(game, most, misere);
    let layout = Layout::new(most).expect("a small box");
    let width = *most.last().expect("there are heaps") as usize + 1;
    let mut found = Found {
        width,
        taken: vec![None; expected.len()],
        decoded: vec![NO_VALUE; expected.len()],
    };
    let mut values_looked_for = 0;
    let largest = most.iter().sum();
    levels(
        game,
        &layout,
        misere,
        largest,
        &LIMITS,
        &mut |done| values_looked_for = done,
        &mut found,
    )
    .expect("the limits are wide");
    let Found { taken, decoded, .. } = found;
    for (taken, decoded) in taken.iter().zip(&decoded) {
        assert!(taken.is_some() != (*decoded != NO_VALUE), "{game:?}");
    }
    let found = taken.iter().zip(&decoded);
    let found = found.map(|(taken, decoded)| taken.unwrap_or(u64::from(*decoded)));
    let all = expected.iter().copied().max().expect("there are positions") + 1;
    let enough = all..=all + LEVELS_PER_SWEEP as u64;
    assert!(enough.contains(&values_looked_for), "{all}");
    assert!(found.eq(expected), "{game:?} in {most:?}, misere {misere}");
}

fn swept(game: &HypergraphNim, layout: &Layout, misere: bool) -> Vec<u64> {
    let mut found = Collected {
        words_a_row: layout.words,
        ..Collected::default()
    };
    let start = Start {
        misere,
        ..Start::default()
    };
    sweep(game, layout, start, &LIMITS, &mut found).expect("the limits are wide");
    assert_eq!(found.words.len(), layout.rows * layout.words);
    found.words
}

fn random_game(numbers: &mut Numbers, heaps: usize) -> HypergraphNim {
    let all = (1_u64 << heaps) - 1;
    let mut sets: BTreeSet<u64> = (0..1 + numbers.below(5))
        .map(|_| 1 + numbers.below(all))
        .collect();
    sets.insert(1 << (heaps - 1) | numbers.below(all + 1));
    HypergraphNim {
        hyperedges: sets.into_iter().collect(),
        by_nonempty: None,
    }
}

/// The image of a set of heaps under the exchange of two heaps.
fn swapped(set: u64, one: usize, other: usize) -> u64 {
    let differ = (set >> one ^ set >> other) & 1;
    set ^ (differ << one | differ << other)
}

#[test]
fn random_hypergraphs_agree_with_the_definition() {
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        let heaps = 1 + numbers.below(6) as usize;
        let game = random_game(&mut numbers, heaps);
        assert_eq!(game.fits(heaps), Ok(()));
        let sizes = [130, 40, 8, 5, 3, 2][heaps - 1];
        let most: Vec<u64> = (0..heaps).map(|_| numbers.below(sizes + 1)).collect();
        for misere in [false, true] {
            compare(&game, &most, misere);
            compare_levels(&game, &most, misere);
        }
    }
}

#[test]
fn shrinking_boards_agree_with_the_definition() {
    for (heaps, length, most) in [
        (1, 1, 9),
        (2, 1, 9),
        (3, 2, 6),
        (4, 2, 4),
        (5, 3, 2),
        (6, 3, 1),
        (6, 4, 2),
    ] {
        for misere in [false, true] {
            compare(&shrinking(heaps, length), &vec![most; heaps], misere);
            compare_levels(&shrinking(heaps, length), &vec![most; heaps], misere);
        }
    }
}

/// Rows of several words, and several blocks of lanes.
#[test]
fn long_rows_and_many_lanes() {
    let pairs = HypergraphNim {
        hyperedges: vec![0b011, 0b110, 0b101],
        by_nonempty: None,
    };
    compare(&pairs, &[2, 3, 150], false);
    compare(&pairs, &[2, 70, 5], true);
    compare(&pairs, &[3, 40, 66], false);
    compare_levels(&pairs, &[3, 40, 66], true);
    // All positions are terminal.
    compare_levels(&pairs, &[0, 0, 0], true);
    compare(&shrinking(3, 2), &[2, 36, 70], true);
    compare(&shrinking(4, 3), &[1, 2, 36, 3], false);
    let nim = HypergraphNim {
        hyperedges: vec![0b001, 0b010, 0b100],
        by_nonempty: None,
    };
    compare(&nim, &[1, 2, 200], false);
}

/// The hyperedges of [`random_game`] on a board that shrinks: at each set of nonempty
/// heaps some of them, which contain every nonempty heap that is in a hyperedge at all.
fn random_shrinking(numbers: &mut Numbers, heaps: usize) -> HypergraphNim {
    let mut game = random_game(numbers, heaps);
    let by_nonempty = (0..1_u64 << heaps).map(|nonempty| {
        let mut here: Vec<usize> = (0..game.hyperedges.len())
            .filter(|_| numbers.below(3) > 0)
            .collect();
        for heap in (0..heaps).filter(|heap| nonempty >> heap & 1 == 1) {
            let holds = |set: &usize| game.hyperedges[*set] >> heap & 1 == 1;
            if !here.iter().any(holds) {
                here.extend((0..game.hyperedges.len()).find(holds));
            }
        }
        here
    });
    game.by_nonempty = Some(by_nonempty.collect());
    game
}

/// The P-positions of a box by their definition, without the sets of options: the box
/// may have more positions than [`values`] can compute. Under misere play a terminal
/// position is N.
///
/// For each set of heaps that a move may lower, a table holds whether lowering them leads
/// to a P-position.
fn p_positions(game: &HypergraphNim, most: &[u64], misere: bool) -> Vec<bool> {
    let positions = most.iter().map(|most| *most as usize + 1).product();
    let mut is_p: Vec<bool> = Vec::with_capacity(positions);
    // Whether the position itself or one that is reached by a hyperedge is P.
    let mut reaches = vec![vec![false; positions]; game.hyperedges.len()];
    let strides: Vec<usize> = (0..most.len())
        .map(|heap| {
            let after = most[heap + 1..].iter();
            after.map(|most| *most as usize + 1).product()
        })
        .collect();
    each_position(most, |position| {
        let here = is_p.len();
        let nonempty = (0..most.len())
            .filter(|heap| position[*heap] > 0)
            .fold(0_u64, |nonempty, heap| nonempty | 1 << heap);
        for (set, reached) in game.hyperedges.iter().zip(&mut reaches) {
            reached[here] = (0..most.len())
                .filter(|heap| set & nonempty & 1 << heap != 0)
                .any(|heap| reached[here - strides[heap]]);
        }
        let all: Vec<usize> = (0..game.hyperedges.len()).collect();
        let sets = match &game.by_nonempty {
            None => &all,
            Some(by_nonempty) => &by_nonempty[nonempty as usize],
        };
        let is_terminal = sets.iter().all(|set| game.hyperedges[*set] & nonempty == 0);
        let is_n = sets.iter().any(|set| reaches[*set][here]) || misere && is_terminal;
        let p = !is_n;
        is_p.push(p);
        if p {
            for reached in &mut reaches {
                reached[here] = true;
            }
        }
    });
    is_p
}

/// Compares the rows of a box with [`p_positions`].
fn compare_rows(game: &HypergraphNim, most: &[u64], misere: bool) {
    let layout = Layout::new(most).expect("a small box");
    let expected = p_positions(game, most, misere);
    let width = layout.width();
    let found = swept(game, &layout, misere);
    for row in 0..layout.rows {
        for size in 0..layout.words * 64 {
            let bit = found[row * layout.words + size / 64] >> (size % 64) & 1 == 1;
            let is = size < width && expected[row * width + size];
            assert_eq!(
                bit,
                is,
                "{game:?} in {most:?}, misere {misere}: row {:?}, {size}",
                layout.row(row)
            );
        }
    }
}

/// Sizes for `heaps` heaps, in boxes of at most `positions`: some heaps are large.
fn random_sizes(numbers: &mut Numbers, heaps: usize, positions: u64) -> Vec<u64> {
    let mut most = vec![0; heaps];
    let mut left = positions;
    // The heaps get their sizes in any order.
    let mut order: Vec<usize> = (0..heaps).collect();
    for place in (1..heaps).rev() {
        order.swap(place, numbers.below(place as u64 + 1) as usize);
    }
    for heap in order {
        let bound = [3, 9, 40, 70, 100, 200][numbers.below(6) as usize];
        most[heap] = numbers.below(bound.min(left) + 1).min(left - 1);
        left /= most[heap] + 1;
    }
    most
}

/// Rows of up to four words and lanes in up to seven blocks, on boards that shrink and on
/// others.
#[test]
fn large_random_boxes_agree_with_tables() {
    let mut numbers = Numbers::new(0x0123_4567_89ab_cdef);
    for round in 0..400 {
        let heaps = 1 + numbers.below(6) as usize;
        let game = match round % 4 {
            0 | 1 => random_game(&mut numbers, heaps),
            2 => random_shrinking(&mut numbers, heaps),
            _ => {
                let length = 1 + numbers.below(heaps as u64) as usize;
                shrinking(heaps, length)
            }
        };
        assert_eq!(game.fits(heaps), Ok(()));
        let most = random_sizes(&mut numbers, heaps, 20_000);
        for misere in [false, true] {
            compare_rows(&game, &most, misere);
        }
    }
}

/// Blocks of lanes, words of a row and steps, in all combinations.
#[test]
fn blocks_of_lanes_agree_with_tables() {
    let mut numbers = Numbers::new(31);
    for (inner, step, lane, last) in [
        (0, 7, 64, 64),
        (0, 64, 64, 7),
        (0, 6, 64, 130),
        (0, 5, 95, 63),
        (1, 3, 70, 40),
        (2, 2, 130, 66),
        (3, 0, 66, 31),
        (2, 4, 200, 5),
    ] {
        let most: &[u64] = &[inner, step, lane, last];
        for most in [most, &[&[1][..], most].concat(), &most[1..]] {
            let games = [
                random_game(&mut numbers, most.len()),
                random_shrinking(&mut numbers, most.len()),
                shrinking(most.len(), 1),
                shrinking(most.len(), 2),
            ];
            for game in games {
                for misere in [false, true] {
                    compare_rows(&game, most, misere);
                }
            }
        }
    }
}

/// The Grundy values of rows of several words and of several blocks of lanes, on boards
/// that shrink and on others.
#[test]
fn values_of_long_rows_agree_with_the_definition() {
    let mut numbers = Numbers::new(64);
    for most in [&[2, 70, 2][..], &[1, 2, 67], &[5, 66], &[1, 1, 65, 1]] {
        for game in [
            random_game(&mut numbers, most.len()),
            random_shrinking(&mut numbers, most.len()),
            shrinking(most.len(), 2),
        ] {
            for misere in [false, true] {
                compare_levels(&game, most, misere);
            }
        }
    }
}

/// A sink that takes rows in any order.
struct Placed {
    words_a_row: usize,
    words: Vec<u64>,
    mirrored: usize,
}

impl Placed {
    fn place(&mut self, rows: Rows<'_>) {
        let Rows { first, words, .. } = rows;
        self.words[first * self.words_a_row..][..words.len()].copy_from_slice(words);
    }
}

impl Sink for Placed {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        self.place(rows);
        Ok(())
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        self.mirrored += rows.count();
        self.rows(layout, rows)
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}

#[test]
fn mirrored_rows_equal_computed_rows() {
    let mut numbers = Numbers::new(2024);
    let mut mirrored = 0;
    for round in 0..60 {
        let heaps = 6 + round % 2;
        let mut game = random_game(&mut numbers, heaps);
        let images: Vec<u64> = game.hyperedges.iter().map(|s| swapped(*s, 0, 1)).collect();
        game.hyperedges.extend(images);
        game.hyperedges.sort_unstable();
        game.hyperedges.dedup();
        assert!(game.are_interchangeable(0, 1));
        let mut most: Vec<u64> = (0..heaps).map(|_| numbers.below(4)).collect();
        most[1] = most[0];
        let layout = Layout::new(&most).expect("a small box");
        for misere in [false, true] {
            let mut placed = Placed {
                words_a_row: layout.words,
                words: vec![u64::MAX; layout.rows * layout.words],
                mirrored: 0,
            };
            let start = Start {
                misere,
                ..Start::default()
            };
            sweep(&game, &layout, start, &LIMITS, &mut placed).expect("the limits are wide");
            assert!(
                placed.words == swept(&game, &layout, misere),
                "{game:?} in {most:?}, misere {misere}"
            );
            mirrored += placed.mirrored;
            compare_levels(&game, &most, misere);
        }
    }
    assert!(mirrored > 0);
    // Opposite heaps are interchangeable on a circle of four, even if it
    // shrinks, but not on a circle of six.
    let shrinks = shrinking(4, 2);
    assert!(shrinks.are_interchangeable(0, 2) && !shrinks.are_interchangeable(0, 1));
    assert!(!shrinking(6, 2).are_interchangeable(0, 3));
}

#[test]
fn a_sweep_resumes_from_any_slab() {
    for game in [random_game(&mut Numbers::new(12345), 6), shrinking(6, 3)] {
        let layout = Layout::new(&[3, 2, 2, 3, 2, 3]).expect("a small box");
        let mut whole = Collected::default();
        sweep(&game, &layout, Start::default(), &LIMITS, &mut whole).expect("wide");
        assert_eq!(whole.slabs.len(), 3);
        for (done, words, state) in &whole.slabs {
            let mut rest = Collected {
                words: whole.words[..*words].to_vec(),
                ..Collected::default()
            };
            let start = Start {
                from: Some((*done, state)),
                ..Start::default()
            };
            sweep(&game, &layout, start, &LIMITS, &mut rest).expect("wide");
            assert!(rest.words == whole.words, "from {done}");
        }
    }
}

/// A sink that takes rows of several threads.
struct Threaded {
    accepts_any_order: bool,
    whole: Placed,
    rows_taken: usize,
    parts: Vec<Collected>,
    slabs: Vec<(u64, Vec<u8>)>,
}

impl Threaded {
    fn of(layout: &Layout, accepts_any_order: bool) -> Threaded {
        Threaded {
            accepts_any_order,
            whole: Placed {
                words_a_row: layout.words,
                words: vec![u64::MAX; layout.rows * layout.words],
                mirrored: 0,
            },
            rows_taken: 0,
            parts: Vec::new(),
            slabs: Vec::new(),
        }
    }
}

/// The sink of one thread: it keeps the rows, and the number of each first row.
struct PartOf<'c>(&'c mut Collected, bool);

impl Sink for PartOf<'_> {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let Rows { first, words, .. } = rows;
        self.0.slabs.push((first as u64, words.len(), Vec::new()));
        self.0.words.extend_from_slice(words);
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        self.1
    }
}

impl Sink for Threaded {
    fn rows(&mut self, _: &Layout, _rows: Rows<'_>) -> Result<(), LimitExceeded> {
        unreachable!("its parts take the rows");
    }

    fn accepts_any_order(&self) -> bool {
        self.accepts_any_order
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        self.parts.resize_with(count, Collected::default);
        let any = self.accepts_any_order;
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(PartOf(part, any)) as _).collect()
    }

    fn merge_parts(&mut self) {
        for part in self.parts.drain(..) {
            let mut rest = &part.words[..];
            for (first, words, _) in part.slabs {
                let (these, later) = rest.split_at(words);
                let rows = Rows::new(first as usize, these, self.whole.words_a_row);
                self.whole.place(rows);
                self.rows_taken += words / self.whole.words_a_row;
                rest = later;
            }
        }
    }

    fn slab(&mut self, done: u64, state: &dyn SlabState) -> Result<(), LimitExceeded> {
        let mut bytes = Vec::new();
        state.save(&mut bytes);
        self.slabs.push((done, bytes));
        Ok(())
    }
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let mut numbers = Numbers::new(77);
    for round in 0..40 {
        let heaps = 6 + round % 3;
        let mut game = random_game(&mut numbers, heaps);
        if round % 2 == 0 {
            let images: Vec<u64> = game.hyperedges.iter().map(|s| swapped(*s, 0, 1)).collect();
            game.hyperedges.extend(images);
            game.hyperedges.sort_unstable();
            game.hyperedges.dedup();
        }
        let mut most: Vec<u64> = (0..heaps).map(|_| numbers.below(3)).collect();
        most[1] = 3 + numbers.below(5);
        most[0] = if round % 2 == 0 {
            most[1]
        } else {
            1 + numbers.below(6)
        };
        if round % 10 == 3 {
            game = shrinking(6, 2);
            most.truncate(6);
        }
        let mut layout = Layout::new(&most).expect("a small box");
        layout.words_to_split = 1;
        let misere = round % 4 > 1;
        let expected = swept(&game, &layout, misere);
        let with = |threads| Limits {
            threads,
            ..LIMITS.clone()
        };
        for (threads, accepts_any_order) in [(2, true), (3, true), (2, false), (4, false)] {
            let mut found = Threaded::of(&layout, accepts_any_order);
            let start = Start {
                misere,
                ..Start::default()
            };
            sweep(&game, &layout, start, &with(threads), &mut found).expect("wide");
            assert!(found.whole.words == expected, "{game:?} in {most:?}");
            assert_eq!(found.rows_taken, layout.rows);
            // Resumed with another number of threads.
            for (done, state) in &found.slabs {
                let mut rest = Threaded::of(&layout, false);
                let start = Start {
                    misere,
                    from: Some((*done, state)),
                    ..Start::default()
                };
                sweep(&game, &layout, start, &with(3), &mut rest).expect("wide");
                let from = layout.rows / (most[0] as usize + 1) * *done as usize;
                let words = from * layout.words..;
                assert!(rest.whole.words[words.clone()] == expected[words], "{done}");
            }
        }
        let values = |threads| {
            struct Taken(Vec<(usize, Vec<u32>)>);
            impl LevelSink for Taken {
                fn take(&mut self, first: usize, values: &[u32]) {
                    self.0.push((first, values.to_vec()));
                }
            }
            let mut taken = Taken(Vec::new());
            let most = most.iter().sum();
            levels(
                &game,
                &layout,
                misere,
                most,
                &with(threads),
                &mut |_| (),
                &mut taken,
            )
            .expect("wide");
            taken.0
        };
        assert_eq!(values(1), values(3));
    }
}

/// A sink that ends the run at a checkpoint, if it is to.
struct Interrupted {
    rows: Threaded,
    at: Option<u64>,
}

impl Sink for Interrupted {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        self.rows.rows_taken += rows.count();
        self.rows.whole.place(rows);
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        self.rows.parts(count)
    }

    fn merge_parts(&mut self) {
        self.rows.merge_parts();
    }

    fn slab(&mut self, done: u64, _: &dyn SlabState) -> Result<(), LimitExceeded> {
        self.at = Some(done);
        Err(LimitExceeded::Stopped)
    }
}

/// Boxes divided into columns of any width, interrupted at every checkpoint and resumed
/// with another number of threads.
#[test]
fn columns_agree_with_the_whole_box() {
    let mut numbers = Numbers::new(1992);
    let (mut columns_of_all, mut interruptions, mut divided) = (0, 0, 0);
    for round in 0..400 {
        let heaps = 4 + round % 5;
        let mut game = random_game(&mut numbers, heaps);
        if round % 2 == 0 {
            let images: Vec<u64> = game.hyperedges.iter().map(|s| swapped(*s, 0, 1)).collect();
            game.hyperedges.extend(images);
            game.hyperedges.sort_unstable();
            game.hyperedges.dedup();
        }
        let mut most: Vec<u64> = (0..heaps).map(|_| numbers.below(3)).collect();
        most[1] = numbers.below(9);
        most[0] = if round % 2 == 0 {
            most[1]
        } else {
            numbers.below(40)
        };
        match round % 12 {
            3 => (most[heaps - 1], most[heaps - 2]) = (numbers.below(150), 0),
            2 if heaps < 6 => most[heaps - 1] = numbers.below(150),
            4 | 5 => {
                game = shrinking(heaps.min(6), 2);
                most.truncate(6);
                *most.last_mut().expect("heaps") = 3;
            }
            // Many slabs of interchangeable heaps.
            6 => (most[0], most[1]) = (20, 20),
            _ => {}
        }
        let mut layout = Layout::new(&most).expect("a small box");
        layout.words_to_split = 1;
        let misere = round % 4 > 1;
        let expected = swept(&game, &layout, misere);
        let Some(sizes) = column_sizes(&game, &layout) else {
            assert_eq!(most[1], 0);
            continue;
        };
        divided += 1;
        let width = 1 + numbers.below(most[1] + 1) as usize;
        let store = FacesInMemory::default();
        let mut found = Interrupted {
            rows: Threaded::of(&layout, true),
            at: None,
        };
        let columns = (0..sizes.strips).step_by(width).enumerate();
        for (number, first) in columns {
            columns_of_all += 1;
            let strips = first..sizes.strips.min(first + width);
            let taken = found.rows.rows_taken;
            let ends = numbers.below(3);
            let is_due = |done: usize| done % 3 != ends as usize;
            let faces = store.of_column(number, &is_due);
            let mut from = 0;
            for threads in [2, 1, 3].into_iter().cycle() {
                let limits = Limits {
                    threads,
                    ..LIMITS.clone()
                };
                let start = Start {
                    misere,
                    from: Some((from, &[])),
                    column: Some(Column {
                        strips: strips.clone(),
                        faces: &faces,
                    }),
                };
                match sweep(&game, &layout, start, &limits, &mut found) {
                    Err(LimitExceeded::Stopped) => {
                        from = found.at.take().expect("it was interrupted at a checkpoint");
                        let done = sizes.strips_done(strips.clone(), from as usize) as usize;
                        let rows_a_strip = layout.rows / sizes.slabs / sizes.strips;
                        assert_eq!(found.rows.rows_taken - taken, done * rows_a_strip);
                        interruptions += 1;
                    }
                    ended => {
                        ended.expect("wide");
                        break;
                    }
                }
            }
        }
        let all = format!("{game:?} in {most:?}, columns of {width}, misere {misere}");
        assert!(found.rows.whole.words == expected, "{all}");
        assert_eq!(found.rows.rows_taken, layout.rows, "{all}");
        assert!(store.is_empty(), "{all}");
    }
    assert!(divided > 300, "{divided}");
    assert!(columns_of_all > 2 * divided, "{columns_of_all}");
    assert!(interruptions > 100, "{interruptions}");
}

/// A column takes no more memory than its sizes say, and the widest one that fits is chosen.
#[test]
fn columns_are_as_wide_as_the_memory_allows() {
    let layout = Layout::new(&[20, 10, 3, 3, 3, 3]).expect("a small box");
    let sizes = column_sizes(&shrinking(6, 3), &layout).expect("it has six heaps");
    assert_eq!((sizes.slabs, sizes.strips), (21, 11));
    let memory = |strips, threads| sizes.memory(strips, threads) as u64;
    assert_eq!(sizes.widest(memory(1, 1) - 1, 2), None);
    assert_eq!(sizes.widest(memory(1, 1), 2), Some(1));
    assert_eq!(sizes.widest(memory(11, 2), 2), Some(11));
    // Two columns of six and five strips, where ten would fit.
    assert_eq!(sizes.widest(memory(11, 2) - 1, 2), Some(6));
    let three = Layout::new(&[20, 3, 3]).expect("a small box");
    assert_eq!(column_sizes(&shrinking(3, 2), &three), None);
}

#[test]
fn an_error_of_one_thread_stops_all() {
    struct Full<'w>(&'w std::sync::atomic::AtomicUsize);
    impl Sink for Full<'_> {
        fn rows(&mut self, _: &Layout, _rows: Rows<'_>) -> Result<(), LimitExceeded> {
            let before = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if before == 20 {
                Err(LimitExceeded::Time)
            } else {
                Ok(())
            }
        }

        fn accepts_any_order(&self) -> bool {
            true
        }

        fn can_split(&self) -> bool {
            true
        }

        fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
            let part = |_| Box::new(Full(self.0)) as _;
            (0..count).map(part).collect()
        }
    }
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let mut layout = Layout::new(&[9, 9, 2, 2, 2, 2]).expect("a small box");
    layout.words_to_split = 1;
    let limits = Limits {
        threads: 3,
        ..LIMITS.clone()
    };
    let game = random_game(&mut Numbers::new(5), 6);
    let met = sweep(&game, &layout, Start::default(), &limits, &mut Full(&taken));
    assert_eq!(met, Err(LimitExceeded::Time));
    assert!(taken.into_inner() < 100);
}

#[test]
fn unsupported_games_and_large_boxes_are_rejected() {
    let first_only = HypergraphNim {
        hyperedges: vec![0b01],
        by_nonempty: None,
    };
    assert!(first_only.fits(2).is_err());
    assert!(first_only.fits(1).is_ok());
    assert!(first_only.fits(65).is_err());
    let layout = Layout::new(&[20, 20, 20, 20, 20]).expect("a box");
    let limits = Limits::of_memory(1000);
    let game = shrinking(5, 2);
    let met = sweep(
        &game,
        &layout,
        Start::default(),
        &limits,
        &mut Collected::default(),
    );
    assert!(matches!(met, Err(LimitExceeded::Memory { .. })));
}
