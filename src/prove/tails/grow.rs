//! A guess at an automaton, from what is said of a box.
//!
//! Numbers that differ have different tails only if some digits behind them
//! tell so. In a box of D digits the tail of a tuple of d digits is known to
//! the depth D − d; to each depth, equal tails get equal names, from the
//! deepest digits upwards, so that two tails are compared as two numbers are.

use super::numbers::NOTHING;
use super::sample::{OUT, Sample};
use crate::automata::known::Known;
use crate::automata::{Automaton, Budget, Letters, Numeration, Track};
use crate::limits::{Limits, Met};
use crate::prove::free::Interner;

/// An automaton that says of every tuple of the box what is said of it, or
/// nearly; of all others it is a guess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    pub numeration: Numeration,
    pub tracks: usize,
    /// What each state says of the numbers that lead to it. State 0 begins.
    pub says: Vec<u32>,
    /// At `state * letters + letter`.
    pub next: Vec<u32>,
    /// The least depth to which tails were compared.
    pub depth: usize,
}

/// What growing came to.
#[derive(Debug, Clone)]
pub struct Grown {
    /// `None` where states were still appearing at the end of the box.
    pub guess: Option<Guess>,
    /// How many states there were.
    pub states: usize,
}

/// The names of tails: at a depth, by the places of the tuples with so many
/// digits less.
struct Tails {
    names: Vec<Vec<u32>>,
}

/// Two looks at the limits are so many tuples apart.
const BETWEEN_LOOKS: usize = 1 << 10;

impl Tails {
    fn new(sample: &Sample, deepest: usize, limits: &Limits) -> Result<Tails, Met> {
        let letters = sample.letters();
        let mut names = Vec::with_capacity(deepest + 1);
        let mut longer = vec![0; sample.tracks];
        let mut block = Vec::with_capacity(letters.len() + 1);
        for depth in 1..=deepest.min(sample.digits()) {
            let digits = sample.digits() - depth;
            let before: &[u32] = names.last().map_or(&sample.said, |names: &Vec<u32>| names);
            let mut known = Interner::new();
            let mut named = Vec::new();
            sample.each(digits, |place, tuple| {
                if place % BETWEEN_LOOKS == 0 {
                    limits.within_time()?;
                    let held = 4 * (sample.said.len() + named.capacity()) + known.bytes();
                    limits.within_memory(held as u128)?;
                }
                block.clear();
                // What is said of the tuple itself, and of all behind it.
                block.push(sample.said[sample.place(tuple, sample.digits())]);
                for letter in &letters {
                    block.push(match sample.with(tuple, letter, &mut longer) {
                        true => before[sample.place(&longer, digits + 1)],
                        false => NOTHING,
                    });
                }
                named.push(known.insert(&block).0);
                Ok(())
            })?;
            names.push(named);
        }
        Ok(Tails { names })
    }

    /// The name of a tuple's tail, as deep as that.
    fn name(&self, sample: &Sample, tuple: &[u32], depth: usize) -> u32 {
        self.names[depth - 1][sample.place(tuple, sample.digits() - depth)]
    }
}

fn length(sample: &Sample, tuple: &[u32]) -> usize {
    let lengths = tuple.iter().map(|number| sample.numbers.length(*number));
    lengths.max().unwrap_or(0)
}

/// How many new tails of a depth appear behind numbers of 0, 1, 2, … digits.
pub fn new_tails(sample: &Sample, depth: usize, limits: &Limits) -> Result<Vec<usize>, Met> {
    if depth == 0 || depth > sample.digits() {
        return Ok(Vec::new());
    }
    let tails = Tails::new(sample, depth, limits)?;
    let digits = sample.digits() - depth;
    let mut first: Vec<usize> = Vec::new();
    sample.each(digits, |place, tuple| {
        let name = tails.names[depth - 1][place] as usize;
        let length = length(sample, tuple);
        if name == first.len() {
            first.push(length);
        }
        first[name] = first[name].min(length);
        Ok(())
    })?;
    let mut counts = vec![0; digits + 1];
    for length in first {
        counts[length] += 1;
    }
    Ok(counts)
}

/// The automaton that the tails of a box lead to, if it closes within it.
pub fn grow(sample: &Sample, most: usize, limits: &Limits) -> Result<Grown, Met> {
    let tails = Tails::new(sample, sample.digits(), limits)?;
    let letters = sample.letters();
    let mut grower = Grower {
        sample,
        tails,
        chiefs: Vec::new(),
        known: Known::default(),
        depth: sample.digits(),
    };
    let mut next = Vec::new();
    let mut longer = vec![0; sample.tracks];
    let open = |grower: &Grower<'_>| Grown {
        guess: None,
        states: grower.chiefs.len(),
    };
    grower.state(&vec![0; sample.tracks]);
    let mut at = 0;
    let mut stray = false;
    while let Some(chief) = grower.chiefs.get(at).cloned() {
        limits.within_time()?;
        for letter in &letters {
            if !sample.with(&chief, letter, &mut longer) {
                stray = true;
                next.push(NOTHING);
                continue;
            }
            match grower.state(&longer) {
                Some(state) => next.push(state),
                None => return Ok(open(&grower)),
            }
        }
        if grower.chiefs.len() > most {
            return Ok(open(&grower));
        }
        at += 1;
    }
    let said = |tuple: &Vec<u32>| sample.said[sample.place(tuple, sample.digits())];
    let mut says: Vec<u32> = grower.chiefs.iter().map(said).collect();
    if stray {
        // Digits that write no number lead to a state of their own.
        let nowhere = says.len() as u32;
        says.push(OUT);
        next.extend(std::iter::repeat_n(nowhere, letters.len()));
        for to in &mut next {
            *to = if *to == NOTHING { nowhere } else { *to };
        }
    }
    Ok(Grown {
        states: says.len(),
        guess: Some(Guess {
            numeration: sample.numeration(),
            tracks: sample.tracks,
            says,
            next,
            depth: grower.depth,
        }),
    })
}

struct Grower<'s> {
    sample: &'s Sample,
    tails: Tails,
    /// The tuple that stands for each state: the first with its tail.
    chiefs: Vec<Vec<u32>>,
    /// The first state with a tail of this depth and name.
    known: Known<(usize, u32), u32>,
    depth: usize,
}

impl Grower<'_> {
    /// The state of a tuple, known or new; `None` at the end of the box.
    fn state(&mut self, tuple: &[u32]) -> Option<u32> {
        let depth = self.sample.digits() - length(self.sample, tuple);
        if depth == 0 {
            return None;
        }
        let name = self.tails.name(self.sample, tuple, depth);
        if let Some(state) = self.known.get(&(depth, name)) {
            self.depth = self.depth.min(depth);
            return Some(*state);
        }
        let state = self.chiefs.len() as u32;
        self.chiefs.push(tuple.to_vec());
        for less in 1..=depth {
            let name = self.tails.name(self.sample, tuple, less);
            self.known.or_insert_with((less, name), || state);
        }
        Some(state)
    }
}

impl Guess {
    pub fn states(&self) -> usize {
        self.says.len()
    }

    /// Does it say of every tuple what the sample says?
    pub fn agrees(&self, sample: &Sample, limits: &Limits) -> Result<bool, Met> {
        let letters = sample.letters();
        let mut longer = vec![0; sample.tracks];
        let mut states = vec![0_u32];
        for digits in 0..sample.digits() {
            let last = digits + 1 == sample.digits();
            let count = sample.numbers.side(digits + 1).pow(sample.tracks as u32);
            let mut after = if last { Vec::new() } else { vec![0; count] };
            let mut fits = true;
            sample.each(digits, |place, tuple| {
                if place % BETWEEN_LOOKS == 0 {
                    limits.within_time()?;
                }
                let row = states[place] as usize * letters.len();
                for (number, letter) in letters.iter().enumerate() {
                    if !sample.with(tuple, letter, &mut longer) {
                        continue;
                    }
                    let to = self.next[row + number];
                    let place = sample.place(&longer, digits + 1);
                    if last {
                        fits &= self.says[to as usize] == sample.said[place];
                    } else {
                        after[place] = to;
                    }
                }
                Ok(())
            })?;
            if !fits {
                return Ok(false);
            }
            states = after;
        }
        Ok(true)
    }

    /// The same with as few states as can be: states are told apart by what
    /// they say, then by the states that they lead to, round by round.
    pub fn minimised(&self) -> Guess {
        let letters = self.next.len() / self.says.len();
        let mut classes = self.says.clone();
        let mut count = 0;
        loop {
            let mut known = Interner::new();
            let mut row = Vec::with_capacity(letters + 1);
            let next: Vec<u32> = (0..self.says.len())
                .map(|state| {
                    row.clear();
                    row.push(classes[state]);
                    let after = &self.next[state * letters..(state + 1) * letters];
                    row.extend(after.iter().map(|to| classes[*to as usize]));
                    known.insert(&row).0
                })
                .collect();
            let more = known.len();
            classes = next;
            if more == count {
                break;
            }
            count = more;
        }
        // Classes are numbered by their first states.
        let mut says = Vec::new();
        let mut next = Vec::new();
        for (state, class) in classes.iter().enumerate() {
            if *class as usize == says.len() {
                says.push(self.says[state]);
                let after = &self.next[state * letters..(state + 1) * letters];
                next.extend(after.iter().map(|to| classes[*to as usize]));
            }
        }
        Guess {
            says,
            next,
            ..self.clone()
        }
    }

    /// What is said of some tuple, ascending, but for `OUT`.
    pub fn all_said(&self) -> Vec<u32> {
        let mut all = self.says.clone();
        all.sort_unstable();
        all.dedup();
        all.retain(|said| *said != OUT);
        all
    }

    /// The smallest automaton of the tuples of which some of this is said.
    pub fn automaton(
        &self,
        tracks: &[Track],
        holds: &dyn Fn(u32) -> bool,
        budget: &Budget,
    ) -> Result<Automaton, Met> {
        let letters = Letters {
            base: self.numeration.radix() as u8,
            tracks: tracks.to_vec(),
            start: 0,
            accepting: self.says.iter().map(|said| holds(*said)).collect(),
            next: self.next.clone(),
        };
        letters.automaton_in(self.numeration).smallest(budget)
    }
}
