//! Absorption: whether every position outside a set has a move into it.
//!
//! It does not matter whether a move that changes nothing counts here, because
//! a position outside the set differs from every position inside. So every
//! position must be in the preimage of the set under lowering the heaps of some
//! hyperedge ([`LevelledDfa::preimages`]), that is, the union of the preimages
//! must be universal ([`LevelledDfa::union_is_universal`]).

use super::check::Checked;
use super::independence::Symmetry;
use super::rule::{Rule, permuted_set};
use nimrule_automata::inclusion::Inclusion;
use nimrule_automata::levelled::{LevelledDfa, PreimageSizes, Universality};
use nimrule_limits::{LimitExceeded, Limits};

/// What was found.
#[derive(Debug)]
pub enum Absorption {
    /// Every position outside has a move into the set.
    Absorbing,
    /// The word of a shortest position that has none and needs one.
    Missing(Vec<usize>),
}

/// Decides absorption. The symmetries must leave the rule and the set
/// invariant.
///
/// # Errors
///
/// A limit that is exceeded.
pub fn absorption(
    rule: &Rule,
    set: &LevelledDfa,
    symmetries: &[Symmetry],
    checked: &mut Checked,
    limits: &Limits,
) -> Result<Absorption, LimitExceeded> {
    let sets = preimages(rule, set, symmetries, checked, limits)?;
    let joint = LevelledDfa::disjoint_union(&sets, limits)?;
    drop(sets);
    checked.joint = joint.nodes();
    match joint.union_is_universal(&Inclusion::trivial(), limits)? {
        Universality::Universal { subsets, steps } => {
            checked.universal = subsets;
            checked.steps = steps;
            Ok(Absorption::Absorbing)
        }
        Universality::Missing(digits) => {
            let letter = |digits: &[usize]| {
                let digits = digits.iter().rev();
                digits.fold(0, |letter, &digit| letter * set.base + digit)
            };
            let word = digits.chunks(rule.heaps()).map(letter).collect();
            Ok(Absorption::Missing(word))
        }
    }
}

/// For every hyperedge the preimage of the set under lowering its heaps, and
/// the positions that need no move.
fn preimages(
    rule: &Rule,
    set: &LevelledDfa,
    symmetries: &[Symmetry],
    checked: &mut Checked,
    limits: &Limits,
) -> Result<Vec<LevelledDfa>, LimitExceeded> {
    let base = set.base;
    let heaps = rule.heaps();
    let mut sets = Vec::new();
    let mut done: Vec<u32> = Vec::new();
    let mut sizes = PreimageSizes::default();
    for (number, &hyperedge) in rule.hyperedges().iter().enumerate() {
        if done.contains(&hyperedge) {
            continue;
        }
        let chosen: Vec<usize> = (0..heaps)
            .filter(|&heap| hyperedge >> heap & 1 != 0)
            .collect();
        let steps = set.preimages(&chosen, &mut sizes, limits)?;
        let mut preimage = steps.last().unwrap_or(set).clone();
        let bit = 1 << number;
        if (0..1u32 << heaps).any(|support| rule.usable(support) & bit == 0) {
            let is_usable = |support| rule.usable(support) & bit != 0;
            let usable = LevelledDfa::of_supports(heaps, base, is_usable, limits)?;
            preimage = preimage.and(&usable, limits)?;
        }
        for symmetry in symmetries {
            let image = permuted_set(hyperedge, &symmetry.images);
            if image != hyperedge && !done.contains(&image) {
                done.push(image);
                let table = preimage.table(preimage.starts[0]);
                let permuted = table.permuted(&symmetry.images);
                sets.push(LevelledDfa::from_table(&permuted).minimised(limits)?);
            }
        }
        done.push(hyperedge);
        sets.push(preimage);
    }
    checked.subsets = sizes.subsets;
    checked.preimage = sizes.nodes;
    if rule.is_misere() {
        let is_terminal = |support| rule.is_terminal(support);
        sets.push(LevelledDfa::of_supports(heaps, base, is_terminal, limits)?);
    }
    if rule.has_bare_support() {
        sets.push(set.clone());
    }
    Ok(sets)
}
