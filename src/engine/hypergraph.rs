//! Hypergraph Nim: a move lowers the heaps of one set by any amounts.
//!
//! For each set S and position p keep one bit: can a P-position be reached
//! from p by lowering heaps of S alone, or is p one itself? The bit is that of
//! p with one token less on some heap of S, or p's own verdict. So a position
//! costs one look at each neighbour below it instead of one at each option,
//! whatever the convention. On a shrinking board the sets depend on which
//! heaps are left, and each set that can occur has its bit.

mod single;

use super::plain::box_below;
use super::table::{IS_N, IS_P};
use super::{
    Asked, Engine, Failure, Limits, Oracle, Question, Region, Shape, Solver, Table, Values,
};
use crate::expr::HeapId;
use crate::game::{Around, Convention};
use crate::ir::Hyperedges;
use std::collections::BTreeMap;

pub struct Hypergraph;

/// The sets have one bit each in a word.
const MOST_SETS: usize = 64;

/// A shrinking board of more heaps has more sets than bits.
const MOST_VANISHING: usize = 12;

impl Engine for Hypergraph {
    fn name(&self) -> &'static str {
        "hypergraph"
    }

    fn can(&self, solver: &Solver<'_>, asked: Asked) -> Result<(), String> {
        solver.is_impartial_and_ends()?;
        if asked.question == Question::Grundy {
            return Err("it finds outcomes, not Grundy values".to_owned());
        }
        let edges = solver.profile.hyperedges.as_ref().map_err(Clone::clone)?;
        Sets::of(edges, solver.graph.heaps).map(|_| ())
    }

    fn bytes_for(&self, _solver: &Solver<'_>, positions: u128, _asked: Asked) -> u128 {
        positions.saturating_mul(9)
    }

    fn bytes_for_one(&self, solver: &Solver<'_>, position: &[u64], asked: Asked) -> u128 {
        let positions = Shape::count(position);
        match single::selections(solver, position) {
            Some(_) => single::bytes(positions),
            None => self.bytes_for(solver, positions, asked),
        }
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        if let Some(selections) = single::selections(solver, &shape.most) {
            let single = single::Single::solve(&selections, shape, asked.convention, limits)?;
            let values = (0..shape.len).map(|place| if single.is_n(place) { IS_N } else { IS_P });
            return Ok(Table {
                region: Region::Box(shape.clone()),
                values: Values::Outcomes(values.collect()),
                engine: self.name(),
            });
        }
        let sets = solver
            .profile
            .hyperedges
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|edges| Sets::of(edges, solver.graph.heaps))
            .map_err(|reason| Failure::Cannot {
                engine: self.name(),
                reason,
            })?;
        Ok(Table {
            region: Region::Box(shape.clone()),
            values: Values::Outcomes(outcomes(&sets, shape, asked.convention, limits)?),
            engine: self.name(),
        })
    }

    fn oracle<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<Box<dyn Oracle + 's>, Failure> {
        match single::selections(solver, position) {
            Some(selections) => Ok(Box::new(single::oracle(
                &selections,
                position,
                asked,
                limits,
            )?)),
            None => box_below(self, solver, position, asked, limits),
        }
    }
}

/// The sets that can occur, a bit each.
struct Sets {
    /// The sets that hold a heap.
    holding: Vec<u64>,
    /// The sets one may choose from: one word, or one for each set of heaps
    /// that are left, as the bits of its index.
    allowed: Vec<u64>,
}

impl Sets {
    fn of(edges: &Hyperedges, heaps: usize) -> Result<Sets, String> {
        let mut bits: BTreeMap<Vec<HeapId>, u32> = BTreeMap::new();
        let mut bit_of = |set: Vec<HeapId>| -> Result<u64, String> {
            let next = bits.len();
            let bit = *bits
                .entry(set)
                .or_insert(u32::try_from(next).unwrap_or(u32::MAX));
            if bits.len() > MOST_SETS {
                return Err(format!("it has room for {MOST_SETS} selections"));
            }
            Ok(1 << bit)
        };
        let mut allowed = Vec::new();
        match edges {
            Hyperedges::Fixed(fixed) => {
                let mut all = 0;
                for set in fixed {
                    all |= bit_of(set.clone())?;
                }
                allowed.push(all);
            }
            Hyperedges::Left {
                least,
                most,
                around,
            } => {
                if heaps > MOST_VANISHING {
                    return Err(format!("at most {MOST_VANISHING} heaps may vanish"));
                }
                for left in 0..1_usize << heaps {
                    let standing: Vec<HeapId> = (0..heaps)
                        .filter(|h| left >> h & 1 == 1)
                        .map(HeapId::new)
                        .collect();
                    let mut here = 0;
                    for length in *least..=*most {
                        for set in windows(&standing, length, *around) {
                            here |= bit_of(set)?;
                        }
                    }
                    allowed.push(here);
                }
            }
        }
        let mut holding = vec![0; heaps];
        for (set, bit) in &bits {
            for heap in set {
                holding[heap.index()] |= 1_u64 << bit;
            }
        }
        Ok(Sets { holding, allowed })
    }
}

/// `length` consecutive heaps of those standing, all of them where no more are.
fn windows(standing: &[HeapId], length: usize, around: Around) -> Vec<Vec<HeapId>> {
    if standing.is_empty() {
        return Vec::new();
    }
    if length >= standing.len() {
        return vec![standing.to_vec()];
    }
    let starts = match around {
        Around::Circle => standing.len(),
        Around::Row => standing.len() + 1 - length,
    };
    (0..starts)
        .map(|start| {
            let mut set: Vec<HeapId> = (start..start + length)
                .map(|i| standing[i % standing.len()])
                .collect();
            set.sort_unstable();
            set
        })
        .collect()
}

fn outcomes(
    sets: &Sets,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
) -> Result<Vec<u8>, Failure> {
    let mut values = vec![IS_N; shape.len];
    let mut reach = vec![0_u64; shape.len];
    let by_left = sets.allowed.len() > 1;
    shape.try_each(|position, place| {
        if place % (1 << 16) == 0 {
            limits.check_time()?;
        }
        let mut below = 0;
        // Which heaps are left; no board that asks has more heaps than bits.
        let mut left = 0_usize;
        for (heap, size) in position.iter().enumerate() {
            if *size > 0 {
                below |= reach[place - shape.strides[heap]] & sets.holding[heap];
                if by_left {
                    left |= 1 << heap;
                }
            }
        }
        let allowed = sets.allowed[if by_left { left } else { 0 }];
        let wins = below & allowed != 0;
        // A heap that no set holds can never be touched.
        let ended = position
            .iter()
            .zip(&sets.holding)
            .all(|(size, holding)| *size == 0 || holding & allowed == 0);
        let ended_well = convention == Convention::Misere && ended;
        if wins || ended_well {
            reach[place] = below;
        } else {
            values[place] = IS_P;
            reach[place] = u64::MAX;
        }
        Ok(())
    })?;
    Ok(values)
}
