//! The parser: calls the grammar, and locates and explains its errors.

use super::ast;
use super::build;
use super::explain::{error_offset, explain};
use super::problem::SyntaxProblem;
use super::scan::{self, StatementText, Token, TokenKind};
use super::words::{RESERVED, nearest, similar_keywords};
use pest::Parser as _;
use pest::error::Error;
use pest_derive::Parser;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

#[derive(Parser)]
#[grammar = "../grammar/nimrule.pest"]
pub struct Grammar;

/// The limit of the grammar's steps on one text: the larger of a constant and a
/// number for each byte. Both are far more than any file needs. The steps on flat
/// texts are proportional to their length, so that only nesting, which makes the
/// grammar backtrack, reaches the limit.
const MAX_STEPS: usize = 20_000_000;
const MAX_STEPS_A_BYTE: usize = 1000;

/// The largest number of errors that are reported for one file.
const MAX_PROBLEMS: usize = 100;

/// Parses a rule file.
///
/// # Errors
///
/// Every statement that is not well-formed, up to 100 errors, in the order of the
/// text.
///
/// # Examples
///
/// ```
/// use nimrule_syntax::ast::Statement;
///
/// let text = "game nim  heaps 3  move take from one heap";
/// let file = nimrule_syntax::parse(text).expect("the text is well-formed");
/// assert_eq!(file.statements.len(), 3);
/// assert!(matches!(file.statements[2].node, Statement::Move(_)));
///
/// let errors = nimrule_syntax::parse("game nim  heps 3").unwrap_err();
/// assert_eq!(errors.len(), 1);
/// ```
pub fn parse(text: &str) -> Result<ast::File, Vec<SyntaxProblem>> {
    let (tokens, texts) = scan::tokens(text);
    if tokens.is_empty() {
        return Err(vec![SyntaxProblem::Empty {
            at: (0, text.len().min(1)).into(),
        }]);
    }
    let mut problems = texts.clone();
    problems.extend(scan::lexical_errors(text, &tokens));
    if problems.is_empty() {
        limit_steps(text);
        match Grammar::parse(Rule::file, text) {
            Ok(pairs) => {
                let file = build::file(pairs, &mut problems);
                return if problems.is_empty() {
                    Ok(file)
                } else {
                    Err(problems)
                };
            }
            Err(error) => problems.push(explain(text, &whole_text(text, &tokens), &error)),
        }
    }
    let found = statement_by_statement(text, &tokens, texts);
    Err(if found.is_empty() { problems } else { found })
}

/// Parses a position, such as one given on the command line.
///
/// # Errors
///
/// Why the text is not a position.
pub fn parse_position(text: &str) -> Result<ast::Position, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_position, build::single_position)
}

/// Parses the value of a parameter, such as one given on the command line.
///
/// # Errors
///
/// Why the text is not a value.
pub fn parse_value(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_value, build::single_value)
}

/// Parses a condition that is not part of a file.
///
/// # Errors
///
/// Why the text is not a condition.
pub fn parse_condition(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_condition, build::single_condition)
}

fn parse_alone<T>(
    text: &str,
    rule: Rule,
    build: impl Fn(pest::iterators::Pairs<'_, Rule>, &mut Vec<SyntaxProblem>) -> T,
) -> Result<T, Vec<SyntaxProblem>> {
    let (tokens, mut problems) = scan::tokens(text);
    problems.extend(scan::lexical_errors(text, &tokens));
    if !problems.is_empty() {
        problems.truncate(MAX_PROBLEMS);
        return Err(problems);
    }
    limit_steps(text);
    match Grammar::parse(rule, text) {
        Ok(pairs) => {
            let built = build(pairs, &mut problems);
            if problems.is_empty() {
                Ok(built)
            } else {
                Err(problems)
            }
        }
        Err(error) => Err(vec![explain(text, &whole_text(text, &tokens), &error)]),
    }
}

fn whole_text<'t>(text: &str, tokens: &'t [Token]) -> StatementText<'t> {
    StatementText {
        start: 0,
        end: text.len(),
        tokens,
        next: None,
    }
}

/// Sets the limit of steps for a text of this length. The limit is global to the
/// process and is only raised, since another thread may be parsing a longer text.
fn limit_steps(text: &str) {
    static BOUND: Mutex<usize> = Mutex::new(0);
    let wanted = MAX_STEPS.max(text.len().saturating_mul(MAX_STEPS_A_BYTE));
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if wanted > *bound {
        *bound = wanted;
        pest::set_call_limit(NonZeroUsize::new(wanted));
    }
}

/// Parses every statement separately, so that an error in one does not hide the
/// next. `texts` are the quoted texts without an end.
fn statement_by_statement(
    text: &str,
    tokens: &[Token],
    texts: Vec<SyntaxProblem>,
) -> Vec<SyntaxProblem> {
    let mut problems: Vec<SyntaxProblem> = Vec::new();
    let mut texts = texts.into_iter().peekable();
    let mut repairs = MAX_REPAIRS;
    let mut reported_at = None;
    // A text of ten thousand near-keywords is not a rule with misspellings.
    let mut tests_left = 10_000_u32;
    let close = |word: &str| {
        tests_left = tests_left.saturating_sub(1);
        tests_left > 0 && nearest(word, scan::STATEMENTS).is_some() && !RESERVED.contains(&word)
    };
    limit_steps(text);
    for statement in scan::split_statements(text, tokens, close) {
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
        let mut seen = Vec::new();
        while let Some(unclosed) = texts.next_if(|p| p.place().offset() < statement.end) {
            seen.push(unclosed);
        }
        seen.extend(scan::lexical_errors(text, statement.tokens));
        if !seen.is_empty() {
            problems.extend(seen);
            continue;
        }
        let source = &text[statement.start..statement.end];
        match Grammar::parse(Rule::single_statement, source) {
            Ok(pairs) => {
                build::single_statement(pairs, &mut seen);
                problems.extend(seen.into_iter().map(|p| p.shifted(statement.start)));
            }
            // The keyword that begins it was meant as a name; that error is reported.
            Err(_) if reported_at == Some(statement.start) => {}
            Err(error) => {
                let misspelt = repair(text, &statement, &error, &mut repairs);
                if misspelt.is_empty() {
                    let problem = explain(text, &statement, &error);
                    if let SyntaxProblem::Reserved { at, .. } = &problem {
                        reported_at = Some(at.offset());
                    }
                    problems.push(problem);
                } else {
                    problems.extend(misspelt);
                }
            }
        }
    }
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// The number of attempts to correct spelling in one file.
const MAX_REPAIRS: usize = 500;

/// A longer statement is not searched for misspelt words.
const LONGEST_REPAIRED: usize = 2000;

/// The largest number of misspelt words that are corrected together.
const MAX_MISSPELT: usize = 4;

/// Finds misspelt keywords in a statement that does not parse: words similar to
/// keywords, such that the parser gets further with the keywords in their place.
/// The attempt distinguishes a misspelling from a name similar to a keyword.
fn repair(
    text: &str,
    statement: &StatementText<'_>,
    refused: &Error<Rule>,
    repairs: &mut usize,
) -> Vec<SyntaxProblem> {
    if statement.end - statement.start > LONGEST_REPAIRED {
        return Vec::new();
    }
    let suspects: Vec<(&Token, Vec<&'static str>)> = statement
        .tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| (token, similar_keywords(token.text(text))))
        .filter(|(_, meant)| !meant.is_empty())
        .take(MAX_MISSPELT)
        .collect();
    // A choice gives for each suspect the index of a similar keyword, or 0 for no
    // change; choices that change the fewest words are tried first.
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for (_, meant) in &suspects {
        choices = choices
            .into_iter()
            .flat_map(|choice| {
                (0..=meant.len()).map(move |which| [choice.as_slice(), &[which]].concat())
            })
            .collect();
    }
    choices.sort_by_key(|choice| choice.iter().filter(|which| **which > 0).count());
    let reached = |refused: &Error<Rule>, tokens: &[Token], start: usize| {
        let at = start + error_offset(refused);
        tokens.iter().take_while(|token| token.end <= at).count()
    };
    let mut furthest = reached(refused, statement.tokens, statement.start);
    let mut best: Vec<usize> = Vec::new();
    for choice in choices.iter().skip(1) {
        if *repairs == 0 {
            break;
        }
        *repairs -= 1;
        let mut corrected = String::new();
        let mut copied = statement.start;
        for ((token, meant), which) in suspects.iter().zip(choice) {
            if *which > 0 {
                corrected.push_str(&text[copied..token.start]);
                corrected.push_str(meant[which - 1]);
                copied = token.end;
            }
        }
        corrected.push_str(&text[copied..statement.end]);
        match Grammar::parse(Rule::single_statement, &corrected) {
            Ok(_) => {
                best = choice.clone();
                break;
            }
            Err(error) => {
                let (tokens, _) = scan::tokens(&corrected);
                let now = reached(&error, &tokens, 0);
                if now > furthest {
                    furthest = now;
                    best = choice.clone();
                }
            }
        }
    }
    suspects
        .iter()
        .zip(&best)
        .filter(|(_, which)| **which > 0)
        .map(|((token, meant), which)| SyntaxProblem::Misspelt {
            word: token.text(text).to_owned(),
            meant: meant[which - 1].to_owned(),
            at: token.span(),
        })
        .collect()
}

/// Whether the rule is a keyword of the language.
pub fn is_keyword(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::kw_game
            | Rule::kw_source
            | Rule::kw_note
            | Rule::kw_param
            | Rule::kw_board
            | Rule::kw_heaps
            | Rule::kw_heap
            | Rule::kw_tokens
            | Rule::kw_token
            | Rule::kw_kinds
            | Rule::kw_split
            | Rule::kw_slide
            | Rule::kw_leaving
            | Rule::kw_any
            | Rule::kw_digraph
            | Rule::kw_of
            | Rule::kw_real
            | Rule::kw_size
            | Rule::kw_may
            | Rule::kw_repeat
            | Rule::kw_left
            | Rule::kw_right
            | Rule::kw_octal
            | Rule::kw_into
            | Rule::kw_consistent
            | Rule::kw_period
            | Rule::kw_saltus
            | Rule::kw_same
            | Rule::kw_cogame
            | Rule::kw_labellings
            | Rule::kw_quotient
            | Rule::kw_elements
            | Rule::kw_pairing
            | Rule::kw_with
            | Rule::kw_l
            | Rule::kw_r
            | Rule::kw_d
            | Rule::kw_family
            | Rule::kw_positions
            | Rule::kw_suggest
            | Rule::kw_start
            | Rule::kw_move
            | Rule::kw_claim
            | Rule::kw_example
            | Rule::kw_in
            | Rule::kw_on
            | Rule::kw_as
            | Rule::kw_from
            | Rule::kw_where
            | Rule::kw_when
            | Rule::kw_for
            | Rule::kw_some
            | Rule::kw_then
            | Rule::kw_optionally
            | Rule::kw_up
            | Rule::kw_times
            | Rule::kw_take
            | Rule::kw_put
            | Rule::kw_slow
            | Rule::kw_equal
            | Rule::kw_all
            | Rule::kw_one
            | Rule::kw_exactly
            | Rule::kw_consecutive
            | Rule::kw_misere
            | Rule::kw_iff
            | Rule::kw_is
            | Rule::kw_not
            | Rule::kw_and
            | Rule::kw_or
            | Rule::kw_implies
            | Rule::kw_div
            | Rule::kw_mod
            | Rule::kw_if
            | Rule::kw_else
            | Rule::kw_let
            | Rule::kw_exists
            | Rule::kw_forall
            | Rule::kw_like
            | Rule::kw_max
            | Rule::kw_min
            | Rule::kw_sum
            | Rule::kw_xor
            | Rule::kw_count
            | Rule::kw_sorted
            | Rule::kw_distinct
            | Rule::kw_carryless
            | Rule::kw_digit
            | Rule::kw_isqrt
            | Rule::kw_powers
            | Rule::kw_squares
            | Rule::kw_true
            | Rule::kw_false
            | Rule::kw_total
            | Rule::kw_each
            | Rule::kw_planar
            | Rule::kw_graph
            | Rule::kw_faces
            | Rule::kw_number
            | Rule::kw_shrinking
            | Rule::kw_to
            | Rule::kw_symmetry
            | Rule::kw_only
            | Rule::kw_grundy
            | Rule::kw_refuted
            | Rule::kw_at
            | Rule::kw_has
            | Rule::kw_wins
            | Rule::kw_by
            | Rule::kw_loses
            | Rule::kw_p
            | Rule::kw_n
    )
}
