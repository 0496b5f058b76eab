//! From the text of a rule to the checked rule.

use crate::problem::{Problem, Problems};
use nimrule_elaborate::{CheckProblem, Settings, parameter_for_position};
use nimrule_engine::{Solver, inapplicable_moves, moves_that_leave_ranges};
use nimrule_limits::{Instant, checkpoint};
use nimrule_model::game::{Game, OPEN, ParamValue, Rule};
use nimrule_model::source::{ReadFile, Source, Span};
use nimrule_sequence::parse_code;
use nimrule_syntax::ast::{self, PositionForm};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A rule without errors: its tree, and what the tree means.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The file as written.
    pub file: Arc<ast::File>,
    /// The checked rule.
    pub game: Game,
    /// The warnings about the rule file.
    pub warnings: Problems,
    /// The files that the rule names, by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// How long parsing took.
    pub parse_time: Duration,
}

/// Compiles a rule file at given values of its parameters. [`crate::Game`] is
/// the simpler way; this one gives tools the tree and the rule themselves.
///
/// `read` reads the files that a board is taken `from`.
///
/// # Errors
///
/// All errors of the text, in the order of their places.
///
/// # Examples
///
/// ```
/// use nimrule::{Source, compile};
///
/// let text = Source::new("nim", "game nim heaps a b move take from one heap");
/// let compiled = compile(&text, &Default::default(), &|_| Err("no files".to_owned()));
/// assert_eq!(compiled.expect("a rule").game.heap_count(), 2);
/// ```
pub fn compile(
    source: &Source,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Result<Compiled, Problems> {
    let begun = Instant::now();
    let parsed = nimrule_syntax::parse(&source.text);
    let parse_time = begun.elapsed();
    let problems: Vec<Problem> = parsed.problems.into_iter().map(Problem::from).collect();
    if parsed.file.statements.is_empty() {
        return Err(Problems::new(source, problems));
    }
    let compiled = elaborate(source, Arc::new(parsed.file), problems, settings, read)?;
    Ok(Compiled {
        parse_time,
        ..compiled
    })
}

impl Compiled {
    /// A hash of the rule's statements and of the files read for it, by which proofs are
    /// found again. Layout, titles, pictures, claims and examples do not change it.
    pub fn rule_hash(&self) -> [u8; 32] {
        let files = self.files.iter();
        let files = files.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let statements = self.statements(|statement| match statement {
            // The title does not change the rule.
            ast::Statement::Game { name, .. } => Some(format!("Game({:?})", name.node)),
            ast::Statement::Source(_)
            | ast::Statement::Note(_)
            | ast::Statement::Suggest(_)
            | ast::Statement::Shown(_)
            | ast::Statement::Claim(_)
            | ast::Statement::Example(_) => None,
            other => Some(format!("{other:?}")),
        });
        checkpoint::hash_of_rule(&statements, files)
    }

    /// A hash of the claims, in their order. Layout does not change it.
    pub fn claims_hash(&self) -> [u8; 32] {
        let statements = self.statements(|statement| match statement {
            ast::Statement::Claim(claim) => Some(format!("{claim:?}")),
            _ => None,
        });
        checkpoint::hash_of_rule(&statements, [])
    }

    /// What some statements say. Trees are shown without their places, and texts in quotes, so
    /// that what is shown alike is alike.
    fn statements(&self, says: impl Fn(&ast::Statement) -> Option<String>) -> String {
        let statements = self.file.statements.iter();
        let all = statements.filter_map(|statement| says(&statement.node));
        all.collect::<Vec<_>>().join("\n")
    }

    /// The same rule at other values of its parameters, without parsing it again.
    ///
    /// # Errors
    ///
    /// The errors of the rule at these values.
    pub fn at(&self, settings: &Settings, read: ReadFile<'_>) -> Result<Compiled, Problems> {
        let file = Arc::clone(&self.file);
        elaborate(&self.game.text, file, Vec::new(), settings, read)
    }
}

/// A value of a parameter as `--set` has it: a number, a list or a set of numbers, `any` for
/// all numbers of the range, or an octal code, whose quotes may be missing.
///
/// # Errors
///
/// The errors of the text.
///
/// ```
/// use nimrule::parameter_value;
///
/// assert_eq!(parameter_value("3").expect("a number").written(), "3");
/// assert_eq!(parameter_value("0.77").expect("a code").written(), "\"0.77\"");
/// assert!(parameter_value("three").is_err());
/// ```
pub fn parameter_value(written: &str) -> Result<ParamValue, Problems> {
    if written.trim() == OPEN {
        return Ok(ParamValue::Open);
    }
    if let Some(code) = octal_code(written) {
        return Ok(code);
    }
    let wrong = |problems: Vec<Problem>| {
        let source = Source::new("the command line", written);
        Problems::new(&source, problems)
    };
    let expr = nimrule_syntax::parse_value(written)
        .map_err(|problems| wrong(problems.into_iter().map(Problem::from).collect()))?;
    nimrule_elaborate::setting(&expr, written)
        .map_err(|problems| wrong(problems.into_iter().map(Problem::from).collect()))
}

/// The parameter that counts the heaps, with the value that a position needs: `None` if the
/// rule at these settings has the position's number of heaps already, if no value or several
/// parameters fit, or if the text is no rule. `read` reads files that the rule names.
///
/// ```
/// use nimrule::parameter_for;
///
/// let rule = "game nim param piles = 4 in 1..9 heaps h[1..piles] move take from one heap";
/// let no_files = |_: &str| Err("no files".to_owned());
/// let found = parameter_for("3,4,5", rule, &Default::default(), &no_files);
/// assert_eq!(found, Some(("piles".to_owned(), 3)));
/// ```
pub fn parameter_for(
    position: &str,
    rule: &str,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Option<(String, i64)> {
    let entries = match nimrule_syntax::parse_position(&nimrule_answer::in_brackets(position)) {
        Ok(parsed) => match &parsed.node {
            PositionForm::Tuple(entries) => entries.len(),
            PositionForm::WithStates(form, states) => match &**form {
                PositionForm::Tuple(entries) => entries.len() + states.len(),
                _ => 0,
            },
            _ => 0,
        },
        // The sizes may be larger than the language allows.
        Err(_) => position.split(',').count(),
    };
    if entries == 0 || position.is_empty() {
        return None;
    }
    let parsed = nimrule_syntax::parse(rule);
    let found = parameter_for_position(&parsed.file, rule, settings, entries, read);
    found.filter(|_| parsed.problems.is_empty())
}

/// An octal code, whose quotes a shell may have removed.
fn octal_code(value: &str) -> Option<ParamValue> {
    let quoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    let code = quoted.unwrap_or_else(|| value.trim());
    let meant = quoted.is_some() || parse_code(code).is_ok() || looks_like_a_code(code);
    meant.then(|| ParamValue::Code(code.to_owned()))
}

/// Returns whether the text is a digit and a point, but not a range. Errors of
/// the code are reported where it is used.
fn looks_like_a_code(value: &str) -> bool {
    let mut letters = value.chars();
    letters.next().is_some_and(|c| c.is_ascii_hexdigit())
        && letters.next() == Some('.')
        && !letters.as_str().starts_with('.')
}

/// Checks the tree of a text that has these syntax errors.
fn elaborate(
    source: &Source,
    file: Arc<ast::File>,
    mut problems: Vec<Problem>,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Result<Compiled, Problems> {
    let files = RefCell::new(BTreeMap::new());
    let recorded = |name: &str| {
        let bytes = read(name)?;
        files.borrow_mut().insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    };
    let checked = nimrule_analysis::check(&file, &source.text, settings, &recorded);
    match checked {
        Ok(checked) if problems.is_empty() => {
            let solver = Solver::new(&checked.game);
            let leaving = moves_that_leave_ranges(&solver);
            // That a step leaves a range says why its move never applies.
            let is_explained = |at: Span| {
                let inside = at.offset()..at.offset() + at.len();
                leaving
                    .iter()
                    .any(|step| inside.contains(&step.at.offset()))
            };
            let never_apply = inapplicable_moves(&solver).into_iter();
            let never_apply = never_apply.filter(|unused| !is_explained(unused.at));
            let never_apply = never_apply.map(|unused| {
                CheckProblem::move_never_applies(unused.at, &unused.tested, unused.zero)
            });
            let leave = leaving.iter().map(|step| {
                let position = checked.game.shown(&step.position);
                let (state, range) = (step.state.as_deref(), &step.range);
                CheckProblem::leaves_range(step.at, state, range, step.value, &position)
            });
            let of_moves: Vec<CheckProblem> = never_apply.chain(leave).collect();
            drop(solver);
            let warnings = checked.warnings.into_iter().map(Problem::from);
            let warnings = warnings.chain(of_moves.into_iter().map(Problem::from));
            Ok(Compiled {
                file,
                game: Game {
                    rule: Rule {
                        text: Arc::new(source.clone()),
                        ..checked.game.rule
                    },
                    facts: checked.game.facts,
                },
                warnings: Problems::new(source, warnings),
                files: files.into_inner(),
                parse_time: Duration::ZERO,
            })
        }
        Ok(_) => Err(Problems::new(source, problems)),
        Err(found) => {
            problems.extend(found.into_iter().map(Problem::from));
            Err(Problems::new(source, problems))
        }
    }
}
