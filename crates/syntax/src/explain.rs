//! Error messages for texts that the grammar rejects: the unexpected word, what is
//! expected in its place, and the likely correction.

use super::parser::Rule;
use super::problem::SyntaxProblem;
use super::scan::{self, StatementText, Token, TokenKind};
use super::words::{FUNCTIONS, LIKE_NAMES, RESERVED};
use nimrule_model::source::Span;
use pest::error::{Error, ErrorVariant, InputLocation};

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
        match (offender, &statement.next) {
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

/// The place at which the grammar rejects the text.
struct ErrorPlace<'t> {
    text: &'t str,
    before: Option<&'t Token>,
    offender: Option<&'t Token>,
    /// The rules of the grammar that could match here.
    positives: &'t [Rule],
}

impl<'t> ErrorPlace<'t> {
    fn word(&self) -> Option<&'t str> {
        self.offender.map(|token| token.text(self.text))
    }

    fn word_before(&self) -> &'t str {
        self.before.map_or("", |token| token.text(self.text))
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
                Rule::negative | Rule::EOI => false,
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
        if self.expects(Rule::EOI) {
            expected.push("the end");
        }
        list(&expected)
    }

    /// The correction of a common mistake.
    fn hint(&self) -> Option<String> {
        let word = self.word();
        let before = self.word_before();
        let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
        if let (Some(word), Some(token)) = (word, self.offender)
            && !before.is_empty()
            && is_number(before)
            && (token.kind == TokenKind::Word || word == "(")
            && self.expects(Rule::times)
            && !RESERVED.contains(&word)
        {
            return Some(format!("write a product with its sign, `{before}*{word}`"));
        }
        if word == Some("=") && self.expects(Rule::equals) {
            return Some("write `==` to compare; `=` gives a name its value".to_owned());
        }
        if word == Some("==") && self.expects(Rule::assign) {
            return Some("write `=` to give a name its value; `==` compares".to_owned());
        }
        if word == Some("heap") && self.expects(Rule::expr) {
            return Some("`heaps` stands for the sizes of all heaps".to_owned());
        }
        if word == Some(".") {
            let help = "numbers are whole; a range is written `1..3`";
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
        if FUNCTIONS.contains(&before) && self.expects(Rule::open_paren) {
            return Some(format!(
                "`{before}` is a function; a name must be another word, such as `{before}_1`"
            ));
        }
        if before == "," && matches!(word, Some(")" | "}")) {
            return Some("take the last `,` away".to_owned());
        }
        if self.expects(Rule::single_statement) || self.expects(Rule::kw_suggest) {
            return Some(match word {
                Some(word @ ("take" | "put")) => {
                    format!("a move begins with `move`: `move {word} …`")
                }
                _ => "a statement begins with its keyword: `game`, `source`, `note`, `param`, `board`, `heaps`, `tokens`, `kinds`, `family`, `positions`, `suggest`, `start`, `move`, `claim` or `example`".to_owned(),
            });
        }
        if self.expects(Rule::kw_consecutive) && word.is_some_and(|w| !is_number(w)) {
            return Some(
                "say which: `exactly 2 heaps`, `up to 2 heaps` or `2 consecutive heaps`".to_owned(),
            );
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
            return Some("say what is claimed: `P iff …` or `grundy == …`".to_owned());
        }
        if self.expects(Rule::kw_else) || self.expects(Rule::kw_then) && word == Some("else") {
            return Some("an `if` has three parts: `if … then … else …`".to_owned());
        }
        if self.expects(Rule::string) && word.is_some() {
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

/// The description of a grammar rule in an error message; empty for rules that
/// mean nothing to a reader. Exhaustive, so that a new rule needs a choice.
fn describe(rule: Rule) -> &'static [&'static str] {
    match rule {
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
            "`wins by`",
            "`loses`",
        ],
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
        Rule::kw_game => &["`game`"],
        Rule::kw_source => &["`source`"],
        Rule::kw_note => &["`note`"],
        Rule::kw_param => &["`param`"],
        Rule::kw_board => &["`board`"],
        Rule::kw_heaps => &["`heaps`"],
        Rule::kw_heap => &["`heap`"],
        Rule::kw_tokens => &["`tokens`"],
        Rule::kw_token => &["`token`"],
        Rule::kw_kinds => &["`kinds`"],
        Rule::kw_split => &["`split`"],
        Rule::kw_slide => &["`slide`"],
        Rule::kw_leaving => &["`leaving`"],
        Rule::kw_any => &["`any`"],
        Rule::kw_digraph => &["`digraph`"],
        Rule::kw_of => &["`of`"],
        Rule::kw_real => &["`real`"],
        Rule::kw_size => &["`size`"],
        Rule::kw_may => &["`may`"],
        Rule::kw_repeat => &["`repeat`"],
        Rule::kw_left => &["`left`"],
        Rule::kw_right => &["`right`"],
        Rule::kw_octal => &["`octal`"],
        Rule::kw_into => &["`into`"],
        Rule::kw_consistent => &["`consistent`"],
        Rule::kw_period => &["`period`"],
        Rule::kw_saltus => &["`saltus`"],
        Rule::kw_same => &["`same`"],
        Rule::kw_cogame => &["`cogame`"],
        Rule::kw_labellings => &["`labellings`"],
        Rule::kw_quotient => &["`quotient`"],
        Rule::kw_elements => &["`elements`"],
        Rule::kw_pairing => &["`pairing`"],
        Rule::kw_with => &["`with`"],
        Rule::kw_l => &["`L`"],
        Rule::kw_r => &["`R`"],
        Rule::kw_d => &["`D`"],
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
        | Rule::single_condition
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
        | Rule::what_is_claimed
        | Rule::entry
        | Rule::board_arguments
        | Rule::edge_list
        | Rule::digraph_board
        | Rule::coordinates
        | Rule::coordinate
        | Rule::arcs
        | Rule::vertex
        | Rule::any_number
        | Rule::real_size
        | Rule::tokens
        | Rule::kinds
        | Rule::may_repeat
        | Rule::side
        | Rule::octal
        | Rule::leaving
        | Rule::split
        | Rule::slide
        | Rule::class
        | Rule::pairing_claim
        | Rule::pair
        | Rule::period_claim
        | Rule::same_claim
        | Rule::same_settings
        | Rule::same_setting
        | Rule::cogame_claim
        | Rule::labellings_claim
        | Rule::quotient_claim
        | Rule::is_l
        | Rule::is_r
        | Rule::is_d
        | Rule::bag
        | Rule::coordinates_of
        | Rule::all_sizes
        | Rule::kind_sizes
        | Rule::kind_size
        | Rule::field
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
        | Rule::reserved
        | Rule::short_if => &[],
    }
}
