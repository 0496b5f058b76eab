//! The moves of a rule as English sentences with typeset conditions.
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
    let statements = file.statements.iter();
    statements
        .filter_map(|statement| match &statement.node {
            Statement::Move(made) => {
                let bound = made.choices.iter().map(|choice| choice.name.node.clone());
                let bound = bound.collect();
                Some(Words { kind, bound }.of_move(made))
            }
            _ => None,
        })
        .collect()
}

/// A condition or another expression of the file in math mode.
pub fn expression_as_latex(expr: &Expr) -> String {
    open(expr)
}

struct Words<'k> {
    /// The names that the move has introduced so far.
    bound: Vec<String>,
    kind: &'k dyn Fn(&str) -> NameKind,
}

impl Words<'_> {
    fn of_move(&mut self, made: &Move) -> String {
        let mut words = String::new();
        if let Some(when) = &made.when {
            words.push_str(&format!("if {}, ", math(when)));
        }
        for choice in &made.choices {
            words.push_str(&for_some(choice));
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
        steps.extend(made.octal.as_ref().map(octal));
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
            Repeat::UpTo(count) => format!("{action}, up to {} times", math(count)),
            Repeat::Exactly(count) => format!("{action}, exactly {} times", math(count)),
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
                let left = leaving.as_ref().map_or_else(String::new, leaving_words);
                let (amount, from) = (self.amount(amount), selection(&from.node));
                (format!("takes {amount} from {from}{left}"), condition)
            }
            Action::Put {
                amount,
                on,
                condition,
            } => {
                let (amount, on) = (self.number(amount), selection(&on.node));
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
                        let names = names.iter().map(|part| format!("${}$", name(&part.node)));
                        format!("heaps of {} tokens", and(&names.collect::<Vec<_>>()))
                    }
                };
                let what = selection(&what.node);
                (format!("divides {what} into {parts}"), condition)
            }
            Action::Replace {
                what,
                by,
                condition,
            } => {
                let by: Vec<String> = by.iter().map(new_heaps).collect();
                let what = selection(&what.node);
                (format!("replaces {what} by {}", and(&by)), condition)
            }
            Action::Set {
                what,
                value,
                condition,
            } => (
                format!("sets {} to {}", selection(&what.node), math(value)),
                condition,
            ),
            Action::Flip { what, condition } => (
                format!(
                    "turns over {} ($0$ becomes $1$, and $1$ becomes $0$)",
                    selection(&what.node)
                ),
                condition,
            ),
            Action::Choose { what, condition } => {
                (format!("chooses {}", selection(&what.node)), condition)
            }
            Action::Slide { what, condition } => (
                format!("moves {} along an arc", selection(&what.node)),
                condition,
            ),
        };
        match condition {
            None => words,
            Some(condition) => format!("{words}, where {}", math(condition)),
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
        let written = math(expr);
        match &expr.node {
            ExprKind::Number(1) => "one token".to_owned(),
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

fn math(expr: &Expr) -> String {
    format!("${}$", open(expr))
}

/// A list in words: `a`, `a and b`, `a, b and c`.
fn and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn for_some(choice: &ForSome) -> String {
    let condition = choice.condition.as_ref();
    let condition = condition.map_or_else(String::new, |c| format!(" with {}", math(c)));
    let set = super::within(&choice.set, super::Level::Sign);
    format!(
        "for some ${} \\in {set}${condition}, ",
        name(&choice.name.node)
    )
}

fn octal(octal: &Octal) -> String {
    let code = match &octal.code {
        OctalCode::Written(code) => code.node.clone(),
        OctalCode::Named(name) => name.node.clone(),
    };
    let from = octal.from.as_ref();
    let from = from.map_or_else(|| "one heap".to_owned(), |from| selection(&from.node));
    let code = escaped(&code);
    format!("takes tokens from {from} as the octal code \\texttt{{{code}}} allows")
}

fn leaving_words(leaving: &Leaving) -> String {
    format!(
        " and leaves {} {} in its place",
        math(&leaving.heaps),
        family(&leaving.family, true)
    )
}

fn new_heaps(new: &NewHeaps) -> String {
    let count = new.count.as_ref();
    let many = count.map_or_else(|| "a".to_owned(), math);
    let kind = match &new.kind {
        Some(kind) => family(kind, count.is_some()),
        None if count.is_some() => "heaps".to_owned(),
        None => "heap".to_owned(),
    };
    let size = match &new.size {
        NewSize::Of(size) => format!("size {}", math(size)),
        NewSize::In(bound, set) => format!("size ${} \\in {}$", name(&bound.node), open(set)),
    };
    format!("{many} {kind} of {size}")
}

fn selection(selection: &Selection) -> String {
    let mut words = match &selection.what {
        What::All(of) => format!("all {}", family(of, true)),
        What::One(of) => match of {
            FamilyName::Listed(_) => format!("one of {}", family(of, false)),
            _ => format!("one {}", family(of, false)),
        },
        What::UpTo {
            count,
            consecutive,
            family: of,
        } => {
            let consecutive = if *consecutive { "consecutive " } else { "" };
            format!("up to {} {consecutive}{}", math(count), family(of, true))
        }
        What::Exactly { count, family: of } => {
            format!("exactly {} {}", math(count), family(of, true))
        }
        What::Consecutive { count, family: of } => {
            format!("{} consecutive {}", math(count), family(of, true))
        }
        What::HeapAt(index) => format!("heap number {}", math(index)),
        What::Named { name: of, indices } => match indices.is_empty() {
            true => format!("${}$", name(&of.node)),
            false => format!("${}_{{{}}}$", name(&of.node), list(indices)),
        },
    };
    if let Some(place) = &selection.place {
        words.push_str(&match &place.node {
            Place::WithinOne(of) => format!(" of one {}", family(of, false)),
            other => {
                let of = other.name().map(|of| name(&of.node)).unwrap_or_default();
                format!(" {} ${of}$", other.words())
            }
        });
    }
    if let Some(bound) = &selection.bound {
        words.push_str(&format!(" (${}$)", name(&bound.node)));
    }
    words
}

/// A family as a noun. A name of the file stands as it is.
fn family(of: &FamilyName, plural: bool) -> String {
    match of {
        FamilyName::Heaps(_) => if plural { "heaps" } else { "heap" }.to_owned(),
        FamilyName::Tokens(_) => if plural { "tokens" } else { "token" }.to_owned(),
        FamilyName::Named(name) => escaped(&name.node),
        FamilyName::Listed(sets) => {
            let sets: Vec<String> = sets.node.iter().map(|set| heap_set(&set.node)).collect();
            sets.join(", ")
        }
    }
}

fn heap(heap: &HeapRef) -> String {
    match heap.indices.is_empty() {
        true => name(&heap.name.node),
        false => format!("{}_{{{}}}", name(&heap.name.node), list(&heap.indices)),
    }
}

fn heap_set(set: &HeapSet) -> String {
    match set {
        HeapSet::Listed(heaps) => {
            let heaps: Vec<String> = heaps.iter().map(heap).collect();
            match heaps.as_slice() {
                [only] => format!("${only}$"),
                many => format!("$\\{{{}\\}}$", many.join(", ")),
            }
        }
        HeapSet::Those {
            name: bound,
            among,
            condition,
        } => {
            let condition = bracketed(&open(condition));
            let bound = name(&bound.node);
            format!("$\\{{{bound} \\in {} : {condition}\\}}$", open(among))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NameKind, moves_as_latex};

    fn sentences(moves: &str) -> Vec<String> {
        let file = crate::parse(&format!("game g\nheaps a b\n{moves}\n")).into_result();
        let kind = |name: &str| match name {
            "k" => NameKind::Number,
            "amounts" => NameKind::Set,
            _ => NameKind::New,
        };
        moves_as_latex(&file.expect("no syntax error"), &kind)
    }

    #[test]
    fn moves_are_sentences() {
        let cases = [
            (
                "move take from one heap",
                "The player who moves takes at least one token from one heap.",
            ),
            (
                "move take amounts from up to k heaps",
                "The player who moves takes a number of tokens in $\\mathit{amounts}$ from up to \
                 $k$ heaps.",
            ),
            // A name that an amount introduces is a number from then on.
            (
                "move take t from a where t <= k then put t on b",
                "The player who moves takes some number $t$ of tokens from $a$, where $t \\le k$, \
                 then puts $t$ tokens on $b$.",
            ),
            (
                "move for some s in 0..1 take s from a then optionally put 1 on b",
                "For some $s \\in \\{0, \\ldots, 1\\}$, the player who moves takes $s$ tokens from \
                 $a$, then optionally puts one token on $b$.",
            ),
            (
                "move left when a > b take equal from all heaps then again",
                "If $a > b$, Left takes the same positive number of tokens from all heaps, and must \
                 move again.",
            ),
            (
                "move split one heap into x, y where x != y",
                "The player who moves divides one heap into heaps of $x$ and $y$ tokens, where $x \
                 \\ne y$.",
            ),
        ];
        for (moves, wanted) in cases {
            assert_eq!(sentences(moves), [wanted], "{moves}");
        }
    }
}
