//! The outcomes of a box by the enumeration engine, by the engine that is chosen for
//! the rule, and by a loop written for the game.
//!
//! `cargo bench --bench enumeration` prints the throughput in positions per second.
//! Compare the ratios within one run, not the rates of different runs.

use nimrule_engine::{self as engine, Limits, Query, Question, Solver};
use nimrule_fixtures::shipped;
use nimrule_model::game::{Convention, Game};
use std::hint::black_box;
use std::time::Instant;

/// Counts P-positions with an engine.
fn with_engine(solver: &Solver<'_>, most: &[u64], engine: Option<&str>) -> u64 {
    let asked = Query {
        question: Question::Outcome,
        convention: Convention::Normal,
    };
    let limits = Limits::of_memory(4 << 30);
    engine::fill(solver, most, asked, &limits, engine)
        .expect("the box fits")
        .counts()
        .1
}

/// Heaps below which two may be lowered together, any amounts: the loop for
/// CE and CN(6,2).
fn pairs_by_hand(pairs: &[(usize, usize)], most: usize) -> u64 {
    const HEAPS: usize = 6;
    let side = most + 1;
    let mut strides = [1; HEAPS];
    for heap in (0..HEAPS - 1).rev() {
        strides[heap] = strides[heap + 1] * side;
    }
    let len = side.pow(HEAPS as u32);
    let mut is_p = vec![false; len];
    let mut position = [0_usize; HEAPS];
    let mut count = 0;
    for place in 0..len {
        let mut wins = false;
        'pairs: for &(a, b) in pairs {
            for x in 0..=position[a] {
                let base = place - x * strides[a];
                for y in usize::from(x == 0)..=position[b] {
                    if is_p[base - y * strides[b]] {
                        wins = true;
                        break 'pairs;
                    }
                }
            }
        }
        is_p[place] = !wins;
        count += u64::from(!wins);
        for heap in (0..HEAPS).rev() {
            if position[heap] < most {
                position[heap] += 1;
                break;
            }
            position[heap] = 0;
        }
    }
    count
}

fn trim_by_hand(most: usize) -> u64 {
    const PILES: usize = 4;
    let side = most + 1;
    let strides = [side * side * side, side * side, side, 1];
    let len = side.pow(PILES as u32);
    let mut is_p = vec![false; len];
    let mut position = [0_usize; PILES];
    let mut count = 0;
    for place in 0..len {
        let mut wins = false;
        'moves: for i in 0..PILES {
            for t in 1..=position[i] {
                let after = place - t * strides[i];
                if is_p[after] {
                    wins = true;
                    break 'moves;
                }
                position[i] -= t;
                for j in 0..PILES {
                    let mut u = 1;
                    while u <= position[j] {
                        if 2 * u > t && is_p[after - u * strides[j]] {
                            wins = true;
                            position[i] += t;
                            break 'moves;
                        }
                        u *= 3;
                    }
                }
                position[i] += t;
            }
        }
        is_p[place] = !wins;
        count += u64::from(!wins);
        for pile in (0..PILES).rev() {
            if position[pile] < most {
                position[pile] += 1;
                break;
            }
            position[pile] = 0;
        }
    }
    count
}

fn wythoff_by_hand(most: usize) -> u64 {
    let side = most + 1;
    let mut is_p = vec![false; side * side];
    let mut count = 0;
    for a in 0..side {
        for b in 0..side {
            let place = a * side + b;
            let wins = (1..=a).any(|x| is_p[place - x * side])
                || (1..=b).any(|y| is_p[place - y])
                || (1..=a.min(b)).any(|z| is_p[place - z * (side + 1)]);
            is_p[place] = !wins;
            count += u64::from(!wins);
        }
    }
    count
}

/// Prints the throughput of one program, the best of ten runs.
fn report(title: &str, program: &str, positions: u64, run: impl Fn() -> u64) {
    let fastest = (0..10)
        .map(|_| {
            let begun = Instant::now();
            black_box(run());
            begun.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    let rate = positions as f64 / fastest / 1e6;
    println!("{title:10} {program:8} {rate:10.2} million positions per second");
}

fn compare(title: &str, game: &Game, most: u64, by_hand: impl Fn() -> u64) {
    let solver = Solver::new(game);
    let sizes = vec![most; game.heap_count()];
    let positions = (most + 1).pow(game.heap_count() as u32);
    let expected = by_hand();
    report(title, "by hand", positions, by_hand);
    for engine in [Some("table"), None] {
        assert_eq!(with_engine(&solver, &sizes, engine), expected, "{title}");
        let name = engine.unwrap_or("chosen");
        report(title, name, positions, || {
            with_engine(&solver, &sizes, engine)
        });
    }
}

fn main() {
    // Faces a b c A B C: two share an edge unless they are opposite.
    let edges: Vec<(usize, usize)> = (0..6)
        .flat_map(|a| (a + 1..6).map(move |b| (a, b)))
        .filter(|(a, b)| a + 3 != *b)
        .collect();
    let around: Vec<(usize, usize)> = (0..6).map(|a| (a, (a + 1) % 6)).collect();
    compare("CE", &shipped("cube_edge", &[]), 7, || {
        pairs_by_hand(&edges, 7)
    });
    let circle = shipped("circular_nim", &[("n", 6), ("k", 2)]);
    compare("CN(6,2)", &circle, 7, || pairs_by_hand(&around, 7));
    compare("Trim", &shipped("trim", &[]), 22, || trim_by_hand(22));
    compare("Wythoff", &shipped("wythoff", &[]), 500, || {
        wythoff_by_hand(500)
    });
}
