//! A search in one way to write numbers: boxes, guesses, proofs.

use super::discover::{Attempt, Attempts, Failure, Found, Goal, tracks};
use super::grow::{Guess, grow, new_tails};
use super::numbers::Numbers;
use super::sample::{OUT, Sample, asked};
use crate::automata::{Automaton, Budget, Numeration, atoms};
use crate::engine::{Failure as Unsolved, Question, Solver};
use crate::game::Convention;
use crate::limits::{Limits, Met};
use crate::prove::decide::{self, Decision, Means, Proof};
use crate::prove::free;
use crate::prove::outside::Leaves;
use crate::prove::theorem::{Doubt, Trouble};
use std::rc::Rc;
use std::time::Duration;

/// A guess from a box of more positions is proved without a larger box.
const ENOUGH: u128 = 1 << 20;
/// So long a guess is gone into, where no limit says otherwise: most are wrong.
const PATIENCE: Duration = Duration::from_secs(60);
/// The depths to which growth is told.
const DEPTHS: [usize; 2] = [2, 3];

/// A guess proved, or where it may be wrong.
type Judgement = Result<Judged, Doubt>;

struct Judged {
    set: Rc<Automaton>,
    classes: Vec<Rc<Automaton>>,
    states: usize,
    certificate: Option<free::Certificate>,
    checked: Vec<String>,
}

impl Judged {
    fn of(proof: Proof) -> Judged {
        Judged {
            set: proof.automaton,
            classes: Vec::new(),
            states: proof.states,
            certificate: proof.certificate,
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
    /// Those to be solved yet, the next last.
    pub boxes: Vec<(u128, usize)>,
    pub attempts: &'s Attempts,
    pub limits: Limits,
    pub largest: Option<Sample>,
    /// A guess that closed in the box of so many digits, to be held against
    /// the next.
    pub waiting: Option<(usize, Guess)>,
    pub failure: Failure,
}

impl Search<'_, '_> {
    /// Goes on with the box of this size, if there is one.
    pub fn go_on(&mut self, size: u128) -> Result<Option<Found>, Trouble> {
        let Some((_, digits)) = self.boxes.pop_if(|(next, _)| *next == size) else {
            return Ok(None);
        };
        let waiting = self.waiting.take();
        let Some(sample) = self.solved(digits)? else {
            // Nor can those that are larger.
            self.boxes.clear();
            return match waiting {
                Some((from, guess)) => self.proved(&guess, from),
                None => Ok(None),
            };
        };
        // What a smaller box led to is believed as far as this one goes.
        let mut found = None;
        if let Some((from, guess)) = waiting
            && guess.agrees(&sample, &self.limits)?
        {
            found = self.proved(&guess, from)?;
        }
        if found.is_none()
            && let Some(guess) = grow(&sample, self.attempts.most_states, &self.limits)?.guess
        {
            if !guess.agrees(&sample, &self.limits)? {
                self.failure = Failure::Differs;
            } else if self.boxes.is_empty() || sample.said.len() as u128 > ENOUGH {
                found = self.proved(&guess, digits)?;
            } else {
                self.waiting = Some((digits, guess));
            }
        }
        self.largest = Some(sample);
        Ok(found)
    }

    /// The box of numbers of so many digits; `None` where it cannot be solved
    /// within limits.
    fn solved(&self, digits: usize) -> Result<Option<Sample>, Trouble> {
        let Some(numbers) = Numbers::new(self.numeration, digits) else {
            return Ok(None);
        };
        let limits = self.limits.half_the_time();
        let question = match self.goal {
            Goal::Outcomes => Question::Outcome,
            Goal::Values | Goal::Value => Question::Grundy,
        };
        let asked = asked(question, self.convention);
        match Sample::solved(self.solver, asked, Rc::new(numbers), &limits) {
            Ok(sample) if self.goal == Goal::Value => match sample.with_value(&limits) {
                Err(Met::Memory { .. }) => Ok(None),
                other => Ok(Some(other?)),
            },
            Ok(sample) => Ok(Some(sample)),
            Err(Unsolved::Stopped) => Err(Met::Stopped.into()),
            Err(Unsolved::Memory { .. } | Unsolved::Time) => Ok(None),
            Err(other) => {
                let leaves = Leaves::new("", &other.to_string());
                Err(leaves.within((0, 0).into()).into())
            }
        }
    }

    fn proved(&mut self, guess: &Guess, digits: usize) -> Result<Option<Found>, Trouble> {
        let limits = self.limits.half_the_time().no_longer_than(PATIENCE);
        let judged = match self.goal {
            Goal::Outcomes => self.outcomes(guess, &limits),
            Goal::Values => self.values(guess, &limits),
            Goal::Value => self.value(guess, &limits),
        };
        match judged {
            Ok(Ok(judged)) => Ok(Some(Found {
                set: judged.set,
                classes: judged.classes,
                states: judged.states,
                certificate: judged.certificate,
                checked: judged.checked,
                goal: self.goal,
                digits,
                depth: guess.depth,
            })),
            Ok(Err(doubt)) => {
                self.failure = Failure::Refuted(doubt.into_iter().next());
                Ok(None)
            }
            Err(Trouble::Met(Met::Stopped)) => Err(Met::Stopped.into()),
            Err(Trouble::Met(met)) => {
                self.failure = Failure::Undecided(met);
                Ok(None)
            }
            Err(outside) => Err(outside),
        }
    }

    /// Is it the set of the P-positions?
    fn outcomes(&self, guess: &Guess, limits: &Limits) -> Result<Judgement, Trouble> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let set = guess.automaton(&tracks(game), &|said| said == 1, &budget)?;
        let means = Means::all(limits);
        Ok(match decide::found(game, &set, self.convention, &means)? {
            Decision::Holds(proof) => Ok(Judged::of(proof)),
            Decision::Fails(doubt) => Err(doubt),
            Decision::Open(_) => Err(Vec::new()),
        })
    }

    /// Is each of the sets that of the positions of a value?
    fn values(&self, guess: &Guess, limits: &Limits) -> Result<Judgement, Trouble> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let guess = guess.minimised();
        let most = guess.all_said().last().copied().unwrap_or(OUT);
        let mut classes = Vec::new();
        for value in 1..=most {
            classes.push(guess.automaton(&tracks(game), &|said| said == value, &budget)?);
        }
        let checked = match decide::found_classes(game, &classes, self.convention, limits)? {
            Ok(checked) => checked,
            Err(doubt) => return Ok(Err(doubt)),
        };
        let (own, _) = decide::value_tracks(game);
        let mut graph = Automaton::constant(self.numeration, false);
        for (value, class) in (0..).zip(&classes) {
            let is_value = atoms::linear(self.numeration, &[(1, own)], -value, true, &budget)?;
            graph = graph.or(&class.and(&is_value, &budget)?, &budget)?;
        }
        Ok(Ok(Judged {
            set: Rc::new(graph),
            classes: classes.into_iter().map(Rc::new).collect(),
            states: guess.states(),
            certificate: None,
            checked,
        }))
    }

    /// Does it tell the positions with their values?
    fn value(&self, guess: &Guess, limits: &Limits) -> Result<Judgement, Trouble> {
        let game = self.solver.game;
        let budget = Budget::new(limits);
        let mut tracks = tracks(game);
        tracks.push(decide::value_tracks(game).0);
        let graph = guess.automaton(&tracks, &|said| said == 1, &budget)?;
        Ok(
            match decide::found_values(game, &graph, self.convention, limits)? {
                Decision::Holds(proof) => Ok(Judged::of(proof)),
                Decision::Fails(doubt) => Err(doubt),
                Decision::Open(_) => Err(Vec::new()),
            },
        )
    }

    /// What is told where nothing was found.
    pub fn failed(self) -> Result<Attempt, Met> {
        let mut tails = Vec::new();
        for depth in DEPTHS {
            // What is told of a failure takes no more than a moment.
            let limits = Limits {
                deadline: None,
                ..self.limits
            };
            if let Some(sample) = &self.largest {
                match new_tails(sample, depth, &limits) {
                    Ok(counts) if counts.is_empty() => {}
                    Ok(counts) => tails.push((depth, counts)),
                    Err(Met::Stopped) => return Err(Met::Stopped),
                    Err(_) => {}
                }
            }
        }
        Ok(Attempt {
            goal: self.goal,
            numeration: self.numeration,
            digits: self.largest.as_ref().map_or(0, Sample::digits),
            tails,
            failure: self.failure,
        })
    }
}
