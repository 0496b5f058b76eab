//! The games of the literature beyond the five documents: each file agrees with a
//! brute force that is written here from the game's description.

use crate::game_files::shipped;
use nimrule::{Game, Outcome};
use std::collections::{BTreeSet, HashMap};

type Position = Vec<i64>;

/// Grundy values and outcomes by recursion over the options of a description.
struct BruteForce<'o> {
    options: &'o dyn Fn(&[i64]) -> Vec<Position>,
    values: HashMap<Position, u64>,
    losses: HashMap<Position, bool>,
}

impl<'o> BruteForce<'o> {
    fn new(options: &'o dyn Fn(&[i64]) -> Vec<Position>) -> BruteForce<'o> {
        BruteForce {
            options,
            values: HashMap::new(),
            losses: HashMap::new(),
        }
    }

    fn value(&mut self, position: &[i64]) -> u64 {
        if let Some(value) = self.values.get(position) {
            return *value;
        }
        let options = (self.options)(position);
        let values: BTreeSet<u64> = options.iter().map(|option| self.value(option)).collect();
        let value = (0..).find(|value| !values.contains(value));
        let value = value.expect("a finite set has a mex");
        self.values.insert(position.to_vec(), value);
        value
    }

    /// Whether the player to move loses misere play.
    fn loses_misere(&mut self, position: &[i64]) -> bool {
        if let Some(loses) = self.losses.get(position) {
            return *loses;
        }
        let options = (self.options)(position);
        let loses = !options.is_empty() && !options.iter().any(|option| self.loses_misere(option));
        self.losses.insert(position.to_vec(), loses);
        loses
    }
}

/// All positions of some numbers, each from 0 to `most`.
fn cube(numbers: usize, most: i64) -> Vec<Position> {
    let mut rows = vec![Vec::new()];
    for _ in 0..numbers {
        let longer = |row: Position| (0..=most).map(move |size| [&row[..], &[size]].concat());
        rows = rows.into_iter().flat_map(longer).collect();
    }
    rows
}

/// Compares the Grundy values and the outcomes of misere play at all positions of the
/// list that are positions of the game; there must be some.
fn agrees(game: Game, positions: Vec<Position>, options: impl Fn(&[i64]) -> Vec<Position>) {
    let mut brute = BruteForce::new(&options);
    let misere = game.clone().misere();
    let mut compared = 0;
    for position in positions {
        let sizes: Vec<u64> = position.iter().map(|size| *size as u64).collect();
        // Positions that the file excludes are errors.
        let Ok(answer) = game.solve(&sizes) else {
            continue;
        };
        compared += 1;
        let name = game.name();
        assert_eq!(
            answer.grundy,
            Some(brute.value(&position)),
            "{name} {position:?}"
        );
        let lost = misere.solve(&sizes).expect("it is a position").outcome == Outcome::P;
        assert_eq!(
            lost,
            brute.loses_misere(&position),
            "misere {name} {position:?}"
        );
    }
    assert!(compared > 5, "{}: {compared} positions", game.name());
}

/// The position with one number replaced.
fn with(position: &[i64], place: usize, size: i64) -> Position {
    let mut option = position.to_vec();
    option[place] = size;
    option
}

/// The positions after one number is lowered.
fn lowered(position: &[i64]) -> Vec<Position> {
    let places = 0..position.len();
    let lower = |place: usize| (0..position[place]).map(move |size| with(position, place, size));
    places.flat_map(lower).collect()
}

#[test]
fn euclid() {
    agrees(shipped("euclid"), cube(2, 9), |p| {
        let mut options = Vec::new();
        for (this, other) in [(0, 1), (1, 0)] {
            let mut left = p[this] - p[other];
            while p[other] > 0 && left >= 0 {
                options.push(with(p, this, left));
                left -= p[other];
            }
        }
        options
    });
}

#[test]
fn dynamic_limits() {
    let dynamic = |factor: i64| {
        move |p: &[i64]| {
            let most = p[0].min(p[1]);
            (1..=most).map(|t| vec![p[0] - t, factor * t]).collect()
        }
    };
    let positions: Vec<Position> = cube(2, 14).into_iter().filter(|p| p[1] > 0).collect();
    agrees(shipped("fibonacci_nim"), positions.clone(), dynamic(2));
    agrees(shipped("dynamic_nim"), positions.clone(), dynamic(1));
    let tripled = shipped("dynamic_nim").with("k", 3).expect("in range");
    agrees(tripled, positions, dynamic(3));
}

#[test]
fn coins_that_move_on_a_strip() {
    agrees(shipped("nimble"), cube(5, 1), |p| {
        let mut options = Vec::new();
        for from in (1..p.len()).filter(|from| p[*from] > 0) {
            for to in 0..from {
                options.push(with(&with(p, from, p[from] - 1), to, p[to] + 1));
            }
        }
        options
    });
    agrees(shipped("staircase_nim"), cube(4, 2), |p| {
        let mut options = Vec::new();
        for step in 0..p.len() {
            for taken in 1..=p[step] {
                let mut option = with(p, step, p[step] - taken);
                if step > 0 {
                    option[step - 1] += taken;
                }
                options.push(option);
            }
        }
        options
    });
    agrees(shipped("silver_dollar"), cube(3, 7), |p| {
        let options = lowered(p).into_iter();
        options.filter(|q| q[0] < q[1] && q[1] < q[2]).collect()
    });
    agrees(shipped("welter"), cube(3, 6), |p| {
        let options = lowered(p).into_iter();
        options
            .filter(|q| q[0] != q[1] && q[1] != q[2] && q[0] != q[2])
            .collect()
    });
}

/// Turns the coins of each set of places whose rightmost coin shows heads.
fn turned(p: &[i64], sets: impl Iterator<Item = Vec<usize>>) -> Vec<Position> {
    let heads = sets.filter(|set| set.iter().max().is_some_and(|last| p[*last] == 1));
    let turn = |set: Vec<usize>| {
        let mut option = p.to_vec();
        for place in set {
            option[place] = 1 - option[place];
        }
        option
    };
    heads.map(turn).collect()
}

/// The sets of at most `most` of n places.
fn sets(n: usize, most: u32) -> impl Iterator<Item = Vec<usize>> {
    let all = (1_u32..1 << n).filter(move |set| set.count_ones() <= most);
    all.map(move |set| (0..n).filter(|place| set >> place & 1 == 1).collect())
}

#[test]
fn coins_that_turn() {
    agrees(shipped("turning_turtles"), cube(6, 1), |p| {
        turned(p, sets(6, 2))
    });
    agrees(shipped("mock_turtles"), cube(6, 1), |p| {
        turned(p, sets(6, 3))
    });
    agrees(shipped("twins"), cube(6, 1), |p| {
        turned(p, sets(6, 2).filter(|set| set.len() == 2))
    });
    agrees(shipped("ruler"), cube(6, 1), |p| {
        let runs = (0..6).flat_map(|last| (0..=last).map(move |first| (first..=last).collect()));
        turned(p, runs)
    });
}

#[test]
fn chomp() {
    agrees(shipped("chomp"), cube(3, 5), |p| {
        let mut options = Vec::new();
        for row in 0..3 {
            for left in 0..p[row] {
                let cut = |(place, size): (usize, &i64)| match place < row {
                    true => *size,
                    false => left.min(*size),
                };
                options.push(p.iter().enumerate().map(cut).collect());
            }
        }
        options
    });
}

/// Removes an element that is there and everything above it.
fn removed(p: &[i64], above: &[&[usize]]) -> Vec<Position> {
    let there = above.iter().filter(|set| p[set[0]] == 1);
    let remove = |set: &&[usize]| {
        let mut option = p.to_vec();
        for place in *set {
            option[*place] = 0;
        }
        option
    };
    there.map(remove).collect()
}

#[test]
fn ordered_sets() {
    agrees(shipped("poset_game"), cube(6, 1), |p| {
        removed(
            p,
            &[&[0, 2, 3, 5], &[1, 3, 4, 5], &[2], &[3, 5], &[4], &[5]],
        )
    });
    agrees(shipped("subset_takeaway"), cube(6, 1), |p| {
        removed(p, &[&[0, 2, 4], &[1, 2, 5], &[2], &[3, 4, 5], &[4], &[5]])
    });
    agrees(shipped("green_hackenbush"), cube(6, 1), |p| {
        removed(p, &[&[0, 2, 3], &[1, 4, 5], &[2], &[3], &[4, 5], &[5]])
    });
}

const PENTAGON: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];

fn neighbours(edges: &[(usize, usize)], vertex: usize) -> Vec<usize> {
    let ends = edges.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    ends.filter(|(a, _)| *a == vertex).map(|(_, b)| b).collect()
}

#[test]
fn games_on_graphs() {
    let with_leaf = [&PENTAGON[..], &[(0, 5)]].concat();
    agrees(shipped("node_kayles"), cube(6, 1), |p| {
        let free = (0..6).filter(|vertex| p[*vertex] == 1);
        let take = |vertex: usize| {
            let mut option = with(p, vertex, 0);
            for other in neighbours(&with_leaf, vertex) {
                option[other] = 0;
            }
            option
        };
        free.map(take).collect()
    });
    let painted = |p: &[i64], allowed: &dyn Fn(i64, i64) -> bool| {
        let mut options = Vec::new();
        for vertex in (0..5).filter(|vertex| p[*vertex] == 0) {
            for colour in 1..=2 {
                let near = neighbours(&PENTAGON, vertex);
                if near.iter().all(|other| allowed(colour, p[*other])) {
                    options.push(with(p, vertex, colour));
                }
            }
        }
        options
    };
    agrees(shipped("impartial_col"), cube(5, 2), |p| {
        painted(p, &|own, other| own != other)
    });
    agrees(shipped("impartial_snort"), cube(5, 2), |p| {
        painted(p, &|own, other| other == 0 || own == other)
    });
    let on_graph = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4)];
    agrees(shipped("vertex_geography"), cube(6, 1), |p| {
        let here = p[5] as usize - 1;
        let near = neighbours(&on_graph, here).into_iter();
        near.filter(|next| p[*next] == 1)
            .map(|next| with(&with(p, next, 0), 5, next as i64 + 1))
            .collect()
    });
    let arcs = [(1, 2), (1, 3), (2, 3), (3, 4), (4, 1), (4, 5), (5, 2)];
    agrees(shipped("directed_geography"), cube(6, 1), |p| {
        let out = arcs
            .iter()
            .filter(|(from, to)| *from == p[5] && p[*to - 1] == 1);
        out.map(|(_, to)| with(&with(p, to - 1, 0), 5, *to as i64))
            .collect()
    });
}

#[test]
fn games_on_squares() {
    let lines: [[usize; 3]; 8] = [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
        [0, 4, 8],
        [2, 4, 6],
    ];
    let few = |p: &Position| p.iter().sum::<i64>() >= 4;
    let positions: Vec<Position> = cube(9, 1).into_iter().filter(few).collect();
    agrees(shipped("notakto"), positions, |p| {
        let free = (0..9).filter(|cell| p[*cell] == 0);
        let marked = free.map(|cell| with(p, cell, 1));
        let no_line = |q: &Position| !lines.iter().any(|line| line.iter().all(|c| q[*c] == 1));
        marked.filter(no_line).collect()
    });
    let little = |p: &Position| p.iter().sum::<i64>() <= 6;
    let positions: Vec<Position> = cube(9, 1).into_iter().filter(little).collect();
    agrees(shipped("tac_tix"), positions.clone(), |p| {
        let mut runs: BTreeSet<Vec<usize>> = BTreeSet::new();
        for line in &lines[..6] {
            for first in 0..3 {
                for last in first..3 {
                    runs.insert(line[first..=last].to_vec());
                }
            }
        }
        let full = runs
            .into_iter()
            .filter(|run| run.iter().all(|cell| p[*cell] == 1));
        full.map(|run| run.iter().fold(p.to_vec(), |q, cell| with(&q, *cell, 0)))
            .collect()
    });
    agrees(shipped("cram"), positions, |p| {
        let pairs = (0..9).flat_map(|cell| {
            let right = (cell % 3 < 2).then_some((cell, cell + 1));
            let below = (cell < 6).then_some((cell, cell + 3));
            right.into_iter().chain(below)
        });
        let free = pairs.filter(|(a, b)| p[*a] == 1 && p[*b] == 1);
        free.map(|(a, b)| with(&with(p, a, 0), b, 0)).collect()
    });
}

#[test]
fn taking_and_giving_back() {
    agrees(shipped("lim"), cube(3, 5), |p| {
        let mut options = Vec::new();
        for (a, b, c) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            for t in 1..=p[a].min(p[b]) {
                let mut option = p.to_vec();
                option[a] -= t;
                option[b] -= t;
                option[c] += t;
                options.push(option);
            }
        }
        options
    });
    agrees(shipped("triangle_game"), cube(3, 4), |p| {
        let mut options = Vec::new();
        for heap in 0..3 {
            for taken in 1..=p[heap] {
                for returned in 0..taken {
                    let next = (heap + 1) % 3;
                    let option = with(p, heap, p[heap] - taken);
                    options.push(with(&option, next, option[next] + returned));
                }
            }
        }
        options
    });
    agrees(shipped("yama_nim"), cube(2, 9), |p| {
        let mut options = Vec::new();
        for (this, other) in [(0, 1), (1, 0)] {
            for taken in 2..=p[this] {
                options.push(with(&with(p, this, p[this] - taken), other, p[other] + 1));
            }
        }
        options
    });
    agrees(shipped("delete_nim"), cube(2, 8), |p| {
        let kept = p.iter().filter(|size| **size > 0);
        kept.flat_map(|size| (0..*size).map(move |part| vec![part, size - 1 - part]))
            .collect()
    });
}

#[test]
fn relatives_of_nim() {
    agrees(shipped("end_nim"), cube(3, 5), |p| {
        let left: Vec<usize> = (0..3).filter(|heap| p[*heap] > 0).collect();
        let ends: BTreeSet<usize> = left
            .first()
            .into_iter()
            .chain(left.last())
            .copied()
            .collect();
        let lower = |heap: usize| (0..p[heap]).map(move |size| with(p, heap, size));
        ends.into_iter().flat_map(lower).collect()
    });
    let slow = |numbers: &'static [usize]| {
        move |p: &[i64]| -> Vec<Position> {
            let chosen = sets(4, 4).filter(|set| numbers.contains(&set.len()));
            let full = chosen.filter(|set| set.iter().all(|heap| p[*heap] > 0));
            full.map(|set| {
                set.iter()
                    .fold(p.to_vec(), |q, heap| with(&q, *heap, q[*heap] - 1))
            })
            .collect()
        }
    };
    agrees(shipped("exact_slow_nim"), cube(4, 3), slow(&[2]));
    agrees(shipped("slow_a_nim"), cube(4, 3), slow(&[1, 4]));
    for (piles, most) in [(6, 2), (5, 2), (5, 3), (7, 4)] {
        let game = shipped("extended_circular_nim").with("n", piles as i64);
        let game = game.and_then(|game| game.with("k", most as i64));
        let sizes = if piles == 7 { 1 } else { 2 };
        agrees(game.expect("in range"), cube(piles, sizes), |p| {
            let mut options = Vec::new();
            for (first, step) in (0..piles).flat_map(|first| [(first, 1), (first, 3)]) {
                let mut from = vec![p.to_vec()];
                for pile in (0..most).map(|number| (first + step * number) % piles) {
                    let lower = |q: &Position| {
                        let q = q.clone();
                        (0..=q[pile]).map(move |size| with(&q, pile, size))
                    };
                    from = from.iter().flat_map(lower).collect();
                }
                options.extend(from.into_iter().filter(|q| q[..] != *p));
            }
            options
        });
    }
    agrees(shipped("nim_with_a_pass"), cube(4, 4), |p| {
        let mut options: Vec<Position> = lowered(&p[..3])
            .into_iter()
            .map(|heaps| [&heaps[..], &p[3..]].concat())
            .collect();
        if p[3] > 0 && p[..3].iter().sum::<i64>() > 0 {
            options.push(with(p, 3, 0));
        }
        options
    });
    agrees(shipped("muller_twist"), cube(2, 12), |p| {
        let taken = (1..=p[0].min(5)).filter(|t| t % 2 == p[1]);
        taken
            .flat_map(|t| [vec![p[0] - t, 0], vec![p[0] - t, 1]])
            .collect()
    });
}

/// The moves of Wythoff's queen.
fn queen(p: &[i64]) -> Vec<Position> {
    let diagonal = (1..=p[0].min(p[1])).map(|t| vec![p[0] - t, p[1] - t]);
    lowered(p).into_iter().chain(diagonal).collect()
}

#[test]
fn relatives_of_wythoffs_game() {
    agrees(shipped("a_wythoff"), cube(2, 10), |p| {
        let mut options = lowered(p);
        for s in 1..=p[0] {
            for t in (1..=p[1]).filter(|t| (s - t).abs() < 2) {
                options.push(vec![p[0] - s, p[1] - t]);
            }
        }
        options
    });
    agrees(shipped("maharaja"), cube(2, 9), |p| {
        let knight = [[1, 2], [2, 1]].map(|step| vec![p[0] - step[0], p[1] - step[1]]);
        let knight = knight.into_iter().filter(|q| q[0] >= 0 && q[1] >= 0);
        queen(p).into_iter().chain(knight).collect()
    });
    for blocked in 0..4 {
        let game = shipped("blocking_wythoff")
            .with("k", blocked)
            .expect("a value");
        let mut p_positions: BTreeSet<Position> = BTreeSet::new();
        let mut all = cube(2, 9);
        all.sort_by_key(|p| p[0] + p[1]);
        for p in all {
            let options: BTreeSet<Position> = queen(&p).into_iter().collect();
            let lost = options.iter().filter(|q| p_positions.contains(*q)).count();
            let sizes: Vec<u64> = p.iter().map(|size| *size as u64).collect();
            let answer = game.solve(&sizes).expect("an answer");
            if lost as i64 <= blocked {
                p_positions.insert(p.clone());
                assert_eq!(answer.outcome, Outcome::P, "{p:?}, k = {blocked}");
            } else {
                assert_eq!(answer.outcome, Outcome::N, "{p:?}, k = {blocked}");
                assert_eq!(answer.winning_moves.len(), lost, "{p:?}, k = {blocked}");
            }
        }
    }
    agrees(shipped("wythoff_final_set"), cube(2, 9), |p| {
        if p[0] + p[1] > 1 {
            queen(p)
        } else {
            Vec::new()
        }
    });
    agrees(shipped("chocolate_bar"), cube(2, 9), |p| {
        let columns = (0..p[0]).map(|x| vec![x, p[1].min(x / 2)]);
        let rows = (0..p[1]).map(|y| vec![p[0], y]);
        columns.chain(rows).collect()
    });
}
