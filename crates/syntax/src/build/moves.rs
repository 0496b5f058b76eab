//! Moves: their choices, steps and selections.
//!
//! The grammar has many forms of a selection, with and without a number, a family
//! or a name; the tree has few. Names are not resolved.

use super::Errors;
use super::expression::expr;
use super::parts::{Parts, mark, name, only, span, text};
use crate::ast::{
    Action, Amount, FamilyName, ForSome, Leaving, Move, Octal, OctalCode, Repeat, Selection, Side,
    Step, What,
};
use crate::parser::Rule;
use nimrule_model::source::Spanned;
use pest::iterators::Pair;

pub(super) fn mover(mut parts: Parts<'_>, errors: &mut Errors) -> Move {
    let mut mover = Move {
        side: None,
        octal: None,
        name: None,
        when: None,
        choices: Vec::new(),
        steps: Vec::new(),
    };
    for part in parts.all() {
        match part.as_rule() {
            Rule::side => {
                let left = Parts::of(part.clone()).has_keyword(Rule::kw_left);
                let side = if left { Side::Left } else { Side::Right };
                mover.side = Some(Spanned::new(side, span(&part)));
            }
            Rule::octal => {
                let mut parts = Parts::of(part);
                let code = parts.take();
                mover.octal = Some(Octal {
                    code: if code.as_rule() == Rule::string {
                        OctalCode::Written(Spanned::new(text(&code), span(&code)))
                    } else {
                        OctalCode::Named(name(&code))
                    },
                    from: parts.next().map(|p| selection(p, errors)),
                });
            }
            Rule::name => mover.name = Some(name(&part)),
            Rule::when => mover.when = Some(expr(Parts::of(part).take(), errors)),
            Rule::for_some => {
                let mut parts = Parts::of(part);
                mover.choices.push(ForSome {
                    name: parts.name(),
                    set: expr(parts.take(), errors),
                    condition: parts.next().map(|p| expr(p, errors)),
                });
            }
            _ => {
                let at = span(&part);
                mover.steps.push(Spanned::new(step(part, errors), at));
            }
        }
    }
    mover
}

fn step(pair: Pair<'_, Rule>, errors: &mut Errors) -> Step {
    let mut repeat = Repeat::Once;
    let mut action = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::repeat => {
                let first = part.clone().into_inner().next().map(|p| p.as_rule());
                let mut parts = Parts::of(part);
                repeat = match first {
                    Some(Rule::kw_optionally) => Repeat::Optionally,
                    Some(Rule::kw_up) => Repeat::UpTo(expr(parts.take(), errors)),
                    _ => Repeat::Exactly(expr(parts.take(), errors)),
                };
            }
            _ => action = Some(self::action(part, errors)),
        }
    }
    Step {
        repeat,
        action: action.expect("the grammar gives every step an action"),
    }
}

fn action(pair: Pair<'_, Rule>, errors: &mut Errors) -> Action {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::take => {
            let amount = parts
                .find(Rule::amount)
                .map_or(Amount::Any, |p| amount(p, errors));
            Action::Take {
                amount,
                from: selection(parts.take(), errors),
                leaving: parts.find(Rule::leaving).map(|p| {
                    let mut parts = Parts::of(p);
                    Leaving {
                        heaps: expr(parts.take(), errors),
                        family: family_name(parts.take()),
                    }
                }),
                condition: parts.next().map(|p| expr(p, errors)),
            }
        }
        Rule::put => Action::Put {
            amount: expr(parts.take(), errors),
            on: selection(parts.take(), errors),
            condition: parts.next().map(|p| expr(p, errors)),
        },
        Rule::split => {
            let what = selection(parts.take(), errors);
            let mut names = Vec::new();
            while let Some(part) = parts.find(Rule::name) {
                names.push(name(&part));
            }
            Action::Split {
                what,
                parts: names,
                condition: parts.next().map(|p| expr(p, errors)),
            }
        }
        Rule::slide => Action::Slide {
            what: selection(parts.take(), errors),
            condition: parts.next().map(|p| expr(p, errors)),
        },
        other => unreachable!("the grammar has no action {other:?}"),
    }
}

fn amount(pair: Pair<'_, Rule>, errors: &mut Errors) -> Amount {
    let mut inner = pair.into_inner();
    let first = inner.next().expect("an amount says something");
    match first.as_rule() {
        Rule::kw_slow => Amount::Slow(mark(&first)),
        Rule::kw_equal => Amount::Equal(mark(&first), inner.next().map(|p| expr(p, errors))),
        _ => Amount::Of(expr(first, errors)),
    }
}

fn selection(pair: Pair<'_, Rule>, errors: &mut Errors) -> Spanned<Selection> {
    let at = span(&pair);
    let mut parts = Parts::of(pair);
    let what = parts.take();
    let bound = parts.next().map(|p| name(&p));
    let rule = what.as_rule();
    let consecutive = what
        .clone()
        .into_inner()
        .any(|p| p.as_rule() == Rule::kw_consecutive);
    let by_index = what
        .clone()
        .into_inner()
        .any(|p| p.as_rule() == Rule::open_bracket);
    let mut inner = Parts::of(what);
    let what = match rule {
        Rule::every => What::All(family_name(inner.take())),
        Rule::one => What::One(family_name(inner.take())),
        Rule::up_to => What::UpTo {
            count: expr(inner.take(), errors),
            consecutive,
            family: family_name(inner.take()),
        },
        Rule::exactly => What::Exactly {
            count: expr(inner.take(), errors),
            family: family_name(inner.take()),
        },
        Rule::consecutive => What::Consecutive {
            count: expr(inner.take(), errors),
            family: family_name(inner.take()),
        },
        _ if by_index => What::HeapAt(expr(inner.take(), errors)),
        _ => {
            let place = inner.take();
            if place.as_rule() == Rule::indexed {
                let mut parts = Parts::of(place);
                What::Named {
                    name: parts.name(),
                    index: Some(expr(parts.take(), errors)),
                }
            } else {
                What::Named {
                    name: name(&place),
                    index: None,
                }
            }
        }
    };
    Spanned::new(Selection { what, bound }, at)
}

fn family_name(pair: Pair<'_, Rule>) -> FamilyName {
    let inner = only(pair.into_inner());
    if inner.as_rule() == Rule::name {
        FamilyName::Named(name(&inner))
    } else {
        FamilyName::Heaps(mark(&inner))
    }
}
