//! A rule and a claim about it, read: what the theorem speaks of.

use super::moves::{Way, ways};
use super::read::{ALWAYS, Reader, Said};
use super::scale::shortened;
use crate::expr::{Bool, HeapId};
use crate::game::{Claim, Class, Convention, Direction, Game, Statement};
use crate::prove::outside::{Leaves, Outside};
use crate::source::Span;

/// The rule and the set that a claim calls the P-positions. All speak of the
/// sizes before a move ([`super::number::of_heap`]).
#[derive(Debug, Clone)]
pub struct Sentences {
    pub names: Vec<String>,
    /// The file's condition on positions.
    pub positions: Said,
    /// The P-positions, as claimed.
    pub set: Said,
    pub ways: Vec<Way>,
    /// Where an expression has no value, with the place it stands in.
    pub faults: Vec<(Said, Span)>,
    pub convention: Convention,
    /// Only that the labelling is consistent with the moves is said.
    pub consistent: bool,
    pub span: Span,
}

impl Sentences {
    pub fn read(game: &Game, claim: &Claim) -> Result<Sentences, Outside> {
        let outside = |word: &str, why: &str| Leaves::new(word, why).within(claim.span);
        let (class, consistent, up_to_symmetry, condition) = match &claim.statement {
            Some(Statement::Outcome {
                class: class @ (Class::P | Class::N),
                consistent,
                up_to_symmetry,
                direction: Direction::Iff,
                condition,
            }) => (*class, *consistent, *up_to_symmetry, condition),
            Some(Statement::Outcome { .. }) => {
                return Err(outside(
                    "",
                    "of heaps of real size, `P iff` and `N iff` are decided",
                ));
            }
            None => return Err(outside("", "it does not speak of these parameters")),
            Some(_) => {
                return Err(outside(
                    "",
                    "of heaps of real size, claims about P and N are decided",
                ));
            }
        };
        let mut faults = Vec::new();
        let positions = match &game.positions {
            None => ALWAYS,
            Some(condition) => {
                let mut reader = Reader::of_heaps(game);
                let positions = reader.condition(condition);
                faults.extend(reader.faults.into_iter().map(|fault| (fault, claim.span)));
                positions.map_err(|leaves| leaves.within(claim.span))?
            }
        };
        let mut set = claimed(game, claim, condition, up_to_symmetry, &mut faults)
            .map_err(|leaves| leaves.within(claim.span))?;
        if class == Class::N {
            set = set.negated();
        }
        let mut read = ways(game)?;
        faults.append(&mut read.faults);
        for way in &mut read.all {
            way.condition = shortened(&way.condition);
        }
        Ok(Sentences {
            names: game.heap_names.clone(),
            positions: shortened(&positions),
            set: shortened(&set),
            ways: read.all,
            faults,
            convention: claim.convention,
            consistent,
            span: claim.span,
        })
    }

    pub fn heaps(&self) -> usize {
        self.names.len()
    }
}

/// The set that the claim's condition tells.
fn claimed(
    game: &Game,
    claim: &Claim,
    condition: &Bool,
    up_to_symmetry: bool,
    faults: &mut Vec<(Said, Span)>,
) -> Result<Said, Leaves> {
    let mut reader = Reader::of_heaps(game);
    let images = match up_to_symmetry {
        true => reader.permutations("symmetry")?,
        false => vec![game.heaps().map(HeapId::index).collect()],
    };
    let heaps = reader.heaps.clone();
    let mut any = Vec::new();
    for image in images {
        reader.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
        any.push(reader.condition(condition)?);
    }
    faults.extend(reader.faults.into_iter().map(|fault| (fault, claim.span)));
    Ok(super::formula::Formula::or(any))
}
