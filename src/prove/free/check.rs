//! The partition theorem for a recogniser.
//!
//! 1. No move leads from the set into it ([`super::within`]).
//! 2. Misere: no position without a move is in the set.
//! 3. Every position outside has a move into the set; misere, or no move at
//!    all. It does not matter whether a move that changes nothing is admitted
//!    here, because a position outside differs from every one inside. So every
//!    position must be in the set raised at some selection ([`super::raise`]
//!    and [`super::cover`]).
//!
//! That play ends needs no proof for this class: each move takes tokens.
//! Normal play asks that a position without a move is in the set; that is part
//! of 3, for such a position is in a raised set only if it is in the set.

use super::certificate::{Certificate, Part};
use super::cover::{Covered, cover};
use super::diagram::{Diagram, NOTHING};
use super::inclusion::Inclusion;
use super::minimise::minimise;
use super::raise::{Sizes, raise_all};
use super::recogniser::Recogniser;
use super::rule::Rule;
use super::supports::{intersection, of_supports, together};
use super::within::{Symmetry, Within, within};
use crate::limits::{Limits, Met};

/// What came of checking a recogniser.
#[derive(Debug, Clone)]
pub enum Verdict {
    Proved(Box<Proof>),
    Refuted(Refutation),
}

/// A set is that of the P-positions.
#[derive(Debug, Clone)]
pub struct Proof {
    pub checked: Checked,
    pub certificate: Certificate,
}

/// How much there was to check.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// States of the smallest recogniser.
    pub states: usize,
    /// Pairs of states followed for moves from the set into it.
    pub pairs: usize,
    /// Symmetries of rule and set.
    pub symmetries: usize,
    /// Nodes of the largest diagram on the way to a raised set.
    pub subsets: usize,
    pub raised: usize,
    /// Nodes of all raised sets together.
    pub joint: usize,
    /// Macro-sets between letters, and digits read.
    pub macro_sets: usize,
    pub steps: usize,
}

/// Why a set is not that of the P-positions: a shortest position each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refutation {
    /// Both are in the set, and a move leads from the first to the second.
    Within(Vec<u64>, Vec<u64>),
    /// Not in the set, and no move leads into it, though there may be moves.
    Missing(Vec<u64>),
    /// Misere: in the set, and without a move.
    Stuck(Vec<u64>),
    /// The position has heaps that do not fit 64 bits.
    Long,
}

/// Proves or refutes that the recogniser tells the P-positions of the rule.
///
/// The table must be a sound one ([`Recogniser::is_sound`]) of the rule's heaps.
pub fn check(rule: &Rule, given: &Recogniser, limits: &Limits) -> Result<Verdict, Met> {
    let mut checked = Checked::default();
    let letters = given.letters();
    let whole = minimise(&Diagram::of(given), limits)?;
    let set = whole.recogniser(whole.starts[0]);
    checked.states = set.states();
    let spell = |word: &[usize]| letters.position(word);
    if rule.is_misere() {
        let stuck = of_supports(
            rule.heaps(),
            set.base,
            |support| rule.is_stuck(support),
            limits,
        )?;
        let both = intersection(&whole, &stuck, limits)?;
        if both.starts[0] != NOTHING {
            return Ok(Verdict::Refuted(
                shortest(&both)
                    .and_then(|word| spell(&word))
                    .map_or(Refutation::Long, Refutation::Stuck),
            ));
        }
    }
    let symmetries: Vec<Symmetry> = rule
        .symmetries(MOST_SYMMETRIES)
        .0
        .into_iter()
        .skip(1)
        .filter_map(|images| {
            let states = set.image_under(&images)?;
            Some(Symmetry { images, states })
        })
        .collect();
    checked.symmetries = symmetries.len() + 1;
    match within(rule, &set, &symmetries, limits)? {
        Within::None { pairs } => checked.pairs = pairs,
        Within::Move(from, to) => {
            let both = spell(&from).zip(spell(&to));
            return Ok(Verdict::Refuted(
                both.map_or(Refutation::Long, |(from, to)| Refutation::Within(from, to)),
            ));
        }
    }
    let (parts, sets) = raised_sets(rule, &whole, &symmetries, &mut checked, limits)?;
    let joint = together(&sets, limits)?;
    drop(sets);
    checked.joint = joint.nodes();
    match cover(&joint, &Inclusion::trivial(), limits)? {
        Covered::All { macro_sets, steps } => {
            checked.macro_sets = macro_sets;
            checked.steps = steps;
        }
        Covered::Missing(digits) => {
            let word: Vec<usize> = digits
                .chunks(rule.heaps())
                .map(|digits| {
                    digits
                        .iter()
                        .enumerate()
                        .map(|(heap, &digit)| digit * letters.weight[heap])
                        .sum()
                })
                .collect();
            return Ok(Verdict::Refuted(
                spell(&word).map_or(Refutation::Long, Refutation::Missing),
            ));
        }
    }
    let certificate = Certificate { set: whole, parts };
    Ok(Verdict::Proved(Box::new(Proof {
        checked,
        certificate,
    })))
}

/// More symmetries are not looked for: a few serve as well.
const MOST_SYMMETRIES: usize = 200;

/// For every selection the positions from which it can be lowered into the
/// set, and whatever else need not have a move.
fn raised_sets(
    rule: &Rule,
    whole: &Diagram,
    symmetries: &[Symmetry],
    checked: &mut Checked,
    limits: &Limits,
) -> Result<(Vec<Part>, Vec<Diagram>), Met> {
    let base = whole.base;
    let heaps = rule.heaps();
    let mut parts = Vec::new();
    let mut sets = Vec::new();
    let mut done: Vec<u32> = Vec::new();
    let mut sizes = Sizes::default();
    for (number, &facet) in rule.facets().iter().enumerate() {
        if done.contains(&facet) {
            continue;
        }
        let chosen: Vec<usize> = (0..heaps).filter(|&heap| facet >> heap & 1 != 0).collect();
        let stages = raise_all(whole, &chosen, &mut sizes, limits)?;
        let mut raised = stages.last().unwrap_or(whole).clone();
        let bit = 1 << number;
        if (0..1u32 << heaps).any(|support| rule.usable(support) & bit == 0) {
            let usable = of_supports(
                heaps,
                base,
                |support| rule.usable(support) & bit != 0,
                limits,
            )?;
            raised = intersection(&raised, &usable, limits)?;
        }
        let mut images = vec![(0..heaps as u8).collect()];
        for symmetry in symmetries {
            let image = super::rule::permuted_set(facet, &symmetry.images);
            if image != facet && !done.contains(&image) {
                done.push(image);
                images.push(symmetry.images.clone());
                let turned = raised.permuted(raised.starts[0], &symmetry.images);
                sets.push(minimise(&Diagram::of(&turned), limits)?);
            }
        }
        done.push(facet);
        sets.push(raised);
        let steps = chosen.iter().map(|&heap| heap as u8).zip(stages).collect();
        parts.push(Part {
            selection: facet,
            steps,
            images,
        });
    }
    checked.subsets = sizes.subsets;
    checked.raised = sizes.nodes;
    if rule.is_misere() {
        sets.push(of_supports(
            heaps,
            base,
            |support| rule.is_stuck(support),
            limits,
        )?);
    }
    if rule.has_bare_support() {
        sets.push(whole.clone());
    }
    Ok((parts, sets))
}

/// A shortest word of the first start's set.
fn shortest(diagram: &Diagram) -> Option<Vec<usize>> {
    let table = diagram.recogniser(diagram.starts[0]);
    let letters = table.letters().count();
    let mut parent: Vec<Option<(u32, usize)>> = vec![None; table.states()];
    let mut queue = std::collections::VecDeque::from([table.start]);
    let mut seen = vec![false; table.states()];
    seen[table.start as usize] = true;
    while let Some(state) = queue.pop_front() {
        if table.accepting[state as usize] {
            let mut word = Vec::new();
            let mut here = state;
            while let Some((before, letter)) = parent[here as usize] {
                word.push(letter);
                here = before;
            }
            word.reverse();
            return Some(word);
        }
        for letter in 0..letters {
            let to = table.step(state, letter);
            if !std::mem::replace(&mut seen[to as usize], true) {
                parent[to as usize] = Some((state, letter));
                queue.push_back(to);
            }
        }
    }
    None
}
