//! Randomly mutated claims: every verdict must be correct.

use super::judged;
use nimrule_fixtures::{Numbers, shipped};
use nimrule_model::expr::{Arithmetic, Bool, Entry, Fold, HeapId, List, Num, Order};
use nimrule_model::game::{Claim, Convention, Direction, Game, Statement};

/// How many, unless the environment says otherwise.
const MUTANTS: u64 = 400;

/// A change at one place of an expression, counted down to.
struct Change<'c> {
    numbers: &'c mut Numbers,
    heaps: usize,
    /// How many places there are still to pass.
    left: usize,
    /// How many places were met.
    met: usize,
}

impl Change<'_> {
    fn here(&mut self) -> bool {
        self.met += 1;
        if self.left == 0 {
            self.left = usize::MAX;
            return true;
        }
        self.left -= 1;
        false
    }

    fn heap(&mut self) -> Num {
        Num::Heap(HeapId::new(self.numbers.below(self.heaps)))
    }

    fn small(&mut self) -> Num {
        Num::Const(self.numbers.below(4) as i64)
    }

    fn num(&mut self, num: &mut Num) {
        if self.here() {
            *num = match (self.numbers.below(6), std::mem::replace(num, Num::Const(0))) {
                (0..4, Num::Const(value)) => Num::Const(value + [1, -1][self.numbers.below(2)]),
                (0..3, Num::Heap(_)) => self.heap(),
                (0..3, Num::Binary(_, left, right)) => match self.numbers.below(3) {
                    0 => Num::Binary(Arithmetic::Add, left, right),
                    1 => Num::Binary(Arithmetic::Subtract, left, right),
                    _ => Num::nim_sum(List::Items(vec![*left, *right]).into()),
                },
                (0..3, Num::Fold(_, list)) => match self.numbers.below(4) {
                    3 => Num::nim_sum(list),
                    fold => Num::Fold([Fold::Max, Fold::Min, Fold::Sum][fold], list),
                },
                (0, _) => self.small(),
                (1 | 4, old) => {
                    let more = Box::new(self.small().into());
                    Num::Binary(Arithmetic::Add, Box::new(old.into()), more)
                }
                (2, old) => {
                    let modulus = Num::Const(2 + self.numbers.below(2) as i64);
                    Num::Binary(
                        Arithmetic::Modulo,
                        Box::new(old.into()),
                        Box::new(modulus.into()),
                    )
                }
                (3, old) => {
                    let divisor = Num::Const(2 + self.numbers.below(2) as i64);
                    Num::Binary(
                        Arithmetic::Divide,
                        Box::new(old.into()),
                        Box::new(divisor.into()),
                    )
                }
                _ => self.heap(),
            };
            return;
        }
        match num {
            Num::Negate(inner) => self.num(inner),
            Num::Binary(_, left, right) => {
                self.num(left);
                self.num(right);
            }
            Num::If(condition, then, otherwise) => {
                self.condition(condition);
                self.num(then);
                self.num(otherwise);
            }
            Num::Let(_, value, body) => {
                self.num(value);
                self.num(body);
            }
            Num::Fold(_, list) | Num::Carryless { list, .. } => self.list(list),
            _ => {}
        }
    }

    fn list(&mut self, list: &mut List) {
        if self.here() {
            if let List::Heaps(heaps) = list
                && heaps.len() > 1
            {
                let place = self.numbers.below(heaps.len());
                heaps.remove(place);
            }
            return;
        }
        match list {
            List::Items(items) => items.iter_mut().for_each(|item| self.num(item)),
            List::Gathered {
                value, condition, ..
            } => {
                self.num(value);
                if let Some(condition) = condition {
                    self.condition(condition);
                }
            }
            _ => {}
        }
    }

    fn condition(&mut self, condition: &mut Bool) {
        if self.here() {
            let old = std::mem::replace(condition, Bool::Const(true));
            *condition = match (self.numbers.below(6), old) {
                (0..3, Bool::Compare(_, left, right)) => {
                    let order = [Order::Equal, Order::NotEqual, Order::Less, Order::AtMost]
                        [self.numbers.below(4)];
                    Bool::Compare(order, left, right)
                }
                (3, Bool::Compare(order, left, right)) => Bool::Compare(order, right, left),
                (0, Bool::And(all)) => Bool::Or(all),
                (0, Bool::Or(all)) => Bool::And(all),
                (1 | 2, Bool::And(mut all)) if all.len() > 1 => {
                    let place = self.numbers.below(all.len());
                    all.remove(place);
                    Bool::And(all)
                }
                (1 | 2, Bool::Or(mut all)) if all.len() > 1 => {
                    let place = self.numbers.below(all.len());
                    all.remove(place);
                    Bool::Or(all)
                }
                (3, old) => Bool::Not(Box::new(old.into())),
                (4, old) => {
                    let order = [Order::Equal, Order::Less, Order::AtMost][self.numbers.below(3)];
                    let new = Bool::Compare(order, self.heap().into(), self.small().into());
                    if self.numbers.once_in(2) {
                        Bool::And(vec![old.into(), new.into()])
                    } else {
                        Bool::Or(vec![old.into(), new.into()])
                    }
                }
                (5, old) => Bool::And(vec![
                    old.into(),
                    Bool::Compare(Order::AtMost, self.heap().into(), self.heap().into()).into(),
                ]),
                // Nothing changes: claims that hold are wanted too.
                (_, old) => old,
            };
            return;
        }
        match condition {
            Bool::Compare(_, left, right) => {
                self.num(left);
                self.num(right);
            }
            Bool::In(num, _) => self.num(num),
            Bool::And(all) | Bool::Or(all) => all.iter_mut().for_each(|one| self.condition(one)),
            Bool::Not(inner) => self.condition(inner),
            Bool::If(condition, then, otherwise) => {
                self.condition(condition);
                self.condition(then);
                self.condition(otherwise);
            }
            Bool::Let(_, value, body) => {
                self.num(value);
                self.condition(body);
            }
            Bool::Quantified { body, .. } => self.condition(body),
            Bool::Like(like) => {
                for entry in &mut like.entries {
                    match entry {
                        Entry::Equals(value) => self.num(value),
                        Entry::Bind(_) | Entry::Solve { .. } => {}
                    }
                }
                if let Some(condition) = &mut like.condition {
                    self.condition(condition);
                }
            }
            _ => {}
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Outcome { condition, .. } => self.condition(condition),
            Statement::Grundy(value) => self.num(value),
            _ => {}
        }
    }
}

/// The claim with one to three changes.
fn mutant(game: &Game, claim: &Claim, numbers: &mut Numbers) -> Claim {
    let mut claim = claim.clone();
    let changes = 1 + numbers.below(3);
    let Some(statement) = &mut claim.statement else {
        return claim;
    };
    let heaps = game.heap_count();
    for _ in 0..changes {
        let mut counting = Change {
            numbers,
            heaps,
            left: usize::MAX - 1,
            met: 0,
        };
        counting.statement(statement);
        let places = counting.met.max(1);
        let left = numbers.below(places);
        Change {
            numbers,
            heaps,
            left,
            met: 0,
        }
        .statement(statement);
    }
    if let Statement::Outcome { direction, .. } = statement
        && numbers.once_in(6)
    {
        *direction = [Direction::If, Direction::OnlyIf][numbers.below(2)];
    }
    if numbers.once_in(5) {
        claim.convention = match claim.convention {
            Convention::Normal => Convention::Misere,
            Convention::Misere => Convention::Normal,
        };
    }
    claim
}

/// Games of few heaps, in which there is much to get wrong.
const GAMES: &[(&str, &[(&str, i64)])] = &[
    ("cube_vertex", &[]),
    ("cube_edge", &[]),
    ("cube_rotation", &[]),
    ("cube_rotation_slow", &[]),
    ("moore", &[("piles", 3), ("k", 2)]),
    ("trim", &[("piles", 2)]),
    ("trim", &[("piles", 3)]),
    ("rim", &[("k", 4), ("piles", 2)]),
    ("wythoff", &[]),
    ("circular_nim", &[("n", 4), ("k", 2)]),
    ("circular_nim", &[("n", 5), ("k", 2)]),
    ("circular_nim", &[("n", 5), ("k", 3)]),
    ("shrinking_circular_nim", &[("n", 4), ("k", 2)]),
    ("shrinking_circular_nim", &[("n", 5), ("k", 3)]),
    ("nim", &[]),
    ("greedy_nim", &[("piles", 3)]),
    ("graph_nim", &[]),
    ("planar_edge", &[]),
    ("prism_vertex", &[("n", 3)]),
    ("index_k", &[]),
    ("subtraction_range", &[]),
    ("subtraction_set", &[]),
    ("unbalanced_nim", &[]),
    ("tetrahedron_vertex", &[]),
    ("building_nim", &[("p", 2)]),
];

#[test]
fn no_mutated_claim_gets_a_wrong_verdict() {
    let mutants = std::env::var("NIMRULE_MUTANTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(MUTANTS);
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15 ^ mutants);
    let games: Vec<Game> = GAMES
        .iter()
        .map(|(file, settings)| shipped(file, settings))
        .collect();
    let (mut proved, mut refuted) = (0_u64, 0_u64);
    let mut tried = 0;
    while tried < mutants {
        let game = &games[numbers.below(games.len())];
        let claims: Vec<&Claim> = game
            .claims
            .iter()
            .filter(|c| {
                matches!(
                    c.statement,
                    Some(Statement::Outcome { .. } | Statement::Grundy(_))
                )
            })
            .collect();
        let claim = claims[numbers.below(claims.len())];
        let mutant = mutant(game, claim, &mut numbers);
        tried += 1;
        match judged(game, &mutant, 1_500, tried % 2 == 0) {
            Some(true) => proved += 1,
            Some(false) => refuted += 1,
            None => {}
        }
    }
    assert!(
        proved * 20 > mutants && refuted * 3 > mutants,
        "of {mutants} {proved} proved and {refuted} refuted"
    );
}
