//! What proves that a sequence goes on as it began.
//!
//! Each theorem here turns finitely many values into all of them. G(n) is the
//! value of a heap of n; "the relation at n" is G(n + p) = G(n) + s. Wherever
//! a proof speaks of a bound, it may be taken larger: values that fulfil the
//! larger bound fulfil the smaller.

use super::marks::Bits;
use super::runs::{ENDLESS, Runs};
use super::{HeapRule, Parts, Shape, Way};
use std::fmt;

/// A theorem by which a period is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theorem {
    /// A finite code that leaves one heap at most: a finite subtraction game.
    /// A value follows from the k values before it, k being the most that is
    /// removed, so once k values in a row come again, all that follow do.
    Subtraction,
    /// Guy and Smith (The G-values of various games, 1956) for octal codes,
    /// and the same argument for codes that leave up to r heaps (Winning Ways,
    /// chapter 4). Let k be the most that is removed, p >= 1 and n0 >= 1, and
    /// let the relation with s = 0 hold for n0 <= n < r n0 + (r - 1) p + k.
    /// Then it holds for all n >= n0.
    ///
    /// Proof. Let n be past that bound, and let the relation hold for the
    /// smaller heaps from n0 on. An option of n + p leaves some r' <= r heaps
    /// of n + p - t tokens in total, of which the largest has at least
    /// (n + p - k) / r >= n0 + p tokens; with p fewer in this heap it is an
    /// option of n, of the same value. An option of n leaves heaps of which
    /// the largest has at least (n - k) / r >= n0 tokens; with p more in it, it
    /// is an option of n + p, of the same value. So both have the same options'
    /// values. (Removing everything is an option of neither, or, where any
    /// number from k on may be removed so, of both.)
    FiniteCode { parts: u32 },
    /// The same for rules under which two heaps that are left must differ, as
    /// in Grundy's game: with the relation for n0 <= n < 2 n0 + 2 p + k.
    ///
    /// Proof. As before; only an option (a, b) of n + p with a = b + p has no
    /// option (a - p, b) of n beside it, the heaps being equal. Its value is
    /// G(b + p) ^ G(b) = 0, for 2 b = n - t >= 2 n0 + 2 p. But then n has the
    /// option (b + p, b - p), of value 0 since b - p >= n0. Raising the larger
    /// heap of an option of n by p keeps the heaps apart.
    UnequalPairs,
    /// One heap is left at most, and any number from L on may be removed: the
    /// games in which finitely many numbers may not be (Winning Ways, chapter
    /// 4), and Nim. Let C(n) be the values of the heaps 1 to n - L, and c the
    /// least number not in it. Values below c are options in any case. So how
    /// far G(n) is above c follows from how far the other values of C(n) are,
    /// and the L - 1 values before G(n), where they are above c; and all this
    /// for n + 1 follows too. So once it comes again for n + p, with c greater
    /// by s, the relation holds from n on.
    Tail,
    /// Any number may be removed, all of it as well; no move that breaks the
    /// heap removes nothing. Then G(n) = n: the options of n include each
    /// smaller number, and none has n, for a nim-sum is at most the sum, which
    /// is less than n.
    Nim,
    /// Nim in which a heap may be broken in two instead (Lasker; Winning
    /// Ways, chapter 4): G(n + 4) = G(n) + 4 for n >= 1, beginning with 1, 2,
    /// 4, 3.
    ///
    /// Proof that these are the values, by induction on n. Modulo 4, heaps of
    /// 4 q + 1, 4 q + 2, 4 q + 3 and 4 q + 4 are worth 1, 2, 0 and 3. Taking
    /// leads to the values of all smaller heaps.
    /// n = 4 q + 1: taking leads to 0, …, n - 1. Broken into parts of 0 and 1,
    /// or 2 and 3, modulo 4 it is worth 3 ^ 1 = 2 or 2 ^ 0 = 2, so not n.
    /// n = 4 q + 2: taking leads to 0, …, n - 1. The parts 0 and 2, 1 and 1, or
    /// 3 and 3 give 3 ^ 2 = 1 or 0, so not n.
    /// n = 4 q + 3: taking leads to 0, …, n - 1, and breaking 1 off leads to 1
    /// ^ (4 q + 2) = n. The parts 0 and 3, or 1 and 2, give 3 ^ 0 = 3 or 1 ^ 2
    /// = 3, so not n + 1.
    /// n = 4 q + 4: taking leads to 0, …, n - 2. The parts 0 and 0, 1 and 3, or
    /// 2 and 2 give 0 or 1 ^ 0 = 1, so not n - 1, which is 3.
    Lasker,
    /// A kind of heap that leaves heaps of other kinds alone, each of which
    /// has a period. Let p be a multiple of all these periods, n0 >= 1 past
    /// all the preperiods, and k the most that is removed, with up to r heaps
    /// left. Then G(n + p) = G(n) for n >= r n0 + (r - 1) p + k, as in the
    /// theorem of Guy and Smith, of which nothing but the step is needed.
    LeftOver,
    /// A kind of heap of which every move leaves one heap at most, of a kind
    /// that may be broken in two equal heaps: if an even number of tokens and
    /// an odd number may be removed in doing so, every heap that is large
    /// enough has an option of value 0, and is not worth 0 itself. So no option
    /// of the first kind is worth 0, and all its heaps from some size on are.
    TwoEqual,
}

impl Theorem {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Theorem::Subtraction => "the window of a finite subtraction game, which comes again",
            Theorem::FiniteCode { parts: 2 } => {
                "the periodicity theorem for octal games (Guy and Smith 1956)"
            }
            Theorem::FiniteCode { .. } => {
                "the periodicity theorem of Guy and Smith (1956), for more than two heaps left"
            }
            Theorem::UnequalPairs => {
                "the periodicity theorem of Guy and Smith (1956), for two heaps that differ"
            }
            Theorem::Tail => {
                "the state of a game in which all but finitely many numbers may be taken, \
                 which comes again"
            }
            Theorem::Nim => {
                "the theorem of Bouton (1901): what any number may be taken from is worth its size"
            }
            Theorem::Lasker => "the theorem on Lasker's Nim (Winning Ways, chapter 4)",
            Theorem::TwoEqual => "the move that breaks what is left into two equal heaps",
            Theorem::LeftOver => "the periods of the heaps that it leaves",
        }
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A period that is looked at: from `from` on, G(n + period) = G(n) + saltus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimed {
    pub period: u64,
    pub from: u64,
    pub saltus: u64,
}

/// The theorem that a rule and a period call for, with the last heap whose
/// value it wants to see.
pub fn needed(rule: &HeapRule<'_>, claimed: Claimed) -> Option<(Theorem, u64)> {
    Theorems::about(rule).wanted(claimed)
}

/// What the theorems have to say about a rule.
pub struct Theorems {
    /// Rules that are only listed are out of their reach.
    shape: Option<Shape>,
}

impl Theorems {
    pub fn about(rule: &HeapRule<'_>) -> Theorems {
        let shape = match rule {
            HeapRule::Ways(ways) => Some(Shape::new(ways)),
            HeapRule::SomeWays(_) | HeapRule::Listed(_) => None,
        };
        Theorems { shape }
    }

    /// Can no sequence of the rule have this saltus? No finite octal code has
    /// one but 0 (Austin, Impartial and partisan games, 1976), and neither has
    /// a finite subtraction game, whose values have a bound.
    pub fn exclude(&self, saltus: u64) -> bool {
        saltus != 0
            && self.shape.as_ref().is_some_and(|shape| {
                let several = &shape.several;
                shape.one.tail().is_none()
                    && several.iter().all(|s| s.removes.tail().is_none())
                    && several.iter().all(|s| s.parts == Parts::Any)
                    && shape.most_parts() <= 2
            })
    }

    /// The theorem that a period calls for, with the last heap whose value it
    /// wants to see.
    pub fn wanted(&self, claimed: Claimed) -> Option<(Theorem, u64)> {
        let shape = self.shape.as_ref()?;
        if claimed.period == 0 {
            return None;
        }
        by_size(shape, claimed)
            .or_else(|| by_tail(shape, claimed))
            .or_else(|| by_code(shape, claimed))
    }

    /// Do the values prove the period? The relation must hold among them.
    pub fn prove(&self, values: &[u32], claimed: Claimed) -> Option<(Theorem, u64)> {
        let (theorem, end) = self.wanted(claimed)?;
        let last = (values.len() as u64).checked_sub(1)?;
        if end > last {
            return None;
        }
        if theorem != Theorem::Tail {
            return Some((theorem, end));
        }
        let shape = self.shape.as_ref()?;
        let state = |heap: usize| State::before(shape, heap, values);
        let before = state(values.len() - claimed.period as usize)?;
        let now = state(values.len())?;
        let comes_again = u64::from(now.least) == u64::from(before.least) + claimed.saltus
            && now.above == before.above
            && now.last == before.last;
        comes_again.then_some((theorem, last))
    }
}

/// Games in which a heap is worth its size, or nearly.
fn by_size(shape: &Shape, claimed: Claimed) -> Option<(Theorem, u64)> {
    let positive = Runs::union([(1, ENDLESS)]);
    let nothing = Runs::union([(0, 0)]);
    if shape.one != positive || shape.all.without(&nothing) != positive {
        return None;
    }
    let grows = claimed.saltus == claimed.period;
    if shape.several.iter().all(|s| !s.removes.contains(0)) {
        return grows.then_some((Theorem::Nim, 0));
    }
    let breaks_in_two = shape.most_parts() == 2
        && shape.leaving(2, Parts::Any) == nothing
        && shape.leaving(2, Parts::Unequal).is_empty();
    let fits = claimed.period.is_multiple_of(4) && grows && claimed.from >= 1;
    (breaks_in_two && fits).then_some((Theorem::Lasker, 0))
}

fn by_tail(shape: &Shape, claimed: Claimed) -> Option<(Theorem, u64)> {
    let tail = shape.one.tail()?;
    if !shape.several.is_empty() {
        return None;
    }
    // The state before a heap past all that is special, and the same a period
    // later.
    let special = tail.max(shape.all.settled_from()).max(claimed.from) + 1;
    Some((Theorem::Tail, special.checked_add(claimed.period)?))
}

fn by_code(shape: &Shape, claimed: Claimed) -> Option<(Theorem, u64)> {
    if claimed.saltus != 0 {
        return None;
    }
    let step = step_from(shape, claimed.from, claimed.period)?;
    // G(n + p) for the last n below the bound.
    Some((step.theorem, step.bound.checked_add(claimed.period)? - 1))
}

/// From `bound` on, the options of n + p have the values of those of n, if the
/// relation holds with s = 0 for all that they leave.
struct Step {
    theorem: Theorem,
    bound: u64,
}

fn step_from(shape: &Shape, from: u64, period: u64) -> Option<Step> {
    let several = &shape.several;
    if shape.one.tail().is_some() || several.iter().any(|s| s.removes.tail().is_some()) {
        return None;
    }
    let parts = shape.most_parts().max(1);
    let unequal = several.iter().any(|s| s.parts == Parts::Unequal);
    let (theorem, heaps, periods) = match (unequal, parts) {
        (true, 2) => (Theorem::UnequalPairs, 2, 2),
        (true, _) => return None,
        (false, 1) => (Theorem::Subtraction, 1, 0),
        (false, parts) => (Theorem::FiniteCode { parts }, parts, parts - 1),
    };
    // The most that is removed. For larger heaps removing everything is an
    // option always or never.
    let last = |runs: &Runs| runs.settled_from().saturating_sub(1);
    let removed = several.iter().map(|s| last(&s.removes));
    let removed = removed.chain([last(&shape.one), last(&shape.all)]).max()?;
    let times = |number: u32, what: u64| what.checked_mul(u64::from(number));
    let bound = times(heaps, from.max(1))?
        .checked_add(times(periods, period)?)?
        .checked_add(removed)?;
    Some(Step { theorem, bound })
}

/// The period of a kind whose ways leave heaps of other kinds alone, these
/// having the period from `from` on.
pub fn left_over(ways: &[Way], from: u64, period: u64) -> Option<Claimed> {
    let step = step_from(&Shape::new(ways), from, period)?;
    Some(Claimed {
        period,
        from: step.bound,
        saltus: 0,
    })
}

/// What the values from a heap on follow from, where all numbers from L on
/// may be removed.
struct State {
    /// The least value that no heap to be had by removing L or more is worth.
    least: u32,
    /// The values above it that such heaps are worth, less it.
    above: Vec<u32>,
    /// The values of the other smaller heaps, less it, where they are not
    /// below it.
    last: Vec<Option<u32>>,
}

impl State {
    fn before(shape: &Shape, heap: usize, values: &[u32]) -> Option<State> {
        let tail = usize::try_from(shape.one.tail()?).ok()?;
        let end = heap.checked_sub(tail)? + 1;
        let mut had = Bits::default();
        values[1..end.max(1)]
            .iter()
            .for_each(|value| had.add(*value));
        // Where all may be removed, 0 is had in any case.
        if shape.all.contains(heap as u64) {
            had.add(0);
        }
        let least = had.mex();
        let words = had.words.len() as u32 * 64;
        Some(State {
            least,
            above: (least..words)
                .filter(|value| had.has(*value))
                .map(|value| value - least)
                .collect(),
            last: values[end..heap]
                .iter()
                .map(|value| value.checked_sub(least))
                .collect(),
        })
    }
}
