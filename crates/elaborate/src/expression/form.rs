//! Forms: patterns of positions, such as `like (a, b, a + b)`.
//!
//! A form is compiled before any position is known. Each entry binds a name,
//! determines one unknown name in which it is linear, or is compared. The order
//! chosen here is the order of matching; the images of a position under the
//! symmetries are enumerated elsewhere.

use super::names_in;
use crate::names::Meaning;
use crate::{Checker, MultisetProblem, Problem};
use nimrule_model::expr::solve::{LinearForm, Unknown};
use nimrule_model::expr::{Bool, Entry, Images, Like, Num, Slot};
use nimrule_model::source::Span;
use nimrule_syntax::ast::{Expr, ExprKind, Name};

impl Checker<'_> {
    pub(super) fn like(
        &mut self,
        at: Span,
        form: &[Expr],
        condition: Option<&Expr>,
    ) -> Option<Bool> {
        let heaps = self.heap_names.len();
        for entry in form {
            names_in(entry, &mut |name, _| self.form_names.push(name.to_owned()));
        }
        if self.heaps_are_faulty {
            return None;
        }
        if self
            .heap_kinds
            .as_ref()
            .is_some_and(|kinds| kinds.of_heaps() > 1)
        {
            self.problem(MultisetProblem::NoPlaces { at });
            return None;
        }
        let images = match self.shrinking {
            None if let Some(kinds) = &self.heap_kinds => Images::Multiset(kinds.heaps()),
            Some(board) => Images::Remaining(board),
            None => Images::Symmetries,
        };
        // Heaps that are not on the shrinking board never vanish.
        let fits = match self.shrinking {
            Some(board) => (heaps - board.count.min(heaps)..=heaps).contains(&form.len()),
            None => form.len() == heaps,
        };
        if !fits && self.heap_kinds.is_none() {
            self.problem(Problem::FormLength {
                entries: form.len(),
                heaps,
                fix: if self.shrinking.is_some() {
                    "a form lists the heaps left on the board, at most all of them, and then \
                     the heaps outside it"
                } else {
                    "write one entry for each heap; a form may be shorter only if empty heaps \
                     vanish"
                },
                at,
            });
            return None;
        }
        let mark = self.names.mark();
        let mut entries: Vec<Option<Entry>> = vec![None; form.len()];
        let mut order = Vec::new();
        let mut faulty = false;
        // Entries that are a lone name bind it; a second occurrence is compared.
        for (place, entry) in form.iter().enumerate() {
            if let ExprKind::Name(name) = &entry.node
                && self.is_fresh_in_form(name)
            {
                let slot = self.bind_form_name(name, entry.span);
                entries[place] = Some(Entry::Bind(slot));
                order.push(place);
            }
        }
        // Then, until nothing changes, entries with at most one unknown name.
        loop {
            let mut progress = false;
            for (place, entry) in form.iter().enumerate() {
                if entries[place].is_some() {
                    continue;
                }
                let mut unknown = Vec::new();
                names_in(entry, &mut |name, span| {
                    if self.is_fresh_in_form(name) && !unknown.iter().any(|(n, _)| n == name) {
                        unknown.push((name.to_owned(), span));
                    }
                });
                let slot = match unknown.as_slice() {
                    [] => None,
                    [(name, span)] => Some(self.bind_form_name(name, *span)),
                    _ => continue,
                };
                progress = true;
                let Some(value) = self.num(entry) else {
                    faulty = true;
                    entries[place] = Some(Entry::Equals(Num::Const(0).into()));
                    continue;
                };
                entries[place] = Some(match slot {
                    None => Entry::Equals(value),
                    Some(slot) => match LinearForm::of(&value, Unknown::Local(slot)) {
                        Some(LinearForm { factor, .. }) if factor != 0 => Entry::Solve {
                            slot,
                            coefficient: factor,
                            value,
                        },
                        _ => {
                            faulty = true;
                            self.problem(Problem::Unsolved {
                                name: unknown.remove(0).0,
                                at: entry.span,
                            });
                            Entry::Equals(value)
                        }
                    },
                });
                order.push(place);
                // A name solved here may determine entries that were skipped before.
                break;
            }
            if !progress {
                break;
            }
        }
        for (place, entry) in form.iter().enumerate() {
            if entries[place].is_none() {
                let mut first = None;
                names_in(entry, &mut |name, _| {
                    if self.is_fresh_in_form(name) {
                        first.get_or_insert(name.to_owned());
                    }
                });
                faulty = true;
                self.problem(Problem::Unsolved {
                    name: first.unwrap_or_default(),
                    at: entry.span,
                });
                // The other entries may be solvable once this one is fixed.
                break;
            }
        }
        let condition = if faulty {
            None
        } else {
            condition.map(|c| self.truth(c))
        };
        // Names of a form are often for the reader only, so they count as used.
        let _ = self.names.close(mark);
        if faulty {
            return None;
        }
        let condition = match condition {
            Some(condition) => Some(condition?),
            None => None,
        };
        Some(Bool::Like(Box::new(Like {
            entries: entries.into_iter().collect::<Option<_>>()?,
            order,
            condition,
            images,
        })))
    }

    /// Whether a name in a form is a new one: neither a parameter nor bound by a
    /// quantifier, a `let` or this form. Names of heaps are not visible in a form,
    /// since it is matched against images of the position.
    fn is_fresh_in_form(&self, name: &str) -> bool {
        matches!(
            self.names.peek(name),
            None | Some(Meaning::Heap(_) | Meaning::Group(..) | Meaning::Family(_))
        )
    }

    fn bind_form_name(&mut self, name: &str, span: Span) -> Slot {
        let slot = self.fresh_slot();
        self.names
            .bind(&Name::new(name.to_owned(), span), Meaning::Number(slot));
        slot
    }
}
