//! Circular Nim and Shrinking Circular Nim against reference lists and counts
//! of their P-positions, which another program made.

use nimrule_engine::{self as engine, Limits, Outcome, Query, Question, Shape, Solver, Table};
use nimrule_fixtures::{few_or_many, shipped};
use nimrule_model::game::Convention;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Boxes of at most so many positions are solved for the counts: to the bound 10 with
/// up to four heaps, and to 7, 5, 3 and 2 with five to eight; in the soak to 10 with
/// five, and to 7, 5 and 3 with six to eight.
fn positions() -> u128 {
    few_or_many(50_000, 300_000)
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/circular")
}

/// `CN` or `SCN`, the number of heaps, and how many neighbours a move selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Circle {
    shrinks: bool,
    n: usize,
    k: usize,
}

impl Circle {
    fn of(kind: &str, n: &str, k: &str) -> Circle {
        let number = |text: &str| text.parse().expect("a number");
        Circle {
            shrinks: match kind {
                "CN" => false,
                "SCN" => true,
                _ => panic!("`{kind}` is no kind of circle"),
            },
            n: number(n),
            k: number(k),
        }
    }

    /// The outcomes of all positions with heaps of at most `bound`.
    fn solved_to(self, bound: u64, engine: Option<&str>) -> Table {
        let name = if self.shrinks {
            "shrinking_circular_nim"
        } else {
            "circular_nim"
        };
        let game = shipped(name, &[("n", self.n as i64), ("k", self.k as i64)]);
        let solver = Solver::new(&game);
        let asked = Query {
            question: Question::Outcome,
            convention: Convention::Normal,
        };
        let limits = Limits::of_memory(1 << 30);
        engine::fill(&solver, &vec![bound; self.n], asked, &limits, engine)
            .expect("the box is small")
    }

    /// The P-positions that the reference speaks of, in order: where the
    /// circle shrinks, those in which every heap is left.
    fn p_positions(self, table: &Table) -> Vec<Vec<u64>> {
        table
            .entries(&[Outcome::P])
            .map(|entry| entry.position)
            .filter(|position| !self.shrinks || position.iter().all(|heap| *heap > 0))
            .collect()
    }
}

/// Is it the smallest of its rotations and reflections?
fn is_smallest(position: &[u64]) -> bool {
    let n = position.len();
    (0..n).all(|start| {
        let forwards: Vec<u64> = (0..n).map(|i| position[(start + i) % n]).collect();
        let backwards: Vec<u64> = (0..n).map(|i| position[(start + n - i) % n]).collect();
        position <= forwards.as_slice() && position <= backwards.as_slice()
    })
}

#[test]
fn every_list_is_reproduced_by_enumeration_and_by_a_fast_engine() {
    let mut lists = 0;
    for entry in std::fs::read_dir(reference().join("lists")).expect("the lists are there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name.expect("a name that is text");
        let parts: Vec<&str> = name.split('_').collect();
        let [kind, n, k, bound] = parts[..] else {
            panic!("`{name}` is no name of a list");
        };
        let bound = bound.strip_prefix('B').and_then(|b| b.parse().ok());
        let bound = bound.expect("a bound");

        let circle = Circle::of(kind, n, k);
        let expected = std::fs::read_to_string(&path).expect("the list can be read");
        // Enumeration takes long: its box may be smaller than that of the list.
        let small = (1..=bound).rfind(|b| Shape::count(&vec![*b; circle.n]) <= positions());
        let small = small.expect("a small box is within reach");
        for (engine, bound) in [("table", small), ("hypergraph", bound)] {
            let expected: String = expected
                .split_inclusive('\n')
                .filter(|line| {
                    let mut sizes = line.trim_end().split(',').map(str::parse::<u64>);
                    sizes.all(|size| size.expect("a number") <= bound)
                })
                .collect();
            let table = circle.solved_to(bound, Some(engine));
            let listed: String = circle
                .p_positions(&table)
                .iter()
                .filter(|position| is_smallest(position))
                .map(|position| {
                    let sizes: Vec<String> = position.iter().map(u64::to_string).collect();
                    sizes.join(",") + "\n"
                })
                .collect();
            assert_eq!(listed, expected, "{name} by {engine}");
        }
        lists += 1;
    }
    assert_eq!(lists, 16);
}

#[test]
fn every_count_within_reach_is_reproduced() {
    // For each circle: bound, how many up to symmetry, how many in all.
    let mut rows: BTreeMap<Circle, Vec<(u64, usize, usize)>> = BTreeMap::new();
    let text = std::fs::read_to_string(reference().join("counts.csv")).expect("the counts");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("kind,n,k,bound,canonical,raw"));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [kind, n, k, bound, canonical, raw] = fields[..] else {
            panic!("`{line}` has not six fields");
        };
        let number = |text: &str| text.parse().expect("a number");
        rows.entry(Circle::of(kind, n, k)).or_default().push((
            bound.parse().expect("a number"),
            number(canonical),
            number(raw),
        ));
    }
    assert_eq!(rows.len(), 50);
    for (circle, mut counts) in rows {
        counts.retain(|(bound, ..)| Shape::count(&vec![*bound; circle.n]) <= positions());
        let most = counts.iter().map(|(bound, ..)| *bound).max();
        let most = most.expect("the smallest bounds are within reach");
        let table = circle.solved_to(most, None);
        let found = circle.p_positions(&table);
        for (bound, canonical, raw) in counts {
            let within = || {
                found
                    .iter()
                    .filter(|position| position.iter().all(|heap| *heap <= bound))
            };
            assert_eq!(within().count(), raw, "{circle:?} to {bound}");
            let smallest = within().filter(|position| is_smallest(position)).count();
            assert_eq!(smallest, canonical, "{circle:?} to {bound}");
        }
    }
}
