//! The search in one numeration system: it solves boxes, learns hypotheses, and
//! proves them.

use super::from_sample::{Hypothesis, learn, new_residuals};
use super::sample::{Numbers, OUT, Sample, SolvedBox, request};
use super::{Attempt, AttemptFailure, Goal, LearnedAutomaton, SearchBounds, Source, TELLING};
use nimrule_automata::{Budget, Dfa, Numeration, atoms};
use nimrule_engine::{Query, Question, SolveError as Unsolved, Solver};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::game::Convention;
use nimrule_prove::decide::{
    decide_grundy_classes, decide_grundy_values, decide_p_positions, value_tracks,
};
use nimrule_prove::proof_cache::Origin;
use nimrule_prove::theorem::FailingPositions;
use nimrule_prove::{Decision, Proof, ProveError, Unsupported, tracks};
use std::rc::Rc;
use std::sync::Arc;

/// A hypothesis from a box with more positions is proved without comparison with a
/// larger box, if residuals were compared to at least [`LARGE_DEPTH`] digits or the box
/// has more than twice as many positions.
const LARGE_BOX: u128 = 1 << 19;
const LARGE_DEPTH: usize = 2;
/// The work for the proof of one hypothesis. Most hypotheses are wrong.
const PATIENCE: Steps = Steps::million(60);
/// A hypothesis that is to be compared with a larger box is tried before as long as the search
/// took so far, and at least so long: the box may take longer than the proof. A base is
/// preferred, so that others are not tried before [`TELLING`].
const EARLY: Steps = Steps(200_000);
/// The work of the counts of a report.
const REPORT_WORK: Steps = Steps(100_000);
/// The depths to which residuals are counted in a report.
const DEPTHS: [usize; 2] = [2, 3];

/// A proved hypothesis, or the positions that refute it.
type ProofAttempt = Result<ProvedHypothesis, FailingPositions>;

/// A proved hypothesis; the fields are those of [`LearnedAutomaton`].
struct ProvedHypothesis {
    set: Arc<Dfa>,
    classes: Vec<Arc<Dfa>>,
    states: usize,
    checked: Vec<String>,
}

impl ProvedHypothesis {
    fn of(proof: Proof) -> ProvedHypothesis {
        ProvedHypothesis {
            set: proof.automaton,
            classes: Vec::new(),
            states: proof.states,
            checked: proof.checked,
        }
    }
}

/// The search for one goal in one numeration system.
pub struct BoxSearch<'s, 'g> {
    pub solver: &'s Solver<'g>,
    pub goal: Goal,
    pub convention: Convention,
    pub numeration: Numeration,
    /// The boxes still to be solved, each with its approximate number of positions and
    /// the size that its heaps are below, the next one last.
    pub boxes: Vec<(u128, usize)>,
    pub bounds: &'s SearchBounds,
    pub limits: Limits,
    /// The largest solved box.
    pub largest: Option<Sample>,
    /// A hypothesis to be compared with the next box, and the digits of the box that
    /// it was learned from.
    pub waiting: Option<(usize, Hypothesis)>,
    /// Whether the boxes have the positions in ascending order only.
    pub is_sorted: bool,
    /// Whether the rule suggests the numeration system.
    pub is_likely: bool,
    /// The work that was left when the search began.
    pub begun: Steps,
    /// The new residuals of the largest box by prefix length
    /// ([`super::from_sample::LearnedFromSample::growth`]).
    pub growth: Vec<usize>,
    /// The depth in digits to which these residuals were compared.
    pub growth_depth: usize,
    /// Whether the largest box has a hypothesis: no new residuals appear at its end.
    pub has_hypothesis: bool,
    /// Whether it has one that is not refuted.
    pub has_closed: bool,
    pub failure: AttemptFailure,
}

/// Fewer prefix lengths do not show whether residuals level off.
const FEWEST_LENGTHS: usize = 3;

impl BoxSearch<'_, '_> {
    /// What is asked of the positions.
    pub fn request(&self) -> Query {
        let question = match self.goal {
            Goal::Outcomes => Question::Outcome,
            Goal::Values | Goal::Value => Question::Grundy,
        };
        request(question, self.convention)
    }

    /// The size that the heaps of the next box are below, if it is of this approximate
    /// size.
    pub fn next_side(&self, size: u128) -> Option<usize> {
        let next = self.boxes.last();
        next.filter(|(next, _)| *next == size)
            .map(|(_, side)| *side)
    }

    /// The exponent e such that the residuals of the numbers below n grow like nᵉ at the
    /// end of the largest box: 0 if no new ones appear there, infinite if the box is too
    /// small to tell.
    pub fn exponent(&self) -> f64 {
        if self.has_closed {
            return 0.0;
        }
        let (Some(last), true) = (self.growth.last(), self.growth.len() >= FEWEST_LENGTHS) else {
            return f64::INFINITY;
        };
        let all: usize = self.growth.iter().sum();
        let factor = match self.numeration {
            Numeration::Base(base) => f64::from(base),
            Numeration::Ostrowski(a) => {
                (f64::from(a) + f64::from(a).mul_add(f64::from(a), 4.0).sqrt()) / 2.0
            }
        };
        (all as f64 / (all - last) as f64).ln() / factor.ln()
    }

    /// Whether each prefix length has more new residuals than the one before.
    pub fn only_grows(&self) -> bool {
        self.growth.len() > FEWEST_LENGTHS && self.growth.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Whether it ended without a result.
    pub fn has_ended(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Ends the search, because another numeration system is more promising.
    pub fn drop(&mut self) {
        if !self.has_ended() {
            self.boxes.clear();
            self.waiting = None;
            self.failure = AttemptFailure::Dropped;
        }
    }

    /// The work of the search of all numeration systems so far.
    fn work_so_far(&self) -> Steps {
        let left = self.limits.work_left().unwrap_or(self.begun);
        Steps(self.begun.0.saturating_sub(left.0))
    }

    /// Ends the search by a limit.
    pub fn ended_by(&mut self, limit: LimitExceeded) {
        self.boxes.clear();
        if self.failure == AttemptFailure::Open(None) {
            self.failure = AttemptFailure::Open(Some(limit));
        }
    }

    /// Solves the box of this approximate size, if there is one, and learns from it.
    /// `solved` is the largest box solved before, and `side` the size below which the
    /// heaps of a new one are.
    pub fn next_box(
        &mut self,
        size: u128,
        solved: &mut Option<SolvedBox>,
        side: usize,
    ) -> Result<Option<LearnedAutomaton>, ProveError> {
        let Some((_, own_side)) = self.boxes.pop_if(|(next, _)| *next == size) else {
            return Ok(None);
        };
        self.limits.set_numeration(Some(self.numeration.into()));
        let waiting = self.waiting.take();
        let Some(sample) = self.solved(own_side, solved, side)? else {
            // Larger boxes cannot be solved either.
            self.boxes.clear();
            return match waiting {
                Some((from, hypothesis)) => self.proved(&hypothesis, from, &self.proof_limits()),
                None => Ok(None),
            };
        };
        let digits = sample.digits();
        // Compare the hypothesis from the smaller box with this one.
        let mut found = None;
        if let Some((from, hypothesis)) = waiting
            && hypothesis.agrees(&sample, &self.limits)?
        {
            found = self.proved(&hypothesis, from, &self.proof_limits())?;
        }
        let mut learned = None;
        if found.is_none() {
            let from = learn(&sample, self.bounds.most_states, &self.limits)?;
            self.growth = from.growth;
            self.growth_depth = digits / 2;
            learned = from.hypothesis;
            self.has_hypothesis = learned.is_some();
            self.has_closed = self.has_hypothesis;
        }
        if let Some(hypothesis) = learned {
            let positions = sample.labels.len() as u128;
            let is_large = positions > LARGE_BOX && hypothesis.depth >= LARGE_DEPTH
                || positions > 2 * LARGE_BOX;
            if !hypothesis.agrees(&sample, &self.limits)? {
                self.failure = AttemptFailure::Differs;
            } else if self.boxes.is_empty() || is_large {
                found = self.proved(&hypothesis, digits, &self.proof_limits())?;
            } else if matches!(self.numeration, Numeration::Base(_)) || size >= TELLING {
                let early = self.limits.cap_work(self.work_so_far().max(EARLY));
                found = self.proved(&hypothesis, digits, &early)?;
                if !matches!(self.failure, AttemptFailure::Refuted(_)) {
                    self.waiting = Some((digits, hypothesis));
                }
            } else {
                self.waiting = Some((digits, hypothesis));
            }
        }
        self.largest = Some(sample);
        Ok(found)
    }

    /// The sample of the numbers below a size; `None` if that is impossible within the
    /// limits.
    fn solved(
        &mut self,
        least: usize,
        solved: &mut Option<SolvedBox>,
        side: usize,
    ) -> Result<Option<Sample>, ProveError> {
        let limits = self.limits.half_work();
        let numbers = match Numbers::below(self.numeration, least, &limits) {
            Ok(Some(numbers)) => numbers,
            Ok(None) | Err(LimitExceeded::Memory { .. }) => return Ok(None),
            Err(LimitExceeded::Stopped) => return Err(LimitExceeded::Stopped.into()),
            Err(met @ (LimitExceeded::Time | LimitExceeded::Work { .. })) => {
                self.ended_by(met);
                return Ok(None);
            }
        };
        let asked = self.request();
        let known = solved
            .take()
            .filter(|known| known.asked == asked && known.side >= least);
        let known = match known {
            Some(known) => Ok(known),
            None => SolvedBox::new(self.solver, asked, side.max(least), self.is_sorted, &limits),
        };
        let sample = known.map(|known| solved.insert(known).sample(Rc::new(numbers)));
        match sample {
            Ok(sample) if self.goal == Goal::Value => match sample.with_value(&limits) {
                Err(LimitExceeded::Memory { .. }) => Ok(None),
                other => Ok(Some(other?)),
            },
            Ok(sample) => Ok(Some(sample)),
            Err(Unsolved::Stopped) => Err(LimitExceeded::Stopped.into()),
            Err(Unsolved::Time) => {
                self.ended_by(LimitExceeded::Time);
                Ok(None)
            }
            Err(Unsolved::Work { steps }) => {
                self.ended_by(LimitExceeded::Work { steps });
                Ok(None)
            }
            Err(Unsolved::Memory { .. }) => Ok(None),
            Err(other) => Err(Unsupported::new(other.to_string(), (0, 0).into()).into()),
        }
    }

    /// The limits of the proof of a hypothesis.
    fn proof_limits(&self) -> Limits {
        self.limits.half_work().or_work(PATIENCE)
    }

    /// Proves a hypothesis from a box of numbers with `digits` digits; `None` if that
    /// fails, with the reason in `failure`.
    fn proved(
        &mut self,
        hypothesis: &Hypothesis,
        digits: usize,
        limits: &Limits,
    ) -> Result<Option<LearnedAutomaton>, ProveError> {
        let result = match hypothesis.in_any_order(limits) {
            Ok(hypothesis) => match self.goal {
                Goal::Outcomes => self.outcomes(&hypothesis, limits),
                Goal::Values => self.values(&hypothesis, limits),
                Goal::Value => self.value(&hypothesis, limits),
            },
            Err(limit) => Err(limit.into()),
        };
        match result {
            Ok(Ok(proved)) => Ok(Some(LearnedAutomaton {
                set: proved.set,
                classes: proved.classes,
                states: proved.states,
                certificate: None,
                checked: proved.checked,
                goal: self.goal,
                origin: Origin::Box {
                    digits,
                    depth: hypothesis.depth,
                },
            })),
            Ok(Err(failing)) => {
                self.has_closed = false;
                self.failure = AttemptFailure::Refuted(failing.into_iter().next());
                Ok(None)
            }
            Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
                Err(LimitExceeded::Stopped.into())
            }
            Err(ProveError::LimitExceeded(limit)) => {
                self.failure = AttemptFailure::Undecided(limit);
                Ok(None)
            }
            Err(unsupported) => Err(unsupported),
        }
    }

    /// Decides whether the hypothesis is the set of the P-positions.
    fn outcomes(
        &self,
        hypothesis: &Hypothesis,
        limits: &Limits,
    ) -> Result<ProofAttempt, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let set = hypothesis.set(&tracks(game), |label| label == 1, &budget)?;
        Ok(
            match decide_p_positions(game, &set, self.convention, limits)? {
                Decision::Holds(proof) => Ok(ProvedHypothesis::of(proof)),
                Decision::Fails(failing) => Err(failing),
                Decision::Open(_) => Err(Vec::new()),
            },
        )
    }

    /// Decides whether the outputs of the hypothesis are the Grundy values.
    fn values(&self, hypothesis: &Hypothesis, limits: &Limits) -> Result<ProofAttempt, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let hypothesis = hypothesis.minimised(limits)?;
        let most = hypothesis.outputs().last().copied().unwrap_or(OUT);
        let mut classes = Vec::new();
        for value in 1..=most {
            classes.push(hypothesis.set(&tracks(game), |label| label == value, &budget)?);
        }
        let found = match decide_grundy_classes(game, &classes, self.convention, limits)? {
            Ok(found) => found,
            Err(failing) => return Ok(Err(failing)),
        };
        let (own, _) = value_tracks(game);
        let mut graph = Dfa::constant(self.numeration, false);
        for (value, class) in (0..).zip(&found.classes) {
            let is_value = atoms::linear(self.numeration, &[(1, own)], -value, true, &budget)?;
            graph = graph.or(&class.and(&is_value, &budget)?, &budget)?;
        }
        Ok(Ok(ProvedHypothesis {
            set: Arc::new(graph),
            classes: found.classes.into_iter().map(Arc::new).collect(),
            states: hypothesis.states(),
            checked: found.checked,
        }))
    }

    /// Decides whether the hypothesis accepts the positions with their Grundy values.
    fn value(&self, hypothesis: &Hypothesis, limits: &Limits) -> Result<ProofAttempt, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let mut tracks = tracks(game);
        tracks.push(value_tracks(game).0);
        let graph = hypothesis.set(&tracks, |label| label == 1, &budget)?;
        Ok(
            match decide_grundy_values(game, &graph, self.convention, limits)? {
                Decision::Holds(proof) => Ok(ProvedHypothesis::of(proof)),
                Decision::Fails(failing) => Err(failing),
                Decision::Open(_) => Err(Vec::new()),
            },
        )
    }

    /// The report of a search without a result.
    pub fn failed(self) -> Result<Attempt, LimitExceeded> {
        let mut residuals = Vec::new();
        // What the search was given may be spent.
        let limits = Limits {
            deadline: None,
            work: None,
            ..self.limits
        };
        let limits = limits.cap_work(REPORT_WORK);
        for depth in DEPTHS {
            if let Some(sample) = &self.largest {
                match new_residuals(sample, depth, &limits) {
                    Ok(counts) if counts.is_empty() => {}
                    Ok(counts) => residuals.push((depth, counts)),
                    Err(LimitExceeded::Stopped) => return Err(LimitExceeded::Stopped),
                    Err(_) => {}
                }
            }
        }
        // Where counting them again takes more, those of the search are reported.
        if residuals.is_empty() && !self.growth.is_empty() {
            residuals.push((self.growth_depth, self.growth));
        }
        Ok(Attempt {
            goal: self.goal,
            numeration: self.numeration,
            source: Source::Box {
                digits: self.largest.as_ref().map_or(0, Sample::digits),
            },
            residuals,
            failure: self.failure,
        })
    }
}
