//! The search: by nimbers under normal play, over sums of components under misère play.

use super::cells::Cells;
use super::components::{Components, Id, Parts, Sum};
use nimrule_ir::SetMove;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;
use rustc_hash::FxHashMap;

/// A search whose table serves many positions.
pub trait Search {
    /// Sets the limits of the questions that follow.
    fn set_limits(&mut self, limits: &Limits);

    /// The memory in use, in bytes.
    fn bytes(&self) -> u64;

    /// Whether the position has this Grundy value; under misère play, whether it is P,
    /// whatever the value.
    fn has_value(&mut self, position: &[u64], value: u64) -> Result<bool, LimitExceeded>;

    /// The Grundy value, under normal play.
    fn value(&mut self, position: &[u64]) -> Result<u64, LimitExceeded>;
}

/// A search for the moves, with bit sets of a length that suits the number of heaps.
pub fn search(moves: &[SetMove], heaps: usize, convention: Convention) -> Box<dyn Search> {
    fn with<const W: usize>(
        moves: &[SetMove],
        heaps: usize,
        convention: Convention,
    ) -> Box<dyn Search> {
        let components = Components::<W>::new(moves, heaps, convention);
        match convention {
            Convention::Normal => Box::new(NimberSearch {
                components,
                values: Vec::new(),
            }),
            Convention::Misere => Box::new(MisereSearch {
                components,
                of_sums: FxHashMap::default(),
            }),
        }
    }
    match heaps.div_ceil(64) {
        0 | 1 => with::<1>(moves, heaps, convention),
        2 => with::<2>(moves, heaps, convention),
        3 | 4 => with::<4>(moves, heaps, convention),
        _ => with::<8>(moves, heaps, convention),
    }
}

fn cells<const W: usize>(position: &[u64]) -> Cells<W> {
    let mut cells = Cells::EMPTY;
    let full = position.iter().enumerate().filter(|(_, size)| **size > 0);
    full.for_each(|(cell, _)| cells.insert(cell));
    cells
}

/// What is known of the value of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    AtLeast(u16),
    Value(u16),
}

/// The search by nimbers.
struct NimberSearch<const W: usize> {
    components: Components<W>,
    values: Vec<Known>,
}

impl<const W: usize> NimberSearch<W> {
    fn known(&self, id: Id) -> Known {
        let known = self.values.get(id as usize);
        known.copied().unwrap_or(Known::AtLeast(0))
    }

    fn learn(&mut self, id: Id, known: Known) -> Result<(), LimitExceeded> {
        let all = self.components.len();
        if self.values.len() < all {
            let more = all - self.values.len();
            self.values.resize(all, Known::AtLeast(0));
            self.components.use_memory(2 * more * size_of::<Known>())?;
        }
        self.values[id as usize] = known;
        Ok(())
    }

    /// The Grundy value of a component.
    fn value_of(&mut self, id: Id) -> Result<u16, LimitExceeded> {
        loop {
            match self.known(id) {
                Known::Value(value) => return Ok(value),
                Known::AtLeast(least) => self.test(id, least)?,
            }
        }
    }

    /// Whether a component has this value: whether its sum with this nimber is P.
    fn is_value(&mut self, id: Id, value: u16) -> Result<bool, LimitExceeded> {
        loop {
            match self.known(id) {
                Known::Value(known) => return Ok(known == value),
                Known::AtLeast(least) if least > value => return Ok(false),
                Known::AtLeast(least) => self.test(id, least)?,
            }
        }
    }

    /// Whether a sum has this value. The values of all summands but the largest are computed.
    fn sum_is_value(&mut self, sum: &[Id], value: u16) -> Result<bool, LimitExceeded> {
        let mut rest = value;
        let mut largest = None;
        for id in sum.iter().copied() {
            let id = match (self.known(id), largest) {
                (Known::Value(value), _) => {
                    rest ^= value;
                    continue;
                }
                (_, None) => {
                    largest = Some(id);
                    continue;
                }
                (_, Some(other)) if self.components.size(other) < self.components.size(id) => {
                    largest = Some(id);
                    other
                }
                _ => id,
            };
            rest ^= self.value_of(id)?;
        }
        match largest {
            Some(id) => self.is_value(id, rest),
            None => Ok(rest == 0),
        }
    }

    /// Tests whether a component whose value is at least `least` has this value: it has
    /// unless an option has.
    fn test(&mut self, id: Id, least: u16) -> Result<(), LimitExceeded> {
        let (cells, moves) = self.components.moves(id)?;
        let mut open = Vec::new();
        for of in &moves {
            self.components.read_moves(moves.len())?;
            let parts = self.components.play(*of, &cells, &moves);
            // PERF: most components have an option with known values that decides, so that
            // no canonical forms are computed.
            match self.known_to_be(&parts, least) {
                Some(true) => return self.learn(id, Known::AtLeast(least + 1)),
                Some(false) => {}
                None => {
                    let mobility = self.components.mobility(&parts, &moves);
                    open.push((mobility, parts));
                }
            }
        }
        // Components with few moves are solved soon.
        open.sort_by_key(|(mobility, _)| *mobility);
        let bytes = open.capacity() * size_of::<((usize, usize), Parts<W>)>();
        self.components.open(bytes)?;
        let mut known = Known::Value(least);
        for (_, parts) in &open {
            let sum = self.components.sum(parts, &moves)?;
            if self.sum_is_value(&sum, least)? {
                known = Known::AtLeast(least + 1);
                break;
            }
        }
        self.components.close(bytes);
        self.learn(id, known)
    }

    /// Whether the sum of some connected sets of cells has this value, if that is known.
    fn known_to_be(&self, parts: &[Cells<W>], value: u16) -> Option<bool> {
        let mut rest = value;
        let mut bound = None;
        for part in parts {
            match self.known(self.components.known(part)?) {
                Known::Value(value) => rest ^= value,
                Known::AtLeast(least) => match bound {
                    None => bound = Some(least),
                    Some(_) => return None,
                },
            }
        }
        match bound {
            None => Some(rest == 0),
            Some(least) if least > rest => Some(false),
            Some(_) => None,
        }
    }
}

impl<const W: usize> Search for NimberSearch<W> {
    fn set_limits(&mut self, limits: &Limits) {
        self.components.set_limits(limits);
    }

    fn bytes(&self) -> u64 {
        self.components.bytes()
    }

    fn has_value(&mut self, position: &[u64], value: u64) -> Result<bool, LimitExceeded> {
        let sum = self.components.sum_of(&cells(position))?;
        match u16::try_from(value) {
            Ok(value) => self.sum_is_value(&sum, value),
            // A value is at most the number of heaps.
            Err(_) => Ok(false),
        }
    }

    fn value(&mut self, position: &[u64]) -> Result<u64, LimitExceeded> {
        let sum = self.components.sum_of(&cells(position))?;
        let mut value = 0;
        for id in sum {
            value ^= self.value_of(id)?;
        }
        Ok(value.into())
    }
}

/// The search for misère outcomes.
struct MisereSearch<const W: usize> {
    components: Components<W>,
    /// Whether a sum is P.
    of_sums: FxHashMap<Sum, bool>,
}

impl<const W: usize> MisereSearch<W> {
    fn is_p(&mut self, sum: &Sum) -> Result<bool, LimitExceeded> {
        if sum.is_empty() {
            return Ok(false);
        }
        if let Some(known) = self.of_sums.get(sum) {
            return Ok(*known);
        }
        if self.of_sums.len().is_multiple_of(256) {
            self.components
                .limits()
                .check_time_at(self.of_sums.len() as u64)?;
        }
        let mut options: Vec<(u32, Sum)> = Vec::new();
        for (index, id) in sum.iter().enumerate() {
            if sum[..index].last() == Some(id) {
                continue;
            }
            let (first, end) = self.components.list_options(*id)?;
            let mut place = first;
            while place < end {
                let (option, next) = self.components.option(place);
                let mut whole = Sum::from_slice(option);
                whole.extend_from_slice(&sum[..index]);
                whole.extend_from_slice(&sum[index + 1..]);
                let whole = self.components.reduced(whole);
                let size = whole.iter().map(|id| u32::from(self.components.size(*id)));
                options.push((size.sum(), whole));
                place = next;
            }
        }
        let of_known = |(_, option): &(u32, Sum)| self.of_sums.get(option) == Some(&true);
        let mut wins = options.iter().any(of_known);
        if !wins {
            // Small sums are solved soon.
            options.sort_unstable();
            options.dedup();
            let bytes = options.capacity() * size_of::<(u32, Sum)>();
            self.components.open(bytes)?;
            for (_, option) in &options {
                if self.is_p(option)? {
                    wins = true;
                    break;
                }
            }
            self.components.close(bytes);
        }
        let apart = match sum.spilled() {
            true => 16 + 4 * sum.len(),
            false => 0,
        };
        self.components
            .use_memory(2 * (size_of::<(Sum, bool)>() + 1) + apart)?;
        self.of_sums.insert(sum.clone(), !wins);
        Ok(!wins)
    }
}

impl<const W: usize> Search for MisereSearch<W> {
    fn set_limits(&mut self, limits: &Limits) {
        self.components.set_limits(limits);
    }

    fn bytes(&self) -> u64 {
        self.components.bytes()
    }

    fn has_value(&mut self, position: &[u64], _value: u64) -> Result<bool, LimitExceeded> {
        let sum = self.components.sum_of(&cells(position))?;
        self.is_p(&sum)
    }

    fn value(&mut self, position: &[u64]) -> Result<u64, LimitExceeded> {
        Ok(u64::from(!self.has_value(position, 0)?))
    }
}
