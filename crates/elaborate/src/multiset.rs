//! Multisets of heaps: `heaps any number`, the positions of heap games.
//!
//! The heaps have no names and no order. A step selects among the heaps of the
//! position, and a position lists their sizes in any order. Only here may a move
//! split a heap.

use super::names::Meaning;
use super::{Checker, MAX_HEAPS, MultisetProblem, Problem};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{Arithmetic, Bool, Fold, List, Num, OfKind, Pick, Set};
use nimrule_model::game::{
    Action, HeapKinds, Leaving, Members, NewHeaps, Number, Parts, Selection, Share,
};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{
    self, Entry, Expr, FamilyName, File, Name, NewSize, Position, PositionForm, Statement, What,
};

/// The most heaps that a move may leave alone at least, where the number of heaps is left open:
/// the proofs count so many.
const MOST_ALONE: usize = 8;

impl Checker<'_> {
    /// Checks `heaps any number` and the kinds that the file declares. Returns
    /// the description of the heaps.
    pub fn multiset_statement(&mut self, file: &File) -> Option<String> {
        let mut kinds = HeapKinds {
            names: Vec::new(),
            states: Vec::new(),
        };
        for statement in &file.statements {
            let Statement::Kinds(names) = &statement.node else {
                continue;
            };
            for name in names {
                self.check_not_taken(name);
                self.names.bind(name, Meaning::Kind(kinds.names.len()));
                kinds.names.push(name.node.clone());
            }
        }
        let line = match kinds.names.as_slice() {
            [] => "any number of heaps".to_owned(),
            names => format!("any number of heaps, each a {}", names.join(" or a ")),
        };
        self.heap_kinds = Some(kinds);
        Some(line)
    }

    /// Reports `kinds` in a game whose positions are not multisets.
    pub fn check_kinds_statement(&mut self, file: &File) {
        if self.heap_kinds.is_some() || self.heaps_are_faulty {
            return;
        }
        for statement in &file.statements {
            if let Statement::Kinds(_) = &statement.node {
                self.problem(MultisetProblem::NeedsBag {
                    what: "a `kinds`",
                    at: statement.span,
                });
            }
        }
    }

    /// Checks a selection among the heaps of a multiset.
    pub fn multiset_selection(
        &mut self,
        selection: &Spanned<ast::Selection>,
        words: String,
    ) -> Option<Selection> {
        let at = selection.span;
        let (number, family) = match &selection.node.what {
            What::UpTo {
                count,
                consecutive: false,
                family,
            } if self.counts_open => (self.all_but(count)?, family),
            _ if self.counts_open => {
                self.not_all_but(at);
                return None;
            }
            What::All(family) => (Number::All, family),
            What::One(family) => (Number::Some { least: 1, most: 1 }, family),
            What::UpTo {
                count,
                consecutive: false,
                family,
            } => {
                let most = self.heaps_chosen(count)?;
                (Number::Some { least: 1, most }, family)
            }
            What::Exactly { count, family } => {
                let exactly = self.heaps_chosen(count)?;
                let number = Number::Some {
                    least: exactly,
                    most: exactly,
                };
                (number, family)
            }
            What::UpTo { .. } | What::Consecutive { .. } | What::HeapAt(_) => {
                self.problem(MultisetProblem::NoPlaces { at });
                return None;
            }
            What::Named { .. } => unreachable!("what was selected before is not selected anew"),
        };
        let kind = match self.kind_of(family)? {
            Some(kind) => OfKind::Only(kind),
            None => self
                .heap_kinds
                .as_ref()
                .map_or(OfKind::Any, HeapKinds::heaps),
        };
        let pick = self.fresh_pick();
        if let Some(name) = &selection.node.bound {
            self.check_not_taken(name);
            let one = matches!(number, Number::Some { most: 1, .. });
            let meaning = if one {
                Meaning::OneHeap(pick)
            } else {
                Meaning::SomeHeaps(pick)
            };
            self.names.bind(name, meaning);
        }
        Some(Selection {
            members: Members::Multiset { number, kind },
            pick,
            words,
            span: selection.span,
        })
    }

    /// Reports a selection that depends on another number of heaps than the one left open.
    fn not_all_but(&mut self, at: Span) {
        let help = "write `heaps any number` for a move that changes a fixed number of heaps";
        self.problem(Problem::Kind {
            wanted: "`up to n - 1 heaps`, or with more than 1, as the number of heaps n is left open",
            found: "another selection".to_owned(),
            at,
            help: Some(help.to_owned()),
        });
    }

    /// The number `n - 1` of heaps, where n is left open.
    fn all_but(&mut self, count: &Expr) -> Option<Number> {
        let number = self.num(count)?;
        let alone = match &number.node {
            Num::Binary(Arithmetic::Subtract, all, alone) => match (&all.node, alone.constant()) {
                (Num::Fold(Fold::Count, list), Some(alone))
                    if list.node == List::Multiset(OfKind::Any) =>
                {
                    usize::try_from(alone).ok()
                }
                _ => None,
            },
            _ => None,
        };
        let Some(alone) = alone.filter(|alone| *alone > 0) else {
            self.not_all_but(count.span);
            return None;
        };
        if alone > MOST_ALONE {
            let found = self.quote(count.span);
            self.problem(Problem::Kind {
                wanted: "`n - j` with a number j of at most 8",
                found: format!("`{found}`"),
                at: count.span,
                help: Some(
                    "where n is left open, a move leaves at least j heaps alone, and at most 8 \
                     of them are counted"
                        .to_owned(),
                ),
            });
            return None;
        }
        if self.least_open <= alone as i64 {
            self.problem(Problem::EmptySelection {
                fix: "choose at least one heap, also where there are the fewest",
                at: count.span,
            });
            return None;
        }
        Some(Number::AllBut(alone))
    }

    fn heaps_chosen(&mut self, count: &Expr) -> Option<usize> {
        let value = self.constant(count)?;
        match usize::try_from(value) {
            Ok(number) if (1..=8).contains(&number) => Some(number),
            Ok(0) | Err(_) => {
                self.problem(Problem::EmptySelection {
                    fix: "choose at least one heap",
                    at: count.span,
                });
                None
            }
            Ok(number) => {
                self.problem(Problem::TooLarge {
                    wanted: format!("{number} heaps of a multiset at once"),
                    there: "8 at the most".to_owned(),
                    at: count.span,
                });
                None
            }
        }
    }

    /// The kind of heap that a family names; `Some(None)` for `heaps`, which
    /// stands for every kind.
    fn kind_of(&mut self, family: &FamilyName) -> Option<Option<usize>> {
        let name = match family {
            FamilyName::Heaps(_) | FamilyName::Tokens(_) => return Some(None),
            FamilyName::Named(name) => name,
            FamilyName::Listed(list) => {
                self.problem(MultisetProblem::NoPlaces { at: list.span });
                return None;
            }
        };
        for word in [Some(name.node.as_str()), name.node.strip_suffix('s')]
            .into_iter()
            .flatten()
        {
            if let Some(Meaning::Kind(kind)) = self.names.peek(word) {
                let kind = *kind;
                self.names.look_up(word, name.span);
                return Some(Some(kind));
            }
        }
        match self.names.look_up(&name.node, name.span) {
            Some(Meaning::Unknown) => {}
            Some(other) => self.problem(Problem::Kind {
                wanted: "`heap`, or a kind of heap",
                found: super::expression::describe(&other).to_owned(),
                at: name.span,
                help: None,
            }),
            None => self.unknown_name(&name.node, name.span),
        }
        None
    }

    /// Adds `leaving R heaps` to a take.
    pub fn leaving(
        &mut self,
        take: Option<Action>,
        written: &ast::Leaving,
        at: Span,
    ) -> Option<Action> {
        let checked = self.parts_left(written, at);
        let Some(Action::Take {
            amount,
            from,
            condition,
            ..
        }) = take
        else {
            return None;
        };
        if !self.is_one_heap(&from.members) || amount.share == Share::Equal {
            self.problem(MultisetProblem::SplitsSeveral { at });
            return None;
        }
        Some(Action::Take {
            amount,
            from,
            leaving: Some(checked?),
            condition,
        })
    }

    fn parts_left(&mut self, written: &ast::Leaving, at: Span) -> Option<Leaving> {
        if self.heap_kinds.is_none() {
            self.require_multiset("`leaving`", at);
            return None;
        }
        let kind = self.kind_of(&written.family)?;
        let range = self.set(&written.heaps)?;
        let at = written.heaps.span;
        let bounds = match &range.node {
            Set::Range(low, Some(high)) => low.constant().zip(high.constant()),
            Set::Items(items) => match items.as_slice() {
                [only] => only.constant().map(|only| (only, only)),
                _ => None,
            },
            _ => None,
        };
        let Some((low, high)) = bounds else {
            self.problem(Problem::Kind {
                wanted: "a number or a range of numbers",
                found: "something else".to_owned(),
                at,
                help: Some("for example `leaving 0..2 heaps`".to_owned()),
            });
            return None;
        };
        match (u64::try_from(low), u64::try_from(high)) {
            (Ok(least), Ok(most)) if least <= most && most <= 8 => {
                Some(Leaving { least, most, kind })
            }
            (Ok(_), Ok(most)) if most > 8 => {
                self.problem(Problem::TooLarge {
                    wanted: format!("{most} heaps left of one"),
                    there: "8 at the most".to_owned(),
                    at,
                });
                None
            }
            _ => {
                self.problem(Problem::NeverHolds {
                    what: "there is no number to choose",
                    at,
                });
                None
            }
        }
    }

    pub(super) fn require_multiset(&mut self, what: &'static str, at: Span) {
        if !self.heaps_are_faulty {
            self.problem(MultisetProblem::NeedsBag { what, at });
        }
    }

    pub(super) fn is_one_heap(&self, members: &Members) -> bool {
        // A name bound by an earlier selection of one heap also selects one.
        members.is_one_heap(|pick| self.names.is_one_heap(pick))
    }

    /// `split one heap into x, y where x != y`
    pub fn split(
        &mut self,
        what: &Spanned<ast::Selection>,
        parts: &ast::Parts,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        if self.heap_kinds.is_none() {
            self.require_multiset("splitting", what.span);
            return None;
        }
        let selection = self.selection(what, super::selection::Untouched::NotAllowed)?;
        if !self.is_one_heap(&selection.members) {
            self.problem(MultisetProblem::SplitsSeveral { at: what.span });
            return None;
        }
        let ast::Parts::Named(names) = parts else {
            return self.split_into_any(selection, condition, known);
        };
        let mut slots = Vec::new();
        for name in names {
            let slot = self.bind_number(name);
            // A name of a part also counts the parts, even if its size is never read.
            self.names.look_up(&name.node, name.span);
            slots.push(slot);
        }
        known.make_room(self.slots);
        for slot in &slots {
            known.set_local(*slot, Interval::from(1));
        }
        let condition = match condition {
            Some(written) => {
                let condition = self.truth(written)?;
                known.make_room(self.slots);
                self.can_hold(&condition, written.span, known);
                known.assume(&condition);
                Some(condition)
            }
            None => None,
        };
        Some(Action::Split {
            what: selection,
            parts: Parts::Named(slots),
            condition,
        })
    }

    /// `split one heap into parts where distinct(each)`
    fn split_into_any(
        &mut self,
        what: Selection,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        known.make_room(self.slots);
        known.total = Interval::from(2);
        self.in_amount_condition = true;
        let condition = self.condition_on_parts(condition, known);
        self.in_amount_condition = false;
        Some(Action::Split {
            what,
            parts: Parts::Any,
            condition: condition?,
        })
    }

    /// The condition on the parts of a heap, which is assumed of later steps.
    fn condition_on_parts(
        &mut self,
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Option<Spanned<Bool>>> {
        let Some(written) = condition else {
            return Some(None);
        };
        let condition = self.truth(written)?;
        known.make_room(self.slots);
        self.can_hold(&condition, written.span, known);
        known.assume(&condition);
        Some(Some(condition))
    }

    /// `replace one heap as h by x in 1..h, h - 1`
    pub fn replace(
        &mut self,
        what: &Spanned<ast::Selection>,
        by: &[ast::NewHeaps],
        condition: Option<&Expr>,
        known: &mut IntervalEnvironment,
    ) -> Option<Action> {
        if self.heap_kinds.is_none() {
            self.require_multiset("replacing", what.span);
            return None;
        }
        let selection = self.selection(what, super::selection::Untouched::NotAllowed)?;
        if !self.is_one_heap(&selection.members) {
            self.problem(MultisetProblem::SplitsSeveral { at: what.span });
            return None;
        }
        // A number of heaps may be written before the name that it reads.
        let mut names = Vec::new();
        let mut sizes = Vec::new();
        for new in by {
            let (name, set) = match &new.size {
                NewSize::In(name, set) => (Some(name.clone()), self.sizes_of_part(name, set)?),
                NewSize::Of(size) => match self.fresh_amount(size) {
                    Some(name) => (Some(name), smaller_sizes(selection.pick, size.span)),
                    None => (None, Set::Items(Vec::new()).into()),
                },
            };
            sizes.push(name.as_ref().map(|name| name.span));
            let Some(name) = name else { continue };
            let slot = self.bind_number(&name);
            // A name also counts the heaps, even if its size is never read.
            self.names.look_up(&name.node, name.span);
            known.make_room(self.slots);
            let chosen = known.set(&set).meet(Interval::NATURALS);
            known.set_local(slot, chosen);
            names.push((slot, set));
        }
        let mut slots = names.iter().map(|(slot, _)| *slot);
        let mut heaps = Vec::new();
        for (new, name) in by.iter().zip(sizes) {
            let size = match (&new.size, name) {
                (_, Some(at)) => slots.next().map(|slot| Spanned::new(Num::Local(slot), at)),
                (NewSize::Of(size) | NewSize::In(_, size), None) => self.num(size),
            };
            let count = match &new.count {
                Some(count) => Some(self.num(count)?),
                None => None,
            };
            let kind = match &new.kind {
                Some(family) => self.kind_of(family)?,
                None => None,
            };
            heaps.push(NewHeaps {
                count,
                size: size?,
                kind,
            });
        }
        known.make_room(self.slots);
        let condition = self.condition_on_parts(condition, known)?;
        Some(Action::Replace {
            what: selection,
            names,
            by: heaps,
            condition,
        })
    }

    /// The finite set of the sizes of a new heap.
    fn sizes_of_part(&mut self, name: &Name, set: &Expr) -> Option<Spanned<Set>> {
        let sizes = self.set(set)?;
        if sizes.is_infinite() {
            self.problem(MultisetProblem::UnboundedHeap {
                name: name.node.clone(),
                at: set.span,
            });
            return None;
        }
        Some(sizes)
    }

    /// The values of the states of a multiset: those that a position names, and initial ones.
    fn values_of_states(
        &mut self,
        kinds: &HeapKinds,
        named: &[(ast::HeapRef, Expr)],
        at: Span,
    ) -> Option<Vec<u64>> {
        let initial = kinds.states.iter().map(|(_, state)| state.initial);
        let mut values: Vec<Option<u64>> = initial.collect();
        let mut seen = Vec::new();
        for (written, value) in named {
            let name = &written.name;
            self.names.look_up(&name.node, name.span);
            let state = kinds
                .states
                .iter()
                .position(|(state, _)| *state == name.node);
            let (Some(state), []) = (state, &written.indices[..]) else {
                let states = kinds.states.iter().map(|(name, _)| format!("`{name}`"));
                let states: Vec<String> = states.collect();
                self.problem(Problem::UnknownName {
                    name: name.node.clone(),
                    at: name.span,
                    help: Some(match states.is_empty() {
                        true => "the game has no states".to_owned(),
                        false => format!("the states are {}", states.join(", ")),
                    }),
                });
                return None;
            };
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == state) {
                let first = Some(*first);
                self.problem(Problem::Taken {
                    name: name.node.clone(),
                    at: name.span,
                    first,
                });
                return None;
            }
            seen.push((state, name.span));
            let number = self.constant(value)?;
            values[state] = Some(self.heap_size(number, value.span)?);
        }
        let missing = values.iter().position(Option::is_none);
        if let Some(missing) = missing {
            let name = &kinds.states[missing].0;
            self.problem(Problem::PositionLength {
                entries: named.len(),
                heaps: values.len(),
                names: format!(
                    "after the heaps the value of the state {name}, as in `{{3,4}} {name}=1`; \
                     `state {name} in … = VALUE` in the file gives it a value that may be left \
                     out"
                ),
                at,
            });
        }
        values.into_iter().collect()
    }

    /// The value of a state of a multiset: the size of its heap, less 1.
    pub(super) fn state_of_multiset(&self, state: usize, at: Span) -> Option<Num> {
        let kind = self.heap_kinds.as_ref()?.of_heaps() + state;
        let list = Spanned::new(List::Multiset(OfKind::Only(kind)), at);
        let size = Spanned::new(Num::Fold(Fold::Sum, list), at);
        let one = Spanned::new(Num::Const(1), at);
        Some(Num::Binary(
            Arithmetic::Subtract,
            Box::new(size),
            Box::new(one),
        ))
    }

    /// A multiset as a position: `{3,4,5}`, or `ring 7 row 3`.
    pub fn multiset_position(
        &mut self,
        position: &Position,
        kinds: &HeapKinds,
    ) -> Option<Vec<u64>> {
        let mut heaps: Vec<(u64, usize)> = Vec::new();
        let none = PositionForm::Multiset(Vec::new());
        let (form, named) = match &position.node {
            PositionForm::WithStates(form, states) => (&**form, states.as_slice()),
            PositionForm::Named(states) if !kinds.states.is_empty() => (&none, states.as_slice()),
            form => (form, &[][..]),
        };
        let states = self.values_of_states(kinds, named, position.span)?;
        match form {
            PositionForm::Tuple(entries) | PositionForm::Multiset(entries)
                if kinds.names.is_empty() || entries.is_empty() =>
            {
                for entry in entries {
                    let Entry::Number(entry) = entry else {
                        self.problem(Problem::Kind {
                            wanted: "the size of a heap",
                            found: "a vertex".to_owned(),
                            at: entry.span(),
                            help: None,
                        });
                        return None;
                    };
                    let value = self.constant(entry)?;
                    heaps.push((self.heap_size(value, entry.span)?, 0));
                }
            }
            PositionForm::Kinds(entries) if !kinds.names.is_empty() => {
                for (name, size) in entries {
                    self.names.look_up(&name.node, name.span);
                    let Some(kind) = kinds.names.iter().position(|kind| *kind == name.node) else {
                        let help = match nimrule_syntax::nearest(
                            &name.node,
                            kinds.names.iter().map(String::as_str),
                        ) {
                            Some(near) => nimrule_syntax::did_you_mean(near),
                            None => format!("the kinds are {}", kinds.names.join(", ")),
                        };
                        self.problem(Problem::UnknownName {
                            name: name.node.clone(),
                            at: name.span,
                            help: Some(help),
                        });
                        return None;
                    };
                    let value = self.constant(size)?;
                    heaps.push((self.heap_size(value, size.span)?, kind));
                }
            }
            _ => {
                let example = match kinds.names.as_slice() {
                    [] => "{3,4,5}".to_owned(),
                    [kind] => format!("{kind} 7 {kind} 3"),
                    [first, second, ..] => format!("{first} 7 {second} 3"),
                };
                self.problem(MultisetProblem::BagPosition {
                    example,
                    at: position.span,
                });
                return None;
            }
        }
        if heaps.len() > MAX_HEAPS {
            self.problem(Problem::HeapNumber {
                count: i64::try_from(heaps.len()).unwrap_or(i64::MAX),
                most: MAX_HEAPS,
                at: position.span,
            });
            return None;
        }
        heaps.retain(|(size, _)| *size > 0);
        for (state, value) in states.into_iter().enumerate() {
            heaps.push((value + 1, kinds.of_heaps() + state));
        }
        let (sizes, of): (Vec<u64>, Vec<usize>) = heaps.iter().copied().unzip();
        self.check_not_excluded(&sizes, &of, position.span)?;
        let mut coded: Vec<u64> = heaps
            .into_iter()
            .map(|(size, kind)| kinds.encode(size, kind))
            .collect();
        coded.sort_unstable();
        Some(coded)
    }
}

/// The sizes of heaps that are smaller than a heap.
fn smaller_sizes(heap: Pick, at: Span) -> Spanned<Set> {
    let number = |num| Spanned::new(num, at);
    let less = Num::Binary(
        Arithmetic::Subtract,
        Box::new(number(Num::SizeOf(heap))),
        Box::new(number(Num::Const(1))),
    );
    Spanned::new(Set::Range(number(Num::Const(0)), Some(number(less))), at)
}
