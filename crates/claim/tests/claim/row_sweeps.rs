//! Sweeps row by row, compared with tables of the same boxes.

use nimrule_claim::{self as claim, Check, ClaimEvaluator, ClaimStatus, Counterexample};
use nimrule_engine::{self as engine, Limits, Outcome, Query, Question, Region, Shape, Solver};
use nimrule_engine::{SolveError, Statistics, Table, Visitor, enumeration};
use nimrule_fixtures::{game, shipped, shipped_names};
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::{Convention, Game, Statement};

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// All rows of a box, one bit a position.
pub struct Bits(pub Vec<bool>);

impl Resumable for Bits {
    fn save(&self, out: &mut Writer<'_>) {
        let bits: Vec<u8> = self.0.iter().map(|bit| u8::from(*bit)).collect();
        out.bytes(&bits);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.0 = from.bytes()?.into_iter().map(|bit| bit == 1).collect();
        Ok(())
    }
}

impl Sink<SolveError> for Bits {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let width = *layout.most.last().expect("a heap") as usize + 1;
        for row in rows.words.chunks_exact(layout.words) {
            let bits = (0..width).map(|size| row[size / 64] >> (size % 64) & 1 == 1);
            self.0.extend(bits);
            let beyond = width..64 * layout.words;
            assert!(beyond.into_iter().all(|s| row[s / 64] >> (s % 64) & 1 == 0));
        }
        Ok(())
    }
}

impl Visitor for Bits {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, _: &mut Reader<'_>) -> Result<(), CheckpointError> {
        unreachable!("it takes rows in order");
    }

    fn table(&mut self, _: &Table) -> Result<(), SolveError> {
        panic!("the box is found row by row");
    }
}

fn shape(game: &Game, most: u64) -> Shape {
    Shape::new(&vec![most; game.heap_count()]).expect("a small box")
}

/// The table that the plain engine fills.
fn table(solver: &Solver<'_>, shape: &Shape, asked: Query) -> Table {
    let plain: &dyn engine::Engine = &enumeration::Enumeration;
    plain
        .fill(solver, shape, asked, &LIMITS)
        .expect("the limits are wide")
}

#[test]
fn row_sweeps_agree_with_enumeration() {
    let mut swept = 0;
    for name in shipped_names() {
        let game = shipped(&name, &[]);
        let solver = Solver::new(&game);
        let heaps = game.heap_count();
        let most = match heaps {
            1 => 100,
            2 => 70,
            3 => 20,
            4 => 8,
            5..=6 => 4,
            7..=8 => 2,
            _ => 1,
        };
        if heaps == 0 || heaps > 12 {
            continue;
        }
        for convention in [Convention::Normal, Convention::Misere] {
            let asked = Query {
                question: Question::Outcome,
                convention,
            };
            let Ok(choice) = engine::choose(&solver, asked, None) else {
                continue;
            };
            let shape = shape(&game, most);
            if choice
                .engine
                .row_plan(&solver, &shape.most, asked.question, true)
                .is_none()
            {
                continue;
            }
            let plain = table(&solver, &shape, asked);
            let mut bits = Bits(Vec::new());
            let region = Region::Box(shape);
            engine::sweep(&solver, &region, asked, &LIMITS, None, &mut [&mut bits])
                .expect("the limits are wide");
            assert_eq!(bits.0.len(), region.count());
            for (place, bit) in bits.0.iter().enumerate() {
                let is_p = plain.outcome(place) == Some(Outcome::P);
                assert_eq!(*bit, is_p, "{name} at {:?}", region.at(place));
            }
            swept += 1;
        }
    }
    assert!(swept > 20, "only {swept} boxes were swept");
}

/// The orbits of P-positions and the smallest of them are those that a table gives.
#[test]
fn rows_and_tables_have_the_same_statistics() {
    for name in [
        "cube_edge_slow",
        "circular_nim",
        "nim",
        "wythoff",
        "trim",
        "moore",
    ] {
        let game = shipped(name, &[]);
        let solver = Solver::new(&game);
        let most = match game.heap_count() {
            2 => 100,
            3..=4 => 12,
            _ => 5,
        };
        let shape = shape(&game, most);
        let asked = Query {
            question: Question::Outcome,
            convention: Convention::Normal,
        };
        let mut of_table = Statistics::new(&game, true, &LIMITS);
        let plain = table(&solver, &shape, asked);
        of_table.table(&plain).expect("a table has no faults");
        let mut of_rows = Statistics::new(&game, true, &LIMITS);
        let region = Region::Box(shape);
        let summary = engine::sweep(&solver, &region, asked, &LIMITS, None, &mut [&mut of_rows]);
        summary.expect("the limits are wide");
        assert_eq!(of_rows.positions, of_table.positions, "{name}");
        assert_eq!(of_rows.p_positions, of_table.p_positions, "{name}");
        assert_eq!(of_rows.orbits, of_table.orbits, "{name}");
        assert_eq!(of_rows.smallest, of_table.smallest, "{name}");
    }
}

/// Claims of every sort, most of them false, with the places where they have
/// no value.
pub const CLAIMS: &str = "
claim P iff a ^ A == b ^ B == c ^ C
claim P iff a ^ A == b ^ B
claim P iff c ^ C == b ^ B
claim P iff C == c
claim P iff max(heaps) == 0
claim P if max(heaps) == 0
claim P only if max(heaps) == 0
claim P only if a ^ A == c ^ C
claim P if a ^ A == c ^ C and b + 1 == B + 1
claim P iff like (0,0,0, 0,0,0)
claim P iff like (1,0,0, 1,0,0) or a ^ A == b ^ B == c ^ C
claim P iff like (0,0,2, 0,0,2) and C > 0
claim P iff like (x,y,z, x,y,z)
claim P iff if C > a then c == C else a ^ A == b ^ B == c ^ C
claim P iff if a > 1 then c == C else a ^ A == b ^ B == c ^ C
claim P iff not (a ^ A != b ^ B or b ^ B != c ^ C)
claim P iff exists x in 0..3: a ^ A == x and b ^ B == x and c ^ C == x
claim P iff exists x in 0..3: a ^ A == x and b ^ B == x
claim P iff sum(heaps) mod 4 == 0
claim P iff carryless(3, heaps) == 0
claim P iff xor(heaps) == 0 and min(a, B, C) <= 1
claim P iff min({a, C}) == digit(2, 0, B)
claim P iff (C + 1) div (c + 1) == 1 and a * A - b * B == 0
claim P iff -C <= -c and -C >= -c and a ^ A == b ^ B
claim P iff C in {c, c ^ a} and B == b
claim P iff like (x,y,z, X,Y,Z) where x ^ X == y ^ Y == z ^ Z
claim P iff like (x,y,z, x,y+z,w) where (w > y or x ^ w == 1)
claim P iff like (x,y,2*z, x,y,z)
claim P iff like (x,y,x-2*z, x,y,z-1) where z >= 0
claim P iff like (x,x,x, x,x,y) where y == max(heaps)
claim P iff like (x,y,z, X,Y,Z) where x - X == y ^ Y and z == Z
claim P iff a + C == b + B - 2 or c - C == a - A or like (1,2,3, 1,2,3)
claim P iff sum(a, b, C) == A + B or A - (B - C) == 4 and xor(b, C) > 0
claim P iff 2 * C == b + B and C in 1..2 or C == b * B - 3
claim P iff 3 - C == b ^ 2 or b > 0 and C ^ (b - 1) == 3
claim P iff isqrt(sum(heaps)) mod 3 == 0
claim P iff forall h in heaps: h == a
claim P only if exists h in heaps: h mod 2 == 0 and h <= 2
claim P if forall h in heaps: h <= 1 and (h == a or h == b)
claim P iff (a + A) mod 3 == (b + B) mod 3 == (c + C) mod 3
claim P iff max(heaps) - min(heaps) <= 1
claim P iff let s = sum(heaps) in s mod 2 == 0 and isqrt(s) ** 2 == s
claim P iff count(h in heaps where h == max(heaps)) > 4 or sum(heaps) == 0
claim P iff count(h in {a, b, A, B} where h > 1) == 0
claim P iff exists h in heaps: count(g in heaps where g <= h) == 3
claim P iff let m = a in count(h in heaps where h == m) == 6
claim P iff sum(h div 2 for h in {C, c, B, b, A, a}) == 0
claim N iff not (a ^ A == b ^ B == c ^ C)
claim N iff max(heaps) > 1
claim grundy == xor(heaps)
claim grundy == if a ^ A == b ^ B == c ^ C then 0 else max(heaps) - min(heaps)
claim misere P iff a ^ A == b ^ B == c ^ C
claim misere P iff (max(heaps) >= 2 and a ^ A == b ^ B == c ^ C) or like (0,0,0,
  0,0,1) or like (0,1,1, 0,1,1) or like (0,0,1, 1,1,1)
";

/// The status of a claim by its evaluation at each position of a table by itself.
fn by_position(game: &Game, statement: &Statement, table: &Table) -> ClaimStatus {
    let mut evaluator = ClaimEvaluator::new(game);
    let places = 0..table.region().count();
    let failing = places.filter_map(|place| {
        let position = table.region().at(place);
        let outcome = table.outcome(place)?;
        let contradiction = evaluator
            .contradiction(statement, &position, outcome, table.grundy(place))
            .expect("the claim has a value");
        let (actual, claimed) = contradiction?;
        let total = game.tokens(&position);
        let counterexample = Counterexample {
            position,
            actual,
            claimed,
        };
        Some((total, counterexample))
    });
    // The first of the positions with the least total.
    match failing.min_by_key(|(total, _)| *total) {
        Some((_, counterexample)) => ClaimStatus::Refuted(counterexample),
        None => ClaimStatus::to(table.region().to(game)),
    }
}

/// Compares every claim of a game with the rows and with the table of a box, and with the
/// evaluation at each position; returns how many hold and fail.
fn judged_on_both(game: &Game, shape: &Shape) -> (usize, usize) {
    let solver = Solver::new(game);
    let region = Region::Box(shape.clone());
    let (mut held, mut failed) = (0, 0);
    for claim in &game.claims {
        let statement = claim.statement.as_ref().expect("it speaks of this game");
        let asked = claim::asked(claim);
        let answers = table(&solver, shape, asked);
        let by_table = claim::check(&solver, statement, &answers, &LIMITS)
            .unwrap_or_else(|failure| panic!("{}: {failure}", claim.words));
        assert_eq!(
            by_table,
            by_position(game, statement, &answers),
            "{}",
            claim.words
        );
        let mut check = Check::new(&solver, statement, &LIMITS);
        engine::sweep(&solver, &region, asked, &LIMITS, None, &mut [&mut check])
            .expect("the limits are wide");
        let by_rows = check.status(&region);
        assert_eq!(by_rows, by_table, "{}", claim.words);
        if by_rows.fails() {
            failed += 1;
        } else {
            held += 1;
        }
    }
    (held, failed)
}

#[test]
fn claims_on_rows_agree_with_tables() {
    let text = format!(
        "game cube\nboard cube\nheaps on faces as a b c A B C\nmove take from one edge\n{CLAIMS}"
    );
    let game = game(&text);
    let shape = shape(&game, 3);
    let (held, failed) = judged_on_both(&game, &shape);
    assert!(held > 6 && failed > 12, "{held} held and {failed} failed");
}

/// Forms of the heaps that are left, and of rows of several words.
const FORMS: &str = "
claim P iff like (a,b,a,b) or max(heaps) == 0
claim P iff like (a,a)
claim P iff like (a,b,c) where a + b == c or like (a,b,a,b)
claim P if like (a,b,c,b+1) where c >= a
claim P only if like (a,b,a,b) or max(heaps) == 0
claim misere P iff like (a,b,a,b) where a > 1 or like (1)
";

#[test]
fn forms_on_rows_agree_with_tables() {
    for (board, most) in [
        ("circle(4) shrinking", [5, 5, 5, 70]),
        ("row(4) shrinking", [3, 4, 70, 5]),
        ("circle(4)", [4, 3, 2, 130]),
    ] {
        let text =
            format!("game four\nboard {board}\nmove take from up to 2 consecutive heaps\n{FORMS}");
        let text = match board.contains("shrinking") {
            true => text,
            // There a form has an entry for each place.
            false => text
                .replace("(a,a)", "(a,a,b,a+b)")
                .replace("(a,b,c)", "(a,b,c,a)")
                .replace("(1)", "(1,0,0,0)"),
        };
        let game = game(&text);
        let shape = Shape::new(&most).expect("a small box");
        let (held, failed) = judged_on_both(&game, &shape);
        assert!(failed > 1, "{board}: {held} held and {failed} failed");
    }
}

/// What has no value somewhere is met on rows as well.
#[test]
fn faults_are_found_on_rows() {
    let game = game(
        "game pairs\nheaps a b c\nmove take from up to 2 heaps\nclaim P iff a div c == b div c",
    );
    let solver = Solver::new(&game);
    let claim = &game.claims[0];
    let statement = claim.statement.as_ref().expect("it speaks of this game");
    let mut check = Check::new(&solver, statement, &LIMITS);
    let region = Region::Box(shape(&game, 5));
    let swept = engine::sweep(
        &solver,
        &region,
        claim::asked(claim),
        &LIMITS,
        None,
        &mut [&mut check],
    );
    match swept {
        Err(SolveError::Fault { position, .. }) => assert_eq!(position, [0, 0, 0]),
        other => panic!("{other:?}"),
    }
    let mut judge = ClaimEvaluator::new(&game);
    assert!(matches!(statement, Statement::Outcome { .. }));
    assert!(
        judge
            .contradiction(statement, &[0, 0, 0], Outcome::P, None)
            .is_err()
    );
}

/// Boxes that are swept once for each value, and with a Nim heap beside them.
#[test]
fn values_agree_with_enumeration() {
    let rules = [
        "heaps 3\nmove take from one heap",
        "heaps 3\nmove take from up to 2 heaps",
        "board circle(3) shrinking\nmove take from up to 2 consecutive heaps",
        "board graph { a - b - c }\nheaps on vertices\nmove take from one edge",
    ];
    for rule in rules {
        let game = game(&format!("game several\n{rule}"));
        let solver = Solver::new(&game);
        for most in [[31, 31, 31], [20, 31, 29], [31, 12, 0], [6, 31, 9]] {
            let shape = Shape::new(&most).expect("a small box");
            for convention in [Convention::Normal, Convention::Misere] {
                let asked = Query {
                    question: Question::Grundy,
                    convention,
                };
                let fast = engine::fill(&solver, &most, asked, &LIMITS, Some("hypergraph"))
                    .expect("the limits are wide");
                let plain = table(&solver, &shape, asked);
                for place in 0..shape.len {
                    assert_eq!(
                        fast.grundy(place),
                        plain.grundy(place),
                        "{rule}\n{convention:?} at {:?}",
                        plain.region().at(place)
                    );
                }
            }
        }
    }
}

/// Rows of more than one word on a board that shrinks, where the masks of a row's later
/// words differ from those of the first.
#[test]
fn long_rows_of_shrinking_boards_agree_with_tables() {
    let game = game(
        "game three\nboard circle(3) shrinking\nmove take from one heap\nclaim P iff xor(heaps) == 0\n",
    );
    // Cubes have the heaps in the order of the rule; in the last one a step is six arrays of
    // lanes, no power of two.
    for most in [[7, 64, 64], [64, 64, 7], [64, 7, 64], [64; 3]] {
        let shape = Shape::new(&most).expect("a small box");
        assert_eq!(judged_on_both(&game, &shape), (1, 0));
    }
}
