//! A box that is swept in columns has the same statistics and claims as one that is swept at
//! once, also if it is interrupted.

use crate::row_sweeps::CLAIMS;
use nimrule_claim::{self as claim, Check, ClaimStatus};
use nimrule_engine::{
    self as engine, ColumnStore, Columns, Limits, Pipeline, Query, Question, Region, Shape,
    SolveError, Solver, Statistics, Visitor,
};
use nimrule_fixtures::{Numbers, few_or_many, game};
use nimrule_kernels::columns::{ColumnSizes, Faces, FacesInMemory};
use nimrule_limits::checkpoint;
use nimrule_model::game::{Convention, Game, Statement};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// The number of slabs of a column that are done, and the states of the visitors.
type Saved = (usize, Vec<Vec<u8>>);

/// Columns in memory. A save fails where `fails_after` reaches 0, and nothing is saved
/// then.
struct Store {
    faces: FacesInMemory,
    saved: RefCell<BTreeMap<usize, Saved>>,
    fails_after: Cell<u32>,
    /// The numbers of columns and slabs.
    columns: Cell<usize>,
    slabs: Cell<usize>,
}

impl ColumnStore for Store {
    fn faces(&self, column: usize) -> Box<dyn Faces + '_> {
        Box::new(self.faces.of_column(column, &|_| true))
    }

    fn done(&self, column: usize) -> usize {
        self.saved
            .borrow()
            .get(&column)
            .map_or(0, |(done, _)| *done)
    }

    fn claim(&self) -> Result<Option<usize>, SolveError> {
        let slabs = self.slabs.get();
        Ok((0..self.columns.get()).find(|column| self.done(*column) < slabs))
    }

    fn add(&self, column: usize, visitors: &mut [&mut dyn Visitor]) -> Result<(), SolveError> {
        if let Some((_, states)) = self.saved.borrow().get(&column) {
            assert_eq!(states.len(), visitors.len());
            for (visitor, state) in visitors.iter_mut().zip(states) {
                checkpoint::read_state(state, |from| visitor.add(from)).expect("it was saved");
            }
        }
        Ok(())
    }

    fn save(
        &self,
        column: usize,
        done: usize,
        visitors: &[&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        let states = visitors
            .iter()
            .map(|visitor| checkpoint::state_of(&**visitor));
        let states = states.collect();
        self.saved.borrow_mut().insert(column, (done, states));
        let left = self.fails_after.get();
        self.fails_after.set(left.wrapping_sub(1));
        match left {
            0 => Err(SolveError::Stopped),
            _ => Ok(()),
        }
    }

    fn take_failure(&self) -> Option<SolveError> {
        None
    }
}

/// Positions, P-positions, orbits, the smallest P-positions, and the claims.
type Solved = (u64, u64, u64, Vec<(u128, Vec<u64>)>, Vec<ClaimStatus>);

/// Solves a box with all these claims; in columns if a store is given.
fn solved(
    (solver, statements, threads): (&Solver<'_>, &[&Statement], usize),
    region: &Region,
    query: Query,
    columns: Option<(usize, &Store)>,
) -> Result<Solved, SolveError> {
    let limits = limits(threads);
    let mut statistics = Statistics::new(solver.game, true, &limits);
    let mut checks: Vec<Check<'_>> = statements
        .iter()
        .map(|statement| Check::new(solver, statement, &limits))
        .collect();
    let mut visitors: Vec<&mut dyn Visitor> = Vec::new();
    // There are none of values.
    if query.question == Question::Outcome {
        visitors.push(&mut statistics);
    }
    visitors.extend(checks.iter_mut().map(|check| check as &mut dyn Visitor));
    match columns {
        None => engine::sweep(solver, region, query, &limits, None, &mut visitors)?,
        Some((width, store)) => {
            let divided = engine::column_engine(solver, region, query, &limits, None)?;
            let (mut rows, sizes) = divided.expect("it has heaps enough");
            rows.plan.layout.words_to_split = 1;
            let columns = match width {
                // Of unequal widths.
                0 => Columns::fastest(
                    sizes,
                    &pipeline(2, 1.0),
                    |count| sizes.strips.div_ceil(count) + 1,
                    |_, _| 4,
                ),
                width => Some(Columns::of_width(sizes, width.min(sizes.strips))),
            };
            let columns = columns.expect("some fit");
            store.columns.set(columns.count());
            store.slabs.set(sizes.slabs);
            let whole = (&rows, &columns);
            engine::sweep_columns(solver, whole, query, &limits, &mut visitors, store)?
        }
    };
    let statuses = checks.into_iter().map(|check| check.status(region));
    let statuses = statuses.collect();
    Ok((
        statistics.positions,
        statistics.p_positions,
        statistics.orbits,
        statistics.smallest,
        statuses,
    ))
}

fn limits(threads: usize) -> Limits {
    Limits {
        threads,
        ..Limits::of_memory(1 << 30)
    }
}

/// What was compared: the engine, whether with values, and the convention.
type Compared = BTreeSet<(&'static str, bool, &'static str)>;

fn compare(
    game: &Game,
    most: &[u64],
    (width, threads): (usize, usize),
    compared: &mut Compared,
) -> u32 {
    let solver = Solver::new(game);
    let region = Region::Box(Shape::new(most).expect("a small box"));
    let limits = limits(threads);
    let mut interruptions = 0;
    let conventions = [Convention::Normal, Convention::Misere];
    let queries = [Question::Outcome, Question::Grundy].map(|question| {
        conventions.map(|convention| Query {
            question,
            convention,
        })
    });
    for query in queries.into_iter().flatten() {
        let Ok(Ok((rows, _))) = engine::column_engine(&solver, &region, query, &limits, None)
        else {
            continue;
        };
        // All claims are checked under both conventions, so that some fail.
        let statements: Vec<&Statement> = game
            .claims
            .iter()
            .filter(|claim| claim::asked(claim).question == query.question)
            .filter_map(|claim| claim.statement.as_ref())
            .collect();
        if statements.is_empty() {
            continue;
        }
        let of_values = query.question == Question::Grundy;
        compared.insert((rows.engine.name(), of_values, query.convention.word()));
        let what = (&solver, &statements[..], threads);
        let whole = solved(what, &region, query, None).expect("the limits are wide");
        let store = Store {
            faces: FacesInMemory::default(),
            saved: RefCell::default(),
            fails_after: Cell::new(width as u32 % 3),
            columns: Cell::new(0),
            slabs: Cell::new(0),
        };
        let divided = loop {
            match solved(what, &region, query, Some((width, &store))) {
                Err(SolveError::Stopped) => {
                    interruptions += 1;
                    store.fails_after.set(width as u32 % 3);
                }
                divided => break divided.expect("the limits are wide"),
            }
        };
        let all = format!("{} in {most:?}, columns of {width}", game.name);
        assert!(divided == whole, "{all}:\n{divided:?}\n{whole:?}");
    }
    interruptions
}

#[test]
fn columns_have_the_statistics_and_claims_of_the_box() {
    let cube = game(&format!(
        "game cube\nboard cube\nheaps on faces as a b c A B C\nmove take from one edge\n{CLAIMS}"
    ));
    let circle = game(
        "game circle\nboard circle(6) shrinking\nmove take from up to 2 consecutive heaps\n\
         claim P iff xor(heaps) == 0\nclaim P only if like (a,b,a,b) or max(heaps) == 0\n",
    );
    let seven = game(
        "game seven\nheaps a b c d e f g\nmove take from up to 3 heaps\n\
         claim P iff max(heaps) == 0\nclaim P if a == b == c == d == e == f == g\n",
    );
    let four = game(
        "game four\nheaps a b c d\nmove take from up to 3 heaps\n\
         claim P iff a == b and b == c and c == d\nclaim grundy == a ^ b ^ c ^ d\n\
         claim grundy == min(a + b, c + d)\n",
    );
    let vectors = game(
        "game vectors\nheaps a b c d\nmove take equal from exactly 2 heaps\n\
         move take 1..3 from one heap\n\
         claim P iff a == b and c == d\nclaim P only if a ^ b ^ c ^ d == 0 or max(heaps) > 4\n\
         claim grundy == a + b + c + d\nclaim grundy == (a ^ b ^ c ^ d) mod 4\n",
    );
    // No vector fits the box.
    let far = game(
        "game far\nheaps a b c d\nmove take 9 from a then take 8 from b\n\
         claim P iff a == b\nclaim grundy == 0\n",
    );
    let sums = game(
        "game sums\nheaps a b c d e\nmove take {2,5} from a\nmove take {1,4,7} from b\n\
         move take {1,2} from c\nmove take {1,2} from d\nmove take {1,2} from e\n\
         claim P iff (a ^ b ^ c) mod 3 == 0\nclaim grundy == a mod 2 + b mod 2\n",
    );
    let (mut interruptions, mut compared) = (0, Compared::new());
    let boxes = [
        (&four, &[5, 5, 5, 5][..], 2),
        (&four, &[9, 4, 0, 33], 1),
        (&far, &[3, 2, 3, 2], 1),
        (&vectors, &[6, 5, 4, 3], 1),
        (&vectors, &[20, 7, 3, 40], 3),
        (&sums, &[17, 9, 2, 3, 3], 2),
        (&sums, &[21, 8, 1, 1, 70], 1),
        // The first heaps are interchangeable.
        (&cube, &[4, 4, 4, 4, 4, 4], 1),
        (&cube, &[4, 4, 4, 4, 4, 4], 2),
        (&cube, &[3, 3, 3, 3, 3, 3], 9),
        (&cube, &[6, 6, 6, 6, 6, 6], 0),
        (&cube, &[19, 3, 2, 19, 2, 3], 2),
        (&cube, &[2, 5, 1, 2, 33, 3], 3),
        (&circle, &[3, 3, 3, 3, 3, 3], 2),
        (&circle, &[2, 3, 20, 1, 4, 3], 1),
        (&circle, &[4, 5, 4, 3, 2, 3], 0),
        (&seven, &[2, 2, 2, 2, 2, 2, 2], 1),
        (&seven, &[1, 18, 18, 1, 2, 1, 1], 4),
    ];
    for (number, (game, most, width)) in boxes.into_iter().enumerate() {
        for threads in [1, 3].into_iter().skip(number % few_or_many(2, 1)) {
            interruptions += compare(game, most, (width, threads), &mut compared);
        }
    }
    let (normal, misere) = ("normal", "misere");
    let mut all = Compared::from([("nim-sum", false, normal), ("nim-sum", true, normal)]);
    for engine in ["hypergraph", "vectors"] {
        for of_values in [false, true] {
            all.extend([normal, misere].map(|convention| (engine, of_values, convention)));
        }
    }
    assert_eq!(compared, all);
    assert!(interruptions > 40, "{interruptions}");
}

/// A random rule of one of the engines that divide boxes, with claims of which most fail.
fn random_game(numbers: &mut Numbers) -> String {
    let heaps = 3 + numbers.below(5);
    let names = &"abcdefg"[..heaps];
    let each: Vec<String> = names.chars().map(String::from).collect();
    let heap = |numbers: &mut Numbers| numbers.pick(&each).clone();
    let mut moves: Vec<String> = Vec::new();
    match numbers.below(4) {
        // Hypergraph Nim.
        0 | 1 => {
            moves.push("take from one heap".to_owned());
            for _ in 0..1 + numbers.below(3) {
                let mut set: Vec<&str> = each.iter().map(String::as_str).collect();
                let size = 2 + numbers.below(heaps.min(4) - 1);
                while set.len() > size {
                    set.remove(numbers.below(set.len()));
                }
                moves.push(format!("take from one of {{{}}}", set.join(" ")));
            }
        }
        // Vectors.
        2 => {
            let k = 2 + numbers.below(heaps - 1);
            moves.push(format!("take 1..{} from one heap", 1 + numbers.below(4)));
            moves.push(match numbers.once_in(2) {
                true => format!("take equal from exactly {k} heaps"),
                false => format!("take slow from up to {} heaps", k.min(3)),
            });
            moves.push(format!(
                "take {} from {}",
                1 + numbers.below(6),
                heap(numbers)
            ));
        }
        // A nim-sum.
        _ => {
            for name in &each {
                let (least, most) = (1 + numbers.below(3), 4 + numbers.below(5));
                moves.push(format!("take {{1,{},{most}}} from {name}", least + 1));
            }
        }
    }
    let moves: Vec<String> = moves.iter().map(|one| format!("move {one}\n")).collect();
    let (one, other) = (heap(numbers), heap(numbers));
    format!(
        "game random\nheaps {}\n{}claim P if sum(heaps) == 0\nclaim P iff {one} == {other}\n\
         claim P only if xor(heaps) == 0\nclaim grundy == xor(heaps)\n\
         claim grundy == {one} + {}\n",
        each.join(" "),
        moves.concat(),
        numbers.below(3),
    )
}

/// Random rules and boxes, in columns of all widths, with one thread or several.
#[test]
fn random_boxes_are_the_same_in_columns() {
    let mut numbers = Numbers::new(1992);
    let (mut interruptions, mut compared, mut boxes) = (0, Compared::new(), 0);
    let wanted = few_or_many(24, 200);
    while boxes < wanted {
        let game = game(&random_game(&mut numbers));
        let heaps = game.heap_count();
        let room = [14, 14, 14, 9, 5, 3, 2, 2][heaps];
        let most: Vec<u64> = (0..heaps).map(|_| numbers.below(room + 1)).collect();
        let before = compared.len();
        let (width, threads) = (numbers.below(6), 1 + numbers.below(3));
        let times = compare(&game, &most, (width, threads), &mut compared);
        interruptions += times;
        boxes += usize::from(times > 0 || compared.len() > before);
    }
    assert!(compared.len() > 8, "{compared:?}");
    assert!(interruptions as usize > wanted / 4, "{interruptions}");
}

fn pipeline(processes: usize, face: f64) -> Pipeline {
    Pipeline {
        processes,
        face,
        keeps_faces: true,
    }
}

#[test]
fn two_processes_are_nearly_twice_as_fast_as_one() {
    const FACE: f64 = 1.0;
    for strips in [64, 128, 256] {
        let sizes = ColumnSizes {
            strips,
            slabs: strips,
            page: 1,
            back: 0,
            thread: 1,
            most_threads: usize::MAX,
            face: 1,
            is_mirrored: true,
        };
        let speedup = |columns: &Columns| {
            let at_once = Columns::of_width(sizes, strips).makespan(&pipeline(1, 0.0), 1);
            at_once / columns.makespan(&pipeline(2, FACE), strips)
        };
        let of_room = |room| {
            let fastest = Columns::fastest(sizes, &pipeline(2, FACE), |_| strips, |_, _| room);
            fastest.expect("some fit")
        };
        let fastest = of_room(strips);
        assert!(speedup(&fastest) > 1.83, "{strips}: {fastest:?}");
        let equal = (1..strips).map(|width| speedup(&Columns::of_width(sizes, width)));
        assert!(equal.fold(0.0, f64::max) < speedup(&fastest) - 0.1);
        // Where little memory is, columns are narrow; and of one strip at least.
        let narrow =
            Columns::fastest(sizes, &pipeline(2, FACE), |_| 5, |_, _| strips).expect("some fit");
        assert!((4..=5).contains(&narrow.widest()), "{narrow:?}");
        let none = Columns::fastest(sizes, &pipeline(2, FACE), |_| 0, |_, _| strips);
        assert_eq!(none, None);
        // Where a process soon waits for the next one, other columns are faster.
        let waiting = |columns: &Columns| columns.makespan(&pipeline(2, FACE), 4);
        assert!(waiting(&fastest) > fastest.makespan(&pipeline(2, FACE), strips));
        assert!(waiting(&of_room(4)) < waiting(&fastest));
        // Each column begins where the one before it ends.
        let strips_of = |column| narrow.strips(column);
        let all: Vec<usize> = (0..narrow.count()).flat_map(strips_of).collect();
        assert!(all.into_iter().eq(0..strips));
    }
}
