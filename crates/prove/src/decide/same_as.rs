//! The decision of claims that a sub-game is isomorphic to another game.
//!
//! Where both rules lower heaps of fixed sets, a matching of the heaps that carries the sets to
//! each other is enough. Otherwise the matching is found on small positions, as in the bounded
//! check. It is an isomorphism if the automata of the positions are equal, and those of the
//! moves.

mod sets;

use super::{Decision, Proof, Set, Strategy};
use crate::integers::{Formula, IntegerInterpreter, Integers, compare, constant, variable};
use crate::numeration::numeration;
use crate::theorem::Prover;
use nimrule_automata::{Dfa, Track};
use nimrule_claim::same_as::{Matched, by_matching, matching};
use nimrule_engine::{SolveError, Solver};
use nimrule_ir as ir;
use nimrule_limits::LimitExceeded;
use nimrule_model::expr::{Order, Part};
use nimrule_model::game::{Claim, Game, SameAs};
use nimrule_symbolic::formula::{of_heap, of_heap_after};
use nimrule_symbolic::{ProveError, Unsupported};
use sets::same_sets;
use std::sync::Arc;

/// Decides whether a sub-game is isomorphic to another game.
pub fn same_as(
    game: &Game,
    claim: &Claim,
    claimed: &SameAs,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    if !by_matching(claimed) {
        let what = match claimed.map {
            Some(_) => "a claim that maps positions to those of another game",
            None => "a claim of the same outcomes or values as in another game",
        };
        let why = format!("{what} is compared with a box only");
        return Err(Unsupported::new(why, claim.span).into());
    }
    let open = |why: &str| Ok(Decision::Open(why.to_owned()));
    let (rule, other) = (ir::lower(game), ir::lower(&claimed.other));
    let parts = [Part::bool(&claimed.condition)];
    let numeration = numeration(&rule, Some(&other), claim.span, &parts)?;
    let mut here = Prover::without_moves(game, numeration, &strategy.limits)?;
    // The other rule is in another source text: its errors get the span of the
    // claim.
    let mut there = Prover::without_moves(&claimed.other, numeration, &strategy.limits)
        .map_err(|error| error.at(claim.span))?;
    let mut interpreter = IntegerInterpreter::of_heaps(game, Integers { numeration });
    let condition = interpreter.condition(&claimed.condition)?;
    here.check_no_faults(&interpreter)?;
    let sub_game = here.compiler.automaton(&condition)?;
    let sub_game = Arc::new(sub_game.and(&here.domain, &here.compiler.budget)?);
    let solver = Solver::new(game);
    if let Some(matching) = same_sets(&solver, claimed) {
        let mut sides = Matching {
            matching: &matching,
            here: &mut here,
            there: &mut there,
        };
        if sides.is_where_unmatched_heaps_are_empty(&sub_game)? {
            return Ok(holds(sub_game));
        }
    }
    here.read_moves()?;
    there.read_moves().map_err(|error| error.at(claim.span))?;
    let matching = match matching(&solver, claimed, &strategy.limits.half_work()) {
        Ok(Matched::Holds(matching)) => matching,
        Ok(Matched::Fails(position)) => return Ok(Decision::Fails(vec![position])),
        Err(SolveError::Time) => return Err(LimitExceeded::Time.into()),
        Err(SolveError::Work { steps }) => return Err(LimitExceeded::Work { steps }.into()),
        Err(SolveError::Stopped) => return Err(LimitExceeded::Stopped.into()),
        Ok(Matched::Unknown(why)) => return open(&why),
        Err(_) => return open("no matching of the heaps was found"),
    };
    if matching.iter().flatten().count() != claimed.other.heap_count() {
        return open("some heap of the other game has no partner");
    }

    let beyond = here.domain.and_not(&sub_game, &here.compiler.budget)?;

    let mut sides = Matching {
        matching: &matching,
        here: &mut here,
        there: &mut there,
    };
    if !sides.unmatched_heaps_are_empty(&sub_game)? {
        return open("a heap that is matched with none may have tokens");
    }
    if !sides.same_positions(&sub_game)? {
        return open("the matching does not carry all positions to each other");
    }
    if let Some(failing) = sides.here.move_between(&sub_game, &beyond)? {
        return Ok(Decision::Fails(failing));
    }
    if !sides.same_moves(&sub_game)? {
        return open("the matching does not carry all moves to each other");
    }
    Ok(holds(sub_game))
}

/// The decision that the claim holds.
fn holds(sub_game: Arc<Dfa>) -> Decision {
    let checked = [
        "heaps matched with none are empty wherever the condition holds",
        "the matching carries the positions of the sub-game to those of the other game",
        "no move leaves the sub-game",
        "the matching carries the moves of each game to those of the other",
    ];
    Decision::Holds(Proof {
        states: sub_game.states(),
        automaton: sub_game,
        of: Set::SubGame,
        checked: checked.map(str::to_owned).to_vec(),
        certificate: None,
        asked: None,
    })
}

/// A matching of the heaps of a game with those of another game.
struct Matching<'m, 'g> {
    /// The matched heap of the other game, for each heap.
    matching: &'m [Option<usize>],
    here: &'m mut Prover<'g>,
    there: &'m mut Prover<'g>,
}

impl Matching<'_, '_> {
    /// The heaps without a partner.
    fn unmatched(&self) -> Vec<usize> {
        (0..self.matching.len())
            .filter(|heap| self.matching[*heap].is_none())
            .collect()
    }

    /// Returns whether the unmatched heaps are empty in every position of a set.
    fn unmatched_heaps_are_empty(&mut self, set: &Dfa) -> Result<bool, LimitExceeded> {
        let empty = self.empty()?;
        Ok(set
            .difference_witness(&empty, &self.here.compiler.budget)?
            .is_none())
    }

    /// Returns whether a set is that of the positions whose unmatched heaps are empty.
    fn is_where_unmatched_heaps_are_empty(&mut self, set: &Dfa) -> Result<bool, LimitExceeded> {
        let empty = self.empty()?;
        set.is_equivalent(&empty, &self.here.compiler.budget)
    }

    /// The set of positions whose unmatched heaps are empty.
    fn empty(&mut self) -> Result<Arc<Dfa>, LimitExceeded> {
        let unmatched = self.unmatched();
        let conditions = unmatched
            .iter()
            .filter_map(|heap| compare(&variable(of_heap(*heap)), Order::Equal, &constant(0)));
        self.here.compiler.automaton(&Formula::and(conditions))
    }

    /// A relation of the other game, renamed to the tracks of the heaps here.
    fn renamed_to_here(&self, other: &Dfa) -> Result<Dfa, LimitExceeded> {
        let name = |track: Track| {
            let there = usize::from(track / 2);
            let here = self.matching.iter().position(|m| *m == Some(there));
            of_heap(here.unwrap_or(there)) + track % 2
        };
        other.renamed(&name, &self.here.compiler.budget)
    }

    /// Returns whether the matching maps the positions of the sub-game to those of the
    /// other game.
    fn same_positions(&mut self, sub_game: &Dfa) -> Result<bool, LimitExceeded> {
        let projected: Vec<Track> = self.unmatched().into_iter().map(of_heap).collect();
        let budget = &self.here.compiler.budget;
        let ours = sub_game.project(&projected, budget)?;
        ours.is_equivalent(&self.renamed_to_here(&self.there.domain)?, budget)
    }

    /// Returns whether the matching maps the moves of the sub-game to those of the other
    /// game.
    fn same_moves(&mut self, sub_game: &Dfa) -> Result<bool, LimitExceeded> {
        let projected: Vec<Track> = self
            .unmatched()
            .into_iter()
            .flat_map(|heap| [of_heap(heap), of_heap_after(heap)])
            .collect();
        let ours = self.here.all_moves(sub_game)?;
        let budget = &self.here.compiler.budget;
        let ours = ours.project(&projected, budget)?;
        let everywhere = self.there.domain.clone();
        let theirs = self.there.all_moves(&everywhere)?;
        ours.is_equivalent(&self.renamed_to_here(&theirs)?, budget)
    }
}
