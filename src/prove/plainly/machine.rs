//! Comparisons read digit by digit, the most significant first.
//!
//! Of each comparison the sum so far is kept: in a base it is multiplied by the
//! base with every place. In Zeckendorf's way a place moves the digits of all
//! numbers up, and what a sum becomes is the sum and what it would be a place
//! lower; so both are kept. Where what follows cannot bring a sum back, the
//! comparison is settled.

use super::{Atom, Variable, Way};
use crate::automata::Numeration;
use std::collections::BTreeSet;

/// How a comparison stands in the middle of the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stand {
    /// The sum so far, and what it would be a place lower.
    Sum(i64, i64),
    /// It holds, whatever comes.
    Settled,
    /// No power yet.
    NoPower,
}

/// All comparisons of a way.
pub type Stands = Vec<Stand>;

/// A way, with what is asked of it at every digit at hand.
pub struct Machine<'w> {
    pub way: &'w Way,
    numeration: Numeration,
    /// For each atom, the sums of its weights below 0, without the sign, and of
    /// those above.
    widths: Vec<(i64, i64)>,
}

impl<'w> Machine<'w> {
    pub fn new(way: &'w Way, numeration: Numeration) -> Machine<'w> {
        let width = |weights: &mut dyn Iterator<Item = i64>| weights.sum::<i64>().abs();
        let widths = way.atoms.iter().map(|atom| match atom {
            Atom::Zero(sum) | Atom::AtMostZero(sum) => {
                let all = || sum.weights.values().copied();
                (
                    width(&mut all().filter(|weight| *weight < 0)),
                    width(&mut all().filter(|weight| *weight > 0)),
                )
            }
            Atom::Power(..) => (0, 0),
        });
        Machine {
            way,
            numeration,
            widths: widths.collect(),
        }
    }

    /// Before any digit.
    pub fn start(&self) -> Stands {
        let stand = |atom: &Atom| match atom {
            Atom::Zero(_) | Atom::AtMostZero(_) => Stand::Sum(0, 0),
            Atom::Power(..) => Stand::NoPower,
        };
        self.way.atoms.iter().map(stand).collect()
    }

    /// A place begins: all digits so far move up.
    pub fn begin(&self, stands: &mut Stands) {
        for stand in stands {
            if let Stand::Sum(sum, low) = stand {
                (*sum, *low) = match self.numeration {
                    Numeration::Base(base) => (*sum * i64::from(base), 0),
                    Numeration::Zeckendorf => (*sum + *low, *sum),
                };
            }
        }
    }

    /// A digit of a number; whether the way is still open.
    pub fn feed(&self, stands: &mut Stands, variable: Variable, digit: u8) -> bool {
        if digit == 0 {
            return true;
        }
        for (stand, atom) in stands.iter_mut().zip(&self.way.atoms) {
            match (atom, stand) {
                (Atom::Zero(of) | Atom::AtMostZero(of), Stand::Sum(sum, low)) => {
                    let more = of.weight(variable) * i64::from(digit);
                    *sum += more;
                    if self.numeration == Numeration::Zeckendorf {
                        *low += more;
                    }
                }
                (Atom::Power(base, index), stand) if variable == Variable::Beside(*index) => {
                    if *stand != Stand::NoPower || !self.is_power(*base, digit) {
                        return false;
                    }
                    *stand = Stand::Settled;
                }
                _ => {}
            }
        }
        true
    }

    /// Is a digit, and zeros behind it, a power?
    fn is_power(&self, of: i64, digit: u8) -> bool {
        let mut power = 1;
        while power < i64::from(digit) {
            power *= of;
        }
        power == i64::from(digit)
    }

    /// Can powers of this number be told in this numeration? In a base that is
    /// itself a power of it they are the words with one digit that is.
    pub fn can_tell(numeration: Numeration, of: i64) -> bool {
        match numeration {
            Numeration::Base(base) => {
                let mut power = of;
                while power < i64::from(base) {
                    power *= of;
                }
                power == i64::from(base)
            }
            Numeration::Zeckendorf => false,
        }
    }

    /// A place ends: what is decided is settled; whether the way is still open.
    pub fn end(&self, stands: &mut Stands) -> bool {
        for ((stand, atom), width) in stands.iter_mut().zip(&self.way.atoms).zip(&self.widths) {
            let (of, Stand::Sum(sum, low)) = (atom, *stand) else {
                continue;
            };
            let (linear, equal) = match of {
                Atom::Zero(linear) => (linear, true),
                Atom::AtMostZero(linear) => (linear, false),
                Atom::Power(..) => continue,
            };
            let (below, above) = *width;
            if self.stays_above(sum, low, below, linear.constant) {
                return false;
            }
            if self.stays_above(-sum, -low, above, -linear.constant) {
                if equal {
                    return false;
                }
                *stand = Stand::Settled;
            }
        }
        true
    }

    /// Will a sum be above 0 with its constant, whatever digits follow? Those
    /// may take away `width` times the largest number that they write.
    ///
    /// In a base b, k digits leave at least b^k (sum - width) + width: if the
    /// bracket is not negative that is least for k = 0. In Zeckendorf's way k
    /// digits write at most 2 F + G - 2, even if ones stand side by side, where
    /// F and G are Fibonacci numbers, G <= F; they leave at least
    /// F (sum - 2 width) + G (low - width) + 2 width, with F = 1 and G = 0 for
    /// k = 0, and F = G = 1 for k = 1. As F X + G Y = (F - G) X + G (X + Y),
    /// that is least for one of these, if neither X nor X + Y is negative.
    fn stays_above(&self, sum: i64, low: i64, width: i64, constant: i64) -> bool {
        match self.numeration {
            Numeration::Base(_) => sum >= width && sum + constant > 0,
            Numeration::Zeckendorf => {
                sum >= 2 * width
                    && sum + low >= 3 * width
                    && sum + constant > 0
                    && sum + low - width + constant > 0
            }
        }
    }

    /// Does a way that stands so accept nothing that it would not accept where
    /// it stands like the other? Only two that are the same say it of each
    /// other.
    pub fn says_no_more(&self, less: &Stands, more: &Stands) -> bool {
        let mut all = less.iter().zip(more).zip(&self.way.atoms);
        all.all(|((less, more), atom)| match (less, more, atom) {
            (_, Stand::Settled, Atom::AtMostZero(_)) => true,
            (Stand::Sum(sum, low), Stand::Sum(other, lower), Atom::AtMostZero(_)) => {
                other <= sum && other + lower <= sum + low
            }
            _ => less == more,
        })
    }

    /// No digit is left.
    pub fn accepts(&self, stands: &Stands) -> bool {
        let mut all = stands.iter().zip(&self.way.atoms);
        all.all(|(stand, atom)| match (stand, atom) {
            (Stand::Settled, _) => true,
            (Stand::Sum(sum, _), Atom::Zero(of)) => sum + of.constant == 0,
            (Stand::Sum(sum, _), Atom::AtMostZero(of)) => sum + of.constant <= 0,
            _ => false,
        })
    }
}

/// The options of a position as the ways have them, each heap with at most so
/// many digits: those of the position and one more, for a carry.
pub fn options(ways: &[Way], numeration: Numeration, position: &[u64]) -> BTreeSet<Vec<u64>> {
    let written: Vec<Vec<u8>> = position.iter().map(|n| numeration.digits(*n)).collect();
    let length = written.iter().map(Vec::len).max().unwrap_or(0) + 1;
    let digit = |heap: usize, place: usize| {
        let digits = &written[heap];
        (place + digits.len())
            .checked_sub(length)
            .map_or(0, |at| digits[at])
    };
    let radix = numeration.radix() as u8;
    let mut found = BTreeSet::new();
    for way in ways {
        let machine = Machine::new(way, numeration);
        // The digits of the heaps touched so far, and how the way stands.
        let mut reached = BTreeSet::from([(vec![Vec::new(); way.touched.len()], machine.start())]);
        for place in 0..length {
            let mut open: Vec<(Vec<Vec<u8>>, Stands)> = Vec::new();
            for (after, mut stands) in reached {
                machine.begin(&mut stands);
                let feed =
                    |heap| machine.feed(&mut stands, Variable::Before(heap), digit(heap, place));
                if (0..position.len()).all(feed) {
                    open.push((after, stands));
                }
            }
            for (number, heap) in way.touched.iter().enumerate() {
                let all = open.into_iter().flat_map(|(after, stands)| {
                    let machine = &machine;
                    (0..radix).filter_map(move |digit| {
                        let (mut after, mut stands) = (after.clone(), stands.clone());
                        after[number].push(digit);
                        let fits = machine.feed(&mut stands, Variable::After(*heap), digit);
                        fits.then_some((after, stands))
                    })
                });
                open = all.collect();
            }
            for index in 0..way.beside {
                let all = open.into_iter().flat_map(|(after, stands)| {
                    let machine = &machine;
                    (0..radix).filter_map(move |digit| {
                        let mut stands = stands.clone();
                        let fits = machine.feed(&mut stands, Variable::Beside(index), digit);
                        fits.then_some((after.clone(), stands))
                    })
                });
                open = all.collect();
            }
            open.retain_mut(|(_, stands)| machine.end(stands));
            reached = open.into_iter().collect();
        }
        for (after, stands) in &reached {
            if !machine.accepts(stands) {
                continue;
            }
            let mut option = position.to_vec();
            for (heap, digits) in way.touched.iter().zip(after) {
                option[*heap] = numeration.number(digits).unwrap_or(u64::MAX);
            }
            found.insert(option);
        }
    }
    found
}
