//! Names that range over constant sets before there is a position: the heaps of a group
//! with several indices, the sets of a family, `{i * i for i in 1..5}`.
//!
//! What is written once is elaborated once for each value, with the value as the meaning of
//! the name, so all that a constant expression can say may be used.

use super::names::Meaning;
use super::selection::MAX_MEMBERS;
use super::{Checker, Problem};
use nimrule_model::expr::HeapId;
use nimrule_model::source::Spanned;
use nimrule_syntax::ast::{Expr, ExprKind, FamilyName, FamilySets, HeapSet, Name};
use std::ops::Range;

/// The most combinations of values that are tried.
const MOST_COMBINATIONS: usize = 4_000_000;

/// How many names are met before repetitions are forgotten.
const MANY_NAMES: usize = 10_000;

/// What a name ranges over.
enum Domain {
    Numbers(Vec<i64>),
    /// Each number from the first to before the last.
    Range(Range<i64>),
    Heaps(Vec<HeapId>),
}

impl Domain {
    fn meanings(self) -> Box<dyn Iterator<Item = Meaning>> {
        match self {
            Domain::Numbers(values) => Box::new(values.into_iter().map(Meaning::Value)),
            Domain::Range(values) => Box::new(values.map(Meaning::Value)),
            Domain::Heaps(heaps) => Box::new(heaps.into_iter().map(Meaning::Heap)),
        }
    }
}

/// Loops over the values of some names.
struct Loops<'a, 'v, 'c> {
    binders: &'v [(Name, Expr)],
    condition: Option<&'v Expr>,
    visit: &'v mut dyn FnMut(&mut Checker<'a>) -> Option<()>,
    checker: &'c mut Checker<'a>,
    /// Whether each name was used by some combination.
    used: Vec<bool>,
    /// Whether the body was elaborated at all.
    visited: bool,
    combinations: usize,
    names_met: usize,
}

impl Loops<'_, '_, '_> {
    fn run(&mut self, level: usize) -> Option<()> {
        let Some((name, over)) = self.binders.get(level) else {
            return self.body();
        };
        let domain = self.checker.domain(over)?;
        if !self.used[level] {
            self.checker.check_not_taken(name);
        }
        let mark = self.checker.names.mark();
        let mut meanings = domain.meanings();
        let Some(first) = meanings.next() else {
            return Some(());
        };
        self.checker.names.bind(name, first);
        let mut done = self.run(level + 1);
        for meaning in meanings {
            if done.is_none() {
                break;
            }
            self.checker.names.set_last(meaning);
            done = self.run(level + 1);
        }
        self.used[level] |= self.checker.names.close(mark).is_empty();
        done
    }

    fn body(&mut self) -> Option<()> {
        self.combinations += 1;
        if self.combinations > MOST_COMBINATIONS {
            let (first, last) = (&self.binders[0].0, &self.binders[self.binders.len() - 1].1);
            self.checker.problem(Problem::TooMany {
                count: format!("more than {MOST_COMBINATIONS} combinations"),
                most: MOST_COMBINATIONS,
                at: nimrule_model::source::join(first.span, last.span),
            });
            return None;
        }
        if self.checker.names.met() > self.names_met + MANY_NAMES {
            self.checker.names.forget_repeats(self.names_met);
        }
        self.visited = true;
        match self.condition {
            Some(condition) if !self.checker.constant_truth(condition)? => Some(()),
            _ => (self.visit)(self.checker),
        }
    }
}

impl<'a> Checker<'a> {
    /// Calls `visit` for all values of some names that meet a condition, in order, and warns
    /// of names that are not used. `None` if something has an error.
    pub fn for_all(
        &mut self,
        binders: &[(Name, Expr)],
        condition: Option<&Expr>,
        visit: &mut dyn FnMut(&mut Checker<'a>) -> Option<()>,
    ) -> Option<()> {
        let unused = self.loops(binders, condition, visit)?;
        for name in unused {
            self.problem(Problem::Unused {
                name: name.node,
                at: name.span,
            });
        }
        Some(())
    }

    /// [`Checker::for_all`] without warnings. Returns the names that are not used, if there
    /// was a combination of values at all.
    fn loops(
        &mut self,
        binders: &[(Name, Expr)],
        condition: Option<&Expr>,
        visit: &mut dyn FnMut(&mut Checker<'a>) -> Option<()>,
    ) -> Option<Vec<Name>> {
        let names_met = self.names.met();
        let mut loops = Loops {
            binders,
            condition,
            visit,
            checker: self,
            used: vec![false; binders.len()],
            visited: false,
            combinations: 0,
            names_met,
        };
        loops.checker.ranging += 1;
        let done = loops.run(0);
        loops.checker.ranging -= 1;
        let (used, visited) = (loops.used, loops.visited);
        self.names.forget_repeats(names_met);
        done?;
        let unused = binders
            .iter()
            .zip(used)
            .filter(|(_, used)| visited && !used);
        Some(unused.map(|((name, _), _)| name.clone()).collect())
    }

    /// Calls `visit` for all values of some numbers that meet a condition.
    pub fn for_all_numbers(
        &mut self,
        binders: &[(Name, Expr)],
        condition: Option<&Expr>,
        visit: &mut dyn FnMut(&mut Checker<'a>, Vec<i64>) -> Option<()>,
    ) -> Option<()> {
        self.loops(binders, condition, &mut |checker| {
            let value = |(name, _): &(Name, Expr)| match checker.names.peek(&name.node) {
                Some(Meaning::Value(value)) => Some(*value),
                _ => None,
            };
            let values = binders.iter().map(value).collect::<Option<_>>()?;
            visit(checker, values)
        })?;
        Some(())
    }

    /// The heaps or the numbers that a name ranges over: `heaps`, a group, a family of
    /// single heaps, or a constant set.
    fn domain(&mut self, over: &Expr) -> Option<Domain> {
        let family = match &over.node {
            ExprKind::Heaps if self.heap_kinds.is_none() && self.digraph.is_none() => {
                return Some(Domain::Heaps(self.all_heaps()));
            }
            ExprKind::Name(word) => {
                let name = self.name_of_family(word);
                let single = match name.and_then(|name| self.names.peek(name)) {
                    Some(Meaning::Group(_)) => true,
                    Some(Meaning::Family(members)) => members.iter().all(|one| one.len() == 1),
                    Some(_) => false,
                    None => matches!(word.as_str(), "vertices" | "edges" | "faces"),
                };
                single.then(|| FamilyName::Named(Name::new(word.clone(), over.span)))
            }
            _ => None,
        };
        if let Some(family) = family {
            let members = self.family_members(&family)?;
            if members.iter().any(|member| member.len() != 1) {
                self.problem(Problem::Kind {
                    wanted: "heaps, one by one, or numbers",
                    found: "sets of several heaps".to_owned(),
                    at: over.span,
                    help: Some("write `heaps`, the name of a group, or a range".to_owned()),
                });
                return None;
            }
            return Some(Domain::Heaps(members.concat()));
        }
        if let ExprKind::Range {
            low,
            high: Some(high),
        } = &over.node
        {
            let (low, high) = (self.constant(low), self.constant(high));
            return Some(Domain::Range(low?..high?.saturating_add(1)));
        }
        let set = self.finite_set(over)?;
        if !super::expression::set_is_constant(&set) {
            self.problem(Problem::NotConstant {
                help: self.constants_only(),
                at: over.span,
            });
            return None;
        }
        match super::expression::constant_members(&set, self.slots) {
            Ok(members) => Some(Domain::Numbers(members)),
            Err(fault) => self.no_value(fault, over.span),
        }
    }

    /// The heaps that a name ranges over one by one, ascending: `heaps`, a group, or a family
    /// of single heaps.
    pub fn heaps_one_by_one(&mut self, over: &Expr) -> Option<Vec<HeapId>> {
        let mut heaps = match &over.node {
            ExprKind::Heaps if !self.only_tokens => self.all_heaps(),
            _ => match self.domain(over)? {
                Domain::Heaps(heaps) => heaps,
                Domain::Numbers(_) | Domain::Range(_) => {
                    self.problem(Problem::Kind {
                        wanted: "heaps",
                        found: "numbers".to_owned(),
                        at: over.span,
                        help: Some("write `heaps` or the name of a group of heaps".to_owned()),
                    });
                    return None;
                }
            },
        };
        heaps.sort_unstable();
        heaps.dedup();
        Some(heaps)
    }

    /// A set of heaps, ascending. It may be empty only if it is described by a condition.
    pub fn heap_set(&mut self, set: &Spanned<HeapSet>) -> Option<Vec<HeapId>> {
        let mut heaps: Vec<HeapId> = match &set.node {
            HeapSet::Listed(listed) => {
                if listed.is_empty() {
                    self.problem(Problem::EmptySelection {
                        fix: "name the heaps that it holds, or leave it out",
                        at: set.span,
                    });
                }
                let heaps: Vec<Option<HeapId>> =
                    listed.iter().map(|heap| self.heap_ref(heap)).collect();
                heaps.into_iter().collect::<Option<_>>()?
            }
            HeapSet::Those {
                name,
                among,
                condition,
            } => {
                let mut heaps = Vec::new();
                let binder = [(name.clone(), (**among).clone())];
                self.for_all(&binder, Some(condition), &mut |checker| {
                    match checker.names.peek(&name.node) {
                        Some(Meaning::Heap(heap)) => heaps.push(*heap),
                        _ => {
                            checker.problem(Problem::Kind {
                                wanted: "heaps",
                                found: "numbers".to_owned(),
                                at: among.span,
                                help: Some(
                                    "write `heaps` or the name of a group of heaps".to_owned(),
                                ),
                            });
                            return None;
                        }
                    }
                    Some(())
                })?;
                heaps
            }
        };
        heaps.sort_unstable();
        heaps.dedup();
        Some(heaps)
    }

    /// The sets of a family, without those that hold no heap, in the order written.
    pub fn family_sets(&mut self, written: &[FamilySets]) -> Option<Vec<Vec<HeapId>>> {
        let mut sets = Vec::new();
        let mut sound = true;
        for all in written {
            let found = self.for_all(&all.binders, all.condition.as_ref(), &mut |checker| {
                for set in &all.sets {
                    sets.push(checker.heap_set(set)?);
                    if sets.len() > MAX_MEMBERS {
                        checker.problem(Problem::TooMany {
                            count: format!("more than {MAX_MEMBERS}"),
                            most: MAX_MEMBERS,
                            at: set.span,
                        });
                        return None;
                    }
                }
                Some(())
            });
            sound &= found.is_some();
        }
        sound.then(|| super::selection::without_repeats(sets))
    }
}
