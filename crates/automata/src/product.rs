//! The Boolean operations, by the product construction. Pairs of states with a
//! constant result are merged into sinks.

use super::memo::Memo;
use super::ostrowski::words_of_numbers;
use super::unique_table::{Ref, UniqueTable, leaf, number_of};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;

/// A Boolean operation.
type Join = fn(bool, bool) -> bool;

impl Dfa {
    /// The intersection of two relations.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded, as for all operations here.
    ///
    /// # Panics
    ///
    /// If the numerations differ.
    pub fn and(&self, other: &Dfa, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        self.product(other, |left, right| left && right, budget)?
            .minimised(budget)
    }

    /// The union of two relations.
    pub fn or(&self, other: &Dfa, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        let joined = self.product(other, |left, right| left || right, budget)?;
        joined.restricted_to_numbers(budget)?.minimised(budget)
    }

    /// The difference of two relations.
    pub fn and_not(&self, other: &Dfa, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        let joined = self.product(other, |left, right| left && !right, budget)?;
        joined.restricted_to_numbers(budget)?.minimised(budget)
    }

    /// The complement of the relation.
    pub fn not(&self, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        let mut negated = self.clone();
        for accepting in &mut negated.accepting {
            *accepting = !*accepting;
        }
        negated.restricted_to_numbers(budget)?.minimised(budget)
    }

    /// The intersection, not minimised: it costs less if only a witness is
    /// needed.
    pub fn and_unminimised(&self, other: &Dfa, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        self.product(other, |left, right| left && right, budget)
    }

    /// The same relation between the numbers on all of these tracks: in an Ostrowski numeration
    /// words that represent no number on one of them are rejected, also where it is not read.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn over_numbers(&self, tracks: &[Track], budget: &Budget) -> Result<Dfa, LimitExceeded> {
        match self.numeration {
            Numeration::Base(_) => Ok(self.clone()),
            Numeration::Ostrowski(quotient) => {
                self.and(&words_of_numbers(quotient, tracks, budget)?, budget)
            }
        }
    }

    /// The same relation, with words that represent no numbers rejected.
    pub(super) fn restricted_to_numbers(self, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        match self.numeration {
            Numeration::Base(_) => Ok(self),
            Numeration::Ostrowski(quotient) => {
                let numbers = words_of_numbers(quotient, &self.tracks, budget)?;
                self.product(&numbers, |left, right| left && right, budget)
            }
        }
    }

    fn product(&self, other: &Dfa, join: Join, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        assert_eq!(
            self.numeration, other.numeration,
            "both automata have the same numeration"
        );
        let mut tracks: Vec<Track> = self.tracks.iter().chain(&other.tracks).copied().collect();
        tracks.sort_unstable();
        tracks.dedup();
        let mut product = Product {
            left: self,
            right: other,
            join,
            budget,
            nodes: UniqueTable::new(self.numeration.radix()),
            memo: Memo::default(),
            states: Memo::default(),
            pairs: Vec::new(),
            sinks: [None, None],
        };
        let start = product.state(self.start, other.start);
        let mut roots = Vec::new();
        let mut accepting = Vec::new();
        let mut next = 0;
        while let Some(&pair) = product.pairs.get(next) {
            match pair {
                Pair::Sink(value) => {
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
        Ok(Dfa {
            numeration: self.numeration,
            tracks,
            start,
            accepting,
            roots,
            nodes: product.nodes,
        })
    }
}

#[derive(Clone, Copy)]
enum Pair {
    /// A sink that accepts, or one that does not.
    Sink(bool),
    Both(u32, u32),
}

struct Product<'a> {
    left: &'a Dfa,
    right: &'a Dfa,
    join: Join,
    budget: &'a Budget,
    nodes: UniqueTable,
    memo: Memo<(Ref, Ref), Ref>,
    states: Memo<(u32, u32), u32>,
    pairs: Vec<Pair>,
    /// The rejecting sink and the accepting sink.
    sinks: [Option<u32>; 2],
}

impl Product<'_> {
    fn state(&mut self, left: u32, right: u32) -> u32 {
        if let Some(value) = self.value(self.left.sink_value(left), self.right.sink_value(right)) {
            return self.sink(value);
        }
        let pairs = &mut self.pairs;
        self.states.or_insert_with((left, right), || {
            pairs.push(Pair::Both(left, right));
            pairs.len() as u32 - 1
        })
    }

    fn sink(&mut self, value: bool) -> u32 {
        let pairs = &mut self.pairs;
        *self.sinks[usize::from(value)].get_or_insert_with(|| {
            pairs.push(Pair::Sink(value));
            pairs.len() as u32 - 1
        })
    }

    /// The result for two values, of which some may be unknown, if it does not
    /// depend on the unknown ones.
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

    fn diagram(&mut self, left: Ref, right: Ref) -> Result<Ref, LimitExceeded> {
        let (left_leaf, right_leaf) = (number_of(left), number_of(right));
        if let (Some(left), Some(right)) = (left_leaf, right_leaf) {
            return Ok(leaf(self.state(left, right)));
        }
        let certain = self.value(
            left_leaf.and_then(|state| self.left.sink_value(state)),
            right_leaf.and_then(|state| self.right.sink_value(state)),
        );
        if let Some(value) = certain {
            return Ok(leaf(self.sink(value)));
        }
        if let Some(&known) = self.memo.get(&(left, right)) {
            return Ok(known);
        }
        self.budget
            .tick(|| self.nodes.bytes() + self.memo.bytes() + self.states.bytes())?;
        let of_left = self.left.nodes.track(left);
        let of_right = self.right.nodes.track(right);
        let track = match (of_left, of_right) {
            (Some(one), Some(other)) => one.min(other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => unreachable!("two leaves are handled above"),
        };
        let radix = self.nodes.radix();
        let mut children = smallvec_of(radix);
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(
                self.left.nodes.cofactor(left, track, digit),
                self.right.nodes.cofactor(right, track, digit),
            )?;
        }
        let node = self.nodes.node(track, &children);
        self.memo.insert((left, right), node);
        Ok(node)
    }
}

/// Space for the children of a node.
pub(super) fn smallvec_of(radix: usize) -> smallvec::SmallVec<[Ref; 4]> {
    smallvec::SmallVec::from_elem(0, radix)
}
