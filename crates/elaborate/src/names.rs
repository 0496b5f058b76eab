//! Scopes: what names denote, and whether they are used.

use super::heaps::plural;
use nimrule_model::expr::{HeapId, Pick, Slot};
use nimrule_model::game::ParamValue;
use nimrule_model::group::Group;
use nimrule_model::source::Span;
use nimrule_syntax::ast::Name;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// What a name denotes.
#[derive(Debug, Clone)]
pub enum Meaning {
    Param(ParamValue),
    Heap(HeapId),
    /// `pile[1..p]`
    Group(Arc<Group>),
    Family(Vec<Vec<HeapId>>),
    /// `family … of v`: the sets of each heap.
    FamilyOf(Arc<[Vec<Vec<HeapId>>]>),
    /// The member of a family that a quantifier ranges over: all members, and the
    /// slot that is bound to its index, from 1.
    Member(Arc<[Vec<HeapId>]>, Slot),
    /// A number of the position that is no heap.
    State(HeapId),
    /// A state of a multiset, by its index.
    StateOfMultiset(usize),
    /// A kind of heap of a multiset.
    Kind(usize),
    Number(Slot),
    /// The value that a name has while its constant set is gone through.
    Value(i64),
    /// One heap that a step selected.
    OneHeap(Pick),
    /// Several heaps that a step selected.
    SomeHeaps(Pick),
    /// Bound by something with an error: uses of it are not reported.
    Unknown,
}

/// A name that cannot be written, for what has none.
pub fn hidden(at: Span) -> Name {
    Name::new(at.offset().to_string(), at)
}

/// Whether a name cannot be written.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_digit())
}

/// The number of members of a family, and of its heaps, that are listed.
const MOST_LISTED: usize = 12;

/// Which of the numbers of a position are vertices of tokens.
pub struct Tokens<'c> {
    /// The indices of the tokens.
    pub tokens: Range<usize>,
    /// The selections of tokens.
    pub picks: &'c BTreeSet<Pick>,
}

impl Tokens<'_> {
    fn noun(&self, heap: HeapId) -> &'static str {
        match self.tokens.contains(&heap.index()) {
            true => "token",
            false => "heap",
        }
    }

    fn picked(&self, pick: Pick) -> &'static str {
        match self.picks.contains(&pick) {
            true => "token",
            false => "heap",
        }
    }
}

impl Meaning {
    /// What the name denotes, as a phrase: `the parameter 5`.
    fn in_words(&self, heap_names: &[String], tokens: &Tokens<'_>) -> String {
        let name = |heap: &HeapId| match heap_names.get(heap.index()) {
            Some(name) => name.clone(),
            None => format!("heap {}", heap.index() + 1),
        };
        let listed = |heaps: &[HeapId], gap: &str| {
            let mut names: Vec<String> = heaps.iter().take(MOST_LISTED).map(name).collect();
            if heaps.len() > MOST_LISTED {
                names.push("…".to_owned());
            }
            names.join(gap)
        };
        let sets = |members: &[Vec<HeapId>]| {
            let mut sets: Vec<String> = (members.iter().take(MOST_LISTED))
                .map(|member| format!("{{{}}}", listed(member, " ")))
                .collect();
            if members.len() > MOST_LISTED {
                sets.push("…".to_owned());
            }
            sets.join(", ")
        };
        match self {
            Meaning::Param(value) => format!("a parameter, here {}", value.written()),
            Meaning::Heap(heap) => format!("a {}", tokens.noun(*heap)),
            Meaning::Group(group) => {
                let heaps = &group.heaps;
                let noun = heaps.first().map_or("heap", |heap| tokens.noun(*heap));
                format!("{}: {}", plural(heaps.len(), noun), listed(heaps, ", "))
            }
            Meaning::FamilyOf(_) => "a family of sets of heaps for each heap".to_owned(),
            Meaning::Family(members) => {
                format!(
                    "a family of {} sets of heaps: {}",
                    members.len(),
                    sets(members)
                )
            }
            Meaning::Member(members, _) => {
                format!("a member of a family: one of {}", sets(members))
            }
            Meaning::State(_) | Meaning::StateOfMultiset(_) => {
                "a state: a number of the position that is not a heap".to_owned()
            }
            Meaning::Kind(_) => "a kind of heap".to_owned(),
            Meaning::Number(_) | Meaning::Value(_) => "a number".to_owned(),
            Meaning::OneHeap(pick) => format!("the {} that the step selects", tokens.picked(*pick)),
            Meaning::SomeHeaps(pick) => {
                format!("the {}s that the step selects", tokens.picked(*pick))
            }
            Meaning::Unknown => "a name whose statement has an error".to_owned(),
        }
    }
}

/// A name in the text of a rule, where it is bound or used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The place of the name. A plural of it may be written there.
    pub at: Span,
    /// The place where it is bound, which is the same at the binding itself; `None` for
    /// heaps named after the cells of a board.
    pub definition: Option<Span>,
    /// What it denotes, as a phrase such as `the heap that the step selects`.
    pub meaning: String,
}

#[derive(Debug, Clone)]
struct Bound {
    name: String,
    meaning: Meaning,
    /// The place of the binding; heaps named after cells of a board have none.
    at: Option<Span>,
    used: bool,
    /// Whether an unused binding is worth a warning.
    wants_use: bool,
}

/// A name in the text.
#[derive(Debug, Clone)]
struct Occurrence {
    at: Span,
    definition: Option<Span>,
    meaning: Meaning,
}

/// The names in scope, the innermost last.
#[derive(Debug, Default)]
pub struct Names {
    bound: Vec<Bound>,
    /// All that were bound or used so far, in scope or not.
    occurrences: Vec<Occurrence>,
}

impl Names {
    /// Whether a selection was bound to the name of a single heap.
    pub fn is_one_heap(&self, pick: Pick) -> bool {
        self.bound
            .iter()
            .any(|bound| matches!(bound.meaning, Meaning::OneHeap(known) if known == pick))
    }

    pub fn bind(&mut self, name: &Name, meaning: Meaning) {
        let wants_use = !matches!(
            meaning,
            Meaning::Heap(_) | Meaning::Group(_) | Meaning::Unknown
        );
        if !is_hidden(&name.node) {
            self.occurrences.push(Occurrence {
                at: name.span,
                definition: Some(name.span),
                meaning: meaning.clone(),
            });
        }
        self.bound.push(Bound {
            name: name.node.clone(),
            meaning,
            at: Some(name.span),
            used: false,
            wants_use,
        });
    }

    /// Binds the name of a heap that does not occur in the text.
    pub fn bind_heap(&mut self, name: &str, heap: HeapId) {
        self.bound.push(Bound {
            name: name.to_owned(),
            meaning: Meaning::Heap(heap),
            at: None,
            used: false,
            wants_use: false,
        });
    }

    /// Binds a name that a statement with an error may declare. A later binding of
    /// the same name is no clash.
    pub fn bind_unknown(&mut self, name: &str) {
        self.bound.push(Bound {
            name: name.to_owned(),
            meaning: Meaning::Unknown,
            at: None,
            used: false,
            wants_use: false,
        });
    }

    /// Looks up a name that is written at `at`, and marks it as used.
    pub fn look_up(&mut self, name: &str, at: Span) -> Option<Meaning> {
        let bound = self.bound.iter_mut().rev().find(|b| b.name == name)?;
        bound.used = true;
        self.occurrences.push(Occurrence {
            at,
            definition: bound.at,
            meaning: bound.meaning.clone(),
        });
        Some(bound.meaning.clone())
    }

    /// Records the use of a number whose scope has ended, as of a coordinate in `t.r`.
    pub fn use_closed(&mut self, name: &Name, text: &str) {
        let is_bound = |occurrence: &&Occurrence| {
            let at = occurrence.at;
            occurrence.definition == Some(at)
                && matches!(occurrence.meaning, Meaning::Number(_) | Meaning::Value(_))
                && text.get(at.offset()..at.offset() + at.len()) == Some(name.node.as_str())
        };
        if let Some(bound) = self.occurrences.iter().find(is_bound).cloned() {
            self.occurrences.push(Occurrence {
                at: name.span,
                ..bound
            });
        }
    }

    /// The places at which names are bound or used, in the order of the text.
    pub fn into_uses(self, heap_names: &[String], tokens: &Tokens<'_>) -> Vec<NameUse> {
        let mut uses: Vec<NameUse> = self
            .occurrences
            .into_iter()
            .map(|occurrence| NameUse {
                at: occurrence.at,
                definition: occurrence.definition,
                meaning: occurrence.meaning.in_words(heap_names, tokens),
            })
            .collect();
        uses.sort_by_key(|found| (found.at.offset(), found.at.len()));
        // An expression that is read twice is one use.
        uses.dedup_by_key(|found| found.at);
        uses
    }

    /// Looks up a name without marking it as used.
    pub fn peek(&self, name: &str) -> Option<&Meaning> {
        self.bound
            .iter()
            .rev()
            .find(|b| b.name == name)
            .map(|b| &b.meaning)
    }

    /// The binding that a second binding of `name` would clash with: its place, if
    /// it has one.
    pub fn taken(&self, name: &str) -> Option<Option<Span>> {
        self.bound
            .iter()
            .rev()
            .find(|b| b.name == name)
            .filter(|b| b.at.is_some() || !matches!(b.meaning, Meaning::Unknown))
            .map(|b| b.at)
    }

    /// Gives the innermost name another meaning.
    pub fn set_last(&mut self, meaning: Meaning) {
        if let Some(last) = self.bound.last_mut() {
            last.meaning = meaning;
        }
    }

    /// The number of names met so far, to be passed to [`Names::forget_repeats`].
    pub fn met(&self) -> usize {
        self.occurrences.len()
    }

    /// Keeps the first of the names met since `from` at each place of the text. What is
    /// evaluated again and again would fill the memory otherwise.
    pub fn forget_repeats(&mut self, from: usize) {
        let mut seen = BTreeSet::new();
        let late = self.occurrences.split_off(from);
        self.occurrences.extend(
            late.into_iter()
                .filter(|met| seen.insert((met.at.offset(), met.at.len()))),
        );
    }

    /// The current depth, to be passed to [`Names::close`] when the scope ends.
    pub fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Ends the scope begun at `mark`. Returns the unused names.
    pub fn close(&mut self, mark: usize) -> Vec<(String, Span)> {
        self.bound
            .drain(mark..)
            .filter(|b| b.wants_use && !b.used && !b.name.starts_with('_'))
            .filter_map(|b| Some((b.name, b.at?)))
            .collect()
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, &Meaning)> {
        self.bound.iter().map(|b| (b.name.as_str(), &b.meaning))
    }
}
