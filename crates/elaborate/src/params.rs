//! Parameters: defaults, ranges, and values set by the user (`--set`).

use super::expression::{constant_contains, constant_members, set_is_constant};
use super::names::Meaning;
use super::{CheckProblem, Checker, Problem, problem};
use nimrule_model::expr::Set;
use nimrule_model::game::{OPEN, ParamValue};
use nimrule_model::source::{ReadFile, Span, Spanned};
use nimrule_syntax::ast::{Default, Expr, ExprKind, File, Function, Param, Statement};
use std::collections::BTreeMap;

/// The values that the user sets parameters to, by name.
pub type Settings = BTreeMap<String, ParamValue>;

/// The value of a constant expression, as in `--set n=5` or
/// `--set amounts={1,3,4}`.
///
/// # Errors
///
/// Why the expression is no constant; the places are in `text`.
pub fn setting(expr: &Expr, text: &str) -> Result<ParamValue, Vec<CheckProblem>> {
    let read = |_: &str| Err("a parameter is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    match checker.param_value(expr) {
        Some(value) if checker.problems.is_empty() => Ok(value),
        _ => Err(problem::public(checker.problems)),
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
        if self.may_have_lost(&["param"]) {
            return;
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
            self.problem(Problem::UnknownParam {
                name: name.clone(),
                at: None,
                help: Some(help),
            });
        }
    }

    fn parameter(&mut self, param: &Param, setting: Option<&ParamValue>) {
        self.check_not_taken(&param.name);
        let is_list = matches!(&param.default, Default::Value(expr) if matches!(expr.node, ExprKind::Tuple(_)));
        let value = match setting {
            // A number in brackets is a number.
            Some(ParamValue::Number(value)) if is_list => Some(ParamValue::List(vec![*value])),
            Some(value) => Some(value.clone()),
            None => self.default_of(param),
        };
        let mut fits = true;
        if let (Some(value), Some(_)) = (&value, setting) {
            let is_code = matches!(value, ParamValue::Code(_));
            let takes_code = matches!(param.default, Default::Code(_));
            // A list cannot be left open either.
            if is_code != takes_code || is_list != matches!(value, ParamValue::List(_)) {
                self.problem(Problem::Kind {
                    wanted: match (takes_code, is_list) {
                        (true, _) => "an octal code, such as `0.137`",
                        (false, true) => "a list, such as `(3,1,3)`",
                        (false, false) => "a number or a set",
                    },
                    found: format!("`{}`", value.written()),
                    at: param.default.span(),
                    help: Some("set the parameter to a value like its default".to_owned()),
                });
                fits = false;
            }
        }
        if let Some(written) = &param.range
            && let (Some(range), Some(value)) = (self.set(written), &value)
        {
            // A value set on the command line has no place in the text.
            let at = match setting {
                Some(_) => written.span,
                None => param.default.span(),
            };
            fits &= self.in_range(&param.name.node, value, &range, written.span, at);
        }
        // Errors that follow from an invalid value are not reported.
        let meaning = match value.filter(|_| fits) {
            Some(value) => {
                self.params.push((param.name.node.clone(), value.clone()));
                Meaning::Param(value)
            }
            None => Meaning::Unknown,
        };
        self.names.bind(&param.name, meaning);
    }

    /// Reports a parameter that is left open, but does not say how many heaps there are, and
    /// statements that a game with an open number of heaps cannot have.
    pub fn check_open_parameter(&mut self, file: &File) {
        let open = self
            .params
            .iter()
            .filter(|(_, value)| *value == ParamValue::Open);
        let open: Vec<String> = open.map(|(name, _)| name.clone()).collect();
        let Some(last) = open.last() else {
            return;
        };
        if (open.len() > 1 || !self.counts_open) && !self.heaps_are_faulty {
            let param = params_of(file).into_iter().find(|of| of.name.node == *last);
            self.not_open(param.map_or(self.beginning(file), |of| of.name.span));
        }
        for statement in &file.statements {
            if matches!(
                statement.node,
                Statement::State { .. } | Statement::Kinds(_)
            ) {
                self.not_open(statement.span);
            }
        }
    }

    /// Reports what cannot be where a parameter is left open.
    pub fn not_open(&mut self, at: Span) {
        self.problem(Problem::Kind {
            wanted: "a number",
            found: format!("`{OPEN}`, every number at once"),
            at,
            help: Some(format!(
                "`{OPEN}` is for the one parameter that says how many loose heaps there are, as in \
                 `heaps n`; nothing else depends on it but claims, and moves by `up to n - 1 heaps`"
            )),
        });
    }

    fn in_range(
        &mut self,
        name: &str,
        value: &ParamValue,
        range: &Spanned<Set>,
        written: Span,
        at: Span,
    ) -> bool {
        let mut fits = true;
        let values: &[i64] = match value {
            ParamValue::Number(value) => &[*value],
            ParamValue::Numbers(values) | ParamValue::List(values) => values,
            // The grammar allows no range for a code.
            ParamValue::Code(_) => return true,
            ParamValue::Open => match &range.node {
                Set::Range(low, None) => {
                    self.least_open = low.constant().unwrap_or(1).max(1);
                    return true;
                }
                _ => {
                    let range = self.quote(written);
                    self.problem(Problem::Kind {
                        wanted: "a range of all numbers from some number on, such as `2..`",
                        found: format!("`{range}`"),
                        at: written,
                        help: Some(format!(
                            "`{name}={OPEN}` is about every number at once, so that the range of \
                             `{name}` must have no end"
                        )),
                    });
                    return false;
                }
            },
            ParamValue::InfiniteSet(set, words) => {
                // In a range without an end, an infinite set needs only its least member checked.
                let first = match &set.node {
                    Set::Range(low, None) => low.constant().unwrap_or(1),
                    Set::Named(named) => named.members().next().unwrap_or(0),
                    _ => 1,
                };
                let fits =
                    range.is_infinite() && constant_contains(range, first, self.slots) == Ok(true);
                if !fits {
                    let range = self.quote(written);
                    self.problem(Problem::OutOfRange {
                        name: name.to_owned(),
                        value: words.clone(),
                        range,
                        at,
                    });
                }
                return fits;
            }
        };
        for value in values {
            if constant_contains(range, *value, self.slots) == Ok(false) {
                fits = false;
                let range = self.quote(written);
                self.problem(Problem::OutOfRange {
                    name: name.to_owned(),
                    value: value.to_string(),
                    range,
                    at,
                });
            }
        }
        fits
    }

    fn default_of(&mut self, param: &Param) -> Option<ParamValue> {
        match &param.default {
            Default::Value(expr) => self.param_value(expr),
            Default::Code(code) => Some(ParamValue::Code(code.node.clone())),
        }
    }

    pub fn param_value(&mut self, expr: &Expr) -> Option<ParamValue> {
        if let ExprKind::Tuple(items) = &expr.node {
            let items: Vec<_> = items.iter().map(|item| self.constant(item)).collect();
            return Some(ParamValue::List(items.into_iter().collect::<Option<_>>()?));
        }
        let is_set = match &expr.node {
            ExprKind::Braces(_)
            | ExprKind::Gathered { .. }
            | ExprKind::Range { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_)
            | ExprKind::Call {
                function: Function::Divisors,
                ..
            } => true,
            ExprKind::Name(name) => {
                let is_set_parameter = matches!(
                    self.names.peek(name),
                    Some(Meaning::Param(
                        ParamValue::Numbers(_) | ParamValue::InfiniteSet(..)
                    ))
                );
                is_set_parameter || self.named_set(name).is_some()
            }
            _ => false,
        };
        if !is_set {
            return self.constant(expr).map(ParamValue::Number);
        }
        let set = self.set(expr)?;
        if !set_is_constant(&set) {
            self.problem(Problem::NotConstant {
                help: self.constants_only(),
                at: expr.span,
            });
            return None;
        }
        if set.is_infinite() {
            return Some(ParamValue::InfiniteSet(set, self.quote(expr.span)));
        }
        match constant_members(&set, self.slots) {
            Ok(members) => Some(ParamValue::Numbers(members)),
            Err(fault) => self.no_value(fault, expr.span),
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

/// Values of the parameters, within their ranges, at which a condition holds: at
/// most `most` settings, the nearest to the defaults first. The parameters in
/// `fixed` keep their values. Only the first values of each range are tried.
pub fn settings_where(
    file: &File,
    text: &str,
    fixed: &Settings,
    condition: Option<&Expr>,
    most: usize,
) -> Vec<Settings> {
    let params = params_of(file);
    // Other sets than the defaults are tried where the defaults do not satisfy the condition.
    let searched = [false, true].into_iter().map(|tries_subsets| {
        let mut search = Search {
            params: &params,
            text,
            fixed,
            condition,
            most,
            exhausts: false,
            tries_subsets,
            tries: 0,
            found: Vec::new(),
        };
        search.extend(&mut Settings::new(), 0);
        search.nearest()
    });
    let mut searched = searched.filter(|found| !found.is_empty());
    searched.next().unwrap_or_default()
}

/// Whether a condition reads a parameter of which [`settings_where`] tries one value only:
/// a set without a range, or an octal code, that is not in `fixed`.
pub fn reads_one_value(file: &File, text: &str, fixed: &Settings, condition: &Expr) -> bool {
    let read = |_: &str| Err(String::new());
    let mut checker = Checker::new(text, &read);
    let mut names: Vec<&str> = Vec::new();
    for param in params_of(file) {
        let name = param.name.node.as_str();
        let default = checker.default_of(param);
        let is_searched = matches!(default, Some(ParamValue::Number(_))) || param.range.is_some();
        if !is_searched && !fixed.contains_key(name) {
            names.push(name);
        }
        checker.parameter(param, fixed.get(name));
    }
    let mut open = vec![condition];
    while let Some(expr) = open.pop() {
        if let ExprKind::Name(name) = &expr.node
            && names.contains(&name.as_str())
        {
            return true;
        }
        open.extend(expr.node.children());
    }
    false
}

/// The parameter that makes a position of `entries` numbers one of the game, and its
/// value: the only number that the board or the heaps depend on, other than those in
/// `fixed`. `None` if the position needs no other value, or no value or several
/// parameters give that many heaps.
pub fn parameter_for_position(
    file: &File,
    text: &str,
    fixed: &Settings,
    entries: usize,
    read: ReadFile<'_>,
) -> Option<(String, i64)> {
    let fits = |settings: &Settings| {
        let mut checker = Checker::new(text, read);
        checker.parameters(file, settings);
        checker.board_statement(file);
        checker.heaps_statement(file)?;
        checker.state_statements(file);
        let states = checker.states.len();
        let heaps = checker.heap_names.len();
        let is_sound = checker.problems.iter().all(Problem::is_warning);
        let mut omitted = checker.states.iter().filter(|state| !state.is_token);
        let omits = omitted.all(|state| state.initial.is_some());
        let states = states - checker.states.iter().filter(|state| state.is_token).count();
        // The coordinates of one token need no brackets of their own.
        let is_one_token = checker.digraph.is_some() && heaps == 1;
        let exact = entries == heaps || is_one_token || omits && entries + states == heaps;
        let fits = exact || checker.shrinking.is_some() && entries < heaps;
        Some(is_sound && heaps > 0 && fits)
    };
    if fits(fixed) != Some(false) {
        return None;
    }
    let mut found = params_of(file)
        .into_iter()
        .filter(|param| matches!(param.default, Default::Value(_)))
        .map(|param| &param.name.node)
        .filter(|name| !fixed.contains_key(*name))
        .filter_map(|name| {
            let entries = i64::try_from(entries).ok()?;
            let values = std::iter::once(entries).chain((0..=entries + 1).rev());
            let value = values.into_iter().find(|value| {
                let mut settings = fixed.clone();
                settings.insert(name.clone(), ParamValue::Number(*value));
                fits(&settings) == Some(true)
            })?;
            Some((name.clone(), value))
        });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// All values of the parameters within their ranges, at most `most` of them: for a number
/// the numbers of its range, for a set the nonempty subsets of its range. The parameters
/// in `fixed` keep their values, and so do those without a range. Of an infinite range
/// only the first values are taken.
pub fn all_settings(file: &File, text: &str, fixed: &Settings, most: usize) -> Vec<Settings> {
    let params = params_of(file);
    let mut search = Search {
        params: &params,
        text,
        fixed,
        condition: None,
        most,
        exhausts: true,
        tries_subsets: true,
        tries: 0,
        found: Vec::new(),
    };
    search.extend(&mut Settings::new(), 0);
    search.nearest()
}

fn params_of(file: &File) -> Vec<&Param> {
    let statements = file.statements.iter();
    let params = statements.filter_map(|s| match &s.node {
        Statement::Param(params) => Some(params),
        _ => None,
    });
    params.flatten().collect()
}

/// The number of values of one parameter that are tried, from the first of its range.
const VALUES_TRIED: i64 = 12;

/// The same where all settings are wanted, and the most members of a set whose subsets are.
const MAX_VALUES: i64 = 10_000;
const MAX_MEMBERS: i64 = 12;

/// The number of members of the range of a set of which the subsets are tried.
const MEMBERS_TRIED: i64 = 6;

/// The number of settings that are tried.
const MAX_TRIES: usize = 20_000;

/// A search for settings at which a condition holds.
struct Search<'s> {
    params: &'s [&'s Param],
    text: &'s str,
    fixed: &'s Settings,
    condition: Option<&'s Expr>,
    most: usize,
    /// Whether all values are wanted, subsets of ranges too, in the order in which they are
    /// tried.
    exhausts: bool,
    /// Whether other sets than the default are tried: the subsets of the range.
    tries_subsets: bool,
    tries: usize,
    /// The best settings so far, with their distance from the defaults.
    found: Vec<(i64, Settings)>,
}

impl Search<'_> {
    /// The settings found, the nearest to the defaults first.
    fn nearest(self) -> Vec<Settings> {
        let settings = self.found.into_iter().map(|(_, settings)| settings);
        settings.collect()
    }

    /// Tries all values of the remaining parameters. The parameters in `chosen` are
    /// `distance` away from their defaults.
    fn extend(&mut self, chosen: &mut Settings, distance: i64) {
        self.tries += 1;
        let is_enough = self.exhausts && self.found.len() >= self.most;
        if is_enough || !self.exhausts && self.tries > MAX_TRIES {
            return;
        }
        let read = |_: &str| Err(String::new());
        let mut checker = Checker::new(self.text, &read);
        let done = chosen.len().min(self.params.len());
        for param in &self.params[..done] {
            checker.parameter(param, chosen.get(&param.name.node));
        }
        let Some(param) = self.params.get(done) else {
            let holds = self
                .condition
                .is_none_or(|c| checker.constant_truth(c) == Some(true));
            if holds && checker.problems.is_empty() {
                self.found.push((distance, chosen.clone()));
                if !self.exhausts {
                    self.found.sort_by_key(|(distance, _)| *distance);
                    self.found.truncate(self.most);
                }
            }
            return;
        };
        let name = param.name.node.clone();
        let default = checker.default_of(param);
        let usual = match default {
            Some(ParamValue::Number(default)) => default,
            _ => 0,
        };
        let values: Vec<ParamValue> = match (self.fixed.get(&name), default) {
            (Some(fixed), _) => vec![fixed.clone()],
            (None, Some(ParamValue::Number(default))) => {
                let range = param.range.as_ref().and_then(|range| checker.set(range));
                let most = match self.exhausts {
                    true => MAX_VALUES,
                    false => VALUES_TRIED,
                };
                let mut values = first_values(range.as_ref(), checker.slots, most);
                if !values.contains(&default) {
                    values.push(default);
                }
                values.into_iter().map(ParamValue::Number).collect()
            }
            (None, Some(ParamValue::Numbers(_))) if self.tries_subsets && param.range.is_some() => {
                let range = param.range.as_ref().and_then(|range| checker.set(range));
                let most = match self.exhausts {
                    true => MAX_MEMBERS,
                    false => MEMBERS_TRIED,
                };
                subsets(&first_values(range.as_ref(), checker.slots, most))
            }
            (None, Some(set)) => vec![set],
            (None, None) => Vec::new(),
        };
        for value in values {
            let away = match value {
                ParamValue::Number(value) => value.saturating_sub(usual).saturating_abs(),
                _ => 0,
            };
            chosen.insert(name.clone(), value);
            self.extend(chosen, distance.saturating_add(away));
            chosen.remove(&name);
        }
    }
}

/// The nonempty subsets of some numbers.
fn subsets(numbers: &[i64]) -> Vec<ParamValue> {
    let subset = |bits: u32| {
        let members = numbers.iter().enumerate();
        let members = members.filter(|(place, _)| bits >> place & 1 == 1);
        ParamValue::Numbers(members.map(|(_, number)| *number).collect())
    };
    (1..1_u32 << numbers.len()).map(subset).collect()
}

/// The values of a parameter's range that are tried.
fn first_values(range: Option<&Spanned<Set>>, slots: usize, most: i64) -> Vec<i64> {
    match range {
        Some(range)
            if let Set::Range(low, high) = &range.node
                && let Some(low) = low.constant() =>
        {
            let high = high.as_ref().and_then(|high| high.constant());
            let high = high.unwrap_or(i64::MAX);
            (low..=high.min(low.saturating_add(most - 1))).collect()
        }
        Some(set) if !set.is_infinite() => {
            let mut values = constant_members(set, slots).unwrap_or_default();
            values.truncate(most as usize);
            values
        }
        _ => Vec::new(),
    }
}
