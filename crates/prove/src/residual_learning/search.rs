//! A search in one numeration: boxes, hypotheses, proofs.

use super::from_sample::{Hypothesis, learn, new_residuals};
use super::sample::{Numbers, OUT, Sample, asked};
use super::{Attempt, Attempts, Failure, Found, Goal, Origin, Source};
use crate::compile::tracks;
use crate::decide::{self, Decision, Proof, Strategy};
use crate::theorem::{FailingPositions, ProveError};
use crate::unsupported::Unsupported;
use nimrule_automata::{Budget, Dfa, Numeration, atoms};
use nimrule_engine::{Failure as Unsolved, Question, Solver};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A hypothesis from a box of more positions is proved without a larger box.
const ENOUGH: u128 = 1 << 20;
/// The most time for the proof of one hypothesis: most are wrong.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most time that the counts of a report may take beyond the deadline.
const MOMENT: Duration = Duration::from_millis(50);
/// The depths to which residuals are counted in a report.
const DEPTHS: [usize; 2] = [2, 3];

/// A hypothesis proved, or where it may be wrong.
type Judgement = Result<Judged, FailingPositions>;

struct Judged {
    set: Rc<Dfa>,
    classes: Vec<Rc<Dfa>>,
    states: usize,
    checked: Vec<String>,
}

impl Judged {
    fn of(proof: Proof) -> Judged {
        Judged {
            set: proof.automaton,
            classes: Vec::new(),
            states: proof.states,
            checked: proof.checked,
        }
    }
}

/// A search in one way to write numbers.
pub struct Search<'s, 'g> {
    pub solver: &'s Solver<'g>,
    pub goal: Goal,
    pub convention: Convention,
    pub numeration: Numeration,
    /// The boxes still to be solved, the next one last.
    pub boxes: Vec<(u128, usize)>,
    pub attempts: &'s Attempts,
    pub limits: Limits,
    pub largest: Option<Sample>,
    /// A hypothesis from the box of so many digits, to be compared with the
    /// next box.
    pub waiting: Option<(usize, Hypothesis)>,
    pub failure: Failure,
}

impl Search<'_, '_> {
    /// Solves the box of this size, if there is one, and learns from it.
    pub fn next_box(&mut self, size: u128) -> Result<Option<Found>, ProveError> {
        let Some((_, digits)) = self.boxes.pop_if(|(next, _)| *next == size) else {
            return Ok(None);
        };
        let waiting = self.waiting.take();
        let Some(sample) = self.solved(digits)? else {
            // Nor can the larger ones.
            self.boxes.clear();
            return match waiting {
                Some((from, hypothesis)) => self.proved(&hypothesis, from),
                None => Ok(None),
            };
        };
        // The hypothesis from a smaller box is first compared with this one.
        let mut found = None;
        if let Some((from, hypothesis)) = waiting
            && hypothesis.agrees(&sample, &self.limits)?
        {
            found = self.proved(&hypothesis, from)?;
        }
        if found.is_none()
            && let Some(hypothesis) =
                learn(&sample, self.attempts.most_states, &self.limits)?.hypothesis
        {
            if !hypothesis.agrees(&sample, &self.limits)? {
                self.failure = Failure::Differs;
            } else if self.boxes.is_empty() || sample.labels.len() as u128 > ENOUGH {
                found = self.proved(&hypothesis, digits)?;
            } else {
                self.waiting = Some((digits, hypothesis));
            }
        }
        self.largest = Some(sample);
        Ok(found)
    }

    /// The box of numbers of so many digits; `None` where it cannot be solved
    /// within limits.
    fn solved(&self, digits: usize) -> Result<Option<Sample>, ProveError> {
        let limits = self.limits.half_time();
        let numbers = match Numbers::within(self.numeration, digits, &limits) {
            Ok(Some(numbers)) => numbers,
            Ok(None) | Err(LimitExceeded::Memory { .. } | LimitExceeded::Time) => return Ok(None),
            Err(LimitExceeded::Stopped) => return Err(LimitExceeded::Stopped.into()),
        };
        let question = match self.goal {
            Goal::Outcomes => Question::Outcome,
            Goal::Values | Goal::Value => Question::Grundy,
        };
        let asked = asked(question, self.convention);
        match Sample::solved(self.solver, asked, Rc::new(numbers), &limits) {
            Ok(sample) if self.goal == Goal::Value => match sample.with_value(&limits) {
                Err(LimitExceeded::Memory { .. }) => Ok(None),
                other => Ok(Some(other?)),
            },
            Ok(sample) => Ok(Some(sample)),
            Err(Unsolved::Stopped) => Err(LimitExceeded::Stopped.into()),
            Err(Unsolved::Memory { .. } | Unsolved::Time) => Ok(None),
            Err(other) => Err(Unsupported::new(other.to_string(), (0, 0).into()).into()),
        }
    }

    fn proved(
        &mut self,
        hypothesis: &Hypothesis,
        digits: usize,
    ) -> Result<Option<Found>, ProveError> {
        let limits = self.limits.half_time().or_time(PATIENCE);
        let judged = match self.goal {
            Goal::Outcomes => self.outcomes(hypothesis, &limits),
            Goal::Values => self.values(hypothesis, &limits),
            Goal::Value => self.value(hypothesis, &limits),
        };
        match judged {
            Ok(Ok(judged)) => Ok(Some(Found {
                set: judged.set,
                classes: judged.classes,
                states: judged.states,
                certificate: None,
                checked: judged.checked,
                goal: self.goal,
                origin: Origin::Box {
                    digits,
                    depth: hypothesis.depth,
                },
            })),
            Ok(Err(failing)) => {
                self.failure = Failure::Refuted(failing.into_iter().next());
                Ok(None)
            }
            Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
                Err(LimitExceeded::Stopped.into())
            }
            Err(ProveError::LimitExceeded(limit)) => {
                self.failure = Failure::Undecided(limit);
                Ok(None)
            }
            Err(outside) => Err(outside),
        }
    }

    /// Whether it is the set of the P-positions.
    fn outcomes(&self, hypothesis: &Hypothesis, limits: &Limits) -> Result<Judgement, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let set = hypothesis.set(&tracks(game), |label| label == 1, &budget)?;
        let strategy = Strategy::all(limits);
        Ok(
            match decide::found(game, &set, self.convention, &strategy)? {
                Decision::Holds(proof) => Ok(Judged::of(proof)),
                Decision::Fails(failing) => Err(failing),
                Decision::Open(_) => Err(Vec::new()),
            },
        )
    }

    /// Whether each of its sets is that of the positions of a value.
    fn values(&self, hypothesis: &Hypothesis, limits: &Limits) -> Result<Judgement, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let hypothesis = hypothesis.minimised(limits)?;
        let most = hypothesis.outputs().last().copied().unwrap_or(OUT);
        let mut classes = Vec::new();
        for value in 1..=most {
            classes.push(hypothesis.set(&tracks(game), |label| label == value, &budget)?);
        }
        let checked = match decide::found_classes(game, &classes, self.convention, limits)? {
            Ok(checked) => checked,
            Err(failing) => return Ok(Err(failing)),
        };
        let (own, _) = decide::value_tracks(game);
        let mut graph = Dfa::constant(self.numeration, false);
        for (value, class) in (0..).zip(&classes) {
            let is_value = atoms::linear(self.numeration, &[(1, own)], -value, true, &budget)?;
            graph = graph.or(&class.and(&is_value, &budget)?, &budget)?;
        }
        Ok(Ok(Judged {
            set: Rc::new(graph),
            classes: classes.into_iter().map(Rc::new).collect(),
            states: hypothesis.states(),
            checked,
        }))
    }

    /// Whether it accepts the positions with their values.
    fn value(&self, hypothesis: &Hypothesis, limits: &Limits) -> Result<Judgement, ProveError> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let mut tracks = tracks(game);
        tracks.push(decide::value_tracks(game).0);
        let graph = hypothesis.set(&tracks, |label| label == 1, &budget)?;
        Ok(
            match decide::found_values(game, &graph, self.convention, limits)? {
                Decision::Holds(proof) => Ok(Judged::of(proof)),
                Decision::Fails(failing) => Err(failing),
                Decision::Open(_) => Err(Vec::new()),
            },
        )
    }

    /// The report where nothing was found.
    pub fn failed(self) -> Result<Attempt, LimitExceeded> {
        let mut residuals = Vec::new();
        // The counts for the report may take a moment more than was allowed.
        let moment = Instant::now() + MOMENT;
        let limits = Limits {
            deadline: self.limits.deadline.map(|end| end.max(moment)),
            ..self.limits
        };
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
