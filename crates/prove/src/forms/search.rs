//! The search for a disjunction of conjunctions that covers a set.

use super::FormVerifier;
use super::atom::{self, Scope};
use super::learn::{Bits, Examples, Learner, Stratum};
use crate::integers::{IntegerInterpreter, Integers};
use nimrule_automata::Dfa;
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Arrangement;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The kind of form that is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// One conjunction about the heaps by their names.
    Plain,
    /// Forms, each up to the board's symmetry.
    Forms,
}

/// The most disjuncts of a closed form.
const MAX_FORMS: usize = 8;
/// The most positions that are listed one by one.
const MAX_LISTED: usize = 5;
/// The most symmetries that are enumerated.
const MAX_IMAGES: usize = 128;
/// So many members are tried to begin a form with.
const SEEDS: usize = 8;
/// So many times a position mends what the examples did not show.
const ROUNDS: usize = 300;

/// A search among the positions above or below a bound.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    from: u64,
    below: Option<u64>,
}

/// The positions of a stratum in the set, and where they are.
struct Goal {
    place: Rc<Dfa>,
    members: Dfa,
}

impl Search {
    /// Among the positions with a heap of at least this.
    pub fn large(from: u64) -> Search {
        Search { from, below: None }
    }

    /// Among the positions whose heaps are all below this.
    pub fn small(below: u64) -> Search {
        Search {
            from: 0,
            below: Some(below),
        }
    }

    /// Words for all these positions of the set.
    pub fn found(
        &self,
        verifier: &mut FormVerifier<'_>,
        sort: FormKind,
    ) -> Result<Option<String>, LimitExceeded> {
        let Some(strata) = self.strata(verifier, sort) else {
            return Ok(None);
        };
        let mut forms = Vec::new();
        for stratum in &strata {
            let Some(goal) = self.goal(verifier, stratum)? else {
                return Ok(None);
            };
            if goal.members.is_empty() {
                continue;
            }
            if stratum.entries == 0 {
                forms.push("like ()".to_owned());
                continue;
            }
            let mut covered = None;
            for wide in [false, true] {
                if covered.is_none() {
                    let mut cover = Cover::new(verifier, stratum, &goal, sort, wide);
                    covered = cover.found(verifier)?;
                }
            }
            match covered {
                Some(found) => forms.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(match forms.len() {
            0 => "false".to_owned(),
            1 if sort == FormKind::Plain => forms.remove(0),
            _ if self.from > 0 || self.below.is_some() => format!("({})", forms.join(" or ")),
            _ => forms.join(" or "),
        }))
    }

    /// The positions themselves, where they are few.
    pub fn listed(&self, verifier: &FormVerifier<'_>) -> Option<String> {
        let strata = self.strata(verifier, FormKind::Forms)?;
        let mut forms = Vec::new();
        for stratum in &strata {
            let mut left = match stratum.entries {
                0 => BTreeSet::from([Vec::new()]),
                _ => Examples::of(verifier, stratum).members,
            };
            left.retain(|row| verifier.accepts(&stratum.position(row, verifier.game.heap_count())));
            while let Some(row) = left.pop_first() {
                for turned in stratum.images_of(&row) {
                    left.remove(&turned);
                }
                let shown: Vec<String> = row.iter().map(u64::to_string).collect();
                forms.push(format!("like ({})", shown.join(",")));
                if forms.len() > MAX_LISTED {
                    return None;
                }
            }
        }
        (!forms.is_empty()).then(|| forms.join(" or "))
    }

    fn strata(&self, verifier: &FormVerifier<'_>, sort: FormKind) -> Option<Vec<Stratum>> {
        let heaps = verifier.game.heap_count();
        let stratum = |entries: usize, least: u64, images: Vec<Vec<usize>>| Stratum {
            entries,
            least,
            images,
            from: self.from,
            below: self.below,
        };
        let itself: Vec<usize> = (0..heaps).collect();
        match (sort, verifier.arrangement) {
            (FormKind::Plain, _) => Some(vec![stratum(heaps, 0, vec![itself])]),
            (FormKind::Forms, None) => {
                let numeration = verifier.compiler.numeration;
                let interpreter =
                    IntegerInterpreter::of_heaps(verifier.game, Integers { numeration });
                let order = verifier.game.symmetries.order()?;
                if order > MAX_IMAGES as u128 {
                    return None;
                }
                let images = interpreter.permutations((0, 0).into()).ok()?;
                Some(vec![stratum(heaps, 0, images)])
            }
            (FormKind::Forms, Some(arrangement)) => Some(
                (0..=heaps)
                    .rev()
                    .map(|entries| stratum(entries, 1, images_of(entries, arrangement)))
                    .collect(),
            ),
        }
    }

    fn goal(
        &self,
        verifier: &mut FormVerifier<'_>,
        stratum: &Stratum,
    ) -> Result<Option<Goal>, LimitExceeded> {
        let names = &verifier.game.heap_names;
        let mut said = Vec::new();
        for (place, name) in names.iter().enumerate() {
            if place >= stratum.entries {
                said.push(format!("{name} == 0"));
            } else if stratum.least > 0 {
                said.push(format!("{name} >= {}", stratum.least));
            }
        }
        if self.from > 0 {
            said.push(format!("max(heaps) >= {}", self.from));
        }
        if let Some(below) = self.below {
            said.push(format!("max(heaps) < {below}"));
        }
        if said.is_empty() {
            said.push("true".to_owned());
        }
        let Some(place) = verifier.region(&said.join(" and "))? else {
            return Ok(None);
        };
        let members = verifier.set.and(&place, &verifier.compiler.budget)?;
        Ok(Some(Goal { place, members }))
    }
}

/// The turns of a circle and its reflections, or a row and its reflection.
fn images_of(entries: usize, arrangement: Arrangement) -> Vec<Vec<usize>> {
    let mut images = Vec::new();
    let images_of = match arrangement {
        Arrangement::Circle => entries.max(1),
        Arrangement::Row => 1,
    };
    for turn in 0..images_of {
        let image: Vec<usize> = (0..entries).map(|place| (place + turn) % entries).collect();
        images.push(image.iter().rev().copied().collect());
        images.push(image);
    }
    images.sort_unstable();
    images.dedup();
    images
}

/// Forms for one stratum, as far as they have been found.
struct Cover<'s> {
    stratum: &'s Stratum,
    goal: &'s Goal,
    sort: FormKind,
    learner: Learner,
    /// The orbit of each member.
    orbits: Vec<usize>,
    known: BTreeMap<Vec<u64>, usize>,
    forms: Vec<Bits>,
    letters: Vec<String>,
    names: Vec<String>,
}

impl<'s> Cover<'s> {
    fn new(
        verifier: &FormVerifier<'_>,
        stratum: &'s Stratum,
        goal: &'s Goal,
        sort: FormKind,
        wide: bool,
    ) -> Cover<'s> {
        let scope = Scope {
            entries: stratum.entries,
            base: verifier.table.base as u64,
            wide,
        };
        let examples = Examples::of(verifier, stratum);
        let params = &verifier.game.params;
        let letters = (b'a'..=b'z')
            .map(|letter| char::from(letter).to_string())
            .filter(|letter| params.iter().all(|(name, _)| name != letter))
            .collect();
        let mut cover = Cover {
            stratum,
            goal,
            sort,
            learner: Learner::new(scope.atoms(), &examples),
            orbits: Vec::new(),
            known: BTreeMap::new(),
            forms: Vec::new(),
            letters,
            names: verifier.game.heap_names.clone(),
        };
        cover.number_orbits();
        cover
    }

    fn number_orbits(&mut self) {
        for member in self.orbits.len()..self.learner.members().len() {
            let row = &self.learner.members()[member];
            let first = self.stratum.images_of(row).pop_first().unwrap_or_default();
            let next = self.known.len();
            self.orbits.push(*self.known.entry(first).or_insert(next));
        }
    }

    /// Which members no form speaks of yet, in no turn.
    fn wanted(&self) -> Vec<bool> {
        let mut covered = vec![false; self.known.len()];
        for (member, orbit) in self.orbits.iter().enumerate() {
            covered[*orbit] |= self
                .forms
                .iter()
                .any(|form| self.learner.covers(form, member));
        }
        self.orbits.iter().map(|orbit| !covered[*orbit]).collect()
    }

    fn found(
        &mut self,
        verifier: &mut FormVerifier<'_>,
    ) -> Result<Option<Vec<String>>, LimitExceeded> {
        for _ in 0..ROUNDS {
            verifier.compiler.budget.limits().check_time()?;
            let wanted = self.wanted();
            if !wanted.contains(&true) {
                match self.rest(verifier)? {
                    None => return Ok(None),
                    Some(rest) => match verifier.some_position(&rest) {
                        None if rest.is_empty() => {
                            return Ok(Some(self.forms.iter().map(|f| self.words(f)).collect()));
                        }
                        None => return Ok(None),
                        Some(position) => {
                            self.note(verifier, &position);
                            if self.sort == FormKind::Plain {
                                self.forms.clear();
                            }
                            continue;
                        }
                    },
                }
            }
            let most = match self.sort {
                FormKind::Plain => 1,
                FormKind::Forms => MAX_FORMS,
            };
            if self.forms.len() >= most {
                return Ok(None);
            }
            let Some(atoms) = self.best(&wanted) else {
                return Ok(None);
            };
            if let Some(form) = self.held(verifier, &atoms)? {
                self.forms.push(form);
            }
        }
        Ok(None)
    }

    /// The conjunction that speaks of the most members.
    fn best(&self, wanted: &[bool]) -> Option<Bits> {
        if self.sort == FormKind::Plain {
            let atoms = self.learner.of_all();
            return self.learner.excludes(&atoms).then_some(atoms);
        }
        // Those that little binds are the most general.
        let mut order: Vec<usize> = (0..wanted.len()).filter(|m| wanted[*m]).collect();
        order.sort_by_cached_key(|member| self.learner.bound(*member));
        let mut tried = Vec::new();
        let mut best: Option<(usize, Bits)> = None;
        for &seed in &order {
            if tried.contains(&self.orbits[seed]) {
                continue;
            }
            if tried.len() == SEEDS {
                break;
            }
            tried.push(self.orbits[seed]);
            let Some(atoms) = self.learner.beginning_with(seed, wanted) else {
                continue;
            };
            let mut orbits: Vec<usize> = order
                .iter()
                .filter(|member| self.learner.covers(&atoms, **member))
                .map(|member| self.orbits[*member])
                .collect();
            orbits.sort_unstable();
            orbits.dedup();
            if best.as_ref().is_none_or(|(most, _)| orbits.len() > *most) {
                best = Some((orbits.len(), atoms));
            }
        }
        best.map(|(_, atoms)| atoms)
    }

    /// The conjunction with as few atoms as will do, within the set. Positions
    /// outside that meet it are noted; `None` where they meet all of it.
    fn held(
        &mut self,
        verifier: &mut FormVerifier<'_>,
        atoms: &Bits,
    ) -> Result<Option<Bits>, LimitExceeded> {
        for _ in 0..ROUNDS {
            if !self.learner.excludes(atoms) {
                return Ok(None);
            }
            let fewer = self.learner.reduced(atoms, self.stratum.entries);
            let names = &verifier.game.heap_names[..self.stratum.entries];
            let words = atom::plain(&self.learner.listed(&fewer), names);
            let Some(meets) = verifier.region(&words)? else {
                return Ok(None);
            };
            let budget = &verifier.compiler.budget;
            let beyond = meets
                .and(&self.goal.place, budget)?
                .and_not(&verifier.set, budget)?;
            match verifier.some_position(&beyond) {
                None => return Ok(beyond.is_empty().then_some(fewer)),
                Some(position) => self.note(verifier, &position),
            }
        }
        Ok(None)
    }

    /// Takes a position and its turns among the examples.
    fn note(&mut self, verifier: &FormVerifier<'_>, position: &[u64]) {
        let heaps = verifier.game.heap_count();
        for row in self.stratum.images_of(&position[..self.stratum.entries]) {
            let member = verifier.accepts(&self.stratum.position(&row, heaps));
            self.learner.add(row, member);
        }
        self.number_orbits();
    }

    /// What of the set no form speaks of.
    fn rest(&self, verifier: &mut FormVerifier<'_>) -> Result<Option<Dfa>, LimitExceeded> {
        let mut rest = self.goal.members.clone();
        for form in &self.forms {
            let Some(parts) = verifier.alternatives(&self.words(form))? else {
                return Ok(None);
            };
            for part in parts {
                rest = rest.and_not(&part, &verifier.compiler.budget)?;
            }
        }
        Ok(Some(rest))
    }

    fn words(&self, form: &Bits) -> String {
        let atoms = self.learner.listed(form);
        let entries = self.stratum.entries;
        match self.sort {
            FormKind::Forms => atom::like(&atoms, entries, &self.letters),
            FormKind::Plain => atom::plain(&atoms, &self.names),
        }
    }
}
