//! The translation of a rule and a claim to formulas over ordered fields.

use super::fields::{Fields, IntegerInterpreter, Said};
use super::formula::Formula;
use super::scale::shortened;
use crate::symbolic::{Fault, MAX_HEAPS, TargetConstraint, Transition, Translation, transitions};
use crate::unsupported::Unsupported;
use nimrule_ir as ir;
use nimrule_model::expr::{Bool, Expr};
use nimrule_model::game::{Claim, Class, Convention, Direction, Game, Statement};
use nimrule_model::source::Span;

/// The rule and the set that a claim calls the P-positions. All speak of the
/// sizes before a move ([`super::number::of_heap`]).
#[derive(Debug, Clone)]
pub struct Sentences {
    pub names: Vec<String>,
    /// The file's condition on positions.
    pub positions: Said,
    /// The P-positions, as claimed.
    pub set: Said,
    /// The transition relation, whatever sizes are positions.
    pub moves: Vec<Transition<Fields>>,
    /// Where an expression has no value.
    pub faults: Vec<Fault<Fields>>,
    /// Where sizes are multiplied.
    pub products: Fields,
    pub convention: Convention,
    /// Only that the labelling is consistent with the moves is said.
    pub consistent: bool,
    pub span: Span,
}

impl Sentences {
    pub fn read(game: &Game, claim: &Claim) -> Translation<Sentences> {
        let unsupported = |what: &str| Err(Unsupported::new(what, claim.span));
        if game.has_sides() {
            return unsupported("each side has moves of its own");
        }
        if game.heap_count() > MAX_HEAPS {
            return Err(Unsupported::too_large(
                "there are too many heaps",
                claim.span,
            ));
        }
        let (class, consistent, up_to_symmetry, condition) = match &claim.statement {
            Some(Statement::Outcome {
                class: class @ (Class::P | Class::N),
                consistent,
                up_to_symmetry,
                direction: Direction::Iff,
                condition,
            }) => (*class, *consistent, *up_to_symmetry, condition),
            Some(Statement::Outcome { .. }) => {
                return unsupported("for heaps of real size, only `P iff` and `N iff` are decided");
            }
            None => return unsupported("it does not apply to these parameters"),
            Some(_) => {
                return unsupported(
                    "for heaps of real size, only claims about P and N are decided",
                );
            }
        };
        let mut reader = IntegerInterpreter::of_heaps(game, Fields::default());
        let positions = match &game.positions {
            None => Formula::TRUE,
            Some(condition) => reader.condition(condition)?,
        };
        let images = match up_to_symmetry {
            true => reader.permutations(claim.span)?,
            false => vec![(0..game.heap_count()).collect()],
        };
        let mut set = claimed(&mut reader, &images, condition)
            .map_err(|unsupported| unsupported.or_at(claim.span))?;
        if class == Class::N {
            set = set.negated();
        }
        let graph = ir::lower(game);
        let mut moves = transitions(game, &graph, Fields::default(), TargetConstraint::AnySizes)?;
        for part in &mut moves.transitions {
            part.formula = shortened(&part.formula);
        }
        let mut products = reader.domain;
        products.products.append(&mut moves.domain.products);
        let mut faults = reader.faults;
        faults.append(&mut moves.faults);
        Ok(Sentences {
            names: game.heap_names.clone(),
            positions: shortened(&positions),
            set: shortened(&set),
            moves: moves.transitions,
            faults,
            products,
            convention: claim.convention,
            consistent,
            span: claim.span,
        })
    }

    /// A product in the claim.
    pub fn rescaled_at(&self) -> Option<Span> {
        let products = self.products.products.iter().map(|(_, span)| *span);
        let (start, end) = (self.span.offset(), self.span.offset() + self.span.len());
        let mut within = products.filter(|at| (start..end).contains(&at.offset()));
        within.next()
    }

    pub fn heaps(&self) -> usize {
        self.names.len()
    }
}

/// The set of positions of which some image satisfies the claim's condition.
fn claimed(
    reader: &mut IntegerInterpreter<'_>,
    images: &[Vec<usize>],
    condition: &Expr<Bool>,
) -> Translation<Said> {
    let heaps = reader.heaps.clone();
    let mut any = Vec::with_capacity(images.len());
    for image in images {
        reader.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
        any.push(reader.condition(condition)?);
    }
    Ok(Formula::or(any))
}
