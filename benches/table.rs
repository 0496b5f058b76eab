//! The table of the book's page on speed. Each row is one task, solved by the engine
//! chosen for the rule file, by a loop over the definition and, for some tasks, by a
//! sieve.
//!
//! `cargo bench --bench table` prints it; an argument after `--` selects the rows whose
//! names contain it. The programs by hand are slow and solve a smaller box; the table
//! compares rates, in positions per second, the best of three runs.

mod by_hand;

use by_hand::rules::Asks;
use nimrule_engine::{
    self as engine, Limits, Query, Question, Region, Request, Shape, SolveError, Solver, Table,
    TableValues, Visitor,
};
use nimrule_fixtures::{game, shipped};
use nimrule_kernels::{self, Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::{Convention, Game};
use nimrule_relation::{Reverse, Terminal, retrograde};
use std::convert::Infallible;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

fn circle(name: &str, n: i64, k: i64) -> Game {
    shipped(name, &[("n", n), ("k", k)])
}

/// Counts P-positions.
#[derive(Default)]
struct Count {
    found: u64,
    parts: Vec<Count>,
    /// Whether it needs the rows in lexicographic order.
    in_order: bool,
}

impl Sink<SolveError> for Count {
    fn rows(&mut self, _: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        self.found += rows.p_positions();
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        !self.in_order
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<SolveError> + Send + '_>> {
        self.parts.resize_with(count, Count::default);
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        self.found += self.parts.drain(..).map(|part| part.found).sum::<u64>();
    }
}

impl Visitor for Count {
    fn clear(&mut self) {
        self.found = 0;
    }

    fn add(&mut self, _: &mut Reader<'_>) -> Result<(), CheckpointError> {
        unreachable!("a bench has no checkpoints");
    }

    fn table(&mut self, table: &Table) -> Result<(), SolveError> {
        self.found = table.counts().1;
        Ok(())
    }
}

static LIMITS: Limits = Limits::of_memory(8 << 30);

/// A bench has no checkpoints.
impl Resumable for Count {
    fn save(&self, _: &mut Writer<'_>) {}

    fn restore(&mut self, _: &mut Reader<'_>) -> Result<(), CheckpointError> {
        Ok(())
    }
}

fn asked(question: Question) -> Query {
    Query {
        question,
        convention: Convention::Normal,
    }
}

/// The number of P-positions of a box, by the engine that is chosen.
fn outcomes(game: &Game, most: u64) -> u64 {
    outcomes_on(1, game, most)
}

/// [`outcomes`] on a number of threads.
fn outcomes_on(threads: usize, game: &Game, most: u64) -> u64 {
    let limits = Limits {
        threads,
        ..LIMITS.clone()
    };
    counted(&limits, game, most, Convention::Normal, false)
}

/// The number of P-positions of a box, whose rows may be needed in lexicographic order.
fn counted(limits: &Limits, game: &Game, most: u64, convention: Convention, in_order: bool) -> u64 {
    let solver = Solver::new(game);
    let region = Region::Box(Shape::new(&vec![most; game.heap_count()]).expect("it fits"));
    let mut count = Count {
        in_order,
        ..Count::default()
    };
    let asked = Query {
        question: Question::Outcome,
        convention,
    };
    engine::sweep(&solver, &region, asked, limits, None, &mut [&mut count]).expect("within limits");
    count.found
}

/// The largest Grundy value of a box.
fn values(game: &Game, most: u64) -> u64 {
    let solver = Solver::new(game);
    let sizes = vec![most; game.heap_count()];
    let asked = asked(Question::Grundy);
    let table = engine::fill(&solver, &sizes, asked, &LIMITS, None).expect("within limits");
    let TableValues::Grundy(values) = table.values() else {
        unreachable!("values were asked for");
    };
    // No rule here excludes positions.
    values.iter().fold(0, |most, value| most.max(*value)).into()
}

/// The processor time of this thread in seconds, which other processes do not add to.
#[cfg(unix)]
fn processor_seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(not(unix))]
fn processor_seconds() -> f64 {
    use std::sync::LazyLock;
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed().as_secs_f64()
}

/// The least processor time that each of these takes on this thread, in turns: what
/// else the machine does slows them alike.
fn seconds_in_turns(runs: &[&dyn Fn()]) -> Vec<f64> {
    in_turns(processor_seconds, runs)
}

/// The least time that each of these takes by a clock, in turns: the fastest of three
/// runs or more, or one that takes long.
fn in_turns(clock: fn() -> f64, runs: &[&dyn Fn()]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; runs.len()];
    let began = Instant::now();
    for turn in 0..9 {
        if turn >= 3 && began.elapsed().as_secs_f64() > 1.0 {
            break;
        }
        for (run, best) in runs.iter().zip(&mut best) {
            // Long runs are even enough.
            if turn == 0 || *best <= 3.0 {
                let started = clock();
                run();
                *best = best.min(clock() - started);
            }
        }
    }
    best
}

fn seconds(run: impl Fn()) -> f64 {
    seconds_in_turns(&[&run])[0]
}

fn positions(heaps: usize, most: u64) -> f64 {
    ((most + 1) as f64).powi(heaps as i32)
}

struct Work {
    chosen: Vec<String>,
}

impl Work {
    fn wants(&self, name: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|word| name.contains(word.as_str()))
    }

    /// A row: the engine's rate on a box, and the rates of what is written by
    /// hand on a smaller one, which both must agree on.
    fn row(
        &self,
        name: &str,
        game: &Game,
        most: u64,
        solve: &dyn Fn(&Game, u64) -> u64,
        small: u64,
        by_hand: &[(&str, &dyn Fn(usize) -> u64)],
    ) {
        if !self.wants(name) {
            return;
        }
        let heaps = game.heap_count();
        let expected = solve(game, small);
        let ours = || {
            black_box(solve(game, most));
        };
        let mut theirs: Vec<Box<dyn Fn()>> = Vec::new();
        for (other, run) in by_hand {
            assert_eq!(run(small as usize), expected, "{name} by the {other}");
            theirs.push(Box::new(move || {
                black_box(run(small as usize));
            }));
        }
        let mut runs: Vec<&dyn Fn()> = vec![&ours];
        runs.extend(theirs.iter().map(AsRef::as_ref));
        let took = seconds_in_turns(&runs);
        let rate = positions(heaps, most) / took[0];
        print!("{name:<26} {rate:>9.2e}");
        for ((other, _), took) in by_hand.iter().zip(&took[1..]) {
            let theirs = positions(heaps, small) / took;
            print!(
                "   {other} {theirs:>8.2e}  x {:<8.*}",
                if rate < 100.0 * theirs { 2 } else { 0 },
                rate / theirs
            );
        }
        println!();
    }
}

fn main() {
    let chosen = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let work = Work {
        chosen: chosen.collect(),
    };
    let pairs: Vec<Vec<usize>> = (0..6)
        .flat_map(|a| (a + 1..6).map(move |b| vec![a, b]))
        .filter(|pair| pair[0] + 3 != pair[1])
        .collect();
    let corners: Vec<Vec<usize>> = (0..8)
        .map(|corner| (0..3).map(|axis| axis + 3 * (corner >> axis & 1)).collect())
        .collect();
    let around = |n: usize| -> Vec<Vec<usize>> { (0..n).map(|i| vec![i, (i + 1) % n]).collect() };
    let (six, five) = (around(6), around(5));
    println!("{:<26} {:>9}   by hand", "positions a second", "nimrule");
    let cube_edge = shipped("cube_edge", &[]);
    work.row(
        "CE to 31",
        &cube_edge,
        31,
        &outcomes,
        15,
        &[
            ("loop", &|most| {
                by_hand::loop_over_options::<6>(&pairs, most)
            }),
            ("sieve", &|most| by_hand::sieve::<6>(&pairs, most)),
        ],
    );
    work.row(
        "CE to 63",
        &cube_edge,
        63,
        &outcomes,
        15,
        &[("sieve", &|most| by_hand::sieve::<6>(&pairs, most))],
    );
    work.row(
        "CV to 31",
        &shipped("cube_vertex", &[]),
        31,
        &outcomes,
        11,
        &[
            ("loop", &|most| {
                by_hand::loop_over_options::<6>(&corners, most)
            }),
            ("sieve", &|most| by_hand::sieve::<6>(&corners, most)),
        ],
    );
    work.row(
        "CN(6,2) to 31",
        &circle("circular_nim", 6, 2),
        31,
        &outcomes,
        15,
        &[
            ("loop", &|most| by_hand::loop_over_options::<6>(&six, most)),
            ("sieve", &|most| by_hand::sieve::<6>(&six, most)),
        ],
    );
    let cn52 = circle("circular_nim", 5, 2);
    work.row(
        "CN(5,2) to 63",
        &cn52,
        63,
        &outcomes,
        20,
        &[
            ("loop", &|most| by_hand::loop_over_options::<5>(&five, most)),
            ("sieve", &|most| by_hand::sieve::<5>(&five, most)),
        ],
    );
    for k in [3, 4] {
        let name = format!("SCN(6,{k}) to 31");
        let game = circle("shrinking_circular_nim", 6, k);
        work.row(
            &name,
            &game,
            31,
            &outcomes,
            7,
            &[
                ("loop", &|most| by_hand::shrinking::<6>(k as usize, most)),
                ("sieve", &|most| {
                    by_hand::shrinking_sieve::<6>(k as usize, most)
                }),
            ],
        );
    }
    work.row(
        "slow CE to 31",
        &shipped("cube_edge_slow", &[]),
        31,
        &outcomes,
        15,
        &[
            ("loop", &|most| by_hand::slow::<6>(&pairs, most)),
            ("sieve", &|most| by_hand::slow_sieve::<6>(&pairs, most)),
        ],
    );
    work.row(
        "Trim, 4 piles, to 80",
        &shipped("trim", &[]),
        80,
        &outcomes,
        40,
        &[("loop", &by_hand::trim), ("sieve", &by_hand::trim_sieve)],
    );
    work.row(
        "Wythoff to 10000",
        &shipped("wythoff", &[]),
        10_000,
        &outcomes,
        1000,
        &[
            ("loop", &by_hand::wythoff),
            ("sieve", &by_hand::wythoff_sieve),
        ],
    );
    work.row(
        "CE values to 15",
        &cube_edge,
        15,
        &values,
        7,
        &[("loop", &|most| by_hand::values::<6>(&pairs, most))],
    );
    work.row(
        "CN(5,2) values to 31",
        &cn52,
        31,
        &values,
        11,
        &[("loop", &|most| by_hand::values::<5>(&five, most))],
    );
    compiled_in(&work, &cube_edge, &circle("circular_nim", 6, 2), &cn52);
    rules_in_words(&work);
    two_threads(&work, "CE to 31, two threads", &cube_edge, 31);
    two_threads(&work, "CE to 63, two threads", &cube_edge, 63);
    let scn = circle("shrinking_circular_nim", 6, 3);
    two_threads(&work, "SCN(6,3), two threads", &scn, 31);
    one_position(&work, &cube_edge);
    sequences(&work);
    relations(&work);
    specialists(&work);
}

/// A task for the kernel of hypergraph Nim and for the same kernel with the game
/// compiled in.
struct Compiled<'g> {
    name: &'static str,
    game: &'g Game,
    most: u64,
    conventions: &'static [Convention],
    in_order: bool,
    /// The number of P-positions, under misere play if so.
    by_hand: fn(bool) -> u64,
}

/// The kernel of hypergraph Nim, and the same kernel with one game compiled in, which
/// is given the same box and counts the same rows.
fn compiled_in(work: &Work, cube_edge: &Game, cn62: &Game, cn52: &Game) {
    use by_hand::compiled as kernel;
    let task = |name, game, most, by_hand| Compiled {
        name,
        game,
        most,
        conventions: &[Convention::Normal],
        in_order: false,
        by_hand,
    };
    let ce_63 = |misere| kernel::ce_63::count(misere, true);
    let tasks = [
        task("kernel, CE to 31", cube_edge, 31, |misere| {
            kernel::ce_31::count(misere, true)
        }),
        Compiled {
            in_order: true,
            ..task("kernel, CE to 31 in order", cube_edge, 31, |misere| {
                kernel::ce_31_in_order::count(misere, false)
            })
        },
        task("kernel, CN(6,2) to 31", cn62, 31, |misere| {
            kernel::cn62_31::count(misere, false)
        }),
        task("kernel, CN(5,2) to 63", cn52, 63, |misere| {
            kernel::cn52_63::count(misere, false)
        }),
        task("kernel, CE to 63", cube_edge, 63, ce_63),
        Compiled {
            conventions: &[Convention::Normal, Convention::Misere],
            ..task("kernel, CE to 63, both plays", cube_edge, 63, ce_63)
        },
    ];
    for task in tasks {
        let Compiled {
            name,
            game,
            most,
            conventions,
            in_order,
            by_hand,
        } = task;
        if !work.wants(name) {
            continue;
        }
        let limits = Limits {
            threads: 1,
            ..LIMITS.clone()
        };
        let generic = |convention| counted(&limits, game, most, convention, in_order);
        let by_hand = |convention| by_hand(convention == Convention::Misere);
        let all = |solve: &dyn Fn(Convention) -> u64| -> u64 {
            conventions
                .iter()
                .map(|convention| solve(*convention))
                .sum()
        };
        assert_eq!(all(&generic), all(&by_hand), "{name}");
        let took = seconds_in_turns(&[
            &|| {
                black_box(all(&generic));
            },
            &|| {
                black_box(all(&by_hand));
            },
        ]);
        let positions = conventions.len() as f64 * positions(game.heap_count(), most);
        println!(
            "{name:<28} {:>9.2e}   compiled in {:>9.2e}  x {:.2}",
            positions / took[0],
            positions / took[1],
            took[0] / took[1],
        );
    }
}

/// Rules that none of the fast classes holds, each beside its loop, which is
/// given the same box.
fn rules_in_words(work: &Work) {
    for rule in &by_hand::rules::RULES {
        if !work.wants(rule.name) {
            continue;
        }
        let game = game(rule.text);
        let asked = Query {
            question: match rule.asks {
                Asks::Values => Question::Grundy,
                Asks::Outcomes | Asks::Misere => Question::Outcome,
            },
            convention: match rule.asks {
                Asks::Misere => Convention::Misere,
                Asks::Outcomes | Asks::Values => Convention::Normal,
            },
        };
        let solve = |game: &Game, most: u64| {
            let solver = Solver::new(game);
            let sizes = vec![most; game.heap_count()];
            let table = engine::fill(&solver, &sizes, asked, &LIMITS, None).expect("it fits");
            assert_eq!(table.engine(), "table", "{}", rule.name);
            match asked.question {
                Question::Outcome => table.counts().1,
                Question::Grundy => (0..table.region().count())
                    .filter_map(|place| table.grundy(place))
                    .sum(),
            }
        };
        let most = rule.most as u64;
        let by_hand = [("loop", &rule.by_hand as &dyn Fn(usize) -> u64)];
        work.row(rule.name, &game, most, &solve, most, &by_hand);
    }
}

/// Two threads beside one.
fn two_threads(work: &Work, name: &str, game: &Game, most: u64) {
    if !work.wants(name) {
        return;
    }
    assert_eq!(outcomes_on(2, game, 7), outcomes_on(1, game, 7), "{name}");
    let of = |threads| {
        let run = || {
            black_box(outcomes_on(threads, game, most));
        };
        seconds_by_the_clock(run)
    };
    let (one, two) = (of(1), of(2));
    let rate = positions(game.heap_count(), most) / two;
    println!("{name:<26} {rate:>9.2e}   one thread x {:.2}", one / two);
}

fn one_position(work: &Work, game: &Game) {
    let name = "one position of CE";
    if !work.wants(name) {
        return;
    }
    let solver = Solver::new(game);
    let position = [7, 9, 12, 3, 5, 30];
    let took = seconds(|| {
        let convention = Convention::Normal;
        let answer = engine::answer(
            &solver,
            &position,
            convention,
            Request::Outcome,
            &LIMITS,
            None,
        );
        black_box(answer.expect("within limits"));
    });
    println!("{name:<26} {:>7.2} ms", 1000.0 * took);
}

/// Random relations with cycles: an arc's time in nanoseconds for the lists of
/// predecessors, and for the labels; by hand both together, on a tenth of it.
fn relations(work: &Work) {
    let name = "10^8 arcs with cycles";
    if !work.wants(name) {
        return;
    }
    let random = |states| by_hand::relations::Random {
        states,
        arcs_of_a_state: 10,
    };
    let reversed = |of: by_hand::relations::Random| {
        let source = |state: u32, visit: &mut dyn FnMut(u32)| {
            of.show(state, visit);
            Ok::<(), Infallible>(())
        };
        Reverse::build(of.states as usize, source).expect("the arcs are counted in 32 bits")
    };
    let labels = |reverse: &Reverse| {
        let Ok(labels) = retrograde(reverse, Terminal::Loses, &mut || Ok::<(), Infallible>(()));
        labels
    };
    let small = random(1_000_000);
    let reverse = reversed(small);
    let counts = labels(&reverse).counts();
    let counts = [counts.won, counts.lost, counts.drawn];
    assert_eq!(counts, by_hand::relations::labels_by_hand(small), "{name}");
    let by_hand = seconds(|| {
        black_box(by_hand::relations::labels_by_hand(small));
    }) / reverse.arcs() as f64;

    let large = random(10_000_000);
    let reverse = reversed(large);
    let arcs = reverse.arcs() as f64;
    let listed = seconds(|| {
        black_box(reversed(large));
    }) / arcs;
    let labelled = seconds(|| {
        black_box(labels(&reverse));
    }) / arcs;
    println!(
        "{name:<26} {:>6.1} ns lists {:>6.1} ns labels   both by hand x {:.1}",
        1e9 * listed,
        1e9 * labelled,
        by_hand / (listed + labelled)
    );
}

/// What other programs are made for, beside those that are installed: start positions, the value
/// alone and with all winning moves; the values of octal games.
fn specialists(work: &Work) {
    let cram = |rows, columns| shipped("cram", &[("rows", rows), ("columns", columns)]);
    let chomp = |rows, _| shipped("chomp", &[("rows", rows)]);
    type Board = fn(i64, i64) -> Game;
    let boards: [(&str, Board, i64, i64); 6] = [
        ("cram", cram, 4, 7),
        ("cram", cram, 5, 6),
        ("cram", cram, 5, 7),
        ("chomp", chomp, 8, 8),
        ("chomp", chomp, 10, 10),
        ("chomp", chomp, 12, 12),
    ];
    for (family, board, rows, columns) in boards {
        let name = format!("{family} {rows} by {columns}");
        if !work.wants(&name) {
            continue;
        }
        let game = board(rows, columns);
        // A bar of chocolate has a heap for each row.
        let size = if family == "cram" { 1 } else { columns as u64 };
        let start = vec![size; game.heap_count()];
        // What one search found would serve the next.
        let value = seconds_by_the_clock(|| {
            let (solver, query) = (Solver::new(&game), asked(Question::Grundy));
            let chosen = engine::choose_for_one(&solver, &start, query, &LIMITS, None);
            let engine = chosen.expect("an engine can").engine;
            let mut lookup = engine
                .lookup(&solver, &start, query, &LIMITS)
                .expect("it is");
            black_box(lookup.value(&start).expect("within limits"));
        });
        let all = seconds_by_the_clock(|| {
            let (solver, convention) = (Solver::new(&game), Convention::Normal);
            let request = Request::Grundy;
            let answer = engine::answer(&solver, &start, convention, request, &LIMITS, None);
            black_box(answer.expect("within limits"));
        });
        let size = [rows, columns].map(|number| number.to_string());
        let theirs = seconds_of("igsolve", &[family, "-r", &size[0], "-c", &size[1]]);
        println!("{name:<26} value {value:>7.2} s  with moves {all:>7.2} s  igsolve {theirs}");
    }
    for (code, heaps) in [
        ("0.6", 1_000_000),
        ("0.007", 200_000),
        ("0.106", 1_000_000),
        ("0.16", 1_000_000),
    ] {
        let name = format!("octal {code} to {heaps}");
        if !work.wants(&name) {
            continue;
        }
        let game = game(&format!("game g heaps any number move octal \"{code}\""));
        let solver = Solver::new(&game);
        let own = seconds_by_the_clock(|| {
            let found = engine::heap_sequences::explored(&solver, heaps, &LIMITS);
            black_box(found.expect("within limits"));
        });
        let theirs = seconds_of("ogsolve", &["-m", "rc2", "-n", &heaps.to_string(), code]);
        println!("{name:<26} values {own:>6.2} s  ogsolve {theirs}");
    }
}

fn seconds_by_the_clock(run: impl Fn()) -> f64 {
    let clock = || {
        SystemTime::UNIX_EPOCH
            .elapsed()
            .map_or(0.0, |time| time.as_secs_f64())
    };
    in_turns(clock, &[&run])[0]
}

/// The time of another program, in words: `cargo install NAME` installs it.
fn seconds_of(program: &str, arguments: &[&str]) -> String {
    let run = || {
        Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .status()
    };
    match run() {
        Ok(status) if status.success() => {
            let took = seconds_by_the_clock(|| _ = run());
            format!("{took:.2} s")
        }
        Ok(_) => "failed".to_owned(),
        Err(_) => "is not installed".to_owned(),
    }
}

fn sequences(work: &Work) {
    let games = [
        ("Kayles to 10^6", "0.77", &[7, 7][..], 1_000_000),
        ("0.07 to 10^6", "0.07", &[0, 7][..], 1_000_000),
        ("0.16 to 10^6", "0.16", &[1, 6][..], 1_000_000),
    ];
    for (name, code, digits, heaps) in games {
        if !work.wants(name) {
            continue;
        }
        let game = game(&format!("game g heaps any number move octal \"{code}\""));
        let solver = Solver::new(&game);
        let explored =
            |to| engine::heap_sequences::explored(&solver, to, &LIMITS).expect("within limits");
        let took = seconds(|| {
            black_box(explored(heaps));
        });
        let small = 20_000;
        let sum = |found: &[nimrule_sequence::Sequence]| -> u64 {
            found[0].values[..=small]
                .iter()
                .map(|value| u64::from(*value))
                .sum()
        };
        assert_eq!(
            by_hand::octal(digits, small),
            sum(&explored(small as u64)),
            "{name}"
        );
        let by_hand = seconds(|| {
            black_box(by_hand::octal(digits, small));
        });
        // What is quadratic takes 2500 times as long for 50 times as many.
        let theirs = by_hand * (heaps as f64 / small as f64).powi(2);
        println!(
            "{name:<26} {took:>7.2} s    loop {theirs:>8.0} s  x {:<8.0}",
            theirs / took
        );
    }
}
