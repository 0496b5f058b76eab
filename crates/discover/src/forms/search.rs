//! The search for a disjunction of conjunctions that is equivalent to a set.

use super::FormVerifier;
use super::atom::Atom;
use super::case::Part;
use super::family::{AtomFamily, Breadth};
use super::learn::{Bits, Examples, Learner, Stratum};
use super::named::Definition;
use super::text;
use nimrule_automata::Dfa;
use nimrule_board::{Arrangement, Symmetries};
use nimrule_limits::{LimitExceeded, Steps};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A family of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// One conjunction about the named heaps.
    Conjunction,
    /// A disjunction of at most so many `like` forms, each up to the symmetry of the board.
    UpToSymmetry { most: usize },
    /// A disjunction of at most so many conjunctions about the sizes of the heaps in ascending
    /// order, for a set that every permutation of the heaps maps to itself.
    Sorted { most: usize },
}

impl FormKind {
    /// The most disjuncts of a closed form.
    pub const MANY: FormKind = FormKind::UpToSymmetry { most: 8 };
    /// Whether all of the set satisfies one conjunction.
    fn is_conjunction(self) -> bool {
        matches!(self, FormKind::Conjunction | FormKind::Sorted { most: 1 })
    }

    /// So many that the form is still short.
    pub const FEW: FormKind = FormKind::UpToSymmetry { most: 2 };
}

/// The most positions of a form that lists them.
const MAX_LISTED: usize = 5;
/// The most symmetries that are enumerated.
const MAX_IMAGES: usize = 128;
/// The number of members from which the growth of a conjunction is tried.
const SEEDS: usize = 8;
/// The most rounds of refinement: each adds a position to the examples.
const ROUNDS: usize = 300;
/// The most rounds in the search for [`FormKind::FEW`].
const FEW_ROUNDS: usize = 8;

/// The automata of a stratum and of its members.
pub struct Region {
    /// All positions of the stratum.
    all: Arc<Dfa>,
    /// Those in the set.
    members: Dfa,
}

impl FormVerifier<'_> {
    /// Searches for a form that holds exactly at the positions of the set in a part, of
    /// atoms of the first of these breadths that suffices.
    pub fn find_form(
        &mut self,
        part: &Part,
        kind: FormKind,
        breadths: &[Breadth],
    ) -> Result<Option<String>, LimitExceeded> {
        let Some(strata) = self.strata(part, kind) else {
            return Ok(None);
        };
        let mut forms = Vec::new();
        for stratum in &strata {
            let Some(region) = self.region_of(stratum)? else {
                return Ok(None);
            };
            if region.members.is_empty() {
                continue;
            }
            if stratum.entries == 0 {
                forms.push("like ()".to_owned());
                continue;
            }
            let mut covered = None;
            for breadth in breadths {
                let family = AtomFamily {
                    entries: stratum.entries,
                    base: self.table.base as u64,
                    breadth: *breadth,
                };
                if covered.is_none() && family.is_new() {
                    let atoms = (family.atoms(), None);
                    let mut cover = CoverSearch::new(self, stratum, &region, kind, atoms);
                    covered = cover.run(self)?;
                }
            }
            match covered {
                Some(found) => forms.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(match forms.len() {
            0 => "false".to_owned(),
            1 if kind.is_conjunction() => forms.remove(0),
            _ if !part.is_all() => format!("({})", forms.join(" or ")),
            _ => forms.join(" or "),
        }))
    }

    /// A form that lists the positions of the set in a part, if they are few.
    pub fn list_positions(&self, part: &Part) -> Option<String> {
        part.bound()?;
        let strata = self.strata(part, FormKind::MANY)?;
        let mut forms = Vec::new();
        for stratum in &strata {
            let mut left = match stratum.entries {
                0 => BTreeSet::from([Vec::new()]),
                _ => Examples::of(self, stratum).members,
            };
            left.retain(|row| self.accepts(&stratum.position(row, self.game.heap_count())));
            while let Some(row) = left.pop_first() {
                for image in stratum.images_of(&row) {
                    left.remove(&image);
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

    /// The strata of a part: one, or one for each number of heaps that are left. `None` if
    /// there are too many symmetries.
    pub fn strata(&self, part: &Part, kind: FormKind) -> Option<Vec<Stratum>> {
        let heaps = self.game.heap_count();
        let stratum = |entries: usize, least: u64, images: Vec<Vec<usize>>| Stratum {
            entries,
            least,
            images,
            part: part.clone(),
            is_sorted: matches!(kind, FormKind::Sorted { .. }),
        };
        let itself: Vec<usize> = (0..heaps).collect();
        match (kind, self.arrangement) {
            (FormKind::Conjunction | FormKind::Sorted { .. }, _) => {
                Some(vec![stratum(heaps, 0, vec![itself])])
            }
            (FormKind::UpToSymmetry { .. }, None) => {
                let images = permutations(&self.game.facts.symmetries, heaps)?;
                Some(vec![stratum(heaps, 0, images)])
            }
            (FormKind::UpToSymmetry { .. }, Some(arrangement)) => Some(
                (0..=heaps)
                    .rev()
                    .map(|entries| stratum(entries, 1, images_of(entries, arrangement)))
                    .collect(),
            ),
        }
    }

    /// Compiles the region of a stratum.
    pub fn region_of(&mut self, stratum: &Stratum) -> Result<Option<Region>, LimitExceeded> {
        let names = &self.game.heap_names;
        let mut conditions = Vec::new();
        for (place, name) in names.iter().enumerate() {
            if place >= stratum.entries {
                conditions.push(format!("{name} == 0"));
            } else if stratum.least > 0 {
                conditions.push(format!("{name} >= {}", stratum.least));
            }
        }
        if stratum.is_sorted {
            let pairs = names.windows(2);
            conditions.extend(pairs.map(|pair| format!("{} <= {}", pair[0], pair[1])));
        }
        conditions.extend(stratum.part.words(names));
        if conditions.is_empty() {
            conditions.push("true".to_owned());
        }
        let Some(all) = self.region(&conditions.join(" and "))? else {
            return Ok(None);
        };
        let members = self.set.and(&all, self.budget())?;
        Ok(Some(Region { all, members }))
    }
}

/// All symmetries as permutations of the heaps, in lexicographic order; `None` if there are
/// too many.
fn permutations(symmetries: &Symmetries, heaps: usize) -> Option<Vec<Vec<usize>>> {
    if symmetries.order()? > MAX_IMAGES as u128 {
        return None;
    }
    // The images of a position whose sizes are its places are the permutations.
    let places: Vec<u64> = (0..heaps as u64).collect();
    let mut images = Vec::new();
    symmetries.any_image(&places, &mut |image| {
        images.push(image.iter().map(|from| *from as usize).collect::<Vec<_>>());
        false
    });
    images.sort_unstable();
    images.dedup();
    Some(images)
}

/// The symmetries of a circle (rotations and reflections) or of a row (the
/// reflection).
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

/// The name of the heap between the smallest and the largest of three.
pub const MIDDLE: &str = "mid";

/// The sizes of two or three heaps in ascending order, as expressions.
fn sorted_names(entries: usize) -> Vec<String> {
    let names: &[&str] = match entries {
        2 => &["min(heaps)", "max(heaps)"],
        _ => &["min(heaps)", MIDDLE, "max(heaps)"],
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The search for forms that cover one stratum.
pub struct CoverSearch<'s> {
    stratum: &'s Stratum,
    region: &'s Region,
    kind: FormKind,
    learner: Learner,
    /// The number that a form names: the last entry of the rows of the learner.
    definition: Option<Definition>,
    /// The number of the orbit of each member.
    orbits: Vec<usize>,
    /// The number of the orbit of each least representative.
    known: BTreeMap<Vec<u64>, usize>,
    /// The conjunctions found.
    forms: Vec<Bits>,
    /// Names for the entries of `like` forms.
    letters: Vec<String>,
    /// The names of the heaps.
    names: Vec<String>,
}

impl<'s> CoverSearch<'s> {
    /// The search for forms of these atoms, which may be about a number, too.
    pub fn new(
        verifier: &FormVerifier<'_>,
        stratum: &'s Stratum,
        region: &'s Region,
        kind: FormKind,
        (atoms, definition): (Vec<Atom>, Option<Definition>),
    ) -> CoverSearch<'s> {
        let mut examples = Examples::of(verifier, stratum);
        let mut entries = stratum.entries;
        if let Some(definition) = &definition {
            examples = examples.extended(definition);
            entries += 1;
        }
        let params = &verifier.game.params;
        let letters = (b'a'..=b'z')
            .map(|letter| char::from(letter).to_string())
            .filter(|letter| params.iter().all(|(name, _)| name != letter))
            .collect();
        let mut cover = CoverSearch {
            stratum,
            region,
            kind,
            learner: Learner::new(atoms, &examples, entries, kind.is_conjunction()),
            definition,
            orbits: Vec::new(),
            known: BTreeMap::new(),
            forms: Vec::new(),
            letters,
            names: verifier.game.heap_names.clone(),
        };
        cover.number_orbits();
        cover
    }

    /// Numbers the orbits of new members.
    fn number_orbits(&mut self) {
        for member in self.orbits.len()..self.learner.members().len() {
            let row = &self.learner.members()[member];
            let first = self.stratum.images_of(row).pop_first().unwrap_or_default();
            let next = self.known.len();
            self.orbits.push(*self.known.entry(first).or_insert(next));
        }
    }

    /// The members of which no image is covered by a form.
    fn uncovered(&self) -> Vec<bool> {
        let mut covered = vec![false; self.known.len()];
        for (member, orbit) in self.orbits.iter().enumerate() {
            covered[*orbit] |= self
                .forms
                .iter()
                .any(|form| self.learner.covers(form, member));
        }
        self.orbits.iter().map(|orbit| !covered[*orbit]).collect()
    }

    /// Searches for forms that cover the members; `None` if that fails.
    pub fn run(
        &mut self,
        verifier: &mut FormVerifier<'_>,
    ) -> Result<Option<Vec<String>>, LimitExceeded> {
        let rounds = match self.kind {
            FormKind::FEW | FormKind::Sorted { .. } => FEW_ROUNDS,
            _ => ROUNDS,
        };
        for _ in 0..rounds {
            verifier.budget().limits().check_work(Steps(30_000))?;
            let uncovered = self.uncovered();
            if !uncovered.contains(&true) {
                match self.rest(verifier)? {
                    None => return Ok(None),
                    Some(rest) => match verifier.shortest_position(&rest) {
                        None if rest.is_empty() => {
                            let words = |form| self.words_with(form, &self.shown_names());
                            return Ok(Some(self.forms.iter().map(words).collect()));
                        }
                        None => return Ok(None),
                        Some(position) => {
                            if !self.add_example(verifier, &position) {
                                return Ok(None);
                            }
                            if self.kind.is_conjunction() {
                                self.forms.clear();
                            }
                            continue;
                        }
                    },
                }
            }
            let most = match self.kind {
                FormKind::Conjunction => 1,
                FormKind::UpToSymmetry { most } | FormKind::Sorted { most } => most,
            };
            if self.forms.len() >= most {
                return Ok(None);
            }
            let Some(atoms) = self.best(&uncovered) else {
                return Ok(None);
            };
            if let Some(form) = self.reduce(verifier, &atoms)? {
                self.forms.push(form);
            }
        }
        Ok(None)
    }

    /// The conjunction that covers the most orbits of uncovered members.
    fn best(&self, uncovered: &[bool]) -> Option<Bits> {
        if self.kind.is_conjunction() {
            let atoms = self.learner.common_atoms();
            return self.learner.excludes(&atoms).then_some(atoms);
        }
        // Members with few equations are the most general.
        let mut order: Vec<usize> = (0..uncovered.len()).filter(|m| uncovered[*m]).collect();
        order.sort_by_cached_key(|member| self.learner.weight_of_member(*member));
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
            let Some(atoms) = self.learner.grown_from(seed, uncovered) else {
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

    /// Reduces a conjunction to few atoms, so that it still implies the set. Positions
    /// that contradict this become examples. Returns `None` if they contradict the
    /// whole conjunction.
    fn reduce(
        &mut self,
        verifier: &mut FormVerifier<'_>,
        atoms: &Bits,
    ) -> Result<Option<Bits>, LimitExceeded> {
        for _ in 0..ROUNDS {
            if !self.learner.excludes(atoms) {
                return Ok(None);
            }
            let fewer = self.learner.minimised(atoms, self.stratum.entries);
            let words = self.conjunction(&fewer, &self.names[..self.stratum.entries]);
            let Some(satisfying) = verifier.region(&words)? else {
                return Ok(None);
            };
            let budget = verifier.budget();
            let outside = satisfying
                .and(&self.region.all, budget)?
                .and_not(&verifier.set, budget)?;
            match verifier.shortest_position(&outside) {
                None => return Ok(outside.is_empty().then_some(fewer)),
                Some(position) if self.add_example(verifier, &position) => {}
                Some(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Adds a position and its images to the examples. Returns whether that is possible: the
    /// number that a form names is not negative.
    fn add_example(&mut self, verifier: &FormVerifier<'_>, position: &[u64]) -> bool {
        let heaps = verifier.game.heap_count();
        for row in self.stratum.images_of(&position[..self.stratum.entries]) {
            let member = verifier.accepts(&self.stratum.position(&row, heaps));
            let row = match &self.definition {
                None => Some(row),
                Some(definition) => definition.extended(&row),
            };
            let Some(row) = row else {
                return false;
            };
            self.learner.add(vec![row], member);
        }
        self.number_orbits();
        true
    }

    /// The members that no form covers.
    fn rest(&self, verifier: &mut FormVerifier<'_>) -> Result<Option<Dfa>, LimitExceeded> {
        let mut rest = self.region.members.clone();
        for form in &self.forms {
            let words = self.words_with(form, &self.names);
            let Some(parts) = verifier.alternatives(&words)? else {
                return Ok(None);
            };
            for part in parts {
                rest = rest.and_not(&part, verifier.budget())?;
            }
        }
        Ok(Some(rest))
    }

    /// The names of the entries in a result.
    fn shown_names(&self) -> Vec<String> {
        match self.kind {
            FormKind::Sorted { .. } => sorted_names(self.stratum.entries),
            _ => self.names.clone(),
        }
    }

    /// The text of a form, with these names of the entries.
    fn words_with(&self, form: &Bits, names: &[String]) -> String {
        match self.kind {
            FormKind::UpToSymmetry { .. } => {
                let atoms = self.learner.listed(form);
                text::like(&atoms, self.stratum.entries, &self.letters)
            }
            FormKind::Conjunction | FormKind::Sorted { .. } => self.conjunction(form, names),
        }
    }

    /// The text of a conjunction, with these names of the entries.
    fn conjunction(&self, form: &Bits, names: &[String]) -> String {
        let atoms = self.learner.listed(form);
        match &self.definition {
            None => text::conjunction(&atoms, names),
            Some(definition) => {
                let mut letters = self.letters.iter().rev();
                let name = letters.find(|letter| !names.contains(letter));
                text::naming(&atoms, names, definition, name.map_or("", String::as_str))
            }
        }
    }
}
