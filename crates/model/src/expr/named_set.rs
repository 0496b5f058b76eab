//! Infinite sets of numbers that have a name.

/// An infinite set of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedSet {
    /// 0, 1, 4, 9, …
    Squares,
    /// 2, 3, 5, 7, …
    Primes,
    /// 1, 2, 3, 5, 8, …
    Fibonacci,
    /// 1, 2, 6, 24, …
    Factorials,
}

impl NamedSet {
    /// All of them.
    pub const ALL: [NamedSet; 4] = [
        NamedSet::Squares,
        NamedSet::Primes,
        NamedSet::Fibonacci,
        NamedSet::Factorials,
    ];

    /// The name in the language.
    pub fn word(self) -> &'static str {
        match self {
            NamedSet::Squares => "squares",
            NamedSet::Primes => "primes",
            NamedSet::Fibonacci => "fibonacci",
            NamedSet::Factorials => "factorials",
        }
    }

    /// The set with this name.
    pub fn named(word: &str) -> Option<NamedSet> {
        NamedSet::ALL.into_iter().find(|set| set.word() == word)
    }

    /// Whether a number is a member.
    pub fn contains(self, value: i64) -> bool {
        let Ok(value) = u64::try_from(value) else {
            return false;
        };
        match self {
            NamedSet::Squares => value.isqrt().pow(2) == value,
            NamedSet::Primes => is_prime(value),
            NamedSet::Fibonacci | NamedSet::Factorials => {
                let value = value as i64;
                self.members().take_while(|member| *member <= value).last() == Some(value)
            }
        }
    }

    /// The members that fit 64 bits, ascending.
    pub fn members(self) -> Box<dyn Iterator<Item = i64>> {
        match self {
            NamedSet::Squares => Box::new((0_i64..).map_while(|root| root.checked_mul(root))),
            NamedSet::Primes => {
                Box::new((2..=i64::MAX).filter(|value| is_prime(value.unsigned_abs())))
            }
            NamedSet::Fibonacci => Box::new(
                // The last member has no successor that fits.
                std::iter::successors(Some((1_i64, Some(2_i64))), |(one, other)| {
                    let other = (*other)?;
                    Some((other, one.checked_add(other)))
                })
                .map(|(one, _)| one),
            ),
            NamedSet::Factorials => Box::new(
                std::iter::successors(Some((1_i64, 1_i64)), |(count, value)| {
                    Some((count + 1, value.checked_mul(count + 1)?))
                })
                .map(|(_, value)| value),
            ),
        }
    }
}

/// Whether a number is prime: the test of Miller (1976) and Rabin (1980), which is exact below
/// 3·10²⁴ for the first twelve primes as bases (Sorenson and Webster, 2015).
fn is_prime(value: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if value < 2 {
        return false;
    }
    if let Some(divisor) = BASES.into_iter().find(|base| value.is_multiple_of(*base)) {
        return divisor == value;
    }
    let times = |left: u64, right: u64| {
        let product = u128::from(left) * u128::from(right) % u128::from(value);
        product as u64
    };
    let twos = (value - 1).trailing_zeros();
    let odd = (value - 1) >> twos;
    BASES.into_iter().all(|base| {
        let mut power = 1;
        for bit in (0..64 - odd.leading_zeros()).rev() {
            power = times(power, power);
            if odd >> bit & 1 == 1 {
                power = times(power, base);
            }
        }
        if power == 1 {
            return true;
        }
        (0..twos).any(|_| {
            let found = power == value - 1;
            power = times(power, power);
            found
        })
    })
}
