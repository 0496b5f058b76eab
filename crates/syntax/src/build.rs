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
    Arcs, Axis, Board, Default, Expr, FamilySets, FileRef, HeapGroup, HeapGroups, HeapNames,
    HeapRef, HeapSet, Heaps, Param, Path, Position, Statement, View,
};
use super::parser::Rule;
use claims::{claim, entry, example, position};
use expression::{binder, expr};
use moves::mover;
use nimrule_model::source::Spanned;
use parts::{Context, Parts, only, text};
use pest::iterators::{Pair, Pairs};

/// Builds the tree of one text, which begins at `offset` of its file.
///
/// # Errors
///
/// The numbers that are too large.
fn build<'i, T>(
    pairs: Pairs<'i, Rule>,
    offset: usize,
    tree: impl FnOnce(Pair<'i, Rule>, &mut Context) -> T,
) -> Result<T, Vec<SyntaxProblem>> {
    let mut context = Context::new(offset);
    let tree = tree(only(only(pairs).into_inner()), &mut context);
    match context.problems.is_empty() {
        true => Ok(tree),
        false => Err(context.problems),
    }
}

pub fn single_statement(
    pairs: Pairs<'_, Rule>,
    offset: usize,
) -> Result<Spanned<Statement>, Vec<SyntaxProblem>> {
    build(pairs, offset, |pair, context| {
        let at = context.span(&pair);
        Spanned::new(statement(pair, context), at)
    })
}

pub fn single_position(pairs: Pairs<'_, Rule>) -> Result<Position, Vec<SyntaxProblem>> {
    build(pairs, 0, position)
}

pub fn position_of_any_size(
    pairs: Pairs<'_, Rule>,
) -> Result<(Position, Vec<Spanned<String>>), Vec<SyntaxProblem>> {
    build(pairs, 0, |pair, context| {
        context.large = Some(Vec::new());
        let position = position(pair, context);
        (position, context.large.take().unwrap_or_default())
    })
}

pub fn single_expression(pairs: Pairs<'_, Rule>) -> Result<Expr, Vec<SyntaxProblem>> {
    build(pairs, 0, expr)
}

/// The words after `shown as`.
const VIEWS: [(Rule, View); 5] = [
    (Rule::kw_strip, View::Strip),
    (Rule::kw_bar, View::Bar),
    (Rule::kw_rows, View::Rows),
    (Rule::kw_tree, View::Tree),
    (Rule::kw_order, View::Order),
];

fn statement(pair: Pair<'_, Rule>, context: &mut Context) -> Statement {
    let rule = pair.as_rule();
    let at = context.span(&pair);
    let mut parts = Parts::of(pair);
    match rule {
        Rule::game => Statement::Game {
            name: parts.name(context),
            title: parts.find(Rule::string).map(|p| text(&p)),
        },
        Rule::source => Statement::Source(text(&parts.take())),
        Rule::note => Statement::Note(text(&parts.take())),
        Rule::param => Statement::Param(parts.all().map(|p| param(p, context)).collect()),
        Rule::board => Statement::Board(board(parts.take(), context)),
        Rule::heaps => Statement::Heaps(heaps(parts, context)),
        Rule::tokens => Statement::Tokens(heaps(parts, context)),
        Rule::kinds => Statement::Kinds(parts.all().map(|p| context.name(&p)).collect()),
        Rule::state => Statement::State {
            name: parts.name(context),
            range: expr(parts.take(), context),
            value: parts.next().map(|p| expr(p, context)),
        },
        Rule::family => Statement::Family {
            name: parts.name(context),
            of: parts.find(Rule::name).map(|p| context.name(&p)),
            sets: parts.all().map(|p| family_sets(p, context)).collect(),
        },
        Rule::positions => match parts.take() {
            part if part.as_rule() == Rule::may_repeat => Statement::MayRepeat,
            part => Statement::Positions(expr(part, context)),
        },
        Rule::suggest => Statement::Suggest(expr(parts.take(), context)),
        Rule::start => Statement::Start(position(parts.take(), context)),
        Rule::shown => {
            let view = |(keyword, view)| {
                let found = parts.find_keyword(keyword)?;
                Some(Spanned::new(view, context.span(found)))
            };
            Statement::Shown(VIEWS.into_iter().find_map(view).expect("a view"))
        }
        Rule::blocking => {
            let number = parts.all().find(|p| p.as_rule() == Rule::arith);
            Statement::Blocking(expr(number.expect("a number of options"), context))
        }
        Rule::ends_by => Statement::EndsBy(parts.all().map(|p| expr(p, context)).collect()),
        Rule::mover => Statement::Move(mover(parts, context)),
        Rule::claim => Statement::Claim(claim(at, parts, context)),
        Rule::example => Statement::Example(example(parts, context)),
        other => unreachable!("the grammar has no statement {other:?}"),
    }
}

fn param(pair: Pair<'_, Rule>, context: &mut Context) -> Param {
    let mut parts = Parts::of(pair);
    Param {
        name: parts.name(context),
        default: match parts.take() {
            code if code.as_rule() == Rule::string => {
                Default::Code(Spanned::new(text(&code), context.span(&code)))
            }
            value => Default::Value(expr(value, context)),
        },
        range: parts.next().map(|p| expr(p, context)),
    }
}

fn board(pair: Pair<'_, Rule>, context: &mut Context) -> Board {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    match rule {
        Rule::named_board => Board::Named {
            name: parts.name(context),
            arguments: parts
                .find(Rule::board_arguments)
                .map(|p| Parts::of(p).all().map(|a| expr(a, context)).collect())
                .unwrap_or_default(),
            shrinking: parts
                .find_keyword(Rule::kw_shrinking)
                .map(|p| context.mark(p)),
        },
        Rule::digraph_board => digraph(parts, context),
        Rule::graph_board => Board::Graph(paths(parts.take(), context)),
        Rule::file_board => Board::File {
            file: file_ref(parts.take(), context),
            planar: false,
        },
        Rule::planar_board => {
            let first = parts.take();
            if first.as_rule() == Rule::file_ref {
                return Board::File {
                    file: file_ref(first, context),
                    planar: true,
                };
            }
            Board::Planar {
                edges: paths(first, context),
                faces: parts
                    .find(Rule::face_list)
                    .map(|list| {
                        Parts::of(list)
                            .all()
                            .map(|cycle| {
                                let at = context.span(&cycle);
                                Spanned::new(
                                    Parts::of(cycle).all().map(|n| context.name(&n)).collect(),
                                    at,
                                )
                            })
                            .collect()
                    })
                    .unwrap_or_default(),
            }
        }
        other => unreachable!("the grammar has no board {other:?}"),
    }
}

fn digraph(mut parts: Parts<'_>, context: &mut Context) -> Board {
    if let Some(file) = parts.find(Rule::file_ref) {
        return Board::DigraphFile(file_ref(file, context));
    }
    let coordinates = parts
        .find(Rule::coordinates)
        .map(|list| {
            Parts::of(list)
                .all()
                .map(|coordinate| {
                    let mut parts = Parts::of(coordinate);
                    (parts.name(context), expr(parts.take(), context))
                })
                .collect()
        })
        .unwrap_or_default();
    let arcs = parts
        .all()
        .map(|walk| {
            let at = context.span(&walk);
            let mut vertices = Vec::new();
            let mut condition = None;
            for part in Parts::of(walk).all() {
                if part.as_rule() == Rule::vertex {
                    vertices.push(entry(only(part.into_inner()), context));
                } else {
                    condition = Some(expr(part, context));
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

fn heaps(mut parts: Parts<'_>, context: &mut Context) -> Heaps {
    if let Some(any) = parts.find(Rule::any_number) {
        return Heaps {
            groups: HeapGroups::AnyNumber(context.mark(&any)),
            real: parts.find(Rule::real_size).map(|p| context.mark(&p)),
            sizes: parts.find(Rule::sizes).map(|p| sizes(p, context)),
        };
    }
    let mut groups = Vec::new();
    let mut real = None;
    let mut bounds = None;
    for part in parts.all() {
        if part.as_rule() == Rule::real_size {
            real = Some(context.mark(&part));
        } else if part.as_rule() == Rule::sizes {
            bounds = Some(sizes(part, context));
        } else {
            groups.push(heap_group(part, context));
        }
    }
    Heaps {
        groups: HeapGroups::These(groups),
        real,
        sizes: bounds,
    }
}

fn sizes(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    expr(Parts::of(pair).take(), context)
}

fn paths(list: Pair<'_, Rule>, context: &Context) -> Vec<Path> {
    Parts::of(list)
        .all()
        .map(|path| {
            let at = context.span(&path);
            Spanned::new(
                Parts::of(path).all().map(|n| context.name(&n)).collect(),
                at,
            )
        })
        .collect()
}

fn file_ref(pair: Pair<'_, Rule>, context: &mut Context) -> FileRef {
    let mut parts = Parts::of(pair);
    let path = parts.take();
    FileRef {
        path: Spanned::new(text(&path), context.span(&path)),
        number: parts.next().map(|p| expr(p, context)),
    }
}

fn heap_group(pair: Pair<'_, Rule>, context: &mut Context) -> HeapGroup {
    match pair.as_rule() {
        Rule::cell_heaps => {
            let mut parts = Parts::of(pair);
            HeapGroup::OnCells {
                kind: parts.name(context),
                names: parts.all().map(|p| heap_names(p, context)).collect(),
            }
        }
        Rule::ranged_heaps => HeapGroup::Ranged(heap_names(pair, context)),
        _ => HeapGroup::Counted(expr(only(pair.into_inner()), context)),
    }
}

fn heap_names(pair: Pair<'_, Rule>, context: &mut Context) -> HeapNames {
    if pair.as_rule() == Rule::ranged_heaps {
        let mut parts = Parts::of(pair);
        HeapNames::Ranged {
            name: parts.name(context),
            axes: std::iter::from_fn(|| parts.find(Rule::axis))
                .map(|p| axis(p, context))
                .collect(),
            condition: parts.next().map(|p| expr(p, context)),
        }
    } else {
        HeapNames::One(context.name(&pair))
    }
}

fn axis(pair: Pair<'_, Rule>, context: &mut Context) -> Axis {
    let mut parts = Parts::of(pair);
    Axis {
        name: parts.find(Rule::name).map(|p| context.name(&p)),
        range: expr(parts.take(), context),
    }
}

fn family_sets(pair: Pair<'_, Rule>, context: &mut Context) -> FamilySets {
    let mut parts = Parts::of(pair);
    FamilySets {
        sets: std::iter::from_fn(|| parts.find(Rule::heap_set))
            .map(|p| heap_set(p, context))
            .collect(),
        binders: std::iter::from_fn(|| parts.find(Rule::binder))
            .map(|p| binder(p, context))
            .collect(),
        condition: parts.next().map(|p| expr(p, context)),
    }
}

fn heap_set(pair: Pair<'_, Rule>, context: &mut Context) -> Spanned<HeapSet> {
    let at = context.span(&pair);
    let mut parts = Parts::of(pair);
    let set = match parts.find(Rule::those) {
        Some(those) => {
            let mut parts = Parts::of(those);
            let (name, among) = binder(parts.take(), context);
            HeapSet::Those {
                name,
                among: Box::new(among),
                condition: Box::new(expr(parts.take(), context)),
            }
        }
        None => HeapSet::Listed(parts.all().map(|r| heap_ref(r, context)).collect()),
    };
    Spanned::new(set, at)
}

fn heap_ref(pair: Pair<'_, Rule>, context: &mut Context) -> HeapRef {
    let inner = only(pair.into_inner());
    if inner.as_rule() == Rule::indexed {
        let mut parts = Parts::of(inner);
        HeapRef {
            name: parts.name(context),
            indices: parts.all().map(|p| expr(p, context)).collect(),
        }
    } else {
        HeapRef {
            name: context.name(&inner),
            indices: Vec::new(),
        }
    }
}
