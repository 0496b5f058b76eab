//! Calling the grammar, and saying what it missed.

use super::ast;
use super::build;
use super::problem::SyntaxProblem;
use super::refusal::{explain, place_of};
use super::scan::{self, Kind, Stretch, Token};
use super::words::{RESERVED, alike, nearest};
use pest::Parser as _;
use pest::error::Error;
use pest_derive::Parser;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

#[derive(Parser)]
#[grammar = "../grammar/nimrule.pest"]
pub struct Grammar;

/// The grammar may take this many steps on one text, or on a long one so many
/// for each byte; far more than any file needs. Flat texts take a number of
/// steps that is proportional to their length, so that only nesting, which makes
/// the grammar try one place again and again, comes to the limit.
const MAX_STEPS: usize = 20_000_000;
const MAX_STEPS_A_BYTE: usize = 1000;

/// So many faults of one file are told; who has mended them may ask again.
const MOST_PROBLEMS: usize = 100;

/// Parses a whole file. All the statements' faults are found in one run.
pub fn parse(text: &str) -> Result<ast::File, Vec<SyntaxProblem>> {
    let (tokens, texts) = scan::tokens(text);
    if tokens.is_empty() {
        return Err(vec![SyntaxProblem::Empty {
            at: (0, text.len().min(1)).into(),
        }]);
    }
    let mut problems = texts.clone();
    problems.extend(scan::look_over(text, &tokens));
    if problems.is_empty() {
        bound_the_effort(text);
        match Grammar::parse(Rule::file, text) {
            Ok(pairs) => {
                let file = build::file(pairs, &mut problems);
                return if problems.is_empty() {
                    Ok(file)
                } else {
                    Err(problems)
                };
            }
            Err(error) => problems.push(explain(text, &whole(text, &tokens), &error)),
        }
    }
    let found = statement_by_statement(text, &tokens, texts);
    Err(if found.is_empty() { problems } else { found })
}

/// Parses a position as it is given on the command line.
pub fn parse_position(text: &str) -> Result<ast::Position, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_position, build::single_position)
}

/// Parses the value of a parameter as it is given on the command line.
pub fn parse_value(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_value, build::single_value)
}

/// Parses a condition that stands apart from a file.
pub fn parse_condition(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_condition, build::single_condition)
}

fn parse_alone<T>(
    text: &str,
    rule: Rule,
    build: impl Fn(pest::iterators::Pairs<'_, Rule>, &mut Vec<SyntaxProblem>) -> T,
) -> Result<T, Vec<SyntaxProblem>> {
    let (tokens, mut problems) = scan::tokens(text);
    problems.extend(scan::look_over(text, &tokens));
    if !problems.is_empty() {
        problems.truncate(MOST_PROBLEMS);
        return Err(problems);
    }
    bound_the_effort(text);
    match Grammar::parse(rule, text) {
        Ok(pairs) => {
            let built = build(pairs, &mut problems);
            if problems.is_empty() {
                Ok(built)
            } else {
                Err(problems)
            }
        }
        Err(error) => Err(vec![explain(text, &whole(text, &tokens), &error)]),
    }
}

fn whole<'t>(text: &str, tokens: &'t [Token]) -> Stretch<'t> {
    Stretch {
        start: 0,
        end: text.len(),
        tokens,
        next: None,
    }
}

/// Bounds the steps of parsing a text of this length. The bound belongs to the
/// process, so that it only grows: another thread may be parsing a longer text.
fn bound_the_effort(text: &str) {
    static BOUND: Mutex<usize> = Mutex::new(0);
    let wanted = MAX_STEPS.max(text.len().saturating_mul(MAX_STEPS_A_BYTE));
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if wanted > *bound {
        *bound = wanted;
        pest::set_call_limit(NonZeroUsize::new(wanted));
    }
}

/// Parses every statement by itself, so that a fault in one does not hide
/// those in the next. `texts` are the texts in quotes that have no end.
fn statement_by_statement(
    text: &str,
    tokens: &[Token],
    texts: Vec<SyntaxProblem>,
) -> Vec<SyntaxProblem> {
    let mut problems: Vec<SyntaxProblem> = Vec::new();
    let mut texts = texts.into_iter().peekable();
    let mut repairs = MAX_REPAIRS;
    let mut forgiven = None;
    // A text of ten thousand near-keywords is no rule with slips in it.
    let mut looks = 10_000_u32;
    let close = |word: &str| {
        looks = looks.saturating_sub(1);
        looks > 0 && nearest(word, scan::STATEMENTS).is_some() && !RESERVED.contains(&word)
    };
    bound_the_effort(text);
    for stretch in scan::stretches(text, tokens, close) {
        if problems.len() >= MOST_PROBLEMS {
            break;
        }
        let mut seen = Vec::new();
        while let Some(unclosed) = texts.next_if(|p| p.place().offset() < stretch.end) {
            seen.push(unclosed);
        }
        seen.extend(scan::look_over(text, stretch.tokens));
        if !seen.is_empty() {
            problems.extend(seen);
            continue;
        }
        let statement = &text[stretch.start..stretch.end];
        match Grammar::parse(Rule::single_statement, statement) {
            Ok(pairs) => {
                build::single_statement(pairs, &mut seen);
                problems.extend(seen.into_iter().map(|p| p.moved(stretch.start)));
            }
            // The word that begins it was meant as a name, and that is told.
            Err(_) if forgiven == Some(stretch.start) => {}
            Err(error) => {
                let misspelt = repair(text, &stretch, &error, &mut repairs);
                if misspelt.is_empty() {
                    let problem = explain(text, &stretch, &error);
                    if let SyntaxProblem::Reserved { at, .. } = &problem {
                        forgiven = Some(at.offset());
                    }
                    problems.push(problem);
                } else {
                    problems.extend(misspelt);
                }
            }
        }
    }
    problems.truncate(MOST_PROBLEMS);
    problems
}

/// Statements of one file may be tried so often with another spelling.
const MAX_REPAIRS: usize = 500;

/// A statement longer than this is not searched for misspelt words.
const LONGEST_REPAIRED: usize = 2000;

/// So many words of a statement may be misspelt together.
const MOST_MISSPELT: usize = 4;

/// The words of a refused statement that are keywords but for a letter or two,
/// if the statement goes on further when they are mended. Trying it out tells
/// a slip from a name that happens to look like a keyword.
fn repair(
    text: &str,
    stretch: &Stretch<'_>,
    refused: &Error<Rule>,
    repairs: &mut usize,
) -> Vec<SyntaxProblem> {
    if stretch.end - stretch.start > LONGEST_REPAIRED {
        return Vec::new();
    }
    let suspects: Vec<(&Token, Vec<&'static str>)> = stretch
        .tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| (token, alike(token.text(text))))
        .filter(|(_, meant)| !meant.is_empty())
        .take(MOST_MISSPELT)
        .collect();
    // A choice says for each suspect which of the words like it is meant, 0 for
    // none; those that change the fewest words are tried first.
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
        let at = start + place_of(refused);
        tokens.iter().take_while(|token| token.end <= at).count()
    };
    let mut furthest = reached(refused, stretch.tokens, stretch.start);
    let mut best: Vec<usize> = Vec::new();
    for choice in choices.iter().skip(1) {
        if *repairs == 0 {
            break;
        }
        *repairs -= 1;
        let mut mended = String::new();
        let mut copied = stretch.start;
        for ((token, meant), which) in suspects.iter().zip(choice) {
            if *which > 0 {
                mended.push_str(&text[copied..token.start]);
                mended.push_str(meant[which - 1]);
                copied = token.end;
            }
        }
        mended.push_str(&text[copied..stretch.end]);
        match Grammar::parse(Rule::single_statement, &mended) {
            Ok(_) => {
                best = choice.clone();
                break;
            }
            Err(error) => {
                let (tokens, _) = scan::tokens(&mended);
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

/// Is the rule a keyword of the language?
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
