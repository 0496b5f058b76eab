//! Calling the grammar, and saying what it missed.

use super::ast;
use super::build;
use super::problem::SyntaxProblem;
use super::scan::{self, Kind, Stretch, Token};
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
        bound_the_effort();
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

fn bound_the_effort() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| pest::set_call_limit(NonZeroUsize::new(MAX_STEPS)));
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
    bound_the_effort();
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
    let reached = |location: &InputLocation, tokens: &[Token], start: usize| {
        let at = start + offset(location);
        tokens.iter().take_while(|token| token.end <= at).count()
    };
    let mut furthest = reached(&refused.location, stretch.tokens, stretch.start);
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
                let now = reached(&error.location, &tokens, 0);
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

/// The keywords that a word may stand for, the likeliest first.
fn alike(word: &str) -> Vec<&'static str> {
    let keywords = || RESERVED.iter().chain(CONTEXTUAL).copied();
    if keywords().any(|keyword| keyword == word) {
        return Vec::new();
    }
    let mut near: Vec<(usize, &'static str)> = keywords()
        .filter_map(|keyword| Some((distance(word, keyword)?, keyword)))
        .collect();
    near.sort_unstable();
    near.into_iter()
        .map(|(_, keyword)| keyword)
        .take(2)
        .collect()
}

fn offset(location: &InputLocation) -> usize {
    match location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => *at,
    }
}

/// Turns the grammar's refusal of a stretch of text into a problem.
fn explain(text: &str, stretch: &Stretch<'_>, error: &Error<Rule>) -> SyntaxProblem {
    let missed = stretch.start + offset(&error.location);
    let index = stretch.tokens.iter().position(|token| token.end > missed);
    let offender = index.map(|i| &stretch.tokens[i]);
    let before = match index {
        Some(index) => index.checked_sub(1).map(|i| &stretch.tokens[i]),
        None => stretch.tokens.last(),
    };
    // A label after the last line break would show an empty line.
    let at: Span = offender
        .or(before)
        .map_or((0, 0).into(), |token| token.span());
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return SyntaxProblem::TooDeep {
            limit: scan::MAX_NESTING,
            at,
        };
    };
    let place = Place {
        text,
        before,
        offender,
        positives,
    };
    let expected = place.expected();
    let reserved = |token: &Token| SyntaxProblem::Reserved {
        word: token.text(text).to_owned(),
        at: token.span(),
    };
    if positives.contains(&Rule::name) {
        match (offender, &stretch.next) {
            (Some(token), _) => {
                let word = token.text(text);
                let like_a_name = LIKE_NAMES.contains(&word) || expected == "a name";
                if RESERVED.contains(&word) && like_a_name {
                    return reserved(token);
                }
            }
            (None, Some(next)) if expected == "a name" => return reserved(next),
            _ => {}
        }
    }
    SyntaxProblem::Unexpected {
        expected,
        found: match place.word() {
            Some(word) if word.chars().count() <= 40 => format!("`{word}`"),
            Some(_) => "this".to_owned(),
            None => "the end".to_owned(),
        },
        help: place.hint(),
        place: match offender {
            Some(_) => "not understood here",
            None => "something is missing after this",
        },
        at,
    }
}

/// Where the grammar could not go on.
struct Place<'t> {
    text: &'t str,
    before: Option<&'t Token>,
    offender: Option<&'t Token>,
    /// What it would have gone on with.
    positives: &'t [Rule],
}

impl<'t> Place<'t> {
    fn word(&self) -> Option<&'t str> {
        self.offender.map(|token| token.text(self.text))
    }

    fn word_before(&self) -> &'t str {
        self.before.map_or("", |token| token.text(self.text))
    }

    fn wants(&self, rule: Rule) -> bool {
        self.positives.contains(&rule)
    }

    /// What may stand here, in the language's own terms. The signs that may
    /// follow any number are told as one.
    fn expected(&self) -> String {
        match self.word_before() {
            "planar" => return "`{` or `from`".to_owned(),
            "graph" if self.wants(Rule::open_brace) => return "`{`".to_owned(),
            _ => {}
        }
        if self.word() == Some("=") && self.wants(Rule::equals) {
            return "`==`".to_owned();
        }
        // Where a number may begin, so may a dozen other things that are one.
        if self.wants(Rule::kw_each) && self.wants(Rule::kw_if) {
            return "a number or a name".to_owned();
        }
        let calculates = self.wants(Rule::plus);
        let compares = self.wants(Rule::equals) && self.wants(Rule::less);
        let mut expected: Vec<&'static str> = self
            .positives
            .iter()
            .filter(|rule| match rule {
                Rule::plus
                | Rule::minus
                | Rule::times
                | Rule::nim_sum
                | Rule::kw_div
                | Rule::kw_mod
                | Rule::dots
                | Rule::open_bracket => !calculates,
                Rule::equals
                | Rule::differs
                | Rule::at_most
                | Rule::at_least
                | Rule::less
                | Rule::greater
                | Rule::kw_is
                | Rule::kw_in => !compares,
                Rule::kw_and | Rule::kw_or | Rule::kw_implies => !calculates && !compares,
                Rule::kw_refuted => !calculates,
                Rule::negate | Rule::EOI => false,
                _ => true,
            })
            .flat_map(|rule| describe(*rule))
            .copied()
            .collect();
        expected.sort_unstable();
        expected.dedup();
        if calculates {
            expected.push("a sign such as `+`");
        } else if compares {
            expected.push("a comparison such as `==`");
        }
        if self.wants(Rule::EOI) {
            expected.push("the end");
        }
        list(&expected)
    }

    /// A mend for mistakes that are often made.
    fn hint(&self) -> Option<String> {
        let word = self.word();
        let before = self.word_before();
        let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
        if let (Some(word), Some(token)) = (word, self.offender)
            && !before.is_empty()
            && is_number(before)
            && (token.kind == Kind::Word || word == "(")
            && self.wants(Rule::times)
            && !RESERVED.contains(&word)
        {
            return Some(format!("write a product with its sign, `{before}*{word}`"));
        }
        if word == Some("=") && self.wants(Rule::equals) {
            return Some("write `==` to compare; `=` gives a name its value".to_owned());
        }
        if word == Some("==") && self.wants(Rule::assign) {
            return Some("write `=` to give a name its value; `==` compares".to_owned());
        }
        if word == Some("heap") && self.wants(Rule::expr) {
            return Some("`heaps` stands for the sizes of all heaps".to_owned());
        }
        if word == Some(".") {
            return Some("numbers are whole; a range is written `1..3`".to_owned());
        }
        if matches!(before, "planar" | "graph") {
            return Some(format!(
                "write the edges in braces, `{before} {{ A - B - C - A }}`"
            ));
        }
        if FUNCTIONS.contains(&before) && self.wants(Rule::open_paren) {
            return Some(format!(
                "`{before}` is a function; a name must be another word, such as `{before}_1`"
            ));
        }
        if before == "," && matches!(word, Some(")" | "}")) {
            return Some("take the last `,` away".to_owned());
        }
        if self.wants(Rule::single_statement) || self.wants(Rule::kw_suggest) {
            return Some(match word {
                Some(word @ ("take" | "put")) => {
                    format!("a move begins with `move`: `move {word} …`")
                }
                _ => "a statement begins with its keyword: `game`, `source`, `note`, `param`, `board`, `heaps`, `family`, `positions`, `suggest`, `start`, `move`, `claim` or `example`".to_owned(),
            });
        }
        if self.wants(Rule::kw_consecutive) && word.is_some_and(|w| !is_number(w)) {
            return Some(
                "say which: `exactly 2 heaps`, `up to 2 heaps` or `2 consecutive heaps`".to_owned(),
            );
        }
        if let Some(number) = NUMBER_WORDS.iter().position(|number| *number == before) {
            return Some(format!("write the number in digits, `{}`", number + 2));
        }
        if self.wants(Rule::position) {
            return Some(
                "write the sizes in brackets, `(1,2,3)`, or by name, `a=1 b=2`".to_owned(),
            );
        }
        if self.wants(Rule::kw_grundy) && self.wants(Rule::kw_p) {
            return Some("say what is claimed: `P iff …` or `grundy == …`".to_owned());
        }
        if self.wants(Rule::kw_else) || self.wants(Rule::kw_then) && word == Some("else") {
            return Some("an `if` has three parts: `if … then … else …`".to_owned());
        }
        if self.wants(Rule::string) && word.is_some() {
            return Some("write the text in quotes, `\"…\"`".to_owned());
        }
        None
    }
}

const NUMBER_WORDS: [&str; 9] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

fn list(expected: &[&str]) -> String {
    match expected {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] if most.len() < 7 => format!("{} or {last}", most.join(", ")),
        many => format!("{} or something of the kind", many[..6].join(", ")),
    }
}

/// The word among `candidates` that `word` most likely stands for.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(word, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How far a word is from another, if it may be that one misspelt.
fn distance(word: &str, meant: &str) -> Option<usize> {
    if word.eq_ignore_ascii_case(meant) {
        return Some(0);
    }
    let letters = word.chars().count();
    let allowed = match letters {
        0 | 1 => 0,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    // Words of too different lengths need not be compared letter by letter.
    if letters.abs_diff(meant.chars().count()) > allowed {
        return None;
    }
    let distance = edits(&word.to_lowercase(), meant);
    (distance <= allowed && distance < meant.len()).then_some(distance)
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

/// Words that mean something in one place only; elsewhere they may be names.
const CONTEXTUAL: &[&str] = &[
    "planar",
    "graph",
    "faces",
    "number",
    "shrinking",
    "to",
    "symmetry",
    "only",
    "grundy",
    "refuted",
    "at",
    "has",
    "wins",
    "by",
    "loses",
    "P",
    "N",
];

/// The words of the language that look like names for things.
const LIKE_NAMES: &[&str] = &[
    "heap",
    "some",
    "times",
    "slow",
    "equal",
    "all",
    "one",
    "total",
    "each",
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
    "up",
];

/// The words that are followed by arguments in brackets.
const FUNCTIONS: &[&str] = &[
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
    "like",
];

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

/// What a rule of the grammar is called in an error; nothing for rules that
/// would tell a reader nothing. Exhaustive, so that a new rule must choose.
fn describe(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::single_statement => &["a statement"],
        Rule::board_name => &["a kind of board"],
        Rule::node => &["a vertex"],
        Rule::cell_kind => &["`vertices`", "`edges`", "`faces`"],
        Rule::heap_ref => &["a heap"],
        Rule::step => &["`take`", "`put`"],
        Rule::selection => &["a selection such as `one heap`"],
        Rule::family_name => &["`heap`", "the name of a family"],
        Rule::verdict => &["`is P`", "`is N`", "`has grundy`", "`wins by`", "`loses`"],
        Rule::position => &["a position"],
        Rule::expr => &["a condition", "a number"],
        Rule::conjunction => &["a condition"],
        Rule::relation => &["a condition", "a number"],
        Rule::span => &["a number", "a set of numbers"],
        Rule::arith => &["a number"],
        Rule::number => &["a number"],
        Rule::string => &["a text in quotes"],
        Rule::name => &["a name"],
        Rule::word => &["a word"],
        Rule::open_paren => &["`(`"],
        Rule::close_paren => &["`)`"],
        Rule::open_brace => &["`{`"],
        Rule::close_brace => &["`}`"],
        Rule::open_bracket => &["`[`"],
        Rule::close_bracket => &["`]`"],
        Rule::comma => &["`,`"],
        Rule::colon => &["`:`"],
        Rule::dash => &["`-`"],
        Rule::dots => &["`..`"],
        Rule::assign => &["`=`"],
        Rule::equals => &["`==`"],
        Rule::differs => &["`!=`"],
        Rule::at_most => &["`<=`"],
        Rule::at_least => &["`>=`"],
        Rule::less => &["`<`"],
        Rule::greater => &["`>`"],
        Rule::plus => &["`+`"],
        Rule::minus | Rule::negate => &["`-`"],
        Rule::times => &["`*`"],
        Rule::nim_sum => &["`^`"],
        Rule::kw_game => &["`game`"],
        Rule::kw_source => &["`source`"],
        Rule::kw_note => &["`note`"],
        Rule::kw_param => &["`param`"],
        Rule::kw_board => &["`board`"],
        Rule::kw_heaps => &["`heaps`"],
        Rule::kw_heap => &["`heap`"],
        Rule::kw_family => &["`family`"],
        Rule::kw_positions => &["`positions`"],
        Rule::kw_suggest => &["`suggest`"],
        Rule::kw_start => &["`start`"],
        Rule::kw_move => &["`move`"],
        Rule::kw_claim => &["`claim`"],
        Rule::kw_example => &["`example`"],
        Rule::kw_in => &["`in`"],
        Rule::kw_on => &["`on`"],
        Rule::kw_as => &["`as`"],
        Rule::kw_from => &["`from`"],
        Rule::kw_where => &["`where`"],
        Rule::kw_when => &["`when`"],
        Rule::kw_for => &["`for`"],
        Rule::kw_some => &["`some`"],
        Rule::kw_then => &["`then`"],
        Rule::kw_optionally => &["`optionally`"],
        Rule::kw_up => &["`up to`"],
        Rule::kw_times => &["`times`"],
        Rule::kw_take => &["`take`"],
        Rule::kw_put => &["`put`"],
        Rule::kw_slow => &["`slow`"],
        Rule::kw_equal => &["`equal`"],
        Rule::kw_all => &["`all`"],
        Rule::kw_one => &["`one`"],
        Rule::kw_exactly => &["`exactly`"],
        Rule::kw_consecutive => &["`consecutive`"],
        Rule::kw_misere => &["`misere`"],
        Rule::kw_iff => &["`iff`"],
        Rule::kw_is => &["`is`"],
        Rule::kw_not => &["`not`"],
        Rule::kw_and => &["`and`"],
        Rule::kw_or => &["`or`"],
        Rule::kw_implies => &["`implies`"],
        Rule::kw_div => &["`div`"],
        Rule::kw_mod => &["`mod`"],
        Rule::kw_if => &["`if`"],
        Rule::kw_else => &["`else`"],
        Rule::kw_let => &["`let`"],
        Rule::kw_exists => &["`exists`"],
        Rule::kw_forall => &["`forall`"],
        Rule::kw_like => &["`like`"],
        Rule::kw_max => &["`max`"],
        Rule::kw_min => &["`min`"],
        Rule::kw_sum => &["`sum`"],
        Rule::kw_xor => &["`xor`"],
        Rule::kw_count => &["`count`"],
        Rule::kw_sorted => &["`sorted`"],
        Rule::kw_distinct => &["`distinct`"],
        Rule::kw_carryless => &["`carryless`"],
        Rule::kw_digit => &["`digit`"],
        Rule::kw_isqrt => &["`isqrt`"],
        Rule::kw_powers => &["`powers`"],
        Rule::kw_squares => &["`squares`"],
        Rule::kw_true => &["`true`"],
        Rule::kw_false => &["`false`"],
        Rule::kw_total => &["`total`"],
        Rule::kw_each => &["`each`"],
        Rule::kw_planar => &["`planar`"],
        Rule::kw_graph => &["`graph`"],
        Rule::kw_faces => &["`faces`"],
        Rule::kw_number => &["`number`"],
        Rule::kw_shrinking => &["`shrinking`"],
        Rule::kw_to => &["`to`"],
        Rule::kw_symmetry => &["`symmetry`"],
        Rule::kw_only => &["`only if`"],
        Rule::kw_grundy => &["`grundy`"],
        Rule::kw_refuted => &["`refuted at`"],
        Rule::kw_at => &["`at`"],
        Rule::kw_has => &["`has`"],
        Rule::kw_wins => &["`wins`"],
        Rule::kw_by => &["`by`"],
        Rule::kw_loses => &["`loses`"],
        Rule::kw_p => &["`P`"],
        Rule::kw_n => &["`N`"],
        Rule::EOI => &["the end"],
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
        | Rule::reserved => &[],
    }
}
