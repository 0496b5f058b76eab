//! Property tests: the static analyses of expressions agree with evaluation on random expressions.

use nimrule_board::symmetry::Symmetries;
use nimrule_fixtures::Numbers;
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment, Truth};
use nimrule_model::expr::solve::{Unknown, solve_for};
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{
    Arithmetic, Bool, Builtin, Environment, Expr, Fold, HeapId, List, Num, Order, Part, Quantifier,
    Set, Slot,
};

/// The largest size of a heap in these tests.
const MAX_SIZE: u64 = 3;

/// The unknown that comparisons are solved for.
const T: Slot = Slot(0);

/// An upper bound on the number of variables of an expression.
const SLOTS: usize = 200;

/// Random expressions.
struct Random {
    numbers: Numbers,
    /// The number of variables bound so far.
    slots: u32,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random {
            numbers: Numbers::new(seed),
            slots: 0,
        }
    }

    fn below(&mut self, below: u64) -> u64 {
        self.numbers.below(below)
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.numbers.pick(all)
    }

    fn name(&mut self) -> Slot {
        self.slots += 1;
        Slot(self.slots)
    }

    /// A random number that may read `x`, the innermost bound variable.
    fn num(&mut self, depth: u64, x: Option<Slot>) -> Expr<Num> {
        let huge = [i64::MAX, i64::MIN + 1, 1 << 62, -4_000_000_000];
        let small = [-3, -1, 0, 1, 2, 5];
        let num = match self.below(if depth == 0 { 4 } else { 15 }) {
            0 if self.below(6) == 0 => Num::Const(self.pick(&huge)),
            0 => Num::Const(self.pick(&small)),
            1 => Num::Heap(HeapId(self.below(2) as u16)),
            2 => Num::Local(x.unwrap_or(T)),
            3 => Num::Local(T),
            4 => Num::Negate(Box::new(self.num(depth - 1, x))),
            5..=7 => {
                let operator = self.pick(&[
                    Arithmetic::Add,
                    Arithmetic::Subtract,
                    Arithmetic::Multiply,
                    Arithmetic::Divide,
                    Arithmetic::Modulo,
                ]);
                let left = Box::new(self.num(depth - 1, x));
                Num::Binary(operator, left, Box::new(self.num(depth - 1, x)))
            }
            8 => Num::If(
                Box::new(self.condition(depth - 1, x)),
                Box::new(self.num(depth - 1, x)),
                Box::new(self.num(depth - 1, x)),
            ),
            9 => {
                let value = Box::new(self.num(depth - 1, x));
                let name = self.name();
                Num::Let(name, value, Box::new(self.num(depth - 1, Some(name))))
            }
            10 => {
                let fold = self.pick(&[Fold::Max, Fold::Min, Fold::Sum, Fold::Count]);
                Num::Fold(fold, self.list(depth - 1, x))
            }
            11 => Num::nim_sum(self.list(depth - 1, x)),
            12 => Num::Carryless {
                base: Box::new(self.num(depth - 1, x)),
                list: self.list(depth - 1, x),
                modulus: Box::new(self.num(depth - 1, x)),
            },
            13 => Num::HeapAt {
                heaps: vec![HeapId(0), HeapId(1)],
                first: 1,
                index: Box::new(self.num(depth - 1, x)),
            },
            _ => Num::Apply(Builtin::Isqrt, vec![self.num(depth - 1, x)]),
        };
        num.into()
    }

    fn list(&mut self, depth: u64, x: Option<Slot>) -> Expr<List> {
        let list = match self.below(3) {
            0 => List::Heaps(vec![HeapId(0), HeapId(1)]),
            1 => List::Items((0..self.below(3)).map(|_| self.num(depth, x)).collect()),
            _ => {
                let over = Box::new(self.set(depth, x));
                let slot = self.name();
                List::Gathered {
                    slot,
                    over,
                    value: Box::new(self.num(depth, Some(slot))),
                    condition: Some(Box::new(self.condition(depth, Some(slot)))),
                }
            }
        };
        list.into()
    }

    fn set(&mut self, depth: u64, x: Option<Slot>) -> Expr<Set> {
        let set = match self.below(2) {
            0 => {
                let low = self.num(0, x);
                let most = Num::Const(self.pick(&[0, 2, 4])).into();
                let high = Num::Binary(Arithmetic::Add, Box::new(low.clone()), Box::new(most));
                Set::Range(low, Some(high.into()))
            }
            _ => Set::Items((0..self.below(3)).map(|_| self.num(depth, x)).collect()),
        };
        set.into()
    }

    fn comparison(&mut self, depth: u64, x: Option<Slot>) -> Bool {
        let order = self.pick(&[Order::Equal, Order::NotEqual, Order::Less, Order::AtMost]);
        Bool::Compare(order, self.num(depth, x), self.num(depth, x))
    }

    fn condition(&mut self, depth: u64, x: Option<Slot>) -> Expr<Bool> {
        let condition = match self.below(if depth == 0 { 2 } else { 7 }) {
            0 | 1 => self.comparison(depth, x),
            2 => Bool::In(self.num(depth - 1, x), self.set(depth - 1, x)),
            3 => Bool::And((0..2).map(|_| self.condition(depth - 1, x)).collect()),
            4 => Bool::Or((0..2).map(|_| self.condition(depth - 1, x)).collect()),
            5 => Bool::Not(Box::new(self.condition(depth - 1, x))),
            _ => {
                let set = self.set(depth - 1, x);
                let slot = self.name();
                Bool::Quantified {
                    quantifier: self.pick(&[Quantifier::Exists, Quantifier::Forall]),
                    slot,
                    set,
                    body: Box::new(self.condition(depth - 1, Some(slot))),
                }
            }
        };
        condition.into()
    }
}

/// Calls `f` for every position and every value of `t`.
fn each(mut f: impl FnMut(&mut Environment<'_>)) {
    let symmetries = Symmetries::trivial(2);
    let mut locals = vec![0; SLOTS];
    for a in 0..=MAX_SIZE {
        for b in 0..=MAX_SIZE {
            for t in -2..=4 {
                locals[T.index()] = t;
                f(&mut Environment {
                    position: &[a, b],
                    kinds: &[],
                    locals: &mut locals,
                    picks: &[],
                    amounts: &[],
                    symmetries: &symmetries,
                    steps: 0,
                });
            }
        }
    }
}

fn environment() -> IntervalEnvironment {
    let mut environment = IntervalEnvironment::new(SLOTS, Interval::new(0, MAX_SIZE.into()));
    environment.set_local(T, Interval::new(-2, 4));
    environment
}

#[test]
fn intervals_contain_every_value() {
    let mut random = Random::new(1);
    let (mut values, mut narrow) = (0, 0);
    for _ in 0..4_000 {
        random.slots = 0;
        let num = random.num(3, None);
        let interval = environment().num(&num);
        narrow += u64::from(interval.high.abs() < 1_000);
        each(|at| {
            if let Ok(value) = num.eval(at) {
                values += 1;
                let value = i128::from(value);
                let holds = interval.low <= value && value <= interval.high;
                assert!(holds, "{value} of {num:?} not in {interval:?}");
            }
        });
    }
    assert!(values > 100_000 && narrow > 1_000, "{values}, {narrow}");
}

#[test]
fn always_and_never_are_correct() {
    let mut random = Random::new(2);
    let mut sure = 0;
    for _ in 0..4_000 {
        random.slots = 0;
        let condition = random.condition(3, None);
        let truth = environment().truth(&condition);
        sure += u64::from(truth != Truth::Sometimes);
        each(|at| match (condition.eval(at), truth) {
            (Ok(true), Truth::Never) | (Ok(false), Truth::Always) => {
                panic!("{truth:?}: {condition:?} at {:?}", at.position)
            }
            _ => {}
        });
    }
    assert!(sure > 500, "{sure}");
}

#[test]
fn propagated_bounds_contain_every_solution() {
    let mut random = Random::new(3);
    let mut narrowed = 0;
    for _ in 0..12_000 {
        random.slots = 0;
        let condition = random.condition(2, None);
        let mut one = IntervalEnvironment::of_one_position(SLOTS);
        for heap in [HeapId(0), HeapId(1)] {
            one.set_heap(heap, Interval::new(0, MAX_SIZE.into()));
        }
        one.set_local(T, Interval::new(-2, 4));
        one.assume(&condition);
        let heaps = [one.heap(HeapId(0)), one.heap(HeapId(1))];
        narrowed += u64::from(heaps.iter().any(|heap| heap.high < MAX_SIZE.into()));
        each(|at| {
            if condition.eval(at) == Ok(true) {
                for (size, heap) in at.position.iter().zip(heaps) {
                    let size = i128::from(*size);
                    let holds = heap.low <= size && size <= heap.high;
                    assert!(holds, "{heap:?} by {condition:?} at {:?}", at.position);
                }
            }
        });
    }
    assert!(narrowed > 200, "{narrowed}");
}

#[test]
fn total_expressions_have_a_value() {
    let mut random = Random::new(4);
    let mut total = 0;
    for _ in 0..6_000 {
        random.slots = 0;
        let num = random.num(3, None);
        if is_total(Part::Num(&num), &mut environment(), Interval::I64) {
            total += 1;
            each(|at| {
                let value = num.eval(at);
                assert!(value.is_ok(), "{value:?} of {num:?} at {:?}", at.position);
            });
        }
        let condition = random.condition(3, None);
        if is_total(Part::Bool(&condition), &mut environment(), Interval::I64) {
            total += 1;
            each(|at| {
                let value = condition.eval(at);
                assert!(value.is_ok(), "{value:?} of {condition:?}");
            });
        }
    }
    assert!(total > 1_000, "{total}");
}

#[test]
fn solved_bounds_follow_from_the_condition() {
    let mut random = Random::new(5);
    let mut solved = 0;
    for _ in 0..40_000 {
        random.slots = 0;
        let condition = random.condition(2, None);
        let Some(solution) = solve_for(&condition, Unknown::Local(T)) else {
            continue;
        };
        solved += 1;
        each(|at| {
            let t = at.locals[T.index()];
            let mut value = |bound: &Expr<Num>| bound.eval(at);
            let low: Result<Vec<i64>, _> = solution.at_least.iter().map(&mut value).collect();
            let high: Result<Vec<i64>, _> = solution.at_most.iter().map(&mut value).collect();
            let (Ok(low), Ok(high), Ok(holds)) = (low, high, condition.eval(at)) else {
                return;
            };
            let bounded = low.iter().all(|low| *low <= t) && high.iter().all(|high| t <= *high);
            let agrees = bounded == holds || bounded && !solution.is_exact;
            assert!(agrees, "{condition:?} at {:?}, {t}", at.position);
        });
    }
    assert!(solved > 1_000, "{solved}");
}
