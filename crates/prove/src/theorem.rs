//! The statements of the partition theorem, decided by automata.
//!
//! A set W of positions is that of the P-positions if and only if
//!
//! - no position of W has a move into W, and
//! - every position outside W has a move into W or, in misere play, none at all
//!
//! where every position of W has a move, in misere play. That holds because
//! play ends, which is checked here too, for the moves as they were read. (In
//! normal play a position without a move must be in W: that is the second
//! statement for it.) So too a function is that of the Grundy values if no move
//! keeps it and every smaller value is reached by some move.
//!
//! No statement is made deterministic where it need not be: whether W leads
//! into W asks for a word that three automata accept side by side. "Has a move
//! into W" is taken way by way, and what is left to cover shrinks with each.

use super::compile::Compiler;
use super::integers::{Formula, Integers, Reader, compare, constant, plus, times, variable};
use super::symbolic::formula::{of_heap, of_heap_after};
use super::symbolic::{Fault, Reached, Transition, transitions};
use super::unsupported::Unsupported;
use nimrule_automata::atoms::Sum;
use nimrule_automata::{Dfa, Numeration, Track, Witness};
use nimrule_ir as ir;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::Order;
use nimrule_model::game::Game;
use nimrule_model::source::Span;
use std::rc::Rc;

/// Why something was not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    Unsupported(Unsupported),
    LimitExceeded(LimitExceeded),
}

impl Trouble {
    /// The same with this place instead of its own.
    pub fn at(self, span: Span) -> Trouble {
        match self {
            Trouble::Unsupported(unsupported) => Trouble::Unsupported(Unsupported {
                span,
                also: None,
                ..unsupported
            }),
            Trouble::LimitExceeded(met) => Trouble::LimitExceeded(met),
        }
    }

    /// The same with this place, where it has none.
    pub fn or_at(self, span: Span) -> Trouble {
        match self {
            Trouble::Unsupported(unsupported) => Trouble::Unsupported(unsupported.or_at(span)),
            Trouble::LimitExceeded(met) => Trouble::LimitExceeded(met),
        }
    }
}

impl From<LimitExceeded> for Trouble {
    fn from(met: LimitExceeded) -> Trouble {
        Trouble::LimitExceeded(met)
    }
}

impl From<Unsupported> for Trouble {
    fn from(unsupported: Unsupported) -> Trouble {
        Trouble::Unsupported(unsupported)
    }
}

/// A way to move, as automata.
pub struct Made {
    /// The heaps that it may change.
    pub touched: Vec<usize>,
    /// All of it, between heaps before and behind.
    pub relation: Rc<Dfa>,
    /// Its parts but for "something changes", for where that is sure anyway.
    parts: Vec<Rc<Dfa>>,
    /// Was that left out of the parts?
    may_stay: bool,
}

/// A rule made ready for statements about its moves.
pub struct Prover<'g> {
    pub game: &'g Game,
    pub compiler: Compiler,
    pub ways: Vec<Made>,
    /// All positions.
    pub domain: Rc<Dfa>,
    /// The same, as a formula.
    positions: Formula,
}

/// Positions that show that a statement fails: at one of them, or at an
/// option of one, something is wrong.
pub type Doubt = Vec<Vec<u64>>;

impl<'g> Prover<'g> {
    /// Reads the rule and checks that every move lowers what the language says
    /// it lowers.
    pub fn new(
        game: &'g Game,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Prover<'g>, Trouble> {
        let mut prover = Prover::without_moves(game, numeration, limits)?;
        prover.read_moves()?;
        Ok(prover)
    }

    /// The same without the moves, for where they may not be needed.
    pub fn without_moves(
        game: &'g Game,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Prover<'g>, Trouble> {
        let mut compiler = Compiler::new(numeration, limits);
        let domain = match &game.positions {
            None => Formula::TRUE,
            Some(condition) => {
                let mut reader = Reader::of_heaps(game, Integers { numeration });
                let domain = reader.condition(condition)?;
                no_faults(&mut compiler, &reader.faults, &Formula::TRUE)?;
                domain
            }
        };
        let accepted = compiler.automaton(&domain)?;
        Ok(Prover {
            game,
            compiler,
            ways: Vec::new(),
            domain: accepted,
            positions: domain,
        })
    }

    /// Every expression that was read has a value at every position.
    pub fn no_faults(&mut self, reader: &Reader<'_>) -> Result<(), Trouble> {
        no_faults(&mut self.compiler, &reader.faults, &self.positions)
    }

    /// Reads the moves, unless they have been read.
    pub fn read_moves(&mut self) -> Result<(), Trouble> {
        if !self.ways.is_empty() {
            return Ok(());
        }
        let graph = ir::lower(self.game);
        let numeration = self.compiler.numeration;
        let read = transitions(
            self.game,
            &graph,
            Integers { numeration },
            Reached::Positions,
        )?;
        no_faults(&mut self.compiler, &read.faults, &self.positions)?;
        self.play_ends(&read.transitions)?;
        let mut all = Vec::new();
        for way in needed(&mut self.compiler, read.transitions)? {
            all.push(self.made(&way)?);
        }
        self.ways = all;
        Ok(())
    }

    /// Every move lowers the weights of the game's ending, level by level.
    fn play_ends(&mut self, all: &[Transition<Integers>]) -> Result<(), Trouble> {
        let nowhere: Span = (0, 0).into();
        if self.game.termination.levels.is_empty() {
            return Err(Unsupported::new("play need not end", nowhere).into());
        }
        for way in all {
            let mut lower = Vec::new();
            let mut equal = Vec::new();
            for weights in &self.game.termination.levels {
                let change = change_of(way, weights);
                let compared = change.and_then(|change| {
                    let falls = compare(&change, Order::Less, &constant(0))?;
                    Some((falls, compare(&change, Order::Equal, &constant(0))?))
                });
                let Some((falls, stays)) = compared else {
                    return Err(Unsupported::too_large("weights overflow", way.span).into());
                };
                lower.push(Formula::and(equal.iter().cloned().chain([falls])));
                equal.push(stays);
            }
            let rises = Formula::and([way.formula.clone(), Formula::or(lower).negated()]);
            if !self.compiler.automaton(&rises)?.is_empty() {
                let what = "a move need not lower what should go down";
                return Err(Unsupported::new(what, way.span).into());
            }
        }
        Ok(())
    }

    fn made(&mut self, way: &Transition<Integers>) -> Result<Made, Trouble> {
        let relation = self.compiler.automaton(&way.formula)?;
        let changes = Formula::or(way.touched.iter().filter_map(|heap| {
            compare(
                &variable(of_heap_after(*heap)),
                Order::Less,
                &variable(of_heap(*heap)),
            )
        }));
        let parts = match &way.formula {
            Formula::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        // A move that stays where it is would not lower anything, so what says
        // that something changes says no more than that.
        let kept: Vec<Formula> = parts.iter().filter(|p| **p != changes).cloned().collect();
        let falls = way.touched.iter().all(|heap| {
            compare(
                &variable(of_heap_after(*heap)),
                Order::AtMost,
                &variable(of_heap(*heap)),
            )
            .is_some_and(|at_most| kept.contains(&at_most))
        });
        let may_stay = falls && kept.len() < parts.len();
        let parts = if may_stay { kept } else { parts };
        let parts: Result<Vec<_>, LimitExceeded> = parts
            .iter()
            .map(|part| self.compiler.automaton(part))
            .collect();
        Ok(Made {
            touched: way.touched.clone(),
            relation,
            parts: parts?,
            may_stay,
        })
    }

    /// A set of positions as one of those behind a way; the track of a value
    /// may be given another.
    fn behind(
        &self,
        set: &Dfa,
        way: &Made,
        value: Option<(Track, Track)>,
    ) -> Result<Dfa, LimitExceeded> {
        let name = |track: Track| match value {
            Some((from, to)) if track == from => to,
            _ if track.is_multiple_of(2) && way.touched.contains(&usize::from(track / 2)) => {
                track + 1
            }
            _ => track,
        };
        set.renamed(&name, &self.compiler.budget)
    }

    fn position(&self, witness: &Witness, behind: Option<&Made>) -> Option<Vec<u64>> {
        (0..self.game.heap_count())
            .map(|heap| match behind {
                Some(way) if way.touched.contains(&heap) => witness.number(of_heap_after(heap)),
                _ => witness.number(of_heap(heap)),
            })
            .collect()
    }

    fn doubt(&self, witness: &Witness, behind: Option<&Made>) -> Doubt {
        let before = self.position(witness, None);
        let behind = behind.and_then(|way| self.position(witness, Some(way)));
        before.into_iter().chain(behind).collect()
    }

    /// A move from a position of `from` to one of `to`. Both may speak of one
    /// value besides, the same for both.
    pub fn move_between(&self, from: &Dfa, to: &Dfa) -> Result<Option<Doubt>, LimitExceeded> {
        let budget = &self.compiler.budget;
        for way in &self.ways {
            let moves = from.and(&way.relation, budget)?;
            if moves.is_empty() {
                continue;
            }
            let into = self.behind(to, way, None)?;
            if let Some(witness) = moves.and_unminimised(&into, budget)?.witness() {
                return Ok(Some(self.doubt(&witness, Some(way))));
            }
        }
        Ok(None)
    }

    /// What of `rest` has no move into `to`. Where a move could stay where it
    /// is, that may count as one: so nothing of `rest` may be in `to`. A value
    /// of `to` may be compared with one of another track in `rest`.
    pub fn without_move_into(
        &self,
        rest: &Dfa,
        to: &Dfa,
        value: Option<(Track, Track)>,
    ) -> Result<Dfa, LimitExceeded> {
        let mut rest = rest.clone();
        for way in &self.ways {
            if rest.is_empty() {
                break;
            }
            let comes = self.origins(way, to, value, true)?;
            rest = rest.and_not(&comes, &self.compiler.budget)?;
        }
        Ok(rest)
    }

    /// From where a way leads into a set.
    fn origins(
        &self,
        way: &Made,
        to: &Dfa,
        value: Option<(Track, Track)>,
        may_stay: bool,
    ) -> Result<Rc<Dfa>, LimitExceeded> {
        let mut parts = if may_stay && way.may_stay {
            way.parts.clone()
        } else {
            vec![way.relation.clone()]
        };
        parts.push(Rc::new(self.behind(to, way, value)?));
        let behind: Vec<Track> = way.touched.iter().map(|h| of_heap_after(*h)).collect();
        self.compiler.some(parts, &behind)
    }

    /// The positions that have a move into a set.
    pub fn all_origins(&self, to: &Dfa) -> Result<Dfa, LimitExceeded> {
        let mut all = Dfa::constant(self.compiler.numeration, false);
        for way in &self.ways {
            let comes = self.origins(way, to, None, false)?;
            all = all.or(&comes, &self.compiler.budget)?;
        }
        Ok(all)
    }

    /// The positions outside of a set that no move from it leads to.
    pub fn not_reached_from(&self, set: &Dfa) -> Result<Dfa, LimitExceeded> {
        let budget = &self.compiler.budget;
        let mut rest = self.domain.and_not(set, budget)?;
        for way in &self.ways {
            if rest.is_empty() {
                break;
            }
            let from: Vec<Track> = way.touched.iter().map(|h| of_heap(*h)).collect();
            let parts = vec![way.relation.clone(), Rc::new(set.clone())];
            let reached = self.compiler.some(parts, &from)?;
            let name = |track: Track| match usize::from(track / 2) {
                heap if track % 2 == 1 && way.touched.contains(&heap) => track - 1,
                _ => track,
            };
            rest = rest.and_not(&reached.renamed(&name, budget)?, budget)?;
        }
        Ok(rest)
    }

    /// All moves from a set of positions, between all heaps before and behind.
    pub fn all_moves(&mut self, from: &Dfa) -> Result<Dfa, LimitExceeded> {
        let numeration = self.compiler.numeration;
        let mut all = Dfa::constant(numeration, false);
        for way in &self.ways {
            let still = (0..self.game.heap_count()).filter(|heap| !way.touched.contains(heap));
            let still = still.filter_map(|heap| {
                let (before, behind) = (of_heap(heap), of_heap_after(heap));
                compare(&variable(behind), Order::Equal, &variable(before))
            });
            let still = self.compiler.automaton(&Formula::and(still))?;
            let budget = &self.compiler.budget;
            let moves = way.relation.and(from, budget)?.and(&still, budget)?;
            all = all.or(&moves, budget)?;
        }
        Ok(all)
    }

    /// The positions that have a move.
    pub fn movable(&self) -> Result<Dfa, LimitExceeded> {
        let mut all = Dfa::constant(self.compiler.numeration, false);
        for way in &self.ways {
            let behind: Vec<Track> = way.touched.iter().map(|h| of_heap_after(*h)).collect();
            let from = way.relation.project(&behind, &self.compiler.budget)?;
            all = all.or(&from, &self.compiler.budget)?;
        }
        Ok(all)
    }

    /// The first position of a set.
    pub fn first(&self, set: &Dfa) -> Option<Doubt> {
        set.witness().map(|witness| self.doubt(&witness, None))
    }
}

/// How much a way changes a weighted total.
fn change_of(way: &Transition<Integers>, weights: &[u64]) -> Option<Sum> {
    let mut change = constant(0);
    for heap in &way.touched {
        let weight = i64::try_from(*weights.get(*heap)?).ok()?;
        let behind = times(&variable(of_heap_after(*heap)), weight)?;
        let before = times(&variable(of_heap(*heap)), -weight)?;
        change = plus(&change, &plus(&behind, &before)?)?;
    }
    Some(change)
}

/// Every expression has a value at every position.
fn no_faults(
    compiler: &mut Compiler,
    faults: &[Fault<Integers>],
    positions: &Formula,
) -> Result<(), Trouble> {
    // Equal conditions are compiled once.
    for fault in faults {
        let condition = Formula::and([positions.clone(), fault.condition.clone()]);
        if !compiler.automaton(&condition)?.is_empty() {
            return Err(fault.refused().into());
        }
    }
    Ok(())
}

/// Above this many ways, those that others include are looked for, unless they
/// are so many that this would take longer than it saves.
const FEW_WAYS: usize = 6;
const MANY_WAYS: usize = 200;

/// The ways without those that others include.
fn needed(
    compiler: &mut Compiler,
    all: Vec<Transition<Integers>>,
) -> Result<Vec<Transition<Integers>>, LimitExceeded> {
    if all.len() <= FEW_WAYS || all.len() > MANY_WAYS {
        return Ok(all);
    }
    let mut dropped = vec![false; all.len()];
    for (place, way) in all.iter().enumerate() {
        for wider in &all {
            let within = wider.touched.len() > way.touched.len()
                && way.touched.iter().all(|heap| wider.touched.contains(heap));
            if !within {
                continue;
            }
            // The wider way where it changes no more than this one.
            let mut stays = vec![wider.formula.clone()];
            let others = wider.touched.iter().filter(|h| !way.touched.contains(h));
            let mut own = Vec::new();
            for heap in others {
                let (before, behind) = (of_heap(*heap), of_heap_after(*heap));
                if let Some(same) = compare(&variable(behind), Order::Equal, &variable(before)) {
                    stays.push(same);
                }
                own.push(behind);
            }
            let narrowed = Formula::exists(own, Formula::and(stays));
            let (narrow, narrowed) = (
                compiler.automaton(&way.formula)?,
                compiler.automaton(&narrowed)?,
            );
            if narrow
                .difference_witness(&narrowed, &compiler.budget)?
                .is_none()
            {
                dropped[place] = true;
                break;
            }
        }
    }
    let mut kept = all;
    let mut drop = dropped.into_iter();
    kept.retain(|_| !drop.next().unwrap_or(false));
    Ok(kept)
}
