//! Translations of a relation by a vector.

use super::memo::Memo;
use super::table::Alphabet;
use super::{Budget, Numeration, TableDfa, atoms};
use nimrule_limits::LimitExceeded;

/// Addition of one constant: by state, the pairs of digits of a number and of its sum, with the
/// next state. Only states from which both can be completed.
struct Adder {
    start: u32,
    accepting: Vec<bool>,
    arcs: Vec<Vec<(usize, usize, u32)>>,
}

impl Adder {
    fn new(numeration: Numeration, addend: u64, budget: &Budget) -> Result<Adder, LimitExceeded> {
        let addend = i64::try_from(addend).unwrap_or(i64::MAX);
        let sum = atoms::linear(numeration, &[(1, 0), (-1, 1)], addend, true, budget)?;
        let table = sum.table(&[0, 1]);
        let table = table.unwrap_or_else(|| unreachable!("two tracks and few states"));
        let is_live = table.coaccessible();
        let alphabet = table.alphabet();
        let arcs = |state| {
            let letters = (0..alphabet.count()).map(|letter| {
                let to = table.step(state, letter);
                (alphabet.digit(letter, 0), alphabet.digit(letter, 1), to)
            });
            letters.filter(|(.., to)| is_live[*to as usize]).collect()
        };
        Ok(Adder {
            start: table.start,
            arcs: (0..table.states() as u32).map(arcs).collect(),
            accepting: table.output,
        })
    }
}

/// The translations of a relation.
pub struct Shifts<'t> {
    table: &'t TableDfa,
    alphabet: Alphabet,
    numeration: Numeration,
    /// The adders of 0, 1, 2, …
    adders: Vec<Adder>,
}

impl<'t> Shifts<'t> {
    /// The translations by vectors whose entries are at most `most`.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn new(
        table: &'t TableDfa,
        numeration: Numeration,
        most: u64,
        budget: &Budget,
    ) -> Result<Shifts<'t>, LimitExceeded> {
        let adders = (0..=most).map(|addend| Adder::new(numeration, addend, budget));
        Ok(Shifts {
            table,
            alphabet: table.alphabet(),
            numeration,
            adders: adders.collect::<Result<_, _>>()?,
        })
    }

    /// The numeration of the relation.
    pub fn numeration(&self) -> Numeration {
        self.numeration
    }

    /// Returns whether a vector is *invariant*: whether a tuple p of natural numbers is in the
    /// relation if and only if p + v is, for every p.
    ///
    /// A tuple and its sum are read in parallel, with an adder for each track; this searches for
    /// digits at whose end only one of the two is accepted.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    ///
    /// # Panics
    ///
    /// If an entry is above the largest, or their number is not that of the tracks.
    pub fn leaves_invariant(&self, vector: &[u64], budget: &Budget) -> Result<bool, LimitExceeded> {
        assert_eq!(vector.len(), self.table.tracks, "an entry for each track");
        let adders = vector.iter().map(|entry| &self.adders[*entry as usize]);
        let adders: Vec<&Adder> = adders.collect();
        let start = Pair {
            adders: adders.iter().map(|adder| adder.start).collect(),
            states: [self.table.start; 2],
        };
        let mut seen = Memo::default();
        seen.add(start.clone());
        let mut open = vec![start];
        let mut reached = Vec::new();
        // In the order of the number of digits: a difference mostly needs few.
        while !open.is_empty() {
            for pair in std::mem::take(&mut open) {
                let mut next = pair.clone();
                self.successors(&adders, &pair, (0, [0; 2]), &mut next, &mut reached);
                for next in reached.drain(..) {
                    budget.tick(|| seen.bytes() * (2 + adders.len() / 8))?;
                    let [one, other] = next.states.map(|state| self.table.is_accepting(state));
                    let mut ends = next.adders.iter().zip(&adders);
                    let is_end = ends.all(|(state, adder)| adder.accepting[*state as usize]);
                    if is_end && one != other {
                        return Ok(false);
                    }
                    if seen.add(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Adds all pairs that follow one, the digits of the tracks before `track` being chosen.
    fn successors(
        &self,
        adders: &[&Adder],
        from: &Pair,
        (track, letters): (usize, [usize; 2]),
        next: &mut Pair,
        reached: &mut Vec<Pair>,
    ) {
        let Some(adder) = adders.get(track) else {
            for (to, letter) in letters.into_iter().enumerate() {
                next.states[to] = self.table.step(from.states[to], letter);
            }
            reached.push(next.clone());
            return;
        };
        let weight = self.alphabet.weight[track];
        for (digit, of_sum, to) in &adder.arcs[from.adders[track] as usize] {
            next.adders[track] = *to;
            let letters = [letters[0] + digit * weight, letters[1] + of_sum * weight];
            self.successors(adders, from, (track + 1, letters), next, reached);
        }
    }
}

/// The states after a tuple and its sum have been read in part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Pair {
    adders: smallvec::SmallVec<[u32; 8]>,
    states: [u32; 2],
}
