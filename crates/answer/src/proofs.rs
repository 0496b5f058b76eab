//! The sets of P-positions of a game that are proved for all sizes: from the store, or
//! found now.

use super::answer::ProvedSet;
use super::effort;
use super::session::Note;
use super::store::Store;
use nimrule_discover::forms::is_closed_form;
use nimrule_discover::{learn_p_positions, learning};
use nimrule_elaborate::claim_in;
use nimrule_engine::{SolveError, Solver};
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Resumable};
use nimrule_limits::{Instant, Limits, Steps};
use nimrule_model::game::{Applies, Claim, Convention, Game, Statement};
use nimrule_prove::certificate::{self, Check, Proves};
use nimrule_prove::decide::is_true_of;
use nimrule_prove::proof_cache::{self, CachedProof, FormSearch, ProofOrigin};
use nimrule_prove::proved_outcomes::ProvedOutcomes;
use nimrule_prove::{ProveError, Set, Verdict, prove};
use nimrule_syntax::ast::Class;
use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A set of P-positions that is proved for all sizes, and what it rests on.
pub struct Known<'g> {
    /// The set, which decides positions of any size.
    pub outcomes: ProvedOutcomes<'g>,
    /// What answers say of it.
    pub set: ProvedSet,
    /// What the proof started from.
    pub origin: ProofOrigin,
    /// The closed form of the set, if one was sought.
    pub form: FormSearch,
}

/// What is known of the P-positions under one convention.
#[derive(Clone)]
enum State<'g> {
    /// Neither the store was read nor a proof sought.
    Unasked,
    /// The store has none; a proof was `sought` this long in vain, if at all. `ran_out`: a
    /// part of the search ended with its time.
    Absent {
        sought: Duration,
        ran_out: bool,
    },
    Found(Rc<Known<'g>>),
}

/// The kinds of what is stored: a proved set, and searches that found no proof of a claim.
const PROOF: &str = "proof";
const IN_VAIN: &str = "in-vain";

/// The proved sets of a game, and the claims of which no proof was found.
pub struct Proofs<'g> {
    game: &'g Game,
    /// The hash of the rule; without it nothing is read or stored.
    rule: Option<[u8; 32]>,
    store: Box<dyn Store + 'g>,
    /// By convention.
    known: RefCell<[State<'g>; 2]>,
    /// The searches in vain, by convention and the words of the claim: see [`Proofs::has_failed`].
    in_vain: RefCell<[Option<Map<String, Value>>; 2]>,
    is_warned: Cell<bool>,
    /// What the store has was rejected and may be overwritten.
    is_rejected: Cell<bool>,
}

impl<'g> Proofs<'g> {
    pub fn new(game: &'g Game, rule: Option<[u8; 32]>, store: Box<dyn Store + 'g>) -> Proofs<'g> {
        Proofs {
            game,
            rule,
            store,
            known: RefCell::new([State::Unasked, State::Unasked]),
            in_vain: RefCell::default(),
            is_warned: Cell::new(false),
            is_rejected: Cell::new(false),
        }
    }

    fn named(&self, convention: Convention, kind: &str) -> Option<(String, Identity)> {
        let identity = proof_cache::identity(self.game, convention, self.rule.as_ref()?);
        let name = format!("{}.{kind}", proof_cache::name(&identity, self.game));
        Some((name, identity))
    }

    /// Whether a set is known, or the store may have one.
    pub fn may_have(&self, convention: Convention) -> bool {
        match &self.known.borrow()[convention as usize] {
            State::Found(_) => true,
            State::Absent { .. } => false,
            State::Unasked => self
                .named(convention, PROOF)
                .is_some_and(|(name, _)| self.store.has(&name)),
        }
    }

    /// The set that is known, or that the store has.
    pub fn find(
        &self,
        convention: Convention,
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) -> Option<Rc<Known<'g>>> {
        match &self.known.borrow()[convention as usize] {
            State::Found(known) => return Some(Rc::clone(known)),
            State::Absent { .. } => return None,
            State::Unasked => {}
        }
        let found = self.read(convention, limits, note).map(Rc::new);
        self.known.borrow_mut()[convention as usize] = match &found {
            Some(known) => State::Found(Rc::clone(known)),
            None => State::Absent {
                sought: Duration::ZERO,
                ran_out: false,
            },
        };
        found
    }

    /// The time that a proof was sought in vain; `None` if it was not, or was found.
    pub fn sought_in_vain(&self, convention: Convention) -> Option<Duration> {
        match &self.known.borrow()[convention as usize] {
            State::Absent { sought, .. } if *sought > Duration::ZERO => Some(*sought),
            _ => None,
        }
    }

    /// Whether the search for a proof ended with its time, so that another may find one.
    pub fn ran_out(&self, convention: Convention) -> bool {
        let known = &self.known.borrow()[convention as usize];
        matches!(known, State::Absent { ran_out: true, .. })
    }

    /// The set that is known, or else a proof that is found now and stored.
    ///
    /// # Errors
    ///
    /// An interruption.
    pub fn seek(
        &self,
        convention: Convention,
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) -> Result<Option<Rc<Known<'g>>>, SolveError> {
        if let Some(known) = self.find(convention, limits, note) {
            return Ok(Some(known));
        }
        let begun = Instant::now();
        let mut ran_out = false;
        let found = found(self.game, convention, limits, &mut ran_out);
        limits.set_numeration(None);
        let found = found?;
        let Some((set, origin, claim)) = found else {
            self.known.borrow_mut()[convention as usize] = State::Absent {
                sought: begun.elapsed().max(Duration::from_millis(1)),
                ran_out,
            };
            return Ok(None);
        };
        let cached = CachedProof {
            by: origin,
            form: FormSearch::NotSought,
            set,
        };
        Ok(Some(
            self.learn(convention, cached, claim, true, limits, note),
        ))
    }

    /// Answers with a set that was proved from now on, and stores it if it `is_kept`.
    pub fn learn(
        &self,
        convention: Convention,
        cached: CachedProof,
        claim: Option<usize>,
        is_kept: bool,
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) -> Rc<Known<'g>> {
        if is_kept {
            self.save(convention, &cached, limits, note);
        }
        let known = Rc::new(self.known_of(convention, cached, claim, None));
        self.known.borrow_mut()[convention as usize] = State::Found(Rc::clone(&known));
        known
    }

    fn known_of(
        &self,
        convention: Convention,
        cached: CachedProof,
        number: Option<usize>,
        stored: Option<String>,
    ) -> Known<'g> {
        let outcomes = ProvedOutcomes::new(self.game, convention, Arc::new(cached.set));
        let claim = match &cached.by {
            ProofOrigin::Claim(words) => Some((number, words.clone())),
            ProofOrigin::Rule(_) => None,
        };
        Known {
            set: ProvedSet {
                claim,
                states: outcomes.states,
                stored,
            },
            outcomes,
            origin: cached.by,
            form: cached.form,
        }
    }

    /// Reads a stored proof and checks it.
    fn read(
        &self,
        convention: Convention,
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) -> Option<Known<'g>> {
        let (name, identity) = self.named(convention, PROOF)?;
        let place = self.store.place(&name);
        let reject = |why: String| {
            self.is_rejected.set(true);
            note(&Note::ProofRejected {
                place: place.clone(),
                why,
            });
        };
        let mut cached = match self.stored(&name, &identity, limits)? {
            Ok(cached) => cached,
            Err(why) => {
                reject(why);
                return None;
            }
        };
        let solver = Solver::new(self.game);
        if let Some(at) = cached.differs_at(&solver, convention, limits) {
            let at = self.game.shown(&at);
            reject(format!("its set contradicts the engines at {at}"));
            return None;
        }
        let brief = limits.cap_work(effort::position::CACHED);
        let (game, set) = (self.game, &cached.set);
        let checked = certificate::check(game, Proves::PPositions, None, convention, set, &brief);
        if let Ok(Check::Refused(why)) = checked {
            reject(why);
            return None;
        }
        if let Err(why) = self.check_words(&mut cached, convention, limits) {
            reject(why);
            return None;
        }
        Some(self.known_of(convention, cached, None, Some(place)))
    }

    /// Compares the claim and the closed form of a stored proof with its set. A form that was not
    /// compared within the limits is dropped, so that it is sought again.
    fn check_words(
        &self,
        cached: &mut CachedProof,
        convention: Convention,
        limits: &Limits,
    ) -> Result<(), String> {
        let (game, set) = (self.game, &cached.set);
        if let ProofOrigin::Claim(words) = &cached.by {
            let of_file = game.claims.iter().find(|claim| claim.words == *words);
            let claim = of_file.cloned().or_else(|| claim_in(game, words));
            let claim = claim.filter(|claim| claim.convention == convention);
            let is_true = claim.map(|claim| is_true_of(game, &claim, set, limits));
            // As for the set, there may be no time to compare it.
            if !matches!(is_true, Some(Ok(true) | Err(ProveError::LimitExceeded(_)))) {
                return Err(format!("its claim `{words}` is not true of its set"));
            }
        }
        if let FormSearch::Words(words) = &cached.form {
            match is_closed_form(game, set, words, limits) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(format!("its closed form `{words}` is not that of its set"));
                }
                Err(_) => cached.form = FormSearch::NotSought,
            }
        }
        Ok(())
    }

    /// Reads what the store has under a name; `None` if there is nothing.
    fn stored(
        &self,
        name: &str,
        identity: &Identity,
        limits: &Limits,
    ) -> Option<Result<CachedProof, String>> {
        let bytes = match self.store.load(name) {
            Ok(bytes) => bytes?,
            Err(why) => return Some(Err(why)),
        };
        let read = || -> Result<CachedProof, CheckpointError> {
            checkpoint::verify(bytes.len() as u64, &mut checkpoint::reader(&mut &bytes[..]))?;
            proof_cache::read(
                identity,
                self.game,
                &mut checkpoint::reader(&mut &bytes[..]),
                limits,
            )
        };
        Some(read().map_err(|error| error.to_string()))
    }

    /// Stores a proof, unless the store has one with as much information. If writing fails,
    /// that is reported once.
    fn save(
        &self,
        convention: Convention,
        cached: &CachedProof,
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) {
        let Some((name, identity)) = self.named(convention, PROOF) else {
            return;
        };
        if !self.is_rejected.get()
            && self.store.has(&name)
            && let Some(Ok(before)) = self.stored(&name, &identity, limits)
            && (before.form != FormSearch::NotSought || cached.form == FormSearch::NotSought)
        {
            return;
        }
        let Some(bytes) = cached.written(&identity, self.game, limits) else {
            return;
        };
        self.put(&name, &bytes, note);
    }

    /// Stores bytes. If writing fails, that is reported once.
    fn put(&self, name: &str, bytes: &[u8], note: &dyn Fn(&Note)) {
        if let Err(why) = self.store.save(name, bytes)
            && !self.is_warned.replace(true)
        {
            note(&Note::ProofNotStored {
                place: self.store.place(name),
                why,
            });
        }
    }

    /// Whether a proof of a claim was sought in vain before, with the memory of these limits (of
    /// what the machine has free, no search uses more than the default), at least this work, and
    /// the proved set if one is known; then, whether the search ended with its work, so that with
    /// more a proof may be found. What is kept can only weaken an answer: that a claim holds to a
    /// bound is said of one that has a proof.
    pub fn has_failed(&self, claim: &Claim, work: Steps, limits: &Limits) -> Option<bool> {
        let has_set = self.may_have(claim.convention);
        self.read_in_vain(claim.convention);
        let kept = &self.in_vain.borrow()[claim.convention as usize];
        let search = kept.as_ref()?.get(&claim.words)?;
        let had = |name: &str, least: u64| search[name].as_u64().is_some_and(|had| had >= least);
        let has_had = had("steps", work.0)
            && had("memory", limits.memory.min(Limits::DEFAULT_MEMORY))
            && (!has_set || search["with_set"] == true);
        search["is_cut"].as_bool().filter(|_| has_had)
    }

    /// Keeps that a search had this work, and found no proof of a claim; `is_cut`: it ended with
    /// its work.
    pub fn keep_failed(
        &self,
        claim: &Claim,
        (work, is_cut): (Steps, bool),
        limits: &Limits,
        note: &dyn Fn(&Note),
    ) {
        let has_set = self.may_have(claim.convention);
        self.read_in_vain(claim.convention);
        let mut kept = self.in_vain.borrow_mut();
        let kept = kept[claim.convention as usize].get_or_insert_default();
        let search = json!({
            "steps": work.0,
            "memory": limits.memory,
            "with_set": has_set,
            "is_cut": is_cut,
        });
        kept.insert(claim.words.clone(), search);
        if let Some((name, identity)) = self.named(claim.convention, IN_VAIN) {
            let text = Value::from(kept.clone()).to_string();
            let mut bytes = Vec::new();
            checkpoint::save(&identity, &[(IN_VAIN, &text)], &mut |piece| {
                bytes.extend_from_slice(piece);
            });
            self.put(&name, &bytes, note);
        }
    }

    /// Reads the searches in vain once. Those of a file that is damaged are made again.
    fn read_in_vain(&self, convention: Convention) {
        let mut kept = self.in_vain.borrow_mut();
        kept[convention as usize].get_or_insert_with(|| {
            let read = || {
                let (name, identity) = self.named(convention, IN_VAIN)?;
                let bytes = self.store.load(&name).ok()??;
                checkpoint::verify(bytes.len() as u64, &mut checkpoint::reader(&mut &bytes[..]))
                    .ok()?;
                let mut text = String::new();
                let sections = &mut [(IN_VAIN, &mut text as &mut dyn Resumable)];
                checkpoint::restore(
                    &identity,
                    sections,
                    &mut checkpoint::reader(&mut &bytes[..]),
                )
                .ok()?;
                serde_json::from_str(&text).ok()
            };
            read().unwrap_or_default()
        });
    }
}

/// Proves the set of P-positions for all sizes, by a claim of the file or by learning;
/// `None` if neither succeeds. A claim that exceeds a limit is skipped. With the set: its
/// origin, and the number of the claim.
fn found(
    game: &Game,
    convention: Convention,
    limits: &Limits,
    ran_out: &mut bool,
) -> Result<Option<(nimrule_prove::Dfa, ProofOrigin, Option<usize>)>, SolveError> {
    let is_candidate = |claim: &Claim| {
        claim.convention == convention
            && claim.applies != Applies::Elsewhere
            && claim.refuted.is_none()
            && matches!(
                claim.statement,
                Some(Statement::Outcome {
                    class: Class::P | Class::N,
                    ..
                })
            )
    };
    let canonical = |set: &nimrule_prove::Dfa| {
        // Choices by the order of the states do not depend on the store.
        proof_cache::canonical(game, set, limits).unwrap_or_else(|| set.clone())
    };
    for (number, claim) in (1..).zip(&game.claims) {
        if !is_candidate(claim) {
            continue;
        }
        match prove(game, claim, &learning(&limits.half_work())) {
            Ok(Verdict::Proved(proof)) if proof.of == Set::PPositions => {
                let origin = ProofOrigin::Claim(claim.words.clone());
                return Ok(Some((canonical(&proof.automaton), origin, Some(number))));
            }
            Err(ended @ (SolveError::Stopped | SolveError::Time)) => return Err(ended),
            Err(SolveError::Work { .. }) => *ran_out = true,
            Ok(_) | Err(_) => {}
        }
    }
    // Learning may take half of the work.
    let left = limits.work_left();
    let learned = learn_p_positions(game, convention, limits);
    limits.check_waited_for()?;
    let is_spent = |left: Steps, now: Steps| now.0 <= left.0 - left.0 / 2;
    *ran_out |= learned.is_none()
        && left
            .zip(limits.work_left())
            .is_some_and(|(left, now)| is_spent(left, now));
    Ok(learned.map(|(set, origin)| (canonical(&set), ProofOrigin::Rule(origin), None)))
}
