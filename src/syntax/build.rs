//! From the grammar's pairs to the tree. What the grammar accepted is taken
//! as it is; the one fault that can still be found is a number too large.

use super::SyntaxProblem;
use super::ast::{
    Action, Amount, Binary, Board, Claim, ClaimStatement, Comparison, Direction, Example, Expr,
    ExprKind, FamilyName, File, FileRef, ForSome, Function, Generator, HeapGroup, HeapNames,
    HeapRef, Mark, Move, Name, Param, Path, Position, PositionKind, Quantifier, Repeat, Selection,
    Statement, Step, Verdict, What,
};
use super::parser::Rule;
use crate::source::{Span, Spanned, join};
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

type Faults = Vec<SyntaxProblem>;

/// From the loosest to the tightest.
static ARITHMETIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::nim_sum, Assoc::Left))
        .op(Op::infix(Rule::plus, Assoc::Left) | Op::infix(Rule::minus, Assoc::Left))
        .op(Op::infix(Rule::times, Assoc::Left)
            | Op::infix(Rule::kw_div, Assoc::Left)
            | Op::infix(Rule::kw_mod, Assoc::Left))
        .op(Op::prefix(Rule::negative))
});

static LOGIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::kw_implies, Assoc::Right))
        .op(Op::infix(Rule::kw_or, Assoc::Left))
        .op(Op::infix(Rule::kw_and, Assoc::Left))
        .op(Op::prefix(Rule::kw_not))
});

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

fn mover(mut parts: Parts<'_>, faults: &mut Faults) -> Move {
    let mut mover = Move {
        name: None,
        when: None,
        choices: Vec::new(),
        steps: Vec::new(),
    };
    for part in parts.all() {
        match part.as_rule() {
            Rule::name => mover.name = Some(name(&part)),
            Rule::when => mover.when = Some(expr(Parts::of(part).take(), faults)),
            Rule::for_some => {
                let mut parts = Parts::of(part);
                mover.choices.push(ForSome {
                    name: parts.name(),
                    set: expr(parts.take(), faults),
                    condition: parts.next().map(|p| expr(p, faults)),
                });
            }
            _ => {
                let at = span(&part);
                mover.steps.push(Spanned::new(step(part, faults), at));
            }
        }
    }
    mover
}

fn step(pair: Pair<'_, Rule>, faults: &mut Faults) -> Step {
    let mut repeat = Repeat::Once;
    let mut action = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::repeat => {
                let first = part.clone().into_inner().next().map(|p| p.as_rule());
                let mut parts = Parts::of(part);
                repeat = match first {
                    Some(Rule::kw_optionally) => Repeat::Optionally,
                    Some(Rule::kw_up) => Repeat::UpTo(expr(parts.take(), faults)),
                    _ => Repeat::Exactly(expr(parts.take(), faults)),
                };
            }
            _ => action = Some(self::action(part, faults)),
        }
    }
    Step {
        repeat,
        action: action.expect("the grammar gives every step an action"),
    }
}

fn action(pair: Pair<'_, Rule>, faults: &mut Faults) -> Action {
    let rule = pair.as_rule();
    let mut parts = Parts::of(pair);
    if rule == Rule::take {
        let amount = parts
            .find(Rule::amount)
            .map_or(Amount::Any, |p| amount(p, faults));
        Action::Take {
            amount,
            from: selection(parts.take(), faults),
            condition: parts.next().map(|p| expr(p, faults)),
        }
    } else {
        Action::Put {
            amount: expr(parts.take(), faults),
            on: selection(parts.take(), faults),
            condition: parts.next().map(|p| expr(p, faults)),
        }
    }
}

fn amount(pair: Pair<'_, Rule>, faults: &mut Faults) -> Amount {
    let mut inner = pair.into_inner();
    let first = inner.next().expect("an amount says something");
    match first.as_rule() {
        Rule::kw_slow => Amount::Slow(mark(&first)),
        Rule::kw_equal => Amount::Equal(mark(&first), inner.next().map(|p| expr(p, faults))),
        _ => Amount::Of(expr(first, faults)),
    }
}

fn selection(pair: Pair<'_, Rule>, faults: &mut Faults) -> Spanned<Selection> {
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
            count: expr(inner.take(), faults),
            consecutive,
            family: family_name(inner.take()),
        },
        Rule::exactly => What::Exactly {
            count: expr(inner.take(), faults),
            family: family_name(inner.take()),
        },
        Rule::consecutive => What::Consecutive {
            count: expr(inner.take(), faults),
            family: family_name(inner.take()),
        },
        _ if by_index => What::HeapAt(expr(inner.take(), faults)),
        _ => {
            let place = inner.take();
            if place.as_rule() == Rule::indexed {
                let mut parts = Parts::of(place);
                What::Named {
                    name: parts.name(),
                    index: Some(expr(parts.take(), faults)),
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

/// Builds any rule of the grammar that stands for a value.
fn expr(pair: Pair<'_, Rule>, faults: &mut Faults) -> Expr {
    let at = span(&pair);
    let rule = pair.as_rule();
    let kind = match rule {
        Rule::expr | Rule::conjunction => return logic(pair, faults),
        Rule::arith => return arithmetic(pair, faults),
        Rule::relation => return relation(pair, faults),
        Rule::span => return range(pair, faults),
        Rule::parens => return expr(Parts::of(pair).take(), faults),
        Rule::number => number(&pair, faults),
        Rule::name => ExprKind::Name(pair.as_str().to_owned()),
        Rule::kw_true => ExprKind::Truth(true),
        Rule::kw_false => ExprKind::Truth(false),
        Rule::kw_heaps => ExprKind::Heaps,
        Rule::kw_total => ExprKind::Total,
        Rule::kw_each => ExprKind::Each,
        Rule::kw_squares => ExprKind::Squares,
        Rule::powers => ExprKind::Powers(Box::new(expr(Parts::of(pair).take(), faults))),
        Rule::heap_index => ExprKind::HeapAt(Box::new(expr(Parts::of(pair).take(), faults))),
        Rule::indexed => {
            let mut parts = Parts::of(pair);
            ExprKind::Indexed {
                name: parts.name(),
                index: Box::new(expr(parts.take(), faults)),
            }
        }
        Rule::braces => ExprKind::Braces(Parts::of(pair).all().map(|p| expr(p, faults)).collect()),
        Rule::call => call(pair, faults),
        Rule::conditional => {
            let mut parts = Parts::of(pair);
            ExprKind::If {
                condition: Box::new(expr(parts.take(), faults)),
                then: Box::new(expr(parts.take(), faults)),
                otherwise: Box::new(expr(parts.take(), faults)),
            }
        }
        Rule::let_in => {
            let mut parts = Parts::of(pair);
            ExprKind::Let {
                name: parts.name(),
                value: Box::new(expr(parts.take(), faults)),
                body: Box::new(expr(parts.take(), faults)),
            }
        }
        Rule::quantified => {
            let quantifier = if Parts::of(pair.clone()).has_keyword(Rule::kw_exists) {
                Quantifier::Exists
            } else {
                Quantifier::Forall
            };
            let mut binders = Vec::new();
            let mut body = None;
            for part in Parts::of(pair).all() {
                if part.as_rule() == Rule::binder {
                    let mut parts = Parts::of(part);
                    binders.push((parts.name(), expr(parts.take(), faults)));
                } else {
                    body = Some(Box::new(expr(part, faults)));
                }
            }
            ExprKind::Quantified {
                quantifier,
                binders,
                body: body.expect("the grammar gives every quantifier a body"),
            }
        }
        Rule::like => {
            let mut form = Vec::new();
            let mut condition = None;
            for part in Parts::of(pair).all() {
                if part.as_rule() == Rule::conjunction {
                    condition = Some(Box::new(expr(part, faults)));
                } else {
                    form.push(expr(part, faults));
                }
            }
            ExprKind::Like { form, condition }
        }
        other => unreachable!("the grammar has no expression {other:?}"),
    };
    Spanned::new(kind, at)
}

fn call(pair: Pair<'_, Rule>, faults: &mut Faults) -> ExprKind {
    let mut function = Function::Max;
    let mut arguments = Vec::new();
    let mut generator = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::kw_max => function = Function::Max,
            Rule::kw_min => function = Function::Min,
            Rule::kw_sum => function = Function::Sum,
            Rule::kw_xor => function = Function::Xor,
            Rule::kw_count => function = Function::Count,
            Rule::kw_sorted => function = Function::Sorted,
            Rule::kw_distinct => function = Function::Distinct,
            Rule::kw_carryless => function = Function::Carryless,
            Rule::kw_digit => function = Function::Digit,
            Rule::kw_isqrt => function = Function::Isqrt,
            Rule::expr => arguments.push(expr(part, faults)),
            Rule::generator => {
                let mut binder_name = None;
                let mut binder = None;
                let mut condition = None;
                for piece in part.into_inner() {
                    match piece.as_rule() {
                        Rule::name => binder_name = Some(name(&piece)),
                        Rule::span => {
                            binder = binder_name
                                .take()
                                .map(|n| (n, Box::new(expr(piece, faults))));
                        }
                        Rule::expr => condition = Some(Box::new(expr(piece, faults))),
                        _ => {}
                    }
                }
                generator = Some(Generator { binder, condition });
            }
            _ => {}
        }
    }
    ExprKind::Call {
        function,
        arguments,
        generator,
    }
}

fn mark(pair: &Pair<'_, Rule>) -> Mark {
    Spanned::new((), span(pair))
}

fn number(pair: &Pair<'_, Rule>, faults: &mut Faults) -> ExprKind {
    let digits: String = pair.as_str().chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<i64>() {
        Ok(value) => ExprKind::Number(value),
        Err(_) => {
            faults.push(SyntaxProblem::NumberTooLarge {
                at: span(pair),
                digits: digits.len(),
            });
            ExprKind::Number(0)
        }
    }
}

fn logic(pair: Pair<'_, Rule>, faults: &mut Faults) -> Expr {
    LOGIC
        .map_primary(|p| expr(p, faults))
        .map_prefix(|op, inner| {
            let at = join(span(&op), inner.span);
            Spanned::new(ExprKind::Not(Box::new(inner)), at)
        })
        .map_infix(|left, op, right| {
            let operator = match op.as_rule() {
                Rule::kw_and => Binary::And,
                Rule::kw_or => Binary::Or,
                _ => Binary::Implies,
            };
            binary(operator, left, right)
        })
        .parse(pair.into_inner())
}

fn arithmetic(pair: Pair<'_, Rule>, faults: &mut Faults) -> Expr {
    ARITHMETIC
        .map_primary(|p| expr(p, faults))
        .map_prefix(|op, inner| {
            let at = join(span(&op), inner.span);
            Spanned::new(ExprKind::Negate(Box::new(inner)), at)
        })
        .map_infix(|left, op, right| {
            let operator = match op.as_rule() {
                Rule::plus => Binary::Add,
                Rule::minus => Binary::Subtract,
                Rule::times => Binary::Multiply,
                Rule::kw_div => Binary::Divide,
                Rule::kw_mod => Binary::Modulo,
                _ => Binary::NimSum,
            };
            binary(operator, left, right)
        })
        .parse(pair.into_inner())
}

fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    let at = join(left.span, right.span);
    Spanned::new(
        ExprKind::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        },
        at,
    )
}

fn relation(pair: Pair<'_, Rule>, faults: &mut Faults) -> Expr {
    let at = span(&pair);
    let mut inner = pair.into_inner();
    let first = expr(inner.next().expect("a relation has a left side"), faults);
    let mut rest = Vec::new();
    while let Some(op) = inner.next() {
        let comparison = match op.as_rule() {
            Rule::identity => {
                let negated = op.clone().into_inner().any(|p| p.as_rule() == Rule::kw_not);
                return Spanned::new(
                    ExprKind::Is {
                        left: Box::new(first),
                        negated,
                        right: Parts::of(op).name(),
                    },
                    at,
                );
            }
            Rule::equals => Comparison::Equal,
            Rule::differs => Comparison::NotEqual,
            Rule::less => Comparison::Less,
            Rule::at_most => Comparison::AtMost,
            Rule::greater => Comparison::Greater,
            Rule::at_least => Comparison::AtLeast,
            _ => Comparison::In,
        };
        let right = inner.next().expect("a comparison has a right side");
        rest.push((comparison, expr(right, faults)));
    }
    if rest.is_empty() {
        return first;
    }
    Spanned::new(
        ExprKind::Compare {
            first: Box::new(first),
            rest,
        },
        at,
    )
}

fn range(pair: Pair<'_, Rule>, faults: &mut Faults) -> Expr {
    let at = span(&pair);
    let mut inner = pair.into_inner();
    let low = expr(inner.next().expect("a range has a lower bound"), faults);
    if inner.next().is_none() {
        return low;
    }
    Spanned::new(
        ExprKind::Range {
            low: Box::new(low),
            high: inner.next().map(|p| Box::new(expr(p, faults))),
        },
        at,
    )
}

// ------------------------------------------------------------- small pieces

fn span(pair: &Pair<'_, Rule>) -> Span {
    let place = pair.as_span();
    // A rule that may end in optional parts takes the blanks before them in.
    let length = place.as_str().trim_end().len();
    (place.start(), length).into()
}

fn name(pair: &Pair<'_, Rule>) -> Name {
    Spanned::new(pair.as_str().to_owned(), span(pair))
}

fn text(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().trim_matches('"').to_owned()
}

fn only<'i>(mut pairs: Pairs<'i, Rule>) -> Pair<'i, Rule> {
    pairs.next().expect("the grammar gives this rule a part")
}

/// The parts of a rule that carry meaning: keywords and punctuation are
/// skipped when parts are taken one by one.
struct Parts<'i> {
    pairs: Vec<Pair<'i, Rule>>,
    next: usize,
}

impl<'i> Parts<'i> {
    fn of(pair: Pair<'i, Rule>) -> Parts<'i> {
        Parts {
            pairs: pair.into_inner().collect(),
            next: 0,
        }
    }

    fn next(&mut self) -> Option<Pair<'i, Rule>> {
        while let Some(pair) = self.pairs.get(self.next) {
            self.next += 1;
            if carries_meaning(pair.as_rule()) {
                return Some(pair.clone());
            }
        }
        None
    }

    fn take(&mut self) -> Pair<'i, Rule> {
        self.next().expect("the grammar gives this rule a part")
    }

    fn name(&mut self) -> Name {
        name(&self.take())
    }

    fn all(&mut self) -> impl Iterator<Item = Pair<'i, Rule>> + use<'i> {
        let mut rest = Vec::new();
        while let Some(pair) = self.next() {
            rest.push(pair);
        }
        rest.into_iter()
    }

    fn everything(self) -> impl Iterator<Item = Pair<'i, Rule>> {
        self.pairs.into_iter()
    }

    /// Takes the next part if it is of this rule.
    fn find(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        let before = self.next;
        match self.next() {
            Some(pair) if pair.as_rule() == rule => Some(pair),
            _ => {
                self.next = before;
                None
            }
        }
    }

    fn has_keyword(&self, rule: Rule) -> bool {
        self.find_keyword(rule).is_some()
    }

    fn find_keyword(&self, rule: Rule) -> Option<Span> {
        self.pairs.iter().find(|p| p.as_rule() == rule).map(span)
    }
}

/// Keywords and punctuation guide the grammar and are skipped here.
fn carries_meaning(rule: Rule) -> bool {
    let punctuation = matches!(
        rule,
        Rule::open_paren
            | Rule::close_paren
            | Rule::open_brace
            | Rule::close_brace
            | Rule::open_bracket
            | Rule::close_bracket
            | Rule::comma
            | Rule::colon
            | Rule::dash
            | Rule::dots
            | Rule::assign
            | Rule::equals
            | Rule::EOI
    );
    !punctuation && !super::parser::is_keyword(rule)
}
