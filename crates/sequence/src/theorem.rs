//! Periodicity theorems: finitely many values determine the whole sequence.
//!
//! Notation: G(n) is the Grundy value of a heap of n, and "the relation at n"
//! is G(n + p) = G(n) + s. Each bound may be replaced by a larger one.

use super::intervals::{ENDLESS, Intervals};
use super::value_sets::BitSet;
use super::{HeapMove, HeapRule, Parts, Shape};
use std::fmt;

/// A theorem that proves a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theorem {
    /// Finite subtraction games: finite codes that leave at most one heap. A
    /// value is a function of the k values before it, where k is the most
    /// tokens that are removed. So if k consecutive values repeat, all later
    /// values do.
    Subtraction,
    /// Octal codes (Guy and Smith, The G-values of various games, 1956), and by
    /// the same argument codes that leave up to r heaps (*Winning Ways*, chapter
    /// 4). Let k be the most tokens that are removed, p >= 1 and n0 >= 1, and
    /// let the relation with s = 0 hold for n0 <= n < r n0 + (r - 1) p + k.
    /// Then it holds for all n >= n0.
    ///
    /// Proof, by induction on n from that bound on. An option of n + p leaves
    /// r' <= r heaps of n + p - t tokens in total. The largest has at least
    /// (n + p - k) / r >= n0 + p tokens; with p fewer in this heap it is an
    /// option of n, of the same value. An option of n leaves heaps of which the
    /// largest has at least (n - k) / r >= n0 tokens; with p more in it, it is
    /// an option of n + p, of the same value. So the options of both have the
    /// same values. (Removing everything is an option of neither, or, if any
    /// number from k on may be removed so, of both.)
    FiniteCode {
        /// The most heaps left, r.
        parts: u32,
    },
    /// The same for rules that leave two distinct heaps, as in Grundy's game,
    /// if the relation holds for n0 <= n < 2 n0 + 2 p + k.
    ///
    /// Proof. As before, except for an option (a, b) of n + p with a = b + p:
    /// (a - p, b) is not an option of n, because the heaps are equal. Its value
    /// is G(b + p) ^ G(b) = 0, for 2 b = n - t >= 2 n0 + 2 p. But n has the
    /// option (b + p, b - p), of value 0 since b - p >= n0. The heaps of an
    /// option of n stay distinct if p is added to the larger.
    UnequalPairs,
    /// Games that leave at most one heap, in which any number from L on may be
    /// removed: all-but subtraction games (*Winning Ways*, chapter 4), and Nim.
    /// Let C(n) be the set of values of the heaps 1 to n - L, and c its mex. All
    /// values below c are options of n. So G(n) - c is a function of the
    /// differences to c of the values in C(n) and of the L - 1 values before
    /// G(n), as far as these are above c. The differences for n + 1 are a
    /// function of the same. So if they are equal for n and n + p, and c is
    /// greater by s, the relation holds from n on.
    AllBut,
    /// Any number may be removed, also all tokens; every move that splits the
    /// heap removes a token. Then G(n) = n: the options of n have each smaller
    /// value, and none has the value n, because a nim-sum is at most the sum,
    /// which is less than n.
    Nim,
    /// Lasker's Nim, in which a heap may also be split in two (*Winning Ways*,
    /// chapter 4): G(n + 4) = G(n) + 4 for n >= 1, with the first values 1, 2,
    /// 4, 3.
    ///
    /// Proof, by induction on n. Modulo 4, the values of the heaps 4 q + 1,
    /// 4 q + 2, 4 q + 3 and 4 q + 4 are 1, 2, 0 and 3. Taking leads to the
    /// values of all smaller heaps.
    /// n = 4 q + 1: taking leads to 0, …, n - 1. A split into parts of 0 and 1,
    /// or 2 and 3, modulo 4 has the value 3 ^ 1 = 2 or 2 ^ 0 = 2, so not n.
    /// n = 4 q + 2: taking leads to 0, …, n - 1. The parts 0 and 2, 1 and 1, or
    /// 3 and 3 give 3 ^ 2 = 1 or 0, so not n.
    /// n = 4 q + 3: taking leads to 0, …, n - 1, and splitting off 1 leads to 1
    /// ^ (4 q + 2) = n. The parts 0 and 3, or 1 and 2, give 3 ^ 0 = 3 or 1 ^ 2
    /// = 3, so not n + 1.
    /// n = 4 q + 4: taking leads to 0, …, n - 2. The parts 0 and 0, 1 and 3, or
    /// 2 and 2 give 0 or 1 ^ 0 = 1, so not n - 1, which is 3.
    Lasker,
    /// A kind of heap whose moves leave only heaps of other kinds, each of which
    /// has a period. Let p be a multiple of all these periods, n0 >= 1 at least
    /// all preperiods, k the most tokens that are removed, and r the most heaps
    /// left. Then G(n + p) = G(n) for n >= r n0 + (r - 1) p + k, by the step of
    /// the theorem of Guy and Smith.
    OtherKinds,
    /// A kind of heap whose moves leave at most one heap, of a second kind that
    /// can be split into two equal heaps. If both an even and an odd number of
    /// tokens may be removed by such a split, every large heap of the second
    /// kind has an option of value 0, so its own value is not 0. Then no option
    /// of a large heap of the first kind has the value 0, so its value is 0.
    EqualHeaps,
}

impl Theorem {
    /// The name of the theorem, as printed.
    pub fn name(self) -> &'static str {
        match self {
            Theorem::Subtraction => "recurrence of a window of a finite subtraction game",
            Theorem::FiniteCode { parts: 2 } => {
                "the periodicity theorem for octal games (Guy and Smith 1956)"
            }
            Theorem::FiniteCode { .. } => {
                "the periodicity theorem of Guy and Smith (1956), for more than two heaps left"
            }
            Theorem::UnequalPairs => {
                "the periodicity theorem of Guy and Smith (1956), for two heaps that differ"
            }
            Theorem::AllBut => "recurrence of a state of an all-but subtraction game",
            Theorem::Nim => "Bouton's theorem (1901): the value of a Nim heap is its size",
            Theorem::Lasker => "the theorem on Lasker's Nim (Winning Ways, chapter 4)",
            Theorem::EqualHeaps => "the move that breaks what is left into two equal heaps",
            Theorem::OtherKinds => "the periods of the heaps that it leaves",
        }
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A claimed period: G(n + period) = G(n) + saltus for all n from `from` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodClaim {
    /// The period.
    pub period: u64,
    /// The first heap of the period.
    pub from: u64,
    /// The saltus; 0 if the sequence is periodic.
    pub saltus: u64,
}

/// The theorem that can prove a period of a rule, with the last heap whose value
/// the proof needs; `None` if no theorem applies.
pub fn needed(rule: &HeapRule<'_>, claim: PeriodClaim) -> Option<(Theorem, u64)> {
    Theorems::about(rule).wanted(claim)
}

/// The theorems that apply to a rule.
pub struct Theorems {
    /// `None` if no theorem applies: the rule is a callback, or not complete.
    shape: Option<Shape>,
}

impl Theorems {
    pub fn about(rule: &HeapRule<'_>) -> Theorems {
        let shape = match rule {
            HeapRule::Moves(moves) => Some(Shape::new(moves)),
            HeapRule::SomeMoves(_) | HeapRule::Listed(_) => None,
        };
        Theorems { shape }
    }

    /// Returns whether no sequence of the rule has this saltus. The saltus of a
    /// finite octal code is 0 (Austin, Impartial and partisan games, 1976), and
    /// so is that of a finite subtraction game, whose values are bounded.
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

    /// The theorem that can prove a period, with the last heap whose value the
    /// proof needs.
    pub fn wanted(&self, claim: PeriodClaim) -> Option<(Theorem, u64)> {
        let shape = self.shape.as_ref()?;
        if claim.period == 0 {
            return None;
        }
        by_size(shape, claim)
            .or_else(|| by_tail(shape, claim))
            .or_else(|| by_code(shape, claim))
    }

    /// Proves a period that holds for all given values, if they are enough.
    pub fn prove(&self, values: &[u32], claim: PeriodClaim) -> Option<(Theorem, u64)> {
        let (theorem, end) = self.wanted(claim)?;
        let last = (values.len() as u64).checked_sub(1)?;
        if end > last {
            return None;
        }
        if theorem != Theorem::AllBut {
            return Some((theorem, end));
        }
        let shape = self.shape.as_ref()?;
        let state = |heap: usize| State::before(shape, heap, values);
        let before = state(values.len() - claim.period as usize)?;
        let now = state(values.len())?;
        let comes_again = u64::from(now.least) == u64::from(before.least) + claim.saltus
            && now.above == before.above
            && now.last == before.last;
        comes_again.then_some((theorem, last))
    }
}

/// Nim and Lasker's Nim.
fn by_size(shape: &Shape, claim: PeriodClaim) -> Option<(Theorem, u64)> {
    let positive = Intervals::union([(1, ENDLESS)]);
    let nothing = Intervals::union([(0, 0)]);
    if shape.one != positive || shape.all.without(&nothing) != positive {
        return None;
    }
    let grows = claim.saltus == claim.period;
    if shape.several.iter().all(|s| !s.removes.contains(0)) {
        return grows.then_some((Theorem::Nim, 0));
    }
    let breaks_in_two = shape.most_parts() == 2
        && shape.leaving(2, Parts::Any) == nothing
        && shape.leaving(2, Parts::Unequal).is_empty();
    let fits = claim.period.is_multiple_of(4) && grows && claim.from >= 1;
    (breaks_in_two && fits).then_some((Theorem::Lasker, 0))
}

fn by_tail(shape: &Shape, claim: PeriodClaim) -> Option<(Theorem, u64)> {
    let tail = shape.one.tail()?;
    if !shape.several.is_empty() {
        return None;
    }
    // The state after all special cases, and the state one period later.
    let special = tail.max(shape.all.settled_from()).max(claim.from) + 1;
    Some((Theorem::AllBut, special.checked_add(claim.period)?))
}

fn by_code(shape: &Shape, claim: PeriodClaim) -> Option<(Theorem, u64)> {
    if claim.saltus != 0 {
        return None;
    }
    let step = step_from(shape, claim.from, claim.period)?;
    // G(n + p) for the last n below the bound.
    Some((step.theorem, step.bound.checked_add(claim.period)? - 1))
}

/// The inductive step of a theorem: for n >= `bound`, the options of n + p and
/// of n have the same values if the relation with s = 0 holds for the heaps that
/// they leave.
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
    // The most tokens that are removed. For larger heaps, removing everything is
    // always an option or never.
    let last = |intervals: &Intervals| intervals.settled_from().saturating_sub(1);
    let removed = several.iter().map(|s| last(&s.removes));
    let removed = removed.chain([last(&shape.one), last(&shape.all)]).max()?;
    let times = |number: u32, what: u64| what.checked_mul(u64::from(number));
    let bound = times(heaps, from.max(1))?
        .checked_add(times(periods, period)?)?
        .checked_add(removed)?;
    Some(Step { theorem, bound })
}

/// The period of a kind whose moves leave only heaps of other kinds, which have
/// the period from `from` on.
pub fn period_from_kinds(moves: &[HeapMove], from: u64, period: u64) -> Option<PeriodClaim> {
    let step = step_from(&Shape::new(moves), from, period)?;
    Some(PeriodClaim {
        period,
        from: step.bound,
        saltus: 0,
    })
}

/// The state of [`Theorem::AllBut`], which determines all later values up to the
/// addition of a constant.
struct State {
    /// c, the mex of the heaps left by removing L or more tokens.
    least: u32,
    /// The differences to c of the larger values of these heaps.
    above: Vec<u32>,
    /// The differences to c of the values of the other smaller heaps; `None`
    /// for those below c.
    last: Vec<Option<u32>>,
}

impl State {
    fn before(shape: &Shape, heap: usize, values: &[u32]) -> Option<State> {
        let tail = usize::try_from(shape.one.tail()?).ok()?;
        let end = heap.checked_sub(tail)? + 1;
        let mut had = BitSet::default();
        values[1..end.max(1)]
            .iter()
            .for_each(|value| had.add(*value));
        // If all tokens may be removed, 0 is the value of an option.
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
