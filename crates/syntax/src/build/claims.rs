//! Claims, examples and positions.
//!
//! A claim includes the span of its text, without `claim` and without the
//! counterexample, for reports.

use super::expression::{braces, expr};
use super::heap_ref;
use super::parts::{Context, Parts, only};
use crate::ast::{
    Agreement, Claim, ClaimStatement, Class, Direction, Entry, Example, Expr, HeapRef, Position,
    PositionForm, Verdict,
};
use crate::parser::Rule;
use nimrule_model::source::{Span, Spanned, join};
use pest::iterators::Pair;

pub(super) fn claim(at: Span, parts: Parts<'_>, context: &mut Context) -> Claim {
    let mut condition = None;
    let mut statement = None;
    let mut refuted = None;
    let misere = parts.has_keyword(Rule::kw_misere);
    let mut begins = None;
    let mut ends = at;
    for part in parts.everything() {
        let here = context.span(&part);
        let rule = part.as_rule();
        if rule == Rule::kw_claim {
            continue;
        }
        begins.get_or_insert(here);
        if rule != Rule::refuted {
            ends = here;
        }
        match rule {
            Rule::for_clause => condition = Some(expr(Parts::of(part).take(), context)),
            Rule::refuted => refuted = Some(position(Parts::of(part).take(), context)),
            Rule::kw_misere => {}
            _ => statement = Some(claimed(part, context)),
        }
    }
    Claim {
        condition,
        misere,
        statement: statement.expect("the grammar gives every claim a statement"),
        refuted,
        words: Spanned::new((), join(begins.unwrap_or(at), ends)),
    }
}

pub(super) fn example(parts: Parts<'_>, context: &mut Context) -> Example {
    let misere = parts.has_keyword(Rule::kw_misere);
    let mut condition = None;
    let mut place = None;
    let mut verdict = None;
    for part in parts.everything() {
        match part.as_rule() {
            Rule::for_clause => condition = Some(expr(Parts::of(part).take(), context)),
            Rule::position => place = Some(position(part, context)),
            Rule::line_of_play => {
                let mut line = Parts::of(part).all().map(|p| position(p, context));
                place = line.next();
                verdict = Some(Verdict::Play(line.collect()));
            }
            Rule::verdict => {
                let inner = only(part.into_inner());
                verdict = Some(match inner.as_rule() {
                    Rule::is_p => Verdict::Is(Class::P),
                    Rule::is_n => Verdict::Is(Class::N),
                    Rule::is_l => Verdict::Is(Class::L),
                    Rule::is_r => Verdict::Is(Class::R),
                    Rule::is_d => Verdict::Is(Class::D),
                    Rule::has_grundy => Verdict::HasGrundy(expr(Parts::of(inner).take(), context)),
                    Rule::has_moves => {
                        Verdict::WinningMoves(expr(Parts::of(inner).take(), context))
                    }
                    Rule::wins_by => {
                        let mut parts = Parts::of(inner);
                        let only = parts.has_keyword(Rule::kw_only);
                        let options = parts.all().map(|p| position(p, context)).collect();
                        Verdict::WinsBy { options, only }
                    }
                    _ => Verdict::Loses,
                });
            }
            _ => {}
        }
    }
    Example {
        condition,
        misere,
        position: place.expect("the grammar gives every example a position"),
        verdict: verdict.expect("the grammar gives every example a verdict"),
    }
}

pub(super) fn position(pair: Pair<'_, Rule>, context: &mut Context) -> Position {
    let at = context.span(&pair);
    let mut forms = pair.into_inner();
    let first = forms
        .next()
        .expect("the grammar gives every position a form");
    let kind = position_form(first, context);
    let kind = match forms.next() {
        Some(states) => PositionForm::WithStates(Box::new(kind), named_sizes(states, context)),
        None => kind,
    };
    Spanned::new(kind, at)
}

fn position_form(inner: Pair<'_, Rule>, context: &mut Context) -> PositionForm {
    let rule = inner.as_rule();
    if rule == Rule::named_sizes {
        return PositionForm::Named(named_sizes(inner, context));
    }
    let mut parts = Parts::of(inner);
    match rule {
        Rule::tuple => {
            let mut entries: Vec<Pair<'_, Rule>> = parts.all().collect();
            let states = entries.pop_if(|last| last.as_rule() == Rule::state_values);
            let entries = entries.into_iter().map(|p| entry(p, context)).collect();
            let tuple = PositionForm::Tuple(entries);
            match states {
                Some(states) => {
                    PositionForm::WithStates(Box::new(tuple), named_sizes(states, context))
                }
                None => tuple,
            }
        }
        Rule::bag => PositionForm::Multiset(parts.all().map(|p| entry(p, context)).collect()),
        Rule::all_sizes => PositionForm::All(expr(parts.take(), context)),
        _ => PositionForm::Kinds(
            parts
                .all()
                .map(|size| {
                    let mut parts = Parts::of(size);
                    (parts.name(context), expr(parts.take(), context))
                })
                .collect(),
        ),
    }
}

fn named_sizes(pair: Pair<'_, Rule>, context: &mut Context) -> Vec<(HeapRef, Expr)> {
    let size = |size: Pair<'_, Rule>| {
        let mut parts = Parts::of(size);
        (heap_ref(parts.take(), context), expr(parts.take(), context))
    };
    Parts::of(pair).all().map(size).collect()
}

/// An entry of a position, or a vertex.
pub(super) fn entry(pair: Pair<'_, Rule>, context: &mut Context) -> Entry {
    if pair.as_rule() == Rule::coordinates_of {
        let at = context.span(&pair);
        let entries = Parts::of(pair).all().map(|p| expr(p, context)).collect();
        Entry::Coordinates(Spanned::new(entries, at))
    } else {
        Entry::Number(expr(pair, context))
    }
}

/// The statement of a claim.
fn claimed(pair: Pair<'_, Rule>, context: &mut Context) -> ClaimStatement {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::p_claim => outcome(parts, context),
        Rule::grundy_claim => ClaimStatement::Grundy(expr(parts.take(), context)),
        Rule::pairing_claim => ClaimStatement::Pairing(
            parts
                .all()
                .map(|pair| {
                    let mut parts = Parts::of(pair);
                    (vertex(parts.take(), context), vertex(parts.take(), context))
                })
                .collect(),
        ),
        Rule::wins_claim => {
            let (mut names, mut option, mut condition) = (Vec::new(), Vec::new(), None);
            for part in parts.all() {
                match part.as_rule() {
                    Rule::claimed_let => {
                        let mut parts = Parts::of(part);
                        names.push((parts.name(context), expr(parts.take(), context)));
                    }
                    Rule::claimed_if => condition = Some(expr(Parts::of(part).take(), context)),
                    _ => option.push(expr(part, context)),
                }
            }
            let at = match (option.first(), option.last()) {
                (Some(first), Some(last)) => join(first.span, last.span),
                _ => (0, 0).into(),
            };
            ClaimStatement::WinsBy {
                names,
                option: Spanned::new(option, at),
                condition,
            }
        }
        Rule::period_claim => {
            let period = expr(parts.take(), context);
            let from = expr(parts.take(), context);
            let has_saltus = parts.has_keyword(Rule::kw_saltus);
            ClaimStatement::Period {
                period,
                from,
                saltus: has_saltus.then(|| expr(parts.take(), context)),
                kind: parts.next().map(|p| context.name(&p)),
            }
        }
        Rule::same_claim => ClaimStatement::SameAs {
            agreement: match (
                parts.has_keyword(Rule::kw_outcome),
                parts.has_keyword(Rule::kw_grundy),
            ) {
                (true, _) => Agreement::Outcome,
                (_, true) => Agreement::Grundy,
                _ => Agreement::Options,
            },
            game: parts.name(context),
            settings: parts
                .find(Rule::same_settings)
                .map(|list| {
                    Parts::of(list)
                        .all()
                        .map(|setting| {
                            let mut parts = Parts::of(setting);
                            (parts.name(context), expr(parts.take(), context))
                        })
                        .collect()
                })
                .unwrap_or_default(),
            map: parts.find(Rule::same_map).map(|map| {
                let at = context.span(&map);
                Expr::new(braces(map, context), at)
            }),
            condition: parts.next().map(|p| expr(p, context)),
        },
        Rule::cogame_claim => ClaimStatement::Cogame(
            parts
                .find(Rule::class)
                .map(|of| (class(of), expr(parts.take(), context))),
        ),
        Rule::labellings_claim => ClaimStatement::Labellings(expr(parts.take(), context)),
        Rule::quotient_claim => ClaimStatement::Quotient {
            to: expr(parts.take(), context),
            elements: expr(parts.take(), context),
        },
        other => unreachable!("the grammar has no claim {other:?}"),
    }
}

fn vertex(pair: Pair<'_, Rule>, context: &mut Context) -> Spanned<Entry> {
    let at = context.span(&pair);
    Spanned::new(entry(only(pair.into_inner()), context), at)
}

/// An outcome class.
fn class(pair: Pair<'_, Rule>) -> Class {
    match only(pair.into_inner()).as_rule() {
        Rule::kw_n => Class::N,
        Rule::kw_l => Class::L,
        Rule::kw_r => Class::R,
        Rule::kw_d => Class::D,
        _ => Class::P,
    }
}

/// `[consistent] P [up to symmetry] iff …`
fn outcome(parts: Parts<'_>, context: &mut Context) -> ClaimStatement {
    let consistent = parts.has_keyword(Rule::kw_consistent);
    let mut class = Class::P;
    let mut up_to_symmetry = false;
    let mut direction = Direction::If;
    let mut condition = None;
    for part in parts.everything() {
        match part.as_rule() {
            Rule::class => class = self::class(part),
            Rule::symmetric => up_to_symmetry = true,
            Rule::kw_iff => direction = Direction::Iff,
            Rule::only_if => direction = Direction::OnlyIf,
            Rule::expr => condition = Some(expr(part, context)),
            _ => {}
        }
    }
    ClaimStatement::Outcome {
        class,
        consistent,
        up_to_symmetry,
        direction,
        condition: condition.expect("the grammar gives the claim a condition"),
    }
}
