//! `claim same as GAME(…) under (…) where COND`: reads and checks the other game, whose
//! file is in the same directory, and the image of a position.
//!
//! The claims of the other file are not checked. So files may name each other,
//! and each is read once for a claim.

use super::claims::some_names;
use super::{Checker, MultisetProblem, Problem, Settings, rule_of_file};
use nimrule_model::expr::{Bool, List};
use nimrule_model::game::{Agreement, Facts, Game, PositionKind, Rule, SameAs};
use nimrule_model::source::{Source, Span, Spanned};
use nimrule_syntax::ast::{Expr, ExprKind, Name, Statement};
use nimrule_syntax::{self as syntax, SyntaxProblem};
use std::sync::Arc;

/// A claim as it is written.
pub(super) struct Written<'c> {
    pub agreement: Agreement,
    pub game: &'c Name,
    pub settings: &'c [(Name, Expr)],
    /// `under (…)`
    pub map: Option<&'c Expr>,
    pub condition: Option<&'c Expr>,
}

impl Checker<'_> {
    pub(super) fn same_as(&mut self, claim: &Written<'_>) -> Option<SameAs> {
        let Written {
            agreement,
            game,
            settings,
            ..
        } = *claim;
        let by_matching = agreement == Agreement::Options && claim.map.is_none();
        if by_matching && self.heap_kinds.is_some() {
            self.problem(MultisetProblem::NoPlaces { at: game.span });
            return None;
        }
        let map = match claim.map {
            Some(map) => Some(self.image(map)?),
            None => None,
        };
        let condition = match claim.condition {
            Some(condition) => self.truth(condition),
            None => Some(Spanned::new(Bool::Const(true), game.span)),
        };
        let mut values = Settings::new();
        for (place, (name, value)) in settings.iter().enumerate() {
            let first = settings[..place].iter().find(|(n, _)| n == name);
            if let Some((first, _)) = first {
                self.problem(Problem::Taken {
                    name: name.node.clone(),
                    at: name.span,
                    first: Some(first.span),
                });
            }
            let value = self.param_value(value)?;
            values.insert(name.node.clone(), value);
        }
        let other = match other_game(&game.node, &values, self.read) {
            Ok(other) => other,
            Err(faults) => {
                for fault in faults {
                    self.report_unavailable(game, settings, fault);
                }
                return None;
            }
        };
        let written: Vec<String> = settings
            .iter()
            .filter_map(|(name, _)| {
                let value = values.get(&name.node)?;
                Some(format!("{} = {}", name.node, value.written()))
            })
            .collect();
        self.check_image(claim, map.as_ref(), &other)?;
        let words = if written.is_empty() {
            game.node.clone()
        } else {
            format!("{}({})", game.node, written.join(", "))
        };
        Some(SameAs {
            agreement,
            words,
            map,
            condition: condition?,
            at: game.span,
            other: Game {
                facts: Facts::none(&other),
                rule: other,
            },
        })
    }

    /// The sizes of an image: numbers, a list of them, or a generator.
    fn image(&mut self, map: &Expr) -> Option<Spanned<List>> {
        match &map.node {
            ExprKind::Braces(items) => match items.as_slice() {
                [only] if !self.is_number(only) => self.list(only),
                _ => self.list(map),
            },
            _ => self.list(map),
        }
    }

    /// Reports an image that is never a position of the other game.
    fn check_image(
        &mut self,
        claim: &Written<'_>,
        map: Option<&Spanned<List>>,
        other: &Rule,
    ) -> Option<()> {
        let refused = match (&other.position_kind, &self.heap_kinds, map) {
            (PositionKind::Heaps, None, _) => None,
            (PositionKind::Heaps, Some(_), Some(_)) => None,
            (PositionKind::Multiset(there), Some(here), None) if there == here => None,
            (PositionKind::Multiset(there), _, Some(_)) if there.count() == 1 => None,
            (PositionKind::Multiset(_), _, Some(_)) => {
                Some("its heaps have kinds, or it has states, which `under` does not name")
            }
            (PositionKind::Multiset(_) | PositionKind::Heaps, _, None) => {
                Some("its positions are of another form, and no `under` says where they go")
            }
            _ => Some("its positions are not heaps"),
        };
        // The same options would not be the same game.
        let differs = if other.blocked_options > 0 {
            Some("the opponent may block options: compare outcomes")
        } else if self.partizan || other.has_sides() {
            Some("each side has its own moves: compare outcomes")
        } else {
            None
        };
        let refused = match claim.agreement {
            Agreement::Options if differs.is_some() => differs,
            Agreement::Options if map.is_none() => (other.position_kind != PositionKind::Heaps)
                .then_some("its positions are not heaps in a row"),
            _ => refused,
        };
        if let Some(reason) = refused {
            self.problem(Problem::OtherGame {
                game: claim.game.node.clone(),
                reason: reason.to_owned(),
                at: claim.game.span,
            });
            return None;
        }
        let number = match map.map(|map| &map.node) {
            None if claim.agreement != Agreement::Options => self.heap_names.len(),
            Some(List::Items(items)) => items.len(),
            Some(List::Heaps(heaps)) => heaps.len(),
            _ => return Some(()),
        };
        if other.position_kind == PositionKind::Heaps && number != other.heap_names.len() {
            self.problem(Problem::PositionLength {
                entries: number,
                heaps: other.heap_names.len(),
                names: format!(
                    "those of `{}`: {}",
                    claim.game.node,
                    some_names(&other.heap_names)
                ),
                at: map.map_or(claim.game.span, |map| map.span),
            });
            return None;
        }
        Some(())
    }

    fn report_unavailable(&mut self, game: &Name, settings: &[(Name, Expr)], reason: Unavailable) {
        let setting = |name: &str| settings.iter().find(|(n, _)| n.node == name);
        let problem = match reason {
            Unavailable::Setting(Problem::UnknownParam { name, help, .. }) => {
                let at = setting(&name).map(|(written, _)| written.span);
                Problem::UnknownParam { name, at, help }
            }
            Unavailable::Setting(Problem::OutOfRange {
                name, value, range, ..
            }) => {
                let at = setting(&name).map_or(game.span, |(_, value)| value.span);
                Problem::OutOfRange {
                    name,
                    value,
                    range,
                    at,
                }
            }
            Unavailable::Setting(other) => other,
            Unavailable::Rule(reason) => Problem::OtherGame {
                game: game.node.clone(),
                reason,
                at: game.span,
            },
        };
        self.problem(problem);
    }
}

/// Why the other game is not available.
enum Unavailable {
    /// A parameter cannot have this value.
    Setting(Problem),
    /// The file cannot be read, or has errors.
    Rule(String),
}

/// An error in the text of another file.
pub fn at_line(path: &str, text: &str, at: Option<Span>, what: &dyn std::fmt::Display) -> String {
    let before = at.map_or(0, |at| at.offset().min(text.len()));
    let line = text.as_bytes()[..before]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count();
    format!("line {} of `{path}`: {what}", line + 1)
}

fn other_game(
    name: &str,
    settings: &Settings,
    read: nimrule_model::source::ReadFile<'_>,
) -> Result<Rule, Vec<Unavailable>> {
    let one = |reason: String| vec![Unavailable::Rule(reason)];
    let path = format!("{name}.nimrule");
    let bytes = read(&path).map_err(one)?;
    let text = String::from_utf8(bytes).map_err(|_| one(format!("`{path}` is no text")))?;
    let in_line = |at: Option<Span>, what: &dyn std::fmt::Display| at_line(&path, &text, at, what);
    let mut file = syntax::parse(&text)
        .into_result()
        .map_err(|problems: Vec<SyntaxProblem>| {
            let first = problems.first();
            one(first.map_or_else(
                || format!("`{path}` cannot be read"),
                |problem| in_line(Some(problem.place()), problem),
            ))
        })?;
    file.statements.retain(|statement| {
        !matches!(
            statement.node,
            Statement::Claim(_)
                | Statement::Example(_)
                | Statement::Start(_)
                | Statement::Shown(_)
                | Statement::Suggest(_)
        )
    });
    let rule = match rule_of_file(&file, &text, settings, read) {
        Ok(rule) => Rule {
            text: Arc::new(Source::new(path, text.clone())),
            ..rule
        },
        Err(problems) => {
            let (settings, others): (Vec<_>, Vec<_>) =
                problems.into_iter().partition(|problem| match problem {
                    Problem::UnknownParam { .. } => true,
                    Problem::OutOfRange { name, .. } => settings.contains_key(name),
                    _ => false,
                });
            if !settings.is_empty() {
                return Err(settings.into_iter().map(Unavailable::Setting).collect());
            }
            return Err(others
                .first()
                .map(|problem| Unavailable::Rule(in_line(problem.place(), problem)))
                .into_iter()
                .collect());
        }
    };
    Ok(rule)
}
