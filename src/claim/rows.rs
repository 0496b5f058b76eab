//! Claims held against whole rows of outcomes.
//!
//! A condition is evaluated for many positions at once: first for a block of
//! rows, which differ in the last heap but one, with the last heap left open;
//! then, in those rows where the condition may hold or fail, along the row.
//! What comes out of either is two sets of places, those where the condition
//! can hold and those where it can fail; only where a place is in both is the
//! condition evaluated by itself. A part that cannot be followed in this way,
//! or that has no value somewhere, is simply open: where the other parts do not
//! decide the condition alone, the plain evaluation meets the fault.

mod number;
mod swap;

use super::{Counterexample, Judge, Said};
use crate::checkpoint::{Reading, Resumable, Unfit, Writing};
use crate::engine::{Failure, Outcome};
use crate::expr::{Bool, Entry, Images, List, Num, Order, Part, Slot};
use crate::game::{Game, Statement};
use crate::rows::{Layout, count};
use crate::syntax::ast::Direction;
use number::{Number, compare, number};

/// The smallest counterexample is what there is to keep: its position and its
/// outcome, from which the claim says again what is wrong.
impl Resumable for RowJudge<'_> {
    fn save(&self, out: &mut Writing<'_>) {
        match &self.worst {
            None => out.number(0),
            Some((_, found)) => {
                let is_p = found.actual == Said::Outcome(Outcome::P);
                out.number(if is_p { 1 } else { 2 });
                out.words(&found.position);
            }
        }
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        let outcome = match from.number()? {
            0 => return Ok(()),
            1 => Outcome::P,
            _ => Outcome::N,
        };
        let position = from.list()?;
        let objection = self
            .judge
            .objection(self.statement, &position, outcome, None);
        let Ok(Some((actual, claimed))) = objection else {
            return Err(Unfit::Meaning("a counterexample"));
        };
        let total = self.game.tokens(&position);
        let found = Counterexample {
            position,
            actual,
            claimed,
        };
        self.worst = Some((total, found));
        Ok(())
    }
}

/// Places looked at together: the bits of a word.
const PLACES: usize = 64;

/// A claim, and what was found wrong with it so far.
pub struct RowJudge<'g> {
    judge: Judge<'g>,
    game: &'g Game,
    statement: &'g Statement,
    /// The condition of a claim about P-positions, where it can be followed.
    condition: Option<(Direction, Node<'g>)>,
    /// The smallest counterexample, with its total.
    worst: Option<(u128, Counterexample)>,
    position: Vec<u64>,
    /// Was it wrong nowhere in the rows that were looked at last?
    is_right: bool,
    /// Does it say the same with two heaps exchanged, where this was asked?
    says_the_same: Option<([usize; 2], bool)>,
}

impl<'g> RowJudge<'g> {
    pub fn new(game: &'g Game, statement: &'g Statement) -> RowJudge<'g> {
        let condition = match statement {
            Statement::Outcome {
                class: Outcome::P,
                up_to_symmetry: false,
                direction,
                condition,
                ..
            } if game.heap_count() <= PLACES => {
                Some((*direction, node(&Names::of(game), condition)))
            }
            _ => None,
        };
        RowJudge {
            judge: Judge::new(game),
            game,
            statement,
            condition,
            worst: None,
            position: vec![0; game.heap_count()],
            is_right: true,
            says_the_same: None,
        }
    }

    /// Is what it says of the mirror image of the rows that it saw last right
    /// because it was right of these?
    pub fn mirrors(&mut self, layout: &Layout) -> bool {
        let (Some((_, condition)), &[one, other, ..]) = (&self.condition, &layout.order[..]) else {
            return false;
        };
        let says_the_same = match self.says_the_same {
            Some((heaps, same)) if heaps == [one, other] => same,
            _ => swap::says_the_same(condition, one, other),
        };
        self.says_the_same = Some(([one, other], says_the_same));
        says_the_same && self.is_right
    }

    pub fn worst(&self) -> Option<&Counterexample> {
        self.worst.as_ref().map(|(_, found)| found)
    }

    pub fn into_worst(self) -> Option<Counterexample> {
        self.worst.map(|(_, counterexample)| counterexample)
    }

    /// Holds the claim against rows: see [`crate::rows::Sink::rows`].
    pub fn rows(&mut self, layout: &Layout, first: usize, words: &[u64]) -> Result<(), Failure> {
        let heaps = layout.most.len();
        let block = match heaps {
            0 | 1 => 1,
            _ => layout.most[heaps - 2] as usize + 1,
        };
        let mut row = first;
        let mut rest = words;
        let outer = heaps.saturating_sub(2);
        let mut sizes = layout.row(row);
        self.is_right = true;
        while !rest.is_empty() {
            // Up to the end of the block, and no more rows than places.
            let within = row % block;
            let rows = (block - within).min(PLACES).min(rest.len() / layout.words);
            let (these, others) = rest.split_at(rows * layout.words);
            layout.tell(&sizes[..outer], &mut self.position);
            self.block(layout, within, these)?;
            row += rows;
            rest = others;
            if within + rows == block {
                layout.advance(&mut sizes[..outer]);
            }
        }
        Ok(())
    }

    /// Rows that differ in the last heap but one, which is `within` in the
    /// first of them.
    fn block(&mut self, layout: &Layout, within: usize, words: &[u64]) -> Result<(), Failure> {
        let heaps = layout.most.len();
        let rows = words.len() / layout.words;
        // The heap along whose sizes the rows of a block lie, and that along
        // which a row lies.
        let before = heaps.checked_sub(2).map(|place| layout.order[place]);
        let last = layout.order[heaps - 1];
        let truth = match &self.condition {
            Some((_, condition)) if before.is_some() => {
                let along = Along {
                    position: &self.position,
                    axis: before.unwrap_or(last),
                    from: within as i64,
                    places: rows,
                    open: 1 << last,
                };
                condition.truth(&along)
            }
            _ => Truth::OPEN,
        };
        // Rows without a P-position where none is claimed are as they should
        // be, and most rows are such.
        let mut looked_at = truth.can_hold & (u64::MAX >> (PLACES - rows));
        if count(words) != 0 {
            for (number, words) in words.chunks_exact(layout.words).enumerate() {
                let any = words.iter().any(|word| *word != 0);
                looked_at |= u64::from(any) << number;
            }
        }
        while looked_at != 0 {
            let number = looked_at.trailing_zeros() as usize;
            looked_at &= looked_at - 1;
            if let Some(before) = before {
                self.position[before] = (within + number) as u64;
            }
            let words = &words[number * layout.words..][..layout.words];
            for (word, bits) in words.iter().enumerate() {
                let most = layout.most[heaps - 1] as usize;
                let places = (most + 1 - word * PLACES).min(PLACES);
                let can_hold = truth.can_hold >> number & 1 == 1;
                let can_fail = truth.can_fail >> number & 1 == 1;
                let can = (can_hold, can_fail);
                self.row(last, word * PLACES, places, *bits, can)?;
            }
        }
        Ok(())
    }

    /// A stretch of one row, in which this heap has these sizes; the condition
    /// can hold there, and can fail.
    fn row(
        &mut self,
        last: usize,
        from: usize,
        places: usize,
        found: u64,
        (can_hold, can_fail): (bool, bool),
    ) -> Result<(), Failure> {
        let all = u64::MAX >> (PLACES - places);
        let (open, wrong) = match &self.condition {
            None => (all, 0),
            Some((direction, condition)) => {
                let truth = match (can_hold, can_fail) {
                    (true, true) => condition.truth(&Along {
                        position: &self.position,
                        axis: last,
                        from: from as i64,
                        places,
                        open: 0,
                    }),
                    (true, false) => Truth::of(true),
                    (false, _) => Truth::of(false),
                };
                let open = truth.can_hold & truth.can_fail;
                let wrong = match direction {
                    Direction::Iff => truth.can_hold ^ found,
                    Direction::If => truth.can_hold & !found,
                    Direction::OnlyIf => found & !truth.can_hold,
                };
                (open & all, wrong & !open & all)
            }
        };
        let mut left = open | wrong;
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            self.position[last] = (from + place) as u64;
            let outcome = if found >> place & 1 == 1 {
                Outcome::P
            } else {
                Outcome::N
            };
            let total = self.game.tokens(&self.position);
            let position = &self.position;
            let smaller = self
                .worst
                .as_ref()
                .is_none_or(|(least, worst)| (total, position) < (*least, &worst.position));
            let objection = self
                .judge
                .objection(self.statement, position, outcome, None)
                .map_err(|fault| Failure::Fault {
                    fault,
                    position: position.clone(),
                })?;
            let Some((actual, claimed)) = objection else {
                continue;
            };
            self.is_right = false;
            if smaller {
                let counterexample = Counterexample {
                    position: position.clone(),
                    actual,
                    claimed,
                };
                self.worst = Some((total, counterexample));
            }
        }
        Ok(())
    }
}

/// Positions that differ in one heap.
#[derive(Clone, Copy)]
struct Along<'a> {
    position: &'a [u64],
    axis: usize,
    /// The axis heap's size at the first place.
    from: i64,
    places: usize,
    /// Heaps whose sizes are left open, as bits.
    open: u64,
}

/// Where a condition can hold, and where it can fail.
#[derive(Clone, Copy)]
struct Truth {
    can_hold: u64,
    can_fail: u64,
}

impl Along<'_> {
    /// One of these positions alone.
    fn at(&self, place: usize) -> Self {
        Along {
            from: self.from + place as i64,
            places: 1,
            ..*self
        }
    }
}

impl Truth {
    const OPEN: Truth = Truth {
        can_hold: u64::MAX,
        can_fail: u64::MAX,
    };

    fn of(holds: bool) -> Truth {
        if holds {
            Truth::exactly(u64::MAX)
        } else {
            Truth::exactly(0)
        }
    }

    fn exactly(holds: u64) -> Truth {
        Truth {
            can_hold: holds,
            can_fail: !holds,
        }
    }
}

/// A condition that can be followed along rows.
enum Node<'g> {
    Compare(Order, Number<'g>, Number<'g>),
    And(Vec<Node<'g>>),
    Or(Vec<Node<'g>>),
    Not(Box<Node<'g>>),
    If(Box<Node<'g>>, Box<Node<'g>>, Box<Node<'g>>),
    /// The position is one of these, in ascending order.
    OneOf(Vec<Vec<u64>>),
    /// Anything else that looks at these heaps.
    Other(&'g Bool, u64, &'g Game),
}

/// The game, and the names that stand for numbers.
#[derive(Clone)]
struct Names<'g> {
    game: &'g Game,
    values: Vec<(Slot, &'g Num)>,
}

impl<'g> Names<'g> {
    fn of(game: &'g Game) -> Names<'g> {
        Names {
            game,
            values: Vec::new(),
        }
    }

    fn with(&self, slot: Slot, value: &'g Num) -> Names<'g> {
        let mut names = self.clone();
        names.values.push((slot, value));
        names
    }

    fn value(&self, slot: Slot) -> Option<&'g Num> {
        let mut latest = self.values.iter().rev();
        latest
            .find(|(name, _)| *name == slot)
            .map(|(_, value)| *value)
    }

    /// The heaps that a part looks at, as bits; all of them where it uses a
    /// name that stands for a number.
    fn touched(&self, part: Part<'_>) -> u64 {
        let mut heaps = 0_u64;
        let all = u64::MAX >> (PLACES - self.game.heap_count().max(1));
        part.any(&mut |part| {
            match part {
                Part::Num(Num::Heap(heap)) => heaps |= 1 << heap.index(),
                Part::Num(Num::HeapAt { heaps: some, .. }) | Part::List(List::Heaps(some)) => {
                    for heap in some {
                        heaps |= 1 << heap.index();
                    }
                }
                Part::Bool(Bool::Like(_)) | Part::List(List::Bag(_)) => heaps |= all,
                Part::Num(Num::Local(slot)) if self.value(*slot).is_some() => heaps |= all,
                _ => {}
            }
            false
        });
        heaps
    }
}

fn node<'g>(names: &Names<'g>, condition: &'g Bool) -> Node<'g> {
    let game = names.game;
    let nodes = |all: &'g [Bool]| all.iter().map(|one| node(names, one)).collect();
    let other = || Node::Other(condition, names.touched(Part::Bool(condition)), game);
    match condition {
        Bool::Compare(order, left, right) => {
            Node::Compare(*order, number(names, left), number(names, right))
        }
        Bool::And(all) => Node::And(equations_first(nodes(all))),
        Bool::Or(all) => Node::Or(nodes(all)),
        Bool::Not(inner) => Node::Not(Box::new(node(names, inner))),
        Bool::If(condition, then, otherwise) => Node::If(
            Box::new(node(names, condition)),
            Box::new(node(names, then)),
            Box::new(node(names, otherwise)),
        ),
        Bool::Let(slot, value, body) => node(&names.with(*slot, value), body),
        Bool::Like(like) if like.images == Images::Symmetries && like.condition.is_none() => {
            let sizes: Option<Vec<u64>> = like
                .entries
                .iter()
                .map(|entry| match entry {
                    Entry::Equals(Num::Const(size)) => u64::try_from(*size).ok(),
                    _ => None,
                })
                .collect();
            match sizes.and_then(|sizes| images(game, &sizes)) {
                Some(images) => Node::OneOf(images),
                None => other(),
            }
        }
        _ => other(),
    }
}

/// The parts of a conjunction. Equations come first, since they leave the
/// fewest places for the others to be looked at.
fn equations_first(nodes: Vec<Node<'_>>) -> Vec<Node<'_>> {
    let parts = nodes.into_iter().flat_map(|node| match node {
        Node::And(parts) => parts,
        node => vec![node],
    });
    let (mut all, others): (Vec<_>, Vec<_>) =
        parts.partition(|node| matches!(node, Node::Compare(Order::Equal, _, _)));
    all.extend(others);
    all
}

/// All images of a position, where there are few.
fn images(game: &Game, position: &[u64]) -> Option<Vec<Vec<u64>>> {
    const FEW: u128 = 2000;
    if position.len() != game.heap_count() || game.symmetries.orbit_size(position) > FEW {
        return None;
    }
    crate::expr::eval::check_images(&game.symmetries, position).ok()?;
    let mut images = Vec::new();
    game.symmetries.any_image(position, &mut |image| {
        images.push(image.to_vec());
        false
    });
    images.sort();
    images.dedup();
    Some(images)
}

impl Node<'_> {
    fn truth(&self, along: &Along<'_>) -> Truth {
        match self {
            Node::Compare(order, left, right) => {
                compare(*order, left.value(along), right.value(along), along)
            }
            Node::And(all) => {
                let mut truth = Truth::of(true);
                for node in all {
                    let left = truth.can_hold & (u64::MAX >> (PLACES - along.places));
                    if left.is_power_of_two() && along.places > 1 {
                        let place = left.trailing_zeros() as usize;
                        let one = node.truth(&along.at(place));
                        truth.can_hold = left & one.can_hold << place;
                        truth.can_fail |= (one.can_fail & 1) << place;
                        if truth.can_hold == 0 {
                            return Truth::of(false);
                        }
                        continue;
                    }
                    let one = node.truth(along);
                    truth.can_hold &= one.can_hold;
                    truth.can_fail |= one.can_fail;
                    if truth.can_hold == 0 {
                        return Truth::of(false);
                    }
                }
                truth
            }
            Node::Or(all) => {
                let mut truth = Truth::of(false);
                for node in all {
                    let one = node.truth(along);
                    truth.can_hold |= one.can_hold;
                    truth.can_fail &= one.can_fail;
                    if truth.can_fail == 0 {
                        return Truth::of(true);
                    }
                }
                truth
            }
            Node::Not(inner) => {
                let truth = inner.truth(along);
                Truth {
                    can_hold: truth.can_fail,
                    can_fail: truth.can_hold,
                }
            }
            Node::If(condition, then, otherwise) => {
                let which = condition.truth(along);
                let (then, otherwise) = match (which.can_hold, which.can_fail) {
                    (_, 0) => return then.truth(along),
                    (0, _) => return otherwise.truth(along),
                    _ => (then.truth(along), otherwise.truth(along)),
                };
                Truth {
                    can_hold: which.can_hold & then.can_hold | which.can_fail & otherwise.can_hold,
                    can_fail: which.can_hold & then.can_fail | which.can_fail & otherwise.can_fail,
                }
            }
            Node::OneOf(positions) => one_of(positions, along),
            Node::Other(condition, touched, game) => {
                if touched & (along.open | 1 << along.axis) != 0 {
                    return Truth::OPEN;
                }
                match condition.eval(&mut scene(along, game, &mut vec![0; game.slots])) {
                    Ok(holds) => Truth::of(holds),
                    Err(_) => Truth::OPEN,
                }
            }
        }
    }
}

fn scene<'s>(
    along: &'s Along<'_>,
    game: &'s Game,
    locals: &'s mut [i64],
) -> crate::expr::Scene<'s> {
    super::scene(along.position, locals, game)
}

fn one_of(positions: &[Vec<u64>], along: &Along<'_>) -> Truth {
    // The positions stand in lexicographic order, and those are looked at that
    // have the sizes that come before any that differs or is open.
    let known = along.axis.min(along.open.trailing_zeros() as usize);
    let before = &along.position[..known];
    let first = positions.partition_point(|other| other[..known] < *before);
    let mut truth = Truth::of(false);
    for other in &positions[first..] {
        if other[..known] != *before {
            break;
        }
        let fits = (known..along.position.len()).all(|heap| {
            heap == along.axis || along.open >> heap & 1 == 1 || other[heap] == along.position[heap]
        });
        let place = other[along.axis] as i64 - along.from;
        if fits && (0..along.places as i64).contains(&place) {
            truth.can_hold |= 1 << place;
            if along.open == 0 {
                truth.can_fail &= !(1 << place);
            }
        }
    }
    truth
}
