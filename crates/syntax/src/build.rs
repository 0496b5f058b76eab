//! Construction of the abstract syntax tree from the parse tree: statements and
//! boards; moves, claims and expressions in submodules.
//!
//! The only error that is found here is a number that is too large. Names are not
//! resolved.

mod claims;
mod expression;
mod moves;
mod parts;

use super::SyntaxProblem;
use super::ast::{
    Arcs, Board, Default, Expr, File, FileRef, HeapGroup, HeapGroups, HeapNames, HeapRef, Heaps,
    Param, Path, Position, Statement,
};
use super::parser::Rule;
use claims::{claim, entry, example, position};
use expression::expr;
use moves::mover;
use nimrule_model::source::Spanned;
use parts::{Parts, name, only, span, text};
use pest::iterators::{Pair, Pairs};

type Errors = Vec<SyntaxProblem>;

pub fn file(pairs: Pairs<'_, Rule>, errors: &mut Errors) -> File {
    File {
        statements: statements(pairs, errors),
    }
}

pub fn single_statement(pairs: Pairs<'_, Rule>, errors: &mut Errors) {
    statements(pairs, errors);
}

pub fn single_position(pairs: Pairs<'_, Rule>, errors: &mut Errors) -> Position {
    position(only(only(pairs).into_inner()), errors)
}

pub fn single_value(pairs: Pairs<'_, Rule>, errors: &mut Errors) -> Expr {
    expr(only(only(pairs).into_inner()), errors)
}

pub fn single_condition(pairs: Pairs<'_, Rule>, errors: &mut Errors) -> Expr {
    expr(only(only(pairs).into_inner()), errors)
}

fn statements(pairs: Pairs<'_, Rule>, errors: &mut Errors) -> Vec<Spanned<Statement>> {
    only(pairs)
        .into_inner()
        .filter(|pair| pair.as_rule() != Rule::EOI)
        .map(|pair| {
            let at = span(&pair);
            Spanned::new(statement(pair, errors), at)
        })
        .collect()
}

fn statement(pair: Pair<'_, Rule>, errors: &mut Errors) -> Statement {
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
        Rule::param => Statement::Param(parts.all().map(|p| param(p, errors)).collect()),
        Rule::board => Statement::Board(board(parts.take(), errors)),
        Rule::heaps => Statement::Heaps(heaps(parts, errors)),
        Rule::tokens => Statement::Tokens(heaps(parts, errors)),
        Rule::kinds => Statement::Kinds(parts.all().map(|p| name(&p)).collect()),
        Rule::family => Statement::Family {
            name: parts.name(),
            members: parts
                .all()
                .map(|member| {
                    let at = span(&member);
                    let refs = Parts::of(member)
                        .all()
                        .map(|r| heap_ref(r, errors))
                        .collect();
                    Spanned::new(refs, at)
                })
                .collect(),
        },
        Rule::positions => match parts.take() {
            part if part.as_rule() == Rule::may_repeat => Statement::MayRepeat,
            part => Statement::Positions(expr(part, errors)),
        },
        Rule::suggest => Statement::Suggest(expr(parts.take(), errors)),
        Rule::start => Statement::Start(position(parts.take(), errors)),
        Rule::mover => Statement::Move(mover(parts, errors)),
        Rule::claim => Statement::Claim(claim(at, parts, errors)),
        Rule::example => Statement::Example(example(parts, errors)),
        other => unreachable!("the grammar has no statement {other:?}"),
    }
}

fn param(pair: Pair<'_, Rule>, errors: &mut Errors) -> Param {
    let mut parts = Parts::of(pair);
    Param {
        name: parts.name(),
        default: match parts.take() {
            code if code.as_rule() == Rule::string => {
                Default::Code(Spanned::new(text(&code), span(&code)))
            }
            value => Default::Value(expr(value, errors)),
        },
        range: parts.next().map(|p| expr(p, errors)),
    }
}

fn board(pair: Pair<'_, Rule>, errors: &mut Errors) -> Board {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::named_board => Board::Named {
            name: parts.name(),
            arguments: parts
                .find(Rule::board_arguments)
                .map(|p| Parts::of(p).all().map(|a| expr(a, errors)).collect())
                .unwrap_or_default(),
            shrinking: parts
                .find_keyword(Rule::kw_shrinking)
                .map(|at| Spanned::new((), at)),
        },
        Rule::digraph_board => digraph(parts, errors),
        Rule::graph_board => Board::Graph(paths(parts.take())),
        Rule::file_board => Board::File {
            file: file_ref(parts.take(), errors),
            planar: false,
        },
        Rule::planar_board => {
            let first = parts.take();
            if first.as_rule() == Rule::file_ref {
                return Board::File {
                    file: file_ref(first, errors),
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

fn digraph(mut parts: Parts<'_>, errors: &mut Errors) -> Board {
    if let Some(file) = parts.find(Rule::file_ref) {
        return Board::DigraphFile(file_ref(file, errors));
    }
    let coordinates = parts
        .find(Rule::coordinates)
        .map(|list| {
            Parts::of(list)
                .all()
                .map(|coordinate| {
                    let mut parts = Parts::of(coordinate);
                    (parts.name(), expr(parts.take(), errors))
                })
                .collect()
        })
        .unwrap_or_default();
    let arcs = parts
        .all()
        .map(|walk| {
            let at = span(&walk);
            let mut vertices = Vec::new();
            let mut condition = None;
            for part in Parts::of(walk).all() {
                if part.as_rule() == Rule::vertex {
                    vertices.push(entry(only(part.into_inner()), errors));
                } else {
                    condition = Some(expr(part, errors));
                }
            }
            Spanned::new(
                Arcs {
                    vertices,
                    condition,
                },
                at,
            )
        })
        .collect();
    Board::Digraph { coordinates, arcs }
}

fn heaps(mut parts: Parts<'_>, errors: &mut Errors) -> Heaps {
    if let Some(any) = parts.find(Rule::any_number) {
        return Heaps {
            groups: HeapGroups::AnyNumber(Spanned::new((), span(&any))),
            real: parts
                .find(Rule::real_size)
                .map(|p| Spanned::new((), span(&p))),
        };
    }
    let mut groups = Vec::new();
    let mut real = None;
    for part in parts.all() {
        if part.as_rule() == Rule::real_size {
            real = Some(Spanned::new((), span(&part)));
        } else {
            groups.push(heap_group(part, errors));
        }
    }
    Heaps {
        groups: HeapGroups::These(groups),
        real,
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

fn file_ref(pair: Pair<'_, Rule>, errors: &mut Errors) -> FileRef {
    let mut parts = Parts::of(pair);
    let path = parts.take();
    FileRef {
        path: Spanned::new(text(&path), span(&path)),
        number: parts.next().map(|p| expr(p, errors)),
    }
}

fn heap_group(pair: Pair<'_, Rule>, errors: &mut Errors) -> HeapGroup {
    match pair.as_rule() {
        Rule::cell_heaps => {
            let mut parts = Parts::of(pair);
            HeapGroup::OnCells {
                kind: parts.name(),
                names: parts.all().map(|p| heap_names(p, errors)).collect(),
            }
        }
        Rule::ranged_heaps => HeapGroup::Ranged(heap_names(pair, errors)),
        _ => HeapGroup::Counted(expr(only(pair.into_inner()), errors)),
    }
}

fn heap_names(pair: Pair<'_, Rule>, errors: &mut Errors) -> HeapNames {
    if pair.as_rule() == Rule::ranged_heaps {
        let mut parts = Parts::of(pair);
        HeapNames::Ranged {
            name: parts.name(),
            range: expr(parts.take(), errors),
        }
    } else {
        HeapNames::One(name(&pair))
    }
}

fn heap_ref(pair: Pair<'_, Rule>, errors: &mut Errors) -> HeapRef {
    let inner = only(pair.into_inner());
    if inner.as_rule() == Rule::indexed {
        let mut parts = Parts::of(inner);
        HeapRef {
            name: parts.name(),
            index: Some(expr(parts.take(), errors)),
        }
    } else {
        HeapRef {
            name: name(&inner),
            index: None,
        }
    }
}
