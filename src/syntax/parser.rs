//! Calling the grammar, and saying what it missed.

use super::ast;
use super::build;
use super::problem::SyntaxProblem;
use super::scan::{self, Kind, Token};
use crate::source::Span;
use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};
use pest_derive::Parser;
use std::num::NonZeroUsize;
use std::sync::Once;

#[derive(Parser)]
#[grammar = "../grammar/nimrule.pest"]
pub struct Grammar;

/// The grammar may take this many steps on one text; far more than any file
/// needs, and it keeps an adversary's text from taking minutes.
const MAX_STEPS: usize = 20_000_000;

/// Parses a whole file. All the statements' faults are found in one run.
pub fn parse(text: &str) -> Result<ast::File, Vec<SyntaxProblem>> {
    let (tokens, mut problems) = scan::tokens(text);
    if tokens.is_empty() {
        return Err(vec![SyntaxProblem::Empty {
            at: (0, text.len().min(1)).into(),
        }]);
    }
    problems.extend(scan::look_over(text, &tokens));
    if !problems.is_empty() {
        return Err(problems);
    }
    bound_the_effort();
    match Grammar::parse(Rule::file, text) {
        Ok(pairs) => {
            let mut problems = Vec::new();
            let file = build::file(pairs, &mut problems);
            if problems.is_empty() {
                Ok(file)
            } else {
                Err(problems)
            }
        }
        Err(error) => {
            let whole = explain(text, &tokens, 0, text.len(), &error);
            let mut problems = statement_by_statement(text, &tokens);
            if problems.is_empty() {
                problems.push(whole);
            }
            Err(problems)
        }
    }
}

/// Parses a position as it is given on the command line.
pub fn parse_position(text: &str) -> Result<ast::Position, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_position, build::single_position)
}

/// Parses the value of a parameter as it is given on the command line.
pub fn parse_value(text: &str) -> Result<ast::Expr, Vec<SyntaxProblem>> {
    parse_alone(text, Rule::single_value, build::single_value)
}

fn parse_alone<T>(
    text: &str,
    rule: Rule,
    build: impl Fn(pest::iterators::Pairs<'_, Rule>, &mut Vec<SyntaxProblem>) -> T,
) -> Result<T, Vec<SyntaxProblem>> {
    let (tokens, mut problems) = scan::tokens(text);
    problems.extend(scan::look_over(text, &tokens));
    if !problems.is_empty() {
        return Err(problems);
    }
    bound_the_effort();
    match Grammar::parse(rule, text) {
        Ok(pairs) => {
            let built = build(pairs, &mut problems);
            if problems.is_empty() {
                Ok(built)
            } else {
                Err(problems)
            }
        }
        Err(error) => Err(vec![explain(text, &tokens, 0, text.len(), &error)]),
    }
}

fn bound_the_effort() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| pest::set_call_limit(NonZeroUsize::new(MAX_STEPS)));
}

/// Parses every statement by itself, so that a fault in one does not hide
/// those in the next.
fn statement_by_statement(text: &str, tokens: &[Token]) -> Vec<SyntaxProblem> {
    let mut problems = Vec::new();
    let close =
        |word: &str| nearest(word, scan::STATEMENTS).is_some() && !scan::STATEMENTS.contains(&word);
    for (start, end) in scan::stretches(text, tokens, close) {
        let inside = tokens
            .iter()
            .any(|token| start <= token.start && token.start < end);
        if !inside {
            continue;
        }
        match Grammar::parse(Rule::single_statement, &text[start..end]) {
            Ok(pairs) => {
                let mut found = Vec::new();
                build::single_statement(pairs, &mut found);
                problems.extend(found.into_iter().map(|p| moved(p, start)));
            }
            Err(error) => problems.push(explain(text, tokens, start, end, &error)),
        }
    }
    problems
}

/// Numbers found too large while building one statement carry its own
/// offsets; move them to the file's.
fn moved(problem: SyntaxProblem, by: usize) -> SyntaxProblem {
    match problem {
        SyntaxProblem::NumberTooLarge { at, digits } => SyntaxProblem::NumberTooLarge {
            at: (at.offset() + by, at.len()).into(),
            digits,
        },
        other => other,
    }
}

/// Turns the grammar's refusal of `text[start..end]` into a problem.
fn explain(
    text: &str,
    tokens: &[Token],
    start: usize,
    end: usize,
    error: &Error<Rule>,
) -> SyntaxProblem {
    let missed = start
        + match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
    let offender = tokens
        .iter()
        .find(|token| token.end > missed && token.start < end && token.start >= start);
    let at: Span = match offender {
        Some(token) => token.span(),
        None => end_of_text(text, tokens, end),
    };
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return SyntaxProblem::TooDeep {
            limit: scan::MAX_NESTING,
            at,
        };
    };
    let mut expected: Vec<&'static str> = positives
        .iter()
        .filter_map(|rule| describe(*rule))
        .collect();
    expected.sort_unstable();
    expected.dedup();
    let word = offender.map(|token| token.text(text));
    if let (Some(word), Some(token)) = (word, offender)
        && token.kind == Kind::Word
    {
        let keywords = positives.iter().filter_map(|rule| keyword(*rule));
        if let Some(meant) = nearest(word, keywords)
            .or_else(|| nearest(word, keyword_at_start(text, tokens, token, start)))
            && meant != word
        {
            return SyntaxProblem::Misspelt {
                word: word.to_owned(),
                meant: meant.to_owned(),
                at,
            };
        }
        if positives.contains(&Rule::name)
            && RESERVED.contains(&word)
            && !scan::STATEMENTS.contains(&word)
        {
            return SyntaxProblem::Reserved {
                word: word.to_owned(),
                at,
            };
        }
    }
    if word == Some("=") && positives.contains(&Rule::equals) {
        return SyntaxProblem::ForeignSign {
            sign: "=".to_owned(),
            mend: "write `==` to compare; `=` gives a name its value".to_owned(),
            at,
        };
    }
    SyntaxProblem::Unexpected {
        expected: list(&expected),
        found: match (word, offender) {
            (Some(word), Some(token)) if token.kind == Kind::Word => format!("`{word}`"),
            (Some(word), _) if word.len() <= 40 => format!("`{word}`"),
            (Some(_), _) => "this".to_owned(),
            (None, _) => "the end of the statement".to_owned(),
        },
        help: hint(text, tokens, offender, positives),
        at,
    }
}

/// Where a statement has already parsed as far as it goes, what stands next
/// may be a new statement's keyword, misspelt.
fn keyword_at_start(
    text: &str,
    tokens: &[Token],
    token: &Token,
    start: usize,
) -> Vec<&'static str> {
    let first = tokens.iter().find(|t| t.start >= start);
    let begins = first.is_some_and(|first| first.start == token.start);
    let own_line = text[..token.start]
        .rsplit('\n')
        .next()
        .is_none_or(|before| before.trim().is_empty());
    if begins || own_line {
        scan::STATEMENTS.to_vec()
    } else {
        Vec::new()
    }
}

/// A mend for mistakes that are often made.
fn hint(
    text: &str,
    tokens: &[Token],
    offender: Option<&Token>,
    positives: &[Rule],
) -> Option<String> {
    let word = offender?.text(text);
    let before = tokens
        .iter()
        .rev()
        .find(|token| token.end <= offender.map_or(0, |o| o.start))
        .map(|token| token.text(text));
    if before.is_some_and(|b| b.chars().all(|c| c.is_ascii_digit()))
        && offender?.kind == Kind::Word
        && positives.contains(&Rule::times)
    {
        return Some(format!(
            "write a product with its sign, `{}*{word}`",
            before.unwrap_or("2")
        ));
    }
    if word == "-" || word == "->" {
        return None;
    }
    if scan::STATEMENTS.contains(&word) && word != "heaps" {
        return Some(format!(
            "`{word}` begins the next statement; the one before it is not complete"
        ));
    }
    None
}

fn end_of_text(text: &str, tokens: &[Token], end: usize) -> Span {
    // A label after the last line break would show an empty line.
    match tokens.iter().rev().find(|token| token.end <= end) {
        Some(last) => (last.start, last.end - last.start).into(),
        None => (text.len().saturating_sub(1), 0).into(),
    }
}

fn list(expected: &[&str]) -> String {
    match expected {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] if most.len() < 6 => format!("{} or {last}", most.join(", ")),
        many => format!("{} or something of the kind", many[..6].join(", ")),
    }
}

/// The word among `candidates` that `word` most likely stands for.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = match word.chars().count() {
        0 | 1 => 0,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (edits(&word.to_lowercase(), candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be put in, left out, changed or swapped with their
/// neighbour to turn one word into the other.
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().take(40).collect();
    let to: Vec<char> = to.chars().take(40).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let change = usize::from(from[i - 1] != to[j - 1]);
            let mut best = (rows[i - 1][j] + 1)
                .min(row[j - 1] + 1)
                .min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

/// The words that can never be names.
const RESERVED: &[&str] = &[
    "game",
    "source",
    "note",
    "param",
    "board",
    "heaps",
    "heap",
    "family",
    "positions",
    "suggest",
    "start",
    "move",
    "claim",
    "example",
    "in",
    "on",
    "as",
    "from",
    "where",
    "when",
    "for",
    "some",
    "then",
    "optionally",
    "up",
    "times",
    "take",
    "put",
    "slow",
    "equal",
    "all",
    "one",
    "exactly",
    "consecutive",
    "misere",
    "iff",
    "is",
    "not",
    "and",
    "or",
    "implies",
    "div",
    "mod",
    "if",
    "else",
    "let",
    "exists",
    "forall",
    "like",
    "max",
    "min",
    "sum",
    "xor",
    "count",
    "sorted",
    "distinct",
    "carryless",
    "digit",
    "isqrt",
    "powers",
    "squares",
    "true",
    "false",
    "total",
    "each",
];

/// The keyword that a rule stands for.
pub fn keyword(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::kw_game => "game",
        Rule::kw_source => "source",
        Rule::kw_note => "note",
        Rule::kw_param => "param",
        Rule::kw_board => "board",
        Rule::kw_heaps => "heaps",
        Rule::kw_heap => "heap",
        Rule::kw_family => "family",
        Rule::kw_positions => "positions",
        Rule::kw_suggest => "suggest",
        Rule::kw_start => "start",
        Rule::kw_move => "move",
        Rule::kw_claim => "claim",
        Rule::kw_example => "example",
        Rule::kw_in => "in",
        Rule::kw_on => "on",
        Rule::kw_as => "as",
        Rule::kw_from => "from",
        Rule::kw_where => "where",
        Rule::kw_when => "when",
        Rule::kw_for => "for",
        Rule::kw_some => "some",
        Rule::kw_then => "then",
        Rule::kw_optionally => "optionally",
        Rule::kw_up => "up",
        Rule::kw_times => "times",
        Rule::kw_take => "take",
        Rule::kw_put => "put",
        Rule::kw_slow => "slow",
        Rule::kw_equal => "equal",
        Rule::kw_all => "all",
        Rule::kw_one => "one",
        Rule::kw_exactly => "exactly",
        Rule::kw_consecutive => "consecutive",
        Rule::kw_misere => "misere",
        Rule::kw_iff => "iff",
        Rule::kw_is => "is",
        Rule::kw_not => "not",
        Rule::kw_and => "and",
        Rule::kw_or => "or",
        Rule::kw_implies => "implies",
        Rule::kw_div => "div",
        Rule::kw_mod => "mod",
        Rule::kw_if => "if",
        Rule::kw_else => "else",
        Rule::kw_let => "let",
        Rule::kw_exists => "exists",
        Rule::kw_forall => "forall",
        Rule::kw_like => "like",
        Rule::kw_max => "max",
        Rule::kw_min => "min",
        Rule::kw_sum => "sum",
        Rule::kw_xor => "xor",
        Rule::kw_count => "count",
        Rule::kw_sorted => "sorted",
        Rule::kw_distinct => "distinct",
        Rule::kw_carryless => "carryless",
        Rule::kw_digit => "digit",
        Rule::kw_isqrt => "isqrt",
        Rule::kw_powers => "powers",
        Rule::kw_squares => "squares",
        Rule::kw_true => "true",
        Rule::kw_false => "false",
        Rule::kw_total => "total",
        Rule::kw_each => "each",
        Rule::kw_planar => "planar",
        Rule::kw_graph => "graph",
        Rule::kw_faces => "faces",
        Rule::kw_number => "number",
        Rule::kw_shrinking => "shrinking",
        Rule::kw_to => "to",
        Rule::kw_symmetry => "symmetry",
        Rule::kw_only => "only",
        Rule::kw_grundy => "grundy",
        Rule::kw_refuted => "refuted",
        Rule::kw_at => "at",
        Rule::kw_has => "has",
        Rule::kw_wins => "wins",
        Rule::kw_by => "by",
        Rule::kw_loses => "loses",
        Rule::kw_p => "P",
        Rule::kw_n => "N",
        _ => return None,
    })
}

/// What a rule of the grammar is called in an error; `None` for rules that
/// would say nothing to a reader. Exhaustive, so that a new rule must choose.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::single_statement => "a statement",
        Rule::board_name => "a kind of board",
        Rule::node => "a vertex",
        Rule::cell_kind => "`vertices`, `edges` or `faces`",
        Rule::heap_ref => "a heap",
        Rule::step => "`take` or `put`",
        Rule::selection => "what to take from",
        Rule::family_name => "`heap`, or the name of a family",
        Rule::verdict => "`is P`, `is N`, `has grundy`, `wins by` or `loses`",
        Rule::position => "a position",
        Rule::expr => "a condition or a number",
        Rule::conjunction => "a condition",
        Rule::relation => "a condition or a number",
        Rule::span => "a number or a set of numbers",
        Rule::arith => "a number",
        Rule::number => "a number",
        Rule::string => "a text in quotes",
        Rule::name => "a name",
        Rule::word => "a word",
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::open_brace => "`{`",
        Rule::close_brace => "`}`",
        Rule::open_bracket => "`[`",
        Rule::close_bracket => "`]`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::dash => "`-`",
        Rule::dots => "`..`",
        Rule::assign => "`=`",
        Rule::equals => "`==`",
        Rule::differs => "`!=`",
        Rule::at_most => "`<=`",
        Rule::at_least => "`>=`",
        Rule::less => "`<`",
        Rule::greater => "`>`",
        Rule::plus => "`+`",
        Rule::minus | Rule::negate => "`-`",
        Rule::times => "`*`",
        Rule::nim_sum => "`^`",
        Rule::kw_game => "`game`",
        Rule::kw_source => "`source`",
        Rule::kw_note => "`note`",
        Rule::kw_param => "`param`",
        Rule::kw_board => "`board`",
        Rule::kw_heaps => "`heaps`",
        Rule::kw_heap => "`heap`",
        Rule::kw_family => "`family`",
        Rule::kw_positions => "`positions`",
        Rule::kw_suggest => "`suggest`",
        Rule::kw_start => "`start`",
        Rule::kw_move => "`move`",
        Rule::kw_claim => "`claim`",
        Rule::kw_example => "`example`",
        Rule::kw_in => "`in`",
        Rule::kw_on => "`on`",
        Rule::kw_as => "`as`",
        Rule::kw_from => "`from`",
        Rule::kw_where => "`where`",
        Rule::kw_when => "`when`",
        Rule::kw_for => "`for`",
        Rule::kw_some => "`some`",
        Rule::kw_then => "`then`",
        Rule::kw_optionally => "`optionally`",
        Rule::kw_up => "`up`",
        Rule::kw_times => "`times`",
        Rule::kw_take => "`take`",
        Rule::kw_put => "`put`",
        Rule::kw_slow => "`slow`",
        Rule::kw_equal => "`equal`",
        Rule::kw_all => "`all`",
        Rule::kw_one => "`one`",
        Rule::kw_exactly => "`exactly`",
        Rule::kw_consecutive => "`consecutive`",
        Rule::kw_misere => "`misere`",
        Rule::kw_iff => "`iff`",
        Rule::kw_is => "`is`",
        Rule::kw_not => "`not`",
        Rule::kw_and => "`and`",
        Rule::kw_or => "`or`",
        Rule::kw_implies => "`implies`",
        Rule::kw_div => "`div`",
        Rule::kw_mod => "`mod`",
        Rule::kw_if => "`if`",
        Rule::kw_else => "`else`",
        Rule::kw_let => "`let`",
        Rule::kw_exists => "`exists`",
        Rule::kw_forall => "`forall`",
        Rule::kw_like => "`like`",
        Rule::kw_max => "`max`",
        Rule::kw_min => "`min`",
        Rule::kw_sum => "`sum`",
        Rule::kw_xor => "`xor`",
        Rule::kw_count => "`count`",
        Rule::kw_sorted => "`sorted`",
        Rule::kw_distinct => "`distinct`",
        Rule::kw_carryless => "`carryless`",
        Rule::kw_digit => "`digit`",
        Rule::kw_isqrt => "`isqrt`",
        Rule::kw_powers => "`powers`",
        Rule::kw_squares => "`squares`",
        Rule::kw_true => "`true`",
        Rule::kw_false => "`false`",
        Rule::kw_total => "`total`",
        Rule::kw_each => "`each`",
        Rule::kw_planar => "`planar`",
        Rule::kw_graph => "`graph`",
        Rule::kw_faces => "`faces`",
        Rule::kw_number => "`number`",
        Rule::kw_shrinking => "`shrinking`",
        Rule::kw_to => "`to`",
        Rule::kw_symmetry => "`symmetry`",
        Rule::kw_only => "`only`",
        Rule::kw_grundy => "`grundy`",
        Rule::kw_refuted => "`refuted`",
        Rule::kw_at => "`at`",
        Rule::kw_has => "`has`",
        Rule::kw_wins => "`wins`",
        Rule::kw_by => "`by`",
        Rule::kw_loses => "`loses`",
        Rule::kw_p => "`P`",
        Rule::kw_n => "`N`",
        Rule::EOI => "the next statement",
        Rule::WHITESPACE
        | Rule::COMMENT
        | Rule::file
        | Rule::single_position
        | Rule::single_value
        | Rule::statement
        | Rule::game
        | Rule::source
        | Rule::note
        | Rule::param
        | Rule::param_item
        | Rule::board
        | Rule::board_spec
        | Rule::planar_board
        | Rule::graph_board
        | Rule::file_board
        | Rule::file_ref
        | Rule::named_board
        | Rule::board_arguments
        | Rule::edge_list
        | Rule::path
        | Rule::face_list
        | Rule::face_cycle
        | Rule::heaps
        | Rule::heap_group
        | Rule::cell_heaps
        | Rule::ranged_heaps
        | Rule::counted_heaps
        | Rule::family
        | Rule::heap_set
        | Rule::positions
        | Rule::suggest
        | Rule::start
        | Rule::mover
        | Rule::when
        | Rule::for_some
        | Rule::repeat
        | Rule::action
        | Rule::take
        | Rule::put
        | Rule::amount
        | Rule::every
        | Rule::one
        | Rule::up_to
        | Rule::exactly
        | Rule::consecutive
        | Rule::heap_place
        | Rule::claim
        | Rule::for_clause
        | Rule::p_claim
        | Rule::symmetric
        | Rule::only_if
        | Rule::grundy_claim
        | Rule::refuted
        | Rule::example
        | Rule::is_p
        | Rule::is_n
        | Rule::has_grundy
        | Rule::wins_by
        | Rule::tuple
        | Rule::named_sizes
        | Rule::named_size
        | Rule::logic_op
        | Rule::identity
        | Rule::compare_op
        | Rule::arith_op
        | Rule::primary
        | Rule::like
        | Rule::conditional
        | Rule::let_in
        | Rule::quantified
        | Rule::binder
        | Rule::call
        | Rule::function
        | Rule::generator
        | Rule::powers
        | Rule::heap_index
        | Rule::braces
        | Rule::parens
        | Rule::indexed
        | Rule::string_text
        | Rule::word_char
        | Rule::edge_of_word
        | Rule::reserved => return None,
    })
}
