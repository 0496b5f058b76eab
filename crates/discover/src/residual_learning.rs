//! Residual learning: the automaton of the P-positions or the Grundy values, found
//! without a claim.
//!
//! The states of the minimal automaton of a set are its residuals (left
//! quotients): the residual of a prefix is the set of its continuations in the set
//! (Myhill–Nerode). Here residuals are known to a finite depth only. Prefixes are
//! explored in the order of their length. A prefix whose residual agrees with that
//! of an earlier prefix, to the depth to which both are known, is merged with it.
//! On complete samples this is the algorithm of Trakhtenbrot and Barzdin (1973,
//! *Finite Automata: Behavior and Synthesis*). If no new states appear, the
//! automaton is a hypothesis. Only a proof decides whether it is correct.
//!
//! There are two sources of residuals:
//!
//! - The rule, for hypergraph Nim (`from_rule`). A prefix determines the subset
//!   of states that its options can be in, and the subset determines the residual,
//!   which is computed to a depth of two or three digits (`blocks`).
//! - Solved positions, for all other rules with a fixed number of heaps
//!   (`from_sample`). In a box of numbers below N ([`Sample`], [`Numbers`]), the
//!   residual of a prefix is known to depth k if it stays below N whatever k digits
//!   follow. A hypothesis is compared with a larger box, and then proved or refuted. A
//!   refuted hypothesis leads to a larger box (`search`). Of many interchangeable heaps only the
//!   positions in ascending order are solved, and the hypothesis about them is extended to any
//!   order before the proof.
//!
//! Grundy values are learned from samples. If there are few values, they are the
//! outputs of the states. If the values are unbounded, the automaton reads a
//! number on one more track, and accepts if it is the Grundy value of the
//! position.

mod blocks;
#[doc(hidden)]
pub mod from_rule;
mod from_sample;
mod sample;
mod search;

use from_rule::{LearnedFromRule, from_rule};
pub use from_sample::{Hypothesis, LearnedFromSample, learn};
pub use sample::{Numbers, Sample};

use nimrule_automata::{Dfa, MOST_QUOTIENT, Numeration, TableDfa};
use nimrule_checker::Certificate;
use nimrule_engine::{Solver, has_sorted_outcomes};
use nimrule_ir as ir;
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::game::{Convention, Game, Share};
use nimrule_prove::certificate::{Check, Proves, check, check_first, checking};
use nimrule_prove::decide::statements;
use nimrule_prove::hypergraph_nim::rule_of;
use nimrule_prove::proof_cache::Origin;
use nimrule_prove::theorem::Prover;
use nimrule_prove::{ProveError, Unsupported, numeration_of_rule, procedures, tracks};
use search::BoxSearch;
use std::sync::Arc;

/// Bounds of the search.
#[derive(Debug, Clone)]
pub struct SearchBounds {
    /// The numeration systems; if empty, those that the rule suggests.
    pub numerations: Vec<Numeration>,
    /// The most positions of a box.
    pub most_positions: u128,
    /// The most states of a hypothesis.
    pub most_states: usize,
    /// Whether a search in the rule ends where the residuals keep growing
    /// ([`AttemptFailure::Grows`]).
    pub gives_up: bool,
}

impl Default for SearchBounds {
    fn default() -> SearchBounds {
        SearchBounds {
            numerations: Vec::new(),
            most_positions: 1 << 27,
            most_states: 20_000,
            gives_up: true,
        }
    }
}

/// The approximate numbers of positions of the boxes.
const SIZES: [u128; 7] = [1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26, LARGEST];
/// The largest box is solved only where an automaton closed in the one before.
const LARGEST: u128 = 1 << 27;

/// From this number of interchangeable heaps on only positions in ascending order are solved, of
/// which larger boxes can be solved. The residuals of all positions are fewer, because those in
/// ascending order tell which heaps are equal: with fewer heaps they close in smaller boxes.
const FEWEST_SORTED: usize = 5;

/// The function to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The set of the P-positions.
    Outcomes,
    /// An automaton with the Grundy value as output, if there are few values.
    Values,
    /// An automaton that reads the heaps and one more number, and accepts if the
    /// number is the Grundy value.
    Value,
}

/// A learned and proved automaton.
#[derive(Debug, Clone)]
pub struct LearnedAutomaton {
    /// The P-positions; for Grundy values, the positions with their values on the
    /// track of values ([`nimrule_prove::decide::value_tracks`]).
    pub set: Arc<Dfa>,
    /// For [`Goal::Values`], the positions of each value, from 0 on; else empty.
    pub classes: Vec<Arc<Dfa>>,
    /// The number of states of the minimal automaton.
    pub states: usize,
    /// The learned function.
    pub goal: Goal,
    /// The checked statements, in words.
    pub checked: Vec<String>,
    /// The certificate that the independent checker accepted, if there is one.
    pub certificate: Option<Box<Certificate>>,
    /// How the automaton was learned.
    pub origin: Origin,
}

/// The reason why an attempt has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptFailure {
    /// New states appeared until the largest box, the most states or this limit was
    /// reached.
    Open(Option<LimitExceeded>),
    /// Each prefix length had more new residuals than the one before, for heaps of at
    /// least 64 tokens. For the games that are solved they level off sooner: this is
    /// evidence that the set has no automaton, and no proof.
    Grows,
    /// The translation of the moves to automata exceeded this limit, before the first box
    /// was solved.
    NotTranslated(LimitExceeded),
    /// Other numeration systems were tried further: there the residuals grow more slowly,
    /// or this one has too few digits in the boxes that can be solved to tell.
    Dropped,
    /// The hypothesis contradicts the solved positions.
    Differs,
    /// The hypothesis was refuted at this position or at an option of it.
    Refuted(Option<Vec<u64>>),
    /// The proof of the hypothesis exceeded a limit.
    Undecided(LimitExceeded),
    /// The hypothesis was proved, but the independent checker rejects it, for this
    /// reason.
    NotAccepted(String),
}

/// The source of the residuals of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The rule.
    Rule,
    /// Solved positions.
    Box {
        /// The most digits of the numbers in the largest box; 0 if no box could be
        /// solved.
        digits: usize,
    },
}

/// An attempt without a result.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The function to be learned.
    pub goal: Goal,
    /// The numeration system of the automata.
    pub numeration: Numeration,
    /// The source of the residuals.
    pub source: Source,
    /// For some depths, the number of new residuals to that depth by prefix length
    /// 0, 1, 2, …
    pub residuals: Vec<(usize, Vec<usize>)>,
    /// Why there is no result.
    pub failure: AttemptFailure,
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// The automaton, if one was learned and proved.
    pub found: Option<LearnedAutomaton>,
    /// The attempts without a result: all if nothing was found, else those in numeration
    /// systems that were dropped before.
    pub attempts: Vec<Attempt>,
}

/// Learns the set of the P-positions and proves it: from the rule of hypergraph Nim,
/// or from solved positions of other games.
///
/// # Errors
///
/// The rule is unsupported, or the search is stopped.
pub fn discover(
    game: &Game,
    convention: Convention,
    bounds: &SearchBounds,
    limits: &Limits,
) -> Result<SearchResult, ProveError> {
    let Some(rule) = rule_of(game, convention) else {
        return from_samples(game, convention, bounds, limits);
    };
    let tracks = tracks(game);
    let certify = |set: &TableDfa, numeration: Numeration| {
        let set = set.dfa(&tracks, numeration);
        check_first(game, None, convention, &set, limits)
    };
    let (learned, attempts) = from_rule(&rule, bounds, &certify, limits);
    let (found, check) = match learned {
        Some(learned) => {
            let check = learned.check.clone();
            (Some(of_rule(game, convention, learned)), Some(check))
        }
        None => (None, None),
    };
    let found = SearchResult { found, attempts };
    Ok(verified(game, convention, found, check, limits)?)
}

/// Verifies a learned and proved set, or Grundy values, by the independent checker. `asked`
/// is what it said, if it was asked before.
fn verified(
    game: &Game,
    convention: Convention,
    SearchResult {
        found,
        mut attempts,
    }: SearchResult,
    asked: Option<Check>,
    limits: &Limits,
) -> Result<SearchResult, LimitExceeded> {
    let Some(mut found) = found else {
        return Ok(SearchResult { found, attempts });
    };
    let check = match asked {
        Some(check) => check,
        None => {
            let limits = checking(limits);
            let proves = match found.goal {
                Goal::Outcomes => Proves::PPositions,
                Goal::Values | Goal::Value => Proves::GrundyValues,
            };
            check(game, proves, None, convention, &found.set, &limits)?
        }
    };
    match check {
        Check::Accepted(certificate) => found.certificate = Some(certificate),
        Check::Open(not) => found.checked.push(not.unchecked()),
        Check::Refused(why) => {
            attempts.push(Attempt {
                goal: found.goal,
                numeration: found.set.numeration(),
                source: match found.origin {
                    Origin::Rule { .. } => Source::Rule,
                    Origin::Box { digits, .. } => Source::Box { digits },
                },
                residuals: Vec::new(),
                failure: AttemptFailure::NotAccepted(why),
            });
            return Ok(SearchResult {
                found: None,
                attempts,
            });
        }
    }
    Ok(SearchResult {
        found: Some(found),
        attempts,
    })
}

/// The result for a set that was learned from the rule and proved.
fn of_rule(game: &Game, convention: Convention, learned: LearnedFromRule) -> LearnedAutomaton {
    let set = learned.set.dfa(&tracks(game), learned.numeration);
    let checked = statements(game, convention);
    LearnedAutomaton {
        states: set.states(),
        set: Arc::new(set),
        classes: Vec::new(),
        goal: Goal::Outcomes,
        checked: checked.iter().map(|what| (*what).to_owned()).collect(),
        certificate: None,
        origin: Origin::Rule {
            depth: learned.depth,
        },
    }
}

/// Learns the set of the P-positions from solved positions, whatever the rule, and
/// proves it.
///
/// # Errors
///
/// As for [`discover`].
pub fn from_samples(
    game: &Game,
    convention: Convention,
    bounds: &SearchBounds,
    limits: &Limits,
) -> Result<SearchResult, ProveError> {
    let found = search(&[Goal::Outcomes], game, convention, bounds, limits)?;
    Ok(verified(game, convention, found, None, limits)?)
}

/// Learns the Grundy values from solved positions, and proves them.
///
/// # Errors
///
/// As for [`discover`].
pub fn discover_values(
    game: &Game,
    convention: Convention,
    bounds: &SearchBounds,
    limits: &Limits,
) -> Result<SearchResult, ProveError> {
    let goals = [Goal::Values, Goal::Value];
    let found = search(&goals, game, convention, bounds, limits)?;
    Ok(verified(game, convention, found, None, limits)?)
}

/// The numeration systems of a search, the likeliest first: the one that the rule needs, or
/// else base 2, base 3 and all Ostrowski numerations. Quadratic irrationals come from moves that
/// join large numbers of several heaps, so that bases suffice for vector subtraction games.
fn numerations(game: &Game) -> Result<Vec<Numeration>, Unsupported> {
    let graph = ir::lower(game);
    if let Some(needed) = numeration_of_rule(&graph)? {
        return Ok(vec![needed]);
    }
    let profile = ir::profile(&graph, &game.facts.termination);
    if profile.constant_vectors.is_ok() {
        return Ok(vec![Numeration::Base(2), Numeration::Base(3)]);
    }
    let mut all = vec![
        Numeration::Base(2),
        Numeration::Ostrowski(1),
        Numeration::Ostrowski(2),
        Numeration::Base(3),
    ];
    all.extend((3..=MOST_QUOTIENT).map(Numeration::Ostrowski));
    Ok(all)
}

/// Whether some move takes the same number from several heaps. In such games as Wythoff's the
/// golden ratio occurs.
fn takes_equal_numbers(graph: &ir::MoveGraph) -> bool {
    let mut nodes = graph.all_nodes();
    nodes.any(|node| matches!(node, ir::Node::Take(take) if take.share == Share::Equal))
}

/// Searches in all numeration systems, for each of the goals.
fn search(
    goals: &[Goal],
    game: &Game,
    convention: Convention,
    bounds: &SearchBounds,
    limits: &Limits,
) -> Result<SearchResult, ProveError> {
    procedures::check_supported_by_any(game)
        .map_err(|what| Unsupported::new(what, (0, 0).into()))?;
    let numerations = match bounds.numerations.as_slice() {
        [] => numerations(game)?,
        given => given.to_vec(),
    };
    let solver = Solver::new(game);
    // Grundy values may be on a track of their own, which is not interchangeable with the heaps.
    let is_sorted = goals == [Goal::Outcomes]
        && game.heap_count() >= FEWEST_SORTED
        && has_sorted_outcomes(&solver);
    let joins_heaps = takes_equal_numbers(&solver.graph);
    let mut searches = Vec::new();
    let limits = &limits.cap_work(Steps(u64::MAX));
    let begun = limits.work_left().unwrap_or(Steps(0));
    // If the prover does not support the rule, no box is solved.
    if let Some(first) = numerations.first() {
        match Prover::new(game, *first, limits) {
            Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
                return Err(LimitExceeded::Stopped.into());
            }
            Err(ProveError::LimitExceeded(limit)) => {
                let attempts = goals.iter().map(|goal| Attempt {
                    goal: *goal,
                    numeration: *first,
                    source: Source::Box { digits: 0 },
                    residuals: Vec::new(),
                    failure: AttemptFailure::NotTranslated(limit),
                });
                return Ok(SearchResult {
                    found: None,
                    attempts: attempts.collect(),
                });
            }
            Err(unsupported) => return Err(unsupported),
            Ok(_) => {}
        }
    }
    for numeration in numerations {
        for goal in goals {
            let tracks = game.heap_count() + usize::from(*goal == Goal::Value);
            let boxes = boxes(numeration, tracks, is_sorted, bounds.most_positions);
            let is_first = searches.len() < goals.len();
            if boxes.is_empty() && !is_first {
                continue;
            }
            searches.push(BoxSearch {
                solver: &solver,
                goal: *goal,
                convention,
                numeration,
                boxes,
                bounds,
                limits: limits.clone(),
                largest: None,
                waiting: None,
                is_sorted,
                is_likely: joins_heaps && numeration == Numeration::Ostrowski(1),
                begun,
                growth: Vec::new(),
                growth_depth: 0,
                has_hypothesis: false,
                has_closed: false,
                failure: AttemptFailure::Open(None),
            });
        }
    }
    // Box by box for all numerations, because small boxes are solved quickly; those first
    // in which the residuals level off.
    let mut found = None;
    let mut solved = None;
    'sizes: for size in SIZES {
        let mut order: Vec<usize> = (0..searches.len()).collect();
        order.sort_by(|one, other| {
            let exponent = |search: &usize| searches[*search].exponent();
            exponent(one).total_cmp(&exponent(other))
        });
        // A small box is solved for all of them at once.
        let side = match size <= FILTERED {
            true => largest_side(&searches, size),
            false => 0,
        };
        for search in order {
            let search = &mut searches[search];
            if size == LARGEST && !search.has_hypothesis {
                continue;
            }
            match search.next_box(size, &mut solved, side) {
                Ok(None) => {}
                Ok(some) => found = some,
                Err(ProveError::LimitExceeded(
                    limit @ (LimitExceeded::Work { .. } | LimitExceeded::Memory { .. }),
                )) => search.ended_by(limit),
                Err(other) => return Err(other),
            }
            if found.is_some() {
                break 'sizes;
            }
            if let Err(limit) = limits.check_time() {
                let going_on = searches.iter_mut().filter(|search| !search.has_ended());
                going_on.for_each(|search| search.ended_by(limit));
                break 'sizes;
            }
        }
        for goal in goals {
            drop_some(&mut searches, *goal, size);
        }
    }
    if found.is_some() {
        searches.retain(|search| search.failure == AttemptFailure::Dropped);
    }
    let attempts = searches.into_iter().map(BoxSearch::failed);
    let attempts: Result<_, LimitExceeded> = attempts.collect();
    Ok(SearchResult {
        found,
        attempts: attempts?,
    })
}

/// Boxes with more positions are solved in few numeration systems only.
const FILTERED: u128 = 1 << 20;
/// The least box in which a numeration system is dropped.
const TELLING: u128 = 1 << 16;
/// The number of numeration systems in which a box of more than [`FILTERED`] positions is
/// searched, and in which a still larger one is.
const LEFT: [usize; 2] = [4, 2];

/// The largest side of the next boxes of this approximate size.
fn largest_side(searches: &[BoxSearch<'_, '_>], size: u128) -> usize {
    let sides = searches.iter().filter_map(|search| search.next_side(size));
    sides.max().unwrap_or(0)
}

/// Drops numeration systems in which the residuals only grow, if they level off in
/// another one, and before large boxes all but a few ([`LEFT`]) in which they grow the
/// slowest, or which the rule suggests.
fn drop_some(searches: &mut [BoxSearch<'_, '_>], goal: Goal, size: u128) {
    let mut alive: Vec<usize> = (0..searches.len())
        .filter(|search| searches[*search].goal == goal && !searches[*search].has_ended())
        .collect();
    let exponent = |searches: &[BoxSearch<'_, '_>], search: usize| searches[search].exponent();
    if size >= TELLING
        && alive
            .iter()
            .any(|search| exponent(searches, *search) == 0.0)
    {
        for search in &alive {
            if searches[*search].only_grows() && !searches[*search].is_likely {
                searches[*search].drop();
            }
        }
    }
    if size >= FILTERED {
        let left = LEFT[usize::from(size > FILTERED)];
        alive.retain(|search| !searches[*search].has_ended());
        alive.sort_by(|one, other| exponent(searches, *one).total_cmp(&exponent(searches, *other)));
        alive.sort_by_key(|search| !searches[*search].is_likely);
        for search in alive.into_iter().skip(left) {
            searches[search].drop();
        }
    }
}

/// The boxes with approximately the numbers of positions of [`SIZES`], each with the size
/// that its heaps are below, the largest box first. Positions in ascending order are counted
/// where only they are solved.
fn boxes(numeration: Numeration, tracks: usize, is_sorted: bool, most: u128) -> Vec<(u128, usize)> {
    let mut found: Vec<(u128, usize)> = Vec::new();
    for size in SIZES {
        let room = size.min(most);
        let side = largest_below(room + 1, |side| match is_sorted {
            false => u32::try_from(tracks)
                .ok()
                .and_then(|tracks| side.checked_pow(tracks))
                .is_some_and(|count| count <= room),
            true => sorted_count(side, tracks).is_some_and(|count| count <= room),
        });
        let Ok(side) = usize::try_from(side) else {
            continue;
        };
        let is_larger = found.last().is_none_or(|last| last.1 < side);
        if is_larger && sample::digits_below(numeration, side) >= 2 {
            found.push((size, side));
        }
    }
    found.reverse();
    found
}

/// The number of tuples in ascending order of this many numbers below `side`.
fn sorted_count(side: u128, tracks: usize) -> Option<u128> {
    (0..tracks as u128).try_fold(1_u128, |count, more| {
        Some(count.checked_mul(side + more)? / (more + 1))
    })
}

/// The largest number below `end` that fits: 0 and all those below it do.
fn largest_below(mut end: u128, fits: impl Fn(u128) -> bool) -> u128 {
    let mut fitting = 0;
    while fitting + 1 < end {
        let middle = u128::midpoint(fitting, end);
        match fits(middle) {
            true => fitting = middle,
            false => end = middle,
        }
    }
    fitting
}

/// The most states in [`learn_p_positions`].
const MAX_STATES: usize = 400;
/// The most positions of a box in [`learn_p_positions`].
const MAX_POSITIONS: u128 = 1 << 20;
/// The work of [`learn_p_positions`].
const LEARNING_WORK: Steps = Steps::million(20);

/// Learns the set of the P-positions within tight bounds, for procedures that need
/// it as an intermediate result: claims about some of the P-positions or about
/// cogames, and outcomes of positions of any size. Returns the proved set and its
/// origin; `None` if the search fails.
pub fn learn_p_positions(
    game: &Game,
    convention: Convention,
    limits: &Limits,
) -> Option<(Dfa, Origin)> {
    let limits = limits.half_work().or_work(LEARNING_WORK);
    let bounds = SearchBounds {
        most_positions: MAX_POSITIONS,
        most_states: MAX_STATES,
        ..SearchBounds::default()
    };
    let found = discover(game, convention, &bounds, &limits).ok()?.found?;
    Some((found.set.as_ref().clone(), found.origin))
}
