//! The P-positions and the Grundy values for all sizes, found from the rule.

use super::conjecture;
use super::session::{Note, Session};
use nimrule_checker::Certificate;
use nimrule_discover::forms::{closed_form, value_form};
use nimrule_discover::residual_learning::{
    self, Attempt, AttemptFailure, LearnedAutomaton, SearchBounds,
};
use nimrule_elaborate::claim_in;
use nimrule_engine::SolveError;
use nimrule_limits::{Instant, LimitExceeded, Limits, Steps};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_prove::certificate::{NotWritten, Proves, write};
use nimrule_prove::decide::statements;
use nimrule_prove::proof_cache::{CachedProof, FormSearch, ProofOrigin};
use nimrule_prove::{Dfa, Numeration, ProveError, Strategy, Verdict, any_number, prove};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// How far a discovery searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscoveryBounds {
    /// An attempt stops at this many states.
    pub most_states: usize,
    /// Whether the search ends where the residuals keep growing, which is evidence and no
    /// proof that there is no automaton.
    pub gives_up: bool,
}

impl Default for DiscoveryBounds {
    fn default() -> DiscoveryBounds {
        DiscoveryBounds {
            most_states: 200_000,
            gives_up: true,
        }
    }
}

/// The result of a discovery.
#[derive(Debug)]
pub enum Discovered<T> {
    /// The set or the values, proved.
    Proved(Box<T>),
    /// A theorem about any number of heaps.
    OfAnyNumber(Box<DiscoveredTheorem>),
    /// No theorem about any number of heaps was proved.
    NoTheorem(OpenConjectures),
    /// Nothing was proved; these are the attempts.
    Unknown(Vec<Attempt>),
    /// The rule is unsupported, for this reason.
    Unsupported(String),
}

/// A proved claim about any number of heaps.
#[derive(Debug)]
pub struct DiscoveredTheorem {
    /// The claim, as after the word `claim`: `P iff xor(heaps) == 0`.
    pub claim: String,
    /// The proof, with the certificate that the checker accepted.
    pub proof: any_number::Proof,
    /// The time that the search took.
    pub took: Duration,
}

/// Claims about any number of heaps that describe the P-positions of a box.
#[derive(Debug)]
pub struct OpenConjectures {
    /// The largest total of the box.
    pub holds_to: u64,
    /// Each claim, with the reason why it is not proved.
    pub tried: Vec<(String, String)>,
}

/// A proved set of P-positions.
#[derive(Debug)]
pub struct DiscoveredSet {
    /// The set: one track for each heap.
    pub set: Arc<Dfa>,
    /// What the proof started from.
    pub by: ProofOrigin,
    /// The place of the proof in the store, if it was read from there.
    pub stored: Option<String>,
    /// The certificate that the checker accepted, if it was asked.
    pub certificate: Option<Box<Certificate>>,
    /// The conditions that were checked.
    pub checked: Vec<String>,
    /// The time that the search took.
    pub took: Duration,
    /// The closed form, if one was sought.
    pub form: FormSearch,
    /// The numeration systems that were dropped before.
    pub dropped: Vec<Numeration>,
}

/// Proved Grundy values.
#[derive(Debug)]
pub struct DiscoveredValues {
    /// The values.
    pub found: LearnedAutomaton,
    /// The time that the search took.
    pub took: Duration,
    /// The closed form of the value itself.
    pub form: Option<String>,
    /// The closed forms of the positions of each of a few values, where that of the value
    /// is not known.
    pub forms: Vec<Option<String>>,
    /// The numeration systems that were dropped before.
    pub dropped: Vec<Numeration>,
}

/// The work of a search, unless the user is ready to wait longer, and for a closed form.
const SEARCH: Steps = Steps::million(300);
const FORM: Steps = Steps::million(20);

impl Session<'_> {
    /// The limits of a search for all sizes.
    pub fn search_limits(&self) -> Limits {
        self.limits.or_work(SEARCH)
    }

    /// The set of the P-positions for all sizes: from the store, or learned and proved.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn discover(
        &self,
        convention: Convention,
        bounds: DiscoveryBounds,
    ) -> Result<Discovered<DiscoveredSet>, LimitExceeded> {
        let limits = self.search_limits();
        let found = match self.game().position_kind {
            PositionKind::Multiset(_) | PositionKind::Open(_) => {
                theorem(self.game(), convention, false, &limits)
            }
            _ => self.found_set(convention, bounds, &limits),
        };
        limits.set_numeration(None);
        found
    }

    /// The set of the P-positions, with a closed form.
    fn found_set(
        &self,
        convention: Convention,
        bounds: DiscoveryBounds,
        limits: &Limits,
    ) -> Result<Discovered<DiscoveredSet>, LimitExceeded> {
        let note = |note: &Note| self.note(note);
        let mut found = match self.proofs.find(convention, limits, &note) {
            Some(known) => DiscoveredSet {
                set: Arc::clone(known.outcomes.set()),
                by: known.origin.clone(),
                stored: known.set.stored.clone(),
                certificate: None,
                checked: statements(self.game(), convention)
                    .iter()
                    .map(|what| (*what).to_owned())
                    .collect(),
                took: Duration::ZERO,
                form: known.form.clone(),
                dropped: Vec::new(),
            },
            None => match learned(self.game(), convention, bounds, limits)? {
                Discovered::Proved(found) => *found,
                other => return Ok(other),
            },
        };
        self.keep(convention, &found, limits);
        // Search for a closed form if no earlier run has.
        if found.form == FormSearch::NotSought {
            found.form = form(self.game(), convention, &found.set, limits);
            self.keep(convention, &found, limits);
        }
        Ok(Discovered::Proved(Box::new(found)))
    }

    fn keep(&self, convention: Convention, found: &DiscoveredSet, limits: &Limits) {
        if found.stored.is_some() && found.form == FormSearch::NotSought {
            return;
        }
        let cached = CachedProof {
            by: found.by.clone(),
            form: found.form.clone(),
            set: found.set.as_ref().clone(),
        };
        let note = |note: &Note| self.note(note);
        self.proofs
            .learn(convention, cached, None, true, limits, &note);
    }

    /// The Grundy values for all sizes, learned and proved.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn discover_values(
        &self,
        convention: Convention,
        bounds: DiscoveryBounds,
    ) -> Result<Discovered<DiscoveredValues>, LimitExceeded> {
        let limits = self.search_limits();
        let found = match self.game().position_kind {
            PositionKind::Multiset(_) | PositionKind::Open(_) => {
                theorem(self.game(), convention, true, &limits)
            }
            _ => self.found_values(convention, bounds, &limits),
        };
        limits.set_numeration(None);
        found
    }

    /// The Grundy values, with closed forms.
    fn found_values(
        &self,
        convention: Convention,
        bounds: DiscoveryBounds,
        limits: &Limits,
    ) -> Result<Discovered<DiscoveredValues>, LimitExceeded> {
        let game = self.game();
        let search = SearchBounds {
            most_states: bounds.most_states,
            ..SearchBounds::default()
        };
        let begun = Instant::now();
        let discovered = residual_learning::discover_values(game, convention, &search, limits);
        let discovered = match discovered {
            Ok(discovered) => discovered,
            Err(ProveError::Unsupported(unsupported)) => {
                return Ok(Discovered::Unsupported(unsupported.what));
            }
            Err(ProveError::LimitExceeded(met)) => return Err(met),
        };
        let took = begun.elapsed();
        let Some(found) = discovered.found else {
            return Ok(Discovered::Unknown(discovered.attempts));
        };
        let brief = limits.cap_work(FORM);
        let (form_of_all, forms) = match value_form(game, &found.set, &brief) {
            Ok(Some(words)) => (Some(words), Vec::new()),
            _ => {
                let forms = found.classes.iter().map(|class| {
                    let found = form(game, convention, class, &brief);
                    found.words().map(str::to_owned)
                });
                (None, forms.collect())
            }
        };
        Ok(Discovered::Proved(Box::new(DiscoveredValues {
            took,
            form: form_of_all,
            forms,
            dropped: dropped(&discovered.attempts),
            found,
        })))
    }

    /// The certificate of a discovered set or of values, as text.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn certificate_of(
        &self,
        proves: Proves,
        convention: Convention,
        set: &Dfa,
        known: Option<&Certificate>,
    ) -> Result<String, NotWritten> {
        match known {
            Some(certificate) => Ok(certificate.text()),
            None => {
                let limits = self.search_limits();
                write(self.game(), proves, None, convention, set, &limits)
            }
        }
    }
}

/// The largest base of values that are tried for any number of heaps.
const LARGEST_BASE: u8 = 7;

/// The number of heaps of the positions that are compared first, if it is left open.
const HEAPS: usize = 4;

/// Proves a claim about any number of heaps: one that describes the P-positions of a box, or
/// gives the values as a sum of digits without carry.
fn theorem<T>(
    game: &Game,
    convention: Convention,
    of_values: bool,
    limits: &Limits,
) -> Result<Discovered<T>, LimitExceeded> {
    let begun = Instant::now();
    if let Err(unsupported) = any_number::check_rule(game) {
        return Ok(Discovered::Unsupported(unsupported.what));
    }
    let mut stated = conjecture::with_locals(game);
    let (mut tried, mut holds_to) = (Vec::new(), 0);
    let sample = match game.position_kind {
        PositionKind::Open(least) if least > HEAPS => {
            let what =
                format!("there are at least {least} heaps, and at most {HEAPS} are compared");
            return Ok(Discovered::Unsupported(what));
        }
        PositionKind::Open(_) => Cow::Owned(game.at_number_of_heaps(HEAPS)),
        _ => Cow::Borrowed(game),
    };
    let words: Vec<String> = match of_values {
        true => {
            let sums = (3..=LARGEST_BASE).map(|base| format!("carryless({base}, heaps)"));
            ["xor(heaps)".to_owned()].into_iter().chain(sums).collect()
        }
        false => match conjecture::describing(&sample, convention, limits) {
            Ok((most, words)) => {
                holds_to = most;
                words
            }
            Err(error) => return unfinished(error),
        },
    };
    let misere = match convention {
        Convention::Normal => "",
        Convention::Misere => "misere ",
    };
    let relation = match of_values {
        true => "grundy ==",
        false => "P iff",
    };
    let strategy = Strategy::all(limits);
    let mut unsupported = None;
    for words in words {
        let Some(claim) = claim_in(game, &format!("{misere}{relation} {words}")) else {
            continue;
        };
        // The checker reads the claim among those of the game.
        stated.rule.claims = vec![claim.clone()];
        let verdict = match prove(&stated, &claim, &strategy) {
            Ok(verdict) => verdict,
            Err(error) => return unfinished(error),
        };
        let why = match verdict {
            Verdict::ProvedOfAnyNumber(proof) => {
                return Ok(Discovered::OfAnyNumber(Box::new(DiscoveredTheorem {
                    claim: claim.words,
                    proof,
                    took: begun.elapsed(),
                })));
            }
            Verdict::Unsupported(found) => {
                unsupported = unsupported.or(Some(found.what.clone()));
                found.what
            }
            Verdict::Undecided(why) => why,
            Verdict::Contradicted(_) => {
                "the prover and the engines contradict each other".to_owned()
            }
            // It fails beyond the box.
            _ => continue,
        };
        tried.push((claim.words, why));
    }
    Ok(match unsupported {
        Some(what) if of_values => Discovered::Unsupported(what),
        _ => Discovered::NoTheorem(OpenConjectures { holds_to, tried }),
    })
}

/// A search that ended before its end.
fn unfinished<T>(error: SolveError) -> Result<Discovered<T>, LimitExceeded> {
    match error {
        SolveError::Time => Err(LimitExceeded::Time),
        SolveError::Work { steps } => Err(LimitExceeded::Work { steps }),
        SolveError::Stopped => Err(LimitExceeded::Stopped),
        SolveError::Memory { needed, limit } => Err(LimitExceeded::Memory { needed, limit }),
        other => Ok(Discovered::Unsupported(other.to_string())),
    }
}

/// Learns the set of the P-positions and proves it.
fn learned(
    game: &Game,
    convention: Convention,
    bounds: DiscoveryBounds,
    limits: &Limits,
) -> Result<Discovered<DiscoveredSet>, LimitExceeded> {
    let search = SearchBounds {
        most_states: bounds.most_states,
        gives_up: bounds.gives_up,
        ..SearchBounds::default()
    };
    let begun = Instant::now();
    let discovered = match residual_learning::discover(game, convention, &search, limits) {
        Ok(discovered) => discovered,
        Err(ProveError::Unsupported(unsupported)) => {
            return Ok(Discovered::Unsupported(unsupported.what));
        }
        Err(ProveError::LimitExceeded(met)) => return Err(met),
    };
    Ok(match discovered.found {
        Some(found) => Discovered::Proved(Box::new(DiscoveredSet {
            took: begun.elapsed(),
            form: FormSearch::NotSought,
            set: found.set,
            by: ProofOrigin::Rule(found.origin),
            stored: None,
            certificate: found.certificate,
            checked: found.checked,
            dropped: dropped(&discovered.attempts),
        })),
        None => Discovered::Unknown(discovered.attempts),
    })
}

/// A closed form of the set as a claim, if one is found.
fn form(game: &Game, convention: Convention, set: &Dfa, limits: &Limits) -> FormSearch {
    match closed_form(game, convention, set, &limits.cap_work(FORM)) {
        Ok(Some(form)) => FormSearch::Words(form.words),
        Ok(None) => FormSearch::None,
        // Another search would be given no more.
        Err(LimitExceeded::Work { steps }) if steps == FORM => FormSearch::None,
        Err(_) => FormSearch::NotSought,
    }
}

/// The numeration systems that a search dropped.
fn dropped(attempts: &[Attempt]) -> Vec<Numeration> {
    let dropped = attempts
        .iter()
        .filter(|attempt| attempt.failure == AttemptFailure::Dropped);
    let mut all: Vec<Numeration> = dropped.map(|attempt| attempt.numeration).collect();
    all.dedup();
    all
}
