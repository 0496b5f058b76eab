//! Error messages for texts that the grammar rejects: the unexpected word, what is
//! expected in its place, and the likely correction.

use super::parser::{Grammar, Rule};
use super::problem::{Replacement, SyntaxProblem};
use super::scan::{self, StatementText, Token, TokenKind};
use super::words::{Role, WORDS, Word, find, functions, is_keyword, is_reserved, keyword};
use nimrule_model::source::Span;
use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};
use std::ops::Range;

/// The correction of a number of players.
pub const TWO_PLAYERS: &str =
    "a game has two players, and no statement says so; a move of one of them is `move left …`";

/// The offset at which the grammar rejects the text.
pub fn error_offset(error: &Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// Converts the grammar's error about one statement to a diagnostic.
pub fn explain(text: &str, statement: &StatementText<'_>, error: &Error<Rule>) -> SyntaxProblem {
    let missed = statement.start + error_offset(error);
    let index = statement.tokens.iter().position(|token| token.end > missed);
    let offender = index.map(|i| &statement.tokens[i]);
    let before = match index {
        Some(index) => index.checked_sub(1).map(|i| &statement.tokens[i]),
        None => statement.tokens.last(),
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
    let place = ErrorPlace {
        text,
        tokens: statement.tokens,
        before,
        offender,
        positives,
        words: statement
            .tokens
            .iter()
            .map(|token| token.text(text))
            .collect(),
        index: index.unwrap_or(statement.tokens.len()),
    };
    if let Some((unknown, expected, help)) = place.unknown() {
        let token = &statement.tokens[unknown];
        return SyntaxProblem::Unexpected {
            expected: expected.to_owned(),
            found: format!("`{}`", token.text(text)),
            place: match expected {
                "the heaps" => "no heaps are named",
                _ => "unknown",
            },
            at: token.span(),
            help: Some(help),
            fix: None,
        };
    }
    let expected = place.expected();
    let reserved = |token: &Token| SyntaxProblem::Reserved {
        word: token.text(text).to_owned(),
        at: token.span(),
    };
    if positives.contains(&Rule::name) {
        match (offender, &statement.next) {
            (Some(token), _) => {
                let word = token.text(text);
                let like_a_name = find(word).is_some_and(is_like_a_name) || expected == "a name";
                if is_reserved(word) && like_a_name {
                    return reserved(token);
                }
            }
            (None, Some(next)) if expected == "a name" => return reserved(next),
            _ => {}
        }
    }
    let (help, fix) = place.correction().unzip();
    SyntaxProblem::Unexpected {
        expected,
        found: match place.word() {
            Some(word) if word.chars().count() <= 40 => format!("`{word}`"),
            Some(_) => "this".to_owned(),
            None => "the end".to_owned(),
        },
        help,
        fix: fix.flatten(),
        place: match offender {
            Some(_) => "unexpected",
            None => "something is missing after this",
        },
        at,
    }
}

/// A correction in words, and as an edit.
type Hint = (String, Option<Replacement>);

/// The place at which the grammar rejects the text.
struct ErrorPlace<'t> {
    text: &'t str,
    /// The tokens of the statement.
    tokens: &'t [Token],
    before: Option<&'t Token>,
    offender: Option<&'t Token>,
    /// The rules of the grammar that could match here.
    positives: &'t [Rule],
    /// The words of the statement.
    words: Vec<&'t str>,
    /// The index of the offender; the number of words at the end.
    index: usize,
}

impl<'t> ErrorPlace<'t> {
    fn word(&self) -> Option<&'t str> {
        self.offender.map(|token| token.text(self.text))
    }

    fn word_before(&self) -> &'t str {
        self.before.map_or("", |token| token.text(self.text))
    }

    /// Whether the word before stands on the line of the offender.
    fn is_on_the_same_line(&self) -> bool {
        let (Some(before), Some(offender)) = (self.before, self.offender) else {
            return false;
        };
        let between = before.end..offender.start;
        self.text
            .get(between)
            .is_some_and(|text| !text.contains('\n'))
    }

    fn expects(&self, rule: Rule) -> bool {
        self.positives.contains(&rule)
    }

    /// What is expected here, in the terms of the language. The operators that may
    /// follow any number are listed as one entry.
    fn expected(&self) -> String {
        match self.word_before() {
            "planar" => return "`{` or `from`".to_owned(),
            "graph" if self.expects(Rule::open_brace) => return "`{`".to_owned(),
            _ => {}
        }
        if self.word() == Some("=") && self.expects(Rule::equals) {
            return "`==`".to_owned();
        }
        // Where a number may begin, a dozen rules match that are all numbers.
        if self.expects(Rule::kw_each) && self.expects(Rule::kw_if) {
            return "a number or a name".to_owned();
        }
        let calculates = self.expects(Rule::plus);
        let compares = self.expects(Rule::equals) && self.expects(Rule::less);
        let mut expected: Vec<String> = self
            .positives
            .iter()
            .filter(|rule| match rule {
                Rule::plus
                | Rule::minus
                | Rule::times
                | Rule::nim_sum
                | Rule::kw_div
                | Rule::kw_mod
                | Rule::dot
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
                Rule::negative | Rule::EOI => false,
                _ => true,
            })
            .flat_map(|rule| describe(*rule))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        if calculates {
            expected.push("an operator such as `+`".to_owned());
        } else if compares {
            expected.push("a comparison such as `==`".to_owned());
        }
        if self.expects(Rule::EOI) {
            expected.push("the end".to_owned());
        }
        list(&expected)
    }

    /// An action or a function that the language does not have, or a word that is read as a
    /// name: its index, what is expected, and the correction.
    fn unknown(&self) -> Option<(usize, &'static str, String)> {
        if let ["heaps", "of", word, ..] = self.words[..] {
            let size = match word {
                "real" => "of real size",
                _ => "of size 0..3",
            };
            let help = format!(
                "say which heaps first: `heaps 4 {size}`, or on the vertices of a board `heaps on \
                 vertices {size}`"
            );
            return Some((1, "the heaps", help));
        }
        if self.words.first() == Some(&"move") {
            let side = matches!(self.words.get(1), Some(&("left" | "right")));
            let first = 1 + usize::from(side);
            let word = self.words.get(first)?;
            let next = self.words.get(first + 1).copied().unwrap_or_default();
            // The name of a move stands before an action.
            let is_name = is_action(next)
                || matches!(
                    next,
                    "when" | "for" | "optionally" | "up" | "octal" | "times"
                )
                || self.words[first..]
                    .iter()
                    .take(5)
                    .any(|word| *word == "times");
            if is_word(word) && !is_reserved(word) && !is_action(word) && !is_name {
                let meant = match *word {
                    "remove" | "delete" | "subtract" | "eat" | "discard" | "pick" | "removes" => {
                        "; write `take`"
                    }
                    "add" | "place" | "drop" => "; write `put`",
                    "turn" => "; write `flip`",
                    "break" | "divide" => "; write `split`",
                    _ => "",
                };
                let actions = WORDS.iter().filter(|word| word.role == Role::Action);
                let actions = listed(actions).join(", ");
                let help = format!("there is no action `{word}`; the actions are {actions}{meant}");
                return (self.index > first).then_some((first, "an action", help));
            }
        }
        let before = self.word_before();
        if self.word() == Some("(")
            && self.expects(Rule::times)
            && is_word(before)
            && !is_keyword(before)
        {
            let functions = listed(functions().map(|(_, word)| word)).join(", ");
            let meant = match before {
                "floor" => {
                    "; write `wythoff(b)` for the golden ratio times b, `beatty(b, p, q, d, r)` for \
                     b*(p + q*√d)/r, `a div b` for a quotient, all rounded down"
                }
                "nimsum" | "nim_sum" => "; write `a ^ b`",
                "nim_product" | "nimprod" | "nim_mul" | "nimmul" => "; write `nimproduct(a, b)`",
                "choose" | "binom" | "comb" | "C" => "; write `binomial(n, k)`",
                "sqrt" => "; write `isqrt(a)`, which rounds down",
                _ => "",
            };
            let help = format!(
                "there is no function `{before}`{meant}; the functions are {functions}; a product \
                 is written with `*`"
            );
            return Some((self.index - 1, "a function", help));
        }
        None
    }

    /// The correction of an amount: `1,3,4`, `1 or 3`, `1 to 3`, `at least 1`.
    fn amount_hint(&self) -> Option<Hint> {
        let rest = &self.words[..];
        let begin = rest[..self.index.min(rest.len())]
            .iter()
            .rposition(|word| matches!(*word, "take" | "put"))?;
        let action = rest[begin];
        let length = rest[begin..]
            .iter()
            .position(|word| matches!(*word, "from" | "on"))?;
        if self.index > begin + length {
            return None;
        }
        let amount = &rest[begin + 1..begin + length];
        // How the amount is called, and how it is written.
        let (kind, written) = match amount {
            ["at", "least", low] => ("a range without an end", format!("{low}..")),
            ["at", "most", high] => ("a range", format!("1..{high}")),
            ["more", "than", low] => {
                let low = low.parse::<u32>().map_or_else(
                    |_| format!("{low} + 1"),
                    |low| low.saturating_add(1).to_string(),
                );
                ("a range without an end", format!("{low}.."))
            }
            ["less" | "fewer", "than", high] => ("a range", format!("1..{high} - 1")),
            [low, "to" | "-", high] => ("a range", format!("{low}..{high}")),
            [
                number @ ..,
                unit @ ("tokens" | "token" | "coins" | "coin" | "stones" | "stone" | "objects"),
            ] => {
                let help = format!("remove `{unit}`: the number stands alone");
                let (first, last) = (begin + 1, begin + length);
                let fix = (!number.is_empty()).then(|| self.fix(last - 1..last, String::new()));
                return (first < last).then_some((help, fix));
            }
            _ => {
                let numbers: Vec<&str> = amount
                    .iter()
                    .copied()
                    .filter(|word| is_number(word))
                    .collect();
                let listed = |word: &&str| {
                    is_number(word)
                        || matches!(
                            *word,
                            "," | "or" | "and" | "[" | "]" | "(" | ")" | "{" | "}"
                        )
                };
                if numbers.len() < 2 || !amount.iter().all(listed) {
                    return None;
                }
                ("a set in braces", format!("{{{}}}", numbers.join(",")))
            }
        };
        let help = format!("write {kind}: `{action} {written}`");
        Some((help, Some(self.fix(begin + 1..begin + length, written))))
    }

    /// The correction of a selection: `any heap`, `1 heap`, `a or b`.
    fn selection_hint(&self) -> Option<Hint> {
        let (word, before) = (self.word()?, self.word_before());
        let is_family = matches!(word, "heap" | "token");
        let (words, written) = if is_family
            && matches!(
                before,
                "any" | "a" | "an" | "1" | "each" | "single" | "some"
            ) {
            (self.index - 1..self.index + 1, format!("one {word}"))
        } else if word == "or" && self.expects(Rule::kw_consecutive) {
            let after = self.words.get(self.index + 1)?;
            let words = self.index - 1..self.index + 2;
            (words, format!("one of {before} {after}"))
        } else {
            return None;
        };
        let help = format!("write `{written}`");
        Some((help, Some(self.fix(words, written))))
    }

    /// The edit that writes something in the place of some words.
    fn fix(&self, words: Range<usize>, with: String) -> Replacement {
        let start = self.tokens[words.start].start;
        let end = self.tokens[words.end - 1].end;
        Replacement {
            at: (start, end - start).into(),
            with,
        }
    }

    /// The correction of a name.
    fn name_hint(&self) -> Option<String> {
        let (word, before) = (self.word()?, self.word_before());
        if self.words.first() == Some(&"game") && word == "-" {
            let after = self.words.get(self.index + 1)?;
            return Some(format!(
                "a name has letters, digits and `_`: `{before}_{after}`; a title in quotes may \
                 follow it"
            ));
        }
        let part = Grammar::parse(Rule::word, word).map_or(0, |pairs| pairs.as_str().len());
        let other = word[part..].chars().next()?;
        is_word(word)
            .then(|| format!("names have letters, digits and `_`, and `{other}` is none of these"))
    }

    /// The correction of a common mistake, with its edit where that is certain.
    fn correction(&self) -> Option<Hint> {
        if self.word() == Some("players") {
            return Some((TWO_PLAYERS.to_owned(), None));
        }
        self.amount_hint()
            .or_else(|| self.selection_hint())
            .or_else(|| Some((self.name_hint().or_else(|| self.hint())?, None)))
    }

    /// What helps with a common mistake.
    fn hint(&self) -> Option<String> {
        let word = self.word();
        let before = self.word_before();
        if let (Some(word), Some(token)) = (word, self.offender)
            && !before.is_empty()
            && is_number(before)
            && self.is_on_the_same_line()
            && (token.kind == TokenKind::Word || word == "(")
            && self.expects(Rule::times)
            && !is_keyword(word)
        {
            return Some(format!("write a product with `*`: `{before}*{word}`"));
        }
        if word == Some("then") && before == "again" {
            return Some(
                "`again` ends a move: write what follows as another move, `move …`; a state may \
                 say which of them is allowed"
                    .to_owned(),
            );
        }
        if self.words.first() == Some(&"state") && self.expects(Rule::kw_in) {
            return Some(format!(
                "write the range of the state after `in`: `state {before} in 0..3`"
            ));
        }
        if before == ";" && word.is_some_and(is_number) {
            return Some(
                "write `,` between the sizes; after `;` stand the states by name, as in `(5; last \
                 2)`"
                .to_owned(),
            );
        }
        if word == Some("=") && self.expects(Rule::equals) {
            return Some("write `==` to compare; `=` gives a name its value".to_owned());
        }
        if word == Some("==") && self.expects(Rule::assign) {
            return Some("write `=` to give a name its value; `==` compares".to_owned());
        }
        if word == Some("heap") && self.expects(Rule::expr) {
            return Some("write `heaps` for the sizes of all heaps".to_owned());
        }
        if word == Some(".") {
            let help = "numbers are integers; a range is written `1..3`";
            return Some(match is_number(before) {
                true => format!("{help}, and an octal code in quotes, `\"0.77\"`"),
                false => help.to_owned(),
            });
        }
        if matches!(before, "planar" | "graph") {
            return Some(format!(
                "write the edges in braces, `{before} {{ A - B - C - A }}`"
            ));
        }
        if let Some(word) = find(before)
            && matches!(word.role, Role::Function(..) | Role::Form)
            && self.expects(Rule::open_paren)
        {
            let other = match word.reserved {
                true => format!("; a name must be another word, such as `{before}_1`"),
                false => String::new(),
            };
            let example = word.example;
            return Some(format!(
                "`{before}` is followed by brackets, as in `{example}`{other}"
            ));
        }
        if self.expects(Rule::kw_through) {
            let example = find("joined").map_or("", |word| word.example);
            return Some(format!("name the heaps of the path, as in `{example}`"));
        }
        if before == "," && matches!(word, Some(")" | "}")) {
            return Some("remove the last `,`".to_owned());
        }
        if self.expects(Rule::single_statement) || self.expects(Rule::kw_suggest) {
            return Some(match word {
                Some(
                    "def" | "function" | "class" | "fn" | "import" | "return" | "while" | "print",
                ) => "a rule is no program, it consists of statements: `game nim heaps 3 move take 1..3 from one heap`".to_owned(),
                _ => {
                    let words = WORDS.iter().filter(|word| word.role == Role::Statement);
                    let words = listed(words).join(", ");
                    format!("a statement begins with its keyword, one of {words}")
                }
            });
        }
        if self.expects(Rule::kw_consecutive) {
            let written = NUMBER_WORDS.iter().position(|number| *number == before);
            let number = match written {
                Some(number) => Some((number + 2).to_string()),
                None => is_number(before).then(|| before.to_owned()),
            };
            match number {
                Some(n) if word.is_some_and(|w| !is_number(w)) => {
                    return Some(format!(
                        "write `exactly {n} heaps`, `up to {n} heaps` or `{n} consecutive heaps`"
                    ));
                }
                None if before == "heaps" => {
                    return Some("write `one heap`, `exactly 2 heaps` or `all heaps`".to_owned());
                }
                None if matches!(word, Some("heap" | "heaps")) => {
                    return Some("write `one heap`, or the name of a heap alone".to_owned());
                }
                _ => {}
            }
        }
        if let Some(number) = NUMBER_WORDS.iter().position(|number| *number == before) {
            return Some(format!("write the number in digits, `{}`", number + 2));
        }
        if self.expects(Rule::position) {
            return Some(
                "write the sizes in brackets, `(1,2,3)`, or by name, `a=1 b=2`".to_owned(),
            );
        }
        if self.expects(Rule::kw_grundy) && self.expects(Rule::kw_p) {
            return Some("state the claim: `P iff …` or `grundy == …`".to_owned());
        }
        if self.expects(Rule::kw_else) || self.expects(Rule::kw_then) && word == Some("else") {
            return Some("an `if` expression has three parts: `if … then … else …`".to_owned());
        }
        if self.expects(Rule::string) && word.is_some() {
            return Some("write the string in quotes, `\"…\"`".to_owned());
        }
        None
    }
}

/// Whether a word begins a step of a move.
pub fn is_action(word: &str) -> bool {
    find(word).is_some_and(|word| word.role == Role::Action)
}

/// Whether a reader might take a keyword for a name.
fn is_like_a_name(word: &Word) -> bool {
    matches!(
        word.role,
        Role::Quantity | Role::Constant | Role::Function(..) | Role::Form
    )
}

/// Words as a list, each in backticks.
fn listed(words: impl Iterator<Item = &'static Word>) -> Vec<String> {
    words.map(|word| format!("`{}`", word.spelling)).collect()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words for the numbers from 2 on.
pub const NUMBER_WORDS: [&str; 9] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

fn list(expected: &[String]) -> String {
    match expected {
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [most @ .., last] if most.len() < 7 => format!("{} or {last}", most.join(", ")),
        many => format!("{} or similar", many[..6].join(", ")),
    }
}

/// The descriptions of a grammar rule in an error message; none for rules that
/// mean nothing to a reader.
fn describe(rule: Rule) -> Vec<String> {
    let written: &[&str] = match rule {
        Rule::single_statement => &["a statement"],
        Rule::board_name => &["a kind of board"],
        Rule::node => &["a vertex"],
        Rule::cell_kind => &["`vertices`", "`edges`", "`faces`"],
        Rule::heap_ref => &["a heap"],
        Rule::step => &["`take`", "`put`", "`split`", "`slide`"],
        Rule::selection => &["a selection such as `one heap`"],
        Rule::family_name => &["`heap`", "the name of a family"],
        Rule::verdict => &[
            "`is P`",
            "`is N`",
            "`is D`",
            "`has grundy`",
            "`has … winning moves`",
            "`wins by`",
            "`wins only by`",
            "`loses`",
        ],
        Rule::position => &["a position"],
        Rule::expr => &["a condition", "a number"],
        Rule::conjunction => &["a condition"],
        Rule::relation => &["a condition", "a number"],
        Rule::span => &["a number", "a set of numbers"],
        Rule::arith => &["a number"],
        Rule::number => &["a number"],
        Rule::string => &["a string in quotes"],
        Rule::name | Rule::game_name => &["a name"],
        Rule::word => &["a word"],
        Rule::open_paren => &["`(`"],
        Rule::close_paren => &["`)`"],
        Rule::open_brace => &["`{`"],
        Rule::close_brace => &["`}`"],
        Rule::open_bracket => &["`[`"],
        Rule::comma => &["`,`"],
        // Few games have states.
        Rule::semicolon => &[],
        Rule::colon => &["`:`"],
        Rule::dash => &["`-`"],
        Rule::dots => &["`..`"],
        Rule::dot => &["`.`"],
        Rule::arrow => &["`->`"],
        Rule::assign => &["`=`"],
        Rule::equals => &["`==`"],
        Rule::differs => &["`!=`"],
        Rule::at_most => &["`<=`"],
        Rule::at_least => &["`>=`"],
        Rule::less => &["`<`"],
        Rule::greater => &["`>`"],
        Rule::plus => &["`+`"],
        Rule::minus | Rule::negative => &["`-`"],
        Rule::times => &["`*`"],
        Rule::nim_sum => &["`^`"],
        Rule::EOI => &["the end"],
        Rule::kw_up => &["`up to`"],
        Rule::kw_only => &["`only if`"],
        Rule::kw_refuted => &["`refuted at`"],
        _ => {
            return keyword(rule)
                .map(|word| format!("`{word}`"))
                .into_iter()
                .collect();
        }
    };
    written.iter().map(|&text| text.to_owned()).collect()
}
