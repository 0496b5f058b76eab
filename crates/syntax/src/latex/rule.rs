//! The moves of a rule as English sentences, whose conditions are typeset or plain text.
//!
//! The sentences follow the words of the language: each keyword is the phrase that the
//! reference gives for it, so that a move reads as it is written.

use super::{bracketed, list, name, open};
use crate::ast::{
    Action, Again, Amount, Expr, ExprKind, FamilyName, File, ForSome, HeapRef, HeapSet, Leaving,
    Move, NewHeaps, NewSize, Octal, OctalCode, Parts, Place, Repeat, Selection, Side, Statement,
    Step, What,
};
use nimrule_model::latex::escaped;
use nimrule_model::source::{Span, quote};

/// What a name in an amount is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A number that is known before the move: a parameter, a heap or a state.
    Number,
    /// A set of numbers.
    Set,
    /// A name that the amount introduces.
    New,
}

/// The moves of a file as sentences in LaTeX, one for each `move` statement; `kind` tells
/// what the names are that stand for amounts.
pub fn moves_as_latex(file: &File, kind: &dyn Fn(&str) -> NameKind) -> Vec<String> {
    moves(file, kind, Script::Latex)
}

/// The moves of a file as sentences of plain text, one for each `move` statement. `text` is the
/// text of the file, and `kind` tells what the names are that stand for amounts.
pub fn moves_in_words(file: &File, text: &str, kind: &dyn Fn(&str) -> NameKind) -> Vec<String> {
    moves(file, kind, Script::Plain(text))
}

fn moves(file: &File, kind: &dyn Fn(&str) -> NameKind, script: Script<'_>) -> Vec<String> {
    let statements = file.statements.iter();
    statements
        .filter_map(|statement| match &statement.node {
            Statement::Move(made) => {
                let bound = made.choices.iter().map(|choice| choice.name.node.clone());
                let bound = bound.collect();
                Some(
                    Words {
                        kind,
                        bound,
                        script,
                    }
                    .of_move(made),
                )
            }
            _ => None,
        })
        .collect()
}

/// A condition or another expression of the file in math mode.
pub fn expression_as_latex(expr: &Expr) -> String {
    open(expr)
}

/// A condition or another expression of a file as plain text, with the signs of print; `text` is
/// that of the file.
pub fn expression_in_words(expr: &Expr, text: &str) -> String {
    Script::Plain(text).math(expr)
}

/// How the expressions in a sentence are written.
#[derive(Debug, Clone, Copy)]
enum Script<'t> {
    /// In LaTeX, typeset.
    Latex,
    /// As in this text of the file, with the signs of print.
    Plain(&'t str),
}

/// Signs of the language, and those of print.
const PRINTED: [(&str, &str); 10] = [
    ("forall ", "for all "),
    ("exists ", "for some "),
    ("^", "⊕"),
    ("**", "^"),
    ("==", "="),
    ("!=", "≠"),
    ("<=", "≤"),
    (">=", "≥"),
    ("*", "·"),
    ("..", "…"),
];

impl Script<'_> {
    fn math(self, expr: &Expr) -> String {
        match self {
            Script::Latex => format!("${}$", open(expr)),
            Script::Plain(text) => printed(text, expr.span),
        }
    }

    fn name(self, word: &str) -> String {
        match self {
            Script::Latex => format!("${}$", name(word)),
            Script::Plain(_) => word.to_owned(),
        }
    }

    /// A heap, which may have indices.
    fn heap(self, word: &str, indices: &[Expr]) -> String {
        match self {
            Script::Latex => format!("${}$", heap(word, indices)),
            Script::Plain(_) if indices.is_empty() => word.to_owned(),
            Script::Plain(text) => {
                let indices = indices.iter().map(|index| printed(text, index.span));
                format!("{word}[{}]", indices.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// A name that is chosen from a set.
    fn member(self, bound: &str, set: &Expr) -> String {
        match (self, &set.node) {
            (Script::Latex, _) => {
                let set = super::within(set, super::Level::Sign);
                format!("${} \\in {set}$", name(bound))
            }
            (
                Script::Plain(_),
                ExprKind::Range {
                    low,
                    high: Some(high),
                },
            ) => format!("{bound} from {} to {}", self.math(low), self.math(high)),
            (Script::Plain(text), _) => format!("{bound} in {}", printed(text, set.span)),
        }
    }

    /// A word of the file that is no expression.
    fn word(self, word: &str) -> String {
        match self {
            Script::Latex => escaped(word),
            Script::Plain(_) => word.to_owned(),
        }
    }

    fn code(self, code: &str) -> String {
        match self {
            Script::Latex => format!("\\texttt{{{}}}", escaped(code)),
            Script::Plain(_) => code.to_owned(),
        }
    }
}

/// A part of a text, with the signs of print.
fn printed(text: &str, at: Span) -> String {
    let signs = PRINTED.iter();
    signs.fold(quote(text, at), |words, (sign, print)| {
        words.replace(sign, print)
    })
}

struct Words<'k> {
    /// The names that the move has introduced so far.
    bound: Vec<String>,
    kind: &'k dyn Fn(&str) -> NameKind,
    script: Script<'k>,
}

impl Words<'_> {
    fn of_move(&mut self, made: &Move) -> String {
        let mut words = String::new();
        if let Some(when) = &made.when {
            words.push_str(&format!("if {}, ", self.script.math(when)));
        }
        for choice in &made.choices {
            words.push_str(&self.script.for_some(choice));
        }
        let player = match &made.side {
            None => "the player who moves",
            Some(side) => match side.node {
                Side::Left => "Left",
                Side::Right => "Right",
            },
        };
        let steps = made.steps.iter();
        let mut steps: Vec<String> = steps.map(|step| self.step(&step.node)).collect();
        steps.extend(made.octal.as_ref().map(|octal| self.script.octal(octal)));
        if steps.is_empty() {
            steps.push("only announces the choice".to_owned());
        }
        words.push_str(&format!("{player} {}", steps.join(", then ")));
        match made.again.as_ref().map(|again| again.node) {
            Some(Again::Must) => words.push_str(", and must move again"),
            Some(Again::May) => words.push_str(", and may move again"),
            None => {}
        }
        let mut letters = words.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        format!("{}{}.", first.unwrap_or_default(), letters.as_str())
    }

    fn step(&mut self, step: &Step) -> String {
        let action = self.action(&step.action);
        match &step.repeat {
            Repeat::Once => action,
            Repeat::Optionally => format!("optionally {action}"),
            Repeat::UpTo(count) => format!("{action}, up to {} times", self.script.math(count)),
            Repeat::Exactly(count) => {
                format!("{action}, exactly {} times", self.script.math(count))
            }
        }
    }

    fn action(&mut self, action: &Action) -> String {
        let (words, condition) = match action {
            Action::Take {
                amount,
                from,
                leaving,
                condition,
            } => {
                let left = leaving
                    .as_ref()
                    .map_or_else(String::new, |leaving| self.script.leaving(leaving));
                let (amount, from) = (self.amount(amount), self.script.selection(&from.node));
                (format!("takes {amount} from {from}{left}"), condition)
            }
            Action::Put {
                amount,
                on,
                condition,
            } => {
                let (amount, on) = (self.number(amount), self.script.selection(&on.node));
                (format!("puts {amount} on {on}"), condition)
            }
            Action::Split {
                what,
                parts,
                condition,
            } => {
                let parts = match parts {
                    Parts::Any => "two or more heaps".to_owned(),
                    Parts::Named(names) => {
                        let names = names.iter().map(|part| self.script.name(&part.node));
                        format!("heaps of {} tokens", and(&names.collect::<Vec<_>>()))
                    }
                };
                let what = self.script.selection(&what.node);
                (format!("divides {what} into {parts}"), condition)
            }
            Action::Replace {
                what,
                by,
                condition,
            } => {
                let by: Vec<String> = by.iter().map(|new| self.script.new_heaps(new)).collect();
                let what = self.script.selection(&what.node);
                (format!("replaces {what} by {}", and(&by)), condition)
            }
            Action::Set {
                what,
                value,
                condition,
            } => (
                format!(
                    "sets {} to {}",
                    self.script.selection(&what.node),
                    self.script.math(value)
                ),
                condition,
            ),
            Action::Flip { what, condition } => (
                format!(
                    "turns over {0} ({2} becomes {1}, and {1} becomes {2})",
                    self.script.selection(&what.node),
                    self.script.name("1"),
                    self.script.name("0")
                ),
                condition,
            ),
            Action::Choose { what, condition } => (
                format!("chooses {}", self.script.selection(&what.node)),
                condition,
            ),
            Action::Slide { what, condition } => (
                format!("moves {} along an arc", self.script.selection(&what.node)),
                condition,
            ),
        };
        match condition {
            None => words,
            Some(condition) => format!("{words}, where {}", self.script.math(condition)),
        }
    }

    fn amount(&mut self, amount: &Amount) -> String {
        match amount {
            Amount::Any => "at least one token".to_owned(),
            Amount::Slow(_) => "at most one token each, and at least one in all,".to_owned(),
            Amount::All(_) => "all tokens".to_owned(),
            Amount::Equal(_, None) => "the same positive number of tokens".to_owned(),
            Amount::Equal(_, Some(set)) => format!("the same amount ({})", self.number(set)),
            Amount::Of(expr) => self.number(expr),
        }
    }

    /// A number of tokens: a set, a number, or a new name.
    fn number(&mut self, expr: &Expr) -> String {
        let written = self.script.math(expr);
        let is_plain = matches!(self.script, Script::Plain(_));
        match &expr.node {
            ExprKind::Number(1) => "one token".to_owned(),
            ExprKind::Range {
                low,
                high: Some(high),
            } if is_plain => format!(
                "from {} to {} tokens",
                self.script.math(low),
                self.script.math(high)
            ),
            ExprKind::Range { low, high: None } if is_plain => match low.node {
                ExprKind::Number(1) => "at least one token".to_owned(),
                _ => format!("at least {} tokens", self.script.math(low)),
            },
            ExprKind::Braces(all) if is_plain && all.len() > 1 => {
                let all: Vec<String> = all.iter().map(|one| self.script.math(one)).collect();
                format!("{} tokens", listed(&all, "or"))
            }
            ExprKind::Range { .. }
            | ExprKind::Braces(_)
            | ExprKind::Gathered { .. }
            | ExprKind::Squares
            | ExprKind::Powers(_) => format!("a number of tokens in {written}"),
            ExprKind::Name(word) => match (self.kind)(word) {
                NameKind::Set => format!("a number of tokens in {written}"),
                NameKind::New if !self.bound.contains(word) => {
                    self.bound.push(word.clone());
                    format!("some number {written} of tokens")
                }
                NameKind::Number | NameKind::New => format!("{written} tokens"),
            },
            _ => format!("{written} tokens"),
        }
    }
}

/// A list in words: `a`, `a and b`, `a, b and c`.
fn and(items: &[String]) -> String {
    listed(items, "and")
}

fn listed(items: &[String], last_word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {last_word} {last}", most.join(", ")),
    }
}

/// A heap, typeset.
fn heap(word: &str, indices: &[Expr]) -> String {
    match indices.is_empty() {
        true => name(word),
        false => format!("{}_{{{}}}", name(word), list(indices)),
    }
}

impl Script<'_> {
    fn for_some(self, choice: &ForSome) -> String {
        let condition = choice.condition.as_ref();
        let condition = condition.map_or_else(String::new, |c| format!(" with {}", self.math(c)));
        let member = self.member(&choice.name.node, &choice.set);
        format!("for some {member}{condition}, ")
    }

    fn octal(self, octal: &Octal) -> String {
        let code = match &octal.code {
            OctalCode::Written(code) => code.node.clone(),
            OctalCode::Named(name) => name.node.clone(),
        };
        let from = octal.from.as_ref();
        let from = from.map_or_else(|| "one heap".to_owned(), |from| self.selection(&from.node));
        let code = self.code(&code);
        format!("takes tokens from {from} as the octal code {code} allows")
    }

    fn leaving(self, leaving: &Leaving) -> String {
        format!(
            " and leaves {} {} in its place",
            self.math(&leaving.heaps),
            self.family(&leaving.family, true)
        )
    }

    fn new_heaps(self, new: &NewHeaps) -> String {
        let count = new.count.as_ref();
        let many = count.map_or_else(|| "a".to_owned(), |count| self.math(count));
        let kind = match &new.kind {
            Some(kind) => self.family(kind, count.is_some()),
            None if count.is_some() => "heaps".to_owned(),
            None => "heap".to_owned(),
        };
        let size = match (&new.size, self) {
            (NewSize::Of(size), _) => format!("size {}", self.math(size)),
            (NewSize::In(bound, set), Script::Latex) => {
                format!("size ${} \\in {}$", name(&bound.node), open(set))
            }
            (NewSize::In(bound, set), Script::Plain(_)) => {
                format!("size {}", self.member(&bound.node, set))
            }
        };
        format!("{many} {kind} of {size}")
    }

    fn selection(self, selection: &Selection) -> String {
        let mut words = match &selection.what {
            What::All(of) => format!("all {}", self.family(of, true)),
            What::One(of) => match of {
                FamilyName::Listed(_) => format!("one of {}", self.family(of, false)),
                _ => format!("one {}", self.family(of, false)),
            },
            What::UpTo {
                count,
                consecutive,
                family: of,
            } => {
                let consecutive = if *consecutive { "consecutive " } else { "" };
                format!(
                    "up to {} {consecutive}{}",
                    self.math(count),
                    self.family(of, true)
                )
            }
            What::Exactly { count, family: of } => {
                format!("exactly {} {}", self.math(count), self.family(of, true))
            }
            What::Consecutive { count, family: of } => {
                format!("{} consecutive {}", self.math(count), self.family(of, true))
            }
            What::HeapAt(index) => format!("heap number {}", self.math(index)),
            What::Named { name: of, indices } => self.heap(&of.node, indices),
        };
        if let Some(place) = &selection.place {
            words.push_str(&match &place.node {
                Place::WithinOne(of) => format!(" of one {}", self.family(of, false)),
                other => {
                    let of = other.name().map(|of| self.name(&of.node));
                    format!(" {} {}", other.words(), of.unwrap_or_default())
                }
            });
        }
        if let Some(bound) = &selection.bound {
            words.push_str(&format!(" ({})", self.name(&bound.node)));
        }
        words
    }

    /// A family as a noun. A name of the file stands as it is.
    fn family(self, of: &FamilyName, plural: bool) -> String {
        match of {
            FamilyName::Heaps(_) => if plural { "heaps" } else { "heap" }.to_owned(),
            FamilyName::Tokens(_) => if plural { "tokens" } else { "token" }.to_owned(),
            FamilyName::Named(name) => self.word(&name.node),
            FamilyName::Listed(sets) => {
                let sets: Vec<String> = (sets.node.iter())
                    .map(|set| self.heap_set(&set.node))
                    .collect();
                sets.join(", ")
            }
        }
    }

    fn heap_set(self, set: &HeapSet) -> String {
        match (set, self) {
            (HeapSet::Listed(heaps), Script::Latex) => {
                let heaps: Vec<String> = heaps.iter().map(typeset).collect();
                match heaps.as_slice() {
                    [only] => format!("${only}$"),
                    many => format!("$\\{{{}\\}}$", many.join(", ")),
                }
            }
            (HeapSet::Listed(heaps), Script::Plain(_)) => {
                let heaps: Vec<String> = (heaps.iter())
                    .map(|one| self.heap(&one.name.node, &one.indices))
                    .collect();
                match heaps.as_slice() {
                    [only] => only.clone(),
                    many => format!("{{{}}}", many.join(", ")),
                }
            }
            (
                HeapSet::Those {
                    name: bound,
                    among,
                    condition,
                },
                Script::Latex,
            ) => {
                let condition = bracketed(&open(condition));
                let bound = name(&bound.node);
                format!("$\\{{{bound} \\in {} : {condition}\\}}$", open(among))
            }
            (
                HeapSet::Those {
                    name: bound,
                    among,
                    condition,
                },
                Script::Plain(_),
            ) => format!(
                "the heaps {} with {}",
                self.member(&bound.node, among),
                self.math(condition)
            ),
        }
    }
}

fn typeset(one: &HeapRef) -> String {
    heap(&one.name.node, &one.indices)
}
