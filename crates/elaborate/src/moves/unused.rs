//! Names of numbers of tokens that nothing reads: `take odd from n` would take any number.
//!
//! Such a name says nothing, although its word may seem to, so that the rule would be of another
//! game. Other names that are not used are warned of.

use crate::names::Meaning;
use crate::{Checker, Problem};
use nimrule_model::expr::NamedSet;
use nimrule_model::game::ParamValue;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, ExprKind};
use nimrule_syntax::{NUMBER_WORDS, Replacement, did_you_mean, nearest, token_places};
use std::ops::Range;

/// What a word for a number of tokens may mean.
enum Word {
    /// The remainder by 2.
    Parity(u8),
    Half,
    Most,
    Few,
    Any,
    Number(usize),
}

impl Word {
    fn of(name: &str) -> Option<Word> {
        Some(match name {
            "odd" | "odds" => Word::Parity(1),
            "even" | "evens" => Word::Parity(0),
            "half" => Word::Half,
            "most" => Word::Most,
            "few" => Word::Few,
            "any" | "anything" | "several" | "number" | "numbers" | "token" | "coins"
            | "stones" => Word::Any,
            _ => Word::Number(NUMBER_WORDS.iter().position(|word| *word == name)? + 2),
        })
    }
}

/// A `take` that binds a name.
#[derive(Clone, Copy)]
struct Take<'s> {
    step: &'s Spanned<ast::Step>,
    amount: &'s ast::Expr,
    from: &'s Spanned<ast::Selection>,
    condition: Option<&'s ast::Expr>,
    is_equal: bool,
}

impl<'s> Take<'s> {
    /// The step, if it takes an amount that is written.
    fn of(step: &'s Spanned<ast::Step>) -> Option<Take<'s>> {
        let ast::Action::Take {
            amount,
            from,
            condition,
            ..
        } = &step.node.action
        else {
            return None;
        };
        let (amount, is_equal) = match amount {
            ast::Amount::Of(amount) => (amount, false),
            ast::Amount::Equal(_, Some(amount)) => (amount, true),
            _ => return None,
        };
        Some(Take {
            step,
            amount,
            from,
            condition: condition.as_ref(),
            is_equal,
        })
    }

    fn is_from_one_heap(self) -> bool {
        matches!(
            &self.from.node.what,
            ast::What::One(ast::FamilyName::Heaps(_))
                | ast::What::HeapAt(_)
                | ast::What::Named { .. }
        )
    }
}

fn range(span: Span) -> Range<usize> {
    span.offset()..span.offset() + span.len()
}

impl Checker<'_> {
    /// Ends a scope of a move, which `at` is the place of. A name for the number of tokens taken
    /// that nothing reads is an error if the move has no other, and any other name is warned of.
    pub(super) fn close_scope_of_move(
        &mut self,
        mark: usize,
        (mover, at): (&ast::Move, Span),
        has_errors: bool,
    ) {
        for (name, bound) in self.names.close(mark) {
            let mut takes = mover.steps.iter().filter_map(Take::of);
            match takes.find(|take| take.amount.span == bound) {
                Some(take) if !has_errors && self.is_written_once(&name, at) => {
                    self.unused_amount(take, name);
                }
                _ => self.problem(Problem::Unused { name, at: bound }),
            }
        }
    }

    /// Reports words such as `odd` among the names of new heaps, which need not be read: there
    /// they would stand for any size.
    pub(super) fn words_as_sizes(&mut self, mover: &ast::Move, at: Span) {
        for step in &mover.steps {
            let names: Vec<ast::Name> = match &step.node.action {
                ast::Action::Split {
                    parts: ast::Parts::Named(names),
                    ..
                } => names.clone(),
                ast::Action::Replace { by, .. } => {
                    let of_size = by.iter().filter_map(|new| match &new.size {
                        ast::NewSize::Of(size) => match &size.node {
                            ExprKind::Name(name) if self.names.peek(name).is_none() => {
                                Some(ast::Name::new(name.clone(), size.span))
                            }
                            _ => None,
                        },
                        ast::NewSize::In(..) => None,
                    });
                    of_size.collect()
                }
                _ => continue,
            };
            for name in names {
                if Word::of(&name.node).is_some() && self.is_written_once(&name.node, at) {
                    let example = match Word::of(&name.node) {
                        Some(Word::Parity(rest)) => {
                            format!("a condition, as in `where {} mod 2 == {rest}`", name.node)
                        }
                        Some(Word::Half) => "`h div 2` of a heap `as h`".to_owned(),
                        _ => format!("a condition, as in `where {} <= 3`", name.node),
                    };
                    self.problem(Problem::UnusedAmount {
                        at: name.span,
                        help: format!("for a certain size write {example}; or write another name"),
                        what: "heap size",
                        name: name.node,
                        fix: None,
                    });
                }
            }
        }
    }

    /// Whether a word stands at one place only of a part of the text.
    fn is_written_once(&self, word: &str, within: Span) -> bool {
        let text = &self.text[range(within)];
        let places = token_places(text).into_iter();
        places.filter(|at| &text[at.clone()] == word).count() == 1
    }

    fn unused_amount(&mut self, take: Take<'_>, name: String) {
        let any = || self.rewritten(take, None, "", None);
        let certain = |with: Option<String>| {
            let with = with?;
            let at = take.step.span;
            Some((format!("write `{with}`"), Some(Replacement { at, with })))
        };
        let found = match Word::of(&name) {
            Some(Word::Parity(rest)) if take.is_equal || take.is_from_one_heap() => {
                let number = self.free_name("t");
                certain(self.rewritten(
                    take,
                    Some(&number),
                    &format!("{number} mod 2 == {rest}"),
                    None,
                ))
            }
            Some(Word::Parity(rest)) => {
                let with = |number: &str| {
                    self.rewritten(take, None, &format!("{number} mod 2 == {rest}"), None)
                };
                let both = with("total").zip(with("each"));
                both.map(|(total, each)| {
                    let word = name.trim_end_matches('s');
                    let help = format!(
                        "for an {word} number in all write `{total}`, and for an {word} number \
                         from each heap `{each}`"
                    );
                    (help, None)
                })
            }
            Some(Word::Number(number)) => {
                certain(self.rewritten(take, Some(&number.to_string()), "", None))
            }
            Some(Word::Any) => certain(any()),
            Some(Word::Few) => {
                let few = self.rewritten(take, Some("1..3"), "", None);
                few.map(|few| (format!("for at most 3 tokens write `{few}`"), None))
            }
            Some(word @ (Word::Half | Word::Most)) => {
                self.part_of_heap(take, &word).map(|help| (help, None))
            }
            None => self
                .misspelt_amount(&name)
                .map(|meant| (did_you_mean(&meant), None)),
        };
        let (help, fix) = found.unwrap_or_else(|| {
            let reads = "a name is for a number that a condition or a later step reads";
            match any() {
                Some(with) => {
                    let help = format!("to take any number write `{with}`; {reads}");
                    let at = take.step.span;
                    // A longer word may mean something else.
                    let fix = (name.chars().count() < 3).then_some(Replacement { at, with });
                    (help, fix)
                }
                None => (reads.to_owned(), None),
            }
        });
        self.problem(Problem::UnusedAmount {
            at: take.amount.span,
            what: "number of tokens",
            name,
            help,
            fix,
        });
    }

    /// Half or most of a heap, where the heap has a name or may be given one.
    fn part_of_heap(&self, take: Take<'_>, word: &Word) -> Option<String> {
        let number = self.free_name("t");
        let (heap, name) = match (&take.from.node.bound, &take.from.node.what) {
            (Some(bound), _) => (bound.node.clone(), None),
            (None, ast::What::Named { name, indices }) if indices.is_empty() => {
                (name.node.clone(), None)
            }
            _ => {
                let heap = self.free_name("h");
                (heap.clone(), Some(heap))
            }
        };
        if !take.is_from_one_heap() {
            return None;
        }
        let with = |compared: &str| {
            let condition = format!("2*{number} {compared} {heap}");
            self.rewritten(take, Some(&number), &condition, name.as_deref())
        };
        Some(match word {
            Word::Half => format!(
                "for half of the heap write `{}`, and for at most half `{}`",
                with("==")?,
                with("<=")?
            ),
            _ => format!("for more than half of the heap write `{}`", with(">")?),
        })
    }

    /// A number or a set with a similar name.
    fn misspelt_amount(&self, name: &str) -> Option<String> {
        let numbers = self.names.all().filter(|(_, meaning)| {
            matches!(
                meaning,
                Meaning::Number(_)
                    | Meaning::Value(_)
                    | Meaning::Param(
                        ParamValue::Number(1..)
                            | ParamValue::Numbers(_)
                            | ParamValue::InfiniteSet(..)
                    )
            )
        });
        let mut known: Vec<&str> = numbers.map(|(known, _)| known).collect();
        known.extend(NamedSet::ALL.map(NamedSet::word));
        nearest(name, known).map(str::to_owned)
    }

    /// A name that the text does not have.
    fn free_name(&self, wanted: &str) -> String {
        let is_free = |name: &String| {
            let mut places = token_places(self.text).into_iter();
            !places.any(|at| &self.text[at] == name)
        };
        let wanted = wanted.to_owned();
        let numbered = (1..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        names.find(is_free).unwrap_or(wanted)
    }

    /// The text of a step with another amount or none, with one more condition if it is not
    /// empty, and with a name for the heaps. `None` if a comment stands within the step.
    fn rewritten(
        &self,
        take: Take<'_>,
        amount: Option<&str>,
        condition: &str,
        heap: Option<&str>,
    ) -> Option<String> {
        let whole = range(take.step.span);
        if self.text[whole.clone()].contains("//") {
            return None;
        }
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let mut written = range(take.amount.span);
        let before = self.text[whole.start..written.start].trim_end();
        if amount.is_none() {
            written.start = whole.start + before.len();
        }
        edits.push((written, amount.unwrap_or_default().to_owned()));
        if let Some(heap) = heap {
            let end = range(take.from.span).end;
            edits.push((end..end, format!(" as {heap}")));
        }
        match take.condition {
            _ if condition.is_empty() => {}
            None => edits.push((whole.end..whole.end, format!(" where {condition}"))),
            Some(old) => {
                let at = range(old.span);
                let old_text = &self.text[at.clone()];
                let both = match old.node {
                    ExprKind::Compare { .. } => format!("{condition} and {old_text}"),
                    _ => format!("{condition} and ({old_text})"),
                };
                edits.push((at, both));
            }
        }
        let mut text = self.text[whole.clone()].to_owned();
        edits.sort_by_key(|(at, _)| at.start);
        for (at, with) in edits.into_iter().rev() {
            text.replace_range(at.start - whole.start..at.end - whole.start, &with);
        }
        Some(text)
    }
}
