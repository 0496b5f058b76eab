//! Rules of which none is of a class with an engine of its own, each with the
//! loop that one would write for it: every position asks its options, and stops
//! at the first that is P. What the loops count is what the bench compares.

/// A rule, and the loops for it.
pub struct InWords {
    pub name: &'static str,
    pub text: &'static str,
    /// Outcomes to this size, or Grundy values.
    pub most: usize,
    pub asks: Asks,
    pub by_hand: fn(usize) -> u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Outcomes,
    Misere,
    /// The sum of all Grundy values.
    Values,
}

const GREEDY: &str = "game greedy heaps 3 move take from one heap as h where h == max(heaps)";

const EUCLID: &str = "game euclid heaps a b
    move take t from one heap where min(heaps) > 0 and t mod min(heaps) == 0";

const GUARDED: &str = "game guarded heaps a b
    move when a <= b take from a
    move when (a + b) mod 3 != 0 take 1..3 from b";

const CHAINED: &str = "game chained heaps a b
    move take t from a then optionally take u from b where u <= t and a <= b
    move take from b";

const HALF: &str = "game half heaps 3 move take t from one heap as h where 2 * t <= h + 1";

const OTHERS: &str = "game others heaps 3
    move take t from one heap as h where t <= max(1, sum(heaps) - h)";

const UNEQUAL: &str = "game unequal heaps 3
    positions where distinct(h in heaps where h > 0)
    move take from one heap";

const JUDGED: &str = "game judged heaps 3
    move take t from one heap as h where (t + max(heaps)) mod 3 != 1 or t * t > sum(heaps)";

const MIXED: &str = "game mixed heaps 3
    move take t from one heap as h where ((h - t) ^ max(heaps)) mod 3 != 0";

const ODD: &str = "game odd heaps 3 move take from up to 2 heaps where total mod 2 == 1
    move take 2 from one heap as h where h > 3";

const ONTO: &str = "game onto heaps 3
    move take t from one heap as h where exists g in heaps: g + t == h
    move take 1 from one heap";

const COUNTED: &str = "game counted heaps 3
    move take t from one heap where t <= 2 * count(h in heaps where h > 1)";

const ROOTS: &str = "game roots heaps 3 move take t from one heap where t <= isqrt(sum(heaps))";

const PAIRS: &str = "game pairs heaps 3 move take from one heap
    move take equal from exactly 2 heaps where total <= max(heaps) + 1";

const DIVISORS: &str = "game divisors heaps 3
    move take t from one heap where sum(heaps) mod t == 0";

pub const RULES: [InWords; 20] = [
    InWords {
        name: "greedy Nim to 150",
        text: GREEDY,
        most: 150,
        asks: Asks::Outcomes,
        by_hand: |most| greedy(most, false),
    },
    InWords {
        name: "greedy Nim, misere",
        text: GREEDY,
        most: 150,
        asks: Asks::Misere,
        by_hand: |most| greedy(most, true),
    },
    InWords {
        name: "greedy Nim, values",
        text: GREEDY,
        most: 150,
        asks: Asks::Values,
        by_hand: greedy_values,
    },
    InWords {
        name: "Euclid to 2000",
        text: EUCLID,
        most: 2000,
        asks: Asks::Outcomes,
        by_hand: euclid,
    },
    InWords {
        name: "guarded to 1500",
        text: GUARDED,
        most: 1500,
        asks: Asks::Outcomes,
        by_hand: guarded,
    },
    InWords {
        name: "two steps to 200",
        text: CHAINED,
        most: 200,
        asks: Asks::Outcomes,
        by_hand: chained,
    },
    InWords {
        name: "half a heap, misere",
        text: HALF,
        most: 120,
        asks: Asks::Misere,
        by_hand: half,
    },
    InWords {
        name: "as many as others",
        text: OTHERS,
        most: 150,
        asks: Asks::Outcomes,
        by_hand: others,
    },
    InWords {
        name: "as others, values",
        text: OTHERS,
        most: 100,
        asks: Asks::Values,
        by_hand: others_values,
    },
    InWords {
        name: "unequal heaps to 150",
        text: UNEQUAL,
        most: 150,
        asks: Asks::Outcomes,
        by_hand: unequal,
    },
    InWords {
        name: "judged one by one",
        text: JUDGED,
        most: 120,
        asks: Asks::Outcomes,
        by_hand: judged,
    },
    InWords {
        name: "judged, values",
        text: JUDGED,
        most: 60,
        asks: Asks::Values,
        by_hand: judged_values,
    },
    InWords {
        name: "Euclid, values",
        text: EUCLID,
        most: 1000,
        asks: Asks::Values,
        by_hand: euclid_values,
    },
    InWords {
        name: "a nim-sum judged",
        text: MIXED,
        most: 100,
        asks: Asks::Outcomes,
        by_hand: mixed,
    },
    InWords {
        name: "an odd total from two",
        text: ODD,
        most: 40,
        asks: Asks::Outcomes,
        by_hand: odd,
    },
    InWords {
        name: "onto another's size",
        text: ONTO,
        most: 120,
        asks: Asks::Outcomes,
        by_hand: onto,
    },
    InWords {
        name: "twice as many as heaps",
        text: COUNTED,
        most: 150,
        asks: Asks::Outcomes,
        by_hand: counted,
    },
    InWords {
        name: "up to the root of the sum",
        text: ROOTS,
        most: 150,
        asks: Asks::Outcomes,
        by_hand: roots,
    },
    InWords {
        name: "equal from two, under a bound",
        text: PAIRS,
        most: 120,
        asks: Asks::Outcomes,
        by_hand: pairs,
    },
    InWords {
        name: "a divisor of the sum",
        text: DIVISORS,
        most: 80,
        asks: Asks::Outcomes,
        by_hand: divisors,
    },
];

/// How many positions of three heaps up to `most` are P, where those win of which
/// `wins` says so by the heaps and what it finds so many places before.
#[inline(always)]
fn three(most: usize, wins: impl Fn([usize; 3], [usize; 3], &[bool], usize) -> bool) -> u64 {
    let side = most + 1;
    let strides = [side * side, side, 1];
    let mut is_p = vec![false; side * side * side];
    let mut count = 0;
    let mut place = 0;
    for a in 0..side {
        for b in 0..side {
            for c in 0..side {
                let wins = wins([a, b, c], strides, &is_p, place);
                is_p[place] = !wins;
                count += u64::from(!wins);
                place += 1;
            }
        }
    }
    count
}

/// Greedy Nim with three heaps: a move takes any number from a largest heap.
fn greedy(most: usize, misere: bool) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let largest = heaps.into_iter().max().unwrap_or(0);
        let wins = |(size, stride)| size == largest && (1..=size).any(|t| is_p[place - t * stride]);
        misere && largest == 0 || heaps.into_iter().zip(strides).any(wins)
    })
}

fn greedy_values(most: usize) -> u64 {
    values_of_three(most, |heaps, heap| {
        let largest = heaps.into_iter().max().unwrap_or(0);
        1..=(if heaps[heap] == largest { largest } else { 0 })
    })
}

/// From each heap one may take what `taken` lists: the sum of all values.
#[inline(always)]
fn values_of_three<I: Iterator<Item = usize>>(
    most: usize,
    taken: impl Fn([usize; 3], usize) -> I,
) -> u64 {
    let side = most + 1;
    let strides = [side * side, side, 1];
    let mut values = vec![0_u16; side * side * side];
    let mut seen = vec![0_u32; 1 << 16];
    let mut sum = 0;
    let mut place = 0;
    for a in 0..side {
        for b in 0..side {
            for c in 0..side {
                let round = place as u32 + 1;
                for (heap, stride) in strides.into_iter().enumerate() {
                    for taken in taken([a, b, c], heap) {
                        seen[values[place - taken * stride] as usize] = round;
                    }
                }
                let mex = seen.iter().position(|at| *at != round);
                values[place] = mex.expect("few values") as u16;
                sum += u64::from(values[place]);
                place += 1;
            }
        }
    }
    sum
}

/// As [`three`], with two heaps and the stride of the first one.
#[inline(always)]
fn two(most: usize, wins: impl Fn([usize; 2], usize, &[bool], usize) -> bool) -> u64 {
    let side = most + 1;
    let mut is_p = vec![false; side * side];
    let mut count = 0;
    for place in 0..side * side {
        let wins = wins([place / side, place % side], side, &is_p, place);
        is_p[place] = !wins;
        count += u64::from(!wins);
    }
    count
}

fn euclid(most: usize) -> u64 {
    two(most, |[a, b], side, is_p, place| {
        let step = a.min(b);
        step > 0
            && ((step..=a).step_by(step).any(|t| is_p[place - t * side])
                || (step..=b).step_by(step).any(|t| is_p[place - t]))
    })
}

fn guarded(most: usize) -> u64 {
    two(most, |[a, b], side, is_p, place| {
        (a <= b && (1..=a).any(|t| is_p[place - t * side]))
            || ((a + b) % 3 != 0 && (1..=b.min(3)).any(|t| is_p[place - t]))
    })
}

fn chained(most: usize) -> u64 {
    two(most, |[a, b], side, is_p, place| {
        let wins = |t: usize| {
            let after = place - t * side;
            is_p[after] || (a - t <= b && (1..=t.min(b)).any(|u| is_p[after - u]))
        };
        (1..=a).any(wins) || (1..=b).any(|t| is_p[place - t])
    })
}

fn half(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let ended = heaps == [0; 3];
        ended
            || heaps
                .into_iter()
                .zip(strides)
                .any(|(size, stride)| (1..=size.div_ceil(2)).any(|t| is_p[place - t * stride]))
    })
}

/// How many one may take of a heap: as many as the others hold, or one.
fn upto_others(heaps: [usize; 3], heap: usize) -> usize {
    let others = heaps.into_iter().sum::<usize>() - heaps[heap];
    heaps[heap].min(others.max(1))
}

fn others(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        strides
            .into_iter()
            .enumerate()
            .any(|(heap, stride)| (1..=upto_others(heaps, heap)).any(|t| is_p[place - t * stride]))
    })
}

fn others_values(most: usize) -> u64 {
    values_of_three(most, |heaps, heap| 1..=upto_others(heaps, heap))
}

fn unequal(most: usize) -> u64 {
    let side = most + 1;
    let strides = [side * side, side, 1];
    // What is no position is not P.
    let mut is_p = vec![false; side * side * side];
    let mut count = 0;
    let mut place = 0;
    for a in 0..side {
        for b in 0..side {
            for c in 0..side {
                let same = |x: usize, y: usize| x > 0 && x == y;
                if !(same(a, b) || same(a, c) || same(b, c)) {
                    let wins = [a, b, c]
                        .into_iter()
                        .zip(strides)
                        .any(|(size, stride)| (1..=size).any(|t| is_p[place - t * stride]));
                    is_p[place] = !wins;
                    count += u64::from(!wins);
                }
                place += 1;
            }
        }
    }
    count
}

fn judged(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let [a, b, c] = heaps;
        let (largest, sum) = (a.max(b).max(c), a + b + c);
        heaps.into_iter().zip(strides).any(|(size, stride)| {
            (1..=size).any(|t| ((t + largest) % 3 != 1 || t * t > sum) && is_p[place - t * stride])
        })
    })
}

fn judged_values(most: usize) -> u64 {
    values_of_three(most, |heaps, heap| {
        let (largest, sum) = (
            heaps.into_iter().max().unwrap_or(0),
            heaps.into_iter().sum(),
        );
        (1..=heaps[heap]).filter(move |t| (t + largest) % 3 != 1 || t * t > sum)
    })
}

fn euclid_values(most: usize) -> u64 {
    let side = most + 1;
    let mut values = vec![0_u16; side * side];
    let mut seen = vec![0_u32; 1 << 16];
    let mut sum = 0;
    for a in 0..side {
        for b in 0..side {
            let place = a * side + b;
            let round = place as u32 + 1;
            let step = a.min(b);
            if step > 0 {
                for t in (step..=a).step_by(step) {
                    seen[values[place - t * side] as usize] = round;
                }
                for t in (step..=b).step_by(step) {
                    seen[values[place - t] as usize] = round;
                }
            }
            let mex = seen.iter().position(|at| *at != round);
            values[place] = mex.expect("few values") as u16;
            sum += u64::from(values[place]);
        }
    }
    sum
}

fn mixed(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let [a, b, c] = heaps;
        let largest = a.max(b).max(c);
        heaps.into_iter().zip(strides).any(|(size, stride)| {
            (1..=size).any(|t| ((size - t) ^ largest) % 3 != 0 && is_p[place - t * stride])
        })
    })
}

fn odd(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let from_two = [(0, 1), (0, 2), (1, 2)].into_iter().any(|(one, other)| {
            (0..=heaps[one]).any(|t| {
                let after = place - t * strides[one];
                let mut odd = (1 - t % 2..=heaps[other]).step_by(2);
                odd.any(|u| is_p[after - u * strides[other]])
            })
        });
        let two = |(size, stride)| size > 3 && is_p[place - 2 * stride];
        from_two || heaps.into_iter().zip(strides).any(two)
    })
}

fn onto(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        heaps.into_iter().zip(strides).any(|(size, stride)| {
            (1..=size).any(|t| (t == 1 || heaps.contains(&(size - t))) && is_p[place - t * stride])
        })
    })
}

/// From each heap one may take as many as `bound` says of the position.
#[inline(always)]
fn bounded(most: usize, bound: impl Fn([usize; 3]) -> usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let upto = bound(heaps);
        heaps
            .into_iter()
            .zip(strides)
            .any(|(size, stride)| (1..=size.min(upto)).any(|t| is_p[place - t * stride]))
    })
}

fn counted(most: usize) -> u64 {
    bounded(most, |heaps| {
        2 * heaps.into_iter().filter(|size| *size > 1).count()
    })
}

fn roots(most: usize) -> u64 {
    bounded(most, |heaps| heaps.into_iter().sum::<usize>().isqrt())
}

fn pairs(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let largest = heaps.into_iter().max().unwrap_or(0);
        let one = heaps
            .into_iter()
            .zip(strides)
            .any(|(size, stride)| (1..=size).any(|t| is_p[place - t * stride]));
        one || [(0, 1), (0, 2), (1, 2)].into_iter().any(|(i, j)| {
            let stride = strides[i] + strides[j];
            (1..=heaps[i].min(heaps[j])).any(|t| 2 * t <= largest + 1 && is_p[place - t * stride])
        })
    })
}

fn divisors(most: usize) -> u64 {
    three(most, |heaps, strides, is_p, place| {
        let sum: usize = heaps.into_iter().sum();
        heaps.into_iter().zip(strides).any(|(size, stride)| {
            (1..=size).any(|t| sum.is_multiple_of(t) && is_p[place - t * stride])
        })
    })
}
