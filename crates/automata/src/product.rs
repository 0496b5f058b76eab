//! And, or, not: two automata side by side.

use super::arena::{Arena, Ref, leaf, number_of};
use super::known::Known;
use super::zeckendorf::writes_numbers;
use super::{Automaton, Budget, Numeration, Track};
use nimrule_limits::Met;

/// What is made of two truth values.
type Join = fn(bool, bool) -> bool;

impl Automaton {
    pub fn and(&self, other: &Automaton, budget: &Budget) -> Result<Automaton, Met> {
        self.side_by_side(other, |left, right| left && right, budget)?
            .minimised(budget)
    }

    pub fn or(&self, other: &Automaton, budget: &Budget) -> Result<Automaton, Met> {
        let joined = self.side_by_side(other, |left, right| left || right, budget)?;
        joined.of_numbers(budget)?.minimised(budget)
    }

    /// This one and not the other.
    pub fn but_not(&self, other: &Automaton, budget: &Budget) -> Result<Automaton, Met> {
        let joined = self.side_by_side(other, |left, right| left && !right, budget)?;
        joined.of_numbers(budget)?.minimised(budget)
    }

    pub fn not(&self, budget: &Budget) -> Result<Automaton, Met> {
        let mut turned = self.clone();
        for accepting in &mut turned.accepting {
            *accepting = !*accepting;
        }
        turned.of_numbers(budget)?.minimised(budget)
    }

    /// And, its states as they come: for those who only ask whether there is
    /// anything in it.
    pub fn meet(&self, other: &Automaton, budget: &Budget) -> Result<Automaton, Met> {
        self.side_by_side(other, |left, right| left && right, budget)
    }

    /// Rejects words that write no numbers, where there are any.
    pub(super) fn of_numbers(self, budget: &Budget) -> Result<Automaton, Met> {
        match self.numeration {
            Numeration::Base(_) => Ok(self),
            Numeration::Zeckendorf => {
                let sound = writes_numbers(&self.tracks, budget)?;
                self.side_by_side(&sound, |left, right| left && right, budget)
            }
        }
    }

    fn side_by_side(
        &self,
        other: &Automaton,
        join: Join,
        budget: &Budget,
    ) -> Result<Automaton, Met> {
        assert_eq!(
            self.numeration, other.numeration,
            "one way to write numbers"
        );
        let mut tracks: Vec<Track> = self.tracks.iter().chain(&other.tracks).copied().collect();
        tracks.sort_unstable();
        tracks.dedup();
        let mut product = Product {
            left: self,
            right: other,
            join,
            budget,
            arena: Arena::new(self.numeration.radix()),
            known: Known::default(),
            states: Known::default(),
            pairs: Vec::new(),
            settled: [None, None],
        };
        let start = product.state(self.start, other.start);
        let mut roots = Vec::new();
        let mut accepting = Vec::new();
        let mut next = 0;
        while let Some(&pair) = product.pairs.get(next) {
            match pair {
                Pair::Settled(value) => {
                    roots.push(leaf(next as u32));
                    accepting.push(value);
                }
                Pair::Both(left, right) => {
                    let root =
                        product.diagram(self.roots[left as usize], other.roots[right as usize])?;
                    roots.push(root);
                    accepting.push(join(self.is_accepting(left), other.is_accepting(right)));
                }
            }
            next += 1;
        }
        Ok(Automaton {
            numeration: self.numeration,
            tracks,
            start,
            accepting,
            roots,
            arena: product.arena,
        })
    }
}

#[derive(Clone, Copy)]
enum Pair {
    /// Whatever comes, this is the answer.
    Settled(bool),
    Both(u32, u32),
}

struct Product<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    join: Join,
    budget: &'a Budget,
    arena: Arena,
    known: Known<(Ref, Ref), Ref>,
    states: Known<(u32, u32), u32>,
    pairs: Vec<Pair>,
    /// The states that are never left: no, yes.
    settled: [Option<u32>; 2],
}

impl Product<'_> {
    fn state(&mut self, left: u32, right: u32) -> u32 {
        if let Some(value) = self.value(self.left.settled(left), self.right.settled(right)) {
            return self.settled_state(value);
        }
        let pairs = &mut self.pairs;
        self.states.or_insert_with((left, right), || {
            pairs.push(Pair::Both(left, right));
            pairs.len() as u32 - 1
        })
    }

    fn settled_state(&mut self, value: bool) -> u32 {
        let pairs = &mut self.pairs;
        *self.settled[usize::from(value)].get_or_insert_with(|| {
            pairs.push(Pair::Settled(value));
            pairs.len() as u32 - 1
        })
    }

    /// What comes of two values, of which one may be open, where it is sure.
    fn value(&self, left: Option<bool>, right: Option<bool>) -> Option<bool> {
        let join = self.join;
        match (left, right) {
            (Some(left), Some(right)) => Some(join(left, right)),
            (Some(left), None) => {
                (join(left, false) == join(left, true)).then(|| join(left, false))
            }
            (None, Some(right)) => {
                (join(false, right) == join(true, right)).then(|| join(false, right))
            }
            (None, None) => None,
        }
    }

    fn diagram(&mut self, left: Ref, right: Ref) -> Result<Ref, Met> {
        let (left_leaf, right_leaf) = (number_of(left), number_of(right));
        if let (Some(left), Some(right)) = (left_leaf, right_leaf) {
            return Ok(leaf(self.state(left, right)));
        }
        let sure = self.value(
            left_leaf.and_then(|state| self.left.settled(state)),
            right_leaf.and_then(|state| self.right.settled(state)),
        );
        if let Some(value) = sure {
            return Ok(leaf(self.settled_state(value)));
        }
        if let Some(&known) = self.known.get(&(left, right)) {
            return Ok(known);
        }
        self.budget
            .tick(|| self.arena.bytes() + self.known.bytes() + self.states.bytes())?;
        let of_left = self.left.arena.track(left);
        let of_right = self.right.arena.track(right);
        let track = match (of_left, of_right) {
            (Some(one), Some(other)) => one.min(other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => unreachable!("two leaves were met above"),
        };
        let radix = self.arena.radix();
        let mut children = smallvec_of(radix);
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(
                self.left.arena.given(left, track, digit),
                self.right.arena.given(right, track, digit),
            )?;
        }
        let node = self.arena.node(track, &children);
        self.known.insert((left, right), node);
        Ok(node)
    }
}

/// Room for the children of a node.
pub(super) fn smallvec_of(radix: usize) -> smallvec::SmallVec<[Ref; 4]> {
    smallvec::SmallVec::from_elem(0, radix)
}
