//! Scopes: what names denote, and whether they are used.

use nimrule_model::expr::{HeapId, Pick, Slot};
use nimrule_model::game::ParamValue;
use nimrule_model::source::Span;
use nimrule_syntax::ast::Name;
use std::sync::Arc;

/// What a name denotes.
#[derive(Debug, Clone)]
pub enum Meaning {
    Param(ParamValue),
    Heap(HeapId),
    /// `pile[1..p]`: the heaps and the index of the first.
    Group(Vec<HeapId>, i64),
    Family(Vec<Vec<HeapId>>),
    /// The member of a family that a quantifier ranges over: all members, and the
    /// slot that is bound to its index, from 1.
    Member(Arc<[Vec<HeapId>]>, Slot),
    /// A number of the position that is no heap.
    State(HeapId),
    /// A kind of heap of a multiset.
    Kind(usize),
    Number(Slot),
    /// One heap that a step selected.
    OneHeap(Pick),
    /// Several heaps that a step selected.
    SomeHeaps(Pick),
    /// Bound by something with an error: uses of it are not reported.
    Unknown,
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

/// The names in scope, the innermost last.
#[derive(Debug, Default)]
pub struct Names {
    bound: Vec<Bound>,
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
            Meaning::Heap(_) | Meaning::Group(..) | Meaning::Unknown
        );
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

    /// Looks up a name and marks it as used.
    pub fn look_up(&mut self, name: &str) -> Option<Meaning> {
        let bound = self.bound.iter_mut().rev().find(|b| b.name == name)?;
        bound.used = true;
        Some(bound.meaning.clone())
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
