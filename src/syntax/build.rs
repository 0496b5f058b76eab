//! From the grammar's pairs to the tree: statements, boards, claims.
//!
//! What the grammar accepted is taken as it is; the one fault that can still
//! be found is a number too large. So nothing here asks what a name stands for
//! or whether a statement makes sense.

mod expression;
mod moves;
mod parts;

use super::SyntaxProblem;
use super::ast::{
    Board, Claim, ClaimStatement, Direction, Example, Expr, File, FileRef, HeapGroup, HeapNames,
    HeapRef, Param, Path, Position, PositionKind, Statement, Verdict,
};
use super::parser::Rule;
use crate::source::{Span, Spanned, join};
use expression::expr;
use moves::mover;
use parts::{Parts, name, only, span, text};
use pest::iterators::{Pair, Pairs};

type Faults = Vec<SyntaxProblem>;

pub fn file(pairs: Pairs<'_, Rule>, faults: &mut Faults) -> File {
    File {
        statements: statements(pairs, faults),
    }
}

pub fn single_statement(pairs: Pairs<'_, Rule>, faults: &mut Faults) {
    statements(pairs, faults);
}

pub fn single_position(pairs: Pairs<'_, Rule>, faults: &mut Faults) -> Position {
    position(only(only(pairs).into_inner()), faults)
}

pub fn single_value(pairs: Pairs<'_, Rule>, faults: &mut Faults) -> Expr {
    expr(only(only(pairs).into_inner()), faults)
}

fn statements(pairs: Pairs<'_, Rule>, faults: &mut Faults) -> Vec<Spanned<Statement>> {
    only(pairs)
        .into_inner()
        .filter(|pair| pair.as_rule() != Rule::EOI)
        .map(|pair| {
            let at = span(&pair);
            Spanned::new(statement(pair, faults), at)
        })
        .collect()
}

fn statement(pair: Pair<'_, Rule>, faults: &mut Faults) -> Statement {
    let rule = pair.as_rule();
    let at = span(&pair);
    let mut parts = Parts::of(pair);
    match rule {
        Rule::game => Statement::Game {
            name: parts.name(),
            title: parts.find(Rule::string).map(|p| text(&p)),
        },
        Rule::source => Statement::Source(text(&parts.take())),
        Rule::note => Statement::Note(text(&parts.take())),
        Rule::param => Statement::Param(parts.all().map(|p| param(p, faults)).collect()),
        Rule::board => Statement::Board(board(parts.take(), faults)),
        Rule::heaps => Statement::Heaps(parts.all().map(|p| heap_group(p, faults)).collect()),
        Rule::family => Statement::Family {
            name: parts.name(),
            members: parts
                .all()
                .map(|member| {
                    let at = span(&member);
                    let refs = Parts::of(member)
                        .all()
                        .map(|r| heap_ref(r, faults))
                        .collect();
                    Spanned::new(refs, at)
                })
                .collect(),
        },
        Rule::positions => Statement::Positions(expr(parts.take(), faults)),
        Rule::suggest => Statement::Suggest(expr(parts.take(), faults)),
        Rule::start => Statement::Start(position(parts.take(), faults)),
        Rule::mover => Statement::Move(mover(parts, faults)),
        Rule::claim => Statement::Claim(claim(at, parts, faults)),
        Rule::example => Statement::Example(example(parts, faults)),
        other => unreachable!("the grammar has no statement {other:?}"),
    }
}

fn param(pair: Pair<'_, Rule>, faults: &mut Faults) -> Param {
    let mut parts = Parts::of(pair);
    Param {
        name: parts.name(),
        default: expr(parts.take(), faults),
        range: parts.next().map(|p| expr(p, faults)),
    }
}

fn board(pair: Pair<'_, Rule>, faults: &mut Faults) -> Board {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::named_board => Board::Named {
            name: parts.name(),
            arguments: parts
                .find(Rule::board_arguments)
                .map(|p| Parts::of(p).all().map(|a| expr(a, faults)).collect())
                .unwrap_or_default(),
            shrinking: parts
                .find_keyword(Rule::kw_shrinking)
                .map(|at| Spanned::new((), at)),
        },
        Rule::graph_board => Board::Graph(paths(parts.take())),
        Rule::file_board => Board::File {
            file: file_ref(parts.take(), faults),
            planar: false,
        },
        Rule::planar_board => {
            let first = parts.take();
            if first.as_rule() == Rule::file_ref {
                return Board::File {
                    file: file_ref(first, faults),
                    planar: true,
                };
            }
            Board::Planar {
                edges: paths(first),
                faces: parts
                    .find(Rule::face_list)
                    .map(|list| {
                        Parts::of(list)
                            .all()
                            .map(|cycle| {
                                let at = span(&cycle);
                                Spanned::new(Parts::of(cycle).all().map(|n| name(&n)).collect(), at)
                            })
                            .collect()
                    })
                    .unwrap_or_default(),
            }
        }
        other => unreachable!("the grammar has no board {other:?}"),
    }
}

fn paths(list: Pair<'_, Rule>) -> Vec<Path> {
    Parts::of(list)
        .all()
        .map(|path| {
            let at = span(&path);
            Spanned::new(Parts::of(path).all().map(|n| name(&n)).collect(), at)
        })
        .collect()
}

fn file_ref(pair: Pair<'_, Rule>, faults: &mut Faults) -> FileRef {
    let mut parts = Parts::of(pair);
    let path = parts.take();
    FileRef {
        path: Spanned::new(text(&path), span(&path)),
        number: parts.next().map(|p| expr(p, faults)),
    }
}

fn heap_group(pair: Pair<'_, Rule>, faults: &mut Faults) -> HeapGroup {
    match pair.as_rule() {
        Rule::cell_heaps => {
            let mut parts = Parts::of(pair);
            HeapGroup::OnCells {
                kind: parts.name(),
                names: parts.all().map(|p| heap_names(p, faults)).collect(),
            }
        }
        Rule::ranged_heaps => HeapGroup::Ranged(heap_names(pair, faults)),
        _ => HeapGroup::Counted(expr(only(pair.into_inner()), faults)),
    }
}

fn heap_names(pair: Pair<'_, Rule>, faults: &mut Faults) -> HeapNames {
    if pair.as_rule() == Rule::ranged_heaps {
        let mut parts = Parts::of(pair);
        HeapNames::Ranged {
            name: parts.name(),
            range: expr(parts.take(), faults),
        }
    } else {
        HeapNames::One(name(&pair))
    }
}

fn heap_ref(pair: Pair<'_, Rule>, faults: &mut Faults) -> HeapRef {
    let inner = only(pair.into_inner());
    if inner.as_rule() == Rule::indexed {
        let mut parts = Parts::of(inner);
        HeapRef {
            name: parts.name(),
            index: Some(expr(parts.take(), faults)),
        }
    } else {
        HeapRef {
            name: name(&inner),
            index: None,
        }
    }
}

fn claim(at: Span, parts: Parts<'_>, faults: &mut Faults) -> Claim {
    let mut condition = None;
    let mut statement = None;
    let mut refuted = None;
    let misere = parts.has_keyword(Rule::kw_misere);
    let mut begins = None;
    let mut ends = at;
    for part in parts.everything() {
        let here = span(&part);
        let rule = part.as_rule();
        if rule == Rule::kw_claim {
            continue;
        }
        begins.get_or_insert(here);
        if rule != Rule::refuted {
            ends = here;
        }
        match rule {
            Rule::for_clause => condition = Some(expr(Parts::of(part).take(), faults)),
            Rule::p_claim => {
                let inner = Parts::of(part.clone());
                let up_to_symmetry = part
                    .clone()
                    .into_inner()
                    .any(|p| p.as_rule() == Rule::symmetric);
                let direction = if inner.has_keyword(Rule::kw_iff) {
                    Direction::Iff
                } else if part
                    .clone()
                    .into_inner()
                    .any(|p| p.as_rule() == Rule::only_if)
                {
                    Direction::OnlyIf
                } else {
                    Direction::If
                };
                let body = part
                    .into_inner()
                    .find(|p| p.as_rule() == Rule::expr)
                    .expect("a claim has a condition");
                statement = Some(ClaimStatement::P {
                    up_to_symmetry,
                    direction,
                    condition: expr(body, faults),
                });
            }
            Rule::grundy_claim => {
                statement = Some(ClaimStatement::Grundy(expr(Parts::of(part).take(), faults)));
            }
            Rule::refuted => refuted = Some(position(Parts::of(part).take(), faults)),
            _ => {}
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

fn example(parts: Parts<'_>, faults: &mut Faults) -> Example {
    let misere = parts.has_keyword(Rule::kw_misere);
    let mut condition = None;
    let mut place = None;
    let mut verdict = None;
    for part in parts.everything() {
        match part.as_rule() {
            Rule::for_clause => condition = Some(expr(Parts::of(part).take(), faults)),
            Rule::position => place = Some(position(part, faults)),
            Rule::verdict => {
                let inner = only(part.into_inner());
                verdict = Some(match inner.as_rule() {
                    Rule::is_p => Verdict::IsP,
                    Rule::is_n => Verdict::IsN,
                    Rule::has_grundy => Verdict::HasGrundy(expr(Parts::of(inner).take(), faults)),
                    Rule::wins_by => Verdict::WinsBy(position(Parts::of(inner).take(), faults)),
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

fn position(pair: Pair<'_, Rule>, faults: &mut Faults) -> Position {
    let at = span(&pair);
    let inner = only(pair.into_inner());
    let rule = inner.as_rule();
    let mut parts = Parts::of(inner);
    let kind = if rule == Rule::tuple {
        PositionKind::Tuple(parts.all().map(|p| expr(p, faults)).collect())
    } else {
        PositionKind::Named(
            parts
                .all()
                .map(|size| {
                    let mut parts = Parts::of(size);
                    let heap = heap_ref(parts.take(), faults);
                    (heap, expr(parts.take(), faults))
                })
                .collect(),
        )
    };
    Spanned::new(kind, at)
}
