//! Sets of natural numbers as unions of intervals.

/// The end of an unbounded interval.
pub const ENDLESS: u64 = u64::MAX;

/// A set of numbers: ascending, disjoint and nonadjacent intervals, both ends
/// included; the last may be unbounded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(u64, u64)>);

impl Intervals {
    /// The union of intervals in any order.
    pub fn union(intervals: impl IntoIterator<Item = (u64, u64)>) -> Intervals {
        let mut all: Vec<(u64, u64)> = intervals
            .into_iter()
            .filter(|(least, most)| least <= most)
            .collect();
        all.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (least, most) in all {
            match joined.last_mut() {
                Some((_, end)) if least <= end.saturating_add(1) => *end = most.max(*end),
                _ => joined.push((least, most)),
            }
        }
        Intervals(joined)
    }

    /// The difference of two sets.
    pub fn without(&self, other: &Intervals) -> Intervals {
        let mut left = Vec::new();
        for &(least, most) in &self.0 {
            let mut from = Some(least);
            for &(low, high) in &other.0 {
                let Some(start) = from else { break };
                if high < start || low > most {
                    continue;
                }
                if low > start {
                    left.push((start, low - 1));
                }
                from = (high < most).then(|| high + 1);
            }
            left.extend(from.map(|start| (start, most)));
        }
        Intervals(left)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        let after = self.0.partition_point(|(least, _)| *least <= number);
        after > 0 && self.0[after - 1].1 >= number
    }

    /// The start of the unbounded interval, if there is one.
    pub fn tail(&self) -> Option<u64> {
        let (least, most) = self.0.last()?;
        (*most == ENDLESS).then_some(*least)
    }

    /// The least number from which on all numbers are in the set, or none.
    pub fn settled_from(&self) -> u64 {
        match self.0.last() {
            None => 0,
            Some((least, ENDLESS)) => *least,
            Some((_, most)) => most + 1,
        }
    }

    /// The intervals, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// The elements up to `most`, ascending.
    pub fn up_to(&self, most: u64) -> impl Iterator<Item = u64> + '_ {
        self.0
            .iter()
            .take_while(move |(least, _)| *least <= most)
            .flat_map(move |(least, high)| *least..=most.min(*high))
    }

    /// The number of elements up to `most`.
    pub fn count_up_to(&self, most: u64) -> u64 {
        self.0
            .iter()
            .take_while(|(least, _)| *least <= most)
            .map(|(least, high)| most.min(*high) - least + 1)
            .sum()
    }
}
