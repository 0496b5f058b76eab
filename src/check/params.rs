//! Parameters: their defaults, their ranges, and what `--set` makes of them.

use super::expression::{constant_contains, constant_members, set_is_constant};
use super::names::Meaning;
use super::{CheckProblem, Checker};
use crate::expr::{Num, Set};
use crate::game::ParamValue;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, File, Param, Statement};
use std::collections::BTreeMap;

/// The values that parameters are set to, by name.
pub type Settings = BTreeMap<String, ParamValue>;

/// The value that a written expression stands for by itself, as in
/// `--set n=5` or `--set amounts={1,3,4}`.
pub fn setting(expr: &Expr, text: &str) -> Result<ParamValue, Vec<CheckProblem>> {
    let read = |_: &str| Err("a parameter is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    match checker.param_value(expr) {
        Some(value) if checker.problems.is_empty() => Ok(value),
        _ => Err(checker.problems),
    }
}

impl Checker<'_> {
    pub fn parameters(&mut self, file: &File, settings: &Settings) {
        let mut known = Vec::new();
        for statement in &file.statements {
            let Statement::Param(params) = &statement.node else {
                continue;
            };
            for param in params {
                known.push(param.name.node.clone());
                self.parameter(param, settings.get(&param.name.node));
            }
        }
        for name in settings.keys().filter(|name| !known.contains(name)) {
            let help = match known.as_slice() {
                [] => "this game has no parameters".to_owned(),
                names => format!(
                    "this game's parameters are {}",
                    names
                        .iter()
                        .map(|n| format!("`{n}`"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            };
            self.problem(CheckProblem::UnknownParam {
                name: name.clone(),
                help: Some(help),
            });
        }
    }

    fn parameter(&mut self, param: &Param, setting: Option<&ParamValue>) {
        self.not_taken(&param.name);
        let value = match setting {
            Some(value) => Some(value.clone()),
            None => self.param_value(&param.default),
        };
        let mut fits = true;
        if let Some(written) = &param.range
            && let (Some(range), Some(value)) = (self.set(written), &value)
        {
            // What was set on the command line has no place in the text.
            let at = match setting {
                Some(_) => written.span,
                None => param.default.span,
            };
            fits = self.in_range(&param.name.node, value, &range, written.span, at);
        }
        // What depends on a value that cannot be is forgiven.
        let meaning = match value.filter(|_| fits) {
            Some(value) => {
                self.params.push((param.name.node.clone(), value.clone()));
                Meaning::Param(value)
            }
            None => Meaning::Unknown,
        };
        self.names.bind(&param.name, meaning);
    }

    fn in_range(
        &mut self,
        name: &str,
        value: &ParamValue,
        range: &Set,
        written: Span,
        at: Span,
    ) -> bool {
        let mut fits = true;
        let values: &[i64] = match value {
            ParamValue::Number(value) => &[*value],
            ParamValue::Numbers(values) => values,
            ParamValue::Endless(..) => return true,
        };
        for value in values {
            if constant_contains(range, *value, self.slots) == Ok(false) {
                fits = false;
                let range = self.quote(written);
                self.problem(CheckProblem::OutOfRange {
                    name: name.to_owned(),
                    value: value.to_string(),
                    range,
                    at,
                });
            }
        }
        fits
    }

    fn param_value(&mut self, expr: &Expr) -> Option<ParamValue> {
        let is_set = match &expr.node {
            ExprKind::Braces(_)
            | ExprKind::Range { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_) => true,
            ExprKind::Name(name) => matches!(
                self.names.peek(name),
                Some(Meaning::Param(
                    ParamValue::Numbers(_) | ParamValue::Endless(..)
                ))
            ),
            _ => false,
        };
        if !is_set {
            return self.constant(expr).map(ParamValue::Number);
        }
        let set = self.set(expr)?;
        if !set_is_constant(&set) {
            self.problem(CheckProblem::NotConstant { at: expr.span });
            return None;
        }
        if set.is_endless() {
            return Some(ParamValue::Endless(set, self.quote(expr.span)));
        }
        match constant_members(&set, self.slots) {
            Ok(members) => Some(ParamValue::Numbers(members)),
            Err(fault) => {
                self.problem(CheckProblem::NoValue {
                    fault: fault.to_string(),
                    at: expr.span,
                });
                None
            }
        }
    }

    pub fn suggestion(&mut self, file: &File) -> Option<u64> {
        for statement in &file.statements {
            if let Statement::Suggest(expr) = &statement.node {
                let size = self.constant(expr)?;
                return match u64::try_from(size) {
                    Ok(size) => Some(size),
                    Err(_) => {
                        self.heap_size(size, expr.span);
                        None
                    }
                };
            }
        }
        None
    }
}

impl ParamValue {
    /// The value as the language writes it.
    pub fn written(&self) -> String {
        match self {
            ParamValue::Number(value) => value.to_string(),
            ParamValue::Numbers(values) => {
                let members: Vec<_> = values.iter().map(i64::to_string).collect();
                format!("{{{}}}", members.join(","))
            }
            ParamValue::Endless(_, words) => words.clone(),
        }
    }

    /// The value as a set to choose from.
    pub fn as_set(&self) -> Set {
        match self {
            ParamValue::Number(value) => Set::Items(vec![Num::Const(*value)]),
            ParamValue::Numbers(values) => {
                Set::Items(values.iter().map(|v| Num::Const(*v)).collect())
            }
            ParamValue::Endless(set, _) => set.clone(),
        }
    }
}

/// Values of the parameters, within their ranges, at which a condition holds:
/// `most` of them at the most, those nearest to the defaults first. `fixed` parameters keep their
/// values. Of a range, the first dozen values are tried.
pub fn settings_where(
    file: &File,
    text: &str,
    fixed: &Settings,
    condition: Option<&Expr>,
    most: usize,
) -> Vec<Settings> {
    let mut found: Vec<(i64, Settings)> = Vec::new();
    let params: Vec<&Param> = file
        .statements
        .iter()
        .filter_map(|s| match &s.node {
            Statement::Param(params) => Some(params),
            _ => None,
        })
        .flatten()
        .collect();
    extend(
        &params,
        text,
        fixed,
        condition,
        &mut Settings::new(),
        0,
        &mut found,
    );
    found.sort_by_key(|(sum, _)| *sum);
    found.truncate(most);
    found.into_iter().map(|(_, settings)| settings).collect()
}

/// How many values of one parameter are tried.
const VALUES_TRIED: i64 = 12;

fn extend(
    params: &[&Param],
    text: &str,
    fixed: &Settings,
    condition: Option<&Expr>,
    chosen: &mut Settings,
    sum: i64,
    found: &mut Vec<(i64, Settings)>,
) {
    let read = |_: &str| Err(String::new());
    let mut checker = Checker::new(text, &read);
    let done = chosen.len();
    for param in &params[..done.min(params.len())] {
        checker.parameter(param, chosen.get(&param.name.node));
    }
    let Some(param) = params.get(done) else {
        let holds = condition.is_none_or(|c| checker.constant_truth(c) == Some(true));
        if holds && checker.problems.is_empty() {
            found.push((sum, chosen.clone()));
        }
        return;
    };
    let name = param.name.node.clone();
    if let Some(value) = fixed.get(&name) {
        chosen.insert(name.clone(), value.clone());
        extend(params, text, fixed, condition, chosen, sum, found);
        chosen.remove(&name);
        return;
    }
    let default = checker.param_value(&param.default);
    let range = param.range.as_ref().and_then(|range| checker.set(range));
    let mut values: Vec<i64> = match (&default, &range) {
        (Some(ParamValue::Number(_)), Some(Set::Range(Num::Const(low), high))) => {
            let high = match high {
                Some(Num::Const(high)) => *high,
                _ => i64::MAX,
            };
            (*low..=high.min(low.saturating_add(VALUES_TRIED))).collect()
        }
        (Some(ParamValue::Number(_)), Some(set)) if !set.is_endless() => {
            constant_members(set, checker.slots).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    if let Some(ParamValue::Number(default)) = &default
        && !values.contains(default)
    {
        values.push(*default);
    }
    if values.is_empty() {
        if let Some(value) = default {
            chosen.insert(name.clone(), value);
            extend(params, text, fixed, condition, chosen, sum, found);
            chosen.remove(&name);
        }
        return;
    }
    let usual = match default {
        Some(ParamValue::Number(default)) => default,
        _ => 0,
    };
    for value in values {
        chosen.insert(name.clone(), ParamValue::Number(value));
        let further = sum.saturating_add(value.saturating_sub(usual).saturating_abs());
        extend(params, text, fixed, condition, chosen, further, found);
    }
    chosen.remove(&name);
}
