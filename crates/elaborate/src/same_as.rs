//! `claim same as GAME(…) where COND`: reads and checks the other game, whose
//! file is in the same directory.
//!
//! The claims of the other file are not checked. So files may name each other,
//! and each is read once for a claim.

use super::{Checker, MultisetProblem, Problem, Settings, rule_of_file};
use nimrule_model::expr::Bool;
use nimrule_model::game::{Facts, Game, PositionKind, Rule, SameAs};
use nimrule_model::source::{Source, Span, Spanned};
use nimrule_syntax::ast::{Expr, Name, Statement};
use nimrule_syntax::{self as syntax, SyntaxProblem};
use std::sync::Arc;

impl Checker<'_> {
    pub(super) fn same_as(
        &mut self,
        game: &Name,
        settings: &[(Name, Expr)],
        condition: Option<&Expr>,
    ) -> Option<SameAs> {
        if self.heap_kinds.is_some() {
            self.problem(MultisetProblem::NoPlaces { at: game.span });
            return None;
        }
        let condition = match condition {
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
        let words = if written.is_empty() {
            game.node.clone()
        } else {
            format!("{}({})", game.node, written.join(", "))
        };
        Some(SameAs {
            words,
            condition: condition?,
            at: game.span,
            other: Game {
                facts: Facts::none(&other),
                rule: other,
            },
        })
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
    if rule.position_kind != PositionKind::Heaps {
        return Err(one("its positions are not heaps in a row".to_owned()));
    }
    Ok(rule)
}
