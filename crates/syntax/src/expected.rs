//! What may stand at a place of a half-typed text, for completion.

use super::explain::error_offset;
use super::parser::{Grammar, Rule, limit_steps};
use super::scan::{self, TokenKind};
use super::words::{self, Role, WORDS, is_reserved, keywords};
use pest::Parser as _;
use pest::error::{Error, ErrorVariant};

/// What may stand at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// The keywords, in the order of the alphabet.
    pub keywords: Vec<&'static str>,
    /// Whether a name may stand there.
    pub name: bool,
    /// Whether the kind of a board stands there.
    pub board: bool,
}

/// A sign that is no part of the language.
const NO_TOKEN: char = '\u{1}';

/// A name that no file has.
const SOME_NAME: &str = "_0_";

/// What may stand after the first `offset` bytes of a text, which do not end within a
/// word. Nothing is expected in a comment, in a string, and after an error in the same
/// statement.
///
/// # Examples
///
/// ```
/// let expected = nimrule_syntax::expected_at("game g heaps a b\nmove take 2 from ", 33);
/// assert!(expected.keywords.contains(&"one") && !expected.keywords.contains(&"claim"));
/// assert!(expected.name);
/// ```
pub fn expected_at(text: &str, offset: usize) -> Expected {
    let text = &text[..offset];
    let (tokens, _) = scan::tokens(text);
    let blank = &text[tokens.last().map_or(0, |token| token.end)..];
    let in_comment = blank.rsplit('\n').next().is_some_and(|l| l.contains("//"));
    let in_string = tokens.last().is_some_and(|token| {
        let string = token.text(text);
        token.kind == TokenKind::Text && (string.len() < 2 || !string.ends_with('"'))
    });
    if in_comment || in_string {
        return Expected::default();
    }
    let statements = scan::split_statements(text, &tokens);
    let last = statements.last().map_or("", |s| &text[s.start..s.end]);
    limit_steps(text);
    let mut expected = within(last);
    let complete = last.is_empty() || Grammar::parse(Rule::single_statement, last).is_ok();
    if complete || blank.contains('\n') {
        expected.keywords.extend(words::statements());
    }
    expected.keywords.sort_unstable();
    expected.keywords.dedup();
    expected
}

/// What may follow the beginning of a statement.
fn within(statement: &str) -> Expected {
    let refused = |word: &str| {
        let tried = format!("{statement} {word} {NO_TOKEN}");
        Grammar::parse(Rule::single_statement, &tried).err()
    };
    // A word is possible if the grammar reads on to what follows it.
    let is_read =
        |word: &str, error: &Error<Rule>| error_offset(error) > statement.len() + word.len();
    let Some(error) = refused("") else {
        return Expected::default();
    };
    if error_offset(&error) < statement.len() {
        return Expected::default();
    }
    let after_name = refused(SOME_NAME).filter(|error| is_read(SOME_NAME, error));
    let keywords = keywords().filter(|word| {
        let Some(error) = refused(word).filter(|error| is_read(word, error)) else {
            return false;
        };
        // Where a name may stand, a word that is not reserved may be one. It is a keyword
        // there if something else follows it than a name.
        match &after_name {
            Some(after_name) if !is_reserved(word) => rules(&error) != rules(after_name),
            _ => true,
        }
    });
    let mut keywords: Vec<&str> = keywords.collect();
    // These may also name a move, which the grammar distinguishes by what follows.
    if keywords.contains(&"take") {
        let actions = WORDS
            .iter()
            .filter(|word| word.role == Role::Action && !word.reserved);
        keywords.extend(actions.map(|word| word.spelling));
    }
    Expected {
        keywords,
        name: after_name.is_some(),
        board: rules(&error).contains(&Rule::board_name),
    }
}

/// The rules that the grammar tried at an error.
fn rules(error: &Error<Rule>) -> &[Rule] {
    match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => &[],
    }
}
