//! Closed forms of sets of positions and of Grundy values, in the language of
//! claims: `a ^ A == b ^ B == c ^ C`, `like (0,M,c,d,M) where M == c + d`.
//!
//! The closed form of a set is learned from examples. `learn` collects positions
//! inside and outside the set, and finds conjunctions of short atomic conditions
//! (`atom`) that hold at many members and at no other example. `search` compares
//! each conjunction with the automaton of the set; a position at which it fails
//! becomes an example, and the search continues.
//!
//! A form is returned only if it is proved: its text is parsed and compiled like a
//! claim, and is equivalent to the set ([`closed_form`]). For Grundy values a list
//! of candidate expressions is tested in the same way ([`value_form`]).

mod atom;
#[doc(hidden)]
pub mod case;
mod family;
mod learn;
mod named;
mod search;
mod text;

use case::{Case, Part};
use family::Breadth;
use nimrule_automata::{Budget, Dfa, Numeration, TableDfa};
use nimrule_board::Arrangement;
use nimrule_elaborate::{condition_in, number_in};
use nimrule_ir::{self as ir, Hyperedges};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::Bool;
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_prove::decide::gives_values;
use nimrule_prove::hypergraph_nim::MAX_HEAPS;
use nimrule_prove::{Conditions, ProveError, of_heap, table};
use nimrule_syntax::parse_condition;
use search::{FormKind, MIDDLE};
use std::sync::Arc;

/// A closed form: a condition that holds exactly at the positions of a set.
#[derive(Debug, Clone)]
pub struct Form {
    /// The text, as after `claim P iff`.
    pub words: String,
    /// The parsed condition.
    pub condition: Bool,
}

/// Searches for a closed form of a set and proves it. `None` means that the searched
/// families contain no closed form, not that none exists.
///
/// The families, in order: conjunctions of equations and inequalities between the
/// heaps; disjunctions of a few forms up to the symmetry of the board; and, in
/// misère play, one of these for the large positions combined with another one for
/// the small positions, where the size of the largest heap distinguishes them, or the number
/// of heaps or of pairs of heaps of a size. In place of several forms up to symmetry, a shorter condition on the
/// smallest and the largest of two or three heaps is the result, if there is one. A conjunction
/// with conditions on the digits of sums and differences, or else one that names a number
/// (`named`), is the result if it is shorter than a disjunction of two narrow forms, or none is
/// found.
///
/// # Errors
///
/// A limit is exceeded.
pub fn closed_form(
    game: &Game,
    convention: Convention,
    set: &Dfa,
    limits: &Limits,
) -> Result<Option<Form>, LimitExceeded> {
    let Some(mut verifier) = FormVerifier::new(game, set, limits)? else {
        return Ok(None);
    };
    let form = form_of(&mut verifier, convention)?;
    match form {
        // What is the same of several heaps is said once of the smallest and the largest.
        Some(form) if form.words.matches("like").count() > 1 => {
            let sorted = sorted_form(&mut verifier);
            Ok(Some(match sorted {
                Ok(Some(sorted)) if sorted.words.len() < form.words.len() => sorted,
                Err(LimitExceeded::Stopped) => return Err(LimitExceeded::Stopped),
                _ => form,
            }))
        }
        form => Ok(form),
    }
}

/// Returns whether a text is a closed form of a set, as [`closed_form`] proves it.
///
/// # Errors
///
/// A limit is exceeded.
pub fn is_closed_form(
    game: &Game,
    set: &Dfa,
    words: &str,
    limits: &Limits,
) -> Result<bool, LimitExceeded> {
    let verifier = FormVerifier::new(game, set, limits)?;
    let Some(mut verifier) = verifier else {
        return Ok(false);
    };
    Ok(verifier.proved(words.to_owned())?.is_some())
}

/// A form of two or three heaps by the smallest, the largest and the other one, for a set that
/// every permutation of the heaps maps to itself.
fn sorted_form(verifier: &mut FormVerifier<'_>) -> Result<Option<Form>, LimitExceeded> {
    let heaps = verifier.game.heap_count();
    if verifier.arrangement.is_some() || !(2..=3).contains(&heaps) || !verifier.is_symmetric()? {
        return Ok(None);
    }
    for most in 1..=MOST_SORTED {
        let kind = FormKind::Sorted { most };
        for breadth in STANDARD {
            let found = verifier.find_form(&Part::all(), kind, &[*breadth])?;
            let Some(words) = found else {
                continue;
            };
            let mut words = text::unbracketed(&words).to_owned();
            if words.contains(MIDDLE) {
                let middle = "sum(heaps) - min(heaps) - max(heaps)";
                words = format!("let {MIDDLE} = {middle} in {words}");
            }
            if let Some(form) = verifier.proved(words)? {
                return Ok(Some(form));
            }
        }
    }
    Ok(None)
}

/// The most disjuncts of a form by the smallest and the largest heap.
const MOST_SORTED: usize = 2;

/// A form of the families in their order.
fn form_of(
    verifier: &mut FormVerifier<'_>,
    convention: Convention,
) -> Result<Option<Form>, LimitExceeded> {
    let mut deep = None;
    if verifier.arrangement.is_none() {
        let kind = FormKind::Conjunction;
        if let Some(form) = proved_form(verifier, convention, kind, STANDARD)? {
            return Ok(Some(form));
        }
        deep = proved_form(verifier, convention, kind, &[Breadth::Deep])?;
        if deep.is_none() {
            deep = verifier.named_form()?;
        }
    }
    let Some(deep) = deep else {
        return proved_form(verifier, convention, FormKind::MANY, STANDARD);
    };
    let narrow = &[Breadth::Narrow];
    match proved_form(verifier, convention, FormKind::FEW, narrow) {
        Ok(Some(alike)) if alike.words.len() <= deep.words.len() => Ok(Some(alike)),
        Ok(_) | Err(LimitExceeded::Work { .. } | LimitExceeded::Memory { .. }) => Ok(Some(deep)),
        Err(stopped) => Err(stopped),
    }
}

/// The breadths of the families of most forms.
const STANDARD: &[Breadth] = &[Breadth::Narrow, Breadth::Wide];

/// A form of a kind that is equal to the set.
fn proved_form(
    verifier: &mut FormVerifier<'_>,
    convention: Convention,
    kind: FormKind,
    breadths: &[Breadth],
) -> Result<Option<Form>, LimitExceeded> {
    for case in cases(verifier, convention, kind) {
        if let Some(words) = by_case(verifier, kind, breadths, case.as_ref())?
            && let Some(form) = verifier.proved(words)?
        {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// The cases to distinguish, in order; `None` for no distinction. For disjunctions of forms the
/// distinctions come first: two short forms are clearer than one list of forms with special
/// cases for a few small positions.
fn cases(verifier: &FormVerifier<'_>, convention: Convention, kind: FormKind) -> Vec<Option<Case>> {
    let heaps = verifier.game.heap_count();
    let by_largest = || Case::by_largest(heaps).into_iter().map(Some);
    match (convention, kind) {
        (Convention::Normal, _) => vec![None],
        (Convention::Misere, FormKind::UpToSymmetry { .. }) => by_largest().chain([None]).collect(),
        (Convention::Misere, FormKind::Conjunction | FormKind::Sorted { .. }) => {
            let by_number = Case::by_number(heaps, &verifier.game.facts.symmetries);
            let by_number = by_number.into_iter().map(Some);
            std::iter::once(None)
                .chain(by_largest())
                .chain(by_number)
                .collect()
        }
    }
}

/// A form for the positions at which a case holds, and another one for the other positions; one
/// for all positions if there is no case.
fn by_case(
    verifier: &mut FormVerifier<'_>,
    kind: FormKind,
    breadths: &[Breadth],
    case: Option<&Case>,
) -> Result<Option<String>, LimitExceeded> {
    let with = case.map_or_else(Part::all, Part::with);
    let Some(large) = verifier.find_form(&with, kind, breadths)? else {
        return Ok(None);
    };
    let names = &verifier.game.heap_names;
    let (Some(case), Some(condition)) = (case, with.words(names)) else {
        return Ok(Some(text::unbracketed(&large).to_owned()));
    };
    let without = Part::without(case);
    if verifier.arrangement.is_none()
        && let Some(small) = verifier.find_form(&without, FormKind::Conjunction, STANDARD)?
    {
        return Ok(Some(format!("if {condition} then {large} else {small}")));
    }
    if let Some(listed) = verifier.list_positions(&without) {
        return Ok(Some(format!("({condition} and {large}) or {listed}")));
    }
    if without.bound().is_none() {
        return Ok(None);
    }
    let small = verifier.find_form(&without, FormKind::MANY, STANDARD)?;
    Ok(small.map(|small| format!("if {condition} then {large} else {small}")))
}

/// A set of positions, with the compiler of candidate forms.
struct FormVerifier<'g> {
    pub game: &'g Game,
    /// The arrangement of the board, if empty heaps vanish.
    pub arrangement: Option<Arrangement>,
    conditions: Conditions<'g>,
    pub set: Arc<Dfa>,
    /// The set as a table, for sampling positions.
    pub table: TableDfa,
}

/// The sets of the disjuncts of a condition.
type Alternatives = Vec<Arc<Dfa>>;

impl<'g> FormVerifier<'g> {
    /// Returns `None` if no family of forms applies to the set.
    fn new(game: &'g Game, set: &Dfa, limits: &Limits) -> Result<Option<Self>, LimitExceeded> {
        let heaps = game.heap_count();
        let numeration = set.numeration();
        let fits = matches!(game.position_kind, PositionKind::Heaps)
            && game.positions.is_none()
            && matches!(numeration, Numeration::Base(_))
            && (1..=MAX_HEAPS).contains(&heaps);
        let arrangement = arrangement(game);
        if !fits || game.shrinking.is_some() && arrangement.is_none() {
            return Ok(None);
        }
        Ok(table(game, set).map(|table| FormVerifier {
            game,
            arrangement,
            conditions: Conditions::new(game, numeration, limits),
            set: Arc::new(set.clone()),
            table,
        }))
    }

    /// Returns whether every permutation of the heaps maps the set to itself. Transpositions of
    /// neighbours generate all permutations.
    fn is_symmetric(&self) -> Result<bool, LimitExceeded> {
        for heap in 1..self.game.heap_count() {
            let (one, other) = (of_heap(heap - 1), of_heap(heap));
            let transposed = |track| match track {
                track if track == one => other,
                track if track == other => one,
                track => track,
            };
            let image = self.set.renamed(&transposed, self.budget())?;
            if !image.is_equivalent(&self.set, self.budget())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether the set contains a position.
    fn accepts(&self, position: &[u64]) -> bool {
        self.table.accepts(position)
    }

    /// The limits of all constructions.
    pub fn budget(&self) -> &Budget {
        self.conditions.budget()
    }

    /// Parses a form and compiles each of its disjuncts; `None` if that is impossible, or if
    /// it has no value at some position.
    fn compile(&mut self, words: &str) -> Result<Option<(Bool, Alternatives)>, LimitExceeded> {
        let condition = parse_condition(words)
            .ok()
            .and_then(|tree| condition_in(self.game, &tree, words).ok());
        let Some(condition) = condition else {
            return Ok(None);
        };
        let sets = self.conditions.disjuncts(&condition)?;
        Ok(sets.map(|sets| (condition.node, sets)))
    }

    /// Compiles each disjunct of a form; `None` if it cannot be compiled.
    pub fn alternatives(&mut self, words: &str) -> Result<Option<Alternatives>, LimitExceeded> {
        Ok(self.compile(words)?.map(|(_, sets)| sets))
    }

    /// Compiles a form to one automaton.
    pub fn region(&mut self, words: &str) -> Result<Option<Arc<Dfa>>, LimitExceeded> {
        match self.alternatives(words)? {
            Some(any) => Ok(Some(self.conditions.union(any)?)),
            None => Ok(None),
        }
    }

    /// A position with the fewest digits of a set; `None` if the set is empty or a size
    /// exceeds 64 bits.
    fn shortest_position(&self, of: &Dfa) -> Option<Vec<u64>> {
        let witness = of.witness()?;
        (0..self.game.heap_count())
            .map(|heap| witness.number(of_heap(heap)))
            .collect()
    }

    /// Returns the form if it is equal to the set: each disjunct is included in
    /// the set, and their union covers it.
    pub fn proved(&mut self, words: String) -> Result<Option<Form>, LimitExceeded> {
        let Some((condition, parts)) = self.compile(&words)? else {
            return Ok(None);
        };
        let budget = self.budget();
        let mut rest = self.set.clone();
        for part in parts {
            if part.difference_witness(&self.set, budget)?.is_some() {
                return Ok(None);
            }
            rest = Arc::new(rest.and_not(&part, budget)?);
        }
        Ok(rest.is_empty().then_some(Form { words, condition }))
    }
}

/// The arrangement of a board on which empty heaps vanish; `None` for other boards.
fn arrangement(game: &Game) -> Option<Arrangement> {
    game.shrinking?;
    let graph = ir::lower(game);
    match ir::profile(&graph, &game.facts.termination)
        .hyperedges
        .ok()?
    {
        Hyperedges::Remaining { around, .. } => Some(around),
        Hyperedges::Fixed(_) => None,
    }
}

/// The moduli of candidate expressions.
const MODULI: std::ops::RangeInclusive<u64> = 2..=12;

/// Searches for an expression of the Grundy value of every position, and proves it.
/// `graph` is the automaton of the positions with their values on the track of
/// values. `None` means that none of the candidates is the value.
///
/// # Errors
///
/// A limit is exceeded.
pub fn value_form(
    game: &Game,
    graph: &Dfa,
    limits: &Limits,
) -> Result<Option<String>, LimitExceeded> {
    for words in candidates(graph.numeration()) {
        match is_value(game, &words, graph, limits) {
            Ok(true) => return Ok(Some(words)),
            Ok(false) | Err(ProveError::Unsupported(_)) => {}
            Err(ProveError::LimitExceeded(limit)) => return Err(limit),
        }
    }
    Ok(None)
}

/// The candidate expressions of Grundy values.
fn candidates(numeration: Numeration) -> Vec<String> {
    let mut words = vec!["sum(heaps)".to_owned()];
    if let Numeration::Base(base) = numeration {
        words.push(match base {
            2 => "xor(heaps)".to_owned(),
            base => format!("carryless({base}, heaps)"),
        });
        words.extend(
            (2..=8)
                .filter(|modulus| *modulus != base)
                .map(|modulus| format!("carryless({base}, heaps, {modulus})")),
        );
    }
    for some in ["max(heaps)", "min(heaps)"] {
        words.push(some.to_owned());
        words.push(format!("sum(heaps) - {some}"));
        words.push(format!("sum(heaps) mod 2 + {some} - {some} mod 2"));
    }
    for modulus in MODULI {
        words.push(format!("sum(heaps) mod {modulus}"));
        if numeration == Numeration::Base(2) {
            words.push(format!("xor(x mod {modulus} for x in heaps)"));
        }
    }
    words
}

/// Returns whether an expression is the value of every position.
fn is_value(game: &Game, words: &str, graph: &Dfa, limits: &Limits) -> Result<bool, ProveError> {
    let Some(value) = parse_condition(words)
        .ok()
        .and_then(|tree| number_in(game, &tree, words).ok())
    else {
        return Ok(false);
    };
    gives_values(game, &value, graph, limits)
}
