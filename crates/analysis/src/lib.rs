//! What follows from a rule as a whole: from the [`Rule`] to the [`Game`].
//!
//! [`check`] is the entry point. It elaborates a tree (`nimrule_elaborate`), finds a
//! termination measure (`docs/src/glossary.md`) and the symmetries of the rule, and reports
//! all errors of a file in one run. Its result needs no further checks.

#![warn(missing_docs)]

mod problem;
mod symmetry;
#[doc(hidden)]
pub mod termination;

pub use problem::{RuleProblem, TerminationProblem};

use nimrule_elaborate::{CheckProblem, Elaboration, NameUse, Settings, at_line, elaborate};
use nimrule_model::game::{Agreement, Facts, Game, Rule, Statement};
use nimrule_model::source::ReadFile;
use nimrule_syntax::ast::File;

/// A game without errors, and the warnings about it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The rule, with the facts about it.
    pub game: Game,
    /// Warnings such as unused names.
    pub warnings: Vec<RuleProblem>,
}

/// The result of [`check`], with the names of the text, for editors.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// The game, or all errors.
    pub checked: Result<Checked, Vec<RuleProblem>>,
    /// The places at which names are bound or used, in the order of the text. Beside
    /// errors some may be missing.
    pub names: Vec<NameUse>,
}

/// Checks a tree at given values of its parameters.
///
/// `text` is the source of the tree; error messages quote it. `read` reads the
/// files that the rule names, as in `from "file"`.
///
/// Statements with syntax errors are skipped, and errors that may follow from their
/// absence are not reported.
///
/// # Errors
///
/// Every error of the rule, with its place in `text`. Warnings are dropped then,
/// since an error may cause them.
///
/// # Examples
///
/// ```
/// use nimrule_analysis::check;
///
/// let text = "game nim  heaps a b  move take from one heap";
/// let file = nimrule_syntax::parse(text).into_result().expect("the text is well-formed");
/// let no_files = |_: &str| Err("no files".to_owned());
/// let checked = check(&file, text, &Default::default(), &no_files)
///     .expect("the rule has no errors");
/// assert_eq!(checked.game.heap_names, ["a", "b"]);
/// assert_eq!(checked.game.facts.termination.levels, [[1, 1]]);
/// assert!(checked.warnings.is_empty());
/// ```
pub fn check(
    file: &File,
    text: &str,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Result<Checked, Vec<RuleProblem>> {
    analyse(file, text, settings, read).checked
}

/// Checks a tree like [`check`], and records what its names denote.
pub fn analyse(file: &File, text: &str, settings: &Settings, read: ReadFile<'_>) -> Analysis {
    let Elaboration {
        rule,
        problems,
        names,
    } = elaborate(file, text, settings, read);
    let is_sound = !problems.iter().any(|problem| !problem.is_warning());
    let mut problems: Vec<RuleProblem> = problems.into_iter().map(RuleProblem::from).collect();
    let game = rule.and_then(|rule| with_facts(rule, is_sound, &mut problems));
    let (warnings, faults): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(RuleProblem::is_warning);
    let checked = match game {
        Some(game) if faults.is_empty() => Ok(Checked { game, warnings }),
        _ => Err(faults),
    };
    Analysis { checked, names }
}

/// Derives the facts about a rule; only whether play ends, if the rule has errors.
fn with_facts(mut rule: Rule, is_sound: bool, problems: &mut Vec<RuleProblem>) -> Option<Game> {
    if !is_sound && !rule.ends_by.is_empty() {
        // Errors may be the reason that moves do not lower the measure.
        return None;
    }
    let mut found = Vec::new();
    let termination = termination::of_rule(&rule, &mut found);
    let ends = found.iter().all(TerminationProblem::is_warning);
    problems.extend(found.into_iter().map(RuleProblem::from));
    if !is_sound || !ends {
        return None;
    }
    rule.may_repeat = termination.is_none();
    for claim in &mut rule.claims {
        if let Some(Statement::SameAs(claimed)) = &mut claim.statement {
            let other = claimed.other.rule.clone();
            let mut found = Vec::new();
            let other = with_facts(other, true, &mut found);
            let fault = found.iter().find(|problem| !problem.is_warning());
            if let Some(fault) = fault {
                let text = &claimed.other.text;
                let reason = at_line(&text.name, &text.text, fault.place(), fault);
                let name = text.name.trim_end_matches(".nimrule").to_owned();
                let problem = CheckProblem::other_game(name, reason, claimed.at);
                problems.push(problem.into());
            }
            if let Some(other) = other {
                if claimed.agreement == Agreement::Grundy
                    && let Some(reason) = other.no_grundy_values()
                {
                    let name = other.text.name.trim_end_matches(".nimrule").to_owned();
                    let reason = format!("it has no Grundy values: {reason}");
                    problems.push(CheckProblem::other_game(name, reason, claimed.at).into());
                }
                claimed.other = other;
            }
        }
    }
    let symmetries = symmetry::of_game(&rule);
    let game = Game {
        facts: Facts {
            symmetries,
            termination: termination.unwrap_or_default(),
        },
        rule,
    };
    let excluded = nimrule_elaborate::excluded_examples(&game);
    problems.extend(excluded.into_iter().map(RuleProblem::from));
    Some(game)
}
