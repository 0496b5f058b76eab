//! `claim period P from N saltus S of KIND`: the period of a Grundy sequence.

use super::MAX_NUMBER;
use super::{Checker, Problem};
use nimrule_model::game::Statement;
use nimrule_model::source::Span;
use nimrule_syntax::ast::{Expr, Name};

/// The parts of a claim `period`, as written.
pub(super) struct Written<'e> {
    pub period: &'e Expr,
    pub from: &'e Expr,
    pub saltus: Option<&'e Expr>,
    pub kind: Option<&'e Name>,
}

impl Checker<'_> {
    pub(super) fn period_claim(
        &mut self,
        misere: bool,
        written: &Written<'_>,
        at: Span,
    ) -> Option<Statement> {
        if misere {
            self.problem(Problem::Period {
                reason: "under misere play heaps have no values that add up".to_owned(),
                fix: "remove `misere`, or claim the quotient: `claim misere quotient to 9 has \
                      12 elements`",
                at,
            });
            return None;
        }
        let period = self.of_a_period(written.period, 1);
        let from = self.of_a_period(written.from, 0);
        let saltus = written.saltus.map(|saltus| self.of_a_period(saltus, 0));
        let kind = self.heap_claimed(written.kind, at);
        Some(Statement::Period {
            period: period?,
            from: from?,
            saltus: saltus.unwrap_or(Some(0))?,
            kind: kind?,
        })
    }

    fn of_a_period(&mut self, expr: &Expr, least: i64) -> Option<u64> {
        let value = self.constant(expr)?;
        match u64::try_from(value) {
            Ok(number) if value >= least && number <= MAX_NUMBER => Some(number),
            _ => {
                self.problem(Problem::Period {
                    reason: format!("this is {value}"),
                    fix: "the period is at least 1, and starts at the size of a heap",
                    at: expr.span,
                });
                None
            }
        }
    }

    /// The kind of heap of the claim, or the heap where heaps have names.
    fn heap_claimed(&mut self, named: Option<&Name>, at: Span) -> Option<usize> {
        let kinds = self.heap_kinds.as_ref().map(|kinds| kinds.names.clone());
        let names = kinds.clone().unwrap_or_else(|| self.heap_names.clone());
        let Some(name) = named else {
            if kinds.is_some_and(|kinds| kinds.len() > 1) {
                self.problem(Problem::Period {
                    reason: format!("the kinds are {}", names.join(", ")),
                    fix: "name the kind of heap: `claim period 4 from 1 of row`",
                    at,
                });
                return None;
            }
            return Some(0);
        };
        self.names.look_up(&name.node, name.span);
        let found = names.iter().position(|known| *known == name.node);
        if found.is_none() {
            let reason = match nimrule_syntax::nearest(&name.node, names.iter().map(String::as_str))
            {
                Some(near) => nimrule_syntax::did_you_mean(near),
                None if names.is_empty() => "all heaps are of one kind".to_owned(),
                None => format!("there are {}", names.join(", ")),
            };
            self.problem(Problem::Period {
                reason,
                fix: "name a kind of heap, or a heap",
                at: name.span,
            });
        }
        found
    }
}
