//! The parser: splits a text into statements, gives each to the grammar, and
//! explains the errors.

use super::ast;
use super::build;
use super::explain::{error_offset, explain};
use super::misspelt::{nearest, similar_keywords};
use super::problem::SyntaxProblem;
use super::scan::{self, StatementText, Token, TokenKind};
use super::slips;
use super::words::{is_reserved, statements};
use nimrule_model::source::Spanned;
use pest::Parser as _;
use pest::error::Error;
use pest::iterators::Pairs;
use pest_derive::Parser;
use std::borrow::Cow;
use std::iter::Peekable;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::vec::IntoIter;

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

/// A rule file after parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The statements in the order of the text. One with a syntax error is
    /// [`ast::Statement::Unparsed`].
    pub file: ast::File,
    /// The syntax errors, at most 100, in the order of the text.
    pub problems: Vec<SyntaxProblem>,
}

impl Parsed {
    /// The file, if it has no syntax errors.
    ///
    /// # Errors
    ///
    /// The syntax errors.
    pub fn into_result(self) -> Result<ast::File, Vec<SyntaxProblem>> {
        match self.problems.is_empty() {
            true => Ok(self.file),
            false => Err(self.problems),
        }
    }
}

/// Parses a rule file, each statement by itself, so that an error in one does not
/// hide the others.
///
/// # Examples
///
/// ```
/// use nimrule_syntax::ast::Statement;
///
/// let parsed = nimrule_syntax::parse("game nim  heaps 3  move take frm one heap");
/// assert_eq!(parsed.problems.len(), 1);
/// let statements = &parsed.file.statements;
/// assert!(matches!(statements[1].node, Statement::Heaps(_)));
/// assert!(matches!(statements[2].node, Statement::Unparsed(_)));
/// ```
pub fn parse(text: &str) -> Parsed {
    let (mut tokens, lexical) = scan::tokens(text);
    let is_comment =
        |problem: &SyntaxProblem| matches!(problem, SyntaxProblem::ForeignPhrase { .. });
    let (comments, unclosed): (Vec<_>, Vec<_>) = lexical.into_iter().partition(is_comment);
    let blanked = without(text, &comments);
    let text = blanked.as_ref();
    let mut parser = FileParser {
        text,
        unclosed: unclosed.into_iter().peekable(),
        statements: Vec::new(),
        problems: comments,
        repairs_left: MAX_REPAIRS,
        keyword_tests_left: MAX_KEYWORD_TESTS,
        reported_at: None,
    };
    if tokens.is_empty() {
        parser.problems.push(SyntaxProblem::Empty {
            at: (0, text.len().min(1)).into(),
        });
    }
    if let Some((open, close)) = scan::braces_of_game(text, &tokens) {
        parser.problems.push(SyntaxProblem::Unexpected {
            expected: "a string in quotes or the end".to_owned(),
            found: "`{`".to_owned(),
            place: "unexpected",
            at: tokens[open].span(),
            help: Some("statements stand in no braces: remove `{` and the last `}`".to_owned()),
            fix: None,
        });
        for index in close.into_iter().chain([open]) {
            tokens.remove(index);
        }
    }
    limit_steps(text);
    for statement in scan::split_statements(text, &tokens) {
        if parser.problems.len() >= MAX_PROBLEMS {
            break;
        }
        parser.statement(&statement);
    }
    if matches!(blanked, Cow::Owned(_)) {
        parser
            .problems
            .sort_by_key(|problem| problem.place().offset());
    }
    parser.problems.truncate(MAX_PROBLEMS);
    Parsed {
        file: ast::File {
            statements: parser.statements,
        },
        problems: parser.problems,
    }
}

/// The text with blanks in the place of comments of other languages, so that they hide
/// nothing.
fn without<'t>(text: &'t str, comments: &[SyntaxProblem]) -> Cow<'t, str> {
    let mut blanked = Cow::Borrowed(text);
    for comment in comments {
        let at = comment.place();
        let place = at.offset()..at.offset() + at.len();
        let blanks = text.as_bytes()[place.clone()].iter();
        let blanks: String = blanks
            .map(|byte| if *byte == b'\n' { '\n' } else { ' ' })
            .collect();
        blanked.to_mut().replace_range(place, &blanks);
    }
    blanked
}

/// The names of the grammar's rules.
pub fn grammar_rules() -> Vec<String> {
    Rule::all_rules()
        .iter()
        .map(|rule| format!("{rule:?}"))
        .collect()
}

/// The names of the grammar's rules in the parse tree of a file, in the order of the
/// text; `None` if the grammar rejects the text. For tests of coverage.
pub fn grammar_rules_in(text: &str) -> Option<Vec<String>> {
    let pairs = Grammar::parse(Rule::file, text).ok()?;
    Some(
        pairs
            .flatten()
            .map(|pair| format!("{:?}", pair.as_rule()))
            .collect(),
    )
}

/// Parses a position, such as one given on the command line.
///
/// # Errors
///
/// Why the text is not a position.
pub fn parse_position(text: &str) -> Result<ast::Position, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_position, build::single_position)
}

/// Parses a position whose numbers may have any size. Numbers beyond the largest of an
/// expression are returned with their digits; the tree has 0 in their places.
///
/// # Errors
///
/// Why the text is not a position.
///
/// # Examples
///
/// ```
/// let (_, large) = nimrule_syntax::parse_position_of_any_size("(3,100000000000000000000)")
///     .expect("a position");
/// assert_eq!(large[0].node, "100000000000000000000");
/// ```
pub fn parse_position_of_any_size(
    text: &str,
) -> Result<(ast::Position, Vec<Spanned<String>>), Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_position, build::position_of_any_size)
}

/// Parses the value of a parameter, such as one given on the command line.
///
/// # Errors
///
/// Why the text is not a value.
pub fn parse_value(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_value, build::single_expression)
}

/// Parses a condition that is not part of a file.
///
/// # Errors
///
/// Why the text is not a condition.
pub fn parse_condition(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_condition, build::single_expression)
}

fn parse_alone<T>(
    text: &str,
    rule: Rule,
    build: impl Fn(Pairs<'_, Rule>) -> Result<T, Vec<SyntaxProblem>>,
) -> Result<T, Vec<SyntaxProblem>> {
    let (tokens, mut problems) = scan::tokens(text);
    problems.extend(scan::lexical_errors(text, &tokens));
    if !problems.is_empty() {
        problems.truncate(MAX_PROBLEMS);
        return Err(problems);
    }
    limit_steps(text);
    match Grammar::parse(rule, text) {
        Ok(pairs) => build(pairs),
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
pub(super) fn limit_steps(text: &str) {
    static BOUND: Mutex<usize> = Mutex::new(0);
    let wanted = MAX_STEPS.max(text.len().saturating_mul(MAX_STEPS_A_BYTE));
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if wanted > *bound {
        *bound = wanted;
        pest::set_call_limit(NonZeroUsize::new(wanted));
    }
}

/// The state of the parser between statements.
struct FileParser<'t> {
    text: &'t str,
    /// The quoted texts without an end.
    unclosed: Peekable<IntoIter<SyntaxProblem>>,
    statements: Vec<Spanned<ast::Statement>>,
    problems: Vec<SyntaxProblem>,
    repairs_left: usize,
    keyword_tests_left: usize,
    /// The place of a keyword that was reported as a name; it begins no statement.
    reported_at: Option<usize>,
}

impl<'t> FileParser<'t> {
    fn statement(&mut self, statement: &StatementText<'_>) {
        let text = self.text;
        let mut lexical = Vec::new();
        while let Some(unclosed) = self
            .unclosed
            .next_if(|p| p.place().offset() < statement.end)
        {
            lexical.push(unclosed);
        }
        lexical.extend(scan::lexical_errors(text, statement.tokens));
        if !lexical.is_empty() {
            self.problems.extend(lexical);
            self.unparsed(statement);
            return;
        }
        let parts = scan::split_at_heaps(text, statement);
        let trees: Option<Vec<_>> = parts.iter().map(|part| self.grammar(part).ok()).collect();
        if let Some(trees) = trees {
            for (pairs, part) in trees.into_iter().zip(&parts) {
                self.build(pairs, part);
            }
            return;
        }
        let error = match self.grammar(statement) {
            Ok(pairs) => return self.build(pairs, statement),
            Err(error) => error,
        };
        let keyword_tests = &mut self.keyword_tests_left;
        let parts = scan::split_at_lines(text, statement, |word| {
            *keyword_tests = keyword_tests.saturating_sub(1);
            *keyword_tests > 0 && nearest(word, statements()).is_some() && !is_reserved(word)
        });
        if parts.len() == 1 {
            self.report(statement, &error);
            return;
        }
        for part in &parts {
            match self.grammar(part) {
                Ok(pairs) => self.build(pairs, part),
                Err(error) => self.report(part, &error),
            }
        }
    }

    /// The parse tree of a statement.
    fn grammar(&self, statement: &StatementText<'_>) -> Result<Pairs<'t, Rule>, Box<Error<Rule>>> {
        let source = &self.text[statement.start..statement.end];
        Ok(Grammar::parse(Rule::single_statement, source)?)
    }

    /// Adds the tree of a statement.
    fn build(&mut self, pairs: Pairs<'_, Rule>, statement: &StatementText<'_>) {
        match build::single_statement(pairs, statement.start) {
            Ok(tree) => self.statements.push(tree),
            Err(problems) => {
                self.problems.extend(problems);
                self.unparsed(statement);
            }
        }
    }

    /// Reports why the grammar rejects a statement.
    fn report(&mut self, statement: &StatementText<'_>, error: &Error<Rule>) {
        self.unparsed(statement);
        if self.reported_at == Some(statement.start) {
            return;
        }
        let phrases = slips::corrected(self.text, statement);
        if !phrases.is_empty() {
            for phrase in &phrases {
                self.statement_begun(phrase);
            }
            self.problems.extend(phrases);
            return;
        }
        let misspelt = repair(self.text, statement, error, &mut self.repairs_left);
        if !misspelt.is_empty() {
            self.problems.extend(misspelt);
            return;
        }
        let problem = explain(self.text, statement, error);
        if let SyntaxProblem::Reserved { word, at } = &problem {
            self.reported_at = Some(at.offset());
            if let Some(ast::Statement::Unparsed(unparsed)) = self
                .statements
                .last_mut()
                .map(|statement| &mut statement.node)
            {
                unparsed.words.push(word.clone());
            }
        }
        self.problems.push(problem);
    }

    /// Adds the statement that a corrected phrase begins, so that it is not missed.
    fn statement_begun(&mut self, phrase: &SyntaxProblem) {
        let written = phrase.replacement().map(|correction| correction.with);
        let first = written
            .as_deref()
            .and_then(|with| with.split_whitespace().next());
        let keyword = statements().find(|word| first == Some(word));
        if keyword.is_some() {
            let begun = ast::Statement::Unparsed(ast::Unparsed {
                keyword,
                words: Vec::new(),
            });
            self.statements.push(Spanned::new(begun, phrase.place()));
        }
    }

    /// Adds a statement that has an error.
    fn unparsed(&mut self, statement: &StatementText<'_>) {
        let words: Vec<&str> = statement
            .tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.text(self.text))
            .collect();
        let is_keyword = |keyword: &&str| words.first() == Some(keyword);
        let keyword = statements().find(is_keyword);
        let names = words.iter().filter(|word| !is_reserved(word));
        let unparsed = ast::Unparsed {
            keyword,
            words: names.map(|&word| word.to_owned()).collect(),
        };
        self.statements.push(Spanned::new(
            ast::Statement::Unparsed(unparsed),
            (statement.start, statement.end - statement.start).into(),
        ));
    }
}

/// The largest number of words of one file that are compared with the keywords of
/// statements.
const MAX_KEYWORD_TESTS: usize = 10_000;

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
