//! The list against a definition of each sequence.

use nimrule_limits::Limits;
use nimrule_sequence::oeis::{core, matches};
use nimrule_sequence::{HeapMove, HeapRule, by_definition, parse_code, values};
use std::collections::BTreeSet;

/// What the terms of a sequence are.
enum Terms {
    /// The value at each index, from the first.
    At(u64, fn(u64) -> u64),
    /// The numbers for which a condition holds, from the first.
    Where(u64, fn(u64) -> bool),
    /// The numbers of partitions into these parts, equal ones of different kinds.
    Parts(&'static [usize]),
    /// The first terms, by a computation of them all.
    First(fn(usize) -> Vec<u64>),
}

use Terms::{At, First, Parts, Where};

impl Terms {
    fn first(&self, count: usize) -> Vec<u64> {
        match self {
            At(from, term) => (*from..).map(term).take(count).collect(),
            Where(from, holds) => (*from..).filter(|n| holds(*n)).take(count).collect(),
            Parts(parts) => partitions(parts, count),
            First(terms) => terms(count),
        }
    }
}

fn partitions(parts: &[usize], count: usize) -> Vec<u64> {
    let mut ways = vec![0; count];
    ways[0] = 1;
    for part in parts {
        for n in *part..count {
            ways[n] += ways[n - part];
        }
    }
    ways
}

fn ones(n: u64) -> u32 {
    n.count_ones()
}

fn binomial(n: u64, k: u64) -> u64 {
    let all = (0..k.min(n + 1)).fold(1_u128, |all, i| all * u128::from(n - i) / u128::from(i + 1));
    if k > n { 0 } else { all as u64 }
}

/// The number times the root of `square`, rounded down.
fn root(n: u64, square: u64) -> u64 {
    (square * n * n).isqrt()
}

fn phi(n: u64) -> u64 {
    (n + root(n, 5)) / 2
}

fn divisors(n: u64) -> impl Iterator<Item = u64> {
    (1..=n).filter(move |d| n.is_multiple_of(*d))
}

fn is_prime(n: u64) -> bool {
    divisors(n).count() == 2
}

fn valuation(base: u64, n: u64) -> u32 {
    (0..)
        .find(|k| !n.is_multiple_of(base.pow(k + 1)))
        .unwrap_or(0)
}

fn is_square(n: u64) -> bool {
    n.isqrt().pow(2) == n
}

fn is_triangular(n: u64) -> bool {
    is_square(8 * n + 1)
}

/// The row of the n-th entry of a triangle, from 0, and its place in the row.
fn of_triangle(n: u64) -> (u64, u64) {
    let row = ((8 * n + 1).isqrt() - 1) / 2;
    (row, n - row * (row + 1) / 2)
}

fn digits(mut n: u64, base: u64) -> Vec<u64> {
    let mut digits = Vec::new();
    while n > 0 {
        digits.push(n % base);
        n /= base;
    }
    digits
}

fn of_digits(digits: impl Iterator<Item = u64>, base: u64) -> u64 {
    let mut place = 1;
    digits.fold(0, |all, digit| {
        let value = all + digit * place;
        place *= base;
        value
    })
}

/// The terms of a recurrence after its first ones, from those before.
fn recurrence(first: &[u64], count: usize, next: fn(&[u64]) -> u64) -> Vec<u64> {
    let mut terms = first.to_vec();
    while terms.len() < count {
        terms.push(next(&terms));
    }
    terms.truncate(count);
    terms
}

fn last<const N: usize>(terms: &[u64]) -> [u64; N] {
    std::array::from_fn(|i| terms[terms.len() - N + i])
}

fn octal(code: &str, count: usize) -> Vec<u64> {
    let rule = HeapRule::Moves(parse_code(code).expect("a code"));
    let values = values(&rule, count as u64, &Limits::of_memory(1 << 24)).expect("few values");
    values.into_iter().map(u64::from).take(count).collect()
}

fn grundys_game(count: usize) -> Vec<u64> {
    let split = HeapMove {
        removes: vec![(0, 0)],
        leaves: (2, 2),
        distinct: true,
    };
    let values = by_definition(&[split], count as u64);
    values.into_iter().map(u64::from).take(count).collect()
}

fn squares_taken(count: usize) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for n in 0..count {
        let options = (1..).map(|k| k * k).take_while(|square| *square <= n);
        let options: BTreeSet<u64> = options.map(|square| values[n - square]).collect();
        values.push((0..).find(|value| !options.contains(value)).unwrap_or(0));
    }
    values
}

/// The number of tuples of heaps with nim-sum 0 whose sum or largest heap is as asked.
fn nim(heaps: usize, is_counted: &dyn Fn(&[u64]) -> bool, most: u64) -> u64 {
    fn each(heaps: usize, most: u64, chosen: &mut Vec<u64>, visit: &mut dyn FnMut(&[u64])) {
        if chosen.len() + 1 == heaps {
            let rest = chosen.iter().fold(0, |all, heap| all ^ heap);
            if rest <= most {
                chosen.push(rest);
                visit(chosen);
                chosen.pop();
            }
            return;
        }
        for heap in 0..=most {
            chosen.push(heap);
            each(heaps, most, chosen, visit);
            chosen.pop();
        }
    }
    let mut count = 0;
    each(heaps, most, &mut Vec::new(), &mut |position| {
        count += u64::from(is_counted(position));
    });
    count
}

fn is_ascending(heaps: &[u64]) -> bool {
    heaps.is_sorted() && heaps[0] > 0
}

/// A word of the morphism 0 → 01, 1 → 0, which has the letters of the Fibonacci word.
fn fibonacci_word(count: usize) -> Vec<u64> {
    let mut word = vec![0];
    while word.len() < count {
        let images = word.iter().flat_map(|letter| match letter {
            0 => vec![0, 1],
            _ => vec![0],
        });
        word = images.collect();
    }
    word.truncate(count);
    word
}

/// Binary words up to a group of permutations of their places.
fn orbits(length: u32, images: fn(u64, u32) -> Vec<u64>) -> u64 {
    let words = 0..1_u64 << length;
    words
        .filter(|word| images(*word, length).iter().all(|image| image >= word))
        .count() as u64
}

fn rotations(word: u64, length: u32) -> Vec<u64> {
    let mask = (1 << length) - 1;
    let turned = |by: u32| (word << by | word >> (length - by)) & mask;
    (0..length).map(turned).collect()
}

fn reversed(word: u64, length: u32) -> u64 {
    (0..length)
        .filter(|bit| word >> bit & 1 == 1)
        .map(|bit| 1 << (length - 1 - bit))
        .sum()
}

/// The definitions, by the numbers of the sequences.
const DEFINITIONS: &[(&str, Terms)] = &[
    ("A000005", At(1, |n| divisors(n).count() as u64)),
    ("A000007", At(0, |n| u64::from(n == 0))),
    (
        "A000009",
        First(|count| {
            let mut ways = vec![0; count];
            ways[0] = 1;
            for part in 1..count {
                for n in (part..count).rev() {
                    ways[n] += ways[n - part];
                }
            }
            ways
        }),
    ),
    (
        "A000010",
        At(1, |n| {
            (1..=n)
                .filter(|k| divisors(n).filter(|d| k % d == 0).count() == 1)
                .count() as u64
        }),
    ),
    ("A000027", At(1, |n| n)),
    (
        "A000032",
        First(|count| recurrence(&[2, 1], count, |t| last::<2>(t).iter().sum())),
    ),
    ("A000034", At(0, |n| 1 + n % 2)),
    ("A000035", At(0, |n| n % 2)),
    ("A000037", Where(1, |n| !is_square(n))),
    ("A000040", Where(2, is_prime)),
    (
        "A000041",
        First(|count| partitions(&(1..count).collect::<Vec<_>>(), count)),
    ),
    (
        "A000045",
        First(|count| recurrence(&[0, 1], count, |t| last::<2>(t).iter().sum())),
    ),
    ("A000051", At(0, |n| (1 << n) + 1)),
    ("A000069", Where(1, |n| ones(n) % 2 == 1)),
    (
        "A000070",
        First(|count| {
            let parts: Vec<usize> = (1..count).chain([1]).collect();
            partitions(&parts, count)
        }),
    ),
    (
        "A000073",
        First(|count| recurrence(&[0, 0, 1], count, |t| last::<3>(t).iter().sum())),
    ),
    ("A000079", At(0, |n| 1 << n)),
    ("A000096", At(0, |n| n * (n + 3) / 2)),
    (
        "A000108",
        First(|count| {
            recurrence(&[1], count, |t| {
                t.iter().zip(t.iter().rev()).map(|(a, b)| a * b).sum()
            })
        }),
    ),
    (
        "A000110",
        First(|count| {
            // The last rows have entries that are larger than the terms.
            let mut row = vec![1_u128];
            let mut bells = vec![1];
            while bells.len() < count {
                let mut next = vec![row[row.len() - 1]];
                for above in &row {
                    next.push(next[next.len() - 1] + above);
                }
                bells.push(next[0] as u64);
                row = next;
            }
            bells
        }),
    ),
    ("A000120", At(0, |n| ones(n).into())),
    (
        "A000123",
        First(|count| {
            let all = partitions(&[1, 2, 4, 8, 16, 32, 64, 128], 2 * count);
            all.into_iter().step_by(2).collect()
        }),
    ),
    ("A000124", At(0, |n| n * (n + 1) / 2 + 1)),
    (
        "A000129",
        First(|count| {
            recurrence(&[0, 1], count, |t| {
                let [a, b] = last(t);
                a + 2 * b
            })
        }),
    ),
    ("A000142", At(0, |n| (1..=n).product())),
    (
        "A000194",
        First(|count| {
            std::iter::once(0)
                .chain((1..).flat_map(|n: u64| vec![n; 2 * n as usize]))
                .take(count)
                .collect()
        }),
    ),
    ("A000196", At(0, u64::isqrt)),
    ("A000201", At(1, phi)),
    ("A000203", At(1, |n| divisors(n).sum())),
    ("A000217", At(0, |n| (0..=n).sum())),
    ("A000225", At(0, |n| (1 << n) - 1)),
    ("A000244", At(0, |n| 3_u64.pow(n as u32))),
    ("A000265", At(1, |n| n >> n.trailing_zeros())),
    ("A000290", At(0, |n| n * n)),
    ("A000292", At(0, |n| binomial(n + 2, 3))),
    ("A000295", At(0, |n| (1 << n) - n - 1)),
    ("A000302", At(0, |n| 4_u64.pow(n as u32))),
    ("A000326", At(0, |n| n * (3 * n).saturating_sub(1) / 2)),
    ("A000330", At(0, |n| (0..=n).map(|k| k * k).sum())),
    ("A000332", At(0, |n| binomial(n, 4))),
    ("A000351", At(0, |n| 5_u64.pow(n as u32))),
    ("A000384", At(0, |n| n * (2 * n).saturating_sub(1))),
    ("A000389", At(0, |n| binomial(n, 5))),
    ("A000400", At(0, |n| 6_u64.pow(n as u32))),
    ("A000420", At(0, |n| 7_u64.pow(n as u32))),
    ("A000523", At(1, |n| n.ilog2().into())),
    ("A000537", At(0, |n| (0..=n).map(|k| k.pow(3)).sum())),
    ("A000567", At(0, |n| n * (3 * n).saturating_sub(2))),
    ("A000578", At(0, |n| n.pow(3))),
    ("A000579", At(0, |n| binomial(n, 6))),
    ("A000583", At(0, |n| n.pow(4))),
    ("A000584", At(0, |n| n.pow(5))),
    ("A000601", Parts(&[1, 1, 2, 3])),
    ("A000695", At(0, |n| of_digits(digits(n, 2).into_iter(), 4))),
    (
        "A000975",
        First(|count| {
            recurrence(&[0], count, |t| {
                let n = t.len() as u64;
                2 * t[t.len() - 1] + n % 2
            })
        }),
    ),
    ("A000982", At(0, |n| (n * n).div_ceil(2))),
    ("A000984", At(0, |n| binomial(2 * n, n))),
    ("A001014", At(0, |n| n.pow(6))),
    ("A001018", At(0, |n| 8_u64.pow(n as u32))),
    ("A001019", At(0, |n| 9_u64.pow(n as u32))),
    (
        "A001045",
        First(|count| {
            recurrence(&[0, 1], count, |t| {
                let [a, b] = last(t);
                2 * a + b
            })
        }),
    ),
    ("A001082", Where(0, |n| is_square(3 * n + 1))),
    ("A001105", At(0, |n| 2 * n * n)),
    (
        "A001221",
        At(1, |n| divisors(n).filter(|d| is_prime(*d)).count() as u64),
    ),
    (
        "A001222",
        At(1, |n| {
            divisors(n)
                .filter(|d| is_prime(*d))
                .map(|p| u64::from(valuation(p, n)))
                .sum()
        }),
    ),
    ("A001285", At(0, |n| 1 + u64::from(ones(n) % 2))),
    (
        "A001316",
        At(0, |n| (0..=n).filter(|k| k & !n == 0).count() as u64),
    ),
    ("A001318", Where(0, |n| is_square(24 * n + 1))),
    ("A001399", Parts(&[1, 2, 3])),
    ("A001400", Parts(&[1, 2, 3, 4])),
    ("A001405", At(0, |n| binomial(n, n / 2))),
    ("A001477", At(0, |n| n)),
    ("A001511", At(1, |n| (2 * n).trailing_zeros().into())),
    (
        "A001614",
        At(1, |n| 2 * n - (8 * n - 7).isqrt().div_ceil(2)),
    ),
    ("A001651", Where(1, |n| n % 3 != 0)),
    ("A001700", At(0, |n| binomial(2 * n + 1, n + 1))),
    ("A001787", At(0, |n| n * (1 << n) / 2)),
    ("A001792", At(0, |n| (n + 2) * (1 << n) / 2)),
    ("A001840", At(0, |n| (n + 1) * (n + 2) / 6)),
    ("A001844", At(0, |n| n * n + (n + 1) * (n + 1))),
    ("A001950", At(1, |n| phi(n) + n)),
    ("A001951", At(0, |n| root(n, 2))),
    ("A001952", At(1, |n| 2 * n + root(n, 2))),
    ("A001961", At(1, |n| root(n, 5) - n)),
    ("A001962", At(1, |n| root(n, 5) + 3 * n)),
    ("A001969", Where(0, |n| ones(n).is_multiple_of(2))),
    ("A001972", Parts(&[1, 1, 4])),
    ("A002024", At(0, |n| of_triangle(n).0 + 1)),
    ("A002061", At(0, |n| n * n + 1 - n)),
    ("A002186", First(|count| octal("0.77", count))),
    ("A002187", First(|count| octal("0.137", count))),
    ("A002188", First(grundys_game)),
    ("A002260", At(0, |n| of_triangle(n).1 + 1)),
    ("A002262", At(0, |n| of_triangle(n).1)),
    ("A002264", At(0, |n| n / 3)),
    ("A002265", At(0, |n| n / 4)),
    ("A002266", At(0, |n| n / 5)),
    ("A002378", At(0, |n| n * (n + 1))),
    ("A002411", At(0, |n| n * n * (n + 1) / 2)),
    ("A002415", At(0, |n| n * n * (n * n).saturating_sub(1) / 12)),
    (
        "A002450",
        At(0, |n| (0..n).map(|k| 4_u64.pow(k as u32)).sum()),
    ),
    ("A002522", At(0, |n| n * n + 1)),
    ("A002620", At(0, |n| (n / 2) * n.div_ceil(2))),
    (
        "A002623",
        First(|count| {
            // 1 / ((1 - x)^4 (1 + x)) = 1 / ((1 - x)^3 (1 - x^2))
            partitions(&[1, 1, 1, 2], count)
        }),
    ),
    ("A002817", At(0, |n| binomial(n * (n + 1) / 2 + 1, 2))),
    ("A003056", At(0, |n| of_triangle(n).0)),
    ("A003151", At(1, |n| n + root(n, 2))),
    ("A003152", At(1, |n| n + (n * n / 2).isqrt())),
    (
        "A003159",
        Where(1, |n| n.trailing_zeros().is_multiple_of(2)),
    ),
    ("A003188", At(0, |n| n ^ (n / 2))),
    ("A003215", At(0, |n| (n + 1).pow(3) - n.pow(3))),
    (
        "A003462",
        At(0, |n| (0..n).map(|k| 3_u64.pow(k as u32)).sum()),
    ),
    ("A003602", At(1, |n| (n >> n.trailing_zeros()).div_ceil(2))),
    ("A003622", At(1, |n| phi(phi(n)))),
    ("A003714", Where(0, |n| n & (2 * n) == 0)),
    (
        "A003842",
        First(|count| {
            fibonacci_word(count)
                .into_iter()
                .map(|letter| letter + 1)
                .collect()
        }),
    ),
    ("A003849", First(fibonacci_word)),
    (
        "A003987",
        At(0, |n| {
            let (row, place) = of_triangle(n);
            place ^ (row - place)
        }),
    ),
    ("A004068", At(0, |n| n * (5 * n * n + 1) / 6)),
    ("A004125", At(1, |n| (1..=n).map(|k| n % k).sum())),
    ("A004523", At(0, |n| 2 * n / 3)),
    ("A004526", At(0, |n| n / 2)),
    (
        "A004736",
        At(0, |n| {
            let (row, place) = of_triangle(n);
            row - place + 1
        }),
    ),
    ("A004767", At(0, |n| 4 * n + 3)),
    ("A004956", At(0, |n| phi(n) + u64::from(n > 0))),
    (
        "A005044",
        At(0, |n| {
            let sides = (1..=n).flat_map(|a| (a..=n).map(move |b| (a, b)));
            sides
                .filter(|(a, b)| n > a + b && n - a - b >= *b && n - a - b < a + b)
                .count() as u64
        }),
    ),
    ("A005187", At(0, |n| 2 * n - u64::from(ones(n)))),
    (
        "A005206",
        First(|count| {
            recurrence(&[0], count, |t| {
                let n = t.len();
                n as u64 - t[t[n - 1] as usize]
            })
        }),
    ),
    ("A005408", At(0, |n| 2 * n + 1)),
    ("A005448", At(1, |n| 3 * n * (n - 1) / 2 + 1)),
    ("A005563", At(0, |n| n * (n + 2))),
    (
        "A005614",
        First(|count| {
            fibonacci_word(count)
                .into_iter()
                .map(|letter| 1 - letter)
                .collect()
        }),
    ),
    ("A005811", At(0, |n| ones(n ^ (n / 2)).into())),
    ("A005836", At(0, |n| of_digits(digits(n, 2).into_iter(), 3))),
    ("A005843", At(0, |n| 2 * n)),
    ("A005898", At(0, |n| n.pow(3) + (n + 1).pow(3))),
    ("A005900", At(0, |n| n * (2 * n * n + 1) / 3)),
    ("A006003", At(0, |n| n * (n * n + 1) / 2)),
    ("A006046", At(0, |n| (0..n).map(|k| 1 << ones(k)).sum())),
    (
        "A006068",
        At(0, |n| (0..64).fold(0, |all, shift| all ^ n >> shift)),
    ),
    (
        "A006257",
        At(0, |n| {
            if n == 0 {
                0
            } else {
                2 * (n - (1 << n.ilog2())) + 1
            }
        }),
    ),
    ("A006337", At(1, |n| root(n + 1, 2) - root(n, 2))),
    ("A006516", At(0, |n| binomial(1 << n, 2))),
    ("A006519", At(1, |n| 1 << n.trailing_zeros())),
    ("A006527", At(0, |n| (n.pow(3) + 2 * n) / 3)),
    (
        "A006530",
        At(1, |n| {
            divisors(n).filter(|d| is_prime(*d)).max().unwrap_or(1)
        }),
    ),
    ("A006582", At(2, |n| (1..n).map(|k| k ^ (n - k)).sum())),
    (
        "A006995",
        Where(0, |n| digits(n, 2).iter().eq(digits(n, 2).iter().rev())),
    ),
    ("A007051", At(0, |n| 3_u64.pow(n as u32).div_ceil(2))),
    ("A007310", Where(1, |n| matches!(n % 6, 1 | 5))),
    ("A007494", Where(0, |n| n % 3 != 1)),
    ("A007582", At(0, |n| binomial((1 << n) + 1, 2))),
    ("A007590", At(0, |n| n * n / 2)),
    ("A007814", At(1, |n| valuation(2, n).into())),
    ("A007949", At(1, |n| valuation(3, n).into())),
    ("A008585", At(0, |n| 3 * n)),
    ("A008586", At(0, |n| 4 * n)),
    ("A008587", At(0, |n| 5 * n)),
    ("A008588", At(0, |n| 6 * n)),
    ("A008589", At(0, |n| 7 * n)),
    ("A008590", At(0, |n| 8 * n)),
    ("A008591", At(0, |n| 9 * n)),
    ("A008619", At(0, |n| n / 2 + 1)),
    ("A008620", At(0, |n| n / 3 + 1)),
    ("A008794", At(0, |n| (n / 2).pow(2))),
    ("A008805", At(0, |n| binomial(n / 2 + 2, 2))),
    (
        "A008811",
        First(|count| {
            let all = partitions(&[1, 1, 4], count);
            let at = |n: usize| all.get(n).copied().unwrap_or(0);
            (0..count)
                .map(|n| {
                    if n == 0 {
                        0
                    } else {
                        at(n - 1) + n.checked_sub(5).map_or(0, at)
                    }
                })
                .collect()
        }),
    ),
    ("A010052", At(0, |n| is_square(n).into())),
    ("A010054", At(0, |n| is_triangular(n).into())),
    ("A010060", At(0, |n| (ones(n) % 2).into())),
    ("A010872", At(0, |n| n % 3)),
    ("A010873", At(0, |n| n % 4)),
    ("A010874", At(0, |n| n % 5)),
    ("A010875", At(0, |n| n % 6)),
    ("A010876", At(0, |n| n % 7)),
    ("A010877", At(0, |n| n % 8)),
    ("A010878", At(0, |n| n % 9)),
    ("A011371", At(0, |n| n - u64::from(ones(n)))),
    ("A014105", At(0, |n| n * (2 * n + 1))),
    ("A014106", At(0, |n| n * (2 * n + 3))),
    ("A014132", Where(1, |n| !is_triangular(n))),
    ("A014206", At(0, |n| n * n + n + 2)),
    ("A014586", First(squares_taken)),
    ("A014601", Where(0, |n| matches!(n % 4, 0 | 3))),
    ("A016116", At(0, |n| 1 << (n / 2))),
    ("A016777", At(0, |n| 3 * n + 1)),
    ("A016789", At(0, |n| 3 * n + 2)),
    ("A016813", At(0, |n| 4 * n + 1)),
    ("A016825", At(0, |n| 4 * n + 2)),
    ("A016861", At(0, |n| 5 * n + 1)),
    ("A016873", At(0, |n| 5 * n + 2)),
    ("A016885", At(0, |n| 5 * n + 3)),
    ("A016897", At(0, |n| 5 * n + 4)),
    ("A016921", At(0, |n| 6 * n + 1)),
    ("A016933", At(0, |n| 6 * n + 2)),
    ("A016945", At(0, |n| 6 * n + 3)),
    ("A016957", At(0, |n| 6 * n + 4)),
    ("A016969", At(0, |n| 6 * n + 5)),
    ("A016993", At(0, |n| 7 * n + 1)),
    ("A018819", Parts(&[1, 2, 4, 8, 16, 32, 64])),
    (
        "A020639",
        At(1, |n| divisors(n).find(|d| *d > 1).unwrap_or(1)),
    ),
    ("A021913", At(0, |n| n % 4 / 2)),
    ("A022342", At(1, |n| phi(n) - 1)),
    ("A022838", At(1, |n| root(n, 3))),
    ("A022839", At(1, |n| root(n, 5))),
    ("A022840", At(1, |n| root(n, 6))),
    (
        "A023416",
        At(0, |n| n.max(1).ilog2() as u64 + 1 - u64::from(ones(n))),
    ),
    ("A024036", At(0, |n| 4_u64.pow(n as u32) - 1)),
    (
        "A025480",
        At(0, |n| (n + 1) >> ((n + 1).trailing_zeros() + 1)),
    ),
    (
        "A025581",
        At(0, |n| {
            let (row, place) = of_triangle(n);
            row - place
        }),
    ),
    ("A025802", Parts(&[2, 4, 5])),
    ("A025830", Parts(&[3, 4, 8])),
    ("A026351", At(0, |n| phi(n) + 1)),
    ("A026352", At(0, |n| phi(n) + n + 1)),
    (
        "A026810",
        First(|count| {
            let most_4 = partitions(&[1, 2, 3, 4], count);
            (0..count)
                .map(|n| n.checked_sub(4).map_or(0, |n| most_4[n]))
                .collect()
        }),
    ),
    ("A027656", At(0, |n| (1 - n % 2) * (n / 2 + 1))),
    ("A028347", At(2, |n| n * n - 4)),
    ("A028552", At(0, |n| n * (n + 3))),
    (
        "A029744",
        Where(1, |n| matches!(n >> n.trailing_zeros(), 1 | 3)),
    ),
    ("A029837", At(1, |n| n.next_power_of_two().ilog2().into())),
    (
        "A030101",
        At(0, |n| of_digits(digits(n, 2).into_iter().rev(), 2)),
    ),
    (
        "A030193",
        First(|count| {
            let values = squares_taken(12 * count);
            (0..)
                .zip(values)
                .filter(|(_, value)| *value == 0)
                .map(|(n, _)| n)
                .take(count)
                .collect()
        }),
    ),
    ("A032766", Where(0, |n| n % 3 != 2)),
    ("A033638", At(0, |n| n * n / 4 + 1)),
    ("A035263", At(1, |n| (1 - valuation(2, n) % 2).into())),
    ("A036554", Where(1, |n| valuation(2, n) % 2 == 1)),
    ("A038500", At(1, |n| 3_u64.pow(valuation(3, n)))),
    ("A038712", At(1, |n| n ^ (n - 1))),
    ("A042948", Where(0, |n| n % 4 < 2)),
    ("A042963", Where(0, |n| matches!(n % 4, 1 | 2))),
    ("A042964", Where(0, |n| n % 4 > 1)),
    ("A042968", Where(0, |n| n % 4 != 0)),
    ("A047201", Where(0, |n| n % 5 != 0)),
    ("A047208", Where(0, |n| matches!(n % 5, 0 | 4))),
    ("A047215", Where(0, |n| matches!(n % 5, 0 | 2))),
    ("A047228", Where(0, |n| matches!(n % 6, 2..=4))),
    ("A047235", Where(0, |n| matches!(n % 6, 2 | 4))),
    ("A047238", Where(0, |n| matches!(n % 6, 0 | 2))),
    ("A047274", Where(0, |n| n % 7 < 2)),
    ("A047352", Where(0, |n| matches!(n % 7, 0 | 2))),
    ("A048724", At(0, |n| n ^ (2 * n))),
    ("A048883", At(0, |n| 3_u64.pow(ones(n)))),
    ("A048896", At(0, |n| 1 << (ones(n + 1) - 1))),
    (
        "A049084",
        At(1, |n| {
            u64::from(is_prime(n)) * (1..=n).filter(|k| is_prime(*k)).count() as u64
        }),
    ),
    (
        "A053644",
        At(0, |n| n.checked_ilog2().map_or(0, |log| 1 << log)),
    ),
    ("A054406", At(1, |n| (3 * n + root(n, 3)) / 2)),
    ("A057427", At(0, |n| n.min(1))),
    ("A059841", At(0, |n| 1 - n % 2)),
    ("A060143", At(0, |n| phi(n) - n)),
    ("A060546", At(0, |n| 1 << n.div_ceil(2))),
    ("A062383", At(0, |n| (n + 1).next_power_of_two())),
    (
        "A062880",
        At(0, |n| 2 * of_digits(digits(n, 2).into_iter(), 4)),
    ),
    ("A070939", At(0, |n| n.max(1).ilog2() as u64 + 1)),
    (
        "A079318",
        At(0, |n| {
            if n == 0 {
                1
            } else {
                3_u64.pow(ones(n) - 1).div_ceil(2)
            }
        }),
    ),
    ("A079978", At(0, |n| n.is_multiple_of(3).into())),
    ("A079998", At(0, |n| n.is_multiple_of(5).into())),
    (
        "A080100",
        At(0, |n| {
            1 << (n.checked_ilog2().map_or(0, |log| log + 1) - ones(n))
        }),
    ),
    ("A096268", At(1, |n| (valuation(2, n) % 2).into())),
    ("A102376", At(0, |n| 4_u64.pow(ones(n)))),
    ("A103221", Parts(&[2, 3])),
    ("A109613", At(0, |n| n / 2 * 2 + 1)),
    ("A110654", At(0, |n| n.div_ceil(2))),
    ("A121262", At(0, |n| n.is_multiple_of(4).into())),
    ("A125916", First(|count| octal("0.15", count))),
    (
        "A128975",
        At(1, |n| {
            nim(3, &|at| at.iter().sum::<u64>() == n && is_ascending(at), n)
        }),
    ),
    (
        "A130665",
        At(0, |n| (0..=n).map(|k| 3_u64.pow(ones(k))).sum()),
    ),
    ("A133872", At(0, |n| 1 - n % 4 / 2)),
    (
        "A237711",
        First(|count| {
            (0..count.min(16) as u64)
                .map(|n| nim(4, &|at| at.iter().sum::<u64>() == 2 * n, 2 * n))
                .collect()
        }),
    ),
    (
        "A241522",
        First(|count| {
            (0..count.min(20) as u64)
                .map(|n| nim(4, &|_| true, n))
                .collect()
        }),
    ),
    ("A363166", At(1, |n| nim(3, &is_ascending, n))),
    (
        "A000031",
        First(|count| {
            (0..count.min(16) as u32)
                .map(|n| if n == 0 { 1 } else { orbits(n, rotations) })
                .collect()
        }),
    ),
    (
        "A000029",
        First(|count| {
            (0..count.min(16) as u32)
                .map(|n| match n {
                    0 => 1,
                    n => orbits(n, |word, n| {
                        [rotations(word, n), rotations(reversed(word, n), n)].concat()
                    }),
                })
                .collect()
        }),
    ),
    (
        "A005418",
        First(|count| {
            (0..count.min(16) as u32)
                .map(|n| orbits(n, |word, n| vec![reversed(word, n)]))
                .collect()
        }),
    ),
];

#[test]
fn each_sequence_is_what_its_definition_says() {
    let (mut defined, mut wrong) = (BTreeSet::new(), Vec::new());
    for (number, definition) in DEFINITIONS {
        let known = core().iter().find(|known| known.number == *number);
        let known = known.unwrap_or_else(|| panic!("{number} is not in the list"));
        // Some definitions take long, and give fewer terms.
        let terms = definition.first(known.terms.len());
        assert!(terms.len() >= 16, "{number}");
        if known.terms[..terms.len()] != terms {
            wrong.push(format!("{number} {}: {terms:?}", known.title));
        }
        assert!(defined.insert(*number), "{number} twice");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all: BTreeSet<&str> = core().iter().map(|known| known.number).collect();
    assert_eq!(all, defined);
}

#[test]
fn the_list_has_one_line_for_each_sequence() {
    // Reading it panics at a line that is wrong.
    let all = core();
    assert!(all.len() >= 250, "{}", all.len());
    assert!(all.is_sorted_by_key(|known| known.number));
    for known in all {
        assert!(
            known.number.len() == 7 && known.number.starts_with('A'),
            "{}",
            known.number
        );
        assert!(known.terms.len() >= 20, "{}", known.number);
        assert!(
            !known.title.is_empty() && known.title.len() <= 90,
            "{}",
            known.title
        );
    }
}

#[test]
fn a_sequence_matches_itself_and_nothing_that_differs() {
    for known in core() {
        let found = matches(&known.terms);
        assert!(
            found
                .iter()
                .any(|found| found.known == known && found.skipped == 0),
            "{}",
            known.number
        );
        let mut other = known.terms.clone();
        other[15] += 1_000_000_007;
        assert!(matches(&other).iter().all(|found| found.known != known));
    }
    assert_eq!(matches(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), []);
    assert_eq!(matches(&[1; 100]), []);
}
