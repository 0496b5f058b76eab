//! Sets of numbers as runs: ascending, apart, the last perhaps without end.

/// The end of a run that has none.
pub const ENDLESS: u64 = u64::MAX;

/// A set of numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs(Vec<(u64, u64)>);

impl Runs {
    /// The union of any runs, in whatever order they come.
    pub fn union(runs: impl IntoIterator<Item = (u64, u64)>) -> Runs {
        let mut all: Vec<(u64, u64)> = runs
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
        Runs(joined)
    }

    /// What is here and not there.
    pub fn without(&self, other: &Runs) -> Runs {
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
        Runs(left)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, number: u64) -> bool {
        let after = self.0.partition_point(|(least, _)| *least <= number);
        after > 0 && self.0[after - 1].1 >= number
    }

    pub fn least(&self) -> Option<u64> {
        self.0.first().map(|(least, _)| *least)
    }

    /// Where the run without end begins, if there is one.
    pub fn tail(&self) -> Option<u64> {
        let (least, most) = self.0.last()?;
        (*most == ENDLESS).then_some(*least)
    }

    /// The first number from which on all belong or none does.
    pub fn settled_from(&self) -> u64 {
        match self.0.last() {
            None => 0,
            Some((least, ENDLESS)) => *least,
            Some((_, most)) => most + 1,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// The numbers up to `most`, ascending.
    pub fn up_to(&self, most: u64) -> impl Iterator<Item = u64> + '_ {
        self.0
            .iter()
            .take_while(move |(least, _)| *least <= most)
            .flat_map(move |(least, high)| *least..=most.min(*high))
    }

    /// How many numbers up to `most` belong.
    pub fn count_up_to(&self, most: u64) -> u64 {
        self.0
            .iter()
            .take_while(|(least, _)| *least <= most)
            .map(|(least, high)| most.min(*high) - least + 1)
            .sum()
    }
}
