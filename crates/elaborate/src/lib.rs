//! Elaboration of rule files: from the abstract syntax tree to a checked [`Rule`].
//!
//! [`elaborate`] is the entry point. It resolves names, determines the kinds of
//! expressions, and checks ranges. It reports all errors of a file in one run. What is
//! derived from the rule as a whole, that play ends among it, is found by
//! `nimrule_analysis`.

#![warn(missing_docs)]

mod board;
mod claims;
mod comprehension;
mod digraph;
mod expression;
mod heaps;
mod moves;
mod multiset;
mod names;
mod octal;
mod pairing;
mod params;
mod period;
mod places;
mod problem;
mod quotient;
mod real;
mod same_as;
mod selection;
mod tokens;
mod view;

pub use board::board_kinds;
pub use claims::{
    claim_in, condition_in, excluded_examples, number_in, position_in, position_of_any_size_in,
};
pub use names::NameUse;
pub use params::{
    Settings, all_settings, parameter_for_position, reads_one_value, setting, settings_where,
};
pub use problem::CheckProblem;
pub use same_as::at_line;

use names::{Meaning, Names};
use nimrule_board::Board;
use nimrule_board::CellKind;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_board::symmetry::Symmetries;
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::{Bool, Expr, HeapId, Num, Pick, Slot};
use nimrule_model::game::{HeapKinds, ParamValue, Places, PositionKind, Presentation, Rule, State};
use nimrule_model::group::Group;
use nimrule_model::source::{ReadFile, Source, Span, Spanned};
use nimrule_syntax::ast::{File, Name, Statement};
use problem::{BoardProblem, MultisetProblem, Problem};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A game has at most this many heaps.
pub const MAX_HEAPS: usize = 1000;

/// The largest number of a vertex, and the longest period.
const MAX_NUMBER: u64 = 1_000_000_000_000_000;

/// The result of [`elaborate`].
#[derive(Debug, Clone)]
pub struct Elaboration {
    /// The rule. Beside errors it has only the moves, claims and examples without errors, and
    /// it is absent if that says nothing of the end of play.
    pub rule: Option<Rule>,
    /// The errors and warnings.
    pub problems: Vec<CheckProblem>,
    /// The places at which names are bound or used, in the order of the text. Beside
    /// errors some may be missing.
    pub names: Vec<NameUse>,
}

/// Elaborates a tree at given values of its parameters.
///
/// `text` is the source of the tree; error messages quote it. `read` reads the
/// files that the rule names, as in `from "file"`.
///
/// Statements with syntax errors are skipped, and errors that may follow from their
/// absence are not reported.
///
/// # Examples
///
/// ```
/// use nimrule_elaborate::{Settings, elaborate};
///
/// let text = "game nim  heaps a b  move take from one heap";
/// let file = nimrule_syntax::parse(text).into_result().expect("the text is well-formed");
/// let no_files = |_: &str| Err("no files".to_owned());
/// let elaboration = elaborate(&file, text, &Settings::new(), &no_files);
/// assert!(elaboration.problems.is_empty());
/// assert_eq!(elaboration.rule.expect("a rule").heap_names, ["a", "b"]);
/// ```
pub fn elaborate(file: &File, text: &str, settings: &Settings, read: ReadFile<'_>) -> Elaboration {
    let mut checker = Checker::new(text, read);
    let rule = checker.file(file, settings);
    let heap_names = match &rule {
        Some(rule) => &rule.heap_names,
        None => &checker.heap_names,
    };
    Elaboration {
        names: checker.names.into_uses(
            heap_names,
            &names::Tokens {
                tokens: checker.tokens.clone(),
                picks: &checker.token_picks,
            },
        ),
        problems: problem::public(checker.problems),
        rule,
    }
}

/// The rule of a text without errors; otherwise the errors, which can be told apart.
fn rule_of_file(
    file: &File,
    text: &str,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Result<Rule, Vec<Problem>> {
    let mut checker = Checker::new(text, read);
    let rule = checker.file(file, settings);
    let mut faults = checker.problems;
    faults.retain(|problem| !problem.is_warning());
    match rule {
        Some(rule) if faults.is_empty() => Ok(rule),
        _ => Err(faults),
    }
}

/// The state of the elaboration of one file.
struct Checker<'a> {
    text: &'a str,
    read: ReadFile<'a>,
    problems: Vec<Problem>,
    names: Names,
    slots: usize,
    picks: usize,
    /// The numbers of a position that are too large for an expression. The size
    /// `u64::MAX - i`, which no heap can have, stands for the number `i`.
    large: Vec<Spanned<String>>,
    params: Vec<(String, ParamValue)>,
    board: Option<Board>,
    /// The digraph of sliding tokens, and the place of its statement.
    digraph: Option<Arc<Digraph>>,
    digraph_at: Option<Span>,
    /// The vertex of the board of each vertex of the digraph, where tokens are on a board.
    board_vertices: Vec<usize>,
    /// The places of the tokens in a position.
    tokens: Range<usize>,
    /// Whether a position is nothing but the vertices of its tokens. Otherwise tokens are
    /// the first of the states.
    only_tokens: bool,
    /// The selections of tokens.
    token_picks: BTreeSet<Pick>,
    /// Whether a step sets a token, so that `positions where` must name the vertices.
    sets_tokens: bool,
    /// The board has an error; errors that follow from it are not reported.
    board_is_faulty: bool,
    heap_names: Vec<String>,
    /// The heaps with indices, and those with coordinates.
    groups: Vec<Arc<Group>>,
    /// The kind of cells that the heaps are on, and the index of the first such heap.
    heaps_on: Option<(CellKind, usize)>,
    /// The place of `on …` in `heaps on …`.
    heaps_on_at: Option<Span>,
    /// The heaps have an error; errors that follow from it are not reported.
    heaps_are_faulty: bool,
    /// The shrinking board, from which empty heaps vanish.
    shrinking: Option<ShrinkingBoard>,
    /// Whether a player has moves of its own.
    partizan: bool,
    /// The place of `positions may repeat`.
    may_repeat: Option<Span>,
    /// The number of options that the opponent may block, 0 without the statement.
    blocked_options: u32,
    /// The numbers of `play ends by`, and the place of the statement.
    measure: Option<(Vec<Expr<Num>>, Span)>,
    /// Whether the sizes of heaps are real numbers.
    real: bool,
    /// The kinds of heaps, if positions are multisets of heaps.
    heap_kinds: Option<HeapKinds>,
    /// The smallest number of heaps that the parameter that is left open says.
    least_open: i64,
    /// Whether that parameter says how many heaps there are.
    counts_open: bool,
    /// The slot that stands for it in the current condition on parameters.
    open_number: Option<Slot>,
    /// Whether the current expression is in the `where` of a `take`.
    in_amount_condition: bool,
    /// The slot of `each` in the current comparison.
    each: Option<Slot>,
    each_used: bool,
    /// Names that the current move binds anywhere.
    bound_in_move: Vec<(String, Span)>,
    /// Names of the claim's forms, which are not visible outside of them.
    form_names: Vec<String>,
    positions: Option<Spanned<Bool>>,
    /// The text of the rule, if it is not the text that is checked.
    rule: Option<Arc<Source>>,
    /// The states, whose names are the last of `heap_names`.
    states: Vec<State>,
    /// Whether the selection is that of a step that sets, which may name a state.
    setting: bool,
    /// While a new size is checked: the heaps that get it.
    set_now: Option<SetNow>,
    /// The largest size of a heap, if `of size` gives one.
    largest_size: Option<u64>,
    /// The symmetries of board and rule, where they are known: for texts about a game.
    symmetries: Option<Symmetries>,
    /// The number of conditions that guard the current expression. If it is not
    /// 0, the expression may never be evaluated.
    guards: usize,
    /// The number of comprehensions around the current expression.
    ranging: usize,
    /// Whether the board, the heaps or the families depend on a parameter.
    places_vary: bool,
    /// Whether a move is being checked.
    in_move: bool,
    /// Why the move that is being checked is impossible at these values of the
    /// parameters, while it may be possible at others.
    impossible: Option<Problem>,
    /// The keywords of the statements with syntax errors; `None` is a statement
    /// that begins with another word.
    unparsed: Vec<Option<&'static str>>,
}

/// The heaps that get a new size, one by one.
#[derive(Debug, Clone, Copy)]
struct SetNow {
    pick: Pick,
    /// The slot of the size that a heap has before.
    size: Slot,
    /// The slot of the number of a heap, from 1.
    heap: Slot,
}

impl<'a> Checker<'a> {
    fn new(text: &'a str, read: ReadFile<'a>) -> Checker<'a> {
        Checker {
            text,
            read,
            problems: Vec::new(),
            names: Names::default(),
            slots: 0,
            picks: 0,
            large: Vec::new(),
            params: Vec::new(),
            board: None,
            digraph: None,
            digraph_at: None,
            board_vertices: Vec::new(),
            tokens: 0..0,
            only_tokens: false,
            token_picks: BTreeSet::new(),
            sets_tokens: false,
            board_is_faulty: false,
            heap_names: Vec::new(),
            groups: Vec::new(),
            states: Vec::new(),
            setting: false,
            set_now: None,
            heaps_on: None,
            heaps_on_at: None,
            heaps_are_faulty: false,
            shrinking: None,
            partizan: false,
            may_repeat: None,
            blocked_options: 0,
            measure: None,
            real: false,
            heap_kinds: None,
            least_open: 1,
            counts_open: false,
            open_number: None,
            in_amount_condition: false,
            each: None,
            each_used: false,
            bound_in_move: Vec::new(),
            form_names: Vec::new(),
            positions: None,
            rule: None,
            largest_size: None,
            symmetries: None,
            guards: 0,
            ranging: 0,
            places_vary: false,
            in_move: false,
            impossible: None,
            unparsed: Vec::new(),
        }
    }

    /// Whether a statement with a syntax error may be one that begins with one of
    /// these keywords.
    fn may_have_lost(&self, keywords: &[&str]) -> bool {
        self.unparsed
            .iter()
            .any(|unparsed| unparsed.is_none_or(|keyword| keywords.contains(&keyword)))
    }

    fn problem(&mut self, problem: impl Into<Problem>) {
        let problem = problem.into();
        // An expression that occurs twice in the tree is reported once.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Reports what is impossible at these values of the parameters. Where it `varies`
    /// with them, it is a property of the current move.
    fn impossible_here(&mut self, varies: bool, problem: impl Into<Problem>) {
        if varies && self.in_move {
            self.impossible.get_or_insert(problem.into());
        } else {
            self.problem(problem);
        }
    }

    /// Whether a text names a parameter.
    fn names_parameter(&self, at: Span) -> bool {
        let words = self.text[at.offset()..at.offset() + at.len()]
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let is_parameter = |word| self.params.iter().any(|(name, _)| name == word);
        words.into_iter().any(is_parameter)
    }

    /// The number of errors so far.
    fn errors(&self) -> usize {
        self.problems.iter().filter(|p| !p.is_warning()).count()
    }

    fn file(&mut self, file: &File, settings: &Settings) -> Option<Rule> {
        self.repeated_statements(file);
        let mut name = None;
        let mut title = None;
        let mut sources = Vec::new();
        let mut notes = Vec::new();
        for statement in &file.statements {
            match &statement.node {
                Statement::Game { name: n, title: t } => {
                    name.get_or_insert(n.node.clone());
                    title = title.or_else(|| t.clone());
                }
                Statement::Source(text) => sources.push(text.clone()),
                Statement::Note(text) => notes.push(text.clone()),
                Statement::Move(mover) => self.partizan |= mover.side.is_some(),
                Statement::MayRepeat => {
                    self.may_repeat.get_or_insert(statement.span);
                }
                Statement::Unparsed(unparsed) => self.unparsed.push(unparsed.keyword),
                _ => {}
            }
        }
        if name.is_none() && !self.may_have_lost(&["game"]) {
            self.problem(Problem::Missing {
                statement: "game",
                fix: "begin with the game's name: `game my_game \"What papers call it\"`",
                place: "before this",
                at: self.beginning(file),
            });
        }
        let outermost = self.names.mark();
        self.names_of_unparsed(file);
        self.parameters(file, settings);
        self.places_vary = file.statements.iter().any(|statement| {
            let places = matches!(
                statement.node,
                Statement::Board(_)
                    | Statement::Heaps(_)
                    | Statement::Tokens(_)
                    | Statement::Family { .. }
            );
            places && self.names_parameter(statement.span)
        });
        self.board_statement(file);
        let heaps_line = self.heaps_statement(file);
        self.heaps_are_faulty = heaps_line.is_none();
        self.check_open_parameter(file);
        self.grid_coordinates();
        self.check_kinds_statement(file);
        self.state_statements(file);
        self.families(file);
        self.position_condition(file);
        self.measure_statement(file);
        let real = self.heaps_of_real_size(file);
        self.blocking_statement(file);
        let moves = self.moves(file);
        let claims = self.claims(file);
        let examples = self.examples(file);
        let suggest_max = self.suggestion(file).or(self.largest_size);
        let start = self.start(file);
        let view = self.view(file, moves.as_deref().unwrap_or_default(), real);
        self.close_scope(outermost);
        let (ends_by, ends_by_at) = self.measure.take().unzip();
        let places = Places {
            digraph: self.digraph_at.map(|at| self.first_line(at)),
            may_repeat: self.may_repeat,
            ends_by: ends_by_at,
        };
        Some(Rule {
            text: Arc::new(Source::new("", self.text)),
            name: name.unwrap_or_default(),
            presentation: Presentation {
                title,
                sources,
                notes,
                heaps_line: heaps_line.unwrap_or_default(),
                suggest_max,
                start,
                view,
            },
            params: std::mem::take(&mut self.params),
            board: self.board.take(),
            heaps_on: self.heaps_on,
            shrinking: self.shrinking,
            heap_names: std::mem::take(&mut self.heap_names),
            groups: (self.groups.drain(..))
                .map(|group| Group::clone(&group))
                .collect(),
            largest_size: self.largest_size,
            states: std::mem::take(&mut self.states),
            tokens_on: self.digraph.clone().filter(|_| !self.only_tokens),
            position_kind: match (self.digraph.take(), self.heap_kinds.take()) {
                (Some(digraph), _) if self.only_tokens => PositionKind::Tokens(digraph),
                (_, Some(_)) if self.counts_open => {
                    PositionKind::Open(usize::try_from(self.least_open).unwrap_or(usize::MAX))
                }
                (_, Some(kinds)) => PositionKind::Multiset(kinds),
                (_, None) if real => PositionKind::Reals,
                (_, None) => PositionKind::Heaps,
            },
            positions: self.positions.take(),
            moves: moves?,
            may_repeat: self.may_repeat.is_some(),
            ends_by: ends_by.unwrap_or_default(),
            blocked_options: self.blocked_options,
            claims,
            examples,
            places,
            slots: self.slots,
            picks: self.picks,
        })
    }

    /// Binds the names that statements with syntax errors may declare, so that their
    /// uses are not reported.
    fn names_of_unparsed(&mut self, file: &File) {
        for statement in &file.statements {
            if let Statement::Unparsed(unparsed) = &statement.node
                && !matches!(unparsed.keyword, Some("move" | "claim" | "example"))
            {
                for word in &unparsed.words {
                    self.names.bind_unknown(word);
                }
            }
        }
    }

    /// Reports repetitions of statements that a file may have once.
    fn repeated_statements(&mut self, file: &File) {
        let mut seen: Vec<(&'static str, Span)> = Vec::new();
        for statement in &file.statements {
            let word = match &statement.node {
                Statement::Game { .. } => "game",
                Statement::Board(_) => "board",
                Statement::Heaps(_) => "heaps",
                Statement::Tokens(_) => "tokens",
                Statement::Kinds(_) => "kinds",
                Statement::Positions(_) => "positions where",
                Statement::Suggest(_) => "suggest max",
                Statement::Shown(_) => "shown as",
                Statement::Start(_) => "start",
                Statement::EndsBy(_) => "play ends by",
                Statement::Blocking(_) => "opponent may block",
                _ => continue,
            };
            match seen.iter().find(|(w, _)| *w == word) {
                Some(&(_, first)) => self.problem(Problem::Repeated {
                    statement: word,
                    at: statement.span,
                    first,
                }),
                None => seen.push((word, statement.span)),
            }
        }
    }

    /// The place for the error of a missing statement.
    fn beginning(&self, file: &File) -> Span {
        file.statements.first().map_or((0, 0).into(), |s| s.span)
    }

    fn position_condition(&mut self, file: &File) {
        for statement in &file.statements {
            if let Statement::Positions(condition) = &statement.node
                && let Some(condition) = self.truth(condition)
            {
                self.require(condition);
            }
        }
    }

    /// The number of `opponent may block up to … options`.
    fn blocking_statement(&mut self, file: &File) {
        for statement in &file.statements {
            let Statement::Blocking(number) = &statement.node else {
                continue;
            };
            let at = number.span;
            if let Some(number) = self.constant(number) {
                match u32::try_from(number) {
                    Ok(number) => self.blocked_options = number,
                    Err(_) => self.problem(Problem::Blocking {
                        what: format!("the number of options is {number}"),
                        fix: "give a number from 0 to 4294967295",
                        at,
                    }),
                }
            }
            let unsupported = match (self.partizan, self.real) {
                (true, _) => "each side has moves of its own",
                (_, true) => "the heaps are of real size",
                (false, false) => continue,
            };
            self.problem(Problem::Blocking {
                what: format!("options cannot be blocked where {unsupported}"),
                fix: "remove the statement",
                at: statement.span,
            });
        }
    }

    /// The numbers of `play ends by`.
    fn measure_statement(&mut self, file: &File) {
        for statement in &file.statements {
            if let Statement::EndsBy(numbers) = &statement.node {
                let numbers: Vec<_> = numbers.iter().map(|number| self.num(number)).collect();
                let numbers: Option<Vec<_>> = numbers.into_iter().collect();
                self.measure = numbers.map(|numbers| (numbers, statement.span));
            }
        }
    }

    fn fresh_slot(&mut self) -> Slot {
        let slot = Slot(u32::try_from(self.slots).expect("a text holds fewer names"));
        self.slots += 1;
        slot
    }

    fn fresh_pick(&mut self) -> Pick {
        let pick = Pick(u32::try_from(self.picks).expect("a text holds fewer selections"));
        self.picks += 1;
        pick
    }

    /// Whether there are no heaps, because of an error.
    fn has_no_heaps(&self) -> bool {
        self.heap_names.is_empty() && self.heap_kinds.is_none()
    }

    fn all_heaps(&self) -> Vec<HeapId> {
        let heaps = self.heap_names.len() - self.states.len();
        (0..heaps).map(HeapId::new).collect()
    }

    /// The tokens; in a game without tokens the heaps, for which the word stands there.
    fn all_tokens(&self) -> Vec<HeapId> {
        match self.tokens.is_empty() {
            true => self.all_heaps(),
            false => self.tokens.clone().map(HeapId::new).collect(),
        }
    }

    fn is_token(&self, heap: HeapId) -> bool {
        self.tokens.contains(&heap.index())
    }

    /// Reports a name that is in scope already.
    fn check_not_taken(&mut self, name: &Name) {
        if let Some(first) = self.names.taken(&name.node) {
            self.problem(Problem::Taken {
                name: name.node.clone(),
                at: name.span,
                first,
            });
        }
    }

    fn unknown_name(&mut self, name: &str, at: Span) {
        if let Some((_, bound)) = self.bound_in_move.iter().find(|(n, _)| n == name) {
            let bound = *bound;
            if bound.offset() < at.offset() {
                self.problem(Problem::UnknownName {
                    name: name.to_owned(),
                    at,
                    help: Some(format!(
                        "the step that binds `{name}` is optional or repeated, so later steps \
                         cannot use it"
                    )),
                });
                return;
            }
            self.problem(Problem::TooEarly {
                name: name.to_owned(),
                at,
                bound,
            });
            return;
        }
        // The name may be one that the board or the heaps would have bound.
        if self.board_is_faulty || self.heaps_are_faulty {
            return;
        }
        if self.form_names.iter().any(|n| n == name) {
            self.problem(Problem::UnknownName {
                name: name.to_owned(),
                at,
                help: Some(format!(
                    "the name `{name}` of the form is defined only in the form's `where`: \
                     `like (…) where …`"
                )),
            });
            return;
        }
        let help =
            nimrule_syntax::nearest(name, self.names.all().map(|(n, _)| n).collect::<Vec<_>>())
                .map(nimrule_syntax::did_you_mean)
                .or_else(|| {
                    let rest = match name {
                        "even" => 0,
                        "odd" => 1,
                        _ => return self.known_names(),
                    };
                    Some(format!("a number is {name} if `… mod 2 == {rest}`"))
                });
        self.problem(Problem::UnknownName {
            name: name.to_owned(),
            at,
            help,
        });
    }

    fn known_names(&self) -> Option<String> {
        let names: Vec<_> = self
            .names
            .all()
            .filter(|(name, meaning)| {
                !names::is_hidden(name) && !matches!(meaning, Meaning::Unknown)
            })
            .map(|(n, _)| format!("`{n}`"))
            .take(12)
            .collect();
        (!names.is_empty()).then(|| format!("the names here are {}", names.join(", ")))
    }

    /// Ends a scope and warns of unused names.
    fn close_scope(&mut self, mark: usize) {
        for (name, at) in self.names.close(mark) {
            self.problem(Problem::Unused { name, at });
        }
    }

    fn quote(&self, span: Span) -> String {
        nimrule_model::source::quote(self.text, span)
    }
}
