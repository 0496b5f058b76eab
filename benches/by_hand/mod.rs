//! Programs for single games, for comparison: the loop over the options of each
//! position, and the sieve, in which every P-position marks the positions that can
//! move to it.

pub mod compiled;
pub mod relations;
pub mod rules;

/// Calls `f` with every position of the box of `HEAPS` heaps of at most `most` tokens,
/// and its place, in lexicographic order.
fn each_position<const HEAPS: usize>(most: usize, mut f: impl FnMut(&[usize; HEAPS], usize)) {
    let mut position = [0; HEAPS];
    let len = (most + 1).pow(HEAPS as u32);
    for place in 0..len {
        f(&position, place);
        for heap in (0..HEAPS).rev() {
            if position[heap] < most {
                position[heap] += 1;
                break;
            }
            position[heap] = 0;
        }
    }
}

fn strides<const HEAPS: usize>(most: usize) -> [usize; HEAPS] {
    let mut strides = [1; HEAPS];
    for heap in (0..HEAPS - 1).rev() {
        strides[heap] = strides[heap + 1] * (most + 1);
    }
    strides
}

/// Calls `f` with the place of every option that lowers the heaps of a set by any
/// amounts, until `f` returns true; returns whether it did.
fn lowered<const HEAPS: usize>(
    set: &[usize],
    position: &[usize; HEAPS],
    strides: &[usize; HEAPS],
    place: usize,
    moved: bool,
    f: &mut impl FnMut(usize) -> bool,
) -> bool {
    match set.split_first() {
        None => moved && f(place),
        Some((heap, rest)) => (0..=position[*heap]).any(|taken| {
            let place = place - taken * strides[*heap];
            lowered(rest, position, strides, place, moved || taken > 0, f)
        }),
    }
}

/// The number of P-positions, by a loop over the options.
pub fn loop_over_options<const HEAPS: usize>(sets: &[Vec<usize>], most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut is_p = vec![false; (most + 1).pow(HEAPS as u32)];
    each_position::<HEAPS>(most, |position, place| {
        let wins = sets
            .iter()
            .any(|set| lowered(set, position, &strides, place, false, &mut |at| is_p[at]));
        is_p[place] = !wins;
    });
    is_p.iter().filter(|is_p| **is_p).count() as u64
}

/// The number of P-positions, by a sieve.
pub fn sieve<const HEAPS: usize>(sets: &[Vec<usize>], most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut wins = vec![false; (most + 1).pow(HEAPS as u32)];
    let mut count = 0;
    each_position::<HEAPS>(most, |position, place| {
        if wins[place] {
            return;
        }
        count += 1;
        for set in sets {
            match set[..] {
                [a, b] => {
                    for x in 0..=most - position[a] {
                        let row = place + x * strides[a];
                        for y in 0..=most - position[b] {
                            wins[row + y * strides[b]] = true;
                        }
                    }
                }
                _ => raise(set, &[0; HEAPS], position, &strides, most, place, &mut wins),
            }
        }
    });
    count
}

/// Marks all that lies above in some heaps, each by at least so much.
fn raise<const HEAPS: usize>(
    set: &[usize],
    least: &[usize; HEAPS],
    position: &[usize; HEAPS],
    strides: &[usize; HEAPS],
    most: usize,
    place: usize,
    wins: &mut [bool],
) {
    match set.split_first() {
        None => wins[place] = true,
        Some((heap, rest)) => {
            for more in least[*heap]..=most - position[*heap] {
                let place = place + more * strides[*heap];
                raise(rest, least, position, strides, most, place, wins);
            }
        }
    }
}

/// Grundy values, the largest of them, by looking at every option.
pub fn values<const HEAPS: usize>(sets: &[Vec<usize>], most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut values = vec![0_u16; (most + 1).pow(HEAPS as u32)];
    let mut seen = vec![0_u32; 1 << 16];
    let mut round = 0;
    each_position::<HEAPS>(most, |position, place| {
        round += 1;
        for set in sets {
            lowered(set, position, &strides, place, false, &mut |at| {
                seen[values[at] as usize] = round;
                false
            });
        }
        let mex = seen.iter().position(|at| *at != round);
        values[place] = mex.expect("few values") as u16;
    });
    values.iter().copied().max().unwrap_or(0).into()
}

/// The heaps of the sets' subsets, each once, with what a token from each of
/// them is worth in a place.
fn vectors(sets: &[Vec<usize>], strides: &[usize]) -> Vec<(Vec<usize>, usize)> {
    let mut vectors: Vec<(Vec<usize>, usize)> = Vec::new();
    for set in sets {
        for chosen in 1..1_usize << set.len() {
            let heaps: Vec<usize> = (0..set.len())
                .filter(|i| chosen >> i & 1 == 1)
                .map(|i| set[i])
                .collect();
            let step = heaps.iter().map(|heap| strides[*heap]).sum();
            if !vectors.iter().any(|(_, other)| *other == step) {
                vectors.push((heaps, step));
            }
        }
    }
    vectors
}

/// At most one token from each heap of a set.
pub fn slow<const HEAPS: usize>(sets: &[Vec<usize>], most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut is_p = vec![false; (most + 1).pow(HEAPS as u32)];
    let vectors = vectors(sets, &strides);
    each_position::<HEAPS>(most, |position, place| {
        let wins = vectors.iter().any(|(heaps, step)| {
            heaps.iter().all(|heap| position[*heap] > 0) && is_p[place - step]
        });
        is_p[place] = !wins;
    });
    is_p.iter().filter(|is_p| **is_p).count() as u64
}

/// The same by marking.
pub fn slow_sieve<const HEAPS: usize>(sets: &[Vec<usize>], most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut wins = vec![false; (most + 1).pow(HEAPS as u32)];
    let mut count = 0;
    let vectors = vectors(sets, &strides);
    each_position::<HEAPS>(most, |position, place| {
        if wins[place] {
            return;
        }
        count += 1;
        for (heaps, step) in &vectors {
            if heaps.iter().all(|heap| position[*heap] < most) {
                wins[place + step] = true;
            }
        }
    });
    count
}

const PILES: usize = 4;

/// Trim by marking.
pub fn trim_sieve(most: usize) -> u64 {
    let strides = strides::<PILES>(most);
    let mut wins = vec![false; (most + 1).pow(PILES as u32)];
    let mut count = 0;
    each_position::<PILES>(most, |position, place| {
        if wins[place] {
            return;
        }
        count += 1;
        let mut above = *position;
        for i in 0..PILES {
            for t in 1..=most - position[i] {
                let before = place + t * strides[i];
                wins[before] = true;
                above[i] += t;
                for j in 0..PILES {
                    let mut u = 1;
                    while above[j] + u <= most {
                        if 2 * u > t {
                            wins[before + u * strides[j]] = true;
                        }
                        u *= 3;
                    }
                }
                above[i] -= t;
            }
        }
    });
    count
}

pub fn trim(most: usize) -> u64 {
    let strides = strides::<PILES>(most);
    let mut is_p = vec![false; (most + 1).pow(PILES as u32)];
    each_position::<PILES>(most, |position, place| {
        let mut left = *position;
        let mut wins = false;
        'moves: for i in 0..PILES {
            for t in 1..=position[i] {
                let after = place - t * strides[i];
                if is_p[after] {
                    wins = true;
                    break 'moves;
                }
                left[i] -= t;
                for j in 0..PILES {
                    let mut u = 1;
                    while u <= left[j] {
                        if 2 * u > t && is_p[after - u * strides[j]] {
                            wins = true;
                            break 'moves;
                        }
                        u *= 3;
                    }
                }
                left[i] += t;
            }
        }
        is_p[place] = !wins;
    });
    is_p.iter().filter(|is_p| **is_p).count() as u64
}

pub fn wythoff(most: usize) -> u64 {
    let side = most + 1;
    let mut is_p = vec![false; side * side];
    let mut count = 0;
    for a in 0..side {
        for b in 0..side {
            let place = a * side + b;
            let wins = (1..=a).any(|x| is_p[place - x * side])
                || (1..=b).any(|y| is_p[place - y])
                || (1..=a.min(b)).any(|z| is_p[place - z * (side + 1)]);
            is_p[place] = !wins;
            count += u64::from(!wins);
        }
    }
    count
}

/// The same by marking.
pub fn wythoff_sieve(most: usize) -> u64 {
    let side = most + 1;
    let mut wins = vec![false; side * side];
    let mut count = 0;
    for a in 0..side {
        for b in 0..side {
            let place = a * side + b;
            if wins[place] {
                continue;
            }
            count += 1;
            for x in 1..side - a {
                wins[place + x * side] = true;
            }
            for y in 1..side - b {
                wins[place + y] = true;
            }
            for z in 1..side - a.max(b) {
                wins[place + z * (side + 1)] = true;
            }
        }
    }
    count
}

/// Shrinking Circular Nim by marking: whoever moves here had more heaps left,
/// of which some may have vanished.
pub fn shrinking_sieve<const HEAPS: usize>(length: usize, most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut wins = vec![false; (most + 1).pow(HEAPS as u32)];
    let mut count = 0;
    each_position::<HEAPS>(most, |position, place| {
        if wins[place] {
            return;
        }
        count += 1;
        let here = (0..HEAPS).filter(|heap| position[*heap] > 0);
        let here = here.fold(0, |left, heap| left | 1 << heap);
        let least = position.map(|size| usize::from(size == 0));
        for before in (1..1_usize << HEAPS).filter(|before| before & here == here) {
            let left: Vec<usize> = (0..HEAPS).filter(|heap| before >> heap & 1 == 1).collect();
            for start in 0..left.len() {
                let set: Vec<usize> = (start..start + length.min(left.len()))
                    .map(|i| left[i % left.len()])
                    .collect();
                let chosen = set.iter().fold(0, |chosen, heap| chosen | 1 << heap);
                if before & !here & !chosen == 0 {
                    raise(&set, &least, position, &strides, most, place, &mut wins);
                }
            }
        }
    });
    count
}

/// Shrinking Circular Nim: any amounts from `length` consecutive heaps of those
/// that are left.
pub fn shrinking<const HEAPS: usize>(length: usize, most: usize) -> u64 {
    let strides = strides::<HEAPS>(most);
    let mut is_p = vec![false; (most + 1).pow(HEAPS as u32)];
    each_position::<HEAPS>(most, |position, place| {
        let left: Vec<usize> = (0..HEAPS).filter(|heap| position[*heap] > 0).collect();
        let wins = (0..left.len()).any(|start| {
            let set: Vec<usize> = (start..start + length.min(left.len()))
                .map(|i| left[i % left.len()])
                .collect();
            lowered(&set, position, &strides, place, false, &mut |at| is_p[at])
        });
        is_p[place] = !wins;
    });
    is_p.iter().filter(|is_p| **is_p).count() as u64
}

/// The Grundy values of an octal game by the definition, quadratic in the
/// heaps: their sum.
pub fn octal(digits: &[u8], heaps: usize) -> u64 {
    let mut values = vec![0_u32; heaps + 1];
    let mut seen = vec![0_usize; 1 << 12];
    for heap in 1..=heaps {
        for (index, digit) in digits.iter().enumerate() {
            let taken = index + 1;
            if taken > heap {
                break;
            }
            let left = heap - taken;
            if digit & 1 != 0 && left == 0 {
                seen[0] = heap;
            }
            if digit & 2 != 0 && left > 0 {
                seen[values[left] as usize] = heap;
            }
            if digit & 4 != 0 {
                for part in 1..=left / 2 {
                    seen[(values[part] ^ values[left - part]) as usize] = heap;
                }
            }
        }
        let mex = seen.iter().position(|at| *at != heap);
        values[heap] = mex.expect("few values") as u32;
    }
    values.iter().map(|value| u64::from(*value)).sum()
}
