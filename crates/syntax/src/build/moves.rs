//! Moves: their choices, steps and selections.
//!
//! The grammar has many forms of a selection, with and without a number, a family
//! or a name; the tree has few. Names are not resolved.

use super::expression::expr;
use super::parts::{Context, Parts, only, text};
use super::{heap_ref, heap_set};
use crate::ast::{
    Action, Again, Amount, FamilyName, ForSome, HeapSet, Leaving, Move, NewHeaps, NewSize, Octal,
    OctalCode, Parts as SplitParts, Place, Repeat, Selection, Side, Step, What,
};
use crate::parser::Rule;
use nimrule_model::source::Spanned;
use pest::iterators::Pair;

pub(super) fn mover(mut parts: Parts<'_>, context: &mut Context) -> Move {
    let mut mover = Move {
        side: None,
        octal: None,
        name: None,
        when: None,
        choices: Vec::new(),
        steps: Vec::new(),
        again: None,
    };
    for part in parts.all() {
        match part.as_rule() {
            Rule::side => {
                let left = Parts::of(part.clone()).has_keyword(Rule::kw_left);
                let side = if left { Side::Left } else { Side::Right };
                mover.side = Some(Spanned::new(side, context.span(&part)));
            }
            Rule::octal => {
                let mut parts = Parts::of(part);
                let code = parts.take();
                mover.octal = Some(Octal {
                    code: if code.as_rule() == Rule::string {
                        OctalCode::Written(Spanned::new(text(&code), context.span(&code)))
                    } else {
                        OctalCode::Named(context.name(&code))
                    },
                    from: parts.next().map(|p| selection(p, context)),
                });
            }
            Rule::name => mover.name = Some(context.name(&part)),
            Rule::when => mover.when = Some(expr(Parts::of(part).take(), context)),
            Rule::for_some => {
                let mut parts = Parts::of(part);
                mover.choices.push(ForSome {
                    name: parts.name(context),
                    set: expr(parts.take(), context),
                    condition: parts.next().map(|p| expr(p, context)),
                });
            }
            Rule::again => {
                let at = context.span(&part);
                let may = Parts::of(part).has_keyword(Rule::kw_optionally);
                let again = if may { Again::May } else { Again::Must };
                mover.again = Some(Spanned::new(again, at));
            }
            _ => {
                let at = context.span(&part);
                mover.steps.push(Spanned::new(step(part, context), at));
            }
        }
    }
    mover
}

fn step(pair: Pair<'_, Rule>, context: &mut Context) -> Step {
    let mut repeat = Repeat::Once;
    let mut action = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::repeat => {
                let first = part.clone().into_inner().next().map(|p| p.as_rule());
                let mut parts = Parts::of(part);
                repeat = match first {
                    Some(Rule::kw_optionally) => Repeat::Optionally,
                    Some(Rule::kw_up) => Repeat::UpTo(expr(parts.take(), context)),
                    _ => Repeat::Exactly(expr(parts.take(), context)),
                };
            }
            _ => action = Some(self::action(part, context)),
        }
    }
    Step {
        repeat,
        action: action.expect("the grammar gives every step an action"),
    }
}

fn action(pair: Pair<'_, Rule>, context: &mut Context) -> Action {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::take => {
            let amount = parts
                .find(Rule::amount)
                .map_or(Amount::Any, |p| amount(p, context));
            Action::Take {
                amount,
                from: selection(parts.take(), context),
                leaving: parts.find(Rule::leaving).map(|p| {
                    let mut parts = Parts::of(p);
                    Leaving {
                        heaps: expr(parts.take(), context),
                        family: family_name(parts.take(), context),
                    }
                }),
                condition: parts.next().map(|p| expr(p, context)),
            }
        }
        Rule::put => Action::Put {
            amount: expr(parts.take(), context),
            on: selection(parts.take(), context),
            condition: parts.next().map(|p| expr(p, context)),
        },
        Rule::split => {
            let what = selection(parts.take(), context);
            let any = parts.find(Rule::any_parts).is_some();
            let mut names = Vec::new();
            while let Some(part) = parts.find(Rule::name) {
                names.push(context.name(&part));
            }
            Action::Split {
                what,
                parts: match any {
                    true => SplitParts::Any,
                    false => SplitParts::Named(names),
                },
                condition: parts.next().map(|p| expr(p, context)),
            }
        }
        Rule::replace => {
            let what = selection(parts.take(), context);
            let mut by = Vec::new();
            while let Some(part) = parts.find(Rule::new_heap) {
                by.push(new_heaps(part, context));
            }
            Action::Replace {
                what,
                by,
                condition: parts.next().map(|p| expr(p, context)),
            }
        }
        Rule::set => Action::Set {
            what: selection(parts.take(), context),
            value: expr(parts.take(), context),
            condition: parts.next().map(|p| expr(p, context)),
        },
        Rule::flip => Action::Flip {
            what: selection(parts.take(), context),
            condition: parts.next().map(|p| expr(p, context)),
        },
        Rule::choose => Action::Choose {
            what: selection(parts.take(), context),
            condition: parts.next().map(|p| expr(p, context)),
        },
        Rule::slide => Action::Slide {
            what: selection(parts.take(), context),
            condition: parts.next().map(|p| expr(p, context)),
        },
        other => unreachable!("the grammar has no action {other:?}"),
    }
}

fn new_heaps(pair: Pair<'_, Rule>, context: &mut Context) -> NewHeaps {
    let mut parts = Parts::of(pair);
    let (mut count, mut kind) = (None, None);
    if let Some(copies) = parts.find(Rule::copies) {
        let mut copies = Parts::of(copies);
        count = Some(expr(copies.take(), context));
        kind = Some(family_name(copies.take(), context));
    } else if let Some(name) = parts.find(Rule::name) {
        kind = Some(FamilyName::Named(context.name(&name)));
    }
    let mut size = Parts::of(parts.take());
    let size = match size.find(Rule::name) {
        Some(name) => NewSize::In(context.name(&name), expr(size.take(), context)),
        None => NewSize::Of(expr(size.take(), context)),
    };
    NewHeaps { count, kind, size }
}

fn amount(pair: Pair<'_, Rule>, context: &mut Context) -> Amount {
    let mut inner = pair.into_inner();
    let first = inner.next().expect("an amount says something");
    match first.as_rule() {
        Rule::kw_slow => Amount::Slow(context.mark(&first)),
        Rule::kw_all => Amount::All(context.mark(&first)),
        Rule::kw_equal => {
            Amount::Equal(context.mark(&first), inner.next().map(|p| expr(p, context)))
        }
        _ => Amount::Of(expr(first, context)),
    }
}

fn selection(pair: Pair<'_, Rule>, context: &mut Context) -> Spanned<Selection> {
    let at = context.span(&pair);
    let mut parts = Parts::of(pair);
    let what = parts.take();
    let bound = parts.next().map(|p| context.name(&p));
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
        Rule::every => What::All(family_name(inner.take(), context)),
        Rule::one => match inner.find(Rule::listed_family) {
            Some(list) => What::One(listed_family(list, context)),
            None => What::One(family_name(inner.take(), context)),
        },
        Rule::up_to => What::UpTo {
            count: expr(inner.take(), context),
            consecutive,
            family: family_name(inner.take(), context),
        },
        Rule::exactly => What::Exactly {
            count: expr(inner.take(), context),
            family: family_name(inner.take(), context),
        },
        Rule::consecutive => What::Consecutive {
            count: expr(inner.take(), context),
            family: family_name(inner.take(), context),
        },
        _ if by_index => What::HeapAt(expr(inner.take(), context)),
        _ => {
            let place = inner.take();
            if place.as_rule() == Rule::indexed {
                let mut parts = Parts::of(place);
                What::Named {
                    name: parts.name(context),
                    indices: parts.all().map(|p| expr(p, context)).collect(),
                }
            } else {
                What::Named {
                    name: context.name(&place),
                    indices: Vec::new(),
                }
            }
        }
    };
    let place = inner.next().map(|p| {
        let at = context.span(&p);
        Spanned::new(place(only(p.into_inner()), context), at)
    });
    Spanned::new(Selection { what, place, bound }, at)
}

/// Where heaps are, seen from one of them.
pub(super) fn place(pair: Pair<'_, Rule>, context: &Context) -> Place {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    let words = [
        Rule::kw_left,
        Rule::kw_right,
        Rule::kw_above,
        Rule::kw_below,
        Rule::kw_before,
        Rule::kw_after,
        Rule::kw_ending,
        Rule::kw_starting,
    ];
    let word = words
        .into_iter()
        .find(|keyword| parts.has_keyword(*keyword));
    let inner = parts.take();
    if rule == Rule::within_one {
        return Place::WithinOne(family_name(inner, context));
    }
    let name = context.name(&inner);
    match word {
        Some(Rule::kw_left) => Place::Left(name),
        Some(Rule::kw_right) => Place::Right(name),
        Some(Rule::kw_above) => Place::Above(name),
        Some(Rule::kw_below) => Place::Below(name),
        Some(Rule::kw_before) => Place::EndingBefore(name),
        Some(Rule::kw_after) => Place::StartingAfter(name),
        Some(Rule::kw_ending) => Place::EndingAt(name),
        Some(Rule::kw_starting) => Place::StartingAt(name),
        _ => Place::Of(name),
    }
}

/// `a b`, each heap by itself, or `{a b}, {c d}`.
fn listed_family(pair: Pair<'_, Rule>, context: &mut Context) -> FamilyName {
    let at = context.span(&pair);
    let mut members = Vec::new();
    for member in Parts::of(pair).all() {
        members.push(match member.as_rule() {
            Rule::heap_set => heap_set(member, context),
            _ => {
                let at = context.span(&member);
                Spanned::new(HeapSet::Listed(vec![heap_ref(member, context)]), at)
            }
        });
    }
    FamilyName::Listed(Spanned::new(members, at))
}

fn family_name(pair: Pair<'_, Rule>, context: &Context) -> FamilyName {
    let inner = only(pair.into_inner());
    match inner.as_rule() {
        Rule::name => FamilyName::Named(context.name(&inner)),
        Rule::kw_token | Rule::kw_tokens => FamilyName::Tokens(context.mark(&inner)),
        _ => FamilyName::Heaps(context.mark(&inner)),
    }
}
