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
#[derive(Debug, Clone, Copy)]
struct Known {
    /// It is this, or more: some options have the values below.
    least: u16,
    /// It is this, or less: no option has this value.
    most: u16,
    /// It is not `least` and the number of the bit: an option has that value. The first bit is 0.
    others: u64,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            least: 0,
            most: u16::MAX,
            others: 0,
        }
    }
}

impl Known {
    fn value(self) -> Option<u16> {
        (self.least == self.most).then_some(self.least)
    }

    fn excludes(self, value: u16) -> bool {
        let Some(above) = value.checked_sub(self.least) else {
            return true;
        };
        value > self.most || self.others.checked_shr(above.into()).unwrap_or(0) & 1 == 1
    }

    /// Whether a test for an option of this value tells something that is remembered.
    fn is_open(self, value: u16) -> bool {
        value < self.most && value - self.least < u64::BITS as u16
    }

    /// Learns that an option has this value. Values far above the least are forgotten.
    fn exclude(&mut self, value: u16) {
        if value >= self.least && self.is_open(value) {
            self.others |= 1 << (value - self.least);
            let below = self.others.trailing_ones();
            self.least += below as u16;
            self.others = self.others.checked_shr(below).unwrap_or(0);
        }
    }
}

/// The search by nimbers.
struct NimberSearch<const W: usize> {
    components: Components<W>,
    values: Vec<Known>,
}

impl<const W: usize> NimberSearch<W> {
    fn known(&self, id: Id) -> Known {
        self.values.get(id as usize).copied().unwrap_or_default()
    }

    fn learn(&mut self, id: Id, known: Known) -> Result<(), LimitExceeded> {
        let all = self.components.len();
        if self.values.len() < all {
            let more = all - self.values.len();
            self.values.resize(all, Known::default());
            self.components.use_memory(2 * more * size_of::<Known>())?;
        }
        self.values[id as usize] = known;
        Ok(())
    }

    /// The Grundy value of a component.
    fn value_of(&mut self, id: Id) -> Result<u16, LimitExceeded> {
        loop {
            let known = self.known(id);
            match known.value() {
                Some(value) => return Ok(value),
                None => self.test(id, known.least)?,
            }
        }
    }

    /// Whether a component has this value: whether its sum with this nimber is P.
    fn is_value(&mut self, id: Id, value: u16) -> Result<bool, LimitExceeded> {
        loop {
            let known = self.known(id);
            if known.excludes(value) {
                return Ok(false);
            }
            match known.value() {
                Some(_) => return Ok(true),
                // PERF: most components that are tested have another value, and an option with
                // this one is one answer; the values below would be one each.
                None if known.is_open(value) => self.test(id, value)?,
                None => self.test(id, known.least)?,
            }
        }
    }

    /// Whether a sum has this value. The values of all summands but the largest are computed.
    fn sum_is_value(&mut self, sum: &[Id], value: u16) -> Result<bool, LimitExceeded> {
        let mut rest = value;
        let mut largest = None;
        for id in sum.iter().copied() {
            let id = match (self.known(id).value(), largest) {
                (Some(value), _) => {
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

    /// Tests whether an option of a component has a value that is not excluded.
    fn test(&mut self, id: Id, value: u16) -> Result<(), LimitExceeded> {
        let (cells, moves) = self.components.moves(id)?;
        let mut known = self.known(id);
        let mut open = Vec::new();
        for of in &moves {
            self.components.read_moves(moves.len())?;
            let parts = self.components.play(*of, &cells, &moves);
            // PERF: most components have an option with known values that decides, so that
            // no canonical forms are computed.
            match self.value_if_known(&parts) {
                Ok(value) => known.exclude(value),
                Err((rest, Some(of_part))) if of_part.excludes(rest ^ value) => {}
                Err(_) => {
                    let is_new = |part| self.components.known(part).is_none();
                    let has_new = parts.iter().any(is_new);
                    let mobility = self.components.mobility(&parts, &moves);
                    open.push(((has_new, mobility), parts));
                }
            }
            if known.excludes(value) || known.value().is_some() {
                return self.learn(id, known);
            }
        }
        // Components that occurred before, and those with few moves, are solved soon.
        open.sort_by_key(|(effort, _)| *effort);
        let bytes = open.capacity() * size_of::<((bool, (usize, usize)), Parts<W>)>();
        self.components.open(bytes)?;
        let mut found = false;
        for (_, parts) in &open {
            let sum = self.components.sum(parts, &moves)?;
            if self.sum_is_value(&sum, value)? {
                found = true;
                break;
            }
        }
        self.components.close(bytes);
        match found {
            true => known.exclude(value),
            false => known.most = known.most.min(value),
        }
        self.learn(id, known)
    }

    /// The value of the sum of some connected sets of cells, if that is known; else the value of
    /// all but one of them, and what is known of that one.
    fn value_if_known(&self, parts: &[Cells<W>]) -> Result<u16, (u16, Option<Known>)> {
        let mut rest = 0;
        let mut open = None;
        for part in parts {
            let known = self.components.known(part).map(|id| self.known(id));
            match (known.and_then(Known::value), known, open) {
                (Some(value), ..) => rest ^= value,
                (None, Some(known), None) => open = Some(known),
                _ => return Err((0, None)),
            }
        }
        open.map_or(Ok(rest), |known| Err((rest, Some(known))))
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
